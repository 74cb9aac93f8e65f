/* SPDX-License-Identifier: MIT */
/*
 * certificate.h - a verdict in the forms of a report.
 */
#ifndef ASSAY_REPORT_CERTIFICATE_H
#define ASSAY_REPORT_CERTIFICATE_H

#include "archive.h"
#include "table.h"
#include "verdict.h"

/* The verdict and its rules, for the top of a document. */
void certificate_add(struct document *document, const struct verdict *verdict);

/* The document of DESIGN section 14; the rules as rows. */
int certificate_json(const struct archived_run *runs, size_t count, const struct verdict *verdict,
		     FILE *out, struct err *err);
int certificate_csv(const struct verdict *verdict, const struct format_options *options, FILE *out,
		    struct err *err);

#endif
