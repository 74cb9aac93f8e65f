/* SPDX-License-Identifier: MIT */
/*
 * counters.h - what the devices under the target and the machine's CPUs did during the timed
 * part: snapshots of SYS/class/block/NAME/stat and PROC/stat around it, summed over passes.
 *
 * The kernel counts a request when it completes, times in milliseconds of 32 bits (queue time
 * wraps after 49 days of summed waiting) and CPU time in ticks (10 ms as a rule).
 */
#ifndef ASSAY_SUITE_COUNTERS_H
#define ASSAY_SUITE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "measurement.h"
#include "roots.h"
#include "stack.h"

struct counters;

/* Opens the files of every disk of the stack and of every device that the filesystem stands on
 * itself. A device without statistics (none in /sys, queue/iostats 0) is left out, which
 * counters_gap tells. Fails on ENOMEM alone. The stack may go away before the counters. */
int counters_open(struct counters **counters, const struct roots *roots, const struct stack *stack,
		  struct err *err);
void counters_close(struct counters *counters); /* NULL allowed */

/* Around the timed part, or around each pass of it; a handful of pread() each. A device that can no
 * longer be read is left out from then on. */
void counters_start(struct counters *counters);
void counters_stop(struct counters *counters);

/* Forgets what was summed, for the next measurement. */
void counters_reset(struct counters *counters);

/* Adds a device_use for each disk, and to the operation "all" cpu_busy, cpu_iowait, cpu_steal
 * (percent of one CPU) and device_queue_depth (queue time over elapsed, summed over the disks);
 * what is not known is not added. elapsed_ns is the length of the timed part. */
void counters_report(const struct counters *counters, uint64_t elapsed_ns,
		     struct measurement *measurement);

/* Adds a device_use for each disk that the measurement does not have yet, and nothing else. */
void counters_add_devices(const struct counters *counters, struct measurement *measurement);

/* What the filesystem, or we on a raw device, sent to the devices directly under it, summed. On
 * mirrors and RAID this is what must equal our bytes; on a partition the rest of its disk is left
 * out. Its flushes are those of the disks. False when it is not known. */
bool counters_traffic(const struct counters *counters, struct device_use *traffic);

/* What all disks did, whoever sent it to them, summed. False when not all of them are known. */
bool counters_disks(const struct counters *counters, struct device_use *use);

/* Whether the kernel counts the flushes of every disk (since Linux 5.5); 0 means nothing else. */
bool counters_know_flushes(const struct counters *counters);

/* A sentence on what is not counted, or NULL. */
const char *counters_gap(const struct counters *counters);

#endif
