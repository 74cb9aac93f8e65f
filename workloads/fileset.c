/* SPDX-License-Identifier: MIT */
/*
 * fileset.c - the data files of a run; see fileset.h.
 *
 * A file counts as whole only while this process remembers having written all of it: a file of
 * the right name and size is no proof, since a preallocated or sparse one looks the same.
 */
#include "fileset.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "payload.h"
#include "rng.h"
#include "smallfiles.h"
#include "units.h"

enum { FILES_MAX = 1024, LAYOUT_BLOCK_BYTES = 1 << 20, EVICT_ATTEMPTS = 4 };

struct data_file {
	bool whole;
	uint64_t bytes;
	unsigned compressible;
};

struct fileset {
	const struct target *target;
	uint64_t seed;
	const atomic_bool *stop;
	uint64_t laid_out_bytes;
	uint64_t limit_bytes; /* laid_out_bytes may not pass it */
	unsigned count; /* files that exist: data.0 .. data.(count-1) */
	struct data_file files[FILES_MAX];
};

static void name_of(char name[16], unsigned index)
{
	snprintf(name, 16, "data.%u", index);
}

int fileset_open(struct fileset **fileset, const struct target *target, uint64_t seed,
		 const atomic_bool *stop, struct err *err)
{
	struct fileset *made = calloc(1, sizeof(*made));

	if (!made)
		return err_set(err, -ENOMEM, "allocate the list of data files: %s",
			       strerror(ENOMEM));
	made->target = target;
	made->seed = seed;
	made->stop = stop;
	made->limit_bytes = UINT64_MAX;
	*fileset = made;
	return 0;
}

void fileset_close(struct fileset *fileset)
{
	free(fileset);
}

static bool on_device(const struct fileset *fileset)
{
	return fileset->target->kind == TARGET_DEVICE;
}

int fileset_file(struct fileset *fileset, unsigned index, int flags, struct err *err)
{
	const struct target *target = fileset->target;
	char name[16];
	int fd;

	flags |= O_CLOEXEC | O_NOFOLLOW;
	if (on_device(fileset)) {
		fd = open(target->path, flags);
		if (fd < 0)
			return err_set(err, -errno, "open %s: %s", target->path, strerror(errno));
		return fd;
	}
	name_of(name, index);
	fd = openat(target->work_fd, name, flags, 0600);
	if (fd < 0)
		return err_set(err, -errno, "open %s/%s: %s", target->work_path, name,
			       strerror(errno));
	return fd;
}

static int unlink_file(struct fileset *fileset, unsigned index, struct err *err)
{
	char name[16];

	name_of(name, index);
	fileset->files[index].whole = false;
	if (unlinkat(fileset->target->work_fd, name, 0) && errno != ENOENT)
		return err_set(err, -errno, "remove %s/%s: %s", fileset->target->work_path, name,
			       strerror(errno));
	return 0;
}

/* Removes files from index first on. */
static int truncate_set(struct fileset *fileset, unsigned first, struct err *err)
{
	while (fileset->count > first) {
		int code = unlink_file(fileset, fileset->count - 1, err);

		if (code)
			return code;
		fileset->count--;
	}
	return 0;
}

void fileset_drop_torn(struct fileset *fileset)
{
	if (on_device(fileset))
		return;
	for (unsigned i = 0; i < fileset->count; i++)
		if (!fileset->files[i].whole)
			unlink_file(fileset, i, NULL);
}

int fileset_remove(struct fileset *fileset, struct err *err)
{
	return truncate_set(fileset, 0, err);
}

int fileset_create(struct fileset *fileset, struct err *err)
{
	int fd, code = truncate_set(fileset, 0, err);

	if (code)
		return code;
	fileset->count = 1;
	fd = fileset_file(fileset, 0, O_WRONLY | O_CREAT | O_EXCL, err);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void fileset_written(struct fileset *fileset, uint64_t bytes, unsigned compressible)
{
	fileset->files[0] =
		(struct data_file){.whole = true, .bytes = bytes, .compressible = compressible};
}

uint64_t fileset_laid_out_bytes(const struct fileset *fileset)
{
	return fileset->laid_out_bytes;
}

void fileset_limit(struct fileset *fileset, uint64_t most_bytes)
{
	bool limited = most_bytes < UINT64_MAX - fileset->laid_out_bytes;

	fileset->limit_bytes = limited ? fileset->laid_out_bytes + most_bytes : UINT64_MAX;
}

/* ---- laying out ---- */

/* Would writing so many files of bytes each pass the limit? */
static int check_limit(const struct fileset *fileset, unsigned files, uint64_t bytes,
		       struct err *err)
{
	uint64_t left = fileset->limit_bytes - fileset->laid_out_bytes;
	char need[UNIT_TEXT_MAX], have[UNIT_TEXT_MAX];

	if (fileset->limit_bytes == UINT64_MAX || !files || bytes <= left / files)
		return 0;
	return err_set(err, ERR_SKIP,
		       "laying out the data set writes %s, and --max-write leaves %s",
		       unit_format(need, UNIT_BYTES, (double)files * (double)bytes),
		       unit_format(have, UNIT_BYTES, (double)left));
}

static const char *place_of(const struct fileset *fileset)
{
	return on_device(fileset) ? fileset->target->path : fileset->target->work_path;
}

static int write_all(struct fileset *fileset, int fd, struct payload *payload, uint64_t bytes,
		     struct err *err)
{
	for (uint64_t offset = 0; offset < bytes;) {
		uint64_t left = bytes - offset;
		size_t length = left < LAYOUT_BLOCK_BYTES ? (size_t)left : LAYOUT_BLOCK_BYTES;
		ssize_t wrote;

		if (atomic_load_explicit(fileset->stop, memory_order_relaxed))
			return err_set(err, -EINTR,
				       "interrupted while laying out the data set in %s",
				       place_of(fileset));
		wrote = pwrite(fd, payload_next(payload, 0, offset), length, (off_t)offset);
		if (wrote < 0)
			return err_set(err, -errno, "lay out the data set in %s, write at %llu: %s",
				       place_of(fileset), (unsigned long long)offset,
				       strerror(errno));
		if (wrote == 0)
			return err_set(err, -EIO,
				       "lay out the data set in %s, write at %llu: wrote nothing",
				       place_of(fileset), (unsigned long long)offset);
		offset += (uint64_t)wrote;
		fileset->laid_out_bytes += (uint64_t)wrote;
	}
	if (fsync(fd))
		return err_set(err, -errno, "lay out the data set in %s, fsync: %s",
			       place_of(fileset), strerror(errno));
	return 0;
}

/* No byte that a read phase reads may be a hole or an unwritten extent. */
static int check_whole(struct fileset *fileset, unsigned index, uint64_t bytes, struct err *err)
{
	int checked, code, fd = fileset_file(fileset, index, O_RDONLY, err);

	if (fd < 0)
		return fd;
	code = fileset_verify(fd, bytes, &checked, err);
	close(fd);
	if (code > 0)
		return err_set(err, -EIO,
			       "%s/data.%u has holes or unwritten extents right after it was "
			       "written",
			       fileset->target->work_path, index);
	return code;
}

static int lay_out(struct fileset *fileset, unsigned index, uint64_t bytes, unsigned compressible,
		   struct err *err)
{
	bool direct = fileset->target->direct && bytes % 4096 == 0;
	struct payload *payload = NULL;
	int fd = -1, code = unlink_file(fileset, index, err);

	if (code)
		return code;
	code = payload_open(&payload, rng_seed_for(fileset->seed, "layout", index), 1,
			    LAYOUT_BLOCK_BYTES, 4096, compressible, err);
	if (code)
		return code;
	fd = fileset_file(fileset, index,
			  O_WRONLY | O_CREAT | O_EXCL | (direct ? O_DIRECT : 0), err);
	code = fd < 0 ? fd : write_all(fileset, fd, payload, bytes, err);
	if (fd >= 0 && close(fd) && !code)
		code = err_set(err, -errno, "close %s/data.%u: %s", fileset->target->work_path,
			       index, strerror(errno));
	payload_close(payload);
	if (!code)
		code = check_whole(fileset, index, bytes, err);
	if (!code)
		fileset->files[index] = (struct data_file){
			.whole = true, .bytes = bytes, .compressible = compressible};
	return code;
}

int fileset_precondition(struct fileset *fileset, uint64_t bytes, unsigned passes, struct err *err)
{
	struct payload *payload;
	int fd, code = payload_open(&payload, rng_seed_for(fileset->seed, "precondition", 0), 1,
				    LAYOUT_BLOCK_BYTES, 4096, 0, err);

	if (code)
		return code;
	fd = fileset_file(fileset, 0, O_WRONLY | O_DIRECT, err);
	code = fd < 0 ? fd : 0;
	for (unsigned pass = 0; !code && pass < passes; pass++)
		code = write_all(fileset, fd, payload, bytes, err);
	if (fd >= 0 && close(fd) && !code)
		code = err_set(err, -errno, "close %s: %s", fileset->target->path,
			       strerror(errno));
	payload_close(payload);
	fileset->laid_out_bytes = 0; /* --max-write was asked before */
	return code;
}

static int require_device(const struct fileset *fileset, unsigned count, uint64_t bytes,
			  struct err *err)
{
	uint64_t held = fileset->target->device_bytes;

	if (count != 1)
		return err_set(err, ERR_SKIP, "%s is one device, not %u files",
			       fileset->target->path, count);
	if (bytes > held)
		return err_set(err, ERR_SKIP, "%s holds %llu bytes, fewer than the %llu asked for",
			       fileset->target->path, (unsigned long long)held,
			       (unsigned long long)bytes);
	return 0;
}

static bool is_as_required(const struct fileset *fileset, unsigned index, uint64_t bytes,
			   unsigned compressible)
{
	const struct data_file *file = &fileset->files[index];

	return index < fileset->count && file->whole && file->bytes == bytes &&
	       file->compressible == compressible;
}

int fileset_require(struct fileset *fileset, unsigned count, uint64_t bytes, unsigned compressible,
		    struct err *err)
{
	unsigned missing = 0;
	int code;

	if (on_device(fileset))
		return require_device(fileset, count, bytes, err);
	if (count > FILES_MAX)
		return err_set(err, ERR_SKIP,
			       "%u data files are more than the %d there can be", count,
			       FILES_MAX);
	for (unsigned i = 0; i < count; i++)
		missing += !is_as_required(fileset, i, bytes, compressible);
	code = check_limit(fileset, missing, bytes, err);
	if (!code)
		code = truncate_set(fileset, count, err);
	/* A file that is replaced goes before the others are made: the space may be needed. */
	for (unsigned i = 0; !code && i < fileset->count; i++)
		if (!is_as_required(fileset, i, bytes, compressible))
			code = unlink_file(fileset, i, err);
	for (unsigned i = 0; !code && i < count; i++) {
		if (is_as_required(fileset, i, bytes, compressible))
			continue;
		if (i >= fileset->count)
			fileset->count = i + 1;
		code = lay_out(fileset, i, bytes, compressible, err);
	}
	if (code)
		fileset_drop_torn(fileset);
	return code;
}

/* ---- verifying ---- */

enum { EXTENTS_AT_ONCE = 256 };

struct extent_map {
	struct fiemap map;
	struct fiemap_extent extents[EXTENTS_AT_ONCE];
};

static void add_extent(struct fileset_extents *extents, const struct fiemap_extent *extent,
		       uint64_t bytes)
{
	uint64_t end = extent->fe_logical + extent->fe_length;
	bool known = !(extent->fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DATA_INLINE));

	if (!(extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
		extents->written_bytes += (end < bytes ? end : bytes) - extent->fe_logical;
	extents->count++;
	if (!known)
		return;
	if (extent->fe_physical < extents->first_byte)
		extents->first_byte = extent->fe_physical;
	if (extent->fe_physical + extent->fe_length > extents->end_byte)
		extents->end_byte = extent->fe_physical + extent->fe_length;
}

/* Adds up the extents below bytes; -EOPNOTSUPP where there is no FIEMAP. */
static int map_extents(int fd, uint64_t bytes, struct fileset_extents *extents)
{
	struct extent_map *request = malloc(sizeof(*request));
	uint64_t at = 0;
	bool last = false;
	int code = 0;

	if (!request)
		return -ENOMEM;
	*extents = (struct fileset_extents){.first_byte = UINT64_MAX};
	while (!last && at < bytes && !code) {
		memset(&request->map, 0, sizeof(request->map));
		request->map.fm_start = at;
		request->map.fm_length = bytes - at;
		request->map.fm_flags = FIEMAP_FLAG_SYNC;
		request->map.fm_extent_count = EXTENTS_AT_ONCE;
		if (ioctl(fd, FS_IOC_FIEMAP, &request->map))
			code = errno == ENOTTY || errno == EOPNOTSUPP ? -EOPNOTSUPP : -errno;
		else if (!request->map.fm_mapped_extents)
			last = true;
		for (unsigned i = 0; !code && i < request->map.fm_mapped_extents; i++) {
			const struct fiemap_extent *extent = &request->extents[i];

			add_extent(extents, extent, bytes);
			at = extent->fe_logical + extent->fe_length;
			last |= extent->fe_flags & FIEMAP_EXTENT_LAST;
		}
	}
	free(request);
	return code;
}

int fileset_extents(struct fileset *fileset, unsigned index, struct fileset_extents *extents,
		    struct err *err)
{
	int code, fd = on_device(fileset) || index >= fileset->count || !fileset->files[index].whole
			       ? err_set(err, -ENOENT, "there is no data file %u", index)
			       : fileset_file(fileset, index, O_RDONLY, err);

	if (fd < 0)
		return fd;
	code = map_extents(fd, fileset->files[index].bytes, extents);
	close(fd);
	if (!code && extents->first_byte == UINT64_MAX)
		code = -EOPNOTSUPP;
	return code ? err_set(err, code, "map the extents of a data file: %s", strerror(-code)) : 0;
}

int fileset_verify(int fd, uint64_t bytes, int *checked, struct err *err)
{
	struct fileset_extents extents;
	off_t hole;
	int code = map_extents(fd, bytes, &extents);

	*checked = 1;
	if (!code)
		return extents.written_bytes < bytes;
	if (code != -EOPNOTSUPP)
		return err_set(err, code, "map the extents of a data file: %s", strerror(-code));
	hole = lseek(fd, 0, SEEK_HOLE);
	*checked = hole >= 0;
	return hole >= 0 && (uint64_t)hole < bytes;
}

/* ---- evicting ---- */

/* cachestat(2), since Linux 6.5: one call counts what mincore has to look for page by page, which
 * takes seconds for terabytes. */
#ifndef SYS_cachestat
#ifdef __alpha__
#define SYS_cachestat 561
#else
#define SYS_cachestat 451
#endif
#endif

static bool count_cached(int fd, uint64_t bytes, uint64_t *cached_bytes)
{
	struct {
		uint64_t offset, length;
	} range = {0, bytes};
	struct {
		uint64_t cached, dirty, writeback, evicted, recently_evicted; /* pages */
	} pages = {0};

	if (bytes && syscall(SYS_cachestat, fd, &range, &pages, 0U))
		return false;
	*cached_bytes = pages.cached * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

/* As count_cached, of any kernel and any kind of file. */
static int look_through(int fd, uint64_t bytes, uint64_t *resident_bytes, struct err *err)
{
	const uint64_t window = 1ULL << 30;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages = malloc(window / page);
	int code = pages ? 0 : err_set(err, -ENOMEM, "look for cached pages: %s", strerror(ENOMEM));

	*resident_bytes = 0;
	for (uint64_t at = 0; !code && at < bytes; at += window) {
		size_t length = (size_t)(bytes - at < window ? bytes - at : window);
		void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)at);

		if (map == MAP_FAILED) {
			code = err_set(err, -errno, "look for cached pages, mmap: %s",
				       strerror(errno));
			break;
		}
		if (mincore(map, length, pages))
			code = err_set(err, -errno, "look for cached pages, mincore: %s",
				       strerror(errno));
		for (size_t i = 0; !code && i < (length + page - 1) / page; i++)
			*resident_bytes += pages[i] & 1 ? page : 0;
		munmap(map, length);
	}
	free(pages);
	return code;
}

int fileset_resident(int fd, uint64_t bytes, uint64_t *resident_bytes, struct err *err)
{
	if (count_cached(fd, bytes, resident_bytes))
		return 0;
	return look_through(fd, bytes, resident_bytes, err);
}

/* Pages can stay for a moment in per-CPU lists or under writeback: a few attempts are fair. */
static int evict(int fd, uint64_t bytes, uint64_t *resident_bytes, struct err *err)
{
	for (int attempt = 0; attempt < EVICT_ATTEMPTS; attempt++) {
		int code;

		if (fdatasync(fd))
			return err_set(err, -errno, "write back a data file, fdatasync: %s",
				       strerror(errno));
		code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		if (code)
			return err_set(err, -code, "drop the cached pages of a data file: %s",
				       strerror(code));
		code = fileset_resident(fd, bytes, resident_bytes, err);
		if (code || !*resident_bytes)
			return code;
	}
	return 0;
}

int fileset_evict(struct fileset *fileset, unsigned index, uint64_t *resident_bytes,
		  struct err *err)
{
	uint64_t bytes = on_device(fileset) ? fileset->target->device_bytes
					    : fileset->files[index].bytes;
	int code, fd = fileset_file(fileset, index, O_RDONLY, err);

	if (fd < 0)
		return fd;
	code = evict(fd, bytes, resident_bytes, err);
	close(fd);
	return code;
}

/* ---- names ---- */

/* The prefix and a number as we print them. */
static bool is_numbered(const char *name, const char *prefix)
{
	size_t length = strlen(prefix), digits;
	const char *number = name + length;

	if (strncmp(name, prefix, length) != 0)
		return false;
	digits = strspn(number, "0123456789");
	return digits && !number[digits] && (number[0] != '0' || digits == 1);
}

int fileset_owns(const char *name)
{
	static const char *const numbered[] = {"data.", "wal.", "page.", "probe."};
	static const char *const whole[] = {"sqlite.db", "sqlite.db-journal", "sqlite.db-wal",
					    "sqlite.db-shm"};

	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (is_numbered(name, numbered[i]))
			return 1;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (!strcmp(name, whole[i]))
			return 1;
	return smallfiles_owns(name);
}
