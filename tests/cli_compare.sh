# SPDX-License-Identifier: MIT
# assay compare: the tables, their formats, what is refused, and (soak) how often like is told from
# like and how long ten thousand runs take.
# shellcheck shell=bash

samples=$here/samples

# The same battery under three schedulers, as a reviewer published it in 2011.
import_reviewer() { # KERNEL of cfq, KERNEL of the others
	local scheduler kernel=$1
	for scheduler in cfq deadline noop; do
		"$ASSAY" import --fact "scheduler=$scheduler" --fact "kernel=$kernel" \
			"$samples/bonnie-1.96-$scheduler-2011.csv" >/dev/null
		kernel=$2
	done
}

# Archived runs of one measurement, each rate at a fact's value: FACT=VALUE RATE...
document() { # FACT VALUE RATE
	cat <<EOF
{ "assay": "0.1.0", "schema": 1,
  "run": { "id": 1, "uuid": "$(cat /proc/sys/kernel/random/uuid)", "series": null, "round": 1,
    "source": "assay", "status": "complete", "label": null, "profile": "quick", "seed": 1,
    "command": "assay run", "started_at": "2026-01-01T00:00:00.000Z", "finished_at": null,
    "facts": { "$1": "$2" }, "tags": {}, "notes": [] },
  "measurements": [ { "id": 1, "phase": "random", "parameters": { "block_size": 8192 },
    "status": "ok", "message": null, "started_at": "2026-01-01T00:00:00.000Z", "elapsed_ns": 1000000000,
    "flags": [], "devices": [], "samples": [],
    "metrics": [ { "operation": "read", "metric": "rate", "value": $3, "unit": "1/s",
      "better": "higher", "headline": true } ] } ] }
EOF
}

add_runs() { # FACT VALUE RATE...
	local fact=$1 value=$2 rate
	shift 2
	for rate; do
		document "$fact" "$value" "$rate" >run.json
		"$ASSAY" import run.json >/dev/null
	done
}

test_three_schedulers_of_2011_stand_side_by_side() {
	import_reviewer 2.6.32 2.6.32
	expect 0 "$ASSAY" compare --by scheduler
	grep -Eq '^seeks.seek rate +556 /s +2.30 k/s +\+314 % few +2.29 k/s +\+312 % few$' out ||
		fail "no row of seeks: $(cat out)"
	has out "confounders  none among the facts recorded"
	has out "n/a: noop: too fast to rate"
	equal "the longest line" 1 "$(awk '{ if (length > 80) bad = 1 } END { print !bad }' out)"
	expect 0 "$ASSAY" compare --by scheduler --strict
	expect 0 "$ASSAY" compare --by scheduler --baseline noop --format markdown
	grep -Eq '^\| seeks.seek \| rate \| 2.29 k/s \| +\| 556 /s \| +\| -75.8 % ' out ||
		fail "not against noop: $(grep seeks.seek out)"
}

test_a_kernel_that_differs_is_said_before_the_tables_and_strict_refuses() {
	import_reviewer 2.6.32 2.6.38
	expect 0 "$ASSAY" compare --by scheduler
	has out "kernel  cfq: 2.6.32; deadline, noop: 2.6.38"
	[ "$(grep -n 'kernel  cfq' out | cut -d: -f1)" -lt "$(grep -n '^Files' out | cut -d: -f1)" ] ||
		fail "the kernel stands behind the tables"
	expect 1 "$ASSAY" compare --by scheduler --strict
	one_sentence "--strict: the groups differ in more than the factors: kernel"
}

test_summaries_of_orion_and_fio_compare_by_size() {
	local size
	for size in 4k 8k; do
		"$ASSAY" import "$samples/orion-11.1-oltp-write-$size-2010.txt" >/dev/null
	done
	for size in 8k 32k 1m; do
		"$ASSAY" import "$samples/fio-1.x-randwrite-$size-8jobs-2011.txt" >/dev/null
	done
	expect 0 "$ASSAY" compare --by small_size source=orion
	grep -Eq '^oltp.small rate +86.9 k/s +48.8 k/s +-43.8 % few$' out || fail "Orion: $(cat out)"
	has out "oltp.num_small  4k: 8; 8k: 11"
	expect 0 "$ASSAY" compare --by block_size source=fio
	grep -Eq '^random.write rate +16.3 k/s +10.5 k/s +-35.6 % few +861 /s +-94.7 % few$' out ||
		fail "fio: $(cat out)"
}

test_verdicts_need_three_runs_and_an_interval() {
	add_runs scheduler none 100 101 102
	add_runs scheduler bfq 150 151 152
	add_runs scheduler kyber 101 102 103
	add_runs scheduler cfq 80 140 200
	add_runs scheduler noop 500
	expect 0 "$ASSAY" compare --by scheduler --format csv
	verdict_of() { awk -F, -v g="$1" '$0 ~ "," g "," { print $(NF - 2) }' out; }
	equal none base "$(verdict_of none)"
	equal bfq better "$(verdict_of bfq)"
	equal kyber same "$(verdict_of kyber)"
	equal cfq unclear "$(verdict_of cfq)"
	equal noop few "$(verdict_of noop)"
	expect 0 "$ASSAY" compare --by scheduler --margin 0.1 --format csv
	equal "kyber within 0.1 %" unclear "$(verdict_of kyber)"
	expect 0 "$ASSAY" compare --by scheduler --only changed 1 2 3 7 8 9
	has out "No row got better or worse."
	has out "kyber, 3 runs: 7, 8, 9; 1 same"
}

test_groups_follow_the_order_of_the_command_line() {
	add_runs scheduler none 100 101
	add_runs scheduler bfq 150
	expect 0 "$ASSAY" compare 3 1 --format json
	has out '"base": "3"'
	expect 0 "$ASSAY" compare latest~1 latest --format json
	has out '"base": "2"'
	expect 0 "$ASSAY" compare 3 2 scheduler=none 1 --format json
	has out '"base": "2"'
}

test_json_keeps_to_its_schema() {
	import_reviewer 2.6.32 2.6.38
	add_runs scheduler none 100 101 102
	add_runs scheduler bfq 150 151 152
	python3 -c 'import jsonschema' 2>/dev/null || skip "needs python3 with jsonschema"
	local arguments
	for arguments in "--by scheduler" "--by scheduler,kernel" "--by scheduler --metric *" \
		"--by version" "--by scheduler --only changed" "--by source --all" ""; do
		# shellcheck disable=SC2086
		(set -f && expect 0 "$ASSAY" compare $arguments --format json)
		python3 - "$here/compare.schema.json" out <<'EOF' || fail "compare $arguments"
import json, sys, jsonschema
schema, document = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(document)
names = [group["name"] for group in document["groups"]]
assert document["base"] in names
for row in document["rows"]:
    assert [cell["group"] for cell in row["cells"]] == names
EOF
	done
}

test_csv_has_a_row_for_each_cell() {
	import_reviewer 2.6.32 2.6.38
	expect 0 "$ASSAY" compare --by scheduler --format csv
	equal rows 36 "$(($(wc -l <out) - 1))"
	equal header "phase,operation,parameters,metric,unit,better,headline,group,n,median,low,high,delta,delta_low,delta_high,verdict,detectable,reason" \
		"$(head -1 out | tr -d '\r')"
	equal "lines that end with CR LF" 37 "$(grep -c $'\r$' out)"
}

test_what_makes_no_sense_is_refused() {
	local line
	expect 1 "$ASSAY" compare
	one_sentence "no archive at"
	add_runs scheduler none 100
	expect 2 "$ASSAY" compare
	one_sentence "there is only run 1: nothing to compare it with"
	add_runs scheduler none 100
	while IFS='|' read -r line wanted; do
		# shellcheck disable=SC2086
		(set -f && expect 2 "$ASSAY" compare $line && one_sentence "$wanted")
	done <<'EOF'
--by scheduler|scheduler is none in all of these runs
--by shceduler|is "scheduler" meant?
--by scheduler,kernel,host|two factors are the most
--by scheduler,scheduler|one factor twice
--by scheduler,|a name is empty
--baseline 7|the baseline "7" is none of the groups: 1, 2
--metric latency|no metric in the archive fits "latency"
--phase randon|is "random" meant?
--margin five|wants a percentage
--margin -1|wants a percentage
--margin 100|wants a percentage
--only same|there is changed
--format yaml|--format yaml
17|"17"
--strictly|did you mean --strict?
EOF
}

test_real_runs_compare_in_every_format() {
	local label format
	mkdir target
	for label in before after; do
		"$ASSAY" run -q "${tiny[@]}" --rounds 3 --label "$label" target >/dev/null
	done
	for format in text markdown csv json; do
		expect 0 "$ASSAY" compare before after --format "$format"
		has out seeks
	done
	expect 0 "$ASSAY" compare before after
	grep -Eq '^  base +before, 3 runs: 1, 2, 3$' out || fail "no base: $(head -5 out)"
	has_not out "it was not recorded"
	expect 0 "$ASSAY" compare before after -o report.txt
	[ ! -s out ] || fail "something was printed beside the report"
	expect 0 "$ASSAY" compare before after
	cmp out report.txt
}

# ---- soak ----

# Thirty separate runs with files made anew, split into two groups of five at random: at most one
# table in twenty says better or worse.
test_like_with_like_of_real_runs() {
	need_soak
	need sqlite3
	local table claims=0
	mkdir target
	"$ASSAY" run -q --profile quick --phases files --time 100ms --size 16m \
		--set files.files=200 --set files.char_size=64k --rounds 30 target >/dev/null
	for table in $(seq 200); do
		query "UPDATE run SET series = NULL; DELETE FROM run_tag;
			INSERT INTO run_tag SELECT run_id, 'side', CASE WHEN n <= 5 THEN 'a' ELSE 'b' END
			FROM (SELECT run_id, row_number() OVER (ORDER BY random()) AS n FROM run) WHERE n <= 10"
		"$ASSAY" compare --by side 'side=*' --format csv >out
		! tail -n +2 out | grep -Eq ',(better|worse),' || claims=$((claims + 1))
	done
	echo "better or worse in $claims of 200 tables"
	[ "$claims" -le 10 ] || fail "better or worse in $claims of 200 tables"
}

# An archive of 10,000 runs of 200 results each, with histograms; one real run lends its points.
make_big_archive() {
	mkdir target
	"$ASSAY" run -q --profile quick --phases files,oltp --size 16m --time 100ms \
		--set files.files=100 target >/dev/null
	query ".read $here/big_archive.sql" >/dev/null
}

test_ten_thousand_runs_compare_within_a_second() {
	need_soak
	need sqlite3
	local start
	make_big_archive
	equal results 1 "$(query 'SELECT count(*) >= 2000000 FROM metric_value')"
	"$ASSAY" compare --by scheduler >/dev/null # reads the archive into memory
	start=$(date +%s%N)
	expect 0 "$ASSAY" compare --by scheduler
	echo "$((($(date +%s%N) - start) / 1000000)) ms"
	[ $(($(date +%s%N) - start)) -lt 1000000000 ] || fail "it took more than a second"
	has out "2500 runs"
	has out "kernel"
}
