/* SPDX-License-Identifier: MIT */
/*
 * test_evidence.c - the judge of evidence, fed with what was recorded or could have been: for each
 * flag a case that raises it and one just short of it. tests/cli_evidence.sh makes the causes that
 * can be made.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "site_fixture.h"
#include "suite/evidence.h"
#include "suite/steadiness.h"
#include "suites.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

/* What is judged: a good measurement to begin with, in which a test spoils something. */
struct scene {
	struct evidence evidence;
	struct measurement measurement;
};

static void set_words(char *field, size_t size, const char *words)
{
	snprintf(field, size, "%s", words);
}

static void add_metric(struct scene *scene, const char *operation, enum metric_id metric,
		       double value)
{
	measurement_add_metric(&scene->measurement, operation, &shared_metrics[metric], value);
}

static void set_metric(struct scene *scene, const char *metric, double value)
{
	for (size_t i = 0; i < scene->measurement.metric_count; i++)
		if (!strcmp(scene->measurement.metrics[i].metric, metric))
			scene->measurement.metrics[i].value = value;
}

static void forget_samples(struct scene *scene)
{
	scene->measurement.sample_count = 0;
}

static void add_sample(struct scene *scene, double at_s, const char *operation, uint64_t count)
{
	struct sample *sample = measurement_add_sample(&scene->measurement, operation);

	sample->at_ns = (uint64_t)(at_s * (double)NS_PER_S);
	sample->count = count;
}

/* Twelve seconds of random reads at depth 32 of a disk that does just that. */
static struct scene good(void)
{
	struct scene scene = {
		.evidence = {
			.load = {.steady = true,
				 .traffic = TRAFFIC_EXACT,
				 .direct = true,
				 .reads = true,
				 .cold = true,
				 .elapsed_ns = 12 * NS_PER_S,
				 .workers = 1,
				 .requests = 120000,
				 .read_bytes = 120000 * 8192ULL,
				 .edge_bytes = 64 * 8192,
				 .data_set_bytes = GIB},
			.target = {.devices = "vda",
				   .files = true,
				   .limits_known = true,
				   .memory_bytes = 16 * GIB,
				   .bypass_known = true,
				   .bypass_bytes = 65536},
			.devices = {.known = true,
				    .counted_ns = 12 * NS_PER_S,
				    .requests = 120000,
				    .read_bytes = 120000 * 8192ULL},
			.cpu = {.worker_percent = 30, .wanted_percent = 31, .cpus = 2},
			.reach = {.offsets = 130000,
				  .distinct_blocks = 83000,
				  .likely_blocks = 82900},
			.clock = {.known = true,
				  .source = "tsc",
				  .source_after = "tsc",
				  .cost_ns = 25},
			.background = {.known = true},
		}};

	measurement_init(&scene.measurement, "random");
	scene.measurement.elapsed_ns = 12 * NS_PER_S;
	add_metric(&scene, "read", METRIC_rate, 10000);
	scene.measurement.metrics[0].headline = true;
	add_metric(&scene, "all", METRIC_cpu_busy, 50);
	add_metric(&scene, "all", METRIC_cpu_steal, 0);
	add_metric(&scene, "all", METRIC_queue_depth, 32);
	add_metric(&scene, "all", METRIC_device_queue_depth, 29);
	for (int i = 0; i < 12; i++)
		add_sample(&scene, i, "read", 10000 + (uint64_t)(i * 37 % 100));
	return scene;
}

static const struct flag *flag_of(const struct scene *scene, const char *code)
{
	for (size_t i = 0; i < scene->measurement.flag_count; i++)
		if (!strcmp(scene->measurement.flags[i].code, code))
			return &scene->measurement.flags[i];
	return NULL;
}

/* Judges; exactly these codes, separated by blanks, must be raised. Leaves the flags to be read. */
static void judge(struct scene *scene, const char *codes)
{
	char raised[400] = "";

	evidence_judge(&scene->evidence, &scene->measurement);
	for (size_t i = 0; i < scene->measurement.flag_count; i++) {
		size_t used = strlen(raised);

		snprintf(raised + used, sizeof(raised) - used, "%s%s", i ? " " : "",
			 scene->measurement.flags[i].code);
	}
	CU_ASSERT_STRING_EQUAL(raised, codes);
	if (strcmp(raised, codes) != 0)
		printf("\n    raised \"%s\" instead of \"%s\"\n", raised, codes);
}

static void end(struct scene *scene)
{
	measurement_release(&scene->measurement);
}

/* The one flag raised has this severity and says this. */
static void expect(struct scene *scene, const char *code, enum severity severity, const char *text)
{
	const struct flag *flag;

	judge(scene, code);
	flag = flag_of(scene, code);
	if (flag) {
		CU_ASSERT_EQUAL(flag->severity, severity);
		CU_ASSERT_TRUE(says(flag->message, text));
	}
	end(scene);
}

static void expect_none(struct scene *scene)
{
	judge(scene, "");
	end(scene);
}

static void expect_unchecked(struct scene *scene, const char *text)
{
	expect(scene, "unchecked", SEVERITY_NOTE, text);
}

static void test_good(void)
{
	struct scene scene = good();

	expect_none(&scene);
}

/* ---- cached ---------------------------------------------------------------------------------- */

static void test_cached(void)
{
	struct scene scene = good();

	scene.evidence.devices.read_bytes = scene.evidence.load.read_bytes * 85 / 100;
	expect(&scene, "cached", SEVERITY_VOID, "of 938 MiB read, 797 MiB came from vda (85 %)");
	scene = good();
	scene.evidence.devices.read_bytes = scene.evidence.load.read_bytes * 91 / 100;
	expect_none(&scene);
}

/* A window of which the last request is all there was in flight says nothing. */
static void test_cached_edges(void)
{
	struct scene scene = good();

	scene.evidence.load.edge_bytes = scene.evidence.load.read_bytes;
	scene.evidence.devices.read_bytes = 0;
	scene.evidence.devices.requests = scene.evidence.load.requests;
	expect_none(&scene);
}

static void test_cached_pass(void)
{
	struct scene scene = good();

	scene.evidence.load.steady = scene.evidence.load.direct = false;
	scene.evidence.load.traffic = TRAFFIC_AMPLIFIED;
	set_metric(&scene, "queue_depth", 0);
	scene.evidence.devices.read_bytes = MIB;
	expect(&scene, "cached", SEVERITY_VOID, "came from vda");
	scene = good();
	scene.evidence.load.steady = scene.evidence.load.direct = scene.evidence.load.cold = false;
	scene.evidence.load.traffic = TRAFFIC_NONE;
	set_metric(&scene, "queue_depth", 0);
	scene.evidence.devices.read_bytes = 0;
	expect_none(&scene);
}

static void test_cached_loop(void)
{
	struct scene scene = good();

	set_words(scene.evidence.target.buffered_loop, sizeof(scene.evidence.target.buffered_loop),
		  "loop3");
	scene.evidence.devices.below_known = true;
	scene.evidence.devices.below_read_bytes = 3 * MIB;
	expect(&scene, "cached", SEVERITY_VOID,
	       "loop3 reads its file through the page cache: 938 MiB were read from it, and the "
	       "disks below it read 3.00 MiB");
	scene = good();
	set_words(scene.evidence.target.buffered_loop, sizeof(scene.evidence.target.buffered_loop),
		  "loop3");
	expect(&scene, "cached", SEVERITY_VOID, "is not known");
}

static void test_cached_compressed(void)
{
	struct scene scene = good();

	scene.evidence.target.compresses = true;
	scene.evidence.load.compressible = 50;
	scene.evidence.devices.read_bytes /= 2;
	expect_unchecked(&scene, "the filesystem compresses");
	scene = good();
	scene.evidence.target.compresses = true; /* what cannot be compressed arrives whole */
	expect_none(&scene);
}

static void test_uncounted(void)
{
	struct scene scene = good();

	scene.evidence.devices = (struct evidence_devices){.gap = "no block device is known"};
	expect_unchecked(&scene, "whether reads came from the device (no block device is known); "
				 "whether others used the device (no block device is known); how "
				 "many requests the device held");
}

/* ---- buffered -------------------------------------------------------------------------------- */

static void make_writes(struct scene *scene)
{
	struct evidence_load *load = &scene->evidence.load;

	load->reads = load->cold = false;
	load->writes = true;
	load->write_bytes = load->read_bytes;
	load->read_bytes = 0;
	scene->evidence.devices.write_bytes = scene->evidence.devices.read_bytes;
	scene->evidence.devices.read_bytes = 0;
}

static void test_buffered_trial(void)
{
	struct scene scene = good();

	make_writes(&scene);
	scene.evidence.target.bypass_write_cached_bytes = 65536;
	expect(&scene, "buffered", SEVERITY_DOUBT,
	       "in a trial of 64.0 KiB here 100 % of what was written directly went through the "
	       "page cache");
	scene = good(); /* writes are, and this reads */
	scene.evidence.target.bypass_write_cached_bytes = 65536;
	expect_none(&scene);
	scene = good();
	scene.evidence.target.bypass_read_cached_bytes = 40000;
	expect(&scene, "buffered", SEVERITY_DOUBT, "61 % of what was read directly");
	scene = good();
	scene.evidence.target.bypass_read_cached_bytes = 4096;
	expect_none(&scene);
}

static void test_buffered_not_asked(void)
{
	struct scene scene = good();

	make_writes(&scene);
	scene.evidence.load.traffic = TRAFFIC_AMPLIFIED;
	scene.evidence.load.direct = false;
	scene.evidence.target.bypass_write_cached_bytes = 65536;
	expect_none(&scene);
}

static void test_buffered_missing(void)
{
	struct scene scene = good();

	make_writes(&scene);
	scene.evidence.devices.write_bytes = 100 * MIB;
	expect(&scene, "buffered", SEVERITY_DOUBT, "of 938 MiB written 100 MiB reached vda (11 %)");
	scene = good();
	make_writes(&scene);
	scene.evidence.devices.write_bytes = scene.evidence.load.write_bytes * 92 / 100;
	expect_none(&scene);
}

static void test_buffered_loop(void)
{
	struct scene scene = good();

	make_writes(&scene);
	set_words(scene.evidence.target.buffered_loop, sizeof(scene.evidence.target.buffered_loop),
		  "loop3");
	expect(&scene, "buffered", SEVERITY_DOUBT, "loop3 writes its file through the page cache");
}

static void test_buffered_untried(void)
{
	struct scene scene = good();

	scene.evidence.target.bypass_known = false;
	expect_unchecked(&scene, "whether direct I/O passed the page cache by");
	scene = good();
	/* a device's is */
	scene.evidence.target.bypass_known = scene.evidence.target.files = false;
	scene.evidence.target.hollow.sampled = 64;
	expect_none(&scene);
}

/* ---- foreign --------------------------------------------------------------------------------- */

static void test_foreign(void)
{
	struct scene scene = good();

	scene.evidence.devices.write_bytes = 60 * MIB;
	expect(&scene, "foreign", SEVERITY_DOUBT, "6 % of what vda moved was not ours: 59.5 MiB of "
						  "998 MiB");
	scene = good();
	scene.evidence.devices.write_bytes = 40 * MIB;
	expect_none(&scene);
}

static void test_foreign_partition(void)
{
	struct scene scene = good();

	scene.evidence.devices.other_bytes = 200 * MIB;
	expect(&scene, "foreign", SEVERITY_DOUBT, "18 % of what vda moved was not ours");
}

/* Of a load as slow as this a journal's own writing is more than 5 %. */
static void test_foreign_journal(void)
{
	struct scene scene = good();

	scene.evidence.load.requests = scene.evidence.devices.requests = 600;
	scene.evidence.load.read_bytes = scene.evidence.devices.read_bytes = 600 * 8192ULL;
	scene.evidence.load.edge_bytes = 8192;
	scene.evidence.devices.write_bytes = MIB;
	expect_none(&scene);
	scene = good();
	scene.evidence.load.requests = scene.evidence.devices.requests = 600;
	scene.evidence.load.read_bytes = scene.evidence.devices.read_bytes = 600 * 8192ULL;
	scene.evidence.load.edge_bytes = 8192;
	scene.evidence.devices.write_bytes = 2 * MIB;
	expect(&scene, "foreign", SEVERITY_DOUBT, "vda");
}

static void test_foreign_read_ahead(void)
{
	struct scene scene = good();

	scene.evidence.load.steady = scene.evidence.load.direct = false;
	scene.evidence.load.aside_bytes = 200 * MIB;
	set_metric(&scene, "queue_depth", 0);
	scene.evidence.devices.read_bytes += 190 * MIB;
	expect_none(&scene);
}

/* The readings lie 10 % further apart than the window is long: so much more is ours. */
static void test_foreign_scaled(void)
{
	struct scene scene = good();

	scene.evidence.devices.counted_ns = 13200 * NS_PER_MS;
	scene.evidence.devices.read_bytes = scene.evidence.load.read_bytes * 11 / 10;
	scene.evidence.devices.requests = scene.evidence.load.requests * 11 / 10;
	expect_none(&scene);
	scene = good(); /* but a load that ended early did nothing more */
	scene.evidence.load.ended_early = true;
	scene.evidence.devices.counted_ns = 24 * NS_PER_S;
	expect_none(&scene);
}

static void test_foreign_copies(void)
{
	struct scene scene = good();

	make_writes(&scene);
	scene.evidence.target.copies_on_write = true;
	scene.evidence.devices.write_bytes *= 2;
	expect_unchecked(&scene, "copying on write adds its own traffic");
	scene = good(); /* reading does not copy */
	scene.evidence.target.copies_on_write = true;
	scene.evidence.devices.write_bytes = 100 * MIB;
	expect(&scene, "foreign", SEVERITY_DOUBT, "vda");
}

/* ---- the CPU --------------------------------------------------------------------------------- */

static void test_cpu_bound(void)
{
	struct scene scene = good();

	scene.evidence.cpu.worker_percent = scene.evidence.cpu.wanted_percent = 97;
	expect(&scene, "cpu_bound", SEVERITY_NOTE, "a worker took 97 % of a CPU");
	scene = good();
	scene.evidence.cpu.worker_percent = scene.evidence.cpu.wanted_percent = 89;
	expect_none(&scene);
	scene = good();
	scene.evidence.cpu.worker_percent = 47;
	scene.evidence.cpu.wanted_percent = 96;
	expect(&scene, "cpu_bound", SEVERITY_NOTE,
	       "ran or waited for a CPU 96 % of the time (it ran 47 %)");
	scene = good();
	set_metric(&scene, "cpu_busy", 190);
	expect(&scene, "cpu_bound", SEVERITY_NOTE, "the 2 CPUs of the machine were 95 % busy");
	scene = good();
	set_metric(&scene, "cpu_busy", 170);
	expect_none(&scene);
}

static void test_cpu_unknown(void)
{
	struct scene scene = good();

	scene.evidence.cpu.wanted_percent = NAN;
	expect_unchecked(&scene, "whether the load had CPU to spare");
	scene = good();
	scene.evidence.cpu.cpus = 0;
	expect_unchecked(&scene, "whether the machine had CPU to spare");
}

static void test_harness(void)
{
	struct scene scene = good();

	scene.evidence.load.moves_nothing = true;
	scene.evidence.load.traffic = TRAFFIC_NONE;
	scene.evidence.cpu.worker_percent = 100;
	scene.evidence.devices = (struct evidence_devices){.gap = "none"};
	expect_none(&scene);
}

static void test_steal(void)
{
	struct scene scene = good();

	set_metric(&scene, "cpu_steal", 5);
	expect(&scene, "steal", SEVERITY_DOUBT, "took 9.1 % of the CPU time that was wanted (5.0 % "
						"of one CPU)");
	scene = good();
	set_metric(&scene, "cpu_steal", 1.9); /* a tick or two */
	set_metric(&scene, "cpu_busy", 10);
	expect_none(&scene);
	scene = good();
	set_metric(&scene, "cpu_steal", 3); /* of many busy CPUs */
	set_metric(&scene, "cpu_busy", 170);
	expect_none(&scene);
	scene = good();
	set_metric(&scene, "cpu_steal", NAN);
	expect_unchecked(&scene, "what the hypervisor took");
}

/* ---- depth ----------------------------------------------------------------------------------- */

static void test_shallow(void)
{
	struct scene scene = good();

	set_metric(&scene, "device_queue_depth", 3.9);
	expect(&scene, "shallow", SEVERITY_NOTE, "32 requests were kept in flight, and vda held "
						 "3.9");
	scene = good();
	set_metric(&scene, "device_queue_depth", 17);
	expect_none(&scene);
	scene = good();
	set_metric(&scene, "device_queue_depth", 3.9);
	scene.evidence.cpu.worker_percent = 99;
	judge(&scene, "cpu_bound shallow");
	CU_ASSERT_TRUE(says(scene.measurement.flags[1].message, "may have waited for a CPU"));
	end(&scene);
	scene = good(); /* between requests there is time */
	set_metric(&scene, "queue_depth", 1);
	set_metric(&scene, "device_queue_depth", 0.4);
	expect_none(&scene);
}

static void test_shallow_merged(void)
{
	struct scene scene = good();

	scene.evidence.devices.requests = scene.evidence.load.requests / 8;
	set_metric(&scene, "device_queue_depth", 4);
	expect_none(&scene);
	scene = good();
	scene.evidence.devices.requests = scene.evidence.load.requests / 8;
	set_metric(&scene, "device_queue_depth", 1);
	expect(&scene, "shallow", SEVERITY_NOTE, "after merging");
}

/* The cache takes writes and gives reads: what is in flight need not be on the device. */
static void test_shallow_cache(void)
{
	struct scene scene = good();

	make_writes(&scene);
	scene.evidence.load.direct = false;
	scene.evidence.load.traffic = TRAFFIC_AMPLIFIED;
	set_metric(&scene, "device_queue_depth", 1);
	expect_none(&scene);
	scene = good();
	scene.evidence.load.direct = scene.evidence.load.cold = false;
	scene.evidence.load.traffic = TRAFFIC_AMPLIFIED;
	set_metric(&scene, "device_queue_depth", 1);
	expect(&scene, "shallow", SEVERITY_NOTE, "vda held 1"); /* all of it came from there */
}

static void test_depth_summed(void)
{
	struct scene scene = good();

	add_metric(&scene, "small", METRIC_queue_depth, 4);
	CU_ASSERT_DOUBLE_EQUAL(evidence_depth(&scene.measurement), 36, 1e-9);
	end(&scene);
}

/* ---- limits and background ------------------------------------------------------------------- */

static void test_throttled(void)
{
	struct scene scene = good();

	set_words(scene.evidence.target.limits, sizeof(scene.evidence.target.limits),
		  "vda rbps=1048576");
	scene.evidence.target.reads_limited = true;
	expect(&scene, "throttled", SEVERITY_DOUBT, "limits vda rbps=1048576; the load read 78.1 "
						    "MiB/s");
	scene = good();
	set_words(scene.evidence.target.limits, sizeof(scene.evidence.target.limits),
		  "vda wiops=100");
	scene.evidence.target.writes_limited = true;
	expect_none(&scene);
	scene = good();
	scene.evidence.target.limits_known = false;
	expect_unchecked(&scene, "limits of the control group");
}

static void test_background(void)
{
	struct scene scene = good();

	set_words(scene.evidence.background.what, sizeof(scene.evidence.background.what),
		  "md0 does a resync (12 % done)");
	expect(&scene, "background", SEVERITY_DOUBT, "before the start: md0 does a resync");
	scene = good();
	scene.evidence.background.known = false;
	expect_unchecked(&scene, "whether the device was busy before the start");
	scene = good();
	set_words(scene.evidence.background.unseen, sizeof(scene.evidence.background.unseen),
		  "a scrub of btrfs (only root is told)");
	expect_unchecked(&scene, "a scrub of btrfs (only root is told)");
}

/* ---- the data set and its blocks ------------------------------------------------------------- */

static struct scene buffered_reads(void)
{
	struct scene scene = good();
	struct evidence_load *load = &scene.evidence.load;

	load->direct = load->cold = false;
	load->revisits = true;
	load->traffic = TRAFFIC_AMPLIFIED;
	scene.evidence.devices.read_bytes /= 10;
	return scene;
}

static void test_small_target(void)
{
	struct scene scene = buffered_reads();

	expect(&scene, "small_target", SEVERITY_DOUBT,
	       "the data set of 1.00 GiB is less than twice the memory of 16.0 GiB: 10 % of what "
	       "was read came from the device");
	scene = buffered_reads();
	scene.evidence.load.data_set_bytes = 33 * GIB;
	expect_none(&scene);
	scene = buffered_reads();
	scene.evidence.devices.read_bytes = scene.evidence.load.read_bytes; /* that is proof */
	expect_none(&scene);
	scene = buffered_reads();
	scene.evidence.target.memory_bytes = 0;
	expect_unchecked(&scene, "whether the data set fits into memory");
}

static void test_unwritten(void)
{
	struct scene scene = good();

	scene.evidence.target.files = false;
	scene.evidence.target.hollow = (struct hollow){.sampled = 64, .empty = 7};
	expect(&scene, "unwritten", SEVERITY_DOUBT, "of 64 blocks looked at 7 hold nothing");
	scene = good();
	scene.evidence.target.files = false;
	scene.evidence.target.hollow = (struct hollow){.sampled = 64, .empty = 6};
	expect_none(&scene);
	scene.evidence.target.hollow = (struct hollow){.sampled = 0};
	expect_unchecked(&scene, "whether what was read had ever been written");
	scene = good(); /* the suite has written its files in full */
	scene.evidence.target.hollow = (struct hollow){.sampled = 64, .empty = 64};
	expect_none(&scene);
}

static void test_reread(void)
{
	struct scene scene = good();

	scene.evidence.reach.distinct_blocks = 40000;
	expect(&scene, "reread", SEVERITY_DOUBT,
	       "130000 random offsets touched 40000 distinct blocks, where some 82900 were likely");
	scene = good();
	scene.evidence.reach.distinct_blocks = 80000;
	expect_none(&scene);
	scene = good();
	scene.evidence.reach = (struct phase_reach){500, 20, 64};
	expect_unchecked(&scene, "too few blocks");
}

/* ---- over time ------------------------------------------------------------------------------- */

static void set_rates(struct scene *scene, const unsigned rates[], size_t count)
{
	forget_samples(scene);
	for (size_t i = 0; i < count; i++)
		add_sample(scene, (double)i, "read", rates[i]);
	scene->measurement.elapsed_ns = count * NS_PER_S;
}

static void test_unsteady(void)
{
	static const unsigned falls[] = {1000, 990, 960, 930, 900, 870,
					 840,  800, 760, 730, 700, 680};
	static const unsigned wavers[] = {1000, 900,  1100, 950,  1050, 1000,
					  900,	1100, 950,  1000, 1000, 1000};
	static const unsigned steps[] = {4500, 4480, 4510, 4490, 500, 505,
					 498,  502,  500,  501,	 499, 500};
	struct scene scene = good();

	set_rates(&scene, falls, 12);
	expect(&scene, "unsteady", SEVERITY_DOUBT,
	       "the rate of read changed by 26 % from the first third to the last: from 970 /s to "
	       "718 /s");
	scene = good();
	set_rates(&scene, wavers, 12);
	expect_none(&scene);
	scene = good();
	set_rates(&scene, steps, 12);
	expect(&scene, "unsteady", SEVERITY_DOUBT, "changed by 89 % in a step after 4 s: from 4.50 "
						   "k/s to 501 /s");
}

static void test_unsteady_by_design(void)
{
	static const unsigned swings[] = {900, 900, 900, 900, 900, 900,
					  100, 100, 100, 100, 100, 100};
	struct scene scene = good();

	set_rates(&scene, swings, 12);
	scene.evidence.load.swings = true;
	expect_none(&scene);
}

static void test_unsteady_few(void)
{
	static const unsigned falls[] = {1000, 900, 800, 700, 600, 500, 400, 300};
	struct scene scene = good();

	set_rates(&scene, falls, 8);
	expect_unchecked(&scene, "whether the rate was steady (fewer than 9 samples)");
}

/* Twenty operations a second differ by a fifth by chance. */
static void test_unsteady_chance(void)
{
	static const unsigned rare[] = {24, 18, 22, 20, 19, 21, 17, 16, 18};
	struct scene scene = good();

	set_rates(&scene, rare, 9);
	expect_none(&scene);
}

/* Nothing was done in the last four seconds, which have no samples. */
static void test_unsteady_stall(void)
{
	static const unsigned rates[] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
	struct scene scene = good();

	set_rates(&scene, rates, 8);
	scene.measurement.elapsed_ns = 12 * NS_PER_S;
	expect(&scene, "unsteady", SEVERITY_DOUBT, "to 0");
}

/* The last interval is weighed by its length. */
static void test_unsteady_partial(void)
{
	static const unsigned rates[] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 600};
	struct scene scene = good();

	set_rates(&scene, rates, 10);
	scene.measurement.elapsed_ns = 9600 * NS_PER_MS;
	expect_none(&scene);
}

/* What is part of another operation is judged with it. */
static void test_unsteady_parts(void)
{
	struct scene scene = good();

	for (int i = 0; i < 12; i++)
		add_sample(&scene, i, "small_write", i < 6 ? 5000 : 100);
	expect_none(&scene);
}

static void test_unsteady_passes(void)
{
	static const double even[] = {100, 101, 99, 100, 102, 98, 100, 101, 99};
	static const double slows[] = {100, 101, 99, 80, 75, 72, 70, 71, 69};
	static const unsigned bursts[] = {9000, 9000, 9000, 9000, 9000, 9000,
					  10,	10,   10,   10,	  10,	10};
	struct scene scene = good();

	set_rates(&scene, bursts, 12); /* within a pass: the cache fills, then comes the sync */
	scene.evidence.load.steady = false;
	scene.evidence.passes = (struct evidence_passes){even, 9};
	expect_none(&scene);
	scene = good();
	scene.evidence.load.steady = false;
	scene.evidence.passes = (struct evidence_passes){slows, 9};
	expect(&scene, "unsteady", SEVERITY_DOUBT, "the rate of the passes changed by 27 % in a "
						   "step after pass 3: from 100 /s to 72.8 /s");
	scene = good();
	set_rates(&scene, bursts, 12);
	scene.evidence.load.steady = false;
	scene.evidence.load.to_cache = true;
	scene.evidence.passes = (struct evidence_passes){slows, 3};
	expect_unchecked(&scene, "fewer than 9 passes or samples");
	scene = good();
	set_rates(&scene, bursts, 12); /* one long pass of reads has no such excuse */
	scene.evidence.load.steady = false;
	scene.evidence.passes = (struct evidence_passes){slows, 1};
	expect(&scene, "unsteady", SEVERITY_DOUBT, "the rate of read changed");
}

/* ---- the clock ------------------------------------------------------------------------------- */

static void test_clock_differences(void)
{
	struct scene scene = good();

	scene.evidence.clock.suspended_ns = 90 * (int64_t)NS_PER_S;
	expect(&scene, "clock", SEVERITY_VOID, "the machine was suspended for 90.00 s");
	scene = good();
	scene.evidence.clock.stepped_ns = -3600 * (int64_t)NS_PER_S;
	expect(&scene, "clock", SEVERITY_VOID, "the wall clock was stepped by -3600.00 s");
	scene = good();
	scene.evidence.clock.drift = -0.083;
	expect(&scene, "clock", SEVERITY_VOID, "8.3 % slower than the hardware's");
	scene = good(); /* what NTP does all the time */
	scene.evidence.clock.drift = 0.0005;
	scene.evidence.clock.stepped_ns = 2 * (int64_t)NS_PER_MS;
	scene.evidence.clock.suspended_ns = -1000;
	expect_none(&scene);
}

static void test_clock_source(void)
{
	struct scene scene = good();

	set_words(scene.evidence.clock.source_after, sizeof(scene.evidence.clock.source_after),
		  "hpet");
	expect(&scene, "clock", SEVERITY_VOID, "gave up the clock source tsc for hpet");
	scene = good();
	set_words(scene.evidence.clock.source, sizeof(scene.evidence.clock.source), "acpi_pm");
	set_words(scene.evidence.clock.source_after, sizeof(scene.evidence.clock.source_after),
		  "acpi_pm");
	scene.evidence.clock.cost_ns = 1200;
	expect(&scene, "clock", SEVERITY_VOID, "reading the clock (acpi_pm) takes 1200 ns, which "
					       "is 2.4 %");
	scene = good(); /* at a hundred requests a second nobody minds */
	set_words(scene.evidence.clock.source, sizeof(scene.evidence.clock.source), "acpi_pm");
	set_words(scene.evidence.clock.source_after, sizeof(scene.evidence.clock.source_after),
		  "acpi_pm");
	scene.evidence.clock.cost_ns = 1200;
	scene.evidence.load.requests = scene.evidence.devices.requests = 1200;
	expect_none(&scene);
}

static void test_clock_unknown(void)
{
	struct scene scene = good();

	scene.evidence.clock.known = false;
	expect_unchecked(&scene, "the clock");
	scene = good();
	scene.evidence.clock.source[0] = scene.evidence.clock.source_after[0] = '\0';
	expect_unchecked(&scene, "the clock (its source is not known)");
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* As much at once as can be: every sentence holds figures, none is cut, none says something is
 * well. */
static void test_sentences(void)
{
	static const unsigned steps[] = {4500, 4480, 4510, 4490, 500, 505,
					 498,  502,  500,  501,	 499, 500};
	struct scene scene = good();
	struct evidence *evidence = &scene.evidence;

	set_rates(&scene, steps, 12);
	evidence->devices.read_bytes = 20 * MIB;
	evidence->devices.write_bytes = 2 * GIB;
	evidence->target.bypass_read_cached_bytes = 65536;
	evidence->cpu.worker_percent = 99;
	set_metric(&scene, "device_queue_depth", 1);
	set_metric(&scene, "cpu_steal", 40);
	set_words(evidence->target.limits, sizeof(evidence->target.limits), "vda rbps=1048576");
	evidence->target.reads_limited = true;
	evidence->load.revisits = true;
	set_words(evidence->background.what, sizeof(evidence->background.what),
		  "vda read 12.0 MiB and wrote 3.00 MiB in 1 s, 40 % busy");
	evidence->reach.distinct_blocks = 4000;
	evidence->clock.suspended_ns = (int64_t)NS_PER_S;
	judge(&scene, "cached buffered foreign cpu_bound shallow unsteady throttled steal "
		      "small_target background reread clock");
	for (size_t i = 0; i < scene.measurement.flag_count; i++) {
		const char *message = scene.measurement.flags[i].message;
		bool figure = false;

		for (const char *at = message; *at; at++)
			figure = figure || isdigit((unsigned char)*at);
		CU_ASSERT_TRUE(figure);
		CU_ASSERT_TRUE(strlen(message) < sizeof(scene.measurement.flags[i].message) - 1);
	}
	end(&scene);
}

/* Where nothing at all can be seen, nothing is raised and everything is named. */
static void test_blind(void)
{
	struct scene scene = good();
	struct evidence_load load = scene.evidence.load;

	scene.evidence = (struct evidence){
		.load = load,
		.target = {.devices = "the target", .files = true},
		.devices = {.gap = "no block device is known"},
		.cpu = {.worker_percent = NAN, .wanted_percent = NAN},
		.clock = {.cost_ns = NAN},
	};
	scene.measurement.metric_count = 1;
	forget_samples(&scene);
	judge(&scene, "unchecked");
	for (const char *const *part =
		     (const char *const[]){"reads came", "passed the page cache", "others used",
					   "CPU to spare", "rate was steady", "limits",
					   "hypervisor", "before the start", "clock", NULL};
	     *part; part++)
		CU_ASSERT_TRUE(says(scene.measurement.flags[0].message, *part));
	end(&scene);
}

/* ---- steadiness ------------------------------------------------------------------------------ */

/* A sum of twelve uniform numbers: as good as normal, with deviation 1. */
static double noise(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)rng_below(rng, 1 << 20) / (1 << 20);
	return sum;
}

/* Rates that vary by 5 % as repeated requests do are steady, however many there are. */
static void test_steady_noise(void)
{
	unsigned changes = 0;
	struct rng rng;
	double rates[300];

	rng_init(&rng, 11);
	for (unsigned row = 0; row < 2000; row++) {
		size_t count = STEADINESS_LEAST + (size_t)rng_below(&rng, 290);

		for (size_t i = 0; i < count; i++)
			rates[i] = 1000 * (1 + 0.05 * noise(&rng));
		changes += steadiness_find(rates, count).kind != STEADY;
	}
	CU_ASSERT_EQUAL(changes, 0);
}

/* A step of half is found wherever it is, up and down, at its place, in any unit. */
static void test_step_anywhere(void)
{
	double rates[30], reversed[30];
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t at = 3; at <= 27; at++) {
		struct change down, up;

		for (size_t i = 0; i < 30; i++) {
			rates[i] = (i < at ? 1e6 : 5e5) * (1 + 0.05 * noise(&rng));
			reversed[29 - i] = rates[i] / 1e9;
		}
		down = steadiness_find(rates, 30);
		up = steadiness_find(reversed, 30);
		CU_ASSERT_EQUAL(down.kind, STEP);
		CU_ASSERT_EQUAL(down.at, at);
		CU_ASSERT_EQUAL(up.kind, STEP);
		CU_ASSERT_EQUAL(up.at, 30 - at);
		CU_ASSERT_DOUBLE_EQUAL(down.apart, up.apart, 1e-9);
	}
}

static void test_steady_zero(void)
{
	double zeros[STEADINESS_LEAST] = {0}, ones[STEADINESS_LEAST];

	for (int i = 0; i < STEADINESS_LEAST; i++)
		ones[i] = 1;
	CU_ASSERT_EQUAL(steadiness_find(zeros, STEADINESS_LEAST).kind, STEADY);
	CU_ASSERT_EQUAL(steadiness_find(ones, STEADINESS_LEAST).kind, STEADY);
}

static const struct test tests[] = {
	{"what is well raises nothing at all", test_good},
	{"recorded: reads of which less than 90 % came from the device are void", test_cached},
	{"recorded: what was in flight at the edges of the window proves no cache",
	 test_cached_edges},
	{"recorded: a cold pass that the device does not see is void, a warm one is not",
	 test_cached_pass},
	{"recorded: reads of a loop device that goes through the cache are void", test_cached_loop},
	{"recorded: less on the device than was read may be compression", test_cached_compressed},
	{"recorded: without counters checks of traffic are named as not made", test_uncounted},
	{"recorded: direct I/O that a trial found in the cache is doubted, in its direction",
	 test_buffered_trial},
	{"recorded: buffered I/O that was asked for is none to doubt", test_buffered_not_asked},
	{"recorded: direct writes that do not reach the device are doubted", test_buffered_missing},
	{"recorded: direct writes to a loop device that goes through the cache are doubted",
	 test_buffered_loop},
	{"recorded: without a trial direct I/O is named as unchecked, on files",
	 test_buffered_untried},
	{"recorded: more than 5 % of the device's bytes from others are doubted", test_foreign},
	{"recorded: what another partition does is foreign too", test_foreign_partition},
	{"recorded: a journal's mebibyte beside a slow load is not foreign", test_foreign_journal},
	{"recorded: read-ahead beyond the file is not foreign", test_foreign_read_ahead},
	{"recorded: own bytes are those of the time between the readings", test_foreign_scaled},
	{"recorded: copies on write cannot be told from others", test_foreign_copies},
	{"recorded: a worker, or all CPUs, above 90 % bound the figure", test_cpu_bound},
	{"recorded: CPU time that is not known is named", test_cpu_unknown},
	{"the null engine is held against no device and no CPU", test_harness},
	{"recorded: more than 2 % stolen is doubted, a tick is not", test_steal},
	{"recorded: a device that holds half of what was asked is shallow", test_shallow},
	{"recorded: merged requests make no shallow queue", test_shallow_merged},
	{"recorded: what the cache answers need not be on the device", test_shallow_cache},
	{"the depth asked is that of all classes of requests", test_depth_summed},
	{"recorded: a limit on what the load does throttles it", test_throttled},
	{"recorded: work of arrays and filesystems before the start is doubted", test_background},
	{"recorded: a data set below twice the memory is doubted where blocks return",
	 test_small_target},
	{"recorded: a device that is read where it was never written is doubted", test_unwritten},
	{"recorded: random offsets that return to few blocks are doubted", test_reread},
	{"recorded: a rate that changes by more than a fifth, or in a step, is doubted",
	 test_unsteady},
	{"recorded: a rate that swings by design is not judged", test_unsteady_by_design},
	{"recorded: fewer than nine samples say nothing, and that is said", test_unsteady_few},
	{"recorded: so few operations differ by chance", test_unsteady_chance},
	{"recorded: seconds in which nothing was done count", test_unsteady_stall},
	{"recorded: the last part of a second counts by its length", test_unsteady_partial},
	{"recorded: parts of an operation are judged with it", test_unsteady_parts},
	{"recorded: passes are compared with passes", test_unsteady_passes},
	{"recorded: suspension, steps and drift of the clock are void, NTP's slewing is not",
	 test_clock_differences},
	{"recorded: a slow or changed clock source is void where it matters", test_clock_source},
	{"recorded: a clock that cannot be judged is named", test_clock_unknown},
	{"every sentence holds figures and is whole", test_sentences},
	{"who sees nothing raises nothing, and names every check", test_blind},
	{"rates that vary by 5 % are steady", test_steady_noise},
	{"a step of half is found wherever it is", test_step_anywhere},
	{"rates without any spread are steady", test_steady_zero},
	{NULL, NULL},
};

const struct suite suite_evidence = {"evidence", tests};
