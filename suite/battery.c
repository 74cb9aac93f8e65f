/* SPDX-License-Identifier: MIT */
/*
 * battery.c - see battery.h.
 */
#include "battery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "counters.h"
#include "durability.h"
#include "environment.h"
#include "fileset.h"
#include "roots.h"
#include "runner.h"
#include "stack.h"
#include "witness.h"
#include "workspace.h"

/* What one round holds besides its run. */
struct round {
	struct stack stack, wal_stack; /* wal_: of --wal-dir, if there is one */
	struct fileset *fileset;
	struct counters *counters, *wal_counters;
	struct durability *durability, *wal_durability;
	struct witness *witness;
	struct runner runner;
};

static int make_seed(const struct options *options, uint64_t *seed, struct err *err)
{
	/* JSON readers lose integers beyond 2^53: a seed must survive them to be repeated. */
	const uint64_t mask = (1ULL << 53) - 1;

	*seed = options->seed;
	if (options->seed_given)
		return 0;
	if (getrandom(seed, sizeof(*seed), 0) != (ssize_t)sizeof(*seed))
		return err_set(err, -errno, "draw a seed: %s", strerror(errno));
	*seed &= mask;
	return 0;
}

int battery_init(struct battery *battery, const struct invocation *invocation,
		 const struct plan *plan, uint64_t runs, const struct target *target,
		 struct archive *archive, struct err *err)
{
	const struct options *options = invocation->options;
	int code;

	*battery = (struct battery){.invocation = invocation,
				    .plan = plan,
				    .target = *target,
				    .archive = archive,
				    .wal_target = {.work_fd = -1}};
	code = make_seed(options, &battery->seed, err);
	if (!code)
		code = uuid_make(battery->series, err);
	if (!code && options->wal_dir) {
		code = target_resolve(&battery->wal_target, options->wal_dir, err);
		if (!code && battery->wal_target.kind != TARGET_DIRECTORY)
			code = err_set(err, ERR_USAGE, "--wal-dir %s is not a directory",
				       options->wal_dir);
		battery->has_wal = strcmp(battery->wal_target.path, target->path) != 0;
	}
	battery->runs = calloc(runs, sizeof(*battery->runs));
	if (!code && !battery->runs)
		code = err_set(err, -ENOMEM, "allocate %llu runs: %s", (unsigned long long)runs,
			       strerror(ENOMEM));
	progress_init(&battery->progress, invocation->log, options->quiet,
		      (unsigned)(plan->count * runs), plan->cost.time_ns * runs);
	return code;
}

void battery_release(struct battery *battery)
{
	for (size_t i = 0; i < battery->run_count; i++)
		archived_run_release(&battery->runs[i]);
	free(battery->runs);
	battery->runs = NULL;
	facts_release(&battery->tags);
}

/* ---- the run's row ---- */

/* How the points of ramps were made. */
static void add_rules(const struct plan *plan, struct facts *facts)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->points[i].phase->rule)
			facts_set_text(facts, "load_rule", plan->points[i].phase->rule);
}

static void add_data_set(const struct battery *battery, struct facts *facts)
{
	uint64_t bytes = plan_data_set_bytes(battery->plan, &battery->target);

	if (bytes)
		facts_set_integer(facts, "data_set_bytes", (int64_t)bytes);
}

static int describe_run(struct battery *battery, struct run *run, const struct stack *stack,
			struct err *err)
{
	const struct options *options = battery->invocation->options;
	int code;

	memcpy(run->series, battery->series, sizeof(run->series));
	run_set_text(&run->source, "assay");
	run_set_text(&run->version, ASSAY_VERSION);
	run_set_text(&run->label, options->label);
	run_set_text(&run->profile, battery->plan->profile.name);
	run_set_text(&run->target, battery->target.path);
	run_set_text(&run->command, options->command_line);
	run->seed = battery->seed;
	facts_set_text(&run->facts, "profile_text", battery->plan->profile.text);
	add_rules(battery->plan, &run->facts);
	add_data_set(battery, &run->facts);
	environment_host(&roots_real, &run->facts);
	environment_target(&roots_real, stack, "", &run->facts);
	code = options_pairs(&options->facts, "fact", &run->facts, err);
	if (!code)
		code = options_pairs(&options->tags, "tag", &run->tags, err);
	for (size_t t = 0; t < battery->tags.count; t++)
		facts_set_text(&run->tags, battery->tags.items[t].name,
			       battery->tags.items[t].text);
	if (options->note)
		run_add_note(run, NULL, options->note);
	return code;
}

static int describe_wal(struct battery *battery, struct stack *stack, struct run *run,
			struct err *err)
{
	int code;

	if (!battery->has_wal)
		return 0;
	code = stack_resolve(&roots_real, battery->wal_target.path, stack, err);
	if (!code)
		environment_target(&roots_real, stack, "wal.", &run->facts);
	return code;
}

/* ---- keeping ---- */

static void archive_broke(struct battery *battery, const struct err *err)
{
	battery->archive_failed = true;
	battery->archive_err = *err;
	progress_say(&battery->progress, "the archive takes no more: %s", err->text);
}

static void keep(struct battery *battery, struct archived_run *kept,
		 struct measurement *measurement)
{
	struct err err = {0};

	if (!battery->archive_failed &&
	    archive_add(battery->archive, kept->run.id, measurement, &err))
		archive_broke(battery, &err);
	battery->failed |= measurement->status == STATUS_FAILED;
	kept->measurements[kept->measurement_count++] = *measurement;
}

static const char *status_of(const struct archived_run *kept, int code)
{
	if (code)
		return code == -EINTR ? "interrupted" : "failed";
	for (size_t i = 0; i < kept->measurement_count; i++)
		if (kept->measurements[i].status == STATUS_FAILED)
			return "failed";
	return "complete";
}

static void finish(struct battery *battery, struct archived_run *kept, int code)
{
	const char *status = status_of(kept, code);
	char note[sizeof(battery->archive_err.text) + 40];
	struct err err = {0};

	if (!battery->archive_failed &&
	    archive_finish(battery->archive, &kept->run, status, &err))
		archive_broke(battery, &err);
	if (!battery->archive_failed)
		return;
	/* The report is then made of what is held, and has to say so. */
	run_set_text(&kept->run.status, status);
	clock_label(kept->run.finished_at);
	snprintf(note, sizeof(note), "not archived in full: %s", battery->archive_err.text);
	run_add_note(&kept->run, NULL, note);
}

/* ---- a round ---- */

static void tell_leftover(void *context, const char *path, bool removed)
{
	progress_say(context, removed ? "removed %s, left by a run that was killed"
				      : "%s was left by a run that was killed; what is still in it "
					"is not assay's and stays",
		     path);
}

static int open_places(struct battery *battery, const char *uuid, struct err *err)
{
	int code = 0;

	if (battery->target.kind == TARGET_DIRECTORY)
		code = workspace_clean(&battery->target, tell_leftover, &battery->progress, err);
	if (!code)
		code = workspace_open(&battery->target, uuid, err);
	if (!code && battery->has_wal) {
		code = workspace_clean(&battery->wal_target, tell_leftover, &battery->progress,
				       err);
		if (!code)
			code = workspace_open(&battery->wal_target, uuid, err);
	}
	return code;
}

static int close_places(struct battery *battery, struct err *err)
{
	int code = workspace_close(&battery->target, err);

	if (battery->has_wal && workspace_close(&battery->wal_target, code ? NULL : err) && !code)
		code = -ENOTEMPTY;
	return code;
}

/* What watches the devices of the target and of the log. */
static int open_watches(const struct battery *battery, struct round *round,
			const struct facts *facts, struct err *err)
{
	int code = counters_open(&round->counters, &roots_real, &round->stack, err);

	if (!code)
		code = witness_open(&round->witness, &roots_real, &round->stack,
				    battery->has_wal ? &round->wal_stack : NULL, &battery->target,
				    facts, round->counters, err);
	if (!code && battery->target.kind == TARGET_DIRECTORY)
		code = durability_open(&round->durability, &roots_real, &round->stack, facts, err);
	if (!code && battery->has_wal)
		code = counters_open(&round->wal_counters, &roots_real, &round->wal_stack, err);
	if (!code && battery->has_wal)
		code = durability_open(&round->wal_durability, &roots_real, &round->wal_stack,
				       facts, err);
	return code;
}

static int open_round(struct battery *battery, struct round *round, const struct facts *facts,
		      struct err *err)
{
	const struct invocation *invocation = battery->invocation;
	const struct plan *plan = battery->plan;
	uint64_t most = invocation->options->max_write_bytes, before = plan->precondition_bytes;
	int code = fileset_open(&round->fileset, &battery->target, battery->seed, invocation->stop,
				err);

	if (!code)
		code = open_watches(battery, round, facts, err);
	round->runner = (struct runner){
		.target = &battery->target,
		.wal_target = battery->has_wal ? &battery->wal_target : &battery->target,
		.fileset = round->fileset,
		.counters = round->counters,
		.wal_counters = round->wal_counters,
		.durability = round->durability,
		.wal_durability = round->wal_durability,
		.witness = round->witness,
		.progress = &battery->progress,
		.stop = invocation->stop,
		.seed = battery->seed,
		.write_left = most == UINT64_MAX ? UINT64_MAX
						 : (most - before) / plan->rounds_max,
	};
	return code;
}

/* Of --max-write a point is given what the least that the points after it write leaves: none is to
 * go without because one before it took its passes. */
static int measure_within(struct runner *runner, const struct plan *plan, size_t index,
			  struct measurement *measurement)
{
	uint64_t left = runner->write_left, lent, reserved = plan->least_writes[index + 1];
	int code;

	if (left == UINT64_MAX)
		return runner_measure(runner, &plan->points[index], measurement);
	lent = left > reserved ? left - reserved : 0;
	runner->write_left = lent;
	code = runner_measure(runner, &plan->points[index], measurement);
	runner->write_left = left - (lent - runner->write_left);
	return code;
}

static int measure_points(struct battery *battery, struct round *round, struct archived_run *kept)
{
	const struct plan *plan = battery->plan;

	kept->measurements = calloc(plan->count, sizeof(*kept->measurements));
	if (!kept->measurements)
		abort();
	for (size_t i = 0; i < plan->count; i++) {
		struct measurement measurement;
		int code;

		measurement_init(&measurement, plan->points[i].phase->name);
		progress_begin(&battery->progress, &plan->points[i]);
		code = measure_within(&round->runner, plan, i, &measurement);
		if (code) {
			measurement_release(&measurement);
			return code;
		}
		keep(battery, kept, &measurement); /* first: what is announced is archived */
		progress_end(&battery->progress, &measurement);
	}
	return 0;
}

/* What syncs turned out to be worth, where a phase relied on them. */
static void add_verdicts(const struct round *round, struct facts *facts)
{
	if (round->durability)
		durability_facts(round->durability, "", facts);
	if (round->wal_durability)
		durability_facts(round->wal_durability, "wal.", facts);
}

/* How long the disks are watched before the load: a second, of short batteries a fiftieth. */
static uint64_t look_ns(const struct plan *plan)
{
	const uint64_t least_ns = 50 * NS_PER_MS;
	uint64_t share_ns = plan->cost.time_ns / 50;

	if (share_ns > NS_PER_S)
		return NS_PER_S;
	return share_ns > least_ns ? share_ns : least_ns;
}

/* Where the data lay: disks are faster at their rim, and pieces of it are slower than a whole.
 * Filesystems that move blocks, and those of several devices, have addresses of their own. */
static void add_extents(const struct round *round, struct facts *facts)
{
	const char *moves = facts_text(facts, "copy_on_write"), *type = round->stack.filesystem;
	struct fileset_extents extents;

	if (!moves || strcmp(moves, "no") != 0 || !type || !strcmp(type, "btrfs") ||
	    fileset_extents(round->fileset, 0, &extents, NULL))
		return;
	facts_set_integer(facts, "data_extents", (int64_t)extents.count);
	facts_set_integer(facts, "data_first_byte", (int64_t)extents.first_byte);
	facts_set_integer(facts, "data_end_byte", (int64_t)extents.end_byte);
}

/* Once in a series a device is written whole, so often that what it does under load is what it
 * will go on doing. */
static int precondition(struct battery *battery, struct round *round, struct archived_run *kept,
			struct err *err)
{
	const struct plan *plan = battery->plan;
	char bytes[UNIT_TEXT_MAX];
	int code = 0;

	if (!plan->precondition_bytes)
		return 0;
	if (kept->run.round == 1 && battery->run_count == 1) {
		progress_say(&battery->progress, "preconditioning: %s are written to %s",
			     unit_format(bytes, UNIT_BYTES, (double)plan->precondition_bytes),
			     battery->target.path);
		code = fileset_precondition(round->fileset,
					    plan_data_set_bytes(plan, &battery->target),
					    (unsigned)plan->profile.precondition, err);
	}
	if (!code)
		facts_set_integer(&kept->run.facts, "precondition_bytes",
				  (int64_t)plan->precondition_bytes);
	return code;
}

static int run_round(struct battery *battery, struct round *round, struct archived_run *kept,
		     struct err *err)
{
	const struct invocation *invocation = battery->invocation;
	int code = open_round(battery, round, &kept->run.facts, err);

	if (code)
		return code;
	code = precondition(battery, round, kept, err);
	if (code) {
		finish(battery, kept, code);
		return code;
	}
	witness_look(round->witness, &battery->target, look_ns(battery->plan), invocation->stop,
		     &kept->run.facts);
	code = measure_points(battery, round, kept);
	if (code)
		err_set(err, code, "interrupted by a signal: what was finished is archived");
	add_verdicts(round, &kept->run.facts);
	add_extents(round, &kept->run.facts);
	finish(battery, kept, code);
	return code;
}

static void release_round(struct round *round)
{
	witness_close(round->witness);
	durability_close(round->durability);
	durability_close(round->wal_durability);
	counters_close(round->counters);
	counters_close(round->wal_counters);
	fileset_close(round->fileset);
	stack_release(&round->stack);
	stack_release(&round->wal_stack);
}

static int begin_run(struct battery *battery, struct round *round, struct run *run, struct err *err)
{
	int code = stack_resolve(&roots_real, battery->target.path, &round->stack, err);

	if (!code)
		code = describe_run(battery, run, &round->stack, err);
	if (!code)
		code = describe_wal(battery, &round->wal_stack, run, err);
	if (code || battery->archive_failed)
		return code;
	code = archive_begin(battery->archive, run, err);
	if (!code || run->round == 1)
		return code;
	archive_broke(battery, err); /* what earlier rounds measured is still to be reported */
	return 0;
}

int battery_round(struct battery *battery, unsigned number, struct err *err)
{
	struct archived_run *kept = &battery->runs[battery->run_count++];
	struct round round = {0};
	struct err closing = {0};
	int code = run_init(&kept->run, err);

	kept->run.round = number;
	if (!code)
		code = open_places(battery, kept->run.uuid, err);
	if (!code)
		code = begin_run(battery, &round, &kept->run, err);
	if (!code)
		code = run_round(battery, &round, kept, err);
	release_round(&round);
	if (close_places(battery, &closing) && !code)
		code = err_set(err, closing.code, "%s", closing.text);
	return code;
}

struct run_ids battery_ids(const struct battery *battery)
{
	struct run_ids ids = {.items = calloc(battery->run_count + 1, sizeof(*ids.items))};

	if (!ids.items)
		abort();
	for (size_t i = 0; i < battery->run_count; i++)
		if (battery->runs[i].run.id)
			ids.items[ids.count++] = battery->runs[i].run.id;
	return ids;
}
