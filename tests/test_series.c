/* SPDX-License-Identifier: MIT */
/*
 * test_series.c - intervals, their doubling and merging, against a list of what was added.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "rng.h"
#include "series.h"
#include "suites.h"

struct event {
	uint64_t at_ns, latency_ns, bytes;
};

static struct series made(uint64_t seconds)
{
	struct series series;

	CU_ASSERT_EQUAL_FATAL(series_init(&series, seconds * NS_PER_S, NULL), 0);
	return series;
}

static void add(struct series *series, const struct event *event)
{
	series_add(series, event->at_ns, event->latency_ns, event->bytes);
}

static struct event any_event(struct rng *rng, uint64_t span_ns)
{
	return (struct event){rng_below(rng, span_ns), rng_next(rng) >> (20 + rng_below(rng, 44)),
			      rng_below(rng, 1 << 20)};
}

/* Whether the rows are those that counting the events at the series' interval gives. */
static bool equals_events(const struct series *series, const struct event *events, size_t count)
{
	struct series_row *rows = calloc(series->capacity, sizeof(*rows));
	size_t used = 0;
	bool equal;

	CU_ASSERT_PTR_NOT_NULL_FATAL(rows);
	for (size_t i = 0; i < count; i++) {
		size_t index = (size_t)(events[i].at_ns / series->interval_ns);
		struct series_row *row = &rows[index];

		row->count++;
		row->bytes += events[i].bytes;
		row->buckets[series_bucket(events[i].latency_ns)]++;
		if (row->max_ns < events[i].latency_ns)
			row->max_ns = events[i].latency_ns;
		if (used < index + 1)
			used = index + 1;
	}
	equal = series->used == used &&
		!memcmp(series->rows, rows, series->capacity * sizeof(*rows));
	free(rows);
	return equal;
}

static void room_is_for_the_span(void)
{
	static const struct {
		uint64_t expected_ns;
		size_t capacity;
	} rows[] = {{0, 2},
		    {NS_PER_S, 2},
		    {2 * NS_PER_S, 2},
		    {2 * NS_PER_S + 1, 4},
		    {10 * NS_PER_S, 10},
		    {7200 * NS_PER_S, 7200},
		    {UINT64_MAX, 7200}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct series series;

		CU_ASSERT_EQUAL(series_init(&series, rows[i].expected_ns, NULL), 0);
		CU_ASSERT_EQUAL(series.capacity, rows[i].capacity);
		CU_ASSERT_EQUAL(series.interval_ns, NS_PER_S);
		CU_ASSERT_EQUAL(series.used, 0);
		series_release(&series);
		CU_ASSERT_PTR_NULL(series.rows);
	}
}

static void each_second_has_its_row(void)
{
	struct series series = made(4);

	series_add(&series, 0, 300, 10);
	series_add(&series, NS_PER_S - 1, 100, 10);
	series_add(&series, NS_PER_S, 500, 10);
	series_add(&series, 3 * NS_PER_S, 900, 10);
	CU_ASSERT_EQUAL(series.used, 4);
	CU_ASSERT_EQUAL(series.rows[0].count, 2);
	CU_ASSERT_EQUAL(series.rows[0].max_ns, 300);
	CU_ASSERT_EQUAL(series.rows[1].count, 1);
	CU_ASSERT_EQUAL(series.rows[2].count, 0);
	CU_ASSERT_EQUAL(series.rows[3].bytes, 10);
	series_release(&series);
}

static void going_back_counts_in_the_past(void)
{
	struct series series = made(4);

	series_add(&series, 3 * NS_PER_S, 1, 1);
	series_add(&series, 1 * NS_PER_S, 1, 1);
	series_add(&series, 2 * NS_PER_S - 1, 1, 1);
	series_add(&series, 0, 1, 1);
	CU_ASSERT_EQUAL(series.used, 4);
	CU_ASSERT_EQUAL(series.rows[0].count, 1);
	CU_ASSERT_EQUAL(series.rows[1].count, 2);
	CU_ASSERT_EQUAL(series.rows[2].count, 0);
	CU_ASSERT_EQUAL(series.rows[3].count, 1);
	series_release(&series);
}

static void interval_doubles_when_time_runs_on(void)
{
	struct series series = made(4);
	struct series_row *rows = series.rows;

	for (uint64_t second = 0; second < 17; second++)
		series_add(&series, second * NS_PER_S, 1000 + second, 1);
	CU_ASSERT_PTR_EQUAL(series.rows, rows); /* in place */
	CU_ASSERT_EQUAL(series.capacity, 4);
	CU_ASSERT_EQUAL(series.interval_ns, 8 * NS_PER_S);
	CU_ASSERT_EQUAL(series.used, 3);
	CU_ASSERT_EQUAL(series.rows[0].count, 8);
	CU_ASSERT_EQUAL(series.rows[0].max_ns, 1007);
	CU_ASSERT_EQUAL(series.rows[1].count, 8);
	CU_ASSERT_EQUAL(series.rows[2].count, 1);
	CU_ASSERT_EQUAL(series.rows[3].count, 0);
	series_release(&series);
}

static void rows_are_those_of_the_events(void)
{
	enum { EVENTS = 300 };
	struct event events[EVENTS];
	struct rng rng;

	rng_init(&rng, 20);
	for (int round = 0; round < 200; round++) {
		struct series series = made(1 + rng_below(&rng, 12));
		uint64_t span_ns = 1 + rng_next(&rng) % (NS_PER_S << rng_below(&rng, 9));

		for (int i = 0; i < EVENTS; i++) {
			events[i] = any_event(&rng, span_ns);
			add(&series, &events[i]);
		}
		CU_ASSERT(equals_events(&series, events, EVENTS));
		series_release(&series);
	}
}

static void merged_is_one_series(void)
{
	enum { EVENTS = 300 };
	struct event events[EVENTS];
	struct rng rng;

	rng_init(&rng, 21);
	for (int round = 0; round < 200; round++) {
		struct series into = made(1 + rng_below(&rng, 12)),
			      from = made(1 + rng_below(&rng, 12));
		uint64_t into_span_ns = 1 + rng_next(&rng) % (NS_PER_S << rng_below(&rng, 9));
		uint64_t from_span_ns = 1 + rng_next(&rng) % (NS_PER_S << rng_below(&rng, 9));
		uint64_t longer_ns;

		for (int i = 0; i < EVENTS; i++) {
			events[i] = any_event(&rng, i & 1 ? into_span_ns : from_span_ns);
			add(i & 1 ? &into : &from, &events[i]);
		}
		longer_ns =
			into.interval_ns > from.interval_ns ? into.interval_ns : from.interval_ns;
		series_merge(&into, &from);
		CU_ASSERT(into.interval_ns >= longer_ns);
		CU_ASSERT_EQUAL(from.interval_ns, into.interval_ns);
		CU_ASSERT(equals_events(&into, events, EVENTS));
		series_release(&into);
		series_release(&from);
	}
}

static void merging_does_not_coarsen_needlessly(void)
{
	struct series into = made(10), from = made(10);

	series_add(&into, 9 * NS_PER_S, 1, 1);
	series_add(&from, 9 * NS_PER_S, 1, 1);
	series_merge(&into, &from);
	CU_ASSERT_EQUAL(into.interval_ns, NS_PER_S);
	CU_ASSERT_EQUAL(into.rows[9].count, 2);
	series_release(&into);
	series_release(&from);
}

static void adding_goes_on_after_a_merge(void)
{
	struct series into = made(4), from = made(2);

	series_add(&into, 3 * NS_PER_S, 1, 1);
	series_add(&from, 7 * NS_PER_S, 1, 1);
	series_merge(&into, &from);
	CU_ASSERT_EQUAL(into.interval_ns, 4 * NS_PER_S);
	series_add(&into, 3 * NS_PER_S, 1, 1);
	series_add(&into, 5 * NS_PER_S, 1, 1);
	CU_ASSERT_EQUAL(into.rows[0].count, 2);
	CU_ASSERT_EQUAL(into.rows[1].count, 2);
	series_release(&into);
	series_release(&from);
}

static void an_empty_series_changes_nothing(void)
{
	struct series into = made(4), from = made(4);

	series_add(&into, NS_PER_S, 5, 7);
	series_merge(&into, &from);
	CU_ASSERT_EQUAL(into.used, 2);
	series_merge(&from, &into);
	CU_ASSERT_EQUAL(from.used, 2);
	CU_ASSERT_EQUAL(from.rows[1].bytes, 7);
	series_release(&into);
	series_release(&from);
}

static void full_buckets_stay_full(void)
{
	struct series into = made(2), from = made(2);

	series_add(&into, 0, 1000, 1);
	series_add(&from, 0, 1000, 1);
	into.rows[0].buckets[series_bucket(1000)] = UINT32_MAX - 1;
	from.rows[0].buckets[series_bucket(1000)] = 2;
	series_merge(&into, &from);
	CU_ASSERT_EQUAL(into.rows[0].buckets[series_bucket(1000)], UINT32_MAX);
	series_release(&into);
	series_release(&from);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void p99_is_within_a_sixteenth(void)
{
	enum { EACH = 3000 };
	uint64_t values[EACH];
	struct rng rng;

	rng_init(&rng, 22);
	for (unsigned octave = SERIES_LOW_BITS; octave < SERIES_HIGH_BITS; octave++) {
		struct series series = made(1);
		double exact;

		for (unsigned i = 0; i < EACH; i++) {
			values[i] = (1ULL << octave) + rng_below(&rng, 1ULL << octave);
			/* The highest 30 lie far above, so that the maximum does not help; not
			 * where they would share the last bucket, which has no end. */
			if (i < EACH / 100 && octave < SERIES_HIGH_BITS - 2)
				values[i] *= 4;
			series_add(&series, 0, values[i], 0);
		}
		qsort(values, EACH, sizeof(values[0]), ascending);
		exact = (double)values[EACH - EACH / 100 - 1];
		CU_ASSERT_DOUBLE_EQUAL(series_row_p99(&series.rows[0]), exact, 0.0625 * exact);
		series_release(&series);
	}
}

static void p99_needs_a_thousand(void)
{
	struct series series = made(1);

	for (int i = 0; i < 999; i++)
		series_add(&series, 0, 5000, 0);
	CU_ASSERT(isnan(series_row_p99(&series.rows[0])));
	series_add(&series, 0, 5000, 0);
	CU_ASSERT_DOUBLE_EQUAL(series_row_p99(&series.rows[0]), 5000, 0.0625 * 5000);
	CU_ASSERT(series_row_p99(&series.rows[0]) <= 5000);
	CU_ASSERT(isnan(series_row_p99(&series.rows[1])));
	series_release(&series);
}

/* The p99 of a row with that many of 1000 operations at 1 us and the others at 1 ms. */
static double p99_with_short_ones(unsigned short_count)
{
	struct series series = made(1);
	double p99;

	for (unsigned n = 0; n < 1000; n++)
		series_add(&series, 0, n < short_count ? 1000 : 1000000, 0);
	p99 = series_row_p99(&series.rows[0]);
	series_release(&series);
	return p99;
}

static void p99_leaves_one_in_a_hundred_above(void)
{
	CU_ASSERT_DOUBLE_EQUAL(p99_with_short_ones(990), 1000, 62.5);
	CU_ASSERT_DOUBLE_EQUAL(p99_with_short_ones(989), 1000000, 62500);
}

static void p99_of_the_outermost_stays_below_the_worst(void)
{
	const uint64_t latencies_ns[] = {0, 100, 1ULL << 45, UINT64_MAX};

	for (size_t i = 0; i < sizeof(latencies_ns) / sizeof(latencies_ns[0]); i++) {
		struct series series = made(1);
		double p99;

		for (int n = 0; n < 1000; n++)
			series_add(&series, 0, latencies_ns[i], 0);
		p99 = series_row_p99(&series.rows[0]);
		CU_ASSERT(p99 >= 0 && p99 <= (double)latencies_ns[i]);
		series_release(&series);
	}
}

static const struct test tests[] = {
	{"room is made for the span, at most two hours of seconds", room_is_for_the_span},
	{"each second has its row", each_second_has_its_row},
	{"a completion from the past counts in its own row", going_back_counts_in_the_past},
	{"the interval doubles in place when time runs on", interval_doubles_when_time_runs_on},
	{"rows are those of the events whatever their order", rows_are_those_of_the_events},
	{"merged is one series of all events", merged_is_one_series},
	{"merging does not coarsen needlessly", merging_does_not_coarsen_needlessly},
	{"adding goes on after a merge", adding_goes_on_after_a_merge},
	{"an empty series changes nothing", an_empty_series_changes_nothing},
	{"a full bucket does not wrap", full_buckets_stay_full},
	{"the p99 is within 6.25 % in every octave", p99_is_within_a_sixteenth},
	{"the p99 leaves one in a hundred above it", p99_leaves_one_in_a_hundred_above},
	{"the p99 needs a thousand operations", p99_needs_a_thousand},
	{"the p99 of the outermost buckets stays below the worst",
	 p99_of_the_outermost_stays_below_the_worst},
	{NULL, NULL},
};

const struct suite suite_series = {"series", tests};
