/* SPDX-License-Identifier: MIT */
/*
 * phase_wal_commit.c - clients append records to one write-ahead log as fast as they become
 * durable; log.h tells how. After the load the log is read back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commits.h"
#include "params.h"

enum { COMMIT, FLUSH };

static int setup(struct phase_run *run, struct err *err)
{
	run->data = calloc(1, sizeof(struct commits));
	if (!run->data)
		return err_set(err, -ENOMEM, "set up wal_commit: %s", strerror(ENOMEM));
	return commits_open(run->data, run, COMMIT, FLUSH, err);
}

static void teardown(struct phase_run *run)
{
	if (run->data)
		commits_close(run->data);
	free(run->data);
	run->data = NULL;
}

static int begin(struct worker *worker)
{
	return commits_begin(worker->run->data, worker);
}

static int work(struct worker *worker)
{
	return commits_work(worker->run->data, worker);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct commits *commits = run->data;

	return wal_finish(commits->log, run, COMMIT, FLUSH, measurement, err);
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	struct log_shape shape = commits_shape(point, FLUSH);

	(void)target;
	wal_cost(&shape, cost);
	cost->time_ns = point_number(point, "time");
}

static const struct param_use params[] = {
	PARAMS_STEADY,
	PARAMS_WAL("1"),
	{NULL, NULL},
};

static const struct operation operations[] = {
	[COMMIT] = {.name = "commit", .headline_rate = "rate", .headline_latency = "latency_p99"},
	[FLUSH] = {.name = "flush", .moves_bytes = true, .writes = true},
	{.name = NULL},
};

const struct phase phase_wal_commit = {
	.name = "wal_commit",
	.group = "durability",
	.help = "clients append records to one log; a commit returns once its bytes are durable",
	.params = params,
	.operations = operations,
	.metrics = wal_metrics,
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
		   .begin = begin,
		   .work = work,
		   .end = commits_end}},
};
