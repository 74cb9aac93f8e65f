/* SPDX-License-Identifier: MIT */
/* counters.c - what devices and CPUs did during the timed part. */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribute.h"

enum { SECTOR_BYTES = 512 }; /* of the statistics, whatever the device's blocks are */

/* The fields of a device's stat file, in order (Documentation/block/stat.rst). */
enum stat_field {
	STAT_READS,
	STAT_READ_MERGES,
	STAT_READ_SECTORS,
	STAT_READ_MS,
	STAT_WRITES,
	STAT_WRITE_MERGES,
	STAT_WRITE_SECTORS,
	STAT_WRITE_MS,
	STAT_IN_FLIGHT,
	STAT_BUSY_MS,
	STAT_QUEUE_MS,
	STAT_DISCARDS, /* since Linux 4.18 */
	STAT_DISCARD_MERGES,
	STAT_DISCARD_SECTORS,
	STAT_DISCARD_MS,
	STAT_FLUSHES, /* since Linux 5.5 */
	STAT_FLUSH_MS,
	STAT_FIELDS
};

/* The first line of PROC/stat. */
enum cpu_field {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_FIELDS
};

struct device {
	char name[NAME_MAX_BYTES];
	int fd;
	bool disk, top;
	unsigned fields; /* how many the kernel counts; 0: it cannot be read any more */
	uint64_t start[STAT_FIELDS], sum[STAT_FIELDS];
};

struct counters {
	struct device *devices;
	size_t count;
	int cpu_fd; /* -1: not known */
	unsigned cpu_fields;
	uint64_t cpu_start[CPU_FIELDS], cpu_sum[CPU_FIELDS];
	char gap[300];
};

/* Reads up to max numbers; returns how many there are. */
static unsigned read_numbers(int fd, const char *label, uint64_t *numbers, unsigned max)
{
	char text[1024], *at = text, *end;
	ssize_t got;
	unsigned count = 0;

	do
		got = pread(fd, text, sizeof(text) - 1, 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	if (strncmp(text, label, strlen(label)) != 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	for (at += strlen(label); count < max; at = end) {
		numbers[count] = strtoull(at, &end, 10);
		if (end == at)
			break;
		count++;
	}
	return count;
}

/* ---- opening ------------------------------------------------------------------------------ */

static bool keeps_statistics(const struct roots *roots, const char *name)
{
	int64_t kept;

	return !attribute_integer(&kept, "%s/class/block/%s/queue/iostats", roots->sys, name) ||
	       kept;
}

static void open_device(struct counters *counters, const struct roots *roots,
			const struct stack_node *node)
{
	struct device *device = &counters->devices[counters->count];
	char path[PATH_MAX];

	*device = (struct device){.disk = node->disk, .top = node->parent < 0};
	snprintf(device->name, sizeof(device->name), "%s", node->name);
	snprintf(path, sizeof(path), "%s/class/block/%s/stat", roots->sys, node->name);
	device->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (device->fd >= 0 && keeps_statistics(roots, node->name))
		device->fields = read_numbers(device->fd, "", device->start, STAT_FIELDS);
	if (device->fields <= STAT_QUEUE_MS) {
		snprintf(counters->gap, sizeof(counters->gap), "%s keeps no statistics",
			 node->name);
		device->fields = 0;
	}
	counters->count++;
}

int counters_open(struct counters **counters, const struct roots *roots, const struct stack *stack,
		  struct err *err)
{
	struct counters *opened = calloc(1, sizeof(*opened));
	char path[PATH_MAX];

	if (!opened)
		return err_set(err, -ENOMEM, "open the device's counters: %s", strerror(ENOMEM));
	opened->cpu_fd = -1;
	opened->devices = calloc(stack->count + 1, sizeof(*opened->devices));
	if (!opened->devices) {
		free(opened);
		return err_set(err, -ENOMEM, "open the device's counters: %s", strerror(ENOMEM));
	}
	for (size_t i = 0; i < stack->count; i++)
		if (stack->nodes[i].disk || stack->nodes[i].parent < 0)
			open_device(opened, roots, &stack->nodes[i]);
	if (!opened->count)
		snprintf(opened->gap, sizeof(opened->gap), "no block device under %s is known",
			 stack->path ? stack->path : "the target");
	snprintf(path, sizeof(path), "%s/stat", roots->proc);
	opened->cpu_fd = open(path, O_RDONLY | O_CLOEXEC);
	*counters = opened;
	return 0;
}

void counters_close(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->count; i++)
		if (counters->devices[i].fd >= 0)
			close(counters->devices[i].fd);
	if (counters->cpu_fd >= 0)
		close(counters->cpu_fd);
	free(counters->devices);
	free(counters);
}

/* ---- snapshots ---------------------------------------------------------------------------- */

static bool is_milliseconds(unsigned field)
{
	return field == STAT_READ_MS || field == STAT_WRITE_MS || field == STAT_BUSY_MS ||
	       field == STAT_QUEUE_MS || field == STAT_DISCARD_MS || field == STAT_FLUSH_MS;
}

static void device_start(struct counters *counters, struct device *device)
{
	if (!device->fields)
		return;
	if (read_numbers(device->fd, "", device->start, device->fields) == device->fields)
		return;
	device->fields = 0;
	snprintf(counters->gap, sizeof(counters->gap), "%s can no longer be read", device->name);
}

/* Counts only grow; times are 32 bits wide and wrap. */
static void device_stop(struct counters *counters, struct device *device)
{
	uint64_t now[STAT_FIELDS];

	if (!device->fields)
		return;
	if (read_numbers(device->fd, "", now, device->fields) != device->fields) {
		device->fields = 0;
		snprintf(counters->gap, sizeof(counters->gap), "%s can no longer be read",
			 device->name);
		return;
	}
	for (unsigned i = 0; i < device->fields; i++)
		device->sum[i] += is_milliseconds(i) ? (uint32_t)(now[i] - device->start[i])
						     : now[i] - device->start[i];
}

static unsigned read_cpu(const struct counters *counters, uint64_t *ticks)
{
	return counters->cpu_fd < 0 ? 0 : read_numbers(counters->cpu_fd, "cpu ", ticks, CPU_FIELDS);
}

void counters_start(struct counters *counters)
{
	counters->cpu_fields = read_cpu(counters, counters->cpu_start);
	for (size_t i = 0; i < counters->count; i++)
		device_start(counters, &counters->devices[i]);
}

/* Time waited for I/O may run backwards (proc(5)): it then counts as none. */
void counters_stop(struct counters *counters)
{
	uint64_t now[CPU_FIELDS];

	for (size_t i = 0; i < counters->count; i++)
		device_stop(counters, &counters->devices[i]);
	if (read_cpu(counters, now) != counters->cpu_fields)
		counters->cpu_fields = 0;
	for (unsigned i = 0; i < counters->cpu_fields; i++)
		if (now[i] > counters->cpu_start[i])
			counters->cpu_sum[i] += now[i] - counters->cpu_start[i];
}

void counters_reset(struct counters *counters)
{
	memset(counters->cpu_sum, 0, sizeof(counters->cpu_sum));
	for (size_t i = 0; i < counters->count; i++)
		memset(counters->devices[i].sum, 0, sizeof(counters->devices[i].sum));
}

/* ---- what they say ------------------------------------------------------------------------ */

static void add_use(struct device_use *use, const struct device *device)
{
	use->reads += device->sum[STAT_READS];
	use->read_bytes += device->sum[STAT_READ_SECTORS] * SECTOR_BYTES;
	use->writes += device->sum[STAT_WRITES];
	use->write_bytes += device->sum[STAT_WRITE_SECTORS] * SECTOR_BYTES;
	use->flushes += device->sum[STAT_FLUSHES];
	use->busy_ns += device->sum[STAT_BUSY_MS] * NS_PER_MS;
	use->queue_ns += device->sum[STAT_QUEUE_MS] * NS_PER_MS;
}

static bool has_device(const struct measurement *measurement, const char *name)
{
	for (size_t i = 0; i < measurement->device_count; i++)
		if (!strcmp(measurement->devices[i].name, name))
			return true;
	return false;
}

void counters_add_devices(const struct counters *counters, struct measurement *measurement)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct device *device = &counters->devices[i];

		if (device->disk && device->fields && !has_device(measurement, device->name))
			add_use(measurement_add_device(measurement, device->name), device);
	}
}

static void report_devices(const struct counters *counters, uint64_t elapsed_ns,
			   struct measurement *measurement)
{
	uint64_t queue_ns = 0;
	bool known = false, all = true;

	for (size_t i = 0; i < counters->count; i++) {
		const struct device *device = &counters->devices[i];

		if (!device->disk)
			continue;
		all = all && device->fields;
		if (!device->fields)
			continue;
		known = true;
		queue_ns += device->sum[STAT_QUEUE_MS] * NS_PER_MS;
	}
	counters_add_devices(counters, measurement);
	if (known && all)
		measurement_add_metric(measurement, "all", metric_find("device_queue_depth"),
				       (double)queue_ns / (double)elapsed_ns);
}

static void report_cpu(const struct counters *counters, const char *metric, uint64_t ticks,
		       uint64_t elapsed_ns, struct measurement *measurement)
{
	double busy_ns = (double)ticks * (double)NS_PER_S / (double)sysconf(_SC_CLK_TCK);

	if (counters->cpu_fields == CPU_FIELDS)
		measurement_add_metric(measurement, "all", metric_find(metric),
				       100.0 * busy_ns / (double)elapsed_ns);
}

void counters_report(const struct counters *counters, uint64_t elapsed_ns,
		     struct measurement *measurement)
{
	const uint64_t *sum = counters->cpu_sum;

	if (!elapsed_ns)
		return;
	report_cpu(counters, "cpu_busy",
		   sum[CPU_USER] + sum[CPU_NICE] + sum[CPU_SYSTEM] + sum[CPU_IRQ] +
			   sum[CPU_SOFTIRQ],
		   elapsed_ns, measurement);
	report_cpu(counters, "cpu_iowait", sum[CPU_IOWAIT], elapsed_ns, measurement);
	report_cpu(counters, "cpu_steal", sum[CPU_STEAL], elapsed_ns, measurement);
	report_devices(counters, elapsed_ns, measurement);
}

bool counters_traffic(const struct counters *counters, struct device_use *traffic)
{
	uint64_t flushes = 0;
	bool known = false;

	memset(traffic, 0, sizeof(*traffic));
	for (size_t i = 0; i < counters->count; i++) {
		const struct device *device = &counters->devices[i];

		if (device->top && !device->fields)
			return false;
		known = known || device->top;
		if (device->top)
			add_use(traffic, device);
		if (device->disk)
			flushes += device->sum[STAT_FLUSHES];
	}
	traffic->flushes = flushes;
	return known;
}

bool counters_disks(const struct counters *counters, struct device_use *use)
{
	bool known = false;

	memset(use, 0, sizeof(*use));
	for (size_t i = 0; i < counters->count; i++) {
		const struct device *device = &counters->devices[i];

		if (device->disk && !device->fields)
			return false;
		known = known || device->disk;
		if (device->disk)
			add_use(use, device);
	}
	return known;
}

bool counters_know_flushes(const struct counters *counters)
{
	bool known = false;

	for (size_t i = 0; i < counters->count; i++) {
		if (!counters->devices[i].disk)
			continue;
		known = true;
		if (counters->devices[i].fields <= STAT_FLUSHES)
			return false;
	}
	return known;
}

const char *counters_gap(const struct counters *counters)
{
	return counters->gap[0] ? counters->gap : NULL;
}
