# SPDX-License-Identifier: MIT
# cli_lint.sh - that `make lint` finds what it is there to find: a copy of the tree is broken in
# every way at once.

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Of the sources a few of each layer: what is to be found is added to them, and the rest takes long.
copy_tree() {
	local layer
	mkdir tree
	(cd "$tree" && tar cf - --exclude=./.git --exclude=./.build .) | tar xf - -C tree
	cd tree
	for layer in suite workloads report results; do
		find "$layer" -name '*.c' | sort | tail -n +6 | xargs rm
		find "$layer" -name '*.h' | sort | tail -n +6 | xargs rm
	done
}

spdx='/* SPDX-License-Identifier: MIT */'

# FILE LINES...: a source of ours, as far as the licence goes
new_file() {
	local file=$1
	shift
	printf '%s\n' "$spdx" "$@" >"$file"
}

long_function() {
	echo 'void too_long(void)'
	echo '{'
	for _ in $(seq 90); do echo '	;'; done
	echo '}'
}

test_every_kind_of_finding_is_found() {
	[ -n "${LINT:-}" ] || skip "make lint shows it"
	need make
	copy_tree
	# layers
	new_file workloads/smuggler.c '#include "archive.h"'
	new_file results/climber.c '#include "phase.h"'
	new_file report/neighbour.c '#include "engine.h"'
	new_file suite/statistician.c '#include <gsl/gsl_math.h>' '#include <sqlite3.h>'
	new_file include/carrier.h '#include "table.h"'
	new_file workloads/carried.c '#include "carrier.h"'
	new_file suite/peeper.c '#include "payload.h"'
	# headers
	new_file suite/leaning.h 'FILE *lean(void);'
	new_file include/lonely.h 'enum { LONELY };'
	# lists
	new_file workloads/phase_forgotten.c 'const struct phase phase_forgotten = {0};'
	new_file suite/cmd_misnamed.c 'const struct command command_other = {0};'
	sed -i 's/^\tX(sync) .*/&\n\tX(vanished) \\/' include/engine.h
	# layout
	mkdir docs
	mv LICENSE NOTICE
	rm README.md
	# lines
	echo 'int no_licence;' >results/bare.c
	new_file results/blank.c 'int blank; '
	new_file results/wide.c "int $(printf 'x%.0s' $(seq 100));"
	{ echo "$spdx" && long_function; } >report/long.c
	# printing
	new_file suite/chatter.c 'void chat(void) { printf("%s", "x"); }' \
		'/* exit(1) in a comment is none */ const char *text = "puts(x)";'
	new_file suite/quitter.c 'void quit(void) { exit(1); }'
	new_file suite/shouter.c 'void shout(void) { fputs("x", stderr); }'
	new_file report/local.c 'const char *place = "/wo''rk/here";'
	cd ..
	expect 2 make -s -C tree lint
	has out 'workloads/smuggler.c: depends on include/archive.h: workloads know nothing'
	has out 'results/climber.c: depends on include/phase.h: results know nothing of workloads'
	has out 'report/neighbour.c: depends on include/engine.h: workloads and reports never'
	has out 'gsl_math.h: only results/ does statistics'
	has out 'sqlite3.h: only results/ speaks SQL'
	has out 'workloads/carried.c: depends on include/table.h: workloads and reports never'
	has out 'suite/peeper.c: "payload.h" is neither in include/ nor beside it'
	has out 'suite/leaning.h: does not compile alone'
	has out 'include/lonely.h: included by 0 directory, not two'
	has out 'include/carrier.h: included by 1 directory, not two'
	has out 'workloads/phase_forgotten.c: not listed in PHASES'
	has out 'suite/cmd_misnamed.c: not listed in COMMANDS'
	has out 'suite/cmd_misnamed.c: has no const struct command command_misnamed'
	has out 'include/engine.h: ENGINES lists vanished, but there is no workloads/engine_vanished.c'
	has out 'docs: not an entry of the top level'
	has out 'NOTICE: not an entry of the top level'
	has out 'README.md: missing at the top level'
	has out 'results/bare.c: no SPDX line'
	has out 'results/blank.c:2: blank at the end'
	has out 'results/wide.c:2: 105 columns'
	has out 'report/long.c:2: 92 lines: void too_long(void)'
	has out 'suite/chatter.c:2: only main.c prints and exits'
	has out 'suite/quitter.c:2: only main.c prints and exits'
	has out 'suite/shouter.c:2: only main.c prints and exits'
	has out 'report/local.c:2: a path of one machine'
	equal "calls in comments and strings" 0 "$(grep -c 'chatter.c:3' out || true)"
}
