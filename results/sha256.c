/* SPDX-License-Identifier: MIT */
/*
 * sha256.c - SHA-256 as FIPS 180-4 has it: constants in section 4.2.2, the round in 6.2.2.
 */
#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

/* The message schedule of one block. */
static void schedule(uint32_t words[64], const uint8_t block[64])
{
	for (unsigned i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
			   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

/* One round: instead of moving all eight variables on, the next round names them one further. */
static inline void mix(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
		       uint32_t g, uint32_t *h, uint32_t input)
{
	uint32_t high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
	uint32_t low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
	uint32_t first = *h + high + ((e & f) ^ (~e & g)) + input;

	*d += first;
	*h = first + low + ((a & b) ^ (a & c) ^ (b & c));
}

static void mix_block(uint32_t state[8], const uint8_t block[64])
{
	uint32_t words[64], v[8];

	schedule(words, block);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 64; i++)
		words[i] += constants[i];
	for (const uint32_t *w = words; w < words + 64; w += 8) {
		mix(v[0], v[1], v[2], &v[3], v[4], v[5], v[6], &v[7], w[0]);
		mix(v[7], v[0], v[1], &v[2], v[3], v[4], v[5], &v[6], w[1]);
		mix(v[6], v[7], v[0], &v[1], v[2], v[3], v[4], &v[5], w[2]);
		mix(v[5], v[6], v[7], &v[0], v[1], v[2], v[3], &v[4], w[3]);
		mix(v[4], v[5], v[6], &v[7], v[0], v[1], v[2], &v[3], w[4]);
		mix(v[3], v[4], v[5], &v[6], v[7], v[0], v[1], &v[2], w[5]);
		mix(v[2], v[3], v[4], &v[5], v[6], v[7], v[0], &v[1], w[6]);
		mix(v[1], v[2], v[3], &v[4], v[5], v[6], v[7], &v[0], w[7]);
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_init(struct sha256 *sha)
{
	*sha = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		size_t used = sha->bytes % sizeof(sha->block), part = sizeof(sha->block) - used;

		if (part > bytes)
			part = bytes;
		memcpy(sha->block + used, from, part);
		sha->bytes += part;
		from += part;
		bytes -= part;
		if (used + part == sizeof(sha->block))
			mix_block(sha->state, sha->block);
	}
}

void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES])
{
	static const uint8_t padding[64] = {0x80};
	uint64_t bits = sha->bytes * 8;
	size_t used = sha->bytes % 64;
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(sha, padding, used < 56 ? 56 - used : 120 - used);
	sha256_add(sha, length, sizeof(length));
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
