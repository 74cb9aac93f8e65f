# SPDX-License-Identifier: MIT
# What cannot be done is refused in one sentence, before anything is written.
# shellcheck shell=bash

# The target t stays as it was, no archive is made, and stderr holds one sentence with TEXT.
refused() { # STATUS TEXT ARGUMENTS...
	local status=$1 text=$2 before
	shift 2
	mkdir -p t
	echo keep >t/bystander
	before=$(snapshot t)
	expect "$status" timeout 20 "$ASSAY" "$@"
	one_sentence "$text"
	equal "the target after: $*" "$before" "$(snapshot t)"
	[ ! -e "$ASSAY_DB" ] || fail "an archive was made by: $*"
}

# The same for an archive that exists: it stays byte for byte.
refuses_archive() { # TEXT
	local before
	before=$(cksum "$ASSAY_DB")
	mkdir -p t
	expect 1 "$ASSAY" run "${tiny[@]}" t
	one_sentence "$1"
	equal "the archive" "$before" "$(cksum "$ASSAY_DB")"
	equal "the target" "" "$(ls -A t)"
	equal "files beside the archive" "" "$(ls -d "$ASSAY_DB"-* 2>/dev/null)"
}

test_a_word_that_is_unknown_is_refused_with_the_nearest_one() {
	refused 2 'did you mean "run"' runn t
	refused 2 'did you mean --phases' run --phasse block_write t
	refused 2 'did you mean "block_write"' run --phases blok_write t
	refused 2 'did you mean "files"' run --phases flies t
	refused 2 '"nothing_like_it"' run --phases nothing_like_it t
	refused 2 'did you mean "seeks"' run --set seks.seekers=2 t
	refused 2 'did you mean "seekers"' run --set seeks.seeker=2 t
	refused 2 'seeks has no parameter "whatever"' run --set seeks.whatever=2 t
	refused 2 'did you mean "direct"' run --set block_write.io=dirct t
	refused 2 'syscall, stdio' run --set char_write.method=printf t
	refused 2 'xml' run --format xml t
	refused 2 'nope' run --profile nope t
}

test_a_value_that_cannot_be_is_refused() {
	refused 2 'size: "0"' run --size 0 t
	refused 2 'size: "-1m"' run --size -1m t
	refused 2 'size: "2^70"' run --size 2^70 t
	refused 2 'size: "1180591620717411303424"' run --size 1180591620717411303424 t
	refused 2 'size: "1m1"' run --size 1m1 t
	refused 2 'size: ""' run --size "" t
	refused 2 'time: "1x"' run --time 1x t
	refused 2 'time: "0"' run --time 0 t
	refused 2 '--rounds: 0' run --rounds 0 t
	refused 2 '--rounds: "-1"' run --rounds -1 t
	refused 2 '--rounds: "1x"' run --rounds 1x t
	refused 2 '--rounds' run --rounds 18446744073709551616 t
	refused 2 '--rounds' run --rounds 18446744073709551615 t
	refused 2 '--rounds' run --rounds 1000000000000 t
	refused 2 '--seed: "x"' run --seed x t
	refused 2 '--max-write: "lots"' run --max-write lots t
	refused 2 'seekers: "0"' run --set seeks.seekers=0 t
	refused 2 'rewrite_percent: "101"' run --set seeks.rewrite_percent=101 t
	refused 2 'file_size: "9:1"' run --set create_sequential.file_size=9:1 t
	refused 2 'PHASE.PARAMETER=VALUE' run --set seeks t
	refused 2 'NAME=VALUE' run --tag novalue t
	refused 2 'NAME=VALUE' run --fact =x t
}

test_an_option_that_no_phase_takes_is_refused() {
	refused 2 '--jobs' run --phases block_write --jobs 2 t
	refused 2 'block_read is not in this battery' run --phases seeks --set block_read.block_size=4k t
}

test_options_without_their_argument_and_wrong_numbers_of_targets_are_refused() {
	refused 2 'phases' run t --phases
	refused 2 'a target is wanted' run
	refused 2 'one target at a time' run t t
}

test_what_does_not_fit_is_refused() {
	refused 2 'does not fit in' run --size 4096t t
	refused 2 'does not fit in' run --set files.files=100000000 --set files.file_size=1g t
	refused 2 'more than --max-write' run --size 8m --max-write 4m t
}

test_small_files_have_to_fit_beside_the_data_set() {
	tmpfs_mount 64 small
	refused 2 'does not fit in' run --size 40m --phases block_write,create_sequential \
		--set create_sequential.files=1000 --set create_sequential.file_size=40k small
	expect 0 "$ASSAY" run --dry-run --size 40m --phases block_write small
	expect 0 "$ASSAY" run --dry-run --phases create_sequential \
		--set create_sequential.files=1000 --set create_sequential.file_size=40k small
}

test_a_profile_is_refused_with_its_line_and_the_nearest_name() {
	printf '[profile]\nname = x\n[blok_write]\n' >section.ini
	refused 2 'section.ini, line 3: unknown section "blok_write"; did you mean "block_write"' \
		run --profile section.ini t
	printf '[profile]\n; a remark\n\nrunds = 3\n[seeks]\n' >setting.ini
	refused 2 'line 4: unknown setting of [profile] "runds"; did you mean "rounds"' \
		run --profile setting.ini t
	printf '[seeks]\nseekers = 2\n\n[block_write]\nblock_sise = 4k\n' >parameter.ini
	refused 2 'line 5: unknown parameter of block_write "block_sise"; did you mean "block_size"' \
		run --profile parameter.ini t
	printf '[seeks]\nseekers = 1,2,many\n' >value.ini
	refused 2 'line 2: seekers: "many"' run --profile value.ini t
	printf '[profile]\nsize = huge\n[seeks]\n' >size.ini
	refused 2 'line 2: ' run --profile size.ini t
	printf '[profile]\nrounds = 0\n[seeks]\n' >rounds.ini
	refused 2 'rounds' run --profile rounds.ini t
	printf 'seekers = 2\n[seeks]\n' >early.ini
	refused 2 'line 1: a setting before the first section' run --profile early.ini t
	printf '[profile]\nname = nothing\n' >none.ini
	refused 2 'none.ini names no phase' run --profile none.ini t
	printf '[seeks]\nseekers = 2%0200d\n' 0 >long.ini
	refused 2 'line 2: a line longer than' run --profile long.ini t
	printf '[seeks]\nnot a setting\n' >words.ini
	refused 2 'line 2: ' run --profile words.ini t
}

test_a_target_that_cannot_be_used_is_refused() {
	refused 2 'No such file or directory' run nowhere
	echo text >plain
	refused 2 'neither a directory nor a block device' run plain
	refused 2 'neither a directory nor a block device' run /dev/null
	ln -s nowhere dangling
	refused 2 'No such file or directory' run dangling
	equal "the file" text "$(cat plain)"
}

test_a_target_that_is_not_writable_is_refused() {
	mkdir -m 755 t locked
	chmod 777 . t
	[ "$(id -u)" -eq 0 ] || chmod 555 locked
	expect 2 as_nobody "$ASSAY" run "${tiny[@]}" --db archive.db locked
	one_sentence 'locked is not writable: Permission denied'
	[ ! -e archive.db ] || fail "an archive was made"
}

test_a_target_on_a_read_only_filesystem_is_refused() {
	tmpfs_mount 4 ro
	mount -o remount,ro ro
	refused 2 'mounted read-only' run ro
}

test_an_archive_that_is_none_is_refused() {
	echo "these are my notes" >"$ASSAY_DB"
	refuses_archive "is not an archive: it is not an SQLite file"
	need sqlite3
	rm "$ASSAY_DB"
	query 'CREATE TABLE mine (a)'
	refuses_archive "is not an archive: it is an SQLite file of another program"
	rm "$ASSAY_DB"
	mkdir "$ASSAY_DB"
	expect 1 "$ASSAY" run "${tiny[@]}" t
	one_sentence "is a directory, not an archive"
}

test_an_archive_of_a_newer_program_is_refused() {
	need sqlite3
	mkdir t
	expect 0 "$ASSAY" run "${brief[@]}" t
	query 'PRAGMA user_version = 9999'
	refuses_archive 'schema version 9999, made by a newer assay'
	expect 1 "$ASSAY" list
	one_sentence 'schema version 9999, made by a newer assay'
}

test_an_archive_in_a_missing_directory_is_refused() {
	mkdir t
	expect 1 "$ASSAY" run "${tiny[@]}" --db missing/archive.db t
	one_sentence 'the directory of the archive missing/archive.db is missing'
	[ ! -e missing ] || fail "the directory was made"
	equal "the target" "" "$(ls -A t)"
}

test_an_archive_on_a_read_only_filesystem_is_refused() {
	tmpfs_mount 4 ro
	mkdir t
	expect 0 "$ASSAY" run "${brief[@]}" --db ro/archive.db t
	mount -o remount,ro ro
	ASSAY_DB=ro/archive.db
	refuses_archive 'Read-only file system'
	ASSAY_DB=ro/another.db
	expect 1 "$ASSAY" run "${tiny[@]}" t
	one_sentence 'Read-only file system'
	expect 0 "$ASSAY" list --db ro/archive.db
}

test_an_archive_that_may_not_be_written_is_refused() {
	mkdir -m 777 t
	chmod 777 .
	expect 0 "$ASSAY" run "${brief[@]}" t
	chmod 444 "$ASSAY_DB"
	expect 1 as_nobody "$ASSAY" run "${tiny[@]}" t
	one_sentence 'to write: Permission denied'
	mkdir -m 755 locked
	[ "$(id -u)" -eq 0 ] || chmod 555 locked
	expect 1 as_nobody "$ASSAY" run "${tiny[@]}" --db locked/archive.db t
	one_sentence 'its directory refuses: Permission denied'
	equal "the target" "" "$(ls -A t)"
}

test_a_run_that_is_not_there_is_refused() {
	expect 1 "$ASSAY" list
	one_sentence 'no archive at'
	[ ! -e "$ASSAY_DB" ] || fail "reading made an archive"
	mkdir t
	expect 0 "$ASSAY" run "${brief[@]}" t
	expect 2 "$ASSAY" show 99
	one_sentence '99'
	expect 2 "$ASSAY" show never-made
	one_sentence 'never-made'
}

test_a_report_that_cannot_be_written_is_refused_before_the_load() {
	refused 2 'missing/report' run -o missing/report t
	refused 2 'Is a directory' run -o . t
}

test_a_refusal_leaves_an_earlier_report_alone() {
	echo "last year's figures" >report
	refused 2 'no phase' run --phases nothing_like_it -o report t
	equal "the report" "last year's figures" "$(cat report)"
	refused 2 'no phase' run --phases nothing_like_it -o another t
	[ ! -e another ] || fail "an empty report was made"
}
