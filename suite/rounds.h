/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - the rounds of one command: as many as were asked for, or until what the profile tracks
 * has come to its steady state.
 */
#ifndef ASSAY_SUITE_ROUNDS_H
#define ASSAY_SUITE_ROUNDS_H

#include "battery.h"

/* Runs the rounds; those of the window, and those before it, are marked with the fact
 * `steady_state`. Codes as of battery_round. */
int rounds_run(struct battery *battery, struct err *err);

/* How many of the rounds came before the window of the steady state. */
size_t rounds_lead_in(const struct battery *battery);

#endif
