# SPDX-License-Identifier: ISC
# mixed.bats: stacks of Python and C (--dump --native), judged by the calls that are
# possible.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# judged MINOR STOPS ARGUMENT...: at random moments, each function of C stands between
# the two of Python that it has to stand between, and no stack is incomplete, unless
# there is an ARGUMENT.  Of the builds of that Python one in turn.
judged() {
	local tag command minor=$1 stops=$2
	shift 2
	need_python "$minor"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/programs/mixed.py" "$OUTSIDE"
		"${PYTHON[@]}" "$INSIDE/mixed.py" --edges >edges
		start "${PYTHON[@]}" "$@" "$INSIDE/mixed.py" >told
		until_ grep -q ready told
		python3 "$T/native/stops.py" "$pid" "$stops" edges >counts
		echo "$tag: $(cat counts)"
		grep ' 0 wrong,' counts
		# musl has no tables.
		[[ $tag == *-musl || $# -gt 0 ]] || grep ', 0 not exact,' counts
		end_started || :
	done < <(pythons "$minor" | in_turn)
}

@test "functions of C stand where they were called: 3.6" { judged 3.6 15; }
@test "functions of C stand where they were called: 3.7" { judged 3.7 15; }
@test "functions of C stand where they were called: 3.8" { judged 3.8 15; }
@test "functions of C stand where they were called: 3.9" { judged 3.9 15; }
@test "functions of C stand where they were called: 3.10" { judged 3.10 15; }
@test "functions of C stand where they were called: 3.11" { judged 3.11 15; }
@test "functions of C stand where they were called: 3.12" { judged 3.12 15; }
@test "functions of C stand where they were called: 3.13" { judged 3.13 15; }
@test "functions of C stand where they were called: 3.14" { judged 3.14 15; }
@test "functions of C stand where they were called: 3.15" { judged 3.15 15; }
@test "functions of C stand where they were called: 3.13t" { judged 3.13t 15; }
@test "functions of C stand where they were called: 3.14t" { judged 3.14t 15; }
@test "functions of C stand where they were called: 3.15t" { judged 3.15t 15; }

# Each call of a function of Python goes by code without a table.
@test "functions of C stand where they were called, with -X perf: 3.12" { judged 3.12 12 -X perf; }
@test "functions of C stand where they were called, with -X perf: 3.15" { judged 3.15 12 -X perf; }

# Above the JIT's code nothing is known; the stack goes on below it.
@test "functions of C stand where they were called, with the JIT: 3.14, 3.15" {
	export PYTHON_JIT=1
	judged 3.14 12 -B
	judged 3.15 12 -B
}

# sleeps: begins a program that sleeps where C has called it.
sleeps() {
	host_python 3.11 3.12 3.13
	cat >sleeps.py <<-'END'
		import time

		def key(x):
		    print('ready', flush=True)
		    time.sleep(600)

		def by_key():
		    sorted([1], key=key)

		by_key()
	END
	start "$python" sleeps.py >told
	until_ grep -q ready told
	until_ found '^State:	S' "/proc/$pid/status"
}

# kinds: a letter for each line of a stack on stdin: p(ython), b(uilt-in), v(ariable),
# c; of equal letters one.
kinds() {
	sed -n 's/^    [^ ].*\.py:[0-9]*)$/p/p; s/^    [^ ].*(<built-in>)$/b/p
	    s/^        .*/v/p; s/^    [^ ].*(\/.*)$/c/p' | uniq | tr -d '\n'
}

@test "the function that Python calls stands between it and the frames of C" {
	sleeps
	is "$(tach-record --dump --native -p "$pid" | kinds)" cbpcp
	is "$(tach-record --dump --native=all -p "$pid" | kinds)" cbcpcpc
	tach-record --dump --native -p "$pid" >dump
	found 'idle' <dump
	found '^    time.sleep (<built-in>)$' <dump
	absent '<native?>' <dump
}

@test "local variables stand below their own functions, among frames of C" {
	sleeps
	tach-record --dump --native --locals -p "$pid" >dump
	is "$(kinds <dump)" cbpvcp
	is "$(grep -A 1 '^    key ' dump | tail -n 1)" "        x = 1"
}

# calls FUNCTION: begins a program that sleeps where FUNCTION of a library, called.so, has
# called it by way of another one.
calls() {
	need cc
	host_python 3.11 3.12 3.13
	"$python" -c 'import ctypes' || skip "no ctypes in $python"
	cc -shared -fPIC -O1 -fno-optimize-sibling-calls -o called.so -xc - <<-END
		int back(int (*f)(int)) { return f(1) + 1; }
		int $1(int (*f)(int)) { return back(f) + 1; }
	END
	cat >calls.py <<-END
		import ctypes, time
		def sleeping(x):
		    print('ready', flush=True)
		    time.sleep(600)
		    return x
		library = ctypes.CDLL('./called.so')
		library.$1(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(sleeping))
	END
	start "$python" calls.py >told
	until_ grep -q ready told
}

@test "a library that was deleted, and one in its place, have their functions' names" {
	calls other
	rm called.so
	echo 'no library' >called.so
	tach-record --dump --native -p "$pid" >dump
	is "$(sed -n 's/^    \([a-z]*\) (.*called.so)$/\1/p' dump)" $'back\nother'
	absent deleted <dump
}

@test "a function of a library is shown, if its name is one of the interpreter's, too" {
	calls do_call
	tach-record --dump --native -p "$pid" >dump
	is "$(sed -n 's/^    \([a-z_]*\) (.*called.so)$/\1/p' dump)" $'back\ndo_call'
}

@test "a thread that another program traces has its frames of Python, and a reason" {
	need strace
	sleeps
	strace -o /dev/null -p "$pid" 3>&- &
	STARTED+=($!)
	until_ found "^TracerPid:	$!" "/proc/$pid/status"
	run -0 tach-record --dump --native -p "$pid"
	is "$(kinds <<<"$output")" bp
	found '^    <native?> (a thread that did not stop)$' <<<"$output"
}

@test "threads are not stopped again while their names are sought" {
	need strace
	host_python 3.11 3.12 3.13
	cat >threads.py <<-'END'
		import threading, time
		for i in range(20):
		    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
		print('ready', flush=True)
		time.sleep(600)
	END
	start "$python" threads.py >told
	until_ grep -q ready told
	strace -o calls -e trace=ptrace tach-record --dump --native -p "$pid" >dump
	is "$(grep -c '^thread ' dump)" 21
	# A thread amid the making of a call is stopped again.
	[ "$(grep -c PTRACE_SEIZE calls)" -lt 42 ]
}
