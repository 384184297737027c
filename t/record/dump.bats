# SPDX-License-Identifier: ISC
# dump.bats: tach-record --dump: the stacks of a running process, printed.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# runs PROGRAM [ARG]...: t/record/PROGRAM as $pid; returns once it has made
# its file ready.
runs() {
	cp "$T/record/$1" "$OUTSIDE/$1"
	start "${PYTHON[@]}" "$INSIDE/$1" "$INSIDE/ready" "${@:2}"
	until_ test -e "$OUTSIDE/ready"
}

# dump [OPTION]...: of $pid, as $output without its first line.
# shellcheck disable=SC2120
dump() {
	# shellcheck disable=SC2154
	run -0 --separate-stderr tach-record --dump "$@" -p "$pid"
	# shellcheck disable=SC2154
	echo "$stderr"
	[ -z "$stderr" ]
	# shellcheck disable=SC2154
	printf '%s\n' "$output"
	# shellcheck disable=SC2154
	[[ "${lines[0]}" == "process $pid, Python ${PYTHON_TAG%%-*}."*": "* ]]
	output=$(tail -n +2 <<<"$output")
}

# stack HEAD: the functions of the stack below the line that matches HEAD,
# outermost first, in one line.
stack() {
	awk -v head="$1" '/^[^ ]/ { on = $0 ~ head }
		on && /^    [^ ]/ { print $1 }' <<<"$output" |
	    tac | tr '\n' ' '
}

# ---- stacks -----------------------------------------------------------------

# It says that it is ready a moment before it waits.
waits() {
	dump
	[[ "$(stack main)" == "<module> wait_for_ever Thread.join "* ]]
}

deadlock() {
	need_python "$1"
	runs stuck.py
	until_ waits
	is "$(grep -c ^thread <<<"$output")" 4
	[[ "$(stack main)" == "<module> wait_for_ever Thread.join "* ]]
	grep -Eq '^thread [0-9]+( "[^"]*")?: (exception, )?main, idle$' \
	    <<<"$output"
	grep '^thread [0-9]* "MainThread": ' <<<"$output"
	grep '^thread [0-9]* "Thread-1[ "(]' <<<"$output"
	for f in first second; do
		grep -A1 '^    hold ' <<<"$output" | grep "^    $f "
	done
	grep -A2 -E '^thread .*: gil, cpu$' <<<"$output" | grep '^    work '
	is "$(grep -c 'idle$' <<<"$output")" 3
	is "$(grep -c "^    hold ($INSIDE/stuck.py:15)\$" <<<"$output")" 2
}

@test "a deadlock shows who waits and who works: 3.11" {
	deadlock 3.11
}

@test "a deadlock shows who waits and who works: 3.12" {
	deadlock 3.12
}

@test "a deadlock shows who waits and who works: 3.13" {
	deadlock 3.13
}

@test "a deadlock shows who waits and who works: 3.14" {
	deadlock 3.14
}

@test "a deadlock shows who waits and who works: 3.15" {
	deadlock 3.15
}

@test "what a terminal would obey is escaped" {
	need_python 3.13
	printf '%s\n' 'import sys, time' 'def wait():' \
	    '    open(sys.argv[1], "w").close()' '    time.sleep(60)' \
	    'n = "a\x1b[31m\n\x9bb\\é"' \
	    'wait.__code__ = wait.__code__.replace(co_name=n, co_qualname=n)' \
	    'wait()' >wait.py
	cp wait.py "$OUTSIDE"
	start "${PYTHON[@]}" "$INSIDE/wait.py" "$INSIDE/ready" $'x\ey'
	until_ test -e "$OUTSIDE/ready"
	dump
	absent -q $'[\001-\011\013-\037]' <<<"$output"
	grep -F '    a\033[31m\012\302\233b\134é (' <<<"$output"
}

# ---- local variables --------------------------------------------------------

# locals FUNCTION: of that frame, sorted, a line each.
locals() {
	awk -v f="$1" '/^    [^ ]/ { on = $1 == f }
		on && /^        / { sub(/^ */, ""); print }' <<<"$output" |
	    LC_ALL=C sort
}

variables() {
	local inner='outer.<locals>.inner'
	# There are no qualified names before 3.11.
	[[ $1 != 3.? && $1 != 3.10 ]] || inner=inner
	need_python "$1"
	runs variables.py
	dump --locals
	is "$(locals outer | sed 's/ at 0x[0-9a-f]*/ at A/')" "a = 1
args = (3,)
b = 'é\\x1b[31m'
inner = <function at A>
k = None
kw = {'z': True}
shared = 1
unset = None"
	is "$(locals "$inner" | sed 's/ at 0x[0-9a-f]*/ at A/')" \
	    "i = 3
items = (1, ('two',))
p = -7
point = <__main__.Point at A>
shared = 1"
	is "$(locals '<module>')" ""
}

@test "every frame has its local variables: 3.10" {
	variables 3.10
}

@test "every frame has its local variables: 3.8" {
	variables 3.8
}

@test "every frame has its local variables: 3.6" {
	variables 3.6
}

@test "every frame has its local variables: 3.11" {
	variables 3.11
}

@test "every frame has its local variables: 3.12" {
	variables 3.12
}

@test "every frame has its local variables: 3.13" {
	variables 3.13
}

@test "every frame has its local variables: 3.14" {
	variables 3.14
}

@test "every frame has its local variables: 3.15" {
	variables 3.15
}

# Of 40 dumps two thirds show what the program does for two thirds of its time,
# though that never lasts: not what can be read most easily.  A frame's variables
# are of one moment, or it says that they are not.
@test "variables of a thread that runs" {
	local n
	need_python 3.13
	cat >"$OUTSIDE/runs.py" <<-'END'
	import sys
	def work(x):
	    y = x + 1
	    return sum(range(y % 7))
	open(sys.argv[1], "w").close()
	while True:
	    for n in range(100):
	        work(n * 2)
	END
	start "${PYTHON[@]}" "$INSIDE/runs.py" "$INSIDE/ready"
	until_ test -e "$OUTSIDE/ready"
	for n in {1..40}; do
		timeout 10 tach-record --dump --locals -p "$pid"
	done >dumps
	(($(grep -c '^        x = [0-9]*[02468]$' dumps) >= 12))
	(($(grep -c '(changed while' dumps) <= 4))
	run -1 grep -q '^        x = [0-9]*[13579]$' dumps
	awk '/^    [^ ]/ { whole = y = 0; x = -1 }
		$1 == "x" { x = $3 } $1 == "y" { y = $3 }
		/changed while/ { x = -1 }
		/^    <module>/ && x >= 0 && y > 0 && y != x + 1 { exit 1 }' dumps
}

# ---- more than one process ---------------------------------------------------

@test "--subprocesses: all Pythons that come from it, and nothing else" {
	host_python
	cat >tree.py <<-'END'
	import os, subprocess, sys, time
	def inner():
	    open(sys.argv[1] + str(os.getpid()), "w").close()
	    time.sleep(60)
	def outer():
	    if os.fork() == 0:
	        inner()
	    inner()
	if len(sys.argv) > 2:
	    outer()
	s = subprocess.Popen(["sleep", "60"])
	p = subprocess.Popen([sys.executable, *sys.argv, "again"])
	try:
	    p.wait()
	finally:
	    s.kill()
	END
	mkdir up
	start "$python" tree.py up/
	until_ sh -c 'test "$(ls up | wc -l)" = 2'
	local children=(up/*)
	run -0 --separate-stderr tach-record --dump --subprocesses -p "$pid"
	kill "${children[@]#up/}"
	printf '%s\n' "$output"
	is "$stderr" ''
	is "$(sed -n 's/^process \([0-9]*\),.*/\1/p' <<<"$output" | sort)" \
	    "$(printf '%s\n' "$pid" "${children[@]#up/}" | sort)"
	[[ "$output" == "process $pid, "* ]]
	is "$(grep -c '^    inner ' <<<"$output")" 2
}

# ---- what cannot be ---------------------------------------------------------

@test "only with -p, and nothing that is for profiles" {
	for args in "" "true" "-p 1 true" "-p 1 -o x" "-p 1 --text" \
	    "-p 1 -d 1" "-p 1 --level 3" "-p 1 --merge"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr tach-record --dump $args
		[ -z "$output" ]
		[[ "$stderr" == *--dump* ]]
	done
	run -125 --separate-stderr tach-record --locals true
	[[ "$stderr" == *--locals* ]]
}

@test "a process that is no Python, none, or not ours" {
	start sleep 60
	run -125 --separate-stderr tach-record --dump -p "$pid"
	[ -z "$output" ]
	[[ "$stderr" == *"is not a running Python"* ]]
	run -125 --separate-stderr tach-record --dump -p 4194304
	[[ "$stderr" == *"no such process"* ]]
	need_root
	need setpriv util-linux
	host_python
	start "$python" -c 'import time; time.sleep(60)'
	sleep 0.2
	chmod 755 . .. ../..
	run -125 --separate-stderr setpriv --reuid 65534 --regid 65534 \
	    --clear-groups "$(command -v tach-record)" --dump -p "$pid"
	echo "$stderr"
	[[ "$stderr" == *"not permitted"* ]]
}

@test "--opcodes: the instruction that each frame is at" {
	host_python
	PYTHON=("$python")
	PYTHON_TAG=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	OUTSIDE=$PWD INSIDE=$PWD
	runs stuck.py
	dump --opcodes
	absent -vE '^$|^thread |^    .*\) [A-Z][A-Z0-9_]+$|<(built-in|wait)>\)$' \
	    <<<"$output"
	dump
	absent -E '\) [A-Z]' <<<"$output"
}

@test "each of many threads has its name" {
	host_python
	start "$python" -c '
import threading, time
for i in range(250):
    threading.Thread(target=time.sleep, args=(60,), name="many-%d" % i, daemon=True).start()
print("ready", flush=True)
time.sleep(60)' >told
	until_ grep -q ready told
	run -0 tach-record --dump -p "$pid"
	[ "$(grep -c '^thread [0-9]* "many-[0-9]*"' <<<"$output")" -eq 250 ]
}
