/* SPDX-License-Identifier: MIT */
/*
 * test_archive_edit.c - texts and other archives taken in, runs annotated and deleted; all of it or
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_edit.h"
#include "archive_fixture.h"
#include "export.h"
#include "import_fixture.h"
#include "suites.h"

/* Imports a sample; the caller releases the intake. */
static void import_sample(struct archive *archive, const char *name, struct intake *intake)
{
	struct parsed parsed;
	struct err err = {0};

	parse_sample(&parsed, name);
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	if (archive_import(archive, parsed.text, &parsed.sink, intake, &err))
		fprintf(stderr, "\n    %s", err.text);
	CU_ASSERT_STRING_EQUAL_FATAL(err.text, "");
	parsed_release(&parsed);
}

static void import_once(struct archive *archive, const char *name)
{
	struct intake intake;

	import_sample(archive, name, &intake);
	intake_release(&intake);
}

static void an_imported_run_is_archived_with_its_origin(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct intake intake;
	struct archived_run loaded;
	size_t length, wanted_length;
	char *text, *wanted = read_sample("orion-11.2-oltp-summary.txt", &wanted_length);

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_sample(archive, "orion-11.2-oltp-summary.txt", &intake);
	CU_ASSERT_EQUAL_FATAL(intake.added.count, 1);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, intake.added.items[0], LOAD_ALL, &loaded, NULL),
			      0);
	CU_ASSERT_STRING_EQUAL(loaded.run.source, "orion");
	CU_ASSERT_STRING_EQUAL(loaded.run.status, "complete");
	CU_ASSERT_STRING_EQUAL(loaded.origin.program, "orion");
	CU_ASSERT_STRING_EQUAL(loaded.origin.version, "11.2.0.3.0");
	CU_ASSERT_EQUAL(strncmp(loaded.origin.hash, "sha256:", 7), 0);
	CU_ASSERT_EQUAL(strlen(loaded.origin.imported_at), strlen("2026-01-31T23:59:59.123Z"));
	CU_ASSERT(loaded.origin.unmapped_count > 5);
	CU_ASSERT_EQUAL(loaded.measurement_count, 2);
	CU_ASSERT_EQUAL(archive_original(archive, intake.added.items[0], &text, &length, NULL), 0);
	CU_ASSERT_EQUAL(length, wanted_length);
	CU_ASSERT_EQUAL(memcmp(text, wanted, length), 0);
	CHECK_ANSWER(scratch.path,
		     "SELECT value FROM results WHERE phase = 'oltp' AND metric = 'rate'"
		     " AND operation = 'small'",
		     "9899.0");
	free(text);
	free(wanted);
	archived_run_release(&loaded);
	intake_release(&intake);
	archive_close(archive);
	scratch_remove(&scratch);
}

static void the_same_content_is_recognised(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct intake intake;

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_once(archive, "bonnie-1.96-x3.csv");
	import_sample(archive, "bonnie-1.96-x3.csv", &intake);
	CU_ASSERT_EQUAL(intake.added.count, 0);
	CU_ASSERT_EQUAL(intake.known.count, 3);
	intake_release(&intake);
	CHECK_ANSWER(scratch.path, "SELECT count(*), count(DISTINCT series), max(round) FROM run",
		     "3");
	CHECK_ANSWER(scratch.path, "SELECT count(DISTINCT series) FROM run", "1");
	archive_close(archive);
	scratch_remove(&scratch);
}

/* The third run of a text cannot be put: then none of them is. */
static void a_text_is_taken_whole_or_not_at_all(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct parsed parsed;
	struct intake intake;
	struct err err = {0};

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	parse_sample(&parsed, "bonnie-1.96-x3.csv");
	run_set_text(&parsed.sink.runs[2].run.status, "no such status");
	CU_ASSERT(archive_import(archive, parsed.text, &parsed.sink, &intake, &err) < 0);
	CU_ASSERT_STRING_NOT_EQUAL(err.text, "");
	CU_ASSERT_EQUAL(intake.added.count, 0);
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM run", "0");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM measurement", "0");
	intake_release(&intake);
	parsed_release(&parsed);
	archive_close(archive);
	scratch_remove(&scratch);
}

static void a_batch_keeps_what_was_whole(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct parsed parsed;
	struct intake intake;

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	CU_ASSERT_EQUAL(archive_batch_begin(archive, NULL), 0);
	import_once(archive, "bonnie-1.96-cfq-2011.csv");
	parse_sample(&parsed, "bonnie-1.96-x3.csv");
	run_set_text(&parsed.sink.runs[2].run.status, "no such status");
	CU_ASSERT(archive_import(archive, parsed.text, &parsed.sink, &intake, NULL) < 0);
	import_once(archive, "orion-11.1-iops.csv");
	CU_ASSERT_EQUAL(archive_batch_end(archive, NULL), 0);
	CHECK_ANSWER(scratch.path, "SELECT source FROM run ORDER BY run_id", "bonnie++\norion");
	parsed_release(&parsed);
	archive_close(archive);
	scratch_remove(&scratch);
}

static struct run_ids one_id(int64_t *id)
{
	return (struct run_ids){id, 1};
}

static void an_annotation_changes_what_it_names(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct facts tags = {0}, facts = {0};
	const char *untags[] = {"old", "never there"};
	struct annotation annotation = {.label = "before " HOSTILE_TEXT,
					.note = HOSTILE_TEXT,
					.tags = &tags,
					.facts = &facts,
					.untags = untags,
					.untag_count = 2};
	struct archived_run loaded;
	int64_t id = 1;
	struct run_ids ids = one_id(&id);

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_once(archive, "bonnie-1.96-cfq-2011.csv");
	facts_set_text(&tags, "old", "1");
	facts_set_text(&tags, "dc", "fra");
	CU_ASSERT_EQUAL(archive_annotate(archive, &ids, &(struct annotation){.tags = &tags}, NULL),
			0);
	facts_remove(&tags, "old");
	facts_set_text(&tags, "dc", HOSTILE_TEXT);
	facts_set_text(&facts, "host", "renamed");
	facts_set_text(&facts, "scheduler", "cfq");
	CU_ASSERT_EQUAL(archive_annotate(archive, &ids, &annotation, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, 1, 0, &loaded, NULL), 0);
	CU_ASSERT_STRING_EQUAL(loaded.run.label, "before " HOSTILE_TEXT);
	CU_ASSERT_STRING_EQUAL(facts_text(&loaded.run.tags, "dc"), HOSTILE_TEXT);
	CU_ASSERT_PTR_NULL(facts_text(&loaded.run.tags, "old"));
	CU_ASSERT_STRING_EQUAL(facts_text(&loaded.run.facts, "host"), "renamed");
	CU_ASSERT_STRING_EQUAL(facts_text(&loaded.run.facts, "scheduler"), "cfq");
	CU_ASSERT_EQUAL_FATAL(loaded.run.note_count, 1);
	CU_ASSERT_STRING_EQUAL(loaded.run.notes[0].text, HOSTILE_TEXT);
	archived_run_release(&loaded);
	CU_ASSERT_EQUAL(archive_annotate(archive, &ids, &(struct annotation){.label = ""}, NULL),
			0);
	CHECK_ANSWER(scratch.path, "SELECT label IS NULL FROM run", "1");
	facts_release(&tags);
	facts_release(&facts);
	archive_close(archive);
	scratch_remove(&scratch);
}

static void a_deleted_run_leaves_nothing_of_its_own(void)
{
	static const char *const tables[] = {
		"run_fact", "run_tag", "run_note", "origin", "measurement",
		"metric_value", "histogram", "sample", "device_use", "flag",
	};
	struct scratch scratch;
	struct archive *archive;
	struct run run;
	int64_t id;
	struct run_ids ids = one_id(&id);

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_once(archive, "fio-3.33-threads.json+");
	make_run(&run, "kept");
	archive_run(archive, &run, 1, "complete");
	run_release(&run);
	make_run(&run, "gone");
	archive_run(archive, &run, 2, "complete");
	run_release(&run);
	for (id = 1; id <= 3; id += 2)
		CU_ASSERT_EQUAL(archive_delete(archive, &ids, NULL), 0);
	CHECK_ANSWER(scratch.path, "SELECT label FROM run", "kept");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char sql[200];

		snprintf(sql, sizeof(sql),
			 !strncmp(tables[i], "run_", 4) || !strcmp(tables[i], "origin") ||
				 !strcmp(tables[i], "measurement")
			     ? "SELECT count(*) FROM %s WHERE run_id <> 2"
			     : "SELECT count(*) FROM %s WHERE measurement_id NOT IN"
			       " (SELECT measurement_id FROM measurement)",
			 tables[i]);
		CHECK_ANSWER(scratch.path, sql, "0");
	}
	archive_close(archive);
	scratch_remove(&scratch);
}

static void a_running_run_is_not_deleted_nor_its_neighbours(void)
{
	struct scratch scratch;
	struct archive *archive;
	struct run run;
	struct err err = {0};
	int64_t ids[] = {1, 2};
	struct run_ids both = {ids, 2};

	scratch_make(&scratch);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_once(archive, "bonnie-1.96-cfq-2011.csv");
	make_run(&run, NULL);
	archive_run(archive, &run, 1, NULL);
	CU_ASSERT(archive_delete(archive, &both, &err) < 0);
	CHECK_SAYS(err.text, "run 2 is still running");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM run", "2");
	run_release(&run);
	archive_close(archive);
	scratch_remove(&scratch);
}

static char *document_of(struct archive *archive, int64_t id)
{
	struct archived_run loaded;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_EQUAL_FATAL(archive_load(archive, id, LOAD_ALL, &loaded, NULL), 0);
	loaded.run.id = 0;
	for (size_t i = 0; i < loaded.measurement_count; i++)
		loaded.measurements[i].id = 0;
	export_json(out, &loaded, true);
	fclose(out);
	archived_run_release(&loaded);
	return text;
}

static void a_merge_takes_runs_once_and_whole(void)
{
	struct scratch scratch, other;
	struct archive *archive, *from;
	struct intake intake;
	struct run run;
	char *before, *after, *text;
	size_t length;

	scratch_make(&scratch);
	scratch_make(&other);
	from = must_open(other.path, ARCHIVE_WRITE);
	import_once(from, "orion-11.2-oltp-summary.txt");
	make_run(&run, "far away");
	archive_run(from, &run, 3, "failed");
	run_release(&run);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	import_once(archive, "bonnie-1.96-cfq-2011.csv");

	CU_ASSERT_EQUAL_FATAL(archive_merge(archive, from, &intake, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(intake.added.count, 2);
	before = document_of(from, 2);
	after = document_of(archive, intake.added.items[1]);
	CU_ASSERT_STRING_EQUAL(before, after);
	free(before);
	free(after);
	CU_ASSERT_EQUAL(archive_original(archive, intake.added.items[0], &text, &length, NULL), 0);
	CU_ASSERT(length > 1000);
	free(text);
	intake_release(&intake);

	CU_ASSERT_EQUAL_FATAL(archive_merge(archive, from, &intake, NULL), 0);
	CU_ASSERT_EQUAL(intake.added.count, 0);
	CU_ASSERT_EQUAL(intake.known.count, 2);
	CU_ASSERT_EQUAL(intake.differing.count, 0);
	intake_release(&intake);
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM run", "3");
	CHECK_ANSWER(other.path, "SELECT count(*) FROM run", "2");
	archive_close(archive);
	archive_close(from);
	scratch_remove(&scratch);
	scratch_remove(&other);
}

static void a_run_that_differs_is_told_and_left(void)
{
	struct scratch scratch, other;
	struct archive *archive, *from;
	struct intake intake;
	int64_t id = 1;
	struct run_ids ids = one_id(&id);

	scratch_make(&scratch);
	scratch_make(&other);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	from = must_open(other.path, ARCHIVE_WRITE);
	import_once(archive, "bonnie-1.96-cfq-2011.csv");
	import_once(from, "bonnie-1.96-cfq-2011.csv");
	CU_ASSERT_EQUAL(archive_annotate(from, &ids, &(struct annotation){.label = "theirs"}, NULL),
			0);
	CU_ASSERT_EQUAL(
	    archive_annotate(archive, &ids, &(struct annotation){.label = "ours"}, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(archive_merge(archive, from, &intake, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(intake.differing.count, 1);
	CU_ASSERT_EQUAL(intake.differing.items[0], 1);
	CU_ASSERT_EQUAL(intake.added.count + intake.known.count, 0);
	CHECK_ANSWER(scratch.path, "SELECT label FROM run", "ours");
	intake_release(&intake);
	archive_close(archive);
	archive_close(from);
	scratch_remove(&scratch);
	scratch_remove(&other);
}

static void a_run_that_still_runs_elsewhere_is_not_taken(void)
{
	struct scratch scratch, other;
	struct archive *archive, *from, *reader;
	struct intake intake;
	struct run run;

	scratch_make(&scratch);
	scratch_make(&other);
	from = must_open(other.path, ARCHIVE_WRITE);
	make_run(&run, NULL);
	archive_run(from, &run, 1, NULL);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	reader = must_open(other.path, ARCHIVE_READ);
	CU_ASSERT_EQUAL_FATAL(archive_merge(archive, reader, &intake, NULL), 0);
	CU_ASSERT_EQUAL(intake.running, 1);
	CU_ASSERT_EQUAL(intake.added.count, 0);
	intake_release(&intake);
	archive_close(from); /* its process is gone now */
	CU_ASSERT_EQUAL_FATAL(archive_merge(archive, reader, &intake, NULL), 0);
	CU_ASSERT_EQUAL(intake.added.count, 1);
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "interrupted");
	intake_release(&intake);
	run_release(&run);
	archive_close(reader);
	archive_close(archive);
	scratch_remove(&scratch);
	scratch_remove(&other);
}

/* A row of bonnie++ that comes in and goes out is the row, brought to the columns of 1.98. */
static void a_row_of_bonnie_survives_the_archive(void)
{
	static const char *const samples[] = {"bonnie-1.98-50.csv", "bonnie-2.00a-s0.csv",
					      "bonnie-2.00a-n0.csv", "bonnie-2.00a-links.csv"};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct parsed parsed;
		struct archived_run archived = {0};
		size_t length, size;
		char *wanted = read_sample(samples[i], &length), *row = NULL, *seeks;
		FILE *out = open_memstream(&row, &size);

		parse_sample(&parsed, samples[i]);
		CU_ASSERT_EQUAL_FATAL(parsed.sink.run_count, 1);
		archived.run = parsed.sink.runs[0].run;
		archived.measurements = parsed.sink.runs[0].measurements;
		archived.measurement_count = parsed.sink.runs[0].measurement_count;
		export_bonnie(out, &archived);
		fclose(out);
		/* The number of seeks is a count of a phase, which an import does not have; so is
		 * the CPU. */
		seeks = strstr(wanted, ",8192,5,");
		if (seeks)
			memmove(seeks + 1, seeks + 5, strlen(seeks + 5) + 1);
		seeks = strstr(wanted, ",9120,88,");
		if (seeks)
			memmove(seeks + 6, seeks + 8, strlen(seeks + 8) + 1);
		CU_ASSERT_STRING_EQUAL(row, wanted);
		if (strcmp(row, wanted) != 0)
			fprintf(stderr, "\n    %s    %s", row, wanted);
		free(row);
		free(wanted);
		parsed_release(&parsed);
	}
}

static const struct test tests[] = {
    {"an imported run is archived with its origin", an_imported_run_is_archived_with_its_origin},
    {"the same content is recognised", the_same_content_is_recognised},
    {"a text is taken whole or not at all", a_text_is_taken_whole_or_not_at_all},
    {"a batch keeps what was whole", a_batch_keeps_what_was_whole},
    {"an annotation changes what it names", an_annotation_changes_what_it_names},
    {"a deleted run leaves nothing of its own", a_deleted_run_leaves_nothing_of_its_own},
    {"a running run is not deleted, nor its neighbours",
     a_running_run_is_not_deleted_nor_its_neighbours},
    {"a merge takes runs once and whole", a_merge_takes_runs_once_and_whole},
    {"a run that differs is told and left", a_run_that_differs_is_told_and_left},
    {"a run that still runs elsewhere is not taken", a_run_that_still_runs_elsewhere_is_not_taken},
    {"a row of bonnie++ survives the archive", a_row_of_bonnie_survives_the_archive},
    {NULL, NULL},
};

const struct suite suite_archive_edit = {.name = "archive_edit", .tests = tests};
