# SPDX-License-Identifier: ISC
# blocking.bats: tach-record --blocking stops the program for each sample, and
# always lets it go.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
	programs=$T/programs
}

teardown() {
	end_started
	drop_quota
	drop_shared
}

# ---- what is recorded --------------------------------------------------------------

# exact MINOR: stacks that change as fast as they can, and none is lost.
exact() {
	need_python "$1"
	cp -r "$T/programs" "$OUTSIDE/programs"
	in_tries 3 exactly
}

exactly() {
	for program in chains flutter; do
		tach-record --blocking -r 2k -o p.bin -- "${PYTHON[@]}" \
		    "$INSIDE/programs/$program.py" 0.7 2>summary
		cat summary
		"$T/lib/truth.py" calls p.bin "$T/programs/$program.py"
		# As it ends, its memory goes before it does.
		grep -qE ' 0 torn, (0 failed|1 failed: 1 unreadable)\)' summary
	done
}

@test "no call that is none, nothing torn, one failure at its end: Python 3.11" { exact 3.11; }
@test "no call that is none, nothing torn, one failure at its end: Python 3.13" { exact 3.13; }
@test "no call that is none, nothing torn, one failure at its end: Python 3.15" { exact 3.15; }

@test "threads that come and go" {
	host_python
	in_tries 3 come_and_go
}

come_and_go() {
	rm -f truth
	tach-record -q --blocking -r 2k -o p.bin -- "$python" \
	    "$programs/churn.py" truth 1.5
	"$T/lib/truth.py" stacks p.bin truth
}

@test "who has the GIL and a CPU is seen so, and the profile says that it was blocking" {
	host_python
	in_tries 3 want
}

want() {
	tach-record -q --blocking --layout cpython -o p.bin -- "$python" \
	    "$programs/gils.py" 1
	tach-cat p.bin | found 'gil,cpu.*:hog:'
	tach-info p.bin | found '^features:.* blocking'
}

# A system call that truly takes 3 % of the time had 13 % when a thread was
# stopped from another CPU.
@test "a system call has its share, to 2 % of the time" {
	need_root
	chrt -f 1 true || skip "root may not be real-time here"
	host_python
	in_tries 3 reads
}

reads() {
	tach-record -q --blocking -o p.bin -- "$python" "$programs/loads.py" \
	    kernel seconds 2 1 <<<go >played
	tach-convert --collapsed p.bin | python3 -c '
import json, sys
played = json.loads(open("played").read().splitlines()[-1])
true = played["parts"]["read"] / played["played"]
stacks = [line.rsplit(" ", 1) for line in sys.stdin if ":timed:" in line]
seen = sum(int(n) for stack, n in stacks if ":read:" in stack)
share = seen / sum(int(n) for _, n in stacks)
print(share, true)
assert abs(share - true) < 0.02'
}

# ---- the program goes on -------------------------------------------------------------

# busy: a Python that counts in the file `count`, as $pid.
busy() {
	cat >count.py <<-'END'
		import time
		n = 0
		while True:
		    end = time.monotonic() + 0.02
		    while time.monotonic() < end:
		        pass
		    n += 1
		    with open("count", "w") as f:
		        f.write(str(n))
	END
	start "$python" count.py
	until_ [ -s count ]
}

# free_: no thread of it is stopped or traced.
free_() {
	# A thread may have gone by now.
	{ cat /proc/"$pid"/task/*/status || :; } |
	    absent -E '^State:.[tT]|^TracerPid:.[^0]'
}

# counts: it goes on.
counts() {
	local before
	before=$(cat count)
	until_ sh -c "[ -s count ] && [ \"\$(cat count)\" != '$before' ]"
}

@test "the recorder is killed, twenty times" {
	host_python
	busy
	for i in {1..20}; do
		tach-record -q --blocking -r 10k -o "$i.bin" -p "$pid" 3>&- &
		# The last one was recording, not only about to begin.
		[ "$i" -lt 20 ] || until_ has_samples 20.bin
		sleep "0.1$i"
		kill -KILL $!
		wait $! || :
		until_ free_
	done
	counts
	tach-cat ./20.bin | found count.py
}

@test "a stopped program stays stopped, and can go on" {
	host_python
	busy
	tach-record -q --blocking -d 2 -o p.bin -p "$pid" 3>&- &
	recorder=$!
	sleep 0.5
	kill -STOP "$pid"
	sleep 0.5
	grep -q '^State:.T' "/proc/$pid/status"
	kill -CONT "$pid"
	counts
	wait "$recorder"
	free_
}

@test "Ctrl-Z stops the recorder, and not the program" {
	host_python
	busy
	set -m # where nobody could continue it, nothing would stop it
	start tach-record -q --blocking -r 10k -d 60 -o p.bin -p "$pid"
	set +m
	recorder=$pid pid=${STARTED[0]}
	until_ [ -e p.bin.part ]
	for _ in {1..12}; do
		kill -TSTP "$recorder"
		until_ grep -q '^State:.T' "/proc/$recorder/status"
		# Go on first: while it is held, it could not even be killed.
		held=
		free_ || held=yes
		kill -CONT "$recorder"
		[ -z "$held" ]
		sleep 0.03
	done
	counts
	kill -TERM "$recorder"
	wait "$recorder"
	free_
}

@test "signals arrive, each of them" {
	host_python
	cat >signals.py <<-'END'
		import os, signal, sys, time
		r, w = os.pipe()
		os.set_blocking(w, False)
		signal.set_wakeup_fd(w)
		signal.signal(signal.SIGRTMIN, lambda *_: None)
		open("ready", "w").close()
		got = 0
		os.set_blocking(r, False)
		end = time.monotonic() + 60
		while got < 300 and time.monotonic() < end:
		    try:
		        got += len(os.read(r, 4096))
		    except BlockingIOError:
		        pass
		print(got)
	END
	start "$python" signals.py >got
	until_ [ -e ready ]
	tach-record -q --blocking -r 10k -o p.bin -p "$pid" 3>&- &
	for _ in {1..300}; do
		kill -RTMIN "$pid"
	done
	wait "$pid"
	wait
	is "$(cat got)" 300
}

@test "its end is its own" {
	host_python
	run -3 tach-record -q --blocking -r 10k -o p.bin -- "$python" -c '
import sys, time
end = time.monotonic() + 0.3
while time.monotonic() < end: pass
sys.exit(3)'
	run -143 tach-record -q --blocking -r 10k -o p.bin -- "$python" -c '
import os, threading, time
threading.Timer(0.3, os.kill, (os.getpid(), 15)).start()
while True: pass'
}

# stands_still SECONDS: the longest time in ms that $pid was seen to stand still
# for a recorder in that time.
stands_still() {
	python3 -c '
import sys, time
longest = since = 0
end = time.monotonic() + float(sys.argv[2])
while (now := time.monotonic()) < end:
    with open(f"/proc/{sys.argv[1]}/stat") as f:
        stopped = f.read().rsplit(")", 1)[1].split()[0] == "t"
    since = (since or now) if stopped else 0
    longest = max(longest, now - since if since else 0)
    time.sleep(0.001)
print(int(longest * 1000))' "$pid" "$1"
}

# A thread that has no CPU when it is told to stop does so later, when there is no
# round.
let_go_late() {
	local recorder longest
	busy
	echo "$pid" >"$QUOTA/cgroup.procs"
	start tach-record -q --blocking -r 2 -o p.bin -p "$pid"
	recorder=$pid pid=${STARTED[0]}
	until_ has_samples p.bin
	for _ in 1 2 3; do
		sleep 1
		kill -USR1 "$recorder"
		longest=$(stands_still 1.5)
		echo "stood still for $longest ms"
		[ "$longest" -lt 250 ]
		kill -USR2 "$recorder"
		longest=$(stands_still 1)
		echo "stood still for $longest ms"
		[ "$longest" -lt 250 ]
	done
}

@test "one that stops late is let go at once, in a pause, too" {
	host_python
	quota 5
	let_go_late
}

# ends_late OTHER: a recorder of $pid ends while that has no CPU, and steps of it and
# of the recorder of another process, which shares with it, go on meanwhile.
ends_late() {
	local longest rounds when keeper
	# shellcheck disable=SC2031
	read -r longest _ rounds _ when keeper < <(
	    "$TACH_BUILDDIR/t/unit/late" "$pid" "$1")
	echo "$longest ms, $rounds rounds, $when $keeper"
	is "$when $keeper" 'late, free'
	[ "$longest" -lt 250 ]
	[ "$rounds" -gt 0 ]
}

@test "one that stops late holds up no other recorder as its own ends" {
	need_root
	[ "$(nproc)" -gt 1 ] || skip "one CPU only"
	host_python
	busy
	local other=$pid
	busy
	in_tries 3 ends_late "$other"
}

@test "a program that another thread becomes goes on" {
	host_python
	cat >becomes.py <<-'END'
		import os, sys, threading, time
		n = int(sys.argv[1])
		def become():
		    os.execv(sys.executable, [sys.executable, "-S", "-E", __file__,
		        str(n - 1)] + ["x" * 100000] * 12)
		if n == 0:
		    sys.exit(7)
		threading.Thread(target=become).start()
		while True: pass
	END
	run -7 timeout 60 tach-record -q --blocking -r 5k -o p.bin -- \
	    "$python" becomes.py 15
}

# Nobody reads for a while what is printed of it.
@test "it goes on while samples wait for who reads them" {
	host_python
	mkfifo fifo
	busy
	exec 4<>fifo
	start tach-record -q --blocking -r 2k --text -p "$pid" >fifo 4>&-
	pid=${STARTED[0]}
	sleep 1.5
	for _ in 1 2 3; do
		counts
	done
	exec 4>&-
}

@test "somebody else traces it" {
	host_python
	busy
	start "$python" -c '
import ctypes, sys, time
PTRACE_SEIZE = 0x4206
assert ctypes.CDLL(None).ptrace(PTRACE_SEIZE, int(sys.argv[1]), 0, 0) == 0
open("traced", "w").close()
time.sleep(60)' "$pid"
	tracer=$pid pid=${STARTED[0]}
	until_ [ -e traced ]
	run -125 --separate-stderr tach-record --blocking -o p.bin -p "$pid"
	# shellcheck disable=SC2154
	is "$stderr" "tach-record: process $pid is traced by process $tracer, so it cannot be stopped: end that, or record without --blocking; \`tach-record --check -p $pid\` says what would help"
	tach-record -q -d 0.3 -o p.bin -p "$pid"
	counts
}
