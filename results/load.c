/* SPDX-License-Identifier: MIT */
/*
 * load.c - an archived run back into memory, as it was given to the archive. Each list is read
 * with one query for the whole run; its rows come in the order of the measurements, so each finds
 * its measurement by walking on from the one before.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "list.h"

struct loading {
	struct archive *archive;
	struct archived_run *into;
	size_t current; /* the measurement the last row belonged to */
};

static int corrupt(const struct archive *archive, struct err *err, const char *what,
		   const char *found)
{
	return err_set(err, -EUCLEAN, "the archive %s is damaged: \"%s\" is no %s", archive->path,
		       found, what);
}

/* ---- the run ---- */

/* Copies a column into an array, cut to its size. */
#define COPY_TEXT(array, row, column) \
	snprintf((array), sizeof(array), "%s", row_text((row), (column)))

static void set_column(char **field, sqlite3_stmt *row, int column)
{
	run_set_text(field, (const char *)sqlite3_column_text(row, column));
}

static int take_run(void *context, sqlite3_stmt *row, struct err *err)
{
	struct run *run = &((struct loading *)context)->into->run;

	(void)err;
	run->id = sqlite3_column_int64(row, 0);
	COPY_TEXT(run->uuid, row, 1);
	COPY_TEXT(run->series, row, 2);
	run->round = (unsigned)sqlite3_column_int64(row, 3);
	set_column(&run->source, row, 4);
	set_column(&run->version, row, 5);
	set_column(&run->status, row, 6);
	set_column(&run->label, row, 7);
	set_column(&run->profile, row, 8);
	set_column(&run->target, row, 9);
	set_column(&run->command, row, 10);
	run->seed = strtoull(row_text(row, 11), NULL, 10);
	COPY_TEXT(run->started_at, row, 12);
	COPY_TEXT(run->finished_at, row, 13);
	return 0;
}

static int load_head(struct loading *loading, int64_t run_id, struct err *err)
{
	static const char sql[] =
		"SELECT run_id, uuid, series, round, source, version, status, label, profile, "
		"target,"
		" command, seed, started_at, finished_at FROM run WHERE run_id = ?1";
	int rc = archive_each(loading->archive, err, sql, take_run, loading, "i", run_id);

	if (!rc && !loading->into->run.id)
		return err_set(err, ERR_USAGE, "there is no run %" PRId64 " in the archive %s",
			       run_id, loading->archive->path);
	return rc;
}

static int take_fact(void *context, sqlite3_stmt *row, struct err *err)
{
	struct facts *facts = context;
	const char *name = row_text(row, 0);

	(void)err;
	switch (sqlite3_column_type(row, 1)) {
	case SQLITE_INTEGER:
		facts_set_integer(facts, name, sqlite3_column_int64(row, 1));
		break;
	case SQLITE_FLOAT:
		facts_set_real(facts, name, sqlite3_column_double(row, 1));
		break;
	default:
		facts_set_text(facts, name, row_text(row, 1));
	}
	return 0;
}

static int take_note(void *context, sqlite3_stmt *row, struct err *err)
{
	(void)err;
	run_add_note(context, row_text(row, 0), row_text(row, 1));
	return 0;
}

/* Facts come in the order in which their names were first recorded, which groups them. */
static int load_environment(struct loading *loading, int64_t run_id, struct err *err)
{
	static const char facts_sql[] =
		"SELECT name, value FROM run_fact JOIN fact_name"
		" USING (fact_name_id) WHERE run_id = ?1 ORDER BY fact_name_id";
	static const char tags_sql[] =
		"SELECT name, value FROM run_tag WHERE run_id = ?1 ORDER BY name";
	static const char notes_sql[] =
		"SELECT noted_at, note FROM run_note WHERE run_id = ?1 ORDER BY position";
	struct archive *archive = loading->archive;
	struct run *run = &loading->into->run;
	int rc = archive_each(archive, err, facts_sql, take_fact, &run->facts, "i", run_id);

	if (!rc)
		rc = archive_each(archive, err, tags_sql, take_fact, &run->tags, "i", run_id);
	return rc ? rc : archive_each(archive, err, notes_sql, take_note, run, "i", run_id);
}

/* ---- its measurements ---- */

static int take_measurement(void *context, sqlite3_stmt *row, struct err *err)
{
	struct loading *loading = context;
	struct archived_run *into = loading->into;
	struct measurement *measurement = LIST_ADD(into->measurements, into->measurement_count);

	measurement_init(measurement, row_text(row, 1));
	measurement->id = sqlite3_column_int64(row, 0);
	COPY_TEXT(measurement->message, row, 3);
	COPY_TEXT(measurement->started_at, row, 4);
	measurement->elapsed_ns = (uint64_t)sqlite3_column_int64(row, 5);
	if (!status_find(row_text(row, 2), &measurement->status))
		return corrupt(loading->archive, err, "status of a measurement", row_text(row, 2));
	return 0;
}

/* The measurement a row belongs to: each row's first column is its id. */
static struct measurement *measurement_of(struct loading *loading, sqlite3_stmt *row)
{
	int64_t id = sqlite3_column_int64(row, 0);
	struct archived_run *into = loading->into;

	while (loading->current < into->measurement_count &&
	       into->measurements[loading->current].id != id)
		loading->current++;
	return loading->current < into->measurement_count ? &into->measurements[loading->current]
							  : NULL;
}

static int take_parameter(void *context, sqlite3_stmt *row, struct err *err)
{
	(void)err;
	measurement_add_parameter(measurement_of(context, row), row_text(row, 1),
				  row_json_value(row, 2));
	return 0;
}

static int take_metric(void *context, sqlite3_stmt *row, struct err *err)
{
	struct measurement *measurement = measurement_of(context, row);
	const struct metric metric = {
		.name = row_text(row, 2),
		.unit = unit_stored_find(row_text(row, 3)),
		.better = better_find(row_text(row, 4)),
	};
	struct metric_value *value =
		measurement_add_metric(measurement, row_text(row, 1), &metric, row_real(row, 6));

	(void)err;
	value->headline = sqlite3_column_int(row, 5) != 0;
	return 0;
}

static int take_histogram(void *context, sqlite3_stmt *row, struct err *err)
{
	struct measurement *measurement = measurement_of(context, row);
	struct latency_histogram *latency =
		measurement_add_histogram(measurement, row_text(row, 1));

	return histogram_decode(&latency->histogram, sqlite3_column_blob(row, 2),
				(size_t)sqlite3_column_bytes(row, 2), err);
}

static int take_sample(void *context, sqlite3_stmt *row, struct err *err)
{
	struct sample *sample =
		measurement_add_sample(measurement_of(context, row), row_text(row, 1));

	(void)err;
	sample->at_ns = (uint64_t)sqlite3_column_int64(row, 2);
	sample->count = (uint64_t)sqlite3_column_int64(row, 3);
	sample->bytes = (uint64_t)sqlite3_column_int64(row, 4);
	sample->latency_p99_ns = row_real(row, 5);
	sample->latency_max_ns = row_real(row, 6);
	return 0;
}

static int take_device(void *context, sqlite3_stmt *row, struct err *err)
{
	struct device_use *device =
		measurement_add_device(measurement_of(context, row), row_text(row, 1));
	uint64_t *const counters[] = {&device->reads,       &device->read_bytes, &device->writes,
				      &device->write_bytes, &device->flushes,    &device->busy_ns,
				      &device->queue_ns};

	(void)err;
	for (int i = 0; i < (int)(sizeof(counters) / sizeof(counters[0])); i++)
		*counters[i] = (uint64_t)sqlite3_column_int64(row, 2 + i);
	return 0;
}

static int take_flag(void *context, sqlite3_stmt *row, struct err *err)
{
	struct loading *loading = context;
	enum severity severity;

	if (!severity_find(row_text(row, 2), &severity))
		return corrupt(loading->archive, err, "severity of a flag", row_text(row, 2));
	measurement_flag(measurement_of(loading, row), severity, row_text(row, 1), "%s",
			 row_text(row, 3));
	return 0;
}

/* ---- all of it ---- */

#define OF_RUN \
	" JOIN measurement USING (measurement_id) WHERE run_id = ?1 ORDER BY measurement_id, "

/* The lists of a measurement; unless says which bit of what each needs, 0: always read. */
static const struct {
	const char *sql;
	row_fn take;
	unsigned needs;
} lists[] = {
	{"SELECT measurement_id, phase.name, status, message, started_at, elapsed_ns FROM "
	 "measurement"
	 " JOIN point USING (point_id) JOIN phase USING (phase_id)"
	 " WHERE run_id = ?1 ORDER BY measurement_id",
	 take_measurement, 0},
	{"SELECT measurement_id, key, type, atom, parameters -> fullkey FROM measurement"
	 " JOIN point USING (point_id), json_each(parameters)"
	 " WHERE run_id = ?1 ORDER BY measurement_id, json_each.id",
	 take_parameter, 0},
	{"SELECT measurement_id, operation.name, metric.name, unit, better, headline, value"
	 " FROM metric_value JOIN operation USING (operation_id) JOIN metric USING "
	 "(metric_id)" OF_RUN "position",
	 take_metric, 0},
	{"SELECT measurement_id, operation.name, latency_ns FROM histogram JOIN operation"
	 " USING (operation_id)" OF_RUN "position",
	 take_histogram, LOAD_HISTOGRAMS},
	{"SELECT measurement_id, operation.name, at_ns, operation_count, moved_bytes, "
	 "latency_p99_ns,"
	 " latency_max_ns FROM sample JOIN operation USING (operation_id)" OF_RUN "position",
	 take_sample, LOAD_SAMPLES},
	{"SELECT measurement_id, name, read_count, read_bytes, write_count, write_bytes, "
	 "flush_count,"
	 " busy_ns, queue_ns FROM device_use" OF_RUN "position",
	 take_device, 0},
	{"SELECT measurement_id, code, severity, flag.message FROM flag" OF_RUN "position",
	 take_flag, 0},
};

static int load_all(struct loading *loading, int64_t run_id, unsigned what, struct err *err)
{
	int rc = load_head(loading, run_id, err);

	if (!rc)
		rc = load_environment(loading, run_id, err);
	if (!rc)
		rc = archive_load_origin(loading->archive, run_id, &loading->into->origin, err);
	for (size_t i = 0; !rc && i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (lists[i].needs && !(lists[i].needs & what))
			continue;
		loading->current = 0;
		rc = archive_each(loading->archive, err, lists[i].sql, lists[i].take, loading, "i",
				  run_id);
	}
	return rc;
}

/* One transaction to read in, so that a run being written is seen at one moment. */
int archive_load(struct archive *archive, int64_t run_id, unsigned what,
		 struct archived_run *archived, struct err *err)
{
	struct loading loading = {.archive = archive, .into = archived};
	bool nested = !sqlite3_get_autocommit(archive->db);
	int rc;

	memset(archived, 0, sizeof(*archived));
	if (!nested && sqlite3_exec(archive->db, "BEGIN", NULL, NULL, NULL))
		return archive_error(archive, err, "read");
	rc = load_all(&loading, run_id, what, err);
	if (!nested)
		sqlite3_exec(archive->db, "COMMIT", NULL, NULL, NULL); /* nothing was written */
	if (rc) {
		archived_run_release(archived);
		memset(archived, 0, sizeof(*archived));
	}
	return rc;
}

void archived_run_release(struct archived_run *archived)
{
	for (size_t i = 0; i < archived->measurement_count; i++)
		measurement_release(&archived->measurements[i]);
	free(archived->measurements);
	run_origin_release(&archived->origin);
	run_release(&archived->run);
}
