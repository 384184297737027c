# SPDX-License-Identifier: ISC
# recorded.bats: recordings of stacks of Python and C (--native), judged by the calls
# that are possible, and the program's life meanwhile.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# few_others FILE: whether at most one stack of fifty of a profile is not exact for another
# cause than that a thread got no CPU on which to stop, as on a busy machine.  Such are
# stacks in the first instructions of code that was made at run time.
few_others() {
	tach-info "$1" | tee info | awk '
		/ native stacks=/ { sub(/.*stacks=/, ""); stacks = $1 }
		/ native-lost / && !/ a thread that did not stop$/ { others += $3 }
		END { exit others > stacks / 50 }' || { grep native info; false; }
}

# judged MINOR: in a recording, each function of C stands between the two of Python that
# it has to stand between, and hardly a stack is incomplete.
judged() {
	local tag command option
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/programs/mixed.py" "$OUTSIDE"
		"${PYTHON[@]}" "$INSIDE/mixed.py" --edges >edges
		start "${PYTHON[@]}" "$INSIDE/mixed.py" >told
		until_ grep -q ready told
		for option in calls all; do
			tach-record -q --native=$option -r 300 -d 1 -p "$pid" \
				-o "$option.bin" 2>errors || cat errors
			tach-convert --jsonl "$option.bin" |
				python3 "$T/native/recorded.py" edges ${option#calls} >counts
			echo "$tag: $(cat counts)"
			grep ' 0 wrong,' counts
			# musl has no tables.
			[[ $tag == *-musl ]] || few_others "$option.bin"
		done
		end_started || :
	done < <(pythons "$1" | in_turn)
}

@test "functions of C stand where they were called in a recording: 3.6" { judged 3.6; }
@test "functions of C stand where they were called in a recording: 3.7" { judged 3.7; }
@test "functions of C stand where they were called in a recording: 3.8" { judged 3.8; }
@test "functions of C stand where they were called in a recording: 3.9" { judged 3.9; }
@test "functions of C stand where they were called in a recording: 3.10" { judged 3.10; }
@test "functions of C stand where they were called in a recording: 3.11" { judged 3.11; }
@test "functions of C stand where they were called in a recording: 3.12" { judged 3.12; }
@test "functions of C stand where they were called in a recording: 3.13" { judged 3.13; }
@test "functions of C stand where they were called in a recording: 3.14" { judged 3.14; }
@test "functions of C stand where they were called in a recording: 3.15" { judged 3.15; }
@test "functions of C stand where they were called in a recording: 3.13t" { judged 3.13t; }
@test "functions of C stand where they were called in a recording: 3.14t" { judged 3.14t; }
@test "functions of C stand where they were called in a recording: 3.15t" { judged 3.15t; }

# ---- blocked threads ----------------------------------------------------------

blocked_threads() {
	cat >blocked.py <<-'END'
		import os, select, socket, sys, threading, time

		def locked():
		    lock = threading.Lock()
		    lock.acquire()
		    lock.acquire()

		def polled():
		    p = select.epoll()
		    p.register(os.pipe()[0])
		    p.poll()

		def key(x):
		    time.sleep(600)

		def sorting():
		    sorted([1], key=key)

		a, b = socket.socketpair()
		for f in (locked, polled, sorting, lambda: a.recv(1)):
		    threading.Thread(target=f, daemon=True).start()
		time.sleep(0.5)
		print('ready', flush=True)
		while len(sys.argv) > 1:
		    sum(range(1000))
		time.sleep(600)
	END
}

# stops_of TASK: how often a thread was stopped in the recording that strace saw.
stops_of() {
	awk -v call="PTRACE_SEIZE, $1," 'index($0, call) { n++ } END { print n + 0 }' calls
}

# A thread that was stopped, and has had no CPU since, does not look as if it was blocked:
# so on a busy machine some are stopped a few times.
@test "a blocked thread is not stopped, or once where it has to be" {
	need strace
	local tag command task n
	blocked_threads
	for minor in 3.11 3.12 3.15; do
		while IFS=$'\t' read -r tag command; do
			use_python "$tag" "$command"
			cp blocked.py "$OUTSIDE"
			start "${PYTHON[@]}" "$INSIDE/blocked.py" spin >told
			until_ grep -q ready told
			strace -f -o calls -e trace=ptrace tach-record -q --native \
				-r 50 -d 2 -p "$pid" -o blocked.bin
			n=$(tach-convert --jsonl blocked.bin | grep -vc "\"thread\":$pid,")
			[ "$n" -gt 12 ]
			for task in "/proc/$pid/task/"*; do
				[ "${task##*/}" = "$pid" ] ||
					[ "$(stops_of "${task##*/}")" -le $((n / 8 + 2)) ]
			done
			# One that runs is stopped, unless interrupts copy it.
			interrupted || [ "$(stops_of "$pid")" -gt 2 ]
			end_started || :
		done < <(pythons "$minor" | head -n 2)
	done
}

@test "a blocked thread has its functions of C, where C has called Python" {
	host_python 3.11 3.12 3.13
	blocked_threads
	start "$python" blocked.py >told
	until_ grep -q ready told
	tach-record -q --native -r 50 -d 1 -p "$pid" -o blocked.bin
	tach-convert --jsonl blocked.bin >blocked.jsonl
	python3 - <<-'END'
		import json
		with open('blocked.jsonl') as f:
		    stacks = {tuple(json.loads(line)['stack']) for line in f}
		assert len(stacks) == 5, stacks
		names = [[f.rsplit(':', 2)[1] for f in s if ':' in f] for s in stacks]
		stack = next(n for n in names if 'key' in n)
		assert stack.index('sorting') < stack.index('key') < len(stack) - 1, stack
		between = stack[stack.index('sorting') + 1:stack.index('key')]
		assert any('sort' in n for n in between), stack
	END
}

# ---- the program's life -------------------------------------------------------

@test "signals, forks, ends of threads and an exec go on as without --native" {
	host_python 3.11 3.12 3.13
	cat >lives.py <<-'END'
		import os, signal, subprocess, sys, threading, time
		got = []
		signal.signal(signal.SIGALRM, lambda *_: got.append(1))
		signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
		end = time.time() + 2
		while time.time() < end:
		    thread = threading.Thread(target=sum, args=(range(10000),))
		    thread.start()
		    thread.join()
		    assert subprocess.call(['true']) == 0
		    if os.fork() == 0:
		        os._exit(7)
		    assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
		signal.setitimer(signal.ITIMER_REAL, 0)
		assert len(got) > 20, len(got)
		os.execv(sys.executable, [sys.executable, '-c', 'import time; t = time.time()\n'
		    'while time.time() < t + 0.5: pass\nraise SystemExit(5)'])
	END
	run -5 tach-record -q --native -o lives.bin -- "$python" lives.py
	is "$output" ""
	has_samples lives.bin
}

@test "a program that is stopped stays stopped, and goes on when it is told to" {
	host_python 3.11 3.12 3.13
	start "$python" -c 'print("ready", flush=True)
while True: sum(range(100))' >told
	until_ grep -q ready told
	tach-record -q --native -d 3 -p "$pid" -o stopped.bin &
	STARTED+=($!)
	sleep 1
	kill -STOP "$pid"
	until_ found '^State:	[Tt]' "/proc/$pid/status"
	sleep 0.5
	local before
	before=$(cut -d ' ' -f 14 "/proc/$pid/stat")
	sleep 0.3
	is "$(cut -d ' ' -f 14 "/proc/$pid/stat")" "$before"
	kill -CONT "$pid"
	until_ found '^State:	R' "/proc/$pid/status"
	wait "${STARTED[-1]}"
	has_samples stopped.bin
}

@test "a recorder that is killed lets the program go on" {
	host_python 3.11 3.12 3.13
	start "$python" -c 'print("ready", flush=True)
while True: sum(range(100))' >told
	until_ grep -q ready told
	for i in 1 2 3 4 5 6; do
		tach-record -q --native -r 2000 -p "$pid" -o killed.bin &
		STARTED+=($!)
		sleep "0.3$i"
		kill -KILL $!
		wait $! || :
		until_ found '^TracerPid:	0$' "/proc/$pid/status"
		until_ found '^State:	R' "/proc/$pid/status"
	done
}

@test "a program that is killed amid stops ends its recording, which can be read" {
	host_python 3.11 3.12 3.13
	for i in 1 2 3; do
		start "$python" -c 'print("ready", flush=True)
while True: sum(range(100))' >told
		until_ grep -q ready told
		tach-record -q --native -r 2000 -p "$pid" -o ended.bin &
		STARTED+=($!)
		until_ has_samples ended.bin.part || :
		sleep "0.2$i"
		kill -KILL "$pid"
		wait $!
		has_samples ended.bin
		tach-info ended.bin | found 'native stacks='
	done
}

@test "a program that another one traces cannot be recorded so" {
	need strace
	host_python 3.11 3.12 3.13
	start "$python" -c 'print("ready", flush=True)
import time; time.sleep(600)' >told
	until_ grep -q ready told
	strace -o /dev/null -p "$pid" 3>&- &
	STARTED+=($!)
	until_ found "^TracerPid:	$!" "/proc/$pid/status"
	run -125 tach-record -q --native -d 1 -p "$pid"
	found "is traced by process $!, so it cannot be stopped" <<<"$output"
	found "record without --native" <<<"$output"
}

# ---- what is told -------------------------------------------------------------

# A function in anonymous memory, as a JIT compiler makes them, that calls back.
jumps() {
	cat >jumps.py <<-'END'
		import ctypes, mmap
		m = mmap.mmap(-1, 4096, prot=7)
		# push %rbx; sub $48, %rsp; call *%rdi; add $48, %rsp; pop %rbx; ret
		m.write(bytes.fromhex('534883ec30ffd74883c4305bc3'))
		at = ctypes.addressof(ctypes.c_char.from_buffer(m))
		call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(at)
		@ctypes.CFUNCTYPE(None)
		def back():
		    sum(range(1000000))
		print('ready', flush=True)
		while True:
		    call(ctypes.cast(back, ctypes.c_void_p))
	END
}

# made_code NAME: starts the program that NAME writes, which makes code of x86-64.
made_code() {
	[ "$(uname -m)" = x86_64 ] || skip "the code is of x86-64"
	host_python 3.11 3.12 3.13
	"$python" -c 'import ctypes' || skip "no ctypes in $python"
	"$1"
	start "$python" "$1.py" >told
	until_ grep -q ready told
}

@test "code that was made at run time is left by its own instructions, to its caller" {
	made_code jumps
	tach-record --native=all -r 200 -d 2 -p "$pid" -o jumps.bin 2>summary
	cat summary
	grep -E 'native: [1-9][0-9]+ stacks' summary
	absent 'code made at run time' <summary
	tach-convert --collapsed jumps.bin | found '<jit>;.*:back:'
	# A dump knows nothing of other stacks.
	for _ in 1 2 3 4 5; do
		tach-record --dump --native=all -p "$pid"
	done >dumps
	found '<jit>' <dumps
	absent 'code made at run time' <dumps
}

@test "time in code that was made at run time is that code's, above its caller" {
	[ "$(uname -m)" = x86_64 ] || skip "the code is of x86-64"
	host_python 3.11 3.12 3.13
	"$python" -c 'import ctypes' || skip "no ctypes in $python"
	cat >spins.py <<-'END'
		import ctypes, mmap
		m = mmap.mmap(-1, 4096, prot=7)
		# push %rbp; push %rbx; sub $64, %rsp; 1: dec %rdi; jne 1b; add; pop; pop; ret
		m.write(bytes.fromhex('55534883ec4048ffcf75fb4883c4405b5dc3'))
		at = ctypes.addressof(ctypes.c_char.from_buffer(m))
		spin = ctypes.CFUNCTYPE(None, ctypes.c_size_t)(at)
		print('ready', flush=True)
		while True:
		    spin(1 << 26)
	END
	start "$python" spins.py >told
	until_ grep -q ready told
	tach-record -q --native -r 200 -d 2 -p "$pid" -o spins.bin
	tach-convert --collapsed spins.bin >stacks
	awk '{ n += $NF } /ffi_call[^;]*;.*<jit> / { jit += $NF }
	    END { print jit, n; exit !(jit > 0.9 * n) }' stacks
}

# few_are_missing: a thread in twenty or less.  Each of them was once read as its maker.
few_are_missing() {
	tach-record --native -r 2k -d 3 -p "$pid" -o begins.bin 2>summary
	cat summary
	threads=$(sed -n 's/.* samples of \([0-9]*\) threads .*/\1/p' summary)
	missing=$(sed -n 's/.*[:,] \([0-9]*\) frames that are missing.*/\1/p' summary)
	echo "$threads threads, ${missing:=0} without functions of C"
	[ "$threads" -gt 50 ]
	[ $((missing * 20)) -le "$threads" ]
}

@test "a thread that begins has its functions of C, not those of the thread that made it" {
	host_python 3.11
	cat >begins.py <<-'END'
		import threading

		def wait(lock):
		    with lock:
		        pass

		print('ready', flush=True)
		while True:
		    lock = threading.Lock()
		    lock.acquire()
		    threads = [threading.Thread(target=wait, args=(lock,)) for _ in range(4)]
		    for t in threads:
		        t.start()
		    sum(range(200000))
		    lock.release()
		    for t in threads:
		        t.join()
	END
	start "$python" begins.py >told
	until_ grep -q ready told
	in_tries 3 few_are_missing
}

# garbage: a program that spins in code without a table, which has on top of its stack what
# is no return address, another one each time, and leaves by a jump to a register.
garbage() {
	cat >garbage.py <<-'END'
		import ctypes, mmap, os

		CODE = bytes.fromhex(
		    '4889f8'		# mov %rdi, %rax
		    '4883ec18'		# sub $24, %rsp
		    '48890424'		# 1: mov %rax, (%rsp)
		    '480500100000'	# add $4096, %rax
		    'ffce'		# dec %esi
		    '75f2'		# jne 1b
		    '488d1503000000'	# lea 2f(%rip), %rdx
		    'ffe2'		# jmp *%rdx
		    '90'
		    '4883c418'		# 2: add $24, %rsp
		    'c3')
		code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE |
		    mmap.PROT_EXEC)
		code.write(CODE)
		spin = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_uint)(
		    ctypes.addressof(ctypes.c_char.from_buffer(code)))
		print('ready', flush=True)
		while True:
		    spin(0x10000, 1 << 24)
	END
}

@test "stacks that are not whole are counted by cause: summary, note, tach-info" {
	made_code garbage
	tach-record --native -r 200 -d 2 -p "$pid" -o garbage.bin 2>summary
	cat summary
	grep -E 'native: [0-9]+ stacks, [0-9.]+% whole; not whole: [0-9]+ ' summary
	tach-info garbage.bin >info
	grep -E '^note: +native stacks=[0-9]+ whole=[0-9]+$' info
	grep -E '^note: +native-lost [0-9]+ ' info
	tach-info --json garbage.bin | python3 -c '
import json, sys
notes = json.load(sys.stdin)["notes"]
assert any(n.startswith("native stacks=") for n in notes), notes
lost = sum(int(n.split()[1]) for n in notes if n.startswith("native-lost "))
whole = next(n for n in notes if n.startswith("native stacks=")).replace("=", " ").split()
assert int(whole[2]) - int(whole[4]) == lost > 0, notes'
	tach-convert --collapsed garbage.bin | found '<native?>'
}

@test "what is no address of code does not have the mappings listed in each stack" {
	need strace
	made_code garbage
	strace -f -o calls -e trace=openat tach-record --native -r 200 -d 3 -p "$pid" \
	    -o garbage.bin 2>summary
	cat summary
	grep -E 'not whole: [1-9][0-9]+ code made at run time' summary
	grep -c "/proc/$pid/maps" calls >listings
	sed -n 's/.*native: \([0-9]*\) stacks.*/\1/p' summary >stacks
	[ "$(cat listings)" -lt "$(($(cat stacks) / 2))" ]
}

@test "--native goes with no --blocking or --native-markers" {
	run -125 --separate-stderr tach-record --native --blocking true
	[ "${stderr_lines[0]}" = "tach-record: --native reads each thread as of one moment: it takes no --blocking" ]
	run -125 --separate-stderr tach-record --native --native-markers true
	[ "${stderr_lines[0]}" = "tach-record: --native shows the functions of C: it takes no --native-markers" ]
}

@test "every format takes functions of C" {
	host_python 3.11 3.12 3.13
	tach-record -q --native -r 500 -o work.bin -- "$python" -c '
import json, re, time
end = time.time() + 1
x = [{"a": i, "b": "x" * 20} for i in range(2000)]
while time.time() < end:
    json.loads(json.dumps(x))
    re.sub("(a|b)+c", "z", "abab" * 1000)'
	local format
	for format in collapsed flamegraph pprof speedscope gecko chrome callgrind \
		perfetto gperftools jsonl csv pstats otlp; do
		tach-convert "--$format" work.bin >"work.$format"
		[ -s "work.$format" ]
	done
	found 'sre' <work.collapsed
	found 'json' <work.gecko
	tach-top -1 work.bin | found 'sre'
	tach-merge -o twice.bin work.bin work.bin
	tach-info twice.bin | found 'native stacks='
}
