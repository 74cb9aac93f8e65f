/* SPDX-License-Identifier: MIT */
/*
 * series.h - one operation over time: operations, bytes, p99 and worst latency per second.
 *
 * Everything is allocated before the clock starts. When a measurement outlasts the seconds that
 * were allocated, neighbours are merged in place and the interval doubles, so a row may stand for
 * 2, 4, ... seconds; adding never allocates. Latencies go into coarse buckets, eight to a power
 * of two from 256 ns to 2^40 ns, so a p99 is within 6.25 %; the worst is exact.
 */
#ifndef ASSAY_SERIES_H
#define ASSAY_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum {
	SERIES_LOW_BITS = 8,
	SERIES_HIGH_BITS = 40,
	SERIES_BUCKETS = ((SERIES_HIGH_BITS - SERIES_LOW_BITS) << 3) + 1
};

struct series_row {
	uint64_t count, bytes, max_ns;
	uint32_t buckets[SERIES_BUCKETS];
};

struct series {
	uint64_t interval_ns; /* a second, doubled as often as needed */
	uint64_t next_ns;     /* end of the row being filled, since the start */
	size_t current;       /* the row being filled */
	size_t used;          /* rows up to the last one with anything in it */
	size_t capacity;      /* even */
	struct series_row *rows;
};

/* The coarse bucket: values below 256 ns share the first. */
static inline unsigned series_bucket(uint64_t value_ns)
{
	unsigned high;

	if (value_ns < (1u << SERIES_LOW_BITS))
		return 0;
	high = 63u - (unsigned)__builtin_clzll(value_ns);
	if (high >= SERIES_HIGH_BITS)
		return SERIES_BUCKETS - 1;
	return 1 + ((high - SERIES_LOW_BITS) << 3) + ((unsigned)(value_ns >> (high - 3)) & 7);
}

/* Moves the row being filled to the one that holds at_ns, backwards too. */
void series_seek(struct series *series, uint64_t at_ns);

/* Counts one operation that completed at_ns after the start of the measurement. */
static inline void series_add(struct series *series, uint64_t at_ns, uint64_t latency_ns,
			      uint64_t bytes)
{
	struct series_row *row;

	if (at_ns >= series->next_ns || at_ns + series->interval_ns < series->next_ns)
		series_seek(series, at_ns);
	row = &series->rows[series->current];
	row->count++;
	row->bytes += bytes;
	row->buckets[series_bucket(latency_ns)]++;
	if (latency_ns > row->max_ns)
		row->max_ns = latency_ns;
}

/* Allocates for at least the given span; at most 7200 rows. */
int series_init(struct series *series, uint64_t expected_ns, struct err *err);
void series_release(struct series *series);

/* Adds everything in from to into; both end up with the longer interval. */
void series_merge(struct series *into, struct series *from);

/* The p99 of a row in ns; NAN below 1000 operations. */
double series_row_p99(const struct series_row *row);

#endif
