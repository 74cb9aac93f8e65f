/* SPDX-License-Identifier: MIT */
/* witness.c - gathers the evidence for each measurement of a round. */
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attribute.h"
#include "background.h"
#include "bypass.h"
#include "cgroup.h"
#include "clock.h"
#include "engine.h"
#include "evidence.h"
#include "words.h"

enum {
	PASSES_MAX = 1024,         /* remembered one by one: an even number */
	READ_AHEAD_KIB = 4096,     /* where the target's is not known: more than most */
	WINDOWS_AHEAD = 4, /* of read-ahead beyond the end of what is asked for: one read, one
			    * on its way, and both rounded up to large folios */
	PASS_JOURNAL_BYTES = 1 << 17, /* of a pass that wrote: its sync commits the inode's block,
				       * its group's and the journal's own */
	CLOCK_ATTEMPTS = 8,
};

/* Readings of several clocks further apart than this are of different moments. */
#define CLOCK_APART_NS (50 * NS_PER_US)

struct clocks {
	bool known;
	uint64_t monotonic_ns, raw_ns, boot_ns, real_ns;
};

static const enum metric_id pressures[] = {METRIC_pressure_cpu, METRIC_pressure_io,
					   METRIC_pressure_memory};

enum { PRESSURES = sizeof(pressures) / sizeof(pressures[0]) };

struct witness {
	const struct roots *roots;
	const struct stack *stack, *log_stack; /* log_: of --wal-dir; NULL: the log is in the
						* target */
	const struct counters *counters;
	struct counters *below; /* of the disks under the files of loop devices; NULL: there are
				 * none */
	bool plain;             /* what the disks do beyond the target's traffic is others' */
	uint64_t read_ahead_bytes;
	int pressure_fds[PRESSURES]; /* -1: not known */

	/* Of the measurement. */
	struct evidence evidence;
	struct clocks start;
	double monotonic_ns, raw_ns; /* summed over passes, like the rest */
	uint64_t pressure_start_us[PRESSURES], pressure_us[PRESSURES];
	double request_bytes; /* mean of the largest kind */
	bool on_target, on_log; /* where the load was */
	uint64_t passes, per_rate; /* how many, and how many of them one rate stands for */
	double rates[PASSES_MAX];
	double units, units_ns; /* of the rate being made */
};

/* ---- what the target is ---------------------------------------------------------------------- */

static bool says(const struct facts *facts, const char *name, const char *value)
{
	const char *text = facts_text(facts, name);

	return text && !strcmp(text, value);
}

static double number(const struct facts *facts, const char *name, double absent)
{
	const struct fact *fact = facts_find(facts, name);

	if (!fact || fact->kind == FACT_TEXT)
		return absent;
	return fact->kind == FACT_INTEGER ? (double)fact->integer : fact->real;
}

/* The first loop device on the way down that goes through the page cache. */
static void find_buffered_loop(const struct stack *stack, char name[NAME_MAX_BYTES])
{
	name[0] = '\0';
	for (; stack && !name[0]; stack = stack->backing)
		for (size_t i = 0; i < stack->count && !name[0]; i++)
			if (stack->nodes[i].buffered)
				memcpy(name, stack->nodes[i].name, NAME_MAX_BYTES);
}

static bool is_plain(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct stack_node *node = &stack->nodes[i];

		if (!node->disk && (node->kind != STACK_PARTITION || node->parent >= 0))
			return false;
	}
	return true;
}

static void describe_target(struct witness *witness, const struct target *target,
			    const struct facts *facts)
{
	struct evidence_target *seen = &witness->evidence.target;
	struct words devices = WORDS(seen->devices, ", ");
	const struct stack *stack = witness->stack;

	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;)
		words_add(&devices, "%s", stack->nodes[i].name);
	if (!devices.used)
		words_add(&devices, "the target");
	seen->files = target->kind == TARGET_DIRECTORY;
	seen->copies_on_write = seen->files && says(facts, "copy_on_write", "yes");
	seen->compresses = seen->files && facts_text(facts, "compression");
	seen->memory_bytes = (uint64_t)number(facts, "memory_usable_bytes", 0);
	find_buffered_loop(stack, seen->buffered_loop);
	witness->plain = is_plain(stack);
	witness->read_ahead_bytes =
		1024 * (uint64_t)number(facts, "read_ahead_kb", READ_AHEAD_KIB);
	witness->evidence.cpu.cpus = (unsigned)number(facts, "cpu_count", 0);
	witness->evidence.clock.cost_ns = number(facts, "clock_cost_ns", NAN);
}

static void try_direct(struct witness *witness, const struct target *target)
{
	struct evidence_target *seen = &witness->evidence.target;
	struct bypass bypass;

	bypass_try(target, &bypass);
	seen->bypass_known = bypass.known;
	seen->bypass_bytes = bypass.bytes;
	seen->bypass_read_cached_bytes = bypass.read_cached_bytes;
	seen->bypass_write_cached_bytes = bypass.write_cached_bytes;
}

static void open_pressures(struct witness *witness)
{
	static const char *const names[PRESSURES] = {"cpu", "io", "memory"};
	char path[PATH_MAX];

	for (int i = 0; i < PRESSURES; i++) {
		snprintf(path, sizeof(path), "%s/pressure/%s", witness->roots->proc, names[i]);
		witness->pressure_fds[i] = open(path, O_RDONLY | O_CLOEXEC);
	}
}

int witness_open(struct witness **witness, const struct roots *roots, const struct stack *stack,
		 const struct stack *log_stack, const struct target *target,
		 const struct facts *facts, const struct counters *counters, struct err *err)
{
	struct witness *opened = calloc(1, sizeof(*opened));
	const struct stack *bottom = stack->backing;

	*witness = opened;
	if (!opened)
		return err_set(err, -ENOMEM, "gather evidence: %s", strerror(ENOMEM));
	opened->roots = roots;
	opened->stack = stack;
	opened->log_stack = log_stack;
	opened->counters = counters;
	open_pressures(opened);
	describe_target(opened, target, facts);
	try_direct(opened, target);
	while (bottom && bottom->backing)
		bottom = bottom->backing;
	return bottom ? counters_open(&opened->below, roots, bottom, err) : 0;
}

void witness_close(struct witness *witness)
{
	if (!witness)
		return;
	for (int i = 0; i < PRESSURES; i++)
		if (witness->pressure_fds[i] >= 0)
			close(witness->pressure_fds[i]);
	counters_close(witness->below);
	free(witness);
}

/* ---- before the load ------------------------------------------------------------------------- */

static void look_at(struct witness *witness, const struct stack *stack, uint64_t watch_ns,
		    const atomic_bool *stop)
{
	struct evidence_background *seen = &witness->evidence.background;
	struct words what = WORDS(seen->what, ", "), unseen = WORDS(seen->unseen, "; ");
	struct background background = {0};

	what.used = strlen(seen->what);
	unseen.used = strlen(seen->unseen);
	background_look(witness->roots, stack, &background);
	background_watch(witness->roots, stack, watch_ns, stop, &background);
	seen->known |= background.watched;
	if (background.io[0])
		words_add(&what, "%s", background.io);
	if (background.work[0])
		words_add(&what, "%s", background.work);
	if (background.unseen[0])
		words_add(&unseen, "%s", background.unseen);
}

void witness_look(struct witness *witness, const struct target *target, uint64_t watch_ns,
		  const atomic_bool *stop, struct facts *facts)
{
	struct evidence_background *seen = &witness->evidence.background;

	/* What this run has written so far is not to be taken for others'. */
	if (target->work_fd >= 0)
		syncfs(target->work_fd);
	*seen = (struct evidence_background){.known = false};
	look_at(witness, witness->stack, watch_ns, stop);
	if (witness->log_stack)
		look_at(witness, witness->log_stack, watch_ns, stop);
	if (seen->known || seen->what[0])
		facts_set_text(facts, "background_io", seen->what[0] ? seen->what : "none");
}

/* ---- a measurement --------------------------------------------------------------------------- */

/* Adds the limits on every whole device of a stack: they hold for its partitions. */
static void add_limits(struct witness *witness, const struct stack *stack)
{
	struct evidence_target *seen = &witness->evidence.target;
	struct words limits = WORDS(seen->limits, ", ");
	char text[128];

	limits.used = strlen(seen->limits);
	for (; stack && seen->limits_known; stack = stack->backing)
		for (size_t i = 0; i < stack->count; i++) {
			const struct stack_node *node = &stack->nodes[i];

			if (node->kind == STACK_PARTITION ||
			    !cgroup_io_max(witness->roots, node->major, node->minor, text,
					   sizeof(text)))
				continue;
			words_add(&limits, "%s %s", node->name, text);
			seen->reads_limited |= strstr(text, "rbps") || strstr(text, "riops");
			seen->writes_limited |= strstr(text, "wbps") || strstr(text, "wiops");
		}
}

static void forget_limits(struct evidence_target *seen)
{
	seen->limits[0] = '\0';
	seen->reads_limited = seen->writes_limited = false;
}

static void read_limits(struct witness *witness)
{
	struct cgroup group;

	forget_limits(&witness->evidence.target);
	witness->evidence.target.limits_known = cgroup_find(witness->roots, "io", &group);
	add_limits(witness, witness->stack);
}

/* Once it is known where the load was; a limit may have been set meanwhile. */
static void settle_limits(struct witness *witness)
{
	struct evidence_target *seen = &witness->evidence.target;

	if (!seen->limits[0])
		read_limits(witness);
	if (!witness->on_target)
		forget_limits(seen);
	if (witness->on_log)
		add_limits(witness, witness->log_stack);
}

static void read_clock_source(const struct witness *witness, char source[NAME_MAX_BYTES])
{
	attribute_text(source, NAME_MAX_BYTES,
		       "%s/devices/system/clocksource/clocksource0/current_clocksource",
		       witness->roots->sys);
}

void witness_begin(struct witness *witness)
{
	struct evidence *evidence = &witness->evidence;

	evidence->load = (struct evidence_load){0};
	evidence->target.hollow = (struct hollow){0};
	evidence->reach = (struct phase_reach){0};
	evidence->devices = (struct evidence_devices){0};
	evidence->clock = (struct evidence_clock){.known = true,
						  .cost_ns = evidence->clock.cost_ns};
	memset(witness->pressure_us, 0, sizeof(witness->pressure_us));
	witness->monotonic_ns = witness->raw_ns = 0;
	witness->units = witness->units_ns = 0;
	witness->passes = evidence->passes.count = 0;
	witness->per_rate = 1;
	if (witness->below)
		counters_reset(witness->below);
	read_limits(witness);
	read_clock_source(witness, evidence->clock.source);
}

/* All clocks at one moment; not known when something always came between. */
static struct clocks read_clocks(void)
{
	struct clocks clocks = {0};

	for (int i = 0; i < CLOCK_ATTEMPTS && !clocks.known; i++) {
		clocks.monotonic_ns = clock_now_ns();
		clocks.raw_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
		clocks.boot_ns = clock_read_ns(CLOCK_BOOTTIME);
		clocks.real_ns = clock_read_ns(CLOCK_REALTIME);
		clocks.known = clock_now_ns() - clocks.monotonic_ns < CLOCK_APART_NS;
	}
	return clocks;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" microseconds. */
static uint64_t read_pressure_us(int fd)
{
	char text[256], *total;
	ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return 0;
	text[got] = '\0';
	total = strstr(text, "total=");
	return total ? strtoull(total + 6, NULL, 10) : 0;
}

/* The clocks are read next to the counters of the target's devices. */
void witness_start(struct witness *witness)
{
	witness->start = read_clocks();
	for (int i = 0; i < PRESSURES; i++)
		witness->pressure_start_us[i] = read_pressure_us(witness->pressure_fds[i]);
	if (witness->below)
		counters_start(witness->below);
}

void witness_stop(struct witness *witness, uint64_t load_end_ns)
{
	struct evidence_clock *seen = &witness->evidence.clock;
	const struct clocks *start = &witness->start;
	struct clocks now;

	if (witness->below)
		counters_stop(witness->below);
	for (int i = 0; i < PRESSURES; i++)
		witness->pressure_us[i] +=
			read_pressure_us(witness->pressure_fds[i]) - witness->pressure_start_us[i];
	now = read_clocks();
	/* A load that has ended adds nothing to counters that are read late. */
	if (load_end_ns > start->monotonic_ns)
		witness->evidence.devices.counted_ns +=
			(now.monotonic_ns < load_end_ns ? now.monotonic_ns : load_end_ns) -
			start->monotonic_ns;
	seen->known = seen->known && now.known && start->known;
	seen->suspended_ns += (int64_t)(now.boot_ns - start->boot_ns) -
			      (int64_t)(now.monotonic_ns - start->monotonic_ns);
	seen->stepped_ns += (int64_t)(now.real_ns - start->real_ns) -
			    (int64_t)(now.boot_ns - start->boot_ns);
	witness->monotonic_ns += (double)(now.monotonic_ns - start->monotonic_ns);
	witness->raw_ns += (double)(now.raw_ns - start->raw_ns);
}

/* When there is no room left, each rate comes to stand for twice as many passes. */
static void make_room(struct witness *witness)
{
	for (size_t i = 0; i < PASSES_MAX / 2; i++)
		witness->rates[i] = (witness->rates[2 * i] + witness->rates[2 * i + 1]) / 2;
	witness->evidence.passes.count = PASSES_MAX / 2;
	witness->per_rate *= 2;
}

void witness_pass(struct witness *witness, uint64_t units, uint64_t elapsed_ns)
{
	struct evidence_passes *passes = &witness->evidence.passes;

	witness->passes++;
	witness->units += (double)units;
	witness->units_ns += (double)elapsed_ns;
	if (witness->passes % witness->per_rate || witness->units_ns <= 0)
		return;
	if (passes->count == PASSES_MAX)
		make_room(witness);
	witness->rates[passes->count++] = witness->units * (double)NS_PER_S / witness->units_ns;
	witness->units = witness->units_ns = 0;
}

/* ---- what the load did ----------------------------------------------------------------------- */

static const struct value *resolved(const struct phase_run *run, const char *name)
{
	int index = phase_param_index(run->point->phase, name);

	return index < 0 ? NULL : &run->resolved[index];
}

static bool is_resolved(const struct phase_run *run, const char *name, const char *choice)
{
	const struct value *value = resolved(run, name);

	return value && value->kind == VALUE_TEXT && !strcmp(value->text, choice);
}

static uint64_t resolved_number(const struct phase_run *run, const char *name)
{
	const struct value *value = resolved(run, name);

	return value && value->kind == VALUE_NUMBER ? value->number : 0;
}

static bool moves_nothing(const struct phase_run *run)
{
	const struct value *engine = resolved(run, "engine");
	const struct engine *found =
		engine && engine->kind == VALUE_TEXT ? engine_find(engine->text) : NULL;

	return found && found->moves_nothing;
}

void witness_ready(struct witness *witness, const struct phase_run *run)
{
	const struct target *target = run->target;
	uint64_t bytes = resolved_number(run, "size");

	if (target->kind == TARGET_DEVICE && !moves_nothing(run) &&
	    !is_resolved(run, "operation", "write"))
		witness->evidence.target.hollow = hollow_sample(
			target->path, bytes ? bytes : target->device_bytes);
}

/* What all workers recorded of one operation. */
static void add_operation(struct witness *witness, const struct phase_run *run, unsigned index)
{
	const struct operation *operation = &run->point->phase->operations[index];
	struct evidence_load *load = &witness->evidence.load;
	uint64_t count = 0, bytes = 0;

	for (unsigned i = 0; i < run->worker_count; i++) {
		count += run->workers[i].recorders[index].histogram.count;
		bytes += run->workers[i].recorders[index].bytes;
	}
	if (!count || (!operation->reads && !operation->writes))
		return;
	load->requests += count;
	load->reads |= operation->reads;
	load->writes |= operation->writes;
	load->read_bytes += operation->reads ? bytes : 0;
	load->write_bytes += operation->writes ? bytes : 0;
	witness->request_bytes = fmax(witness->request_bytes, (double)bytes / (double)count);
}

static void describe_load(struct witness *witness, const struct phase_run *run)
{
	const struct phase *phase = run->point->phase;
	struct evidence_load *load = &witness->evidence.load;
	uint64_t passes = witness->passes ? witness->passes : 1;

	load->steady = phase->model == MODEL_STEADY;
	load->traffic = phase->traffic ? phase->traffic(run->point) : TRAFFIC_NONE;
	load->direct = is_resolved(run, "io", "direct");
	load->cold = load->traffic == TRAFFIC_EXACT ||
		     (!load->steady && !is_resolved(run, "cache", "warm"));
	load->revisits = load->steady && !load->direct;
	load->to_cache = load->writes && !load->direct;
	load->swings = phase->swings;
	load->moves_nothing = moves_nothing(run);
	load->elapsed_ns = run->elapsed_ns;
	load->workers = run->worker_count;
	load->data_set_bytes = resolved_number(run, "size");
	load->compressible = (unsigned)resolved_number(run, "compressible");
	if (!load->direct && load->reads)
		load->aside_bytes += WINDOWS_AHEAD * witness->read_ahead_bytes * passes;
	if (!load->steady && load->writes)
		load->aside_bytes += PASS_JOURNAL_BYTES * passes;
}

static void describe_cpu(struct evidence_cpu *cpu, const struct phase_run *run)
{
	cpu->worker_percent = cpu->wanted_percent = NAN;
	for (unsigned i = 0; i < run->worker_count; i++) {
		const struct worker *worker = &run->workers[i];
		double ran_ns = (double)(worker->cpu_user_ns + worker->cpu_system_ns);
		double percent = 100.0 / (double)worker->work_ns;

		if (!worker->work_ns)
			continue;
		cpu->worker_percent = fmax(cpu->worker_percent, ran_ns * percent);
		if (worker->cpu_wait_known)
			cpu->wanted_percent = fmax(cpu->wanted_percent,
						   (ran_ns + (double)worker->cpu_wait_ns) *
							   percent);
	}
}

void witness_load(struct witness *witness, const struct phase_run *run, bool ended_early)
{
	witness->request_bytes = 0;
	for (unsigned i = 0; run->point->phase->operations[i].name; i++)
		add_operation(witness, run, i);
	describe_load(witness, run);
	witness->evidence.load.ended_early = ended_early;
	witness->on_log = witness->log_stack && run->point->phase->syncs & SYNCS_LOG;
	witness->on_target = !witness->on_log || run->point->phase->syncs & SYNCS_TARGET;
	describe_cpu(&witness->evidence.cpu, run);
	witness->evidence.reach = run->reach;
}

/* ---- the end --------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct device_use *use)
{
	return use->read_bytes + use->write_bytes;
}

static void describe_devices(struct witness *witness)
{
	struct evidence_devices *seen = &witness->evidence.devices;
	const char *gap = witness->counters ? counters_gap(witness->counters)
					    : "the devices' counters were not read";
	struct device_use use, all, below;

	seen->known = witness->counters && counters_traffic(witness->counters, &use);
	snprintf(seen->gap, sizeof(seen->gap), "%s", gap ? gap : "");
	if (!seen->known)
		return;
	seen->requests = use.reads + use.writes;
	seen->read_bytes = use.read_bytes;
	seen->write_bytes = use.write_bytes;
	if (witness->plain && counters_disks(witness->counters, &all) &&
	    bytes_of(&all) > bytes_of(&use))
		seen->other_bytes = bytes_of(&all) - bytes_of(&use);
	seen->below_known = witness->below && counters_traffic(witness->below, &below);
	if (seen->below_known)
		seen->below_read_bytes = below.read_bytes;
}

static void report_pressure(const struct witness *witness, struct measurement *measurement)
{
	double counted_us = (double)witness->evidence.devices.counted_ns / (double)NS_PER_US;

	for (int i = 0; i < PRESSURES && counted_us > 0; i++)
		if (witness->pressure_fds[i] >= 0)
			measurement_add_metric(measurement, "all", &shared_metrics[pressures[i]],
					       100.0 * (double)witness->pressure_us[i] /
						       counted_us);
}

void witness_report(struct witness *witness, struct measurement *measurement)
{
	struct evidence *evidence = &witness->evidence;
	double in_flight = fmax(evidence_depth(measurement), evidence->load.workers);

	evidence->clock.drift =
		witness->raw_ns > 0 ? witness->monotonic_ns / witness->raw_ns - 1 : 0;
	read_clock_source(witness, evidence->clock.source_after);
	settle_limits(witness);
	if (evidence->load.steady) /* at the start and at the end */
		evidence->load.edge_bytes = (uint64_t)(2 * in_flight * witness->request_bytes);
	evidence->passes.rates = witness->rates;
	describe_devices(witness);
	report_pressure(witness, measurement);
	evidence_judge(evidence, measurement);
}
