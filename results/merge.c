/* SPDX-License-Identifier: MIT */
/*
 * merge.c - runs of another archive taken in, known by their UUID.
 *
 * Two runs of one UUID are the same when the documents of both are, ids apart: then every value of
 * them is, whichever way they came in. They differ when one was annotated, say; the one that is
 * there stays as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_edit.h"
#include "archive_private.h"
#include "export.h"
#include "list.h"

/* ---- comparison ----------------------------------------------------------------------------- */

/* The run without what belongs to its archive: its ids. The caller's to free. */
static char *document_of(struct archived_run *archived)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	archived->run.id = 0;
	for (size_t i = 0; i < archived->measurement_count; i++)
		archived->measurements[i].id = 0;
	export_json(out, archived, true);
	if (fclose(out))
		abort();
	return text;
}

static int same_run(struct archive *archive, int64_t run_id, struct archived_run *other, bool *same,
		    struct err *err)
{
	struct archived_run ours;
	char *left, *right;
	int rc = archive_load(archive, run_id, LOAD_ALL, &ours, err);

	if (rc)
		return rc;
	left = document_of(&ours);
	right = document_of(other);
	*same = !strcmp(left, right);
	free(left);
	free(right);
	archived_run_release(&ours);
	return 0;
}

/* ---- one run -------------------------------------------------------------------------------- */

struct copying {
	struct archive *into, *from;
	struct intake *intake;
};

static int put_copy(const struct copying *copying, int64_t from_id,
		    const struct archived_run *archived, struct err *err)
{
	struct ended_run ended = {
	    .run = &archived->run,
	    .measurements = archived->measurements,
	    .measurement_count = archived->measurement_count,
	    .origin = &archived->origin,
	};
	int64_t run_id = 0;
	char *text = NULL;
	int rc = archive_original(copying->from, from_id, &text, &ended.length, err);

	ended.text = text;
	if (!rc)
		rc = archive_put_ended(copying->into, &ended, &run_id, err);
	free(text);
	if (!rc)
		*LIST_ADD(copying->intake->added.items, copying->intake->added.count) = run_id;
	return rc;
}

/* A run whose process is gone has ended, though nobody wrote so. */
static int settle_status(const struct copying *copying, struct archived_run *archived,
			 bool *running, struct err *err)
{
	int rc = 0;

	*running = false;
	if (archived->run.status && !strcmp(archived->run.status, "running"))
		rc = archive_run_is_alive(copying->from, archived->run.id, running, err);
	else
		return 0;
	if (!rc && !*running)
		run_set_text(&archived->run.status, "interrupted");
	return rc;
}

static int copy_loaded(const struct copying *copying, int64_t from_id,
		       struct archived_run *archived, struct err *err)
{
	struct intake *intake = copying->intake;
	struct run_ids *place;
	int64_t known;
	bool same = false;
	int rc = archive_find_uuid(copying->into, archived->run.uuid, &known, err);

	if (rc)
		return rc;
	if (!known)
		return put_copy(copying, from_id, archived, err);
	rc = same_run(copying->into, known, archived, &same, err);
	place = same ? &intake->known : &intake->differing;
	if (!rc)
		*LIST_ADD(place->items, place->count) = known;
	return rc;
}

static int copy_one(const struct copying *copying, int64_t from_id, struct err *err)
{
	struct archived_run archived;
	bool running;
	int rc = archive_load(copying->from, from_id, LOAD_ALL, &archived, err);

	if (rc)
		return rc;
	rc = settle_status(copying, &archived, &running, err);
	if (!rc && running)
		copying->intake->running++;
	else if (!rc)
		rc = copy_loaded(copying, from_id, &archived, err);
	archived_run_release(&archived);
	return rc;
}

/* ---- many ----------------------------------------------------------------------------------- */

int archive_copy(struct archive *archive, struct archive *from, const struct run_ids *ids,
		 struct intake *intake, struct err *err)
{
	const struct copying copying = {archive, from, intake};
	bool nested;
	int rc = archive_step(archive, &nested, err);

	memset(intake, 0, sizeof(*intake));
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < ids->count; i++)
		rc = copy_one(&copying, ids->items[i], err);
	rc = archive_step_end(archive, nested, rc, err);
	if (rc)
		intake_release(intake);
	return rc;
}

int archive_merge(struct archive *archive, struct archive *from, struct intake *intake,
		  struct err *err)
{
	struct run_ids ids = {0};
	int rc = archive_select(from, NULL, 0, SELECT_ALL_IF_NONE, &ids, err);

	memset(intake, 0, sizeof(*intake));
	if (!rc)
		rc = archive_copy(archive, from, &ids, intake, err);
	run_ids_release(&ids);
	return rc;
}
