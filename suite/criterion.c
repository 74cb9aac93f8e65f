/* SPDX-License-Identifier: MIT */
/*
 * criterion.c - see criterion.h.
 */
#include "criterion.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "param.h"

enum { NAMES_MAX = 128 };

static int refuse(const struct criterion *criterion, const char *kind, const char *typed,
		  const char *const names[], struct err *err)
{
	const char *near = nearest_name(typed, names);

	return err_set(err, ERR_USAGE, "criterion \"%s\": there is no %s \"%s\"%s%s%s",
		       criterion->text, kind, typed, near ? "; did you mean \"" : "",
		       near ? near : "", near ? "\"?" : "");
}

/* ---- the three names ---- */

static int find_phase(struct criterion *criterion, const char *name, struct err *err)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	criterion->phase = phase_find(name);
	if (criterion->phase)
		return 0;
	for (; phases[count] && count + 1 < NAMES_MAX; count++)
		names[count] = phases[count]->name;
	names[count] = NULL;
	return refuse(criterion, "phase", name, names, err);
}

static int find_operation(struct criterion *criterion, struct err *err)
{
	const char *names[OPERATIONS_MAX + 2];
	size_t count = 0;

	names[count++] = "all";
	for (size_t i = 0; criterion->phase->operations[i].name; i++)
		names[count++] = criterion->phase->operations[i].name;
	names[count] = NULL;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], criterion->operation))
			return 0;
	return refuse(criterion, "operation", criterion->operation, names, err);
}

static int find_metric(struct criterion *criterion, struct err *err)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	const struct metric *metric = metric_find(criterion->metric),
			    *own = criterion->phase->metrics;

#define METRIC_NAME(name, unit, better, help) names[count++] = #name;
	METRICS(METRIC_NAME)
#undef METRIC_NAME
	for (; !metric && own && own->name; own++) {
		names[count++] = own->name;
		if (!strcmp(own->name, criterion->metric))
			metric = own;
	}
	names[count] = NULL;
	if (!metric)
		return refuse(criterion, "metric", criterion->metric, names, err);
	criterion->unit = metric->unit;
	return 0;
}

/* ---- parameters ---- */

static int add_parameter(struct criterion *criterion, char *word, struct err *err)
{
	const char *names[POINT_PARAMS_MAX + 1];
	char *equals = strchr(word, '=');
	struct err why = {0};
	int index, count = 0;

	if (!equals)
		return err_set(err, ERR_USAGE, "criterion \"%s\": \"%s\" is not PARAMETER=VALUE",
			       criterion->text, word);
	*equals = '\0';
	index = phase_param_index(criterion->phase, word);
	for (; criterion->phase->params[count].param; count++)
		names[count] = criterion->phase->params[count].param->name;
	names[count] = NULL;
	if (index < 0)
		return refuse(criterion, "parameter", word, names, err);
	if (criterion->parameter_count == CRITERION_PARAMETERS_MAX)
		return err_set(err, ERR_USAGE, "criterion \"%s\": more than %d parameters",
			       criterion->text, CRITERION_PARAMETERS_MAX);
	snprintf(criterion->parameters[criterion->parameter_count].name, NAME_MAX_BYTES, "%s",
		 word);
	if (param_parse(criterion->phase->params[index].param, equals + 1,
			&criterion->parameters[criterion->parameter_count++].value, &why))
		return err_set(err, ERR_USAGE, "criterion \"%s\": %s", criterion->text, why.text);
	return 0;
}

static int read_parameters(struct criterion *criterion, char *words, struct err *err)
{
	char *word;
	int code = 0;

	while (!code && (word = strsep(&words, ",")))
		code = add_parameter(criterion, word, err);
	return code;
}

/* ---- the limit ---- */

static int unfit(const struct criterion *criterion, const char *limit, const char *wanted,
		 struct err *err)
{
	return err_set(err, ERR_USAGE, "criterion \"%s\": %s is %s, which \"%s\" is not",
		       criterion->text, criterion->metric, wanted, limit);
}

static int read_number(struct criterion *criterion, const char *limit, const char *suffix,
		       const char *wanted, struct err *err)
{
	char *end;

	criterion->limit = strtod(limit, &end);
	if (end == limit || !isfinite(criterion->limit) || criterion->limit < 0)
		return unfit(criterion, limit, wanted, err);
	if (*end == 'k' && criterion->unit == UNIT_PER_S) {
		criterion->limit *= 1000;
		end++;
	}
	if (*end && strcmp(end, suffix))
		return unfit(criterion, limit, wanted, err);
	return 0;
}

static int read_limit(struct criterion *criterion, char *limit, struct err *err)
{
	size_t length = strlen(limit);
	bool per_s = length > 2 && !strcmp(limit + length - 2, "/s");
	uint64_t whole = 0;
	int code = 0;

	switch (criterion->unit) {
	case UNIT_NS:
		/* A bare number would be seconds: too easy to get wrong for a latency. */
		code = isalpha((unsigned char)limit[length ? length - 1 : 0])
			       ? unit_parse_duration(limit, &whole, NULL)
			       : ERR_USAGE;
		criterion->limit = (double)whole;
		return code ? unfit(criterion, limit,
				    "a duration with its unit, such as 2ms", err) : 0;
	case UNIT_BYTES:
	case UNIT_BYTES_PER_S:
		if (per_s && criterion->unit == UNIT_BYTES_PER_S)
			limit[length - 2] = '\0';
		code = unit_parse_size(limit, &whole, NULL);
		criterion->limit = (double)whole;
		return code ? unfit(criterion, limit,
				    "in bytes, such as 200m or 200MiB/s", err) : 0;
	case UNIT_PER_S:
		return read_number(criterion, limit, "/s", "a number per second, such as 5000 or "
							   "5k/s",
				   err);
	case UNIT_PERCENT:
		return read_number(criterion, limit, "%", "a percentage", err);
	default:
		return read_number(criterion, limit, "", "a plain number", err);
	}
}

/* ---- all of it ---- */

static void without_blanks(char *out, size_t size, const char *text)
{
	size_t used = 0;

	for (; *text && used + 1 < size; text++)
		if (!isspace((unsigned char)*text))
			out[used++] = *text;
	out[used] = '\0';
}

static int malformed(const struct criterion *criterion, struct err *err)
{
	return err_set(err, ERR_USAGE, "criterion \"%s\": wants "
				       "PHASE.OPERATION.METRIC[PARAMETER=VALUE,...] <= LIMIT, or "
				       ">=", criterion->text);
}

static int malformed_metric(const struct criterion *criterion, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "\"%s\": wants PHASE.OPERATION.METRIC[PARAMETER=VALUE,...]",
		       criterion->text);
}

enum { WORDS_MAX = sizeof(((struct criterion *)0)->text) };

static int start(struct criterion *criterion, const char *text, char words[WORDS_MAX],
		 struct err *err)
{
	*criterion = (struct criterion){0};
	if (snprintf(criterion->text, sizeof(criterion->text), "%s", text) >=
	    (int)sizeof(criterion->text))
		return err_set(err, ERR_USAGE, "a criterion is longer than %zu characters",
			       sizeof(criterion->text) - 1);
	without_blanks(words, WORDS_MAX, text);
	return 0;
}

/* PHASE.OPERATION.METRIC[PARAMETER=VALUE,...], which is taken apart. */
static int read_metric(struct criterion *criterion, char *words,
		       int (*refuse_form)(const struct criterion *, struct err *), struct err *err)
{
	char *bracket = strchr(words, '['), *rest = words, *phase_name, *operation, *metric;
	int code;

	if (bracket) {
		if (bracket[strlen(bracket) - 1] != ']')
			return refuse_form(criterion, err);
		bracket[strlen(bracket) - 1] = '\0';
		*bracket++ = '\0';
	}
	phase_name = strsep(&rest, ".");
	operation = strsep(&rest, ".");
	metric = strsep(&rest, ".");
	if (!operation || !metric || rest)
		return refuse_form(criterion, err);
	snprintf(criterion->operation, sizeof(criterion->operation), "%s", operation);
	snprintf(criterion->metric, sizeof(criterion->metric), "%s", metric);
	code = find_phase(criterion, phase_name, err);
	if (!code)
		code = find_operation(criterion, err);
	if (!code)
		code = find_metric(criterion, err);
	return !code && bracket ? read_parameters(criterion, bracket, err) : code;
}

int criterion_parse(struct criterion *criterion, const char *text, struct err *err)
{
	char words[WORDS_MAX], *relation;
	int code = start(criterion, text, words, err);

	if (code)
		return code;
	relation = strpbrk(words, "<>");
	if (!relation || relation[1] != '=' || !relation[2])
		return malformed(criterion, err);
	criterion->at_most = *relation == '<';
	*relation = '\0';
	code = read_metric(criterion, words, malformed, err);
	return code ? code : read_limit(criterion, relation + 2, err);
}

int criterion_parse_metric(struct criterion *criterion, const char *text, struct err *err)
{
	char words[WORDS_MAX];
	int code = start(criterion, text, words, err);

	return code ? code : read_metric(criterion, words, malformed_metric, err);
}

/* A point that only reads has nothing to say on writes. */
static bool performs(const struct criterion *criterion, const struct point *point)
{
	const struct phase *phase = criterion->phase;

	for (size_t i = 0; phase->performs && phase->operations[i].name; i++)
		if (!strcmp(phase->operations[i].name, criterion->operation))
			return phase->performs(point, &phase->operations[i]);
	return true;
}

bool criterion_matches_point(const struct criterion *criterion, const struct point *point)
{
	if (point->phase != criterion->phase || !performs(criterion, point))
		return false;
	for (unsigned i = 0; i < criterion->parameter_count; i++)
		if (!value_equal(&criterion->parameters[i].value,
				 point_value(point, criterion->parameters[i].name)))
			return false;
	return true;
}

static bool has_operation(const struct measurement *measurement, const char *operation)
{
	for (size_t i = 0; i < measurement->metric_count; i++)
		if (!strcmp(measurement->metrics[i].operation, operation))
			return true;
	return measurement->status == STATUS_SKIPPED;
}

bool criterion_matches(const struct criterion *criterion, const struct measurement *measurement)
{
	if (strcmp(measurement->phase, criterion->phase->name) ||
	    !has_operation(measurement, criterion->operation))
		return false;
	for (unsigned i = 0; i < criterion->parameter_count; i++) {
		const struct parameter *parameter =
			measurement_parameter(measurement, criterion->parameters[i].name);

		if (!parameter || !value_equal(&parameter->value, &criterion->parameters[i].value))
			return false;
	}
	return true;
}

bool criterion_holds(const struct criterion *criterion, double value)
{
	return criterion->at_most ? value <= criterion->limit : value >= criterion->limit;
}
