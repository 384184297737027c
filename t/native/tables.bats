# SPDX-License-Identifier: ISC
# tables.bats: functions of stripped interpreters and extension modules are named by
# CPython's own tables, as live objects of the same interpreter name them.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# tables PYTHON RIGHT: at least so many names are right, none is wrong, and at most one
# function of two hundred has none.
tables() {
	need strip binutils
	need_python "$1"
	"${PYTHON[@]}" -c 'import ctypes' || skip "no ctypes in $PYTHON_TAG"
	mkdir stripped
	"${PYTHON[@]}" - <"$T/native/objects.py" 7</proc >objects
	python3 "$T/native/judge.py" "$TACH_BUILDDIR/t/unit/symbols" "$PYTHON_ROOT" \
	    stripped <objects >judged
	cat judged
	run -0 tail -n 1 judged
	[[ $output =~ ^right=([0-9]+)\ wrong=0\ dynsym=[0-9]+\ unnamed=([0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" -ge "$2" ]
	[ $((BASH_REMATCH[2] * 200)) -le "${BASH_REMATCH[1]}" ]
}

@test "C functions have their objects' names, none is wrong: Python 3.6-pyenv" { tables 3.6-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.6-bionic" { tables 3.6-bionic 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.7-pyenv" { tables 3.7-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.7-bionic" { tables 3.7-bionic 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.8-pyenv" { tables 3.8-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.8-focal" { tables 3.8-focal 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.9-pyenv" { tables 3.9-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.9-bullseye" { tables 3.9-bullseye 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.10-pyenv" { tables 3.10-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.10-jammy" { tables 3.10-jammy 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.11-pyenv" { tables 3.11-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.11d" { tables 3.11d 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.12-pyenv" { tables 3.12-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.12-noble" { tables 3.12-noble 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.13-pyenv" { tables 3.13-pyenv 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.13-forky" { tables 3.13-forky 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.13t" { tables 3.13t 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.13d" { tables 3.13d 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.14-forky" { tables 3.14-forky 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.14t" { tables 3.14t 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.14d" { tables 3.14d 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.15-forky" { tables 3.15-forky 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.15t" { tables 3.15t 2500; }
@test "C functions have their objects' names, none is wrong: Python 3.15d" { tables 3.15d 2500; }

# The other half of them is put into its types at run time, by code.
@test "C functions of numpy have their objects' names, none is wrong: 400 of them" {
	need strip binutils
	need_python 3.11-system
	"${PYTHON[@]}" -c 'import ctypes, numpy' || skip "no numpy in $PYTHON_TAG"
	mkdir stripped
	"${PYTHON[@]}" - numpy <"$T/native/objects.py" 7</proc | grep /numpy/ >objects
	run -0 python3 "$T/native/judge.py" "$TACH_BUILDDIR/t/unit/symbols" "" stripped \
	    <objects
	echo "$output"
	[[ $output =~ ^right=([0-9]+)\ wrong=0\  ]]
	[ "${BASH_REMATCH[1]}" -ge 400 ]
}

# parts TAG LEAST: of the parts of functions that have no symbol, at least so many are
# found, and 98 of a hundred belong to the function that they have in the debug file.
parts() {
	[ "$(uname -m)" = x86_64 ] || skip "parts are found on x86-64 alone"
	need_python "$1"
	local symbols=$TACH_BUILDDIR/t/unit/symbols file=${PYTHON[-1]}
	"$symbols" "$file" "$PYTHON_ROOT" >whole
	found ' debug ' <whole || skip "no debug file of $PYTHON_TAG here"
	"$symbols" "$PYTHON_ROOT$file" | awk '$1 != $2 && $3 != "nameless"' >parts
	awk 'NR == FNR { name[$1] = $4; next }
	    { n++; if (name[$1] == name[$2]) same++
	      else print $0, name[$1], name[$2] }
	    END { print n, same }' whole parts >judged
	cat judged
	read -r n same < <(tail -n 1 judged)
	[ "$n" -ge "$2" ]
	[ $((same * 100)) -ge $((n * 98)) ]
}

@test "parts of functions have the names of their functions: Python 3.13" { parts 3.13-forky 1500; }
@test "parts of functions have the names of their functions: Python 3.14" { parts 3.14-forky 1500; }
@test "parts of functions have the names of their functions: Python 3.15" { parts 3.15-forky 1500; }
