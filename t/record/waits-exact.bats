# SPDX-License-Identifier: ISC
# waits-exact.bats: --waits=exact: each wait from its begin to its end.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

need_exact() {
	tach-record -q --waits=exact -o rights.bin -- python3 -c '
for i in range(3000000): pass' ||
	    skip "no exact waits (root, or CAP_BPF and CAP_PERFMON; Linux 5.18; x86-64)"
}

start_of() {
	tach-info -j "$1" | jq .start_us
}

# is_exact SCALE [OPTION...]: records waits-exact.py, and compares its waits with what it
# has told.  The kernel counts a switch itself to the thread, some microseconds, which are
# some per cent of a short wait.  Few waits are few to be off by; and a virtual machine
# can hide switches of its own threads, after which the thread's next wait is not told.
is_exact() {
	local scale=$1
	shift
	cp "$T/record/waits-exact.py" "$OUTSIDE"
	tach-record -q --waits=exact "$@" -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/waits-exact.py" "$scale" >told
	tach-convert --chrome --idle keep p.bin >p.json
	python3 "$T/record/exact.py" "$(start_of p.bin)" told <p.json | tee seen
	awk '
	function off(is) { return is > 100 ? is - 100 : 100 - is }
	{
		n++
		few = $1 == "sleeps-long" ? 20 : $1 == "sleeps" ? 3 : 1
		if (off($2) > few || off($3) > ($1 == "sleeps-short" ? 8 : 4))
			bad = 1
		if ($4 < 50 || $5 != 0)
			bad = 1
	}
	END { exit bad || n != 7 }' seen
}

# exact MINOR: the same with that Python, whose machine may be busy.
exact() {
	need jq
	need_exact
	need_python "$1"
	in_tries 6 is_exact 1
}

@test "number and time of each thread's waits: 3.6" { exact 3.6; }
@test "number and time of each thread's waits: 3.7" { exact 3.7; }
@test "number and time of each thread's waits: 3.8" { exact 3.8; }
@test "number and time of each thread's waits: 3.9" { exact 3.9; }
@test "number and time of each thread's waits: 3.10" { exact 3.10; }
@test "number and time of each thread's waits: 3.11" { exact 3.11; }
@test "number and time of each thread's waits: 3.12" { exact 3.12; }
@test "number and time of each thread's waits: 3.13" { exact 3.13; }
@test "number and time of each thread's waits: 3.14" { exact 3.14; }
@test "number and time of each thread's waits: 3.15" { exact 3.15; }
@test "number and time of each thread's waits: 3.13t" { exact 3.13t; }
@test "number and time of each thread's waits: 3.14t" { exact 3.14t; }
@test "number and time of each thread's waits: 3.15t" { exact 3.15t; }

# record_waits: a profile of the program, as p.bin.
record_waits() {
	need_exact
	host_python
	"$python" "$T/record/waits-exact.py" >/dev/null # its files are read
	tach-record -q --waits=exact -o p.bin -- "$python" "$T/record/waits-exact.py" >told
}

@test "counts are those of rounds, and times are true" {
	need jq
	record_waits
	# Each round has a sample of each thread, and switches add none.
	rounds=$(tach-cat p.bin | awk -F '\t' '!/^#/ && $4 !~ /0x40/' | wc -l)
	(($(tach-cat p.bin | awk -F '\t' '$4 ~ /0x40/' | wc -l) > rounds))
	is "$(tach-convert --collapsed p.bin | awk '{ n += $NF } END { print n }')" "$rounds"
	# A thread's time is the time from its first sample to its last one and an interval
	# more, or less if there are gaps.
	tach-convert --collapsed --weight time p.bin | sed 's/^tid:\([0-9]*\).* /\1 /' |
	    awk '{ n[$1] += $2 } END { for (t in n) print t, n[t] }' | sort >times
	tach-cat p.bin | awk -F '\t' '!/^#/ {
		if (!($3 in first)) first[$3] = $1
		last[$3] = $1
	}
	END { for (t in first) print t, last[t] - first[t] + 1000 }' | sort >spans
	join times spans | awk '{ if ($2 > $3 + 1 || $2 < 0.8 * $3) { print; bad = 1 } }
	    END { exit bad || NR != 8 }'
}

@test "times of a thread never go back, and no wait is in a wait" {
	record_waits
	tach-cat p.bin | awk -F '\t' '!/^#/ {
		if ($1 < last[$3] || $5 ~ /<wait>.*<wait>/) { print; bad = 1 }
		last[$3] = $1
	}
	END { exit bad || NR < 1000 }'
}

@test "begin and end in Perfetto's format and in speedscope's" {
	need jq
	record_waits
	tach-convert --perfetto --idle keep p.bin >p.pftrace
	python3 "$T/convert/perfetto.py" p.pftrace >seen
	tach-convert --jsonl p.bin | jq -c 'select(.status | index("0x40"))' |
	    grep -c '"<wait>"' >begins
	(($(cat begins) > 1000))
	(($(grep -c 'socket recv' seen) > 100))
	tach-convert --speedscope --idle keep p.bin >p.speedscope
	jq -e '[.profiles[].events // [] | length] | length > 0' p.speedscope
}

@test "processes that come from it have exact waits, too" {
	need_exact
	host_python
	cat >family.py <<-E
		import subprocess, sys, time
		time.sleep(0.2)
		child = 'import time\ntime.sleep(0.2)\nfor i in range(300): time.sleep(1e-3)'
		subprocess.run([sys.executable, '-c', child])
	E
	tach-record --waits=exact --merge -o p.bin -- "$python" family.py 2>seen
	found 'waits from begin to end' <seen
	tach-cat p.bin | awk -F '\t' '/0x40.*<string>.*<wait>:sleep/ { n[$2]++ }
	    END { for (i in n) if (n[i] >= 290 && n[i] <= 310) ok = 1; exit !ok }'
}

@test "a pause is a gap, also in a wait" {
	need jq
	need_exact
	host_python
	start "$python" -c 'import time
while True: time.sleep(1e-3)'
	tach-record -q --waits=exact -d 1 -o p.bin -p "$pid" &
	local recorder=$!
	sleep 0.5
	kill -USR1 "$recorder"
	sleep 0.7
	kill -USR2 "$recorder"
	wait "$recorder"
	tach-convert --chrome --idle keep p.bin | jq -e '[.traceEvents[] |
	    select(.ph == "X" and .cat == "wait") | .dur] | length > 100 and max < 100000'
}

@test "without the rights one line says what to do, and nothing is started" {
	need_root
	need setpriv
	chmod 777 .
	run -125 setpriv --reuid=65534 --clear-groups tach-record --waits=exact -o p.bin -- \
	    touch started
	is "$output" "tach-record: --waits=exact needs root, or CAP_BPF and CAP_PERFMON (bpf: Operation not permitted); --waits=kind does not; \`tach-record --check\` says what would help"
	[ ! -e started ]
}

@test "options that exact waits do not go with" {
	for options in --engine=inprocess --mode=cpu --idle=drop --async=all \
	    --native-markers --blocking; do
		run -125 tach-record --waits=exact $options -- true
		found -F -- '--waits=exact' <<<"$output"
	done
	run -125 tach-record --waits=exact --dump -p 1
	found -F -- '--dump' <<<"$output"
}
