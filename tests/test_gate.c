/* SPDX-License-Identifier: MIT */
/*
 * test_gate.c - workers start together or all go home, and nobody waits for those who never came.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "suite/gate.h"
#include "suites.h"

enum { WORKERS = 8 };

struct visit {
	struct gate *gate;
	atomic_int *before; /* how many have not been let through yet */
	const int *written; /* by the main thread before it decides */
	int seen, passed;
	unsigned delay_ms;
	pthread_t thread;
};

static void sleep_ms(unsigned ms)
{
	clock_sleep_until_ns(clock_now_ns() + ms * NS_PER_MS);
}

static void *pass(void *context)
{
	struct visit *visit = context;

	sleep_ms(visit->delay_ms);
	atomic_fetch_add(visit->before, 1);
	visit->passed = gate_pass(visit->gate);
	visit->seen = *visit->written;
	sleep_ms(visit->delay_ms);
	gate_leave(visit->gate);
	return NULL;
}

struct group {
	struct gate gate;
	atomic_int arrived;
	int written;
	struct visit visits[WORKERS];
};

static void start(struct group *group, unsigned count, unsigned delay_ms)
{
	gate_init(&group->gate);
	atomic_init(&group->arrived, 0);
	group->written = 0;
	for (unsigned i = 0; i < count; i++) {
		struct visit *visit = &group->visits[i];

		*visit = (struct visit){.gate = &group->gate,
					.before = &group->arrived,
					.written = &group->written,
					.passed = -1,
					.delay_ms = delay_ms * i};
		CU_ASSERT_EQUAL_FATAL(pthread_create(&visit->thread, NULL, pass, visit), 0);
	}
}

static void end(struct group *group, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pthread_join(group->visits[i].thread, NULL);
	gate_release(&group->gate);
}

static void it_opens_when_all_have_come(void)
{
	struct group group;

	start(&group, WORKERS, 2);
	gate_await(&group.gate, WORKERS);
	CU_ASSERT_EQUAL(atomic_load(&group.arrived), WORKERS);
	group.written = 42;
	gate_decide(&group.gate, true);
	end(&group, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		CU_ASSERT_EQUAL(group.visits[i].passed, 1);
		CU_ASSERT_EQUAL(group.visits[i].seen, 42);
	}
}

static void nobody_passes_a_gate_that_is_shut(void)
{
	struct group group;

	start(&group, 3, 0);
	gate_await(&group.gate, 3);
	CU_ASSERT(!gate_await_left(&group.gate, 1, clock_now_ns() + 20 * NS_PER_MS));
	gate_decide(&group.gate, true);
	end(&group, 3);
}

static void it_sends_all_home(void)
{
	struct group group;

	start(&group, WORKERS, 1);
	gate_await(&group.gate, WORKERS);
	gate_decide(&group.gate, false);
	end(&group, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		CU_ASSERT_EQUAL(group.visits[i].passed, 0);
}

/* Those who come after the decision are told it as well. */
static void latecomers_hear_the_decision(void)
{
	for (int open = 0; open < 2; open++) {
		struct group group;

		start(&group, 4, 5);
		gate_decide(&group.gate, open);
		end(&group, 4);
		for (int i = 0; i < 4; i++)
			CU_ASSERT_EQUAL(group.visits[i].passed, open);
	}
}

/* A worker that could not be made is not waited for. */
static void fewer_than_asked_for_can_be_awaited(void)
{
	struct group group;

	start(&group, 2, 1);
	gate_await(&group.gate, 2);
	gate_decide(&group.gate, false);
	CU_ASSERT(gate_await_left(&group.gate, 2, clock_now_ns() + 10 * NS_PER_S));
	end(&group, 2);
	start(&group, 0, 0);
	gate_await(&group.gate, 0);
	gate_decide(&group.gate, false);
	CU_ASSERT(gate_await_left(&group.gate, 0, clock_now_ns()));
	end(&group, 0);
}

static void waiting_for_leavers_ends_in_time(void)
{
	struct group group;
	uint64_t start_ns, waited_ns;

	start(&group, 2, 0);
	start_ns = clock_now_ns();
	CU_ASSERT(!gate_await_left(&group.gate, 2, start_ns + 30 * NS_PER_MS));
	waited_ns = clock_now_ns() - start_ns;
	CU_ASSERT(waited_ns >= 30 * NS_PER_MS && waited_ns < 5 * NS_PER_S);
	CU_ASSERT(!gate_await_left(&group.gate, 2, 0));
	gate_decide(&group.gate, true);
	CU_ASSERT(gate_await_left(&group.gate, 2, clock_now_ns() + 10 * NS_PER_S));
	CU_ASSERT(gate_await_left(&group.gate, 2, 0));
	end(&group, 2);
}

static const struct test tests[] = {
	{"it opens when all have come, and what was written before is seen",
	 it_opens_when_all_have_come},
	{"nobody passes a gate that is shut", nobody_passes_a_gate_that_is_shut},
	{"it sends all home", it_sends_all_home},
	{"latecomers hear the decision", latecomers_hear_the_decision},
	{"fewer workers than asked for can be awaited", fewer_than_asked_for_can_be_awaited},
	{"waiting for leavers ends in time", waiting_for_leavers_ends_in_time},
	{NULL, NULL},
};

const struct suite suite_gate = {"gate", tests};
