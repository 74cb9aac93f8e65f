/* SPDX-License-Identifier: MIT */
/*
 * phase_wal_mixed.c - commits to one log while random writes are kept in flight on the data files:
 * how long a commit waits behind the pages that a database flushes. Schedulers differ here.
 *
 * Both classes run for the whole window. The log is synced through the filesystem; the random
 * writes are direct, so that it is the device's queue where the two meet.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commits.h"
#include "params.h"
#include "pattern.h"

enum { COMMIT, FLUSH, WRITE };

struct wal_mixed {
	struct commits commits;
	struct pattern *writes;
};

static struct wal_mixed *load_of(const struct phase_run *run)
{
	return run->data;
}

static int open_writes(struct phase_run *run, struct err *err)
{
	const struct point *point = run->point;
	struct pattern_shape shape = {
		.direct = true,
		.size_bytes = point_number(point, "size"),
		.files = 1,
		.jobs = 1,
		.depth = (unsigned)point_number(point, "queue_depth"),
		.batch = pattern_batch(point),
		.block_bytes = (size_t)point_number(point, "block_size"),
		.write_percent = 100,
		.compressible = (unsigned)point_number(point, "compressible"),
		.write_operation = WRITE,
		.engine = point_text(point, "engine"),
		.cpus = point_text(point, "cpus"),
	};
	struct wal_mixed *load = load_of(run);
	int code = pattern_open(&load->writes, run, &shape, err);

	if (!code)
		phase_resolve(run, "engine", value_text(pattern_engine(load->writes)->name));
	return code;
}

static int setup(struct phase_run *run, struct err *err)
{
	int code;

	run->data = calloc(1, sizeof(struct wal_mixed));
	if (!run->data)
		return err_set(err, -ENOMEM, "set up wal_mixed: %s", strerror(ENOMEM));
	code = open_writes(run, err);
	return code ? code : commits_open(&load_of(run)->commits, run, COMMIT, FLUSH, err);
}

static void teardown(struct phase_run *run)
{
	struct wal_mixed *load = load_of(run);

	if (!load)
		return;
	commits_close(&load->commits);
	pattern_close(load->writes);
	free(load);
	run->data = NULL;
}

static int begin_client(struct worker *worker)
{
	return commits_begin(&load_of(worker->run)->commits, worker);
}

static int work_client(struct worker *worker)
{
	return commits_work(&load_of(worker->run)->commits, worker);
}

static int begin_writer(struct worker *worker)
{
	return pattern_begin(load_of(worker->run)->writes, worker);
}

static int work_writer(struct worker *worker)
{
	return pattern_work(load_of(worker->run)->writes, worker);
}

static int end_writer(struct worker *worker)
{
	return pattern_end(load_of(worker->run)->writes, worker);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	struct wal_mixed *load = load_of(run);

	pattern_report(load->writes, run, "write", measurement);
	return wal_finish(load->commits.log, run, COMMIT, FLUSH, measurement, err);
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	struct log_shape shape = commits_shape(point, FLUSH);

	(void)target;
	wal_cost(&shape, cost);
	cost->data_bytes = point_number(point, "size");
	cost->inodes += 1;
	cost->time_ns = point_number(point, "time");
	cost->lays_out = true;
	cost->writes = true;
}

static const struct param_use params[] = {
	PARAMS_STEADY,
	PARAMS_WAL("1"),
	{&param_block_size, "8k"},
	{&param_queue_depth, "32"},
	{&param_engine, "auto"},
	{&param_batch, "auto"},
	{&param_size, "1g"},
	{&param_compressible, "0"},
	{&param_cpus, "any"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[COMMIT] = {.name = "commit", .headline_rate = "rate", .headline_latency = "latency_p99"},
	[FLUSH] = {.name = "flush", .moves_bytes = true, .writes = true},
	[WRITE] = {.name = "write", .moves_bytes = true, .writes = true},
	{.name = NULL},
};

static const struct metric metrics[] = {WAL_METRICS, PATTERN_METRICS, {.name = NULL}};

const struct phase phase_wal_mixed = {
	.name = "wal_mixed",
	.group = "durability",
	.help = "commits to one log beside deep random writes on the data files",
	.params = params,
	.operations = operations,
	.metrics = metrics,
	.model = MODEL_STEADY,
	.syncs = SYNCS_LOG,
	.shares_files = true,
	.traffic = wal_traffic,
	.cost = cost,
	.setup = setup,
	.finish = finish,
	.teardown = teardown,
	.roles = {{.name = "client",
		   .workers = wal_clients,
		   .begin = begin_client,
		   .work = work_client,
		   .end = commits_end},
		  {.name = "writer",
		   .begin = begin_writer,
		   .work = work_writer,
		   .end = end_writer}},
};
