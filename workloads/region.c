/* SPDX-License-Identifier: MIT */
/*
 * region.c - see region.h.
 */
#include "region.h"

#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE_BYTES ((size_t)2 << 20)
#define SMALL_PAGE_BYTES 4096

/* Below an eighth of a large page most of it would be wasted, and requests are small anyway. */
static size_t rounded(size_t bytes)
{
	size_t page = bytes < LARGE_PAGE_BYTES / 8 ? SMALL_PAGE_BYTES : LARGE_PAGE_BYTES;

	return (bytes + page - 1) & ~(page - 1);
}

/* More than is wanted, and given back what lies before the first large page and behind the last. */
static unsigned char *map_aligned(size_t bytes)
{
	unsigned char *all = mmap(NULL, bytes + LARGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (LARGE_PAGE_BYTES - 1);
	if (before)
		munmap(all, before);
	munmap(all + before + bytes, LARGE_PAGE_BYTES - before);
	return all + before;
}

void *region_map(size_t bytes)
{
	size_t whole = rounded(bytes);
	volatile unsigned char *base = map_aligned(whole);

	if (!base)
		return NULL;
	if (whole >= LARGE_PAGE_BYTES)
		madvise((void *)(uintptr_t)base, whole, MADV_HUGEPAGE);
	for (size_t at = 0; at < whole; at += SMALL_PAGE_BYTES)
		base[at] = 0;
	return (void *)(uintptr_t)base;
}

void region_unmap(void *base, size_t bytes)
{
	if (base)
		munmap(base, rounded(bytes));
}
