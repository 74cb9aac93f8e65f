/* SPDX-License-Identifier: MIT */
/*
 * cmd_certify.c - a battery run and judged: PASS, FAIL or INCONCLUSIVE, with a certificate and an
 * exit status. With --run, judges what is archived.
 */
#include <errno.h>
#include <string.h>

#include "battery.h"
#include "command.h"
#include "judge.h"
#include "report.h"
#include "rounds.h"
#include "subject.h"

static const char default_profile[] = "standard";

/* ---- the rules, before any load starts ---- */

static int read_rules(struct rules *rules, const struct profile *profile,
		      const struct options *options, struct err *err)
{
	int code = rules_add_profile(rules, profile, err);

	rules->tolerance = options->tolerance_percent / 100;
	for (size_t i = 0; !code && i < options->require.count; i++)
		code = rules_add_criterion(rules, options->require.items[i], err);
	return code;
}

static bool has_point(const struct criterion *criterion, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (criterion_matches_point(criterion, &plan->points[i]))
			return true;
	return false;
}

static int refuse_pointless(const struct criterion *criterion, struct err *err)
{
	return err_set(err, ERR_USAGE, "criterion \"%s\": no point of the battery matches it",
		       criterion->text);
}

/* A criterion that no point of the plan matches would never be judged. */
static int check_rules(const struct rules *rules, const struct plan *plan, struct err *err)
{
	for (unsigned c = 0; c < rules->criterion_count; c++)
		if (!has_point(&rules->criteria[c], plan))
			return refuse_pointless(&rules->criteria[c], err);
	for (size_t t = 0; t < rules->track_count; t++)
		if (!has_point(&rules->tracks[t], plan))
			return refuse_pointless(&rules->tracks[t], err);
	return 0;
}

static int find_baseline(struct archive *archive, const struct options *options,
			 struct run_ids *baseline, struct rules *rules, struct err *err)
{
	const char *terms[] = {options->baseline};
	int code;

	if (!options->baseline)
		return 0;
	code = archive_select(archive, terms, 1, 0, baseline, err);
	if (!code)
		rules->baseline = baseline;
	return code;
}

/* ---- judging ---- */

static int status_of(const struct verdict *verdict, bool failed)
{
	if (failed)
		return EXIT_FAILED;
	switch (verdict_outcome(verdict)) {
	case OUTCOME_FAIL:
		return EXIT_FAIL;
	case OUTCOME_INCONCLUSIVE:
		return EXIT_INCONCLUSIVE;
	default:
		return EXIT_DONE;
	}
}

static int judge(const struct invocation *invocation, struct archive *archive,
		 const struct run_ids *ids, const struct rules *rules, const struct format *format,
		 struct err *err)
{
	struct format_options look = command_format_options(invocation);
	struct verdict verdict = {0};
	bool failed = false;
	int code = judge_runs(archive, ids, rules, &verdict, &failed, err);

	look.lead_in = verdict.lead_in;
	if (!code)
		code = report_certificate(archive, ids, &verdict, format, &look, invocation->out,
					  err);
	if (!code)
		code = status_of(&verdict, failed);
	verdict_release(&verdict);
	return code;
}

/* ---- what is archived ---- */

/* What the runs are held to: --profile, else the profile they were made by, whose text is archived
 * with them; imported runs have none. */
static int find_profile(struct archive *archive, const struct run_ids *ids,
			const struct options *options, struct profile *profile, struct err *err)
{
	struct archived_run first;
	const char *text;
	int code;

	if (options->profile)
		return profile_load(profile, options->profile, err);
	code = archive_load(archive, ids->items[0], 0, &first, err);
	if (code)
		return code;
	text = facts_text(&first.run.facts, "profile_text");
	if (text)
		code = profile_load_text(profile, "the profile of the run", text, err);
	archived_run_release(&first);
	return code;
}

static int judge_archived(const struct invocation *invocation, const struct format *format,
			  struct err *err)
{
	const struct options *options = invocation->options;
	const char *terms[] = {options->run};
	struct run_ids ids = {0}, baseline = {0};
	struct archive *archive = NULL;
	struct profile profile = {0};
	struct rules rules = {0};
	int code = 0;

	if (options->arguments.count)
		code = err_set(err, ERR_USAGE, "--run judges what is archived: it takes no target");
	if (!code)
		code = command_open_archive(invocation, ARCHIVE_READ, &archive, err);
	if (!code)
		code = archive_select(archive, terms, 1, 0, &ids, err);
	if (!code)
		code = find_profile(archive, &ids, options, &profile, err);
	if (!code)
		code = read_rules(&rules, &profile, options, err);
	if (!code)
		code = find_baseline(archive, options, &baseline, &rules, err);
	if (!code)
		code = judge(invocation, archive, &ids, &rules, format, err);
	rules_release(&rules);
	profile_release(&profile);
	run_ids_release(&baseline);
	run_ids_release(&ids);
	archive_close(archive);
	return code;
}

/* ---- a new series ---- */

static int run_and_judge(const struct invocation *invocation, struct battery *battery,
			 const struct rules *rules, const struct format *format, struct err *err)
{
	struct run_ids ids;
	int code = rounds_run(battery, err);

	if (!code && battery->archive_failed)
		code = err_set(err, -EIO, "what cannot be archived cannot be certified: %s",
			       battery->archive_err.text);
	if (code)
		return code;
	ids = battery_ids(battery);
	code = judge(invocation, battery->archive, &ids, rules, format, err);
	run_ids_release(&ids);
	return code;
}

static int certify_plan(const struct invocation *invocation, const struct plan *plan,
			const struct target *target, struct rules *rules,
			const struct format *format, struct err *err)
{
	struct run_ids baseline = {0};
	struct archive *archive = NULL;
	struct battery battery = {0};
	int code = command_open_archive(invocation, ARCHIVE_WRITE, &archive, err);

	if (!code)
		code = find_baseline(archive, invocation->options, &baseline, rules, err);
	if (!code)
		code = battery_init(&battery, invocation, plan, plan->rounds_max, target, archive,
				    err);
	if (!code) {
		plan_announce(plan, invocation->options->quiet ? NULL : invocation->log);
		code = run_and_judge(invocation, &battery, rules, format, err);
	}
	battery_release(&battery);
	run_ids_release(&baseline);
	archive_close(archive);
	return code;
}

static int certify_on(const struct invocation *invocation, const struct target *target,
		      const struct format *format, struct err *err)
{
	const struct options *options = invocation->options;
	struct plan plan = {0};
	struct rules rules = {0};
	int code = plan_make(&plan, options, default_profile, target, err);

	if (!code)
		code = read_rules(&rules, &plan.profile, options, err);
	if (!code)
		code = check_rules(&rules, &plan, err);
	if (!code)
		code = plan_check(&plan, options, target, err);
	if (!code && options->dry_run)
		plan_print(&plan, target, invocation->out);
	else if (!code)
		code = certify_plan(invocation, &plan, target, &rules, format, err);
	rules_release(&rules);
	plan_release(&plan);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct options *options = invocation->options;
	struct subject subject = {.guard_fd = -1};
	const struct format *format;
	const char *path;
	int code = command_format(invocation, &format, err);

	if (!code && options->run)
		return judge_archived(invocation, format, err);
	if (!code)
		code = subject_argument(options, "certify", &path, err);
	if (!code)
		code = subject_open(&subject, invocation, options, path, err);
	if (!code)
		code = certify_on(invocation, &subject.target, format, err);
	subject_close(&subject);
	return code;
}

const struct command command_certify = {
	.name = "certify",
	.synopsis = "[options] TARGET | --run RUN",
	.help = "run a battery and judge it: PASS, FAIL or INCONCLUSIVE",
	.more = "A criterion is PHASE.OPERATION.METRIC[PARAMETER=VALUE,...] <= LIMIT, or >=. With\n"
		"--baseline (a run, a label, a filter) each headline figure is held against it.\n"
		"Exits with 0 for PASS, 3 for FAIL, 4 for INCONCLUSIVE, 1 when a phase failed.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LOAD | OPTIONS_LABELS | OPTIONS_QUIET |
		  OPTIONS_CERTIFY,
	.run = run,
};
