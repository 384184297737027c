# SPDX-License-Identifier: ISC
# nogil.bats: free-threaded Pythons, whose threads run truly at once, each, from
# 3.14 on, a copy of the bytecode of its own.  t/peers/nogil builds them.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
}

# noted VERSION CHECK PROGRAM: one that says what it does.
noted() {
	need_python "$1"
	in_tries 3 note "$2" "$3"
}

note() {
	rm -f truth
	tach-record -q -o p.bin -- "${PYTHON[@]}" "$T/programs/$2.py" truth
	"$T/lib/truth.py" "$1" p.bin truth
}

# calls VERSION PROGRAM ARG...: stacks that move as fast as they can.
calls() {
	need_python "$1"
	in_tries 3 call "${@:2}"
}

call() {
	local program=$1
	tach-record -q -r 5k -o p.bin -- "${PYTHON[@]}" \
	    "$T/programs/$program.py" "${@:2}"
	"$T/lib/truth.py" calls p.bin "$T/programs/$program.py"
}

# Code objects that lie where others lay: names and lines are of one.
reused() {
	need_python "$1"
	in_tries 3 reuse
}

reuse() {
	tach-record -q -r 5k -o p.bin -- "${PYTHON[@]}" \
	    "$T/programs/reused.py" 1.5 3
	# In def_N, lines N to N + 3 run, and it calls itself only.
	tach-cat p.bin | cut -f 5 | awk -F ';' '
		{
			last = 0
			for (i = 1; i <= NF; i++) {
				split($i, frame, ":")
				if (!sub(/^def_/, "", frame[2]))
					continue
				n = frame[2] + 0
				seen++
				wrong += frame[3] < n || frame[3] > n + 3
				wrong += last && last != n
				last = n
				names[n] = 1
			}
		}
		END {
			print seen, length(names), wrong + 0
			if (wrong)
				exit 3
			exit !(seen > 1000 && length(names) > 50)
		}'
}

@test "3.13t: a stack is where its program stood, in every form of code" { noted 3.13t stacks forms; }
@test "3.14t: a stack is where its program stood, in every form of code" { noted 3.14t stacks forms; }
@test "3.15t: a stack is where its program stood, in every form of code" { noted 3.15t stacks forms; }

@test "3.13t: 52 threads are seen all along, each where it stood" { noted 3.13t threads threads; }
@test "3.14t: 52 threads are seen all along, each where it stood" { noted 3.14t threads threads; }
@test "3.15t: 52 threads are seen all along, each where it stood" { noted 3.15t threads threads; }

@test "3.13t: threads that come and go are seen where they stood" { noted 3.13t stacks churn; }
@test "3.14t: threads that come and go are seen where they stood" { noted 3.14t stacks churn; }
@test "3.15t: threads that come and go are seen where they stood" { noted 3.15t stacks churn; }

@test "3.13t: no call that cannot be, in chains of calls of four threads" { calls 3.13t chains 1.5 3; }
@test "3.14t: no call that cannot be, in chains of calls of four threads" { calls 3.14t chains 1.5 3; }
@test "3.15t: no call that cannot be, in chains of calls of four threads" { calls 3.15t chains 1.5 3; }

@test "3.13t: names and lines are of one code object, at reused addresses" { reused 3.13t; }
@test "3.14t: names and lines are of one code object, at reused addresses" { reused 3.14t; }
@test "3.15t: names and lines are of one code object, at reused addresses" { reused 3.15t; }

@test "3.14t: no call that cannot be, with its GIL switched on" {
	need_python 3.14t
	PYTHON_GIL=1 tach-record -q -o p.bin -- "${PYTHON[@]}" \
	    "$T/programs/chains.py" 1 2
	"$T/lib/truth.py" calls p.bin "$T/programs/chains.py"
}

@test "3.14t: no call that cannot be, where all threads run the original bytecode" {
	need_python 3.14t
	PYTHON_TLBC=0 tach-record -q -o p.bin -- "${PYTHON[@]}" \
	    "$T/programs/chains.py" 1 2
	"$T/lib/truth.py" calls p.bin "$T/programs/chains.py"
}
