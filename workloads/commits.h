/* SPDX-License-Identifier: MIT */
/*
 * commits.h - clients that append records to one log as fast as they become durable: the role that
 * the phases of commits share.
 */
#ifndef ASSAY_WORKLOADS_COMMITS_H
#define ASSAY_WORKLOADS_COMMITS_H

#include "wal.h"

struct commits {
	struct log *log;
	size_t record_bytes;
	uint64_t commit_bytes; /* most that a commit writes */
	unsigned commit_operation; /* index of what a commit is recorded as */
};

/* The shape of the log that the point's parameters say. */
struct log_shape commits_shape(const struct point *point, unsigned flush_operation);

/* Opens the log; commits_close closes it, whatever the code was. */
int commits_open(struct commits *commits, struct phase_run *run, unsigned commit_operation,
		 unsigned flush_operation, struct err *err);
void commits_close(struct commits *commits);

/* A client's worker: it commits until its deadline. */
int commits_begin(const struct commits *commits, struct worker *worker);
int commits_work(const struct commits *commits, struct worker *worker);
int commits_end(struct worker *worker);

#endif
