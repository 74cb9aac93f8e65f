/* SPDX-License-Identifier: MIT */
/*
 * stats.h - the statistics of repeated runs.
 */
#ifndef ASSAY_STATS_H
#define ASSAY_STATS_H

#include <stddef.h>

/* What several values of one quantity come to, in the unit of the quantity. */
struct spread {
	size_t count;     /* of the values that were there */
	double median;    /* of an even number: the mean of the middle two */
	double low, high; /* the extremes */
};

/* Summarises values, whatever their order; those that are not finite are left out. Without any
 * left count is 0 and the rest is NAN. The median is gsl_stats_median_from_sorted_data: the
 * sample's middle, so one run that went astray does not move it far. Memory that cannot be had
 * ends the program through abort(). */
struct spread stats_spread(const double values[], size_t count);

#endif
