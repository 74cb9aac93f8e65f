/* SPDX-License-Identifier: MIT */
/*
 * matrix.h - Orion's load matrix: points that differ only in how many small and how many large
 * requests were outstanding.
 *
 * Points of `mixed` are its inside; those of `oltp` are the row without large requests and those
 * of `dss` the column without small ones, where sizes, kinds and shares of writes agree.
 */
#ifndef ASSAY_REPORT_MATRIX_H
#define ASSAY_REPORT_MATRIX_H

#include <stdint.h>

#include "entries.h"
#include "table.h"

struct matrix_point {
	const struct entry *entry;
	uint64_t small, large;
};

struct matrix {
	struct matrix_point *points;
	size_t count;
};

struct matrices {
	struct matrix *items;
	size_t count;
};

/* Finds those with at least two loads on either side and four points. Borrows the entries. */
void matrices_find(struct matrices *matrices, const struct entries *entries);
void matrices_release(struct matrices *matrices);

/* What a matrix is shown by. */
struct matrix_figure {
	const char *operation, *metric;
	const char *title; /* "IOPS of small requests" */
};
extern const struct matrix_figure matrix_figures[]; /* ends with a NULL operation */

/* The part of a matrix that a figure is of: loads in numeric order that have such a point. */
struct matrix_view {
	const struct matrix *matrix;
	const struct matrix_figure *figure;
	uint64_t *smalls, *larges;
	size_t small_count, large_count;
};
void matrix_view_init(struct matrix_view *view, const struct matrix *matrix,
		      const struct matrix_figure *figure);
void matrix_view_release(struct matrix_view *view);

/* The point at a place of the view, or NULL: it was not to be measured. */
const struct entry *matrix_view_at(const struct matrix_view *view, size_t large, size_t small);

/* "IOPS of small requests: small 8k, large 1m random". The caller's to free. */
char *matrix_view_title(const struct matrix_view *view);

/* Adds a table for each figure of each matrix: outstanding small requests across, large down. */
void matrices_add(struct document *document, const struct matrices *matrices);

#endif
