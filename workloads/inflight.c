/* SPDX-License-Identifier: MIT */
/*
 * inflight.c - see inflight.h.
 *
 * A slot is in one place at any time: the ring of prepared requests, in the engine, or the list of
 * those reaped and not settled yet. There are `depth` slots and as many more as a reap may take, so
 * that there is a prepared one for each that it takes. Of a synchronous engine there is a run of
 * slots: prepared together, submitted one after the other, settled together.
 */
#include "inflight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "payload.h"
#include "region.h"

enum {
	BATCH_TRIED_MAX = 16,
	RUN_MAX = 16,
	RUN_BYTES_MAX = 256 << 10,
	TRIAL_PAIRS = 10,       /* slices without batches, each followed by one with */
	TRIAL_WINS = 8,         /* pairs that batches must win */
	TRIAL_GAIN_PERCENT = 3, /* and by how much over all */
	TRIAL_COUNT_MIN = 1000  /* requests in the trial: fewer say nothing */
};

struct slot {
	struct io io; /* first: the engine gives back its address */
	uint64_t start_ns, end_ns;
	unsigned char *read_buffer; /* the slot's own, unless only one can be in flight */
	unsigned recorder;
	size_t moved_bytes; /* by earlier parts of a transfer cut short */
	bool fresh;         /* its clock has not started */
};

struct trial {
	bool active;
	unsigned slice, batch;
	uint64_t slice_ns, slice_start_ns;
	uint64_t end_ns; /* where the window starts: the trial is over by then or void */
	struct slice {
		uint64_t count, ns;
	} slices[2 * TRIAL_PAIRS + 1]; /* the first settles the device, it is not looked at */
};

struct inflight {
	struct inflight_load load;
	void *context;
	int *fds;
	struct payload *payload;
	unsigned char *read_base;
	size_t read_bytes;

	struct slot *slots;
	unsigned slot_count, reap_max;
	struct io **ready; /* ring of slot_count, held twice: any run of it lies in a row */
	unsigned ready_head, ready_count;
	struct io **done; /* room for reap_max */
	unsigned done_count;

	unsigned in_flight, batch;
	bool failed;
	bool idle;           /* the last round started nothing */
	uint64_t now_ns;     /* the last reading of the clock */
	uint64_t counted_ns; /* up to where depth_ns is integrated */
	uint64_t window_end_ns;
	struct trial trial;
	struct inflight_stats stats;
};

/* ---- what is allocated -------------------------------------------------------------------- */

static unsigned at_most(unsigned number, unsigned limit)
{
	return number < limit ? number : limit;
}

static int no_memory(struct worker *worker, const struct inflight *flight)
{
	return err_set(&worker->err, -ENOMEM, "allocate %u buffers of %zu bytes: %s",
		       flight->slot_count, flight->load.block_bytes, strerror(ENOMEM));
}

static bool map_read_buffers(struct inflight *flight)
{
	size_t align = flight->load.align_bytes;
	size_t stride = (flight->load.block_bytes + align - 1) & ~(align - 1);
	bool one = flight->load.engine->synchronous;

	flight->read_bytes = stride * (one ? 1 : flight->slot_count);
	flight->read_base = region_map(flight->read_bytes);
	if (!flight->read_base)
		return false;
	for (unsigned i = 0; i < flight->slot_count; i++)
		flight->slots[i].read_buffer = flight->read_base + (one ? 0 : i * stride);
	return true;
}

static int allocate(struct inflight *flight, struct worker *worker)
{
	const struct inflight_load *load = &flight->load;

	flight->slots = calloc(flight->slot_count, sizeof(*flight->slots));
	flight->ready = calloc(2 * (size_t)flight->slot_count, sizeof(struct io *));
	flight->done = calloc(flight->reap_max, sizeof(struct io *));
	flight->fds = calloc(load->file_count, sizeof(int));
	if (!flight->slots || !flight->ready || !flight->done || !flight->fds)
		return no_memory(worker, flight);
	for (unsigned i = 0; i < flight->slot_count; i++)
		flight->slots[i].io.slot = i;
	for (unsigned i = 0; i < load->file_count; i++)
		flight->fds[i] = load->files[i].fd;
	if (load->reads && !map_read_buffers(flight))
		return no_memory(worker, flight);
	if (load->writes)
		return payload_open(&flight->payload, rng_seed_for(worker->seed, "payload", 0),
				    flight->slot_count, load->block_bytes, load->align_bytes,
				    load->compressible, &worker->err);
	return 0;
}

static int open_engine(struct inflight *flight, struct worker *worker)
{
	struct iovec regions[ENGINE_REGIONS_MAX];
	struct engine_setup setup = {
		.depth = flight->load.depth,
		.slots = flight->slot_count,
		.files = flight->fds,
		.file_count = flight->load.file_count,
		.regions = regions,
	};

	/* Reads come first: prepare() counts on it. */
	if (flight->read_base)
		regions[setup.region_count++] = (struct iovec){.iov_base = flight->read_base,
							       .iov_len = flight->read_bytes};
	if (flight->payload) {
		payload_region(flight->payload, &regions[setup.region_count].iov_base,
			       &regions[setup.region_count].iov_len);
		setup.region_count++;
	}
	return flight->load.engine->open(&flight->context, &setup, flight->stats.used,
					 &worker->err);
}

/* How many requests of a synchronous engine are settled together: large ones would only keep
 * more buffers from the caches. */
static unsigned run_length(size_t block_bytes)
{
	unsigned length = at_most((unsigned)(RUN_BYTES_MAX / block_bytes), RUN_MAX);

	return length ? length : 1;
}

int inflight_open(struct inflight **out, const struct inflight_load *load, struct worker *worker)
{
	struct inflight *flight = calloc(1, sizeof(*flight));
	int code;

	if (!flight)
		return err_set(&worker->err, -ENOMEM, "set up the load: %s", strerror(ENOMEM));
	flight->load = *load;
	flight->batch = load->batch ? at_most(load->batch, load->depth) : 1;
	flight->reap_max = load->batch ? flight->batch : at_most(load->depth, BATCH_TRIED_MAX);
	flight->slot_count = load->depth + flight->reap_max;
	if (load->engine->synchronous)
		flight->reap_max = flight->slot_count = run_length(load->block_bytes);
	code = allocate(flight, worker);
	if (!code)
		code = open_engine(flight, worker);
	if (code) {
		inflight_close(flight);
		return code;
	}
	*out = flight;
	return 0;
}

void inflight_close(struct inflight *flight)
{
	if (!flight)
		return;
	if (flight->context)
		flight->load.engine->close(flight->context);
	payload_close(flight->payload);
	region_unmap(flight->read_base, flight->read_bytes);
	free(flight->fds);
	free(flight->done);
	free(flight->ready);
	free(flight->slots);
	free(flight);
}

const struct inflight_stats *inflight_stats(const struct inflight *flight)
{
	return &flight->stats;
}

/* ---- time --------------------------------------------------------------------------------- */

static bool in_window(const struct worker *worker, uint64_t at_ns)
{
	return at_ns - worker->window_start_ns < worker->window_length_ns;
}

/* The depth was what it is since it was last counted; the window alone counts. */
static void count_depth(struct inflight *flight, uint64_t until_ns)
{
	if (until_ns > flight->window_end_ns)
		until_ns = flight->window_end_ns;
	if (until_ns <= flight->counted_ns)
		return;
	flight->stats.depth_ns += flight->in_flight * (until_ns - flight->counted_ns);
	flight->counted_ns = until_ns;
}

/* ---- batches ------------------------------------------------------------------------------ */

/* Even slices run without batches, odd ones with; slice 0 is not counted. */
static void trial_start(struct inflight *flight, const struct worker *worker)
{
	struct trial *trial = &flight->trial;
	uint64_t now_ns = flight->now_ns;

	trial->batch = at_most(flight->load.depth / 2, BATCH_TRIED_MAX);
	if (flight->load.batch || trial->batch < 2 || flight->load.engine->synchronous ||
	    worker->window_start_ns <= now_ns)
		return;
	trial->active = true;
	/* Slices may last longer than planned: a third of the warm-up is left for that. */
	trial->slice_ns = (worker->window_start_ns - now_ns) * 2 / 3 / (2 * TRIAL_PAIRS + 1);
	trial->slice_start_ns = now_ns;
	trial->end_ns = worker->window_start_ns;
}

static bool faster(const struct slice *a, const struct slice *b, unsigned gain_percent)
{
	return (double)a->count * (double)b->ns * 100 >
	       (double)b->count * (double)a->ns * (100 + gain_percent);
}

static bool trial_favours_batches(const struct trial *trial)
{
	struct slice without = {0}, with = {0};
	unsigned wins = 0;

	if (trial->slice <= 2 * TRIAL_PAIRS)
		return false;
	for (unsigned i = 1; i <= 2 * TRIAL_PAIRS; i += 2) {
		const struct slice *pair = &trial->slices[i];

		wins += faster(&pair[0], &pair[1], 0);
		with.count += pair[0].count;
		with.ns += pair[0].ns;
		without.count += pair[1].count;
		without.ns += pair[1].ns;
	}
	return with.count + without.count >= TRIAL_COUNT_MIN && wins >= TRIAL_WINS &&
	       faster(&with, &without, TRIAL_GAIN_PERCENT);
}

/* A slice lasts until the reap that ends it, however late that comes. */
static void trial_step(struct inflight *flight, unsigned reaped)
{
	struct trial *trial = &flight->trial;
	struct slice *slice = &trial->slices[trial->slice];

	slice->count += reaped;
	slice->ns = flight->now_ns - trial->slice_start_ns;
	if (slice->ns >= trial->slice_ns) {
		trial->slice_start_ns = flight->now_ns;
		trial->slice++;
		flight->batch = trial->slice % 2 ? trial->batch : 1;
	}
	trial->active = trial->slice <= 2 * TRIAL_PAIRS && flight->now_ns < trial->end_ns;
	if (!trial->active)
		flight->batch = trial_favours_batches(trial) ? trial->batch : 1;
}

/* ---- one round ---------------------------------------------------------------------------- */

static void place_ready(struct inflight *flight, unsigned place, struct slot *slot)
{
	flight->ready[place] = flight->ready[place + flight->slot_count] = &slot->io;
}

static void make_ready(struct inflight *flight, struct slot *slot)
{
	unsigned place = flight->ready_head + flight->ready_count++;

	place_ready(flight, place < flight->slot_count ? place : place - flight->slot_count, slot);
}

static void prepare(struct inflight *flight, struct slot *slot)
{
	struct io *io = &slot->io;

	flight->load.next(flight->load.source, io, &slot->recorder);
	if (io->operation == IO_READ) {
		io->buffer = slot->read_buffer;
		io->region = 0;
	} else {
		io->buffer = payload_next(flight->payload, io->slot, io->offset_bytes);
		io->region = flight->read_base ? 1 : 0;
	}
	io->bytes = flight->load.block_bytes;
	slot->moved_bytes = 0;
	slot->fresh = true;
	make_ready(flight, slot);
}

/* How many of the requests that may be started go into the next call, under the budget. */
static unsigned start_clocks(struct inflight *flight, struct worker *worker, struct io **requests,
			     unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct slot *slot = (struct slot *)requests[i];

		if (!slot->fresh)
			continue;
		if (slot->io.operation == IO_WRITE) {
			if (!worker_may_write(worker, slot->io.bytes))
				return i;
			flight->stats.written_bytes += slot->io.bytes;
		}
		slot->start_ns = flight->now_ns;
		slot->fresh = false;
	}
	return count;
}

static int submit(struct inflight *flight, struct worker *worker, struct io **requests,
		  unsigned count)
{
	uint64_t start_ns = flight->now_ns;
	int code;

	count_depth(flight, start_ns);
	flight->in_flight += count;
	code = flight->load.engine->submit(flight->context, requests, count, &worker->err);
	if (code)
		return code;
	flight->now_ns = clock_now_ns();
	if (in_window(worker, start_ns)) {
		flight->stats.submit_calls++;
		flight->stats.submitted += count;
		flight->stats.submit_ns += count * (flight->now_ns - start_ns);
	}
	return 0;
}

static int submit_ready(struct inflight *flight, struct worker *worker)
{
	int code = 0;

	flight->idle = true;
	while (!code && flight->ready_count && flight->in_flight < flight->load.depth &&
	       !flight->failed && worker_goes_on(worker, flight->now_ns)) {
		struct io **requests = flight->ready + flight->ready_head;
		unsigned count = at_most(flight->batch, flight->ready_count);

		count = at_most(count, flight->load.depth - flight->in_flight);
		count = start_clocks(flight, worker, requests, count);
		if (!count)
			break;
		flight->ready_count -= count;
		flight->ready_head += count;
		if (flight->ready_head >= flight->slot_count)
			flight->ready_head -= flight->slot_count;
		flight->idle = false;
		code = submit(flight, worker, requests, count);
	}
	return code;
}

static int reap(struct inflight *flight, struct worker *worker)
{
	unsigned min = at_most(flight->batch, flight->in_flight);
	struct io **done = flight->done + flight->done_count;
	int got = flight->load.engine->reap(flight->context, done, min, flight->batch,
					    &worker->err);

	if (got < 0)
		return got;
	if (!flight->load.engine->synchronous)
		flight->now_ns = clock_now_ns();
	count_depth(flight, flight->now_ns);
	flight->in_flight -= (unsigned)got;
	flight->done_count += (unsigned)got;
	for (int i = 0; i < got; i++)
		((struct slot *)done[i])->end_ns = flight->now_ns;
	if (in_window(worker, flight->now_ns)) {
		flight->stats.reap_calls++;
		flight->stats.reaped += (unsigned)got;
	}
	if (flight->trial.active)
		trial_step(flight, (unsigned)got);
	return 0;
}

static void fail(struct inflight *flight, struct worker *worker, const struct io *io)
{
	const char *operation = io->operation == IO_READ ? "read" : "write";
	const char *name = flight->load.files[io->file].name;

	if (flight->failed)
		return;
	flight->failed = true;
	err_set(&worker->err, io->result ? (int)io->result : -EIO, "%s %s at offset %llu: %s",
		operation, name, (unsigned long long)io->offset_bytes,
		io->result ? strerror((int)-io->result) : "no byte was moved");
}

/* The rest of a transfer that was cut short, or all of one that the kernel had no room for, is
 * next. */
static void go_on(struct inflight *flight, struct slot *slot)
{
	size_t moved = slot->io.result > 0 ? (size_t)slot->io.result : 0;

	slot->io.buffer = (unsigned char *)slot->io.buffer + moved;
	slot->io.offset_bytes += moved;
	slot->io.bytes -= moved;
	slot->moved_bytes += moved;
	flight->ready_head = (flight->ready_head ? flight->ready_head : flight->slot_count) - 1;
	flight->ready_count++;
	place_ready(flight, flight->ready_head, slot);
}

static void settle_one(struct inflight *flight, struct worker *worker, struct slot *slot)
{
	int64_t result = slot->io.result;

	if (result == (int64_t)slot->io.bytes) {
		worker_record(worker, slot->recorder, slot->start_ns, slot->end_ns,
			      slot->moved_bytes + slot->io.bytes);
		prepare(flight, slot);
	} else if (result > 0 || result == -EAGAIN || result == -EINTR) {
		go_on(flight, slot);
	} else {
		fail(flight, worker, &slot->io);
	}
}

static void settle(struct inflight *flight, struct worker *worker)
{
	for (unsigned i = 0; i < flight->done_count; i++)
		settle_one(flight, worker, (struct slot *)flight->done[i]);
	worker_progress(worker, flight->done_count);
	flight->done_count = 0;
}

static bool last_is_whole(const struct inflight *flight)
{
	const struct io *last = flight->done[flight->done_count - 1];

	return last->result == (int64_t)last->bytes;
}

/* Submit, settle, reap. */
static int round_asynchronous(struct inflight *flight, struct worker *worker)
{
	int code = submit_ready(flight, worker);

	if (code)
		return code;
	settle(flight, worker);
	return flight->in_flight ? reap(flight, worker) : 0;
}

/* Submit and reap, for a run of prepared requests: each begins when the one before it has ended.
 * What is not whole ends the run. */
static int round_synchronous(struct inflight *flight, struct worker *worker)
{
	int code = submit_ready(flight, worker);

	if (!code && flight->in_flight)
		code = reap(flight, worker);
	if (code)
		return code;
	if (flight->ready_count && !flight->idle && last_is_whole(flight))
		return 0;
	settle(flight, worker);
	flight->now_ns = clock_now_ns();
	return 0;
}

int inflight_run(struct inflight *flight, struct worker *worker)
{
	int (*round)(struct inflight *, struct worker *) =
		flight->load.engine->synchronous ? round_synchronous : round_asynchronous;
	int code;

	for (unsigned i = 0; i < flight->slot_count; i++)
		prepare(flight, &flight->slots[i]);
	flight->now_ns = clock_now_ns();
	flight->counted_ns = worker->window_start_ns;
	flight->window_end_ns = worker->window_start_ns + worker->window_length_ns;
	trial_start(flight, worker);
	do {
		code = round(flight, worker);
	} while (!code && !(flight->idle && !flight->in_flight && !flight->done_count));
	flight->stats.batch = flight->batch;
	return code ? code : flight->failed ? worker->err.code : 0;
}
