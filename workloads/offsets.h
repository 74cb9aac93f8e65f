/* SPDX-License-Identifier: MIT */
/*
 * offsets.h - where the requests of a worker go.
 *
 * The target is a row of blocks: those of file 0, then those of file 1, and so on; what is left of
 * a file beyond its last whole block is not used. Each job has a share of the row:
 *
 *   streams   the row is cut into as many equal parts as there are jobs; each stream goes round
 *             in its own
 *   random    the same parts, so that a job has files of its own where there are as many; with
 *             several jobs to each file, the whole of that file
 *
 * so that all jobs together cover the target uniformly.
 */
#ifndef ASSAY_WORKLOADS_OFFSETS_H
#define ASSAY_WORKLOADS_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "rng.h"

struct offsets_layout {
	uint64_t block_bytes;
	uint64_t file_blocks; /* whole blocks in each file */
	unsigned files;
	unsigned jobs;
	bool sequential;
};

struct offsets {
	uint64_t block_bytes, file_blocks;
	uint64_t first, count; /* the share, in blocks of the row */
	uint64_t next;         /* sequential: within the share */
	bool sequential;
	struct rng rng;
};

struct place {
	unsigned file;
	uint64_t offset_bytes; /* a multiple of the block size */
};

/* The share of a job. Count is 0 when there are more jobs than blocks. */
void offsets_init(struct offsets *offsets, const struct offsets_layout *layout, unsigned job,
		  uint64_t seed);

/* The files that the share lies in: first, and how many. */
unsigned offsets_first_file(const struct offsets *offsets);
unsigned offsets_file_count(const struct offsets *offsets);

/* Where the next request goes. */
static inline struct place offsets_next(struct offsets *offsets)
{
	uint64_t block, file = 0;

	if (offsets->sequential) {
		block = offsets->next++;
		if (offsets->next == offsets->count)
			offsets->next = 0;
	} else {
		block = rng_below(&offsets->rng, offsets->count);
	}
	block += offsets->first;
	if (block >= offsets->file_blocks) {
		file = block / offsets->file_blocks;
		block -= file * offsets->file_blocks;
	}
	return (struct place){.file = (unsigned)file, .offset_bytes = block * offsets->block_bytes};
}

#endif
