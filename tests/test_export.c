/* SPDX-License-Identifier: MIT */
/*
 * test_export.c - the JSON document of a run, read by SQLite's JSON functions: another reader
 * than any of ours.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "archive_fixture.h"
#include "export.h"
#include "suites.h"

struct document {
	sqlite3 *db; /* has the text in the table document, column body */
	char *text;
};

static void document_of(struct document *document, const struct archived_run *archived,
			bool with_histograms)
{
	sqlite3_stmt *insert;
	size_t size;
	FILE *out = open_memstream(&document->text, &size);

	export_json(out, archived, with_histograms);
	fclose(out);
	CU_ASSERT_EQUAL_FATAL(sqlite3_open(":memory:", &document->db), SQLITE_OK);
	sqlite3_exec(document->db, "CREATE TABLE document (body TEXT)", NULL, NULL, NULL);
	sqlite3_prepare_v2(document->db, "INSERT INTO document VALUES (?1)", -1, &insert, NULL);
	sqlite3_bind_text(insert, 1, document->text, -1, SQLITE_STATIC);
	CU_ASSERT_EQUAL(sqlite3_step(insert), SQLITE_DONE);
	sqlite3_finalize(insert);
}

static void document_release(struct document *document)
{
	sqlite3_close(document->db);
	free(document->text);
}

/* The answer to one question about the document, the caller's to free. */
static char *question(const struct document *document, const char *sql)
{
	sqlite3_stmt *statement;
	const char *answer = NULL;

	CU_ASSERT_EQUAL_FATAL(sqlite3_prepare_v2(document->db, sql, -1, &statement, NULL),
			      SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW)
		answer = (const char *)sqlite3_column_text(statement, 0);
	answer = strdup(answer ? answer : "nothing");
	sqlite3_finalize(statement);
	return (char *)answer;
}

static void check_document(const struct document *document, const char *sql, const char *wanted,
			   int line)
{
	char *got = question(document, sql);
	bool equal = !strcmp(got, wanted);

	if (!equal)
		fprintf(stderr, "\n    line %d: %s\n      wanted %s\n      got    %s\n", line, sql,
			wanted, got);
	CU_assertImplementation(equal, (unsigned)line, "the document says it", "", "", CU_FALSE);
	free(got);
}

/* What stands at a path, as JSON; the text of a string; the keys of an object. */
#define AT(path) "SELECT body -> '" path "' FROM document"
#define TEXT_AT(path) "SELECT body ->> '" path "' FROM document"
#define KEYS_AT(path) \
	"SELECT group_concat(key, ' ') FROM document, json_each(body, '" path "')"
#define CHECK_DOCUMENT(document, sql, wanted) check_document(document, sql, wanted, __LINE__)

/* An archived run with one full measurement and one bare one, read back from an archive. */
static void load_sample(struct archived_run *archived)
{
	struct measurement bare;
	struct archive *archive;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, "sample");
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	archive_run(archive, &run, 1, NULL);
	measurement_init(&bare, "skipped_phase");
	bare.status = STATUS_SKIPPED;
	CU_ASSERT_EQUAL(archive_add(archive, run.id, &bare, NULL), 0);
	measurement_release(&bare);
	CU_ASSERT_EQUAL(archive_finish(archive, &run, "complete", NULL), 0);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, run.id, LOAD_ALL, archived, NULL), 0);
	archive_close(archive);
	run_release(&run);
	scratch_remove(&scratch);
}

static void keys(void)
{
	struct archived_run archived;
	struct document d;

	load_sample(&archived);
	document_of(&d, &archived, true);
	CHECK_DOCUMENT(&d, "SELECT json_valid(body) FROM document", "1");
	CHECK_DOCUMENT(&d, KEYS_AT("$"), "assay schema run measurements");
	CHECK_DOCUMENT(&d, KEYS_AT("$.run"),
		       "id uuid series round source version status label profile seed command "
		       "started_at finished_at facts tags notes");
	CHECK_DOCUMENT(&d, KEYS_AT("$.run.notes[0]"), "at text");
	CHECK_DOCUMENT(
		&d, KEYS_AT("$.measurements[0]"),
		"id phase parameters status message started_at elapsed_ns flags metrics devices "
		"samples histograms");
	CHECK_DOCUMENT(&d, KEYS_AT("$.measurements[0].flags[0]"), "code severity message");
	CHECK_DOCUMENT(&d, KEYS_AT("$.measurements[0].metrics[0]"),
		       "operation metric value unit better headline");
	CHECK_DOCUMENT(&d, KEYS_AT("$.measurements[0].devices[0]"),
		       "name reads read_bytes writes write_bytes flushes busy_ns queue_ns");
	CHECK_DOCUMENT(&d, KEYS_AT("$.measurements[0].samples[0]"),
		       "at_ns operation count bytes latency_p99 latency_max");
	CHECK_DOCUMENT(&d, KEYS_AT("$.measurements[0].histograms[0]"),
		       "operation scheme count min_ns max_ns sum_ns sum_squares buckets");
	document_release(&d);
	document_of(&d, &archived, false);
	CHECK_DOCUMENT(
		&d, KEYS_AT("$.measurements[0]"),
		"id phase parameters status message started_at elapsed_ns flags metrics devices "
		"samples");
	document_release(&d);
	archived_run_release(&archived);
}

static void numbers(void)
{
	struct archived_run archived;
	struct document d;

	load_sample(&archived);
	document_of(&d, &archived, true);
	CHECK_DOCUMENT(&d, AT("$.schema"), "1");
	CHECK_DOCUMENT(&d, AT("$.run.seed"), "18446744073709551614");
	CHECK_DOCUMENT(&d, AT("$.run.facts.memory_bytes"), "9223372036854775807");
	CHECK_DOCUMENT(&d, AT("$.run.facts.rotational"), "0");
	CHECK_DOCUMENT(&d, AT("$.run.facts.load_1min"), "0.10000000000000001");
	CHECK_DOCUMENT(&d, AT("$.run.facts.looks_like_a_number"), "\"0123\"");
	CHECK_DOCUMENT(&d, AT("$.run.facts.empty"), "\"\"");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].parameters.block_size"), "18446744073709551615");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].parameters.digits"), "\"42\"");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].parameters.none"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].elapsed_ns"), "18446744073709551615");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].devices[0].writes"), "9223372036854775808");
	CHECK_DOCUMENT(&d,
		       "SELECT json_each.value -> 'value' FROM document, json_each(body, "
		       "'$.measurements[0].metrics') WHERE json_each.value ->> 'metric' = "
		       "'records_per_flush'",
		       "0.33333333333333331");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].metrics[0].headline"), "true");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].metrics[1].headline"), "false");
	document_release(&d);
	archived_run_release(&archived);
}

static void absence(void)
{
	struct archived_run archived;
	struct document d;

	load_sample(&archived);
	document_of(&d, &archived, true);
	CHECK_DOCUMENT(&d, AT("$.measurements[1].message"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[1].started_at"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[1].elapsed_ns"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[1].metrics"), "[]");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].samples[0].latency_p99"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].histograms[1].count"), "0");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].histograms[1].min_ns"), "null");
	CHECK_DOCUMENT(&d, AT("$.measurements[0].histograms[1].buckets"), "[]");
	CHECK_DOCUMENT(
		&d,
		"SELECT json_each.value -> 'value' FROM document, json_each(body, "
		"'$.measurements[0].metrics') WHERE json_each.value ->> 'metric' = 'cpu_user'",
		"null");
	CHECK_DOCUMENT(&d,
		       "SELECT json_each.value -> 'better' FROM document, json_each(body, "
		       "'$.measurements[0].metrics') WHERE json_each.value ->> 'metric' = 'count'",
		       "null");
	document_release(&d);
	archived_run_release(&archived);
}

/* One that was never archived, of a program that has no seed. */
static void a_held_run(void)
{
	struct archived_run held = {0};
	struct document d;

	CU_ASSERT_EQUAL_FATAL(run_init(&held.run, NULL), 0);
	document_of(&d, &held, false);
	CHECK_DOCUMENT(&d, AT("$.run.id"), "null");
	CHECK_DOCUMENT(&d, AT("$.run.series"), "null");
	CHECK_DOCUMENT(&d, AT("$.run.seed"), "null");
	CHECK_DOCUMENT(&d, AT("$.run.label"), "null");
	CHECK_DOCUMENT(&d, AT("$.run.finished_at"), "null");
	CHECK_DOCUMENT(&d, AT("$.run.facts"), "{}");
	CHECK_DOCUMENT(&d, AT("$.run.notes"), "[]");
	CHECK_DOCUMENT(&d, AT("$.measurements"), "[]");
	document_release(&d);
	archived_run_release(&held);
}

static void hostile_text(void)
{
	struct archived_run archived;
	struct document d;

	load_sample(&archived);
	document_of(&d, &archived, true);
	CHECK_DOCUMENT(&d, TEXT_AT("$.run.facts.mount_options"), HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.run.facts.target"), "/srv/" HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.run.tags.why"), HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.run.notes[0].text"), HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.measurements[0].message"), HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.measurements[0].flags[0].message"), HOSTILE_TEXT);
	CHECK_DOCUMENT(&d, TEXT_AT("$.measurements[0].parameters.operation"), HOSTILE_TEXT);
	document_release(&d);
	archived_run_release(&archived);
}

static uint128 parse_wide(const char *digits)
{
	uint128 number = 0;

	for (; *digits; digits++)
		number = number * 10 + (unsigned)(*digits - '0');
	return number;
}

static uint64_t number_at(const struct document *document, const char *sql)
{
	char *text = question(document, sql);
	uint64_t number = strtoull(text, NULL, 10);

	free(text);
	return number;
}

/* Puts the buckets of the document's first histogram into histogram. */
static void read_buckets(const struct document *document, struct histogram *histogram)
{
	static const char sql[] =
		"SELECT json_each.value ->> 0, json_each.value ->> 1 FROM document,"
		" json_each(body, '$.measurements[0].histograms[0].buckets')";
	sqlite3_stmt *statement;

	CU_ASSERT_EQUAL_FATAL(sqlite3_prepare_v2(document->db, sql, -1, &statement, NULL),
			      SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		unsigned bucket = histogram_bucket((uint64_t)sqlite3_column_int64(statement, 0));

		CU_ASSERT_EQUAL(histogram->buckets[bucket], 0);
		histogram->buckets[bucket] = (uint64_t)sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
}

#define HISTOGRAM_AT(member) AT("$.measurements[0].histograms[0]." member)

static void histograms(void)
{
	struct archived_run archived;
	struct histogram *read = malloc(sizeof(*read));
	struct document d;
	char *squares;

	CU_ASSERT_PTR_NOT_NULL_FATAL(read);
	load_sample(&archived);
	document_of(&d, &archived, true);
	CHECK_DOCUMENT(&d, TEXT_AT("$.measurements[0].histograms[0].operation"), "read");
	CHECK_DOCUMENT(&d, TEXT_AT("$.measurements[0].histograms[0].scheme"), "loglinear-6-46");
	histogram_init(read);
	read->count = number_at(&d, HISTOGRAM_AT("count"));
	read->min = number_at(&d, HISTOGRAM_AT("min_ns"));
	read->max = number_at(&d, HISTOGRAM_AT("max_ns"));
	read->sum = number_at(&d, HISTOGRAM_AT("sum_ns"));
	squares = question(&d, TEXT_AT("$.measurements[0].histograms[0].sum_squares"));
	read->sum_squares = parse_wide(squares);
	CU_ASSERT(strlen(squares) > 20); /* beyond 64 bits, or this shows nothing */
	read_buckets(&d, read);
	CU_ASSERT_EQUAL(
		memcmp(read, &archived.measurements[0].histograms[0].histogram, sizeof(*read)), 0);
	free(squares);
	free(read);
	document_release(&d);
	archived_run_release(&archived);
}

static const struct test tests[] = {
	{"the document has the documented keys in their order", keys},
	{"numbers are whole, whatever their size", numbers},
	{"what there is none of is null", absence},
	{"a run that is in no archive has a document too", a_held_run},
	{"hostile text comes out as it went in", hostile_text},
	{"a histogram can be rebuilt from the document bit by bit", histograms},
	{NULL, NULL},
};

const struct suite suite_export = {"export", tests};
