/* SPDX-License-Identifier: MIT */
/*
 * fio_measurement.c - jobs of fio to measurements.
 *
 * WHAT IT MEANS HERE. rw decides the phase: rand* is `random`, the others `sequential`. Where the
 * text does not say (JSON before options were printed, terse), it is `random` with `pattern`
 * `unknown`. Latencies are fio's completion latencies, as far as it has them, else its total ones;
 * `latency_submit` is the mean of its submission latency. Engines that wait for each request have
 * a depth of one whatever iodepth says. Jobs of one group run at the same time: each then has the
 * others' names in `beside`. Writes that are not known to be direct or synced have `sync`
 * `uncontrolled`: their rate may be that of the page cache.
 *
 * A mean latency times the operations per second is how many requests were under way, which cannot
 * exceed what was allowed (see the cross-check of fio_job.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fio_job.h"
#include "list.h"

/* ---- options -------------------------------------------------------------------------------- */

struct job_view {
	const struct fio_context *context;
	struct fio_job *job;
	double threads; /* NAN: not known */
};

enum { THREADS_MAX = 1 << 20 };

/* The option, under either of its names, or what the user says of it; NULL: nobody says. */
static const char *option(const struct job_view *view, const char *name, const char *alias)
{
	struct fio_option *found = fio_job_option(view->job, name);

	if (!found && alias)
		found = fio_job_option(view->job, alias);
	if (found) {
		found->used = true;
		return found->value;
	}
	return view->context->given ? facts_text(view->context->given, name) : NULL;
}

/* The same with what fio does without the option, where all options are known. */
static const char *option_or(const struct job_view *view, const char *name, const char *alias,
			     const char *preset)
{
	const char *value = option(view, name, alias);

	return value || !view->job->options_complete ? value : preset;
}

static bool is_on(const char *value)
{
	return value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

static struct span span_of(const char *text)
{
	return (struct span){text, text ? strlen(text) : 0};
}

/* A size in fio's words. In options (kb_base=1024) k and kb are 1024 and kib is 1000; its output
 * since 3.0 says KiB and means 1024. */
static bool fio_size(struct span word, bool printed, uint64_t *bytes)
{
	static const char suffixes[] = "bkmgtp";
	struct span digits, rest = word;
	const char *suffix;
	double number, base = 1024;

	while (rest.length && strchr("0123456789.", rest.start[0]))
		rest = span_between(rest.start + 1, span_end(rest));
	digits = span_between(word.start, rest.start);
	if (!span_number(digits, &number))
		return false;
	suffix = rest.length ? strchr(suffixes, rest.start[0] | 0x20) : suffixes;
	if (!suffix || !*suffix || rest.length > 3)
		return false;
	if (rest.length > 1 && (rest.start[1] | 0x20) == 'i' && !printed)
		base = 1000;
	number *= pow(base, (double)(suffix - suffixes));
	if (number < 1 || number >= 0x1p62 || number != floor(number))
		return false;
	*bytes = (uint64_t)number;
	return true;
}

/* One block size, or "low-high" of which both are the same. */
static bool one_size(struct span word, bool printed, uint64_t *bytes)
{
	struct span low = {NULL, 0}, high = word;
	uint64_t other;

	span_next(&high, '-', &low);
	if (!fio_size(low, printed, bytes))
		return false;
	return !high.start || (fio_size(high, printed, &other) && other == *bytes);
}

/* The part of bs for a direction: "8k", "4k,64k", "8K-8K/8K-8K", "(R) 8192B-8192B, (W) ...". */
static struct span size_word(const char *bs, enum fio_direction direction)
{
	static const char *const marks[] = {[FIO_READ] = "(R) ", [FIO_WRITE] = "(W) "};
	struct span rest = span_of(bs), word = rest;
	char separator = strchr(bs, '/') ? '/' : ',';

	if (span_find(rest, marks[direction]))
		rest = span_after(rest, marks[direction]);
	else if (direction == FIO_WRITE && strchr(bs, separator))
		span_next(&rest, separator, &word);
	span_next(&rest, separator, &word);
	return span_trim(word);
}

/* The mean size of the requests where it can only be the size of each: a power of two. */
static bool mean_size(const struct fio_io *io, uint64_t *bytes)
{
	double ios = isnan(io->ios) ? io->iops * io->runtime_ms / 1e3 : io->ios;
	double mean = io->bytes / ios, nearest;

	if (!(mean >= 512) || mean > 0x1p40)
		return false;
	nearest = exp2(round(log2(mean)));
	*bytes = (uint64_t)nearest;
	return fabs(mean / nearest - 1) < 0.001;
}

/* ---- parameters ----------------------------------------------------------------------------- */

static const struct pattern {
	const char *rw, *phase, *operation;
	bool reads, writes;
} patterns[] = {
	{"read", "sequential", "read", true, false},
	{"write", "sequential", "write", false, true},
	{"rw", "sequential", "mixed", true, true},
	{"readwrite", "sequential", "mixed", true, true},
	{"randread", "random", "read", true, false},
	{"randwrite", "random", "write", false, true},
	{"randrw", "random", "mixed", true, true},
	{NULL, NULL, NULL, false, false},
};

static struct pattern unknown_pattern(const struct fio_job *job)
{
	bool reads = fio_io_moved(&job->io[FIO_READ]), writes = fio_io_moved(&job->io[FIO_WRITE]);

	if (!reads && !writes && !fio_io_moved(&job->io[FIO_MIXED]))
		return (struct pattern){.phase = NULL};
	return (struct pattern){.phase = "random",
				.reads = reads,
				.writes = writes,
				.operation = reads == writes ? "mixed"
					     : reads	     ? "read"
							     : "write"};
}

/* What rw says; phase NULL for what has no place here: trims, and what nothing is known of. */
static struct pattern pattern_of(const struct job_view *view)
{
	const char *rw = option_or(view, "rw", "readwrite", "read");
	struct span rest = span_of(rw), word = {NULL, 0};
	size_t i = 0;

	if (!rw)
		return unknown_pattern(view->job);
	span_next(&rest, ':', &word);
	while (patterns[i].rw && !span_is(word, patterns[i].rw))
		i++;
	return patterns[i];
}

static void set_text(struct measurement *measurement, const char *name, const char *text)
{
	measurement_add_parameter(measurement, name, span_value(span_of(text)));
}

static void set_number(struct measurement *measurement, const char *name, uint64_t number)
{
	measurement_add_parameter(measurement, name, value_number(number));
}

/* One number when every request had the same size, else fio's own words. */
static void set_block_size(const struct job_view *view, const struct pattern *pattern,
			   struct measurement *measurement)
{
	const char *split = option(view, "bssplit", NULL);
	const char *range = option(view, "bsrange", "blocksize_range");
	const char *bs = range ? range : option_or(view, "bs", "blocksize", "4k");
	enum fio_direction first = pattern->reads ? FIO_READ : FIO_WRITE;
	uint64_t bytes, other;

	if (split) {
		set_text(measurement, "block_size", split);
		return;
	}
	if (!bs) {
		if (mean_size(&view->job->io[first], &bytes))
			set_number(measurement, "block_size", bytes);
		return;
	}
	if (one_size(size_word(bs, first), strstr(bs, "(R)"), &bytes) &&
	    (!pattern->writes ||
	     (one_size(size_word(bs, FIO_WRITE), strstr(bs, "(R)"), &other) && other == bytes)))
		set_number(measurement, "block_size", bytes);
	else
		set_text(measurement, "block_size", bs);
}

/* fio's engines that call read and write and wait are one engine here. */
static bool engine_waits(const char *engine)
{
	static const char *const names[] = {"sync",  "psync", "pvsync", "pvsync2",
					    "vsync", "mmap",  NULL};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(engine, names[i]))
			return true;
	return false;
}

static void set_engine(const struct job_view *view, struct measurement *measurement)
{
	const char *engine = option_or(view, "ioengine", NULL, "psync");
	const char *depth = option_or(view, "iodepth", NULL, "1");
	bool waits = engine && engine_waits(engine);
	uint64_t number;

	if (waits)
		set_number(measurement, "queue_depth", 1);
	else if (depth && span_integer(span_of(depth), &number) && number)
		set_number(measurement, "queue_depth", number);
	if (!isnan(view->threads))
		set_number(measurement, "jobs", (uint64_t)view->threads);
	if (engine)
		set_text(measurement, "engine",
			 waits && strcmp(engine, "mmap") != 0 && strcmp(engine, "vsync") != 0
			     ? "sync"
			     : engine);
}

static void set_io(const struct job_view *view, struct measurement *measurement)
{
	const char *direct = option(view, "direct", NULL),
		   *buffered = option(view, "buffered", NULL);

	if (direct)
		set_text(measurement, "io", is_on(direct) ? "direct" : "buffered");
	else if (buffered)
		set_text(measurement, "io", is_on(buffered) ? "buffered" : "direct");
	else if (view->job->options_complete)
		set_text(measurement, "io", "buffered");
}

static void set_mix(const struct job_view *view, struct measurement *measurement)
{
	const char *reads = option(view, "rwmixread", NULL);
	const char *writes = option_or(view, "rwmixwrite", NULL, "50");
	uint64_t percent;

	if (reads && span_integer(span_of(reads), &percent) && percent <= 100)
		set_number(measurement, "write_percent", 100 - percent);
	else if (writes && span_integer(span_of(writes), &percent) && percent <= 100)
		set_number(measurement, "write_percent", percent);
}

/* Options that make the load another one. A value of "0", or the one named, is as if it were not
 * there. */
static const struct special {
	const char *option, *parameter, *as_usual;
	bool is_number;
} specials[] = {
    {"fsync", "fsync", "0", true},
    {"fdatasync", "fdatasync", "0", true},
    {"sync", "sync_io", "none", false},
    {"rate", "rate_limit", "0", false},
    {"rate_iops", "rate_limit", "0", false},
    {"thinktime", "think_time", "0", false},
    {"random_distribution", "distribution", "random", false},
    {"percentage_random", "percent_random", "100", true},
    {"buffer_compress_percentage", "compressible", "0", true},
    {"cpus_allowed", "cpus", "", false},
};

static void set_specials(const struct job_view *view, struct measurement *measurement)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		const char *value = option(view, specials[i].option, NULL);
		uint64_t number;

		if (!value || !strcmp(value, "0") || !strcmp(value, specials[i].as_usual) ||
		    measurement_parameter(measurement, specials[i].parameter))
			continue;
		if (!specials[i].is_number)
			set_text(measurement, specials[i].parameter, value);
		else if (span_integer(span_of(value), &number))
			set_number(measurement, specials[i].parameter, number);
	}
	if (is_on(option(view, "zero_buffers", NULL)) &&
	    !measurement_parameter(measurement, "compressible"))
		set_number(measurement, "compressible", 100);
}

/* Buffered writes end in the page cache unless something says otherwise. */
static void set_sync(const struct pattern *pattern, struct measurement *measurement)
{
	const struct parameter *io = measurement_parameter(measurement, "io");

	if (pattern->writes && (!io || strcmp(io->value.text, "direct") != 0) &&
	    !measurement_parameter(measurement, "fsync") &&
	    !measurement_parameter(measurement, "fdatasync") &&
	    !measurement_parameter(measurement, "sync_io"))
		set_text(measurement, "sync", "uncontrolled");
}

static void set_parameters(const struct job_view *view, const struct pattern *pattern,
			   const char *beside, struct measurement *measurement)
{
	const char *rw = option(view, "rw", "readwrite");

	set_text(measurement, "operation", pattern->operation);
	if (!pattern->rw)
		set_text(measurement, "pattern", "unknown");
	set_block_size(view, pattern, measurement);
	set_engine(view, measurement);
	set_io(view, measurement);
	if (pattern->reads && pattern->writes)
		set_mix(view, measurement);
	set_specials(view, measurement);
	set_sync(pattern, measurement);
	if (rw && strchr(rw, ':') && !measurement_parameter(measurement, "distribution"))
		set_text(measurement, "distribution", rw);
	if (*beside)
		set_text(measurement, "beside", beside);
}

/* ---- metrics -------------------------------------------------------------------------------- */

/* A metric the text has. */
static void add(struct measurement *measurement, const char *operation, enum metric_id id,
		double value)
{
	if (!isnan(value))
		measurement_add_metric(measurement, operation, &shared_metrics[id], value);
}

static const struct {
	double percent;
	enum metric_id id;
} percentile_metrics[] = {
    {50, METRIC_latency_p50}, {90, METRIC_latency_p90},	    {95, METRIC_latency_p95},
    {99, METRIC_latency_p99}, {99.9, METRIC_latency_p99_9}, {99.99, METRIC_latency_p99_99},
};

enum { PERCENTILE_METRICS = sizeof(percentile_metrics) / sizeof(percentile_metrics[0]) };

static bool is_percentile(double percent, size_t index)
{
	return fabs(percent - percentile_metrics[index].percent) < 1e-6;
}

bool fio_percentile_has_metric(double percent)
{
	for (size_t i = 0; i < PERCENTILE_METRICS; i++)
		if (is_percentile(percent, i))
			return true;
	return false;
}

static void add_percentiles(struct measurement *measurement, const char *operation,
			    const struct fio_io *io)
{
	for (size_t i = 0; i < PERCENTILE_METRICS; i++)
		for (size_t k = 0; k < io->percentile_count; k++)
			if (is_percentile(io->percentiles[k].percent, i))
				add(measurement, operation, percentile_metrics[i].id,
				    io->percentiles[k].ns);
}

static void add_io(struct measurement *measurement, const char *operation, const struct fio_io *io)
{
	const struct fio_latency *latency =
	    isnan(io->completion.mean_ns) ? &io->total : &io->completion;

	add(measurement, operation, METRIC_rate, io->iops);
	add(measurement, operation, METRIC_throughput, io->bytes_per_s);
	add(measurement, operation, METRIC_latency_min, latency->min_ns);
	add(measurement, operation, METRIC_latency_mean, latency->mean_ns);
	add(measurement, operation, METRIC_latency_stddev, latency->stddev_ns);
	add_percentiles(measurement, operation, io);
	add(measurement, operation, METRIC_latency_max, latency->max_ns);
	add(measurement, operation, METRIC_latency_submit, io->submit.mean_ns);
	add(measurement, operation, METRIC_count, io->ios);
	add(measurement, operation, METRIC_bytes, io->bytes);
	measurement_mark_headline(measurement, operation, "rate");
	measurement_mark_headline(measurement, operation, "latency_p99");
	if (io->histogram)
		measurement_add_histogram(measurement, operation)->histogram = *io->histogram;
}

/* ---- jobs to measurements
 * ------------------------------------------------------------------------- */

/* How many threads the figures are of, and the CPU of all of them together. */
static double count_threads(const struct job_view *view, size_t merged)
{
	const char *numjobs = option_or(view, "numjobs", NULL, "1");
	struct fio_job *job = view->job;
	double threads = NAN;
	uint64_t number;

	if (merged > 1)
		return (double)merged;
	if (job->jobs >= 1 && job->jobs < THREADS_MAX)
		threads = floor(job->jobs);
	else if (numjobs && span_integer(span_of(numjobs), &number) && number &&
		 number < THREADS_MAX)
		threads = (double)number;
	if (!isnan(threads)) {
		job->cpu_user_percent *= threads;
		job->cpu_system_percent *= threads;
	}
	return threads;
}

/* Little's law: rate x mean latency is how many requests were under way. */
static int check_latency(const struct job_view *view, const struct measurement *measurement,
			 enum fio_direction direction)
{
	const struct fio_io *io = &view->job->io[direction];
	const struct parameter *depth = measurement_parameter(measurement, "queue_depth");
	double allowed = depth ? (double)depth->value.number * view->threads : NAN;
	double under_way = io->iops * io->completion.mean_ns / 1e9;

	if (!(io->iops >= 10) || !(under_way > FIO_FACTOR_TOO_FAR * allowed))
		return 0;
	return text_refuse(
	    view->context->err, view->context->text, view->context->at,
	    "job %.100s: a mean %s latency of %.0f ns at %.0f a second takes %.0f requests under "
	    "way where %.0f were allowed: a unit is off by a thousand",
	    view->job->name, fio_direction_names[direction], io->completion.mean_ns, io->iops,
	    under_way, allowed);
}

/* A job with all its threads added to the first. */
struct merged_job {
	struct fio_job *job;
	size_t threads;
	size_t group_first; /* the first merged job of its group */
};

static struct merged_job *merge_jobs(struct fio_job *jobs, size_t count, size_t *merged_count)
{
	struct merged_job *merged = NULL;
	size_t threads, group_first = 0;

	for (size_t i = 0; i < count; i += threads) {
		threads = fio_merge_threads(&jobs[i], count - i);
		if (i && jobs[i].group != jobs[i - 1].group)
			group_first = *merged_count;
		*LIST_ADD(merged, *merged_count) =
		    (struct merged_job){&jobs[i], threads, group_first};
	}
	return merged;
}

/* The names of the other jobs of the group, cut where a parameter ends. */
static void name_others(const struct merged_job *jobs, size_t count, size_t self,
			char text[VALUE_TEXT_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = jobs[self].group_first; i < count && used < VALUE_TEXT_MAX; i++) {
		if (jobs[i].group_first != jobs[self].group_first)
			return;
		if (i != self)
			used += (size_t)snprintf(text + used, VALUE_TEXT_MAX - used, "%s%s",
						 used ? ", " : "", jobs[i].job->name);
	}
}

/* The job itself is named where a reader looks for remarks. */
static void remark(struct measurement *measurement, const struct fio_job *job)
{
	char name[200];

	span_copy_to(span_of(job->name), name, sizeof(name));
	if (job->error > 0)
		snprintf(measurement->message, sizeof(measurement->message),
			 "job %s: fio ended with error %.0f", name, job->error);
	else
		snprintf(measurement->message, sizeof(measurement->message), "job %s", name);
}

static void keep(struct imported_run *run, const struct fio_job *job, const char *what,
		 const char *text)
{
	char name[256];

	snprintf(name, sizeof(name), "%.200s: %s", job->name, what);
	import_keep(run, name, text);
}

static void keep_options(struct imported_run *run, const struct fio_job *job)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const char *before = "";

	if (!out)
		abort();
	for (size_t i = 0; i < job->option_count; i++) {
		if (job->options[i].used || !strcmp(job->options[i].name, "name"))
			continue;
		fprintf(out, "%s%s=%s", before, job->options[i].name, job->options[i].value);
		before = ", ";
	}
	if (fclose(out))
		abort();
	if (*text)
		keep(run, job, "options", text);
	free(text);
}

/* Figures that become no metric: of trims, and of a job that failed. */
static void keep_io(struct imported_run *run, const struct fio_job *job,
		    enum fio_direction direction)
{
	const struct fio_io *io = &job->io[direction];
	char text[300];

	snprintf(text, sizeof(text),
		 "%.0f bytes, %.0f operations, %.0f bytes/s, %.2f operations/s, %.0f ms, mean "
		 "latency %.0f ns",
		 io->bytes, io->ios, io->bytes_per_s, io->iops, io->runtime_ms,
		 io->completion.mean_ns);
	keep(run, job, fio_direction_names[direction], text);
}

static double longer(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

static int add_directions(const struct job_view *view, struct imported_run *run,
			  struct measurement *measurement)
{
	static const char *const operations[] = {
	    [FIO_READ] = "read", [FIO_WRITE] = "write", [FIO_TRIM] = NULL, [FIO_MIXED] = "all"};
	double runtime_ms = NAN;
	int code = 0;

	for (int i = 0; !code && i < FIO_DIRECTIONS; i++) {
		const struct fio_io *io = &view->job->io[i];

		if (!fio_io_moved(io))
			continue;
		code = check_latency(view, measurement, (enum fio_direction)i);
		runtime_ms = longer(runtime_ms, io->runtime_ms);
		if (measurement->status == STATUS_OK && operations[i])
			add_io(measurement, operations[i], io);
		else
			keep_io(run, view->job, (enum fio_direction)i);
	}
	if (isnan(runtime_ms) && measurement->status == STATUS_OK) {
		measurement->status = STATUS_FAILED;
		snprintf(measurement->message, sizeof(measurement->message),
			 "job %.200s: nothing was moved", view->job->name);
	}
	if (runtime_ms > 0 && runtime_ms < 1e12)
		measurement->elapsed_ns = (uint64_t)(runtime_ms * 1e6);
	return code;
}

/* Percent of one CPU that all threads took; of a thread's mean without their number, no sum. */
static void add_cpu(const struct job_view *view, struct imported_run *run,
		    struct measurement *measurement)
{
	const struct fio_job *job = view->job;
	char text[80];

	if (measurement->status == STATUS_OK && !isnan(view->threads)) {
		add(measurement, "all", METRIC_cpu_user, job->cpu_user_percent);
		add(measurement, "all", METRIC_cpu_system, job->cpu_system_percent);
	} else if (!isnan(job->cpu_user_percent)) {
		snprintf(text, sizeof(text), "usr=%.2f%%, sys=%.2f%%", job->cpu_user_percent,
			 job->cpu_system_percent);
		keep(run, job, "cpu of a thread", text);
	}
}

/* A job of which nothing has a place here. */
static void keep_job(struct imported_run *run, const struct fio_job *job)
{
	for (int i = 0; i < FIO_DIRECTIONS; i++)
		if (fio_io_moved(&job->io[i]))
			keep_io(run, job, (enum fio_direction)i);
}

static int add_job(const struct fio_context *context, const struct merged_job *merged,
		   const char *beside, struct imported_run *run)
{
	struct fio_job *job = merged->job;
	struct job_view view = {.context = context, .job = job};
	struct pattern pattern = pattern_of(&view);
	struct measurement *measurement;
	int code;

	if (!pattern.phase) {
		keep_job(run, job);
		keep_options(run, job);
		return 0;
	}
	view.threads = count_threads(&view, merged->threads);
	measurement = import_add_measurement(run, pattern.phase);
	measurement->status = job->error > 0 ? STATUS_FAILED : STATUS_OK;
	if (job->error > 0)
		run_set_text(&run->run.status, "failed");
	remark(measurement, job);
	set_parameters(&view, &pattern, beside, measurement);
	code = add_directions(&view, run, measurement);
	add_cpu(&view, run, measurement);
	keep_options(run, job);
	return code;
}

/* ---- jobs that nothing tells apart ---------------------------------------------------------- */

static int compare_parameters(const struct measurement *a, const struct measurement *b)
{
	int order = strcmp(a->phase, b->phase);

	for (size_t i = 0; !order && i < a->parameter_count && i < b->parameter_count; i++) {
		const struct parameter *p = &a->parameters[i], *q = &b->parameters[i];

		order = strcmp(p->name, q->name);
		if (!order)
			order = strcmp(p->value.text, q->value.text);
		if (!order)
			order = (p->value.number > q->value.number) -
				(p->value.number < q->value.number);
	}
	return order ? order
		     : (a->parameter_count > b->parameter_count) -
			   (a->parameter_count < b->parameter_count);
}

static int compare_addresses(const void *a, const void *b)
{
	return compare_parameters(*(struct measurement *const *)a, *(struct measurement *const *)b);
}

/* Measurements of equal parameters get their job's name as one more, taken from the remark. */
static void tell_apart(struct imported_run *run, size_t first)
{
	size_t count = run->measurement_count - first;
	struct measurement **sorted = calloc(count + 1, sizeof(*sorted));
	bool *same = calloc(count + 1, sizeof(*same));

	if (!sorted || !same)
		abort();
	for (size_t i = 0; i < count; i++)
		sorted[i] = &run->measurements[first + i];
	qsort(sorted, count, sizeof(*sorted), compare_addresses);
	for (size_t i = 1; i < count; i++)
		if (!compare_parameters(sorted[i - 1], sorted[i]))
			same[i - 1] = same[i] = true;
	for (size_t i = 0; i < count; i++)
		if (same[i])
			set_text(sorted[i], "job", sorted[i]->message + strlen("job "));
	free(same);
	free(sorted);
}

int fio_add_jobs(const struct fio_context *context, struct fio_job *jobs, size_t count,
		 struct imported_run *run)
{
	size_t first = run->measurement_count, merged_count = 0;
	struct merged_job *merged;
	int code = fio_check_jobs(context, jobs, count);

	if (code)
		return code;
	merged = merge_jobs(jobs, count, &merged_count);
	for (size_t i = 0; !code && i < merged_count; i++) {
		char beside[VALUE_TEXT_MAX];

		name_others(merged, merged_count, i, beside);
		code = add_job(context, &merged[i], beside, run);
	}
	free(merged);
	if (!code)
		tell_apart(run, first);
	return code;
}
