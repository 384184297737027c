# SPDX-License-Identifier: ISC
# matrix.bats: other compilers and other choices of configure.  Each test builds the
# tree anew, so `make check-most` and `make check-all` alone run this file.

load ../lib/lib.bash
load ../lib/matrix.bash

# recorded: the tools that were built record a program and read its profile.
recorded() {
	cmd/tach-record -q -o p.bin "$@" -- \
	    python3 "$T/programs/demo.py" 1 >/dev/null
	cmd/tach-info --verify p.bin
	cmd/tach-convert --collapsed p.bin >stacks
	grep -q demo.py stacks
}

@test "gcc warns of nothing" {
	need gcc gcc
	built CC=gcc CFLAGS='-O2 -g -Werror'
	make -s -j"$(nproc)" check TESTS= CFLAGS='-O2 -g -Werror'
}

@test "clang warns of nothing" {
	need clang clang
	built CC=clang CFLAGS='-O2 -g -Werror'
	make -s -j"$(nproc)" check TESTS= CFLAGS='-O2 -g -Werror'
}

@test "without interrupts all is built and records" {
	built --with-interrupts=no --disable-shared
	[ ! -e lib/engine/kernel/interruptprogram.h ]
	recorded
}
