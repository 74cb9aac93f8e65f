/* SPDX-License-Identifier: MIT */
/*
 * intern.h - numbers for texts: the same text gets the same number, from 0 on in the order in
 * which they are first seen.
 */
#ifndef ASSAY_RESULTS_INTERN_H
#define ASSAY_RESULTS_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern {
	char **texts; /* by number */
	size_t count;
	uint32_t *slots; /* open addressing: a number + 1, or 0 */
	size_t slot_count;
};

/* Memory that cannot be had ends the program through abort(). */
size_t intern_text(struct intern *intern, const char *text);
void intern_release(struct intern *intern);

#endif
