/* SPDX-License-Identifier: MIT */
/*
 * record.c - runs and measurements into the archive: begin, add, finish.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "json.h"
#include "list.h"

/* ---- runs ---- */

static int put_run(struct archive *archive, const struct run *run, struct err *err)
{
	static const char sql[] =
		"INSERT INTO run (uuid, series, round, source, version, status, label, profile, "
		"target,"
		" command, seed, started_at)"
		" VALUES (?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, ?8, ?9, ?10, ?11)";
	char seed[24] = "";

	if (run_has_seed(run))
		snprintf(seed, sizeof(seed), "%" PRIu64, run->seed);
	return archive_put(archive, err, sql, "teittttttet", run->uuid, run->series,
			   (int64_t)run->round, run->source, run->version, run->label, run->profile,
			   run->target, run->command, seed, run->started_at);
}

static int put_fact_name(struct archive *archive, const char *name, struct err *err)
{
	static const char sql[] =
		"INSERT INTO fact_name (name, class) VALUES (?1, ?2) ON CONFLICT (name)"
		" DO UPDATE SET class = excluded.class WHERE class <> excluded.class";

	return archive_put(archive, err, sql, "tt", name, fact_class_name(fact_class_of(name)));
}

int archive_put_fact(struct archive *archive, int64_t run_id, const struct fact *fact,
		    struct err *err)
{
	static const char sql[] = "INSERT INTO run_fact (run_id, fact_name_id, value)"
				  " SELECT ?1, fact_name_id, ?3 FROM fact_name WHERE name = ?2"
				  " ON CONFLICT DO NOTHING";
	int rc;

	if (fact->kind == FACT_REAL && isnan(fact->real))
		return 0; /* not known, so not there */
	rc = put_fact_name(archive, fact->name, err);
	if (rc)
		return rc;
	switch (fact->kind) {
	case FACT_INTEGER:
		return archive_put(archive, err, sql, "iti", run_id, fact->name, fact->integer);
	case FACT_REAL:
		return archive_put(archive, err, sql, "itd", run_id, fact->name, fact->real);
	default:
		return archive_put(archive, err, sql, "itt", run_id, fact->name, fact->text);
	}
}

/* Those that are there already keep their value: another process may have corrected them. */
static int put_facts(struct archive *archive, int64_t run_id, const struct facts *facts,
		     struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < facts->count; i++)
		rc = archive_put_fact(archive, run_id, &facts->items[i], err);
	return rc;
}

static int put_tags(struct archive *archive, int64_t run_id, const struct facts *tags,
		    struct err *err)
{
	static const char sql[] = "INSERT INTO run_tag (run_id, name, value) VALUES (?1, ?2, ?3)";
	int rc = 0;

	for (size_t i = 0; !rc && i < tags->count; i++)
		rc = archive_put(archive, err, sql, "itt", run_id, tags->items[i].name,
				 tags->items[i].text);
	return rc;
}

/* The notes from first on, behind those that are there. */
int archive_put_notes(struct archive *archive, int64_t run_id, const struct run *run, size_t first,
		     struct err *err)
{
	static const char sql[] =
		"INSERT INTO run_note (run_id, position, noted_at, note)"
		" SELECT ?1, ifnull(max(position) + 1, 0), ?2, ?3 FROM run_note WHERE run_id = ?1";
	int rc = 0;

	for (size_t i = first; !rc && i < run->note_count; i++)
		rc = archive_put(archive, err, sql, "itt", run_id, run->notes[i].at,
				 run->notes[i].text);
	return rc;
}

int archive_put_run(struct archive *archive, const struct run *run, int64_t *run_id,
		    struct err *err)
{
	int rc = put_run(archive, run, err);

	if (rc)
		return rc;
	*run_id = sqlite3_last_insert_rowid(archive->db);
	rc = put_facts(archive, *run_id, &run->facts, err);
	if (!rc)
		rc = put_tags(archive, *run_id, &run->tags, err);
	return rc ? rc : archive_put_notes(archive, *run_id, run, 0, err);
}

static int put_begun(struct archive *archive, const struct run *run, int64_t *run_id,
		     struct err *err)
{
	int rc = archive_put_run(archive, run, run_id, err);

	return rc ? rc : archive_lock_run(archive, *run_id, err);
}

int archive_begin(struct archive *archive, struct run *run, struct err *err)
{
	int64_t run_id = 0;
	int rc = archive_transaction(archive, err);

	if (rc)
		return rc;
	rc = archive_transaction_end(archive, put_begun(archive, run, &run_id, err), err);
	if (rc) {
		if (run_id)
			archive_unlock_run(archive, run_id, NULL);
		return rc;
	}
	run->id = run_id;
	*LIST_ADD(archive->live, archive->live_count) =
		(struct live_run){.run_id = run_id, .notes_written = run->note_count};
	return 0;
}

static struct live_run *find_live(const struct archive *archive, int64_t run_id)
{
	for (size_t i = 0; i < archive->live_count; i++)
		if (archive->live[i].run_id == run_id)
			return &archive->live[i];
	return NULL;
}

static int put_finished(struct archive *archive, const struct run *run, size_t notes_written,
			const char *status, const char *finished_at, struct err *err)
{
	static const char sql[] = "UPDATE run SET status = ?2, finished_at = ?3 WHERE run_id = ?1";
	int rc = archive_put(archive, err, sql, "itt", run->id, status, finished_at);

	if (rc)
		return rc;
	if (sqlite3_changes(archive->db) != 1)
		return err_set(err, -ENOENT, "run %" PRId64 " is no longer in the archive %s",
			       run->id, archive->path);
	rc = put_facts(archive, run->id, &run->facts, err);
	return rc ? rc : archive_put_notes(archive, run->id, run, notes_written, err);
}

int archive_finish(struct archive *archive, struct run *run, const char *status, struct err *err)
{
	struct live_run *live = find_live(archive, run->id);
	char finished_at[CLOCK_LABEL_MAX];
	int rc;

	if (!live)
		return err_set(err, -EINVAL, "run %" PRId64 " was not begun in the archive %s",
			       run->id, archive->path);
	clock_label(finished_at);
	if (*run->finished_at) /* an imported run ended when it says it did */
		snprintf(finished_at, sizeof(finished_at), "%s", run->finished_at);
	rc = archive_transaction(archive, err);
	if (rc)
		return rc;
	rc = put_finished(archive, run, live->notes_written, status, finished_at, err);
	rc = archive_transaction_end(archive, rc, err);
	if (rc)
		return rc;
	snprintf(run->finished_at, sizeof(run->finished_at), "%s", finished_at);
	run_set_text(&run->status, status);
	*live = archive->live[--archive->live_count];
	return archive_unlock_run(archive, run->id, err);
}

/* ---- measurements ---- */

static int compare_parameters(const void *left, const void *right)
{
	const struct parameter *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/* The parameters as an object, names sorted; the caller's to free. */
static char *canonical_parameters(const struct measurement *measurement)
{
	size_t count = measurement->parameter_count, size;
	const struct parameter **sorted = calloc(count + 1, sizeof(*sorted));
	struct json json;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!sorted || !out)
		abort();
	for (size_t i = 0; i < count; i++)
		sorted[i] = &measurement->parameters[i];
	qsort(sorted, count, sizeof(*sorted), compare_parameters);
	json_init(&json, out);
	json_object_open(&json, false);
	for (size_t i = 0; i < count; i++) {
		json_key(&json, sorted[i]->name);
		json_value(&json, &sorted[i]->value);
	}
	json_object_close(&json);
	free(sorted);
	if (fclose(out))
		abort();
	return text;
}

/* SQLite's json() takes the blanks out. */
static int put_point(struct archive *archive, const char *phase, const char *parameters,
		     struct err *err)
{
	static const char phase_sql[] =
		"INSERT INTO phase (name) VALUES (?1) ON CONFLICT DO NOTHING";
	static const char point_sql[] =
		"INSERT INTO point (phase_id, parameters) SELECT phase_id, json(?2) FROM phase"
		" WHERE name = ?1 ON CONFLICT DO NOTHING";
	int rc = archive_put(archive, err, phase_sql, "t", phase);

	return rc ? rc : archive_put(archive, err, point_sql, "tt", phase, parameters);
}

static int put_head(struct archive *archive, int64_t run_id, const struct measurement *measurement,
		    int64_t *measurement_id, struct err *err)
{
	static const char sql[] = "INSERT INTO measurement (run_id, point_id, status, message, "
				  "started_at, elapsed_ns)"
				  " SELECT ?1, point_id, ?4, ?5, ?6, nullif(?7, 0) FROM point JOIN "
				  "phase USING (phase_id)"
				  " WHERE name = ?2 AND parameters = json(?3)";
	char *parameters = canonical_parameters(measurement);
	int rc = put_point(archive, measurement->phase, parameters, err);

	if (!rc)
		rc = archive_put(archive, err, sql, "ittteeu", run_id, measurement->phase,
				 parameters, status_name(measurement->status), measurement->message,
				 measurement->started_at, measurement->elapsed_ns);
	*measurement_id = sqlite3_last_insert_rowid(archive->db);
	free(parameters);
	return rc;
}

static int put_operation(struct archive *archive, const char *name, struct err *err)
{
	static const char sql[] = "INSERT INTO operation (name) VALUES (?1) ON CONFLICT DO NOTHING";

	return archive_put(archive, err, sql, "t", name);
}

static int put_metric(struct archive *archive, int64_t id, size_t position, const void *item,
		      struct err *err)
{
	static const char metric_sql[] = "INSERT INTO metric (name, unit, better) VALUES (?1, ?2, "
					 "?3) ON CONFLICT DO NOTHING";
	static const char value_sql[] =
		"INSERT INTO metric_value (measurement_id, position, operation_id, metric_id, "
		"headline, value)"
		" SELECT ?1, ?2, operation_id, metric_id, ?7, ?8 FROM operation, metric"
		" WHERE operation.name = ?3 AND metric.name = ?4 AND unit = ?5 AND better = ?6";
	const struct metric_value *value = item;
	const char *unit = unit_stored_name(value->unit), *better = better_name(value->better);
	int rc = put_operation(archive, value->operation, err);

	if (!better)
		better = "neither";
	if (!rc)
		rc = archive_put(archive, err, metric_sql, "ttt", value->metric, unit, better);
	return rc ? rc
		  : archive_put(archive, err, value_sql, "iittttid", id, (int64_t)position,
				value->operation, value->metric, unit, better,
				(int64_t)value->headline, value->value);
}

static int put_histogram(struct archive *archive, int64_t id, size_t position, const void *item,
			 struct err *err)
{
	static const char sql[] =
		"INSERT INTO histogram (measurement_id, position, operation_id, latency_ns)"
		" SELECT ?1, ?2, operation_id, ?4 FROM operation WHERE name = ?3";
	const struct latency_histogram *latency = item;
	size_t bytes;
	void *blob;
	int rc = put_operation(archive, latency->operation, err);

	if (rc)
		return rc;
	rc = histogram_encode(&latency->histogram, &blob, &bytes, err);
	if (rc)
		return rc;
	rc = archive_put(archive, err, sql, "iitb", id, (int64_t)position, latency->operation,
			 (const void *)blob, bytes);
	free(blob);
	return rc;
}

static int put_sample(struct archive *archive, int64_t id, size_t position, const void *item,
		      struct err *err)
{
	static const char sql[] =
		"INSERT INTO sample (measurement_id, position, operation_id, at_ns, "
		"operation_count,"
		" moved_bytes, latency_p99_ns, latency_max_ns)"
		" SELECT ?1, ?2, operation_id, ?4, ?5, ?6, ?7, ?8 FROM operation WHERE name = ?3";
	const struct sample *sample = item;
	int rc = put_operation(archive, sample->operation, err);

	return rc ? rc
		  : archive_put(archive, err, sql, "iituuudd", id, (int64_t)position,
				sample->operation, sample->at_ns, sample->count, sample->bytes,
				sample->latency_p99_ns, sample->latency_max_ns);
}

static int put_device(struct archive *archive, int64_t id, size_t position, const void *item,
		      struct err *err)
{
	static const char sql[] = "INSERT INTO device_use (measurement_id, position, name, "
				  "read_count, read_bytes, write_count,"
				  " write_bytes, flush_count, busy_ns, queue_ns)"
				  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
	const struct device_use *device = item;

	return archive_put(archive, err, sql, "iituuuuuuu", id, (int64_t)position, device->name,
			   device->reads, device->read_bytes, device->writes, device->write_bytes,
			   device->flushes, device->busy_ns, device->queue_ns);
}

static int put_flag(struct archive *archive, int64_t id, size_t position, const void *item,
		    struct err *err)
{
	static const char sql[] =
		"INSERT INTO flag (measurement_id, position, code, severity, message)"
		" VALUES (?1, ?2, ?3, ?4, ?5)";
	const struct flag *flag = item;

	return archive_put(archive, err, sql, "iittt", id, (int64_t)position, flag->code,
			   severity_name(flag->severity), flag->message);
}

typedef int (*put_fn)(struct archive *archive, int64_t id, size_t position, const void *item,
		      struct err *err);

static int put_list(struct archive *archive, int64_t id, put_fn put, const void *items,
		    size_t count, size_t item_bytes, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = put(archive, id, i, (const char *)items + i * item_bytes, err);
	return rc;
}

int archive_put_measurement(struct archive *archive, int64_t run_id, const struct measurement *m,
			   int64_t *id, struct err *err)
{
	const struct {
		put_fn put;
		const void *items;
		size_t count, item_bytes;
	} lists[] = {
		{put_metric, m->metrics, m->metric_count, sizeof(*m->metrics)},
		{put_histogram, m->histograms, m->histogram_count, sizeof(*m->histograms)},
		{put_sample, m->samples, m->sample_count, sizeof(*m->samples)},
		{put_device, m->devices, m->device_count, sizeof(*m->devices)},
		{put_flag, m->flags, m->flag_count, sizeof(*m->flags)},
	};
	int rc = put_head(archive, run_id, m, id, err);

	for (size_t i = 0; !rc && i < sizeof(lists) / sizeof(lists[0]); i++)
		rc = put_list(archive, *id, lists[i].put, lists[i].items, lists[i].count,
			      lists[i].item_bytes, err);
	return rc;
}

int archive_add(struct archive *archive, int64_t run_id, struct measurement *measurement,
		struct err *err)
{
	int64_t id = 0;
	int rc = archive_transaction(archive, err);

	if (rc)
		return rc;
	rc = archive_put_measurement(archive, run_id, measurement, &id, err);
	rc = archive_transaction_end(archive, rc, err);
	if (!rc)
		measurement->id = id;
	return rc;
}
