/* SPDX-License-Identifier: MIT */
/*
 * phase_sync_methods.c - one worker makes a block durable, again and again, in a file that was
 * written before: what each method of method.h costs here.
 *
 * With placement `same` this is what pg_test_fsync does: block 0, and block 1 for the second write,
 * of a file of 16 MiB. Its open_datasync is direct_dsync here; its open_sync adds O_DIRECT, which
 * ours does not. With two writes, methods that sync after them do so once, the others twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "method.h"
#include "params.h"
#include "payload.h"
#include "wal.h"

enum { SYNC };

enum { FILE_BYTES = 16 << 20, FILL_BYTES = 1 << 20, ALIGN_BYTES = 4096, WRITES_MAX = 2 };

static const char file_name[] = "wal.0";

struct sync_methods {
	const struct method *method;
	size_t block_bytes;
	unsigned writes;
	bool sequential;
	uint64_t span_bytes; /* of the file, a multiple of what one operation writes */
	int fd;
	struct payload *payload;
};

/* ---- the file ---- */

static int file_error(const struct phase_run *run, const char *operation, struct err *err)
{
	return err_set(err, -errno, "%s %s/%s: %s", operation, run->wal_target->work_path,
		       file_name, strerror(errno));
}

static int fill(struct phase_run *run, int fd, uint64_t bytes, struct err *err)
{
	struct payload *payload;
	int code = payload_open(&payload, rng_seed_for(run->seed, "file", 0), 1, FILL_BYTES,
				ALIGN_BYTES, 0, err);

	if (code)
		return code;
	for (uint64_t offset = 0; !code && offset < bytes;) {
		uint64_t left = bytes - offset;
		ssize_t wrote = pwrite(fd, payload_next(payload, 0, offset),
				       left < FILL_BYTES ? (size_t)left : FILL_BYTES,
				       (off_t)offset);

		if (wrote < 0)
			code = file_error(run, "fill", err);
		else
			offset += (uint64_t)wrote;
	}
	payload_close(payload);
	if (!code && fsync(fd))
		code = file_error(run, "fsync of", err);
	return code;
}

static int make_file(struct phase_run *run, uint64_t bytes, struct err *err)
{
	int fd, code = phase_write_untimed(run, bytes, err);

	if (code)
		return code;
	fd = openat(run->wal_target->work_fd, file_name,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return file_error(run, "make", err);
	code = fill(run, fd, bytes, err);
	if (close(fd) && !code)
		code = file_error(run, "close", err);
	return code;
}

static int open_file(struct phase_run *run, struct err *err)
{
	struct sync_methods *load = run->data;

	load->fd = openat(run->wal_target->work_fd, file_name,
			  O_RDWR | O_CLOEXEC | O_NOFOLLOW | load->method->open_flags);
	return load->fd < 0 ? file_error(run, "open", err) : 0;
}

static uint64_t span_of(const struct point *point)
{
	uint64_t once = point_number(point, "block_size") * point_number(point, "writes");
	uint64_t times = FILE_BYTES / once;

	return once * (times ? times : 1);
}

/* ---- the phase ---- */

static int setup(struct phase_run *run, struct err *err)
{
	struct sync_methods *load = calloc(1, sizeof(*load));
	const struct point *point = run->point;
	int code;

	if (!load)
		return err_set(err, -ENOMEM, "set up sync_methods: %s", strerror(ENOMEM));
	*load = (struct sync_methods){
		.method = method_find(point_text(point, "method")),
		.block_bytes = (size_t)point_number(point, "block_size"),
		.writes = (unsigned)point_number(point, "writes"),
		.sequential = point_is(point, "placement", "sequential"),
		.span_bytes = span_of(point),
		.fd = -1,
	};
	run->data = load;
	if (run->wal_target->kind == TARGET_DEVICE)
		return err_set(err, ERR_SKIP, "sync_methods works on files: %s is a device",
			       run->wal_target->path);
	code = method_check(load->method, run->wal_target, load->block_bytes, err);
	if (!code)
		code = make_file(run, load->span_bytes, err);
	if (!code)
		code = open_file(run, err);
	if (!code)
		code = payload_open(&load->payload, run->seed, 1, load->block_bytes, ALIGN_BYTES, 0,
				    err);
	return code;
}

static void teardown(struct phase_run *run)
{
	struct sync_methods *load = run->data;

	if (!load)
		return;
	if (load->fd >= 0)
		close(load->fd);
	if (run->wal_target->kind == TARGET_DIRECTORY)
		unlinkat(run->wal_target->work_fd, file_name, 0);
	payload_close(load->payload);
	free(load);
	run->data = NULL;
}

static int make_durable(struct worker *worker, uint64_t offset)
{
	const struct sync_methods *load = worker->run->data;
	const char *path = worker->run->wal_target->work_path;

	for (unsigned i = 0; i < load->writes; i++, offset += load->block_bytes) {
		int code = method_write(load->method, load->fd,
					payload_next(load->payload, 0, offset), load->block_bytes,
					offset, path, file_name, &worker->err);

		if (code)
			return code;
	}
	return method_sync(load->method, load->fd, path, file_name, &worker->err);
}

static int work(struct worker *worker)
{
	const struct sync_methods *load = worker->run->data;
	uint64_t bytes = load->block_bytes * load->writes, offset = 0;
	uint64_t now_ns = clock_now_ns();

	while (worker_goes_on(worker, now_ns) && worker_may_write(worker, bytes)) {
		uint64_t start_ns = clock_now_ns();
		int code = make_durable(worker, offset);

		if (code)
			return code;
		now_ns = clock_now_ns();
		worker_record(worker, SYNC, start_ns, now_ns, bytes);
		worker_progress(worker, 1);
		if (load->sequential)
			offset = (offset + bytes) % load->span_bytes;
	}
	return 0;
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	(void)target;
	cost->log_bytes = span_of(point);
	cost->inodes = 2;
	cost->write_bytes = cost->log_bytes;
	cost->time_ns = point_number(point, "time");
}

static const char *const placement_choices[] = {"same", "sequential", NULL};

static const struct param param_writes = {
	.name = "writes",
	.help = "blocks that are made durable together",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = WRITES_MAX,
};

static const struct param param_placement = {
	.name = "placement",
	.help = "always at the start of the file, as pg_test_fsync, or on and on through it",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = placement_choices,
};

static const struct param_use params[] = {
	PARAMS_STEADY,
	{&param_method, "fdatasync"},
	{&param_writes, "1"},
	{&param_block_size, "8k"},
	{&param_placement, "same"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[SYNC] = {.name = "sync",
		  .headline_rate = "rate",
		  .headline_latency = "latency_p99",
		  .moves_bytes = true,
		  .writes = true},
	{.name = NULL},
};

const struct phase phase_sync_methods = {
	.name = "sync_methods",
	.group = "durability",
	.help = "make a block durable, by each method there is",
	.params = params,
	.operations = operations,
	.model = MODEL_STEADY,
	.syncs = SYNCS_LOG,
	.traffic = wal_traffic,
	.cost = cost,
	.setup = setup,
	.teardown = teardown,
	.roles = {{.name = "writer", .work = work}},
};
