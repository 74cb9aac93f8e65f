/* SPDX-License-Identifier: MIT */
/*
 * statement.c - how SQL is run: values are always bound, every error becomes a sentence that
 * names the archive.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "list.h"

static int code_of(int sqlite_code)
{
	switch (sqlite_code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EUCLEAN;
	default:
		return -EIO;
	}
}

int archive_error(const struct archive *archive, struct err *err, const char *doing)
{
	int code = code_of(sqlite3_errcode(archive->db));

	if (code == -EBUSY)
		return err_set(err, code,
			       "%s the archive %s: another process has kept it locked for %d s",
			       doing, archive->path, ARCHIVE_BUSY_S);
	return err_set(err, code, "%s the archive %s: %s", doing, archive->path,
		       sqlite3_errmsg(archive->db));
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text, bool empty_is_null)
{
	if (!text || (empty_is_null && !*text))
		return sqlite3_bind_null(statement, index);
	return sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static int bind_one(sqlite3_stmt *statement, int index, char kind, va_list *args)
{
	const void *blob;

	switch (kind) {
	case 'i':
		return sqlite3_bind_int64(statement, index, va_arg(*args, int64_t));
	case 'u':
		return sqlite3_bind_int64(statement, index, (int64_t)va_arg(*args, uint64_t));
	case 'd': /* SQLite itself makes NAN a NULL */
		return sqlite3_bind_double(statement, index, va_arg(*args, double));
	case 't':
	case 'e':
		return bind_text(statement, index, va_arg(*args, const char *), kind == 'e');
	case 'b':
		blob = va_arg(*args, const void *);
		return sqlite3_bind_blob64(statement, index, blob, va_arg(*args, size_t),
					   SQLITE_STATIC);
	default:
		assert(!"a kind of value nobody binds");
		return SQLITE_MISUSE;
	}
}

/* What is bound outlives the step, so nothing is copied. */
static int bind_all(sqlite3_stmt *statement, const char *kinds, va_list *args)
{
	int rc = SQLITE_OK;

	assert((int)strlen(kinds) == sqlite3_bind_parameter_count(statement));
	for (int i = 0; kinds[i] && rc == SQLITE_OK; i++)
		rc = bind_one(statement, i + 1, kinds[i], args);
	return rc;
}

/* The prepared statement of a text, made at its first use; NULL when it cannot be made. */
static sqlite3_stmt *prepared_statement(struct archive *archive, const char *sql)
{
	sqlite3_stmt *statement;

	for (size_t i = 0; i < archive->prepared_count; i++)
		if (archive->prepared[i].sql == sql)
			return archive->prepared[i].statement;
	if (sqlite3_prepare_v3(archive->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
		return NULL;
	*LIST_ADD(archive->prepared, archive->prepared_count) =
		(struct prepared){.sql = sql, .statement = statement};
	return statement;
}

void archive_forget_prepared(struct archive *archive)
{
	for (size_t i = 0; i < archive->prepared_count; i++)
		sqlite3_finalize(archive->prepared[i].statement);
	free(archive->prepared);
	archive->prepared = NULL;
	archive->prepared_count = 0;
}

int archive_put(struct archive *archive, struct err *err, const char *sql, const char *kinds, ...)
{
	sqlite3_stmt *statement = prepared_statement(archive, sql);
	va_list args;
	int rc = 0;

	if (!statement)
		return archive_error(archive, err, "write to");
	va_start(args, kinds);
	if (bind_all(statement, kinds, &args) || sqlite3_step(statement) != SQLITE_DONE)
		rc = archive_error(archive, err, "write to");
	va_end(args);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return rc;
}

static int walk(struct archive *archive, struct err *err, sqlite3_stmt *statement, row_fn fn,
		void *context)
{
	int step, rc;

	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		rc = fn(context, statement, err);
		if (rc)
			return rc;
	}
	return step == SQLITE_DONE ? 0 : archive_error(archive, err, "read");
}

int archive_each(struct archive *archive, struct err *err, const char *sql, row_fn fn,
		 void *context, const char *kinds, ...)
{
	sqlite3_stmt *statement;
	va_list args;
	int rc;

	if (sqlite3_prepare_v2(archive->db, sql, -1, &statement, NULL))
		return archive_error(archive, err, "read");
	va_start(args, kinds);
	rc = bind_all(statement, kinds, &args) ? archive_error(archive, err, "read")
					       : walk(archive, err, statement, fn, context);
	va_end(args);
	sqlite3_finalize(statement);
	return rc;
}

int row_integer(void *context, sqlite3_stmt *row, struct err *err)
{
	(void)err;
	*(int64_t *)context = sqlite3_column_int64(row, 0);
	return 0;
}

int row_add_id(void *context, sqlite3_stmt *row, struct err *err)
{
	struct run_ids *ids = context;

	(void)err;
	*LIST_ADD(ids->items, ids->count) = sqlite3_column_int64(row, 0);
	return 0;
}

const char *row_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

double row_real(sqlite3_stmt *row, int column)
{
	if (sqlite3_column_type(row, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(row, column);
}

int archive_transaction(struct archive *archive, struct err *err)
{
	static const char sql[] = "BEGIN IMMEDIATE";

	return archive_put(archive, err, sql, "");
}

int archive_transaction_end(struct archive *archive, int rc, struct err *err)
{
	static const char commit[] = "COMMIT";

	if (!rc)
		rc = archive_put(archive, err, commit, "");
	/* A full disk makes SQLite roll back by itself. */
	if (rc && !sqlite3_get_autocommit(archive->db))
		sqlite3_exec(archive->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

/* A number is taken from its JSON text: SQLite would make a real of one above 2^63 - 1. */
struct value row_json_value(sqlite3_stmt *row, int first)
{
	const char *type = row_text(row, first);

	if (!strcmp(type, "integer"))
		return value_number(strtoull(row_text(row, first + 2), NULL, 10));
	if (!strcmp(type, "text"))
		return value_text(row_text(row, first + 1));
	return (struct value){.kind = VALUE_NONE};
}

char *ids_as_json(const int64_t ids[], size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	putc('[', out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", ids[i]);
	putc(']', out);
	if (fclose(out))
		abort();
	return text;
}
