/* SPDX-License-Identifier: MIT */
/*
 * cmd_annotate.c - label, tags, facts and notes of runs that are archived.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_edit.h"
#include "command.h"

static int check_arguments(const struct options *options, struct err *err)
{
	if (!options->arguments.count)
		return err_set(err, ERR_USAGE,
			       "a run is wanted: `assay annotate RUN --label TEXT`");
	if (options->label || options->note || options->tags.count || options->untags.count ||
	    options->facts.count)
		return 0;
	return err_set(err, ERR_USAGE,
		       "nothing to annotate: give --label, --tag, --untag, --fact or --note");
}

static int annotate(struct archive *archive, const struct run_ids *ids,
		    const struct options *options, struct err *err)
{
	struct facts tags = {0}, facts = {0};
	struct annotation annotation = {
	    .label = options->label,
	    .note = options->note,
	    .tags = &tags,
	    .facts = &facts,
	    .untags = options->untags.items,
	    .untag_count = options->untags.count,
	};
	int code = options_pairs(&options->tags, "tag", &tags, err);

	if (!code)
		code = options_pairs(&options->facts, "fact", &facts, err);
	if (!code)
		code = archive_annotate(archive, ids, &annotation, err);
	facts_release(&tags);
	facts_release(&facts);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct options *options = invocation->options;
	struct archive *archive = NULL;
	struct run_ids ids = {0};
	int code = check_arguments(options, err);

	if (!code)
		code = command_open_archive(invocation, ARCHIVE_WRITE, &archive, err);
	if (!code)
		code = archive_select(archive, options->arguments.items, options->arguments.count,
				      0, &ids, err);
	if (!code)
		code = annotate(archive, &ids, options, err);
	if (!code && !options->quiet)
		fprintf(invocation->log, "annotated %zu run%s\n", ids.count,
			ids.count == 1 ? "" : "s");
	run_ids_release(&ids);
	archive_close(archive);
	return code;
}

const struct command command_annotate = {
    .name = "annotate",
    .synopsis = "RUN ... [--label TEXT] [--tag K=V] [--untag K] [--fact K=V] [--note TEXT]",
    .help = "label, tag and remark on archived runs",
    .more = "RUN is an id, the start of a UUID, a label, latest, latest~N or a FILTER as in\n"
	    "`assay list`. An empty label takes the label away; a fact takes the place of the\n"
	    "one that was recorded.\n",
    .groups = OPTIONS_ARCHIVE | OPTIONS_LABELS | OPTIONS_UNTAG | OPTIONS_QUIET,
    .run = run,
};
