/* SPDX-License-Identifier: MIT */
/*
 * import_fio_text.c - fio's report for people, 1.x to 3.x; all jobs of a text are one run.
 *
 * Two kinds of lines name a job. The one printed at the start has what the job was asked to do:
 *
 *   name: (g=0): rw=randwrite, bs=8K-8K/8K-8K, ioengine=sync, iodepth=1
 *
 * and the one that begins its results how many threads they are of and how they ended:
 *
 *   name: (groupid=0, jobs=8): err= 0: pid=24877
 *
 * They are joined by name and group; results without the first kind have no known pattern. Under
 * the second follow indented lines until the next, or until the group's summary.
 *
 * NUMBERS. Thousands may have commas (83,766). A suffix K, M, ... of bytes is a power of 1024, "MB"
 * in 1.x and 2.x, "MiB" in 3.x, which uses "MB" for powers of 1000 and puts it second. A suffix of
 * a count or a latency is a power of 1000. So figures have the three or four digits that fio
 * printed. The unit of a latency is in its label: (nsec), (usec), (msec).
 *
 * A later result of the same process is a later status of the same job (--status-interval).
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fio_job.h"
#include "list.h"

enum { JOBS_MAX = 16384, HEADERS_MAX = 4096 };

/* A line that says what a job was asked to do. */
struct header {
	struct span name, group, options;
};

struct reader {
	const char *text;
	struct err *err;
	struct imported_run *run;
	struct header *headers;
	size_t header_count;
	struct fio_job *jobs;
	size_t job_count;
	struct fio_job *job;  /* whose lines these are, or NULL */
	bool issued;	      /* its last line of figures was there */
	struct fio_io *io;    /* whose latencies these are, or NULL */
	double percentile_ns; /* unit of the percentiles that follow; 0: they are not wanted */
	bool in_disks;
	struct span first_disk;
	unsigned disks;
};

static int refuse(const struct reader *reader, struct span word, const char *what)
{
	char shown[40];

	return text_refuse(reader->err, reader->text, word.start, "\"%s\" is no %s of fio",
			   span_copy_to(word, shown, sizeof(shown)), what);
}

/* ---- numbers with suffixes ------------------------------------------------------------------ */

/* Digits with thousands commas and a fraction, off the front of rest. */
static bool take_number(struct span *rest, double *number)
{
	char plain[40];
	size_t used = 0;

	while (rest->length && used + 1 < sizeof(plain)) {
		const char *at = rest->start;
		bool is_comma = *at == ',' && rest->length > 3 && isdigit((unsigned char)at[1]) &&
				isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]);

		if (!isdigit((unsigned char)*at) && *at != '.' && !(*at == '-' && !used) &&
		    !is_comma)
			break;
		if (!is_comma)
			plain[used++] = *at;
		*rest = span_between(at + 1, span_end(*rest));
	}
	return span_number((struct span){plain, used}, number);
}

/* The power a suffix stands for, 1 for none of them. */
static double power(char suffix, double base)
{
	static const char suffixes[] = "kmgtp";
	const char *at = suffix ? strchr(suffixes, suffix | 0x20) : NULL;

	return at && *at ? pow(base, (double)(at - suffixes + 1)) : 1;
}

/* "861", "10,487", "241k": of operations and of latencies. */
static bool read_count(struct span word, double *number)
{
	if (!take_number(&word, number))
		return false;
	*number *= power(word.length ? word.start[0] : '\0', 1000);
	return word.length <= 1;
}

/* "25,860MB", "862MB/s", "3768MiB/s", "512B/s"; modern: of fio 3, where only iB is 1024. */
static bool read_bytes(struct span word, bool modern, double *number)
{
	bool binary;

	if (span_ends(word, "/s"))
		word.length -= 2;
	if (!take_number(&word, number) || !word.length)
		return false;
	if (!span_ends(word, "B") && !modern) /* 3.x leaves it away in the sum of clients */
		return false;
	binary = !modern || span_find(word, "i");
	*number = round(*number * power(word.start[0], binary ? 1024 : 1000));
	return true;
}

/* The value of "key=" in a line: up to a comma that is followed by a blank, a blank, or the end. */
static struct span value_of(struct span line, const char *key)
{
	struct span rest = span_trim(span_after(line, key));
	size_t length = 0;

	if (!rest.start)
		return rest;
	while (length < rest.length && rest.start[length] != ' ' && rest.start[length] != '(' &&
	       rest.start[length] != ')' && rest.start[length] != ';')
		length++;
	while (length && rest.start[length - 1] == ',')
		length--;
	return (struct span){rest.start, length};
}

/* A value that may be missing. */
static int get_count(const struct reader *reader, struct span line, const char *key, double *number)
{
	struct span word = value_of(line, key);

	*number = NAN;
	if (!word.start || span_is(word, "nan") || span_is(word, "-nan"))
		return 0;
	return read_count(word, number) ? 0 : refuse(reader, word, "number");
}

/* ---- the line printed at the start ---------------------------------------------------------- */

/* Splits "name: (g=0): rest" at its mark, of which the name may hold another. */
static bool split_named(struct span line, const char *mark, struct span *name, struct span *rest)
{
	const char *at = span_find_last(line, mark);

	if (!at)
		return false;
	*name = span_trim(span_between(line.start, at));
	if (span_starts(*name, "<") && span_find(*name, "> ")) /* a client's host */
		*name = span_after(*name, "> ");
	*rest = span_between(at + strlen(mark), span_end(line));
	return true;
}

static bool read_header(struct reader *reader, struct span line)
{
	struct header *header;
	struct span name, rest;

	if (!split_named(line, ": (g=", &name, &rest) || !span_find(rest, "): rw="))
		return false;
	if (reader->header_count == HEADERS_MAX)
		return true;
	header = LIST_ADD(reader->headers, reader->header_count);
	header->name = name;
	span_next(&rest, ')', &header->group);
	header->options = span_after(rest, ": ");
	return true;
}

/* "rw=randwrite, bs=8K-8K/8K-8K, ioengine=sync, iodepth=1": the values hold commas, so each goes
 * until the next key that is known. */
static void set_options(struct fio_job *job, struct span options)
{
	static const char *const keys[] = {"rw=", "bs=", "ioengine=", "iodepth="};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct span value = span_after(options, keys[i]);

		if (!value.start)
			continue;
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const char *next = span_find(value, keys[k]);

			if (next)
				value = span_between(value.start, next);
		}
		value = span_trim(value);
		if (span_ends(value, ","))
			value.length--;
		fio_job_set_option(job, (struct span){keys[i], strlen(keys[i]) - 1}, value);
	}
}

static void find_options(const struct reader *reader, struct span name, double group,
			 struct fio_job *job)
{
	for (size_t i = 0; i < reader->header_count; i++) {
		const struct header *header = &reader->headers[i];
		double number;

		if (header->name.length == name.length &&
		    !memcmp(header->name.start, name.start, name.length) &&
		    span_number(header->group, &number) && number == group) {
			set_options(job, header->options);
			return;
		}
	}
}

/* ---- the line that begins a job's results --------------------------------------------------- */

/* Every report of a job ends with how many operations were issued; one without was cut. */
static int check_whole(const struct reader *reader, const char *at)
{
	if (!reader->job || reader->issued || reader->job->error > 0)
		return 0;
	return text_refuse(
	    reader->err, reader->text, at,
	    "the results of job %.100s end before the number of operations it issued",
	    reader->job->name);
}

/* The place of a job: a new one, or that of an earlier status of the same process. */
static struct fio_job *place_job(struct reader *reader, const struct fio_job *job)
{
	for (size_t i = reader->job_count; i && !isnan(job->pid); i--) {
		struct fio_job *earlier = &reader->jobs[i - 1];

		if (earlier->pid == job->pid && earlier->group == job->group &&
		    !strcmp(earlier->name, job->name)) {
			import_keep(reader->run, "interim status", job->name);
			fio_job_release(earlier);
			return earlier;
		}
	}
	return LIST_ADD(reader->jobs, reader->job_count);
}

static void keep_time(const struct reader *reader, const struct fio_job *job, struct span rest)
{
	struct span time = span_after(span_after(rest, "pid="), ": ");
	char name[256];
	char *text;

	if (!time.length)
		return;
	snprintf(name, sizeof(name), "%.200s: finished (local time)", job->name);
	text = span_copy(time);
	import_keep(reader->run, name, text);
	free(text);
}

/* In client mode the jobs of all hosts are followed by their sum. */
static bool is_sum(const struct reader *reader, struct span name)
{
	if (!span_is(name, "All clients") || !reader->job_count)
		return false;
	import_keep(reader->run, "All clients", "the sum of the jobs above it was left out");
	return true;
}

static int read_result(struct reader *reader, struct span line, struct span name, struct span rest)
{
	struct fio_job job;
	struct span pid = span_after(rest, "pid="), digits;
	int code = check_whole(reader, line.start);

	if (code)
		return code;
	if (is_sum(reader, name)) {
		reader->job = NULL;
		return 0;
	}
	if (reader->job_count == JOBS_MAX)
		return text_refuse(reader->err, reader->text, line.start,
				   "more than %d jobs in one text", JOBS_MAX);
	fio_job_init(&job);
	code = get_count(reader, span_between(rest.start - 1, span_end(rest)), "=", &job.group);
	if (!code)
		code = get_count(reader, rest, "jobs=", &job.jobs);
	if (code)
		return code;
	job.error = 0;
	digits = span_trim(span_after(rest, "err="));
	if (!digits.start || !take_number(&digits, &job.error))
		return refuse(reader, rest, "line of results");
	if (pid.start && span_take_digits(&pid, &digits))
		span_number(digits, &job.pid);
	job.name = span_copy(name);
	find_options(reader, name, job.group, &job);
	keep_time(reader, &job, rest);
	reader->job = place_job(reader, &job);
	*reader->job = job;
	reader->issued = false;
	reader->io = NULL;
	reader->percentile_ns = 0;
	return 0;
}

/* ---- the lines of a job --------------------------------------------------------------------- */

static const char *const direction_words[] = {"read", "write", "trim", "mixed"};

/* "read : io=1024MB, bw=..., iops=..., runt= 60001msec" of 1.x and 2.x. */
static int read_old_io(const struct reader *reader, struct span line, struct fio_io *io)
{
	struct span bytes = value_of(line, "io="), rate = value_of(line, "bw="),
		    time = value_of(line, "runt=");
	int code;

	if (!read_bytes(bytes, false, &io->bytes))
		return refuse(reader, bytes, "amount");
	if (!read_bytes(rate, false, &io->bytes_per_s))
		return refuse(reader, rate, "bandwidth");
	code = get_count(reader, line, "iops=", &io->iops);
	if (code)
		return code;
	if (!span_ends(time, "msec"))
		return refuse(reader, time, "time in msec");
	time.length -= strlen("msec");
	return read_count(time, &io->runtime_ms) ? 0 : refuse(reader, time, "time");
}

/* "read: IOPS=241k, BW=3768MiB/s (3952MB/s)(7541MiB/2001msec)" of 3.x. */
static int read_new_io(const struct reader *reader, struct span line, struct fio_io *io)
{
	struct span rate = value_of(line, "BW="), rest = span_after(line, ")("), bytes;
	int code = get_count(reader, line, "IOPS=", &io->iops);

	if (code)
		return code;
	if (!read_bytes(rate, true, &io->bytes_per_s))
		return refuse(reader, rate, "bandwidth");
	if (!rest.start || !span_next(&rest, '/', &bytes) || !read_bytes(bytes, true, &io->bytes))
		return refuse(reader, line, "line of bandwidth and time");
	if (!span_find(rest, "msec)"))
		return refuse(reader, rest, "time in msec");
	rest = span_between(rest.start, span_find(rest, "msec)"));
	return read_count(rest, &io->runtime_ms) ? 0 : refuse(reader, rest, "time");
}

/* The direction a line begins, behind its blanks; false when it begins none. */
static bool begins_io(struct span line, size_t *direction, struct span *rest)
{
	for (*direction = 0; *direction < FIO_DIRECTIONS; ++*direction) {
		if (!span_starts(line, direction_words[*direction]))
			continue;
		*rest = span_trim(
		    span_between(line.start + strlen(direction_words[*direction]), span_end(line)));
		if (!span_starts(*rest, ":"))
			return false;
		*rest = span_trim(span_between(rest->start + 1, span_end(*rest)));
		return span_starts(*rest, "io=") || span_starts(*rest, "IOPS=");
	}
	return false;
}

/* The unit in a label like "clat (usec)", in ns; 0: none. */
static double label_ns(struct span line)
{
	const char *end = span_find(line, ")");
	struct span label = span_between(line.start, end ? end : line.start);

	return span_find(label, "(nsec")   ? 1
	       : span_find(label, "(usec") ? 1e3
	       : span_find(label, "(msec") ? 1e6
					   : 0;
}

/* "clat (usec): min=41, max=1,835K, avg=268.42, stdev=3627.29" */
static int read_latency(const struct reader *reader, struct span line, struct fio_latency *latency)
{
	double ns = label_ns(line);
	int code = get_count(reader, line, "min=", &latency->min_ns);

	if (!code)
		code = get_count(reader, line, "max=", &latency->max_ns);
	if (!code)
		code = get_count(reader, line, "avg=", &latency->mean_ns);
	if (!code)
		code = get_count(reader, line, "stdev=", &latency->stddev_ns);
	latency->min_ns *= ns;
	latency->max_ns *= ns;
	latency->mean_ns *= ns;
	latency->stddev_ns *= ns;
	return code;
}

/* " |  1.00th=[  302],  5.00th=[  310]," */
static int read_percentiles(const struct reader *reader, struct span line)
{
	struct fio_io *io = reader->io;
	struct span cell;

	if (!reader->percentile_ns)
		return 0;
	line = span_trim(span_between(line.start + 1, span_end(line)));
	while (span_next(&line, ']', &cell)) {
		const char *mark = span_find(cell, "th=[");
		struct span percent;
		double number, value;

		if (!mark)
			continue;
		percent = span_trim(span_between(cell.start, mark));
		if (span_starts(percent, ","))
			percent = span_trim(span_between(percent.start + 1, span_end(percent)));
		if (!span_number(percent, &number) ||
		    !read_count(span_trim(span_between(mark + 4, span_end(cell))), &value))
			return refuse(reader, cell, "percentile");
		if (io->percentile_count < FIO_PERCENTILES_MAX)
			io->percentiles[io->percentile_count++] =
			    (struct fio_percentile){number, value * reader->percentile_ns};
	}
	return 0;
}

/* "cpu : usr=0.06%, sys=2.03%, ctx=91888, majf=0, minf=176" */
static int read_cpu(const struct reader *reader, struct span line)
{
	static const char *const keys[] = {"usr=", "sys="};
	double *const places[] = {&reader->job->cpu_user_percent, &reader->job->cpu_system_percent};

	for (size_t i = 0; i < 2; i++) {
		struct span word = value_of(line, keys[i]);

		if (span_ends(word, "%"))
			word.length--;
		if (word.start && !span_is(word, "nan") && !span_is(word, "-nan") &&
		    !read_count(word, places[i]))
			return refuse(reader, word, "percentage");
	}
	return 0;
}

/* "issued r/w: total=0/25860, ...", "issued    : total=r=0/w=314659/d=0, ...", "issued rwts:
 * total=0,482607,0,0 ...": operations by direction. */
static int read_issued(struct reader *reader, struct span line)
{
	struct span totals = value_of(line, "total="), word;
	char separator = span_find(totals, "/") ? '/' : ',';

	for (size_t i = 0; i <= FIO_TRIM && span_next(&totals, separator, &word); i++) {
		if (span_find(word, "="))
			word = span_after(word, "=");
		if (!read_count(word, &reader->job->io[i].ios))
			return refuse(reader, word, "number of operations");
	}
	reader->issued = span_find(line, "short=") != NULL; /* else the line is cut short */
	return 0;
}

static void keep_line(const struct reader *reader, struct span line)
{
	char name[256];
	char *text = span_copy(line);

	snprintf(name, sizeof(name), "%.200s: also", reader->job->name);
	import_keep(reader->run, name, text);
	free(text);
}

/* The lines below a direction. */
static int read_io_line(struct reader *reader, struct span line)
{
	bool has_moments = span_find(line, "min=") != NULL && label_ns(line) > 0;

	if (span_starts(line, "|"))
		return read_percentiles(reader, line);
	reader->percentile_ns = 0;
	if (span_starts(line, "clat percentiles"))
		reader->percentile_ns = label_ns(line);
	else if (has_moments && span_starts(line, "slat ("))
		return read_latency(reader, line, &reader->io->submit);
	else if (has_moments && span_starts(line, "clat ("))
		return read_latency(reader, line, &reader->io->completion);
	else if (has_moments && span_starts(line, "lat ("))
		return read_latency(reader, line, &reader->io->total);
	else
		keep_line(reader, line);
	return 0;
}

static int read_job_line(struct reader *reader, struct span line)
{
	struct span rest;
	size_t direction;

	if (begins_io(line, &direction, &rest)) {
		reader->io = &reader->job->io[direction];
		reader->percentile_ns = 0;
		return span_starts(rest, "io=") ? read_old_io(reader, rest, reader->io)
						: read_new_io(reader, rest, reader->io);
	}
	if (span_starts(line, "cpu") && span_find(line, "usr="))
		return read_cpu(reader, line);
	if (span_starts(line, "issued") && span_find(line, "total="))
		return read_issued(reader, line);
	if (span_starts(line, "fsync/")) /* latencies of syncs follow, not of a direction */
		reader->io = NULL;
	if (reader->io)
		return read_io_line(reader, line);
	if (!span_starts(line, "|"))
		keep_line(reader, line);
	return 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "  sda: ios=...": the disk itself, or what it is made of. */
static void read_disk(struct reader *reader, struct span line)
{
	const char *mark = span_find(line, ": ios=");

	if (!mark)
		return;
	if (!reader->disks++)
		reader->first_disk = span_trim(span_between(line.start, mark));
}

/* "fio-3.33", "fio 1.59": the first of them names the program's version. */
static bool read_version(struct reader *reader, struct span line)
{
	char *version;

	if (line.length < 5 || line.length > 40 || !isdigit((unsigned char)line.start[4]) ||
	    (!span_starts(line, "fio-") && !span_starts(line, "fio ")))
		return false;
	version = span_copy(line);
	if (!reader->run->run.version)
		run_set_text(&reader->run->run.version, fio_version_text(version));
	free(version);
	return true;
}

/* What ends the results of the jobs before it. */
static bool begins_summary(struct reader *reader, struct span line)
{
	bool disks = span_starts(line, "Disk stats");

	if (!disks && !span_starts(line, "Run status group"))
		return false;
	reader->in_disks = disks;
	return true;
}

static int read_line(struct reader *reader, struct span line)
{
	struct span name, rest, trimmed = span_trim(line);
	int code;

	if (split_named(line, ": (groupid=", &name, &rest) && span_find(rest, "err="))
		return read_result(reader, line, name, rest);
	if (read_header(reader, line) || read_version(reader, trimmed))
		return 0;
	if (begins_summary(reader, trimmed)) {
		code = check_whole(reader, line.start);
		reader->job = NULL;
		return code;
	}
	if (reader->in_disks)
		read_disk(reader, line);
	if (!reader->job || !trimmed.length || !isblank((unsigned char)line.start[0]))
		return 0;
	return read_job_line(reader, trimmed);
}

static int read_lines(struct reader *reader, size_t length)
{
	struct lines lines = lines_of(reader->text, length);
	int code = 0;

	while (!code && lines_next(&lines))
		code = read_line(reader, lines.line);
	return code;
}

static void set_device(const struct reader *reader)
{
	char name[NAME_MAX_BYTES];

	if (reader->disks == 1)
		facts_set_text(&reader->run->run.facts, "device",
			       span_copy_to(reader->first_disk, name, sizeof(name)));
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct fio_context context = {text, text, sink->given, err};
	struct reader reader = {.text = text, .err = err};
	int code;

	reader.run = import_add_run(sink, &importer_fio_text, "fio", text, 0, length, NULL);
	code = read_lines(&reader, length);
	if (!code)
		code = check_whole(&reader, text + length);
	if (!code && !reader.job_count)
		code = text_refuse(err, text, text, "no result of a job of fio");
	set_device(&reader);
	if (!code)
		code = fio_add_jobs(&context, reader.jobs, reader.job_count, reader.run);
	for (size_t i = 0; i < reader.job_count; i++)
		fio_job_release(&reader.jobs[i]);
	free(reader.jobs);
	free(reader.headers);
	return code;
}

static int sniff(const char *head, size_t length)
{
	struct lines lines = lines_of(head, length);

	while (lines_next(&lines)) {
		struct span rest = span_after(lines.line, ": (groupid=");

		if (rest.start && span_find(rest, "err=") && span_find(rest, "jobs="))
			return 85;
	}
	return 0;
}

const struct importer importer_fio_text = {
    .name = "fio_text",
    .help = "fio's report for people, 1.x to 3.x",
    .sniff = sniff,
    .parse = parse,
};
