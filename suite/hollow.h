/* SPDX-License-Identifier: MIT */
/*
 * hollow.h - whether a device's blocks hold anything.
 *
 * A block that was never written, or trimmed since, holds zeros that need not be stored: an SSD, a
 * thin volume or a sparse image answers for it from its table, faster than any medium reads.
 */
#ifndef ASSAY_SUITE_HOLLOW_H
#define ASSAY_SUITE_HOLLOW_H

#include <stdint.h>

struct hollow {
	unsigned sampled; /* blocks of 4 KiB; 0: could not be read */
	unsigned empty;   /* of them, those with one byte over and over */
};

/* Reads some blocks directly, evenly over the first so many bytes of a device; writes nothing. */
struct hollow hollow_sample(const char *device, uint64_t bytes);

#endif
