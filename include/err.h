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
#include <stdlib.h>
#include <string.h>

enum {
	ERR_USAGE = -10000, /* what was asked for cannot be: the program exits with 2 */
	ERR_SKIP = -10001,  /* a point that cannot be measured here: the sentence says why */
};

struct err {
	int code;        /* 0, a negative errno, or one of the codes above */
	char text[1000]; /* a sentence without a final full stop or newline */
};

/* Puts text into err; of one that is too long the middle goes: the operation stands at its
 * beginning, the cause at its end. */
__attribute__((unused)) static void err_keep(struct err *err, const char *text, size_t length)
{
	static const char gap[] = " ... ";
	size_t room = sizeof(err->text) - 1, head = (room - strlen(gap)) / 2;
	size_t tail = room - strlen(gap) - head;

	if (length <= room) {
		memcpy(err->text, text, length + 1);
		return;
	}
	memcpy(err->text, text, head);
	memcpy(err->text + head, gap, strlen(gap));
	memcpy(err->text + head + strlen(gap), text + length - tail, tail + 1);
}

/* Fills *err and returns code, so that `return err_set(err, -errno, "open %s: %s", ...)` reads
 * as one statement. err may be NULL when the caller does not want the words. */
__attribute__((format(printf, 3, 4), unused)) static int err_set(struct err *err, int code,
								 const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		abort();
	err_keep(err, text, (size_t)length);
	free(text);
	return code;
}

#endif
