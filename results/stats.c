/* SPDX-License-Identifier: MIT */
/*
 * stats.c - the statistics of repeated runs, on top of GSL.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
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

double stats_geometric_mean(const double values[], size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]) || values[i] <= 0)
			return NAN;
		sum += log(values[i]);
	}
	return count ? exp(sum / (double)count) : NAN;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* The interval and the p that follow from mean, error and freedom. */
static void judge(struct difference *difference, double confidence)
{
	double t, reach;

	if (difference->error > 0) {
		t = fabs(difference->mean) / difference->error;
		reach = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, difference->freedom);
		difference->p = 2 * gsl_cdf_tdist_Q(t, difference->freedom);
	} else {
		reach = 0;
		difference->p = difference->mean != 0 ? 0 : 1;
	}
	difference->low = difference->mean - reach * difference->error;
	difference->high = difference->mean + reach * difference->error;
}

/* Rounding leaves a variance to values that are equal. */
static double variance(const double values[], size_t count)
{
	double mean = gsl_stats_mean(values, 1, count);
	double found = gsl_stats_variance_m(values, 1, count, mean), noise = 1e-14 * fabs(mean);

	return found > noise * noise ? found : 0;
}

struct difference stats_welch(const double to[], size_t to_count, const double from[],
			      size_t from_count, double confidence)
{
	double a = variance(to, to_count) / (double)to_count;
	double b = variance(from, from_count) / (double)from_count;
	struct difference difference = {
		.mean = gsl_stats_mean(to, 1, to_count) - gsl_stats_mean(from, 1, from_count),
		.error = sqrt(a + b),
		.freedom = (double)(to_count + from_count - 2),
	};

	if (difference.error > 0)
		difference.freedom = (a + b) * (a + b) /
				     (a * a / (double)(to_count - 1) +
				      b * b / (double)(from_count - 1));
	judge(&difference, confidence);
	return difference;
}

struct difference stats_paired(const double to[], const double from[], size_t count,
			       double confidence)
{
	struct difference difference = {.freedom = (double)(count - 1)};
	double *apart = malloc((count + 1) * sizeof(*apart));

	if (!apart)
		abort();
	for (size_t i = 0; i < count; i++)
		apart[i] = to[i] - from[i];
	difference.mean = gsl_stats_mean(apart, 1, count);
	difference.error = sqrt(variance(apart, count) / (double)count);
	free(apart);
	judge(&difference, confidence);
	return difference;
}

/* ---- families and power ---------------------------------------------------------------------- */

void stats_holm(double p[], size_t count)
{
	size_t *order = malloc((count + 1) * sizeof(*order));
	double least = 0;

	if (!order)
		abort();
	gsl_sort_index(order, p, 1, count);
	for (size_t i = 0; i < count; i++) {
		double *each = &p[order[i]], corrected = *each * (double)(count - i);

		least = fmax(least, fmin(corrected, 1)); /* never below a smaller one's */
		*each = least;
	}
	free(order);
}

/* The chi distribution of a t's denominator, divided by the root of its degrees of freedom: its
 * density in the middles of even steps, summing to 1. */
enum { SCALES = 128 };

struct scales {
	double at[SCALES], weight[SCALES];
};

static void scales_init(struct scales *scales, double freedom)
{
	double end = 1 + 7 / sqrt(freedom), sum = 0;

	for (int i = 0; i < SCALES; i++) {
		double s = end * (i + 0.5) / SCALES;

		scales->at[i] = s;
		scales->weight[i] = exp((freedom - 1) * log(s) - freedom * (s * s - 1) / 2);
		sum += scales->weight[i];
	}
	for (int i = 0; i < SCALES; i++)
		scales->weight[i] /= sum;
}

/* How often a t of that noncentrality exceeds critical: the chance that its normal numerator is
 * large enough, over all denominators. */
static double chance_beyond(double critical, double noncentrality, const struct scales *scales)
{
	double sum = 0;

	for (int i = 0; i < SCALES; i++)
		sum += scales->weight[i] *
		       gsl_cdf_ugaussian_P(noncentrality - critical * scales->at[i]);
	return sum;
}

double stats_detectable(const struct difference *seen, double alpha, double power)
{
	enum { HALVINGS = 24 };
	double critical = gsl_cdf_tdist_Qinv(alpha / 2, seen->freedom), low = 0, high = 1;
	struct scales scales;

	if (!(seen->error > 0))
		return 0;
	scales_init(&scales, seen->freedom);
	while (chance_beyond(critical, high, &scales) < power)
		high *= 2;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (chance_beyond(critical, middle, &scales) < power)
			low = middle;
		else
			high = middle;
	}
	return high * seen->error;
}

struct steadiness stats_steadiness(const double values[], size_t count)
{
	struct steadiness none = {NAN, NAN, NAN}, seen;
	double *at, intercept, slope, cov00, cov01, cov11, squares, low, high;

	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return none;
	if (count < 2 || gsl_stats_mean(values, 1, count) == 0)
		return none;
	at = malloc(count * sizeof(*at));
	if (!at)
		abort();
	for (size_t i = 0; i < count; i++)
		at[i] = (double)i;
	gsl_stats_minmax(&low, &high, values, 1, count);
	gsl_fit_linear(at, 1, values, 1, count, &intercept, &slope, &cov00, &cov01, &cov11,
		       &squares);
	free(at);
	seen.mean = gsl_stats_mean(values, 1, count);
	seen.range = (high - low) / seen.mean;
	seen.slope = slope * (double)(count - 1) / seen.mean;
	return seen;
}
