# SPDX-License-Identifier: ISC
# long.bats: sanitizers, fuzzers, coverage and the distribution.  `make check-all`
# alone runs this file: it takes half an hour.

load ../lib/lib.bash
load ../lib/matrix.bash

# quick: the quick tests, on the tools that were built, without this test's
# environment.
quick() {
	env -i PATH="$PATH" HOME="$HOME" TACH_LEDGER= make -s -j"$(nproc)" quick >tests 2>&1 || {
		grep -v ^PASS tests | tail -n 60
		return 1
	}
	tail -n 1 tests
}

@test "ASan and UBSan find nothing in the quick tests" {
	built --enable-sanitizers
	quick
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
	make -s distcheck TESTS='t/unit/test_format t/commands/man.bats' >dist 2>&1 || {
		tail -n 40 dist
		return 1
	}
}

@test "clang-tidy finds nothing in lib and cmd" {
	need clang-tidy clang-tidy
	"$T/static" clang-tidy
}
