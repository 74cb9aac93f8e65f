/* SPDX-License-Identifier: MIT */
/*
 * flags.h - the doubts and findings of a report. Each code raised gets a tag that stands beside the
 * figures: V1, V2 ... for void, D1 ... for doubts, N1 ... for notes; but `unchecked`, which says
 * nothing about them.
 */
#ifndef ASSAY_REPORT_FLAGS_H
#define ASSAY_REPORT_FLAGS_H

#include "entries.h"
#include "table.h"

struct flag_kind {
	const char *code;
	enum severity severity;
	unsigned number; /* from 1, of its severity */
};

struct flags {
	struct flag_kind *items; /* in the order of their first appearance */
	size_t count;
};

/* Gathers the flags of all entries, and sets the entries' tags. Borrows the codes. */
void flags_collect(struct flags *flags, struct entries *entries);
void flags_release(struct flags *flags);

/* One line for the head of the report: "1 void (cached), 2 doubts (steal, unsteady)" or "none".
 * The caller's to free. */
char *flags_summary(const struct flags *flags);

/* Adds the section that explains them: void, doubts and notes apart, each code with what it means
 * and the sentences of the measurements it was raised for. */
void flags_add(struct document *document, const struct flags *flags, const struct entries *entries);

#endif
