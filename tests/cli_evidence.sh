# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Each flag, raised for its real cause and left down without it, as far as the cause can be made;
# tests/test_evidence.c feeds the rest with recorded evidence.

flag_of() { # CODE: the sentences of the last run's flags of that code
	query "select f.message from flag f join measurement m using (measurement_id)
		where m.run_id = (select max(run_id) from run) and f.code = '$1'"
}

raised() { # CODE TEXT
	flag_of "$1" >message
	grep -qF -- "$2" message || {
		query "select code, message from flag"
		fail "no flag $1 says: $2"
	}
}

not_raised() { # CODE
	equal "$1" "" "$(flag_of "$1")"
}

reads() { # TARGET [options]: random direct reads of 16 MiB
	local target=$1
	shift
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.operation=read \
		--set random.queue_depth=4 --size 16m --time 300ms "$@" "$target"
}

loop_of() { # MIB [losetup options]: sets $device, on an image of random bytes
	local mib=$1
	shift
	need_root
	need losetup
	head -c "$((mib << 20))" /dev/urandom >disk.img
	sync disk.img
	device=$(losetup -f --show "$@" "$PWD/disk.img" 2>/dev/null) || skip "no such loop device"
	defer "losetup -d $device"
}

others_use() { # TARGET: are its disks busy while nothing of ours runs
	expect 0 "$ASSAY" info --format json "$1"
	grep -q '"code": "other_io"' out
}

queue() { echo "/sys/class/block/$(basename "$device")/queue/$1"; } # ATTRIBUTE

test_cached_loop_without_direct_io_over_a_warm_file() {
	loop_of 16
	reads "$device"
	raised cached "$(basename "$device") reads its file through the page cache"
	equal severity void "$(query "select distinct severity from flag where code='cached'")"
}

test_not_cached_loop_with_direct_io() {
	loop_of 16 --direct-io=on
	reads "$device"
	not_raised cached
	not_raised buffered
}

test_cached_file_that_cannot_be_evicted() {
	loop_mount ext4 64 mnt
	# Somebody holds every data file in memory while it is read.
	cat >hold.py <<'PY'
import glob, mmap, os, time
held = {}
open("ready", "w").close()
end = time.time() + 20
while time.time() < end and not os.path.exists("stop"):
    for path in glob.glob("mnt/.assay-*/data.0"):
        try:
            fd = os.open(path, os.O_RDONLY)
            size = os.fstat(fd).st_size
            if size == 8 << 20 and path not in held:
                held[path] = mmap.mmap(fd, size, prot=mmap.PROT_READ)
            if path in held:
                held[path][0:size:4096]
            os.close(fd)
        except OSError:
            pass
PY
	need python3
	python3 hold.py &
	local holder=$!
	defer "touch stop; wait $holder"
	for _ in $(seq 100); do [ -e ready ] || sleep 0.05; done
	expect 0 "$ASSAY" run -q --rounds 1 --phases block_read --size 8m --time 500ms mnt
	raised cached "still in the page cache"
}

test_buffered_btrfs_with_checksums_and_not_without() {
	loop_mount btrfs 256 mnt
	mkdir mnt/summed mnt/plain
	chattr +C mnt/plain
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.operation=write \
		--set random.queue_depth=4 --size 16m --time 200ms mnt/plain
	not_raised buffered
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.operation=write \
		--set random.queue_depth=4 --size 16m --time 200ms mnt/summed
	[ -n "$(flag_of buffered)" ] || skip "btrfs of this kernel writes directly beside checksums"
	raised buffered "100 % of what was written directly went through the page cache"
}

test_buffered_not_on_ext4() {
	loop_mount ext4 64 mnt
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.queue_depth=4 --size 16m \
		--time 200ms mnt
	not_raised buffered
	not_raised cached
}

alone_foreign_second_writer() {
	loop_mount ext4 96 mnt
	local device
	device=$(findmnt -nro SOURCE mnt)
	mount -o remount,noinit_itable mnt # the filesystem is a second writer itself
	head -c 16M /dev/zero >mnt/other
	while [ ! -e stop ]; do dd if=/dev/zero of=mnt/other bs=1M count=16 oflag=direct conv=notrunc; done 2>/dev/null &
	local writer=$!
	defer "touch stop; wait $writer"
	reads mnt
	raised foreign "$(basename "$device") moved was not ours"
	raised background "before the start: $(basename "$device")"
	touch stop
	wait $writer
	sync -f mnt
	reads mnt
	not_raised foreign
	! flag_of background | grep "$(basename "$device")" || fail "the idle loop device is called busy"
}

alone_cpu_bound_beside_a_busy_loop() {
	need taskset
	mkdir target
	(while [ ! -e stop ]; do :; done) &
	local busy=$!
	defer "touch stop; wait $busy"
	taskset -pc 0 $busy >/dev/null
	expect 0 "$ASSAY" run -q --rounds 1 --phases block_read --set block_read.cache=warm \
		--size 64m --time 1s target
	raised cpu_bound "CPU"
}

alone_cpu_bound_not_where_the_device_is_slow() {
	blkio_group
	loop_of 16 --direct-io=on
	limit read bps "$device" 2097152
	in_group reads "$device"
	! flag_of cpu_bound | grep "a worker" || fail "a worker that waits for the device is called busy"
}

alone_shallow_nr_requests_lowered() {
	loop_of 16 --direct-io=on
	# A loop device keeps its settings when it is detached.
	defer "echo $(sed 's/.*\[\(.*\)\].*/\1/' "$(queue scheduler)") >$(queue scheduler)"
	echo mq-deadline >"$(queue scheduler)" 2>/dev/null || skip "no mq-deadline"
	defer "echo $(cat "$(queue nr_requests)") >$(queue nr_requests)"
	reads "$device" --set random.queue_depth=64
	# Where CPUs are short requests wait for them, and not on the device.
	[ -n "$(flag_of cpu_bound)" ] || not_raised shallow
	echo 4 >"$(queue nr_requests)"
	reads "$device" --set random.queue_depth=64
	raised shallow "64 requests were kept in flight"
}

test_shallow_filesystem_that_serialises() {
	loop_mount btrfs 256 mnt
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.operation=write \
		--set random.queue_depth=32 --size 16m --time 300ms mnt
	[ -n "$(flag_of buffered)" ] || skip "btrfs of this kernel does not serialise direct writes"
	raised shallow "32 requests were kept in flight"
}

test_throttled_by_the_control_group_and_not_outside_it() {
	blkio_group
	loop_of 16 --direct-io=on
	limit read bps "$device" 8388608
	in_group reads "$device"
	raised throttled "limits $(basename "$device") rbps=8388608"
	has out "throttled"
	reads "$device"
	not_raised throttled
}

test_throttled_where_the_log_is() {
	blkio_group
	loop_mount ext4 64 log
	mkdir target
	limit write bps "$(findmnt -nro SOURCE log)" 4194304
	in_group expect 0 "$ASSAY" run -q --rounds 1 --phases sync_methods,random --size 1m --time 200ms \
		--set sync_methods.method=fdatasync --set random.queue_depth=4 --wal-dir log target
	raised throttled "wbps=4194304"
	equal "phases throttled" sync_methods "$(query "select distinct p.name from flag
		join measurement using (measurement_id) join point using (point_id)
		join phase p using (phase_id) where code = 'throttled'")"
}

# Ten seconds, of which the last four are throttled.
alone_unsteady_when_the_limit_falls_and_not_when_it_stays() {
	need_soak
	blkio_group
	loop_of 16 --direct-io=on
	limit read bps "$device" 1048576 # slow enough for any machine to keep up
	(
		sleep 6
		limit read bps "$device" 262144
	) &
	in_group reads "$device" --time 10s --set random.warmup=100ms
	wait $!
	raised unsteady "the rate of read changed by"
	limit read bps "$device" 524288
	local attempt
	for attempt in 1 2 3; do # a machine in need of its CPUs may be unsteady for its own reasons
		in_group reads "$device" --time 10s --set random.warmup=100ms
		[ -z "$(flag_of unsteady)" ] || continue
		return
	done
	flag_of unsteady >message
	others_use "$PWD" && skip "others use the disk: $(cat message)"
	fail "unsteady in $attempt of $attempt runs: $(cat message)"
}

test_small_target_read_again_through_the_cache_and_not_directly() {
	loop_mount ext4 64 mnt
	reads mnt --io buffered --size 256k --time 500ms
	raised small_target "blocks are read again"
	reads mnt
	not_raised small_target
}

test_unwritten_device_that_holds_nothing_until_it_is_written() {
	need_root
	truncate -s 32M disk.img
	loop_device disk.img
	reads "$device"
	raised unwritten "of 64 blocks looked at 64 hold nothing"
	expect 0 "$ASSAY" run -q --rounds 1 --phases sequential --set sequential.operation=write --size 16m \
		--time 300ms --erase "$device" "$device"
	reads "$device"
	not_raised unwritten
}

test_background_lazy_initialisation() {
	need_root
	need mkfs.ext4
	truncate -s 8G lazy.img
	mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=1 lazy.img
	loop_device lazy.img
	mkdir mnt
	mount -o init_itable=1000 "$device" mnt
	defer "umount mnt"
	pgrep ext4lazyinit >/dev/null || skip "ext4 does not initialise lazily here"
	reads mnt
	raised background "ext4 initialises inode tables"
}

test_reread_not_of_uniform_offsets() {
	mkdir target
	reads target --time 500ms --set random.queue_depth=16
	not_raised reread
}

test_clock_not_of_this_machine() {
	mkdir target
	reads target
	not_raised clock
}

test_what_cannot_be_checked_is_said() {
	tmpfs_mount 64 mnt
	reads mnt
	raised unchecked "whether reads came from the device (no block device under $PWD/mnt is known)"
	raised unchecked "whether the rate was steady"
	has out "unchecked"
}

test_flags_are_in_every_format() {
	loop_of 16
	reads "$device"
	for format in text markdown csv json html; do
		expect 0 "$ASSAY" show latest --format "$format"
		has out cached
	done
	expect 0 "$ASSAY" show latest --format json
	has out '"severity": "void"'
}

# Requests are small: what is in flight at the edges of a short window counts on one side alone.
exact_phases() { # TIME TARGET [options]: the device's bytes are ours within 2 %
	local time=$1
	shift
	expect 0 "$ASSAY" run -q --rounds 1 --phases random,sequential,oltp,mixed --size 32m --time "$time" \
		--set random.queue_depth=8 --set oltp.num_small=8 --set mixed.num_small=4 \
		--set mixed.num_large=1 --set mixed.large_size=64k --set sequential.queue_depth=2 "$@"
	query "select p.name, own, device from
		(select measurement_id, sum(value) own from results where metric = 'bytes'
			and operation in ('read', 'write', 'small', 'large') group by 1)
		join (select measurement_id, sum(read_bytes + write_bytes) device from device_use group by 1)
		using (measurement_id) join measurement using (measurement_id) join point using (point_id)
		join phase p using (phase_id)" >bytes
	cat bytes
	[ "$(wc -l <bytes)" -ge 4 ] || fail "too few measurements have figures"
	while IFS='|' read -r phase own device_bytes; do
		near "bytes of $phase" "$own" "$device_bytes" 2
	done <bytes
	not_raised foreign
}

# A loop device that nobody else uses.
alone_exact_phases_agree_with_a_device_of_our_own() {
	loop_of 32 --direct-io=on
	exact_phases 400ms "$device" --erase "$device"
}

alone_exact_phases_agree_with_the_root_disk() {
	need_soak
	mkdir target
	! others_use target || skip "others use the disk"
	exact_phases 2s target
}
