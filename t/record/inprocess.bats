# SPDX-License-Identifier: ISC
# inprocess.bats: tach-record --engine=inprocess: threads that take samples of
# themselves: the command line, processes, clocks, waits, ends.  inprocess-truth.bats
# judges their stacks.

load ../lib/lib.bash
load ../lib/truth.bash
load ../lib/inprocess.bash

# ---- the command line ----------------------------------------------------------

@test "--engine: which there are, and what is the remote one's" {
	run -125 tach-record --engine=x true
	[[ "$output" == *"--engine cannot be x"* ]]
	run -125 tach-record --engine=inprocess --async=all true
	[[ "$output" == *"--async needs --engine=remote"* ]]
	run -125 tach-record --engine=inprocess --dump -p $$
	[[ "$output" == *"--dump needs --engine=remote"* ]]
}

@test "the mode is cpu, unless another is asked for" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c 'sum(range(10**7))'
	tach-info p.bin | grep '^mode: *cpu'
	tach-record "${ENGINE[@]}" -m wall -q -o p.bin -- "$python" -c \
	    'sum(range(10**7))'
	tach-info p.bin | grep '^mode: *wall'
}

@test "the exit status is the command's, and its environment as without us" {
	host_python 3.12 3.11
	run -7 tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os
print([n for n in os.environ if n in ("LD_PRELOAD", "TACH_AGENT")],
      flush=True)
sum(range(3000000))
os._exit(7)'
	is "$output" "[]"
	run -139 tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os, time
end = time.time() + 0.3
while time.time() < end: pass
os.kill(os.getpid(), 11)'
	tach-info -c p.bin
}

@test "the summary says what it cost and what was lost" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" -o p.bin -- "$python" \
	    "$T/programs/split.py" 0.5 2>err
	cat err
	grep -q 'in-process by the .*clock.*stacks taken in .* us each' err
	[ "$(count samples p.bin)" -gt 50 ]
	[ "$(count weight p.bin)" -ge "$(count samples p.bin)" ]
}

@test "a command that is not there, or no Python" {
	run -127 tach-record "${ENGINE[@]}" -o p.bin -- ./none
	run -125 tach-record "${ENGINE[@]}" -o p.bin -- true
	[[ "$output" == *"no Python was seen in true"* ]]
	[ ! -e p.bin ]
}

# ---- processes -----------------------------------------------------------------

@test "exec: by sh, env and Python itself, in one profile" {
	host_python 3.12 3.11
	cat >again.py <<-'END'
		import os, sys, time
		n = int(sys.argv[1])
		end = time.thread_time() + 0.3
		while time.thread_time() < end:
		    pass
		if n:
		    os.execv(sys.executable, [sys.executable, __file__, str(n - 1)])
	END
	# shellcheck disable=SC2016
	tach-record "${ENGINE[@]}" -r 5k -q -o p.bin -- sh -c \
	    'exec env A=1 "$0" "$1" 2' "$python" "$PWD/again.py"
	tach-info -c p.bin
	# Some hundreds of ticks by each of three programs.
	tach-cat p.bin | grep -c 'again.py:<module>:[45]' >n
	cat n
	[ "$(<n)" -gt 2500 ]
}

@test "a fork without --subprocesses is left alone" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os, time
def spin():
    end = time.thread_time() + 0.2
    while time.thread_time() < end: pass
def inside(): spin()
def outside(): spin()
if os.fork(): outside(); os.wait()
else: inside(); os._exit(0)'
	tach-cat p.bin | found outside
	tach-cat p.bin | absent -q inside
}

@test "--subprocesses: forks, spawned ones and commands, by all ways" {
	host_python 3.12 3.11
	cat >family.py <<-'END'
		import multiprocessing as mp, os, subprocess, sys, time
		def spin(kind):
		    globals()[kind]()
		def loop():
		    end = time.thread_time() + 0.2
		    while time.thread_time() < end:
		        pass
		def of_fork(): loop()
		def of_spawn(): loop()
		def of_forkserver(): loop()
		def of_short():
		    end = time.thread_time() + 0.02
		    while time.thread_time() < end:
		        pass
		def of_command(): loop()
		if __name__ == '__main__':
		    if sys.argv[1:]:
		        of_command()
		        sys.exit()
		    for how in 'fork', 'spawn', 'forkserver':
		        p = mp.get_context(how).Process(target=spin,
		                                        args=('of_' + how,))
		        p.start()
		        p.join()
		    if os.fork() == 0:
		        of_short()
		        os._exit(0)
		    os.wait()
		    subprocess.run([sys.executable, __file__, 'x'])
		    subprocess.run('true; exec true', shell=True)
	END
	tach-record "${ENGINE[@]}" --merge -q -o p.bin -- "$python" family.py
	tach-info -c p.bin
	for kind in fork spawn forkserver short command; do
		n=$(tach-cat p.bin | grep -c "of_$kind:") || :
		echo "$kind $n"
		[ "$n" -ge 5 ]
	done
}

@test "--subprocesses: a short fork that nobody waits for" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" --merge -q -o p.bin -- "$python" -c '
import os, time
def short():
    end = time.thread_time() + 0.02
    while time.thread_time() < end: pass
if os.fork() == 0:
    short()
    os._exit(0)
end = time.time() + 0.5
while time.time() < end: sum(range(1000))
os._exit(0)'
	[ "$(tach-cat p.bin | grep -c ":short:")" -ge 5 ]
}

@test "no timer for want of signals: a word about what to do" {
	host_python 3.12 3.11
	for how in --text --merge; do
		# shellcheck disable=SC2016
		tach-record "${ENGINE[@]}" -q "$how" -o p.bin -- \
		    bash -c 'ulimit -i 0; exec "$0" -c "sum(range(10**7))"' \
		    "$python" 2>err || :
		cat err
		[ "$(grep -c 'could not be sampled' err)" -eq 1 ]
		run -1 grep -q 'no Python was seen' err
		grep -q '1 thread .*pending signals is used up: .*(ulimit -i)' err
	done
}

# Runs a command in which the kernel has no timers of a thread's CPU time.
NO_CPU_TIMERS='
import ctypes, os, platform, struct, sys
number, low = {"x86_64": (222, 16), "aarch64": (107, 16),
               "s390x": (254, 20)}[platform.machine()]
code = ((0x20, 0, 0, 0), (0x15, 0, 3, number),  # timer_create
        (0x20, 0, 0, low), (0x15, 0, 1, 3),     # CLOCK_THREAD_CPUTIME_ID
        (0x06, 0, 0, 0x50016), (0x06, 0, 0, 0x7fff0000))  # EINVAL; allowed
code = ctypes.create_string_buffer(b"".join(
    struct.pack("=HBBI", *line) for line in code))
code = ctypes.create_string_buffer(struct.pack("@HP", 6,
                                               ctypes.addressof(code))), code
libc = ctypes.CDLL(None, use_errno=True)
if (libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        or libc.prctl(22, 2, code[0])):  # PR_SET_SECCOMP, of a filter
    sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])'

@test "no timer of CPU time: samples are of wall time, which is told" {
	host_python 3.12 3.11
	python3 -c "$NO_CPU_TIMERS" tach-record "${ENGINE[@]}" -o p.bin -- \
	    "$python" -c 'sum(range(10**7))' 2>err
	cat err
	grep -q 'in-process by the wall clock: ' err
	grep -q 'CPU clocks were refused to 1 thread, whose samples are of wall' err
	tach-info p.bin >info
	grep -q ' cpu=0 wall=1' info
}

# Each of two processes counts by itself.
two_processes() {
	host_python 3.12 3.11
	cat >two.py <<-'END'
		import os, time
		child = os.fork()
		end = time.thread_time() + 0.5
		while time.thread_time() < end:
		    sum(range(1000))
		if child:
		    os.wait()
		else:
		    os._exit(0)
	END
	tach-record "${ENGINE[@]}" -o p.bin "$@" -- "$python" two.py 2>err
	cat err
	grep -q ' samples of .* threads of 2 processes in ' err
	[ "$(grep -c 'in-process by the .* stacks taken in ' err)" -eq 1 ]
}

@test "--merge: what it cost, and what was lost, in all processes" {
	two_processes --merge
	tach-info p.bin | tee info
	[ "$(grep -c '^note: *inprocess ' info)" -eq 1 ]
	[ "$(count weight p.bin)" -ge 900 ]
	[ "$(count weight p.bin)" -ge "$(sed -n 's/^samples: *//p' info)" ]
	[ $(($(count perf p.bin) + $(count cpu p.bin))) -eq 2 ]
	grep -q " $(count samples p.bin) stacks taken in " err
}

@test "--subprocesses: the summary adds up what the profiles' notes say" {
	local n=0
	two_processes --subprocesses
	[ "$(find . -name 'p.*.bin' | wc -l)" -eq 2 ]
	for p in p.*.bin; do
		n=$((n + $(count samples "$p")))
	done
	grep -q " $n stacks taken in " err
}

@test "2,000 threads that come and go" {
	host_python 3.12 3.11
	cat >crowd.py <<-'END'
		import threading, time
		def spin():
		    end = time.thread_time() + 0.002
		    while time.thread_time() < end:
		        sum(range(100))
		for i in range(100):
		    ts = [threading.Thread(target=spin) for _ in range(20)]
		    for t in ts: t.start()
		    for t in ts: t.join()
	END
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" crowd.py
	tach-info p.bin
	n=$(tach-cat p.bin | grep -c 'crowd.py:spin:') late=$(count late p.bin)
	echo "$n"
	# 2 ms each, at 1 kHz, and what it takes to begin and end.
	[ "$n" -ge 500 ]
	[ $((n + late)) -ge 3600 ]
	[ $((n + late)) -le 7000 ]
	# Whether it lives to see the kernel's tick or not.
	[ $((late * 8)) -le "$n" ]
	is "$(count damaged p.bin)" 0
}

# ---- time ----------------------------------------------------------------------

@test "CPU ticks sum up to the CPU time, to 5 %; a thread that waits has few" {
	host_python 3.12 3.11
	cat >sum.py <<-'END'
		import sys, threading, time
		def work():
		    end = time.thread_time() + 0.5
		    while time.thread_time() < end:
		        time.sleep(0.001)
		        sum(range(20000))
		def idle():
		    time.sleep(1)
		ts = [threading.Thread(target=f) for f in (work, work, idle)]
		for t in ts: t.start()
		for t in ts: t.join()
	END
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" sum.py
	n=$(tach-cat p.bin | grep -c 'sum.py:work:')
	echo "$n"
	[ "$n" -ge 950 ]
	[ "$n" -le 1050 ]
	[ "$(tach-cat p.bin | grep -c 'sum.py:idle:')" -lt 20 ]
}

# natives: t/record/natives.c as a library, $natives.
natives() {
	natives=$BATS_TEST_TMPDIR/natives.so
	"${CC:-cc}" -shared -fPIC -o "$natives" "$T/record/natives.c" -lpthread
}

@test "threads without Python fail nothing, nor do the ends of threads" {
	host_python 3.12 3.11
	natives
	cat >beside.py <<-'END'
		import ctypes, sys, threading, time
		beside = ctypes.CDLL(sys.argv[1]).natives
		def spin():
		    end = time.thread_time() + 0.003
		    while time.thread_time() < end:
		        sum(range(100))
		t = threading.Thread(target=beside, args=(100, 20))
		t.start()
		for i in range(200):
		    one = threading.Thread(target=spin)
		    one.start()
		    one.join()
		t.join()
	END
	tach-record "${ENGINE[@]}" -o p.bin -- "$python" beside.py "$natives" \
	    2>err
	cat err
	tach-info p.bin
	[ "$(tach-cat p.bin | grep -c 'beside.py:spin:')" -gt 300 ]
	tach-info --json p.bin | python3 -c '
import json, sys
said = json.load(sys.stdin)["recorded"]
assert said["errors_percent"] < 0.5, said
# Of two seconds of others, one tick in each thread would be 5 %.
assert said["missed_percent"] < 15, said'
	# A hundred times 20 ticks are known to have been no Python.
	[ "$(count late p.bin)" -lt 300 ]
}

# own_clock COMMAND...: a program that computes for half a second, and whose
# clocks are not ours: it has its samples, at the times of the recorder.
own_clock() {
	tach-record "${ENGINE[@]}" "$@" -c '
import os
begun = sum(os.times()[:2])
while sum(os.times()[:2]) < begun + 0.5: sum(range(10000))'
	tach-info --json p.bin | python3 -c '
import json, sys
info = json.load(sys.stdin)
# By the wall: the program has to share its CPU.
most = 1050 * info["recorded"]["duration_s"] if info["mode"] == "wall" else 900
print(info["samples"], most)
assert 450 < info["samples"] < most, info
assert info["recorded"]["missed_percent"] < 2, info'
	tach-cat p.bin | awk '
		{ if (!first) first = $1; last = $1 }
		END { print first, last; exit !(last - first > 0.3e6 &&
		    last - first < 20e6) }'
	# None lies where many others do, as if all had come at once.
	[ "$(tach-cat p.bin | cut -f 1 | uniq -d | wc -l)" -lt 20 ]
}

@test "a program in another time namespace" {
	host_python 3.12 3.11
	unshare -T --monotonic 100000 true ||
	    skip "no time namespaces here (root; Linux 5.6)"
	own_clock -q -o p.bin -- unshare -T --monotonic 100000 "$python"
	own_clock -q -m wall -o p.bin -- unshare -T --monotonic 100000 "$python"
}

@test "a program whose clock_gettime is not the C library's" {
	host_python 3.12 3.11
	natives
	LD_PRELOAD=$natives "$python" -c 'import time
assert time.monotonic() > 360 * 86400'
	own_clock -q -o p.bin -- env LD_PRELOAD="$natives" "$python"
	own_clock -q -m wall -o p.bin -- env LD_PRELOAD="$natives" "$python"
}

@test "a program that waits for our signal gets what is its own" {
	host_python 3.12 3.11
	cat >waits.py <<-'END'
		import ctypes, errno, os, signal, sys, threading, time
		ours = signal.SIGRTMAX - 2
		libc = ctypes.CDLL(None, use_errno=True)
		def wait(*time):
		    set = 1 << ours - 1 | 1 << signal.SIGUSR1 - 1
		    return libc.sigtimedwait((ctypes.c_ulong * 16)(set), None,
		        (ctypes.c_long * 2)(*time))
		def work():
		    end = time.thread_time() + 0.1
		    while time.thread_time() < end:
		        sum(range(1000))
		signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
		os.kill(os.getpid(), ours)
		work()
		assert ours in signal.sigpending()
		assert signal.sigwait(signal.valid_signals()) == ours
		t = threading.Thread(target=work)
		t.start()
		assert signal.sigtimedwait([ours, signal.SIGUSR1], 0.1) is None
		t.join()
		for limit in (0, 10**9), (0, -1), (-1, 0):
		    assert wait(*limit) == -1
		    assert ctypes.get_errno() == errno.EINVAL
		threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
		assert wait(2**62, 0) == signal.SIGUSR1
		threading.Timer(0.1, os.kill, (os.getpid(), ours)).start()
		assert signal.sigwaitinfo([ours]).si_pid == os.getpid()
		work()
		got = []
		signal.signal(ours, lambda number, frame: got.append(number))
		os.kill(os.getpid(), ours)
		work()
		assert not got
		signal.pthread_sigmask(signal.SIG_UNBLOCK, [ours])
		work()
		assert got == [ours]
		print("well")
	END
	for mode in cpu wall; do
		is "$(tach-record "${ENGINE[@]}" -m "$mode" -q -o p.bin -- \
		    "$python" waits.py)" well
		# While one is pending no tick comes: those of a fifth of a
		# second are told of when it is taken.
		n=$(tach-cat p.bin | grep -c 'waits.py:')
		work=$(tach-cat p.bin | grep -c 'waits.py:work:')
		echo "$mode: $n, $work of them at work"
		[ "$n" -ge 450 ]
		[ "$work" -ge 250 ]
	done
	# A program may begin so.
	tach-record "${ENGINE[@]}" -q -o p.bin -- \
	    env --block-signal "$python" -c '
import signal
assert signal.SIGRTMAX - 2 in signal.pthread_sigmask(signal.SIG_BLOCK, [])
for i in range(10): sum(range(1000000))'
	[ "$(tach-info --json p.bin | jq .samples)" -gt 50 ]
}

@test "a thread that waits in a call we know nothing of is left alone" {
	host_python 3.12 3.11
	cat >raw.py <<-'END'
		import ctypes, errno, os, threading, time
		libc = ctypes.CDLL(None, use_errno=True)
		futex = {'x86_64': 202, 'aarch64': 98}[os.uname().machine]
		half = (ctypes.c_long * 2)(0, 500000000)
		word = ctypes.c_int(0)
		woken = 0
		def wait():
		    global woken
		    end = time.monotonic() + 1
		    while time.monotonic() < end:
		        libc.syscall(futex, ctypes.byref(word), 128, 0, half)
		        woken += ctypes.get_errno() == errno.EINTR
		t = threading.Thread(target=wait)
		time.sleep(0.5)
		t.start()
		t.join()
		print(woken)
	END
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" raw.py >woken
	cat woken
	[ "$(<woken)" -le 20 ] # of a thousand ticks
}

@test "-m wall: a thread that waits has its ticks, which are idle" {
	host_python 3.12 3.11
	cat >waits.py <<-'END'
		import select, threading, time
		def asleep():
		    time.sleep(1)
		def polls():
		    for _ in range(20):
		        select.select([], [], [], 0.05)
		ts = [threading.Thread(target=f) for f in (asleep, polls)]
		for t in ts: t.start()
		for t in ts: t.join()
	END
	tach-record "${ENGINE[@]}" -m wall -q -o p.bin -- "$python" waits.py
	for f in asleep polls; do
		n=$(tach-cat p.bin | grep -c "waits.py:$f:")
		idle=$(tach-cat p.bin | grep "waits.py:$f:" |
		    awk '$4 !~ /cpu|gil/' | wc -l)
		echo "$f $n $idle"
		[ "$n" -ge 950 ]
		[ "$n" -le 1100 ]
		[ $((idle * 10)) -ge $((n * 8)) ]
	done
}

# asleep: of each thread of a profile, how many ms there are from the first
# sample in asleep() to the last, the samples in there, how many of them are
# idle, and in how many stacks.
asleep() {
	tach-cat "$1" | awk -F '\t' '$5 ~ /:asleep:/ {
			if (!($3 in first)) first[$3] = $1
			last[$3] = $1
			n[$3]++
			idle[$3] += $4 !~ /cpu|gil/
			sub(/(;<(built-in|wait)>:[^;]*)+$/, "", $5)
			kinds[$3] += !seen[$3, $5]++
		}
		END { for (t in n) print int((last[t] - first[t]) / 1000) + 1,
		    n[t], idle[t], kinds[t] }' | sort -n | tee /dev/stderr
}

# waits_told MIN MAX THREADS [GAP]: in each of so many threads, so many ms were
# spent in asleep(), with a sample for each but for those of a gap; and what is
# read from outside is what the thread itself says.
waits_told() {
	local ms n idle kinds threads=0
	while read -r ms n idle kinds; do
		threads=$((threads + 1))
		[ "$ms" -ge "$1" ]
		[ "$ms" -le "$2" ]
		ms=$((ms - ${4-0}))
		[ "$n" -ge $((ms * 97 / 100)) ]
		[ "$n" -le $((ms + 5)) ]
		[ "$idle" -ge $((n * 95 / 100)) ]
		[ "$kinds" -eq 1 ]
	done < <(asleep p.bin)
	is "$threads" "$3"
}

# A thread has waited, and waits again, when the recording ends.
waits_on() {
	rm -f p.bin
	tach-record "${ENGINE[@]}" -m wall -d 1.5 -q -o p.bin -- \
	    "${PYTHON[@]}" -c '
import os, threading, time
def asleep():
    for t in 0.45, 2: time.sleep(t)
t = threading.Thread(target=asleep)
t.start()
asleep()
t.join()'
	waits_told 900 1510 2
}

waits() {
	need_one "$@"
	in_tries 3 waits_on
}

@test "-m wall: a wait that is not over at the end, 3.8" {
	waits 3.8-pyenv 3.8-system
}

@test "-m wall: a wait that is not over at the end, 3.11" {
	waits 3.11-system 3.11-pyenv
}

@test "-m wall: a wait that is not over at the end, 3.13" {
	waits 3.13-pyenv 3.13-system
}

@test "-m wall: a wait that is not over at the end, 3.14" {
	waits 3.14-forky
}

@test "-m wall: a wait that is not over at the end, 3.14, free-threaded" {
	waits 3.14t-nogil
}

killed() {
	local status=0
	rm -f p.bin
	tach-record "${ENGINE[@]}" -m wall -q -o p.bin -- "$python" -c '
import os, threading, time
def asleep(): time.sleep(60)
def kill():
    time.sleep(1.5)
    os.kill(os.getpid(), 9)
threading.Thread(target=kill).start()
asleep()' || status=$?
	is "$status" 137
	waits_told 1450 1600 1
}

@test "-m wall: a wait that is not over when the target is killed" {
	host_python 3.12 3.11
	in_tries 3 killed
}

paused() {
	rm -f p.bin
	tach-record "${ENGINE[@]}" -m wall -q -o p.bin -- "$python" -c '
import os, signal, threading, time
def asleep(): time.sleep(3)
def pause():
    for s in signal.SIGUSR1, signal.SIGUSR2:
        time.sleep(1)
        os.kill(os.getppid(), s)
threading.Thread(target=pause).start()
asleep()'
	waits_told 2950 3100 1 1000
}

@test "-m wall: a wait from before a pause until after it" {
	host_python 3.12 3.11
	in_tries 3 paused
}

@test "-m exception, -m gil: of a wait, what its status says" {
	host_python 3.12 3.11
	for mode in exception gil; do
		tach-record "${ENGINE[@]}" -m "$mode" -d 1 -q -o p.bin -- \
		    "$python" -c '
import threading, time
def handles():
    try: 1 / 0
    except ZeroDivisionError: time.sleep(1.5)
t = threading.Thread(target=handles)
t.start()
time.sleep(1.5)
t.join()' 2>err || grep -q 'nothing was recorded' err
		n=$(tach-cat p.bin | grep -c ':handles:') || :
		echo "$mode $n"
		case $mode in
		gil) [ "$n" -lt 50 ] ;;
		exception) [ "$n" -gt 700 ] ;;
		esac
		[ "$(tach-cat p.bin | grep -vc ':handles:')" -lt 500 ]
	done
}

# gaps: of each thread of what is recorded by now, the longest time without a
# sample, in ms, and the samples after that.
gaps() {
	tach-cat p.bin 2>/dev/null | awk '
		!($3 in last) { last[$3] = $1 }
		$1 - last[$3] > gap[$3] { gap[$3] = $1 - last[$3]; n[$3] = 0 }
		{ last[$3] = $1; n[$3]++ }
		END { for (t in last) print int(gap[t] / 1000), n[t] }'
}

both_there() {
	[ "$(gaps | awk '$2 > 0' | wc -l)" -eq 2 ]
}

both_again() {
	[ "$(gaps | awk '$1 >= 1000 && $2 >= 5' | wc -l)" -eq 2 ]
}

@test "pauses: a gap, and the program goes on" {
	host_python 3.12 3.11
	for mode in cpu wall; do
		rm -f p.bin
		touch go
		start "$TACH_BUILDDIR/cmd/tach-record" "${ENGINE[@]}" -m "$mode" -o p.bin -- "$python" -c '
import os, threading, time
def spin():
    end = time.time() + 60
    while os.path.exists("go") and time.time() < end: sum(range(1000))
threading.Thread(target=spin).start()
spin()' 2>err
		until_ both_there
		kill -USR1 "$pid"
		sleep 1.5
		kill -USR2 "$pid"
		until_ both_again
		rm go
		wait "$pid"
		cat err
		grep -q 'paused for' err
	done
}

@test "-d: recording ends, the command goes on to its own end" {
	host_python 3.12 3.11
	run -3 tach-record "${ENGINE[@]}" -q -d 0.3 -o p.bin -- "$python" -c '
import os, time
end = time.time() + 1.5
while time.time() < end: pass
while not os.path.exists("p.bin") and time.time() < end + 60: time.sleep(0.05)
raise SystemExit(3)'
	last=$(tach-cat p.bin | tail -n 1 | cut -f 1)
	echo "$last"
	[ "$last" -le 1200000 ]
}

# ---- what may happen to it -------------------------------------------------------

@test "a target that is killed leaves a whole profile" {
	host_python 3.12 3.11
	start "$TACH_BUILDDIR/cmd/tach-record" "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os, time
with open("pid", "w") as f: f.write(str(os.getpid()))
end = time.time() + 60
while time.time() < end: sum(range(1000))'
	until_ test -s p.bin.part.journal
	until_ test -s pid
	kill -KILL "$(<pid)"
	status=0
	wait "$pid" || status=$?
	is "$status" 137
	tach-info -c p.bin
	tach-cat p.bin | found '<string>:<module>'
}

@test "a recorder that is killed: the program goes on" {
	host_python 3.12 3.11
	start "$TACH_BUILDDIR/cmd/tach-record" "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os, time
end = time.time() + 60
while not os.path.exists("dead") and time.time() < end: sum(range(1000))
end = time.thread_time() + 0.5
while time.thread_time() < end: pass
open("alive", "w").close()'
	until_ test -s p.bin.part.journal
	kill -KILL "$pid"
	wait "$pid" || :
	touch dead
	until_ test -e alive
}

@test "a program that writes all over the memory that we share" {
	host_python 3.12 3.11
	cat >scribble.py <<-'END'
		import ctypes, random, time
		maps = []
		def look():
		    for line in open('/proc/self/maps'):
		        if 'memfd:tach' in line or 'tach (deleted)' in line:
		            a, b = (int(x, 16) for x in line.split()[0].split('-'))
		            if 'w' in line.split()[1]:
		                maps.append((a, b))
		look()
		print(len(maps))
		end = time.time() + 1.5
		random.seed(4)
		while time.time() < end:
		    a, b = random.choice(maps)
		    n = random.choice((1, 4, 8, 64, 4096))
		    at = random.randrange(a, min(b, a + 300000) - n)
		    ctypes.memmove(at, random.randbytes(n), n)
	END
	# It may have ended itself by this, but not us.
	for mode in cpu wall; do
		python3 -c 'import subprocess, sys
assert subprocess.run(sys.argv[1:], timeout=60).returncode >= 0' tach-record \
		    "${ENGINE[@]}" -m "$mode" -q -o p.bin -- "$python" scribble.py
		[ ! -e p.bin ] || tach-info -c p.bin
		rm -f p.bin*
	done
}
