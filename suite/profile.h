/* SPDX-License-Identifier: MIT */
/*
 * profile.h - a named battery: an INI file, or one of those built in.
 *
 *	[profile]
 *	name = quick
 *	description = ...
 *	rounds = 1
 *	time = 2s
 *	size = 1g
 *
 *	[block_write]          ; a phase, and its parameters; lists make several points
 *	block_size = 8k
 *
 *	[criteria]
 *	rule = wal_commit.commit.latency_p99 <= 10ms
 *	forbid = unsteady, foreign	; doubts that a certificate may not have
 *
 *	[steady_state]		; rounds go on until these are steady (steady_state.h)
 *	track = random.write.rate[block_size=4k,queue_depth=32]
 *	rounds_max = 25
 *	precondition = 2	; times a device is written whole before the first
 */
#ifndef ASSAY_SUITE_PROFILE_H
#define ASSAY_SUITE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "phase.h"

/* One line `param = value` of a phase's section. */
struct profile_setting {
	const struct phase *phase;
	char *param, *text;
	unsigned line;
};

struct profile {
	char *name, *description;
	char *text;   /* the whole file */
	char *origin; /* for messages: the path, or the name of a built-in */
	uint64_t rounds;
	char *time, *size; /* NULL: the parameters' presets */
	const struct phase **phases; /* in the order of their sections */
	size_t phase_count;
	struct profile_setting *settings;
	size_t setting_count;
	char **rules; /* [criteria] */
	size_t rule_count;
	char **forbidden; /* codes of flags, of [criteria] as well */
	size_t forbidden_count;
	char **tracks; /* [steady_state]: metrics; none: a series has its rounds and no more */
	size_t track_count;
	uint64_t rounds_max, precondition;
};

/* Reads the built-in of that name, else the file. Unknown sections, parameters and values are
 * ERR_USAGE with the line and the nearest valid name. */
int profile_load(struct profile *profile, const char *name_or_path, struct err *err);
/* Reads a profile from its text; origin is for messages, and the name when the text has none. */
int profile_load_text(struct profile *profile, const char *origin, const char *text,
		      struct err *err);
void profile_release(struct profile *profile);

/* A built-in profile: each file of suite/profiles/ is one, under its name without .ini. */
struct builtin_profile {
	const char *name;
	const unsigned char *text;
	size_t bytes;
};

/* In the order of their names; ends with a NULL name. */
extern const struct builtin_profile builtin_profiles[];

#endif
