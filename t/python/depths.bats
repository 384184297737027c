# SPDX-License-Identifier: ISC
# depths.bats: how many values lie on a frame's evaluation stack before each instruction,
# and where a call has its callable: as dis.stack_effect has it along all paths, and as
# the memory of frames has it at each instruction of real programs.

load ../lib/lib.bash

# count NAME: a number of what t/unit/depths printed.
count() {
	sed -nE "s/^(.*, )?([0-9]+) $1.*/\2/p" <<<"$output"
}

# depths MINOR COMPARED SEEN UNKNOWN CALLS: there were at least so many code units
# compared, depths and calls, and at most so many depths and calls unknown.
depths() {
	need_python "$1"
	"${PYTHON[@]}" -c 'import ctypes' || skip "no ctypes in $PYTHON_TAG"
	cp "$T/python/depths.py" "$T/python/shapes.py" "$OUTSIDE"
	"${PYTHON[@]}" "$INSIDE/depths.py" "$INSIDE/depths" "$INSIDE/shapes.py"
	run "$TACH_BUILDDIR/t/unit/depths" <"$OUTSIDE/depths"
	echo "$PYTHON_TAG: $output"
	[ "$status" -eq 0 ]
	[ "$(count compared)" -ge "$2" ]
	[ "$(count 'depths seen')" -ge "$3" ]
	[ "$(count unknown | sort -n | tail -n 1)" -le "$4" ]
	[ "$(count 'in one slot')" -ge "$5" ]
}

# Unknown are, up to 3.8, bodies of finally, which are shared.
@test "depths and callables are where the frames have them: Python 3.6" { depths 3.6 0 30000 220 1500; }
@test "depths and callables are where the frames have them: Python 3.7" { depths 3.7 0 30000 220 1500; }
@test "depths and callables are where the frames have them: Python 3.8" { depths 3.8 0 30000 250 1500; }
@test "depths and callables are where the frames have them: Python 3.9" { depths 3.9 100000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.10" { depths 3.10 100000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.11" { depths 3.11 200000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.12" { depths 3.12 500000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.13" { depths 3.13 500000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.13, free-threaded" { depths 3.13t 300000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.14" { depths 3.14 500000 30000 0 1500; }
@test "depths and callables are where the frames have them: Python 3.15" { depths 3.15 500000 30000 0 1500; }

# interpreter DIR MINOR: the command that starts the Python of these headers, as
# $command.
interpreter() {
	local line root
	while IFS=$'\t' read -r _ line; do
		read -ra command <<<"$line"
		root=
		[ "${command[0]}" != chroot ] || root=${command[1]}
		[[ $1 != "$root${command[-1]%/bin/*}/include/"* ]] || return 0
	done < <(pythons "$2")
	return 1
}

check_effects() {
	local dir command
	headers "3.$1" >"$BATS_TEST_TMPDIR/dirs"
	[ -s "$BATS_TEST_TMPDIR/dirs" ] || skip "no headers of Python 3.$1 here"
	while read -r dir; do
		echo "$dir"
		interpreter "$dir" "3.$1"
		"$TACH_SRCDIR/lib/python/mkdepths" "$dir" "${command[@]}" \
		    >"$BATS_TEST_TMPDIR/made"
		diff -u "$TACH_SRCDIR/lib/python/effects_3_$1.c" \
		    "$BATS_TEST_TMPDIR/made"
	done <"$BATS_TEST_TMPDIR/dirs"
}

@test "the effects are what the interpreter gives: 3.6" { check_effects 6; }
@test "the effects are what the interpreter gives: 3.7" { check_effects 7; }
@test "the effects are what the interpreter gives: 3.8" { check_effects 8; }
@test "the effects are what the interpreter gives: 3.9" { check_effects 9; }
@test "the effects are what the interpreter gives: 3.10" { check_effects 10; }
@test "the effects are what the interpreter gives: 3.11" { check_effects 11; }
@test "the effects are what the interpreter gives: 3.12" { check_effects 12; }
@test "the effects are what the interpreter gives: 3.13" { check_effects 13; }
@test "the effects are what the interpreter gives: 3.14" { check_effects 14; }
@test "the effects are what the interpreter gives: 3.15" { check_effects 15; }

@test "the effects of a free-threaded Python are the same: 3.13" {
	need_python 3.13t
	"$TACH_SRCDIR/lib/python/mkdepths" \
	    "${PYTHON%/bin/*}/include/python3.13t" "${PYTHON[@]}" \
	    >"$BATS_TEST_TMPDIR/made"
	diff -u "$TACH_SRCDIR/lib/python/effects_3_13.c" "$BATS_TEST_TMPDIR/made"
}
