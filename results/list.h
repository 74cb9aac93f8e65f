/* SPDX-License-Identifier: MIT */
/*
 * list.h - a growing array of plain structs, kept as a pointer and a count. Room is had in powers
 * of two, so the count alone tells when there is none left; therefore a list that was not made
 * by LIST_ADD must not be added to.
 */
#ifndef ASSAY_LIST_H
#define ASSAY_LIST_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns items, perhaps moved, with a zeroed item at [count]; aborts when there is no memory. */
static inline void *list_grow(void *items, size_t count, size_t item_bytes)
{
	size_t room = count ? 2 * count : 1;

	if (!(count & (count - 1))) {
		items = reallocarray(items, room, item_bytes);
		if (!items)
			abort();
	}
	memset((char *)items + count * item_bytes, 0, item_bytes);
	return items;
}

/* Adds a zeroed item and yields its address, valid until the next addition. */
#define LIST_ADD(items, count) \
	((items) = list_grow((items), (count), sizeof(*(items))), &(items)[(count)++])

#endif
