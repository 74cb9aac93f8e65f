/* SPDX-License-Identifier: MIT */
/*
 * steady_state.h - whether a series has come to its steady state, as the SNIA's "Solid State
 * Storage Performance Test Specification" (PTS) has it: over the last five rounds each metric
 * that is tracked stays within 20 % of its mean from the lowest to the highest, and its least
 * squares line within 10 %. What was measured before is archived, and not judged.
 */
#ifndef ASSAY_SUITE_STEADY_STATE_H
#define ASSAY_SUITE_STEADY_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "archive.h"
#include "criterion.h"
#include "stats.h"
#include "work_name.h"

enum { STEADY_WINDOW = 5, STEADY_ROUNDS_MAX = 25 };

/* One metric at one point over the last rounds. */
struct steady_finding {
	char name[WORK_NAME_MAX];
	size_t rounds; /* of the window, that have a value */
	struct steadiness steadiness;
	bool steady;
};

typedef void (*steady_sink_fn)(void *context, const struct steady_finding *finding);

/* Looks at what the metrics came to in the last rounds of a series, runs in their order, and tells
 * each finding; sink may be NULL. True when all are steady; without a finding they are not. */
bool steady_state_look(const struct archived_run *runs, size_t count,
		       const struct criterion *tracks, size_t track_count, steady_sink_fn sink,
		       void *context);

/* The metrics that a profile tracks; the caller's to free. They were checked when it was read. */
struct criterion *steady_state_tracks(char *const *texts, size_t count);

/* How many rounds of so many come before the window. */
size_t steady_state_lead_in(size_t rounds);

#endif
