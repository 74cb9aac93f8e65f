/* SPDX-License-Identifier: MIT */
/*
 * tree.h - recorded trees of /sys and /proc: tests/trees/NAME.tree, unpacked below a directory of
 * its own. In such a file stand
 *
 *	# a comment
 *	/sys/a/link -> TARGET
 *	/sys/a/file = one line; \xHH is a byte, and without one a newline is added
 *	/sys/a/other :
 *		lines of a file, each after a tab
 *	/sys/a/directory/
 *	name = below the directory named last
 */
#ifndef ASSAY_TESTS_TREE_H
#define ASSAY_TESTS_TREE_H

#include "suite/roots.h"

struct tree {
	char root[64], sys[80], proc[80];
	struct roots roots; /* of the three above */
};

/* Unpacks a tree; one that cannot be read is empty, and a failure of the test that asked. */
void tree_open(struct tree *tree, const char *name);
void tree_close(struct tree *tree);

/* Writes a file of the tree anew, or adds it. */
void tree_write(const struct tree *tree, const char *path, const void *bytes, size_t size);
void tree_write_text(const struct tree *tree, const char *path, const char *text);
void tree_remove(const struct tree *tree, const char *path);

#endif
