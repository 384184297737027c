# SPDX-License-Identifier: ISC
# old-pythons.bats: truth.bats for Python 3.6 to 3.10, whose frames are objects on the
# heap.

load ../lib/lib.bash
load ../lib/truth.bash

# ---- every form of code

@test "a stack is where its program stood, in every form of code: Python 3.6, static" { static 3.6; noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.7, static" { static 3.7; noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.8, static" { static 3.8; noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.9, static" { static 3.9; noted stacks forms; }
@test "a stack is where its program stood, in every form of code: Python 3.10, static" { static 3.10; noted stacks forms; }

# ---- odd names

@test "odd names come through unchanged: Python 3.6, dynamic" { dynamic 3.6; noted stacks names; }
@test "odd names come through unchanged: Python 3.7, dynamic" { dynamic 3.7; noted stacks names; }
@test "odd names come through unchanged: Python 3.8, dynamic" { dynamic 3.8; noted stacks names; }
@test "odd names come through unchanged: Python 3.9, dynamic" { dynamic 3.9; noted stacks names; }
@test "odd names come through unchanged: Python 3.10, dynamic" { dynamic 3.10; noted stacks names; }

# ---- 10,000 frames

@test "a stack of 10,000 frames is whole: Python 3.6, dynamic" { dynamic 3.6; noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.7, dynamic" { dynamic 3.7; noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.8, dynamic" { dynamic 3.8; noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.9, dynamic" { dynamic 3.9; noted stacks deep; }
@test "a stack of 10,000 frames is whole: Python 3.10, dynamic" { dynamic 3.10; noted stacks deep; }

# ---- 52 threads

@test "52 threads are seen all along, each where it stood: Python 3.6, static" { static 3.6; noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.7, static" { static 3.7; noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.8, static" { static 3.8; noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.9, static" { static 3.9; noted threads threads; }
@test "52 threads are seen all along, each where it stood: Python 3.10, static" { static 3.10; noted threads threads; }

# ---- threads that come and go

@test "threads that come and go are seen where they stood: Python 3.6, dynamic" { dynamic 3.6; noted stacks churn; }
@test "threads that come and go are seen where they stood: Python 3.10, dynamic" { dynamic 3.10; noted stacks churn; }

# ---- four interpreters

@test "the stacks of four interpreters are where they stood: Python 3.8, dynamic" { dynamic 3.8; noted stacks interpreters; }
@test "the stacks of four interpreters are where they stood: Python 3.10, dynamic" { dynamic 3.10; noted stacks interpreters; }

# ---- a known split of time

@test "a known split of time is seen, to two points: Python 3.6, dynamic" { dynamic 3.6; shares; }
@test "a known split of time is seen, to two points: Python 3.10, dynamic" { dynamic 3.10; shares; }

# ---- chains of calls in turn

@test "no call that cannot be, in chains of calls in turn: Python 3.6, static" { static 3.6; calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.7, static" { static 3.7; calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.8, static" { static 3.8; calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.9, static" { static 3.9; calls chains 1.5; }
@test "no call that cannot be, in chains of calls in turn: Python 3.10, static" { static 3.10; calls chains 1.5; }

# ---- short calls are seen as often as they run

@test "short calls have 6 % of the samples or more: Python 3.8, dynamic" { dynamic 3.8; innermost 6; }
@test "short calls have 6 % of the samples or more: Python 3.10, dynamic" { dynamic 3.10; innermost 6; }

# ---- pairs of calls in turn

@test "no call that cannot be, in pairs of calls in turn: Python 3.6, dynamic" { dynamic 3.6; calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.7, dynamic" { dynamic 3.7; calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.8, dynamic" { dynamic 3.8; calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.9, dynamic" { dynamic 3.9; calls flutter 1.5; }
@test "no call that cannot be, in pairs of calls in turn: Python 3.10, dynamic" { dynamic 3.10; calls flutter 1.5; }

# ---- generators keep their callers

@test "no stack of a generator without its callers: Python 3.6, dynamic" { dynamic 3.6; rooted; }
@test "no stack of a generator without its callers: Python 3.8, dynamic" { dynamic 3.8; rooted; }
@test "no stack of a generator without its callers: Python 3.10, dynamic" { dynamic 3.10; rooted; }

# ---- large code

@test "a table of lines of 100 KiB and more is read: Python 3.6" { need_python 3.6; big; }
@test "a table of lines of 100 KiB and more is read: Python 3.9" { need_python 3.9; big; }
@test "a table of lines of 100 KiB and more is read: Python 3.10" { need_python 3.10; big; }

# ---- particular ways to run

@test "no call that cannot be, in chains of calls of three threads: Python 3.8, dynamic" {
	dynamic 3.8
	calls chains 1.5 2
}
