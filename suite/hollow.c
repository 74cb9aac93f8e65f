/* SPDX-License-Identifier: MIT */
/* hollow.c - whether a device's blocks hold anything. */
#include "hollow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 64, BLOCK_BYTES = 4096 };

static void read_samples(int fd, unsigned char *block, uint64_t blocks, struct hollow *hollow)
{
	for (uint64_t i = 0; i < SAMPLES; i++) {
		uint64_t at = blocks / SAMPLES * i + blocks / SAMPLES / 2;

		if (pread(fd, block, BLOCK_BYTES, (off_t)(at * BLOCK_BYTES)) != BLOCK_BYTES)
			continue;
		hollow->sampled++;
		hollow->empty += !memcmp(block, block + 1, BLOCK_BYTES - 1);
	}
}

struct hollow hollow_sample(const char *device, uint64_t bytes)
{
	struct hollow hollow = {0};
	void *block = NULL;
	int fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd >= 0 && !posix_memalign(&block, BLOCK_BYTES, BLOCK_BYTES))
		read_samples(fd, block, bytes / BLOCK_BYTES, &hollow);
	free(block);
	if (fd >= 0)
		close(fd);
	return hollow;
}
