/* SPDX-License-Identifier: MIT */
/*
 * method.c - see method.h.
 */
#include "method.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shortfall.h"

static const char probe_name[] = "probe.0";

enum { ALIGN_BYTES = 4096 };

static const struct method methods[] = {
	{"fdatasync", 0, 0, fdatasync, "fdatasync", "pwrite"},
	{"fsync", 0, 0, fsync, "fsync", "pwrite"},
	{"open_dsync", O_DSYNC, 0, NULL, NULL, "pwrite with O_DSYNC"},
	{"open_sync", O_SYNC, 0, NULL, NULL, "pwrite with O_SYNC"},
	{"direct_dsync", O_DIRECT | O_DSYNC, 0, NULL, NULL, "pwrite with O_DIRECT and O_DSYNC"},
	{"rwf_dsync", 0, RWF_DSYNC, NULL, NULL, "pwritev2 with RWF_DSYNC"},
	{NULL, 0, 0, NULL, NULL, NULL},
};

static const char *const method_choices[] = {"fdatasync",    "fsync",	  "open_dsync", "open_sync",
					     "direct_dsync", "rwf_dsync", NULL};

const struct param param_method = {
	.name = "method",
	.help = "how a write is made durable",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = method_choices,
};

const struct method *method_find(const char *name)
{
	const struct method *method = methods;

	while (method->name && strcmp(method->name, name) != 0)
		method++;
	assert(method->name);
	return method;
}

static ssize_t write_at(const struct method *method, int fd, const void *bytes, size_t length,
			uint64_t offset_bytes)
{
	struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};

	if (!method->write_flags)
		return pwrite(fd, bytes, length, (off_t)offset_bytes);
	return pwritev2(fd, &piece, 1, (off_t)offset_bytes, method->write_flags);
}

int method_write(const struct method *method, int fd, const void *bytes, size_t length,
		 uint64_t offset_bytes, const char *path, const char *name, struct err *err)
{
	ssize_t wrote = write_at(method, fd, bytes, length, offset_bytes);
	char cause[100];

	if (wrote == (ssize_t)length)
		return 0;
	if (wrote < 0)
		return err_set(err, -errno, "%s to %s/%s at offset %llu: %s", method->write_call,
			       path, name, (unsigned long long)offset_bytes, strerror(errno));
	return err_set(err, -EIO, "%s to %s/%s at offset %llu: only %zd of %zu bytes%s",
		       method->write_call, path, name, (unsigned long long)offset_bytes, wrote,
		       length,
		       shortfall_cause(fd, (const char *)bytes + wrote, length - (size_t)wrote,
				       offset_bytes + (uint64_t)wrote, cause));
}

int method_sync(const struct method *method, int fd, const char *path, const char *name,
		struct err *err)
{
	if (!method->sync || !method->sync(fd))
		return 0;
	return err_set(err, -errno, "%s of %s/%s: %s", method->sync_call, path, name,
		       strerror(errno));
}

/* ---- whether it can be had ---- */

static int check_direct(const struct method *method, const struct target *target, size_t unit_bytes,
			struct err *err)
{
	if (!(method->open_flags & O_DIRECT))
		return 0;
	if (!target->direct)
		return err_set(err, ERR_SKIP, "direct I/O does not work in %s: %s", target->path,
			       target->direct_reason);
	if (unit_bytes % target->logical_block_bytes)
		return err_set(err, ERR_SKIP,
			       "direct I/O on %s moves multiples of %u bytes, not %zu",
			       target->path, target->logical_block_bytes, unit_bytes);
	return 0;
}

static int try_write(const struct method *method, const struct target *target, size_t unit_bytes,
		     struct err *err)
{
	void *bytes = NULL;
	struct err why = {0};
	int fd, code = 0;

	if (posix_memalign(&bytes, ALIGN_BYTES, unit_bytes))
		return err_set(err, -ENOMEM, "allocate %zu bytes: %s", unit_bytes,
			       strerror(ENOMEM));
	memset(bytes, 0x5a, unit_bytes);
	fd = openat(target->work_fd, probe_name,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | method->open_flags, 0600);
	if (fd < 0)
		code = err_set(&why, -errno, "open: %s", strerror(errno));
	else
		code = method_write(method, fd, bytes, unit_bytes, 0, target->work_path, probe_name,
				    &why);
	if (fd >= 0)
		close(fd);
	unlinkat(target->work_fd, probe_name, 0);
	free(bytes);
	if (code == -EINVAL || code == -EOPNOTSUPP || code == -ENOSYS)
		return err_set(err, ERR_SKIP, "%s cannot be had in %s: %s", method->name,
			       target->path, why.text);
	if (code)
		*err = why;
	return code;
}

int method_check(const struct method *method, const struct target *target, size_t unit_bytes,
		 struct err *err)
{
	int code = check_direct(method, target, unit_bytes, err);

	return code ? code : try_write(method, target, unit_bytes, err);
}
