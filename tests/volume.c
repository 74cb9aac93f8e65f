/* SPDX-License-Identifier: MIT */
/* volume.c - filesystems in images on loop devices. */
#include "tests/volume.h"

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/suites.h"

enum { COMMAND_MAX = 8192 };

#define SBIN "PATH=$PATH:/usr/sbin:/sbin; "

int volume_shell(const char *format, ...)
{
	char command[COMMAND_MAX] = SBIN;
	size_t used = strlen(command);
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command + used, sizeof(command) - used, format, args);
	va_end(args);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool volume_attach(const char *file, const char *options, char loop[NAME_MAX_BYTES])
{
	char command[COMMAND_MAX], device[NAME_MAX_BYTES] = "";
	FILE *output;

	snprintf(command, sizeof(command), SBIN "losetup %s -f --show '%s' 2>/dev/null", options,
		 file);
	output = popen(command, "r");
	if (!output)
		return false;
	if (!fgets(device, sizeof(device), output))
		device[0] = '\0';
	device[strcspn(device, "\n")] = '\0';
	if (pclose(output) || strncmp(device, "/dev/", 5) != 0)
		return false;
	snprintf(loop, NAME_MAX_BYTES, "%s", device + 5);
	return true;
}

void volume_detach(const char *loop)
{
	CU_ASSERT_EQUAL(volume_shell("losetup -d /dev/%s", loop), 0);
}

static bool attach_images(struct volume *volume, unsigned loops)
{
	char file[2 * VOLUME_PATH_MAX];

	for (; volume->count < loops; volume->count++) {
		snprintf(file, sizeof(file), "%s/%u.img", volume->scratch, volume->count);
		if (volume_shell("truncate -s 320M '%s'", file) ||
		    !volume_attach(file, "", volume->loops[volume->count]))
			return false;
	}
	return true;
}

static bool make_filesystem(const struct volume *volume, const char *type)
{
	char devices[2 * NAME_MAX_BYTES + 20] = "";
	size_t used = 0;
	const char *quick = !strcmp(type, "ext4") ? "-q -F -E nodiscard" : "-q -K";

	for (unsigned i = 0; i < volume->count; i++)
		used += (size_t)snprintf(devices + used, sizeof(devices) - used, " /dev/%s",
					 volume->loops[i]);
	return !volume_shell("mkfs.%s %s%s >/dev/null 2>&1", type, quick, devices) &&
	       !volume_shell("mkdir -p '%s' && mount /dev/%s '%s' 2>/dev/null", volume->mount,
			     volume->loops[0], volume->mount);
}

static void discard(struct volume *volume)
{
	for (unsigned i = 0; i < volume->count; i++)
		volume_detach(volume->loops[i]);
	CU_ASSERT_EQUAL(volume_shell("rm -r '%s'", volume->scratch), 0);
}

bool volume_open(struct volume *volume, const char *type, unsigned loops)
{
	memset(volume, 0, sizeof(*volume));
	if (geteuid()) {
		test_skip("loop devices need root");
		return false;
	}
	snprintf(volume->scratch, sizeof(volume->scratch), "/tmp/assay-volume.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(volume->scratch));
	snprintf(volume->mount, sizeof(volume->mount), "%.40s/mount", volume->scratch);
	if (!attach_images(volume, loops))
		test_skip("no loop devices");
	else if (!make_filesystem(volume, type))
		test_skip("no %s here", type);
	else
		return true;
	discard(volume);
	return false;
}

void volume_close(struct volume *volume)
{
	CU_ASSERT_EQUAL(volume_shell("umount '%s'", volume->mount), 0);
	discard(volume);
}
