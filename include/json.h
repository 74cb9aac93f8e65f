/* SPDX-License-Identifier: MIT */
/*
 * json.h - the one typed JSON writer. Numbers have 17 digits, what is not finite becomes null,
 * text is escaped and invalid UTF-8 replaced. Mistakes in nesting are our own: assert.
 */
#ifndef ASSAY_JSON_H
#define ASSAY_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fact.h"
#include "value.h"

enum { JSON_DEPTH_MAX = 16 };

struct json {
	FILE *out;
	unsigned depth;
	bool has_items[JSON_DEPTH_MAX]; /* at each depth: a comma is due before the next item */
	bool is_object[JSON_DEPTH_MAX]; /* at each depth: else an array, or the document itself */
	bool after_key;
	bool broad[JSON_DEPTH_MAX];     /* items of this container stand on lines of their own */
};

void json_init(struct json *json, FILE *out);

/* Opens and closes; broad puts each item on a line of its own. */
void json_object_open(struct json *json, bool broad);
void json_object_close(struct json *json);
void json_array_open(struct json *json, bool broad);
void json_array_close(struct json *json);

void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *text); /* NULL: null */
void json_integer(struct json *json, int64_t number);
void json_unsigned(struct json *json, uint64_t number);
void json_real(struct json *json, double number);
void json_bool(struct json *json, bool truth);
void json_null(struct json *json);
void json_value(struct json *json, const struct value *value);
void json_fact(struct json *json, const struct fact *fact);

/* Ends the document with a newline. */
void json_end(struct json *json);

#endif
