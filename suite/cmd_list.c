/* SPDX-License-Identifier: MIT */
/*
 * cmd_list.c - archived runs, one a line.
 */
#include "command.h"
#include "report.h"

static int run(const struct invocation *invocation, struct err *err)
{
	const struct word_list *terms = &invocation->options->arguments;
	struct format_options look = command_format_options(invocation);
	struct archive *archive = NULL;
	const struct format *format;
	struct run_ids ids = {0};
	int code = command_format(invocation, &format, err);

	if (!code)
		code = command_open_archive(invocation, ARCHIVE_READ, &archive, err);
	if (!code)
		code = archive_select(archive, terms->items, terms->count, SELECT_ALL_IF_NONE, &ids,
				      err);
	if (!code)
		code = report_list(archive, &ids, format, &look, invocation->out, err);
	run_ids_release(&ids);
	archive_close(archive);
	return code;
}

const struct command command_list = {
	.name = "list",
	.synopsis = "[FILTER ...]",
	.help = "archived runs, one a line",
	.more = "FILTER is NAME=PATTERN over facts, tags and columns of runs: scheduler=bfq,\n"
		"kernel=6.*, host=db*, since=2026-01-01. Several are and-ed.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT,
	.run = run,
};
