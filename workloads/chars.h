/* SPDX-License-Identifier: MIT */
/*
 * chars.h - what the two byte-by-byte phases share: the parameters.
 */
#ifndef ASSAY_WORKLOADS_CHARS_H
#define ASSAY_WORKLOADS_CHARS_H

#include "param.h"

/* syscall: write or read of one byte, as bonnie++ 1.9x does; stdio: putc or getc, as 1.03 did. */
extern const struct param param_method_char;
extern const struct param param_char_size;

#endif
