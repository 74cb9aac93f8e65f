/* SPDX-License-Identifier: MIT */
/*
 * region.h - memory that requests move data from and into.
 */
#ifndef ASSAY_WORKLOADS_REGION_H
#define ASSAY_WORKLOADS_REGION_H

#include <stddef.h>

/* Maps at least so many bytes of zeros, each page of them in memory already. What is larger than
 * a few pages begins at a large page and is made of such, where the kernel has them: a device then
 * takes a request in few segments and need not have it split, whatever memory happened to be free.
 * (Databases keep their buffers so for the same reason.) To be given back by region_unmap with the
 * same bytes. NULL with errno when there is no memory. */
void *region_map(size_t bytes);
void region_unmap(void *base, size_t bytes);

#endif
