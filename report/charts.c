/* SPDX-License-Identifier: MIT */
/*
 * charts.c - the charts of a run, or of the rounds of a series.
 *
 * A line is one operation of one entry. A phase with more lines than can be told apart has some of
 * them drawn, evenly spread over the battery's order, and says so; phases with few lines share a
 * chart.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "charts.h"
#include "must.h"
#include "stats.h"

enum {
	SAMPLES_LEAST = 8,  /* for a line over time */
	SAMPLES_MOST = 240, /* more of them are joined */
	DEPTHS_LEAST = 3,   /* for a line over depth */
	ROUNDS_LEAST = 5,   /* for a line over rounds */
	CURVE_STEPS = 12    /* points of a percentile curve for each 9 */
};

struct line {
	const struct entry *entry;
	const char *operation;
};

struct lines {
	struct line *items;
	size_t count;
	size_t all; /* how many there were before some were left out */
};

typedef bool (*line_fn)(const struct line *line);

/* ---- lines ----------------------------------------------------------------------------------- */

/* The measurements of the entry that ended well and are not void. */
static size_t sound(const struct entry *entry, const struct measurement **found)
{
	size_t count = entry_usable(entry, found);

	return count && !measurement_is_void(found[0]) ? count : 0;
}

static void add_line(struct lines *lines, const struct entry *entry, const char *operation)
{
	lines->items = must_resize(lines->items, lines->count + 1, sizeof(*lines->items));
	lines->items[lines->count++] = (struct line){entry, operation};
}

/* Whether a metric is the first of its operation; of the whole measurement there are no lines. */
static bool starts_operation(const struct measurement *measurement, size_t metric)
{
	const char *operation = measurement->metrics[metric].operation;

	for (size_t i = 0; i < metric; i++)
		if (!strcmp(measurement->metrics[i].operation, operation))
			return false;
	return strcmp(operation, "all") != 0;
}

/* Adds a line for each operation with a rate or a latency that has what the chart shows. */
static void add_operations(struct lines *lines, const struct entry *entry, line_fn has)
{
	const struct measurement **found = must_allocate(entry->count, sizeof(*found));
	size_t count = sound(entry, found);

	for (size_t i = 0; count && i < found[0]->metric_count; i++) {
		struct line line = {entry, found[0]->metrics[i].operation};

		if (starts_operation(found[0], i) && has(&line))
			add_line(lines, entry, line.operation);
	}
	free(found);
}

/* Leaves so many of them, the first and the last among these. */
static void thin_out(struct lines *lines, size_t most)
{
	lines->all = lines->count;
	if (lines->count <= most)
		return;
	for (size_t i = 0; i < most; i++)
		lines->items[i] = lines->items[i * (lines->count - 1) / (most - 1)];
	lines->count = most;
}

static struct lines lines_of(const struct entries *entries, const char *phase, line_fn has)
{
	struct lines lines = {0};

	for (size_t i = 0; i < entries->count; i++)
		if (!strcmp(entries->items[i].first->phase, phase))
			add_operations(&lines, &entries->items[i], has);
	thin_out(&lines, CHART_SERIES_MAX);
	return lines;
}

/* ---- packing phases into charts -------------------------------------------------------------- */

/* A chart to be, and what makes one of lines. */
struct pack {
	struct lines lines;
	struct writing phases; /* their names, "random, sequential" */
};

typedef void (*draw_fn)(struct document *document, const struct lines *lines, const char *phases);

static void pack_close(struct document *document, struct pack *pack, draw_fn draw)
{
	char *phases;

	if (!pack->lines.count)
		return;
	phases = writing_close(&pack->phases);
	draw(document, &pack->lines, phases);
	free(phases);
	free(pack->lines.items);
	*pack = (struct pack){0};
}

static void pack_add(struct pack *pack, const struct lines *lines, const char *phase)
{
	if (!pack->lines.count)
		writing_open(&pack->phases);
	fprintf(pack->phases.out, "%s%s", pack->lines.count ? ", " : "", phase);
	for (size_t i = 0; i < lines->count; i++)
		add_line(&pack->lines, lines->items[i].entry, lines->items[i].operation);
	pack->lines.all += lines->all;
}

/* Whether the entry is the first of its phase. */
static bool starts_phase(const struct entries *entries, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(entries->items[i].first->phase, entries->items[at].first->phase))
			return false;
	return true;
}

static void draw_packs(struct document *document, const struct entries *entries,
		       const struct section *section, line_fn has, draw_fn draw)
{
	struct pack pack = {0};

	for (size_t i = 0; i < entries->count; i++) {
		const char *phase = entries->items[i].first->phase;
		struct lines lines;

		if (!entry_is_in(&entries->items[i], section) || !starts_phase(entries, i))
			continue;
		lines = lines_of(entries, phase, has);
		if (pack.lines.count + lines.count > CHART_SERIES_MAX)
			pack_close(document, &pack, draw);
		if (lines.count)
			pack_add(&pack, &lines, phase);
		free(lines.items);
	}
	pack_close(document, &pack, draw);
}

static struct chart *start_chart(struct document *document, const struct lines *lines,
				 const char *what, const char *phases, const char *text)
{
	char *title = must_format("%s: %s", what, phases);
	char *words = lines->all == lines->count
			      ? must_copy(text)
			      : must_format("%s %zu of %zu lines are drawn; the tables have all.",
					    text, lines->count, lines->all);
	struct chart *chart = document_chart(document, CHART_LINES, title, words);

	free(words);
	free(title);
	return chart;
}

/* ---- how latencies are spread ---------------------------------------------------------------- */

static const struct {
	const char *metric;
	double fraction;
} percentiles[] = {{"latency_min", 0},      {"latency_p50", 0.5},   {"latency_p90", 0.9},
		   {"latency_p95", 0.95},   {"latency_p99", 0.99},  {"latency_p99_9", 0.999},
		   {"latency_p99_99", 0.9999}};
enum { PERCENTILE_COUNT = sizeof(percentiles) / sizeof(percentiles[0]) };

static const struct histogram *find_histogram(const struct measurement *measurement,
					      const char *operation)
{
	for (size_t i = 0; i < measurement->histogram_count; i++)
		if (!strcmp(measurement->histograms[i].operation, operation))
			return &measurement->histograms[i].histogram;
	return NULL;
}

/* The histograms of all sound runs as one, the caller's to free; NULL: there is none. */
static struct histogram *merged(const struct line *line)
{
	const struct measurement **found = must_allocate(line->entry->count, sizeof(*found));
	size_t count = sound(line->entry, found);
	struct histogram *all = must_allocate(1, sizeof(*all));

	histogram_init(all);
	for (size_t i = 0; i < count; i++) {
		const struct histogram *histogram = find_histogram(found[i], line->operation);

		if (histogram)
			histogram_merge(all, histogram);
	}
	free(found);
	if (all->count)
		return all;
	free(all);
	return NULL;
}

/* The matrix has its heat maps instead. */
static bool has_latencies(const struct line *line)
{
	size_t known = 0;

	if (!strcmp(line->entry->first->phase, "mixed"))
		return false;
	for (size_t i = 0; i < PERCENTILE_COUNT; i++)
		known += isfinite(
			entry_median(line->entry, line->operation, percentiles[i].metric));
	return known >= 2;
}

static void add_curve(struct chart *chart, const struct line *line)
{
	char *name = entry_label(line->entry, line->operation);
	struct chart_series *series = chart_series(chart, name);
	struct histogram *histogram = merged(line);

	for (size_t i = 0; !histogram && i < PERCENTILE_COUNT; i++)
		series_point(series, percentiles[i].fraction,
			     entry_median(line->entry, line->operation, percentiles[i].metric),
			     NULL);
	if (histogram)
		series_point(series, 0, (double)histogram->min, NULL);
	for (unsigned step = 1; histogram && step < 12 * CURVE_STEPS; step++) {
		double fraction = 1 - pow(10, -(double)step / CURVE_STEPS);

		series_point(series, fraction, histogram_percentile(histogram, fraction), NULL);
	}
	free(histogram);
	free(name);
}

static void draw_curves(struct document *document, const struct lines *lines, const char *phases)
{
	struct chart *chart =
		start_chart(document, lines, "Latency by percentile", phases,
			    "So many percent of the operations took no longer. A line ends where "
			    "fewer than ten operations lie beyond.");

	axis_set(&chart->x, "percent of the operations", UNIT_NONE, SCALE_TAIL);
	axis_set(&chart->y, "latency", UNIT_NS, SCALE_LOG);
	for (size_t i = 0; i < lines->count; i++)
		add_curve(chart, &lines->items[i]);
}

/* ---- from second to second ------------------------------------------------------------------- */

static size_t count_samples(const struct measurement *measurement, const char *operation)
{
	size_t count = 0;

	for (size_t i = 0; i < measurement->sample_count; i++)
		count += !strcmp(measurement->samples[i].operation, operation);
	return count;
}

/* The run that stands for all: the one in the middle by rate, of two the slower. */
static const struct measurement *middle_run(const struct line *line)
{
	const struct measurement **found = must_allocate(line->entry->count, sizeof(*found));
	size_t count = sound(line->entry, found), slower;
	const struct measurement *middle = NULL;

	for (size_t i = 0; !middle && i < count; i++) {
		double rate = measurement_value(found[i], line->operation, "rate");

		slower = 0;
		for (size_t j = 0; j < count; j++) {
			double other = measurement_value(found[j], line->operation, "rate");

			slower += other < rate || (other == rate && j < i);
		}
		if (slower == (count - 1) / 2)
			middle = found[i];
	}
	free(found);
	return middle;
}

static bool has_samples(const struct line *line)
{
	const struct measurement *middle = middle_run(line);

	return middle && count_samples(middle, line->operation) >= SAMPLES_LEAST;
}

static char *line_name(const struct line *line, const struct measurement *measurement)
{
	char *label = entry_label(line->entry, line->operation), *name;
	unsigned round = 0;

	for (size_t i = 0; i < line->entry->count; i++)
		if (line->entry->items[i].measurement == measurement)
			round = line->entry->items[i].run->run.round;
	if (line->entry->count < 2)
		return label;
	name = must_format("%s, round %u", label, round);
	free(label);
	return name;
}

/* Some neighbouring samples of an operation as one. */
struct stretch {
	uint64_t start_ns, end_ns, count;
	double worst_ns;
	size_t samples;
};

static void add_stretch(struct chart_series *series, const struct stretch *stretch, bool rate)
{
	double seconds = (double)(stretch->end_ns - stretch->start_ns) / NS_PER_S;
	double middle = (double)(stretch->start_ns + stretch->end_ns) / 2 / NS_PER_S;

	if (stretch->end_ns > stretch->start_ns)
		series_point(series, middle,
			     rate ? (double)stretch->count / seconds : stretch->worst_ns, NULL);
}

static uint64_t sample_end(const struct measurement *measurement, size_t at)
{
	const char *operation = measurement->samples[at].operation;

	for (size_t i = at + 1; i < measurement->sample_count; i++)
		if (!strcmp(measurement->samples[i].operation, operation))
			return measurement->samples[i].at_ns;
	return measurement->elapsed_ns;
}

/* The last sample of a measurement may be of a fraction of a second: too little to tell a rate. */
static bool is_stub(const struct measurement *measurement, size_t at)
{
	const struct sample *sample = &measurement->samples[at];
	uint64_t end_ns = sample_end(measurement, at);

	return at && (end_ns < sample->at_ns ||
		      end_ns - sample->at_ns < NS_PER_S / 2);
}

static void add_course(struct chart *chart, const struct line *line, bool rate)
{
	const struct measurement *measurement = middle_run(line);
	char *name = line_name(line, measurement);
	struct chart_series *series = chart_series(chart, name);
	size_t count = count_samples(measurement, line->operation);
	size_t each = (count + SAMPLES_MOST - 1) / SAMPLES_MOST;
	struct stretch stretch = {.worst_ns = NAN};

	for (size_t i = 0; i < measurement->sample_count; i++) {
		const struct sample *sample = &measurement->samples[i];

		if (strcmp(sample->operation, line->operation) != 0 || is_stub(measurement, i))
			continue;
		if (!stretch.samples)
			stretch = (struct stretch){.start_ns = sample->at_ns, .worst_ns = NAN};
		stretch.end_ns = sample_end(measurement, i);
		stretch.count += sample->count;
		stretch.worst_ns = fmax(stretch.worst_ns, sample->latency_max_ns);
		if (++stretch.samples == each) {
			add_stretch(series, &stretch, rate);
			stretch.samples = 0;
		}
	}
	free(name);
}

/* Rates that differ much do not share a linear scale. */
static bool is_far_apart(const struct lines *lines)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->items[i];
		double rate = entry_median(line->entry, line->operation, "rate");

		low = fmin(low, rate);
		high = fmax(high, rate);
	}
	return high > 10 * low;
}

static void draw_courses(struct document *document, const struct lines *lines, const char *phases)
{
	struct chart *chart = start_chart(document, lines, "Rate over time", phases,
					  "Operations completed in each second.");

	axis_set(&chart->x, "seconds", UNIT_NONE, SCALE_LINEAR);
	axis_set(&chart->y, "operations per second", UNIT_PER_S,
		 is_far_apart(lines) ? SCALE_LOG : SCALE_LINEAR);
	for (size_t i = 0; i < lines->count; i++)
		add_course(chart, &lines->items[i], true);
	chart = start_chart(document, lines, "Worst latency over time", phases,
			    "The longest operation of each second.");
	axis_set(&chart->x, "seconds", UNIT_NONE, SCALE_LINEAR);
	axis_set(&chart->y, "longest operation", UNIT_NS, SCALE_LOG);
	for (size_t i = 0; i < lines->count; i++)
		add_course(chart, &lines->items[i], false);
}

/* ---- over depth ------------------------------------------------------------------------------ */

/* Lines that differ in the depth alone: the points of one curve. */
struct ramp {
	struct line *points; /* in the order of depth */
	size_t count;
	char *name;
};

static bool has_rate(const struct line *line)
{
	return isfinite(entry_median(line->entry, line->operation, "rate")) &&
	       isfinite(entry_median(line->entry, line->operation, "latency_mean"));
}

/* Short measurements have no p99. */
static bool have_p99(const struct ramp *ramps, size_t count)
{
	for (size_t r = 0; r < count; r++)
		for (size_t i = 0; i < ramps[r].count; i++)
			if (isnan(entry_median(ramps[r].points[i].entry,
					       ramps[r].points[i].operation, "latency_p99")))
				return false;
	return true;
}

static uint64_t depth_of(const struct entry *entry, const char *depth)
{
	const struct parameter *parameter = measurement_parameter(entry->first, depth);

	return parameter && parameter->value.kind == VALUE_NUMBER ? parameter->value.number : 0;
}

static void ramp_add(struct ramp *ramp, const struct line *line, const char *depth)
{
	size_t at = ramp->count;

	ramp->points = must_resize(ramp->points, ramp->count + 1, sizeof(*ramp->points));
	for (; at > 0 && depth_of(ramp->points[at - 1].entry, depth) > depth_of(line->entry, depth);
	     at--)
		ramp->points[at] = ramp->points[at - 1];
	ramp->points[at] = *line;
	ramp->count++;
}

static void release_ramps(struct ramp *ramps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(ramps[i].points);
		free(ramps[i].name);
	}
	free(ramps);
}

/* Lines whose labels agree but for some parameters become one ramp. */
static size_t group_ramps(const struct lines *lines, const char *const without[],
			  struct ramp **ramps)
{
	size_t count = 0;

	*ramps = must_allocate(lines->count, sizeof(**ramps));
	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->items[i];
		char *name = entry_label_without(line->entry, line->operation, without);
		size_t r = 0;

		while (r < count && strcmp((*ramps)[r].name, name) != 0)
			r++;
		if (r == count)
			(*ramps)[count++] = (struct ramp){.name = must_copy(name)};
		ramp_add(&(*ramps)[r], line, without[0]);
		free(name);
	}
	return count;
}

static bool has_depth_twice(const struct ramp *ramps, size_t count, const char *depth)
{
	for (size_t r = 0; r < count; r++)
		for (size_t i = 1; i < ramps[r].count; i++)
			if (depth_of(ramps[r].points[i - 1].entry, depth) ==
			    depth_of(ramps[r].points[i].entry, depth))
				return true;
	return false;
}

/* The ramps of a phase that have points enough. An engine chosen by depth does not part them. */
static size_t find_ramps(const struct lines *lines, const char *depth, struct ramp **ramps)
{
	size_t count = group_ramps(lines, (const char *const[]){depth, "engine", NULL}, ramps);
	size_t kept = 0;

	if (has_depth_twice(*ramps, count, depth)) {
		release_ramps(*ramps, count);
		count = group_ramps(lines, (const char *const[]){depth, NULL}, ramps);
	}
	for (size_t r = 0; r < count; r++) {
		struct ramp ramp = (*ramps)[r];

		if (ramp.count >= DEPTHS_LEAST && kept < CHART_SERIES_MAX) {
			(*ramps)[kept++] = ramp;
			continue;
		}
		free(ramp.points);
		free(ramp.name);
	}
	return kept;
}

static void add_ramp(struct chart *chart, const struct ramp *ramp, const char *depth,
		     const char *metric, const char *suffix)
{
	char *name = must_format("%s%s", ramp->name, suffix);
	struct chart_series *series = chart_series(chart, name);
	char label[24];

	for (size_t i = 0; i < ramp->count; i++) {
		const struct line *point = &ramp->points[i];

		snprintf(label, sizeof(label), "%" PRIu64, depth_of(point->entry, depth));
		series_point(series, entry_median(point->entry, point->operation, "rate"),
			     entry_median(point->entry, point->operation, metric), label);
	}
	free(name);
}

static void draw_ramps(struct document *document, const struct ramp *ramps, size_t count,
		       const char *phase, const char *depth)
{
	char *title = must_format("IOPS against latency: %s", phase);
	char *text = must_format("Each point is one %s, whose number stands beside it.", depth);
	struct chart *chart = document_chart(document, CHART_LINES, title, text);
	bool p99 = have_p99(ramps, count), both = p99 && count == 1;

	axis_set(&chart->x, "operations per second", UNIT_PER_S, SCALE_LINEAR);
	axis_set(&chart->y, both ? "latency" : p99 ? "p99 latency" : "mean latency", UNIT_NS,
		 SCALE_LOG);
	for (size_t i = 0; i < count; i++)
		add_ramp(chart, &ramps[i], depth, p99 ? "latency_p99" : "latency_mean",
			 both ? ", p99" : "");
	if (both)
		add_ramp(chart, &ramps[0], depth, "latency_mean", ", mean");
	free(text);
	free(title);
}

static void draw_depth(struct document *document, const struct entries *entries, const char *phase,
		       const char *depth)
{
	struct lines lines = {0};
	struct ramp *ramps;
	size_t count;

	for (size_t i = 0; i < entries->count; i++)
		if (!strcmp(entries->items[i].first->phase, phase) &&
		    depth_of(&entries->items[i], depth))
			add_operations(&lines, &entries->items[i], has_rate);
	count = find_ramps(&lines, depth, &ramps);
	if (count)
		draw_ramps(document, ramps, count, phase, depth);
	release_ramps(ramps, count);
	free(lines.items);
}

static void draw_depths(struct document *document, const struct entries *entries,
			const struct section *section)
{
	static const char *const depths[][2] = {
		{"sequential", "queue_depth"}, {"sequential", "jobs"}, {"random", "queue_depth"},
		{"random", "jobs"},	       {"oltp", "num_small"},  {"dss", "num_large"},
		{"wal_commit", "clients"},     {"wal_mixed", "clients"},
		{"sqlite_txn", "clients"}};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		if (section_of(depths[i][0]) == section)
			draw_depth(document, entries, depths[i][0], depths[i][1]);
}

/* ---- from round to round --------------------------------------------------------------------- */

static double rate_in(const struct line *line, size_t round)
{
	return measurement_value(line->entry->items[round].measurement, line->operation, "rate");
}

static bool has_rounds(const struct line *line)
{
	return line->entry->count >= ROUNDS_LEAST &&
	       entry_median(line->entry, line->operation, "rate") > 0;
}

/* Of all its rounds, those whose figures do not count too: a line with a gap would hide them. */
static void add_rounds(struct chart *chart, const struct line *line)
{
	double median = entry_median(line->entry, line->operation, "rate");
	char *name = entry_label(line->entry, line->operation);
	struct chart_series *series = chart_series(chart, name);

	for (size_t i = 0; i < line->entry->count; i++)
		series_point(series, line->entry->items[i].run->run.round,
			     100 * rate_in(line, i) / median, NULL);
	free(name);
}

static void draw_rounds(struct document *document, const struct lines *lines, const char *phases)
{
	struct chart *chart =
		start_chart(document, lines, "Rate from round to round", phases,
			    "The rate of each round in percent of the median of all.");

	axis_set(&chart->x, "round", UNIT_NONE, SCALE_LINEAR);
	axis_set(&chart->y, "percent of the median rate", UNIT_NONE, SCALE_LINEAR);
	for (size_t i = 0; i < lines->count; i++)
		add_rounds(chart, &lines->items[i]);
}

void charts_add_rounds(struct document *document, const struct entries *entries,
		       const struct section *section)
{
	draw_packs(document, entries, section, has_rounds, draw_rounds);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void add_row(struct chart *chart, const struct matrix_view *view, size_t large)
{
	char name[24];
	struct chart_series *series;

	snprintf(name, sizeof(name), "%" PRIu64, view->larges[large]);
	series = chart_series(chart, name);
	for (size_t small = 0; small < view->small_count; small++) {
		const struct entry *entry = matrix_view_at(view, large, small);

		if (entry)
			series_point(series, (double)small,
				     entry_median(entry, view->figure->operation,
						  view->figure->metric),
				     NULL);
	}
}

/* "The stronger the colour, the more: from 5.70 k/s to 74.1 k/s." */
static char *tell_shades(const struct matrix_view *view)
{
	enum unit unit = metric_find(view->figure->metric)->unit;
	char low_text[UNIT_TEXT_MAX], high_text[UNIT_TEXT_MAX];
	double low = NAN, high = NAN;

	for (size_t large = 0; large < view->large_count; large++) {
		for (size_t small = 0; small < view->small_count; small++) {
			const struct entry *entry = matrix_view_at(view, large, small);
			double value = entry ? entry_median(entry, view->figure->operation,
							    view->figure->metric)
					     : NAN;

			low = fmin(low, value);
			high = fmax(high, value);
		}
	}
	return must_format("The stronger the colour, the more: from %s to %s.",
			   unit_format(low_text, unit, low), unit_format(high_text, unit, high));
}

static void draw_view(struct document *document, const struct matrix_view *view)
{
	char *title = matrix_view_title(view), *text = tell_shades(view);
	struct chart *chart = document_chart(document, CHART_HEAT, title, text);
	char name[24];

	axis_set(&chart->x, "small requests outstanding", UNIT_NONE, SCALE_LINEAR);
	axis_set(&chart->y, "large", metric_find(view->figure->metric)->unit, SCALE_LINEAR);
	for (size_t small = 0; small < view->small_count; small++) {
		snprintf(name, sizeof(name), "%" PRIu64, view->smalls[small]);
		chart_category(chart, name);
	}
	for (size_t large = 0; large < view->large_count; large++)
		add_row(chart, view, large);
	free(text);
	free(title);
}

void charts_add_matrices(struct document *document, const struct matrices *matrices)
{
	for (size_t i = 0; i < matrices->count; i++) {
		for (const struct matrix_figure *figure = matrix_figures; figure->operation;
		     figure++) {
			struct matrix_view view;

			matrix_view_init(&view, &matrices->items[i], figure);
			if (view.small_count > 1 && view.large_count > 1)
				draw_view(document, &view);
			matrix_view_release(&view);
		}
	}
}

void charts_add(struct document *document, const struct entries *entries,
		const struct section *section)
{
	draw_depths(document, entries, section);
	draw_packs(document, entries, section, has_latencies, draw_curves);
	draw_packs(document, entries, section, has_samples, draw_courses);
}
