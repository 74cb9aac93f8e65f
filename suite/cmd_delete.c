/* SPDX-License-Identifier: MIT */
/*
 * cmd_delete.c - archived runs removed, after asking.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive_edit.h"
#include "command.h"
#include "report.h"

/* Shows what would go and reads the answer from the terminal. */
static int ask(const struct invocation *invocation, struct archive *archive,
	       const struct run_ids *ids, bool *yes, struct err *err)
{
	struct format_options look = command_format_options(invocation);
	char answer[16];
	int code = report_list(archive, ids, format_find("text"), &look, invocation->log, err);

	if (code)
		return code;
	fprintf(invocation->log, "Delete %s %zu run%s for good? [y/N] ",
		ids->count == 1 ? "this" : "these", ids->count, ids->count == 1 ? "" : "s");
	fflush(invocation->log);
	*yes = fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
	return 0;
}

/* Nobody can be asked where there is no terminal. */
static int confirm(const struct invocation *invocation, struct archive *archive,
		   const struct run_ids *ids, bool *yes, struct err *err)
{
	*yes = invocation->options->yes;
	if (*yes)
		return 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return err_set(err, ERR_USAGE, "%zu run%s would be deleted for good: say --yes",
			       ids->count, ids->count == 1 ? "" : "s");
	return ask(invocation, archive, ids, yes, err);
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct word_list *terms = &invocation->options->arguments;
	struct archive *archive = NULL;
	struct run_ids ids = {0};
	bool yes = false;
	int code =
	    terms->count ? 0 : err_set(err, ERR_USAGE, "a run is wanted: `assay delete RUN ...`");

	if (!code)
		code = command_open_archive(invocation, ARCHIVE_WRITE, &archive, err);
	if (!code)
		code = archive_select(archive, terms->items, terms->count, 0, &ids, err);
	if (!code)
		code = confirm(invocation, archive, &ids, &yes, err);
	if (!code && yes)
		code = archive_delete(archive, &ids, err);
	if (!code && !invocation->options->quiet)
		fprintf(invocation->log, "deleted %zu run%s\n", yes ? ids.count : (size_t)0,
			yes && ids.count == 1 ? "" : "s");
	run_ids_release(&ids);
	archive_close(archive);
	return code;
}

const struct command command_delete = {
    .name = "delete",
    .synopsis = "RUN ... [--yes]",
    .help = "remove archived runs",
    .more = "RUN is an id, the start of a UUID, a label, latest, latest~N or a FILTER as in\n"
	    "`assay list`. Asks first; without a terminal --yes is needed.\n",
    .groups = OPTIONS_ARCHIVE | OPTIONS_YES | OPTIONS_QUIET,
    .run = run,
};
