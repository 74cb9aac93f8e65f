/* SPDX-License-Identifier: MIT */
/*
 * section.c - the parts of a report, and the parameters of a part.
 *
 * The archive knows phases, not groups, and reports do not see the workloads; so the groups stand
 * here once more. A test holds them against the phases there are.
 */
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "must.h"

#define PHASE_NAMES(...) (const char *const[]){__VA_ARGS__, NULL}

const struct section sections[] = {
	{"files", "Files",
	 PHASE_NAMES("char_write", "block_write", "rewrite", "char_read", "block_read", "seeks",
		     "create_sequential", "stat_sequential", "delete_sequential", "create_random",
		     "stat_random", "delete_random")},
	{"patterns", "Patterns", PHASE_NAMES("sequential", "random")},
	{"orion", "Orion", PHASE_NAMES("oltp", "dss", "mixed")},
	{"durability", "Durability",
	 PHASE_NAMES("sync_methods", "wal_commit", "wal_mixed", "checkpoint", "sqlite_txn")},
	{"other", "Other", NULL},
	{NULL, NULL, NULL},
};

static bool has_phase(const struct section *section, const char *phase)
{
	if (!section->phases)
		return true;
	for (size_t i = 0; section->phases[i]; i++)
		if (!strcmp(section->phases[i], phase))
			return true;
	return false;
}

const struct section *section_of(const char *phase)
{
	const struct section *section = sections;

	while (!has_phase(section, phase))
		section++;
	return section;
}

bool entry_is_in(const struct entry *entry, const struct section *section)
{
	return section_of(entry->first->phase) == section;
}

void section_caption(struct table *table, const struct section *section, const char *what)
{
	char *caption = must_format("%s: %s", section->title, what);

	table_caption(table, caption);
	free(caption);
}

/* ---- parameters that do not vary ------------------------------------------------------------- */

/* One parameter of one phase that all its points share. */
struct constant {
	const char *phase;
	const struct parameter *parameter;
	bool common; /* told for the whole section */
};

struct constants {
	struct constant *items;
	size_t count, capacity;
};

static void add_constant(struct constants *constants, const char *phase,
			 const struct parameter *parameter)
{
	if (constants->count == constants->capacity) {
		constants->capacity = constants->capacity ? 2 * constants->capacity : 32;
		constants->items = must_resize(constants->items, constants->capacity,
					       sizeof(*constants->items));
	}
	constants->items[constants->count++] =
		(struct constant){.phase = phase, .parameter = parameter};
}

static bool is_known_phase(const struct constants *constants, const char *phase)
{
	for (size_t i = 0; i < constants->count; i++)
		if (!strcmp(constants->items[i].phase, phase))
			return true;
	return false;
}

static void collect(struct constants *constants, const struct entries *entries,
		    const struct section *section)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		const struct measurement *first = entry->first;

		if (!entry_is_in(entry, section) || is_known_phase(constants, first->phase))
			continue;
		for (size_t p = 0; p < first->parameter_count; p++)
			if (!entry->varies[p])
				add_constant(constants, first->phase, &first->parameters[p]);
	}
}

static bool is_same(const struct parameter *a, const struct parameter *b)
{
	return !strcmp(a->name, b->name) && value_equal(&a->value, &b->value);
}

static size_t holders(const struct constants *constants, const struct parameter *parameter)
{
	size_t count = 0;

	for (size_t i = 0; i < constants->count; i++)
		count += is_same(constants->items[i].parameter, parameter);
	return count;
}

/* Whether more phases hold this value of the parameter than any other; the first of equals. */
static bool is_prevailing(const struct constants *constants, const struct parameter *parameter)
{
	size_t own = holders(constants, parameter);

	for (size_t i = 0; i < constants->count; i++) {
		const struct parameter *other = constants->items[i].parameter;
		size_t others = holders(constants, other);

		if (strcmp(other->name, parameter->name))
			continue;
		if (others > own)
			return false;
		if (others == own)
			return own >= 2 && is_same(other, parameter);
	}
	return false;
}

static void write_parameter(FILE *out, long *length, const struct parameter *parameter)
{
	char text[PARAMETER_TEXT_MAX];

	fprintf(out, "%s%s %s", *length ? ", " : "", parameter->name,
		parameter_format(text, parameter));
	*length = ftell(out);
}

/* Makes a fact of the constants of a phase that are not common, or of the common ones for NULL. */
static void add_fact(struct document *document, const struct constants *constants,
		     const char *phase)
{
	struct writing writing;
	long length = 0;
	char *text;

	writing_open(&writing);
	for (size_t i = 0; i < constants->count; i++) {
		const struct constant *constant = &constants->items[i];
		bool told = false;

		if (phase ? constant->common || strcmp(constant->phase, phase) : !constant->common)
			continue;
		for (size_t j = 0; j < i && !phase; j++)
			told |= is_same(constants->items[j].parameter, constant->parameter);
		if (!told)
			write_parameter(writing.out, &length, constant->parameter);
	}
	text = writing_close(&writing);
	if (length)
		document_fact(document, phase ? phase : "unless noted", text);
	free(text);
}

void section_parameters(struct document *document, const struct entries *entries,
			const struct section *section)
{
	struct constants constants = {0};

	collect(&constants, entries, section);
	for (size_t i = 0; i < constants.count; i++)
		constants.items[i].common =
			is_prevailing(&constants, constants.items[i].parameter);
	add_fact(document, &constants, NULL);
	for (size_t i = 0; i < constants.count; i++)
		if (!i || strcmp(constants.items[i - 1].phase, constants.items[i].phase))
			add_fact(document, &constants, constants.items[i].phase);
	free(constants.items);
}
