/* SPDX-License-Identifier: MIT */
/*
 * plan.h - from the command line to the ordered points of a run.
 *
 * A parameter's value comes from, the later the stronger: the phase's preset, [profile] time and
 * size, the phase's section, an option of its own (--size), --set.
 */
#ifndef ASSAY_SUITE_PLAN_H
#define ASSAY_SUITE_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "options.h"
#include "phase.h"
#include "profile.h"
#include "target.h"

struct plan {
	struct profile profile;
	struct point *points;
	size_t count;
	uint64_t rounds, rounds_max; /* at least, and until steady at most */
	uint64_t precondition_bytes; /* written to the device before the first round */
	/* Of one round, at least. */
	struct phase_cost cost; /* data and inodes: the most at one time; writes and time: summed */
	uint64_t *least_writes; /* by point: the bytes that it and those after it write; then 0 */
};

/* Makes the plan. ERR_USAGE with a sentence that names the nearest valid word for an unknown
 * phase, parameter or value, and for a battery without a point. */
int plan_make(struct plan *plan, const struct options *options, const char *default_profile,
	      const struct target *target, struct err *err);
void plan_release(struct plan *plan);

/* The largest data set that any point works on; 0: there is none. */
uint64_t plan_data_set_bytes(const struct plan *plan, const struct target *target);

/* Refuses (ERR_USAGE) what does not fit the target: space, of which 5 % of the filesystem stays
 * free, inodes, --max-write. */
int plan_check(const struct plan *plan, const struct options *options, const struct target *target,
	       struct err *err);

/* Says in a line how much will be written at least and how long it takes; NULL: to nobody. */
void plan_announce(const struct plan *plan, FILE *out);

/* What --dry-run prints. */
void plan_print(const struct plan *plan, const struct target *target, FILE *out);

#endif
