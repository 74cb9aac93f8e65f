/* SPDX-License-Identifier: MIT */
/*
 * orion.h - the summary Orion prints: its best figures, each with the point it was found at.
 */
#ifndef ASSAY_REPORT_ORION_H
#define ASSAY_REPORT_ORION_H

#include "entries.h"
#include "table.h"

#define KNEE_DEFAULT_NS 5e6

/* Adds as facts: the maximum of small I/Os a second, the maximum throughput of large I/Os, the
 * least mean latency of small I/Os, and the knee - the highest rate of the oltp ramp whose p99
 * stays within knee_ns. Of several runs the medians are looked at; void measurements are left
 * aside. What nothing was found for is not told. */
void orion_add(struct document *document, const struct entries *entries, double knee_ns);

#endif
