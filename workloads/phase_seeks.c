/* SPDX-License-Identifier: MIT */
/*
 * phase_seeks.c - several seekers, each: seek to a chunk, read it, and every so often dirty it and
 * write it back. Chunks are drawn without replacement from the whole file, from one pool of
 * tickets, so no seeker idles while another has work; a pass ends at a quarter of the file.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "datafile.h"
#include "params.h"
#include "permutation.h"

enum { SEEK, READ, WRITE };

/* run->data is a datafile, followed by what only seeks need. */
struct seeks {
	struct datafile file; /* first: the datafile functions work on it */
	struct permutation order;
	uint64_t tickets;       /* of a pass */
	uint64_t rewrite_percent;
	_Atomic uint64_t next;
};

static int setup(struct phase_run *run, struct err *err)
{
	struct seeks *seeks;
	uint64_t chunks;
	int code = datafile_setup(run, err);

	if (code)
		return code;
	seeks = realloc(run->data, sizeof(*seeks));
	if (!seeks)
		return err_set(err, -ENOMEM, "set up seeks: %s", strerror(ENOMEM));
	run->data = seeks;
	chunks = seeks->file.size_bytes / seeks->file.block_bytes;
	seeks->tickets = chunks >= 4 ? chunks / 4 : 1;
	seeks->rewrite_percent = point_number(run->point, "rewrite_percent");
	run->total_units = seeks->tickets;
	return 0;
}

static int reset(struct phase_run *run, struct err *err)
{
	struct seeks *seeks = run->data;
	uint64_t chunks = seeks->file.size_bytes / seeks->file.block_bytes;
	int code = datafile_reset(run, err);

	if (code)
		return code;
	permutation_init(&seeks->order, chunks, rng_seed_for(run->seed, "order", seeks->file.pass));
	atomic_store(&seeks->next, 0);
	return 0;
}

static unsigned seekers(const struct phase_run *run)
{
	return (unsigned)point_number(run->point, "seekers");
}

/* Spreads the rewrites evenly over the tickets: exactly the percentage of them. */
static bool is_rewrite(const struct seeks *seeks, uint64_t ticket)
{
	return (ticket + 1) * seeks->rewrite_percent / 100 > ticket * seeks->rewrite_percent / 100;
}

static int write_back(struct worker *worker, uint64_t offset, size_t length, uint64_t *end_ns)
{
	const struct chunker *chunker = worker->state;
	uint64_t start_ns;
	int code;

	payload_dirty(chunker->payload, chunker->buffer, length, offset);
	code = chunker_seek(worker, offset);
	if (code)
		return code;
	start_ns = clock_now_ns();
	code = chunker_write(worker, chunker->buffer, length, offset);
	if (code)
		return code;
	*end_ns = clock_now_ns();
	worker_record(worker, WRITE, start_ns, *end_ns, length);
	return 0;
}

static int visit(struct worker *worker, uint64_t offset, bool rewrite)
{
	const struct seeks *seeks = worker->run->data;
	const struct chunker *chunker = worker->state;
	size_t length = seeks->file.block_bytes;
	uint64_t start_ns = clock_now_ns(), read_ns, end_ns;
	int code = chunker_seek(worker, offset);

	if (!code)
		code = chunker_read(worker, chunker->buffer, length, offset);
	if (code)
		return code;
	read_ns = end_ns = clock_now_ns();
	worker_record(worker, READ, start_ns, read_ns, length);
	if (rewrite) {
		code = write_back(worker, offset, length, &end_ns);
		if (code)
			return code;
	}
	worker_record(worker, SEEK, start_ns, end_ns, 0);
	worker_progress(worker, 1);
	return 0;
}

static int work(struct worker *worker)
{
	struct seeks *seeks = worker->run->data;
	size_t block = seeks->file.block_bytes;

	while (!worker_stopped(worker)) {
		uint64_t ticket = atomic_fetch_add(&seeks->next, 1);
		bool rewrite = is_rewrite(seeks, ticket);
		int code;

		if (ticket >= seeks->tickets)
			break;
		if (rewrite && !worker_may_write(worker, block))
			break;
		code = visit(worker, permutation_at(&seeks->order, ticket) * block, rewrite);
		if (code)
			return code;
	}
	return chunker_sync_close(worker);
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	datafile_cost_read(point, target, cost);
	cost->write_bytes = cost->data_bytes / 4 * point_number(point, "rewrite_percent") / 100;
}

static const struct param param_seekers = {
	.name = "seekers",
	.help = "workers seeking at once",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1024,
};

static const struct param param_rewrite_percent = {
	.name = "rewrite_percent",
	.help = "percent of the chunks that are dirtied and written back",
	.kind = PARAM_PERCENT,
	.flags = PARAM_IDENTITY,
};

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_DATA_FILE,
	{&param_block_size, "8k"},
	{&param_cache, "cold"},
	{&param_seekers, "5"},
	{&param_rewrite_percent, "10"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "seek", .headline_rate = "rate", .headline_latency = "latency_p99"},
	{.name = "read", .moves_bytes = true, .reads = true},
	{.name = "write", .moves_bytes = true, .writes = true},
	{.name = NULL},
};

static bool performs(const struct point *point, const struct operation *operation)
{
	return operation != &operations[WRITE] || point_number(point, "rewrite_percent") > 0;
}

const struct phase phase_seeks = {
	.name = "seeks",
	.group = "files",
	.help = "seek and read chunks all over the file without repeats, writing some back",
	.params = params,
	.operations = operations,
	.model = MODEL_PASSES,
	.traffic = datafile_traffic,
	.cost = cost,
	.performs = performs,
	.setup = setup,
	.reset = reset,
	.finish = datafile_finish,
	.teardown = datafile_teardown,
	.roles = {{.name = "seeker",
		   .workers = seekers,
		   .begin = chunker_open_update,
		   .work = work,
		   .end = chunker_close}},
};
