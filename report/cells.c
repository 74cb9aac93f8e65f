/* SPDX-License-Identifier: MIT */
/*
 * cells.c - rows, and the values that fall into their cells.
 *
 * Values are put in place by counting: their number by cell, then where each cell starts, then the
 * values themselves, which keeps those of a run together and in order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "entries.h"
#include "must.h"
#include "stats.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row while rows are put in order. */
struct line {
	int kin;
	uint32_t kind;     /* of its metric */
	size_t point;      /* that stands for it */
	size_t section;    /* rank */
	int64_t first;     /* the earliest measurement of such work */
	uint32_t operation; /* rank: the first kind of metric of that operation */
	size_t metric;      /* rank: as METRICS has them, others behind */
	bool headline;
	size_t place;      /* in the order */
};

struct lines {
	struct line *items;
	size_t count;
	int **of_kin; /* by kin, then by kind of metric: a line, or -1 */
	size_t *line_of_value;
};

enum { NO_LINE = -1 };

static uint32_t operation_rank(const struct observations *seen, uint32_t kind)
{
	uint32_t rank = 0;

	while (strcmp(seen->kinds[rank].operation, seen->kinds[kind].operation) != 0)
		rank++;
	return rank;
}

static size_t metric_rank(const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric ? (size_t)(metric - shared_metrics) : METRIC_COUNT_OF;
}

static size_t line_of(const struct comparing *comparing, struct lines *lines,
		      const struct observed_value *value,
		      const struct observed_measurement *measurement)
{
	const struct observations *seen = &comparing->seen;
	int kin = comparing->kin[measurement->point];
	const char *phase = seen->points[measurement->point].phase;
	int *known;

	if (!lines->of_kin[kin]) {
		lines->of_kin[kin] = must_allocate(seen->kind_count, sizeof(int));
		for (size_t i = 0; i < seen->kind_count; i++)
			lines->of_kin[kin][i] = NO_LINE;
	}
	known = &lines->of_kin[kin][value->kind];
	if (*known != NO_LINE)
		return (size_t)*known;
	if (!(lines->count & (lines->count - 1)))
		lines->items = must_resize(lines->items, lines->count ? 2 * lines->count : 1,
					   sizeof(*lines->items));
	lines->items[lines->count] = (struct line){
		.kin = kin,
		.kind = value->kind,
		.point = measurement->point,
		.section = (size_t)(section_of(phase) - sections),
		.first = measurement->id,
		.operation = operation_rank(seen, value->kind),
		.metric = metric_rank(seen->kinds[value->kind].metric),
	};
	*known = (int)lines->count;
	return lines->count++;
}

static int group_of(const struct comparing *comparing, const struct observed_value *value)
{
	const struct observed_measurement *measurement =
		&comparing->seen.measurements[value->measurement];

	return comparing_group(comparing, measurement->run, measurement->point);
}

static void lines_find(const struct comparing *comparing, struct lines *lines)
{
	const struct observations *seen = &comparing->seen;

	lines->of_kin = must_allocate(comparing->kin_count, sizeof(*lines->of_kin));
	lines->line_of_value = must_allocate(seen->value_count, sizeof(*lines->line_of_value));
	for (size_t i = 0; i < seen->value_count; i++) {
		const struct observed_value *value = &seen->values[i];
		const struct observed_measurement *measurement =
			&seen->measurements[value->measurement];
		struct line *line;

		if (group_of(comparing, value) < 0)
			continue;
		lines->line_of_value[i] = line_of(comparing, lines, value, measurement);
		line = &lines->items[lines->line_of_value[i]];
		line->headline |= value->headline;
		if (measurement->id < line->first)
			line->first = measurement->id;
	}
}

/* All lines of a kind of work start where the earliest does. */
static void lines_align(struct lines *lines, size_t kin_count)
{
	int64_t *first = must_allocate(kin_count, sizeof(*first));

	for (size_t i = 0; i < lines->count; i++) {
		int64_t *of = &first[lines->items[i].kin];

		if (!*of || lines->items[i].first < *of)
			*of = lines->items[i].first;
	}
	for (size_t i = 0; i < lines->count; i++)
		lines->items[i].first = first[lines->items[i].kin];
	free(first);
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = *(const struct line *const *)left,
			  *b = *(const struct line *const *)right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->kin != b->kin)
		return a->kin < b->kin ? -1 : 1;
	if (a->operation != b->operation)
		return a->operation < b->operation ? -1 : 1;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void make_row(const struct comparing *comparing, const struct line *line,
		     struct compared_row *row)
{
	const struct observed_kind *kind = &comparing->seen.kinds[line->kind];

	*row = (struct compared_row){
		.unit = kind->unit,
		.better = kind->better,
		.headline = line->headline,
		.cells = must_allocate(comparing->into->group_count, sizeof(*row->cells)),
	};
	memcpy(row->phase, comparing->seen.points[line->point].phase, sizeof(row->phase));
	memcpy(row->operation, kind->operation, sizeof(row->operation));
	memcpy(row->metric, kind->metric, sizeof(row->metric));
	kin_parameters(comparing, line->point, row);
}

static void add_section(struct comparison *into, const struct section *section, size_t first)
{
	struct compared_section *added;

	into->sections =
		must_resize(into->sections, into->section_count + 1, sizeof(*into->sections));
	added = &into->sections[into->section_count++];
	*added = (struct compared_section){
		.name = section ? section->name : NULL,
		.title = section ? section->title : NULL,
		.first = first,
		.count = section ? 0 : into->row_count,
		.tallies = must_allocate(into->group_count, sizeof(*added->tallies)),
	};
}

static void make_rows(const struct comparing *comparing, struct lines *lines)
{
	struct comparison *into = comparing->into;
	struct line **sorted = must_allocate(lines->count, sizeof(*sorted));

	for (size_t i = 0; i < lines->count; i++)
		sorted[i] = &lines->items[i];
	if (lines->count)
		qsort(sorted, lines->count, sizeof(struct line *), compare_lines);
	into->rows = must_allocate(lines->count, sizeof(*into->rows));
	into->row_count = lines->count;
	for (size_t i = 0; i < lines->count; i++) {
		sorted[i]->place = i;
		make_row(comparing, sorted[i], &into->rows[i]);
		if (!i || sorted[i]->section != sorted[i - 1]->section)
			add_section(into, &sections[sorted[i]->section], i);
		into->sections[into->section_count - 1].count++;
	}
	add_section(into, NULL, 0);
	free(sorted);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool counts(const struct comparing *comparing, const struct observed_value *value)
{
	const struct observed_measurement *measurement =
		&comparing->seen.measurements[value->measurement];

	return measurement->status == STATUS_OK && isfinite(value->value) &&
	       (!measurement->is_void || comparing->request->with_void);
}

static void excuse(struct comparing *comparing, size_t cell, const struct observed_value *value)
{
	if (!comparing->excused[cell])
		comparing->excused[cell] = comparing->seen.measurements[value->measurement].id;
	comparing->excused_count[cell]++;
}

/* The cell of each value, or SIZE_MAX for those that do not count; counts them by cell. */
static size_t *cells_of_values(struct comparing *comparing, const struct lines *lines)
{
	const struct observations *seen = &comparing->seen;
	size_t *cells = must_allocate(seen->value_count, sizeof(*cells));

	for (size_t i = 0; i < seen->value_count; i++) {
		int group = group_of(comparing, &seen->values[i]);
		size_t cell;

		cells[i] = SIZE_MAX;
		if (group < 0)
			continue;
		cell = lines->items[lines->line_of_value[i]].place * comparing->into->group_count +
		       (size_t)group;
		if (counts(comparing, &seen->values[i])) {
			cells[i] = cell;
			comparing->starts[cell + 1]++;
		} else {
			excuse(comparing, cell, &seen->values[i]);
		}
	}
	return cells;
}

static void place_values(struct comparing *comparing, const struct lines *lines)
{
	const struct observations *seen = &comparing->seen;
	size_t count = comparing->into->row_count * comparing->into->group_count;
	size_t *cells, *next = must_allocate(count + 1, sizeof(*next));

	comparing->starts = must_allocate(count + 1, sizeof(*comparing->starts));
	comparing->excused = must_allocate(count, sizeof(*comparing->excused));
	comparing->excused_count = must_allocate(count, sizeof(*comparing->excused_count));
	comparing->counted = must_allocate(seen->value_count, sizeof(*comparing->counted));
	cells = cells_of_values(comparing, lines);
	for (size_t i = 0; i < count; i++)
		next[i + 1] = comparing->starts[i + 1] += comparing->starts[i];
	for (size_t i = 0; i < seen->value_count; i++) {
		const struct observed_value *value = &seen->values[i];

		if (cells[i] != SIZE_MAX)
			comparing->counted[next[cells[i]]++] = (struct counted){
				.run = seen->measurements[value->measurement].run,
				.measurement = value->measurement,
				.value = value->value,
			};
	}
	free(cells);
	free(next);
}

int cells_make(struct comparing *comparing, struct err *err)
{
	struct lines lines = {0};

	lines_find(comparing, &lines);
	lines_align(&lines, comparing->kin_count);
	make_rows(comparing, &lines);
	place_values(comparing, &lines);
	for (size_t i = 0; i < comparing->kin_count; i++)
		free(lines.of_kin[i]);
	free(lines.of_kin);
	free(lines.line_of_value);
	free(lines.items);
	if (comparing->into->row_count)
		return 0;
	return err_set(err, ERR_USAGE, "these runs hold nothing to compare");
}

/* ---- gaps ------------------------------------------------------------------------------------ */

static bool is_percentile(const struct compared_row *row, double *q)
{
	const char *digits = row->metric + strlen("latency_p");
	char text[NAME_MAX_BYTES], *end;

	if (strncmp(row->metric, "latency_p", strlen("latency_p")) != 0)
		return false;
	snprintf(text, sizeof(text), "%s", digits);
	if (strchr(text, '_'))
		*strchr(text, '_') = '.';
	*q = strtod(text, &end) / 100;
	return !*end && *q > 0 && *q < 1;
}

static const char *why_no_value(const struct compared_row *row)
{
	double q;

	return is_percentile(row, &q) ? "fewer than ten samples lie beyond the percentile"
				      : "it was not recorded";
}

/* A cell without values says why; one with fewer than it might have says what was left out. */
static int explain(struct comparing *comparing, size_t row, size_t group, struct err *err)
{
	struct comparison *into = comparing->into;
	struct compared_cell *cell = &into->rows[row].cells[group];
	size_t index = row * into->group_count + group, left_out = comparing->excused_count[index];
	char text[1100];
	int code = 0;

	if (!left_out && cell->n)
		return 0;
	if (left_out)
		code = archive_excuse(comparing->archive, comparing->excused[index], text,
				      sizeof(text), err);
	else
		snprintf(text, sizeof(text), "no such measurement");
	if (code)
		return code;
	if (!*text)
		snprintf(text, sizeof(text), "%s", why_no_value(&into->rows[row]));
	cell->reason = cell->n ? must_format("%zu of %zu left out: %s", left_out,
					     left_out + cell->n, text)
			       : must_copy(text);
	return 0;
}

int cells_explain(struct comparing *comparing, struct err *err)
{
	int code = 0;

	for (size_t row = 0; !code && row < comparing->into->row_count; row++)
		for (size_t group = 0; !code && group < comparing->into->group_count; group++)
			code = explain(comparing, row, group, err);
	return code;
}

/* ---- percentiles ----------------------------------------------------------------------------- */

/* Cells whose percentiles are merged in one walk through the archive: so many that few walks are
 * needed, so few that their histograms fit in a cache. */
enum { BATCH_CELLS = 256 };

struct batch {
	struct histogram *merged;
	struct merge_wish *wishes;
	size_t wish_count, wish_room;
	struct {
		struct compared_cell *cell;
		size_t wanted;
		double q;
	} items[BATCH_CELLS];
	size_t found[BATCH_CELLS];
	size_t count;
};

static void batch_wish(struct batch *batch, struct merge_wish wish)
{
	if (batch->wish_count == batch->wish_room) {
		batch->wish_room = batch->wish_room ? 2 * batch->wish_room : 1024;
		batch->wishes =
			must_resize(batch->wishes, batch->wish_room, sizeof(*batch->wishes));
	}
	batch->wishes[batch->wish_count++] = wish;
}

/* What is to be merged for a cell: all that its measurements recorded. */
static void batch_add(struct comparing *comparing, struct batch *batch, size_t row, size_t group,
		      double q)
{
	struct compared_row *of = &comparing->into->rows[row];
	size_t index = row * comparing->into->group_count + group;
	size_t start = comparing->starts[index], count = comparing->starts[index + 1] - start;

	if (count < 2)
		return;
	histogram_init(&batch->merged[batch->count]);
	batch->found[batch->count] = 0;
	batch->items[batch->count].cell = &of->cells[group];
	batch->items[batch->count].wanted = count;
	batch->items[batch->count].q = q;
	for (size_t i = start; i < start + count; i++) {
		uint32_t measurement = comparing->counted[i].measurement;

		batch_wish(batch, (struct merge_wish){
					  .measurement_id =
						  comparing->seen.measurements[measurement].id,
					  .operation = of->operation,
					  .target = batch->count,
				  });
	}
	batch->count++;
}

/* Without all of its histograms, or with too few samples in them, a cell keeps the median of the
 * runs' own percentiles. */
static int batch_merge(struct comparing *comparing, struct batch *batch, struct err *err)
{
	int code = archive_merge_histograms(comparing->archive, batch->wishes, batch->wish_count,
					    batch->merged, batch->found, err);

	for (size_t i = 0; !code && i < batch->count; i++) {
		double percentile = histogram_percentile(&batch->merged[i], batch->items[i].q);

		if (batch->found[i] == batch->items[i].wanted && isfinite(percentile))
			batch->items[i].cell->median = percentile;
	}
	batch->count = 0;
	batch->wish_count = 0;
	return code;
}

int cells_merge_percentiles(struct comparing *comparing, struct err *err)
{
	struct batch *batch = must_allocate(1, sizeof(*batch));
	int code = 0;
	double q;

	batch->merged = must_allocate(BATCH_CELLS, sizeof(*batch->merged));
	for (size_t row = 0; !code && row < comparing->into->row_count; row++) {
		if (!is_percentile(&comparing->into->rows[row], &q))
			continue;
		for (size_t group = 0; !code && group < comparing->into->group_count; group++) {
			batch_add(comparing, batch, row, group, q);
			if (batch->count == BATCH_CELLS)
				code = batch_merge(comparing, batch, err);
		}
	}
	if (!code)
		code = batch_merge(comparing, batch, err);
	free(batch->merged);
	free(batch->wishes);
	free(batch);
	return code;
}
