/* SPDX-License-Identifier: MIT */
/*
 * param.c - reads and writes the values of declared parameters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "param.h"

enum unit param_unit(const struct param *param)
{
	switch (param->kind) {
	case PARAM_COUNT:
		return UNIT_COUNT;
	case PARAM_SIZE:
		return UNIT_BYTES;
	case PARAM_DURATION:
		return UNIT_NS;
	case PARAM_PERCENT:
		return UNIT_PERCENT;
	case PARAM_CHOICE:
	case PARAM_RANGE:
	case PARAM_TEXT:
		break;
	}
	return UNIT_NONE;
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *format_number(const struct param *param, uint64_t number,
				 char text[UNIT_TEXT_MAX])
{
	if (param->kind == PARAM_SIZE || param->kind == PARAM_RANGE)
		return unit_format_size(text, number);
	if (param->kind == PARAM_DURATION)
		return unit_format_duration(text, number);
	snprintf(text, UNIT_TEXT_MAX, "%" PRIu64, number);
	return text;
}

/* Reads the canonical "LOW:HIGH". */
static int read_range(const char *text, uint64_t *low, uint64_t *high)
{
	int used = 0;
	int fields = sscanf(text, "%" SCNu64 ":%" SCNu64 "%n", low, high, &used);

	return fields == 2 && !text[used] ? 0 : -1;
}

static void format_range(const struct param *param, const char *canonical,
			 char text[VALUE_TEXT_MAX])
{
	char low_text[UNIT_TEXT_MAX], high_text[UNIT_TEXT_MAX];
	uint64_t low, high;

	if (read_range(canonical, &low, &high)) {
		snprintf(text, VALUE_TEXT_MAX, "%s", canonical);
		return;
	}
	format_number(param, low, low_text);
	format_number(param, high, high_text);
	if (low == high)
		snprintf(text, VALUE_TEXT_MAX, "%s", low_text);
	else
		snprintf(text, VALUE_TEXT_MAX, "%s:%s", low_text, high_text);
}

const char *param_format(const struct param *param, const struct value *value,
			 char text[VALUE_TEXT_MAX])
{
	char number[UNIT_TEXT_MAX];

	text[0] = '\0';
	if (value->kind == VALUE_NUMBER)
		snprintf(text, VALUE_TEXT_MAX, "%s", format_number(param, value->number, number));
	else if (value->kind == VALUE_TEXT && param->kind == PARAM_RANGE)
		format_range(param, value->text, text);
	else if (value->kind == VALUE_TEXT)
		snprintf(text, VALUE_TEXT_MAX, "%s", value->text);
	return text;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* "30" and "30%" are the same. */
static int parse_percent(const char *text, uint64_t *number, struct err *err)
{
	char digits[UNIT_TEXT_MAX];
	size_t length = strlen(text);

	if (length < 2 || length >= sizeof(digits) || text[length - 1] != '%')
		return unit_parse_count(text, number, err);
	memcpy(digits, text, length - 1);
	digits[length - 1] = '\0';
	return unit_parse_count(digits, number, err);
}

static int parse_words(const struct param *param, const char *text, uint64_t *number,
		       struct err *err)
{
	switch (param->kind) {
	case PARAM_SIZE:
	case PARAM_RANGE:
		return unit_parse_size(text, number, err);
	case PARAM_DURATION:
		return unit_parse_duration(text, number, err);
	case PARAM_PERCENT:
		return parse_percent(text, number, err);
	default:
		return unit_parse_count(text, number, err);
	}
}

static int check_limits(const struct param *param, const char *text, uint64_t number,
			struct err *err)
{
	uint64_t max = !param->max && param->kind == PARAM_PERCENT ? 100 : param->max;
	char limit[UNIT_TEXT_MAX];

	if (number < param->min)
		return err_set(err, ERR_USAGE, "%s: \"%.80s\" is too small; the smallest is %s",
			       param->name, text, format_number(param, param->min, limit));
	if (max && number > max)
		return err_set(err, ERR_USAGE, "%s: \"%.80s\" is too large; the largest is %s",
			       param->name, text, format_number(param, max, limit));
	return 0;
}

static int parse_number(const struct param *param, const char *text, uint64_t *number,
			struct err *err)
{
	struct err cause;
	int code = parse_words(param, text, number, &cause);

	if (code)
		return err_set(err, code, "%s: %s", param->name, cause.text);
	return check_limits(param, text, *number, err);
}

static int parse_range(const struct param *param, const char *text, struct value *value,
		       struct err *err)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char low_text[UNIT_TEXT_MAX];
	uint64_t low, high;
	int code;

	if (length >= sizeof(low_text))
		return err_set(err, ERR_USAGE, "%s: \"%.80s\" is not a size or two sizes LOW:HIGH",
			       param->name, text);
	memcpy(low_text, text, length);
	low_text[length] = '\0';
	if ((code = parse_number(param, low_text, &low, err)))
		return code;
	if ((code = parse_number(param, colon ? colon + 1 : low_text, &high, err)))
		return code;
	if (low > high)
		return err_set(err, ERR_USAGE, "%s: \"%.80s\" has its low end above its high end",
			       param->name, text);
	*value = (struct value){.kind = VALUE_TEXT};
	snprintf(value->text, sizeof(value->text), "%" PRIu64 ":%" PRIu64, low, high);
	return 0;
}

static void list_choices(const struct param *param, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (const char *const *choice = param->choices; *choice && used < size; choice++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 *choice);
	if ((param->flags & PARAM_AUTO) && used < size)
		snprintf(text + used, size - used, ", auto");
}

static int parse_choice(const struct param *param, const char *text, struct value *value,
			struct err *err)
{
	const char *near;
	char all[500];

	for (const char *const *choice = param->choices; *choice; choice++)
		if (!strcmp(*choice, text)) {
			*value = value_text(text);
			return 0;
		}
	list_choices(param, all, sizeof(all));
	near = nearest_name(text, param->choices);
	if (near)
		return err_set(err, ERR_USAGE,
			       "%s: \"%.80s\" is not one of %s; did you mean \"%s\"?", param->name,
			       text, all, near);
	return err_set(err, ERR_USAGE, "%s: \"%.80s\" is not one of %s", param->name, text, all);
}

static int parse_text(const struct param *param, const char *text, struct value *value,
		      struct err *err)
{
	if (strlen(text) >= VALUE_TEXT_MAX)
		return err_set(err, ERR_USAGE, "%s: \"%.80s\" is longer than %d bytes", param->name,
			       text, VALUE_TEXT_MAX - 1);
	*value = value_text(text);
	return 0;
}

int param_parse(const struct param *param, const char *text, struct value *value, struct err *err)
{
	uint64_t number;
	int code;

	if ((param->flags & PARAM_AUTO) && !strcmp(text, "auto")) {
		*value = value_text(text);
		return 0;
	}
	if (param->kind == PARAM_CHOICE)
		return parse_choice(param, text, value, err);
	if (param->kind == PARAM_RANGE)
		return parse_range(param, text, value, err);
	if (param->kind == PARAM_TEXT)
		return parse_text(param, text, value, err);
	code = parse_number(param, text, &number, err);
	if (!code)
		*value = value_number(number);
	return code;
}

/* ---- the nearest name ------------------------------------------------------------------------ */

enum { NEAR_MAX = 63 }; /* longer names are never near */

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and
 * swaps of neighbours count 1, and no part is edited twice. Three rows of the matrix suffice. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned rows[3][NEAR_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_length; j++)
		above[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = smaller(above[j - 1] + (a[i - 1] != b[j - 1]),
					 smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[b_length];
}

const char *nearest_name(const char *typed, const char *const names[])
{
	size_t typed_length = strlen(typed);
	unsigned least = UINT32_MAX;
	const char *nearest = NULL;

	for (; *names && typed_length <= NEAR_MAX; names++) {
		size_t length = strlen(*names);
		size_t longer = length > typed_length ? length : typed_length;
		unsigned distance;

		if (longer > NEAR_MAX)
			continue;
		distance = edit_distance(typed, typed_length, *names, length);
		if (distance * 3 <= longer && distance < least) {
			least = distance;
			nearest = *names;
		}
	}
	return nearest;
}
