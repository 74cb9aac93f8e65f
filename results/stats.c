/* SPDX-License-Identifier: MIT */
/*
 * stats.c - the statistics of repeated runs, on top of GSL.
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats.h"

/* Copies the finite values; returns how many there are. */
static size_t keep_finite(double *kept, const double values[], size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			kept[used++] = values[i];
	return used;
}

struct spread stats_spread(const double values[], size_t count)
{
	struct spread spread = {.median = NAN, .low = NAN, .high = NAN};
	double *sorted = malloc((count + 1) * sizeof(*sorted));

	if (!sorted)
		abort();
	spread.count = keep_finite(sorted, values, count);
	if (spread.count) {
		gsl_sort(sorted, 1, spread.count);
		spread.median = gsl_stats_median_from_sorted_data(sorted, 1, spread.count);
		spread.low = sorted[0];
		spread.high = sorted[spread.count - 1];
	}
	free(sorted);
	return spread;
}
