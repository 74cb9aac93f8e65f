/* SPDX-License-Identifier: MIT */
/*
 * attribute.h - the small text files of /sys and /proc. A file that is missing, unreadable or
 * empty is simply not there: none of these functions fails in any other way.
 */
#ifndef ASSAY_SUITE_ATTRIBUTE_H
#define ASSAY_SUITE_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The path is given as for printf. Reads at most size bytes; returns their number or -errno. */
__attribute__((format(printf, 3, 4))) ssize_t attribute_bytes(void *data, size_t size,
							      const char *path, ...);

/* The text without blanks around it, cut to size; "" and false when there is none. */
__attribute__((format(printf, 3, 4))) bool attribute_text(char *text, size_t size, const char *path,
							  ...);

/* A decimal number, blanks or further words after it ignored; false leaves *value alone. */
__attribute__((format(printf, 2, 3))) bool attribute_integer(int64_t *value, const char *path, ...);

/* The choice in force among those offered: "none [mq-deadline] bfq" gives "mq-deadline"; where
 * nothing is offered, the text itself. */
__attribute__((format(printf, 3, 4))) bool attribute_choice(char *text, size_t size,
							    const char *path, ...);

/* The whole file, NUL-terminated, to be freed; NULL when it is not there. */
__attribute__((format(printf, 1, 2))) char *attribute_file(const char *path, ...);

/* The last component of what the link points to. */
__attribute__((format(printf, 3, 4))) bool attribute_link_name(char *name, size_t size,
							       const char *path, ...);

__attribute__((format(printf, 1, 2))) bool attribute_exists(const char *path, ...);

/* Takes the blanks away from around a text. */
void attribute_trim(char *text);

/* The value of the first line "KEY: VALUE", "KEY VALUE" or "KEY=VALUE" in text, blanks and the
 * quotes of os-release left out. */
bool attribute_field(const char *text, const char *key, char *value, size_t size);

/* Calls visit for each entry of a directory but . and .., by name, until it returns false. */
__attribute__((format(printf, 3, 4))) void
attribute_each(bool (*visit)(const char *name, void *context), void *context,
	       const char *directory, ...);

/* How many entries a directory has; 0 when it is not there. */
__attribute__((format(printf, 1, 2))) size_t attribute_count(const char *directory, ...);

/* Where a path really lies, links resolved, in PATH_MAX bytes; "" and false when it is not
 * there. */
__attribute__((format(printf, 2, 3))) bool attribute_real(char *real, const char *path, ...);

#endif
