/* SPDX-License-Identifier: MIT */
/*
 * cmd_run.c - runs a battery on a target, archives it, prints the report.
 */
#include <errno.h>

#include "battery.h"
#include "command.h"
#include "report.h"
#include "rounds.h"
#include "subject.h"

static const char default_profile[] = "standard";

static int print_report(const struct battery *battery, const struct format *format, struct err *err)
{
	const struct invocation *invocation = battery->invocation;
	struct format_options look = command_format_options(invocation);
	struct run_ids ids;
	int code;

	if (battery->archive_failed)
		return report_held(battery->runs, battery->run_count, format, &look,
				   invocation->out, err);
	ids = battery_ids(battery);
	look.lead_in = rounds_lead_in(battery);
	code = report_runs(battery->archive, &ids, format, &look, invocation->out, err);
	run_ids_release(&ids);
	return code;
}

static int run_rounds(struct battery *battery, const struct format *format, struct err *err)
{
	int code = rounds_run(battery, err), printed;

	/* What was measured before something else went wrong is worth its report. */
	if (code && (code == -EINTR || !battery->runs[0].measurement_count))
		return code;
	printed = print_report(battery, format, code ? NULL : err);
	if (!code && !printed && battery->archive_failed)
		code = err_set(err, -EIO,
			       "the report above is not archived in full: %s",
			       battery->archive_err.text);
	if (code || printed)
		return code ? code : printed;
	return battery->failed ? EXIT_FAILED : EXIT_DONE;
}

static int run_plan(const struct invocation *invocation, const struct plan *plan,
		    const struct target *target, const struct format *format, struct err *err)
{
	struct archive *archive = NULL;
	struct battery battery = {0};
	int code = command_open_archive(invocation, ARCHIVE_WRITE, &archive, err);

	if (!code)
		code = battery_init(&battery, invocation, plan, plan->rounds_max, target, archive,
				    err);
	if (!code)
		code = run_rounds(&battery, format, err);
	battery_release(&battery);
	archive_close(archive);
	return code;
}

static int run_on(const struct invocation *invocation, const struct target *target,
		  const struct format *format, struct err *err)
{
	const struct options *options = invocation->options;
	struct plan plan = {0};
	int code = plan_make(&plan, options, default_profile, target, err);

	if (!code)
		code = plan_check(&plan, options, target, err);
	if (!code && options->dry_run)
		plan_print(&plan, target, invocation->out);
	else if (!code)
		code = run_plan(invocation, &plan, target, format, err);
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

	if (!code)
		code = subject_argument(options, "run", &path, err);
	if (!code)
		code = subject_open(&subject, invocation, options, path, err);
	if (!code)
		code = run_on(invocation, &subject.target, format, err);
	subject_close(&subject);
	return code;
}

const struct command command_run = {
	.name = "run",
	.synopsis = "[options] TARGET",
	.help = "run a battery, archive it, print the report",
	.more = "TARGET is a directory: files are made in a private subdirectory and removed "
		"again.\n"
		"A block device is only read from unless --erase names it once more.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LOAD | OPTIONS_LABELS | OPTIONS_QUIET,
	.run = run,
};
