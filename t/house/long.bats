# SPDX-License-Identifier: ISC
# long.bats: sanitizers, fuzzers, coverage, the distribution and static builds.  `make check-all`
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

# static_build NAME: of ./source, in a folder NAME; the tarball is in NAME/out.
static_build() {
	mkdir -p "$1"
	cp -a source "$1/tree"
	"$1/tree/packaging/static" "$1/tree" "$1/out" >"$1/log" 2>&1 || {
		tail -n 30 "$1/log"
		return 1
	}
}

@test "two static builds, in different folders, are the same byte for byte" {
	built --disable-static
	make -s distdir distdir=source
	static_build one
	static_build elsewhere/another
	cmp one/out/*.tar.xz elsewhere/another/out/*.tar.xz
}

@test "static programs for arm64, by cross compilers" {
	local cross=${XDG_CACHE_HOME:-$HOME/.cache}/tach/cross top=tach-$VERSION
	need_root
	[ -d "$cross" ] || skip "no cross compilers here: see t/peers/cross"
	built --disable-static
	where=$(mktemp -d "$cross/tmp/tach.XXXXXX")
	make -s distdir distdir="$where/source"
	cd "$where"
	mkdir arm64
	# shellcheck disable=SC2016
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$cross" sh -c '
		cd "$1" && source/packaging/static source arm64 \
		    aarch64-linux-gnu' sh "${where#"$cross"}" >log 2>&1 || {
		tail -n 30 log
		return 1
	}
	tar -xJf arm64/$top-linux-arm64.tar.xz
	"$cross/usr/bin/qemu-aarch64" "$top-linux-arm64/bin/tach-convert" \
	    --collapsed "$T/data/odd.bin" >there
	tach-convert --collapsed "$T/data/odd.bin" | cmp there -
	readelf -lW "$top-linux-arm64/bin/tach-record" | absent INTERP
	nm -D --undefined-only "$top-linux-arm64/lib/tach/libtach-agent.so" |
	    awk '{ print $2 }' | { grep -E '^__' || :; } | sort >special
	is "$(cat special)" $'__errno_location\n__isoc99_sscanf\n__register_atfork'
}
