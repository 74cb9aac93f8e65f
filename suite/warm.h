/* SPDX-License-Identifier: MIT */
/*
 * warm.h - memory that the page cache is about to use, touched beforehand.
 *
 * A guest's free memory may have been given back to its host; the first touch of each page then
 * costs a fault there, and the first buffered phase would pay for all the others.
 */
#ifndef ASSAY_SUITE_WARM_H
#define ASSAY_SUITE_WARM_H

#include <stdatomic.h>
#include <stdint.h>

#include "roots.h"

/* Touches bytes of free memory, at most three quarters of what is available, and gives them back.
 * Returns how many were touched; ends early when *stop is set. */
uint64_t warm_memory(const struct roots *roots, uint64_t bytes, const atomic_bool *stop);

#endif
