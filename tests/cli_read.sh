# SPDX-License-Identifier: MIT
# Cold reads come from the device: its own counters say as many bytes as the report.
# shellcheck shell=bash

# Sets $ours, the bytes that a phase reports to have read, and $device, those its disk delivered. The
# phase before it has left the file in the page cache.
read_cold() { # PHASE OPERATION TARGET OPTIONS...
	local phase=$1 operation=$2 target=$3
	shift 3
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 20ms --phases "block_write,$phase" "$@" "$target"
	ours=$(query "SELECT CAST(value AS INTEGER) FROM results
		WHERE phase = '$phase' AND operation = '$operation' AND metric = 'bytes'")
	device=$(query 'SELECT read_bytes FROM device_use ORDER BY measurement_id DESC LIMIT 1')
	[ "$ours" -gt 0 ] || fail "$phase read nothing"
	equal "disks of two measurements" 2 "$(query 'SELECT count(*) FROM device_use')"
	equal "doubts in where the bytes came from" "" \
		"$(query "SELECT message FROM flag WHERE code = 'cached'")"
}

test_block_read_reads_each_byte_from_the_device_once() {
	local type ours device io
	for type in ext4 xfs btrfs; do loop_mount $type 320 $type; done
	for type in ext4 xfs btrfs; do
		for io in buffered direct; do
			# btrfs may serve direct reads through the cache; they still come from the device
			read_cold block_read read $type --size 16m --io $io
			near "$io bytes from the device under $type" "$ours" "$device" 2
		done
	done
}

alone_a_warm_block_read_does_not_touch_the_device() {
	local ours device
	"$ASSAY" help block_read | grep -q '^ *cache' || skip "block_read is always cold"
	loop_mount ext4 64 fs
	read_cold block_read read fs --size 32m --set block_read.cache=warm
	[ "$device" -lt $((ours / 50)) ] || fail "$device bytes came from the device"
}

test_rewrite_reads_each_byte_from_the_device_once() {
	local ours device
	loop_mount ext4 64 fs
	read_cold rewrite rewrite fs --size 32m
	near "bytes from the device" "$ours" "$device" 2
}

test_seeks_with_direct_io_read_from_the_device_what_they_say() {
	local ours device
	loop_mount ext4 64 fs
	read_cold seeks read fs --size 32m --io direct
	near "bytes from the device" "$ours" "$device" 2
}

# Where others may read from the same disk: theirs can only be too much, and not always.
alone_block_read_here_reads_each_byte_from_the_device_once() {
	local attempt ours device
	mkdir t
	case $(stat -f -c %T t) in
	tmpfs | ramfs | overlayfs) skip "$(stat -f -c %T t) has no disk of its own" ;;
	esac
	for attempt in 1 2 3 4 5 6; do
		read_cold block_read read t --size 128m
		[ $((device * 100)) -ge $((ours * 98)) ] ||
			fail "only $device of $ours bytes came from the device"
		[ $((device * 100)) -gt $((ours * 102)) ] || return 0
	done
	skip "others read from this disk"
}
