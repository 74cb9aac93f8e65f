/* SPDX-License-Identifier: MIT */
/*
 * test_offsets.c - where requests go: uniform, whole, each worker its own way, repeatable.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "suites.h"
#include "workloads/offsets.h"

enum { BLOCK = 4096 };

static struct offsets_layout layout(uint64_t file_blocks, unsigned files, unsigned jobs,
				    bool sequential)
{
	return (struct offsets_layout){.block_bytes = BLOCK,
				       .file_blocks = file_blocks,
				       .files = files,
				       .jobs = jobs,
				       .sequential = sequential};
}

/* The next place as a block of the whole row, checked to be one. */
static uint64_t next_block(struct offsets *offsets, const struct offsets_layout *row)
{
	struct place place = offsets_next(offsets);

	CU_ASSERT_FATAL(place.file < row->files);
	CU_ASSERT_FATAL(place.offset_bytes % BLOCK == 0);
	CU_ASSERT_FATAL(place.offset_bytes / BLOCK < row->file_blocks);
	CU_ASSERT_FATAL(place.file >= offsets_first_file(offsets));
	CU_ASSERT_FATAL(place.file < offsets_first_file(offsets) + offsets_file_count(offsets));
	return place.file * row->file_blocks + place.offset_bytes / BLOCK;
}

/* How many standard deviations chi-square lies above its mean, by Wilson and Hilferty. */
static double excess(const unsigned counts[], unsigned bins, double expected)
{
	double chi_square = 0, freedom = bins - 1;

	for (unsigned i = 0; i < bins; i++)
		chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
	return (cbrt(chi_square / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom));
}

/* Four deviations: three false alarms in a hundred thousand, and none for these fixed seeds. */
static void assert_uniform(const unsigned counts[], unsigned bins, double expected)
{
	double deviations = excess(counts, bins, expected);

	CU_ASSERT(deviations < 4);
	CU_ASSERT(deviations > -4); /* nor too even to be random */
}

enum { BINS = 256, DRAWS_PER_BIN = 400 };

static void check_uniform(const struct offsets_layout *row, uint64_t seed)
{
	static unsigned over_target[BINS], low_bits[BINS];
	uint64_t total = row->file_blocks * row->files;
	unsigned draws = BINS * DRAWS_PER_BIN / row->jobs;

	memset(over_target, 0, sizeof(over_target));
	memset(low_bits, 0, sizeof(low_bits));
	for (unsigned job = 0; job < row->jobs; job++) {
		struct offsets offsets;

		offsets_init(&offsets, row, job, rng_seed_for(seed, "job", job));
		for (unsigned i = 0; i < draws; i++) {
			uint64_t block = next_block(&offsets, row);

			over_target[block * BINS / total]++;
			low_bits[block % BINS]++; /* a stripe of 256 blocks */
		}
	}
	assert_uniform(over_target, BINS, (double)draws * row->jobs / BINS);
	assert_uniform(low_bits, BINS, (double)draws * row->jobs / BINS);
}

static void test_uniform(void)
{
	/* Multiples of BINS, so that every bin holds as many blocks. */
	static const unsigned shapes[][2] = {{1, 1}, {1, 4}, {4, 4}, {4, 2}, {8, 1}, {2, 8}};

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct offsets_layout row =
			layout(1 << 16, shapes[i][0], shapes[i][1], false);

		for (uint64_t seed = 1; seed <= 5; seed++)
			check_uniform(&row, seed);
	}
}

/* A test that cannot fail is none: a skewed sequence is told apart. */
static void test_skew_is_seen(void)
{
	unsigned counts[BINS] = {0};
	struct rng rng;

	rng_init(&rng, 3);
	for (unsigned i = 0; i < BINS * DRAWS_PER_BIN; i++)
		counts[rng_below(&rng, rng_below(&rng, 10) ? BINS : BINS / 2)]++;
	CU_ASSERT(excess(counts, BINS, DRAWS_PER_BIN) > 4);
}

static void test_coverage(void)
{
	enum { BLOCKS = 1000 };
	struct offsets_layout row = layout(BLOCKS, 1, 1, false);
	static bool seen[BLOCKS];
	struct offsets offsets;
	unsigned covered = 0;

	memset(seen, 0, sizeof(seen));
	offsets_init(&offsets, &row, 0, 11);
	/* 20 draws a block leave one out with probability 1000 e^-20. */
	for (unsigned i = 0; i < 20 * BLOCKS; i++)
		seen[next_block(&offsets, &row)] = true;
	for (unsigned i = 0; i < BLOCKS; i++)
		covered += seen[i];
	CU_ASSERT_EQUAL(covered, BLOCKS);
}

/* All jobs together visit each block once for each time round, whatever does not divide. */
static void check_streams(const struct offsets_layout *row)
{
	uint64_t total = row->file_blocks * row->files, covered = 0;
	unsigned char *visits = calloc(total, 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(visits);
	for (unsigned job = 0; job < row->jobs; job++) {
		struct offsets offsets;
		uint64_t first, previous;

		offsets_init(&offsets, row, job, 1);
		CU_ASSERT_FATAL(offsets.count > 0);
		CU_ASSERT(offsets.count == total / row->jobs ||
			  offsets.count == total / row->jobs + 1);
		first = previous = next_block(&offsets, row);
		visits[first]++;
		for (uint64_t i = 1; i < offsets.count; i++) {
			uint64_t block = next_block(&offsets, row);

			CU_ASSERT_EQUAL(block, previous + 1);
			visits[block]++;
			previous = block;
		}
		CU_ASSERT_EQUAL(next_block(&offsets, row), first);
	}
	for (uint64_t i = 0; i < total; i++)
		covered += visits[i] == 1;
	CU_ASSERT_EQUAL(covered, total);
	free(visits);
}

static void test_streams(void)
{
	for (unsigned files = 1; files <= 5; files++)
		for (unsigned jobs = 1; jobs <= 7; jobs++) {
			struct offsets_layout row = layout(101, files, jobs, true);

			check_streams(&row);
		}
}

static unsigned files_of(const struct offsets_layout *row, unsigned job)
{
	struct offsets offsets;

	offsets_init(&offsets, row, job, 1);
	return offsets_file_count(&offsets);
}

static void test_own_files(void)
{
	struct offsets_layout row;
	struct offsets offsets;

	for (int sequential = 0; sequential < 2; sequential++) {
		row = layout(100, 8, 4, sequential);
		for (unsigned job = 0; job < 4; job++) {
			offsets_init(&offsets, &row, job, 1);
			CU_ASSERT_EQUAL(offsets_first_file(&offsets), job * 2);
			CU_ASSERT_EQUAL(files_of(&row, job), 2);
		}
	}
	/* Several jobs to a file: each has the whole of it. */
	row = layout(100, 2, 6, false);
	for (unsigned job = 0; job < 6; job++) {
		offsets_init(&offsets, &row, job, 1);
		CU_ASSERT_EQUAL(files_of(&row, job), 1);
		CU_ASSERT_EQUAL(offsets.count, 100);
		CU_ASSERT_EQUAL(offsets_first_file(&offsets), job % 2);
	}
}

static void test_more_jobs_than_blocks(void)
{
	struct offsets_layout row = layout(2, 1, 3, true);
	struct offsets offsets;
	uint64_t blocks = 0;

	for (unsigned job = 0; job < 3; job++) {
		offsets_init(&offsets, &row, job, 1);
		blocks += offsets.count;
	}
	CU_ASSERT_EQUAL(blocks, 2);
}

enum { SEQUENCE = 1000 };

static void draw(uint64_t blocks[SEQUENCE], uint64_t seed)
{
	struct offsets_layout row = layout(1 << 20, 1, 1, false);
	struct offsets offsets;

	offsets_init(&offsets, &row, 0, seed);
	for (unsigned i = 0; i < SEQUENCE; i++)
		blocks[i] = next_block(&offsets, &row);
}

/* Equal places in two sequences: about one in a million where they have nothing in common. Looks
 * for one being the other, moved by a few steps, too. */
static unsigned most_equal(const uint64_t a[SEQUENCE], const uint64_t b[SEQUENCE])
{
	unsigned most = 0;

	for (unsigned shift = 0; shift < 64; shift++) {
		unsigned forth = 0, back = 0;

		for (unsigned i = 0; i + shift < SEQUENCE; i++) {
			forth += a[i + shift] == b[i];
			back += a[i] == b[i + shift];
		}
		most = forth > most ? forth : most;
		most = back > most ? back : most;
	}
	return most;
}

static void test_differ(void)
{
	static uint64_t sequences[8][SEQUENCE];
	static const char *const phases[] = {"random", "sequential"};

	/* Seeds as the runner makes them: phase, then role and worker. */
	for (unsigned i = 0; i < 8; i++)
		draw(sequences[i], rng_seed_for(rng_seed_for(42, phases[i / 4], 0), "job", i % 4));
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < i; j++)
			CU_ASSERT(most_equal(sequences[i], sequences[j]) <= 2);
}

static void test_repeat(void)
{
	static uint64_t first[SEQUENCE], again[SEQUENCE], other[SEQUENCE];

	draw(first, 7);
	draw(again, 7);
	draw(other, 8);
	CU_ASSERT_EQUAL(memcmp(first, again, sizeof(first)), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(first, other, sizeof(first)), 0);
}

/* ---- CPUs ---- */

static void test_cpu_lists(void)
{
	static const char *const wrong[] = {"", "x", "1,", ",1", "3-1", "-1", "1-", "0 1", "99999",
					    "1--2", "each"};
	struct cpus cpus;
	struct err err;

	CU_ASSERT_EQUAL(cpus_parse("any", &cpus, &err), 0);
	CU_ASSERT_EQUAL(cpus.count, 0);
	CU_ASSERT_EQUAL(cpus_parse("0-2,8+5,1", &cpus, &err), 0);
	CU_ASSERT_EQUAL_FATAL(cpus.count, 5);
	CU_ASSERT_EQUAL(cpus.numbers[2], 2);
	CU_ASSERT_EQUAL(cpus.numbers[3], 5);
	CU_ASSERT_EQUAL(cpus.numbers[4], 8);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(cpus_parse(wrong[i], &cpus, &err), ERR_USAGE);
}

static void test_cpu_binding(void)
{
	cpu_set_t before, bound;
	struct cpus usable, beyond = {.count = 1, .numbers = {CPUS_MAX - 1}};
	struct err err;

	CU_ASSERT_EQUAL_FATAL(sched_getaffinity(0, sizeof(before), &before), 0);
	CU_ASSERT_EQUAL_FATAL(cpus_usable(&usable, &err), 0);
	CU_ASSERT(usable.count > 0);
	CU_ASSERT_EQUAL(cpus_check(&usable, &err), 0);
	if (!CPU_ISSET(CPUS_MAX - 1, &before)) {
		CU_ASSERT_EQUAL(cpus_check(&beyond, &err), ERR_SKIP);
		CU_ASSERT_EQUAL(cpus_bind(&beyond, 0, &err) < 0, 1);
	}
	for (unsigned i = 0; i < 2 * usable.count; i++) {
		CU_ASSERT_EQUAL(cpus_bind(&usable, i, &err), 0);
		sched_getaffinity(0, sizeof(bound), &bound);
		CU_ASSERT_EQUAL(CPU_COUNT(&bound), 1);
		CU_ASSERT(CPU_ISSET(usable.numbers[i % usable.count], &bound));
	}
	sched_setaffinity(0, sizeof(before), &before);
}

static const struct test tests[] = {
	{"random offsets are uniform over the target and over a stripe's low bits", test_uniform},
	{"the test for uniformity sees a skew of one in twenty", test_skew_is_seen},
	{"random offsets reach every block", test_coverage},
	{"streams cut the target into equal parts without gap or overlap", test_streams},
	{"jobs have files of their own where there are as many", test_own_files},
	{"more jobs than blocks leave some without", test_more_jobs_than_blocks},
	{"no two workers or phases draw the same sequence", test_differ},
	{"a seed repeats its sequence", test_repeat},
	{"CPU lists are read or refused", test_cpu_lists},
	{"workers are bound to one CPU of the list each", test_cpu_binding},
	{NULL, NULL},
};

const struct suite suite_offsets = {"offsets", tests};
