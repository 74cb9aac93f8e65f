/* SPDX-License-Identifier: MIT */
/*
 * test_stats.c - the statistics of repeated runs against values of R 4.2.2 on data that R or a
 * textbook brings along: t.test, p.adjust and power.t.test of its package stats.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "stats.h"
#include "suites.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Within so many parts of wanted, or of 1 near 0. */
static bool near(double got, double wanted, double tolerance)
{
	bool is = fabs(got - wanted) <= tolerance * fmax(fabs(wanted), 1e-300);

	if (!is)
		fprintf(stderr, "\n    wanted %.17g, got %.17g\n", wanted, got);
	return is;
}

#define CHECK_NEAR(got, wanted, tolerance) CU_ASSERT_TRUE(near((got), (wanted), (tolerance)))

/* R's data set `sleep` (Student 1908): hours of sleep gained with each of two drugs. */
static const double first_drug[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double second_drug[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

/* Wikipedia, "Welch's t-test", example 1. */
static const double sample_a1[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				   21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
static const double sample_a2[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				   24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};

static void check_difference(const struct difference *got, const struct difference *wanted)
{
	CHECK_NEAR(got->mean, wanted->mean, 1e-12);
	CHECK_NEAR(got->low, wanted->low, 1e-9);
	CHECK_NEAR(got->high, wanted->high, 1e-9);
	CHECK_NEAR(got->error, wanted->error, 1e-12);
	CHECK_NEAR(got->freedom, wanted->freedom, 1e-12);
	CHECK_NEAR(got->p, wanted->p, 1e-9);
}

/* t.test(sleep$extra[11:20], sleep$extra[1:10]) */
static void welch_as_r(void)
{
	static const struct difference wanted = {1.58,
						 -0.205483230711710180,
						 3.365483230711710405,
						 0.849091017238762014,
						 17.776473516178498357,
						 0.079394140187358173};
	struct difference got = stats_welch(second_drug, 10, first_drug, 10, 0.95);

	check_difference(&got, &wanted);
}

/* t.test(log(a2), log(a1)): how rates are compared. */
static void welch_on_logarithms_as_r(void)
{
	static const struct difference wanted = {0.103918099663067753, 0.020563232895525252,
						 0.187272966430610255, 0.040360816428363859,
						 23.708484020804572623, 0.016714555720377087};
	double to[COUNT_OF(sample_a2)], from[COUNT_OF(sample_a1)];
	struct difference got;

	for (size_t i = 0; i < COUNT_OF(to); i++) {
		to[i] = log(sample_a2[i]);
		from[i] = log(sample_a1[i]);
	}
	got = stats_welch(to, COUNT_OF(to), from, COUNT_OF(from), 0.95);
	check_difference(&got, &wanted);
}

/* The page itself gives t = 2.46, 25.0 degrees of freedom and p = 0.021. */
static void welch_as_published(void)
{
	struct difference got = stats_welch(sample_a2, 15, sample_a1, 15, 0.95);

	CU_ASSERT_DOUBLE_EQUAL(got.mean / got.error, 2.46, 0.005);
	CU_ASSERT_DOUBLE_EQUAL(got.freedom, 25.0, 0.05);
	CU_ASSERT_DOUBLE_EQUAL(got.p, 0.021, 0.0005);
}

/* t.test(c(100, 100, 100), c(90, 95, 101)): one side does not vary. */
static void welch_with_one_flat_side(void)
{
	static const double flat[] = {100, 100, 100}, other[] = {90, 95, 101};
	static const struct difference wanted = {4.66666666666667140, -9.01489702997213804,
						 18.34823036330547907, 3.17979733805648523, 2,
						 0.27991770017690382};
	struct difference got = stats_welch(flat, 3, other, 3, 0.95);

	check_difference(&got, &wanted);
}

/* t.test(sleep$extra[11:20], sleep$extra[1:10], paired = TRUE) */
static void paired_as_r(void)
{
	static const struct difference wanted = {1.58,
						 0.7001142367230175356,
						 2.4598857632769823844,
						 0.3889587238883951970,
						 9,
						 0.0028328901973842702};
	struct difference got = stats_paired(second_drug, first_drug, 10, 0.95);

	check_difference(&got, &wanted);
}

static void nothing_varies(void)
{
	static const double ones[] = {0.1, 0.1, 0.1, 0.1}, twos[] = {0.2, 0.2, 0.2};
	struct difference same = stats_welch(ones, 4, ones, 3, 0.95);
	struct difference apart = stats_welch(twos, 3, ones, 4, 0.95);
	struct difference pairs = stats_paired(twos, ones, 3, 0.95);

	CU_ASSERT_EQUAL(same.mean, 0);
	CU_ASSERT_EQUAL(same.p, 1);
	CU_ASSERT_TRUE(same.low == 0 && same.high == 0);
	CHECK_NEAR(apart.mean, 0.1, 1e-12);
	CU_ASSERT_EQUAL(apart.p, 0);
	CU_ASSERT_TRUE(apart.low == apart.mean && apart.high == apart.mean);
	CU_ASSERT_EQUAL(pairs.p, 0);
}

static void sides_exchanged(void)
{
	struct difference there = stats_welch(second_drug, 10, first_drug, 7, 0.95);
	struct difference back = stats_welch(first_drug, 7, second_drug, 10, 0.95);

	CHECK_NEAR(back.mean, -there.mean, 1e-12);
	CHECK_NEAR(back.low, -there.high, 1e-12);
	CHECK_NEAR(back.high, -there.low, 1e-12);
	CHECK_NEAR(back.p, there.p, 1e-12);
}

/* p.adjust(p, "holm") */
static void holm_as_r(void)
{
	double even[] = {0.01, 0.02, 0.03, 0.04, 0.05};
	static const double even_wanted[] = {0.05, 0.08, 0.09, 0.09, 0.09};
	double mixed[] = {0.001, 0.8, 0.011, 0.012, 0.4, 0.011};
	static const double mixed_wanted[] = {0.006, 0.8, 0.055, 0.055, 0.8, 0.055};

	stats_holm(even, COUNT_OF(even));
	stats_holm(mixed, COUNT_OF(mixed));
	for (size_t i = 0; i < COUNT_OF(even); i++)
		CHECK_NEAR(even[i], even_wanted[i], 1e-12);
	for (size_t i = 0; i < COUNT_OF(mixed); i++)
		CHECK_NEAR(mixed[i], mixed_wanted[i], 1e-12);
	stats_holm(NULL, 0);
}

/* Never below the p itself, never above p times their number, and in the order of the p. */
static void holm_properties(void)
{
	enum { COUNT = 40 };
	double p[COUNT], corrected[COUNT];
	struct rng rng;

	rng_init(&rng, 7);
	for (int i = 0; i < COUNT; i++)
		p[i] = corrected[i] = (double)rng_below(&rng, 1000000) / 1e7;
	stats_holm(corrected, COUNT);
	for (int i = 0; i < COUNT; i++) {
		CU_ASSERT_TRUE(corrected[i] >= p[i]);
		CU_ASSERT_TRUE(corrected[i] <= fmin(1, COUNT * p[i]));
		for (int j = 0; j < COUNT; j++)
			CU_ASSERT_TRUE(p[i] >= p[j] || corrected[i] <= corrected[j]);
	}
}

/* exp(mean(log(airquality$Wind[1:5]))), and what has no geometric mean. */
static void geometric_means(void)
{
	static const double wind[] = {7.4, 8.0, 12.6, 11.5, 14.3}, zero[] = {1, 0, 2},
			    absent[] = {1, NAN}, powers[] = {1, 10, 100};

	CHECK_NEAR(stats_geometric_mean(powers, 3), 10, 1e-12);
	CHECK_NEAR(stats_geometric_mean(wind, 5), 10.417061446878497, 1e-12);
	CU_ASSERT_TRUE(isnan(stats_geometric_mean(zero, 3)));
	CU_ASSERT_TRUE(isnan(stats_geometric_mean(absent, 2)));
	CU_ASSERT_TRUE(isnan(stats_geometric_mean(zero, 0)));
}

/* power.t.test(n, sd, power, sig.level)$delta, two-sided, with two samples of n. */
static void detectable_as_r(void)
{
	static const struct {
		double n, sd, power, alpha, delta;
	} cases[] = {
		{5, 0.02, 0.8, 0.05, 0.040519362999374121},
		{3, 0.02, 0.8, 0.05, 0.061393851737212811},
		{10, 0.02, 0.8, 0.0025, 0.039679959158092686},
		{5, 0.02, 0.8, 0.0025, 0.068590519453182772},
		{3, 0.02, 0.8, 0.0025, 0.13785048083189685},
		{20, 1, 0.9, 0.05, 1.0519701688391834},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct difference seen = {.error = cases[i].sd * sqrt(2 / cases[i].n),
					  .freedom = 2 * (cases[i].n - 1)};

		CHECK_NEAR(stats_detectable(&seen, cases[i].alpha, cases[i].power), cases[i].delta,
			   1e-3);
	}
	CU_ASSERT_EQUAL(stats_detectable(&(struct difference){.freedom = 4}, 0.05, 0.8), 0);
}

static void spreads(void)
{
	static const double odd[] = {3, NAN, 1, 2}, even[] = {4, 1, 3, INFINITY, 2};
	struct spread spread = stats_spread(odd, 4);

	CU_ASSERT_EQUAL(spread.count, 3);
	CU_ASSERT_EQUAL(spread.median, 2);
	CU_ASSERT_EQUAL(spread.low, 1);
	CU_ASSERT_EQUAL(spread.high, 3);
	spread = stats_spread(even, 5);
	CU_ASSERT_EQUAL(spread.count, 4);
	CU_ASSERT_EQUAL(spread.median, 2.5);
	spread = stats_spread(odd, 0);
	CU_ASSERT_EQUAL(spread.count, 0);
	CU_ASSERT_TRUE(isnan(spread.median) && isnan(spread.low) && isnan(spread.high));
}

/* R: y <- c(100, 104, 98, 103, 107); diff(range(y)) / mean(y);
 * coef(lm(y ~ seq_along(y)))[[2]] * 4 / mean(y) */
static void steadiness_as_r(void)
{
	static const double row[] = {100, 104, 98, 103, 107};
	struct steadiness seen = stats_steadiness(row, 5);

	CU_ASSERT_DOUBLE_EQUAL(seen.mean, 102.4, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(seen.range, 0.087890625, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(seen.slope, 0.05078125, 1e-12);
}

static void steadiness_of_a_fall(void)
{
	static const double fall[] = {50, 40, 30, 20, 10}, flat[] = {7, 7, 7};
	struct steadiness seen = stats_steadiness(fall, 5);

	CU_ASSERT_DOUBLE_EQUAL(seen.range, 40.0 / 30, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(seen.slope, -40.0 / 30, 1e-12);
	seen = stats_steadiness(flat, 3);
	CU_ASSERT_EQUAL(seen.range, 0);
	CU_ASSERT_DOUBLE_EQUAL(seen.slope, 0, 1e-12);
}

static void steadiness_unknown(void)
{
	static const double gap[] = {1, NAN, 1}, nothing[] = {0, 0, 0};

	CU_ASSERT(isnan(stats_steadiness(gap, 3).range));
	CU_ASSERT(isnan(stats_steadiness(nothing, 3).range));
	CU_ASSERT(isnan(stats_steadiness(gap, 1).mean));
}

static const struct test tests[] = {
	{"Welch's interval, degrees of freedom and p are R's", welch_as_r},
	{"they are R's on logarithms too", welch_on_logarithms_as_r},
	{"Welch's test gives what is published", welch_as_published},
	{"a side that does not vary leaves the other's degrees of freedom",
	 welch_with_one_flat_side},
	{"pairs have R's interval and p", paired_as_r},
	{"where nothing varies the interval has no width", nothing_varies},
	{"exchanging the sides turns the difference around", sides_exchanged},
	{"Holm's correction is R's", holm_as_r},
	{"Holm's correction keeps the order and its bounds", holm_properties},
	{"a geometric mean needs values above zero", geometric_means},
	{"the detectable difference is that of R's power analysis", detectable_as_r},
	{"a spread leaves out what is not finite", spreads},
	{"range and slope of a row are R's", steadiness_as_r},
	{"a fall has a slope below zero, what does not move has none", steadiness_of_a_fall},
	{"of a row with a gap no steadiness is claimed", steadiness_unknown},
	{NULL, NULL},
};

const struct suite suite_stats = {"stats", tests};
