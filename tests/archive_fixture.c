/* SPDX-License-Identifier: MIT */
/*
 * archive_fixture.c - a directory that goes away, a run and a measurement with everything in them.
 */
#include <CUnit/CUnit.h>
#include <ftw.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive_fixture.h"

void scratch_make(struct scratch *scratch)
{
	snprintf(scratch->directory, sizeof(scratch->directory), "/tmp/assay-archive.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->directory));
	snprintf(scratch->path, sizeof(scratch->path), "%s/archive.db", scratch->directory);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status, (void)type, (void)ftw;
	return remove(path);
}

void scratch_remove(const struct scratch *scratch)
{
	CU_ASSERT_EQUAL(nftw(scratch->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

struct archive *must_open(const char *path, enum archive_mode mode)
{
	struct archive *archive;
	struct err err = {0};

	if (archive_open(&archive, path, mode, &err)) {
		fprintf(stderr, "\n    %s\n", err.text);
		CU_FAIL_FATAL("the archive does not open");
	}
	return archive;
}

void make_run(struct run *run, const char *label)
{
	CU_ASSERT_EQUAL_FATAL(run_init(run, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(uuid_make(run->series, NULL), 0);
	run->round = 3;
	run->seed = UINT64_MAX - 1;
	run_set_text(&run->source, "assay");
	run_set_text(&run->version, "9.8.7");
	run_set_text(&run->label, label);
	run_set_text(&run->profile, "quick");
	run_set_text(&run->target, "/srv/" HOSTILE_TEXT);
	run_set_text(&run->command, "assay run 'it''s'");
	facts_set_text(&run->facts, "host", "db1");
	facts_set_text(&run->facts, "kernel", "6.1.0-18-amd64");
	facts_set_text(&run->facts, "scheduler", "mq-deadline");
	facts_set_text(&run->facts, "mount_options", HOSTILE_TEXT);
	facts_set_integer(&run->facts, "memory_bytes", INT64_MAX);
	facts_set_integer(&run->facts, "rotational", 0);
	facts_set_real(&run->facts, "load_1min", 0.1);
	facts_set_real(&run->facts, "whole", 2.0);
	facts_set_text(&run->facts, "looks_like_a_number", "0123");
	facts_set_text(&run->facts, "empty", "");
	facts_set_text(&run->tags, "rack", "b7");
	facts_set_text(&run->tags, "why", HOSTILE_TEXT);
	run_add_note(run, "2026-01-02T03:04:05.678Z", HOSTILE_TEXT);
	run_add_note(run, NULL, "second");
}

static void fill_lists(struct measurement *measurement, unsigned seed)
{
	struct sample *sample;
	struct device_use *device;

	for (unsigned i = 0; i < 3; i++) {
		sample = measurement_add_sample(measurement, i % 2 ? "write" : "read");
		sample->at_ns = i * NS_PER_S;
		sample->count = i == 2 ? UINT64_MAX : seed + i;
		sample->bytes = UINT64_MAX - i;
		if (i) {
			sample->latency_p99_ns = 1e6 / 3 + seed;
			sample->latency_max_ns = 1e300;
		}
	}
	device = measurement_add_device(measurement, "nvme0n1");
	*device = (struct device_use){
		.reads = 1,
		.read_bytes = UINT64_MAX,
		.writes = UINT64_C(1) << 63,
		.write_bytes = 4,
		.flushes = seed,
		.busy_ns = 6,
		.queue_ns = 7,
	};
	snprintf(device->name, sizeof(device->name), "nvme0n1");
	measurement_add_device(measurement, "dm-0");
	measurement_flag(measurement, SEVERITY_VOID, "cached", "%s", HOSTILE_TEXT);
	measurement_flag(measurement, SEVERITY_NOTE, "cpu_bound", "97 %% of a CPU");
	measurement_flag(measurement, SEVERITY_DOUBT, "foreign", "%s", "");
}

void make_measurement(struct measurement *measurement, unsigned seed)
{
	static const struct metric own = {"records_per_flush", UNIT_NONE, BETTER_HIGHER, ""};
	struct latency_histogram *latency;

	measurement_init(measurement, "random");
	measurement->status = STATUS_FAILED;
	measurement->elapsed_ns = UINT64_MAX - seed;
	snprintf(measurement->message, sizeof(measurement->message), "%s", HOSTILE_TEXT);
	clock_label(measurement->started_at);
	measurement_add_parameter(measurement, "queue_depth", value_number(seed));
	measurement_add_parameter(measurement, "block_size", value_number(UINT64_MAX));
	measurement_add_parameter(measurement, "operation", value_text(HOSTILE_TEXT));
	measurement_add_parameter(measurement, "digits", value_text("42"));
	measurement_add_parameter(measurement, "odd \"name\".x", value_number(0));
	measurement_add_parameter(measurement, "none", (struct value){.kind = VALUE_NONE});
	latency = measurement_add_histogram(measurement, "read");
	for (unsigned i = 0; i < 5000; i++)
		histogram_add(&latency->histogram, (uint64_t)i * i * i + seed);
	histogram_add(&latency->histogram, UINT64_MAX / 4);
	measurement_add_histogram(measurement, "write"); /* of nothing */
	latency = &measurement->histograms[0];           /* it may have moved */
	measurement_add_operation(measurement, "read", &latency->histogram, 1 << 20, NS_PER_S);
	CU_ASSERT_TRUE(measurement_mark_headline(measurement, "read", "rate"));
	CU_ASSERT_TRUE(measurement_mark_headline(measurement, "read", "latency_p99"));
	measurement_add_metric(measurement, "all", metric_find("cpu_user"), NAN);
	measurement_add_metric(measurement, "all", &own, 1.0 / 3);
	measurement_add_metric(measurement, "all", metric_find("queue_depth"), -1e-300);
	fill_lists(measurement, seed);
}

int put_whole_run(struct archive *archive, struct run *run, unsigned measurements,
		  const char *status)
{
	struct err err = {0};
	int rc = archive_begin(archive, run, &err);

	for (unsigned i = 0; !rc && i < measurements; i++) {
		struct measurement measurement;

		make_measurement(&measurement, i);
		rc = archive_add(archive, run->id, &measurement, &err);
		measurement_release(&measurement);
	}
	if (!rc && status)
		rc = archive_finish(archive, run, status, &err);
	if (rc)
		fprintf(stderr, "\n    %s\n", err.text);
	return rc;
}

int64_t archive_run(struct archive *archive, struct run *run, unsigned measurements,
		    const char *status)
{
	CU_ASSERT_EQUAL_FATAL(put_whole_run(archive, run, measurements, status), 0);
	return run->id;
}

char *ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		fprintf(out, "%s%s", ftell(out) ? "\n" : "",
			(const char *)sqlite3_column_text(statement, 0));
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		fprintf(out, "error: %s", sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	fclose(out);
	return text;
}

void check_answer(const char *path, const char *sql, const char *wanted, int line)
{
	char *got = ask(path, sql);
	bool equal = !strcmp(got, wanted);

	if (!equal)
		fprintf(stderr, "\n    line %d: %s\n      wanted %s\n      got    %s\n", line, sql,
			wanted, got);
	CU_assertImplementation(equal, (unsigned)line, "the answer is as wanted", "", "", CU_FALSE);
	free(got);
}

void check_says(const char *text, const char *part, int line)
{
	bool found = strstr(text, part) != NULL;

	if (!found)
		fprintf(stderr, "\n    line %d: \"%s\" does not say \"%s\"\n", line, text, part);
	CU_assertImplementation(found, (unsigned)line, "the sentence says it", "", "", CU_FALSE);
}
