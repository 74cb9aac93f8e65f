/* SPDX-License-Identifier: MIT */
/*
 * crc32c.h - the checksum of log records: CRC-32C (Castagnoli, reflected 0x82f63b78), eight bytes
 * at a time through eight tables (Kounavis and Berry 2005, "slicing by 8").
 */
#ifndef ASSAY_WORKLOADS_CRC32C_H
#define ASSAY_WORKLOADS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

struct crc32c {
	uint32_t tables[8][256];
};

void crc32c_init(struct crc32c *crc);

/* The checksum of bytes that follow those of checksum; 0 to begin with. */
uint32_t crc32c_of(const struct crc32c *crc, uint32_t checksum, const void *bytes, size_t length);

#endif
