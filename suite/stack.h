/* SPDX-License-Identifier: MIT */
/*
 * stack.h - what a path or a block device stands on: the filesystem and its mount, and under it
 * every block device down to the disks.
 *
 * A node is a block device, and stands above the nodes that name it as their parent:
 *
 *	ext4  dm-1 (lvm)  dm-0 (crypt)  nvme0n1p3 (partition)  nvme0n1 (disk)
 *
 * The *disks* are the nodes where requests are queued, scheduled and counted: what a sweep sets,
 * what counters.h reads, what the facts of a disk describe. They are
 *   - whole disks that nothing is known to lie under;
 *   - loop devices: what their files stand on is a stack of its own, `backing`, which no one sets;
 *   - a multipath device that queues requests itself (request-based dm): its paths are then none.
 * The paths of a multipath device that does not (NVMe's own, bio-based dm) are disks, several of
 * them for one physical disk: stack_disk_count tells how many there really are.
 *
 * Where nothing can be known (no /sys, a filesystem without a device) there are no nodes; this is
 * no error.
 */
#ifndef ASSAY_SUITE_STACK_H
#define ASSAY_SUITE_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "measurement.h" /* NAME_MAX_BYTES */
#include "roots.h"

enum stack_kind {
	STACK_DISK,
	STACK_PARTITION,
	STACK_LOOP,
	STACK_LVM,
	STACK_CRYPT,
	STACK_DM,        /* any other device mapper target */
	STACK_MD,
	STACK_BCACHE,
	STACK_MULTIPATH, /* one disk reached several ways */
	STACK_PATH,      /* one of the ways */
	STACK_MEMORY     /* zram, brd, null_blk: nothing is kept when the machine stops */
};

/* What in the end holds the data. */
enum stack_medium {
	MEDIUM_UNKNOWN,
	MEDIUM_DISK,
	MEDIUM_MEMORY,  /* tmpfs, ramfs, zram, a loop device whose file lies on one of these */
	MEDIUM_NETWORK, /* nfs, cifs, ceph, ... */
	MEDIUM_HOST,    /* handed in by the hypervisor: 9p, virtiofs, ... */
	MEDIUM_PROGRAM  /* any other FUSE filesystem */
};

struct stack_node {
	char name[NAME_MAX_BYTES];  /* the kernel's, as in /sys/class/block: "nvme0n1p2", "dm-3" */
	char label[NAME_MAX_BYTES]; /* what device mapper calls it: "vg-root", "mpatha"; "" else */
	enum stack_kind kind;
	unsigned major, minor; /* 0:0 for a hidden path */
	int parent;            /* index of the node above; -1: the filesystem stands on it itself */
	bool disk;             /* see above */
	bool backing;          /* belongs to the stack of a loop device's file */
	bool buffered;         /* a loop device that goes through the page cache to its file */
	bool memory;           /* holds its data in memory */
};

/* Texts are the stack's own; NULL where there is none or it is not known. */
struct stack {
	char *path;          /* absolute, links resolved */
	bool device;         /* path is a block device: there is no filesystem */
	char *filesystem;    /* type: "ext4", "btrfs", ... */
	char *mount_point;
	char *mount_source;
	char *mount_root;    /* the directory of the filesystem that is mounted there */
	char *mount_options; /* of the mount and of the filesystem, merged */
	char *upper_filesystem; /* overlay: the type of what takes the writes */
	char *upper_options;
	enum stack_medium medium;
	struct stack_node *nodes; /* each above those that stand under it */
	size_t count;
	struct stack *backing; /* what its loop devices' files stand on; NULL: there are none */
};

/* Finds what path stands on: a directory, a file or a block device; relative paths and links are
 * followed. Fails only when the path itself cannot be looked up (-errno) or on ENOMEM; the stack
 * is then empty. Mounts come from PROC/self/mountinfo (libmount), devices from SYS/dev/block and
 * SYS/class/block. */
int stack_resolve(const struct roots *roots, const char *path, struct stack *stack,
		  struct err *err);
void stack_release(struct stack *stack);

/* How many physical disks there are: a multipath device counts once. 0: not known. */
size_t stack_disk_count(const struct stack *stack);

/* The next disk after the node of that index (-1 to begin with), or -1. */
int stack_next_disk(const struct stack *stack, int after);

/* Whether a queue attribute of this node ("scheduler", "read_ahead_kb") works on the target's
 * load: read-ahead is that of the device the filesystem was mounted from (of a partition: its
 * disk), all others those of the disks. */
bool stack_governs(const struct stack *stack, size_t node, const char *attribute);

/* Writes the node whose model, serial and size are those of this disk: itself, or for a multipath
 * device its first path. */
size_t stack_identity_node(const struct stack *stack, size_t node);

/* The stack on one line: "ext4 on dm-1 (lvm vg-root) on sda2 on sda"; returns text. */
const char *stack_describe(const struct stack *stack, char *text, size_t size);

const char *stack_kind_name(enum stack_kind kind);       /* "disk", "partition", ... */
const char *stack_medium_name(enum stack_medium medium); /* "disk", "memory", ...; NULL: unknown */

#endif
