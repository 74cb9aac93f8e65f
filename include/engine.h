/* SPDX-License-Identifier: MIT */
/*
 * engine.h - how requests reach the kernel.
 *
 * A new engine is one file workloads/engine_NAME.c that ends in `const struct engine
 * engine_NAME`, and one line in ENGINES.
 *
 * The contract, which tests/test_engines.c holds every engine to:
 *
 *  1. A request belongs to the engine from submit until reap gives it back; nobody else touches
 *     it, its buffer or its slot meanwhile.
 *  2. A request's own failure always arrives as its result, however the kernel tells of it, and
 *     says nothing about the others. submit and reap fail only when the context itself is
 *     beyond use; which requests are still in flight is unknown then.
 *  3. A short transfer is a result like any other: continuing it is the caller's.
 *  4. A context belongs to the thread that opened it.
 *  5. Between open and close nothing is allocated, locked or printed, and no clock is read.
 *  6. close waits for, or cancels, what is still in flight.
 */
#ifndef ASSAY_ENGINE_H
#define ASSAY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "err.h"

enum io_operation { IO_READ, IO_WRITE };

/* One request. The caller fills everything but result. */
struct io {
	enum io_operation operation;
	unsigned slot;   /* below engine_setup.slots, no two in flight the same */
	unsigned file;   /* index into engine_setup.files */
	int region;      /* the index of the region that holds buffer, or -1 */
	void *buffer;
	size_t bytes;
	uint64_t offset_bytes;
	int64_t result;  /* bytes moved, or a negative errno */
};

enum { ENGINE_REGIONS_MAX = 2, ENGINE_USED_MAX = 160 };

/* What a context is opened for; all of it outlives the context. */
struct engine_setup {
	unsigned depth; /* most requests in flight */
	unsigned slots; /* requests there are, at least depth */
	const int *files;
	unsigned file_count;
	const struct iovec *regions; /* what all buffers lie in, for engines that register it */
	unsigned region_count;
};

struct engine {
	const char *name;
	const char *help;        /* one line */
	const char *unavailable; /* NULL, or a sentence why this build has not got it */
	bool synchronous;        /* submit returns with everything done: one in flight at most */
	bool moves_nothing;      /* what it measures is the harness */

	/* 0 when a context can be had here and now, else a negative code with a sentence. */
	int (*probe)(struct err *err);

	/* *context is the caller's to close, in the same thread. What could not be had is left out
	 * only when the kernel does not know it; used, of ENGINE_USED_MAX bytes, says what is. */
	int (*open)(void **context, const struct engine_setup *setup, char *used, struct err *err);

	/* Hands over count requests, all of them. */
	int (*submit)(void *context, struct io *const requests[], unsigned count, struct err *err);

	/* Takes back at least min, at most max finished requests and returns how many; waits only
	 * until there are min. min is no more than what is in flight. */
	int (*reap)(void *context, struct io *done[], unsigned min, unsigned max, struct err *err);

	void (*close)(void *context);
};

/* The order is the order of help. */
#define ENGINES(X) \
	X(sync)    \
	X(libaio)  \
	X(io_uring) \
	X(null)

#define ENGINE_DECLARE(name) extern const struct engine engine_##name;
ENGINES(ENGINE_DECLARE)
#undef ENGINE_DECLARE

/* The engines, ending with NULL. */
extern const struct engine *const engines[];

const struct engine *engine_find(const char *name);

/* 0 when the engine can be used in this build, here and now; else a negative code with a
 * sentence. */
int engine_check(const struct engine *engine, struct err *err);

/* What `auto` has to decide by. */
struct engine_need {
	unsigned depth;
	bool direct;
	int file; /* an open file of the target that can be read from */
};

/* The engine that works best for the need, and in why, of size bytes, a sentence that says so.
 * The same need on the same machine gives the same answer: no trial is run. ERR_SKIP when none
 * can keep the depth. */
int engine_choose(const struct engine_need *need, const struct engine **engine, char *why,
		  size_t size, struct err *err);

/* The engine of that name, or for "auto" the one engine_choose takes; ERR_USAGE for an unknown
 * name, ERR_SKIP when it cannot keep the depth, engine_check's code when it cannot be used. */
int engine_resolve(const char *name, const struct engine_need *need, const struct engine **engine,
		   char *why, size_t size, struct err *err);

#endif
