/* SPDX-License-Identifier: MIT */
/*
 * gate.h - lets the workers of a measurement start together, or all go home.
 *
 * Workers arrive when they are ready; the main thread waits for as many as it could create, then
 * opens the gate or closes it for good. A barrier sized beforehand would hang the workers already
 * made when the creation of a later one fails.
 */
#ifndef ASSAY_SUITE_GATE_H
#define ASSAY_SUITE_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned arrived;
	unsigned left; /* workers that have ended their work */
	enum { GATE_SHUT, GATE_OPEN, GATE_GIVEN_UP } state;
};

void gate_init(struct gate *gate);
void gate_release(struct gate *gate);

/* Worker: arrives and waits; true when the work is to be done. */
bool gate_pass(struct gate *gate);

/* Worker: has ended its work. */
void gate_leave(struct gate *gate);

/* Main: waits until count workers have arrived. */
void gate_await(struct gate *gate, unsigned count);

/* Main: lets the workers go, or sends them home. What was written before is seen by them. */
void gate_decide(struct gate *gate, bool open);

/* Main: waits until count workers have left or CLOCK_MONOTONIC reaches until_ns; true when they
 * have. */
bool gate_await_left(struct gate *gate, unsigned count, unsigned long long until_ns);

#endif
