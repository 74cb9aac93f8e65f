/* SPDX-License-Identifier: MIT */
/*
 * rng.h - seeded random numbers: xoshiro256** 1.0 by Blackman and Vigna (2018), seeded through
 * splitmix64 as they advise. One generator per worker and purpose; never shared.
 */
#ifndef ASSAY_RNG_H
#define ASSAY_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* One step of splitmix64; also mixes seeds. */
static inline uint64_t rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* A seed for a named part of a run: neighbours do not influence it (FNV-1a of the name). */
static inline uint64_t rng_seed_for(uint64_t seed, const char *name, uint64_t index)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ULL;
	return rng_mix(rng_mix(seed ^ hash) + index);
}

static inline void rng_init(struct rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->s[i] = seed = rng_mix(seed);
}

static inline uint64_t rng_rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rng_rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotate(s[3], 45);
	return result;
}

/* Uniform in [0, bound), bound > 0: the high half of a 128-bit product (Lemire 2019, without the
 * rejection step, whose bias is below bound / 2^64). */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)(((wide)rng_next(rng) * bound) >> 64);
}

#endif
