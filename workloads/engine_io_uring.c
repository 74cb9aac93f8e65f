/* SPDX-License-Identifier: MIT */
/*
 * engine_io_uring.c - io_uring with registered files and buffers, one issuing thread, and
 * completion work run when that thread asks for it.
 *
 * Each of these is left out only when the kernel answers that it does not know it (EINVAL), and
 * buffers also when they may not be locked in memory (ENOMEM: RLIMIT_MEMLOCK) or are more than
 * the GiB that one registered region may have; `used` says what was had.
 */
#include "engine.h"

#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#ifdef IORING_SETUP_DEFER_TASKRUN

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "refusal.h"

enum { REGION_BYTES_MAX = 1 << 30 };

/* From the newest to what every kernel with io_uring knows. */
static const struct {
	unsigned flags;
	const char *words;
} modes[] = {
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	 "single issuer, deferred task run"},
	{IORING_SETUP_COOP_TASKRUN, "cooperative task run"},
	{0, "no setup flags"},
};

enum { MODE_COUNT = sizeof(modes) / sizeof(modes[0]) };

struct uring_context {
	struct io_uring ring;
	const int *files;
	unsigned file_count;
	bool files_registered, buffers_registered;
};

static int make_ring(struct io_uring *ring, unsigned entries, unsigned *mode)
{
	int code = -EINVAL;

	for (unsigned i = 0; i < MODE_COUNT && code == -EINVAL; i++) {
		*mode = i;
		code = io_uring_queue_init(entries, ring, modes[i].flags);
	}
	return code;
}

static int uring_probe(struct err *err)
{
	struct io_uring ring;
	unsigned mode;
	int code = make_ring(&ring, 1, &mode);

	if (code)
		return refusal_io_uring(code, "/proc", err);
	io_uring_queue_exit(&ring);
	return 0;
}

static int register_files(struct uring_context *context, struct err *err)
{
	int code = io_uring_register_files(&context->ring, context->files, context->file_count);

	context->files_registered = !code;
	if (code && code != -EINVAL)
		return err_set(err, code, "io_uring: register %u files: %s", context->file_count,
			       strerror(-code));
	return 0;
}

/* *why stays NULL when they are registered. */
static int register_buffers(struct uring_context *context, const struct engine_setup *setup,
			    const char **why, struct err *err)
{
	int code;

	for (unsigned i = 0; i < setup->region_count; i++)
		if (setup->regions[i].iov_len > REGION_BYTES_MAX)
			*why = "above 1 GiB";
	if (*why || !setup->region_count)
		return 0;
	code = io_uring_register_buffers(&context->ring, setup->regions, setup->region_count);
	context->buffers_registered = !code;
	if (code == -EINVAL)
		*why = "unknown to the kernel";
	else if (code == -ENOMEM)
		*why = "RLIMIT_MEMLOCK";
	else if (code)
		return err_set(err, code, "io_uring: register buffers: %s", strerror(-code));
	return 0;
}

static void uring_close(void *out)
{
	struct uring_context *context = out;

	/* The kernel takes a ring apart some time after it was closed, and holds what is registered
	 * until then: a filesystem could not be unmounted right away. */
	if (context->files_registered)
		io_uring_unregister_files(&context->ring);
	if (context->buffers_registered)
		io_uring_unregister_buffers(&context->ring);
	io_uring_queue_exit(&context->ring);
	free(context);
}

static void say_what_is_used(const struct uring_context *context, unsigned mode, const char *why,
			     char *used)
{
	snprintf(used, ENGINE_USED_MAX, "%s, %s files, %s buffers%s%s%s", modes[mode].words,
		 context->files_registered ? "registered" : "plain",
		 context->buffers_registered ? "registered" : "plain", why ? " (" : "",
		 why ? why : "", why ? ")" : "");
}

static int uring_open(void **out, const struct engine_setup *setup, char *used, struct err *err)
{
	struct uring_context *context = calloc(1, sizeof(*context));
	const char *why = NULL;
	unsigned mode;
	int code;

	if (!context)
		return err_set(err, -ENOMEM, "open the io_uring engine: %s", strerror(ENOMEM));
	context->files = setup->files;
	context->file_count = setup->file_count;
	code = make_ring(&context->ring, setup->depth, &mode);
	if (code) {
		free(context);
		return refusal_io_uring(code, "/proc", err);
	}
	/* Saves the lookup of the ring's own descriptor; nothing is lost where it is unknown. */
	io_uring_register_ring_fd(&context->ring);
	code = register_files(context, err);
	if (!code)
		code = register_buffers(context, setup, &why, err);
	if (code) {
		uring_close(context);
		return code;
	}
	say_what_is_used(context, mode, why, used);
	*out = context;
	return 0;
}

static void prepare(const struct uring_context *context, struct io_uring_sqe *entry,
		    struct io *request)
{
	bool fixed = context->buffers_registered && request->region >= 0;
	bool reads = request->operation == IO_READ;
	int file = request->file < context->file_count ? context->files[request->file] : -1;

	if (context->files_registered)
		file = (int)request->file;
	io_uring_prep_rw(fixed ? reads ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED
			 : reads ? IORING_OP_READ
				 : IORING_OP_WRITE,
			 entry, file, request->buffer, (unsigned)request->bytes,
			 request->offset_bytes);
	if (fixed)
		entry->buf_index = (uint16_t)request->region;
	if (context->files_registered)
		entry->flags = IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(entry, request);
}

/* The kernel stops at a request that it refuses, whose result says so, and goes on when called
 * again. The same call runs the completion work that is due, so that reap often needs none. */
static int uring_submit(void *out, struct io *const requests[], unsigned count, struct err *err)
{
	struct uring_context *context = out;

	/* The ring has an entry for each that may be in flight. */
	for (unsigned i = 0; i < count; i++)
		prepare(context, io_uring_get_sqe(&context->ring), requests[i]);
	while (count) {
		int taken = io_uring_submit_and_get_events(&context->ring);

		if (taken < 0 && taken != -EINTR)
			return err_set(err, taken, "io_uring_enter: %s", strerror(-taken));
		if (taken > 0)
			count -= (unsigned)taken;
	}
	return 0;
}

static unsigned take(struct uring_context *context, struct io *done[], unsigned max)
{
	struct io_uring_cqe *entry;
	unsigned head, taken = 0;

	io_uring_for_each_cqe(&context->ring, head, entry) {
		if (taken == max)
			break;
		done[taken] = io_uring_cqe_get_data(entry);
		done[taken++]->result = entry->res;
	}
	io_uring_cq_advance(&context->ring, taken);
	return taken;
}

static int uring_reap(void *out, struct io *done[], unsigned min, unsigned max, struct err *err)
{
	struct uring_context *context = out;
	unsigned taken = take(context, done, max);

	while (taken < min) {
		struct io_uring_cqe *first;
		int code = io_uring_wait_cqe_nr(&context->ring, &first, min - taken);

		if (code && code != -EINTR)
			return err_set(err, code, "io_uring_enter: %s", strerror(-code));
		taken += take(context, done + taken, max - taken);
	}
	return (int)taken;
}

const struct engine engine_io_uring = {
	.name = "io_uring",
	.help = "io_uring with registered files and buffers and deferred task run",
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};

#else

const struct engine engine_io_uring = {
	.name = "io_uring",
	.help = "io_uring with registered files and buffers and deferred task run",
#ifdef HAVE_LIBURING
	.unavailable = "built with a liburing older than 2.3",
#else
	.unavailable = "built without liburing",
#endif
};

#endif
