# SPDX-License-Identifier: ISC
# truth.bats: what tach-record says of real programs on real interpreters,
# against what those programs say of themselves.  The judge is truth.py, which
# reads profiles by decode.py; nothing of libtach is in either.

load ../lib/lib.bash
load ../lib/truth.bash

# ---- every form of code

@test "a stack is where its program stood, in every form of code: Python 3.11" { builds 3.11 noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.12" { builds 3.12 noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.13" { builds 3.13 noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.14, static" { static 3.14; noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.15, static" { static 3.15; noted stacks forms; }

# ---- odd names

@test "odd names come through unchanged: Python 3.11" { builds 3.11 noted stacks names; }
@test "odd names come through unchanged: Python 3.12" { builds 3.12 noted stacks names; }
@test "odd names come through unchanged: Python 3.13" { builds 3.13 noted stacks names; }
@test "odd names come through unchanged: Python 3.14, static" { static 3.14; noted stacks names; }
@test "odd names come through unchanged: Python 3.15, static" { static 3.15; noted stacks names; }

# ---- 10,000 frames

@test "a stack of 10,000 frames is whole: Python 3.11" { builds 3.11 noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.12" { builds 3.12 noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.13" { builds 3.13 noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.14, static" { static 3.14; noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.15, static" { static 3.15; noted stacks deep; }

# ---- 52 threads

@test "52 threads are seen all along, each where it stood: Python 3.11" { builds 3.11 noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.12" { builds 3.12 noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.13" { builds 3.13 noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.14, static" { static 3.14; noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.15, static" { static 3.15; noted threads threads; }

@test "100 threads, of which at most 20 fail as they begin: Python 3.11, dynamic" { dynamic 3.11; crowded; }
@test "100 threads, of which at most 20 fail as they begin: Python 3.13, dynamic" { dynamic 3.13; crowded; }
@test "100 threads, of which at most 20 fail as they begin: Python 3.14, static" { static 3.14; crowded; }
@test "100 threads, of which at most 20 fail as they begin: Python 3.15, static" { static 3.15; crowded; }

# ---- threads that come and go

@test "threads that come and go are seen where they stood: Python 3.11" { builds 3.11 noted stacks churn; }
@test "threads that come and go are seen where they stood: Python 3.12" { builds 3.12 noted stacks churn; }
@test "threads that come and go are seen where they stood: Python 3.13" { builds 3.13 noted stacks churn; }
@test "threads that come and go are seen where they stood: Python 3.14, static" { static 3.14; noted stacks churn; }
@test "threads that come and go are seen where they stood: Python 3.15, static" { static 3.15; noted stacks churn; }

# ---- four interpreters

@test "the stacks of four interpreters are where they stood: Python 3.11" { builds 3.11 noted stacks interpreters; }
@test "the stacks of four interpreters are where they stood: Python 3.12" { builds 3.12 noted stacks interpreters; }
@test "the stacks of four interpreters are where they stood: Python 3.13" { builds 3.13 noted stacks interpreters; }
@test "the stacks of four interpreters are where they stood: Python 3.14, static" { static 3.14; noted stacks interpreters; }
@test "the stacks of four interpreters are where they stood: Python 3.15, static" { static 3.15; noted stacks interpreters; }

# ---- a known split of time

@test "a known split of time is seen, to two points: Python 3.11" { builds 3.11 shares; }
@test "a known split of time is seen, to two points: Python 3.12" { builds 3.12 shares; }
@test "a known split of time is seen, to two points: Python 3.13" { builds 3.13 shares; }
@test "a known split of time is seen, to two points: Python 3.14, static" { static 3.14; shares; }
@test "a known split of time is seen, to two points: Python 3.15, static" { static 3.15; shares; }

# ---- chains of calls in turn

@test "no call that cannot be, in chains of calls in turn: Python 3.11" { builds 3.11 calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.12" { builds 3.12 calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.13" { builds 3.13 calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.14, static" { static 3.14; calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.15, static" { static 3.15; calls chains 1.5; }

# ---- short calls are seen as often as they run

@test "short calls have 12 % of the samples or more: Python 3.11, static" { static 3.11; innermost 12; }
@test "short calls have 12 % of the samples or more: Python 3.13, dynamic" { dynamic 3.13; innermost 12; }
@test "short calls have 12 % of the samples or more: Python 3.14, static" { static 3.14; innermost 12; }
@test "short calls have 12 % of the samples or more: Python 3.15, static" { static 3.15; innermost 12; }

# ---- pairs of calls in turn

@test "no call that cannot be, in pairs of calls in turn: Python 3.11" { builds 3.11 calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.12" { builds 3.12 calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.13" { builds 3.13 calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.14, static" { static 3.14; calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.15, static" { static 3.15; calls flutter 1.5; }

# ---- large code

@test "a table of lines of 100 KiB and more is read: Python 3.11" { need_python 3.11; big; }
@test "a table of lines of 100 KiB and more is read: Python 3.13" { need_python 3.13; big; }
@test "a table of lines of 100 KiB and more is read: Python 3.15" { need_python 3.15; big; }

# ---- particular ways to run

@test "no call that cannot be, in a recursion: Python 3.11, static" { static 3.11; calls fib 1; }
@test "no call that cannot be, in a recursion: Python 3.15, static" { static 3.15; calls fib 1; }

@test "no call that cannot be, in chains of calls of three threads: Python 3.11, static" {
	static 3.11
	calls chains 1.5 2
}

@test "no call that cannot be, in chains of calls of three threads: Python 3.13, dynamic" {
	dynamic 3.13
	calls chains 1.5 2
}

@test "no stack of a generator without its callers: Python 3.11, static" { static 3.11; rooted; }
@test "no stack of a generator without its callers: Python 3.12, dynamic" { dynamic 3.12; rooted; }
@test "no stack of a generator without its callers: Python 3.13, static" { static 3.13; rooted; }
@test "no stack of a generator without its callers: Python 3.14, static" { static 3.14; rooted; }
@test "no stack of a generator without its callers: Python 3.15, static" { static 3.15; rooted; }

@test "80 of 100 code objects at reused addresses are seen by their own names: Python 3.11, static" { static 3.11; renamed; }
@test "80 of 100 code objects at reused addresses are seen by their own names: Python 3.12" { builds 3.12 renamed; }
@test "80 of 100 code objects at reused addresses are seen by their own names: Python 3.13, dynamic" { dynamic 3.13; renamed; }
@test "80 of 100 code objects at reused addresses are seen by their own names: Python 3.14, static" { static 3.14; renamed; }
@test "80 of 100 code objects at reused addresses are seen by their own names: Python 3.15, static" { static 3.15; renamed; }

@test "a stack is where its program stood, in code without columns" {
	static 3.11
	PYTHON+=(-X no_debug_ranges)
	noted stacks forms
}

# How many are done is up to the machine, and t/bench measures it.
rounds() {
	local missed
	tach-record -d 10 -o p.bin -- "${PYTHON[@]}" "$programs/sleeps.py" \
	    10.5 2>summary
	cat summary
	missed=$(grep -oE '[0-9]+ missed' summary)
	"$T/lib/truth.py" rate p.bin 1000 10 "${missed% *}"
}

@test "1,000 rounds a second for 10 seconds, and every missed one counted" {
	static 3.11
	in_tries 3 rounds
}
