# SPDX-License-Identifier: MIT
# When a call fails: the measurement fails with file, operation and cause and has no rates, the rest
# of the battery goes on, the run ends `failed`, the program with 1, and nothing is left behind.
# shellcheck shell=bash

# Runs a battery in which strace makes calls fail. It counts calls per thread: each worker begins
# at 1, and so does the main thread, whose own calls a WHEN has to spare.
broken() { # CALL ACTION WHEN OPTIONS...
	local call=$1 action=$2 when=$3
	shift 3
	need_strace
	mkdir -p t
	rm -f "$ASSAY_DB"
	expect 1 strace -f -qq -o trace -e "trace=$call" -e "inject=$call:$action:when=$when" \
		"$ASSAY" run -q --rounds 1 --time 1ms "$@" t
	grep -q INJECTED trace || fail "no $call was made to fail"
	equal "the target" "" "$(ls -A t)"
	equal "the run" failed "$(query 'SELECT status FROM runs')"
	equal "the run in the report" 1 "$(head -1 out | grep -c ', failed, ')"
}

message() { # PHASE
	query "SELECT m.message FROM measurement AS m JOIN point USING (point_id)
		JOIN phase USING (phase_id) WHERE phase.name = '$1' AND m.status = 'failed'"
}

# What the failed measurement says, and that it claims nothing.
failed() { # PHASE OPERATION FILE CAUSE
	message "$1" >said
	[ -s said ] || fail "$1 did not fail"
	grep -qE "^$2 $PWD/t/\.assay-[0-9a-f-]{36}/$3( |:).*$4" said || fail "$1 says: $(cat said)"
	equal "figures of the failed $1" "" \
		"$(query "SELECT operation, metric, value FROM results WHERE phase = '$1' AND value IS NOT NULL")"
	tr -s ' \n' ' ' <out | grep -qF "$(cut -d: -f2- <said | cut -c2-20)" ||
		fail "the report does not say why $1 failed"
}

went_on() { # PHASE: was measured all the same
	equal "the measurement of $1" ok "$(query "SELECT m.status FROM measurement AS m
		JOIN point USING (point_id) JOIN phase USING (phase_id) WHERE phase.name = '$1'")"
	equal "rates of $1 that are missing" 0 \
		"$(query "SELECT count(*) FROM results WHERE phase = '$1' AND metric = 'rate' AND value IS NULL")"
}

files=(--set create_sequential.files=10)

test_a_write_that_fails() {
	broken write error=EIO 5 --phases block_write,create_sequential --size 1m "${files[@]}"
	failed block_write write data.0 'at offset 32768: Input/output error'
	went_on create_sequential
	broken write error=EIO 5 --phases char_write,create_sequential "${files[@]}"
	failed char_write write data.0 'at offset 4: Input/output error'
	went_on create_sequential
	broken write error=EIO 5 --phases rewrite,create_sequential --size 1m "${files[@]}"
	failed rewrite write data.0 'at offset 32768: Input/output error'
	broken write error=EIO 2 --phases seeks,create_sequential --size 4m "${files[@]}"
	failed seeks write data.0 'at offset [0-9]*: Input/output error'
	broken write error=EIO 4 --phases create_sequential,stat_sequential "${files[@]}" \
		--set stat_sequential.files=10 --set create_sequential.file_size=100
	failed create_sequential write 'small/[0-9a-zA-Z]*' 'Input/output error'
	went_on stat_sequential
}

test_a_write_without_space() {
	broken write error=ENOSPC 5 --phases block_write,create_sequential --size 1m "${files[@]}"
	failed block_write write data.0 'No space left on device'
	went_on create_sequential
}

test_a_write_that_moves_less_than_it_should() {
	local moved
	for moved in 0 100; do
		broken write retval=$moved 5 --phases block_write,create_sequential --size 1m "${files[@]}"
		failed block_write write data.0 "at offset 32768: only $moved of 8192 bytes"
		went_on create_sequential
		broken write retval=$moved 4 --phases create_sequential,stat_sequential "${files[@]}" \
			--set stat_sequential.files=10 --set create_sequential.file_size=1000
		failed create_sequential write 'small/[0-9a-zA-Z]*' "only $moved of 1000 bytes"
	done
	broken write retval=0 5 --phases char_write,create_sequential "${files[@]}"
	failed char_write write data.0 'at offset 4: only 0 of 1 bytes'
}

test_a_read_that_fails_or_moves_less_than_it_should() {
	broken read error=EIO 3000 --phases block_read,create_sequential --size 32m "${files[@]}"
	failed block_read read data.0 'at offset 245[0-9]*: Input/output error'
	went_on create_sequential
	broken read retval=4096 3000 --phases block_read --size 32m
	failed block_read read data.0 'only 4096 of 8192 bytes'
	broken read error=EIO 3000 --phases char_read --size 1m --set char_read.char_size=8k
	failed char_read read data.0 'at offset 29[0-9]*: Input/output error'
	broken read retval=0 3000 --phases char_read --size 1m --set char_read.char_size=8k
	failed char_read read data.0 'at offset 29[0-9]*: end of file'
}

test_a_sync_that_fails() {
	local phase
	for phase in char_write block_write; do
		broken fsync error=EIO 1 --phases $phase,create_sequential "${files[@]}" \
			$([ $phase = char_write ] && echo --set char_write.char_size=8k || echo --size 64k)
		failed $phase fsync data.0 'Input/output error'
		went_on create_sequential
	done
	for phase in create_sequential create_random; do
		broken syncfs error=EIO 1 --phases block_write,$phase --size 1m --set $phase.files=10
		failed $phase syncfs small/ 'Input/output error'
		went_on block_write
	done
}

# The loader's own calls must not fail, so strace comes when the run is under way. The same call of
# each worker fails: the one that closes the data file.
test_a_close_that_fails() {
	local nth
	need_strace
	mkdir t
	expect 0 strace -ff -y -qq -o each -e trace=close \
		"$ASSAY" run -q --rounds 1 --time 1ms --phases block_write --size 64k t
	nth=$(grep -n 'data\.0' "$(grep -l 'data\.0' each.* | tail -1)" | cut -d: -f1)
	rm "$ASSAY_DB"
	"$ASSAY" run -q --rounds 1 --time 60s --phases block_write,delete_sequential --size 64k \
		--set delete_sequential.time=1ms --set delete_sequential.files=10 t >out 2>err &
	run=$!
	defer "kill -KILL $run 2>/dev/null"
	when sh -c 'find t -name data.0 -size +8k | grep .'
	strace -f -qq -o trace -e trace=close -e "inject=close:error=EIO:when=$nth" -p "$run" 2>said ||
		skip "strace may not attach: $(cat said)"
	ended 1
	failed block_write close data.0 'Input/output error'
	went_on delete_sequential # which closes nothing
	equal "the target" "" "$(ls -A t)"
}

test_links_and_unlinks_that_fail() {
	broken linkat error=EIO 5 --phases create_sequential,block_write --size 1m "${files[@]}" \
		--set create_sequential.kind=link
	failed create_sequential link 'small/[0-9a-zA-Z]*' 'Input/output error'
	went_on block_write
	broken symlinkat error=EDQUOT 5 --phases create_random,block_write --size 1m \
		--set create_random.kind=symlink --set create_random.files=10
	failed create_random symlink 'small/[0-9a-zA-Z]*' 'Disk quota exceeded'
	broken unlinkat error=EIO 20 --phases delete_random,block_write --size 1m \
		--set delete_random.files=40
	failed delete_random unlink 'small/[0-9a-zA-Z]*' 'Input/output error'
	went_on block_write
}

test_every_figure_of_a_failed_measurement_is_absent_in_each_format() {
	local format
	broken write error=EIO 5 --phases block_write --size 1m
	for format in json csv text markdown; do
		expect 0 "$ASSAY" show --format $format latest
		cp out "report.$format"
	done
	whole_tables report.text
	query "SELECT json_array_length(json_extract(readfile('report.json'), '\$.measurements'))" >count
	equal "measurements" 1 "$(cat count)"
	equal "status" failed "$(query "SELECT json_extract(readfile('report.json'), '\$.measurements[0].status')")"
	equal "values" "" "$(query "SELECT value FROM json_each(readfile('report.json'),
		'\$.measurements[0].metrics') AS m WHERE json_extract(m.value, '\$.value') IS NOT NULL")"
}

# Takes all the space of a filesystem, and what becomes free, until $filler is stopped.
fill() { # DIR
	while :; do cat /dev/zero >>"$1/ballast" 2>/dev/null || sleep 0.01; done &
	filler=$!
	defer "kill $filler 2>/dev/null"
}

test_a_filesystem_that_fills_up_during_the_run() {
	tmpfs_mount 32 fs
	"$ASSAY" run -q --phases block_write,create_sequential --rounds 1 --time 20s --size 16m \
		--set create_sequential.time=1ms "${files[@]}" fs >out 2>err &
	run=$!
	when compgen -G "fs/.assay-*/data.0"
	fill fs
	ended 1
	kill "$filler"
	grep -q 'No space left on device' <(message block_write) || fail "block_write: $(message block_write)"
	equal "the run" failed "$(query 'SELECT status FROM runs')"
	equal "what is left" ballast "$(ls -A fs)"
}

# The write that crosses the limit moves the part for which there is room, and no cause is told.
test_a_log_cut_short_says_why_the_rest_could_not_be_written() {
	mkdir t
	(
		ulimit -f 4002
		expect 1 "$ASSAY" run -q --phases wal_commit --rounds 1 --time 5s \
			--set wal_commit.segment=extending --set wal_commit.segment_size=8m t
	)
	grep -qE '/wal\.[0-9]+ at offset .*: only [0-9]+ of [0-9]+ bytes: File too large' <(message wal_commit) ||
		fail "$(message wal_commit)"
}

test_what_a_failed_phase_wrote_is_not_in_the_way_of_the_next() {
	need_strace
	mkdir t
	expect 1 strace -f -qq -o trace -e trace=write,unlinkat,mkdirat \
		-e inject=write:error=ENOSPC:when=100 "$ASSAY" run -q --rounds 1 --time 1ms --size 1m \
		--phases block_write,create_sequential "${files[@]}" t
	went_on create_sequential
	equal "the order of things" "failed removed next" "$(awk '
		/INJECTED/ { failed = 1; printf "failed" }
		failed && !removed && /unlinkat.*"data.0"/ { removed = 1; printf " removed" }
		failed && /mkdirat.*"small"/ { printf " next"; exit }' trace)"
}

test_an_archive_that_is_full_before_the_run_is_refused() {
	tmpfs_mount 1 fs
	cat /dev/zero >fs/ballast 2>/dev/null || true
	mkdir t
	expect 1 "$ASSAY" run "${tiny[@]}" --db fs/archive.db t
	one_sentence 'fs/archive.db'
	grep -q 'full\|No space' err || fail "the cause is not told: $(cat err)"
	equal "the target" "" "$(ls -A t)"
}

# The report came out whole although the archive took no more, and said so.
reported_all_the_same() { # POINTS
	has err 'is not archived in full'
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one sentence: $(cat err)"
	has out 'not archived'
	whole_tables out
	equal "points reported" "$1" "$(sed -n 's/^ *Measurements *\([0-9]*\):.*/\1/p' out)"
	equal "the target" "" "$(ls -A t)"
}

test_an_archive_that_fills_up_during_the_run() {
	local kept
	need sqlite3
	tmpfs_mount 2 fs
	mkdir t
	export ASSAY_DB=$PWD/fs/archive.db
	"$ASSAY" run -q "${tiny[@]}" --time 100ms t >out 2>err &
	run=$!
	when sh -c "sqlite3 $ASSAY_DB 'SELECT 1 / (count(*) > 0) FROM measurement' | grep 1"
	fill fs
	ended 1
	kill "$filler"
	wait "$filler" 2>/dev/null || true
	rm fs/ballast
	reported_all_the_same 12
	equal "integrity" ok "$(query 'PRAGMA integrity_check')"
	kept=$(query 'SELECT count(*) FROM measurement')
	[ "$kept" -ge 1 ] && [ "$kept" -lt 12 ] || fail "$kept measurements are archived"
	expect 0 "$ASSAY" run -q "${brief[@]}" t
	equal "the runs" "interrupted complete" "$(query 'SELECT status FROM runs' | xargs)"
	equal "measurements kept" "$kept" "$(query 'SELECT count(*) FROM measurement WHERE run_id = 1')"
}

# Makes every write of the archive fail from some moment on; the report does not depend on it.
test_an_archive_that_fails_at_any_moment_of_a_series() {
	local writes begun at step status
	need_strace
	need sqlite3
	mkdir t
	expect 0 "$ASSAY" run -q "${brief[@]}" --rounds 2 --db clean.db t
	cp clean.db archive.db
	expect 0 strace -qq -o trace -e trace=pwrite64 "$ASSAY" run -q "${brief[@]}" --rounds 3 t
	writes=$(wc -l <trace)
	begun=$((writes / 4)) # well into the first of three rounds
	step=$([ -n "${SOAK:-}" ] && echo 1 || echo $(((writes - begun) / 4 + 1)))
	for ((at = begun; at < writes; at += step)); do
		cp clean.db archive.db
		strace -f -qq -o trace -e trace=pwrite64 -e "inject=pwrite64:error=ENOSPC:when=$at+" \
			"$ASSAY" run -q "${brief[@]}" --rounds 3 --format json t >out 2>err && status=0 || status=$?
		grep -q INJECTED trace || break # the number of writes varies by a few
		equal "exit status at write $at" 1 "$status"
		has err 'is not archived in full'
		has out 'not archived in full: '
		equal "rounds reported" 3 "$(query "SELECT json_array_length(readfile('out'))")"
		equal "their status" complete "$(query "SELECT DISTINCT json_extract(value, '\$.run.status')
			FROM json_each(readfile('out'))")"
		equal "the target" "" "$(ls -A t)"
		equal "integrity" ok "$(query 'PRAGMA integrity_check')"
	done
}

test_a_limit_on_the_size_of_files_is_an_error_of_writing() {
	mkdir t
	expect 1 sh -c "ulimit -f 8192; exec \"$ASSAY\" run -q --phases block_write,create_sequential \
		--rounds 1 --time 1ms --size 16m --set create_sequential.files=10 t"
	failed block_write write data.0 'File too large'
	went_on create_sequential
	equal "the target" "" "$(ls -A t)"
}

test_a_report_that_nobody_can_take() {
	[ -c /dev/full ] || skip "no /dev/full"
	mkdir t
	local got
	for command in "run -q ${brief[*]} t" "show latest" "list" "help" "help phases" "run --help" \
		"--version" "show --format json latest"; do
		got=0
		# shellcheck disable=SC2086
		"$ASSAY" $command >/dev/full 2>err || got=$?
		equal "exit status of $command" 1 "$got"
		equal "lines on stderr of $command" 1 "$(wc -l <err)"
		has err 'No space left on device'
	done
	equal "the run" complete "$(query 'SELECT status FROM runs')"
	expect 1 "$ASSAY" show -o /dev/full latest
	one_sentence 'write /dev/full: No space left on device'
}

test_a_reader_that_leaves_early_is_no_complaint() {
	mkdir t
	expect 0 "$ASSAY" run -q "${brief[@]}" t
	"$ASSAY" help phases 2>err | true
	"$ASSAY" show 2>>err | head -1 >out
	has out 'assay'
	equal "complaints" "" "$(cat err)"
}
