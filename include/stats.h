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

/* exp of the mean of logarithms. NAN without values or when one is not above 0 and finite. */
double stats_geometric_mean(const double values[], size_t count);

/* How far two means are apart: "to" minus "from". */
struct difference {
	double mean;
	double low, high; /* the interval of the confidence asked for */
	double error;     /* standard error of the mean */
	double freedom;   /* degrees of freedom of its t distribution, not always whole */
	double p;         /* two-sided, of a mean that is 0 */
};

/* Two independent samples whose variances may differ, at least 2 values each: B. L. Welch, "The
 * generalization of Student's problem when several different population variances are involved",
 * Biometrika 34 (1947), with Satterthwaite's degrees of freedom; R's t.test(to, from). Samples
 * that do not vary at all give an interval of no width and a p of 0, or 1 when they are equal. */
struct difference stats_welch(const double to[], size_t to_count, const double from[],
			      size_t from_count, double confidence);

/* Values that belong together pair by pair, at least 2: Student's t of their differences; R's
 * t.test(to, from, paired = TRUE). Pairs that all differ alike: as above. */
struct difference stats_paired(const double to[], const double from[], size_t count,
			       double confidence);

/* Corrects p values of one family so that the chance of any false finding stays below the level
 * they are held against: S. Holm, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6 (1979); R's p.adjust(p, "holm"). In place. */
void stats_holm(double p[], size_t count);

/* The smallest difference that a two-sided t test at level alpha finds with the given power, for
 * a standard error and degrees of freedom as they were seen: the noncentrality at which the
 * noncentral t distribution exceeds the critical value so often (Johnson, Kotz and Balakrishnan,
 * "Continuous Univariate Distributions" 2, 1995, chapter 31), times the error. R's power.t.test
 * solved for delta, within 0.1 %. */
double stats_detectable(const struct difference *seen, double alpha, double power);

/* How steady a row of values is, oldest first: SNIA, "Solid State Storage Performance Test
 * Specification" (PTS), steady state: over the measurement window the range of the values and the
 * excursion of their least squares line, both held against the mean of the values. */
struct steadiness {
	double mean;
	double range; /* highest minus lowest, as a fraction of the mean */
	double slope; /* of the line, from its first value to its last; likewise; signed */
};

/* NAN throughout with fewer than 2 values, when one is not finite, or when the mean is 0. */
struct steadiness stats_steadiness(const double values[], size_t count);

#endif
