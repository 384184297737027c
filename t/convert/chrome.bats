# SPDX-License-Identifier: ISC
# tach-convert --chrome: slices that nest, and what speedscope makes of them.
# Perfetto's trace_processor is not to be had as a package.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 gil,cpu 'app.py:main:9' \
	    1000 0 7 gil,cpu 'app.py:main:9;app.py:f:3;app.py:f:4' \
	    1000 1 8 cpu 'app.py:other:20' \
	    2000 0 7 gil,cpu 'app.py:main:10;app.py:f:2' \
	    3000 0 7 - 'app.py:main:9' \
	    4000 0 7 gil,cpu 'app.py:main:9' \
	    20000 0 7 gil,cpu 'app.py:main:8' \
	    21000 0 7 gil,cpu ''
	sed -i '1i# interval 1000' p.txt
}

# slices FILE: thread, begin, duration, function.
slices() {
	jq -r '.traceEvents[] | select(.ph == "X") |
	    "\(.pid).\(.tid) \(.ts) \(.dur) \(.name)"' "$@" | sort -k 1,1 -k 2n
}

@test "a slice while a function stays in its place" {
	need jq
	tach-convert --chrome p.txt >p.json
	is "$(slices p.json)" "$(sort -k 1,1 -k 2n <<-END
	1.7 0 3000 main
	1.7 1000 2000 f
	1.7 1000 1000 f
	1.7 4000 10000 main
	1.7 20000 1000 main
	1.7 21000 1000 <no frames>
	2.8 1000 1000 other
	END
	)"
	is "$(jq -c '.traceEvents[] | select(.ph == "M")' p.json)" \
	    '{"ph":"M","pid":1,"tid":7,"name":"process_name","args":{"name":"p.txt"}}
{"ph":"M","pid":2,"tid":8,"name":"process_name","args":{"name":"p.txt"}}
{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"thread 7"}}
{"ph":"M","pid":2,"tid":8,"name":"thread_name","args":{"name":"thread 8, interpreter 1"}}'
	is "$(jq -c '.traceEvents[] | select(.name == "other")' p.json)" \
	    '{"ph":"X","pid":2,"tid":8,"ts":1000,"dur":1000,"name":"other","cat":"python","args":{"file":"app.py"}}'
}

@test "the number of the process, where it is known" {
	need jq
	sed '1i# note process 0 4242\n# note process 1 43' p.txt >q.txt
	is "$(tach-convert --chrome q.txt | jq -r '.traceEvents[].pid' | sort -nu |
	    xargs)" "43 4242"
}

@test "--idle keep" {
	need jq
	is "$(tach-convert --chrome --idle keep p.txt | slices |
	    grep '^1.7.*main')" \
	    $'1.7 0 14000 main\n1.7 20000 1000 main'
}

# Of slices that begin and end together the outer comes first: there is
# nothing else from which a viewer could know.
@test "slices that are alike are in order" {
	need jq
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 cpu 'a:a:;a:b:;a:c:;a:d:' \
	    1000 0 7 cpu 'a:a:;a:e:;a:f:' \
	    2000 0 7 cpu 'a:g:;a:a:'
	sed -i '1i# interval 1000' p.txt
	is "$(tach-convert --chrome p.txt | jq -r '.traceEvents[] |
	    select(.ph == "X") | "\(.ts) \(.dur) \(.name)"')" \
	    "0 1000 b
0 1000 c
0 1000 d
0 2000 a
1000 1000 e
1000 1000 f
2000 1000 g
2000 1000 a"
}

# Against slices that the test makes of the samples itself.
@test "each sample is where it was" {
	local file seed
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --chrome -o out "$file"
		"$T/convert/moments.py" chrome "$file" out
	done
	for seed in 1 2 3 4 5; do
		"$T/convert/moments.py" random $seed | tach-convert --tach -o r.bin -
		tach-convert --chrome -o out r.bin
		"$T/convert/moments.py" chrome r.bin out
		tach-convert --chrome --idle keep -o out r.bin
		"$T/convert/moments.py" chrome r.bin out idle
	done
}

@test "each event has what the format wants" {
	need jq
	local file
	echo '# tach 1' >empty.txt
	for file in p.txt empty.txt "$T"/data/*.bin; do
		tach-convert --chrome "$file" | jq -e '
		    (.displayTimeUnit == "ms") and
		    (.traceEvents | type == "array") and
		    all(.traceEvents[];
			(.name | type == "string") and
			(.pid | type == "number") and
			(.tid | type == "number") and
			(.ph == "M" and (.args.name | type == "string") or
			 .ph == "X" and .ts >= 0 and .dur > 0))' >/dev/null
	done
}

@test "what is written is what the schema says" {
	need_json_schema
	local file
	for file in p.txt "$T"/data/*.bin; do
		tach-convert --chrome -o p.json "$file"
		json_schema "$T/convert/chrome.schema.json" p.json
	done
	sed 's/"dur":[0-9]*,//' p.json >q.json
	run ! json_schema "$T/convert/chrome.schema.json" q.json
}

@test "a disk that is full is told" {
	[ -c /dev/full ] || skip "no /dev/full here"
	run -1 --separate-stderr tach-convert --chrome -o /dev/full p.txt
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}

# It takes one function for two if the arguments of its events differ.
@test "speedscope imports it" {
	need_speedscope
	tach-convert --chrome -o p.json p.txt
	speedscope_text p.json >text
	is "$(grep ^profile text)" "profile	1	p.txt (pid 1), thread 7 (tid 7)
profile	2	p.txt (pid 2), thread 8, interpreter 1 (tid 8)"
	is "$(grep $'^time\t1' text | cut -f 3- | sort)" "$(sort <<-END
	0	0	main {"file":"app.py"}
	0	18	main {"file":"app.py"}
	0	91	main …py"}
	0	95	<no f…"~"}
	1	5	f {"file":"app.py"}
	2	5	f {"f…py"}
	END
	)"
	is "$(grep -c $'^table\t1.*\tmain {' text)" 1
}

@test "--chrome: numbers of threads that Perfetto takes" {
	cd "$BATS_TEST_TMPDIR"
	{
		printf '%d\t%d\t%s\tcpu\ta.py:f:1\n' 0 0 139716872353600 \
		    0 0 139716872353601 0 0 2147483648 0 0 4294967295 \
		    0 4294967295 18446744073709551615 0 0 7
	} >p.txt
	tach-convert --chrome p.txt | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
         if e["name"] == "thread_name"}
assert {key for key in names} == {(e["pid"], e["tid"]) for e in events}
for (pid, tid), name in sorted(names.items()):
    assert 0 < pid < 1 << 32 and tid < 1 << 32
    print(pid, tid, name)' >ids
	is "$(<ids)" "1 7 thread 7
1 2147483648 thread 139716872353600
1 2147483649 thread 139716872353601
1 2147483650 thread 2147483648
1 4294967295 thread 4294967295
4294967295 2147483651 thread 18446744073709551615, interpreter 4294967295"
}
