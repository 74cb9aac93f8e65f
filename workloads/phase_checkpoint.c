/* SPDX-License-Identifier: MIT */
/*
 * phase_checkpoint.c - clients commit at a fixed rate while dirty pages are written back in cycles.
 *
 * Time
 *  1. Client c of n starts its i-th commit at (i n + c) / commit_rate after the load began, or,
 *    when the one before came back later than that, at once. Its latency counts from when it was to
 *    start: a log that stalls is charged for everyone who had to wait (no coordinated omission).
 *  2. The window opens with a checkpoint and is a whole number of intervals long, at least three.
 *     The warm-up is at least one interval, so that the first checkpoint has its pages.
 *  3. A checkpoint lasts from its first page write until its last sync has returned. A commit is in
 *     it when the two overlap.
 *  4. When even an undisturbed checkpoint, tried out before, takes more than half of the interval,
 *     the window is made as much longer as they will be late.
 *
 * Pages. commit_rate x interval commits dirty dirty_pages pages, evenly; a checkpoint writes those
 * dirtied since the last. Style postgresql: every one is the first touch since the checkpoint, so
 * its image goes into the log with the commit; writing is spread over half of the interval, the
 * syncs come last. Style direct: no images; writing is spread over the whole interval, so that it
 * never pauses, and all commits are in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "pages.h"
#include "params.h"
#include "payload.h"
#include "wal.h"

enum { COMMIT, COMMIT_IN, COMMIT_OUTSIDE, PAGE_WRITE, FLUSH };

enum { CYCLES_MIN = 3, PIECES_MAX = 1024 };

struct checkpoint {
	struct log *log;
	struct pages *pages;
	size_t record_bytes, page_bytes;
	uint64_t commit_rate, interval_ns, spread_ns;
	uint64_t dirty_pages;
	uint64_t cycle_commits;    /* that dirty so many pages */
	unsigned touches_max;      /* pages a commit dirties at most */
	bool images;
	struct log_shape shape;
	_Atomic uint64_t commits;  /* begun */
	_Atomic uint64_t touched;  /* pages dirtied since the last checkpoint */
	_Atomic uint64_t begun_ns, ended_ns; /* of the last checkpoint; 0: none yet */
	/* The checkpointer's own, of those that ended in the window: */
	uint64_t whole, whole_ns, whole_pages;
};

/* What a client keeps. */
struct client {
	struct payload *records;
	struct payload *images; /* a slot for each page a commit dirties; NULL: none */
	struct iovec *pieces;
};

/* ---- setting up ---- */

static bool is_postgresql(const struct point *point)
{
	return point_is(point, "style", "postgresql");
}

static uint64_t commits_of(const struct point *point)
{
	double commits = (double)point_number(point, "commit_rate") *
			 (double)point_number(point, "interval") / (double)NS_PER_S;

	return commits < 1 ? 1 : (uint64_t)commits;
}

static unsigned touches_of(const struct point *point)
{
	uint64_t touches = point_number(point, "dirty_pages") / commits_of(point) + 1;

	return touches < PIECES_MAX ? (unsigned)touches : PIECES_MAX;
}

static struct log_shape shape_of(const struct point *point)
{
	size_t images = touches_of(point) * (size_t)point_number(point, "page_size");

	return wal_shape(point,
			 (size_t)point_number(point, "record_size") +
				 (is_postgresql(point) ? images : 0),
			 FLUSH);
}

static struct pages_shape pages_of(const struct point *point)
{
	return (struct pages_shape){
		.page_bytes = (size_t)point_number(point, "page_size"),
		.size_bytes = point_number(point, "size"),
		.compressible = (unsigned)point_number(point, "compressible"),
		.direct = !is_postgresql(point),
		.doublewrite = point_is(point, "doublewrite", "on"),
		.operation = PAGE_WRITE,
	};
}

static void read_point(const struct point *point, struct checkpoint *load)
{
	load->record_bytes = (size_t)point_number(point, "record_size");
	load->page_bytes = (size_t)point_number(point, "page_size");
	load->commit_rate = point_number(point, "commit_rate");
	load->interval_ns = point_number(point, "interval");
	load->images = is_postgresql(point);
	load->spread_ns = load->interval_ns / (load->images ? 2 : 1);
	load->dirty_pages = point_number(point, "dirty_pages");
	load->cycle_commits = commits_of(point);
	load->touches_max = touches_of(point);
	load->shape = shape_of(point);
}

/* The window: whole intervals, and room for three checkpoints of the length tried out. */
static void set_times(struct phase_run *run, const struct checkpoint *load, uint64_t took_ns)
{
	uint64_t interval_ns = load->interval_ns;
	uint64_t cycles = (run->time_ns + interval_ns - 1) / interval_ns;

	if (cycles < CYCLES_MIN)
		cycles = CYCLES_MIN;
	run->time_ns = cycles * interval_ns;
	if (run->time_ns < 2 * CYCLES_MIN * took_ns)
		run->time_ns = 2 * CYCLES_MIN * took_ns;
	if (run->warmup_ns < interval_ns)
		run->warmup_ns = interval_ns;
}

static int setup(struct phase_run *run, struct err *err)
{
	struct checkpoint *load = calloc(1, sizeof(*load));
	struct pages_shape shape = pages_of(run->point);
	uint64_t took_ns;
	int code;

	if (!load)
		return err_set(err, -ENOMEM, "set up checkpoint: %s", strerror(ENOMEM));
	run->data = load;
	read_point(run->point, load);
	if (load->touches_max == PIECES_MAX)
		return err_set(err, ERR_SKIP,
			       "dirty_pages are too many for the %llu commits of an interval",
			       (unsigned long long)load->cycle_commits);
	code = pages_open(&load->pages, run, &shape, err);
	if (!code)
		code = wal_open(&load->log, run, &load->shape, err);
	if (!code)
		code = pages_rehearse(load->pages, run, load->dirty_pages, &took_ns, err);
	if (!code)
		set_times(run, load, took_ns);
	return code;
}

static void teardown(struct phase_run *run)
{
	struct checkpoint *load = run->data;

	if (!load)
		return;
	log_close(load->log);
	pages_close(load->pages);
	free(load);
	run->data = NULL;
}

/* ---- clients ---- */

/* A sleep must not end 50 us late because the kernel saves timer interrupts. */
static void be_punctual(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL);
}

static int begin_client(struct worker *worker)
{
	const struct checkpoint *load = worker->run->data;
	struct client *client = calloc(1, sizeof(*client));
	int code;

	if (client)
		client->pieces = calloc(1 + load->touches_max, sizeof(*client->pieces));
	worker->state = client;
	if (!client || !client->pieces)
		return err_set(&worker->err, -ENOMEM, "set up a client: %s", strerror(ENOMEM));
	be_punctual();
	code = payload_open(&client->records, worker->seed, 1, load->record_bytes,
			    sizeof(uint64_t), 0, &worker->err);
	if (!code && load->images)
		code = payload_open(&client->images, rng_mix(worker->seed), load->touches_max,
				    load->page_bytes, sizeof(uint64_t), 0, &worker->err);
	return code;
}

static int end_client(struct worker *worker)
{
	struct client *client = worker->state;

	if (!client)
		return 0;
	payload_close(client->records);
	payload_close(client->images);
	free(client->pieces);
	free(client);
	worker->state = NULL;
	return 0;
}

/* Pages that the n-th commit dirties: spread evenly, exactly dirty_pages in cycle_commits. */
static unsigned touches_at(const struct checkpoint *load, uint64_t n)
{
	uint128 before = (uint128)n * load->dirty_pages / load->cycle_commits;
	uint128 after = ((uint128)n + 1) * load->dirty_pages / load->cycle_commits;

	return (unsigned)(after - before);
}

/* The record, and the images of the pages it is the first to touch. */
static unsigned make_record(const struct checkpoint *load, struct client *client, uint64_t n,
			    unsigned touches)
{
	unsigned count = 1, images = load->images ? touches : 0;

	client->pieces[0] =
		(struct iovec){payload_next(client->records, 0, n), load->record_bytes};
	for (unsigned i = 0; i < images; i++)
		client->pieces[count++] =
			(struct iovec){payload_next(client->images, i, n), load->page_bytes};
	return count;
}

/* Whether the time between overlaps the checkpoint under way, or the last. */
static bool was_in_checkpoint(struct checkpoint *load, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t ended_ns = atomic_load(&load->ended_ns), begun_ns = atomic_load(&load->begun_ns);

	if (begun_ns > ended_ns && begun_ns <= end_ns)
		return true;
	return ended_ns && ended_ns >= start_ns;
}

static int commit_once(struct worker *worker, uint64_t due_ns, uint64_t *now_ns)
{
	struct checkpoint *load = worker->run->data;
	struct client *client = worker->state;
	uint64_t n = atomic_fetch_add(&load->commits, 1);
	unsigned touches = touches_at(load, n), count = make_record(load, client, n, touches);
	int code = LOG_ENDED;

	if (worker_may_write(worker, log_commit_bytes(&load->shape, load->shape.body_bytes)))
		code = log_commit(load->log, worker, client->pieces, count);
	if (code == LOG_ENDED)
		worker->budget_spent = true;
	if (code)
		return code;
	*now_ns = clock_now_ns();
	atomic_fetch_add(&load->touched, touches);
	worker_record(worker,
		      was_in_checkpoint(load, due_ns, *now_ns) ? COMMIT_IN : COMMIT_OUTSIDE, due_ns,
		      *now_ns, 0);
	worker_progress(worker, 1);
	return 0;
}

static int work_client(struct worker *worker)
{
	const struct checkpoint *load = worker->run->data;
	uint64_t clients = load->shape.clients;
	uint64_t base_ns = worker->window_start_ns - worker->run->warmup_ns;
	uint64_t now_ns = clock_now_ns();

	for (uint64_t i = 0; worker_goes_on(worker, now_ns); i++) {
		uint64_t due_ns = base_ns + (uint64_t)((uint128)(i * clients + worker->index) *
						       NS_PER_S / load->commit_rate);
		int code;

		if (due_ns >= worker->deadline_ns)
			break;
		if (now_ns < due_ns)
			clock_sleep_until_ns(due_ns);
		code = commit_once(worker, due_ns, &now_ns);
		if (code)
			return code < 0 ? code : 0;
	}
	return 0;
}

/* ---- the checkpointer ---- */

static bool await_start(struct worker *worker, uint64_t start_ns)
{
	const uint64_t nap_ns = 20 * NS_PER_MS;
	uint64_t now_ns;

	while (worker_goes_on(worker, now_ns = clock_now_ns()) && now_ns < start_ns)
		clock_sleep_until_ns(now_ns + nap_ns < start_ns ? now_ns + nap_ns : start_ns);
	return worker_goes_on(worker, now_ns);
}

/* Pages dirtied since the last checkpoint; one that is dirtied again is one. */
static uint64_t take_touched(struct checkpoint *load)
{
	uint64_t touched = atomic_exchange(&load->touched, 0);

	return touched < load->dirty_pages ? touched : load->dirty_pages;
}

static int checkpoint_once(struct worker *worker)
{
	struct checkpoint *load = worker->run->data;
	uint64_t count = take_touched(load), begun_ns = clock_now_ns(), ended_ns;
	int code;

	if (!count)
		return 0;
	atomic_store(&load->begun_ns, begun_ns);
	code = pages_write_back(load->pages, worker, count, load->spread_ns);
	if (code)
		return code;
	ended_ns = clock_now_ns();
	atomic_store(&load->ended_ns, ended_ns);
	if (begun_ns >= worker->window_start_ns && ended_ns <= worker->deadline_ns) {
		load->whole++;
		load->whole_ns += ended_ns - begun_ns;
		load->whole_pages += count;
	}
	return 0;
}

static int work_checkpointer(struct worker *worker)
{
	const struct checkpoint *load = worker->run->data;
	uint64_t start_ns = worker->window_start_ns, now_ns = clock_now_ns();

	while (start_ns >= now_ns + load->interval_ns)
		start_ns -= load->interval_ns;
	while (await_start(worker, start_ns)) {
		int code = checkpoint_once(worker);

		if (code)
			return code < 0 ? code : 0;
		now_ns = clock_now_ns();
		start_ns += load->interval_ns;
		if (start_ns < now_ns)
			start_ns = now_ns; /* late: at once, and the interval counts from there */
	}
	return 0;
}

static int begin_checkpointer(struct worker *worker)
{
	(void)worker;
	be_punctual();
	return 0;
}

/* ---- the end ---- */

/* How the checkpoints went, and whether the clients could keep their rate. */
static void say_how(const struct phase_run *run, const struct checkpoint *load,
		    struct measurement *measurement)
{
	uint64_t commits = wal_count(run, COMMIT_IN) + wal_count(run, COMMIT_OUTSIDE);
	double asked = (double)load->commit_rate * (double)run->elapsed_ns / (double)NS_PER_S;
	size_t used, size = sizeof(measurement->message);
	char *text = measurement->message;

	if (load->whole)
		snprintf(text, size, "%llu whole checkpoints of %llu pages in %.2f s, mean",
			 (unsigned long long)load->whole,
			 (unsigned long long)(load->whole_pages / load->whole),
			 (double)load->whole_ns / (double)load->whole / 1e9);
	else
		snprintf(text, size, "no checkpoint ended within the time");
	used = strlen(text);
	if ((double)commits < 0.98 * asked)
		snprintf(text + used, size - used,
			 "; the log could not keep the rate: %.0f %% of the commits came in time",
			 100.0 * (double)commits / asked);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	struct checkpoint *load = run->data;

	say_how(run, load, measurement);
	return wal_finish(load->log, run, COMMIT, FLUSH, measurement, err);
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	struct log_shape shape = shape_of(point);
	struct pages_shape pages = pages_of(point);
	uint64_t interval_ns = point_number(point, "interval");
	uint64_t time_ns = point_number(point, "time");
	uint64_t dirty_bytes = point_number(point, "dirty_pages") * pages.page_bytes;

	(void)target;
	wal_cost(&shape, cost);
	cost->data_bytes = pages.size_bytes;
	cost->log_bytes += pages_extra_bytes(&pages);
	cost->write_bytes += dirty_bytes * (pages.doublewrite ? 2 : 1) * (CYCLES_MIN + 1);
	cost->time_ns = time_ns > CYCLES_MIN * interval_ns ? time_ns : CYCLES_MIN * interval_ns;
	cost->lays_out = true;
	if (!pages.direct)
		cost->memory_bytes = dirty_bytes < pages.size_bytes ? dirty_bytes
								    : pages.size_bytes;
}

/* ---- parameters ---- */

static const char *const style_choices[] = {"postgresql", "direct", NULL};
static const char *const doublewrite_choices[] = {"off", "on", NULL};

static const struct param param_page_size = {
	.name = "page_size",
	.help = "bytes in a page",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 4096,
	.max = 65536,
};

static const struct param param_dirty_pages = {
	.name = "dirty_pages",
	.help = "pages dirtied in an interval, which a checkpoint writes back",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 1ULL << 32,
};

static const struct param param_style = {
	.name = "style",
	.help = "buffered, sorted, synced last, images in the log; or direct and continuous",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = style_choices,
};

static const struct param param_doublewrite = {
	.name = "doublewrite",
	.help = "pages go to a file of their own first, which is synced",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = doublewrite_choices,
};

static const struct param param_interval = {
	.name = "interval",
	.help = "from the start of one checkpoint to the next",
	.kind = PARAM_DURATION,
	.flags = PARAM_IDENTITY,
	.min = 10000000,
};

static const struct param param_commit_rate = {
	.name = "commit_rate",
	.help = "commits a second, of all clients together",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 10000000,
};

static const struct param_use params[] = {
	PARAMS_STEADY,
	{&param_page_size, "8k"},
	{&param_dirty_pages, "4096"},
	{&param_style, "postgresql"},
	{&param_doublewrite, "off"},
	{&param_interval, "2s"},
	{&param_commit_rate, "1000"},
	PARAMS_WAL("8"),
	{&param_size, "1g"},
	{&param_compressible, "0"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[COMMIT] = {.name = "commit", .headline_latency = "latency_p99"},
	[COMMIT_IN] = {.name = "commit_in_checkpoint", .part_of = 1 + COMMIT},
	[COMMIT_OUTSIDE] = {.name = "commit_outside_checkpoint", .part_of = 1 + COMMIT},
	[PAGE_WRITE] = {.name = "page_write",
			.headline_rate = "throughput",
			.moves_bytes = true,
			.writes = true},
	[FLUSH] = {.name = "flush", .moves_bytes = true, .writes = true},
	{.name = NULL},
};

const struct phase phase_checkpoint = {
	.name = "checkpoint",
	.group = "durability",
	.help = "clients commit at a fixed rate while dirty pages are written back in cycles",
	.params = params,
	.operations = operations,
	.metrics = wal_metrics,
	.model = MODEL_STEADY,
	.syncs = SYNCS_LOG | SYNCS_TARGET,
	.shares_files = true,
	.swings = true,
	.traffic = wal_traffic,
	.cost = cost,
	.setup = setup,
	.finish = finish,
	.teardown = teardown,
	.roles = {{.name = "client",
		   .workers = wal_clients,
		   .begin = begin_client,
		   .work = work_client,
		   .end = end_client},
		  {.name = "checkpointer", .begin = begin_checkpointer, .work = work_checkpointer}},
};
