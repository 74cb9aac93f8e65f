/* SPDX-License-Identifier: MIT */
/*
 * measurement.h - one point in one run, as plain data: what a run, an importer and the archive
 * all exchange. Strings in a measurement are its own; the lists grow by the add functions.
 */
#ifndef ASSAY_MEASUREMENT_H
#define ASSAY_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "histogram.h"
#include "metric.h"
#include "series.h"
#include "value.h"

enum { NAME_MAX_BYTES = 48 };

enum status { STATUS_OK, STATUS_FAILED, STATUS_SKIPPED };
enum severity { SEVERITY_NOTE, SEVERITY_DOUBT, SEVERITY_VOID };

struct parameter {
	char name[NAME_MAX_BYTES];
	struct value value;
};

struct metric_value {
	char operation[NAME_MAX_BYTES]; /* "all" for what belongs to the whole measurement */
	char metric[NAME_MAX_BYTES];
	enum unit unit;
	enum better better;
	bool headline;
	double value; /* NAN: there is none (no samples, or the measurement failed) */
};

struct latency_histogram {
	char operation[NAME_MAX_BYTES];
	struct histogram histogram;
};

/* One interval of one operation. The interval ends where the operation's next sample starts, or
 * with the measurement. */
struct sample {
	uint64_t at_ns; /* start of the interval since the start of the measurement */
	char operation[NAME_MAX_BYTES];
	uint64_t count, bytes;
	double latency_p99_ns; /* NAN: too few */
	double latency_max_ns; /* NAN: none */
};

/* What a block device under the target did during the timed part. */
struct device_use {
	char name[NAME_MAX_BYTES];
	uint64_t reads, read_bytes, writes, write_bytes;
	uint64_t flushes, busy_ns;
	uint64_t queue_ns; /* summed over requests: queue_ns / elapsed is the depth */
};

struct flag {
	char code[NAME_MAX_BYTES];
	enum severity severity;
	char message[400]; /* a sentence with its figures */
};

struct measurement {
	int64_t id; /* in the archive; 0 while it is not there */
	char phase[NAME_MAX_BYTES];
	enum status status;
	char message[1000]; /* why it failed or was skipped, or a remark; "" */
	char started_at[CLOCK_LABEL_MAX];
	uint64_t elapsed_ns; /* the timed part; 0 when it was not measured */

	struct parameter *parameters;
	size_t parameter_count;
	struct metric_value *metrics;
	size_t metric_count;
	struct latency_histogram *histograms;
	size_t histogram_count;
	struct sample *samples;
	size_t sample_count;
	struct device_use *devices;
	size_t device_count;
	struct flag *flags;
	size_t flag_count;
};

void measurement_init(struct measurement *measurement, const char *phase);
void measurement_release(struct measurement *measurement);

/* Each adds a zeroed item and returns it, valid until the next add of the same kind; memory that
 * cannot be had ends the program through abort(), since no measurement of worth follows. */
struct parameter *measurement_add_parameter(struct measurement *measurement, const char *name,
					    struct value value);
struct metric_value *measurement_add_metric(struct measurement *measurement, const char *operation,
					    const struct metric *metric, double value);
struct latency_histogram *measurement_add_histogram(struct measurement *measurement,
						    const char *operation);
struct sample *measurement_add_sample(struct measurement *measurement, const char *operation);
struct device_use *measurement_add_device(struct measurement *measurement, const char *name);

/* Raises a flag; one of a code is enough, a second of the same code is not added. */
__attribute__((format(printf, 4, 5)))
void measurement_flag(struct measurement *measurement, enum severity severity, const char *code,
		      const char *format, ...);

/* The value of a metric, or NAN when it is not there. */
double measurement_value(const struct measurement *measurement, const char *operation,
			 const char *metric);

const struct parameter *measurement_parameter(const struct measurement *measurement,
					      const char *name);

/* Whether two are of the same point: phase and parameters alike. */
bool measurement_same_point(const struct measurement *a, const struct measurement *b);

/* The metrics that follow from a histogram and a window: rate, throughput (when bytes is not
 * UINT64_MAX), latency_*, count and bytes, in the order of METRICS. A rate is NAN when nothing was
 * done or elapsed_ns is 0. */
void measurement_add_operation(struct measurement *measurement, const char *operation,
			       const struct histogram *histogram, uint64_t bytes,
			       uint64_t elapsed_ns);

/* Marks the metric as one a comparison judges; true if it was there. */
bool measurement_mark_headline(struct measurement *measurement, const char *operation,
			       const char *metric);

const char *status_name(enum status status);     /* "ok", "failed", "skipped" */
const char *severity_name(enum severity severity); /* "note", "doubt", "void" */
bool status_find(const char *name, enum status *status);
bool severity_find(const char *name, enum severity *severity);

#endif
