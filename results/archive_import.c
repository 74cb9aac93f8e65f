/* SPDX-License-Identifier: MIT */
/*
 * archive_import.c - runs of a text into the archive.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive_edit.h"
#include "archive_private.h"
#include "list.h"

void intake_release(struct intake *intake)
{
	run_ids_release(&intake->added);
	run_ids_release(&intake->known);
	run_ids_release(&intake->differing);
	memset(intake, 0, sizeof(*intake));
}

/* ---- transactions within transactions ------------------------------------------------------- */

int archive_step(struct archive *archive, bool *nested, struct err *err)
{
	static const char sql[] = "SAVEPOINT step";

	*nested = !sqlite3_get_autocommit(archive->db);
	return *nested ? archive_put(archive, err, sql, "") : archive_transaction(archive, err);
}

/* What takes back says nothing of its own: the reason why is already in err. */
int archive_step_end(struct archive *archive, bool nested, int rc, struct err *err)
{
	static const char back[] = "ROLLBACK TO step", release[] = "RELEASE step";
	int end;

	if (!nested)
		return archive_transaction_end(archive, rc, err);
	if (sqlite3_get_autocommit(archive->db)) /* the error took all of it back */
		return rc;
	if (rc)
		archive_put(archive, NULL, back, "");
	end = archive_put(archive, rc ? NULL : err, release, "");
	return rc ? rc : end;
}

int archive_batch_begin(struct archive *archive, struct err *err)
{
	return archive_transaction(archive, err);
}

int archive_batch_end(struct archive *archive, struct err *err)
{
	if (sqlite3_get_autocommit(archive->db)) /* an error has ended it; it was told of */
		return 0;
	return archive_transaction_end(archive, 0, err);
}

/* ---- one run -------------------------------------------------------------------------------- */

int archive_find_uuid(struct archive *archive, const char *uuid, int64_t *run_id, struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run WHERE uuid = ?1";

	*run_id = 0;
	return archive_each(archive, err, sql, row_integer, run_id, "t", uuid);
}

static int put_end(struct archive *archive, int64_t run_id, const struct run *run, struct err *err)
{
	static const char sql[] = "UPDATE run SET status = ?2, finished_at = ?3 WHERE run_id = ?1";

	return archive_put(archive, err, sql, "ite", run_id, run->status, run->finished_at);
}

int archive_put_ended(struct archive *archive, const struct ended_run *ended, int64_t *run_id,
		      struct err *err)
{
	int rc = archive_put_run(archive, ended->run, run_id, err);

	if (!rc)
		rc = put_end(archive, *run_id, ended->run, err);
	for (size_t i = 0; !rc && i < ended->measurement_count; i++) {
		int64_t id;

		rc = archive_put_measurement(archive, *run_id, &ended->measurements[i], &id, err);
	}
	if (!rc && ended->text)
		rc = archive_put_origin(archive, *run_id, ended->origin, ended->text, ended->length,
					err);
	return rc;
}

/* ---- a text --------------------------------------------------------------------------------- */

static int put_imported(struct archive *archive, const char *text, struct imported_run *imported,
			struct err *err)
{
	const struct ended_run ended = {
	    .run = &imported->run,
	    .measurements = imported->measurements,
	    .measurement_count = imported->measurement_count,
	    .origin = &imported->origin,
	    .text = text + imported->start,
	    .length = imported->end - imported->start,
	};
	int64_t run_id = 0;
	int rc;

	run_set_text(&imported->origin.program, imported->run.source);
	run_set_text(&imported->origin.version, imported->run.version);
	clock_label(imported->origin.imported_at);
	rc = archive_put_ended(archive, &ended, &run_id, err);
	imported->run.id = rc ? 0 : run_id;
	return rc;
}

static int put_unless_known(struct archive *archive, const char *text,
			    struct imported_run *imported, struct intake *intake, struct err *err)
{
	int64_t run_id;
	int rc = archive_find_uuid(archive, imported->run.uuid, &run_id, err);

	if (rc)
		return rc;
	if (run_id) {
		imported->known = true;
		imported->run.id = run_id;
		*LIST_ADD(intake->known.items, intake->known.count) = run_id;
		return 0;
	}
	rc = put_imported(archive, text, imported, err);
	if (!rc)
		*LIST_ADD(intake->added.items, intake->added.count) = imported->run.id;
	return rc;
}

int archive_import(struct archive *archive, const char *text, struct import_sink *sink,
		   struct intake *intake, struct err *err)
{
	bool nested;
	int rc = archive_step(archive, &nested, err);

	memset(intake, 0, sizeof(*intake));
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sink->run_count; i++)
		rc = put_unless_known(archive, text, &sink->runs[i], intake, err);
	rc = archive_step_end(archive, nested, rc, err);
	if (rc)
		intake_release(intake);
	return rc;
}
