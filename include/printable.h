/* SPDX-License-Identifier: MIT */
/*
 * printable.h - text from outside, made safe to show.
 *
 * Labels, file names and device models may hold anything. What a terminal or a mail reader would
 * act upon is shown as an escape instead: control characters (as \n, \t, \x1b), bytes that are
 * not UTF-8 (as \xff), and the code points that reorder or hide text (as \u202e).
 */
#ifndef ASSAY_PRINTABLE_H
#define ASSAY_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Reads the character at text, which is not at its end: returns its length in bytes and sets
 * *code. What is not UTF-8 has length 1 and code UINT32_MAX. */
size_t utf8_read(const char *text, uint32_t *code);

/* A safe copy of text, the caller's to free; memory that cannot be had ends the program through
 * abort(). keep names ASCII control characters that may stay. */
char *printable_copy(const char *text, const char *keep);

/* Columns a safe text takes on a terminal: by wcwidth, so LC_CTYPE has to be UTF-8 for more than
 * one column each. */
unsigned printable_width(const char *text);

/* The length in bytes of the longest start of a safe text that fits in width columns. */
size_t printable_fit(const char *text, unsigned width);

/* Where lines end: after the last comma that leaves them so many percent full, if there is one,
 * else after the last word that fits. */
enum fold { FOLD_PHRASES = 50, FOLD_LISTS = 75, FOLD_WORDS = 100 };

/* The length in bytes of the first line when a safe text is folded at width columns (at least 1):
 * after a blank (one before a unit, as in "4 ms", left aside), else after a mark of punctuation,
 * else anywhere. *skip is set to where the next line starts. At least one character is taken. */
size_t printable_fold(const char *text, unsigned width, enum fold fold, size_t *skip);

#endif
