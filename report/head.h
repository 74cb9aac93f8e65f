/* SPDX-License-Identifier: MIT */
/*
 * head.h - what a report says before and after the figures: which run, of what, in which
 * environment, and how to see it again.
 */
#ifndef ASSAY_REPORT_HEAD_H
#define ASSAY_REPORT_HEAD_H

#include "entries.h"
#include "flags.h"
#include "table.h"

/* Adds the title and the facts that matter first. Where several runs differ in one, all its values
 * are told. */
void head_add(struct document *document, const struct archived_run *runs, size_t count,
	      const struct flags *flags);

/* Adds the runs' notes, and the line that tells how to see them again. */
void head_close(struct document *document, const struct archived_run *runs, size_t count);

#endif
