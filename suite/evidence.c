/* SPDX-License-Identifier: MIT */
/*
 * evidence.c - see evidence.h. Each check is a function that raises its flag, names itself among
 * what could not be checked, or is silent because it does not concern the point.
 */
#include "evidence.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "steadiness.h"
#include "units.h"
#include "words.h"

/* The part of the bytes read that must have come from the device: caches of metadata and a page or
 * two that stayed are no lie, a tenth is. */
static const double device_share_least = 0.9;

/* Bytes on the device that may be others': journals and timestamps take a percent or two. */
static const double foreign_share_most = 0.05;

/* What a journal writes every few seconds for the timestamps of the files worked on, apart from
 * what each pass adds; a slow load is not to be accused of it. */
static const double foreign_floor_bytes = 1 << 20;

/* Of what a trial of direct I/O moved, through the cache: half is neither a stray page nor a
 * mistake. */
static const double bypass_share_least = 0.5;
static const double hollow_share_least = 0.1;

/* Of a CPU: what is left is interrupts and the start and end of the load. */
static const double cpu_bound_percent = 90;

/* From here on a queue is a queue: below, the time between requests hides it. */
static const double shallow_depth_least = 4;

/* The device's depth against what was asked. */
static const double shallow_share_most = 0.5;

/* Of the time CPUs were wanted, and of one CPU: below 2 % of one CPU it is a tick or two. */
static const double steal_percent_most = 2;

/* A data set of twice the memory leaves at most half of the reads to it. */
static const double memory_share_least = 2;

/* Distinct blocks against what so many offsets make likely, and how many of them it takes for
 * chance to stay within that: the deviation is below 5 % of 200. */
static const double reread_share_most = 0.8, reread_blocks_least = 200;

/* A reading of the clock through a system call takes 100 to 300 ns, of a timer on the bus 1 us or
 * more; and it matters from a percent of the load's time on, at two readings for each request. */
static const double clock_cost_most_ns = 500, clock_share_most = 0.01;

/* Timers are kept to the millisecond; NTP slews by 0.05 % and more than a step of 0.1 s is not made
 * by it in passing. A clock 1 % off makes every rate 1 % wrong. */
#define SUSPENDED_MOST_NS (10 * (int64_t)NS_PER_MS)
#define STEPPED_MOST_NS (100 * (int64_t)NS_PER_MS)
static const double drift_most = 0.01;

struct judging {
	const struct evidence *evidence;
	struct measurement *measurement;
	struct words unchecked;
};

struct amount {
	char text[UNIT_TEXT_MAX];
};

static struct amount bytes_of(double bytes)
{
	struct amount amount;

	unit_format(amount.text, UNIT_BYTES, bytes);
	return amount;
}

static double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- traffic --------------------------------------------------------------------------------- */

/* What the devices should have counted of our own bytes: the readings are not quite as far apart as
 * the window is long. */
static double expected(const struct evidence *evidence, uint64_t own_bytes)
{
	const struct evidence_load *load = &evidence->load;
	uint64_t counted_ns = evidence->devices.counted_ns;

	if (!load->steady || load->ended_early || !load->elapsed_ns || !counted_ns)
		return (double)own_bytes;
	return (double)own_bytes * (double)counted_ns / (double)load->elapsed_ns;
}

/* Whether compression, and not a cache, may be why a device moved less than we did. */
static bool is_compressed(const struct evidence *evidence)
{
	return evidence->target.compresses && evidence->load.compressible;
}

/* A loop device without direct I/O. What the disks below read proves nothing, since it is
 * everybody's; it is said all the same. */
static void flag_loop(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	double below = (double)evidence->devices.below_read_bytes;
	char disks[100] = "what the disks below it read is not known";

	if (evidence->devices.below_known)
		snprintf(disks, sizeof(disks), "the disks below it read %s for all their users",
			 bytes_of(below).text);
	measurement_flag(judging->measurement, SEVERITY_VOID, "cached",
			 "%s reads its file through the page cache: %s were read from it, and %s",
			 evidence->target.buffered_loop,
			 bytes_of((double)evidence->load.read_bytes).text, disks);
}

static void check_cached(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct evidence_load *load = &evidence->load;
	double wanted = expected(evidence, load->read_bytes) - (double)load->edge_bytes;
	double got = (double)evidence->devices.read_bytes;

	if (!load->reads || load->moves_nothing || (load->traffic != TRAFFIC_EXACT && !load->cold))
		return;
	if (evidence->target.buffered_loop[0])
		flag_loop(judging);
	else if (!evidence->devices.known)
		words_add(&judging->unchecked, "whether reads came from the device (%s)",
			  evidence->devices.gap);
	else if (is_compressed(evidence))
		words_add(&judging->unchecked, "whether reads came from the device (the filesystem "
					       "compresses)");
	else if (wanted > 0 && got < device_share_least * wanted)
		measurement_flag(judging->measurement, SEVERITY_VOID, "cached",
				 "of %s read, %s came from %s (%.0f %%)",
				 bytes_of((double)load->read_bytes).text, bytes_of(got).text,
				 evidence->target.devices, percent_of(got, wanted));
}

/* What a trial of direct I/O showed; true when it raised the flag. */
static bool flag_bypass(struct judging *judging)
{
	const struct evidence_load *load = &judging->evidence->load;
	const struct evidence_target *target = &judging->evidence->target;
	double read = percent_of((double)target->bypass_read_cached_bytes,
				 (double)target->bypass_bytes);
	double written = percent_of((double)target->bypass_write_cached_bytes,
				    (double)target->bypass_bytes);
	bool writes = load->writes && written >= 100 * bypass_share_least;
	bool reads = load->reads && read >= 100 * bypass_share_least;

	if (!target->bypass_known || (!writes && !reads))
		return false;
	measurement_flag(judging->measurement, SEVERITY_DOUBT, "buffered",
			 "direct I/O was asked for, and in a trial of %s here %.0f %% of what was "
			 "%s directly went through the page cache",
			 bytes_of((double)target->bypass_bytes).text, writes ? written : read,
			 writes ? "written" : "read");
	return true;
}

static void check_buffered(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct evidence_load *load = &evidence->load;
	double wanted = expected(evidence, load->write_bytes) - (double)load->edge_bytes;
	double got = (double)evidence->devices.write_bytes;

	if (!load->direct || load->moves_nothing || (!load->reads && !load->writes))
		return;
	if (load->writes && evidence->target.buffered_loop[0])
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "buffered",
				 "direct I/O was asked for, and %s writes its file through the "
				 "page cache: %s were written",
				 evidence->target.buffered_loop,
				 bytes_of((double)load->write_bytes).text);
	else if (flag_bypass(judging))
		return;
	else if (evidence->devices.known && load->writes && !is_compressed(evidence) &&
		 load->traffic == TRAFFIC_EXACT && wanted > 0 && got < device_share_least * wanted)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "buffered",
				 "direct I/O was asked for, and of %s written %s reached %s (%.0f "
				 "%%)",
				 bytes_of((double)load->write_bytes).text, bytes_of(got).text,
				 evidence->target.devices, percent_of(got, wanted));
	else if (evidence->target.files && !evidence->target.bypass_known)
		words_add(&judging->unchecked, "whether direct I/O passed the page cache by");
}

static void check_foreign(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct evidence_load *load = &evidence->load;
	const struct evidence_devices *devices = &evidence->devices;
	double all = (double)(devices->read_bytes + devices->write_bytes + devices->other_bytes);
	double own = expected(evidence, load->read_bytes + load->write_bytes);
	double foreign = all - own - (double)(load->edge_bytes + load->aside_bytes);

	if (load->traffic != TRAFFIC_EXACT || load->moves_nothing)
		return;
	if (!devices->known)
		words_add(&judging->unchecked, "whether others used the device (%s)", devices->gap);
	else if (load->writes && evidence->target.copies_on_write)
		words_add(&judging->unchecked,
			  "whether others used the device (copying on write adds its own traffic)");
	else if (foreign > foreign_floor_bytes && foreign > foreign_share_most * all)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "foreign",
				 "%.0f %% of what %s moved was not ours: %s of %s",
				 percent_of(foreign, all), evidence->target.devices,
				 bytes_of(foreign).text, bytes_of(all).text);
}

static void check_small_target(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct evidence_load *load = &evidence->load;
	double read = expected(evidence, load->read_bytes),
	       got = (double)evidence->devices.read_bytes;
	double memory = (double)evidence->target.memory_bytes, data = (double)load->data_set_bytes;
	char from[100] = "how much of what was read came from the device is not known";

	if (!load->revisits || !load->reads || load->moves_nothing || data <= 0)
		return;
	if (evidence->devices.known && got >= device_share_least * read)
		return;
	if (evidence->devices.known)
		snprintf(from, sizeof(from), "%.0f %% of what was read came from the device",
			 percent_of(got, read));
	if (memory <= 0)
		words_add(&judging->unchecked, "whether the data set fits into memory");
	else if (data < memory_share_least * memory)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "small_target",
				 "blocks are read again, and the data set of %s is less than twice "
				 "the memory of %s: %s",
				 bytes_of(data).text, bytes_of(memory).text, from);
}

static void check_unwritten(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct hollow *hollow = &evidence->target.hollow;

	if (evidence->target.files || !evidence->load.reads || evidence->load.moves_nothing)
		return;
	if (!hollow->sampled)
		words_add(&judging->unchecked, "whether what was read had ever been written");
	else if (hollow->empty >= hollow_share_least * hollow->sampled)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "unwritten",
				 "of %u blocks looked at %u hold nothing: what was never written "
				 "or is trimmed, %s may answer without its medium",
				 hollow->sampled, hollow->empty, evidence->target.devices);
}

static void check_reread(struct judging *judging)
{
	const struct phase_reach *reach = &judging->evidence->reach;

	if (!judging->evidence->load.steady || !reach->offsets)
		return;
	if (reach->likely_blocks < reread_blocks_least)
		words_add(&judging->unchecked, "whether random offsets repeat (too few blocks)");
	else if (reach->distinct_blocks < reread_share_most * reach->likely_blocks)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "reread",
				 "%llu random offsets touched %.0f distinct blocks, where some "
				 "%.0f were likely",
				 (unsigned long long)reach->offsets, reach->distinct_blocks,
				 reach->likely_blocks);
}

/* ---- what the load had of the machine -------------------------------------------------------- */

static void check_cpu_bound(struct judging *judging)
{
	const struct evidence_cpu *cpu = &judging->evidence->cpu;
	double busy = measurement_value(judging->measurement, "all", "cpu_busy");
	double machine = cpu->cpus ? busy / cpu->cpus : NAN;

	if (judging->evidence->load.moves_nothing)
		return;
	if (cpu->worker_percent >= cpu_bound_percent)
		measurement_flag(judging->measurement, SEVERITY_NOTE, "cpu_bound",
				 "a worker took %.0f %% of a CPU: the target can do at least this "
				 "much",
				 cpu->worker_percent);
	else if (cpu->wanted_percent >= cpu_bound_percent)
		measurement_flag(judging->measurement, SEVERITY_NOTE, "cpu_bound",
				 "a worker ran or waited for a CPU %.0f %% of the time (it ran "
				 "%.0f %%): the target can do at least this much",
				 cpu->wanted_percent, cpu->worker_percent);
	else if (machine >= cpu_bound_percent)
		measurement_flag(judging->measurement, SEVERITY_NOTE, "cpu_bound",
				 "the %u CPUs of the machine were %.0f %% busy: the target can do "
				 "at least this much",
				 cpu->cpus, machine < 100 ? machine : 100); /* ticks are coarse */
	else if (isnan(machine) || isnan(cpu->wanted_percent))
		words_add(&judging->unchecked, "whether the %s had CPU to spare",
			  isnan(machine) ? "machine" : "load");
}

/* Ticks are too coarse for windows of a few of them, and these of the whole machine. */
static void check_steal(struct judging *judging)
{
	double stolen = measurement_value(judging->measurement, "all", "cpu_steal");
	double wanted = stolen + measurement_value(judging->measurement, "all", "cpu_busy");

	if (isnan(wanted))
		words_add(&judging->unchecked, "what the hypervisor took");
	else if (stolen > steal_percent_most && percent_of(stolen, wanted) > steal_percent_most)
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "steal",
				 "the hypervisor took %.1f %% of the CPU time that was wanted "
				 "(%.1f %% of one CPU)",
				 percent_of(stolen, wanted), stolen);
}

double evidence_depth(const struct measurement *measurement)
{
	double depth = 0;

	for (size_t i = 0; i < measurement->metric_count; i++)
		if (!strcmp(measurement->metrics[i].metric, "queue_depth") &&
		    isfinite(measurement->metrics[i].value))
			depth += measurement->metrics[i].value;
	return depth;
}

/* Requests that the kernel merged are fewer on the device. */
static double merged_share(const struct evidence *evidence)
{
	double own = expected(evidence, evidence->load.requests);
	double share = own > 0 ? (double)evidence->devices.requests / own : 1;

	return share < 1 ? share : 1;
}

/* Whether what is in flight must be in flight on the device: not where a cache answers. */
static bool goes_to_device(const struct evidence *evidence)
{
	const struct evidence_load *load = &evidence->load;

	if (load->direct)
		return true;
	return load->reads && !load->writes &&
	       (double)evidence->devices.read_bytes >=
		       device_share_least * expected(evidence, load->read_bytes);
}

static bool is_raised(const struct judging *judging, const char *code)
{
	for (size_t i = 0; i < judging->measurement->flag_count; i++)
		if (!strcmp(judging->measurement->flags[i].code, code))
			return true;
	return false;
}

static void check_shallow(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	double asked = evidence_depth(judging->measurement), share;
	double got = measurement_value(judging->measurement, "all", "device_queue_depth");

	if (evidence->load.moves_nothing || asked < shallow_depth_least)
		return;
	if (!evidence->devices.known || isnan(got)) {
		words_add(&judging->unchecked, "how many requests the device held");
		return;
	}
	share = merged_share(evidence);
	if (goes_to_device(evidence) && got < shallow_share_most * share * asked)
		measurement_flag(judging->measurement, SEVERITY_NOTE, "shallow",
				 "%.3g requests were kept in flight, and %s held %.2g%s%s",
				 asked, evidence->target.devices, got,
				 share < device_share_least ? " (after merging)" : "",
				 is_raised(judging, "cpu_bound")
					 ? "; the others may have waited for a CPU"
					 : "");
}

static bool is_limited(const struct evidence *evidence)
{
	return (evidence->load.reads && evidence->target.reads_limited) ||
	       (evidence->load.writes && evidence->target.writes_limited);
}

static double per_second(uint64_t amount, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)amount * (double)NS_PER_S / (double)elapsed_ns : 0;
}

static void check_throttled(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	const struct evidence_load *load = &evidence->load;

	if (load->moves_nothing || (!load->reads && !load->writes))
		return;
	if (!evidence->target.limits_known)
		words_add(&judging->unchecked, "limits of the control group");
	else if (is_limited(evidence))
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "throttled",
				 "the control group limits %s; the load read %s/s and wrote %s/s",
				 evidence->target.limits,
				 bytes_of(per_second(load->read_bytes, load->elapsed_ns)).text,
				 bytes_of(per_second(load->write_bytes, load->elapsed_ns)).text);
}

static void check_background(struct judging *judging)
{
	const struct evidence_background *background = &judging->evidence->background;

	if (judging->evidence->load.moves_nothing)
		return;
	if (!background->known)
		words_add(&judging->unchecked, "whether the device was busy before the start");
	if (background->what[0])
		measurement_flag(judging->measurement, SEVERITY_DOUBT, "background",
				 "before the start: %s", background->what);
	if (background->unseen[0])
		words_add(&judging->unchecked, "%s", background->unseen);
}

/* ---- over time ------------------------------------------------------------------------------- */

/* One operation's counts in intervals of equal length. */
struct row {
	const char *operation; /* NULL: passes */
	double *rates;         /* per interval */
	size_t count;
	double interval_ns;
};

static bool is_headline(const struct measurement *measurement, const char *operation)
{
	for (size_t i = 0; i < measurement->metric_count; i++)
		if (measurement->metrics[i].headline &&
		    !strcmp(measurement->metrics[i].operation, operation))
			return true;
	return false;
}

/* The distance between the samples of one operation, or 0 when there are fewer than two. */
static uint64_t interval_of(const struct measurement *measurement, const char *operation)
{
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < measurement->sample_count; i++) {
		const struct sample *sample = &measurement->samples[i];

		if (strcmp(sample->operation, operation) != 0)
			continue;
		if (first_ns != UINT64_MAX)
			return sample->at_ns - first_ns;
		first_ns = sample->at_ns;
	}
	return 0;
}

/* Seconds at the end in which nothing was done have no sample; the last interval counts if more
 * than half of it was measured. */
static size_t fill_row(struct row *row, const struct measurement *measurement)
{
	uint64_t interval_ns = interval_of(measurement, row->operation);
	double whole = interval_ns ? (double)measurement->elapsed_ns / (double)interval_ns : 0;
	size_t count = (size_t)(whole + 0.5);

	row->rates = count ? calloc(count, sizeof(*row->rates)) : NULL;
	row->count = row->rates ? count : 0;
	row->interval_ns = (double)interval_ns;
	for (size_t i = 0; row->count && i < measurement->sample_count; i++) {
		const struct sample *sample = &measurement->samples[i];
		size_t at = (size_t)(sample->at_ns / interval_ns);
		double part = whole - (double)at < 1 ? whole - (double)at : 1;

		if (at < count && !strcmp(sample->operation, row->operation))
			row->rates[at] = (double)sample->count / part;
	}
	return row->count;
}

/* So few operations may differ by as much by chance: three deviations of a Poisson count in a third
 * of the row. */
static bool is_chance(const struct row *row, const struct change *change)
{
	double third = (double)row->count / 3;

	return row->operation && fabs(change->from - change->to) * third <
					 3 * sqrt((change->from + change->to) * third);
}

static void flag_change(struct judging *judging, const struct row *row, const struct change *change)
{
	double per_s = row->operation ? (double)NS_PER_S / row->interval_ns : 1;
	char where[100], from[UNIT_TEXT_MAX], to[UNIT_TEXT_MAX];
	double after_s = (double)change->at * row->interval_ns / (double)NS_PER_S;

	if (change->kind == TREND)
		snprintf(where, sizeof(where), "from the first third to the last");
	else if (row->operation)
		snprintf(where, sizeof(where), "in a step after %.0f s", after_s);
	else
		snprintf(where, sizeof(where), "in a step after pass %zu", change->at);
	measurement_flag(judging->measurement, SEVERITY_DOUBT, "unsteady",
			 "the rate of %s changed by %.0f %% %s: from %s to %s",
			 row->operation ? row->operation : "the passes", 100 * change->apart, where,
			 unit_format(from, UNIT_PER_S, change->from * per_s),
			 unit_format(to, UNIT_PER_S, change->to * per_s));
}

static void judge_row(struct judging *judging, const struct row *row)
{
	struct change change = steadiness_find(row->rates, row->count);

	if (change.kind != STEADY && !is_chance(row, &change))
		flag_change(judging, row, &change);
}

/* Of each operation that stands for itself; returns the length of the longest row. */
static size_t judge_samples(struct judging *judging)
{
	const struct measurement *measurement = judging->measurement;
	const char *last = "";
	size_t longest = 0;

	for (size_t i = 0; i < measurement->sample_count; i++) {
		struct row row = {.operation = measurement->samples[i].operation};

		if (!strcmp(row.operation, last) || !is_headline(measurement, row.operation))
			continue;
		last = row.operation;
		fill_row(&row, measurement);
		longest = row.count > longest ? row.count : longest;
		if (row.count >= STEADINESS_LEAST)
			judge_row(judging, &row);
		free(row.rates);
	}
	return longest;
}

/* Within a pass a rate may change by design (a cache fills, then a sync); passes are alike. What is
 * read from the device at first hand has no such excuse. */
static void check_unsteady(struct judging *judging)
{
	const struct evidence *evidence = judging->evidence;
	struct row passes = {.rates = (double *)evidence->passes.rates,
			     .count = evidence->passes.count};
	size_t longest = 0;

	if (evidence->load.swings)
		return;
	if (!evidence->load.steady && passes.count >= STEADINESS_LEAST) {
		judge_row(judging, &passes);
		return;
	}
	if (evidence->load.steady || !evidence->load.to_cache)
		longest = judge_samples(judging);
	if (longest < STEADINESS_LEAST)
		words_add(&judging->unchecked, "whether the rate was steady (fewer than %d %s)",
			  STEADINESS_LEAST,
			  evidence->load.steady ? "samples" : "passes or samples");
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* The part of the workers' time that went into reading the clock, twice for each request. */
static double clock_share(const struct evidence *evidence)
{
	double time_ns = (double)evidence->load.elapsed_ns * evidence->load.workers;

	return time_ns > 0 ? 2 * evidence->clock.cost_ns * (double)evidence->load.requests / time_ns
			   : 0;
}

static bool flag_differences(struct judging *judging)
{
	const struct evidence_clock *clock = &judging->evidence->clock;
	double suspended_s = (double)clock->suspended_ns / (double)NS_PER_S;
	double stepped_s = (double)clock->stepped_ns / (double)NS_PER_S;

	if (clock->suspended_ns > SUSPENDED_MOST_NS)
		measurement_flag(judging->measurement, SEVERITY_VOID, "clock",
				 "the machine was suspended for %.2f s meanwhile", suspended_s);
	else if (fabs(clock->drift) > drift_most)
		measurement_flag(judging->measurement, SEVERITY_VOID, "clock",
				 "the clock ran %.1f %% %s than the hardware's",
				 100 * fabs(clock->drift), clock->drift > 0 ? "faster" : "slower");
	else if (llabs(clock->stepped_ns) > STEPPED_MOST_NS)
		measurement_flag(judging->measurement, SEVERITY_VOID, "clock",
				 "the wall clock was stepped by %.2f s meanwhile", stepped_s);
	else
		return false;
	return true;
}

static void check_clock(struct judging *judging)
{
	const struct evidence_clock *clock = &judging->evidence->clock;
	double share = clock_share(judging->evidence);

	if (clock->known && flag_differences(judging))
		return;
	if (clock->source[0] && strcmp(clock->source, clock->source_after) != 0)
		measurement_flag(judging->measurement, SEVERITY_VOID, "clock",
				 "the kernel gave up the clock source %s for %s meanwhile",
				 clock->source,
				 clock->source_after[0] ? clock->source_after : "another");
	else if (clock->cost_ns > clock_cost_most_ns && share > clock_share_most)
		measurement_flag(judging->measurement, SEVERITY_VOID, "clock",
				 "reading the clock (%s) takes %.0f ns, which is %.1f %% of the "
				 "workers' time",
				 clock->source[0] ? clock->source : "of an unknown source",
				 clock->cost_ns, 100 * share);
	else if (!clock->known || !clock->source[0] || isnan(clock->cost_ns))
		words_add(&judging->unchecked, "the clock%s",
			  clock->source[0] ? "" : " (its source is not known)");
}

/* ---- all of them ----------------------------------------------------------------------------- */

void evidence_judge(const struct evidence *evidence, struct measurement *measurement)
{
	char unchecked[sizeof(((struct flag *)NULL)->message)] = "";
	struct judging judging = {
		.evidence = evidence,
		.measurement = measurement,
		.unchecked = WORDS(unchecked, "; "),
	};

	check_cached(&judging);
	check_buffered(&judging);
	check_foreign(&judging);
	check_cpu_bound(&judging);
	check_shallow(&judging);
	check_unsteady(&judging);
	check_throttled(&judging);
	check_steal(&judging);
	check_small_target(&judging);
	check_unwritten(&judging);
	check_background(&judging);
	check_reread(&judging);
	check_clock(&judging);
	if (judging.unchecked.used)
		measurement_flag(measurement, SEVERITY_NOTE, "unchecked", "%s", unchecked);
}
