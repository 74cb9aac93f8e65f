/* SPDX-License-Identifier: MIT */
/* test_stack.c - what a path or a device stands on: on recorded machines, and on this one. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "suite/place.h"
#include "suite/stack.h"
#include "tests/suites.h"
#include "tests/tree.h"
#include "tests/volume.h"

/* ---- what is expected --------------------------------------------------------------------- */

static void check_text(const char *what, const char *got, const char *wanted)
{
	if (!got || !wanted ? got != wanted : strcmp(got, wanted) != 0) {
		printf("\n    %s: wanted '%s', got '%s'", what, wanted, got);
		CU_FAIL("a text differs");
	}
	CU_PASS("compared");
}

static const char *disks_of(const struct stack *stack, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0 && used < size;)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
					 stack->nodes[i].name);
	return text;
}

static void check_stack(const struct stack *stack, const char *described, const char *disks,
			size_t disk_count)
{
	char text[1000];

	check_text("the stack", stack_describe(stack, text, sizeof(text)), described);
	check_text("its disks", disks_of(stack, text, sizeof(text)), disks);
	CU_ASSERT_EQUAL(stack_disk_count(stack), disk_count);
}

struct expected {
	const char *path, *described, *disks;
	size_t disk_count;
	enum stack_medium medium;
};

static void check_tree(const char *name, const struct expected *expected)
{
	struct tree tree;
	struct stack stack;
	struct err err = {0};

	tree_open(&tree, name);
	for (; expected->path; expected++) {
		CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, expected->path, &stack, &err), 0);
		check_stack(&stack, expected->described, expected->disks, expected->disk_count);
		CU_ASSERT_EQUAL(stack.medium, expected->medium);
		stack_release(&stack);
	}
	tree_close(&tree);
}

/* Whoever is above stands before those under it, and only the top has nobody above. */
static void check_order(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		CU_ASSERT(stack->nodes[i].parent < (int)i);
	if (stack->count)
		CU_ASSERT_EQUAL(stack->nodes[0].parent, -1);
}

/* ---- recorded machines -------------------------------------------------------------------- */

static void test_nvme(void)
{
	static const struct expected expected[] = {
		{"/", "xfs on nvme0n1p2 on nvme0n1", "nvme0n1", 1, MEDIUM_DISK},
		{"/var/lib/x", "xfs on nvme0n1p2 on nvme0n1", "nvme0n1", 1, MEDIUM_DISK},
		{"/database", "xfs on nvme0n1p2 on nvme0n1", "nvme0n1", 1, MEDIUM_DISK},
		{"/data",
		 "xfs on nvme1n1p1 on nvme1n1 (multipath) on (nvme1c1n1 (path), nvme1c2n1 (path))",
		 "nvme1c1n1 nvme1c2n1", 1, MEDIUM_DISK},
		{"/srv/my data/x",
		 "xfs on nvme1n1p1 on nvme1n1 (multipath) on (nvme1c1n1 (path), nvme1c2n1 (path))",
		 "nvme1c1n1 nvme1c2n1", 1, MEDIUM_DISK},
		{"/dev/nvme1n1", "nvme1n1 (multipath) on (nvme1c1n1 (path), nvme1c2n1 (path))",
		 "nvme1c1n1 nvme1c2n1", 1, MEDIUM_DISK},
		{"/dev", "devtmpfs", "", 0, MEDIUM_MEMORY},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("nvme_multipath", expected);
}

static void test_mount_texts(void)
{
	struct tree tree;
	struct stack stack;

	tree_open(&tree, "nvme_multipath");
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/srv/my data", &stack, NULL), 0);
	check_text("filesystem", stack.filesystem, "xfs");
	check_text("mount point", stack.mount_point, "/srv/my data");
	check_text("source", stack.mount_source, "/dev/nvme1n1p1");
	check_text("root", stack.mount_root, "/pg data");
	check_text("options", stack.mount_options,
		   "rw,noatime,attr2,inode64,logbufs=8,logbsize=256k,noquota");
	CU_ASSERT_FALSE(stack.device);
	CU_ASSERT_PTR_NULL(stack.backing);
	stack_release(&stack);
	CU_ASSERT_EQUAL(stack.count, 0);
	CU_ASSERT_PTR_NULL(stack.nodes);
	tree_close(&tree);
}

static void test_raid(void)
{
	static const struct expected expected[] = {
		{"/srv",
		 "ext4 on md127 (md) on (sda1 on sda, sdb1 on sdb, sdc1 on sdc, sdd1 on sdd)",
		 "sda sdb sdc sdd", 4, MEDIUM_DISK},
		{"/boot/grub", "ext4 on md126 (md) on (sda2 on sda, sdb2 on sdb)", "sda sdb", 2,
		 MEDIUM_DISK},
		{"/old", "ext4 on dm-0 (lvm vg-old) on (sda4 on sda, sda5)", "sda", 1, MEDIUM_DISK},
		{"/srv/net", "nfs4", "", 0, MEDIUM_NETWORK},
		{"/dev/md126", "md126 (md) on (sda2 on sda, sdb2 on sdb)", "sda sdb", 2,
		 MEDIUM_DISK},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("md_raid10", expected);
}

#define CONTAINER "dm-0 (crypt luks-2f6c) on nvme0n1p3 on nvme0n1"

static void test_crypt(void)
{
	static const struct expected expected[] = {
		{"/", "ext4 on dm-1 (lvm vg-root) on " CONTAINER,
		 "nvme0n1", 1, MEDIUM_DISK},
		{"/home/me",
		 "btrfs on dm-2 (lvm vg-home--crypt) on " CONTAINER,
		 "nvme0n1", 1, MEDIUM_DISK},
		{"/mnt/merged/x",
		 "overlay on btrfs on dm-2 (lvm vg-home--crypt) on " CONTAINER,
		 "nvme0n1", 1, MEDIUM_DISK},
		{"/dev/mapper/vg-root",
		 "dm-1 (lvm vg-root) on " CONTAINER, "nvme0n1", 1, MEDIUM_DISK},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("lvm_on_luks", expected);
}

static void test_media(void)
{
	static const struct expected expected[] = {
		{"/tmp", "tmpfs", "", 0, MEDIUM_MEMORY},
		{"/mnt/remote", "fuse.sshfs", "", 0, MEDIUM_NETWORK},
		{"/mnt/shared", "virtiofs", "", 0, MEDIUM_HOST},
		{"/mnt/archive", "fuse.archivemount", "", 0, MEDIUM_PROGRAM},
		{"/mnt/ram", "ext4 on loop1", "loop1", 1, MEDIUM_MEMORY},
		{"/mnt/image", "ext4 on loop0p1 on loop0", "loop0", 1, MEDIUM_DISK},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("lvm_on_luks", expected);
}

static void test_backing(void)
{
	struct tree tree;
	struct stack stack;
	int disk;

	tree_open(&tree, "lvm_on_luks");
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/mnt/image", &stack, NULL), 0);
	disk = stack_next_disk(&stack, -1);
	CU_ASSERT_TRUE(stack.nodes[disk].buffered);
	CU_ASSERT_FALSE(stack.nodes[disk].backing);
	CU_ASSERT_PTR_NOT_NULL_FATAL(stack.backing);
	check_text("the file", stack.backing->path, "/home/me/disk.img");
	check_stack(stack.backing,
		    "btrfs on dm-2 (lvm vg-home--crypt) on " CONTAINER, "nvme0n1", 1);
	for (size_t i = 0; i < stack.backing->count; i++)
		CU_ASSERT_TRUE(stack.backing->nodes[i].backing);
	stack_release(&stack);

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/mnt/ram", &stack, NULL), 0);
	CU_ASSERT_FALSE(stack.nodes[0].buffered);
	CU_ASSERT_TRUE(stack.nodes[0].memory);
	stack_release(&stack);
	tree_close(&tree);
}

static void test_lost_backing(void)
{
	struct tree tree;
	struct stack stack;

	tree_open(&tree, "lvm_on_luks");
	tree_write_text(&tree, "/sys/class/block/loop0/loop/backing_file", "relative (deleted)\n");
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/mnt/image", &stack, NULL), 0);
	check_stack(&stack, "ext4 on loop0p1 on loop0", "loop0", 1);
	CU_ASSERT_PTR_NULL(stack.backing);
	stack_release(&stack);
	tree_close(&tree);
}

static void test_multipath(void)
{
	static const struct expected expected[] = {
		{"/data",
		 "xfs on (dm-1 (partition mpatha1) on dm-0 (multipath mpatha) on (sda (path),"
		 " sdb (path)), vdb)",
		 "dm-0 vdb", 2, MEDIUM_DISK},
		{"/var", "xfs on vdb", "vdb", 1, MEDIUM_DISK},
		{"/dev/mapper/mpatha", "dm-0 (multipath mpatha) on (sda (path), sdb (path))",
		 "dm-0", 1, MEDIUM_DISK},
		{"/dev/vda1", "vda1 on vda", "vda", 1, MEDIUM_DISK},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("virtio_multipath", expected);
}

static void test_bio_multipath(void)
{
	static const char *const silent[] = {"none\n", ""};
	struct tree tree;
	struct stack stack;

	for (size_t i = 0; i < 2; i++) {
		tree_open(&tree, "virtio_multipath");
		tree_write_text(&tree, "/sys/class/block/dm-0/queue/scheduler", silent[i]);
		CU_ASSERT_EQUAL_FATAL(
			stack_resolve(&tree.roots, "/dev/mapper/mpatha", &stack, NULL), 0);
		check_stack(&stack, "dm-0 (multipath mpatha) on (sda (path), sdb (path))",
			    "sda sdb", 1);
		stack_release(&stack);
		tree_close(&tree);
	}
}

static void test_identity(void)
{
	struct tree tree;
	struct stack stack;

	tree_open(&tree, "virtio_multipath");
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/dev/mapper/mpatha", &stack, NULL), 0);
	check_text("who tells of dm-0", stack.nodes[stack_identity_node(&stack, 0)].name, "sda");
	CU_ASSERT_EQUAL(stack_identity_node(&stack, 2), 2);
	stack_release(&stack);
	tree_close(&tree);
}

static void check_governs(const struct stack *stack, const char *attribute, const char *wanted)
{
	char text[200];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < stack->count; i++)
		if (stack_governs(stack, i, attribute))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? " " : "", stack->nodes[i].name);
	check_text(attribute, text, wanted);
}

static void test_governing(void)
{
	static const struct {
		const char *tree, *path, *read_ahead, *scheduler;
	} cases[] = {
		{"nvme_multipath", "/", "nvme0n1", "nvme0n1"},
		{"nvme_multipath", "/data", "nvme1n1", "nvme1c1n1 nvme1c2n1"},
		{"md_raid10", "/srv", "md127", "sda sdb sdc sdd"},
		{"lvm_on_luks", "/", "dm-1", "nvme0n1"},
		{"lvm_on_luks", "/home", "", "nvme0n1"}, /* btrfs has its own */
		{"lvm_on_luks", "/mnt/image", "loop0", "loop0"},
		{"virtio_multipath", "/dev/mapper/mpatha1", "dm-1", "dm-0"},
	};
	struct tree tree;
	struct stack stack;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree_open(&tree, cases[i].tree);
		CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, cases[i].path, &stack, NULL), 0);
		check_order(&stack);
		check_governs(&stack, "read_ahead_kb", cases[i].read_ahead);
		check_governs(&stack, "scheduler", cases[i].scheduler);
		stack_release(&stack);
		tree_close(&tree);
	}
}

static void test_without_sys(void)
{
	static const struct expected expected[] = {
		{"/", "overlay", "", 0, MEDIUM_UNKNOWN},
		{"/data/pg", "xfs", "", 0, MEDIUM_UNKNOWN},
		{NULL, NULL, NULL, 0, MEDIUM_UNKNOWN},
	};

	check_tree("container", expected);
}

static void test_without_anything(void)
{
	static const struct roots nothing = {"/nonexistent/sys", "/nonexistent/proc", NULL};
	struct stack stack;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&nothing, "/", &stack, &err), 0);
	CU_ASSERT_EQUAL(stack.count, 0);
	CU_ASSERT_EQUAL(stack.medium, MEDIUM_UNKNOWN);
	CU_ASSERT_PTR_NULL(stack.filesystem);
	stack_release(&stack);
}

static void test_which_mount(void)
{
	struct place hidden = {.path = "/srv/hidden/x", .major = 9, .minor = 127};
	struct place subvolume = {.path = "/srv/net/x", .major = 0, .minor = 99};
	struct place known = {.path = "/srv/x", .mount_id = 31};
	struct libmnt_table *mounts;
	struct tree tree;

	tree_open(&tree, "md_raid10");
	mounts = place_mounts(&tree.roots);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mounts);
	/* A mount that a later one above it hides is not the one of the path's device. */
	CU_ASSERT_EQUAL(mnt_fs_get_id(place_mount(mounts, &hidden)), 36);
	/* A device that no mount has leaves the deepest. */
	CU_ASSERT_EQUAL(mnt_fs_get_id(place_mount(mounts, &subvolume)), 34);
	/* The kernel's own answer goes before all. */
	CU_ASSERT_EQUAL(mnt_fs_get_id(place_mount(mounts, &known)), 31);
	mnt_unref_table(mounts);
	tree_close(&tree);
}

/* ---- this machine ------------------------------------------------------------------------- */

static void test_missing_path(void)
{
	struct stack stack;
	struct err err = {0};

	CU_ASSERT_EQUAL(stack_resolve(&roots_real, "/nonexistent/target", &stack, &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/nonexistent/target"));
	CU_ASSERT_EQUAL(stack.count, 0);
	stack_release(&stack);
}

static void test_own_root(void)
{
	struct stack stack;
	struct stat status;

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, "/", &stack, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(stat("/", &status), 0);
	check_text("mount point", stack.mount_point, "/");
	check_order(&stack);
	if (!major(status.st_dev) || !stack.count)
		test_skip("the root filesystem has no block device here");
	else
		CU_ASSERT_EQUAL(makedev(stack.nodes[0].major, stack.nodes[0].minor), status.st_dev);
	stack_release(&stack);
}

/* Every way to say where a directory is leads to the same place. */
static void test_ways_to_say(void)
{
	char scratch[] = "/tmp/assay-stack.XXXXXX", link[64], before[PATH_MAX];
	struct stack direct, linked, relative;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
	snprintf(link, sizeof(link), "%s.link", scratch);
	CU_ASSERT_EQUAL_FATAL(symlink(scratch, link), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(before, sizeof(before)));
	CU_ASSERT_EQUAL(stack_resolve(&roots_real, scratch, &direct, NULL), 0);
	CU_ASSERT_EQUAL(stack_resolve(&roots_real, link, &linked, NULL), 0);
	CU_ASSERT_EQUAL(chdir(scratch), 0);
	CU_ASSERT_EQUAL(stack_resolve(&roots_real, "../assay-absent/..", &relative, NULL), -ENOENT);
	CU_ASSERT_EQUAL(stack_resolve(&roots_real, ".", &relative, NULL), 0);
	CU_ASSERT_EQUAL(chdir(before), 0);
	check_text("linked", linked.path, direct.path);
	check_text("relative", relative.path, direct.path);
	check_text("mount point", relative.mount_point, direct.mount_point);
	CU_ASSERT_EQUAL(relative.count, direct.count);
	stack_release(&direct);
	stack_release(&linked);
	stack_release(&relative);
	CU_ASSERT_EQUAL(unlink(link), 0);
	CU_ASSERT_EQUAL(rmdir(scratch), 0);
}

static void check_here(const char *path, const char *described, const char *disks,
		       size_t disk_count)
{
	struct stack stack;
	struct err err = {0};
	int status = stack_resolve(&roots_real, path, &stack, &err);

	CU_ASSERT_EQUAL(status, 0);
	if (status)
		return;
	check_order(&stack);
	check_stack(&stack, described, disks, disk_count);
	stack_release(&stack);
}

static void test_loop_filesystem(void)
{
	struct volume volume;
	struct stack stack, below;
	char wanted[200];

	if (!volume_open(&volume, "ext4", 1))
		return;
	snprintf(wanted, sizeof(wanted), "ext4 on %s", volume.loops[0]);
	check_here(volume.mount, wanted, volume.loops[0], 1);
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, volume.mount, &stack, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, volume.scratch, &below, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(stack.backing);
	check_text("under the file", stack.backing->mount_point, below.mount_point);
	CU_ASSERT_EQUAL(stack.backing->count, below.count);
	stack_release(&below);
	stack_release(&stack);
	volume_close(&volume);
}

static void test_two_device_btrfs(void)
{
	struct volume volume;
	char wanted[200], disks[100], subvolume[PATH_MAX];

	if (!volume_open(&volume, "btrfs", 2))
		return;
	snprintf(wanted, sizeof(wanted), "btrfs on (%s, %s)", volume.loops[0], volume.loops[1]);
	snprintf(disks, sizeof(disks), "%s %s", volume.loops[0], volume.loops[1]);
	check_here(volume.mount, wanted, disks, 2);
	/* A subvolume's device number is in no table at all. */
	snprintf(subvolume, sizeof(subvolume), "%s/sub", volume.mount);
	if (volume_shell("btrfs -q subvolume create '%s' >/dev/null", subvolume) == 0)
		check_here(subvolume, wanted, disks, 2);
	volume_close(&volume);
}

static void test_bind_mount(void)
{
	struct volume volume;
	char inside[PATH_MAX], bound[PATH_MAX], wanted[200];
	struct stack stack;

	if (!volume_open(&volume, "ext4", 1))
		return;
	snprintf(inside, sizeof(inside), "%s/inside", volume.mount);
	snprintf(bound, sizeof(bound), "%s/bo und", volume.scratch);
	snprintf(wanted, sizeof(wanted), "ext4 on %s", volume.loops[0]);
	CU_ASSERT_EQUAL(mkdir(inside, 0755), 0);
	CU_ASSERT_EQUAL(mkdir(bound, 0755), 0);
	if (volume_shell("mount --bind '%s' '%s'", inside, bound)) {
		test_skip("no bind mounts here");
	} else {
		check_here(bound, wanted, volume.loops[0], 1);
		CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, bound, &stack, NULL), 0);
		check_text("mount point", stack.mount_point, bound);
		check_text("root", stack.mount_root, "/inside");
		stack_release(&stack);
		CU_ASSERT_EQUAL(volume_shell("umount '%s'", bound), 0);
	}
	volume_close(&volume);
}

static void test_overlay(void)
{
	struct volume volume;
	char wanted[200], merged[PATH_MAX];

	if (!volume_open(&volume, "ext4", 1))
		return;
	snprintf(wanted, sizeof(wanted), "overlay on ext4 on %s", volume.loops[0]);
	snprintf(merged, sizeof(merged), "%s/merged", volume.scratch);
	CU_ASSERT_EQUAL(volume_shell("mkdir '%s' '%s/upper' '%s/work'", merged, volume.mount,
				     volume.mount),
			0);
	if (volume_shell("mount -t overlay overlay -o "
			 "lowerdir=/usr,upperdir='%s/upper',workdir='%s/work' '%s' 2>/dev/null",
			 volume.mount, volume.mount, merged)) {
		test_skip("no overlay mounts here");
	} else {
		check_here(merged, wanted, volume.loops[0], 1);
		CU_ASSERT_EQUAL(volume_shell("umount '%s'", merged), 0);
	}
	volume_close(&volume);
}

static void test_loop_on_loop(void)
{
	struct volume volume;
	char inner[NAME_MAX_BYTES], device[80], file[PATH_MAX];
	struct stack stack;

	if (!volume_open(&volume, "ext4", 1))
		return;
	snprintf(file, sizeof(file), "%s/inner.img", volume.mount);
	if (volume_shell("truncate -s 8M '%s'", file) || !volume_attach(file, "", inner)) {
		test_skip("no second loop device");
	} else {
		snprintf(device, sizeof(device), "/dev/%s", inner);
		CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, device, &stack, NULL), 0);
		check_stack(&stack, inner, inner, 1);
		CU_ASSERT_TRUE(stack.nodes[0].buffered);
		CU_ASSERT_PTR_NOT_NULL_FATAL(stack.backing);
		check_text("under it", stack.backing->nodes[0].name, volume.loops[0]);
		CU_ASSERT_PTR_NOT_NULL(stack.backing->backing);
		stack_release(&stack);
		volume_detach(inner);
	}
	volume_close(&volume);
}

/* Writes a partition table of one partition, from MiB 1 to MiB 9. */
static bool write_partition_table(const char *path)
{
	unsigned char sector[512] = {[446 + 4] = 0x83, [446 + 9] = 0x08, [446 + 13] = 0x40,
				     [510] = 0x55, [511] = 0xaa};
	FILE *file = fopen(path, "r+");
	bool written = file && fwrite(sector, 1, sizeof(sector), file) == sizeof(sector);

	return file && fclose(file) == 0 && written;
}

static void test_partitioned_loop(void)
{
	char scratch[] = "/tmp/assay-stack.XXXXXX", file[64], loop[NAME_MAX_BYTES], device[80];
	char wanted[200];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
	snprintf(file, sizeof(file), "%s/disk.img", scratch);
	CU_ASSERT_EQUAL(volume_shell("truncate -s 16M '%s'", file), 0);
	CU_ASSERT_TRUE(write_partition_table(file));
	if (geteuid() || !volume_attach(file, "-P", loop)) {
		test_skip("loop devices need root");
	} else {
		snprintf(device, sizeof(device), "/dev/%sp1", loop);
		snprintf(wanted, sizeof(wanted), "%sp1 on %s", loop, loop);
		if (access(device, F_OK))
			test_skip("no partitions on loop devices here");
		else
			check_here(device, wanted, loop, 1);
		volume_detach(loop);
	}
	CU_ASSERT_EQUAL(volume_shell("rm -r '%s'", scratch), 0);
}

static void test_memory_here(void)
{
	struct stack stack;

	if (stack_resolve(&roots_real, "/dev/shm", &stack, NULL) || !stack.filesystem ||
	    strcmp(stack.filesystem, "tmpfs") != 0) {
		test_skip("/dev/shm is no tmpfs here");
	} else {
		CU_ASSERT_EQUAL(stack.medium, MEDIUM_MEMORY);
		CU_ASSERT_EQUAL(stack.count, 0);
	}
	stack_release(&stack);
	if (access("/dev/zram0", F_OK) || stack_resolve(&roots_real, "/dev/zram0", &stack, NULL))
		return;
	CU_ASSERT_EQUAL(stack.medium, MEDIUM_MEMORY);
	CU_ASSERT_TRUE(stack.device);
	stack_release(&stack);
}

static void test_cut_description(void)
{
	struct tree tree;
	struct stack stack;
	char whole[1000], cut[1000];

	tree_open(&tree, "md_raid10");
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree.roots, "/srv", &stack, NULL), 0);
	stack_describe(&stack, whole, sizeof(whole));
	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		memset(cut, '#', sizeof(cut));
		stack_describe(&stack, cut, size);
		CU_ASSERT_EQUAL(strlen(cut), size - 1);
		CU_ASSERT_EQUAL(strncmp(cut, whole, size - 1), 0);
		CU_ASSERT_EQUAL(cut[size], '#');
	}
	stack_release(&stack);
	tree_close(&tree);
}

static const struct test tests[] = {
	{"an NVMe namespace with several controllers is one disk with hidden paths", test_nvme},
	{"mount point, source, root and options keep their blanks", test_mount_texts},
	{"a RAID stands on every disk, each counted once", test_raid},
	{"LVM, LUKS, btrfs and overlay lead to the disk", test_crypt},
	{"memory, network, host and program hold what has no disk", test_media},
	{"what a loop device's file stands on is a stack of its own", test_backing},
	{"a loop device whose file cannot be found is still a disk", test_lost_backing},
	{"request-based multipath queues in the device, a log device counts", test_multipath},
	{"bio-based multipath queues in its paths, still one disk", test_bio_multipath},
	{"a multipath device is known by its first path", test_identity},
	{"read-ahead is the mounted device's, all else the disks'", test_governing},
	{"a container without /sys has filesystems without devices", test_without_sys},
	{"without /sys and /proc nothing is known and nothing fails", test_without_anything},
	{"the mount is that of the id, else of the device, else the deepest", test_which_mount},
	{"a path that is not there is an error that names it", test_missing_path},
	{"the root of this machine stands on the device of its number", test_own_root},
	{"links and relative paths lead where the path itself does", test_ways_to_say},
	{"a filesystem in an image stands on its loop device", test_loop_filesystem},
	{"a btrfs on two devices stands on both, its subvolumes too", test_two_device_btrfs},
	{"a bind mount stands on the filesystem it shows", test_bind_mount},
	{"an overlay stands on what it writes to", test_overlay},
	{"a loop device on a loop device has backing all the way down", test_loop_on_loop},
	{"a partition of a loop device stands on it", test_partitioned_loop},
	{"tmpfs and zram are memory", test_memory_here},
	{"a description that does not fit is cut, not overrun", test_cut_description},
	{NULL, NULL},
};

const struct suite suite_stack = {"stack", tests};
