/* SPDX-License-Identifier: MIT */
/*
 * words.h - a text made of words, in the caller's array.
 */
#ifndef ASSAY_SUITE_WORDS_H
#define ASSAY_SUITE_WORDS_H

#include <stddef.h>

struct words {
	char *text;
	size_t size, used;
	const char *separator;
};

/* Starts an empty text. */
#define WORDS(array, between)                                                                      \
	((struct words){.text = (array), .size = sizeof(array), .separator = (between)})

/* Adds a word, with the separator before all but the first; one that does not fit is left out. */
__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);

#endif
