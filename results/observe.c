/* SPDX-License-Identifier: MIT */
/*
 * observe.c - the values of many runs at once.
 *
 * One query walks run -> measurement -> value along the indexes measurement_by_run and, for
 * headline values, metric_value_headline, so that its cost is that of the rows it yields and
 * nothing is sorted. Names are looked up once for each number that occurs, not for each row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "json.h"
#include "list.h"
#include "observation.h"
#include "param.h"

/* ---- numbers of the archive, and ours -------------------------------------------------------- */

/* The archive's ids of one table are few and small: ours stand in an array by id, plus 1. */
struct renumbering {
	uint32_t *numbers;
	size_t room;
	int64_t *ids; /* by our number */
	size_t count;
};

static uint32_t renumber(struct renumbering *renumbering, int64_t id)
{
	size_t room = renumbering->room ? renumbering->room : 64;
	uint32_t *number;

	while (room <= (size_t)id)
		room *= 2;
	if (room != renumbering->room) {
		renumbering->numbers =
			reallocarray(renumbering->numbers, room, sizeof(*renumbering->numbers));
		if (!renumbering->numbers)
			abort();
		memset(renumbering->numbers + renumbering->room, 0,
		       (room - renumbering->room) * sizeof(*renumbering->numbers));
		renumbering->room = room;
	}
	number = &renumbering->numbers[id];
	if (!*number) {
		*LIST_ADD(renumbering->ids, renumbering->count) = id;
		*number = (uint32_t)renumbering->count;
	}
	return *number - 1;
}

static void renumbering_release(struct renumbering *renumbering)
{
	free(renumbering->numbers);
	free(renumbering->ids);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct observing {
	struct observations *into;
	int64_t metric_room; /* above every metric id */
	struct renumbering points, kinds;
};

enum {
	AT_RUN, AT_MEASUREMENT, AT_POINT, AT_STATUS, AT_OPERATION, AT_METRIC, AT_VALUE, AT_HEADLINE
};

#define WALK(condition)                                                                            \
	"SELECT chosen.key, m.measurement_id, m.point_id, m.status,"                               \
	" v.operation_id, v.metric_id, v.value, v.headline"                                        \
	" FROM json_each(?1) AS chosen CROSS JOIN measurement AS m ON m.run_id = chosen.value"     \
	" LEFT JOIN metric_value AS v ON v.measurement_id = m.measurement_id AND " condition       \
	" WHERE ?2 IS NULL OR m.point_id IN (SELECT point_id FROM point JOIN phase USING"          \
	" (phase_id) WHERE name IN (SELECT value FROM json_each(?2)))"

static const char headline_sql[] = WALK("v.headline = 1");
static const char chosen_sql[] = WALK("v.metric_id IN (SELECT value FROM json_each(?3))");

static struct observed_measurement *current_measurement(struct observing *observing,
							sqlite3_stmt *row)
{
	struct observations *into = observing->into;
	int64_t id = sqlite3_column_int64(row, AT_MEASUREMENT);
	struct observed_measurement *last;

	if (into->measurement_count && into->measurements[into->measurement_count - 1].id == id)
		return NULL; /* it is there */
	last = LIST_ADD(into->measurements, into->measurement_count);
	*last = (struct observed_measurement){
		.id = id,
		.run = (uint32_t)sqlite3_column_int64(row, AT_RUN),
		.point = renumber(&observing->points, sqlite3_column_int64(row, AT_POINT)),
	};
	return last;
}

static int take_value(void *context, sqlite3_stmt *row, struct err *err)
{
	struct observing *observing = context;
	struct observations *into = observing->into;
	struct observed_measurement *fresh = current_measurement(observing, row);
	int64_t kind;

	if (fresh && !status_find(row_text(row, AT_STATUS), &fresh->status))
		return err_set(err, -EUCLEAN, "the archive is damaged: \"%s\" is no status",
			       row_text(row, AT_STATUS));
	if (sqlite3_column_type(row, AT_OPERATION) == SQLITE_NULL)
		return 0;
	kind = sqlite3_column_int64(row, AT_OPERATION) * observing->metric_room +
	       sqlite3_column_int64(row, AT_METRIC);
	*LIST_ADD(into->values, into->value_count) = (struct observed_value){
		.measurement = (uint32_t)into->measurement_count - 1,
		.kind = renumber(&observing->kinds, kind),
		.headline = sqlite3_column_int(row, AT_HEADLINE) != 0,
		.value = row_real(row, AT_VALUE),
	};
	return 0;
}

/* Measurements with a flag that voids them are few: they are read at once and ticked off. */
static int mark_void(struct archive *archive, struct observations *into, struct err *err)
{
	static const char sql[] =
		"SELECT measurement_id FROM flag WHERE severity = 'void' ORDER BY measurement_id";
	struct run_ids ids = {0};
	int rc = archive_each(archive, err, sql, row_add_id, &ids, "");

	for (size_t i = 0; !rc && ids.count && i < into->measurement_count; i++) {
		struct observed_measurement *measurement = &into->measurements[i];

		measurement->is_void = bsearch(&measurement->id, ids.items, ids.count,
					       sizeof(*ids.items), ids_compare) != NULL;
	}
	run_ids_release(&ids);
	return rc;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int take_point(void *context, sqlite3_stmt *row, struct err *err)
{
	struct observations *into = context;
	struct observed_point *point = &into->points[sqlite3_column_int64(row, 0)];
	struct parameter *parameter;

	(void)err;
	snprintf(point->phase, sizeof(point->phase), "%s", row_text(row, 1));
	if (sqlite3_column_type(row, 2) == SQLITE_NULL)
		return 0;
	parameter = LIST_ADD(point->parameters, point->parameter_count);
	snprintf(parameter->name, sizeof(parameter->name), "%s", row_text(row, 2));
	parameter->value = row_json_value(row, 3);
	return 0;
}

static int name_points(struct archive *archive, const struct observing *observing, struct err *err)
{
	static const char sql[] =
		"SELECT chosen.key, phase.name, p.key, p.type, p.atom, parameters -> p.fullkey"
		" FROM json_each(?1) AS chosen CROSS JOIN point ON point_id = chosen.value"
		" JOIN phase USING (phase_id) LEFT JOIN json_each(parameters) AS p"
		" ORDER BY chosen.key, p.key";
	struct observations *into = observing->into;
	char *ids = ids_as_json(observing->points.ids, observing->points.count);
	int rc;

	into->point_count = observing->points.count;
	into->points = calloc(into->point_count + 1, sizeof(*into->points));
	if (!into->points)
		abort();
	rc = archive_each(archive, err, sql, take_point, into, "t", (const char *)ids);
	free(ids);
	return rc;
}

static int take_kind(void *context, sqlite3_stmt *row, struct err *err)
{
	struct observations *into = context;
	struct observed_kind *kind = &into->kinds[sqlite3_column_int64(row, 0)];

	(void)err;
	snprintf(kind->operation, sizeof(kind->operation), "%s", row_text(row, 1));
	snprintf(kind->metric, sizeof(kind->metric), "%s", row_text(row, 2));
	kind->unit = unit_stored_find(row_text(row, 3));
	kind->better = better_find(row_text(row, 4));
	return 0;
}

static int name_kinds(struct archive *archive, const struct observing *observing, struct err *err)
{
	static const char sql[] =
		"SELECT chosen.key, operation.name, metric.name, unit, better"
		" FROM json_each(?1) AS chosen"
		" CROSS JOIN operation ON operation_id = chosen.value / ?2"
		" CROSS JOIN metric ON metric_id = chosen.value % ?2";
	struct observations *into = observing->into;
	char *ids = ids_as_json(observing->kinds.ids, observing->kinds.count);
	int rc;

	into->kind_count = observing->kinds.count;
	into->kinds = calloc(into->kind_count + 1, sizeof(*into->kinds));
	if (!into->kinds)
		abort();
	rc = archive_each(archive, err, sql, take_kind, into, "ti", (const char *)ids,
			  observing->metric_room);
	free(ids);
	return rc;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static int refuse_metric(struct archive *archive, const char *pattern, struct err *err)
{
	static const char sql[] = "SELECT DISTINCT name FROM metric ORDER BY name";
	struct names known = {0};
	const char *nearest;
	int rc = archive_each(archive, err, sql, row_add_name, &known, "");

	nearest = rc ? NULL : names_nearest(&known, pattern);
	if (!rc)
		rc = err_set(err, ERR_USAGE, "no metric in the archive fits \"%s\"%s%s%s", pattern,
			     nearest ? "; is \"" : "", nearest ? nearest : "",
			     nearest ? "\" meant?" : "");
	names_release(&known);
	return rc;
}

/* The metrics that fit the patterns, as JSON, the caller's to free. */
static int find_metrics(struct archive *archive, const struct observe_request *request, char **json,
			struct err *err)
{
	static const char sql[] = "SELECT metric_id FROM metric WHERE name GLOB ?1";
	struct run_ids found = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < request->metric_count; i++) {
		size_t before = found.count;

		rc = archive_each(archive, err, sql, row_add_id, &found, "t", request->metrics[i]);
		if (!rc && found.count == before)
			rc = refuse_metric(archive, request->metrics[i], err);
	}
	if (!rc)
		*json = ids_as_json(found.items, found.count);
	run_ids_release(&found);
	return rc;
}

/* A list of names as JSON, or NULL when there is none; the caller's to free. */
static char *names_as_json(const char *const names[], size_t count)
{
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!count)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	json_init(&json, out);
	json_array_open(&json, false);
	for (size_t i = 0; i < count; i++)
		json_text(&json, names[i]);
	json_array_close(&json);
	if (fclose(out))
		abort();
	return text;
}

static int walk(struct archive *archive, const struct run_ids *ids,
		const struct observe_request *request, struct observing *observing, struct err *err)
{
	char *runs = ids_as_json(ids->items, ids->count), *metrics = NULL;
	char *phases = names_as_json(request->phases, request->phase_count);
	int rc = 0;

	if (request->metric_count)
		rc = find_metrics(archive, request, &metrics, err);
	if (!rc && metrics)
		rc = archive_each(archive, err, chosen_sql, take_value, observing, "ttt",
				  (const char *)runs, (const char *)phases, (const char *)metrics);
	else if (!rc)
		rc = archive_each(archive, err, headline_sql, take_value, observing, "tt",
				  (const char *)runs, (const char *)phases);
	free(metrics);
	free(phases);
	free(runs);
	return rc;
}

int archive_observe(struct archive *archive, const struct run_ids *ids,
		    const struct observe_request *request, struct observations *observations,
		    struct err *err)
{
	static const char room_sql[] = "SELECT ifnull(max(metric_id), 0) + 1 FROM metric";
	struct observing observing = {.into = observations};
	int rc;

	*observations = (struct observations){0};
	rc = archive_each(archive, err, room_sql, row_integer, &observing.metric_room, "");
	if (!rc)
		rc = walk(archive, ids, request, &observing, err);
	if (!rc)
		rc = mark_void(archive, observations, err);
	if (!rc)
		rc = name_points(archive, &observing, err);
	if (!rc)
		rc = name_kinds(archive, &observing, err);
	renumbering_release(&observing.points);
	renumbering_release(&observing.kinds);
	if (rc)
		observations_release(observations);
	return rc;
}

void observations_release(struct observations *observations)
{
	for (size_t i = 0; observations->points && i < observations->point_count; i++)
		free(observations->points[i].parameters);
	free(observations->points);
	free(observations->kinds);
	free(observations->measurements);
	free(observations->values);
	*observations = (struct observations){0};
}

/* ---- histograms and excuses ------------------------------------------------------------------ */

/* Wishes by measurement: those of the ith id asked for start at starts[i]. */
struct merging {
	const struct merge_wish *wishes;
	size_t *starts;
	struct histogram *targets;
	size_t *found;
};

static int merge_wished(void *context, sqlite3_stmt *row, struct err *err)
{
	const struct merging *merging = context;
	size_t id = (size_t)sqlite3_column_int64(row, 0);
	const char *operation = row_text(row, 1);
	int rc = 0;

	for (size_t i = merging->starts[id]; !rc && i < merging->starts[id + 1]; i++) {
		const struct merge_wish *wish = &merging->wishes[i];

		if (strcmp(wish->operation, operation) != 0)
			continue;
		merging->found[wish->target]++;
		rc = histogram_merge_blob(&merging->targets[wish->target],
					  sqlite3_column_blob(row, 2),
					  (size_t)sqlite3_column_bytes(row, 2), err);
	}
	return rc;
}

static int compare_wishes(const void *left, const void *right)
{
	return ids_compare(&((const struct merge_wish *)left)->measurement_id,
			   &((const struct merge_wish *)right)->measurement_id);
}

/* Lists each measurement of the sorted wishes once; returns how many there are. */
static size_t list_wished(const struct merge_wish *wishes, size_t count, int64_t *ids,
			  size_t *starts)
{
	size_t listed = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && wishes[i].measurement_id == wishes[i - 1].measurement_id)
			continue;
		starts[listed] = i;
		ids[listed++] = wishes[i].measurement_id;
	}
	starts[listed] = count;
	return listed;
}

int archive_merge_histograms(struct archive *archive, struct merge_wish wishes[], size_t count,
			     struct histogram targets[], size_t found[], struct err *err)
{
	static const char sql[] =
		"SELECT chosen.key, operation.name, latency_ns FROM json_each(?1) AS chosen"
		" CROSS JOIN histogram AS h ON h.measurement_id = chosen.value"
		" CROSS JOIN operation USING (operation_id)";
	struct merging merging = {.wishes = wishes, .targets = targets, .found = found};
	int64_t *ids;
	char *json;
	int rc;

	if (!count)
		return 0;
	ids = malloc(count * sizeof(*ids));
	merging.starts = malloc((count + 1) * sizeof(*merging.starts));
	if (!ids || !merging.starts)
		abort();
	qsort(wishes, count, sizeof(*wishes), compare_wishes);
	json = ids_as_json(ids, list_wished(wishes, count, ids, merging.starts));
	rc = archive_each(archive, err, sql, merge_wished, &merging, "t", (const char *)json);
	free(json);
	free(merging.starts);
	free(ids);
	return rc;
}

struct excuse {
	char *text;
	size_t size;
};

static int take_excuse(void *context, sqlite3_stmt *row, struct err *err)
{
	const struct excuse *excuse = context;
	const char *status = row_text(row, 0), *message = row_text(row, 1);
	const char *codes = row_text(row, 2);

	(void)err;
	if (strcmp(status, status_name(STATUS_OK)) != 0)
		snprintf(excuse->text, excuse->size, "%s%s%s", status, *message ? ": " : "",
			 message);
	else if (*codes)
		snprintf(excuse->text, excuse->size, "%s: %s", severity_name(SEVERITY_VOID), codes);
	else if (sqlite3_column_int(row, 3))
		snprintf(excuse->text, excuse->size, "%s", message);
	return 0;
}

int archive_excuse(struct archive *archive, int64_t measurement_id, char *text, size_t size,
		   struct err *err)
{
	static const char sql[] =
		"SELECT measurement.status, message, (SELECT group_concat(code, ', ') FROM"
		" (SELECT code FROM flag WHERE flag.measurement_id = ?1 AND severity = 'void'"
		" ORDER BY position)), run.source <> 'assay'"
		" FROM measurement JOIN run USING (run_id) WHERE measurement_id = ?1";
	struct excuse excuse = {text, size};

	*text = '\0';
	return archive_each(archive, err, sql, take_excuse, &excuse, "i", measurement_id);
}
