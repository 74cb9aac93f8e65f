/* SPDX-License-Identifier: MIT */
/*
 * cmd_show.c - one run whole.
 */
#include "command.h"
#include "report.h"

static int run(const struct invocation *invocation, struct err *err)
{
	static const char *const latest[] = {"latest"};
	const struct word_list *terms = &invocation->options->arguments;
	struct format_options look = command_format_options(invocation);
	struct archive *archive = NULL;
	const struct format *format;
	struct run_ids ids = {0};
	int code = command_format(invocation, &format, err);

	if (!code)
		code = command_open_archive(invocation, ARCHIVE_READ, &archive, err);
	if (!code)
		code = archive_select(archive, terms->count ? terms->items : latest,
				      terms->count ? terms->count : 1, SELECT_ONE, &ids, err);
	if (!code)
		code = report_runs(archive, &ids, format, &look, invocation->out, err);
	run_ids_release(&ids);
	archive_close(archive);
	return code;
}

const struct command command_show = {
	.name = "show",
	.synopsis = "[RUN]",
	.help = "one run whole",
	.more = "RUN is an id, the start of a UUID, a label, latest (the default) or latest~N.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT,
	.run = run,
};
