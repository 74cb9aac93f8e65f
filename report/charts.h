/* SPDX-License-Identifier: MIT */
/*
 * charts.h - the charts of a run, or of the rounds of a series: how latencies are spread, how IOPS
 * and latency go with depth, how rate and worst latency went from second to second, and Orion's
 * matrix as heat maps. Void measurements are left aside.
 */
#ifndef ASSAY_REPORT_CHARTS_H
#define ASSAY_REPORT_CHARTS_H

#include "entries.h"
#include "matrix.h"
#include "table.h"

/* Adds those of a section to the document. The runs want their histograms and samples. */
void charts_add(struct document *document, const struct entries *entries,
		const struct section *section);

/* Adds those that follow the rates of a section from round to round, where there are enough. */
void charts_add_rounds(struct document *document, const struct entries *entries,
		       const struct section *section);

/* Adds one for each figure of each matrix. */
void charts_add_matrices(struct document *document, const struct matrices *matrices);

#endif
