/* SPDX-License-Identifier: MIT */
/*
 * background.h - what goes on on the disks of a target while nothing of ours does: I/O that their
 * counters show, and work that a filesystem or an array is known to do by itself.
 *
 * Looked for are: ext4's lazy initialisation of inode tables, of any filesystem on the same disks;
 * resync, recovery, check and reshape of md arrays on them; scrub, balance and the like of a btrfs.
 */
#ifndef ASSAY_SUITE_BACKGROUND_H
#define ASSAY_SUITE_BACKGROUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "roots.h"
#include "stack.h"

struct background {
	bool watched; /* the counters of at least one disk */
	bool busy;    /* more was going on there than the machine's own book-keeping */
	char io[300]; /* in words: "vda read 12 MiB and wrote 3 MiB in 1 s, 40 % busy"; "" when
		       * idle */
	char work[300];   /* "ext4 initialises inode tables, md0 does a resync"; "" for none */
	char unseen[200]; /* what could not be looked for, and why; "" */
};

/* Looks for known work. Changes nothing. */
void background_look(const struct roots *roots, const struct stack *stack,
		     struct background *background);

/* Watches the counters of all disks under the stack for so long, or until *stop. */
void background_watch(const struct roots *roots, const struct stack *stack, uint64_t watch_ns,
		      const atomic_bool *stop, struct background *background);

#endif
