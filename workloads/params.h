/* SPDX-License-Identifier: MIT */
/*
 * params.h - the parameters that several phases share, declared once.
 */
#ifndef ASSAY_WORKLOADS_PARAMS_H
#define ASSAY_WORKLOADS_PARAMS_H

#include "param.h"

extern const struct param param_size;
extern const struct param param_time;
extern const struct param param_warmup;
extern const struct param param_block_size;
extern const struct param param_io;
extern const struct param param_compressible;
extern const struct param param_cache;
extern const struct param param_jobs;
extern const struct param param_files;
extern const struct param param_queue_depth;
extern const struct param param_engine;
extern const struct param param_batch;
extern const struct param param_cpus;
extern const struct param param_write_percent;
extern const struct param param_small_files;
extern const struct param param_file_size;
extern const struct param param_directories;
extern const struct param param_kind;

/* What every phase takes: how long to measure. */
#define PARAMS_PASSES {&param_time, "5s"}
#define PARAMS_STEADY {&param_time, "5s"}, {&param_warmup, "auto"}

/* What the phases on the shared data file take besides. */
#define PARAMS_DATA_FILE {&param_size, "1g"}, {&param_io, "buffered"}, {&param_compressible, "0"}

/* What the small-file phases take besides. */
#define PARAMS_SMALL_FILES                                                                         \
	{&param_small_files, "16384"}, {&param_file_size, "0"}, {&param_directories, "1"},         \
		{&param_kind, "file"}

#endif
