# SPDX-License-Identifier: ISC
# dump.bats: tach-record --dump: the stacks of a running process, printed.

load lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# runs PROGRAM [ARG]...: t/programs/PROGRAM as $pid; returns once it has made
# its file ready.
runs() {
	cp "$T/programs/$1" "$OUTSIDE/$1"
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

deadlock() {
	need_python "$1"
	runs stuck.py
	dump
	is "$(grep -c ^thread <<<"$output")" 4
	[[ "$(stack main)" == "<module> wait_for_ever Thread.join "* ]]
	grep -Eq '^thread [0-9]+( "[^"]*")?: (exception, )?main, idle$' \
	    <<<"$output"
	for f in first second; do
		grep -B1 -A1 '^    hold ' <<<"$output" | grep -A1 -B2 "^    $f "
	done
	grep -A1 -E '^thread .*: gil, cpu$' <<<"$output" | grep '^    work '
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
	! grep -q $'[\001-\011\013-\037]' <<<"$output" || return 1
	grep -F '    a\033[31m\012\302\233b\134é (' <<<"$output"
}

# ---- what cannot be ---------------------------------------------------------

@test "only with -p, and nothing that is for profiles" {
	for args in "" "true" "-p 1 true" "-p 1 -o x" "-p 1 --text" \
	    "-p 1 -d 1" "-p 1 --level 3"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr tach-record --dump $args
		[ -z "$output" ]
		[[ "$stderr" == *--dump* ]]
	done
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
