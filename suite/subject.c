/* SPDX-License-Identifier: MIT */
/*
 * subject.c - see subject.h.
 */
#include "subject.h"

#include <limits.h>
#include <unistd.h>

#include "guard.h"
#include "journal.h"
#include "roots.h"
#include "stack.h"
#include "workspace.h"

static void tell_left(void *context, const char *path, const char *before, bool restored)
{
	fprintf(context,
		restored ? "a sweep that was killed had changed %s; it is %s again\n"
			 : "a sweep before the last boot had changed %s, which was %s before it; "
			   "nothing is set now\n",
		path, before);
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

/* Opens the door to a device that is to be overwritten. */
static int ask_guard(const struct invocation *invocation, const struct options *options,
		     struct subject *subject, struct err *err)
{
	struct target *target = &subject->target;
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
		return guard_device(&roots_real, target, &consent, &subject->guard_fd, err);
	if (options->erase)
		return err_set(err, ERR_USAGE, "--erase %s: the target %s is a directory",
			       options->erase, target->path);
	return 0;
}

/* What --tag and --fact say must be in order before anything else happens. */
static int check_pairs(const struct options *options, struct err *err)
{
	struct facts pairs = {0};
	int code = options_pairs(&options->tags, "tag", &pairs, err);

	if (!code)
		code = options_pairs(&options->facts, "fact", &pairs, err);
	facts_release(&pairs);
	return code;
}

int subject_open(struct subject *subject, const struct invocation *invocation,
		 const struct options *options, const char *path, struct err *err)
{
	int code;

	*subject = (struct subject){.guard_fd = -1};
	code = check_pairs(options, err);
	if (!code)
		code = find_target(&subject->target, path, err);
	if (!code)
		code = ask_guard(invocation, options, subject, err);
	if (!code)
		journal_recover(&roots_real, tell_left, invocation->log);
	return code;
}

void subject_close(struct subject *subject)
{
	if (subject->guard_fd >= 0)
		close(subject->guard_fd);
	subject->guard_fd = -1;
}

int subject_argument(const struct options *options, const char *command, const char **path,
		     struct err *err)
{
	if (options->arguments.count != 1)
		return err_set(err, ERR_USAGE, "%s: `assay %s [options] TARGET`",
			       options->arguments.count ? "one target at a time"
							: "a target is wanted, a directory or a "
							  "block device",
			       command);
	*path = options->arguments.items[0];
	return 0;
}
