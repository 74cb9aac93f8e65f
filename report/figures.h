/* SPDX-License-Identifier: MIT */
/*
 * figures.h - the tables of figures of a section: rates, latencies, and what a phase counts beside
 * these.
 */
#ifndef ASSAY_REPORT_FIGURES_H
#define ASSAY_REPORT_FIGURES_H

#include "entries.h"
#include "table.h"

/* Adds them to the document. Of several runs each figure is the median, with the lowest and the
 * highest on lines of their own below. */
void figures_add(struct document *document, const struct entries *entries,
		 const struct section *section);

/* Adds what the columns mean. */
void figures_explain(struct document *document, const struct entries *entries);

#endif
