/* SPDX-License-Identifier: MIT */
/*
 * archive_edit.h - changes to archived runs: taken in from texts and other archives, annotated,
 * deleted. Each function is one transaction: all of it or nothing.
 */
#ifndef ASSAY_ARCHIVE_EDIT_H
#define ASSAY_ARCHIVE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "archive.h"
#include "importer.h"

/* What became of runs that were to be taken in; ids are of the archive that took them. */
struct intake {
	struct run_ids added;
	struct run_ids known; /* were there, known by their UUID, and are the same */
	struct run_ids
	    differing;	/* are there under the same UUID with other content: left as it is */
	size_t running; /* still run where they come from: not taken */
};
void intake_release(struct intake *intake);

/* Puts the runs that import_parse found in the text; their origin keeps their part of it. A run
 * that is there (from this text or another) is left alone and told in known; each run in the sink
 * has the id it has in the archive. */
int archive_import(struct archive *archive, const char *text, struct import_sink *sink,
		   struct intake *intake, struct err *err);

/* Between these two, imports share one transaction: each is still whole or not there, but they are
 * kept only once the batch has ended well. A batch keeps other writers waiting. */
int archive_batch_begin(struct archive *archive, struct err *err);
int archive_batch_end(struct archive *archive, struct err *err);

/* What is to be said of runs that are archived. */
struct annotation {
	const char *label;		  /* NULL: stays; "": is removed */
	const char *note;		  /* NULL: none; added with the time */
	const struct facts *tags, *facts; /* set, in place of what was there; may be NULL */
	const char *const *untags;	  /* names of tags to remove */
	size_t untag_count;
};
int archive_annotate(struct archive *archive, const struct run_ids *ids,
		     const struct annotation *annotation, struct err *err);

/* Removes the runs with all that belongs to them. Refused for a run that is running. */
int archive_delete(struct archive *archive, const struct run_ids *ids, struct err *err);

/* Takes in every run of another archive: those not there yet, in the order they were archived. */
int archive_merge(struct archive *archive, struct archive *from, struct intake *intake,
		  struct err *err);

/* The same for some of its runs. */
int archive_copy(struct archive *archive, struct archive *from, const struct run_ids *ids,
		 struct intake *intake, struct err *err);

/* The text an imported run was read from; *text is the caller's to free, NULL when the run was not
 * imported. */
int archive_original(struct archive *archive, int64_t run_id, char **text, size_t *length,
		     struct err *err);

#endif
