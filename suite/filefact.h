/* SPDX-License-Identifier: MIT */
/*
 * filefact.h - facts that stand in one file each of /sys or /proc, declared in tables.
 */
#ifndef ASSAY_SUITE_FILEFACT_H
#define ASSAY_SUITE_FILEFACT_H

#include <stdint.h>

#include "fact.h"

enum filefact_form {
	FORM_TEXT,
	FORM_INTEGER,
	FORM_NATURAL,  /* an integer; a negative one means that there is none */
	FORM_POSITIVE, /* an integer; 0 too means that there is none */
	FORM_REAL,     /* the first word */
	FORM_CHOICE,   /* the one in force: "none [bfq]" is "bfq" */
	FORM_CHOICES   /* those offered: "none bfq" */
};

struct filefact {
	const char *fact;
	const char *file; /* below the directory */
	enum filefact_form form;
	int64_t scale; /* what an integer is multiplied by; 0: 1 */
};

/* Sets what is there below the directory and is not yet among the facts: of several files for one
 * fact the first that is there counts. The table ends with a NULL fact. */
void filefacts_set(struct facts *facts, const char *directory, const struct filefact *table);

#endif
