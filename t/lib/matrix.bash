# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# matrix.bash: a build of the tree a test.  TACH_MATRIX names a folder to build in
# that is kept.

setup() {
	to_own_folder
}

to_own_folder() {
	unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS # of the make that runs this
	where=${TACH_MATRIX:-$BATS_TEST_TMPDIR}/$BATS_TEST_NUMBER
	mkdir -p "$where"
	cd "$where" || return
}

teardown() {
	[ -n "${TACH_MATRIX-}" ] || rm -rf "$where"
}

# built OPTION...: configure and make, with what they print kept in `log`.
built() {
	"$TACH_SRCDIR/configure" --quiet "$@" >log 2>&1 &&
	    make -s -j"$(nproc)" >>log 2>&1 || {
		tail -n 30 log
		return 1
	}
}

# value_of VARIABLE: of the Makefile of what was built.
value_of() {
	make -s --eval="show: ; @echo \$($1)" show
}

# made TARGET [VARIABLE=...]: by make without this test's environment, in which its
# tests would take parts of the bats that runs this file for the bats that they call.  No
# file of these has less time than this one.
made() {
	env -i PATH="${PATH//"$BATS_LIBEXEC:"/}" HOME="$HOME" TACH_LEDGER= \
	    TACH_TEST_TIMEOUT="${TACH_TEST_TIMEOUT-1200}" \
	    make -s -j"$(nproc)" "$@" >tests 2>&1 || {
		grep -aE '^(FAILED|ERROR)' tests
		grep -av ^PASS tests | tail -n 60
		return 1
	}
}
