/* SPDX-License-Identifier: MIT */
/*
 * must.h - memory and texts that a report cannot do without: when there is no memory the program
 * ends through abort(), since no report follows.
 */
#ifndef ASSAY_REPORT_MUST_H
#define ASSAY_REPORT_MUST_H

#include <stddef.h>
#include <stdio.h>

/* Zeroed room for count items, and never NULL for none; the caller's to free. */
void *must_allocate(size_t count, size_t item_bytes);

/* Room for count items, those before kept. */
void *must_resize(void *items, size_t count, size_t item_bytes);

/* A copy of text, or NULL of NULL; the caller's to free. */
char *must_copy(const char *text);

/* A text as printf makes it; the caller's to free. */
__attribute__((format(printf, 1, 2))) char *must_format(const char *format, ...);

/* A text that is written piece by piece: writing_close returns it, the caller's to free. */
struct writing {
	FILE *out;
	char *text;
	size_t bytes;
};
void writing_open(struct writing *writing);
char *writing_close(struct writing *writing);

#endif
