/* SPDX-License-Identifier: MIT */
/*
 * test_plan.c - from profile and command line to points: which, in what order, with which values,
 * at what cost, and whether that fits.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "site_fixture.h"
#include "suite/plan.h"
#include "suite/progress.h"
#include "suites.h"

#define GIB (1ULL << 30)
#define TIB (1ULL << 40)

static const struct target somewhere = {
	.kind = TARGET_DIRECTORY, .path = "/", .work_fd = -1, .logical_block_bytes = 512,
	.memory_align_bytes = 4096, .disks = 1};

/* A command line in the making. */
struct asked {
	struct options options;
	const char *words[16];
};

static struct asked ask(const char *profile_text)
{
	return (struct asked){.options = {.profile = "mine.ini",
					  .profile_text = profile_text,
					  .rounds = 1,
					  .max_write_bytes = UINT64_MAX}};
}

static void set(struct asked *asked, const char *word)
{
	asked->words[asked->options.set.count++] = word;
	asked->options.set.items = asked->words;
}

static void override(struct asked *asked, const char *param, const char *text)
{
	CU_ASSERT_EQUAL_FATAL(options_override(&asked->options, param, text, NULL), 0);
}

/* Fails the test unless there is a plan; the caller's to release. */
static struct plan planned(const struct asked *asked)
{
	struct err err = {0};
	struct plan plan;

	if (plan_make(&plan, &asked->options, "quick", &somewhere, &err)) {
		printf("\n    %s", err.text);
		CU_FAIL("there is no plan");
	}
	return plan;
}

static void refused(const struct asked *asked, const char *part, const char *other)
{
	struct err err = {0};
	struct plan plan;

	CU_ASSERT_EQUAL(plan_make(&plan, &asked->options, "quick", &somewhere, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, part));
	CU_ASSERT(says(err.text, other));
	plan_release(&plan);
}

/* The points in short are exactly those listed; the list ends with NULL. */
static void check_points(const struct plan *plan, ...)
{
	const char *wanted;
	size_t i = 0;
	va_list args;

	va_start(args, plan);
	for (; (wanted = va_arg(args, const char *)); i++) {
		char text[256] = "nothing";

		if (i < plan->count)
			point_describe(&plan->points[i], text, sizeof(text));
		if (strcmp(text, wanted) != 0) {
			printf("\n    point %zu: wanted \"%s\", got \"%s\"", i, wanted, text);
			CU_FAIL("another point was wanted");
		}
	}
	va_end(args);
	CU_ASSERT_EQUAL(plan->count, i);
}

static uint64_t number(const struct plan *plan, size_t point, const char *name)
{
	CU_ASSERT_FATAL(point < plan->count);
	return point_number(&plan->points[point], name);
}

/* ---- which phases ---- */

static void a_profile_gives_its_phases_in_the_order_of_the_battery(void)
{
	struct asked asked = ask("[seeks]\n[rewrite]\n[block_write]\n");
	struct plan plan = planned(&asked);

	check_points(&plan, "block_write", "rewrite", "seeks", NULL);
	plan_release(&plan);
}

static void phases_alone_picks_from_profile_or_presets(void)
{
	struct asked asked = ask("[seeks]\nseekers = 3\n[rewrite]\nblock_size = 4k\n");
	struct plan plan;

	asked.options.phases = "seeks,block_read";
	plan = planned(&asked);
	check_points(&plan, "block_read", "seeks seekers=3", NULL);
	plan_release(&plan);
}

static void groups_name_all_their_phases(void)
{
	static const char *const groups[] = {"files", "patterns", "orion", "all"};
	struct asked asked = ask("[seeks]\n");

	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		struct plan plan;

		asked.options.phases = groups[g];
		plan = planned(&asked);
		for (size_t i = 0; phases[i]; i++) {
			bool wanted = !strcmp(groups[g], "all") ||
				      !strcmp(groups[g], phases[i]->group);
			bool found = false;

			for (size_t p = 0; p < plan.count; p++)
				found |= plan.points[p].phase == phases[i];
			CU_ASSERT(!wanted || found || phases[i]->expand);
			CU_ASSERT(wanted || !found);
		}
		plan_release(&plan);
	}
}

static void a_phase_named_twice_is_measured_once(void)
{
	struct asked asked = ask("[seeks]\n");
	struct plan plan;

	asked.options.phases = "seeks,seeks";
	plan = planned(&asked);
	check_points(&plan, "seeks", NULL);
	plan_release(&plan);
}

static void unknown_phases_are_refused_with_the_nearest(void)
{
	struct asked asked = ask("[seeks]\n");

	asked.options.phases = "seks";
	refused(&asked, "--phases", "did you mean \"seeks\"?");
	asked.options.phases = "seeks,pattern";
	refused(&asked, "\"pattern\"", "did you mean \"patterns\"?");
	asked.options.phases = "something_else";
	refused(&asked, "\"something_else\"", "assay help phases");
	asked.options.phases = "seeks,";
	refused(&asked, "\"\"", "--phases");
}

/* ---- which values ---- */

static void lists_multiply_and_the_last_parameter_varies_fastest(void)
{
	struct asked asked = ask("[seeks]\nseekers = 1,2\nblock_size = 4k, 16k\n"
				 "rewrite_percent = 0,50\n");
	struct plan plan = planned(&asked);

	check_points(&plan, "seeks block_size=4k seekers=1 rewrite_percent=0",
		     "seeks block_size=4k seekers=1 rewrite_percent=50",
		     "seeks block_size=4k seekers=2 rewrite_percent=0",
		     "seeks block_size=4k seekers=2 rewrite_percent=50",
		     "seeks block_size=16k seekers=1 rewrite_percent=0",
		     "seeks block_size=16k seekers=1 rewrite_percent=50",
		     "seeks block_size=16k seekers=2 rewrite_percent=0",
		     "seeks block_size=16k seekers=2 rewrite_percent=50", NULL);
	plan_release(&plan);
}

/* Preset, [profile], section, option, --set: each beats those before it. */
static void the_later_word_is_the_stronger(void)
{
	struct asked asked = ask("[seeks]\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(number(&plan, 0, "size"), GIB);
	CU_ASSERT_EQUAL(number(&plan, 0, "time"), 5 * NS_PER_S);
	plan_release(&plan);
	asked = ask("[profile]\nsize = 2g\ntime = 7s\n[seeks]\n");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(number(&plan, 0, "size"), 2 * GIB);
	CU_ASSERT_EQUAL(number(&plan, 0, "time"), 7 * NS_PER_S);
	plan_release(&plan);
	asked = ask("[seeks]\nsize = 3g\n[profile]\nsize = 2g\n");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(number(&plan, 0, "size"), 3 * GIB);
	plan_release(&plan);
	override(&asked, "size", "4g");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(number(&plan, 0, "size"), 4 * GIB);
	plan_release(&plan);
	set(&asked, "seeks.size=5g");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(number(&plan, 0, "size"), 5 * GIB);
	plan_release(&plan);
	set(&asked, "files.size=6g");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(number(&plan, 0, "size"), 6 * GIB);
	plan_release(&plan);
}

static void a_list_is_replaced_as_a_whole(void)
{
	struct asked asked = ask("[seeks]\nseekers = 1,2,3\n");
	struct plan plan;

	set(&asked, "seeks.seekers=7,8");
	plan = planned(&asked);
	check_points(&plan, "seeks seekers=7", "seeks seekers=8", NULL);
	plan_release(&plan);
}

static void set_reaches_a_phase_a_group_or_all(void)
{
	struct asked asked = ask("[block_write]\n[rewrite]\n[stat_random]\n");
	struct plan plan;

	set(&asked, "rewrite.block_size=64k");
	plan = planned(&asked);
	check_points(&plan, "block_write", "rewrite block_size=64k", "stat_random", NULL);
	plan_release(&plan);
	set(&asked, "files.block_size=32k");
	plan = planned(&asked);
	check_points(&plan, "block_write block_size=32k", "rewrite block_size=32k", "stat_random",
		     NULL);
	plan_release(&plan);
	set(&asked, "all.time=3s");
	plan = planned(&asked);
	for (size_t i = 0; i < plan.count; i++)
		CU_ASSERT_EQUAL(number(&plan, i, "time"), 3 * NS_PER_S);
	plan_release(&plan);
}

static void refused_set(const char *word, const char *part, const char *other)
{
	struct asked asked = ask("[seeks]\n[rewrite]\n");

	set(&asked, word);
	refused(&asked, part, other);
}

static void what_set_cannot_mean_is_refused(void)
{
	refused_set("seeks.seekrs=4", "--set seeks.seekrs=4", "did you mean \"seekers\"?");
	refused_set("seks.seekers=4", "--set", "did you mean \"seeks\"?");
	refused_set("block_read.block_size=4k", "block_read is not in this battery", "");
	refused_set("orion.block_size=4k", "orion is not in this battery", "");
	refused_set("files.queue_depth=4", "no parameter \"queue_depth\"", "");
	refused_set("seeks", "PHASE.PARAMETER=VALUE", "--set seeks");
	refused_set("seeks.seekers", "PHASE.PARAMETER=VALUE", "");
	refused_set("seeks=4", "PHASE.PARAMETER=VALUE", "");
	refused_set("=4", "PHASE.PARAMETER=VALUE", "");
	refused_set(".seekers=4", "PHASE.PARAMETER=VALUE", "");
	refused_set("seeks.=4", "--set seeks.=4", "no parameter \"\"");
	refused_set("seeks.seekers=", "seeks: seekers", "");
	refused_set("seeks.seekers=4,,5", "seeks: seekers", "");
	refused_set("seeks.io=bufered", "seeks: io", "did you mean \"buffered\"?");
	refused_set("seeks.rewrite_percent=101", "seeks: rewrite_percent", "largest");
}

/* It would be silently without effect. */
static void an_option_no_phase_takes_is_refused(void)
{
	struct asked asked = ask("[seeks]\n");

	override(&asked, "engine", "libaio");
	refused(&asked, "--engine", "no phase of this battery");
}

static void an_option_reaches_every_phase_that_has_it(void)
{
	struct asked asked = ask("[block_write]\n[stat_random]\n[seeks]\nio = buffered\n");
	struct plan plan;

	override(&asked, "io", "direct");
	plan = planned(&asked);
	check_points(&plan, "block_write io=direct", "seeks io=direct", "stat_random", NULL);
	plan_release(&plan);
}

static void each_cpu_makes_a_point(void)
{
	struct asked asked = ask("[random]\n");
	struct plan plan;
	cpu_set_t usable;

	override(&asked, "cpus", "each");
	plan = planned(&asked);
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(usable), &usable), 0);
	CU_ASSERT_EQUAL(plan.count, (size_t)CPU_COUNT(&usable));
	for (size_t i = 0; i < plan.count; i++)
		CU_ASSERT_STRING_NOT_EQUAL(point_text(&plan.points[i], "cpus"), "each");
	plan_release(&plan);
}

static void a_battery_of_nothing_is_refused(void)
{
	struct asked asked = ask("[stat_random]\nfiles = 0\n");
	struct plan plan;

	refused(&asked, "nothing is left to measure", "");
	asked = ask("[stat_random]\nfiles = 0,100\n[create_random]\nfiles = 0\n");
	plan = planned(&asked);
	check_points(&plan, "stat_random files=100", NULL);
	plan_release(&plan);
}

static void too_many_points_or_rounds_are_refused(void)
{
	struct asked asked = ask("[seeks]\n");
	char many[2000] = "seeks.block_size=1";
	size_t used = strlen(many);

	for (int i = 2; i <= 256; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used, ",%d", i);
	set(&asked, many);
	set(&asked, "seeks.seekers=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20");
	set(&asked, "seeks.rewrite_percent=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20");
	refused(&asked, "100000 points", "");
	snprintf(many + used, sizeof(many) - used, ",257");
	refused(&asked, "more than 256 values", "seeks.block_size");
	asked = ask("[seeks]\n");
	asked.options.rounds_given = true;
	asked.options.rounds = 1ULL << 60;
	refused(&asked, "--rounds", "too many");
}

static void rounds_are_the_profiles_unless_said(void)
{
	struct asked asked = ask("[profile]\nrounds = 3\n[seeks]\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(plan.rounds, 3);
	plan_release(&plan);
	asked.options.rounds = 1;
	asked.options.rounds_given = true;
	plan = planned(&asked);
	CU_ASSERT_EQUAL(plan.rounds, 1);
	plan_release(&plan);
}

/* ---- costs ---- */

static struct phase_cost cost_of(const char *profile_text)
{
	struct asked asked = ask(profile_text);
	struct plan plan = planned(&asked);
	struct phase_cost cost = plan.cost;

	plan_release(&plan);
	return cost;
}

/* The data set once at a time; what is written adds up, a lay-out where nobody made the file. */
static void costs_add_up(void)
{
	struct phase_cost cost = cost_of("[profile]\nsize = 2g\ntime = 4s\n[block_write]\n");

	CU_ASSERT_EQUAL(cost.data_bytes, 2 * GIB);
	CU_ASSERT_EQUAL(cost.write_bytes, 2 * GIB);
	CU_ASSERT_EQUAL(cost.time_ns, 4 * NS_PER_S);
	CU_ASSERT_EQUAL(cost.inodes, 1);
	cost = cost_of("[profile]\nsize = 2g\n[block_write]\n[rewrite]\n[block_read]\n");
	CU_ASSERT_EQUAL(cost.data_bytes, 2 * GIB);
	CU_ASSERT_EQUAL(cost.write_bytes, 4 * GIB);
	cost = cost_of("[profile]\nsize = 2g\n[block_read]\n");
	CU_ASSERT_EQUAL(cost.write_bytes, 2 * GIB);
	cost = cost_of("[block_read]\nsize = 1g,2g\n");
	CU_ASSERT_EQUAL(cost.data_bytes, 2 * GIB);
	CU_ASSERT_EQUAL(cost.write_bytes, 3 * GIB);
	cost = cost_of("[profile]\nsize = 2g\n[block_read]\nio = direct\n");
	CU_ASSERT_EQUAL(cost.memory_bytes, 0);
}

/* What a point and those after it write at least: what --max-write keeps back for them. */
static void what_is_still_to_be_written_falls_to_nothing(void)
{
	struct asked asked = ask("[profile]\nsize = 2g\n[block_write]\n[rewrite]\n[block_read]\n"
				 "size = 1g\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(plan.least_writes[0], plan.cost.write_bytes);
	CU_ASSERT_EQUAL(plan.least_writes[0], 5 * GIB);
	CU_ASSERT_EQUAL(plan.least_writes[1], 3 * GIB);
	CU_ASSERT_EQUAL(plan.least_writes[2], GIB);
	CU_ASSERT_EQUAL(plan.least_writes[3], 0);
	plan_release(&plan);
}

static void small_files_cost_inodes_and_blocks(void)
{
	struct phase_cost cost = cost_of("[create_random]\nfiles = 1000\ndirectories = 10\n"
					 "file_size = 0:5000\ntime = 1s\n");

	CU_ASSERT_EQUAL(cost.inodes, 1011);
	CU_ASSERT_EQUAL(cost.data_bytes, 1000 * 8192);
	CU_ASSERT_EQUAL(cost.write_bytes, 1000 * 2500);
	CU_ASSERT_EQUAL(cost.time_ns, NS_PER_S);
}

static void terabytes_add_up(void)
{
	struct phase_cost cost = cost_of("[profile]\nsize = "
					 "3t\n[block_write]\n[rewrite]\n[seeks]\n");

	CU_ASSERT_EQUAL(cost.data_bytes, 3 * TIB);
	CU_ASSERT_EQUAL(cost.write_bytes, 6 * TIB + 3 * TIB / 4 / 10);
}

static void a_warm_up_counts_as_time(void)
{
	struct phase_cost cost = cost_of("[random]\ntime = 4s\n");

	CU_ASSERT_EQUAL(cost.time_ns, 5 * NS_PER_S);
}

/* ---- does it fit ---- */

static int check(struct asked *asked, const struct target *target, struct err *err)
{
	struct plan plan = planned(asked);
	int code = plan_check(&plan, &asked->options, target, err);

	plan_release(&plan);
	return code;
}

static void what_does_not_leave_a_twentieth_free_is_refused(void)
{
	struct asked asked = ask("[block_read]\n");
	struct err err = {0};
	struct site site;
	struct statvfs fs;
	uint64_t usable;
	char size[32];

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(statvfs(site.directory, &fs), 0);
	usable = fs.f_bavail * fs.f_frsize - fs.f_blocks * fs.f_frsize / 20;
	snprintf(size, sizeof(size), "%llu", (unsigned long long)(usable - usable / 10));
	override(&asked, "size", size);
	CU_ASSERT_EQUAL(check(&asked, &site.target, &err), 0);
	snprintf(size, sizeof(size), "%llu", (unsigned long long)(usable + usable / 10));
	override(&asked, "size", size);
	CU_ASSERT_EQUAL(check(&asked, &site.target, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "does not fit"));
	CU_ASSERT(says(err.text, site.directory));
	override(&asked, "size", "1000p");
	CU_ASSERT_EQUAL(check(&asked, &site.target, &err), ERR_USAGE);
	site_close(&site);
}

static void more_files_than_inodes_are_refused(void)
{
	struct asked asked = ask("[create_random]\nfiles = 100000000\n");
	struct err err = {0};
	struct site site;
	struct statvfs fs;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(statvfs(site.directory, &fs), 0);
	if (!fs.f_files || fs.f_favail > 100000000)
		test_skip("there are more than 100 million inodes here");
	else
		CU_ASSERT_EQUAL(check(&asked, &site.target, &err), ERR_USAGE);
	if (err.code)
		CU_ASSERT(says(err.text, "100000002 files do not fit"));
	site_close(&site);
}

static void more_than_max_write_is_refused_before_it_starts(void)
{
	struct asked asked = ask("[profile]\nsize = 1m\n[block_write]\n[rewrite]\n");
	struct err err = {0};

	asked.options.max_write_bytes = 2 << 20;
	CU_ASSERT_EQUAL(check(&asked, &somewhere, &err), 0);
	asked.options.max_write_bytes--;
	CU_ASSERT_EQUAL(check(&asked, &somewhere, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "--max-write"));
	asked.options.max_write_bytes = 6 << 20;
	asked.options.rounds_given = true;
	asked.options.rounds = 3;
	CU_ASSERT_EQUAL(check(&asked, &somewhere, &err), 0);
	asked.options.rounds = 4;
	CU_ASSERT_EQUAL(check(&asked, &somewhere, &err), ERR_USAGE);
}

/* So much that a product wraps around would look like little. */
static void what_is_written_in_all_does_not_wrap_around(void)
{
	struct asked asked = ask("[profile]\nsize = 4p\n[block_write]\n");
	struct err err = {0};

	asked.options.max_write_bytes = TIB;
	asked.options.rounds_given = true;
	asked.options.rounds = 4096; /* 2^52 times 2^12 */
	CU_ASSERT_EQUAL(check(&asked, &somewhere, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "--max-write"));
}

static void the_plan_is_printed_point_by_point(void)
{
	struct asked asked = ask("[profile]\nname = mine\nsize = 1m\nrounds = 2\n[block_write]\n"
				 "[seeks]\nseekers = 1,2\n");
	struct plan plan = planned(&asked);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	plan_print(&plan, &somewhere, out);
	fclose(out);
	CU_ASSERT(says(text, "mine"));
	CU_ASSERT(says(text, "points    3\n"));
	CU_ASSERT(says(text, "  block_write size=1m\n"));
	CU_ASSERT(says(text, "  seeks size=1m seekers=2\n"));
	CU_ASSERT(says(text, "rounds    2\n"));
	CU_ASSERT(says(text, "1.00 MiB, 1 files"));
	free(text);
	plan_release(&plan);
}

static void a_value_listed_twice_is_measured_once(void)
{
	struct asked asked = ask("[random]\nblock_size = 8k,4k,8192\nqueue_depth = 1,1\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(plan.count, 2);
	plan_release(&plan);
}

/* The edge of the row is a load that dss has by itself. */
static void an_edge_that_is_a_ramp_too_is_measured_once(void)
{
	struct asked asked = ask("[dss]\nnum_large = 1\ndisks = 1\n"
				 "[mixed]\nnum_small = 0,2\nnum_large = 1\ndisks = 1\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(plan.count, 2);
	plan_release(&plan);
}

static void rounds_of_a_steady_state_are_a_range(void)
{
	struct asked asked = ask("[random]\n[steady_state]\ntrack = random.read.rate\n");
	struct plan plan = planned(&asked);

	CU_ASSERT_EQUAL(plan.rounds, 5);
	CU_ASSERT_EQUAL(plan.rounds_max, 25);
	plan_release(&plan);
	asked.options.rounds_given = true;
	asked.options.rounds = 2;
	plan = planned(&asked);
	CU_ASSERT_EQUAL(plan.rounds, 2);
	CU_ASSERT_EQUAL(plan.rounds_max, 2);
	plan_release(&plan);
}

static const struct test tests[] = {
	{"a profile gives its phases in the order of the battery",
	 a_profile_gives_its_phases_in_the_order_of_the_battery},
	{"--phases picks from the profile, or with presets what it lacks",
	 phases_alone_picks_from_profile_or_presets},
	{"groups name all their phases", groups_name_all_their_phases},
	{"a phase named twice is measured once", a_phase_named_twice_is_measured_once},
	{"unknown phases are refused with the nearest",
	 unknown_phases_are_refused_with_the_nearest},
	{"lists multiply, and the last parameter varies fastest",
	 lists_multiply_and_the_last_parameter_varies_fastest},
	{"the later word is the stronger", the_later_word_is_the_stronger},
	{"a list is replaced as a whole", a_list_is_replaced_as_a_whole},
	{"--set reaches a phase, a group or all", set_reaches_a_phase_a_group_or_all},
	{"what --set cannot mean is refused", what_set_cannot_mean_is_refused},
	{"an option no phase takes is refused", an_option_no_phase_takes_is_refused},
	{"an option reaches every phase that has it", an_option_reaches_every_phase_that_has_it},
	{"each CPU makes a point", each_cpu_makes_a_point},
	{"a battery of nothing is refused", a_battery_of_nothing_is_refused},
	{"too many points or rounds are refused", too_many_points_or_rounds_are_refused},
	{"rounds are the profile's unless said", rounds_are_the_profiles_unless_said},
	{"costs add up", costs_add_up},
	{"what is still to be written falls to nothing",
	 what_is_still_to_be_written_falls_to_nothing},
	{"small files cost inodes and blocks", small_files_cost_inodes_and_blocks},
	{"terabytes add up", terabytes_add_up},
	{"a warm-up counts as time", a_warm_up_counts_as_time},
	{"what does not leave a twentieth free is refused",
	 what_does_not_leave_a_twentieth_free_is_refused},
	{"more files than inodes are refused", more_files_than_inodes_are_refused},
	{"more than --max-write is refused before it starts",
	 more_than_max_write_is_refused_before_it_starts},
	{"what is written in all does not wrap around",
	 what_is_written_in_all_does_not_wrap_around},
	{"the plan is printed point by point", the_plan_is_printed_point_by_point},
	{"a value listed twice is measured once", a_value_listed_twice_is_measured_once},
	{"an edge that is a ramp too is measured once",
	 an_edge_that_is_a_ramp_too_is_measured_once},
	{"rounds of a steady state are a range, unless --rounds is given",
	 rounds_of_a_steady_state_are_a_range},
	{NULL, NULL},
};

const struct suite suite_plan = {"plan", tests};
