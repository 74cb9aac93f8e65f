/* SPDX-License-Identifier: MIT */
/* tree.c - recorded trees of /sys and /proc. */
#include "tests/tree.h"

#include <CUnit/CUnit.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048, DIRECTORY_MAX = 1024 };

/* Makes every directory above a path. */
static void make_parents(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
}

static FILE *create(const struct tree *tree, const char *path)
{
	char whole[PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", tree->root, path);
	make_parents(whole);
	file = fopen(whole, "w");
	CU_ASSERT_PTR_NOT_NULL(file);
	return file;
}

void tree_write(const struct tree *tree, const char *path, const void *bytes, size_t size)
{
	FILE *file = create(tree, path);

	if (!file)
		return;
	CU_ASSERT_EQUAL(fwrite(bytes, 1, size, file), size);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

void tree_write_text(const struct tree *tree, const char *path, const char *text)
{
	tree_write(tree, path, text, strlen(text));
}

void tree_remove(const struct tree *tree, const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", tree->root, path);
	CU_ASSERT_EQUAL(remove(whole), 0);
}

/* Turns \xHH into bytes in place; returns how many bytes there are, plus a newline if none was so
 * written. */
static size_t decode(char *text)
{
	char *from = text, *to = text;
	bool escaped = false;

	while (*from && *from != '\n') {
		unsigned byte;

		if (sscanf(from, "\\x%2x", &byte) == 1) {
			*to++ = (char)byte;
			from += 4;
			escaped = true;
		} else {
			*to++ = *from++;
		}
	}
	if (!escaped)
		*to++ = '\n';
	return (size_t)(to - text);
}

static void make_link(const struct tree *tree, const char *path, const char *target)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", tree->root, path);
	make_parents(whole);
	CU_ASSERT_EQUAL(symlink(target, whole), 0);
}

/* Unpacks one line; *lines is the file whose lines follow. */
static void unpack_line(const struct tree *tree, char *line, char *directory, FILE **lines)
{
	char path[LINE_MAX_BYTES + DIRECTORY_MAX], *mark;

	if (line[0] == '\t' && *lines) {
		fputs(line + 1, *lines);
		return;
	}
	if (*lines)
		CU_ASSERT_EQUAL(fclose(*lines), 0);
	*lines = NULL;
	if (line[0] == '#' || line[0] == '\n')
		return;
	snprintf(path, sizeof(path), "%s%s", line[0] == '/' ? "" : directory, line);
	path[strcspn(path, " \n")] = '\0';
	if ((mark = strstr(line, " -> "))) {
		mark[4 + strcspn(mark + 4, "\n")] = '\0';
		make_link(tree, path, mark + 4);
	} else if ((mark = strstr(line, " = "))) {
		size_t size = decode(mark + 3);

		tree_write(tree, path, mark + 3, size);
	} else if (strstr(line, " :\n")) {
		*lines = create(tree, path);
	} else if (path[strlen(path) - 1] == '/') {
		snprintf(directory, DIRECTORY_MAX, "%.*s", DIRECTORY_MAX - 1, path);
	} else {
		CU_FAIL("a line of a recorded tree that is none");
	}
}

void tree_open(struct tree *tree, const char *name)
{
	char path[PATH_MAX], line[LINE_MAX_BYTES], directory[DIRECTORY_MAX] = "";
	FILE *file, *lines = NULL;

	snprintf(tree->root, sizeof(tree->root), "/tmp/assay-tree.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(tree->root));
	snprintf(tree->sys, sizeof(tree->sys), "%s/sys", tree->root);
	snprintf(tree->proc, sizeof(tree->proc), "%s/proc", tree->root);
	tree->roots = (struct roots){tree->sys, tree->proc, tree->root};
	snprintf(path, sizeof(path), "tests/trees/%s.tree", name);
	file = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (fgets(line, sizeof(line), file))
		unpack_line(tree, line, directory, &lines);
	if (lines)
		CU_ASSERT_EQUAL(fclose(lines), 0);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

void tree_close(struct tree *tree)
{
	CU_ASSERT_EQUAL(nftw(tree->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}
