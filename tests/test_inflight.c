/* SPDX-License-Identifier: MIT */
/*
 * test_inflight.c - the in-flight loop above an engine of our own, which completes requests in
 * any order, cuts them short, fails them, and watches what it is given.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "workloads/inflight.h"

enum { BLOCK = 4096, SLOTS_MAX = 256 };

/* What the engine does, and what it saw. One at a time: engines have no state of their own. */
static struct fake {
	struct rng rng;
	struct io *held[SLOTS_MAX];
	unsigned held_count;
	bool out[SLOTS_MAX];

	unsigned short_percent, retry_percent; /* of completions */
	uint64_t fail_at;   /* the request that fails, counted from 1; 0: none */
	int64_t fail_with;  /* its result */
	uint64_t broken_at; /* the submitting call from which the context is beyond use */
	uint64_t submit_cost_ns, batch_cost_ns; /* of each call, of each request beyond its first */

	unsigned depth, slots;
	uint64_t calls, submitted, moved_bytes, full_reaps, reaps, not_full;
	unsigned most_in_flight, most_in_a_call;
	bool two_masters; /* a slot was submitted while it was out */
	const struct worker *worker; /* whose deadline counts */
	unsigned late_calls;
} fake;

static int fake_probe(struct err *err)
{
	(void)err;
	return 0;
}

static int fake_open(void **context, const struct engine_setup *setup, char *used, struct err *err)
{
	(void)err;
	fake.depth = setup->depth;
	fake.slots = setup->slots;
	CU_ASSERT_FATAL(setup->slots <= SLOTS_MAX);
	snprintf(used, ENGINE_USED_MAX, "a fake");
	*context = &fake;
	return 0;
}

static void spin(uint64_t ns)
{
	uint64_t until = clock_now_ns() + ns;

	while (ns && clock_now_ns() < until)
		;
}

static int64_t decide(const struct io *io)
{
	if (fake.submitted == fake.fail_at)
		return fake.fail_with;
	if (rng_below(&fake.rng, 100) < fake.retry_percent)
		return rng_below(&fake.rng, 2) ? -EAGAIN : -EINTR;
	if (io->bytes > 1 && rng_below(&fake.rng, 100) < fake.short_percent)
		return 1 + (int64_t)rng_below(&fake.rng, io->bytes - 1);
	return (int64_t)io->bytes;
}

static int fake_submit(void *context, struct io *const requests[], unsigned count, struct err *err)
{
	(void)context;
	fake.late_calls += clock_now_ns() >= fake.worker->deadline_ns;
	if (++fake.calls == fake.broken_at)
		return err_set(err, -ENXIO, "the context is gone");
	for (unsigned i = 0; i < count; i++) {
		struct io *io = requests[i];

		fake.submitted++;
		fake.two_masters |= fake.out[io->slot];
		fake.out[io->slot] = true;
		io->result = decide(io);
		fake.moved_bytes += io->result > 0 ? (uint64_t)io->result : 0;
		fake.held[fake.held_count++] = io;
	}
	if (fake.held_count > fake.most_in_flight)
		fake.most_in_flight = fake.held_count;
	if (count > fake.most_in_a_call)
		fake.most_in_a_call = count;
	spin(fake.submit_cost_ns + (count - 1) * fake.batch_cost_ns);
	return 0;
}

static int fake_reap(void *context, struct io *done[], unsigned min, unsigned max, struct err *err)
{
	unsigned count = min + (unsigned)rng_below(&fake.rng, max - min + 1);

	(void)context;
	(void)err;
	fake.reaps++;
	fake.full_reaps += fake.held_count == fake.depth;
	CU_ASSERT_FATAL(min <= fake.held_count && min <= max);
	if (count > fake.held_count)
		count = fake.held_count;
	for (unsigned i = 0; i < count; i++) {
		unsigned which = (unsigned)rng_below(&fake.rng, fake.held_count);

		done[i] = fake.held[which];
		fake.held[which] = fake.held[--fake.held_count];
		fake.out[done[i]->slot] = false;
	}
	return (int)count;
}

static void fake_close(void *context)
{
	(void)context;
}

static const struct engine fake_engine = {
	.name = "fake",
	.help = "for tests",
	.probe = fake_probe,
	.open = fake_open,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};

static const struct engine fake_synchronous = {
	.name = "fake",
	.help = "for tests",
	.synchronous = true,
	.probe = fake_probe,
	.open = fake_open,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};

/* ---- a worker without a runner ---- */

struct source {
	uint64_t asked;
	unsigned write_percent;
	struct rng rng;
};

static void next_request(void *context, struct io *request, unsigned *recorder)
{
	struct source *source = context;
	bool writes = rng_below(&source->rng, 100) < source->write_percent;

	request->operation = writes ? IO_WRITE : IO_READ;
	request->file = 0;
	request->offset_bytes = source->asked++ * BLOCK;
	*recorder = request->operation == IO_WRITE;
}

struct bench {
	atomic_bool stop;
	struct phase_run run;
	struct recorder recorders[2];
	struct worker worker;
	struct source source;
	struct inflight_file file;
	struct inflight_load load;
	struct inflight_stats stats;
};

/* Depth 16, 2 ms of warm-up, 20 ms of window; the caller changes what it is about. */
static struct bench *bench_new(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	CU_ASSERT_PTR_NOT_NULL_FATAL(bench);
	memset(&fake, 0, sizeof(fake));
	rng_init(&fake.rng, 1);
	fake.worker = &bench->worker;
	bench->run.stop = &bench->stop;
	for (int i = 0; i < 2; i++) {
		histogram_init(&bench->recorders[i].histogram);
		CU_ASSERT_EQUAL_FATAL(series_init(&bench->recorders[i].series, NS_PER_S, NULL), 0);
	}
	bench->worker = (struct worker){.run = &bench->run,
					.recorders = bench->recorders,
					.write_budget = UINT64_MAX};
	rng_init(&bench->source.rng, 2);
	bench->file = (struct inflight_file){.fd = -1, .name = "some/file"};
	bench->load = (struct inflight_load){.engine = &fake_engine,
					     .depth = 16,
					     .batch = 1,
					     .block_bytes = BLOCK,
					     .align_bytes = 512,
					     .reads = true,
					     .writes = true,
					     .files = &bench->file,
					     .file_count = 1,
					     .next = next_request,
					     .source = &bench->source};
	return bench;
}

static int bench_run_for(struct bench *bench, uint64_t warmup_ns, uint64_t window_ns)
{
	struct worker *worker = &bench->worker;
	struct inflight *flight;
	int code = inflight_open(&flight, &bench->load, worker);

	CU_ASSERT_EQUAL_FATAL(code, 0);
	worker->window_start_ns = clock_now_ns() + warmup_ns;
	worker->window_length_ns = window_ns;
	worker->deadline_ns = worker->window_start_ns + window_ns;
	code = inflight_run(flight, worker);
	bench->stats = *inflight_stats(flight);
	inflight_close(flight);
	return code;
}

static int bench_run(struct bench *bench)
{
	return bench_run_for(bench, 2 * NS_PER_MS, 20 * NS_PER_MS);
}

static void bench_free(struct bench *bench)
{
	series_release(&bench->recorders[0].series);
	series_release(&bench->recorders[1].series);
	free(bench);
}

static uint64_t counted(const struct bench *bench)
{
	return bench->recorders[0].histogram.count + bench->recorders[1].histogram.count;
}

static uint64_t counted_bytes(const struct bench *bench)
{
	return bench->recorders[0].bytes + bench->recorders[1].bytes;
}

/* ---- the load ---- */

static void test_depth(void)
{
	static const unsigned depths[] = {1, 2, 3, 16, 100};
	static const unsigned batches[] = {1, 2, 5, 16, 0};

	for (unsigned d = 0; d < 5; d++)
		for (unsigned b = 0; b < 5; b++) {
			struct bench *bench = bench_new();
			unsigned depth = depths[d];

			bench->load.depth = depth;
			bench->load.batch = batches[b];
			CU_ASSERT_EQUAL(bench_run(bench), 0);
			CU_ASSERT_EQUAL(fake.depth, depth);
			CU_ASSERT_EQUAL(fake.most_in_flight, depth);
			CU_ASSERT_FALSE(fake.two_masters);
			CU_ASSERT_EQUAL(fake.held_count, 0);
			/* Each reap but those that drain finds the depth. */
			CU_ASSERT(fake.full_reaps > 0);
			CU_ASSERT(fake.reaps - fake.full_reaps <= depth);
			if (batches[b])
				CU_ASSERT(fake.most_in_a_call <= batches[b]);
			CU_ASSERT_EQUAL(counted_bytes(bench), counted(bench) * BLOCK);
			bench_free(bench);
		}
}

/* Slow enough that what happens between the calls does not matter: depth by time is the depth. */
static void test_depth_by_time(void)
{
	struct bench *bench = bench_new();
	double window_ns = 200.0 * NS_PER_MS, depth;

	fake.submit_cost_ns = 20000;
	CU_ASSERT_EQUAL(bench_run_for(bench, NS_PER_MS, (uint64_t)window_ns), 0);
	depth = (double)bench->stats.depth_ns / window_ns;
	CU_ASSERT(depth > 13 && depth <= 16.0);
	/* Little's law: the mean in flight is rate times mean latency. */
	CU_ASSERT_DOUBLE_EQUAL((double)(bench->recorders[0].histogram.sum) / window_ns, depth, 3);
	CU_ASSERT(bench->stats.submit_ns >= bench->stats.submitted * 20000);
	bench_free(bench);
}

static void test_synchronous(void)
{
	struct bench *bench = bench_new();

	bench->load.engine = &fake_synchronous;
	bench->load.depth = 1;
	fake.submit_cost_ns = 10000;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	CU_ASSERT_EQUAL(fake.most_in_flight, 1);
	CU_ASSERT_EQUAL(fake.held_count, 0);
	CU_ASSERT(counted(bench) > 10);
	CU_ASSERT(bench->recorders[0].histogram.min >= 10000);
	bench_free(bench);
}

static void test_window(void)
{
	struct bench *bench = bench_new();

	fake.submit_cost_ns = 5000;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	/* The warm-up and the tail ran and do not count. */
	CU_ASSERT(fake.submitted > counted(bench) + 15);
	CU_ASSERT_EQUAL(bench->stats.reaped, counted(bench));
	/* A worker put to sleep between a look at the clock and the call may be late once. */
	CU_ASSERT(fake.late_calls <= 1);
	CU_ASSERT(bench->stats.submitted <= fake.submitted);
	bench_free(bench);
}

static void test_read_and_write(void)
{
	struct bench *bench = bench_new();
	double share;

	bench->source.write_percent = 30;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	share = (double)bench->recorders[1].histogram.count / (double)counted(bench);
	CU_ASSERT_DOUBLE_EQUAL(share, 0.3, 0.1);
	CU_ASSERT(bench->stats.written_bytes >= bench->recorders[1].bytes);
	bench_free(bench);
}

/* ---- what goes wrong ---- */

static void test_short(void)
{
	struct bench *bench = bench_new();

	fake.short_percent = 60;
	fake.retry_percent = 10;
	bench->source.write_percent = 50;
	CU_ASSERT_EQUAL(bench_run_for(bench, 0, 20 * NS_PER_MS), 0);
	CU_ASSERT(counted(bench) > 0);
	CU_ASSERT_EQUAL(counted_bytes(bench), counted(bench) * BLOCK);
	/* Every byte moved belongs to a request that was counted, or was under way at the end. */
	CU_ASSERT(fake.moved_bytes >= counted_bytes(bench));
	CU_ASSERT(fake.moved_bytes <= counted_bytes(bench) + 32 * BLOCK);
	CU_ASSERT(fake.submitted > 2 * counted(bench));
	bench_free(bench);
}

/* Checks that the pieces of a transfer follow each other in the buffer and in the file. */
static struct {
	uint64_t end_offset;
	unsigned char *end_buffer;
	uint64_t pieces, gaps;
} chain;

static int chain_submit(void *context, struct io *const requests[], unsigned count, struct err *err)
{
	struct io *io = requests[0];

	if (chain.end_offset % BLOCK && io->offset_bytes == chain.end_offset) {
		chain.pieces++;
		chain.gaps += (unsigned char *)io->buffer != chain.end_buffer;
		chain.gaps += (io->offset_bytes + io->bytes) % BLOCK != 0;
	} else {
		chain.gaps += io->bytes != BLOCK;
	}
	if (fake_submit(context, requests, count, err))
		return -1;
	chain.end_offset = io->offset_bytes + (uint64_t)(io->result > 0 ? io->result : 0);
	chain.end_buffer = (unsigned char *)io->buffer + (io->result > 0 ? io->result : 0);
	return 0;
}

static void test_pieces(void)
{
	struct engine engine = fake_synchronous;
	struct bench *bench = bench_new();

	memset(&chain, 0, sizeof(chain));
	engine.submit = chain_submit;
	bench->load.engine = &engine;
	bench->load.depth = 1;
	fake.short_percent = 50;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	CU_ASSERT(chain.pieces > 100);
	CU_ASSERT_EQUAL(chain.gaps, 0);
	bench_free(bench);
}

static void fail_with(const struct engine *engine, int64_t result, int code,
		      enum io_operation operation, const char *cause)
{
	struct bench *bench = bench_new();
	uint64_t before;

	bench->load.engine = engine;
	bench->load.depth = engine->synchronous ? 1 : 16;
	bench->source.write_percent = operation == IO_WRITE ? 100 : 0;
	fake.fail_at = 500;
	fake.fail_with = result;
	CU_ASSERT_EQUAL(bench_run_for(bench, 0, NS_PER_S), code);
	CU_ASSERT_EQUAL(bench->worker.err.code, code);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench->worker.err.text, "some/file"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(bench->worker.err.text, operation == IO_WRITE ? "write" : "read"));
	CU_ASSERT_PTR_NOT_NULL(strstr(bench->worker.err.text, cause));
	CU_ASSERT_PTR_NOT_NULL(strstr(bench->worker.err.text, "offset"));
	/* It ends at once, takes back what is in flight, and does not count what failed. */
	before = bench->worker.deadline_ns;
	CU_ASSERT(clock_now_ns() < before);
	CU_ASSERT_EQUAL(fake.held_count, 0);
	CU_ASSERT(fake.submitted < 500 + 3 * bench->load.depth);
	CU_ASSERT(counted(bench) < fake.submitted);
	bench_free(bench);
}

static void test_failures(void)
{
	const struct engine *const both[] = {&fake_engine, &fake_synchronous};

	for (int i = 0; i < 2; i++) {
		fail_with(both[i], -EIO, -EIO, IO_READ, strerror(EIO));
		fail_with(both[i], -ENOSPC, -ENOSPC, IO_WRITE, strerror(ENOSPC));
		fail_with(both[i], 0, -EIO, IO_READ, "no byte was moved");
		fail_with(both[i], 0, -EIO, IO_WRITE, "no byte was moved");
	}
}

static void test_context(void)
{
	struct bench *bench = bench_new();

	fake.broken_at = 100;
	CU_ASSERT_EQUAL(bench_run(bench), -ENXIO);
	CU_ASSERT_STRING_EQUAL(bench->worker.err.text, "the context is gone");
	bench_free(bench);
}

static void test_endless_retry(void)
{
	struct bench *bench = bench_new();

	fake.retry_percent = 100;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	CU_ASSERT_EQUAL(counted(bench), 0);
	CU_ASSERT_EQUAL(fake.held_count, 0);
	bench_free(bench);
}

static void test_budget(void)
{
	struct bench *bench = bench_new();

	bench->source.write_percent = 100;
	bench->load.batch = 4;
	bench->worker.write_budget = 10 * BLOCK + 100;
	CU_ASSERT_EQUAL(bench_run_for(bench, 0, NS_PER_S), 0);
	CU_ASSERT_EQUAL(fake.submitted, 10);
	CU_ASSERT_EQUAL(bench->stats.written_bytes, 10 * BLOCK);
	CU_ASSERT_TRUE(bench->worker.budget_spent);
	CU_ASSERT_EQUAL(bench->worker.write_budget, 100);
	CU_ASSERT_EQUAL(fake.held_count, 0);
	bench_free(bench);
}

static void test_stop(void)
{
	struct bench *bench = bench_new();

	atomic_store(&bench->stop, true);
	CU_ASSERT_EQUAL(bench_run_for(bench, 0, 10 * NS_PER_S), 0);
	CU_ASSERT_EQUAL(fake.submitted, 0);
	bench_free(bench);
}

/* ---- batches ---- */

static void test_batches(void)
{
	struct bench *bench = bench_new();

	bench->load.batch = 4;
	CU_ASSERT_EQUAL(bench_run(bench), 0);
	CU_ASSERT_EQUAL(fake.submitted, 4 * fake.calls);
	CU_ASSERT_EQUAL(bench->stats.submitted, 4 * bench->stats.submit_calls);
	CU_ASSERT_EQUAL(bench->stats.reaped, 4 * bench->stats.reap_calls);
	CU_ASSERT_EQUAL(bench->stats.batch, 4);
	bench_free(bench);
}

/* What the loop settles on where calls, or requests in batches, are dear. */
static unsigned settled(uint64_t submit_cost_ns, uint64_t batch_cost_ns, unsigned depth)
{
	struct bench *bench = bench_new();
	unsigned batch;

	bench->load.batch = 0;
	bench->load.depth = depth;
	fake.submit_cost_ns = submit_cost_ns;
	fake.batch_cost_ns = batch_cost_ns;
	CU_ASSERT_EQUAL(bench_run_for(bench, 200 * NS_PER_MS, 20 * NS_PER_MS), 0);
	batch = bench->stats.batch;
	if (bench->stats.submit_calls)
		CU_ASSERT_DOUBLE_EQUAL((double)bench->stats.submitted /
					       (double)bench->stats.submit_calls,
				       (double)batch, 0.2);
	bench_free(bench);
	return batch;
}

/* A trial that others on the machine disturb leaves things as they are: one of a few succeeds. */
static bool settles_on(unsigned batch, unsigned depth)
{
	for (int attempt = 0; attempt < 30; attempt++)
		if (settled(20000, 100, depth) == batch)
			return true;
	return false;
}

static void test_adapts(void)
{
	CU_ASSERT(settles_on(16, 32));
	CU_ASSERT(settles_on(4, 8));
	CU_ASSERT_EQUAL(settled(5000, 30000, 32), 1);
	CU_ASSERT_EQUAL(settled(20000, 100, 1), 1);
	/* A thousand requests are needed to tell. */
	CU_ASSERT_EQUAL(settled(2000000, 100, 4), 1);
}

static void test_no_warmup(void)
{
	struct bench *bench = bench_new();

	bench->load.batch = 0;
	CU_ASSERT_EQUAL(bench_run_for(bench, 0, 10 * NS_PER_MS), 0);
	CU_ASSERT_EQUAL(bench->stats.batch, 1);
	bench_free(bench);
}

static const struct test tests[] = {
	{"the depth asked for is in flight at every reap", test_depth},
	{"queue depth over time is the depth, and rate times latency", test_depth_by_time},
	{"a synchronous engine has one request at a time and its whole time", test_synchronous},
	{"only what completes inside the window counts", test_window},
	{"reads and writes are counted apart", test_read_and_write},
	{"short transfers are continued and counted once", test_short},
	{"the pieces of a transfer join without a gap", test_pieces},
	{"a failed request ends the load and names file, operation and cause", test_failures},
	{"a context beyond use ends the load", test_context},
	{"requests that the kernel never has room for end with the deadline", test_endless_retry},
	{"a write budget is spent to the last whole block", test_budget},
	{"a stop before the start submits nothing", test_stop},
	{"batches are submitted and reaped whole", test_batches},
	{"batches are used where they pay and only there", test_adapts},
	{"without a warm-up there are no batches", test_no_warmup},
	{NULL, NULL},
};

const struct suite suite_inflight = {"inflight", tests};
