/* SPDX-License-Identifier: MIT */
/*
 * engines.c - the table of engines, and which of them `auto` is.
 */
#include "engine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "param.h"

const struct engine *const engines[] = {
#define ENGINE_ADDRESS(name) &engine_##name,
	ENGINES(ENGINE_ADDRESS)
#undef ENGINE_ADDRESS
		NULL,
};

/* The names, for the nearest to a mistyped one. */
static const char *const names[] = {
#define ENGINE_NAME(name) #name,
	ENGINES(ENGINE_NAME)
#undef ENGINE_NAME
		"auto",
	NULL,
};

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; engines[i]; i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

int engine_check(const struct engine *engine, struct err *err)
{
	struct err why;
	int code;

	if (engine->unavailable)
		return err_set(err, -ENOSYS, "the %s engine cannot be used: %s", engine->name,
			       engine->unavailable);
	code = engine->probe(&why);
	if (code)
		return err_set(err, code, "the %s engine cannot be used: %s", engine->name,
			       why.text);
	return 0;
}

/* Whether a request can be started there without waiting. Where it cannot, io_uring hands each
 * request to a kernel thread. A device or filesystem that cannot says so whatever is in the way. */
static bool starts_without_waiting(int file)
{
	static const size_t bytes = 4096;
	_Alignas(4096) char buffer[4096];
	struct iovec piece = {.iov_base = buffer, .iov_len = bytes};

	return preadv2(file, &piece, 1, 0, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP;
}

static int take(const struct engine *taken, const struct engine **engine, char *why, size_t size,
		const char *reason)
{
	*engine = taken;
	snprintf(why, size, "auto: %s, %s", taken->name, reason);
	return 0;
}

int engine_choose(const struct engine_need *need, const struct engine **engine, char *why,
		  size_t size, struct err *err)
{
	struct err uring, libaio;
	bool has_uring, has_libaio;

	if (need->depth == 1)
		return take(&engine_sync, engine, why, size,
			    "the fewest system calls for one request at a time");
	has_uring = !engine_check(&engine_io_uring, &uring);
	has_libaio = !engine_check(&engine_libaio, &libaio);
	if (has_uring && (!need->direct || starts_without_waiting(need->file)))
		return take(&engine_io_uring, engine, why, size, "the least CPU time per request");
	if (has_libaio && need->direct)
		return take(&engine_libaio, engine, why, size,
			    has_uring
				? "since io_uring would hand every request to a kernel thread here"
				: uring.text);
	if (has_uring)
		return take(&engine_io_uring, engine, why, size, libaio.text);
	return err_set(err, ERR_SKIP, "%u requests in flight through one job cannot be had: %s; %s",
		       need->depth, uring.text,
		       has_libaio ? "libaio keeps one buffered request in flight" : libaio.text);
}

int engine_resolve(const char *name, const struct engine_need *need, const struct engine **engine,
		   char *why, size_t size, struct err *err)
{
	const char *nearest;

	if (!strcmp(name, "auto"))
		return engine_choose(need, engine, why, size, err);
	*engine = engine_find(name);
	why[0] = '\0';
	if (!*engine) {
		nearest = nearest_name(name, names);
		return err_set(err, ERR_USAGE, "there is no engine %s%s%s%s", name,
			       nearest ? ": did you mean " : "", nearest ? nearest : "",
			       nearest ? "?" : "");
	}
	if ((*engine)->synchronous && need->depth > 1)
		return err_set(err, ERR_SKIP,
			       "the %s engine has one request in flight per job: queue_depth %u "
			       "needs libaio or io_uring, or as many jobs",
			       (*engine)->name, need->depth);
	return engine_check(*engine, err);
}
