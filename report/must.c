/* SPDX-License-Identifier: MIT */
/*
 * must.c - memory and texts that a report cannot do without.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

static void *not_null(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void *must_allocate(size_t count, size_t item_bytes)
{
	return not_null(calloc(count ? count : 1, item_bytes));
}

void *must_resize(void *items, size_t count, size_t item_bytes)
{
	return not_null(reallocarray(items, count ? count : 1, item_bytes));
}

char *must_copy(const char *text)
{
	return text ? not_null(strdup(text)) : NULL;
}

char *must_format(const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return not_null(length < 0 ? NULL : text);
}

void writing_open(struct writing *writing)
{
	writing->text = NULL;
	writing->out = not_null(open_memstream(&writing->text, &writing->bytes));
}

char *writing_close(struct writing *writing)
{
	if (fclose(writing->out))
		abort();
	return not_null(writing->text);
}
