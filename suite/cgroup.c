/* SPDX-License-Identifier: MIT */
/* cgroup.c - what the control groups of this process allow it. */
#include "cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "place.h"
#include "words.h"

/* ---- where the group is ------------------------------------------------------------------- */

static bool list_holds(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	for (const char *at = list; at < list + length;) {
		size_t item = strcspn(at, ",:");

		if (item == word_length && !strncmp(at, word, item))
			return true;
		at += item + 1;
	}
	return false;
}

/* Finds the group in PROC/self/cgroup, lines "ID:CONTROLLERS:PATH"; version 2 names no
 * controllers, and has those that no line of version 1 names. */
static bool find_path(const char *text, const char *controller, struct cgroup *group)
{
	char path[PATH_MAX];

	group->version = 0;
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *list, *colon;

		line += *line == '\n';
		list = strchr(line, ':');
		colon = list ? strchr(list + 1, ':') : NULL;
		if (!colon)
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
		if (list_holds(list + 1, (size_t)(colon - list - 1), controller))
			group->version = 1;
		else if (!group->version && !strncmp(line, "0::", 3))
			group->version = 2;
		else
			continue;
		memcpy(group->path, path, sizeof(group->path));
		if (group->version == 1)
			break;
	}
	return group->version != 0;
}

static bool is_mount_of(struct libmnt_fs *mount, const struct cgroup *group, const char *controller)
{
	const char *type = mnt_fs_get_fstype(mount), *options = mnt_fs_get_fs_options(mount);

	if (!type)
		return false;
	if (group->version == 2)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && options &&
	       list_holds(options, strlen(options), controller);
}

/* A mount point in the tree that is read: sysfs lies where the roots say. */
static void map_path(const struct roots *roots, const char *path, char mapped[PATH_MAX])
{
	if (!strncmp(path, "/sys/", 5))
		snprintf(mapped, PATH_MAX, "%s%s", roots->sys, path + 4);
	else
		snprintf(mapped, PATH_MAX, "%s%s", roots->root ? roots->root : "", path);
}

/* A container without a cgroup namespace sees the host's path, and its mount begins at it. */
static void locate(const struct roots *roots, struct libmnt_fs *mount, struct cgroup *group)
{
	const char *root = mnt_fs_get_root(mount), *rest = group->path;
	size_t length = root ? strlen(root) : 0;

	map_path(roots, mnt_fs_get_target(mount), group->top);
	if (length > 1 && !strncmp(rest, root, length) && (!rest[length] || rest[length] == '/'))
		rest += length;
	if (!strcmp(rest, "/") || !strncmp(rest, "/..", 3))
		rest = "";
	if (snprintf(group->directory, sizeof(group->directory), "%s%s", group->top, rest) >=
		    (int)sizeof(group->directory) ||
	    !attribute_exists("%s", group->directory))
		memcpy(group->directory, group->top, sizeof(group->directory));
}

bool cgroup_find(const struct roots *roots, const char *controller, struct cgroup *group)
{
	char *text = attribute_file("%s/self/cgroup", roots->proc);
	struct libmnt_table *mounts = text ? place_mounts(roots) : NULL;
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *mount;
	const char *name = controller;
	bool found = false;

	memset(group, 0, sizeof(*group));
	if (mounts && !strcmp(controller, "io") && find_path(text, "blkio", group) &&
	    group->version == 1)
		name = "blkio";
	if (mounts && iter && find_path(text, name, group))
		while (!found && mnt_table_next_fs(mounts, iter, &mount) == 0)
			found = is_mount_of(mount, group, name);
	if (found)
		locate(roots, mount, group);
	mnt_free_iter(iter);
	mnt_unref_table(mounts);
	free(text);
	return found;
}

/* Goes one group up; false at the top. */
static bool climb(const struct cgroup *group, char directory[PATH_MAX])
{
	char *slash = strrchr(directory, '/');

	if (!strcmp(directory, group->top) || !slash)
		return false;
	*slash = '\0';
	return strlen(directory) >= strlen(group->top);
}

/* ---- memory ------------------------------------------------------------------------------- */

static uint64_t smaller_of(uint64_t limit, const char *directory, const char *file)
{
	int64_t value;

	if (attribute_integer(&value, "%s/%s", directory, file) && value >= 0 &&
	    (uint64_t)value < limit)
		return (uint64_t)value;
	return limit;
}

/* What version 1 sums up of the groups above, also of those that cannot be seen. */
static uint64_t hierarchical_limit(uint64_t limit, const struct cgroup *group)
{
	char *text = attribute_file("%s/memory.stat", group->directory), value[32];

	if (text && attribute_field(text, "hierarchical_memory_limit", value, sizeof(value)) &&
	    strtoull(value, NULL, 10) < limit)
		limit = strtoull(value, NULL, 10);
	free(text);
	return limit;
}

uint64_t cgroup_memory_limit_bytes(const struct roots *roots)
{
	struct cgroup group;
	char directory[PATH_MAX];
	uint64_t limit = UINT64_MAX;

	if (!cgroup_find(roots, "memory", &group))
		return limit;
	memcpy(directory, group.directory, sizeof(directory));
	do {
		limit = smaller_of(limit, directory, "memory.max");
		limit = smaller_of(limit, directory, "memory.high");
		limit = smaller_of(limit, directory, "memory.limit_in_bytes");
	} while (climb(&group, directory));
	return group.version == 1 ? hierarchical_limit(limit, &group) : limit;
}

/* ---- CPU ---------------------------------------------------------------------------------- */

/* cpu.max holds "QUOTA PERIOD", QUOTA "max" without a limit; version 1 has a file for each. */
static bool read_quota(const char *directory, double *percent)
{
	int64_t quota = -1, period = 0;
	char text[64];

	if (attribute_text(text, sizeof(text), "%s/cpu.max", directory)) {
		if (sscanf(text, "%ld %ld", &quota, &period) != 2)
			return false;
	} else {
		attribute_integer(&quota, "%s/cpu.cfs_quota_us", directory);
		attribute_integer(&period, "%s/cpu.cfs_period_us", directory);
	}
	if (quota <= 0 || period <= 0)
		return false;
	*percent = 100.0 * (double)quota / (double)period;
	return true;
}

bool cgroup_cpu_limit_percent(const struct roots *roots, double *percent)
{
	struct cgroup group;
	char directory[PATH_MAX];
	double each;
	bool limited = false;

	if (!cgroup_find(roots, "cpu", &group))
		return false;
	memcpy(directory, group.directory, sizeof(directory));
	do {
		if (!read_quota(directory, &each) || (limited && each >= *percent))
			continue;
		*percent = each;
		limited = true;
	} while (climb(&group, directory));
	return limited;
}

/* ---- I/O ---------------------------------------------------------------------------------- */

static const struct {
	const char *word; /* in io.max */
	const char *file; /* of version 1 */
} io_limits[] = {
	{"rbps", "blkio.throttle.read_bps_device"},
	{"wbps", "blkio.throttle.write_bps_device"},
	{"riops", "blkio.throttle.read_iops_device"},
	{"wiops", "blkio.throttle.write_iops_device"},
};

enum { IO_LIMITS = sizeof(io_limits) / sizeof(io_limits[0]) };

/* The rest of the line that begins with "MAJOR:MINOR ". */
static bool device_line(const char *directory, const char *file, unsigned major, unsigned minor,
			char *value, size_t size)
{
	char *text = attribute_file("%s/%s", directory, file), key[32];
	bool found;

	snprintf(key, sizeof(key), "%u:%u", major, minor);
	found = text && attribute_field(text, key, value, size);
	free(text);
	return found;
}

static void take_smaller(uint64_t *limit, const char *number)
{
	char *end;
	uint64_t value = strtoull(number, &end, 10);

	if (end != number && value && value < *limit)
		*limit = value;
}

static void read_io_max(const char *directory, unsigned major, unsigned minor,
			uint64_t limits[IO_LIMITS])
{
	char line[256], *rest = line, *word;

	if (!device_line(directory, "io.max", major, minor, line, sizeof(line)))
		return;
	while ((word = strsep(&rest, " "))) {
		char *equals = strchr(word, '=');

		for (size_t i = 0; equals && i < IO_LIMITS; i++)
			if (!strncmp(word, io_limits[i].word, (size_t)(equals - word)) &&
			    !io_limits[i].word[equals - word])
				take_smaller(&limits[i], equals + 1);
	}
}

static void read_throttle(const char *directory, unsigned major, unsigned minor,
			  uint64_t limits[IO_LIMITS])
{
	char line[64];

	for (size_t i = 0; i < IO_LIMITS; i++)
		if (device_line(directory, io_limits[i].file, major, minor, line, sizeof(line)))
			take_smaller(&limits[i], line);
}

bool cgroup_io_max(const struct roots *roots, unsigned major, unsigned minor, char *text,
		   size_t size)
{
	uint64_t limits[IO_LIMITS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	struct cgroup group;
	char directory[PATH_MAX];
	struct words words = {.text = text, .size = size, .separator = " "};

	if (!cgroup_find(roots, "io", &group))
		return false;
	memcpy(directory, group.directory, sizeof(directory));
	if (group.version == 1)
		read_throttle(directory, major, minor, limits);
	else
		do
			read_io_max(directory, major, minor, limits);
		while (climb(&group, directory));
	for (size_t i = 0; i < IO_LIMITS; i++)
		if (limits[i] != UINT64_MAX)
			words_add(&words, "%s=%llu", io_limits[i].word,
				  (unsigned long long)limits[i]);
	return words.used > 0;
}

bool cgroup_io_latency(const struct roots *roots, unsigned major, unsigned minor, char *text,
		       size_t size)
{
	struct cgroup group;
	char directory[PATH_MAX];

	if (!cgroup_find(roots, "io", &group) || group.version != 2)
		return false;
	memcpy(directory, group.directory, sizeof(directory));
	do
		if (device_line(directory, "io.latency", major, minor, text, size))
			return true;
	while (climb(&group, directory));
	return false;
}

bool cgroup_io_weight(const struct roots *roots, int64_t *weight)
{
	static const char *const files[] = {"io.weight", "io.bfq.weight", "blkio.bfq.weight",
					    "blkio.weight"};
	struct cgroup group;
	char *text, value[32];
	bool found = false;

	if (!cgroup_find(roots, "io", &group))
		return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !found; i++) {
		found = attribute_integer(weight, "%s/%s", group.directory, files[i]);
		text = found ? NULL : attribute_file("%s/%s", group.directory, files[i]);
		if (text && attribute_field(text, "default", value, sizeof(value))) {
			*weight = strtoll(value, NULL, 10);
			found = true;
		}
		free(text);
	}
	return found;
}
