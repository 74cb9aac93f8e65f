/* SPDX-License-Identifier: MIT */
/*
 * test_workspace.c - the private directory: locked while its run lives, removed when it is dead,
 * and nothing beside what the suite makes ever removed with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "site_fixture.h"
#include "suite/workspace.h"
#include "suites.h"

static const char dead[] = ".assay-00000000-0000-4000-8000-000000000000";

/* What workspace_clean tells. */
struct told {
	unsigned removed, left;
	char path[PATH_MAX];
};

static void tell(void *context, const char *path, bool removed)
{
	struct told *told = context;

	told->removed += removed;
	told->left += !removed;
	snprintf(told->path, sizeof(told->path), "%s", path);
}

static struct told clean(const struct site *site)
{
	struct told told = {0};

	CU_ASSERT_EQUAL(workspace_clean(&site->target, tell, &told, NULL), 0);
	return told;
}

static const char *path_in(const struct site *site, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", site->directory, name);
	return path;
}

static bool there(const struct site *site, const char *name)
{
	struct stat status;

	return !lstat(path_in(site, name), &status);
}

static void make_directory(const struct site *site, const char *name)
{
	CU_ASSERT_EQUAL(mkdir(path_in(site, name), 0700), 0);
}

/* A leftover with one of everything in it that phases make. */
static void make_leftover(const struct site *site)
{
	char path[128];

	make_directory(site, dead);
	snprintf(path, sizeof(path), "%s/small", dead);
	make_directory(site, path);
	snprintf(path, sizeof(path), "%s/small/00000", dead);
	make_directory(site, path);
	snprintf(path, sizeof(path), "%s/small/00000/0000000001xY", dead);
	scratch_write(site->directory, path, "small");
	snprintf(path, sizeof(path), "%s/data.0", dead);
	scratch_write(site->directory, path, "data");
	snprintf(path, sizeof(path), "%s/data.11", dead);
	scratch_write(site->directory, path, "data");
}

/* ---- the private directory ---- */

static void it_is_private_and_empty(void)
{
	struct site site;
	struct stat status;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fstat(site.target.work_fd, &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 07777, 0700);
	CU_ASSERT_EQUAL(stat(site.target.work_path, &status), 0);
	CU_ASSERT_EQUAL(rmdir(site.target.work_path), 0);
	CU_ASSERT_EQUAL(mkdir(site.target.work_path, 0700), 0);
	CU_ASSERT(!strncmp(site.target.work_path, site.directory, strlen(site.directory)));
	site_close(&site);
}

static void direct_io_is_found_out_by_a_transfer(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT(site.target.direct || site.target.direct_reason[0]);
	CU_ASSERT(site.target.logical_block_bytes >= 512 &&
		  site.target.logical_block_bytes <= 65536);
	CU_ASSERT(site.target.memory_align_bytes >= 512);
	CU_ASSERT_EQUAL(faccessat(site.target.work_fd, "data.0", F_OK, 0), -1);
	site_close(&site);
}

static void closing_leaves_no_trace(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 2, 8192, 0, NULL), 0);
	CU_ASSERT_EQUAL(workspace_close(&site.target, NULL), 0);
	CU_ASSERT_EQUAL(site.target.work_fd, -1);
	CU_ASSERT_EQUAL(access(site.target.work_path, F_OK), -1);
	CU_ASSERT_EQUAL(rmdir(site.directory), 0);
	CU_ASSERT_EQUAL(mkdir(site.directory, 0700), 0);
	site_close(&site);
}

static void closing_tells_of_what_is_not_ours(void)
{
	struct err err = {0};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 8192, 0, NULL), 0);
	scratch_write(site.target.work_path, "notes.txt", "mine");
	CU_ASSERT_EQUAL(workspace_close(&site.target, &err), -ENOTEMPTY);
	CU_ASSERT(says(err.text, site.target.work_path));
	CU_ASSERT_EQUAL(access(site.target.work_path, F_OK), 0);
	scratch_write(site.target.work_path, "seen", "");
	CU_ASSERT_EQUAL(site.target.work_fd, -1);
	site_close(&site);
}

/* ---- leftovers ---- */

static void what_a_dead_run_left_is_removed_and_told(void)
{
	struct site site;
	struct told told;

	if (!site_open(&site, SITE_DISK))
		return;
	make_leftover(&site);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed, 1);
	CU_ASSERT_EQUAL(told.left, 0);
	CU_ASSERT_STRING_EQUAL(told.path, path_in(&site, dead));
	CU_ASSERT(!there(&site, dead));
	/* Its own, which is alive, it did not touch; a second time there is nothing. */
	CU_ASSERT_EQUAL(access(site.target.work_path, F_OK), 0);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed + told.left, 0);
	site_close(&site);
}

/* A process that is killed leaves everything, its lock apart. */
static void what_a_killed_process_left_is_removed(void)
{
	struct site site;
	struct told told;
	int status, ready[2];
	pid_t child;
	char byte;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL_FATAL(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		struct target target = site.target;
		char uuid[UUID_MAX];

		if (uuid_make(uuid, NULL) || workspace_open(&target, uuid, NULL))
			_exit(1);
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed + told.left, 0);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed, 1);
	close(ready[0]);
	close(ready[1]);
	site_close(&site);
}

static void what_is_locked_stays(void)
{
	struct site site;
	struct told told;
	int fd;

	if (!site_open(&site, SITE_DISK))
		return;
	make_leftover(&site);
	fd = open(path_in(&site, dead), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_EQUAL(flock(fd, LOCK_EX), 0);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed + told.left, 0);
	CU_ASSERT(there(&site, dead));
	close(fd);
	CU_ASSERT_EQUAL(clean(&site).removed, 1);
	site_close(&site);
}

/* Put there by somebody, at each depth in turn: it stays with what it stands in, ours goes. */
static void what_is_not_ours_stays_and_is_told(void)
{
	static const char *const strangers[] = {"notes.txt", "data.0.bak", "small/mine",
						"small/00000/postgresql", "small/00000/0x1"};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		char path[256], inner[256];
		struct told told;

		make_leftover(&site);
		snprintf(path, sizeof(path), "%s/%s", dead, strangers[i]);
		scratch_write(site.directory, path, "precious");
		told = clean(&site);
		CU_ASSERT_EQUAL(told.removed, 0);
		CU_ASSERT_EQUAL(told.left, 1);
		CU_ASSERT_STRING_EQUAL(told.path, path_in(&site, dead));
		CU_ASSERT(there(&site, path));
		snprintf(inner, sizeof(inner), "%s/data.11", dead);
		CU_ASSERT(!there(&site, inner));
		CU_ASSERT_EQUAL(unlink(path_in(&site, path)), 0);
		CU_ASSERT_EQUAL(clean(&site).removed, 1);
	}
	site_close(&site);
}

static void names_that_only_look_alike_are_left_alone(void)
{
	static const char *const names[] = {
		".assay-",
		".assay-backup",
		".assay-00000000-0000-4000-8000-0000000000000",
		".assay-0000000g-0000-4000-8000-000000000000",
		"assay-00000000-0000-4000-8000-000000000000",
		".assay-00000000-0000-4000-8000-00000000000",
		"data.0",
		"small",
	};
	struct site site;
	struct told told;

	if (!site_open(&site, SITE_DISK))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_directory(&site, names[i]);
	scratch_write(site.directory, dead, "a file");
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed + told.left, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CU_ASSERT(there(&site, names[i]));
	CU_ASSERT(there(&site, dead));
	site_close(&site);
}

static void what_belongs_to_another_user_stays(void)
{
	struct site site;
	struct told told;

	if (!site_open(&site, SITE_DISK))
		return;
	make_leftover(&site);
	if (chown(path_in(&site, dead), 64123, 64123)) {
		test_skip("chown: %s", strerror(errno));
	} else {
		told = clean(&site);
		CU_ASSERT_EQUAL(told.removed + told.left, 0);
		CU_ASSERT(there(&site, dead));
	}
	site_close(&site);
}

/* ---- tricks with links ---- */

/* A directory outside, with names in it that would be ours. */
static void make_outside(const struct site *site)
{
	make_directory(site, "outside");
	scratch_write(site->directory, "outside/data.0", "precious");
	scratch_write(site->directory, "outside/0000000000ab", "precious");
	make_directory(site, "outside/00000");
}

static void check_outside(const struct site *site)
{
	CU_ASSERT(there(site, "outside/data.0"));
	CU_ASSERT(there(site, "outside/0000000000ab"));
	CU_ASSERT(there(site, "outside/00000"));
}

static void link_from(const struct site *site, const char *to, const char *name)
{
	char target[PATH_MAX];

	snprintf(target, sizeof(target), "%s/%s", site->directory, to);
	CU_ASSERT_EQUAL(symlink(target, path_in(site, name)), 0);
}

static void a_link_named_like_a_leftover_is_not_followed(void)
{
	struct site site;
	struct told told;

	if (!site_open(&site, SITE_DISK))
		return;
	make_outside(&site);
	link_from(&site, "outside", dead);
	told = clean(&site);
	CU_ASSERT_EQUAL(told.removed + told.left, 0);
	CU_ASSERT(there(&site, dead));
	check_outside(&site);
	site_close(&site);
}

static void links_inside_a_leftover_are_removed_and_not_followed(void)
{
	static const char *const names[] = {"data.7", "small/00003", "small/0000000009ab",
					    "small/00000/0000000003"};
	struct site site;
	char path[256];

	if (!site_open(&site, SITE_DISK))
		return;
	make_outside(&site);
	make_leftover(&site);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dead, names[i]);
		link_from(&site, i % 2 ? "outside/data.0" : "outside", path);
	}
	snprintf(path, sizeof(path), "%s/00000", dead);
	link_from(&site, "outside/00000", path);
	CU_ASSERT_EQUAL(clean(&site).removed, 1);
	check_outside(&site);
	site_close(&site);
}

static void a_hard_link_takes_no_more_than_its_name(void)
{
	struct site site;
	struct stat status;
	char path[256], from[PATH_MAX];

	if (!site_open(&site, SITE_DISK))
		return;
	make_outside(&site);
	make_leftover(&site);
	snprintf(path, sizeof(path), "%s/data.5", dead);
	snprintf(from, sizeof(from), "%s/outside/data.0", site.directory);
	CU_ASSERT_EQUAL(link(from, path_in(&site, path)), 0);
	CU_ASSERT_EQUAL(clean(&site).removed, 1);
	CU_ASSERT_EQUAL(stat(from, &status), 0);
	CU_ASSERT_EQUAL(status.st_size, 8);
	site_close(&site);
}

/* ---- targets ---- */

static void check_refused(const char *path, const char *why)
{
	struct target target;
	struct err err = {0};

	CU_ASSERT_EQUAL(target_resolve(&target, path, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, path));
	CU_ASSERT(says(err.text, why));
}

static void targets_that_cannot_be_are_refused_in_words(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	check_refused(path_in(&site, "missing"), "No such file");
	scratch_write(site.directory, "file", "");
	check_refused(path_in(&site, "file"), "neither a directory nor a block device");
	check_refused("/dev/null", "neither a directory nor a block device");
	site_close(&site);
}

static void a_directory_without_leave_to_write_is_refused(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	make_directory(&site, "shut");
	CU_ASSERT_EQUAL(chmod(path_in(&site, "shut"), 0500), 0);
	if (geteuid())
		check_refused(path_in(&site, "shut"), "not writable");
	else if (!seteuid(64123)) {
		CU_ASSERT_EQUAL(chmod(site.directory, 0755), -1);
		check_refused(site.directory, "");
		CU_ASSERT_EQUAL(seteuid(0), 0);
	}
	site_close(&site);
}

static void a_target_is_where_its_links_lead(void)
{
	struct target target;
	struct site site;
	char path[PATH_MAX];

	if (!site_open(&site, SITE_DISK))
		return;
	make_directory(&site, "real");
	link_from(&site, "real", "link");
	CU_ASSERT_EQUAL(target_resolve(&target, path_in(&site, "link"), NULL), 0);
	snprintf(path, sizeof(path), "%s/real", site.directory);
	CU_ASSERT_STRING_EQUAL(target.path, path);
	CU_ASSERT_EQUAL(target.kind, TARGET_DIRECTORY);
	CU_ASSERT_EQUAL(target.work_fd, -1);
	site_close(&site);
}

static const struct test tests[] = {
	{"the private directory is private and empty", it_is_private_and_empty},
	{"direct I/O is found out by a transfer", direct_io_is_found_out_by_a_transfer},
	{"closing leaves no trace", closing_leaves_no_trace},
	{"closing tells of what is not ours and leaves it", closing_tells_of_what_is_not_ours},
	{"what a dead run left is removed and told", what_a_dead_run_left_is_removed_and_told},
	{"what a killed process left is removed, not while it lives",
	 what_a_killed_process_left_is_removed},
	{"what is locked stays", what_is_locked_stays},
	{"what is not ours stays and is told", what_is_not_ours_stays_and_is_told},
	{"names that only look alike are left alone", names_that_only_look_alike_are_left_alone},
	{"what belongs to another user stays", what_belongs_to_another_user_stays},
	{"a link named like a leftover is not followed",
	 a_link_named_like_a_leftover_is_not_followed},
	{"links inside a leftover are removed and not followed",
	 links_inside_a_leftover_are_removed_and_not_followed},
	{"a hard link takes no more than its name", a_hard_link_takes_no_more_than_its_name},
	{"targets that cannot be are refused in words",
	 targets_that_cannot_be_are_refused_in_words},
	{"a directory without leave to write is refused",
	 a_directory_without_leave_to_write_is_refused},
	{"a target is where its links lead", a_target_is_where_its_links_lead},
	{NULL, NULL},
};

const struct suite suite_workspace = {"workspace", tests};
