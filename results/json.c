/* SPDX-License-Identifier: MIT */
/*
 * json.c - writes JSON, one item after the other.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"

void json_init(struct json *json, FILE *out)
{
	memset(json, 0, sizeof(*json));
	json->out = out;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static void new_line(const struct json *json)
{
	fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

/* What stands between the item before and this one. */
static void separate(struct json *json)
{
	bool first = !json->has_items[json->depth];

	json->has_items[json->depth] = true;
	if (!json->depth) {
		assert(first); /* a document is one value */
		return;
	}
	if (!first)
		putc(',', json->out);
	if (json->broad[json->depth])
		new_line(json);
	else if (!first)
		putc(' ', json->out);
}

/* In an object the key was separated from what is before it, and a value follows a key only. */
static void before_value(struct json *json)
{
	assert(json->after_key == json->is_object[json->depth]);
	if (!json->after_key)
		separate(json);
	json->after_key = false;
}

static void open_container(struct json *json, bool is_object, bool broad)
{
	before_value(json);
	assert(json->depth + 1 < JSON_DEPTH_MAX);
	json->depth++;
	json->has_items[json->depth] = false;
	json->is_object[json->depth] = is_object;
	json->broad[json->depth] = broad;
	putc(is_object ? '{' : '[', json->out);
}

static void close_container(struct json *json, bool is_object)
{
	bool on_new_line = json->broad[json->depth] && json->has_items[json->depth];

	assert(json->depth && json->is_object[json->depth] == is_object && !json->after_key);
	json->depth--;
	if (on_new_line)
		new_line(json);
	putc(is_object ? '}' : ']', json->out);
}

void json_object_open(struct json *json, bool broad)
{
	open_container(json, true, broad);
}

void json_object_close(struct json *json)
{
	close_container(json, true);
}

void json_array_open(struct json *json, bool broad)
{
	open_container(json, false, broad);
}

void json_array_close(struct json *json)
{
	close_container(json, false);
}

void json_end(struct json *json)
{
	assert(!json->depth && !json->after_key);
	putc('\n', json->out);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The least code point that needs a sequence of each length. */
static const uint32_t least_of_length[] = {0, 0, 0x80, 0x800, 0x10000};

/* Reads one code point of well-formed UTF-8 and returns its length, or 0: no overlong spelling,
 * no surrogate, nothing beyond U+10FFFF. Stops at the final NUL. */
static size_t read_utf8(const unsigned char *text, uint32_t *code_point)
{
	size_t length = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;

	*code_point = *text;
	if (length == 1)
		return 1;
	if (*text < 0xc0 || *text >= 0xf8)
		return 0;
	*code_point &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code_point = *code_point << 6 | (text[i] & 0x3f);
	}
	if (*code_point < least_of_length[length] || *code_point > 0x10ffff ||
	    (*code_point >= 0xd800 && *code_point < 0xe000))
		return 0;
	return length;
}

/* Besides what JSON asks for, all other control characters (DEL and U+0080 to U+009F) and the two
 * line separators are escaped: the text may end on a terminal or in a script. */
static void write_code_point(FILE *out, uint32_t code_point, const unsigned char *bytes,
			     size_t length)
{
	static const char short_escapes[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
					     ['\r'] = 'r', ['"'] = '"',	 ['\\'] = '\\'};

	if (code_point < sizeof(short_escapes) && short_escapes[code_point])
		fprintf(out, "\\%c", short_escapes[code_point]);
	else if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
		 code_point == 0x2028 || code_point == 0x2029)
		fprintf(out, "\\u%04" PRIx32, code_point);
	else
		fwrite(bytes, 1, length, out);
}

static void write_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putc('"', out);
	while (*at) {
		uint32_t code_point;
		size_t length = read_utf8(at, &code_point);

		if (length)
			write_code_point(out, code_point, at, length);
		else
			fputs("\xef\xbf\xbd", out); /* U+FFFD, for each byte that fits nowhere */
		at += length ? length : 1;
	}
	putc('"', out);
}

/* ---- items ----------------------------------------------------------------------------------- */

void json_key(struct json *json, const char *key)
{
	assert(json->is_object[json->depth] && !json->after_key);
	separate(json);
	write_string(json->out, key);
	fputs(": ", json->out);
	json->after_key = true;
}

void json_null(struct json *json)
{
	before_value(json);
	fputs("null", json->out);
}

void json_text(struct json *json, const char *text)
{
	if (!text) {
		json_null(json);
		return;
	}
	before_value(json);
	write_string(json->out, text);
}

void json_integer(struct json *json, int64_t number)
{
	before_value(json);
	fprintf(json->out, "%" PRId64, number);
}

void json_unsigned(struct json *json, uint64_t number)
{
	before_value(json);
	fprintf(json->out, "%" PRIu64, number);
}

void json_real(struct json *json, double number)
{
	if (!isfinite(number)) {
		json_null(json);
		return;
	}
	before_value(json);
	fprintf(json->out, "%.17g", number);
}

void json_bool(struct json *json, bool truth)
{
	before_value(json);
	fputs(truth ? "true" : "false", json->out);
}

void json_value(struct json *json, const struct value *value)
{
	if (value->kind == VALUE_NUMBER)
		json_unsigned(json, value->number);
	else
		json_text(json, value->kind == VALUE_TEXT ? value->text : NULL);
}

void json_fact(struct json *json, const struct fact *fact)
{
	switch (fact->kind) {
	case FACT_TEXT:
		json_text(json, fact->text);
		break;
	case FACT_INTEGER:
		json_integer(json, fact->integer);
		break;
	case FACT_REAL:
		json_real(json, fact->real);
		break;
	}
}
