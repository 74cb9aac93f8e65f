/* SPDX-License-Identifier: MIT */
/*
 * tunables.c - see tunables.h.
 */
#include "tunables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribute.h"

/* What a switch of the scheduler resets or clamps, besides the scheduler's own. */
static const char *const follow_scheduler[] = {"nr_requests", "wbt_lat_usec", "read_ahead_kb",
					       "nomerges", "rq_affinity", NULL};

void tunables_release(struct tunables *tunables)
{
	free(tunables->items);
	*tunables = (struct tunables){0};
}

static bool is_recorded(const struct tunables *tunables, const char *path)
{
	for (size_t i = 0; i < tunables->count; i++)
		if (!strcmp(tunables->items[i].path, path))
			return true;
	return false;
}

int tunables_add(struct tunables *tunables, const char *path, const char *value, struct err *err)
{
	struct tunable *tunable;

	if (is_recorded(tunables, path))
		return 0;
	tunables->items = realloc(tunables->items,
				  (tunables->count + 1) * sizeof(*tunables->items));
	if (!tunables->items)
		abort();
	tunable = &tunables->items[tunables->count];
	snprintf(tunable->path, sizeof(tunable->path), "%s", path);
	if (value)
		snprintf(tunable->value, sizeof(tunable->value), "%s", value);
	else if (!attribute_choice(tunable->value, sizeof(tunable->value), "%s", path))
		return err_set(err, -ENOENT, "%s cannot be read", path);
	tunables->count++;
	return 0;
}

/* ---- recording ---- */

/* Directories and files that are not there are not there. */
static void record_directory(struct tunables *tunables, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX + 400];

		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (entry->d_name[0] != '.' && !access(path, R_OK | W_OK))
			tunables_add(tunables, path, NULL, NULL);
	}
	if (dir)
		closedir(dir);
}

static int record_node(struct tunables *tunables, const struct roots *roots,
		       const struct stack_node *node, const char *attribute, struct err *err)
{
	char queue[PATH_MAX], path[PATH_MAX + 100];
	int code;

	snprintf(queue, sizeof(queue), "%s/class/block/%s/queue", roots->sys, node->name);
	snprintf(path, sizeof(path), "%s/%s", queue, attribute);
	code = tunables_add(tunables, path, NULL, err);
	if (code || strcmp(attribute, "scheduler"))
		return code;
	snprintf(path, sizeof(path), "%s/iosched", queue);
	record_directory(tunables, path);
	for (size_t i = 0; follow_scheduler[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", queue, follow_scheduler[i]);
		if (!access(path, R_OK | W_OK))
			tunables_add(tunables, path, NULL, NULL);
	}
	return 0;
}

int tunables_record_queue(struct tunables *tunables, const struct roots *roots,
			  const struct stack *stack, const char *attribute, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < stack->count; i++)
		if (stack_governs(stack, i, attribute))
			code = record_node(tunables, roots, &stack->nodes[i], attribute, err);
	return code;
}

int tunables_record_vm(struct tunables *tunables, const struct roots *roots, struct err *err)
{
	/* Setting a ratio clears its bytes and the other way round: the one that is 0 is written
	 * first, and then the one that counts. */
	static const char *const pairs[][2] = {{"dirty_bytes", "dirty_ratio"},
					       {"dirty_background_bytes",
						"dirty_background_ratio"}};
	static const char *const alone[] = {"dirty_expire_centisecs", "dirty_writeback_centisecs",
					    "dirtytime_expire_seconds"};
	char path[PATH_MAX];
	int code = 0;

	for (int i = 0; !code && i < 2; i++) {
		int64_t bytes = 0;
		bool by_bytes = attribute_integer(&bytes, "%s/sys/vm/%s", roots->proc,
						  pairs[i][0]) &&
				bytes > 0;

		snprintf(path, sizeof(path), "%s/sys/vm/%s", roots->proc,
			 pairs[i][by_bytes ? 0 : 1]);
		code = tunables_add(tunables, path, NULL, err);
	}
	for (int i = 0; !code && i < 3; i++) {
		snprintf(path, sizeof(path), "%s/sys/vm/%s", roots->proc, alone[i]);
		code = tunables_add(tunables, path, NULL, err);
	}
	return code;
}

/* ---- setting ---- */

static int write_value(const char *path, const char *value)
{
	size_t length = strlen(value);
	int code = 0, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, value, length) != (ssize_t)length)
		code = errno ? -errno : -EIO;
	if (close(fd) && !code)
		code = -errno;
	return code;
}

/* How far a number may come back from what was asked: the kernel keeps read_ahead_kb in pages and
 * times in ticks of up to 10 ms. */
static long long rounding_of(const char *path)
{
	static const struct {
		const char *part;
		long long step;
	} steps[] = {{"_kb", 4},
		     {"_usec", 10000},
		     {"_centisecs", 1},
		     {"expire", 10},
		     {"timeout", 10}};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strstr(name, steps[i].part))
			return steps[i].step;
	return 0;
}

static bool is_near(const char *path, const char *asked, const char *got)
{
	char *end;
	long long want = strtoll(asked, &end, 10), have;

	if (*end || end == asked)
		return false;
	have = strtoll(got, &end, 10);
	return !*end && end != got && llabs(want - have) <= rounding_of(path);
}

int tunable_set(const char *path, const char *value, struct err *err)
{
	char got[TUNABLE_VALUE_MAX];
	int code = write_value(path, value);

	if (code)
		return err_set(err, ERR_SKIP, "set %s to %s: %s", path, value, strerror(-code));
	if (!attribute_choice(got, sizeof(got), "%s", path))
		return err_set(err, ERR_SKIP, "%s cannot be read back", path);
	if (strcmp(got, value) && !is_near(path, value, got))
		return err_set(err, ERR_SKIP, "%s was set to %s and reads %s", path, value, got);
	return 0;
}

unsigned tunables_restore(const struct tunables *tunables, struct err *err)
{
	unsigned failed = 0;

	for (size_t i = 0; i < tunables->count; i++) {
		const struct tunable *tunable = &tunables->items[i];
		char now[TUNABLE_VALUE_MAX] = "";

		attribute_choice(now, sizeof(now), "%s", tunable->path);
		if (!strcmp(now, tunable->value) ||
		    !tunable_set(tunable->path, tunable->value, failed ? NULL : err))
			continue;
		failed++;
	}
	return failed;
}

int tunable_offers(const char *path, const char *choice)
{
	char text[1000], *rest = text, *word;
	size_t length = strlen(choice);

	if (!attribute_text(text, sizeof(text), "%s", path))
		return 0;
	if (!strchr(text, '['))
		return 1;
	while ((word = strsep(&rest, " "))) {
		word += *word == '[';
		if (!strncmp(word, choice, length) && (!word[length] || word[length] == ']'))
			return 1;
	}
	return 0;
}
