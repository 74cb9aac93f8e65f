/* SPDX-License-Identifier: MIT */
/*
 * findings.c - sentences about measurements.
 */
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "must.h"

enum { LABELS_MOST = 6 /* named one by one; more of them are counted */ };

void findings_add(struct findings *findings, const struct entry *entry,
		  const struct entry_item *item, const char *message)
{
	findings->items =
		must_resize(findings->items, findings->count + 1, sizeof(*findings->items));
	findings->items[findings->count++] = (struct finding){entry, item, message};
}

static bool says(const struct finding *finding, const struct entry *entry, const char *message)
{
	return finding->entry == entry && !strcmp(finding->message, message);
}

/* How many of an entry's measurements the sentence is about. */
static size_t count_of(const struct findings *findings, const struct finding *like)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += says(&findings->items[i], like->entry, like->message);
	return count;
}

/* Whether an earlier finding says the same, of any entry or of the same one. */
static bool is_told(const struct findings *findings, size_t at, bool of_entry)
{
	const struct finding *finding = &findings->items[at];

	for (size_t i = 0; i < at; i++)
		if (!strcmp(findings->items[i].message, finding->message) &&
		    (!of_entry || findings->items[i].entry == finding->entry))
			return true;
	return false;
}

/* "random.read, depth 32", with the rounds it is about unless these are all. */
static void write_where(FILE *out, const struct findings *findings, const struct finding *where)
{
	char *label = entry_label(where->entry, NULL);
	size_t count = count_of(findings, where);
	const char *before = count > 1 ? ", rounds " : ", round ";

	fputs(label, out);
	for (size_t i = 0; count < where->entry->count && i < findings->count; i++) {
		if (!says(&findings->items[i], where->entry, where->message))
			continue;
		fprintf(out, "%s%u", before, findings->items[i].item->run->run.round);
		before = " and ";
	}
	free(label);
}

static char *tell(const struct findings *findings, size_t at)
{
	const char *message = findings->items[at].message, *before = "";
	struct writing text;
	size_t labels = 0;

	for (size_t i = at; i < findings->count; i++)
		labels += !strcmp(findings->items[i].message, message) &&
			  !is_told(findings, i, true);
	writing_open(&text);
	if (labels > LABELS_MOST)
		fprintf(text.out, "%zu points", labels);
	for (size_t i = at; labels <= LABELS_MOST && i < findings->count; i++) {
		if (strcmp(findings->items[i].message, message) != 0 || is_told(findings, i, true))
			continue;
		fputs(before, text.out);
		write_where(text.out, findings, &findings->items[i]);
		before = "; ";
	}
	fprintf(text.out, ": %s", message);
	return writing_close(&text);
}

void findings_tell(struct document *document, const char *name, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		char *text;

		if (is_told(findings, i, false))
			continue;
		text = tell(findings, i);
		document_fact(document, name, text);
		name = "";
		free(text);
	}
	free(findings->items);
	*findings = (struct findings){0};
}
