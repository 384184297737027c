# SPDX-License-Identifier: ISC
# foreign.bats: compressed inputs, and profiles that other programs have recorded,
# compared with what these programs say of them.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# cut_anywhere FILE: every beginning of it is read as one line says why not, or as
# samples; none ends a command otherwise.
cut_anywhere() {
	local size status
	for ((size = 1; size < $(stat -c %s "$1"); size += ${2-1})); do
		head -c "$size" "$1" >cut
		status=0
		tach-convert --collapsed cut >out 2>err || status=$?
		[ "$status" -le 1 ]
		is "$(wc -l <err)" "$status"
	done
}

# flipped FILE: the same of a byte that is another one.
flipped() {
	local at status
	for ((at = 0; at < $(stat -c %s "$1"); at += ${2-1})); do
		cp "$1" flip
		printf '\xff' | dd of=flip bs=1 seek="$at" conv=notrunc status=none
		status=0
		timeout 20 tach-convert --collapsed flip >out 2>err || status=$?
		[ "$status" -le 1 ]
	done
}

# ---- compressed inputs ----------------------------------------------------

has_xz() {
	grep -q '^LZMA_LIBS = .' "$TACH_BUILDDIR/Makefile"
}

@test "what gzip, zstd and xz have compressed, by name and from a pipe" {
	local pack file
	tach-cat -l "$T/data/odd.bin" >odd.txt
	for file in odd.txt "$T/data/austin.txt" "$T/data/cpython315-gil.bin"; do
		tach-cat "$file" >want
		for pack in gzip zstd xz; do
			[ $pack != xz ] || has_xz || continue
			need $pack
			$pack -c <"$file" >packed
			tach-cat packed | cmp - want
			tach-cat <packed | cmp - want
			tach-info packed | sed 1d |
			    diff - <(tach-info "$file" | sed 1d)
		done
	done
}

@test "several compressed streams are one input" {
	local pack
	for pack in gzip zstd xz; do
		[ $pack != xz ] || has_xz || continue
		printf 'main;f 2\nma' | $pack -c >packed
		printf 'in;g 3\n' | $pack -c >>packed
		is "$(tach-convert --collapsed packed)" \
		    $'tid:0;main;g 3\ntid:0;main;f 2'
	done
	printf 'main;f 2\n' | gzip -c >packed
	head -c 1000 /dev/zero >>packed
	is "$(tach-convert --collapsed packed)" 'tid:0;main;f 2'
}

# The bytes are as many as are taken at once, or a multiple of them.
@test "compressed streams that end where a read does" {
	local pack kib
	for kib in 64 128 192; do
		python3 -c '
import sys
line = b"main;f 1\n"
size = int(sys.argv[1]) << 10
sys.stdout.buffer.write(b"#" * (size % len(line) + len(line) - 1) + b"\n" +
                        line * (size // len(line) - 1))' $kib >p.txt
		is "$(stat -c %s p.txt)" $((kib << 10))
		for pack in gzip zstd xz; do
			[ $pack != xz ] || has_xz || continue
			$pack -c <p.txt >packed
			timeout 20 tach-cat packed | cmp - <(tach-cat p.txt)
			timeout 20 tach-cat <packed | cmp - <(tach-cat p.txt)
			cat packed | timeout 20 tach-cat | cmp - <(tach-cat p.txt)
			$pack -c <p.txt >>packed
			cat p.txt p.txt | tach-cat >want
			timeout 20 tach-cat packed | cmp - want
			cat packed | timeout 20 tach-cat | cmp - want
		done
	done
}

@test "a compressed pipe is read line by line" {
	mkfifo in out
	# stdbuf comes before a sanitizer, which else objects.
	ASAN_OPTIONS=verify_asan_link_order=0 \
	    stdbuf -oL tach-cat <in >out 3>&- &
	local line i to from
	exec {to}>in {from}<out
	for i in 0 1 2; do
		printf 'a.py:f:1 1\n' | gzip -c >&"$to"
		read -r -t 10 line <&"$from"
		is "$line" "$((i * 1000))"$'\t0\t0\tunknown\ta.py:f:1'
	done
	exec {to}>&- {from}<&-
	wait $!
}

@test "compressed inputs that are damaged" {
	local pack
	printf 'main;f 5\nmain;g 7\n' >p.txt
	for pack in gzip zstd xz; do
		[ $pack != xz ] || has_xz || continue
		$pack -c <p.txt >p.$pack
		head -c -2 p.$pack >bad
		run -1 --separate-stderr tach-convert --collapsed bad
		is "$stderr" "tach-convert: bad: byte $(stat -c %s bad): $pack data: it is cut short"
		cut_anywhere p.$pack 3
		flipped p.$pack 3
	done
	{ cat p.gzip; echo more; } >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(stat -c %s p.gzip): gzip data: other bytes follow behind it"
	is "${#lines[@]}" 12
	gzip -c <p.gzip >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: it is compressed twice by gzip: type zcat FILE | tach-convert'
	has_xz || return 0
	xz -c <p.xz >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: it is compressed by xz: type xzcat FILE | tach-convert'
}

# small KIB COMMAND...: with that much memory.
small() {
	(ulimit -v "$1" && shift && exec "$@")
}

@test "small files that unpack to much" {
	need zstd
	# Sanitizers take memory of their own.
	! grep -q '^SANITIZE_FLAGS = .' "$TACH_BUILDDIR/Makefile" ||
	    skip 'it limits the memory'
	# A binary input, which is unpacked to a file.
	{ printf '\0\0\0\0\3\0\0\0'; head -c 1100000000 /dev/zero; } |
	    zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 600000 tach-info bomb
	is "$stderr" 'tach-info: bomb: it unpacks to more than 1024 MiB: unpack it to a file first'
	# Names of 15 MiB, each another one.
	python3 -c '
import sys
name = b"f" * (15 << 20)
sys.stdout.buffer.write(b"main;f 1\n")
for i in range(20):
    sys.stdout.buffer.write(b"x%d%s 1\n" % (i, name))' | zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 1200000 tach-info --verify bomb
	is "$stderr" 'tach-info: bomb: the names have more than 256 MiB together, which is not read'
	# A deep stack for each of many threads.
	python3 -c '
import sys
stack = b"a;" * (4 << 20)
sys.stdout.buffer.write(b"main;f 1\n")
for i in range(40):
    sys.stdout.buffer.write(b"tid:%d;%s 1\n" % (i, stack))' | zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 1200000 tach-info --verify bomb
	is "$stderr" 'tach-info: bomb: the stacks of all threads take more than 512 MiB, which is not read'
}

# ---- pprof -----------------------------------------------------------------

@test "pprof: what tach-convert writes comes back" {
	local file
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --pprof -o p.pb.gz "$file"
		diff <(tach-convert --collapsed p.pb.gz | sort) \
		    <(tach-convert --collapsed "$file" | sort)
		zcat p.pb.gz >p.pb
		tach-cat p.pb | cmp - <(tach-cat p.pb.gz)
		tach-cat <p.pb | cmp - <(tach-cat p.pb.gz)
		# Threads with their statuses.
		diff <(tach-info -s p.pb.gz | grep ^thread: | sort) \
		    <(tach-info -s "$file" | grep ^thread: | sort)
	done
	is "$(tach-info p.pb.gz | sed -n '2,3p;5p')" \
	    'layout:            pprof
python:            3.15.0
interval:          500 us (2000 samples a second)'
	printf 'thread (7): a (b);f (x.py:3) 2\n' >p.txt
	tach-convert --pprof p.txt | tach-info -s - |
	    found '^thread:.* 7 .*name a (b)$'
}

# What `go tool pprof -raw` and -top show of it.
@test "pprof: a profile of Go's own" {
	is "$(tach-convert --collapsed "$T/data/go.pb.gz")" \
'tid:0;proc.go:runtime.main:250;work.go:main.main:38;work.go:main.middle:27;work.go:main.leaf:20 7
tid:0;proc.go:runtime.main:250;work.go:main.main:38;work.go:main.middle:28;work.go:main.leaf:21;preempt_amd64.s:runtime.asyncPreempt:7 4
tid:0;proc.go:runtime.main:250;work.go:main.main:38;work.go:main.middle:27;work.go:main.leaf:21;preempt_amd64.s:runtime.asyncPreempt:7 3
tid:0;proc.go:runtime.main:250;work.go:main.main:38;work.go:main.middle:28;work.go:main.leaf:20 2'
	is "$(tach-info --verify "$T/data/go.pb.gz" | cut -d , -f 2)" ' 16 samples'
	tach-info "$T/data/go.pb.gz" | found '^interval: *10000 us'
}

# message NUMBER HEX...: as a field of bytes.
message() {
	local hex=${*:2}
	hex=${hex// /}
	printf '%02x%02x%s' $(($1 << 3 | 2)) $((${#hex} / 2)) "$hex"
}

# text NUMBER TEXT: likewise.
text() {
	message "$1" "$(printf %s "$2" | xxd -p)"
}

# replaced FILE OLD NEW: the file with other bytes, in hexadecimal.
replaced() {
	xxd -p -c 0 "$1" | sed "s/$2/$3/" | xxd -r -p
}

# A location without a line in a mapped object, one with an inlined function,
# one without anything; values are seconds.
@test "pprof: native frames, inlined ones, times, labels" {
	need xxd xxd
	{
		message 1 0801 1002
		message 2 "$(message 1 010203)" "$(message 2 07)" \
		    "$(message 3 0803 1801)"
		message 2 08011002 "$(message 3 0807 1008)"
		message 2 0801 1001 "$(message 3 0807 1009)"
		message 3 0801 108020 188040 2001 2804
		message 4 0801 1001 189020
		message 4 0802 "$(message 4 0801 1005)" "$(message 4 0802 1009)"
		message 4 0803 18ff01
		message 5 0801 1005
		message 5 0802 1806 2004
		message 6
		for word in cpu seconds thread_id /lib/x.so inner outer \
		    thread A B; do
			text 6 $word
		done
		message 11 0801 1002
		printf 6001
	} | xxd -r -p >p.pb
	is "$(tach-convert --collapsed --frame austin p.pb)" 'P0;T0:1;0xff;/lib/x.so:outer:9;~:inner:5;/lib/x.so:0x11:0 7
P0;T0:2;/lib/x.so:0x11:0 2
P0;T0:3;/lib/x.so:0x11:0 1'
	is "$(tach-info -s p.pb | grep -o 'name.*')" $'name A\nname B'
	tach-info p.pb | found '^interval: *1000000 us'
	cut_anywhere p.pb 3
	flipped p.pb 3
	# The location's number is 9.
	replaced p.pb 0a03010203 0a03010903 >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 11: location_id 9 is of no location'
	replaced p.pb 120107 120187 >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 15: a number that is longer than its field'
	sed 's/seconds/sxconds/' p.pb >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: its values are neither numbers of samples nor times: they are in "sxconds"'
	head -c -3 p.pb >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(($(stat -c %s p.pb) - 8)): truncated: a field of 4 bytes, and 3 are left"
}

# ---- MOJO ------------------------------------------------------------------

@test "MOJO: a profile of austin's, as austin's own reader reads it" {
	cmp <(tach-convert --collapsed "$T/data/austin.mojo") \
	    <(tach-convert --collapsed "$T/data/austin-mojo.txt")
	cmp <(tach-cat "$T/data/austin.mojo") \
	    <(tach-cat "$T/data/austin-mojo.txt")
	tach-cat <"$T/data/austin.mojo" | cmp - \
	    <(tach-cat "$T/data/austin-mojo.txt")
	is "$(tach-info "$T/data/austin.mojo" | sed -n '2p;4p')" \
	    'layout:            mojo
interval:          20000 us (50 samples a second)'
	# Columns, which the text has not.
	tach-cat -l "$T/data/austin.mojo" |
	    found -F 'gens.py:<module>:52:52:4:28:'
	cut_anywhere "$T/data/austin.mojo" 61
	flipped "$T/data/austin.mojo" 61
}

# mojo VERSION PYTHON: a file of it, by a few functions.
mojo() {
	python3 -c '
import sys
def n(i, sign=0):
    out = [i & 63 | sign << 6]
    i >>= 6
    while i:
        out[-1] |= 128
        out.append(i & 127)
        i >>= 7
    return bytes(out)
def s(text): return text.encode() + b"\0"
def e(kind, *rest):
    return bytes([kind]) + b"".join(
        s(r) if isinstance(r, str) else n(r) for r in rest)
out = b"MOJ" + n(int(sys.argv[1]))
exec(sys.argv[2])
sys.stdout.buffer.write(out)' "$@"
}

# As austin 4 writes: the frames of the sample before, without native ones; names
# of threads; tasks, which are no part of a sample.
@test "MOJO: repeated stacks, names, tasks, marks" {
	local head='out += e(1, "interval", "10") + e(1, "mode", "full")
out += e(1, "python", "3.13.1") + e(2, 7, 0, "MainThread")
out += e(11, 5, "a.py") + e(11, 6, "f") + e(11, 7, "/lib/c.so")
out += e(3, 1, 5, 6, 3, 3, 2, 9) + e(3, 2, 7, 6, 0, 0, 0, 0)
out += e(5, 1) + e(5, 2) + e(9, 24) + e(8) + e(10, 5)'
	mojo 4 "$head
out += e(14, 9, 0) + e(5, 1) + e(9, 99) + e(15, 9, 8)
out += e(2, 7, 0, 'MainThread') + e(13) + e(6, 'ksys_read') + e(9, 1)
out += e(2, 8, 0, 'MainThread') + e(9, 15)
out += e(2, 7, 1, '1f') + e(4) + e(7) + e(9, 10)" >p.mojo
	is "$(tach-cat -l p.mojo | grep -v '^# tach')" '# python 3.13.1
# start 0
# interval 10
# note thread 0 1 MainThread
0	0	1	unknown	a.py:f:3:3:1:8:;/lib/c.so:f:0:0:::
10	0	1	unknown	a.py:f:3:3:1:8:;/lib/c.so:f:0:0:::
20	0	1	unknown	a.py:f:3:3:1:8:;kernel:ksys_read:0:0:::
0	0	2	unknown	
10	0	2	unknown	
0	1	31	unknown	~:\072INVALID\072:::::;~:<GC>:::::
# note thread 0 2 MainThread'
	cut_anywhere p.mojo 7
	flipped p.mojo 7
	mojo 4 "$head
out += e(2, 7, 0, 'x') + e(5, 3)" >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(($(stat -c %s bad) - 2)): key 3 is of no frame"
	is "${#lines[@]}" 2
	mojo 4 "$head
out += e(16)" >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(($(stat -c %s bad) - 1)): event 16 is not known"
	mojo 5 "$head" >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 3: version 5 of MOJO is not known'
}

@test "MOJO: the first versions, without interpreters and columns" {
	mojo 1 'out += e(2, 7, "1f") + e(11, 5, "a.py") + e(11, 6, "f")
out += e(3, 1, 5, 6, 3) + e(5, 1) + e(9, 1000)' >p.mojo
	is "$(tach-cat p.mojo)" $'0\t0\t31\tunknown\ta.py:f:3'
	mojo 2 'out += e(2, 7, "1f") + e(11, 5, "a.py") + e(11, 6, "f")
out += e(3, 1, 5, 6, 3, 4, 1, 2) + e(5, 1) + b"\x0a\x45"' >p.mojo
	is "$(tach-cat -l p.mojo | tail -n 1)" \
	    $'0\t0\t31\tunknown\ta.py:f:3:4:0:1:'
}

# ---- perf script -------------------------------------------------------------

@test "perf script: a profile of perf's, with Python's trampolines" {
	local file=$T/data/perf.txt
	is "$(tach-info --verify "$file" | cut -d , -f 2)" \
	    " $(grep -c 'cpu-clock: $' "$file") samples"
	# Frames of Python, kernel and libraries, each as often as in the text.
	tach-cat "$file" | cut -f 5 | tr ';' '\n' >frames
	is "$(grep -c '^/tmp/hot.py:leaf:$' frames)" \
	    "$(grep -c ' py::leaf:/tmp/hot.py+' "$file")"
	is "$(grep -c '^/usr/bin/python3.15:0x' frames)" \
	    "$(grep -c '\[unknown\] (/usr/bin/python3.15)$' "$file")"
	is "$(grep -c '^\[kernel.kallsyms\]:handle_mm_fault:$' frames)" \
	    "$(grep -c ' handle_mm_fault+' "$file")"
	is "$(wc -l <frames)" "$(grep -c '^	' "$file")"
	# The times are the events' own.
	is "$(tach-cat "$file" | cut -f 1 | sed -n '1p;2p')" \
	    "$(awk '/cpu-clock/ { t = $3 * 1000000; if (!n++) first = t
	    printf "%.0f\n", t - first }' "$file" | head -n 2)"
	tach-info "$file" | found '^interval: *10101 us'
	tach-info -s "$file" | found '^thread: .*name python3.15$'
	tach-cat <"$file" | cmp - <(tach-cat "$file")
}

@test "perf script: lines that end in CR and LF" {
	sed 's/$/\r/' "$T/data/perf.txt" >p.txt
	tach-cat p.txt | cmp - <(tach-cat "$T/data/perf.txt")
}

@test "perf script: a header alone is a profile without samples" {
	printf '# ========\n# captured on: Sun Nov 29\n' >p.txt
	tach-info p.txt | found '^layout: *perf$'
	is "$(tach-cat p.txt)" ''
}

@test "perf script: a line of many colons takes no longer than another" {
	{
		printf 'a 9 10.000001: x:\n\n'
		head -c 8000000 /dev/zero | tr '\0' :
	} >bad
	run -1 --separate-stderr timeout 20 tach-cat bad
	is "$stderr" "tach-cat: bad: line 3: no first line of a sample: a thread's name and number, a time, an event"
}

@test "perf script: its other lines" {
	# Of several threads, without empty lines, with processes and with inlined
	# functions; frames that are no lines of code are passed over.
	is "$(tach-cat <<-'END'
	# ========
	# captured on: Sun Nov 29
	 Web Content  5/7 [003] 10.000001:          1 cycles:u:
	        401136 std::sort(int*, int (*)(int))+0x6 (/opt/x y)
	        401130 inner (inlined)
	  x.c:12
	        7f0000 [unknown] ([unknown])

	a 9 10.000002: sched:sched_switch: prev_comm=a
	b 9 10.000003:     250000 task-clock:ppp:            401136 main+0x6 (/bin/b)
	END
	)" '0	0	7	unknown	0x7f0000;inner;/opt/x\040y:std\072\072sort(int*,\040int\040(*)(int)):
1	0	9	unknown	
2	0	9	unknown	/bin/b:main:'
	printf 'a 9 10.000002: x:\na 9 10.000001: x:\n' >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: line 2: the time goes back to 10.000001 in thread 9'
	printf 'a 9 10.000002: x:\n\nmore\n' >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: line 3: no first line of a sample: a thread's name and number, a time, an event"
	is "$output" $'0\t0\t9\tunknown\t'
	head -n 12 "$T/data/perf.txt" >p.txt
	cut_anywhere p.txt 13
	flipped p.txt 13
}

# ---- speedscope --------------------------------------------------------------

@test "speedscope: what tach-convert writes comes back" {
	local file=$T/data/cpython315-wall.bin
	tach-convert --speedscope --idle keep -o s.json "$file"
	# The same stacks and threads, as functions; samples stand for time.
	diff <(tach-convert --collapsed --frame function s.json |
	    sed 's/ [0-9]*$//' | sort -u) \
	    <(tach-convert --collapsed --frame function "$file" |
	    sed 's/ [0-9]*$//' | sort -u)
	tach-cat <s.json | cmp - <(tach-cat s.json)
	gzip -c s.json | tach-cat | cmp - <(tach-cat s.json)
	printf 'thread (7): a (b);f (x.py:3) 2\n' >p.txt
	tach-convert --speedscope p.txt | tach-info -s - |
	    found '^thread:.* 7 .*name a (b)$'
}

# Its stacks by the events, with their shares of the time in parts of a thousand.
@test "speedscope: a profile of pyinstrument's, to 2 parts of 1000 a stack" {
	local file=$T/data/pyinstrument.json
	tach-convert --collapsed --frame function "$file" >stacks
	python3 - "$file" stacks <<-'END'
	import collections, json, sys
	data = json.load(open(sys.argv[1]))
	names = [f['name'] for f in data['shared']['frames']]
	profile, = data['profiles']
	all_of_it = profile['endValue'] - profile['startValue']
	want, stack, last = collections.Counter(), [], profile['startValue']
	for event in profile['events']:
	    if stack:
	        want[';'.join(names[i] for i in stack)] += event['at'] - last
	    last = event['at']
	    if event['type'] == 'O':
	        stack.append(event['frame'])
	    else:
	        assert stack.pop() == event['frame']
	seen = collections.Counter()
	for line in open(sys.argv[2]):
	    stack, n = line.rsplit(' ', 1)
	    seen[stack] += int(n)
	assert len(want) > 5 and abs(sum(seen.values()) - 1000) < 10, (want, seen)
	for stack in want | seen:
	    share = 1000 * want[stack] / all_of_it
	    assert abs(seen[stack] - share) <= 2, (stack, seen[stack], share)
	END
	tach-convert --collapsed "$file" | found ';gens.py:outer:30;gens.py:inner:22 '
	cut_anywhere "$file" 97
	flipped "$file" 97
}

# Shares as the profile's own times have them; frames behind what refers to them.
@test "speedscope: calls, weights, units, names" {
	cat >e.json <<-'END'
	{"profiles":[{"type":"evented","name":"calls","unit":"seconds",
	"startValue":100,"endValue":114,"events":[{"type":"O","frame":0,"at":100},
	{"type":"O","frame":1,"at":100},{"type":"O","frame":2,"at":102},
	{"type":"C","frame":2,"at":106},{"type":"C","frame":1,"at":107.5},
	{"type":"C","frame":0,"at":114}]}],"shared":{"frames":[{"name":"a"},
	{"name":"b","file":"x.py","line":3,"col":2},{"name":"c\u00e9\ud83d\ude00"}]}}
	END
	is "$(tach-convert --collapsed e.json)" 'tid:1;a 6500
tid:1;a;x.py:b:3;cé😀 4000
tid:1;a;x.py:b:3 3500'
	is "$(tach-cat e.json | sed -n '1p;2001p;14000p')" \
	    $'0\t0\t1\tunknown\ta;x.py:b:3
2000000\t0\t1\tunknown\ta;x.py:b:3;c\u00e9\U1f600
13999000\t0\t1\tunknown\ta'
	is "$(tach-info -s e.json | grep -o 'name.*')" 'name calls'
	# As speedscope itself writes what were collapsed stacks.
	sed 's/"seconds"/"none"/; s/107.5/107/' e.json >n.json
	is "$(tach-convert --collapsed n.json)" 'tid:1;a 7
tid:1;a;x.py:b:3;cé😀 4
tid:1;a;x.py:b:3 3'
	cat >s.json <<-'END'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"f","line":null},{"name":"g","file":""}]},
	"profiles":[{"type":"sampled","name":"Process 5 Thread 0x1F \"w 1\"",
	"unit":"seconds","startValue":0,"endValue":1,"samples":[[0],[0,1],[],[1]],
	"weights":[0.01,0.02,0.1,0.01]},{"type":"sampled","unit":"none",
	"name":"Thread 7","startValue":0,"endValue":3,"samples":[[0,1]],
	"weights":[3]}],"exporter":"py-spy@0.4"}
	END
	is "$(tach-cat s.json)" $'0\t0\t31\tunknown\tf
10000\t0\t31\tunknown\tf;g
20000\t0\t31\tunknown\tf;g
130000\t0\t31\tunknown\tg
0\t0\t7\tunknown\tf;g
10000\t0\t7\tunknown\tf;g
20000\t0\t7\tunknown\tf;g'
	is "$(tach-info -s s.json | grep -o 'name.*')" 'name w 1'
	cut_anywhere s.json 11
	flipped s.json 11
	sed 's/\[0,1\],\[\]/[0,2],[]/' s.json >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 269: frame 2 is not below 2'
	is "${#lines[@]}" 1
	sed 's/"seconds"/"bytes"/' s.json >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 213: the unit "bytes" is neither a time nor "none"'
	head -c -20 s.json >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(stat -c %s bad): truncated: the JSON is not complete"
	sed 's/"C","frame":2/"C","frame":1/' e.json >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: byte 234: frame 1 ends, and is not the innermost one'
}

# The buffer that JSON is read by has 128 KiB.
@test "speedscope: half a character where the buffer ends" {
	local pad want
	for pad in 131071 131072 131073; do
		python3 -c '
import sys
tail = "\\ud800\\n\\ud83d\\ude00"
head = "{\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\",\"name\":\"p\"," \
    "\"samples\":[[0]],\"weights\":[1]}],\"shared\":{\"frames\":[{\"name\":\""
print(head + "a" * (int(sys.argv[1]) - len(head) - 6) + tail + "\"}]}}")
' $pad >s.json
		want=$'a\xef\xbf\xbd\\012\xf0\x9f\x98\x80'
		is "$(tach-cat s.json | sed 's/.*aa/a/')" "$want"
	done
}

@test "speedscope: weights of other lengths keep their sum" {
	local weights
	printf -v weights '10,14.9,%.0s' {1..50}
	printf '%s' '{"profiles":[{"type":"sampled","unit":"milliseconds","name":"p",' \
	    "\"samples\":[$(repeat 99 '[0],')[0]],\"weights\":[${weights%,}]}]," \
	    '"shared":{"frames":[{"name":"f"}]}}' >s.json
	# 1,245 ms in intervals of 10; alone each weight would be one.
	is "$(tach-cat s.json | wc -l)" 124
}

# made_pprof TYPE UNIT ORDER: a profile of pprof with one sample, whose value has that
# type and unit; `first` writes the sample before all else, as libdatadog does.
made_pprof() {
	python3 - "$@" <<-'END'
	import sys
	def field(n, data):
	    return bytes([n << 3 | 2, len(data)]) + data
	type, unit, order = sys.argv[1:]
	kind = field(1, bytes([8, 1, 16, 2]))
	sample = field(2, bytes([8, 1, 16, 3]))
	rest = (field(4, bytes([8, 1]) + field(4, bytes([8, 1]))) +
	        field(5, bytes([8, 1, 16, 3])) +
	        b"".join(field(6, s.encode()) for s in ["", type, unit, "f"]))
	sys.stdout.buffer.write((sample + kind if order == "first" else kind + sample) + rest)
	END
}

@test "pprof: samples may come before all else, and a heap has none" {
	made_pprof samples count last >p.pb
	is "$(tach-convert --collapsed --frame function p.pb)" 'f 3'
	made_pprof samples count first >p.pb
	is "$(tach-convert --collapsed --frame function p.pb)" 'f 3'
	made_pprof inuse_space bytes last >p.pb
	run -1 --separate-stderr tach-cat p.pb
	is "$stderr" 'tach-cat: p.pb: its values are neither numbers of samples nor times: they are in "bytes"'
}
