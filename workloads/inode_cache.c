/* SPDX-License-Identifier: MIT */
/*
 * inode_cache.c - see inode_cache.h. Telling the kernel to drop caches is not enough everywhere:
 *
 *   ext4   holds the blocks of inodes and directories in memory until its journal has been written
 *          back to where they belong; they would then pass for read. It can be asked to do so
 *          since Linux 5.14.
 *   xfs    only begins to write back the inodes that it is told to drop and has not written yet,
 *          and finds them in memory until it is told again.
 */
#include "inode_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define PATIENCE_NS (10 * NS_PER_S)
#define EXT4_CHECKPOINT _IOW('f', 43, uint32_t) /* EXT4_IOC_CHECKPOINT, which few headers have */

static bool drop_once(int proc)
{
	return pwrite(proc, "3\n", 2, 0) == 2;
}

/* A kernel that cannot be asked still drops the inodes themselves. */
static bool drop_on_ext4(int fd, int proc)
{
	uint32_t flags = 0;

	ioctl(fd, EXT4_CHECKPOINT, &flags);
	return drop_once(proc);
}

/* Where XFS tells what it does on this filesystem; "" when that cannot be found. */
static void name_xfs_stats(int fd, char *path, size_t size)
{
	char link[64], device[PATH_MAX];
	struct stat status;
	ssize_t length;

	path[0] = '\0';
	if (fstat(fd, &status))
		return;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(status.st_dev),
		 minor(status.st_dev));
	length = readlink(link, device, sizeof(device) - 1);
	if (length < 0)
		return;
	device[length] = '\0';
	snprintf(path, size, "/sys/fs/xfs/%s/stats/stats", strrchr(device, '/') + 1);
}

/* The inodes that XFS was told to let go, that nobody asked for again, and that it holds on to; 0
 * when it does not say. */
static unsigned long long xfs_holds(const char *stats)
{
	unsigned long long told = 0, found = 0, gone = 0;
	FILE *file = fopen(stats, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "ig %*u %llu %*u %*u %*u %llu", &found, &gone);
		sscanf(line, "vnodes %*u %*u %*u %*u %llu", &told);
	}
	if (file)
		fclose(file);
	return told > found + gone ? told - found - gone : 0;
}

static bool drop_on_xfs(int fd, int proc, uint64_t inodes, const atomic_bool *stop)
{
	const struct timespec nap = {.tv_nsec = 20 * NS_PER_MS};
	uint64_t start_ns = clock_now_ns();
	char stats[PATH_MAX];

	name_xfs_stats(fd, stats, sizeof(stats));
	for (;;) {
		if (!drop_once(proc))
			return false;
		if (xfs_holds(stats) <= inodes / 100)
			return true;
		if (clock_now_ns() - start_ns > PATIENCE_NS ||
		    atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		nanosleep(&nap, NULL);
	}
}

bool inode_cache_drop(int fd, uint64_t inodes, const atomic_bool *stop)
{
	struct statfs fs;
	bool dropped;
	int proc;

	if (fstatfs(fd, &fs) || fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC)
		return false;
	proc = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (proc < 0)
		return false;
	if (fs.f_type == XFS_SUPER_MAGIC)
		dropped = drop_on_xfs(fd, proc, inodes, stop);
	else
		dropped = fs.f_type == EXT4_SUPER_MAGIC ? drop_on_ext4(fd, proc) : drop_once(proc);
	close(proc);
	return dropped;
}
