# SPDX-License-Identifier: ISC
# tach-convert --gecko: against Firefox Profiler's own reader, CPython's
# output, and the samples.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 gil,cpu,main 'app.py:main:9' \
	    1000 0 7 gil,cpu,main 'app.py:main:9;app.py:f:3' \
	    1000 0 8 - 'app.py:other:20;<native>' \
	    1500 0 7 gil,cpu,main 'app.py:main:9;app.py:f:3;<GC>' \
	    2500 0 7 exception,main 'app.py:main:9;app.py:f:2' \
	    3500 0 7 gil-wanted,main 'app.py:main:9' \
	    20000 0 7 gil,main ''
	sed -i '1i# python 3.12.1\n# interval 1000' p.txt
}

@test "samples and tables" {
	need jq
	tach-convert --gecko p.txt >p.json
	is "$(jq -c '.threads[0] | .name, .isMainThread, .tid, .samples,
	    .stackTable, .frameTable.func, .frameTable.line,
	    .frameTable.category, .funcTable, .resourceTable' p.json)" \
	    '"thread 7"
true
7
{"stack":[0,1,2,4,0,5],"time":[0,1,1.5,2.5,3.5,20],"threadCPUDelta":[0,1000000,500000,1000000,0,0],"weight":null,"weightType":"samples","length":6}
{"frame":[0,1,2,3,4,5],"prefix":[null,0,1,0,0,null],"length":6}
[0,1,2,1,1,3]
[9,3,null,2,2,null]
[2,2,4,2,1,0]
{"name":[0,1,2,3],"isJS":[true,true,false,false],"relevantForJS":[true,true,true,true],"resource":[0,0,-1,-1],"fileName":[4,4,null,null],"lineNumber":[9,2,null,null],"columnNumber":[null,null,null,null],"length":4}
{"lib":[null],"name":[4],"host":[null],"type":[1],"length":1}'
	is "$(jq -c '.shared.stringArray[:5]' p.json)" \
	    '["main","f","<GC>","<no frames>","app.py"]'
	is "$(jq -c '.meta | [.version, .preprocessedProfileVersion, .interval,
	    .product]' p.json)" '[32,57,1,"Python 3.12.1"]'
}

@test "states of a thread are markers" {
	need jq
	tach-convert --gecko p.txt >p.json
	is "$(jq -r '.shared.stringArray as $s | .meta.categories as $c |
	    .threads[0].markers | range(.length) as $i |
	    "\(.startTime[$i]) \(.endTime[$i]) \($s[.name[$i]]) \(
	    $c[.category[$i]].name)"' p.json)" "0 2.5 Has GIL GIL
0 2.5 On CPU CPU
1.5 2.5 GC Collecting GC
2.5 13.5 No GIL GIL
2.5 13.5 Off CPU CPU
2.5 3.5 Has Exception Exception
3.5 13.5 Waiting for GIL GIL
20 21 Has GIL GIL
20 21 Off CPU CPU"
	is "$(jq -c '.threads[0].markers | [(.data, .phase) | unique]' p.json)" \
	    '[[{"type":"state"}],[1]]'
}

# What never is set, nobody has looked at.
@test "no markers of what is not known" {
	need jq
	sed -i 's/gil-wanted/W/; s/gil,//; s/W/gil-wanted/' p.txt
	is "$(tach-convert --gecko p.txt | jq -r '.shared.stringArray |
	    map(select(test("GIL|CPU")))[]')" "On CPU
Off CPU
Waiting for GIL"
	sed -i 's/cpu/unknown/' p.txt
	is "$(tach-convert --gecko p.txt | jq -c '[(.shared.stringArray |
	    map(select(test("GIL|CPU")))[]),
	    (.threads[] | .samples.threadCPUDelta)]')" \
	    '["Waiting for GIL",null,null]'
}

@test "--weight time" {
	need jq
	is "$(tach-convert --gecko --weight time p.txt |
	    jq -c '.threads[0].samples | .weight, .weightType')" \
	    '[1,0.5,1,1,10,1]
"tracing-ms"'
}

@test "--idle keep" {
	need jq
	is "$(tach-convert --gecko --idle keep p.txt |
	    jq -c '.threads[].frameTable.category')" '[2,2,4,2,0]
[2,3]'
}

@test "--gzip" {
	tach-convert --gecko --gzip -o p.json.gz p.txt
	gzip -t p.json.gz
	cmp <(gzip -dc p.json.gz) <(tach-convert --gecko p.txt)
}

# Against what the test makes of the samples itself.
@test "each sample and each state, as they were" {
	local file seed
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --gecko --gzip -o out "$file"
		"$T/convert/moments.py" gecko "$file" out
	done
	for seed in 1 2 3 4 5; do
		"$T/convert/moments.py" random $seed | tach-convert --tach -o r.bin -
		tach-convert --gecko -o out r.bin
		"$T/convert/moments.py" gecko r.bin out
		tach-convert --gecko --idle keep -o out r.bin
		"$T/convert/moments.py" gecko r.bin out idle
		tach-convert --gecko --weight time -o out r.bin
		"$T/convert/moments.py" gecko r.bin out time
	done
}

# Its times begin with the first sample; its files are without their folders.
@test "the samples and stacks of CPython 3.15's own output" {
	need_python 3.15
	local name
	cp "$T"/data/cpython315-*.bin "$OUTSIDE"
	for name in wall gil opcodes none; do
		"${PYTHON[@]}" -m profiling.sampling replay --gecko \
		    -o "$INSIDE/theirs" "$INSIDE/cpython315-$name.bin" \
		    >/dev/null 2>&1
		tach-convert --gecko -o ours "$T/data/cpython315-$name.bin"
		python3 - ours "$OUTSIDE/theirs" <<-'END'
		import json, os, sys
		def load(name):
		    with open(name) as file:
		        p = json.load(file)
		    strings = p['shared']['stringArray']
		    return {t['tid']: samples(t, strings)
		            for t in p['threads']}
		def samples(t, strings):
		    stack, frame, func = (t['stackTable'], t['frameTable'],
		                          t['funcTable'])
		    def frames(index):
		        if index is None:
		            return ()
		        f = func['name'][frame['func'][stack['frame'][index]]]
		        file = func['fileName'][
		            frame['func'][stack['frame'][index]]]
		        line = frame['line'][stack['frame'][index]]
		        if strings[f] == '<no frames>':
		            return ()
		        # It has none where a file begins with <, we where
		        # there is no code.
		        file = strings[file] if file is not None else '<'
		        file = '' if file[0] in '<~' else os.path.basename(file)
		        return frames(stack['prefix'][index]) + (
		            (file, strings[f], line),)
		    stacks = {i: frames(i) for i in set(t['samples']['stack'])}
		    times = t['samples']['time']
		    return [(round((time - times[0]) * 1000), stacks[i])
		            for time, i in zip(times, t['samples']['stack'])]
		ours, theirs = map(load, sys.argv[1:])
		for tid in ours.keys() | theirs.keys():
		    for pair in zip(ours[tid], theirs[tid]):
		        assert pair[0] == pair[1], pair
		    assert len(ours[tid]) == len(theirs[tid])
		print(sum(map(len, ours.values())), 'samples')
		END
	done
}

@test "a disk that is full is told" {
	[ -c /dev/full ] || skip "no /dev/full here"
	local gzip
	for gzip in '' --gzip; do
		run -1 --separate-stderr tach-convert --gecko $gzip \
		    -o /dev/full p.txt
		is "$stderr" \
		    "tach-convert: /dev/full: No space left on device"
	done
}

# ---- Firefox Profiler --------------------------------------------------------

@test "profiler-cli reads it" {
	need_profiler_cli
	tach-convert --gecko --gzip -o p.json.gz p.txt
	profiler_cli "$PWD/p.json.gz" profile info -- thread functions \
	    --limit 0 -- thread markers -- profile meta >text
	grep -q '^Name: Python 3.12.1$' text
	grep -q 't-0: thread 7 \[tid 7\] - 2.500ms' text
	grep -q 't-1: thread 8 \[tid 8\] - 0.000ms' text
	grep -q 'app.py!main - self: 2 (40.0%), total: 4 (80.0%)' text
	grep -q 'app.py!f - self: 1 (20.0%), total: 2 (40.0%)' text
	grep -q 'Has GIL  *2 markers' text
	grep -q 'Waiting for GIL  *1 markers' text
	grep -q 'Sampling interval: 1ms' text
}

@test "profiler-cli: the time of day, and processes" {
	need_profiler_cli
	need jq
	local note="# note time 0 1700000000000250"
	{ echo "$note"; echo '# note process 0 41'; cat p.txt; } >a.txt
	sed 's/ 41$/ 42/; s/,main\t/\t/' a.txt >b.txt
	tach-merge -o m.bin a.txt b.txt
	tach-convert --gecko -o p.json m.bin
	is "$(jq -c '.meta.startTime, (.threads[] | [.pid, .tid, .isMainThread])' \
	    p.json)" '1700000000000.25
["41",7,true]
["42",7,true]
["41",8,false]
["42",8,false]'
	profiler_cli "$PWD/p.json" profile info -- profile meta >text
	cat text
	grep -Eq 'p-0: .*\[pid 41\]' text
	grep -Eq 'p-1: .*\[pid 42\]' text
	grep -q '2023-11-14T22:13:20' text
}

# Recordings of two containers, of which each has process 1.
@test "profiler-cli: two processes of one number stay two" {
	need_profiler_cli
	need jq
	{ echo '# note process 0 1'; cat p.txt; } >a.txt
	tach-merge -o m.bin a.txt a.txt
	{ sed 's/\t0\t7\t/\t0\t9\t/; s/\t0\t8\t/\t2\t9\t/' a.txt
	echo '# note process 2 2'; } >b.txt
	tach-merge -o m.bin a.txt b.txt a.txt
	tach-convert --gecko -o p.json m.bin
	is "$(jq -r '.threads[] | "\(.pid) \(.tid) \(.isMainThread)"' p.json | sort)" \
	    "$(sort <<-'END'
	1 7 true
	1 8 false
	1.1 9 true
	2 9 true
	1.2 7 true
	1.2 8 false
	END
	)"
	profiler_cli "$PWD/p.json" profile info >text
	is "$(grep -o 'p-[0-9]: .*\[pid [0-9.]*\]' text | grep -o '[0-9.]*\]' | sort)" \
	    $'1.1]\n1.2]\n1]\n2]'
}

@test "profiler-cli reads all samples of all threads" {
	need_profiler_cli
	local file=$T/data/cpython315-wall.bin
	tach-convert --gecko -o p.json "$file"
	profiler_cli "$PWD/p.json" thread samples --include-idle \
	    -- thread samples --thread t-1 --include-idle \
	    -- thread samples --thread t-2 --include-idle \
	    -- thread samples --thread t-3 --include-idle \
	    -- thread samples --thread t-4 --include-idle \
	    -- thread samples --thread t-5 --include-idle >text
	is "$(sed -n 's/.*Categories (\([0-9]*\) .*/\1/p' text |
	    awk '{ n += $1 } END { print n }')" \
	    "$(tach-info "$file" | awk '/^samples:/ { print $2 }')"
}

@test "profiler-cli takes every rare thing" {
	need_profiler_cli
	tach-convert --gecko -o odd.json "$T/data/odd.bin"
	profiler_cli "$PWD/odd.json" thread list >text
	is "$(grep -c 'thread ' text)" 5
	echo '# tach 1' >empty.txt
	tach-convert --gecko -o empty.json empty.txt
	profiler_cli "$PWD/empty.json" thread list >text
	grep -q 'no samples' text
}
