/* SPDX-License-Identifier: MIT */
/*
 * export.c - archived runs as documents of DESIGN section 14.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "export.h"
#include "json.h"

_Static_assert(HISTOGRAM_SUB_BITS == 6 && HISTOGRAM_MAX_BITS == 46,
	       "EXPORT_HISTOGRAM_SCHEME names other buckets");

static void member_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

/* What a plain array keeps as "" is absent. */
static void member_array(struct json *json, const char *key, const char *text)
{
	member_text(json, key, *text ? text : NULL);
}

static void member_unsigned(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_unsigned(json, number);
}

static void member_real(struct json *json, const char *key, double number)
{
	json_key(json, key);
	json_real(json, number);
}

/* An id, or what else is absent when 0. */
static void member_unless_zero(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	if (number)
		json_unsigned(json, number);
	else
		json_null(json);
}

/* ---- the run ---- */

static void write_fact_items(struct json *json, const struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		json_key(json, facts->items[i].name);
		json_fact(json, &facts->items[i]);
	}
}

/* The document has no place of its own for the target: it stands among the facts. */
static void write_environment(struct json *json, const struct run *run)
{
	json_key(json, "facts");
	json_object_open(json, true);
	if (run->target && !facts_find(&run->facts, "target"))
		member_text(json, "target", run->target);
	write_fact_items(json, &run->facts);
	json_object_close(json);
	json_key(json, "tags");
	json_object_open(json, true);
	write_fact_items(json, &run->tags);
	json_object_close(json);
}

static void write_notes(struct json *json, const struct run *run)
{
	json_key(json, "notes");
	json_array_open(json, true);
	for (size_t i = 0; i < run->note_count; i++) {
		json_object_open(json, false);
		member_array(json, "at", run->notes[i].at);
		member_text(json, "text", run->notes[i].text);
		json_object_close(json);
	}
	json_array_close(json);
}

static void write_run(struct json *json, const struct run *run)
{
	json_key(json, "run");
	json_object_open(json, true);
	member_unless_zero(json, "id", (uint64_t)run->id);
	member_text(json, "uuid", run->uuid);
	member_array(json, "series", run->series);
	member_unsigned(json, "round", run->round);
	member_text(json, "source", run->source);
	member_text(json, "version", run->version);
	member_text(json, "status", run->status);
	member_text(json, "label", run->label);
	member_text(json, "profile", run->profile);
	json_key(json, "seed");
	if (run_has_seed(run))
		json_unsigned(json, run->seed);
	else
		json_null(json);
	member_text(json, "command", run->command);
	member_array(json, "started_at", run->started_at);
	member_array(json, "finished_at", run->finished_at);
	write_environment(json, run);
	write_notes(json, run);
	json_object_close(json);
}

/* ---- its measurements ---- */

static void write_parameters(struct json *json, const struct measurement *measurement)
{
	json_key(json, "parameters");
	json_object_open(json, false);
	for (size_t i = 0; i < measurement->parameter_count; i++) {
		json_key(json, measurement->parameters[i].name);
		json_value(json, &measurement->parameters[i].value);
	}
	json_object_close(json);
}

static void write_flag(struct json *json, const void *item)
{
	const struct flag *flag = item;

	member_text(json, "code", flag->code);
	member_text(json, "severity", severity_name(flag->severity));
	member_text(json, "message", flag->message);
}

static void write_metric(struct json *json, const void *item)
{
	const struct metric_value *value = item;

	member_text(json, "operation", value->operation);
	member_text(json, "metric", value->metric);
	member_real(json, "value", value->value);
	member_text(json, "unit", unit_name(value->unit));
	member_text(json, "better", better_name(value->better));
	json_key(json, "headline");
	json_bool(json, value->headline);
}

static void write_device(struct json *json, const void *item)
{
	const struct device_use *device = item;

	member_text(json, "name", device->name);
	member_unsigned(json, "reads", device->reads);
	member_unsigned(json, "read_bytes", device->read_bytes);
	member_unsigned(json, "writes", device->writes);
	member_unsigned(json, "write_bytes", device->write_bytes);
	member_unsigned(json, "flushes", device->flushes);
	member_unsigned(json, "busy_ns", device->busy_ns);
	member_unsigned(json, "queue_ns", device->queue_ns);
}

static void write_sample(struct json *json, const void *item)
{
	const struct sample *sample = item;

	member_unsigned(json, "at_ns", sample->at_ns);
	member_text(json, "operation", sample->operation);
	member_unsigned(json, "count", sample->count);
	member_unsigned(json, "bytes", sample->bytes);
	member_real(json, "latency_p99", sample->latency_p99_ns);
	member_real(json, "latency_max", sample->latency_max_ns);
}

static void write_buckets(struct json *json, const struct histogram *histogram)
{
	json_key(json, "buckets");
	json_array_open(json, false);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->buckets[i])
			continue;
		json_array_open(json, false);
		json_unsigned(json, histogram_bucket_low(i));
		json_unsigned(json, histogram->buckets[i]);
		json_array_close(json);
	}
	json_array_close(json);
}

/* 128 bits in decimal: at most 39 digits. */
static void member_wide(struct json *json, const char *key, uint128 number)
{
	char text[40];
	char *digit = text + sizeof(text) - 1;

	*digit = '\0';
	do
		*--digit = (char)('0' + (int)(number % 10));
	while (number /= 10);
	member_text(json, key, digit);
}

static void write_histogram(struct json *json, const void *item)
{
	const struct latency_histogram *latency = item;
	const struct histogram *histogram = &latency->histogram;

	member_text(json, "operation", latency->operation);
	member_text(json, "scheme", EXPORT_HISTOGRAM_SCHEME);
	member_unsigned(json, "count", histogram->count);
	if (histogram->count) {
		member_unsigned(json, "min_ns", histogram->min);
		member_unsigned(json, "max_ns", histogram->max);
	} else {
		member_text(json, "min_ns", NULL);
		member_text(json, "max_ns", NULL);
	}
	member_unsigned(json, "sum_ns", histogram->sum);
	member_wide(json, "sum_squares", histogram->sum_squares);
	write_buckets(json, histogram);
}

/* A list of objects, one a line. */
static void write_list(struct json *json, const char *key,
		       void (*write)(struct json *, const void *), const void *items, size_t count,
		       size_t item_bytes)
{
	json_key(json, key);
	json_array_open(json, true);
	for (size_t i = 0; i < count; i++) {
		json_object_open(json, false);
		write(json, (const char *)items + i * item_bytes);
		json_object_close(json);
	}
	json_array_close(json);
}

static void write_measurement(struct json *json, const struct measurement *m, bool with_histograms)
{
	json_object_open(json, true);
	member_unless_zero(json, "id", (uint64_t)m->id);
	member_text(json, "phase", m->phase);
	write_parameters(json, m);
	member_text(json, "status", status_name(m->status));
	member_array(json, "message", m->message);
	member_array(json, "started_at", m->started_at);
	member_unless_zero(json, "elapsed_ns", m->elapsed_ns);
	write_list(json, "flags", write_flag, m->flags, m->flag_count, sizeof(*m->flags));
	write_list(json, "metrics", write_metric, m->metrics, m->metric_count, sizeof(*m->metrics));
	write_list(json, "devices", write_device, m->devices, m->device_count, sizeof(*m->devices));
	write_list(json, "samples", write_sample, m->samples, m->sample_count, sizeof(*m->samples));
	if (with_histograms)
		write_list(json, "histograms", write_histogram, m->histograms, m->histogram_count,
			   sizeof(*m->histograms));
	json_object_close(json);
}

void export_json(FILE *out, const struct archived_run *archived, bool with_histograms)
{
	struct json json;

	json_init(&json, out);
	json_object_open(&json, true);
	member_text(&json, "assay", ASSAY_VERSION);
	member_unsigned(&json, "schema", EXPORT_SCHEMA);
	write_run(&json, &archived->run);
	json_key(&json, "measurements");
	json_array_open(&json, true);
	for (size_t i = 0; i < archived->measurement_count; i++)
		write_measurement(&json, &archived->measurements[i], with_histograms);
	json_array_close(&json);
	json_object_close(&json);
	json_end(&json);
}
