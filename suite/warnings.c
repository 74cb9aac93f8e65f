/* SPDX-License-Identifier: MIT */
/*
 * warnings.c - what is worth minding before a run. Each rule looks at one thing and says what it
 * means for what is going to be measured.
 */
#include "inspection.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

/* Of a filesystem: fuller ones place new files in what gaps are left. */
static const double full_share_most = 0.9;

/* Below this share of the machine's memory its page cache is not what the machine would give. */
static const double memory_share_least = 0.5;

/* A reading through a system call; the bus takes 1 us and more. */
static const double clock_cost_most_ns = 500;

__attribute__((format(printf, 3, 4))) static void warn(struct warnings *warnings, const char *code,
							 const char *format, ...)
{
	struct warning *items = realloc(warnings->items, (warnings->count + 1) * sizeof(*items));
	va_list args;

	if (!items)
		abort();
	warnings->items = items;
	items[warnings->count].code = code;
	va_start(args, format);
	vsnprintf(items[warnings->count++].message, sizeof(items[0].message), format, args);
	va_end(args);
}

void warnings_release(struct warnings *warnings)
{
	free(warnings->items);
	memset(warnings, 0, sizeof(*warnings));
}

/* ---- facts ----------------------------------------------------------------------------------- */

static double number(const struct inspection *inspection, const char *name)
{
	const struct fact *fact = facts_find(&inspection->facts, name);

	if (!fact || fact->kind == FACT_TEXT)
		return 0;
	return fact->kind == FACT_INTEGER ? (double)fact->integer : fact->real;
}

static const char *text(const struct inspection *inspection, const char *name)
{
	const char *found = facts_text(&inspection->facts, name);

	return found ? found : "";
}

static bool is_said(const struct inspection *inspection, const char *name, const char *value)
{
	return !strcmp(text(inspection, name), value);
}

/* Whether one of the options separated by commas. */
static bool has_option(const char *options, const char *option)
{
	size_t length = strlen(option);

	for (const char *at = options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, option, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

/* ---- the filesystem -------------------------------------------------------------------------- */

static void about_mount(struct warnings *warnings, const struct inspection *inspection)
{
	static const char *const off[] = {"nobarrier", "barrier=0"};
	const char *asked = text(inspection, "mount_options");
	const char *in_force = text(inspection, "mount_options_in_force");

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		if (has_option(asked, off[i]) || has_option(in_force, off[i]))
			warn(warnings, "barriers_off",
			     "the filesystem is mounted with %s: syncs do not flush the disk's "
			     "cache, and what they return is not durable",
			     off[i]);
	if (!inspection->stack.device && has_option(asked, "ro"))
		warn(warnings, "read_only", "the filesystem is mounted read-only: nothing can be "
					    "run in it");
	if (facts_text(&inspection->facts, "compression"))
		warn(warnings, "compression",
		     "the filesystem compresses (%s): data that can be compressed (--compressible) "
		     "does not reach the disk as it is",
		     text(inspection, "compression"));
}

static void about_space(struct warnings *warnings, const struct inspection *inspection)
{
	double all = number(inspection, "filesystem_bytes");
	double left = number(inspection, "filesystem_available_bytes");
	double inodes = number(inspection, "filesystem_inodes");
	double used = number(inspection, "filesystem_inodes_used");
	char amount[UNIT_TEXT_MAX];

	if (all > 0 && left < (1 - full_share_most) * all)
		warn(warnings, "nearly_full",
		     "the filesystem is nearly full, %s or %.0f %% are available: new files are "
		     "laid in gaps, and the data set may not fit",
		     unit_format(amount, UNIT_BYTES, left), 100 * left / all);
	if (inodes > 0 && used > full_share_most * inodes)
		warn(warnings, "nearly_full", "%.0f %% of the filesystem's inodes are in use",
		     100 * used / inodes);
}

static void about_direct_io(struct warnings *warnings, const struct inspection *inspection)
{
	if (inspection->direct == DIRECT_REFUSED)
		warn(warnings, "direct_io",
		     "direct I/O is refused here (opening %s): phases that need it are skipped",
		     inspection->direct_file);
	if (is_said(inspection, "filesystem", "btrfs") && !is_said(inspection, "checksums", "no"))
		warn(warnings, "buffered",
		     "btrfs keeps checksums here, and newer kernels then write through the page "
		     "cache even where direct I/O is asked for; a directory with chattr +C has "
		     "none");
}

/* ---- what it stands on ----------------------------------------------------------------------- */

static void about_storage(struct warnings *warnings, const struct inspection *inspection)
{
	const char *medium = stack_medium_name(inspection->stack.medium);

	if (!inspection->has_target)
		return;
	for (const struct stack *stack = &inspection->stack; stack; stack = stack->backing)
		for (size_t i = 0; i < stack->count; i++)
			if (stack->nodes[i].buffered)
				warn(warnings, "loop_buffered",
				     "%s goes through the page cache to its file: its reads may "
				     "never reach a disk (losetup --direct-io=on avoids it)",
				     stack->nodes[i].name);
	if (inspection->stack.medium == MEDIUM_MEMORY)
		warn(warnings, "memory", "the target is memory: nothing in it is durable");
	else if (medium && inspection->stack.medium != MEDIUM_DISK)
		warn(warnings, "not_local",
		     "the target's data is kept elsewhere (%s): no device can be counted, so "
		     "nothing tells caches from storage",
		     medium);
	else if (inspection->gap[0])
		warn(warnings, "uncounted", "%s: what reaches the device cannot be checked",
		     inspection->gap);
	if (number(inspection, "md_degraded") > 0)
		warn(warnings, "degraded", "the array lacks %.0f of its members",
		     number(inspection, "md_degraded"));
	if (facts_text(&inspection->facts, "cgroup_io_max"))
		warn(warnings, "throttled", "the control group limits I/O here: %s",
		     text(inspection, "cgroup_io_max"));
}

static void about_background(struct warnings *warnings, const struct inspection *inspection)
{
	const struct background *background = &inspection->background;

	if (background->busy)
		warn(warnings, "other_io", "others use the disks now: %s", background->io);
	if (background->work[0])
		warn(warnings, "background", "%s: better to wait until that is over",
		     background->work);
	if (background->unseen[0])
		warn(warnings, "unseen", "not looked for: %s", background->unseen);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void about_cpu(struct warnings *warnings, const struct inspection *inspection)
{
	const char *governor = text(inspection, "cpu_governor");
	double load = number(inspection, "load_average"), cpus = number(inspection, "cpu_count");

	if (governor[0] && strcmp(governor, "performance") != 0)
		warn(warnings, "governor",
		     "the CPUs' frequency follows the load (%s): short loads are slower than long "
		     "ones",
		     governor);
	if (is_said(inspection, "power_source", "battery"))
		warn(warnings, "battery", "the machine runs on its battery");
	if (cpus > 0 && load > cpus)
		warn(warnings, "load", "%.1f processes want to run on %.0f CPUs", load, cpus);
	if (number(inspection, "cpu_limit_percent") > 0)
		warn(warnings, "cpu_limit", "the control group allows %.0f %% of one CPU",
		     number(inspection, "cpu_limit_percent"));
	if (number(inspection, "clock_cost_ns") > clock_cost_most_ns)
		warn(warnings, "clock", "reading the clock (%s) takes %.0f ns: fast requests are "
					"measured wrong",
		     text(inspection, "clock_source"), number(inspection, "clock_cost_ns"));
}

static void about_memory(struct warnings *warnings, const struct inspection *inspection)
{
	double limit = number(inspection, "memory_limit_bytes");
	double memory = number(inspection, "memory_bytes");
	char allowed[UNIT_TEXT_MAX], whole[UNIT_TEXT_MAX];

	if (is_said(inspection, "transparent_hugepage", "never"))
		warn(warnings, "small_pages",
		     "the kernel gives no large pages: large requests are split by what memory "
		     "happens to be free, and their rates differ from run to run");
	if (limit > 0 && limit < memory_share_least * memory)
		warn(warnings, "memory_limit",
		     "the control group allows %s of the machine's %s of memory: buffered phases "
		     "have no more page cache than that",
		     unit_format(allowed, UNIT_BYTES, limit),
		     unit_format(whole, UNIT_BYTES, memory));
}

static void about_rights(struct warnings *warnings, const struct inspection *inspection)
{
	if (is_said(inspection, "privileged", "no"))
		warn(warnings, "unprivileged",
		     "without root names stay cached (stat phases are warm), and serial numbers, "
		     "features of filesystems and background work of some are not told");
}

void warnings_find(struct warnings *warnings, const struct inspection *inspection)
{
	memset(warnings, 0, sizeof(*warnings));
	about_mount(warnings, inspection);
	about_space(warnings, inspection);
	about_direct_io(warnings, inspection);
	about_storage(warnings, inspection);
	about_background(warnings, inspection);
	about_cpu(warnings, inspection);
	about_memory(warnings, inspection);
	about_rights(warnings, inspection);
}
