# SPDX-License-Identifier: ISC
# matrix.bats: other compilers, other choices of configure, sanitizers.  Each test builds the
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

# warns_of_nothing COMPILER: once a source, so without the objects of static libraries.
warns_of_nothing() {
	built --disable-static CC="$1" CFLAGS='-O2 -Werror'
	make -s -j"$(nproc)" check TESTS=
}

# In .ci/run it was at the build of what is tested, or else nothing would be.
@test "gcc warns of nothing" {
	need gcc gcc
	grep -qx 'CFLAGS = .* -Werror' "$TACH_BUILDDIR/Makefile" &&
	    grep -qx 'CC = gcc' "$TACH_BUILDDIR/Makefile" ||
	    warns_of_nothing gcc
}

@test "clang warns of nothing" {
	need clang clang
	warns_of_nothing clang
}

@test "without interrupts all is built and records" {
	built --with-dw=no --with-iberty=no --with-interrupts=no --disable-shared CFLAGS=-O0
	[ ! -e lib/engine/bpf/interruptprogram.h ]
	recorded
	cmd/tach-record --check >rows
	grep -x 'BPF  *no  *this tach was built without the programs: it was chosen by --with-interrupts=no' rows
	grep -x ' *\./configure --with-interrupts=yes && make install .*' rows
}

# long.bats has the other quick tests under both.  Of the programs of tests these need few.
@test "ASan and UBSan find nothing where strangers' files are read" {
	local units="t/unit/test_damage t/unit/test_format t/unit/test_text"
	built --enable-sanitizers --disable-shared CC=gcc CFLAGS='-O1 -g'
	made check-twice check_PROGRAMS="$units t/unit/recode $(value_of FUZZERS)" \
	    TESTS="$units t/format/cpython.bats t/format/damage.bats \
	    t/format/foreign.bats t/format/inputs.bats t/format/text.bats \
	    t/merge/merge.bats"
	tail -n 1 tests
}
