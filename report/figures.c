/* SPDX-License-Identifier: MIT */
/*
 * figures.c - the tables of rates, latencies and own metrics of a section.
 *
 * A line is one operation of one entry. A figure the operation does not have is "-"; one it should
 * have and has not is "n/a", with the reason below the table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "must.h"
#include "stats.h"

enum { FIGURES_MAX = 8 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One column of figures. */
struct figure {
	const char *metric;
	bool whole; /* of the whole measurement: told beside its first operation */
};

/* The first column names the operation; the others hold the figures, in their order. */
struct figure_table {
	const char *name;
	const struct column *columns;
	const struct figure *figures;
	size_t count; /* of figures */
	bool failures; /* shows what was not measured, too */
};

#define OPERATION_COLUMN {.name = "operation", .title = "Operation", .left = true, .fold = true}
#define NUMBER_COLUMN(key, words, kind, direction) \
	{.name = key, .title = words, .unit = UNIT_##kind, .better = BETTER_##direction}

static const struct column rate_columns[] = {
	OPERATION_COLUMN,
	NUMBER_COLUMN("throughput", "Throughput", BYTES_PER_S, HIGHER),
	NUMBER_COLUMN("rate", "Rate", PER_S, HIGHER),
	NUMBER_COLUMN("cpu", "CPU", PERCENT, LOWER),
};
static const struct figure rate_figures[] = {{.metric = "throughput"}, {.metric = "rate"},
					     {.metric = "cpu", .whole = true}};
static const struct figure_table rates = {"rates", rate_columns, rate_figures,
					  COUNT_OF(rate_figures), true};

static const struct column cached_columns[] = {
	OPERATION_COLUMN,
	NUMBER_COLUMN("throughput_to_cache", "To cache", BYTES_PER_S, HIGHER),
	NUMBER_COLUMN("throughput", "To/from storage", BYTES_PER_S, HIGHER),
	NUMBER_COLUMN("rate", "Rate", PER_S, HIGHER),
	NUMBER_COLUMN("cpu", "CPU", PERCENT, LOWER),
};
static const struct figure cached_figures[] = {{.metric = "throughput_to_cache"},
					       {.metric = "throughput"},
					       {.metric = "rate"},
					       {.metric = "cpu", .whole = true}};
static const struct figure_table cached_rates = {"rates", cached_columns, cached_figures,
						 COUNT_OF(cached_figures), true};

static const struct column latency_columns[] = {
	OPERATION_COLUMN,
	NUMBER_COLUMN("latency_p50", "p50", NS, LOWER),
	NUMBER_COLUMN("latency_p95", "p95", NS, LOWER),
	NUMBER_COLUMN("latency_p99", "p99", NS, LOWER),
	NUMBER_COLUMN("latency_p99_9", "p99.9", NS, LOWER),
	NUMBER_COLUMN("latency_max", "max", NS, LOWER),
};
static const struct figure latency_figures[] = {{.metric = "latency_p50"},
						{.metric = "latency_p95"},
						{.metric = "latency_p99"},
						{.metric = "latency_p99_9"},
						{.metric = "latency_max"}};
static const struct figure_table latencies = {"latencies", latency_columns, latency_figures,
					      COUNT_OF(latency_figures), false};

/* ---- values ---------------------------------------------------------------------------------- */

/* What a line is made from. */
struct source {
	const struct entry *entry;
	const char *operation; /* NULL: nothing was measured */
	const struct measurement **usable;
	size_t count; /* of usable */
	bool first;   /* line of the entry */
};

static const struct metric_value *find_metric(const struct measurement *measurement,
					      const char *operation, const char *metric)
{
	for (size_t i = 0; i < measurement->metric_count; i++) {
		const struct metric_value *value = &measurement->metrics[i];

		if (!strcmp(value->operation, operation) && !strcmp(value->metric, metric))
			return value;
	}
	return NULL;
}

static bool has_metric(const struct source *source, const char *operation, const char *metric)
{
	for (size_t i = 0; i < source->count; i++)
		if (find_metric(source->usable[i], operation, metric))
			return true;
	return false;
}

static bool belongs(const struct source *source, const struct figure *figure)
{
	if (figure->whole)
		return source->first && (has_metric(source, "all", "cpu_user") ||
					 has_metric(source, "all", "cpu"));
	return has_metric(source, source->operation, figure->metric);
}

/* Some programs whose results were imported tell user and system time only together. */
static double cpu_percent(const struct measurement *measurement)
{
	double parts = measurement_value(measurement, "all", "cpu_user") +
		       measurement_value(measurement, "all", "cpu_system");

	return isfinite(parts) ? parts : measurement_value(measurement, "all", "cpu");
}

static double figure_value(const struct measurement *measurement, const char *operation,
			   const struct figure *figure)
{
	if (figure->whole)
		return cpu_percent(measurement);
	return measurement_value(measurement, operation, figure->metric);
}

static struct spread figure_spread(const struct source *source, const struct figure *figure)
{
	double *values = must_allocate(source->count, sizeof(*values));
	struct spread spread;

	for (size_t i = 0; i < source->count; i++)
		values[i] = figure_value(source->usable[i], source->operation, figure);
	spread = stats_spread(values, source->count);
	free(values);
	return spread;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static char *tagged_label(const struct source *source, const char *more)
{
	char *label = entry_label(source->entry, source->operation);
	const char *tags = source->entry->tags;
	char *tagged = must_format("%s%s%s%s%s", label, more, tags ? " [" : "", tags ? tags : "",
			       tags ? "]" : "");

	free(label);
	return tagged;
}

/* Why an entry without a usable measurement has no figures. */
static char *failure_reason(const struct entry *entry)
{
	const struct measurement *first = entry->first;
	char *label = entry_label(entry, NULL);
	char *reason = must_format("%s: %s%s%s", label, status_name(first->status),
			       *first->message ? ": " : "", first->message);

	free(label);
	return reason;
}

static void add_missing(struct table *table, const struct source *source,
			const struct figure_table *kind)
{
	char *label = tagged_label(source, ""), *reason = failure_reason(source->entry);

	table_row(table);
	table_text(table, 0, label);
	for (size_t i = 0; i < kind->count; i++)
		table_missing(table, i + 1, reason);
	free(reason);
	free(label);
}

/* A median of fewer runs than the others of its line would contradict them: p95 below p50. */
static bool is_complete(const struct source *source, const struct spread *spread)
{
	return spread->count && spread->count == source->count;
}

static void add_absent(struct table *table, size_t column, const struct source *source,
		       const char *metric, const struct spread *spread)
{
	char *label, *reason;

	if (!strncmp(metric, "latency_p", strlen("latency_p"))) {
		table_missing(table, column,
			      spread->count ? "in some runs fewer than ten samples lie beyond the "
					      "percentile"
					    : "fewer than ten samples lie beyond the percentile");
		return;
	}
	label = entry_label(source->entry, source->operation);
	reason = must_format("%s: %s was not recorded%s", label, metric,
			     spread->count ? " in all runs" : "");
	table_missing(table, column, reason);
	free(reason);
	free(label);
}

static double low_of(const struct spread *spread)
{
	return spread->low;
}

static double high_of(const struct spread *spread)
{
	return spread->high;
}

static double median_of(const struct spread *spread)
{
	return spread->median;
}

static enum unit unit_of(const struct figure *figure)
{
	return figure->whole ? UNIT_PERCENT : metric_find(figure->metric)->unit;
}

static void add_line(struct table *table, const struct source *source,
		     const struct figure_table *kind, const struct spread *spreads,
		     double (*pick)(const struct spread *), const char *label)
{
	table_row(table);
	table_text(table, 0, label);
	for (size_t i = 0; i < kind->count; i++) {
		const struct figure *figure = &kind->figures[i];

		if (!belongs(source, figure))
			continue;
		if (is_complete(source, &spreads[i]))
			table_number(table, i + 1, unit_of(figure), pick(&spreads[i]));
		else
			add_absent(table, i + 1, source, figure->metric, &spreads[i]);
	}
}

/* One line; of several runs the median, the lowest and the highest. */
static void add_operation(struct table *table, const struct entries *entries,
			  const struct source *source, const struct figure_table *kind)
{
	struct spread spreads[FIGURES_MAX];
	bool alone = entries->run_count > 1 && source->count == 1;
	char *label = tagged_label(source, alone ? ", one run" : ""), *low;

	for (size_t i = 0; i < kind->count; i++)
		spreads[i] = figure_spread(source, &kind->figures[i]);
	add_line(table, source, kind, spreads, median_of, label);
	if (source->count > 1) {
		low = must_format("  low of %zu runs", source->count);
		add_line(table, source, kind, spreads, low_of, low);
		add_line(table, source, kind, spreads, high_of, "  high");
		free(low);
	}
	free(label);
}

/* Whether the operation named by a metric is to have a line, told at its first metric. */
static bool starts_operation(const struct source *source, const struct figure_table *kind,
			     const struct measurement *measurement, size_t metric)
{
	const char *operation = measurement->metrics[metric].operation;

	for (size_t i = 0; i < metric; i++)
		if (!strcmp(measurement->metrics[i].operation, operation))
			return false;
	for (size_t i = 0; i < kind->count; i++)
		if (!kind->figures[i].whole &&
		    has_metric(source, operation, kind->figures[i].metric))
			return true;
	return false;
}

static void add_entry(struct table *table, const struct entries *entries, const struct entry *entry,
		      const struct figure_table *kind)
{
	const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
	struct source source = {.entry = entry, .usable = usable, .first = true};

	source.count = entry_usable(entry, usable);
	if (!source.count && kind->failures)
		add_missing(table, &source, kind);
	for (size_t i = 0; source.count && i < usable[0]->metric_count; i++) {
		if (!starts_operation(&source, kind, usable[0], i))
			continue;
		source.operation = usable[0]->metrics[i].operation;
		add_operation(table, entries, &source, kind);
		source.first = false;
	}
	free(usable);
}

static void add_table(struct document *document, const struct entries *entries,
		      const struct section *section, const struct figure_table *kind)
{
	struct table *table = document_table(document, NULL, kind->columns, kind->count + 1);

	section_caption(table, section, kind->name);
	for (size_t i = 0; i < entries->count; i++)
		if (entry_is_in(&entries->items[i], section))
			add_entry(table, entries, &entries->items[i], kind);
}

/* ---- what a phase counts beside the shared metrics ------------------------------------------- */

enum { OWN_OPERATION, OWN_METRIC, OWN_VALUE, OWN_LOW, OWN_HIGH, OWN_COLUMNS };

static const struct column own_columns[OWN_COLUMNS] = {
	[OWN_OPERATION] = OPERATION_COLUMN,
	[OWN_METRIC] = {.name = "metric", .title = "Metric", .left = true, .fold = true},
	[OWN_VALUE] = NUMBER_COLUMN("value", "Value", NONE, NEITHER),
	[OWN_LOW] = NUMBER_COLUMN("low", "Low", NONE, NEITHER),
	[OWN_HIGH] = NUMBER_COLUMN("high", "High", NONE, NEITHER),
};

static void add_own_metric(struct table *table, const struct source *source,
			   const struct metric_value *metric)
{
	const struct figure figure = {.metric = metric->metric};
	struct spread spread = figure_spread(source, &figure);
	bool whole = !strcmp(metric->operation, "all");
	char *label = entry_label(source->entry, whole ? NULL : metric->operation);

	table_row(table);
	table_text(table, OWN_OPERATION, label);
	table_text(table, OWN_METRIC, metric->metric);
	if (is_complete(source, &spread))
		table_number(table, OWN_VALUE, metric->unit, spread.median);
	else
		add_absent(table, OWN_VALUE, source, metric->metric, &spread);
	if (is_complete(source, &spread) && spread.count > 1) {
		table_number(table, OWN_LOW, metric->unit, spread.low);
		table_number(table, OWN_HIGH, metric->unit, spread.high);
	}
	free(label);
}

static void add_own_metrics(struct document *document, const struct entries *entries,
			    const struct section *section)
{
	struct table *table = document_table(document, NULL, own_columns, OWN_COLUMNS);

	section_caption(table, section, "other figures");
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
		struct source source = {.entry = entry, .usable = usable};

		source.count = entry_is_in(entry, section) ? entry_usable(entry, usable) : 0;
		for (size_t m = 0; source.count && m < usable[0]->metric_count; m++) {
			source.operation = usable[0]->metrics[m].operation;
			if (!metric_find(usable[0]->metrics[m].metric))
				add_own_metric(table, &source, &usable[0]->metrics[m]);
		}
		free(usable);
	}
}

static bool has_cached_writes(const struct entries *entries, const struct section *section)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct measurement *first = entries->items[i].first;

		if (section && !entry_is_in(&entries->items[i], section))
			continue;
		for (size_t m = 0; m < first->metric_count; m++)
			if (!strcmp(first->metrics[m].metric, "throughput_to_cache"))
				return true;
	}
	return false;
}

void figures_add(struct document *document, const struct entries *entries,
		 const struct section *section)
{
	add_table(document, entries, section,
		  has_cached_writes(entries, section) ? &cached_rates : &rates);
	add_table(document, entries, section, &latencies);
	add_own_metrics(document, entries, section);
}

static bool has_devices(const struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].first->device_count)
			return true;
	return false;
}

void figures_explain(struct document *document, const struct entries *entries)
{
	if (entries->run_count > 1)
		document_fact(document, "several runs",
			      "each figure is the median, low and high are the extremes; runs that "
			      "failed or are void in a point are left out of it");
	if (has_cached_writes(entries, NULL)) {
		document_fact(document, "To cache", "buffered writes, before the final sync");
		document_fact(document, "To/from storage",
			      "reads, and writes with the final sync and close in the clock");
	}
	document_fact(document, "Rate", "operations per second, in the same time as the bytes");
	document_fact(document, "CPU",
		      "the load's own, user and system, in percent of one CPU, for the whole "
		      "measurement");
	document_fact(document, "p50 to max",
		      "latency: so many percent of the operations took no longer");
	if (has_devices(entries))
		document_fact(document, "Device figures",
			      "what the device itself counted in the same time, of several runs "
			      "the median; Depth is the mean number of requests it held");
}
