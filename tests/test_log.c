/* SPDX-License-Identifier: MIT */
/*
 * test_log.c - the write-ahead log: what was acknowledged is there, flushes come when they must,
 * and a failure stays one. Methods of our own slow syncs down, watch them and let them fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "site_fixture.h"
#include "suites.h"
#include "workloads/crc32c.h"
#include "workloads/log.h"

enum { FLUSH, CLIENTS_MAX = 8, RECORDS_MAX = 400, SYNCS_MAX = 8192, BODY_MAX = 3000 };

/* ---- a method that can be watched ---- */

/* What syncs did. One log at a time: methods have no state of their own. */
static struct watched {
	pthread_mutex_t mutex;
	unsigned count;
	unsigned fail_at; /* the sync that fails, counted from 1; 0: none */
	uint64_t begin_ns[SYNCS_MAX], end_ns[SYNCS_MAX];
	uint64_t nap_ns;
} watched = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int watched_sync(int fd)
{
	unsigned index;
	uint64_t begin_ns = clock_now_ns();
	int code;

	pthread_mutex_lock(&watched.mutex);
	index = watched.count++;
	pthread_mutex_unlock(&watched.mutex);
	if (index >= SYNCS_MAX)
		abort();
	if (watched.nap_ns)
		clock_sleep_until_ns(begin_ns + watched.nap_ns);
	code = fdatasync(fd);
	watched.begin_ns[index] = begin_ns;
	watched.end_ns[index] = clock_now_ns();
	if (index + 1 != watched.fail_at)
		return code;
	errno = EIO;
	return -1;
}

static const struct method watched_method = {"watched",	     0,	      0, watched_sync,
					     "watched_sync", "pwrite"};

static void watch_anew(uint64_t nap_ns, unsigned fail_at)
{
	watched.count = 0;
	watched.nap_ns = nap_ns;
	watched.fail_at = fail_at;
}

/* ---- clients ---- */

struct bench {
	struct site site;
	struct log *log;
	struct phase_run run;
	struct worker workers[CLIENTS_MAX];
	struct recorder recorders[CLIENTS_MAX];
	unsigned records; /* each commits so many */
	size_t body_bytes; /* of each; 0: of all lengths */
	uint64_t called_ns[CLIENTS_MAX][RECORDS_MAX], returned_ns[CLIENTS_MAX][RECORDS_MAX];
	unsigned acknowledged[CLIENTS_MAX];
	int codes[CLIENTS_MAX];
};

static const struct log_shape usual = {
	.method = &watched_method,
	.segments = LOG_RECYCLED,
	.segment_bytes = 1 << 16,
	.unit_bytes = 8192,
	.body_bytes = BODY_MAX,
	.clients = CLIENTS_MAX,
	.flush_operation = FLUSH,
};

static void ready_workers(struct bench *bench)
{
	struct err err = {0};

	bench->run.stop = &bench->site.stop;
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		histogram_init(&bench->recorders[i].histogram);
		CU_ASSERT_EQUAL_FATAL(series_init(&bench->recorders[i].series, NS_PER_S, &err), 0);
		bench->workers[i] = (struct worker){.run = &bench->run,
						    .index = i,
						    .recorders = &bench->recorders[i],
						    .window_length_ns = UINT64_MAX,
						    .write_budget = UINT64_MAX};
	}
}

static struct bench *bench_open(enum site_kind kind, const struct log_shape *shape)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(bench);
	if (!site_open(&bench->site, kind)) {
		free(bench);
		return NULL;
	}
	ready_workers(bench);
	CU_ASSERT_EQUAL(log_open(&bench->log, &bench->site.target, shape, 1, &bench->site.stop,
				 &err),
			0);
	if (!bench->log)
		printf("\n    %s", err.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bench->log);
	return bench;
}

static void bench_close(struct bench *bench)
{
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		series_release(&bench->recorders[i].series);
	log_close(bench->log);
	site_close(&bench->site);
	free(bench);
}

struct client {
	struct bench *bench;
	unsigned index;
};

/* Bodies in up to three pieces. */
static int commit_one(struct bench *bench, unsigned index, struct rng *rng)
{
	unsigned char body[BODY_MAX];
	struct iovec pieces[3];
	size_t length = bench->body_bytes ? bench->body_bytes : 1 + rng_below(rng, BODY_MAX);
	size_t first = rng_below(rng, length + 1);

	for (size_t i = 0; i < length; i++)
		body[i] = (unsigned char)rng_next(rng);
	pieces[0] = (struct iovec){body, first};
	pieces[1] = (struct iovec){body + first, 0};
	pieces[2] = (struct iovec){body + first, length - first};
	return log_commit(bench->log, &bench->workers[index], pieces, 3);
}

static void *client_main(void *context)
{
	struct client *client = context;
	struct bench *bench = client->bench;
	unsigned i = client->index;
	struct rng rng;

	rng_init(&rng, i + 1);
	for (unsigned n = 0; n < bench->records && !bench->codes[i]; n++) {
		bench->called_ns[i][n] = clock_now_ns();
		bench->codes[i] = commit_one(bench, i, &rng);
		bench->returned_ns[i][n] = clock_now_ns();
		bench->acknowledged[i] += !bench->codes[i];
	}
	return NULL;
}

/* So many clients commit so many records each. */
static void load(struct bench *bench, unsigned clients, unsigned records)
{
	struct client contexts[CLIENTS_MAX];
	pthread_t threads[CLIENTS_MAX];

	bench->records = records;
	for (unsigned i = 0; i < clients; i++) {
		contexts[i] = (struct client){bench, i};
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&threads[i], NULL, client_main, &contexts[i]), 0);
	}
	for (unsigned i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
}

static uint64_t count_flushes(const struct bench *bench)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		count += bench->recorders[i].histogram.count;
	return count;
}

/* ---- the checksum ---- */

static void a_checksum_is_crc32c_in_one_piece_or_many(void)
{
	static const char digits[] = "123456789";
	struct crc32c crc;
	unsigned char bytes[300];
	uint32_t whole;

	crc32c_init(&crc);
	/* The check value of CRC-32/ISCSI in the catalogue of parametrised CRC algorithms. */
	CU_ASSERT_EQUAL(crc32c_of(&crc, 0, digits, 9), 0xe3069283);
	CU_ASSERT_EQUAL(crc32c_of(&crc, 0, digits, 0), 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)rng_mix(i);
	whole = crc32c_of(&crc, 0, bytes, sizeof(bytes));
	for (size_t cut = 0; cut <= sizeof(bytes); cut++)
		CU_ASSERT_EQUAL(crc32c_of(&crc, crc32c_of(&crc, 0, bytes, cut), bytes + cut,
					  sizeof(bytes) - cut),
				whole);
}

/* ---- what was acknowledged is there ---- */

static void check_all_there(enum log_segments segments, size_t unit_bytes, unsigned clients)
{
	struct log_shape shape = usual;
	uint64_t checked = 0;
	struct err err = {0};
	struct bench *bench;

	shape.segments = segments;
	shape.unit_bytes = unit_bytes;
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	load(bench, clients, 200);
	for (unsigned i = 0; i < clients; i++)
		CU_ASSERT_EQUAL(bench->codes[i], 0);
	CU_ASSERT_EQUAL(log_acknowledged(bench->log), 200u * clients);
	CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), 0);
	CU_ASSERT(log_switches(bench->log) >= 2);
	/* Four segments are kept, each of which holds at least 20 of these records. */
	CU_ASSERT(checked >= 60 && checked <= 200u * clients);
	CU_ASSERT_EQUAL(count_flushes(bench), watched.count);
	for (unsigned i = 0; i < clients; i++)
		CU_ASSERT_EQUAL(bench->recorders[i].bytes % unit_bytes, 0);
	bench_close(bench);
}

static void every_record_acknowledged_is_read_back_whole(void)
{
	static const size_t units[] = {512, 4096, 8192};

	for (int segments = LOG_RECYCLED; segments <= LOG_EXTENDING; segments++)
		for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
			check_all_there((enum log_segments)segments, units[u], 1);
			check_all_there((enum log_segments)segments, units[u], CLIENTS_MAX);
		}
}

/* Changes one byte of every segment file at an offset. */
static void damage(const struct bench *bench, off_t offset)
{
	for (unsigned i = 0; i < LOG_SEGMENTS; i++) {
		char name[32];
		unsigned char byte;
		int fd;

		snprintf(name, sizeof(name), "wal.%u", i);
		fd = openat(bench->site.target.work_fd, name, O_RDWR);
		CU_ASSERT_FATAL(fd >= 0);
		CU_ASSERT_EQUAL(pread(fd, &byte, 1, offset), 1);
		byte ^= 0x10;
		CU_ASSERT_EQUAL(pwrite(fd, &byte, 1, offset), 1);
		close(fd);
	}
}

/* A byte of the header's length, checksum, number and owner, and of the body. */
static void a_record_that_changed_is_found(void)
{
	static const off_t offsets[] = {0, 5, 8, 17, 24};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct bench *bench;
		struct err err = {0};
		uint64_t checked;

		watch_anew(0, 0);
		bench = bench_open(SITE_MEMORY, &usual);
		if (!bench)
			return;
		load(bench, 2, 8);
		damage(bench, offsets[i]);
		CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), -EBADMSG);
		CU_ASSERT(says(err.text, "wal.0 does not hold record 0 at offset 0"));
		bench_close(bench);
	}
}

static void records_of_the_round_before_are_not_taken_for_new_ones(void)
{
	struct log_shape shape = usual;
	struct err err = {0};
	struct bench *bench;
	struct stat status;
	uint64_t checked;

	shape.segment_bytes = 8192;
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	load(bench, 1, 100);
	CU_ASSERT(log_switches(bench->log) > 2 * LOG_SEGMENTS);
	CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), 0);
	CU_ASSERT(checked < 100);
	CU_ASSERT_EQUAL(fstatat(bench->site.target.work_fd, "wal.4", &status, 0), -1);
	CU_ASSERT_EQUAL(fstatat(bench->site.target.work_fd, "wal.3", &status, 0), 0);
	CU_ASSERT_EQUAL(status.st_size, 8192);
	bench_close(bench);
}

/* A write that was acknowledged and never arrived leaves the record of the round before. */
static void a_write_that_was_lost_is_found_though_what_lies_there_is_whole(void)
{
	unsigned char before[8192];
	struct log_shape shape = usual;
	struct err err = {0};
	struct bench *bench;
	uint64_t checked;
	int fd;

	shape.segment_bytes = sizeof(before);
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	bench->body_bytes = 1000;
	load(bench, 1, 40);
	fd = openat(bench->site.target.work_fd, "wal.0", O_RDWR);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, before, sizeof(before), 0), sizeof(before));
	load(bench, 1, 40);
	CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), 0);
	CU_ASSERT_EQUAL(pwrite(fd, before, sizeof(before), 0), sizeof(before));
	close(fd);
	CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), -EBADMSG);
	CU_ASSERT(says(err.text, "wal.0 does not hold record "));
	bench_close(bench);
}

/* ---- segments ---- */

static off_t size_of(const struct bench *bench, const char *name)
{
	struct stat status;

	return fstatat(bench->site.target.work_fd, name, &status, 0) ? -1 : status.st_size;
}

static struct bench *one_commit_in(enum log_segments segments)
{
	struct log_shape shape = usual;
	struct bench *bench;

	shape.segments = segments;
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (bench)
		load(bench, 1, 1);
	return bench;
}

/* The first record ends in the middle of a unit, whose rest is zeros. */
static void the_tail_unit_is_padded_with_zeros(void)
{
	struct log_shape shape = usual;
	unsigned char unit[8192];
	struct bench *bench;
	size_t used = sizeof(unit);
	int fd;

	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	load(bench, 1, 120); /* both halves of the buffer have been full of bytes */
	fd = openat(bench->site.target.work_fd, "wal.1", O_RDONLY);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, unit, sizeof(unit), (1 << 16) - (off_t)sizeof(unit)),
			sizeof(unit));
	close(fd);
	while (used && !unit[used - 1])
		used--;
	CU_ASSERT(used < sizeof(unit) - 8);
	bench_close(bench);
}

static void segments_are_whole_before_the_load_or_grow_with_it(void)
{
	struct bench *bench = one_commit_in(LOG_RECYCLED);

	if (!bench)
		return;
	CU_ASSERT_EQUAL(size_of(bench, "wal.0"), 1 << 16);
	CU_ASSERT_EQUAL(size_of(bench, "wal.3"), 1 << 16);
	CU_ASSERT_EQUAL(size_of(bench, "wal.4"), -1);
	bench_close(bench);
	bench = one_commit_in(LOG_ZEROED);
	CU_ASSERT_EQUAL(size_of(bench, "wal.0"), 1 << 16);
	CU_ASSERT_EQUAL(size_of(bench, "wal.1"), -1);
	bench_close(bench);
	bench = one_commit_in(LOG_EXTENDING);
	CU_ASSERT_EQUAL(size_of(bench, "wal.0"), 8192);
	bench_close(bench);
}

static void what_a_log_leaves_is_known_by_name_and_closing_leaves_nothing(void)
{
	struct log_shape shape = usual;
	struct bench *bench;

	shape.segments = LOG_ZEROED;
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	load(bench, 2, 150);
	CU_ASSERT(log_switches(bench->log) >= LOG_SEGMENTS);
	log_close(bench->log);
	bench->log = NULL;
	for (unsigned i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "wal.%u", i);
		CU_ASSERT_EQUAL(size_of(bench, name), -1);
		CU_ASSERT(fileset_owns(name));
	}
	CU_ASSERT(!fileset_owns("wal.") && !fileset_owns("wal.01") && !fileset_owns("wal.1x"));
	bench_close(bench);
}

/* ---- when flushes come ---- */

/* Whether a sync began after the call and ended before the return. */
static bool was_flushed_between(uint64_t called_ns, uint64_t returned_ns)
{
	for (unsigned i = 0; i < watched.count; i++)
		if (watched.begin_ns[i] >= called_ns && watched.end_ns[i] <= returned_ns)
			return true;
	return false;
}

static void no_commit_returns_before_a_flush_that_began_after_it_was_called(void)
{
	struct bench *bench;
	uint64_t commits = 0;

	watch_anew(NS_PER_MS / 2, 0);
	bench = bench_open(SITE_MEMORY, &usual);
	if (!bench)
		return;
	load(bench, CLIENTS_MAX, 50);
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		for (unsigned n = 0; n < bench->acknowledged[i]; n++, commits++)
			CU_ASSERT(was_flushed_between(bench->called_ns[i][n],
						      bench->returned_ns[i][n]));
	CU_ASSERT_EQUAL(commits, CLIENTS_MAX * 50);
	bench_close(bench);
}

static void flushes_follow_one_another_and_serve_all_who_wait(void)
{
	struct bench *bench;

	watch_anew(NS_PER_MS, 0);
	bench = bench_open(SITE_MEMORY, &usual);
	if (!bench)
		return;
	load(bench, CLIENTS_MAX, 50);
	for (unsigned i = 1; i < watched.count; i++)
		CU_ASSERT(watched.begin_ns[i] >= watched.end_ns[i - 1]);
	/* Eight who wait for a flush of a millisecond come in two groups at worst. */
	CU_ASSERT(watched.count < CLIENTS_MAX * 50 / 2);
	bench_close(bench);
}

/* ---- failures ---- */

static void after_a_failed_sync_nothing_is_acknowledged_and_nothing_tried_again(void)
{
	struct bench *bench;

	watch_anew(NS_PER_MS / 2, 20);
	bench = bench_open(SITE_MEMORY, &usual);
	if (!bench)
		return;
	load(bench, CLIENTS_MAX, 50);
	CU_ASSERT_EQUAL(watched.count, 20);
	CU_ASSERT_EQUAL(count_flushes(bench), 19);
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		const char *text = bench->workers[i].err.text;
		unsigned n = bench->acknowledged[i];

		CU_ASSERT_EQUAL(bench->codes[i], -EIO);
		CU_ASSERT(says(text, "watched_sync of ") && says(text, "/wal.") &&
			  says(text, strerror(EIO)));
		if (n)
			CU_ASSERT(bench->returned_ns[i][n - 1] <= watched.end_ns[19]);
	}
	bench_close(bench);
}

static void a_write_that_fails_names_file_and_call(void)
{
	static const struct method no_method = {"none", 0, 1 << 30, NULL, NULL, "pwritev2 with "
										"1<<30"};
	struct log_shape shape = usual;
	struct log *log;
	struct site site;
	struct err err = {0};

	if (!site_open(&site, SITE_MEMORY))
		return;
	shape.method = &no_method;
	CU_ASSERT_EQUAL(log_open(&log, &site.target, &shape, 1, &site.stop, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "none cannot be had in ") &&
		  says(err.text, "pwritev2 with 1<<30"));
	CU_ASSERT_PTR_NULL(log);
	site_close(&site);
}

static void what_max_write_does_not_allow_ends_the_log(void)
{
	struct log_shape shape = usual;
	struct err err = {0};
	struct bench *bench;
	uint64_t checked;

	shape.segments = LOG_ZEROED;
	watch_anew(0, 0);
	bench = bench_open(SITE_MEMORY, &shape);
	if (!bench)
		return;
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		bench->workers[i].write_budget = 3 << 15; /* one segment and a half */
	load(bench, 1, 200);
	CU_ASSERT_EQUAL(bench->codes[0], LOG_ENDED);
	CU_ASSERT_EQUAL(log_switches(bench->log), 1);
	CU_ASSERT_EQUAL(log_acknowledged(bench->log), bench->acknowledged[0]);
	CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), 0);
	CU_ASSERT_EQUAL(checked, bench->acknowledged[0]);
	bench_close(bench);
}

static void shapes_that_cannot_be_are_refused_with_the_reason(void)
{
	struct log_shape shape = usual;
	struct log *log;
	struct site site;
	struct err err = {0};

	if (!site_open(&site, SITE_MEMORY))
		return;
	shape.segment_bytes = 10000;
	CU_ASSERT_EQUAL(log_open(&log, &site.target, &shape, 1, &site.stop, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "not a multiple of write_unit"));
	shape = usual;
	shape.body_bytes = 1 << 16;
	CU_ASSERT_EQUAL(log_open(&log, &site.target, &shape, 1, &site.stop, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "does not fit in a segment"));
	shape = usual;
	shape.method = method_find("direct_dsync");
	site.target.direct = false;
	snprintf(site.target.direct_reason, sizeof(site.target.direct_reason), "because");
	CU_ASSERT_EQUAL(log_open(&log, &site.target, &shape, 1, &site.stop, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "because"));
	site.target.direct = true;
	site.target.logical_block_bytes = 16384;
	CU_ASSERT_EQUAL(log_open(&log, &site.target, &shape, 1, &site.stop, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "multiples of 16384"));
	site_close(&site);
}

/* Every method that can be had on a disk gives the same log. */
static void each_method_makes_a_log_that_reads_back(void)
{
	for (int i = 0; param_method.choices[i]; i++) {
		struct log_shape shape = usual;
		struct err err = {0};
		struct bench *bench;
		uint64_t checked;

		shape.method = method_find(param_method.choices[i]);
		bench = bench_open(SITE_DISK, &shape);
		if (!bench)
			return;
		load(bench, 4, 20);
		CU_ASSERT_EQUAL(bench->codes[0], 0);
		CU_ASSERT_EQUAL(log_verify(bench->log, &checked, &err), 0);
		CU_ASSERT(checked > 0);
		bench_close(bench);
	}
}

static void names_of_methods_and_of_their_choices_agree(void)
{
	for (int i = 0; param_method.choices[i]; i++)
		CU_ASSERT_STRING_EQUAL(method_find(param_method.choices[i])->name,
				       param_method.choices[i]);
}

static const struct test tests[] = {
	{"a checksum is CRC-32C, in one piece or in many",
	 a_checksum_is_crc32c_in_one_piece_or_many},
	{"names of methods and of their choices agree",
	 names_of_methods_and_of_their_choices_agree},
	{"every record acknowledged is read back whole",
	 every_record_acknowledged_is_read_back_whole},
	{"a record that changed is found", a_record_that_changed_is_found},
	{"records of the round before are not taken for new ones",
	 records_of_the_round_before_are_not_taken_for_new_ones},
	{"a write that was lost is found, though what lies there is whole",
	 a_write_that_was_lost_is_found_though_what_lies_there_is_whole},
	{"the tail unit is padded with zeros", the_tail_unit_is_padded_with_zeros},
	{"segments are whole before the load or grow with it",
	 segments_are_whole_before_the_load_or_grow_with_it},
	{"what a log leaves is known by name, and closing leaves nothing",
	 what_a_log_leaves_is_known_by_name_and_closing_leaves_nothing},
	{"no commit returns before a flush that began after it was called",
	 no_commit_returns_before_a_flush_that_began_after_it_was_called},
	{"flushes follow one another and serve all who wait",
	 flushes_follow_one_another_and_serve_all_who_wait},
	{"after a failed sync nothing is acknowledged and nothing tried again",
	 after_a_failed_sync_nothing_is_acknowledged_and_nothing_tried_again},
	{"a write that cannot be had names file and call", a_write_that_fails_names_file_and_call},
	{"what --max-write does not allow ends the log",
	 what_max_write_does_not_allow_ends_the_log},
	{"shapes that cannot be are refused with the reason",
	 shapes_that_cannot_be_are_refused_with_the_reason},
	{"each method makes a log that reads back", each_method_makes_a_log_that_reads_back},
	{NULL, NULL},
};

const struct suite suite_log = {"log", tests};
