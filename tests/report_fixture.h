/* SPDX-License-Identifier: MIT */
/*
 * report_fixture.h - archived runs made in memory, the same each time: fixed clock, fixed UUIDs.
 */
#ifndef ASSAY_TESTS_REPORT_FIXTURE_H
#define ASSAY_TESTS_REPORT_FIXTURE_H

#include "archive.h"

/* What a battery on a database server might have come to: every group, a buffered write, rare
 * percentiles, a void flag, doubts and notes, a failed and a skipped point, notes and tags. */
void fixture_run(struct archived_run *archived);

/* The same in three rounds of a series that differ a little; void in the first only. */
enum { FIXTURE_ROUNDS = 3 };
void fixture_series(struct archived_run archived[FIXTURE_ROUNDS]);

/* A run whose every text tries to break the report it stands in. */
void fixture_hostile(struct archived_run *archived);

#endif
