#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the CUnit program, then every tests/cli_*.sh: run.sh TESTER [NAME ...]. A script defines
# functions test_WHAT_IT_SHOWS; each runs in a shell and a directory of its own. Exit 77 from
# `skip REASON` is a skip, never a pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tester=$1
shift
: "${ASSAY:?the program to test}"

# Scripts that come to the same whatever else goes on in the machine: they run beside each other.
# The others look at what devices, caches and CPUs do, and run one by one.
sociable=" cli_compare cli_faults cli_filesystems cli_html cli_import cli_kills cli_lint cli_manual
	cli_info cli_progress cli_readme cli_refusals cli_trace "

status=0
tally=$(mktemp "${TMPDIR:-/tmp}/assay-tally.XXXXXX")
trap 'rm -f "$tally" "$tally".*' EXIT

run_cli_script() { # SCRIPT
	local script=$1 name work code begun verdict
	echo
	echo "$(basename "$script" .sh):"
	for name in $(sed -n 's/^\(test_[a-z0-9_]*\)() *{.*/\1/p' "$script"); do
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
		printf '  %-72s %5.1f s  %s\n' "$(echo "${name#test_}" | tr _ ' ')" \
			"$(((${EPOCHREALTIME/./} - begun) / 100000))e-1" "$verdict"
		[ "$verdict" != FAILED ] || sed 's/^/      /' "$work.log" | tail -40
		rm -rf "$work" "$work.log"
	done
}

# Runs scripts beside each other, a few at a time, and shows each when it is done.
run_beside() { # SCRIPT...
	local script most=$(($(nproc) < 4 ? 3 : 5))
	for script; do
		while [ "$(jobs -rp | wc -l)" -ge $most ]; do wait -n; done
		(
			run_cli_script "$script" >"$tally.$(basename "$script")" 2>&1
			cat "$tally.$(basename "$script")"
		) &
	done
	wait
}

chosen() { # NAME NAMES...: is it among them, or are there none
	local name=$1 each
	shift
	[ $# -gt 0 ] || return 0
	for each; do [ "$each" != "$name" ] || return 0; done
	return 1
}

units=()
for name; do case $name in cli_*) ;; *) units+=("$name") ;; esac; done
if [ $# -eq 0 ] || [ ${#units[@]} -gt 0 ]; then
	(cd "$here/.." && "$tester" ${units[@]+"${units[@]}"}) || status=1
fi

beside=() alone=()
for script in "$here"/cli_*.sh; do
	[ -e "$script" ] || continue
	name=$(basename "$script" .sh)
	chosen "$name" "$@" || continue
	case $sociable in
	*[[:space:]]"$name"[[:space:]]*) beside+=("$script") ;;
	*) alone+=("$script") ;;
	esac
done
run_beside ${beside[@]+"${beside[@]}"}
for script in ${alone[@]+"${alone[@]}"}; do run_cli_script "$script"; done

count() { grep -cx "$1" "$tally" || true; }
[ "$(count FAILED)" -eq 0 ] || status=1
if [ ${#beside[@]} -gt 0 ] || [ ${#alone[@]} -gt 0 ]; then
	echo
	echo "command line: $(count passed) passed, $(count FAILED) failed, $(count skipped) skipped"
fi
exit $status
