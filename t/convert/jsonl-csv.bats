# SPDX-License-Identifier: ISC
# tach-convert --jsonl and --csv: a record a sample.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 main,gil,cpu 'app.py:main:1' \
	    1000 0 7 main,gil,cpu 'app.py:main:1;/lib/a\040b.py:f:2' \
	    1500 0 8 - '' \
	    2500 0 7 - 'app.py:main:1;<GC>' \
	    2500 1 7 gil-wanted 'x_sync_coordinator.py:run:3' \
	    99000 0 8 exception,0x80 'x_sync_coordinator.py:run:3;a.py:f:-1'
	sed -i '1i# interval 1000' p.txt
}

@test "--jsonl writes a line a sample, with all its fields" {
	is "$(tach-convert --jsonl p.txt | sort)" "$(sort <<-'END'
	{"time":0,"interp":0,"thread":7,"name":"","status":"gil,cpu,main","us":1000,"depth":1,"function":"main","file":"app.py","line":1,"stack":["app.py:main:1"],"process":0,"utc":0}
	{"time":1000,"interp":0,"thread":7,"name":"","status":"gil,cpu,main","us":1500,"depth":2,"function":"f","file":"/lib/a b.py","line":2,"stack":["app.py:main:1","/lib/a b.py:f:2"],"process":0,"utc":0}
	{"time":1500,"interp":0,"thread":8,"name":"","status":"-","us":10000,"depth":0,"function":"<no frames>","file":"~","line":0,"stack":[],"process":0,"utc":0}
	{"time":2500,"interp":0,"thread":7,"name":"","status":"-","us":1000,"depth":2,"function":"<GC>","file":"~","line":0,"stack":["app.py:main:1","<GC>"],"process":0,"utc":0}
	{"time":2500,"interp":1,"thread":7,"name":"","status":"gil-wanted","us":1000,"depth":0,"function":"<no frames>","file":"~","line":0,"stack":[],"process":0,"utc":0}
	{"time":99000,"interp":0,"thread":8,"name":"","status":"exception,0x80","us":1000,"depth":1,"function":"f","file":"a.py","line":0,"stack":["a.py:f:0"],"process":0,"utc":0}
	END
	)"
}

@test "--csv writes a row a sample, with all its fields" {
	is "$(tach-convert --csv p.txt | sort)" "$(sort <<-'END'
	time,interp,thread,name,status,us,depth,function,file,line,stack,process,utc
	0,0,7,-,"gil,cpu,main",1000,1,main,app.py,1,"app.py:main:1",0,0
	1000,0,7,-,"gil,cpu,main",1500,2,f,"/lib/a b.py",2,"app.py:main:1;/lib/a b.py:f:2",0,0
	1500,0,8,-,-,10000,0,"<no frames>",~,0,"-",0,0
	2500,0,7,-,-,1000,2,<GC>,~,0,"app.py:main:1;<GC>",0,0
	2500,1,7,-,gil-wanted,1000,0,"<no frames>",~,0,"-",0,0
	99000,0,8,-,"exception,0x80",1000,1,f,a.py,0,"a.py:f:0",0,0
	END
	)"
	is "$(tach-convert --csv p.txt | head -n 1)" \
	    'time,interp,thread,name,status,us,depth,function,file,line,stack,process,utc'
}

# The notes of merged processes: the second began two seconds later.
@test "the process and the time of day of each sample" {
	sed '1a# note process 0 41\n# note time 0 1700000000000000' p.txt >q.txt
	sed -i '3a# note process 1 42\n# note time 1 1700000002000000' q.txt
	is "$(tach-convert --jsonl q.txt | jq -c '[.time, .interp, .process, .utc]' | sort)" \
	    "$(sort <<-'END'
	[0,0,41,1700000000000000]
	[1000,0,41,1700000000001000]
	[1500,0,41,1700000000001500]
	[2500,0,41,1700000000002500]
	[2500,1,42,1700000002002500]
	[99000,0,41,1700000000099000]
	END
	)"
	is "$(tach-convert --csv q.txt | grep -c ',4[12],17000000[0-9]*$')" 6
	# A sum that a table has no number for.
	printf '# tach 1\n# note time 0 %s\n%s\t0\t1\t-\ta:f:1\n' \
	    9223372036854775 18446744073709551615 >q.txt
	is "$(tach-convert --jsonl q.txt | jq -c .utc)" 0
}

@test "a profile without samples" {
	echo '# tach 1' >p.txt
	is "$(tach-convert --jsonl p.txt)" ''
	is "$(tach-convert --csv p.txt)" \
	    'time,interp,thread,name,status,us,depth,function,file,line,stack,process,utc'
}

@test "every rare thing" {
	local kind
	for kind in jsonl csv; do
		run -0 --separate-stderr tach-convert --$kind "$T/data/odd.bin"
		is "$stderr" ''
		golden $kind-odd.txt
	done
	need jq
	tach-convert --jsonl "$T/data/odd.bin" | jq -es 'length == 16' >/dev/null
}

# Against the tests' own decoder, and spans made up there.
@test "each sample, as it is in the file" {
	local file kind seed
	for file in "$T"/data/cpython315-*.bin; do
		for kind in jsonl csv; do
			tach-convert --$kind -o out "$file"
			"$T/convert/moments.py" $kind "$file" out
		done
	done
	for seed in 1 2 3; do
		"$T/convert/moments.py" random $seed | tach-convert --tach -o r.bin -
		for kind in jsonl csv; do
			tach-convert --$kind -o out r.bin
			"$T/convert/moments.py" $kind r.bin out
		done
	done
}

@test "selections" {
	is "$(tach-convert --csv --thread 8 p.txt | cut -d , -f 1-3)" \
	    $'time,interp,thread\n1500,0,8\n99000,0,8'
	# What is left out makes nothing longer.
	is "$(tach-convert --jsonl --thread 7 --interp 0 --not-match 'a b' \
	    p.txt | jq -c '[.time, .us]')" $'[0,1000]\n[2500,1000]'
}

# A frame of 150 kB, called by itself fifty times, in ten samples.
@test "stacks too long to be kept" {
	python3 - >long.txt <<-'END'
	name = 'x' * 150000
	print('# interval 1')
	for time in range(10):
	    print(time, 0, 1, 'gil', ';'.join([f'{name}:{name}:1'] * 50),
	          sep='\t')
	END
	tach-convert --jsonl long.txt | python3 -c '
import json, sys
name = "x" * 150000
for time in range(10):
    r = json.loads(sys.stdin.readline())
    assert r["time"] == time and r["us"] == 1 and r["depth"] == 50
    assert r["function"] == r["file"] == name
    assert r["stack"] == [name + ":" + name + ":1"] * 50
assert sys.stdin.read() == ""'
	tach-convert --csv long.txt | python3 -c '
import csv, sys
csv.field_size_limit(1 << 30)
name = "x" * 150000
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 10
for r in rows:
    assert r["stack"] == ";".join([name + ":" + name + ":1"] * 50)
    assert r["function"] == r["file"] == name and r["line"] == "1"'
}

@test "a disk that is full" {
	[ -c /dev/full ] || skip "no /dev/full here"
	local kind
	for kind in jsonl csv; do
		run -1 --separate-stderr tach-convert --$kind -o /dev/full p.txt
		is "$stderr" \
		    "tach-convert: /dev/full: No space left on device"
	done
}

# ---- programs that read them -------------------------------------------------

@test "jq adds up what --jsonl writes" {
	need jq
	is "$(tach-convert --jsonl p.txt |
	    jq -rs 'group_by(.function)[] |
		"\(.[0].function) \(length) \(map(.us) | add)"')" \
	    $'<GC> 1 1000\n<no frames> 2 11000\nf 2 2500\nmain 1 1000'
}

@test "DuckDB reads every sample" {
	need_duckdb
	local kind want query
	want=$(python3 "$T/lib/decode.py" "$T/data/cpython315-wall.bin" |
	    python3 -c '
import collections, json, sys
count = collections.Counter()
for line in sys.stdin:
    stack = [f for f in json.loads(line)[4]
             if not f[0].endswith("_sync_coordinator.py")]
    count[stack[-1][1] if stack else "<no frames>"] += 1
for item in sorted(count.items()):
    print(*item, sep="\t")')
	for kind in jsonl csv; do
		tach-convert --$kind -o p.$kind "$T/data/cpython315-wall.bin"
		query="FROM 'p.$kind'"
		is "$(duck "SELECT function, count(*) $query GROUP BY 1
		    ORDER BY 1")" "$want"
		is "$(duck "SELECT count(*) $query WHERE time IS NULL OR
		    interp IS NULL OR thread IS NULL OR status IS NULL OR
		    us IS NULL OR depth IS NULL OR function IS NULL OR
		    name IS NULL OR
		    file IS NULL OR line IS NULL OR stack IS NULL")" 0
		is "$(duck "SELECT typeof(time), typeof(thread), typeof(us),
		    typeof(depth), typeof(line) $query LIMIT 1")" \
		    $'BIGINT\tBIGINT\tBIGINT\tBIGINT\tBIGINT'
	done
	is "$(duck "SELECT count(*) FROM 'p.jsonl' WHERE len(stack) != depth")" 0
	is "$(duck "SELECT count(*) FROM 'p.csv' WHERE depth > 0 AND
	    len(string_split(stack, ';')) != depth")" 0
	{ head -n 1 p.txt; printf '# note %s\n' 'process 0 41' 'process 1 42' \
	    'time 0 1700000000000000' 'time 1 1700000002000000'
	tail -n +2 p.txt; } >q.txt
	for kind in jsonl csv; do
		tach-convert --$kind -o q.$kind q.txt
		is "$(duck "SELECT DISTINCT process, make_timestamp(utc - time)
		    FROM 'q.$kind' ORDER BY 1")" \
		    $'41\t2023-11-14 22:13:20\n42\t2023-11-14 22:13:22'
	done
	# The same samples, whichever way.
	is "$(duck "SELECT count(*) FROM 'p.csv' c JOIN 'p.jsonl' j
	    ON c.time = j.time AND c.thread = j.thread
	    AND c.stack = array_to_string(j.stack, ';')
	    AND c.status = j.status AND c.us = j.us")" \
	    "$(wc -l <p.jsonl)"
}

@test "DuckDB takes every rare thing" {
	need_duckdb
	tach-convert --jsonl -o o.jsonl "$T/data/odd.bin"
	tach-convert --csv -o o.csv "$T/data/odd.bin"
	is "$(duck "SELECT count(*), sum(us) FROM 'o.jsonl'")" \
	    "$(duck "SELECT count(*), sum(us) FROM read_csv('o.csv',
		header = true, quote = '\"', escape = '\"')")"
}
