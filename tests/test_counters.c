/* SPDX-License-Identifier: MIT */
/* test_counters.c - what devices and CPUs did: from recorded files, and against known traffic. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measurement.h"
#include "suite/counters.h"
#include "tests/suites.h"
#include "tests/tree.h"
#include "tests/volume.h"

/* Counters of a path, and the measurement they report into. */
struct fixture {
	struct stack stack;
	struct counters *counters;
	struct measurement measurement;
};

static void fixture_open(struct fixture *fixture, const struct roots *roots, const char *path)
{
	CU_ASSERT_EQUAL_FATAL(stack_resolve(roots, path, &fixture->stack, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(counters_open(&fixture->counters, roots, &fixture->stack, NULL), 0);
	measurement_init(&fixture->measurement, "test");
}

static void fixture_close(struct fixture *fixture)
{
	measurement_release(&fixture->measurement);
	counters_close(fixture->counters);
	stack_release(&fixture->stack);
}

static const struct device_use *find_use(const struct fixture *fixture, const char *name)
{
	for (size_t i = 0; i < fixture->measurement.device_count; i++)
		if (!strcmp(fixture->measurement.devices[i].name, name))
			return &fixture->measurement.devices[i];
	return NULL;
}

static const struct device_use *use_of(const struct fixture *fixture, const char *name)
{
	const struct device_use *use = find_use(fixture, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(use);
	return use;
}

static void write_stat(const struct tree *tree, const char *device, const char *text)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", device);
	tree_write_text(tree, path, text);
}

/* ---- recorded files ----------------------------------------------------------------------- */

static void test_differences(void)
{
	struct tree tree;
	struct fixture fixture;
	const struct device_use *use;

	tree_open(&tree, "nvme_multipath");
	fixture_open(&fixture, &tree.roots, "/");
	write_stat(&tree, "nvme0n1", "100 1 800 50 200 2 1600 70 3 90 500 0 0 0 0 7 9\n");
	counters_start(fixture.counters);
	write_stat(&tree, "nvme0n1", "110 5 880 55 203 9 1624 80 5 95 520 4 4 4 4 9 9\n");
	counters_stop(fixture.counters);
	write_stat(&tree, "nvme0n1", "999 9 9999 99 999 9 9999 99 9 999 999 0 0 0 0 99 9\n");
	counters_report(fixture.counters, 10 * NS_PER_MS, &fixture.measurement);
	CU_ASSERT_EQUAL_FATAL(fixture.measurement.device_count, 1);
	use = use_of(&fixture, "nvme0n1");
	CU_ASSERT_EQUAL(use->reads, 10);
	CU_ASSERT_EQUAL(use->read_bytes, 80 * 512);
	CU_ASSERT_EQUAL(use->writes, 3);
	CU_ASSERT_EQUAL(use->write_bytes, 24 * 512);
	CU_ASSERT_EQUAL(use->flushes, 2);
	CU_ASSERT_EQUAL(use->busy_ns, 5 * NS_PER_MS);
	CU_ASSERT_EQUAL(use->queue_ns, 20 * NS_PER_MS);
	CU_ASSERT_DOUBLE_EQUAL(
		measurement_value(&fixture.measurement, "all", "device_queue_depth"), 2.0, 1e-9);
	CU_ASSERT_TRUE(counters_know_flushes(fixture.counters));
	CU_ASSERT_PTR_NULL(counters_gap(fixture.counters));
	fixture_close(&fixture);
	tree_close(&tree);
}

/* What happens between two passes is not theirs; a reset forgets both. */
static void test_passes(void)
{
	struct tree tree;
	struct fixture fixture;

	tree_open(&tree, "nvme_multipath");
	fixture_open(&fixture, &tree.roots, "/");
	for (unsigned pass = 0; pass < 3; pass++) {
		write_stat(&tree, "nvme0n1", "1000 0 5000 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		counters_start(fixture.counters);
		write_stat(&tree, "nvme0n1", "1001 0 5008 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		counters_stop(fixture.counters);
	}
	counters_report(fixture.counters, 1, &fixture.measurement);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->reads, 3);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->read_bytes, 3 * 8 * 512);
	measurement_release(&fixture.measurement);
	measurement_init(&fixture.measurement, "test");
	counters_reset(fixture.counters);
	counters_report(fixture.counters, 1, &fixture.measurement);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->reads, 0);
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_wrap(void)
{
	struct tree tree;
	struct fixture fixture;

	tree_open(&tree, "nvme_multipath");
	fixture_open(&fixture, &tree.roots, "/");
	write_stat(&tree, "nvme0n1",
		   "0 0 5000000000 0 0 0 0 0 0 4294967290 4294967000 0 0 0 0 0 0\n");
	counters_start(fixture.counters);
	write_stat(&tree, "nvme0n1", "0 0 5000000008 0 0 0 0 0 0 4 704 0 0 0 0 0 0\n");
	counters_stop(fixture.counters);
	counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->read_bytes, 8 * 512);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->busy_ns, 10 * NS_PER_MS);
	CU_ASSERT_EQUAL(use_of(&fixture, "nvme0n1")->queue_ns, 1000 * NS_PER_MS);
	fixture_close(&fixture);
	tree_close(&tree);
}

/* A mirror writes twice what it is sent: rows are the disks', the traffic is the array's. */
static void test_array(void)
{
	static const char *const disks[] = {"sda", "sdb", "sdc", "sdd"};
	struct tree tree;
	struct fixture fixture;
	struct device_use traffic;

	tree_open(&tree, "md_raid10");
	fixture_open(&fixture, &tree.roots, "/srv");
	for (size_t i = 0; i < 4; i++)
		write_stat(&tree, disks[i], "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	write_stat(&tree, "md127", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	counters_start(fixture.counters);
	for (size_t i = 0; i < 4; i++)
		write_stat(&tree, disks[i], "0 0 0 0 5 0 1000 0 0 10 100 0 0 0 0 1 0\n");
	write_stat(&tree, "md127", "0 0 0 0 9 0 2000 0 0 0 0 0 0 0 0 0 0\n");
	counters_stop(fixture.counters);
	counters_report(fixture.counters, 100 * NS_PER_MS, &fixture.measurement);
	CU_ASSERT_EQUAL(fixture.measurement.device_count, 4);
	for (size_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(use_of(&fixture, disks[i])->write_bytes, 1000 * 512);
	CU_ASSERT_DOUBLE_EQUAL(
		measurement_value(&fixture.measurement, "all", "device_queue_depth"), 4.0, 1e-9);
	CU_ASSERT_TRUE(counters_traffic(fixture.counters, &traffic));
	CU_ASSERT_EQUAL(traffic.write_bytes, 2000 * 512);
	CU_ASSERT_EQUAL(traffic.writes, 9);
	CU_ASSERT_EQUAL(traffic.flushes, 4);
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_partition_traffic(void)
{
	struct tree tree;
	struct fixture fixture;
	struct device_use traffic;

	tree_open(&tree, "nvme_multipath");
	fixture_open(&fixture, &tree.roots, "/data");
	counters_start(fixture.counters);
	write_stat(&tree, "nvme1n1p1", "1053 12 40816 812 2201 331 88064 1904 0 1640 2730\n");
	counters_stop(fixture.counters);
	/* It lost its last fields on the way: that is another device. */
	CU_ASSERT_FALSE(counters_traffic(fixture.counters, &traffic));
	CU_ASSERT_PTR_NOT_NULL(counters_gap(fixture.counters));
	counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
	CU_ASSERT_EQUAL(fixture.measurement.device_count, 2);
	CU_ASSERT_PTR_NOT_NULL(find_use(&fixture, "nvme1c1n1"));
	CU_ASSERT_PTR_NOT_NULL(find_use(&fixture, "nvme1c2n1"));
	fixture_close(&fixture);

	tree_write_text(&tree, "/sys/class/block/nvme1n1p1/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	fixture_open(&fixture, &tree.roots, "/data");
	counters_start(fixture.counters);
	tree_write_text(&tree, "/sys/class/block/nvme1n1p1/stat", "1 0 8 0 0 0 0 0 0 0 0\n");
	counters_stop(fixture.counters);
	CU_ASSERT_TRUE(counters_traffic(fixture.counters, &traffic));
	CU_ASSERT_EQUAL(traffic.read_bytes, 4096);
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_old_kernel(void)
{
	struct tree tree;
	struct fixture fixture;

	tree_open(&tree, "virtio_multipath");
	fixture_open(&fixture, &tree.roots, "/var"); /* vdb has 11 fields */
	CU_ASSERT_FALSE(counters_know_flushes(fixture.counters));
	counters_start(fixture.counters);
	write_stat(&tree, "vdb", "11 0 88 1 20 0 160 2 0 3 3\n");
	counters_stop(fixture.counters);
	counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
	CU_ASSERT_EQUAL(use_of(&fixture, "vdb")->read_bytes, 4096);
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_no_statistics(void)
{
	struct tree tree;
	struct fixture fixture;
	struct device_use traffic;

	tree_open(&tree, "md_raid10");
	tree_write_text(&tree, "/sys/class/block/sdb/queue/iostats", "0\n");
	fixture_open(&fixture, &tree.roots, "/srv");
	counters_start(fixture.counters);
	counters_stop(fixture.counters);
	counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
	CU_ASSERT_EQUAL(fixture.measurement.device_count, 3);
	CU_ASSERT_PTR_NULL(find_use(&fixture, "sdb"));
	/* The depth of some of the disks is not the depth of all. */
	CU_ASSERT_TRUE(isnan(measurement_value(&fixture.measurement, "all", "device_queue_depth")));
	CU_ASSERT_FALSE(counters_know_flushes(fixture.counters));
	CU_ASSERT_PTR_NOT_NULL_FATAL(counters_gap(fixture.counters));
	CU_ASSERT_PTR_NOT_NULL(strstr(counters_gap(fixture.counters), "sdb"));
	CU_ASSERT_TRUE(counters_traffic(fixture.counters, &traffic));
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_nothing_known(void)
{
	struct tree tree;
	struct fixture fixture;
	struct device_use traffic;

	tree_open(&tree, "container");
	fixture_open(&fixture, &tree.roots, "/data");
	counters_start(fixture.counters);
	counters_stop(fixture.counters);
	counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
	CU_ASSERT_EQUAL(fixture.measurement.device_count, 0);
	CU_ASSERT_EQUAL(fixture.measurement.metric_count, 0);
	CU_ASSERT_FALSE(counters_traffic(fixture.counters, &traffic));
	CU_ASSERT_FALSE(counters_know_flushes(fixture.counters));
	CU_ASSERT_PTR_NOT_NULL(counters_gap(fixture.counters));
	fixture_close(&fixture);
	tree_close(&tree);
}

static double metric_of(const struct fixture *fixture, const char *name)
{
	return measurement_value(&fixture->measurement, "all", name);
}

static void test_processors(void)
{
	struct tree tree;
	struct fixture fixture;
	double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);

	tree_open(&tree, "nvme_multipath");
	tree_write_text(&tree, "/proc/stat", "cpu  100 10 50 1000 70 5 5 3 1 0\ncpu0 9 9 9 9\n");
	fixture_open(&fixture, &tree.roots, "/");
	counters_start(fixture.counters);
	/* 20 + 1 + 10 + 2 + 2 busy; guest time is in the user's; waiting ran backwards */
	tree_write_text(&tree, "/proc/stat", "cpu  120 11 60 1200 60 7 7 13 9 0\ncpu0 9 9 9 9\n");
	counters_stop(fixture.counters);
	counters_report(fixture.counters, (uint64_t)(100 * tick_ns), &fixture.measurement);
	CU_ASSERT_DOUBLE_EQUAL(metric_of(&fixture, "cpu_busy"), 35.0, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(metric_of(&fixture, "cpu_iowait"), 0.0, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(metric_of(&fixture, "cpu_steal"), 10.0, 1e-6);
	fixture_close(&fixture);
	tree_close(&tree);
}

static void test_no_time(void)
{
	struct tree tree;
	struct fixture fixture;

	tree_open(&tree, "nvme_multipath");
	fixture_open(&fixture, &tree.roots, "/");
	counters_start(fixture.counters);
	counters_stop(fixture.counters);
	counters_report(fixture.counters, 0, &fixture.measurement);
	CU_ASSERT_EQUAL(fixture.measurement.metric_count, 0);
	fixture_close(&fixture);
	counters_close(NULL);
	tree_close(&tree);
}

/* ---- this machine ------------------------------------------------------------------------- */

enum { BLOCK = 64 << 10, BLOCKS = 32, TRAFFIC = BLOCK * BLOCKS };

/* Writes all blocks directly, syncs, and reads them back; false where direct I/O is refused. */
static bool move_blocks(const char *path, bool sync)
{
	int fd = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	void *block = NULL;
	bool moved = fd >= 0 && posix_memalign(&block, 4096, BLOCK) == 0;

	if (moved)
		memset(block, 0x5a, BLOCK);
	for (int i = 0; moved && i < BLOCKS; i++)
		moved = pwrite(fd, block, BLOCK, (off_t)i * BLOCK) == BLOCK;
	if (moved && sync)
		moved = fdatasync(fd) == 0;
	for (int i = 0; moved && i < BLOCKS; i++)
		moved = pread(fd, block, BLOCK, (off_t)i * BLOCK) == BLOCK;
	free(block);
	if (fd >= 0)
		close(fd);
	return moved;
}

static void test_raw_device(void)
{
	char scratch[] = "/tmp/assay-counters.XXXXXX", file[64], loop[NAME_MAX_BYTES], device[80];
	struct fixture fixture;
	struct device_use traffic;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
	snprintf(file, sizeof(file), "%s/disk.img", scratch);
	CU_ASSERT_EQUAL(volume_shell("truncate -s 16M '%s'", file), 0);
	if (geteuid() || !volume_attach(file, "", loop)) {
		test_skip("loop devices need root");
	} else {
		snprintf(device, sizeof(device), "/dev/%s", loop);
		fixture_open(&fixture, &roots_real, device);
		counters_start(fixture.counters);
		CU_ASSERT_TRUE(move_blocks(device, true));
		counters_stop(fixture.counters);
		CU_ASSERT_TRUE(move_blocks(device, true)); /* after the window: not counted */
		counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
		CU_ASSERT_EQUAL(fixture.measurement.device_count, 1);
		CU_ASSERT_EQUAL(use_of(&fixture, loop)->write_bytes, TRAFFIC);
		CU_ASSERT_EQUAL(use_of(&fixture, loop)->read_bytes, TRAFFIC);
		CU_ASSERT_TRUE(counters_traffic(fixture.counters, &traffic));
		CU_ASSERT_EQUAL(traffic.write_bytes, TRAFFIC);
		if (counters_know_flushes(fixture.counters))
			CU_ASSERT_EQUAL(use_of(&fixture, loop)->flushes, 1);
		fixture_close(&fixture);
		volume_detach(loop);
	}
	CU_ASSERT_EQUAL(volume_shell("rm -r '%s'", scratch), 0);
}

/* A journal adds a little, and never to what is read. */
static void test_file(void)
{
	struct volume volume;
	struct fixture fixture;
	const struct device_use *use;
	char file[VOLUME_PATH_MAX + 8];

	if (!volume_open(&volume, "ext4", 1))
		return;
	snprintf(file, sizeof(file), "%s/file", volume.mount);
	if (!move_blocks(file, true)) {
		test_skip("no direct I/O on this filesystem");
	} else {
		fixture_open(&fixture, &roots_real, volume.mount);
		counters_start(fixture.counters);
		CU_ASSERT_TRUE(move_blocks(file, true));
		counters_stop(fixture.counters);
		counters_report(fixture.counters, NS_PER_S, &fixture.measurement);
		use = use_of(&fixture, volume.loops[0]);
		CU_ASSERT_EQUAL(use->read_bytes, TRAFFIC);
		CU_ASSERT_TRUE(use->write_bytes >= TRAFFIC);
		CU_ASSERT_TRUE(use->write_bytes < TRAFFIC + TRAFFIC / 4);
		fixture_close(&fixture);
	}
	volume_close(&volume);
}

static void test_busy_processor(void)
{
	struct fixture fixture;
	uint64_t start_ns, spent_ns;

	fixture_open(&fixture, &roots_real, "/");
	counters_start(fixture.counters);
	start_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	do
		spent_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
	while (spent_ns < 150 * NS_PER_MS);
	counters_stop(fixture.counters);
	counters_report(fixture.counters, 150 * NS_PER_MS, &fixture.measurement);
	if (isnan(metric_of(&fixture, "cpu_busy")))
		test_skip("/proc/stat does not tell here");
	else
		CU_ASSERT_TRUE(metric_of(&fixture, "cpu_busy") > 70);
	fixture_close(&fixture);
}

static const struct test tests[] = {
	{"a device's use is the difference between start and stop", test_differences},
	{"passes add up, what is between them does not count", test_passes},
	{"times wrap at 32 bits, counts do not", test_wrap},
	{"an array's traffic is what it was sent, not what its disks wrote", test_array},
	{"a device that changes under way is left out, and said to be", test_partition_traffic},
	{"a kernel that does not count flushes is known as such", test_old_kernel},
	{"a disk without statistics is left out, and said to be", test_no_statistics},
	{"where no device is known nothing is reported", test_nothing_known},
	{"CPU time is in percent of one CPU", test_processors},
	{"no time gives no metrics", test_no_time},
	{"a raw device's counters equal what was moved, to the byte", test_raw_device},
	{"a file's counters equal what was moved, but for the journal", test_file},
	{"a busy CPU shows", test_busy_processor},
	{NULL, NULL},
};

const struct suite suite_counters = {"counters", tests};
