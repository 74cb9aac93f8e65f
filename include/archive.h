/* SPDX-License-Identifier: MIT */
/*
 * archive.h - the one SQLite file that holds runs. Everything that speaks SQL is behind this.
 *
 * Durability: every function that writes commits before it returns, with the data synced; a
 * process killed at any moment leaves a sound file. Several processes may write; a busy archive
 * is waited for (30 s). A running run holds a lock on the file for as long as its process lives;
 * whoever opens the archive to write marks the runs whose lock is gone as interrupted.
 */
#ifndef ASSAY_ARCHIVE_H
#define ASSAY_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "run.h"

struct archive;

enum archive_mode {
	ARCHIVE_READ, /* the file must exist; nothing is changed */
	ARCHIVE_WRITE /* made, with its directory below $HOME when that is the default, if
		       * missing */
};

/* The version of the SQLite that keeps archives, as it runs. */
const char *archive_sqlite_version(void);

/* Opens the archive; *archive is the caller's to close. Refused with a sentence naming the path:
 * not an SQLite file, not an assay archive, a newer schema, read-only or in a missing directory
 * when it is to be written. Opening to write marks the dead runs. A child that goes on
 * without exec keeps its parent's runs alive for as long as it lives. */
int archive_open(struct archive **archive, const char *path, enum archive_mode mode,
		 struct err *err);

/* Runs that were begun and not finished are given up: the next to open it marks them interrupted.
 * Closing one of two handles on a file while the other is inside a call takes the other's locks
 * away, as POSIX has it: not from a visitor of archive_list. */
void archive_close(struct archive *archive);

/* Where the archive is when nobody says: $ASSAY_DB, else $XDG_DATA_HOME/assay/archive.db, else
 * ~/.local/share/assay/archive.db. *is_default tells whether missing directories may be made. */
int archive_default_path(char *path, size_t size, bool *is_default, struct err *err);

/* Makes the directories above path (mode 0700) that are missing. */
int archive_make_directories(const char *path, struct err *err);

/* Writes the run's row as running with its facts, tags and notes, sets run->id and takes the lock
 * that says this run is alive. A real fact that is NAN is left out. */
int archive_begin(struct archive *archive, struct run *run, struct err *err);

/* Writes a whole measurement in one transaction and sets measurement->id. */
int archive_add(struct archive *archive, int64_t run_id, struct measurement *measurement,
		struct err *err);

/* Ends a run begun through this handle with "complete", "failed" or "interrupted", adds the facts
 * and notes made since archive_begin (a fact already there keeps its value), and gives the lock
 * back. Sets run->status and, unless it is set, run->finished_at. After an error the run still
 * runs. */
int archive_finish(struct archive *archive, struct run *run, const char *status, struct err *err);

/* A list of run ids, the caller's to free with run_ids_release. */
struct run_ids {
	int64_t *items;
	size_t count;
};
void run_ids_release(struct run_ids *ids);

enum { SELECT_ONE = 1, SELECT_ALL_IF_NONE = 2 };

/* Finds the runs that terms name (DESIGN section 3: id, unique UUID prefix, label, latest,
 * latest~N, or NAME=PATTERN filters which are and-ed), oldest first, each once. SELECT_ONE: one
 * run exactly, a label naming several is an error that lists their ids. SELECT_ALL_IF_NONE: no
 * terms mean every run. ERR_USAGE with a sentence when nothing matches a term. */
int archive_select(struct archive *archive, const char *const terms[], size_t count, unsigned flags,
		   struct run_ids *ids, struct err *err);

/* A run with all its measurements, as it was given to the archive. */
struct archived_run {
	struct run run;
	struct run_origin origin;
	struct measurement *measurements;
	size_t measurement_count;
};

enum {
	LOAD_HISTOGRAMS = 1,
	LOAD_SAMPLES = 2,
	LOAD_ALL = 3
};
int archive_load(struct archive *archive, int64_t run_id, unsigned what,
		 struct archived_run *archived, struct err *err);
void archived_run_release(struct archived_run *archived);

/* One line of a listing. Strings may be NULL; they live until the callback returns. */
struct run_line {
	int64_t id;
	const char *uuid, *series, *source, *status, *label, *profile, *started_at, *host, *kernel,
		*target, *filesystem, *device, *scheduler;
	int64_t round;
	int64_t measurements;
};
typedef int (*run_line_fn)(void *context, const struct run_line *line);
int archive_list(struct archive *archive, const struct run_ids *ids, run_line_fn visit,
		 void *context, struct err *err);

#endif
