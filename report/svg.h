/* SPDX-License-Identifier: MIT */
/*
 * svg.h - charts as SVG to stand inside a page, drawn by gnuplot.
 *
 * Colours are var(--s1) to var(--s6) for series, var(--axis), var(--grid), var(--text), var(--fg)
 * and var(--heat), for the page to define. Element ids are prefixed, so that several charts stand
 * on one page.
 */
#ifndef ASSAY_REPORT_SVG_H
#define ASSAY_REPORT_SVG_H

#include <stddef.h>

#include "chart.h"
#include "err.h"

/* Draws the charts with one run of gnuplot: svgs[i] is an <svg> element of charts[i], with ids that
 * begin with "cI-", a <title> and a <desc>; the caller's to free. -ENOENT when there is no gnuplot,
 * another code when it failed; svgs holds NULLs then. */
int svg_draw(const struct chart *const charts[], size_t count, char *svgs[], struct err *err);

/* Writes a sample of a series' line and mark, for the key beside the chart. */
void svg_key(FILE *out, const struct chart *chart, const struct chart_series *series);

/* What a chart shows, in words: each series with its ends and extremes. The caller's to free. */
char *svg_describe(const struct chart *chart);

/* Writes text so that HTML and SVG show it and act upon nothing; also between double quotes. */
void html_text(FILE *out, const char *text);

#endif
