#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The viewers that other tests rely on do show what is there, and do fail.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_started || :
}

# A page with a button, a line to type in, and a place that sees the mouse.
page() {
	cat >page.html <<-'EOF'
		<!DOCTYPE html>
		<meta charset="utf-8">
		<p id="said">hello</p>
		<p><button onclick="said.textContent = 'clicked'">Go on</button>
		<p><input onkeydown="if (event.key === 'Enter')
		    setTimeout(() => said.textContent = value, 100)">
		<div style="position: fixed; bottom: 0; right: 0"
		    onmousemove="said.textContent = 'over it'">corner</div>
	EOF
}

fails_with() {
	run -1 --separate-stderr browser "${@:2}"
	# shellcheck disable=SC2154
	is "$stderr" "$1"
}

# ---- the browser --------------------------------------------------------

@test "browser: clicks, types, waits, and prints what is there" {
	need_chromium
	page
	run -0 --separate-stderr browser page.html eval said.textContent \
	    click button wait 'said.textContent === "clicked"' \
	    click input type 'é 1' key 2 key Enter \
	    wait 'said.textContent === "é 12"' eval '[1, {a: said.id}]' \
	    click 'text=Go on' eval said.textContent \
	    move 1270,790 text
	is "$output" "hello
[1,{\"a\":\"said\"}]
clicked
over it

Go on

corner"
	is "$stderr" ""
}

@test "browser: a screenshot is as large as the page" {
	need_chromium
	page
	run -0 browser page.html screenshot a.png size 400x300 \
	    screenshot b.png
	is "$(peek a.png 16 8)" 0000050000000320 # of 1280 and 800
	is "$(peek b.png 16 8)" 000001900000012c
}

@test "browser: fails where a command cannot be done" {
	need_chromium
	page
	fails_with 'browser: wait said.id === "x": still false after 0.2 s' \
	    --wait 0.2 page.html wait 'said.id === "x"'
	fails_with 'browser: click #none: #none is not there' \
	    page.html click '#none'
	echo '<p>a<p style="position: fixed; inset: 0" id=b>' >covered.html
	fails_with 'browser: click p: p is covered by <p style="position: fixed; inset: 0" id="b">
browser: </p>' covered.html click p
	fails_with 'browser: open none.html: net::ERR_FILE_NOT_FOUND' none.html
	fails_with 'browser: not done in 2 s' \
	    --timeout 2 page.html eval 'for (;;);'
}

@test "browser: fails where the page has an error" {
	need_chromium
	fails_with 'browser: uncaught: an error' \
	    'data:text/html,<script>setTimeout(() => { throw "an error" })</script>'
	fails_with 'browser: console: no 1' \
	    'data:text/html,<script>console.error("no", 1)</script>'
	fails_with 'browser: dialog: well?' \
	    'data:text/html,<script>setTimeout(() => alert("well?"))</script>' \
	    wait 'document.title'
}

@test "browser: fails where the page asks for something by network" {
	need_chromium
	local url
	for url in http://example.com/a.png http://127.0.0.1/ \
	    http://localhost/a; do
		run -1 --separate-stderr browser "data:text/html,<img src=$url>"
		echo "$stderr"
		[[ $stderr = "browser: network: $url"* ]]
	done
	run -1 --separate-stderr browser "data:text/html,<script>
		new Worker('data:text/javascript,fetch(\"http://b.test/\")')
		</script>" wait document.title
	echo "$stderr"
	[[ $stderr = "browser: network: http://b.test/"* ]]
	run -1 --separate-stderr browser "data:text/html,<script>
		new WebSocket('ws://c.test/')</script>" wait document.title
	echo "$stderr"
	[[ $stderr = "browser: network: ws://c.test/"* ]]
}

@test "browser: serves folders, and nothing beside them" {
	need_chromium
	mkdir -p a 'b/c d'
	echo one >a/x
	echo '<p>' >a/x.html
	echo two >'b/c d/x'
	echo beside >x
	local got='async (name) => {
		const r = await fetch("http://localhost/" + name);
		return r.status + (r.ok ? await r.text() : "");
	}'
	page
	run -0 browser --serve a --serve p=b page.html eval "($got)('x')" \
	    eval "($got)('p/c%20d/x')"
	is "$output" "200one

200two"
	run -1 --separate-stderr browser --serve a \
	    http://localhost/x.html eval 'fetch("%2e%2e%2fx").then((r) => r.status)'
	[[ $stderr = *'a status of 404'* ]]
}

@test "browser: speaks with a server that it may speak with" {
	need_chromium
	start node -e 'require("http").createServer((request, response) =>
	    response.end("here " + request.url)).listen(0, "127.0.0.1",
	    function () { console.log(this.address().port); })' >port
	until_ test -s port
	local at
	at=127.0.0.1:$(cat port)
	run -0 browser --allow "$at" "http://$at/a?b" text
	is "$output" "here /a?b"
	run -1 browser "http://$at/a"
}

@test "browser: leaves no process and no file" {
	need_chromium
	mkdir tmp
	export TMPDIR=$PWD/tmp
	run -0 browser data:text/html,a eval 1
	run -1 browser --timeout 1 data:text/html,a wait 0
	"$T/peers/browser" data:text/html,a wait 0 2>err 3>&- &
	until_ pgrep -f "user-data-dir=$TMPDIR" >pids
	kill "$!"
	local status=0
	wait "$!" || status=$?
	is "$status" 1
	is "$(cat err)" "browser: SIGTERM"
	is "$(ls -A tmp)" ""
	run -1 pgrep -f "user-data-dir=$TMPDIR"
}

# ---- the viewers --------------------------------------------------------

collapsed() {
	printf '%s\n' 'tid:1;a.py:main:1;a.py:fib:10 30' \
	    'tid:1;a.py:main:1;a.py:work:20 70' >"$1"
}

@test "speedscope_text: a file of speedscope's own format" {
	need_speedscope
	cat >s.json <<-'EOF'
	{"$schema": "https://www.speedscope.app/file-format-schema.json",
	 "shared": {"frames": [{"name": "main", "file": "/a.py", "line": 1},
	  {"name": "fib"}]},
	 "profiles": [{"type": "sampled", "name": "thread 1", "unit": "seconds",
	   "startValue": 0, "endValue": 1, "samples": [[0], [], [0, 1]],
	   "weights": [0.25, 0.25, 0.5]},
	  {"type": "sampled", "name": "thread 2", "unit": "none",
	   "startValue": 0, "endValue": 3, "samples": [[1]], "weights": [3]}]}
	EOF
	run -0 speedscope_text s.json s.png
	is "$output" "$(printf '%b' \
	    'profile\t1\tthread 1\n' \
	    'left\t1\t0\t0\tmain\n' \
	    'left\t1\t1\t0\tfib\n' \
	    'time\t1\t0\t0\tmain\n' \
	    'time\t1\t0\t50\tmain\n' \
	    'time\t1\t1\t50\tfib\n' \
	    'table\t1\t500.00ms (67%)\t500.00ms (67%)\tfib\t\n' \
	    'table\t1\t750.00ms (100%)\t250.00ms (33%)\tmain\t/a.py\n' \
	    'profile\t2\tthread 2\n' \
	    'left\t2\t0\t0\tfib\n' \
	    'time\t2\t0\t0\tfib\n' \
	    'table\t2\t3 (100%)\t3 (100%)\tfib\t')"
	is "$(peek s.png 1 3)" 504e47
}

@test "speedscope_text: collapsed stacks, and what speedscope cannot read" {
	need_speedscope
	collapsed 'a b%.txt'
	run -0 speedscope_text 'a b%.txt'
	is "$(grep -v ^time <<<"$output")" "$(printf '%b' \
	    'profile\t1\ta%20b%25.txt\n' \
	    'left\t1\t0\t0\ttid:1\n' \
	    'left\t1\t1\t0\ta.py:main:1\n' \
	    'left\t1\t2\t0\ta.py:work:20\n' \
	    'left\t1\t2\t70\ta.py:fib:10\n' \
	    'table\t1\t70 (70%)\t70 (70%)\ta.py:work:20\t\n' \
	    'table\t1\t30 (30%)\t30 (30%)\ta.py:fib:10\t\n' \
	    'table\t1\t100 (100%)\t0 (<0.01%)\ta.py:main:1\t\n' \
	    'table\t1\t100 (100%)\t0 (<0.01%)\ttid:1\t')"
	echo '{"profiles": []}' >bad.json
	run -1 speedscope_text bad.json
}

@test "speedscope_schema: says what is not as it must be" {
	need_speedscope_schema
	cat >good.json <<-'EOF'
	{"$schema": "https://www.speedscope.app/file-format-schema.json",
	 "shared": {"frames": []}, "profiles": []}
	EOF
	run -0 speedscope_schema good.json
	is "$output" ""
	sed 's/frames/frame/' good.json >bad.json
	run -1 speedscope_schema bad.json
	[[ $output = *"must have required property 'frames'"* ]]
}

@test "pprof: every Go at hand reads a profile" {
	need_pprof
	local pprof
	printf 'goroutine profile: total 3\n3 @ 0x1000 0x2000\n' >p
	# shellcheck disable=SC2086
	for pprof in "${PPROFS[@]}"; do
		run -0 --separate-stderr $pprof -raw p
		[[ $output = *$'\n          3: 1 2 '* ]]
		run ! $pprof -raw "$T/convert/viewers.bats"
	done
	is "$(each_pprof)" "$(printf '%s\n' "${PPROFS[@]}")"
}

@test "google-pprof: reads a profile" {
	need_google_pprof
	# CPU profiles: words of 64 bits, among them the period, 1000 us; one
	# stack of one address, seen 3 times; the end.
	words 0 3 0 1000 0 3 1 4096 0 1 0 >p.prof
	run -0 --separate-stderr google-pprof --text --addresses /bin/true p.prof
	[[ $output = *3\ 100.0%\ 100.0%*0000000000001000* ]]
}

words() {
	local word
	for word; do
		printf '%016x' "$word" | sed 's/../\\x&\n/g' | tac | tr -d '\n'
	done | xargs -0 printf '%b'
}

@test "profiler_cli: several questions of one file, and one that is none" {
	need_profiler_cli
	collapsed c.txt
	run -0 profiler_cli c.txt thread list -- thread functions
	[[ $output = *"a.py:work:20 - self: 70 (70.0%)"* ]]
	[[ $output = *"a.py:main:1 - self: 0 (0.0%), total: 100 (100.0%)"* ]]
	run -1 profiler_cli c.txt thread list -- marker info m-9
	run -1 profiler_cli "$T/convert/viewers.bats" thread list
}

@test "duck: rows, and what is no SQL" {
	need_duckdb
	run -0 duck "COPY (SELECT 1 AS a, NULL, ['x', 'y'] AS b, 'é' AS c)
	    TO 'p.parquet'; SELECT *, 2.5 FROM 'p.parquet'"
	is "$output" "$(printf '1\t\t["x","y"]\té\t2.5')"
	run -1 --separate-stderr duck "SELECT a FROM 'none.parquet'"
	[[ $stderr = *'No files found'* ]]
}

# A resource with one attribute.
@test "otlp: reads a request, by a server too, and not half of it" {
	need_otlp
	need curl
	printf '\n\16\n\14\n\12\n\1k\22\5\n\3abc' >r
	run -0 otlp r
	is "$output" k=abc
	head -c 12 r >half
	run -1 --separate-stderr otlp half
	[[ $stderr = *'index out of range'* ]]
	start otlp >said
	until_ test -s said
	run -0 curl -s -o /dev/null -w '%{http_code}' --data-binary @r \
	    "http://127.0.0.1:$(cat said)/v1development/profiles"
	is "$output" 400 # it has another Content-Type
	wait "$pid"
	is "$(wc -l <said)" 1
}

@test "callgrind_annotate: reads a file" {
	need_callgrind_annotate
	printf '%s\n' '# callgrind format' 'events: samples' 'fl=(1) /a.py' \
	    'fn=(1) main' '1 30' 'fn=(2) work' '20 70' >c.out
	run -0 callgrind_annotate c.out
	[[ $output = *'70 (70.00%)  /a.py:work'* ]]
}

@test "flamegraph: draws collapsed stacks" {
	need_flamegraph
	collapsed c.txt
	flamegraph c.txt >c.svg
	grep -qF '<title>a.py:work:20 (70 samples, 70.00%)</title>' c.svg
}
