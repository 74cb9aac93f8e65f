/* SPDX-License-Identifier: MIT */
/*
 * datafile.c - see datafile.h.
 */
#include "datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shortfall.h"

enum { ALIGN_BYTES = 4096 };

static int check_direct(const struct phase_run *run, const struct datafile *file, struct err *err)
{
	uint32_t unit = run->target->logical_block_bytes;

	if (!run->target->direct)
		return err_set(err, ERR_SKIP, "direct I/O does not work in %s: %s",
			       run->target->path, run->target->direct_reason);
	if (file->block_bytes % unit || file->size_bytes % unit)
		return err_set(err, ERR_SKIP,
			       "direct I/O on %s moves multiples of %u bytes: neither block_size "
			       "nor size may be anything else",
			       run->target->path, unit);
	return 0;
}

/* One byte at a time there is no direct I/O: those phases have no parameter io. */
static bool is_direct(const struct point *point)
{
	return point_has(point, "io") && point_is(point, "io", "direct");
}

static bool is_warm(const struct point *point)
{
	return point_has(point, "cache") && point_is(point, "cache", "warm");
}

/* Phases that go byte by byte do so in a part of the file, or make one of that size. */
static void read_sizes(const struct point *point, struct datafile *file)
{
	const char *whole = point_has(point, "size") ? "size" : "char_size";
	const char *part = point_has(point, "char_size") ? "char_size" : "size";

	file->size_bytes = point_number(point, whole);
	file->span_bytes = point_number(point, part);
	file->block_bytes = (size_t)point_number(point, "block_size");
	file->compressible = (unsigned)point_number(point, "compressible");
}

int datafile_setup(struct phase_run *run, struct err *err)
{
	const struct point *point = run->point;
	struct datafile *file = calloc(1, sizeof(*file));

	if (!file)
		return err_set(err, -ENOMEM, "set up %s: %s", point->phase->name, strerror(ENOMEM));
	run->data = file;
	if (run->target->kind == TARGET_DEVICE)
		return err_set(err, ERR_SKIP, "%s works on files: %s is a device",
			       point->phase->name, run->target->path);
	read_sizes(point, file);
	file->warm = is_warm(point);
	run->total_units = file->span_bytes;
	if (file->block_bytes > file->span_bytes || file->span_bytes > file->size_bytes)
		return err_set(err, ERR_SKIP,
			       "the data set of %llu bytes is too small for chunks of %zu bytes in "
			       "the first %llu",
			       (unsigned long long)file->size_bytes, file->block_bytes,
			       (unsigned long long)file->span_bytes);
	if (!is_direct(point))
		return 0;
	file->io_flag = O_DIRECT;
	return check_direct(run, file, err);
}

void datafile_teardown(struct phase_run *run)
{
	fileset_drop_torn(run->fileset);
	free(run->data);
	run->data = NULL;
}

/* Reads the file through the page cache, so that the pass finds it there. */
static int fill_cache(struct phase_run *run, const struct datafile *file, struct err *err)
{
	enum { PIECE_BYTES = 1 << 20 };
	void *piece = malloc(PIECE_BYTES);
	int fd = piece ? fileset_file(run->fileset, 0, O_RDONLY, err)
		       : err_set(err, -ENOMEM, "read a file into the cache: %s", strerror(ENOMEM));
	ssize_t got = 1;
	int code = fd < 0 ? fd : 0;

	for (uint64_t done = 0; !code && got && done < file->size_bytes; done += (uint64_t)got) {
		got = read(fd, piece, PIECE_BYTES);
		if (got < 0)
			code = err_set(err, -errno, "read %s/data.0 into the cache: %s",
				       run->target->work_path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	free(piece);
	return code;
}

int datafile_reset(struct phase_run *run, struct err *err)
{
	struct datafile *file = run->data;
	uint64_t resident = 0;
	int code = fileset_require(run->fileset, 1, file->size_bytes, file->compressible, err);

	file->pass++;
	if (!code && file->warm)
		return fill_cache(run, file, err);
	if (!code)
		code = fileset_evict(run->fileset, 0, &resident, err);
	if (resident > file->resident_bytes)
		file->resident_bytes = resident;
	return code;
}

int datafile_finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct datafile *file = run->data;

	(void)err;
	/* A page or two of metadata readahead is no cache; a percent is. */
	if (!file->io_flag && file->resident_bytes > file->size_bytes / 100)
		measurement_flag(measurement, SEVERITY_VOID, "cached",
				 "%.0f %% of the file was still in the page cache before a pass "
				 "(%llu of %llu bytes): reads did not come from the device",
				 100.0 * (double)file->resident_bytes / (double)file->size_bytes,
				 (unsigned long long)file->resident_bytes,
				 (unsigned long long)file->size_bytes);
	return 0;
}

static void cost_of_file(const struct point *point, struct phase_cost *cost)
{
	struct datafile file;

	read_sizes(point, &file);
	cost->data_bytes = file.size_bytes;
	cost->inodes = 1;
	cost->time_ns = point_number(point, "time");
	if (!is_direct(point))
		cost->memory_bytes = cost->data_bytes;
}

void datafile_cost_read(const struct point *point, const struct target *target,
			struct phase_cost *cost)
{
	(void)target;
	cost_of_file(point, cost);
	cost->lays_out = true;
}

void datafile_cost_rewrite(const struct point *point, const struct target *target,
			   struct phase_cost *cost)
{
	datafile_cost_read(point, target, cost);
	cost->write_bytes = cost->data_bytes;
}

void datafile_cost_create(const struct point *point, const struct target *target,
			  struct phase_cost *cost)
{
	(void)target;
	cost_of_file(point, cost);
	cost->write_bytes = cost->data_bytes;
	cost->makes_data = true;
}

enum phase_traffic datafile_traffic(const struct point *point)
{
	return is_direct(point) ? TRAFFIC_EXACT : TRAFFIC_AMPLIFIED;
}

enum phase_traffic datafile_traffic_create(const struct point *point)
{
	(void)point;
	return TRAFFIC_AMPLIFIED; /* by what makes the file */
}

enum phase_traffic datafile_traffic_read(const struct point *point)
{
	return is_warm(point) ? TRAFFIC_NONE : TRAFFIC_EXACT;
}

/* ---- chunks ---- */

static int failed(struct worker *worker, const char *operation, uint64_t offset_bytes, int error)
{
	return err_set(&worker->err, -error, "%s %s/data.0 at offset %llu: %s", operation,
		       worker->run->target->work_path, (unsigned long long)offset_bytes,
		       strerror(error));
}

static int cut_short(struct worker *worker, const char *operation, uint64_t offset_bytes,
		     size_t wanted, ssize_t got, const char *cause)
{
	return err_set(&worker->err, -EIO, "%s %s/data.0 at offset %llu: only %zd of %zu bytes%s",
		       operation, worker->run->target->work_path, (unsigned long long)offset_bytes,
		       got, wanted, cause);
}

static struct chunker *chunker_make(struct worker *worker)
{
	const struct datafile *file = worker->run->data;
	struct chunker *chunker = calloc(1, sizeof(*chunker));
	void *buffer = NULL;

	if (!chunker || posix_memalign(&buffer, ALIGN_BYTES, file->block_bytes)) {
		free(chunker);
		err_set(&worker->err, -ENOMEM, "allocate a buffer of %zu bytes: %s",
			file->block_bytes, strerror(ENOMEM));
		return NULL;
	}
	memset(buffer, 0, file->block_bytes);
	chunker->buffer = buffer;
	chunker->fd = -1;
	worker->state = chunker;
	return chunker;
}

static int chunker_open(struct worker *worker, int flags)
{
	const struct datafile *file = worker->run->data;
	struct chunker *chunker = chunker_make(worker);
	int fd, code;

	if (!chunker)
		return -ENOMEM;
	code = payload_open(&chunker->payload, worker->seed, 1, file->block_bytes, ALIGN_BYTES,
			    file->compressible, &worker->err);
	if (code)
		return code;
	fd = fileset_file(worker->run->fileset, 0, flags | file->io_flag, &worker->err);
	if (fd < 0)
		return fd;
	chunker->fd = fd;
	return 0;
}

int chunker_open_read(struct worker *worker)
{
	return chunker_open(worker, O_RDONLY);
}

int chunker_open_write(struct worker *worker)
{
	return chunker_open(worker, O_WRONLY);
}

int chunker_open_update(struct worker *worker)
{
	return chunker_open(worker, O_RDWR);
}

int chunker_close(struct worker *worker)
{
	struct chunker *chunker = worker->state;

	if (!chunker)
		return 0;
	if (chunker->fd >= 0)
		close(chunker->fd); /* only after a failure: what is timed closes itself */
	payload_close(chunker->payload);
	free(chunker->buffer);
	free(chunker);
	worker->state = NULL;
	return 0;
}

int chunker_read(struct worker *worker, void *buffer, size_t bytes, uint64_t offset_bytes)
{
	const struct chunker *chunker = worker->state;
	ssize_t got = read(chunker->fd, buffer, bytes);

	if (got == (ssize_t)bytes)
		return 0;
	return got < 0 ? failed(worker, "read", offset_bytes, errno)
		       : cut_short(worker, "read", offset_bytes, bytes, got, "");
}

int chunker_write(struct worker *worker, const void *buffer, size_t bytes, uint64_t offset_bytes)
{
	const struct chunker *chunker = worker->state;
	ssize_t got = write(chunker->fd, buffer, bytes);
	char cause[100];

	if (got == (ssize_t)bytes)
		return 0;
	if (got < 0)
		return failed(worker, "write", offset_bytes, errno);
	return cut_short(worker, "write", offset_bytes, bytes, got,
			 shortfall_cause(chunker->fd, (const char *)buffer + got,
					 bytes - (size_t)got, offset_bytes + (uint64_t)got, cause));
}

int chunker_seek(struct worker *worker, uint64_t offset_bytes)
{
	const struct chunker *chunker = worker->state;

	if (lseek(chunker->fd, (off_t)offset_bytes, SEEK_SET) < 0)
		return failed(worker, "seek", offset_bytes, errno);
	return 0;
}

int chunker_timed_close(struct worker *worker)
{
	struct chunker *chunker = worker->state;
	int fd = chunker->fd;

	chunker->fd = -1;
	if (close(fd))
		return err_set(&worker->err, -errno, "close %s/data.0: %s",
			       worker->run->target->work_path, strerror(errno));
	return 0;
}

int chunker_sync_close(struct worker *worker)
{
	struct chunker *chunker = worker->state;

	if (fsync(chunker->fd))
		return err_set(&worker->err, -errno, "fsync %s/data.0: %s",
			       worker->run->target->work_path, strerror(errno));
	return chunker_timed_close(worker);
}
