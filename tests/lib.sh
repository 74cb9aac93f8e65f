# SPDX-License-Identifier: MIT
# lib.sh - what the command line tests share. Each test runs in a fresh directory under `set -eu`.
# $ASSAY is the program; the archive of a test is its own.

export ASSAY_DB="$PWD/archive.db"
export PATH="$PATH:/usr/sbin:/sbin"
unset XDG_DATA_HOME
ulimit -c 0

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

# Runs a command that must end with STATUS; its output is in out and err.
expect() { # STATUS COMMAND...
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	[ "$got" -eq "$want" ] || {
		cat out err
		fail "exit $got instead of $want: $*"
	}
}

equal() { # WHAT WANTED GOT
	[ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"
}

has() { # FILE TEXT
	grep -qF -- "$2" "$1" || {
		cat "$1"
		fail "$1 does not say: $2"
	}
}

query() { # SQL, in the test's archive
	need sqlite3
	sqlite3 "$ASSAY_DB" "$1"
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
	device=$(losetup -f --show --direct-io=on "$dir.img" 2>/dev/null ||
		losetup -f --show "$dir.img" 2>/dev/null) || skip "no loop devices"
	defer "losetup -d $device"
	mkdir -p "$dir"
	mount "$device" "$dir" 2>/dev/null || skip "the kernel has no $type"
	defer "umount $dir"
	rmdir "$dir/lost+found" 2>/dev/null || true
}
