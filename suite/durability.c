/* SPDX-License-Identifier: MIT */
/*
 * durability.c - see durability.h.
 */
#include "durability.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "disk.h"
#include "virtualization.h"

enum {
	SYNCS_LEAST = 8,
	BLOCK_BYTES = 4096,
	/* The fastest disks turn 250 times a second, and one turn is the least between two writes
	 * of the same block; a fifth is for luck. */
	ROTATING_SYNCS_PER_S = 300,
};

#define TRIAL_NS (500 * NS_PER_MS)

static const char probe_name[] = "probe.0";

struct durability {
	struct durability_view view;
	struct counters *counters;
	struct durability_trial last, worst;
};

/* ---- judging --------------------------------------------------------------------------------- */

static double syncs_per_s(const struct durability_trial *trial)
{
	return trial->elapsed_ns
		       ? (double)trial->syncs * (double)NS_PER_S / (double)trial->elapsed_ns
		       : 0;
}

static bool tried(const struct durability_trial *trial)
{
	return trial->done && !trial->failure[0] && trial->syncs;
}

/* Fewer than half of the syncs moved a counter. */
static bool is_missing(const struct durability_trial *trial, uint64_t counted)
{
	return tried(trial) && trial->known && 2 * counted < trial->syncs;
}

static bool ignores_flushes(const struct durability_trial *trial)
{
	return trial->flushes_known && is_missing(trial, trial->flushes);
}

/* More than a physical rotating disk can make. */
static bool beats_rotation(const struct durability_view *view, const struct durability_trial *trial)
{
	return view->rotating && !view->hypervisor[0] && tried(trial) &&
	       syncs_per_s(trial) > ROTATING_SYNCS_PER_S;
}

struct reason {
	char *text;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static enum durability_verdict
say(const struct reason *reason, enum durability_verdict verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason->text, reason->size, format, args);
	va_end(args);
	return verdict;
}

static enum durability_verdict judge_elsewhere(const struct durability_view *view,
					       const struct reason *reason)
{
	switch (view->medium) {
	case MEDIUM_NETWORK:
		return say(reason, DURABILITY_SEEN,
			   "%s is on a network: what the server does with a sync cannot be seen "
			   "from here",
			   view->place);
	case MEDIUM_HOST:
		return say(reason, DURABILITY_SEEN,
			   "%s is the host's: what it does with a sync cannot be seen from here",
			   view->place);
	case MEDIUM_PROGRAM:
		return say(reason, DURABILITY_UNKNOWN,
			   "%s is served by a program: what it does with a sync cannot be seen",
			   view->place);
	default:
		return say(reason, DURABILITY_UNKNOWN, "what %s stands on is not known",
			   view->place);
	}
}

/* Syncs that do not flush a cache that needs it. */
static enum durability_verdict judge_unflushed(const struct durability_view *view,
					       const struct durability_trial *trial,
					       const struct reason *reason)
{
	unsigned long long flushes = trial->flushes, syncs = trial->syncs;

	if (view->fua)
		return say(reason, DURABILITY_UNKNOWN,
			   "%s has a write-back cache and takes forced writes, which nobody "
			   "counts; %llu syncs made %llu flushes",
			   view->place, syncs, flushes);
	if (view->protected_cache)
		return say(reason, DURABILITY_IF_PROTECTED,
			   "%llu syncs made %llu flushes of the write-back cache of %s, which is "
			   "said to be protected",
			   syncs, flushes, view->place);
	return say(reason, DURABILITY_NONE,
		   "%llu syncs made %llu flushes of the write-back cache of %s", syncs, flushes,
		   view->place);
}

static enum durability_verdict judge_fast(const struct durability_view *view,
					  const struct durability_trial *trial,
					  const struct reason *reason)
{
	if (view->protected_cache)
		return say(reason, DURABILITY_SEEN,
			   "%.0f syncs a second are more than a rotating disk can make: a cache "
			   "answers for %s, and is said to be protected",
			   syncs_per_s(trial), view->place);
	return say(reason, DURABILITY_IF_PROTECTED,
		   "%.0f syncs a second are more than a rotating disk can make: a cache answers "
		   "for %s",
		   syncs_per_s(trial), view->place);
}

static enum durability_verdict judge_disks(const struct durability_view *view,
					   const struct durability_trial *trial,
					   const struct reason *reason)
{
	char beyond[150] = "";

	if (is_missing(trial, trial->writes))
		return say(reason, DURABILITY_NONE, "%llu syncs made %llu writes to %s",
			   (unsigned long long)trial->syncs, (unsigned long long)trial->writes,
			   view->place);
	if (!view->cache_known)
		return say(reason, DURABILITY_UNKNOWN, "whether %s has a write cache is not known",
			   view->place);
	if (view->write_back && (!trial->known || !trial->flushes_known))
		return say(reason, DURABILITY_UNKNOWN,
			   "%s has a write-back cache, and its flushes are not counted here",
			   view->place);
	if (view->write_back && ignores_flushes(trial))
		return judge_unflushed(view, trial, reason);
	if (beats_rotation(view, trial))
		return judge_fast(view, trial, reason);
	if (view->hypervisor[0])
		snprintf(beyond, sizeof(beyond),
			 "; what the hypervisor (%s) does with it cannot be seen",
			 view->hypervisor);
	if (!view->write_back)
		return say(reason, DURABILITY_SEEN, "%s says it has no volatile write cache%s",
			   view->place, beyond);
	return say(reason, DURABILITY_SEEN,
		   "%s has a write-back cache, and %llu syncs flushed it %llu times%s", view->place,
		   (unsigned long long)trial->syncs, (unsigned long long)trial->flushes, beyond);
}

enum durability_verdict durability_judge(const struct durability_view *view,
					 const struct durability_trial *trial, char *text,
					 size_t size)
{
	const struct reason reason = {text, size};

	if (view->medium == MEDIUM_MEMORY)
		return say(&reason, DURABILITY_NONE,
			   "%s is memory: what it holds is gone when the machine stops",
			   view->place);
	if (trial->failure[0])
		return say(&reason, DURABILITY_UNKNOWN, "the sync that was tried out failed: %s",
			   trial->failure);
	if (!tried(trial))
		return say(&reason, DURABILITY_UNKNOWN, "no sync was tried out");
	if (view->medium != MEDIUM_DISK)
		return judge_elsewhere(view, &reason);
	return judge_disks(view, trial, &reason);
}

const char *durability_name(enum durability_verdict verdict)
{
	static const char *const names[] = {
		[DURABILITY_UNKNOWN] = "cannot be told",
		[DURABILITY_NONE] = "not durable",
		[DURABILITY_IF_PROTECTED] = "durable if the cache is protected",
		[DURABILITY_SEEN] = "durable as far as this machine sees",
	};

	return names[verdict];
}

void durability_flag(const struct durability_view *view, const struct durability_trial *trial,
		     struct measurement *measurement)
{
	if (view->medium == MEDIUM_DISK && view->cache_known && view->write_back && !view->fua &&
	    ignores_flushes(trial))
		measurement_flag(measurement, SEVERITY_VOID, "sync_ignored",
				 "%llu syncs of a single client beside the load made %llu flushes "
				 "of the write-back cache of %s",
				 (unsigned long long)trial->syncs,
				 (unsigned long long)trial->flushes, view->place);
	if (view->medium == MEDIUM_MEMORY && tried(trial))
		measurement_flag(measurement, SEVERITY_DOUBT, "sync_too_fast",
				 "%s is memory: %.0f syncs a second are no storage's",
				 view->place, syncs_per_s(trial));
	else if (view->medium == MEDIUM_DISK && beats_rotation(view, trial))
		measurement_flag(measurement, SEVERITY_DOUBT, "sync_too_fast",
				 "%s made %.0f syncs a second for a single client, more than a "
				 "rotating disk can",
				 view->place, syncs_per_s(trial));
}

/* ---- looking --------------------------------------------------------------------------------- */

static const struct stack *bottom_of(const struct stack *stack)
{
	while (stack->backing)
		stack = stack->backing;
	return stack;
}

static bool is_set(const struct facts *facts, const char *name)
{
	const struct fact *fact = facts_find(facts, name);

	return fact && fact->kind == FACT_INTEGER && fact->integer;
}

static void view_disk(struct durability_view *view, const struct facts *disk)
{
	const char *cache = facts_text(disk, "write_cache"),
		   *kind = facts_text(disk, "device_kind");

	view->disks++;
	view->cache_known &= cache != NULL;
	view->write_back |= cache && !strcmp(cache, "write back");
	view->fua |= is_set(disk, "fua");
	view->rotating |= kind && !strcmp(kind, "hdd");
}

static void view_disks(const struct roots *roots, const struct stack *stack,
		       struct durability_view *view)
{
	view->cache_known = true;
	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;) {
		struct facts disk = {0};

		disk_facts(roots, stack, (size_t)i, &disk);
		view_disk(view, &disk);
		facts_release(&disk);
	}
	view->cache_known &= view->disks > 0;
}

static bool says_yes(const struct facts *facts, const char *name)
{
	const char *text = facts_text(facts, name);

	return text && (!strcmp(text, "yes") || !strcmp(text, "true") || !strcmp(text, "1"));
}

int durability_open(struct durability **durability, const struct roots *roots,
		    const struct stack *stack, const struct facts *facts, struct err *err)
{
	struct durability *opened = calloc(1, sizeof(*opened));
	const struct stack *bottom = bottom_of(stack);
	const char *hypervisor = virtualization_hypervisor(roots);

	*durability = opened;
	if (!opened)
		return err_set(err, -ENOMEM, "look at what syncs are worth: %s", strerror(ENOMEM));
	stack_describe(bottom, opened->view.place, sizeof(opened->view.place));
	opened->view.medium = bottom->medium;
	opened->view.protected_cache = says_yes(facts, "protected_cache");
	if (hypervisor && strcmp(hypervisor, "none") != 0)
		snprintf(opened->view.hypervisor, sizeof(opened->view.hypervisor), "%s",
			 hypervisor);
	view_disks(roots, bottom, &opened->view);
	return counters_open(&opened->counters, roots, bottom, err);
}

void durability_close(struct durability *durability)
{
	if (!durability)
		return;
	if (durability->counters)
		counters_close(durability->counters);
	free(durability);
}

/* ---- trying ---------------------------------------------------------------------------------- */

static bool write_and_sync(struct durability_trial *trial, int fd, void *block)
{
	memcpy(block, &trial->syncs, sizeof(trial->syncs)); /* never the same twice */
	if (pwrite(fd, block, BLOCK_BYTES, 0) != BLOCK_BYTES) {
		snprintf(trial->failure, sizeof(trial->failure), "pwrite: %s", strerror(errno));
		return false;
	}
	if (fdatasync(fd)) {
		snprintf(trial->failure, sizeof(trial->failure), "fdatasync: %s", strerror(errno));
		return false;
	}
	return true;
}

static void sync_for_a_while(struct durability_trial *trial, int fd, void *block)
{
	uint64_t start_ns = clock_now_ns();

	while (trial->syncs < DURABILITY_SYNCS &&
	       (trial->syncs < SYNCS_LEAST || clock_now_ns() - start_ns < TRIAL_NS) &&
	       write_and_sync(trial, fd, block))
		trial->syncs++;
	trial->elapsed_ns = clock_now_ns() - start_ns;
}

static void take_counts(const struct durability *durability, struct durability_trial *trial)
{
	struct device_use use;

	trial->known = counters_traffic(durability->counters, &use);
	trial->flushes_known = trial->known && counters_know_flushes(durability->counters);
	trial->flushes = use.flushes;
	trial->writes = use.writes;
}

/* The block is laid out and on its way before anything is counted. */
static void try_in(struct durability *durability, struct durability_trial *trial, int fd)
{
	unsigned char block[BLOCK_BYTES] = {0};

	if (pwrite(fd, block, sizeof(block), 0) != (ssize_t)sizeof(block) || fsync(fd)) {
		snprintf(trial->failure, sizeof(trial->failure), "write and fsync: %s",
			 strerror(errno));
		return;
	}
	counters_reset(durability->counters);
	counters_start(durability->counters);
	sync_for_a_while(trial, fd, block);
	counters_stop(durability->counters);
	take_counts(durability, trial);
}

/* Orders trials: a failure is worse than syncs that reach nothing, and these than those that do. */
static double badness(const struct durability_trial *trial)
{
	uint64_t least = trial->flushes < trial->writes ? trial->flushes : trial->writes;

	if (trial->failure[0])
		return 2;
	return trial->syncs ? 1 - (double)least / (double)trial->syncs : 1;
}

void durability_try(struct durability *durability, const struct target *target)
{
	struct durability_trial *trial = &durability->last;
	int fd = -1;

	*trial = (struct durability_trial){.done = true};
	if (target->work_fd >= 0)
		fd = openat(target->work_fd, probe_name,
			    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		snprintf(trial->failure, sizeof(trial->failure), "make %s: %s", probe_name,
			 strerror(errno));
	else
		try_in(durability, trial, fd);
	if (fd >= 0) {
		close(fd);
		unlinkat(target->work_fd, probe_name, 0);
	}
	if (!durability->worst.done || badness(trial) > badness(&durability->worst))
		durability->worst = *trial;
}

void durability_report(const struct durability *durability, struct measurement *measurement)
{
	durability_flag(&durability->view, &durability->last, measurement);
}

void durability_facts(const struct durability *durability, const char *prefix, struct facts *facts)
{
	char name[100], reason[600];
	enum durability_verdict verdict;

	if (!durability->worst.done)
		return;
	verdict = durability_judge(&durability->view, &durability->worst, reason, sizeof(reason));
	snprintf(name, sizeof(name), "%sdurability", prefix);
	facts_set_text(facts, name, durability_name(verdict));
	snprintf(name, sizeof(name), "%sdurability_reason", prefix);
	facts_set_text(facts, name, reason);
}
