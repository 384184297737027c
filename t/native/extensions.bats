# SPDX-License-Identifier: ISC
# extensions.bats: stacks of Python and C in programs in which extensions of many kinds
# call Python, by both engines, judged by the calls that are possible.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

# judged_once OPTION... KIND: no stack is wrong, and hardly one is not exact.
judged_once() {
	local status=0
	"$T/bench/extensions" --fail -p "$tag" -s 2 "$@" >rows || status=$?
	cat rows
	# What is wrong is wrong on a busy machine, too.
	absent 'times:$' <rows || return 3
	[ "$status" -ne 77 ] || touch skipped
	[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

judged_on() {
	in_tries 2 judged_once "$@"
	[ ! -e skipped ] || skip "$(sed -n 's/.*not run: //p' rows | head -n 1)"
}

# judged KIND: by the distribution's own Python, which has packages, or else by one that
# has its headers.
judged() {
	local tag
	tag=$(pythons 3.11 3.12 3.13 | grep -v $'\tchroot ' | sort -t - -k 2,2r | head -n 1 |
	    cut -f 1)
	[ -n "$tag" ] || skip "no Python 3.11 to 3.13 here: see t/peers/"
	judged_on -r 1000 "$1"
}

# judged_by TAG OPTION... KIND: by this Python.
judged_by() {
	local tag=$1
	pythons "${tag%-*}" | found "^$tag" || skip "no $tag here: see t/peers/"
	judged_on "${@:2}"
}

@test "functions of C stand where they were called: Cython" { judged cython; }
@test "functions of C stand where they were called: pybind11" { judged pybind; }
@test "functions of C stand where they were called: C++ with exceptions" { judged cplus; }
@test "functions of C stand where they were called: Rust" { judged rust; }
@test "functions of C stand where they were called: numpy" { judged arrays; }
@test "functions of C stand where they were called: cffi and ctypes" { judged foreign; }
@test "functions of C stand where they were called: sub-interpreters" { judged interpreters; }
@test "functions of C stand where they were called: greenlets" { judged greenlets; }
# A stack of C changes hands within microseconds.
@test "while stacks are switched, functions of C stand where they were called: greenlets" {
	judged_by 3.14-forky -r 10k greenlets
}
@test "while stacks are switched, functions of C stand where they were called: interpreters" {
	judged_by 3.14-forky -r 10k interpreters
}
# To 3.10 the loop of a frame is found by the frame's address.
@test "functions of C stand where they were called: sub-interpreters, Python 3.9" {
	judged_by 3.9-pyenv -r 1000 interpreters
}
@test "functions of C stand where they were called: sub-interpreters, Python 3.10" {
	judged_by 3.10-pyenv -r 1000 interpreters
}
# musl's C library has no tables for unwinding.
@test "functions of C stand where they were called: musl" {
	judged_by 3.14-musl -r 1000 -e remote mixed
}
@test "functions of C stand where they were called: gevent" { judged gevents; }
