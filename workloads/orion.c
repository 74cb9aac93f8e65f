/* SPDX-License-Identifier: MIT */
/*
 * orion.c - see orion.h.
 */
#include "orion.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "params.h"
#include "payload.h"

/* ---- parameters ---- */

static const char *const type_choices[] = {"random", "sequential", NULL};

const struct param param_num_small = {
	.name = "num_small",
	.help = "small requests outstanding (auto: a ramp)",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY | PARAM_AUTO,
	.max = 4096,
};

const struct param param_num_large = {
	.name = "num_large",
	.help = "large requests, or streams, outstanding (auto: a ramp)",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY | PARAM_AUTO,
	.max = 1024,
};

const struct param param_small_size = {
	.name = "small_size",
	.help = "bytes in a small request",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1ULL << 30,
};

const struct param param_large_size = {
	.name = "large_size",
	.help = "bytes in a large request",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1ULL << 30,
};

const struct param param_large_type = {
	.name = "large_type",
	.help = "random large requests, or sequential streams of them",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = type_choices,
};

const struct param param_stream_io = {
	.name = "stream_io",
	.help = "requests each sequential stream keeps outstanding",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 256,
};

const struct param param_cache_size = {
	.name = "cache_size",
	.help = "bytes of unmeasured random requests before each point of sequential streams",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
};

const struct param param_disks = {
	.name = "disks",
	.help = "disks the ramps are made for (auto: those found under the target)",
	.kind = PARAM_COUNT,
	.flags = PARAM_SHAPE | PARAM_AUTO,
	.min = 1,
	.max = 1024,
};

const struct param param_small_ramp = {
	.name = "small_ramp",
	.help = "small requests for each disk where the ramp ends",
	.kind = PARAM_COUNT,
	.flags = PARAM_SHAPE,
	.min = 1,
	.max = 256,
};

const struct param param_large_ramp = {
	.name = "large_ramp",
	.help = "large requests for each disk where the ramp ends",
	.kind = PARAM_COUNT,
	.flags = PARAM_SHAPE,
	.min = 1,
	.max = 256,
};

/* ---- which points ---- */

const char orion_rule[] =
	"a ramp goes from 1 to its end for each disk times the disks: every load where that is at "
	"most its end for one disk, else 1 and then as many loads in equal steps as the ramp of "
	"one disk has";

static uint64_t disks_of(const struct point *point, const struct target *target)
{
	const struct value *disks = point_value(point, "disks");

	if (disks->kind == VALUE_NUMBER)
		return disks->number;
	return target && target->disks ? target->disks : 1;
}

unsigned orion_loads(const struct point *point, const struct target *target, uint64_t per_disk,
		     uint64_t loads[ORION_LOADS_MAX])
{
	uint64_t most = per_disk * disks_of(point, target);
	unsigned steps = per_disk < ORION_LOADS_MAX - 1 ? (unsigned)per_disk : ORION_LOADS_MAX - 1;
	unsigned count = 0;

	if (most > steps)
		loads[count++] = 1;
	for (unsigned i = 1; i <= steps; i++) {
		uint64_t load = most * i / steps;

		if (!count || load > loads[count - 1])
			loads[count++] = load;
	}
	return count;
}

struct point orion_at(const struct point *point, const char *coordinate, uint64_t load)
{
	struct point made = *point;

	made.values[phase_param_index(point->phase, coordinate)] = value_number(load);
	return made;
}

int orion_expand_ramp(const struct point *point, const struct target *target,
		      const char *coordinate, const char *ramp, point_sink_fn emit, void *context,
		      struct err *err)
{
	const struct value *set = point_value(point, coordinate);
	uint64_t loads[ORION_LOADS_MAX];
	unsigned count;
	int code = 0;

	if (set->kind == VALUE_NUMBER && !set->number)
		return err_set(err, ERR_USAGE, "%s.%s: 0 outstanding is no load",
			       point->phase->name, coordinate);
	if (set->kind == VALUE_NUMBER)
		return emit(context, point);
	count = orion_loads(point, target, point_number(point, ramp), loads);
	for (unsigned i = 0; !code && i < count; i++) {
		struct point made = orion_at(point, coordinate, loads[i]);

		code = emit(context, &made);
	}
	return code;
}

/* ---- one point ---- */

static unsigned number(const struct phase_run *run, const char *name)
{
	return (unsigned)point_number(run->point, name);
}

static struct pattern_shape common_shape(const struct phase_run *run, struct orion_parts parts,
					 const char *percent)
{
	const struct point *point = run->point;

	return (struct pattern_shape){
		.direct = point_is(point, "io", "direct"),
		.size_bytes = point_number(point, "size"),
		.files = number(run, "files"),
		.jobs = 1,
		.batch = pattern_batch(point),
		.write_percent = number(run, percent),
		.compressible = number(run, "compressible"),
		.read_operation = parts.read,
		.write_operation = parts.write,
		.engine = point_text(point, "engine"),
		.cpus = point_text(point, "cpus"),
	};
}

int orion_open(struct phase_run *run, struct err *err)
{
	run->data = calloc(1, sizeof(struct orion));
	if (!run->data)
		return err_set(err, -ENOMEM, "set up %s: %s", run->point->phase->name,
			       strerror(ENOMEM));
	return 0;
}

static void resolve_engine(struct phase_run *run, const struct pattern *pattern)
{
	phase_resolve(run, "engine", value_text(pattern_engine(pattern)->name));
}

int orion_open_small(struct phase_run *run, struct orion_parts parts, const char *percent,
		     struct err *err)
{
	struct pattern_shape shape = common_shape(run, parts, percent);
	struct orion *orion = run->data;
	int code;

	shape.block_bytes = (size_t)point_number(run->point, "small_size");
	shape.depth = number(run, "num_small");
	code = pattern_open(&orion->small, run, &shape, err);
	if (!code)
		resolve_engine(run, orion->small);
	return code;
}

static bool is_streams(const struct point *point)
{
	return point_is(point, "large_type", "sequential");
}

int orion_open_large(struct phase_run *run, struct orion_parts parts, const char *percent,
		     struct err *err)
{
	struct pattern_shape shape = common_shape(run, parts, percent);
	struct orion *orion = run->data;
	int code;

	shape.block_bytes = (size_t)point_number(run->point, "large_size");
	shape.depth = number(run, "num_large");
	if (is_streams(run->point)) {
		shape.sequential = shape.whole_jobs = true;
		shape.jobs = number(run, "num_large");
		shape.depth = number(run, "stream_io");
	}
	code = pattern_open(&orion->large, run, &shape, err);
	if (!code && !orion->small)
		resolve_engine(run, orion->large);
	return code;
}

void orion_teardown(struct phase_run *run)
{
	struct orion *orion = run->data;

	if (!orion)
		return;
	pattern_close(orion->small);
	pattern_close(orion->large);
	free(orion);
	run->data = NULL;
}

/* ---- an array's cache, before sequential streams ---- */

struct warming {
	int fd;
	bool write;
	uint64_t blocks;
	size_t block_bytes;
	struct payload *payload;
	struct rng rng;
};

static int warm_one(struct warming *warming, const struct target *target, struct err *err)
{
	uint64_t offset = rng_below(&warming->rng, warming->blocks) * warming->block_bytes;
	void *block = payload_next(warming->payload, 0, offset);
	ssize_t moved = warming->write
				? pwrite(warming->fd, block, warming->block_bytes, (off_t)offset)
				: pread(warming->fd, block, warming->block_bytes, (off_t)offset);

	if (moved == (ssize_t)warming->block_bytes)
		return 0;
	return err_set(err, moved < 0 ? -errno : -EIO,
		       "warm the cache of %s, %s at offset %llu: %s",
		       target->path, warming->write ? "write" : "read", (unsigned long long)offset,
		       moved < 0 ? strerror(errno) : "cut short");
}

static int warm(struct phase_run *run, struct warming *warming, uint64_t bytes, struct err *err)
{
	int code = 0;

	for (uint64_t done = 0; !code && done < bytes; done += warming->block_bytes) {
		if (atomic_load_explicit(run->stop, memory_order_relaxed))
			return err_set(err, -EINTR, "interrupted while warming the cache");
		code = warm_one(warming, run->target, err);
		run->untimed_write_bytes += warming->write ? warming->block_bytes : 0;
	}
	return code;
}

int orion_warm_cache(struct phase_run *run, const char *percent, struct err *err)
{
	const struct point *point = run->point;
	uint64_t bytes = point_number(point, "cache_size");
	struct warming warming = {
		.write = point_number(point, percent) > 0,
		.block_bytes = (size_t)point_number(point, "large_size"),
	};
	int code;

	if (!bytes || !is_streams(point) || !point_number(point, "num_large"))
		return 0;
	warming.blocks = point_number(point, "size") / number(run, "files") / warming.block_bytes;
	rng_init(&warming.rng, rng_seed_for(run->seed, "warm", 0));
	warming.fd = fileset_file(run->fileset, 0,
				  (warming.write ? O_RDWR : O_RDONLY) |
					  (point_is(point, "io", "direct") ? O_DIRECT : 0),
				  err);
	if (warming.fd < 0)
		return warming.fd;
	code = payload_open(&warming.payload, run->seed, 1, warming.block_bytes,
			    run->target->memory_align_bytes, number(run, "compressible"), err);
	if (!code)
		code = warm(run, &warming, bytes, err);
	payload_close(warming.payload);
	close(warming.fd);
	return code;
}

/* ---- roles ---- */

static const struct orion *orion_of(const struct worker *worker)
{
	return worker->run->data;
}

unsigned orion_small_workers(const struct phase_run *run)
{
	const struct orion *orion = run->data;

	return orion->small ? 1 : 0;
}

unsigned orion_large_workers(const struct phase_run *run)
{
	const struct orion *orion = run->data;

	if (!orion->large)
		return 0;
	return is_streams(run->point) ? number(run, "num_large") : 1;
}

int orion_small_begin(struct worker *worker)
{
	return pattern_begin(orion_of(worker)->small, worker);
}

int orion_small_work(struct worker *worker)
{
	return pattern_work(orion_of(worker)->small, worker);
}

int orion_small_end(struct worker *worker)
{
	return pattern_end(orion_of(worker)->small, worker);
}

int orion_large_begin(struct worker *worker)
{
	return pattern_begin(orion_of(worker)->large, worker);
}

int orion_large_work(struct worker *worker)
{
	return pattern_work(orion_of(worker)->large, worker);
}

int orion_large_end(struct worker *worker)
{
	return pattern_end(orion_of(worker)->large, worker);
}

/* ---- what evidence and plan are told ---- */

enum phase_traffic orion_traffic(const struct point *point)
{
	return pattern_phase_traffic(point);
}

void orion_cost(const struct point *point, const struct target *target, bool writes,
		struct phase_cost *cost)
{
	bool device = target && target->kind == TARGET_DEVICE;

	cost->data_bytes = point_number(point, "size");
	cost->inodes = device ? 0 : point_number(point, "files");
	cost->time_ns = point_number(point, "time");
	cost->lays_out = !device;
	cost->writes = writes;
	if (!point_is(point, "io", "direct"))
		cost->memory_bytes = cost->data_bytes;
}

bool orion_is_mix(const struct point *point, const char *percent)
{
	uint64_t writes = point_number(point, percent);

	return writes > 0 && writes < 100;
}
