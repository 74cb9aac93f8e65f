/* SPDX-License-Identifier: MIT */
/*
 * params.c - the parameters that several phases share.
 */
#include "params.h"

#include <stddef.h>

static const char *const io_choices[] = {"direct", "buffered", NULL};
static const char *const cache_choices[] = {"cold", "warm", NULL};
static const char *const kind_choices[] = {"file", "link", "symlink", NULL};

const struct param param_size = {
	.name = "size",
	.help = "data set, in all files together",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1,
};

const struct param param_time = {
	.name = "time",
	.help = "how long to measure",
	.kind = PARAM_DURATION,
	.flags = PARAM_SHAPE,
	.min = 1000000,
};

const struct param param_warmup = {
	.name = "warmup",
	.help = "load before the window opens (auto: a quarter of time, at most 2s)",
	.kind = PARAM_DURATION,
	.flags = PARAM_SHAPE | PARAM_AUTO,
};

const struct param param_block_size = {
	.name = "block_size",
	.help = "bytes in one request",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1ULL << 30,
};

const struct param param_io = {
	.name = "io",
	.help = "past the page cache or through it",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = io_choices,
};

const struct param param_compressible = {
	.name = "compressible",
	.help = "percent of each block that a compressor can take away",
	.kind = PARAM_PERCENT,
	.flags = PARAM_IDENTITY,
};

const struct param param_cache = {
	.name = "cache",
	.help = "start each pass with nothing of it cached, or with all of it",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = cache_choices,
};

const struct param param_jobs = {
	.name = "jobs",
	.help = "workers loading at once",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1024,
};

const struct param param_files = {
	.name = "files",
	.help = "files the data set is divided into",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1024,
};

const struct param param_queue_depth = {
	.name = "queue_depth",
	.help = "requests each worker keeps in flight",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 4096,
};

const struct param param_engine = {
	.name = "engine",
	.help = "how requests reach the kernel (see `assay help engines`)",
	.kind = PARAM_TEXT,
	.flags = PARAM_IDENTITY | PARAM_AUTO,
};

const struct param param_batch = {
	.name = "batch",
	.help = "requests submitted and reaped together (auto: adapts to the device)",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY | PARAM_AUTO,
	.min = 1,
	.max = 4096,
};

const struct param param_cpus = {
	.name = "cpus",
	.help = "CPUs the workers are bound to, e.g. 0-3,8 (any: not bound; each: a point on every "
		"CPU)",
	.kind = PARAM_TEXT,
	.flags = PARAM_IDENTITY,
};

const struct param param_write_percent = {
	.name = "write_percent",
	.help = "percent of the requests that write",
	.kind = PARAM_PERCENT,
	.flags = PARAM_IDENTITY,
};

const struct param param_small_files = {
	.name = "files",
	.help = "small files; 0 leaves the phase out",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.max = 100000000,
};

const struct param param_file_size = {
	.name = "file_size",
	.help = "bytes in each small file, or a range LOW:HIGH drawn from uniformly",
	.kind = PARAM_RANGE,
	.flags = PARAM_IDENTITY,
	.max = 1ULL << 30,
};

const struct param param_directories = {
	.name = "directories",
	.help = "directories the small files are spread over",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 99999,
};

const struct param param_kind = {
	.name = "kind",
	.help = "files of their own, or hard or symbolic links to one",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = kind_choices,
};
