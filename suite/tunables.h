/* SPDX-License-Identifier: MIT */
/*
 * tunables.h - settings of the kernel that a sweep changes: recorded, set, read back, restored.
 *
 * What a switch of the scheduler takes with it (the scheduler's own tunables, nr_requests, the
 * writeback throttle) is recorded with it, and restored after it: an order that the record keeps.
 */
#ifndef ASSAY_SUITE_TUNABLES_H
#define ASSAY_SUITE_TUNABLES_H

#include <limits.h>
#include <stddef.h>

#include "err.h"
#include "roots.h"
#include "stack.h"

enum { TUNABLE_VALUE_MAX = 160 };

struct tunable {
	char path[PATH_MAX];
	char value[TUNABLE_VALUE_MAX]; /* of a choice ("none [bfq]") the one in force */
};

/* In the order in which they are to be restored. */
struct tunables {
	struct tunable *items;
	size_t count;
};

void tunables_release(struct tunables *tunables);

/* Adds one that is not there yet; its value is read when value is NULL. Aborts without memory. */
int tunables_add(struct tunables *tunables, const char *path, const char *value, struct err *err);

/* Records all that setting the named queue attribute ("scheduler", "nr_requests", ...) may change
 * on every device of the stack that it governs. */
int tunables_record_queue(struct tunables *tunables, const struct roots *roots,
			  const struct stack *stack, const char *attribute, struct err *err);

/* Records PROC/sys/vm/dirty_*, of which setting one changes another. */
int tunables_record_vm(struct tunables *tunables, const struct roots *roots, struct err *err);

/* Writes a value and reads it back. ERR_SKIP with a sentence when the kernel refuses it or takes
 * something else than what was asked, its own rounding (a page, a tick) apart. */
int tunable_set(const char *path, const char *value, struct err *err);

/* Writes back what differs, in order, and goes on after an error. Returns how many could not be
 * restored; err names the first. */
unsigned tunables_restore(const struct tunables *tunables, struct err *err);

/* Whether the kernel offers this choice in a file like scheduler's, or the file has no choices. */
int tunable_offers(const char *path, const char *choice);

#endif
