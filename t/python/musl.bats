# SPDX-License-Identifier: ISC
# musl.bats: Pythons that stand on musl, not glibc: see t/peers/musl.

load ../lib/lib.bash
load ../lib/truth.bash

teardown() {
	end_started
	drop_shared
}

musl() {
	need_one 3.14-musl
}

# ---- from outside -----------------------------------------------------------

@test "a stack of 10,000 frames is whole" {
	musl
	noted stacks deep
}

@test "52 threads are seen all along, each where it stood" {
	musl
	noted threads threads
}

@test "threads that come and go are seen where they stood" {
	musl
	noted stacks churn
}

@test "a known split of time is seen, to two points" {
	musl
	shares
}

@test "no call that cannot be, in chains of calls in turn" {
	musl
	calls chains 1.5
}

names() {
	tach-record "${ENGINE[@]}" -q -o p.bin -- "${PYTHON[@]}" \
	    "$T/python/named.py" truth
	"$T/python/names.py" p.bin truth
}

@test "each thread has its id, and the names that its program gave it" {
	musl
	in_tries 3 names
}

# ---- from inside ------------------------------------------------------------

@test "in-process: threads that come and go are seen where they stood" {
	musl
	ENGINE=(--engine=inprocess)
	noted stacks churn
}

planned() {
	tach-record --engine=inprocess -r 5k -q -o p.bin -- "${PYTHON[@]}" \
	    "$programs/split.py" 1.5 2>shares
	"$T/lib/truth.py" shares p.bin a=10 b=20 c=30 d=40
}

@test "in-process: a known split of CPU time is seen, to two points" {
	musl
	in_tries 3 planned
}

@test "in-process: no call that cannot be, in chains of calls in turn" {
	musl
	ENGINE=(--engine=inprocess)
	calls chains 1.5
}

@test "in-process: each thread has its id, and the names that its program gave it" {
	musl
	ENGINE=(--engine=inprocess)
	in_tries 3 names
}

@test "in-process: a process on musl cannot load glibc's agent later, and says so" {
	musl
	start "${PYTHON[@]}" -c 'while True: pass'
	is_up
	run -125 --separate-stderr tach-record --engine=inprocess -q -d 1 \
	    -o p.bin -p "$pid"
	# shellcheck disable=SC2154
	echo "$stderr"
	[[ $stderr = *"cannot load the agent: "*"initial-exec TLS"* ]]
	kill -0 "$pid"
}
