/* SPDX-License-Identifier: MIT */
/*
 * histogram.c - percentiles, moments and the archived form of a histogram.
 *
 * The archived form, all numbers unsigned LEB128 in their shortest spelling:
 *
 *   version            1
 *   count
 *   min max sum        when count > 0
 *   sum_squares        its low, then its high 64 bits
 *   (gap, count)...    the buckets in use, each by its distance to the one before
 *   CRC-32             of all that, four bytes, little end first
 *
 * A version fixes the scheme of buckets. Each histogram has one form only, so a blob that decodes
 * encodes to itself again.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "histogram.h"

enum {
	BLOB_VERSION = 1,
	NUMBER_MAX_BYTES = 10, /* of a 64-bit number in LEB128 */
	HEAD_NUMBERS = 7,
	CRC_BYTES = 4
};

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = UINT64_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
	into->sum += from->sum;
	into->sum_squares += from->sum_squares;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

uint64_t histogram_bucket_low(unsigned bucket)
{
	const unsigned each = 1u << HISTOGRAM_SUB_BITS;

	if (bucket < 2 * each)
		return bucket;
	return (uint64_t)(each + bucket % each) << (bucket / each - 1);
}

uint64_t histogram_bucket_high(unsigned bucket)
{
	return bucket == HISTOGRAM_BUCKETS - 1 ? UINT64_MAX : histogram_bucket_low(bucket + 1) - 1;
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* The middle of what a bucket can hold between the exact minimum and maximum. */
static double bucket_middle(const struct histogram *histogram, unsigned bucket)
{
	uint64_t low = histogram_bucket_low(bucket), high = histogram_bucket_high(bucket);

	if (low < histogram->min)
		low = histogram->min;
	if (high > histogram->max)
		high = histogram->max;
	return (double)low + (double)(high - low) / 2;
}

double histogram_percentile(const struct histogram *histogram, double q)
{
	const double slack = 1e-6; /* q is not exact in binary: 1000 samples are enough for 0.99 */
	uint64_t seen = 0;
	double rank = ceil(q * (double)histogram->count - slack);

	if (!(q > 0 && q < 1) || (1 - q) * (double)histogram->count < 10 - slack)
		return NAN;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen && (double)seen >= rank)
			return bucket_middle(histogram, i);
	}
	return NAN;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : NAN;
}

/* The sum of squares less the squared sum / n, split so that no large numbers cancel in floating
 * point: with sum = mean * n + rest, squared sum / n = mean^2 n + 2 mean rest + rest^2 / n, all
 * but the last in integers. None exceeds the sum of squares, so none wraps. */
static double squared_deviations(const struct histogram *histogram)
{
	uint64_t n = histogram->count, mean = histogram->sum / n, rest = histogram->sum % n;
	uint128 whole = (uint128)mean * mean * n + 2 * ((uint128)mean * rest);

	if (histogram->sum_squares < whole)
		return 0; /* no histogram of samples is like this */
	return (double)(histogram->sum_squares - whole) - (double)rest * (double)rest / (double)n;
}

double histogram_stddev(const struct histogram *histogram)
{
	double deviations;

	if (!histogram->count)
		return NAN;
	deviations = squared_deviations(histogram);
	return deviations > 0 ? sqrt(deviations / (double)histogram->count) : 0;
}

/* ---- the archived form ----------------------------------------------------------------------- */

static unsigned char *put_number(unsigned char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	return at;
}

static unsigned char *put_head(unsigned char *at, const struct histogram *histogram)
{
	at = put_number(at, BLOB_VERSION);
	at = put_number(at, histogram->count);
	if (!histogram->count)
		return at;
	at = put_number(at, histogram->min);
	at = put_number(at, histogram->max);
	at = put_number(at, histogram->sum);
	at = put_number(at, (uint64_t)histogram->sum_squares);
	return put_number(at, (uint64_t)(histogram->sum_squares >> 64));
}

static unsigned char *put_buckets(unsigned char *at, const struct histogram *histogram)
{
	unsigned next = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->buckets[i])
			continue;
		at = put_number(at, i - next);
		at = put_number(at, histogram->buckets[i]);
		next = i + 1;
	}
	return at;
}

int histogram_encode(const struct histogram *histogram, void **blob, size_t *bytes, struct err *err)
{
	unsigned char *start, *at;
	size_t numbers = HEAD_NUMBERS;
	uint32_t crc;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		numbers += histogram->buckets[i] ? 2 : 0;
	start = malloc(numbers * NUMBER_MAX_BYTES + CRC_BYTES);
	if (!start)
		return err_set(err, -ENOMEM, "there is no memory to encode a histogram");
	at = put_buckets(put_head(start, histogram), histogram);
	crc = crc32_of(start, (size_t)(at - start));
	for (int i = 0; i < CRC_BYTES; i++)
		*at++ = (unsigned char)(crc >> (8 * i));
	*blob = start;
	*bytes = (size_t)(at - start);
	return 0;
}

/* What is left to read. Reading past the end or a number that is not in its shortest spelling
 * makes it bad and leaves nothing, so that every number from then on is 0. */
struct reader {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t get_long_number(struct reader *reader)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		unsigned char byte = *reader->at++;

		if (shift && !byte)
			break;
		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	reader->bad = true;
	reader->at = reader->end;
	return 0;
}

/* Most numbers are of one byte. */
static inline uint64_t get_number(struct reader *reader)
{
	if (reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return get_long_number(reader);
}

/* What stands before the buckets. */
struct head {
	uint64_t count, min, max, sum;
	uint128 sum_squares;
};

static struct head get_head(struct reader *reader)
{
	struct head head = {.count = get_number(reader)};

	if (!head.count)
		return head;
	head.min = get_number(reader);
	head.max = get_number(reader);
	head.sum = get_number(reader);
	head.sum_squares = get_number(reader);
	head.sum_squares |= (uint128)get_number(reader) << 64;
	return head;
}

/* Adds to the buckets; bad unless they ascend, add up to the count, and begin and end with those of
 * the minimum and the maximum. */
static void get_buckets(struct reader *reader, const struct head *head, struct histogram *into)
{
	uint64_t left = head->count;
	unsigned next = 0;

	while (left && !reader->bad) {
		uint64_t gap = get_number(reader), count = get_number(reader);

		if (gap >= HISTOGRAM_BUCKETS - next || !count || count > left ||
		    (!next && gap != histogram_bucket(head->min))) {
			reader->bad = true;
			return;
		}
		into->buckets[next + gap] += count;
		next += (unsigned)gap + 1;
		left -= count;
	}
	if (head->count && next != histogram_bucket(head->max) + 1)
		reader->bad = true;
}

/* Whether the moments can be those of count samples between min and max. */
static bool moments_fit(const struct head *head)
{
	uint64_t n = head->count;
	uint128 sum = head->sum;

	if (!n)
		return true;
	return head->min <= head->max && sum / n >= head->min && sum <= (uint128)head->max * n &&
	       head->sum_squares >= (uint128)head->min * head->sum &&
	       head->sum_squares <= (uint128)head->max * head->sum;
}

static bool checksum_fits(const unsigned char *bytes, size_t count)
{
	uint32_t crc = 0;

	if (count < CRC_BYTES)
		return false;
	for (size_t i = 0; i < CRC_BYTES; i++)
		crc |= (uint32_t)bytes[count - CRC_BYTES + i] << (8 * i);
	return crc == crc32_of(bytes, count - CRC_BYTES);
}

static void add_head(struct histogram *into, const struct head *head)
{
	if (!head->count)
		return;
	into->count += head->count;
	into->sum += head->sum;
	into->sum_squares += head->sum_squares;
	if (head->min < into->min)
		into->min = head->min;
	if (head->max > into->max)
		into->max = head->max;
}

int histogram_merge_blob(struct histogram *into, const void *blob, size_t bytes, struct err *err)
{
	struct reader reader = {.at = blob};
	struct head head;
	uint64_t version;

	if (!checksum_fits(blob, bytes))
		return err_set(err, -EBADMSG,
			       "a histogram of %zu bytes is damaged: its checksum differs", bytes);
	reader.end = reader.at + bytes - CRC_BYTES;
	version = get_number(&reader);
	if (!reader.bad && version != BLOB_VERSION)
		return err_set(err, -ENOTSUP,
			       "a histogram is of version %llu; this program knows %d",
			       (unsigned long long)version, BLOB_VERSION);
	head = get_head(&reader);
	get_buckets(&reader, &head, into);
	add_head(into, &head);
	if (!reader.bad && reader.at == reader.end && moments_fit(&head))
		return 0;
	return err_set(err, -EBADMSG, "a histogram of %zu bytes is damaged: its numbers disagree",
		       bytes);
}

int histogram_decode(struct histogram *histogram, const void *blob, size_t bytes, struct err *err)
{
	int rc;

	histogram_init(histogram);
	rc = histogram_merge_blob(histogram, blob, bytes, err);
	if (rc)
		histogram_init(histogram);
	return rc;
}
