/* SPDX-License-Identifier: MIT */
/*
 * work_name.h - what a ruling is about, in one line.
 */
#ifndef ASSAY_SUITE_WORK_NAME_H
#define ASSAY_SUITE_WORK_NAME_H

#include <stddef.h>

#include "measurement.h"

enum { WORK_NAME_MAX = 400 };

/* "WHAT queue_depth=32": what, and of the point's parameters those that tell it from its like, as
 * a user would type them. */
void work_name(char *text, size_t size, const char *what, const char *phase,
	       const struct parameter *parameters, size_t count);

#endif
