/* SPDX-License-Identifier: MIT */
/*
 * cmd_sweep.c - the battery at each setting, interleaved, and everything as it was afterwards.
 *
 * Order of things: what may change is recorded, written to the journal and given to the keeper
 * before the first setting is touched. On every way out of here the settings are restored, then
 * the keeper is dismissed, then the journal emptied. A way out that is none, SIGKILL, is the
 * keeper's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "battery.h"
#include "command.h"
#include "compare.h"
#include "journal.h"
#include "keeper.h"
#include "report.h"
#include "roots.h"
#include "subject.h"
#include "sweep.h"
#include "words.h"

/* A series to go on with, as the archive has it. */
struct old_series {
	char uuid[UUID_MAX];
	struct run first;     /* says how the sweep was asked for */
	struct run_ids runs;
	struct options options; /* of its command line */
	char **argv;
};

/* ---- series to resume ---- */

static int load_run(struct archive *archive, int64_t id, struct run *run, struct err *err)
{
	struct archived_run archived;
	int code = archive_load(archive, id, 0, &archived, err);

	if (code)
		return code;
	*run = archived.run;
	archived.run = (struct run){0};
	archived_run_release(&archived);
	return 0;
}

static bool is_sweep(const struct run *run)
{
	static const char start[] = "assay sweep ";

	return run->command && *run->series && !strncmp(run->command, start, sizeof(start) - 1);
}

static void old_series_release(struct old_series *old)
{
	run_release(&old->first);
	run_ids_release(&old->runs);
	if (old->argv)
		options_release(&old->options);
	free(old->argv);
	*old = (struct old_series){0};
}

/* Reads the series' own command line again. */
static int reread_command(struct old_series *old, struct err *err)
{
	enum options_outcome outcome;
	int argc, code = options_unquote(old->first.command, &argc, &old->argv, err);

	if (code)
		return code;
	code = options_parse(&old->options, &command_sweep, argc - 1, old->argv + 1, &outcome, err);
	old->options.profile_text = facts_text(&old->first.facts, "profile_text");
	old->options.seed = old->first.seed;
	old->options.seed_given = true;
	return code;
}

static int open_series(struct archive *archive, const char *uuid, struct old_series *old,
		       struct err *err)
{
	char term[UUID_MAX + 16];
	const char *terms[] = {term};
	int code;

	snprintf(old->uuid, sizeof(old->uuid), "%s", uuid);
	snprintf(term, sizeof(term), "series=%s", uuid);
	code = archive_select(archive, terms, 1, 0, &old->runs, err);
	if (!code)
		code = load_run(archive, old->runs.items[0], &old->first, err);
	if (!code && !is_sweep(&old->first))
		code = err_set(err, ERR_USAGE, "series %s is not a sweep's", uuid);
	return code ? code : reread_command(old, err);
}

/* ---- a sweep under way ---- */

struct going {
	const struct invocation *invocation;
	const struct options *options; /* this command's, or those of the series that is resumed */
	struct subject subject;
	struct stack stack;
	struct sweep sweep;
	struct archive *archive;
	struct battery battery;
	struct tunables before;
	struct journal journal;
	struct keeper keeper;
	const struct format *format;
};

static int make(struct going *going, const char *path, struct err *err)
{
	int code = subject_open(&going->subject, going->invocation, going->options, path, err);

	if (!code)
		code = stack_resolve(&roots_real, going->subject.target.path, &going->stack, err);
	if (!code)
		code = sweep_make(&going->sweep, going->options, &going->subject.target,
				  &going->stack, err);
	return code;
}

static void unmake(struct going *going)
{
	sweep_release(&going->sweep);
	stack_release(&going->stack);
	subject_close(&going->subject);
}

/* Marks what this kernel has measured already. */
static int mark_done(struct going *going, const struct old_series *old, struct err *err)
{
	char kernel[200];
	int code = 0;

	attribute_text(kernel, sizeof(kernel), "%s/sys/kernel/osrelease", roots_real.proc);
	for (size_t i = 0; !code && i < old->runs.count; i++) {
		struct run run;
		const char *its;

		code = load_run(going->archive, old->runs.items[i], &run, err);
		if (code)
			break;
		its = facts_text(&run.facts, "kernel");
		if (its && !strcmp(its, kernel) &&
		    (!strcmp(run.status, "complete") || !strcmp(run.status, "failed")))
			sweep_mark_done(&going->sweep, &run);
		run_release(&run);
	}
	return code;
}

static int set_combination(const struct going *going, const struct combination *combination,
			   struct err *err)
{
	const struct sweep *sweep = &going->sweep;
	int code = 0;

	/* A switch of the scheduler changes other attributes: it comes first. */
	for (int first = 1; first >= 0; first--)
		for (unsigned i = 0; !code && i < sweep->axis_count; i++)
			if ((strcmp(sweep->axes[i].name, "scheduler") == 0) == (first == 1))
				code = axis_apply(&sweep->axes[i], combination->values[i],
						  &roots_real, &going->stack, err);
	return code;
}

static int visit(struct going *going, const struct visit *visit, struct err *err)
{
	struct sweep *sweep = &going->sweep;
	struct combination *combination = &sweep->combinations[visit->combination];
	struct battery *battery = &going->battery;
	struct err why = {0};
	char text[500];
	int code;

	if (combination->impossible)
		return 0;
	sweep_describe(sweep, visit->combination, text, sizeof(text));
	code = set_combination(going, combination, &why);
	if (code == ERR_SKIP) {
		combination->impossible = true;
		progress_say(&battery->progress, "%s is left out: %s", text, why.text);
		return 0;
	}
	if (code)
		return err_set(err, code, "%s", why.text);
	progress_say(&battery->progress, "round %u of %llu: %s", visit->round,
		     (unsigned long long)sweep->rounds, text);
	battery->plan = &combination->plan;
	facts_release(&battery->tags);
	sweep_tags(sweep, visit->combination, &battery->tags);
	return battery_round(battery, visit->round, err);
}

static int visit_all(struct going *going, struct err *err)
{
	int code = 0;

	for (unsigned i = 0; !code && i < going->sweep.visit_count; i++)
		if (!going->sweep.visits[i].done)
			code = visit(going, &going->sweep.visits[i], err);
	if (!code && going->battery.archive_failed)
		code = err_set(err, -EIO, "the archive took no more: %s",
			       going->battery.archive_err.text);
	return code;
}

static int record(struct going *going, struct err *err)
{
	int code = 0;

	for (unsigned i = 0; !code && i < going->sweep.axis_count; i++)
		code = axis_record(&going->sweep.axes[i], &roots_real, &going->stack,
				   &going->before, err);
	return code;
}

/* Restores, and says what could not be. */
static int restore(struct going *going, int code, struct err *err)
{
	struct err why = {0};

	if (!tunables_restore(&going->before, &why))
		return code;
	return code == -EINTR ? code : err_set(err, -EIO,
					       "not everything is as it was: %s", why.text);
}

static int visit_safely(struct going *going, struct err *err)
{
	int code = record(going, err);

	if (!code)
		code = journal_open(&going->journal, &roots_real, &going->stack, err);
	if (code)
		return code;
	code = journal_write(&going->journal, &roots_real, going->battery.series, &going->before,
			     err);
	if (!code)
		code = keeper_start(&going->keeper, &going->before, &going->journal, err);
	if (!code) {
		code = visit_all(going, err);
		code = restore(going, code, err);
	}
	keeper_dismiss(&going->keeper);
	journal_close(&going->journal);
	return code;
}

/* What a comparison calls the axis: the fact or parameter it is; the tag where a fact would not
 * tell the values apart (a scheduler with tunables of its own) or there is none. */
static const char *factor_of(const struct axis *axis, char *tag, size_t size)
{
	const char *dot = strrchr(axis->name, '.');

	if (axis->kind == AXIS_PARAM)
		return dot + 1;
	if (axis->kind == AXIS_OPTION)
		return axis->name;
	for (unsigned i = 0; axis->kind == AXIS_QUEUE && i < axis->count; i++)
		if (strchr(axis->values[i], ':'))
			return sweep_tag(axis, tag, size);
	return axis->kind == AXIS_QUEUE ? axis->name : sweep_tag(axis, tag, size);
}

/* By more than two axes no table can be read: by the first two that vary. The base is what was
 * named first, whatever came first in the order of the visits. */
static void choose_factors(const struct sweep *sweep, struct compare_request *request,
			   char tags[COMPARE_FACTORS_MAX][200], struct words *base)
{
	for (unsigned i = 0; i < sweep->axis_count && request->by_count < COMPARE_FACTORS_MAX;
	     i++) {
		if (sweep->axes[i].count < 2)
			continue;
		request->by[request->by_count] =
			factor_of(&sweep->axes[i], tags[request->by_count], sizeof(tags[0]));
		request->by_count++;
		words_add(base, "%s", sweep->axes[i].values[0]);
	}
}

/* A base that was left out, or is called otherwise in the archive, is none. */
static int compare(struct going *going, const struct run_ids *ids, struct compare_request *request,
		   struct comparison *comparison, struct err *err)
{
	int code = compare_runs(going->archive, ids, request, comparison, err);

	if (code != ERR_USAGE || !request->baseline)
		return code;
	comparison_release(comparison);
	request->baseline = NULL;
	return compare_runs(going->archive, ids, request, comparison, err);
}

static int print_result(struct going *going, struct err *err)
{
	struct format_options look = command_format_options(going->invocation);
	struct compare_request request = {.margin = COMPARE_MARGIN};
	struct comparison comparison = {0};
	char term[UUID_MAX + 16], tags[COMPARE_FACTORS_MAX][200], base[200] = "";
	struct words first = WORDS(base, " / ");
	const char *terms[1] = {term};
	struct run_ids ids = {0};
	int code;

	snprintf(term, sizeof(term), "series=%s", going->battery.series);
	choose_factors(&going->sweep, &request, tags, &first);
	request.baseline = *base ? base : NULL;
	code = archive_select(going->archive, terms, 1, 0, &ids, err);
	if (!code)
		code = compare(going, &ids, &request, &comparison, err);
	if (!code)
		code = report_compare(&comparison, going->format, &look, going->invocation->out,
				      err);
	else if (code == ERR_USAGE) /* a single setting: there is nothing to set beside it */
		code = report_list(going->archive, &ids, going->format, &look,
				   going->invocation->out, err);
	comparison_release(&comparison);
	run_ids_release(&ids);
	return code;
}

static int go(struct going *going, const struct old_series *old, struct err *err)
{
	struct sweep *sweep = &going->sweep;
	struct battery *battery = &going->battery;
	int code = battery_init(battery, going->invocation, &sweep->combinations[0].plan,
				sweep->visit_count, &going->subject.target, going->archive, err);

	if (code)
		return code;
	if (old) {
		memcpy(battery->series, old->uuid, sizeof(battery->series));
		battery->seed = old->first.seed;
	}
	sweep_order(sweep, battery->seed);
	if (old)
		code = mark_done(going, old, err);
	if (!code && going->invocation->options->dry_run) {
		sweep_print(sweep, &going->subject.target, going->invocation->out);
		return 0;
	}
	if (!code && sweep_left(sweep))
		code = visit_safely(going, err);
	if (!code)
		code = print_result(going, err);
	return code ? code : battery->failed ? EXIT_FAILED : EXIT_DONE;
}

/* ---- the command ---- */

static int start_new(struct going *going, struct err *err)
{
	const char *path;
	int code = subject_argument(going->options, "sweep", &path, err);

	if (!code)
		code = make(going, path, err);
	if (!code)
		code = command_open_archive(going->invocation, ARCHIVE_WRITE, &going->archive, err);
	return code ? code : go(going, NULL, err);
}

/* Whether visits of the series are left under this kernel. */
static int has_left(struct going *going, const struct old_series *old, bool *left, struct err *err)
{
	int code;

	sweep_order(&going->sweep, old->first.seed);
	code = mark_done(going, old, err);
	*left = !code && sweep_left(&going->sweep) > 0;
	return code;
}

/* The newest series of a sweep with something left to do; its UUID, or "". */
static int find_unfinished(struct going *going, char uuid[UUID_MAX], struct err *err)
{
	struct run_ids ids = {0};
	char seen[UUID_MAX] = "";
	int code = archive_select(going->archive, NULL, 0, SELECT_ALL_IF_NONE, &ids, err);

	*uuid = '\0';
	for (size_t i = ids.count; !code && !*uuid && i-- > 0;) {
		struct old_series old = {0};
		struct run run;
		bool left = false;

		code = load_run(going->archive, ids.items[i], &run, err);
		if (code)
			break;
		if (is_sweep(&run) && strcmp(run.series, seen)) {
			snprintf(seen, sizeof(seen), "%s", run.series);
			if (!open_series(going->archive, seen, &old, NULL)) {
				going->options = &old.options;
				if (!make(going, old.first.target, NULL))
					has_left(going, &old, &left, NULL);
				unmake(going);
			}
			if (left)
				snprintf(uuid, UUID_MAX, "%s", seen);
			old_series_release(&old);
		}
		run_release(&run);
	}
	run_ids_release(&ids);
	return code;
}

/* The series of a run that the argument names, or of that UUID. */
static int named_series(struct archive *archive, const char *word, char uuid[UUID_MAX],
			struct err *err)
{
	char term[200];
	const char *terms[] = {term};
	struct run_ids ids = {0};
	struct run run;
	int code;

	snprintf(term, sizeof(term), "series=%.100s*", word);
	code = archive_select(archive, terms, 1, 0, &ids, NULL);
	if (code)
		return err_set(err, ERR_USAGE, "no series begins with %s", word);
	code = load_run(archive, ids.items[0], &run, err);
	if (!code) {
		snprintf(uuid, UUID_MAX, "%s", run.series);
		run_release(&run);
	}
	run_ids_release(&ids);
	return code;
}

static int resume(struct going *going, struct err *err)
{
	const struct word_list *arguments = &going->invocation->options->arguments;
	struct old_series old = {0};
	char uuid[UUID_MAX] = "";
	int code = command_open_archive(going->invocation, ARCHIVE_WRITE, &going->archive, err);

	if (!code && arguments->count)
		code = named_series(going->archive, arguments->items[0], uuid, err);
	else if (!code)
		code = find_unfinished(going, uuid, err);
	if (!code && !*uuid)
		code = err_set(err, ERR_USAGE, "no sweep in the archive has anything left to do");
	if (!code)
		code = open_series(going->archive, uuid, &old, err);
	if (!code) {
		going->options = &old.options;
		code = make(going, old.first.target, err);
	}
	if (!code)
		code = go(going, &old, err);
	unmake(going);
	old_series_release(&old);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	struct going *going = calloc(1, sizeof(*going));
	int code;

	if (!going)
		return err_set(err, -ENOMEM, "start a sweep: %s", strerror(ENOMEM));
	going->invocation = invocation;
	going->options = invocation->options;
	going->subject.guard_fd = -1;
	code = command_format(invocation, &going->format, err);
	if (!code)
		code = invocation->options->resume ? resume(going, err) : start_new(going, err);
	battery_release(&going->battery);
	tunables_release(&going->before);
	unmake(going);
	archive_close(going->archive);
	free(going);
	return code;
}

const struct command command_sweep = {
	.name = "sweep",
	.synopsis = "--axis NAME=V,V.. [options] TARGET | --resume [UUID]",
	.help = "the battery at each setting, interleaved, restored after",
	.more = "An axis is an attribute of the disks' queues (scheduler, nr_requests, "
		"read_ahead_kb,\n"
		"...), vm.dirty_*, an option (cpus, io, engine, jobs, size) or PHASE.PARAMETER. "
		"Several\n"
		"make every combination. scheduler=all means what every disk offers; a scheduler's "
		"own\n"
		"tunables follow a colon: scheduler=mq-deadline:read_expire=100,bfq.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LOAD | OPTIONS_LABELS | OPTIONS_QUIET |
		  OPTIONS_SWEEP,
	.run = run,
};
