/* SPDX-License-Identifier: MIT */
/*
 * commits.c - see commits.h; log.h tells how a commit becomes durable.
 */
#include "commits.h"

#include "payload.h"

struct log_shape commits_shape(const struct point *point, unsigned flush_operation)
{
	return wal_shape(point, (size_t)point_number(point, "record_size"), flush_operation);
}

int commits_open(struct commits *commits, struct phase_run *run, unsigned commit_operation,
		 unsigned flush_operation, struct err *err)
{
	struct log_shape shape = commits_shape(run->point, flush_operation);

	commits->record_bytes = shape.body_bytes;
	commits->commit_bytes = log_commit_bytes(&shape, shape.body_bytes);
	commits->commit_operation = commit_operation;
	return wal_open(&commits->log, run, &shape, err);
}

void commits_close(struct commits *commits)
{
	log_close(commits->log);
}

int commits_begin(const struct commits *commits, struct worker *worker)
{
	struct payload *payload;
	int code = payload_open(&payload, worker->seed, 1, commits->record_bytes, sizeof(uint64_t),
				0, &worker->err);

	worker->state = code ? NULL : payload;
	return code;
}

int commits_work(const struct commits *commits, struct worker *worker)
{
	uint64_t now_ns = clock_now_ns();

	for (uint64_t i = 0; worker_goes_on(worker, now_ns); i++) {
		struct iovec record = {payload_next(worker->state, 0, i), commits->record_bytes};
		uint64_t start_ns = clock_now_ns();
		int code = LOG_ENDED;

		if (worker_may_write(worker, commits->commit_bytes))
			code = log_commit(commits->log, worker, &record, 1);
		if (code == LOG_ENDED)
			worker->budget_spent = true;
		if (code)
			return code < 0 ? code : 0;
		now_ns = clock_now_ns();
		worker_record(worker, commits->commit_operation, start_ns, now_ns, 0);
		worker_progress(worker, 1);
	}
	return 0;
}

int commits_end(struct worker *worker)
{
	payload_close(worker->state);
	worker->state = NULL;
	return 0;
}
