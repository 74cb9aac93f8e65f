# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Certification: each rule with a case that passes and one that fails, and the exit statuses.

load=(--profile quick --rounds 1 --phases random --set random.operation=read --set random.queue_depth=4
	--size 16m --time 150ms)

certify() { # STATUS [options]
	local status=$1
	shift
	mkdir -p target
	expect "$status" "$ASSAY" certify -q "${load[@]}" "$@" target
}

test_without_criteria_the_verdict_is_on_integrity_only() {
	certify 0
	has out "PASS (integrity only)"
	has out "Every phase ended"
	equal "what is left behind" "" "$(ls -A target)"
}

test_a_criterion_just_above_passes_and_just_below_fails() {
	certify 0
	local rate
	rate=$(query "select value from results where headline and metric='rate'")
	expect 0 "$ASSAY" certify --run latest --require "random.read.rate >= $(echo "$rate" | awk '{ print $1 * 0.999 }')"
	has out "Verdict: PASS"
	expect 3 "$ASSAY" certify --run latest --require "random.read.rate>=$(echo "$rate" | awk '{ print $1 * 1.001 }')"
	has out "Verdict: FAIL"
}

test_rounds_that_disagree_are_inconclusive() {
	certify 0 --rounds 2
	local middle
	middle=$(query "select avg(value) from results where headline and metric='rate'")
	expect 4 "$ASSAY" certify --run "series=$(query "select series from runs limit 1")" --require "random.read.rate >= $middle"
	has out "holds in 1 of 2 runs"
}

test_a_criterion_on_a_phase_that_was_skipped_is_inconclusive() {
	mkdir -p target
	expect 4 "$ASSAY" certify -q "${load[@]}" --set random.block_size=100 --require 'random.read.rate >= 1' target
	has out "skipped"
}

test_a_failed_phase_outranks_the_verdict() {
	need_strace
	mkdir -p target
	expect 1 strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=1+ "$ASSAY" certify -q \
		--profile quick --rounds 1 --phases block_write --size 4m --time 10ms target
	has out "Verdict: FAIL"
	has out "Input/output error"
}

test_a_cached_read_is_inconclusive() {
	need_root
	mkdir -p target
	mount -t tmpfs -o size=64m none target 2>/dev/null || skip "no tmpfs"
	defer "umount target"
	expect 4 "$ASSAY" certify -q --profile quick --rounds 1 --phases block_read --size 8m --time 10ms target
	has out "cached"
}

# One read at a time, each of which takes so much longer than the device's own time that this is all
# one device and another differ in.
slowed() { # STATUS MICROSECONDS [options]
	local status=$1 delay=$2
	shift 2
	need_strace
	mkdir -p target
	expect "$status" strace -f -o /dev/null -e trace=pread64 -e "inject=pread64:delay_enter=$delay" \
		"$ASSAY" certify -q "${load[@]}" --engine sync --set random.queue_depth=1 --time 500ms --rounds 3 \
		"$@" target
}

alone_a_device_slower_than_its_own_baseline_fails() {
	slowed 0 2000 --rounds 4 --label before
	slowed 3 4000 --baseline before
	has out "Verdict: FAIL"
	has out "within 10 % of"
}

alone_the_same_device_against_its_own_baseline_never_fails() {
	local i
	slowed 0 2000 --label before
	for i in $(seq $([ -n "${SOAK:-}" ] && echo 10 || echo 3)); do
		slowed 0,4 2000 --baseline before
	done
}

test_criteria_that_cannot_be_judged_are_refused_before_any_load() {
	local criterion
	mkdir target
	while IFS='|' read -r criterion words; do
		expect 2 "$ASSAY" certify "${load[@]}" --require "$criterion" target
		one_sentence "$words"
	done <<-'END'
		randon.read.rate >= 1|did you mean "random"?
		random.raed.rate >= 1|did you mean "read"?
		random.read.latency_pp99 <= 1ms|did you mean "latency_p99"?
		random.read.latency_p99 <= 5|a duration with its unit
		random.read.rate >= 5ms|a number per second
		random.read.throughput >= fast|in bytes
		random.read.rate[queue_dept=4] >= 1|did you mean "queue_depth"?
		random.read.rate[queue_depth=33] >= 1|no point of the battery matches
		random.write.rate >= 1|no point of the battery matches
		seeks.seek.rate >= 1|no point of the battery matches
		random.read.rate = 5|wants PHASE.OPERATION.METRIC
	END
	printf '[profile]\nname = mine\n[random]\noperation = read\n[criteria]\nrule = random.read.rat >= 5\n' >mine.ini
	expect 2 "$ASSAY" certify --profile mine.ini target
	one_sentence "line 6"
	expect 2 "$ASSAY" certify "${load[@]}" --baseline no-such-label target
	[ ! -e "$ASSAY_DB" ] || equal "runs" 0 "$(query "select count(*) from runs")"
}

test_the_certificate_comes_in_every_format() {
	certify 0 --require 'random.read.latency_p50 <= 10s' --format json
	equal verdict PASS "$(sqlite3 :memory: "select json_extract(readfile('out'), '\$.verdict')")"
	expect 0 "$ASSAY" certify --run latest --require 'random.read.latency_p50 <= 10s' --format csv
	equal "header" "rule,required,measured,result,reason" "$(head -1 out | tr -d '\r')"
	expect 0 "$ASSAY" certify --run latest --format markdown
	has out "Verdict: PASS"
	expect 0 "$ASSAY" certify --run latest --format html
	has out "<html"
	has out "Verdict: PASS"
}

# ---- steady state ----

# A profile that follows random reads until they are steady: steady_profile ROUNDS_MAX
steady_profile() {
	cat >steady.ini <<-END
		[profile]
		name = steady
		time = 150ms
		size = 16m
		[random]
		operation = read
		queue_depth = 4
		[criteria]
		rule = random.read.rate >= 1
		[steady_state]
		track = random.read.rate[queue_depth=4]
		rounds_max = $1
		precondition = 2
	END
}

test_rounds_go_on_until_the_state_is_steady() {
	need_root
	mkdir target
	mount -t tmpfs -o size=64m none target 2>/dev/null || skip "no tmpfs"
	defer "umount target"
	steady_profile 25
	local got=0 rounds
	"$ASSAY" certify --profile steady.ini target >out 2>err || got=$?
	rounds=$(query "select count(*) from runs")
	case $got in
	0)
		has out "rate[queue_depth=4]"
		has err "steady state after $rounds rounds"
		equal "rounds of the steady state" 5 \
			"$("$ASSAY" list steady_state=yes --format csv | tail -n +2 | wc -l)"
		;;
	4) [ "$rounds" -eq 25 ] || fail "gave up after $rounds rounds" ;;
	*) fail "exit $got" ;;
	esac
	has out "of these files only"
	[ "$rounds" -ge 5 ] || fail "$rounds rounds"
}

test_a_state_that_is_never_steady_is_inconclusive() {
	local got=0 certifying
	blkio_group
	truncate -s 16m image
	loop_device image
	steady_profile 6
	limit read iops "$device" 7000
	in_group "$ASSAY" certify --profile steady.ini "$device" >out 2>err &
	certifying=$!
	# Each round finds the device slower than the last.
	while kill -0 $certifying 2>/dev/null; do
		sleep 0.05
		limit read iops "$device" $((7000 - 1000 * $(query "select count(*) from runs where status = 'complete'" || echo 0)))
	done
	wait $certifying || got=$?
	equal status 4 "$got"
	has out "Verdict: INCONCLUSIVE"
	has out "not reached within 6 rounds"
	equal rounds 6 "$(query "select count(*) from runs")"
}

test_an_archived_series_is_held_to_the_profile_it_was_made_by() {
	steady_profile 25
	mkdir target
	expect 0 "$ASSAY" run -q --profile steady.ini --rounds 2 target
	expect 4 "$ASSAY" certify --run "series=$(query "select series from runs limit 1")"
	has out "of the last 5 rounds 2 have a value"
	has out "at least 1 /s"
}

test_a_device_is_written_whole_before_the_first_round() {
	local before wrote
	truncate -s 32m image
	loop_device image
	steady_profile 25
	sed -i '/^size/d' steady.ini
	expect 0 "$ASSAY" run --dry-run --profile steady.ini --erase "$device" "$device"
	has out "64.0 MiB are written to the device"
	has out "5 to 25, until steady"
	before=$(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat")
	expect 0 "$ASSAY" run -q --profile steady.ini --rounds 1 --erase "$device" "$device"
	wrote=$((($(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat") - before) / 2048))
	equal "MiB written" 64 "$wrote"
	expect 2 "$ASSAY" run -q --profile steady.ini --rounds 1 --max-write 63m --erase "$device" "$device"
	one_sentence "--max-write"
	# Without leave to write nothing is.
	before=$(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat")
	expect 0 "$ASSAY" run -q --profile steady.ini --rounds 1 "$device"
	equal "sectors written" "$before" "$(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat")"
}

test_a_device_that_fails_while_it_is_written_before_is_named() {
	need_strace
	truncate -s 32m image
	loop_device image
	steady_profile 25
	sed -i '/^size/d' steady.ini
	expect 1 strace -f -o /dev/null -P "$device" -e trace=pwrite64 -e inject=pwrite64:error=EIO:when=3+ \
		"$ASSAY" run -q --profile steady.ini --rounds 1 --erase "$device" "$device"
	one_sentence "$device"
	one_sentence "Input/output error"
	equal status failed "$(query "select status from runs")"
	equal measurements 0 "$(query "select count(*) from measurement")"
	equal "facts that claim it" 0 "$(query "select count(*) from run_fact join fact_name using (fact_name_id)
		where name = 'precondition_bytes'")"
}

test_a_sweep_writes_the_device_whole_once_whatever_it_sweeps() {
	need_root
	local before wrote
	truncate -s 32m image
	loop_device image
	steady_profile 25
	sed -i '/^size/d' steady.ini
	before=$(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat")
	expect 0 "$ASSAY" sweep -q --profile steady.ini --axis jobs=1,2 --rounds 2 --erase "$device" "$device"
	wrote=$((($(awk '{ print $7 }' "/sys/block/${device#/dev/}/stat") - before) / 2048))
	equal "MiB written" 64 "$wrote"
}
