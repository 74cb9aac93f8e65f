# SPDX-License-Identifier: MIT
# What each phase of the files group claims to do in its clock, seen from outside: the system calls
# of its workers, and what the archive says of them.
# shellcheck shell=bash

# Runs one phase under strace. A worker asks for its own CPU time right before and right after what
# is timed: what lies between goes to worker.1, worker.2, ..., one for each worker of each pass, as
# `CALL FILE ARGUMENTS = RESULT`; what it did before to before.1, ...
traced() { # OPTIONS...
	local file count=0
	need_strace
	mkdir -p t
	rm -f trace.* worker.* before.* "$ASSAY_DB"
	expect 0 strace -ff -y -s0 -qq -o trace "$ASSAY" run -q --rounds 1 --seed 1 --time 1ms "$@" t
	# shellcheck disable=SC2012
	for file in $(ls -v trace.*); do
		grep -q '^getrusage(RUSAGE_THREAD' "$file" || continue
		count=$((count + 1))
		awk '/^getrusage\(RUSAGE_THREAD/ { exit } 1' "$file" >"before.$count"
		awk '/^getrusage\(RUSAGE_THREAD/ { n++; next } n == 1' "$file" | sed -E \
			's/^([a-z0-9_]+)\([0-9]+<([^>]*\/)?([^>/]*)>(, )?(.*)\) += (-?[0-9]+).*/\1 \3 \5 = \6/;
			s/""(\.\.\.)?, //; s/  += / = /' >"worker.$count"
	done
	workers=$count
	[ "$workers" -gt 0 ] || fail "no worker was seen"
}

archived() { # OPERATION METRIC: of the run just made
	query "SELECT CAST(value AS INTEGER) FROM results WHERE operation = '$1' AND metric = '$2'"
}

each_worker_did() { # WHAT: every worker did what stands in the file expected
	local i
	for ((i = 1; i <= workers; i++)); do
		diff -u expected "worker.$i" >difference || fail "$1: $(head -20 difference)"
	done
}

calls() { # CALL: how many, over all workers
	cat worker.* | grep -c "^$1 " || true
}

moved() { # CALL: bytes, over all workers
	cat worker.* | awk -v call="$1" '$1 == call { bytes += $NF } END { print bytes + 0 }'
}

repeated() { # TIMES LINE
	yes "$2" | head -n "$1"
}

test_block_write_writes_chunks_and_syncs_and_closes_in_the_clock() {
	traced --phases block_write --size 1028k
	{
		repeated 128 'write data.0 8192 = 8192'
		echo 'write data.0 4096 = 4096'
		echo 'fsync data.0 = 0'
		echo 'close data.0 = 0'
	} >expected
	each_worker_did "block_write"
	equal "writes archived" "$(calls write)" "$(archived write count)"
	equal "bytes archived" "$(moved write)" "$(archived write bytes)"
	grep -q 'O_WRONLY' before.1 || fail "not opened to write"
	! grep -q 'O_DIRECT,\|O_DIRECT|' before.1 || fail "buffered was asked for"
}

test_direct_is_direct_in_every_phase_that_offers_it() {
	local phase
	for phase in block_write rewrite block_read seeks; do
		traced --phases "$phase" --size 1m --io direct
		grep 'data.0' before.1 | grep -q 'O_DIRECT' || fail "$phase: not opened with O_DIRECT"
		equal "rates to a cache that $phase does not use" 0 \
			"$(query "SELECT count(*) FROM results WHERE metric = 'throughput_to_cache'")"
	done
}

test_rewrite_reads_a_chunk_seeks_back_and_writes_it() {
	local offset
	traced --phases rewrite --size 1m
	{
		for ((offset = 0; offset < 1048576; offset += 8192)); do
			echo 'read data.0 8192 = 8192'
			echo "lseek data.0 $offset, SEEK_SET = $offset"
			echo 'write data.0 8192 = 8192'
		done
		echo 'fsync data.0 = 0'
		echo 'close data.0 = 0'
	} >expected
	each_worker_did "rewrite"
	equal "rewrites archived" "$(calls write)" "$(archived rewrite count)"
	equal "bytes, counted once" "$(moved write)" "$(archived rewrite bytes)"
}

test_block_read_reads_chunks_of_a_file_whose_pages_were_dropped() {
	traced --phases block_read --size 1m --set block_read.block_size=64k
	{
		repeated 16 'read data.0 65536 = 65536'
		echo 'close data.0 = 0'
	} >expected
	each_worker_did "block_read"
	equal "reads archived" "$(calls read)" "$(archived read count)"
	equal "bytes archived" "$(moved read)" "$(archived read bytes)"
	[ "$(cat trace.* | grep -c '^fadvise64(.*data\.0.*POSIX_FADV_DONTNEED) = 0')" -ge "$workers" ] ||
		fail "pages were not dropped before each pass"
	[ "$(cat trace.* | grep -cE '^(mincore|cachestat|syscall_0x1c3)\(.*\) = 0')" -ge "$workers" ] ||
		fail "nobody looked whether pages had stayed"
}

test_char_phases_move_one_byte_at_a_time() {
	traced --phases char_write --set char_write.char_size=2k --set char_write.block_size=1k
	{
		repeated 2048 'write data.0 1 = 1'
		echo 'fsync data.0 = 0'
		echo 'close data.0 = 0'
	} >expected
	each_worker_did "char_write"
	equal "bytes written" "$(moved write)" "$(archived write bytes)"
	equal "chunks written" $((workers * 2)) "$(archived write count)"

	traced --phases char_read --size 64k --set char_read.char_size=2k --set char_read.block_size=1k
	{
		repeated 2048 'read data.0 1 = 1'
		echo 'close data.0 = 0'
	} >expected
	each_worker_did "char_read"
	equal "bytes read" "$(moved read)" "$(archived read bytes)"
	equal "chunks read" $((workers * 2)) "$(archived read count)"
}

test_char_phases_can_leave_the_bytes_to_the_c_library() {
	traced --phases char_write --set char_write.char_size=64k --set char_write.method=stdio
	equal "bytes written" $((workers * 65536)) "$(moved write)"
	[ "$(calls write)" -lt $((workers * 65)) ] || fail "$(calls write) writes are not buffered ones"
	equal "bytes archived" "$(moved write)" "$(archived write bytes)"
	equal "syncs" "$workers" "$(calls fsync)"

	traced --phases char_read --size 64k --set char_read.char_size=64k --set char_read.method=stdio
	[ "$(calls read)" -lt $((workers * 65)) ] || fail "$(calls read) reads are not buffered ones"
	equal "bytes archived" "$(moved read)" "$(archived read bytes)"
}

# From a seeker's calls: the offset of each seek, and whether it was written back.
visits() {
	awk '
	$1 == "lseek" { at = $NF; next }
	$1 == "read" { if ($NF != 8192) bad = 1; print at, "read"; last = at; next }
	$1 == "write" { if ($NF != 8192 || at != last) bad = 1; print at, "write"; next }
	$1 == "fsync" { synced = NR; next }
	$1 == "close" { if (synced != NR - 1) bad = 1; closed = 1; next }
	{ bad = 1 }
	END { if (bad || !closed) { print "not what a seeker does" > "/dev/stderr"; exit 1 } }' "$1"
}

test_seeks_go_all_over_the_file_without_repeats_and_rewrite_a_tenth() {
	local i
	traced --phases seeks --size 4m # 512 chunks, 128 seeks a pass
	equal "seekers of one pass" 5 "$workers"
	for ((i = 1; i <= workers; i++)); do visits "worker.$i" >>visits || fail "worker $i"; done
	equal "seeks" 128 "$(grep -c read visits)"
	equal "places" 128 "$(sort -u visits | grep -c read)"
	equal "places rewritten" 12 "$(sort -u visits | grep -c write)"
	equal "rewrites" 12 "$(grep -c write visits)"
	equal "offsets that are no multiple of a chunk, or outside" "" \
		"$(awk '$1 % 8192 || $1 >= 4194304' visits)"
	equal "eighths of the file visited" 8 \
		"$(awk '/read/ { print int($1 / 524288) }' visits | sort -u | wc -l)"
	equal "odd and even chunks are rewritten" 2 \
		"$(awk '/write/ { print $1 / 8192 % 2 }' visits | sort -u | wc -l)"
	equal "seeks archived" 128 "$(archived seek count)"
	equal "reads archived" "$(calls read)" "$(archived read count)"
	equal "writes archived" "$(calls write)" "$(archived write count)"
	equal "bytes read" "$(moved read)" "$(archived read bytes)"
	equal "bytes written" "$(moved write)" "$(archived write bytes)"
}

test_seeks_follow_the_seed_and_nothing_else() {
	local i seen
	for i in 1 2; do
		traced --phases seeks --size 1m --set seeks.seekers=1
		visits worker.1 >"visits.$i"
	done
	cmp -s visits.1 visits.2 || fail "the same seed gave other places"
	seen=$(cksum <visits.1)
	traced --phases block_write,seeks --size 1m --set seeks.seekers=1
	for ((i = 1; i <= workers; i++)); do ! grep -q '^lseek' "worker.$i" || visits "worker.$i" >visits.3; done
	equal "places beside another phase" "$seen" "$(cksum <visits.3)"
	traced --phases seeks --size 1m --set seeks.seekers=1 --seed 2
	visits worker.1 >visits.4
	! cmp -s visits.1 visits.4 || fail "another seed gave the same places"
}

small=(--set files.files=40 --set files.file_size=100:5000 --set files.directories=3)

names() { # CALL WORKER: the paths it was made with, in order
	sed -nE "s/^$1 [^ ]* \"([^\"]*)\".*/\1/p" "worker.$2"
}

test_files_are_created_in_the_order_of_their_names() {
	local i
	traced --phases create_sequential "${small[@]}"
	for ((i = 1; i <= workers; i++)); do
		names openat $i >names
		equal "files created" 40 "$(wc -l <names)"
		sort -c names || fail "not in the order of names"
		equal "files not made anew" "" "$(grep '^openat' "worker.$i" | grep -v 'O_WRONLY|O_CREAT|O_EXCL')"
		equal "files closed" 40 "$(grep -c '^close' "worker.$i")"
		equal "the last call" syncfs "$(tail -1 "worker.$i" | cut -d' ' -f1)"
		equal "directories" 3 "$(cut -d/ -f1 names | sort -u | wc -l)"
	done
	equal "creations archived" "$(calls openat)" "$(archived create count)"
	equal "bytes archived" "$(moved write)" "$(archived create bytes)"
	[ "$(moved write)" -ge $((workers * 40 * 100)) ] || fail "files are smaller than asked for"
}

test_files_with_random_names_are_created_out_of_their_order() {
	traced --phases create_random "${small[@]}" --set create_random.directories=1
	names openat 1 >names
	equal "files created" 40 "$(sort -u names | wc -l)"
	! sort -c names 2>/dev/null || fail "the names are in order"
	equal "the last call" syncfs "$(tail -1 worker.1 | cut -d' ' -f1)"
	equal "creations archived" "$(calls openat)" "$(archived create count)"
	equal "bytes archived" "$(moved write)" "$(archived create bytes)"
}

test_stat_visits_each_file_once_and_reads_it() {
	local phase
	for phase in stat_sequential stat_random; do
		traced --phases "$phase" "${small[@]}"
		names newfstatat 1 >names
		equal "$phase: files" 40 "$(wc -l <names)"
		equal "$phase: files visited" 40 "$(sort -u names | wc -l)"
		equal "$phase: files read" 40 "$(names openat 1 | sort -u | wc -l)"
		equal "$phase: archived" "$(calls newfstatat)" "$(archived stat count)"
		equal "$phase: bytes archived" "$(moved read)" "$(archived stat bytes)"
		if [ "$phase" = stat_sequential ]; then
			sort -c names || fail "$phase: not in the order of names"
		else
			! sort -c names 2>/dev/null || fail "$phase: in the order of names"
		fi
	done
}

test_delete_removes_each_file_then_the_directories_and_syncs() {
	local phase
	for phase in delete_sequential delete_random; do
		traced --phases "$phase" "${small[@]}"
		names unlinkat 1 >names
		equal "$phase: unlinks of files" 40 "$(grep -c '^unlinkat.*, 0 = 0$' worker.1)"
		equal "$phase: unlinks of directories" 4 "$(grep -c '^unlinkat.*, AT_REMOVEDIR = 0$' worker.1)"
		equal "$phase: paths removed" 44 "$(sort -u names | wc -l)"
		equal "$phase: the last call" syncfs "$(tail -1 worker.1 | cut -d' ' -f1)"
		equal "$phase: archived" $((workers * 40)) "$(archived delete count)"
		head -40 names >files
		if [ "$phase" = delete_sequential ]; then
			sort -c files || fail "$phase: not in the order of names"
		else
			! sort -c files 2>/dev/null || fail "$phase: in the order of names"
		fi
	done
}

# What strace adds to the final sync has to appear in the time to stable storage.
delayed() { # CALL OPTIONS...
	local call=$1
	shift
	need_strace
	mkdir -p t
	rm -f "$ASSAY_DB"
	expect 0 strace -f -qq -o trace -e "trace=$call" -e "inject=$call:delay_enter=300000" \
		"$ASSAY" run -q --rounds 1 --time 1ms "$@" t
	grep -q "(DELAYED)\|INJECTED\|$call" trace || skip "strace cannot delay calls here"
}

test_a_slow_sync_counts_for_stable_storage_and_not_for_the_cache() {
	local phase late
	for phase in char_write block_write rewrite; do
		delayed fsync --phases "$phase" $([ $phase = char_write ] || echo --size 1m) \
			--set files.block_size=1k \
			$([ $phase != char_write ] || echo --set char_write.char_size=2k)
		late=$(query "SELECT CAST(1e9 * b.value * (1 / s.value - 1 / c.value) AS INTEGER)
			FROM results AS b, results AS s, results AS c
			WHERE b.metric = 'bytes' AND s.metric = 'throughput'
			AND c.metric = 'throughput_to_cache'")
		[ "$late" -ge 300000000 ] || fail "$phase: the sync took $late ns of the clock"
	done
}

test_a_slow_sync_counts_where_files_are_made_and_removed() {
	local phase
	for phase in create_sequential create_random delete_sequential delete_random; do
		delayed syncfs --phases "$phase" --set files.files=10
		[ "$(query 'SELECT min(elapsed_ns) FROM measurement')" -ge 300000000 ] ||
			fail "$phase: syncfs is not in the clock"
	done
	delayed fsync --phases seeks --size 1m
	[ "$(query 'SELECT min(elapsed_ns) FROM measurement')" -ge 300000000 ] ||
		fail "seeks: fsync is not in the clock"
}

# A pass that --max-write would tear is not begun.
test_a_load_ends_before_it_writes_more_than_it_may() {
	traced --phases create_sequential --time 10s --max-write 25000 \
		--set create_sequential.files=10 --set create_sequential.file_size=1000
	equal "passes" 2 "$workers"
	equal "files of the second" 10 "$(grep -c '^openat' worker.2)"
	equal "its last call" syncfs "$(tail -1 worker.2 | cut -d' ' -f1)"
	equal "bytes archived" "$(moved write)" "$(archived create bytes)"
	equal "the remark" 1 "$(query "SELECT count(*) FROM measurement WHERE message LIKE '%--max-write was reached%'")"

	traced --phases block_write --size 64k --time 10s --max-write 150k
	equal "passes" 2 "$workers"
	equal "bytes written" $((16 * 8192)) "$(moved write)"
	equal "bytes archived" "$(moved write)" "$(archived write bytes)"
	equal "the last calls" "fsync close" "$(tail -2 worker.2 | cut -d' ' -f1 | xargs)"
}
