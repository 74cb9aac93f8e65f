# SPDX-License-Identifier: MIT
# The quick profile on every filesystem there is: each cell holds a value or the reason why not, and
# the target is afterwards as it was.
# shellcheck shell=bash

quick=(--profile quick --time 50ms --size 32m --set files.files=500 --set files.char_size=16k)

quick_on() { # DIR
	local before undone
	mkdir "$1/theirs"
	echo keep >"$1/theirs/data.0"
	: >"$1/.assay-not-ours"
	before=$(snapshot "$1")
	expect 0 "$ASSAY" run -q "${quick[@]}" "$1"
	equal "progress under -q" "" "$(cat err)"
	whole_tables out
	fits_a_mail out
	equal "the target" "$before" "$(snapshot "$1")"
	equal "the run" complete "$(query 'SELECT status FROM runs')"
	undone=$(query "SELECT phase.name || ': ' || m.message FROM measurement AS m
		JOIN point USING (point_id) JOIN phase USING (phase_id) WHERE m.status <> 'ok'")
	equal "points that were not measured" "" "$undone"
	# What was measured has its rates: only percentiles may lack the samples they need.
	equal "values that are missing" "" "$(query "SELECT phase || '.' || operation || '.' || metric
		FROM results AS r WHERE value IS NULL AND metric NOT LIKE 'latency_p%' AND EXISTS (
			SELECT 1 FROM results AS c WHERE c.measurement_id = r.measurement_id
			AND c.operation = r.operation AND c.metric = 'count' AND c.value > 0)")"
	equal "points measured" "$("$ASSAY" run "${quick[@]}" --dry-run "$1" |
		sed -n 's/^points *//p')" "$(query 'SELECT count(*) FROM measurement')"
}

test_quick_on_ext4() {
	loop_mount ext4 256 fs
	quick_on fs
}

test_quick_on_xfs() {
	loop_mount xfs 320 fs
	quick_on fs
}

test_quick_on_btrfs() {
	loop_mount btrfs 768 fs # what is overwritten is free again only with the next transaction
	quick_on fs
}

test_quick_on_tmpfs() {
	tmpfs_mount 256 fs
	quick_on fs
	# Memory cannot be read cold: what it is must be said of every such figure.
	equal "cold reads said to be cached" "" "$(query "SELECT DISTINCT phase FROM results
		WHERE phase IN ('block_read', 'char_read', 'rewrite', 'seeks')
		AND ifnull(flags, '') NOT LIKE '%cached%'")"
	equal "what stat is archived as" warm "$(query "SELECT DISTINCT parameters ->> 'cache' FROM results
		WHERE phase LIKE 'stat_%'")"
}

test_quick_on_zram() {
	local number
	need_root
	[ -r /sys/class/zram-control/hot_add ] || skip "the kernel has no zram"
	number=$(cat /sys/class/zram-control/hot_add) || skip "no zram can be had"
	defer "echo $number >/sys/class/zram-control/hot_remove"
	echo 256M >"/sys/block/zram$number/disksize"
	mkfs.ext4 -q -E nodiscard "/dev/zram$number"
	mkdir fs
	mount "/dev/zram$number" fs
	defer "umount fs"
	rmdir fs/lost+found
	quick_on fs
}

test_quick_here_for_who_cannot_mount() {
	[ "$(id -u)" -ne 0 ] || skip "root has seen it on every filesystem"
	mkdir t
	quick_on t
}
