# SPDX-License-Identifier: ISC
# inject.bats: a running Python is made to run a script, by what 3.14 and
# later offer to debuggers; t/unit/inject does it as tach-record does.

load lib.bash

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

@test "a busy program: Python 3.14" { on_busy 3.14; }
@test "a busy program: Python 3.15" { on_busy 3.15; }
@test "a busy program: Python 3.14, free-threaded" { on_busy 3.14t; }
@test "a busy program: Python 3.15, free-threaded" { on_busy 3.15t; }

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

@test "among threads: Python 3.14" { among_threads 3.14; }
@test "among threads: Python 3.15" { among_threads 3.15; }
@test "among threads: Python 3.15, free-threaded" { among_threads 3.15t; }

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
