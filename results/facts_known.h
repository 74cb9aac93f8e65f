/* SPDX-License-Identifier: MIT */
/*
 * facts_known.h - the canonical facts: X(name, class, unit, help), in the order of reports.
 *
 * IDENTITY and SETTING confound a comparison, STATE and DERIVED do not; what follows from another
 * fact, or varies by itself from one run to the next, must therefore be one of the latter.
 * Numbers are in base units; where the kernel names a tunable with its unit (read_ahead_kb) the
 * kernel's name and number are kept and the unit is NONE.
 *
 * Facts of a disk stand twice: as `disk.NAME.scheduler` for each of several, and as `scheduler`
 * when all agree. Those of --wal-dir begin with `wal.`, those below a loop device's file with
 * `backing.`. All are declared once, without the prefix.
 */
#ifndef ASSAY_FACTS_KNOWN_H
#define ASSAY_FACTS_KNOWN_H

#define FACTS_OF_MACHINE(X)                                                                        \
	X("host", IDENTITY, NONE, "name of the machine")                                           \
	X("machine_model", IDENTITY, NONE, "vendor and product of the machine")                    \
	X("virtualization", IDENTITY, NONE, "hypervisor, or none")                                 \
	X("container", IDENTITY, NONE, "kind of container, or none")                               \
	X("kernel", IDENTITY, NONE, "release of the kernel")                                       \
	X("kernel_version", IDENTITY, NONE, "build of the kernel")                                 \
	X("kernel_command_line", SETTING, NONE, "what the kernel was booted with")                 \
	X("distribution", IDENTITY, NONE, "name and version of the distribution")                  \
	X("architecture", IDENTITY, NONE, "instruction set")                                       \
	X("cpu_model", IDENTITY, NONE, "model of the CPU")                                         \
	X("cpu_count", IDENTITY, COUNT, "CPUs online")                                             \
	X("cpu_sockets", IDENTITY, COUNT, "CPU packages")                                          \
	X("cpu_threads_per_core", IDENTITY, COUNT, "hardware threads of a core")                   \
	X("cpu_microcode", IDENTITY, NONE, "revision of the microcode")                            \
	X("cpu_governor", SETTING, NONE, "frequency governor")                                     \
	X("cpu_driver", SETTING, NONE, "frequency driver")                                         \
	X("cpu_boost", SETTING, NONE, "whether the CPU may exceed its nominal frequency")          \
	X("cpu_mitigations", SETTING, NONE, "mitigations of CPU flaws in force")                   \
	X("cpu_limit_percent", SETTING, PERCENT, "CPU time the cgroup allows, of one CPU")         \
	X("cpus", SETTING, NONE, "CPUs the load was bound to")                                     \
	X("cpus_allowed", SETTING, NONE, "CPUs the process may use")                               \
	X("power_source", SETTING, NONE, "mains or battery")                                       \
	X("numa_nodes", IDENTITY, COUNT, "NUMA nodes with memory")                                 \
	X("page_bytes", IDENTITY, BYTES, "size of a memory page")                                  \
	X("memory_bytes", IDENTITY, BYTES, "memory of the machine")                                \
	X("memory_limit_bytes", SETTING, BYTES, "memory the cgroup allows")                        \
	X("memory_usable_bytes", DERIVED, BYTES, "the smaller of memory and its limit")            \
	X("memory_available_bytes", STATE, BYTES, "memory available at the start")                 \
	X("memory_cached_bytes", STATE, BYTES, "page cache at the start")                          \
	X("swap_bytes", SETTING, BYTES, "swap space")                                              \
	X("swap_used_bytes", STATE, BYTES, "swap in use at the start")                             \
	X("transparent_hugepage", SETTING, NONE, "use of huge pages")                              \
	X("clock_source", SETTING, NONE, "the kernel's clock source")                              \
	X("clock_cost_ns", STATE, NS, "cost of reading the clock")                                 \
	X("boot_id", STATE, NONE, "identity of this boot")                                         \
	X("uptime_ns", STATE, NS, "time since boot")                                               \
	X("user", STATE, NONE, "name of the user")                                                 \
	X("privileged", STATE, NONE, "whether the run had root's rights")

#define FACTS_OF_LIMITS(X)                                                                         \
	X("vm.dirty_background_bytes", SETTING, BYTES, "dirty memory at which write-back starts")  \
	X("vm.dirty_background_ratio", SETTING, PERCENT, "the same, of available memory")          \
	X("vm.dirty_bytes", SETTING, BYTES, "dirty memory at which writers are held up")           \
	X("vm.dirty_ratio", SETTING, PERCENT, "the same, of available memory")                     \
	X("vm.dirty_expire_centisecs", SETTING, NONE, "age at which dirty memory is written")      \
	X("vm.dirty_writeback_centisecs", SETTING, NONE, "time between write-backs")               \
	X("vm.swappiness", SETTING, NONE, "readiness to swap")                                     \
	X("vm.vfs_cache_pressure", SETTING, NONE, "readiness to forget inodes")                    \
	X("vm.min_free_kbytes", SETTING, NONE, "memory kept free")                                 \
	X("vm.zone_reclaim_mode", SETTING, NONE, "reclaim within a NUMA node")                     \
	X("vm.overcommit_memory", SETTING, NONE, "policy of promising memory")                     \
	X("vm.nr_hugepages", SETTING, COUNT, "huge pages reserved")                                \
	X("aio_max_nr", SETTING, COUNT, "requests libaio may have in flight")                      \
	X("io_uring_disabled", SETTING, NONE, "whether io_uring is forbidden")                     \
	X("memlock_limit_bytes", SETTING, BYTES, "memory a process may lock")                      \
	X("open_files_limit", SETTING, COUNT, "files a process may open")                          \
	X("cgroup", STATE, NONE, "control group of the process")                                   \
	X("cgroup_version", SETTING, NONE, "version of the cgroup interface")                      \
	X("cgroup_io_max", SETTING, NONE, "I/O limits of the cgroup on the target's disks")        \
	X("cgroup_io_weight", SETTING, NONE, "I/O weight of the cgroup")                           \
	X("cgroup_io_latency", SETTING, NONE, "latency target of the cgroup")                      \
	X("io_priority", SETTING, NONE, "I/O class and priority of the process")                   \
	X("nice", SETTING, NONE, "CPU priority of the process")

#define FACTS_OF_FILESYSTEM(X)                                                                   \
	X("target_kind", SETTING, NONE, "directory or device")                                   \
	X("storage", IDENTITY, NONE, "disk, memory, network, host or program")                   \
	X("filesystem", SETTING, NONE, "kind of the filesystem")                                 \
	X("filesystem_features", SETTING, NONE, "features it was made with")                     \
	X("filesystem_block_bytes", SETTING, BYTES, "size of its block")                         \
	X("filesystem_bytes", IDENTITY, BYTES, "size of the filesystem")                         \
	X("filesystem_used_bytes", STATE, BYTES, "space in use at the start")                    \
	X("filesystem_available_bytes", STATE, BYTES, "space available at the start")            \
	X("filesystem_inodes", IDENTITY, COUNT, "inodes of the filesystem")                      \
	X("filesystem_inodes_used", STATE, COUNT, "inodes in use at the start")                  \
	X("filesystem_uuid", STATE, NONE, "UUID of the filesystem")                              \
	X("filesystem_label", STATE, NONE, "label of the filesystem")                            \
	X("mount_options", SETTING, NONE, "all options it is mounted with")                      \
	X("mount_options_in_force", SETTING, NONE, "these with the defaults they imply")         \
	X("upper_filesystem", SETTING, NONE, "filesystem that an overlay writes to")             \
	X("upper_mount_options", SETTING, NONE, "options that one is mounted with")              \
	X("mount_point", STATE, NONE, "where it is mounted")                                     \
	X("mount_source", IDENTITY, NONE, "what is mounted")                                     \
	X("mount_root", STATE, NONE, "directory or subvolume of it that is mounted")             \
	X("copy_on_write", SETTING, NONE, "whether overwritten blocks move")                     \
	X("compression", SETTING, NONE, "compression the filesystem applies")                    \
	X("checksums", SETTING, NONE, "whether the filesystem checksums data")                   \
	X("direct_io", DERIVED, NONE, "whether the target takes direct I/O")

#define FACTS_OF_DISKS(X)                                                                          \
	X("device_stack", IDENTITY, NONE, "block devices from the mount down to the disks")        \
	X("disk_count", IDENTITY, COUNT, "disks the target stands on")                             \
	X("disks", IDENTITY, NONE, "names of these disks")                                         \
	X("device", IDENTITY, NONE, "name of the block device")                                    \
	X("device_number", STATE, NONE, "major and minor number of the device")                    \
	X("device_kind", DERIVED, NONE, "nvme, ssd, hdd, virtual, loop, memory, network")          \
	X("device_transport", IDENTITY, NONE, "how the disk is attached")                          \
	X("device_vendor", IDENTITY, NONE, "vendor of the disk")                                   \
	X("device_model", IDENTITY, NONE, "model of the disk")                                     \
	X("device_serial", IDENTITY, NONE, "serial number of the disk")                            \
	X("device_wwid", IDENTITY, NONE, "world-wide identity of the disk")                        \
	X("device_firmware", IDENTITY, NONE, "revision of the disk's firmware")                    \
	X("device_size_bytes", IDENTITY, BYTES, "size of the disk")                                \
	X("device_driver", IDENTITY, NONE, "driver of the disk")                                   \
	X("partition", IDENTITY, NONE, "name of the partition")                                    \
	X("partition_start_bytes", IDENTITY, BYTES, "where the partition starts")                  \
	X("partition_size_bytes", IDENTITY, BYTES, "size of the partition")                        \
	X("rotational", IDENTITY, NONE, "whether the kernel takes the disk for a rotating one")    \
	X("logical_block_bytes", IDENTITY, BYTES, "smallest transfer the disk accepts")            \
	X("physical_block_bytes", IDENTITY, BYTES, "smallest transfer it makes without reading")   \
	X("minimum_io_bytes", IDENTITY, BYTES, "preferred smallest transfer")                      \
	X("optimal_io_bytes", IDENTITY, BYTES, "preferred transfer")                               \
	X("alignment_offset_bytes", IDENTITY, BYTES, "offset of the natural alignment")            \
	X("zoned", IDENTITY, NONE, "model of a zoned disk, or none")                               \
	X("dax", IDENTITY, NONE, "whether the disk can be mapped as memory")                       \
	X("numa_node", IDENTITY, NONE, "NUMA node of the controller")                              \
	X("queue_count", IDENTITY, COUNT, "hardware queues")                                       \
	X("queue_depth", IDENTITY, COUNT, "requests the disk itself takes")                        \
	X("scheduler", SETTING, NONE, "I/O scheduler")                                             \
	X("schedulers", IDENTITY, NONE, "I/O schedulers the disk offers")                          \
	X("nr_requests", SETTING, COUNT, "requests the queue holds")                               \
	X("read_ahead_kb", SETTING, NONE, "read-ahead in KiB")                                     \
	X("max_sectors_kb", SETTING, NONE, "largest transfer in KiB")                              \
	X("max_hw_sectors_kb", IDENTITY, NONE, "largest transfer the hardware takes in KiB")       \
	X("max_segments", IDENTITY, COUNT, "pieces of memory in a transfer")                       \
	X("nomerges", SETTING, NONE, "merging of requests: 0 all, 1 simple, 2 none")               \
	X("rq_affinity", SETTING, NONE, "CPU on which requests complete")                          \
	X("wbt_lat_usec", SETTING, NONE, "latency that write-back is throttled for")               \
	X("write_cache", SETTING, NONE, "write back or write through")                             \
	X("fua", IDENTITY, NONE, "whether the disk takes forced unit access")                      \
	X("io_poll", SETTING, NONE, "whether completions can be polled for")                       \
	X("io_poll_delay", SETTING, NONE, "sleep before polling")                                  \
	X("io_timeout", SETTING, NONE, "time in ms after which a request is given up")             \
	X("iostats", SETTING, NONE, "whether the kernel counts the disk's I/O")                    \
	X("add_random", SETTING, NONE, "whether the disk feeds the kernel's randomness")           \
	X("hctx_count", IDENTITY, COUNT, "hardware contexts of the queue")                         \
	X("discard_granularity_bytes", IDENTITY, BYTES, "unit of discarding; absent without")      \
	X("discard_max_bytes", SETTING, BYTES, "most that is discarded at once")                   \
	X("write_zeroes_max_bytes", IDENTITY, BYTES, "most that is zeroed at once")                \
	X("stable_writes", IDENTITY, NONE, "whether pages must not change while written")          \
	X("nvme_volatile_write_cache", SETTING, NONE, "the NVMe drive's own write cache")          \
	X("read_only", SETTING, NONE, "whether the device is read only")                           \
	X("protected_cache", SETTING, NONE, "whether power loss leaves the write cache intact")    \
	X("dm_name", STATE, NONE, "name of the mapped device")                                     \
	X("dm_target", SETTING, NONE, "kind of the mapping, e.g. linear, crypt or thin")           \
	X("md_level", SETTING, NONE, "RAID level")                                                 \
	X("md_disks", SETTING, COUNT, "members of the array")                                      \
	X("md_chunk_bytes", SETTING, BYTES, "chunk of the array")                                  \
	X("md_bitmap", SETTING, NONE, "write-intent bitmap")                                       \
	X("md_degraded", STATE, COUNT, "members missing")                                          \
	X("md_sync_action", STATE, NONE, "what the array does in the background")                  \
	X("multipath_paths", SETTING, COUNT, "paths to the disk")                                  \
	X("loop_file", STATE, NONE, "file behind the loop device")                                 \
	X("loop_direct_io", SETTING, NONE, "whether that file is read and written directly")

#define FACTS_OF_RUN(X)                                                                            \
	X("durability", DERIVED, NONE, "what a sync on this target is worth")                      \
	X("durability_reason", DERIVED, NONE, "why")                                               \
	X("background_io", STATE, NONE, "foreign I/O on the disks before the start")               \
	X("archive_on_target", STATE, NONE, "whether the archive lies on the filesystem tested")   \
	X("load_average", STATE, NONE, "processes running or waiting, mean of a minute")           \
	X("pressure_cpu", STATE, PERCENT, "time something waited for a CPU, mean of 10 s")         \
	X("pressure_io", STATE, PERCENT, "time something waited for I/O, mean of 10 s")            \
	X("pressure_memory", STATE, PERCENT, "time something waited for memory, mean of 10 s")     \
	X("processes", STATE, COUNT, "processes at the start")                                     \
	X("assay_version", IDENTITY, NONE, "version of this program")                              \
	X("libaio_version", IDENTITY, NONE, "version of libaio")                                   \
	X("liburing_version", IDENTITY, NONE, "version of liburing")                               \
	X("sqlite_version", IDENTITY, NONE, "version of SQLite")                                   \
	X("libc_version", IDENTITY, NONE, "version of the C library")                              \
	X("data_set_bytes", SETTING, BYTES, "size of the data worked on")                          \
	X("data_extents", STATE, COUNT, "pieces the data file lies in")                            \
	X("data_first_byte", STATE, BYTES, "where the first of them begins on the device")         \
	X("data_end_byte", STATE, BYTES, "where the last of them ends")                            \
	X("compressible_percent", SETTING, PERCENT, "share of the data made compressible")         \
	X("compression_ratio", STATE, NONE, "how far the data written can be compressed")          \
	X("load_rule", DERIVED, NONE, "how the loads of a ramp were chosen") \
	X("precondition_bytes", SETTING, BYTES, "written to the device before it all")     \
	X("steady_state", STATE, NONE, "whether the run belongs to the rounds of steady state")    \
	X("profile_text", STATE, NONE, "text of the profile")                                      \
	X("command", STATE, NONE, "command line")                                                  \
	X("seed", STATE, NONE, "seed of all random choices")                                       \
	X("max_write_bytes", STATE, BYTES, "what --max-write allowed")                             \
	X("import_file", STATE, NONE, "file a run was imported from")

#define FACTS(X)               \
	FACTS_OF_MACHINE(X)    \
	FACTS_OF_LIMITS(X)     \
	FACTS_OF_FILESYSTEM(X) \
	FACTS_OF_DISKS(X)      \
	FACTS_OF_RUN(X)

#endif
