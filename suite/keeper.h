/* SPDX-License-Identifier: MIT */
/*
 * keeper.h - a process of its own that restores the kernel's settings when the one that changed
 * them dies in whatever way.
 *
 * It is forked before anything is changed, leads its own session, so that a signal to the process
 * group does not reach it, and waits on a pipe. The pipe's end without a word means that the
 * sweep was killed: the keeper restores what it was told at the start.
 */
#ifndef ASSAY_SUITE_KEEPER_H
#define ASSAY_SUITE_KEEPER_H

#include <sys/types.h>

#include "err.h"
#include "journal.h"
#include "tunables.h"

struct keeper {
	pid_t pid;
	int pipe_fd; /* held open by the sweep */
};

/* Starts the keeper; no threads may run yet. It holds the journal's locks as well, until all is
 * restored. */
int keeper_start(struct keeper *keeper, const struct tunables *before, struct journal *journal,
		 struct err *err);

/* Everything is restored: the keeper ends without doing anything. */
void keeper_dismiss(struct keeper *keeper);

#endif
