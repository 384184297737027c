# SPDX-License-Identifier: ISC
# markdown.bats: tach-convert --markdown: what it says, that it is bounded, and that
# names of strangers change nothing in it, by cmark-gfm.
# shellcheck disable=SC2016

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '# tach 1\n# python 3.14.2\n# interval 1000\n' >head.txt
}

# line TIME THREAD STATUS STACK
line() {
	printf '%s\t0\t%s\t%s\t%s\n' "$@"
}

# section NAME: the lines of a section of standard input.
section() {
	awk -v name="## $1" '/^#/ { on = $0 == name; next } on && NF'
}

@test "functions, lines, paths, waits, the GIL and commands" {
	{
		cat head.txt
		printf '# note thread 0 1 MainThread\n'
		line 0 1 gil,cpu 'app.py:main:1;app.py:load:7'
		line 1000 1 gil,cpu 'app.py:main:1;app.py:load:8'
		line 2000 1 gil,cpu 'app.py:main:1'
		line 0 2 gil-wanted 'app.py:serve:3'
		line 1000 2 - 'app.py:serve:4;lib.py:wait:5'
		line 2000 2 - 'app.py:serve:4;lib.py:wait:5'
	} >p.txt
	run -0 --separate-stderr tach-convert --markdown p.txt
	is "$stderr" ''
	is "$(section Threads <<<"$output" | tail -n 2)" "$(cat <<-'END'
		| 50.0% | 100% | 100% | 0% | 0% | `MainThread` |
		| 50.0% | 0% | 0% | 33% | 67% | `(no name)` |
	END
	)"
	is "$(section Functions <<<"$output" | tail -n +2)" "$(cat <<-'END'
		| self | total | function | where |
		|--:|--:|---|---|
		| 50.0% | 50.0% | `load` | `app.py:7` |
		| 25.0% | 75.0% | `main` | `app.py:1` |
		| 25.0% | 25.0% | `serve` | `app.py:3` |
	END
	)"
	is "$(section Lines <<<"$output" | sed -n 3,5p)" "$(cat <<-'END'
		| 25.0% | `app.py:1` | `main` |
		| 25.0% | `app.py:7` | `load` |
		| 25.0% | `app.py:8` | `load` |
	END
	)"
	is "$(section Paths <<<"$output" | head -n 1)" '1. 50.0% `main` → `load`'
	is "$(section Waits <<<"$output" | tail -n 1)" '1. 100.0% `serve` → `wait`'
	is "$(section GIL <<<"$output" | tail -n 1)" '| 100.0% | `serve` | `load` |'
	found 'match .:load:. p.txt`$' <<<"$output"
	found 'tach-top --gil p.txt`$' <<<"$output"
	is "$output" "$(tach-convert --markdown p.txt)"
}

# recorded FILE NOTE...: the rows that tell when and of what a profile is.
recorded() {
	local samples=$1
	shift
	{ cat head.txt; printf '# note %s\n' "$@"; cat "$samples"; } |
	    tach-convert --markdown "${how[@]}" - | grep -E '^\| (start|process)' || :
}

@test "the time of day, and the processes of the samples" {
	local how=() i
	printf '0\t%s\t1\tcpu\ta.py:f:1\n' 0 1 3 >s.txt
	is "$(recorded s.txt 'process 0 41' 'time 0 1700000000000042')" \
	    $'| start | 2023-11-14 22:13:20.000042 UTC |\n| process | 41 |'
	is "$(recorded s.txt 'process 0 1' 'process 1 1' 'process 2 7' 'process 3 0')" \
	    '| processes | 1, 1 |'
	how=(--interp 1)
	is "$(recorded s.txt 'process 0 41' 'process 1 42')" '| process | 42 |'
	how=()
	is "$(recorded s.txt 'another')" ''
	for ((i = 0; i < 11; i++)); do
		printf '# note process %d %d\n' "$i" $((i + 101))
		printf '0\t%d\t1\tcpu\ta.py:f:1\n' "$i"
	done >s.txt
	is "$(recorded s.txt another)" \
	    '| processes | 101, 102, 103, 104, 105, 106, 107, 108 and 3 more |'
	# All rows of the head have room.
	{ head -n 2 head.txt; printf '# interval 4294967295\n# note time 0 1\n'
	sed 's/ \(1..\)$/ 2147483\1/' s.txt; } >p.txt
	cp p.txt "$(printf '%0200d' 7).txt"
	tach-convert --markdown 0*.txt | sed -n '1,/^## /p' >head.md
	found '^| start ' <head.md
	found '2147483108 and 3 more |$' <head.md
	found '^Threads were on a CPU' <head.md
}

# nasty: a profile whose names are long, many, and of another markup.
nasty() {
	python3 - <<-'END'
	print("# tach 1\n# interval 1000")
	bad = ["a|b|c", "`code` | <script>alert(1)</script>", "x\\012| y", "日" * 4000,
	       "\\134`*_{}[]()#+-.!~", "| --- |", "<!--", "a" * 60000, "é|" * 3000,
	       "$(touch owned)", "'; touch owned; '", "\\342\\200\\256evil", "&amp;"]
	for i in range(400):
	    name = bad[i % len(bad)]
	    print("# note thread 0 %d %s" % (i, name[:9000] + chr(97 + i % 26)))
	for t in range(60):
	    for i in range(400):
	        stack = ";".join("%s.py:%s%c:%d" % (n, n, 97 + i % 26, i + 1)
	                         for n in (bad[(i + j) % len(bad)][:500].replace(";", ",")
	                                   .replace(":", "") for j in range(i % 12 + 1)))
	        print("%d\t0\t%d\t%s\t%s" % (t * 1000, i, ("gil,cpu", "gil-wanted", "-")
	                                     [(i + t) % 3], stack))
	END
}

@test "a report has at most 8192 bytes of UTF-8, and ends every section whole" {
	nasty >p.txt
	tach-convert --markdown p.txt >p.md
	(($(wc -c <p.md) <= 8192))
	(($(wc -c <p.md) > 4000))
	iconv -f UTF-8 -t UTF-8 p.md >/dev/null
	is "$(tail -c 1 p.md | od -An -c | tr -d ' ')" '\n'
	is "$(grep -c '^## ' p.md)" 7
	cmp p.md <(tach-convert --markdown p.txt)
	cp p.txt "$(printf '%0200d' 7)\`|.txt"
	tach-convert --markdown 0*.txt >q.md
	(($(wc -c <q.md) <= 8192))
	found 'tach-convert --diff BASE FILE`$' <q.md
	found '^# Python profile `0*…0*7.¦.txt`$' <q.md
	absent 'touch owned.* `$' <q.md
}

@test "threads: a row each while there is room, and the number of the others" {
	local n=30 rows
	{
		cat head.txt
		for ((i = 0; i < n; i++)); do
			printf '# note thread 0 %d %s-%d\n' $i \
			    "$(printf 'n%.0s' {1..60})" $i
			line 0 $i cpu 'app.py:f:1'
		done
	} >p.txt
	tach-convert --markdown --by thread p.txt | section Threads >threads
	rows=$(grep -c '^| [0-9]' threads)
	[ "$rows" -gt 5 ]
	is "$(tail -n 1 threads)" "and $((n - rows)) more"
	is "$(tach-convert --markdown head.txt | grep '^##')" '## Next'
}

@test "the command for callers names functions with underscores, dots and <locals>" {
	local name command
	for name in load_all Shop.load 'make.<locals>.f' '__init__' '<lambda>'; do
		{
			cat head.txt
			line 0 1 cpu "app.py:main:1;app.py:$name:2"
			line 1000 1 cpu "app.py:main:1;app.py:$name:2"
			line 2000 1 cpu "app.py:main:1;app.py:${name//./x}x:2"
		} >p.txt
		command=$(tach-convert --markdown p.txt |
		    sed -n 's/^- Callers.*`\(.*\)`$/\1/p')
		is "$(bash -c "$command" 2>/dev/null)" "app.py:main:1;app.py:$name:2 2"
	done
}

@test "tables are tables, and no name is markup, by cmark-gfm" {
	need cmark-gfm
	nasty >p.txt
	tach-convert --markdown p.txt | cmark-gfm -e table --unsafe >p.html
	is "$(grep -c '<table>' p.html)" 5
	absent '<script\|<!--' <p.html
	is "$(grep -c '<h[12]>' p.html)" 8
	# A row that has another number of cells is filled up, or cut, by the parser: so
	# each cell of a name is code, and the last one of a row that has one.
	python3 - p.html <<-'END'
	import re, sys
	html = open(sys.argv[1], encoding="utf-8").read()
	rows = re.findall(r"<tr>\n(.*?)</tr>", html, re.S)
	cells = [re.findall(r"<td[^>]*>(.*?)</td>", r, re.S) for r in rows]
	assert sum(len(c) > 0 for c in cells) > 30, len(cells)
	for row in cells:
	    for cell in row:
	        assert re.fullmatch(r"<code>[^<`|]*</code>|[\w.,%: ]*", cell), cell
	END
}

@test "profiles of nothing, of no frames and of CPython" {
	tach-convert --markdown head.txt >p.md
	found 'There are no samples: `tach-info head.txt`' <p.md
	{
		cat head.txt
		line 0 1 - ''
	} >p.txt
	tach-convert --markdown p.txt >p.md
	found '^1. 100.0% `<no frames>`$' <p.md
	tach-convert --markdown "$T/data/cpython315-wall.bin" >p.md
	found 'Mostly it is not known whether they were on a CPU' <p.md
	found '^| 49.7% | 82.2% | `Thread.run` | `/usr/lib/python3.15/threading.py:1160` |$' <p.md
}
