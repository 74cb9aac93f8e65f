/* SPDX-License-Identifier: MIT */
/*
 * fileset.h - the data files of a run, shared by its phases: made whole, verified, evicted,
 * removed.
 *
 * A data set is COUNT files data.0 ... of equal size in the private directory, or the device
 * itself. "Whole" means that this run wrote every byte; what a read phase reads is always whole.
 */
#ifndef ASSAY_FILESET_H
#define ASSAY_FILESET_H

#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>

#include "err.h"
#include "target.h"

struct fileset;

/* Borrows target, which outlives it; stop ends long lay-outs early (-EINTR). */
int fileset_open(struct fileset **fileset, const struct target *target, uint64_t seed,
		 const atomic_bool *stop, struct err *err);

/* Forgets and frees; files stay until fileset_remove. */
void fileset_close(struct fileset *fileset);

/* Makes sure that there are count files of bytes each, whole and on stable storage, with
 * compressible percent of each block compressible; writes what is missing, removes data files
 * that do not belong. Verifies that no extent is a hole or unwritten where the filesystem can
 * tell. Devices: checks the size; what they hold is theirs. */
int fileset_require(struct fileset *fileset, unsigned count, uint64_t bytes, unsigned compressible,
		    struct err *err);

/* Writes the first bytes of the device from end to end, so many times over, past the page cache,
 * and syncs it. */
int fileset_precondition(struct fileset *fileset, uint64_t bytes, unsigned passes, struct err *err);

/* Opens data file index (or the device) with the given open flags plus O_CLOEXEC and O_NOFOLLOW.
 * Returns a descriptor, the caller's to close, or a negative code. */
int fileset_file(struct fileset *fileset, unsigned index, int flags, struct err *err);

/* A fresh, empty data file 0, the old ones unlinked; it is not whole until fileset_written. */
int fileset_create(struct fileset *fileset, struct err *err);

/* Data file 0 now holds bytes written whole by the caller. */
void fileset_written(struct fileset *fileset, uint64_t bytes, unsigned compressible);

/* Writes back and drops the cached pages of data file index, and counts those that stayed. */
int fileset_evict(struct fileset *fileset, unsigned index, uint64_t *resident_bytes,
		  struct err *err);

/* Cached pages of an open file, in bytes; a negative code when it cannot be told. */
int fileset_resident(int fd, uint64_t bytes, uint64_t *resident_bytes, struct err *err);

/* True when fewer than bytes lie in written extents; *checked tells whether that could be told. */
int fileset_verify(int fd, uint64_t bytes, int *checked, struct err *err);

/* From now on lay-outs write at most so many bytes in all (UINT64_MAX: no limit); what would write
 * more is refused before it begins, with ERR_SKIP and a sentence that names --max-write. */
void fileset_limit(struct fileset *fileset, uint64_t most_bytes);

/* Where a data file lies: whatever the filesystem calls the address of a block, the device's own in
 * ext4, XFS and their like. */
struct fileset_extents {
	uint64_t count, written_bytes;
	uint64_t first_byte, end_byte; /* of all extents */
};

/* -ENOENT when that file is not there whole (a device has none), -EOPNOTSUPP where nobody can
 * tell. */
int fileset_extents(struct fileset *fileset, unsigned index, struct fileset_extents *extents,
		    struct err *err);

/* Bytes written so far to lay out data files. */
uint64_t fileset_laid_out_bytes(const struct fileset *fileset);

/* Removes the data files that are not whole, as a failure leaves them: later phases may need the
 * space. What cannot be removed is left to the end of the run. */
void fileset_drop_torn(struct fileset *fileset);

/* Removes every data file. */
int fileset_remove(struct fileset *fileset, struct err *err);

/* True for names that the suite gives to what it makes in a private directory. */
int fileset_owns(const char *name);

#endif
