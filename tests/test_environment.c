/* SPDX-License-Identifier: MIT */
/* test_environment.c - what the machine and the target are: on recorded machines, and on this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "archive.h"
#include "fact.h"
#include "suite/attribute.h"
#include "suite/cgroup.h"
#include "suite/environment.h"
#include "suite/virtualization.h"
#include "tests/suites.h"
#include "tests/tree.h"
#include "tests/volume.h"

/* What a fact is to be, as fact_format writes it; NULL: absent. */
struct wanted {
	const char *fact, *value;
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *value_of(const struct facts *facts, const char *name, char *text, size_t size)
{
	const struct fact *fact = facts_find(facts, name);

	return fact ? fact_format(fact, text, size) : NULL;
}

static void check_facts(const struct facts *facts, const struct wanted *wanted)
{
	char text[2000];

	for (; wanted->fact; wanted++) {
		const char *got = value_of(facts, wanted->fact, text, sizeof(text));

		if (!same_text(got, wanted->value)) {
			printf("\n    %s: wanted '%s', got '%s'", wanted->fact, wanted->value, got);
			CU_FAIL("a fact differs");
		}
		CU_PASS("compared");
	}
}

static void collect_target(const struct roots *roots, const char *path, const char *prefix,
			   struct facts *facts)
{
	struct stack stack;

	CU_ASSERT_EQUAL_FATAL(stack_resolve(roots, path, &stack, NULL), 0);
	environment_target(roots, &stack, prefix, facts);
	stack_release(&stack);
}

static void check_target(const struct tree *tree, const char *path, const struct wanted *wanted)
{
	struct facts facts = {0};

	collect_target(&tree->roots, path, "", &facts);
	check_facts(&facts, wanted);
	facts_release(&facts);
}

static void check_host(const struct tree *tree, const struct wanted *wanted)
{
	struct facts facts = {0};

	environment_host(&tree->roots, &facts);
	check_facts(&facts, wanted);
	facts_release(&facts);
}

/* ---- hosts -------------------------------------------------------------------------------- */

static void test_server(void)
{
	static const struct wanted wanted[] = {
		{"host", "db1"},
		{"kernel", "5.14.0-427.13.1.el9_4.x86_64"},
		{"kernel_version", "#1 SMP PREEMPT_DYNAMIC Wed Apr 10 10:29:16 EDT 2024"},
		{"kernel_command_line", "ro crashkernel=1G mitigations=off"},
		{"distribution", "Red Hat Enterprise Linux 9.4 (Plow)"},
		{"machine_model", "Dell Inc. PowerEdge R750"},
		{"virtualization", "none"},
		{"container", "none"},
		{"cpu_model", "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz"},
		{"cpu_microcode", "0xd0003d1"},
		{"cpu_count", "64"},
		{"cpu_sockets", "2"},
		{"cpu_threads_per_core", "2"},
		{"cpu_governor", "performance"},
		{"cpu_driver", "intel_pstate"},
		{"cpu_boost", "1"},
		{"cpu_mitigations", "mmio_stale_data"},
		{"cpus_allowed", "0-63"},
		{"numa_nodes", "2"},
		{"memory_bytes", "269898231808"},
		{"memory_available_bytes", "206386089984"},
		{"memory_limit_bytes", "34359738368"}, /* memory.high, not memory.max */
		{"memory_usable_bytes", "34359738368"},
		{"cpu_limit_percent", "1600"},
		{"swap_bytes", "4294963200"},
		{"swap_used_bytes", "0"},
		{"transparent_hugepage", "madvise"},
		{"clock_source", "tsc"},
		{"load_average", "1.52"},
		{"processes", "1214"},
		{"uptime_ns", "86400250000000"},
		{"pressure_io", "2.5"},
		{"pressure_cpu", NULL},
		{"vm.dirty_ratio", "20"},
		{"vm.dirty_background_bytes", "0"},
		{"vm.swappiness", NULL},
		{"cgroup", "/database.slice/postgresql.service"},
		{"cgroup_version", "2"},
		{"cgroup_io_weight", "200"},
		{"power_source", NULL},
		{"user", NULL}, /* this process's, not the recorded machine's */
		{"clock_cost_ns", NULL},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	check_host(&tree, wanted);
	CU_ASSERT_EQUAL(environment_memory_bytes(&tree.roots), 34359738368ULL);
	tree_close(&tree);
}

static void test_laptop(void)
{
	static const struct wanted wanted[] = {
		{"power_source", "battery"}, /* a mouse's battery is none */
		{"cpu_governor", NULL},	     /* the CPUs differ */
		{"cpu_count", NULL},
		{"memory_limit_bytes", NULL},
		{"memory_usable_bytes", "16488255488"},
		{"cgroup", NULL},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "lvm_on_luks");
	check_host(&tree, wanted);
	tree_close(&tree);
}

static void test_container(void)
{
	static const struct wanted host[] = {
		{"host", "3f2a9c1b7d60"},	 {"container", "podman"},
		{"virtualization", NULL},	 {"memory_bytes", "67108864000"},
		{"memory_limit_bytes", NULL},	 {"cgroup_version", NULL},
		{"clock_source", NULL},		 {"cpu_model", NULL},
		{"cpu_mitigations", NULL},	 {"distribution", NULL},
		{NULL, NULL},
	};
	static const struct wanted target[] = {
		{"filesystem", "xfs"}, {"mount_source", "/dev/sdb1"}, {"mount_root", "/volumes/pg"},
		{"device", NULL},      {"disk_count", NULL},	      {"device_stack", NULL},
		{"scheduler", NULL},   {"storage", NULL},	      {"upper_filesystem", NULL},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "container");
	check_host(&tree, host);
	check_target(&tree, "/data", target);
	tree_close(&tree);
}

static void test_nothing(void)
{
	static const struct roots nothing = {"/nonexistent/sys", "/nonexistent/proc",
					     "/nonexistent"};
	struct facts facts = {0};

	environment_host(&nothing, &facts);
	CU_ASSERT_EQUAL(facts.count, 0);
	CU_ASSERT_EQUAL(environment_memory_bytes(&nothing), 0);
	facts_release(&facts);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void test_first_version_limits(void)
{
	static const struct wanted host[] = {
		{"memory_limit_bytes", "2147483648"}, /* of a group above that cannot be seen */
		{"cpu_limit_percent", "150"},
		{"cgroup_version", "1"},
		{"cgroup", "/system.slice/assay.service"},
		{NULL, NULL},
	};
	static const struct wanted target[] = {
		/* Version 1 does not inherit: the slice's 10 writes a second bind nobody here. */
		{"cgroup_io_max", "dm-0 rbps=1048576 wiops=500"},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "virtio_multipath");
	check_host(&tree, host);
	check_target(&tree, "/data", target);
	tree_close(&tree);
}

static void test_second_version_limits(void)
{
	static const struct wanted limited[] = {
		/* The smaller of the two up the tree, each for itself. */
		{"cgroup_io_max", "nvme0n1 wbps=104857600 wiops=2000"},
		{NULL, NULL},
	};
	static const struct wanted free_target[] = {{"cgroup_io_max", NULL}, {NULL, NULL}};
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	check_target(&tree, "/", limited);
	check_target(&tree, "/data", free_target);
	tree_write_text(&tree, "/sys/fs/cgroup/database.slice/io.latency", "259:0 target=75000\n");
	check_target(&tree, "/", (const struct wanted[]){{"cgroup_io_latency", "target=75000"},
							 {NULL, NULL}});
	tree_close(&tree);
}

/* A container without a cgroup namespace sees the host's path, and mounts that begin at it. */
static void test_limits_in_a_container(void)
{
	struct tree tree;
	struct cgroup group;

	tree_open(&tree, "container");
	tree_write_text(&tree, "/proc/self/cgroup", "4:memory:/docker/3f2a\n0::/docker/3f2a\n");
	tree_write_text(&tree, "/proc/self/mountinfo",
			"1 0 0:1 / / rw - overlay overlay rw\n"
			"2 1 0:2 /docker/3f2a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
			"3 1 0:3 /docker/3f2a /sys/fs/cgroup/unified ro - cgroup2 cgroup2 rw\n");
	tree_write_text(&tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
	tree_write_text(&tree, "/sys/fs/cgroup/unified/io.weight", "default 50\n");
	CU_ASSERT_TRUE(cgroup_find(&tree.roots, "memory", &group));
	CU_ASSERT_EQUAL(group.version, 1);
	CU_ASSERT_STRING_EQUAL(group.directory, group.top);
	CU_ASSERT_EQUAL(cgroup_memory_limit_bytes(&tree.roots), 536870912);
	CU_ASSERT_TRUE(cgroup_find(&tree.roots, "io", &group));
	CU_ASSERT_EQUAL(group.version, 2);
	tree_close(&tree);
}

static void test_large_memory(void)
{
	struct tree tree;

	tree_open(&tree, "lvm_on_luks");
	tree_write_text(&tree, "/proc/meminfo", "MemTotal:       17179869184 kB\n");
	CU_ASSERT_EQUAL(environment_memory_bytes(&tree.roots), 16ULL << 40);
	tree_close(&tree);
}

/* ---- virtualization ----------------------------------------------------------------------- */

static void check_hypervisor(const struct tree *tree, const char *wanted)
{
	CU_ASSERT_TRUE(same_text(virtualization_hypervisor(&tree->roots), wanted));
}

static void test_hypervisors(void)
{
	static const struct {
		const char *vendor, *product, *name;
	} machines[] = {
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", "qemu"},
		{"QEMU", "KVM Virtual Machine", "kvm"},
		{"VMware, Inc.", "VMware Virtual Platform", "vmware"},
		{"Microsoft Corporation", "Virtual Machine", "microsoft"},
		{"innotek GmbH", "VirtualBox", "oracle"},
		{"Amazon EC2", "m5.large", "amazon"},
		{"Google", "Google Compute Engine", "google"},
		{"Some Cloud", "Instance", "vm"}, /* there is one, but it does not say which */
	};
	struct tree tree;

	tree_open(&tree, "virtio_multipath");
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		tree_write_text(&tree, "/sys/class/dmi/id/sys_vendor", machines[i].vendor);
		tree_write_text(&tree, "/sys/class/dmi/id/product_name", machines[i].product);
		check_hypervisor(&tree, machines[i].name);
	}
	/* The bare metal of a cloud: the firmware's word does not count against the processor's. */
	tree_write_text(&tree, "/proc/cpuinfo", "flags\t\t: fpu vme vmx\n");
	tree_write_text(&tree, "/sys/class/dmi/id/sys_vendor", "Amazon EC2");
	check_hypervisor(&tree, "none");
	/* Xen's privileged domain has the hardware. */
	tree_write_text(&tree, "/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
	tree_write_text(&tree, "/proc/xen/capabilities", "control_d\n");
	check_hypervisor(&tree, "none");
	tree_close(&tree);
}

static void test_other_processors(void)
{
	struct tree tree;

	tree_open(&tree, "container");
	tree_write_text(&tree, "/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
	check_hypervisor(&tree, NULL);
	tree_write(&tree, "/proc/device-tree/hypervisor/compatible", "linux,kvm", 10);
	check_hypervisor(&tree, "kvm");
	tree_write_text(&tree, "/proc/sysinfo", "VM00 Name:            LNX\n"
						"VM00 Control Program: z/VM    7.2.0\n");
	tree_remove(&tree, "/proc/device-tree/hypervisor/compatible");
	check_hypervisor(&tree, "zvm");
	tree_close(&tree);
}

static void check_container(const struct tree *tree, const char *wanted)
{
	CU_ASSERT_TRUE(same_text(virtualization_container(&tree->roots), wanted));
}

static void test_containers(void)
{
	struct tree tree;

	tree_open(&tree, "container");
	check_container(&tree, "podman");
	tree_remove(&tree, "/proc/1/environ");
	check_container(&tree, "podman"); /* by its mark */
	tree_remove(&tree, "/run/.containerenv");
	check_container(&tree, "other"); /* by its namespaces */
	tree_write_text(&tree, "/proc/1/cgroup", "0::/kubepods.slice/kubepods-pod1.slice\n");
	check_container(&tree, "kubernetes");
	tree_write_text(&tree, "/.dockerenv", "");
	check_container(&tree, "docker");
	tree_write_text(&tree, "/run/systemd/container", "lxc\n");
	check_container(&tree, "lxc");
	tree_close(&tree);
}

static void test_contradiction(void)
{
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	check_container(&tree, "none");
	/* A machine booted from a container's image, or a container in the host's namespaces. */
	tree_write_text(&tree, "/.dockerenv", "");
	check_container(&tree, NULL);
	tree_remove(&tree, "/.dockerenv");
	tree_remove(&tree, "/proc/self/ns/pid");
	check_container(&tree, NULL);
	tree_close(&tree);
}

/* ---- targets ------------------------------------------------------------------------------ */

static void test_local_drive(void)
{
	static const struct wanted wanted[] = {
		{"target_kind", "directory"},
		{"storage", "disk"},
		{"filesystem", "xfs"},
		{"mount_point", "/"},
		{"mount_options", "rw,relatime,attr2,inode64,logbufs=8,logbsize=32k,noquota"},
		{"copy_on_write", "no"},
		{"device", "nvme0n1"},
		{"disks", "nvme0n1"},
		{"disk_count", "1"},
		{"device_stack", "xfs on nvme0n1p2 on nvme0n1"},
		{"partition", "nvme0n1p2"},
		{"partition_start_bytes", "630194176"},
		{"partition_size_bytes", "1919751815168"},
		{"device_kind", "nvme"},
		{"device_transport", "pcie"},
		{"device_driver", "nvme"},
		{"device_model", "Dell Ent NVMe v2 AGN RI U.2 1.92TB"},
		{"device_serial", "S61ANA0R000001"},
		{"device_firmware", "2.0.2"},
		{"device_size_bytes", "1920383410176"},
		{"device_wwid", "eui.36344730526026100025384500000001"},
		{"numa_node", "0"},
		{"queue_count", "2"},
		{"queue_depth", "1023"},
		{"scheduler", "none"},
		{"schedulers", "none mq-deadline kyber bfq"},
		{"nr_requests", "1023"},
		{"read_ahead_kb", "128"},
		{"rotational", "0"},
		{"write_cache", "write through"},
		{"fua", "0"},
		{"logical_block_bytes", "512"},
		{"physical_block_bytes", "512"},
		{"wbt_lat_usec", "2000"},
		{"disk.nvme0n1.scheduler", NULL}, /* there is but one */
		{"dm_name", NULL},
		{"md_level", NULL},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	check_target(&tree, "/", wanted);
	tree_close(&tree);
}

static void test_two_paths(void)
{
	static const struct wanted wanted[] = {
		{"device", "nvme1n1"},
		{"disks", "nvme1c1n1 nvme1c2n1"},
		{"disk_count", "1"},
		{"multipath_paths", "2"},
		{"device_model", "Array 9000"},
		{"device_serial", "AR9000-0042"},
		{"device_transport", "tcp"},
		{"device_kind", "network"},
		{"read_ahead_kb", "4096"}, /* the head's */
		{"disk.nvme1c1n1.read_ahead_kb", "128"},
		{"scheduler", NULL}, /* the paths differ */
		{"disk.nvme1c1n1.scheduler", "none"},
		{"disk.nvme1c2n1.scheduler", "mq-deadline"},
		{"nr_requests", NULL},
		{"fua", "1"},
		{"disk.nvme1c2n1.fua", "1"},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	check_target(&tree, "/data", wanted);
	tree_close(&tree);
}

/* An ATA identity as SCSI page 0x89 carries it: the bytes of each word swapped. */
static void write_ata_page(const struct tree *tree, const char *path, const char *serial,
			   const char *firmware, const char *model)
{
	unsigned char page[572] = {0};
	const struct {
		size_t word, length;
		const char *text;
	} texts[] = {{10, 20, serial}, {23, 8, firmware}, {27, 40, model}};

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < texts[i].length; k++)
			page[60 + 2 * texts[i].word + (k ^ 1)] =
				(unsigned char)(k < strlen(texts[i].text) ? texts[i].text[k] : ' ');
	tree_write(tree, path, page, sizeof(page));
}

static void test_raid(void)
{
	static const struct wanted wanted[] = {
		{"device", "md127"},
		{"disks", "sda sdb sdc sdd"},
		{"disk_count", "4"},
		{"md_level", "raid10"},
		{"md_disks", "4"},
		{"md_chunk_bytes", "524288"},
		{"md_bitmap", "+8"},
		{"md_degraded", "0"},
		{"md_sync_action", "check"},
		{"read_ahead_kb", "1024"},
		{"scheduler", NULL},
		{"disk.sda.scheduler", "mq-deadline"},
		{"disk.sdd.scheduler", "bfq"},
		{"write_cache", "write back"},
		{"device_kind", "hdd"},
		{"device_transport", "ata"},
		{"device_driver", "ahci"},
		{"device_vendor", NULL}, /* "ATA" made none of them */
		{"device_model", NULL},
		{"disk.sda.device_model", "WDC WD4003FFBX-6"}, /* as far as SCSI has it */
		{"disk.sda.device_serial", "V0G000AX"},
		{"disk.sda.device_firmware", "0A83"},
		{"disk.sdd.device_model", "ST4000NE001-2MA101"},
		{"disk.sdd.device_serial", "WS20ABCD"},
		{"disk.sdd.device_firmware", "EN01A002"},
		{"disk.sdd.device_size_bytes", "4000787030016"},
		{"device_size_bytes", "4000787030016"},
		{"queue_depth", "32"},
		{"numa_node", NULL}, /* -1 is no node */
		{"mount_options_in_force", "rw,delalloc,barrier,data=ordered"},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "md_raid10");
	write_ata_page(&tree, "/sys/class/block/sdd/device/vpd_pg89", "            WS20ABCD",
		       "EN01A002", "ST4000NE001-2MA101");
	check_target(&tree, "/srv", wanted);
	tree_close(&tree);
}

static void test_multipath_identity(void)
{
	static const struct wanted wanted[] = {
		{"device", "dm-0"},
		{"disk_count", "1"},
		{"multipath_paths", "2"},
		{"dm_name", "mpatha"},
		{"dm_target", "multipath"},
		{"device_vendor", "LIO-ORG"},
		{"device_model", "pgdata"},
		{"device_serial", "1a2b3c4d"},
		{"device_wwid", "naa.60014051a2b3c4d5"},
		{"device_transport", "virtio"},
		{"device_driver", "virtio_scsi"},
		{"device_kind", "virtual"},
		{"scheduler", "bfq"}, /* where requests queue, not the paths' */
		{"nr_requests", "2048"},
		{"target_kind", "device"},
		{"filesystem", NULL},
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "virtio_multipath");
	check_target(&tree, "/dev/mapper/mpatha", wanted);
	tree_close(&tree);
}

static void test_btrfs_target(void)
{
	static const struct wanted wanted[] = {
		{"filesystem", "btrfs"},
		{"mount_root", "/@home"},
		{"copy_on_write", "yes"},
		{"compression", "zstd:1"},
		{"checksums", "crc32c"},
		{"filesystem_features", "skinny_metadata data=single metadata=dup"},
		{"filesystem_uuid", "8c3ad2f3-6c7e-4c0e-9a50-0d6a0c1a1b2c"},
		{"read_ahead_kb", "4096"},
		{"device", "nvme0n1"},
		{"dm_name", "vg-home--crypt"},
		{"dm_target", "lvm"},
		{NULL, NULL},
	};
	static const struct wanted in_place[] = {
		{"copy_on_write", "no"}, {"checksums", "no"}, {"compression", NULL},
		{"read_ahead_kb", NULL}, /* its own is not known, its disk's is another */
		{NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "lvm_on_luks");
	check_target(&tree, "/home", wanted);
	tree_write_text(&tree, "/proc/self/mountinfo",
			"29 1 0:42 /@home /home rw - btrfs /dev/mapper/vg-home--crypt "
			"rw,nodatasum,nodatacow,compress=zstd\n");
	tree_remove(&tree, "/sys/fs/btrfs/8c3ad2f3-6c7e-4c0e-9a50-0d6a0c1a1b2c/bdi/read_ahead_kb");
	check_target(&tree, "/home", in_place);
	tree_close(&tree);
}

static void test_prefixes(void)
{
	static const struct wanted wanted[] = {
		{"device", "nvme0n1"},
		{"wal.filesystem", "ext4"},
		{"wal.device", "loop0"},
		{"wal.loop_direct_io", "0"},
		{"wal.loop_file", "/home/me/disk.img"},
		{"wal.backing.filesystem", "btrfs"},
		{"wal.backing.device", "nvme0n1"},
		{"wal.backing.scheduler", "none"},
		{"backing.device", NULL},
		{"wal.host", NULL},
		{NULL, NULL},
	};
	struct facts facts = {0};
	struct tree tree;

	tree_open(&tree, "lvm_on_luks");
	collect_target(&tree.roots, "/", "", &facts);
	collect_target(&tree.roots, "/mnt/image", "wal.", &facts);
	check_facts(&facts, wanted);
	facts_release(&facts);
	tree_close(&tree);
}

static void test_scheduler_tunables(void)
{
	static const struct wanted wanted[] = {
		{"scheduler.read_expire", "500"}, {"scheduler.writes_starved", "2"}, {NULL, NULL},
	};
	struct tree tree;

	tree_open(&tree, "nvme_multipath");
	tree_write_text(&tree, "/sys/class/block/nvme0n1/queue/iosched/read_expire", "500\n");
	tree_write_text(&tree, "/sys/class/block/nvme0n1/queue/iosched/writes_starved", "2\n");
	check_target(&tree, "/", wanted);
	tree_close(&tree);
}

/* ---- every fact --------------------------------------------------------------------------- */

static void check_known(const struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		const char *name = facts->items[i].name;

		if (strstr(name, "scheduler."))
			continue; /* every scheduler has tunables of its own */
		if (!fact_find_known(name)) {
			printf("\n    %s is not in facts_known.h", name);
			CU_FAIL("an unknown fact");
		}
		CU_PASS("known");
	}
}

static void test_known_names(void)
{
	static const struct {
		const char *tree, *paths[4];
	} machines[] = {
		{"nvme_multipath", {"/", "/data", "/dev", NULL}},
		{"md_raid10", {"/srv", "/boot", "/old", "/srv/net"}},
		{"lvm_on_luks", {"/", "/home", "/mnt/image", "/mnt/merged"}},
		{"virtio_multipath", {"/data", "/var", "/dev/vda", NULL}},
		{"container", {"/", "/data", NULL, NULL}},
	};
	struct facts facts = {0};
	struct tree tree;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		tree_open(&tree, machines[i].tree);
		environment_host(&tree.roots, &facts);
		for (size_t k = 0; k < 4 && machines[i].paths[k]; k++)
			collect_target(&tree.roots, machines[i].paths[k], "wal.", &facts);
		tree_close(&tree);
	}
	environment_host(&roots_real, &facts);
	collect_target(&roots_real, "/", "", &facts);
	check_known(&facts);
	facts_release(&facts);
}

/* ---- this machine ------------------------------------------------------------------------- */

static void test_this_host(void)
{
	struct facts facts = {0};
	struct utsname name;
	const struct fact *cost;

	environment_host(&roots_real, &facts);
	CU_ASSERT_EQUAL_FATAL(uname(&name), 0);
	check_facts(&facts, (const struct wanted[]){{"host", name.nodename},
						    {"kernel", name.release},
						    {"kernel_version", name.version},
						    {"architecture", name.machine},
						    {"assay_version", ASSAY_VERSION},
						    {"sqlite_version", archive_sqlite_version()},
						    {"privileged", geteuid() ? "no" : "yes"},
						    {NULL, NULL}});
	cost = facts_find(&facts, "clock_cost_ns");
	CU_ASSERT_PTR_NOT_NULL_FATAL(cost);
	CU_ASSERT_TRUE(cost->real > 0 && cost->real < 100000);
	CU_ASSERT_TRUE(facts_find(&facts, "cpu_count")->integer >= 1);
	CU_ASSERT_TRUE(facts_find(&facts, "memory_bytes")->integer > 1 << 20);
	facts_release(&facts);
}

static void test_this_target(void)
{
	struct facts facts = {0};
	struct statvfs use;

	collect_target(&roots_real, "/", "", &facts);
	CU_ASSERT_EQUAL_FATAL(statvfs("/", &use), 0);
	CU_ASSERT_EQUAL(facts_find(&facts, "filesystem_bytes")->integer,
			(int64_t)(use.f_blocks * use.f_frsize));
	CU_ASSERT_PTR_NOT_NULL(facts_find(&facts, "filesystem"));
	CU_ASSERT_PTR_NOT_NULL(facts_find(&facts, "mount_options"));
	facts_release(&facts);
}

/* Features are those mkfs was told to leave out and to put in. */
static void test_features(void)
{
	static const struct {
		const char *type, *present, *absent;
	} filesystems[] = {
		{"ext4", "has_journal", "bigalloc"},
		{"xfs", "crc", "metadir"},
		{"btrfs", "data=single", "data=raid1"},
	};
	struct volume volume;
	const char *features;

	for (size_t i = 0; i < sizeof(filesystems) / sizeof(filesystems[0]); i++) {
		struct facts facts = {0};

		if (!volume_open(&volume, filesystems[i].type, 1))
			continue;
		collect_target(&roots_real, volume.mount, "", &facts);
		features = facts_text(&facts, "filesystem_features");
		CU_ASSERT_PTR_NOT_NULL(features);
		CU_ASSERT_PTR_NOT_NULL(features ? strstr(features, filesystems[i].present) : NULL);
		CU_ASSERT_PTR_NULL(features ? strstr(features, filesystems[i].absent) : NULL);
		CU_ASSERT_PTR_NOT_NULL(facts_text(&facts, "filesystem_uuid"));
		CU_ASSERT_PTR_NOT_NULL(facts_find(&facts, "backing.filesystem"));
		facts_release(&facts);
		volume_close(&volume);
	}
}

static int say_to(const char *directory, const char *file, const char *text)
{
	return volume_shell("echo '%s' 2>/dev/null >'%s/%s'", text, directory, file);
}

/* Puts this process into a group of its own where the loop device may write 1 MiB/s. */
static bool enter_limited_group(const struct cgroup *home, const char *group,
				const struct stack_node *disk)
{
	char limit[64], process[16];
	bool first = home->version == 1;

	snprintf(limit, sizeof(limit), first ? "%u:%u 1048576" : "%u:%u wbps=1048576", disk->major,
		 disk->minor);
	snprintf(process, sizeof(process), "%d", getpid());
	return volume_shell("mkdir '%s' 2>/dev/null", group) == 0 &&
	       say_to(group, first ? "blkio.throttle.write_bps_device" : "io.max", limit) == 0 &&
	       say_to(group, "cgroup.procs", process) == 0;
}

static void test_real_limit(void)
{
	struct volume volume;
	struct cgroup home;
	struct stack stack;
	char group[PATH_MAX], process[16], limits[100], wanted[100];
	struct facts facts = {0};

	if (!volume_open(&volume, "ext4", 1))
		return;
	CU_ASSERT_EQUAL_FATAL(stack_resolve(&roots_real, volume.mount, &stack, NULL), 0);
	if (!cgroup_find(&roots_real, "io", &home)) {
		test_skip("no control group for I/O");
	} else {
		snprintf(group, sizeof(group), "%.200s/assay-test-%d", home.directory, getpid());
		snprintf(process, sizeof(process), "%d", getpid());
		CU_ASSERT_FALSE(cgroup_io_max(&roots_real, stack.nodes[0].major,
					      stack.nodes[0].minor, limits, sizeof(limits)));
		if (!enter_limited_group(&home, group, &stack.nodes[0])) {
			test_skip("no I/O limit can be set here");
		} else {
			environment_target(&roots_real, &stack, "", &facts);
			snprintf(wanted, sizeof(wanted), "%s wbps=1048576", volume.loops[0]);
			check_facts(&facts, (const struct wanted[]){{"cgroup_io_max", wanted},
								    {NULL, NULL}});
			CU_ASSERT_EQUAL(say_to(home.directory, "cgroup.procs", process), 0);
		}
		volume_shell("rmdir '%s' 2>/dev/null", group);
	}
	facts_release(&facts);
	stack_release(&stack);
	volume_close(&volume);
}

/* ---- the files themselves ----------------------------------------------------------------- */

static void test_fields(void)
{
	static const char text[] = "MemTotal:  12 kB\nName=\"A \"\nTotal: 7\nlast\t: x y\nbare\n";
	char value[16];

	CU_ASSERT_TRUE(attribute_field(text, "MemTotal", value, sizeof(value)));
	CU_ASSERT_STRING_EQUAL(value, "12 kB");
	CU_ASSERT_TRUE(attribute_field(text, "Total", value, sizeof(value)));
	CU_ASSERT_STRING_EQUAL(value, "7");
	CU_ASSERT_TRUE(attribute_field(text, "Name", value, sizeof(value)));
	CU_ASSERT_STRING_EQUAL(value, "A");
	CU_ASSERT_TRUE(attribute_field(text, "last", value, sizeof(value)));
	CU_ASSERT_STRING_EQUAL(value, "x y");
	CU_ASSERT_FALSE(attribute_field(text, "bare", value, sizeof(value)));
	CU_ASSERT_FALSE(attribute_field(text, "Mem", value, sizeof(value)));
	CU_ASSERT_FALSE(attribute_field("", "Mem", value, sizeof(value)));
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		bool number;
		int64_t value;
	} cases[] = {
		{"42\n", true, 42},	{"-1\n", true, -1},   {"7 rest\n", true, 7},
		{"max\n", false, 0},	{"", false, 0},	      {"\n", false, 0},
		{"12kB\n", false, 0},	{"99999999999999999999\n", false, 0},
		{"9223372036854775807", true, INT64_MAX},
	};
	struct tree tree;

	tree_open(&tree, "container");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t value = 5;

		tree_write_text(&tree, "/sys/number", cases[i].text);
		CU_ASSERT_EQUAL(attribute_integer(&value, "%s/number", tree.sys), cases[i].number);
		CU_ASSERT_EQUAL(value, cases[i].number ? cases[i].value : 5);
	}
	tree_close(&tree);
}

static const struct test tests[] = {
	{"a server is described by what /sys and /proc say", test_server},
	{"what the CPUs do not agree on is absent", test_laptop},
	{"a container without /sys lacks what it cannot know", test_container},
	{"without /sys and /proc there are no facts", test_nothing},
	{"cgroup version 1 limits are the group's own, but for memory",
	 test_first_version_limits},
	{"cgroup version 2 limits are the smallest up the tree", test_second_version_limits},
	{"a container's own cgroup begins where its mount does", test_limits_in_a_container},
	{"memory beyond 32 bits is counted whole", test_large_memory},
	{"a hypervisor is named as far as it says who it is", test_hypervisors},
	{"other processors have other words for their hypervisor", test_other_processors},
	{"a container is known by its manager, marks or namespaces", test_containers},
	{"marks that contradict the namespaces say nothing", test_contradiction},
	{"a drive is described by its attributes", test_local_drive},
	{"facts that paths do not share stand under their names alone", test_two_paths},
	{"a RAID names its disks, ATA pages complete what SCSI cuts", test_raid},
	{"a multipath device has its path's identity and its own queue", test_multipath_identity},
	{"a btrfs says what becomes of its data", test_btrfs_target},
	{"the log's facts and those of backing files have prefixes", test_prefixes},
	{"a scheduler's tunables are facts", test_scheduler_tunables},
	{"every fact has a declared name", test_known_names},
	{"this host is what uname says", test_this_host},
	{"this target is as large as statvfs says", test_this_target},
	{"filesystems tell their features", test_features},
	{"a limit in force on this machine is found", test_real_limit},
	{"a field is found by its whole name", test_fields},
	{"a number is a whole word or none", test_numbers},
	{NULL, NULL},
};

const struct suite suite_environment = {"environment", tests};
