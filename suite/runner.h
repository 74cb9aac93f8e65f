/* SPDX-License-Identifier: MIT */
/*
 * runner.h - measures one point: sets it up, starts the workers together, times, merges.
 */
#ifndef ASSAY_SUITE_RUNNER_H
#define ASSAY_SUITE_RUNNER_H

#include <stdatomic.h>
#include <stdint.h>

#include "err.h"
#include "measurement.h"
#include "phase.h"

struct counters;
struct durability;
struct progress;
struct witness;

struct runner {
	const struct target *target;
	const struct target *wal_target;
	struct fileset *fileset;
	struct counters *counters; /* of the target's devices; NULL: not read */
	struct counters *wal_counters; /* of those of --wal-dir; NULL: the log is on the target's */
	struct durability *durability; /* of the target; NULL: syncs are not tried out */
	struct durability *wal_durability; /* of --wal-dir; NULL: the log is in the target */
	struct witness *witness;           /* of the target; NULL: no evidence is gathered */
	struct progress *progress; /* told what is going on; NULL: nobody listens */
	const atomic_bool *stop;   /* a signal came */
	uint64_t seed;             /* of the run */
	uint64_t write_left;       /* of --max-write; UINT64_MAX: no limit */
};

/* Measures a point into *measurement, which measurement_init has prepared and the caller releases.
 * A point that fails or cannot be measured here is a measurement too, with its status and reason.
 * Returns -EINTR when *stop ended it: the measurement is then not to be kept. */
int runner_measure(struct runner *runner, const struct point *point,
		   struct measurement *measurement);

/* The length of the warm-up of a STEADY point that says "auto": a quarter of time, at most 2 s. */
uint64_t runner_warmup_ns(const struct point *point);

#endif
