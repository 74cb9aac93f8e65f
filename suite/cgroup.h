/* SPDX-License-Identifier: MIT */
/*
 * cgroup.h - what the control groups of this process, of either version, allow it. Limits that
 * cannot be seen (those above a container's own root) are not known.
 */
#ifndef ASSAY_SUITE_CGROUP_H
#define ASSAY_SUITE_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roots.h"

struct cgroup {
	unsigned version;         /* 1 or 2 */
	char path[PATH_MAX];      /* as PROC/self/cgroup says */
	char directory[PATH_MAX]; /* of this process's group */
	char top[PATH_MAX];       /* of the highest group that can be seen */
};

/* The group of a controller: "memory", "cpu", "io" (version 1 calls that one blkio). */
bool cgroup_find(const struct roots *roots, const char *controller, struct cgroup *group);

/* The smallest memory.max, memory.high or limit_in_bytes up the tree; UINT64_MAX: none. */
uint64_t cgroup_memory_limit_bytes(const struct roots *roots);

/* The smallest CPU quota up the tree, in percent of one CPU; false: none. */
bool cgroup_cpu_limit_percent(const struct roots *roots, double *percent);

/* The limits on a block device (never of a partition), the smallest up the tree, in the words of
 * io.max: "rbps=1048576 wiops=100"; false: none. Version 1 does not inherit: only the
 * group's own. */
bool cgroup_io_max(const struct roots *roots, unsigned major, unsigned minor, char *text,
		   size_t size);

/* The latency target on a block device in the words of io.latency, "target=75000" (microseconds);
 * false: none. */
bool cgroup_io_latency(const struct roots *roots, unsigned major, unsigned minor, char *text,
		       size_t size);

/* The group's default I/O weight, from io.weight, io.bfq.weight or their forebears; false: none. */
bool cgroup_io_weight(const struct roots *roots, int64_t *weight);

#endif
