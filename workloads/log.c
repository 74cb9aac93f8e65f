/* SPDX-License-Identifier: MIT */
/*
 * log.c - see log.h.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc32c.h"
#include "payload.h"

enum {
	ALIGN_BYTES = 4096,
	RECORD_ALIGN_BYTES = 8,
	HALF_BYTES_MIN = 1 << 20,
	FILL_BYTES = 1 << 20, /* one write of what makes a segment */
	NAME_BYTES = 32,
};

/* As it stands in the file, in the machine's byte order: nobody else reads it. */
struct record_header {
	uint32_t length; /* with the header; 0 where the records of a segment end */
	uint32_t checksum; /* of the body, then of the fields below and the length */
	uint64_t sequence;
	uint64_t owner;
};

/* One half of the buffer: what lies from base on in the current segment. */
struct half {
	unsigned char *bytes;
	uint64_t base;     /* offset in the segment, a multiple of the unit */
	size_t used;
	size_t carried;    /* of these were written before: the start of the tail unit */
};

struct segment {
	int fd;
	uint64_t number;
	uint64_t first; /* sequence number of its first record */
	bool begun;
};

struct log {
	const struct target *target;
	const atomic_bool *stop;
	struct log_shape shape;
	struct crc32c crc;
	unsigned char *fill; /* FILL_BYTES of zeros */
	size_t half_bytes;

	pthread_mutex_t mutex;
	pthread_cond_t flushed;
	/* Under the mutex: */
	struct half halves[2];
	unsigned taking;         /* the half that takes records */
	bool flushing;
	uint64_t next_sequence;
	uint64_t durable;        /* all sequence numbers below it are */
	int code;                /* what ended the log */
	struct err err;
	/* The leader's of the flush under way, or nobody's: */
	uint64_t current;        /* number of the segment that is written to */
	struct segment segments[LOG_SEGMENTS]; /* by number modulo LOG_SEGMENTS */
};

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static size_t record_bytes(size_t body_bytes)
{
	return round_up(sizeof(struct record_header) + body_bytes, RECORD_ALIGN_BYTES);
}

static struct segment *segment_of(struct log *log, uint64_t number)
{
	return &log->segments[number % LOG_SEGMENTS];
}

/* Recycled segments keep their files, the others get new ones. */
static void name_of(const struct log *log, uint64_t number, char name[NAME_BYTES])
{
	if (log->shape.segments == LOG_RECYCLED)
		number %= LOG_SEGMENTS;
	snprintf(name, NAME_BYTES, "wal.%llu", (unsigned long long)number);
}

/* ---- making segments ---- */

static int fail(const struct log *log, const char *operation, const char *name, struct err *err)
{
	return err_set(err, -errno, "%s %s/%s: %s", operation, log->target->work_path, name,
		       strerror(errno));
}

static int write_all(const struct log *log, int fd, const char *name, struct payload *payload,
		     struct err *err)
{
	uint64_t bytes = log->shape.segment_bytes;

	for (uint64_t offset = 0; offset < bytes;) {
		uint64_t left = bytes - offset;
		size_t length = left < FILL_BYTES ? (size_t)left : FILL_BYTES;
		const void *from = payload ? payload_next(payload, 0, offset) : log->fill;
		ssize_t wrote = pwrite(fd, from, length, (off_t)offset);

		if (atomic_load_explicit(log->stop, memory_order_relaxed) && payload)
			return err_set(err, -EINTR, "interrupted while making the log in %s",
				       log->target->work_path);
		if (wrote < 0)
			return fail(log, "fill", name, err);
		if (!wrote)
			return err_set(err, -EIO, "fill %s/%s: wrote nothing",
				       log->target->work_path, name);
		offset += (uint64_t)wrote;
	}
	return 0;
}

/* Fills a new file, from payload or with zeros, and syncs it. */
static int fill_file(const struct log *log, const char *name, struct payload *payload,
		     struct err *err)
{
	int code, fd = openat(log->target->work_fd, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return fail(log, "make", name, err);
	code = write_all(log, fd, name, payload, err);
	if (!code && fsync(fd))
		code = fail(log, "fsync of", name, err);
	if (close(fd) && !code)
		code = fail(log, "close", name, err);
	if (code)
		unlinkat(log->target->work_fd, name, 0);
	return code;
}

static int open_segment(struct log *log, uint64_t number, int flags, struct err *err)
{
	struct segment *segment = segment_of(log, number);
	char name[NAME_BYTES];

	name_of(log, number, name);
	segment->fd = openat(log->target->work_fd, name,
			     O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags |
				     log->shape.method->open_flags,
			     0600);
	if (segment->fd < 0)
		return fail(log, "open", name, err);
	segment->number = number;
	return 0;
}

/* A file's name is durable once its directory is. */
static int sync_directory(const struct log *log, struct err *err)
{
	if (fsync(log->target->work_fd))
		return err_set(err, -errno, "fsync of %s: %s", log->target->work_path,
			       strerror(errno));
	return 0;
}

static int drop_segment(struct log *log, struct segment *segment, struct err *err)
{
	char name[NAME_BYTES];
	int code = 0, fd = segment->fd;

	if (fd < 0)
		return 0;
	name_of(log, segment->number, name);
	segment->fd = -1;
	segment->begun = false;
	if (close(fd))
		code = fail(log, "close", name, err);
	if (unlinkat(log->target->work_fd, name, 0) && !code)
		code = fail(log, "remove", name, err);
	return code;
}

/* The file of a segment that is not recycled; the one it takes the place of goes. */
static int make_segment(struct log *log, uint64_t number, struct err *err)
{
	bool zeroed = log->shape.segments == LOG_ZEROED;
	int code = drop_segment(log, segment_of(log, number), err);
	char name[NAME_BYTES];

	name_of(log, number, name);
	if (!code && zeroed)
		code = fill_file(log, name, NULL, err);
	if (!code)
		code = open_segment(log, number, zeroed ? 0 : O_CREAT | O_EXCL, err);
	return code ? code : sync_directory(log, err);
}

/* All files of a log that recycles: what they hold was written, and is no record of this log. */
static int make_recycled(struct log *log, uint64_t seed, struct err *err)
{
	struct payload *payload;
	int code = payload_open(&payload, seed, 1, FILL_BYTES, ALIGN_BYTES, 0, err);

	if (code)
		return code;
	for (unsigned i = 0; !code && i < LOG_SEGMENTS; i++) {
		char name[NAME_BYTES];

		name_of(log, i, name);
		code = fill_file(log, name, payload, err);
		if (!code)
			code = open_segment(log, i, 0, err);
	}
	payload_close(payload);
	return code ? code : sync_directory(log, err);
}

static void begin_segment(struct log *log, uint64_t number, uint64_t first)
{
	struct segment *segment = segment_of(log, number);

	segment->number = number;
	segment->first = first;
	segment->begun = true;
}

/* ---- opening and closing ---- */

static int check_shape(const struct log_shape *shape, const struct target *target, struct err *err)
{
	if (target->kind != TARGET_DIRECTORY)
		return err_set(err, ERR_SKIP, "a log is made of files: %s is a device",
			       target->path);
	if (shape->segment_bytes % shape->unit_bytes)
		return err_set(err, ERR_SKIP,
			       "segment_size %llu is not a multiple of write_unit %zu",
			       (unsigned long long)shape->segment_bytes, shape->unit_bytes);
	if (record_bytes(shape->body_bytes) > shape->segment_bytes)
		return err_set(err, ERR_SKIP,
			       "a record of %zu bytes does not fit in a segment of %llu",
			       record_bytes(shape->body_bytes),
			       (unsigned long long)shape->segment_bytes);
	return method_check(shape->method, target, shape->unit_bytes, err);
}

/* Room for a record of every client behind the tail unit, and for many of few. */
static int make_halves(struct log *log, struct err *err)
{
	size_t least = record_bytes(log->shape.body_bytes) * log->shape.clients;

	log->half_bytes = least > HALF_BYTES_MIN ? least : HALF_BYTES_MIN;
	log->half_bytes = round_up(log->half_bytes + log->shape.unit_bytes, log->shape.unit_bytes);
	for (int i = 0; i < 2; i++) {
		void *bytes = NULL;

		if (posix_memalign(&bytes, ALIGN_BYTES, log->half_bytes))
			return err_set(err, -ENOMEM, "allocate the log's buffer of %zu bytes: %s",
				       log->half_bytes, strerror(ENOMEM));
		memset(bytes, 0, log->half_bytes);
		log->halves[i].bytes = bytes;
	}
	return 0;
}

static struct log *make_log(const struct target *target, const struct log_shape *shape,
			    const atomic_bool *stop)
{
	struct log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->fill = calloc(1, FILL_BYTES);
	if (!log->fill) {
		free(log);
		return NULL;
	}
	log->target = target;
	log->shape = *shape;
	log->stop = stop;
	for (int i = 0; i < LOG_SEGMENTS; i++)
		log->segments[i].fd = -1;
	crc32c_init(&log->crc);
	pthread_mutex_init(&log->mutex, NULL);
	pthread_cond_init(&log->flushed, NULL);
	return log;
}

int log_open(struct log **out, const struct target *target, const struct log_shape *shape,
	     uint64_t seed, const atomic_bool *stop, struct err *err)
{
	struct log *log;
	int code = check_shape(shape, target, err);

	*out = NULL;
	if (code)
		return code;
	*out = log = make_log(target, shape, stop);
	if (!log)
		return err_set(err, -ENOMEM, "set up a log: %s", strerror(ENOMEM));
	code = make_halves(log, err);
	if (!code)
		code = shape->segments == LOG_RECYCLED ? make_recycled(log, seed, err)
						       : make_segment(log, 0, err);
	if (!code)
		begin_segment(log, 0, 0);
	return code;
}

void log_close(struct log *log)
{
	if (!log)
		return;
	for (uint64_t i = 0; i < LOG_SEGMENTS; i++)
		drop_segment(log, &log->segments[i], NULL);
	pthread_cond_destroy(&log->flushed);
	pthread_mutex_destroy(&log->mutex);
	free(log->halves[0].bytes);
	free(log->halves[1].bytes);
	free(log->fill);
	free(log);
}

/* ---- flushing, by the leader ---- */

/* What the half that is to be flushed leaves to the other: the start of a tail unit that is not
 * full, or nothing when the next segment begins. */
static void take_over(const struct log *log, struct half *next, const struct half *last,
		      bool next_segment)
{
	size_t tail = last->used % log->shape.unit_bytes;

	*next = (struct half){.bytes = next->bytes};
	if (next_segment)
		return;
	next->base = last->base + (last->used - tail);
	next->used = next->carried = tail;
	memcpy(next->bytes, last->bytes + (last->used - tail), tail);
}

static int write_half(struct log *log, struct worker *worker, const struct half *half)
{
	const struct segment *segment = segment_of(log, log->current);
	const struct method *method = log->shape.method;
	const char *path = log->target->work_path;
	size_t length = round_up(half->used, log->shape.unit_bytes);
	uint64_t start_ns;
	char name[NAME_BYTES];
	int code;

	name_of(log, log->current, name);
	memset(half->bytes + half->used, 0, length - half->used);
	start_ns = clock_now_ns();
	code = method_write(method, segment->fd, half->bytes, length, half->base, path, name,
			    &worker->err);
	if (!code)
		code = method_sync(method, segment->fd, path, name, &worker->err);
	if (!code)
		worker_record(worker, log->shape.flush_operation, start_ns, clock_now_ns(), length);
	return code;
}

static int switch_segment(struct log *log, struct worker *worker, uint64_t first)
{
	uint64_t number = log->current + 1;
	int code = 0;

	if (log->shape.segments == LOG_ZEROED &&
	    !worker_may_write(worker, log->shape.segment_bytes))
		return LOG_ENDED;
	if (log->shape.segments != LOG_RECYCLED)
		code = make_segment(log, number, &worker->err);
	if (code)
		return code;
	begin_segment(log, number, first);
	log->current = number;
	return 0;
}

/* Flushes what has been appended, and begins the next segment if asked to. Called with the mutex
 * held, which it gives back for the time of the flush. */
static int lead(struct log *log, struct worker *worker, bool next_segment)
{
	struct half *half = &log->halves[log->taking];
	uint64_t upto = log->next_sequence;
	int code = 0;

	log->taking ^= 1;
	take_over(log, &log->halves[log->taking], half, next_segment);
	log->flushing = true;
	pthread_mutex_unlock(&log->mutex);
	if (half->used > half->carried)
		code = write_half(log, worker, half);
	if (!code && next_segment)
		code = switch_segment(log, worker, upto);
	pthread_mutex_lock(&log->mutex);
	log->flushing = false;
	if (!code || code == LOG_ENDED)
		log->durable = upto;
	log->code = code;
	if (code < 0)
		log->err = worker->err;
	pthread_cond_broadcast(&log->flushed);
	return code;
}

/* ---- committing ---- */

static int flush_or_wait(struct log *log, struct worker *worker, bool next_segment)
{
	if (log->code) {
		worker->err = log->err;
		return log->code;
	}
	if (!log->flushing)
		return lead(log, worker, next_segment);
	pthread_cond_wait(&log->flushed, &log->mutex);
	return 0;
}

static void copy_record(struct half *half, const struct record_header *header,
			const struct iovec pieces[], unsigned count)
{
	unsigned char *to = half->bytes + half->used;

	memcpy(to, header, sizeof(*header));
	to += sizeof(*header);
	for (unsigned i = 0; i < count; i++) {
		memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
		to += pieces[i].iov_len;
	}
	half->used += header->length;
	memset(to, 0, (size_t)(half->bytes + half->used - to));
}

/* The checksum goes over the body, then the header without the checksum. */
static uint32_t seal(const struct crc32c *crc, uint32_t body_checksum,
		     const struct record_header *header)
{
	uint32_t checksum = crc32c_of(crc, body_checksum, &header->sequence,
				      sizeof(header->sequence) + sizeof(header->owner));

	return crc32c_of(crc, checksum, &header->length, sizeof(header->length));
}

/* Puts the record into the half that takes records, making room first. Its header is complete
 * when the mutex is given back. */
static int append(struct log *log, struct worker *worker, struct record_header *header,
		  const struct iovec pieces[], unsigned count)
{
	struct half *half = &log->halves[log->taking];

	while (log->code || half->used + header->length > log->half_bytes ||
	       half->base + half->used + header->length > log->shape.segment_bytes) {
		bool next = half->base + half->used + header->length > log->shape.segment_bytes;
		int code = flush_or_wait(log, worker, next);

		if (code)
			return code;
		half = &log->halves[log->taking];
	}
	header->sequence = log->next_sequence++;
	header->checksum = seal(&log->crc, header->checksum, header);
	copy_record(half, header, pieces, count);
	return 0;
}

/* A header with the length, and the checksum of the body and the zeros that follow it. */
static struct record_header measure_record(const struct log *log, const struct iovec pieces[],
					   unsigned count)
{
	struct record_header header = {0};
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++) {
		header.checksum = crc32c_of(&log->crc, header.checksum, pieces[i].iov_base,
					    pieces[i].iov_len);
		bytes += pieces[i].iov_len;
	}
	header.length = (uint32_t)record_bytes(bytes);
	header.checksum = crc32c_of(&log->crc, header.checksum, log->fill,
				    header.length - sizeof(header) - bytes);
	return header;
}

int log_commit(struct log *log, struct worker *worker, const struct iovec pieces[], unsigned count)
{
	struct record_header header = measure_record(log, pieces, count);
	int code;

	header.owner = worker->index;
	pthread_mutex_lock(&log->mutex);
	code = append(log, worker, &header, pieces, count);
	while (!code && log->durable <= header.sequence)
		code = flush_or_wait(log, worker, false);
	pthread_mutex_unlock(&log->mutex);
	return code;
}

/* ---- reading back ---- */

static int read_segment(const struct log *log, int fd, const char *name, unsigned char *bytes,
			size_t *length, struct err *err)
{
	int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

	*length = 0;
	if (code)
		return err_set(err, -code, "drop the cached pages of %s/%s: %s",
			       log->target->work_path, name, strerror(code));
	while (*length < log->shape.segment_bytes) {
		ssize_t got = pread(fd, bytes + *length, log->shape.segment_bytes - *length,
				    (off_t)*length);

		if (got < 0)
			return fail(log, "read back", name, err);
		if (!got)
			break;
		*length += (size_t)got;
	}
	return 0;
}

/* The length of the record at an offset if it is the one of that number, whole; else 0. */
static size_t whole_record(const struct log *log, const unsigned char *bytes, size_t length,
			   size_t offset, uint64_t sequence)
{
	struct record_header header;
	uint32_t checksum;

	if (length - offset < sizeof(header))
		return 0;
	memcpy(&header, bytes + offset, sizeof(header));
	if (header.sequence != sequence || header.length < sizeof(header) ||
	    header.length > length - offset)
		return 0;
	checksum = crc32c_of(&log->crc, 0, bytes + offset + sizeof(header),
			     header.length - sizeof(header));
	return seal(&log->crc, checksum, &header) == header.checksum ? header.length : 0;
}

static int verify_segment(struct log *log, uint64_t number, uint64_t end, unsigned char *bytes,
			  struct err *err)
{
	uint64_t sequence = segment_of(log, number)->first;
	size_t length, offset = 0;
	char name[NAME_BYTES];
	int code, fd;

	name_of(log, number, name);
	fd = openat(log->target->work_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return fail(log, "read back", name, err);
	code = read_segment(log, fd, name, bytes, &length, err);
	close(fd);
	for (; !code && sequence < end; sequence++) {
		size_t step = whole_record(log, bytes, length, offset, sequence);

		if (!step)
			code = err_set(err, -EBADMSG,
				       "%s/%s does not hold record %llu at offset %zu, which was "
				       "acknowledged as durable",
				       log->target->work_path, name, (unsigned long long)sequence,
				       offset);
		offset += step;
	}
	return code;
}

int log_verify(struct log *log, uint64_t *checked, struct err *err)
{
	uint64_t kept = log->current < LOG_SEGMENTS ? log->current + 1 : LOG_SEGMENTS;
	uint64_t number = log->current + 1 - kept;
	unsigned char *bytes = malloc(log->shape.segment_bytes);
	int code = 0;

	*checked = log->durable - segment_of(log, number)->first;
	if (!bytes)
		return err_set(err, -ENOMEM, "allocate %llu bytes to read the log back: %s",
			       (unsigned long long)log->shape.segment_bytes, strerror(ENOMEM));
	for (; !code && number <= log->current; number++)
		code = verify_segment(log, number,
				      number < log->current ? segment_of(log, number + 1)->first
							    : log->durable,
				      bytes, err);
	free(bytes);
	return code;
}

/* ---- amounts ---- */

uint64_t log_commit_bytes(const struct log_shape *shape, size_t body_bytes)
{
	return round_up(record_bytes(body_bytes), shape->unit_bytes) + shape->unit_bytes;
}

uint64_t log_setup_bytes(const struct log_shape *shape)
{
	switch (shape->segments) {
	case LOG_RECYCLED:
		return LOG_SEGMENTS * shape->segment_bytes;
	case LOG_ZEROED:
		return shape->segment_bytes;
	default:
		return 0;
	}
}

uint64_t log_space_bytes(const struct log_shape *shape)
{
	return LOG_SEGMENTS * shape->segment_bytes;
}

uint64_t log_acknowledged(const struct log *log)
{
	return log->durable;
}

uint64_t log_switches(const struct log *log)
{
	return log->current;
}
