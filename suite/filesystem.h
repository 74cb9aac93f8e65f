/* SPDX-License-Identifier: MIT */
/*
 * filesystem.h - what the filesystem of a target is, as facts with plain names: how it is
 * mounted, made and filled.
 */
#ifndef ASSAY_SUITE_FILESYSTEM_H
#define ASSAY_SUITE_FILESYSTEM_H

#include "fact.h"
#include "roots.h"
#include "stack.h"

/* Features that only the device itself tells (ext4's) need the right to read it. */
void filesystem_facts(const struct roots *roots, const struct stack *stack, struct facts *facts);

#endif
