/* SPDX-License-Identifier: MIT */
/*
 * pattern.c - see pattern.h.
 */
#include "pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coverage.h"
#include "cpus.h"
#include "inflight.h"
#include "offsets.h"

enum { FILE_UNIT_BYTES = 4096 };

/* One worker's. */
struct job {
	const struct pattern *pattern;
	struct offsets offsets;
	struct coverage *coverage; /* of random offsets; NULL: they are not */
	struct rng mix; /* which request writes */
	unsigned write_percent;
	unsigned first_file, file_count;
	struct inflight_file *files; /* fd -1: not open */
	struct inflight *flight;
	struct inflight_stats stats;
};

struct pattern {
	struct pattern_shape shape;
	const struct target *target;
	struct cpus cpus;
	const struct engine *engine;
	char why[600];           /* what auto settled on; "" */
	uint64_t file_bytes;
	uint64_t resident_bytes; /* stayed in the page cache before the load */
	struct job *jobs;
};

static bool reads(const struct pattern *pattern)
{
	return pattern->shape.write_percent < 100;
}

static bool writes(const struct pattern *pattern)
{
	return pattern->shape.write_percent > 0;
}

/* ---- what can be had here ---------------------------------------------------------------- */

static int check_direct(const struct pattern *pattern, struct err *err)
{
	const struct target *target = pattern->target;

	if (!pattern->shape.direct)
		return 0;
	if (!target->direct)
		return err_set(err, ERR_SKIP, "direct I/O does not work on %s: %s", target->path,
			       target->direct_reason);
	if (pattern->shape.block_bytes % target->logical_block_bytes)
		return err_set(err, ERR_SKIP,
			       "direct I/O on %s moves multiples of %u bytes: block_size %zu is "
			       "none",
			       target->path, target->logical_block_bytes,
			       pattern->shape.block_bytes);
	return 0;
}

/* Buffers for what is in flight and prepared; of blocks that are written there are two each. */
static int check_memory(const struct pattern *pattern, struct err *err)
{
	const struct pattern_shape *shape = &pattern->shape;
	double blocks = 2.0 * shape->depth * shape->jobs * (reads(pattern) + 2 * writes(pattern));
	double bytes = blocks * (double)shape->block_bytes;
	double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	char need[UNIT_TEXT_MAX];

	if (bytes <= memory / 2)
		return 0;
	return err_set(err, ERR_SKIP,
		       "%u jobs with %u requests of %zu bytes in flight need %s of buffers, "
		       "more than half of the memory",
		       shape->jobs, shape->depth, shape->block_bytes,
		       unit_format(need, UNIT_BYTES, bytes));
}

static int check_shape(struct pattern *pattern, struct err *err)
{
	const struct pattern_shape *shape = &pattern->shape;
	const struct target *target = pattern->target;
	uint64_t blocks = pattern->file_bytes / shape->block_bytes;
	int code = check_direct(pattern, err);

	if (code)
		return code;
	if (target->kind == TARGET_DEVICE && writes(pattern) && !target->writable)
		return err_set(err, ERR_SKIP,
			       "%s is only read: what is on it may be destroyed with "
			       "--erase alone",
			       target->path);
	if (!blocks || blocks * shape->files < shape->jobs)
		return err_set(err, ERR_SKIP,
			       "%u files of %llu bytes are too small for %u jobs with blocks of "
			       "%zu",
			       shape->files, (unsigned long long)pattern->file_bytes, shape->jobs,
			       shape->block_bytes);
	code = check_memory(pattern, err);
	if (!code)
		code = cpus_parse(shape->cpus, &pattern->cpus, err);
	return code ? code : cpus_check(&pattern->cpus, err);
}

static int resolve(struct pattern *pattern, int file, struct err *err)
{
	struct engine_need need = {
		.depth = pattern->shape.depth,
		.direct = pattern->shape.direct,
		.file = file,
	};

	return engine_resolve(pattern->shape.engine, &need, &pattern->engine, pattern->why,
			      sizeof(pattern->why), err);
}

static int open_flags(const struct pattern *pattern)
{
	return (writes(pattern) ? O_RDWR : O_RDONLY) | (pattern->shape.direct ? O_DIRECT : 0);
}

/* What auto takes depends on what the target's files can do. */
static int resolve_auto(struct pattern *pattern, struct fileset *fileset, struct err *err)
{
	int code, file = fileset_file(fileset, 0, open_flags(pattern), err);

	if (file < 0)
		return file;
	code = resolve(pattern, file, err);
	if (close(file) && !code)
		code = err_set(err, -errno, "close a data file: %s", strerror(errno));
	return code;
}

static int evict(struct pattern *pattern, struct fileset *fileset, struct err *err)
{
	int code = 0;

	for (unsigned i = 0; !code && i < pattern->shape.files; i++) {
		uint64_t resident_bytes = 0;

		code = fileset_evict(fileset, i, &resident_bytes, err);
		pattern->resident_bytes += resident_bytes;
	}
	return code;
}

/* Cheap checks come before the data set is laid out. */
static int settle(struct pattern *pattern, struct phase_run *run, struct err *err)
{
	const struct pattern_shape *shape = &pattern->shape;
	bool is_auto = !strcmp(shape->engine, "auto");
	int code = check_shape(pattern, err);

	if (!code && !is_auto)
		code = resolve(pattern, -1, err);
	if (!code)
		code = fileset_require(run->fileset, shape->files, pattern->file_bytes,
				       shape->compressible, err);
	if (!code && is_auto)
		code = resolve_auto(pattern, run->fileset, err);
	if (!code && !shape->direct && reads(pattern))
		code = evict(pattern, run->fileset, err);
	return code;
}

/* Parts of files below a page are of no use to anyone: direct I/O could not even make them. */
static uint64_t size_of_each(const struct pattern_shape *shape)
{
	uint64_t bytes = shape->size_bytes / shape->files;

	if (shape->files == 1 || bytes < FILE_UNIT_BYTES)
		return bytes;
	return bytes - bytes % FILE_UNIT_BYTES;
}

int pattern_open(struct pattern **out, struct phase_run *run, const struct pattern_shape *shape,
		 struct err *err)
{
	struct pattern *pattern = calloc(1, sizeof(*pattern));
	int code;

	if (!pattern)
		goto no_memory;
	pattern->shape = *shape;
	pattern->target = run->target;
	pattern->file_bytes = size_of_each(shape);
	pattern->jobs = calloc(shape->jobs, sizeof(*pattern->jobs));
	if (!pattern->jobs)
		goto no_memory;
	code = settle(pattern, run, err);
	if (code)
		pattern_close(pattern);
	else
		*out = pattern;
	return code;
no_memory:
	pattern_close(pattern);
	return err_set(err, -ENOMEM, "set up %u jobs: %s", shape->jobs, strerror(ENOMEM));
}

void pattern_close(struct pattern *pattern)
{
	if (!pattern)
		return;
	for (unsigned i = 0; pattern->jobs && i < pattern->shape.jobs; i++)
		free(pattern->jobs[i].coverage);
	free(pattern->jobs);
	free(pattern);
}

const struct engine *pattern_engine(const struct pattern *pattern)
{
	return pattern->engine;
}

/* ---- a job -------------------------------------------------------------------------------- */

static void next_request(void *source, struct io *request, unsigned *operation)
{
	struct job *job = source;
	const struct pattern_shape *shape = &job->pattern->shape;
	struct place place = offsets_next(&job->offsets);

	request->file = place.file - job->first_file;
	request->offset_bytes = place.offset_bytes;
	if (job->coverage)
		coverage_add(job->coverage, place.offset_bytes + ((uint64_t)place.file << 48));
	if (job->write_percent && rng_below(&job->mix, 100) < job->write_percent) {
		request->operation = IO_WRITE;
		*operation = shape->write_operation;
	} else {
		request->operation = IO_READ;
		*operation = shape->read_operation;
	}
}

/* Of whole jobs the writers are spread evenly among the others. */
static unsigned job_write_percent(const struct pattern_shape *shape, unsigned index)
{
	unsigned percent = shape->write_percent;

	if (!shape->whole_jobs)
		return percent;
	return (index + 1) * percent / 100 > index * percent / 100 ? 100 : 0;
}

static int start_coverage(struct job *job, struct worker *worker)
{
	job->coverage = malloc(sizeof(*job->coverage));
	if (!job->coverage)
		return err_set(&worker->err, -ENOMEM, "follow the offsets: %s", strerror(ENOMEM));
	coverage_init(job->coverage, job->offsets.count);
	return 0;
}

static void start_offsets(struct job *job, const struct worker *worker)
{
	const struct pattern_shape *shape = &job->pattern->shape;
	struct offsets_layout layout = {
		.block_bytes = shape->block_bytes,
		.file_blocks = job->pattern->file_bytes / shape->block_bytes,
		.files = shape->files,
		.jobs = shape->jobs,
		.sequential = shape->sequential,
	};

	offsets_init(&job->offsets, &layout, worker->index, worker->seed);
	job->write_percent = job_write_percent(shape, worker->index);
	rng_init(&job->mix, rng_seed_for(worker->seed, "mix", 0));
	job->first_file = offsets_first_file(&job->offsets);
	job->file_count = offsets_file_count(&job->offsets);
}

static char *name_of_file(const struct target *target, unsigned index)
{
	char *name;

	if (target->kind == TARGET_DEVICE)
		return strdup(target->path);
	return asprintf(&name, "%s/data.%u", target->work_path, index) < 0 ? NULL : name;
}

static int open_files(struct job *job, struct worker *worker)
{
	const struct pattern *pattern = job->pattern;

	job->files = calloc(job->file_count, sizeof(*job->files));
	if (!job->files)
		return err_set(&worker->err, -ENOMEM, "open the data files: %s", strerror(ENOMEM));
	for (unsigned i = 0; i < job->file_count; i++)
		job->files[i].fd = -1;
	for (unsigned i = 0; i < job->file_count; i++) {
		struct inflight_file *file = &job->files[i];

		file->name = name_of_file(pattern->target, job->first_file + i);
		if (!file->name)
			return err_set(&worker->err, -ENOMEM, "open the data files: %s",
				       strerror(ENOMEM));
		file->fd = fileset_file(worker->run->fileset, job->first_file + i,
					open_flags(pattern), &worker->err);
		if (file->fd < 0)
			return file->fd;
	}
	return 0;
}

int pattern_begin(struct pattern *pattern, struct worker *worker)
{
	const struct pattern_shape *shape = &pattern->shape;
	struct job *job = &pattern->jobs[worker->index];
	struct inflight_load load = {
		.engine = pattern->engine,
		.depth = shape->depth,
		.batch = shape->batch,
		.block_bytes = shape->block_bytes,
		.align_bytes = pattern->target->memory_align_bytes,
		.reads = reads(pattern),
		.writes = writes(pattern),
		.compressible = shape->compressible,
		.next = next_request,
		.source = job,
	};
	int code;

	job->pattern = pattern;
	start_offsets(job, worker);
	code = cpus_bind(&pattern->cpus, worker->index, &worker->err);
	if (!code && !shape->sequential)
		code = start_coverage(job, worker);
	if (!code)
		code = open_files(job, worker);
	if (code)
		return code;
	load.files = job->files;
	load.file_count = job->file_count;
	return inflight_open(&job->flight, &load, worker);
}

/* What was written through the cache is made durable, within the clock but after the window. */
static int make_durable(const struct job *job, struct worker *worker)
{
	worker_mark_cached(worker);
	for (unsigned i = 0; i < job->file_count; i++)
		if (fdatasync(job->files[i].fd))
			return err_set(&worker->err, -errno, "fdatasync %s: %s", job->files[i].name,
				       strerror(errno));
	return 0;
}

int pattern_work(struct pattern *pattern, struct worker *worker)
{
	struct job *job = &pattern->jobs[worker->index];
	int code = inflight_run(job->flight, worker);

	job->stats = *inflight_stats(job->flight);
	if (code || pattern->shape.direct || !writes(pattern) || pattern->engine->moves_nothing)
		return code;
	return make_durable(job, worker);
}

int pattern_end(struct pattern *pattern, struct worker *worker)
{
	struct job *job = &pattern->jobs[worker->index];
	int code = 0;

	inflight_close(job->flight);
	job->flight = NULL;
	for (unsigned i = 0; job->files && i < job->file_count; i++) {
		struct inflight_file *file = &job->files[i];

		if (file->fd >= 0 && close(file->fd) && !code)
			code = err_set(&worker->err, -errno, "close %s: %s", file->name,
				       strerror(errno));
		free((char *)file->name);
	}
	free(job->files);
	job->files = NULL;
	return code;
}

/* ---- what came of it ---------------------------------------------------------------------- */

enum { SUBMIT_BATCH, REAP_BATCH };

const struct metric pattern_metrics[] = {PATTERN_METRICS, {.name = NULL}};

static struct inflight_stats sum(const struct pattern *pattern)
{
	struct inflight_stats sum = {0};

	for (unsigned i = 0; i < pattern->shape.jobs; i++) {
		const struct inflight_stats *stats = &pattern->jobs[i].stats;

		sum.depth_ns += stats->depth_ns;
		sum.submit_calls += stats->submit_calls;
		sum.submitted += stats->submitted;
		sum.submit_ns += stats->submit_ns;
		sum.reap_calls += stats->reap_calls;
		sum.reaped += stats->reaped;
	}
	return sum;
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

static bool same_share(const struct job *a, const struct job *b)
{
	return a->offsets.first == b->offsets.first && a->offsets.count == b->offsets.count;
}

/* What the jobs touched of a share, all of them together: two that draw the same offsets touch no
 * more than one. */
static void add_share(const struct pattern *pattern, unsigned first, struct phase_reach *reach)
{
	struct coverage *all = pattern->jobs[first].coverage;

	for (unsigned i = first + 1; i < pattern->shape.jobs; i++)
		if (same_share(&pattern->jobs[first], &pattern->jobs[i]))
			coverage_merge(all, pattern->jobs[i].coverage);
	reach->offsets += all->drawn;
	reach->distinct_blocks += coverage_distinct(all);
	reach->likely_blocks += coverage_likely(all);
}

static void report_reach(const struct pattern *pattern, struct phase_reach *reach)
{
	for (unsigned i = 0; i < pattern->shape.jobs; i++) {
		bool told = !pattern->jobs[i].coverage;

		for (unsigned j = 0; j < i && !told; j++)
			told = same_share(&pattern->jobs[i], &pattern->jobs[j]);
		if (!told)
			add_share(pattern, i, reach);
	}
}

static void say_which_engine(const struct pattern *pattern, struct measurement *measurement)
{
	size_t used = strlen(measurement->message);
	const char *name = pattern->why[0] ? pattern->why : pattern->engine->name;

	snprintf(measurement->message + used, sizeof(measurement->message) - used, "%s%s (%s)",
		 used ? "; " : "", name, pattern->jobs[0].stats.used);
}

void pattern_report(const struct pattern *pattern, struct phase_run *run,
		    const char *operation, struct measurement *measurement)
{
	struct inflight_stats all = sum(pattern);
	uint64_t size_bytes = pattern->file_bytes * pattern->shape.files;

	measurement_add_metric(measurement, operation, metric_find("latency_submit"),
			       ratio(all.submit_ns, all.submitted));
	measurement_add_metric(measurement, operation, metric_find("queue_depth"),
			       ratio(all.depth_ns, run->elapsed_ns));
	measurement_add_metric(measurement, operation, &pattern_metrics[SUBMIT_BATCH],
			       ratio(all.submitted, all.submit_calls));
	measurement_add_metric(measurement, operation, &pattern_metrics[REAP_BATCH],
			       ratio(all.reaped, all.reap_calls));
	report_reach(pattern, &run->reach);
	say_which_engine(pattern, measurement);
	if (pattern->resident_bytes > size_bytes / 100)
		measurement_flag(measurement, SEVERITY_VOID, "cached",
				 "%.0f %% of the data set could not be dropped from the page cache "
				 "before the load",
				 100.0 * (double)pattern->resident_bytes / (double)size_bytes);
}

/* ---- phases of one pattern ---------------------------------------------------------------- */

static unsigned write_percent_of(const struct point *point)
{
	if (point_is(point, "operation", "mixed"))
		return (unsigned)point_number(point, "write_percent");
	return point_is(point, "operation", "write") ? 100 : 0;
}

/* Only "auto" is a text: the loop decides. */
unsigned pattern_batch(const struct point *point)
{
	const struct value *batch = point_value(point, "batch");

	return batch->kind == VALUE_NUMBER ? (unsigned)batch->number : 0;
}

int pattern_phase_setup(struct phase_run *run, bool sequential, struct err *err)
{
	const struct point *point = run->point;
	struct pattern_shape shape = {
		.sequential = sequential,
		.direct = point_is(point, "io", "direct"),
		.size_bytes = point_number(point, "size"),
		.files = (unsigned)point_number(point, "files"),
		.jobs = (unsigned)point_number(point, "jobs"),
		.depth = (unsigned)point_number(point, "queue_depth"),
		.batch = pattern_batch(point),
		.block_bytes = (size_t)point_number(point, "block_size"),
		.write_percent = write_percent_of(point),
		.compressible = (unsigned)point_number(point, "compressible"),
		.read_operation = PATTERN_READ,
		.write_operation = PATTERN_WRITE,
		.engine = point_text(point, "engine"),
		.cpus = point_text(point, "cpus"),
	};
	struct pattern *pattern;
	int code;

	if (point_has(point, "write_percent"))
		phase_resolve(run, "write_percent", value_number(shape.write_percent));
	code = pattern_open(&pattern, run, &shape, err);
	if (code)
		return code;
	run->data = pattern;
	phase_resolve(run, "engine", value_text(pattern->engine->name));
	return 0;
}

int pattern_phase_finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	(void)err;
	pattern_report(run->data, run, "all", measurement);
	return 0;
}

void pattern_phase_teardown(struct phase_run *run)
{
	pattern_close(run->data);
	run->data = NULL;
}

unsigned pattern_phase_workers(const struct phase_run *run)
{
	return (unsigned)point_number(run->point, "jobs");
}

int pattern_phase_begin(struct worker *worker)
{
	return pattern_begin(worker->run->data, worker);
}

int pattern_phase_work(struct worker *worker)
{
	return pattern_work(worker->run->data, worker);
}

int pattern_phase_end(struct worker *worker)
{
	return pattern_end(worker->run->data, worker);
}

/* What the null engine is given never gets anywhere. */
enum phase_traffic pattern_phase_traffic(const struct point *point)
{
	const struct engine *engine = engine_find(point_text(point, "engine"));

	if (engine && engine->moves_nothing)
		return TRAFFIC_NONE;
	return point_is(point, "io", "direct") ? TRAFFIC_EXACT : TRAFFIC_AMPLIFIED;
}

void pattern_phase_cost(const struct point *point, const struct target *target,
			struct phase_cost *cost)
{
	bool device = target && target->kind == TARGET_DEVICE;

	cost->data_bytes = point_number(point, "size");
	cost->inodes = device ? 0 : point_number(point, "files");
	cost->time_ns = point_number(point, "time");
	cost->lays_out = !device;
	cost->writes = write_percent_of(point) > 0;
	if (!point_is(point, "io", "direct"))
		cost->memory_bytes = cost->data_bytes;
}

bool pattern_phase_performs(const struct point *point, const struct operation *operation)
{
	unsigned percent = write_percent_of(point);

	return operation == &pattern_operations[PATTERN_READ] ? percent < 100 : percent > 0;
}

const struct operation pattern_operations[] = {
	[PATTERN_READ] = {.name = "read",
			  .headline_rate = "rate",
			  .headline_latency = "latency_p99",
			  .moves_bytes = true,
			  .reads = true},
	[PATTERN_WRITE] = {.name = "write",
			   .headline_rate = "rate",
			   .headline_latency = "latency_p99",
			   .moves_bytes = true,
			   .writes = true,
			   .to_cache = true},
	{.name = NULL},
};
