/* SPDX-License-Identifier: MIT */
/*
 * datafile.h - what the phases on data file 0 share: opening it fresh or whole and cold, and moving
 * chunks through it with every failure named.
 */
#ifndef ASSAY_WORKLOADS_DATAFILE_H
#define ASSAY_WORKLOADS_DATAFILE_H

#include "payload.h"
#include "phase.h"

struct datafile {
	uint64_t size_bytes; /* of the data file */
	uint64_t span_bytes; /* what a pass moves, from the start */
	size_t block_bytes;
	int io_flag; /* O_DIRECT or 0 */
	unsigned compressible;
	uint64_t resident_bytes; /* most that stayed cached before any pass */
	bool warm;               /* passes start with all of the file in the page cache */
	uint64_t pass;           /* from 1 */
};

/* For phase->setup: allocates run->data from the point's size, char_size, block_size, io and
 * compressible, as far as the phase has them.
 * ERR_SKIP when direct I/O or the block size cannot be had here. */
int datafile_setup(struct phase_run *run, struct err *err);

/* For phase->teardown. */
void datafile_teardown(struct phase_run *run);

/* For phase->reset: a whole file, with nothing of it in the page cache or, when the point says
 * cache=warm, all of it. */
int datafile_reset(struct phase_run *run, struct err *err);

/* For phase->finish: raises `cached` when pages had stayed. */
int datafile_finish(struct phase_run *run, struct measurement *measurement, struct err *err);

/* For phase->cost: of phases that read the data file, write in it, or make it. */
void datafile_cost_read(const struct point *point, const struct target *target,
			struct phase_cost *cost);
void datafile_cost_rewrite(const struct point *point, const struct target *target,
			   struct phase_cost *cost);
void datafile_cost_create(const struct point *point, const struct target *target,
			  struct phase_cost *cost);

/* For phase->traffic: of phases that write what is there, of those that make the file, and of those
 * that read one that is not cached. */
enum phase_traffic datafile_traffic(const struct point *point);
enum phase_traffic datafile_traffic_create(const struct point *point);
enum phase_traffic datafile_traffic_read(const struct point *point);

/* A worker's own descriptor and buffer. */
struct chunker {
	int fd;
	unsigned char *buffer; /* block_bytes, aligned for direct I/O */
	struct payload *payload;
};

/* For role->begin and role->end: worker->state becomes a chunker on the data file. */
int chunker_open_read(struct worker *worker);
int chunker_open_write(struct worker *worker);
int chunker_open_update(struct worker *worker);
int chunker_close(struct worker *worker);

/* The length of the chunk at an offset: a block, or what is left of the span. */
static inline size_t datafile_chunk(const struct datafile *file, uint64_t offset_bytes)
{
	uint64_t left = file->span_bytes - offset_bytes;

	return left < file->block_bytes ? (size_t)left : file->block_bytes;
}

/* One whole chunk at the file position; a short transfer is a failure. Times are the caller's. */
int chunker_read(struct worker *worker, void *buffer, size_t bytes, uint64_t offset_bytes);
int chunker_write(struct worker *worker, const void *buffer, size_t bytes, uint64_t offset_bytes);
int chunker_seek(struct worker *worker, uint64_t offset_bytes);

/* The timed end of a pass that wrote, or only read: fsync and close, close. */
int chunker_sync_close(struct worker *worker);
int chunker_timed_close(struct worker *worker);

#endif
