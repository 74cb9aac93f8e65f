/* SPDX-License-Identifier: MIT */
/*
 * compare_charts.h - the charts of a comparison: what changed against the base, with intervals, and
 * the rates of the groups with their ranges.
 */
#ifndef ASSAY_REPORT_COMPARE_CHARTS_H
#define ASSAY_REPORT_COMPARE_CHARTS_H

#include "contrast.h"
#include "table.h"

/* Adds those of a section's headline rows to the document; titles are of the groups. */
void compare_charts_add(struct document *document, const struct comparison *comparison,
			const struct works *works, const struct compared_section *section,
			const char *const *titles);

#endif
