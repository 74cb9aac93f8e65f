/* SPDX-License-Identifier: MIT */
/*
 * observation.h - what a comparison asks the archive for: the values of many runs at once, as
 * numbers that refer to tables of names, and what was so of each run.
 *
 * A run is named by its position in the list of run ids asked for.
 */
#ifndef ASSAY_OBSERVATION_H
#define ASSAY_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive.h"
#include "err.h"
#include "fact.h"
#include "histogram.h"
#include "measurement.h"

/* ---- values ---- */

/* A phase at one value of each parameter. */
struct observed_point {
	char phase[NAME_MAX_BYTES];
	struct parameter *parameters; /* by name */
	size_t parameter_count;
};

struct observed_measurement {
	int64_t id;
	uint32_t run;   /* position */
	uint32_t point; /* index in points */
	enum status status;
	bool is_void; /* bears a flag of that severity */
};

/* A metric of an operation. */
struct observed_kind {
	char operation[NAME_MAX_BYTES], metric[NAME_MAX_BYTES];
	enum unit unit;
	enum better better;
};

struct observed_value {
	uint32_t measurement, kind; /* indexes */
	bool headline;
	double value; /* NAN: there is none */
};

struct observations {
	struct observed_point *points;
	size_t point_count;
	struct observed_kind *kinds;
	size_t kind_count;
	struct observed_measurement *measurements; /* of each run, run after run */
	size_t measurement_count;
	struct observed_value *values; /* of each measurement, in the order of these */
	size_t value_count;
};

/* What is asked for. */
struct observe_request {
	const char *const *metrics; /* patterns with * and ?; none: the headline metrics alone */
	size_t metric_count;
	const char *const *phases; /* names; none: every phase */
	size_t phase_count;
};

/* ERR_USAGE when a pattern fits no metric in the archive. A measurement without values is there
 * too: it may have failed. */
int archive_observe(struct archive *archive, const struct run_ids *ids,
		    const struct observe_request *request, struct observations *observations,
		    struct err *err);
void observations_release(struct observations *observations);

/* A histogram to be merged: the operation's in a measurement, into which of several. */
struct merge_wish {
	int64_t measurement_id;
	const char *operation;
	size_t target;
};

/* Merges what is wished for, in the order of the archive, into targets that the caller has
 * initialised; adds to found, by target, how many there were. Wishes are put in another order. */
int archive_merge_histograms(struct archive *archive, struct merge_wish wishes[], size_t count,
			     struct histogram targets[], size_t found[], struct err *err);

/* Says why a measurement may count for nothing: "failed: ...", "skipped: ...", "void: cached", else
 * what was remarked of an imported one; "" when there is nothing. */
int archive_excuse(struct archive *archive, int64_t measurement_id, char *text, size_t size,
		   struct err *err);

/* ---- runs ---- */

/* One fact, tag or column over many runs. */
struct trait {
	char *name;
	struct fact *values; /* each once, in the order in which runs come; their names are NULL */
	size_t value_count;
	int *of_run; /* by position: an index in values, or -1 where it is not known */
	size_t known; /* runs of which it is known */
	int64_t fact_id; /* not 0: a fact that has one value wherever it is known; the rest is
			  * empty */
};

enum trait_kind { TRAIT_COLUMN, TRAIT_FACT, TRAIT_TAG, TRAIT_KIND_COUNT };

/* Columns of runs that are traits, ending with NULL. */
extern const char *const trait_columns[];

/* Reads it of every run; a name that nothing bears is known of none. */
int archive_trait(struct archive *archive, const struct run_ids *ids, enum trait_kind kind,
		  const char *name, struct trait *trait, struct err *err);
void trait_release(struct trait *trait);

struct traits {
	struct trait *items;
	size_t count;
};

/* The facts that can confound - of class identity or setting - and may not be the same in all these
 * runs, in the order of reports, those that nobody declared last. One that is merely not known of
 * every run in the archive has its fact_id set: archive_meet_facts tells more. */
int archive_varying_facts(struct archive *archive, const struct run_ids *ids, struct traits *traits,
			  struct err *err);
void traits_release(struct traits *traits);

/* For each trait with a fact_id: known tells whether any of the runs knows it; then met, by trait
 * as well, has its value, whose text is the caller's to free. */
int archive_meet_facts(struct archive *archive, const struct run_ids *ids,
		       const struct traits *traits, struct fact met[], bool known[],
		       struct err *err);

/* Calls visit for the name of each fact and tag in the archive. */
int archive_trait_names(struct archive *archive, void (*visit)(void *context, const char *name),
			void *context, struct err *err);

#endif
