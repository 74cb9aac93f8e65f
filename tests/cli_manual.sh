# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The manual, the completion and the installation are those of the program there is.

manual=$here/../suite/assay.1

test_every_option_stands_in_the_manual_and_every_option_there_exists() {
	local command
	for command in $("$ASSAY" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		"$ASSAY" help "$command" | sed -n '/^options:/,$p' | grep -oE -- '--[a-z-]+' || true
	done | sort -u >program
	sed -n '/^\.SH OPTIONS/,/^\.SH CRITERIA/p' "$manual" | sed 's/\\-/-/g' | grep -E '^\.B' |
		grep -oE -- '--[a-z-]+' | sort -u >manual
	diff program manual
	[ "$(wc -l <program)" -gt 30 ] || fail "only $(wc -l <program) options found"
}

test_every_command_stands_in_the_manual() {
	local command
	for command in $("$ASSAY" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		grep -qE "^\.BI \"$command " "$manual" || fail "the manual has no $command"
	done
}

test_the_manuals_examples_run() {
	mkdir data
	sed -n '/examples$/,/end$/p' "$manual" | grep '^assay' | sed "s#/mnt/data#$PWD/data#" >examples
	local line
	while read -r line; do
		case $line in
		*" run "* | *certify*data*) line="$line --time 200ms --size 8m --rounds 1 --phases random" ;;
		esac
		eval "${line/#assay/\"\$ASSAY\"}" >out 2>err </dev/null || {
			cat out err
			fail "$line"
		}
	done <examples
	[ "$(wc -l <examples)" -ge 7 ] || fail "examples are missing"
}

test_the_manuals_queries_run_and_its_profile_is_read() {
	need sqlite3
	mkdir data
	"$ASSAY" run -q --profile quick --phases seeks,random --time 20ms --size 8m data >/dev/null
	sed -n '/queries$/,/end$/p' "$manual" | grep -v '^\.' >queries
	sqlite3 "$ASSAY_DB" <queries >answers
	[ -s answers ] || fail "the queries answer nothing"
	sed -n '/^\[profile\]/,/^\.fi/p' "$manual" | grep -v '^\.' >mine.ini
	expect 0 "$ASSAY" certify --dry-run --profile mine.ini data
	has out "wal_commit"
}

test_the_manual_is_sound_and_installed_with_the_program() {
	need make
	(cd "$here/.." && make -s install uninstall DESTDIR="$PWD/none" -n >/dev/null)
	(cd "$here/.." && make -s install DESTDIR="$OLDPWD/root" PREFIX=/usr >/dev/null 2>&1)
	[ -x root/usr/bin/assay ] || fail "no program"
	root/usr/bin/assay --version | grep -q '^assay ' || fail "it does not run"
	[ -s root/usr/share/man/man1/assay.1 ] || fail "no manual"
	[ -s root/usr/share/bash-completion/completions/assay ] || fail "no completion"
	(cd "$here/.." && make -s uninstall DESTDIR="$OLDPWD/root" PREFIX=/usr >/dev/null 2>&1)
	equal "what is left" "" "$(find root -type f)"
	if command -v man >/dev/null 2>&1; then
		equal "warnings" "" "$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$manual" 2>&1 >/dev/null)"
	fi
}

test_completion_completes() {
	local reply
	complete_line() { # WORDS...
		PATH="$(dirname "$ASSAY"):$PATH" bash -c '
			source "$0"
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			compopt() { :; }
			_assay
			printf "%s\n" "${COMPREPLY[@]}"' "$here/../suite/assay.bash" "$@"
	}
	complete_line assay ru | grep -qx run
	complete_line assay run --prof | grep -qx -- --profile
	complete_line assay run --profile qui | grep -qx quick
	complete_line assay run --phases wal | grep -qx wal_commit
	complete_line assay run --set random.queue | grep -qx 'random.queue_depth='
	complete_line assay help see | grep -qx seeks
}
