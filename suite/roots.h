/* SPDX-License-Identifier: MIT */
/*
 * roots.h - where what the kernel says of itself is read. Everything that reads /sys or /proc
 * takes a roots, so that a tree recorded on another machine tests it (tests/trees/).
 */
#ifndef ASSAY_SUITE_ROOTS_H
#define ASSAY_SUITE_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

struct roots {
	const char *sys, *proc; /* without a final slash */
	const char *root;       /* of a recorded tree: what stands for "/" in every other path.
				 * NULL: this machine, whose kernel can also be asked by system
				 * calls */
};

__attribute__((unused)) static const struct roots roots_real = {"/sys", "/proc", NULL};

/* Whether system calls speak of the same machine as the trees do. */
static inline bool roots_live(const struct roots *roots)
{
	return !roots->root;
}

#endif
