# SPDX-License-Identifier: ISC
# rounds-ahead.bats: while one thread runs, or some take turns, the kernel takes the
# rounds, so the recorder need not wake for each; and before it does, they are
# taken from another CPU.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_started
}

# How often a command has slept.
SLEPT='
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = os.wait4(child.pid, 0)[2]
print(usage.ru_nvcsw)'

ALONE='
while True: pass'
TURNS='
import threading
def work():
    while True: pass
for i in range(3):
    threading.Thread(target=work).start()'

# wakes_seldom PROGRAM [HOW...]: whether tach-record does, if it is run so.
wakes_seldom() {
	local n program=$1
	shift
	start "${PYTHON[@]}" -c "$program"
	n=$("$@" python3 -c "$SLEPT" tach-record -q -r 1k -d 3 -o s.bin -p "$pid")
	end_started
	echo "slept $n times"
	[ "$(tach-cat s.bin | wc -l)" -gt 2000 ]
	[ "$n" -lt 1500 ]
}

alone() {
	wakes_seldom "$ALONE" "$@"
}

turns() {
	wakes_seldom "$TURNS" "$@"
}

# ahead PYTHON WHICH
ahead() {
	need_python "$1"
	need_interrupts
	in_tries 5 "$2"
}

@test "where one thread runs, the kernel takes rounds: Python 3.8" {
	ahead 3.8 alone
}

@test "where one thread runs, the kernel takes rounds: Python 3.12" {
	ahead 3.12 alone
}

@test "where one thread runs, the kernel takes rounds: Python 3.13" {
	ahead 3.13 alone
	run ! alone outside
	[[ "$output" == "slept "[1-9]*" times" ]]
}

@test "where threads take turns, the kernel takes rounds: Python 3.7" {
	ahead 3.7 turns
}

@test "where threads take turns, the kernel takes rounds: Python 3.13" {
	ahead 3.13 turns
	run ! turns outside
	[[ "$output" == "slept "[1-9]*" times" ]]
}

@test "where threads take turns, the kernel takes rounds: Python 3.15" {
	ahead 3.15 turns
}

# Prints how often it has had to leave its CPU to others.
PUSHED='
import time
end = time.perf_counter() + 0.25
while time.perf_counter() < end: pass
with open("/proc/self/status") as status:
    print(*(line.split()[1] for line in status if line[:5] == "nonvo"))'

# not_pushed: that it seldom has, though it begins under the recorder.
not_pushed() {
	local n i
	for i in 1 2 3 4 5; do
		n=$(tach-record -q -r 1k -o "b$i.bin" -- \
		    "${PYTHON[@]}" -c "$PUSHED")
		echo "left its CPU $n times"
		[ "$n" -lt 40 ]
	done
}

@test "a program that begins is not in the recorder's way: Python 3.8" {
	ahead 3.8 not_pushed
}

@test "a program that begins is not in the recorder's way: Python 3.13" {
	ahead 3.13 not_pushed
}

# Two threads take turns; a third one rests, and then waits for its own.
WAKES='
import threading, time
def work():
    while True: pass
def rest():
    while True:
        time.sleep(0.03)
        end = time.thread_time() + 0.004
        while time.thread_time() < end: pass
for f in work, work, rest:
    threading.Thread(target=f, daemon=True).start()
time.sleep(100)'

# waits_for_turn [HOW...]: how many of a hundred samples of that thread say so.
waits_for_turn() {
	start "${PYTHON[@]}" -c "$WAKES"
	"$@" tach-record -q -r 1k -d 4 -o w.bin -p "$pid"
	end_started
	tach-cat w.bin | awk -F '\t' '/:rest:/ { n++; w += $4 ~ /gil-wanted/ }
		END { print int(100 * w / n) }'
}

sees_who_wakes() {
	local here there
	here=$(waits_for_turn)
	there=$(waits_for_turn outside)
	echo "$here %, from outside $there %"
	[ "$here" -ge $((there - 8)) ] && [ "$here" -le $((there + 8)) ]
}

@test "where threads take turns, one that wakes is seen: Python 3.13" {
	need_python 3.13
	need_interrupts
	in_tries 3 sees_who_wakes
}
