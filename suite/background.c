/* SPDX-License-Identifier: MIT */
/* background.c - what goes on on the disks of a target while nothing of ours does. */
#include "background.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attribute.h"
#include "clock.h"
#include "counters.h"
#include "place.h"
#include "units.h"
#include "words.h"

/* A machine at rest writes its logs and timestamps: some ten KiB every few seconds, in one go. More
 * than a MiB, or a twentieth of the disk's time, is somebody at work. */
enum { IDLE_BYTES = 1 << 20, BUSY_PERCENT = 5 };

/* On a short watch one flush of such a log is a large part of it. */
#define BUSY_LEAST_NS (25 * NS_PER_MS)

#define STEP_NS (100 * NS_PER_MS)

struct look {
	const struct roots *roots;
	const struct stack *stack;
	struct words work, unseen;
};

/* ---- whose disks ----------------------------------------------------------------------------- */

static bool has_disk(const struct stack *stack, const char *name)
{
	for (; stack; stack = stack->backing)
		for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;)
			if (!strcmp(stack->nodes[i].name, name))
				return true;
	return false;
}

static bool share_disks(const struct stack *a, const struct stack *b)
{
	for (; a; a = a->backing)
		for (int i = -1; (i = stack_next_disk(a, i)) >= 0;)
			if (has_disk(b, a->nodes[i].name))
				return true;
	return false;
}

/* Whether what stands at a path stands on disks of the target. */
static bool is_beside(const struct look *look, const char *path)
{
	struct stack other;
	bool beside;

	if (stack_resolve(look->roots, path, &other, NULL))
		return false;
	beside = share_disks(look->stack, &other);
	stack_release(&other);
	return beside;
}

/* ---- ext4 ------------------------------------------------------------------------------------ */

static bool has_comm(const struct roots *roots, const char *process, const char *wanted)
{
	char comm[64];

	return isdigit((unsigned char)process[0]) &&
	       attribute_text(comm, sizeof(comm), "%s/%s/comm", roots->proc, process) &&
	       !strcmp(comm, wanted);
}

struct threads {
	const struct roots *roots;
	bool kernels_seen, lazy_init; /* kthreadd, ext4lazyinit */
};

static bool look_at_process(const char *name, void *context)
{
	struct threads *threads = context;

	threads->kernels_seen |= has_comm(threads->roots, name, "kthreadd");
	threads->lazy_init |= has_comm(threads->roots, name, "ext4lazyinit");
	return true;
}

/* One thread serves all filesystems and does not say which of them it is at. */
static bool is_ext4_beside(const struct look *look)
{
	struct libmnt_table *mounts = place_mounts(look->roots);
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *mount;
	bool beside = false;

	while (mounts && iter && !beside && !mnt_table_next_fs(mounts, iter, &mount)) {
		const char *type = mnt_fs_get_fstype(mount);

		beside = type && !strcmp(type, "ext4") && mnt_fs_get_target(mount) &&
			 is_beside(look, mnt_fs_get_target(mount));
	}
	mnt_free_iter(iter);
	mnt_unref_table(mounts);
	return beside;
}

static void look_at_ext4(struct look *look)
{
	struct threads threads = {.roots = look->roots};

	attribute_each(look_at_process, &threads, "%s", look->roots->proc);
	if (threads.lazy_init && is_ext4_beside(look))
		words_add(&look->work, "ext4 initialises inode tables (ext4lazyinit is at work, "
				       "and an ext4 on these disks is mounted)");
	else if (!threads.lazy_init && !threads.kernels_seen && is_ext4_beside(look))
		words_add(&look->unseen,
			  "ext4's lazy initialisation (kernel threads cannot be seen)");
}

/* ---- md -------------------------------------------------------------------------------------- */

static void say_array(struct look *look, const char *name, const char *action)
{
	unsigned long long done, all;
	char completed[64];

	if (attribute_text(completed, sizeof(completed), "%s/class/block/%s/md/sync_completed",
			   look->roots->sys, name) &&
	    sscanf(completed, "%llu / %llu", &done, &all) == 2 && all)
		words_add(&look->work, "%s does a %s (%.0f %% done)", name, action,
			  100.0 * (double)done / (double)all);
	else
		words_add(&look->work, "%s does a %s", name, action);
}

static bool look_at_array(const char *name, void *context)
{
	struct look *look = context;
	char action[32], path[PATH_MAX];

	if (!attribute_text(action, sizeof(action), "%s/class/block/%s/md/sync_action",
			    look->roots->sys, name) ||
	    !strcmp(action, "idle") || !strcmp(action, "frozen"))
		return true;
	snprintf(path, sizeof(path), "/dev/%s", name);
	if (is_beside(look, path))
		say_array(look, name, action);
	return true;
}

/* ---- btrfs ----------------------------------------------------------------------------------- */

/* The kernel's interface, as far as it is used: <linux/btrfs.h> has a member with the name of a
 * function that is banned here. */
struct fs_info {
	uint64_t max_id; /* of its devices */
	uint8_t rest[1016];
};
struct scrub_progress {
	uint64_t device_id;
	uint8_t rest[1016];
};
#define IOC_FS_INFO _IOR(0x94, 31, struct fs_info)
#define IOC_SCRUB_PROGRESS _IOWR(0x94, 29, struct scrub_progress)

enum scrub { SCRUB_NONE, SCRUB_RUNS, SCRUB_UNSEEN };

static enum scrub find_scrub(const struct roots *roots, const char *mount_point)
{
	struct fs_info info;
	enum scrub scrub = SCRUB_UNSEEN;
	int fd = roots_live(roots) && mount_point
			 ? open(mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			 : -1;

	if (fd >= 0 && !ioctl(fd, IOC_FS_INFO, &info)) {
		scrub = SCRUB_NONE;
		for (uint64_t id = 1; id <= info.max_id && scrub == SCRUB_NONE; id++) {
			struct scrub_progress progress = {.device_id = id};

			if (!ioctl(fd, IOC_SCRUB_PROGRESS, &progress))
				scrub = SCRUB_RUNS;
			else if (errno == EPERM)
				scrub = SCRUB_UNSEEN;
		}
	}
	if (fd >= 0)
		close(fd);
	return scrub;
}

struct pool {
	struct look *look;
	const char *device;
};

/* Balance, resize, replace, ... of the filesystem that the device belongs to. */
static bool look_at_pool(const char *uuid, void *context)
{
	struct pool *pool = context;
	const struct roots *roots = pool->look->roots;
	char operation[64];

	if (!attribute_exists("%s/fs/btrfs/%s/devices/%s", roots->sys, uuid, pool->device))
		return true;
	if (attribute_text(operation, sizeof(operation), "%s/fs/btrfs/%s/exclusive_operation",
			   roots->sys, uuid) &&
	    strcmp(operation, "none") != 0)
		words_add(&pool->look->work, "btrfs does a %s", operation);
	return false;
}

static void look_at_btrfs(struct look *look, const struct stack *stack)
{
	struct pool pool = {.look = look};
	enum scrub scrub;

	if (!stack->filesystem || strcmp(stack->filesystem, "btrfs") != 0 || !stack->count)
		return;
	scrub = find_scrub(look->roots, stack->mount_point);
	if (scrub == SCRUB_RUNS)
		words_add(&look->work, "btrfs does a scrub");
	if (scrub == SCRUB_UNSEEN)
		words_add(&look->unseen, "a scrub of btrfs (only root is told)");
	pool.device = stack->nodes[0].name;
	attribute_each(look_at_pool, &pool, "%s/fs/btrfs", look->roots->sys);
}

void background_look(const struct roots *roots, const struct stack *stack,
		     struct background *background)
{
	struct look look = {
		.roots = roots,
		.stack = stack,
		.work = WORDS(background->work, ", "),
		.unseen = WORDS(background->unseen, "; "),
	};

	background->work[0] = background->unseen[0] = '\0';
	if (!stack->count)
		return;
	look_at_ext4(&look);
	attribute_each(look_at_array, &look, "%s/class/block", roots->sys);
	for (; stack; stack = stack->backing)
		look_at_btrfs(&look, stack);
}

/* ---- counters -------------------------------------------------------------------------------- */

static bool is_busy(const struct device_use *use, uint64_t watched_ns)
{
	return use->read_bytes + use->write_bytes > IDLE_BYTES ||
	       (use->busy_ns > BUSY_LEAST_NS && use->busy_ns * 100 > BUSY_PERCENT * watched_ns);
}

static void say_use(struct words *io, const struct device_use *use, uint64_t watched_ns)
{
	char read[UNIT_TEXT_MAX], written[UNIT_TEXT_MAX];

	words_add(io, "%s read %s and wrote %s in %.2g s, %.0f %% busy", use->name,
		  unit_format(read, UNIT_BYTES, (double)use->read_bytes),
		  unit_format(written, UNIT_BYTES, (double)use->write_bytes),
		  (double)watched_ns / (double)NS_PER_S,
		  100.0 * (double)use->busy_ns / (double)watched_ns);
}

enum { LEVELS_MAX = 8 }; /* of loop devices on files */

/* Opens the counters of the stack and of those below it. */
static unsigned open_levels(const struct roots *roots, const struct stack *stack,
			    struct counters *levels[LEVELS_MAX])
{
	unsigned count = 0;

	for (; stack && count < LEVELS_MAX; stack = stack->backing)
		if (!counters_open(&levels[count], roots, stack, NULL))
			count++;
	return count;
}

static void tell(struct counters *const levels[], unsigned count, uint64_t watched_ns,
		 struct background *background)
{
	struct words io = WORDS(background->io, ", ");
	struct measurement seen;

	measurement_init(&seen, "background");
	for (unsigned i = 0; i < count; i++)
		counters_add_devices(levels[i], &seen);
	background->watched = seen.device_count > 0;
	for (size_t i = 0; i < seen.device_count; i++) {
		if (!is_busy(&seen.devices[i], watched_ns))
			continue;
		background->busy = true;
		say_use(&io, &seen.devices[i], watched_ns);
	}
	measurement_release(&seen);
}

void background_watch(const struct roots *roots, const struct stack *stack, uint64_t watch_ns,
		      const atomic_bool *stop, struct background *background)
{
	struct counters *levels[LEVELS_MAX];
	unsigned count = open_levels(roots, stack, levels);
	uint64_t start_ns = clock_now_ns(), now_ns = start_ns;

	background->watched = background->busy = false;
	background->io[0] = '\0';
	for (unsigned i = 0; i < count; i++)
		counters_start(levels[i]);
	while (now_ns - start_ns < watch_ns && !(stop && atomic_load(stop))) {
		uint64_t left_ns = watch_ns - (now_ns - start_ns);

		clock_sleep_until_ns(now_ns + (left_ns < STEP_NS ? left_ns : STEP_NS));
		now_ns = clock_now_ns();
	}
	for (unsigned i = 0; i < count; i++)
		counters_stop(levels[i]);
	tell(levels, count, now_ns > start_ns ? now_ns - start_ns : 1, background);
	for (unsigned i = 0; i < count; i++)
		counters_close(levels[i]);
}
