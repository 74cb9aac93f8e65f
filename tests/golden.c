/* SPDX-License-Identifier: MIT */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "golden.h"

static void write_golden(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(text, 1, strlen(text), file), strlen(text));
	CU_ASSERT_EQUAL(fclose(file), 0);
}

/* The whole file, or NULL. */
static char *read_golden(const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	char *text = NULL;

	if (!file)
		return NULL;
	if (!fstat(fileno(file), &status) && (text = calloc((size_t)status.st_size + 1, 1)) &&
	    fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size)
		*text = '\0';
	fclose(file);
	return text;
}

static void show_difference(const char *path, const char *wanted, const char *got)
{
	unsigned line = 1;
	size_t start = 0, at;

	for (at = 0; wanted[at] && wanted[at] == got[at]; at++) {
		if (wanted[at] == '\n') {
			line++;
			start = at + 1;
		}
	}
	printf("\n    %s:%u\n    wanted: %.*s\n    got:    %.*s\n", path, line,
	       (int)strcspn(wanted + start, "\n"), wanted + start, (int)strcspn(got + start, "\n"),
	       got + start);
}

void check_golden(const char *name, const char *text)
{
	const char *update = getenv("UPDATE");
	char path[200], *wanted;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (update && *update && strcmp(update, "0") != 0) {
		write_golden(path, text);
		return;
	}
	wanted = read_golden(path);
	CU_ASSERT_PTR_NOT_NULL(wanted);
	if (wanted && strcmp(wanted, text) != 0) {
		show_difference(path, wanted, text);
		CU_FAIL("a golden file differs");
	}
	free(wanted);
}
