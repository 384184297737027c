# SPDX-License-Identifier: ISC
# inprocess.bats: tach-record --engine=inprocess: threads that take samples of
# themselves, judged as those that are taken from outside are.

load lib.bash
load truth.bash

teardown() {
	end_started
	drop_shared
}

ENGINE=(--engine=inprocess)

# The planned shares of CPU time, within two percentage points.
planned() {
	tach-record "${ENGINE[@]}" -r 5k -q -o p.bin -- "${PYTHON[@]}" \
	    "$programs/split.py" 1.5 2>shares
	cat shares
	"$T/truth.py" shares p.bin a=10 b=20 c=30 d=40
}

# count NAME PROFILE: of the note that tells what the agents counted.
count() {
	tach-info "$2" | sed -n "s/^note: *inprocess .*\<$1=\([0-9]*\).*/\1/p"
}

# few_lost: a signal can hit where a frame is only half made, and nothing else
# is lost.
few_lost() {
	local samples invalid
	samples=$(count samples p.bin) invalid=$(count invalid p.bin)
	tach-info p.bin
	[ "$samples" -ge 20 ]
	[ $((invalid * 50)) -le "$samples" ]
	is "$(count damaged p.bin)" 0
}

chained() {
	calls chains 1
	few_lost
}

# judged TAG...: shares, and stacks at a high rate that all can be.
judged() {
	need_one "$@"
	in_tries 3 planned
	in_tries 3 chained
	rooted
	few_lost
}

@test "3.8" { judged 3.8-pyenv 3.8-system; }
@test "3.9" { judged 3.9-pyenv 3.9-system; }
@test "3.10" { judged 3.10-pyenv 3.10-system; }
@test "3.11" { judged 3.11-system 3.11-pyenv; }
@test "3.11, libpython3.11.so" { judged 3.11-pyenv 3.11-shared; }
@test "3.12" { judged 3.12-pyenv 3.12-system; }
@test "3.13" { judged 3.13-pyenv 3.13-system; }
@test "3.13, free-threaded" { judged 3.13t-nogil; }
@test "3.14, free-threaded" { judged 3.14t-nogil; }
@test "3.15, free-threaded" { judged 3.15t-nogil; }

# ---- the command line ----------------------------------------------------------

@test "--engine: which there are, and what is the remote one's" {
	run -125 tach-record --engine=x true
	[[ "$output" == *"--engine cannot be x"* ]]
	run -125 tach-record --engine=inprocess --async=all true
	[[ "$output" == *"--async needs --engine=remote"* ]]
	run -125 tach-record --engine=inprocess --dump -p $$
	[[ "$output" == *"--dump needs --engine=remote"* ]]
}

@test "the mode is cpu, unless another is asked for" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c 'sum(range(10**7))'
	tach-info p.bin | grep '^mode: *cpu'
	tach-record "${ENGINE[@]}" -m wall -q -o p.bin -- "$python" -c \
	    'sum(range(10**7))'
	tach-info p.bin | grep '^mode: *wall'
}

@test "the exit status is the command's, and its environment as without us" {
	host_python 3.12 3.11
	run -7 tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os
print([n for n in os.environ if n in ("LD_PRELOAD", "TACH_AGENT")],
      flush=True)
os._exit(7)'
	is "$output" "[]"
	run -139 tach-record "${ENGINE[@]}" -q -o p.bin -- "$python" -c '
import os, time
end = time.time() + 0.3
while time.time() < end: pass
os.kill(os.getpid(), 11)'
	tach-info -c p.bin
}

@test "the summary says what it cost and what was lost" {
	host_python 3.12 3.11
	tach-record "${ENGINE[@]}" -o p.bin -- "$python" \
	    "$T/programs/split.py" 0.5 2>err
	cat err
	grep -q 'in-process by the .*clock.*stacks taken in .* us each' err
	[ "$(count samples p.bin)" -gt 50 ]
	[ "$(count weight p.bin)" -ge "$(count samples p.bin)" ]
}

@test "a command that is not there, or no Python" {
	run -127 tach-record "${ENGINE[@]}" -o p.bin -- ./none
	run -125 tach-record "${ENGINE[@]}" -o p.bin -- true
	[[ "$output" == *"no Python was seen in true"* ]]
	[ ! -e p.bin ]
}
