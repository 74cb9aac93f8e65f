/* SPDX-License-Identifier: MIT */
/*
 * phase_wal_commit.c - clients append records to one write-ahead log as fast as they become
 * durable; log.h tells how. After the load the log is read back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "payload.h"
#include "wal.h"

enum { COMMIT, FLUSH };

struct wal_commit {
	struct log *log;
	size_t record_bytes;
	uint64_t commit_bytes; /* most that a commit writes */
};

static struct log_shape shape_of(const struct point *point)
{
	return wal_shape(point, (size_t)point_number(point, "record_size"), FLUSH);
}

static int setup(struct phase_run *run, struct err *err)
{
	struct wal_commit *load = calloc(1, sizeof(*load));
	struct log_shape shape = shape_of(run->point);

	if (!load)
		return err_set(err, -ENOMEM, "set up wal_commit: %s", strerror(ENOMEM));
	run->data = load;
	load->record_bytes = shape.body_bytes;
	load->commit_bytes = log_commit_bytes(&shape, shape.body_bytes);
	return wal_open(&load->log, run, &shape, err);
}

static void teardown(struct phase_run *run)
{
	struct wal_commit *load = run->data;

	if (load)
		log_close(load->log);
	free(load);
	run->data = NULL;
}

static int begin(struct worker *worker)
{
	const struct wal_commit *load = worker->run->data;
	struct payload *payload;
	int code = payload_open(&payload, worker->seed, 1, load->record_bytes, sizeof(uint64_t), 0,
				&worker->err);

	worker->state = code ? NULL : payload;
	return code;
}

static int work(struct worker *worker)
{
	const struct wal_commit *load = worker->run->data;
	uint64_t now_ns = clock_now_ns();

	for (uint64_t i = 0; worker_goes_on(worker, now_ns); i++) {
		struct iovec record = {payload_next(worker->state, 0, i), load->record_bytes};
		uint64_t start_ns = clock_now_ns();
		int code = LOG_ENDED;

		if (worker_may_write(worker, load->commit_bytes))
			code = log_commit(load->log, worker, &record, 1);
		if (code == LOG_ENDED)
			worker->budget_spent = true;
		if (code)
			return code < 0 ? code : 0;
		now_ns = clock_now_ns();
		worker_record(worker, COMMIT, start_ns, now_ns, 0);
		worker_progress(worker, 1);
	}
	return 0;
}

static int end(struct worker *worker)
{
	payload_close(worker->state);
	worker->state = NULL;
	return 0;
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct wal_commit *load = run->data;

	return wal_finish(load->log, run, COMMIT, FLUSH, measurement, err);
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	struct log_shape shape = shape_of(point);

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
		   .end = end}},
};
