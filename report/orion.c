/* SPDX-License-Identifier: MIT */
/*
 * orion.c - the summary Orion prints.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "orion.h"

/* What is looked for: the best value of a metric of an operation, and under which condition. */
struct search {
	const char *phase; /* NULL: any of Orion's */
	const char *operation, *metric;
	bool least;
	double p99_most_ns; /* INFINITY: whatever it is */
};

static bool is_eligible(const struct entry *entry, const struct search *search)
{
	const char *phase = entry->first->phase;

	if (strcmp(section_of(phase)->name, "orion") != 0)
		return false;
	if (search->phase && strcmp(search->phase, phase) != 0)
		return false;
	return isinf(search->p99_most_ns) ||
	       entry_median(entry, search->operation, "latency_p99") <= search->p99_most_ns;
}

static const struct entry *find_best(const struct entries *entries, const struct search *search,
				     double *best)
{
	const struct entry *found = NULL;

	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		double value;

		if (!is_eligible(entry, search))
			continue;
		value = entry_median(entry, search->operation, search->metric);
		if (isnan(value) || (found && (search->least ? value >= *best : value <= *best)))
			continue;
		found = entry;
		*best = value;
	}
	return found;
}

static void add(struct document *document, const struct entries *entries, const char *name,
		const struct search *search)
{
	double best;
	const struct entry *entry = find_best(entries, search, &best);
	char number[UNIT_TEXT_MAX];
	char *label, *text;

	if (!entry)
		return;
	label = entry_label(entry, NULL);
	unit_format(number, metric_find(search->metric)->unit, best);
	text = must_format("%s at %s", number, label);
	document_fact(document, name, text);
	free(text);
	free(label);
}

void orion_add(struct document *document, const struct entries *entries, double knee_ns)
{
	char knee[64], limit[UNIT_TEXT_MAX];

	snprintf(knee, sizeof(knee), "knee, p99 <= %s", unit_format(limit, UNIT_NS, knee_ns));
	add(document, entries, "most small I/Os",
	    &(struct search){NULL, "small", "rate", false, INFINITY});
	add(document, entries, "most large bytes",
	    &(struct search){NULL, "large", "throughput", false, INFINITY});
	add(document, entries, "least mean latency",
	    &(struct search){NULL, "small", "latency_mean", true, INFINITY});
	add(document, entries, knee, &(struct search){"oltp", "small", "rate", false, knee_ns});
}
