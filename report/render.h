/* SPDX-License-Identifier: MIT */
/*
 * render.h - what the formats share.
 */
#ifndef ASSAY_REPORT_RENDER_H
#define ASSAY_REPORT_RENDER_H

#include "table.h"

const struct cell *table_cell(const struct table *table, size_t row, size_t column);

/* Whether readers see a column: not when it is for programs, nor when nothing belongs in it. */
bool table_shows(const struct table *table, size_t column);

/* Whether readers see a block as text: a table without rows is nothing to look at, and a chart is
 * for formats that draw. */
bool block_is_shown(const struct block *block);

/* A cell in the words of a reader, safe to show: "1.21 GiB/s", "n/a", "-" where no number belongs.
 * The caller's to free. */
char *cell_copy(const struct cell *cell, const struct column *column);

/* The next reason why a cell is missing, each told once; start with *cursor 0. NULL: no more. */
const char *table_next_reason(const struct table *table, size_t *cursor);

/* The table of a document that has exactly one, else NULL. */
const struct table *document_only_table(const struct document *document);

#endif
