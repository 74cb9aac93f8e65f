/* SPDX-License-Identifier: MIT */
/*
 * run.h - one battery executed once on one target in one environment.
 */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "fact.h"
#include "measurement.h"

enum { UUID_MAX = 37 };

/* One thing an imported text says that has no place in a run. */
struct unmapped {
	char *name;
	char *text;
};

/* Where an imported run came from. */
struct run_origin {
	char imported_at[CLOCK_LABEL_MAX]; /* "": it was not imported */
	char *program;                     /* that wrote what was imported */
	char *version;                     /* of that program; NULL: not said */
	char hash[80]; /* "sha256:HEX" of the part of the text that is this run */
	struct unmapped *unmapped;
	size_t unmapped_count;
};

struct run_note {
	char at[CLOCK_LABEL_MAX];
	char *text;
};

/* Strings are the run's own, set by run_set_text; NULL where there is nothing to say. */
struct run {
	int64_t id; /* in the archive; 0 while it is not there */
	char uuid[UUID_MAX];
	char series[UUID_MAX]; /* what the runs of one command share; "" for none */
	unsigned round;        /* from 1 */
	char *source;          /* "assay", or the program an imported run came from */
	char *version;         /* of that program */
	char *status;          /* "running", "complete", "failed", "interrupted" */
	char *label;
	char *profile;
	char *target; /* absolute path */
	char *command;
	uint64_t seed;
	char started_at[CLOCK_LABEL_MAX];
	char finished_at[CLOCK_LABEL_MAX]; /* "" while it has not */
	struct facts facts;
	struct facts tags;
	struct run_note *notes;
	size_t note_count;
};

/* A fresh run with a random UUID (version 4), round 1, status "running", started now. */
int run_init(struct run *run, struct err *err);
void run_release(struct run *run);

/* Replaces *field by a copy of text (NULL allowed); aborts when memory cannot be had. */
void run_set_text(char **field, const char *text);

/* Adds a note stamped with the wall time, or with at when it is not NULL. */
void run_add_note(struct run *run, const char *at, const char *text);

void run_origin_release(struct run_origin *origin);

/* Writes a random version 4 UUID. */
int uuid_make(char uuid[UUID_MAX], struct err *err);

#endif
