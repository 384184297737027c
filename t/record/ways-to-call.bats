# SPDX-License-Identifier: ISC
# ways-to-call.bats: every way in which an interpreter has Python code call Python code,
# as both engines see it: the one by wall time, the other by CPU time, of a
# program that computes in one thread.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

# covered MINOR: its own list of specialised instructions has nothing that
# ways.py does not know, and each way of calling is specialised as it is said.
covered() {
	need_python "$1"
	cp "$T/programs/ways.py" "$OUTSIDE"
	is "$("${PYTHON[@]}" -B "$INSIDE/ways.py" 2>&1)" ""
}

@test "every specialised call is one of the ways: Python 3.11" { covered 3.11; }
@test "every specialised call is one of the ways: Python 3.12" { covered 3.12; }
@test "every specialised call is one of the ways: Python 3.13" { covered 3.13; }
@test "every specialised call is one of the ways: Python 3.14" { covered 3.14; }
@test "every specialised call is one of the ways: Python 3.15" { covered 3.15; }

# alike MINOR: no stack that cannot be in either, and none above a hundredth of
# the time that only one of them has.
alike() {
	need_python "$1"
	run "$T/bench/oracle" --fail -q -P tach -P tach-in -p "$PYTHON_TAG" \
	    -r 5k -s 1.5 ways
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^tach' <<<"$output")" -eq 2 ]
}

@test "both engines see each way that takes 1 % of the time: Python 3.13" { alike 3.13; }
@test "both engines see each way that takes 1 % of the time: Python 3.14" { alike 3.14; }
@test "both engines see each way that takes 1 % of the time: Python 3.15" { alike 3.15; }
@test "both engines see each way that takes 1 % of the time: Python 3.14, free-threaded" {
	alike 3.14t
}

@test "the judge knows stacks that only one of two profiles has" {
	run -0 python3 - "$T/bench" <<-'END'
		import collections, sys
		sys.path.insert(0, sys.argv[1])
		import judge
		def profile(**stacks):
		    p = judge.Judged.__new__(judge.Judged)
		    p.stacks = collections.Counter(stacks)
		    return p
		whole = profile(a=500, b=480, c=20, d=5)
		print([s for s, _, _ in whole.apart(profile(a=51, b=48, c=2))])
		print([s for s, _, _ in whole.apart(profile(a=960, b=40))])
	END
	is "$output" "[]"$'\n'"['b', 'c']"
}
