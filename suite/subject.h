/* SPDX-License-Identifier: MIT */
/*
 * subject.h - the target of a command that loads it: found, and guarded when it is a device.
 */
#ifndef ASSAY_SUITE_SUBJECT_H
#define ASSAY_SUITE_SUBJECT_H

#include "command.h"
#include "target.h"

struct subject {
	struct target target;
	int guard_fd; /* keeps a device that is to be overwritten from others; -1 */
};

/* Looks at path with what the options say of it (--erase, --tag and --fact are checked as well);
 * first tells and restores what a dead sweep has left set. *subject is to be closed whatever comes
 * back. */
int subject_open(struct subject *subject, const struct invocation *invocation,
		 const struct options *options, const char *path, struct err *err);
void subject_close(struct subject *subject);

/* The one argument of the command; ERR_USAGE when there is another number of them. */
int subject_argument(const struct options *options, const char *command, const char **path,
		     struct err *err);

#endif
