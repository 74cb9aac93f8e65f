# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a target is, what can be measured there, what to mind first; and that looking changes nothing.

info_json() { expect 0 "$ASSAY" info --format json "$@"; }

# What a program reads out of the document of the last info.
json() { # PATH
	need sqlite3
	sqlite3 :memory: "SELECT json_extract(CAST(readfile('out') AS TEXT), '\$.$1')"
}
json_rows() { # EXPRESSION PATH [CONDITION]: over the items there, key and value
	need sqlite3
	sqlite3 :memory: "SELECT $1 FROM json_each(CAST(readfile('out') AS TEXT), '\$$2') WHERE ${3:-1}"
}
named() { # LIST NAME MEMBER: of the engine or phase of that name
	json_rows "json_extract(value, '\$.$3')" ".$1" "json_extract(value, '\$.name') = '$2'"
}

warned() { # CODE TEXT
	json_rows "json_extract(value, '\$.message')" .warnings "json_extract(value, '\$.code') = '$1'" >message
	grep -qF -- "$2" message || {
		json_rows value .warnings
		fail "no warning $1 says: $2"
	}
}

not_warned() { # CODE
	equal "warnings of $1" 0 "$(json_rows 'count(*)' .warnings "json_extract(value, '\$.code') = '$1'")"
}

test_the_document_has_its_five_parts() {
	mkdir target
	info_json target
	equal keys facts,stack,engines,phases,warnings "$(json_rows 'group_concat(key)' '')"
	equal engines sync,libaio,io_uring,null \
		"$(json_rows "group_concat(json_extract(value, '\$.name'))" .engines)"
	equal usable 1 "$(named engines sync usable)"
	equal kernel "$(uname -r)" "$(json facts.kernel)"
	equal path "$PWD/target" "$(json stack.path)"
	equal phases "$("$ASSAY" help phases | grep -c '^  [a-z_]* ')" "$(json_rows 'count(*)' .phases)"
	equal "phases that are usable, or not and say why" "$(json_rows 'count(*)' .phases)" \
		"$(json_rows 'count(*)' .phases \
			"json_extract(value, '\$.usable') = (json_extract(value, '\$.reason') IS NULL)")"
}

test_every_format_tells_it() {
	mkdir target
	for format in text markdown html; do
		expect 0 "$ASSAY" info --format "$format" target
		has out libaio
		has out wal_commit
	done
	expect 0 "$ASSAY" info --format csv target
	has out "device,kind,size"
	expect 0 "$ASSAY" info target
	has out "To mind before a run"
	has out "Stands on"
}

test_without_a_target_it_tells_of_the_machine() {
	info_json
	equal stack "" "$(json stack)"
	equal kernel "$(uname -r)" "$(json facts.kernel)"
	equal filesystem "" "$(json facts.filesystem)"
	expect 0 "$ASSAY" info
	has out "this machine"
}

test_a_target_that_is_not_there_is_refused() {
	expect 2 "$ASSAY" info no-such-place
	one_sentence "no-such-place"
	expect 2 "$ASSAY" info . .
	one_sentence "one target"
}

test_looking_changes_nothing() {
	need_strace
	mkdir -p target/below
	echo some >target/file
	touch -d '2001-01-01' target target/file target/below
	find target >/dev/null # reads the directories, as the next line does
	find target -printf '%P %y %m %s %T@ %C@ %A@\n' | sort >before
	expect 0 strace -f -o trace -e trace=%file,%desc,%network "$ASSAY" info target
	find target -printf '%P %y %m %s %T@ %C@ %A@\n' | sort >after
	cmp before after || fail "the target has changed"
	[ ! -e "$ASSAY_DB" ] || fail "an archive was made"
	! grep -E 'O_(WRONLY|RDWR|CREAT|TMPFILE)' trace || fail "something was opened for writing"
	! grep -E ' (mkdir|mkdirat|unlink|unlinkat|rename|renameat2?|linkat|symlinkat|ftruncate|fallocate|fsync|fdatasync|syncfs|chmod|fchmodat|utimensat)\(' trace ||
		fail "something was made or changed"
	! grep -E ' p?writev?(64)?\((3|[4-9]|1[0-9]),' trace || fail "something was written"
}

test_a_relative_path_and_a_link_mean_the_same() {
	mkdir -p real/target
	ln -s real/target link
	info_json real/target
	cp out real.json
	info_json link
	equal path "$PWD/real/target" "$(json stack.path)"
	(cd real && expect 0 "$ASSAY" info --format json ../link && mv out ../out)
	equal path "$PWD/real/target" "$(json stack.path)"
}

test_the_stack_is_a_tree_down_to_the_disk() {
	loop_mount ext4 64 mnt
	local loop
	loop=$(basename "$(findmnt -nro SOURCE mnt)")
	info_json mnt
	equal filesystem ext4 "$(json stack.filesystem)"
	equal device "$loop" "$(json 'stack.on[0].name')"
	equal kind loop "$(json 'stack.on[0].kind')"
	equal scheduler "$(sed 's/.*\[\(.*\)\].*/\1/' "/sys/class/block/$loop/queue/scheduler")" \
		"$(json 'stack.on[0].facts.scheduler')"
	equal backing "$PWD/mnt.img" "$(json stack.backing.path)"
	expect 0 "$ASSAY" info mnt
	grep -q "^+- $loop  *loop" out || fail "the tree does not hold the loop device"
}

test_a_device_takes_the_phases_that_work_on_devices() {
	need_root
	truncate -s 16M disk.img
	loop_device disk.img
	info_json "$device"
	equal block_read 0 "$(named phases block_read usable)"
	named phases block_read reason | grep -q 'works on files' || fail "no reason is given"
	equal random 1 "$(named phases random usable)"
	equal device 1 "$(json stack.device)"
}

test_an_engine_that_cannot_be_used_says_why() {
	need_strace
	mkdir target
	expect 0 strace -f -o /dev/null -e inject=io_uring_setup:error=EPERM "$ASSAY" info --format json target
	equal usable 0 "$(named engines io_uring usable)"
	[ -n "$(named engines io_uring reason)" ] || fail "no reason is given"
	expect 0 strace -f -o /dev/null -e inject=io_uring_setup:error=EPERM "$ASSAY" help engines
	has out "not here:"
}

test_minds_barriers_and_a_read_only_mount() {
	loop_mount ext4 64 mnt
	info_json mnt
	not_warned barriers_off
	mount -o remount,barrier=0 mnt
	info_json mnt
	warned barriers_off "barrier"
	mount -o remount,ro,barrier=1 mnt
	info_json mnt
	warned read_only "read-only"
	not_warned barriers_off
}

test_minds_a_filesystem_that_is_nearly_full() {
	loop_mount ext4 64 mnt
	info_json mnt
	not_warned nearly_full
	head -c 50M /dev/zero >mnt/large
	sync -f mnt
	info_json mnt
	warned nearly_full "available"
}

test_minds_a_loop_device_without_direct_io() {
	need_root
	truncate -s 16M disk.img
	device=$(losetup -f --show disk.img) || skip "no loop devices"
	defer "losetup -d $device"
	info_json "$device"
	warned loop_buffered "$(basename "$device") goes through the page cache"
	losetup --direct-io=on "$device" 2>/dev/null || skip "no direct I/O on this file"
	info_json "$device"
	not_warned loop_buffered
}

test_minds_what_others_do_now() {
	loop_mount ext4 64 mnt
	local loop
	loop=$(basename "$(findmnt -nro SOURCE mnt)")
	head -c 8M /dev/zero >mnt/other
	while [ ! -e stop ]; do dd if=/dev/zero of=mnt/other bs=1M count=8 oflag=direct conv=notrunc; done 2>/dev/null &
	local writer=$!
	defer "touch stop; wait $writer"
	info_json mnt
	warned other_io "$loop read"
}

test_minds_a_small_memory_limit() {
	need_root
	local group=/sys/fs/cgroup/memory/assay-test-$BASHPID
	mkdir "$group" 2>/dev/null || skip "no memory group can be made"
	defer "rmdir $group"
	[ -e "$group/memory.limit_in_bytes" ] || skip "no memory limits here"
	echo 256M >"$group/memory.limit_in_bytes"
	mkdir target
	(echo "$BASHPID" >"$group/tasks" && info_json target)
	warned memory_limit "256 MiB"
}

test_minds_limits_of_io() {
	blkio_group
	truncate -s 16M disk.img
	loop_device disk.img
	limit read bps "$device" 1048576
	in_group info_json "$device"
	warned throttled "$(basename "$device") rbps=1048576"
	equal limits rbps=1048576 "$(json 'stack.on[0].limits')"
}

test_minds_memory_and_asks_of_direct_io() {
	tmpfs_mount 16 mnt
	info_json mnt
	warned memory "nothing in it is durable"
	mkdir target
	echo some >target/file
	expect 0 "$ASSAY" info target
	grep -q 'Direct I/O *\(works\|refused\)' out || fail "direct I/O was not asked for"
}

test_minds_a_filesystem_that_refuses_direct_io() {
	need_strace
	mkdir target
	echo some >target/some-file
	expect 0 strace -f -o /dev/null -P some-file -e trace=openat \
		-e inject=openat:error=EINVAL "$ASSAY" info --format json target
	json_rows value .warnings | grep -q direct_io || skip "strace cannot inject by path here"
	warned direct_io "some-file"
}

test_without_root_it_works_and_names_what_is_left_out() {
	mkdir target
	chmod 755 . target
	expect 0 as_nobody "$ASSAY" info --format json target
	warned unprivileged "without root"
}

test_help_lists_the_engines() {
	expect 0 "$ASSAY" help engines
	for engine in sync libaio io_uring null; do has out "$engine"; done
	expect 2 "$ASSAY" help engine
	one_sentence "engines"
}
