/* SPDX-License-Identifier: MIT */
/* test_coverage.c - how many different blocks a stream of offsets touches, against counting them
 * all. */
#include <math.h>
#include <stdlib.h>

#include "suites.h"
#include "workloads/coverage.h"
#include "workloads/offsets.h"

/* Draws from the first `among` of the places; returns how many different ones really came. */
static uint64_t draw(struct coverage *coverage, uint64_t seed, uint64_t among, uint64_t draws)
{
	unsigned char *seen = calloc(1, among);
	uint64_t distinct = 0;
	struct rng rng;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	rng_init(&rng, seed);
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t place = rng_below(&rng, among);

		coverage_add(coverage, place * 4096);
		distinct += !seen[place];
		seen[place] = 1;
	}
	free(seen);
	return distinct;
}

static bool is_near(double value, double wanted, double fraction)
{
	return fabs(value - wanted) <= fraction * wanted;
}

static const struct {
	uint64_t places, draws;
} sizes[] = {
	{1, 1},		{100, 50},	  {100, 1000},	     {8192, 8192},
	{262144, 2000}, {262144, 262144}, {262144, 2000000}, {3000000, 500000},
};

static void test_estimate(void)
{
	static struct coverage coverage;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t distinct;
		/* Of few that are followed the sample is coarse: four deviations. */
		double error = 0.03 + 4 / sqrt((double)sizes[i].draws *
					       fmin(1, 8192.0 / (double)sizes[i].places));

		coverage_init(&coverage, sizes[i].places);
		distinct = draw(&coverage, i, sizes[i].places, sizes[i].draws);
		CU_ASSERT_EQUAL(coverage.drawn, sizes[i].draws);
		CU_ASSERT_TRUE(is_near(coverage_distinct(&coverage), (double)distinct, error));
	}
}

/* What comes of uniform offsets is what is likely, within a twentieth. */
static void test_uniform(void)
{
	static struct coverage coverage;

	for (uint64_t seed = 0; seed < 20; seed++) {
		coverage_init(&coverage, 262144);
		draw(&coverage, seed, 262144, 300000);
		CU_ASSERT_TRUE(
			is_near(coverage_distinct(&coverage), coverage_likely(&coverage), 0.05));
	}
}

static void test_narrow(void)
{
	static struct coverage coverage;

	coverage_init(&coverage, 262144);
	draw(&coverage, 1, 262144 / 4, 300000);
	CU_ASSERT(coverage_distinct(&coverage) < 0.5 * coverage_likely(&coverage));
}

/* Two workers that draw the same touch no more than one; two of their own touch what they
 * should. */
static void test_same_seed(void)
{
	static struct coverage one, other;

	coverage_init(&one, 262144);
	coverage_init(&other, 262144);
	draw(&one, 5, 262144, 100000);
	draw(&other, 5, 262144, 100000);
	coverage_merge(&one, &other);
	CU_ASSERT_EQUAL(one.drawn, 200000);
	CU_ASSERT(coverage_distinct(&one) < 0.7 * coverage_likely(&one));
	coverage_init(&one, 262144);
	coverage_init(&other, 262144);
	draw(&one, 5, 262144, 100000);
	draw(&other, 6, 262144, 100000);
	coverage_merge(&one, &other);
	CU_ASSERT_TRUE(is_near(coverage_distinct(&one), coverage_likely(&one), 0.05));
}

static void test_nothing(void)
{
	static struct coverage coverage;

	coverage_init(&coverage, 0);
	CU_ASSERT_EQUAL(coverage_distinct(&coverage), 0);
	CU_ASSERT_EQUAL(coverage_likely(&coverage), 0);
}

static const struct test tests[] = {
	{"the number of different blocks is known within a few percent", test_estimate},
	{"uniform offsets touch as many blocks as is likely", test_uniform},
	{"offsets that keep to a quarter of the target show", test_narrow},
	{"two workers with the same offsets show", test_same_seed},
	{"of no blocks none is touched", test_nothing},
	{NULL, NULL},
};

const struct suite suite_coverage = {"coverage", tests};
