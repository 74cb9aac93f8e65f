/* SPDX-License-Identifier: MIT */
/*
 * steadiness.h - whether a rate stayed what it was.
 *
 * Two looks at a row of rates that follow each other at equal distances:
 *
 *   trend  the mean of the last third against that of the first
 *   step   the row cut in two where the means differ most for the spread within the two sides:
 *          Student's t of every cut that leaves three on each side. The best of many cuts reaches
 *          higher by chance than a single one (Hawkins, "Testing a sequence of observations for a
 *          shift in location", JASA 72, 1977); the bound lies above that.
 */
#ifndef ASSAY_SUITE_STEADINESS_H
#define ASSAY_SUITE_STEADINESS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer say nothing: thirds of less than three are single events. */
enum { STEADINESS_LEAST = 9 };

enum steadiness { STEADY, TREND, STEP };

struct change {
	enum steadiness kind;
	double from, to; /* the means that differ */
	double apart;    /* their difference as a fraction of the larger */
	size_t at;       /* STEP: the first value after it */
};

/* Looks at count rates, at least STEADINESS_LEAST. */
struct change steadiness_find(const double rates[], size_t count);

#endif
