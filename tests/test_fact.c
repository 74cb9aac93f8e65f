/* SPDX-License-Identifier: MIT */
/*
 * test_fact.c - lists of facts, what is known of their names, and the run that holds them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fact.h"
#include "rng.h"
#include "run.h"
#include "suites.h"

static void a_fact_set_again_is_replaced(void)
{
	struct facts facts = {0};

	facts_set_text(&facts, "scheduler", "none");
	facts_set_integer(&facts, "cpu_count", 8);
	facts_set_text(&facts, "scheduler", "bfq");
	CU_ASSERT_EQUAL(facts.count, 2);
	CU_ASSERT_STRING_EQUAL(facts_text(&facts, "scheduler"), "bfq");
	facts_set_integer(&facts, "scheduler", 3);
	CU_ASSERT_EQUAL(facts.count, 2);
	CU_ASSERT_PTR_NULL(facts_text(&facts, "scheduler"));
	CU_ASSERT_EQUAL(facts_find(&facts, "scheduler")->integer, 3);
	facts_set_real(&facts, "cpu_count", 7.5);
	CU_ASSERT_EQUAL(facts_find(&facts, "cpu_count")->real, 7.5);
	facts_release(&facts);
	CU_ASSERT_EQUAL(facts.count, 0);
}

static void a_fact_can_be_set_to_itself(void)
{
	struct facts facts = {0};

	facts_set_text(&facts, "label", "one");
	facts_set_text(&facts, "label", facts_text(&facts, "label"));
	CU_ASSERT_STRING_EQUAL(facts_text(&facts, "label"), "one");
	facts_release(&facts);
}

static void no_text_sets_nothing(void)
{
	struct facts facts = {0};

	facts_set_text(&facts, "scheduler", NULL);
	CU_ASSERT_EQUAL(facts.count, 0);
	facts_set_text(&facts, "scheduler", "bfq");
	facts_set_text(&facts, "scheduler", NULL);
	CU_ASSERT_STRING_EQUAL(facts_text(&facts, "scheduler"), "bfq");
	facts_release(&facts);
}

static void removing_keeps_the_others_in_order(void)
{
	struct facts facts = {0};
	char name[16];
	bool kept = true;

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		facts_set_integer(&facts, name, i);
	}
	facts_remove(&facts, "n0");
	facts_remove(&facts, "n50");
	facts_remove(&facts, "n99");
	facts_remove(&facts, "n99");
	facts_remove(&facts, "absent");
	CU_ASSERT_EQUAL_FATAL(facts.count, 97);
	CU_ASSERT_PTR_NULL(facts_find(&facts, "n50"));
	for (size_t i = 1; i < facts.count; i++)
		kept = kept && facts.items[i - 1].integer < facts.items[i].integer;
	CU_ASSERT(kept);
	facts_release(&facts);
}

static void every_kind_is_written(void)
{
	struct facts facts = {0};
	char text[40], narrow[4];

	facts_set_text(&facts, "a", "mq-deadline");
	facts_set_integer(&facts, "b", INT64_MIN);
	facts_set_real(&facts, "c", 0.1);
	CU_ASSERT_STRING_EQUAL(fact_format(&facts.items[0], text, sizeof(text)), "mq-deadline");
	CU_ASSERT_STRING_EQUAL(fact_format(&facts.items[1], text, sizeof(text)),
			       "-9223372036854775808");
	CU_ASSERT_STRING_EQUAL(fact_format(&facts.items[2], text, sizeof(text)), "0.1");
	CU_ASSERT_STRING_EQUAL(fact_format(&facts.items[0], narrow, sizeof(narrow)), "mq-");
	facts_release(&facts);
}

static void written_reals_read_back(void)
{
	struct rng rng;
	bool same = true;

	rng_init(&rng, 30);
	for (int i = 0; i < 10000; i++) {
		struct fact fact = {
			.kind = FACT_REAL,
			.real = ldexp((double)rng_next(&rng), (int)rng_below(&rng, 200) - 130)};
		char text[40];

		same = same && strtod(fact_format(&fact, text, sizeof(text)), NULL) == fact.real;
	}
	CU_ASSERT(same);
}

static void known_names_are_distinct_and_explained(void)
{
	size_t count = 0;

	for (const struct fact_known *known = facts_known; known->name; known++, count++) {
		size_t length = strlen(known->help);

		CU_ASSERT_PTR_EQUAL(fact_find_known(known->name),
				    known); /* the first of that name */
		CU_ASSERT(length > 0 && length < 80 && known->help[length - 1] != '.');
	}
	CU_ASSERT(count > 100);
}

static void facts_in_bytes_say_so(void)
{
	for (const struct fact_known *known = facts_known; known->name; known++) {
		const char *end = strrchr(known->name, '_');
		bool says_bytes = end && (!strcmp(end, "_bytes") || !strcmp(end, "_byte"));

		CU_ASSERT_EQUAL(says_bytes, known->unit == UNIT_BYTES);
	}
}

static void the_canonical_names_are_known(void)
{
	static const char *const names[] = {"host",
					    "kernel",
					    "kernel_version",
					    "distribution",
					    "cpu_model",
					    "cpu_count",
					    "cpu_governor",
					    "memory_bytes",
					    "memory_limit_bytes",
					    "clock_source",
					    "clock_cost_ns",
					    "virtualization",
					    "filesystem",
					    "mount_options",
					    "mount_source",
					    "device",
					    "device_model",
					    "device_serial",
					    "device_firmware",
					    "device_size_bytes",
					    "rotational",
					    "scheduler",
					    "nr_requests",
					    "read_ahead_kb",
					    "write_cache",
					    "fua",
					    "wbt_lat_usec",
					    "nomerges",
					    "queue_count",
					    "numa_node",
					    "logical_block_bytes",
					    "physical_block_bytes",
					    "vm.dirty_ratio",
					    "command",
					    "seed",
					    "profile_text",
					    "protected_cache",
					    "sqlite_version",
					    NULL};

	for (const char *const *name = names; *name; name++)
		if (!fact_find_known(*name))
			CU_FAIL(*name);
	CU_ASSERT_PTR_NOT_NULL(fact_find_known(names[0]));
}

static void a_prefix_inherits_the_class(void)
{
	static const struct {
		const char *name;
		enum fact_class fact_class;
	} rows[] = {
		{"scheduler", FACT_SETTING},
		{"disk.sda.scheduler", FACT_SETTING},
		{"disk.sda.device_model", FACT_IDENTITY},
		{"wal.device_serial", FACT_IDENTITY},
		{"wal.filesystem_used_bytes", FACT_STATE},
		{"wal.disk.nvme0n1.device_kind", FACT_DERIVED},
		{"backing.wal.disk.dm-0.device_kind", FACT_DERIVED},
		{"backing.loop_file", FACT_STATE},
		{"vm.dirty_ratio", FACT_SETTING},
		{"clock_cost_ns", FACT_STATE},
		{"memory_usable_bytes", FACT_DERIVED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(fact_class_of(rows[i].name), rows[i].fact_class);
}

static void what_nobody_declared_is_a_setting(void)
{
	static const char *const names[] = {
		"rack",	    "rack.seed", "mydisk.sda.seed",	  "disk.",
		"disk.sda", "wal.",	 "disk.sda.iosched.seed", "",
		"seed.",    NULL};

	for (const char *const *name = names; *name; name++) {
		CU_ASSERT_EQUAL(fact_class_of(*name), FACT_SETTING);
		CU_ASSERT_PTR_NULL(fact_find_known(*name));
	}
}

static void classes_have_names(void)
{
	CU_ASSERT_STRING_EQUAL(fact_class_name(FACT_IDENTITY), "identity");
	CU_ASSERT_STRING_EQUAL(fact_class_name(FACT_SETTING), "setting");
	CU_ASSERT_STRING_EQUAL(fact_class_name(FACT_STATE), "state");
	CU_ASSERT_STRING_EQUAL(fact_class_name(FACT_DERIVED), "derived");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void uuids_are_random_of_version_4(void)
{
	char uuid[UUID_MAX], other[UUID_MAX];
	bool fits = true;

	CU_ASSERT_EQUAL(uuid_make(other, NULL), 0);
	for (int round = 0; round < 100; round++) {
		CU_ASSERT_EQUAL(uuid_make(uuid, NULL), 0);
		fits = fits && strlen(uuid) == UUID_MAX - 1 && strcmp(uuid, other) != 0;
		fits = fits && uuid[14] == '4' && strchr("89ab", uuid[19]);
		for (int i = 0; i < UUID_MAX - 1; i++)
			fits = fits && (i == 8 || i == 13 || i == 18 || i == 23
						? uuid[i] == '-'
						: strchr("0123456789abcdef", uuid[i]) != NULL);
		memcpy(other, uuid, sizeof(other));
	}
	CU_ASSERT(fits);
}

static void a_fresh_run_is_running(void)
{
	struct run run;

	CU_ASSERT_EQUAL(run_init(&run, NULL), 0);
	CU_ASSERT_EQUAL(run.round, 1);
	CU_ASSERT_STRING_EQUAL(run.status, "running");
	CU_ASSERT_EQUAL(strlen(run.uuid), UUID_MAX - 1);
	CU_ASSERT_EQUAL(strlen(run.started_at), 24);
	CU_ASSERT_STRING_EQUAL(run.finished_at, "");
	CU_ASSERT_PTR_NULL(run.label);
	run_release(&run);
	CU_ASSERT_PTR_NULL(run.status);
}

static void a_run_owns_its_texts(void)
{
	char text[] = "before";
	struct run run;

	CU_ASSERT_EQUAL(run_init(&run, NULL), 0);
	run_set_text(&run.label, text);
	text[0] = 'B';
	CU_ASSERT_STRING_EQUAL(run.label, "before");
	run_set_text(&run.label, run.label);
	CU_ASSERT_STRING_EQUAL(run.label, "before");
	run_set_text(&run.label, NULL);
	CU_ASSERT_PTR_NULL(run.label);
	facts_set_text(&run.tags, "rack", "12");
	run_release(&run);
}

static void notes_are_stamped(void)
{
	struct run run;

	CU_ASSERT_EQUAL(run_init(&run, NULL), 0);
	run_add_note(&run, NULL, "now");
	run_add_note(&run, "2026-01-31T23:59:59.123Z", "then");
	run_add_note(&run, NULL, "later");
	CU_ASSERT_EQUAL_FATAL(run.note_count, 3);
	CU_ASSERT_EQUAL(strlen(run.notes[0].at), 24);
	CU_ASSERT_STRING_EQUAL(run.notes[0].text, "now");
	CU_ASSERT_STRING_EQUAL(run.notes[1].at, "2026-01-31T23:59:59.123Z");
	CU_ASSERT_STRING_EQUAL(run.notes[2].text, "later");
	run_release(&run);
}

static const struct test tests[] = {
	{"a fact that is set again is replaced", a_fact_set_again_is_replaced},
	{"a fact can be set to its own text", a_fact_can_be_set_to_itself},
	{"no text sets nothing", no_text_sets_nothing},
	{"removing a fact keeps the others in order", removing_keeps_the_others_in_order},
	{"every kind of fact is written", every_kind_is_written},
	{"a real that is written reads back as itself", written_reals_read_back},
	{"known names are distinct and explained", known_names_are_distinct_and_explained},
	{"facts in bytes say so in their names", facts_in_bytes_say_so},
	{"the canonical names are known", the_canonical_names_are_known},
	{"a name with a prefix inherits the class", a_prefix_inherits_the_class},
	{"what nobody declared is a setting", what_nobody_declared_is_a_setting},
	{"classes have names", classes_have_names},
	{"UUIDs are random ones of version 4", uuids_are_random_of_version_4},
	{"a fresh run is running", a_fresh_run_is_running},
	{"a run owns its texts", a_run_owns_its_texts},
	{"notes are stamped with a time", notes_are_stamped},
	{NULL, NULL},
};

const struct suite suite_fact = {"fact", tests};
