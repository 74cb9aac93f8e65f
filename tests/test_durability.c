/* SPDX-License-Identifier: MIT */
/*
 * test_durability.c - the verdict on syncs: what is seen and what was tried decide it, and no more
 * is claimed than that.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <string.h>

#include "site_fixture.h"
#include "suite/durability.h"
#include "suites.h"

enum { WRITE_BACK = 1, FUA = 2, PROTECTED = 4, ROTATING = 8, HYPERVISOR = 16, UNKNOWN_CACHE = 32 };

static struct durability_view view_of(enum stack_medium medium, unsigned traits)
{
	struct durability_view view = {
		.place = "ext4 on sdx",
		.medium = medium,
		.disks = 1,
		.cache_known = !(traits & UNKNOWN_CACHE),
		.write_back = traits & WRITE_BACK,
		.fua = traits & FUA,
		.rotating = traits & ROTATING,
		.protected_cache = traits & PROTECTED,
	};

	if (traits & HYPERVISOR)
		snprintf(view.hypervisor, sizeof(view.hypervisor), "kvm");
	return view;
}

/* 100 syncs in a second. */
static struct durability_trial trial_of(uint64_t flushes, uint64_t writes)
{
	return (struct durability_trial){.done = true,
					 .syncs = 100,
					 .elapsed_ns = 1000000000,
					 .known = true,
					 .flushes_known = true,
					 .flushes = flushes,
					 .writes = writes};
}

static enum durability_verdict judge(enum stack_medium medium, unsigned traits,
				     struct durability_trial trial, const char *part)
{
	struct durability_view view = view_of(medium, traits);
	char reason[600];
	enum durability_verdict verdict = durability_judge(&view, &trial, reason, sizeof(reason));

	CU_ASSERT(says(reason, part));
	return verdict;
}

/* The flag of that code, or NULL; severity and sentence stay readable. */
static const struct flag *flag_of(struct measurement *measurement, enum stack_medium medium,
				  unsigned traits, struct durability_trial trial, const char *code)
{
	struct durability_view view = view_of(medium, traits);

	measurement_init(measurement, "wal_commit");
	durability_flag(&view, &trial, measurement);
	for (size_t i = 0; i < measurement->flag_count; i++)
		if (!strcmp(measurement->flags[i].code, code))
			return &measurement->flags[i];
	return NULL;
}

static void syncs_that_flush_a_write_back_cache_are_durable_as_far_as_seen(void)
{
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, trial_of(100, 200),
			      "write-back cache, and 100 syncs flushed it 100 times"),
			DURABILITY_SEEN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, trial_of(50, 200), "100 syncs"),
			DURABILITY_SEEN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | HYPERVISOR, trial_of(100, 200),
			      "what the hypervisor (kvm) does with it cannot be seen"),
			DURABILITY_SEEN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, 0, trial_of(0, 100), "no volatile write cache"),
			DURABILITY_SEEN);
}

static void syncs_that_flush_nothing_are_not_durable(void)
{
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, trial_of(49, 200), "made 49 flushes"),
			DURABILITY_NONE);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, trial_of(0, 100), "made 0 flushes"),
			DURABILITY_NONE);
}

static void syncs_that_write_nothing_are_not_durable_whatever_the_cache(void)
{
	static const unsigned traits[] = {0, WRITE_BACK, WRITE_BACK | FUA, WRITE_BACK | PROTECTED,
					  PROTECTED, UNKNOWN_CACHE};

	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		CU_ASSERT_EQUAL(judge(MEDIUM_DISK, traits[i], trial_of(0, 49), "made 49 writes"),
				DURABILITY_NONE);
}

static void memory_is_not_durable_whatever_was_tried(void)
{
	CU_ASSERT_EQUAL(judge(MEDIUM_MEMORY, 0, trial_of(100, 100), "is memory"), DURABILITY_NONE);
	CU_ASSERT_EQUAL(judge(MEDIUM_MEMORY, WRITE_BACK | PROTECTED, (struct durability_trial){0},
			      "is memory"),
			DURABILITY_NONE);
}

static void a_cache_said_to_be_protected_counts_only_where_data_reaches_it(void)
{
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | PROTECTED, trial_of(0, 100),
			      "which is said to be protected"),
			DURABILITY_IF_PROTECTED);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | PROTECTED, trial_of(0, 0), "0 writes"),
			DURABILITY_NONE);
}

static void a_rotating_disk_that_is_too_fast_is_answered_for_by_a_cache(void)
{
	struct durability_trial fast = trial_of(100, 200);

	fast.elapsed_ns = 100000000;
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | ROTATING, fast,
			      "1000 syncs a second are more than a rotating disk can make"),
			DURABILITY_IF_PROTECTED);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, ROTATING, fast, "1000 syncs a second"),
			DURABILITY_IF_PROTECTED);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, ROTATING | PROTECTED, fast, "said to be protected"),
			DURABILITY_SEEN);
	/* A hypervisor says rotational of what is not. */
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | ROTATING | HYPERVISOR, fast, "flushed it"),
			DURABILITY_SEEN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | ROTATING, trial_of(100, 200), "flushed it"),
			DURABILITY_SEEN);
}

static void what_cannot_be_seen_is_said_to_be_so(void)
{
	struct durability_trial uncounted = trial_of(0, 200), failed = trial_of(100, 200);

	uncounted.flushes_known = false;
	snprintf(failed.failure, sizeof(failed.failure), "fdatasync: boom");
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, uncounted, "not counted"),
			DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, UNKNOWN_CACHE, trial_of(100, 200), "is not known"),
			DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK | FUA, trial_of(0, 200), "forced writes"),
			DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, failed, "fdatasync: boom"),
			DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_DISK, WRITE_BACK, (struct durability_trial){0},
			      "no sync was tried out"),
			DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_PROGRAM, 0, trial_of(0, 0), "a program"), DURABILITY_UNKNOWN);
	CU_ASSERT_EQUAL(judge(MEDIUM_UNKNOWN, 0, trial_of(0, 0), "not known"), DURABILITY_UNKNOWN);
}

static void beyond_a_network_or_the_host_nothing_better_can_be_said(void)
{
	CU_ASSERT_EQUAL(judge(MEDIUM_NETWORK, UNKNOWN_CACHE, trial_of(0, 0), "network"),
			DURABILITY_SEEN);
	CU_ASSERT_EQUAL(judge(MEDIUM_HOST, UNKNOWN_CACHE, trial_of(0, 0), "the host"),
			DURABILITY_SEEN);
}

static void sync_ignored_is_raised_for_a_write_back_cache_alone(void)
{
	static const struct {
		unsigned traits;
		uint64_t flushes;
		bool raised;
	} cases[] = {
		{WRITE_BACK, 49, true},		{WRITE_BACK, 50, false},
		{0, 0, false},			{WRITE_BACK | FUA, 0, false},
		{UNKNOWN_CACHE, 0, false},	{WRITE_BACK | PROTECTED, 0, true},
		{WRITE_BACK | HYPERVISOR, 0, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measurement measurement;
		const struct flag *flag =
			flag_of(&measurement, MEDIUM_DISK, cases[i].traits,
				trial_of(cases[i].flushes, 200), "sync_ignored");

		CU_ASSERT_EQUAL(flag != NULL, cases[i].raised);
		if (flag) {
			CU_ASSERT_EQUAL(flag->severity, SEVERITY_VOID);
			CU_ASSERT(says(flag->message, "100 syncs") && says(flag->message, "sdx"));
		}
		measurement_release(&measurement);
	}
}

static void uncounted_flushes_and_failed_trials_raise_nothing(void)
{
	struct durability_trial uncounted = trial_of(0, 200), failed = trial_of(0, 200);
	struct measurement measurement;

	uncounted.flushes_known = false;
	snprintf(failed.failure, sizeof(failed.failure), "no");
	CU_ASSERT_PTR_NULL(
		flag_of(&measurement, MEDIUM_DISK, WRITE_BACK, uncounted, "sync_ignored"));
	measurement_release(&measurement);
	CU_ASSERT_PTR_NULL(flag_of(&measurement, MEDIUM_DISK, WRITE_BACK, failed, "sync_ignored"));
	measurement_release(&measurement);
	CU_ASSERT_PTR_NULL(flag_of(&measurement, MEDIUM_MEMORY, 0, failed, "sync_too_fast"));
	measurement_release(&measurement);
}

static void sync_too_fast_is_raised_for_memory_and_beyond_rotation(void)
{
	struct durability_trial fast = trial_of(100, 200);
	struct measurement measurement;
	const struct flag *flag;

	flag = flag_of(&measurement, MEDIUM_MEMORY, 0, fast, "sync_too_fast");
	CU_ASSERT_PTR_NOT_NULL_FATAL(flag);
	CU_ASSERT_EQUAL(flag->severity, SEVERITY_DOUBT);
	CU_ASSERT(says(flag->message, "is memory: 100 syncs a second"));
	measurement_release(&measurement);
	CU_ASSERT_PTR_NULL(flag_of(&measurement, MEDIUM_DISK, ROTATING, fast, "sync_too_fast"));
	measurement_release(&measurement);
	fast.elapsed_ns = 200000000;
	flag = flag_of(&measurement, MEDIUM_DISK, ROTATING, fast, "sync_too_fast");
	CU_ASSERT_PTR_NOT_NULL_FATAL(flag);
	CU_ASSERT(says(flag->message, "500 syncs a second"));
	measurement_release(&measurement);
	CU_ASSERT_PTR_NULL(
		flag_of(&measurement, MEDIUM_DISK, ROTATING | HYPERVISOR, fast, "sync_too_fast"));
	measurement_release(&measurement);
	CU_ASSERT_PTR_NULL(flag_of(&measurement, MEDIUM_DISK, 0, fast, "sync_too_fast"));
	measurement_release(&measurement);
}

static void every_verdict_has_its_words(void)
{
	CU_ASSERT_STRING_EQUAL(durability_name(DURABILITY_SEEN),
			       "durable as far as this machine sees");
	CU_ASSERT_STRING_EQUAL(durability_name(DURABILITY_IF_PROTECTED),
			       "durable if the cache is protected");
	CU_ASSERT_STRING_EQUAL(durability_name(DURABILITY_NONE), "not durable");
	CU_ASSERT_STRING_EQUAL(durability_name(DURABILITY_UNKNOWN), "cannot be told");
}

/* ---- for real ---- */

/* The facts that a trial in such a place comes to; false: skipped. */
static bool try_in(enum site_kind kind, struct facts *facts)
{
	struct durability *durability;
	struct stack stack;
	struct site site;
	struct err err = {0};

	memset(facts, 0, sizeof(*facts));
	if (!site_open(&site, kind))
		return false;
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, site.directory, &stack, &err), 0);
	CU_ASSERT_EQUAL_FATAL(durability_open(&durability, &roots_real, &stack, facts, &err), 0);
	durability_facts(durability, "", facts);
	CU_ASSERT_EQUAL(facts->count, 0); /* nothing was tried yet */
	durability_try(durability, &site.target);
	durability_facts(durability, "wal.", facts);
	durability_close(durability);
	stack_release(&stack);
	site_close(&site);
	return true;
}

static void a_trial_in_memory_is_not_durable(void)
{
	struct facts facts;

	if (!try_in(SITE_MEMORY, &facts))
		return;
	CU_ASSERT_STRING_EQUAL(facts_text(&facts, "wal.durability"), "not durable");
	CU_ASSERT(says(facts_text(&facts, "wal.durability_reason"), "tmpfs is memory"));
	facts_release(&facts);
}

static void a_trial_on_a_disk_comes_to_a_verdict_with_its_reason(void)
{
	struct facts facts;

	if (!try_in(SITE_DISK, &facts))
		return;
	CU_ASSERT_PTR_NOT_NULL_FATAL(facts_text(&facts, "wal.durability"));
	CU_ASSERT_STRING_NOT_EQUAL(facts_text(&facts, "wal.durability"), "not durable");
	CU_ASSERT_PTR_NOT_NULL_FATAL(facts_text(&facts, "wal.durability_reason"));
	CU_ASSERT(strlen(facts_text(&facts, "wal.durability_reason")) > 10);
	CU_ASSERT_EQUAL(fact_class_of("wal.durability"), FACT_DERIVED);
	CU_ASSERT_EQUAL(fact_class_of("durability_reason"), FACT_DERIVED);
	facts_release(&facts);
}

static const struct test tests[] = {
	{"syncs that flush a write-back cache are durable as far as this machine sees",
	 syncs_that_flush_a_write_back_cache_are_durable_as_far_as_seen},
	{"syncs that flush nothing are not durable", syncs_that_flush_nothing_are_not_durable},
	{"syncs that write nothing are not durable, whatever the cache",
	 syncs_that_write_nothing_are_not_durable_whatever_the_cache},
	{"memory is not durable, whatever was tried", memory_is_not_durable_whatever_was_tried},
	{"a cache said to be protected counts only where data reaches it",
	 a_cache_said_to_be_protected_counts_only_where_data_reaches_it},
	{"a rotating disk that is too fast is answered for by a cache",
	 a_rotating_disk_that_is_too_fast_is_answered_for_by_a_cache},
	{"what cannot be seen is said to be so", what_cannot_be_seen_is_said_to_be_so},
	{"beyond a network or the host nothing better can be said",
	 beyond_a_network_or_the_host_nothing_better_can_be_said},
	{"sync_ignored is raised for a write-back cache alone",
	 sync_ignored_is_raised_for_a_write_back_cache_alone},
	{"uncounted flushes and failed trials raise nothing",
	 uncounted_flushes_and_failed_trials_raise_nothing},
	{"sync_too_fast is raised for memory and beyond rotation",
	 sync_too_fast_is_raised_for_memory_and_beyond_rotation},
	{"every verdict has its words", every_verdict_has_its_words},
	{"a trial in memory is not durable", a_trial_in_memory_is_not_durable},
	{"a trial on a disk comes to a verdict with its reason",
	 a_trial_on_a_disk_comes_to_a_verdict_with_its_reason},
	{NULL, NULL},
};

const struct suite suite_durability = {"durability", tests};
