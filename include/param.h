/* SPDX-License-Identifier: MIT */
/*
 * param.h - a parameter of a phase, declared once: help, --set, profile files, validation,
 * the archived JSON and the factors of a comparison all come from the declaration.
 */
#ifndef ASSAY_PARAM_H
#define ASSAY_PARAM_H

#include "err.h"
#include "units.h"
#include "value.h"

enum param_kind {
	PARAM_COUNT,    /* a plain integer */
	PARAM_SIZE,     /* bytes */
	PARAM_DURATION, /* nanoseconds */
	PARAM_PERCENT,  /* 0 to 100 */
	PARAM_CHOICE,   /* one of choices */
	PARAM_RANGE,    /* two sizes, "LOW:HIGH" or one for both; as text "LOW:HIGH" in bytes */
	PARAM_TEXT      /* anything of at most VALUE_TEXT_MAX - 1 bytes */
};

enum {
	PARAM_IDENTITY = 1, /* says which points are the same kind of work; archived resolved */
	PARAM_SHAPE = 2,    /* only steers how points are made or how long they take */
	PARAM_AUTO = 4      /* also takes "auto", which the phase resolves before it is archived */
};

struct param {
	const char *name;
	const char *help; /* one line */
	enum param_kind kind;
	unsigned flags;
	uint64_t min, max;          /* inclusive, for the numeric kinds; max 0: no limit */
	const char *const *choices; /* PARAM_CHOICE: ends with NULL */
};

/* One phase's use of a parameter, with the value it has when nobody says otherwise. */
struct param_use {
	const struct param *param; /* NULL ends a list */
	const char *preset;        /* in the words a user would type */
};

/* Reads what a user typed. ERR_USAGE with a sentence that names the parameter and, for a choice,
 * the nearest valid name or all of them. */
int param_parse(const struct param *param, const char *text, struct value *value, struct err *err);

/* The unit of a parameter's number; UNIT_NONE for texts. */
enum unit param_unit(const struct param *param);

/* Writes a value for people, as a user would type it: "8k", "2s", "fdatasync". Returns text. */
const char *param_format(const struct param *param, const struct value *value,
			 char text[VALUE_TEXT_MAX]);

/* The name in a NULL-ended list nearest to a mistyped one, or NULL when none is near
 * (Damerau-Levenshtein distance above a third of its length). */
const char *nearest_name(const char *typed, const char *const names[]);

#endif
