/* SPDX-License-Identifier: MIT */
/* inspection.c - a look at the machine and a target that changes nothing. */
#include "inspection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters.h"
#include "environment.h"

enum { FILES_TRIED_MAX = 64 };

/* ---- direct I/O ------------------------------------------------------------------------------ */

/* Opening a file for direct reads asks the filesystem, and is all that is done to it. */
static enum direct_answer ask_file(int directory, const char *name)
{
	struct stat status;
	int fd;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
		return DIRECT_UNKNOWN;
	fd = openat(directory, name, O_RDONLY | O_DIRECT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == EINVAL ? DIRECT_REFUSED : DIRECT_UNKNOWN;
	close(fd);
	return DIRECT_WORKS;
}

/* Reading a directory leaves its time of access alone where that may be asked for. */
static DIR *open_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOATIME);
	DIR *dir;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void ask_files(struct inspection *inspection)
{
	DIR *dir = open_directory(inspection->stack.path);
	struct dirent *entry;

	for (int i = 0; dir && i < FILES_TRIED_MAX && inspection->direct == DIRECT_UNKNOWN; i++) {
		entry = readdir(dir);
		if (!entry)
			break;
		inspection->direct = ask_file(dirfd(dir), entry->d_name);
		snprintf(inspection->direct_file, sizeof(inspection->direct_file), "%s",
			 entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void look_at_target(struct inspection *inspection, const struct roots *roots,
			   uint64_t watch_ns, const atomic_bool *stop)
{
	struct counters *counters = NULL;

	environment_target(roots, &inspection->stack, "", &inspection->facts);
	background_look(roots, &inspection->stack, &inspection->background);
	background_watch(roots, &inspection->stack, watch_ns, stop, &inspection->background);
	if (!counters_open(&counters, roots, &inspection->stack, NULL) && counters_gap(counters))
		snprintf(inspection->gap, sizeof(inspection->gap), "%s", counters_gap(counters));
	counters_close(counters);
	if (roots_live(roots) && !inspection->stack.device)
		ask_files(inspection);
}

int inspection_open(struct inspection *inspection, const struct roots *roots, const char *path,
		    uint64_t watch_ns, const atomic_bool *stop, struct err *err)
{
	int code;

	memset(inspection, 0, sizeof(*inspection));
	if (path) {
		code = stack_resolve(roots, path, &inspection->stack, err);
		if (code)
			return code;
		inspection->has_target = true;
	}
	environment_host(roots, &inspection->facts);
	if (path)
		look_at_target(inspection, roots, watch_ns, stop);
	return 0;
}

void inspection_close(struct inspection *inspection)
{
	facts_release(&inspection->facts);
	stack_release(&inspection->stack);
}
