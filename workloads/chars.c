/* SPDX-License-Identifier: MIT */
/*
 * chars.c - see chars.h.
 */
#include "chars.h"

#include <stddef.h>

static const char *const methods[] = {"syscall", "stdio", NULL};

const struct param param_method_char = {
	.name = "method",
	.help = "a system call per byte (bonnie++ 1.9x) or the C library's buffer (1.03)",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = methods,
};

const struct param param_char_size = {
	.name = "char_size",
	.help = "bytes to go through, whatever the size of the data set",
	.kind = PARAM_SIZE,
	.flags = PARAM_IDENTITY,
	.min = 1,
};
