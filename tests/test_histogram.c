/* SPDX-License-Identifier: MIT */
/*
 * test_histogram.c - error bound, exactness of merging, percentiles, and the archived form.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "rng.h"
#include "suites.h"

enum { LAST = HISTOGRAM_BUCKETS - 1 };

/* A latency of any magnitude that has a bucket of its own. */
static uint64_t any_latency(struct rng *rng)
{
	return rng_next(rng) >> (64 - HISTOGRAM_MAX_BITS + rng_below(rng, HISTOGRAM_MAX_BITS));
}

static void fill(struct histogram *histogram, struct rng *rng, unsigned count)
{
	histogram_init(histogram);
	while (count--)
		histogram_add(histogram, any_latency(rng));
}

static bool same(const struct histogram *a, const struct histogram *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void buckets_are_gapless(void)
{
	bool fits = histogram_bucket_low(0) == 0 && histogram_bucket_high(LAST) == UINT64_MAX;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_low(i), high = histogram_bucket_high(i);

		fits = fits && low <= high && histogram_bucket(low) == i &&
		       histogram_bucket(high) == i;
		fits = fits && (i == LAST || histogram_bucket_low(i + 1) == high + 1);
	}
	CU_ASSERT(fits);
}

static void middle_of_a_bucket_is_within_a_percent(void)
{
	bool fits = true;

	for (unsigned i = 1; i < LAST; i++) {
		double low = (double)histogram_bucket_low(i),
		       high = (double)histogram_bucket_high(i);

		fits = fits && (high - low) / 2 <= 0.01 * low;
	}
	CU_ASSERT(fits);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The smallest of the sorted values that at least the fraction q of them do not exceed. */
static double exact_percentile(const uint64_t *values, unsigned count, double q)
{
	return (double)values[(unsigned)ceil(q * count - 1e-6) - 1];
}

static void percentiles_are_within_a_percent(void)
{
	enum { EACH = 2000 };
	static const double quantiles[] = {0.01, 0.25, 0.5, 0.9, 0.95, 0.99};
	uint64_t values[EACH];
	struct histogram histogram;
	struct rng rng;

	rng_init(&rng, 4);
	for (unsigned octave = 0; octave < HISTOGRAM_MAX_BITS; octave++) {
		histogram_init(&histogram);
		for (unsigned i = 0; i < EACH; i++) {
			values[i] = (1ULL << octave) + rng_below(&rng, 1ULL << octave);
			histogram_add(&histogram, values[i]);
		}
		qsort(values, EACH, sizeof(values[0]), ascending);
		for (unsigned i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
			double exact = exact_percentile(values, EACH, quantiles[i]);

			CU_ASSERT_DOUBLE_EQUAL(histogram_percentile(&histogram, quantiles[i]),
					       exact, 0.01 * exact);
		}
		CU_ASSERT_EQUAL(histogram.min, values[0]);
		CU_ASSERT_EQUAL(histogram.max, values[EACH - 1]);
	}
}

static void merge_equals_one_histogram(void)
{
	struct histogram whole, parts[3], merged;
	struct rng rng;

	rng_init(&rng, 5);
	histogram_init(&whole);
	histogram_init(&merged);
	for (int i = 0; i < 3; i++)
		histogram_init(&parts[i]); /* the last stays empty */
	for (int i = 0; i < 10000; i++) {
		uint64_t value = any_latency(&rng);

		histogram_add(&whole, value);
		histogram_add(&parts[rng_below(&rng, 2)], value);
	}
	for (int i = 0; i < 3; i++)
		histogram_merge(&merged, &parts[i]);
	CU_ASSERT(same(&whole, &merged));
	histogram_merge(&parts[2], &whole);
	CU_ASSERT(same(&whole, &parts[2]));
}

static void squares_have_128_bits(void)
{
	struct histogram histogram, twice;

	histogram_init(&histogram);
	for (int i = 0; i < 1000; i++)
		histogram_add(&histogram, 1ULL << 40);
	CU_ASSERT_EQUAL((uint64_t)histogram.sum_squares, 0);
	CU_ASSERT_EQUAL((uint64_t)(histogram.sum_squares >> 64), 1000ULL << 16);
	CU_ASSERT_EQUAL(histogram_stddev(&histogram), 0);
	twice = histogram;
	histogram_merge(&twice, &histogram);
	CU_ASSERT_EQUAL((uint64_t)(twice.sum_squares >> 64), 2000ULL << 16);
}

static void moments_are_exact(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	histogram_add(&histogram, 2);
	histogram_add(&histogram, 4);
	histogram_add(&histogram, 9);
	CU_ASSERT_DOUBLE_EQUAL(histogram_mean(&histogram), 5, 1e-15);
	CU_ASSERT_DOUBLE_EQUAL(histogram_stddev(&histogram), sqrt(26.0 / 3), 1e-14);

	/* Squares in floating point would cancel to nothing here. */
	histogram_init(&histogram);
	for (int i = 0; i < 1000; i++)
		histogram_add(&histogram, 1000000000000 + (i & 1) * 2);
	CU_ASSERT_DOUBLE_EQUAL(histogram_mean(&histogram), 1000000000001.0, 1e-3);
	CU_ASSERT_DOUBLE_EQUAL(histogram_stddev(&histogram), 1, 1e-9);
}

static void no_samples_is_no_number(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	CU_ASSERT_EQUAL(histogram.min, UINT64_MAX);
	CU_ASSERT(isnan(histogram_mean(&histogram)));
	CU_ASSERT(isnan(histogram_stddev(&histogram)));
	CU_ASSERT(isnan(histogram_percentile(&histogram, 0.5)));
}

static void few_samples_have_no_percentile(void)
{
	static const struct {
		double q;
		unsigned enough;
	} rows[] = {{0.5, 20},	  {0.9, 100},	  {0.95, 200},
		    {0.99, 1000}, {0.999, 10000}, {0.9999, 100000}};
	struct histogram histogram;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		histogram_init(&histogram);
		for (unsigned n = 1; n < rows[i].enough; n++)
			histogram_add(&histogram, n);
		CU_ASSERT(isnan(histogram_percentile(&histogram, rows[i].q)));
		histogram_add(&histogram, rows[i].enough);
		CU_ASSERT_DOUBLE_EQUAL(histogram_percentile(&histogram, rows[i].q),
				       rows[i].q * rows[i].enough, 0.01 * rows[i].enough);
	}
	CU_ASSERT(isnan(histogram_percentile(&histogram, 0)));
	CU_ASSERT(isnan(histogram_percentile(&histogram, 1)));
	CU_ASSERT(isnan(histogram_percentile(&histogram, -1)));
	CU_ASSERT(isnan(histogram_percentile(&histogram, NAN)));
}

/* In binary 0.07 of 100 is a little more than 7. */
static void a_percentile_is_the_right_sample(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	for (unsigned n = 1; n <= 100; n++)
		histogram_add(&histogram, n);
	for (unsigned n = 1; n <= 90; n++)
		CU_ASSERT_EQUAL(histogram_percentile(&histogram, n / 100.0), n);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.075), 8);
}

static void percentiles_ascend_between_the_extremes(void)
{
	struct histogram histogram;
	struct rng rng;
	bool fits = true;

	rng_init(&rng, 6);
	for (int round = 0; round < 50; round++) {
		double before = 0;

		fill(&histogram, &rng, 2000);
		histogram_add(&histogram, rng_next(&rng)); /* often beyond the buckets */
		for (double q = 0.005; q < 0.9951; q += 0.005) {
			double value = histogram_percentile(&histogram, q);

			fits = fits && value >= before && value >= (double)histogram.min &&
			       value <= (double)histogram.max;
			before = value;
		}
	}
	CU_ASSERT(fits);
}

static void equal_samples_give_that_value(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	for (int i = 0; i < 1000; i++)
		histogram_add(&histogram, 1234567);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.5), 1234567);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.99), 1234567);
}

static void very_long_ones_count_in_the_last_bucket(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	histogram_add(&histogram, (1ULL << HISTOGRAM_MAX_BITS) - 1);
	histogram_add(&histogram, 1ULL << HISTOGRAM_MAX_BITS);
	histogram_add(&histogram, (1ULL << 62) + 1);
	CU_ASSERT_EQUAL(histogram.buckets[LAST], 3);
	CU_ASSERT_EQUAL(histogram.max, (1ULL << 62) + 1);
	histogram_add(&histogram, 1);
	CU_ASSERT_EQUAL(histogram.buckets[1], 1);
	CU_ASSERT_EQUAL(histogram.min, 1);
}

/* ---- the archived form ----------------------------------------------------------------------- */

struct blob {
	unsigned char *bytes;
	size_t count;
};

static struct blob encoded(const struct histogram *histogram)
{
	struct blob blob;
	void *bytes = NULL;

	CU_ASSERT_EQUAL_FATAL(histogram_encode(histogram, &bytes, &blob.count, NULL), 0);
	blob.bytes = bytes;
	return blob;
}

/* Decodes from memory of exactly that size, so that a sanitizer sees any byte read beyond. */
static int decode_exactly(const unsigned char *bytes, size_t count, struct histogram *histogram,
			  struct err *err)
{
	unsigned char *copy = malloc(count ? count : 1);
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, bytes, count);
	code = histogram_decode(histogram, copy, count, err);
	free(copy);
	return code;
}

static void check_round_trip(const struct histogram *histogram)
{
	struct histogram back;
	struct blob blob = encoded(histogram);
	struct err err = {0};

	memset(&back, 0xa5, sizeof(back));
	CU_ASSERT_EQUAL(decode_exactly(blob.bytes, blob.count, &back, &err), 0);
	CU_ASSERT(same(histogram, &back));
	free(blob.bytes);
}

static void decoded_equals_what_was_encoded(void)
{
	struct histogram histogram;
	struct rng rng;

	rng_init(&rng, 7);
	histogram_init(&histogram);
	check_round_trip(&histogram);
	histogram_add(&histogram, 0);
	check_round_trip(&histogram);
	histogram_add(&histogram, UINT64_MAX);
	check_round_trip(&histogram);
	for (unsigned count = 1; count < 100000; count = count * 3 + 1) {
		fill(&histogram, &rng, count);
		check_round_trip(&histogram);
	}
}

static void full_histogram_fits(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram_add(&histogram, histogram_bucket_low(i));
	check_round_trip(&histogram);
}

static void blob_is_small(void)
{
	struct histogram histogram;
	struct blob blob;

	histogram_init(&histogram);
	for (uint64_t i = 0; i < 100000; i++)
		histogram_add(&histogram, 100000 + i);
	blob = encoded(&histogram);
	CU_ASSERT(blob.count < 400); /* one octave has 64 buckets */
	free(blob.bytes);
}

/* A histogram of a few hundred bytes once encoded. */
static struct blob sample_blob(struct histogram *histogram, uint64_t seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	fill(histogram, &rng, 150);
	return encoded(histogram);
}

static void truncation_is_refused(void)
{
	struct histogram histogram;
	struct blob blob = sample_blob(&histogram, 8);
	struct err err;

	for (size_t count = 0; count < blob.count; count++) {
		err.code = 0;
		CU_ASSERT(decode_exactly(blob.bytes, count, &histogram, &err) < 0);
		CU_ASSERT(err.code < 0);
		CU_ASSERT_EQUAL(histogram.count, 0);
	}
	free(blob.bytes);
}

static void any_changed_byte_is_refused(void)
{
	struct histogram histogram;
	struct blob blob = sample_blob(&histogram, 9);
	struct rng rng;

	rng_init(&rng, 9);
	for (size_t at = 0; at < blob.count; at++)
		for (int i = 0; i < 4; i++) {
			unsigned char change = (unsigned char)(1 + rng_below(&rng, 255));

			blob.bytes[at] ^= change;
			CU_ASSERT(decode_exactly(blob.bytes, blob.count, &histogram, NULL) < 0);
			blob.bytes[at] ^= change;
		}
	free(blob.bytes);
}

/* Gives a changed blob a right checksum: the remainder of the division by the polynomial of IEEE
 * 802.3, least significant bit first. */
static void seal(struct blob *blob)
{
	size_t body = blob->count - 4;
	uint32_t rest = UINT32_MAX;

	for (size_t bit = 0; bit < 8 * body; bit++) {
		uint32_t next = (rest ^ (uint32_t)blob->bytes[bit / 8] >> (bit % 8)) & 1;

		rest = rest >> 1 ^ (next ? 0xedb88320u : 0);
	}
	for (int i = 0; i < 4; i++)
		blob->bytes[body + (size_t)i] = (unsigned char)(~rest >> (8 * i));
}

static void sealing_is_what_encoding_does(void)
{
	struct histogram histogram;
	struct blob blob = sample_blob(&histogram, 10);

	memset(blob.bytes + blob.count - 4, 0, 4);
	seal(&blob);
	CU_ASSERT_EQUAL(decode_exactly(blob.bytes, blob.count, &histogram, NULL), 0);
	free(blob.bytes);
}

/* Whether a blob is refused, or else is exactly what encoding its histogram yields. */
static bool refused_or_canonical(const struct blob *blob)
{
	struct histogram histogram;
	struct blob again;
	bool equal;

	if (decode_exactly(blob->bytes, blob->count, &histogram, NULL))
		return true;
	again = encoded(&histogram);
	equal = again.count == blob->count && !memcmp(again.bytes, blob->bytes, blob->count);
	free(again.bytes);
	return equal;
}

static void forged_blobs_do_no_harm(void)
{
	bool fits = true;
	struct rng rng;

	rng_init(&rng, 11);
	for (unsigned round = 0; round < 3000; round++) {
		struct histogram histogram;
		struct blob blob = sample_blob(&histogram, 100 + round);

		for (uint64_t changes = 1 + rng_below(&rng, 3); changes; changes--)
			blob.bytes[rng_below(&rng, blob.count - 4)] = (unsigned char)rng_next(&rng);
		if (rng_below(&rng, 4) == 0)
			blob.count = 5 + rng_below(&rng, blob.count - 5);
		seal(&blob);
		fits = fits && refused_or_canonical(&blob);
		free(blob.bytes);
	}
	CU_ASSERT(fits);
}

static void noise_does_no_harm(void)
{
	bool fits = true;
	struct rng rng;

	rng_init(&rng, 12);
	for (unsigned round = 0; round < 3000; round++) {
		unsigned char bytes[64];
		struct blob blob = {bytes, 5 + rng_below(&rng, sizeof(bytes) - 5)};

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(rng_next(&rng) & (round & 1 ? 0xff : 0x03));
		bytes[0] = 1;
		seal(&blob);
		fits = fits && refused_or_canonical(&blob);
	}
	CU_ASSERT(fits);
}

/* Blobs with a right checksum that no histogram has. */
static void what_encoding_cannot_make_is_refused(void)
{
	static const struct {
		const char *why;
		unsigned char body[24];
		unsigned char count;
	} rows[] = {
		{"nothing at all", {0}, 0},
		{"a version alone", {1}, 1},
		{"more after an empty histogram", {1, 0, 0}, 3},
		{"a number in a longer spelling", {1, 0x80, 0}, 3},
		{"a number beyond 64 bits",
		 {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2},
		 11},
		{"buckets that add up to the count beyond 64 bits",
		 {1,	1,    5,    6,	  5,	25,   0,    5,	  2,	0,
		  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		 20},
		{"a minimum above the maximum", {1, 1, 9, 5, 9, 81, 0, 9, 1}, 9},
		{"a sum below the minimum", {1, 1, 5, 5, 4, 20, 0, 5, 1}, 9},
		{"a sum above the maximum", {1, 1, 5, 5, 6, 30, 0, 5, 1}, 9},
		{"squares below what the minimum asks", {1, 1, 5, 5, 5, 24, 0, 5, 1}, 9},
		{"squares above what the maximum allows", {1, 1, 5, 5, 5, 26, 0, 5, 1}, 9},
		{"a bucket below the minimum", {1, 1, 5, 5, 5, 25, 0, 4, 1}, 9},
		{"a bucket above the maximum", {1, 1, 5, 5, 5, 25, 0, 6, 1}, 9},
		{"an empty bucket", {1, 1, 5, 5, 5, 25, 0, 5, 0}, 9},
		{"more in the buckets than counted", {1, 1, 5, 5, 5, 25, 0, 5, 2}, 9},
		{"less in the buckets than counted", {1, 2, 5, 5, 10, 50, 0, 5, 1}, 9},
		{"a bucket beyond the last", {1, 1, 5, 5, 5, 25, 0, 0xff, 0x7f, 1}, 10},
	};
	static const unsigned char good[] = {1, 1, 5, 5, 5, 25, 0, 5, 1};
	struct histogram histogram;
	unsigned char bytes[28];
	struct blob blob = {bytes, sizeof(good) + 4};

	memcpy(bytes, good, sizeof(good));
	seal(&blob);
	CU_ASSERT_EQUAL(decode_exactly(bytes, blob.count, &histogram, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		blob.count = rows[i].count + 4u;
		memcpy(bytes, rows[i].body, rows[i].count);
		seal(&blob);
		if (decode_exactly(bytes, blob.count, &histogram, NULL) >= 0)
			CU_FAIL(rows[i].why);
	}
}

static void unknown_version_is_named(void)
{
	struct histogram histogram;
	struct blob blob = sample_blob(&histogram, 13);
	struct err err = {0};

	blob.bytes[0] = 2;
	seal(&blob);
	CU_ASSERT(decode_exactly(blob.bytes, blob.count, &histogram, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "version 2"));
	free(blob.bytes);
}

static const struct test tests[] = {
	{"buckets cover all values without gap or overlap", buckets_are_gapless},
	{"the middle of a bucket is within 1 % of its values",
	 middle_of_a_bucket_is_within_a_percent},
	{"percentiles are within 1 % in every octave", percentiles_are_within_a_percent},
	{"merge equals one histogram of all values", merge_equals_one_histogram},
	{"sums of squares have 128 bits", squares_have_128_bits},
	{"mean and deviation do not cancel", moments_are_exact},
	{"no samples is no number", no_samples_is_no_number},
	{"a percentile needs 10/(1-q) samples", few_samples_have_no_percentile},
	{"a percentile is the right sample, to the last bit", a_percentile_is_the_right_sample},
	{"percentiles ascend between minimum and maximum", percentiles_ascend_between_the_extremes},
	{"equal samples give that value exactly", equal_samples_give_that_value},
	{"longer than 2^46 ns counts in the last bucket", very_long_ones_count_in_the_last_bucket},
	{"decoded equals what was encoded", decoded_equals_what_was_encoded},
	{"a histogram with every bucket in use is encoded", full_histogram_fits},
	{"a narrow histogram is small in the archive", blob_is_small},
	{"every truncation is refused", truncation_is_refused},
	{"any changed byte is refused", any_changed_byte_is_refused},
	{"a right checksum is accepted", sealing_is_what_encoding_does},
	{"forged blobs are refused or canonical", forged_blobs_do_no_harm},
	{"noise is refused or canonical", noise_does_no_harm},
	{"what encoding cannot make is refused", what_encoding_cannot_make_is_refused},
	{"an unknown version is refused by its number", unknown_version_is_named},
	{NULL, NULL},
};

const struct suite suite_histogram = {"histogram", tests};
