# SPDX-License-Identifier: ISC
# failures.bats: few samples fail, of programs whose stacks change while they are read.
# How many do is judged of a machine at rest: one whose CPU another process has as well
# does not get on while the recorder waits for it.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

# How tach-record reads threads that run.
HOW=outside
in_interrupts() {
	need_interrupts
	HOW=''
	"$@"
}

CPUS=
fails_seldom() {
	local load=$1
	shift
	$HOW ${CPUS:+taskset -c "$CPUS"} tach-record -q -o p.bin "$@" \
	    -- "${PYTHON[@]}" "$INSIDE/programs/loads.py" "$load" seconds 4 1 \
	    <<<go >played
	run -0 tach-info --json p.bin
	echo "$output"
	python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["samples"] > 2000
assert info["recorded"]["errors_percent"] < 0.1' <<<"$output"
}

# few_fail MINOR LOAD OPTION...: for four seconds, at 1 kHz, on the $CPUS; within
# so many $TRIES.
TRIES=1
few_fail() {
	need_python "$1"
	shift
	cp -r "$T/programs" "$OUTSIDE/programs"
	in_tries "$TRIES" fails_seldom "$@"
}

@test "a thread stopped amid a call is stopped once more" {
	few_fail 3.12 contexts --blocking
}

# With no such pause 0.2 to 0.6 % fail.  While other processes have that CPU as well,
# the thread does not get on in the pause, so this is for a machine at rest.
@test "a thread that we keep amid a call may go on" {
	CPUS=$(taskset -cp $$ | sed 's/.*[ ,-]//') TRIES=5
	few_fail 3.12 callbacks
}

@test "what a function leaves behind is finalized after it: Python 3.12" {
	few_fail 3.12 finalizers
}
@test "what a function leaves behind is finalized after it: Python 3.15" {
	few_fail 3.15 finalizers
}

# They last some 200 us each.  A call that is seen for the first time can fail,
# and where a thread begins there are many that are seldom seen.
@test "threads that come and go are read: Python 3.11" {
	TRIES=3
	few_fail 3.11 churning
}
@test "threads that come and go are read: Python 3.13" {
	TRIES=3
	few_fail 3.13 churning
}
@test "threads that come and go are read: Python 3.15" {
	TRIES=3
	few_fail 3.15 churning
}

@test "few samples fail in interrupts: Python 3.9" {
	in_interrupts few_fail 3.9 contexts
}
@test "few samples fail in interrupts: Python 3.13" {
	in_interrupts few_fail 3.13 contexts
}
