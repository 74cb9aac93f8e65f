/* SPDX-License-Identifier: MIT */
/*
 * test_pages.c - writing pages back: distinct ones, all over the data set, at the pace asked for.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "site_fixture.h"
#include "suites.h"
#include "workloads/pages.h"

enum { PAGE = 8192, PAGES = 512, PAGE_WRITE = 0 };

struct bench {
	struct site site;
	struct pages *pages;
	struct phase_run run;
	struct worker worker;
	struct recorder recorder;
	unsigned char *before, *after; /* the data set */
};

static const struct pages_shape usual = {
	.page_bytes = PAGE, .size_bytes = PAGES * PAGE, .operation = PAGE_WRITE};

static void read_data(const struct bench *bench, unsigned char *bytes)
{
	int fd = openat(bench->site.target.work_fd, "data.0", O_RDONLY);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, bytes, PAGES * PAGE, 0), PAGES * PAGE);
	close(fd);
}

static void ready_worker(struct bench *bench)
{
	histogram_init(&bench->recorder.histogram);
	CU_ASSERT_EQUAL_FATAL(series_init(&bench->recorder.series, NS_PER_S, NULL), 0);
	bench->worker = (struct worker){.run = &bench->run,
					.recorders = &bench->recorder,
					.window_length_ns = UINT64_MAX,
					.deadline_ns = UINT64_MAX,
					.write_budget = UINT64_MAX};
}

static bool bench_open(struct bench *bench, enum site_kind kind, const struct pages_shape *shape)
{
	static const struct phase phase = {.name = "pages"};
	static const struct point point = {.phase = &phase};
	struct err err = {0};

	memset(bench, 0, sizeof(*bench));
	if (!site_open(&bench->site, kind))
		return false;
	bench->run = (struct phase_run){.point = &point,
					.target = &bench->site.target,
					.fileset = bench->site.fileset,
					.seed = 3,
					.stop = &bench->site.stop,
					.write_left = UINT64_MAX};
	ready_worker(bench);
	bench->before = malloc(PAGES * PAGE);
	bench->after = malloc(PAGES * PAGE);
	CU_ASSERT_FATAL(bench->before && bench->after);
	if (pages_open(&bench->pages, &bench->run, shape, &err)) {
		printf("\n    %s", err.text);
		CU_FAIL_FATAL("no pages");
	}
	read_data(bench, bench->before);
	return true;
}

static void bench_close(struct bench *bench)
{
	struct stat status;

	pages_close(bench->pages);
	CU_ASSERT_EQUAL(fstatat(bench->site.target.work_fd, "page.0", &status, 0), -1);
	series_release(&bench->recorder.series);
	free(bench->before);
	free(bench->after);
	site_close(&bench->site);
}

/* Pages that differ from before in each eighth of the data set; returns how many there are in
 * all. */
static unsigned changed(struct bench *bench, unsigned eighths[8])
{
	unsigned count = 0;

	memset(eighths, 0, 8 * sizeof(*eighths));
	read_data(bench, bench->after);
	for (unsigned i = 0; i < PAGES; i++) {
		if (!memcmp(bench->before + i * PAGE, bench->after + i * PAGE, PAGE))
			continue;
		eighths[i / (PAGES / 8)]++;
		count++;
	}
	return count;
}

static void check_spread(const struct pages_shape *shape, uint64_t count)
{
	enum site_kind kind = shape->direct ? SITE_DISK : SITE_MEMORY;
	struct bench bench;
	unsigned eighths[8];

	if (!bench_open(&bench, kind, shape))
		return;
	CU_ASSERT_EQUAL(pages_count(bench.pages), PAGES);
	CU_ASSERT_EQUAL(pages_write_back(bench.pages, &bench.worker, count, 0), 0);
	if (count > PAGES)
		count = PAGES;
	CU_ASSERT_EQUAL(changed(&bench, eighths), count);
	CU_ASSERT_EQUAL(bench.recorder.histogram.count, count);
	CU_ASSERT_EQUAL(bench.recorder.bytes, count * PAGE);
	for (unsigned i = 0; i < 8 && count >= 64; i++)
		CU_ASSERT(eighths[i] + 1 >= count / 8 && eighths[i] <= count / 8 + 1);
	bench_close(&bench);
}

static void pages_written_back_are_distinct_and_all_over_the_data_set(void)
{
	static const uint64_t counts[] = {1, 2, 63, 64, 100, 511, 512, 5000};

	for (int style = 0; style < 4; style++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct pages_shape shape = usual;

			shape.direct = style & 1;
			shape.doublewrite = style & 2;
			check_spread(&shape, counts[i]);
		}
}

static void the_doublewrite_file_holds_what_goes_to_its_place_next(void)
{
	struct pages_shape shape = usual;
	unsigned char page[PAGE];
	struct bench bench;
	bool found = false;
	int fd;

	shape.doublewrite = true;
	if (!bench_open(&bench, SITE_MEMORY, &shape))
		return;
	CU_ASSERT_EQUAL(pages_write_back(bench.pages, &bench.worker, 40, 0), 0);
	fd = openat(bench.site.target.work_fd, "page.0", O_RDONLY);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, page, PAGE, 39 * PAGE), PAGE);
	close(fd);
	read_data(&bench, bench.after);
	for (unsigned i = 0; i < PAGES; i++)
		found |= !memcmp(page, bench.after + i * PAGE, PAGE);
	CU_ASSERT(found);
	bench_close(&bench);
}

static void writing_back_is_spread_over_the_time_asked_for(void)
{
	struct bench bench;
	uint64_t start_ns, took_ns;

	if (!bench_open(&bench, SITE_MEMORY, &usual))
		return;
	start_ns = clock_now_ns();
	CU_ASSERT_EQUAL(pages_write_back(bench.pages, &bench.worker, PAGES, 200 * NS_PER_MS), 0);
	took_ns = clock_now_ns() - start_ns;
	/* The last of 16 batches is due after fifteen sixteenths of it. */
	CU_ASSERT(took_ns >= 187 * NS_PER_MS);
	bench_close(&bench);
}

static void the_end_of_the_load_and_of_the_budget_cut_it_short(void)
{
	unsigned eighths[8];
	struct bench bench;

	if (!bench_open(&bench, SITE_MEMORY, &usual))
		return;
	bench.worker.deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
	CU_ASSERT_EQUAL(pages_write_back(bench.pages, &bench.worker, PAGES, 10 * NS_PER_S),
			PAGES_CUT_SHORT);
	CU_ASSERT(changed(&bench, eighths) < PAGES);
	bench.worker.deadline_ns = UINT64_MAX;
	bench.worker.write_budget = 70 * PAGE;
	histogram_init(&bench.recorder.histogram);
	CU_ASSERT_EQUAL(pages_write_back(bench.pages, &bench.worker, PAGES, 0), PAGES_CUT_SHORT);
	CU_ASSERT_EQUAL(bench.recorder.histogram.count, 64); /* two batches of 256 KiB */
	CU_ASSERT(bench.worker.budget_spent);
	bench_close(&bench);
}

static void a_rehearsal_records_nothing_and_asks_for_leave(void)
{
	struct bench bench;
	struct err err = {0};
	uint64_t took_ns = 0;

	if (!bench_open(&bench, SITE_MEMORY, &usual))
		return;
	CU_ASSERT_EQUAL(pages_rehearse(bench.pages, &bench.run, 100, &took_ns, &err), 0);
	CU_ASSERT(took_ns > 0);
	CU_ASSERT_EQUAL(bench.recorder.histogram.count, 0);
	CU_ASSERT_EQUAL(bench.run.untimed_write_bytes, 100 * PAGE);
	bench.run.write_left = 99 * PAGE;
	CU_ASSERT_EQUAL(pages_rehearse(bench.pages, &bench.run, 100, &took_ns, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "--max-write"));
	bench_close(&bench);
}

static const struct test tests[] = {
	{"pages written back are distinct and all over the data set",
	 pages_written_back_are_distinct_and_all_over_the_data_set},
	{"the doublewrite file holds what goes to its place next",
	 the_doublewrite_file_holds_what_goes_to_its_place_next},
	{"writing back is spread over the time asked for",
	 writing_back_is_spread_over_the_time_asked_for},
	{"the end of the load and of the budget cut it short",
	 the_end_of_the_load_and_of_the_budget_cut_it_short},
	{"a rehearsal records nothing and asks for leave",
	 a_rehearsal_records_nothing_and_asks_for_leave},
	{NULL, NULL},
};

const struct suite suite_pages = {"pages", tests};
