/* SPDX-License-Identifier: MIT */
/*
 * method.h - the ways in which a write to a file is made durable.
 *
 *	fdatasync     write, then fdatasync: data, and of the metadata what is needed to read it
 *	fsync         write, then fsync: all of the metadata too
 *	open_dsync    the file is opened O_DSYNC: each write is as good as one with fdatasync
 *	open_sync     the file is opened O_SYNC: each write is as good as one with fsync
 *	direct_dsync  O_DIRECT and O_DSYNC: past the page cache besides
 *	rwf_dsync     pwritev2 with RWF_DSYNC: as O_DSYNC, for this one write (Linux 4.7)
 *
 * A call that fails is final: after a failed sync the kernel may have dropped the very pages that
 * could not be written, and a second one says success (Linux reports an error once).
 */
#ifndef ASSAY_WORKLOADS_METHOD_H
#define ASSAY_WORKLOADS_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "param.h"
#include "target.h"

struct method {
	const char *name;
	int open_flags;       /* added to those of the file */
	int write_flags;      /* of pwritev2; 0: pwrite */
	int (*sync)(int fd);  /* after the writes; NULL: each write is durable by itself */
	const char *sync_call;
	const char *write_call;
};

/* The parameter `method`. */
extern const struct param param_method;

/* The method of a value that param_method has accepted. */
const struct method *method_find(const char *name);

/* ERR_SKIP with the reason when writes of unit_bytes by this method cannot be had in the target's
 * private directory: direct I/O that is not taken, a write flag the filesystem does not know. Tries
 * it on a file of its own, `probe.0`, which it removes. */
int method_check(const struct method *method, const struct target *target, size_t unit_bytes,
		 struct err *err);

/* Writes the whole of it, not durable until method_sync unless the method's writes are. path and
 * name say what file it is. A short transfer is a failure. */
int method_write(const struct method *method, int fd, const void *bytes, size_t length,
		 uint64_t offset_bytes, const char *path, const char *name, struct err *err);

/* Makes what was written durable. */
int method_sync(const struct method *method, int fd, const char *path, const char *name,
		struct err *err);

#endif
