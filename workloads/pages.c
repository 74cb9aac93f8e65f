/* SPDX-License-Identifier: MIT */
/*
 * pages.c - see pages.h.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "payload.h"
#include "permutation.h"
#include "shortfall.h"

enum {
	ALIGN_BYTES = 4096,
	FLUSH_AFTER_BYTES = 256 << 10,
	DOUBLEWRITE_BYTES = 2 << 20,
	FILES_MAX = 1024,
	BATCH_PAGES_MAX = DOUBLEWRITE_BYTES / 4096,
};

#define FILE_BYTES_MAX (1ULL << 30)
#define NAP_NS (20 * NS_PER_MS) /* how often a sleeper looks whether the load has ended */

static const char doublewrite_name[] = "page.0";

struct place {
	unsigned file;
	uint64_t offset_bytes;
};

struct pages {
	struct phase_run *run;
	struct pages_shape shape;
	unsigned file_count;
	uint64_t file_pages; /* of each file */
	int fds[FILES_MAX];
	int doublewrite_fd;
	unsigned batch_pages;
	struct payload *payload; /* a slot for each page of a batch */
	struct place places[BATCH_PAGES_MAX];
	struct iovec pieces[BATCH_PAGES_MAX];
	struct rng rng;
};

/* One writing back. */
struct sweep {
	struct pages *pages;
	struct worker *worker; /* NULL: nothing is recorded, nothing ends it */
	struct err *err;
	struct permutation order;
	uint64_t count, start_ns, spread_ns;
};

static unsigned files_of(const struct pages_shape *shape)
{
	if (shape->direct)
		return 1;
	return (unsigned)((shape->size_bytes + FILE_BYTES_MAX - 1) / FILE_BYTES_MAX);
}

static int file_error(const struct pages *pages, const char *operation, unsigned file,
		      struct err *err)
{
	return err_set(err, -errno, "%s %s/data.%u: %s", operation, pages->run->target->work_path,
		       file, strerror(errno));
}

static int doublewrite_error(const struct pages *pages, const char *operation, struct err *err)
{
	return err_set(err, -errno, "%s %s/%s: %s", operation, pages->run->target->work_path,
		       doublewrite_name, strerror(errno));
}

/* ---- opening and closing ---- */

static int check_shape(const struct pages_shape *shape, const struct target *target,
		       struct err *err)
{
	if (target->kind != TARGET_DIRECTORY)
		return err_set(err, ERR_SKIP, "pages are written to files: %s is a device",
			       target->path);
	if (files_of(shape) > FILES_MAX)
		return err_set(err, ERR_SKIP,
			       "a data set of more than %d files of 1 GiB", FILES_MAX);
	if (shape->size_bytes / files_of(shape) < shape->page_bytes)
		return err_set(err, ERR_SKIP, "the data set is smaller than a page of %zu bytes",
			       shape->page_bytes);
	if (!shape->direct)
		return 0;
	if (!target->direct)
		return err_set(err, ERR_SKIP, "direct I/O does not work in %s: %s", target->path,
			       target->direct_reason);
	if (shape->page_bytes % target->logical_block_bytes)
		return err_set(err, ERR_SKIP,
			       "direct I/O on %s moves multiples of %u bytes, not %zu",
			       target->path, target->logical_block_bytes, shape->page_bytes);
	return 0;
}

static int open_files(struct pages *pages, struct err *err)
{
	int flags = O_WRONLY | (pages->shape.direct ? O_DIRECT : 0);

	for (unsigned i = 0; i < pages->file_count; i++) {
		pages->fds[i] = fileset_file(pages->run->fileset, i, flags, err);
		if (pages->fds[i] < 0)
			return pages->fds[i];
	}
	return 0;
}

/* Fills a batch of places, for their pages: what they are is all the same. */
static void stamp_batch(struct pages *pages, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pages->pieces[i] = (struct iovec){
			payload_next(pages->payload, i, pages->places[i].offset_bytes),
			pages->shape.page_bytes};
}

/* Why the rest of a batch could not be written after so many bytes of it. */
static const char *doublewrite_cause(const struct pages *pages, size_t wrote, char text[100])
{
	size_t page = wrote / pages->shape.page_bytes, in_page = wrote % pages->shape.page_bytes;

	return shortfall_cause(pages->doublewrite_fd,
			       (const char *)pages->pieces[page].iov_base + in_page,
			       pages->shape.page_bytes - in_page, wrote, text);
}

static int write_doublewrite(struct pages *pages, unsigned count, struct err *err)
{
	ssize_t whole = (ssize_t)(count * pages->shape.page_bytes);
	ssize_t wrote = pwritev(pages->doublewrite_fd, pages->pieces, (int)count, 0);
	char cause[100];

	if (wrote < 0)
		return doublewrite_error(pages, "pwritev to", err);
	if (wrote != whole)
		return err_set(err, -EIO, "pwritev to %s/%s: only %zd of %zd bytes%s",
			       pages->run->target->work_path, doublewrite_name, wrote, whole,
			       doublewrite_cause(pages, (size_t)wrote, cause));
	if (fdatasync(pages->doublewrite_fd))
		return doublewrite_error(pages, "fdatasync of", err);
	return 0;
}

static int make_doublewrite(struct pages *pages, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;

	int code;

	if (!pages->shape.doublewrite)
		return 0;
	code = phase_write_untimed(pages->run, DOUBLEWRITE_BYTES, err);
	if (code)
		return code;
	pages->doublewrite_fd = openat(pages->run->target->work_fd, doublewrite_name,
				       flags | (pages->shape.direct ? O_DIRECT : 0), 0600);
	if (pages->doublewrite_fd < 0)
		return doublewrite_error(pages, "make", err);
	stamp_batch(pages, pages->batch_pages);
	return write_doublewrite(pages, pages->batch_pages, err);
}

static unsigned batch_of(const struct pages_shape *shape)
{
	size_t bytes = shape->doublewrite ? DOUBLEWRITE_BYTES : FLUSH_AFTER_BYTES;
	size_t pages = bytes / shape->page_bytes;

	if (pages > BATCH_PAGES_MAX)
		pages = BATCH_PAGES_MAX;
	return pages ? (unsigned)pages : 1;
}

int pages_open(struct pages **out, struct phase_run *run, const struct pages_shape *shape,
	       struct err *err)
{
	int code = check_shape(shape, run->target, err);
	struct pages *pages;

	*out = NULL;
	if (code)
		return code;
	*out = pages = calloc(1, sizeof(*pages));
	if (!pages)
		return err_set(err, -ENOMEM, "set up the pages: %s", strerror(ENOMEM));
	pages->run = run;
	pages->shape = *shape;
	pages->doublewrite_fd = -1;
	pages->batch_pages = batch_of(shape);
	pages->file_count = files_of(shape);
	pages->file_pages = shape->size_bytes / pages->file_count / shape->page_bytes;
	rng_init(&pages->rng, rng_seed_for(run->seed, "pages", 0));
	for (unsigned i = 0; i < FILES_MAX; i++)
		pages->fds[i] = -1;
	code = fileset_require(run->fileset, pages->file_count,
			       shape->size_bytes / pages->file_count, shape->compressible, err);
	if (!code)
		code = payload_open(&pages->payload, run->seed, pages->batch_pages,
				    shape->page_bytes, ALIGN_BYTES, shape->compressible, err);
	if (!code)
		code = open_files(pages, err);
	return code ? code : make_doublewrite(pages, err);
}

void pages_close(struct pages *pages)
{
	if (!pages)
		return;
	for (unsigned i = 0; i < pages->file_count; i++)
		if (pages->fds[i] >= 0)
			close(pages->fds[i]);
	if (pages->doublewrite_fd >= 0) {
		close(pages->doublewrite_fd);
		unlinkat(pages->run->target->work_fd, doublewrite_name, 0);
	}
	payload_close(pages->payload);
	free(pages);
}

uint64_t pages_count(const struct pages *pages)
{
	return pages->file_pages * pages->file_count;
}

uint64_t pages_extra_bytes(const struct pages_shape *shape)
{
	return shape->doublewrite ? DOUBLEWRITE_BYTES : 0;
}

/* ---- writing back ---- */

/* One page of each of count strata of equal size, so that all are distinct and, stratum by stratum,
 * sorted. */
static void place_page(struct sweep *sweep, uint64_t index, struct place *place)
{
	struct pages *pages = sweep->pages;
	uint64_t all = pages_count(pages), low, high, page;

	if (pages->shape.direct)
		index = permutation_at(&sweep->order, index);
	low = (uint64_t)((uint128)all * index / sweep->count);
	high = (uint64_t)((uint128)all * (index + 1) / sweep->count);
	page = low + rng_below(&pages->rng, high - low);
	place->file = (unsigned)(page / pages->file_pages);
	place->offset_bytes = page % pages->file_pages * pages->shape.page_bytes;
}

static int write_page(struct sweep *sweep, unsigned i)
{
	struct pages *pages = sweep->pages;
	const struct place *place = &pages->places[i];
	size_t length = pages->shape.page_bytes;
	const char *page = pages->pieces[i].iov_base;
	int fd = pages->fds[place->file];
	uint64_t start_ns = clock_now_ns();
	ssize_t wrote = pwrite(fd, page, length, (off_t)place->offset_bytes);
	char cause[100];

	if (wrote < 0)
		return file_error(pages, "pwrite to", place->file, sweep->err);
	if (wrote != (ssize_t)length)
		return err_set(sweep->err, -EIO, "pwrite to %s/data.%u: only %zd of %zu bytes%s",
			       pages->run->target->work_path, place->file, wrote, length,
			       shortfall_cause(fd, page + wrote, length - (size_t)wrote,
					       place->offset_bytes + (uint64_t)wrote, cause));
	if (sweep->worker)
		worker_record(sweep->worker, pages->shape.operation, start_ns, clock_now_ns(),
			      length);
	return 0;
}

/* Asks the kernel to start writing the batch, one range for neighbours. */
static int start_writing(struct sweep *sweep, unsigned count)
{
	struct pages *pages = sweep->pages;

	for (unsigned i = 0, next; i < count; i = next) {
		const struct place *first = &pages->places[i];
		uint64_t end = first->offset_bytes + pages->shape.page_bytes;

		for (next = i + 1; next < count && pages->places[next].file == first->file &&
				   pages->places[next].offset_bytes == end;
		     next++)
			end += pages->shape.page_bytes;
		if (sync_file_range(pages->fds[first->file], (off_t)first->offset_bytes,
				    (off_t)(end - first->offset_bytes), SYNC_FILE_RANGE_WRITE))
			return file_error(pages, "sync_file_range of", first->file, sweep->err);
	}
	return 0;
}

static int sync_files(struct sweep *sweep)
{
	struct pages *pages = sweep->pages;
	bool direct = pages->shape.direct;

	for (unsigned i = 0; i < pages->file_count; i++)
		if (direct ? fdatasync(pages->fds[i]) : fsync(pages->fds[i]))
			return file_error(pages, direct ? "fdatasync of" : "fsync of", i,
					  sweep->err);
	return 0;
}

static int write_batch(struct sweep *sweep, uint64_t first, unsigned count)
{
	struct pages *pages = sweep->pages;
	int code = 0;

	for (unsigned i = 0; i < count; i++)
		place_page(sweep, first + i, &pages->places[i]);
	stamp_batch(pages, count);
	if (pages->shape.doublewrite)
		code = write_doublewrite(pages, count, sweep->err);
	for (unsigned i = 0; !code && i < count; i++)
		code = write_page(sweep, i);
	if (!code && !pages->shape.direct)
		code = start_writing(sweep, count);
	if (!code && pages->shape.doublewrite && first + count < sweep->count)
		code = sync_files(sweep);
	return code;
}

/* Waits until the batch is due, and asks for leave to write it; false: the load has ended. */
static bool await_turn(const struct sweep *sweep, uint64_t first, unsigned count)
{
	struct worker *worker = sweep->worker;
	uint64_t due_ns = sweep->start_ns +
			  (uint64_t)((uint128)sweep->spread_ns * first / sweep->count);
	uint64_t bytes = count * sweep->pages->shape.page_bytes;
	uint64_t now_ns;

	if (!worker)
		return !atomic_load_explicit(sweep->pages->run->stop, memory_order_relaxed);
	while (worker_goes_on(worker, now_ns = clock_now_ns()) && now_ns < due_ns)
		clock_sleep_until_ns(now_ns + NAP_NS < due_ns ? now_ns + NAP_NS : due_ns);
	return worker_goes_on(worker, now_ns) &&
	       worker_may_write(worker, sweep->pages->shape.doublewrite ? 2 * bytes : bytes);
}

static int write_back(struct sweep *sweep)
{
	struct pages *pages = sweep->pages;
	unsigned count;

	if (sweep->count > pages_count(pages))
		sweep->count = pages_count(pages);
	permutation_init(&sweep->order, sweep->count, rng_next(&pages->rng));
	sweep->start_ns = clock_now_ns();
	for (uint64_t first = 0; first < sweep->count; first += count) {
		uint64_t left = sweep->count - first;
		int code;

		count = left < pages->batch_pages ? (unsigned)left : pages->batch_pages;
		if (!await_turn(sweep, first, count))
			return PAGES_CUT_SHORT;
		code = write_batch(sweep, first, count);
		if (code)
			return code;
	}
	return sync_files(sweep);
}

int pages_write_back(struct pages *pages, struct worker *worker, uint64_t count, uint64_t spread_ns)
{
	struct sweep sweep = {.pages = pages,
			      .worker = worker,
			      .err = &worker->err,
			      .count = count,
			      .spread_ns = spread_ns};

	return write_back(&sweep);
}

int pages_rehearse(struct pages *pages, struct phase_run *run, uint64_t count, uint64_t *took_ns,
		   struct err *err)
{
	struct sweep sweep = {.pages = pages, .err = err, .count = count};
	uint64_t bytes = count * pages->shape.page_bytes * (pages->shape.doublewrite ? 2 : 1);
	int code = phase_write_untimed(run, bytes, err);
	uint64_t start_ns = clock_now_ns();

	if (code)
		return code;
	code = write_back(&sweep);
	*took_ns = clock_now_ns() - start_ns;
	if (code == PAGES_CUT_SHORT)
		return err_set(err, -EINTR, "interrupted while trying out a checkpoint in %s",
			       run->target->work_path);
	return code;
}
