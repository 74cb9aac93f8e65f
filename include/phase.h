/* SPDX-License-Identifier: MIT */
/*
 * phase.h - a kind of workload: what it is called, what it takes, what it times.
 *
 * A new phase is one file workloads/phase_NAME.c that ends in `const struct phase phase_NAME`,
 * and one line in PHASES, whose place there is its place in the battery.
 *
 * How the runner drives a point (suite/runner.c):
 *
 *   setup                      once, untimed, by the main thread
 *   STEADY:  begin*            each worker, untimed: open, allocate
 *            gate              opens when every worker is ready
 *            work*             loads without a pause until deadline_ns; what completes inside the
 *                              window counts (worker_record decides)
 *            end*              each worker, untimed: close
 *   PASSES:  reset             before each pass, untimed, by the main thread
 *            begin*, gate
 *            work*             one whole pass with its sync and close; timed from entry to return
 *            end*
 *            ... until the summed time reaches `time`, or with resets four times that
 *   finish                     once, by the main thread after all joins: own metrics, checks
 *   teardown                   once, whatever happened after setup was entered
 *
 * Elapsed time: STEADY, the window. PASSES, the sum over passes of latest end - earliest begin.
 * Functions return 0 or a negative code with a sentence in err (a worker's own: worker->err).
 */
#ifndef ASSAY_PHASE_H
#define ASSAY_PHASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "fileset.h"
#include "histogram.h"
#include "measurement.h"
#include "metric.h"
#include "param.h"
#include "rng.h"
#include "series.h"
#include "target.h"

enum { POINT_PARAMS_MAX = 24, OPERATIONS_MAX = 8, ROLES_MAX = 4 };

enum phase_model { MODEL_STEADY, MODEL_PASSES };

/* What evidence may conclude from the device's counters. */
enum phase_traffic {
	TRAFFIC_NONE,      /* no bytes are promised to the device */
	TRAFFIC_EXACT,     /* the device must have moved our bytes */
	TRAFFIC_AMPLIFIED  /* page cache, journal or copy-on-write add or merge */
};

/* Where a phase relies on syncs: evidence tries them out there beside the load. */
enum phase_syncs { SYNCS_TARGET = 1, SYNCS_LOG = 2 };

struct phase;

/* A phase at one value of each of its parameters; values stand parallel to phase->params. */
struct point {
	const struct phase *phase;
	struct value values[POINT_PARAMS_MAX];
};

/* What a phase times. */
struct operation {
	const char *name;
	const char *headline_rate;    /* "rate" or "throughput" when a comparison judges it, else
				       * NULL */
	const char *headline_latency; /* e.g. "latency_p99", else NULL */
	unsigned part_of;             /* 0, or 1 + the index of the operation this is a part of:
				       * what is recorded here counts there too */
	bool moves_bytes;             /* has a throughput */
	bool reads, writes;           /* what is recorded here, and not in a part, was read from, or
				       * written to, the target's data */
	bool to_cache; /* buffered writes: has throughput_to_cache (worker_mark_cached) */
};

/* What random offsets came to. */
struct phase_reach {
	uint64_t offsets; /* drawn; 0: there were none */
	double distinct_blocks, likely_blocks; /* touched, and what so many are likely to touch */
};

struct worker;

/* Takes a point that expand makes; what it returns ends the expansion when it is not 0. */
typedef int (*point_sink_fn)(void *context, const struct point *point);

/* One point being measured. */
struct phase_run {
	const struct point *point;
	const struct target *target;
	const struct target *wal_target; /* --wal-dir, or the target itself */
	struct fileset *fileset;
	uint64_t seed;        /* of this point, the same whatever else the battery holds */
	uint64_t time_ns;     /* asked length of the measurement; setup may lengthen it */
	uint64_t warmup_ns;   /* STEADY; likewise */
	const atomic_bool *stop;
	void *data;           /* the phase's own, from setup to teardown */
	struct worker *workers; /* all roles, in order; from the first begin until after finish */
	unsigned worker_count;
	uint64_t elapsed_ns;  /* the timed part, from finish on */
	struct phase_reach reach; /* likewise; finish adds to it */
	/* From finish on, of phases with SYNCS_LOG: what the filesystem of wal_target sent to its
	 * devices in the timed part. */
	struct device_use log_use;
	bool log_use_known, log_flushes_known;
	uint64_t untimed_write_bytes; /* written outside the clock, data files apart: for
				       * --max-write */
	uint64_t write_left;  /* what setup, or this reset, may write of it; UINT64_MAX: no limit */
	uint64_t total_units; /* PASSES: what a pass is made of, in bytes or operations, for
			       * progress; 0 unknown */
	struct value resolved[POINT_PARAMS_MAX]; /* what is archived: setup may replace "auto" */
};

struct role {
	const char *name;
	unsigned (*workers)(const struct phase_run *run); /* NULL: one */
	int (*begin)(struct worker *worker);              /* NULL: nothing to do */
	int (*work)(struct worker *worker);
	int (*end)(struct worker *worker); /* NULL: nothing to do; runs if begin did */
};

/* At least what a point needs and does, for --dry-run and the checks before the start. */
struct phase_cost {
	uint64_t data_bytes;  /* space in the target */
	uint64_t log_bytes;   /* space in the log's directory, which may be the target */
	uint64_t inodes;      /* files in the target */
	uint64_t write_bytes; /* written at least */
	uint64_t time_ns;     /* measuring at least */
	uint64_t memory_bytes; /* page cache it is going to fill */
	bool makes_data;      /* the phase writes the data set itself */
	bool writes;          /* in the data set: on a device, what was there is lost */
	bool lays_out;        /* needs the data set whole: it is laid out when it is not there */
};

struct phase {
	const char *name;
	const char *group; /* files, patterns, orion, durability */
	const char *help;  /* one line */
	const char *unavailable; /* NULL, or a sentence why this build cannot do it */
	const struct param_use *params;     /* ends with a NULL param */
	const struct operation *operations; /* ends with a NULL name; their order is their index */
	const struct metric *metrics;       /* its own; ends with a NULL name, or NULL */
	const void *variant; /* what tells apart phases that share their code; theirs alone */
	bool on_device; /* works on a block device as well as in a directory */
	unsigned syncs; /* enum phase_syncs */
	bool shares_files; /* what a worker opens during the load others use too, or lock */
	bool swings;    /* the rate rises and falls by design */
	enum phase_model model;
	enum phase_traffic (*traffic)(const struct point *point);
	void (*cost)(const struct point *point, const struct target *target,
		     struct phase_cost *cost);
	/* NULL: a point stands for itself. Else emits the points it stands for on this target, of
	 * other phases too. */
	int (*expand)(const struct point *point, const struct target *target, point_sink_fn emit,
		      void *context, struct err *err);
	const char *rule; /* how expand makes points, in words, kept with the run; NULL */
	/* NULL: every operation. Else whether this point performs it. */
	bool (*performs)(const struct point *point, const struct operation *operation);
	int (*setup)(struct phase_run *run, struct err *err); /* ERR_SKIP: cannot be measured
							       * here */
	int (*reset)(struct phase_run *run, struct err *err);
	int (*finish)(struct phase_run *run, struct measurement *measurement, struct err *err);
	void (*teardown)(struct phase_run *run);
	struct role roles[ROLES_MAX]; /* ends with a NULL work */
};

/* What one worker counted of one operation; private to it until the join. */
struct recorder {
	struct histogram histogram;
	struct series series;
	uint64_t bytes;
};

struct worker {
	struct phase_run *run;
	const struct role *role;
	unsigned index; /* within its role */
	uint64_t seed;  /* its own */
	struct recorder *recorders; /* by operation index */
	void *state;    /* the phase's own for this worker, from begin to after finish */
	struct err err;

	uint64_t window_start_ns;  /* completions in [start, start + length) count */
	uint64_t window_length_ns;
	uint64_t deadline_ns;      /* STEADY: no request is started from here on */
	uint64_t write_budget;     /* bytes this worker may still write; UINT64_MAX: no limit */
	bool budget_spent;

	uint64_t begin_ns, cached_ns, end_ns;   /* of work(), by the worker itself */
	uint64_t cpu_user_ns, cpu_system_ns;    /* of work(), summed over passes */
	uint64_t cpu_wait_ns;                   /* likewise: ready to run, and no CPU was free */
	bool cpu_wait_known;
	uint64_t work_ns;                       /* end - begin, summed over passes */
	_Atomic uint64_t progress;              /* units done in this pass or window; relaxed,
						 * for the live line */
};

/* Counts one completed operation if it completed inside the window. start_ns is taken before
 * the call that submits, end_ns after the one that learns of the completion. */
static inline void worker_record(struct worker *worker, unsigned operation, uint64_t start_ns,
				 uint64_t end_ns, uint64_t bytes)
{
	struct recorder *recorder = &worker->recorders[operation];
	uint64_t at_ns = end_ns - worker->window_start_ns;

	if (at_ns >= worker->window_length_ns)
		return;
	histogram_add(&recorder->histogram, end_ns - start_ns);
	series_add(&recorder->series, at_ns, end_ns - start_ns, bytes);
	recorder->bytes += bytes;
}

/* Tells the live line how far the worker is; a plain store for one writer. */
static inline void worker_progress(struct worker *worker, uint64_t units)
{
	uint64_t done = atomic_load_explicit(&worker->progress, memory_order_relaxed);

	atomic_store_explicit(&worker->progress, done + units, memory_order_relaxed);
}

/* True when the load is to end early: a signal, or another worker failed. */
static inline bool worker_stopped(const struct worker *worker)
{
	return atomic_load_explicit(worker->run->stop, memory_order_relaxed);
}

/* True while a STEADY worker is to start more requests. */
static inline bool worker_goes_on(const struct worker *worker, uint64_t now_ns)
{
	return now_ns < worker->deadline_ns && !worker_stopped(worker) && !worker->budget_spent;
}

/* Asks for leave to write bytes under --max-write; false ends the worker's load. */
static inline bool worker_may_write(struct worker *worker, uint64_t bytes)
{
	if (worker->write_budget == UINT64_MAX)
		return true;
	if (worker->write_budget < bytes) {
		worker->budget_spent = true;
		return false;
	}
	worker->write_budget -= bytes;
	return true;
}

/* The last buffered write has returned; what follows is the sync. */
static inline void worker_mark_cached(struct worker *worker)
{
	worker->cached_ns = clock_now_ns();
}

/* Asks for leave to write bytes outside the clock, besides the data files, and counts them:
 * ERR_SKIP with a sentence when they would pass --max-write. */
int phase_write_untimed(struct phase_run *run, uint64_t bytes, struct err *err);

/* Parameters of a point by name; asking for one the phase does not declare is our own mistake. */
const struct value *point_value(const struct point *point, const char *name);
uint64_t point_number(const struct point *point, const char *name);
const char *point_text(const struct point *point, const char *name);
bool point_is(const struct point *point, const char *name, const char *choice);
bool point_has(const struct point *point, const char *name);

/* Whether they are the same work: one phase, the same values of what is IDENTITY. */
bool point_equal(const struct point *a, const struct point *b);

/* The index of a parameter in phase->params, or -1. */
int phase_param_index(const struct phase *phase, const char *name);

/* Replaces what is archived for a parameter: an "auto" resolved. */
void phase_resolve(struct phase_run *run, const char *name, struct value value);

/* The order is the order of the battery. */
#define PHASES(X)            \
	X(char_write)        \
	X(block_write)       \
	X(rewrite)           \
	X(char_read)         \
	X(block_read)        \
	X(seeks)             \
	X(create_sequential) \
	X(stat_sequential)   \
	X(delete_sequential) \
	X(create_random)     \
	X(stat_random)       \
	X(delete_random)     \
	X(sequential)        \
	X(random)            \
	X(oltp)              \
	X(dss)               \
	X(mixed)             \
	X(sync_methods)      \
	X(wal_commit)        \
	X(wal_mixed)         \
	X(checkpoint)        \
	X(sqlite_txn)
#define PHASE_DECLARE(name) extern const struct phase phase_##name;
PHASES(PHASE_DECLARE)
#undef PHASE_DECLARE

/* The phases in battery order, ending with NULL. */
extern const struct phase *const phases[];

const struct phase *phase_find(const char *name);

#endif
