/* SPDX-License-Identifier: MIT */
/*
 * engine_sync.c - pread and pwrite: one request at a time, done when submit returns.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine.h"
#include "finished.h"

struct sync_context {
	const int *files;
	unsigned file_count;
	struct finished finished;
};

static int sync_probe(struct err *err)
{
	(void)err;
	return 0;
}

static int sync_open(void **out, const struct engine_setup *setup, char *used, struct err *err)
{
	struct sync_context *context = malloc(sizeof(*context));

	if (!context || !finished_init(&context->finished, setup->depth)) {
		free(context);
		return err_set(err, -ENOMEM, "open the sync engine: %s", strerror(ENOMEM));
	}
	context->files = setup->files;
	context->file_count = setup->file_count;
	snprintf(used, ENGINE_USED_MAX, "pread and pwrite");
	*out = context;
	return 0;
}

/* The C library's pread is a point where a thread can be cancelled, and in a program with threads
 * pays for that with two atomic operations a call. Where an offset is one argument, the system
 * call itself does without. */
#ifdef __LP64__
static ssize_t read_at(int file, void *buffer, size_t bytes, uint64_t offset_bytes)
{
	return syscall(SYS_pread64, file, buffer, bytes, offset_bytes);
}

static ssize_t write_at(int file, const void *buffer, size_t bytes, uint64_t offset_bytes)
{
	return syscall(SYS_pwrite64, file, buffer, bytes, offset_bytes);
}
#else
static ssize_t read_at(int file, void *buffer, size_t bytes, uint64_t offset_bytes)
{
	return pread(file, buffer, bytes, (off_t)offset_bytes);
}

static ssize_t write_at(int file, const void *buffer, size_t bytes, uint64_t offset_bytes)
{
	return pwrite(file, buffer, bytes, (off_t)offset_bytes);
}
#endif

static int64_t transfer(const struct sync_context *context, const struct io *request)
{
	uint64_t offset_bytes = request->offset_bytes;
	ssize_t moved;
	int file;

	if (request->file >= context->file_count)
		return -EBADF;
	file = context->files[request->file];
	do {
		moved = request->operation == IO_READ
				? read_at(file, request->buffer, request->bytes, offset_bytes)
				: write_at(file, request->buffer, request->bytes, offset_bytes);
	} while (moved < 0 && errno == EINTR);
	return moved < 0 ? -errno : moved;
}

static int sync_submit(void *out, struct io *const requests[], unsigned count, struct err *err)
{
	struct sync_context *context = out;

	(void)err;
	for (unsigned i = 0; i < count; i++) {
		requests[i]->result = transfer(context, requests[i]);
		finished_put(&context->finished, requests[i]);
	}
	return 0;
}

static int sync_reap(void *out, struct io *done[], unsigned min, unsigned max, struct err *err)
{
	struct sync_context *context = out;

	(void)min;
	(void)err;
	return (int)finished_take(&context->finished, done, max);
}

static void sync_close(void *out)
{
	struct sync_context *context = out;

	finished_release(&context->finished);
	free(context);
}

const struct engine engine_sync = {
	.name = "sync",
	.help = "pread and pwrite, one request in flight per job",
	.synchronous = true,
	.probe = sync_probe,
	.open = sync_open,
	.submit = sync_submit,
	.reap = sync_reap,
	.close = sync_close,
};
