# SPDX-License-Identifier: ISC
# cross.bats: tach built for s390x, which is big-endian, for i386, which has 32
# bits, and for arm64, and run by qemu: what is written there is read here, what
# is written here is read there, and all pass the tests of the format.  What is
# read of an interpreter's memory is the same on arm64.

load ../lib/lib.bash

CROSS=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tach/cross
RECODE=$TACH_BUILDDIR/t/unit/recode

# Tests that cannot be run there: see build.
OF_KERNELS="agent batch confine deathwatch drain hostile interrupt launch
process ring ring_model source stock stop"

# Why it cannot be done here, or nothing.
lacking() {
	if [ "$(id -u)" -ne 0 ]; then
		echo "needs root, as chroot does"
	elif [ ! -d "$CROSS" ]; then
		echo "no cross compilers here: see t/peers/cross"
	fi
}

# in_its_turn MACHINE: all are; in `make check-most` it is one that t/lib/turn tells.
in_its_turn() {
	[ -z "${TACH_COMMIT-}" ] || [ "$1" = "$("$T/lib/turn" --machine "$TACH_COMMIT")" ]
}

setup_file() {
	[ -z "$(lacking)" ] || return 0
	unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
	units=$(other_units) || return
	WORK=$(mktemp -d "$CROSS/tmp/tach.XXXXXX")
	export WORK
	make -s -C "$TACH_BUILDDIR" distdir distdir="$WORK/source"
	! in_its_turn s390x || build s390x s390x-linux-gnu s390x-linux-gnu
	! in_its_turn i386 || build i386 i686-linux-gnu i386-linux-gnu
	! in_its_turn arm64 || build aarch64 aarch64-linux-gnu aarch64-linux-gnu
}

teardown_file() {
	[ -z "${WORK-}" ] || rm -rf "$WORK"
}

setup() {
	local why
	why=$(lacking)
	[ -z "$why" ] || skip "$why"
	cd "$BATS_TEST_TMPDIR" || return
}

# Prints the unit programs that are built there.
other_units() {
	local name units=" " program
	for program in "$TACH_SRCDIR"/t/unit/test_*.c; do
		name=${program##*/test_}
		units+="${name%.c} "
	done
	for name in $OF_KERNELS; do
		[[ $units == *" $name "* ]] || {
			echo "OF_KERNELS names no test: $name" >&2
			return 1
		}
		units=${units/ $name / }
	done
	# shellcheck disable=SC2086
	printf 't/unit/test_%s ' $units
}

# build MACHINE TOOLS LIBRARIES: in $WORK/build/MACHINE; TOOLS and LIBRARIES
# are what Debian has before the names of the one and over those of the other.
# The agent, a shared library, is left out with its tests.  So are the tests of
# things that qemu does not do as a kernel does: to interrupt, stop or confine a
# process, and to show its memory in /proc.
build() {
	# shellcheck disable=SC2016
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$CROSS" bash -ec '
		cd "$1/source"
		mkdir -p "$1/build/$2"
		cd "$1/build/$2"
		export PKG_CONFIG_LIBDIR=/usr/lib/$4/pkgconfig
		"$1/source/configure" --quiet --host="$3" --disable-shared
		make -s -j"$(nproc)" CFLAGS=-O1 all t/unit/recode $5
		[ "$2" != aarch64 ] || make -s CFLAGS=-O1 t/unit/merged
	' - "${WORK#"$CROSS"}" "$@" "$units" >"$WORK/$1.log" 2>&1 || {
		tail -n 20 "$WORK/$1.log"
		return 1
	}
	call "$1"
}

# call MACHINE: makes $WORK/MACHINE, which looks like a build tree of this
# machine.  A kernel that runs i386 programs itself is faster than qemu.
call() {
	local program by=("$CROSS/usr/bin/qemu-$1" -L "$CROSS")
	local itself=("$CROSS/lib/ld-linux.so.2" --library-path
	    "$CROSS/usr/lib/i386-linux-gnu")
	mkdir -p "$WORK/$1/cmd" "$WORK/$1/t/unit"
	cd "$WORK/build/$1" || return
	[ "$1" != i386 ] || ! "${itself[@]}" cmd/tach-info -V ||
	    by=("${itself[@]}")
	for program in cmd/* t/unit/*; do
		[ -x "$program" ] || continue
		printf '#!/bin/sh\nexec %s "$@"\n' \
		    "${by[*]@Q} ${PWD@Q}/$program" >"$WORK/$1/$program"
		chmod +x "$WORK/$1/$program"
	done
}

# ---- the builds ---------------------------------------------------------

# Of an ELF header: 1 or 2 times 32 bits; 2 is big-endian.
kind() {
	is "$(peek "$WORK/build/$1/cmd/tach-info" 4 2)" "$2"
}

@test "s390x: is big-endian" { kind s390x 0202; }
@test "i386: has 32 bits" { kind i386 0101; }
@test "arm64: is neither" { kind aarch64 0201; }

@test "all are built without a warning" {
	is "$(grep -h warning: "$WORK"/*.log)" ""
}

# ---- profiles from one to the other -------------------------------------

# both_ways MACHINE MAGIC: all fields of all samples, in each layout and
# compression, and byte for byte the same file once it is written here again.
both_ways() {
	local there=$WORK/$1/t/unit/recode magic=$2 file layout z
	for file in "$T"/data/*.bin; do
		"$RECODE" "$file" >want
		[ -s want ]
		"$there" "$file" | cmp want -
		for layout in early cpython; do
			for z in none zstd; do
				"$RECODE" "$file" here $layout $z
				"$there" "$file" there $layout $z
				is "$(head -c 4 there)" "$magic"
				# A cut stack is no other there than here.
				"$RECODE" here >want
				"$there" here | cmp want -
				"$RECODE" there | cmp want -
				"$RECODE" there again $layout $z
				cmp here again
			done
		done
	done
}

@test "s390x: written there and read here, written here and read there" {
	both_ways s390x TACH
}

@test "i386: written there and read here, written here and read there" {
	both_ways i386 HCAT
}

# cut_short MACHINE: the same of profiles whose recorder was killed.
cut_short() {
	local there=$WORK/$1/t/unit/recode file z
	for file in "$T"/data/*.bin; do
		"$RECODE" "$file" >want
		for z in none zstd; do
			"$RECODE" "$file" here early $z unfinished
			"$there" "$file" there early $z unfinished
			"$there" here | cmp want -
			"$RECODE" there | cmp want -
		done
	done
}

@test "s390x: unfinished there and read here, unfinished here and read there" {
	cut_short s390x
}

@test "i386: unfinished there and read here, unfinished here and read there" {
	cut_short i386
}

# text MACHINE: the same of the text form.
text() {
	local there=$WORK/$1 file
	for file in "$T"/data/*.bin; do
		"$RECODE" "$file" >want
		tach-cat -l "$file" >here
		"$there/cmd/tach-cat" -l "$file" | cmp here -
		"$there/t/unit/recode" here | cmp want -
	done
}

@test "s390x: text there and here" {
	text s390x
}

@test "i386: text there and here" {
	text i386
}

@test "i386: a file of 5 GB" {
	need python3
	python3 - "$T/data/odd.bin" big <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		more = 5 << 30
		strings, frames = struct.unpack_from('<QQ', data, 36)
		struct.pack_into('<QQ', data, 36, strings + more, frames + more)
		struct.pack_into('<Q', data, len(data) - 24, len(data) + more)
		data[-16:] = bytes(16) # no checksum
		with open(sys.argv[2], 'wb') as f:
		    f.write(data[:strings])
		    f.seek(strings + more)
		    f.write(data[strings:])
	END
	run -0 --separate-stderr "$WORK/i386/cmd/tach-info" big
	# shellcheck disable=SC2154
	is "$stderr" ""
	is "$output" "$(tach-info big)"
	[[ $output = *" $(stat -c %s big) bytes"* ]]
}

# ---- the tests of the format --------------------------------------------

# units MACHINE TEST...: unit tests.
units() {
	local name failed=
	cd "$WORK/$1/t/unit" || return
	shift
	for name; do
		# 77: it is not for this machine.
		"./$name" || [ $? -eq 77 ] || failed="$failed $name"
	done
	is "$failed" ""
}

# Not the others: the walks of test_python are for processes of x86-64, and a
# text has no byte order.
@test "s390x: the unit tests of the format" {
	units s390x test_format test_damage
}

@test "i386: the unit tests" {
	cd "$WORK/i386/t/unit"
	units i386 test_*
}

# tools MACHINE: what tools print of files, which has tests of its own.
tools() {
	local file
	for file in cat info; do
		TACH_BUILDDIR=$WORK/$1 bats "$T/commands/$file.bats" >log || {
			grep -v '^ok' log
			return 1
		}
		grep -q '^ok' log
	done
	for file in "$T"/data/*.bin; do
		tach-convert --collapsed "$file" >want
		[ -s want ]
		"$WORK/$1/cmd/tach-convert" --collapsed "$file" | cmp want -
	done
}

@test "s390x: tach-cat, tach-info and tach-convert" {
	tools s390x
}

@test "i386: tach-cat, tach-info and tach-convert" {
	tools i386
}

# ---- arm64 ------------------------------------------------------------------

@test "arm64: written there and read here, written here and read there" {
	both_ways aarch64 HCAT
}

# With them, the walks over the stored memory of interpreters.
@test "arm64: the unit tests" {
	cd "$WORK/aarch64/t/unit"
	units aarch64 test_*
}

# In a Python that qemu runs: what is built there reads its memory.
@test "arm64: functions of C stand where they were called" {
	local root=${CROSS%/*}/arm64
	[ -d "$root" ] || skip "no Python of arm64 here: see t/peers/arm64"
	python3 "$T/native/arm64.py" "$CROSS/usr/bin/qemu-aarch64" "$root" "$CROSS" \
	    "$WORK/build/aarch64/t/unit/merged" 150 >counts
	cat counts
	grep -E ' 0 wrong, [01] not exact, ' counts
}

# A compiler for arm64 whose programs run here.
arm64_compiler() {
	cat >"$1" <<-'END'
		#!/bin/sh
		last= out=
		for word; do
			[ "$last" != -o ] || out=$word
			last=$word
		done
		aarch64-linux-gnu-gcc -static "$@" || exit
		mv "$out" "$out.arm64"
		printf '#!/bin/sh\nexec qemu-aarch64 %s.arm64\n' "$out" >"$out"
		chmod +x "$out"
	END
	chmod +x "$1"
}

# Sizes of what holds a mutex differ, and what lies behind one, which is marked and
# not used there.
DIFFERENT='/\.(runtime|interp|gil)_size =|PY_BEHIND_MUTEX/d'

same_layout() {
	local minor=$1 dir=$2 in=$WORK/headers/$1
	mkdir -p "$in"
	cp -rL "$dir" "$in/"
	[ ! -d "${dir%/*}/x86_64-linux-gnu/${dir##*/}" ] || {
		mkdir -p "$in/aarch64-linux-gnu"
		cp -rL "${dir%/*}/x86_64-linux-gnu/${dir##*/}" \
		    "$in/aarch64-linux-gnu/"
	}
	PATH=/usr/sbin:/usr/bin:/sbin:/bin CC=${WORK#"$CROSS"}/cc \
	    chroot "$CROSS" sh "${WORK#"$CROSS"}/source/lib/python/mkoffsets" \
	    "${in#"$CROSS"}/${dir##*/}" >made
	diff <(sed -E "$DIFFERENT" made) \
	    <(sed -E "$DIFFERENT" \
		"$TACH_SRCDIR/lib/python/layout_${minor/./_}.c")
}

@test "arm64: interpreters keep everything where they do on x86-64" {
	local tag command root dir n=0
	arm64_compiler "$WORK/cc"
	while IFS=$'\t' read -r tag command; do
		root=
		[[ $command != chroot* ]] ||
		    root=$(cut -d ' ' -f 2 <<<"$command")
		command=${command##* }
		dir=$root${command%/bin/*}/include/python${tag%%-*}
		[ ! -d "$dir/internal" ] || [ -d "$WORK/headers/${tag%%-*}" ] ||
		    {
			same_layout "${tag%%-*}" "$dir"
			n=$((n + 1))
		}
	done < <(pythons 3.11 3.12 3.13 3.14 3.15)
	echo "$n versions"
	[ "$n" -gt 0 ]
}
