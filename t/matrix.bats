# SPDX-License-Identifier: ISC
# matrix.bats: other compilers, other choices of configure, sanitizers, fuzzers,
# coverage and the distribution.  Each builds the tree anew, so `make check-all`
# alone runs this file.  TACH_MATRIX names a folder to build in that is kept.

load lib.bash

setup() {
	unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS # of the make that runs this
	where=${TACH_MATRIX:-$BATS_TEST_TMPDIR}/$BATS_TEST_NUMBER
	mkdir -p "$where"
	cd "$where"
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

# recorded: the tools that were built record a program and read its profile.
recorded() {
	cmd/tach-record -q -o p.bin "$@" -- \
	    python3 "$T/programs/demo.py" 1 >/dev/null
	cmd/tach-info --verify p.bin
	cmd/tach-convert --collapsed p.bin >stacks
	grep -q demo.py stacks
}

# quick: the quick tests, on the tools that were built.
quick() {
	make -s -j"$(nproc)" quick >tests 2>&1 || {
		grep -v ^PASS tests | tail -n 60
		return 1
	}
	tail -n 1 tests
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

@test "ASan and UBSan find nothing in the quick tests" {
	built --enable-sanitizers
	quick
}

@test "clang-tidy finds nothing in lib and cmd" {
	need clang-tidy clang-tidy
	run -0 "$T/static" clang-tidy
	is "$output" ""
}

@test "each fuzzer runs for a minute and finds nothing" {
	need clang clang
	built
	make -s fuzz FUZZ_SECONDS="${TACH_FUZZ_SECONDS-60}" >fuzzed 2>&1 || {
		tail -n 40 fuzzed
		return 1
	}
}

# covered FOLDER: how many per cent of its lines were run, of how many.
covered() {
	find "$1" -name '*.gcda' -exec gcov -n {} + 2>/dev/null | awk -v dir="/$1/" '
	/^File / { ours = index($0, dir) > 0 && $0 ~ /\.c.$/ }
	/^Lines executed:/ && ours {
		split($0, f, /[:% ]+/)
		lines += f[5]
		run += f[3] * f[5] / 100
	}
	END { printf "%d %d\n", lines ? 100 * run / lines : 0, lines }'
}

@test "the quick tests run nine lines of ten of lib/format, lib/out and lib/python" {
	need gcov gcc
	built --disable-shared CC=gcc CFLAGS='-O1 -g --coverage'
	quick
	for dir in lib/format lib/out lib/python; do
		read -r share lines < <(covered $dir)
		echo "# $dir: $share % of $lines lines" >&3
		((lines > 500))
		((share >= 90))
	done
}

@test "make distcheck" {
	built
	make -s distcheck TESTS='t/unit/test_format t/man.bats' >dist 2>&1 || {
		tail -n 40 dist
		return 1
	}
}
