/* SPDX-License-Identifier: MIT */
/*
 * compare_fixture.c - archives made for comparisons.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "compare_fixture.h"
#include "results/archive_private.h"
#include "suites.h"

void bench_open(struct bench *bench)
{
	static const char hasty[] = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY";

	*bench = (struct bench){0};
	scratch_make(&bench->scratch);
	bench->archive = must_open(bench->scratch.path, ARCHIVE_WRITE);
	CU_ASSERT_EQUAL(sqlite3_exec(bench->archive->db, hasty, NULL, NULL, NULL), SQLITE_OK);
}

void bench_close(struct bench *bench)
{
	archive_close(bench->archive);
	scratch_remove(&bench->scratch);
}

struct run *bench_run(struct bench *bench)
{
	struct run *run = &bench->run;

	CU_ASSERT_EQUAL_FATAL(run_init(run, NULL), 0);
	run_set_text(&run->source, "assay");
	run_set_text(&run->version, "0.1.0");
	return run;
}

static void begin(struct bench *bench)
{
	if (!bench->run.id)
		CU_ASSERT_EQUAL_FATAL(archive_begin(bench->archive, &bench->run, NULL), 0);
}

static void flush(struct bench *bench)
{
	if (!*bench->measurement.phase)
		return;
	begin(bench);
	CU_ASSERT_EQUAL_FATAL(
		archive_add(bench->archive, bench->run.id, &bench->measurement, NULL), 0);
	measurement_release(&bench->measurement);
}

/* "a=1,b=x": calls add for each. */
static void each_pair(const char *words,
		      void (*add)(void *context, const char *name, const char *value),
		      void *context)
{
	char *text = strdup(words ? words : ""), *rest = text, *word;

	while ((word = strsep(&rest, ",")) && *word) {
		char *equals = strchr(word, '=');

		CU_ASSERT_PTR_NOT_NULL_FATAL(equals);
		*equals = '\0';
		add(context, word, equals + 1);
	}
	free(text);
}

static void add_parameter(void *context, const char *name, const char *value)
{
	bool digits = strspn(value, "0123456789") == strlen(value);

	measurement_add_parameter(context, name,
				  digits ? value_number(strtoull(value, NULL, 10))
					 : value_text(value));
}

struct measurement *bench_measure(struct bench *bench, const char *phase, const char *parameters)
{
	flush(bench);
	measurement_init(&bench->measurement, phase);
	snprintf(bench->measurement.started_at, CLOCK_LABEL_MAX, "2026-01-31T22:14:05.120Z");
	bench->measurement.elapsed_ns = NS_PER_S;
	each_pair(parameters, add_parameter, &bench->measurement);
	return &bench->measurement;
}

void bench_value(struct bench *bench, const char *operation, const char *metric, double value)
{
	struct metric_value *added = measurement_add_metric(&bench->measurement, operation,
							    metric_find(metric), value);

	added->headline = !strcmp(metric, "rate") || !strcmp(metric, "throughput") ||
			  !strcmp(metric, "latency_p99");
}

int64_t bench_done(struct bench *bench)
{
	int64_t id;

	flush(bench);
	begin(bench);
	CU_ASSERT_EQUAL_FATAL(archive_finish(bench->archive, &bench->run, "complete", NULL), 0);
	id = bench->run.id;
	run_release(&bench->run);
	bench->run = (struct run){0};
	return id;
}

static void add_fact(void *context, const char *name, const char *value)
{
	facts_set_text(context, name, value);
}

int64_t bench_simple(struct bench *bench, const char *facts, double rate)
{
	each_pair(facts, add_fact, &bench_run(bench)->facts);
	bench_measure(bench, "random", "block_size=8192");
	bench_value(bench, "read", "rate", rate);
	return bench_done(bench);
}

static int compare_all(struct bench *bench, const struct compare_request *request,
		       struct comparison *comparison, struct err *err)
{
	struct run_ids ids;
	int code;

	CU_ASSERT_EQUAL_FATAL(
		archive_select(bench->archive, NULL, 0, SELECT_ALL_IF_NONE, &ids, err), 0);
	code = compare_runs(bench->archive, &ids, request, comparison, err);
	run_ids_release(&ids);
	return code;
}

void bench_compare(struct bench *bench, const struct compare_request *request,
		   struct comparison *comparison)
{
	struct err err = {0};

	if (compare_all(bench, request, comparison, &err)) {
		fprintf(stderr, "\n    %s\n", err.text);
		CU_FAIL_FATAL("the runs are not compared");
	}
}

void bench_refused(struct bench *bench, const struct compare_request *request, struct err *err)
{
	struct comparison comparison;

	CU_ASSERT_EQUAL(compare_all(bench, request, &comparison, err), ERR_USAGE);
}

double normal(struct rng *rng)
{
	double u = ((double)(rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
	double v = ((double)(rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v); /* Box and Muller 1958 */
}

const struct compared_row *row_of(const struct comparison *comparison, const char *phase,
				  const char *operation, const char *metric)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared_row *row = &comparison->rows[i];

		if (!strcmp(row->phase, phase) && !strcmp(row->operation, operation) &&
		    !strcmp(row->metric, metric))
			return row;
	}
	fprintf(stderr, "\n    there is no row %s.%s.%s\n", phase, operation, metric);
	CU_FAIL_FATAL("a row is missing");
	return NULL;
}

const struct confounder *confounder_of(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->confounder_count; i++)
		if (!strcmp(comparison->confounders[i].name, name))
			return &comparison->confounders[i];
	return NULL;
}
