/* SPDX-License-Identifier: MIT */
/*
 * inode_cache.h - makes the kernel forget inodes, so that the next look at a file is a cold one.
 */
#ifndef ASSAY_WORKLOADS_INODE_CACHE_H
#define ASSAY_WORKLOADS_INODE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Drops cached names, inodes and the blocks behind them; what was written must have been synced.
 * fd is of the filesystem on which about so many inodes are to go. False when they could not be:
 * no leave to (root has it), a filesystem in memory, or inodes that do not go in ten seconds. */
bool inode_cache_drop(int fd, uint64_t inodes, const atomic_bool *stop);

#endif
