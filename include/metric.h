/* SPDX-License-Identifier: MIT */
/*
 * metric.h - the metrics that every phase shares, with unit and direction. A phase's own
 * (records per flush, ...) are declared in the phase in the same form.
 */
#ifndef ASSAY_METRIC_H
#define ASSAY_METRIC_H

#include "units.h"

enum better { BETTER_NEITHER, BETTER_HIGHER, BETTER_LOWER };

struct metric {
	const char *name;
	enum unit unit;
	enum better better;
	const char *help;
};

/* X(name, unit, better, help): the order is the order of reports. */
#define METRICS(X)                                                                                 \
	X(rate, UNIT_PER_S, BETTER_HIGHER, "operations completed per second")                      \
	X(throughput, UNIT_BYTES_PER_S, BETTER_HIGHER, "bytes per second, with sync and close")    \
	X(throughput_to_cache, UNIT_BYTES_PER_S, BETTER_HIGHER, "bytes per second before sync") \
	X(latency_min, UNIT_NS, BETTER_LOWER, "shortest operation")                                \
	X(latency_mean, UNIT_NS, BETTER_LOWER, "arithmetic mean")                                  \
	X(latency_stddev, UNIT_NS, BETTER_LOWER, "standard deviation")                             \
	X(latency_p50, UNIT_NS, BETTER_LOWER, "median")                                            \
	X(latency_p90, UNIT_NS, BETTER_LOWER, "90th percentile")                                   \
	X(latency_p95, UNIT_NS, BETTER_LOWER, "95th percentile")                                   \
	X(latency_p99, UNIT_NS, BETTER_LOWER, "99th percentile")                                   \
	X(latency_p99_9, UNIT_NS, BETTER_LOWER, "99.9th percentile")                               \
	X(latency_p99_99, UNIT_NS, BETTER_LOWER, "99.99th percentile")                             \
	X(latency_max, UNIT_NS, BETTER_LOWER, "longest operation")                                 \
	X(latency_submit, UNIT_NS, BETTER_LOWER, "mean time inside the submitting call")           \
	X(count, UNIT_COUNT, BETTER_NEITHER, "operations counted")                                 \
	X(bytes, UNIT_BYTES, BETTER_NEITHER, "bytes counted")                                      \
	X(cpu_user, UNIT_PERCENT, BETTER_LOWER, "the load's own user time")                        \
	X(cpu_system, UNIT_PERCENT, BETTER_LOWER, "the load's own system time")                    \
	X(cpu, UNIT_PERCENT, BETTER_LOWER, "the load's own user and system time together")         \
	X(cpu_busy, UNIT_PERCENT, BETTER_NEITHER, "the whole machine's busy time, of one CPU")     \
	X(cpu_iowait, UNIT_PERCENT, BETTER_NEITHER, "the whole machine's I/O wait, of one CPU")    \
	X(cpu_steal, UNIT_PERCENT, BETTER_NEITHER, "time the hypervisor took, of one CPU")         \
	X(queue_depth, UNIT_NONE, BETTER_NEITHER, "mean requests the suite kept in flight")        \
	X(device_queue_depth, UNIT_NONE, BETTER_NEITHER, "mean requests the device held")          \
	X(pressure_cpu, UNIT_PERCENT, BETTER_NEITHER, "time something waited for a CPU")           \
	X(pressure_io, UNIT_PERCENT, BETTER_NEITHER, "time something waited for I/O")              \
	X(pressure_memory, UNIT_PERCENT, BETTER_NEITHER, "time something waited for memory")

enum metric_id {
#define METRIC_ID(name, unit, better, help) METRIC_##name,
	METRICS(METRIC_ID)
#undef METRIC_ID
	METRIC_COUNT_OF
};

/* The shared metrics by their id, which is the order of METRICS. */
extern const struct metric shared_metrics[METRIC_COUNT_OF];

/* The shared metric of that name, or NULL. */
const struct metric *metric_find(const char *name);

/* "higher", "lower" or NULL. */
const char *better_name(enum better better);

/* The direction an export names; BETTER_NEITHER for anything unknown or NULL. */
enum better better_find(const char *name);

#endif
