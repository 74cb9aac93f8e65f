/* SPDX-License-Identifier: MIT */
/*
 * origin.c - where an imported run came from: who wrote the text, what of it has no place here, and
 * the text itself.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_edit.h"
#include "archive_private.h"
#include "json.h"
#include "list.h"

/* [ { "name", "text" } ]; the caller's to free. */
static char *unmapped_json(const struct run_origin *origin)
{
	struct json json;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	json_init(&json, out);
	json_array_open(&json, false);
	for (size_t i = 0; i < origin->unmapped_count; i++) {
		json_object_open(&json, false);
		json_key(&json, "name");
		json_text(&json, origin->unmapped[i].name);
		json_key(&json, "text");
		json_text(&json, origin->unmapped[i].text);
		json_object_close(&json);
	}
	json_array_close(&json);
	if (fclose(out))
		abort();
	return text;
}

int archive_put_origin(struct archive *archive, int64_t run_id, const struct run_origin *origin,
		       const char *text, size_t length, struct err *err)
{
	static const char sql[] = "INSERT INTO origin (run_id, program, version, content_hash, "
				  "imported_at, original, unmapped)"
				  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
	char *unmapped = unmapped_json(origin);
	int rc =
	    archive_put(archive, err, sql, "ittttbt", run_id, origin->program, origin->version,
			origin->hash, origin->imported_at, (const void *)text, length, unmapped);

	free(unmapped);
	return rc;
}

static int take_origin(void *context, sqlite3_stmt *row, struct err *err)
{
	struct run_origin *origin = context;

	(void)err;
	run_set_text(&origin->program, row_text(row, 0));
	run_set_text(&origin->version, (const char *)sqlite3_column_text(row, 1));
	snprintf(origin->hash, sizeof(origin->hash), "%s", row_text(row, 2));
	snprintf(origin->imported_at, sizeof(origin->imported_at), "%s", row_text(row, 3));
	return 0;
}

static int take_unmapped(void *context, sqlite3_stmt *row, struct err *err)
{
	struct run_origin *origin = context;
	struct unmapped *unmapped = LIST_ADD(origin->unmapped, origin->unmapped_count);

	(void)err;
	run_set_text(&unmapped->name, row_text(row, 0));
	run_set_text(&unmapped->text, row_text(row, 1));
	return 0;
}

int archive_load_origin(struct archive *archive, int64_t run_id, struct run_origin *origin,
			struct err *err)
{
	static const char sql[] = "SELECT program, version, content_hash, imported_at FROM origin"
				  " WHERE run_id = ?1";
	static const char unmapped_sql[] =
	    "SELECT json_extract(item.value, '$.name'), json_extract(item.value, '$.text')"
	    " FROM origin, json_each(origin.unmapped) AS item WHERE run_id = ?1 ORDER BY item.key";
	int rc = archive_each(archive, err, sql, take_origin, origin, "i", run_id);

	if (rc || !*origin->imported_at)
		return rc;
	return archive_each(archive, err, unmapped_sql, take_unmapped, origin, "i", run_id);
}

struct original {
	char *text;
	size_t length;
};

static int take_original(void *context, sqlite3_stmt *row, struct err *err)
{
	struct original *original = context;
	const void *blob = sqlite3_column_blob(row, 0);

	(void)err;
	original->length = (size_t)sqlite3_column_bytes(row, 0);
	original->text = malloc(original->length + 1);
	if (!original->text)
		abort();
	if (original->length)
		memcpy(original->text, blob, original->length);
	original->text[original->length] = '\0';
	return 0;
}

int archive_original(struct archive *archive, int64_t run_id, char **text, size_t *length,
		     struct err *err)
{
	static const char sql[] = "SELECT original FROM origin WHERE run_id = ?1";
	struct original original = {NULL, 0};
	int rc = archive_each(archive, err, sql, take_original, &original, "i", run_id);

	*text = original.text;
	*length = original.length;
	return rc;
}
