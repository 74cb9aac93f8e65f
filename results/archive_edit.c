/* SPDX-License-Identifier: MIT */
/*
 * archive_edit.c - archived runs annotated and deleted.
 */
#include "archive_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"

/* ---- annotations ---------------------------------------------------------------------------- */

static int put_label(struct archive *archive, int64_t run_id, const char *label, struct err *err)
{
	static const char sql[] = "UPDATE run SET label = ?2 WHERE run_id = ?1";

	return label ? archive_put(archive, err, sql, "ie", run_id, label) : 0;
}

static int put_tags(struct archive *archive, int64_t run_id, const struct facts *tags,
		    struct err *err)
{
	static const char sql[] =
	    "INSERT INTO run_tag (run_id, name, value) VALUES (?1, ?2, ?3)"
	    " ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value";
	int rc = 0;

	for (size_t i = 0; !rc && tags && i < tags->count; i++)
		rc = archive_put(archive, err, sql, "itt", run_id, tags->items[i].name,
				 tags->items[i].text);
	return rc;
}

static int remove_tags(struct archive *archive, int64_t run_id, const struct annotation *annotation,
		       struct err *err)
{
	static const char sql[] = "DELETE FROM run_tag WHERE run_id = ?1 AND name = ?2";
	int rc = 0;

	for (size_t i = 0; !rc && i < annotation->untag_count; i++)
		rc = archive_put(archive, err, sql, "it", run_id, annotation->untags[i]);
	return rc;
}

/* What is said now takes the place of what was recorded. */
static int put_facts(struct archive *archive, int64_t run_id, const struct facts *facts,
		     struct err *err)
{
	static const char sql[] = "DELETE FROM run_fact WHERE run_id = ?1 AND fact_name_id ="
				  " (SELECT fact_name_id FROM fact_name WHERE name = ?2)";
	int rc = 0;

	for (size_t i = 0; !rc && facts && i < facts->count; i++) {
		rc = archive_put(archive, err, sql, "it", run_id, facts->items[i].name);
		if (!rc)
			rc = archive_put_fact(archive, run_id, &facts->items[i], err);
	}
	return rc;
}

static int put_note(struct archive *archive, int64_t run_id, const char *note, struct err *err)
{
	struct run run = {0};
	int rc;

	if (!note)
		return 0;
	run_add_note(&run, NULL, note);
	rc = archive_put_notes(archive, run_id, &run, 0, err);
	run_release(&run);
	return rc;
}

static int annotate_one(struct archive *archive, int64_t run_id,
			const struct annotation *annotation, struct err *err)
{
	int rc = put_label(archive, run_id, annotation->label, err);

	if (!rc)
		rc = remove_tags(archive, run_id, annotation, err);
	if (!rc)
		rc = put_tags(archive, run_id, annotation->tags, err);
	if (!rc)
		rc = put_facts(archive, run_id, annotation->facts, err);
	return rc ? rc : put_note(archive, run_id, annotation->note, err);
}

int archive_annotate(struct archive *archive, const struct run_ids *ids,
		     const struct annotation *annotation, struct err *err)
{
	int rc = archive_transaction(archive, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < ids->count; i++)
		rc = annotate_one(archive, ids->items[i], annotation, err);
	return archive_transaction_end(archive, rc, err);
}

/* ---- deletion ------------------------------------------------------------------------------- */

/* Since the archive was opened to write, whatever still is `running` has a living process. */
static int check_ended(struct archive *archive, int64_t run_id, struct err *err)
{
	static const char sql[] =
	    "SELECT count(*) FROM run WHERE run_id = ?1 AND status = 'running'";
	int64_t running = 0;
	int rc = archive_each(archive, err, sql, row_integer, &running, "i", run_id);

	if (!rc && running)
		return err_set(err, -EBUSY, "run %" PRId64 " is still running; nothing was deleted",
			       run_id);
	return rc;
}

/* What belongs to the run goes with it (ON DELETE CASCADE). */
static int delete_one(struct archive *archive, int64_t run_id, struct err *err)
{
	static const char sql[] = "DELETE FROM run WHERE run_id = ?1";
	int rc = check_ended(archive, run_id, err);

	return rc ? rc : archive_put(archive, err, sql, "i", run_id);
}

int archive_delete(struct archive *archive, const struct run_ids *ids, struct err *err)
{
	int rc = archive_transaction(archive, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < ids->count; i++)
		rc = delete_one(archive, ids->items[i], err);
	return archive_transaction_end(archive, rc, err);
}
