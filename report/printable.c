/* SPDX-License-Identifier: MIT */
/*
 * printable.c - text from outside, made safe to show.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "must.h"
#include "printable.h"

/* The longest escape, \U0010ffff, and the end of the string. */
enum { ESCAPE_MAX = 11 };

/* How many bytes follow a first byte, and the bits of it that belong to the code; -1: no start. */
static int utf8_follow(unsigned char first, uint32_t *bits)
{
	if (first >= 0xc2 && first <= 0xdf)
		return *bits = first & 0x1f, 1;
	if (first >= 0xe0 && first <= 0xef)
		return *bits = first & 0x0f, 2;
	if (first >= 0xf0 && first <= 0xf4)
		return *bits = first & 0x07, 3;
	return -1;
}

/* Longer than it need be, a surrogate, or beyond the last code point. */
static bool is_ill_formed(uint32_t code, int follow)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};

	return code < least[follow] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
}

size_t utf8_read(const char *text, uint32_t *code)
{
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t read = bytes[0];
	int follow;

	*code = UINT32_MAX;
	if (bytes[0] < 0x80) {
		*code = bytes[0];
		return 1;
	}
	follow = utf8_follow(bytes[0], &read);
	if (follow < 0)
		return 1;
	for (int i = 1; i <= follow; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
		read = read << 6 | (bytes[i] & 0x3f);
	}
	if (is_ill_formed(read, follow))
		return 1;
	*code = read;
	return (size_t)follow + 1;
}

/* Control characters, and the marks that reorder, join or hide what stands beside them. */
static bool is_unsafe(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{0x00, 0x1f},	  {0x7f, 0x9f},	    {0xad, 0xad},     {0x61c, 0x61c},
		{0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
		{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}, {UINT32_MAX, UINT32_MAX},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

static void escape(char out[ESCAPE_MAX], uint32_t code, unsigned char byte)
{
	static const char named[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
	const char *name = code && code < 0x80 ? strchr(named, (int)code) : NULL;

	if (name)
		snprintf(out, ESCAPE_MAX, "\\%c", letters[name - named]);
	else if (code < 0x80 || code == UINT32_MAX)
		snprintf(out, ESCAPE_MAX, "\\x%02x", byte);
	else
		snprintf(out, ESCAPE_MAX, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
}

char *printable_copy(const char *text, const char *keep)
{
	char *copy = must_allocate(strlen(text) * (ESCAPE_MAX - 1) + 1, 1), *end = copy;
	uint32_t code;
	size_t bytes;

	for (; *text; text += bytes) {
		bytes = utf8_read(text, &code);
		if (is_unsafe(code) && !(code < 0x80 && strchr(keep, (int)code))) {
			escape(end, code, (unsigned char)*text);
			end += strlen(end);
		} else {
			memcpy(end, text, bytes);
			end += bytes;
		}
	}
	*end = '\0';
	return copy;
}

static unsigned code_width(uint32_t code)
{
	int width = wcwidth((wchar_t)code);

	return width < 0 ? 1 : (unsigned)width;
}

size_t printable_fit(const char *text, unsigned width)
{
	unsigned used = 0;
	size_t at = 0, bytes;
	uint32_t code;

	for (; text[at]; at += bytes) {
		bytes = utf8_read(text + at, &code);
		used += code_width(code);
		if (used > width)
			break;
	}
	return at;
}

unsigned printable_width(const char *text)
{
	unsigned width = 0;
	uint32_t code;

	while (*text) {
		text += utf8_read(text, &code);
		width += code_width(code);
	}
	return width;
}

/* A blank where a line may end: not one between a number and its unit. */
static bool is_blank(const char *text, size_t at)
{
	bool number = at && isdigit((unsigned char)text[at - 1]);
	bool unit = isalpha((unsigned char)text[at + 1]) || text[at + 1] == '%';

	return text[at] == ' ' && !(number && unit);
}

/* The last place up to end where a line may end, or 0. */
static size_t last_break(const char *text, size_t end, enum fold fold)
{
	size_t at;

	for (at = end; at > end * fold / 100; at--)
		if (text[at] == ' ' && text[at - 1] == ',')
			return at;
	for (at = end; at > 0; at--)
		if (is_blank(text, at))
			return at;
	for (at = end; at > 0; at--)
		if (strchr(",;.:/=", text[at - 1]))
			return at;
	return 0;
}

size_t printable_fold(const char *text, unsigned width, enum fold fold, size_t *skip)
{
	size_t end = printable_fit(text, width), at;
	uint32_t code;

	if (text[end]) {
		at = last_break(text, end, fold);
		end = at ? at : end ? end : utf8_read(text, &code);
	}
	for (*skip = end; text[*skip] == ' '; ++*skip)
		;
	while (end > 0 && text[end - 1] == ' ')
		end--;
	return end;
}
