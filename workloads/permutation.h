/* SPDX-License-Identifier: MIT */
/*
 * permutation.h - visits 0 .. count-1 in a random order, each once, without a table.
 *
 * A four-round Feistel network permutes the smallest power of four that holds count; results
 * beyond count are fed back until one fits ("cycle walking", Black and Rogaway 2002), less than
 * four times on average.
 */
#ifndef ASSAY_WORKLOADS_PERMUTATION_H
#define ASSAY_WORKLOADS_PERMUTATION_H

#include <stdint.h>

#include "rng.h"

struct permutation {
	uint64_t count;
	uint64_t keys[4];
	uint64_t mask;  /* of half the bits */
	unsigned half;  /* bits */
};

static inline void permutation_init(struct permutation *permutation, uint64_t count, uint64_t seed)
{
	permutation->count = count;
	permutation->half = 1;
	while (permutation->half < 32 && (1ULL << (2 * permutation->half)) < count)
		permutation->half++;
	permutation->mask = (1ULL << permutation->half) - 1;
	for (int i = 0; i < 4; i++)
		permutation->keys[i] = seed = rng_mix(seed);
}

/* The place visited at the given step, step < count. */
static inline uint64_t permutation_at(const struct permutation *permutation, uint64_t step)
{
	do {
		uint64_t left = step >> permutation->half, right = step & permutation->mask;

		for (int i = 0; i < 4; i++) {
			uint64_t next = left ^
					(rng_mix(right ^ permutation->keys[i]) & permutation->mask);

			left = right;
			right = next;
		}
		step = (left << permutation->half) | right;
	} while (step >= permutation->count);
	return step;
}

#endif
