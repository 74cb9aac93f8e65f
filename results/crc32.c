/* SPDX-License-Identifier: MIT */
/*
 * crc32.c - CRC-32 eight bytes at a time ("slicing-by-8": M. E. Kounavis and F. L. Berry, "A
 * systematic approach to building high performance, software-based, CRC generators", ISCC 2005),
 * since a comparison reads histograms by the hundred thousand.
 *
 * remainders[k][b] is the remainder of byte b with k bytes of 0 behind it. A remainder is linear in
 * the bits of the byte, so eight numbers make each of the tables.
 */
#include "crc32.h"

#define BIT(i, n, remainder) ((i) >> (n)&1 ? (remainder) : 0)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                           \
	(BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^ \
	 BIT(i, 6, g) ^ BIT(i, 7, h))

#define ENTRIES_4(i, ...)                                                            \
	ENTRY(i, __VA_ARGS__), ENTRY(i + 1, __VA_ARGS__), ENTRY(i + 2, __VA_ARGS__), \
		ENTRY(i + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)                                             \
	ENTRIES_4(i, __VA_ARGS__), ENTRIES_4(i + 4, __VA_ARGS__),      \
		ENTRIES_4(i + 8, __VA_ARGS__), ENTRIES_4(i + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)                                             \
	ENTRIES_16(i, __VA_ARGS__), ENTRIES_16(i + 16, __VA_ARGS__),   \
		ENTRIES_16(i + 32, __VA_ARGS__), ENTRIES_16(i + 48, __VA_ARGS__)
#define TABLE(...)                                                        \
	{                                                                 \
		ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__),  \
			ENTRIES_64(128, __VA_ARGS__), ENTRIES_64(192, __VA_ARGS__) \
	}

/* Of the bytes 1, 2, 4, ... 128. */
static const uint32_t remainders[8][256] = {
	TABLE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190,
	      0xedb88320),
	TABLE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05,
	      0x3b83984b),
	TABLE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0,
	      0xe1351b80),
	TABLE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d,
	      0xed59b63b),
	TABLE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849,
	      0xb1e6b092),
	TABLE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c,
	      0x1eb014d8),
	TABLE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579,
	      0x8816eaf2),
	TABLE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed,
	      0x533b85da),
};

static uint32_t eight_bytes(uint32_t crc, const unsigned char *bytes)
{
	crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	return remainders[7][crc & 255] ^ remainders[6][crc >> 8 & 255] ^
	       remainders[5][crc >> 16 & 255] ^ remainders[4][crc >> 24] ^
	       remainders[3][bytes[4]] ^ remainders[2][bytes[5]] ^ remainders[1][bytes[6]] ^
	       remainders[0][bytes[7]];
}

uint32_t crc32_of(const unsigned char *bytes, size_t count)
{
	uint32_t crc = UINT32_MAX;

	for (; count >= 8; count -= 8, bytes += 8)
		crc = eight_bytes(crc, bytes);
	for (; count; count--, bytes++)
		crc = crc >> 8 ^ remainders[0][(crc ^ *bytes) & 255];
	return ~crc;
}
