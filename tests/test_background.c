/* SPDX-License-Identifier: MIT */
/* test_background.c - what goes on on disks by itself: on recorded machines, and here. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "site_fixture.h"
#include "suite/background.h"
#include "suites.h"
#include "tree.h"
#include "volume.h"

/* What is found of a path on a recorded machine whose kernel threads can be seen. */
static struct background look(struct tree *tree, const char *path)
{
	struct background background;
	struct stack stack;

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&tree->roots, path, &stack, NULL), 0);
	background_look(&tree->roots, &stack, &background);
	stack_release(&stack);
	return background;
}

static void set_idle(const struct tree *tree)
{
	tree_write_text(tree, "/proc/2/comm", "kthreadd\n");
}

static void test_array(void)
{
	struct background found;
	struct tree tree;

	tree_open(&tree, "md_raid10");
	set_idle(&tree);
	tree_write_text(&tree, "/sys/devices/virtual/block/md127/md/sync_completed",
			"250 / 1000\n");
	found = look(&tree, "/srv");
	CU_ASSERT_TRUE(says(found.work, "md127 does a check (25 % done)"));
	/* The other array lies on the same disks, and so does the root. */
	CU_ASSERT_TRUE(says(look(&tree, "/boot").work, "md127 does a check"));
	tree_write_text(&tree, "/sys/devices/virtual/block/md127/md/sync_action", "idle\n");
	CU_ASSERT_STRING_EQUAL(look(&tree, "/srv").work, "");
	CU_ASSERT_STRING_EQUAL(look(&tree, "/srv").unseen, "");
	tree_close(&tree);
}

static void test_lazy_init(void)
{
	struct tree tree;

	tree_open(&tree, "md_raid10");
	set_idle(&tree);
	tree_write_text(&tree, "/sys/devices/virtual/block/md127/md/sync_action", "idle\n");
	tree_write_text(&tree, "/proc/77/comm", "ext4lazyinit\n");
	CU_ASSERT_TRUE(says(look(&tree, "/srv").work, "ext4lazyinit"));
	tree_close(&tree);
}

/* In a container without the kernel's threads. */
static void test_hidden(void)
{
	struct tree tree;

	tree_open(&tree, "md_raid10");
	CU_ASSERT_TRUE(says(look(&tree, "/srv").unseen, "kernel threads cannot be seen"));
	tree_close(&tree);
}

static void test_nothing_known(void)
{
	struct background found;
	struct tree tree;

	tree_open(&tree, "container");
	found = look(&tree, "/");
	CU_ASSERT_STRING_EQUAL(found.work, "");
	tree_close(&tree);
}

/* ---- here ------------------------------------------------------------------------------------ */

static struct background watch(const char *path)
{
	struct background background = {0};
	struct stack stack;

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, path, &stack, NULL), 0);
	background_watch(&roots_real, &stack, 200 * NS_PER_MS, NULL, &background);
	stack_release(&stack);
	return background;
}

struct writer {
	char path[200];
	atomic_bool stop;
};

static void *write_on(void *context)
{
	struct writer *writer = context;
	static unsigned char block[1 << 18];
	int fd = open(writer->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	while (fd >= 0 && !atomic_load(&writer->stop))
		if (pwrite(fd, block, sizeof(block), 0) < 0 || fdatasync(fd))
			break;
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* The loop device of the volume is nobody else's; what its disk does is everybody's. */
static void test_writer(void)
{
	struct writer writer = {.stop = false};
	struct background idle, busy;
	struct volume volume;
	pthread_t thread;

	if (!volume_open(&volume, "xfs", 1))
		return;
	volume_shell("sync -f '%s'", volume.mount);
	idle = watch(volume.mount);
	CU_ASSERT_TRUE(idle.watched);
	CU_ASSERT_PTR_NULL(strstr(idle.io, volume.loops[0]));
	snprintf(writer.path, sizeof(writer.path), "%s/file", volume.mount);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, write_on, &writer), 0);
	busy = watch(volume.mount);
	atomic_store(&writer.stop, true);
	pthread_join(thread, NULL);
	CU_ASSERT_TRUE(busy.busy);
	CU_ASSERT_TRUE(says(busy.io, volume.loops[0]));
	volume_close(&volume);
}

static void test_scrub(void)
{
	struct background found;
	struct volume volume;
	struct stack stack;

	if (!volume_open(&volume, "btrfs", 1))
		return;
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, volume.mount, &stack, NULL), 0);
	background_look(&roots_real, &stack, &found);
	CU_ASSERT_PTR_NULL(strstr(found.work, "btrfs"));
	CU_ASSERT_PTR_NULL(strstr(found.unseen, "btrfs"));
	stack_release(&stack);
	volume_close(&volume);
}

static void test_stop(void)
{
	struct background background = {0};
	uint64_t start_ns = clock_now_ns();
	atomic_bool stop = true;
	struct stack stack;

	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, "/", &stack, NULL), 0);
	background_watch(&roots_real, &stack, 10 * NS_PER_S, &stop, &background);
	CU_ASSERT(clock_now_ns() - start_ns < NS_PER_S);
	stack_release(&stack);
}

static const struct test tests[] = {
	{"recorded: the check of an array on the same disks is found, an idle array is none",
	 test_array},
	{"recorded: ext4's lazy initialisation is found", test_lazy_init},
	{"recorded: where kernel threads are hidden that is said", test_hidden},
	{"recorded: where nothing is known nothing is claimed", test_nothing_known},
	{"a writer on the disk shows, an idle disk does not", test_writer},
	{"a btrfs that is not scrubbed is known not to be", test_scrub},
	{"a signal ends the watch", test_stop},
	{NULL, NULL},
};

const struct suite suite_background = {"background", tests};
