/* SPDX-License-Identifier: MIT */
/*
 * place.c - where a path is. A mount's id (statx, since Linux 5.8) says it exactly; without one
 * the path is compared with the mount points, and the device decides between two mounts of which
 * one hides the other. The device alone does not: every btrfs subvolume has one of its own that
 * mountinfo does not know.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "attribute.h"

static int find_recorded(const struct roots *roots, const char *path, struct place *place,
			 struct err *err)
{
	char name[NAME_MAX_BYTES], number[32];

	if (path[0] != '/' || strlen(path) >= sizeof(place->path))
		return err_set(err, -ENOENT, "look up %s: not an absolute path", path);
	snprintf(place->path, sizeof(place->path), "%s", path);
	if (!place_device_at(roots, path, name))
		return 0;
	place->block = true;
	if (attribute_text(number, sizeof(number), "%s/class/block/%s/dev", roots->sys, name))
		sscanf(number, "%u:%u", &place->major, &place->minor);
	return 0;
}

int place_find(const struct roots *roots, const char *path, struct place *place, struct err *err)
{
	struct statx status;

	memset(place, 0, sizeof(*place));
	if (!roots_live(roots))
		return find_recorded(roots, path, place, err);
	if (!realpath(path, place->path))
		return err_set(err, -errno, "look up %s: %s", path, strerror(errno));
	if (statx(AT_FDCWD, place->path, 0, STATX_TYPE | STATX_MNT_ID, &status))
		return err_set(err, -errno, "look up %s: %s", place->path, strerror(errno));
	place->block = S_ISBLK(status.stx_mode);
	place->major = place->block ? status.stx_rdev_major : status.stx_dev_major;
	place->minor = place->block ? status.stx_rdev_minor : status.stx_dev_minor;
	if (status.stx_mask & STATX_MNT_ID)
		place->mount_id = status.stx_mnt_id;
	return 0;
}

struct libmnt_table *place_mounts(const struct roots *roots)
{
	char path[PATH_MAX];
	struct libmnt_table *mounts;

	snprintf(path, sizeof(path), "%s/self/mountinfo", roots->proc);
	mounts = attribute_exists("%s", path) ? mnt_new_table_from_file(path) : NULL;
	if (mounts && mnt_table_is_empty(mounts)) {
		mnt_unref_table(mounts);
		return NULL;
	}
	return mounts;
}

static bool lies_under(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	while (length && directory[length - 1] == '/')
		length--;
	return !strncmp(path, directory, length) && (!path[length] || path[length] == '/');
}

/* How well a mount fits: 0 not at all, else by the depth of its mount point; its
 * device counts most. */
static size_t fitness(struct libmnt_fs *mount, const struct place *place)
{
	const char *target = mnt_fs_get_target(mount);
	size_t fit;

	if (!target || !lies_under(place->path, target))
		return 0;
	fit = strlen(target);
	if (mnt_fs_get_devno(mount) == makedev(place->major, place->minor))
		fit += PATH_MAX;
	return fit;
}

struct libmnt_fs *place_mount(struct libmnt_table *mounts, const struct place *place)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *mount, *best = NULL;
	size_t fit, best_fit = 0;

	while (iter && mnt_table_next_fs(mounts, iter, &mount) == 0) {
		if (place->mount_id && (uint64_t)mnt_fs_get_id(mount) == place->mount_id) {
			best = mount;
			break;
		}
		fit = fitness(mount, place);
		if (fit && fit >= best_fit) {
			best_fit = fit;
			best = mount;
		}
	}
	mnt_free_iter(iter);
	return best;
}

bool place_device_name(const struct roots *roots, unsigned major, unsigned minor,
		       char name[NAME_MAX_BYTES])
{
	return attribute_link_name(name, NAME_MAX_BYTES, "%s/dev/block/%u:%u", roots->sys, major,
				   minor);
}

struct mapped {
	const struct roots *roots;
	const char *wanted;
	char *name;
};

static bool is_mapped_as(const char *name, void *context)
{
	struct mapped *mapped = context;
	char label[PATH_MAX];

	if (!attribute_text(label, sizeof(label), "%s/class/block/%s/dm/name", mapped->roots->sys,
			    name) ||
	    strcmp(label, mapped->wanted) != 0)
		return true;
	snprintf(mapped->name, NAME_MAX_BYTES, "%s", name);
	return false;
}

static bool find_mapped(const struct roots *roots, const char *label, char name[NAME_MAX_BYTES])
{
	struct mapped mapped = {.roots = roots, .wanted = label, .name = name};

	name[0] = '\0';
	attribute_each(is_mapped_as, &mapped, "%s/class/block", roots->sys);
	return name[0] != '\0';
}

bool place_device_at(const struct roots *roots, const char *path, char name[NAME_MAX_BYTES])
{
	struct stat status;

	if (strncmp(path, "/dev/", 5) != 0)
		return false;
	if (roots_live(roots) && stat(path, &status) == 0)
		return S_ISBLK(status.st_mode) && place_device_name(roots, major(status.st_rdev),
								    minor(status.st_rdev), name);
	path += 5;
	if (!strncmp(path, "mapper/", 7))
		return find_mapped(roots, path + 7, name);
	snprintf(name, NAME_MAX_BYTES, "%s", path);
	for (char *slash = name; (slash = strchr(slash, '/')); slash++)
		*slash = '!'; /* as sysfs spells "cciss/c0d0" */
	return name[0] && attribute_exists("%s/class/block/%s", roots->sys, name);
}
