/* SPDX-License-Identifier: MIT */
/*
 * fact.h - the environment of a run: names and values, each of a class that says whether it can
 * confound a comparison.
 */
#ifndef ASSAY_FACT_H
#define ASSAY_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

enum fact_class {
	FACT_IDENTITY, /* what the machine is: confounds */
	FACT_SETTING,  /* what one sets: confounds */
	FACT_STATE,    /* what merely was */
	FACT_DERIVED   /* follows from others */
};

enum fact_kind { FACT_TEXT, FACT_INTEGER, FACT_REAL };

struct fact {
	char *name;
	enum fact_kind kind;
	char *text; /* FACT_TEXT */
	int64_t integer;
	double real;
};

/* Facts, or tags (all of them texts). Names are unique; setting one again replaces it. */
struct facts {
	struct fact *items;
	size_t count, capacity;
};

void facts_release(struct facts *facts);

/* Memory that cannot be had ends the program through abort(). A NULL text sets nothing. */
void facts_set_text(struct facts *facts, const char *name, const char *text);
void facts_set_integer(struct facts *facts, const char *name, int64_t value);
void facts_set_real(struct facts *facts, const char *name, double value);
void facts_remove(struct facts *facts, const char *name);

const struct fact *facts_find(const struct facts *facts, const char *name);

/* The text of a fact, or NULL when there is none or it is a number. */
const char *facts_text(const struct facts *facts, const char *name);

/* Writes any fact's value as text, cut to size; returns text. */
const char *fact_format(const struct fact *fact, char *text, size_t size);

/* A fact the suite itself knows of (results/facts_known.h lists them). */
struct fact_known {
	const char *name;
	enum fact_class fact_class;
	enum unit unit; /* UNIT_NONE: a text, or a number in the unit that the name says */
	const char *help; /* one line */
};

/* The known facts in the order of reports, ending with a NULL name. */
extern const struct fact_known facts_known[];

/* What is known of a name, or NULL. A prefix (`disk.NAME.`, `wal.`, `backing.`, also one after the
 * other) is left aside: `wal.disk.sda.scheduler` is found as `scheduler`. */
const struct fact_known *fact_find_known(const char *name);

/* The class of a name, prefixes left aside; names nobody declared (what a user says with --fact,
 * the tunables of a scheduler) are settings. */
enum fact_class fact_class_of(const char *name);

const char *fact_class_name(enum fact_class fact_class);

#endif
