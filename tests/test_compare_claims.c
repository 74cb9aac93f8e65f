/* SPDX-License-Identifier: MIT */
/*
 * test_compare_claims.c - how often a comparison claims what is not so, and how often it finds what
 * is: simulated runs with a spread from run to run, the seed fixed.
 *
 * Runs are lognormal: part of the spread is common to all rows of a run (the machine had a good or
 * a bad day), the rest is the row's own.
 */
#include <math.h>
#include <stdlib.h>

#include "compare_fixture.h"
#include "suites.h"

enum { ROWS = 20, TABLES = 200, POOL = 120 };

struct world {
	double common, own; /* standard deviations of logarithms */
	double shift;       /* of the runs of the other side, as a ratio */
	unsigned shifted;   /* rows that this is true of */
	uint64_t seed;
};

static void add_run(struct bench *bench, struct rng *rng, const struct world *world, bool other)
{
	double day = world->common * normal(rng);
	char operation[16];

	bench_run(bench);
	bench_measure(bench, "random", NULL);
	for (unsigned row = 0; row < ROWS; row++) {
		double level = 100 * (row + 1) * (other && row < world->shifted ? world->shift : 1);

		snprintf(operation, sizeof(operation), "operation%u", row);
		bench_value(bench, operation, "rate", level * exp(day + world->own * normal(rng)));
	}
	bench_done(bench);
}

/* The first half of the pool are runs of the base, the second of the other side. */
static void make_pool(struct bench *bench, const struct world *world, struct rng *rng)
{
	bench_open(bench);
	for (int i = 0; i < POOL; i++)
		add_run(bench, rng, world, i >= POOL / 2);
}

/* Draws so many of half the pool, none twice. */
static void draw(struct rng *rng, int64_t *ids, size_t count, int64_t first)
{
	for (size_t i = 0; i < count; i++) {
		bool again;

		do {
			ids[i] = first + (int64_t)rng_below(rng, POOL / 2);
			again = false;
			for (size_t j = 0; j < i; j++)
				again |= ids[j] == ids[i];
		} while (again);
	}
}

/* A table of so many runs a side drawn from the pool. */
static void make_table(struct bench *bench, struct rng *rng, size_t runs,
		       struct comparison *comparison)
{
	int64_t ids[2 * POOL];
	struct run_ids all = {ids, 2 * runs}, base = {ids, runs}, other = {ids + runs, runs};
	const struct compare_side sides[] = {{"base", &base}, {"other", &other}};
	const struct compare_request request = {
		.sides = sides, .side_count = 2, .margin = COMPARE_MARGIN};

	draw(rng, ids, runs, 1);
	draw(rng, ids + runs, runs, 1 + POOL / 2);
	CU_ASSERT_EQUAL_FATAL(compare_runs(bench->archive, &all, &request, comparison, NULL), 0);
	CU_ASSERT_EQUAL(comparison->row_count, ROWS);
	CU_ASSERT_EQUAL(comparison->family, ROWS);
}

static const struct compared_tally *tally_of(const struct comparison *comparison)
{
	return &comparison->sections[comparison->section_count - 1].tallies[1];
}

/* In how many tables anything is called better or worse. */
static unsigned claims(const struct world *world, size_t runs)
{
	struct comparison comparison;
	struct bench bench;
	struct rng rng;
	unsigned found = 0;

	rng_init(&rng, world->seed);
	make_pool(&bench, world, &rng);
	for (int i = 0; i < TABLES; i++) {
		const size_t *judged;

		make_table(&bench, &rng, runs, &comparison);
		judged = tally_of(&comparison)->judged;
		found += judged[JUDGED_BETTER] + judged[JUDGED_WORSE] > 0;
		comparison_release(&comparison);
	}
	bench_close(&bench);
	return found;
}

/* At a spread of 10 % no interval of so few runs lies within the margin: only Holm's correction
 * stands between noise and a claim. */
static void like_with_like_at_a_wide_spread(void)
{
	const struct world alone = {.own = 0.10, .seed = 1},
			   together = {.common = 0.08, .own = 0.06, .seed = 2};
	unsigned five = claims(&alone, 5), three = claims(&alone, 3), days = claims(&together, 5);

	CU_ASSERT_TRUE(five <= TABLES / 20);
	CU_ASSERT_TRUE(three <= TABLES / 20);
	CU_ASSERT_TRUE(days <= TABLES / 20);
	if (getenv("VERBOSE"))
		fprintf(stderr, "\n    of %d tables: %u, %u, %u\n", TABLES, five, three, days);
}

static void like_with_like_at_a_narrow_spread(void)
{
	const struct world world = {.own = 0.02, .seed = 3};

	CU_ASSERT_TRUE(claims(&world, 5) <= TABLES / 20);
}

/* One row of twenty is 10 % faster at a spread of 2 %: 5 runs a side find it. */
static void a_true_difference(void)
{
	const struct world world = {.own = 0.02, .shift = 1.10, .shifted = 1, .seed = 4};
	struct comparison comparison;
	struct bench bench;
	struct rng rng;
	unsigned found = 0, wrong = 0;

	rng_init(&rng, world.seed);
	make_pool(&bench, &world, &rng);
	for (int i = 0; i < TABLES; i++) {
		make_table(&bench, &rng, 5, &comparison);
		found += row_of(&comparison, "random", "operation0", "rate")->cells[1].judgement ==
			 JUDGED_BETTER;
		wrong += tally_of(&comparison)->judged[JUDGED_WORSE] > 0;
		comparison_release(&comparison);
	}
	bench_close(&bench);
	CU_ASSERT_TRUE(found >= TABLES * 9 / 10);
	CU_ASSERT_TRUE(wrong <= TABLES / 20);
	if (getenv("VERBOSE"))
		fprintf(stderr, "\n    found in %u of %d tables\n", found, TABLES);
}

/* What an unclear cell says could have been found is found four times in five: here the true
 * difference is what a first table of the same runs said of like with like. */
static void what_could_be_found_is_found(void)
{
	struct world world = {.own = 0.05, .shift = 1, .seed = 5};
	double sum = 0;
	unsigned told = 0, found = 0;

	for (int pass = 0; pass < 2; pass++) {
		struct comparison comparison;
		struct bench bench;
		struct rng rng;

		rng_init(&rng, world.seed + (unsigned)pass);
		make_pool(&bench, &world, &rng);
		for (int i = 0; i < TABLES; i++) {
			const struct compared_cell *cell;

			make_table(&bench, &rng, 6, &comparison);
			cell = &row_of(&comparison, "random", "operation0", "rate")->cells[1];
			if (!pass && cell->judgement == JUDGED_UNCLEAR) {
				sum += log1p(cell->detectable);
				told++;
			}
			found += pass && cell->judgement == JUDGED_BETTER;
			comparison_release(&comparison);
		}
		bench_close(&bench);
		world.shift = exp(sum / told);
		world.shifted = 1;
	}
	CU_ASSERT_TRUE(told > TABLES / 2);
	CU_ASSERT_TRUE(found > TABLES * 70 / 100 && found < TABLES * 92 / 100);
	if (getenv("VERBOSE"))
		fprintf(stderr, "\n    %.1f %% found in %u of %d tables\n", 100 * (world.shift - 1),
			found, TABLES);
}

static const struct test tests[] = {
	{"like with like is the same or unclear in 95 % of tables, rows alone or together",
	 like_with_like_at_a_wide_spread},
	{"like with like at a spread of 2 % makes no more claims",
	 like_with_like_at_a_narrow_spread},
	{"a row that is 10 % faster at a spread of 2 % is found in 90 % of tables",
	 a_true_difference},
	{"what an unclear cell could have shown is found four times in five",
	 what_could_be_found_is_found},
	{NULL, NULL},
};

const struct suite suite_compare_claims = {"compare_claims", tests};
