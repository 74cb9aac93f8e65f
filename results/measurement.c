/* SPDX-License-Identifier: MIT */
/*
 * measurement.c - the lists of a measurement and the metrics that follow from a histogram.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "measurement.h"

static void set_name(char name[NAME_MAX_BYTES], const char *text)
{
	snprintf(name, NAME_MAX_BYTES, "%s", text);
}

void measurement_init(struct measurement *measurement, const char *phase)
{
	memset(measurement, 0, sizeof(*measurement));
	set_name(measurement->phase, phase);
}

void measurement_release(struct measurement *measurement)
{
	free(measurement->parameters);
	free(measurement->metrics);
	free(measurement->histograms);
	free(measurement->samples);
	free(measurement->devices);
	free(measurement->flags);
	memset(measurement, 0, sizeof(*measurement));
}

struct parameter *measurement_add_parameter(struct measurement *measurement, const char *name,
					    struct value value)
{
	struct parameter *parameter =
		LIST_ADD(measurement->parameters, measurement->parameter_count);

	set_name(parameter->name, name);
	parameter->value = value;
	return parameter;
}

struct metric_value *measurement_add_metric(struct measurement *measurement, const char *operation,
					    const struct metric *metric, double value)
{
	struct metric_value *added = LIST_ADD(measurement->metrics, measurement->metric_count);

	set_name(added->operation, operation);
	set_name(added->metric, metric->name);
	added->unit = metric->unit;
	added->better = metric->better;
	added->value = value;
	return added;
}

struct latency_histogram *measurement_add_histogram(struct measurement *measurement,
						    const char *operation)
{
	struct latency_histogram *added =
		LIST_ADD(measurement->histograms, measurement->histogram_count);

	set_name(added->operation, operation);
	histogram_init(&added->histogram);
	return added;
}

struct sample *measurement_add_sample(struct measurement *measurement, const char *operation)
{
	struct sample *sample = LIST_ADD(measurement->samples, measurement->sample_count);

	set_name(sample->operation, operation);
	sample->latency_p99_ns = NAN;
	sample->latency_max_ns = NAN;
	return sample;
}

struct device_use *measurement_add_device(struct measurement *measurement, const char *name)
{
	struct device_use *device = LIST_ADD(measurement->devices, measurement->device_count);

	set_name(device->name, name);
	return device;
}

void measurement_flag(struct measurement *measurement, enum severity severity, const char *code,
		      const char *format, ...)
{
	struct flag *flag;
	va_list args;

	for (size_t i = 0; i < measurement->flag_count; i++)
		if (!strcmp(measurement->flags[i].code, code))
			return;
	flag = LIST_ADD(measurement->flags, measurement->flag_count);
	set_name(flag->code, code);
	flag->severity = severity;
	va_start(args, format);
	vsnprintf(flag->message, sizeof(flag->message), format, args);
	va_end(args);
}

static struct metric_value *find_metric(const struct measurement *measurement,
					const char *operation, const char *metric)
{
	for (size_t i = 0; i < measurement->metric_count; i++) {
		struct metric_value *each = &measurement->metrics[i];

		if (!strcmp(each->operation, operation) && !strcmp(each->metric, metric))
			return each;
	}
	return NULL;
}

double measurement_value(const struct measurement *measurement, const char *operation,
			 const char *metric)
{
	const struct metric_value *found = find_metric(measurement, operation, metric);

	return found ? found->value : NAN;
}

bool measurement_mark_headline(struct measurement *measurement, const char *operation,
			       const char *metric)
{
	struct metric_value *found = find_metric(measurement, operation, metric);

	if (found)
		found->headline = true;
	return found;
}

const struct parameter *measurement_parameter(const struct measurement *measurement,
					      const char *name)
{
	for (size_t i = 0; i < measurement->parameter_count; i++)
		if (!strcmp(measurement->parameters[i].name, name))
			return &measurement->parameters[i];
	return NULL;
}

bool measurement_same_point(const struct measurement *a, const struct measurement *b)
{
	if (strcmp(a->phase, b->phase) != 0 || a->parameter_count != b->parameter_count)
		return false;
	for (size_t i = 0; i < a->parameter_count; i++) {
		const struct parameter *other = measurement_parameter(b, a->parameters[i].name);

		if (!other || !value_equal(&a->parameters[i].value, &other->value))
			return false;
	}
	return true;
}

/* ---- what follows from a histogram and a window ---------------------------------------------- */

/* What the metrics of an operation are computed from. */
struct window {
	const struct histogram *histogram;
	uint64_t bytes, elapsed_ns;
};

static const double quantiles[METRIC_COUNT_OF] = {
	[METRIC_latency_p50] = 0.5,	[METRIC_latency_p90] = 0.9,
	[METRIC_latency_p95] = 0.95,	[METRIC_latency_p99] = 0.99,
	[METRIC_latency_p99_9] = 0.999, [METRIC_latency_p99_99] = 0.9999,
};

/* Nothing done in the window is no rate, rather than a rate of 0. */
static double per_second(uint64_t amount, uint64_t elapsed_ns)
{
	return amount && elapsed_ns ? (double)amount / ((double)elapsed_ns / NS_PER_S) : NAN;
}

/* The value of a metric; false when an operation has no such metric. */
static bool window_value(const struct window *window, enum metric_id id, double *value)
{
	const struct histogram *histogram = window->histogram;
	bool moves_bytes = window->bytes != UINT64_MAX;

	if (quantiles[id] > 0) {
		*value = histogram_percentile(histogram, quantiles[id]);
		return true;
	}
	switch (id) {
	case METRIC_rate:
		*value = per_second(histogram->count, window->elapsed_ns);
		return true;
	case METRIC_throughput:
		*value = per_second(window->bytes, window->elapsed_ns);
		return moves_bytes;
	case METRIC_latency_min:
		*value = histogram->count ? (double)histogram->min : NAN;
		return true;
	case METRIC_latency_mean:
		*value = histogram_mean(histogram);
		return true;
	case METRIC_latency_stddev:
		*value = histogram_stddev(histogram);
		return true;
	case METRIC_latency_max:
		*value = histogram->count ? (double)histogram->max : NAN;
		return true;
	case METRIC_count:
		*value = (double)histogram->count;
		return true;
	case METRIC_bytes:
		*value = (double)window->bytes;
		return moves_bytes;
	default:
		return false;
	}
}

void measurement_add_operation(struct measurement *measurement, const char *operation,
			       const struct histogram *histogram, uint64_t bytes,
			       uint64_t elapsed_ns)
{
	const struct window window = {histogram, bytes, elapsed_ns};
	double value;

	for (int id = 0; id < METRIC_COUNT_OF; id++)
		if (window_value(&window, (enum metric_id)id, &value))
			measurement_add_metric(measurement, operation, &shared_metrics[id], value);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const status_names[] = {
	[STATUS_OK] = "ok", [STATUS_FAILED] = "failed", [STATUS_SKIPPED] = "skipped"};
static const char *const severity_names[] = {
	[SEVERITY_NOTE] = "note", [SEVERITY_DOUBT] = "doubt", [SEVERITY_VOID] = "void"};

enum { NAMES_EACH = 3 };

const char *status_name(enum status status)
{
	return status_names[status];
}

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

/* The index of a name, or -1. */
static int find_name(const char *const names[NAMES_EACH], const char *name)
{
	for (int i = 0; i < NAMES_EACH; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

bool status_find(const char *name, enum status *status)
{
	int found = find_name(status_names, name);

	if (found >= 0)
		*status = (enum status)found;
	return found >= 0;
}

bool severity_find(const char *name, enum severity *severity)
{
	int found = find_name(severity_names, name);

	if (found >= 0)
		*severity = (enum severity)found;
	return found >= 0;
}
