# SPDX-License-Identifier: ISC
# static.bats: checkers that read the sources, with the exceptions of t/static.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# finds_nothing CHECKER PACKAGE
finds_nothing() {
	need "$1" "$2"
	"$T/static" "$1"
}

@test "shellcheck finds nothing in a script" {
	finds_nothing shellcheck shellcheck
}

@test "cppcheck finds nothing in lib and cmd" {
	finds_nothing cppcheck cppcheck
}

@test "a finding fails, with its place" {
	need shellcheck shellcheck
	mkdir -p cmd/completions/bash doc lib packaging t .ci
	printf '#!/bin/sh\necho $1\n' >t/bad
	cp "$TACH_SRCDIR/bootstrap" .
	chmod +x t/bad
	run -1 env TACH_SRCDIR="$PWD" "$T/static" shellcheck
	[[ $output = "t/bad:2:6: "*"[SC2086]" ]]
}
