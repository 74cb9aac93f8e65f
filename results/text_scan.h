/* SPDX-License-Identifier: MIT */
/*
 * text_scan.h - reading other programs' texts: pieces of the text as pointer and length, lines,
 * numbers, and refusals that say where.
 *
 * Nothing here copies or changes the text, and nothing relies on a NUL inside it.
 */
#ifndef ASSAY_TEXT_SCAN_H
#define ASSAY_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "value.h"

/* A piece of a text; start NULL: there is none. */
struct span {
	const char *start;
	size_t length;
};

static inline const char *span_end(struct span span)
{
	return span.length ? span.start + span.length : span.start;
}

struct span span_between(const char *start, const char *end);

/* Without blanks (space, tab, CR) at both ends. */
struct span span_trim(struct span span);

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
bool span_ends(struct span span, const char *text);

/* The place of a text in the span, first or last, or NULL. */
const char *span_find(struct span span, const char *text);
const char *span_find_last(struct span span, const char *text);

/* What stands behind the first place of a text, or a span without a start. */
struct span span_after(struct span span, const char *text);

/* Cuts the piece before the next separator off rest; false when rest is used up. An empty text
 * has one empty piece. */
bool span_next(struct span *rest, char separator, struct span *piece);

/* How many characters of this kind the span has. */
size_t span_count(struct span span, char what);

/* Takes digits off the front of rest; false when there are none. */
bool span_take_digits(struct span *rest, struct span *digits);

/* The whole span as a finite decimal number: digits, a point, an exponent, nothing else. */
bool span_number(struct span span, double *number);

/* The whole span as an unsigned decimal integer. */
bool span_integer(struct span span, uint64_t *number);

/* A copy for the caller to free in which bytes that are not UTF-8, and NUL, are U+FFFD. */
char *span_copy(struct span span);

/* The same into a buffer, cut between characters. Returns text. */
const char *span_copy_to(struct span span, char *text, size_t size);

/* A text value, cut between characters when it is too long. */
struct value span_value(struct span span);

/* Lines of a text without their ends (LF or CR LF). */
struct lines {
	struct span rest;
	struct span line;
};

struct lines lines_of(const char *text, size_t length);
bool lines_next(struct lines *lines);

/* A refusal, -EINVAL: "line N, column M: " and the reason. The column counts characters. */
__attribute__((format(printf, 4, 5))) int text_refuse(struct err *err, const char *text,
						      const char *at, const char *format, ...);

#endif
