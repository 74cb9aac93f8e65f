/* SPDX-License-Identifier: MIT */
/* steadiness.c - whether a rate stayed what it was. */
#include "steadiness.h"

#include <math.h>

/* A fifth is what repeated runs of a healthy device stay within (SNIA's steady state allows it). */
static const double change_most = 0.2;

/* Of t for the best cut: chance alone passes it once in 400 rows of nine, and more rarely in longer
 * ones (by simulation); the fraction above has to be passed as well. */
static const double t_least = 6;

enum { SIDE_LEAST = 3 };

struct part {
	double count, mean, squares; /* of the differences from the mean */
};

static struct part part_of(const double rates[], size_t from, size_t to)
{
	struct part part = {.count = (double)(to - from)};

	for (size_t i = from; i < to; i++)
		part.mean += rates[i] / part.count;
	for (size_t i = from; i < to; i++)
		part.squares += (rates[i] - part.mean) * (rates[i] - part.mean);
	return part;
}

/* The standard error of the difference of two means, of one spread around both. */
static double error_of(const struct part *a, const struct part *b)
{
	double variance = (a->squares + b->squares) / (a->count + b->count - 2);

	return sqrt(variance * (1 / a->count + 1 / b->count));
}

static double apart(double a, double b)
{
	double larger = fmax(fabs(a), fabs(b));

	return larger > 0 ? fabs(a - b) / larger : 0;
}

static struct change find_trend(const double rates[], size_t count)
{
	double first = part_of(rates, 0, count / 3).mean;
	double last = part_of(rates, count - count / 3, count).mean;
	struct change change = {.from = first, .to = last, .apart = apart(first, last)};

	change.kind = change.apart > change_most ? TREND : STEADY;
	return change;
}

static struct change find_step(const double rates[], size_t count)
{
	struct change best = {.kind = STEADY};
	double best_t = t_least;

	for (size_t cut = SIDE_LEAST; cut + SIDE_LEAST <= count; cut++) {
		struct part before = part_of(rates, 0, cut), after = part_of(rates, cut, count);
		double error = error_of(&before, &after);
		double difference = fabs(before.mean - after.mean);

		if (apart(before.mean, after.mean) <= change_most || difference <= best_t * error)
			continue;
		best_t = error > 0 ? difference / error : INFINITY;
		best = (struct change){STEP, before.mean, after.mean,
				       apart(before.mean, after.mean), cut};
	}
	return best;
}

struct change steadiness_find(const double rates[], size_t count)
{
	struct change step = find_step(rates, count);

	return step.kind == STEP ? step : find_trend(rates, count);
}
