/* SPDX-License-Identifier: MIT */
/*
 * import_fixture.h - what the tests of the importers share: samples, and texts made up on the spot.
 */
#ifndef ASSAY_TESTS_IMPORT_FIXTURE_H
#define ASSAY_TESTS_IMPORT_FIXTURE_H

#include "importer.h"

#define SAMPLES "tests/samples"

/* A text that was parsed. */
struct parsed {
	char *text;
	size_t length;
	struct import_sink sink;
	const struct importer *importer;
	struct err err;
	int code;
};

/* The whole file and a NUL; ends the test when it cannot be read. The caller's to free. */
char *read_sample(const char *name, size_t *length);

/* A copy is made, so that a tool that watches memory sees every step beyond its end. */
void parse_text(struct parsed *parsed, const char *text, size_t length, const struct facts *given);
void parse_sample(struct parsed *parsed, const char *name);
void parse_words(struct parsed *parsed, const char *text);
void parsed_release(struct parsed *parsed);

/* Calls fn for each file in the samples, in the order of their names. */
void each_sample(void (*fn)(const char *name));

/* The measurement of that phase with all these parameters ("name=value name=value", numbers in
 * base units), or NULL. */
const struct measurement *find_measurement(const struct imported_run *run, const char *phase,
					   const char *parameters);

/* The text kept under a name, or NULL. */
const char *find_kept(const struct imported_run *run, const char *name);

#endif
