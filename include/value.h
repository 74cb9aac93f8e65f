/* SPDX-License-Identifier: MIT */
/*
 * value.h - the value of a parameter: a number in base units, or a short text.
 */
#ifndef ASSAY_VALUE_H
#define ASSAY_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_TEXT_MAX = 64 };

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT };

struct value {
	enum value_kind kind;
	uint64_t number;           /* VALUE_NUMBER: bytes, nanoseconds, percent or a count */
	char text[VALUE_TEXT_MAX]; /* VALUE_TEXT */
};

static inline struct value value_number(uint64_t number)
{
	return (struct value){.kind = VALUE_NUMBER, .number = number};
}

static inline struct value value_text(const char *text)
{
	struct value value = {.kind = VALUE_TEXT};

	snprintf(value.text, sizeof(value.text), "%s", text);
	return value;
}

static inline bool value_equal(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == VALUE_TEXT ? !strcmp(a->text, b->text) : a->number == b->number;
}

#endif
