/* SPDX-License-Identifier: MIT */
/*
 * units.c - quantities in words, both ways. Parsing is done in 128-bit integers, so that "1.5m"
 * and "3t" are exact and nothing wraps.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

__extension__ typedef unsigned __int128 wide;

struct scale {
	const char *shown; /* by unit_format */
	const char *typed; /* by people, and by unit_format_size and unit_format_duration */
	uint64_t factor;   /* in base units */
};

/* Each ends with a NULL name and ascends from the base unit. */
static const struct scale size_scales[] = {
	{"B", "", 1},
	{"KiB", "k", 1ULL << 10},
	{"MiB", "m", 1ULL << 20},
	{"GiB", "g", 1ULL << 30},
	{"TiB", "t", 1ULL << 40},
	{"PiB", "p", 1ULL << 50},
	{NULL, NULL, 0},
};
static const struct scale duration_scales[] = {
	{"ns", "ns", 1},
	{"us", "us", 1000},
	{"ms", "ms", 1000000},
	{"s", "s", 1000000000},
	{"min", "m", 60 * 1000000000ULL},
	{"h", "h", 3600 * 1000000000ULL},
	{NULL, NULL, 0},
};
static const struct scale rate_scales[] = {
	{"/s", NULL, 1},
	{"k/s", NULL, 1000},
	{"M/s", NULL, 1000000},
	{"G/s", NULL, 1000000000},
	{NULL, NULL, 0},
};
static const struct scale percent_scales[] = {{"%", NULL, 1}, {NULL, NULL, 0}};
static const struct scale plain_scales[] = {{"", NULL, 1}, {NULL, NULL, 0}};

static const struct unit_words {
	const char *name; /* in exports */
	const struct scale *scales;
	const char *after; /* what follows the scale's name */
} words[UNIT_COUNT_OF] = {
	[UNIT_NONE] = {"", plain_scales, ""},
	[UNIT_COUNT] = {"", plain_scales, ""},
	[UNIT_BYTES] = {"bytes", size_scales, ""},
	[UNIT_BYTES_PER_S] = {"bytes/s", size_scales, "/s"},
	[UNIT_NS] = {"ns", duration_scales, ""},
	[UNIT_PER_S] = {"1/s", rate_scales, ""},
	[UNIT_PERCENT] = {"percent", percent_scales, ""},
};

const char *unit_name(enum unit unit)
{
	return words[unit].name;
}

enum unit unit_find(const char *name)
{
	if (!name || !*name)
		return UNIT_NONE;
	for (int unit = 0; unit < UNIT_COUNT_OF; unit++)
		if (!strcmp(words[unit].name, name))
			return (enum unit)unit;
	return UNIT_NONE;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Decimals that leave three significant digits of a number of at least 1 once it is rounded. */
static int decimals_of(double number)
{
	if (round(number * 100) < 1000)
		return 2;
	return round(number * 10) < 1000 ? 1 : 0;
}

/* The number as it will be read: 1023.9 is printed as 1024, which is one of the next scale. */
static double as_printed(double number)
{
	double power = pow(10, decimals_of(number));

	return round(number * power) / power;
}

static const struct scale *scale_of(const struct scale *scale, double size)
{
	while (scale[1].shown && as_printed(size / (double)scale->factor) * (double)scale->factor >=
					 (double)scale[1].factor)
		scale++;
	return scale;
}

/* Whole numbers of the base unit are printed whole; below 1 digits count from the first that is
 * not zero; what would fill the text is printed with an exponent. */
static void format_number(char *text, size_t size, double number, bool whole)
{
	if (fabs(number) >= 1e15)
		snprintf(text, size, "%.3g", number);
	else if (whole)
		snprintf(text, size, "%.0f", number);
	else if (fabs(number) < 1 && as_printed(fabs(number)) < 1)
		snprintf(text, size, "%.3g", number);
	else
		snprintf(text, size, "%.*f", decimals_of(fabs(number)), number);
}

const char *unit_format(char text[UNIT_TEXT_MAX], enum unit unit, double value)
{
	const struct unit_words *word = &words[unit];
	const struct scale *scale;
	char number[UNIT_TEXT_MAX - 8]; /* the longest unit, " KiB/s", fits behind it */
	bool whole;

	if (!isfinite(value)) {
		snprintf(text, UNIT_TEXT_MAX, "n/a");
		return text;
	}
	scale = scale_of(word->scales, fabs(value));
	whole = unit == UNIT_COUNT || (scale->factor == 1 && value == rint(value));
	format_number(number, sizeof(number), value / (double)scale->factor, whole);
	snprintf(text, UNIT_TEXT_MAX, "%s%s%s%s", number, *scale->shown ? " " : "", scale->shown,
		 word->after);
	return text;
}

/* Writes a whole number of the largest scale that divides it. */
static const char *format_exact(char text[UNIT_TEXT_MAX], const struct scale *scales,
				uint64_t number)
{
	const struct scale *scale = scales, *largest = scales;

	for (; number && scale->typed; scale++)
		if (number % scale->factor == 0)
			largest = scale;
	snprintf(text, UNIT_TEXT_MAX, "%llu%s", (unsigned long long)(number / largest->factor),
		 largest->typed);
	return text;
}

const char *unit_format_size(char text[UNIT_TEXT_MAX], uint64_t bytes)
{
	return format_exact(text, size_scales, bytes);
}

const char *unit_format_duration(char text[UNIT_TEXT_MAX], uint64_t ns)
{
	if (ns)
		return format_exact(text, duration_scales, ns);
	snprintf(text, UNIT_TEXT_MAX, "0s");
	return text;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* A decimal number: whole + fraction / denominator. */
struct decimal {
	uint64_t whole, fraction, denominator;
	bool too_large;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits of a fraction beyond the fifteenth are below one base unit in every scale and dropped. */
static const char *read_fraction(const char *text, struct decimal *decimal)
{
	for (; is_digit(*text); text++) {
		if (decimal->denominator >= 1000000000000000ULL)
			continue;
		decimal->fraction = decimal->fraction * 10 + (uint64_t)(*text - '0');
		decimal->denominator *= 10;
	}
	return text;
}

/* Reads "12" or "12.5" and returns what follows it, or NULL if there is no number. */
static const char *read_decimal(const char *text, struct decimal *decimal)
{
	*decimal = (struct decimal){.denominator = 1};
	if (!is_digit(*text))
		return NULL;
	for (; is_digit(*text); text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (__builtin_mul_overflow(decimal->whole, 10, &decimal->whole) ||
		    __builtin_add_overflow(decimal->whole, digit, &decimal->whole))
			decimal->too_large = true;
	}
	if (*text != '.')
		return text;
	return is_digit(text[1]) ? read_fraction(text + 1, decimal) : NULL;
}

/* "k", "KiB" and "kB" name the same size; durations have no such third form. */
static const struct scale *find_scale(const struct scale *scales, const char *suffix)
{
	size_t length = strlen(suffix);

	for (const struct scale *scale = scales; scale->typed; scale++) {
		size_t typed = strlen(scale->typed);

		if (!strcasecmp(suffix, scale->typed) || !strcasecmp(suffix, scale->shown))
			return scale;
		if (scales == size_scales && length == typed + 1 &&
		    !strncasecmp(suffix, scale->typed, typed) && !strcasecmp(suffix + typed, "B"))
			return scale;
	}
	return NULL;
}

/* A kind of quantity that is read: its words in messages, its scales. */
struct quantity {
	const char *name, *example, *limit;
	const struct scale *scales;
	const char *bare; /* the suffix that a bare number has */
};

static const struct quantity size_quantity = {
	"a size", "8k, 1.5g or 4096: k m g t p are powers of 1024", "8 EiB", size_scales, ""};
static const struct quantity duration_quantity = {
	"a duration", "200ms, 1.5m or 2: us ms s m h, a bare number is seconds", "292 years",
	duration_scales, "s"};

static int parse_quantity(const struct quantity *quantity, const char *text, uint64_t *result,
			  struct err *err)
{
	struct decimal decimal;
	const char *suffix = read_decimal(text, &decimal);
	const struct scale *scale = NULL;
	wide number;

	if (suffix)
		scale = find_scale(quantity->scales, *suffix ? suffix : quantity->bare);
	if (!scale)
		return err_set(err, ERR_USAGE, "\"%.80s\" is not %s; write it like %s", text,
			       quantity->name, quantity->example);
	number = (wide)decimal.whole * scale->factor +
		 (wide)decimal.fraction * scale->factor / decimal.denominator;
	if (decimal.too_large || number > INT64_MAX)
		return err_set(err, ERR_USAGE, "\"%.80s\" is too large for %s; the limit is %s",
			       text, quantity->name, quantity->limit);
	if (decimal.fraction && (scale->factor == 1 || !number))
		return err_set(err, ERR_USAGE, "\"%.80s\" is not %s; it is a fraction of a %s",
			       text, quantity->name,
			       quantity == &size_quantity ? "byte" : "nanosecond");
	*result = (uint64_t)number;
	return 0;
}

int unit_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	return parse_quantity(&size_quantity, text, bytes, err);
}

int unit_parse_duration(const char *text, uint64_t *ns, struct err *err)
{
	return parse_quantity(&duration_quantity, text, ns, err);
}

int unit_parse_count(const char *text, uint64_t *count, struct err *err)
{
	struct decimal decimal;
	const char *rest = read_decimal(text, &decimal);

	if (!rest || *rest || decimal.denominator != 1)
		return err_set(err, ERR_USAGE, "\"%.80s\" is not a whole number", text);
	if (decimal.too_large)
		return err_set(err, ERR_USAGE, "\"%.80s\" is too large; the limit is %llu", text,
			       (unsigned long long)UINT64_MAX);
	*count = decimal.whole;
	return 0;
}
