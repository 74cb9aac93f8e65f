# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Block devices: read without leave, overwritten only with it, never when somebody uses them.

# Makes $device, a loop device on NAME.img of MIB full of random bytes; gone when the test ends.
make_device() { # NAME MIB [losetup options]
	local name=$1 mib=$2
	shift 2
	need_root
	need losetup
	head -c "$((mib << 20))" /dev/urandom >"$name.img"
	device=$(losetup -f --show "$@" "$PWD/$name.img" 2>/dev/null) || skip "no loop devices"
	defer "losetup -d $device"
}

writes=(--rounds 1 --phases random --set random.operation=write --set random.queue_depth=4 --time 100ms)
reads=(--rounds 1 --phases random,oltp --set random.operation=read --set random.queue_depth=4 --set oltp.num_small=2
	--time 300ms)

# The run must be refused for this reason, with not one byte of the device changed.
refused() { # REASON [options]
	local reason=$1 before after
	shift
	before=$(cksum <"$device")
	expect 2 "$ASSAY" run "${writes[@]}" "$@" "$device"
	one_sentence "$reason"
	after=$(cksum <"$device")
	equal "checksum of the device" "$before" "$after"
	[ ! -e "$ASSAY_DB" ] || fail "an archive was made"
}

test_reading_a_device_changes_nothing_on_it() {
	make_device disk 16
	local before
	before=$(cksum <"$device")
	need_strace
	expect 0 strace -f -o trace -e trace=openat,open,pwrite64,write,io_submit,fallocate \
		"$ASSAY" run -q "${reads[@]}" "$device"
	equal "checksum of the device" "$before" "$(cksum <"$device")"
	grep "\"$device\"" trace | grep -q O_RDONLY || fail "the device was never opened for reading"
	! grep "\"$device\"" trace | grep -E 'O_RDWR|O_WRONLY' || fail "the device was opened for writing"
	equal "measurements without a rate" 0 "$(query "select count(*) from results where headline and metric='rate' and value is null")"
}

test_the_data_set_is_the_whole_device_unless_size_says_less() {
	make_device disk 16
	expect 0 "$ASSAY" run -q "${reads[@]}" "$device"
	equal size 16777216 "$(query "select distinct json_extract(parameters,'\$.size') from results")"
	expect 0 "$ASSAY" run -q "${reads[@]}" --size 4m "$device"
	equal size 4194304 "$(query "select distinct json_extract(parameters,'\$.size') from results where run_id=2")"
	expect 0 "$ASSAY" run -q "${reads[@]}" --size 1g "$device"
	equal "skipped, larger than the device" 0 "$(query "select count(*) from results where run_id=3 and value is not null")"
}

test_writing_needs_erase() {
	make_device disk 8
	refused "--erase"
}

test_points_that_write_are_skipped_with_their_reason_beside_points_that_read() {
	make_device disk 8
	local before
	before=$(cksum <"$device")
	expect 0 "$ASSAY" run -q --rounds 1 --phases random --set random.operation=read,write --time 100ms "$device"
	has out "--erase"
	equal "checksum of the device" "$before" "$(cksum <"$device")"
}

test_phases_of_files_are_skipped_on_a_device_and_alone_refused() {
	make_device disk 8
	expect 2 "$ASSAY" run --phases block_read,seeks "$device"
	one_sentence "works on files"
}

test_erase_must_name_the_target() {
	make_device other 8
	local other=$device
	make_device disk 8
	refused "names another device" --erase "$other"
	refused "no such block device" --erase "$PWD/disk.img"
	refused "no such block device" --erase /dev/no-such-device
}

test_erase_through_a_link_to_another_device_is_refused_and_to_the_same_is_not() {
	make_device other 8
	local other=$device
	make_device disk 8
	ln -s "$other" link
	refused "names another device" --erase link
	ln -sf "$device" link
	expect 0 "$ASSAY" run -q "${writes[@]}" --erase link "$device"
}

test_erase_of_a_directory_is_refused() {
	mkdir target
	expect 2 "$ASSAY" run "${writes[@]}" --erase "$PWD/target" target
	one_sentence "is a directory"
}

test_a_mounted_device_is_refused() {
	make_device disk 32
	mkfs.ext4 -q -F -E nodiscard "$device"
	mkdir mnt
	mount "$device" mnt
	defer "umount mnt"
	refused "is mounted on" --erase "$device" --erase-signature
}

# Two partitions; the kernel must show them.
partition() {
	need sfdisk
	printf 'label: %s\n,16M\n,\n' "$1" | sfdisk -q "$device" >/dev/null 2>&1 || skip "sfdisk cannot"
	partprobe "$device" 2>/dev/null || partx -u "$device" 2>/dev/null || true
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -b "${device}p1" ] || return 0
		sleep 0.1
	done
	skip "the kernel shows no partitions of loop devices"
}

test_a_device_with_a_mounted_partition_is_refused() {
	make_device disk 64 -P
	partition gpt
	mkfs.ext4 -q -F -E nodiscard "${device}p1"
	mkdir mnt
	mount "${device}p1" mnt
	defer "umount mnt"
	refused "is mounted on" --erase "$device" --erase-signature
}

test_swap_is_refused() {
	make_device disk 32
	mkswap "$device" >/dev/null
	swapon "$device" 2>/dev/null || skip "no swap can be turned on here"
	defer "swapoff $device"
	refused "is swap space" --erase "$device" --erase-signature
}

test_a_device_under_another_loop_device_is_refused() {
	make_device disk 32
	local upper
	upper=$(losetup -f --show "$device" 2>/dev/null) || skip "no loop device on a loop device"
	defer "losetup -d $upper"
	refused "is held by" --erase "$device"
}

test_a_second_device_of_a_mounted_btrfs_is_refused() {
	need mkfs.btrfs
	make_device one 128
	local first=$device
	make_device two 128
	mkfs.btrfs -q -f -K "$first" "$device"
	mkdir mnt
	mount "$first" mnt 2>/dev/null || skip "the kernel has no btrfs"
	defer "umount mnt"
	refused "btrfs" --erase "$device" --erase-signature
}

test_every_known_signature_is_refused() {
	make_device disk 320
	local kind
	for kind in ext4 xfs btrfs gpt dos luks lvm swap; do
		dd if=/dev/urandom of="$device" bs=1M count=2 conv=notrunc status=none
		wipefs -qa "$device" || true
		case $kind in
		ext4) mkfs.ext4 -q -F -E nodiscard "$device" ;;
		xfs) mkfs.xfs -q -f -K "$device" ;;
		btrfs) mkfs.btrfs -q -f -K "$device" ;;
		gpt | dos) printf 'label: %s\n,16M\n' $kind | sfdisk -q "$device" >/dev/null 2>&1 ;;
		luks) printf 'LUKS\272\276\000\001' | dd of="$device" conv=notrunc status=none ;;
		lvm) { printf 'LABELONE\001\000\000\000\000\000\000\000\000\000\000\000\040\000\000\000LVM2 001'; } |
			dd of="$device" bs=512 seek=1 conv=notrunc status=none ;;
		swap) mkswap "$device" >/dev/null ;;
		esac
		refused "bears a signature" --erase "$device"
		echo "$kind: $(cat err)"
	done
	expect 0 "$ASSAY" run -q "${writes[@]}" --erase "$device" --erase-signature "$device"
}

test_the_device_that_holds_the_archive_is_refused() {
	make_device disk 64
	mkfs.ext4 -q -F -E nodiscard "$device"
	mkdir mnt
	mount "$device" mnt
	defer "umount mnt"
	expect 2 "$ASSAY" run "${writes[@]}" --erase "$device" --erase-signature --db mnt/archive.db "$device"
	one_sentence "is not overwritten"
	equal "files beside it" "lost+found" "$(ls mnt)"
}

test_a_device_in_use_by_a_run_cannot_be_erased_by_another() {
	make_device disk 16
	"$ASSAY" run -q --rounds 1 --phases random --set random.operation=write --set random.queue_depth=4 --time 3s --db first.db \
		--erase "$device" "$device" >/dev/null 2>&1 &
	local running=$! i
	defer "kill $running 2>/dev/null"
	for i in $(seq 50); do
		[ -e first.db ] && break
		sleep 0.05
	done
	expect 2 "$ASSAY" run "${writes[@]}" --erase "$device" "$device"
	one_sentence "exclusively"
	wait $running || fail "the first run was disturbed"
}

test_an_erased_device_is_written_at_the_sizes_and_bytes_that_are_claimed() {
	make_device disk 64 --direct-io=on
	expect 0 "$ASSAY" run -q --rounds 1 --erase "$device" --time 300ms --phases random,oltp,mixed \
		--set random.operation=write --set random.block_size=16k --set random.queue_depth=8 \
		--set oltp.num_small=4 --set oltp.write_percent=100 \
		--set mixed.num_small=3 --set mixed.num_large=2 --set mixed.small_write_percent=50 \
		--set mixed.large_write_percent=100 "$device"
	# What was in flight at the edges of the window is the device's and not ours.
	query "select m.phase, sum(d.own), max(d.device) from
		(select measurement_id, phase from results group by 1) m
		join (select measurement_id, sum(value) own, null device from results
			where metric='bytes' and operation in ('read','write','small','large') group by 1
		union all select measurement_id, null, read_bytes + write_bytes from device_use) d
		using (measurement_id) group by m.measurement_id" >bytes || true
	cat bytes
	while IFS='|' read -r phase own device_bytes; do
		near "bytes of $phase" "$own" "$device_bytes" 15
	done <bytes
	equal "phases" 3 "$(wc -l <bytes)"
}

# The block layer's own trace of $device, while a command runs: trace_blocks COMMAND...
trace_blocks() {
	local tracing=/sys/kernel/tracing instance event
	if [ ! -d $tracing/instances ]; then
		mkdir tracing
		mount -t tracefs nodev tracing 2>/dev/null || skip "no tracefs"
		defer "umount '$PWD/tracing'"
		tracing=$PWD/tracing
	fi
	instance=$tracing/instances/assay-test-$BASHPID
	mkdir "$instance" 2>/dev/null || skip "no instance of tracefs"
	defer "rmdir '$instance'"
	echo 65536 >"$instance/buffer_size_kb"
	for event in block_rq_issue block_rq_complete; do
		echo "dev == $(($(stat -c '(0x%t << 20) + 0x%T' "$device")))" >"$instance/events/block/$event/filter"
		echo 1 >"$instance/events/block/$event/enable"
	done
	"$@"
	for event in block_rq_issue block_rq_complete; do echo 0 >"$instance/events/block/$event/enable"; done
	grep ': block_rq_' "$instance/trace" >blocks
}

# Of requests of so many sectors: the most that the device held at once, and the mean from the moment
# that both classes were whole until the last was handed over.
held_by_device() { # SMALL LARGE
	awk -v small="$1" -v large="$2" '
	{
		for (i = 1; i <= NF; i++) if ($i ~ /^block_rq_/) break
		kind = $i; at = $(i - 1) + 0
		for (; i <= NF; i++) if ($i == "+") size = $(i + 1)
		if (size != small && size != large) next
		if (begun) { area[small] += n[small] * (at - last); area[large] += n[large] * (at - last) }
		if (kind ~ /issue/) {
			n[size]++; if (n[size] > most[size]) most[size] = n[size]
			until = at; kept_small = area[small]; kept_large = area[large]
		} else n[size]--
		if (!begun && n[small] == 4 && n[large] == 2) { begun = at }
		last = at
	}
	END {
		printf "%d %d %.2f %.2f\n", most[small], most[large],
			kept_small / (until - begun), kept_large / (until - begun)
	}' blocks
}

alone_mixed_keeps_both_classes_at_their_counts_as_the_device_sees_it() {
	make_device disk 64 --direct-io=on
	local name=${device#/dev/} small large mean_small mean_large
	defer "echo $(sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$name/queue/scheduler") >/sys/block/$name/queue/scheduler"
	echo none >"/sys/block/$name/queue/scheduler"
	trace_blocks "$ASSAY" run -q --rounds 1 --phases mixed --engine libaio --time 400ms \
		--set mixed.small_size=4k --set mixed.large_size=64k --set mixed.num_small=4 --set mixed.num_large=2 \
		"$device" >out
	read -r small large mean_small mean_large <<<"$(held_by_device 8 128)"
	equal "most small ones at once" 4 "$small"
	equal "most large ones at once" 2 "$large"
	awk -v s="$mean_small" -v l="$mean_large" 'BEGIN { exit !(s > 2.8 && l > 1.4) }' ||
		fail "the device held $mean_small small and $mean_large large ones on average"
	equal "histograms" "large small" "$(query "select group_concat(operation, ' ') from (select distinct
		operation from results where metric = 'latency_mean' order by 1)")"
}
