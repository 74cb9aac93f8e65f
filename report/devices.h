/* SPDX-License-Identifier: MIT */
/*
 * devices.h - the table of what the devices under the target did.
 */
#ifndef ASSAY_REPORT_DEVICES_H
#define ASSAY_REPORT_DEVICES_H

#include "entries.h"
#include "table.h"

void devices_add(struct document *document, const struct entries *entries,
		 const struct section *section);

#endif
