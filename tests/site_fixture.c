/* SPDX-License-Identifier: MIT */
/*
 * site_fixture.c - see site_fixture.h.
 */
#include <CUnit/CUnit.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "run.h"
#include "site_fixture.h"
#include "suite/workspace.h"
#include "suites.h"

static bool in_memory(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

bool scratch_directory(enum site_kind kind, char *path, size_t size)
{
	const char *parent = getenv("TMPDIR");

	if (kind == SITE_MEMORY)
		parent = "/dev/shm";
	else if (!parent || !*parent)
		parent = "/tmp";
	if (in_memory(parent) != (kind == SITE_MEMORY)) {
		test_skip("%s is %s memory", parent, kind == SITE_MEMORY ? "not in" : "in");
		return false;
	}
	snprintf(path, size, "%s/assay-site.XXXXXX", parent);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	return true;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status, (void)type, (void)ftw;
	return remove(path);
}

void scratch_directory_remove(const char *path)
{
	CU_ASSERT_EQUAL(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

void scratch_write(const char *directory, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT(fputs(text, file) >= 0);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

bool site_open(struct site *site, enum site_kind kind)
{
	char uuid[UUID_MAX];

	atomic_init(&site->stop, false);
	if (!scratch_directory(kind, site->directory, sizeof(site->directory)))
		return false;
	CU_ASSERT_EQUAL_FATAL(uuid_make(uuid, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(target_resolve(&site->target, site->directory, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(workspace_open(&site->target, uuid, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(fileset_open(&site->fileset, &site->target, 7, &site->stop, NULL), 0);
	return true;
}

void site_close(struct site *site)
{
	fileset_close(site->fileset);
	workspace_close(&site->target, NULL);
	scratch_directory_remove(site->directory);
}

bool says(const char *text, const char *part)
{
	bool found = strstr(text, part);

	if (!found)
		printf("\n    \"%s\"\n    does not say \"%s\"\n", text, part);
	return found;
}
