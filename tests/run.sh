#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the CUnit program and every tests/cli_*.sh: run.sh TESTER [NAME ...]. A script defines
# functions test_WHAT_IT_SHOWS, which come to the same whatever else goes on in the machine and run
# beside those of other scripts, and alone_WHAT_IT_SHOWS, which look at what its devices, caches and
# CPUs do: they come last, one by one. Each runs in a shell and a directory of its own. Exit 77 from
# `skip REASON` is a skip, never a pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tester=$1
shift
: "${ASSAY:?the program to test}"

tally=$(mktemp "${TMPDIR:-/tmp}/assay-tally.XXXXXX")
trap 'rm -f "$tally" "$tally".*' EXIT

run_test() { # SCRIPT FUNCTION
	local script=$1 name=$2 work code begun verdict
	work=$(mktemp -d "${TMPDIR:-/tmp}/assay-test.XXXXXX")
	begun=${EPOCHREALTIME/./}
	(
		set -eu
		cd "$work"
		# shellcheck disable=SC1091
		. "$here/lib.sh"
		# shellcheck disable=SC1090
		. "$script"
		trap cleanup EXIT
		"$name"
	) >"$work.log" 2>&1
	code=$?
	case $code in
	0) verdict=passed ;;
	77) verdict="skipped: $(grep '^skip: ' "$work.log" | tail -1 | cut -c7-)" ;;
	*) verdict=FAILED ;;
	esac
	echo "${verdict%%:*}" >>"$tally"
	printf '  %-72s %5.1f s  %s\n' "$(echo "${name#*_}" | tr _ ' ')" \
		"$(((${EPOCHREALTIME/./} - begun) / 100000))e-1" "$verdict"
	[ "$verdict" != FAILED ] || sed 's/^/      /' "$work.log" | tail -40
	rm -rf "$work" "$work.log"
}

run_script() { # SCRIPT KIND: its functions of that kind, if there are any
	local name names
	names=$(sed -n "s/^\($2_[a-z0-9_]*\)() *{.*/\1/p" "$1")
	[ -n "$names" ] || return 0
	echo
	echo "$(basename "$1" .sh)$([ "$2" = test ] || echo ", $2"):"
	for name in $names; do run_test "$1" "$name"; done
}

# Runs what there is beside each other, a few at a time, and shows each when it is done.
beside() { # FUNCTION ARGUMENT...
	local most=$(($(nproc) < 4 ? 5 : 7)) to
	while [ "$(jobs -rp | wc -l)" -ge $most ]; do wait -n; done
	to=$(mktemp "$tally.out.XXXXXX")
	(
		"$@" >"$to" 2>&1
		cat "$to"
	) &
}

chosen() { # NAME NAMES...: is it among them, or are there none
	local name=$1 each
	shift
	[ $# -gt 0 ] || return 0
	for each; do [ "$each" != "$name" ] || return 0; done
	return 1
}

units=() scripts=()
for name; do case $name in cli_*) ;; *) units+=("$name") ;; esac; done
# The longest first, so that none is waited for at the end.
for script in $(cd "$here" && wc -l cli_*.sh | sort -rn | awk '/cli_/ { print $2 }'); do
	! chosen "${script%.sh}" "$@" || scripts+=("$here/$script")
done

status=0
if [ $# -eq 0 ] || [ ${#units[@]} -gt 0 ]; then
	(cd "$here/.." && "$tester" ${units[@]+"${units[@]}"}) || status=1
fi
for script in ${scripts[@]+"${scripts[@]}"}; do beside run_script "$script" test; done
wait
for script in ${scripts[@]+"${scripts[@]}"}; do run_script "$script" alone; done

count() { grep -cx "$1" "$tally" || true; }
[ "$(count FAILED)" -eq 0 ] || status=1
if [ ${#scripts[@]} -gt 0 ]; then
	echo
	echo "command line: $(count passed) passed, $(count FAILED) failed, $(count skipped) skipped"
fi
exit $status
