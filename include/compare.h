/* SPDX-License-Identifier: MIT */
/*
 * compare.h - runs set side by side, as plain data: what the formats render and what verdicts and
 * sweeps read.
 *
 * A group is the runs (or, by a parameter, the points inside runs) at one value of each factor; the
 * others are held against one of them, the base. A row is one metric of one kind of work; a cell
 * is what one group came to in it. The unit of all statistics is the run.
 *
 *  1. A run counts once in a cell: several measurements of it there are averaged geometrically.
 *  2. delta is the ratio of the geometric means of group and base, minus 1; its interval is Welch's
 *     on logarithms, or Student's of pairs where each run of the smaller side has a partner of the
 *     same series and round (or is the same run) on the other: sweeps, and parameters inside runs.
 *  3. Better and worse are claimed in headline rows alone, at 5 % for all of them together (Holm).
 */
#ifndef ASSAY_COMPARE_H
#define ASSAY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive.h"
#include "err.h"
#include "fact.h"
#include "measurement.h"

enum { COMPARE_FACTORS_MAX = 2, COMPARE_GROUPS_MAX = 256, COMPARE_FEW = 3 /* runs for a claim */ };

/* Runs that form a group because somebody says so. */
struct compare_side {
	const char *name;
	const struct run_ids *runs;
};

struct compare_request {
	/* Factors: each a fact, tag or column of runs, or a parameter of points. Without any, and
	 * without sides, each label is a group, and each run that has none. */
	const char *by[COMPARE_FACTORS_MAX];
	size_t by_count;
	const struct compare_side *sides; /* instead of factors; runs in none are left out */
	size_t side_count;
	const char *baseline; /* name or title of the base; NULL: the first group */
	const char *const *metrics; /* patterns with * and ?; none: the headline metrics */
	size_t metric_count;
	const char *const *phases; /* phases or groups of phases; none: all */
	size_t phase_count;
	double margin;     /* a fraction: what is within it counts as the same */
	bool with_void;    /* void measurements are taken in */
	bool only_changed; /* rows with a better or a worse alone */
};

#define COMPARE_MARGIN 0.05

struct compared_group {
	char *name;  /* bare values: "bfq", "bfq / 4096" */
	char *title; /* for people: "bfq", "bfq / 4k", "run 3" */
	struct fact *values; /* by factor, without names */
	int64_t *runs;
	size_t run_count;
};

/* Values of a fact in one group; none: it is not known there. */
struct confounder_values {
	struct fact *items; /* without names */
	size_t count;
};

struct confounder {
	char *name; /* of a fact or column of runs, or PHASE.PARAMETER that only some groups
		     * recorded */
	struct confounder_values *groups; /* by group */
	bool unknown; /* in some group; where it is known it does not differ */
};

enum judgement {
	JUDGED_BASE,
	JUDGED_BETTER,
	JUDGED_WORSE,
	JUDGED_SAME,        /* the whole interval is within the margin */
	JUDGED_UNCLEAR,     /* neither the same nor different */
	JUDGED_FEW,         /* fewer than COMPARE_FEW runs on one side */
	JUDGED_MISSING,
	JUDGED_EXPLORATORY, /* not a headline row: no claim */
	JUDGEMENT_COUNT
};

/* Every number is NAN where there is none. */
struct compared_cell {
	size_t n; /* runs */
	double median; /* of a percentile: that of the merged histograms, where there are any */
	double low, high; /* of the runs */
	double delta, delta_low, delta_high; /* fractions; 95 % */
	enum judgement judgement;
	double detectable; /* of an unclear one: the difference found in 80 % of such comparisons */
	bool paired;
	char *reason; /* of a gap, or of runs left out; NULL */
};

struct compared_row {
	char phase[NAME_MAX_BYTES], operation[NAME_MAX_BYTES], metric[NAME_MAX_BYTES];
	struct parameter *parameters; /* those that all groups recorded, without the factors */
	size_t parameter_count;
	enum unit unit;
	enum better better;
	bool headline;
	struct compared_cell *cells; /* by group */
};

/* What the headline rows of a part of the battery come to in one group. */
struct compared_tally {
	size_t judged[JUDGEMENT_COUNT];
	double mean; /* geometric, of the ratios to the base turned so that more is better, minus
		      * 1 */
	size_t rows; /* in the mean */
};

struct compared_section {
	const char *name, *title; /* "files", "Files"; NULL: all of the table */
	size_t first, count;      /* its rows */
	struct compared_tally *tallies; /* by group */
};

struct comparison {
	char *by[COMPARE_FACTORS_MAX];
	size_t by_count;
	struct compared_group *groups;
	size_t group_count;
	size_t base; /* index in groups */
	struct confounder *confounders; /* values that differ first, then what is not known
					 * everywhere */
	size_t confounder_count;
	struct compared_row *rows; /* in the order of the battery */
	size_t row_count;
	struct compared_section *sections; /* with rows; the last is of all */
	size_t section_count;
	size_t family; /* comparisons that Holm's correction counted */
	double margin;
	char **notes; /* sentences: what was left out, what could not be matched */
	size_t note_count;
};

/* Compares the runs; groups come in the order in which ids has their first runs, those of numbers
 * by value. ERR_USAGE with a sentence for a factor nothing bears, a baseline that is no group,
 * fewer than two groups, or nothing to compare. */
int compare_runs(struct archive *archive, const struct run_ids *ids,
		 const struct compare_request *request, struct comparison *comparison,
		 struct err *err);
void comparison_release(struct comparison *comparison);

/* "base", "better", ... as exports name it. */
const char *judgement_name(enum judgement judgement);

#endif
