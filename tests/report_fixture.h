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

/* Orion's whole matrix for two disks, one point of it void and one failed, and a grid of random
 * points with histograms and samples of 30 seconds. */
void fixture_loads(struct archived_run *archived);

/* A run whose every text tries to break the report it stands in. */
void fixture_hostile(struct archived_run *archived);

#endif
