/* SPDX-License-Identifier: MIT */
/*
 * refusal.h - why the kernel would not give a context: the errno, and what its settings say.
 */
#ifndef ASSAY_WORKLOADS_REFUSAL_H
#define ASSAY_WORKLOADS_REFUSAL_H

#include "err.h"

/* Each fills err with a sentence for the negative errno that io_setup or io_uring_setup gave, and
 * returns that errno. proc is where /proc is. */
int refusal_libaio(int code, const char *proc, struct err *err);
int refusal_io_uring(int code, const char *proc, struct err *err);

#endif
