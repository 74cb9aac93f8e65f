/* SPDX-License-Identifier: MIT */
/*
 * test_archive.c - what is given to the archive comes back, survives its writer's death, and is
 * never written where it must not be. What happens in other processes is told by their exit
 * status: 0 for as it should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive_fixture.h"
#include "rng.h"
#include "suites.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char integrity[] = "SELECT * FROM pragma_integrity_check"
				" UNION ALL SELECT 'foreign key' FROM pragma_foreign_key_check";

/* ---- other processes ---- */

typedef int (*child_fn)(void *context);

static pid_t start(child_fn fn, void *context)
{
	pid_t child = fork();

	CU_ASSERT_FATAL(child >= 0);
	if (!child)
		_exit(fn(context));
	return child;
}

/* The exit status, or 128 + signal. */
static int finish(pid_t child)
{
	int status;

	CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int in_child(child_fn fn, void *context)
{
	return finish(start(fn, context));
}

/* ---- round trip ---- */

/* Bit by bit, so that NAN equals NAN. */
static bool same_real(double a, double b)
{
	return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}

static void check_parameters(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL(a->parameter_count, b->parameter_count);
	for (size_t i = 0; i < a->parameter_count; i++) {
		const struct parameter *found = measurement_parameter(b, a->parameters[i].name);

		CU_ASSERT_PTR_NOT_NULL_FATAL(found);
		CU_ASSERT_TRUE(value_equal(&a->parameters[i].value, &found->value));
	}
}

static void check_metrics(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL_FATAL(a->metric_count, b->metric_count);
	for (size_t i = 0; i < a->metric_count; i++) {
		const struct metric_value *x = &a->metrics[i], *y = &b->metrics[i];

		CU_ASSERT_STRING_EQUAL(x->operation, y->operation);
		CU_ASSERT_STRING_EQUAL(x->metric, y->metric);
		CU_ASSERT_EQUAL(x->unit, y->unit);
		CU_ASSERT_EQUAL(x->better, y->better);
		CU_ASSERT_EQUAL(x->headline, y->headline);
		CU_ASSERT_TRUE(same_real(x->value, y->value));
	}
}

static void check_histograms(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL_FATAL(a->histogram_count, b->histogram_count);
	for (size_t i = 0; i < a->histogram_count; i++) {
		CU_ASSERT_STRING_EQUAL(a->histograms[i].operation, b->histograms[i].operation);
		CU_ASSERT_EQUAL(memcmp(&a->histograms[i].histogram, &b->histograms[i].histogram,
				       sizeof(a->histograms[i].histogram)),
				0);
	}
}

static void check_samples(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL_FATAL(a->sample_count, b->sample_count);
	for (size_t i = 0; i < a->sample_count; i++) {
		const struct sample *x = &a->samples[i], *y = &b->samples[i];

		CU_ASSERT_STRING_EQUAL(x->operation, y->operation);
		CU_ASSERT_EQUAL(x->at_ns, y->at_ns);
		CU_ASSERT_EQUAL(x->count, y->count);
		CU_ASSERT_EQUAL(x->bytes, y->bytes);
		CU_ASSERT_TRUE(same_real(x->latency_p99_ns, y->latency_p99_ns));
		CU_ASSERT_TRUE(same_real(x->latency_max_ns, y->latency_max_ns));
	}
}

static void check_devices(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL_FATAL(a->device_count, b->device_count);
	for (size_t i = 0; i < a->device_count; i++)
		CU_ASSERT_EQUAL(memcmp(&a->devices[i], &b->devices[i], sizeof(a->devices[i])), 0);
}

static void check_flags(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL_FATAL(a->flag_count, b->flag_count);
	for (size_t i = 0; i < a->flag_count; i++) {
		CU_ASSERT_STRING_EQUAL(a->flags[i].code, b->flags[i].code);
		CU_ASSERT_EQUAL(a->flags[i].severity, b->flags[i].severity);
		CU_ASSERT_STRING_EQUAL(a->flags[i].message, b->flags[i].message);
	}
}

static void check_measurement(const struct measurement *a, const struct measurement *b)
{
	CU_ASSERT_EQUAL(a->id, b->id);
	CU_ASSERT_STRING_EQUAL(a->phase, b->phase);
	CU_ASSERT_EQUAL(a->status, b->status);
	CU_ASSERT_STRING_EQUAL(a->message, b->message);
	CU_ASSERT_STRING_EQUAL(a->started_at, b->started_at);
	CU_ASSERT_EQUAL(a->elapsed_ns, b->elapsed_ns);
	check_parameters(a, b);
	check_metrics(a, b);
	check_histograms(a, b);
	check_samples(a, b);
	check_devices(a, b);
	check_flags(a, b);
}

/* Adds both to a fresh archive and loads what is wanted of them. */
static void store_and_load(const struct scratch *scratch, struct run *run,
			   struct measurement *measurements, size_t count, unsigned what,
			   struct archived_run *loaded)
{
	struct archive *archive = must_open(scratch->path, ARCHIVE_WRITE);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(archive_begin(archive, run, &err), 0);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(archive_add(archive, run->id, &measurements[i], &err), 0);
	CU_ASSERT_EQUAL_FATAL(archive_finish(archive, run, "complete", &err), 0);
	archive_close(archive);
	archive = must_open(scratch->path, ARCHIVE_READ);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, run->id, what, loaded, &err), 0);
	archive_close(archive);
}

static void measurement_round_trip(void)
{
	struct measurement measurements[3];
	struct archived_run loaded;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, "trip");
	make_measurement(&measurements[0], 7);
	measurement_init(&measurements[1], "bare"); /* with nothing in it */
	make_measurement(&measurements[2], 8);
	store_and_load(&scratch, &run, measurements, 3, LOAD_ALL, &loaded);
	CU_ASSERT_EQUAL_FATAL(loaded.measurement_count, 3);
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(measurements[i].id > 0);
		check_measurement(&measurements[i], &loaded.measurements[i]);
		measurement_release(&measurements[i]);
	}
	archived_run_release(&loaded);
	run_release(&run);
	CHECK_ANSWER(scratch.path, integrity, "ok");
	/* what never was is NULL, not 0 */
	CHECK_ANSWER(scratch.path,
		     "SELECT count(*) FROM measurement WHERE elapsed_ns IS NULL AND message IS NULL"
		     " AND started_at IS NULL",
		     "1");
	CHECK_ANSWER(scratch.path,
		     "SELECT count(*) FROM results WHERE metric = 'cpu_user' AND value IS NULL",
		     "2");
	scratch_remove(&scratch);
}

static void load_what_is_asked(void)
{
	struct measurement measurement;
	struct archived_run loaded;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	make_measurement(&measurement, 1);
	store_and_load(&scratch, &run, &measurement, 1, 0, &loaded);
	CU_ASSERT_EQUAL(loaded.measurements[0].histogram_count, 0);
	CU_ASSERT_EQUAL(loaded.measurements[0].sample_count, 0);
	check_metrics(&measurement, &loaded.measurements[0]);
	check_flags(&measurement, &loaded.measurements[0]);
	check_devices(&measurement, &loaded.measurements[0]);
	archived_run_release(&loaded);
	measurement_release(&measurement);
	run_release(&run);
	scratch_remove(&scratch);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void check_facts(const struct facts *a, const struct facts *b)
{
	CU_ASSERT_EQUAL(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct fact *x = &a->items[i], *y = facts_find(b, x->name);

		CU_ASSERT_PTR_NOT_NULL_FATAL(y);
		CU_ASSERT_EQUAL(x->kind, y->kind);
		CU_ASSERT_TRUE(same_text(x->text, y->text));
		CU_ASSERT_EQUAL(x->integer, y->integer);
		CU_ASSERT_TRUE(same_real(x->real, y->real));
	}
}

static void check_run(const struct run *a, const struct run *b)
{
	CU_ASSERT_EQUAL(a->id, b->id);
	CU_ASSERT_STRING_EQUAL(a->uuid, b->uuid);
	CU_ASSERT_STRING_EQUAL(a->series, b->series);
	CU_ASSERT_EQUAL(a->round, b->round);
	CU_ASSERT_EQUAL(a->seed, b->seed);
	CU_ASSERT_TRUE(same_text(a->source, b->source));
	CU_ASSERT_TRUE(same_text(a->version, b->version));
	CU_ASSERT_TRUE(same_text(a->status, b->status));
	CU_ASSERT_TRUE(same_text(a->label, b->label));
	CU_ASSERT_TRUE(same_text(a->profile, b->profile));
	CU_ASSERT_TRUE(same_text(a->target, b->target));
	CU_ASSERT_TRUE(same_text(a->command, b->command));
	CU_ASSERT_STRING_EQUAL(a->started_at, b->started_at);
	CU_ASSERT_STRING_EQUAL(a->finished_at, b->finished_at);
	check_facts(&a->facts, &b->facts);
	check_facts(&a->tags, &b->tags);
	CU_ASSERT_EQUAL_FATAL(a->note_count, b->note_count);
	for (size_t i = 0; i < a->note_count; i++) {
		CU_ASSERT_STRING_EQUAL(a->notes[i].at, b->notes[i].at);
		CU_ASSERT_STRING_EQUAL(a->notes[i].text, b->notes[i].text);
	}
}

static void run_round_trip(void)
{
	struct archived_run loaded;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, HOSTILE_TEXT);
	store_and_load(&scratch, &run, NULL, 0, LOAD_ALL, &loaded);
	CU_ASSERT_STRING_EQUAL(run.status, "complete");
	CU_ASSERT_NOT_EQUAL(run.finished_at[0], '\0');
	check_run(&run, &loaded.run);
	archived_run_release(&loaded);
	run_release(&run);
	scratch_remove(&scratch);
}

static void unknown_stays_absent(void)
{
	struct archived_run loaded;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	CU_ASSERT_EQUAL_FATAL(run_init(&run, NULL), 0);
	run_set_text(&run.source, "bonnie++");
	facts_set_real(&run.facts, "load_1min", NAN);
	snprintf(run.finished_at, sizeof(run.finished_at), "2011-05-06T00:00:00.000Z");
	store_and_load(&scratch, &run, NULL, 0, LOAD_ALL, &loaded);
	CU_ASSERT_EQUAL(loaded.run.facts.count, 0);
	CU_ASSERT_STRING_EQUAL(loaded.run.finished_at, "2011-05-06T00:00:00.000Z");
	CU_ASSERT_STRING_EQUAL(loaded.run.series, "");
	CU_ASSERT_PTR_NULL(loaded.run.label);
	CHECK_ANSWER(
		scratch.path,
		"SELECT count(*) FROM run WHERE label IS NULL AND series IS NULL AND seed IS NULL"
		" AND target IS NULL AND command IS NULL",
		"1");
	archived_run_release(&loaded);
	run_release(&run);
	scratch_remove(&scratch);
}

static void equal_points_share_a_row(void)
{
	struct measurement a, b;
	struct archived_run loaded;
	struct measurement both[2];
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	measurement_init(&a, "random");
	measurement_add_parameter(&a, "queue_depth", value_number(32));
	measurement_add_parameter(&a, "block_size", value_number(8192));
	measurement_init(&b, "random");
	measurement_add_parameter(&b, "block_size", value_number(8192));
	measurement_add_parameter(&b, "queue_depth", value_number(32));
	both[0] = a;
	both[1] = b;
	store_and_load(&scratch, &run, both, 2, LOAD_ALL, &loaded);
	CHECK_ANSWER(scratch.path, "SELECT parameters FROM point",
		     "{\"block_size\":8192,\"queue_depth\":32}");
	archived_run_release(&loaded);
	measurement_release(&both[0]);
	measurement_release(&both[1]);
	run_release(&run);
	scratch_remove(&scratch);
}

static void finish_adds_what_came_since(void)
{
	struct archive *archive;
	struct archived_run loaded;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	CU_ASSERT_EQUAL_FATAL(archive_begin(archive, &run, NULL), 0);
	CHECK_ANSWER(scratch.path,
		     "INSERT INTO run_note SELECT run_id, 2, 'now', 'theirs' FROM run;", "");
	CHECK_ANSWER(scratch.path, "UPDATE run_fact SET value = 'corrected' WHERE value = 'db1'",
		     "");
	run_add_note(&run, NULL, "ours");
	facts_set_text(&run.facts, "late", "yes");
	CU_ASSERT_EQUAL_FATAL(archive_finish(archive, &run, "failed", NULL), 0);
	CU_ASSERT_EQUAL_FATAL(archive_load(archive, run.id, 0, &loaded, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(loaded.run.note_count, 4);
	CU_ASSERT_STRING_EQUAL(loaded.run.notes[2].text, "theirs");
	CU_ASSERT_STRING_EQUAL(loaded.run.notes[3].text, "ours");
	CU_ASSERT_TRUE(same_text(facts_text(&loaded.run.facts, "late"), "yes"));
	CU_ASSERT_TRUE(same_text(facts_text(&loaded.run.facts, "host"), "corrected"));
	CU_ASSERT_STRING_EQUAL(loaded.run.status, "failed");
	archived_run_release(&loaded);
	archive_close(archive);
	run_release(&run);
	scratch_remove(&scratch);
}

static void deleted_run_takes_nothing(void)
{
	struct measurement measurement;
	struct archive *archive;
	struct scratch scratch;
	struct err err = {0};
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	archive_run(archive, &run, 1, NULL);
	CHECK_ANSWER(scratch.path, "DELETE FROM run", "");
	measurement_init(&measurement, "random");
	CU_ASSERT(archive_add(archive, run.id, &measurement, &err) < 0);
	CHECK_SAYS(err.text, scratch.path);
	CU_ASSERT_EQUAL(measurement.id, 0);
	CU_ASSERT_EQUAL(archive_finish(archive, &run, "complete", &err), -ENOENT);
	CHECK_SAYS(err.text, "no longer in the archive");
	measurement_release(&measurement);
	archive_close(archive);
	run_release(&run);
	scratch_remove(&scratch);
}

/* ---- the living and the dead ---- */

/* Begins a run, adds so many measurements, tells through the pipe, then waits to be killed. */
struct writer {
	const char *path;
	unsigned measurements;
	int tell;
};

static int begin_and_wait(void *context)
{
	const struct writer *writer = context;
	struct archive *archive;
	struct run run;

	if (archive_open(&archive, writer->path, ARCHIVE_WRITE, NULL))
		return 1;
	make_run(&run, "living");
	if (put_whole_run(archive, &run, writer->measurements, NULL) ||
	    write(writer->tell, "x", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* A process whose run is under way. */
static pid_t start_living(const char *path, unsigned measurements)
{
	struct writer writer = {.path = path, .measurements = measurements};
	int pipe_ends[2];
	pid_t child;
	char byte;

	CU_ASSERT_EQUAL_FATAL(pipe(pipe_ends), 0);
	writer.tell = pipe_ends[1];
	child = start(begin_and_wait, &writer);
	close(pipe_ends[1]);
	CU_ASSERT_EQUAL_FATAL(read(pipe_ends[0], &byte, 1), 1);
	close(pipe_ends[0]);
	return child;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	CU_ASSERT_EQUAL(finish(child), 128 + SIGKILL);
}

static void living_run_stays_running(void)
{
	struct scratch scratch;
	pid_t child;

	scratch_make(&scratch);
	child = start_living(scratch.path, 2);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "SELECT status || ifnull(finished_at, '') FROM run", "running");
	stop(child);
	scratch_remove(&scratch);
}

static void dead_run_is_interrupted(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	stop(start_living(scratch.path, 2));
	archive_close(must_open(scratch.path, ARCHIVE_READ));
	CHECK_ANSWER(scratch.path, "SELECT status FROM run",
		     "running"); /* reading changes nothing */
	/* the last measurement lasted 1.5 s: that long the run is known to have lived */
	CHECK_ANSWER(scratch.path,
		     "UPDATE measurement SET started_at = '2040-01-01T00:00:00.250Z',"
		     " elapsed_ns = 1500000000",
		     "");
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "SELECT status || ' ' || finished_at FROM run",
		     "interrupted 2040-01-01T00:00:01.750Z");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM measurement", "2");
	scratch_remove(&scratch);
}

static void bare_dead_run_is_interrupted(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	stop(start_living(scratch.path, 0));
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path,
		     "SELECT count(*) FROM run WHERE status = 'interrupted'"
		     " AND finished_at = started_at",
		     "1");
	scratch_remove(&scratch);
}

static void abandoned_run_is_interrupted(void)
{
	struct archive *first, *second;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	first = must_open(scratch.path, ARCHIVE_WRITE);
	archive_run(first, &run, 0, NULL);
	second = must_open(scratch.path, ARCHIVE_WRITE); /* in the same process, yet another */
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "running");
	CU_ASSERT_EQUAL(archive_finish(second, &run, "complete", NULL), -EINVAL);
	archive_close(second);
	archive_close(first);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "interrupted");
	run_release(&run);
	scratch_remove(&scratch);
}

static void finished_run_gives_its_lock_back(void)
{
	struct archive *archive;
	struct scratch scratch;
	struct run run;

	scratch_make(&scratch);
	make_run(&run, NULL);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	archive_run(archive, &run, 0, "complete");
	CHECK_ANSWER(scratch.path, "UPDATE run SET status = 'running'", "");
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "interrupted");
	archive_close(archive);
	run_release(&run);
	scratch_remove(&scratch);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	char buffer[4096];
	ssize_t got;

	CU_ASSERT_FATAL(in >= 0 && out >= 0);
	while ((got = read(in, buffer, sizeof(buffer))) > 0)
		CU_ASSERT_EQUAL_FATAL(write(out, buffer, (size_t)got), got);
	close(in);
	close(out);
}

static void copy_interrupts_its_own_run(void)
{
	struct scratch scratch;
	char copy[128];
	pid_t child;

	scratch_make(&scratch);
	snprintf(copy, sizeof(copy), "%s/copy.db", scratch.directory);
	child = start_living(scratch.path, 0);
	copy_file(scratch.path, copy);
	archive_close(must_open(copy, ARCHIVE_WRITE));
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(copy, "SELECT status FROM run", "interrupted");
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "running");
	stop(child);
	scratch_remove(&scratch);
}

/* ---- sudden death ---- */

/* Adds measurements for ever and tells of each that the archive took. */
static int write_for_ever(void *context)
{
	const struct writer *writer = context;
	struct archive *archive;
	struct run run;

	if (archive_open(&archive, writer->path, ARCHIVE_WRITE, NULL))
		return 1;
	make_run(&run, "killed");
	if (archive_begin(archive, &run, NULL))
		return 1;
	for (unsigned i = 0;; i++) {
		struct measurement measurement;

		make_measurement(&measurement, i);
		if (archive_add(archive, run.id, &measurement, NULL) ||
		    write(writer->tell, "x", 1) != 1)
			return 1;
		measurement_release(&measurement);
	}
}

/* Kills a writer at some moment; returns how many measurements it was told are archived. */
static int64_t kill_a_writer(const char *path, uint64_t after_ns)
{
	struct writer writer = {.path = path};
	int64_t told = 0;
	int pipe_ends[2];
	pid_t child;
	char byte;

	CU_ASSERT_EQUAL_FATAL(pipe(pipe_ends), 0);
	writer.tell = pipe_ends[1];
	child = start(write_for_ever, &writer);
	close(pipe_ends[1]);
	clock_sleep_until_ns(clock_now_ns() + after_ns);
	stop(child);
	while (read(pipe_ends[0], &byte, 1) == 1)
		told++;
	close(pipe_ends[0]);
	return told;
}

static int64_t ask_number(const char *path, const char *sql)
{
	char *text = ask(path, sql);
	int64_t number = strtoll(text, NULL, 10);

	free(text);
	return number;
}

/* After a kill: sound, nothing that was told is missing, nothing is half there. */
static void check_after_kill(const char *path, int64_t told, int64_t before)
{
	static const char whole[] =
		"SELECT count(*) FROM measurement AS m WHERE"
		" (SELECT count(*) FROM metric_value WHERE measurement_id = m.measurement_id) = 17 "
		"AND"
		" (SELECT count(*) FROM histogram WHERE measurement_id = m.measurement_id) = 2 AND"
		" (SELECT count(*) FROM sample WHERE measurement_id = m.measurement_id) = 3 AND"
		" (SELECT count(*) FROM flag WHERE measurement_id = m.measurement_id) = 3";
	int64_t found;

	archive_close(must_open(path, ARCHIVE_READ)); /* whatever journal there is */
	archive_close(must_open(path, ARCHIVE_WRITE));
	CHECK_ANSWER(path, integrity, "ok");
	found = ask_number(path, "SELECT count(*) FROM measurement");
	CU_ASSERT(found - before == told || found - before == told + 1);
	CU_ASSERT_EQUAL(ask_number(path, whole), found);
	CHECK_ANSWER(path, "SELECT count(*) FROM run WHERE status <> 'interrupted'", "0");
	CHECK_ANSWER(path, "SELECT count(*) FROM run WHERE finished_at IS NULL", "0");
}

static void survives_sudden_death(void)
{
	int kills = getenv("SOAK") ? 1000 : 20;
	struct scratch scratch;
	struct rng rng;
	uint64_t within_ns = 60 * NS_PER_MS;
	int64_t told_at_all = 0;

	scratch_make(&scratch);
	rng_init(&rng, clock_now_ns());
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	for (int i = 0; i < kills; i++) {
		int64_t before = ask_number(scratch.path, "SELECT count(*) FROM measurement");
		int64_t told = kill_a_writer(scratch.path, rng_below(&rng, within_ns));

		told_at_all += told;
		if (!told_at_all && within_ns < NS_PER_S) /* a slow machine, or a sanitizer */
			within_ns *= 2;
		check_after_kill(scratch.path, told, before);
	}
	CU_ASSERT(told_at_all > 0);
	scratch_remove(&scratch);
}

/* Dies with half a transaction in the file, its journal beside it. */
static int leave_hot_journal(void *context)
{
	sqlite3 *db;

	if (sqlite3_open(context, &db) ||
	    sqlite3_exec(
		    db,
		    "PRAGMA cache_size = 1; BEGIN; UPDATE run SET command = zeroblob(9) || uuid;"
		    "UPDATE metric_value SET value = 0; UPDATE sample SET moved_bytes = 0;",
		    NULL, NULL, NULL))
		return 1;
	raise(SIGKILL);
	return 0;
}

static void reading_takes_half_a_transaction_back(void)
{
	struct archive *archive;
	struct scratch scratch;
	char journal[128];
	struct run run;

	scratch_make(&scratch);
	snprintf(journal, sizeof(journal), "%s-journal", scratch.path);
	make_run(&run, "hot");
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	archive_run(archive, &run, 30, "complete");
	archive_close(archive);
	CU_ASSERT_EQUAL(in_child(leave_hot_journal, scratch.path), 128 + SIGKILL);
	CU_ASSERT_EQUAL_FATAL(access(journal, F_OK), 0);
	archive_close(must_open(scratch.path, ARCHIVE_READ));
	CU_ASSERT_NOT_EQUAL(access(journal, F_OK), 0);
	CHECK_ANSWER(scratch.path, integrity, "ok");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM sample WHERE moved_bytes = 0", "0");
	run_release(&run);
	scratch_remove(&scratch);
}

/* ---- several at once ---- */

static int write_a_run(void *context)
{
	struct archive *archive;
	struct err err = {0};
	struct run run;

	if (archive_open(&archive, context, ARCHIVE_WRITE, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	make_run(&run, "beside");
	if (put_whole_run(archive, &run, 15, "complete"))
		return 1;
	archive_close(archive);
	run_release(&run);
	return 0;
}

/* Nobody made it before, so they also make it at once. */
static void several_write_at_once(void)
{
	struct scratch scratch;
	pid_t children[4];

	scratch_make(&scratch);
	for (size_t i = 0; i < COUNT_OF(children); i++)
		children[i] = start(write_a_run, scratch.path);
	for (size_t i = 0; i < COUNT_OF(children); i++)
		CU_ASSERT_EQUAL(finish(children[i]), 0);
	CHECK_ANSWER(scratch.path, integrity, "ok");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM run WHERE status = 'complete'", "4");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM measurement", "60");
	CHECK_ANSWER(scratch.path, "SELECT count(*) FROM metric", "17");
	scratch_remove(&scratch);
}

static int hold_for_a_while(void *context)
{
	const struct writer *writer = context;
	sqlite3 *db;

	if (sqlite3_open(writer->path, &db) ||
	    sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) ||
	    write(writer->tell, "x", 1) != 1)
		return 1;
	clock_sleep_until_ns(clock_now_ns() + 400 * NS_PER_MS);
	return sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
}

static void busy_archive_is_waited_for(void)
{
	struct writer writer;
	struct archive *archive;
	struct scratch scratch;
	int pipe_ends[2];
	pid_t child;
	struct run run;
	char byte;

	scratch_make(&scratch);
	make_run(&run, NULL);
	archive = must_open(scratch.path, ARCHIVE_WRITE);
	CU_ASSERT_EQUAL_FATAL(pipe(pipe_ends), 0);
	writer = (struct writer){.path = scratch.path, .tell = pipe_ends[1]};
	child = start(hold_for_a_while, &writer);
	CU_ASSERT_EQUAL_FATAL(read(pipe_ends[0], &byte, 1), 1);
	archive_run(archive, &run, 1, "complete");
	CU_ASSERT_EQUAL(finish(child), 0);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	archive_close(archive);
	run_release(&run);
	scratch_remove(&scratch);
}

/* ---- what is refused ---- */

/* Opening must fail with words that hold the path and each part (NULL: none). */
static void check_refused(const char *path, enum archive_mode mode, int code, const char *part,
			  const char *another)
{
	struct archive *archive = (struct archive *)1;
	struct err err = {0};

	CU_ASSERT_EQUAL(archive_open(&archive, path, mode, &err), code);
	CU_ASSERT_PTR_NULL(archive);
	CHECK_SAYS(err.text, path);
	CHECK_SAYS(err.text, part ? part : "");
	CHECK_SAYS(err.text, another ? another : "");
}

static void put_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(bytes, 1, size, file), size);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

static void newer_schema_is_refused(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "PRAGMA user_version = 77", "");
	check_refused(scratch.path, ARCHIVE_WRITE, -EPROTO, "version 77", "up to 1");
	check_refused(scratch.path, ARCHIVE_READ, -EPROTO, "version 77", "up to 1");
	CHECK_ANSWER(scratch.path, "PRAGMA user_version", "77");
	CHECK_ANSWER(scratch.path, "PRAGMA user_version = 0", "");
	check_refused(scratch.path, ARCHIVE_READ, -EPROTO, "version 0", "older than 1");
	scratch_remove(&scratch);
}

static void other_files_are_refused(void)
{
	static const char text[] = "name,size,...\n";
	char zeros[8192] = {0}, after[8192];
	struct scratch scratch;
	FILE *file;

	scratch_make(&scratch);
	put_bytes(scratch.path, text, strlen(text));
	check_refused(scratch.path, ARCHIVE_WRITE, -EUCLEAN, "not an SQLite file", NULL);
	check_refused(scratch.path, ARCHIVE_READ, -EUCLEAN, "not an SQLite file", NULL);
	put_bytes(scratch.path, zeros, sizeof(zeros));
	check_refused(scratch.path, ARCHIVE_WRITE, -EUCLEAN, "not an SQLite file", NULL);
	file = fopen(scratch.path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fread(after, 1, sizeof(after), file), sizeof(after));
	CU_ASSERT_EQUAL(fgetc(file), EOF);
	CU_ASSERT_EQUAL(memcmp(zeros, after, sizeof(after)), 0);
	fclose(file);
	scratch_remove(&scratch);
}

static void other_databases_are_refused(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	put_bytes(scratch.path, "", 0);
	CHECK_ANSWER(scratch.path, "CREATE TABLE cookies (a)", "");
	check_refused(scratch.path, ARCHIVE_WRITE, -EUCLEAN, "another program", NULL);
	check_refused(scratch.path, ARCHIVE_READ, -EUCLEAN, "another program", NULL);
	CHECK_ANSWER(scratch.path, "SELECT name FROM sqlite_schema", "cookies");
	scratch_remove(&scratch);
}

static void what_is_no_file_is_refused(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	check_refused(scratch.directory, ARCHIVE_WRITE, -EISDIR, "is a directory", NULL);
	check_refused(scratch.directory, ARCHIVE_READ, -EISDIR, "is a directory", NULL);
	CU_ASSERT_EQUAL(mkfifo(scratch.path, 0600), 0);
	check_refused(scratch.path, ARCHIVE_WRITE, -EINVAL, "not a regular file", NULL);
	check_refused(scratch.path, ARCHIVE_READ, -EINVAL, "not a regular file", NULL);
	unlink(scratch.path);
	CU_ASSERT_EQUAL(symlink("/nowhere/at/all", scratch.path), 0);
	check_refused(scratch.path, ARCHIVE_WRITE, -ENOENT, "leads nowhere", NULL);
	check_refused(scratch.path, ARCHIVE_READ, -ENOENT, "leads nowhere", NULL);
	check_refused("", ARCHIVE_WRITE, ERR_USAGE, "empty", NULL);
	scratch_remove(&scratch);
}

static void what_is_missing_is_refused(void)
{
	struct scratch scratch;
	char deep[160];

	scratch_make(&scratch);
	snprintf(deep, sizeof(deep), "%s/missing/archive.db", scratch.directory);
	check_refused(deep, ARCHIVE_WRITE, -ENOENT, "directory", "missing");
	check_refused(scratch.path, ARCHIVE_READ, -ENOENT, "no archive at",
		      "`assay run` makes one");
	CU_ASSERT_NOT_EQUAL(access(scratch.path, F_OK), 0);
	put_bytes(scratch.path, "", 0);
	check_refused(scratch.path, ARCHIVE_READ, -ENOENT, "no archive at",
		      "`assay run` makes one");
	snprintf(deep, sizeof(deep), "%s/archive.db", scratch.path);
	check_refused(deep, ARCHIVE_WRITE, -ENOTDIR, NULL, NULL);
	scratch_remove(&scratch);
}

static void empty_file_becomes_an_archive(void)
{
	struct scratch scratch;
	char link[128];

	scratch_make(&scratch);
	snprintf(link, sizeof(link), "%s/link.db", scratch.directory);
	put_bytes(scratch.path, "", 0);
	CU_ASSERT_EQUAL(symlink("archive.db", link), 0);
	archive_close(must_open(link, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "PRAGMA user_version", "1");
	CHECK_ANSWER(scratch.path, "PRAGMA application_id", "1634956153");
	scratch_remove(&scratch);
}

/* ---- read-only, full ---- */

/* A mount namespace of our own, so that nothing mounted in it is seen or left behind. */
static int private_mounts(void)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

enum { CHILD_SKIPS = 77 };

static bool refused_with(const char *path, const char *part)
{
	struct archive *archive;
	struct err err = {0};
	int rc = archive_open(&archive, path, ARCHIVE_WRITE, &err);

	if (rc == -EROFS && strstr(err.text, path) && strstr(err.text, part))
		return true;
	fprintf(stderr, "\n    %d: %s\n", rc, err.text);
	return false;
}

/* An archive that is there, and one that would be made, on a filesystem mounted read-only. */
static int open_on_read_only_mount(void *context)
{
	const struct scratch *scratch = context;
	char fresh[128];

	if (private_mounts() ||
	    mount(scratch->directory, scratch->directory, NULL, MS_BIND, NULL) ||
	    mount(NULL, scratch->directory, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
		return CHILD_SKIPS;
	snprintf(fresh, sizeof(fresh), "%s/fresh.db", scratch->directory);
	return !refused_with(fresh, "Read-only file system") ||
	       !refused_with(scratch->path, "Read-only file system");
}

static void read_only_mount_is_refused(void)
{
	struct scratch scratch;
	int status;

	scratch_make(&scratch);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	status = in_child(open_on_read_only_mount, &scratch);
	if (status == CHILD_SKIPS)
		test_skip("needs the right to mount");
	else
		CU_ASSERT_EQUAL(status, 0);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	scratch_remove(&scratch);
}

static bool make_immutable(const char *path, bool immutable)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int flags = 0;
	bool done;

	if (fd < 0)
		return false;
	done = !ioctl(fd, FS_IOC_GETFLAGS, &flags);
	flags = immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	done = done && !ioctl(fd, FS_IOC_SETFLAGS, &flags);
	close(fd);
	return done;
}

static void immutable_archive_is_refused(void)
{
	struct scratch scratch;
	char fresh[128];

	scratch_make(&scratch);
	snprintf(fresh, sizeof(fresh), "%s/fresh.db", scratch.directory);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	if (make_immutable(scratch.path, true)) {
		check_refused(scratch.path, ARCHIVE_WRITE, -EPERM, "open", NULL);
		archive_close(must_open(scratch.path, ARCHIVE_READ));
		CU_ASSERT_TRUE(make_immutable(scratch.path, false));
	} else {
		test_skip("needs root and a filesystem with the immutable attribute");
	}
	if (make_immutable(scratch.directory, true)) {
		check_refused(scratch.path, ARCHIVE_WRITE, -EPERM, "directory", NULL);
		check_refused(fresh, ARCHIVE_WRITE, -EPERM, "directory", NULL);
		CU_ASSERT_TRUE(make_immutable(scratch.directory, false));
	}
	CU_ASSERT_NOT_EQUAL(access(fresh, F_OK), 0);
	scratch_remove(&scratch);
}

/* As somebody whom the file's mode keeps out. */
static int open_as_nobody(void *context)
{
	const struct scratch *scratch = context;
	struct archive *archive;
	struct err err = {0};

	if (setgid(65534) || setuid(65534))
		return CHILD_SKIPS;
	return archive_open(&archive, scratch->path, ARCHIVE_WRITE, &err) != -EACCES ||
	       !strstr(err.text, scratch->path);
}

static void archive_of_another_user_is_refused(void)
{
	struct scratch scratch;
	int status;

	scratch_make(&scratch);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CU_ASSERT_EQUAL(chmod(scratch.directory, 0777), 0);
	status = in_child(open_as_nobody, &scratch); /* the file's mode */
	CU_ASSERT(status == 0 || status == CHILD_SKIPS);
	CU_ASSERT_EQUAL(chmod(scratch.directory, 0755), 0);
	CU_ASSERT_EQUAL(chmod(scratch.path, 0666), 0);
	status = in_child(open_as_nobody, &scratch); /* the directory's, where the journal goes */
	if (status == CHILD_SKIPS)
		test_skip("needs root");
	else
		CU_ASSERT_EQUAL(status, 0);
	scratch_remove(&scratch);
}

/* Adds until it fails; returns how, and the last measurement the archive took. */
static int add_until_failure(const char *path, int64_t *last, struct err *err)
{
	struct archive *archive;
	struct run run;
	int rc = archive_open(&archive, path, ARCHIVE_WRITE, err);

	*last = 0;
	make_run(&run, "full");
	if (!rc)
		rc = archive_begin(archive, &run, err);
	while (!rc) {
		struct measurement measurement;

		make_measurement(&measurement, 5);
		rc = archive_add(archive, run.id, &measurement, err);
		*last = measurement.id ? measurement.id : *last;
		measurement_release(&measurement);
	}
	run_release(&run);
	archive_close(archive);
	return rc;
}

/* In a child: fails with the code and a sentence, and every measurement that was taken is there. */
static int add_until_full(const char *path, int wanted_code, const char *words)
{
	struct err err = {0};
	int64_t last;
	char *answer;
	int rc = add_until_failure(path, &last, &err);

	if (rc != wanted_code || !last || !strstr(err.text, path) || !strstr(err.text, words)) {
		fprintf(stderr, "\n    %d after %lld: %s\n", rc, (long long)last, err.text);
		return 1;
	}
	answer = ask(path, integrity);
	rc = strcmp(answer, "ok") ||
	     ask_number(path, "SELECT max(measurement_id) FROM measurement") != last;
	free(answer);
	return rc;
}

static int fill_small_filesystem(void *context)
{
	const struct scratch *scratch = context;

	if (private_mounts() || mount("none", scratch->directory, "tmpfs", 0, "size=600k"))
		return CHILD_SKIPS;
	return add_until_full(scratch->path, -ENOSPC, "disk is full");
}

static void full_disk_leaves_it_sound(void)
{
	struct scratch scratch;
	int status;

	scratch_make(&scratch);
	status = in_child(fill_small_filesystem, &scratch);
	if (status == CHILD_SKIPS)
		test_skip("needs the right to mount");
	else
		CU_ASSERT_EQUAL(status, 0);
	scratch_remove(&scratch);
}

static int write_within_limit(void *context)
{
	const struct scratch *scratch = context;
	const struct rlimit limit = {.rlim_cur = 400000, .rlim_max = 400000};

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return CHILD_SKIPS;
	return add_until_full(scratch->path, -EIO, "disk I/O error");
}

static void write_error_leaves_it_sound(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	CU_ASSERT_EQUAL(in_child(write_within_limit, &scratch), 0);
	archive_close(must_open(scratch.path, ARCHIVE_WRITE));
	CHECK_ANSWER(scratch.path, "SELECT status FROM run", "interrupted");
	scratch_remove(&scratch);
}

/* ---- where it is ---- */

static int check_default_paths(void *context)
{
	const struct scratch *scratch = context;
	char path[200], wanted[200];
	bool is_default;
	int wrong = 0;

	setenv("HOME", scratch->directory, 1);
	unsetenv("ASSAY_DB");
	unsetenv("XDG_DATA_HOME");
	wrong += archive_default_path(path, sizeof(path), &is_default, NULL) != 0 || !is_default;
	snprintf(wanted, sizeof(wanted), "%s/.local/share/assay/archive.db", scratch->directory);
	wrong += strcmp(path, wanted) != 0;
	setenv("XDG_DATA_HOME", "relative", 1); /* to be ignored */
	wrong += archive_default_path(path, sizeof(path), &is_default, NULL) != 0 || !is_default;
	wrong += strcmp(path, wanted) != 0;
	setenv("XDG_DATA_HOME", "/data", 1);
	wrong += archive_default_path(path, sizeof(path), &is_default, NULL) != 0 || !is_default;
	wrong += strcmp(path, "/data/assay/archive.db") != 0;
	wrong += archive_default_path(path, 5, &is_default, NULL) != -ENAMETOOLONG;
	setenv("ASSAY_DB", "my.db", 1);
	wrong += archive_default_path(path, sizeof(path), &is_default, NULL) != 0 || is_default;
	wrong += strcmp(path, "my.db") != 0;
	unsetenv("ASSAY_DB");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	wrong += archive_default_path(path, sizeof(path), &is_default, NULL) != ERR_USAGE;
	return wrong;
}

static void default_path_follows_the_environment(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	CU_ASSERT_EQUAL(in_child(check_default_paths, &scratch), 0);
	scratch_remove(&scratch);
}

/* The default alone may make its directories, and for their owner alone. */
static int open_default(void *context)
{
	const struct scratch *scratch = context;
	struct archive *archive;
	struct stat status;
	char path[200];
	bool is_default;

	umask(022);
	setenv("HOME", scratch->directory, 1);
	unsetenv("ASSAY_DB");
	unsetenv("XDG_DATA_HOME");
	if (archive_default_path(path, sizeof(path), &is_default, NULL) ||
	    archive_open(&archive, path, ARCHIVE_WRITE, NULL))
		return 1;
	archive_close(archive);
	*strrchr(path, '/') = '\0';
	return stat(path, &status) || (status.st_mode & 07777) != 0700;
}

static void default_directories_are_made(void)
{
	struct scratch scratch;

	scratch_make(&scratch);
	CU_ASSERT_EQUAL(in_child(open_default, &scratch), 0);
	CU_ASSERT_EQUAL(in_child(open_default, &scratch), 0); /* and found the next time */
	scratch_remove(&scratch);
}

static void directories_that_cannot_be_made(void)
{
	struct scratch scratch;
	struct err err = {0};
	char path[200];

	scratch_make(&scratch);
	put_bytes(scratch.path, "", 0);
	snprintf(path, sizeof(path), "%s/below/archive.db", scratch.path);
	CU_ASSERT_EQUAL(archive_make_directories(path, &err), -ENOTDIR);
	CHECK_SAYS(err.text, scratch.path);
	CU_ASSERT_EQUAL(archive_make_directories("archive.db", &err), 0);
	scratch_remove(&scratch);
}

static const struct test tests[] = {
	{"a measurement comes back value by value", measurement_round_trip},
	{"only what is asked for is loaded", load_what_is_asked},
	{"a run comes back with its facts, tags and notes", run_round_trip},
	{"what is not known stays absent", unknown_stays_absent},
	{"points equal but for the order of their parameters share a row",
	 equal_points_share_a_row},
	{"finishing a run adds what came since, beside what others added",
	 finish_adds_what_came_since},
	{"a run deleted under way takes no more measurements", deleted_run_takes_nothing},
	{"a living run stays running whoever opens the archive", living_run_stays_running},
	{"a dead run is marked interrupted by who opens to write, not to read",
	 dead_run_is_interrupted},
	{"a run that died without a measurement ended when it started",
	 bare_dead_run_is_interrupted},
	{"a run given up by closing is interrupted", abandoned_run_is_interrupted},
	{"a finished run gives its lock back", finished_run_gives_its_lock_back},
	{"in a copy a running run is interrupted, in the original it runs on",
	 copy_interrupts_its_own_run},
	{"a writer killed at any moment leaves whole measurements in a sound file",
	 survives_sudden_death},
	{"reading takes back what a crash left half-written",
	 reading_takes_half_a_transaction_back},
	{"several processes make the archive and write to it at once", several_write_at_once},
	{"a busy archive is waited for", busy_archive_is_waited_for},
	{"a newer schema is refused and left alone", newer_schema_is_refused},
	{"a file that is not SQLite's is refused and left alone", other_files_are_refused},
	{"another program's database is refused and left alone", other_databases_are_refused},
	{"a directory, a FIFO and a dangling link are refused", what_is_no_file_is_refused},
	{"a missing archive to read and a missing directory are refused",
	 what_is_missing_is_refused},
	{"an empty file becomes an archive, through a link too", empty_file_becomes_an_archive},
	{"a read-only filesystem is refused, to root too", read_only_mount_is_refused},
	{"an immutable file or directory is refused, to root too", immutable_archive_is_refused},
	{"an archive or directory that is somebody else's is refused",
	 archive_of_another_user_is_refused},
	{"a full disk leaves the archive sound and says so", full_disk_leaves_it_sound},
	{"a write error leaves the archive sound and says so", write_error_leaves_it_sound},
	{"the default path follows the environment", default_path_follows_the_environment},
	{"the directories of the default path are made for their owner",
	 default_directories_are_made},
	{"directories that cannot be made are named", directories_that_cannot_be_made},
	{NULL, NULL},
};

const struct suite suite_archive = {"archive", tests};
