/* SPDX-License-Identifier: MIT */
/*
 * compare_machine.h - a comparison for programs.
 */
#ifndef ASSAY_REPORT_COMPARE_MACHINE_H
#define ASSAY_REPORT_COMPARE_MACHINE_H

#include "compare.h"
#include "table.h"

/* The document of `assay compare --format json`. */
int compare_json(const struct comparison *comparison, FILE *out, struct err *err);

/* One row for each cell, with the columns of that document. */
int compare_csv(const struct comparison *comparison, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err);

#endif
