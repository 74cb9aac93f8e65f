/* SPDX-License-Identifier: MIT */
/*
 * archive_private.h - what the files behind archive.h share: the open archive, and the few ways
 * in which they run SQL.
 */
#ifndef ASSAY_ARCHIVE_PRIVATE_H
#define ASSAY_ARCHIVE_PRIVATE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "archive.h"

enum { ARCHIVE_BUSY_S = 30 };

struct archive {
	sqlite3 *db;
	char *path;     /* as it was given, for sentences */
	int descriptor; /* ours beside SQLite's: to read the header, to lock runs */

	/* Statements that write are prepared once; SQL texts are told apart by address. */
	struct prepared {
		const char *sql;
		sqlite3_stmt *statement;
	} *prepared;
	size_t prepared_count;

	/* Runs begun and not finished through this handle. */
	struct live_run {
		int64_t run_id;
		size_t notes_written;
	} *live;
	size_t live_count;
};

/* One row of an answer; not 0 ends the walk and is its result. */
typedef int (*row_fn)(void *context, sqlite3_stmt *row, struct err *err);

/*
 * Values to bind are told by letters, one each, in the order of ?1, ?2, ...:
 *   i int64_t   u uint64_t, bit by bit   d double, NAN is NULL
 *   t text or NULL   e text, empty is NULL   b const void * and size_t
 * The types must be these exactly: cast what is narrower.
 */

/* Runs a statement that answers nothing; sql must be static. */
int archive_put(struct archive *archive, struct err *err, const char *sql, const char *kinds, ...);

/* Calls fn for each row of the answer. */
int archive_each(struct archive *archive, struct err *err, const char *sql, row_fn fn,
		 void *context, const char *kinds, ...);

/* A row_fn for answers of one integer: context is an int64_t, which keeps its value when there is
 * no row. */
int row_integer(void *context, sqlite3_stmt *row, struct err *err);

/* Starts a transaction that may write, waiting for other writers. */
int archive_transaction(struct archive *archive, struct err *err);

/* Ends it: commits when rc is 0, else takes everything back. Returns rc, or the code of
 * a commit that failed. */
int archive_transaction_end(struct archive *archive, int rc, struct err *err);

/*
 * Rows of a run, inside a transaction of the caller (record.c). A run is put as running; facts and
 * notes may be more of one that is there: a fact already there keeps its value, notes from first
 * on go behind the others.
 */
int archive_put_run(struct archive *archive, const struct run *run, int64_t *run_id,
		    struct err *err);
int archive_put_fact(struct archive *archive, int64_t run_id, const struct fact *fact,
		     struct err *err);
int archive_put_notes(struct archive *archive, int64_t run_id, const struct run *run, size_t first,
		      struct err *err);
int archive_put_measurement(struct archive *archive, int64_t run_id, const struct measurement *m,
			    int64_t *id, struct err *err);

/* SQLite's last error as a sentence that names the archive; returns a negative errno. */
int archive_error(const struct archive *archive, struct err *err, const char *doing);

/* Frees what archive_put has prepared. */
void archive_forget_prepared(struct archive *archive);

/* The text of a column, "" when it is NULL. Lives until the row's end. */
const char *row_text(sqlite3_stmt *row, int column);

/* A real of a column, NAN when it is NULL. */
double row_real(sqlite3_stmt *row, int column);

/* The value of a parameter, from three columns: type and atom of json_each, and the JSON itself. */
struct value row_json_value(sqlite3_stmt *row, int first);

/* The ids as a JSON array, for json_each to take apart; the caller's to free. */
char *ids_as_json(const int64_t ids[], size_t count);

/* The lock of the living: one byte of the file for each run (see archive.c). */
int archive_lock_run(struct archive *archive, int64_t run_id, struct err *err);
int archive_unlock_run(struct archive *archive, int64_t run_id, struct err *err);
int archive_run_is_alive(const struct archive *archive, int64_t run_id, bool *alive,
			 struct err *err);

/* Where a run was imported from (origin.c): the row, inside a transaction of the caller, with what
 * text[0, length) is its part of; and what archive_load gives back. */
int archive_put_origin(struct archive *archive, int64_t run_id, const struct run_origin *origin,
		       const char *text, size_t length, struct err *err);
int archive_load_origin(struct archive *archive, int64_t run_id, struct run_origin *origin,
			struct err *err);

/* The run of that UUID; *run_id is 0 when there is none. */
int archive_find_uuid(struct archive *archive, const char *uuid, int64_t *run_id, struct err *err);

/* A run that has ended, whole, inside a transaction of the caller (archive_import.c). */
struct ended_run {
	const struct run *run;
	const struct measurement *measurements;
	size_t measurement_count;
	const struct run_origin *origin;
	const char *text; /* its part; NULL: it was not imported */
	size_t length;
};
int archive_put_ended(struct archive *archive, const struct ended_run *ended, int64_t *run_id,
		      struct err *err);

/* Inside a transaction of the caller a savepoint, else a transaction. */
int archive_step(struct archive *archive, bool *nested, struct err *err);
int archive_step_end(struct archive *archive, bool nested, int rc, struct err *err);

/* For qsort and bsearch. */
int ids_compare(const void *left, const void *right);

/* A row_fn that adds the id in the first column to a struct run_ids. */
int row_add_id(void *context, sqlite3_stmt *row, struct err *err);

/* Names in the archive, to suggest the nearest to one that is not there. */
struct names {
	char **items;
	size_t count;
};
int row_add_name(void *context, sqlite3_stmt *row, struct err *err); /* of the first column */
void names_release(struct names *names);

/* The nearest name, NULL when none is near; nothing can be added afterwards. */
const char *names_nearest(struct names *names, const char *typed);

/* A foreign program's run has no seed unless it names one. */
static inline bool run_has_seed(const struct run *run)
{
	return run->seed || (run->source && !strcmp(run->source, "assay"));
}

/* The archive tells how many from a plain number, which exports do not. */
static inline const char *unit_stored_name(enum unit unit)
{
	return unit == UNIT_COUNT ? "count" : unit_name(unit);
}

static inline enum unit unit_stored_find(const char *name)
{
	return strcmp(name, "count") ? unit_find(name) : UNIT_COUNT;
}

#endif
