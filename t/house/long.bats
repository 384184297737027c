# SPDX-License-Identifier: ISC
# long.bats: sanitizers, fuzzers, coverage, the distribution, static builds and Debian's
# packages.  All of them take an hour: `make check-all` runs them; of `make
# check-most` one has its turn, as t/lib/turn tells.

load ../lib/lib.bash
load ../lib/matrix.bash

setup() {
	[ "${TACH_TURN-$BATS_TEST_DESCRIPTION}" = "$BATS_TEST_DESCRIPTION" ] ||
	    skip "make check-most runs one of this file: ${TACH_TURN:-none without git}"
	to_own_folder
}

# names GREP-ARGUMENT...: the quick tests whose names match.
names() {
	value_of QUICK_TESTS | tr ' ' '\n' | grep '^t/' | grep "$@"
}

# quick NAME...: these tests, on the tools that were built.
quick() {
	made quick QUICK_TESTS="$*"
	tail -n 1 tests
}

# part K N: each Nth line of standard input, from the Kth on.  What has parts takes
# some minutes a part, so that continuous integration has the time for one.
part() {
	awk -v k="$1" -v n="$2" 'NR % n == k % n'
}

# written K: of the tests of formats that are written a third.
written() {
	built --enable-sanitizers --disable-shared
	# shellcheck disable=SC2046
	quick $(names '^t/convert/' | part "$1" 3)
}

# Those of the readers are in matrix.bats as well.
@test "ASan and UBSan find nothing in the quick tests of formats that are written, 1 of 3" {
	written 1
}

@test "ASan and UBSan find nothing in the quick tests of formats that are written, 2 of 3" {
	written 2
}

@test "ASan and UBSan find nothing in the quick tests of formats that are written, 3 of 3" {
	written 3
}

@test "ASan and UBSan find nothing in the other quick tests" {
	built --enable-sanitizers
	# shellcheck disable=SC2046
	quick $(names -v '^t/convert/')
}

# cases: how the fuzzers that have found something ended, and their cases, by name.
cases() {
	local file
	grep -aE -A 25 'ERROR: |runtime error: |does not hold: ' fuzzed ||
	    tail -n 40 fuzzed
	for file in fuzz/*-*; do
		[ ! -f "$file" ] || {
			echo "$file, by xz and base64:"
			xz -c "$file" | base64
		}
	done
}

# fuzzed K: a quarter of the fuzzers.
fuzzed() {
	local names
	need clang clang
	built
	names=$(value_of FUZZERS | tr ' ' '\n' | sed 's/.*fuzz_//' | part "$1" 4)
	[ -n "$names" ]
	FUZZ=$names make -s fuzz FUZZ_SECONDS="${TACH_FUZZ_SECONDS-60}" \
	    >fuzzed 2>&1 || {
		cases
		return 1
	}
}

@test "each fuzzer runs for a minute and finds nothing, 1 of 4" {
	fuzzed 1
}

@test "each fuzzer runs for a minute and finds nothing, 2 of 4" {
	fuzzed 2
}

@test "each fuzzer runs for a minute and finds nothing, 3 of 4" {
	fuzzed 3
}

@test "each fuzzer runs for a minute and finds nothing, 4 of 4" {
	fuzzed 4
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
	built --disable-shared CC=gcc CFLAGS='-O1 -g --coverage -fprofile-update=atomic'
	# shellcheck disable=SC2046
	quick $(names .)
	for dir in lib/format lib/out lib/python; do
		read -r share lines < <(covered $dir)
		echo "# $dir: $share % of $lines lines" >&3
		((lines > 500))
		((share >= 90))
	done
}

@test "make distcheck" {
	built
	made distcheck TESTS='t/unit/test_format t/commands/man.bats'
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

# ---- packages of Debian -----------------------------------------------------

# in_overlay COMMAND...: in a copy of this system, of which nothing is kept.
in_overlay() {
	mkdir -p over
	# shellcheck disable=SC2016
	unshare -m sh -ec '
		mount -t tmpfs none over
		mkdir over/upper over/work over/root
		mount -t overlay none over/root \
		    -o lowerdir=/,upperdir=over/upper,workdir=over/work
		mount --bind "$1" over/root/mnt
		mount -t proc none over/root/proc
		mount --bind /dev over/root/dev
		shift
		exec env PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot over/root "$@"' sh "$@"
}

# Says what it does not like; the tools are those of the packages.
INSTALL='
cd /mnt
dpkg -i ./*.deb >/dev/null
cd /tmp
tach-record --engine=inprocess -q -o p.bin -- /usr/bin/python3 programs/demo.py 1
tach-top -1 p.bin
printf "#include <stdio.h>\n#include <tach-record.h>\nint main(void) { puts(tach_version()); }\n" >a.c
gcc a.c -o a $(pkg-config --cflags --libs libtach-record)
./a
ldd a | grep -o "libtach\S* "
gcc -static a.c -o a -Wl,--gc-sections $(pkg-config --static --cflags --libs libtach)
./a
ls /usr/share/man/man[135]/{tach-record.1,libtach.3,tach.5}.gz
dpkg -r tach libtach-dev libtach0 >/dev/null
! ls -d /usr/bin/tach* /usr/lib/*/tach 2>/dev/null
'

@test "Debian's packages: lintian finds nothing, and they do what they are for" {
	need_root
	need dh debhelper
	need lintian
	[ -f "$TACH_BUILDDIR/lib/engine/bpf/interruptprogram.h" ] ||
	    skip "built without interrupts: needs clang"
	make -s -C "$TACH_BUILDDIR" distdir distdir="$PWD/tach-$VERSION"
	cd "tach-$VERSION"
	dpkg-checkbuilddeps || skip "not all is here that Debian's packages need"
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$HOME" \
	    dpkg-buildpackage -b -us -uc -nc >../log 2>&1 || {
		tail -n 20 ../log
		return 1
	}
	cd ..
	run -0 lintian --fail-on error,warning --allow-root ./*.changes
	is "$output" ""
	mkdir -p debs
	cp tach_*.deb libtach0_*.deb libtach-dev_*.deb debs/
	dpkg-deb -c debs/tach_*.deb | found ' ./usr/bin/tach-record$'
	dpkg-deb -c debs/libtach0_*.deb | found '/tach/libtach-agent.so$'
	dpkg-deb -c debs/libtach-dev_*.deb | found ' ./usr/include/tach.h$'
	cp -r "$T/programs" debs/
	unshare -m true || skip "no mount namespaces here"
	in_overlay "$PWD/debs" bash -ec "cp -r /mnt/programs /tmp/ && $INSTALL" \
	    >said
	grep -q one_day said
	is "$(grep -c "^$VERSION\$" said)" 2
	grep -q '^libtach.so.0 ' said
}
