/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - latencies in nanoseconds, log-linear, at most 1 % off.
 *
 * Buckets. A value below 128 has a bucket of its own. From there each power of two [2^k, 2^(k+1))
 * is cut into 64 buckets of equal width 2^(k-6). A percentile is answered with the middle of its
 * bucket, or of the part of it between minimum and maximum, so it is off by at most half a width:
 * 2^(k-7) / 2^k = 1/128 = 0.78 %. Values up to 2^46 ns (19.5 hours) have their bucket; longer ones
 * count in the last. Minimum, maximum, sum and sum of squares are exact, so merging is: a merge
 * equals one histogram of all values.
 *
 * A histogram belongs to one thread until it is merged; adding takes no lock.
 */
#ifndef ASSAY_HISTOGRAM_H
#define ASSAY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum {
	HISTOGRAM_SUB_BITS = 6,
	HISTOGRAM_MAX_BITS = 46,
	HISTOGRAM_BUCKETS = (HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS
};

__extension__ typedef unsigned __int128 uint128;

struct histogram {
	uint64_t count;
	uint64_t min, max; /* of what was added; min is UINT64_MAX while count is 0 */
	uint64_t sum;
	uint128 sum_squares;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* The bucket of a value: for v >= 128 with highest bit k, the 64 buckets of the octave start at
 * (k - 6) * 64 + 64 and (v >> (k - 6)) lies in [64, 128). */
static inline unsigned histogram_bucket(uint64_t value)
{
	unsigned shift;

	if (value < (2u << HISTOGRAM_SUB_BITS))
		return (unsigned)value;
	if (value >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return (shift << HISTOGRAM_SUB_BITS) + (unsigned)(value >> shift);
}

static inline void histogram_add(struct histogram *histogram, uint64_t value_ns)
{
	histogram->buckets[histogram_bucket(value_ns)]++;
	histogram->count++;
	histogram->sum += value_ns;
	histogram->sum_squares += (uint128)value_ns * value_ns;
	if (value_ns < histogram->min)
		histogram->min = value_ns;
	if (value_ns > histogram->max)
		histogram->max = value_ns;
}

/* Empties a histogram in the caller's storage. */
void histogram_init(struct histogram *histogram);

/* Adds everything in from to into. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The smallest and largest value of a bucket. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_high(unsigned bucket);

/* The value in ns below which the fraction q (0 < q < 1) of the samples lies, within 1 % and
 * never outside [min, max]. NAN below 10/(1-q) samples: it would rest on fewer than ten. */
double histogram_percentile(const struct histogram *histogram, double q);

/* Mean and standard deviation (of the population) in ns; NAN without samples. */
double histogram_mean(const struct histogram *histogram);
double histogram_stddev(const struct histogram *histogram);

/* A compact, versioned, endian-independent form for the archive. *blob is malloc'ed, the caller's
 * to free. Decoding refuses anything histogram_encode could not have made. */
int histogram_encode(const struct histogram *histogram, void **blob, size_t *bytes,
		     struct err *err);
int histogram_decode(struct histogram *histogram, const void *blob, size_t bytes, struct err *err);

/* Adds an encoded histogram to into, as decoding and merging it would; once it has failed, into is
 * of no use any more. */
int histogram_merge_blob(struct histogram *into, const void *blob, size_t bytes, struct err *err);

#endif
