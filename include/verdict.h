/* SPDX-License-Identifier: MIT */
/*
 * verdict.h - what a certification came to, rule by rule, as plain data: made by the suite, shown
 * by reports.
 */
#ifndef ASSAY_VERDICT_H
#define ASSAY_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of how much they weigh: the worst rule decides. */
enum outcome { OUTCOME_NOTED, OUTCOME_PASS, OUTCOME_INCONCLUSIVE, OUTCOME_FAIL };

/* Texts are the rule's own. */
struct ruling {
	char *rule;     /* what was judged: "every phase ended", a criterion, a headline row */
	char *required; /* in words with units */
	char *measured;
	enum outcome outcome;
	char *reason;   /* the figures that decided, in plain words */
};

struct verdict {
	struct ruling *rulings;
	size_t count, capacity;
	bool integrity_only; /* no rule was about speed */
	size_t lead_in; /* so many of the runs came before the steady state and are not judged */
};

/* "noted", "PASS", "INCONCLUSIVE", "FAIL". */
const char *outcome_name(enum outcome outcome);

/* The worst of the rulings; PASS when there is nothing worse. */
enum outcome verdict_outcome(const struct verdict *verdict);

/* The verdict in words: "PASS (integrity only)". */
const char *verdict_words(const struct verdict *verdict);

/* Adds a ruling; texts are copied, NULL is "". Aborts when memory cannot be had. */
void verdict_add(struct verdict *verdict, const char *rule, const char *required,
		 const char *measured, enum outcome outcome, const char *reason);
void verdict_release(struct verdict *verdict);

#endif
