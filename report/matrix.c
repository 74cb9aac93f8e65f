/* SPDX-License-Identifier: MIT */
/*
 * matrix.c - Orion's load matrix.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "must.h"

enum { POINTS_LEAST = 4, LOADS_LEAST = 2 };

static const char *const phases_of_matrix[] = {"mixed", "oltp", "dss", NULL};

const struct matrix_figure matrix_figures[] = {
	{"small", "rate", "IOPS of small requests"},
	{"large", "throughput", "Throughput of large requests"},
	{"small", "latency_mean", "Average latency of small requests"},
	{NULL, NULL, NULL},
};

/* ---- which points belong together ------------------------------------------------------------ */

static bool is_load(const char *parameter)
{
	return !strcmp(parameter, "num_small") || !strcmp(parameter, "num_large");
}

/* The name a parameter of the phase has in `mixed`. */
static const char *name_in_mixed(const char *phase, const char *parameter)
{
	if (strcmp(parameter, "write_percent") != 0)
		return parameter;
	if (!strcmp(phase, "oltp"))
		return "small_write_percent";
	return strcmp(phase, "dss") ? parameter : "large_write_percent";
}

/* Whether nothing but loads tells two points apart in what both of them have; engines do only
 * where they are compared, not where each load has the engine that suits it. */
static bool fits(const struct measurement *a, const struct measurement *b, bool engines)
{
	for (size_t i = 0; i < a->parameter_count; i++) {
		const struct parameter *one = &a->parameters[i];
		const char *name = name_in_mixed(a->phase, one->name);
		bool aside = is_load(name) || (!engines && !strcmp(name, "engine"));

		for (size_t j = 0; !aside && j < b->parameter_count; j++) {
			const struct parameter *other = &b->parameters[j];

			if (!strcmp(name, name_in_mixed(b->phase, other->name)) &&
			    !value_equal(&one->value, &other->value))
				return false;
		}
	}
	return true;
}

static bool fits_all(const struct matrix *matrix, const struct measurement *measurement,
		     bool engines)
{
	for (size_t i = 0; i < matrix->count; i++)
		if (!fits(matrix->points[i].entry->first, measurement, engines))
			return false;
	return true;
}

static uint64_t load_of(const struct measurement *measurement, const char *name)
{
	const struct parameter *load = measurement_parameter(measurement, name);

	return load && load->value.kind == VALUE_NUMBER ? load->value.number : 0;
}

static bool is_same_load(const struct measurement *a, const struct measurement *b)
{
	return !strcmp(a->phase, b->phase) && load_of(a, "num_small") == load_of(b, "num_small") &&
	       load_of(a, "num_large") == load_of(b, "num_large");
}

/* Whether some load was measured with two engines. */
static bool has_engines(const struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct measurement *a = entries->items[i].first;
			const struct measurement *b = entries->items[j].first;

			if (is_same_load(a, b) && fits(a, b, false) && !fits(a, b, true))
				return true;
		}
	return false;
}

static const struct entry *find_point(const struct matrix *matrix, uint64_t small, uint64_t large)
{
	for (size_t i = 0; i < matrix->count; i++)
		if (matrix->points[i].small == small && matrix->points[i].large == large)
			return matrix->points[i].entry;
	return NULL;
}

/* Takes in the points of a phase that fit those there are; of a load seen twice the first. */
static void take_phase(struct matrix *matrix, const struct entries *entries, const char *phase,
		       bool engines, bool *taken)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct measurement *first = entries->items[i].first;
		uint64_t small = load_of(first, "num_small"), large = load_of(first, "num_large");

		if (strcmp(first->phase, phase) != 0 || !fits_all(matrix, first, engines) ||
		    (!small && !large) || find_point(matrix, small, large))
			continue;
		matrix->points = must_resize(matrix->points, matrix->count + 1,
					     sizeof(*matrix->points));
		matrix->points[matrix->count++] =
			(struct matrix_point){&entries->items[i], small, large};
		taken[i] = true;
	}
}

/* Starts a matrix with an entry of a phase; those of the phases after it join where they fit. */
static struct matrix start_matrix(const struct entries *entries, size_t seed, size_t phase,
				  bool engines, bool *taken)
{
	struct matrix matrix = {0};

	matrix.points = must_allocate(1, sizeof(*matrix.points));
	matrix.points[matrix.count++] =
		(struct matrix_point){&entries->items[seed],
				      load_of(entries->items[seed].first, "num_small"),
				      load_of(entries->items[seed].first, "num_large")};
	taken[seed] = true;
	for (size_t p = phase; phases_of_matrix[p]; p++)
		take_phase(&matrix, entries, phases_of_matrix[p], engines, taken);
	return matrix;
}

/* ---- which of them are worth a table --------------------------------------------------------- */

static void add_load(uint64_t *loads, size_t *count, uint64_t load)
{
	size_t at = *count;

	for (size_t i = 0; i < *count; i++)
		if (loads[i] == load)
			return;
	for (; at > 0 && loads[at - 1] > load; at--)
		loads[at] = loads[at - 1];
	loads[at] = load;
	++*count;
}

/* The loads of the points that have the operation (any for NULL), in numeric order. */
static size_t list_loads(const struct matrix *matrix, const char *operation, bool of_small,
			 uint64_t **loads)
{
	size_t count = 0;

	*loads = must_allocate(matrix->count, sizeof(**loads));
	for (size_t i = 0; i < matrix->count; i++) {
		const struct matrix_point *point = &matrix->points[i];
		bool has = !operation ||
			   (!strcmp(operation, "small") ? point->small : point->large) > 0;

		if (has)
			add_load(*loads, &count, of_small ? point->small : point->large);
	}
	return count;
}

static bool is_matrix(const struct matrix *matrix)
{
	uint64_t *smalls, *larges;
	size_t small_count = list_loads(matrix, NULL, true, &smalls);
	size_t large_count = list_loads(matrix, NULL, false, &larges);

	free(smalls);
	free(larges);
	return matrix->count >= POINTS_LEAST && small_count >= LOADS_LEAST &&
	       large_count >= LOADS_LEAST;
}

static void keep(struct matrices *matrices, struct matrix *matrix)
{
	if (!is_matrix(matrix)) {
		free(matrix->points);
		return;
	}
	matrices->items =
		must_resize(matrices->items, matrices->count + 1, sizeof(*matrices->items));
	matrices->items[matrices->count++] = *matrix;
}

void matrices_find(struct matrices *matrices, const struct entries *entries)
{
	bool *taken = must_allocate(entries->count, sizeof(*taken));
	bool engines = has_engines(entries);

	*matrices = (struct matrices){0};
	for (size_t p = 0; phases_of_matrix[p]; p++) {
		for (size_t i = 0; i < entries->count; i++) {
			struct matrix matrix;

			if (taken[i] || strcmp(entries->items[i].first->phase, phases_of_matrix[p]))
				continue;
			matrix = start_matrix(entries, i, p, engines, taken);
			keep(matrices, &matrix);
		}
	}
	free(taken);
}

void matrices_release(struct matrices *matrices)
{
	for (size_t i = 0; i < matrices->count; i++)
		free(matrices->items[i].points);
	free(matrices->items);
	*matrices = (struct matrices){0};
}

/* ---- views ----------------------------------------------------------------------------------- */

void matrix_view_init(struct matrix_view *view, const struct matrix *matrix,
		      const struct matrix_figure *figure)
{
	*view = (struct matrix_view){.matrix = matrix, .figure = figure};
	view->small_count = list_loads(matrix, figure->operation, true, &view->smalls);
	view->large_count = list_loads(matrix, figure->operation, false, &view->larges);
}

void matrix_view_release(struct matrix_view *view)
{
	free(view->smalls);
	free(view->larges);
	*view = (struct matrix_view){0};
}

const struct entry *matrix_view_at(const struct matrix_view *view, size_t large, size_t small)
{
	return find_point(view->matrix, view->smalls[small], view->larges[large]);
}

/* What a parameter is in the points of the matrix that have it, or NULL. */
static const struct parameter *parameter_of(const struct matrix *matrix, const char *name)
{
	for (size_t i = 0; i < matrix->count; i++) {
		const struct measurement *first = matrix->points[i].entry->first;

		for (size_t p = 0; p < first->parameter_count; p++)
			if (!strcmp(name_in_mixed(first->phase, first->parameters[p].name), name))
				return &first->parameters[p];
	}
	return NULL;
}

static void put(FILE *out, const struct matrix *matrix, const char *before, const char *name,
		const char *after)
{
	const struct parameter *parameter = parameter_of(matrix, name);
	char text[PARAMETER_TEXT_MAX];

	if (parameter && (parameter->value.kind != VALUE_NUMBER || parameter->value.number))
		fprintf(out, "%s%s%s", before, parameter_format(text, parameter), after);
}

/* Whether all points of the matrix that have the parameter agree in it. */
static bool agrees(const struct matrix *matrix, const struct parameter *parameter)
{
	for (size_t i = 0; i < matrix->count; i++) {
		const struct parameter *other =
			measurement_parameter(matrix->points[i].entry->first, parameter->name);

		if (other && !value_equal(&other->value, &parameter->value))
			return false;
	}
	return true;
}

/* What tells this matrix from others of the report, beside what the title tells anyway. */
static void put_varying(FILE *out, const struct matrix *matrix)
{
	const struct entry *entry = matrix->points[0].entry;
	static const char *const told[] = {"num_small", "num_large", "small_size", "large_size",
					   "large_type", "write_percent", "small_write_percent",
					   "large_write_percent", NULL};
	char text[PARAMETER_TEXT_MAX];

	for (size_t p = 0; p < entry->first->parameter_count; p++) {
		const struct parameter *parameter = &entry->first->parameters[p];
		bool skip = !entry->varies[p] || !agrees(matrix, parameter);

		for (size_t i = 0; told[i]; i++)
			skip |= !strcmp(told[i], parameter->name);
		if (!skip)
			fprintf(out, ", %s %s", parameter->name, parameter_format(text, parameter));
	}
}

char *matrix_view_title(const struct matrix_view *view)
{
	const struct matrix *matrix = view->matrix;
	struct writing writing;

	writing_open(&writing);
	fprintf(writing.out, "%s: small", view->figure->title);
	put(writing.out, matrix, " ", "small_size", "");
	put(writing.out, matrix, " ", "small_write_percent", " writes");
	fputs(", large", writing.out);
	put(writing.out, matrix, " ", "large_size", "");
	put(writing.out, matrix, " ", "large_type", "");
	put(writing.out, matrix, " ", "large_write_percent", " writes");
	put_varying(writing.out, matrix);
	return writing_close(&writing);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct table *start_table(struct document *document, const struct matrix_view *view)
{
	const struct metric *metric = metric_find(view->figure->metric);
	struct column *columns = must_allocate(view->small_count + 1, sizeof(*columns));
	char (*texts)[2][32] = must_allocate(view->small_count, sizeof(*texts));
	char *title = matrix_view_title(view);
	char *whole = must_format("%s; outstanding small across, large down", title);
	struct table *table;

	columns[0] = (struct column){.name = "num_large", .title = "Large/Small"};
	for (size_t i = 0; i < view->small_count; i++) {
		snprintf(texts[i][0], sizeof(texts[i][0]), "num_small_%" PRIu64, view->smalls[i]);
		snprintf(texts[i][1], sizeof(texts[i][1]), "%" PRIu64, view->smalls[i]);
		columns[i + 1] = (struct column){.name = texts[i][0],
						 .title = texts[i][1],
						 .unit = metric->unit,
						 .better = metric->better,
						 .alike = true};
	}
	table = document_table_of(document, whole, columns, view->small_count + 1);
	free(whole);
	free(title);
	free(texts);
	free(columns);
	return table;
}

static void add_cell(struct table *table, const struct matrix_view *view, size_t large,
		     size_t small)
{
	const struct matrix_figure *figure = view->figure;
	const struct entry *entry = matrix_view_at(view, large, small);
	double value = entry ? entry_median(entry, figure->operation, figure->metric) : NAN;
	char *reason;

	if (!entry)
		return;
	if (isfinite(value)) {
		table_number(table, small + 1, metric_find(figure->metric)->unit, value);
		return;
	}
	reason = entry_gap(entry, figure->metric);
	table_missing(table, small + 1, reason);
	free(reason);
}

static void add_view(struct document *document, const struct matrix_view *view)
{
	struct table *table = start_table(document, view);

	for (size_t large = 0; large < view->large_count; large++) {
		table_row(table);
		table_integer(table, 0, (int64_t)view->larges[large]);
		for (size_t small = 0; small < view->small_count; small++)
			add_cell(table, view, large, small);
	}
}

void matrices_add(struct document *document, const struct matrices *matrices)
{
	for (size_t i = 0; i < matrices->count; i++) {
		for (const struct matrix_figure *figure = matrix_figures; figure->operation;
		     figure++) {
			struct matrix_view view;

			matrix_view_init(&view, &matrices->items[i], figure);
			if (view.small_count && view.large_count)
				add_view(document, &view);
			matrix_view_release(&view);
		}
	}
}
