/* SPDX-License-Identifier: MIT */
/* filefact.c - facts that stand in one file each. */
#include "filefact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"

static void drop_brackets(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '[' && *text != ']')
			*to++ = *text;
	*to = '\0';
}

static void set_text(struct facts *facts, const char *directory, const struct filefact *entry)
{
	char text[512];
	bool found;

	if (entry->form == FORM_CHOICE)
		found = attribute_choice(text, sizeof(text), "%s/%s", directory, entry->file);
	else
		found = attribute_text(text, sizeof(text), "%s/%s", directory, entry->file);
	if (entry->form == FORM_CHOICES)
		drop_brackets(text);
	if (found)
		facts_set_text(facts, entry->fact, text);
}

static void set_integer(struct facts *facts, const char *directory, const struct filefact *entry)
{
	int64_t value;

	if (!attribute_integer(&value, "%s/%s", directory, entry->file))
		return;
	if (entry->form != FORM_INTEGER && value < (entry->form == FORM_POSITIVE))
		return;
	facts_set_integer(facts, entry->fact, entry->scale ? value * entry->scale : value);
}

static void set_real(struct facts *facts, const char *directory, const struct filefact *entry)
{
	char text[64], *end;
	double value;

	if (!attribute_text(text, sizeof(text), "%s/%s", directory, entry->file))
		return;
	value = strtod(text, &end);
	if (end != text && (!*end || isspace((unsigned char)*end)))
		facts_set_real(facts, entry->fact, value);
}

void filefacts_set(struct facts *facts, const char *directory, const struct filefact *table)
{
	for (; table->fact; table++) {
		if (facts_find(facts, table->fact))
			continue;
		switch (table->form) {
		case FORM_INTEGER:
		case FORM_NATURAL:
		case FORM_POSITIVE:
			set_integer(facts, directory, table);
			break;
		case FORM_REAL:
			set_real(facts, directory, table);
			break;
		default:
			set_text(facts, directory, table);
		}
	}
}
