/* SPDX-License-Identifier: MIT */
/*
 * import_orion.c - Orion's summary, its screen output, and its matrices and histograms, of 10.2
 * to 19.
 *
 * A summary begins a run. A matrix or a histogram belongs to the run before it in the same text,
 * and is a run of its own without one; so `cat` of a test's files imports them as one run. A
 * second matrix of a kind begins another run.
 *
 * POINTS. S small requests outstanding and L large ones (or streams) are a data point, and each is
 * a measurement: `oltp` where L is 0, `dss` where S is 0, else `mixed`.
 *
 * MATRICES all begin with "Large/Small," and do not name themselves. From 11.2 text stands before
 * it that does. Otherwise: the one whose columns include 0 has the MB/s of the large requests;
 * the one with decimals latencies; the third the IOPS of the small requests.
 *
 * UNITS. MB are 2^20 bytes, as a large request of the usual 1024 KB counts one. Latencies are ms
 * before 11.2 and us since, which says so ("usecs", "microseconds"). A latency printed as 0.00 was
 * too short to be told. Little's law watches over it: IOPS times latency is S.
 *
 * Histograms have buckets of a power of two each, too wide for ours: their counts are summed up,
 * the rest is kept as it stands.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"
#include "list.h"
#include "text_scan.h"

#define FACTOR_TOO_FAR 30.0

enum { POINTS_MAX = 20000, COLUMNS_MAX = 4096, KEPT_MAX = 200, HINT_BYTES = 4096 };
enum side { SMALL, LARGE, SIDES };
enum kind { KIND_NONE = -1, KIND_IOPS, KIND_LATENCY, KIND_MBPS, KIND_COUNT };

struct latency {
	double mean_ns, min_ns, max_ns, stddev_ns, count;
};

/* One data point; what was not said is NAN. */
struct point {
	uint64_t small, large;
	double iops, bytes_per_s, mean_ns; /* of the small requests, the large, the small */
	struct latency read[SIDES], write[SIDES];
};

/* What a summary says of the whole test. */
struct test {
	size_t run; /* its place in the sink */
	uint64_t small_bytes, large_bytes, write_percent, stream_depth, cache_bytes, duration_s,
	    stripe_bytes;
	bool has_write, has_cache, is_raid0;
	const char *large_type;
	unsigned release; /* 1102 for 11.2; 0: not said */
	bool seen[KIND_COUNT];
	bool after_command; /* the next line with anything on it is the command line */
	unsigned devices, kept;
	uint64_t device_bytes;
	struct span device;
	struct point *points;
	size_t point_count;
};

struct reader {
	const char *text;
	size_t length;
	struct import_sink *sink;
	struct err *err;
	struct test *test; /* &storage, or NULL while none is being read */
	struct test storage;
	const char *start; /* where the test begins */
	struct span hint;  /* lines not understood, before a matrix; without a start: none */
	enum kind matrix;  /* whose rows these are */
	double matrix_ns;  /* unit of the latencies of the matrix */
	uint64_t columns[COLUMNS_MAX];
	size_t column_count;
	struct point *histogram; /* whose buckets these are, or NULL */
	enum side histogram_side;
	FILE *kept_histogram;
	char *kept_text;
	size_t kept_bytes;
	char kept_name[120];
};

static int refuse(const struct reader *reader, struct span word, const char *what)
{
	char shown[60];

	return text_refuse(reader->err, reader->text, word.start, "\"%s\" is no %s of Orion",
			   span_copy_to(word, shown, sizeof(shown)), what);
}

/* ---- points --------------------------------------------------------------------------------- */

static const struct latency no_latency = {NAN, NAN, NAN, NAN, NAN};

static struct point *find_point(struct test *test, uint64_t small, uint64_t large)
{
	struct point *point;

	for (size_t i = test->point_count; i; i--)
		if (test->points[i - 1].small == small && test->points[i - 1].large == large)
			return &test->points[i - 1];
	if (test->point_count == POINTS_MAX)
		return NULL;
	point = LIST_ADD(test->points, test->point_count);
	*point = (struct point){
	    .small = small, .large = large, .iops = NAN, .bytes_per_s = NAN, .mean_ns = NAN};
	for (int side = 0; side < SIDES; side++)
		point->read[side] = point->write[side] = no_latency;
	return point;
}

static int get_point(struct reader *reader, const char *at, uint64_t small, uint64_t large,
		     struct point **point)
{
	if (!small && !large)
		return text_refuse(reader->err, reader->text, at,
				   "a data point of Orion without any load");
	*point = find_point(reader->test, small, large);
	if (!*point)
		return text_refuse(reader->err, reader->text, at,
				   "more than %d data points in one test", POINTS_MAX);
	return 0;
}

/* "... @ Small=8 and Large=0" */
static int point_of(struct reader *reader, struct span line, struct point **point)
{
	struct span rest = span_after(line, "@ Small="), digits;
	uint64_t small, large;

	if (!rest.start || !span_take_digits(&rest, &digits) || !span_integer(digits, &small) ||
	    !span_starts(rest, " and Large=") ||
	    !span_integer(span_trim(span_after(rest, "Large=")), &large))
		return refuse(reader, line, "result at a data point");
	return get_point(reader, line.start, small, large, point);
}

/* ---- a run begins and ends ------------------------------------------------------------------ */

static void set_number(struct measurement *measurement, const char *name, uint64_t number)
{
	if (number)
		measurement_add_parameter(measurement, name, value_number(number));
}

static void set_writes(struct measurement *measurement, const char *name, const struct test *test)
{
	if (test->has_write)
		measurement_add_parameter(measurement, name, value_number(test->write_percent));
}

static void describe_large(const struct test *test, struct measurement *measurement)
{
	char text[VALUE_TEXT_MAX];

	set_number(measurement, "large_size", test->large_bytes);
	if (test->large_type)
		measurement_add_parameter(measurement, "large_type", value_text(test->large_type));
	set_number(measurement, "stream_depth", test->stream_depth);
	if (test->has_cache && test->large_type && !strcmp(test->large_type, "sequential"))
		measurement_add_parameter(measurement, "cache_size",
					  value_number(test->cache_bytes));
	if (test->is_raid0) {
		snprintf(text, sizeof(text), test->stripe_bytes ? "raid0, %llu bytes" : "raid0",
			 (unsigned long long)test->stripe_bytes);
		measurement_add_parameter(measurement, "striping", value_text(text));
	}
}

static void describe_point(const struct test *test, const struct point *point,
			   struct measurement *measurement)
{
	bool mixed = point->small && point->large;

	if (point->small)
		set_number(measurement, "small_size", test->small_bytes);
	if (point->large)
		describe_large(test, measurement);
	if (mixed) {
		set_writes(measurement, "small_write_percent", test);
		set_writes(measurement, "large_write_percent", test);
	} else {
		set_writes(measurement, "write_percent", test);
	}
	set_number(measurement, "num_small", point->small);
	set_number(measurement, "num_large", point->large);
	if (test->duration_s && test->duration_s < 1000000)
		measurement->elapsed_ns = test->duration_s * NS_PER_S;
}

static void add(struct measurement *measurement, const char *operation, enum metric_id id,
		double value)
{
	if (!isnan(value))
		measurement_add_metric(measurement, operation, &shared_metrics[id], value);
}

static void add_latency(struct measurement *measurement, const char *operation,
			const struct latency *latency, double mean_ns)
{
	add(measurement, operation, METRIC_latency_min, latency->min_ns);
	add(measurement, operation, METRIC_latency_mean,
	    isnan(mean_ns) ? latency->mean_ns : mean_ns);
	add(measurement, operation, METRIC_latency_stddev, latency->stddev_ns);
	add(measurement, operation, METRIC_latency_max, latency->max_ns);
	add(measurement, operation, METRIC_count, latency->count);
}

static bool has_latency(const struct latency *latency)
{
	return !isnan(latency->mean_ns) || latency->count > 0;
}

/* The operation as a whole, and beside it reads and writes where both were. */
static void add_side(struct measurement *measurement, const struct point *point, enum side side)
{
	static const char *const names[SIDES][3] = {{"small", "small_read", "small_write"},
						    {"large", "large_read", "large_write"}};
	const struct latency *read = &point->read[side], *write = &point->write[side];
	bool both = has_latency(read) && has_latency(write);
	double mean_ns = side == SMALL ? point->mean_ns : NAN;

	if (side == SMALL)
		add(measurement, "small", METRIC_rate, point->iops);
	else
		add(measurement, "large", METRIC_throughput, point->bytes_per_s);
	if (!both) {
		add_latency(measurement, names[side][0], has_latency(read) ? read : write, mean_ns);
	} else {
		add(measurement, names[side][0], METRIC_latency_mean, mean_ns);
		add(measurement, names[side][0], METRIC_count, read->count + write->count);
		add_latency(measurement, names[side][1], read, NAN);
		add_latency(measurement, names[side][2], write, NAN);
	}
}

static void add_point(const struct test *test, const struct point *point, struct imported_run *run)
{
	const char *phase = !point->large ? "oltp" : !point->small ? "dss" : "mixed";
	struct measurement *measurement = import_add_measurement(run, phase);

	describe_point(test, point, measurement);
	if (point->small)
		add_side(measurement, point, SMALL);
	if (point->large)
		add_side(measurement, point, LARGE);
	measurement_mark_headline(measurement, "small", "rate");
	measurement_mark_headline(measurement, "large", "throughput");
}

/* Every request outstanding is under way for its latency: IOPS x latency is S. */
static int check_point(const struct reader *reader, const struct point *point, const char *at)
{
	double mean_ns = isnan(point->mean_ns) ? point->read[SMALL].mean_ns : point->mean_ns;
	double ratio = point->iops * mean_ns / 1e9 / (double)point->small;

	if (!(point->iops >= 1) || !(mean_ns > 0) || !point->small ||
	    (ratio < FACTOR_TOO_FAR && ratio > 1 / FACTOR_TOO_FAR))
		return 0;
	return text_refuse(reader->err, reader->text, at,
			   "%.0f IOPS of %.0f ns each are not %llu requests under way: a unit is "
			   "off by a thousand",
			   point->iops, mean_ns, (unsigned long long)point->small);
}

/* Of a summary the best IOPS and the shortest latency stand at different points a and b. As IOPS
 * do not fall below those at b, S(b) / latency(b), nor rise beyond S(a) / latency(b): */
static int check_extremes(const struct reader *reader, const char *at)
{
	const struct point *a = NULL, *b = NULL;
	double ratio;

	for (size_t i = 0; i < reader->test->point_count; i++) {
		const struct point *point = &reader->test->points[i];

		if (point->large)
			continue;
		if (point->iops >= 1 && (!a || point->iops > a->iops))
			a = point;
		if (point->mean_ns > 0 && (!b || point->mean_ns < b->mean_ns))
			b = point;
	}
	if (!a || !b)
		return 0;
	ratio = a->iops * b->mean_ns / 1e9;
	if (ratio > (double)b->small / FACTOR_TOO_FAR && ratio < (double)a->small * FACTOR_TOO_FAR)
		return 0;
	return text_refuse(
	    reader->err, reader->text, at,
	    "at most %.0f IOPS at %llu and at least %.0f ns at %llu cannot both be: a unit is off "
	    "by a thousand",
	    a->iops, (unsigned long long)a->small, b->mean_ns, (unsigned long long)b->small);
}

static void set_devices(const struct test *test, struct imported_run *run)
{
	char *name;

	if (test->device_bytes && test->device_bytes <= INT64_MAX)
		facts_set_integer(&run->run.facts, "data_set_bytes", (int64_t)test->device_bytes);
	if (test->devices != 1)
		return;
	name = span_copy(test->device);
	run_set_text(&run->run.target, name);
	free(name);
}

/* Ends a histogram that is being kept. */
static void end_histogram(struct reader *reader)
{
	if (reader->kept_histogram) {
		if (fclose(reader->kept_histogram))
			abort();
		import_keep(&reader->sink->runs[reader->test->run], reader->kept_name,
			    reader->kept_text);
		free(reader->kept_text);
	}
	reader->kept_histogram = NULL;
	reader->kept_text = NULL;
	reader->histogram = NULL;
}

/* Turns the points of the test into measurements; `at` is where it ends. */
static int end_test(struct reader *reader, const char *at)
{
	struct imported_run *run;
	int code;

	if (!reader->test)
		return 0;
	end_histogram(reader);
	run = &reader->sink->runs[reader->test->run];
	import_set_part(run, &importer_orion, reader->text, (size_t)(reader->start - reader->text),
			(size_t)(at - reader->text), NULL);
	if (!reader->test->point_count)
		return text_refuse(reader->err, reader->text, at,
				   "a test of Orion without a result");
	code = check_extremes(reader, at);
	for (size_t i = 0; !code && i < reader->test->point_count; i++) {
		code = check_point(reader, &reader->test->points[i], at);
		add_point(reader->test, &reader->test->points[i], run);
	}
	set_devices(reader->test, run);
	free(reader->test->points);
	reader->test->points = NULL;
	reader->test = NULL;
	return code;
}

static int begin_test(struct reader *reader, const char *at)
{
	size_t start = (size_t)(at - reader->text);
	int code = end_test(reader, at);

	if (code)
		return code;
	reader->storage = (struct test){.run = reader->sink->run_count};
	reader->test = &reader->storage;
	reader->start = at;
	import_add_run(reader->sink, &importer_orion, "orion", reader->text, start, start, NULL);
	return 0;
}

static struct imported_run *current_run(const struct reader *reader)
{
	return &reader->sink->runs[reader->test->run];
}

/* ---- lines of the summary ------------------------------------------------------------------- */

/* "11.1.0.7.0", "RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417": 1101, 1903. */
static unsigned release_of(struct span version)
{
	struct span major, minor;
	uint64_t first, second;

	while (version.length && !strchr("0123456789", version.start[0]))
		version = span_between(version.start + 1, span_end(version));
	if (!span_take_digits(&version, &major) || !span_starts(version, "."))
		return 0;
	version = span_between(version.start + 1, span_end(version));
	if (!span_take_digits(&version, &minor) || !span_integer(major, &first) ||
	    !span_integer(minor, &second) || first > 100 || second > 99)
		return 0;
	return (unsigned)(100 * first + second);
}

static int read_version(struct reader *reader, struct span line, struct span value)
{
	struct span version = span_trim(value);
	int code = begin_test(reader, line.start);
	char text[100];

	if (code)
		return code;
	reader->test->release = release_of(version);
	run_set_text(&current_run(reader)->run.version, span_copy_to(version, text, sizeof(text)));
	return 0;
}

/* "8 KB", "60 seconds", "100%", "Not Entered": the number in front. */
static bool leading_number(struct span value, uint64_t *number)
{
	struct span digits;

	value = span_trim(value);
	return span_take_digits(&value, &digits) && span_integer(digits, number);
}

static int keep(struct reader *reader, struct span line, struct span value)
{
	char name[80];
	char *text;

	if (reader->test->kept++ >= KEPT_MAX)
		return 0;
	value = span_trim(value);
	text = span_copy(value);
	line = span_trim(span_between(line.start, value.start));
	if (span_ends(line, ":"))
		line.length--;
	span_copy_to(line, name, sizeof(name));
	if (*text)
		import_keep(current_run(reader), *name ? name : "also", text);
	free(text);
	return 0;
}

/* "8 KB" */
static int read_kb(const struct reader *reader, struct span line, struct span value,
		   uint64_t *bytes)
{
	uint64_t number;

	if (!leading_number(value, &number) || number > 1 << 30 ||
	    !span_ends(span_trim(value), "KB"))
		return refuse(reader, line, "size in KB");
	*bytes = number * 1024;
	return 0;
}

static int read_small_size(struct reader *reader, struct span line, struct span value)
{
	return read_kb(reader, line, value, &reader->test->small_bytes);
}

static int read_large_size(struct reader *reader, struct span line, struct span value)
{
	return read_kb(reader, line, value, &reader->test->large_bytes);
}

static int read_types(struct reader *reader, struct span line, struct span value)
{
	if (span_find(value, "Large Random"))
		reader->test->large_type = "random";
	else if (span_find(value, "Large Sequential"))
		reader->test->large_type = "sequential";
	return keep(reader, line, value);
}

static int read_array(struct reader *reader, struct span line, struct span value)
{
	reader->test->is_raid0 = span_find(value, "RAID") != NULL;
	return keep(reader, line, value);
}

static int read_stripe(struct reader *reader, struct span line, struct span value)
{
	return read_kb(reader, line, value, &reader->test->stripe_bytes);
}

static int read_write(struct reader *reader, struct span line, struct span value)
{
	if (!leading_number(value, &reader->test->write_percent) ||
	    reader->test->write_percent > 100 || !span_ends(span_trim(value), "%"))
		return refuse(reader, line, "percentage of writes");
	reader->test->has_write = true;
	return 0;
}

/* In MB, as it is given on the command line. */
static int read_cache(struct reader *reader, struct span line, struct span value)
{
	uint64_t number;

	if (leading_number(value, &number) && number < 1 << 30) {
		reader->test->cache_bytes = number << 20;
		reader->test->has_cache = true;
	}
	return keep(reader, line, value);
}

static int read_duration(struct reader *reader, struct span line, struct span value)
{
	if (!leading_number(value, &reader->test->duration_s) || !span_find(value, "second"))
		return refuse(reader, line, "duration in seconds");
	return 0;
}

static int read_streams(struct reader *reader, struct span line, struct span value)
{
	const char *mark = span_find(value, ":");

	if (!mark ||
	    !leading_number(span_between(mark + 1, span_end(value)), &reader->test->stream_depth))
		return refuse(reader, line, "number of requests in a stream");
	return 0;
}

static int read_command(struct reader *reader, struct span line, struct span value)
{
	(void)line;
	(void)value;
	reader->test->after_command = true;
	return 0;
}

/* "Name: /dev/sdb<TAB>Size: 5242880000" */
static int read_device(struct reader *reader, struct span line, struct span value)
{
	const char *mark = span_find_last(value, "Size:");
	uint64_t bytes;

	if (!mark || !span_integer(span_trim(span_between(mark + 5, span_end(value))), &bytes) ||
	    __builtin_add_overflow(reader->test->device_bytes, bytes, &reader->test->device_bytes))
		return refuse(reader, line, "device with its size");
	reader->test->device = span_trim(span_between(value.start, mark));
	reader->test->devices++;
	return keep(reader, line, value);
}

/* ---- results -------------------------------------------------------------------------------- */

/* The number in front of a result, up to a blank. */
static bool result_number(struct span value, double *number, struct span *rest)
{
	span_next(&value, ' ', rest);
	if (!span_number(*rest, number) || *number < 0)
		return false;
	*rest = value;
	return true;
}

static int read_mbps(struct reader *reader, struct span line, struct span value)
{
	struct point *point;
	int code = point_of(reader, line, &point);
	double number;

	if (code)
		return code;
	if (!result_number(value, &number, &value))
		return refuse(reader, line, "throughput");
	point->bytes_per_s = number * (1 << 20);
	return 0;
}

static int read_iops(struct reader *reader, struct span line, struct span value)
{
	struct point *point;
	int code = point_of(reader, line, &point);

	if (code)
		return code;
	return result_number(value, &point->iops, &value) ? 0 : refuse(reader, line, "rate");
}

static int read_minimum(struct reader *reader, struct span line, struct span value)
{
	struct point *point;
	int code = point_of(reader, line, &point);
	double number;

	if (code)
		return code;
	if (!result_number(value, &number, &value))
		return refuse(reader, line, "latency");
	if (!span_starts(value, "@") && !span_starts(value, "usec") && !span_starts(value, "us "))
		return refuse(reader, line, "latency in a known unit");
	if (number > 0)
		point->mean_ns = number * (span_starts(value, "@") ? 1e6 : 1e3);
	else
		import_keep(current_run(reader), "minimum small latency",
			    "0.00, too short to be told");
	return 0;
}

/* "avg=169.594 us" */
static bool read_us(struct span line, const char *key, double *ns)
{
	struct span value = span_after(line, key), number = {NULL, 0};

	if (!value.start || !span_next(&value, ' ', &number) || !span_number(number, ns) ||
	    *ns < 0 || !span_starts(value, "us"))
		return false;
	*ns *= 1e3;
	return true;
}

/* "Small Read Latency: avg=1711 us, min=791 us, max=12316 us, std dev=454 us @ Small=17 and
 * Large=0" */
static int read_moments(struct reader *reader, struct span line, struct span value)
{
	enum side side = span_starts(line, "Large") ? LARGE : SMALL;
	struct latency *latency;
	struct point *point;
	int code = point_of(reader, line, &point);

	if (code)
		return code;
	latency = span_find(line, " Write Latency:") ? &point->write[side] : &point->read[side];
	if (!read_us(value, "avg=", &latency->mean_ns) ||
	    !read_us(value, "min=", &latency->min_ns) ||
	    !read_us(value, "max=", &latency->max_ns) ||
	    !read_us(value, "std dev=", &latency->stddev_ns))
		return refuse(reader, line, "latency with average, extremes and deviation");
	return 0;
}

/* ---- histograms ----------------------------------------------------------------------------- */

static int begin_histogram(struct reader *reader, struct span line, struct span value)
{
	struct latency *read, *write;
	int code = point_of(reader, line, &reader->histogram);

	(void)value;
	if (code)
		return code;
	reader->histogram_side = span_starts(line, "Large") ? LARGE : SMALL;
	read = &reader->histogram->read[reader->histogram_side];
	write = &reader->histogram->write[reader->histogram_side];
	read->count = write->count = 0;
	span_copy_to(line, reader->kept_name, sizeof(reader->kept_name));
	reader->kept_histogram = open_memstream(&reader->kept_text, &reader->kept_bytes);
	if (!reader->kept_histogram)
		abort();
	return 0;
}

/* "       32 - 64         us:               1 (  0.00%)              0 (  0.00%)"; of lines that
 * are no bucket the histogram ends, its column heads apart. */
static int read_bucket(struct reader *reader, struct span line, bool *taken)
{
	struct span rest = span_trim(span_after(line, "us:")), digits;
	struct latency *sides[] = {&reader->histogram->read[reader->histogram_side],
				   &reader->histogram->write[reader->histogram_side]};
	double count;

	*taken = (rest.start && span_find(line, " - ")) || span_starts(span_trim(line), "Latency:");
	if (!*taken) {
		end_histogram(reader);
		return 0;
	}
	fprintf(reader->kept_histogram, "%.*s\n", (int)(line.length < 200 ? line.length : 200),
		line.start);
	for (size_t i = 0; rest.start && i < 2 && rest.length; i++) {
		if (!span_take_digits(&rest, &digits) || !span_number(digits, &count))
			return refuse(reader, line, "line of a histogram");
		sides[i]->count += count;
		rest = span_trim(span_after(rest, ")"));
	}
	return 0;
}

/* ---- matrices ------------------------------------------------------------------------------- */

/* What the words before a matrix say it is. */
static enum kind kind_by_hint(struct span hint)
{
	if (span_find(hint, "MBPS") || span_find(hint, "megabytes"))
		return KIND_MBPS;
	if (span_find(hint, "latency"))
		return KIND_LATENCY;
	return span_find(hint, "IOPS") ? KIND_IOPS : KIND_NONE;
}

/* The rows below the header, to judge by. */
static bool has_decimals(const struct reader *reader, const char *at)
{
	struct lines lines = lines_of(at, (size_t)(reader->text + reader->length - at));

	while (lines_next(&lines)) {
		struct span row = span_trim(lines.line), digits;

		if (!span_take_digits(&row, &digits))
			return false;
		if (span_find(row, "."))
			return true;
	}
	return false;
}

static enum kind kind_of(const struct reader *reader, const char *rows)
{
	enum kind kind = kind_by_hint(reader->hint);

	if (kind != KIND_NONE)
		return kind;
	if (reader->column_count && reader->columns[0] == 0)
		return KIND_MBPS;
	return has_decimals(reader, rows) ? KIND_LATENCY : KIND_IOPS;
}

static double latency_unit_ns(const struct reader *reader)
{
	if (span_find(reader->hint, "milliseconds"))
		return 1e6;
	if (span_find(reader->hint, "microseconds") ||
	    (reader->test && reader->test->release >= 1102))
		return 1e3;
	return reader->hint.start && !(reader->test && reader->test->release) ? 1e3 : 1e6;
}

static int read_columns(struct reader *reader, struct span cells)
{
	struct span cell;

	reader->column_count = 0;
	while (span_next(&cells, ',', &cell)) {
		cell = span_trim(cell);
		if (!cell.length)
			continue;
		if (reader->column_count == COLUMNS_MAX ||
		    !span_integer(cell, &reader->columns[reader->column_count]))
			return refuse(reader, cell, "column of a matrix");
		reader->column_count++;
	}
	return 0;
}

static int begin_matrix(struct reader *reader, struct span line, struct span value)
{
	const char *start = reader->hint.start ? reader->hint.start : line.start;
	int code = read_columns(reader, value);

	if (code)
		return code;
	reader->matrix =
	    kind_of(reader, span_end(line) + (span_end(line) < reader->text + reader->length));
	if (!reader->test || reader->test->seen[reader->matrix])
		code = begin_test(reader, start);
	if (code)
		return code;
	reader->test->seen[reader->matrix] = true;
	reader->matrix_ns = latency_unit_ns(reader);
	return 0;
}

static void set_cell(const struct reader *reader, struct point *point, double number)
{
	if (reader->matrix == KIND_IOPS)
		point->iops = number;
	else if (reader->matrix == KIND_MBPS)
		point->bytes_per_s = number * (1 << 20);
	else if (number > 0)
		point->mean_ns = number * reader->matrix_ns;
}

/* "          0,    145,    218": cells that were not tested are empty or missing. */
static int read_row(struct reader *reader, struct span line, bool *taken)
{
	struct span cell = {NULL, 0}, rest = line;
	uint64_t large;

	*taken = span_next(&rest, ',', &cell) && span_integer(span_trim(cell), &large);
	if (!*taken)
		reader->matrix = KIND_NONE;
	for (size_t i = 0; *taken && span_next(&rest, ',', &cell); i++) {
		struct point *point;
		double number;
		int code;

		cell = span_trim(cell);
		if (!cell.length)
			continue;
		if (i >= reader->column_count || !span_number(cell, &number) || number < 0)
			return refuse(reader, cell, "cell of a matrix");
		code = get_point(reader, cell.start, reader->columns[i], large, &point);
		if (code)
			return code;
		set_cell(reader, point, number);
	}
	return 0;
}

/* ---- a text --------------------------------------------------------------------------------- */

/* What a line may begin with. */
static const struct rule {
	const char *words;
	int (*read)(struct reader *reader, struct span line, struct span value);
	bool begins; /* a result, which may stand without a summary around it */
} rules[] = {
    {"Commandline:", read_command, false},
    {"Test:", keep, false},
    {"Small IO size:", read_small_size, false},
    {"Large IO size:", read_large_size, false},
    {"IO Types:", read_types, false},
    {"Number of Concurrent IOs Per Stream", read_streams, false},
    {"Simulated Array Type:", read_array, false},
    {"Stripe Depth:", read_stripe, false},
    {"Write:", read_write, false},
    {"Cache Size:", read_cache, false},
    {"Duration for each Data Point:", read_duration, false},
    {"Small Columns:", keep, false},
    {"Large Columns:", keep, false},
    {"Total Data Points:", keep, false},
    {"Name:", read_device, false},
    {"Maximum Large MBPS=", read_mbps, true},
    {"Maximum Small IOPS=", read_iops, true},
    {"Minimum Small Latency=", read_minimum, true},
    {"Small Read Latency:", read_moments, true},
    {"Small Write Latency:", read_moments, true},
    {"Large Read Latency:", read_moments, true},
    {"Large Write Latency:", read_moments, true},
    {"Small Read / Write Latency Histogram @", begin_histogram, true},
    {"Large Read / Write Latency Histogram @", begin_histogram, true},
    {NULL, NULL, false},
};

static const struct rule *find_rule(struct span line)
{
	const struct rule *rule = rules;

	while (rule->words && !span_starts(line, rule->words))
		rule++;
	return rule->words ? rule : NULL;
}

/* A line nobody understands may be the command line, or tell what the matrix below it holds. */
static int read_other(struct reader *reader, struct span line)
{
	struct span trimmed = span_trim(line);

	if (!trimmed.length)
		return 0;
	if (reader->test && reader->test->after_command) {
		char *command = span_copy(trimmed);

		reader->test->after_command = false;
		run_set_text(&current_run(reader)->run.command, command);
		free(command);
		return 0;
	}
	if (!reader->hint.start || (size_t)(span_end(line) - reader->hint.start) > HINT_BYTES)
		reader->hint.start = line.start;
	reader->hint.length = (size_t)(span_end(line) - reader->hint.start);
	return reader->test ? keep(reader, line, line) : 0;
}

static int read_known(struct reader *reader, struct span line, const struct rule *rule)
{
	struct span value = span_between(line.start + strlen(rule->words), span_end(line));
	int code = 0;

	if (!reader->test && !rule->begins)
		return 0; /* words that happen to look like ours */
	if (!reader->test)
		code = begin_test(reader, line.start);
	return code ? code : rule->read(reader, line, value);
}

static int read_line(struct reader *reader, struct span line)
{
	const struct rule *rule;
	bool taken = false;
	int code = 0;

	if (reader->histogram)
		code = read_bucket(reader, line, &taken);
	if (!code && !taken && reader->matrix != KIND_NONE)
		code = read_row(reader, line, &taken);
	if (code || taken)
		return code;
	if (span_starts(line, "ORION VERSION "))
		code = read_version(reader, line, span_after(line, "VERSION "));
	else if (span_starts(line, "ORION: ORacle IO Numbers"))
		code = read_version(reader, line, span_after(line, "Version "));
	else if (span_starts(line, "Large/Small,"))
		code = begin_matrix(reader, line, span_after(line, ","));
	else if ((rule = find_rule(line)))
		code = read_known(reader, line, rule);
	else
		return read_other(reader, line);
	reader->hint = (struct span){NULL, 0};
	return code;
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct lines lines = lines_of(text, length);
	int code = 0;

	if (!reader)
		abort();
	*reader = (struct reader){
	    .text = text, .length = length, .sink = sink, .err = err, .matrix = KIND_NONE};
	while (!code && lines_next(&lines))
		code = read_line(reader, lines.line);
	if (!code)
		code = end_test(reader, text + length);
	if (!code && !sink->run_count)
		code = text_refuse(err, text, text, "no result of Orion");
	if (reader->test) {
		end_histogram(reader);
		free(reader->test->points);
	}
	free(reader);
	return code;
}

static int sniff(const char *head, size_t length)
{
	static const char *const marks[] = {
	    "ORION VERSION ",	   "ORION: ORacle IO Numbers", "Large/Small,",
	    "Maximum Small IOPS=", "Maximum Large MBPS=",      "Latency Histogram @ Small="};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (span_find((struct span){head, length}, marks[i]))
			return 70;
	return 0;
}

const struct importer importer_orion = {
    .name = "orion",
    .help = "summaries, screen output, matrices and histograms of Orion 10.2 to 19",
    .sniff = sniff,
    .parse = parse,
};
