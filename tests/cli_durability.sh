# SPDX-License-Identifier: MIT
# Commits that are durable: the order of writes and syncs seen from outside, syncs that lie, fail or
# take long, where the log lies, what checkpoints count, and that the killed leave nothing.
# shellcheck shell=bash

methods='fdatasync fsync open_dsync open_sync direct_dsync rwf_dsync'

# Runs one phase without warm-up, so that all the load lies in its window.
loaded() { # TRACER... -- OPTIONS...
	local tracer=()
	while [ "$1" != -- ]; do
		tracer+=("$1")
		shift
	done
	shift
	mkdir -p t
	rm -f "$ASSAY_DB"
	expect 0 ${tracer[@]+"${tracer[@]}"} "$ASSAY" run -q --rounds 1 --seed 1 --time 200ms \
		--set durability.warmup=0 "$@" t
	equal "the target" "" "$(ls -A t)"
}

value() { # OPERATION METRIC
	query "SELECT value FROM results WHERE operation = '$1' AND metric = '$2'"
}

fact() { # NAME: of the run just made
	query "SELECT value FROM run_fact JOIN fact_name USING (fact_name_id) WHERE name = '$1'"
}

between() { # WHAT LOW HIGH GOT
	awk -v a="$2" -v b="$3" -v x="$4" 'BEGIN { exit !(x >= a && x <= b) }' ||
		fail "$1: wanted $2 to $3, got $4"
}

# Reads a trace of all threads, the main one left out: each write of the log is synced by the thread
# that wrote it before anybody writes again. Prints the writes and the syncs.
follow_log() { # TRACE SYNC_CALL (or none)
	awk -v sync_call="$2" '
	NR == 1 { main = $1 }
	$1 == main { next }
	function ended() { # a write or a sync
		if (doing == "write" && sync_call == "none") busy = ""
		if (doing == "sync") busy = ""
		if (doing == "write") written = 1
		doing = ""
	}
	/^[0-9]+ +(pwrite64|pwritev2)\([0-9]+<[^>]*\/wal\.[0-9]+>/ {
		if (busy != "") { print "a write while " busy " had not synced: line " NR; exit 1 }
		busy = $1; doing = "write"; written = 0; writes++
		if ($0 !~ /<unfinished/) ended()
		next
	}
	/^[0-9]+ +(fdatasync|fsync)\([0-9]+<[^>]*\/wal\.[0-9]+>/ {
		call = $2; sub(/\(.*/, "", call)
		if (busy != $1 || !written) { print "a sync of what another wrote: line " NR; exit 1 }
		if (call != sync_call) { print call " instead of " sync_call; exit 1 }
		doing = "sync"; syncs++
		if ($0 !~ /<unfinished/) ended()
		next
	}
	/resumed>/ && $1 == busy && doing != "" { ended() }
	END { if (busy != "") { print "the last write was not synced"; exit 1 } print writes + 0, syncs + 0 }' "$1"
}

sync_call_of() { # METHOD
	case $1 in fdatasync | fsync) echo "$1" ;; *) echo none ;; esac
}

opened_as_it_must_be() { # METHOD
	local flags
	flags=$(grep 'openat(.*"wal\.0"' trace | grep 'O_RDWR' | head -1)
	case $1 in
	open_dsync) echo "$flags" | grep -q 'O_DSYNC' && ! echo "$flags" | grep -q 'O_DIRECT' ;;
	open_sync) echo "$flags" | grep -q 'O_SYNC' ;;
	direct_dsync) echo "$flags" | grep -q 'O_DSYNC' && echo "$flags" | grep -q 'O_DIRECT' ;;
	rwf_dsync) grep -q 'pwritev2(.*RWF_DSYNC' trace && ! echo "$flags" | grep -q 'SYNC' ;;
	*) ! echo "$flags" | grep -q 'SYNC\|O_DIRECT' ;;
	esac || fail "$1: opened as $flags"
}

straced=(strace -f -y -s0 -qq -o trace -e trace=openat,pwrite64,pwritev2,fdatasync,fsync)

test_each_method_writes_and_syncs_as_often_as_the_archive_says() {
	local method writes counts operations
	need_strace
	for method in $methods; do
		for writes in 1 2; do
			loaded "${straced[@]}" -- --phases sync_methods \
				--set "sync_methods.method=$method" --set "sync_methods.writes=$writes"
			counts=$(awk 'NR == 1 { main = $1 } $1 == main { next }
				/(pwrite64|pwritev2)\([0-9]+<[^>]*wal\.0>/ { writes++ }
				/(fdatasync|fsync)\([0-9]+<[^>]*wal\.0>/ { syncs++ }
				END { print writes + 0, syncs + 0 }' trace)
			operations=$(value sync count)
			opened_as_it_must_be "$method"
			# The last may have come after the window.
			between "$method: writes" "$((${operations%.*} * writes))" \
				"$(((${operations%.*} + 1) * writes))" "${counts% *}"
			case $(sync_call_of "$method") in
			none) equal "$method: syncs" 0 "${counts#* }" ;;
			*) equal "$method: syncs" "${counts% *}" $((${counts#* } * writes)) ;;
			esac
		done
	done
}

test_each_flush_of_the_log_is_a_write_and_its_sync_and_no_two_overlap() {
	local method clients counts flushes
	need_strace
	for method in $methods; do
		for clients in 1 8; do
			loaded "${straced[@]}" -- --phases wal_commit --set "wal_commit.clients=$clients" \
				--set "wal_commit.method=$method"
			counts=$(follow_log trace "$(sync_call_of "$method")") || fail "$method, $clients: $counts"
			flushes=$(value flush count)
			opened_as_it_must_be "$method"
			between "$method, $clients: writes" "${flushes%.*}" $((${flushes%.*} + 2)) "${counts% *}"
			[ "$(sync_call_of "$method")" = none ] ||
				equal "$method, $clients: syncs" "${counts% *}" "${counts#* }"
			if [ "$clients" -eq 1 ]; then
				# A commit ends after its flush: the window may close, or open, between.
				between "$method: commits of one client" $((${flushes%.*} - 1)) \
					$((${flushes%.*} + 1)) "$(value commit count | cut -d. -f1)"
			else
				between "$method: records per flush" 1.2 8 "$(value commit records_per_flush)"
			fi
		done
	done
}

# A client that was answered too soon would have two new records in one write.
test_no_client_has_two_new_records_in_one_write_of_the_log() {
	need_strace
	loaded strace -f -s70000 -xx -qq -o trace -e trace=pwrite64,fdatasync -- \
		--phases wal_commit --set wal_commit.clients=8 --set wal_commit.record_size=104 \
		--set wal_commit.write_unit=512 --set wal_commit.segment_size=64k
	awk '
	NR == 1 {
		main = $1
		for (i = 0; i < 256; i++) byte[sprintf("%02x", i)] = i
	}
	# "\x80\x00...": the byte at an offset. The clients write nothing but the log.
	function at(o) { return byte[substr(text, 4 * o + 3, 2)] }
	function number(o, n,    v) { for (v = 0; n > 0; n--) v = v * 256 + at(o + n - 1); return v }
	$1 == main || !/pwrite64\(/ || /resumed>/ { next }
	{
		text = $0; sub(/^[^"]*"/, "", text); sub(/".*/, "", text)
		bytes = length(text) / 4; writes++
		for (o = 0; o < bytes && number(o, 4) == 128; o += 128) {
			sequence = number(o + 8, 8); owner = number(o + 16, 8)
			if (sequence in seen) continue
			seen[sequence] = 1; records++
			if (last[owner] == writes) { print "client " owner ": two records in write " writes; exit 1 }
			last[owner] = writes; owners[owner] = 1
		}
	}
	END {
		for (o in owners) clients++
		for (i = 0; i < records; i++) if (!(i in seen)) { print "record " i " was never written"; exit 1 }
		if (clients != 8 || records < 20) { print clients " clients, " records " records"; exit 1 }
	}' trace >said || fail "$(cat said)"
}

# ---- syncs that lie, take long or fail ----

# A target whose syncs are known to reach a disk; else what follows shows nothing.
need_honest_disk() {
	loaded -- --phases sync_methods
	[ "$(fact durability)" = 'durable as far as this machine sees' ] ||
		skip "the disk here is: $(fact durability)"
	has out 'Durability     durable as far as this machine sees'
}

flags() {
	"$ASSAY" show latest --format json | grep -o '"code": *"[a-z_]*"' | sort -u | tr '\n' ' '
}

test_syncs_that_never_reach_the_kernel_turn_the_verdict() {
	local phase
	need_strace
	need_honest_disk
	case $(flags) in *sync_ignored*) fail "an honest disk is accused" ;; esac
	for phase in sync_methods wal_commit sqlite_txn; do
		loaded strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:retval=0 -- --phases $phase
		equal "$phase: the verdict" "not durable" "$(fact durability)"
		case $(flags) in *sync_ignored*) ;; *) fail "$phase: not flagged: $(flags)" ;; esac
		has out 'Durability     not durable'
	done
}

alone_a_sync_that_takes_two_milliseconds_allows_five_hundred_commits_a_second() {
	need_strace
	tmpfs_mount 200 t # where a sync takes no time of its own
	loaded strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:delay_enter=2000 -- \
		--phases wal_commit --set wal_commit.clients=1 --time 1s
	between "commits a second" 200 500 "$(value commit rate)"
	between "median of the latency in ns" 2000000 5000000 "$(value commit latency_p50)"
}

# The call fails in the load and is not tried again, whatever the trial beside it came upon: strace
# counts calls per thread, and when so many are made, the main thread is at its trial or done.
broken_sync() { # CALL WHEN PHASE OPTIONS...: sets $message
	local call=$1 when=$2 phase=$3
	shift 3
	mkdir -p t
	rm -f "$ASSAY_DB"
	expect 1 strace -f -y -qq -o trace -e trace=pwrite64,fdatasync,fsync \
		-e "inject=$call:error=EIO:when=$when" "$ASSAY" run -q --rounds 1 --time 3s \
		--set durability.warmup=0 --phases "$phase" "$@" t
	equal "the target" "" "$(ls -A t)"
	equal "the run" failed "$(query 'SELECT status FROM runs')"
	message=$(query "SELECT message FROM measurement WHERE status = 'failed'")
	equal "figures of the failed $phase" "" \
		"$(query "SELECT operation, metric FROM results WHERE value IS NOT NULL")"
}

test_a_sync_that_fails_fails_the_measurement_and_is_not_tried_again() {
	need_strace
	broken_sync fdatasync 60 sync_methods --set sync_methods.method=fdatasync
	echo "$message" | grep -q "^fdatasync of $PWD/t/.*/wal\.0: Input/output error" ||
		fail "sync_methods says: $message"
	broken_sync fdatasync 60 wal_commit --set wal_commit.clients=8
	echo "$message" | grep -q "^fdatasync of $PWD/t/.*/wal\.0: Input/output error" ||
		fail "wal_commit says: $message"
	# Nobody writes or syncs the log after the failure.
	awk 'NR == 1 { main = $1 } $1 == main { next }
		failed && /^[0-9]+ +(pwrite64|fdatasync)\([0-9]+<[^>]*wal/ { print; exit 1 }
		/fdatasync.*EIO.*INJECTED/ { failed = 1 }
		END { exit !failed }' trace >said || fail "after the failure: $(cat said)"
	broken_sync fdatasync 100 sqlite_txn
	echo "$message" | grep -q "in $PWD/t/.*/sqlite\.db: disk I/O error, fsync or fdatasync" ||
		fail "sqlite_txn says: $message"
	broken_sync fsync 30 checkpoint --size 8m --set checkpoint.interval=200ms \
		--set checkpoint.dirty_pages=100 --set checkpoint.method=fsync
	echo "$message" | grep -q "^fsync of $PWD/t/.*/\(wal\|data\)\.[0-9]: Input/output error" ||
		fail "checkpoint says: $message"
}

# ---- what a place is worth ----

test_memory_is_not_durable_however_it_is_dressed_up() {
	local device
	tmpfs_mount 400 memory
	loaded -- --phases sync_methods
	mkdir memory/t
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 50ms --phases wal_commit memory/t
	equal "tmpfs" "not durable" "$(fact durability)"
	has out "tmpfs is memory"
	case $(flags) in *sync_too_fast*) ;; *) fail "not flagged: $(flags)" ;; esac
	truncate -s 200m memory/image
	mkfs.ext4 -q -F -E nodiscard memory/image
	device=$(losetup -f --show memory/image) || skip "no loop devices"
	defer "losetup -d $device"
	mkdir loop
	mount "$device" loop
	defer "umount loop"
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 50ms --phases wal_commit loop
	equal "a loop device in tmpfs" "not durable" "$(fact durability)"
}

test_a_loop_device_is_judged_by_what_lies_below_it() {
	need_honest_disk
	loop_mount ext4 256 loop
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 50ms --phases wal_commit loop
	equal "a loop device on the disk" "durable as far as this machine sees" "$(fact durability)"
	equal "its reason names the disk below" 0 "$(fact durability_reason | grep -c loop)"
}

test_the_log_goes_where_wal_dir_says_and_has_a_verdict_of_its_own() {
	tmpfs_mount 200 log
	mkdir -p t
	expect 0 "$ASSAY" run -q --rounds 1 --time 50ms --phases checkpoint,sqlite_txn --size 8m \
		--set checkpoint.interval=100ms --set checkpoint.dirty_pages=50 --wal-dir log t
	equal "the verdict on the log" "not durable" "$(fact wal.durability)"
	equal "the log's filesystem" tmpfs "$(fact wal.filesystem)"
	has out "Log durability"
	has out "tmpfs is memory"
	equal "the log's directory" "" "$(ls -A log)"
	[ "$(fact durability)" != "$(fact wal.durability)" ] ||
		[ "$(stat -f -c %T t)" = tmpfs ] || fail "the target has the log's verdict"
	expect 2 "$ASSAY" run -q --phases wal_commit --wal-dir missing t
	expect 2 "$ASSAY" run -q --phases wal_commit --wal-dir /dev/null t
}

test_what_cannot_be_had_is_skipped_with_its_reason() {
	mkdir t
	expect 0 "$ASSAY" run -q --rounds 1 --time 10ms --phases durability --size 8m \
		--set sync_methods.method=direct_dsync --set sync_methods.block_size=1000 \
		--set wal_commit.record_size=1m --set wal_commit.segment_size=64k \
		--set checkpoint.dirty_pages=1000000 --set checkpoint.interval=100ms t
	equal "skipped" 4 "$(query "SELECT count(*) FROM measurement WHERE status = 'skipped'")"
	query "SELECT message FROM measurement WHERE status = 'skipped'" >said
	has said "multiples of"
	has said "does not fit in a segment"
	has said "dirty_pages are too many for the 100 commits of an interval"
}

# ---- checkpoints ----

alone_a_checkpoint_has_three_whole_cycles_and_each_commit_is_in_one_or_not() {
	local count inside outside elapsed
	tmpfs_mount 300 t
	loaded -- --phases checkpoint --size 32m --time 1ms --set checkpoint.interval=400ms \
		--set checkpoint.dirty_pages=400 --set checkpoint.commit_rate=500
	elapsed=$(query "SELECT elapsed_ns FROM measurement")
	equal "the window" 1200000000 "$elapsed"
	count=$(value commit count) inside=$(value commit_in_checkpoint count)
	outside=$(value commit_outside_checkpoint count)
	near "commits at 500 a second" 600 "$count" 10
	between "inside and outside" "$count" "$count" \
		"$(awk -v a="$inside" -v b="$outside" 'BEGIN { print a + b }')"
	between "commits inside" 200 450 "$inside"
	near "pages written" 1200 "$(value page_write count)" 10
	query "SELECT message FROM measurement" >said
	has said "3 whole checkpoints of "
	has said "acknowledged records were read back and are whole"
}

alone_latency_counts_from_when_a_commit_was_to_start() {
	need_strace
	tmpfs_mount 300 t
	# A hundredth of the syncs take 100 ms: of 500 commits a second some 50 wait for each.
	loaded strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:delay_enter=100000:when=50+50 -- \
		--phases checkpoint --size 32m --time 1ms --set checkpoint.interval=1s \
		--set checkpoint.dirty_pages=10 --set checkpoint.commit_rate=500 --set checkpoint.clients=2
	between "95th percentile in ns, of those who had to wait as well" 20000000 5000000000 \
		"$(value commit latency_p95)"
}

# ---- the killed ----

test_a_kill_in_any_phase_leaves_nothing_that_the_next_run_does_not_remove() {
	local phase pid
	local -A settings=([sync_methods]="--set sync_methods.method=fsync"
		[wal_commit]="--set wal_commit.segment=zeroed"
		[checkpoint]="--size 8m --set checkpoint.doublewrite=on --set checkpoint.style=direct"
		[sqlite_txn]="--set sqlite_txn.journal=delete")
	mkdir -p t log
	for phase in sync_methods wal_commit checkpoint sqlite_txn; do
		# shellcheck disable=SC2086
		"$ASSAY" run -q --rounds 1 --time 20s --phases $phase --wal-dir log ${settings[$phase]} \
			t >said 2>&1 &
		pid=$!
		for _ in $(seq 100); do
			find t log -name 'wal.*' -o -name 'sqlite.db-journal' | grep -q . && break
			sleep 0.05
		done
		sleep 0.3
		kill -9 $pid
		wait $pid 2>/dev/null || true
		find t log -type f | grep -q . || fail "$phase was killed too early"
		expect 0 "$ASSAY" run --rounds 1 --time 1ms --phases create_sequential \
			--set create_sequential.files=4 --wal-dir log t
		has err ", left by a run that was killed"
		equal "the target after $phase" "" "$(ls -A t)"
		equal "the log's directory after $phase" "" "$(ls -A log)"
	done
}

# The device cannot tell the log's writes from those of the pages.
test_what_is_written_beside_the_log_is_not_told_as_the_logs() {
	loaded -- --phases wal_commit,wal_mixed --size 16m --set wal_mixed.queue_depth=4
	equal "phases with device figures of a commit" wal_commit "$(query "select distinct phase from results
		where metric like 'device_%_per_commit'")"
}

test_max_write_ends_a_load_of_commits_early() {
	tmpfs_mount 300 t
	rm -f "$ASSAY_DB"
	expect 0 "$ASSAY" run -q --rounds 1 --time 2s --phases wal_commit --max-write 20m \
		--set wal_commit.warmup=0 --set wal_commit.clients=2 \
		--set wal_commit.segment_size=1m --set wal_commit.segment=zeroed t
	query "SELECT message FROM measurement" >said
	has said "--max-write was reached"
	between "bytes flushed" 1000000 20971520 "$(value flush bytes)"
}
