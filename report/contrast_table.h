/* SPDX-License-Identifier: MIT */
/*
 * contrast_table.h - the tables of a comparison for readers.
 */
#ifndef ASSAY_REPORT_CONTRAST_TABLE_H
#define ASSAY_REPORT_CONTRAST_TABLE_H

#include "contrast.h"
#include "table.h"

/* Keeps what tables borrow until the document is gone. */
struct contrast_columns {
	struct column **lists;
	char **titles;
	size_t list_count, title_count;
};
void contrast_columns_release(struct contrast_columns *columns);

/* How a section is shown: stacked puts range and interval below figure and change, so that columns
 * are narrow; width 0 is without limit. titles are of the groups. */
struct contrast_look {
	bool stacked;
	unsigned width;
	const char *const *titles;
};

/* Adds the rows of a section, in as many tables as the width asks for, each closed by what the rows
 * come to. */
void contrast_tables_add(struct document *document, const struct comparison *comparison,
			 const struct works *works, const struct compared_section *section,
			 const struct contrast_look *look, struct contrast_columns *keep);

#endif
