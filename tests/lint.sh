#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the compiler does not see: layering, headers, lists, layout. One line per finding; exit 1
# when there is any. `make lint` calls it with CC and CFLAGS, those the program is compiled with.
#
# Who may see whom (a diagram of it is in the README):
#   include <- results <- {workloads, report} <- suite
# Dependencies are asked of the compiler, so that a header cannot smuggle another in.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

CC=${CC:-cc}
read -ra flags <<<"${CFLAGS:--D_GNU_SOURCE -Iinclude}"
layers=(results workloads report suite)
findings=$(mktemp)
depends=$(mktemp)
trap 'rm -f "$findings" "$depends"' EXIT

finding() { echo "$*" >>"$findings"; }

in_layers() { # PATTERN: the files of all layers that match
	local layer
	for layer in "${layers[@]}"; do compgen -G "$layer/$1"; done
}

# Comments and the insides of strings go; lines stay where they are.
code_of() { # FILE
	awk '
	{
		out = ""; n = length($0)
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1); two = substr($0, i, 2)
			if (comment) { if (two == "*/") { comment = 0; i++ } continue }
			if (text != "") {
				if (c == "\\") i++
				else if (c == text) { text = ""; out = out c }
				continue
			}
			if (two == "/*") { comment = 1; i++; continue }
			if (c == "\"" || c == "'\''") text = c
			out = out c
		}
		text = ""
		print out
	}' "$1"
}

# ---- layering --------------------------------------------------------------------------------

# "FILE HEADER" for each header a source depends on, however it came in.
list_dependencies() {
	local file
	for file in $(in_layers '*.c'); do
		"$CC" "${flags[@]}" -M -MG -MT x "$file" 2>/dev/null |
			tr -d "\\\\" | tr ' ' '\n' | grep '\.h$' | sed "s|^|$file |"
	done
}

forbid() { # LAYER HEADER-PATTERN WHY [EXCEPT FILE]
	awk -v layer="$1/" -v pattern="$2" -v why="$3" -v except="${4:-}" '
		index($1, layer) == 1 && $1 != except && $2 ~ pattern && !told[$1]++ {
			print $1 ": depends on " $2 ": " why
		}' "$depends" >>"$findings"
}

check_layering() {
	list_dependencies >"$depends"
	forbid workloads 'include/(archive|archive_edit|export|importer)\.h$' \
		"workloads know nothing of the archive"
	forbid workloads 'include/(report|table|compare|verdict|printable)\.h$' \
		"workloads and reports never see each other"
	forbid results 'include/(phase|engine|fileset|target|cpus)\.h$' \
		"results know nothing of workloads"
	forbid results 'include/(report|table|printable)\.h$' "results know nothing of reports"
	forbid report 'include/(phase|engine|fileset|target|cpus)\.h$' \
		"workloads and reports never see each other"
	local layer
	for layer in workloads report suite; do
		forbid "$layer" '/sqlite3\.h$' "only results/ speaks SQL" workloads/phase_sqlite_txn.c
		forbid "$layer" '/gsl/' "only results/ does statistics"
	done
}

# A private header stands beside those who include it.
check_private_headers() {
	local file header
	in_layers '*.[ch]' | xargs grep -H '^#include "' include/*.h |
		sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/' |
		while read -r file header; do
			[ -e "include/$header" ] || [ -e "$(dirname "$file")/$header" ] ||
				[[ $header == *.inc ]] ||
				echo "$file: \"$header\" is neither in include/ nor beside it"
		done >>"$findings"
}

# ---- headers ---------------------------------------------------------------------------------

check_headers_alone() {
	local header alone=()
	local i
	for ((i = 0; i < ${#flags[@]}; i++)); do # banned.h would bring in what a header forgets
		if [ "${flags[i]}" = -include ]; then i=$((i + 1)); else alone+=("${flags[i]}"); fi
	done
	for header in include/*.h $(in_layers '*.h'); do
		echo "#include \"$(basename "$header")\"" |
			"$CC" "${alone[@]}" -Werror -I"$(dirname "$header")" -fsyntax-only -xc - \
				2>/dev/null || finding "$header: does not compile alone"
	done
}

# A header is in include/ because two directories need it, or another header there does.
check_shared_headers() {
	local header name users
	for header in include/*.h; do
		name=$(basename "$header")
		[ "$name" != banned.h ] || continue # given to the compiler
		grep -qE "^#include \"$name\"" include/*.h && continue
		users=$(in_layers '*.[ch]' | xargs grep -lE "^#include \"$name\"" |
			cut -d/ -f1 | sort -u | wc -l)
		[ "$users" -ge 2 ] || finding "$header: included by $users directory, not two"
	done
}

# ---- lists -----------------------------------------------------------------------------------

names_in_list() { # MACRO HEADER
	awk -v start="#define $1(X)" '
		index($0, start) == 1 { on = 1 }
		on { print }
		on && !/\\$/ { exit }' "$2" | grep -o 'X([a-z0-9_]*)' | sed 's/X(\(.*\))/\1/'
}

check_list() { # MACRO HEADER FILE-PREFIX STRUCT SYMBOL-PREFIX
	local name file
	for name in $(names_in_list "$1" "$2"); do
		[ -e "$3$name.c" ] || finding "$2: $1 lists $name, but there is no $3$name.c"
	done
	for file in "$3"*.c; do
		[ -e "$file" ] || continue
		name=${file#"$3"}
		name=${name%.c}
		names_in_list "$1" "$2" | grep -qx "$name" || finding "$file: not listed in $1"
		grep -q "^const struct $4 $5$name = {" "$file" ||
			finding "$file: has no const struct $4 $5$name"
	done
}

check_lists() {
	check_list PHASES include/phase.h workloads/phase_ phase phase_
	check_list ENGINES include/engine.h workloads/engine_ engine engine_
	check_list IMPORTERS include/importer.h results/import_ importer importer_
	check_list FORMATS include/table.h report/format_ format format_
	check_list COMMANDS suite/command.h suite/cmd_ command command_
	check_list SUITES tests/suites.h tests/test_ suite suite_
}

# ---- layout ----------------------------------------------------------------------------------

check_top_level() {
	local entry wanted=(suite workloads report include tests results GNUmakefile README.md)
	for entry in "${wanted[@]}"; do
		[ -e "$entry" ] || finding "$entry: missing at the top level"
	done
	for entry in *; do
		case " ${wanted[*]} LICENSE " in
		*" $entry "*) ;;
		*) finding "$entry: not an entry of the top level" ;;
		esac
	done
}

sources() { # all texts of ours that are source
	find suite workloads report include tests results -type f \
		\( -name '*.[ch]' -o -name '*.sh' -o -name '*.sql' \) | sort
	echo GNUmakefile
}

check_lines() {
	local file
	for file in $(sources); do
		# Commands of tests stand on one line with all their words.
		[[ $file == *.sh ]] || expand "$file" | awk -v file="$file" '
			length($0) > 100 { print file ":" NR ": " length($0) " columns" }' >>"$findings"
		grep -nE '[[:blank:]]$' "$file" | sed "s|^\([0-9]*\):.*|$file:\1: blank at the end|" \
			>>"$findings"
		head -2 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
			finding "$file: no SPDX line"
	done
}

check_functions() {
	local file
	for file in include/*.h $(in_layers '*.[ch]') tests/*.[ch]; do
		awk '
		/^[a-z].*\)$/ || /^[a-z].*\) *\{$/ { start = FNR; name = $0 }
		/^\}/ {
			if (start && FNR - start > 80)
				print FILENAME ":" start ": " FNR - start " lines: " name
			start = 0
		}' "$file"
	done >>"$findings"
}

# Only main prints and exits; everybody else is given a FILE.
check_printing() {
	local file
	for file in $(in_layers '*.c'); do
		[ "$file" != suite/main.c ] || continue
		code_of "$file" |
			grep -nE '(^|[^a-zA-Z0-9_])((v?printf|puts|putchar|perror|exit) *\(|std(out|err))' |
			sed "s|^\([0-9]*\):[[:space:]]*|$file:\1: only main.c prints and exits: |"
	done >>"$findings"
}

# The brackets keep this line from finding itself.
check_paths() {
	grep -rnIE --exclude-dir=.git --exclude-dir=.build '/(wor[k]|far[m]|roo[t])/' . |
		sed 's|^\./\([^:]*:[0-9]*\):.*|\1: a path of one machine|' >>"$findings"
}

check_layering
check_private_headers
check_headers_alone
check_shared_headers
check_lists
check_top_level
check_lines
check_functions
check_printing
check_paths

cat "$findings"
[ ! -s "$findings" ]
