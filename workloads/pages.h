/* SPDX-License-Identifier: MIT */
/*
 * pages.h - the data pages of a database, and how checkpoints write them back: distinct ones,
 * spread over the whole data set.
 *
 * Through the page cache (as PostgreSQL does): in files of at most 1 GiB, sorted by file and
 * offset; after every 256 KiB the kernel is asked to start writing them (sync_file_range,
 * checkpoint_flush_after); all files are fsynced at the end.
 * Direct (as InnoDB does): in one file, in random order past the page cache; synced at the end.
 * With doublewrite, batches of 2 MiB go to the file page.0 first, which is synced, then to their
 * places, which are synced before page.0 is used again: a page torn by a crash is found whole
 * there.
 */
#ifndef ASSAY_WORKLOADS_PAGES_H
#define ASSAY_WORKLOADS_PAGES_H

#include "phase.h"

struct pages_shape {
	size_t page_bytes;
	uint64_t size_bytes; /* of the data set */
	unsigned compressible;
	bool direct, doublewrite;
	unsigned operation; /* index of what a page's write is recorded as */
};

struct pages;

/* Lays out the data set and opens it. ERR_SKIP with the reason when this cannot be had here. */
int pages_open(struct pages **pages, struct phase_run *run, const struct pages_shape *shape,
	       struct err *err);
void pages_close(struct pages *pages); /* NULL allowed */

/* How many there are in the data set. */
uint64_t pages_count(const struct pages *pages);

enum { PAGES_CUT_SHORT = 1 }; /* the load ended before all were written */

/* Writes count pages back and makes them durable, spread evenly over so much time from now on (0:
 * as fast as it goes), by a worker, which records the writes. */
int pages_write_back(struct pages *pages, struct worker *worker, uint64_t count,
		     uint64_t spread_ns);

/* The same before the load, with nothing recorded: *took_ns says how long it takes. */
int pages_rehearse(struct pages *pages, struct phase_run *run, uint64_t count, uint64_t *took_ns,
		   struct err *err);

/* Space beside the data set. */
uint64_t pages_extra_bytes(const struct pages_shape *shape);

#endif
