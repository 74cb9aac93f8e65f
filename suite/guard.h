/* SPDX-License-Identifier: MIT */
/*
 * guard.h - whether a block device may be overwritten. Data is destroyed behind this door, so all
 * of it is here.
 */
#ifndef ASSAY_SUITE_GUARD_H
#define ASSAY_SUITE_GUARD_H

#include <stdbool.h>

#include "err.h"
#include "roots.h"
#include "target.h"

/* What the user said about the device. */
struct consent {
	const char *erase;        /* --erase DEVICE, or NULL */
	bool erase_signature;     /* --erase-signature */
	const char *archive_path; /* the archive in use must not lie on the device */
};

/* Decides whether target, a block device, may be written. Without --erase it stays unwritable and
 * 0 is returned. With it, ERR_USAGE and a sentence when --erase does not name this very device;
 * when it, a partition of it, or anything that stands on them is mounted, swap, or held by device
 * mapper, md, bcache, btrfs or a loop device; when the archive lies on it; when libblkid knows a
 * signature on it and nobody insists. Otherwise target->writable becomes true and *guard_fd a
 * descriptor opened O_EXCL, which keeps others away until the caller closes it; else -1. */
int guard_device(const struct roots *roots, struct target *target, const struct consent *consent,
		 int *guard_fd, struct err *err);

#endif
