/* SPDX-License-Identifier: MIT */
/*
 * fact.c - lists of facts, and what is known of their names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fact.h"
#include "facts_known.h"

/* ---- lists ----------------------------------------------------------------------------------- */

static void *not_null(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void fact_release(struct fact *fact)
{
	free(fact->name);
	free(fact->text);
}

void facts_release(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		fact_release(&facts->items[i]);
	free(facts->items);
	memset(facts, 0, sizeof(*facts));
}

static struct fact *find(const struct facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].name, name))
			return &facts->items[i];
	return NULL;
}

static struct fact *add(struct facts *facts, const char *name)
{
	struct fact *fact;

	if (facts->count == facts->capacity) {
		facts->capacity = facts->capacity ? 2 * facts->capacity : 16;
		facts->items = not_null(
			reallocarray(facts->items, facts->capacity, sizeof(*facts->items)));
	}
	fact = &facts->items[facts->count++];
	*fact = (struct fact){.name = not_null(strdup(name))};
	return fact;
}

/* Puts a value, whose text it takes over, under a name that may be there already. */
static void set(struct facts *facts, const char *name, struct fact value)
{
	struct fact *fact = find(facts, name);

	if (!fact)
		fact = add(facts, name);
	free(fact->text);
	value.name = fact->name;
	*fact = value;
}

void facts_set_text(struct facts *facts, const char *name, const char *text)
{
	if (text)
		set(facts, name, (struct fact){.kind = FACT_TEXT, .text = not_null(strdup(text))});
}

void facts_set_integer(struct facts *facts, const char *name, int64_t value)
{
	set(facts, name, (struct fact){.kind = FACT_INTEGER, .integer = value});
}

void facts_set_real(struct facts *facts, const char *name, double value)
{
	set(facts, name, (struct fact){.kind = FACT_REAL, .real = value});
}

void facts_remove(struct facts *facts, const char *name)
{
	struct fact *fact = find(facts, name);

	if (!fact)
		return;
	fact_release(fact);
	facts->count--;
	memmove(fact, fact + 1, (size_t)(facts->items + facts->count - fact) * sizeof(*fact));
}

const struct fact *facts_find(const struct facts *facts, const char *name)
{
	return find(facts, name);
}

const char *facts_text(const struct facts *facts, const char *name)
{
	const struct fact *fact = find(facts, name);

	return fact && fact->kind == FACT_TEXT ? fact->text : NULL;
}

/* The fewest digits, 15 or 17, that read back as the same number. */
static void format_real(double real, char *text, size_t size)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.15g", real);
	if (strtod(digits, NULL) != real)
		snprintf(digits, sizeof(digits), "%.17g", real);
	snprintf(text, size, "%s", digits);
}

const char *fact_format(const struct fact *fact, char *text, size_t size)
{
	switch (fact->kind) {
	case FACT_TEXT:
		snprintf(text, size, "%s", fact->text);
		break;
	case FACT_INTEGER:
		snprintf(text, size, "%" PRId64, fact->integer);
		break;
	case FACT_REAL:
		format_real(fact->real, text, size);
		break;
	}
	return text;
}

/* ---- names ----------------------------------------------------------------------------------- */

const struct fact_known facts_known[] = {
#define FACT_ROW(name, fact_class, unit, help) {name, FACT_##fact_class, UNIT_##unit, help},
	FACTS(FACT_ROW)
#undef FACT_ROW
		{NULL, FACT_SETTING, UNIT_NONE, NULL},
};

/* What follows the prefix at the start of a name, or NULL when it has none. */
static const char *after_prefix(const char *name)
{
	if (!strncmp(name, "wal.", 4))
		return name + 4;
	if (!strncmp(name, "backing.", 8))
		return name + 8;
	if (strncmp(name, "disk.", 5) != 0)
		return NULL;
	name = strchr(name + 5, '.');
	return name ? name + 1 : NULL;
}

const struct fact_known *fact_find_known(const char *name)
{
	for (; name; name = after_prefix(name))
		for (const struct fact_known *known = facts_known; known->name; known++)
			if (!strcmp(known->name, name))
				return known;
	return NULL;
}

enum fact_class fact_class_of(const char *name)
{
	const struct fact_known *known = fact_find_known(name);

	return known ? known->fact_class : FACT_SETTING;
}

const char *fact_class_name(enum fact_class fact_class)
{
	static const char *const names[] = {
		[FACT_IDENTITY] = "identity",
		[FACT_SETTING] = "setting",
		[FACT_STATE] = "state",
		[FACT_DERIVED] = "derived",
	};

	return names[fact_class];
}
