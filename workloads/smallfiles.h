/* SPDX-License-Identifier: MIT */
/*
 * smallfiles.h - the six phases that create, stat and delete many small files.
 *
 * Files live in the private directory under small/, in directories 00000 ... when there are
 * several, filled in index order. Names are as bonnie++ makes them: ten hexadecimal digits of the
 * index and some random characters, the digits first in the sequential phases, so that name order
 * is creation order, and last in the random ones, so that it is not. Names, sizes and orders follow
 * from the seed and the index: nothing is stored per file, however many there are.
 *
 * Each phase makes the files it needs before the clock starts and removes them afterwards.
 */
#ifndef ASSAY_WORKLOADS_SMALLFILES_H
#define ASSAY_WORKLOADS_SMALLFILES_H

#include "phase.h"

struct small_variant {
	bool random;  /* random order and names, or name order */
	bool present; /* the files exist when a pass starts */
	int (*visit)(struct worker *worker, uint64_t index); /* what is timed for one file */
	bool changes; /* the filesystem: directories are removed and synced within the clock */
	bool deletes;
};

int smallfiles_setup(struct phase_run *run, struct err *err);
int smallfiles_reset(struct phase_run *run, struct err *err);
int smallfiles_work(struct worker *worker);
void smallfiles_teardown(struct phase_run *run);
void smallfiles_cost(const struct point *point, const struct target *target,
		     struct phase_cost *cost);
enum phase_traffic smallfiles_traffic(const struct point *point);

/* What is timed for one file. */
int smallfiles_create(struct worker *worker, uint64_t index);
int smallfiles_stat(struct worker *worker, uint64_t index);
int smallfiles_delete(struct worker *worker, uint64_t index);

/* True for the names made below the private directory. */
bool smallfiles_owns(const char *name);

#endif
