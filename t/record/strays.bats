# SPDX-License-Identifier: ISC
# strays.bats: thread states that do not name their threads: they are recorded as
# those of the threads that use them, or left out if none does.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	library=$BATS_FILE_TMPDIR/strays.so
}

setup_file() {
	"${CC:-cc}" -shared -fPIC -pthread -o "$BATS_FILE_TMPDIR/strays.so" \
	    "$T/record/strays.c"
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# begin KIND OPTION...: records that kind of program into p*.bin.
begin() {
	need zstd
	rm -rf ./*
	run -0 --separate-stderr tach-record -q "${@:2}" -o p.bin -- \
	    "$python" "$T/record/strays.py" "$1" 0.5 "$library"
	read -r child parent <<<"$output"
}

# threads FILE FUNCTION: the threads that were seen in it.
threads() {
	tach-cat "$1" | grep ":$2:" | cut -f 3 | sort -un
}

# ---- children of a fork ------------------------------------------------------

# forked KIND: what the child runs is its only thread's.
forked() {
	begin "$1" --subprocesses
	"$T/lib/truth.py" sound "p.$child.bin"
	is "$(threads "p.$child.bin" works)" "$child"
	is "$(threads "p.$child.bin" waits)" ''
	is "$(threads "p.$parent.bin" "$1")" "$parent"
	is "$stderr" "${2-}"
}

children() {
	host_python "$1"
	in_tries 3 forked fork
	in_tries 3 forked threads "tach-record: 3 thread states were left out: \
no thread of the process runs them, as in a child of a fork by C"
	in_tries 3 forked handler
}

@test "a child of a fork by C, or before Python knows, has its own thread only: 3.8" { children 3.8; }
@test "a child of a fork by C, or before Python knows, has its own thread only: 3.11" { children 3.11; }
@test "a child of a fork by C, or before Python knows, has its own thread only: 3.13" { children 3.13; }

@test "--dump shows the one thread of a child of a fork by C" {
	host_python 3.11
	start "$python" "$T/record/strays.py" threads 60 >told
	until_ test -s told
	read -r child parent <told
	STARTED+=("$child")
	run -0 --separate-stderr tach-record --dump -p "$child"
	is "$(grep ^thread <<<"$output")" \
	    "thread $child \"MainThread\": gil, cpu, main"
	grep works <<<"$output"
}

# ---- memory of a parent ------------------------------------------------------

@test "a child that has its parent's memory has no profile" {
	host_python 3.11
	for engine in remote inprocess; do
		begin spawn --subprocesses --engine=$engine
		[ -e "p.$parent.bin" ]
		[ ! -e "p.$child.bin" ]
	done
	rm -rf ./*
	start "$python" "$T/record/strays.py" spawn 60
	until_ test -p fifo
	until_ refused
}

# What waits has its parent's memory.
refused() {
	local child
	for child in $(cat "/proc/$pid/task/"*/children); do
		! { tach-record --dump -p "$child" 2>&1 || :; } |
		    found "memory of its parent" || return 0
	done
	return 1
}

# ---- threads that end, or take over ------------------------------------------

# ended: what the main thread left behind is not its any more.
ended() {
	begin exit
	"$T/lib/truth.py" sound p.bin
	[ -n "$(threads p.bin works)" ]
	is "$(tach-cat p.bin | tail -n 1 | cut -f 3)" "$(threads p.bin works)"
	is "$stderr" "tach-record: 1 thread state was left out: no thread of \
the process runs it, as in a child of a fork by C"
}

@test "a main thread that ends before others has no samples then: 3.8" {
	host_python 3.8
	in_tries 3 ended
}

@test "a main thread that ends before others has no samples then: 3.13" {
	host_python 3.13
	in_tries 3 ended
}

# used KIND: the thread that runs has samples on its CPU.
used() {
	begin "$1"
	"$T/lib/truth.py" sound p.bin
	tach-cat p.bin | grep :works: | cut -f 4 | sort | uniq -c |
	    sort -n | tail -n 1 | grep gil,cpu
	user=$(threads p.bin works)
	case $1 in
	lend) [ "$user" = "$parent" ] ;;
	borrow) [ "$user" != "$parent" ] ;;
	esac
}

users() {
	host_python "$1"
	in_tries 3 used lend
	in_tries 3 used borrow
}

@test "a state that another thread takes over is that of its user: 3.11" { users 3.11; }
@test "a state that another thread takes over is that of its user: 3.13" { users 3.13; }
