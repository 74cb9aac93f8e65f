/* SPDX-License-Identifier: MIT */
/*
 * remarks.c - what was said about measurements beside their figures.
 */
#include <stdlib.h>

#include "findings.h"
#include "must.h"
#include "remarks.h"

/* Whether a message is to be told: that of a point that nothing stands for has been told below
 * the table as the reason. */
static bool is_remark(const struct entry *entry, const struct measurement *measurement,
		      enum status status)
{
	const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
	size_t count = entry_usable(entry, usable);

	free(usable);
	return count && measurement->status == status &&
	       (status != STATUS_OK || *measurement->message);
}

/* Remarks, and failures of some runs where others went well. */
static void add_remarks(struct document *document, const struct entries *entries,
			const struct section *section, enum status status)
{
	struct findings findings = {0};

	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];

		for (size_t j = 0; entry_is_in(entry, section) && j < entry->count; j++) {
			const struct measurement *measurement = entry->items[j].measurement;

			if (is_remark(entry, measurement, status))
				findings_add(&findings, entry, &entry->items[j],
					     measurement->message);
		}
	}
	findings_tell(document, status == STATUS_OK ? "remark" : status_name(status), &findings);
}

void remarks_add(struct document *document, const struct entries *entries,
		 const struct section *section)
{
	add_remarks(document, entries, section, STATUS_FAILED);
	add_remarks(document, entries, section, STATUS_SKIPPED);
	add_remarks(document, entries, section, STATUS_OK);
}
