/* SPDX-License-Identifier: MIT */
/*
 * judge.h - judges archived runs by the rules of a certification.
 *
 *  1. Every phase ended; one that was skipped is noted, and INCONCLUSIVE where a criterion is
 *     about it.
 *  2. The numbers came from the device: sync_ignored fails, another `void` flag is INCONCLUSIVE, a
 *     doubt the profile forbids fails.
 *  3. Each criterion, for every point that matches: all runs hold, none, or some.
 *  4. Against a baseline, each headline row: its interval against the tolerance.
 *  5. What the profile tracks has come to its steady state; rules 2 to 4 are then about the rounds
 *     of its window alone.
 */
#ifndef ASSAY_SUITE_JUDGE_H
#define ASSAY_SUITE_JUDGE_H

#include "archive.h"
#include "profile.h"
#include "steady_state.h"
#include "verdict.h"

enum { CRITERIA_MAX = 128 };

struct rules {
	struct criterion *criteria;
	unsigned criterion_count;
	char *const *forbidden; /* codes of doubts; borrowed */
	size_t forbidden_count;
	struct criterion *tracks; /* metrics whose steady state is wanted */
	size_t track_count;
	const struct run_ids *baseline; /* NULL: none */
	double tolerance; /* a fraction */
};

/* Takes over what a profile requires, which outlives the rules. ERR_USAGE. */
int rules_add_profile(struct rules *rules, const struct profile *profile, struct err *err);

/* Reads one criterion. ERR_USAGE. */
int rules_add_criterion(struct rules *rules, const char *text, struct err *err);
void rules_release(struct rules *rules);

/* Judges; *failed tells whether a phase failed, which outranks the verdict. */
int judge_runs(struct archive *archive, const struct run_ids *ids, const struct rules *rules,
	       struct verdict *verdict, bool *failed, struct err *err);

#endif
