/* SPDX-License-Identifier: MIT */
/*
 * phase_block_write.c - a fresh file written sequentially in chunks, made durable and closed
 * within the clock: bonnie++'s block output, with data that no compressor shortens.
 */
#include "datafile.h"
#include "params.h"

enum { WRITE };

static int reset(struct phase_run *run, struct err *err)
{
	return fileset_create(run->fileset, err);
}

static int write_chunk(struct worker *worker, uint64_t offset, size_t length)
{
	const struct chunker *chunker = worker->state;
	const void *block = payload_next(chunker->payload, 0, offset);
	uint64_t start_ns = clock_now_ns();
	int code = chunker_write(worker, block, length, offset);

	if (code)
		return code;
	worker_record(worker, WRITE, start_ns, clock_now_ns(), length);
	worker_progress(worker, length);
	return 0;
}

static int work(struct worker *worker)
{
	const struct datafile *file = worker->run->data;
	uint64_t offset = 0;
	int code;

	while (offset < file->span_bytes && !worker_stopped(worker)) {
		size_t length = datafile_chunk(file, offset);

		if (!worker_may_write(worker, length))
			break;
		code = write_chunk(worker, offset, length);
		if (code)
			return code;
		offset += length;
	}
	worker_mark_cached(worker);
	code = chunker_sync_close(worker);
	if (!code && offset == file->span_bytes)
		fileset_written(worker->run->fileset, file->span_bytes, file->compressible);
	return code;
}

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_DATA_FILE,
	{&param_block_size, "8k"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "write",
	 .headline_rate = "throughput",
	 .headline_latency = "latency_p99",
	 .moves_bytes = true,
	 .writes = true,
	 .to_cache = true},
	{.name = NULL},
};

const struct phase phase_block_write = {
	.name = "block_write",
	.group = "files",
	.help = "sequential write of a fresh file in chunks, fsync and close in the clock",
	.params = params,
	.operations = operations,
	.model = MODEL_PASSES,
	.traffic = datafile_traffic_create,
	.cost = datafile_cost_create,
	.setup = datafile_setup,
	.reset = reset,
	.teardown = datafile_teardown,
	.roles = {{.name = "writer",
		   .begin = chunker_open_write,
		   .work = work,
		   .end = chunker_close}},
};
