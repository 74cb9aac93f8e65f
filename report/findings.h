/* SPDX-License-Identifier: MIT */
/*
 * findings.h - sentences about measurements. What is said of several measurements alike is told
 * once, with all of them named.
 */
#ifndef ASSAY_REPORT_FINDINGS_H
#define ASSAY_REPORT_FINDINGS_H

#include "entries.h"
#include "table.h"

/* Borrows all three. */
struct finding {
	const struct entry *entry;
	const struct entry_item *item;
	const char *message;
};

struct findings {
	struct finding *items;
	size_t count;
};

void findings_add(struct findings *findings, const struct entry *entry,
		  const struct entry_item *item, const char *message);

/* Adds a fact for each sentence, "WHERE; WHERE: SENTENCE", the first named name and the others to
 * go on with it; then empties the list. */
void findings_tell(struct document *document, const char *name, struct findings *findings);

#endif
