/* SPDX-License-Identifier: MIT */
/*
 * guard.c - see guard.h. The kernel's own answer, O_EXCL, comes last: it knows of mounts, swap and
 * holders of the device itself. What comes before finds what O_EXCL does not see (partitions in
 * use when the whole disk is opened, loop devices on it, btrfs members) and gives the reason.
 */
#include "guard.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stack.h"

enum { PARTS_MAX = 256, PATH_BYTES = PATH_MAX + 512 };

/* The device and its partitions. */
struct parts {
	char names[PARTS_MAX][NAME_MAX_BYTES]; /* the kernel's */
	dev_t numbers[PARTS_MAX];
	unsigned count;
};

/* ---- the device and its parts ---- */

static bool read_number(const char *path, dev_t *number)
{
	unsigned major_number, minor_number;
	FILE *file = fopen(path, "re");
	bool good;

	if (!file)
		return false;
	good = fscanf(file, "%u:%u", &major_number, &minor_number) == 2;
	fclose(file);
	*number = makedev(major_number, minor_number);
	return good;
}

static void add_part(struct parts *parts, const char *name, dev_t number)
{
	if (parts->count == PARTS_MAX)
		return;
	snprintf(parts->names[parts->count], NAME_MAX_BYTES, "%.47s", name);
	parts->numbers[parts->count++] = number;
}

/* A partition is a directory below the disk's that has a file "partition". */
static void add_partitions(struct parts *parts, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_BYTES];
		dev_t number;

		snprintf(path, sizeof(path), "%s/%s/partition", directory, entry->d_name);
		if (entry->d_name[0] == '.' || access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s/dev", directory, entry->d_name);
		if (read_number(path, &number))
			add_part(parts, entry->d_name, number);
	}
	if (dir)
		closedir(dir);
}

static int find_parts(const struct roots *roots, dev_t device, struct parts *parts, struct err *err)
{
	char link[PATH_MAX], resolved[PATH_MAX];

	snprintf(link, sizeof(link), "%s/dev/block/%u:%u", roots->sys, major(device),
		 minor(device));
	if (!realpath(link, resolved))
		return err_set(err, ERR_USAGE,
			       "%s: %s: without it nobody can tell what is on the device, so "
			       "nothing is written to it",
			       link, strerror(errno));
	add_part(parts, strrchr(resolved, '/') + 1, device);
	add_partitions(parts, resolved);
	return 0;
}

/* ---- in use ---- */

static int refuse(struct err *err, const struct target *target, const char *part, const char *why,
		  const char *by)
{
	return err_set(err, ERR_USAGE, "%s is not overwritten: %s %s %s", target->path, part, why,
		       by);
}

static int check_mounts(const struct roots *roots, const struct target *target,
			const struct parts *parts, struct err *err)
{
	char path[PATH_BYTES];
	struct libmnt_table *table;
	int code = 0;

	snprintf(path, sizeof(path), "%s/self/mountinfo", roots->proc);
	table = mnt_new_table_from_file(path);
	if (!table)
		return err_set(err, ERR_USAGE,
			       "%s cannot be read, so nobody can tell what is mounted",
			       path);
	for (unsigned i = 0; !code && i < parts->count; i++) {
		struct libmnt_fs *fs = mnt_table_find_devno(table, parts->numbers[i],
							    MNT_ITER_FORWARD);

		if (fs)
			code = refuse(err, target, parts->names[i], "is mounted on",
				      mnt_fs_get_target(fs));
	}
	mnt_unref_table(table);
	return code;
}

static int check_swap(const struct roots *roots, const struct target *target,
		      const struct parts *parts, struct err *err)
{
	char path[PATH_BYTES], line[PATH_MAX], swap[PATH_MAX];
	FILE *file;
	int code = 0;

	snprintf(path, sizeof(path), "%s/swaps", roots->proc);
	file = fopen(path, "re");
	while (file && !code && fgets(line, sizeof(line), file)) {
		struct stat status;

		if (sscanf(line, "%4000s", swap) != 1 || stat(swap, &status))
			continue;
		for (unsigned i = 0; !code && i < parts->count; i++)
			if (S_ISBLK(status.st_mode) && status.st_rdev == parts->numbers[i])
				code = refuse(err, target, parts->names[i], "is swap space", "in "
											     "use");
	}
	if (file)
		fclose(file);
	return code;
}

static int check_holders(const struct roots *roots, const struct target *target,
			 const struct parts *parts, struct err *err)
{
	for (unsigned i = 0; i < parts->count; i++) {
		char path[PATH_BYTES], holder[NAME_MAX_BYTES] = "";
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), "%s/class/block/%s/holders", roots->sys,
			 parts->names[i]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.')
				snprintf(holder, sizeof(holder), "%.40s", entry->d_name);
		if (dir)
			closedir(dir);
		if (*holder)
			return refuse(err, target, parts->names[i], "is held by", holder);
	}
	return 0;
}

static bool is_part(const struct parts *parts, dev_t number)
{
	for (unsigned i = 0; i < parts->count; i++)
		if (parts->numbers[i] == number)
			return true;
	return false;
}

/* A loop device on a part, directly: the kernel tells the path of its file. */
static int check_loops(const struct roots *roots, const struct target *target,
		       const struct parts *parts, struct err *err)
{
	char directory[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int code = 0;

	snprintf(directory, sizeof(directory), "%s/class/block", roots->sys);
	dir = opendir(directory);
	while (dir && !code && (entry = readdir(dir))) {
		char path[PATH_BYTES], file[PATH_MAX] = "";
		struct stat status;
		FILE *stream;

		snprintf(path, sizeof(path), "%s/%s/loop/backing_file", directory, entry->d_name);
		stream = fopen(path, "re");
		if (!stream)
			continue;
		if (fgets(file, sizeof(file), stream))
			file[strcspn(file, "\n")] = '\0';
		fclose(stream);
		if (!stat(file, &status) && S_ISBLK(status.st_mode) &&
		    is_part(parts, status.st_rdev))
			code = refuse(err, target, file, "is held by", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return code;
}

/* Members of a mounted btrfs other than the one it was mounted from: /sys/fs/btrfs/UUID/devices. */
static int check_btrfs(const struct roots *roots, const struct target *target,
		       const struct parts *parts, struct err *err)
{
	char directory[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int code = 0;

	snprintf(directory, sizeof(directory), "%s/fs/btrfs", roots->sys);
	dir = opendir(directory);
	while (dir && !code && (entry = readdir(dir)))
		for (unsigned i = 0; !code && i < parts->count; i++) {
			char path[PATH_BYTES];

			snprintf(path, sizeof(path), "%s/%s/devices/%s", directory, entry->d_name,
				 parts->names[i]);
			if (entry->d_name[0] != '.' && !access(path, F_OK))
				code = refuse(err, target, parts->names[i],
					      "belongs to the mounted btrfs", entry->d_name);
		}
	if (dir)
		closedir(dir);
	return code;
}

/* The archive must not lie on what is about to be erased, however many layers are between. */
static int check_archive(const struct roots *roots, const struct target *target,
			 const struct parts *parts, const char *archive_path, struct err *err)
{
	char place[PATH_MAX];
	struct stack stack;
	int code = 0;

	snprintf(place, sizeof(place), "%s", archive_path);
	/* An archive that is yet to be made will lie where its directory does. */
	if (access(place, F_OK))
		snprintf(place, sizeof(place), "%.*s", (int)(strrchr(archive_path, '/')
			 ? strrchr(archive_path, '/') - archive_path + 1 : 0), archive_path);
	if (stack_resolve(roots, *place ? place : ".", &stack, NULL))
		return 0;
	for (const struct stack *each = &stack; each && !code; each = each->backing)
		for (size_t i = 0; !code && i < each->count; i++)
			if (is_part(parts, makedev(each->nodes[i].major, each->nodes[i].minor)))
				code = refuse(err, target, "the archive",
					      "lies on it:", archive_path);
	stack_release(&stack);
	return code;
}

/* ---- signatures ---- */

static blkid_probe open_probe(int fd)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe)
		return NULL;
	if (blkid_probe_set_device(probe, fd, 0, 0)) {
		blkid_free_probe(probe);
		return NULL;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	return probe;
}

static int check_signatures(const struct target *target, int fd, struct err *err)
{
	blkid_probe probe = open_probe(fd);
	const char *what = NULL;
	int found, code = 0;

	if (!probe)
		return err_set(err, ERR_USAGE,
			       "%s cannot be looked at for signatures, so nothing is written to it",
			       target->path);
	found = blkid_do_probe(probe); /* 0: found one; 1: nothing; else an error */
	if (!found && blkid_probe_lookup_value(probe, "TYPE", &what, NULL))
		blkid_probe_lookup_value(probe, "PTTYPE", &what, NULL);
	if (found != 1)
		code = err_set(err, ERR_USAGE,
			       "%s is not overwritten: it bears a signature (%s); "
			       "--erase-signature insists",
			       target->path, what ? what : "of a kind unknown");
	blkid_free_probe(probe);
	return code;
}

/* ---- all of it ---- */

static int check_consent(const struct target *target, const char *erase, dev_t *device,
			 struct err *err)
{
	struct stat named, meant;

	if (stat(erase, &named) || !S_ISBLK(named.st_mode))
		return err_set(err, ERR_USAGE, "--erase %s: there is no such block device", erase);
	if (stat(target->path, &meant))
		return err_set(err, ERR_USAGE, "%s: %s", target->path, strerror(errno));
	if (named.st_rdev != meant.st_rdev)
		return err_set(err, ERR_USAGE, "--erase %s names another device than the target %s",
			       erase, target->path);
	*device = meant.st_rdev;
	return 0;
}

static int check_use(const struct roots *roots, const struct target *target, dev_t device,
		     const char *archive_path, struct err *err)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	int code;

	if (!parts)
		return err_set(err, -ENOMEM, "look at %s: %s", target->path, strerror(ENOMEM));
	code = find_parts(roots, device, parts, err);
	if (!code)
		code = check_mounts(roots, target, parts, err);
	if (!code)
		code = check_swap(roots, target, parts, err);
	if (!code)
		code = check_btrfs(roots, target, parts, err);
	if (!code)
		code = check_holders(roots, target, parts, err);
	if (!code)
		code = check_loops(roots, target, parts, err);
	if (!code)
		code = check_archive(roots, target, parts, archive_path, err);
	free(parts);
	return code;
}

int guard_device(const struct roots *roots, struct target *target, const struct consent *consent,
		 int *guard_fd, struct err *err)
{
	dev_t device;
	int code, fd;

	*guard_fd = -1;
	if (!consent->erase)
		return 0;
	code = check_consent(target, consent->erase, &device, err);
	if (!code)
		code = check_use(roots, target, device, consent->archive_path, err);
	if (code)
		return code;
	fd = open(target->path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_USAGE, "%s is not overwritten: open it exclusively: %s",
			       target->path, strerror(errno));
	if (!consent->erase_signature)
		code = check_signatures(target, fd, err);
	if (code) {
		close(fd);
		return code;
	}
	target->writable = true;
	*guard_fd = fd;
	return 0;
}
