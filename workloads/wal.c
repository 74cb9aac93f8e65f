/* SPDX-License-Identifier: MIT */
/*
 * wal.c - see wal.h.
 */
#include "wal.h"

#include <math.h>

const struct param param_clients = {
	.name = "clients",
	.help = "clients committing at once",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1024,
};

const struct param param_record_size = {
	.name = "record_size",
	.help = "bytes that a commit appends to the log, its header of 24 apart",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 16,
	.max = 1 << 20,
};

const struct param param_write_unit = {
	.name = "write_unit",
	.help = "what the log is written in: the unfilled tail is padded and rewritten",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 512,
	.max = 1 << 20,
};

static const char *const segment_choices[] = {
	[LOG_RECYCLED] = "recycled", [LOG_ZEROED] = "zeroed", [LOG_EXTENDING] = "extending", NULL};

const struct param param_segment = {
	.name = "segment",
	.help = "files written before, filled with zeros at each switch, or growing",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = segment_choices,
};

const struct param param_segment_size = {
	.name = "segment_size",
	.help = "bytes in each file of the log, four of which are kept",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1 << 16,
	.max = 1ULL << 30,
};

struct log_shape wal_shape(const struct point *point, size_t body_bytes, unsigned flush_operation)
{
	enum log_segments segments = LOG_RECYCLED;

	while (!point_is(point, "segment", segment_choices[segments]))
		segments++;
	return (struct log_shape){
		.method = method_find(point_text(point, "method")),
		.segments = segments,
		.segment_bytes = point_number(point, "segment_size"),
		.unit_bytes = (size_t)point_number(point, "write_unit"),
		.body_bytes = body_bytes,
		.clients = (unsigned)point_number(point, "clients"),
		.flush_operation = flush_operation,
	};
}

int wal_open(struct log **log, struct phase_run *run, const struct log_shape *shape,
	     struct err *err)
{
	int code = phase_write_untimed(run, log_setup_bytes(shape), err);

	*log = NULL;
	return code ? code : log_open(log, run->wal_target, shape, run->seed, run->stop, err);
}

void wal_cost(const struct log_shape *shape, struct phase_cost *cost)
{
	cost->log_bytes = log_space_bytes(shape);
	cost->inodes += LOG_SEGMENTS + 1;
	cost->write_bytes += log_setup_bytes(shape);
}

enum phase_traffic wal_traffic(const struct point *point)
{
	(void)point;
	return TRAFFIC_AMPLIFIED;
}

unsigned wal_clients(const struct phase_run *run)
{
	return (unsigned)point_number(run->point, "clients");
}

uint64_t wal_count(const struct phase_run *run, unsigned operation)
{
	const struct operation *operations = run->point->phase->operations;
	uint64_t count = 0;

	for (unsigned o = 0; operations[o].name; o++)
		for (unsigned i = 0; i < run->worker_count; i++)
			if (o == operation || operations[o].part_of == 1 + operation)
				count += run->workers[i].recorders[o].histogram.count;
	return count;
}

const struct metric wal_metrics[] = {WAL_METRICS, {.name = NULL}};

static void add_ratio(struct measurement *measurement, const char *operation,
		      const struct metric *metric, uint64_t count, uint64_t of)
{
	if (of)
		measurement_add_metric(measurement, operation, metric, (double)count / (double)of);
}

/* The device's counters tell the log's writes only where nothing else is written beside it. */
static bool log_writes_alone(const struct phase_run *run, unsigned flush)
{
	const struct operation *operations = run->point->phase->operations;

	for (unsigned o = 0; operations[o].name; o++)
		if (o != flush && operations[o].writes)
			return false;
	return true;
}

static void add_metrics(const struct phase_run *run, unsigned commit, unsigned flush,
			struct measurement *measurement)
{
	const char *operation = run->point->phase->operations[commit].name;
	uint64_t commits = wal_count(run, commit);

	add_ratio(measurement, operation, &wal_metrics[0], commits, wal_count(run, flush));
	if (!run->log_use_known || !log_writes_alone(run, flush))
		return;
	add_ratio(measurement, operation, &wal_metrics[1], run->log_use.writes, commits);
	add_ratio(measurement, operation, &wal_metrics[2], run->log_use.write_bytes, commits);
	if (run->log_flushes_known)
		add_ratio(measurement, operation, &wal_metrics[3], run->log_use.flushes, commits);
}

int wal_finish(struct log *log, const struct phase_run *run, unsigned commit, unsigned flush,
	       struct measurement *measurement, struct err *err)
{
	uint64_t checked;
	int code = log_verify(log, &checked, err);
	size_t used = strlen(measurement->message);

	if (code)
		return code;
	add_metrics(run, commit, flush, measurement);
	snprintf(measurement->message + used, sizeof(measurement->message) - used,
		 "%s%llu of %llu acknowledged records were read back and are whole; %llu segment "
		 "switches",
		 used ? "; " : "", (unsigned long long)checked,
		 (unsigned long long)log_acknowledged(log), (unsigned long long)log_switches(log));
	return 0;
}
