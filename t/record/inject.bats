# SPDX-License-Identifier: ISC
# inject.bats: a running Python is made to run a script, by what 3.14 and
# later offer to debuggers, and by one to load the agent; t/unit/inject and
# t/unit/attach do it as tach-record does.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

inject() {
	"$TACH_BUILDDIR/t/unit/inject" "$@"
}

# begin PROGRAM [ARG...]: runs it under $PYTHON, until it has made the file
# `ready`; and writes a script that adds a line to `ran`.
begin() {
	: >"$OUTSIDE/ran"
	echo "open('$INSIDE/ran', 'a').write(f'ran\n')" >"$OUTSIDE/script.py"
	printf '%s\n' "import time" \
	    "def ready(): open('$INSIDE/ready', 'w').close()" "$1" \
	    >"$OUTSIDE/program.py"
	shift
	start "${PYTHON[@]}" "$@" "$INSIDE/program.py"
	until_ test -e "$OUTSIDE/ready"
}

has_run() {
	[ "$(wc -l <"$OUTSIDE/ran")" -eq "$1" ]
}

busy='ready()
x = 0
while True: x += 1'

# runs_once: two requests, two runs.
runs_once() {
	begin "$1"
	inject "$pid" "$INSIDE/script.py" 10
	until_ has_run 1
	inject "$pid" "$INSIDE/script.py" 10
	until_ has_run 2
	kill -0 "$pid"
}

on_busy() {
	need_python "$1"
	runs_once "$busy"
}

@test "each request runs a script once, in a busy program: Python 3.14" { on_busy 3.14; }
@test "each request runs a script once, in a busy program: Python 3.15" { on_busy 3.15; }
@test "each request runs a script once, in a busy program: Python 3.14, free-threaded" { on_busy 3.14t; }
@test "each request runs a script once, in a busy program: Python 3.15, free-threaded" { on_busy 3.15t; }

# The main thread waits most of the time; others want the GIL, and allocate.
among_threads() {
	need_python "$1"
	runs_once 'import threading
def work():
	while True: [{} for _ in range(100)]
for _ in range(4): threading.Thread(target=work, daemon=True).start()
ready()
while True: time.sleep(0.01)'
}

@test "each request runs a script once, among threads: Python 3.14" { among_threads 3.14; }
@test "each request runs a script once, among threads: Python 3.15" { among_threads 3.15; }
@test "each request runs a script once, among threads: Python 3.15, free-threaded" { among_threads 3.15t; }

# Many requests, while signals, threads and pending calls come: nothing that
# makes the main thread look is lost, and it never waits for ever.
many_times() {
	need_python "$1"
	begin "import signal, threading
n = 0
def tick(*_):
	global n
	n += 1
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
def pause():
	while True: time.sleep(0.001)
for _ in range(2): threading.Thread(target=pause, daemon=True).start()
ready()
x = seen = 0
while True:
	x += 1
	if x % 100000 == 0 and n > seen: seen = n; open('$INSIDE/n', 'w').write(f'{n}\n')"
	for ((i = 1; i <= 200; i++)); do
		inject "$pid" "$INSIDE/script.py" 20
	done
	until_ has_run 200
	first=$(cat "$OUTSIDE/n")
	until_ eval '[ "$(cat "$OUTSIDE/n")" -gt "$((${first:-0} + 10))" ]'
}

@test "two hundred times: Python 3.14" { many_times 3.14; }
@test "two hundred times: Python 3.15" { many_times 3.15; }
@test "two hundred times: Python 3.14, free-threaded" { many_times 3.14t; }

# ---- what cannot be -------------------------------------------------------------

# A main thread that waits in C does not run it, neither now nor when it is
# back.
too_late() {
	need_python "$1"
	begin "import os
r, w = os.pipe()
print(w, flush=True)
ready()
os.read(r, 1)
for _ in range(100000): pass
open('$INSIDE/back', 'w').close()
time.sleep(1000)" >pipe
	read -r w <pipe
	run -1 inject "$pid" "$INSIDE/script.py" 0.3
	[[ $output = *"process $pid cannot be attached to now: its main thread waits in a call;"* ]]
	echo >"/proc/$pid/fd/$w"
	until_ test -e "$OUTSIDE/back"
	has_run 0
}

@test "a main thread that waits: Python 3.14" { too_late 3.14; }
@test "a main thread that waits: Python 3.15" { too_late 3.15; }
@test "a main thread that waits: Python 3.14, free-threaded" { too_late 3.14t; }

@test "a program that is stopped" {
	need_python 3.15
	begin "$busy"
	kill -STOP "$pid"
	run -1 inject "$pid" "$INSIDE/script.py" 0.3
	[[ $output = *"its main thread is stopped;"* ]]
	kill -CONT "$pid"
	inject "$pid" "$INSIDE/script.py" 10
	until_ has_run 1
}

refused() {
	begin "$busy" "${@:2}"
	run -1 inject "$pid" "$INSIDE/script.py" 10
	[[ $output = *"$1"* ]]
	has_run 0
}

@test "a program that lets no debugger in" {
	need_python 3.14
	refused "does not let debuggers in" \
	    -X disable-remote-debug
	rm "$OUTSIDE/ready"
	PYTHON_DISABLE_REMOTE_DEBUG=1 refused "does not let debuggers in"
	need_python 3.15t
	refused "does not let debuggers in" -X disable-remote-debug
}

@test "a Python before 3.14" {
	need_python 3.13
	refused "but the in-process engine can attach to Python 3.14 and later"
}

@test "another's process" {
	need_root
	need_python 3.15t
	begin "$busy"
	run -1 setpriv --reuid 65534 --clear-groups --inh-caps=-all \
	    "$TACH_BUILDDIR/t/unit/inject" "$pid" "$INSIDE/script.py" 1
	[[ $output = *"not permitted to read process $pid"* ]]
}

# ---- loading the agent ------------------------------------------------------------

# attach NONCE: with the library that t/record/agent.c is.
attach() {
	[ -e "$BATS_TEST_TMPDIR/agent.so" ] || "${CC:-cc}" -shared -fPIC \
	    -o "$BATS_TEST_TMPDIR/agent.so" "$T/record/agent.c"
	"$TACH_BUILDDIR/t/unit/attach" "$pid" "$BATS_TEST_TMPDIR/agent.so" "$1"
}

# What the program shows when it is asked for: its modules, and so on.
state='import sys, os, posix
ready()
x = 0
def show():
	with open("INSIDE/state.new", "w") as f:
		print(sorted(sys.modules), getattr(sys, "_is_gil_enabled", str)(),
		    b"TACH_ATTACH" in posix._create_environ(), file=f)
	os.rename("INSIDE/state.new", "INSIDE/state")
while True:
	x += 1
	if os.path.exists("INSIDE/show"):
		show()
		os.remove("INSIDE/show")'

show() {
	: >"$OUTSIDE/show"
	until_ test ! -e "$OUTSIDE/show"
	cat "$OUTSIDE/state"
}

# with_proc [OPTION]: $PYTHON in a root of its own sees /proc there; an option
# is chroot's.
with_proc() {
	[ -n "$PYTHON_ROOT" ] || return 0
	unshare -m true || skip "no mount namespaces here"
	# shellcheck disable=SC2016
	PYTHON=(unshare -m sh -c
	    'mount --bind /proc "$1/proc" && exec chroot $0 "$@"' "${1-}"
	    "${PYTHON[@]:1}")
}

# What the program has open, without what libffi has.
opened() {
	find "/proc/$pid/fd" -type l -printf '%l\n' | grep -v libffi | sort
}

# loads_agent [PROLOGUE]: nothing of it stays in the program but the library,
# and Python's own modules that it took; nothing stays in folders.
loads_agent() {
	local known="s/'_socket', //; s/'_ctypes', //" before fds
	begin "${1-}${state//INSIDE/$INSIDE}"
	before=$(show) fds=$(opened)
	is "$(attach 1234)" "calls: 1, nonce: 1234"
	is "$(attach 5678)" "calls: 2, nonce: 5678"
	is "$(opened)" "$fds"
	is "$(show | sed "$known")" "$(sed "$known" <<<"$before")"
	run -1 attach 666
	[[ $output = "attach: process $pid cannot be attached to: its agent: No space left on device" ]]
	is "$(find "$PYTHON_ROOT/tmp" -maxdepth 1 -name 'tach-*[0-9a-f]' \
	    -newer "$OUTSIDE/program.py" ! -path "$OUTSIDE")" ""
}

on_agent() {
	need_python "$1"
	with_proc
	loads_agent "${@:2}"
}

@test "the agent is loaded: Python 3.14" { on_agent 3.14; }
@test "the agent is loaded: Python 3.15" { on_agent 3.15; }
@test "the agent is loaded: Python 3.14, free-threaded" { on_agent 3.14t; }
@test "the agent is loaded: Python 3.15, free-threaded" { on_agent 3.15t; }

without_ctypes='import sys; sys.modules["_ctypes"] = None
'
@test "no _ctypes: Python 3.14" { on_agent 3.14 "$without_ctypes"; }
@test "no _ctypes: Python 3.15, free-threaded" {
	on_agent 3.15t "$without_ctypes"
}

@test "the agent is loaded: another user's program" {
	need_root
	need_python 3.14
	[ -n "$PYTHON_ROOT" ] || skip "no Python of its own folder"
	with_proc --userspec=65534:65534
	chmod 777 "$OUTSIDE"
	loads_agent
}

@test "the agent is loaded: a PID namespace of its own" {
	need_root
	need_python 3.15t
	begin "${state//INSIDE/$INSIDE}"
	kill "$pid"
	rm "$OUTSIDE/ready"
	unshare -p -f true || skip "no PID namespaces here"
	start unshare -p -f --mount-proc "${PYTHON[@]}" "$INSIDE/program.py"
	until_ test -e "$OUTSIDE/ready"
	pid=$(pgrep -P "$pid")
	is "$(attach 1234)" "calls: 1, nonce: 1234"
	kill -KILL "$pid"
}

@test "a library that cannot be loaded" {
	need_python 3.15t
	begin "$busy"
	echo "no library" >agent.so
	run -1 attach 1234
	[[ $output = "attach: process $pid cannot load the agent: "*"agent.so: "* ]]
	rm agent.so
	is "$(attach 1234)" "calls: 1, nonce: 1234"
}

# The script finds nobody who waits for it.
@test "a recorder that is killed" {
	need_python 3.15t
	begin "$busy"
	program=$pid
	run -1 attach 666
	kill -STOP "$program"
	start "$TACH_BUILDDIR/t/unit/attach" "$program" agent.so 1234
	until_ eval "find /proc/$pid/fd -lname '/*/tach-*' -printf '%l\n' |
	    grep . >left && test -e \"\$(cat left)/attach.py\""
	kill -KILL "$pid"
	rm -r "$(cat left)"
	pid=$program
	kill -CONT "$pid"
	inject "$pid" "$INSIDE/script.py" 10
	until_ has_run 1
}
