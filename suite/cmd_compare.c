/* SPDX-License-Identifier: MIT */
/*
 * cmd_compare.c - runs side by side.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare.h"
#include "report.h"

/* ---- lists ----------------------------------------------------------------------------------- */

/* Words between commas; the text they stand in is cut. */
struct list {
	char *text;
	const char **items;
	size_t count;
};

/* ERR_USAGE for an empty word. NULL is an empty list. */
static int list_split(struct list *list, const char *option, const char *text, struct err *err)
{
	char *rest, *word;

	*list = (struct list){0};
	if (!text)
		return 0;
	list->text = rest = strdup(text);
	list->items = calloc(strlen(text) + 1, sizeof(*list->items));
	if (!list->text || !list->items)
		abort();
	while ((word = strsep(&rest, ","))) {
		if (!*word)
			return err_set(err, ERR_USAGE, "--%s %s: a name is empty", option, text);
		list->items[list->count++] = word;
	}
	return 0;
}

static void list_release(struct list *list)
{
	free(list->text);
	free(list->items);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool is_filter(const char *term)
{
	return strchr(term, '=') != NULL;
}

static bool contains(const struct run_ids *ids, int64_t id)
{
	for (size_t i = 0; i < ids->count; i++)
		if (ids->items[i] == id)
			return true;
	return false;
}

/* Moves what is left of the runs that a term names to the end of ordered. */
static int take_term(struct archive *archive, const char *term, const struct run_ids *ids,
		     struct run_ids *ordered, struct err *err)
{
	struct run_ids named = {0};
	int code = archive_select(archive, &term, 1, 0, &named, err);

	for (size_t i = 0; i < named.count; i++)
		if (contains(ids, named.items[i]) && !contains(ordered, named.items[i]))
			ordered->items[ordered->count++] = named.items[i];
	run_ids_release(&named);
	return code;
}

/* Puts the runs in the order in which they are named, which is that of the groups. */
static int order_runs(struct archive *archive, const struct word_list *terms, struct run_ids *ids,
		      struct err *err)
{
	struct run_ids ordered = {.items = calloc(ids->count + 1, sizeof(*ordered.items))};
	int code = 0;

	if (!ordered.items)
		abort();
	for (size_t i = 0; !code && i < terms->count; i++)
		if (!is_filter(terms->items[i]))
			code = take_term(archive, terms->items[i], ids, &ordered, err);
	if (!code && ordered.count)
		memcpy(ids->items, ordered.items, ids->count * sizeof(*ids->items));
	run_ids_release(&ordered);
	return code;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

struct asked {
	struct list by, metrics, phases;
	struct compare_request request;
};

static void asked_release(struct asked *asked)
{
	list_release(&asked->by);
	list_release(&asked->metrics);
	list_release(&asked->phases);
}

static int ask(const struct options *options, struct asked *asked, struct err *err)
{
	int code = list_split(&asked->by, "by", options->by, err);

	if (!code)
		code = list_split(&asked->metrics, "metric", options->metric, err);
	if (!code)
		code = list_split(&asked->phases, "phase", options->phase, err);
	if (code)
		return code;
	if (asked->by.count > COMPARE_FACTORS_MAX)
		return err_set(err, ERR_USAGE, "--by %s: two factors are the most", options->by);
	if (asked->by.count == 2 && !strcmp(asked->by.items[0], asked->by.items[1]))
		return err_set(err, ERR_USAGE, "--by %s: that is one factor twice", options->by);
	if (options->only && strcmp(options->only, "changed") != 0)
		return err_set(err, ERR_USAGE, "--only %s: there is changed", options->only);
	asked->request = (struct compare_request){
		.by_count = asked->by.count,
		.baseline = options->baseline,
		.metrics = asked->metrics.items,
		.metric_count = asked->metrics.count,
		.phases = asked->phases.items,
		.phase_count = asked->phases.count,
		.margin = options->margin_percent / 100,
		.with_void = options->all,
		.only_changed = options->only != NULL,
	};
	for (size_t i = 0; i < asked->by.count; i++)
		asked->request.by[i] = asked->by.items[i];
	return 0;
}

/* Of a comparison that is strict nothing is printed: the sentence names what differs. */
static int refuse_confounded(const struct comparison *comparison, struct err *err)
{
	size_t count = comparison->confounder_count, told = count < 5 ? count : 5, used = 0;
	char names[400] = "";

	for (size_t i = 0; i < told; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.60s",
					 i ? ", " : "", comparison->confounders[i].name);
	if (count > told)
		snprintf(names + used, sizeof(names) - used, " and %zu more", count - told);
	return err_set(err, -EINVAL, "--strict: the groups differ in more than the factors: %s",
		       names);
}

static int compare(const struct invocation *invocation, struct archive *archive,
		   const struct format *format, struct err *err)
{
	const struct word_list *terms = &invocation->options->arguments;
	struct format_options look = command_format_options(invocation);
	struct comparison comparison = {0};
	struct asked asked = {0};
	struct run_ids ids = {0};
	int code = ask(invocation->options, &asked, err);

	if (!code)
		code = archive_select(archive, terms->items, terms->count, SELECT_ALL_IF_NONE, &ids,
				      err);
	if (!code)
		code = order_runs(archive, terms, &ids, err);
	if (!code)
		code = compare_runs(archive, &ids, &asked.request, &comparison, err);
	if (!code && invocation->options->strict && comparison.confounder_count)
		code = refuse_confounded(&comparison, err);
	if (!code)
		code = report_compare(&comparison, format, &look, invocation->out, err);
	comparison_release(&comparison);
	run_ids_release(&ids);
	asked_release(&asked);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	struct archive *archive = NULL;
	const struct format *format;
	int code = command_format(invocation, &format, err);

	if (!code)
		code = command_open_archive(invocation, ARCHIVE_READ, &archive, err);
	if (!code)
		code = compare(invocation, archive, format, err);
	archive_close(archive);
	return code;
}

const struct command command_compare = {
	.name = "compare",
	.synopsis = "[--by FACTOR[,FACTOR]] [RUN|FILTER ...]",
	.help = "tables side by side, with intervals and confounders",
	.more = "Runs are grouped by the values of facts, tags or columns (scheduler, kernel, "
		"label),\n"
		"points inside runs by those of a parameter (block_size). Without --by each label "
		"is\n"
		"a group, and each run that has none. Without RUN all runs are compared.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_COMPARE,
	.run = run,
};
