/* SPDX-License-Identifier: MIT */
/*
 * warm.c - see warm.h.
 */
#include "warm.h"

#include <stdio.h>
#include <sys/mman.h>

#include "environment.h"

#define PIECE_BYTES (64ULL << 20)

static uint64_t available_bytes(const struct roots *roots)
{
	unsigned long long kib = 0;
	uint64_t limit = environment_memory_bytes(roots), bytes;
	char path[256], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/meminfo", roots->proc);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	bytes = kib * 1024;
	return limit && limit < bytes ? limit : bytes;
}

uint64_t warm_memory(const struct roots *roots, uint64_t bytes, const atomic_bool *stop)
{
	uint64_t most = available_bytes(roots) / 4 * 3, touched = 0;
	unsigned char *base;

	bytes = (bytes < most ? bytes : most) / PIECE_BYTES * PIECE_BYTES;
	if (!bytes)
		return 0;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return 0;
	/* Large pages, where there are any: a host then gives hundreds of small ones at once. */
	madvise(base, bytes, MADV_HUGEPAGE);
	for (; touched < bytes && !atomic_load_explicit(stop, memory_order_relaxed);
	     touched += PIECE_BYTES)
		for (uint64_t at = 0; at < PIECE_BYTES; at += 4096)
			((volatile unsigned char *)base)[touched + at] = 1;
	munmap(base, bytes);
	return touched;
}
