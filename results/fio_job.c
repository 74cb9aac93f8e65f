/* SPDX-License-Identifier: MIT */
/*
 * fio_job.c - a job of fio: its options, its threads added up, its figures held against each other.
 *
 * THREADS. Of n threads the rates, amounts and CPU are summed, the time is the longest, means and
 * deviations are pooled. Percentiles cannot be: they come from the merged histograms, or are gone.
 *
 * CROSS-CHECK. amount / time is the rate, for bytes and for operations. Units taken for one another
 * are off by a thousand or 1024: beyond FIO_FACTOR_TOO_FAR, which no rounding or start-up reaches,
 * the text is refused.
 */
#include "fio_job.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

/* ---- a job ---------------------------------------------------------------------------------- */

const char *const fio_direction_names[FIO_DIRECTIONS] = {"read", "write", "trim", "mixed"};

static const struct fio_latency no_latency = {NAN, NAN, NAN, NAN, NAN};

void fio_job_init(struct fio_job *job)
{
	*job = (struct fio_job){.group = NAN,
				.pid = NAN,
				.jobs = NAN,
				.error = NAN,
				.cpu_user_percent = NAN,
				.cpu_system_percent = NAN};
	for (size_t i = 0; i < FIO_DIRECTIONS; i++)
		job->io[i] = (struct fio_io){.bytes = NAN,
					     .bytes_per_s = NAN,
					     .iops = NAN,
					     .runtime_ms = NAN,
					     .ios = NAN,
					     .submit = no_latency,
					     .completion = no_latency,
					     .total = no_latency};
}

void fio_job_release(struct fio_job *job)
{
	for (size_t i = 0; i < job->option_count; i++) {
		free(job->options[i].name);
		free(job->options[i].value);
	}
	free(job->options);
	free(job->name);
	for (size_t i = 0; i < FIO_DIRECTIONS; i++)
		free(job->io[i].histogram);
}

struct fio_option *fio_job_option(const struct fio_job *job, const char *name)
{
	for (size_t i = 0; i < job->option_count; i++)
		if (!strcmp(job->options[i].name, name))
			return &job->options[i];
	return NULL;
}

void fio_job_set_option(struct fio_job *job, struct span name, struct span value)
{
	char *key = span_copy(name);
	struct fio_option *option = fio_job_option(job, key);

	if (option) {
		free(option->value);
		free(key);
	} else {
		option = LIST_ADD(job->options, job->option_count);
		option->name = key;
	}
	option->value = span_copy(value);
}

unsigned fio_version(const char *text)
{
	const char *number = fio_version_text(text);
	struct span rest = {number, strlen(number)}, digits;
	uint64_t major, minor = 0;

	if (!span_take_digits(&rest, &digits) || !span_integer(digits, &major) || major > 1000)
		return 0;
	if (span_starts(rest, ".")) {
		rest = span_between(rest.start + 1, span_end(rest));
		if (!span_take_digits(&rest, &digits) || !span_integer(digits, &minor) ||
		    minor > 999)
			return 0;
	}
	return (unsigned)(1000 * major + minor);
}

const char *fio_version_text(const char *text)
{
	return !strncmp(text, "fio-", 4) || !strncmp(text, "fio ", 4) ? text + 4 : text;
}

bool fio_io_moved(const struct fio_io *io)
{
	return io->bytes > 0 || io->ios > 0 || io->bytes_per_s > 0;
}

/* ---- threads of one job --------------------------------------------------------------------- */

static double lesser(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

static double greater(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* How many operations a mean is of: as counted, or from rate and time. */
static double weight(const struct fio_io *io, const struct fio_latency *latency)
{
	if (!isnan(latency->count))
		return latency->count;
	return isnan(io->ios) ? io->iops * io->runtime_ms / 1e3 : io->ios;
}

/* The moments of both together: n, mean and the sum of squares add up. */
static void merge_latency(struct fio_latency *into, double n, const struct fio_latency *from,
			  double m)
{
	double mean, squares;

	into->min_ns = lesser(into->min_ns, from->min_ns);
	into->max_ns = greater(into->max_ns, from->max_ns);
	mean = (n * into->mean_ns + m * from->mean_ns) / (n + m);
	squares = n * (into->stddev_ns * into->stddev_ns + into->mean_ns * into->mean_ns) +
		  m * (from->stddev_ns * from->stddev_ns + from->mean_ns * from->mean_ns);
	into->stddev_ns = sqrt(fmax(0, squares / (n + m) - mean * mean));
	if (isnan(squares))
		into->stddev_ns = NAN;
	into->mean_ns = mean;
	into->count = n + m;
}

static void percentiles_of_histogram(struct fio_io *io)
{
	for (size_t k = 0; k < io->percentile_count; k++)
		io->percentiles[k].ns =
		    histogram_percentile(io->histogram, io->percentiles[k].percent / 100);
}

static void merge_io(struct fio_io *into, struct fio_io *from)
{
	if (!fio_io_moved(from))
		return;
	if (!fio_io_moved(into)) {
		struct fio_io empty = *into;

		*into = *from;
		*from = empty;
		return;
	}
	merge_latency(&into->submit, weight(into, &into->submit), &from->submit,
		      weight(from, &from->submit));
	merge_latency(&into->completion, weight(into, &into->completion), &from->completion,
		      weight(from, &from->completion));
	merge_latency(&into->total, weight(into, &into->total), &from->total,
		      weight(from, &from->total));
	if (into->histogram && from->histogram) {
		histogram_merge(into->histogram, from->histogram);
		percentiles_of_histogram(into);
	} else {
		into->percentile_count = 0;
	}
	into->bytes += from->bytes;
	into->bytes_per_s += from->bytes_per_s;
	into->iops += from->iops;
	into->ios += from->ios;
	into->runtime_ms = greater(into->runtime_ms, from->runtime_ms);
}

static bool same_options(const struct fio_job *a, const struct fio_job *b)
{
	if (a->option_count != b->option_count)
		return false;
	for (size_t i = 0; i < a->option_count; i++)
		if (strcmp(a->options[i].name, b->options[i].name) != 0 ||
		    strcmp(a->options[i].value, b->options[i].value) != 0)
			return false;
	return true;
}

bool fio_same_job(const struct fio_job *a, const struct fio_job *b)
{
	return !strcmp(a->name, b->name) && a->group == b->group && same_options(a, b);
}

size_t fio_merge_threads(struct fio_job *jobs, size_t count)
{
	struct fio_job *into = &jobs[0];
	size_t next = 1;

	for (; next < count && fio_same_job(into, &jobs[next]); next++) {
		for (size_t i = 0; i < FIO_DIRECTIONS; i++)
			merge_io(&into->io[i], &jobs[next].io[i]);
		into->cpu_user_percent += jobs[next].cpu_user_percent;
		into->cpu_system_percent += jobs[next].cpu_system_percent;
		into->error = greater(into->error, jobs[next].error);
	}
	return next;
}

/* ---- the cross-check ------------------------------------------------------------------------ */

static bool too_far(double ratio)
{
	return ratio > FIO_FACTOR_TOO_FAR || ratio < 1 / FIO_FACTOR_TOO_FAR;
}

/* amount against rate x time. Too little to tell is passed over, and so is a rate that is 0 when
 * rounded. */
static bool contradicts(double amount, double runtime_ms, double rate)
{
	double expected = rate * runtime_ms / 1e3;

	if (!(runtime_ms >= 10) || !(rate > 0) || !(amount > 0) || fmax(amount, expected) < 100)
		return false;
	return too_far(amount / expected);
}

static int check_io(const struct fio_context *context, const struct fio_job *job,
		    enum fio_direction direction)
{
	const struct fio_io *io = &job->io[direction];

	if (contradicts(io->bytes, io->runtime_ms, io->bytes_per_s))
		return text_refuse(
		    context->err, context->text, context->at,
		    "job %.100s: %s of %.0f bytes in %.0f ms are not %.0f bytes/s: a unit is "
		    "off by a thousand or 1024",
		    job->name, fio_direction_names[direction], io->bytes, io->runtime_ms,
		    io->bytes_per_s);
	if (contradicts(io->ios, io->runtime_ms, io->iops))
		return text_refuse(
		    context->err, context->text, context->at,
		    "job %.100s: %s of %.0f operations in %.0f ms are not %.0f a second: a unit "
		    "is off by a thousand",
		    job->name, fio_direction_names[direction], io->ios, io->runtime_ms, io->iops);
	return 0;
}

int fio_check_jobs(const struct fio_context *context, const struct fio_job *jobs, size_t count)
{
	int code = 0;

	for (size_t i = 0; !code && i < count; i++)
		for (int direction = 0; !code && direction < FIO_DIRECTIONS; direction++)
			code = check_io(context, &jobs[i], (enum fio_direction)direction);
	return code;
}
