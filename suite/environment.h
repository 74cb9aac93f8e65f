/* SPDX-License-Identifier: MIT */
/*
 * environment.h - what the machine and the target are, as facts under their canonical names
 * (results/facts_known.h). What cannot be known is absent; nothing here fails.
 */
#ifndef ASSAY_SUITE_ENVIRONMENT_H
#define ASSAY_SUITE_ENVIRONMENT_H

#include <stdint.h>

#include "fact.h"
#include "roots.h"
#include "stack.h"

/* What belongs to the machine, the process and the programs: host, kernel, CPU, memory, cgroup,
 * vm.*, load, versions. Reads the clock a few thousand times (clock_cost_ns). */
void environment_host(const struct roots *roots, struct facts *facts);

/* What belongs to a target: filesystem, mount, the disks under it, the I/O limits on them. The
 * prefix is "", or "wal." for --wal-dir. What the files of loop devices stand on follows under
 * `backing.`. Facts of several disks stand under `disk.NAME.`, and plainly where all agree. */
void environment_target(const struct roots *roots, const struct stack *stack, const char *prefix,
			struct facts *facts);

/* The memory this process can fill: the machine's, or less where a cgroup above it says so; 0 when
 * it is not known. */
uint64_t environment_memory_bytes(const struct roots *roots);

#endif
