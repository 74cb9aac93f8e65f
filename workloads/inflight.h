/* SPDX-License-Identifier: MIT */
/*
 * inflight.h - the one loop that keeps requests in flight, whatever the engine and the pattern.
 *
 * A worker has `depth` requests in flight and some more prepared, so that what a completion
 * sets free is in use again before anything else happens: recording what was reaped and preparing
 * what comes next is done while the device works. One round is
 *
 *   submit   prepared requests up to the depth, in calls of at most `batch`; each request's clock
 *            starts before its call
 *   settle   record what the last round reaped, continue short transfers, prepare anew
 *   reap     wait for one request (with batches: for a batch) and take what is there; the clock
 *            stops after it
 *
 * An engine that has everything done when submit returns is given a run of prepared requests one
 * after the other, and then the run is settled. The clock is read once after every submitting
 * call and once after every reap (of a synchronous engine: every run), nowhere else: the reading
 * after one is the start of the next.
 *
 * From worker->deadline_ns on nothing is started; the loop returns when all is back.
 *
 * Batches. Targets as fast as memory gain from them, since they save system calls and switches;
 * a real disk loses, since it hears of the first request of a batch as late as of the last. With
 * batch 0 the loop tries both in turn during the warm-up, and uses batches of up to 16 (and half
 * the depth) in the window when they won nearly every round of the trial and by a clear margin.
 */
#ifndef ASSAY_WORKLOADS_INFLIGHT_H
#define ASSAY_WORKLOADS_INFLIGHT_H

#include "engine.h"
#include "phase.h"

/* Says what the next request is: operation, file (index into the load's files) and offset; and
 * *recorder, the index of the phase's operation that it counts as. */
typedef void (*inflight_source_fn)(void *source, struct io *request, unsigned *recorder);

struct inflight_file {
	int fd;
	const char *name; /* for messages */
};

/* What to keep in flight; all it points to outlives the loop. */
struct inflight_load {
	const struct engine *engine;
	unsigned depth;
	unsigned batch; /* 0: adapts */
	size_t block_bytes;
	size_t align_bytes; /* of buffers, a power of two */
	bool reads, writes; /* which of them the source asks for */
	unsigned compressible; /* percent of what is written */
	const struct inflight_file *files;
	unsigned file_count;
	inflight_source_fn next;
	void *source;
};

/* What was done inside the window, and in all. */
struct inflight_stats {
	uint64_t depth_ns;      /* requests in flight, integrated over time */
	uint64_t submit_calls, submitted; /* calls that submitted, requests they took */
	uint64_t submit_ns;     /* time of the call, summed over the requests */
	uint64_t reap_calls, reaped;
	unsigned batch;         /* what was used, or decided on */
	uint64_t written_bytes; /* from begin to end, outside the window too */
	char used[ENGINE_USED_MAX]; /* what the engine had of the kernel */
};

struct inflight;

/* Allocates everything and opens the engine, in the thread that will run it. The failure is
 * in worker->err. */
int inflight_open(struct inflight **flight, const struct inflight_load *load,
		  struct worker *worker);

/* Loads until the worker's deadline. A failed request, or one that moves nothing, ends the load;
 * worker->err names the file, the operation and the cause. */
int inflight_run(struct inflight *flight, struct worker *worker);

/* Valid until inflight_close. */
const struct inflight_stats *inflight_stats(const struct inflight *flight);

/* In the same thread. NULL is none. */
void inflight_close(struct inflight *flight);

#endif
