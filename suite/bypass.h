/* SPDX-License-Identifier: MIT */
/*
 * bypass.h - whether direct I/O in a directory goes past the page cache, found out by trying.
 *
 * A filesystem may take O_DIRECT and buffer all the same: btrfs where it keeps checksums, some
 * FUSE. It writes back at once and drops the pages, so neither the device's counters nor a look at
 * the cache afterwards shows it. Pages that are mapped show it: a direct write has to throw them
 * out of the cache, since they no longer hold what the file does; a buffered one writes into them
 * and lets them stay. A direct read leaves nothing in an empty cache, a buffered one what it read.
 */
#ifndef ASSAY_SUITE_BYPASS_H
#define ASSAY_SUITE_BYPASS_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

struct bypass {
	bool known; /* the trial could be made */
	uint64_t bytes; /* written directly, and read */
	uint64_t write_cached_bytes, read_cached_bytes; /* of them in the page cache afterwards */
};

/* Tries it in the target's private directory with a file that goes away again; returns the bytes it
 * wrote. Nothing is known of a device, or where direct I/O does not work. */
uint64_t bypass_try(const struct target *target, struct bypass *bypass);

#endif
