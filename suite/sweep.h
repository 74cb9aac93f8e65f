/* SPDX-License-Identifier: MIT */
/*
 * sweep.h - what a sweep does: its axes, the combinations of their values, and the visits, one run
 * each, in an order shuffled anew for every other round and turned around in those between.
 */
#ifndef ASSAY_SUITE_SWEEP_H
#define ASSAY_SUITE_SWEEP_H

#include <stdbool.h>

#include "axis.h"
#include "plan.h"
#include "run.h"
#include "stack.h"

enum { AXES_MAX = 6, COMBINATIONS_MAX = 1024 };

/* One value of each axis, and the plan it makes. */
struct combination {
	unsigned values[AXES_MAX];
	struct options options;
	char words[AXES_MAX][256]; /* what parameter axes add to options.set */
	struct plan plan;
	bool impossible; /* the kernel refused it once */
};

struct visit {
	unsigned round; /* from 1 */
	unsigned combination;
	bool done;      /* measured already, by a sweep that is resumed */
};

struct sweep {
	struct axis axes[AXES_MAX];
	unsigned axis_count;
	struct combination *combinations;
	unsigned combination_count;
	struct visit *visits; /* in order */
	unsigned visit_count;
	uint64_t rounds;
};

/* Reads the axes of the options and plans every combination. ERR_USAGE with a sentence. */
int sweep_make(struct sweep *sweep, const struct options *options, const struct target *target,
	       const struct stack *stack, struct err *err);
void sweep_release(struct sweep *sweep);

/* Puts the visits in order: each round has every combination once, shuffled from the seed in odd
 * rounds, and in even ones as in the round before backwards. */
void sweep_order(struct sweep *sweep, uint64_t seed);

/* How many visits are not done. */
unsigned sweep_left(const struct sweep *sweep);

/* The combination in words: "scheduler=bfq read_ahead_kb=128"; returns text. */
const char *sweep_describe(const struct sweep *sweep, unsigned combination, char *text,
			   size_t size);

/* The tag that keeps an axis's value with a run: "sweep.scheduler". */
const char *sweep_tag(const struct axis *axis, char *text, size_t size);

/* Puts the combination's values into tags. */
void sweep_tags(const struct sweep *sweep, unsigned combination, struct facts *tags);

/* Marks the visit that a finished run was, if it was one of this sweep. */
void sweep_mark_done(struct sweep *sweep, const struct run *run);

/* What --dry-run prints. */
void sweep_print(const struct sweep *sweep, const struct target *target, FILE *out);

#endif
