/* SPDX-License-Identifier: MIT */
/*
 * witness.h - gathers the evidence for each measurement of a round, and has it judged (evidence.h).
 *
 *   witness_open         once: what the target is, how direct I/O goes there
 *   witness_look         once, before any load: what else goes on on its disks
 *   witness_begin        before a point: forgets the last one, reads the limits in force
 *   witness_ready        once its phase is set up: whether a device's blocks hold anything
 *   witness_start/stop   around the timed part or each pass of it: clocks and pressure, some ten
 *                        system calls, by the main thread while the workers work or have not begun
 *   witness_pass         after each pass
 *   witness_load         once the load has ended: what the workers did
 *   witness_report       adds pressure_* and raises the flags
 */
#ifndef ASSAY_SUITE_WITNESS_H
#define ASSAY_SUITE_WITNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "err.h"
#include "fact.h"
#include "measurement.h"
#include "phase.h"
#include "roots.h"
#include "stack.h"
#include "target.h"

struct witness;

/* The target's private directory is open; facts are those of the run. counters are the target's;
 * log_stack is what --wal-dir stands on, NULL where the log is in the target. Roots, stacks and
 * counters outlive the witness. Fails on ENOMEM alone. */
int witness_open(struct witness **witness, const struct roots *roots, const struct stack *stack,
		 const struct stack *log_stack, const struct target *target,
		 const struct facts *facts, const struct counters *counters, struct err *err);
void witness_close(struct witness *witness); /* NULL allowed */

/* Watches the disks for so long, or until *stop, and sets the fact background_io. */
void witness_look(struct witness *witness, const struct target *target, uint64_t watch_ns,
		  const atomic_bool *stop, struct facts *facts);

void witness_begin(struct witness *witness);
void witness_ready(struct witness *witness, const struct phase_run *run);
void witness_start(struct witness *witness);

/* load_end_ns: when the load was to end, on CLOCK_MONOTONIC; a reading may come later than that. */
void witness_stop(struct witness *witness, uint64_t load_end_ns);

/* A pass did so many units of work in so long. */
void witness_pass(struct witness *witness, uint64_t units, uint64_t elapsed_ns);

/* Of a run whose workers have all been joined and whose recorders are not merged yet. */
void witness_load(struct witness *witness, const struct phase_run *run, bool ended_early);

/* Of a measurement that went well, with its metrics and samples in it. */
void witness_report(struct witness *witness, struct measurement *measurement);

#endif
