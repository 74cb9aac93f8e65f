/* SPDX-License-Identifier: MIT */
/*
 * journal.h - what a sweep has changed, on stable storage before it is changed.
 *
 * One file per disk in the state directory (/var/lib/assay for root, else $XDG_STATE_HOME/assay or
 * ~/.local/state/assay), locked while its sweep lives, so that no two sweeps set the same disk. It
 * holds the boot it belongs to, the series, and each setting with its value from before.
 */
#ifndef ASSAY_SUITE_JOURNAL_H
#define ASSAY_SUITE_JOURNAL_H

#include "err.h"
#include "roots.h"
#include "run.h"
#include "stack.h"
#include "tunables.h"

enum { JOURNAL_DISKS_MAX = 64 };

struct journal {
	int fds[JOURNAL_DISKS_MAX]; /* locked */
	char paths[JOURNAL_DISKS_MAX][PATH_MAX];
	unsigned count;
};

/* Takes the lock of every disk under the target. ERR_USAGE with a sentence when another sweep has
 * one. A journal without disks (nothing of a device is set) is empty. */
int journal_open(struct journal *journal, const struct roots *roots, const struct stack *stack,
		 struct err *err);

/* Writes what will have to be restored, synced. */
int journal_write(const struct journal *journal, const struct roots *roots, const char *series,
		  const struct tunables *before, struct err *err);

/* Everything is restored: empties the files and gives the locks back. */
void journal_close(struct journal *journal);

/* Told of each setting that a dead sweep left changed: restored, or (after a reboot, when what the
 * kernel has is its own default) only reported. */
typedef void (*journal_tell_fn)(void *context, const char *path, const char *before, bool restored);

/* Looks for journals of dead sweeps. Of this boot: restores what they changed. Of an earlier one:
 * restores nothing. Either way the journal is then empty. Returns how many there were. */
unsigned journal_recover(const struct roots *roots, journal_tell_fn tell, void *context);

#endif
