/* SPDX-License-Identifier: MIT */
/*
 * test_payload.c - what is written: no sector twice, nothing to compress unless asked for, and no
 * buffer touched while its request is in flight. Compressors of others are the judges.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site_fixture.h"
#include "suites.h"
#include "workloads/payload.h"

enum { SECTOR = 512, MIB = 1 << 20 };

static struct payload *made(uint64_t seed, unsigned slots, size_t block, unsigned compressible)
{
	struct payload *payload = NULL;

	CU_ASSERT_EQUAL_FATAL(
		payload_open(&payload, seed, slots, block, 4096, compressible, NULL), 0);
	return payload;
}

/* ---- unique ---- */

static int compare_sectors(const void *a, const void *b)
{
	return memcmp(a, b, SECTOR);
}

/* How many sectors have a twin. */
static size_t twins(unsigned char *sectors, size_t count)
{
	size_t found = 0;

	qsort(sectors, count, SECTOR, compare_sectors);
	for (size_t i = 1; i < count; i++)
		found += !memcmp(sectors + (i - 1) * SECTOR, sectors + i * SECTOR, SECTOR);
	return found;
}

/* Far more than the ring holds, from two workers with several slots each, each slot writing its
 * few offsets again and again. */
static void no_sector_is_written_twice(void)
{
	enum { BLOCK = 8192, SLOTS = 4, BLOCKS = 1500 };
	const size_t bytes = 2UL * BLOCKS * BLOCK;
	unsigned char *all = malloc(bytes), *at = all;

	CU_ASSERT_PTR_NOT_NULL_FATAL(all);
	for (unsigned worker = 0; worker < 2; worker++) {
		struct payload *payload = made(100 + worker, SLOTS, BLOCK, worker ? 90 : 0);

		for (unsigned i = 0; i < BLOCKS; i++, at += BLOCK)
			memcpy(at, payload_next(payload, i % SLOTS, i % 3 * BLOCK), BLOCK);
		payload_close(payload);
	}
	CU_ASSERT_EQUAL(twins(all, bytes / SECTOR), 0);
	free(all);
}

static void a_block_dirtied_again_differs_in_every_sector(void)
{
	enum { BLOCK = 16384 };
	struct payload *payload = made(1, 1, BLOCK, 0);
	unsigned char block[BLOCK], before[BLOCK];

	memset(block, 0, sizeof(block));
	for (int round = 0; round < 3; round++) {
		memcpy(before, block, sizeof(block));
		payload_dirty(payload, block, sizeof(block), 0);
		for (size_t i = 0; i < sizeof(block); i += SECTOR)
			CU_ASSERT_NOT_EQUAL(memcmp(block + i, before + i, SECTOR), 0);
		CU_ASSERT_EQUAL(twins(memcpy(before, block, BLOCK), BLOCK / SECTOR), 0);
	}
	payload_close(payload);
}

/* A last block shorter than the others is dirtied within its bounds. */
static void dirtying_stays_within_the_block(void)
{
	struct payload *payload = made(1, 1, 4096, 0);
	unsigned char block[4096 + SECTOR];

	for (size_t bytes = 0; bytes <= 4096; bytes += 8) {
		memset(block, 0xa5, sizeof(block));
		payload_dirty(payload, block, bytes, 0);
		for (size_t i = bytes; i < sizeof(block); i++)
			if (block[i] != 0xa5)
				CU_FAIL("wrote beyond the block");
	}
	payload_close(payload);
}

static void the_same_seed_gives_the_same_bytes(void)
{
	struct payload *one = made(5, 2, 4096, 0), *other = made(5, 2, 4096, 0),
		       *third = made(6, 2, 4096, 0);
	size_t same = 0;

	for (unsigned i = 0; i < 600; i++) {
		const void *a = payload_next(one, i % 2, i * 4096ULL);

		CU_ASSERT_EQUAL(memcmp(a, payload_next(other, i % 2, i * 4096ULL), 4096), 0);
		same += !memcmp(a, payload_next(third, i % 2, i * 4096ULL), SECTOR);
	}
	CU_ASSERT_EQUAL(same, 0);
	payload_close(one);
	payload_close(other);
	payload_close(third);
}

/* ---- in flight ---- */

static void a_buffer_in_flight_is_left_alone(void)
{
	enum { BLOCK = 4096, SLOTS = 3 };
	struct payload *payload = made(1, SLOTS, BLOCK, 0);
	const unsigned char *held = payload_next(payload, 1, 0);
	unsigned char before[BLOCK];

	memcpy(before, held, BLOCK);
	for (unsigned i = 0; i < 5000; i++)
		payload_next(payload, i % 2 ? 0 : 2, i * 4096ULL);
	CU_ASSERT_EQUAL(memcmp(before, held, BLOCK), 0);
	CU_ASSERT_PTR_NOT_EQUAL(payload_next(payload, 1, 0), held);
	payload_close(payload);
}

static void blocks_of_slots_do_not_overlap(void)
{
	static const size_t blocks[] = {512, 1000, 4096, 8192, 12288, 1 << 21};
	static const unsigned slots[] = {1, 3, 32, 300};

	for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++)
		for (size_t s = 0; s < sizeof(slots) / sizeof(slots[0]); s++) {
			struct payload *payload;
			const unsigned char *last_end;
			void *base;
			size_t bytes;

			if (blocks[b] * slots[s] > 64UL * MIB)
				continue;
			payload = made(1, slots[s], blocks[b], 0);
			payload_region(payload, &base, &bytes);
			last_end = base;
			/* A block of each slot in turn: each beyond the one before. */
			for (unsigned slot = 0; slot < slots[s]; slot++) {
				const unsigned char *block = payload_next(payload, slot, 0);

				CU_ASSERT(block >= last_end);
				CU_ASSERT_EQUAL((uintptr_t)block % 4096, 0);
				last_end = block + blocks[b];
			}
			CU_ASSERT(last_end <= (const unsigned char *)base + bytes);
			payload_close(payload);
		}
}

/* Filesystems compress within windows of at most 1 MiB: a repeat must lie further away. */
static void a_buffer_comes_back_after_a_mebibyte_at_least(void)
{
	static const unsigned slots[] = {1, 2, 3, 5, 7, 30, 33, 100, 129};

	for (size_t s = 0; s < sizeof(slots) / sizeof(slots[0]); s++) {
		struct payload *payload = made(1, slots[s], 4096, 0);
		const void *first = payload_next(payload, 0, 0);
		size_t bytes = 4096;

		for (unsigned i = 1; payload_next(payload, i % slots[s], 0) != first; i++)
			bytes += 4096;
		CU_ASSERT(bytes >= MIB);
		payload_close(payload);
	}
}

/* ---- compressors ---- */

static size_t compressed_bytes(const char *command, const char *path)
{
	char line[PATH_MAX + 64];
	unsigned long long bytes = 0;
	FILE *pipe;

	snprintf(line, sizeof(line), "%s < %s | wc -c", command, path);
	pipe = popen(line, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	CU_ASSERT_EQUAL(fscanf(pipe, "%llu", &bytes), 1);
	CU_ASSERT_EQUAL(pclose(pipe), 0);
	return (size_t)bytes;
}

static bool installed(const char *command)
{
	char line[100];

	snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", command);
	return !system(line);
}

static const char *const compressors[] = {"xz -6", "zstd -19", "gzip -9", "bzip2 -9", NULL};

/* What the best compressor there is leaves of a MiB in blocks of 8k; negative without one. */
static double share_left(unsigned compressible)
{
	struct payload *payload = made(3, 4, 8192, compressible);
	char directory[PATH_MAX / 4], path[PATH_MAX / 2], word[16];
	size_t least = SIZE_MAX;
	FILE *file;

	if (!scratch_directory(SITE_DISK, directory, sizeof(directory)))
		return -1;
	snprintf(path, sizeof(path), "%s/payload", directory);
	file = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (unsigned i = 0; i < MIB / 8192; i++)
		fwrite(payload_next(payload, i % 4, i * 8192ULL), 1, 8192, file);
	CU_ASSERT_EQUAL(fclose(file), 0);
	for (size_t i = 0; compressors[i]; i++) {
		sscanf(compressors[i], "%15s", word);
		if (installed(word)) {
			size_t bytes = compressed_bytes(compressors[i], path);

			least = bytes < least ? bytes : least;
		}
	}
	scratch_directory_remove(directory);
	payload_close(payload);
	return least == SIZE_MAX ? -1 : (double)least / MIB;
}

static void nothing_can_be_compressed(void)
{
	double left = share_left(0);

	if (left < 0)
		test_skip("there is no compressor here");
	else
		CU_ASSERT(left > 0.995);
}

static void fully_compressible_still_tells_sectors_apart(void)
{
	double left = share_left(100);

	if (left < 0)
		test_skip("there is no compressor here");
	else
		CU_ASSERT(left > 0.005 && left < 0.06);
}

/* ---- entropy ---- */

static double entropy_of(unsigned compressible)
{
	struct payload *payload = made(3, 4, 8192, compressible);
	double entropy = payload_entropy(payload);

	payload_close(payload);
	return entropy;
}

static void entropy_falls_from_one_to_next_to_nothing(void)
{
	double before = 1.0001;

	CU_ASSERT(entropy_of(0) > 0.995);
	for (unsigned percent = 0; percent <= 100; percent += 10) {
		double entropy = entropy_of(percent);

		CU_ASSERT(entropy > 0 && entropy < before);
		before = entropy;
	}
	CU_ASSERT(before < 0.1);
}

/* A compressor that sees more than single bytes does at least as well as the entropy says. */
static void the_compressible_share_is_what_was_asked_for_and_below_the_entropy(void)
{
	static const unsigned percents[] = {10, 25, 50, 75, 90};

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double left = share_left(percents[i]), wanted = 1 - percents[i] / 100.0;

		if (left < 0) {
			test_skip("there is no compressor here");
			return;
		}
		CU_ASSERT_DOUBLE_EQUAL(left, wanted, 0.04);
		CU_ASSERT(left < entropy_of(percents[i]) + 0.02);
	}
}

/* ---- where it lies ---- */

/* KiB of the mapping that base lies in that are large pages. */
static unsigned long large_kib(const void *base)
{
	unsigned long from, to, large = 0;
	bool inside = false;
	char line[512];
	FILE *file = fopen("/proc/self/smaps", "re");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = from <= (uintptr_t)base && (uintptr_t)base < to;
		if (inside && sscanf(line, "AnonHugePages: %lu kB", &large) == 1)
			break;
	}
	fclose(file);
	return large;
}

static bool large_pages_are_given(void)
{
	char line[128] = "";
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return line[0] && !strstr(line, "[never]");
}

static void large_blocks_lie_in_large_pages(void)
{
	struct payload *payload = made(1, 4, MIB, 0);
	size_t bytes;
	void *base;

	payload_region(payload, &base, &bytes);
	CU_ASSERT_EQUAL((uintptr_t)base % (2 * MIB), 0);
	CU_ASSERT(bytes >= 8 * MIB);
	if (large_pages_are_given()) {
		CU_ASSERT(large_kib(base) >= bytes / 1024 / 2); /* as many as there were */
	} else {
		test_skip("the kernel gives no large pages here");
	}
	payload_close(payload);
}

static void too_much_memory_is_refused_in_words(void)
{
	struct payload *payload = NULL;
	struct err err = {0};

	CU_ASSERT_EQUAL(payload_open(&payload, 1, 4096, 1ULL << 50, 4096, 0, &err), -12);
	CU_ASSERT(says(err.text, "4096 buffers of 1125899906842624 bytes"));
}

static const struct test tests[] = {
	{"no sector is ever written twice", no_sector_is_written_twice},
	{"a block dirtied again differs in every sector",
	 a_block_dirtied_again_differs_in_every_sector},
	{"dirtying stays within the block", dirtying_stays_within_the_block},
	{"the same seed gives the same bytes, another others", the_same_seed_gives_the_same_bytes},
	{"a buffer in flight is left alone whatever other slots do",
	 a_buffer_in_flight_is_left_alone},
	{"blocks of slots are aligned and do not overlap", blocks_of_slots_do_not_overlap},
	{"a buffer comes back after a MiB at least", a_buffer_comes_back_after_a_mebibyte_at_least},
	{"no compressor makes anything of it", nothing_can_be_compressed},
	{"the compressible share is what was asked for and below the entropy",
	 the_compressible_share_is_what_was_asked_for_and_below_the_entropy},
	{"fully compressible still tells sectors apart",
	 fully_compressible_still_tells_sectors_apart},
	{"entropy falls from one to next to nothing", entropy_falls_from_one_to_next_to_nothing},
	{"large blocks lie in large pages", large_blocks_lie_in_large_pages},
	{"too much memory is refused in words", too_much_memory_is_refused_in_words},
	{NULL, NULL},
};

const struct suite suite_payload = {"payload", tests};
