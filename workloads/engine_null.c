/* SPDX-License-Identifier: MIT */
/*
 * engine_null.c - moves nothing and succeeds at once: what is measured is the harness.
 */
#include <errno.h>
#include <string.h>

#include "engine.h"
#include "finished.h"

static int null_probe(struct err *err)
{
	(void)err;
	return 0;
}

static int null_open(void **context, const struct engine_setup *setup, char *used, struct err *err)
{
	struct finished *finished = malloc(sizeof(*finished));

	if (!finished || !finished_init(finished, setup->depth)) {
		free(finished);
		return err_set(err, -ENOMEM, "open the null engine: %s", strerror(ENOMEM));
	}
	snprintf(used, ENGINE_USED_MAX, "nothing is moved: this is the cost of the harness");
	*context = finished;
	return 0;
}

static int null_submit(void *context, struct io *const requests[], unsigned count, struct err *err)
{
	(void)err;
	for (unsigned i = 0; i < count; i++) {
		requests[i]->result = (int64_t)requests[i]->bytes;
		finished_put(context, requests[i]);
	}
	return 0;
}

static int null_reap(void *context, struct io *done[], unsigned min, unsigned max, struct err *err)
{
	(void)min;
	(void)err;
	return (int)finished_take(context, done, max);
}

static void null_close(void *context)
{
	finished_release(context);
	free(context);
}

const struct engine engine_null = {
	.name = "null",
	.help = "moves nothing, to measure the harness itself",
	.moves_nothing = true,
	.probe = null_probe,
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
