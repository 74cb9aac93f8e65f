# SPDX-License-Identifier: MIT
# Reports as pages, opened in a browser: nothing goes wrong, nothing leaves the file, nothing is
# wider than a phone. tests/test_html.c reads the pages themselves.
# shellcheck shell=bash

find_browser() {
	local name
	for name in chromium chromium-browser chromium-headless-shell google-chrome; do
		browser=$(command -v $name 2>/dev/null) && return
	done
	skip "needs chromium"
}

# Opens a page: what it came to is in dom, what the console said in console, what was asked of the
# network in net.
open_page() { # FILE [flags]
	local file=$1 code=0
	shift
	find_browser
	rm -rf browser
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$PWD/browser" --enable-logging=stderr --v=0 --log-net-log="$PWD/net" \
		"$@" --dump-dom "file://$PWD/$file" >dom 2>log || code=$?
	[ "$code" -eq 0 ] || { tail -3 log; fail "the browser ended with $code"; }
	grep 'CONSOLE' log >console || true
	[ -s dom ] || fail "the browser made nothing of $file"
}

# A browser asks for things of its own; those of a page in a file have its origin, "null".
requests_of_page() {
	grep -o '"initiator":"null"' net | wc -l
}

measure() { # a run with points enough for charts
	mkdir -p t
	expect 0 "$ASSAY" run -q --rounds 1 --size 8m --time 50ms --phases random,oltp,dss,mixed \
		--set random.queue_depth=1,2,4 --set random.operation=read,write \
		--set mixed.matrix=detailed --set oltp.num_small=1,2,3,4 --set dss.num_large=1,2 \
		--set mixed.num_small=1,2,3,4 --set mixed.num_large=1,2 "$@" t
}

test_a_page_opens_without_an_error_and_asks_for_nothing() {
	measure
	expect 0 "$ASSAY" show --format html -o page.html
	open_page page.html
	equal "words on the console" "" "$(cat console)"
	equal "requests" 0 "$(requests_of_page)"
	has dom '<main id="report">'
	# That this would have been seen:
	sed -e '/Content-Security-Policy/d' -e 's|<main|<img src="http://elsewhere.invalid/x.png"><main|' \
		page.html >leaky.html
	open_page leaky.html
	[ "$(requests_of_page)" -gt 0 ] || fail "a request was not noticed"
	sed 's|<main|<img src="http://elsewhere.invalid/x.png"><main|' page.html >stopped.html
	open_page stopped.html
	equal "requests past the policy" 0 "$(requests_of_page)"
	[ -s console ] || fail "the policy stopped nothing"
}

test_charts_are_drawn_where_they_have_room() {
	need gnuplot
	measure
	expect 0 "$ASSAY" show --format html -o page.html
	for title in "IOPS against latency: random" "Latency by percentile: random" \
		"IOPS against latency: oltp" "IOPS of small requests: "; do
		grep -qF "<figcaption>$title" page.html || fail "there is no chart $title"
	done
	cat >frame.html <<-'END'
	<!DOCTYPE html><iframe id="f" src="page.html" style="width:400px;height:900px;border:0"></iframe>
	<pre id="said"></pre><script>
	document.getElementById("f").onload = function () {
		var page = this.contentDocument, small = 0, words = 0, outside = 0;
		page.querySelectorAll("figure > svg").forEach(function (svg) {
			var box = svg.getBoundingClientRect();
			if (box.width < 200 || box.height < 50) small++;
			svg.querySelectorAll("text").forEach(function (text) {
				var at = text.getBoundingClientRect();
				words++;
				if (at.left < box.left - 1 || at.right > box.right + 1) outside++;
			});
		});
		document.getElementById("said").textContent = "figures=" +
			page.querySelectorAll("figure").length + " small=" + small + " texts=" + (words > 20) +
			" outside=" + outside + " wider=" + (page.documentElement.scrollWidth -
			page.documentElement.clientWidth);
	};
	</script>
	END
	open_page frame.html --allow-file-access-from-files --virtual-time-budget=10000
	grep -o 'figures=[0-9].*wider=[0-9]*' dom >said || fail "the page was not looked at"
	has said "figures=$(grep -c '<figure' page.html) small=0 texts=true outside=0 wider=0"
}

test_a_label_that_is_a_script_stays_text() {
	mkdir -p t
	expect 0 "$ASSAY" run -q "${brief[@]}" --label '<script>alert(1)</script>' \
		--tag 'a<b=<img src=x onerror=alert(1)>' t
	expect 0 "$ASSAY" show --format html -o page.html
	open_page page.html
	has dom '&lt;script&gt;alert(1)&lt;/script&gt;'
	has_not dom '<script'
	has_not dom '<img'
	equal "words on the console" "" "$(cat console)"
}

test_a_comparison_is_a_page_with_charts() {
	need gnuplot
	local scheduler samples
	samples=$(dirname "${BASH_SOURCE[0]}")/samples
	for scheduler in cfq deadline noop; do
		expect 0 "$ASSAY" import --fact "scheduler=$scheduler" \
			"$samples/bonnie-1.96-$scheduler-2011.csv"
	done
	expect 0 "$ASSAY" compare --by scheduler --format html -o page.html
	open_page page.html
	equal "words on the console" "" "$(cat console)"
	equal "requests" 0 "$(requests_of_page)"
	has dom '<figcaption>Files: change against cfq</figcaption>'
	has dom '<figcaption>Files: operations per second</figcaption>'
	has dom ' against cfq</caption>'
}

test_a_certificate_is_a_page_with_its_verdict_on_top() {
	mkdir -p t
	expect 3 "$ASSAY" certify -q "${brief[@]}" --format html \
		--require 'create_sequential.create.rate >= 1e12' t
	grep -o '<h1[^<]*' out >titles
	equal "first title" '<h1 class="bad">Verdict: FAIL' "$(head -1 titles)"
	grep -q '<td class="bad">FAIL</td>' out || fail "the broken rule is not marked"
	cp out page.html
	open_page page.html
	equal "words on the console" "" "$(cat console)"
}

test_a_list_is_a_page_too() {
	mkdir -p t
	expect 0 "$ASSAY" run -q "${brief[@]}" --label one t
	expect 0 "$ASSAY" list --format html
	has out '<h1>assay</h1>'
	has out '<th scope="col" class="num">Run</th>'
}

test_a_run_prints_its_page() {
	mkdir -p t
	expect 0 "$ASSAY" run -q "${brief[@]}" --format html t
	head -1 out >first
	equal "first line" '<!DOCTYPE html>' "$(cat first)"
	tail -1 out >last
	equal "last line" '</html>' "$(cat last)"
}

test_without_gnuplot_the_tables_carry_the_page() {
	mkdir -p t bin
	expect 0 "$ASSAY" run -q "${brief[@]}" t
	PATH=$PWD/bin expect 0 "$ASSAY" show --format html
	grep -o 'Charts are left out[^<]*' out >said || fail "nothing is said of charts"
	has said "Charts are left out: gnuplot is not installed; the tables hold every figure."
	equal "figures" 0 "$(grep -c '<figure' out)"
	grep -q 'create_sequential.create' out || fail "there is no table"
}

test_drawing_leaves_no_file_and_calls_no_shell() {
	need gnuplot
	need_strace
	measure
	mkdir tmp home
	HOME=$PWD/home TMPDIR=$PWD/tmp expect 0 strace -f -qq -o trace -e trace=execve,openat \
		"$ASSAY" show --format html -o page.html
	equal "files left" "" "$(find tmp home -type f)"
	grep -o 'execve("[^"]*", .* = 0$' trace | cut -d'"' -f2 | sed 's|.*/||' | sort -u >programs
	grep -q gnuplot programs || fail "gnuplot was not run: $(cat programs)"
	has_not programs sh
	# Written is the page, and nothing else that has a name.
	grep -E 'O_(WRONLY|RDWR)' trace | grep -v ' = -1 ' | cut -d'"' -f2 |
		grep -v -e '^/dev/' -e 'archive\.db' >written || true
	equal "files written" page.html "$(sort -u written)"
}

test_the_knee_is_asked_of_an_archived_run() {
	mkdir -p t
	expect 0 "$ASSAY" run -q --rounds 1 --size 1m --time 100ms --phases oltp --engine null \
		--set oltp.num_small=1,2 t # quick enough for a p99
	expect 0 "$ASSAY" show --knee 1h
	grep -q 'knee, p99 <= ' out || fail "there is no knee"
	expect 0 "$ASSAY" show --knee 1ns
	equal "knees" 0 "$(grep -c 'knee, p99' out)" # nothing is that quick
	expect 2 "$ASSAY" show --knee soon
	one_sentence "--knee"
}
