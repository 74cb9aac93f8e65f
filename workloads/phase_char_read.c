/* SPDX-License-Identifier: MIT */
/*
 * phase_char_read.c - the start of the data file read one byte at a time; nothing of the file is
 * cached when a pass starts. A latency is that of a chunk.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chars.h"
#include "datafile.h"
#include "params.h"

enum { READ };

static int failed(struct worker *worker, const char *operation, uint64_t offset, int error)
{
	return err_set(&worker->err, error ? -error : -EIO, "%s %s/data.0 at offset %llu: %s",
		       operation, worker->run->target->work_path, (unsigned long long)offset,
		       error ? strerror(error) : "end of file");
}

static int read_bytes(struct worker *worker, unsigned char *block, size_t length, uint64_t offset)
{
	const struct chunker *chunker = worker->state;

	for (size_t i = 0; i < length; i++) {
		ssize_t got = read(chunker->fd, block + i, 1);

		if (got != 1)
			return failed(worker, "read", offset + i, got < 0 ? errno : 0);
	}
	return 0;
}

static int get_bytes(struct worker *worker, FILE *stream, unsigned char *block, size_t length,
		     uint64_t offset)
{
	for (size_t i = 0; i < length; i++) {
		int byte = getc(stream);

		if (byte == EOF)
			return failed(worker, "getc", offset + i, ferror(stream) ? errno : 0);
		block[i] = (unsigned char)byte;
	}
	return 0;
}

static int read_span(struct worker *worker, FILE *stream)
{
	const struct datafile *file = worker->run->data;
	const struct chunker *chunker = worker->state;

	for (uint64_t offset = 0; offset < file->span_bytes && !worker_stopped(worker);) {
		size_t length = datafile_chunk(file, offset);
		uint64_t start_ns = clock_now_ns();
		int code = stream ? get_bytes(worker, stream, chunker->buffer, length, offset)
				  : read_bytes(worker, chunker->buffer, length, offset);

		if (code)
			return code;
		worker_record(worker, READ, start_ns, clock_now_ns(), length);
		worker_progress(worker, length);
		offset += length;
	}
	return 0;
}

static int work_stdio(struct worker *worker)
{
	const struct chunker *chunker = worker->state;
	FILE *stream = fdopen(dup(chunker->fd), "r");
	int code;

	if (!stream)
		return failed(worker, "fdopen", 0, errno);
	code = read_span(worker, stream);
	if (fclose(stream) && !code)
		code = failed(worker, "fclose", 0, errno);
	return code;
}

static int work(struct worker *worker)
{
	int code = point_is(worker->run->point, "method", "stdio") ? work_stdio(worker)
								   : read_span(worker, NULL);

	return code ? code : chunker_timed_close(worker);
}

static const struct param_use params[] = {
	PARAMS_PASSES,
	{&param_size, "1g"},
	{&param_compressible, "0"},
	{&param_char_size, "3m"},
	{&param_block_size, "8k"},
	{&param_cache, "cold"},
	{&param_method_char, "syscall"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "read", .headline_rate = "throughput", .moves_bytes = true, .reads = true},
	{.name = NULL},
};

const struct phase phase_char_read = {
	.name = "char_read",
	.group = "files",
	.help = "the start of the data file read one byte at a time",
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
