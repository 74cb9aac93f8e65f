/* SPDX-License-Identifier: MIT */
/*
 * phase_char_write.c - a fresh file written one byte at a time, fsync and close in the clock. It
 * times the system call or the C library more than the disk; a latency is that of a chunk.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chars.h"
#include "datafile.h"
#include "params.h"

enum { WRITE };

static int reset(struct phase_run *run, struct err *err)
{
	return fileset_create(run->fileset, err);
}

static int failed(struct worker *worker, const char *operation, uint64_t offset, int error)
{
	return err_set(&worker->err, -error, "%s %s/data.0 at offset %llu: %s", operation,
		       worker->run->target->work_path, (unsigned long long)offset,
		       strerror(error));
}

static int write_bytes(struct worker *worker, const unsigned char *block, size_t length,
		       uint64_t offset)
{
	for (size_t i = 0; i < length; i++) {
		int code = chunker_write(worker, block + i, 1, offset + i);

		if (code)
			return code;
	}
	return 0;
}

static int put_bytes(struct worker *worker, FILE *stream, const unsigned char *block, size_t length,
		     uint64_t offset)
{
	for (size_t i = 0; i < length; i++)
		if (putc(block[i], stream) == EOF)
			return failed(worker, "putc", offset + i, errno);
	return 0;
}

static int write_chunk(struct worker *worker, FILE *stream, uint64_t offset, size_t length)
{
	const struct chunker *chunker = worker->state;
	const unsigned char *block = payload_next(chunker->payload, 0, offset);
	uint64_t start_ns = clock_now_ns();
	int code = stream ? put_bytes(worker, stream, block, length, offset)
			  : write_bytes(worker, block, length, offset);

	if (code)
		return code;
	worker_record(worker, WRITE, start_ns, clock_now_ns(), length);
	worker_progress(worker, length);
	return 0;
}

static int write_span(struct worker *worker, FILE *stream)
{
	const struct datafile *file = worker->run->data;

	for (uint64_t offset = 0; offset < file->span_bytes && !worker_stopped(worker);) {
		size_t length = datafile_chunk(file, offset);
		int code;

		if (!worker_may_write(worker, length))
			break;
		code = write_chunk(worker, stream, offset, length);
		if (code)
			return code;
		offset += length;
	}
	if (stream && fflush(stream))
		return failed(worker, "fflush", file->span_bytes, errno);
	return 0;
}

static int work_stdio(struct worker *worker)
{
	struct chunker *chunker = worker->state;
	FILE *stream = fdopen(dup(chunker->fd), "w");
	int code;

	if (!stream)
		return failed(worker, "fdopen", 0, errno);
	code = write_span(worker, stream);
	if (fclose(stream) && !code)
		code = failed(worker, "fclose", 0, errno);
	return code;
}

static int work(struct worker *worker)
{
	int code = point_is(worker->run->point, "method", "stdio") ? work_stdio(worker)
								   : write_span(worker, NULL);

	if (code)
		return code;
	worker_mark_cached(worker);
	return chunker_sync_close(worker);
}

static const struct param_use params[] = {
	PARAMS_PASSES,
	{&param_compressible, "0"},
	{&param_char_size, "3m"},
	{&param_block_size, "8k"},
	{&param_method_char, "syscall"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "write",
	 .headline_rate = "throughput",
	 .moves_bytes = true,
	 .writes = true,
	 .to_cache = true},
	{.name = NULL},
};

const struct phase phase_char_write = {
	.name = "char_write",
	.group = "files",
	.help = "a fresh file written one byte at a time, fsync and close in the clock",
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
