/* SPDX-License-Identifier: MIT */
/*
 * shortfall.c - see shortfall.h.
 */
#include "shortfall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *shortfall_cause(int fd, const void *rest, size_t bytes, uint64_t offset_bytes,
			    char text[100])
{
	text[0] = '\0';
	/* EINVAL: direct I/O refuses the rest for its alignment, which is no cause. */
	if (pwrite(fd, rest, bytes, (off_t)offset_bytes) < 0 && errno != EINVAL)
		snprintf(text, 100, ": %s", strerror(errno));
	return text;
}
