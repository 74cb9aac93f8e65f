/* SPDX-License-Identifier: MIT */
/* coverage.c - how many different places a stream has touched. */
#include "coverage.h"

#include <math.h>
#include <string.h>

void coverage_init(struct coverage *coverage, uint64_t places)
{
	memset(coverage, 0, sizeof(*coverage));
	coverage->places = places;
	while (places >> coverage->shift > COVERAGE_FOLLOWED)
		coverage->shift++;
	coverage->mask = (1ULL << coverage->shift) - 1;
}

void coverage_merge(struct coverage *into, const struct coverage *from)
{
	into->drawn += from->drawn;
	into->followed += from->followed;
	for (unsigned i = 0; i < COVERAGE_BITS / COVERAGE_WORD_BITS; i++)
		into->bits[i] |= from->bits[i];
}

double coverage_distinct(const struct coverage *coverage)
{
	unsigned set = 0;

	for (unsigned i = 0; i < COVERAGE_BITS / COVERAGE_WORD_BITS; i++)
		set += (unsigned)__builtin_popcountll(coverage->bits[i]);
	return ldexp(-COVERAGE_BITS * log1p(-(double)set / COVERAGE_BITS), (int)coverage->shift);
}

/* Of the draws that were followed, not of all: chance in how many there were falls out. */
double coverage_likely(const struct coverage *coverage)
{
	double places = ldexp((double)coverage->places, -(int)coverage->shift);

	if (places <= 0)
		return 0;
	return ldexp(-places * expm1(-(double)coverage->followed / places), (int)coverage->shift);
}
