/* SPDX-License-Identifier: MIT */
/*
 * json_scan.c - a recogniser of JSON: one state, and a stack of what is open.
 */
#include "json_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text_scan.h"

/* What may come next. */
enum expected {
	VALUE,	     /* a value */
	ITEM_OR_END, /* after [ */
	KEY_OR_END,  /* after { */
	KEY,	     /* after a comma in an object */
	COLON,
	COMMA_OR_END, /* after a value inside something */
	NOTHING	      /* the document is whole */
};

struct scanner {
	const char *text, *at, *end;
	struct err *err;
	enum expected expected;
	char open[JSON_LEVELS_MAX]; /* the brackets that are open */
	size_t levels;
	struct json_extent *extent;
};

static int refuse(const struct scanner *scanner, const char *reason)
{
	if (scanner->at >= scanner->end)
		return text_refuse(scanner->err, scanner->text, scanner->end,
				   "the JSON ends in the middle");
	return text_refuse(scanner->err, scanner->text, scanner->at, "%s", reason);
}

/* A value has ended. */
static void ended(struct scanner *scanner)
{
	scanner->expected = scanner->levels ? COMMA_OR_END : NOTHING;
}

static int count_value(struct scanner *scanner)
{
	if (scanner->expected != VALUE && scanner->expected != ITEM_OR_END)
		return refuse(scanner, "a value where the JSON has no place for one");
	if (++scanner->extent->values > JSON_VALUES_MAX)
		return refuse(scanner, "the JSON has more than four million values");
	return 0;
}

static int open_level(struct scanner *scanner, char bracket)
{
	int code = count_value(scanner);

	if (code)
		return code;
	if (scanner->levels == JSON_LEVELS_MAX)
		return refuse(scanner, "the JSON is nested more than a hundred levels deep");
	scanner->open[scanner->levels++] = bracket;
	scanner->expected = bracket == '{' ? KEY_OR_END : ITEM_OR_END;
	scanner->at++;
	return 0;
}

static int close_level(struct scanner *scanner, char bracket)
{
	enum expected after_open = bracket == '{' ? KEY_OR_END : ITEM_OR_END;

	if (!scanner->levels || scanner->open[scanner->levels - 1] != bracket ||
	    (scanner->expected != after_open && scanner->expected != COMMA_OR_END))
		return refuse(scanner, "a bracket that closes nothing");
	scanner->levels--;
	scanner->at++;
	ended(scanner);
	return 0;
}

static int take_comma(struct scanner *scanner)
{
	if (scanner->expected != COMMA_OR_END)
		return refuse(scanner, "a comma where the JSON has no place for one");
	scanner->expected = scanner->open[scanner->levels - 1] == '{' ? KEY : VALUE;
	scanner->at++;
	return 0;
}

static int take_colon(struct scanner *scanner)
{
	if (scanner->expected != COLON)
		return refuse(scanner, "a colon where the JSON has no place for one");
	scanner->expected = VALUE;
	scanner->at++;
	return 0;
}

/* Behind a backslash: the bytes of the escape, 0 when it is none. */
static size_t escape_bytes(const char *at, size_t room)
{
	if (!room || !*at || !strchr("\"\\/bfnrtu", *at))
		return 0;
	if (*at != 'u')
		return 1;
	for (size_t i = 1; i <= 4; i++)
		if (i >= room || !isxdigit((unsigned char)at[i]))
			return 0;
	return 5;
}

static int skip_string(struct scanner *scanner)
{
	for (scanner->at++; scanner->at < scanner->end; scanner->at++) {
		size_t escape;

		if (*scanner->at == '"') {
			scanner->at++;
			return 0;
		}
		if ((unsigned char)*scanner->at < 0x20)
			return refuse(scanner, "a control character within a text");
		if (*scanner->at != '\\')
			continue;
		escape = escape_bytes(scanner->at + 1, (size_t)(scanner->end - scanner->at - 1));
		if (!escape)
			return refuse(scanner, "a backslash before what cannot be escaped");
		scanner->at += escape;
	}
	return refuse(scanner, "");
}

static int take_string(struct scanner *scanner)
{
	bool is_key = scanner->expected == KEY || scanner->expected == KEY_OR_END;
	int code = is_key ? 0 : count_value(scanner);

	if (!code)
		code = skip_string(scanner);
	if (is_key)
		scanner->expected = COLON;
	else
		ended(scanner);
	return code;
}

/* The run of characters that numbers and bare words are made of. */
static struct span bare_token(const struct scanner *scanner)
{
	const char *end = scanner->at;

	while (end < scanner->end &&
	       (isalnum((unsigned char)*end) || (*end && strchr("+-.", *end))))
		end++;
	return span_between(scanner->at, end);
}

static bool is_not_finite(struct span token)
{
	static const char *const words[] = {"nan", "inf", "infinity"};

	if (token.length && (token.start[0] == '-' || token.start[0] == '+'))
		token = span_between(token.start + 1, span_end(token));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (token.length == strlen(words[i]) &&
		    !strncasecmp(token.start, words[i], token.length))
			return true;
	return false;
}

/* The shape of a number in JSON, beyond what span_number asks for: no plus, no bare point, no
 * leading zeros. */
static bool is_json_number(struct span token)
{
	struct span whole, fraction;

	if (token.start[0] == '-')
		token = span_between(token.start + 1, span_end(token));
	if (!span_take_digits(&token, &whole) || (whole.length > 1 && whole.start[0] == '0'))
		return false;
	if (!span_starts(token, "."))
		return true;
	token = span_between(token.start + 1, span_end(token));
	return span_take_digits(&token, &fraction);
}

static int take_bare(struct scanner *scanner)
{
	struct span token = bare_token(scanner);
	int code = count_value(scanner);
	double number;

	if (code)
		return code;
	if (is_not_finite(token))
		scanner->extent->not_finite++;
	else if (token.length &&
		 (isdigit((unsigned char)token.start[0]) || token.start[0] == '-')) {
		if (!is_json_number(token) || !span_number(token, &number))
			return refuse(scanner, "this is no number, or none that can be held");
	} else if (!span_is(token, "true") && !span_is(token, "false") && !span_is(token, "null"))
		return refuse(scanner, "this is no JSON");
	scanner->at += token.length;
	ended(scanner);
	return 0;
}

static int take_token(struct scanner *scanner)
{
	switch (*scanner->at) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		scanner->at++;
		return 0;
	case '{':
	case '[':
		return open_level(scanner, *scanner->at);
	case '}':
		return close_level(scanner, '{');
	case ']':
		return close_level(scanner, '[');
	case ',':
		return take_comma(scanner);
	case ':':
		return take_colon(scanner);
	case '"':
		return take_string(scanner);
	default:
		return take_bare(scanner);
	}
}

int json_scan(const char *text, size_t length, const char *at, struct json_extent *extent,
	      struct err *err)
{
	struct scanner scanner = {.text = text,
				  .at = at,
				  .end = text + length,
				  .err = err,
				  .expected = VALUE,
				  .extent = extent};
	int code = 0;

	*extent = (struct json_extent){.end = at};
	while (!code && scanner.expected != NOTHING)
		code = scanner.at < scanner.end ? take_token(&scanner) : refuse(&scanner, "");
	extent->end = scanner.at;
	return code;
}

/* Behind a string that is known to be well-formed. */
static const char *string_end(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

/* One token of a document that is known to be well-formed: a text, a bare word or a number, or a
 * single character. */
static struct span next_token(const char *at, const char *end)
{
	if (*at == '"')
		return span_between(at, string_end(at));
	if (isalnum((unsigned char)*at) || *at == '-' || *at == '+')
		return bare_token(&(struct scanner){.at = at, .end = end});
	return (struct span){at, 1};
}

void json_each_value(const char *json, size_t length, json_value_fn fn, void *context)
{
	const char *at = json, *end = json + length;
	size_t index = 0;

	while (at < end) {
		struct span token = next_token(at, end);
		const char *next = span_end(token);

		while (next < end && *next && strchr(" \t\r\n", *next))
			next++;
		if (strchr("{[", *at) || (*at == '"' && (next == end || *next != ':')))
			fn(context, index++, (struct span){NULL, 0});
		else if (isalnum((unsigned char)*at) || *at == '-' || *at == '+')
			fn(context, index++, token);
		at = next;
	}
}

char *json_finite_copy(const char *at, const struct json_extent *extent, size_t *length)
{
	/* The shortest word, nan, has three bytes and becomes four. */
	char *copy = malloc((size_t)(extent->end - at) + extent->not_finite + 1), *to = copy;

	if (!copy)
		abort();
	while (at < extent->end) {
		struct span token = next_token(at, extent->end);

		at = span_end(token);
		if (is_not_finite(token))
			token = (struct span){"null", 4};
		memcpy(to, token.start, token.length);
		to += token.length;
	}
	*to = '\0';
	*length = (size_t)(to - copy);
	return copy;
}
