/* SPDX-License-Identifier: MIT */
/*
 * crc32c.c - see crc32c.h.
 */
#include "crc32c.h"

#include <endian.h>
#include <string.h>

enum { POLYNOMIAL = 0x82f63b78 };

/* tables[0] is what a byte does to the checksum; tables[n] the same n bytes later. */
void crc32c_init(struct crc32c *crc)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t value = byte;

		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? (value >> 1) ^ (uint32_t)POLYNOMIAL : value >> 1;
		crc->tables[0][byte] = value;
	}
	for (int n = 1; n < 8; n++)
		for (int byte = 0; byte < 256; byte++) {
			uint32_t before = crc->tables[n - 1][byte];

			crc->tables[n][byte] = (before >> 8) ^ crc->tables[0][before & 0xff];
		}
}

static uint32_t eight_bytes(const struct crc32c *crc, uint32_t value, const unsigned char *at)
{
	uint64_t word;
	uint32_t result = 0;

	memcpy(&word, at, sizeof(word));
	word = le64toh(word) ^ value;
	for (int n = 0; n < 8; n++)
		result ^= crc->tables[7 - n][(word >> (8 * n)) & 0xff];
	return result;
}

uint32_t crc32c_of(const struct crc32c *crc, uint32_t checksum, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint32_t value = ~checksum;

	for (; length >= 8; length -= 8, at += 8)
		value = eight_bytes(crc, value, at);
	for (; length; length--, at++)
		value = (value >> 8) ^ crc->tables[0][(value ^ *at) & 0xff];
	return ~value;
}
