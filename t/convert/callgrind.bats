# SPDX-License-Identifier: ISC
# tach-convert --callgrind: its grammar, and what its readers make of it.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Recursion of one function and of two, a line of two functions, a frame
# without a line, a sample without frames, two threads.
profile() {
	printf '%s\n' '# tach 1' '# interval 2000' \
	    $'0\t0\t7\tgil\t/x/a.py:main:9;/x/a.py:fib:4;/x/a.py:fib:4;/x/a.py:fib:3' \
	    $'2000\t0\t7\tgil\t/x/a.py:main:8;/x/a.py:a:12;/x/b.py:b:5;/x/a.py:a:11' \
	    $'4000\t0\t7\tgil\t/x/a.py:main:8;<GC>' \
	    $'5000\t0\t8\tgil\t/x/a.py:fib:4' \
	    $'12000\t0\t7\tgil\t'
}

# A call counts only for what is called for the first time: fib and a do not
# weigh twice.
@test "--callgrind: costs of lines, and of calls without recursion" {
	profile | tach-convert --callgrind >p.out
	is "$(sed 's/^creator: tach-convert .*/creator: VERSION/' p.out)" "\
# callgrind format
version: 1
creator: VERSION
cmd: standard input
positions: line
event: samples : Samples
event: us : Microseconds
events: samples us
summary: 5 10000

fl=(1) /x/a.py
fn=(1) a
11 1 2000
cfi=(2) /x/b.py
cfn=(4) b
calls=1 5
12 1 2000

fl=(1)
fn=(2) fib
3 1 2000
4 1 2000
cfn=(2)
calls=1 3
4 0 0

fl=(1)
fn=(3) main
cfn=(1)
calls=1 11
8 1 2000
cfi=(3) ~
cfn=(5) <GC>
calls=1 0
8 1 2000
cfn=(2)
calls=1 3
9 1 2000

fl=(2)
fn=(4)
cfi=(1)
cfn=(1)
calls=1 11
5 0 0

fl=(3)
fn=(5)
0 1 2000

fl=(4) ~
fn=(6) <no frames>
0 1 2000

fl=(4)
fn=(7) thread 7
cfn=(6)
calls=1 0
0 1 2000
cfi=(1)
cfn=(3)
calls=3 8
0 3 6000

fl=(4)
fn=(8) thread 8
cfi=(1)
cfn=(2)
calls=1 3
0 1 2000

totals: 5 10000"
}

@test "--callgrind --weight=time, and without an interval" {
	profile | tach-convert --callgrind --weight=time >p.out
	is "$(grep -A 1 'fn=(5)$' p.out | tail -n 1)" "0 1 8000"
	is "$(tail -n 1 p.out)" "totals: 5 16000"
	profile | sed /interval/d | tach-convert --callgrind >p.out
	is "$(grep -c us p.out)" 0
	is "$(tail -n 1 p.out)" "totals: 5"
}

@test "callgrind_annotate's sums are those of counting sample by sample" {
	need_callgrind_annotate
	host_python
	local name
	profile >own.bin
	cp "$T"/data/cpython315-{wall,gil,opcodes,none}.bin .
	for name in own cpython315-{wall,gil,opcodes,none}; do
		tach-convert --callgrind -o p.out "$name.bin"
		callgrind_annotate --inclusive=yes --threshold=100 \
		    --auto=no p.out >annotated 2>warnings
		is "$(cat warnings)" ""
		tach-cat "$name.bin" |
		    "$python" "$T/convert/calls.py" annotated annotated
	done
	run -1 "$python" "$T/convert/calls.py" annotated annotated < <(
	    tach-cat cpython315-wall.bin)
}

@test "callgrind_annotate shows the source and the call tree" {
	need_callgrind_annotate
	printf '%s\n' 'def f():' '    spin()' 'f()' >x.py
	printf '%s\n' '# tach 1' '# interval 1000' \
	    "0	0	7	gil	$PWD/x.py:<module>:3;$PWD/x.py:f:2" \
	    "1000	0	7	gil	$PWD/x.py:<module>:3" |
	    tach-convert --callgrind -o p.out
	run -0 callgrind_annotate --auto=yes --show=samples p.out
	[[ $output == *"1 (50.00%)      spin()"* ]]
	[[ $output == *"1 (50.00%)  f()"* ]]
	[[ $output == *"1 (50.00%)  => x.py:f (1x)"* ]]
	run -0 callgrind_annotate --tree=both --inclusive=yes --show=samples p.out
	[[ $output == *"2 (100.0%)  < ~:thread 7 (2x)"* ]]
	[[ $output == *"1 (50.00%)  >   x.py:f (1x)"* ]]
}

# It has a command in its title only once it has read the file.
@test "KCachegrind loads --callgrind" {
	need_kcachegrind
	profile | tach-convert --callgrind -o p.out
	is "$(kcachegrind_title p.out)" "$PWD/p.out [standard input]"
}

@test "speedscope imports --callgrind" {
	need_speedscope
	profile | tach-convert --callgrind -o p.out
	speedscope_text p.out | grep ^table >text
	grep -q $'^table\t1\t3 (60%)\t0 (<0.01%)\tmain\t/x/a.py$' text
	grep -q $'^table\t2\t4,000 (40%)\t4,000 (40%)\tfib\t/x/a.py$' text
	grep -q $'^table\t1\t1 (20%)\t1 (20%)\t<no frames>\t~$' text
}

# Whatever the names are: nothing is lost, and nothing else is a line.
@test "--callgrind of odd names" {
	need_callgrind_annotate
	tach-convert --callgrind -o p.out "$T/data/odd.bin"
	run -0 callgrind_annotate --threshold=100 --auto=no --show=samples p.out
	[[ $output != *WARNING* ]]
	is "$(awk '/PROGRAM TOTALS/ { all = $1; next }
	    /^ *[0-9]+ \(/ { sum += $1 } END { print all, sum }' \
	    <<<"$output")" "$(tach-cat "$T/data/odd.bin" | wc -l |
	    awk '{ print $1, $1 }')"
	printf '0\t0\t7\t-\t%s:%s:1\n' '' '' '\040\040' '(1)' '(7)\040x' \
	    'a\012fn=(9)' '\377' |
	    tach-convert --callgrind >p.out
	is "$(grep -a ^f <p.out)" "\
fl=(1) ???
fn=(1) ???
fl=(2) ? 
fn=(2) (1)
fl=(3) (7) x
fn=(3) a\\012fn=(9)
fl=(4) \\377
fn=(4) ???
fl=(5) ~
fn=(6) thread 7"
}

@test "--callgrind says why it cannot be written" {
	run -1 --separate-stderr tach-convert --callgrind -o /dev/full \
	    "$T/data/odd.bin"
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}
