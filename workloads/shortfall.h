/* SPDX-License-Identifier: MIT */
/*
 * shortfall.h - why a write moved less than all of its bytes.
 */
#ifndef ASSAY_WORKLOADS_SHORTFALL_H
#define ASSAY_WORKLOADS_SHORTFALL_H

#include <stddef.h>
#include <stdint.h>

/* The kernel keeps the cause to itself while a part could be written, and tells it to who tries
 * the rest, which belongs at offset_bytes. Returns the end of a sentence, ": No space left on
 * device", or "" when the rest can be written. */
const char *shortfall_cause(int fd, const void *rest, size_t bytes, uint64_t offset_bytes,
			    char text[100]);

#endif
