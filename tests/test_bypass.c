/* SPDX-License-Identifier: MIT */
/* test_bypass.c - whether direct I/O goes past the page cache, on filesystems where it does and
 * does not. */
#include <dirent.h>
#include <string.h>

#include "run.h"
#include "site_fixture.h"
#include "suite/bypass.h"
#include "suite/workspace.h"
#include "suites.h"
#include "volume.h"

/* Tries in a directory, and leaves nothing behind in it. */
static struct bypass try_in(const char *directory)
{
	struct target target;
	struct bypass bypass;
	char uuid[UUID_MAX];

	CU_ASSERT_EQUAL_FATAL(uuid_make(uuid, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(target_resolve(&target, directory, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(workspace_open(&target, uuid, NULL), 0);
	CU_ASSERT_EQUAL(bypass_try(&target, &bypass), 2 * bypass.bytes);
	CU_ASSERT_EQUAL(volume_shell("test -z \"$(ls -A '%s')\"", target.work_path), 0);
	CU_ASSERT_EQUAL(workspace_close(&target, NULL), 0);
	return bypass;
}

static void goes_past(const char *type)
{
	struct volume volume;
	struct bypass bypass;

	if (!volume_open(&volume, type, 1))
		return;
	bypass = try_in(volume.mount);
	CU_ASSERT_TRUE(bypass.known);
	CU_ASSERT(bypass.bytes > 0);
	CU_ASSERT_EQUAL(bypass.write_cached_bytes, 0);
	CU_ASSERT_EQUAL(bypass.read_cached_bytes, 0);
	volume_close(&volume);
}

static void test_ext4(void)
{
	goes_past("ext4");
}

static void test_xfs(void)
{
	goes_past("xfs");
}

static void test_btrfs(void)
{
	struct volume volume;
	struct bypass summed, plain;
	char plain_path[2 * VOLUME_PATH_MAX];

	if (!volume_open(&volume, "btrfs", 1))
		return;
	snprintf(plain_path, sizeof(plain_path), "%s/plain", volume.mount);
	CU_ASSERT_EQUAL(volume_shell("mkdir '%s' && chattr +C '%s'", plain_path, plain_path), 0);
	summed = try_in(volume.mount);
	plain = try_in(plain_path);
	CU_ASSERT_TRUE(plain.known);
	CU_ASSERT_EQUAL(plain.write_cached_bytes, 0);
	CU_ASSERT_EQUAL(plain.read_cached_bytes, 0);
	if (summed.write_cached_bytes == 0)
		test_skip("btrfs of this kernel writes directly beside checksums");
	else
		CU_ASSERT_EQUAL(summed.write_cached_bytes, summed.bytes);
	volume_close(&volume);
}

/* A filesystem in memory is nothing but cache. */
static void test_memory(void)
{
	char directory[200];
	struct bypass bypass;

	if (!scratch_directory(SITE_MEMORY, directory, sizeof(directory)))
		return;
	bypass = try_in(directory);
	if (bypass.known) {
		CU_ASSERT_EQUAL(bypass.write_cached_bytes, bypass.bytes);
		CU_ASSERT_EQUAL(bypass.read_cached_bytes, bypass.bytes);
	} else {
		test_skip("tmpfs of this kernel refuses direct I/O");
	}
	scratch_directory_remove(directory);
}

static void test_unknown(void)
{
	struct target device = {.kind = TARGET_DEVICE, .work_fd = -1, .direct = true};
	struct bypass bypass;

	CU_ASSERT_EQUAL(bypass_try(&device, &bypass), 0);
	CU_ASSERT_FALSE(bypass.known);
}

static const struct test tests[] = {
	{"ext4 passes direct I/O by the page cache", test_ext4},
	{"XFS passes direct I/O by the page cache", test_xfs},
	{"btrfs with checksums writes into the page cache, with chattr +C past it", test_btrfs},
	{"in tmpfs everything is in the page cache", test_memory},
	{"of a device nothing is tried", test_unknown},
	{NULL, NULL},
};

const struct suite suite_bypass = {"bypass", tests};
