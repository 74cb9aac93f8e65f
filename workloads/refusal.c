/* SPDX-License-Identifier: MIT */
/*
 * refusal.c - see refusal.h.
 */
#include "refusal.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* A number that a file under /proc/sys holds; false when it cannot be read. */
static bool read_setting(const char *proc, const char *name, long *number)
{
	char path[PATH_MAX];
	FILE *file;
	bool known;

	snprintf(path, sizeof(path), "%s/sys/%s", proc, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	known = fscanf(file, "%ld", number) == 1;
	fclose(file);
	return known;
}

int refusal_libaio(int code, const char *proc, struct err *err)
{
	long limit, used;

	if (code == -EAGAIN && read_setting(proc, "fs/aio-max-nr", &limit) &&
	    read_setting(proc, "fs/aio-nr", &used))
		return err_set(err, code, "fs.aio-max-nr is used up: %ld of %ld requests are taken",
			       used, limit);
	if (code == -ENOSYS)
		return err_set(err, code, "the kernel has no asynchronous I/O (CONFIG_AIO), or a "
					  "seccomp filter hides it");
	if (code == -EPERM)
		return err_set(err, code, "io_setup is forbidden, as by a seccomp filter");
	return err_set(err, code, "io_setup: %s", strerror(-code));
}

int refusal_io_uring(int code, const char *proc, struct err *err)
{
	long disabled;

	if (code == -ENOSYS)
		return err_set(err, code,
			       "the kernel has no io_uring, or a seccomp filter hides it");
	if (code == -ENOMEM)
		return err_set(err, code, "io_uring_setup: %s: RLIMIT_MEMLOCK is too low",
			       strerror(ENOMEM));
	if (code != -EPERM)
		return err_set(err, code, "io_uring_setup: %s", strerror(-code));
	if (read_setting(proc, "kernel/io_uring_disabled", &disabled) && disabled == 2)
		return err_set(err, code, "kernel.io_uring_disabled is 2: forbidden to everyone");
	if (read_setting(proc, "kernel/io_uring_disabled", &disabled) && disabled == 1)
		return err_set(err, code, "kernel.io_uring_disabled is 1: allowed to root and "
					  "kernel.io_uring_group alone");
	return err_set(err, code,
		       "io_uring_setup is forbidden, as by a container's seccomp filter");
}
