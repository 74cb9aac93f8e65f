/* SPDX-License-Identifier: MIT */
/*
 * engine_libaio.c - Linux native asynchronous I/O: io_submit, and completions straight from the
 * ring that the kernel maps into the process.
 *
 * The ring: the context id is the address of its head, a struct with a magic number since 2.5.32.
 * The kernel writes events and moves tail, we read events and move head; a load-acquire of tail and
 * a store-release of head order the events between them. When there is too little in it, or the
 * header is not the one known here, io_getevents serves.
 *
 * A refused request: io_submit stops at it and returns how many went before, or, when it is the
 * first, its errno. It becomes that request's result and the rest are submitted.
 */
#include <errno.h>
#include <libaio.h>
#include <string.h>

#include "engine.h"
#include "finished.h"
#include "refusal.h"

enum { RING_MAGIC = (int)0xa10a10a1, RING_INCOMPAT = 0 };

/* As in the kernel's fs/aio.c; followed by the events. */
struct aio_ring {
	unsigned id, nr, head, tail;
	unsigned magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};

struct libaio_context {
	io_context_t kernel;
	struct aio_ring *ring; /* NULL: not one we know */
	const int *files;
	unsigned file_count;
	struct iocb *blocks;      /* by slot */
	struct iocb **batch;      /* room for depth */
	struct io_event *events;  /* room for depth */
	struct finished refused;
};

static int libaio_probe(struct err *err)
{
	io_context_t kernel = NULL;
	int code = io_setup(1, &kernel);

	if (code)
		return refusal_libaio(code, "/proc", err);
	io_destroy(kernel);
	return 0;
}

static struct aio_ring *known_ring(io_context_t kernel)
{
	struct aio_ring *ring = (struct aio_ring *)kernel;

	if (ring->magic != (unsigned)RING_MAGIC || ring->incompat_features != RING_INCOMPAT ||
	    ring->header_length != sizeof(*ring))
		return NULL;
	return ring;
}

static void libaio_close(void *out)
{
	struct libaio_context *context = out;

	if (context->kernel)
		io_destroy(context->kernel); /* waits for what is in flight */
	finished_release(&context->refused);
	free(context->events);
	free(context->batch);
	free(context->blocks);
	free(context);
}

static struct libaio_context *allocate(const struct engine_setup *setup)
{
	struct libaio_context *context = calloc(1, sizeof(*context));

	if (!context)
		return NULL;
	context->files = setup->files;
	context->file_count = setup->file_count;
	context->blocks = calloc(setup->slots, sizeof(*context->blocks));
	context->batch = calloc(setup->depth, sizeof(struct iocb *));
	context->events = calloc(setup->depth, sizeof(*context->events));
	if (finished_init(&context->refused, setup->depth) && context->blocks && context->batch &&
	    context->events)
		return context;
	libaio_close(context);
	return NULL;
}

static int libaio_open(void **out, const struct engine_setup *setup, char *used, struct err *err)
{
	struct libaio_context *context = allocate(setup);
	int code;

	if (!context)
		return err_set(err, -ENOMEM, "open the libaio engine: %s", strerror(ENOMEM));
	code = io_setup((int)setup->depth, &context->kernel);
	if (code) {
		context->kernel = NULL;
		libaio_close(context);
		return refusal_libaio(code, "/proc", err);
	}
	context->ring = known_ring(context->kernel);
	snprintf(used, ENGINE_USED_MAX, "completions from %s",
		 context->ring ? "the user-space ring" : "io_getevents");
	*out = context;
	return 0;
}

static struct iocb *make_block(struct libaio_context *context, struct io *request)
{
	struct iocb *block = &context->blocks[request->slot];
	int file = request->file < context->file_count ? context->files[request->file] : -1;

	if (request->operation == IO_READ)
		io_prep_pread(block, file, request->buffer, request->bytes,
			      (long long)request->offset_bytes);
	else
		io_prep_pwrite(block, file, request->buffer, request->bytes,
			       (long long)request->offset_bytes);
	block->data = request;
	return block;
}

static int libaio_submit(void *out, struct io *const requests[], unsigned count, struct err *err)
{
	struct libaio_context *context = out;
	unsigned submitted = 0;

	(void)err;
	for (unsigned i = 0; i < count; i++)
		context->batch[i] = make_block(context, requests[i]);
	while (submitted < count) {
		int taken = io_submit(context->kernel, (long)(count - submitted),
				      context->batch + submitted);

		if (taken > 0) {
			submitted += (unsigned)taken;
		} else if (taken != -EINTR) {
			requests[submitted]->result = taken ? taken : -EAGAIN;
			finished_put(&context->refused, requests[submitted++]);
		}
	}
	return 0;
}

static struct io *finish(const struct io_event *event)
{
	struct io *request = event->data;

	request->result = (int64_t)(long)event->res; /* a long in an unsigned field */
	return request;
}

static unsigned reap_ring(struct aio_ring *ring, struct io *done[], unsigned max)
{
	unsigned head = ring->head, taken = 0;
	unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	while (taken < max && head != tail) {
		done[taken++] = finish(&ring->events[head]);
		if (++head == ring->nr)
			head = 0;
	}
	if (taken)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return taken;
}

/* Waits until there are min (at least one), and takes no more than max. */
static int reap_kernel(struct libaio_context *context, struct io *done[], unsigned min,
		       unsigned max, struct err *err)
{
	int got;

	do {
		got = io_getevents(context->kernel, (long)min, (long)max, context->events, NULL);
	} while (got == -EINTR);
	if (got < 0)
		return err_set(err, got, "io_getevents: %s", strerror(-got));
	for (int i = 0; i < got; i++)
		done[i] = finish(&context->events[i]);
	return got;
}

static int libaio_reap(void *out, struct io *done[], unsigned min, unsigned max, struct err *err)
{
	struct libaio_context *context = out;
	unsigned taken = 0;

	if (context->refused.count)
		taken = finished_take(&context->refused, done, max);
	if (context->ring)
		taken += reap_ring(context->ring, done + taken, max - taken);
	while (taken < min) {
		int got = reap_kernel(context, done + taken, min - taken, max - taken, err);

		if (got < 0)
			return got;
		taken += (unsigned)got;
	}
	return (int)taken;
}

const struct engine engine_libaio = {
	.name = "libaio",
	.help = "Linux native asynchronous I/O, completions from its user-space ring",
	.probe = libaio_probe,
	.open = libaio_open,
	.submit = libaio_submit,
	.reap = libaio_reap,
	.close = libaio_close,
};
