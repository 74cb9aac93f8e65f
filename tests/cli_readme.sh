# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Every command of the README runs as it stands there: the places it names are made here, and what
# loads is told to be brief.

readme=$here/../README.md

# The lines of the README's sh blocks, continuations joined, comments gone.
commands() {
	sed -n '/^```sh$/,/^```$/p' "$readme" | sed '/^```/d' |
		sed -e ':join' -e '/\\$/{N;s/\\\n */ /;b join' -e '}' | sed 's/ *#.*//' | grep .
}

# Names of the README stand for places of this test.
placed() { # COMMAND
	echo "$1" | sed -e "s#/mnt/data#$PWD/data#g; s#/mnt/log#$PWD/log#g; s#/dev/sdx#$device#g" \
		-e "s#~/.local/share/assay/archive.db#$ASSAY_DB#; s#^assay#\"\$ASSAY\"#"
}

# Adds to what loads the options that make it brief: the phases it is about, on little data.
brief_load() { # COMMAND
	local time="--time 20ms --rounds 1" checkpoint="--set checkpoint.interval=50ms --set checkpoint.dirty_pages=64"
	case $1 in
	*"--run latest"* | *--dry-run*) echo "$1" ;;
	*" run "*durability* | *" run "*checkpoint*) echo "$1 $time --size 8m $checkpoint" ;;
	*" run "*"--phases wal_commit"*) echo "$1 $time" ;;
	*" run "*"--phases"* | *"--profile orion"*) echo "$1 $time --size 8m" ;;
	*"sweep --axis"*) echo "$1 $time --size 8m" ;;
	*" run "* | *"certify "*) echo "$1 $time --size 8m --phases random,wal_commit" ;;
	*) echo "$1" ;;
	esac
}

test_every_command_of_the_readme_runs() {
	need_root
	mkdir data log
	cp "$here/samples/bonnie-1.96-cfq-2011.csv" bonnie.csv
	cp "$here"/samples/fio-3.33-json.txt fio.json 2>/dev/null ||
		cp "$(ls "$here"/samples/fio*json* | head -1)" fio.json
	cp "$here/samples/orion-11.1-oltp-write-4k-2010.txt" orion_20100131_1200_summary.txt
	truncate -s 32M disk.img
	device=$(losetup -f --show "$PWD/disk.img" 2>/dev/null) || skip "no loop devices"
	defer "losetup -d $device"
	# What the examples presuppose: some runs, one of them an old array's.
	"$ASSAY" run -q --profile quick --phases random --label old-san --time 20ms --size 8m --rounds 3 data >/dev/null
	local kind
	for kind in deadline noop; do
		"$ASSAY" import --fact scheduler=$kind --fact kernel=2.6-$kind --fact host=db1 \
			"$here/samples/bonnie-1.96-$kind-2011.csv" >/dev/null
	done
	local line status count=0
	while read -r line; do
		case $line in
		make*) continue ;;
		"assay sweep"*) [ -w /sys/block/vda/queue/scheduler ] || continue ;;
		esac
		status=0
		eval "$(brief_load "$(placed "$line")")" >out 2>err </dev/null || status=$?
		case "$line:$status" in
		*:0 | *certify*:[034] | *--resume*:2) ;;
		*)
			cat out err
			fail "exit $status: $line"
			;;
		esac
		count=$((count + 1))
	done < <(commands)
	[ "$count" -gt 30 ] || fail "only $count commands found"
}

test_the_readme_names_the_two_commands() {
	has "$readme" "make certify"
	has "$readme" "make check"
}
