/* SPDX-License-Identifier: MIT */
/*
 * runner.c - see runner.h; phase.h tells the order in which a phase's functions are called.
 *
 * Timing
 *  1. The main thread never times the load. Each worker reads the clock as the first and last
 *     thing of its work; a pass lasts from the earliest begin to the latest end.
 *  2. A STEADY window is fixed before the gate opens: it starts warmup after the opening and lasts
 *     time. worker_record drops what completes outside it. Workers go on without a pause from the
 *     warm-up into the window.
 *  3. Histograms and series belong to one worker each and are merged after all joins.
 *  4. Device and machine counters are read by the main thread when the window opens and closes
 *     (STEADY), or just before the gate opens and after the last worker has left (PASSES).
 *  5. The first error by worker index is the measurement's. A worker that fails stops the others.
 */
#include "runner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "durability.h"
#include "gate.h"
#include "progress.h"
#include "roots.h"
#include "warm.h"
#include "witness.h"

enum { RESET_FACTOR = 4 }; /* PASSES end after this many times `time`, resets included */
#define TICK_NS (100 * NS_PER_MS)      /* how often the main thread looks around */
#define FOREVER_NS (UINT64_MAX / 4)

/* All that belongs to one point being measured. */
struct crew {
	struct runner *runner;
	struct phase_run run;
	atomic_bool halt; /* what the workers see as run.stop */
	struct gate gate;
	unsigned operation_count;
	struct recorder *recorders; /* operation_count for each worker */
	struct thread *threads;
	/* The window, written before the gate opens. */
	uint64_t window_start_ns, window_length_ns, deadline_ns;
	/* Summed over passes; worked_ns is from the first begin to the last end of work, what lies
	 * outside the window too. */
	uint64_t elapsed_ns, cached_elapsed_ns, worked_ns;
	uint64_t kernel_threads_ns;  /* CPU time of threads that the kernel made for the load */
	uint64_t durable_elapsed_ns; /* of what was written through the cache, its sync with it */
	uint64_t units; /* of finished passes */
	unsigned passes;
	uint64_t pass_write_bytes; /* of the last one, within the clock */
	uint64_t settled_bytes; /* written outside the clock, already taken off --max-write */
	bool cached_known;
	bool budget_spent;
};

struct thread {
	pthread_t id;
	struct crew *crew;
	struct worker *worker;
	uint64_t cpu_ns; /* of its whole life */
	int code;
};

/* ---- worker threads ---- */

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

/* For how long this thread was ready to run and had no CPU, the second of three numbers. These are
 * calls that no load makes: who counts or breaks those of the load by their number finds them. */
static bool read_wait_ns(uint64_t *wait_ns)
{
	char text[100];
	struct iovec room = {.iov_base = text, .iov_len = sizeof(text) - 1};
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : preadv(fd, &room, 1, 0);

	if (fd >= 0 && close_range((unsigned)fd, (unsigned)fd, 0))
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return sscanf(text, "%*u %" SCNu64, wait_ns) == 1;
}

static uint64_t cpu_time_ns(clockid_t clock)
{
	struct timespec time = {0};

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static void timed_work(struct thread *thread)
{
	struct worker *worker = thread->worker;
	struct rusage before, after;
	uint64_t wait_before_ns, wait_after_ns;

	worker->cpu_wait_known = read_wait_ns(&wait_before_ns);
	getrusage(RUSAGE_THREAD, &before);
	worker->begin_ns = clock_now_ns();
	if (worker->run->point->phase->model == MODEL_PASSES) /* goes on where the last pass
							       * ended */
		worker->window_start_ns = worker->begin_ns - thread->crew->elapsed_ns;
	thread->code = worker->role->work(worker);
	worker->end_ns = clock_now_ns();
	getrusage(RUSAGE_THREAD, &after);
	worker->work_ns += worker->end_ns - worker->begin_ns;
	worker->cpu_user_ns += timeval_ns(after.ru_utime) - timeval_ns(before.ru_utime);
	worker->cpu_system_ns += timeval_ns(after.ru_stime) - timeval_ns(before.ru_stime);
	if (worker->cpu_wait_known && read_wait_ns(&wait_after_ns))
		worker->cpu_wait_ns += wait_after_ns - wait_before_ns;
}

#ifndef __SANITIZE_THREAD__
/* A descriptor table of its own: in a shared one every system call takes a reference to its file
 * and locks the file position, which a process that loads alone would not pay. Where it cannot be
 * had the load is merely slower. */
static void own_descriptors(void)
{
	(void)unshare(CLONE_FILES);
}
#else
/* The sanitizer takes the same number in two tables for the same file. */
static void own_descriptors(void)
{
}
#endif

static void *thread_main(void *context)
{
	struct thread *thread = context;
	struct crew *crew = thread->crew;
	struct worker *worker = thread->worker;

	if (!crew->run.point->phase->shares_files)
		own_descriptors();
	thread->code = worker->role->begin ? worker->role->begin(worker) : 0;
	if (thread->code)
		atomic_store(&crew->halt, true);
	if (gate_pass(&crew->gate) && !thread->code) {
		worker->window_start_ns = crew->window_start_ns;
		worker->window_length_ns = crew->window_length_ns;
		worker->deadline_ns = crew->deadline_ns;
		worker->cached_ns = 0;
		timed_work(thread);
	}
	if (thread->code)
		atomic_store(&crew->halt, true);
	gate_leave(&crew->gate);
	if (worker->role->end) {
		int code = worker->role->end(worker);

		thread->code = thread->code ? thread->code : code;
	}
	thread->cpu_ns = cpu_time_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* Creates the threads; fewer than asked for when one cannot be had, with the reason in err. */
static unsigned start_threads(struct crew *crew, struct err *err)
{
	unsigned made = 0;

	for (; made < crew->run.worker_count; made++) {
		struct thread *thread = &crew->threads[made];
		int code;

		thread->crew = crew;
		thread->worker = &crew->run.workers[made];
		thread->code = 0;
		atomic_store(&thread->worker->progress, 0);
		code = pthread_create(&thread->id, NULL, thread_main, thread);
		if (code) {
			err_set(err, -code, "start worker %u of %u: %s", made + 1,
				crew->run.worker_count, strerror(code));
			break;
		}
	}
	return made;
}

static int first_error(const struct crew *crew, unsigned count, struct err *err)
{
	for (unsigned i = 0; i < count; i++)
		if (crew->threads[i].code) {
			*err = crew->threads[i].worker->err;
			return crew->threads[i].code;
		}
	return 0;
}

/* ---- watching over a load ---- */

/* Of this pass, or of the window. */
static uint64_t progress_of(const struct crew *crew)
{
	uint64_t units = 0;

	for (unsigned i = 0; i < crew->run.worker_count; i++)
		units += atomic_load_explicit(&crew->run.workers[i].progress, memory_order_relaxed);
	return units;
}

static void tell_progress(const struct crew *crew)
{
	progress_tick(crew->runner->progress, &crew->run, crew->elapsed_ns,
		      crew->units + progress_of(crew));
}

static bool signalled(const struct crew *crew)
{
	return atomic_load_explicit(crew->runner->stop, memory_order_relaxed);
}

/* Waits until all workers have left or until_ns has come, passing on signals and telling the
 * progress; true when they have left. */
static bool watch(struct crew *crew, unsigned count, uint64_t until_ns)
{
	for (;;) {
		uint64_t now_ns = clock_now_ns();
		uint64_t wake_ns = now_ns + TICK_NS < until_ns ? now_ns + TICK_NS : until_ns;

		if (gate_await_left(&crew->gate, count, wake_ns))
			return true;
		if (signalled(crew))
			atomic_store(&crew->halt, true);
		tell_progress(crew);
		if (clock_now_ns() >= until_ns)
			return false;
	}
}

/* The counters of the log's devices, where they are others than the target's and are worked on. */
static struct counters *log_counters(const struct crew *crew)
{
	return crew->run.point->phase->syncs & SYNCS_LOG ? crew->runner->wal_counters : NULL;
}

static void counters_on(struct crew *crew)
{
	if (crew->runner->counters)
		counters_start(crew->runner->counters);
	if (log_counters(crew))
		counters_start(log_counters(crew));
	if (crew->runner->witness)
		witness_start(crew->runner->witness);
}

static void counters_off(struct crew *crew)
{
	if (crew->runner->witness)
		witness_stop(crew->runner->witness, crew->deadline_ns);
	if (crew->runner->counters)
		counters_stop(crew->runner->counters);
	if (log_counters(crew))
		counters_stop(log_counters(crew));
}

static void watch_window(struct crew *crew, unsigned count)
{
	if (!watch(crew, count, crew->window_start_ns)) {
		counters_on(crew);
		watch(crew, count, crew->deadline_ns);
		counters_off(crew);
	}
	watch(crew, count, FOREVER_NS);
}

/* ---- one start of all workers ---- */

static void set_budgets(struct crew *crew)
{
	uint64_t left = crew->runner->write_left;

	for (unsigned i = 0; i < crew->run.worker_count; i++)
		crew->run.workers[i].write_budget =
			left == UINT64_MAX ? UINT64_MAX : left / crew->run.worker_count;
}

static void settle_budgets(struct crew *crew)
{
	uint64_t left = 0;

	if (crew->runner->write_left == UINT64_MAX)
		return;
	for (unsigned i = 0; i < crew->run.worker_count; i++) {
		left += crew->run.workers[i].write_budget;
		crew->budget_spent |= crew->run.workers[i].budget_spent;
	}
	crew->runner->write_left = left;
}

static void set_window(struct crew *crew, bool steady)
{
	uint64_t now_ns = clock_now_ns();

	if (steady) {
		crew->window_start_ns = now_ns + crew->run.warmup_ns;
		crew->window_length_ns = crew->run.time_ns;
		crew->deadline_ns = crew->window_start_ns + crew->window_length_ns;
	} else {
		crew->window_length_ns = FOREVER_NS;
		crew->deadline_ns = FOREVER_NS;
	}
}

/* The longest extent over workers: latest end or cache mark, minus earliest begin. */
static uint64_t span_ns(const struct crew *crew, bool to_cache)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < crew->run.worker_count; i++) {
		const struct worker *worker = &crew->run.workers[i];
		uint64_t end = to_cache ? worker->cached_ns : worker->end_ns;

		first = worker->begin_ns < first ? worker->begin_ns : first;
		last = end > last ? end : last;
	}
	return last > first ? last - first : 0;
}

/* The process's CPU time without this thread's. */
static uint64_t others_cpu_ns(void)
{
	return cpu_time_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_time_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What the process used besides its own threads is the load's too: io_uring hands requests that
 * would block to threads of its own. */
static void count_kernel_threads(struct crew *crew, unsigned made, uint64_t others_ns)
{
	uint64_t ours_ns = 0;

	for (unsigned i = 0; i < made; i++)
		ours_ns += crew->threads[i].cpu_ns;
	crew->kernel_threads_ns += others_ns > ours_ns ? others_ns - ours_ns : 0;
}

/* Starts all workers, lets them work once, and joins them. */
static int run_once(struct crew *crew, bool steady, struct err *err)
{
	uint64_t others_ns = others_cpu_ns();
	int code = 0, lost = 0;
	unsigned made;

	gate_init(&crew->gate);
	set_budgets(crew);
	made = start_threads(crew, err);
	if (made < crew->run.worker_count)
		lost = err->code;
	gate_await(&crew->gate, made);
	if (!steady)
		counters_on(crew);
	set_window(crew, steady);
	gate_decide(&crew->gate, !lost && !atomic_load(&crew->halt));
	if (steady) {
		watch_window(crew, made);
	} else {
		watch(crew, made, FOREVER_NS);
		counters_off(crew);
	}
	for (unsigned i = 0; i < made; i++)
		pthread_join(crew->threads[i].id, NULL);
	count_kernel_threads(crew, made, others_cpu_ns() - others_ns);
	gate_release(&crew->gate);
	settle_budgets(crew);
	code = lost ? lost : first_error(crew, made, err);
	if (!code && signalled(crew))
		code = err_set(err, -EINTR, "interrupted");
	crew->worked_ns += code ? 0 : span_ns(crew, false);
	return code;
}

/* ---- what is written outside the clock ---- */

static uint64_t untimed_bytes(const struct crew *crew)
{
	return fileset_laid_out_bytes(crew->run.fileset) + crew->run.untimed_write_bytes;
}

/* Counts against --max-write like the timed load, and is known before the next pass. */
static void settle_untimed(struct crew *crew)
{
	uint64_t bytes = untimed_bytes(crew) - crew->settled_bytes;
	uint64_t *left = &crew->runner->write_left;

	crew->settled_bytes += bytes;
	if (*left != UINT64_MAX)
		*left = *left > bytes ? *left - bytes : 0;
	crew->run.write_left = *left;
	fileset_limit(crew->run.fileset, *left);
}

/* Memory that the load is going to fill the page cache with. What is free goes back to a host
 * within seconds, so that once in a run would not do. */
static void warm_cache_memory(const struct crew *crew)
{
	const struct point *point = crew->run.point;
	struct phase_cost cost = {0};

	/* A pass leaves its memory warm to the next. */
	if (crew->passes || !point->phase->cost)
		return;
	if (point_has(point, "cache") && point_is(point, "cache", "warm"))
		return;
	point->phase->cost(point, crew->runner->target, &cost);
	warm_memory(&roots_real, cost.memory_bytes, crew->runner->stop);
}

static int reset(struct crew *crew, struct err *err)
{
	const struct phase *phase = crew->run.point->phase;
	int code;

	settle_untimed(crew);
	code = phase->reset ? phase->reset(&crew->run, err) : 0;
	settle_untimed(crew);
	if (!code)
		warm_cache_memory(crew);
	return code;
}

/* ---- the two timing models ---- */

static int run_pass(struct crew *crew, struct err *err)
{
	uint64_t left = crew->runner->write_left;
	int code = run_once(crew, false, err);

	if (code)
		return code;
	crew->passes++;
	crew->pass_write_bytes = left - crew->runner->write_left;
	crew->elapsed_ns += span_ns(crew, false);
	crew->durable_elapsed_ns = crew->elapsed_ns; /* a pass ends with its sync */
	if (crew->runner->witness)
		witness_pass(crew->runner->witness, progress_of(crew), span_ns(crew, false));
	tell_progress(crew); /* passes may be too short to be watched */
	crew->units += progress_of(crew);
	crew->cached_known = crew->run.workers[0].cached_ns != 0;
	crew->cached_elapsed_ns += crew->cached_known ? span_ns(crew, true) : 0;
	return 0;
}

static int run_passes(struct crew *crew, struct err *err)
{
	uint64_t start_ns = clock_now_ns();

	do {
		int code = reset(crew, err);

		/* The next pass cannot be prepared within --max-write: the load ends here. */
		if (code == ERR_SKIP && crew->passes && crew->runner->write_left != UINT64_MAX) {
			crew->budget_spent = true;
			return 0;
		}
		if (!code)
			code = run_pass(crew, err);
		if (code)
			return code;
		if (crew->elapsed_ns >= crew->run.time_ns ||
		    clock_now_ns() - start_ns >= RESET_FACTOR * crew->run.time_ns)
			return 0;
		/* Half a pass would leave the file torn for the phases that come. */
		crew->budget_spent |= crew->runner->write_left < crew->pass_write_bytes;
	} while (!crew->budget_spent);
	return 0;
}

/* What a STEADY load wrote through the cache, its warm-up too, is synced after the window: each
 * second of the load has its share of that time. */
static void settle_sync(struct crew *crew)
{
	uint64_t load_ns = span_ns(crew, true), whole_ns = span_ns(crew, false);

	crew->durable_elapsed_ns = crew->elapsed_ns;
	crew->cached_known = crew->run.workers[0].cached_ns != 0 && load_ns > 0;
	if (!crew->cached_known)
		return;
	crew->cached_elapsed_ns = crew->elapsed_ns;
	crew->durable_elapsed_ns = (uint64_t)((double)crew->elapsed_ns * (double)whole_ns /
					      (double)load_ns);
}

static int run_steady(struct crew *crew, struct err *err)
{
	uint64_t last_ns = 0;
	int code = reset(crew, err);

	if (!code)
		code = run_once(crew, true, err);
	if (code)
		return code;
	crew->elapsed_ns = crew->window_length_ns;
	if (!crew->budget_spent) {
		settle_sync(crew);
		return 0;
	}
	/* --max-write ended the load: the window ends with it. */
	for (unsigned i = 0; i < crew->run.worker_count; i++)
		if (crew->run.workers[i].end_ns > last_ns)
			last_ns = crew->run.workers[i].end_ns;
	if (last_ns < crew->window_start_ns)
		crew->elapsed_ns = 0;
	else if (last_ns < crew->deadline_ns)
		crew->elapsed_ns = last_ns - crew->window_start_ns;
	settle_sync(crew);
	return 0;
}

/* ---- making and unmaking the crew ---- */

static unsigned count_operations(const struct phase *phase)
{
	unsigned count = 0;

	while (phase->operations[count].name)
		count++;
	assert(count <= OPERATIONS_MAX);
	return count;
}

static unsigned role_workers(const struct role *role, const struct phase_run *run)
{
	return role->workers ? role->workers(run) : 1;
}

static unsigned count_workers(const struct phase_run *run)
{
	unsigned count = 0;

	for (const struct role *role = run->point->phase->roles; role->work; role++)
		count += role_workers(role, run);
	return count;
}

static void assign_roles(struct crew *crew)
{
	struct worker *worker = crew->run.workers;
	unsigned n = 0;

	for (const struct role *role = crew->run.point->phase->roles; role->work; role++) {
		unsigned count = role_workers(role, &crew->run);

		for (unsigned i = 0; i < count; i++, n++, worker++) {
			worker->run = &crew->run;
			worker->role = role;
			worker->index = i;
			worker->seed = rng_seed_for(crew->run.seed, role->name, i);
			worker->recorders = &crew->recorders[n * crew->operation_count];
		}
	}
}

static int make_crew(struct crew *crew, struct err *err)
{
	struct phase_run *run = &crew->run;
	unsigned recorders;
	int code = 0;

	run->worker_count = count_workers(run);
	recorders = run->worker_count * crew->operation_count;
	run->workers = calloc(run->worker_count, sizeof(*run->workers));
	crew->threads = calloc(run->worker_count, sizeof(*crew->threads));
	crew->recorders = calloc(recorders, sizeof(*crew->recorders));
	if (!run->workers || !crew->threads || !crew->recorders)
		return err_set(err, -ENOMEM, "allocate %u workers: %s", run->worker_count,
			       strerror(ENOMEM));
	for (unsigned i = 0; !code && i < recorders; i++) {
		histogram_init(&crew->recorders[i].histogram);
		code = series_init(&crew->recorders[i].series, RESET_FACTOR * run->time_ns, err);
	}
	if (!code)
		assign_roles(crew);
	return code;
}

static void unmake_crew(struct crew *crew)
{
	unsigned recorders = crew->recorders ? crew->run.worker_count * crew->operation_count : 0;

	for (unsigned i = 0; i < recorders; i++)
		series_release(&crew->recorders[i].series);
	free(crew->recorders);
	free(crew->threads);
	free(crew->run.workers);
}

/* ---- from recorders to the measurement ---- */

static void merge_into_first(struct crew *crew, unsigned operation)
{
	struct recorder *first = &crew->recorders[operation];

	for (unsigned i = 1; i < crew->run.worker_count; i++) {
		struct recorder *from = &crew->recorders[i * crew->operation_count + operation];

		histogram_merge(&first->histogram, &from->histogram);
		series_merge(&first->series, &from->series);
		first->bytes += from->bytes;
	}
}

static void add_samples(struct measurement *measurement, const char *operation,
			const struct series *series)
{
	for (size_t i = 0; i < series->used; i++) {
		const struct series_row *row = &series->rows[i];
		struct sample *sample = measurement_add_sample(measurement, operation);

		sample->at_ns = i * series->interval_ns;
		sample->count = row->count;
		sample->bytes = row->bytes;
		sample->latency_p99_ns = series_row_p99(row);
		sample->latency_max_ns = row->count ? (double)row->max_ns : NAN;
	}
}

static bool goes_to_cache(const struct point *point, const struct operation *operation)
{
	return operation->to_cache && !(point_has(point, "io") && point_is(point, "io", "direct"));
}

static void mark_headlines(struct measurement *measurement, const struct operation *operation)
{
	if (operation->headline_rate)
		measurement_mark_headline(measurement, operation->name, operation->headline_rate);
	if (operation->headline_latency)
		measurement_mark_headline(measurement, operation->name,
					  operation->headline_latency);
}

/* What was recorded of a part counts in its whole as well. */
static void add_parts(struct crew *crew)
{
	for (unsigned i = 0; i < crew->operation_count; i++) {
		unsigned whole = crew->run.point->phase->operations[i].part_of;

		if (!whole)
			continue;
		histogram_merge(&crew->recorders[whole - 1].histogram,
				&crew->recorders[i].histogram);
		series_merge(&crew->recorders[whole - 1].series, &crew->recorders[i].series);
		crew->recorders[whole - 1].bytes += crew->recorders[i].bytes;
	}
}

static void report_operation(struct crew *crew, unsigned index, struct measurement *measurement)
{
	const struct operation *operation = &crew->run.point->phase->operations[index];
	const struct recorder *recorder = &crew->recorders[index];
	bool bytes = operation->moves_bytes && (recorder->bytes || !recorder->histogram.count);
	bool to_cache = goes_to_cache(crew->run.point, operation) && crew->cached_known;

	measurement_add_operation(measurement, operation->name, &recorder->histogram,
				  bytes ? recorder->bytes : UINT64_MAX,
				  to_cache ? crew->durable_elapsed_ns : crew->elapsed_ns);
	if (to_cache)
		measurement_add_metric(measurement, operation->name,
				       metric_find("throughput_to_cache"),
				       (double)recorder->bytes * NS_PER_S /
					       (double)crew->cached_elapsed_ns);
	mark_headlines(measurement, operation);
	measurement_add_histogram(measurement, operation->name)->histogram = recorder->histogram;
	add_samples(measurement, operation->name, &recorder->series);
}

/* Of what failed there is no rate: the headline metrics say so by having no value. */
static void report_nothing(const struct operation *operation, struct measurement *measurement)
{
	const char *names[] = {operation->headline_rate, operation->headline_latency};

	for (int i = 0; i < 2; i++)
		if (names[i])
			measurement_add_metric(measurement, operation->name, metric_find(names[i]),
					       NAN)
				->headline = true;
}

/* Of all workers together and what the kernel did for them, over the time that any worked. */
static void report_cpu(const struct crew *crew, struct measurement *measurement)
{
	double user_ns = 0, system_ns = (double)crew->kernel_threads_ns, percent;

	if (!crew->worked_ns)
		return;
	for (unsigned i = 0; i < crew->run.worker_count; i++) {
		user_ns += (double)crew->run.workers[i].cpu_user_ns;
		system_ns += (double)crew->run.workers[i].cpu_system_ns;
	}
	percent = 100.0 / (double)crew->worked_ns;
	measurement_add_metric(measurement, "all", metric_find("cpu_user"), user_ns * percent);
	measurement_add_metric(measurement, "all", metric_find("cpu_system"), system_ns * percent);
}

/* Where the phase's log is, if it keeps one. */
static struct durability *log_durability(const struct crew *crew)
{
	const struct runner *runner = crew->runner;

	if (!(crew->run.point->phase->syncs & SYNCS_LOG))
		return NULL;
	return runner->wal_durability ? runner->wal_durability : runner->durability;
}

/* Where its data is, if it relies on syncs there and the log is somewhere else. */
static struct durability *target_durability(const struct crew *crew)
{
	bool relies = crew->run.point->phase->syncs & SYNCS_TARGET;

	return relies && log_durability(crew) != crew->runner->durability ? crew->runner->durability
									   : NULL;
}

/* Tries out what a sync is worth where the phase relies on it. */
static void try_syncs(struct crew *crew)
{
	struct phase_run *run = &crew->run;

	if (log_durability(crew) && !phase_write_untimed(run, DURABILITY_TRY_BYTES, NULL))
		durability_try(log_durability(crew), run->wal_target);
	if (target_durability(crew) && !phase_write_untimed(run, DURABILITY_TRY_BYTES, NULL))
		durability_try(target_durability(crew), run->target);
}

static void report_syncs(const struct crew *crew, struct measurement *measurement)
{
	if (log_durability(crew))
		durability_report(log_durability(crew), measurement);
	if (target_durability(crew))
		durability_report(target_durability(crew), measurement);
}

static void report(struct crew *crew, struct measurement *measurement)
{
	const struct phase *phase = crew->run.point->phase;

	for (unsigned i = 0; measurement->status == STATUS_OK && i < crew->operation_count; i++)
		merge_into_first(crew, i);
	if (measurement->status == STATUS_OK)
		add_parts(crew);
	for (unsigned i = 0; i < crew->operation_count; i++) {
		const struct operation *operation = &phase->operations[i];

		if (phase->performs && !phase->performs(crew->run.point, operation))
			continue;
		if (measurement->status == STATUS_OK)
			report_operation(crew, i, measurement);
		else if (measurement->status == STATUS_FAILED)
			report_nothing(operation, measurement);
	}
	if (measurement->status != STATUS_OK)
		return;
	measurement->elapsed_ns = crew->elapsed_ns;
	report_cpu(crew, measurement);
	if (crew->runner->counters)
		counters_report(crew->runner->counters, crew->elapsed_ns, measurement);
	if (log_counters(crew))
		counters_add_devices(log_counters(crew), measurement);
	if (crew->runner->witness)
		witness_report(crew->runner->witness, measurement);
	report_syncs(crew, measurement);
	if (crew->budget_spent)
		snprintf(measurement->message, sizeof(measurement->message),
			 "the load ended early: --max-write was reached");
}

static void add_parameters(const struct crew *crew, struct measurement *measurement)
{
	const struct phase *phase = crew->run.point->phase;

	for (int i = 0; phase->params[i].param; i++)
		if (phase->params[i].param->flags & PARAM_IDENTITY)
			measurement_add_parameter(measurement, phase->params[i].param->name,
						  crew->run.resolved[i]);
}

/* ---- a point ---- */

uint64_t runner_warmup_ns(const struct point *point)
{
	const uint64_t longest_ns = 2 * NS_PER_S;
	uint64_t quarter_ns = point_number(point, "time") / 4;

	if (!point_has(point, "warmup"))
		return 0;
	if (!point_is(point, "warmup", "auto"))
		return point_number(point, "warmup");
	return quarter_ns < longest_ns ? quarter_ns : longest_ns;
}

/* The seed follows from what the point is, so the battery around it does not matter. */
static uint64_t point_seed(const struct runner *runner, const struct point *point)
{
	uint64_t seed = rng_seed_for(runner->seed, point->phase->name, 0);

	for (int i = 0; point->phase->params[i].param; i++)
		if (point->phase->params[i].param->flags & PARAM_IDENTITY)
			seed = rng_seed_for(seed, point->values[i].text, point->values[i].number);
	return seed;
}

static void init_run(struct crew *crew, const struct point *point)
{
	struct runner *runner = crew->runner;

	crew->run = (struct phase_run){
		.point = point,
		.target = runner->target,
		.wal_target = runner->wal_target,
		.fileset = runner->fileset,
		.seed = point_seed(runner, point),
		.time_ns = point_number(point, "time"),
		.warmup_ns = runner_warmup_ns(point),
		.stop = &crew->halt,
	};
	crew->operation_count = count_operations(point->phase);
	crew->settled_bytes = untimed_bytes(crew);
	memcpy(crew->run.resolved, point->values, sizeof(point->values));
}

static void take_log_use(struct crew *crew)
{
	const struct counters *counters = crew->runner->wal_counters ? crew->runner->wal_counters
								     : crew->runner->counters;

	if (!counters || !(crew->run.point->phase->syncs & SYNCS_LOG))
		return;
	crew->run.log_use_known = counters_traffic(counters, &crew->run.log_use);
	crew->run.log_flushes_known = crew->run.log_use_known && counters_know_flushes(counters);
}

static int drive(struct crew *crew, struct measurement *measurement, struct err *err)
{
	const struct phase *phase = crew->run.point->phase;
	int code;

	if (phase->unavailable)
		return err_set(err, ERR_SKIP, "%s", phase->unavailable);
	settle_untimed(crew);
	code = phase->setup ? phase->setup(&crew->run, err) : 0;
	if (!code && crew->runner->witness)
		witness_ready(crew->runner->witness, &crew->run);
	if (!code)
		try_syncs(crew);
	if (!code)
		code = make_crew(crew, err);
	if (!code)
		code = phase->model == MODEL_STEADY ? run_steady(crew, err) : run_passes(crew, err);
	crew->run.elapsed_ns = crew->elapsed_ns;
	take_log_use(crew);
	if (!code && phase->finish)
		code = phase->finish(&crew->run, measurement, err);
	if (!code && crew->runner->witness)
		witness_load(crew->runner->witness, &crew->run, crew->budget_spent);
	return code;
}

int runner_measure(struct runner *runner, const struct point *point,
		   struct measurement *measurement)
{
	struct crew crew = {.runner = runner};
	struct err err = {0};
	int code;

	init_run(&crew, point);
	if (runner->counters)
		counters_reset(runner->counters);
	if (runner->wal_counters)
		counters_reset(runner->wal_counters);
	if (runner->witness)
		witness_begin(runner->witness);
	clock_label(measurement->started_at);
	code = drive(&crew, measurement, &err);
	if (code)
		snprintf(measurement->message, sizeof(measurement->message), "%s", err.text);
	measurement->status = !code ? STATUS_OK : code == ERR_SKIP ? STATUS_SKIPPED : STATUS_FAILED;
	report(&crew, measurement);
	if (point->phase->teardown && !point->phase->unavailable)
		point->phase->teardown(&crew.run);
	add_parameters(&crew, measurement);
	settle_untimed(&crew);
	unmake_crew(&crew);
	return signalled(&crew) ? -EINTR : 0;
}
