# SPDX-License-Identifier: ISC
# inprocess-truth.bats: tach-record --engine=inprocess: threads that take samples of
# themselves, judged as those that are taken from outside are.

load ../lib/lib.bash
load ../lib/truth.bash
load ../lib/inprocess.bash

# The planned shares of CPU time, within two percentage points.
planned() {
	tach-record "${ENGINE[@]}" -r 5k -q -o p.bin -- "${PYTHON[@]}" \
	    "$programs/split.py" 1.5 2>shares
	cat shares
	"$T/lib/truth.py" shares p.bin a=10 b=20 c=30 d=40
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

@test "shares to two points, and no call that cannot be: 3.8" { judged 3.8-pyenv 3.8-system; }
@test "shares to two points, and no call that cannot be: 3.9" { judged 3.9-pyenv 3.9-system; }
@test "shares to two points, and no call that cannot be: 3.10" { judged 3.10-pyenv 3.10-system; }
@test "shares to two points, and no call that cannot be: 3.11" { judged 3.11-system 3.11-pyenv; }
@test "shares to two points, and no call that cannot be: 3.11, libpython3.11.so" { judged 3.11-pyenv 3.11-shared; }
@test "shares to two points, and no call that cannot be: 3.12" { judged 3.12-pyenv 3.12-system; }
@test "shares to two points, and no call that cannot be: 3.13" { judged 3.13-pyenv 3.13-system; }
@test "shares to two points, and no call that cannot be: 3.13, free-threaded" { judged 3.13t-nogil; }
@test "shares to two points, and no call that cannot be: 3.14" { judged 3.14-forky; }
@test "shares to two points, and no call that cannot be: 3.15" { judged 3.15-forky; }
@test "shares to two points, and no call that cannot be: 3.15, libpython3.15.so" { judged 3.15-shared; }
@test "shares to two points, and no call that cannot be: 3.14, free-threaded" { judged 3.14t-nogil; }
@test "shares to two points, and no call that cannot be: 3.15, free-threaded" { judged 3.15t-nogil; }
