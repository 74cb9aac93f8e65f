/* SPDX-License-Identifier: MIT */
/*
 * phase_block_read.c - a whole file read sequentially in chunks; nothing of it is cached when a
 * pass starts, which is checked.
 */
#include "datafile.h"
#include "params.h"

enum { READ };

static int read_chunk(struct worker *worker, uint64_t offset, size_t length)
{
	const struct chunker *chunker = worker->state;
	uint64_t start_ns = clock_now_ns();
	int code = chunker_read(worker, chunker->buffer, length, offset);

	if (code)
		return code;
	worker_record(worker, READ, start_ns, clock_now_ns(), length);
	worker_progress(worker, length);
	return 0;
}

static int work(struct worker *worker)
{
	const struct datafile *file = worker->run->data;
	uint64_t offset = 0;

	while (offset < file->span_bytes && !worker_stopped(worker)) {
		size_t length = datafile_chunk(file, offset);
		int code = read_chunk(worker, offset, length);

		if (code)
			return code;
		offset += length;
	}
	return chunker_timed_close(worker);
}

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_DATA_FILE,
	{&param_block_size, "8k"},
	{&param_cache, "cold"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "read",
	 .headline_rate = "throughput",
	 .headline_latency = "latency_p99",
	 .moves_bytes = true,
	 .reads = true},
	{.name = NULL},
};

const struct phase phase_block_read = {
	.name = "block_read",
	.group = "files",
	.help = "sequential read in chunks of a file that is not in the page cache",
	.params = params,
	.operations = operations,
	.model = MODEL_PASSES,
	.traffic = datafile_traffic_read,
	.cost = datafile_cost_read,
	.setup = datafile_setup,
	.reset = datafile_reset,
	.finish = datafile_finish,
	.teardown = datafile_teardown,
	.roles = {{.name = "reader",
		   .begin = chunker_open_read,
		   .work = work,
		   .end = chunker_close}},
};
