/* SPDX-License-Identifier: MIT */
/*
 * test_query.c - the terms that name runs, the list of runs, and the two public views.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "archive_fixture.h"
#include "suites.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { TERMS_MAX = 6 };

/* Runs 1 to 6 of the archive that every selector is tried on. */
static const struct {
	const char *uuid, *started_at, *label, *status, *host, *scheduler, *rack;
	int64_t cpus;
} canned[] = {
	{"aaaa1111-0000-4000-8000-000000000001", "2025-12-31T23:59:59.999Z", "old", "complete",
	 "db1", "none", NULL, 2},
	{"aaaa2222-0000-4000-8000-000000000002", "2026-01-01T00:00:00.000Z", "twin", "complete",
	 "db1", "bfq", "b7", 4},
	{"bbbb3333-0000-4000-8000-000000000003", "2026-01-31T12:30:00.000Z", "twin", "failed",
	 "db2", "mq-deadline", "b8", 8},
	{"cccc4444-0000-4000-8000-000000000004", "2026-02-01T00:00:00.000Z", "cafe", "complete",
	 "web", "bfq", NULL, 16},
	{"cafe5555-0000-4000-8000-000000000005", "2026-02-28T00:00:00.000Z", "with [brackets]*?",
	 "complete", "web", NULL, NULL, 16},
	{"dddd6666-0000-4000-8000-000000000006", "2026-03-01T00:00:00.000Z", NULL, "complete",
	 "db10", "none", "b7", 16},
};

static void make_canned(struct scratch *scratch)
{
	struct archive *archive;

	scratch_make(scratch);
	archive = must_open(scratch->path, ARCHIVE_WRITE);
	for (size_t i = 0; i < COUNT_OF(canned); i++) {
		struct run run;

		CU_ASSERT_EQUAL_FATAL(run_init(&run, NULL), 0);
		snprintf(run.uuid, sizeof(run.uuid), "%s", canned[i].uuid);
		snprintf(run.started_at, sizeof(run.started_at), "%s", canned[i].started_at);
		run_set_text(&run.source, "assay");
		run_set_text(&run.label, canned[i].label);
		facts_set_text(&run.facts, "host", canned[i].host);
		facts_set_text(&run.facts, "scheduler", canned[i].scheduler);
		facts_set_integer(&run.facts, "cpu_count", canned[i].cpus);
		facts_set_text(&run.tags, "rack", canned[i].rack);
		CU_ASSERT_EQUAL(archive_run(archive, &run, i == 1 ? 2 : 0, canned[i].status),
				(int64_t)i + 1);
		run_release(&run);
	}
	archive_close(archive);
}

/* "2 3", or the sentence of the refusal. */
static const char *selected(const char *path, const char *const terms[], unsigned flags, char *text,
			    size_t size)
{
	struct archive *archive = must_open(path, ARCHIVE_READ);
	struct run_ids ids;
	struct err err = {0};
	size_t count = 0, used = 0;
	int rc;

	while (terms[count])
		count++;
	rc = archive_select(archive, terms, count, flags, &ids, &err);
	archive_close(archive);
	text[0] = '\0';
	if (rc) {
		CU_ASSERT_EQUAL(rc, ERR_USAGE);
		CU_ASSERT_PTR_NULL(ids.items);
		snprintf(text, size, "%s", err.text);
		return text;
	}
	for (size_t i = 0; i < ids.count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? " " : "",
					 (long long)ids.items[i]);
	run_ids_release(&ids);
	return text;
}

struct selection {
	const char *terms[TERMS_MAX]; /* ends with NULL */
	const char *wanted;           /* ids, or a part of the refusal */
};

static void check_selections(const struct selection *selections, size_t count, unsigned flags,
			     bool refused)
{
	struct scratch scratch;
	char text[1000];

	make_canned(&scratch);
	for (size_t i = 0; i < count; i++) {
		const char *got =
			selected(scratch.path, selections[i].terms, flags, text, sizeof(text));
		bool fits = refused ? strstr(got, selections[i].wanted) != NULL
				    : !strcmp(got, selections[i].wanted);

		if (!fits)
			fprintf(stderr, "\n    %s %s: wanted \"%s\", got \"%s\"\n",
				selections[i].terms[0],
				selections[i].terms[0] && selections[i].terms[1]
					? selections[i].terms[1]
					: "",
				selections[i].wanted, got);
		CU_ASSERT_TRUE(fits);
	}
	scratch_remove(&scratch);
}

#define CHECK_SELECTED(selections, flags) \
	check_selections(selections, COUNT_OF(selections), flags, false)
#define CHECK_REFUSED(selections, flags) \
	check_selections(selections, COUNT_OF(selections), flags, true)

static void plain_terms(void)
{
	static const struct selection selections[] = {
		{{"3"}, "3"},
		{{"003"}, "3"},
		{{"aaaa1"}, "1"},
		{{"AAAA2222-0000"}, "2"},
		{{"aaaa22220000"}, "2"},
		{{"bbbb3333-0000-4000-8000-000000000003"}, "3"},
		{{"old"}, "1"},
		{{"twin"}, "2 3"},
		{{"cafe"}, "4"}, /* a label before a UUID */
		{{"cafe5"}, "5"},
		{{"with [brackets]*?"}, "5"},
		{{"latest"}, "6"},
		{{"latest~0"}, "6"},
		{{"latest~5"}, "1"},
	};

	CHECK_SELECTED(selections, 0);
}

static void terms_are_ored(void)
{
	static const struct selection selections[] = {
		{{"latest", "1"}, "1 6"},
		{{"twin", "2", "latest~4"}, "2 3"},
		{{"5", "old", "twin"}, "1 2 3 5"},
	};

	CHECK_SELECTED(selections, 0);
}

static void filters(void)
{
	static const struct selection selections[] = {
		{{"scheduler=bfq"}, "2 4"},
		{{"scheduler=*"}, "1 2 3 4 6"},
		{{"host=db?"}, "1 2 3"},
		{{"host=db*"}, "1 2 3 6"},
		{{"scheduler=*-*"}, "3"},
		{{"cpu_count=16"}, "4 5 6"},
		{{"rack=b?"}, "2 3 6"},
		{{"label=twin"}, "2 3"},
		{{"label="}, "6"},
		{{"label=with [brackets]??"}, "5"},
		{{"label=with [brackets]*"}, "5"},
		{{"status=failed"}, "3"},
		{{"id=1*"}, "1"},
		{{"uuid=aaaa*"}, "1 2"},
		{{"source=assay"}, "1 2 3 4 5 6"},
	};

	CHECK_SELECTED(selections, 0);
}

static void filters_are_anded(void)
{
	static const struct selection selections[] = {
		{{"scheduler=bfq", "host=db*"}, "2"},
		{{"host=db*", "twin"}, "2 3"},
		{{"twin", "latest", "scheduler=none"}, "6"},
		{{"1", "2", "3", "rack=*", "scheduler=bfq"}, "2"},
	};

	CHECK_SELECTED(selections, 0);
}

static void moments(void)
{
	static const struct selection selections[] = {
		{{"since=2026-01-01"}, "2 3 4 5 6"},
		{{"until=2025-12-31"}, "1"},
		{{"since=2026-01-31", "until=2026-01-31"}, "3"}, /* that whole day */
		{{"since=2026-02"}, "4 5 6"},
		{{"until=2026"}, "1 2 3 4 5 6"},
		{{"until=2025"}, "1"},
		{{"since=2026-01-31T12:30"}, "3 4 5 6"},
		{{"since=2026-01-31 12:31"}, "4 5 6"},
		{{"since=2026-01-31T12:30:00.001Z"}, "4 5 6"},
		{{"until=2026-01-31T12:29:59"}, "1 2"},
	};

	CHECK_SELECTED(selections, 0);
}

static void refusals(void)
{
	static const struct selection selections[] = {
		{{NULL}, "no run is named"},
		{{"7"}, "\"7\""},
		{{"aaaa"}, "begins the UUIDs of runs 1 and 2"},
		{{"aaa"}, "\"aaa\""}, /* too short for a UUID */
		{{"latest~6"}, "latest~6"},
		{{"latest~6"}, "holds 6 runs only"},
		{{"latest~x"}, "\"latest~x\""},
		{{"twins"}, "is \"twin\" meant?"},
		{{"scheduler=kyber"}, "no run in"},
		{{"scheduler=kyber"}, "fits scheduler=kyber"},
		{{"shceduler=bfq"}, "is \"scheduler\" meant?"},
		{{"lable=twin"}, "is \"label\" meant?"},
		{{"nonsense_at_all=1"}, "has a fact, tag or column \"nonsense_at_all\""},
		{{"=x"}, "is not a filter"},
		{{"old", "scheduler=bfq"},
		 "none of the runs that the other terms leave fits scheduler=bfq"},
		{{"since=yesterday"}, "\"yesterday\" is not a date"},
		{{"since=2026-02-30"}, "is not a date"},
		{{"since=2026-13-01"}, "is not a date"},
		{{"until="}, "is not a date"},
		{{"since=2026-1-1"}, "is not a date"},
		{{"'; DROP TABLE run; --"}, "no run in"},
		{{"host='; DROP TABLE run; --"}, "no run in"},
	};

	CHECK_REFUSED(selections, 0);
}

static void one_run_is_needed(void)
{
	static const struct selection one[] = {{{"old"}, "1"},
					       {{"label=tw*", "status=failed"}, "3"}};
	static const struct selection several[] = {
		{{"twin"}, "\"twin\" names several runs: 2 and 3"},
		{{"1", "2"}, "several runs are named: 1 and 2"},
		{{"host=db*"}, "1, 2, 3 and 6"},
		{{NULL}, "no run is named"},
	};

	CHECK_SELECTED(one, SELECT_ONE);
	CHECK_REFUSED(several, SELECT_ONE);
}

static void none_means_all(void)
{
	static const struct selection all[] = {{{NULL}, "1 2 3 4 5 6"}, {{"scheduler=bfq"}, "2 4"}};

	CHECK_SELECTED(all, SELECT_ALL_IF_NONE);
}

static void an_empty_archive(void)
{
	static const char *const none[] = {NULL}, *const latest[] = {"latest", NULL},
				 *const filter[] = {"host=db1", NULL};
	struct scratch scratch;
	char text[1000];

	scratch_make(&scratch);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CU_ASSERT_STRING_EQUAL(selected(scratch.path, none, SELECT_ALL_IF_NONE, text, sizeof(text)),
			       "");
	CHECK_SAYS(selected(scratch.path, latest, 0, text, sizeof(text)), "holds no run yet");
	CHECK_SAYS(selected(scratch.path, filter, 0, text, sizeof(text)), "no run in");
	scratch_remove(&scratch);
}

/* Many ids do not fit one sentence: it says how many it leaves out. */
static void many_ids(void)
{
	static const char *const term[] = {"same", NULL};
	struct archive *archive;
	struct scratch scratch;
	char text[1000];

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	for (int i = 0; i < 100; i++) {
		struct run run;

		CU_ASSERT_EQUAL_FATAL(run_init(&run, NULL), 0);
		run_set_text(&run.label, "same");
		archive_run(archive, &run, 0, "complete");
		run_release(&run);
	}
	archive_close(archive);
	CHECK_SAYS(selected(scratch.path, term, SELECT_ONE, text, sizeof(text)), "1, 2, 3, ");
	CHECK_SAYS(text, " more; one is needed");
	scratch_remove(&scratch);
}

/* ---- lists ---- */

static int note_line(void *context, const struct run_line *line)
{
	FILE *out = context;

	fprintf(out, "%lld %s %s %s %s %s %lld %lld\n", (long long)line->id,
		line->label ? line->label : "-", line->host ? line->host : "-",
		line->scheduler ? line->scheduler : "-", line->status, line->started_at,
		(long long)line->round, (long long)line->measurements);
	return line->id == 6 ? 42 : 0;
}

static void a_list(void)
{
	int64_t wanted[] = {2, 5, 99, 6, 1}; /* one is gone; the visitor stops at 6 */
	struct run_ids ids = {.items = wanted, .count = COUNT_OF(wanted)};
	struct archive *archive;
	struct scratch scratch;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	make_canned(&scratch);
	archive = must_open(scratch.path, ARCHIVE_READ);
	CU_ASSERT_EQUAL(archive_list(archive, &ids, note_line, out, NULL), 42);
	archive_close(archive);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text,
			       "2 twin db1 bfq complete 2026-01-01T00:00:00.000Z 1 2\n"
			       "5 with [brackets]*? web - complete 2026-02-28T00:00:00.000Z 1 0\n"
			       "6 - db10 none complete 2026-03-01T00:00:00.000Z 1 0\n");
	free(text);
	scratch_remove(&scratch);
}

static void an_unknown_run(void)
{
	struct archived_run archived;
	struct archive *archive;
	struct scratch scratch;
	struct err err = {0};

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	CU_ASSERT_EQUAL(archive_load(archive, 12, LOAD_ALL, &archived, &err), ERR_USAGE);
	CHECK_SAYS(err.text, "no run 12 in the archive");
	archived_run_release(&archived); /* empty, so harmless */
	archive_close(archive);
	scratch_remove(&scratch);
}

/* ---- the public views ---- */

static void view_columns(void)
{
	struct scratch scratch;

	make_canned(&scratch);
	CHECK_ANSWER(scratch.path, "SELECT group_concat(name, ', ') FROM pragma_table_info('runs')",
		     "run_id, uuid, series, round, source, started_at, finished_at, status, label, "
		     "profile, host, kernel, target, filesystem, device, device_model, scheduler, "
		     "version");
	CHECK_ANSWER(scratch.path,
		     "SELECT group_concat(name, ', ') FROM pragma_table_info('results')",
		     "run_id, measurement_id, phase, operation, parameters, metric, value, unit, "
		     "better, "
		     "headline, flags");
	scratch_remove(&scratch);
}

static void view_values(void)
{
	struct scratch scratch;

	make_canned(&scratch);
	CHECK_ANSWER(scratch.path,
		     "SELECT run_id || ' ' || host || ' ' || ifnull(scheduler, '-') FROM runs"
		     " WHERE label LIKE 'tw%' OR scheduler IS NULL",
		     "2 db1 bfq\n3 db2 mq-deadline\n5 web -");
	CHECK_ANSWER(scratch.path,
		     "SELECT phase || ' ' || operation || ' ' || value || ' ' || unit || ' ' || "
		     "better || ' '"
		     " || flags || ' ' || (parameters ->> 'queue_depth')"
		     " FROM results WHERE metric = 'rate' AND headline = 1 AND run_id = 2"
		     " ORDER BY measurement_id",
		     "random read 5001.0 1/s higher cached,cpu_bound,foreign 0\n"
		     "random read 5001.0 1/s higher cached,cpu_bound,foreign 1");
	/* how many has no unit and no direction */
	CHECK_ANSWER(scratch.path,
		     "SELECT DISTINCT unit || '|' || (better IS NULL) FROM results WHERE metric = "
		     "'count'",
		     "|1");
	scratch_remove(&scratch);
}

/* Else a comparison over a large archive reads every value. */
static void headlines_come_from_their_index(void)
{
	static const char sql[] =
		"EXPLAIN QUERY PLAN SELECT scheduler, metric, avg(value) FROM results"
		" JOIN runs USING (run_id) WHERE headline = 1 GROUP BY 1, 2";
	sqlite3_stmt *statement;
	struct scratch scratch;
	bool found = false;
	sqlite3 *db;

	make_canned(&scratch);
	CU_ASSERT_EQUAL_FATAL(sqlite3_open(scratch.path, &db), SQLITE_OK);
	CU_ASSERT_EQUAL_FATAL(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		found = found || strstr((const char *)sqlite3_column_text(statement, 3),
					"USING COVERING INDEX metric_value_headline");
	CU_ASSERT_TRUE(found);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	scratch_remove(&scratch);
}

static const struct test tests[] = {
	{"a run is named by id, UUID, label or its place from the last", plain_terms},
	{"several terms name the runs of each, each once", terms_are_ored},
	{"a filter looks into facts, tags and columns, with wildcards", filters},
	{"filters are and-ed and restrict what other terms name", filters_are_anded},
	{"since and until take in as much as is given of a moment", moments},
	{"what names nothing is refused with the term and what is near", refusals},
	{"where one run is needed several are refused with their ids", one_run_is_needed},
	{"without terms every run can be meant", none_means_all},
	{"an empty archive holds nothing to name", an_empty_archive},
	{"a sentence lists the first of many ids", many_ids},
	{"a list visits the runs in order until the visitor stops it", a_list},
	{"a run that is not there is refused by its number", an_unknown_run},
	{"the public views have exactly the documented columns", view_columns},
	{"the public views show facts, flags, units and directions", view_values},
	{"headline values are read from an index of their own", headlines_come_from_their_index},
	{NULL, NULL},
};

const struct suite suite_query = {"query", tests};
