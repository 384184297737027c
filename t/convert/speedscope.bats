# SPDX-License-Identifier: ISC
# tach-convert --speedscope: against its schema, its viewer, and the samples.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	# Two threads; the first is idle from 3 to 4 ms, and then has a gap.
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 gil,cpu 'app.py:main:9' \
	    1000 0 7 gil,cpu 'app.py:main:9;app.py:f:3' \
	    1000 1 8 cpu 'app.py:other:20' \
	    2000 0 7 gil,cpu 'app.py:main:9;app.py:f:2' \
	    3000 0 7 - 'app.py:main:9' \
	    4000 0 7 gil,cpu 'app.py:main:9' \
	    20000 0 7 gil,cpu 'app.py:main:8' \
	    21000 0 7 gil,cpu ''
	sed -i '1i# interval 1000' p.txt
}

@test "one profile a thread, with gaps" {
	need jq
	tach-convert --speedscope p.txt >p.json
	is "$(jq -r '."$schema", .exporter, .name' p.json)" \
	    "https://www.speedscope.app/file-format-schema.json
tach $(tach-convert -V | cut -d ' ' -f 2)
p.txt"
	is "$(jq -c .activeProfileIndex p.json)" 0
	is "$(jq -c '.shared.frames[]' p.json)" \
	    '{"name":"main","file":"app.py","line":8}
{"name":"f","file":"app.py","line":2}
{"name":"other","file":"app.py","line":20}
{"name":"<no frames>"}'
	is "$(jq -c '.profiles[]' p.json)" \
	    '{"type":"sampled","unit":"microseconds","name":"thread 7","startValue":0,"endValue":22000,"samples":[[0],[0,1],[],[0],[],[0],[3]],"weights":[1000,2000,1000,10000,6000,1000,1000]}
{"type":"sampled","unit":"microseconds","name":"thread 8, interpreter 1","startValue":1000,"endValue":2000,"samples":[[2]],"weights":[1000]}'
}

@test "--idle keep" {
	need jq
	is "$(tach-convert --speedscope --idle keep p.txt |
	    jq -c '.profiles[0] | .samples, .weights')" \
	    '[[0],[0,1],[0],[],[0],[3]]
[1000,2000,11000,6000,1000,1000]'
}

@test "the busiest thread is shown first" {
	need jq
	printf '%s\t%s\t%s\t%s\t%s\n' 0 0 7 - a:b:1 9000 0 7 cpu a:b:1 \
	    0 0 8 cpu a:b:1 3000 0 8 - a:b:1 9000 0 8 - a:b:1 >p.txt
	is "$(tach-convert --speedscope p.txt |
	    jq -c '[.activeProfileIndex, .profiles[].name]')" \
	    '[1,"thread 7","thread 8"]'
	is "$(tach-convert --speedscope --since 4ms p.txt |
	    jq -r '.profiles[.activeProfileIndex].name')" 'thread 7'
}

# Against stretches that the test makes of the samples itself.
@test "each sample is where it was" {
	local file seed
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --speedscope -o out "$file"
		"$T/convert/moments.py" speedscope "$file" out
	done
	for seed in 1 2 3 4 5; do
		"$T/convert/moments.py" random $seed | tach-convert --tach -o r.bin -
		tach-convert --speedscope -o out r.bin
		"$T/convert/moments.py" speedscope r.bin out
		tach-convert --speedscope --idle keep -o out r.bin
		"$T/convert/moments.py" speedscope r.bin out idle
	done
}

@test "a disk that is full is told" {
	[ -c /dev/full ] || skip "no /dev/full here"
	run -1 --separate-stderr tach-convert --speedscope -o /dev/full p.txt
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}

@test "what is written is what the schema of speedscope says" {
	need_speedscope_schema
	local file
	echo '# tach 1' >empty.txt
	for file in p.txt empty.txt "$T"/data/*.bin; do
		tach-convert --speedscope -o out.json "$file"
		speedscope_schema out.json
	done
}

@test "its viewer shows the functions" {
	need_speedscope
	tach-convert --speedscope -o p.json p.txt
	speedscope_text p.json p.png >text
	[ -s p.png ]
	is "$(grep ^profile text)" "profile	1	thread 7
profile	2	thread 8, interpreter 1"
	is "$(grep $'^time\t1' text)" "time	1	0	0	main
time	1	0	18	main
time	1	0	91	main
time	1	0	95	<no f…mes>
time	1	1	5	f"
	is "$(grep $'^table\t1' text)" \
	    "table	1	14.00ms (93%)	12.00ms (80%)	main	app.py
table	1	2.00ms (13%)	2.00ms (13%)	f	app.py
table	1	1.00ms (6.7%)	1.00ms (6.7%)	<no frames>	"
}

@test "its viewer takes a profile without samples" {
	need_speedscope
	echo '# tach 1' >empty.txt
	tach-convert --speedscope -o empty.json empty.txt
	is "$(speedscope_text empty.json)" $'profile\t1\tno samples'
}

@test "its viewer takes every rare thing" {
	need_speedscope
	tach-convert --speedscope -o odd.json "$T/data/odd.bin"
	speedscope_text odd.json >text
	is "$(grep -c ^profile text)" 4
	grep -q $'\t<GC>\t' text
}
