/* SPDX-License-Identifier: MIT */
/*
 * finished.h - requests that are done and wait to be reaped, first in first out: what engines keep
 * that have nobody else to remember it.
 */
#ifndef ASSAY_WORKLOADS_FINISHED_H
#define ASSAY_WORKLOADS_FINISHED_H

#include <stdlib.h>

#include "engine.h"

struct finished {
	struct io **items;
	unsigned head, count, capacity;
};

/* Room for as many as can be in flight; false without memory. */
static inline bool finished_init(struct finished *finished, unsigned capacity)
{
	*finished = (struct finished){.items = calloc(capacity, sizeof(struct io *)),
				      .capacity = capacity};
	return finished->items;
}

static inline void finished_release(struct finished *finished)
{
	free(finished->items);
}

static inline void finished_put(struct finished *finished, struct io *request)
{
	unsigned place = finished->head + finished->count++;

	finished->items[place < finished->capacity ? place : place - finished->capacity] = request;
}

/* Takes at most max, returns how many. */
static inline unsigned finished_take(struct finished *finished, struct io *done[], unsigned max)
{
	unsigned taken = finished->count < max ? finished->count : max;

	for (unsigned i = 0; i < taken; i++) {
		done[i] = finished->items[finished->head];
		if (++finished->head == finished->capacity)
			finished->head = 0;
	}
	finished->count -= taken;
	return taken;
}

#endif
