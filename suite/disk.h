/* SPDX-License-Identifier: MIT */
/*
 * disk.h - what a disk is and how its queue is set, as facts with plain names (`scheduler`).
 */
#ifndef ASSAY_SUITE_DISK_H
#define ASSAY_SUITE_DISK_H

#include <stddef.h>

#include "fact.h"
#include "roots.h"
#include "stack.h"

/* The facts of one node of the stack that is a disk. */
void disk_facts(const struct roots *roots, const struct stack *stack, size_t node,
		struct facts *facts);

#endif
