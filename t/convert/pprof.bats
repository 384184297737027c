# SPDX-License-Identifier: ISC
# pprof.bats: what tach-convert --pprof writes, by a decoder of its own
# (pprof.py), by the go tool pprof of every Go at hand and by speedscope; and
# what it says where pprof does not read it.

load ../lib/lib.bash
load ../lib/viewers.bash

HINT="the reader went away; go tool pprof reads a pipe only as /dev/stdin: \
tach-convert --pprof p.bin | go tool pprof -top /dev/stdin"

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_started || :
}

# text NAME: a profile of a sample a millisecond, from standard input.
text() {
	{
		printf '# python 3.14.2\n# interval 1000\n'
		cat
	} >"$1"
}

# sample TIME STATUS STACK [THREAD [INTERP]]
sample() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "${5-0}" "${4-1}" "$2" "$3"
}

decoded() {
	tach-convert --pprof "$@" | "$T/convert/pprof.py"
}

# names NAME: a profile whose functions have the names that readers damage.
names() {
	{
		sample 0 gil,cpu 'p.py:<module>:9;p.py:<lambda>:1'
		sample 1000 gil,cpu 'p.py:<module>:9;p.py:f.<locals>.<lambda>:2'
		sample 2000 gil,cpu 'p.py:<module>:9;p.py:[module]:3'
		sample 3000 gil,cpu 'p.py:<module>:9;p.py:operator<:4'
		sample 4000 gil,cpu 'p.py:<module>:9;p.py:a\072\072b(int):5'
		sample 5000 gil,cpu 'p.py:<module>:9;p.py:日本\040語:6'
		sample 6000 gil,cpu 'p.py:<module>:9;<GC>'
	} | text "$1"
}
NAMES=('<lambda>' 'f.<locals>.<lambda>' '[module]' 'operator<' 'a::b(int)'
    '日本 語' '<GC>')

# ---- the format ---------------------------------------------------------

@test "one sample a stack and status, with what they weigh and labels" {
	{
		sample 0 gil,cpu,main 'p.py:main:7'
		sample 1000 gil,cpu,main 'p.py:main:7'
		sample 3000 main 'p.py:main:7'
		sample 4000 gil,cpu,main 'p.py:main:7;<GC>'
		sample 0 cpu,unknown 'p.py:g:1:1:4:9:255' 2
		sample 1000 cpu,unknown 'p.py:g:1:1:0:9:255' 2
		sample 2000 gil 'p.py:g:1:1:0:9:255;p.py:g:1:1:0:9:255' 2
		sample 0 - '' 2 3
	} | text p.txt
	is "$(decoded p.txt)" "\
types samples/count wall/nanoseconds cpu/nanoseconds
default samples
period 1000000 wall/nanoseconds
duration 5000000
program python3.14
$(printf '%s\t' 1 1000000 0 'thread=thread 1' status=idle,main \
	thread_id=1)main p.py:7:0
$(printf '%s\t' 1 1000000 0 'thread=thread 2' status=cpu,unknown \
	thread_id=2)g p.py:1:1
$(printf '%s\t' 1 1000000 0 'thread=thread 2' status=cpu,unknown \
	thread_id=2)g p.py:1:5
$(printf '%s\t' 1 1000000 0 'thread=thread 2' status=gil \
	thread_id=2)g p.py:1:1; g p.py:1:1
$(printf '%s\t' 1 1000000 0 'thread=thread 2, interpreter 3' status=idle \
	thread_id=2 interp=3)<no frames> :0:0
$(printf '%s\t' 1 1000000 1000000 'thread=thread 1' status=gil,cpu,main \
	thread_id=1)main p.py:7:0; <GC> :0:0
$(printf '%s\t' 2 3000000 3000000 'thread=thread 1' status=gil,cpu,main \
	thread_id=1)main p.py:7:0
total 8 9000000 4000000"
}

@test "there is a cpu type only where statuses tell who ran" {
	sample 0 cpu,unknown p.py:f:1 | text p.txt
	is "$(decoded p.txt | head -n 1)" \
	    "types samples/count wall/nanoseconds"
	sample 0 gil p.py:f:1 | text p.txt
	is "$(decoded p.txt | head -n 1)" \
	    "types samples/count wall/nanoseconds"
	sample 0 cpu p.py:f:1 | text p.txt
	is "$(decoded p.txt | head -n 1)" \
	    "types samples/count wall/nanoseconds cpu/nanoseconds"
}

@test "what is shown first follows --weight and the recording's mode" {
	local status
	for status in cpu unknown; do
		sample 0 $status p.py:f:1 | text p.txt
		decoded p.txt
		decoded --weight time p.txt
		{
			echo '# config 0x2'
			cat p.txt
		} >cpu.txt
		decoded --weight time cpu.txt
	done | grep -E '^(default|period)' >got
	is "$(paste -s -d ' ' got | sed 's/ default/\ndefault/g')" "\
default samples period 1000000 wall/nanoseconds
default wall period 1000000 wall/nanoseconds
default cpu period 1000000 cpu/nanoseconds
default samples period 1000000 wall/nanoseconds
default wall period 1000000 wall/nanoseconds
default wall period 1000000 cpu/nanoseconds"
}

@test "every rare thing" {
	decoded "$T/data/odd.bin" >got
	golden pprof-odd.txt got
}

@test "every sample counts" {
	local file
	for file in "$T"/data/*.bin; do
		is "$(decoded "$file" | awk '$1 == "total" { print $2 }')" \
		    "$(tach-cat "$file" | wc -l)"
	done
}

@test "the samples that were selected, and the time that they lie in" {
	names p.txt
	decoded --since 2ms --until 4ms p.txt >got
	grep -Fx 'duration 2000000' got
	grep -Fx 'total 2 2000000 2000000' got
}

@test "no samples" {
	text p.txt </dev/null
	is "$(decoded p.txt)" "types samples/count wall/nanoseconds
default samples
period 1000000 wall/nanoseconds
duration 0
program python3.14
total 0 0"
	sample 0 - p.py:f:1 >p.txt # and nothing is known
	decoded p.txt >got
	grep -Fx 'program python' got
	grep -Fx 'period 0 wall/nanoseconds' got
}

@test "names of any length, many of them, and deep stacks" {
	python3 - <<-'END' >p.txt
	for n in range(3):
	    print(n, 0, 1, '-', 'p.py:%s%d:1' % ('x' * 10**6, n), sep='\t')
	for n in range(3, 70000):
	    print(n, 0, 1, '-', 'p.py:f%d:%d' % (n, n), sep='\t')
	print(70000, 0, 1, '-', ';'.join(f'p.py:g{n}:1' for n in range(10000)),
	      sep='\t')
	END
	decoded p.txt >got
	is "$(awk -F '\t' '/^1\t/ { print (length($NF) > 1000000) }' got |
	    sort | uniq -c | tr -s ' ')" " 69998 0
 3 1"
	is "$(awk -F '; ' '/^1\t/ { print NF }' got | sort -n | tail -n 1)" 10000
}

@test "gzip reads it" {
	tach-convert --pprof -o p.pb.gz "$T/data/cpython315-wall.bin"
	gzip -t p.pb.gz
	gzip -dc p.pb.gz >p.pb
	tail -c +9 p.pb.gz | gzip -dc | cmp - p.pb
	python3 -c 'import gzip; print(len(gzip.open("p.pb.gz").read()))' |
	    cmp - <(wc -c <p.pb)
}

@test "a full disk" {
	local file
	for file in odd cpython315-wall; do
		run -1 --separate-stderr bash -c \
		    'exec tach-convert --pprof "$1" >/dev/full' - \
		    "$T/data/$file.bin"
		is "$stderr" \
		    "tach-convert: standard output: No space left on device"
	done
}

# ---- go tool pprof ------------------------------------------------------

@test "pprof: names survive, as a file and through a pipe" {
	need_pprof
	local pprof name
	names p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -top p.pb.gz >file
		tach-convert --pprof p.txt | $pprof -top /dev/stdin >pipe
		diff file pipe
		grep -Fx 'File: python3.14' file
		grep -Fx 'Type: samples' file
		awk '/flat%/ { on = 1; next }
		    on { $1 = $2 = $3 = $5 = ""; print }' file |
		    sed 's/^ *//; s/  */ /' | sort >got
		{
			echo '7 <module>'
			printf '1 %s\n' "${NAMES[@]}"
		} | sort | diff - got
		$pprof -top -lines p.pb.gz | awk 'NR > 5 { print $6, $7, $8 }' |
		    sort >lines
		grep -Fx '<module> p.py:9 ' lines
		grep -Fx '日本 語 p.py:6' lines
		grep -Fx '<GC>  ' lines
	done
}

@test "pprof: columns, where it knows them" {
	need_pprof
	local known=0
	{
		sample 0 cpu p.py:f:1:1:4:9:255
		sample 1000 cpu p.py:f:1:1:0:9:255
		sample 2000 cpu p.py:f:1:1:0:9:255
	} | text p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -top -lines p.pb.gz | grep -x ' *3 .* f p.py:1'
		run $pprof -top -lines -showcolumns p.pb.gz
		[[ $output != *'not defined: -showcolumns'* ]] || continue
		[ "$status" -eq 0 ]
		grep -x ' *2 .* f p.py:1:1' <<<"$output"
		grep -x ' *1 .* f p.py:1:5' <<<"$output"
		known=1
	done
	((known)) || skip "no Go here whose pprof knows columns"
}

@test "pprof: time, on the wall and on CPUs" {
	need_pprof
	{
		sample 0 cpu p.py:f:1
		sample 3000 - p.py:f:1
		sample 8000 cpu p.py:g:2
	} | text p.txt
	tach-convert --pprof --weight time -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -top p.pb.gz >got
		grep -Fx 'Type: wall' got
		grep -x 'Duration: 9ms, Total samples = 9ms.*' got
		grep -x ' *8ms 88.89% 88.89%  *8ms 88.89%  f' got
		$pprof -sample_index=cpu -top p.pb.gz >got
		grep -x 'Duration: 9ms, Total samples = 4ms.*' got
		grep -x ' *3ms 75.00% 75.00%  *3ms 75.00%  f' got
	done
}

@test "pprof: the time of day of the first sample" {
	need_pprof
	{
		echo '# note time 0 1700000000000042'
		sample 5000000 cpu p.py:f:1
	} | text p.txt
	decoded p.txt | grep -Fx 'time 1700000005000042000'
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		TZ=UTC0 $pprof -top p.pb.gz >got
		grep -Ex 'Time: (Nov 14, 2023 at 10:13pm \(UTC\)|2023-11-14 22:13:25 UTC)' got
	done
	# A clock that was not set.
	sample 0 cpu p.py:f:1 | text q.txt
	decoded q.txt | absent '^time'
}

@test "pprof: recursion and callers" {
	need_pprof
	{
		sample 0 cpu 'p.py:main:9;p.py:f:1;p.py:f:1;p.py:f:2'
		sample 1000 cpu 'p.py:main:9;p.py:f:1;p.py:f:2'
		sample 2000 cpu 'p.py:main:9;p.py:g:5'
	} | text p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -top p.pb.gz | awk 'NR > 4 { print $1, $4, $6 }' >got
		is "$(sort got)" "0 3 main
1 1 g
2 2 f
flat cum "
		$pprof -traces p.pb.gz >got
		is "$(sed -n '/^ /p' got | grep -v : | awk '{ print $NF }' |
		    paste -s -d ' ')" "f f f main f f main g main"
		$pprof -peek '^f$' p.pb.gz >got
		grep -E '^ +2   100% +\|   main' got
	done
}

@test "pprof: lines of the source" {
	need_pprof
	printf '%s\n' 'def f(n):' '    return n + 1' 'f(1)' >prog.py
	{
		sample 0 cpu "$PWD/prog.py:<module>:3;$PWD/prog.py:f:2"
		sample 1000 cpu "$PWD/prog.py:<module>:3"
	} | text p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -list '^f$' p.pb.gz >got
		grep -E '^ +1 +1 \(flat, cum\) 50.00% of Total$' got
		grep -E '^ +1 +1 +2: +return n \+ 1$' got
		$pprof -list '<module>' p.pb.gz >got
		grep -E '^ +1 +2 +3: ?f\(1\)$' got
	done
}

@test "pprof: threads and statuses are tags" {
	need_pprof
	{
		sample 0 gil,cpu,main p.py:f:1 7
		sample 1000 gil,cpu,main p.py:f:1 7
		sample 0 - p.py:g:1 8
		sample 0 gil,cpu p.py:h:1 7 1
	} | text p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -tags p.pb.gz | tr -s ' ' >got
		grep -E '^ 2(\.0)? \(50\.00%\): thread 7$' got
		grep -E '^ 1(\.0)? \(25\.00%\): thread 7, interpreter 1$' got
		grep -E '^ 2(\.0)? \(50\.00%\): gil,cpu,main$' got
		grep -E '^ 3(\.0)? \(75\.00%\): 7$' got
		$pprof -tagfocus=thread_id=8 -top p.pb.gz | grep -E '^ +1 25.00% .* g$'
		$pprof -tagfocus='thread=thread 8' -traces p.pb.gz >got
		grep -w g got
		run -1 grep -w -e f -e h got
		$pprof -tagignore=status=idle -traces p.pb.gz >got
		grep -w f got
		run -1 grep -w g got
		$pprof -tagroot=thread -traces p.pb.gz | grep -w 'thread 8'
	done
}

@test "pprof: two profiles are compared" {
	need_pprof
	{
		sample 0 cpu 'p.py:main:9;p.py:a:1'
		sample 1000 cpu 'p.py:main:9;p.py:b:2'
	} | text p.txt
	{
		cat p.txt
		sample 2000 cpu 'p.py:main:9;p.py:b:2'
	} >q.txt
	tach-convert --pprof -o p.pb.gz p.txt
	tach-convert --pprof -o q.pb.gz q.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -diff_base=p.pb.gz -top q.pb.gz |
		    awk 'NR > 4 { print $1, $NF }' | grep -v '^0' >got
		is "$(tail -n +2 got)" "1 b"
	done
}

# fetch URL: its text.
fetch() {
	python3 -c 'import sys, urllib.request as r
print(r.urlopen(sys.argv[1], timeout=60).read().decode())' "$1"
}

# serve COMMAND...: starts a pprof with what is standard input here, and waits
# for its $url.
serve() {
	: >said
	# shellcheck disable=SC2016
	start sh -c 'exec "$@" <&4' - "$@" 4<&0 2>said
	until_ grep -q '^Serving web UI on ' said
	url=$(sed -n 's/^Serving web UI on //p' said)
}

# see_pages: those that the started one serves have the names.
see_pages() {
	local page
	for page in flamegraph top; do
		fetch "$url/ui/$page" >page
		grep -q '\(<\|&lt;\|\\u003c\)module' page
		grep -q 'operator\(<\|&lt;\|\\u003c\)' page
	done
	kill "$pid"
	wait "$pid" || :
}

@test "pprof: pages, of a file and of a pipe" {
	need_pprof
	names p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	for pprof in "${PPROFS[@]}"; do
		# shellcheck disable=SC2086
		serve $pprof -no_browser -http=127.0.0.1: p.pb.gz </dev/null
		see_pages
		# shellcheck disable=SC2086
		serve $pprof -no_browser -http=127.0.0.1: /dev/stdin \
		    < <(tach-convert --pprof p.txt)
		see_pages
	done
}

# ---- speedscope ---------------------------------------------------------

@test "speedscope shows it" {
	need_speedscope
	names p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	speedscope_text p.pb.gz >got
	cat got
	for name in "${NAMES[@]}" '<module>'; do
		cut -f 5 got | found -Fx "$name"
	done
}

# ---- a reader that goes away --------------------------------------------

# unread COMMAND...: what is said where that is the pipe's reader.
unread() {
	run --separate-stderr bash -c '
		tach-convert --pprof "$1" | "${@:2}" >/dev/null 2>&1
		exit "${PIPESTATUS[0]}"' - "$file" "$@"
}

@test "pprof without /dev/stdin: the command says what to type" {
	need_pprof
	local file=$T/data/odd.bin
	for pprof in "${PPROFS[@]}"; do
		# shellcheck disable=SC2086
		unread $pprof
		is "$status $stderr" "1 tach-convert: standard output: $HINT"
	done
}

@test "readers that go away before they have read all" {
	local file reader
	python3 -c 'for n in range(90000): print(n, 0, 1, "gil", f"p.py:f{n}:{n}",
	    sep="\t")' >large.txt
	for file in "$T/data/odd.bin" large.txt; do
		for reader in true 'sleep 0.5' 'head -c 1'; do
			# shellcheck disable=SC2086
			unread $reader
			is "$status $stderr" \
			    "1 tach-convert: standard output: $HINT"
		done
		for reader in cat 'sleep 0.5; cat'; do
			unread sh -c "$reader"
			is "$status $stderr" "0 "
		done
	done
	mkfifo fifo
	head -c 1 fifo >/dev/null &
	run -1 --separate-stderr tach-convert --pprof -o fifo "$T/data/odd.bin"
	is "$stderr" "tach-convert: fifo: $HINT"
}

@test "other formats stay silent" {
	python3 -c 'for n in range(90000): print(n, 0, 1, "-", f"p.py:f{n}:{n}",
	    sep="\t")' >large.txt
	run --separate-stderr bash -c '
		tach-convert --collapsed large.txt | true
		exit "${PIPESTATUS[0]}"'
	is "$status $stderr" "141 " # SIGPIPE
}
