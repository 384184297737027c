# SPDX-License-Identifier: ISC
# scheduling.bats: the recorder gets a CPU as soon as it wakes, where it may, and
# leaves enough of it to others.

load ../lib/lib.bash

setup() {
	need chrt
	need setpriv
	cd "$BATS_TEST_TMPDIR" || return
	host_python
}

teardown() {
	end_started
	drop_shared
}

# recorded COMMAND...: a program, as $target, by that with the arguments of
# tach-record behind it, as $pid.
recorded() {
	start "$python" "$T/programs/waits.py"
	target=$pid
	start "$@" -q -o "$target.bin" -p "$target"
	until_ has_samples "$target.bin"
}

# is_in CLASS: what $pid is scheduled by.
is_in() {
	[ "$(chrt -p "$pid" | sed 's/.*: //; s/|.*//' | xargs)" = "$1" ]
}

# are_in REGEX: the classes of the threads of $pid, as ps has them.  There are two
# threads or more beside the one that takes rounds, as interrupts are made by one.
are_in() {
	[[ $(ps -L -o cls= -p "$pid" | sort | xargs) =~ $1 ]]
}

@test "the recorder is real-time where it may be, and the program is not" {
	need_root
	chrt -f 1 true || skip "root may not be real-time here"
	recorded tach-record
	until_ is_in "SCHED_FIFO 1"
	pid=$target
	is_in "SCHED_OTHER 0"
}

@test "of its threads only the one that takes rounds is real-time" {
	need_root
	chrt -f 1 true || skip "root may not be real-time here"
	recorded tach-record
	until_ are_in '^FF TS TS( TS)*$'
}

@test "without the right to be the recorder is as all others" {
	need_root
	recorded setpriv --bounding-set=-sys_nice tach-record
	is_in "SCHED_OTHER 0"
	kill -INT "$pid"
	wait "$pid"
	"$T/lib/truth.py" sound "$target.bin"
}

@test "a class or a niceness that somebody chose is kept" {
	recorded nice -n 5 tach-record
	is_in "SCHED_OTHER 0"
	[ "$(ps -o ni= -p "$pid")" -eq 5 ]
	recorded chrt -b 0 tach-record
	is_in "SCHED_BATCH 0"
}

@test "a recorder that takes a whole CPU is real-time no more" {
	need_root
	recorded taskset -c 0 tach-record -r 100k
	until_ is_in "SCHED_OTHER 0"
}

@test "of a family one thread is real-time, for all processes" {
	need_root
	chrt -f 1 true || skip "root may not be real-time here"
	cat >four.py <<-'END'
		import os, time
		os.fork(), os.fork()
		time.sleep(100)
	END
	start tach-record -q --subprocesses -o p.bin -- "$python" four.py
	all_sampled() {
		local f n=0
		for f in p.*.bin.part; do
			! has_samples "$f" || n=$((n + 1))
		done
		[ "$n" -eq 4 ]
	}
	until_ all_sampled
	[ "$(ps -L -o cls= -p "$pid" | grep -c FF)" -eq 1 ]
}
