/* SPDX-License-Identifier: MIT */
/* environment.c - what the machine is, and the state it is in. */
#include "environment.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <libaio.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#include "archive.h"
#include "attribute.h"
#include "cgroup.h"
#include "clock.h"
#include "filefact.h"
#include "virtualization.h"
#include "words.h"

/* Below PROC. */
static const struct filefact proc_facts[] = {
	{"host", "sys/kernel/hostname", FORM_TEXT, 0},
	{"kernel", "sys/kernel/osrelease", FORM_TEXT, 0},
	{"kernel_version", "sys/kernel/version", FORM_TEXT, 0},
	{"architecture", "sys/kernel/arch", FORM_TEXT, 0},
	{"boot_id", "sys/kernel/random/boot_id", FORM_TEXT, 0},
	{"vm.dirty_background_bytes", "sys/vm/dirty_background_bytes", FORM_INTEGER, 0},
	{"vm.dirty_background_ratio", "sys/vm/dirty_background_ratio", FORM_INTEGER, 0},
	{"vm.dirty_bytes", "sys/vm/dirty_bytes", FORM_INTEGER, 0},
	{"vm.dirty_ratio", "sys/vm/dirty_ratio", FORM_INTEGER, 0},
	{"vm.dirty_expire_centisecs", "sys/vm/dirty_expire_centisecs", FORM_INTEGER, 0},
	{"vm.dirty_writeback_centisecs", "sys/vm/dirty_writeback_centisecs", FORM_INTEGER, 0},
	{"vm.swappiness", "sys/vm/swappiness", FORM_INTEGER, 0},
	{"vm.vfs_cache_pressure", "sys/vm/vfs_cache_pressure", FORM_INTEGER, 0},
	{"vm.min_free_kbytes", "sys/vm/min_free_kbytes", FORM_INTEGER, 0},
	{"vm.zone_reclaim_mode", "sys/vm/zone_reclaim_mode", FORM_INTEGER, 0},
	{"vm.overcommit_memory", "sys/vm/overcommit_memory", FORM_INTEGER, 0},
	{"vm.nr_hugepages", "sys/vm/nr_hugepages", FORM_INTEGER, 0},
	{"aio_max_nr", "sys/fs/aio-max-nr", FORM_INTEGER, 0},
	{"io_uring_disabled", "sys/kernel/io_uring_disabled", FORM_INTEGER, 0},
	{"load_average", "loadavg", FORM_REAL, 0},
	{NULL, NULL, FORM_TEXT, 0},
};

/* Below SYS. */
static const struct filefact sys_facts[] = {
	{"clock_source", "devices/system/clocksource/clocksource0/current_clocksource", FORM_TEXT,
	 0},
	{"cpu_boost", "devices/system/cpu/cpufreq/boost", FORM_INTEGER, 0},
	{"transparent_hugepage", "kernel/mm/transparent_hugepage/enabled", FORM_CHOICE, 0},
	{NULL, NULL, FORM_TEXT, 0},
};

static void set_yes_no(struct facts *facts, const char *name, bool yes)
{
	facts_set_text(facts, name, yes ? "yes" : "no");
}

/* ---- the machine -------------------------------------------------------------------------- */

static void machine_facts(const struct roots *roots, struct facts *facts)
{
	char vendor[128], product[128], both[260];

	facts_set_text(facts, "virtualization", virtualization_hypervisor(roots));
	facts_set_text(facts, "container", virtualization_container(roots));
	if (attribute_text(product, sizeof(product), "%s/class/dmi/id/product_name", roots->sys)) {
		attribute_text(vendor, sizeof(vendor), "%s/class/dmi/id/sys_vendor", roots->sys);
		snprintf(both, sizeof(both), "%s%s%s", vendor, vendor[0] ? " " : "", product);
		facts_set_text(facts, "machine_model", both);
	} else if (attribute_text(product, sizeof(product), "%s/device-tree/model", roots->proc)) {
		facts_set_text(facts, "machine_model", product);
	}
}

static void distribution_fact(const struct roots *roots, struct facts *facts)
{
	static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
	char name[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = attribute_file("%s%s", roots->root ? roots->root : "", files[i]);
		bool found = text && attribute_field(text, "PRETTY_NAME", name, sizeof(name));

		free(text);
		if (!found)
			continue;
		facts_set_text(facts, "distribution", name);
		return;
	}
}

/* What is another at every boot, or with every kernel, says nothing; what follows "--" is the first
 * process's. */
static void command_line_fact(const struct roots *roots, struct facts *facts)
{
	static const char *const others[] = {"BOOT_IMAGE=", "initrd=", "root=", "resume="};
	char text[4096], kept[4096] = "", *rest = text, *word;
	struct words words = WORDS(kept, " ");

	if (!attribute_text(text, sizeof(text), "%s/cmdline", roots->proc))
		return;
	while ((word = strsep(&rest, " ")) && strcmp(word, "--") != 0) {
		bool other = !word[0];

		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			other = other || !strncmp(word, others[i], strlen(others[i]));
		if (!other)
			words_add(&words, "%s", word);
	}
	facts_set_text(facts, "kernel_command_line", kept);
}

/* ---- the CPU ------------------------------------------------------------------------------ */

static void model_facts(const struct roots *roots, struct facts *facts)
{
	static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu"};
	char *text = attribute_file("%s/cpuinfo", roots->proc), value[256];
	bool found = false;

	for (size_t i = 0; text && !found && i < sizeof(keys) / sizeof(keys[0]); i++) {
		found = attribute_field(text, keys[i], value, sizeof(value));
		if (found)
			facts_set_text(facts, "cpu_model", value);
	}
	if (text && attribute_field(text, "microcode", value, sizeof(value)))
		facts_set_text(facts, "cpu_microcode", value);
	free(text);
}

/* How many CPUs a list such as "0-3,8" names. */
static size_t count_list(const char *list)
{
	size_t count = 0;

	while (list && *list) {
		unsigned first, last;
		int fields = sscanf(list, "%u-%u", &first, &last);

		if (fields < 1)
			break;
		count += fields == 2 && last >= first ? last - first + 1 : 1;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return count;
}

static void count_list_fact(const struct roots *roots, const char *file, const char *fact,
			    struct facts *facts)
{
	char list[4096];
	size_t count;

	if (!attribute_text(list, sizeof(list), "%s/%s", roots->sys, file))
		return;
	count = count_list(list);
	if (count)
		facts_set_integer(facts, fact, (int64_t)count);
}

/* One attribute of every CPU: its value where all agree, and how high it goes as a number. */
struct common {
	const struct roots *roots;
	const char *file;
	char value[128];
	int64_t highest;
	bool found, differs;
};

static bool compare_cpu(const char *name, void *context)
{
	struct common *common = context;
	char value[128];
	int index, end = 0;

	if (sscanf(name, "cpu%d%n", &index, &end) != 1 || name[end] ||
	    !attribute_text(value, sizeof(value), "%s/devices/system/cpu/%s/%s", common->roots->sys,
			    name, common->file))
		return true;
	common->differs = common->differs || (common->found && strcmp(value, common->value) != 0);
	common->found = true;
	if (strtoll(value, NULL, 10) > common->highest)
		common->highest = strtoll(value, NULL, 10);
	memcpy(common->value, value, sizeof(common->value));
	return true;
}

static struct common compare_cpus(const struct roots *roots, const char *file)
{
	struct common common = {.roots = roots, .file = file, .highest = -1};

	attribute_each(compare_cpu, &common, "%s/devices/system/cpu", roots->sys);
	return common;
}

static void common_fact(const struct roots *roots, const char *file, const char *fact,
			struct facts *facts)
{
	struct common common = compare_cpus(roots, file);

	if (common.found && !common.differs)
		facts_set_text(facts, fact, common.value);
}

struct flaws {
	const struct roots *roots;
	struct words names;
};

static bool add_mitigated(const char *name, void *context)
{
	struct flaws *flaws = context;
	char state[256];

	if (attribute_text(state, sizeof(state), "%s/devices/system/cpu/vulnerabilities/%s",
			   flaws->roots->sys, name) &&
	    !strncmp(state, "Mitigation", 10))
		words_add(&flaws->names, "%s", name);
	return true;
}

static void mitigation_fact(const struct roots *roots, struct facts *facts)
{
	char names[1024] = "none";
	struct flaws flaws = {.roots = roots, .names = WORDS(names, " ")};

	if (!attribute_exists("%s/devices/system/cpu/vulnerabilities", roots->sys))
		return;
	attribute_each(add_mitigated, &flaws, "%s/devices/system/cpu/vulnerabilities", roots->sys);
	facts_set_text(facts, "cpu_mitigations", names);
}

static void cpu_facts(const struct roots *roots, struct facts *facts)
{
	struct common packages = compare_cpus(roots, "topology/physical_package_id");
	int64_t no_turbo;

	model_facts(roots, facts);
	count_list_fact(roots, "devices/system/cpu/online", "cpu_count", facts);
	if (!facts_find(facts, "cpu_count") && roots_live(roots))
		facts_set_integer(facts, "cpu_count", sysconf(_SC_NPROCESSORS_ONLN));
	count_list_fact(roots, "devices/system/cpu/cpu0/topology/thread_siblings_list",
			"cpu_threads_per_core", facts);
	count_list_fact(roots, "devices/system/node/has_memory", "numa_nodes", facts);
	if (packages.found && packages.highest >= 0)
		facts_set_integer(facts, "cpu_sockets", packages.highest + 1);
	common_fact(roots, "cpufreq/scaling_governor", "cpu_governor", facts);
	common_fact(roots, "cpufreq/scaling_driver", "cpu_driver", facts);
	if (!facts_find(facts, "cpu_boost") &&
	    attribute_integer(&no_turbo, "%s/devices/system/cpu/intel_pstate/no_turbo", roots->sys))
		facts_set_integer(facts, "cpu_boost", !no_turbo);
	mitigation_fact(roots, facts);
}

/* ---- memory ------------------------------------------------------------------------------- */

static bool meminfo_bytes(const char *text, const char *key, int64_t *bytes)
{
	char value[64];

	if (!text || !attribute_field(text, key, value, sizeof(value)))
		return false;
	*bytes = strtoll(value, NULL, 10) * 1024;
	return true;
}

static void memory_facts(const struct roots *roots, struct facts *facts)
{
	static const struct {
		const char *key, *fact;
	} amounts[] = {
		{"MemTotal", "memory_bytes"},	{"MemAvailable", "memory_available_bytes"},
		{"Cached", "memory_cached_bytes"}, {"SwapTotal", "swap_bytes"},
	};
	char *text = attribute_file("%s/meminfo", roots->proc);
	int64_t bytes, free_bytes;

	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		if (meminfo_bytes(text, amounts[i].key, &bytes))
			facts_set_integer(facts, amounts[i].fact, bytes);
	if (meminfo_bytes(text, "SwapTotal", &bytes) &&
	    meminfo_bytes(text, "SwapFree", &free_bytes))
		facts_set_integer(facts, "swap_used_bytes", bytes - free_bytes);
	free(text);
}

uint64_t environment_memory_bytes(const struct roots *roots)
{
	char *text = attribute_file("%s/meminfo", roots->proc);
	uint64_t limit = cgroup_memory_limit_bytes(roots);
	int64_t total;
	bool known = meminfo_bytes(text, "MemTotal", &total);

	free(text);
	if (known && (uint64_t)total < limit)
		return (uint64_t)total;
	return limit == UINT64_MAX ? 0 : limit;
}

/* A limit above what the machine has is none. */
static void limit_facts(const struct roots *roots, struct facts *facts)
{
	uint64_t limit = cgroup_memory_limit_bytes(roots), usable = environment_memory_bytes(roots);
	struct cgroup group;
	double percent;
	int64_t weight;

	if (usable)
		facts_set_integer(facts, "memory_usable_bytes", (int64_t)usable);
	if (limit != UINT64_MAX && limit == usable)
		facts_set_integer(facts, "memory_limit_bytes", (int64_t)limit);
	if (cgroup_cpu_limit_percent(roots, &percent))
		facts_set_real(facts, "cpu_limit_percent", percent);
	if (cgroup_io_weight(roots, &weight))
		facts_set_integer(facts, "cgroup_io_weight", weight);
	if (!cgroup_find(roots, "io", &group) && !cgroup_find(roots, "memory", &group))
		return;
	facts_set_text(facts, "cgroup", group.path);
	facts_set_integer(facts, "cgroup_version", group.version);
}

/* ---- clock and state ---------------------------------------------------------------------- */

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* The median of back-to-back readings: interrupts and preemption fall out of it. */
static double clock_cost_ns(void)
{
	enum { READINGS = 2001 };
	uint64_t cost_ns[READINGS];

	for (int i = 0; i < READINGS; i++) {
		uint64_t start_ns = clock_now_ns();

		cost_ns[i] = clock_now_ns() - start_ns;
	}
	qsort(cost_ns, READINGS, sizeof(cost_ns[0]), compare_ns);
	return (double)cost_ns[READINGS / 2];
}

/* PROC/pressure/X begins "some avg10=1.23 avg60=...". */
static void pressure_facts(const struct roots *roots, struct facts *facts)
{
	static const char *const resources[] = {"cpu", "io", "memory"};
	char text[512], fact[32];
	double percent;

	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
		if (!attribute_text(text, sizeof(text), "%s/pressure/%s", roots->proc,
				    resources[i]) ||
		    sscanf(text, "some avg10=%lf", &percent) != 1)
			continue;
		snprintf(fact, sizeof(fact), "pressure_%s", resources[i]);
		facts_set_real(facts, fact, percent);
	}
}

struct supplies {
	const struct roots *roots;
	bool mains, online; /* there is a mains supply; it feeds */
	bool battery;
};

static bool look_at_supply(const char *name, void *context)
{
	struct supplies *supplies = context;
	char type[32], scope[32];
	int64_t online;

	if (!attribute_text(type, sizeof(type), "%s/class/power_supply/%s/type",
			    supplies->roots->sys, name))
		return true;
	if (attribute_text(scope, sizeof(scope), "%s/class/power_supply/%s/scope",
			   supplies->roots->sys, name) && !strcmp(scope, "Device"))
		return true; /* a mouse's */
	if (!strcmp(type, "Battery"))
		supplies->battery = true;
	else if (attribute_integer(&online, "%s/class/power_supply/%s/online", supplies->roots->sys,
				   name)) {
		supplies->mains = true;
		supplies->online = supplies->online || online;
	}
	return true;
}

static void power_fact(const struct roots *roots, struct facts *facts)
{
	struct supplies supplies = {.roots = roots};

	attribute_each(look_at_supply, &supplies, "%s/class/power_supply", roots->sys);
	if (supplies.online)
		facts_set_text(facts, "power_source", "mains");
	else if (supplies.mains && supplies.battery)
		facts_set_text(facts, "power_source", "battery");
}

static void state_facts(const struct roots *roots, struct facts *facts)
{
	char text[128];
	double uptime_s;
	unsigned processes;

	if (attribute_text(text, sizeof(text), "%s/uptime", roots->proc) &&
	    sscanf(text, "%lf", &uptime_s) == 1)
		facts_set_integer(facts, "uptime_ns", (int64_t)(uptime_s * (double)NS_PER_S));
	if (attribute_text(text, sizeof(text), "%s/loadavg", roots->proc) &&
	    sscanf(text, "%*f %*f %*f %*u/%u", &processes) == 1)
		facts_set_integer(facts, "processes", processes);
	pressure_facts(roots, facts);
	power_fact(roots, facts);
}

/* ---- the process -------------------------------------------------------------------------- */

static void priority_facts(struct facts *facts)
{
	static const char *const classes[] = {"none", "realtime", "best-effort", "idle"};
	long priority = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
	char text[32];

	facts_set_integer(facts, "nice", getpriority(PRIO_PROCESS, 0));
	if (priority < 0 || IOPRIO_PRIO_CLASS(priority) >= 4)
		return;
	snprintf(text, sizeof(text), "%s/%ld", classes[IOPRIO_PRIO_CLASS(priority)],
		 (long)IOPRIO_PRIO_DATA(priority));
	facts_set_text(facts, "io_priority", text);
}

static void rlimit_fact(struct facts *facts, const char *name, int resource)
{
	struct rlimit limit;

	if (!getrlimit((__rlimit_resource_t)resource, &limit) && limit.rlim_cur != RLIM_INFINITY)
		facts_set_integer(facts, name, (int64_t)limit.rlim_cur);
}

#ifdef IO_URING_VERSION_MAJOR
static void liburing_fact(struct facts *facts)
{
	char version[32];

	snprintf(version, sizeof(version), "%d.%d", IO_URING_VERSION_MAJOR, IO_URING_VERSION_MINOR);
	facts_set_text(facts, "liburing_version", version);
}
#else
static void liburing_fact(struct facts *facts)
{
	(void)facts;
}
#endif

/* libaio tells its version only by the name of its file: libaio.so.1.0.1. */
static void libaio_fact(struct facts *facts)
{
	char path[PATH_MAX];
	const char *version;
	Dl_info found;

	if (!dladdr((const void *)io_setup, &found) || !realpath(found.dli_fname, path))
		return;
	version = strstr(path, ".so.");
	if (version)
		facts_set_text(facts, "libaio_version", version + strlen(".so."));
}

static void version_facts(struct facts *facts)
{
	facts_set_text(facts, "assay_version", ASSAY_VERSION);
	facts_set_text(facts, "sqlite_version", archive_sqlite_version());
	libaio_fact(facts);
	facts_set_text(facts, "libc_version", gnu_get_libc_version());
	liburing_fact(facts);
}

/* What only system calls of this process tell. */
static void process_facts(const struct roots *roots, struct facts *facts)
{
	char *status = attribute_file("%s/self/status", roots->proc), allowed[1024];
	const struct passwd *user;
	struct utsname name;

	if (status && attribute_field(status, "Cpus_allowed_list", allowed, sizeof(allowed)))
		facts_set_text(facts, "cpus_allowed", allowed);
	free(status);
	if (!roots_live(roots))
		return;
	if (!facts_find(facts, "architecture") && !uname(&name))
		facts_set_text(facts, "architecture", name.machine);
	user = getpwuid(geteuid());
	facts_set_text(facts, "user", user ? user->pw_name : NULL);
	set_yes_no(facts, "privileged", geteuid() == 0);
	facts_set_integer(facts, "page_bytes", sysconf(_SC_PAGESIZE));
	rlimit_fact(facts, "memlock_limit_bytes", RLIMIT_MEMLOCK);
	rlimit_fact(facts, "open_files_limit", RLIMIT_NOFILE);
	priority_facts(facts);
	version_facts(facts);
	facts_set_real(facts, "clock_cost_ns", clock_cost_ns());
}

void environment_host(const struct roots *roots, struct facts *facts)
{
	filefacts_set(facts, roots->proc, proc_facts);
	filefacts_set(facts, roots->sys, sys_facts);
	machine_facts(roots, facts);
	distribution_fact(roots, facts);
	command_line_fact(roots, facts);
	cpu_facts(roots, facts);
	memory_facts(roots, facts);
	limit_facts(roots, facts);
	state_facts(roots, facts);
	process_facts(roots, facts);
}
