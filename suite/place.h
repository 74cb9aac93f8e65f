/* SPDX-License-Identifier: MIT */
/*
 * place.h - where a path is: the device of its filesystem and its mount; and which block device a
 * name under /dev means.
 */
#ifndef ASSAY_SUITE_PLACE_H
#define ASSAY_SUITE_PLACE_H

#include <libmount/libmount.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "measurement.h"
#include "roots.h"

struct place {
	char path[PATH_MAX];   /* absolute; links resolved where the machine is this one */
	bool block;            /* it is a block device */
	unsigned major, minor; /* of that device, else of the filesystem; 0:0 is not known */
	uint64_t mount_id;     /* as in mountinfo; 0: not known */
};

/* Looks a path up; on a recorded tree by its name alone. -errno when there is no such path. */
int place_find(const struct roots *roots, const char *path, struct place *place, struct err *err);

/* The mounts of this process, or NULL; to be released by mnt_unref_table. */
struct libmnt_table *place_mounts(const struct roots *roots);

/* The mount a place lies on, or NULL: the one with its id, else of those above its path one of the
 * same device, else the deepest, and of several the last. */
struct libmnt_fs *place_mount(struct libmnt_table *mounts, const struct place *place);

/* The kernel's name of a block device by its number, or by its path ("/dev/mapper/vg-root"). */
bool place_device_name(const struct roots *roots, unsigned major, unsigned minor,
		       char name[NAME_MAX_BYTES]);
bool place_device_at(const struct roots *roots, const char *path, char name[NAME_MAX_BYTES]);

#endif
