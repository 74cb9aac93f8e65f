/* SPDX-License-Identifier: MIT */
/*
 * fio_job.h - a job of fio as its three kinds of output have it, in base units, and how jobs become
 * measurements. The importers of the three fill it; what follows is the same for all.
 *
 * Doubles are NAN where the text says nothing.
 */
#ifndef ASSAY_FIO_JOB_H
#define ASSAY_FIO_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "importer.h"
#include "text_scan.h"

enum fio_direction { FIO_READ, FIO_WRITE, FIO_TRIM, FIO_MIXED, FIO_DIRECTIONS };
enum { FIO_PERCENTILES_MAX = 24 };

struct fio_latency {
	double min_ns, max_ns, mean_ns, stddev_ns, count;
};

struct fio_percentile {
	double percent, ns;
};

struct fio_io {
	double bytes, bytes_per_s, iops, runtime_ms, ios;
	struct fio_latency submit, completion, total;		/* slat, clat, lat */
	struct fio_percentile percentiles[FIO_PERCENTILES_MAX]; /* of completion */
	size_t percentile_count;
	struct histogram *histogram; /* of completion; NULL: none */
};

struct fio_option {
	char *name, *value;
	bool used;
};

struct fio_job {
	char *name;
	double group;
	double pid;  /* of the text output */
	double jobs; /* threads the figures are of, where the output says so */
	double error;
	struct fio_option *options;
	size_t option_count;
	bool options_complete; /* what is not among them has fio's default */
	struct fio_io io[FIO_DIRECTIONS];
	double cpu_user_percent, cpu_system_percent; /* mean of the threads, of one CPU */
};

/* What no rounding reaches, and every unit taken for another exceeds. */
#define FIO_FACTOR_TOO_FAR 30.0

extern const char *const fio_direction_names[FIO_DIRECTIONS];

/* Everything absent. */
void fio_job_init(struct fio_job *job);
void fio_job_release(struct fio_job *job);

/* Takes copies; a name said twice counts as last said. */
void fio_job_set_option(struct fio_job *job, struct span name, struct span value);

/* The option of that name, or NULL. */
struct fio_option *fio_job_option(const struct fio_job *job, const char *name);

/* Whether both are threads of one job: of one name, group and options. */
bool fio_same_job(const struct fio_job *a, const struct fio_job *b);

/* Adds the threads that follow the first job to it; returns how many stand for the one. */
size_t fio_merge_threads(struct fio_job *jobs, size_t count);

/* Where jobs were found, for refusals and for what the user says beside the text: the facts rw, bs,
 * iodepth, numjobs, ioengine, direct and rwmixread stand for the options of that name where the
 * text has none. */
struct fio_context {
	const char *text, *at;
	const struct facts *given;
	struct err *err;
};

/* Refuses jobs whose amounts, times and rates contradict each other. */
int fio_check_jobs(const struct fio_context *context, const struct fio_job *jobs, size_t count);

/*
 * Measurements of the jobs, in order, added to run. Threads of one job, which stand one after the
 * other under one name, are added up. Refused when a rate, a time and an amount contradict each
 * other by a factor of a thousand or 1024.
 */
int fio_add_jobs(const struct fio_context *context, struct fio_job *jobs, size_t count,
		 struct imported_run *run);

/* The number of a version like "fio-3.33": 3033; 0 when it is none. */
unsigned fio_version(const char *text);

/* The version without "fio-". */
const char *fio_version_text(const char *text);

/* Whether there is a metric for that percentile. */
bool fio_percentile_has_metric(double percent);

/* Whether anything moved in that direction. */
bool fio_io_moved(const struct fio_io *io);

#endif
