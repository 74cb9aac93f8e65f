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

passed=0 failed=0 skipped=0
status=0

run_cli_script() { # SCRIPT
	local script=$1 name work code begun
	for name in $(sed -n 's/^\(test_[a-z0-9_]*\)() *{.*/\1/p' "$script"); do
		work=$(mktemp -d "${TMPDIR:-/tmp}/assay-test.XXXXXX")
		begun=${EPOCHREALTIME/./}
		(
			set -eu
			cd "$work"
			# shellcheck disable=SC1091
			. "$here/lib.sh"
			. "$script"
			trap cleanup EXIT
			"$name"
		) >"$work.log" 2>&1
		code=$?
		case $code in
		0) passed=$((passed + 1)); verdict=passed ;;
		77) skipped=$((skipped + 1)); verdict="skipped: $(grep '^skip: ' "$work.log" | tail -1 | cut -c7-)" ;;
		*) failed=$((failed + 1)); verdict=FAILED ;;
		esac
		printf '  %-72s %5.1f s  %s\n' "$(echo "${name#test_}" | tr _ ' ')" \
			"$(((${EPOCHREALTIME/./} - begun) / 100000))e-1" "$verdict"
		[ "$verdict" != FAILED ] || sed 's/^/      /' "$work.log" | tail -40
		rm -rf "$work" "$work.log"
	done
}

chosen() { # NAME NAMES...: is it among them, or are there none
	local name=$1 each
	shift
	[ $# -gt 0 ] || return 0
	for each; do [ "$each" != "$name" ] || return 0; done
	return 1
}

scripts=()
for script in "$here"/cli_*.sh; do
	[ -e "$script" ] || continue
	name=$(basename "$script" .sh)
	chosen "$name" "$@" && scripts+=("$script")
done

units=()
for name; do case $name in cli_*) ;; *) units+=("$name") ;; esac; done
if [ $# -eq 0 ] || [ ${#units[@]} -gt 0 ]; then
	(cd "$here/.." && "$tester" ${units[@]+"${units[@]}"}) || status=1
fi

# Scripts whose tests look at rates, at latencies or at what others do are run alone, the others two
# at a time.
alone=" cli_certify cli_durability cli_evidence cli_load cli_progress cli_sweep "
results=$(mktemp -d "${TMPDIR:-/tmp}/assay-results.XXXXXX")
trap 'rm -rf "$results"' EXIT

run_and_keep() { # SCRIPT: its output, whole, and its counts in a file
	local name
	name=$(basename "$1" .sh)
	{
		echo
		echo "$name:"
		run_cli_script "$1"
	} >"$results/$name.out" 2>&1
	echo "$passed $failed $skipped" >"$results/$name.counts"
	cat "$results/$name.out"
}

running=0
for script in ${scripts[@]+"${scripts[@]}"}; do
	case $alone in *" $(basename "$script" .sh) "*) continue ;; esac
	if [ $running -ge "${LANES:-2}" ]; then
		wait -n
		running=$((running - 1))
	fi
	run_and_keep "$script" &
	running=$((running + 1))
done
wait
for script in ${scripts[@]+"${scripts[@]}"}; do
	case $alone in *" $(basename "$script" .sh) "*) (run_and_keep "$script") ;; esac
done

for script in ${scripts[@]+"${scripts[@]}"}; do
	counts=$(cat "$results/$(basename "$script" .sh).counts" 2>/dev/null) || counts="0 1 0"
	read -r a b c <<<"$counts"
	passed=$((passed + a)) failed=$((failed + b)) skipped=$((skipped + c))
done
[ "$failed" -eq 0 ] || status=1
if [ ${#scripts[@]} -gt 0 ]; then
	echo
	echo "command line: $passed passed, $failed failed, $skipped skipped"
fi
exit $status
