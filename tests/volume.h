/* SPDX-License-Identifier: MIT */
/*
 * volume.h - filesystems in images on loop devices, for tests that need root. What cannot be had
 * is a skipped test, and nothing is left behind.
 */
#ifndef ASSAY_TESTS_VOLUME_H
#define ASSAY_TESTS_VOLUME_H

#include <stdbool.h>

#include "measurement.h" /* NAME_MAX_BYTES */

enum { VOLUME_LOOPS_MAX = 2, VOLUME_PATH_MAX = 64 };

struct volume {
	char scratch[VOLUME_PATH_MAX]; /* a directory of its own */
	char mount[VOLUME_PATH_MAX];   /* below it */
	char loops[VOLUME_LOOPS_MAX][NAME_MAX_BYTES]; /* "loop3" */
	unsigned count;
};

/* Runs a command of the shell; returns its exit status. */
__attribute__((format(printf, 1, 2))) int volume_shell(const char *format, ...);

/* Attaches a file with options of losetup. */
bool volume_attach(const char *file, const char *options, char loop[NAME_MAX_BYTES]);
void volume_detach(const char *loop);

/* Makes a filesystem over 1 or 2 loop devices of 320 MiB (what XFS needs at least) and mounts it;
 * false: the test is skipped, which has been said. */
bool volume_open(struct volume *volume, const char *type, unsigned loops);
void volume_close(struct volume *volume);

#endif
