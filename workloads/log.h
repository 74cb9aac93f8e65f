/* SPDX-License-Identifier: MIT */
/*
 * log.h - a write-ahead log as databases keep one: records appended by many clients to segment
 * files wal.N, made durable together.
 *
 * A record is a header (length, checksum, sequence number, owner) and a body. Records follow each
 * other without gaps inside a segment and do not cross from one to the next. What is written to
 * the file is whole units: the tail unit is padded with zeros, and written again with the next
 * flush, as PostgreSQL does with its 8k page and redo logs do with 512 bytes.
 *
 * Group commit. A client appends its record to the half of the buffer that takes records, and
 * waits. Whoever finds no flush under way leads one: it turns the halves round, writes the one with
 * the records and makes it durable. So
 *  1. a flush begins after every record it covers was complete in memory, and what is being
 *     written does not change;
 *  2. there is at most one flush under way, and the next one serves all who came meanwhile;
 *  3. a commit returns when a flush that covered its record has returned, not before;
 *  4. once a write or a sync has failed no commit returns success any more: nothing is tried again.
 * One mutex guards the halves and the queue: the one lock of the load.
 *
 * Segments, of which the last LOG_SEGMENTS are kept:
 *	recycled   files written in full before the load, used round and round, as PostgreSQL does
 *	           once it has been running for a while
 *	zeroed     at each switch the next file is made, filled with zeros and synced, while commits
 *	           wait, as PostgreSQL does without a segment to recycle
 *	extending  at each switch an empty file is made, which the flushes make longer and longer
 */
#ifndef ASSAY_WORKLOADS_LOG_H
#define ASSAY_WORKLOADS_LOG_H

#include <sys/uio.h>

#include "method.h"
#include "phase.h"

enum { LOG_SEGMENTS = 4 };

enum { LOG_ENDED = 1 }; /* --max-write does not allow the next segment */

enum log_segments { LOG_RECYCLED, LOG_ZEROED, LOG_EXTENDING };

struct log_shape {
	const struct method *method;
	enum log_segments segments;
	uint64_t segment_bytes;
	size_t unit_bytes;        /* what a flush writes is a multiple of this */
	size_t body_bytes;        /* of the longest record */
	unsigned clients;         /* that may wait at once */
	unsigned flush_operation; /* index of what a flush is recorded as */
};

struct log;

/* Makes the log in the target's private directory. ERR_SKIP with the reason when the shape cannot
 * be had there, -EINTR when stop came first. */
int log_open(struct log **log, const struct target *target, const struct log_shape *shape,
	     uint64_t seed, const atomic_bool *stop, struct err *err);

/* Removes the files. NULL allowed. */
void log_close(struct log *log);

/* Appends a record, whose body is the pieces one after the other and whose owner is the worker's
 * index, and returns when it is durable. Records the flush if this worker came to lead it.
 * LOG_ENDED, or a negative code with the sentence of what failed, whoever led, in worker->err. */
int log_commit(struct log *log, struct worker *worker, const struct iovec pieces[], unsigned count);

/* Bytes that a commit of such a body causes to be written at most, making segments apart. */
uint64_t log_commit_bytes(const struct log_shape *shape, size_t body_bytes);

/* Bytes that log_open writes, and the space the segments take at most. */
uint64_t log_setup_bytes(const struct log_shape *shape);
uint64_t log_space_bytes(const struct log_shape *shape);

/* After the load: reads the segments back, dropping what is cached first, and checks that every
 * record that was acknowledged and whose segment is still kept is there with its checksum.
 * *checked is how many that were. -EBADMSG names the first that is not. */
int log_verify(struct log *log, uint64_t *checked, struct err *err);

/* Records acknowledged in all, and the segments begun after the first. */
uint64_t log_acknowledged(const struct log *log);
uint64_t log_switches(const struct log *log);

#endif
