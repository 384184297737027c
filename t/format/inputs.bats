# SPDX-License-Identifier: ISC
# inputs.bats: collapsed stacks and profiles of gperftools, read by all tools.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# cat_is LINES [TEXT]: TEXT, or else standard input, is read as these samples.
cat_is() {
	if [ $# -gt 1 ]; then
		is "$(printf '%s\n' "$2" | tach-cat)" "$1"
	else
		is "$(tach-cat)" "$1"
	fi
}

# stack FRAMES TEXT: one line of collapsed stacks, without its count, is of
# thread 0 and has these frames.
stack() {
	cat_is $'0\t0\t0\tunknown\t'"$1" "$2 1"
}

# refused MESSAGE LINE...: of these lines, after one that is good, the last is
# not.
refused() {
	printf '%s\n' 'tid:7;a.py:f:1 1' "${@:2}" >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" "tach-cat: bad.txt: $1"
	is "$output" "$(head -n -1 bad.txt | tach-cat)"
}

# slots LETTER NUMBER...: as slots, of which LETTER says the kind: < or > is
# the byte order, I is 32 bits and Q 64.
slots() {
	python3 -c '
import struct, sys
order, word = sys.argv[1]
numbers = [int(n, 0) for n in sys.argv[2:]]
sys.stdout.buffer.write(struct.pack(f"{order}{len(numbers)}{word}", *numbers))
' "$@"
}

# ---- whose grammar -------------------------------------------------------

@test "CPython's collapsed stacks come back as they were" {
	local file
	for file in "$T"/data/cpython*.bin; do
		tach-convert --collapsed "$file" >want
		[ -s want ]
		tach-convert --collapsed want >got
		cmp want got
		tach-convert --collapsed <want | cmp want -
		is "$(tach-info --verify want | cut -d , -f 2)" \
		    " $(awk '{ n += $NF } END { print n }' want) samples"
	done
}

@test "the other grammars that tach-convert writes" {
	local file style
	tach-convert --help | found -e --frame || skip "it writes one only"
	for file in "$T"/data/cpython*.bin; do
		for style in austin py-spy function; do
			tach-convert --collapsed --frame=$style "$file" >want
			[ -s want ]
			tach-convert --collapsed --frame=$style want |
			    cmp want -
		done
	done
}

@test "CPython: threads, and a frame without a place" {
	cat_is $'0\t0\t7\tunknown\ta.py:<module>:9;<GC>
1000\t0\t7\tunknown\ta.py:<module>:9;<GC>
0\t0\t8\tunknown\ta.py:<module>:9;a.py:f:0
2000\t0\t7\tunknown\t' 'tid:7;a.py:<module>:9;<GC> 2
tid:8;a.py:<module>:9;a.py:f:0 1
tid:7 1'
}

@test "py-spy: threads by number, and processes as frames" {
	stack 'a.py:<module>:9;lib.py:f:3' '<module> (a.py:9);f (lib.py:3)'
	stack 'x/libc.so.6:g:;a.py:f:3' 'g (x/libc.so.6);f (a.py:3)'
	stack 'a\040(1).py:f:3' 'f (a (1).py:3)'
	stack 'f' 'f (:0)'
	cat_is $'0\t0\t18\tunknown\ta.py:f:3' 'thread (0X12): Main;f (a.py:3) 1'
	cat_is $'0\t0\t18\tunknown\ta.py:f:3' 'thread (18);f (a.py:3) 1'
	cat_is $'0\t0\t18\tunknown\tprocess\\0405\\072"a\\040b";process\\0406\\072"c";a.py:f:3' \
	    'process 5:"a b";process 6:"c";thread (18);f (a.py:3) 1'
	stack $'a.py:f:3;a.py:g:4' 'f (a.py:3);g (a.py:4);'
}

@test "austin: interpreters, the interval, and time as samples" {
	cat_is $'0\t1\t8\tunknown\t/a.py:f:3
100\t1\t8\tunknown\t/a.py:f:3
200\t1\t8\tunknown\t/a.py:f:3;<GC>
0\t0\t9\tunknown\t' <<-'END'
	# austin: 3.7.0
	# interval: 100
	# mode: wall

	P7;T1:8;/a.py:f:3 249
	P7;T1:8;/a.py:f:3;:GC: 2
	P7;T9 149

	# duration: 400
	END
	is "$(tach-info "$T/data/austin.txt" | grep interval)" \
	    'interval:          20000 us (50 samples a second)'
	is "$(tach-info --verify "$T/data/austin.txt" | cut -d , -f 2)" \
	    " $(awk '/^P/ { n = int($NF / 20000 + 0.5); all += n ? n : 1 }
	    END { print all }' "$T/data/austin.txt") samples"
	is "$(tach-convert --collapsed "$T/data/austin.txt" | head -n 2)" \
	    'tid:25627;gens.py:<module>:52;gens.py:main:48;gens.py:drive:37;gens.py:outer:31;gens.py:inner:26 11
tid:25627;gens.py:<module>:52;gens.py:main:48;gens.py:drive:37;gens.py:outer:31;gens.py:inner:25 5'
}

@test "austin: its other modes" {
	local head=$'# austin: 3.7.0\n# interval: 10\n# mode: '
	local line=$'\n0\t0\t8\tunknown\tf'
	cat_is "${line:1}" "${head}full
# memory: 5
P7;T0:8;f 12,0,-4096"
	cat_is "${line:1}${line/0/10}" "${head}cpu
P7;T0:8;f 15"
	cat_is "${line:1}${line/0/10}" "${head}memory
P7;T0:8;f 131072
P7;T0:8;f -4096"
	run -1 --separate-stderr tach-cat <<<"${head}tea"
	is "$stderr" "tach-cat: standard input: line 3: austin's mode \"tea\" is not known"
	run -1 --separate-stderr tach-cat <<<"${head/10/10ms}wall"
	is "$stderr" 'tach-cat: standard input: line 2: interval "10ms" is not one in microseconds'
	printf '%s\n' "${head}wall" 'P7;T8;f 9' "${head}wall" >two.txt
	run -1 --separate-stderr tach-cat two.txt
	is "$stderr" 'tach-cat: two.txt: line 5: another "# austin": tach-merge makes one profile of several'
	# Without its header the numbers are samples.
	is "$(tach-cat <<<'P7;T0:8;f 12' | wc -l)" 12
}

@test "names alone, whatever they begin with" {
	stack 'main;f' 'main;f'
	stack 'one' 'one'
	stack '9;#8' '9;#8'
	stack '#9;f' '#9;f'
	stack '0x12;f' '0x12;f'
	stack '12\040monkeys;f' '12 monkeys;f'
	stack 'std\072\072sort(int*,\040int*);f(g\040(*)(int))' \
	    'std::sort(int*, int*);f(g (*)(int))'
	stack 'lib.so:std\072\072sort:12' 'lib.so:std::sort:12'
	stack 'a\072b;b\07212;f\072g\072x' 'a:b;b:12;f:g:x'
	stack 'f\040/x.js\0725\0726' 'f /x.js:5:6'
	stack 'a;b;c' ';a;;b;c'
	stack 'tid\072x;P1;T2\072x' 'tid:x;P1;T2:x'
	stack 'caf\351;\011x' $'caf\351;\tx'
	cat_is $'0\t0\t0\tunknown\ta;b' $'\r\n\na;b\t1\r'
}

# ---- what it is ----------------------------------------------------------

# layout FILE: what tach-info takes it for, by name and from a pipe.
layout() {
	local name pipe
	name=$(tach-info "$1" | sed -n 's/^layout: *//p')
	pipe=$(cat "$1" | tach-info | sed -n 's/^layout: *//p')
	is "$name" "$pipe"
	echo "$name"
}

@test "inputs are known by their content" {
	local file text=$'1\t0\t7\t-\ta;b' many
	printf '%s\n' 'tid:7;a:b:1 5' >c.txt
	is "$(layout c.txt)" collapsed
	is "$(layout "$T/data/austin.txt")" collapsed
	printf '# a comment\n\n5;6 5\n' >c.txt
	is "$(layout c.txt)" collapsed
	many=$(head -c 70000 /dev/zero | tr '\0' f)
	echo "f;$many 5" >c.txt
	is "$(layout c.txt)" collapsed
	echo "$many;f 5" >c.txt
	run -1 --separate-stderr tach-info c.txt
	is "$stderr" 'tach-info: c.txt: not a TACH profile (it begins with "ffffffff")'
	for file in '# tach 1' "$text" '# a comment' '#' '#x 5' \
	    "# a;b 5"$'\n'"$text" "# note a;b 5"$'\n'"$text"; do
		printf '%s\n' "$file" >t.txt
		is "$(layout t.txt)" text
	done
	for file in "$T"/fuzz/corpus/slots/{big,little}-*; do
		is "$(layout "$file")" gperftools
	done
	is "$(layout "$T/data/odd.bin")" early
	is "$(tach-info "$T/fuzz/corpus/slots/big-32" | grep byte)" \
	    'byte-order:        big'
	is "$(tach-info --json "$T/fuzz/corpus/slots/little-64" |
	    jq -r '.layout, .byte_order, .interval_us')" \
	    $'gperftools\nlittle\n10000'
}

@test "a pipe of collapsed stacks is read line by line" {
	mkfifo in out
	# stdbuf comes before a sanitizer, which else objects.
	ASAN_OPTIONS=verify_asan_link_order=0 \
	    stdbuf -oL tach-cat <in >out 3>&- &
	local line i to from
	exec {to}>in {from}<out
	for i in 0 1 2 3; do
		printf 'a.py:f:1 1\n' >&"$to"
		read -r -t 10 line <&"$from"
		is "$line" "$((i * 1000))"$'\t0\t0\tunknown\ta.py:f:1'
	done
	exec {to}>&- {from}<&-
	wait $!
}

@test "the tools take them as they take others" {
	printf '%s\n' 'tid:7;a:b:1;c:d:2 5' 'tid:8;a:b:1 3' 'tid:7;a:b:1 2' \
	    >c.txt
	is "$(tach-convert --collapsed --thread 7 --match d c.txt)" \
	    'tid:7;a:b:1;c:d:2 5'
	is "$(tach-cat --since 5ms c.txt | wc -l)" 2
	tach-convert --tach -o q.bin c.txt
	is "$(tach-convert --collapsed q.bin)" "$(cat c.txt)"
	is "$(tach-info q.bin | grep interval)" \
	    'interval:          1000 us (1000 samples a second)'
	tach-merge -o m.bin c.txt "$T/fuzz/corpus/slots/little-64"
	is "$(tach-cat m.bin | wc -l)" 15
	is "$(tach-info --stats c.txt | grep -e duration -e decoded)" \
	    'duration:          0.006000 s
decoded-samples:   10'
}

# What CPython 3.15's own reader makes of the profiles that these become.
@test "CPython reads what was collapsed stacks and slots" {
	need_python 3.15
	local name
	tach-convert --collapsed -o p.txt "$T/data/cpython315-wall.bin"
	tach-convert --gperftools -o p.prof "$T/data/cpython315-wall.bin"
	for name in p.txt p.prof; do
		tach-convert --tach --layout cpython -o "$OUTSIDE/p.bin" $name
		"${PYTHON[@]}" -m profiling.sampling replay --collapsed \
		    -o "$INSIDE/p.folded" "$INSIDE/p.bin"
		diff "$OUTSIDE/p.folded" <(tach-convert --collapsed $name)
		is "$(awk '{ n += $NF } END { print n }' "$OUTSIDE/p.folded")" \
		    11707
	done
	diff p.txt <(tach-convert --collapsed p.txt)
}

# ---- lines that are wrong ------------------------------------------------

@test "counts that are wrong" {
	refused 'line 2: count "-5" is out of range' 'a;b -5'
	refused 'line 2: count "1.5" is not a whole number (multiply those of all lines alike)' \
	    'a;b 1.5'
	refused 'line 2: count "1,5" is not a number' 'a;b 1,5'
	refused 'line 2: count "18446744073709551616" is out of range' \
	    'a;b 18446744073709551616'
	refused 'line 2: the counts add up to more than 1099511627776 samples (divide those of all lines alike)' \
	    'tid:7;a 18446744073709551'
	cat_is '' 'a;b 0'
}

# passed_over LINE WHY TEXT...: of the lines TEXT, after two that are good,
# some are none, the first of them LINE.
passed_over() {
	local many=1 is=' is' tool
	[ $# -eq 3 ] || many=$(($# - 2)) is='s are'
	printf '%s\n' 'tid:7;a.py:f:1 1' 'tid:7;a.py:f:1 2' "${@:3}" \
	    'tid:7;a.py:g:1 1' >odd.txt
	for tool in tach-cat 'tach-convert --collapsed' \
	    'tach-merge -o m.bin'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr $tool odd.txt
		is "$stderr" "${tool%% *}: odd.txt: $many line$is passed over; \
line $1: $2"
	done
	is "$(tach-convert --collapsed odd.txt 2>/dev/null)" \
	    $'tid:7;a.py:f:1 3\ntid:7;a.py:g:1 1'
	run -0 --separate-stderr tach-merge -o m.bin odd.txt odd.txt
	is "${#stderr_lines[@]}" 2
	is "$(tach-cat m.bin | wc -l)" 8
	run -1 --separate-stderr tach-info --verify odd.txt
	is "$output" ''
	is "$stderr" "tach-info: odd.txt: $many line$is passed over; line $1: $2"
}

@test "lines that are no stacks are passed over" {
	passed_over 3 'no count behind the stack' 'a;b;c'
	passed_over 3 'count "b;c" is not a number' 'a b;c'
	passed_over 3 'count "x5" is not a number' 'a;b x5'
	passed_over 3 'no stack before the count' ' 5' 'nothing' '; 5'
	# Be they the first ones.
	run -0 --separate-stderr tach-convert --collapsed - <<-'END'
	// made by hand
	of nothing;
	main;load 12
	main;draw 3
	END
	is "$output" $'tid:0;main;load 12\ntid:0;main;draw 3'
	is "$stderr" 'tach-convert: standard input: 2 lines are passed over; line 1: count "hand" is not a number'
}

@test "what has more other lines than stacks is none" {
	printf '%s\n' 'a;b 5' 'This is' 'a text.' >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" 'tach-cat: bad.txt: 2 of 3 lines are no collapsed stacks; line 2: count "is" is not a number'
	is "${#lines[@]}" 5
	printf '%s\n' 'This is; a text.' >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" 'tach-cat: bad.txt: 1 of 1 lines are no collapsed stacks; line 1: count "text." is not a number'
	repeat 20 'This is a text' >bad.txt
	echo 'a;b 5' >>bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" 'tach-cat: bad.txt: not a TACH profile (it begins with "This is ")'
}

@test "whole numbers with a point" {
	is "$(printf 'a;b 12.0\nc 5.\nd 1.00\n' | tach-cat | cut -f 5 |
	    uniq -c | tr -s ' ')" ' 12 a;b
 5 c
 1 d'
}

@test "a mark of UTF-8, ends of lines as on Windows, empty lines" {
	local mark=$'\xef\xbb\xbf'
	cat_is $'0\t0\t7\tunknown\ta:b:1' "${mark}tid:7;a:b:1 1"$'\r'
	cat_is $'5\t0\t7\t-\ta:b:1\n6\t0\t7\tgil\tx' \
	    "${mark}# tach 1"$'\r\n\r\n# note pid 5\r\n5\t0\t7\t-\ta:b:1\r\n\r\n6\t0\t7\tgil\tx\r'
	cat_is $'0\t0\t8\tunknown\tf' "$mark# austin: 3.7.0"$'\r
# interval: 10\r
# mode: wall\r
\r
P7;T0:8;f 10\r'
	# A mark that comes slowly, and nothing behind it.
	cat_is $'0\t0\t7\tunknown\ta:b:1' < <(
		printf '\xef'; sleep 0.1; printf '\xbb'; sleep 0.1
		printf '\xbftid:7;a:b:1 1\n')
	run -1 --separate-stderr tach-cat <<<"$mark"
	is "$stderr" 'tach-cat: standard input: not a TACH profile (it begins with "\357\273\277\n")'
}

@test "py-spy: what its threads are called" {
	cat >p.txt <<-'END'
	thread (0x7F12A4B5C740): MainThread;main (app.py:10);load (app.py:22) 5
	process 5:"a b";thread (0x7F12A3FFF700): worker 0;run (app.py:10) 7
	thread (0x7F12A37FE700);run (app.py:10) 4
	thread (0x7F12A4B5C740): MainThread;main (app.py:10) 5
	END
	is "$(tach-info -s p.txt | sed -n 's/^thread: *//p' |
	    sed 's/ interp.*%//')" '139718049515328 name MainThread
139718037600000 name worker 0
139718029207296'
	is "$(tach-convert --collapsed --thread MainThread p.txt)" \
	    "$(grep MainThread p.txt | tac | tach-convert --collapsed)"
	is "$(tach-cat -l p.txt | grep -c '^# note thread')" 2
	tach-merge -o m.bin p.txt p.txt
	is "$(tach-info -s m.bin | grep -c 'name MainThread$')" 2
}

# foreign FILE WHAT: FILE, also from a pipe, is refused by that name.
foreign() {
	run -1 --separate-stderr tach-info "$1"
	is "$output" ''
	is "$stderr" "tach-info: $1: it is $2"
	run -1 --separate-stderr tach-info <"$1"
	is "$stderr" "tach-info: standard input: it is $2"
}

@test "what other programs write is called by its name" {
	local kind
	printf 'main;f 5\nmain;g 7\n' >p.txt
	iconv -f UTF-8 -t UTF-16 p.txt >f
	foreign f 'text in UTF-16: type iconv -f UTF-16 -t UTF-8 FILE | tach-convert'
	for kind in LE BE; do
		iconv -f UTF-8 -t UTF-16$kind p.txt >f
		foreign f "text in UTF-16: type iconv -f UTF-16$kind -t UTF-8 FILE | tach-convert"
	done
	iconv -f UTF-8 -t UTF-32 p.txt >f
	foreign f 'text in UTF-32: type iconv -f UTF-32 -t UTF-8 FILE | tach-convert'
	printf 'PERFILE2\x68\0\0\0' >f
	foreign f "a profile of perf's: type perf script -i FILE | tach-convert"
	echo 'len("")' >a.py
	python3 -m cProfile -o f a.py
	foreign f "a profile of cProfile's, which has no stacks: type python3 -m pstats FILE"
	tach-convert --pstats -o f p.txt
	foreign f "a profile of cProfile's, which has no stacks: type python3 -m pstats FILE"
	tach-convert --chrome -o f p.txt
	foreign f "a trace in Chrome's format, which is not read: open it at https://ui.perfetto.dev"
	tach-convert --perfetto -o f p.txt
	foreign f "a trace of Perfetto's, which is not read: open it at https://ui.perfetto.dev"
	printf '\n\x16\x32\x14\n\x04\x08\x06\x10\x01\n\x04\x08\x03\x10\x01' >f
	foreign f "a trace of Perfetto's, which is not read: open it at https://ui.perfetto.dev"
	tach-convert --gecko -o f p.txt
	foreign f "a profile of Firefox Profiler's, which is not read: open it at https://profiler.firefox.com"
	echo '{"nodes": [{"id": 1}]}' >f
	foreign f 'JSON, which is not read: have the profiler write collapsed stacks'
	tach-convert --flamegraph -o f p.txt
	foreign f 'a page, which is not read: give it the profile that the page was made of'
	tach-convert --callgrind -o f p.txt
	foreign f "a profile of callgrind's, which has no stacks: type kcachegrind FILE"
	# These only begin alike.
	stack 'MOJO;f' 'MOJO;f'
	stack '{closure};f' '{closure};f'
	stack '[unknown];f' '[unknown];f'
	stack '<module>;f' '<module>;f'
	stack 'PK;memray' 'PK;memray'
}

@test "bytes that no text has" {
	printf 'a;b 5\na;\0b 5\n' >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" 'tach-cat: bad.txt: line 2: a byte of zero, which no text has'
	is "${#lines[@]}" 5
}

@test "counts of any size need no memory" {
	printf 'a;b 1000000000000\n' >c.txt
	(
		# Sanitizers take memory of their own.
		grep -q '^SANITIZE_FLAGS = .' "$TACH_BUILDDIR/Makefile" ||
		    ulimit -v 400000
		{ tach-cat c.txt || :; } | head -n 100000 | tail -n 1
	) >got 2>err
	is "$(cat got)" $'99999000\t0\t0\tunknown\ta;b'
}

# ---- slots ---------------------------------------------------------------

@test "slots of both sizes and byte orders" {
	local kind
	for kind in '<I' '>I' '<Q' '>Q'; do
		{
			slots "$kind" 0 3 0 10000 0 2 3 0x1005 0x4007 0x4006 \
			    0 2 9 9 1 2 0x1005 0x4007 1 1 0x5000 0 1 0
			printf '1000-2000 r-xp 00000800 08:01 42       /lib/x.so\n'
			printf '4000-5000: /bin/my y\n'
		} >p.prof
		is "$(tach-cat p.prof)" $'0\t0\t0\tunknown\t/bin/my\\040y:0x5:;/bin/my\\040y:0x6:;/lib/x.so:0x805:
10000\t0\t0\tunknown\t/bin/my\\040y:0x5:;/bin/my\\040y:0x6:;/lib/x.so:0x805:
20000\t0\t0\tunknown\t/bin/my\\040y:0x6:;/lib/x.so:0x805:
30000\t0\t0\tunknown\t0x5000'
		cmp <(tach-cat p.prof) <(cat p.prof | tach-cat)
	done
}

@test "slots: longer headers, build=, lines of other kinds" {
	slots '<Q' 0 5 0 1000 0 7 7 1 1 0x1000 0 1 0 >p.prof
	cat_is $'0\t0\t0\tunknown\t0x1000' <p.prof
	{
		slots '<Q' 0 3 0 1000 0 1 1 0x1000 1 1 0x2000 1 1 0x3000 \
		    1 1 0x4000 1 1 0x6000 0 1 0
		printf '%s\n' 'build=/x y' '# 5' '' 'nonsense' \
		    '1000-2000 r-xp 0 0:0 0 $build/a.so' \
		    '2000-3000 r-xp 0 0:0 0 $builds/a.so' \
		    '6000-7000 r-xp 0 0:0 0 $buildx/$build/a.so$build' \
		    '3000-4000 r-xp 0 0:0 0 ' '5000-4000 r-xp 0 0:0 0 /b' \
		    '4000-5000 r-xp x 0:0 0 /c' '4000-11111111111111111: /d'
	} >p.prof
	is "$(tach-cat p.prof | cut -f 5)" '/x\040y/a.so:0x0:
$builds/a.so:0x0:
0x0
0x4000
$buildx//x\040y/a.so/x\040y:0x0:'
}

@test "slots: names behind them, as google's java variant has them" {
	local version
	for version in 0 1; do
		{
			slots '<Q' 0 3 $version 1000 0 1 3 5 6 8 0 1 0
			printf '  0x5 fib (/tmp/fib.py:3)\n'
			printf '  0x6 <module> (/tmp/my (1)/fib.py:9)\n'
			printf '0x7 main\n0x7 other\n0xg no\n0x 5\n'
		} >p.prof
		is "$(tach-cat p.prof | cut -f 5)" \
		    "$( ((version == 0)) && echo 'main;' || echo '0x8;')"'/tmp/my\040(1)/fib.py:<module>:9;/tmp/fib.py:fib:3'
	done
}

@test "slots: names before them, as google-pprof --raw writes them" {
	{
		printf '%s\n' '--- symbol' 'binary=/bin/x' \
		    '0x0000000000000005 fib<0000000000000004>' \
		    '0x0000000000000006 main<a>' '---' \
		    '--- profile'
		slots '<Q' 0 3 0 1000 0 1 2 5 6 0 1 0
	} >p.prof
	is "$(tach-cat p.prof | cut -f 5)" 'main<a>;fib'
	cmp <(tach-cat p.prof) <(cat p.prof | tach-cat)
	is "$(layout p.prof)" gperftools
	sed "/^--- p/,\$d" p.prof >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" 'tach-cat: bad.prof: symbols without a line "--- profile" after them'
	head -n 6 p.prof >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" 'tach-cat: bad.prof: byte 109: no header of a CPU profile'
}

@test "slots: names in comments, as tach-convert writes them" {
	{
		slots '<Q' 0 3 0 1000 0 1 5 0x1001 0x1014 0x1018 0x1028 \
		    0x1031 0 1 0
		printf '# 0x1000 fib (/tmp/fib.py:3)\n'
		printf '# 0x1010 <module> (/tmp/fib.py:9)\n# 0x1020 g (~:0)\n'
	} >p.prof
	is "$(tach-cat p.prof | cut -f 5)" \
	    '0x1030;g;/tmp/fib.py:<module>:9;/tmp/fib.py:<module>:9;/tmp/fib.py:fib:3'
}

@test "slots that tach-convert writes" {
	local file bits order
	tach-convert --help | found -e --gperftools || skip "it writes none"
	for file in "$T"/data/cpython*.bin; do
		tach-convert --collapsed "$file" | sed 's/^tid:[0-9]*;//' |
		    tach-convert --collapsed >want
		for bits in 32 64; do
			for order in little big; do
				tach-convert --gperftools --word $bits \
				    --byte-order $order -o p.prof "$file"
				tach-convert --collapsed p.prof >got
				cmp want got
			done
		done
	done
}

# refused_slots MESSAGE NUMBER...: after a header and one good record.
refused_slots() {
	slots '<Q' 0 3 0 1000 0 1 1 5 "${@:2}" >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" "tach-cat: bad.prof: $1"
	is "$output" $'0\t0\t0\tunknown\t0x5'
}

@test "slots that are wrong" {
	refused_slots 'byte 64: truncated: 8 bytes, and a record takes 24' 0
	refused_slots 'byte 64: a record without addresses' 5 0 0
	refused_slots 'byte 64: a record of 3 addresses, and 1 are left' 1 3 5
	refused_slots 'byte 64: a record of 18446744073709551615 addresses, and 1 are left' \
	    1 0xffffffffffffffff 5
	refused_slots 'byte 64: the counts add up to more than 1099511627776 samples' \
	    0xffffffffffffffff 1 5
	slots '<Q' 0 3 0 0xffffffffffffffff 0 2 1 5 >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" "tach-cat: bad.prof: byte 40: the counts add up to a time \
that is out of range, at a period of 18446744073709551615 us"
	slots '<Q' 0 3 2 1000 0 >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" 'tach-cat: bad.prof: byte 16: version 2 of the format is not known'
	slots '>I' 0 3 0 0 0 >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" 'tach-cat: bad.prof: byte 12: the period is 0'
	slots '<I' 0 3 0 1000 >bad.prof
	run -1 --separate-stderr tach-cat bad.prof
	is "$stderr" 'tach-cat: bad.prof: byte 4: truncated: a header of 3 slots, and 2 are left'
}

@test "slots cut short anywhere" {
	local size
	slots '<I' 0 3 0 1000 0 1 2 5 6 2 1 7 0 1 0 >p.prof
	for ((size = 0; size < $(stat -c %s p.prof); size++)); do
		head -c "$size" p.prof >q.prof
		run -1 --separate-stderr tach-info --verify q.prof
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		run -1 --separate-stderr tach-cat q.prof
		is "${#lines[@]}" "$((size < 36 ? 0 : size < 48 ? 1 : 3))"
	done
	run -0 tach-info --verify p.prof
	head -c 48 p.prof >q.prof
	run -1 --separate-stderr tach-info --verify q.prof
	is "$stderr" 'tach-info: q.prof: byte 48: truncated: no trailer, which is the slots 0, 1 and 0, after the last record'
}

# ---- real ones -----------------------------------------------------------

@test "a profile that gperftools recorded of a program in C" {
	local cc=${CC:-cc} samples
	need google-pprof google-perftools
	echo 'int main(void) { return 0; }' >empty.c
	# shellcheck disable=SC2086
	$cc -o empty empty.c -Wl,--no-as-needed -lprofiler 2>/dev/null ||
	    skip "no libprofiler here (Debian: libgoogle-perftools-dev)"
	cat >work.c <<-'END'
	volatile unsigned long sum;
	static void __attribute__((noinline)) leaf(int n) {
		for (int i = 0; i < n; i++)
			sum += (unsigned long)i;
	}
	static void __attribute__((noinline)) middle(void) {
		leaf(1000000);
		sum++;
	}
	int main(void) {
		for (int i = 0; i < 400; i++)
			middle();
		return 0;
	}
	END
	# shellcheck disable=SC2086
	$cc -g -O1 -fno-omit-frame-pointer -o work work.c \
	    -Wl,--no-as-needed -lprofiler
	CPUPROFILE=$PWD/w.prof CPUPROFILE_FREQUENCY=500 ./work
	google-pprof --text ./work w.prof 2>/dev/null >want
	samples=$(sed -n 's/^Total: \(.*\) samples$/\1/p' want)
	[ "$samples" -gt 20 ]
	is "$(tach-info --verify w.prof)" \
	    "w.prof: ok, $samples samples, no checksum"
	is "$(tach-cat w.prof | wc -l)" "$samples"
	# Addresses in the program are those that nm(1) shows.
	tach-cat w.prof | found "$PWD/work:0x"
	# With names, as google-pprof gives them; it leaves out what all
	# stacks have.
	google-pprof --raw ./work w.prof >raw.prof 2>/dev/null
	is "$(tach-cat raw.prof | wc -l)" "$samples"
	[ "$(tach-cat raw.prof | grep -c 'leaf')" -gt $((samples / 2)) ]
}
