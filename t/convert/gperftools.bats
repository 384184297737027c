# SPDX-License-Identifier: ISC
# tach-convert --gperftools, with the side-car that has the names, as
# google-pprof, pprof of every Go, binutils and elfutils read it.
#
# shellcheck disable=SC2016,SC2086,SC2154

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PPROF_BINARY_PATH
}

slots() {
	python3 "$T/convert/slots.py" "$@"
}

# profile COUNT STACK...: text of samples a millisecond apart.
profile() {
	printf '# tach 1\n# python 3.11.2\n# interval 1000\n'
	while [ $# -gt 0 ]; do
		repeat "$1" "$2"
		shift 2
	done | awk '{ printf "%d\t0\t7\tgil,cpu\t%s\n", n++ * 1000, $0 }'
}

# program: a program's source as prog.py, and a profile of it as p.txt: a
# recursion, functions with two callers, and every kind of odd name.
program() {
	local main="$PWD/prog.py:<module>:19;$PWD/prog.py:main:14"
	local left="$main;$PWD/prog.py:left:7" right="$main;$PWD/prog.py:right:10"
	local fib="$PWD/prog.py:fib"
	cat >prog.py <<-'END'
	def fib(n):
	    if n < 2:
	        return n
	    return fib(n - 1) + fib(n - 2)

	def left():
	    return fib(3)

	def right():
	    return fib(2)

	def main():
	    key = lambda x: fib(x)
	    left()
	    right()
	    key(1)


	main()
	END
	profile 3 "$left;$fib:4;$fib:4;$fib:3" 5 "$left;$fib:4;$fib:4;$fib:2" \
	    2 "$right;$fib:4;$fib:3" 6 "$right" \
	    4 "$main;$PWD/prog.py:main.<locals>.<lambda>:13;$fib:3" \
	    1 "$left;<GC>" 1 "$main;other.py:main:3" 2 '' \
	    1 "$main;/z\\040z/x.cc:operator<:1;<frozen\\040x>:A\\072\\072b(int):2" \
	    1 "$main;x.py:a--b:1;x.py:__restore:2;x.py:_fini:3" >p.txt
}

# What pprof -traces says, but for its head and the lines between.
traces() {
	# shellcheck disable=SC2086
	$pprof -traces "$@" | sed '/^\(File\|Type\|Build\)/d; /^--*+--*$/d'
}

# ---- the format ---------------------------------------------------------

# Slots of 4 bytes in hexadecimal, as the description has them.
@test "the bytes are those of the format's description" {
	profile 2 'a.py:f:1;b.py:g:2' 1 'a.py:f:1' >p.txt
	tach-convert --gperftools --word 32 --byte-order big -o p.prof p.txt
	is "$(peek p.prof 0 20)" 0000000000000003000000000000"03e8"00000000
	is "$(peek p.prof 20 28)" \
	    00000001000000011000100100000002000000021000101110001004
	is "$(peek p.prof 48 12)" 000000000000000100000000
	is "$(tail -c +61 p.prof)" \
	    '10000000-10002000 r-xp 00000000 00:00 0          [python3.11]
# 0x10001000 f (a.py:1)
# 0x10001010 g (b.py:2)
# 0x10001020 <no frames> (~:0)'
}

@test "all four encodings, of every profile" {
	local file word order
	for file in "$T"/data/*.bin; do
		slots --as-text "$file" >want
		for word in 32 64; do
			for order in little big; do
				tach-convert --gperftools --word $word \
				    --byte-order $order -o p.prof "$file"
				slots --stacks p.prof | diff want -
			done
		done
	done
}

@test "what the header says, and totals" {
	local file word order
	for file in "$T/data/odd.bin" "$T/data/cpython315-wall.bin"; do
		for word in 32 64; do
			for order in little big; do
				tach-convert --gperftools --word $word \
				    --byte-order $order -o p.prof "$file"
				slots p.prof | sed '/records/d; /object/d' |
				    diff <(tach-info "$file" | awk "
					/^interval:/ { i = \$2 }
					/^samples:/ { n = \$2 }
					END { print \"word $word $order\"
					      print \"period\", i
					      print \"samples\", n }") -
			done
		done
	done
}

@test "words are those of this machine if nothing else is said" {
	tach-convert --gperftools -o p.prof "$T/data/odd.bin"
	run -0 slots p.prof
	is "${lines[0]}" "word $(getconf LONG_BIT) $(python3 -c \
	    'import sys; print(sys.byteorder)')"
}

@test "names and lines by addr2line, of every profile" {
	need addr2line binutils
	local file
	for file in "$T"/data/*.bin; do
		tach-convert --gperftools --symbols x.so -o p.prof "$file"
		is "$(slots p.prof | sed -n 's/^object //p')" "$PWD/x.so"
		diff <(slots --as-symbols "$file") \
		    <(slots --stacks p.prof x.so)
	done
}

@test "selections" {
	program
	tach-convert --gperftools --match :right: -o p.prof p.txt
	is "$(slots p.prof | grep -e records -e samples)" 'records 2
samples 8'
}

@test "no samples" {
	printf '# tach 1\n' >p.txt
	tach-convert --gperftools --symbols x.so -o p.prof p.txt
	is "$(slots p.prof | grep -e records -e samples)" 'records 0
samples 0'
}

# Each sample stands for the time until the next one: 400 us, 5,000 us and
# then an interval; what rounding leaves of one stack goes to the next.
@test "--weight time counts periods, and loses none of them" {
	local i
	printf '# tach 1\n# interval 1000\n' >p.txt
	for ((i = 0; i < 100; i++)); do
		printf '%d\t0\t7\tgil\ta.py:f:%d\n' $((i * 400)) $((i + 1))
	done >>p.txt
	printf '%d\t0\t7\tgil\tb.py:g:1\n' 40000 45000 >>p.txt
	tach-convert --gperftools --weight time -o p.prof p.txt
	is "$(slots --stacks p.prof | awk '{ n[$2] += $1 }
	    END { for (i in n) print i, n[i] }' | sort)" 'f 40
g 6'
}

@test "a count that needs more than 32 bits is several records" {
	local i
	for ((i = 0; i < 1100; i++)); do
		printf '%d000000000\t0\t7\tgil\ta.py:f:1;a.py:g:2\n' $((i * 5))
	done >p.txt
	tach-convert --gperftools --weight time --word 32 -o p.prof p.txt
	tach-convert --gperftools --weight time --word 64 -o q.prof p.txt
	is "$(slots p.prof | sed -n 4p)" "$(slots q.prof | sed -n 4p)"
	is "$(slots p.prof | sed -n 3p)" 'records 2'
	[ "$(slots p.prof | sed -n 's/^samples //p')" -gt 4294967295 ]
}

# ---- the side-car -------------------------------------------------------

@test "the side-car is a sound ELF file" {
	program
	tach-convert --gperftools --symbols x.so -o p.prof p.txt
	need readelf binutils
	run -0 --separate-stderr readelf -aW -w x.so
	is "$stderr" ''
	grep -q 'Type: *DYN' <<<"$output"
	need eu-elflint elfutils
	is "$(eu-elflint --strict --gnu-ld x.so)" 'No errors'
	is "$(eu-elflint x.so)" 'No errors'
}

@test "nm, objdump, addr2line and eu-addr2line read the side-car" {
	need objdump binutils
	program
	tach-convert --gperftools --symbols x.so -o p.prof p.txt
	is "$(nm -n x.so | cut -d ' ' -f 2- | sort)" "$(LC_ALL=C sort <<-'END'
	t A::b{int}
	t [GC]
	t [__restore]
	t [_fini]
	t [module]
	t [no_frames]
	t a-_b
	t fib
	t left
	t main
	t main
	t main.[locals].[lambda]
	t operator[
	t right
	END
	)"
	is "$(objdump --dwarf=decodedline x.so | awk '$3 ~ /^0x/ && $2 != "-" {
	    sub(".*/", "", $1); print $1, $2, $3 }' | head -n 5)" \
	    'prog.py 19 0x10001000
prog.py 2 0x10001010
prog.py 3 0x10001020
prog.py 4 0x10001030
prog.py 7 0x10001040'
	is "$(addr2line -f -e x.so 0x10001011 0x1000104f)" "fib
$PWD/prog.py:2
left
$PWD/prog.py:7"
	need eu-addr2line elfutils
	is "$(eu-addr2line -f -e x.so 0x10001011 0x1000104f)" "fib
$PWD/prog.py:2
left
$PWD/prog.py:7"
}

# ---- pprof --------------------------------------------------------------

@test "pprof: -top, -lines, -traces and -list" {
	need_pprof
	program
	tach-convert --gperftools --symbols x.so -o p.prof p.txt
	for pprof in "${PPROFS[@]}"; do
		run -0 --separate-stderr $pprof -top p.prof
		is "$(awk '/%.*%.*%/ && !/%  *cum/ && !/Show/ {
		    print $1, $4, $NF }' <<<"$output" | sort)" "$(sort <<-'END'
		0 1ms [__restore]
		0 1ms a-_b
		0 1ms operator[
		0 24ms [module]
		0 4ms main.[locals].[lambda]
		0 9ms left
		14ms 14ms fib
		1ms 1ms A::b{int}
		1ms 1ms [GC]
		1ms 1ms [_fini]
		1ms 24ms main
		2ms 2ms [no_frames]
		6ms 8ms right
		END
		)"
		grep -F 'of 26ms total' <<<"$output"
		run -0 --separate-stderr $pprof -lines -top -cum p.prof
		is "$(awk '$NF ~ /prog.py:/ { print $1, $4, $6, $NF }' \
		    <<<"$output" | sort)" "0 10ms fib $PWD/prog.py:4
0 24ms [module] $PWD/prog.py:19
0 24ms main $PWD/prog.py:14
0 4ms main.[locals].[lambda] $PWD/prog.py:13
0 9ms left $PWD/prog.py:7
5ms 5ms fib $PWD/prog.py:2
6ms 8ms right $PWD/prog.py:10
9ms 9ms fib $PWD/prog.py:3"
		run -0 --separate-stderr $pprof -list '^fib$' p.prof
		is "$(sed -n '/^ROUTINE/,/4:/p' <<<"$output" | sed 's/  */ /g')" \
		    "ROUTINE ======================== fib in $PWD/prog.py
 14ms 24ms (flat, cum) 92.31% of Total
 . . 1:def fib(n):
 5ms 5ms 2: if n < 2:
 9ms 9ms 3: return n
 . 10ms 4: return fib(n - 1) + fib(n - 2)"
	done
}

# shellcheck disable=SC2016
stacks_of_traces='
	NF > 1 { if (s) print n, s; n = $1; s = $2; next }
	{ s = $1 ";" s }
	END { if (s) print n, s }'

@test "pprof: every stack is as it was, in all four encodings" {
	need_pprof
	local word order
	program
	for word in 32 64; do
		for order in little big; do
			tach-convert --gperftools --symbols x.so --word $word \
			    --byte-order $order -o p.prof p.txt
			for pprof in "${PPROFS[@]}"; do
				is "$(traces p.prof |
				    awk "$stacks_of_traces" | sort)" \
				    "1ms [module];main;a-_b;[__restore];[_fini]
1ms [module];main;left;[GC]
1ms [module];main;main
1ms [module];main;operator[;A::b{int}
2ms [module];main;right;fib;fib
2ms [no_frames]
3ms [module];main;left;fib;fib;fib
4ms [module];main;main.[locals].[lambda];fib
5ms [module];main;left;fib;fib;fib
6ms [module];main;right"
			done
		done
	done
}

# One sample, one stack, one caller of all, the same line again and again:
# what pprof and google-pprof would take for the marks of a signal handler.
@test "recursions and callers are not mended away" {
	need_pprof
	need_google_pprof
	local f='a.py:<module>:1;a.py:f:2' i
	profile 1 "$f;a.py:g:3" >one.txt
	profile 5 "$f;a.py:f:2" >again.txt
	profile 3 "$f;a.py:f:2;a.py:f:2" 2 "$f;a.py:f:2" >recursion.txt
	profile 1 "$f" >two.txt
	for ((i = 1; i <= 100; i++)); do
		printf '%d\t0\t7\tgil\t%s;a.py:g:%d\n' "$i" "$f" "$i"
	done >hundred.txt
	for i in one again recursion two hundred; do
		tach-convert --gperftools --symbols x.so -o p.prof $i.txt
		tach-cat $i.txt | cut -f 5 | sed 's/a.py://g; s/:[0-9]*//g
		    s/<module>/[module]/' | sort | uniq -c |
		    awk '{ print $1, $2 }' >want
		for pprof in "${PPROFS[@]}"; do
			diff want <(traces p.prof | awk "$stacks_of_traces" |
			    sed 's/ms / /' | awk '{ n[$2] += $1 }
			    END { for (s in n) print n[s], s }' | sort)
		done
		google-pprof --collapsed x.so p.prof 2>log |
		    sed 's/<[0-9a-f]*>//g' | awk '{ n[$1] += $2 }
		    END { for (s in n) print n[s], s }' | sort >got
		diff want got
		run -1 grep Removing log
	done
}

@test "pprof finds the side-car by its name, by build=, and as its program" {
	need_pprof
	need_google_pprof
	program
	mkdir here there
	tach-convert --gperftools --symbols here/x.so -o a.prof p.txt
	tach-convert --gperftools --symbols here/y.so --build "$PWD/there" \
	    -o b.prof p.txt
	mv here/y.so there
	tach-convert --gperftools -o c.prof p.txt
	grep -aF "build=$PWD/there" b.prof
	grep -aF ' $build/y.so' b.prof
	for pprof in "${PPROFS[@]}"; do
		for file in a.prof b.prof 'here/x.so c.prof'; do
			# shellcheck disable=SC2086
			run -0 --separate-stderr $pprof -top $file
			grep ' 14ms .* fib$' <<<"$output"
		done
	done
	for file in '/bin/true a.prof' '/bin/true b.prof' 'here/x.so c.prof'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr google-pprof --text $file
		grep ' 14 .* fib$' <<<"$output"
	done
}

@test "pprof without names says nothing but that there are none" {
	need_pprof
	program
	tach-convert --gperftools -o p.prof p.txt
	for pprof in "${PPROFS[@]}"; do
		run -0 --separate-stderr $pprof -top p.prof
		is "$stderr" ''
		grep -F 'of 26ms total' <<<"$output"
	done
}

# ---- google-pprof -------------------------------------------------------

@test "google-pprof: --text, --lines, --list and --callgrind" {
	need_google_pprof
	need objdump binutils
	local word order
	program
	for word in 32 64; do
		for order in little big; do
			tach-convert --gperftools --symbols x.so --word $word \
			    --byte-order $order -o p.prof p.txt
			google-pprof --text /bin/true p.prof 2>log | sed 's/@.*//' |
			    awk '$NF !~ /^samples/ { print $1, $4, $6 }' |
			    sort >got
			diff - got <<-'END'
			0 1 [__restore]
			0 1 a-_b
			0 1 operator[
			0 24 [module]
			0 24 main
			0 4 main.[locals].[lambda]
			0 9 left
			1 1 A::b{int}
			1 1 [GC]
			1 1 [_fini]
			1 1 main
			14 14 fib
			2 2 [no_frames]
			6 8 right
			END
		done
	done
	run -0 --separate-stderr google-pprof --lines --text /bin/true p.prof
	is "${lines[0]}" 'Total: 26 samples'
	grep " 9 .* fib $PWD/prog.py:3$" <<<"$output"
	grep " 10 .* fib $PWD/prog.py:4$" <<<"$output"
	run -0 --separate-stderr google-pprof --list='^fib' /bin/true p.prof
	is "$(sed -n '/ROUTINE/,/ 4:/p' <<<"$output" | sed 's/  */ /g')" \
	    "ROUTINE ====================== fib in $PWD/prog.py
 14 24 Total samples (flat / cumulative)
 . . 1: def fib(n):
---
 5 5 2: if n < 2:
 9 9 3: return n
 . 10 4: return fib(n - 1) + fib(n - 2)"
	run -0 --separate-stderr google-pprof --callgrind /bin/true p.prof
	is "$(awk '/^fn=.* right$/ { on = 1 } on && /^calls/ {
	    getline; print; exit }' <<<"$output")" '10 2'
}

@test "google-pprof reads --symbolized, which needs no other file" {
	need_google_pprof
	local word order
	program
	for word in 32 64; do
		for order in little big; do
			tach-convert --gperftools --symbolized --word $word \
			    --byte-order $order -o p.prof p.txt
			slots p.prof | grep -Fx "word $word $order"
			run -0 --separate-stderr google-pprof --text p.prof
			is "${lines[0]}" 'Total: 26 samples'
			is "$(sed 's/@.*//' <<<"$output" |
			    awk 'NR > 1 { print $1, $4, $6 }' | sort)" \
			    '0 1 [__restore]
0 1 a-_b
0 1 operator[
0 24 [module]
0 24 main
0 4 main.[locals].[lambda]
0 9 left
1 1 A::b{int}
1 1 [GC]
1 1 [_fini]
1 1 main
14 14 fib
2 2 [no_frames]
6 8 right'
		done
	done
}

# ---- names --------------------------------------------------------------

@test "names that are long, or bytes of any kind, harm nothing" {
	need_pprof
	need_google_pprof
	python3 - >p.txt <<-'END'
	import sys
	names = ['x' * 1000000, 'nl\\012nl', 'nul\\000nul', 'bad\\377', 'tab\\011',
	         'a\\0721] 10000000-20000000 r-xp 0 0\\0720 0 /x.so', 'k=v',
	         '---', '"', "'", '$build', '%s', 'build=', '']
	print('# tach 1\n# interval 1000')
	for i, name in enumerate(names):
	    name = name.replace(' ', '\\040')
	    print(i, 0, 7, 'gil', '%s:%s:%d;/b.py:g:2' % (name, name, i + 1),
	          sep='\t')
	END
	tach-convert --gperftools --symbols x.so -o p.prof p.txt
	tach-convert --gperftools -o q.prof p.txt
	slots p.prof | grep -Fx 'samples 14'
	diff <(slots --as-symbols p.txt) <(slots --stacks p.prof x.so)
	! command -v eu-elflint ||
	    is "$(eu-elflint --strict --gnu-ld x.so)" 'No errors'
	for pprof in "${PPROFS[@]}"; do
		for file in p.prof q.prof; do
			run -0 --separate-stderr $pprof -top $file
			grep -F 'of 14ms total' <<<"$output"
		done
	done
	run -0 --separate-stderr google-pprof --text x.so p.prof
	is "${lines[0]}" 'Total: 14 samples'
	is "$(awk 'NR > 1 { print $6 }' <<<"$output" | cut -c 1-20 | sort)" \
	    "\"
\$build
%s
'
-_-
?
a:1]_10000000-200000
bad\\377
build=
g
k=v
nl\\012nl
nul\\000nul
tab\\011
xxxxxxxxxxxxxxxxxxxx"
}

# ---- what goes wrong ----------------------------------------------------

@test "a path with a space" {
	program
	mkdir 'a b'
	run -1 --separate-stderr tach-convert --gperftools \
	    --symbols 'a b/x.so' -o p.prof p.txt
	is "$stderr" "tach-convert: p.prof: the path of the symbols has a space in it, which this format cannot hold: choose another one"
	run -1 --separate-stderr tach-convert --gperftools \
	    --symbols x.so --build "$PWD/a b" -o p.prof p.txt
	is "$stderr" "tach-convert: p.prof: the path of --build has a space in it, which this format cannot hold: choose another directory"
	[ ! -e p.prof ] && [ ! -e x.so ] && [ ! -e 'a b/x.so' ]
}

@test "a disk that is full is told" {
	program
	[ -c /dev/full ] || skip "no /dev/full here"
	run -1 --separate-stderr tach-convert --gperftools -o /dev/full p.txt
	is "$stderr" 'tach-convert: /dev/full: No space left on device'
	run -1 --separate-stderr tach-convert --gperftools \
	    --symbols /dev/full -o p.prof p.txt
	is "$stderr" 'tach-convert: p.prof: the symbols: No space left on device'
	[ ! -e p.prof ]
}

@test "a reader that does not read is told of" {
	run --separate-stderr bash -c '
		tach-convert --gperftools "$1" | true
		exit "${PIPESTATUS[0]}"' - "$T/data/cpython315-wall.bin"
	is "$status $stderr" "1 tach-convert: standard output: the reader went \
away; google-pprof and go tool pprof read such a profile from a file alone: \
-o p.prof"
}
