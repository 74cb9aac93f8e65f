/* SPDX-License-Identifier: MIT */
/*
 * stack.c - what a path or a block device stands on.
 *
 * The filesystem's own device number leads into SYS/dev/block; where that number is anonymous
 * (btrfs, overlay, NFS) the type of the filesystem says where to look instead. From there every
 * step down is one of sysfs: a partition lies in its disk's directory, NVMe's multipath devices
 * have hidden disks named after them, everything stacked (dm, md, bcache, drbd) lists slaves, a
 * loop device names its file.
 */
#include "stack.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "attribute.h"
#include "place.h"

enum { BACKING_DEPTH_MAX = 8 }; /* loop devices on files on loop devices ... */

/* One descent; the first failure (always ENOMEM) ends it. */
struct walk {
	const struct roots *roots;
	struct libmnt_table *mounts;
	struct stack *stack;
	unsigned depth; /* how many loop devices are above */
	bool again;     /* the file of a second loop device joins the stack of the first one's */
	int status;
};

static void add_device(struct walk *walk, const char *name, int parent);
static enum stack_medium add_place(struct walk *walk, const struct place *place);

/* ---- texts -------------------------------------------------------------------------------- */

/* A stack has one text of a kind. Under several loop devices there may be several: what they do
 * not have in common is then forgotten. */
static void set_text(struct walk *walk, char **field, const char *text)
{
	if (walk->again) {
		if (*field && (!text || strcmp(*field, text) != 0)) {
			free(*field);
			*field = NULL;
		}
		return;
	}
	*field = text ? strdup(text) : NULL;
	if (text && !*field)
		walk->status = -ENOMEM;
}

/* ---- nodes -------------------------------------------------------------------------------- */

static int find_node(const struct stack *stack, const char *name)
{
	for (size_t i = 0; i < stack->count; i++)
		if (!strcmp(stack->nodes[i].name, name))
			return (int)i;
	return -1;
}

static int append_node(struct walk *walk, const char *name, int parent)
{
	struct stack *stack = walk->stack;
	struct stack_node *nodes = realloc(stack->nodes, (stack->count + 1) * sizeof(*nodes));
	struct stack_node *node;
	char number[32];

	if (!nodes) {
		walk->status = -ENOMEM;
		return -1;
	}
	stack->nodes = nodes;
	node = &nodes[stack->count];
	*node = (struct stack_node){.parent = parent, .backing = walk->depth > 0};
	snprintf(node->name, sizeof(node->name), "%s", name);
	attribute_text(node->label, sizeof(node->label), "%s/class/block/%s/dm/name",
		       walk->roots->sys, name);
	if (attribute_text(number, sizeof(number), "%s/class/block/%s/dev", walk->roots->sys, name))
		sscanf(number, "%u:%u", &node->major, &node->minor);
	return (int)stack->count++;
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Device mapper says in its uuid who made the device. */
static enum stack_kind mapper_kind(const char *uuid)
{
	static const struct {
		const char *start;
		enum stack_kind kind;
	} makers[] = {
		{"LVM-", STACK_LVM},
		{"CRYPT-", STACK_CRYPT},
		{"mpath-", STACK_MULTIPATH},
		{"part", STACK_PARTITION}, /* kpartx: "part1-mpath-..." */
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (starts_with(uuid, makers[i].start))
			return makers[i].kind;
	return STACK_DM;
}

static bool is_memory(const char *name)
{
	return starts_with(name, "zram") || starts_with(name, "nullb") ||
	       (starts_with(name, "ram") && name[3] >= '0' && name[3] <= '9');
}

static enum stack_kind kind_of(const struct roots *roots, const char *name)
{
	char uuid[256];

	if (attribute_exists("%s/class/block/%s/dm", roots->sys, name)) {
		attribute_text(uuid, sizeof(uuid), "%s/class/block/%s/dm/uuid", roots->sys, name);
		return mapper_kind(uuid);
	}
	if (attribute_exists("%s/class/block/%s/partition", roots->sys, name))
		return STACK_PARTITION;
	if (starts_with(name, "loop"))
		return STACK_LOOP;
	if (attribute_exists("%s/class/block/%s/md", roots->sys, name))
		return STACK_MD;
	if (starts_with(name, "bcache"))
		return STACK_BCACHE;
	return is_memory(name) ? STACK_MEMORY : STACK_DISK;
}

/* ---- one step down ------------------------------------------------------------------------ */

struct below {
	struct walk *walk;
	char name[NAME_MAX_BYTES]; /* of the node above: a copy, nodes move as they grow */
	int parent;
	bool found; /* something lies under it */
};

static bool add_slave(const char *name, void *context)
{
	struct below *below = context;

	below->found = true;
	add_device(below->walk, name, below->parent);
	return !below->walk->status;
}

/* "nvme0c1n2" is a way to "nvme0n2". */
static bool is_path_to(const char *name, const char *head)
{
	unsigned head_subsystem, head_space, subsystem, controller, space;
	int end = 0;

	if (sscanf(head, "nvme%un%u%n", &head_subsystem, &head_space, &end) != 2 || head[end])
		return false;
	end = 0;
	if (sscanf(name, "nvme%uc%un%u%n", &subsystem, &controller, &space, &end) != 3 || name[end])
		return false;
	return subsystem == head_subsystem && space == head_space;
}

static bool add_path(const char *name, void *context)
{
	struct below *below = context;

	return is_path_to(name, below->name) ? add_slave(name, context) : true;
}

/* A partition's directory lies in that of its disk. */
static void add_whole_disk(struct below *below)
{
	const char *sys = below->walk->roots->sys;
	char real[PATH_MAX], *slash;

	if (!attribute_exists("%s/class/block/%s/partition", sys, below->name) ||
	    !attribute_real(real, "%s/class/block/%s", sys, below->name))
		return;
	slash = strrchr(real, '/');
	*slash = '\0';
	slash = strrchr(real, '/');
	if (slash)
		add_slave(slash + 1, below);
}

static void add_below(struct below *below, enum stack_kind kind)
{
	const char *sys = below->walk->roots->sys;

	if (kind == STACK_PARTITION)
		add_whole_disk(below);
	if (kind == STACK_DISK)
		attribute_each(add_path, below, "%s/class/block", sys);
	attribute_each(add_slave, below, "%s/class/block/%s/slaves", sys, below->name);
}

/* A deleted file, or one of another mount namespace, cannot be found: its stack stays empty. */
static void add_backing(struct walk *walk, struct stack_node *loop)
{
	struct walk below = {.roots = walk->roots, .mounts = walk->mounts};
	char file[PATH_MAX];
	struct place place;
	int64_t direct;

	loop->buffered = attribute_integer(&direct, "%s/class/block/%s/loop/dio", walk->roots->sys,
					   loop->name) && !direct;
	if (walk->depth >= BACKING_DEPTH_MAX ||
	    !attribute_text(file, sizeof(file), "%s/class/block/%s/loop/backing_file",
			    walk->roots->sys, loop->name) ||
	    place_find(walk->roots, file, &place, NULL))
		return;
	below.depth = walk->depth + 1;
	below.again = walk->stack->backing != NULL;
	if (!below.again)
		walk->stack->backing = calloc(1, sizeof(*walk->stack->backing));
	below.stack = walk->stack->backing;
	if (!below.stack)
		below.status = -ENOMEM;
	else
		loop->memory = add_place(&below, &place) == MEDIUM_MEMORY;
	walk->status = below.status;
}

/* Request-based device mapper offers schedulers; what does not queues further below. */
static bool queues_requests(const struct walk *walk, const char *name)
{
	char offered[512];

	return attribute_text(offered, sizeof(offered), "%s/class/block/%s/queue/scheduler",
			      walk->roots->sys, name) && strchr(offered, '[');
}

static void settle_paths(struct walk *walk, int index)
{
	struct stack_node *nodes = walk->stack->nodes;
	bool queues = queues_requests(walk, nodes[index].name);

	nodes[index].kind = STACK_MULTIPATH;
	nodes[index].disk = queues;
	for (size_t i = (size_t)index + 1; i < walk->stack->count; i++) {
		if (nodes[i].parent != index)
			continue;
		nodes[i].kind = STACK_PATH;
		nodes[i].disk = !queues;
	}
}

static void add_device(struct walk *walk, const char *name, int parent)
{
	struct below below = {.walk = walk};
	struct stack_node *node;
	enum stack_kind kind;

	if (walk->status || find_node(walk->stack, name) >= 0)
		return;
	below.parent = append_node(walk, name, parent);
	if (below.parent < 0)
		return;
	node = &walk->stack->nodes[below.parent];
	node->kind = kind = kind_of(walk->roots, name);
	node->memory = kind == STACK_MEMORY;
	snprintf(below.name, sizeof(below.name), "%s", node->name);
	if (kind == STACK_LOOP)
		add_backing(walk, node);
	else
		add_below(&below, kind);
	walk->stack->nodes[below.parent].disk = !below.found;
	/* A disk with something under it is the head of its NVMe paths. */
	if (below.found && (kind == STACK_MULTIPATH || kind == STACK_DISK))
		settle_paths(walk, below.parent);
}

/* ---- the filesystem ----------------------------------------------------------------------- */

/* What holds the data of filesystems that have no block device here. */
static enum stack_medium medium_of(const char *type)
{
	static const struct {
		const char *type;
		enum stack_medium medium;
	} media[] = {
		{"tmpfs", MEDIUM_MEMORY},	    {"ramfs", MEDIUM_MEMORY},
		{"devtmpfs", MEDIUM_MEMORY},	    {"hugetlbfs", MEDIUM_MEMORY},
		{"nfs", MEDIUM_NETWORK},	    {"nfs4", MEDIUM_NETWORK},
		{"cifs", MEDIUM_NETWORK},	    {"smb3", MEDIUM_NETWORK},
		{"ceph", MEDIUM_NETWORK},	    {"afs", MEDIUM_NETWORK},
		{"lustre", MEDIUM_NETWORK},	    {"gpfs", MEDIUM_NETWORK},
		{"beegfs", MEDIUM_NETWORK},	    {"glusterfs", MEDIUM_NETWORK},
		{"fuse.sshfs", MEDIUM_NETWORK},	    {"fuse.glusterfs", MEDIUM_NETWORK},
		{"fuse.ceph", MEDIUM_NETWORK},	    {"fuse.ceph-fuse", MEDIUM_NETWORK},
		{"fuse.s3fs", MEDIUM_NETWORK},	    {"9p", MEDIUM_HOST},
		{"virtiofs", MEDIUM_HOST},	    {"vboxsf", MEDIUM_HOST},
		{"fuse.vmhgfs-fuse", MEDIUM_HOST},  {"prl_fs", MEDIUM_HOST},
	};

	for (size_t i = 0; i < sizeof(media) / sizeof(media[0]); i++)
		if (!strcmp(type, media[i].type))
			return media[i].medium;
	if (!strcmp(type, "fuse") || starts_with(type, "fuse."))
		return MEDIUM_PROGRAM;
	return MEDIUM_UNKNOWN;
}

/* The medium of the disks found; memory when all of them are. */
static enum stack_medium medium_of_disks(const struct stack *stack)
{
	enum stack_medium medium = MEDIUM_UNKNOWN;

	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;)
		if (!stack->nodes[i].memory)
			medium = MEDIUM_DISK;
		else if (medium == MEDIUM_UNKNOWN)
			medium = MEDIUM_MEMORY;
	return medium;
}

static void add_device_at(struct walk *walk, const char *path)
{
	char name[NAME_MAX_BYTES];

	if (place_device_at(walk->roots, path, name))
		add_device(walk, name, -1);
}

struct members {
	struct walk *walk;
	const char *device; /* one of those looked for */
};

static bool add_member(const char *name, void *context)
{
	struct members *members = context;

	add_device(members->walk, name, -1);
	return !members->walk->status;
}

static bool add_if_member(const char *uuid, void *context)
{
	struct members *members = context;
	const char *sys = members->walk->roots->sys;

	if (!attribute_exists("%s/fs/btrfs/%s/devices/%s", sys, uuid, members->device))
		return true;
	attribute_each(add_member, members, "%s/fs/btrfs/%s/devices", sys, uuid);
	return false;
}

/* A btrfs names one of its devices as its source; sysfs lists all of them. */
static void add_btrfs(struct walk *walk, const char *source)
{
	char name[NAME_MAX_BYTES];
	struct members members = {.walk = walk, .device = name};

	if (!place_device_at(walk->roots, source, name))
		return;
	attribute_each(add_if_member, &members, "%s/fs/btrfs", walk->roots->sys);
	add_device(walk, name, -1);
}

/* bcachefs names all its devices: "/dev/sda:/dev/sdb". */
static void add_sources(struct walk *walk, const char *sources)
{
	char copy[PATH_MAX], *rest = copy, *source;

	snprintf(copy, sizeof(copy), "%s", sources);
	while ((source = strsep(&rest, ":")))
		add_device_at(walk, source);
}

static bool option_value(struct libmnt_fs *mount, const char *name, char value[PATH_MAX])
{
	char *start;
	size_t length;

	if (mnt_fs_get_option(mount, name, &start, &length) || !start)
		return false;
	snprintf(value, PATH_MAX, "%.*s", (int)length, start);
	return true;
}

static void add_ground(struct walk *walk, const struct place *place, struct libmnt_fs *mount);

/* Finds where an overlay writes. Inside a container its paths are those of another mount
 * namespace; that both directories are there, on one filesystem that is no overlay, says that
 * they are not. */
static bool find_upper(struct walk *walk, struct libmnt_fs *mount, struct place *upper,
		       struct libmnt_fs **upper_mount)
{
	char path[PATH_MAX];
	struct place work;

	if (!option_value(mount, "workdir", path) || place_find(walk->roots, path, &work, NULL) ||
	    !option_value(mount, "upperdir", path) || place_find(walk->roots, path, upper, NULL) ||
	    upper->major != work.major || upper->minor != work.minor)
		return false;
	*upper_mount = place_mount(walk->mounts, upper);
	return *upper_mount && strcmp(mnt_fs_get_fstype(*upper_mount), "overlay") != 0;
}

static void add_overlay(struct walk *walk, struct libmnt_fs *mount)
{
	struct libmnt_fs *upper_mount;
	struct place upper;

	if (!find_upper(walk, mount, &upper, &upper_mount))
		return;
	set_text(walk, &walk->stack->upper_filesystem, mnt_fs_get_fstype(upper_mount));
	set_text(walk, &walk->stack->upper_options, mnt_fs_get_options(upper_mount));
	add_ground(walk, &upper, upper_mount);
}

/* XFS may keep its log, and its files, on devices of their own. */
static void add_side_devices(struct walk *walk, struct libmnt_fs *mount)
{
	static const char *const options[] = {"logdev", "rtdev"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (option_value(mount, options[i], path))
			add_device_at(walk, path);
}

/* The devices a filesystem stands on itself. mount may be NULL. */
static void add_ground(struct walk *walk, const struct place *place, struct libmnt_fs *mount)
{
	const char *type = mount ? mnt_fs_get_fstype(mount) : "";
	const char *source = mount ? mnt_fs_get_source(mount) : NULL;
	dev_t device = makedev(place->major, place->minor);
	char name[NAME_MAX_BYTES];

	if (!device && mount)
		device = mnt_fs_get_devno(mount);
	if (major(device) && place_device_name(walk->roots, major(device), minor(device), name))
		add_device(walk, name, -1);
	else if (!strcmp(type, "overlay"))
		add_overlay(walk, mount);
	else if (!strcmp(type, "btrfs") && source)
		add_btrfs(walk, source);
	else if (source)
		add_sources(walk, source);
	if (mount)
		add_side_devices(walk, mount);
}

/* Adds what a place stands on, and says what holds its data. */
static enum stack_medium add_place(struct walk *walk, const struct place *place)
{
	struct stack *stack = walk->stack;
	struct libmnt_fs *mount = NULL;
	const char *type = NULL;
	enum stack_medium medium;

	if (!place->block && walk->mounts)
		mount = place_mount(walk->mounts, place);
	if (mount)
		type = mnt_fs_get_fstype(mount);
	stack->device = place->block;
	set_text(walk, &stack->path, place->path);
	set_text(walk, &stack->filesystem, type);
	set_text(walk, &stack->mount_point, mount ? mnt_fs_get_target(mount) : NULL);
	set_text(walk, &stack->mount_source, mount ? mnt_fs_get_source(mount) : NULL);
	set_text(walk, &stack->mount_root, mount ? mnt_fs_get_root(mount) : NULL);
	set_text(walk, &stack->mount_options, mount ? mnt_fs_get_options(mount) : NULL);
	add_ground(walk, place, mount);
	medium = medium_of(stack->upper_filesystem ? stack->upper_filesystem : type ? type : "");
	if (medium == MEDIUM_UNKNOWN)
		medium = medium_of_disks(stack);
	stack->medium = walk->again && stack->medium != medium ? MEDIUM_UNKNOWN : medium;
	return medium;
}

int stack_resolve(const struct roots *roots, const char *path, struct stack *stack, struct err *err)
{
	struct walk walk = {.roots = roots, .stack = stack};
	struct place place;
	int status;

	memset(stack, 0, sizeof(*stack));
	status = place_find(roots, path, &place, err);
	if (status)
		return status;
	walk.mounts = place_mounts(roots);
	add_place(&walk, &place);
	mnt_unref_table(walk.mounts);
	if (!walk.status)
		return 0;
	stack_release(stack);
	return err_set(err, walk.status, "find what %s stands on: %s", path,
		       strerror(-walk.status));
}

void stack_release(struct stack *stack)
{
	if (stack->backing)
		stack_release(stack->backing);
	free(stack->backing);
	free(stack->nodes);
	free(stack->path);
	free(stack->filesystem);
	free(stack->mount_point);
	free(stack->mount_source);
	free(stack->mount_root);
	free(stack->mount_options);
	free(stack->upper_filesystem);
	free(stack->upper_options);
	memset(stack, 0, sizeof(*stack));
}
