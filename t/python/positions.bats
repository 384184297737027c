# SPDX-License-Identifier: ISC
# positions.bats: lines, end lines and columns of every instruction of the
# standard library are what the interpreter says: co_positions() since 3.11,
# co_lines() in 3.10, dis.findlinestarts() before.

load ../lib/lib.bash
load ../lib/truth.bash

# positions MINOR AT_LEAST: as many code units as that were compared.
positions() {
	local units
	need_python "$1"
	cp "$T/python/positions.py" "$OUTSIDE"
	"${PYTHON[@]}" "$INSIDE/positions.py" "$INSIDE/positions"
	run "$TACH_BUILDDIR/t/unit/positions" <"$OUTSIDE/positions"
	echo "$PYTHON_TAG: $output"
	[ "$status" -eq 0 ]
	units=$(grep -oE '[0-9]+ code units' <<<"$output")
	[ "${units% code units}" -gt "$2" ]
}

@test "every instruction's place is as the interpreter says: Python 3.6" { positions 3.6 500000; }
@test "every instruction's place is as the interpreter says: Python 3.7" { positions 3.7 500000; }
@test "every instruction's place is as the interpreter says: Python 3.8" { positions 3.8 500000; }
@test "every instruction's place is as the interpreter says: Python 3.9" { positions 3.9 500000; }
@test "every instruction's place is as the interpreter says: Python 3.10" { positions 3.10 500000; }
@test "every instruction's place is as the interpreter says: Python 3.11" { positions 3.11 1500000; }
@test "every instruction's place is as the interpreter says: Python 3.12" { positions 3.12 1500000; }
@test "every instruction's place is as the interpreter says: Python 3.13" { positions 3.13 1500000; }
@test "every instruction's place is as the interpreter says: Python 3.14" { positions 3.14 1500000; }
@test "every instruction's place is as the interpreter says: Python 3.15" { positions 3.15 1500000; }
