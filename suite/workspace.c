/* SPDX-License-Identifier: MIT */
/*
 * workspace.c - see workspace.h.
 */
#include "workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fileset.h"
#include "run.h"

enum { DEPTH_MAX = 3, PROBE_BYTES = 4096, ATTEMPTS = 8 };

static const char prefix[] = ".assay-";

/* ---- the target ---- */

static int resolve_directory(struct target *target, struct err *err)
{
	struct statvfs fs;

	target->kind = TARGET_DIRECTORY;
	if (strlen(target->path) + 1 + sizeof(prefix) + UUID_MAX > sizeof(target->work_path))
		return err_set(err, ERR_USAGE, "too long a path to work in: %s", target->path);
	if (statvfs(target->path, &fs))
		return err_set(err, -errno, "statvfs %s: %s", target->path, strerror(errno));
	if (fs.f_flag & ST_RDONLY)
		return err_set(err, ERR_USAGE, "%s is on a filesystem that is mounted read-only",
			       target->path);
	if (faccessat(AT_FDCWD, target->path, W_OK | X_OK, AT_EACCESS))
		return err_set(err, ERR_USAGE, "%s is not writable: %s", target->path,
			       strerror(errno));
	return 0;
}

static int resolve_device(struct target *target, struct err *err)
{
	int code = 0, block = 512, fd = open(target->path, O_RDONLY | O_CLOEXEC);

	target->kind = TARGET_DEVICE;
	if (fd < 0)
		return err_set(err, ERR_USAGE, "open %s: %s", target->path, strerror(errno));
	if (ioctl(fd, BLKGETSIZE64, &target->device_bytes) || ioctl(fd, BLKSSZGET, &block))
		code = err_set(err, -errno, "ask the size of %s: %s", target->path,
			       strerror(errno));
	target->logical_block_bytes = (uint32_t)block;
	close(fd);
	return code;
}

int target_resolve(struct target *target, const char *path, struct err *err)
{
	struct stat status;

	*target = (struct target){
		.work_fd = -1, .logical_block_bytes = 512, .memory_align_bytes = 4096};
	if (!realpath(path, target->path))
		return err_set(err, ERR_USAGE, "target %s: %s", path, strerror(errno));
	if (stat(target->path, &status))
		return err_set(err, ERR_USAGE, "target %s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return resolve_directory(target, err);
	if (S_ISBLK(status.st_mode))
		return resolve_device(target, err);
	return err_set(err, ERR_USAGE, "target %s is neither a directory nor a block device", path);
}

/* ---- removing ---- */

/* Removes what the suite makes; false when something else is in there. */
static bool remove_contents(int dir_fd, int depth)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool all = true;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(dir))) {
		int below;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!fileset_owns(entry->d_name)) {
			all = false;
			continue;
		}
		if (!unlinkat(dir_fd, entry->d_name, 0))
			continue;
		below = depth < DEPTH_MAX ? openat(dir_fd, entry->d_name,
						   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
					  : -1;
		if (below < 0 || !remove_contents(below, depth + 1) ||
		    unlinkat(dir_fd, entry->d_name, AT_REMOVEDIR))
			all = false;
		if (below >= 0)
			close(below);
	}
	closedir(dir);
	return all;
}

static bool remove_workspace(int parent_fd, const char *name, int fd)
{
	return remove_contents(fd, 0) && !unlinkat(parent_fd, name, AT_REMOVEDIR);
}

/* Our form of name: the prefix and a UUID. */
static bool is_workspace_name(const char *name)
{
	size_t length = sizeof(prefix) - 1;

	return !strncmp(name, prefix, length) && strlen(name) == length + UUID_MAX - 1 &&
	       strspn(name + length, "0123456789abcdef-") == UUID_MAX - 1;
}

/* Opens a leftover, locked; -1 when it is not ours, or lives. */
static int open_leftover(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && status.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

int workspace_clean(const struct target *target, workspace_leftover_fn tell, void *context,
		    struct err *err)
{
	DIR *dir = opendir(target->path);
	struct dirent *entry;

	if (!dir)
		return err_set(err, -errno, "read %s: %s", target->path, strerror(errno));
	while ((entry = readdir(dir))) {
		char path[PATH_MAX + NAME_MAX + 2];
		int fd;

		if (!is_workspace_name(entry->d_name))
			continue;
		fd = open_leftover(dirfd(dir), entry->d_name);
		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", target->path, entry->d_name);
		tell(context, path, remove_workspace(dirfd(dir), entry->d_name, fd));
		close(fd);
	}
	closedir(dir);
	return 0;
}

/* ---- the private directory ---- */

/* Between mkdir and flock a run that cleans up may have taken the new directory for a leftover:
 * then it is gone from where it was, and another is made. Returns 1 for that. */
static int make_locked(struct target *target, int parent_fd, const char *name, struct err *err)
{
	struct stat held, seen;
	int fd;

	if (mkdirat(parent_fd, name, 0700))
		return err_set(err, -errno, "make %s: %s", target->work_path, strerror(errno));
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 1
				       : err_set(err, -errno, "open %s: %s", target->work_path,
						 strerror(errno));
	if (flock(fd, LOCK_EX) && errno != ENOTSUP && errno != ENOLCK) {
		int code = err_set(err, -errno, "lock %s: %s", target->work_path, strerror(errno));

		close(fd);
		return code;
	}
	if (fstat(fd, &held) || fstatat(parent_fd, name, &seen, AT_SYMLINK_NOFOLLOW) ||
	    held.st_ino != seen.st_ino || held.st_dev != seen.st_dev) {
		close(fd);
		return 1;
	}
	target->work_fd = fd;
	return 0;
}

#ifdef STATX_DIOALIGN
/* What the filesystem itself says about direct I/O, where the kernel lets it (6.1 and later). */
static void ask_alignment(struct target *target, int fd)
{
	struct statx answer;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &answer) ||
	    !(answer.stx_mask & STATX_DIOALIGN) || !answer.stx_dio_offset_align)
		return;
	target->logical_block_bytes = answer.stx_dio_offset_align;
	if (answer.stx_dio_mem_align > target->memory_align_bytes)
		target->memory_align_bytes = answer.stx_dio_mem_align;
}
#else
static void ask_alignment(struct target *target, int fd)
{
	(void)target;
	(void)fd;
}
#endif

static void say_why(struct target *target, const char *operation)
{
	snprintf(target->direct_reason, sizeof(target->direct_reason), "%s with O_DIRECT: %s",
		 operation, strerror(errno));
}

/* open() may accept O_DIRECT and the transfer refuse it: only a transfer tells. */
static void probe_direct(struct target *target)
{
	static const char name[] = "data.0";
	void *buffer = NULL;
	int fd = openat(target->work_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_DIRECT,
			0600);

	if (fd < 0) {
		say_why(target, "open");
		return;
	}
	if (posix_memalign(&buffer, PROBE_BYTES, PROBE_BYTES)) {
		snprintf(target->direct_reason, sizeof(target->direct_reason),
			 "no memory to try it");
	} else {
		memset(buffer, 0x5a, PROBE_BYTES);
		if (pwrite(fd, buffer, PROBE_BYTES, 0) != PROBE_BYTES)
			say_why(target, "write");
		else if (pread(fd, buffer, PROBE_BYTES, 0) != PROBE_BYTES)
			say_why(target, "read");
		else
			target->direct = true;
	}
	ask_alignment(target, fd);
	free(buffer);
	close(fd);
	unlinkat(target->work_fd, name, 0);
}

static int open_directory(struct target *target, const char *uuid, struct err *err)
{
	int code, parent_fd = open(target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[sizeof(prefix) + UUID_MAX];

	if (parent_fd < 0)
		return err_set(err, -errno, "open %s: %s", target->path, strerror(errno));
	snprintf(name, sizeof(name), "%s%s", prefix, uuid);
	if (snprintf(target->work_path, sizeof(target->work_path), "%s/%s", target->path, name) >=
	    (int)sizeof(target->work_path)) {
		close(parent_fd);
		return err_set(err, ERR_USAGE, "the path of %s is too long", target->path);
	}
	code = 1;
	for (int i = 0; code == 1 && i < ATTEMPTS; i++)
		code = make_locked(target, parent_fd, name, err);
	close(parent_fd);
	if (code == 1)
		return err_set(err, -EAGAIN, "%s is removed as fast as it is made",
			       target->work_path);
	return code;
}

int workspace_open(struct target *target, const char *uuid, struct err *err)
{
	int code;

	if (target->kind == TARGET_DEVICE) {
		target->direct = true;
		return 0;
	}
	code = open_directory(target, uuid, err);
	if (code)
		return code;
	probe_direct(target);
	return 0;
}

int workspace_close(struct target *target, struct err *err)
{
	const char *name = strrchr(target->work_path, '/');
	int parent_fd, code = 0;

	if (target->work_fd < 0)
		return 0;
	parent_fd = open(target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent_fd < 0 || !remove_workspace(parent_fd, name + 1, target->work_fd))
		code = err_set(err, -ENOTEMPTY, "%s could not be removed whole", target->work_path);
	if (parent_fd >= 0)
		close(parent_fd);
	close(target->work_fd);
	target->work_fd = -1;
	return code;
}
