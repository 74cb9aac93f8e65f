# SPDX-License-Identifier: MIT
# Signals at random moments: what was finished stays, what was made goes, and who lives is let be.
# shellcheck shell=bash

phases_of_quick() {
	"$ASSAY" run --profile quick --size 4m --dry-run t |
		sed -n '/^points/,$ s/^  \([a-z_]*\).*/\1/p' | sort -u
}

# Each phase so long that it is killed, each pass so short that it is killed anywhere.
short_profile() {
	local phase
	printf '[profile]\ntime = 60s\nsize = 4m\n'
	for phase in $(phases_of_quick); do
		echo "[$phase]"
		case $phase in
		char_*) echo char_size = 8k ;;
		*_sequential | *_random) echo files = 300 ;;
		esac
	done
}

# A run in the background that takes signals: a script's shell has its own ignore some. Sets $run.
start() { # ARGUMENTS...
	env --default-signal=INT,HUP,TERM "$ASSAY" run --rounds 1 "$@" >out 2>err &
	run=$!
	defer "kill -KILL $run 2>/dev/null"
}

latest() { # COLUMN: of the run archived last
	query "SELECT $1 FROM runs ORDER BY run_id DESC LIMIT 1"
}

finished() { # how many measurements of the latest run are archived
	query "SELECT count(*) FROM measurement WHERE run_id = (SELECT max(run_id) FROM run)"
}

has_begun() { # RUNS THERE WERE: another one is in the archive
	[ "$(query 'SELECT count(*) FROM run')" -gt "$1" ]
}

has_finished() { # RUNS THERE WERE: and its first point is done
	has_begun "$1" && grep -q '^\[1/' err
}

# A run that stands still in t, with its files, until the test ends.
living_run() {
	start --phases block_write --size 4m --time 1h --db living.db t
	living=$run
	when compgen -G "t/.assay-*/data.0"
	kill -STOP "$living"
	its_files=$(cd t && ls -d .assay-*)
}

living_run_ends_in_order() {
	[ -d "t/$its_files" ] || fail "the files of a living run were removed"
	kill -CONT "$living"
	kill -TERM "$living"
	run=$living
	ended 143
}

random_ms() { # BELOW
	printf '0.%03d' $((RANDOM % $1))
}

# One run, killed at a random moment of a phase, after another phase was finished.
kill_in() { # PHASE SIGNAL
	local phase=$1 signal=$2 first=block_write begun before left
	[ "$phase" != block_write ] || first=char_write
	begun=$(query 'SELECT count(*) FROM run')
	start --profile short.ini --phases "$first,$phase" --set "$first.time=1ms" t
	if [ "$phase" = char_write ]; then
		when has_begun "$begun"
	else
		when has_finished "$begun"
	fi
	sleep "$(random_ms 300)"
	before=$(grep -c '^\[' err || true)
	kill "-$signal" "$run"
	case $signal in
	INT) ended 130 ;;
	TERM) ended 143 ;;
	KILL) ended 137 ;;
	esac
	[ "$(finished)" -ge "$before" ] || fail "$phase $signal: $before were finished, $(finished) archived"
	left=$(cd t && ls -d .assay-* | grep -v "$its_files" || true)
	if [ "$signal" = KILL ]; then
		[ -n "$left" ] || fail "$phase: nothing was left, so nothing is shown"
	else
		equal "$phase $signal: what is left" "" "$left"
		equal "$phase $signal: the run" interrupted "$(latest status)"
		has err 'interrupted by a signal'
	fi
	equal "$phase $signal: integrity" ok "$(query 'PRAGMA integrity_check')"
	next_run_cleans_up "$phase $signal" "$left"
}

next_run_cleans_up() { # WHAT LEFT
	start "${brief[@]}" t
	ended 0
	[ -z "$2" ] || has err "removed $PWD/t/$2, left by a run that was killed"
	equal "$1: in the target" "$its_files" "$(cd t && ls -A)"
	equal "$1: the run reads" interrupted \
		"$(query 'SELECT status FROM run ORDER BY run_id DESC LIMIT 1 OFFSET 1')"
}

test_a_run_that_is_killed_at_a_random_moment() {
	local times=$([ -n "${SOAK:-}" ] && echo 100 || echo 10) phase signal
	need sqlite3
	env --default-signal=INT true 2>/dev/null || skip "env cannot reset signals"
	mkdir t
	short_profile >short.ini
	expect 0 "$ASSAY" run -q "${brief[@]}" t
	living_run
	# Every phase once with each signal, in a random order, as often as needed.
	while :; do
		for phase in $(phases_of_quick); do
			for signal in INT TERM KILL; do echo "$phase $signal"; done
		done | shuf
	done | head -n "$times" >kills
	while read -r phase signal; do kill_in "$phase" "$signal"; done <kills
	living_run_ends_in_order
	equal "runs that read as if they lived" 0 \
		"$(query "SELECT count(*) FROM runs WHERE status = 'running'")"
}

test_a_killed_run_reads_interrupted_to_who_only_reads() {
	need sqlite3
	mkdir t
	start --phases block_write --size 4m --time 60s --db other.db t
	when sh -c "sqlite3 other.db 'SELECT status FROM runs' | grep running"
	expect 0 "$ASSAY" list --db other.db --format csv
	has out ,running,
	kill -KILL "$run"
	ended 137
	export ASSAY_DB=$PWD/other.db
	expect 0 "$ASSAY" list --format csv
	has out ,interrupted,
	expect 0 "$ASSAY" show
	has out ', interrupted, '
}

test_two_runs_into_one_archive_at_once_both_succeed() {
	local pids=() pid i
	need sqlite3
	mkdir t u
	for i in 1 2 3; do
		"$ASSAY" run -q "${tiny[@]}" --rounds 2 "$([ $i = 3 ] && echo u || echo t)" >"out.$i" 2>"err.$i" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || fail "a run ended with $?: $(cat err.*)"; done
	equal "what they complain of" "" "$(cat err.*)"
	equal "runs" "complete|6" "$(query 'SELECT status, count(*) FROM runs GROUP BY status')"
	equal "measurements of each" 12 \
		"$(query 'SELECT DISTINCT n FROM (SELECT count(*) AS n FROM measurement GROUP BY run_id)')"
	equal "series" 3 "$(query 'SELECT count(DISTINCT series) FROM runs')"
	equal "integrity" ok "$(query 'PRAGMA integrity_check')"
	equal "the targets" "" "$(ls -A t u | grep -v : | xargs)"
}

test_a_hangup_does_not_end_what_runs_under_nohup() {
	mkdir t
	(trap '' HUP; exec "$ASSAY" run "${brief[@]}" --time 500ms t) >out 2>err &
	run=$!
	when compgen -G "t/.assay-*"
	kill -HUP "$run"
	ended 0
	start --phases block_write --size 4m --time 60s t
	when compgen -G "t/.assay-*/data.0"
	kill -HUP "$run"
	ended 129
	equal "the target" "" "$(ls -A t)"
}

test_an_interrupted_run_leaves_an_earlier_report_alone() {
	mkdir t
	echo "last year's figures" >report
	start --phases block_write --size 4m --time 60s -o report t
	when compgen -G "t/.assay-*/data.0"
	kill -INT "$run"
	ended 130
	equal "the report" "last year's figures" "$(cat report)"
}

leave_behind() { # FILES DIR: what a killed run had made
	start --phases stat_random --set stat_random.files="$1" --set stat_random.directories=7 \
		--set stat_random.time=60s "$2"
	when sh -c "test \"\$(find $2 -type f | wc -l)\" -ge $1"
	kill -KILL "$run"
	ended 137
}

test_what_a_killed_run_left_goes_however_much_it_is() {
	mkdir t
	leave_behind "$([ -n "${SOAK:-}" ] && echo 200000 || echo 5000)" t
	expect 0 "$ASSAY" run "${brief[@]}" t
	has err 'left by a run that was killed'
	equal "what is left" "" "$(ls -A t)"
}

test_what_a_killed_run_left_goes_on_each_filesystem() {
	local type
	tmpfs_mount 64 tmpfs
	for type in ext4 xfs btrfs; do loop_mount $type 320 $type; done
	for type in tmpfs ext4 xfs btrfs; do
		leave_behind 2000 $type
		expect 0 "$ASSAY" run "${brief[@]}" $type
		has err 'left by a run that was killed'
		equal "what is left on $type" "" "$(ls -A $type)"
	done
}

test_what_somebody_put_beside_the_files_of_a_killed_run_stays() {
	mkdir t
	leave_behind 10 t
	echo theirs >"$(echo t/.assay-*)/notes.txt"
	expect 0 "$ASSAY" run "${brief[@]}" t
	has err 'is not assay'
	equal "what is left" notes.txt "$(ls -A t/.assay-*)"
}

test_names_like_ours_that_are_not_ours_stay() {
	local uuid=01234567-89ab-4def-8123-456789abcdef before
	mkdir -p t/.assay-notes elsewhere
	echo theirs >elsewhere/data.0
	ln -s "$PWD/elsewhere" "t/.assay-$uuid"
	mkdir "t/.assay-${uuid}0"
	before=$(snapshot .)
	expect 0 "$ASSAY" run "${brief[@]}" --db elsewhere.db t
	rm -f out err elsewhere.db
	equal "what is there" "$before" "$(snapshot .)"
}
