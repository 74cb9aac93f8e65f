/* SPDX-License-Identifier: MIT */
/*
 * filesystem.c - what the filesystem of a target is.
 *
 * Where the features stand: XFS answers an ioctl, btrfs has them in /sys, ext2/3/4 have them only
 * in the superblock (1024 bytes into the device; compat, incompat and ro_compat words at 0x5c).
 * On a recorded tree there is but what /sys and mountinfo hold.
 */
#include "filesystem.h"

#include <endian.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attribute.h"
#include "words.h"

enum { FEATURES_MAX = 1000 };

struct feature {
	unsigned bit;
	const char *name;
};

static void words_add_bits(struct words *words, uint32_t bits, const struct feature *features)
{
	for (; features->name; features++)
		if (bits & (1u << features->bit))
			words_add(words, "%s", features->name);
}

static bool is_type(const struct stack *stack, const char *type)
{
	return stack->filesystem && !strcmp(stack->filesystem, type);
}

/* ---- ext2, ext3, ext4 --------------------------------------------------------------------- */

static const struct feature ext_compat[] = {
	{0, "dir_prealloc"}, {2, "has_journal"},   {3, "ext_attr"},	{4, "resize_inode"},
	{5, "dir_index"},    {9, "sparse_super2"}, {10, "fast_commit"}, {12, "orphan_file"},
	{0, NULL},
};

static const struct feature ext_incompat[] = {
	{1, "filetype"},      {3, "journal_dev"},  {4, "meta_bg"},   {6, "extent"},
	{7, "64bit"},	      {8, "mmp"},	   {9, "flex_bg"},   {10, "ea_inode"},
	{13, "metadata_csum_seed"}, {14, "large_dir"}, {15, "inline_data"}, {16, "encrypt"},
	{17, "casefold"},     {0, NULL},
};

static const struct feature ext_ro_compat[] = {
	{0, "sparse_super"}, {1, "large_file"},	   {3, "huge_file"}, {4, "uninit_bg"},
	{5, "dir_nlink"},    {6, "extra_isize"},   {8, "quota"},     {9, "bigalloc"},
	{10, "metadata_csum"}, {13, "project"},	   {15, "verity"},   {0, NULL},
};

static void ext_features(const struct stack *stack, struct words *words)
{
	enum { SUPERBLOCK = 1024, MAGIC = 0x38, FEATURES = 0x5c, EXT_MAGIC = 0xef53 };
	unsigned char block[256];
	uint32_t features[3];
	uint16_t magic;
	int fd = open(stack->mount_source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;

	if (fd < 0)
		return;
	got = pread(fd, block, sizeof(block), SUPERBLOCK);
	close(fd);
	if (got != (ssize_t)sizeof(block))
		return;
	memcpy(&magic, block + MAGIC, sizeof(magic));
	memcpy(features, block + FEATURES, sizeof(features));
	if (le16toh(magic) != EXT_MAGIC)
		return;
	words_add_bits(words, le32toh(features[0]), ext_compat);
	words_add_bits(words, le32toh(features[1]), ext_incompat);
	words_add_bits(words, le32toh(features[2]), ext_ro_compat);
}

/* The options in force, defaults included, one a line. */
static void ext_options_in_force(const struct roots *roots, const struct stack *stack,
				 struct facts *facts)
{
	const char *device = stack->count ? stack->nodes[0].name : "";
	char *text = attribute_file("%s/fs/%s/%s/options", roots->proc, stack->filesystem, device);
	size_t length = text ? strlen(text) : 0;

	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	for (char *end = text; end && (end = strchr(end, '\n'));)
		*end = ',';
	facts_set_text(facts, "mount_options_in_force", text);
	free(text);
}

/* ---- XFS ---------------------------------------------------------------------------------- */

/* struct xfs_fsop_geom_v1 of linux/fs/xfs/libxfs/xfs_fs.h: its headers come with xfsprogs alone. */
struct xfs_geometry {
	uint32_t blocksize, rtextsize, agblocks, agcount, logblocks, sectsize, inodesize, imaxpct;
	uint64_t datablocks, rtblocks, rtextents, logstart;
	unsigned char uuid[16];
	uint32_t sunit, swidth;
	int32_t version;
	uint32_t flags, logsectsize, rtsectsize, dirblocksize;
};

#define XFS_GEOMETRY _IOR('X', 100, struct xfs_geometry)

static const struct feature xfs_flags[] = {
	{10, "attr2"},	    {11, "projid32bit"}, {12, "ascii-ci"}, {14, "lazy-count"},
	{15, "crc"},	    {16, "ftype"},	 {17, "finobt"},   {18, "sparse"},
	{19, "rmapbt"},	    {20, "reflink"},	 {21, "bigtime"},  {22, "inobtcount"},
	{23, "nrext64"},    {24, "exchange"},	 {25, "parent"},   {26, "metadir"},
	{0, NULL},
};

static void xfs_features(int fd, struct words *words)
{
	struct xfs_geometry geometry;

	if (ioctl(fd, XFS_GEOMETRY, &geometry))
		return;
	words_add_bits(words, geometry.flags, xfs_flags);
	words_add(words, "agcount=%u", geometry.agcount);
	words_add(words, "logblocks=%u", geometry.logblocks);
	words_add(words, "sunit=%u", geometry.sunit);
	words_add(words, "swidth=%u", geometry.swidth);
	words_add(words, "isize=%u", geometry.inodesize);
}

/* ---- btrfs -------------------------------------------------------------------------------- */

struct btrfs {
	const char *sys;
	const char *device;
	char uuid[NAME_MAX_BYTES]; /* "": not found */
	struct words *words;
	const char *group; /* of blocks: data, metadata */
};

static bool is_its_uuid(const char *name, void *context)
{
	struct btrfs *btrfs = context;

	if (attribute_exists("%s/fs/btrfs/%s/devices/%s", btrfs->sys, name, btrfs->device))
		snprintf(btrfs->uuid, sizeof(btrfs->uuid), "%s", name);
	return !btrfs->uuid[0];
}

static bool add_btrfs_feature(const char *name, void *context)
{
	struct btrfs *btrfs = context;

	words_add(btrfs->words, "%s", name);
	return true;
}

/* A group of blocks has a directory for each profile in use: single, dup, raid1. */
static bool add_btrfs_profile(const char *name, void *context)
{
	struct btrfs *btrfs = context;

	if (attribute_exists("%s/fs/btrfs/%s/allocation/%s/%s/total_bytes", btrfs->sys, btrfs->uuid,
			     btrfs->group, name))
		words_add(btrfs->words, "%s=%s", btrfs->group, name);
	return true;
}

static void btrfs_features(const struct roots *roots, const struct stack *stack,
			   struct words *words, struct facts *facts)
{
	static const char *const groups[] = {"data", "metadata"};
	struct btrfs btrfs = {.sys = roots->sys, .words = words};
	char checksum[64];
	int64_t kib;

	if (!stack->count)
		return;
	btrfs.device = stack->nodes[0].name;
	attribute_each(is_its_uuid, &btrfs, "%s/fs/btrfs", roots->sys);
	if (!btrfs.uuid[0])
		return;
	facts_set_text(facts, "filesystem_uuid", btrfs.uuid);
	attribute_each(add_btrfs_feature, &btrfs, "%s/fs/btrfs/%s/features", roots->sys,
		       btrfs.uuid);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		btrfs.group = groups[i];
		attribute_each(add_btrfs_profile, &btrfs, "%s/fs/btrfs/%s/allocation/%s",
			       roots->sys, btrfs.uuid, groups[i]);
	}
	/* The devices' own read-ahead has no part in it. */
	if (attribute_integer(&kib, "%s/fs/btrfs/%s/bdi/read_ahead_kb", roots->sys, btrfs.uuid))
		facts_set_integer(facts, "read_ahead_kb", kib);
	if (attribute_text(checksum, sizeof(checksum), "%s/fs/btrfs/%s/checksum", roots->sys,
			   btrfs.uuid)) {
		checksum[strcspn(checksum, " ")] = '\0'; /* the implementation follows */
		facts_set_text(facts, "checksums", checksum);
	}
}

/* ---- what happens to data ----------------------------------------------------------------- */

static bool has_option(const struct stack *stack, const char *name)
{
	const char *at = stack->mount_options;
	size_t length = strlen(name);

	for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, length) && (!at[length] || strchr(",=:", at[length])))
			return true;
	return false;
}

static void set_option_value(const struct stack *stack, const char *name, const char *fact,
			     struct facts *facts)
{
	char key[64], value[64];
	const char *at;

	snprintf(key, sizeof(key), ",%s=", name);
	at = stack->mount_options ? strstr(stack->mount_options, key) : NULL;
	if (!at)
		return;
	at += strlen(key);
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, ","), at);
	facts_set_text(facts, fact, value);
}

/* Whether a block that is overwritten moves. A directory of btrfs can ask that its do not, which
 * switches checksums and compression off as well. */
static void copy_on_write(const struct stack *stack, long file_flags, struct facts *facts)
{
	static const char *const in_place[] = {"ext2", "ext3",  "ext4", "xfs",
					       "vfat", "exfat", "jfs"};
	static const char *const moving[] = {"zfs", "bcachefs", "f2fs", "nilfs2"};

	for (size_t i = 0; i < sizeof(in_place) / sizeof(in_place[0]); i++)
		if (is_type(stack, in_place[i]))
			facts_set_text(facts, "copy_on_write", "no");
	for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++)
		if (is_type(stack, moving[i]))
			facts_set_text(facts, "copy_on_write", "yes");
	if (!is_type(stack, "btrfs"))
		return;
	set_option_value(stack, "compress", "compression", facts);
	set_option_value(stack, "compress-force", "compression", facts);
	facts_set_text(facts, "copy_on_write", "yes");
	if (has_option(stack, "nodatasum"))
		facts_set_text(facts, "checksums", "no");
	if (!has_option(stack, "nodatacow") && !(file_flags & FS_NOCOW_FL))
		return;
	facts_set_text(facts, "copy_on_write", "no");
	facts_set_text(facts, "checksums", "no");
	facts_remove(facts, "compression");
}

/* ---- what this machine can be asked ------------------------------------------------------- */

static void usage_facts(int fd, struct facts *facts)
{
	struct statvfs use;

	if (fstatvfs(fd, &use) || !use.f_blocks)
		return;
	facts_set_integer(facts, "filesystem_block_bytes", (int64_t)use.f_bsize);
	facts_set_integer(facts, "filesystem_bytes", (int64_t)(use.f_blocks * use.f_frsize));
	facts_set_integer(facts, "filesystem_used_bytes",
			  (int64_t)((use.f_blocks - use.f_bfree) * use.f_frsize));
	facts_set_integer(facts, "filesystem_available_bytes",
			  (int64_t)(use.f_bavail * use.f_frsize));
	if (!use.f_files) /* btrfs makes them as needed */
		return;
	facts_set_integer(facts, "filesystem_inodes", (int64_t)use.f_files);
	facts_set_integer(facts, "filesystem_inodes_used", (int64_t)(use.f_files - use.f_ffree));
}

/* FS_IOC_GETFSUUID, since Linux 6.9. */
struct filesystem_uuid {
	uint8_t length, bytes[16];
};

#define GET_FILESYSTEM_UUID _IOR(0x15, 0, struct filesystem_uuid)

static void name_facts(int fd, struct facts *facts)
{
	static const uint8_t none[16];
	struct filesystem_uuid uuid;
	char label[FSLABEL_MAX], text[37], *to = text;

	if (ioctl(fd, FS_IOC_GETFSLABEL, label) == 0 && label[0])
		facts_set_text(facts, "filesystem_label", label);
	if (facts_find(facts, "filesystem_uuid") || ioctl(fd, GET_FILESYSTEM_UUID, &uuid) ||
	    uuid.length != sizeof(uuid.bytes) || !memcmp(uuid.bytes, none, sizeof(none)))
		return;
	for (int i = 0; i < 16; i++)
		to += snprintf(to, 4, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			       uuid.bytes[i]);
	facts_set_text(facts, "filesystem_uuid", text);
}

static void mount_facts(const struct stack *stack, struct facts *facts)
{
	facts_set_text(facts, "filesystem", stack->filesystem);
	facts_set_text(facts, "mount_options", stack->mount_options);
	facts_set_text(facts, "mount_point", stack->mount_point);
	facts_set_text(facts, "mount_source", stack->mount_source);
	facts_set_text(facts, "mount_root", stack->mount_root);
	facts_set_text(facts, "upper_filesystem", stack->upper_filesystem);
	facts_set_text(facts, "upper_mount_options", stack->upper_options);
}

void filesystem_facts(const struct roots *roots, const struct stack *stack, struct facts *facts)
{
	char features[FEATURES_MAX];
	struct words words = WORDS(features, " ");
	long file_flags = 0;
	int fd = -1;

	mount_facts(stack, facts);
	if (!stack->filesystem)
		return;
	if (roots_live(roots) && stack->path)
		fd = open(stack->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &file_flags))
		file_flags = 0;
	if (is_type(stack, "btrfs"))
		btrfs_features(roots, stack, &words, facts);
	if (fd >= 0 && is_type(stack, "xfs"))
		xfs_features(fd, &words);
	if (!strncmp(stack->filesystem, "ext", 3)) {
		if (fd >= 0 && stack->mount_source)
			ext_features(stack, &words);
		ext_options_in_force(roots, stack, facts);
	}
	if (words.used)
		facts_set_text(facts, "filesystem_features", words.text);
	copy_on_write(stack, file_flags, facts);
	if (fd < 0)
		return;
	usage_facts(fd, facts);
	name_facts(fd, facts);
	close(fd);
}
