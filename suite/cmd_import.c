/* SPDX-License-Identifier: MIT */
/*
 * cmd_import.c - what other programs measured, into the archive.
 *
 * A file is taken whole or refused; a refused one is told on stderr and the others go on. Files
 * share transactions for up to a second, since each commit waits for the disk; what is printed is
 * printed once it is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_edit.h"
#include "clock.h"
#include "command.h"
#include "importer.h"
#include "printable.h"

enum { FILE_BYTES_MAX = 512 << 20, READ_BYTES = 1 << 20 };
#define BATCH_NS NS_PER_S

enum {
	COLUMN_RUN,
	COLUMN_OUTCOME,
	COLUMN_SOURCE,
	COLUMN_VERSION,
	COLUMN_HOST,
	COLUMN_POINTS,
	COLUMN_UNMAPPED,
	COLUMN_UUID,
	COLUMN_FILE,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
    [COLUMN_RUN] = {"id", "Run", .unit = UNIT_COUNT},
    [COLUMN_OUTCOME] = {"outcome", "Outcome", .left = true, .whole = true},
    [COLUMN_SOURCE] = {"source", "Source", .left = true, .whole = true},
    [COLUMN_VERSION] = {"version", "Version", .left = true, .drop = 2},
    [COLUMN_HOST] = {"host", "Host", .left = true, .drop = 1},
    [COLUMN_POINTS] = {"measurements", "Points", .unit = UNIT_COUNT},
    [COLUMN_UNMAPPED] = {"unmapped", "Kept aside", .unit = UNIT_COUNT, .drop = 3},
    [COLUMN_UUID] = {"uuid", "UUID", .left = true, .machine_only = true},
    [COLUMN_FILE] = {"file", "File", .left = true},
};

struct importing {
	const struct invocation *invocation;
	struct archive *archive;
	struct facts facts, tags;
	struct document document;
	struct table *table;
	bool in_batch;
	uint64_t batch_started_ns;
	unsigned refused;
};

/* ---- files ---------------------------------------------------------------------------------- */

static int open_file(const char *path, int *fd, struct err *err)
{
	struct stat status;

	*fd = !strcmp(path, "-") ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	if (fstat(*fd, &status))
		return err_set(err, -errno, "%s", strerror(errno));
	return S_ISDIR(status.st_mode) ? err_set(err, -EISDIR, "it is a directory") : 0;
}

/* Everything there is, and a NUL behind it. */
static int read_all(int fd, char **text, size_t *length, struct err *err)
{
	size_t room = 0;

	for (;;) {
		ssize_t got;

		if (room - *length < READ_BYTES) {
			room = room ? 2 * room : 2 * READ_BYTES;
			*text = realloc(*text, room);
			if (!*text)
				abort();
		}
		got = read(fd, *text + *length, READ_BYTES - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, -errno, "read it: %s", strerror(errno));
		if (!got)
			break;
		*length += (size_t)got;
		if (*length > FILE_BYTES_MAX)
			return err_set(err, -EFBIG, "it is larger than 512 MiB");
	}
	(*text)[*length] = '\0';
	return 0;
}

static int read_file(const char *path, char **text, size_t *length, struct err *err)
{
	int fd = -1;
	int code = open_file(path, &fd, err);

	*text = NULL;
	*length = 0;
	if (!code)
		code = read_all(fd, text, length, err);
	if (fd > STDIN_FILENO && close(fd) && !code)
		code = err_set(err, -errno, "close it: %s", strerror(errno));
	return code;
}

/* ---- what the user says beside the text ----------------------------------------------------- */

static void set_fact(struct facts *facts, const struct fact *fact)
{
	facts_set_text(facts, fact->name, fact->text);
}

/* A document of our own is the run as it was, and stays so. */
static void annotate(const struct importing *importing, const char *path, bool is_ours,
		     struct run *run)
{
	const struct options *options = importing->invocation->options;

	for (size_t i = 0; i < importing->facts.count; i++)
		set_fact(&run->facts, &importing->facts.items[i]);
	for (size_t i = 0; i < importing->tags.count; i++)
		set_fact(&run->tags, &importing->tags.items[i]);
	if (options->label && *options->label)
		run_set_text(&run->label, options->label);
	if (options->note)
		run_add_note(run, NULL, options->note);
	if (!is_ours && strcmp(path, "-") != 0)
		facts_set_text(&run->facts, "import_file", path);
}

/* ---- the archive ---------------------------------------------------------------------------- */

static int end_batch(struct importing *importing, struct err *err)
{
	if (!importing->in_batch)
		return 0;
	importing->in_batch = false;
	return archive_batch_end(importing->archive, err);
}

static int begin_batch(struct importing *importing, struct err *err)
{
	int code = 0;

	if (importing->in_batch && clock_now_ns() - importing->batch_started_ns > BATCH_NS)
		code = end_batch(importing, err);
	if (code || importing->in_batch)
		return code;
	importing->batch_started_ns = clock_now_ns();
	code = archive_batch_begin(importing->archive, err);
	importing->in_batch = !code;
	return code;
}

static void add_row(struct importing *importing, const char *path, const struct imported_run *run)
{
	struct table *table = importing->table;

	table_row(table);
	table_integer(table, COLUMN_RUN, run->run.id);
	table_text(table, COLUMN_OUTCOME, run->known ? "already there" : "imported");
	table_text(table, COLUMN_SOURCE, run->run.source);
	table_text(table, COLUMN_VERSION, run->run.version);
	table_text(table, COLUMN_HOST, facts_text(&run->run.facts, "host"));
	table_integer(table, COLUMN_POINTS, (int64_t)run->measurement_count);
	table_integer(table, COLUMN_UNMAPPED, (int64_t)run->origin.unmapped_count);
	table_text(table, COLUMN_UUID, run->run.uuid);
	table_text(table, COLUMN_FILE, path);
}

static int put(struct importing *importing, const char *path, const char *text, bool is_ours,
	       struct import_sink *sink, struct err *err)
{
	struct intake intake = {0};
	int code = begin_batch(importing, err);

	for (size_t i = 0; i < sink->run_count; i++)
		annotate(importing, path, is_ours, &sink->runs[i].run);
	if (!code)
		code = archive_import(importing->archive, text, sink, &intake, err);
	for (size_t i = 0; !code && i < sink->run_count; i++)
		add_row(importing, path, &sink->runs[i]);
	intake_release(&intake);
	return code;
}

/* A refused file is said and counted; the archive failing ends the command. */
static void refuse(struct importing *importing, const char *path, const struct err *why)
{
	char *name = printable_copy(!strcmp(path, "-") ? "standard input" : path, "");
	char *reason = printable_copy(why->text, "");

	fprintf(importing->invocation->log, "assay: %s is refused: %s\n", name, reason);
	importing->refused++;
	free(name);
	free(reason);
}

static int import_file(struct importing *importing, const char *path, struct err *err)
{
	struct import_sink sink = {.given = &importing->facts};
	const struct importer *importer;
	struct err why = {0};
	char *text = NULL;
	size_t length = 0;
	int code = read_file(path, &text, &length, &why);

	if (!code)
		code = import_parse(text, length, &sink, &importer, &why);
	if (code) {
		refuse(importing, path, &why);
		code = 0;
	} else {
		code = put(importing, path, text, importer == &importer_assay, &sink, err);
	}
	import_sink_release(&sink);
	free(text);
	return code;
}

static int import_files(struct importing *importing, struct err *err)
{
	const struct word_list *files = &importing->invocation->options->arguments;
	int code = 0;

	for (size_t i = 0; !code && i < files->count && !atomic_load(importing->invocation->stop);
	     i++)
		code = import_file(importing, files->items[i], err);
	if (code) {
		end_batch(importing, NULL);
		return code;
	}
	return end_batch(importing, err);
}

static int check_arguments(const struct invocation *invocation, struct err *err)
{
	const struct word_list *files = &invocation->options->arguments;

	if (files->count)
		return 0;
	return err_set(err, ERR_USAGE,
		       "a file is wanted, or - for standard input: `assay import FILE ...`");
}

static int run(const struct invocation *invocation, struct err *err)
{
	struct importing importing = {.invocation = invocation};
	struct format_options look = command_format_options(invocation);
	const struct format *format;
	int code = command_format(invocation, &format, err);

	if (!code)
		code = check_arguments(invocation, err);
	if (!code)
		code = options_pairs(&invocation->options->facts, "fact", &importing.facts, err);
	if (!code)
		code = options_pairs(&invocation->options->tags, "tag", &importing.tags, err);
	if (!code)
		code = command_open_archive(invocation, ARCHIVE_WRITE, &importing.archive, err);
	importing.table = document_table(&importing.document, NULL, columns, COLUMNS);
	if (!code)
		code = import_files(&importing, err);
	if (!code)
		code = format->render(&importing.document, &look, invocation->out, err);
	document_release(&importing.document);
	facts_release(&importing.facts);
	facts_release(&importing.tags);
	archive_close(importing.archive);
	return code ? code : importing.refused ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_import = {
    .name = "import",
    .synopsis = "[options] FILE ...",
    .help = "take in what bonnie++, fio, Orion or another assay measured",
    .more =
	"FILE is told by its content: bonnie++ CSV of any version, fio's JSON, terse or text\n"
	"output, Orion's summaries and matrices, assay's JSON; - is standard input. A text does\n"
	"not know the scheduler or the kernel: say them with --fact scheduler=cfq. What fio's\n"
	"old JSON and terse output leave out can be said the same way: rw, bs, iodepth,\n"
	"numjobs, ioengine, direct, rwmixread.\n",
    .groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LABELS,
    .run = run,
};
