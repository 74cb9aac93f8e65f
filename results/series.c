/* SPDX-License-Identifier: MIT */
/*
 * series.c - intervals that double in place, and merging of what several workers counted.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "series.h"

enum { ROWS_MAX = 7200 };

int series_init(struct series *series, uint64_t expected_ns, struct err *err)
{
	uint64_t rows = expected_ns / NS_PER_S + (expected_ns % NS_PER_S != 0);

	if (rows < 2)
		rows = 2;
	if (rows > ROWS_MAX)
		rows = ROWS_MAX;
	*series = (struct series){.interval_ns = NS_PER_S, .capacity = (size_t)(rows + rows % 2)};
	/* next_ns is 0, so the first operation seeks, and with it counts its row as used. */
	series->rows = calloc(series->capacity, sizeof(*series->rows));
	if (!series->rows)
		return err_set(err, -ENOMEM, "there is no memory for %zu seconds of samples",
			       series->capacity);
	return 0;
}

void series_release(struct series *series)
{
	free(series->rows);
	memset(series, 0, sizeof(*series));
}

/* Buckets are narrow and stay at their limit: they only serve a p99. */
static void row_add(struct series_row *into, const struct series_row *from)
{
	into->count += from->count;
	into->bytes += from->bytes;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (unsigned i = 0; i < SERIES_BUCKETS; i++)
		if (__builtin_add_overflow(into->buckets[i], from->buckets[i], &into->buckets[i]))
			into->buckets[i] = UINT32_MAX;
}

/* Doubles the interval: rows 2i and 2i + 1 become row i. The row being filled is sought anew. */
static void series_fold(struct series *series)
{
	size_t half = (series->used + 1) / 2;

	for (size_t i = 0; i < half; i++) {
		if (i)
			series->rows[i] = series->rows[2 * i];
		row_add(&series->rows[i], &series->rows[2 * i + 1]);
	}
	if (half)
		memset(&series->rows[half], 0, (series->capacity - half) * sizeof(*series->rows));
	series->used = half;
	series->interval_ns *= 2;
	series->next_ns = 0;
}

void series_seek(struct series *series, uint64_t at_ns)
{
	while (at_ns / series->interval_ns >= series->capacity)
		series_fold(series);
	series->current = (size_t)(at_ns / series->interval_ns);
	series->next_ns = (series->current + 1) * series->interval_ns;
	if (series->used < series->current + 1)
		series->used = series->current + 1;
}

void series_merge(struct series *into, struct series *from)
{
	while (into->interval_ns < from->interval_ns)
		series_fold(into);
	while (from->interval_ns < into->interval_ns)
		series_fold(from);
	while (from->used > into->capacity) {
		series_fold(into);
		series_fold(from);
	}
	for (size_t i = 0; i < from->used; i++)
		row_add(&into->rows[i], &from->rows[i]);
	if (into->used < from->used)
		into->used = from->used;
}

static uint64_t bucket_low(unsigned bucket)
{
	unsigned octave = (bucket - 1) >> 3, eighth = (bucket - 1) & 7;

	return bucket ? (uint64_t)(8 + eighth) << (octave + SERIES_LOW_BITS - 3) : 0;
}

/* The middle of a bucket, as far as the exact maximum allows; the last is open above. */
static double bucket_middle(unsigned bucket, uint64_t max_ns)
{
	uint64_t low = bucket_low(bucket);
	uint64_t high = bucket == SERIES_BUCKETS - 1 ? max_ns : bucket_low(bucket + 1) - 1;

	if (high > max_ns)
		high = max_ns;
	return (double)low + ((double)high - (double)low) / 2;
}

double series_row_p99(const struct series_row *row)
{
	uint64_t total = 0, seen = 0, rank;

	for (unsigned i = 0; i < SERIES_BUCKETS; i++)
		total += row->buckets[i];
	if (total < 1000)
		return NAN;
	rank = total - total / 100; /* ceil(0.99 total) */
	for (unsigned i = 0; i < SERIES_BUCKETS; i++) {
		seen += row->buckets[i];
		if (seen >= rank)
			return bucket_middle(i, row->max_ns);
	}
	return NAN;
}
