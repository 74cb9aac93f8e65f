/* SPDX-License-Identifier: MIT */
/*
 * export.h - archived runs as documents of DESIGN section 14.
 */
#ifndef ASSAY_EXPORT_H
#define ASSAY_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "archive.h"

/* The version of the document, and the buckets of its histograms (histogram.h): log-linear, 2^6 to
 * an octave, up to 2^46 ns. */
enum { EXPORT_SCHEMA = 1 };
#define EXPORT_HISTOGRAM_SCHEME "loglinear-6-46"

/* Writes one run as the JSON document of `assay show`; with histograms, as `assay export` does. */
void export_json(FILE *out, const struct archived_run *archived, bool with_histograms);

/* Writes one run as a row of bonnie++ 1.98 (2.00, 2.00a), without a header. Its cells are the first
 * measurement of each phase that ended well; a rate that is not known of a phase that ran is
 * +++++, as there. */
void export_bonnie(FILE *out, const struct archived_run *archived);

#endif
