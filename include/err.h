/* SPDX-License-Identifier: MIT */
/*
 * err.h - how a failure travels: a code for the program, one sentence for the reader.
 *
 * A function that can fail returns 0 or a negative code and, at the point where the cause is
 * understood, fills the caller's struct err once with a complete sentence that names the file,
 * the operation and the cause. Nobody but main.c prints it.
 */
#ifndef ASSAY_ERR_H
#define ASSAY_ERR_H

#include <stdarg.h>
#include <stdio.h>

enum {
	ERR_USAGE = -10000, /* what was asked for cannot be: the program exits with 2 */
	ERR_SKIP = -10001,  /* a point that cannot be measured here: the sentence says why */
};

struct err {
	int code;        /* 0, a negative errno, or one of the codes above */
	char text[1000]; /* a sentence without a final full stop or newline */
};

/* Fills *err and returns code, so that `return err_set(err, -errno, "open %s: %s", ...)` reads
 * as one statement. err may be NULL when the caller does not want the words. */
__attribute__((format(printf, 3, 4), unused)) static int err_set(struct err *err, int code,
								 const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

#endif
