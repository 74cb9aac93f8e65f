/* SPDX-License-Identifier: MIT */
/*
 * test_compare_report.c - comparisons as readers and programs get them: golden files, and what each
 * format promises.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "compare_fixture.h"
#include "golden.h"
#include "report.h"
#include "suites.h"

static const struct compare_request by_scheduler = {
	.by = {"scheduler"}, .by_count = 1, .margin = COMPARE_MARGIN};

static char *rendered(const struct comparison *comparison, const struct format *format,
		      unsigned width)
{
	const struct format_options options = {.width = width};
	struct err err = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_EQUAL(report_compare(comparison, format, &options, out, &err), 0);
	fclose(out);
	return text;
}

static void check_rendered(const struct comparison *comparison, const struct format *format,
			   unsigned width, const char *name)
{
	char *text = rendered(comparison, format, width);

	check_golden(name, text);
	free(text);
}

/* ---- a battery under two schedulers ---------------------------------------------------------- */

static void add_random(struct bench *bench, int i, bool other)
{
	static const double noise[] = {1, 1.01, 0.985, 1.005};

	bench_measure(bench, "random", "block_size=8192,engine=io_uring,queue_depth=1");
	bench_value(bench, "read", "rate", 11000 * noise[i] * (other ? 0.9 : 1));
	bench_value(bench, "read", "latency_p99", 520000 * noise[3 - i] * (other ? 1.01 : 1));
	bench_measure(bench, "random", "block_size=8192,engine=io_uring,queue_depth=32");
	bench_value(bench, "read", "rate", 97000 * noise[i] * (other ? 1.3 : 1));
	bench_value(bench, "read", "latency_p99",
		    1810000 * pow(noise[i], other ? 20 : 9) * (other ? 1.2 : 1));
}

static void add_files(struct bench *bench, int i, bool other)
{
	struct measurement *measurement =
		bench_measure(bench, "block_read", "block_size=8192,io=buffered,size=1073741824");

	bench_value(bench, "read", "throughput", 2.3e9 + 1e7 * i);
	if (other && i == 1)
		measurement_flag(measurement, SEVERITY_VOID, "cached", "2.3 %% came from the "
								       "device");
	measurement = bench_measure(bench, "seeks",
				    "block_size=8192,io=buffered,seekers=3,size=1073741824");
	bench_value(bench, "seek", "rate", other ? NAN : 9100 + 70 * i);
	if (other) {
		measurement->status = STATUS_FAILED;
		snprintf(measurement->message, sizeof(measurement->message),
			 "read seeks.data: Input/output error");
	}
}

/* Four rounds of none, four of bfq. */
static void make_battery(struct bench *bench)
{
	for (int i = 0; i < 8; i++) {
		struct run *run = bench_run(bench);
		bool other = i >= 4;

		facts_set_text(&run->facts, "scheduler", other ? "bfq" : "none");
		facts_set_text(&run->facts, "kernel", i > 5 ? "6.1.0-18-amd64" : "6.1.0-13-amd64");
		facts_set_integer(&run->facts, "nr_requests", other ? 256 : 1023);
		facts_set_integer(&run->facts, "scheduler.low_latency", 1);
		if (!other)
			facts_set_text(&run->facts, "wbt_lat_usec", "2000");
		if (!other)
			facts_set_text(&run->facts, "fua", "no");
		add_files(bench, i % 4, other);
		add_random(bench, i % 4, other);
		if (i < 5) {
			bench_measure(bench, "wal_commit", "clients=8,record_size=512");
			bench_value(bench, "commit", "rate", 30000 + 1000 * i);
		}
		bench_done(bench);
	}
}

static void battery(struct comparison *comparison, const struct compare_request *request)
{
	struct bench bench;

	bench_open(&bench);
	make_battery(&bench);
	bench_compare(&bench, request, comparison);
	bench_close(&bench);
}

static void golden_battery(void)
{
	struct comparison comparison;

	battery(&comparison, &by_scheduler);
	check_rendered(&comparison, &format_text, 80, "compare.txt");
	check_rendered(&comparison, &format_markdown, 80, "compare.md");
	check_rendered(&comparison, &format_csv, 80, "compare.csv");
	check_rendered(&comparison, &format_json, 80, "compare.json");
	comparison_release(&comparison);
}

static void golden_only_changed(void)
{
	struct compare_request request = by_scheduler;
	struct comparison comparison;

	request.only_changed = true;
	request.baseline = "bfq";
	battery(&comparison, &request);
	check_rendered(&comparison, &format_text, 80, "compare_changed.txt");
	comparison_release(&comparison);
}

/* ---- more groups than fit -------------------------------------------------------------------- */

static void make_many(struct comparison *comparison, bool long_names, size_t runs)
{
	static const char *const names[] = {"none", "mq-deadline", "bfq", "kyber", "cfq"};
	struct compare_request request = by_scheduler;
	struct bench bench;

	bench_open(&bench);
	for (size_t i = 0; i < 5 * runs; i++) {
		char facts[200];

		snprintf(facts, sizeof(facts), "scheduler=%s%s", names[i % 5],
			 long_names ? " with a description far too long for a column" : "");
		bench_simple(&bench, facts, 1000.0 + (double)(100 * (i % 5) + i / 5));
	}
	bench_compare(&bench, &request, comparison);
	bench_close(&bench);
}

static void golden_many_groups(void)
{
	struct comparison comparison;

	make_many(&comparison, false, 3);
	check_rendered(&comparison, &format_text, 80, "compare_many.txt");
	check_rendered(&comparison, &format_text, 200, "compare_many_wide.txt");
	comparison_release(&comparison);
	make_many(&comparison, true, 1);
	check_rendered(&comparison, &format_text, 80, "compare_letters.txt");
	comparison_release(&comparison);
}

/* No line is wider than the terminal, and no group is lost. */
static void widths(void)
{
	static const unsigned all[] = {80, 100, 132, 200};
	struct comparison comparison;

	make_many(&comparison, false, 3);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *text = rendered(&comparison, &format_text, all[i]);

		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			CU_ASSERT_TRUE(strcspn(line, "\n") <= all[i]);
		for (size_t g = 0; g < comparison.group_count; g++)
			CHECK_SAYS(text, comparison.groups[g].title);
		CU_ASSERT_PTR_NULL(strstr(text, "left out for width"));
		free(text);
	}
	comparison_release(&comparison);
}

/* Verdicts have a colour where there is any, and are words all the same. */
static void colours(void)
{
	const struct format_options options = {.width = 80, .colour = true};
	struct comparison comparison;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	battery(&comparison, &by_scheduler);
	CU_ASSERT_EQUAL(report_compare(&comparison, &format_text, &options, out, NULL), 0);
	fclose(out);
	CHECK_SAYS(text, "\x1b[32m+30.0 % better\x1b[0m\n");
	CHECK_SAYS(text, "\x1b[31m-10.0 % worse\x1b[0m\n");
	free(text);
	text = rendered(&comparison, &format_text, 80);
	CU_ASSERT_PTR_NULL(strchr(text, '\x1b'));
	free(text);
	comparison_release(&comparison);
}

/* ---- texts from outside ---------------------------------------------------------------------- */

static void make_hostile(struct comparison *comparison)
{
	static const struct compare_request request = {.margin = COMPARE_MARGIN};
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 2; i++) {
		struct run *run = bench_run(&bench);
		struct measurement *measurement;

		run_set_text(&run->label, i ? HOSTILE_TEXT : "<script>alert(1)</script>");
		facts_set_text(&run->facts, "kernel", i ? HOSTILE_TEXT : "6.1");
		measurement = bench_measure(&bench, "random", NULL);
		measurement_add_parameter(measurement, "job", value_text("a|b,\"c\"\n\x1b[31m"));
		bench_value(&bench, "read", "rate", i ? NAN : 1);
		bench_value(&bench, "write", "rate", 1 + i);
		if (i) {
			measurement_flag(measurement, SEVERITY_VOID, "cached", "%s", HOSTILE_TEXT);
			measurement->status = STATUS_FAILED;
			snprintf(measurement->message, sizeof(measurement->message), "%s",
				 HOSTILE_TEXT);
		}
		bench_done(&bench);
	}
	bench_compare(&bench, &request, comparison);
	bench_close(&bench);
}

static void hostile_texts(void)
{
	struct comparison comparison;
	char *text;

	make_hostile(&comparison);
	check_rendered(&comparison, &format_text, 80, "compare_hostile.txt");
	check_rendered(&comparison, &format_markdown, 80, "compare_hostile.md");
	text = rendered(&comparison, &format_text, 80);
	for (const char *c = text; *c; c++)
		CU_ASSERT_TRUE(*c == '\n' || (unsigned char)*c >= ' ');
	free(text);
	text = rendered(&comparison, &format_markdown, 80);
	CU_ASSERT_PTR_NULL(strstr(text, "<script>"));
	free(text);
	comparison_release(&comparison);
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* Reads one field of RFC 4180; *end tells what followed: ',' or '\n' (of CR LF), else 0. */
static const char *read_field(const char *at, char *end)
{
	if (*at == '"') {
		for (at++; *at && (*at != '"' || at[1] == '"'); at++)
			at += *at == '"';
		at += *at == '"';
	} else {
		at += strcspn(at, ",\"\r\n");
	}
	*end = *at == ',' ? ',' : at[0] == '\r' && at[1] == '\n' ? '\n' : 0;
	return at + (*end == ',' ? 1 : *end ? 2 : 0);
}

static void csv_by_rfc_4180(void)
{
	enum { FIELDS = 18 };
	struct comparison comparison;
	size_t records = 0, fields = 0;
	char *text, end = 1;

	make_hostile(&comparison);
	text = rendered(&comparison, &format_csv, 80);
	for (const char *at = text; *at && end;) {
		at = read_field(at, &end);
		CU_ASSERT_NOT_EQUAL(end, 0);
		fields++;
		if (end == '\n') {
			CU_ASSERT_EQUAL(fields, FIELDS);
			records++;
			fields = 0;
		}
	}
	CU_ASSERT_EQUAL(fields, 0);
	CU_ASSERT_EQUAL(records, 1 + comparison.row_count * comparison.group_count);
	free(text);
	comparison_release(&comparison);
}

/* The first column of the first row of a question about the text, ?1; the caller's to free. */
static char *asked(const char *text, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	char *answer;

	CU_ASSERT_EQUAL_FATAL(sqlite3_open(":memory:", &db), SQLITE_OK);
	CU_ASSERT_EQUAL_FATAL(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	CU_ASSERT_EQUAL(sqlite3_step(statement), SQLITE_ROW);
	answer = strdup(sqlite3_column_text(statement, 0)
				? (const char *)sqlite3_column_text(statement, 0)
				: "null");
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return answer;
}

static void check_asked(const char *text, const char *sql, const char *wanted, int line)
{
	char *got = asked(text, sql);

	if (strcmp(got, wanted) != 0)
		fprintf(stderr, "\n    line %d: wanted %s, got %s\n", line, wanted, got);
	CU_ASSERT_STRING_EQUAL(got, wanted);
	free(got);
}
#define CHECK_ASKED(text, sql, wanted) check_asked(text, sql, wanted, __LINE__)

/* The keys of an object of the document, in its order. */
#define KEYS(path) "SELECT group_concat(key, ' ') FROM json_each(?1, '" path "')"

static void json_as_documented(void)
{
	struct comparison comparison;
	char *text;

	battery(&comparison, &by_scheduler);
	text = rendered(&comparison, &format_json, 80);
	CHECK_ASKED(text, "SELECT json_valid(?1)", "1");
	CHECK_ASKED(text, KEYS("$"), "by groups base confounders rows");
	CHECK_ASKED(text, KEYS("$.groups[0]"), "name values runs");
	CHECK_ASKED(text, KEYS("$.confounders[0]"), "fact values");
	CHECK_ASKED(text, KEYS("$.confounders[0].values"), "none bfq");
	CHECK_ASKED(text, KEYS("$.rows[0]"),
		    "phase operation parameters metric unit better headline cells");
	CHECK_ASKED(text, KEYS("$.rows[0].cells[1]"),
		    "group n median low high delta delta_low delta_high verdict detectable reason");
	CHECK_ASKED(text, "SELECT ?1 ->> '$.groups[1].values.scheduler'", "bfq");
	CHECK_ASKED(text, "SELECT ?1 -> '$.groups[1].runs'", "[5,6,7,8]");
	CHECK_ASKED(text, "SELECT ?1 ->> '$.base'", "none");
	CHECK_ASKED(text, "SELECT ?1 -> '$.confounders[1]'",
		    "{\"fact\":\"nr_requests\",\"values\":{\"none\":[1023],\"bfq\":[256]}}");
	CHECK_ASKED(text, "SELECT json_type(?1, '$.rows[0].headline')", "true");
	CHECK_ASKED(text, "SELECT json_type(?1, '$.rows[0].cells[0].delta')", "null");
	CHECK_ASKED(text, "SELECT count(*) = 14 FROM json_each(?1, '$.rows') AS r,"
		    " json_each(r.value, '$.cells')",
		    "1");
	free(text);
	comparison_release(&comparison);
}

static void json_of_hostile_texts(void)
{
	struct comparison comparison;
	char *text;

	make_hostile(&comparison);
	text = rendered(&comparison, &format_json, 80);
	CHECK_ASKED(text, "SELECT json_valid(?1)", "1");
	CHECK_ASKED(text, "SELECT ?1 ->> '$.groups[0].name'", "<script>alert(1)</script>");
	CHECK_ASKED(text, "SELECT ?1 ->> '$.groups[1].name'", HOSTILE_TEXT);
	CHECK_ASKED(text, "SELECT ?1 -> '$.by'", "[]");
	CHECK_ASKED(text, "SELECT ?1 -> '$.groups[0].values'", "{}");
	free(text);
	comparison_release(&comparison);
}

static const struct test tests[] = {
	{"a battery under two schedulers is reported as it was in every format", golden_battery},
	{"only what changed is reported as it was, against another base", golden_only_changed},
	{"more groups than fit stand in several tables", golden_many_groups},
	{"no line is wider than the terminal and no group is lost", widths},
	{"better is green and worse red on a terminal alone", colours},
	{"texts from outside stay texts", hostile_texts},
	{"csv is read by the rules of RFC 4180", csv_by_rfc_4180},
	{"json has the documented keys, types and order", json_as_documented},
	{"json keeps every text from outside", json_of_hostile_texts},
	{NULL, NULL},
};

const struct suite suite_compare_report = {"compare_report", tests};
