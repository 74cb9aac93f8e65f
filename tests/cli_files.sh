# SPDX-License-Identifier: MIT
# The small files of the files group: few and many, sizes, directories, links, caches, and targets
# in odd places; several rounds.
# shellcheck shell=bash

names="create_sequential stat_sequential delete_sequential create_random stat_random delete_random"
small=$(echo $names | tr ' ' ,)

run_small() { # FILES OPTIONS...: in t; every phase visits each file as often as it makes passes
	local files=$1
	shift
	mkdir -p t
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases "$small" --set "files.files=$files" "$@" t
	whole_tables out
	equal "the target" "" "$(ls -A t)"
	equal "points that were not measured" 0 "$(query "SELECT count(*) FROM measurement WHERE status <> 'ok'")"
	equal "phases that left files out" "" "$(query "SELECT phase, operation, value FROM results
		WHERE metric = 'count' AND (value = 0 OR CAST(value AS INTEGER) % $files <> 0)")"
	equal "phases" 6 "$(query "SELECT count(DISTINCT phase) FROM results WHERE metric = 'rate' AND value > 0")"
}

bytes_per_file() { # PHASE
	query "SELECT CAST(b.value / c.value AS INTEGER) FROM results AS b JOIN results AS c
		USING (phase, operation) WHERE phase = '$1' AND b.metric = 'bytes' AND c.metric = 'count'"
}

test_few_files_of_any_size_in_one_and_many_directories() {
	local size
	run_small 2
	for size in 1 0:64k 100k; do
		run_small 2 --set files.directories=2 --set files.file_size=$size
	done
	equal "bytes of a file of 100k" 102400 "$(bytes_per_file create_random)"
	equal "bytes read of it" 102400 "$(bytes_per_file stat_random)"
}

test_some_files_of_mixed_sizes_in_a_hundred_directories() {
	run_small 500 --set files.directories=100 --set files.file_size=0:64k --seed 1
	near "mean size" 32768 "$(bytes_per_file create_sequential)" 15
	near "mean size read" 32768 "$(bytes_per_file stat_sequential)" 15
}

test_200000_files() {
	need_soak
	run_small 200000
	run_small 200000 --set files.directories=100
	run_small 5000 --set files.directories=100 --set files.file_size=0:64k
}

test_more_directories_than_files_are_skipped_with_the_reason() {
	mkdir t
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases create_sequential,stat_sequential \
		--set files.files=2 --set create_sequential.directories=100 t
	equal "statuses" "skipped|100 directories are more than the 2 files" \
		"$(query "SELECT status, message FROM measurement WHERE status <> 'ok'")"
	has out '100 directories are more than the 2 files'
	whole_tables out
}

test_no_files_leave_their_phases_out() {
	mkdir t
	expect 0 "$ASSAY" run -q "${tiny[@]}" --set files.files=0 t
	whole_tables out
	equal "phases" "char_write block_write rewrite char_read block_read seeks" \
		"$(query 'SELECT phase.name FROM measurement JOIN point USING (point_id)
			JOIN phase USING (phase_id) ORDER BY measurement_id' | xargs)"
	has_not out create
	expect 2 "$ASSAY" run --phases create_random --set create_random.files=0 t
	one_sentence 'nothing is left to measure'
}

test_too_few_inodes_are_refused_before_the_clock() {
	loop_mount ext4 32 fs -N 64
	expect 2 "$ASSAY" run --phases "$small" --set files.files=5000 fs
	one_sentence 'inodes are free'
	[ ! -e "$ASSAY_DB" ] || fail "an archive was made"
	equal "the target" "" "$(ls -A fs)"
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases create_random --set create_random.files=20 fs
	# To the last one that is free.
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases create_random \
		--set create_random.files=$(($(stat -f -c %d fs) - 3)) fs
}

test_links_of_both_kinds() {
	local kind
	for kind in link symlink; do
		run_small 30 --set files.kind=$kind --set files.file_size=1k
		run_small 30 --set files.kind=$kind --set files.directories=3
		equal "the kind archived" $kind "$(query "SELECT DISTINCT parameters ->> 'kind' FROM results")"
	done
}

test_more_links_than_the_filesystem_allows_are_skipped_with_the_reason() {
	loop_mount ext4 32 fs -N 1024 # of which links need none
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases create_sequential,block_write --size 1m \
		--set create_sequential.files=66000 --set create_sequential.kind=link \
		--set create_sequential.directories=10 fs
	has out 'allows 65000 links to a file, not 66000'
}

# Bytes read from the device by cold and by warm stat.
read_by_stat() { # TYPE
	loop_mount "$1" 320 fs
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases stat_random --set stat_random.files=2000 \
		--set stat_random.cache=cold,warm fs
	read -r cold warm <<<"$(query "SELECT read_bytes FROM device_use WHERE name LIKE 'loop%'
		ORDER BY measurement_id" | xargs)"
}

alone_cold_stat_reads_the_device_and_warm_does_not_on_ext4() {
	local cold warm
	read_by_stat ext4
	equal "caches" "cold warm" "$(query "SELECT parameters ->> 'cache' FROM results
		WHERE metric = 'rate' ORDER BY measurement_id" | xargs)"
	has out 'cache cold'
	has out 'cache warm'
	[ "$cold" -gt 100000 ] || fail "what was to be cold read $cold bytes"
	[ "$warm" -lt 50000 ] || fail "what was to be warm read $warm bytes"
}

alone_cold_stat_reads_the_device_and_warm_does_not_on_xfs() {
	local cold warm
	read_by_stat xfs
	[ "$cold" -gt 100000 ] || fail "what was to be cold read $cold bytes"
	[ "$warm" -lt 50000 ] || fail "what was to be warm read $warm bytes"
}

alone_cold_stat_reads_the_device_and_warm_does_not_on_btrfs() {
	local cold warm
	read_by_stat btrfs
	[ "$cold" -gt 100000 ] || fail "what was to be cold read $cold bytes"
	[ "$warm" -lt 50000 ] || fail "what was to be warm read $warm bytes"
}

test_what_cannot_be_made_cold_is_archived_as_warm() {
	tmpfs_mount 32 fs
	expect 0 "$ASSAY" run -q --rounds 1 --time 1ms --phases stat_random --set stat_random.files=20 fs
	equal "in memory" warm "$(query "SELECT DISTINCT parameters ->> 'cache' FROM results")"
	has out 'cache warm'
}

test_stat_is_warm_for_who_may_not_drop_caches() {
	mkdir -m 777 t
	chmod 777 .
	expect 0 as_nobody "$ASSAY" run -q --rounds 1 --time 1ms --phases stat_random \
		--set stat_random.files=20 t
	equal "without leave" warm "$(query "SELECT DISTINCT parameters ->> 'cache' FROM results")"
}

test_a_target_with_a_name_of_255_bytes() {
	local name
	name=$(printf 'n%.0s' {1..255})
	mkdir "$name"
	expect 0 "$ASSAY" run -q "${tiny[@]}" "$name"
	equal "the target archived" "$PWD/$name" "$(query 'SELECT target FROM runs')"
	equal "the target" "" "$(ls -A "$name")"
}

# Makes $deep, a directory whose absolute path has LENGTH bytes.
make_deep() { # LENGTH
	local left part
	deep=$PWD
	while left=$(($1 - ${#deep} - 1)) && [ $left -gt 0 ]; do
		part=$((left > 202 ? 200 : left))
		deep=$deep/$(printf "d%.0s" $(seq $part))
	done
	mkdir -p "$deep"
	equal "length of the path" "$1" ${#deep}
}

test_targets_at_the_end_of_very_long_paths_are_right_or_refused() {
	local length status=0
	for length in 1000 3000 4000; do
		make_deep $length
		expect 0 "$ASSAY" run -q "${tiny[@]}" "$deep"
		equal "the target archived" "$deep" "$(query 'SELECT target FROM runs ORDER BY run_id DESC LIMIT 1')"
		equal "the target" "" "$(ls -A "$deep")"
	done
	for length in 4060 4090; do
		make_deep $length
		rm -f "$ASSAY_DB"
		expect 2 "$ASSAY" run "${tiny[@]}" "$deep"
		one_sentence 'too long a path to work in: '
		equal "the target" "" "$(ls -A "$deep")"
		[ ! -e "$ASSAY_DB" ] || fail "an archive was made"
	done
	rm -f out err
	cd "$deep"
	for length in 1 2; do
		mkdir "$(printf 'e%.0s' {1..200})"
		cd "$(printf 'e%.0s' {1..200})"
	done
	"$ASSAY" run "${tiny[@]}" . >"${ASSAY_DB%/*}/out" 2>"${ASSAY_DB%/*}/err" || status=$?
	equal "what is beyond any path" "" "$(ls -A .)"
	cd "${ASSAY_DB%/*}"
	equal "exit status beyond any path" 2 "$status"
	one_sentence 'File name too long'
}

# A figure of the text report in its base unit.
reported() { # ROW COLUMN: from 1
	awk -v row="$1" -v column="$2" '
		BEGIN { factor["B/s"] = 1; factor["KiB/s"] = 1024; factor["MiB/s"] = 1048576; factor["GiB/s"] = 1073741824 }
		index($0, row " ") == 1 && !done { sub(/^ +/, ""); split($0, cells, /  +/); split(cells[column + 1], figure, " ")
			printf "%.0f\n", figure[1] * factor[figure[2]]; done = 1 }' out
}

test_rounds_are_a_series_with_its_median_and_spread() {
	local low median high
	mkdir t
	expect 0 "$ASSAY" run -q "${brief[@]}" --phases block_write,create_sequential --size 4m --rounds 3 t
	whole_tables out
	has out 'low of 3 runs'
	equal "rounds of one series" "1 1|2|3" "$(query 'SELECT count(DISTINCT series) FROM runs') $(
		query 'SELECT round FROM runs ORDER BY run_id' | paste -sd '|')"
	read -r low median high <<<"$(query "SELECT CAST(value AS INTEGER) FROM results
		WHERE phase = 'block_write' AND metric = 'throughput' ORDER BY value" | xargs)"
	near "the median" "$median" "$(reported block_write.write 2)" 1
	sed -i '1,/^block_write.write/d' out
	near "the lowest" "$low" "$(reported '  low of 3 runs' 2)" 1
	near "the highest" "$high" "$(reported '  high' 2)" 1
	# Each round has files of its own: the second begins like the first.
	equal "measurements of each" 2 \
		"$(query 'SELECT DISTINCT n FROM (SELECT count(*) AS n FROM measurement GROUP BY run_id)')"
}
