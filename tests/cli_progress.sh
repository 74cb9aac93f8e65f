# SPDX-License-Identifier: MIT
# What is told while a run goes on: nothing on standard output, one line a point on standard error,
# one live line on a terminal.
# shellcheck shell=bash

test_each_finished_point_is_one_line_on_standard_error() {
	mkdir t
	expect 0 "$ASSAY" run "${tiny[@]}" t
	equal "lines" 12 "$(wc -l <err)"
	equal "lines that tell how far it is" 12 "$(grep -cE '^\[[0-9]+/12\] [a-z_]+.*: [a-z]+ [0-9]' err)"
	equal "phases" "char_write block_write rewrite char_read block_read seeks $(
		printf '%s ' {create,stat,delete}_sequential {create,stat,delete}_random | xargs)" \
		"$(sed 's/^\[[0-9/]*\] \([a-z_]*\).*/\1/' err | xargs)"
	equal "standard output begins with the report" 1 "$(head -1 out | grep -c '^assay ')"
	has_not out '[1/12]'
	expect 0 "$ASSAY" run -q "${brief[@]}" t
	equal "lines under -q" 0 "$(wc -l <err)"
}

test_what_failed_is_told_with_its_reason() {
	need_strace
	mkdir t
	expect 1 strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=1 \
		"$ASSAY" run --phases block_write --rounds 1 --time 1ms --size 1m t
	has err '[1/1] block_write size=1m: failed: fsync '
	has err 'data.0: Input/output error'
}

test_a_terminal_shows_one_live_line() {
	need script
	mkdir t
	TERM=xterm script -qec "'$ASSAY' run --phases block_write,seeks --rounds 1 --time 800ms --size 4m t >out" \
		typescript </dev/null >/dev/null || fail "script: $(cat typescript)"
	tr '\r' '\n' <typescript | sed 's/\x1b\[K//g' >lines
	grep -qE '^\[1/2\] block_write +\[[#.]+\] +[0-9.]+ [KMGT]iB/s +.* left$' lines ||
		fail "no phase, bar, rate and time left: $(cat lines)"
	grep -qE '^\[2/2\] seeks +\[[#.]+\] .*/s' lines || fail "no rate of seeks: $(cat lines)"
	grep -qE '^\[2/2\] seeks size=4m: seek ' lines || fail "the finished point is not told"
	has out 'block_write'
	equal "escapes in the report" 0 "$(grep -c "$(printf '\033')" out)"
}
