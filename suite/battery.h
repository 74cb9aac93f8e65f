/* SPDX-License-Identifier: MIT */
/*
 * battery.h - executes a plan on a target, round by round, into the archive.
 */
#ifndef ASSAY_SUITE_BATTERY_H
#define ASSAY_SUITE_BATTERY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "archive.h"
#include "command.h"
#include "plan.h"
#include "progress.h"
#include "target.h"

/* A series of runs under way. Everything is kept in memory as well, so that a report can be
 * printed when the archive fails in the middle. */
struct battery {
	const struct invocation *invocation;
	const struct plan *plan; /* of the rounds to come; a sweep changes it between them */
	struct facts tags;       /* of the rounds to come, besides those of --tag */
	struct target target;
	struct target wal_target; /* of --wal-dir; kind as target's own when there is none */
	bool has_wal;
	struct archive *archive;
	struct progress progress;
	char series[UUID_MAX];
	uint64_t seed;
	struct archived_run *runs; /* of this series, in order */
	size_t run_count;
	bool failed;               /* a phase failed */
	bool archive_failed;       /* the archive took no more; archive_err says why */
	struct err archive_err;
};

/* Fills *battery for that many runs of a plan whose target has been resolved; archive is borrowed.
 * Series and seed are fresh; a series that is resumed replaces them. */
int battery_init(struct battery *battery, const struct invocation *invocation,
		 const struct plan *plan, uint64_t runs, const struct target *target,
		 struct archive *archive, struct err *err);
void battery_release(struct battery *battery);

/* One run: a fresh private directory, the whole battery, the run ended in the archive. -EINTR when
 * a signal ended it; the run is then archived as interrupted. Failed phases are no error here. */
int battery_round(struct battery *battery, unsigned round, struct err *err);

/* The ids of the series in the archive; the caller's to release. */
struct run_ids battery_ids(const struct battery *battery);

#endif
