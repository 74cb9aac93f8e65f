/* SPDX-License-Identifier: MIT */
/*
 * report_fixture.c - archived runs made in memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_fixture.h"

enum { FIXTURE_POINTS_MAX = 96 };

static const char started[] = "2026-01-31T22:14:05.120Z";

/* ---- parts ----------------------------------------------------------------------------------- */

static struct measurement *add(struct archived_run *archived, const char *phase)
{
	struct measurement *measurement = &archived->measurements[archived->measurement_count++];

	measurement_init(measurement, phase);
	snprintf(measurement->started_at, CLOCK_LABEL_MAX, "%s", started);
	measurement->elapsed_ns = 4 * NS_PER_S;
	return measurement;
}

static void number(struct measurement *measurement, const char *name, uint64_t value)
{
	measurement_add_parameter(measurement, name, value_number(value));
}

static void text(struct measurement *measurement, const char *name, const char *value)
{
	measurement_add_parameter(measurement, name, value_text(value));
}

static void metric(struct measurement *measurement, const char *operation, const char *name,
		   double value)
{
	measurement_add_metric(measurement, operation, metric_find(name), value);
}

/* An operation whose latencies follow from its p50 as they often do. */
static void operation(struct measurement *measurement, const char *name, double rate,
		      double bytes_each, double p50_ns, bool rare)
{
	metric(measurement, name, "rate", rate);
	if (bytes_each > 0)
		metric(measurement, name, "throughput", rate * bytes_each);
	metric(measurement, name, "latency_mean", p50_ns * 1.2);
	metric(measurement, name, "latency_p50", p50_ns);
	metric(measurement, name, "latency_p95", p50_ns * 2.5);
	metric(measurement, name, "latency_p99", p50_ns * 6);
	metric(measurement, name, "latency_p99_9", rare ? NAN : p50_ns * 25);
	metric(measurement, name, "latency_max", p50_ns * 130);
	metric(measurement, name, "count", round(rate * 4));
}

static void whole(struct measurement *measurement, double user_percent, double system_percent)
{
	metric(measurement, "all", "cpu_user", user_percent);
	metric(measurement, "all", "cpu_system", system_percent);
}

static void device(struct measurement *measurement, double read_bytes, double write_bytes,
		   uint64_t flushes, double busy)
{
	struct device_use *use = measurement_add_device(measurement, "nvme0n1");

	use->reads = (uint64_t)(read_bytes / 8192);
	use->read_bytes = (uint64_t)read_bytes;
	use->writes = (uint64_t)(write_bytes / 8192);
	use->write_bytes = (uint64_t)write_bytes;
	use->flushes = flushes;
	use->busy_ns = (uint64_t)(busy * (double)measurement->elapsed_ns);
	use->queue_ns = (uint64_t)(busy * 3.7 * (double)measurement->elapsed_ns);
}

/* ---- a battery ------------------------------------------------------------------------------- */

static struct measurement *add_file_phase(struct archived_run *archived, const char *phase)
{
	struct measurement *measurement = add(archived, phase);

	number(measurement, "size", 1ULL << 30);
	number(measurement, "block_size", 8192);
	text(measurement, "io", "buffered");
	return measurement;
}

static void add_files(struct archived_run *archived, double speed)
{
	struct measurement *m = add(archived, "char_write");

	text(m, "method", "syscall");
	number(m, "char_size", 3 << 20);
	operation(m, "write", 412 * speed, 1024, 1.9e6, true);
	metric(m, "write", "throughput_to_cache", 431e3 * speed);
	whole(m, 21, 76);
	measurement_flag(m, SEVERITY_NOTE, "cpu_bound", "a worker ran at 97 %% of a CPU");

	m = add_file_phase(archived, "block_write");
	operation(m, "write", 52700 * speed, 8192, 9.3e3, false);
	metric(m, "write", "throughput_to_cache", 1.31e9 * speed);
	whole(m, 3.2, 31);
	device(m, 0, 1.73e9 * speed, 12, 0.81);

	m = add_file_phase(archived, "rewrite");
	operation(m, "rewrite", 21300 * speed, 8192, 31.7e3, false);
	metric(m, "rewrite", "throughput_to_cache", 0.31e9 * speed);
	whole(m, 3.9, 28);
	device(m, 0.7e9, 0.69e9, 9, 0.77);
	snprintf(m->message, sizeof(m->message), "stopped at --max-write after 2 passes");

	m = add_file_phase(archived, "block_read");
	operation(m, "read", 281000 * speed, 8192, 2.1e3, false);
	whole(m, 11, 84);
	device(m, 0.21e9, 0, 0, 0.12);

	m = add_file_phase(archived, "seeks");
	number(m, "seekers", 3);
	number(m, "rewrite_percent", 10);
	operation(m, "seek", 9120 * speed, 0, 310e3, false);
	operation(m, "read", 9120 * speed, 8192, 290e3, false);
	operation(m, "write", 912 * speed, 8192, 14e3, true);
	whole(m, 2.5, 9.4);
	device(m, 0.29e9, 31e6, 3, 0.93);
}

static void add_small_files(struct archived_run *archived, double speed)
{
	for (int i = 0; i < 3; i++) {
		struct measurement *m;
		static const char *const phases[] = {"create_sequential", "stat_sequential",
						     "delete_sequential"};
		static const char *const operations[] = {"create", "stat", "delete"};
		static const double rates[] = {23400, 412000, 51200};

		m = add(archived, phases[i]);
		number(m, "files", 16384);
		text(m, "file_size", "0:16384");
		number(m, "directories", 1);
		text(m, "kind", "file");
		operation(m, operations[i], rates[i] * speed, 0, 4e8 / rates[i], false);
		whole(m, 9, 71);
	}
}

static void add_patterns(struct archived_run *archived, double speed)
{
	static const uint64_t depths[] = {1, 32};
	struct measurement *m;

	for (int i = 0; i < 2; i++) {
		m = add(archived, "random");
		text(m, "operation", "read");
		number(m, "size", 8ULL << 30);
		number(m, "block_size", 8192);
		number(m, "queue_depth", depths[i]);
		number(m, "jobs", 1);
		text(m, "engine", "io_uring");
		text(m, "io", "direct");
		operation(m, "read", (i ? 97400 : 11200) * speed, 8192, i ? 301e3 : 86e3, false);
		whole(m, i ? 13 : 2, i ? 61 : 8);
		device(m, (i ? 3.2e9 : 0.37e9) * speed, 0, 0, i ? 1.0 : 0.96);
	}
	m = add(archived, "random");
	text(m, "operation", "mixed");
	number(m, "write_percent", 30);
	number(m, "size", 8ULL << 30);
	number(m, "block_size", 8192);
	number(m, "queue_depth", 32);
	number(m, "jobs", 1);
	text(m, "engine", "io_uring");
	text(m, "io", "direct");
	operation(m, "read", 41200 * speed, 8192, 420e3, false);
	operation(m, "write", 17700 * speed, 8192, 66e3, false);
	whole(m, 9, 44);
	device(m, 1.4e9 * speed, 0.6e9 * speed, 0, 1.0);
	measurement_flag(m, SEVERITY_DOUBT, "unsteady",
			 "the rate fell from 61.2 k/s in the first third to 44.0 k/s in the last");
	measurement_flag(m, SEVERITY_DOUBT, "steal", "the hypervisor took 3.1 %% of the CPU time");
}

static void add_orion(struct archived_run *archived, double speed)
{
	static const uint64_t loads[] = {1, 16};
	struct measurement *m;

	for (int i = 0; i < 2; i++) {
		m = add(archived, "oltp");
		number(m, "num_small", loads[i]);
		number(m, "small_size", 8192);
		number(m, "write_percent", 0);
		operation(m, "small", (i ? 71000 : 10900) * speed, 8192, i ? 207e3 : 88e3, false);
		whole(m, 4, i ? 41 : 7);
		device(m, (i ? 2.3e9 : 0.36e9) * speed, 0, 0, 0.98);
	}
	m = add(archived, "mixed");
	number(m, "num_small", 16);
	number(m, "num_large", 4);
	number(m, "small_size", 8192);
	number(m, "large_size", 1 << 20);
	text(m, "large_type", "random");
	operation(m, "small", 31200 * speed, 8192, 390e3, false);
	operation(m, "large", 1210 * speed, 1 << 20, 3.1e6, true);
	whole(m, 5, 39);
	device(m, 6.1e9 * speed, 0, 0, 1.0);
}

static void add_syncs(struct archived_run *archived, double speed)
{
	static const char *const methods[] = {"fdatasync", "open_dsync", "rwf_dsync"};
	struct measurement *m;

	for (int i = 0; i < 3; i++) {
		m = add(archived, "sync_methods");
		text(m, "method", methods[i]);
		number(m, "writes", 1);
		number(m, "block_size", 8192);
		text(m, "placement", "same");
		if (i == 2) {
			m->status = STATUS_SKIPPED;
			m->elapsed_ns = 0;
			snprintf(m->message, sizeof(m->message),
				 "the filesystem does not take RWF_DSYNC");
			continue;
		}
		operation(m, "sync", (i ? 7250 : 7610) * speed, 8192, i ? 131e3 : 126e3, false);
		whole(m, 1, 9);
		device(m, 0, 0.25e9 * speed, (uint64_t)(30400 * speed), 0.97);
		measurement_flag(m, SEVERITY_NOTE, "cpu_bound",
				 "the machine ran at 93 %% of its CPUs");
	}
}

static void add_commits(struct archived_run *archived, double speed)
{
	static const struct metric records = {"records_per_flush", UNIT_NONE, BETTER_NEITHER, ""};
	struct measurement *m;

	for (int i = 0; i < 2; i++) {
		m = add(archived, "wal_commit");
		number(m, "clients", i ? 8 : 1);
		number(m, "record_size", 512);
		number(m, "write_unit", 8192);
		text(m, "method", "fdatasync");
		text(m, "segment", "recycled");
		operation(m, "commit", (i ? 31500 : 6900) * speed, 512, i ? 240e3 : 139e3, false);
		operation(m, "flush", (i ? 5100 : 6900) * speed, 8192, i ? 181e3 : 133e3, false);
		measurement_add_metric(m, "flush", &records, i ? 6.18 : 1);
		whole(m, 4, 17);
		device(m, 0, 0.2e9 * speed, (uint64_t)((i ? 20400 : 27600) * speed), 0.95);
	}
	m = add(archived, "checkpoint");
	number(m, "page_size", 8192);
	number(m, "dirty_pages", 32768);
	text(m, "style", "postgresql");
	number(m, "interval", 10 * NS_PER_S);
	number(m, "commit_rate", 2000);
	operation(m, "commit", 2000, 512, 155e3, false);
	operation(m, "commit_in_checkpoint", 1210, 512, 212e3, false);
	operation(m, "commit_outside_checkpoint", 790, 512, 141e3, false);
	operation(m, "page_write", 9900 * speed, 8192, 6e3, false);
	whole(m, 6, 21);
	device(m, 0, 1.1e9, 8100, 0.88);

	m = add(archived, "sqlite_txn");
	number(m, "clients", 1);
	number(m, "scale", 10);
	text(m, "journal", "wal");
	m->status = STATUS_FAILED;
	m->elapsed_ns = 0;
	metric(m, "transaction", "rate", NAN);
	snprintf(m->message, sizeof(m->message),
		 "write bank.db-wal: Input/output error after 12,345 transactions");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void add_facts(struct run *run)
{
	facts_set_text(&run->facts, "host", "db7");
	facts_set_text(&run->facts, "machine_model", "Dell Inc. PowerEdge R650");
	facts_set_text(&run->facts, "virtualization", "none");
	facts_set_text(&run->facts, "kernel", "6.1.0-28-amd64");
	facts_set_text(&run->facts, "distribution", "Debian GNU/Linux 12 (bookworm)");
	facts_set_text(&run->facts, "cpu_model", "Intel(R) Xeon(R) Gold 6326 CPU @ 2.90GHz");
	facts_set_integer(&run->facts, "cpu_count", 32);
	facts_set_text(&run->facts, "cpu_governor", "performance");
	facts_set_integer(&run->facts, "memory_bytes", 137438953472);
	facts_set_text(&run->facts, "filesystem", "ext4");
	facts_set_text(&run->facts, "mount_source", "/dev/mapper/vg0-pgdata");
	facts_set_text(&run->facts, "mount_options",
		       "rw,noatime,nodiratime,data=ordered,commit=5,errors=remount-ro,stripe=64,"
		       "nodelalloc,journal_checksum");
	facts_set_integer(&run->facts, "filesystem_bytes", 1717986918400);
	facts_set_integer(&run->facts, "filesystem_used_bytes", 412316860416);
	facts_set_text(&run->facts, "direct_io", "yes");
	facts_set_text(&run->facts, "device_stack",
		       "ext4 > dm-1 (lvm vg0-pgdata) > nvme0n1p3 > nvme0n1");
	facts_set_text(&run->facts, "device", "nvme0n1");
	facts_set_text(&run->facts, "device_model", "SAMSUNG MZQL21T9HCJR-00A07");
	facts_set_text(&run->facts, "device_firmware", "GDC5902Q");
	facts_set_integer(&run->facts, "device_size_bytes", 1920383410176);
	facts_set_text(&run->facts, "device_kind", "nvme");
	facts_set_integer(&run->facts, "logical_block_bytes", 512);
	facts_set_text(&run->facts, "scheduler", "none");
	facts_set_integer(&run->facts, "nr_requests", 1023);
	facts_set_integer(&run->facts, "read_ahead_kb", 128);
	facts_set_text(&run->facts, "write_cache", "write back");
	facts_set_integer(&run->facts, "fua", 1);
	facts_set_text(&run->facts, "durability", "durable as far as this machine sees");
	facts_set_text(&run->facts, "durability_reason",
		       "the device flushed once for each fdatasync of the probe");
}

static void init_run(struct archived_run *archived, unsigned round)
{
	struct run *run = &archived->run;

	memset(archived, 0, sizeof(*archived));
	archived->measurements = calloc(FIXTURE_POINTS_MAX, sizeof(*archived->measurements));
	run->id = 41 + round;
	run->round = round;
	snprintf(run->uuid, sizeof(run->uuid), "%u3c5b0ee-94d7-4b0c-8a34-2f0f6d1c7e5%u", round,
		 round);
	snprintf(run->series, sizeof(run->series), "7b1d9a52-11c3-4f7e-9c11-d0a4b5e6f701");
	snprintf(run->started_at, sizeof(run->started_at), "%s", started);
	snprintf(run->finished_at, sizeof(run->finished_at), "2026-01-31T22:27:44.004Z");
	run_set_text(&run->source, "assay");
	run_set_text(&run->version, "0.1.0");
	run->seed = 4711;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct parameter *)a)->name, ((const struct parameter *)b)->name);
}

/* As an archive gives them back. */
static void sort_parameters(struct archived_run *archived)
{
	for (size_t i = 0; i < archived->measurement_count; i++) {
		struct measurement *m = &archived->measurements[i];

		qsort(m->parameters, m->parameter_count, sizeof(struct parameter), by_name);
	}
}

static void make_run(struct archived_run *archived, unsigned round, double speed)
{
	struct run *run = &archived->run;

	init_run(archived, round);
	run_set_text(&run->status, "failed");
	run_set_text(&run->label, "before-move");
	run_set_text(&run->profile, "quick");
	run_set_text(&run->target, "/srv/postgresql/15/main");
	run_set_text(&run->command, "assay run --label before-move /srv/postgresql/15/main");
	facts_set_text(&run->tags, "rack", "b12");
	facts_set_text(&run->tags, "ticket", "OPS-1234");
	add_facts(run);
	add_files(archived, speed);
	add_small_files(archived, speed);
	add_patterns(archived, speed);
	add_orion(archived, speed);
	add_syncs(archived, speed);
	add_commits(archived, speed);
	sort_parameters(archived);
}

static void add_cached_flag(struct archived_run *archived)
{
	for (size_t i = 0; i < archived->measurement_count; i++)
		if (!strcmp(archived->measurements[i].phase, "block_read"))
			measurement_flag(&archived->measurements[i], SEVERITY_VOID, "cached",
					 "2.3 %% of the 8.57 GiB read came from the device");
}

void fixture_run(struct archived_run *archived)
{
	make_run(archived, 1, 1);
	add_cached_flag(archived);
	run_add_note(&archived->run, "2026-01-31T22:14:05.120Z",
		     "the archive lies on the filesystem under test");
	run_add_note(&archived->run, "2026-02-01T08:02:11.000Z",
		     "taken the night before the move to the new rack; a backup was running until "
		     "about a quarter past ten");
}

/* The figure a metric has in the first measurement of a phase. */
static double *figure_of(struct archived_run *archived, const char *phase, const char *name)
{
	for (size_t i = 0; i < archived->measurement_count; i++) {
		struct measurement *m = &archived->measurements[i];

		for (size_t j = 0; !strcmp(m->phase, phase) && j < m->metric_count; j++)
			if (!strcmp(m->metrics[j].metric, name))
				return &m->metrics[j].value;
	}
	abort();
}

void fixture_series(struct archived_run archived[FIXTURE_ROUNDS])
{
	static const double speeds[FIXTURE_ROUNDS] = {1, 0.93, 1.04};

	for (unsigned i = 0; i < FIXTURE_ROUNDS; i++)
		make_run(&archived[i], i + 1, speeds[i]);
	add_cached_flag(&archived[0]);
	*figure_of(&archived[1], "rewrite", "latency_p99_9") = NAN;
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* A device that serves up to eight requests at once, the large ones thirty times as long. */
static void add_load(struct archived_run *archived, uint64_t small, uint64_t large)
{
	struct measurement *m = add(archived, !large ? "oltp" : !small ? "dss" : "mixed");
	double busy = (double)small + 6 * (double)large, wait = busy > 8 ? busy / 8 : 1;

	if (small) {
		number(m, "num_small", small);
		number(m, "small_size", 8192);
		number(m, large ? "small_write_percent" : "write_percent", 0);
	}
	if (large) {
		number(m, "num_large", large);
		number(m, "large_size", 1 << 20);
		text(m, "large_type", "random");
		number(m, small ? "large_write_percent" : "write_percent", 0);
	}
	number(m, "size", 8ULL << 30);
	if (small == 7 && large == 2) {
		m->status = STATUS_FAILED;
		snprintf(m->message, sizeof(m->message), "read data: Input/output error");
		return;
	}
	if (small)
		operation(m, "small", (double)small / (wait * 1.2 * 90e-6), 8192, wait * 90e3,
			  false);
	if (large)
		operation(m, "large", (double)large / (wait * 1.2 * 2.7e-3), 1 << 20, wait * 2.7e6,
			  true);
	if (small == 2 && large == 1)
		measurement_flag(m, SEVERITY_VOID, "cached", "the device moved 40 %% of the bytes");
}

/* Latencies whose logarithm rises evenly up to the median, and ever faster beyond. */
static void add_histogram(struct measurement *m, const char *name, double p50_ns)
{
	struct histogram *histogram = &measurement_add_histogram(m, name)->histogram;

	for (unsigned i = 0; i < 40000; i++) {
		double rank = (i + 0.5) / 40000, tail = -log2(1 - rank);

		histogram_add(histogram, (uint64_t)(p50_ns * (0.6 + 0.4 * pow(tail, 1.6))));
	}
}

/* Half a minute in which the device slows down for five seconds. */
static void add_samples(struct measurement *m, const char *name, double rate, double p50_ns)
{
	for (uint64_t second = 0; second < 30; second++) {
		struct sample *sample = measurement_add_sample(m, name);
		double pace = second >= 18 && second < 23 ? 0.35 : 1 + 0.04 * sin((double)second);

		sample->at_ns = second * NS_PER_S;
		sample->count = (uint64_t)(rate * pace);
		sample->bytes = sample->count * 8192;
		sample->latency_p99_ns = p50_ns * 6 / pace;
		sample->latency_max_ns = p50_ns * 60 / (pace * pace);
	}
	m->elapsed_ns = 30 * NS_PER_S;
}

static void add_random(struct archived_run *archived, const char *kind, uint64_t block_size,
		       uint64_t depth)
{
	struct measurement *m = add(archived, "random");
	double wait = depth > 8 ? (double)depth / 8 : 1,
	       p50_ns = wait * (70e3 + (double)block_size);
	double rate = (double)depth / (1.2 * p50_ns * 1e-9);

	text(m, "operation", kind);
	number(m, "block_size", block_size);
	number(m, "queue_depth", depth);
	number(m, "jobs", 1);
	number(m, "size", 8ULL << 30);
	if (strcmp(kind, "mixed") != 0) {
		operation(m, kind, rate, (double)block_size, p50_ns, false);
		add_histogram(m, kind, p50_ns);
		add_samples(m, kind, rate, p50_ns);
		return;
	}
	number(m, "write_percent", 30);
	operation(m, "read", 0.7 * rate, (double)block_size, p50_ns, false);
	operation(m, "write", 0.3 * rate, (double)block_size, 0.4 * p50_ns, true);
	measurement_flag(m, SEVERITY_DOUBT, "unsteady", "the rate fell by 31 %%");
}

void fixture_loads(struct archived_run *archived)
{
	static const uint64_t depths[] = {32, 1, 8}; /* not in order */

	init_run(archived, 1);
	run_set_text(&archived->run.status, "failed");
	run_set_text(&archived->run.label, "orion-normal");
	run_set_text(&archived->run.target, "/srv/data");
	for (int d = 0; d < 3; d++) {
		add_random(archived, "read", 4096, depths[d]);
		add_random(archived, "read", 65536, depths[d]);
		add_random(archived, "mixed", 4096, depths[d]);
	}
	for (uint64_t large = 0; large <= 2; large++)
		for (uint64_t small = 0; small <= 12; small++)
			if (small || large)
				add_load(archived, small, large);
	sort_parameters(archived);
}

/* ---- texts that do harm ---------------------------------------------------------------------- */

void fixture_hostile(struct archived_run *archived)
{
	static const char hostile[] =
		"<script>alert(1)</script> a|b \"quoted\", 'single' `tick` *star* [x](http://e) "
		"\x1b[31mred\x07 line\nbreak\ttab \xff\xc0\xaf bad \xe2\x80\xae reversed \\ end";
	struct run *run = &archived->run;
	struct measurement *m;

	init_run(archived, 1);
	run_set_text(&run->status, hostile);
	run_set_text(&run->source, hostile);
	run_set_text(&run->version, hostile);
	run_set_text(&run->label, hostile);
	run_set_text(&run->profile, hostile);
	run_set_text(&run->target, hostile);
	run_set_text(&run->command, hostile);
	facts_set_text(&run->tags, "a|b", hostile);
	facts_set_text(&run->facts, "filesystem", hostile);
	facts_set_text(&run->facts, "device_model",
		       "Gr\xc3\xb6\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac");
	run_add_note(run, "\x1b[2J", hostile);
	m = add(archived, "a|b\x1b[0m<i>");
	text(m, "x|y", "va|ue,\"q\"");
	operation(m, "o|p\n", 10, 10, 10, false);
	snprintf(m->message, sizeof(m->message), "%s", hostile);
	measurement_flag(m, SEVERITY_DOUBT, "c|<b>", "%s", hostile);
	m = add(archived, "a|b\x1b[0m<i>");
	text(m, "x|y", "\x1b]0;title\x07");
	m->status = STATUS_FAILED;
	snprintf(m->message, sizeof(m->message), "%s", hostile);
}
