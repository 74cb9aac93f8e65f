/* SPDX-License-Identifier: MIT */
/*
 * payload.h - the bytes that are written: incompressible and unique by default, from a seeded
 * generator, at next to no cost per block.
 *
 * Each slot (a request in flight) owns a ring of buffers filled with random bytes before the clock
 * starts. A block that is handed out is stamped every 512 bytes with its offset and a serial
 * number, so no two sectors ever written are alike, and no buffer is changed while its request is
 * in flight. The rings of all slots together hold at least 1 MiB, more than the window in which
 * filesystems compress, so that repeats of a buffer do not compress either.
 *
 * With compressible P, the first P percent of every 512 bytes (past the stamp) are zeros.
 */
#ifndef ASSAY_WORKLOADS_PAYLOAD_H
#define ASSAY_WORKLOADS_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct payload;

/* A payload for slots requests in flight of block_bytes each, in memory aligned to align_bytes (a
 * power of two). *payload is the caller's to close. -ENOMEM with a sentence. */
int payload_open(struct payload **payload, uint64_t seed, unsigned slots, size_t block_bytes,
		 size_t align_bytes, unsigned compressible_percent, struct err *err);
void payload_close(struct payload *payload);

/* The next block of a slot, stamped for the given offset; valid until the slot asks again. */
void *payload_next(struct payload *payload, unsigned slot, uint64_t offset_bytes);

/* Stamps the caller's own block as payload_next would: a block read, dirtied and written back. */
void payload_dirty(struct payload *payload, void *block, size_t bytes, uint64_t offset_bytes);

/* The whole memory, for engines that register buffers. */
void payload_region(const struct payload *payload, void **base, size_t *bytes);

/* Shannon entropy of the payload's bytes over its maximum, 0 to 1, measured over 512 byte pieces:
 * what share is left at best by a compressor that looks at single bytes. */
double payload_entropy(const struct payload *payload);

#endif
