/* SPDX-License-Identifier: MIT */
/*
 * import_fio_terse.c - fio's terse lines, versions 2 to 5; all lines of a text are one run.
 *
 * A line is: version; fio's version (from 3 on); job; group; error; then reads, writes and (4, 5,
 * late 2) trims, each
 *
 *   KiB; KiB/s; IOPS; ms; 4 submission latencies; 4 completion latencies; 20 percentiles
 *   "99.000000%=128"; 4 total latencies; 5 of bandwidth, in version 5 with 6 more
 *
 * then user and system CPU, 3 counters, 7 depths, 22 latency classes; then 9 of each disk, from 3
 * on, and perhaps a description. Latencies are us. A semicolon in the job's name moves everything
 * to the right, so the place of the first percentile tells how far the name goes.
 *
 * Neither access pattern nor block size, depth or engine are in it: see fio_job.h for how the user
 * can say them. A later line of a job with a longer time is a later status of the same
 * (--status-interval), and the one that counts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fio_job.h"
#include "list.h"

enum {
	IO_FIELDS = 41,
	IO_FIELDS_5 = 47,
	TAIL_FIELDS = 34,
	DISK_FIELDS = 9,
	PERCENTILE_FIRST = 12,
	PERCENTILES = 20,
	FIELDS_MAX = 1024,
	JOBS_MAX = 65536
};

struct terse {
	struct span fields[FIELDS_MAX];
	size_t count;
	unsigned version;
	size_t name_first, io_first; /* where these begin */
	size_t io_fields, directions;
};

struct reader {
	const char *text;
	struct err *err;
	struct fio_job *jobs;
	size_t job_count;
	struct imported_run *run;
};

static bool is_terse(struct span line)
{
	if (line.length < 2 || line.start[0] < '2' || line.start[0] > '5' || line.start[1] != ';')
		return false;
	if (line.start[0] == '2')
		return span_count(line, ';') > 50;
	return span_starts(span_between(line.start + 2, span_end(line)), "fio-");
}

static int refuse(const struct reader *reader, struct span field, const char *what)
{
	char shown[40];

	return text_refuse(reader->err, reader->text, field.start,
			   "\"%s\" is no %s of fio's terse output",
			   span_copy_to(field, shown, sizeof(shown)), what);
}

/* ---- the layout of a line ------------------------------------------------------------------- */

static bool is_percentile(struct span field)
{
	const char *mark = span_find(field, "%=");
	double number;

	return mark && span_number(span_between(field.start, mark), &number) &&
	       span_number(span_between(mark + 2, span_end(field)), &number);
}

/* Whether the figures begin there: percentiles where they must be, and the CPU behind them. */
static bool fits(const struct terse *terse, size_t io_first, size_t directions)
{
	size_t cpu = io_first + directions * terse->io_fields;

	if (cpu + TAIL_FIELDS > terse->count)
		return false;
	for (size_t i = 0; i < directions; i++) {
		size_t first = io_first + i * terse->io_fields + PERCENTILE_FIRST;

		if (!is_percentile(terse->fields[first]) ||
		    !is_percentile(terse->fields[first + PERCENTILES - 1]))
			return false;
	}
	return span_ends(terse->fields[cpu], "%") && span_ends(terse->fields[cpu + 1], "%") &&
	       span_ends(terse->fields[cpu + TAIL_FIELDS - 1], "%");
}

static bool find_layout(struct terse *terse)
{
	size_t most = terse->version == 3 ? 2 : 3, least = terse->version == 2 ? 2 : most;

	terse->name_first = terse->version == 2 ? 1 : 2;
	terse->io_fields = terse->version == 5 ? IO_FIELDS_5 : IO_FIELDS;
	for (size_t first = terse->name_first + 3; first < terse->count; first++)
		for (size_t directions = most; directions >= least; directions--)
			if (fits(terse, first, directions)) {
				terse->io_first = first;
				terse->directions = directions;
				return true;
			}
	return false;
}

static int split(const struct reader *reader, struct span line, struct terse *terse)
{
	struct span rest = line;

	terse->count = 0;
	terse->version = (unsigned)(line.start[0] - '0');
	while (terse->count < FIELDS_MAX && span_next(&rest, ';', &terse->fields[terse->count]))
		terse->count++;
	if (find_layout(terse))
		return 0;
	return text_refuse(reader->err, reader->text, span_end(line),
			   "%zu fields do not make a line of fio's terse version %u", terse->count,
			   terse->version);
}

/* ---- figures -------------------------------------------------------------------------------- */

/* One number; fio writes nan where it has none. */
static int read_number(const struct reader *reader, struct span field, double *number)
{
	*number = NAN;
	if (span_is(field, "nan") || span_is(field, "-nan") || span_number(field, number))
		return 0;
	return refuse(reader, field, "number");
}

static int read_latency(const struct reader *reader, const struct span fields[4],
			struct fio_latency *latency)
{
	double *const places[] = {&latency->min_ns, &latency->max_ns, &latency->mean_ns,
				  &latency->stddev_ns};
	int code = 0;

	for (size_t i = 0; !code && i < 4; i++) {
		code = read_number(reader, fields[i], places[i]);
		*places[i] *= 1e3;
	}
	if (!(latency->max_ns > 0) && !(latency->mean_ns > 0)) /* nothing was measured */
		latency->min_ns = latency->max_ns = latency->mean_ns = latency->stddev_ns = NAN;
	return code;
}

static int read_percentiles(const struct reader *reader, const struct span *fields,
			    struct fio_io *io)
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		const char *mark = span_find(fields[i], "%=");
		double percent, us;

		if (!mark || !span_number(span_between(fields[i].start, mark), &percent) ||
		    !span_number(span_between(mark + 2, span_end(fields[i])), &us))
			return refuse(reader, fields[i], "percentile");
		if (percent > 0) /* the places nobody asked for are 0%=0 */
			io->percentiles[io->percentile_count++] =
			    (struct fio_percentile){percent, us * 1e3};
	}
	return 0;
}

static int read_io(const struct reader *reader, const struct span *fields, struct fio_io *io)
{
	int code = read_number(reader, fields[0], &io->bytes);

	if (!code)
		code = read_number(reader, fields[1], &io->bytes_per_s);
	if (!code)
		code = read_number(reader, fields[2], &io->iops);
	if (!code)
		code = read_number(reader, fields[3], &io->runtime_ms);
	if (!code)
		code = read_latency(reader, fields + 4, &io->submit);
	if (!code)
		code = read_latency(reader, fields + 8, &io->completion);
	if (!code)
		code = read_percentiles(reader, fields + PERCENTILE_FIRST, io);
	if (!code)
		code = read_latency(reader, fields + PERCENTILE_FIRST + PERCENTILES, &io->total);
	io->bytes *= 1024;
	io->bytes_per_s *= 1024;
	return code;
}

static int read_percent(const struct reader *reader, struct span field, double *percent)
{
	if (!span_ends(field, "%"))
		return refuse(reader, field, "percentage");
	field.length--;
	return read_number(reader, field, percent);
}

static int read_job(const struct reader *reader, const struct terse *terse, struct fio_job *job)
{
	const struct span *head = terse->fields + terse->io_first - 2; /* group, error */
	const struct span *tail =
	    terse->fields + terse->io_first + terse->directions * terse->io_fields;
	int code;

	fio_job_init(job);
	job->name =
	    span_copy(span_between(terse->fields[terse->name_first].start, span_end(head[-1])));
	code = read_number(reader, head[0], &job->group);
	if (!code)
		code = read_number(reader, head[1], &job->error);
	for (size_t i = 0; !code && i < terse->directions; i++)
		code = read_io(reader, terse->fields + terse->io_first + i * terse->io_fields,
			       &job->io[i]);
	if (!code)
		code = read_percent(reader, tail[0], &job->cpu_user_percent);
	return code ? code : read_percent(reader, tail[1], &job->cpu_system_percent);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The rest of the line, in fio's order: counters, depths, classes, disks, description. */
static void keep_tail(const struct reader *reader, const struct terse *terse,
		      const struct fio_job *job)
{
	size_t first = terse->io_first + terse->directions * terse->io_fields + 2;
	char name[256];
	char *text;

	text = span_copy(
	    span_between(terse->fields[first].start, span_end(terse->fields[terse->count - 1])));
	snprintf(name, sizeof(name), "%.200s: ctx;majf;minf;depths;latency classes;disks",
		 job->name);
	import_keep(reader->run, name, text);
	free(text);
}

/* Whether nine fields of a disk begin there: the last is its utilisation. */
static bool is_disk(const struct terse *terse, size_t first)
{
	return first + DISK_FIELDS <= terse->count &&
	       span_ends(terse->fields[first + DISK_FIELDS - 1], "%");
}

/* The one disk fio watched, where there is only one. */
static void set_device(const struct reader *reader, const struct terse *terse)
{
	size_t first = terse->io_first + terse->directions * terse->io_fields + TAIL_FIELDS;
	char name[NAME_MAX_BYTES];

	if (is_disk(terse, first) && !is_disk(terse, first + DISK_FIELDS))
		facts_set_text(&reader->run->run.facts, "device",
			       span_copy_to(terse->fields[first], name, sizeof(name)));
}

static double longest_ms(const struct fio_job *job)
{
	return fmax(job->io[FIO_READ].runtime_ms, job->io[FIO_WRITE].runtime_ms);
}

/* Puts the job behind the others, or in the place of an earlier status of it. */
static int put_job(struct reader *reader, struct span line, const struct fio_job *job)
{
	struct fio_job *last = reader->job_count ? &reader->jobs[reader->job_count - 1] : NULL;

	if (last && !strcmp(last->name, job->name) && last->group == job->group &&
	    longest_ms(job) > 1.05 * longest_ms(last) + 200) {
		import_keep(reader->run, "interim status", last->name);
		fio_job_release(last);
		*last = *job;
		return 0;
	}
	if (reader->job_count == JOBS_MAX)
		return text_refuse(reader->err, reader->text, line.start,
				   "more than %d jobs in one text", JOBS_MAX);
	*LIST_ADD(reader->jobs, reader->job_count) = *job;
	return 0;
}

static int read_line(struct reader *reader, struct span line, struct terse *terse)
{
	struct fio_job job;
	int code = split(reader, line, terse);

	if (code)
		return code;
	code = read_job(reader, terse, &job);
	if (!code)
		code = put_job(reader, line, &job);
	if (code) {
		fio_job_release(&job);
		return code;
	}
	if (terse->version > 2 && !reader->run->run.version) {
		char *version = span_copy(terse->fields[1]);

		run_set_text(&reader->run->run.version, fio_version_text(version));
		free(version);
	}
	keep_tail(reader, terse, &reader->jobs[reader->job_count - 1]);
	set_device(reader, terse);
	return 0;
}

static int read_lines(struct reader *reader, size_t length)
{
	struct terse *terse = malloc(sizeof(*terse));
	struct lines lines = lines_of(reader->text, length);
	int code = 0;

	if (!terse)
		abort();
	while (!code && lines_next(&lines))
		if (is_terse(lines.line))
			code = read_line(reader, lines.line, terse);
	free(terse);
	return code;
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct fio_context context = {text, text, sink->given, err};
	struct reader reader = {.text = text, .err = err};
	int code;

	reader.run = import_add_run(sink, &importer_fio_terse, "fio", text, 0, length, NULL);
	code = read_lines(&reader, length);
	if (!code && !reader.job_count)
		code = text_refuse(err, text, text, "no line of fio's terse output");
	if (!code)
		code = fio_add_jobs(&context, reader.jobs, reader.job_count, reader.run);
	for (size_t i = 0; i < reader.job_count; i++)
		fio_job_release(&reader.jobs[i]);
	free(reader.jobs);
	return code;
}

static int sniff(const char *head, size_t length)
{
	struct lines lines = lines_of(head, length);

	while (lines_next(&lines))
		if (is_terse(lines.line))
			return 80;
	return 0;
}

const struct importer importer_fio_terse = {
    .name = "fio_terse",
    .help = "terse lines of fio, versions 2 to 5",
    .sniff = sniff,
    .parse = parse,
};
