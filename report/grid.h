/* SPDX-License-Identifier: MIT */
/*
 * grid.h - the points that lists of parameters make, as one table: the parameters that vary, and
 * of each point IOPS, throughput and p99.
 */
#ifndef ASSAY_REPORT_GRID_H
#define ASSAY_REPORT_GRID_H

#include "entries.h"
#include "table.h"

/* Adds one for each phase of the section that has at least four points over two parameters or
 * more, in the order of the parameters' values. Of several runs the figures are medians. */
void grids_add(struct document *document, const struct entries *entries,
	       const struct section *section);

#endif
