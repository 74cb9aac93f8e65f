/* SPDX-License-Identifier: MIT */
/*
 * offsets.c - see offsets.h.
 */
#include "offsets.h"

/* Where part `part` of `parts` begins, all parts equal to within one. */
static uint64_t part_start(uint64_t total, unsigned part, unsigned parts)
{
	return total / parts * part + total % parts * part / parts;
}

void offsets_init(struct offsets *offsets, const struct offsets_layout *layout, unsigned job,
		  uint64_t seed)
{
	unsigned parts = layout->jobs, part = job;

	if (!layout->sequential && layout->jobs > layout->files &&
	    layout->jobs % layout->files == 0) {
		parts = layout->files;
		part = job % layout->files;
	}
	*offsets = (struct offsets){
		.block_bytes = layout->block_bytes,
		.file_blocks = layout->file_blocks,
		.sequential = layout->sequential,
	};
	offsets->first = part_start(layout->file_blocks * layout->files, part, parts);
	offsets->count =
		part_start(layout->file_blocks * layout->files, part + 1, parts) - offsets->first;
	rng_init(&offsets->rng, rng_seed_for(seed, "offsets", 0));
}

unsigned offsets_first_file(const struct offsets *offsets)
{
	return (unsigned)(offsets->first / offsets->file_blocks);
}

unsigned offsets_file_count(const struct offsets *offsets)
{
	uint64_t last = offsets->first + offsets->count - 1;

	return (unsigned)(last / offsets->file_blocks) - offsets_first_file(offsets) + 1;
}
