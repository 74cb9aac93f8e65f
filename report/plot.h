/* SPDX-License-Identifier: MIT */
/*
 * plot.h - a chart as commands for gnuplot.
 *
 * Gnuplot is told where things are, and nothing else: every text is a token that stands for one of
 * a list ("t3"), and every colour a token for a role (red 1, green the role), so that no text from
 * outside can be taken for a command and the page decides how a chart looks. Positions are linear:
 * scales and ticks are worked out here.
 */
#ifndef ASSAY_REPORT_PLOT_H
#define ASSAY_REPORT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "chart.h"

enum { PLOT_WIDTH = 480 };

/* How much of a cell's colour covers the page at most: texts on it are to be read. */
#define PLOT_HEAT_MOST 0.62

/* Roles of colours; a series has its number from 0. */
enum plot_ink {
	INK_SERIES,
	INK_AXIS = CHART_SERIES_MAX,
	INK_GRID,
	INK_TEXT,
	INK_STRONG, /* a text on a coloured ground */
	INK_HEAT,
	INK_COUNT
};

/* How a colour token reads in what gnuplot writes: "rgb(1,ROLE,1)", blanks aside. */
enum { INK_MARK = 1 };

/* The texts that tokens stand for. */
struct plot_texts {
	char **items;
	size_t count;
};
void plot_texts_release(struct plot_texts *texts);

/* Writes commands that draw the chart as a document of its own, PLOT_WIDTH wide, and adds its
 * texts to the list. */
void plot_write(FILE *out, const struct chart *chart, struct plot_texts *texts);
unsigned plot_height(const struct chart *chart);

/* Whether the points of a series are marked one by one, and with which of gnuplot's marks: 7 a
 * disc, 5 a square, 9 a triangle, 13 a diamond, 6 a circle, 4 an open square. */
bool plot_is_marked(const struct chart *chart, const struct chart_series *series);
unsigned plot_mark(const struct chart_series *series);

/* The role of its colour. */
unsigned plot_ink(const struct chart_series *series);

/* The dashes of a series' line, as stroke-dasharray has them; "": none. */
const char *plot_dashes(const struct chart_series *series);

/* A value as it reads on an axis or beside it: "2.5 k/s", "p99.9". Returns text. */
const char *plot_value(char text[UNIT_TEXT_MAX], const struct axis *axis, double value);

#endif
