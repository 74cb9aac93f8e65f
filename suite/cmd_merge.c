/* SPDX-License-Identifier: MIT */
/*
 * cmd_merge.c - other archives taken in, runs known by their UUID.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "archive_edit.h"
#include "command.h"

enum {
	COLUMN_FILE,
	COLUMN_ADDED,
	COLUMN_KNOWN,
	COLUMN_DIFFERING,
	COLUMN_RUNNING,
	COLUMN_LEFT,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
    [COLUMN_FILE] = {"file", "File", .left = true},
    [COLUMN_ADDED] = {"added", "Taken in", .unit = UNIT_COUNT},
    [COLUMN_KNOWN] = {"known", "Already there", .unit = UNIT_COUNT},
    [COLUMN_DIFFERING] = {"differing", "Differing", .unit = UNIT_COUNT},
    [COLUMN_RUNNING] = {"running", "Still running", .unit = UNIT_COUNT},
    [COLUMN_LEFT] = {"left_as_they_are", "Left as is", .left = true},
};

struct merging {
	const struct invocation *invocation;
	struct archive *archive;
	struct document document;
	struct table *table;
	size_t differing;
};

/* "3, 7" */
static void list_ids(const struct run_ids *ids, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ids->count && used + 24 < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? ", " : "",
					 ids->items[i]);
	if (ids->count && used + 24 >= size)
		snprintf(text + used, size - used, ", ...");
}

static void add_row(struct merging *merging, const char *path, const struct intake *intake)
{
	struct table *table = merging->table;
	char left[400];

	list_ids(&intake->differing, left, sizeof(left));
	table_row(table);
	table_text(table, COLUMN_FILE, path);
	table_integer(table, COLUMN_ADDED, (int64_t)intake->added.count);
	table_integer(table, COLUMN_KNOWN, (int64_t)intake->known.count);
	table_integer(table, COLUMN_DIFFERING, (int64_t)intake->differing.count);
	table_integer(table, COLUMN_RUNNING, (int64_t)intake->running);
	table_text(table, COLUMN_LEFT, *left ? left : NULL);
	merging->differing += intake->differing.count;
}

/* An archive merged into itself: its locks would be lost with the second handle. */
static int check_other(const struct invocation *invocation, const char *path, struct err *err)
{
	char own[PATH_MAX];
	struct stat ours, other;
	bool is_default;
	int code = command_archive_path(invocation, own, sizeof(own), &is_default, err);

	if (!code && !stat(own, &ours) && !stat(path, &other) && ours.st_dev == other.st_dev &&
	    ours.st_ino == other.st_ino)
		return err_set(err, ERR_USAGE, "%s is the archive itself", path);
	return code;
}

static int merge_file(struct merging *merging, const char *path, struct err *err)
{
	struct archive *from = NULL;
	struct intake intake = {0};
	int code = check_other(merging->invocation, path, err);

	if (!code)
		code = archive_open(&from, path, ARCHIVE_READ, err);
	if (!code)
		code = archive_merge(merging->archive, from, &intake, err);
	if (!code)
		add_row(merging, path, &intake);
	intake_release(&intake);
	archive_close(from);
	return code;
}

static int merge_files(struct merging *merging, struct err *err)
{
	const struct word_list *files = &merging->invocation->options->arguments;
	int code = 0;

	for (size_t i = 0; !code && i < files->count && !atomic_load(merging->invocation->stop);
	     i++)
		code = merge_file(merging, files->items[i], err);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	struct merging merging = {.invocation = invocation};
	struct format_options look = command_format_options(invocation);
	const struct format *format;
	int code = command_format(invocation, &format, err), rendered;

	if (!code && !invocation->options->arguments.count)
		code = err_set(err, ERR_USAGE, "an archive is wanted: `assay merge FILE.db ...`");
	if (!code)
		code = command_open_archive(invocation, ARCHIVE_WRITE, &merging.archive, err);
	merging.table = document_table(&merging.document, NULL, columns, COLUMNS);
	if (!code)
		code = merge_files(&merging, err);
	if (!code && merging.differing)
		document_paragraph(
		    &merging.document,
		    "A run that differs from one of the same UUID is not taken in; the one "
		    "that is there is left as it is.");
	rendered =
	    !merging.table->row_count || (code && code == ERR_USAGE)
		? 0
		: format->render(&merging.document, &look, invocation->out, code ? NULL : err);
	document_release(&merging.document);
	archive_close(merging.archive);
	if (code || rendered)
		return code ? code : rendered;
	return merging.differing ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_merge = {
    .name = "merge",
    .synopsis = "FILE.db ...",
    .help = "take in other archives",
    .more = "Runs are known by their UUID: one that is there is not taken twice, one that differs\n"
	    "is reported and left as it is (exit status 1). The other archives stay as they are.\n",
    .groups = OPTIONS_ARCHIVE | OPTIONS_REPORT,
    .run = run,
};
