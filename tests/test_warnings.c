/* SPDX-License-Identifier: MIT */
/* test_warnings.c - what is worth minding before a run: each rule with what it minds and
 * without. */
#include <stdlib.h>
#include <string.h>

#include "site_fixture.h"
#include "suite/inspection.h"
#include "suites.h"

#define GIB (1LL << 30)

/* An idle machine with ext4 on one disk. */
static struct inspection good(void)
{
	struct inspection inspection = {.has_target = true, .direct = DIRECT_WORKS};
	struct facts *facts = &inspection.facts;

	inspection.stack.medium = MEDIUM_DISK;
	inspection.background.watched = true;
	facts_set_text(facts, "filesystem", "ext4");
	facts_set_text(facts, "mount_options", "rw,relatime");
	facts_set_text(facts, "mount_options_in_force", "rw,barrier,data=ordered");
	facts_set_integer(facts, "filesystem_bytes", 100 * GIB);
	facts_set_integer(facts, "filesystem_available_bytes", 60 * GIB);
	facts_set_integer(facts, "filesystem_inodes", 1000);
	facts_set_integer(facts, "filesystem_inodes_used", 100);
	facts_set_integer(facts, "memory_bytes", 16 * GIB);
	facts_set_integer(facts, "memory_usable_bytes", 16 * GIB);
	facts_set_text(facts, "cpu_governor", "performance");
	facts_set_integer(facts, "cpu_count", 4);
	facts_set_real(facts, "load_average", 0.1);
	facts_set_real(facts, "clock_cost_ns", 25);
	facts_set_text(facts, "clock_source", "tsc");
	facts_set_text(facts, "privileged", "yes");
	return inspection;
}

/* Exactly this code is warned of, in these words; NULL: nothing is. */
static void expect(struct inspection *inspection, const char *code, const char *text)
{
	struct warnings warnings;

	warnings_find(&warnings, inspection);
	CU_ASSERT_EQUAL(warnings.count, code ? 1 : 0);
	if (code && warnings.count == 1) {
		CU_ASSERT_STRING_EQUAL(warnings.items[0].code, code);
		CU_ASSERT_TRUE(says(warnings.items[0].message, text));
	}
	for (size_t i = code ? 1 : 0; i < warnings.count; i++)
		printf("\n    %s: %s\n", warnings.items[i].code, warnings.items[i].message);
	warnings_release(&warnings);
	inspection_close(inspection);
}

static void test_nothing(void)
{
	struct inspection inspection = good();

	expect(&inspection, NULL, NULL);
}

static void test_texts(void)
{
	static const struct {
		const char *fact, *value, *code, *text;
	} cases[] = {
		{"mount_options", "rw,nobarrier", "barriers_off", "nobarrier"},
		{"mount_options_in_force", "rw,barrier=0", "barriers_off", "barrier=0"},
		{"mount_options", "ro,relatime", "read_only", "read-only"},
		{"mount_options", "rw,errors=remount-ro", NULL, NULL},
		{"compression", "zstd:3", "compression", "zstd:3"},
		{"filesystem", "btrfs", "buffered", "chattr +C"},
		{"cgroup_io_max", "sda rbps=1000", "throttled", "sda rbps=1000"},
		{"cpu_governor", "powersave", "governor", "powersave"},
		{"power_source", "battery", "battery", "battery"},
		{"power_source", "mains", NULL, NULL},
		{"transparent_hugepage", "never", "small_pages", "large requests"},
		{"transparent_hugepage", "madvise", NULL, NULL},
		{"privileged", "no", "unprivileged", "without root"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inspection inspection = good();

		facts_set_text(&inspection.facts, cases[i].fact, cases[i].value);
		expect(&inspection, cases[i].code, cases[i].text);
	}
}

static void test_numbers(void)
{
	static const struct {
		const char *fact;
		double value;
		const char *code, *text;
	} cases[] = {
		{"filesystem_available_bytes", 9.0 * GIB, "nearly_full", "9.00 GiB or 9 %"},
		{"filesystem_available_bytes", 11.0 * GIB, NULL, NULL},
		{"filesystem_inodes_used", 950, "nearly_full", "95 % of the filesystem's inodes"},
		{"memory_limit_bytes", 1.0 * GIB, "memory_limit", "1.00 GiB of the machine's 16.0 "
								  "GiB"},
		{"memory_limit_bytes", 12.0 * GIB, NULL, NULL},
		{"load_average", 4.5, "load", "4.5 processes want to run on 4 CPUs"},
		{"cpu_limit_percent", 50, "cpu_limit", "50 % of one CPU"},
		{"clock_cost_ns", 1300, "clock", "1300 ns"},
		{"md_degraded", 1, "degraded", "lacks 1"},
		{"md_degraded", 0, NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inspection inspection = good();

		facts_set_real(&inspection.facts, cases[i].fact, cases[i].value);
		expect(&inspection, cases[i].code, cases[i].text);
	}
}

static void test_btrfs_without_checksums(void)
{
	struct inspection inspection = good();

	facts_set_text(&inspection.facts, "filesystem", "btrfs");
	facts_set_text(&inspection.facts, "checksums", "no");
	expect(&inspection, NULL, NULL);
}

static void test_background(void)
{
	struct inspection inspection = good();

	inspection.background.busy = true;
	snprintf(inspection.background.io, sizeof(inspection.background.io), "sda 40 %% busy");
	expect(&inspection, "other_io", "sda 40 % busy");
	inspection = good();
	snprintf(inspection.background.work, sizeof(inspection.background.work),
		 "md0 does a resync");
	expect(&inspection, "background", "md0 does a resync");
	inspection = good();
	snprintf(inspection.background.unseen, sizeof(inspection.background.unseen), "a scrub");
	expect(&inspection, "unseen", "a scrub");
}

static void test_storage(void)
{
	struct stack_node loop = {.name = "loop7",
				  .kind = STACK_LOOP,
				  .disk = true,
				  .buffered = true};
	struct inspection inspection = good();
	struct warnings warnings;

	inspection.stack.nodes = &loop;
	inspection.stack.count = 1;
	warnings_find(&warnings, &inspection);
	CU_ASSERT_EQUAL_FATAL(warnings.count, 1);
	CU_ASSERT_STRING_EQUAL(warnings.items[0].code, "loop_buffered");
	CU_ASSERT_TRUE(says(warnings.items[0].message, "loop7"));
	warnings_release(&warnings);
	inspection.stack.nodes = NULL;
	inspection.stack.count = 0;
	inspection_close(&inspection);

	inspection = good();
	inspection.stack.medium = MEDIUM_MEMORY;
	expect(&inspection, "memory", "nothing in it is durable");
	inspection = good();
	inspection.stack.medium = MEDIUM_NETWORK;
	expect(&inspection, "not_local", "network");
	inspection = good();
	snprintf(inspection.gap, sizeof(inspection.gap), "sda keeps no statistics");
	expect(&inspection, "uncounted", "sda keeps no statistics");
}

static void test_direct(void)
{
	struct inspection inspection = good();

	inspection.direct = DIRECT_REFUSED;
	snprintf(inspection.direct_file, sizeof(inspection.direct_file), "a.img");
	expect(&inspection, "direct_io", "a.img");
	inspection = good(); /* nobody could tell */
	inspection.direct = DIRECT_UNKNOWN;
	expect(&inspection, NULL, NULL);
}

static void test_machine_alone(void)
{
	struct inspection inspection = {0};

	CU_ASSERT_EQUAL_FATAL(inspection_open(&inspection, &roots_real, NULL, 0, NULL, NULL), 0);
	CU_ASSERT_FALSE(inspection.has_target);
	CU_ASSERT_PTR_NOT_NULL(facts_find(&inspection.facts, "kernel"));
	CU_ASSERT_PTR_NULL(facts_find(&inspection.facts, "filesystem"));
	inspection_close(&inspection);
	CU_ASSERT(inspection_open(&inspection, &roots_real, "/no/such/place", 0, NULL, NULL) < 0);
	inspection_close(&inspection);
}

static const struct test tests[] = {
	{"an idle machine with room gives nothing to mind", test_nothing},
	{"options, governors, limits and rights are minded, what merely looks alike is not",
	 test_texts},
	{"numbers are minded beyond their bounds alone", test_numbers},
	{"btrfs without checksums gives nothing to mind", test_btrfs_without_checksums},
	{"what others do on the disks is minded", test_background},
	{"memory, network and buffered loop devices are minded", test_storage},
	{"direct I/O is minded where it is known to be refused", test_direct},
	{"without a target the machine alone is looked at", test_machine_alone},
	{NULL, NULL},
};

const struct suite suite_warnings = {"warnings", tests};
