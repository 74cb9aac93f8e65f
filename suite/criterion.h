/* SPDX-License-Identifier: MIT */
/*
 * criterion.h - a limit on a metric, in one grammar for profiles and --require:
 *
 *	PHASE.OPERATION.METRIC[parameter=value,...] <= 2ms
 *
 * with <= or >=, blanks optional, the brackets too. It is about every point that matches. Without
 * the limit it names a metric that is followed from round to round.
 */
#ifndef ASSAY_SUITE_CRITERION_H
#define ASSAY_SUITE_CRITERION_H

#include <stdbool.h>

#include "err.h"
#include "measurement.h"
#include "phase.h"

enum { CRITERION_PARAMETERS_MAX = 8 };

struct criterion {
	char text[200]; /* as it was written */
	const struct phase *phase;
	char operation[NAME_MAX_BYTES], metric[NAME_MAX_BYTES];
	enum unit unit;
	struct parameter parameters[CRITERION_PARAMETERS_MAX];
	unsigned parameter_count;
	bool at_most; /* <= */
	double limit; /* in base units */
};

/* ERR_USAGE with a sentence that names the nearest valid word: unknown phase, operation, metric,
 * parameter or value, a limit that does not fit the metric's unit. */
int criterion_parse(struct criterion *criterion, const char *text, struct err *err);

/* The same of PHASE.OPERATION.METRIC[parameter=value,...] alone: nothing is required of it. */
int criterion_parse_metric(struct criterion *criterion, const char *text, struct err *err);

/* Whether it is about this point, or this measurement. */
bool criterion_matches_point(const struct criterion *criterion, const struct point *point);
bool criterion_matches(const struct criterion *criterion, const struct measurement *measurement);

/* Whether the value holds; false for NAN. */
bool criterion_holds(const struct criterion *criterion, double value);

#endif
