/* SPDX-License-Identifier: MIT */
/*
 * site_fixture.h - a target to load: a directory of its own on disk or in memory, the private
 * directory in it, and the data files of a run.
 */
#ifndef ASSAY_TESTS_SITE_FIXTURE_H
#define ASSAY_TESTS_SITE_FIXTURE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fileset.h"
#include "target.h"

enum site_kind {
	SITE_DISK,  /* below $TMPDIR, else /tmp */
	SITE_MEMORY /* below /dev/shm */
};

struct site {
	char directory[PATH_MAX / 4];
	struct target target;
	struct fileset *fileset;
	atomic_bool stop;
};

/* A directory that goes away, below that of the kind; false, with a skip, when there is none. */
bool scratch_directory(enum site_kind kind, char *path, size_t size);
void scratch_directory_remove(const char *path);

/* Writes text to a file in a directory, anew. */
void scratch_write(const char *directory, const char *name, const char *text);

/* The directory, its private directory and an empty fileset; false, with a skip, when there is
 * no such place here. */
bool site_open(struct site *site, enum site_kind kind);
void site_close(struct site *site);

/* Whether text holds part; says both when it does not. */
bool says(const char *text, const char *part);

#endif
