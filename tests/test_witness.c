/* SPDX-License-Identifier: MIT */
/*
 * test_witness.c - how evidence is gathered: on recorded machines what cannot be made here, and
 * what gathering costs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "point_fixture.h"
#include "site_fixture.h"
#include "suite/witness.h"
#include "suites.h"
#include "tree.h"

/* A witness of a path, and a run of one worker that recorded what a test says. */
struct scene {
	struct stack stack;
	struct counters *counters;
	struct facts facts;
	struct witness *witness;
	struct target target;
	struct point point;
	struct recorder recorders[OPERATIONS_MAX];
	struct worker worker;
	struct phase_run run;
	struct measurement measurement;
};

static void scene_open(struct scene *scene, const struct roots *roots, const char *path,
		       const char *phase)
{
	memset(scene, 0, sizeof(*scene));
	scene->target = (struct target){.kind = TARGET_DIRECTORY, .work_fd = -1};
	CU_ASSERT_EQUAL_FATAL(stack_resolve(roots, path, &scene->stack, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(counters_open(&scene->counters, roots, &scene->stack, NULL), 0);
	facts_set_integer(&scene->facts, "cpu_count", 2);
	facts_set_real(&scene->facts, "clock_cost_ns", 25);
	CU_ASSERT_EQUAL_FATAL(witness_open(&scene->witness, roots, &scene->stack, NULL,
					   &scene->target, &scene->facts, scene->counters, NULL),
			      0);
	scene->point = point_at_presets(phase_find(phase));
	scene->worker = (struct worker){.run = &scene->run, .recorders = scene->recorders,
					.work_ns = NS_PER_S, .cpu_user_ns = NS_PER_S / 10,
					.cpu_wait_known = true};
	scene->run = (struct phase_run){.point = &scene->point, .workers = &scene->worker,
					.worker_count = 1, .elapsed_ns = NS_PER_S};
	memcpy(scene->run.resolved, scene->point.values, sizeof(scene->run.resolved));
	measurement_init(&scene->measurement, phase);
	scene->measurement.elapsed_ns = NS_PER_S;
	counters_reset(scene->counters);
	witness_begin(scene->witness);
}

static void scene_close(struct scene *scene)
{
	measurement_release(&scene->measurement);
	witness_close(scene->witness);
	facts_release(&scene->facts);
	counters_close(scene->counters);
	stack_release(&scene->stack);
}

static void record(struct scene *scene, unsigned operation, uint64_t count, uint64_t bytes)
{
	scene->recorders[operation].histogram.count = count;
	scene->recorders[operation].bytes = bytes;
}

static const char *report(struct scene *scene, const char *code)
{
	witness_load(scene->witness, &scene->run, false);
	witness_report(scene->witness, &scene->measurement);
	for (size_t i = 0; i < scene->measurement.flag_count; i++)
		if (!strcmp(scene->measurement.flags[i].code, code))
			return scene->measurement.flags[i].message;
	return "";
}

/* ---- limits ------------------------------------------------------------------------------- */

enum { READ, WRITE }; /* of the phase random */

static void test_limit_v2(void)
{
	struct scene scene;
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	scene_open(&scene, &tree.roots, "/", "random");
	record(&scene, WRITE, 100, 100 * 8192);
	CU_ASSERT_TRUE(says(report(&scene, "throttled"),
			    "limits nvme0n1 wbps=104857600 wiops=2000; the load read 0 B/s and "
			    "wrote 800 KiB/s"));
	scene_close(&scene);
	scene_open(&scene, &tree.roots, "/", "random"); /* reads are not limited */
	record(&scene, READ, 100, 100 * 8192);
	CU_ASSERT_STRING_EQUAL(report(&scene, "throttled"), "");
	CU_ASSERT_PTR_NULL(strstr(report(&scene, "unchecked"), "limits"));
	scene_close(&scene);
	tree_close(&tree);
}

/* It is set while the load runs. */
static void test_limit_meanwhile(void)
{
	static const char path[] = "/sys/fs/cgroup/database.slice/postgresql.service/io.max";
	struct scene scene;
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	tree_remove(&tree, "/sys/fs/cgroup/database.slice/io.max");
	tree_write_text(&tree, path, "");
	scene_open(&scene, &tree.roots, "/", "random");
	record(&scene, READ, 100, 100 * 8192);
	tree_write_text(&tree, path, "259:0 rbps=max wbps=max riops=50 wiops=max\n");
	CU_ASSERT_TRUE(says(report(&scene, "throttled"), "limits nvme0n1 riops=50"));
	scene_close(&scene);
	tree_close(&tree);
}

static void test_blind(void)
{
	struct scene scene;
	struct tree tree;

	tree_open(&tree, "container");
	scene_open(&scene, &tree.roots, "/", "random");
	record(&scene, READ, 100, 100 * 8192);
	CU_ASSERT_TRUE(says(report(&scene, "unchecked"), "limits of the control group"));
	CU_ASSERT_TRUE(says(report(&scene, "unchecked"), "reads came from the device"));
	CU_ASSERT_EQUAL(scene.measurement.flag_count, 1);
	scene_close(&scene);
	tree_close(&tree);
}

/* ---- traffic -------------------------------------------------------------------------------- */

static void write_stat(const struct tree *tree, uint64_t read_sectors)
{
	char text[100];

	snprintf(text, sizeof(text), "100 0 %llu 50 0 0 0 0 0 90 500 0 0 0 0 7 9\n",
		 (unsigned long long)read_sectors);
	tree_write_text(tree, "/sys/class/block/nvme0n1/stat", text);
}

/* What the disk reads during the window, against 100 MiB that the load read. */
static void read_through(struct scene *scene, const struct tree *tree, uint64_t device_bytes)
{
	scene_open(scene, &tree->roots, "/dev/nvme0n1", "random");
	write_stat(tree, 8000);
	counters_start(scene->counters);
	witness_start(scene->witness);
	clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
	scene->run.elapsed_ns = 20 * NS_PER_MS;
	write_stat(tree, 8000 + device_bytes / 512);
	witness_stop(scene->witness, UINT64_MAX);
	counters_stop(scene->counters);
	record(scene, READ, 12800, 100 << 20);
}

static void test_cached(void)
{
	struct scene scene;
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	read_through(&scene, &tree, 10 << 20);
	CU_ASSERT_TRUE(says(report(&scene, "cached"),
			    "of 100 MiB read, 10.0 MiB came from nvme0n1"));
	scene_close(&scene);
	read_through(&scene, &tree, 800 << 20);
	CU_ASSERT_TRUE(says(report(&scene, "foreign"), "of what nvme0n1 moved was not ours"));
	scene_close(&scene);
	tree_close(&tree);
}

/* ---- passes --------------------------------------------------------------------------------- */

/* More passes than are remembered one by one: the change is found all the same. */
static void test_passes(void)
{
	struct scene scene;

	for (int slows = 0; slows < 2; slows++) {
		scene_open(&scene, &roots_real, "/", "block_write");
		for (uint64_t i = 0; i < 5000; i++)
			witness_pass(scene.witness, 1000,
				     slows && i >= 2500 ? 2 * NS_PER_MS : NS_PER_MS);
		record(&scene, 0, 5000, 5000 * 8192);
		CU_ASSERT_TRUE(says(report(&scene, "unsteady"),
				    slows ? "the rate of the passes changed by 50 %" : ""));
		CU_ASSERT_EQUAL(!*report(&scene, "unsteady"), !slows);
		scene_close(&scene);
	}
}

static void test_few_passes(void)
{
	struct scene scene;

	scene_open(&scene, &roots_real, "/", "block_write");
	for (int i = 0; i < 8; i++)
		witness_pass(scene.witness, 1000, NS_PER_MS);
	record(&scene, 0, 8, 8 * 8192);
	CU_ASSERT_TRUE(says(report(&scene, "unchecked"), "whether the rate was steady"));
	scene_close(&scene);
}

/* ---- what it costs, and the pressure -------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Half a percent of the shortest window of use, a fifth of a second, is 1 ms. */
static void test_cost(void)
{
	enum { TIMES = 51 };
	uint64_t costs_ns[TIMES];
	struct scene scene;

	scene_open(&scene, &roots_real, "/", "random");
	for (int i = 0; i < TIMES; i++) {
		uint64_t start_ns = clock_now_ns();

		witness_start(scene.witness);
		witness_stop(scene.witness, UINT64_MAX);
		costs_ns[i] = clock_now_ns() - start_ns;
	}
	qsort(costs_ns, TIMES, sizeof(costs_ns[0]), compare);
	CU_ASSERT(costs_ns[TIMES / 2] < NS_PER_MS);
	scene_close(&scene);
}

static void test_pressure(void)
{
	struct scene scene;
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	tree_write_text(&tree, "/proc/pressure/io", "some avg10=0.00 avg60=0.00 total=5000\n");
	scene_open(&scene, &tree.roots, "/", "random");
	witness_start(scene.witness);
	tree_write_text(&tree, "/proc/pressure/io", "some avg10=0.00 avg60=0.00 total=15000\n");
	clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
	witness_stop(scene.witness, UINT64_MAX);
	report(&scene, "");
	CU_ASSERT(measurement_value(&scene.measurement, "all", "pressure_io") > 1);
	CU_ASSERT(measurement_value(&scene.measurement, "all", "pressure_io") <= 50);
	CU_ASSERT_TRUE(isnan(measurement_value(&scene.measurement, "all", "pressure_absent")));
	scene_close(&scene);
	tree_close(&tree);
}

static const struct test tests[] = {
	{"recorded: limits of version 2 throttle what they limit", test_limit_v2},
	{"recorded: a limit that is set meanwhile is found", test_limit_meanwhile},
	{"recorded: in a container without /sys every check is named as not made", test_blind},
	{"recorded: the device's bytes are held against the load's", test_cached},
	{"a change is found however many passes there are", test_passes},
	{"fewer than nine passes of writes are not judged", test_few_passes},
	{"gathering takes less than half a percent", test_cost},
	{"recorded: pressure is in percent of the time watched", test_pressure},
	{NULL, NULL},
};

const struct suite suite_witness = {"witness", tests};
