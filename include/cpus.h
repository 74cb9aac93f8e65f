/* SPDX-License-Identifier: MIT */
/*
 * cpus.h - which CPUs the workers run on.
 *
 * A list is "any" (not bound), or numbers and ranges, "0-3,8"; '+' separates as ',' does, for
 * places where the comma separates values: "0+2".
 */
#ifndef ASSAY_CPUS_H
#define ASSAY_CPUS_H

#include <sched.h>

#include "err.h"

enum { CPUS_MAX = CPU_SETSIZE };

/* CPUs in ascending order. */
struct cpus {
	unsigned count; /* 0: any */
	unsigned short numbers[CPUS_MAX];
};

/* Reads a list. ERR_USAGE with a sentence for anything else. */
int cpus_parse(const char *text, struct cpus *cpus, struct err *err);

/* The CPUs this process may run on. */
int cpus_usable(struct cpus *cpus, struct err *err);

/* ERR_SKIP with a sentence that names the first CPU of the list this process may not run on. */
int cpus_check(const struct cpus *cpus, struct err *err);

/* Binds the calling thread to one CPU, the index-th of the list modulo its length; "any" binds
 * nothing. */
int cpus_bind(const struct cpus *cpus, unsigned index, struct err *err);

#endif
