/* SPDX-License-Identifier: MIT */
/*
 * export.h - archived runs as documents of DESIGN section 14.
 */
#ifndef ASSAY_EXPORT_H
#define ASSAY_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "archive.h"

/* Writes one run as the JSON document of `assay show`; with histograms, as `assay export` does. */
void export_json(FILE *out, const struct archived_run *archived, bool with_histograms);

#endif
