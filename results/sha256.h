/* SPDX-License-Identifier: MIT */
/*
 * sha256.h - FIPS 180-4 SHA-256: by it imported content is known again.
 */
#ifndef ASSAY_SHA256_H
#define ASSAY_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t bytes);

/* Ends it; digest is big-endian, as the standard prints it. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES]);

#endif
