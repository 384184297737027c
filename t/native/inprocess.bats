# SPDX-License-Identifier: ISC
# inprocess.bats: stacks of Python and C of threads that sample themselves
# (--engine=inprocess --native), judged by the calls that are possible.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

record() {
	tach-record --engine=inprocess --native "$@"
}

# judged_once COMMAND: no stack is wrong, and there are many.
judged_once() {
	record -q --kill -d 3 -o p.tach -- "$@" "$T/programs/mixed.py" >told
	# Programs begin with imports, which are not among the calls that are possible.
	tach-convert --jsonl -o - p.tach | grep 'mixed.py:run:' >samples || return 1
	python3 "$T/native/recorded.py" edges <samples >counts || return 3
	cat counts
	[ "$(wc -l <samples)" -gt 50 ]
}

# judged MINOR: in each interpreter that sees our agent's file, or in one in turn.  musl
# has no tables.
judged() {
	local command found=
	need_python "$1"
	while IFS=$'\t' read -r _ command; do
		found=1
		"$command" "$T/programs/mixed.py" --edges >edges
		in_tries 3 judged_once "$command"
	done < <(pythons "$1" | grep -vE -- $'-musl\t|\tchroot ' | in_turn)
	[ -n "$found" ] || skip "no Python $1 here that is in no root of its own"
}

@test "in-process, functions of C stand where they were called: 3.6" { judged 3.6; }
@test "in-process, functions of C stand where they were called: 3.7" { judged 3.7; }
@test "in-process, functions of C stand where they were called: 3.8" { judged 3.8; }
@test "in-process, functions of C stand where they were called: 3.9" { judged 3.9; }
@test "in-process, functions of C stand where they were called: 3.10" { judged 3.10; }
@test "in-process, functions of C stand where they were called: 3.11" { judged 3.11; }
@test "in-process, functions of C stand where they were called: 3.12" { judged 3.12; }
@test "in-process, functions of C stand where they were called: 3.13" { judged 3.13; }
@test "in-process, functions of C stand where they were called: 3.13t" { judged 3.13t; }
@test "in-process, functions of C stand where they were called: 3.14t" { judged 3.14t; }
@test "in-process, functions of C stand where they were called: 3.15t" { judged 3.15t; }

# attached_once: the same in a program that runs already.
attached_once() {
	record -q -d 3 -o p.tach -p "$pid"
	tach-convert --jsonl -o samples p.tach
	python3 "$T/native/recorded.py" edges <samples >counts || return 3
	cat counts
	[ "$(wc -l <samples)" -gt 50 ]
}

# attached MINOR: in a root of its own, too.
attached() {
	need_python "$1"
	if [ -n "$PYTHON_ROOT" ]; then
		unshare -m true || skip "no mount namespaces here"
		# shellcheck disable=SC2016
		PYTHON=(unshare -m sh -c
		    'mount --bind /proc "$1/proc" && exec chroot "$@"' sh
		    "${PYTHON[@]:1}")
	fi
	cp "$T/programs/mixed.py" "$OUTSIDE"
	"${PYTHON[@]}" "$INSIDE/mixed.py" --edges >edges
	start "${PYTHON[@]}" "$INSIDE/mixed.py" >told
	until_ grep -q ready told
	in_tries 3 attached_once
}

@test "in-process by -p, functions of C stand where they were called: 3.14" { attached 3.14; }
@test "in-process by -p, functions of C stand where they were called: 3.15" { attached 3.15; }

# waits: what a thread that waits for seconds, and one that waits again and again, have
# in their stacks of wall time.
waits() {
	cat >waits.py <<-'END'
		import threading, time

		def by_sort(key):
		    sorted([1], key=key)

		def long(x):
		    time.sleep(600)

		def short(x):
		    while True:
		        time.sleep(0.01)

		for key in long, short:
		    threading.Thread(target=by_sort, args=(key,), daemon=True).start()
		time.sleep(2)
	END
	record --mode=wall -q -o p.tach -- "$python" waits.py
	tach-convert --collapsed -o stacks p.tach
}

@test "in-process, waits have the functions of C above and below them" {
	host_python 3.11 3.12 3.13
	waits
	for f in long short; do
		grep "by_sort:[^;]*;.*sort.*;waits.py:$f:.*sleep" stacks |
		    found 'agent[^;]*:clock_nanosleep:0;<wait>:sleep:0 '
	done
	# What the agent does around a wait is no part of the program.
	absent 'mask_ours' <stacks
	grep 'waits\.py' stacks | absent 'native?'
}

# beside: a thread computes whose stack ends where memory is unmapped and mapped again.
beside() {
	need cc
	cc -shared -fPIC -O1 -pthread -o beside.so -xc - <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <sys/mman.h>
		#define STACK (1 << 20)
		#define ABOVE (1 << 18)
		static volatile int done;
		static void *run(void *f) {
			((void (*)(void))f)();
			done = 1;
			return 0;
		}
		void *map(void *at, int size) {
			return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			    MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
		}
		void beside(void (*f)(void)) {
			char *stack = map(0, STACK + ABOVE);
			pthread_attr_t a;
			pthread_t t;
			pthread_attr_init(&a);
			pthread_attr_setstack(&a, stack, STACK);
			pthread_create(&t, &a, run, f);
			while (!done) {
				munmap(stack + STACK, ABOVE);
				map(stack + STACK, ABOVE);
			}
		}
	END
	cat >beside.py <<-'END'
		import ctypes, time

		def beside():
		    end = time.time() + 2
		    while time.time() < end:
		        sum(range(1000))

		ctypes.CDLL('./beside.so').beside(ctypes.CFUNCTYPE(None)(beside))
	END
}

@test "in-process, nothing is read behind the end of a thread's stack" {
	host_python 3.11 3.12 3.13
	"$python" -c 'import ctypes' || skip "no ctypes in $python"
	beside
	tach-record --engine=inprocess --native=all -q -r 5000 -o p.tach -- \
	    "$python" beside.py
	tach-convert --collapsed -o - p.tach | found 'beside.so.*beside.py:beside:'
}

# builtin_sum, or the name by the tables of a stripped interpreter.
@test "in-process, --native=all has what is below the interpreter's loop" {
	host_python 3.11 3.12 3.13
	echo 'sum(range(10**9))' >busy.py
	tach-record --engine=inprocess --native=all -q --kill -d 1 -o p.tach -- \
	    "$python" busy.py
	tach-convert --collapsed -o - p.tach |
	    found '__libc_start_main.*;busy.py:<module>:1;.*;[^;<]*sum'
}

@test "in-process, notes count the stacks with functions of C, and those that are whole" {
	host_python 3.11 3.12 3.13
	echo 'sum(range(10**9))' >busy.py
	record -q --kill -d 1 -o p.tach -- "$python" busy.py
	tach-info p.tach | found 'native stacks=[1-9][0-9]* whole=[1-9]'
}
