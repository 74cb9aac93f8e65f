/* SPDX-License-Identifier: MIT */
/*
 * chart.h - a chart as plain data: what is to be seen, not how it is drawn. Texts may come from
 * outside; whoever draws makes them safe.
 */
#ifndef ASSAY_REPORT_CHART_H
#define ASSAY_REPORT_CHART_H

#include <stddef.h>

#include "table.h"

enum chart_kind {
	CHART_LINES,     /* a line through the points of each series */
	CHART_INTERVALS, /* categories down; a mark for each series, with low and high, across */
	CHART_HEAT       /* series down, as y's title says, categories across; shades tell y */
};

enum scale {
	SCALE_LINEAR, /* 0 is always in sight */
	SCALE_LOG,    /* values above 0 alone are shown */
	SCALE_TAIL    /* fractions from 0 to below 1: each 9 takes the same room */
};

struct axis {
	char *title;
	enum unit unit;
	enum scale scale;
};

struct chart_point {
	double x, y;      /* of CHART_INTERVALS and CHART_HEAT x is the index of the category */
	double low, high; /* NAN: none */
	char *label;      /* beside the point; NULL: none */
};

struct chart_series {
	char *name;
	size_t look; /* which colour, dash and mark: its place, unless set to be alike elsewhere */
	struct chart_point *points;
	size_t count, capacity;
};

struct chart {
	enum chart_kind kind;
	char *title;
	char *text; /* what is seen, for those who do not see it */
	struct axis x, y; /* of CHART_INTERVALS y runs across and x names the categories */
	char **categories;
	size_t category_count;
	struct chart_series *series;
	size_t series_count;
};

/* What can be told apart by colour, dash and mark. */
enum { CHART_SERIES_MAX = 6 };

/* Adds a chart the document owns from then on; it stays where it is. */
struct chart *document_chart(struct document *document, enum chart_kind kind, const char *title,
			     const char *text);

/* A chart on its own. Freeing NULL does nothing. */
struct chart *chart_new(enum chart_kind kind, const char *title, const char *text);
void chart_free(struct chart *chart);

void axis_set(struct axis *axis, const char *title, enum unit unit, enum scale scale);
void chart_category(struct chart *chart, const char *name);

/* Adds a series, valid until the next is added. */
struct chart_series *chart_series(struct chart *chart, const char *name);

/* Each adds a point; one whose y is not finite is left out. label NULL: none. */
void series_point(struct chart_series *series, double x, double y, const char *label);
void series_interval(struct chart_series *series, size_t category, double y, double low,
		     double high);

#endif
