/* SPDX-License-Identifier: MIT */
/*
 * chart.c - a chart as plain data.
 */
#include <math.h>
#include <stdlib.h>

#include "chart.h"
#include "must.h"

struct chart *chart_new(enum chart_kind kind, const char *title, const char *text)
{
	struct chart *chart = must_allocate(1, sizeof(*chart));

	*chart = (struct chart){.kind = kind, .title = must_copy(title), .text = must_copy(text)};
	return chart;
}

static void release_series(struct chart_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		free(series->points[i].label);
	free(series->points);
	free(series->name);
}

void chart_free(struct chart *chart)
{
	if (!chart)
		return;
	for (size_t i = 0; i < chart->series_count; i++)
		release_series(&chart->series[i]);
	for (size_t i = 0; i < chart->category_count; i++)
		free(chart->categories[i]);
	free(chart->series);
	free(chart->categories);
	free(chart->x.title);
	free(chart->y.title);
	free(chart->title);
	free(chart->text);
	free(chart);
}

void axis_set(struct axis *axis, const char *title, enum unit unit, enum scale scale)
{
	free(axis->title);
	*axis = (struct axis){.title = must_copy(title), .unit = unit, .scale = scale};
}

void chart_category(struct chart *chart, const char *name)
{
	chart->categories = must_resize(chart->categories, chart->category_count + 1,
					sizeof(*chart->categories));
	chart->categories[chart->category_count++] = must_copy(name);
}

struct chart_series *chart_series(struct chart *chart, const char *name)
{
	chart->series =
		must_resize(chart->series, chart->series_count + 1, sizeof(*chart->series));
	chart->series[chart->series_count] =
		(struct chart_series){.name = must_copy(name), .look = chart->series_count};
	return &chart->series[chart->series_count++];
}

static void add(struct chart_series *series, const struct chart_point *point)
{
	if (!isfinite(point->x) || !isfinite(point->y))
		return;
	if (series->count == series->capacity) {
		series->capacity = series->capacity ? 2 * series->capacity : 32;
		series->points =
			must_resize(series->points, series->capacity, sizeof(*series->points));
	}
	series->points[series->count] = *point;
	series->points[series->count++].label = must_copy(point->label);
}

void series_point(struct chart_series *series, double x, double y, const char *label)
{
	add(series, &(struct chart_point){x, y, NAN, NAN, (char *)label});
}

void series_interval(struct chart_series *series, size_t category, double y, double low,
		     double high)
{
	add(series, &(struct chart_point){(double)category, y, low, high, NULL});
}
