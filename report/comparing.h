/* SPDX-License-Identifier: MIT */
/*
 * comparing.h - a comparison while it is made: factors give groups (groups.c), points of the same
 * kind of work give rows (kinship.c), values fall into cells (cells.c) and are judged (judge.c);
 * what else differs between the groups confounds (confound.c). compare.c puts it together.
 */
#ifndef ASSAY_REPORT_COMPARING_H
#define ASSAY_REPORT_COMPARING_H

#include "compare.h"
#include "observation.h"

/* What groups are made from: each run, or each point, has a value or none. */
struct factor {
	char *name;
	struct fact *values;
	char **titles; /* by value, for people */
	size_t value_count;
	size_t *ranks; /* by value: its place among the groups */
	int *of_run;   /* by position: a value, or -1; NULL when it is a matter of points */
	int *of_point; /* by point likewise */
};

/* A value that counts, where it came from. */
struct counted {
	uint32_t run, measurement;
	double value;
};

struct comparing {
	struct archive *archive;
	const struct run_ids *ids;
	const struct compare_request *request;
	struct comparison *into;
	struct observations seen;

	struct factor factors[COMPARE_FACTORS_MAX];
	size_t factor_count; /* at least 1: without --by it is the label or run */
	int *group_of_values; /* by value of the first, then of the second factor; -1: no such
			       * group */

	int64_t *partners; /* by run: runs of the same round of a series have the same number */

	int *kin; /* by point: which kind of work it is */
	size_t kin_count;

	struct counted *counted; /* cell after cell */
	size_t *starts;          /* by cell, row * groups + group; one more ends the last */
	int64_t *excused;        /* by cell: a measurement that does not count, or 0 */
	size_t *excused_count;   /* by cell: runs of which that is so */
};

/* The group of a point in a run, or -1. */
int comparing_group(const struct comparing *comparing, uint32_t run, uint32_t point);

/* Each returns 0 or a negative code with a sentence. */
int groups_make(struct comparing *comparing, struct err *err);
void groups_release(struct comparing *comparing);

/* Whether a factor is a parameter of that name. */
bool is_point_factor(const struct comparing *comparing, const char *parameter);

void kinship_make(struct comparing *comparing);

/* Gives a row the parameters that all points akin to this one recorded. */
void kin_parameters(const struct comparing *comparing, size_t point, struct compared_row *row);

int cells_make(struct comparing *comparing, struct err *err);
int cells_explain(struct comparing *comparing, struct err *err);
int cells_merge_percentiles(struct comparing *comparing, struct err *err);

void judge_all(struct comparing *comparing);

int confounders_find(struct comparing *comparing, struct err *err);

/* The confounder of that name, made with no values when it is not there. */
struct confounder *confounder_named(struct comparison *comparison, const char *name);

/* Adds a value to a group unless it is there. */
void confounder_add(struct confounder *confounder, size_t group, const struct fact *value);

/* Adds a sentence. */
__attribute__((format(printf, 2, 3))) void comparing_note(struct comparing *comparing,
							  const char *format, ...);

/* A value without a name, its text copied. */
struct fact fact_copy(const struct fact *fact);
bool fact_equal(const struct fact *a, const struct fact *b);

/* The value of a parameter as a fact, its text the caller's to free. */
struct fact fact_of_parameter(const struct parameter *parameter);

#endif
