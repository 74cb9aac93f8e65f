/* SPDX-License-Identifier: MIT */
/* attribute.c - the small text files of /sys and /proc. */
#include "attribute.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 4 << 20 }; /* of /proc/cpuinfo on the largest machines */

/* Prints the path; one that was cut names nothing and becomes "". */
#define PATH_FROM_ARGUMENTS(buffer, format)							   \
	do {											   \
		va_list args;									   \
		int path_length;								   \
												   \
		va_start(args, format);								   \
		path_length = vsnprintf(buffer, sizeof(buffer), format, args);			   \
		va_end(args);									   \
		if (path_length < 0 || (size_t)path_length >= sizeof(buffer))			   \
			buffer[0] = '\0';							   \
	} while (0)

static ssize_t read_bytes(const char *path, void *data, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t used = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	while (used < size) {
		got = read(fd, (char *)data + used, size - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	if (got < 0)
		got = -errno;
	close(fd); /* nothing was written: there is nothing to lose */
	return got < 0 ? got : (ssize_t)used;
}

void attribute_trim(char *text)
{
	size_t length = strlen(text), start = 0;

	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	while (isspace((unsigned char)text[start]))
		start++;
	memmove(text, text + start, length - start + 1);
}

static bool read_text(const char *path, char *text, size_t size)
{
	ssize_t got = read_bytes(path, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	attribute_trim(text);
	return text[0] != '\0';
}

ssize_t attribute_bytes(void *data, size_t size, const char *path, ...)
{
	char whole[PATH_MAX];

	PATH_FROM_ARGUMENTS(whole, path);
	return read_bytes(whole, data, size);
}

bool attribute_text(char *text, size_t size, const char *path, ...)
{
	char whole[PATH_MAX];

	PATH_FROM_ARGUMENTS(whole, path);
	return read_text(whole, text, size);
}

bool attribute_integer(int64_t *value, const char *path, ...)
{
	char whole[PATH_MAX], text[64], *end;
	long long number;

	PATH_FROM_ARGUMENTS(whole, path);
	if (!read_text(whole, text, sizeof(text)))
		return false;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || (*end && !isspace((unsigned char)*end)))
		return false;
	*value = number;
	return true;
}

bool attribute_choice(char *text, size_t size, const char *path, ...)
{
	char whole[PATH_MAX], offered[512], *open, *close;

	PATH_FROM_ARGUMENTS(whole, path);
	if (!read_text(whole, offered, sizeof(offered)))
		return false;
	open = strchr(offered, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	snprintf(text, size, "%s", close ? open + 1 : offered);
	return true;
}

char *attribute_file(const char *path, ...)
{
	char whole[PATH_MAX], *text = NULL, *larger;
	size_t size = 4096;
	ssize_t got;

	PATH_FROM_ARGUMENTS(whole, path);
	do {
		size *= 4;
		larger = realloc(text, size);
		if (!larger)
			break;
		text = larger;
		got = read_bytes(whole, text, size - 1);
	} while (got == (ssize_t)size - 1 && size < FILE_BYTES_MAX);
	if (!larger || got <= 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	return text;
}

bool attribute_link_name(char *name, size_t size, const char *path, ...)
{
	char whole[PATH_MAX], link[PATH_MAX];
	const char *slash;
	ssize_t length;

	PATH_FROM_ARGUMENTS(whole, path);
	length = readlink(whole, link, sizeof(link) - 1);
	if (length <= 0)
		return false;
	link[length] = '\0';
	slash = strrchr(link, '/');
	snprintf(name, size, "%s", slash ? slash + 1 : link);
	return true;
}

bool attribute_exists(const char *path, ...)
{
	char whole[PATH_MAX];

	PATH_FROM_ARGUMENTS(whole, path);
	return access(whole, F_OK) == 0;
}

static const char *after_key(const char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) || !strchr(" \t:=", line[length]) || !line[length])
		return NULL;
	line += length;
	return line + strspn(line, " \t:=\"");
}

bool attribute_field(const char *text, const char *key, char *value, size_t size)
{
	const char *found = NULL;
	int length;

	for (const char *line = text; line && !found; line = *line ? line + 1 : NULL) {
		found = after_key(line, key);
		line = strchrnul(line, '\n');
	}
	if (!found)
		return false;
	length = (int)strcspn(found, "\n");
	while (length && strchr(" \t\"", found[length - 1]))
		length--;
	snprintf(value, size, "%.*s", length, found);
	return length > 0;
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

void attribute_each(bool (*visit)(const char *name, void *context), void *context,
		    const char *directory, ...)
{
	char whole[PATH_MAX];
	struct dirent **entries = NULL;
	bool more = true;
	int count;

	PATH_FROM_ARGUMENTS(whole, directory);
	count = scandir(whole, &entries, is_entry, alphasort);
	for (int i = 0; i < count; i++) {
		more = more && visit(entries[i]->d_name, context);
		free(entries[i]);
	}
	free(entries);
}

size_t attribute_count(const char *directory, ...)
{
	char whole[PATH_MAX];
	const struct dirent *entry;
	size_t count = 0;
	DIR *opened;

	PATH_FROM_ARGUMENTS(whole, directory);
	opened = opendir(whole);
	while (opened && (entry = readdir(opened)))
		count += (size_t)is_entry(entry);
	if (opened)
		closedir(opened);
	return count;
}

bool attribute_real(char *real, const char *path, ...)
{
	char whole[PATH_MAX];

	PATH_FROM_ARGUMENTS(whole, path);
	if (realpath(whole, real))
		return true;
	real[0] = '\0';
	return false;
}
