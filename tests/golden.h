/* SPDX-License-Identifier: MIT */
/*
 * golden.h - outputs that are to stay as they are: tests/golden/NAME. With UPDATE=1 in the
 * environment the files are written anew instead of compared; read the difference then.
 */
#ifndef ASSAY_TESTS_GOLDEN_H
#define ASSAY_TESTS_GOLDEN_H

/* Compares text with the golden file of that name, and shows the first line that differs. */
void check_golden(const char *name, const char *text);

#endif
