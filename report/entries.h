/* SPDX-License-Identifier: MIT */
/*
 * entries.h - the measurements of a report, lined up.
 *
 * An entry is one point of the battery in every run that has it: phase and parameters alike. Its
 * label is what a reader needs to tell it from the others - phase, operation and the parameters
 * that vary among the points of its phase; those that do not are told once for a section.
 */
#ifndef ASSAY_REPORT_ENTRIES_H
#define ASSAY_REPORT_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "archive.h"
#include "table.h"

struct entry_item {
	const struct archived_run *run;
	const struct measurement *measurement;
};

struct entry {
	const struct measurement *first; /* stands for what all items share */
	struct entry_item *items;        /* in the order of the runs */
	size_t count;
	bool *varies; /* by parameter of first: differs among the points of the phase */
	char *tags;   /* of its flags, "V1,N2"; NULL for none; flags_collect sets it */
};

struct entries {
	struct entry *items; /* in the order of the battery */
	size_t count;
	size_t run_count;
};

/* Borrows the runs. */
void entries_init(struct entries *entries, const struct archived_run *runs, size_t count);
void entries_release(struct entries *entries);

/* "random.read, queue_depth 32"; without an operation the phase alone: "random, queue_depth 32".
 * The caller's to free. */
char *entry_label(const struct entry *entry, const char *operation);

/* The same but for some parameters, for where these are told otherwise: names ending with NULL. */
char *entry_label_without(const struct entry *entry, const char *operation,
			  const char *const without[]);

/* Whether a parameter says nothing beside another: no share of writes when all is read. */
bool parameter_is_implied(const struct measurement *measurement,
			  const struct parameter *parameter);

/* How well the entry was measured. */
bool measurement_is_void(const struct measurement *measurement);

/* The measurements whose figures stand for the entry: those that ended ok and are not void; when
 * all are void, these. Returns how many there are; usable has room for entry->count. */
size_t entry_usable(const struct entry *entry, const struct measurement **usable);

/* The median of a metric over the runs, void measurements left aside; NAN when none counts or one
 * lacks the metric. */
double entry_median(const struct entry *entry, const char *operation, const char *metric);

/* Why there is no such median: "void, see the flags", "failed: MESSAGE". The caller's to free. */
char *entry_gap(const struct entry *entry, const char *metric);

/* The parts of the battery, in its order. */
struct section {
	const char *name; /* as --phases has it */
	const char *title;
	const char *const *phases; /* ends with NULL; NULL: whatever is not elsewhere */
};
extern const struct section sections[]; /* ends with a NULL name */

const struct section *section_of(const char *phase);
bool entry_is_in(const struct entry *entry, const struct section *section);

/* Names a table of a section: "Files: rates". */
void section_caption(struct table *table, const struct section *section, const char *what);

/* Tells the parameters that do not vary: those most of a section's phases share first, then each
 * phase's own. */
void section_parameters(struct document *document, const struct entries *entries,
			const struct section *section);

/* A parameter's value as a user would type it. Returns text. */
enum { PARAMETER_TEXT_MAX = 2 * VALUE_TEXT_MAX };
const char *parameter_format(char text[PARAMETER_TEXT_MAX], const struct parameter *parameter);

/* Parameters as a JSON object: written, or as a text that is the caller's to free. */
struct json;
void parameters_write(struct json *json, const struct parameter *parameters, size_t count);
char *parameters_as_json(const struct parameter *parameters, size_t count);

/* The unit of a parameter's number, told from its name: an archive holds base units. */
enum unit parameter_unit(const char *name);

#endif
