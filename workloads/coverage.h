/* SPDX-License-Identifier: MIT */
/*
 * coverage.h - how many different places a stream of random places has touched, in little memory
 * and a few nanoseconds each.
 *
 * Of the places of the share only those are followed whose hash ends in `shift` zeros, so that
 * about COVERAGE_FOLLOWED of them are: the same ones in every worker, whatever they draw. A
 * followed place sets the bit that its hash names among COVERAGE_BITS; how many there were follows
 * from the bits still unset (linear counting: Whang, Vander-Zanden and Taylor, "A linear-time
 * probabilistic counting algorithm for database applications", ACM TODS 15, 1990). With a bit set
 * in eight at most the error is below 1 %, like that of the sample.
 */
#ifndef ASSAY_WORKLOADS_COVERAGE_H
#define ASSAY_WORKLOADS_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "rng.h"

enum { COVERAGE_FOLLOWED = 1 << 13, COVERAGE_BITS = 1 << 16, COVERAGE_WORD_BITS = 64 };

struct coverage {
	uint64_t places; /* there are in the share */
	unsigned shift;
	uint64_t mask;
	uint64_t drawn, followed;
	uint64_t bits[COVERAGE_BITS / COVERAGE_WORD_BITS];
};

/* Nothing has been touched of so many places. */
void coverage_init(struct coverage *coverage, uint64_t places);

/* A place is touched; any number that is its own will do. */
static inline void coverage_add(struct coverage *coverage, uint64_t place)
{
	uint64_t hash = rng_mix(place), bit;

	coverage->drawn++;
	if (hash & coverage->mask)
		return;
	coverage->followed++;
	bit = hash >> 48; /* of COVERAGE_BITS */
	coverage->bits[bit / COVERAGE_WORD_BITS] |= 1ULL << bit % COVERAGE_WORD_BITS;
}

/* Adds what another stream touched of the same share. */
void coverage_merge(struct coverage *into, const struct coverage *from);

/* How many different places were touched, and how many so many uniform draws would touch:
 * N (1 - exp(-n / N)), the occupancy of N cells by n balls. */
double coverage_distinct(const struct coverage *coverage);
double coverage_likely(const struct coverage *coverage);

#endif
