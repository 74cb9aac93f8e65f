/* SPDX-License-Identifier: MIT */
/* words.c - a text made of words. */
#include "words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void words_add(struct words *words, const char *format, ...)
{
	const char *separator = words->used ? words->separator : "";
	size_t start = words->used + strlen(separator);
	va_list args;
	int length;

	if (!words->used)
		words->text[0] = '\0';
	if (start >= words->size)
		return;
	va_start(args, format);
	length = vsnprintf(words->text + start, words->size - start, format, args);
	va_end(args);
	if (length > 0 && start + (size_t)length < words->size) {
		memcpy(words->text + words->used, separator, strlen(separator));
		words->used = start + (size_t)length;
	}
	words->text[words->used] = '\0';
}
