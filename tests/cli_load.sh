# SPDX-License-Identifier: MIT
# What the load generator claims, seen from outside: the requests that reach the kernel and the
# device, what is skipped and why, what happens when one fails.
# shellcheck shell=bash

load() { # OPTIONS...: random or sequential on t, short
	mkdir -p t
	expect 0 "$ASSAY" run -q --rounds 1 --seed 1 --size 16m --time 300ms "$@" t
}

parameter() { # NAME: of the points that were measured, in their order
	query "SELECT json_extract(parameters, '\$.$1') FROM results
		WHERE metric = 'count' GROUP BY measurement_id ORDER BY measurement_id" | xargs
}

metric() { # OPERATION METRIC: of each point
	query "SELECT CAST(round(value) AS INTEGER) FROM results WHERE operation = '$1' AND
		metric = '$2' ORDER BY measurement_id" | xargs
}

skipped_since() { # WORDS: one point was skipped, and its reason has them
	query "SELECT message FROM measurement WHERE status = 'skipped'" >skipped
	equal "points skipped" 1 "$(wc -l <skipped)"
	has skipped "$1"
}

have_engine() { # NAME: it can be used here
	rm -f probe.db
	mkdir -p t
	"$ASSAY" run -q --db probe.db --rounds 1 --size 1m --time 1ms --phases random \
		--set random.queue_depth=1 --set random.operation=read --engine "$1" t >/dev/null 2>probe ||
		skip "the engine $1 cannot be used here: $(tail -1 probe)"
}

# ---- requests as the kernel sees them ----

# Runs a load under strace and leaves the requests of worker N, as `OPERATION BYTES OFFSET
# DESCRIPTOR FILE`, in requests.N, and how it opened data files in opened.N. A worker is known by asking
# for its own CPU time; what it does in between is its load.
traced() { # OPTIONS...
	local file
	need_strace
	mkdir -p t
	rm -f trace.* requests.* opened.* "$ASSAY_DB"
	expect 0 strace -ff -y -s0 -qq -o trace -e abbrev=none -e trace=openat,pread64,pwrite64,io_submit,getrusage \
		"$ASSAY" run -q --rounds 1 --seed 1 --size 16m --time 300ms "$@" t
	workers=0
	for file in trace.*; do
		grep -q '^getrusage(RUSAGE_THREAD' "$file" || continue
		workers=$((workers + 1))
		grep '^openat.*"data\.' "$file" >"opened.$workers" || true
		awk '/^getrusage/ { inside = !inside; next } inside' "$file" |
			sed 's/{aio_data/\n&/g' | sed -nE \
			's/^p(read|write)64\(([0-9]+)<([^>]*)>, .*, ([0-9]+), ([0-9]+)\) .*/\1 \4 \5 \2 \3/p
			s/.*IOCB_CMD_P(READ|WRITE), aio_fildes=([0-9]+)<([^>]*)>, .*aio_nbytes=([0-9]+), aio_offset=([0-9]+).*/\L\1\E \4 \5 \2 \3/p' \
			>"requests.$workers"
	done
	[ "$workers" -gt 0 ] || fail "no worker was seen"
	cat requests.* >requests
}

test_traced_requests_have_the_size_alignment_and_share_that_were_asked_for() {
	local engine total reads
	need_strace
	for engine in sync libaio; do
		(have_engine "$engine") || continue
		traced --phases random --engine "$engine" --set random.block_size=8k \
			--set random.operation=mixed --set random.write_percent=30 \
			--set random.queue_depth=1 --time 1s
		total=$(wc -l <requests)
		reads=$(grep -c '^read' requests)
		[ "$total" -gt 500 ] || fail "$engine: $total requests were seen"
		equal "$engine: requests of another size" "" "$(awk '$2 != 8192' requests | head -3)"
		equal "$engine: offsets that are no multiple, or outside" "" \
			"$(awk '$3 % 8192 || $3 >= 16777216' requests | head -3)"
		near "$engine: share of reads" 70 $((100 * reads / total)) 15
		[ "$(query "SELECT sum(value) FROM results WHERE metric = 'count'" | cut -d. -f1)" -le "$total" ] ||
			fail "$engine: more requests archived than were made"
		equal "$engine: engine archived" "$engine" "$(parameter engine)"
		[ "$(cat trace.* | grep -c 'data\.0", .*O_DIRECT')" -ge 1 ] || fail "$engine: not direct"
	done
}

test_a_stream_goes_on_where_it_was() {
	traced --phases sequential --engine sync --set sequential.block_size=64k \
		--set sequential.operation=read --set sequential.queue_depth=1
	[ "$(wc -l <requests)" -gt 256 ] || skip "too slow to go round"
	equal "requests out of order" "" "$(awk 'NR > 1 && $3 != (last + 65536) % 16777216 { print }
		{ last = $3 }' requests | head -3)"
}

test_jobs_have_descriptors_and_files_of_their_own() {
	local i
	traced --phases random --engine sync --jobs 4 --set random.files=4 \
		--set random.operation=read --set random.queue_depth=1
	equal "workers" 4 "$workers"
	for i in 1 2 3 4; do
		equal "files that worker $i opened" 1 "$(wc -l <"opened.$i")"
		equal "files that it read" 1 "$(cut -d' ' -f4,5 "requests.$i" | sort -u | tee -a read | wc -l)"
	done
	equal "files" 4 "$(cut -d' ' -f2 read | sort -u | wc -l)"
}

test_the_same_seed_gives_the_same_offsets() {
	local i
	for i in 1 2; do
		traced --phases random --engine sync --set random.operation=read \
			--set random.queue_depth=1
		cut -d' ' -f1-3 requests.1 | head -200 >"offsets.$i"
	done
	cmp -s offsets.1 offsets.2 || fail "the same seed, other offsets"
	[ "$(sort -u offsets.1 | wc -l)" -gt 150 ] || fail "few different offsets"
}

# ---- what the device sees ----

test_the_device_moves_the_bytes_and_requests_that_the_archive_claims() {
	local engine
	loop_mount ext4 128 d -E nodiscard,lazy_itable_init=0,lazy_journal_init=0
	for engine in sync libaio io_uring; do
		(have_engine "$engine") || continue
		rm -f "$ASSAY_DB"
		expect 0 "$ASSAY" run -q --rounds 1 --size 32m --time 500ms --phases random \
			--engine "$engine" --set random.operation=read,write --set random.block_size=16k \
			--set random.queue_depth=1 --format json d
		sqlite3 :memory: "WITH m AS (SELECT value AS m
				FROM json_each(readfile('out'), '\$.measurements'))
			SELECT (SELECT json_extract(x.value, '\$.value') FROM json_each(m, '\$.metrics') x
				WHERE json_extract(x.value, '\$.metric') = 'bytes'),
				json_extract(d.value, '\$.read_bytes') + json_extract(d.value, '\$.write_bytes'),
				json_extract(d.value, '\$.reads') + json_extract(d.value, '\$.writes')
			FROM m, json_each(m, '\$.devices') d
			WHERE json_extract(d.value, '\$.name') LIKE 'loop%'" >seen
		equal "$engine: points with a device" 2 "$(wc -l <seen)"
		# Besides ours there is a journal, a MiB of it at most.
		equal "$engine: bytes claimed, bytes and requests of the device that do not agree" "" \
			"$(awk -F'|' '$2 < 0.95 * $1 || $2 > 1.05 * $1 + 1048576 ||
				$3 < 0.95 * $1 / 16384 || $3 > 1.1 * $1 / 16384 + 256' seen)"
	done
	umount d || fail "something still holds the filesystem"
}

alone_the_depth_asked_for_is_kept() {
	local engine
	for engine in libaio io_uring; do
		(have_engine "$engine") || continue
		rm -f "$ASSAY_DB"
		load --phases random --engine "$engine" --set random.operation=read \
			--set random.queue_depth=1,4,32 --set random.batch=1,auto
		equal "$engine: depths" "1 1 4 4 32 32" "$(metric all queue_depth)"
		load --phases random --engine "$engine" --set random.operation=read \
			--set random.queue_depth=8 --set random.batch=4
		equal "$engine: batch" 4 "$(query "SELECT CAST(round(value) AS INTEGER) FROM results
			WHERE metric = 'submit_batch' ORDER BY measurement_id DESC LIMIT 1")"
		[ "$(query "SELECT min(value) > 0 FROM results WHERE metric = 'latency_submit'")" = 1 ] ||
			fail "$engine: no time in the submitting call"
	done
}

# ---- what cannot be measured ----

test_what_cannot_be_done_is_skipped_with_its_reason() {
	load --phases random --engine sync --set random.queue_depth=1,4 --set random.operation=read
	equal "measured" "1" "$(parameter queue_depth)"
	skipped_since "queue_depth 4 needs libaio or io_uring"
	rm -f "$ASSAY_DB"
	load --phases random --set random.block_size=100,4k --set random.operation=read \
		--set random.queue_depth=1
	equal "measured" "4096" "$(parameter block_size)"
	skipped_since "block_size 100 is none"
	rm -f "$ASSAY_DB"
	load --phases random --set random.block_size=32m,4k --set random.operation=read \
		--set random.queue_depth=1
	skipped_since "too small for 1 jobs with blocks of 33554432"
	rm -f "$ASSAY_DB"
	load --phases random --set random.cpus=1000,any --set random.operation=read --set random.queue_depth=1
	skipped_since "CPU 1000 is not one this process may run on"
}

test_a_grid_is_a_product_and_every_point_says_what_it_is() {
	load --phases patterns --set patterns.operation=read,write --set patterns.block_size=512,4k,64k \
		--set patterns.queue_depth=16,32 --time 200ms
	equal "points" 24 "$(query 'SELECT count(*) FROM measurement')"
	equal "measured or skipped" 24 \
		"$(query "SELECT count(*) FROM measurement WHERE status IN ('ok', 'skipped')")"
	equal "measured points without a rate" 0 "$(query "SELECT count(*) FROM measurement
		WHERE status = 'ok' AND measurement_id NOT IN (SELECT measurement_id FROM results
		WHERE metric = 'rate' AND value > 0)")"
}

# ---- engines ----

test_auto_names_an_engine_and_says_why() {
	load --phases random --set random.operation=read --set random.queue_depth=1,8
	[ "$(parameter engine | cut -d' ' -f1)" = sync ] || fail "auto took $(parameter engine)"
	case $(parameter engine | cut -d' ' -f2) in libaio | io_uring) ;; *) fail "auto took $(parameter engine)" ;; esac
	has out "auto: sync, "
}

test_the_null_engine_moves_nothing() {
	traced --phases random --engine null --set random.operation=mixed --set random.queue_depth=1,32
	equal "workers" 2 "$workers"
	equal "requests" "" "$(head -3 requests)"
	has out "cost of the harness"
}

refused() { # STATUS ENGINE CALL=ERRNO...: a run where the kernel refuses these calls
	local status=$1 engine=$2 call inject=()
	shift 2
	need_strace
	mkdir -p t
	rm -f "$ASSAY_DB"
	for call; do inject+=(-e "inject=${call%%=*}:error=${call#*=}"); done
	expect "$status" strace -f -qq -o trace -e trace=io_setup,io_uring_setup "${inject[@]}" "$ASSAY" \
		run -q --rounds 1 --size 1m --time 50ms --phases random --engine "$engine" \
		--set random.queue_depth=1,8 --set random.operation=read t
}

test_an_engine_that_is_refused_is_an_error_by_name_and_left_out_by_auto() {
	refused 2 libaio io_setup=EAGAIN
	has err "the libaio engine cannot be used: fs.aio-max-nr is used up"
	refused 2 libaio io_setup=EPERM
	has err "io_setup is forbidden"
	(have_engine io_uring) || return 0
	refused 2 io_uring io_uring_setup=EPERM
	has err "the io_uring engine cannot be used: "
	refused 0 auto io_uring_setup=EPERM
	equal "without io_uring" "sync libaio" "$(parameter engine)"
	refused 0 auto io_setup=EAGAIN
	equal "without libaio" "sync io_uring" "$(parameter engine)"
	refused 0 auto io_setup=EPERM io_uring_setup=ENOSYS
	equal "without either" "sync" "$(parameter engine)"
	skipped_since "8 requests in flight through one job cannot be had"
	has skipped "the kernel has no io_uring"
	has skipped "io_setup is forbidden"
}

forbid() { # SETTING VALUE: a kernel setting, for as long as the test lasts
	local before
	need_root
	before=$(cat "/proc/sys/$1" 2>/dev/null) || skip "the kernel has no $1"
	defer "echo $before >/proc/sys/$1"
	echo "$2" >"/proc/sys/$1" 2>/dev/null || skip "$1 cannot be set here"
}

alone_settings_that_forbid_an_engine_are_named() {
	need_soak # settings of the whole machine: others may be measuring
	mkdir -p t
	forbid fs/aio-max-nr 0
	expect 2 "$ASSAY" run -q --rounds 1 --size 1m --time 50ms --phases random --engine libaio \
		--set random.queue_depth=8 --set random.operation=read t
	has err "fs.aio-max-nr is used up"
	load --phases random --set random.queue_depth=8 --set random.operation=read
	forbid kernel/io_uring_disabled 2
	expect 2 "$ASSAY" run -q --rounds 1 --size 1m --time 50ms --phases random --engine io_uring \
		--set random.queue_depth=8 --set random.operation=read t
	has err "kernel.io_uring_disabled is 2"
	rm -f "$ASSAY_DB"
	load --phases random --set random.queue_depth=1,8 --set random.operation=read
	equal "left" "sync" "$(parameter engine)"
	skipped_since "cannot be had"
}

# ---- failures ----

test_a_file_cut_off_under_the_load_fails_it_by_name() {
	local load
	mkdir -p t
	"$ASSAY" run -q --rounds 1 --size 16m --time 3s --phases random --engine sync \
		--set random.operation=read --set random.queue_depth=1 t >out 2>err &
	load=$!
	sleep 1.5
	find t -name data.0 -exec truncate -s 4k {} \;
	wait "$load" && fail "reading beyond the end did not fail"
	[ -n "$(query "SELECT 1 FROM measurement WHERE status = 'failed' AND message LIKE
		'read %data.0 at offset %: no byte was moved'")" ] || {
		cat out err
		fail "the measurement does not say what failed"
	}
	equal "rates of what failed" 0 \
		"$(query "SELECT count(*) FROM results WHERE metric = 'rate' AND value IS NOT NULL")"
}

test_calls_that_are_interrupted_or_find_no_room_are_made_again() {
	need_strace
	(have_engine libaio) || skip "no libaio here"
	mkdir -p t
	expect 0 strace -f -qq -o trace -e trace=io_submit -e inject=io_submit:error=EAGAIN:when=5+3 \
		"$ASSAY" run -q --rounds 1 --size 16m --time 300ms --phases random --engine libaio \
		--set random.operation=read --set random.queue_depth=4 --set random.batch=1 t
	grep -q 'EAGAIN.*INJECTED' trace || skip "strace injects nothing here"
	[ "$(metric read count)" -gt 10 ] || fail "nothing was counted"
	expect 1 strace -f -qq -o trace -e trace=io_submit -e inject=io_submit:error=EIO:when=20 \
		"$ASSAY" run -q --rounds 1 --size 16m --time 300ms --phases random --engine libaio \
		--set random.operation=read --set random.queue_depth=4 --set random.batch=1 t
	[ -n "$(query "SELECT 1 FROM measurement WHERE status = 'failed' AND message LIKE
		'read %data.0 at offset %: Input/output error'")" ] || fail "the failure is not told"
}

# ---- devices ----

test_a_device_is_measured_by_reading_and_left_as_it_was() {
	local before
	need_root
	need_strace
	head -c 32m /dev/urandom >image
	loop_device "$PWD/image"
	before=$(cksum <image)
	expect 0 strace -f -y -s0 -qq -o trace -e trace=openat "$ASSAY" run -q --rounds 1 --time 300ms \
		--phases patterns --set patterns.operation=read,write --set patterns.queue_depth=1 "$device"
	! grep "$device" trace | grep -E 'O_RDWR|O_WRONLY' || fail "the device was opened for writing"
	equal "bytes" "$before" "$(cksum <image)"
	equal "points read" 2 "$(query "SELECT count(*) FROM measurement WHERE status = 'ok'")"
	has out "--erase"
}

# io_uring hands what would block to threads of the kernel's, which no thread of ours accounts for.
alone_cpu_time_of_the_kernels_own_threads_counts() {
	(have_engine io_uring) || skip "no io_uring"
	tmpfs_mount 64 target
	local TIMEFORMAT='%U %S' times
	times=$( { time "$ASSAY" run -q --rounds 1 --phases random --engine io_uring --size 32m --time 1s \
		--set random.operation=read --set random.queue_depth=32 --set random.warmup=0 target >out 2>err; } 2>&1 )
	times=$(echo "$times" | tail -1 | awk '{ print 100 * ($1 + $2) }')
	local counted
	counted=$(query "select round(sum(value)) from results where metric in ('cpu_user', 'cpu_system')")
	# The rest of the program has its share too.
	awk -v c="$counted" -v t="$times" 'BEGIN { exit !(c > t - 60 && c < t + 10) }' ||
		fail "the load counts ${counted} % of a CPU for a second, the whole program ${times} %"
}
