/* SPDX-License-Identifier: MIT */
/*
 * phase_rewrite.c - a whole file read chunk by chunk, each dirtied and written back where it came
 * from; nothing of it is cached when a pass starts. Bytes count once, as bonnie++ counts them.
 */
#include "datafile.h"
#include "params.h"

enum { REWRITE };

static int rewrite_chunk(struct worker *worker, uint64_t offset, size_t length)
{
	const struct chunker *chunker = worker->state;
	uint64_t start_ns = clock_now_ns();
	int code = chunker_read(worker, chunker->buffer, length, offset);

	if (code)
		return code;
	payload_dirty(chunker->payload, chunker->buffer, length, offset);
	code = chunker_seek(worker, offset);
	if (!code)
		code = chunker_write(worker, chunker->buffer, length, offset);
	if (code)
		return code;
	worker_record(worker, REWRITE, start_ns, clock_now_ns(), length);
	worker_progress(worker, length);
	return 0;
}

static int work(struct worker *worker)
{
	const struct datafile *file = worker->run->data;
	uint64_t offset = 0;

	while (offset < file->span_bytes && !worker_stopped(worker)) {
		size_t length = datafile_chunk(file, offset);
		int code;

		if (!worker_may_write(worker, length))
			break;
		code = rewrite_chunk(worker, offset, length);
		if (code)
			return code;
		offset += length;
	}
	worker_mark_cached(worker);
	return chunker_sync_close(worker);
}

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_DATA_FILE,
	{&param_block_size, "8k"},
	{&param_cache, "cold"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "rewrite",
	 .headline_rate = "throughput",
	 .headline_latency = "latency_p99",
	 .moves_bytes = true,
	 .reads = true,
	 .writes = true,
	 .to_cache = true},
	{.name = NULL},
};

const struct phase phase_rewrite = {
	.name = "rewrite",
	.group = "files",
	.help = "read a chunk, dirty it, seek back, write it; fsync and close in the clock",
	.params = params,
	.operations = operations,
	.model = MODEL_PASSES,
	.traffic = datafile_traffic,
	.cost = datafile_cost_rewrite,
	.setup = datafile_setup,
	.reset = datafile_reset,
	.finish = datafile_finish,
	.teardown = datafile_teardown,
	.roles = {{.name = "rewriter",
		   .begin = chunker_open_update,
		   .work = work,
		   .end = chunker_close}},
};
