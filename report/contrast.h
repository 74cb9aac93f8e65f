/* SPDX-License-Identifier: MIT */
/*
 * contrast.h - the words for a comparison: figures, changes and ranges as a reader sees them.
 */
#ifndef ASSAY_REPORT_CONTRAST_H
#define ASSAY_REPORT_CONTRAST_H

#include "compare.h"
#include "entries.h"

/* Texts are the caller's to free; NULL where nothing belongs. */

/* "88.1 k/s", or "88.1 k/s, n 4" when the group has more runs. NULL of a gap. */
char *contrast_figure(const struct compared_row *row, const struct compared_cell *cell,
		      const struct compared_group *group);

/* "81.0..90.2 k/s"; NULL when there is one run. */
char *contrast_range(const struct compared_row *row, const struct compared_cell *cell);

/* "+4.2 %" */
char *contrast_change(double fraction);

/* "-12.1..-6.8 %"; NULL without an interval. */
char *contrast_interval(const struct compared_cell *cell);

/* "worse"; "" of an exploratory one, NULL where there is nothing to judge. */
const char *contrast_verdict(const struct compared_cell *cell);

/* A metric's name in few letters: "p99" for latency_p99. */
const char *contrast_metric(const char *metric);

/* The kinds of work of a comparison as entries, so that they are labelled as in other reports. */
struct works {
	struct archived_run run; /* its measurements borrow their parameters */
	struct entries entries;
	size_t *of_row; /* index in entries */
};
void works_init(struct works *works, const struct comparison *comparison);
void works_release(struct works *works);

#endif
