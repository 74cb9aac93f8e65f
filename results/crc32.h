/* SPDX-License-Identifier: MIT */
/*
 * crc32.h - CRC-32 as in IEEE 802.3.
 */
#ifndef ASSAY_RESULTS_CRC32_H
#define ASSAY_RESULTS_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const unsigned char *bytes, size_t count);

#endif
