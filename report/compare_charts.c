/* SPDX-License-Identifier: MIT */
/*
 * compare_charts.c - the charts of a comparison.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "compare_charts.h"
#include "must.h"

enum { ROWS_MOST = 24 };

/* Changes beyond this share no linear scale with small ones. */
#define CHANGE_LINEAR_MOST 1.5

/* What a chart is made from. */
struct source {
	const struct comparison *comparison;
	const struct works *works;
	const struct compared_section *section;
	const char *const *titles;
};

typedef bool (*row_fn)(const struct comparison *comparison, const struct compared_row *row);

/* The headline rows of the section that a chart has something to show of; those that are too many
 * are left out. The caller's to free. */
static const struct compared_row **pick_rows(const struct source *source, row_fn belongs,
					     size_t *count, size_t *all)
{
	const struct compared_row **rows = must_allocate(ROWS_MOST, sizeof(*rows));

	*count = *all = 0;
	for (size_t i = 0; i < source->section->count; i++) {
		const struct compared_row *row =
			&source->comparison->rows[source->section->first + i];

		if (!row->headline || !belongs(source->comparison, row))
			continue;
		if (*count < ROWS_MOST)
			rows[(*count)++] = row;
		++*all;
	}
	return rows;
}

static char *row_label(const struct source *source, const struct compared_row *row, bool metric)
{
	size_t index = (size_t)(row - source->comparison->rows);
	const struct entry *entry =
		&source->works->entries.items[source->works->of_row[index]];
	bool whole = !strcmp(row->operation, "all");
	char *label = entry_label(entry, whole ? NULL : row->operation), *text;

	if (!metric)
		return label;
	text = must_format("%s: %s%s", label, contrast_metric(row->metric),
			   row->better == BETTER_LOWER ? ", less is better" : "");
	free(label);
	return text;
}

static struct chart *start(struct document *document, const struct source *source,
			   const char *what, const char *text, size_t count, size_t all)
{
	char *title = must_format("%s: %s", source->section->title, what);
	char *rows = all > count ? must_format(" The first %zu of %zu rows.", count, all)
				 : must_copy("");
	size_t groups = source->comparison->group_count;
	char *words = must_format("%s%s%s", text, rows,
				  groups > CHART_SERIES_MAX ? " Not all groups are drawn." : "");
	struct chart *chart = document_chart(document, CHART_INTERVALS, title, words);

	free(words);
	free(rows);
	free(title);
	return chart;
}

static void add_categories(struct chart *chart, const struct source *source,
			   const struct compared_row *const rows[], size_t count, bool metric)
{
	for (size_t i = 0; i < count; i++) {
		char *label = row_label(source, rows[i], metric);

		chart_category(chart, label);
		free(label);
	}
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool has_change(const struct comparison *comparison, const struct compared_row *row)
{
	for (size_t group = 0; group < comparison->group_count; group++)
		if (group != comparison->base && isfinite(row->cells[group].delta))
			return true;
	return false;
}

static bool is_large(double change)
{
	return isfinite(change) && (change > CHANGE_LINEAR_MOST || change < -0.9);
}

static bool has_large_changes(const struct source *source,
			      const struct compared_row *const rows[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t group = 0; group < source->comparison->group_count; group++)
			if (is_large(rows[i]->cells[group].delta) ||
			    is_large(rows[i]->cells[group].delta_high))
				return true;
	return false;
}

static bool has_intervals(const struct source *source, const struct compared_row *const rows[],
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t group = 0; group < source->comparison->group_count; group++)
			if (isfinite(rows[i]->cells[group].delta_low))
				return true;
	return false;
}

static const char *change_text(bool ratio, bool intervals)
{
	if (!intervals)
		return ratio ? "How many times the base; too few runs for intervals."
			     : "Too few runs for intervals.";
	return ratio ? "How many times the base, with 95 % intervals."
		     : "With 95 % intervals: one that holds 0 may be no change.";
}

static void add_changes(struct chart *chart, const struct source *source, size_t group,
			const struct compared_row *const rows[], size_t count, bool ratio)
{
	struct chart_series *series = chart_series(chart, source->titles[group]);

	series->look = group; /* as where the base is drawn, too */
	for (size_t i = 0; i < count; i++) {
		const struct compared_cell *cell = &rows[i]->cells[group];

		if (ratio)
			series_interval(series, i, 1 + cell->delta, 1 + cell->delta_low,
					1 + cell->delta_high);
		else
			series_interval(series, i, 100 * cell->delta, 100 * cell->delta_low,
					100 * cell->delta_high);
	}
}

static void draw_changes(struct document *document, const struct source *source)
{
	const struct comparison *comparison = source->comparison;
	size_t count, all;
	const struct compared_row **rows = pick_rows(source, has_change, &count, &all);
	bool ratio = has_large_changes(source, rows, count);
	char *what = must_format("change against %s", source->titles[comparison->base]);
	struct chart *chart;

	if (count) {
		chart = start(document, source, what,
			      change_text(ratio, has_intervals(source, rows, count)), count, all);
		axis_set(&chart->y, ratio ? "times the base" : "change",
			 ratio ? UNIT_NONE : UNIT_PERCENT, ratio ? SCALE_LOG : SCALE_LINEAR);
		add_categories(chart, source, rows, count, true);
		for (size_t group = 0; group < comparison->group_count; group++)
			if (group != comparison->base && chart->series_count < CHART_SERIES_MAX)
				add_changes(chart, source, group, rows, count, ratio);
	}
	free(what);
	free(rows);
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool has_figure(const struct comparison *comparison, const struct compared_row *row,
		       enum unit unit)
{
	for (size_t group = 0; row->unit == unit && group < comparison->group_count; group++)
		if (isfinite(row->cells[group].median))
			return true;
	return false;
}

static bool is_rate(const struct comparison *comparison, const struct compared_row *row)
{
	return has_figure(comparison, row, UNIT_PER_S);
}

static bool is_throughput(const struct comparison *comparison, const struct compared_row *row)
{
	return has_figure(comparison, row, UNIT_BYTES_PER_S);
}

static bool is_far_apart(const struct source *source, const struct compared_row *const rows[],
			 size_t count)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t group = 0; group < source->comparison->group_count; group++) {
			low = fmin(low, rows[i]->cells[group].median);
			high = fmax(high, rows[i]->cells[group].median);
		}
	return high > 20 * low;
}

static void add_figures(struct chart *chart, const struct source *source, size_t group,
			const struct compared_row *const rows[], size_t count)
{
	struct chart_series *series = chart_series(chart, source->titles[group]);

	for (size_t i = 0; i < count; i++) {
		const struct compared_cell *cell = &rows[i]->cells[group];

		series_interval(series, i, cell->median, cell->low, cell->high);
	}
}

static void draw_figures(struct document *document, const struct source *source, row_fn belongs,
			 const char *what, enum unit unit)
{
	size_t count, all;
	const struct compared_row **rows = pick_rows(source, belongs, &count, &all);
	struct chart *chart;

	if (count) {
		chart = start(document, source, what,
			      "The median of each group's runs, from the lowest to the highest.",
			      count, all);
		axis_set(&chart->y, what, unit,
			 is_far_apart(source, rows, count) ? SCALE_LOG : SCALE_LINEAR);
		add_categories(chart, source, rows, count, false);
		for (size_t group = 0; group < source->comparison->group_count; group++)
			if (chart->series_count < CHART_SERIES_MAX)
				add_figures(chart, source, group, rows, count);
	}
	free(rows);
}

void compare_charts_add(struct document *document, const struct comparison *comparison,
			const struct works *works, const struct compared_section *section,
			const char *const *titles)
{
	const struct source source = {comparison, works, section, titles};

	draw_changes(document, &source);
	draw_figures(document, &source, is_rate, "operations per second", UNIT_PER_S);
	draw_figures(document, &source, is_throughput, "throughput", UNIT_BYTES_PER_S);
}
