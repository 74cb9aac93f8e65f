/* SPDX-License-Identifier: MIT */
/*
 * target.h - the directory or block device under test, as phases see it.
 */
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum target_kind { TARGET_DIRECTORY, TARGET_DEVICE };

struct target {
	enum target_kind kind;
	char path[PATH_MAX];        /* absolute, links resolved */
	int work_fd; /* TARGET_DIRECTORY: the private directory, opened O_DIRECTORY; else -1 */
	char work_path[PATH_MAX];   /* its path, for messages */
	bool writable;              /* TARGET_DEVICE: --erase named it */
	uint64_t device_bytes;      /* TARGET_DEVICE: its size */
	uint32_t logical_block_bytes; /* smallest direct I/O; 512 when nobody knows */
	uint32_t memory_align_bytes;  /* of buffers for direct I/O; 4096 when nobody knows */
	unsigned disks;             /* physical ones under it; 0 when nobody knows */
	bool direct;                /* one aligned direct transfer worked */
	char direct_reason[200];    /* why not, when it did not */
};

#endif
