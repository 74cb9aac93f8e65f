/* SPDX-License-Identifier: MIT */
/*
 * compare_fixture.h - archives made for comparisons: runs whose every value is told.
 */
#ifndef ASSAY_TESTS_COMPARE_FIXTURE_H
#define ASSAY_TESTS_COMPARE_FIXTURE_H

#include "archive_fixture.h"
#include "compare.h"
#include "rng.h"

/* An archive of a test's own, which does not wait for the disk. */
struct bench {
	struct scratch scratch;
	struct archive *archive;
	struct run run;                 /* being made */
	struct measurement measurement; /* being made; phase "" when there is none */
};

void bench_open(struct bench *bench);
void bench_close(struct bench *bench);

/* Starts a run: complete, of program assay, without label, series and facts. */
struct run *bench_run(struct bench *bench);

/* Starts a measurement of the run; parameters are told in words, "block_size=8192,io=direct". */
struct measurement *bench_measure(struct bench *bench, const char *phase, const char *parameters);

/* Adds a metric to it: one of METRICS; headline when it is a rate, a throughput or latency_p99. */
void bench_value(struct bench *bench, const char *operation, const char *metric, double value);

/* Puts the run with what was measured into the archive; returns its id. */
int64_t bench_done(struct bench *bench);

/* A run with a tag, facts ("scheduler=bfq,kernel=6.1"; NULL: none) and one measurement of phase
 * random whose read rate has that value. */
int64_t bench_simple(struct bench *bench, const char *facts, double rate);

/* All runs compared, or the test ends. */
void bench_compare(struct bench *bench, const struct compare_request *request,
		   struct comparison *comparison);

/* The sentence with which that is refused as a mistake of usage. */
void bench_refused(struct bench *bench, const struct compare_request *request, struct err *err);

/* Standard normal. */
double normal(struct rng *rng);

/* The row of an operation's metric, or the test ends. */
const struct compared_row *row_of(const struct comparison *comparison, const char *phase,
				  const char *operation, const char *metric);
const struct confounder *confounder_of(const struct comparison *comparison, const char *name);

#endif
