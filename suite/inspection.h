/* SPDX-License-Identifier: MIT */
/*
 * inspection.h - a look at the machine and a target that changes nothing: nothing is made, written
 * or set, in the target or elsewhere; and what is worth minding before a run.
 */
#ifndef ASSAY_SUITE_INSPECTION_H
#define ASSAY_SUITE_INSPECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "background.h"
#include "err.h"
#include "fact.h"
#include "roots.h"
#include "stack.h"

enum direct_answer { DIRECT_UNKNOWN, DIRECT_WORKS, DIRECT_REFUSED };

struct inspection {
	bool has_target;
	struct stack stack;     /* empty without a target */
	struct facts facts;
	struct background background;
	enum direct_answer direct; /* of the target: found out on a file that is there, if any is */
	char direct_file[256];  /* that file's name */
	char gap[300];          /* what of the devices cannot be counted; "" */
};

/* Looks at the machine and, unless path is NULL, at what it names, whose disks are watched for
 * watch_ns. -errno when there is no such path. */
int inspection_open(struct inspection *inspection, const struct roots *roots, const char *path,
		    uint64_t watch_ns, const atomic_bool *stop, struct err *err);
void inspection_close(struct inspection *inspection);

/* Something to mind before a run. */
struct warning {
	const char *code; /* one word, for programs */
	char message[600];
};

struct warnings {
	struct warning *items;
	size_t count;
};

/* What follows from an inspection: a pure function. */
void warnings_find(struct warnings *warnings, const struct inspection *inspection);
void warnings_release(struct warnings *warnings);

#endif
