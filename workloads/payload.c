/* SPDX-License-Identifier: MIT */
/*
 * payload.c - see payload.h.
 */
#include "payload.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "region.h"
#include "rng.h"

enum { SECTOR_BYTES = 512, STAMP_BYTES = 16, RING_BYTES_MIN = 1 << 20 };

struct payload {
	unsigned char *base;
	size_t bytes;        /* of the whole region */
	size_t block_bytes;  /* what a slot asks for */
	size_t stride_bytes; /* a block rounded up to the alignment */
	size_t ring_blocks;  /* blocks of one slot */
	unsigned slots;
	size_t *positions; /* by slot: the next block of its ring */
	uint64_t serial;
};

static void fill(unsigned char *bytes, size_t length, uint64_t seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	for (size_t i = 0; i + 8 <= length; i += 8) {
		uint64_t word = rng_next(&rng);

		memcpy(bytes + i, &word, 8);
	}
}

/* The share beyond the stamp, which stays unique. */
static void make_compressible(unsigned char *bytes, size_t length, unsigned percent)
{
	size_t zeros = SECTOR_BYTES * percent / 100;

	if (zeros > SECTOR_BYTES - STAMP_BYTES)
		zeros = SECTOR_BYTES - STAMP_BYTES;
	for (size_t i = 0; i + SECTOR_BYTES <= length; i += SECTOR_BYTES)
		memset(bytes + i + STAMP_BYTES, 0, zeros);
}

int payload_open(struct payload **out, uint64_t seed, unsigned slots, size_t block_bytes,
		 size_t align_bytes, unsigned compressible_percent, struct err *err)
{
	struct payload *payload = calloc(1, sizeof(*payload));

	if (!payload)
		goto no_memory;
	payload->slots = slots;
	payload->block_bytes = block_bytes;
	payload->stride_bytes = (block_bytes + align_bytes - 1) & ~(align_bytes - 1);
	payload->ring_blocks = RING_BYTES_MIN / (payload->stride_bytes * slots) + 1;
	if (payload->ring_blocks < 2)
		payload->ring_blocks = 2;
	payload->bytes = payload->stride_bytes * payload->ring_blocks * slots;
	payload->serial = rng_mix(seed);
	payload->positions = calloc(slots, sizeof(*payload->positions));
	payload->base = region_map(payload->bytes);
	if (!payload->positions || !payload->base)
		goto no_memory;
	fill(payload->base, payload->bytes, seed);
	make_compressible(payload->base, payload->bytes, compressible_percent);
	*out = payload;
	return 0;
no_memory:
	payload_close(payload);
	return err_set(err, -ENOMEM, "allocate %u buffers of %zu bytes to write from: %s", slots,
		       block_bytes, strerror(ENOMEM));
}

void payload_close(struct payload *payload)
{
	if (!payload)
		return;
	region_unmap(payload->base, payload->bytes);
	free(payload->positions);
	free(payload);
}

void payload_dirty(struct payload *payload, void *block, size_t bytes, uint64_t offset_bytes)
{
	unsigned char *sector = block;

	for (size_t i = 0; i + STAMP_BYTES <= bytes; i += SECTOR_BYTES) {
		/* Odd multipliers are bijections: no two stamps are alike. */
		uint64_t stamp[2] = {payload->serial++ * 0x9e3779b97f4a7c15ULL,
				     (offset_bytes + i) * 0xbf58476d1ce4e5b9ULL};

		memcpy(sector + i, stamp, sizeof(stamp));
	}
}

void *payload_next(struct payload *payload, unsigned slot, uint64_t offset_bytes)
{
	size_t position = payload->positions[slot];
	unsigned char *block = payload->base +
			       (slot * payload->ring_blocks + position) * payload->stride_bytes;

	payload->positions[slot] = position + 1 < payload->ring_blocks ? position + 1 : 0;
	payload_dirty(payload, block, payload->block_bytes, offset_bytes);
	return block;
}

void payload_region(const struct payload *payload, void **base, size_t *bytes)
{
	*base = payload->base;
	*bytes = payload->bytes;
}

static double piece_entropy(const unsigned char *bytes)
{
	unsigned counts[256] = {0};
	double entropy = 0;

	for (int i = 0; i < SECTOR_BYTES; i++)
		counts[bytes[i]]++;
	for (int i = 0; i < 256; i++) {
		double share = (double)counts[i] / SECTOR_BYTES;

		if (counts[i])
			entropy -= share * log2(share);
	}
	return entropy;
}

double payload_entropy(const struct payload *payload)
{
	/* 512 random bytes do not reach 8 bits a byte: the yardstick is what such a piece has. */
	unsigned char yardstick[SECTOR_BYTES * 16];
	double made = 0, random = 0;
	size_t pieces = payload->bytes / SECTOR_BYTES;

	if (pieces > 4096)
		pieces = 4096;
	fill(yardstick, sizeof(yardstick), 1);
	for (int i = 0; i < 16; i++)
		random += piece_entropy(yardstick + i * SECTOR_BYTES) / 16;
	for (size_t i = 0; i < pieces; i++)
		made += piece_entropy(payload->base + i * SECTOR_BYTES) / (double)pieces;
	return made < random ? made / random : 1;
}
