/* SPDX-License-Identifier: MIT */
/*
 * axis.h - what a sweep varies: an attribute of the disks' queues, a vm.dirty_* setting, an option
 * of the command line, or a parameter of a phase.
 */
#ifndef ASSAY_SUITE_AXIS_H
#define ASSAY_SUITE_AXIS_H

#include <stddef.h>

#include "err.h"
#include "options.h"
#include "roots.h"
#include "stack.h"
#include "tunables.h"

enum axis_kind { AXIS_QUEUE, AXIS_VM, AXIS_OPTION, AXIS_PARAM };

enum { AXIS_VALUES_MAX = 64 };

struct axis {
	enum axis_kind kind;
	char *name;
	char *values[AXIS_VALUES_MAX];
	unsigned count;
};

/* Reads NAME=V,V... and checks every value against what the target's disks and the kernel offer.
 * `scheduler=all` becomes what every disk offers. ERR_USAGE with a sentence: an axis that does not
 * exist (with the nearest name), a scheduler of old kernels (with its successor), a value the
 * kernel does not offer, a target without a disk, no permission to set. */
int axis_parse(struct axis *axis, const char *word, const struct roots *roots,
	       const struct stack *stack, struct err *err);
void axis_release(struct axis *axis);

/* Adds to the options what an option or parameter axis stands for at a value; word is a buffer
 * that outlives the options. Other axes change nothing there. */
int axis_add_option(const struct axis *axis, unsigned value, struct options *options,
		    char word[256], struct err *err);

/* Records what setting the axis may change. */
int axis_record(const struct axis *axis, const struct roots *roots, const struct stack *stack,
		struct tunables *before, struct err *err);

/* Sets the kernel to a value, on every disk. ERR_SKIP when it cannot be had. */
int axis_apply(const struct axis *axis, unsigned value, const struct roots *roots,
	     const struct stack *stack, struct err *err);

#endif
