/* SPDX-License-Identifier: MIT */
/*
 * test_permutation.c - each place once, in an order that looks like none and follows from the seed.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "workloads/permutation.h"

enum { COUNTS = 5000, SAMPLE = 1 << 20 };

static void each_place_is_visited_once(void)
{
	unsigned char *seen = malloc(COUNTS);

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	for (uint64_t count = 1; count <= COUNTS; count++) {
		struct permutation permutation;
		uint64_t places = 0;

		memset(seen, 0, COUNTS);
		permutation_init(&permutation, count, count * 77);
		for (uint64_t i = 0; i < count; i++) {
			uint64_t place = permutation_at(&permutation, i);

			if (place < count && !seen[place]) {
				seen[place] = 1;
				places++;
			}
		}
		CU_ASSERT_EQUAL(places, count);
	}
	free(seen);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A million draws with replacement out of 2^33 would repeat some sixty places. */
static void a_large_range_has_no_repeats(void)
{
	static const uint64_t counts[] = {1ULL << 33, (1ULL << 33) - 1, (1ULL << 33) + 1,
					  (1ULL << 32) + 12345, 402653184};
	uint64_t *places = malloc(SAMPLE * sizeof(*places));

	CU_ASSERT_PTR_NOT_NULL_FATAL(places);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct permutation permutation;
		unsigned repeats = 0, beyond = 0;

		permutation_init(&permutation, counts[c], 5);
		for (uint64_t i = 0; i < SAMPLE; i++) {
			places[i] = permutation_at(&permutation, i);
			beyond += places[i] >= counts[c];
		}
		qsort(places, SAMPLE, sizeof(*places), compare);
		for (size_t i = 1; i < SAMPLE; i++)
			repeats += places[i] == places[i - 1];
		CU_ASSERT_EQUAL(repeats, 0);
		CU_ASSERT_EQUAL(beyond, 0);
	}
	free(places);
}

/* The first part of an order is spread like random draws: chi squared with 63 degrees of freedom
 * is above 126 once in 240,000. */
static void the_start_of_an_order_is_spread_evenly(void)
{
	enum { BINS = 64, DRAWS = 64000 };
	static const uint64_t counts[] = {1 << 20, 3000000, 1ULL << 33, 1ULL << 45};

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (uint64_t seed = 0; seed < 4; seed++) {
			struct permutation permutation;
			double bins[BINS] = {0}, chi = 0;

			permutation_init(&permutation, counts[c], seed);
			for (uint64_t i = 0; i < DRAWS; i++)
				bins[permutation_at(&permutation, i) /
				     ((counts[c] + BINS - 1) / BINS)]++;
			for (int i = 0; i < BINS; i++)
				chi += (bins[i] - DRAWS / BINS) * (bins[i] - DRAWS / BINS) /
				       (DRAWS / BINS);
			CU_ASSERT(chi < 126);
		}
}

/* Neighbours in the order are no neighbours on the disk, nor always in one direction. */
static void steps_go_both_ways_and_far(void)
{
	const uint64_t count = 100000;
	struct permutation permutation;
	uint64_t near = 0, up = 0;

	permutation_init(&permutation, count, 9);
	for (uint64_t i = 1; i < 20000; i++) {
		uint64_t from = permutation_at(&permutation, i - 1),
			 to = permutation_at(&permutation, i);

		up += to > from;
		near += (to > from ? to - from : from - to) < 10;
	}
	CU_ASSERT(up > 9500 && up < 10500);
	CU_ASSERT(near < 20);
}

static void seeds_give_different_orders(void)
{
	const uint64_t count = 4096;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct permutation one, other;
		unsigned same = 0;

		permutation_init(&one, count, seed);
		permutation_init(&other, count, seed + 1);
		for (uint64_t i = 0; i < count; i++)
			same += permutation_at(&one, i) == permutation_at(&other, i);
		CU_ASSERT(same < 12);
	}
}

static void a_seed_gives_its_order_again(void)
{
	struct permutation one, other;

	permutation_init(&one, 1000, 42);
	permutation_init(&other, 1000, 42);
	for (uint64_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(permutation_at(&one, i), permutation_at(&other, i));
}

static const struct test tests[] = {
	{"each place is visited once, for every count up to 5000", each_place_is_visited_once},
	{"a large range has no repeats", a_large_range_has_no_repeats},
	{"the start of an order is spread evenly", the_start_of_an_order_is_spread_evenly},
	{"steps go both ways and far", steps_go_both_ways_and_far},
	{"seeds give different orders", seeds_give_different_orders},
	{"a seed gives its order again", a_seed_gives_its_order_again},
	{NULL, NULL},
};

const struct suite suite_permutation = {"permutation", tests};
