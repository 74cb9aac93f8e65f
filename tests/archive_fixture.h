/* SPDX-License-Identifier: MIT */
/*
 * archive_fixture.h - what the tests of the archive share: a directory that goes away, a run and
 * a measurement with everything in them, and SQL as anybody would ask it.
 */
#ifndef ASSAY_TESTS_ARCHIVE_FIXTURE_H
#define ASSAY_TESTS_ARCHIVE_FIXTURE_H

#include "archive.h"
#include "measurement.h"
#include "run.h"

/* Text that quotes, breaks lines, leaves ASCII and is no SQL. */
#define HOSTILE_TEXT "Robert'); DROP TABLE run;--\n\t\"\\ %s \x01\xc3\xa9\xe2\x82\xac <b>&"

struct scratch {
	char directory[64];
	char path[96]; /* of an archive in it, not made yet */
};

void scratch_make(struct scratch *scratch);
void scratch_remove(const struct scratch *scratch);

/* Opens or ends the test. */
struct archive *must_open(const char *path, enum archive_mode mode);

/* A run named label (NULL allowed) with hostile facts, tags and notes. */
void make_run(struct run *run, const char *label);

/* A measurement with something in every list; its figures follow from seed. */
void make_measurement(struct measurement *measurement, unsigned seed);

/* Begins, adds so many measurements, finishes with status (NULL: does not). In children: it
 * asserts nothing, its result tells. */
int put_whole_run(struct archive *archive, struct run *run, unsigned measurements,
		  const char *status);

/* The same for the test itself, which ends when it fails; returns the id. */
int64_t archive_run(struct archive *archive, struct run *run, unsigned measurements,
		    const char *status);

/* The first column of every row, a line each, or the error. The caller's to free. */
char *ask(const char *path, const char *sql);

/* Asks and compares. */
void check_answer(const char *path, const char *sql, const char *wanted, int line);
#define CHECK_ANSWER(path, sql, wanted) check_answer(path, sql, wanted, __LINE__)

/* Does text hold part? Prints both when it does not. */
void check_says(const char *text, const char *part, int line);
#define CHECK_SAYS(text, part) check_says(text, part, __LINE__)

#endif
