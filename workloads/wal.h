/* SPDX-License-Identifier: MIT */
/*
 * wal.h - what the phases share that keep a log: its parameters, what it costs, what it reports.
 */
#ifndef ASSAY_WORKLOADS_WAL_H
#define ASSAY_WORKLOADS_WAL_H

#include "log.h"

extern const struct param param_clients;
extern const struct param param_record_size;
extern const struct param param_write_unit;
extern const struct param param_segment;
extern const struct param param_segment_size;

#define PARAMS_WAL(clients)                                                                \
	{&param_clients, clients}, {&param_record_size, "512"}, {&param_write_unit, "8k"}, \
		{&param_method, "fdatasync"}, {&param_segment, "recycled"},                \
	{                                                                                  \
		&param_segment_size, "16m"                                                 \
	}

/* The shape that a point's parameters say, for bodies of at most body_bytes. */
struct log_shape wal_shape(const struct point *point, size_t body_bytes, unsigned flush_operation);

/* Opens the log in run->wal_target, as far as --max-write allows. */
int wal_open(struct log **log, struct phase_run *run, const struct log_shape *shape,
	     struct err *err);

/* The log's share of phase->cost. */
void wal_cost(const struct log_shape *shape, struct phase_cost *cost);

/* For phase->traffic: journals and the page cache add to what is synced. */
enum phase_traffic wal_traffic(const struct point *point);

/* For role->workers: the parameter `clients`. */
unsigned wal_clients(const struct phase_run *run);

/* What a commit cost, for phase->metrics; wal_metrics are these alone. */
#define WAL_METRICS                                                                                \
	{"records_per_flush", UNIT_NONE, BETTER_NEITHER,                                           \
	 "commits that one flush served, mean"},                                                   \
		{"device_writes_per_commit", UNIT_NONE, BETTER_LOWER,                              \
		 "writes the log's device saw for each commit, flushes among them"},               \
		{"device_bytes_per_commit", UNIT_BYTES, BETTER_LOWER,                              \
		 "bytes the log's device was written for each commit"},                            \
	{                                                                                          \
		"device_flushes_per_commit", UNIT_NONE, BETTER_LOWER,                              \
			"flushes the log's device saw for each commit"                             \
	}
extern const struct metric wal_metrics[];

/* Reads the log back and checks it, adds wal_metrics to the named operation, whose index is commit,
 * and says in the remark what was checked. */
int wal_finish(struct log *log, const struct phase_run *run, unsigned commit, unsigned flush,
	       struct measurement *measurement, struct err *err);

/* Operations of one kind, or of its parts, that all workers counted, before they are merged. */
uint64_t wal_count(const struct phase_run *run, unsigned operation);

#endif
