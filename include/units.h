/* SPDX-License-Identifier: MIT */
/*
 * units.h - quantities in words. One table of suffixes serves the parser and the printer.
 * Inside the program and in every machine-readable output quantities are in base units.
 */
#ifndef ASSAY_UNITS_H
#define ASSAY_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum unit {
	UNIT_NONE,        /* a plain number or a ratio */
	UNIT_COUNT,       /* how many: printed as an integer, exported without a unit */
	UNIT_BYTES,
	UNIT_BYTES_PER_S,
	UNIT_NS,
	UNIT_PER_S,
	UNIT_PERCENT,     /* CPU: of one CPU */
	UNIT_COUNT_OF
};

enum { UNIT_TEXT_MAX = 32 };

/* The name of a unit in exports: "", "", "bytes", "bytes/s", "ns", "1/s", "percent". */
const char *unit_name(enum unit unit);

/* The unit an export names; UNIT_NONE for an unknown or empty name. */
enum unit unit_find(const char *name);

/* Writes a value with its unit for people, three significant digits: "1.21 GiB/s", "12.3 k/s",
 * "4.12 us", "97 %". A value that is not finite is written as "n/a". Returns text. */
const char *unit_format(char text[UNIT_TEXT_MAX], enum unit unit, double value);

/* Writes bytes so that unit_parse_size reads back the same number: "8k", "1g", "1536". */
const char *unit_format_size(char text[UNIT_TEXT_MAX], uint64_t bytes);

/* Writes nanoseconds so that unit_parse_duration reads back the same number: "2s", "1500ms". */
const char *unit_format_duration(char text[UNIT_TEXT_MAX], uint64_t ns);

/* Reads "4096", "8k", "1.5g": suffixes k m g t p are powers of 1024, either case, an "iB" or "B"
 * may follow. ERR_USAGE with a sentence for anything else, negative or beyond 2^63-1. */
int unit_parse_size(const char *text, uint64_t *bytes, struct err *err);

/* Reads "2s", "1.5m", "200ms", "5us", "1h", a bare number is seconds. ERR_USAGE likewise. */
int unit_parse_duration(const char *text, uint64_t *ns, struct err *err);

/* Reads a plain unsigned decimal integer. ERR_USAGE for anything else. */
int unit_parse_count(const char *text, uint64_t *count, struct err *err);

#endif
