/* SPDX-License-Identifier: MIT */
/*
 * text_scan.c - pieces of a text, lines, numbers.
 */
#include "text_scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX_BYTES = 64 };

struct span span_between(const char *start, const char *end)
{
	return (struct span){start, (size_t)(end - start)};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span span)
{
	while (span.length && is_blank(span.start[0])) {
		span.start++;
		span.length--;
	}
	while (span.length && is_blank(span.start[span.length - 1]))
		span.length--;
	return span;
}

bool span_is(struct span span, const char *text)
{
	return span.start && span.length == strlen(text) && !memcmp(span.start, text, span.length);
}

bool span_starts(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.start && span.length >= length && !memcmp(span.start, text, length);
}

bool span_ends(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.start && span.length >= length &&
	       !memcmp(span_end(span) - length, text, length);
}

const char *span_find(struct span span, const char *text)
{
	return span.length ? memmem(span.start, span.length, text, strlen(text)) : NULL;
}

const char *span_find_last(struct span span, const char *text)
{
	size_t length = strlen(text);
	const char *at = NULL;

	for (; span.length >= length; span.length = (size_t)(at - span.start) + length - 1) {
		at = memrchr(span.start, text[0], span.length - length + 1);
		if (!at || !memcmp(at, text, length))
			return at;
	}
	return NULL;
}

struct span span_after(struct span span, const char *text)
{
	const char *at = span_find(span, text);

	return at ? span_between(at + strlen(text), span_end(span)) : (struct span){NULL, 0};
}

bool span_next(struct span *rest, char separator, struct span *piece)
{
	const char *at;

	if (!rest->start)
		return false;
	at = rest->length ? memchr(rest->start, separator, rest->length) : NULL;
	if (!at) {
		*piece = *rest;
		rest->start = NULL;
		rest->length = 0;
		return true;
	}
	*piece = span_between(rest->start, at);
	*rest = span_between(at + 1, span_end(*rest));
	return true;
}

size_t span_count(struct span span, char what)
{
	size_t count = 0;

	for (size_t i = 0; i < span.length; i++)
		count += span.start[i] == what;
	return count;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool span_take_digits(struct span *rest, struct span *digits)
{
	size_t used = 0;

	while (used < rest->length && is_digit(rest->start[used]))
		used++;
	*digits = (struct span){rest->start, used};
	*rest = span_between(used ? rest->start + used : rest->start, span_end(*rest));
	return used > 0;
}

/* [-+]digits[.digits][e[-+]digits], with a digit before or after the point. */
static bool is_decimal(struct span span)
{
	struct span whole, fraction = {NULL, 0}, exponent;

	if (span.length && (span.start[0] == '-' || span.start[0] == '+'))
		span = span_between(span.start + 1, span_end(span));
	span_take_digits(&span, &whole);
	if (span.length && span.start[0] == '.') {
		span = span_between(span.start + 1, span_end(span));
		span_take_digits(&span, &fraction);
	}
	if (!whole.length && !fraction.length)
		return false;
	if (!span.length)
		return true;
	if (span.start[0] != 'e' && span.start[0] != 'E')
		return false;
	span = span_between(span.start + 1, span_end(span));
	if (span.length && (span.start[0] == '-' || span.start[0] == '+'))
		span = span_between(span.start + 1, span_end(span));
	return span_take_digits(&span, &exponent) && !span.length;
}

bool span_number(struct span span, double *number)
{
	char copy[NUMBER_MAX_BYTES];

	if (!span.length || span.length >= sizeof(copy) || !is_decimal(span))
		return false;
	memcpy(copy, span.start, span.length);
	copy[span.length] = '\0';
	*number = strtod(copy, NULL);
	return isfinite(*number);
}

bool span_integer(struct span span, uint64_t *number)
{
	uint64_t sum = 0;

	if (!span.length)
		return false;
	for (size_t i = 0; i < span.length; i++) {
		if (!is_digit(span.start[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(span.start[i] - '0'), &sum))
			return false;
	}
	*number = sum;
	return true;
}

/* The bytes of the well-formed UTF-8 character at the front (RFC 3629), or 0. */
static size_t character_bytes(const unsigned char *at, size_t room)
{
	static const struct {
		unsigned char mask, lead;
		size_t bytes;
		uint32_t least;
	} forms[] = {{0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
	uint32_t code;

	if (at[0] < 0x80)
		return at[0] ? 1 : 0;
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if ((at[0] & forms[f].mask) != forms[f].lead)
			continue;
		if (room < forms[f].bytes)
			return 0;
		code = at[0] & (unsigned char)~forms[f].mask;
		for (size_t i = 1; i < forms[f].bytes; i++) {
			if ((at[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (at[i] & 0x3f);
		}
		if (code < forms[f].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return 0;
		return forms[f].bytes;
	}
	return 0;
}

static const char replacement[] = "\xef\xbf\xbd";

/* How many bytes at the front are plain ASCII. */
static size_t ascii_bytes(struct span span)
{
	size_t used = 0;

	while (used < span.length && (unsigned char)span.start[used] - 1u < 0x7f)
		used++;
	return used;
}

/* Writes as many whole characters as fit below size; returns the bytes written, without the NUL. */
static size_t clean(struct span span, char *text, size_t size)
{
	size_t used = 0;

	while (span.length) {
		size_t plain = ascii_bytes(span), bytes = plain;
		const char *from = span.start;

		if (plain > size - used - 1)
			plain = bytes = size - used - 1; /* cut between any two of them */
		if (!plain)
			bytes = character_bytes((const unsigned char *)from, span.length);
		span = span_between(from + (bytes ? bytes : 1), span_end(span));
		if (!bytes) {
			from = replacement;
			bytes = sizeof(replacement) - 1;
		}
		if (!size || used + bytes >= size)
			break;
		memcpy(text + used, from, bytes);
		used += bytes;
	}
	text[used] = '\0';
	return used;
}

char *span_copy(struct span span)
{
	size_t size = span.length * (sizeof(replacement) - 1) + 1, used;
	char *text = malloc(size), *shorter;

	if (!text)
		abort();
	used = clean(span, text, size);
	shorter = realloc(text, used + 1);
	return shorter ? shorter : text;
}

const char *span_copy_to(struct span span, char *text, size_t size)
{
	clean(span, text, size);
	return text;
}

struct value span_value(struct span span)
{
	struct value value = {.kind = VALUE_TEXT};

	clean(span, value.text, sizeof(value.text));
	return value;
}

struct lines lines_of(const char *text, size_t length)
{
	return (struct lines){.rest = {text, length}};
}

bool lines_next(struct lines *lines)
{
	if (!lines->rest.length || !span_next(&lines->rest, '\n', &lines->line))
		return false;
	if (lines->line.length && span_end(lines->line)[-1] == '\r')
		lines->line.length--;
	return true;
}

int text_refuse(struct err *err, const char *text, const char *at, const char *format, ...)
{
	unsigned long line = 1, column = 1;
	char reason[sizeof(err->text) - 64];
	va_list args;

	for (; text < at; text++) {
		if (*text == '\n') {
			line++;
			column = 1;
		} else if ((*text & 0xc0) != 0x80) {
			column++;
		}
	}
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return err_set(err, -EINVAL, "line %lu, column %lu: %s", line, column, reason);
}
