# SPDX-License-Identifier: ISC
# tach-convert: options, output files, and each format against its peer.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$T/data"
}

# ---- formats ------------------------------------------------------------

# What `python3.15 -m profiling.sampling replay --collapsed` of CPython 3.15.0
# wrote of these files: cpython315-*.collapsed.
@test "--collapsed equals what CPython 3.15.0 wrote" {
	local name
	for name in wall gil opcodes none; do
		tach-convert --collapsed "cpython315-$name.bin" |
		    diff -u "cpython315-$name.collapsed" -
	done
}

# On its own files, and on one of its writer's with what these lack: frames
# without a line, in files of the same name, of its launcher, and none at all,
# which it does not count; one thread in two interpreters.
@test "--collapsed equals what the CPython 3.15 at hand writes" {
	need_python 3.15
	local name
	cp cpython315-*.bin "$OUTSIDE"
	"${PYTHON[@]}" - "$INSIDE/odd.bin" <<-'END'
	import sys
	from _remote_debugging import (BinaryWriter, FrameInfo, InterpreterInfo,
	                               LocationInfo, ThreadInfo)
	def frame(file, func, line):
	    return FrameInfo((file, line and LocationInfo((line, line, -1, -1)),
	                      func, None))
	A = frame('/a/__init__.py', '<module>', 1)
	B = frame('/b/__init__.py', '<module>', 1)
	GC = frame('~', '<GC>', None)
	NONE = frame('/a/none.py', 'none', None)
	DIR = frame('/a/dir/', 'f', 3)
	EMPTY = frame('', 'empty', None)
	SYNC = frame('/x/_sync_coordinator.py', 'main', 9)
	STACKS = [[A], [GC, A], [B], [B, A], [], [A, SYNC], [SYNC], [NONE, DIR],
	          [EMPTY, A], [A, A, A], [frame('/é/ü.py', '日本', 12)],
	          [frame('/a/x.py', 'f', n) for n in range(1, 200)],
	          [frame('/a/x.py', 'f', 1)], [frame('/a/x.py', 'f', 12), A],
	          [frame('/a/x.py', 'f', 1), A], [A, frame('/a/x.py', 'f', 1)]]
	w = BinaryWriter(sys.argv[1], 1000, 0, compression=0)
	for n in range(100):
	    w.write_sample([InterpreterInfo((interp, [
	        ThreadInfo((thread, 0, STACKS[n * thread % len(STACKS)]))
	        for thread in (1, 7, 12)])) for interp in (0, 1)], n * 1000)
	w.finalize()
	END
	cp "$OUTSIDE/odd.bin" "$BATS_TEST_TMPDIR"
	for name in cpython315-{wall,gil,opcodes,none} odd; do
		"${PYTHON[@]}" -m profiling.sampling replay --collapsed \
		    -o "$INSIDE/$name.folded" "$INSIDE/$name.bin"
		diff "$OUTSIDE/$name.folded" \
		    <(tach-convert --collapsed "$OUTSIDE/$name.bin" |
			grep -v ';<no frames> ')
	done
	[ "$(wc -l <"$OUTSIDE/odd.folded")" -gt 20 ]
}

@test "--collapsed: every rare thing" {
	run -0 --separate-stderr tach-convert --collapsed odd.bin
	is "$stderr" ''
	golden collapsed-odd.txt
}

# Threads 1 and 2 at 1 ms; the second has a gap of 50 ms, and frames that only
# some grammars tell apart.
timed() {
	printf '# interval 1000\n'
	printf '%s\t%s\t%s\tcpu\t%s\n' \
	    0 0 1 '/a/x.py:main:3' 1000 0 1 '/a/x.py:main:3;/a/y.py:f g:7' \
	    3500 0 1 '/b/x.py:main:3;~:<GC>:' 4500 0 1 '' \
	    0 1 2 '/a/x.py:main:4' 50000 1 2 '/a/x.py:main:4' \
	    51000 1 2 '/a/z.py:f:'
}

@test "--frame cpython" {
	run -0 tach-convert --collapsed --frame cpython <(timed)
	is "$output" "tid:2;x.py:main:4 2
tid:1;<no frames> 1
tid:1;x.py:main:3 1
tid:1;x.py:main:3;<GC> 1
tid:1;x.py:main:3;y.py:f g:7 1
tid:2;z.py:f:0 1"
}

@test "--frame py-spy" {
	run -0 tach-convert --collapsed --frame py-spy <(timed)
	is "$output" "main (/a/x.py:4) 2
<no frames> 1
f (/a/z.py) 1
main (/a/x.py:3) 1
main (/a/x.py:3);f g (/a/y.py:7) 1
main (/b/x.py:3);<GC> 1"
}

@test "--frame austin" {
	run -0 tach-convert --collapsed --frame austin <(timed)
	is "$output" "P0;T1:2;/a/x.py:main:4 2
P0;T0:1;/a/x.py:main:3 1
P0;T0:1;/a/x.py:main:3;/a/y.py:f g:7 1
P0;T0:1;/b/x.py:main:3;<GC> 1
P0;T0:1;<no frames> 1
P0;T1:2;/a/z.py:f:0 1"
}

@test "--frame function" {
	run -0 tach-convert --collapsed --frame function <(timed)
	is "$output" "main 3
<no frames> 1
f 1
main;<GC> 1
main;f g 1"
}

@test "flamegraph.pl takes every style" {
	need_flamegraph
	local style
	for style in cpython py-spy austin function; do
		tach-convert --collapsed --frame $style cpython315-wall.bin |
		    flamegraph - >"$BATS_TEST_TMPDIR/p.svg"
		grep -F '<title>all (11,707 samples, 100%)</title>' \
		    "$BATS_TEST_TMPDIR/p.svg"
		grep -E 'title>.*BaseEventLoop.run_forever.* \(' \
		    "$BATS_TEST_TMPDIR/p.svg"
	done
}

@test "speedscope shows --collapsed" {
	need_speedscope
	tach-convert --collapsed -o "$BATS_TEST_TMPDIR/p.txt" cpython315-wall.bin
	speedscope_text "$BATS_TEST_TMPDIR/p.txt" >"$BATS_TEST_TMPDIR/text"
	grep -F $'left\t1\t3\t0\tshop.py:<module>:40' \
	    "$BATS_TEST_TMPDIR/text"
}

# The time until the thread's next sample, ten intervals at most; the last one
# stands for one.
@test "--weight time" {
	run -0 tach-convert --collapsed --weight time <(timed)
	is "$output" "tid:2;x.py:main:4 11000
tid:1;x.py:main:3;y.py:f g:7 2500
tid:1;<no frames> 1000
tid:1;x.py:main:3 1000
tid:1;x.py:main:3;<GC> 1000
tid:2;z.py:f:0 1000"
}

@test "--weight time does not count what is left out" {
	run -0 tach-convert --collapsed --weight time --match 'main' <(timed)
	is "$(awk '{ n += $NF } END { print n }' <<<"$output")" 15500
	run -0 tach-convert --collapsed --weight time --since 1ms \
	    --thread 1 <(timed)
	is "$(awk '{ n += $NF } END { print n }' <<<"$output")" 4500
}

# ---- the command line ---------------------------------------------------

@test "--help and --list print all formats" {
	run -0 tach-convert --list
	local list=$output
	run -0 tach-convert --help
	is "${lines[0]}" "Usage: tach-convert --FORMAT [OPTION ...] [FILE]"
	is "$(sed -n 's/^      --\([a-z]* *\)/\1/p' <<<"$output" |
	    head -n "$(wc -l <<<"$list")")" "$list"
	grep -Fx 'collapsed     one line a distinct stack, with its weight' \
	    <<<"$list"
	is "$(awk '{ print $1 }' <<<"$list" | xargs)" "collapsed speedscope \
gperftools pprof otlp gecko flamegraph diff heatmap pstats callgrind chrome \
markdown perfetto jsonl csv tach"
}

@test "options of other formats" {
	local option value
	while read -r option value; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tach-convert --tach $option $value \
		    odd.bin
		is "$output" ''
		is "$stderr" "tach-convert: $option does not go with --tach
Try 'tach-convert --help'."
	done <<-END
	--weight time
	--frame austin
	--idle keep
	--gzip
	--word 32
	--byte-order big
	--symbols x.so
	--symbolized
	--build /x
	--diff odd.bin
	END
	run -2 --separate-stderr tach-convert --csv --frame austin odd.bin
	is "${stderr_lines[0]}" \
	    "tach-convert: --frame does not go with --csv"
}

@test "values that there are not" {
	run -2 --separate-stderr tach-convert --collapsed --frame rbspy odd.bin
	is "${stderr_lines[0]}" "tach-convert: --frame rbspy: there are \
cpython, py-spy, austin and function"
	run -2 --separate-stderr tach-convert --collapsed --weight bytes odd.bin
	is "${stderr_lines[0]}" \
	    "tach-convert: --weight bytes: there are samples and time"
}

@test "what is no text does not go to a terminal" {
	run -2 "$T/lib/at-terminal" -- tach-convert --pprof odd.bin
	is "${lines[0]%$'\r'}" \
	    "tach-convert: --pprof is no text: standard output is a terminal"
}

@test "how far a long conversion is, at a terminal" {
	local many=$BATS_TEST_TMPDIR/many.bin
	"$TACH_BUILDDIR/t/unit/many" "$many" 1500000000
	# shellcheck disable=SC2016
	run -0 "$T/lib/at-terminal" -- sh -c \
	    'tach-convert --collapsed "$1" >/dev/null' - "$many"
	grep -E $'\r\e\\[K[0-9]+ % read\r' <<<"$output"
	# and nothing is left of it
	[[ $output == *$'\r\e[Ktach-convert: 100% of the samples are of idle threads: '* ]]
	run -0 "$T/lib/at-terminal" -- tach-convert --collapsed odd.bin
	[[ $output != *read* ]]
}

@test "two profiles that are both standard input" {
	run -2 --separate-stderr tach-convert --diff - <odd.bin
	is "${stderr_lines[0]}" \
	    "tach-convert: both profiles cannot be standard input"
}

@test "no format" {
	run -2 --separate-stderr tach-convert odd.bin
	is "$output" ''
	is "$stderr" "tach-convert: no format: choose one, such as --collapsed
Try 'tach-convert --help'."
}

@test "two files" {
	run -2 --separate-stderr tach-convert --collapsed odd.bin odd.bin
	is "$output" ''
	is "$stderr" "tach-convert: one FILE at a time
Try 'tach-convert --help'."
}

@test "-o without a name" {
	run -2 --separate-stderr tach-convert --collapsed odd.bin -o
	is "$stderr" "tach-convert: option requires an argument -- 'o'
Try 'tach-convert --help'."
}

# ---- -o -----------------------------------------------------------------

@test "-o makes a file, for its owner alone" {
	local dir=$BATS_TEST_TMPDIR/dir out=$BATS_TEST_TMPDIR/dir/out
	mkdir "$dir"
	umask 027
	run -0 tach-convert --collapsed -o "$out" odd.bin
	is "$output" ''
	is "$(<"$out")" "$(tach-convert --collapsed odd.bin)"
	is "$(stat -c %a "$out")" 600
	is "$(ls -A "$dir")" out
	rm "$out"
	run -0 tach-convert --collapsed --output="$out" <odd.bin
	is "$(<"$out")" "$(tach-convert --collapsed odd.bin)"
}

@test "-o replaces a file and keeps its mode" {
	local dir=$BATS_TEST_TMPDIR/dir
	mkdir "$dir"
	echo old >"$dir/out"
	chmod 604 "$dir/out"
	run -0 tach-convert --collapsed -o "$dir/out" odd.bin
	is "$output" ''
	is "$(<"$dir/out")" "$(tach-convert --collapsed odd.bin)"
	is "$(stat -c %a "$dir/out")" 604
	is "$(ls -A "$dir")" out
}

@test "-o - is standard output" {
	is "$(tach-convert --collapsed -o - odd.bin)" \
	    "$(tach-convert --collapsed odd.bin)"
}

@test "-o writes to what is no regular file directly" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	cat "$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/got" &
	run -0 tach-convert --collapsed -o "$BATS_TEST_TMPDIR/fifo" odd.bin
	wait $!
	is "$(<"$BATS_TEST_TMPDIR/got")" "$(tach-convert --collapsed odd.bin)"
	[ -p "$BATS_TEST_TMPDIR/fifo" ]
}

@test "-o leaves an older file alone if the input cannot be read" {
	local dir=$BATS_TEST_TMPDIR/dir
	mkdir "$dir"
	echo old >"$dir/out"
	run -1 --separate-stderr tach-convert --collapsed -o "$dir/out" nosuch.bin
	is "$stderr" "tach-convert: nosuch.bin: No such file or directory"
	is "$(<"$dir/out")" old
	is "$(ls -A "$dir")" out
}

@test "-o leaves an older file alone, and nothing new, if writing fails" {
	local dir=$BATS_TEST_TMPDIR/small
	mkdir "$dir"
	mount -t tmpfs -o size=16k tach-test "$dir" 2>/dev/null ||
	    skip "cannot mount a tmpfs here"
	echo old >"$dir/out"
	run -1 --separate-stderr tach-convert --collapsed -o "$dir/out" \
	    cpython315-wall.bin
	local files old
	files=$(ls "$dir")
	old=$(<"$dir/out")
	umount "$dir"
	is "$stderr" "tach-convert: $dir/out: No space left on device"
	is "$files" out
	is "$old" old
}

@test "-o where nothing can be written" {
	run -1 --separate-stderr tach-convert --collapsed \
	    -o /nonexistent/out odd.bin
	is "$stderr" "tach-convert: /nonexistent/out: No such file or directory"
	run -1 --separate-stderr tach-convert --collapsed \
	    -o "$BATS_TEST_TMPDIR" odd.bin
	is "$stderr" "tach-convert: $BATS_TEST_TMPDIR: Is a directory"
}

@test "a signal at any moment leaves nothing behind" {
	echo old >"$BATS_TEST_TMPDIR/out"
	python3 - "$BATS_TEST_TMPDIR/out" <<-'END'
	import glob, signal, subprocess, sys, time
	out = sys.argv[1]
	for attempt in range(300):
	    p = subprocess.Popen(['tach-convert', '--collapsed', '-o', out,
	                          'cpython315-wall.bin'])
	    time.sleep(attempt * 0.00002)
	    p.send_signal(signal.SIGTERM)
	    p.wait()
	    assert p.returncode in (0, -signal.SIGTERM), p.returncode
	    assert glob.glob(out + '.*') == [], attempt
	    data = open(out, 'rb').read()
	    assert data == b'old\n' or len(data) == 52320, attempt
	END
}

# ---- TACH again --------------------------------------------------------------

@test "--tach gives the same samples in every layout and compression" {
	local file layout compression
	for file in odd.bin cpython315-gil.bin; do
		tach-cat -l "$file" | grep -v '^#' >"$BATS_TEST_TMPDIR/want"
		for layout in early cpython; do
			for compression in none zstd; do
				tach-convert --tach --layout $layout \
				    --compression $compression "$file" \
				    >"$BATS_TEST_TMPDIR/q.bin"
				tach-cat -l "$BATS_TEST_TMPDIR/q.bin" |
				    grep -v '^#' | cmp - "$BATS_TEST_TMPDIR/want"
				run -0 tach-info --json "$BATS_TEST_TMPDIR/q.bin"
				is "$(jq -r '.layout, .compression' <<<"$output")" \
				    "$layout"$'\n'"$compression"
			done
		done
	done
}

@test "--tach --layout=cpython keeps what the recorder said" {
	tach-convert --tach --layout=cpython -o "$BATS_TEST_TMPDIR/q.bin" \
	    cpython315-opcodes.bin
	for file in cpython315-opcodes.bin "$BATS_TEST_TMPDIR/q.bin"; do
		tach-info --json "$file" |
		    jq '{config, mode, features, recorded, start_us}'
	done >"$BATS_TEST_TMPDIR/said"
	is "$(sort "$BATS_TEST_TMPDIR/said" | uniq -c | awk '$1 % 2' )" ""
	grep -q '"opcodes"' "$BATS_TEST_TMPDIR/said"
	grep -q errors_percent "$BATS_TEST_TMPDIR/said"
}

@test "a higher --level makes a smaller file" {
	local low high
	low=$(tach-convert --tach --level 1 cpython315-wall.bin | wc -c)
	high=$(tach-convert --tach --level 19 cpython315-wall.bin | wc -c)
	((high < low))
}

@test "stacks that CPython does not read are told, and cut by --depth" {
	awk 'BEGIN { for (n = 256; n <= 258; n++) {
		printf "%d\t0\t1\t-\t", n
		for (i = 1; i <= n; i++)
			printf "%sx.py:f%d:%d", (i > 1 ? ";" : ""), i, i
		print "" } }' >"$BATS_TEST_TMPDIR/deep.txt"
	run -0 --separate-stderr tach-convert --tach \
	    -o "$BATS_TEST_TMPDIR/q.bin" "$BATS_TEST_TMPDIR/deep.txt"
	is "$stderr" "tach-convert: $BATS_TEST_TMPDIR/q.bin: 2 samples have more \
than 256 frames, and CPython reads no such profile: --depth 256 cuts them"
	tach-cat "$BATS_TEST_TMPDIR/q.bin" | cmp - "$BATS_TEST_TMPDIR/deep.txt"
	run -0 --separate-stderr tach-convert --tach --layout early \
	    -o "$BATS_TEST_TMPDIR/q.bin" "$BATS_TEST_TMPDIR/deep.txt"
	is "$stderr" ""
	tach-cat "$BATS_TEST_TMPDIR/q.bin" | cmp - "$BATS_TEST_TMPDIR/deep.txt"
	run -0 --separate-stderr tach-convert --tach --depth 256 \
	    -o "$BATS_TEST_TMPDIR/q.bin" "$BATS_TEST_TMPDIR/deep.txt"
	is "$stderr" ""
	run -0 tach-cat "$BATS_TEST_TMPDIR/q.bin"
	is "$(awk -F '[\t;]' '{ print NF - 4, $5, $6 }' <<<"$output")" \
	    "256 x.py:f1:1 x.py:f2:2
256 <truncated> x.py:f3:3
256 <truncated> x.py:f4:4"
}

@test "more samples than the early header can count" {
	local many=$BATS_TEST_TMPDIR/many.bin
	"$TACH_BUILDDIR/t/unit/many" "$many" 4294967295
	is "$(tach-info "$many" | awk '/^layout|^samples/ { print $2 }')" \
	    "early"$'\n'"4294967295"
	"$TACH_BUILDDIR/t/unit/many" "$many" 4294967296
	run -0 --separate-stderr tach-convert --tach --layout early \
	    -o "$BATS_TEST_TMPDIR/q.bin" "$many"
	is "$stderr" "tach-convert: $BATS_TEST_TMPDIR/q.bin: it has CPython's header, as \
the early one cannot count so many samples"
	for file in "$many" "$BATS_TEST_TMPDIR/q.bin"; do
		is "$(tach-info "$file" | awk '/^layout|^samples/ { print $2 }')" \
		    "cpython"$'\n'"4294967296"
	done
}

@test "--tach through pipes" {
	# shellcheck disable=SC2094
	cat odd.bin | tach-convert --tach | cat |
	    cmp - <(tach-convert --tach <odd.bin)
	run -1 --separate-stderr tach-convert --tach -o /dev/full odd.bin
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}

@test "options that are for --tach are refused without it" {
	run -2 --separate-stderr tach-convert --collapsed --level 3 odd.bin
	is "$stderr" "tach-convert: --layout, --compression, --level and --depth go \
with --tach
Try 'tach-convert --help'."
	run -2 --separate-stderr tach-convert --tach --level 23 odd.bin
	is "$stderr" "tach-convert: the level 23 is too large
Try 'tach-convert --help'."
	run -2 --separate-stderr tach-convert --tach --collapsed odd.bin
	is "$stderr" "tach-convert: --tach and --collapsed exclude each other
Try 'tach-convert --help'."
}

# Hashes of names are others in every process.
@test "what is written is the same in every run" {
	cd "$BATS_TEST_TMPDIR"
	local file name
	for file in "$T/data/odd.bin" "$T/data/cpython315-wall.bin"; do
		for name in collapsed speedscope gperftools pprof otlp gecko \
		    flamegraph "diff $file" pstats callgrind chrome markdown \
		    perfetto jsonl csv tach 'collapsed --frame py-spy'; do
			# shellcheck disable=SC2086
			tach-convert --$name -o one "$file" 2>/dev/null
			# shellcheck disable=SC2086
			tach-convert --$name -o two "$file" 2>/dev/null
			cmp one two
		done
		rm -rf h i
		tach-convert --heatmap -o h "$file" 2>/dev/null
		tach-convert --heatmap -o i "$file" 2>/dev/null
		diff -r h i
	done
}
