/* SPDX-License-Identifier: MIT */
/*
 * journal.c - see journal.h. The files are never unlinked: a lock on a file that another process
 * has just unlinked keeps nobody away.
 */
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "attribute.h"
#include "clock.h"

static const char head[] = "assay-sweep 1";

static int state_directory(char path[PATH_MAX], struct err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (geteuid() == 0)
		snprintf(path, PATH_MAX, "/var/lib/assay");
	else if (state && *state == '/')
		snprintf(path, PATH_MAX, "%s/assay", state);
	else if (home && *home)
		snprintf(path, PATH_MAX, "%s/.local/state/assay", home);
	else
		return err_set(err, ERR_USAGE, "neither $XDG_STATE_HOME nor $HOME says where to "
					       "keep the journal of a sweep");
	return 0;
}

static void boot_id(const struct roots *roots, char id[64])
{
	if (!attribute_text(id, 64, "%s/sys/kernel/random/boot_id", roots->proc))
		snprintf(id, 64, "unknown");
}

/* ---- locks ---- */

/* The keeper of a sweep that has just been killed holds the lock while it restores. */
static int lock_patiently(int fd)
{
	const uint64_t patience_ns = 3 * NS_PER_S;
	uint64_t until_ns = clock_now_ns() + patience_ns;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || clock_now_ns() > until_ns)
			return -errno;
		clock_sleep_until_ns(clock_now_ns() + 50 * NS_PER_MS);
	}
	return 0;
}

static int lock_disk(struct journal *journal, const char *directory, const char *disk,
		     struct err *err)
{
	char *path = journal->paths[journal->count];
	int fd, code;

	if (journal->count == JOURNAL_DISKS_MAX)
		return err_set(err, ERR_USAGE, "more than %d disks", JOURNAL_DISKS_MAX);
	if (snprintf(path, PATH_MAX, "%s/sweep-%s.journal", directory, disk) >= PATH_MAX)
		return err_set(err, ERR_USAGE, "the path of the state directory is too long");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(err, -errno, "open %s: %s", path, strerror(errno));
	code = lock_patiently(fd);
	if (code) {
		close(fd);
		return code == -EWOULDBLOCK
			       ? err_set(err, ERR_USAGE, "another sweep is setting %s", disk)
			       : err_set(err, code, "lock %s: %s", path, strerror(-code));
	}
	journal->fds[journal->count++] = fd;
	return 0;
}

int journal_open(struct journal *journal, const struct roots *roots, const struct stack *stack,
		 struct err *err)
{
	char directory[PATH_MAX], inside[PATH_MAX + 8];
	int code = state_directory(directory, err);

	(void)roots;
	journal->count = 0;
	snprintf(inside, sizeof(inside), "%s/x", directory);
	if (!code)
		code = archive_make_directories(inside, err);
	for (int i = stack_next_disk(stack, -1); !code && i >= 0; i = stack_next_disk(stack, i))
		code = lock_disk(journal, directory, stack->nodes[i].name, err);
	if (code)
		journal_close(journal);
	return code;
}

void journal_close(struct journal *journal)
{
	for (unsigned i = 0; i < journal->count; i++) {
		if (!ftruncate(journal->fds[i], 0))
			fsync(journal->fds[i]);
		close(journal->fds[i]);
	}
	journal->count = 0;
}

/* ---- writing ---- */

static char *text_of(const struct roots *roots, const char *series, const struct tunables *before)
{
	char id[64], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	boot_id(roots, id);
	fprintf(out, "%s\nboot %s\nseries %s\n", head, id, series);
	for (size_t i = 0; i < before->count; i++)
		fprintf(out, "set %s %s\n", before->items[i].path, before->items[i].value);
	fputs("end\n", out);
	fclose(out);
	return text;
}

int journal_write(const struct journal *journal, const struct roots *roots, const char *series,
		  const struct tunables *before, struct err *err)
{
	char *text = text_of(roots, series, before);
	int code = 0;

	for (unsigned i = 0; !code && i < journal->count; i++) {
		int fd = journal->fds[i];
		size_t length = strlen(text);

		if (ftruncate(fd, 0) || pwrite(fd, text, length, 0) != (ssize_t)length || fsync(fd))
			code = err_set(err, errno ? -errno : -EIO, "write %s: %s",
				       journal->paths[i], strerror(errno));
	}
	free(text);
	return code;
}

/* ---- recovering ---- */

struct recovery {
	const struct roots *roots;
	journal_tell_fn tell;
	void *context;
};

static void recover_line(const struct recovery *recovery, char *line, bool same_boot)
{
	char *path = line + 4, *value = strchr(path, ' ');
	char now[TUNABLE_VALUE_MAX] = "";
	bool restored = false;

	if (strncmp(line, "set ", 4) || !value)
		return;
	*value++ = '\0';
	attribute_choice(now, sizeof(now), "%s", path);
	if (!strcmp(now, value))
		return;
	if (same_boot)
		restored = !tunable_set(path, value, NULL);
	recovery->tell(recovery->context, path, value, restored);
}

/* A journal without its end was being written: nothing had been changed yet. */
static void recover_text(const struct recovery *recovery, char *text)
{
	char id[64], *line, *rest = text;
	bool same_boot = false;

	if (strncmp(text, head, sizeof(head) - 1) || !strstr(text, "\nend\n"))
		return;
	boot_id(recovery->roots, id);
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "boot ", 5))
			same_boot = !strcmp(line + 5, id);
		recover_line(recovery, line, same_boot);
	}
}

static bool recover_file(const struct recovery *recovery, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;
	char *text;
	bool found;

	if (fd < 0)
		return false;
	if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &status) || !status.st_size) {
		close(fd);
		return false;
	}
	text = attribute_file("%s", path);
	found = text != NULL;
	if (text)
		recover_text(recovery, text);
	free(text);
	if (!ftruncate(fd, 0))
		fsync(fd);
	close(fd);
	return found;
}

unsigned journal_recover(const struct roots *roots, journal_tell_fn tell, void *context)
{
	struct recovery recovery = {roots, tell, context};
	char directory[PATH_MAX], path[PATH_MAX + 300];
	struct dirent *entry;
	unsigned count = 0;
	DIR *dir;

	if (state_directory(directory, NULL))
		return 0;
	dir = opendir(directory);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "sweep-", 6))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		count += recover_file(&recovery, path);
	}
	if (dir)
		closedir(dir);
	return count;
}
