# SPDX-License-Identifier: MIT
# What other programs measured, in and out of the archive.
# shellcheck shell=bash

samples=$here/samples

imported() { # FILES...: all of them are taken
	expect 0 "$ASSAY" import "$@"
}

test_every_sample_is_taken_and_the_wrong_ones_are_named() {
	local file
	for file in "$samples"/*; do
		case ${file##*/} in
		refused-*)
			expect 1 "$ASSAY" import "$file"
			has err "${file##*/} is refused: line "
			;;
		*) imported "$file" ;;
		esac
	done
	equal "refused runs" 0 "$(query "SELECT count(*) FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE name = 'import_file' AND value LIKE '%refused%'")"
}

test_a_refused_file_does_not_hold_up_the_others() {
	echo "no result of anything" >words.txt
	expect 1 "$ASSAY" import words.txt "$samples/bonnie-1.96-cfq-2011.csv" missing.csv . "$samples/orion-11.1-iops.csv"
	has err "words.txt is refused: line 1, column 1: "
	has err "missing.csv is refused: No such file or directory"
	has err ". is refused: it is a directory"
	equal "runs" "bonnie++ orion" "$(query "SELECT group_concat(source, ' ') FROM runs")"
}

test_the_name_of_a_file_says_nothing() {
	cp "$samples/fio-3.33-randread-8k.json" orion_summary.txt
	cp "$samples/orion-11.1-lat.csv" x.json
	imported orion_summary.txt x.json
	equal "sources" "fio orion" "$(query "SELECT group_concat(source, ' ') FROM runs")"
}

test_the_same_content_is_recognised_under_any_name() {
	imported "$samples/bonnie-1.96-x3.csv"
	cat "$samples/bonnie-1.96-cfq-2011.csv" "$samples/bonnie-1.96-x3.csv" >all.csv
	imported all.csv --format csv
	equal "already there" 3 "$(grep -c 'already there' out)"
	equal "runs" 4 "$(query "SELECT count(*) FROM runs")"
}

test_standard_input_is_a_file_like_others() {
	expect 0 "$ASSAY" import - <"$samples/bonnie-mail.txt"
	equal "hosts" "old7 node9" "$(query "SELECT group_concat(host, ' ') FROM runs")"
}

test_facts_label_and_tags_are_put_on_each_run() {
	imported "$samples/bonnie-1.96-x3.csv" --fact scheduler=cfq --fact kernel=2.6.32 --label old --tag dc=fra
	equal "runs" "cfq|2.6.32|old|3" "$(query "SELECT scheduler, kernel, label, count(*) FROM runs GROUP BY 1, 2, 3")"
	expect 0 "$ASSAY" list dc=fra --format csv
	equal "lines" 4 "$(wc -l <out)"
	expect 2 "$ASSAY" import "$samples/bonnie-1.96-x3.csv" --fact scheduler
}

test_facts_say_what_old_output_of_fio_leaves_out() {
	imported "$samples/fio-2.1.4.json" --fact rw=randwrite --fact iodepth=32 --fact ioengine=libaio
	equal "parameters" "write|32|libaio" "$(query "SELECT parameters ->> 'operation', parameters ->> 'queue_depth',
		parameters ->> 'engine' FROM results LIMIT 1")"
}

test_what_was_imported_is_shown_and_exported_as_it_was() {
	local id
	imported "$samples"/fio-3.33-*.json "$samples/bonnie-1.96-cfq-2011.csv" "$samples/orion-11.2-oltp-summary.txt"
	for id in $(query "SELECT run_id FROM runs"); do
		expect 0 "$ASSAY" show "$id"
		expect 0 "$ASSAY" export "$id" -o "$id.json"
		expect 0 env ASSAY_DB=other.db "$ASSAY" import "$id.json"
	done
	for id in $(query "SELECT run_id FROM runs"); do
		expect 0 env ASSAY_DB=other.db "$ASSAY" export "$id" -o again.json
		cmp "$id.json" again.json
	done
	expect 0 "$ASSAY" export source=fio -o all.json
	expect 0 env ASSAY_DB=third.db "$ASSAY" import all.json
	expect 0 env ASSAY_DB=third.db "$ASSAY" export source=fio -o again.json
	cmp all.json again.json
}

test_an_archive_of_some_runs_is_exported_and_merged() {
	imported "$samples/bonnie-1.96-x3.csv" "$samples/orion-11.1-iops.csv"
	expect 0 "$ASSAY" export 1 4 -o some.db
	equal "runs" 2 "$(sqlite3 some.db "SELECT count(*) FROM runs")"
	expect 0 "$ASSAY" export 2 --format db -o one.db
	export ASSAY_DB=$PWD/central.db
	expect 0 "$ASSAY" merge some.db one.db --format csv
	equal "report" "some.db,2,0,0,0, one.db,1,0,0,0," "$(tail -n +2 out | tr -d '\r' | paste -sd' ')"
	expect 0 "$ASSAY" merge some.db --format csv
	equal "report" "some.db,0,2,0,0," "$(tail -n +2 out | tr -d '\r')"
	equal "originals" 3 "$(query "SELECT count(*) FROM origin")"
	expect 0 "$ASSAY" annotate 1 --label changed
	expect 1 "$ASSAY" merge some.db
	has out "differs from one of the same UUID"
	equal "label" changed "$(query "SELECT label FROM runs WHERE run_id = 1")"
	expect 2 "$ASSAY" merge "$ASSAY_DB"
	expect 1 "$ASSAY" merge missing.db
	expect 1 "$ASSAY" merge "$samples/orion-11.1-iops.csv"
}

test_exports_are_refused_where_they_cannot_be() {
	imported "$samples/bonnie-1.96-cfq-2011.csv"
	expect 2 "$ASSAY" export
	expect 2 "$ASSAY" export 1 --format bonie
	has err 'did you mean "bonnie"'
	expect 2 "$ASSAY" export 99
	expect 2 "$ASSAY" import
	expect 2 "$ASSAY" merge
	expect 2 "$ASSAY" annotate 1
	expect 2 "$ASSAY" annotate --label x
}

test_a_row_of_bonnie_comes_out_again() {
	imported "$samples/bonnie-2.00a-s0.csv"
	expect 0 "$ASSAY" export latest --format bonnie
	cmp out "$samples/bonnie-2.00a-s0.csv"
}

test_csv_has_a_row_for_each_metric() {
	imported "$samples/orion-11.1-iops.csv"
	expect 0 "$ASSAY" export latest --format csv
	equal "rows" 6 "$(wc -l <out)"
}

test_annotations_reach_every_run_that_is_meant() {
	imported "$samples/bonnie-1.96-x3.csv" --tag old=1
	expect 0 "$ASSAY" annotate source=bonnie++ --label raid --untag old --tag dc=fra --fact scheduler=noop --note 'first remark'
	equal "runs" "raid|noop|3" "$(query "SELECT label, scheduler, count(*) FROM runs GROUP BY 1, 2")"
	equal "tags" "dc=fra 3" "$(query "SELECT name || '=' || value || ' ' || count(*) FROM run_tag GROUP BY name, value")"
	equal "notes" 3 "$(query "SELECT count(*) FROM run_note WHERE note = 'first remark'")"
	expect 0 "$ASSAY" annotate raid --label ''
	equal "labels" 0 "$(query "SELECT count(label) FROM runs")"
}

test_deletion_asks_or_is_told() {
	imported "$samples/bonnie-1.96-x3.csv"
	expect 2 "$ASSAY" delete 1 </dev/null
	has err "say --yes"
	equal "runs" 3 "$(query "SELECT count(*) FROM runs")"
	expect 0 "$ASSAY" delete 1 latest --yes
	equal "runs" 2 "$(query "SELECT run_id FROM runs")"
	expect 2 "$ASSAY" delete 1 --yes
}

test_deletion_on_a_terminal_takes_yes_for_an_answer() {
	need script
	imported "$samples/bonnie-1.96-cfq-2011.csv"
	echo n | script -qec "$ASSAY delete 1" /dev/null >out
	equal "runs" 1 "$(query "SELECT count(*) FROM runs")"
	echo y | script -qec "$ASSAY delete 1" /dev/null >out
	equal "runs" 0 "$(query "SELECT count(*) FROM runs")"
}

test_hostile_names_do_not_reach_the_terminal() {
	imported "$samples/fio-3.26-odd.json"
	expect 0 "$ASSAY" show latest
	! grep -q $'\033' out || fail "an escape reached the terminal"
	printf 'words' >$'a\033[31mb'
	expect 1 "$ASSAY" import $'a\033[31mb'
	! grep -q $'\033' err || fail "an escape reached the terminal"
}

rows() { # COUNT: files rows/N.csv, each of another host
	mkdir rows
	awk -v count="$1" '{ rest = rest substr($0, index($0, "1299173113") + 10) "\n" } END {
		for (i = 1; i <= count; i++) {
			printf "1.96,1.96,host%d,1,%d%s", i, i, rest >("rows/" i ".csv")
			close("rows/" i ".csv")
		}
	}' "$samples/bonnie-1.96-cfq-2011.csv"
}

test_a_thousand_files_take_less_than_ten_seconds() {
	local begin
	rows 1000
	begin=$SECONDS
	imported rows/*.csv -o report.txt
	equal "runs" 1000 "$(query "SELECT count(*) FROM runs")"
	[ $((SECONDS - begin)) -lt 10 ] || fail "$((SECONDS - begin)) s"
}

test_two_writers_and_a_reader_lose_nothing() {
	local i writers=()
	imported "$samples/orion-11.1-iops.csv"
	rows 200
	(for i in $(seq 1 2 199); do "$ASSAY" import "rows/$i.csv" >/dev/null || exit 1; done) &
	writers+=($!)
	(for i in $(seq 2 2 200); do "$ASSAY" import "rows/$i.csv" >/dev/null || exit 1; done) &
	writers+=($!)
	while kill -0 "${writers[0]}" 2>/dev/null || kill -0 "${writers[1]}" 2>/dev/null; do
		expect 0 "$ASSAY" list --format json
		expect 0 "$ASSAY" show latest --format json
	done
	wait "${writers[0]}" && wait "${writers[1]}" || fail "a writer failed"
	equal "runs" 201 "$(query "SELECT count(*) FROM runs")"
	equal "sound" ok "$(query "PRAGMA integrity_check")"
}
