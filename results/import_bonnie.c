/* SPDX-License-Identifier: MIT */
/*
 * import_bonnie.c - the CSV of bonnie++, each row a run.
 *
 * LAYOUTS. Rows are told by the first field and the number of fields, never by a header: the
 * headers of several versions do not fit their rows. All layouts are the columns of 1.98 in the
 * same order with some left out, so a layout is the set of those that are there.
 *
 *  fields  first field        what is missing from the 50 of 1.98 (written by 1.98, 2.00, 2.00a)
 *  50      1.98 or later      -
 *  48      1.93 to 1.97       the number of seeks and of seekers
 *  47      1.93 to 1.96       the same of a run with -s 0, which writes one comma too few: the CPU
 *                             of the seeks, empty there like its neighbours, is taken as missing
 *  46      1.92, or 2         moreover concurrency and seed
 *  45      2 (1.91)           moreover the chunk of the files
 *  33      2 (1.90)           moreover the latencies
 *  27      the name           1.00 to 1.03: no versions, sizes of the files within their number
 *
 * WHAT IT MEANS HERE. Bulk rates are KiB/s with fsync and close in the clock; 1.0x does that only
 * with -b, which it does not say, so there `sync` is `uncontrolled`. Nothing is evicted before
 * reading (`eviction` is `none`); files are read right after they were made, which is what the
 * phases here call `warm`. The size of the work file is a fact of the run, not a parameter: it
 * follows the memory of each machine, and would keep apart what one wants side by side. Latencies
 * are the longest single step, as the phases here define it. +++++ is a phase that took less than
 * half a second: it ran, and has no rate. An empty rate is a phase that did not run. The CPU of the
 * seeks counts the whole process once for each seeker since 1.9x: it is kept aside. Versions
 * from 1.92 write the number of directories into the column of the chunk. 1.98 and later never
 * write the I/O chunk; before that, empty means 8 KiB. Concurrency makes no load and is kept aside.
 *
 * Everything else in the text (mail, headers, the text report) is left alone, quotes before a row
 * are stepped over and quoted-printable soft breaks joined.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"
#include "list.h"
#include "text_scan.h"

enum column {
	FORMAT, VERSION, NAME, CONCURRENCY, SEED, SIZE, CHUNK, SEEK_COUNT, SEEKERS,
	PUTC, PUTC_CPU, PUT_BLOCK, PUT_BLOCK_CPU, REWRITE, REWRITE_CPU,
	GETC, GETC_CPU, GET_BLOCK, GET_BLOCK_CPU, SEEKS, SEEKS_CPU,
	FILES, MAX_SIZE, MIN_SIZE, DIRECTORIES, FILE_CHUNK,
	SEQ_CREATE, SEQ_CREATE_CPU, SEQ_STAT, SEQ_STAT_CPU, SEQ_DELETE, SEQ_DELETE_CPU,
	RAN_CREATE, RAN_CREATE_CPU, RAN_STAT, RAN_STAT_CPU, RAN_DELETE, RAN_DELETE_CPU,
	PUTC_LATENCY, PUT_BLOCK_LATENCY, REWRITE_LATENCY, GETC_LATENCY, GET_BLOCK_LATENCY,
	SEEKS_LATENCY, SEQ_CREATE_LATENCY, SEQ_STAT_LATENCY, SEQ_DELETE_LATENCY,
	RAN_CREATE_LATENCY, RAN_STAT_LATENCY, RAN_DELETE_LATENCY,
	COLUMN_COUNT
};

#define WITHOUT(column)	      (1ULL << (column))
#define WITHOUT_SEEK_SETTINGS (WITHOUT(SEEK_COUNT) | WITHOUT(SEEKERS))
#define WITHOUT_RUN_SETTINGS  (WITHOUT_SEEK_SETTINGS | WITHOUT(CONCURRENCY) | WITHOUT(SEED))
#define WITHOUT_LATENCIES     (((1ULL << COLUMN_COUNT) - 1) & ~((1ULL << PUTC_LATENCY) - 1))
#define WITHOUT_VERSIONS      (WITHOUT(FORMAT) | WITHOUT(VERSION) | WITHOUT(CHUNK))
#define WITHOUT_FILE_SETTINGS \
	(WITHOUT(MAX_SIZE) | WITHOUT(MIN_SIZE) | WITHOUT(DIRECTORIES) | WITHOUT(FILE_CHUNK))

/* The first field as a number, and the fields; NONE is 1.0x, which begins with a name. */
enum {
	NO_VERSION = 0,
	VERSION_TWO = 2,
	VERSION_192 = 192,
	VERSION_193 = 193,
	VERSION_196 = 196,
	VERSION_197 = 197,
	VERSION_198 = 198,
	VERSION_LAST = 299
};

static const struct layout {
	size_t fields;
	unsigned first, last; /* versions that write it, in hundredths; 2 is bonnie++'s own "2" */
	uint64_t without;
} layouts[] = {
    {50, VERSION_198, VERSION_LAST, 0},
    {48, VERSION_193, VERSION_197, WITHOUT_SEEK_SETTINGS},
    {47, VERSION_193, VERSION_196, WITHOUT_SEEK_SETTINGS | WITHOUT(SEEKS_CPU)},
    {46, VERSION_192, VERSION_192, WITHOUT_RUN_SETTINGS},
    {46, VERSION_TWO, VERSION_TWO, WITHOUT_RUN_SETTINGS},
    {45, VERSION_TWO, VERSION_TWO, WITHOUT_RUN_SETTINGS | WITHOUT(FILE_CHUNK)},
    {33, VERSION_TWO, VERSION_TWO, WITHOUT_RUN_SETTINGS | WITHOUT(FILE_CHUNK) | WITHOUT_LATENCIES},
    {27, NO_VERSION, NO_VERSION,
     WITHOUT_RUN_SETTINGS | WITHOUT_VERSIONS | WITHOUT_FILE_SETTINGS | WITHOUT_LATENCIES},
};

struct row {
	unsigned version; /* in hundredths */
	struct span whole;
	struct span cells[COLUMN_COUNT]; /* without a start: the layout has no such column */
};

/* A quoted-printable soft break that was taken out: where it was, and how many bytes all of
 * them up to here had. */
struct soft_break {
	size_t place, removed;
};

struct reader {
	const char *original;
	char *joined;	  /* our own copy without soft breaks; NULL: there are none */
	const char *text; /* what is read: the one or the other */
	size_t length;
	struct soft_break *breaks;
	size_t break_count;
	struct err *err;
};

/* ---- finding rows --------------------------------------------------------------------------- */

/* "1.96" and "1.93c" are 196 and 193, "2" is 2; 0 is none of bonnie++'s. */
static unsigned version_of(struct span field)
{
	struct span digits;
	uint64_t major, minor;

	if (span_is(field, "2"))
		return VERSION_TWO;
	if (!span_take_digits(&field, &digits) || !span_integer(digits, &major) || major > 2 ||
	    !span_starts(field, "."))
		return NO_VERSION;
	field = span_between(field.start + 1, span_end(field));
	if (!span_take_digits(&field, &digits) || digits.length != 2 ||
	    !span_integer(digits, &minor))
		return NO_VERSION;
	if (field.length > 1 || 100 * major + minor < VERSION_192)
		return NO_VERSION;
	return (unsigned)(100 * major + minor);
}

static bool is_size(struct span field)
{
	struct span digits;

	return span_take_digits(&field, &digits) &&
	       (!field.length || strchr("kKmMgGtT", field.start[0]) || field.start[0] == ':');
}

static bool is_plus(struct span field)
{
	return field.length && span_count(field, '+') == field.length;
}

static bool is_rate(struct span field)
{
	double number;

	return !field.length || is_plus(field) || span_number(field, &number);
}

/* A row of 1.0x has nothing to know it by but its shape: a size, then rates and CPU. */
static bool looks_like_1_0x(struct span line)
{
	struct span field = {NULL, 0};
	unsigned good = 0;

	if (span_count(line, ',') != 26 || !span_next(&line, ',', &field) || !field.length)
		return false;
	if (!span_next(&line, ',', &field) || (field.length && !is_size(field)))
		return false;
	while (span_next(&line, ',', &field))
		good += is_rate(field);
	return good >= 20;
}

/* "1.96", "2.00a", "1.97.3": what stands in the second field. */
static bool is_program_version(struct span field)
{
	struct span digits;

	if (!span_take_digits(&field, &digits) || !span_starts(field, ".") || field.length > 16)
		return false;
	for (size_t i = 0; i < field.length; i++)
		if (!isalnum((unsigned char)field.start[i]) && !strchr(".+-", field.start[i]))
			return false;
	return true;
}

/* Text in a mail may begin with any number, so a row has two versions and some fields. */
static bool is_row(struct span line, unsigned *version)
{
	struct span first, second;

	if (!span_next(&line, ',', &first))
		return false;
	*version = version_of(first);
	return *version != NO_VERSION && span_next(&line, ',', &second) &&
	       is_program_version(second) && span_count(line, ',') >= 10;
}

/* Whether the line, quotes and blanks before it left aside, is a row; *version is 0 for 1.0x. */
static bool find_row(struct span *line, unsigned *version)
{
	*line = span_trim(*line);
	while (line->length && line->start[0] == '>')
		*line = span_trim(span_between(line->start + 1, span_end(*line)));
	if (!line->length || line->start[0] == '#')
		return false;
	if (is_row(*line, version))
		return true;
	*version = NO_VERSION;
	return looks_like_1_0x(*line);
}

/* ---- one row -------------------------------------------------------------------------------- */

/* Where something stands in the text as it was given. */
static const char *original_place(const struct reader *reader, const char *at)
{
	size_t place = (size_t)(at - reader->text), removed = 0;

	for (size_t i = 0; i < reader->break_count && reader->breaks[i].place <= place; i++)
		removed = reader->breaks[i].removed;
	return reader->original + place + removed;
}

static int refuse(const struct reader *reader, struct span cell, const char *what)
{
	char shown[40];

	return text_refuse(reader->err, reader->original, original_place(reader, cell.start),
			   "\"%s\" is no %s of bonnie++", span_copy_to(cell, shown, sizeof(shown)),
			   what);
}

static const struct layout *layout_of(unsigned version, size_t fields)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].fields == fields && version >= layouts[i].first &&
		    version <= layouts[i].last)
			return &layouts[i];
	return NULL;
}

static int split_row(const struct reader *reader, struct span line, unsigned version,
		     struct row *row)
{
	size_t fields = span_count(line, ',') + 1;
	const struct layout *layout = layout_of(version, fields);
	struct span rest = line;

	if (!layout)
		return text_refuse(
		    reader->err, reader->original, original_place(reader, span_end(line)),
		    "no version of bonnie++ that begins its rows like this writes %zu fields",
		    fields);
	*row = (struct row){.version = version, .whole = line};
	for (int column = 0; column < COLUMN_COUNT; column++)
		if (!(layout->without & WITHOUT(column)))
			span_next(&rest, ',', &row->cells[column]);
	return 0;
}

/* A number that may carry a suffix of 1024s: "258376M", "16G", "4k". */
static bool read_size(struct span field, uint64_t *bytes)
{
	static const char suffixes[] = "kmgt";
	struct span digits;
	const char *suffix;

	if (!span_take_digits(&field, &digits) || !span_integer(digits, bytes) || field.length > 1)
		return false;
	if (!field.length)
		return true;
	suffix = strchr(suffixes, field.start[0] | 0x20);
	if (!suffix || !*suffix)
		return false;
	for (const char *s = suffixes; s <= suffix; s++)
		if (__builtin_mul_overflow(*bytes, 1024, bytes))
			return false;
	return *bytes <= INT64_MAX;
}

/* The work file's size and, before 1.9x, the chunk behind a colon. A bare number is MiB. */
static int read_sizes(const struct reader *reader, const struct row *row, uint64_t *size,
		      uint64_t *chunk)
{
	struct span rest = row->cells[SIZE], part;

	*size = 0;
	*chunk = row->version < VERSION_198 ? 8192 : 0;
	if (row->cells[CHUNK].length && !read_size(row->cells[CHUNK], chunk))
		return refuse(reader, row->cells[CHUNK], "chunk size");
	if (!rest.length)
		return 0;
	span_next(&rest, ':', &part);
	if (!read_size(part, size))
		return refuse(reader, row->cells[SIZE], "file size");
	if (*size < 1 << 20 && span_integer(part, size) &&
	    __builtin_mul_overflow(*size, 1 << 20, size))
		return refuse(reader, row->cells[SIZE], "file size");
	if (rest.start && !read_size(rest, chunk))
		return refuse(reader, row->cells[SIZE], "file size with a chunk");
	return 0;
}

/* "12344us", "619ms", "2s". */
static bool read_latency(struct span field, double *ns)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!span_ends(field, units[i].suffix))
			continue;
		field.length -= strlen(units[i].suffix);
		if (!span_number(field, ns) || *ns < 0)
			return false;
		*ns *= units[i].ns;
		return true;
	}
	return false;
}

/* The cell as a number, NAN when it is empty or only plus signs. */
static int read_number(const struct reader *reader, struct span cell, const char *what,
		       double *number)
{
	*number = NAN;
	if (!cell.length || is_plus(cell))
		return 0;
	if (!span_number(cell, number) || *number < 0)
		return refuse(reader, cell, what);
	return 0;
}

/* What one group of three columns means here. */
struct meaning {
	enum column rate, latency;
	const char *phase, *operation;
	enum metric_id metric;
	double scale; /* of the rate to base units */
};

static const struct meaning bulk[] = {
    {PUTC, PUTC_LATENCY, "char_write", "write", METRIC_throughput, 1024},
    {PUT_BLOCK, PUT_BLOCK_LATENCY, "block_write", "write", METRIC_throughput, 1024},
    {REWRITE, REWRITE_LATENCY, "rewrite", "rewrite", METRIC_throughput, 1024},
    {GETC, GETC_LATENCY, "char_read", "read", METRIC_throughput, 1024},
    {GET_BLOCK, GET_BLOCK_LATENCY, "block_read", "read", METRIC_throughput, 1024},
    {SEEKS, SEEKS_LATENCY, "seeks", "seek", METRIC_rate, 1},
};

static const struct meaning small_files[] = {
    {SEQ_CREATE, SEQ_CREATE_LATENCY, "create_sequential", "create", METRIC_rate, 1},
    {SEQ_STAT, SEQ_STAT_LATENCY, "stat_sequential", "stat", METRIC_rate, 1},
    {SEQ_DELETE, SEQ_DELETE_LATENCY, "delete_sequential", "delete", METRIC_rate, 1},
    {RAN_CREATE, RAN_CREATE_LATENCY, "create_random", "create", METRIC_rate, 1},
    {RAN_STAT, RAN_STAT_LATENCY, "stat_random", "stat", METRIC_rate, 1},
    {RAN_DELETE, RAN_DELETE_LATENCY, "delete_random", "delete", METRIC_rate, 1},
};

enum {
	BULK_COUNT = sizeof(bulk) / sizeof(bulk[0]),
	SMALL_FILES_COUNT = sizeof(small_files) / sizeof(small_files[0])
};

/* The CPU percentage, user and system together; of the seeks it is a multiple and only kept. */
static int add_cpu(const struct reader *reader, const struct row *row,
		   const struct meaning *meaning, struct imported_run *run,
		   struct measurement *measurement)
{
	struct span cell = row->cells[meaning->rate + 1];
	char text[32];
	double percent;
	int code = read_number(reader, cell, "CPU percentage", &percent);

	if (code || isnan(percent))
		return code;
	if (meaning->rate == SEEKS && row->version != NO_VERSION)
		import_keep(run, "seeks_cpu, counted once for each seeker",
			    span_copy_to(cell, text, sizeof(text)));
	else
		measurement_add_metric(measurement, "all", &shared_metrics[METRIC_cpu], percent);
	return 0;
}

/* The measurement of a phase that ran, without its parameters; *measurement NULL when it did not.
 */
static int add_measurement(const struct reader *reader, const struct row *row,
			   const struct meaning *meaning, struct imported_run *run,
			   struct measurement **measurement)
{
	struct span rate = row->cells[meaning->rate], latency = row->cells[meaning->latency];
	double value, latency_ns;
	int code = read_number(reader, rate, "rate", &value);

	*measurement = NULL;
	if (code || !rate.length)
		return code;
	*measurement = import_add_measurement(run, meaning->phase);
	measurement_add_metric(*measurement, meaning->operation, &shared_metrics[meaning->metric],
			       value * meaning->scale);
	measurement_mark_headline(*measurement, meaning->operation,
				  shared_metrics[meaning->metric].name);
	if (is_plus(rate))
		snprintf((*measurement)->message, sizeof((*measurement)->message),
			 "too fast to rate");
	if (latency.length) {
		if (!read_latency(latency, &latency_ns))
			return refuse(reader, latency, "latency");
		measurement_add_metric(*measurement, meaning->operation,
				       &shared_metrics[METRIC_latency_max], latency_ns);
	}
	return add_cpu(reader, row, meaning, run, *measurement);
}

static void set_text(struct measurement *measurement, const char *name, const char *text)
{
	measurement_add_parameter(measurement, name, value_text(text));
}

static void set_number(struct measurement *measurement, const char *name, uint64_t number)
{
	if (number)
		measurement_add_parameter(measurement, name, value_number(number));
}

static void describe_seeks(const struct row *row, struct measurement *measurement)
{
	uint64_t seekers = row->version == NO_VERSION ? 3 : 5;

	if (row->cells[SEEKERS].start && !span_integer(row->cells[SEEKERS], &seekers))
		seekers = 0;
	set_number(measurement, "seekers", seekers);
	set_number(measurement, "rewrite_percent", 10);
}

static void describe_bulk(const struct row *row, enum column rate, uint64_t chunk,
			  struct measurement *measurement)
{
	bool is_char = rate == PUTC || rate == GETC, is_old = row->version == NO_VERSION;

	if (is_char)
		set_text(measurement, "method", is_old ? "stdio" : "syscall");
	else
		set_number(measurement, "block_size", chunk);
	if (rate == SEEKS)
		describe_seeks(row, measurement);
	if (rate != PUTC && rate != PUT_BLOCK)
		set_text(measurement, "eviction", "none");
	if (is_old && (rate == PUTC || rate == PUT_BLOCK || rate == REWRITE))
		set_text(measurement, "sync", "uncontrolled");
}

static int add_bulk(const struct reader *reader, const struct row *row, struct imported_run *run)
{
	uint64_t size, chunk;
	int code = read_sizes(reader, row, &size, &chunk);

	if (!code && size)
		facts_set_integer(&run->run.facts, "data_set_bytes", (int64_t)size);
	for (size_t i = 0; !code && i < BULK_COUNT; i++) {
		struct measurement *measurement;

		code = add_measurement(reader, row, &bulk[i], run, &measurement);
		if (!code && measurement)
			describe_bulk(row, bulk[i].rate, chunk, measurement);
	}
	return code;
}

/* ---- small files ---------------------------------------------------------------------------- */

struct file_settings {
	uint64_t files, max_bytes, min_bytes, directories;
	const char *kind;
};

/* A number of a setting; empty is what bonnie++ then uses. */
static int read_setting(const struct reader *reader, struct span cell, const char *what,
			uint64_t *number)
{
	if (cell.length && !span_integer(cell, number))
		return refuse(reader, cell, what);
	return 0;
}

/* The size of a file, or what stands there for links. */
static int read_max_size(const struct reader *reader, struct span cell,
			 struct file_settings *settings)
{
	settings->kind = span_is(cell, "link")	    ? "link"
			 : span_is(cell, "symlink") ? "symlink"
						    : "file";
	return *settings->kind == 'f'
		   ? read_setting(reader, cell, "size of a file", &settings->max_bytes)
		   : 0;
}

/* 1.0x: "16", "16:max:min/dirs", "16:link". */
static int read_packed_files(const struct reader *reader, struct span rest,
			     struct file_settings *settings)
{
	struct span part, directories = span_after(rest, "/");
	int code;

	if (directories.start)
		rest = span_between(rest.start, directories.start - 1);
	span_next(&rest, ':', &part);
	code = read_setting(reader, part, "number of files", &settings->files);
	if (!code && span_next(&rest, ':', &part))
		code = read_max_size(reader, part, settings);
	if (!code && span_next(&rest, ':', &part))
		code = read_setting(reader, part, "size of a file", &settings->min_bytes);
	return code ? code
		    : read_setting(reader, directories, "number of directories",
				   &settings->directories);
}

static int read_files(const struct reader *reader, const struct row *row,
		      struct file_settings *settings)
{
	struct span directories = row->cells[DIRECTORIES];
	int code;

	*settings = (struct file_settings){.directories = 1, .kind = "file"};
	if (row->version == NO_VERSION)
		return read_packed_files(reader, row->cells[FILES], settings);
	if (!directories.length && span_integer(row->cells[FILE_CHUNK], &settings->directories))
		directories = row->cells[FILE_CHUNK]; /* see the head of the file */
	code = read_setting(reader, row->cells[FILES], "number of files", &settings->files);
	if (!code)
		code = read_max_size(reader, row->cells[MAX_SIZE], settings);
	if (!code)
		code = read_setting(reader, row->cells[MIN_SIZE], "size of a file",
				    &settings->min_bytes);
	return code ? code
		    : read_setting(reader, directories, "number of directories",
				   &settings->directories);
}

static void describe_files(const struct file_settings *settings, enum column rate,
			   struct measurement *measurement)
{
	char range[VALUE_TEXT_MAX];

	set_number(measurement, "files", settings->files * 1024);
	snprintf(range, sizeof(range), "%" PRIu64 ":%" PRIu64, settings->min_bytes,
		 settings->max_bytes);
	set_text(measurement, "file_size", range);
	set_number(measurement, "directories", settings->directories);
	set_text(measurement, "kind", settings->kind);
	if (rate == SEQ_STAT || rate == RAN_STAT)
		set_text(measurement, "cache", "warm");
}

static int add_small_files(const struct reader *reader, const struct row *row,
			   struct imported_run *run)
{
	struct file_settings settings;
	int code = read_files(reader, row, &settings);

	if (!code && settings.files > UINT64_MAX / 1024)
		code = refuse(reader, row->cells[FILES], "number of files");
	for (size_t i = 0; !code && i < SMALL_FILES_COUNT; i++) {
		struct measurement *measurement;

		code = add_measurement(reader, row, &small_files[i], run, &measurement);
		if (!code && measurement)
			describe_files(&settings, small_files[i].rate, measurement);
	}
	return code;
}

/* ---- rows and rounds ------------------------------------------------------------------------ */

static void keep_cell(struct imported_run *run, const char *name, struct span cell)
{
	char text[64];

	if (cell.length)
		import_keep(run, name, span_copy_to(cell, text, sizeof(text)));
}

static int describe_run(const struct reader *reader, const struct row *row,
			struct imported_run *run)
{
	char *text;

	text = span_copy(row->cells[NAME]);
	if (*text)
		facts_set_text(&run->run.facts, "host", text);
	free(text);
	if (row->cells[VERSION].start) {
		text = span_copy(row->cells[VERSION]);
		run_set_text(&run->run.version, text);
		free(text);
	} else {
		run_set_text(&run->run.version, "1.0x");
	}
	if (row->cells[SEED].length && !span_integer(row->cells[SEED], &run->run.seed))
		return refuse(reader, row->cells[SEED], "seed");
	keep_cell(run, "concurrency, which makes no load", row->cells[CONCURRENCY]);
	keep_cell(run, "seeks asked for", row->cells[SEEK_COUNT]);
	if (span_count(row->cells[FILE_CHUNK], 'k'))
		keep_cell(run, "chunk of the small files", row->cells[FILE_CHUNK]);
	return 0;
}

static int add_row(const struct reader *reader, const struct row *row, struct import_sink *sink)
{
	size_t start = (size_t)(row->whole.start - reader->text);
	struct imported_run *run = import_add_run(sink, &importer_bonnie, "bonnie++", reader->text,
						  start, start + row->whole.length, NULL);
	int code = describe_run(reader, row, run);

	run->start = (size_t)(original_place(reader, row->whole.start) - reader->original);
	run->end = (size_t)(original_place(reader, span_end(row->whole)) - reader->original);

	if (!code)
		code = add_bulk(reader, row, run);
	if (!code)
		code = add_small_files(reader, row, run);
	if (!code && !run->measurement_count)
		return text_refuse(reader->err, reader->original,
				   original_place(reader, row->whole.start),
				   "a row of bonnie++ in which no phase ran");
	return code;
}

/* Rows of one command: -x repeats it with the same settings and, where there is one, seed. */
static bool same_command(const struct row *a, const struct row *b)
{
	static const enum column settings[] = {
		FORMAT, VERSION, NAME, CONCURRENCY, SEED, SIZE, CHUNK, SEEK_COUNT, SEEKERS,
		FILES, MAX_SIZE, MIN_SIZE, DIRECTORIES, FILE_CHUNK,
	};

	if (a->version != b->version)
		return false;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct span left = a->cells[settings[i]], right = b->cells[settings[i]];

		if (left.length != right.length ||
		    (left.length && memcmp(left.start, right.start, left.length)))
			return false;
	}
	return true;
}

static void make_rounds(struct import_sink *sink, const struct row *rows, size_t count)
{
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && same_command(&rows[first], &rows[next]);)
			next++;
		if (next - first > 1)
			import_make_series(sink, first, next - first);
	}
}

/* The text report alone: its file rates are garbage in 1.98 to 2.00a, its bulk rates rounded. */
static bool is_report(struct span text)
{
	return span_find(text, "------Sequential Output------") != NULL;
}

static int read_rows(const struct reader *reader, struct import_sink *sink, struct row **rows,
		     size_t *count)
{
	struct lines lines = lines_of(reader->text, reader->length);
	struct row *row;
	unsigned version;
	int code = 0;

	while (!code && lines_next(&lines)) {
		if (!find_row(&lines.line, &version))
			continue;
		row = LIST_ADD(*rows, *count);
		code = split_row(reader, lines.line, version, row);
		if (!code)
			code = add_row(reader, row, sink);
	}
	return code;
}

/* A line that goes on behind "=": not a rule of equal signs, and something with fields. */
static bool is_soft_break(struct span line)
{
	return span_ends(line, "=") && !span_ends(line, "==") && span_find(line, ",");
}

/* Joins what quoted-printable has cut (RFC 2045, section 6.7, rule 5). */
static void join_lines(struct reader *reader)
{
	struct lines lines = lines_of(reader->original, reader->length);
	size_t used = 0, removed = 0;

	while (lines_next(&lines)) {
		const char *next = lines.rest.start ? lines.rest.start : span_end(lines.line);
		size_t whole = (size_t)(next - lines.line.start), kept = whole;

		if (is_soft_break(lines.line))
			kept = lines.line.length - 1;
		memcpy(reader->joined + used, lines.line.start, kept);
		used += kept;
		removed += whole - kept;
		if (kept < whole)
			*LIST_ADD(reader->breaks, reader->break_count) =
			    (struct soft_break){used, removed};
	}
	reader->joined[used] = '\0';
	reader->length = used;
	reader->text = reader->joined;
}

static void open_reader(struct reader *reader, const char *text, size_t length, struct err *err)
{
	struct span whole = {text, length};

	*reader = (struct reader){.original = text, .text = text, .length = length, .err = err};
	if (!span_find(whole, "=\n") && !span_find(whole, "=\r\n"))
		return;
	reader->joined = malloc(length + 1);
	if (!reader->joined)
		abort();
	join_lines(reader);
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct reader reader;
	struct row *rows = NULL;
	size_t count = 0;
	int code;

	open_reader(&reader, text, length, err);
	code = read_rows(&reader, sink, &rows, &count);
	if (!code && !count)
		code = text_refuse(
		    err, text, text,
		    is_report((struct span){text, length})
			? "bonnie++'s report for people, whose rates are rounded and in "
			  "some versions wrong: import the CSV line that follows it"
			: "no row of bonnie++ that could be read");
	if (!code)
		make_rounds(sink, rows, count);
	free(rows);
	free(reader.breaks);
	free(reader.joined);
	return code;
}

static int sniff_rows(const struct reader *reader)
{
	struct lines lines = lines_of(reader->text, reader->length);
	unsigned version;

	while (lines_next(&lines))
		if (find_row(&lines.line, &version))
			return version == NO_VERSION ? 60 : 85;
	return 0;
}

static int sniff(const char *head, size_t length)
{
	struct span whole = {head, length};
	struct reader reader;
	int score;

	open_reader(&reader, head, length, NULL);
	score = sniff_rows(&reader);
	free(reader.breaks);
	free(reader.joined);
	if (!score && (is_report(whole) || span_find(whole, "format_version,bonnie_version,")))
		score = 30;
	return score;
}

const struct importer importer_bonnie = {
    .name = "bonnie",
    .help = "CSV rows of bonnie++ 1.0x to 2.00a, whatever stands around them",
    .sniff = sniff,
    .parse = parse,
};
