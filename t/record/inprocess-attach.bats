# SPDX-License-Identifier: ISC
# inprocess-attach.bats: tach-record --engine=inprocess -p PID: the agent in a program
# that runs already.

load ../lib/lib.bash
load ../lib/truth.bash

teardown() {
	end_started
	drop_shared
}

record() {
	tach-record --engine=inprocess "$@"
}

# with_proc: $PYTHON in a root of its own sees /proc there.
with_proc() {
	[ -n "$PYTHON_ROOT" ] || return 0
	unshare -m true || skip "no mount namespaces here"
	# shellcheck disable=SC2016
	PYTHON=(unshare -m sh -c
	    'mount --bind /proc "$1/proc" && exec chroot "$@"' sh
	    "${PYTHON[@]:1}")
}

# begin MINOR [OPTION...]: attached.py under it, as $pid.
begin() {
	need_python "$1"
	with_proc
	cp "$T/record/attached.py" "$OUTSIDE"
	start "${PYTHON[@]}" "${@:2}" "$INSIDE/attached.py" "$INSIDE"
	until_ test -e "$OUTSIDE/ready"
}

# well: the program has run as it should, to its end.
well() {
	: >"$OUTSIDE/end"
	wait "$pid"
	[ ! -e "$OUTSIDE/wrong" ] || {
		cat "$OUTSIDE/wrong"
		return 1
	}
}

# has FUNCTION PROFILE: it has samples in which that was called by the thread's
# first function, or the module.
has() {
	tach-cat "$2" | cut -f 5 | found "[:;]$1:" || {
		tach-info "$2"
		tach-convert --collapsed "$2"
		return 1
	}
}

# seen PROFILE FUNCTION...: each, and no stack that cannot be.
seen() {
	local f
	for f in "${@:2}"; do
		has "$f" "$1"
	done
	"$T/lib/truth.py" calls "$1" "$T/record/attached.py"
}

# attached MINOR: threads that were there, that come while it is recorded, and
# that are there when it is recorded again.
attached() {
	begin "$@"
	start tach-record --engine=inprocess -q -r 5k -o p.bin -p "$pid" -d 60
	recorder=$pid pid=${STARTED[-2]}
	until_ test -s p.bin.part
	until_ eval 'tach-cat p.bin 2>/dev/null | found :old:'
	: >"$OUTSIDE/go"
	until_ test -e "$OUTSIDE/gone"
	until_ eval 'tach-cat p.bin 2>/dev/null | found :fresh:'
	kill -TERM "$recorder"
	wait "$recorder"
	seen p.bin main old fresh
	record -q -r 5k -d 1 -o q.bin -p "$pid"
	seen q.bin main old fresh
	well
}

@test "Python 3.14" { attached 3.14; }
@test "Python 3.15" { attached 3.15; }
@test "Python 3.14, free-threaded" { attached 3.14t; }
@test "Python 3.15, free-threaded" { attached 3.15t; }

@test "again and again" {
	begin 3.15t
	for ((i = 0; i < 10; i++)); do
		record -q -d 0.2 -o p.bin -p "$pid"
		fds=$(find "/proc/$pid/fd" | wc -l)
		timers=$(grep -c ID: "/proc/$pid/timers") || true
		[ "$i" -ne 2 ] || is_fds=$fds
		[ "$i" -lt 3 ] || [ "$fds" -le $((is_fds + 4)) ]
		# One that has not run since has one.
		[ "$timers" -le 20 ]
	done
	well
}

# odd PROGRAM: runs it under 3.14, as $pid, until it makes the file "ready".
odd() {
	need_python 3.14
	with_proc
	printf '%s\n' "$1" >"$OUTSIDE/odd.py"
	start "${PYTHON[@]}" "$INSIDE/odd.py" "$INSIDE"
	until_ test -e "$OUTSIDE/ready"
}

@test "an audit hook that forbids it: that is said" {
	odd 'import os, sys
def hook(event, args):
    if event.startswith("cpython.remote"): raise RuntimeError(event)
sys.addaudithook(hook)
open(sys.argv[1] + "/ready", "w").close()
while not os.path.exists(sys.argv[1] + "/end"): sum(range(1000))'
	run -125 record -q -o p.bin -p "$pid"
	echo "$output"
	[[ "$output" == *'does not open the script, which an audit hook can'* ]]
	well
}

@test "a program that ends as soon as it lets the agent in: that is said" {
	odd 'import os, sys, time
open(sys.argv[1] + "/ready", "w").close()
time.sleep(2)
os._exit(0)'
	run -125 record -q -o p.bin -p "$pid"
	echo "$output"
	[[ "$output" == *'nothing was recorded: process '*' ended as soon as'* ]]
}

# The kernel then sends SIGIO for a perf event.
@test "no more signals can be queued" {
	host_python 3.12 3.11
	record -q -o p.bin -- "$python" -c 'import resource, signal
for i in range(10**7): pass
resource.prlimit(0, 11, (0, 0))
for i in range(10**7): pass
assert signal.getsignal(signal.SIGIO) == signal.SIG_DFL
assert signal.signal(signal.SIGIO, print) == signal.SIG_DFL'
	for how in SIG_DFL default_int_handler; do
		run record -q -o p.bin -- "$python" -c "import os, signal
signal.signal(signal.SIGIO, signal.$how)
os.kill(os.getpid(), signal.SIGIO)"
		[ "$status" -ne 0 ]
		[ "$how" != SIG_DFL ] || [ "$status" -eq 157 ]
	done
}
