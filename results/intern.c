/* SPDX-License-Identifier: MIT */
/*
 * intern.c - numbers for texts.
 */
#include <stdlib.h>
#include <string.h>

#include "intern.h"
#include "list.h"

enum { SLOTS_LEAST = 64 };

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

/* The slot of a text, or the free one where it belongs. */
static uint32_t *find_slot(const struct intern *intern, const char *text)
{
	size_t at = hash_of(text) & (intern->slot_count - 1);

	while (intern->slots[at] && strcmp(intern->texts[intern->slots[at] - 1], text) != 0)
		at = (at + 1) & (intern->slot_count - 1);
	return &intern->slots[at];
}

/* Half of the slots stay free. */
static void make_room(struct intern *intern)
{
	if (2 * (intern->count + 1) <= intern->slot_count)
		return;
	intern->slot_count = intern->slot_count ? 2 * intern->slot_count : SLOTS_LEAST;
	free(intern->slots);
	intern->slots = calloc(intern->slot_count, sizeof(*intern->slots));
	if (!intern->slots)
		abort();
	for (size_t i = 0; i < intern->count; i++)
		*find_slot(intern, intern->texts[i]) = (uint32_t)i + 1;
}

size_t intern_text(struct intern *intern, const char *text)
{
	uint32_t *slot;
	char *copy;

	make_room(intern);
	slot = find_slot(intern, text);
	if (!*slot) {
		copy = strdup(text);
		if (!copy)
			abort();
		*LIST_ADD(intern->texts, intern->count) = copy;
		*slot = (uint32_t)intern->count;
	}
	return *slot - 1;
}

void intern_release(struct intern *intern)
{
	for (size_t i = 0; i < intern->count; i++)
		free(intern->texts[i]);
	free(intern->texts);
	free(intern->slots);
	memset(intern, 0, sizeof(*intern));
}
