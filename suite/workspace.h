/* SPDX-License-Identifier: MIT */
/*
 * workspace.h - the private directory of a run inside the target, and what dead runs left there.
 *
 * A run works in TARGET/.assay-UUID, mode 0700, which it keeps locked (flock) for as long as its
 * process lives. A directory of that form, of the same user, whose lock can be had belongs to a
 * dead run: what the suite makes in such a place is removed, anything else stays and is named.
 */
#ifndef ASSAY_SUITE_WORKSPACE_H
#define ASSAY_SUITE_WORKSPACE_H

#include "err.h"
#include "target.h"

/* Told of each leftover: its path, and whether all of it could be removed. */
typedef void (*workspace_leftover_fn)(void *context, const char *path, bool removed);

/* Looks at PATH: fills *target but for the private directory. ERR_USAGE with a sentence when it is
 * missing, neither a directory nor a block device, read-only or not writable. */
int target_resolve(struct target *target, const char *path, struct err *err);

/* Finds and removes what dead runs left in the target. */
int workspace_clean(const struct target *target, workspace_leftover_fn tell, void *context,
		    struct err *err);

/* Makes and locks the private directory of the run uuid, and finds out whether direct I/O works in
 * it. Fills target->work_fd, work_path, direct, logical_block_bytes, memory_align_bytes. */
int workspace_open(struct target *target, const char *uuid, struct err *err);

/* Removes what is in the private directory and the directory itself. */
int workspace_close(struct target *target, struct err *err);

#endif
