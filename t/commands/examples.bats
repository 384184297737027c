# SPDX-License-Identifier: ISC
# examples.bats: what README.md, the pages of doc/, and the manual pages of commands that
# record tell people to type.

load ../lib/lib.bash
load ../lib/examples.bash

setup() {
	need jq
	need zstd
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
	host_python
	# As a python3 and as their make, which runs it.
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$python" "$BATS_TEST_TMPDIR/bin/python3"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	printf 'all:\n\tpython3 x.py 0.3\n' >Makefile
	cat >x.py <<-'END'
		import json, sys, time
		def work(seconds):
		    end = time.monotonic() + seconds
		    while time.monotonic() < end:
		        json.loads(json.dumps(list(range(1000))))
		work(float(sys.argv[1]) if sys.argv[1:] else 0.3)
	END
	ln -s "$T" t
	mkdir build
	cp "$T/data/cpython315-wall.bin" p.bin
	cp "$T/data/cpython315-wall.bin" q.bin
	cp "$T/data/cpython315-none.bin" before.bin
}

teardown() {
	end_started
	drop_shared
}

# programs NUMBER...: a program runs for each, which the examples know by that
# number.
PIDS=
programs() {
	local number
	for number; do
		start "$python" x.py 60
		until_ eval 'tach-record --dump -p "$pid" 2>err | found dumps'
		PIDS+="s/\\b$number\\b/$pid/g;"
	done
}

# all_run LEAST: so many commands of standard input do.
all_run() {
	local text ran=0
	while IFS= read -r -d $'\001' text; do
		runs_here "$text" || continue
		text=$(sed "$PIDS" <<<"$text")
		echo "$text"
		in_tries 2 example_runs "$text"
		ran=$((ran + 1))
	done
	echo "$ran commands"
	[ "$ran" -ge "$1" ]
}

@test "each block of README.md that needs no viewer runs" {
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3 here"
	need make
	programs 1234
	markdown_commands "$TACH_SRCDIR/README.md" >commands
	all_run 7 <commands
}

@test "each block of doc/ that needs no viewer runs" {
	need make
	programs 1234
	for page in "$TACH_SRCDIR"/doc/*.md; do
		markdown_commands "$page"
	done >commands
	all_run 25 <commands
}

# named PAGE WORD...: a row of a table in that session ends with each.
named() {
	local page=$1 word
	shift
	for word; do
		found -E "^ .*[%0-9]  $word" <"sessions/$page.md"
	done
}

@test "the sessions of doc/examples run, and say which functions it is" {
	need gunicorn gunicorn
	/usr/bin/python3 -c 'import numpy' 2>/dev/null ||
	    skip "no numpy here (Debian: python3-numpy)"
	mkdir sessions
	"$TACH_SRCDIR/doc/examples/remake" -o sessions
	named web-server '(search|matches) .*shop.py'
	named numpy 'steepest .*heights.py'
	named asyncio '_hashlib.pbkdf2_hmac  <built-in>'
	found ';fetch.py:checksum:' <sessions/asyncio.md
	found 'transfer .*stuck.py:13' <sessions/hang.md
	found 'report .*stuck.py:20' <sessions/hang.md
	named multiprocessing 'MainThread'
}

@test "the examples of tach-record(1) and tach-merge(1) run" {
	programs 4711 4712
	for page in tach-record tach-merge; do
		page_commands "$TACH_SRCDIR/man/$page.1"
	done >commands
	all_run 12 <commands
}

# ---- the judge ------------------------------------------------------------

@test "commands are found in a page, and in Markdown" {
	cat >page <<-'END'
	.Bd -literal
	$ a \-b |
	    c
	$ d
	.Ed
	text
	.Bd -literal
	no command
	.Ed
	END
	is "$(page_commands page | tr '\001' '@')" $'a -b |\n    c\n@d\n@'
	cat >page.md <<-'END'
	text

	    a -b |
	        c
	    d # comment

	    e

	    $ f
	    output

	    $ g
	    output
	- text
	    not a block
	END
	printf '```sh\nh\n```\n' >>page.md
	is "$(markdown_commands page.md | tr '\001' '@')" \
	    $'a -b |\n    c\n@d # comment\n@e\n@f\n@g\n@h\n@'
}

@test "an example that fails, or does nothing, is no good one" {
	run -0 example_runs 'echo a'
	run -0 example_runs 'echo a >new.txt'
	run -1 example_runs true
	run -1 example_runs 'echo a; false'
	run -1 example_runs 'tach-info nosuch.bin'
}
