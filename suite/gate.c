/* SPDX-License-Identifier: MIT */
/*
 * gate.c - see gate.h.
 */
#include "gate.h"

#include "clock.h"

void gate_init(struct gate *gate)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&gate->mutex, NULL);
	pthread_cond_init(&gate->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	gate->arrived = gate->left = 0;
	gate->state = GATE_SHUT;
}

void gate_release(struct gate *gate)
{
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->mutex);
}

bool gate_pass(struct gate *gate)
{
	bool open;

	pthread_mutex_lock(&gate->mutex);
	gate->arrived++;
	pthread_cond_broadcast(&gate->changed);
	while (gate->state == GATE_SHUT)
		pthread_cond_wait(&gate->changed, &gate->mutex);
	open = gate->state == GATE_OPEN;
	pthread_mutex_unlock(&gate->mutex);
	return open;
}

void gate_leave(struct gate *gate)
{
	pthread_mutex_lock(&gate->mutex);
	gate->left++;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->mutex);
}

void gate_await(struct gate *gate, unsigned count)
{
	pthread_mutex_lock(&gate->mutex);
	while (gate->arrived < count)
		pthread_cond_wait(&gate->changed, &gate->mutex);
	pthread_mutex_unlock(&gate->mutex);
}

void gate_decide(struct gate *gate, bool open)
{
	pthread_mutex_lock(&gate->mutex);
	gate->state = open ? GATE_OPEN : GATE_GIVEN_UP;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->mutex);
}

bool gate_await_left(struct gate *gate, unsigned count, unsigned long long until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};
	bool all;
	int code = 0;

	pthread_mutex_lock(&gate->mutex);
	while (gate->left < count && code != ETIMEDOUT)
		code = pthread_cond_timedwait(&gate->changed, &gate->mutex, &until);
	all = gate->left >= count;
	pthread_mutex_unlock(&gate->mutex);
	return all;
}
