# SPDX-License-Identifier: ISC
# The examples of libtach(3): each is a whole program, which is compiled, run under
# ASan, and does what the page says.  And a profile that Python reads by ctypes.

load ../lib/lib.bash
load ../lib/examples.bash

setup_file() {
	local page=$BATS_FILE_TMPDIR/page
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh ERRORS/p' \
	    "$TACH_SRCDIR/man/libtach.3" >"$page"
	blocks "$page" >"$page.all"
	awk -v to="$BATS_FILE_TMPDIR/example" '
		/^\f/ { n++; sub(/^\f/, "") }
		n > 0 { print >(to n ".c") }' "$page.all"
}

setup() {
	LIBS=$TACH_BUILDDIR/lib/.libs
	[ -f "$LIBS/libtach.so" ] || skip "built without a shared library"
	# Not while build.bats installs it.
	exec {lock}<"$TACH_BUILDDIR/lib/libtach.la"
	flock --shared "$lock"
	export LD_LIBRARY_PATH=$LIBS
	cd "$BATS_TEST_TMPDIR" || return
}

# example NUMBER: compiles it as ./example.
example() {
	local cc=${CC:-cc} record=
	need "${cc%% *}"
	[ ! -f "$LIBS/libtach-record.so" ] || record=-ltach-record
	$cc -g -Wall -Wextra -Werror -fsanitize=address -I"$TACH_SRCDIR/lib" \
	    -o example "$BATS_FILE_TMPDIR/example$1.c" -L"$LIBS" $record \
	    -ltach
}

# fails COMMAND: a program that exits in the middle has memory then.
fails() {
	ASAN_OPTIONS=detect_leaks=0 "$@"
}

@test "there are five examples" {
	local sources=("$BATS_FILE_TMPDIR"/example*.c)
	is "${#sources[@]}" 5
}

@test "example: the hottest functions of a profile" {
	example 1
	printf '0\t0\t1\t-\ta:f:1\n1\t0\t1\t-\ta:f:1;a:g:2\n' >p.txt
	printf '%s\t0\t1\t-\ta:f:1;b:g:3\n' 2 3 >>p.txt
	tach-convert --tach -o p.bin p.txt
	run -0 ./example p.bin
	is "$output" $'3 g\n1 f\n0 a'
	run -1 fails ./example nosuch
	is "$output" 'example: nosuch: No such file or directory'
}

@test "example: write a profile" {
	example 2
	run -0 ./example p.bin
	is "$output" ''
	is "$(tach-cat p.bin)" "$(printf \
	    '%s\t0\t1\tcpu\tapp.py:main:3;app.py:work:7\n' 0 1000 2000)"
	[[ $(tach-info --verify p.bin) = 'p.bin: ok, 3 samples, checksum '* ]]
}

@test "example: select and convert" {
	example 3
	printf '%s\t0\t1\t%s\t%s\n' 0 cpu a:main:1 1 cpu 'a:main:1;a:work:2' \
	    2 - a:main:1 3 cpu a:other:1 4 cpu a:main:1 >p.txt
	run -0 ./example p.txt
	is "$output" "$(tach-convert --collapsed --frame function \
	    --status cpu --match 'work|main' p.txt)"
	is "$(wc -l <<<"$output")" 2
	run -1 fails bash -c './example p.txt >/dev/full'
	is "$output" 'example: standard output: No space left on device'
}

@test "example: merge" {
	example 4
	printf '%s\t0\t1\t-\ta:f:1\n' 0 2 >p.txt
	printf '%s\t0\t1\t-\tb:g:2\n' 1 3 >q.txt
	run -0 ./example p.txt q.txt m.bin
	is "$output" ''
	is "$(tach-cat m.bin)" "$(printf '%s\t%s\t1\t-\t%s\n' 0 0 a:f:1 \
	    1 1 b:g:2 2 0 a:f:1 3 1 b:g:2)"
	run -1 fails ./example p.txt nosuch m.bin
	is "$output" 'example: nosuch: No such file or directory'
}

@test "example: record a process" {
	example 5
	cat >busy.py <<-'END'
	import time
	def busy():
	    end = time.monotonic() + 0.5
	    while time.monotonic() < end:
	        pass
	busy()
	END
	run -0 ./example p.bin python3 busy.py
	is "$output" ''
	tach-cat p.bin | grep 'busy\.py:busy:[345]$'
	run -1 fails ./example p.bin /nosuch
	is "$output" 'example: /nosuch: No such file or directory'
}

# reads_by_ctypes FILE: what a script prints of it.  A library with ASan in it wants that
# first of all.
reads_by_ctypes() {
	local asan
	asan=$(ldd "$LIBS/libtach.so" | awk '/libasan/ { print $3 }')
	LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 \
	    python3 "$TACH_SRCDIR/t/house/libtach.py" "$LIBS/libtach.so" "$1"
}

@test "Python reads a profile by ctypes alone" {
	local file
	for file in wall opcodes gil none; do
		file=$TACH_SRCDIR/t/data/cpython315-$file.bin
		tach-cat "$file" >want
		run -0 reads_by_ctypes "$file"
		cmp - want <<<"$output"
		reads_by_ctypes - <"$file" | cmp - want
	done
	run -1 reads_by_ctypes /nosuch
	is "$output" '/nosuch: No such file or directory (4)'
}
