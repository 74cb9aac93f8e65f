/* SPDX-License-Identifier: MIT */
/*
 * test_import.c - every sample, value by value as a person reads it; names against the phases; what
 * is not taken; and texts that mean harm.
 */
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive_fixture.h"
#include "export.h"
#include "import_fixture.h"
#include "phase.h"
#include "results/sha256.h"
#include "suites.h"

/* ---- values --------------------------------------------------------------------------------- */

struct expectation {
	const char *sample;
	unsigned run;
	const char *phase, *parameters, *operation, *metric;
	double value; /* NAN: it is there without a value */
};

#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

static const struct expectation expectations[] = {
    /* The mail of 2011, row by row. */
    {"bonnie-1.96-cfq-2011.csv", 0, "char_write", "method=syscall", "write", "throughput",
     666 * KIB},
    {"bonnie-1.96-cfq-2011.csv", 0, "char_write", "", "all", "cpu", 99},
    {"bonnie-1.96-cfq-2011.csv", 0, "char_write", "", "write", "latency_max", 12344e3},
    {"bonnie-1.96-cfq-2011.csv", 0, "block_write", "block_size=8192", "write", "throughput",
     434709 * KIB},
    {"bonnie-1.96-cfq-2011.csv", 0, "block_write", "", "write", "latency_max", 619e6},
    {"bonnie-1.96-cfq-2011.csv", 0, "block_write", "", "all", "cpu", 96},
    {"bonnie-1.96-cfq-2011.csv", 0, "rewrite", "eviction=none", "rewrite", "throughput",
     225498 * KIB},
    {"bonnie-1.96-cfq-2011.csv", 0, "rewrite", "", "rewrite", "latency_max", 522e6},
    {"bonnie-1.96-cfq-2011.csv", 0, "char_read", "method=syscall", "read", "throughput",
     2840 * KIB},
    {"bonnie-1.96-cfq-2011.csv", 0, "char_read", "", "read", "latency_max", 255e6},
    {"bonnie-1.96-cfq-2011.csv", 0, "block_read", "eviction=none", "read", "throughput",
     952115 * KIB},
    {"bonnie-1.96-cfq-2011.csv", 0, "block_read", "", "read", "latency_max", 425e6},
    {"bonnie-1.96-cfq-2011.csv", 0, "seeks", "seekers=5 rewrite_percent=10", "seek", "rate", 556.2},
    {"bonnie-1.96-cfq-2011.csv", 0, "seeks", "", "seek", "latency_max", 529e6},
    {"bonnie-1.96-cfq-2011.csv", 0, "create_sequential",
     "files=16384 file_size=0:0 directories=1 kind=file", "create", "rate", 28808},
    {"bonnie-1.96-cfq-2011.csv", 0, "create_sequential", "", "create", "latency_max", 6170e3},
    {"bonnie-1.96-cfq-2011.csv", 0, "stat_sequential", "cache=warm", "stat", "rate", NAN},
    {"bonnie-1.96-cfq-2011.csv", 0, "stat_sequential", "", "stat", "latency_max", 594e3},
    {"bonnie-1.96-cfq-2011.csv", 0, "delete_sequential", "", "delete", "rate", NAN},
    {"bonnie-1.96-cfq-2011.csv", 0, "create_random", "", "create", "rate", NAN},
    {"bonnie-1.96-cfq-2011.csv", 0, "stat_random", "", "stat", "latency_max", 20e3},
    {"bonnie-1.96-cfq-2011.csv", 0, "delete_random", "", "delete", "latency_max", 36e3},
    {"bonnie-1.96-deadline-2011.csv", 0, "block_read", "", "read", "throughput", 989527 * KIB},
    {"bonnie-1.96-deadline-2011.csv", 0, "seeks", "", "seek", "rate", 2304},
    {"bonnie-1.96-deadline-2011.csv", 0, "rewrite", "", "rewrite", "throughput", 287010 * KIB},
    {"bonnie-1.96-noop-2011.csv", 0, "seeks", "", "seek", "rate", 2294},
    {"bonnie-1.96-noop-2011.csv", 0, "rewrite", "", "rewrite", "latency_max", 1460e6},
    {"bonnie-1.96-noop-2011.csv", 0, "char_read", "", "read", "throughput", 4104 * KIB},

    /* Each layout. */
    {"bonnie-1.03-27.csv", 0, "char_write", "method=stdio sync=uncontrolled", "write", "throughput",
     48210 * KIB},
    {"bonnie-1.03-27.csv", 0, "block_write", "block_size=8192 sync=uncontrolled", "write",
     "throughput", 182345 * KIB},
    {"bonnie-1.03-27.csv", 0, "seeks", "seekers=3", "seek", "rate", 412.6},
    {"bonnie-1.03-27.csv", 0, "seeks", "", "all", "cpu", 1},
    {"bonnie-1.03-27.csv", 0, "delete_random", "files=16384", "delete", "rate", 3120},
    {"bonnie-1.03-27.csv", 1, "block_read", "block_size=4096", "read", "throughput", 251100 * KIB},
    {"bonnie-1.03-27.csv", 1, "create_random", "file_size=512:4096 directories=8", "create", "rate",
     1612},
    {"bonnie-1.03-27.csv", 2, "create_sequential", "kind=symlink files=16384", "create", "rate",
     5534},
    {"bonnie-1.90a-33.csv", 0, "block_write", "", "write", "throughput", 98765 * KIB},
    {"bonnie-1.90a-33.csv", 0, "delete_random", "", "delete", "rate", 900},
    {"bonnie-1.91-45.csv", 0, "stat_sequential", "file_size=1024:8192 directories=4", "stat",
     "rate", 15000},
    {"bonnie-1.91-45.csv", 0, "seeks", "", "seek", "latency_max", 1200e6},
    {"bonnie-1.91-45.csv", 0, "delete_random", "", "delete", "latency_max", 2e9},
    {"bonnie-1.92-46.csv", 0, "char_write", "", "write", "latency_max", 15e6},
    {"bonnie-1.92-46.csv", 1, "create_sequential", "", "create", "rate", 1234},
    {"bonnie-1.92-46.csv", 1, "delete_random", "", "delete", "latency_max", 2e9},
    {"bonnie-1.93c-48.csv", 0, "block_write", "block_size=16384", "write", "throughput",
     301234 * KIB},
    {"bonnie-1.93c-48.csv", 0, "create_random", "kind=link files=32768", "create", "rate", 8200},
    {"bonnie-1.93c-48.csv", 0, "delete_random", "", "delete", "latency_max", 1e9},
    {"bonnie-1.96-47.csv", 0, "create_sequential", "files=16384", "create", "rate", 28808},
    {"bonnie-1.96-47.csv", 0, "delete_random", "", "delete", "rate", 40111},
    {"bonnie-1.96-47.csv", 0, "create_sequential", "", "create", "latency_max", 6170e3},
    {"bonnie-1.97-48.csv", 0, "stat_random", "file_size=0:1024 directories=12", "stat", "rate",
     69001},
    {"bonnie-1.97-48.csv", 0, "seeks", "", "seek", "latency_max", 38210e3},
    {"bonnie-1.98-50.csv", 0, "block_write", "", "write", "throughput", 1875400 * KIB},
    {"bonnie-1.98-50.csv", 0, "block_read", "", "read", "throughput", 2640100 * KIB},
    {"bonnie-1.98-50.csv", 0, "seeks", "seekers=5", "seek", "rate", 9120},
    {"bonnie-1.98-50.csv", 0, "delete_random", "", "delete", "latency_max", 133e3},
    {"bonnie-1.96-x3.csv", 1, "char_write", "", "write", "throughput", 661 * KIB},
    {"bonnie-1.96-x3.csv", 2, "seeks", "", "seek", "rate", 551.4},
    {"bonnie-2.00a-x2.csv", 0, "char_write", "", "write", "throughput", 1728 * KIB},
    {"bonnie-2.00a-x2.csv", 1, "char_write", "", "write", "throughput", 1539 * KIB},
    {"bonnie-2.00a-s0.csv", 0, "create_sequential", "files=2048 file_size=1024:4096 directories=3",
     "create", "rate", NAN},
    {"bonnie-2.00a-links.csv", 0, "delete_random", "kind=link files=4096", "delete", "latency_max",
     9396e3},
    {"bonnie-2.00a-n0.csv", 0, "seeks", "seekers=5", "seek", "latency_max", 22385e3},
    {"bonnie-mail.txt", 0, "block_write", "", "write", "throughput", 122345 * KIB},
    {"bonnie-mail.txt", 1, "block_write", "", "write", "throughput", 401234 * KIB},
    {"bonnie-mail.txt", 1, "delete_random", "directories=12", "delete", "latency_max", 610e3},

    /* fio's report for people, thousands commas and all. */
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random",
     "operation=write block_size=8192 queue_depth=1 jobs=8 engine=sync", "write", "rate", 16292},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "throughput", 127 * MIB},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "bytes", 3819 * MIB},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "count", 488779},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "latency_min", 41e3},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "latency_max", 1835e6},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "latency_mean", 268.42e3},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "write", "latency_stddev", 3627.29e3},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", 0, "random", "", "all", "cpu_system", 3.13 * 8},
    {"fio-1.x-randwrite-32k-8jobs-2011.txt", 0, "random", "block_size=32768", "write", "rate",
     10487},
    {"fio-1.x-randwrite-32k-8jobs-2011.txt", 0, "random", "", "write", "latency_max", 227e6},
    {"fio-1.x-randwrite-1m-8jobs-2011.txt", 0, "random", "block_size=1048576", "write",
     "throughput", 862 * MIB},
    {"fio-1.x-randwrite-1m-8jobs-2011.txt", 0, "random", "", "write", "latency_max", 83766e3},
    {"fio-2.0.8-normal.txt", 0, "sequential",
     "operation=read block_size=1048576 queue_depth=4 engine=libaio", "read", "throughput",
     104857 * KIB},
    {"fio-2.0.8-normal.txt", 0, "sequential", "", "read", "latency_mean", 38.90e6},
    {"fio-2.0.8-normal.txt", 0, "sequential", "", "read", "latency_p99_9", 84e6},
    {"fio-2.0.8-normal.txt", 0, "sequential", "", "read", "latency_submit", 55.10e3},
    {"fio-2.0.8-normal.txt", 0, "random", "operation=mixed queue_depth=32", "read", "rate", 5864},
    {"fio-2.0.8-normal.txt", 0, "random", "", "read", "latency_p99", 10432e3},
    {"fio-2.0.8-normal.txt", 0, "random", "", "write", "latency_max", 77e6},
    {"fio-2.0.8-normal.txt", 0, "random", "", "write", "count", 180056},
    {"fio-3.33-client-normal.txt", 0, "random", "operation=read block_size=4096 beside=b", "read",
     "rate", 2752},
    {"fio-3.33-client-normal.txt", 0, "random", "operation=write block_size=8192 beside=a", "write",
     "rate", 12000},
    {"fio-3.33-normal.txt", 0, "random", "operation=write block_size=16384 jobs=2 engine=sync",
     "write", "count", 19509},

    /* JSON: KiB and us before 3, bytes and ns since. */
    {"fio-2.1.4.json", 0, "random", "operation=read pattern=unknown block_size=4096", "read",
     "bytes", 44920 * KIB},
    {"fio-2.1.4.json", 0, "random", "", "read", "throughput", 1497 * KIB},
    {"fio-2.1.4.json", 0, "random", "", "read", "latency_mean", 255.34e3},
    {"fio-2.1.4.json", 0, "random", "", "read", "latency_p99", 506e3},
    {"fio-2.17.json", 0, "random",
     "operation=mixed block_size=8192 queue_depth=16 engine=libaio io=direct write_percent=30",
     "read", "rate", 6993.33},
    {"fio-2.17.json", 0, "random", "", "read", "bytes", 1678400 * KIB},
    {"fio-2.17.json", 0, "random", "", "write", "latency_mean", 1500.75e3},
    {"fio-2.17.json", 0, "random", "", "write", "latency_submit", 9.02e3},
    {"fio-2.17.json", 0, "random", "", "all", "cpu_user", 1.25},
    {"fio-2.20-warnings.json", 0, "sequential",
     "operation=read block_size=1048576 io=direct engine=sync", "read", "throughput", 102400 * KIB},
    {"fio-2.20-warnings.json", 0, "sequential",
     "operation=write block_size=1048576 io=buffered fdatasync=1", "write", "rate", 100},
    {"fio-3.1.json", 0, "random", "operation=write block_size=8192 queue_depth=4 jobs=4 io=direct",
     "write", "bytes", 21474836480.0},
    {"fio-3.1.json", 0, "random", "", "write", "throughput", 349525 * KIB},
    {"fio-3.1.json", 0, "random", "", "write", "latency_mean", 90112.5},
    {"fio-3.1.json", 0, "random", "", "write", "latency_p50", 85504},
    {"fio-3.1.json", 0, "random", "", "all", "cpu_system", 3.5 * 4},
    {"fio-3.1-two-runs.json", 1, "random", "", "write", "count", 2621440},
    {"fio-3.26-odd.json", 0, "random",
     "block_size=4k-16k rate_limit=5000 think_time=10 distribution=zipf:1.2 engine=io_uring",
     "read", "rate", 5000},
    {"fio-3.33-randread-8k.json", 0, "random",
     "operation=read block_size=8192 queue_depth=8 engine=libaio", "read", "rate", 46264.735265},
    {"fio-3.33-randread-8k.json", 0, "random", "", "read", "throughput", 379000711},
    {"fio-3.33-randread-8k.json", 0, "random", "", "read", "latency_p99", 1712128},
    {"fio-3.33-grouped.json", 0, "random", "jobs=3 queue_depth=2 engine=io_uring io=direct",
     "write", "count", 21820},
    {"fio-3.33-status-interval.json", 0, "sequential", "operation=read io=buffered", "read",
     "bytes", 3472949248.0},
    {"fio-3.33-beside.json", 0, "random", "operation=read beside=writer", "read", "count", 319494},
    {"fio-3.33-beside.json", 0, "sequential", "operation=write beside=reader sync=uncontrolled",
     "write", "count", 22608},
    {"fio-3.33-threads.json+", 0, "random", "operation=mixed jobs=2 write_percent=30", "read",
     "count", 7118},
    {"fio-3.33-threads.json+", 0, "random", "", "read", "bytes", 29155328},
    {"fio-3.33-unified.json", 0, "random", "operation=mixed", "all", "count", 7537},
    {"fio-3.33-three-formats.txt", 0, "sequential", "operation=write fdatasync=8", "write",
     "throughput", 146130221},

    /* Terse. */
    {"fio-2.0.8-terse-v3.txt", 0, "random", "operation=read pattern=unknown block_size=8192",
     "read", "throughput", 8192 * KIB},
    {"fio-2.0.8-terse-v3.txt", 0, "random", "", "read", "latency_mean", 968.25e3},
    {"fio-2.0.8-terse-v3.txt", 0, "random", "", "read", "latency_p99", 506e3},
    {"fio-3.33-terse-v2.txt", 0, "random", "", "read", "rate", 14426},
    {"fio-3.33-terse-v2.txt", 0, "random", "", "read", "throughput", 57706 * KIB},
    {"fio-3.33-terse-v3.txt", 0, "random", "block_size=4096", "read", "rate", 5540},
    {"fio-3.33-terse-v3.txt", 0, "random", "", "write", "latency_p99", 5079e3},
    {"fio-3.33-terse-v4.txt", 0, "random", "", "write", "rate", 9321},
    {"fio-3.33-terse-v5.txt", 0, "random", "", "write", "rate", 9520},
    {"fio-3.33-terse-v5.txt", 0, "random", "", "write", "latency_max", 12853e3},

    /* Orion: ms until 11.1, us since. */
    {"orion-11.1-oltp-write-8k-2010.txt", 0, "oltp",
     "small_size=8192 write_percent=100 num_small=11", "small", "rate", 48798},
    {"orion-11.1-oltp-write-8k-2010.txt", 0, "oltp", "num_small=1", "small", "latency_mean",
     0.02e6},
    {"orion-11.1-oltp-write-4k-2010.txt", 0, "oltp", "small_size=4096 num_small=8", "small", "rate",
     86883},
    {"orion-11.1-oltp-write-4k-2010.txt", 0, "oltp", "num_small=1", "small", "latency_mean",
     0.01e6},
    {"orion-10.2-simple-summary.txt", 0, "dss", "large_size=1048576 large_type=random num_large=6",
     "large", "throughput", 66.27 * MIB},
    {"orion-10.2-simple-summary.txt", 0, "oltp", "num_small=19 write_percent=0", "small", "rate",
     412},
    {"orion-10.2-simple-summary.txt", 0, "oltp", "num_small=1", "small", "latency_mean", 7.92e6},
    {"orion-11.1-iops.csv", 0, "oltp", "num_small=4", "small", "rate", 321},
    {"orion-11.1-lat.csv", 0, "oltp", "num_small=2", "small", "latency_mean", 9.17e6},
    {"orion-11.1-mbps.csv", 0, "dss", "num_large=2", "large", "throughput", 61.25 * MIB},
    {"orion-11.1-whole-test.txt", 0, "oltp", "num_small=5 small_size=8192", "small", "latency_mean",
     14.08e6},
    {"orion-11.1-whole-test.txt", 0, "oltp", "num_small=5", "small", "rate", 355},
    {"orion-11.1-whole-test.txt", 0, "dss", "num_large=1 large_size=1048576", "large", "throughput",
     41.5 * MIB},
    {"orion-11.2-oltp-summary.txt", 0, "oltp", "num_small=17 write_percent=20", "small", "rate",
     9899},
    {"orion-11.2-oltp-summary.txt", 0, "oltp", "num_small=17", "small_write", "latency_max",
     13316e3},
    {"orion-11.2-oltp-summary.txt", 0, "oltp", "num_small=1", "small", "latency_mean", 123.58e3},
    {"orion-11.2-oltp-summary.txt", 0, "oltp", "num_small=1", "small_read", "latency_stddev", 76e3},
    {"orion-11.2-oltp-summary.txt", 0, "oltp", "num_small=1", "small_read", "count", 388002},
    {"orion-11.2-lat.csv", 0, "oltp", "num_small=3", "small", "latency_mean", 141.77e3},
    {"orion-11.2-normal-seq.txt", 0, "mixed",
     "num_small=2 num_large=1 large_type=sequential stream_depth=8 small_write_percent=0", "small",
     "rate", 133},
    {"orion-11.2-normal-seq.txt", 0, "mixed", "num_small=2 cache_size=67108864", "large",
     "throughput", 160 * MIB},
    {"orion-11.2-hist.txt", 0, "mixed", "num_small=1 num_large=1", "large_write", "count", 10},
    {"orion-12.2-screen.txt", 0, "oltp", "num_small=5", "small", "latency_max", 38147.308e3},
    {"orion-12.2-screen.txt", 0, "dss", "num_large=2", "large", "throughput", 867.73 * MIB},
    {"orion-19.3-screen.txt", 0, "oltp", "num_small=2", "small", "latency_mean", 97.677e3},
    {"orion-19.3-screen.txt", 0, "oltp", "num_small=10", "small", "rate", 58778},
};

static const struct metric_value *find_metric(const struct measurement *measurement,
					      const char *operation, const char *metric)
{
	for (size_t i = 0; i < measurement->metric_count; i++)
		if (!strcmp(measurement->metrics[i].operation, operation) &&
		    !strcmp(measurement->metrics[i].metric, metric))
			return &measurement->metrics[i];
	return NULL;
}

static bool fits(const struct expectation *wanted, const struct parsed *parsed, double *got)
{
	const struct measurement *measurement = NULL;
	const struct metric_value *value = NULL;

	*got = NAN;
	if (wanted->run < parsed->sink.run_count)
		measurement = find_measurement(&parsed->sink.runs[wanted->run], wanted->phase,
					       wanted->parameters);
	if (measurement)
		value = find_metric(measurement, wanted->operation, wanted->metric);
	if (!value)
		return false;
	*got = value->value;
	return isnan(wanted->value) ? isnan(*got)
				    : fabs(*got - wanted->value) <= 1e-9 * fabs(wanted->value);
}

static void every_value_is_the_one_a_person_reads(void)
{
	struct parsed parsed = {0};
	const char *current = "";

	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
		const struct expectation *wanted = &expectations[i];
		double got;

		if (strcmp(current, wanted->sample) != 0) {
			parsed_release(&parsed);
			parse_sample(&parsed, wanted->sample);
			current = wanted->sample;
		}
		if (fits(wanted, &parsed, &got))
			continue;
		fprintf(stderr, "\n    %s run %u: %s [%s] %s.%s is %.17g, not %.17g",
			wanted->sample, wanted->run, wanted->phase, wanted->parameters,
			wanted->operation, wanted->metric, got, wanted->value);
		CU_FAIL("a value");
	}
	parsed_release(&parsed);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static const struct {
	const char *sample, *importer;
	unsigned runs;
	const char *source, *version, *host; /* of the last run */
	unsigned measurements;		     /* of the last run */
	unsigned round;			     /* of the last run */
} files[] = {
    {"bonnie-1.03-27.csv", "bonnie", 3, "bonnie++", "1.0x", "db01", 6, 1},
    {"bonnie-1.90a-33.csv", "bonnie", 1, "bonnie++", "1.90a", "web3", 12, 1},
    {"bonnie-1.92-46.csv", "bonnie", 2, "bonnie++", "1.92", "web3", 6, 1},
    {"bonnie-1.96-47.csv", "bonnie", 1, "bonnie++", "1.96", "san-7", 6, 1},
    {"bonnie-1.96-cfq-2011.csv", "bonnie", 1, "bonnie++", "1.96", "Way5ax", 12, 1},
    {"bonnie-1.96-x3.csv", "bonnie", 3, "bonnie++", "1.96", "raid5", 12, 3},
    {"bonnie-1.98-50.csv", "bonnie", 1, "bonnie++", "2.00a", "db03", 10, 1},
    {"bonnie-2.00a-n0.csv", "bonnie", 1, "bonnie++", "2.00a", "db01", 4, 1},
    {"bonnie-2.00a-s0.csv", "bonnie", 1, "bonnie++", "2.00a", "db01", 6, 1},
    {"bonnie-2.00a-with-report.txt", "bonnie", 1, "bonnie++", "2.00a", "db01", 12, 1},
    {"bonnie-2.00a-x2.csv", "bonnie", 2, "bonnie++", "2.00a", "db01", 12, 2},
    {"bonnie-mail.txt", "bonnie", 2, "bonnie++", "1.97", "node9", 12, 1},
    {"fio-1.x-randwrite-8k-8jobs-2011.txt", "fio_text", 1, "fio", NULL, NULL, 1, 1},
    {"fio-2.0.8-normal.txt", "fio_text", 1, "fio", "2.0.8", NULL, 2, 1},
    {"fio-3.33-client-normal.txt", "fio_text", 1, "fio", NULL, NULL, 2, 1},
    {"fio-2.0.8-terse-v3.txt", "fio_terse", 1, "fio", "2.0.8", NULL, 1, 1},
    {"fio-2.1.4.json", "fio_json", 1, "fio", "2.1.4", NULL, 1, 1},
    {"fio-2.20-warnings.json", "fio_json", 1, "fio", "2.20", NULL, 2, 1},
    {"fio-3.1-two-runs.json", "fio_json", 2, "fio", "3.1", NULL, 1, 1},
    {"fio-3.33-clients.json", "fio_json", 2, "fio", "3.33", "127.0.0.1", 2, 1},
    {"fio-3.33-status-interval.json", "fio_json", 1, "fio", "3.33", NULL, 1, 1},
    {"fio-3.33-terse-v5.txt", "fio_terse", 1, "fio", "3.33", NULL, 1, 1},
    {"fio-3.33-threads.json+", "fio_json", 1, "fio", "3.33", NULL, 1, 1},
    {"fio-3.33-three-formats.txt", "fio_json", 1, "fio", "3.33", NULL, 1, 1},
    {"orion-10.2-simple-summary.txt", "orion", 1, "orion", "10.2.0.1.0", NULL, 3, 1},
    {"orion-11.1-oltp-write-4k-2010.txt", "orion", 1, "orion", "11.1.0.7.0", NULL, 2, 1},
    {"orion-11.1-whole-test.txt", "orion", 1, "orion", "11.1.0.7.0", NULL, 7, 1},
    {"orion-19.3-screen.txt", "orion", 1, "orion", "RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417", NULL, 3,
     1},
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void each_text_is_told_by_its_content(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct parsed parsed;
		const struct imported_run *last;

		parse_sample(&parsed, files[i].sample);
		CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
		CU_ASSERT_STRING_EQUAL(parsed.importer->name, files[i].importer);
		CU_ASSERT_EQUAL_FATAL(parsed.sink.run_count, files[i].runs);
		last = &parsed.sink.runs[files[i].runs - 1];
		CU_ASSERT(same_text(last->run.source, files[i].source));
		CU_ASSERT(same_text(last->run.version, files[i].version));
		CU_ASSERT(same_text(facts_text(&last->run.facts, "host"), files[i].host));
		CU_ASSERT_EQUAL(last->measurement_count, files[i].measurements);
		CU_ASSERT_EQUAL(last->run.round, files[i].round);
		if (last->measurement_count != files[i].measurements)
			fprintf(stderr, "\n    %s has %zu measurements", files[i].sample,
				last->measurement_count);
		parsed_release(&parsed);
	}
}

static void repeats_of_one_command_are_rounds_of_a_series(void)
{
	struct parsed parsed;

	parse_sample(&parsed, "bonnie-1.96-x3.csv");
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(parsed.sink.runs[i].run.round, i + 1);
		CU_ASSERT_STRING_EQUAL(parsed.sink.runs[i].run.series,
				       parsed.sink.runs[0].run.series);
		CU_ASSERT_EQUAL(parsed.sink.runs[i].run.seed, 1310000000);
	}
	CU_ASSERT_EQUAL(strlen(parsed.sink.runs[0].run.series), UUID_MAX - 1);
	parsed_release(&parsed);

	parse_sample(&parsed, "bonnie-mail.txt"); /* two machines */
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.series, "");
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[1].run.series, "");
	parsed_release(&parsed);
}

static void plus_signs_are_a_phase_too_fast_to_rate(void)
{
	struct parsed parsed;
	const struct measurement *stat;

	parse_sample(&parsed, "bonnie-1.96-noop-2011.csv");
	stat = find_measurement(&parsed.sink.runs[0], "stat_sequential", "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(stat);
	CU_ASSERT_EQUAL(stat->status, STATUS_OK);
	CU_ASSERT_STRING_EQUAL(stat->message, "too fast to rate");
	CU_ASSERT(isnan(measurement_value(stat, "stat", "rate")));
	CU_ASSERT_PTR_NULL(find_metric(stat, "all", "cpu"));
	parsed_release(&parsed);
}

static void what_did_not_run_is_not_there(void)
{
	struct parsed parsed;

	parse_sample(&parsed, "bonnie-1.98-50.csv"); /* -f: no characters */
	CU_ASSERT_PTR_NULL(find_measurement(&parsed.sink.runs[0], "char_write", ""));
	CU_ASSERT_PTR_NULL(find_measurement(&parsed.sink.runs[0], "char_read", ""));
	parsed_release(&parsed);
	parse_sample(&parsed, "bonnie-2.00a-n0.csv");
	CU_ASSERT_PTR_NULL(find_measurement(&parsed.sink.runs[0], "create_sequential", ""));
	parsed_release(&parsed);
}

static void the_cpu_of_seeks_is_kept_aside_where_it_is_a_multiple(void)
{
	struct parsed parsed;
	const struct measurement *seeks;

	parse_sample(&parsed, "bonnie-1.98-50.csv");
	seeks = find_measurement(&parsed.sink.runs[0], "seeks", "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(seeks);
	CU_ASSERT_PTR_NULL(find_metric(seeks, "all", "cpu"));
	CU_ASSERT(same_text(
	    find_kept(&parsed.sink.runs[0], "seeks_cpu, counted once for each seeker"), "88"));
	parsed_release(&parsed);
}

static void all_clients_are_not_counted_beside_each(void)
{
	struct parsed parsed;

	parse_sample(&parsed, "fio-3.33-clients.json");
	CU_ASSERT_EQUAL_FATAL(parsed.sink.run_count, 2);
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(parsed.sink.runs[i].measurement_count, 2);
		CU_ASSERT_PTR_NOT_NULL(
		    find_measurement(&parsed.sink.runs[i], "random",
				     "operation=read block_size=4096 jobs=1 beside=b"));
		CU_ASSERT_PTR_NOT_NULL(
		    find_measurement(&parsed.sink.runs[i], "random",
				     "operation=write block_size=8192 io=direct beside=a"));
	}
	CU_ASSERT_STRING_NOT_EQUAL(parsed.sink.runs[0].run.uuid, parsed.sink.runs[1].run.uuid);
	parsed_release(&parsed);
}

static void a_sum_of_clients_alone_is_taken(void)
{
	struct parsed parsed;

	parse_words(
	    &parsed,
	    "{ \"fio version\" : \"fio-2.6\", \"client_stats\" : [ { \"jobname\" : \"All clients\","
	    " \"groupid\" : 0, \"error\" : 0, \"mixed\" : { \"io_bytes\" : 2021176, \"bw\" : 16653,"
	    " \"iops\" : 2252.49, \"runtime\" : 121363, \"total_ios\" : 273369, \"lat\" : { "
	    "\"min\" : 431,"
	    " \"max\" : 3781314, \"mean\" : 1782.92, \"stddev\" : 19405.44 } },"
	    " \"hostname\" : \"loader2\", \"port\" : 8765 } ] }\n");
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_EQUAL_FATAL(parsed.sink.run_count, 1);
	CU_ASSERT_EQUAL_FATAL(parsed.sink.runs[0].measurement_count, 1);
	CU_ASSERT_PTR_NULL(facts_text(&parsed.sink.runs[0].run.facts, "host"));
	CU_ASSERT_EQUAL(measurement_value(&parsed.sink.runs[0].measurements[0], "all", "rate"),
			2252.49);
	CU_ASSERT_EQUAL(measurement_value(&parsed.sink.runs[0].measurements[0], "all", "bytes"),
			2021176 * KIB);
	CU_ASSERT_EQUAL(
	    measurement_value(&parsed.sink.runs[0].measurements[0], "all", "latency_max"),
	    3781314e3);
	parsed_release(&parsed);
}

static void a_failed_job_has_no_figures_and_fails_its_run(void)
{
	static const char *const samples[] = {"fio-3.33-failed.json", "fio-1.57-failed.txt"};

	for (size_t i = 0; i < 2; i++) {
		struct parsed parsed;
		const struct measurement *measurement;

		parse_sample(&parsed, samples[i]);
		CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
		CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.status, "failed");
		measurement = &parsed.sink.runs[0].measurements[0];
		CU_ASSERT_EQUAL(measurement->status, STATUS_FAILED);
		CU_ASSERT_PTR_NOT_NULL(strstr(measurement->message, "fio ended with error"));
		CU_ASSERT_EQUAL(measurement->metric_count, 0);
		parsed_release(&parsed);
	}
}

static void times_are_those_of_the_text(void)
{
	struct parsed parsed;

	parse_sample(&parsed, "fio-2.17.json");
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.finished_at, "2017-02-20T14:13:20.123Z");
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.started_at, "2017-02-20T14:12:49.123Z");
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.target, "/dev/sdb");
	CU_ASSERT(same_text(facts_text(&parsed.sink.runs[0].run.facts, "device"), "sda"));
	parsed_release(&parsed);
	parse_sample(&parsed, "bonnie-1.96-cfq-2011.csv"); /* a seed is no time */
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.started_at, "");
	CU_ASSERT_EQUAL(parsed.sink.runs[0].run.seed, 1299173113);
	parsed_release(&parsed);
}

/* The statistics of one thread and of many are those of all their requests. */
static void threads_of_a_job_are_added_up(void)
{
	static const char job[] =
	    "{\"jobname\":\"j\",\"groupid\":0,\"error\":0,\"job "
	    "options\":{\"rw\":\"randread\",\"numjobs\":\"2\"},"
	    "\"read\":{\"io_bytes\":%u,\"bw_bytes\":%u,\"iops\":%u,\"runtime\":1000,\"total_ios\":%"
	    "u,"
	    "\"clat_ns\":{\"min\":%u,\"max\":%u,\"mean\":%u,\"stddev\":0,\"N\":%u,"
	    "\"percentile\":{\"99.000000\":%u}}},\"usr_cpu\":10.0,\"sys_cpu\":20.0}";
	char text[2000];
	struct parsed parsed;
	const struct measurement *m;
	size_t used;

	used = (size_t)snprintf(text, sizeof(text), "{\"fio version\":\"fio-3.9\",\"jobs\":[");
	used += (size_t)snprintf(text + used, sizeof(text) - used, job, 409600, 409600, 100, 100,
				 10, 1000, 100, 100, 900);
	text[used++] = ',';
	used += (size_t)snprintf(text + used, sizeof(text) - used, job, 1228800, 1228800, 300, 300,
				 5, 2000, 500, 300, 1900);
	snprintf(text + used, sizeof(text) - used, "]}");
	parse_words(&parsed, text);
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_EQUAL_FATAL(parsed.sink.runs[0].measurement_count, 1);
	m = &parsed.sink.runs[0].measurements[0];
	CU_ASSERT_EQUAL(measurement_value(m, "read", "rate"), 400);
	CU_ASSERT_EQUAL(measurement_value(m, "read", "throughput"), 1638400);
	CU_ASSERT_EQUAL(measurement_value(m, "read", "latency_min"), 5);
	CU_ASSERT_EQUAL(measurement_value(m, "read", "latency_max"), 2000);
	CU_ASSERT_EQUAL(measurement_value(m, "read", "latency_mean"), 400);
	/* 100 of 100 and 300 of 500: the variance is (100 * 300^2 + 300 * 100^2) / 400 */
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(m, "read", "latency_stddev"), sqrt(30000), 1e-6);
	CU_ASSERT_PTR_NULL(find_metric(m, "read", "latency_p99")); /* of two threads nobody knows */
	CU_ASSERT_EQUAL(measurement_value(m, "all", "cpu_user"), 20);
	CU_ASSERT_EQUAL(measurement_parameter(m, "jobs")->value.number, 2);
	parsed_release(&parsed);
}

static void histograms_of_threads_give_percentiles(void)
{
	struct parsed parsed;
	const struct measurement *m;

	parse_sample(&parsed, "fio-3.33-threads.json+");
	m = &parsed.sink.runs[0].measurements[0];
	CU_ASSERT_EQUAL_FATAL(m->histogram_count, 2);
	CU_ASSERT_EQUAL(m->histograms[0].histogram.count, 7118);
	CU_ASSERT_EQUAL(m->histograms[1].histogram.count, 3179);
	CU_ASSERT_EQUAL(measurement_value(m, "read", "latency_p50"),
			histogram_percentile(&m->histograms[0].histogram, 0.5));
	parsed_release(&parsed);
}

static void what_the_user_says_stands_in_for_what_a_text_leaves_out(void)
{
	struct facts given = {0};
	struct parsed parsed;
	size_t length;
	char *text = read_sample("fio-2.0.8-terse-v3.txt", &length);

	facts_set_text(&given, "rw", "read");
	facts_set_text(&given, "bs", "8k");
	facts_set_text(&given, "iodepth", "4");
	facts_set_text(&given, "ioengine", "libaio");
	facts_set_text(&given, "direct", "1");
	facts_set_text(&given, "numjobs", "3");
	parse_text(&parsed, text, length, &given);
	free(text);
	CU_ASSERT_PTR_NOT_NULL(find_measurement(
	    &parsed.sink.runs[0], "sequential",
	    "operation=read block_size=8192 queue_depth=4 jobs=3 engine=libaio io=direct"));
	CU_ASSERT_PTR_NULL(measurement_parameter(&parsed.sink.runs[0].measurements[0], "pattern"));
	parsed_release(&parsed);
	facts_release(&given);
}

static void what_has_no_place_is_kept(void)
{
	struct parsed parsed;
	const char *kept;

	parse_sample(&parsed, "fio-2.20-warnings.json");
	kept = find_kept(&parsed.sink.runs[0], "text around the document");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
	CU_ASSERT_PTR_NOT_NULL(strstr(kept, "clock setaffinity failed"));
	kept = find_kept(&parsed.sink.runs[0], "seqread: also");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
	CU_ASSERT_PTR_NOT_NULL(strstr(kept, "mean=9991"));
	CU_ASSERT_PTR_NOT_NULL(strstr(kept, "ctx=12345"));
	kept = find_kept(&parsed.sink.runs[0], "document: also");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
	CU_ASSERT_PTR_NOT_NULL(strstr(kept, "read_ios=11230"));
	parsed_release(&parsed);
	parse_sample(&parsed, "orion-11.2-oltp-summary.txt");
	kept = find_kept(&parsed.sink.runs[0],
			 "Small Read / Write Latency Histogram @ Small=1 and Large=0");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
	CU_ASSERT_PTR_NOT_NULL(strstr(kept, "287442"));
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].run.command,
			       "-run oltp -testname test1 -write 20");
	parsed_release(&parsed);
}

/* ---- identity ------------------------------------------------------------------------------- */

static void a_row_is_the_same_run_wherever_it_stands(void)
{
	struct parsed alone, among;
	char text[4000];
	size_t length;
	char *row = read_sample("bonnie-1.96-cfq-2011.csv", &length);

	snprintf(text, sizeof(text),
		 "an older row:\n1.97,1.97,x,1,5,8G,,1,1,2,2,3,3,4,4,5,5,6.0,6,,,,,,,,,,,,,,,,,,"
		 "1us,2us,3us,4us,5us,6us,,,,,,\n%s",
		 row);
	parse_words(&alone, row);
	parse_words(&among, text);
	CU_ASSERT_EQUAL_FATAL(among.sink.run_count, 2);
	CU_ASSERT_STRING_EQUAL(alone.sink.runs[0].run.uuid, among.sink.runs[1].run.uuid);
	CU_ASSERT_STRING_EQUAL(alone.sink.runs[0].origin.hash, among.sink.runs[1].origin.hash);
	CU_ASSERT_STRING_NOT_EQUAL(among.sink.runs[0].run.uuid, among.sink.runs[1].run.uuid);
	CU_ASSERT_EQUAL(alone.sink.runs[0].run.uuid[14], '8'); /* RFC 9562, made by our own rule */
	parsed_release(&alone);
	parsed_release(&among);
	free(row);
}

static void check_parts(const char *name)
{
	struct parsed parsed;
	size_t next = 0;

	parse_sample(&parsed, name);
	for (size_t i = 0; i < parsed.sink.run_count; i++) {
		CU_ASSERT_EQUAL(parsed.sink.runs[i].start, next);
		next = parsed.sink.runs[i].end;
	}
	if (!parsed.code)
		CU_ASSERT_EQUAL(next, parsed.length);
	parsed_release(&parsed);
}

static void the_parts_of_the_runs_are_the_whole_text(void)
{
	each_sample(check_parts);
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool names_parameter(const struct phase *phase, const char *name)
{
#define PARAMETER_NAME(parameter, unit, help) #parameter,
	static const char *const ours[] = {IMPORT_PARAMETERS(PARAMETER_NAME) NULL};
#undef PARAMETER_NAME

	for (size_t i = 0; ours[i]; i++)
		if (!strcmp(ours[i], name))
			return true;
	return phase_param_index(phase, name) >= 0;
}

static bool names_operation(const struct phase *phase, const char *name)
{
	for (const struct operation *operation = phase->operations; operation->name; operation++)
		if (!strcmp(operation->name, name))
			return true;
	return !strcmp(name, "all");
}

static bool names_metric(const struct phase *phase, const struct metric_value *value)
{
	const struct metric *metric = metric_find(value->metric);

	for (size_t i = 0; !metric && phase->metrics && phase->metrics[i].name; i++)
		if (!strcmp(phase->metrics[i].name, value->metric))
			metric = &phase->metrics[i];
	return metric && metric->unit == value->unit && metric->better == value->better;
}

static void check_measurement_names(const char *sample, const struct measurement *measurement)
{
	const struct phase *phase = phase_find(measurement->phase);

	if (!phase) {
		fprintf(stderr, "\n    %s: no phase %s", sample, measurement->phase);
		CU_FAIL("an unknown phase");
		return;
	}
	for (size_t i = 0; i < measurement->parameter_count; i++)
		if (!names_parameter(phase, measurement->parameters[i].name)) {
			fprintf(stderr, "\n    %s: %s has no parameter %s", sample, phase->name,
				measurement->parameters[i].name);
			CU_FAIL("an unknown parameter");
		}
	for (size_t i = 0; i < measurement->metric_count; i++)
		if (!names_operation(phase, measurement->metrics[i].operation) ||
		    !names_metric(phase, &measurement->metrics[i])) {
			fprintf(stderr, "\n    %s: %s has no %s.%s", sample, phase->name,
				measurement->metrics[i].operation, measurement->metrics[i].metric);
			CU_FAIL("an unknown operation or metric");
		}
}

static void check_names(const char *name)
{
	struct parsed parsed;

	parse_sample(&parsed, name);
	for (size_t i = 0; i < parsed.sink.run_count; i++)
		for (size_t k = 0; k < parsed.sink.runs[i].measurement_count; k++)
			check_measurement_names(name, &parsed.sink.runs[i].measurements[k]);
	parsed_release(&parsed);
}

static void every_name_an_importer_emits_is_known(void)
{
	each_sample(check_names);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void check_taken(const char *name)
{
	struct parsed parsed;
	bool refused = !strncmp(name, "refused-", 8);

	parse_sample(&parsed, name);
	CU_ASSERT_EQUAL(parsed.code != 0, refused);
	CU_ASSERT_EQUAL(parsed.sink.run_count == 0, refused);
	if (refused)
		CU_ASSERT_PTR_NOT_NULL(strstr(parsed.err.text, "a unit is off by a thousand"));
	parsed_release(&parsed);
}

static void every_sample_is_taken_and_the_wrong_ones_refused(void)
{
	each_sample(check_taken);
}

static const struct {
	const char *text, *sentence;
} refusals[] = {
    {"", "it is empty"},
    {"hello, world\n", "line 1, column 1: neither bonnie++ CSV"},
    {"Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n",
     "import the CSV line"},
    {"format_version,bonnie_version,name\n", "no row of bonnie++"},
    {"x\n1.96,1.96,h,1,5,8G,,66q,99,434709,96,225498,35,2840,69,952115,76,556.2,3,16,,,,,28808,41,+"
     "++++,+++,"
     "+++++,+++,+++++,+++,+++++,+++,+++++,+++,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us\n",
     "line 2, column 21: \"66q\" is no rate"},
    {"1.96,1.96,h,1,5,8G,,666,99,434709,96,225498,35,2840,69,952115,76,556.2,3,16,,,,,28808,41\n",
     "writes 26 fields"},
    {"1.96,1.96,h,1,5,8G,,1e400,99,434709,96,225498,35,2840,69,952115,76,556.2,3,16,,,,,28808,41,++"
     "+++,+++,"
     "+++++,+++,+++++,+++,+++++,+++,+++++,+++,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us\n",
     "\"1e400\" is no rate"},
    {"1.96,1.96,h,1,5,8G,,666,99,434709,96,225498,35,2840,69,952115,76,556.2,3,16,,,,,28808,41,++++"
     "+,+++,"
     "+++++,+++,+++++,+++,+++++,+++,+++++,+++,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,1u\n",
     "\"1u\" is no latency"},
    {"{ \"fio version\" : \"fio-3.1\", \"jobs\" : [ { \"jobname\" : \"a\", \"groupid\" : 0 }\n",
     "line 2, column 1: the JSON ends in the middle"},
    {"{ \"fio version\" : \"fio-3.1\",\n  \"jobs\" : [ { \"jobname\" : 1e400 } ] }\n",
     "line 2, column 28: this is no number, or none that can be held"},
    {"{ \"fio version\" : \"fio-3.1\", \"jobs\" : [ 1 2 ] }\n", "line 1, column 43: a value where"},
    {"{ \"fio version\" : \"fio-3.1\", \"jobs\" : [ 1 ] }\n", "a job in fio's JSON is no object"},
    {"{ \"fio version\" : \"fio-3.1\" }\n", "without the jobs of fio"},
    {"3;fio-2.0.8;a;0;0;1;2;3\n", "8 fields do not make a line of fio's terse version 3"},
    {"a: (groupid=0, jobs=1): err= 0: pid=1\n  read : io=1024MB, bw=99MB/s, iops=16,2",
     "line 2, column 37: \"16,2\" is no number"},
    {"a: (groupid=0, jobs=1): err= 0: pid=1\n  read : io=1024MB, bw=102MB/s, iops=1638, runt= "
     "10001msec\n",
     "end before the number of operations"},
    {"ORION VERSION 11.1.0.7.0\n\nCommandline:\n-run simple\n", "a test of Orion without a result"},
    {"ORION VERSION 11.1.0.7.0\nMaximum Small IOPS=12 @ Small=x and Large=0\n", "line 2, column 1"},
    {"Large/Small,      1,      2\n          0,    abc\n", "line 2, column 17: \"abc\" is no cell"},
    {"{ \"assay\": \"1\", \"schema\": 2, \"run\": {} }\n",
     "schema is another than this program knows"},
    {"{ \"assay\": \"1\", \"schema\": 1, \"run\": { \"uuid\": \"x\" } }\n", "uuid is no UUID"},
};

static void what_is_not_taken_is_refused_with_line_column_and_reason(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct parsed parsed;

		parse_words(&parsed, refusals[i].text);
		CU_ASSERT(parsed.code < 0);
		CU_ASSERT_EQUAL(parsed.sink.run_count, 0);
		CHECK_SAYS(parsed.err.text, refusals[i].sentence);
		parsed_release(&parsed);
	}
}

/* A sum of bytes told twice as large passes, one 1000 times as large does not: each way, each unit.
 */
static void every_factor_of_a_thousand_is_noticed(void)
{
	static const char text[] =
	    "{ \"fio version\": \"fio-3.9\", \"jobs\": [ { \"jobname\": \"j\", \"groupid\": 0, "
	    "\"error\": 0,"
	    " \"job options\": { \"rw\": \"randread\", \"bs\": \"4k\" }, \"read\": { \"io_bytes\": "
	    "%.0f,"
	    " \"bw_bytes\": %.0f, \"iops\": %f, \"runtime\": %.0f, \"total_ios\": %.0f,"
	    " \"clat_ns\": { \"min\": 1, \"max\": 9, \"mean\": %f, \"stddev\": 1 } } } ] }";
	static const double good[] = {40960000, 4096000, 1000, 10000, 10000, 900000};
	static const double factors[] = {1000, 1024, 1.0 / 1000, 1.0 / 1024};

	for (size_t field = 0; field < 6; field++)
		for (size_t f = 0; f < 4; f++) {
			double v[6];
			char words[1000];
			struct parsed parsed;

			memcpy(v, good, sizeof(v));
			v[field] *= factors[f];
			snprintf(words, sizeof(words), text, v[0], v[1], v[2], v[3], v[4], v[5]);
			parse_words(&parsed, words);
			/* A latency too short cannot be told from a load that was held back. */
			CU_ASSERT_EQUAL(parsed.code == 0, field == 5 && factors[f] < 1);
			if (parsed.code)
				CHECK_SAYS(parsed.err.text, "a unit is off by a thousand");
			parsed_release(&parsed);
		}
}

/* ---- texts that mean harm ------------------------------------------------------------------- */

/* Whatever happens, a refusal leaves nothing behind and has a sentence. */
static void parse_harm(const char *text, size_t length)
{
	struct parsed parsed;

	parse_text(&parsed, text, length, NULL);
	CU_ASSERT(parsed.code <= 0);
	CU_ASSERT_EQUAL(parsed.code != 0, parsed.sink.run_count == 0);
	CU_ASSERT_EQUAL(parsed.code != 0, parsed.err.text[0] != '\0');
	parsed_release(&parsed);
}

/* Every byte of short samples; of long ones the places around each line's end and each 61st. */
static bool is_wanted(const char *text, size_t length, size_t at)
{
	return length <= 1500 || getenv("SOAK") || at % 97 == 0 || (at && text[at - 1] == '\n') ||
	       length - at < 150;
}

static void cut_everywhere(const char *name)
{
	size_t length;
	char *text = read_sample(name, &length);

	for (size_t at = 0; at < length; at++)
		if (is_wanted(text, length, at))
			parse_harm(text, at);
	free(text);
}

static void a_text_cut_anywhere_does_no_harm(void)
{
	each_sample(cut_everywhere);
}

static void spoil_everywhere(const char *name)
{
	static const char spoilers[] = "\"{[,;:=9-+.\n \xff\x01";
	size_t length, next = 0;
	char *text = read_sample(name, &length);

	for (size_t at = 0; at < length; at++) {
		char kept = text[at];

		if (!is_wanted(text, length, at) || (at % 7 && !getenv("SOAK")))
			continue;
		text[at] = spoilers[next++ % (sizeof(spoilers) - 1)];
		parse_harm(text, length);
		text[at] = kept;
	}
	free(text);
}

static void a_byte_changed_anywhere_does_no_harm(void)
{
	each_sample(spoil_everywhere);
}

static int parse_found(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	char text[20000];
	size_t length;
	FILE *file;

	(void)status, (void)ftw;
	if (type != FTW_F)
		return 0;
	file = fopen(path, "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	length = fread(text, 1, sizeof(text), file);
	CU_ASSERT_EQUAL(fclose(file), 0);
	parse_harm(text, length);
	return 0;
}

static void what_fuzzing_found_does_no_harm(void)
{
	CU_ASSERT_EQUAL(nftw("tests/fuzz/corpus", parse_found, 8, FTW_PHYS), 0);
}

static void bytes_that_are_no_text_are_refused(void)
{
	struct parsed parsed;
	size_t length;
	char *text = read_sample("bonnie-1.96-cfq-2011.csv", &length);

	text[10] = '\0';
	parse_text(&parsed, text, length, NULL);
	CHECK_SAYS(parsed.err.text, "line 1, column 11: a NUL byte");
	parsed_release(&parsed);
	parse_text(&parsed, "\xff\xfe{\0", 4, NULL);
	CHECK_SAYS(parsed.err.text, "UTF-16");
	parsed_release(&parsed);
	text[10] = '\xe9'; /* Latin-1 in the name */
	parse_text(&parsed, text, length, NULL);
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_STRING_EQUAL(facts_text(&parsed.sink.runs[0].run.facts, "host"), "\xef\xbf\xbd"
										   "ay5ax");
	parsed_release(&parsed);
	free(text);
}

static void a_byte_order_mark_is_no_part_of_a_text(void)
{
	static const char *const samples[] = {"bonnie-1.96-x3.csv", "fio-3.33-randread-8k.json",
					      "orion-11.1-iops.csv"};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct parsed plain, marked;
		size_t length;
		char *text = read_sample(samples[i], &length);
		char *with_mark = malloc(length + 3);

		CU_ASSERT_PTR_NOT_NULL_FATAL(with_mark);
		memcpy(with_mark, "\xef\xbb\xbf", 3);
		memcpy(with_mark + 3, text, length);
		parse_text(&plain, text, length, NULL);
		parse_text(&marked, with_mark, length + 3, NULL);
		CU_ASSERT_EQUAL_FATAL(marked.code, 0);
		CU_ASSERT_STRING_EQUAL(marked.sink.runs[0].run.uuid, plain.sink.runs[0].run.uuid);
		CU_ASSERT_EQUAL(marked.sink.runs[0].start, 0);
		CU_ASSERT_EQUAL(marked.sink.runs[marked.sink.run_count - 1].end, length + 3);
		parsed_release(&plain);
		parsed_release(&marked);
		free(with_mark);
		free(text);
	}
}

static void block_sizes_that_vary_are_kept_in_their_words(void)
{
	static const struct {
		const char *options, *parameters;
	} cases[] = {
		{"\"bs\":\"8192\"", "block_size=8192"},
		{"\"bs\":\"64k,4k\",\"rw\":\"write\"", "block_size=4096"},
		{"\"bs\":\"4k\",\"bssplit\":\"4k/60:8k/40\"", "block_size=4k/60:8k/40"},
		{"\"bsrange\":\"4k-16k\"", "block_size=4k-16k"},
		{"\"blocksize\":\"1m\"", "block_size=1048576"},
		{"\"bs\":\"1mib\"", "block_size=1000000"}, /* fio's own reading of it */
		{"\"iodepth\":\"9\"", "block_size=4096 queue_depth=1 engine=sync io=buffered"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[500];
		struct parsed parsed;

		snprintf(text, sizeof(text),
			 "{\"fio version\":\"fio-3.9\",\"jobs\":[{\"jobname\":\"j\","
			 "\"groupid\":0,\"error\":0,\"job options\":{%s},"
			 "\"%s\":{\"io_bytes\":4096,\"iops\":1}}]}",
			 cases[i].options, strstr(cases[i].options, "rw") ? "write" : "read");
		parse_words(&parsed, text);
		CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
		CU_ASSERT_PTR_NOT_NULL(find_measurement(&parsed.sink.runs[0], "sequential",
							cases[i].parameters));
		parsed_release(&parsed);
	}
}

static void hostile_names_arrive_as_they_are(void)
{
	struct parsed parsed;

	parse_sample(&parsed, "fio-3.26-odd.json");
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_STRING_EQUAL(parsed.sink.runs[0].measurements[0].message,
			       "job zipf \"hot\" <b>&\x1b[31m");
	parsed_release(&parsed);
	parse_words(
	    &parsed,
	    "1.96,1.96,'; DROP TABLE run; <script>\x1b]0;x\x07,1,5,8G,,666,99,434709,96,225498,35,"
	    "2840,69,952115,76,556.2,3,,,,,,,,,,,,,,,,,,1us,1us,1us,1us,1us,1us,,,,,,\n");
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_STRING_EQUAL(facts_text(&parsed.sink.runs[0].run.facts, "host"),
			       "'; DROP TABLE run; <script>\x1b]0;x\x07");
	parsed_release(&parsed);
}

/* begin, then filler up to a hundred million bytes in one line, then end. */
static void parse_long(const char *begin, const char *filler, const char *end)
{
	const size_t length = 100000000;
	size_t begins = strlen(begin), ends = strlen(end), fills = strlen(filler);
	char *text = malloc(length + fills);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memcpy(text, begin, begins);
	for (size_t at = begins; at < length - ends; at += fills)
		memcpy(text + at, filler, fills);
	memcpy(text + length - ends, end, ends);
	parse_harm(text, length);
	free(text);
}

static void a_hundred_megabytes_in_one_line_do_no_harm(void)
{
	parse_long("1.96,1.96,", ",1", "\n");
	parse_long("{ \"fio version\" : \"", "y", "\", \"jobs\" : [] }\n");
	parse_long("{ \"fio version\" : \"fio-3.1\", \"jobs\" : [", "{},", "{}]}\n");
	parse_long("{ \"fio version\" : \"fio-3.1\", \"jobs\" : ", "[", "\n");
	parse_long("Large/Small,", "1,", "\n0,1\n");
	if (!getenv("SOAK"))
		return;
	parse_long("", "x", "");
	parse_long("1.96,1.96,", "x", "\n");
	parse_long("3;fio-3.1;", "0;", "\n");
	parse_long("a: (groupid=0, jobs=1): err= 0: pid=1", ": (groupid=0", "\n");
	parse_long("ORION VERSION ", "1.", "\n");
}

/* As many small things as a short text can ask for. */
static void many_small_things_do_no_harm(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 30000; i++)
		fprintf(out, "j%d: (groupid=0, jobs=1): err= 0: pid=%d\n", i, i);
	fclose(out);
	parse_harm(text, size);
	free(text);
	out = open_memstream(&text, &size);
	fputs("{ \"fio version\" : \"fio-3.1\", \"client_stats\" : [", out);
	for (int i = 0; i < 20000; i++)
		fprintf(out, "%s{\"jobname\":\"j%d\",\"groupid\":0,\"hostname\":\"h%d\"}",
			i ? "," : "", i, i);
	fputs("]}", out);
	fclose(out);
	parse_harm(text, size);
	free(text);
	out = open_memstream(&text, &size);
	fputs("Large/Small,0,1\n", out);
	for (int i = 1; i < 30000; i++)
		fprintf(out, "%d, 1.00, 2.00\n", i);
	fclose(out);
	parse_harm(text, size);
	free(text);
}

/* ---- assay's own ---------------------------------------------------------------------------- */

static char *document_of(const struct archived_run *archived)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	export_json(out, archived, true);
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static void a_run_exported_and_imported_is_the_same_run(void)
{
	struct measurement measurements[4];
	struct archived_run archived = {.measurements = measurements, .measurement_count = 4},
			    again = {0};
	struct parsed parsed;
	char *first, *second;

	make_run(&archived.run, "label \xe2\x82\xac \"quoted\"\n");
	run_set_text(&archived.run.status, "complete");
	clock_label(archived.run.finished_at);
	for (unsigned i = 0; i < 4; i++)
		make_measurement(&measurements[i], i);
	first = document_of(&archived);
	parse_words(&parsed, first);
	if (parsed.code)
		fprintf(stderr, "\n    %s", parsed.err.text);
	CU_ASSERT_EQUAL_FATAL(parsed.code, 0);
	CU_ASSERT_STRING_EQUAL(parsed.importer->name, "assay");
	again.run = parsed.sink.runs[0].run;
	again.measurements = parsed.sink.runs[0].measurements;
	again.measurement_count = parsed.sink.runs[0].measurement_count;
	second = document_of(&again);
	CU_ASSERT_STRING_EQUAL(first, second);
	if (strcmp(first, second) != 0)
		fprintf(stderr, "\n%s\n%s\n", first, second);
	CU_ASSERT_EQUAL(again.run.seed, archived.run.seed);
	for (unsigned i = 0; i < 4; i++)
		for (size_t k = 0; k < measurements[i].histogram_count; k++)
			CU_ASSERT_EQUAL(memcmp(&measurements[i].histograms[k].histogram,
					       &again.measurements[i].histograms[k].histogram,
					       sizeof(struct histogram)),
					0);
	free(first);
	free(second);
	parsed_release(&parsed);
	for (unsigned i = 0; i < 4; i++)
		measurement_release(&measurements[i]);
	run_release(&archived.run);
}

static void a_histogram_that_was_tampered_with_is_refused(void)
{
	struct measurement measurement;
	struct archived_run archived = {.measurements = &measurement, .measurement_count = 1};
	struct parsed parsed;
	char *text, *buckets;

	make_run(&archived.run, NULL);
	run_set_text(&archived.run.status, "complete");
	make_measurement(&measurement, 1);
	text = document_of(&archived);
	buckets = strstr(text, "\"buckets\": [[");
	CU_ASSERT_PTR_NOT_NULL_FATAL(buckets);
	buckets = strstr(buckets, ", ");
	buckets[2] = buckets[2] == '7' ? '8' : '7'; /* another count in the first bucket */
	parse_words(&parsed, text);
	CU_ASSERT(parsed.code < 0);
	CHECK_SAYS(parsed.err.text, "whose numbers disagree");
	parsed_release(&parsed);
	free(text);
	measurement_release(&measurement);
	run_release(&archived.run);
}

/* ---- SHA-256 -------------------------------------------------------------------------------- */

static void check_sha256(const char *text, size_t repeats, const char *wanted)
{
	uint8_t digest[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];
	struct sha256 sha;

	sha256_init(&sha);
	for (size_t i = 0; i < repeats; i++)
		sha256_add(&sha, text, strlen(text));
	sha256_end(&sha, digest);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	CU_ASSERT_STRING_EQUAL(hex, wanted);
}

/* FIPS 180-4's examples, and a length at which the padding needs a block of its own. */
static void sha256_gives_the_standards_digests(void)
{
	check_sha256("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check_sha256("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check_sha256("a", 1000000,
		     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	check_sha256("aaaaaaaa", 8,
		     "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

static const struct test tests[] = {
    {"every value is the one a person reads", every_value_is_the_one_a_person_reads},
    {"each text is told by its content", each_text_is_told_by_its_content},
    {"repeats of one command are rounds of a series",
     repeats_of_one_command_are_rounds_of_a_series},
    {"plus signs are a phase too fast to rate", plus_signs_are_a_phase_too_fast_to_rate},
    {"what did not run is not there", what_did_not_run_is_not_there},
    {"the CPU of seeks is kept aside where it is a multiple",
     the_cpu_of_seeks_is_kept_aside_where_it_is_a_multiple},
    {"all clients are not counted beside each", all_clients_are_not_counted_beside_each},
    {"a sum of clients alone is taken", a_sum_of_clients_alone_is_taken},
    {"a failed job has no figures and fails its run",
     a_failed_job_has_no_figures_and_fails_its_run},
    {"times are those of the text", times_are_those_of_the_text},
    {"threads of a job are added up", threads_of_a_job_are_added_up},
    {"histograms of threads give percentiles", histograms_of_threads_give_percentiles},
    {"what the user says stands in for what a text leaves out",
     what_the_user_says_stands_in_for_what_a_text_leaves_out},
    {"what has no place is kept", what_has_no_place_is_kept},
    {"a row is the same run wherever it stands", a_row_is_the_same_run_wherever_it_stands},
    {"the parts of the runs are the whole text", the_parts_of_the_runs_are_the_whole_text},
    {"every name an importer emits is known", every_name_an_importer_emits_is_known},
    {"every sample is taken and the wrong ones refused",
     every_sample_is_taken_and_the_wrong_ones_refused},
    {"what is not taken is refused with line, column and reason",
     what_is_not_taken_is_refused_with_line_column_and_reason},
    {"every factor of a thousand is noticed", every_factor_of_a_thousand_is_noticed},
    {"a text cut anywhere does no harm", a_text_cut_anywhere_does_no_harm},
    {"a byte changed anywhere does no harm", a_byte_changed_anywhere_does_no_harm},
    {"what fuzzing found does no harm", what_fuzzing_found_does_no_harm},
    {"bytes that are no text are refused", bytes_that_are_no_text_are_refused},
    {"a byte order mark is no part of a text", a_byte_order_mark_is_no_part_of_a_text},
    {"block sizes that vary are kept in their words",
     block_sizes_that_vary_are_kept_in_their_words},
    {"hostile names arrive as they are", hostile_names_arrive_as_they_are},
    {"a hundred megabytes in one line do no harm", a_hundred_megabytes_in_one_line_do_no_harm},
    {"many small things do no harm", many_small_things_do_no_harm},
    {"a run exported and imported is the same run", a_run_exported_and_imported_is_the_same_run},
    {"a histogram that was tampered with is refused",
     a_histogram_that_was_tampered_with_is_refused},
    {"SHA-256 gives the standard's digests", sha256_gives_the_standards_digests},
    {NULL, NULL},
};

const struct suite suite_import = {.name = "import", .tests = tests};
