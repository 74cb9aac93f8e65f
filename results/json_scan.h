/* SPDX-License-Identifier: MIT */
/*
 * json_scan.h - where a JSON document ends, and where it is broken.
 */
#ifndef ASSAY_JSON_SCAN_H
#define ASSAY_JSON_SCAN_H

#include <stddef.h>

#include "err.h"
#include "text_scan.h"

enum { JSON_LEVELS_MAX = 100, JSON_VALUES_MAX = 4000000 };

struct json_extent {
	const char *end;   /* behind the document */
	size_t values;	   /* keys apart */
	size_t not_finite; /* bare words like nan and inf among them */
};

/* Scans the document at `at`, which lies in text. Refused, with line and column: what is no JSON
 * (RFC 8259) but for those words, a number beyond what a double holds, more than JSON_LEVELS_MAX
 * levels or JSON_VALUES_MAX values. */
int json_scan(const char *text, size_t length, const char *at, struct json_extent *extent,
	      struct err *err);

/* A copy, for the caller to free, of a document that was scanned, with null in place of each word.
 */
char *json_finite_copy(const char *at, const struct json_extent *extent, size_t *length);

/* Calls fn for each value of a document that was scanned, in the order of the text, with the bare
 * word or number it is (nothing for texts and containers). */
typedef void (*json_value_fn)(void *context, size_t index, struct span token);
void json_each_value(const char *json, size_t length, json_value_fn fn, void *context);

#endif
