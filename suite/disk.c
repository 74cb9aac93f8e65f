/* SPDX-License-Identifier: MIT */
/*
 * disk.c - what a disk is and how its queue is set. SCSI cuts models to 16 and firmware to 4
 * characters; the vital product data pages have more: page 0x80 the serial number, page 0x89 what
 * an ATA disk says of itself.
 */
#include "disk.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "cgroup.h"
#include "filefact.h"

/* Below SYS/class/block/NAME. */
static const struct filefact queue_facts[] = {
	{"device_number", "dev", FORM_TEXT, 0},
	{"device_size_bytes", "size", FORM_NATURAL, 512},
	{"rotational", "queue/rotational", FORM_INTEGER, 0},
	{"logical_block_bytes", "queue/logical_block_size", FORM_POSITIVE, 0},
	{"physical_block_bytes", "queue/physical_block_size", FORM_POSITIVE, 0},
	{"minimum_io_bytes", "queue/minimum_io_size", FORM_POSITIVE, 0},
	{"optimal_io_bytes", "queue/optimal_io_size", FORM_POSITIVE, 0},
	{"alignment_offset_bytes", "alignment_offset", FORM_POSITIVE, 0},
	{"zoned", "queue/zoned", FORM_TEXT, 0},
	{"dax", "queue/dax", FORM_INTEGER, 0},
	{"scheduler", "queue/scheduler", FORM_CHOICE, 0},
	{"schedulers", "queue/scheduler", FORM_CHOICES, 0},
	{"nr_requests", "queue/nr_requests", FORM_POSITIVE, 0},
	{"read_ahead_kb", "queue/read_ahead_kb", FORM_NATURAL, 0},
	{"max_sectors_kb", "queue/max_sectors_kb", FORM_POSITIVE, 0},
	{"max_hw_sectors_kb", "queue/max_hw_sectors_kb", FORM_POSITIVE, 0},
	{"max_segments", "queue/max_segments", FORM_POSITIVE, 0},
	{"nomerges", "queue/nomerges", FORM_INTEGER, 0},
	{"rq_affinity", "queue/rq_affinity", FORM_INTEGER, 0},
	{"wbt_lat_usec", "queue/wbt_lat_usec", FORM_INTEGER, 0},
	{"write_cache", "queue/write_cache", FORM_TEXT, 0},
	{"fua", "queue/fua", FORM_INTEGER, 0},
	{"io_poll", "queue/io_poll", FORM_INTEGER, 0},
	{"io_poll_delay", "queue/io_poll_delay", FORM_INTEGER, 0},
	{"io_timeout", "queue/io_timeout", FORM_POSITIVE, 0},
	{"iostats", "queue/iostats", FORM_INTEGER, 0},
	{"add_random", "queue/add_random", FORM_INTEGER, 0},
	{"discard_granularity_bytes", "queue/discard_granularity", FORM_POSITIVE, 0},
	{"discard_max_bytes", "queue/discard_max_bytes", FORM_NATURAL, 0},
	{"write_zeroes_max_bytes", "queue/write_zeroes_max_bytes", FORM_NATURAL, 0},
	{"stable_writes", "queue/stable_writes", FORM_INTEGER, 0},
	{"read_only", "ro", FORM_INTEGER, 0},
	{"loop_file", "loop/backing_file", FORM_TEXT, 0},
	{"loop_direct_io", "loop/dio", FORM_INTEGER, 0},
	{NULL, NULL, FORM_TEXT, 0},
};

/* Likewise, of the node that says what the disk is; SCSI, NVMe, MMC and virtio differ. */
static const struct filefact identity_facts[] = {
	{"device_vendor", "device/vendor", FORM_TEXT, 0},
	{"device_model", "device/model", FORM_TEXT, 0},
	{"device_model", "device/name", FORM_TEXT, 0},
	{"device_serial", "device/serial", FORM_TEXT, 0},
	{"device_serial", "serial", FORM_TEXT, 0},
	{"device_firmware", "device/firmware_rev", FORM_TEXT, 0},
	{"device_firmware", "device/fwrev", FORM_TEXT, 0},
	{"device_firmware", "device/rev", FORM_TEXT, 0},
	{"device_wwid", "wwid", FORM_TEXT, 0},
	{"device_wwid", "device/wwid", FORM_TEXT, 0},
	{"device_transport", "device/transport", FORM_TEXT, 0}, /* NVMe */
	{"queue_depth", "device/queue_depth", FORM_POSITIVE, 0},
	{"queue_depth", "mq/0/nr_tags", FORM_POSITIVE, 0},
	{NULL, NULL, FORM_TEXT, 0},
};

/* ---- what SCSI says at greater length ----------------------------------------------------- */

/* Sets a fact from bytes that blanks surround; ATA swaps the two of each word. */
static void set_bytes(struct facts *facts, const char *name, const unsigned char *bytes,
		      size_t length, bool swapped)
{
	char text[256];

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	for (size_t i = 0; i < length; i++)
		text[i] = (char)bytes[swapped ? i ^ 1 : i];
	text[length] = '\0';
	attribute_trim(text);
	for (const char *at = text; *at; at++)
		if (!isprint((unsigned char)*at))
			return;
	if (text[0])
		facts_set_text(facts, name, text);
}

/* Page 0x89 holds the ATA identity from byte 60; its words 10, 23 and 27 begin the texts. */
static void scsi_facts(const char *directory, struct facts *facts)
{
	enum { HEADER = 4, IDENTITY = 60, SERIAL = 20, FIRMWARE = 46, MODEL = 54, PAGE = 572 };
	unsigned char page[PAGE];
	ssize_t got = attribute_bytes(page, sizeof(page), "%s/device/vpd_pg80", directory);

	if (got > HEADER)
		set_bytes(facts, "device_serial", page + HEADER, (size_t)got - HEADER, false);
	if (attribute_bytes(page, sizeof(page), "%s/device/vpd_pg89", directory) != PAGE)
		return;
	set_bytes(facts, "device_serial", page + IDENTITY + SERIAL, 20, true);
	set_bytes(facts, "device_firmware", page + IDENTITY + FIRMWARE, 8, true);
	set_bytes(facts, "device_model", page + IDENTITY + MODEL, 40, true);
}

/* ---- how it is attached ------------------------------------------------------------------- */

static const char *transport_of(const char *name, const char *real)
{
	static const struct {
		const char *part, *transport;
	} parts[] = {
		{"/session", "iscsi"},	 {"/rport-", "fc"},   {"/end_device-", "sas"},
		{"/usb", "usb"},	 {"/ata", "ata"},     {"/virtio", "virtio"},
		{"/mmc_host", "mmc"},	 {"/vbd-", "xen"},    {"/VMBUS", "vmbus"},
		{"/nvme-fabrics", "fabrics"}, {"/vmbus", "vmbus"},
	};
	static const char *const networks[] = {"nbd", "rbd", "drbd"};

	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		if (!strncmp(name, networks[i], strlen(networks[i])))
			return networks[i];
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(real, parts[i].part))
			return parts[i].transport;
	return NULL;
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

/* nvme, ssd, hdd, virtual, loop, memory, network; NULL where the kernel is not to be believed. */
static const char *kind_of(const struct stack_node *node, const struct facts *facts)
{
	static const char *const networks[] = {"tcp", "rdma", "iscsi", "nbd", "rbd", "drbd", NULL};
	static const char *const virtuals[] = {"virtio", "xen", "vmbus", NULL};
	static const char *const vendors[] = {"QEMU", "VMware", "Msft", "VBOX", "Google", NULL};
	const char *transport = facts_text(facts, "device_transport");
	const char *vendor = facts_text(facts, "device_vendor");
	const struct fact *rotational = facts_find(facts, "rotational");

	if (node->kind == STACK_LOOP || node->kind == STACK_MEMORY)
		return stack_kind_name(node->kind);
	if (transport && is_one_of(transport, networks))
		return "network";
	if ((transport && is_one_of(transport, virtuals)) || (vendor && is_one_of(vendor, vendors)))
		return "virtual";
	if (!strncmp(node->name, "nvme", 4))
		return "nvme";
	if (!rotational)
		return NULL;
	return rotational->integer ? "hdd" : "ssd";
}

/* Goes one device up; false at the top. */
static bool climb(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	return slash && strstr(path, "/devices/");
}

/* The driver of the nearest device, itself included, that has one of its own: every SCSI disk has
 * sd, its adapter's driver says more. */
static bool find_driver(const char *device, char *driver, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", device);
	do
		if (attribute_link_name(driver, size, "%s/driver", path) &&
		    strcmp(driver, "sd") != 0)
			return true;
	while (climb(path));
	return false;
}

static bool find_numa_node(const char *device, int64_t *node)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", device);
	do
		if (attribute_integer(node, "%s/numa_node", path))
			return *node >= 0;
	while (climb(path));
	return false;
}

static void attachment_facts(const char *directory, const char *name, struct facts *facts)
{
	char device[PATH_MAX], driver[64];
	int64_t node;
	bool attached = attribute_real(device, "%s/device", directory);

	if (!facts_find(facts, "device_transport"))
		facts_set_text(facts, "device_transport", transport_of(name, device));
	if (attached && find_driver(device, driver, sizeof(driver)))
		facts_set_text(facts, "device_driver", driver);
	if (attached && find_numa_node(device, &node))
		facts_set_integer(facts, "numa_node", node);
}

/* PCI numbers are no vendor's name, and "ATA" is no vendor. */
static void drop_empty_vendor(struct facts *facts)
{
	const char *vendor = facts_text(facts, "device_vendor");

	if (vendor && (!strncmp(vendor, "0x", 2) || !strcmp(vendor, "ATA")))
		facts_remove(facts, "device_vendor");
}

/* ---- all of it ---------------------------------------------------------------------------- */

struct tunables {
	const char *directory;
	struct facts *facts;
};

/* A scheduler's own tunables: `scheduler.read_expire`. */
static bool set_tunable(const char *name, void *context)
{
	struct tunables *tunables = context;
	char fact[300];
	int64_t value;

	snprintf(fact, sizeof(fact), "scheduler.%s", name);
	if (attribute_integer(&value, "%s/queue/iosched/%s", tunables->directory, name))
		facts_set_integer(tunables->facts, fact, value);
	return true;
}

static void scheduler_facts(const char *directory, struct facts *facts)
{
	struct tunables tunables = {.directory = directory, .facts = facts};

	attribute_each(set_tunable, &tunables, "%s/queue/iosched", directory);
}

static void identity_of(const struct roots *roots, const struct stack_node *node,
			struct facts *facts)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s/class/block/%s", roots->sys, node->name);
	filefacts_set(facts, directory, identity_facts);
	scsi_facts(directory, facts);
	attachment_facts(directory, node->name, facts);
	drop_empty_vendor(facts);
}

void disk_facts(const struct roots *roots, const struct stack *stack, size_t node,
		struct facts *facts)
{
	const struct stack_node *disk = &stack->nodes[node];
	char directory[PATH_MAX], latency[64];
	size_t queues;

	snprintf(directory, sizeof(directory), "%s/class/block/%s", roots->sys, disk->name);
	facts_set_text(facts, "device", disk->name);
	filefacts_set(facts, directory, queue_facts);
	identity_of(roots, &stack->nodes[stack_identity_node(stack, node)], facts);
	facts_set_text(facts, "device_kind", kind_of(disk, facts));
	queues = attribute_count("%s/mq", directory);
	if (queues)
		facts_set_integer(facts, "queue_count", (int64_t)queues);
	scheduler_facts(directory, facts);
	if (cgroup_io_latency(roots, disk->major, disk->minor, latency, sizeof(latency)))
		facts_set_text(facts, "cgroup_io_latency", latency);
}
