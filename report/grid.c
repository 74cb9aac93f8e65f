/* SPDX-License-Identifier: MIT */
/*
 * grid.c - the points that lists of parameters make, as one table.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "must.h"

enum { POINTS_LEAST = 4, AXES_LEAST = 2, AXES_MOST = 12 };

/* What goes where the terminal is too narrow: what other tables tell as well. */
enum { DROP_FLAGS = 1, DROP_THROUGHPUT, DROP_AXIS, AXES_KEPT = 5 };

static const struct {
	const char *metric, *name, *title;
	unsigned drop;
} figures[] = {
	{"rate", "rate", "IOPS", 0},
	{"throughput", "throughput", "Throughput", DROP_THROUGHPUT},
	{"latency_p99", "latency_p99", "p99", 0},
};
enum { FIGURE_COUNT = sizeof(figures) / sizeof(figures[0]) };

struct grid {
	const struct entry **points; /* in the order of the axes' values */
	size_t count;
	const char *axes[AXES_MOST]; /* names of parameters that vary */
	size_t axis_count;
	size_t dimensions; /* of the axes, those that do not follow from one before */
};

/* ---- axes ------------------------------------------------------------------------------------ */

static const struct value *value_at(const struct entry *entry, const char *axis)
{
	const struct parameter *parameter = measurement_parameter(entry->first, axis);

	return parameter ? &parameter->value : NULL;
}

/* The place of a point's value among those of the axis, by first appearance. */
static size_t place_of(const struct grid *grid, const struct value *value, const char *axis)
{
	size_t i = 0;

	for (; i < grid->count; i++) {
		const struct value *other = value_at(grid->points[i], axis);

		if (!other == !value && (!value || value_equal(other, value)))
			break;
	}
	return i;
}

static int compare_on(const struct grid *grid, const struct entry *a, const struct entry *b,
		      const char *axis)
{
	const struct value *one = value_at(a, axis), *other = value_at(b, axis);
	size_t places[2];

	if (one && other && one->kind == VALUE_NUMBER && other->kind == VALUE_NUMBER)
		return (one->number > other->number) - (one->number < other->number);
	places[0] = place_of(grid, one, axis);
	places[1] = place_of(grid, other, axis);
	return (places[0] > places[1]) - (places[0] < places[1]);
}

static int compare(const struct grid *grid, const struct entry *a, const struct entry *b)
{
	int order = 0;

	for (size_t i = 0; !order && i < grid->axis_count; i++)
		order = compare_on(grid, a, b, grid->axes[i]);
	return order;
}

/* Whether points that are alike in one parameter are so in the other. */
static bool is_determined(const struct grid *grid, const char *axis, const char *by)
{
	for (size_t i = 0; i < grid->count; i++)
		for (size_t j = 0; j < i; j++)
			if (!compare_on(grid, grid->points[i], grid->points[j], by) &&
			    compare_on(grid, grid->points[i], grid->points[j], axis))
				return false;
	return true;
}

/* A share of writes that goes with the operation, or an engine that goes with the depth, is an axis
 * to show but no dimension. */
static bool is_dimension(const struct grid *grid, const char *axis)
{
	for (size_t i = 0; i < grid->axis_count; i++)
		if (is_determined(grid, axis, grid->axes[i]))
			return false;
	return true;
}

static void add_axis(struct grid *grid, const char *name)
{
	for (size_t i = 0; i < grid->axis_count; i++)
		if (!strcmp(grid->axes[i], name))
			return;
	if (grid->axis_count == AXES_MOST)
		return;
	grid->dimensions += is_dimension(grid, name);
	grid->axes[grid->axis_count++] = name;
}

/* The axes in the order a reader looks for them, others by name. */
static void find_axes(struct grid *grid)
{
	static const char *const first[] = {"operation", "write_percent", "block_size",
					    "jobs", "queue_depth", NULL};

	for (size_t f = 0; first[f]; f++)
		for (size_t i = 0; i < grid->count; i++) {
			const struct measurement *measurement = grid->points[i]->first;

			for (size_t p = 0; p < measurement->parameter_count; p++)
				if (grid->points[i]->varies[p] &&
				    !strcmp(measurement->parameters[p].name, first[f]))
					add_axis(grid, first[f]);
		}
	for (size_t i = 0; i < grid->count; i++)
		for (size_t p = 0; p < grid->points[i]->first->parameter_count; p++)
			if (grid->points[i]->varies[p])
				add_axis(grid, grid->points[i]->first->parameters[p].name);
}

/* Stable, so that points alike in all axes keep their order. */
static void sort_points(struct grid *grid)
{
	struct grid unsorted = *grid;

	unsorted.points = must_allocate(grid->count, sizeof(*unsorted.points));
	memcpy(unsorted.points, grid->points, grid->count * sizeof(*grid->points));
	for (size_t i = 1; i < grid->count; i++) {
		const struct entry *point = grid->points[i];
		size_t at = i;

		for (; at > 0 && compare(&unsorted, grid->points[at - 1], point) > 0; at--)
			grid->points[at] = grid->points[at - 1];
		grid->points[at] = point;
	}
	free(unsorted.points);
}

static void grid_init(struct grid *grid, const struct entries *entries, const char *phase)
{
	*grid = (struct grid){.points = must_allocate(entries->count, sizeof(*grid->points))};
	for (size_t i = 0; i < entries->count; i++)
		if (!strcmp(entries->items[i].first->phase, phase))
			grid->points[grid->count++] = &entries->items[i];
	find_axes(grid);
	sort_points(grid);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *axis_title(const char *axis)
{
	static const char *const titles[][2] = {{"operation", "Of"},	{"write_percent", "Writes"},
						{"block_size", "Block"}, {"queue_depth", "Depth"},
						{"jobs", "Jobs"},	{NULL, NULL}};
	size_t i = 0;

	while (titles[i][0] && strcmp(titles[i][0], axis) != 0)
		i++;
	return titles[i][0] ? titles[i][1] : axis;
}

/* The columns are the operation, the axes, the figures and the flags. */
static struct table *start_table(struct document *document, const struct grid *grid,
				 const char *phase)
{
	size_t count = 1 + grid->axis_count + FIGURE_COUNT + 1;
	struct column *columns = must_allocate(count, sizeof(*columns));
	char *title = must_format("%s: each point", phase);
	struct table *table;

	columns[0] = (struct column){"measured", "Operation", .left = true, .fold = true};
	for (size_t i = 0; i < grid->axis_count; i++) {
		const char *axis = grid->axes[i];
		const struct value *value = value_at(grid->points[0], axis);

		columns[1 + i] = (struct column){axis, axis_title(axis),
						 .left = value && value->kind == VALUE_TEXT,
						 .drop = i < AXES_KEPT ? 0 : DROP_AXIS};
	}
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		const struct metric *metric = metric_find(figures[i].metric);

		columns[1 + grid->axis_count + i] =
			(struct column){figures[i].name, figures[i].title, .unit = metric->unit,
					.better = metric->better,
					.drop = figures[i].drop};
	}
	columns[count - 1] = (struct column){"flags", "Flags", .left = true, .drop = DROP_FLAGS};
	table = document_table_of(document, NULL, columns, count);
	table_caption(table, title);
	free(title);
	free(columns);
	return table;
}

static void add_row(struct table *table, const struct grid *grid, const struct entry *entry,
		    const char *operation)
{
	char text[PARAMETER_TEXT_MAX];

	table_row(table);
	table_text(table, 0, operation ? operation : entry->first->phase);
	for (size_t i = 0; i < grid->axis_count; i++) {
		const struct parameter *parameter =
			measurement_parameter(entry->first, grid->axes[i]);

		if (!parameter || parameter_is_implied(entry->first, parameter))
			continue;
		parameter_format(text, parameter);
		if (!operation || strcmp(text, operation) != 0) /* "read" of "read" says nothing */
			table_text(table, 1 + i, text);
	}
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		const char *metric = figures[i].metric;
		double value = operation ? entry_median(entry, operation, metric) : NAN;
		size_t column = 1 + grid->axis_count + i;
		char *reason = isfinite(value) ? NULL : entry_gap(entry, metric);

		if (reason)
			table_missing(table, column, reason);
		else
			table_number(table, column, metric_find(metric)->unit, value);
		free(reason);
	}
	table_text(table, 1 + grid->axis_count + FIGURE_COUNT, entry->tags);
}

/* A line for each operation that has a rate; without any, one that says why. */
static void add_point(struct table *table, const struct grid *grid, const struct entry *entry)
{
	const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
	size_t count = entry_usable(entry, usable), lines = 0;

	for (size_t i = 0; count && i < usable[0]->metric_count; i++) {
		const struct metric_value *value = &usable[0]->metrics[i];

		if (strcmp(value->metric, "rate") != 0)
			continue;
		add_row(table, grid, entry, value->operation);
		lines++;
	}
	if (!lines)
		add_row(table, grid, entry, NULL);
	free(usable);
}

static void add_grid(struct document *document, const struct entries *entries, const char *phase)
{
	struct grid grid;

	grid_init(&grid, entries, phase);
	if (grid.count >= POINTS_LEAST && grid.dimensions >= AXES_LEAST) {
		struct table *table = start_table(document, &grid, phase);

		for (size_t i = 0; i < grid.count; i++)
			add_point(table, &grid, grid.points[i]);
	}
	free(grid.points);
}

void grids_add(struct document *document, const struct entries *entries,
	       const struct section *section)
{
	for (size_t i = 0; section->phases && section->phases[i]; i++)
		add_grid(document, entries, section->phases[i]);
}
