/* SPDX-License-Identifier: MIT */
/*
 * cpus.c - see cpus.h.
 */
#include "cpus.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void collect(const cpu_set_t *set, struct cpus *cpus)
{
	cpus->count = 0;
	for (unsigned i = 0; i < CPUS_MAX; i++)
		if (CPU_ISSET(i, set))
			cpus->numbers[cpus->count++] = (unsigned short)i;
}

/* Reads one number; *text moves past it. */
static bool read_number(const char **text, unsigned *number)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return false;
	value = strtoul(*text, &end, 10);
	if (value >= CPUS_MAX)
		return false;
	*number = (unsigned)value;
	*text = end;
	return true;
}

/* Reads "3" or "0-3" into the set; *text moves past it. */
static bool read_range(const char **text, cpu_set_t *set)
{
	unsigned first, last;

	if (!read_number(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!read_number(text, &last) || last < first)
			return false;
	}
	for (unsigned i = first; i <= last; i++)
		CPU_SET(i, set);
	return true;
}

static bool read_list(const char *text, cpu_set_t *set)
{
	while (read_range(&text, set)) {
		if (!*text)
			return true;
		if (*text != ',' && *text != '+')
			return false;
		text++;
	}
	return false;
}

int cpus_parse(const char *text, struct cpus *cpus, struct err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	cpus->count = 0;
	if (!strcmp(text, "any"))
		return 0;
	if (!read_list(text, &set))
		return err_set(err, ERR_USAGE,
			       "'%s' is no list of CPUs: use numbers below %d and ranges, as in "
			       "0-3,8, or any",
			       text, CPUS_MAX);
	collect(&set, cpus);
	return 0;
}

int cpus_usable(struct cpus *cpus, struct err *err)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return err_set(err, -errno, "sched_getaffinity: %s", strerror(errno));
	collect(&set, cpus);
	return 0;
}

int cpus_check(const struct cpus *cpus, struct err *err)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return err_set(err, -errno, "sched_getaffinity: %s", strerror(errno));
	for (unsigned i = 0; i < cpus->count; i++)
		if (!CPU_ISSET(cpus->numbers[i], &set))
			return err_set(err, ERR_SKIP, "CPU %u is not one this process may run on",
				       cpus->numbers[i]);
	return 0;
}

int cpus_bind(const struct cpus *cpus, unsigned index, struct err *err)
{
	cpu_set_t set;
	unsigned number;
	int error;

	if (!cpus->count)
		return 0;
	number = cpus->numbers[index % cpus->count];
	CPU_ZERO(&set);
	CPU_SET(number, &set);
	error = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (error)
		return err_set(err, -error, "bind a worker to CPU %u: %s", number, strerror(error));
	return 0;
}
