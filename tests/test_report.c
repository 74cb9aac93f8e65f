/* SPDX-License-Identifier: MIT */
/*
 * test_report.c - the reports of runs and lists.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "archive_fixture.h"
#include "golden.h"
#include "phase.h"
#include "printable.h"
#include "report.h"
#include "report/entries.h"
#include "report/flags.h"
#include "report_fixture.h"
#include "stats.h"
#include "suites.h"

/* ---- helpers --------------------------------------------------------------------------------- */

static char *held_text(const struct archived_run *runs, size_t count, const struct format *format,
		       unsigned width)
{
	struct format_options options = {.width = width};
	struct err err = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(report_held(runs, count, format, &options, out, &err), 0);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static void release_all(struct archived_run *runs, size_t count)
{
	while (count > 0)
		archived_run_release(&runs[--count]);
}

static void check_held_golden(void (*make)(struct archived_run *), const struct format *format,
			      const char *name)
{
	struct archived_run run;
	char *text;

	make(&run);
	text = held_text(&run, 1, format, 80);
	check_golden(name, text);
	free(text);
	archived_run_release(&run);
}

/* The line of text that starts with start, in storage the next call overwrites; "" for none. */
static const char *line_of(const char *text, const char *start)
{
	static char line[400];

	while (text && strncmp(text, start, strlen(start)) != 0) {
		text = strchr(text, '\n');
		text += text != NULL;
	}
	snprintf(line, sizeof(line), "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	return line;
}

/* Lines wider than width columns on a terminal that speaks UTF-8. */
static unsigned wide_lines(const char *text, unsigned width)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	char *copy = strdup(text), *rest = copy, *line;
	unsigned count = 0;

	while ((line = strsep(&rest, "\n"))) {
		count += printable_width(line) > width;
		if (printable_width(line) > width)
			printf("\n    %s", line);
	}
	free(copy);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return count;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((*text < ' ' && *text != '\n') || *text > '~')
			return false;
	return true;
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void check_spread(const double *values, size_t count, size_t kept, double median, double low,
			 double high)
{
	struct spread spread = stats_spread(values, count);

	CU_ASSERT_EQUAL(spread.count, kept);
	CU_ASSERT_EQUAL(spread.median, median);
	CU_ASSERT_EQUAL(spread.low, low);
	CU_ASSERT_EQUAL(spread.high, high);
}

static void test_spread(void)
{
	const double odd[] = {5, 1, 100}, even[] = {4, 1, 3, 2}, holes[] = {NAN, 7, INFINITY, -1};
	struct spread none = stats_spread(odd, 0);

	check_spread(odd, 3, 3, 5, 1, 100);
	check_spread(even, 4, 4, 2.5, 1, 4);
	check_spread(holes, 4, 2, 3, -1, 7);
	check_spread(odd, 1, 1, 5, 5, 5);
	CU_ASSERT_EQUAL(odd[0], 5); /* what was given is left alone */
	CU_ASSERT_EQUAL(none.count, 0);
	CU_ASSERT(isnan(none.median) && isnan(none.low) && isnan(none.high));
	CU_ASSERT_EQUAL(stats_spread(holes, 1).count, 0);
}

/* ---- one run --------------------------------------------------------------------------------- */

static void test_run_golden(void)
{
	check_held_golden(fixture_run, &format_text, "run.txt");
	check_held_golden(fixture_run, &format_markdown, "run.md");
	check_held_golden(fixture_run, &format_csv, "run.csv");
}

static void test_hostile_golden(void)
{
	check_held_golden(fixture_hostile, &format_text, "hostile.txt");
	check_held_golden(fixture_hostile, &format_markdown, "hostile.md");
	check_held_golden(fixture_hostile, &format_csv, "hostile.csv");
}

static void test_loads_golden(void)
{
	check_held_golden(fixture_loads, &format_text, "loads.txt");
}

/* The measurement of a load. */
static struct measurement *load_of(struct archived_run *run, const char *phase, uint64_t small)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct parameter *parameter =
			measurement_parameter(&run->measurements[i], "num_small");

		if (!strcmp(run->measurements[i].phase, phase) && parameter &&
		    parameter->value.number == small)
			return &run->measurements[i];
	}
	abort();
}

static void test_matrix_members(void)
{
	struct archived_run run;
	struct measurement *measurement;
	char *text, *at;

	fixture_loads(&run);
	measurement = load_of(&run, "oltp", 3);
	for (size_t i = 0; i < measurement->parameter_count; i++)
		if (!strcmp(measurement->parameters[i].name, "small_size"))
			measurement->parameters[i].value.number = 4096;
	text = held_text(&run, 1, &format_text, 200);
	at = strstr(text, "IOPS of small requests: small 8k, large 1m random");
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CHECK_SAYS(line_of(at, "          0  "), "9.26 k/s  18.5 k/s         -  37.0 k/s");
	CU_ASSERT_PTR_NULL(strstr(text, "small 4k, large")); /* one point is no matrix */
	free(text);
	archived_run_release(&run);
}

/* Says of each measurement which engine it had: of loads with one small request "sync". */
static void set_engines(struct archived_run *run, const char *others)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct measurement *measurement = &run->measurements[i];
		const struct parameter *small = measurement_parameter(measurement, "num_small");
		bool one = small && small->value.number == 1;

		measurement_add_parameter(measurement, "engine",
					  value_text(one ? "sync" : others));
	}
}

/* Moves the measurements of the second run to the end of the first. */
static void append_run(struct archived_run *run, struct archived_run *other)
{
	size_t count = run->measurement_count + other->measurement_count;

	run->measurements = realloc(run->measurements, count * sizeof(*run->measurements));
	CU_ASSERT_PTR_NOT_NULL_FATAL(run->measurements);
	memcpy(run->measurements + run->measurement_count, other->measurements,
	       other->measurement_count * sizeof(*run->measurements));
	run->measurement_count = count;
	other->measurement_count = 0;
}

/* Where each load has the engine that suits it, engines do not part the matrix. */
static void test_matrix_engines(void)
{
	struct archived_run run;
	char *text, *at;

	fixture_loads(&run);
	set_engines(&run, "io_uring");
	text = held_text(&run, 1, &format_text, 200);
	at = strstr(text, "IOPS of small requests: small 8k, large 1m random; outstanding");
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CHECK_SAYS(line_of(at, "          0  "), "9.26 k/s  18.5 k/s  27.8 k/s");
	CU_ASSERT_PTR_NULL(strstr(at + 1, "IOPS of small requests"));
	free(text);
	archived_run_release(&run);
}

/* Where two are compared, each has its own. */
static void test_matrix_engines_compared(void)
{
	struct archived_run runs[2];
	char *text;

	fixture_loads(&runs[0]);
	fixture_loads(&runs[1]);
	set_engines(&runs[0], "libaio");
	set_engines(&runs[1], "io_uring");
	append_run(&runs[0], &runs[1]);
	text = held_text(runs, 1, &format_text, 200);
	CHECK_SAYS(text, "IOPS of small requests: small 8k, large 1m random, engine libaio; ");
	CHECK_SAYS(text, "IOPS of small requests: small 8k, large 1m random, engine io_uring; ");
	free(text);
	release_all(runs, 2);
}

static void test_widths(void)
{
	static const unsigned widths[] = {64, 72, 80, 100, 132, 200};
	struct archived_run run, hostile, loads, series[FIXTURE_ROUNDS];

	fixture_run(&run);
	fixture_hostile(&hostile);
	fixture_loads(&loads);
	fixture_series(series);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *texts[] = {held_text(&run, 1, &format_text, widths[i]),
				 held_text(&hostile, 1, &format_text, widths[i]),
				 held_text(&loads, 1, &format_text, widths[i]),
				 held_text(series, FIXTURE_ROUNDS, &format_text, widths[i])};

		for (int t = 0; t < 4; t++) {
			CU_ASSERT_EQUAL(wide_lines(texts[t], widths[i]), 0);
			free(texts[t]);
		}
	}
	release_all(&run, 1);
	release_all(&hostile, 1);
	release_all(&loads, 1);
	release_all(series, FIXTURE_ROUNDS);
}

static void test_ascii(void)
{
	struct archived_run run;
	char *text;

	fixture_run(&run);
	text = held_text(&run, 1, &format_text, 80);
	CU_ASSERT(is_ascii(text));
	free(text);
	archived_run_release(&run);
}

static void test_cells(void)
{
	struct archived_run run;
	char *text;

	fixture_run(&run);
	text = held_text(&run, 1, &format_text, 100);
	CHECK_SAYS(line_of(text, "block_write.write "),
		   "        1.22 GiB/s        412 MiB/s  52.7 k/s  34.2 %");
	CHECK_SAYS(line_of(text, "block_read.read [V1] "),
		   "               -       2.14 GiB/s   281 k/s    95 %");
	CHECK_SAYS(line_of(text, "seeks.read "),
		   "                 -       71.2 MiB/s  9.12 k/s       -");
	CU_ASSERT_PTR_NULL(strstr(text, "+++"));
	CU_ASSERT_PTR_NULL(strstr(text, "nan"));
	free(text);
	archived_run_release(&run);
}

static void test_not_measured(void)
{
	struct archived_run run;
	char *text;

	fixture_run(&run);
	text = held_text(&run, 1, &format_text, 120);
	CHECK_SAYS(line_of(text, "sqlite_txn "), "n/a");
	CHECK_SAYS(text, "n/a: sqlite_txn: failed: write bank.db-wal: Input/output error");
	CHECK_SAYS(line_of(text, "sync_methods, rwf_dsync "), "n/a");
	CHECK_SAYS(text, "n/a: sync_methods, rwf_dsync: skipped: the filesystem does not take");
	CHECK_SAYS(text, "n/a: fewer than ten samples lie beyond the percentile");
	CHECK_SAYS(text, "Measurements   21: 19 ok, 1 failed, 1 skipped");
	free(text);
	archived_run_release(&run);
}

static void test_flags(void)
{
	struct archived_run run;
	char *text;

	fixture_run(&run);
	text = held_text(&run, 1, &format_text, 200);
	CHECK_SAYS(text, "1 void (cached), 2 doubts (unsteady, steal), 1 note (cpu_bound)");
	CHECK_SAYS(text, "block_read: 2.3 % of the 8.57 GiB read came from the device");
	CHECK_SAYS(text, "D2 steal     the hypervisor took CPU time away");
	CHECK_SAYS(text, "sync_methods, fdatasync; sync_methods, open_dsync: the machine ran at");
	CHECK_SAYS(line_of(text, "random.write, mixed"), "[D1,D2]");
	CU_ASSERT(strstr(text, "Void - ") < strstr(text, "Doubts - "));
	CU_ASSERT(strstr(text, "Doubts - ") < strstr(text, "Notes - "));
	free(text);
	archived_run_release(&run);
}

static void test_no_flags(void)
{
	struct archived_run run;
	char *text;

	fixture_run(&run);
	for (size_t i = 0; i < run.measurement_count; i++)
		run.measurements[i].flag_count = 0;
	text = held_text(&run, 1, &format_text, 80);
	CHECK_SAYS(text, "\n  Flags          none\n");
	CU_ASSERT_PTR_NULL(strstr(text, "\nFlags\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "[V1]"));
	free(text);
	for (size_t i = 0; i < run.measurement_count; i++)
		free(run.measurements[i].flags);
	for (size_t i = 0; i < run.measurement_count; i++)
		run.measurements[i].flags = NULL;
	archived_run_release(&run);
}

static void test_orion(void)
{
	struct format_options options = {.width = 120, .knee_ns = 1000000};
	struct archived_run run;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	fixture_run(&run);
	out = open_memstream(&text, &bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(report_held(&run, 1, &format_text, &options, out, NULL), 0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CHECK_SAYS(text, "most small I/Os       71.0 k/s at oltp, num_small 16");
	CHECK_SAYS(text, "most large bytes      1.18 GiB/s at mixed");
	CHECK_SAYS(text, "least mean latency    106 us at oltp, num_small 1");
	CHECK_SAYS(text, "knee, p99 <= 1.00 ms  10.9 k/s at oltp, num_small 1");
	free(text);
	archived_run_release(&run);
}

/* A run that ended before its first measurement, of which next to nothing is known. */
static void test_empty_run(void)
{
	struct archived_run run = {.run.uuid = "00000000-0000-4000-8000-000000000000"};
	char *text = held_text(&run, 1, &format_text, 100);

	CHECK_SAYS(text, "assay: run 00000000 (not archived), unknown, unknown time");
	CHECK_SAYS(text, "Measurements  0: 0 ok");
	CHECK_SAYS(text, "not archived  00000000-0000-4000-8000-000000000000");
	free(text);
	text = held_text(&run, 1, &format_csv, 80);
	CU_ASSERT_STRING_EQUAL(text, "run_id,uuid,phase,operation,parameters,metric,value,unit,"
				     "better,headline,flags\r\n");
	free(text);
}

static void test_no_run(void)
{
	struct err err = {0};

	CU_ASSERT(report_held(NULL, 0, &format_text, NULL, stdout, &err) < 0);
	CU_ASSERT(*err.text);
}

/* ---- several runs ---------------------------------------------------------------------------- */

static void test_series_golden(void)
{
	struct archived_run runs[FIXTURE_ROUNDS];
	char *text;

	fixture_series(runs);
	text = held_text(runs, FIXTURE_ROUNDS, &format_text, 80);
	check_golden("series.txt", text);
	free(text);
	release_all(runs, FIXTURE_ROUNDS);
}

static void test_medians(void)
{
	struct archived_run runs[FIXTURE_ROUNDS];
	char *text, *at;

	fixture_series(runs);
	text = held_text(runs, FIXTURE_ROUNDS, &format_text, 80);
	CHECK_SAYS(line_of(text, "assay 0.1.0: series 7b1d9a52, 3 runs, failed, "), "22:14");
	at = strstr(text, "\nblock_write.write ") + 1;
	CHECK_SAYS(line_of(at, "block_write.write "), "52.7 k/s");
	CHECK_SAYS(line_of(at, "  low of 3 runs "), "49.0 k/s");
	CHECK_SAYS(line_of(at, "  high "), "54.8 k/s");
	at = strstr(text, "\nblock_read.read ") + 1; /* void in the first round */
	CHECK_SAYS(line_of(at, "block_read.read "), "277 k/s");
	CHECK_SAYS(line_of(at, "  low of 2 runs "), "261 k/s");
	CHECK_SAYS(line_of(at, "  high "), "292 k/s");
	CHECK_SAYS(text, "block_read, round 1: 2.3 % of the 8.57 GiB read");
	free(text);
	release_all(runs, FIXTURE_ROUNDS);
}

static void test_partial_failure(void)
{
	struct archived_run runs[FIXTURE_ROUNDS];
	struct measurement *measurement;
	char *text;

	fixture_series(runs);
	measurement = &runs[1].measurements[1];
	measurement->status = STATUS_FAILED;
	snprintf(measurement->message, sizeof(measurement->message),
		 "fsync: No space left on device");
	facts_set_text(&runs[2].run.facts, "scheduler", "bfq");
	text = held_text(runs, FIXTURE_ROUNDS, &format_text, 80);
	CHECK_SAYS(strstr(text, "\nblock_write.write "), "low of 2 runs");
	CHECK_SAYS(text, "failed  block_write, round 2: fsync: No space left on device");
	CHECK_SAYS(text, "Scheduler      none\n");
	CHECK_SAYS(text, "                 bfq\n"); /* what differs is told */
	free(text);
	release_all(runs, FIXTURE_ROUNDS);
}

static void test_strangers(void)
{
	struct archived_run runs[FIXTURE_ROUNDS];
	char *text;

	fixture_series(runs);
	snprintf(runs[1].run.series, UUID_MAX, "11111111-11c3-4f7e-9c11-d0a4b5e6f701");
	text = held_text(runs, 2, &format_text, 80);
	CHECK_SAYS(text, "assay 0.1.0: run 42 (");
	CHECK_SAYS(text, "\nassay 0.1.0: run 43 (");
	CU_ASSERT_PTR_NULL(strstr(text, "low of"));
	free(text);
	release_all(runs, FIXTURE_ROUNDS);
}

static void test_json_of_several(void)
{
	struct archived_run runs[FIXTURE_ROUNDS];
	char *one, *both;

	fixture_series(runs);
	one = held_text(runs, 1, &format_json, 80);
	both = held_text(runs, 2, &format_json, 80);
	CU_ASSERT_EQUAL(*one, '{');
	CU_ASSERT_EQUAL(*both, '[');
	CU_ASSERT_FALSE(strncmp(both + 1, one, strlen(one)));
	free(one);
	free(both);
	release_all(runs, FIXTURE_ROUNDS);
}

/* ---- from the archive ------------------------------------------------------------------------ */

/* Puts a held run into the archive; it keeps its figures and gets an id and an end. */
static void put_in_archive(struct archive *archive, struct archived_run *run)
{
	struct err err = {0};
	struct archived_run there;
	char status[20];

	snprintf(status, sizeof(status), "%s", run->run.status);
	CU_ASSERT_EQUAL_FATAL(archive_begin(archive, &run->run, &err), 0);
	for (size_t i = 0; i < run->measurement_count; i++)
		CU_ASSERT_EQUAL_FATAL(
			archive_add(archive, run->run.id, &run->measurements[i], &err), 0);
	CU_ASSERT_EQUAL_FATAL(archive_finish(archive, &run->run, status, &err), 0);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, run->run.id, 0, &there, &err), 0);
	snprintf(run->run.finished_at, CLOCK_LABEL_MAX, "%s", there.run.finished_at);
	archived_run_release(&there);
}

typedef int (*report_fn)(struct archive *archive, const struct run_ids *ids,
			 const struct format *format, const struct format_options *options,
			 FILE *out, struct err *err);

static char *archive_text(struct archive *archive, const struct run_ids *ids, report_fn report,
			  const struct format *format)
{
	struct format_options options = {.width = 80};
	struct err err = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(report(archive, ids, format, &options, out, &err), 0);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static void test_archived_like_held(void)
{
	struct scratch scratch;
	struct archived_run runs[FIXTURE_ROUNDS];
	struct archive *archive;
	int64_t items[FIXTURE_ROUNDS];
	struct run_ids ids = {items, FIXTURE_ROUNDS};

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	fixture_series(runs);
	for (int i = 0; i < FIXTURE_ROUNDS; i++) {
		put_in_archive(archive, &runs[i]);
		items[i] = runs[i].run.id;
	}
	for (size_t i = 0; formats[i]; i++) {
		for (ids.count = 1; ids.count <= FIXTURE_ROUNDS; ids.count += 2) {
			char *held = held_text(runs, ids.count, formats[i], 80);
			char *archived = archive_text(archive, &ids, report_runs, formats[i]);

			CU_ASSERT_STRING_EQUAL(held, archived);
			free(held);
			free(archived);
		}
	}
	release_all(runs, FIXTURE_ROUNDS);
	archive_close(archive);
	scratch_remove(&scratch);
}

static void test_csv_like_view(void)
{
	struct scratch scratch;
	struct archived_run run;
	struct archive *archive;
	char *text, *viewed;
	size_t lines = 0;
	char wanted[40];

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	fixture_run(&run);
	put_in_archive(archive, &run);
	text = held_text(&run, 1, &format_csv, 80);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	snprintf(wanted, sizeof(wanted), "%zu", lines - 1);
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM results", wanted);
	viewed = ask(scratch.path, "SELECT phase || ',' || operation || ',\"' || "
				   "replace(parameters, '\"', '\"\"') || '\",' || metric "
				   "FROM results WHERE metric = 'throughput_to_cache' LIMIT 1");
	viewed[strcspn(viewed, "\n")] = '\0';
	CHECK_SAYS(viewed, "char_write,write,");
	free(viewed);
	free(text);
	archived_run_release(&run);
	archive_close(archive);
	scratch_remove(&scratch);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void add_listed(struct archive *archive, int64_t *id, unsigned n, const char *label,
		       const char *scheduler, const char *host)
{
	struct err err = {0};
	struct run run;

	CU_ASSERT_EQUAL_FATAL(run_init(&run, &err), 0);
	snprintf(run.uuid, UUID_MAX, "%u0000000-1111-4222-8333-444444444444", n);
	snprintf(run.started_at, CLOCK_LABEL_MAX, "2026-02-0%uT03:00:00.500Z", n);
	if (n == 3)
		snprintf(run.series, UUID_MAX, "99999999-1111-4222-8333-444444444444");
	run_set_text(&run.source, n == 2 ? "bonnie++" : "assay");
	run_set_text(&run.label, label);
	run_set_text(&run.profile, n == 2 ? NULL : "standard");
	run_set_text(&run.target, n == 1 ? "/srv/postgresql/15/main/base/16384" : "/mnt");
	facts_set_text(&run.facts, "host", host);
	facts_set_text(&run.facts, "kernel", "6.1.0-28-amd64");
	facts_set_text(&run.facts, "filesystem", "ext4");
	facts_set_text(&run.facts, "device", "sda");
	facts_set_text(&run.facts, "scheduler", scheduler);
	CU_ASSERT_EQUAL_FATAL(archive_begin(archive, &run, &err), 0);
	CU_ASSERT_EQUAL_FATAL(
		archive_finish(archive, &run, n == 3 ? "interrupted" : "complete", &err), 0);
	*id = run.id;
	run_release(&run);
}

static void check_list(struct archive *archive, const struct run_ids *ids,
		       const struct format *format, const char *name)
{
	char *text = archive_text(archive, ids, report_list, format);

	if (format == &format_text)
		CU_ASSERT_EQUAL(wide_lines(text, 80), 0);
	check_golden(name, text);
	free(text);
}

static void test_list(void)
{
	struct scratch scratch;
	struct archive *archive;
	int64_t items[4];
	struct run_ids ids = {items, 4};

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	add_listed(archive, &items[0], 1, "before-move", "mq-deadline", "db1.example.org");
	add_listed(archive, &items[1], 2, NULL, NULL, "db2.example.org");
	add_listed(archive, &items[2], 3, "<b>|\x1b[31m,\"\n", "bfq", "db1.example.org");
	add_listed(archive, &items[3], 4, "a label that takes all the room there is on this line",
		   "none", "db1.example.org");
	check_list(archive, &ids, &format_text, "list.txt");
	check_list(archive, &ids, &format_markdown, "list.md");
	check_list(archive, &ids, &format_csv, "list.csv");
	check_list(archive, &ids, &format_json, "list.json");
	ids.count = 1;
	check_list(archive, &ids, &format_text, "list_one.txt");
	ids.count = 0;
	check_list(archive, &ids, &format_text, "list_none.txt");
	check_list(archive, &ids, &format_json, "list_none.json");
	ids = (struct run_ids){(int64_t[]){items[0], items[3]}, 2};
	check_list(archive, &ids, &format_text, "list_common.txt");
	archive_close(archive);
	scratch_remove(&scratch);
}

/* ---- what the report has to know of phases --------------------------------------------------- */

static void test_sections_know_phases(void)
{
	for (size_t i = 0; phases[i]; i++)
		CU_ASSERT_STRING_EQUAL(section_of(phases[i]->name)->name, phases[i]->group);
	CU_ASSERT_STRING_EQUAL(section_of("who_knows")->name, "other");
}

static enum unit unit_of_range(const struct param *param)
{
	return param->kind == PARAM_RANGE ? UNIT_BYTES : param_unit(param);
}

static void test_parameter_units(void)
{
	for (size_t i = 0; phases[i]; i++) {
		for (const struct param_use *use = phases[i]->params; use->param; use++) {
			enum unit unit = unit_of_range(use->param);
			enum param_kind kind = use->param->kind;
			bool text = kind == PARAM_CHOICE || kind == PARAM_TEXT;

			if (text || !(use->param->flags & PARAM_IDENTITY))
				continue;
			if (parameter_unit(use->param->name) != unit)
				printf("\n    %s", use->param->name);
			CU_ASSERT_EQUAL(parameter_unit(use->param->name), unit);
		}
	}
}

static void check_parameter(const char *name, struct value value, const char *wanted)
{
	struct parameter parameter = {.value = value};
	char text[PARAMETER_TEXT_MAX];

	snprintf(parameter.name, sizeof(parameter.name), "%s", name);
	CU_ASSERT_STRING_EQUAL(parameter_format(text, &parameter), wanted);
}

static void test_parameter_text(void)
{
	check_parameter("block_size", value_number(8192), "8k");
	check_parameter("interval", value_number(10 * NS_PER_S), "10s");
	check_parameter("write_percent", value_number(30), "30%");
	check_parameter("clients", value_number(8), "8");
	check_parameter("file_size", value_text("0:16384"), "0:16k");
	check_parameter("file_size", value_text("4096:4096"), "4k");
	check_parameter("file_size", value_text("4096:nonsense"), "4096:nonsense");
	check_parameter("method", value_text("fdatasync"), "fdatasync");
	check_parameter("x", (struct value){.kind = VALUE_NONE}, "none");
}

static const struct test tests[] = {
	{"the spread of values is their median and extremes, holes left out", test_spread},
	{"a run is told as it is written down", test_run_golden},
	{"hostile texts break no report", test_hostile_golden},
	{"no line is wider than the width asked for", test_widths},
	{"a report of plain facts is ASCII", test_ascii},
	{"a figure is there, n/a, or - where none belongs", test_cells},
	{"what was not measured is n/a with its reason below", test_not_measured},
	{"flags are tagged beside the figures and explained, void first", test_flags},
	{"a run without flags says so", test_no_flags},
	{"Orion's matrix and a grid print as tables", test_loads_golden},
	{"a point of another size is no part of the matrix", test_matrix_members},
	{"an engine chosen for its load does not part the matrix", test_matrix_engines},
	{"engines that are compared have a matrix each", test_matrix_engines_compared},
	{"Orion's summary names the best points and the knee", test_orion},
	{"an empty run is told without a guess", test_empty_run},
	{"no run at all is an error", test_no_run},
	{"a series is told as it is written down", test_series_golden},
	{"rounds are told as medians and extremes, void ones left out", test_medians},
	{"a failure of one round and a fact that differs are told", test_partial_failure},
	{"runs of different series are told one by one", test_strangers},
	{"several runs in json are an array of documents", test_json_of_several},
	{"an archived run reads like the held one in every format", test_archived_like_held},
	{"csv has the rows of the view results", test_csv_like_view},
	{"a list has one line a run and says once what is common", test_list},
	{"every phase stands in the section of its group", test_sections_know_phases},
	{"every parameter is shown in its unit", test_parameter_units},
	{"parameters read as a user would type them", test_parameter_text},
	{NULL, NULL},
};

const struct suite suite_report = {"report", tests};
