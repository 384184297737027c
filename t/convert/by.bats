# SPDX-License-Identifier: ISC
# by.bats: tach-convert --by, which makes one thread of many, and --idle drop, in every
# format.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	{
		printf '# python 3.14.2\n# interval 1000\n'
		printf '# note thread 0 1 MainThread\n'
		printf '# note thread 0 2 Thread-7 (work)\n'
		printf '# note thread 0 3 Thread-12 (work)\n'
		printf '# note thread 0 4 pool-0_3\n# note thread 1 5 pool-0_10\n'
		printf '# note thread 0 6 utf8\n# note thread 0 7 a;*\n'
		for thread in 1 2 3 4 6 7 8 9; do
			printf '0\t0\t%s\tgil,cpu\ta.py:f:1;a.py:g:2\n' $thread
			printf '1000\t0\t%s\t-\ta.py:f:1\n' $thread
		done
		printf '0\t1\t5\tgil,cpu\ta.py:f:1;a.py:g:2\n'
	} >p.txt
}

by() {
	tach-convert --collapsed --match :g: --by "$@" p.txt 2>/dev/null
}

@test "--by name: names that differ in numbers alone are one, with a star for these" {
	is "$(by name)" "$(cat <<-'END'
		(no name);a.py:f:1;a.py:g:2 2
		Thread-* (work);a.py:f:1;a.py:g:2 2
		pool-0_*;a.py:f:1;a.py:g:2 2
		MainThread;a.py:f:1;a.py:g:2 1
		a,*;a.py:f:1;a.py:g:2 1
		utf8;a.py:f:1;a.py:g:2 1
	END
	)"
	is "$(by name --frame austin)" "$(by name)"
	is "$(by name --frame function | head -n 1)" '(no name);f;g 2'
}

@test "--by thread and none, in each style" {
	is "$(by none)" 'a.py:f:1;a.py:g:2 9'
	is "$(by none --frame austin)" 'a.py:f:1;a.py:g:2 9'
	is "$(by none --frame py-spy)" 'f (a.py:1);g (a.py:2) 9'
	is "$(by thread | grep -c '^tid:.;')" 9
	is "$(by thread --frame austin | tail -n 1)" 'P0;T1:5;a.py:f:1;a.py:g:2 1'
	is "$(by thread --frame function | tail -n 1)" 'utf8 (6);f;g 1'
	is "$(by thread)" "$(tach-convert --collapsed --match :g: p.txt)"
}

@test "the threads of the other formats that add up" {
	run -0 bash -c "tach-convert --callgrind --by name p.txt 2>/dev/null"
	found 'fn=([0-9]*) Thread-\* (work)$' <<<"$output"
	absent 'MainThread (' <<<"$output"
	run -0 bash -c "tach-convert --callgrind --by none p.txt 2>/dev/null"
	found 'fn=([0-9]*) all threads$' <<<"$output"
	tach-convert --pprof --by name p.txt 2>/dev/null | "$T/convert/pprof.py" >pprof
	found 'pool-0_\*' <pprof
	absent thread_id <pprof
	tach-convert --pprof --by none p.txt 2>/dev/null | "$T/convert/pprof.py" >pprof
	absent thread <pprof
	tach-convert --flamegraph --source no --by name -o p.html p.txt 2>/dev/null
	found '"threads":\["MainThread","Thread-\* (work)"' <p.html
	tach-convert --heatmap --source no --by none -o pages p.txt 2>/dev/null
	found 'threads: \["all threads"\]' <pages/profile.js
}

@test "--by thread: threads of equal numbers in merged processes keep their names" {
	local names='one (7)
two (7, interpreter 1)' format
	{
		printf '# interval 1000\n# note thread 0 7 one\n# note thread 1 7 two\n'
		printf '%s\n' '0	0	7	cpu	a.py:f:1' '0	1	7	cpu	a.py:f:1'
	} >two.txt
	for format in 'collapsed --frame function' 'collapsed --frame py-spy' callgrind \
	    pstats 'gperftools --symbolized' 'heatmap --source no' \
	    'flamegraph --source no' markdown pprof; do
		rm -rf out out.raw
		# shellcheck disable=SC2086
		tach-convert --$format --by thread -o out two.txt
		[ "$format" != pprof ] || gzip -dc <out >out.raw
		[ ! -d out ] || mv out/profile.js out.raw
		[ -e out.raw ] || mv out out.raw
		tr '_{}' ' ()' <out.raw >all
		is "$format: $(grep -aoE '(one|two) \(7(, interpreter 1)?\)' all |
		    sort -u)" "$format: $names"
	done
	is "$(tach-convert --collapsed --by thread two.txt)" 'tid:7;a.py:f:1 2'
}

@test "names that come behind samples of their thread are names of all of these" {
	local format
	{
		printf '# interval 1000\n# note thread 0 1 Thread-1 (work)\n'
		printf '%s\n' '0	0	1	cpu,main	a.py:f:1' '0	0	2	cpu	a.py:f:1'
		printf '%s\n' '0	0	3	cpu	a.py:f:1;a.py:g:2'
		printf '# note thread 0 2 Thread-2 (work)\n'
		printf '%s\n' '1000	0	2	cpu	a.py:f:1;a.py:g:2' '1000	0	3	-	a.py:h:1'
	} >late.txt
	is "$(tach-convert --collapsed --by name late.txt)" 'Thread-* (work);a.py:f:1 2
(no name);a.py:f:1;a.py:g:2 1
(no name);a.py:h:1 1
Thread-* (work);a.py:f:1;a.py:g:2 1'
	for format in pstats 'gperftools --symbolized' callgrind 'heatmap --source no' \
	    'flamegraph --source no' markdown pprof; do
		rm -rf out out.raw
		# shellcheck disable=SC2086
		tach-convert --$format --by name -o out late.txt
		[ "$format" != pprof ] || gzip -dc <out >out.raw
		[ ! -d out ] || mv out/profile.js out.raw
		[ -e out.raw ] || mv out out.raw
		tr '_{}' ' ()' <out.raw >all
		is "$format: $(grep -aoE 'Thread-[0-9*] \(work\)' all |
		    sort -u)" "$format: Thread-* (work)"
	done
	tach-convert --pstats --by thread -o late.pstats late.txt
	is "$(python3 -c '
import pstats
s = pstats.Stats("late.pstats").stats
print(*sorted((name[2], s[name][1]) for name in s if name[0] == "~"))')" \
	    "('Thread-1 (work) (1)', 1) ('Thread-2 (work) (2)', 2) ('thread 3', 2)"
}

@test "pstats and gperftools have a function for each thread, if it is asked for" {
	tach-convert --pstats --by name -o p.pstats p.txt 2>/dev/null
	is "$(python3 -c '
import pstats
s = pstats.Stats("p.pstats").stats
for name in sorted(s):
    if name[0] == "~":
        print(name[2], s[name][1])
print(sorted(c[2] for f in s if f[2] == "f" for c in s[f][4])[-1])')" "$(cat <<-'END'
		(no name) 4
		MainThread 2
		Thread-* (work) 4
		a;* 2
		pool-0_* 3
		utf8 2
		utf8
	END
	)"
	tach-convert --gperftools --symbolized --by name -o p.prof p.txt 2>/dev/null
	found -a 'Thread-\*_{work}' <p.prof
	tach-convert --gperftools --by none -o one.prof p.txt 2>/dev/null
	tach-convert --gperftools -o two.prof p.txt 2>/dev/null
	cmp one.prof two.prof
	run -2 tach-convert --diff p.txt --by name p.txt
	found 'has no threads' <<<"$output"
	tach-convert --diff p.txt --by none p.txt >/dev/null 2>&1
	run -2 tach-convert --csv --by none p.txt
	found 'does not go with --csv' <<<"$output"
	run -2 tach-convert --collapsed --by nobody p.txt
	found 'there are thread, name and none' <<<"$output"
}

@test "--idle drop: every format has the sum of the samples that are not idle" {
	local format got
	is "$(tach-cat --idle drop p.txt | wc -l)" 9
	is "$(tach-cat --idle keep p.txt | wc -l)" 17
	for format in $(tach-convert --list | awk '{ print $1 }'); do
		rm -rf out
		[ "$format" != diff ] || set -- p.txt
		[ "$format" != flamegraph ] || continue
		tach-convert "--$format" "$@" --idle drop -o out p.txt 2>/dev/null
		set --
		got=$(python3 "$T/convert/totals.py" "$format" out)
		[ "${got% *}" = - ] || is "$format ${got% *}" "$format 9"
	done
	tach-info --idle drop -s p.txt | found '^decoded-samples:   17'
	tach-merge --idle drop -o m.bin p.txt
	is "$(tach-cat m.bin | wc -l)" 9
	run -2 tach-cat --idle gap p.txt
	found 'there are keep and drop' <<<"$output"
}

@test "--idle drop is offered where more than half of the samples are idle" {
	run -0 --separate-stderr tach-convert --collapsed p.txt
	is "$stderr" ''
	run -0 --separate-stderr tach-convert --collapsed --not-thread 9,8,5 \
	    --since 1ms p.txt
	is "$stderr" 'tach-convert: 100% of the samples are of idle threads: --idle drop leaves them out'
	run -0 --separate-stderr tach-convert --csv --since 1ms p.txt
	is "$stderr" ''
	run -0 --separate-stderr tach-convert --collapsed --idle drop --since 1ms p.txt
	is "$stderr" ''
}

@test "in a recording of CPython's own profiler no sample is idle, and that is said" {
	local p=$T/data/cpython315-wall.bin
	is "$(tach-cat --idle drop "$p" | wc -l)" "$(tach-cat "$p" | wc -l)"
	run -0 --separate-stderr tach-convert --collapsed --idle drop -o out "$p"
	found 'none is taken for idle' <<<"$stderr"
}

@test "--by: the flame graph of a difference has no threads" {
	run -2 --separate-stderr tach-convert --flamegraph --by name \
	    --diff "$T/data/odd.bin" -o p.html "$T/data/odd.bin"
	is "${stderr%%$'\n'*}" \
	    'tach-convert: a difference has no threads: --by none alone goes with it'
	tach-convert --flamegraph --source no --by none --diff "$T/data/odd.bin" \
	    -o p.html "$T/data/odd.bin"
}
