/* SPDX-License-Identifier: MIT */
/*
 * progress.h - what stderr shows while a battery runs: on a terminal one live line (phase, bar,
 * rate, time left), elsewhere one plain line per finished point.
 */
#ifndef ASSAY_SUITE_PROGRESS_H
#define ASSAY_SUITE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "measurement.h"
#include "phase.h"

struct progress {
	FILE *out;
	bool live;        /* a terminal: the line is redrawn */
	bool quiet;       /* nothing at all */
	unsigned points;  /* in the whole command */
	unsigned done;
	uint64_t planned_ns;  /* measuring time of all points */
	uint64_t finished_ns; /* of those done */
	uint64_t started_ns;
	uint64_t point_started_ns;
	uint64_t last_drawn_ns;
	uint64_t last_units, last_units_ns;
	double units_per_s;
	const struct point *point;
};

/* progress may be NULL in every call. */
void progress_init(struct progress *progress, FILE *out, bool quiet, unsigned points,
		   uint64_t planned_ns);
void progress_begin(struct progress *progress, const struct point *point);

/* From the runner, a few times a second: how much of its time the point was measured, and what it
 * has done so far, in all passes together. */
void progress_tick(struct progress *progress, const struct phase_run *run, uint64_t elapsed_ns,
		   uint64_t units);
void progress_end(struct progress *progress, const struct measurement *measurement);

/* A sentence between points (what is being made, what was cleaned up). */
__attribute__((format(printf, 2, 3))) void progress_say(struct progress *progress,
							const char *format, ...);

/* Writes a point in short: "random read block_size=8k queue_depth=32", what differs from the
 * presets; returns text. */
const char *point_describe(const struct point *point, char *text, size_t size);

#endif
