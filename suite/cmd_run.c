/* SPDX-License-Identifier: MIT */
/*
 * cmd_run.c - runs a battery on a target, archives it, prints the report.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "battery.h"
#include "command.h"
#include "guard.h"
#include "report.h"
#include "roots.h"
#include "stack.h"
#include "workspace.h"

static const char default_profile[] = "standard";

static int print_report(const struct battery *battery, const struct format *format, struct err *err)
{
	const struct invocation *invocation = battery->invocation;
	struct format_options look = command_format_options(invocation);
	struct run_ids ids;
	int code;

	if (battery->archive_failed)
		return report_held(battery->runs, battery->run_count, format, &look, invocation->out,
				   err);
	ids = battery_ids(battery);
	code = report_runs(battery->archive, &ids, format, &look, invocation->out, err);
	run_ids_release(&ids);
	return code;
}

static int run_rounds(struct battery *battery, const struct format *format, struct err *err)
{
	int code = 0, printed;

	for (unsigned round = 1; !code && round <= battery->plan->rounds; round++)
		code = battery_round(battery, round, err);
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
		code = battery_init(&battery, invocation, plan, target, archive, err);
	if (!code)
		code = run_rounds(&battery, format, err);
	battery_release(&battery);
	archive_close(archive);
	return code;
}

static int check_pairs(const struct options *options, struct err *err)
{
	const struct {
		const struct words *words;
		const char *option;
	} lists[] = {{&options->tags, "tag"}, {&options->facts, "fact"}};

	for (int l = 0; l < 2; l++)
		for (size_t i = 0; i < lists[l].words->count; i++) {
			const char *value;
			char *name;

			if (options_split(lists[l].words->items[i], lists[l].option, &name, &value, err))
				return ERR_USAGE;
			free(name);
		}
	return 0;
}

static int find_target(struct target *target, const char *path, struct err *err)
{
	struct stack stack;
	int code = target_resolve(target, path, err);

	if (!code)
		code = stack_resolve(&roots_real, target->path, &stack, err);
	if (code)
		return code;
	target->disks = (unsigned)stack_disk_count(&stack);
	stack_release(&stack);
	return 0;
}

static int one_target(const struct options *options, struct target *target, struct err *err)
{
	if (options->arguments.count != 1)
		return err_set(err, ERR_USAGE, "%s: `assay run [options] TARGET`",
			       options->arguments.count ? "one target at a time"
							: "a target is wanted, a directory or a block device");
	return find_target(target, options->arguments.items[0], err);
}

/* Opens the door to a device that is to be overwritten; *guard_fd keeps it shut to others. */
static int ask_guard(const struct invocation *invocation, struct target *target, int *guard_fd,
		     struct err *err)
{
	const struct options *options = invocation->options;
	char archive_path[PATH_MAX];
	bool is_default;
	int code = command_archive_path(invocation, archive_path, sizeof(archive_path), &is_default,
					err);
	const struct consent consent = {.erase = options->erase,
					.erase_signature = options->erase_signature,
					.archive_path = archive_path};

	if (code)
		return code;
	if (target->kind == TARGET_DEVICE)
		return guard_device(&roots_real, target, &consent, guard_fd, err);
	if (options->erase)
		return err_set(err, ERR_USAGE, "--erase %s: the target %s is a directory",
			       options->erase, target->path);
	return 0;
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct options *options = invocation->options;
	const struct format *format;
	struct target target;
	struct plan plan = {0};
	int guard_fd = -1;
	int code = command_format(invocation, &format, err);

	if (!code)
		code = check_pairs(options, err);
	if (!code)
		code = one_target(options, &target, err);
	if (!code)
		code = ask_guard(invocation, &target, &guard_fd, err);
	if (!code)
		code = plan_make(&plan, options, default_profile, &target, err);
	if (!code)
		code = plan_check(&plan, options, &target, err);
	if (!code && options->dry_run)
		plan_print(&plan, &target, invocation->out);
	else if (!code)
		code = run_plan(invocation, &plan, &target, format, err);
	plan_release(&plan);
	if (guard_fd >= 0)
		close(guard_fd);
	return code;
}

const struct command command_run = {
	.name = "run",
	.synopsis = "[options] TARGET",
	.help = "run a battery, archive it, print the report",
	.more = "TARGET is a directory: files are made in a private subdirectory and removed again.\n"
		"A block device is only read from unless --erase names it once more.\n",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LOAD | OPTIONS_LABELS | OPTIONS_QUIET,
	.run = run,
};
