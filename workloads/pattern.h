/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - a load of random offsets or sequential streams over the whole data set: what the
 * phases that keep requests in flight share.
 *
 * A pattern belongs to one role: `jobs` workers, each with descriptors of its own on the files of
 * its share (offsets.h), a seed of its own and `depth` requests in flight (inflight.h).
 */
#ifndef ASSAY_WORKLOADS_PATTERN_H
#define ASSAY_WORKLOADS_PATTERN_H

#include "engine.h"
#include "phase.h"

struct pattern;

struct pattern_shape {
	bool sequential;
	bool direct;
	uint64_t size_bytes; /* of all files together */
	unsigned files, jobs;
	unsigned depth; /* of each job */
	unsigned batch; /* 0: adapts */
	size_t block_bytes;
	unsigned write_percent;
	bool whole_jobs; /* the percentage is of jobs, each of which only reads or only writes */
	unsigned compressible;
	unsigned read_operation, write_operation; /* indices into phase->operations */
	const char *engine; /* a name or "auto" */
	const char *cpus;   /* a list, see cpus.h */
};

/* Checks that the shape can be had here, lays out the data set, drops what of it is cached when it
 * is read through the cache, and settles on the engine. ERR_SKIP with the reason. */
int pattern_open(struct pattern **pattern, struct phase_run *run, const struct pattern_shape *shape,
		 struct err *err);
void pattern_close(struct pattern *pattern);

/* What the shape's engine came to be. */
const struct engine *pattern_engine(const struct pattern *pattern);

/* A job's worker, by its index: opens, loads until the deadline (and makes durable what it wrote
 * through the cache, after worker_mark_cached), closes. */
int pattern_begin(struct pattern *pattern, struct worker *worker);
int pattern_work(struct pattern *pattern, struct worker *worker);
int pattern_end(struct pattern *pattern, struct worker *worker);

/* Adds queue_depth, latency_submit and the pattern's own metrics for the named operation ("all", or
 * the part of a load that is one role's) and to run->reach what its offsets touched, flags what was
 * cached, says in the remark which engine it was and what it used. */
void pattern_report(const struct pattern *pattern, struct phase_run *run,
		    const char *operation, struct measurement *measurement);

/* How requests were batched, for phase->metrics; pattern_metrics are these alone. */
#define PATTERN_METRICS                                                                            \
	{"submit_batch", UNIT_NONE, BETTER_NEITHER, "mean requests per submitting call"},          \
	{                                                                                          \
		"reap_batch", UNIT_NONE, BETTER_NEITHER, "mean completions taken at once"          \
	}
extern const struct metric pattern_metrics[];

/* A shape's batch as the parameter of that name says. */
unsigned pattern_batch(const struct point *point);

/* ---- for phases whose run->data is the one pattern of their one role ---- */

enum { PATTERN_READ, PATTERN_WRITE };

/* The parameters of such a phase beside `operation`, block_size and, with writes mixed in,
 * write_percent. */
#define PARAMS_PATTERN                                                                             \
	{&param_queue_depth, "1"}, {&param_jobs, "1"}, {&param_files, "1"},                        \
		{&param_engine, "auto"}, {&param_batch, "auto"}, {&param_io, "direct"},            \
		{&param_size, "1g"}, {&param_compressible, "0"}, {&param_cpus, "any"}

extern const struct operation pattern_operations[]; /* headlines: rate and latency_p99 */

int pattern_phase_setup(struct phase_run *run, bool sequential, struct err *err);
int pattern_phase_finish(struct phase_run *run, struct measurement *measurement, struct err *err);
void pattern_phase_teardown(struct phase_run *run);
unsigned pattern_phase_workers(const struct phase_run *run);
int pattern_phase_begin(struct worker *worker);
int pattern_phase_work(struct worker *worker);
int pattern_phase_end(struct worker *worker);
enum phase_traffic pattern_phase_traffic(const struct point *point);
void pattern_phase_cost(const struct point *point, const struct target *target,
			struct phase_cost *cost);
bool pattern_phase_performs(const struct point *point, const struct operation *operation);

#endif
