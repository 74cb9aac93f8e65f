# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sweeps: what they set, in which order, and that all is as it was afterwards.

# Makes $disk, the name of a loop device of its own that carries a filesystem on $dir.
make_target() {
	need_root
	dir=$PWD/target
	loop_mount ext4 96 "$dir"
	disk=$(basename "$(findmnt -no SOURCE "$dir")")
	queue=/sys/block/$disk/queue
	[ -w "$queue/scheduler" ] || skip "the queue of $disk cannot be set"
	grep -q bfq "$queue/scheduler" || skip "$disk does not offer bfq"
}

# Unusual settings, so that a restored default would show.
make_unusual() {
	echo bfq >"$queue/scheduler"
	echo 7 >"$queue/iosched/slice_idle" 2>/dev/null || echo 0 >"$queue/iosched/slice_idle"
	echo 96 >"$queue/nr_requests"
	echo 516 >"$queue/read_ahead_kb"
	echo 2 >"$queue/nomerges"
	[ ! -w "$queue/wbt_lat_usec" ] || echo 12000 >"$queue/wbt_lat_usec" || true
}

settings() {
	(cd "$queue" && for f in scheduler nr_requests read_ahead_kb nomerges wbt_lat_usec iosched/*; do
		[ ! -r "$f" ] || echo "$f $(cat "$f" 2>/dev/null)"
	done)
}

# The settings come back within a second.
back() { # WANTED
	local i
	for i in $(seq 20); do
		[ "$(settings)" != "$1" ] || return 0
		sleep 0.05
	done
	diff <(echo "$1") <(settings) || fail "the settings are not back"
}

quick=(--phases random --set random.operation=read --set random.queue_depth=4 --size 8m --time 50ms)

test_each_setting_is_measured_once_a_round_and_all_is_restored() {
	make_target
	make_unusual
	local before
	before=$(settings)
	expect 0 "$ASSAY" sweep -q --axis scheduler=all --rounds 2 "${quick[@]}" "$dir"
	equal "settings" "$before" "$(settings)"
	equal "visits of each scheduler" "2" "$(query "select distinct count(*) from runs group by scheduler")"
	equal "schedulers" "$(tr ' ' '\n' <"$queue/scheduler" | tr -d '[]' | grep . | sort | tr '\n' ' ')" \
		"$(query "select distinct scheduler from runs order by 1" | tr '\n' ' ')"
	equal "series" 1 "$(query "select count(distinct series) from runs")"
	has out "base     $(tr ' ' '\n' <"$queue/scheduler" | tr -d '[]' | head -1), 2 runs"
}

test_axes_multiply_and_what_is_set_is_what_the_run_says() {
	make_target
	expect 0 "$ASSAY" sweep -q --axis scheduler=none,bfq --axis read_ahead_kb=64,256 --rounds 1 "${quick[@]}" "$dir"
	query "select f.value || ' ' || r.scheduler from runs r join run_fact f using (run_id)
		join fact_name n using (fact_name_id) where n.name='read_ahead_kb' order by 1" >got
	printf '%s\n' '256 bfq' '256 none' '64 bfq' '64 none' >want
	diff want got
}

test_a_schedulers_own_tunable_is_set_and_does_not_stay_for_the_next_visit() {
	make_target
	grep -q mq-deadline "$queue/scheduler" || skip "no mq-deadline"
	expect 0 "$ASSAY" sweep -q --axis scheduler=mq-deadline,mq-deadline:read_expire=200 --rounds 3 "${quick[@]}" "$dir"
	equal "values" "200 500 " "$(query "select distinct f.value from run_fact f join fact_name n using (fact_name_id)
		where n.name='scheduler.read_expire' order by 1" | tr '\n' ' ')"
	equal "each three times" "3" "$(query "select distinct count(*) from run_fact f join fact_name n using (fact_name_id)
		where n.name='scheduler.read_expire' group by f.value")"
}

test_the_order_is_shuffled_and_follows_from_the_seed() {
	make_target
	local seed i=0
	for seed in 1 1 2; do
		expect 0 "$ASSAY" sweep --dry-run --axis scheduler=all --rounds 4 --seed $seed "${quick[@]}" "$dir"
		grep round out >"order.$i"
		i=$((i + 1))
	done
	cmp order.0 order.1
	! cmp -s order.0 order.2 || fail "another seed gives the same order"
	[ ! -e "$ASSAY_DB" ] || equal "runs" 0 "$(query "select count(*) from runs")"
}

alone_options_parameters_and_vm_settings_are_axes_too() {
	make_target
	local dirty
	dirty=$(cat /proc/sys/vm/dirty_ratio /proc/sys/vm/dirty_bytes)
	expect 0 "$ASSAY" sweep -q --axis io=direct,buffered --axis random.block_size=4k,8k --axis jobs=1,2 \
		--rounds 1 "${quick[@]}" "$dir"
	equal "combinations" 8 "$(query "select count(distinct parameters) from results")"
	[ -w /proc/sys/vm/dirty_ratio ] || skip "vm.dirty_ratio cannot be set"
	expect 0 "$ASSAY" sweep -q --axis vm.dirty_ratio=11,13 --rounds 1 "${quick[@]}" "$dir"
	equal "dirty" "$dirty" "$(cat /proc/sys/vm/dirty_ratio /proc/sys/vm/dirty_bytes)"
	equal "facts" "11 13 " "$(query "select distinct value from run_tag where name='sweep.vm.dirty_ratio' order by 1" | tr '\n' ' ')"
}

test_what_cannot_be_swept_is_refused_before_anything_changes() {
	make_target
	local before
	before=$(settings)
	expect 2 "$ASSAY" sweep --axis scheduler=cfq "$dir"
	one_sentence "its successor is bfq"
	expect 2 "$ASSAY" sweep --axis scheduler=deadline "$dir"
	one_sentence "its successor is mq-deadline"
	expect 2 "$ASSAY" sweep --axis scheduler=noop "$dir"
	one_sentence "its successor is none"
	expect 2 "$ASSAY" sweep --axis scheduler=fast "$dir"
	one_sentence "does not offer fast"
	expect 2 "$ASSAY" sweep --axis scheduller=bfq "$dir"
	one_sentence 'did you mean "scheduler"?'
	expect 2 "$ASSAY" sweep --axis scheduler=bfq,bfq "$dir"
	one_sentence "twice"
	expect 2 "$ASSAY" sweep --axis scheduler "$dir"
	one_sentence "NAME=VALUE"
	expect 2 "$ASSAY" sweep "$dir"
	one_sentence "what is to be varied"
	mkdir mem
	if mount -t tmpfs none mem 2>/dev/null; then
		defer "umount mem"
		expect 2 "$ASSAY" sweep --axis scheduler=bfq mem
		one_sentence "no disk"
	fi
	equal "settings" "$before" "$(settings)"
	[ ! -e "$ASSAY_DB" ] || fail "an archive was made"
}

test_sweeping_without_leave_is_refused() {
	make_target
	need setpriv
	chmod 777 "$dir" "$PWD"
	cp "$ASSAY" ./assay && chmod 755 assay
	expect 2 setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$PWD" ./assay sweep --axis scheduler=bfq "$dir"
	one_sentence "it takes root"
}

test_a_value_the_kernel_refuses_is_left_out_with_its_reason() {
	make_target
	expect 0 "$ASSAY" sweep --axis nr_requests=64,4000000000 --rounds 2 "${quick[@]}" "$dir"
	has err "is left out"
	equal "visits" 2 "$(query "select count(*) from runs")"
}

test_a_second_sweep_on_the_same_disk_is_refused() {
	make_target
	"$ASSAY" sweep -q --axis scheduler=none,bfq --rounds 50 --db first.db "${quick[@]}" "$dir" >/dev/null 2>&1 &
	local first=$! i
	defer "kill $first 2>/dev/null; wait $first"
	for i in $(seq 50); do
		[ "$(sqlite3 -cmd '.timeout 5000' first.db "select count(*) from runs" 2>/dev/null || echo 0)" = 0 ] || break
		sleep 0.05
	done
	expect 2 "$ASSAY" sweep --axis nr_requests=64 "${quick[@]}" "$dir"
	one_sentence "another sweep is setting $disk"
	kill -TERM $first
	wait $first || equal "its end" 143 $?
}

# Starts a sweep, kills it at a random moment with SIGNAL on the process or its GROUP, and looks.
kill_once() { # SIGNAL process|group
	local before pid done_before code=0
	before=$(settings)
	# Shells start background commands with SIGINT ignored.
	setsid env --default-signal=INT "$ASSAY" sweep -q --axis scheduler=none,bfq,mq-deadline --rounds 2 --seed 5 "${quick[@]}" "$dir" \
		>/dev/null 2>&1 &
	pid=$!
	sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
	if [ "$2" = group ]; then
		kill "-$1" -- "-$pid" 2>/dev/null || true
	else
		kill "-$1" "$pid" 2>/dev/null || true
	fi
	back_after_death "$before" "$pid" || return 1
	wait $pid || code=$?
	[ ! -e "$ASSAY_DB" ] || equal "integrity" ok "$(query "pragma integrity_check")"
	[ -e "$ASSAY_DB" ] || return 0
	[ "$(query "select count(*) from runs" 2>/dev/null || echo 0)" != 0 ] || { rm -f "$ASSAY_DB"; return 0; }
	# What is left is done by --resume: every visit once.
	"$ASSAY" sweep -q --resume >resume.out 2>&1 || has resume.out "anything left to do"
	equal "settings after resuming" "$before" "$(settings)"
	equal "visits done" 6 "$(query "select count(*) from runs where status='complete'")"
	equal "each once" 6 "$(query "select count(*) from (select distinct round, scheduler from runs where status='complete')")"
	equal "what is left behind" "" "$(ls -A "$dir")"
	rm -f "$ASSAY_DB"
}

back_after_death() { # BEFORE PID
	local i
	for i in $(seq 100); do
		[ -d "/proc/$2" ] && ! grep -q '^State:.Z' "/proc/$2/status" 2>/dev/null || break
		sleep 0.05
	done
	back "$1"
}

alone_killed_sweeps_restore_everything_within_a_second_and_are_resumed() {
	make_target
	make_unusual
	local i kind kinds=("INT process" "TERM group" "KILL process" "KILL group")
	for ((i = 0; i < (${SOAK:-0} ? 14 : 1); i++)); do
		# shellcheck disable=SC2086
		for kind in "${kinds[@]}"; do kill_once $kind; done
	done
}

test_after_a_reboot_nothing_is_restored_and_what_was_set_is_told() {
	make_target
	local journal=/var/lib/assay/sweep-$disk.journal
	mkdir -p /var/lib/assay
	echo 64 >"$queue/read_ahead_kb"
	printf 'assay-sweep 1\nboot 00000000-0000-0000-0000-000000000000\nseries x\nset %s 512\nend\n' \
		"$queue/read_ahead_kb" >"$journal"
	defer "rm -f $journal"
	expect 0 "$ASSAY" run -q --rounds 1 "${quick[@]}" "$dir"
	has err "before the last boot had changed $queue/read_ahead_kb"
	equal read_ahead_kb 64 "$(cat "$queue/read_ahead_kb")"
	printf 'assay-sweep 1\nboot %s\nseries x\nset %s 512\nend\n' "$(cat /proc/sys/kernel/random/boot_id)" \
		"$queue/read_ahead_kb" >"$journal"
	expect 0 "$ASSAY" run -q --rounds 1 "${quick[@]}" "$dir"
	has err "it is 512 again"
	equal read_ahead_kb 512 "$(cat "$queue/read_ahead_kb")"
	expect 0 "$ASSAY" run -q --rounds 1 "${quick[@]}" "$dir"
	[ ! -s err ] || fail "told again: $(cat err)"
}

test_under_another_kernel_the_series_goes_on() {
	make_target
	expect 0 "$ASSAY" sweep -q --axis scheduler=none,bfq --rounds 1 "${quick[@]}" "$dir"
	query "update run_fact set value='5.10.0-old' where fact_name_id=(select fact_name_id from fact_name where name='kernel')"
	expect 0 "$ASSAY" sweep -q --resume "$(query "select series from runs limit 1" | cut -c1-8)"
	equal "runs of the series" 4 "$(query "select count(*) from runs group by series")"
	equal "kernels" 2 "$(query "select count(distinct kernel) from runs")"
	expect 2 "$ASSAY" sweep -q --resume
	one_sentence "anything left to do"
}

test_both_disks_under_a_btrfs_are_set_and_restored() {
	need_root
	need mkfs.btrfs
	local i devices=() name
	for i in 1 2; do
		truncate -s 160M "part$i.img"
		devices+=("$(losetup -f --show "part$i.img" 2>/dev/null)") || skip "no loop devices"
		defer "losetup -d ${devices[-1]}"
	done
	mkfs.btrfs -q -K -f -d raid0 "${devices[@]}"
	mkdir mnt
	mount "${devices[0]}" mnt 2>/dev/null || skip "the kernel has no btrfs"
	defer "umount mnt"
	grep -q bfq "/sys/block/$(basename "${devices[0]}")/queue/scheduler" || skip "no bfq"
	for i in 0 1; do cat "/sys/block/$(basename "${devices[i]}")/queue/scheduler"; done >before
	expect 0 "$ASSAY" sweep -q --axis scheduler=bfq --rounds 1 "${quick[@]}" mnt
	for i in 0 1; do cat "/sys/block/$(basename "${devices[i]}")/queue/scheduler"; done >after
	cmp before after
	for i in 0 1; do
		name=$(basename "${devices[i]}")
		equal "scheduler of $name" bfq "$(query "select f.value from run_fact f join fact_name n using (fact_name_id)
			where n.name='disk.$name.scheduler'")"
	done
}

test_every_other_round_goes_backwards() {
	make_target
	expect 0 "$ASSAY" sweep --dry-run --axis nomerges=0,1,2 --rounds 4 "${quick[@]}" "$dir"
	local i order
	for i in 1 2 3 4; do
		grep -E "round +$i\b" out | grep -o 'nomerges=[0-9]' | tr '\n' ' ' >"order.$i"
	done
	for i in 1 3; do
		order=$(tr ' ' '\n' <"order.$i" | grep . | tac | tr '\n' ' ')
		equal "round $((i + 1))" "$order" "$(cat "order.$((i + 1))")"
	done
}

# Sweeps two settings that are the same, on a device whose limit is lowered step by step meanwhile.
# A row that has a winner is in winners.
sweep_in_a_drift() {
	local most=48000000
	limit read bps "$disk" $most
	touch drifting
	while [ -e drifting ]; do
		sleep 0.1
		most=$((most - most / 50))
		limit read bps "$disk" $most
	done &
	rm -f "$ASSAY_DB"
	in_group expect 0 "$ASSAY" sweep -q --axis nomerges=0,1 --rounds 6 "${quick[@]}" --time 200ms "$dir"
	rm drifting
	wait
	has out cgroup_io_max
	[ "$(query "select max(value) > 1.3 * min(value) from results where headline and metric = 'rate'")" = 1 ] ||
		fail "nothing drifted"
	expect 0 "$ASSAY" compare --by nomerges --format json
	sqlite3 :memory: "select parent.value ->> 'metric', verdict.value from json_tree(readfile('out')) verdict
		join json_tree(readfile('out')) parent on parent.id = verdict.parent
		where verdict.key = 'verdict' and verdict.value in ('better', 'worse')" >winners
}

# One in twenty sweeps may err, two after each other with the same words do not.
alone_a_drift_crowns_no_winner_among_settings_that_are_the_same() {
	make_target
	blkio_group
	sweep_in_a_drift
	[ -s winners ] || return 0
	mv winners first
	sweep_in_a_drift
	equal "rows with the same winner twice" "" "$(sort first | comm -12 - <(sort winners))"
}
