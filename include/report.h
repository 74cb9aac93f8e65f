/* SPDX-License-Identifier: MIT */
/*
 * report.h - what the commands print. A report reads the archive alone.
 */
#ifndef ASSAY_REPORT_H
#define ASSAY_REPORT_H

#include <stdio.h>

#include "archive.h"
#include "compare.h"
#include "table.h"
#include "verdict.h"

/* One run whole; several runs of a series as medians with their spread. */
int report_runs(struct archive *archive, const struct run_ids *ids, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err);

/* One line a run. */
int report_list(struct archive *archive, const struct run_ids *ids, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err);

/* The same with a verdict on top: a certificate. */
int report_certificate(struct archive *archive, const struct run_ids *ids,
		       const struct verdict *verdict, const struct format *format,
		       const struct format_options *options, FILE *out, struct err *err);

/* Runs set side by side. */
int report_compare(const struct comparison *comparison, const struct format *format,
		   const struct format_options *options, FILE *out, struct err *err);

/* The same report of runs that could not be archived, from what is held in memory. */
int report_held(const struct archived_run *runs, size_t count, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err);

#endif
