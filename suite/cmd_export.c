/* SPDX-License-Identifier: MIT */
/*
 * cmd_export.c - archived runs for other programs: whole as JSON or as an archive of their own, as
 * CSV, as rows of bonnie++.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive_edit.h"
#include "command.h"
#include "export.h"
#include "param.h"
#include "report.h"

struct exporting {
	const struct invocation *invocation;
	struct archive *archive;
	struct run_ids ids;
};

typedef void (*write_fn)(FILE *out, const struct archived_run *archived);

/* ---- run by run ----------------------------------------------------------------------------- */

static int load_and_write(const struct exporting *exporting, size_t index, write_fn write,
			  struct err *err)
{
	struct archived_run archived;
	int code =
	    archive_load(exporting->archive, exporting->ids.items[index], LOAD_ALL, &archived, err);

	if (code)
		return code;
	write(exporting->invocation->out, &archived);
	archived_run_release(&archived);
	return 0;
}

static void write_json(FILE *out, const struct archived_run *archived)
{
	export_json(out, archived, true);
}

/* One run is a document, several are a list of them. */
static int export_as_json(struct exporting *exporting, struct err *err)
{
	FILE *out = exporting->invocation->out;
	int code = 0;

	if (exporting->ids.count == 1)
		return load_and_write(exporting, 0, write_json, err);
	fputs("[\n", out);
	for (size_t i = 0; !code && i < exporting->ids.count; i++) {
		if (i)
			fputs(",\n", out);
		code = load_and_write(exporting, i, write_json, err);
	}
	fputs("]\n", out);
	return code;
}

static int export_as_bonnie(struct exporting *exporting, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < exporting->ids.count; i++)
		code = load_and_write(exporting, i, export_bonnie, err);
	return code;
}

static int export_as_csv(struct exporting *exporting, struct err *err)
{
	struct format_options look = command_format_options(exporting->invocation);

	return report_runs(exporting->archive, &exporting->ids, format_find("csv"), &look,
			   exporting->invocation->out, err);
}

/* ---- an archive of its own ------------------------------------------------------------------ */

static int copy_to(struct exporting *exporting, const char *path, struct err *err)
{
	struct archive *into = NULL;
	struct intake intake = {0};
	int code = archive_open(&into, path, ARCHIVE_WRITE, err);

	if (!code)
		code = archive_copy(into, exporting->archive, &exporting->ids, &intake, err);
	if (!code && intake.running)
		code = err_set(err, -EBUSY,
			       "a run that is still running cannot be exported as an archive");
	intake_release(&intake);
	archive_close(into);
	return code;
}

static int write_out(const char *path, FILE *out, struct err *err)
{
	char buffer[64 << 10];
	FILE *file = fopen(path, "re");
	size_t got;

	if (!file)
		return err_set(err, -errno, "open %s: %s", path, strerror(errno));
	while ((got = fread(buffer, 1, sizeof(buffer), file)))
		if (fwrite(buffer, 1, got, out) != got)
			break;
	if (ferror(file))
		return fclose(file), err_set(err, -EIO, "read %s: %s", path, strerror(errno));
	return fclose(file) ? err_set(err, -errno, "close %s: %s", path, strerror(errno)) : 0;
}

/* Made in a directory of its own and then written where the report goes, like every other format.
 */
static int export_as_archive(struct exporting *exporting, struct err *err)
{
	const char *temporary = getenv("TMPDIR");
	char directory[PATH_MAX - 16], path[PATH_MAX];
	int code;

	if (isatty(fileno(exporting->invocation->out)) > 0)
		return err_set(err, ERR_USAGE, "an archive is not for a terminal: say -o FILE.db");
	snprintf(directory, sizeof(directory), "%s/assay-export.XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(directory))
		return err_set(err, -errno, "make a directory like %s: %s", directory,
			       strerror(errno));
	snprintf(path, sizeof(path), "%s/archive.db", directory);
	code = copy_to(exporting, path, err);
	if (!code)
		code = write_out(path, exporting->invocation->out, err);
	unlink(path);
	rmdir(directory);
	return code;
}

/* ---- which ---------------------------------------------------------------------------------- */

static const struct way {
	const char *name;
	int (*write)(struct exporting *exporting, struct err *err);
} ways[] = {
    {"json", export_as_json},
    {"csv", export_as_csv},
    {"bonnie", export_as_bonnie},
    {"db", export_as_archive},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* JSON unless --format or a file called *.db says otherwise. */
static int find_way(const struct options *options, const struct way **way, struct err *err)
{
	const char *name = options->format, *near;
	const char *names[WAYS + 1] = {NULL};

	if (!name)
		name = options->output && ends_with(options->output, ".db") ? "db" : "json";
	for (size_t i = 0; i < WAYS; i++) {
		names[i] = ways[i].name;
		*way = &ways[i];
		if (!strcmp(name, ways[i].name))
			return 0;
	}
	near = nearest_name(name, names);
	return err_set(err, ERR_USAGE,
		       "--format %s: runs are exported as json, csv, bonnie or db%s%s%s", name,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct word_list *terms = &invocation->options->arguments;
	struct exporting exporting = {.invocation = invocation};
	const struct way *way;
	int code = find_way(invocation->options, &way, err);

	if (!code && !terms->count)
		code = err_set(err, ERR_USAGE, "a run is wanted: `assay export RUN ...`");
	if (!code)
		code = command_open_archive(invocation, ARCHIVE_READ, &exporting.archive, err);
	if (!code)
		code = archive_select(exporting.archive, terms->items, terms->count, 0,
				      &exporting.ids, err);
	if (!code)
		code = way->write(&exporting, err);
	run_ids_release(&exporting.ids);
	archive_close(exporting.archive);
	return code;
}

const struct command command_export = {
    .name = "export",
    .synopsis = "RUN ... [--format json|csv|bonnie|db]",
    .help = "archived runs for other programs",
    .more =
	"json is whole and can be imported again; csv has one row for each metric; bonnie is a\n"
	"row of bonnie++ 1.98 for each run; db, or -o FILE.db, is an archive of its own.\n"
	"RUN is an id, the start of a UUID, a label, latest, latest~N or a FILTER as in\n"
	"`assay list`.\n",
    .groups = OPTIONS_ARCHIVE | OPTIONS_REPORT,
    .run = run,
};
