/* SPDX-License-Identifier: MIT */
/*
 * durability.h - what a sync is worth in a place, and the evidence for it.
 *
 * Beside each phase that relies on syncs a single client writes a block and calls fdatasync, some
 * 200 times, while the counters of the disks are watched. A disk with a volatile write cache has
 * to be flushed by each of them: where the counter of flushes moves less than half as often as we
 * synced, syncs do not reach the disk. Less than one write for two syncs means that not even the
 * data does. Other programs' flushes count as well, so a lie can be missed on a busy disk; the
 * honest are never accused.
 *
 * A loop device is judged by what lies below its file.
 */
#ifndef ASSAY_SUITE_DURABILITY_H
#define ASSAY_SUITE_DURABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "fact.h"
#include "measurement.h"
#include "roots.h"
#include "stack.h"
#include "target.h"

enum { DURABILITY_SYNCS = 200, DURABILITY_TRY_BYTES = (DURABILITY_SYNCS + 1) * 4096 };

enum durability_verdict {
	DURABILITY_UNKNOWN,      /* cannot be told */
	DURABILITY_NONE,         /* not durable */
	DURABILITY_IF_PROTECTED, /* durable if the cache is protected */
	DURABILITY_SEEN          /* durable as far as this machine sees */
};

/* What is known of the storage that in the end takes a sync. */
struct durability_view {
	char place[200];       /* "ext4 on vda" */
	enum stack_medium medium;
	unsigned disks;
	bool cache_known;      /* of every disk whether it has a write cache */
	bool write_back, fua;  /* of any disk */
	bool rotating;         /* a physical rotating disk is among them */
	char hypervisor[64];   /* "" for none, or where it is not known */
	bool protected_cache;  /* as --fact protected_cache=yes says */
};

/* What came of syncing in earnest. */
struct durability_trial {
	bool done;
	char failure[300];     /* "" or why it ended */
	uint64_t syncs, elapsed_ns;
	bool known, flushes_known; /* what the disks did, and whether flushes are counted */
	uint64_t flushes, writes;
};

/* The verdict, with the reason in a sentence. Pure. */
enum durability_verdict durability_judge(const struct durability_view *view,
					 const struct durability_trial *trial, char *reason,
					 size_t size);

/* "durable as far as this machine sees", ... */
const char *durability_name(enum durability_verdict verdict);

/* Raises sync_ignored and sync_too_fast where they are due. Pure. */
void durability_flag(const struct durability_view *view, const struct durability_trial *trial,
		     struct measurement *measurement);

/* A place where syncs are relied on. */
struct durability;

/* Looks at the stack of a directory, and at protected_cache among the facts of the run. -ENOMEM. */
int durability_open(struct durability **durability, const struct roots *roots,
		    const struct stack *stack, const struct facts *facts, struct err *err);
void durability_close(struct durability *durability); /* NULL allowed */

/* Tries syncs out in the target's private directory, for half a second or so at most, and keeps
 * what came of it; what goes wrong is part of that. Writes at most DURABILITY_TRY_BYTES. */
void durability_try(struct durability *durability, const struct target *target);

/* The flags of the last trial. */
void durability_report(const struct durability *durability, struct measurement *measurement);

/* Sets `durability` and `durability_reason` under a prefix, by the trial that went worst; nothing
 * when there was none. */
void durability_facts(const struct durability *durability, const char *prefix, struct facts *facts);

#endif
