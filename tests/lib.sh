# SPDX-License-Identifier: MIT
# lib.sh - what the command line tests share. Each test runs in a fresh directory under `set -eu`.
# $ASSAY is the program; the archive of a test is its own.
# shellcheck shell=bash

export ASSAY_DB="$PWD/archive.db"
export PATH="$PATH:/usr/sbin:/sbin"
export LC_ALL=C
unset XDG_DATA_HOME
ulimit -c 0

# Every phase of the files group, as short as they get.
tiny=(--profile quick --phases files --time 10ms --size 4m
	--set files.files=40 --set files.char_size=4k --set files.block_size=8k
	--set char_write.block_size=1k --set char_read.block_size=1k)

# One measurement of one phase.
brief=(--phases create_sequential --rounds 1 --time 10ms --set create_sequential.files=40)

# ---- how a test ends ----

cleanups=()
defer() { cleanups+=("$*"); } # COMMAND: runs when the test ends, last first
cleanup() {
	local i
	for ((i = ${#cleanups[@]} - 1; i >= 0; i--)); do eval "${cleanups[i]}" || true; done
}

skip() { # REASON
	echo "skip: $*"
	exit 77
}

fail() { # WHY
	echo "fail: $*" >&2
	exit 1
}

need_root() { [ "$(id -u)" -eq 0 ] || skip "needs root"; }
need() { command -v "$1" >/dev/null 2>&1 || skip "needs $1"; }
need_soak() { [ -n "${SOAK:-}" ] || skip "takes long: make soak"; }

need_strace() { # strace, and leave to trace
	need strace
	strace -f -o /dev/null true 2>/dev/null || skip "strace may not trace here"
}

# A sanitizer cannot look for leaks in what is traced.
strace() { ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 command strace "$@"; }

# ---- what is expected ----

# Runs a command that must end with STATUS, or one of several; its output is in out and err.
expect() { # STATUS[,STATUS] COMMAND...
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	[[ ,$want, == *,$got,* ]] || {
		cat out err
		fail "exit $got instead of $want: $*"
	}
}

equal() { # WHAT WANTED GOT
	[ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"
}

# Numbers that may differ by PERCENT of the first.
near() { # WHAT WANTED GOT PERCENT
	awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d * 100 <= a * p) }' ||
		fail "$1: wanted $2 within $4 %, got $3"
}

has() { # FILE TEXT
	grep -qF -- "$2" "$1" || {
		cat "$1"
		fail "$1 does not say: $2"
	}
}

has_not() { # FILE TEXT
	! grep -qF -- "$2" "$1" || {
		cat "$1"
		fail "$1 says: $2"
	}
}

# One complete sentence on stderr and nothing on stdout.
one_sentence() { # TEXT IT CONTAINS
	[ ! -s out ] || fail "stdout is not empty: $(head -3 out)"
	equal "lines on stderr" 1 "$(wc -l <err)"
	grep -q '^assay: ' err || fail "stderr does not begin with the program's name: $(cat err)"
	has err "$1"
	has_not err "(null)"
}

query() { # SQL, in the test's archive
	need sqlite3
	sqlite3 -cmd '.timeout 30000' "$ASSAY_DB" "$1"
}

# Waits until COMMAND succeeds, as long as the process $run lives.
when() { # COMMAND...
	while ! "$@" >/dev/null 2>&1; do
		kill -0 "$run" 2>/dev/null || fail "never came: $*: $(cat err)"
		sleep 0.02
	done
}

# The process $run ends, and with STATUS.
ended() { # STATUS
	local got=0
	wait "$run" || got=$?
	[ "$got" -eq "$1" ] || {
		cat out err
		fail "exit $got instead of $1"
	}
}

# Everything below a directory, with sizes and contents.
snapshot() { # DIR
	(cd "$1" && find . -printf '%P %y %m %s %l\n' | sort && find . -type f -exec cksum {} + | sort)
}

# No table of a text report has an empty cell, and each n/a has its reason below the table.
whole_tables() { # FILE
	awk '
	function close_table() {
		if (columns && missing && !told) { print "no reason for n/a before line " NR; bad = 1 }
		columns = missing = told = 0
	}
	/^-+( +-+)+ *$/ {
		close_table()
		at = 1
		while (match(substr($0, at), /-+/)) {
			start[++columns] = at + RSTART - 1
			at += RSTART + RLENGTH - 1
		}
		next
	}
	/^ *$/ { close_table(); next }
	columns && /^n\/a: / { told = 1; next }
	columns && !told {
		if (/^ / && substr($0, start[2]) == "") next # a long name goes on
		for (i = 1; i <= columns; i++) {
			end = i < columns ? start[i + 1] : length($0) + 1
			cell = substr($0, start[i], end - start[i])
			gsub(/ /, "", cell)
			if (cell == "") { print "column " i " is empty: " $0; bad = 1 }
			if (cell == "n/a") missing = 1
		}
		rows++
	}
	END { close_table(); if (!rows) { print "no table at all"; bad = 1 } exit bad }' "$1" ||
		fail "the report is not whole: $1"
	has_not "$1" "+++++"
}

# Fit for a mail: no line is wider than 80 columns.
fits_a_mail() { # FILE
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$1" || fail "$1 is wider than 80 columns"
}

# ---- where tests run ----

loop_device() { # IMAGE: sets $device, given back when the test ends
	device=$(losetup -f --show --direct-io=on "$1" 2>/dev/null ||
		losetup -f --show "$1" 2>/dev/null) || skip "no loop devices"
	defer "losetup -d $device"
}

# Makes a filesystem in a loop image of MIB and mounts it on DIR; both go when the test ends.
loop_mount() { # TYPE MIB DIR [mkfs options]
	local type=$1 mib=$2 dir=$3 device
	shift 3
	need_root
	need losetup
	need "mkfs.$type"
	truncate -s "${mib}M" "$dir.img"
	case $type in
	ext4) "mkfs.$type" -q -F -E nodiscard "$@" "$dir.img" ;;
	xfs) "mkfs.$type" -q -K "$@" "$dir.img" ;;
	btrfs) "mkfs.$type" -q -K "$@" "$dir.img" ;;
	esac
	loop_device "$dir.img"
	mkdir -p "$dir"
	mount "$device" "$dir" 2>/dev/null || skip "the kernel has no $type"
	defer "umount $dir 2>/dev/null || umount -l $dir"
	rmdir "$dir/lost+found" 2>/dev/null || true
}

# A blkio group (cgroup version 1), and what may be moved in it each second.
blkio_group() { # sets $group
	need_root
	group=/sys/fs/cgroup/blkio/assay-test-$BASHPID
	mkdir "$group" 2>/dev/null || skip "no blkio group can be made"
	defer "rmdir $group"
	[ -e "$group/blkio.throttle.read_bps_device" ] || skip "blkio does not throttle here"
}
limit() { # read|write bps|iops DEVICE HOW_MUCH
	echo "$(cat "/sys/class/block/$(basename "$3")/dev") $4" >"$group/blkio.throttle.${1}_${2}_device"
}
in_group() { ( echo "$BASHPID" >"$group/tasks" && "$@" ); } # COMMAND

tmpfs_mount() { # MIB DIR
	need_root
	mkdir -p "$2"
	mount -t tmpfs -o "size=${1}m" tmpfs "$2" 2>/dev/null || skip "no tmpfs may be mounted"
	defer "umount $2 2>/dev/null || umount -l $2"
}

# As somebody whom permissions bind: root hands over to a user that owns nothing.
as_nobody() { # COMMAND...
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		need setpriv
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}
