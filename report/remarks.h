/* SPDX-License-Identifier: MIT */
/*
 * remarks.h - what was said about measurements beside their figures.
 */
#ifndef ASSAY_REPORT_REMARKS_H
#define ASSAY_REPORT_REMARKS_H

#include "entries.h"
#include "table.h"

/* Adds remarks, and the messages of runs that failed in a point where others went well; a point
 * that nothing stands for has its reason below the table of rates. */
void remarks_add(struct document *document, const struct entries *entries,
		 const struct section *section);

#endif
