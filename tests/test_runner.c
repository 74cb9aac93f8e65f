/* SPDX-License-Identifier: MIT */
/*
 * test_runner.c - how a point is measured, with made-up phases whose times and ends are known.
 *
 * Each test fills a script, which the phases find as their variant.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "point_fixture.h"
#include "site_fixture.h"
#include "suite/runner.h"
#include "suites.h"
#include "workloads/params.h"

enum { WORKERS_MAX = 8, PASSES_MAX = 4096 };

struct script {
	int (*begin)(struct worker *worker);
	int (*work)(struct worker *worker);
	int setup_code, reset_code, finish_code;
	unsigned reset_ms;
	unsigned good_resets;  /* before reset_code is returned */
	uint64_t untimed_bytes; /* that a reset says it wrote */
	atomic_int setups, resets, begins, works, ends, finishes, teardowns;
	/* By worker, as it saw them. */
	uint64_t seeds[WORKERS_MAX];
	uint64_t begin_ns[PASSES_MAX], end_ns[PASSES_MAX]; /* by pass: earliest, latest */
	uint64_t run_seed, elapsed_ns;
	atomic_ullong written;
};

static struct script *script_of(const struct phase_run *run)
{
	return *(struct script *const *)run->point->phase->variant;
}

static void sleep_ms(unsigned ms)
{
	clock_sleep_until_ns(clock_now_ns() + ms * NS_PER_MS);
}

static int setup(struct phase_run *run, struct err *err)
{
	struct script *script = script_of(run);

	atomic_fetch_add(&script->setups, 1);
	script->run_seed = run->seed;
	return script->setup_code ? err_set(err, script->setup_code, "setup says no") : 0;
}

static int reset(struct phase_run *run, struct err *err)
{
	struct script *script = script_of(run);
	int n = atomic_fetch_add(&script->resets, 1);

	sleep_ms(script->reset_ms);
	script->begin_ns[n] = UINT64_MAX;
	run->untimed_write_bytes += script->untimed_bytes;
	if (script->reset_code && n >= (int)script->good_resets)
		return err_set(err, script->reset_code, "reset says no");
	return 0;
}

static int begin(struct worker *worker)
{
	struct script *script = script_of(worker->run);

	atomic_fetch_add(&script->begins, 1);
	script->seeds[worker - worker->run->workers] = worker->seed;
	return script->begin ? script->begin(worker) : 0;
}

static int work(struct worker *worker)
{
	struct script *script = script_of(worker->run);

	atomic_fetch_add(&script->works, 1);
	return script->work ? script->work(worker) : 0;
}

static int end(struct worker *worker)
{
	atomic_fetch_add(&script_of(worker->run)->ends, 1);
	return 0;
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	struct script *script = script_of(run);

	(void)measurement;
	atomic_fetch_add(&script->finishes, 1);
	script->elapsed_ns = run->elapsed_ns;
	return script->finish_code ? err_set(err, script->finish_code, "finish says no") : 0;
}

static void teardown(struct phase_run *run)
{
	atomic_fetch_add(&script_of(run)->teardowns, 1);
}

static unsigned jobs(const struct phase_run *run)
{
	return (unsigned)point_number(run->point, "jobs");
}

static const struct param_use steady_params[] = {
	PARAMS_STEADY, {&param_jobs, "1"}, {&param_block_size, "8k"}, {NULL, NULL}};
static const struct param_use passes_params[] = {
	PARAMS_PASSES, {&param_jobs, "1"}, {&param_block_size, "8k"}, {NULL, NULL}};

enum { MOVE, LOOK, SPARE };

static const struct operation operations[] = {
	[MOVE] = {.name = "move",
		  .headline_rate = "throughput",
		  .headline_latency = "latency_max",
		  .moves_bytes = true,
		  .to_cache = true},
	[LOOK] = {.name = "look", .headline_rate = "rate"},
	[SPARE] = {.name = "spare"},
	{.name = NULL},
};

static bool performs(const struct point *point, const struct operation *operation)
{
	(void)point;
	return operation != &operations[SPARE];
}

static struct script *current; /* the script of the test that is running */

/* What the made-up phases have in common: each does what the script says. */
#define MADE_UP(its_name)                                                                          \
	.name = its_name, .operations = operations, .variant = &current
#define SCRIPTED .performs = performs, .setup = setup, .reset = reset, .finish = finish,          \
		 .teardown = teardown
#define LOADER {.name = "loader", .workers = jobs, .begin = begin, .work = work, .end = end}

static const struct phase steady = {MADE_UP("steady"), .params = steady_params,
				    .model = MODEL_STEADY, SCRIPTED, .roles = {LOADER}};
static const struct phase passes = {MADE_UP("passes"), .params = passes_params,
				    .model = MODEL_PASSES, SCRIPTED, .roles = {LOADER}};

static const struct phase two_roles = {
	MADE_UP("two_roles"),
	.params = steady_params,
	.model = MODEL_STEADY,
	.setup = setup,
	.finish = finish,
	.roles = {LOADER, {.name = "flusher", .begin = begin, .work = work, .end = end}},
};

static const struct phase unbuilt = {
	MADE_UP("unbuilt"),
	.unavailable = "built without it",
	.params = passes_params,
	.model = MODEL_PASSES,
	.setup = setup,
	.teardown = teardown,
	.roles = {LOADER},
};

/* ---- measuring ---- */

struct bench {
	struct site site;
	struct runner runner;
	struct script script;
	struct measurement measurement;
	int code;
};

static bool bench_open(struct bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	if (!site_open(&bench->site, SITE_DISK))
		return false;
	bench->runner = (struct runner){
		.target = &bench->site.target,
		.wal_target = &bench->site.target,
		.fileset = bench->site.fileset,
		.stop = &bench->site.stop,
		.seed = 11,
		.write_left = UINT64_MAX,
	};
	measurement_init(&bench->measurement, "none");
	current = &bench->script;
	return true;
}

static void bench_close(struct bench *bench)
{
	measurement_release(&bench->measurement);
	site_close(&bench->site);
}

static void measure_point(struct bench *bench, const struct point *point)
{
	measurement_release(&bench->measurement);
	measurement_init(&bench->measurement, point->phase->name);
	bench->code = runner_measure(&bench->runner, point, &bench->measurement);
}

static void measure(struct bench *bench, const struct phase *phase, const char *time,
		    const char *workers)
{
	struct point point = point_at_presets(phase);

	point_set(&point, "time", time);
	point_set(&point, "jobs", workers);
	measure_point(bench, &point);
}

static double value(const struct bench *bench, const char *operation, const char *metric)
{
	return measurement_value(&bench->measurement, operation, metric);
}

/* A new measurement with a clean script. */
static void rewind_script(struct bench *bench)
{
	memset(&bench->script, 0, sizeof(bench->script));
}

/* ---- STEADY ---- */

/* Completions just outside and just inside both ends of the window. */
static int record_around_the_window(struct worker *worker)
{
	uint64_t open = worker->window_start_ns, shut = open + worker->window_length_ns;

	worker_record(worker, MOVE, open - 1001, open - 1, 1);
	worker_record(worker, MOVE, open - 1000, open, 10);
	worker_record(worker, MOVE, shut - 501, shut - 1, 100);
	worker_record(worker, MOVE, shut - 500, shut, 1000);
	worker_record(worker, MOVE, shut, shut + 999999999, 10000);
	return 0;
}

static void only_completions_in_the_window_count(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = record_around_the_window;
	measure(&bench, &steady, "100ms", "3");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	CU_ASSERT_EQUAL(value(&bench, "move", "count"), 6);
	CU_ASSERT_EQUAL(value(&bench, "move", "bytes"), 330);
	CU_ASSERT_EQUAL(value(&bench, "move", "latency_min"), 500);
	CU_ASSERT_EQUAL(value(&bench, "move", "latency_max"), 1000);
	CU_ASSERT_DOUBLE_EQUAL(value(&bench, "move", "rate"), 60, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(value(&bench, "move", "throughput"), 3300, 1e-9);
	CU_ASSERT_EQUAL(bench.measurement.elapsed_ns, 100 * NS_PER_MS);
	bench_close(&bench);
}

static int load_until_deadline(struct worker *worker)
{
	uint64_t start_ns = clock_now_ns(), now_ns = start_ns;

	while (worker_goes_on(worker, now_ns)) {
		uint64_t before_ns = now_ns;

		now_ns = clock_now_ns();
		worker_record(worker, MOVE, before_ns, now_ns, 1);
	}
	return now_ns >= worker->deadline_ns || worker_stopped(worker) ? 0 : -EINVAL;
}

/* Whatever the workers do after the deadline, the window has the length that was asked for, opens
 * after the warm-up and shuts at the deadline. */
static int look_at_the_window(struct worker *worker)
{
	struct script *script = script_of(worker->run);
	uint64_t now_ns = clock_now_ns();

	script->begin_ns[worker->index] = worker->window_start_ns - now_ns;
	script->end_ns[worker->index] = worker->window_start_ns;
	if (worker->deadline_ns != worker->window_start_ns + worker->window_length_ns)
		return err_set(&worker->err, -EINVAL, "the deadline is not the end of the window");
	load_until_deadline(worker);
	sleep_ms(30);
	return 0;
}

static void the_window_has_the_length_asked_for(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = look_at_the_window;
	measure(&bench, &steady, "80ms", "2");
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, "");
	CU_ASSERT_EQUAL(bench.measurement.elapsed_ns, 80 * NS_PER_MS);
	CU_ASSERT_EQUAL(bench.script.elapsed_ns, 80 * NS_PER_MS);
	/* One window for all, its warm-up a quarter of the time. */
	CU_ASSERT_EQUAL(bench.script.end_ns[0], bench.script.end_ns[1]);
	CU_ASSERT(bench.script.begin_ns[0] <= 20 * NS_PER_MS ||
		  (int64_t)bench.script.begin_ns[0] < 0);
	bench_close(&bench);
}

static void the_warm_up_is_a_quarter_and_two_seconds_at_most(void)
{
	struct point point = point_at_presets(&steady);

	point_set(&point, "time", "4s");
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), NS_PER_S);
	point_set(&point, "time", "8s");
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), 2 * NS_PER_S);
	point_set(&point, "time", "10h");
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), 2 * NS_PER_S);
	point_set(&point, "warmup", "7s");
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), 7 * NS_PER_S);
	point_set(&point, "warmup", "0");
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), 0);
	point = point_at_presets(&passes);
	CU_ASSERT_EQUAL(runner_warmup_ns(&point), 0);
}

static void a_load_goes_on_from_warm_up_into_the_window(void)
{
	struct bench bench;
	double count;

	if (!bench_open(&bench))
		return;
	bench.script.work = load_until_deadline;
	measure(&bench, &steady, "60ms", "2");
	count = value(&bench, "move", "count");
	CU_ASSERT(count > 100);
	CU_ASSERT_DOUBLE_EQUAL(value(&bench, "move", "rate"), count / 0.06, count * 1e-6);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.works), 2);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.resets), 1);
	bench_close(&bench);
}

/* ---- PASSES ---- */

/* Worker i sleeps a while before and after its i-th part of the pass: extents differ. */
static int work_a_while(struct worker *worker)
{
	uint64_t start_ns = clock_now_ns();

	sleep_ms(4 + worker->index);
	worker_record(worker, MOVE, start_ns, clock_now_ns(), 1000);
	return 0;
}

/* Called with the pass done: end is the only place that sees what the runner timed. */
static int end_and_note(struct worker *worker)
{
	struct script *script = script_of(worker->run);
	int pass = atomic_load(&script->resets) - 1;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	if (worker->begin_ns < script->begin_ns[pass])
		script->begin_ns[pass] = worker->begin_ns;
	if (worker->end_ns > script->end_ns[pass])
		script->end_ns[pass] = worker->end_ns;
	pthread_mutex_unlock(&mutex);
	return end(worker);
}

static uint64_t noted_ns(const struct script *script)
{
	uint64_t sum = 0;

	for (int i = 0; i < atomic_load(&script->resets); i++)
		sum += script->end_ns[i] - script->begin_ns[i];
	return sum;
}

static const struct phase noted_passes = {
	MADE_UP("noted_passes"),
	.params = passes_params,
	.model = MODEL_PASSES,
	SCRIPTED,
	.roles = {{.name = "loader",
		   .workers = jobs,
		   .begin = begin,
		   .work = work,
		   .end = end_and_note}},
};

static void elapsed_is_the_sum_over_passes(void)
{
	struct bench bench;
	int count;

	if (!bench_open(&bench))
		return;
	bench.script.work = work_a_while;
	bench.script.reset_ms = 2;
	measure(&bench, &noted_passes, "30ms", "3");
	count = atomic_load(&bench.script.resets);
	CU_ASSERT(count >= 1 && count <= 5);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.works), 3 * count);
	CU_ASSERT_EQUAL(bench.measurement.elapsed_ns, noted_ns(&bench.script));
	CU_ASSERT_EQUAL(value(&bench, "move", "count"), 3 * count);
	CU_ASSERT_DOUBLE_EQUAL(value(&bench, "move", "throughput") *
				       (double)bench.measurement.elapsed_ns / 1e9,
			       3000.0 * count, 1e-6);
	bench_close(&bench);
}

static void passes_go_on_until_the_time_is_reached(void)
{
	struct bench bench;
	uint64_t before_last;
	int count;

	if (!bench_open(&bench))
		return;
	bench.script.work = work_a_while;
	measure(&bench, &noted_passes, "40ms", "1");
	count = atomic_load(&bench.script.resets);
	before_last = noted_ns(&bench.script) -
		      (bench.script.end_ns[count - 1] - bench.script.begin_ns[count - 1]);
	CU_ASSERT(bench.measurement.elapsed_ns >= 40 * NS_PER_MS);
	CU_ASSERT(before_last < 40 * NS_PER_MS);
	bench_close(&bench);
}

static void one_pass_is_made_however_short_the_time(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = work_a_while;
	bench.script.reset_ms = 30;
	measure(&bench, &passes, "1ms", "1");
	CU_ASSERT_EQUAL(atomic_load(&bench.script.works), 1);
	CU_ASSERT(bench.measurement.elapsed_ns >= 4 * NS_PER_MS);
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	bench_close(&bench);
}

/* Resets that take longer than what is timed do not go on for ever. */
static void passes_end_after_four_times_the_time(void)
{
	struct bench bench;
	uint64_t start_ns, took_ns;

	if (!bench_open(&bench))
		return;
	bench.script.reset_ms = 15;
	start_ns = clock_now_ns();
	measure(&bench, &passes, "20ms", "1");
	took_ns = clock_now_ns() - start_ns;
	CU_ASSERT(atomic_load(&bench.script.works) >= 1);
	CU_ASSERT(atomic_load(&bench.script.works) <= 6);
	CU_ASSERT(took_ns >= 80 * NS_PER_MS || bench.measurement.elapsed_ns >= 20 * NS_PER_MS);
	bench_close(&bench);
}

static int write_and_sync(struct worker *worker)
{
	sleep_ms(5);
	worker_record(worker, MOVE, clock_now_ns(), clock_now_ns(), 1000000);
	worker_mark_cached(worker);
	sleep_ms(20);
	return 0;
}

/* The rate to the page cache leaves the sync out, the rate to the disk does not. */
static void the_sync_counts_in_one_of_the_two_rates(void)
{
	double to_cache, to_disk;
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = write_and_sync;
	measure(&bench, &passes, "60ms", "2");
	to_cache = value(&bench, "move", "throughput_to_cache");
	to_disk = value(&bench, "move", "throughput");
	CU_ASSERT(to_disk <= 2e6 / 0.025);
	CU_ASSERT(to_cache <= 2e6 / 0.005);
	CU_ASSERT(to_cache > to_disk);
	CU_ASSERT(isnan(value(&bench, "look", "throughput_to_cache")));
	rewind_script(&bench);
	bench.script.work = work_a_while;
	measure(&bench, &passes, "10ms", "2");
	CU_ASSERT(isnan(value(&bench, "move", "throughput_to_cache")));
	bench_close(&bench);
}

/* ---- what is counted ---- */

static int record_all_over(struct worker *worker)
{
	struct rng rng;

	rng_init(&rng, worker->seed);
	for (int i = 0; i < 5000; i++) {
		uint64_t at_ns = worker->window_start_ns +
				 rng_below(&rng, worker->window_length_ns);
		unsigned operation = rng_below(&rng, 3) ? MOVE : LOOK;

		worker_record(worker, operation, at_ns - rng_below(&rng, 1000000), at_ns,
			      operation == MOVE ? rng_below(&rng, 1000) : 0);
	}
	return 0;
}

static int record_while_it_lasts(struct worker *worker)
{
	for (uint64_t end_ns = clock_now_ns() + 150 * NS_PER_MS; clock_now_ns() < end_ns;) {
		uint64_t start_ns = clock_now_ns();

		sleep_ms(1);
		worker_record(worker, MOVE, start_ns, clock_now_ns(), 7);
		worker_record(worker, LOOK, start_ns, clock_now_ns(), 0);
	}
	return 0;
}

static void check_samples(const struct bench *bench, const char *operation)
{
	const struct measurement *measurement = &bench->measurement;
	double count = 0, bytes = 0, longest = 0;
	uint64_t before_ns = 0;

	for (size_t i = 0; i < measurement->sample_count; i++) {
		const struct sample *sample = &measurement->samples[i];

		if (strcmp(sample->operation, operation) != 0)
			continue;
		CU_ASSERT(sample->at_ns >= before_ns && sample->at_ns < measurement->elapsed_ns);
		before_ns = sample->at_ns;
		count += (double)sample->count;
		bytes += (double)sample->bytes;
		longest = fmax(longest, isnan(sample->latency_max_ns) ? 0 : sample->latency_max_ns);
	}
	CU_ASSERT(count > 0);
	CU_ASSERT_EQUAL(count, value(bench, operation, "count"));
	CU_ASSERT_EQUAL(longest, value(bench, operation, "latency_max"));
	if (!strcmp(operation, "move"))
		CU_ASSERT_EQUAL(bytes, value(bench, operation, "bytes"));
}

static void samples_add_up_to_the_totals(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = record_all_over;
	measure(&bench, &steady, "2500ms", "4");
	CU_ASSERT_EQUAL(value(&bench, "move", "count") + value(&bench, "look", "count"), 20000);
	check_samples(&bench, "move");
	check_samples(&bench, "look");
	rewind_script(&bench);
	bench.script.work = record_while_it_lasts;
	measure(&bench, &passes, "1200ms", "3");
	CU_ASSERT(atomic_load(&bench.script.resets) > 1);
	check_samples(&bench, "move");
	check_samples(&bench, "look");
	bench_close(&bench);
}

static void burn(uint64_t cpu_ns)
{
	uint64_t until_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;

	while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		;
}

/* Worker 0 stays the longest, and burns the least. */
static int burn_unevenly(struct worker *worker)
{
	burn(worker->index * 40 * NS_PER_MS);
	if (!worker->index)
		sleep_ms(240);
	return 0;
}

/* The CPU time of all workers over the time of the pass, however short some of them stayed. */
static void cpu_time_counts_once(void)
{
	struct bench bench;
	double percent, wanted;

	if (!bench_open(&bench))
		return;
	bench.script.work = burn_unevenly;
	measure(&bench, &passes, "1ms", "4");
	percent = value(&bench, "all", "cpu_user") + value(&bench, "all", "cpu_system");
	wanted = 100.0 * 240 * NS_PER_MS / (double)bench.measurement.elapsed_ns;
	CU_ASSERT_DOUBLE_EQUAL(percent, wanted, wanted / 10);
	bench_close(&bench);
}

static void what_is_not_performed_is_not_reported(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = record_around_the_window;
	measure(&bench, &steady, "20ms", "1");
	CU_ASSERT_EQUAL(value(&bench, "look", "count"), 0);
	CU_ASSERT(isnan(value(&bench, "look", "rate")));
	CU_ASSERT(isnan(value(&bench, "look", "throughput")));
	CU_ASSERT(isnan(value(&bench, "spare", "count")));
	for (size_t i = 0; i < bench.measurement.metric_count; i++)
		CU_ASSERT_STRING_NOT_EQUAL(bench.measurement.metrics[i].operation, "spare");
	bench_close(&bench);
}

static void identity_is_archived_and_shape_is_not(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	measure(&bench, &steady, "20ms", "2");
	CU_ASSERT_PTR_NOT_NULL(measurement_parameter(&bench.measurement, "jobs"));
	CU_ASSERT_EQUAL(measurement_parameter(&bench.measurement, "jobs")->value.number, 2);
	CU_ASSERT_EQUAL(measurement_parameter(&bench.measurement, "block_size")->value.number,
			8192);
	CU_ASSERT_PTR_NULL(measurement_parameter(&bench.measurement, "time"));
	CU_ASSERT_PTR_NULL(measurement_parameter(&bench.measurement, "warmup"));
	bench_close(&bench);
}

static unsigned count_headlines(const struct measurement *measurement)
{
	unsigned count = 0;

	for (size_t i = 0; i < measurement->metric_count; i++)
		count += measurement->metrics[i].headline;
	return count;
}

/* ---- what goes wrong ---- */

static void check_calls(const struct bench *bench, int setups, int begins, int works, int teardowns)
{
	CU_ASSERT_EQUAL(atomic_load(&bench->script.setups), setups);
	CU_ASSERT_EQUAL(atomic_load(&bench->script.begins), begins);
	CU_ASSERT_EQUAL(atomic_load(&bench->script.ends), begins);
	CU_ASSERT_EQUAL(atomic_load(&bench->script.works), works);
	CU_ASSERT_EQUAL(atomic_load(&bench->script.teardowns), teardowns);
}

/* Headlines without a value, no elapsed time, no other metric. */
static void check_nothing_measured(const struct bench *bench, enum status status,
				   const char *message)
{
	const struct measurement *measurement = &bench->measurement;

	CU_ASSERT_EQUAL(measurement->status, status);
	CU_ASSERT_STRING_EQUAL(measurement->message, message);
	CU_ASSERT_EQUAL(measurement->elapsed_ns, 0);
	CU_ASSERT_EQUAL(measurement->histogram_count, 0);
	CU_ASSERT_EQUAL(measurement->sample_count, 0);
	CU_ASSERT_EQUAL(count_headlines(measurement), measurement->metric_count);
	CU_ASSERT_EQUAL(measurement->metric_count, status == STATUS_FAILED ? 3 : 0);
	for (size_t i = 0; i < measurement->metric_count; i++)
		CU_ASSERT(isnan(measurement->metrics[i].value));
	CU_ASSERT(measurement->parameter_count > 0);
}

/* Worker 2 fails; worker 1 fails too once it is stopped; the others only stop. */
static int fail_after_a_while(struct worker *worker)
{
	if (worker->index == 2) {
		sleep_ms(10);
		return err_set(&worker->err, -EIO, "worker 2 met a bad block");
	}
	while (!worker_stopped(worker) && clock_now_ns() < worker->deadline_ns)
		sleep_ms(1);
	if (worker->index == 1 && worker_stopped(worker))
		return err_set(&worker->err, -EPIPE, "worker 1 lost its peer");
	return 0;
}

static int fail_alone(struct worker *worker)
{
	if (worker->index == 2)
		return fail_after_a_while(worker);
	while (!worker_stopped(worker))
		sleep_ms(1);
	return 0;
}

static void a_worker_that_fails_stops_the_others(void)
{
	uint64_t start_ns = clock_now_ns();
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = fail_alone;
	measure(&bench, &passes, "1h", "4");
	CU_ASSERT_EQUAL(bench.code, 0);
	check_nothing_measured(&bench, STATUS_FAILED, "worker 2 met a bad block");
	check_calls(&bench, 1, 4, 4, 1);
	rewind_script(&bench);
	bench.script.work = fail_alone;
	measure(&bench, &steady, "1h", "4");
	check_nothing_measured(&bench, STATUS_FAILED, "worker 2 met a bad block");
	CU_ASSERT(clock_now_ns() - start_ns < 60 * NS_PER_S);
	bench_close(&bench);
}

static void the_sentence_is_that_of_the_first_worker_by_index(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = fail_after_a_while;
	measure(&bench, &steady, "10m", "4");
	check_nothing_measured(&bench, STATUS_FAILED, "worker 1 lost its peer");
	bench_close(&bench);
}

static int begin_fails_for_one(struct worker *worker)
{
	return worker->index == 1 ? err_set(&worker->err, -ENOSPC, "worker 1 has no room") : 0;
}

static void nobody_works_when_one_cannot_begin(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.begin = begin_fails_for_one;
	measure(&bench, &steady, "1h", "3");
	check_nothing_measured(&bench, STATUS_FAILED, "worker 1 has no room");
	check_calls(&bench, 1, 3, 0, 1);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.finishes), 0);
	bench_close(&bench);
}

static void a_failed_setup_or_reset_or_finish_is_torn_down(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.setup_code = -EIO;
	measure(&bench, &passes, "1ms", "2");
	check_nothing_measured(&bench, STATUS_FAILED, "setup says no");
	check_calls(&bench, 1, 0, 0, 1);
	rewind_script(&bench);
	bench.script.reset_code = -EIO;
	measure(&bench, &passes, "1ms", "2");
	check_nothing_measured(&bench, STATUS_FAILED, "reset says no");
	check_calls(&bench, 1, 0, 0, 1);
	rewind_script(&bench);
	bench.script.work = work_a_while;
	bench.script.finish_code = -EIO;
	measure(&bench, &passes, "1ms", "2");
	check_nothing_measured(&bench, STATUS_FAILED, "finish says no");
	check_calls(&bench, 1, 2, 2, 1);
	bench_close(&bench);
}

static void what_cannot_be_measured_here_is_skipped(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.setup_code = ERR_SKIP;
	measure(&bench, &steady, "1ms", "2");
	check_nothing_measured(&bench, STATUS_SKIPPED, "setup says no");
	check_calls(&bench, 1, 0, 0, 1);
	rewind_script(&bench);
	bench.script.reset_code = ERR_SKIP;
	measure(&bench, &steady, "1ms", "2");
	check_nothing_measured(&bench, STATUS_SKIPPED, "reset says no");
	rewind_script(&bench);
	measure(&bench, &unbuilt, "1ms", "2");
	check_nothing_measured(&bench, STATUS_SKIPPED, "built without it");
	check_calls(&bench, 0, 0, 0, 0);
	bench_close(&bench);
}

/* Under a limit of threads that is below what the point wants, in a process of its own. Root is
 * not limited, so it becomes somebody who has no other process. */
static bool limit_threads(void)
{
	struct rlimit limit = {.rlim_cur = 4, .rlim_max = 4};
	const uid_t nobody_else = 64123;

	if (setrlimit(RLIMIT_NPROC, &limit))
		return false;
	return geteuid() || !setresuid(nobody_else, nobody_else, nobody_else);
}

enum { CHILD_FINE, CHILD_WRONG, CHILD_UNLIMITED };

static int measure_under_limit(struct bench *bench)
{
	bool fine;

	if (!limit_threads())
		return CHILD_UNLIMITED;
	bench->script.work = load_until_deadline;
	measure(bench, &steady, "1h", "8");
	if (bench->measurement.status == STATUS_OK)
		return CHILD_UNLIMITED;
	fine = bench->measurement.status == STATUS_FAILED &&
	       !strncmp(bench->measurement.message, "start worker ", 13) &&
	       strstr(bench->measurement.message, " of 8: ") &&
	       !atomic_load(&bench->script.works) && atomic_load(&bench->script.begins) < 8 &&
	       atomic_load(&bench->script.begins) == atomic_load(&bench->script.ends) &&
	       atomic_load(&bench->script.teardowns) == 1;
	if (!fine)
		printf("\n    %s", bench->measurement.message);
	return fine ? CHILD_FINE : CHILD_WRONG;
}

static void a_thread_that_cannot_be_had_fails_and_does_not_hang(void)
{
	struct bench bench;
	int status = 0;
	pid_t child;

	if (!bench_open(&bench))
		return;
	child = fork();
	if (!child) {
		alarm(60);
		_exit(measure_under_limit(&bench));
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT(WIFEXITED(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_UNLIMITED)
		test_skip("the number of threads cannot be limited here");
	else
		CU_ASSERT_EQUAL(WEXITSTATUS(status), CHILD_FINE);
	bench_close(&bench);
}

/* ---- signals ---- */

static int signal_after_a_while(struct worker *worker)
{
	struct bench *bench = (struct bench *)((char *)current - offsetof(struct bench, script));

	if (!worker->index) {
		sleep_ms(10);
		atomic_store(&bench->site.stop, true);
	}
	while (!worker_stopped(worker))
		sleep_ms(1);
	return 0;
}

static void a_signal_ends_the_load(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = signal_after_a_while;
	measure(&bench, &steady, "1h", "2");
	CU_ASSERT_EQUAL(bench.code, -EINTR);
	check_calls(&bench, 1, 2, 2, 1);
	bench_close(&bench);
}

/* ---- --max-write ---- */

enum { CHUNK = 1000 };

static int write_chunks(struct worker *worker)
{
	struct script *script = script_of(worker->run);

	for (int i = 0; i < 10 && !worker_stopped(worker); i++) {
		uint64_t start_ns = clock_now_ns();

		if (!worker_may_write(worker, CHUNK))
			return 0;
		atomic_fetch_add(&script->written, CHUNK);
		worker_record(worker, MOVE, start_ns, clock_now_ns(), CHUNK);
	}
	sleep_ms(2);
	return 0;
}

static int write_until_deadline(struct worker *worker)
{
	struct script *script = script_of(worker->run);

	while (worker_goes_on(worker, clock_now_ns())) {
		uint64_t start_ns = clock_now_ns();

		if (!worker_may_write(worker, CHUNK))
			return 0;
		atomic_fetch_add(&script->written, CHUNK);
		sleep_ms(1);
		worker_record(worker, MOVE, start_ns, clock_now_ns(), CHUNK);
	}
	return 0;
}

static const char spent[] = "the load ended early: --max-write was reached";

static void the_load_ends_where_max_write_is_reached(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.runner.write_left = 25 * CHUNK;
	bench.script.work = write_chunks;
	measure(&bench, &passes, "10m", "2");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, spent);
	/* A pass is 20 chunks: a second one would be torn. */
	CU_ASSERT_EQUAL(atomic_load(&bench.script.written), 20 * CHUNK);
	CU_ASSERT_EQUAL(bench.runner.write_left, 5 * CHUNK);
	CU_ASSERT_EQUAL(value(&bench, "move", "bytes"), 20 * CHUNK);
	rewind_script(&bench);
	bench.script.work = write_chunks;
	measure(&bench, &passes, "10m", "2");
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, spent);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.written), 4 * CHUNK);
	CU_ASSERT_EQUAL(bench.runner.write_left, CHUNK);
	bench_close(&bench);
}

static void a_window_ends_with_the_budget(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.runner.write_left = 50 * CHUNK;
	bench.script.work = write_until_deadline;
	measure(&bench, &steady, "20s", "1");
	/* A warm-up of 2 s would be longer than the budget lasts. */
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, spent);
	CU_ASSERT_EQUAL(atomic_load(&bench.script.written), 50 * CHUNK);
	CU_ASSERT(isnan(value(&bench, "move", "rate")));
	bench.runner.write_left = 200 * CHUNK;
	rewind_script(&bench);
	bench.script.work = write_until_deadline;
	measure(&bench, &steady, "400ms", "1");
	CU_ASSERT(atomic_load(&bench.script.written) <= 200 * CHUNK);
	if (!strcmp(bench.measurement.message, spent))
		CU_ASSERT(bench.measurement.elapsed_ns < 400 * NS_PER_MS);
	CU_ASSERT(value(&bench, "move", "rate") <= 1000);
	bench_close(&bench);
}

/* Bytes written outside the clock count too, as they are written: the next pass has what is
 * left. */
static void what_resets_write_counts_against_the_budget(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.runner.write_left = 100 * CHUNK;
	bench.script.work = write_chunks;
	bench.script.untimed_bytes = 30 * CHUNK;
	measure(&bench, &passes, "10m", "1");
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, spent);
	CU_ASSERT(atomic_load(&bench.script.written) +
			  30 * CHUNK * (unsigned)atomic_load(&bench.script.resets) <=
		  130 * CHUNK);
	CU_ASSERT_EQUAL(bench.runner.write_left, 0);
	bench_close(&bench);
}

/* Laying out the data set would pass the limit: nothing is written at all. */
static int setup_lays_out(struct phase_run *run, struct err *err)
{
	return fileset_require(run->fileset, 2, 1 << 20, 0, err);
}

static int reset_lays_out_anew(struct phase_run *run, struct err *err)
{
	int code = fileset_create(run->fileset, err);

	return code ? code : fileset_require(run->fileset, 1, 1 << 20, 0, err);
}

static const struct phase laying_out = {
	MADE_UP("laying_out"),
	.params = passes_params,
	.model = MODEL_PASSES,
	.setup = setup_lays_out,
	.roles = {LOADER},
};

static const struct phase laying_out_anew = {
	MADE_UP("laying_out_anew"),
	.params = passes_params,
	.model = MODEL_PASSES,
	.reset = reset_lays_out_anew,
	.roles = {LOADER},
};

static void a_lay_out_beyond_max_write_is_not_begun(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.runner.write_left = (2 << 20) - 1;
	measure(&bench, &laying_out, "1ms", "1");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_SKIPPED);
	CU_ASSERT(says(bench.measurement.message, "--max-write"));
	CU_ASSERT_EQUAL(fileset_laid_out_bytes(bench.site.fileset), 0);
	CU_ASSERT_EQUAL(bench.runner.write_left, (2 << 20) - 1);
	bench.runner.write_left = 2 << 20;
	measure(&bench, &laying_out, "1ms", "1");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	CU_ASSERT_EQUAL(bench.runner.write_left, 0);
	bench.runner.write_left = UINT64_MAX;
	measure(&bench, &laying_out_anew, "1ms", "1");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	bench_close(&bench);
}

/* A pass was measured: that the next cannot be prepared ends the load, and is no failure. */
static void passes_end_when_the_next_cannot_be_laid_out(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.runner.write_left = 3 << 20;
	bench.script.work = work_a_while;
	measure(&bench, &laying_out_anew, "1h", "1");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	CU_ASSERT_STRING_EQUAL(bench.measurement.message, spent);
	CU_ASSERT_EQUAL(value(&bench, "move", "count"), 3);
	CU_ASSERT_EQUAL(fileset_laid_out_bytes(bench.site.fileset), 3 << 20);
	CU_ASSERT_EQUAL(bench.runner.write_left, 0);
	bench_close(&bench);
}

/* ---- seeds ---- */

static void seeds_do_not_depend_on_the_rest_of_the_battery(void)
{
	uint64_t seeds[3], run_seed;
	struct bench bench;

	if (!bench_open(&bench))
		return;
	measure(&bench, &steady, "1ms", "3");
	run_seed = bench.script.run_seed;
	memcpy(seeds, bench.script.seeds, sizeof(seeds));
	measure(&bench, &passes, "1ms", "2");
	measure(&bench, &steady, "2ms", "5");
	measure(&bench, &steady, "3ms", "3");
	CU_ASSERT_EQUAL(bench.script.run_seed, run_seed);
	CU_ASSERT_EQUAL(memcmp(seeds, bench.script.seeds, sizeof(seeds)), 0);
	bench.runner.seed++;
	measure(&bench, &steady, "1ms", "3");
	CU_ASSERT_NOT_EQUAL(bench.script.run_seed, run_seed);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_NOT_EQUAL(bench.script.seeds[i], seeds[i]);
	bench_close(&bench);
}

static void no_two_workers_or_points_share_a_seed(void)
{
	uint64_t seeds[64];
	static const char *const sizes[] = {"1", "8k", "16k"};
	static const char *const workers[] = {"1", "2", "3"};
	struct bench bench;
	size_t count = 0;

	if (!bench_open(&bench))
		return;
	for (int s = 0; s < 3; s++)
		for (int w = 0; w < 3; w++) {
			struct point point = point_at_presets(&two_roles);

			point_set(&point, "time", "1ms");
			point_set(&point, "block_size", sizes[s]);
			point_set(&point, "jobs", workers[w]);
			measure_point(&bench, &point);
			for (int i = 0; i <= w + 1; i++)
				seeds[count++] = bench.script.seeds[i];
		}
	CU_ASSERT_EQUAL(count, 27);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(seeds[i], seeds[k]);
	bench_close(&bench);
}

/* ---- roles ---- */

static int note_index(struct worker *worker)
{
	struct script *script = script_of(worker->run);

	script->begin_ns[worker - worker->run->workers] = worker->index;
	return worker->recorders && worker->run->worker_count == 4 ? 0 : -EINVAL;
}

static void workers_are_numbered_within_their_role(void)
{
	static const uint64_t wanted[] = {0, 1, 2, 0};
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = note_index;
	measure(&bench, &two_roles, "1ms", "3");
	CU_ASSERT_EQUAL(bench.measurement.status, STATUS_OK);
	CU_ASSERT_EQUAL(memcmp(bench.script.begin_ns, wanted, sizeof(wanted)), 0);
	bench_close(&bench);
}

static void headlines_are_marked(void)
{
	struct bench bench;

	if (!bench_open(&bench))
		return;
	bench.script.work = record_around_the_window;
	measure(&bench, &steady, "10ms", "1");
	CU_ASSERT_EQUAL(count_headlines(&bench.measurement), 3);
	bench_close(&bench);
}

static const struct test tests[] = {
	{"only completions in the window count", only_completions_in_the_window_count},
	{"the window has the length asked for", the_window_has_the_length_asked_for},
	{"the warm-up is a quarter of the time, two seconds at most",
	 the_warm_up_is_a_quarter_and_two_seconds_at_most},
	{"a load goes on from warm-up into the window",
	 a_load_goes_on_from_warm_up_into_the_window},
	{"elapsed is the sum over passes, from earliest begin to latest end",
	 elapsed_is_the_sum_over_passes},
	{"passes go on until the time is reached and no longer",
	 passes_go_on_until_the_time_is_reached},
	{"one pass is made however short the time", one_pass_is_made_however_short_the_time},
	{"passes end after four times the time, resets included",
	 passes_end_after_four_times_the_time},
	{"the sync counts in one of the two rates of a buffered write",
	 the_sync_counts_in_one_of_the_two_rates},
	{"samples add up to the totals", samples_add_up_to_the_totals},
	{"CPU time counts once, over the time of the pass", cpu_time_counts_once},
	{"what is not performed is not reported", what_is_not_performed_is_not_reported},
	{"identity is archived and shape is not", identity_is_archived_and_shape_is_not},
	{"headlines are marked", headlines_are_marked},
	{"a worker that fails stops the others", a_worker_that_fails_stops_the_others},
	{"the sentence is that of the first worker by index",
	 the_sentence_is_that_of_the_first_worker_by_index},
	{"nobody works when one cannot begin", nobody_works_when_one_cannot_begin},
	{"a failed setup, reset or finish is torn down",
	 a_failed_setup_or_reset_or_finish_is_torn_down},
	{"what cannot be measured here is skipped", what_cannot_be_measured_here_is_skipped},
	{"a thread that cannot be had fails the point and hangs nobody",
	 a_thread_that_cannot_be_had_fails_and_does_not_hang},
	{"a signal ends the load", a_signal_ends_the_load},
	{"the load ends where --max-write is reached", the_load_ends_where_max_write_is_reached},
	{"a window ends with the budget", a_window_ends_with_the_budget},
	{"what resets write counts against --max-write",
	 what_resets_write_counts_against_the_budget},
	{"a lay-out beyond --max-write is not begun", a_lay_out_beyond_max_write_is_not_begun},
	{"passes end when the next cannot be laid out",
	 passes_end_when_the_next_cannot_be_laid_out},
	{"seeds do not depend on the rest of the battery",
	 seeds_do_not_depend_on_the_rest_of_the_battery},
	{"no two workers or points share a seed", no_two_workers_or_points_share_a_seed},
	{"workers are numbered within their role", workers_are_numbered_within_their_role},
	{NULL, NULL},
};

const struct suite suite_runner = {"runner", tests};
