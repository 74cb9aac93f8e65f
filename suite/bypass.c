/* SPDX-License-Identifier: MIT */
/* bypass.c - whether direct I/O goes past the page cache. */
#include "bypass.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fileset.h"

enum { TRIAL_BYTES = 1 << 16, ALIGN_BYTES = 4096 };

static const char file_name[] = "probe.0";

/* Has the pages of the file in the cache and mapped while it is written to. */
static bool write_under_map(int fd, const void *block)
{
	volatile const char *map = mmap(NULL, TRIAL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	bool good;
	char touched = 0;

	if (map == MAP_FAILED)
		return false;
	for (size_t at = 0; at < TRIAL_BYTES; at += ALIGN_BYTES)
		touched ^= map[at];
	(void)touched;
	good = pwrite(fd, block, TRIAL_BYTES, 0) == TRIAL_BYTES;
	munmap((void *)map, TRIAL_BYTES);
	return good;
}

static bool try_write(int fd, const void *block, uint64_t *cached_bytes)
{
	return write_under_map(fd, block) &&
	       !fileset_resident(fd, TRIAL_BYTES, cached_bytes, NULL);
}

/* Where the cache cannot be emptied first there is nothing to be seen. */
static bool try_read(int fd, void *block, uint64_t *cached_bytes)
{
	uint64_t before;

	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ||
	    fileset_resident(fd, TRIAL_BYTES, &before, NULL) ||
	    pread(fd, block, TRIAL_BYTES, 0) != TRIAL_BYTES)
		return false;
	return !fileset_resident(fd, TRIAL_BYTES, cached_bytes, NULL);
}

static void try_in(int fd, void *block, struct bypass *bypass)
{
	memset(block, 0x5a, TRIAL_BYTES);
	bypass->bytes = TRIAL_BYTES;
	bypass->known = pwrite(fd, block, TRIAL_BYTES, 0) == TRIAL_BYTES && !fsync(fd) &&
			try_write(fd, block, &bypass->write_cached_bytes) &&
			try_read(fd, block, &bypass->read_cached_bytes);
}

uint64_t bypass_try(const struct target *target, struct bypass *bypass)
{
	void *block = NULL;
	int fd = -1;

	memset(bypass, 0, sizeof(*bypass));
	if (target->work_fd < 0 || !target->direct)
		return 0;
	if (!posix_memalign(&block, ALIGN_BYTES, TRIAL_BYTES))
		fd = openat(target->work_fd, file_name,
			    O_RDWR | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		try_in(fd, block, bypass);
		close(fd);
		unlinkat(target->work_fd, file_name, 0);
	}
	free(block);
	return 2 * bypass->bytes;
}
