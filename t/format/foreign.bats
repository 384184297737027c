# SPDX-License-Identifier: ISC
# foreign.bats: compressed inputs, and profiles that other programs have recorded,
# compared with what these programs say of them.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# cut_anywhere FILE: every beginning of it is read as one line says why not, or as
# samples; none ends a command otherwise.
cut_anywhere() {
	local size status
	for ((size = 1; size < $(stat -c %s "$1"); size += ${2-1})); do
		head -c "$size" "$1" >cut
		status=0
		tach-convert --collapsed cut >out 2>err || status=$?
		[ "$status" -le 1 ]
		is "$(wc -l <err)" "$status"
	done
}

# flipped FILE: the same of a byte that is another one.
flipped() {
	local at status
	for ((at = 0; at < $(stat -c %s "$1"); at += ${2-1})); do
		cp "$1" flip
		printf '\xff' | dd of=flip bs=1 seek="$at" conv=notrunc status=none
		status=0
		timeout 20 tach-convert --collapsed flip >out 2>err || status=$?
		[ "$status" -le 1 ]
	done
}

# ---- compressed inputs ----------------------------------------------------

has_xz() {
	grep -q '^LZMA_LIBS = .' "$TACH_BUILDDIR/Makefile"
}

@test "what gzip, zstd and xz have compressed, by name and from a pipe" {
	local pack file
	tach-cat -l "$T/data/odd.bin" >odd.txt
	for file in odd.txt "$T/data/austin.txt" "$T/data/cpython315-gil.bin"; do
		tach-cat "$file" >want
		for pack in gzip zstd xz; do
			[ $pack != xz ] || has_xz || continue
			need $pack
			$pack -c <"$file" >packed
			tach-cat packed | cmp - want
			tach-cat <packed | cmp - want
			tach-info packed | sed 1d |
			    diff - <(tach-info "$file" | sed 1d)
		done
	done
}

@test "several compressed streams are one input" {
	local pack
	for pack in gzip zstd xz; do
		[ $pack != xz ] || has_xz || continue
		printf 'main;f 2\nma' | $pack -c >packed
		printf 'in;g 3\n' | $pack -c >>packed
		is "$(tach-convert --collapsed packed)" \
		    $'tid:0;main;g 3\ntid:0;main;f 2'
	done
	printf 'main;f 2\n' | gzip -c >packed
	head -c 1000 /dev/zero >>packed
	is "$(tach-convert --collapsed packed)" 'tid:0;main;f 2'
}

@test "a compressed pipe is read line by line" {
	mkfifo in out
	# stdbuf comes before a sanitizer, which else objects.
	ASAN_OPTIONS=verify_asan_link_order=0 \
	    stdbuf -oL tach-cat <in >out 3>&- &
	local line i to from
	exec {to}>in {from}<out
	for i in 0 1 2; do
		printf 'a.py:f:1 1\n' | gzip -c >&"$to"
		read -r -t 10 line <&"$from"
		is "$line" "$((i * 1000))"$'\t0\t0\tunknown\ta.py:f:1'
	done
	exec {to}>&- {from}<&-
	wait $!
}

@test "compressed inputs that are damaged" {
	local pack
	printf 'main;f 5\nmain;g 7\n' >p.txt
	for pack in gzip zstd xz; do
		[ $pack != xz ] || has_xz || continue
		$pack -c <p.txt >p.$pack
		head -c -2 p.$pack >bad
		run -1 --separate-stderr tach-convert --collapsed bad
		is "$stderr" "tach-convert: bad: byte $(stat -c %s bad): $pack data: it is cut short"
		cut_anywhere p.$pack
		flipped p.$pack
	done
	{ cat p.gzip; echo more; } >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" "tach-cat: bad: byte $(stat -c %s p.gzip): gzip data: other bytes follow behind it"
	is "${#lines[@]}" 12
	gzip -c <p.gzip >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: it is compressed twice by gzip: type zcat FILE | tach-convert'
	has_xz || return 0
	xz -c <p.xz >bad
	run -1 --separate-stderr tach-cat bad
	is "$stderr" 'tach-cat: bad: it is compressed by xz: type xzcat FILE | tach-convert'
}

# small KIB COMMAND...: with that much memory.
small() {
	(ulimit -v "$1" && shift && exec "$@")
}

@test "small files that unpack to much" {
	need zstd
	# Sanitizers take memory of their own.
	! grep -q '^SANITIZE_FLAGS = .' "$TACH_BUILDDIR/Makefile" ||
	    skip 'it limits the memory'
	# A binary input, which is unpacked to a file.
	{ printf '\0\0\0\0\3\0\0\0'; head -c 1100000000 /dev/zero; } |
	    zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 600000 tach-info bomb
	is "$stderr" 'tach-info: bomb: it unpacks to more than 1024 MiB: unpack it to a file first'
	# Names of 15 MiB, each another one.
	python3 -c '
import sys
name = b"f" * (15 << 20)
sys.stdout.buffer.write(b"main;f 1\n")
for i in range(20):
    sys.stdout.buffer.write(b"x%d%s 1\n" % (i, name))' | zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 1200000 tach-info --verify bomb
	is "$stderr" 'tach-info: bomb: the names have more than 256 MiB together, which is not read'
	# A deep stack for each of many threads.
	python3 -c '
import sys
stack = b"a;" * (4 << 20)
sys.stdout.buffer.write(b"main;f 1\n")
for i in range(40):
    sys.stdout.buffer.write(b"tid:%d;%s 1\n" % (i, stack))' | zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 200000 ]
	run -1 --separate-stderr small 1200000 tach-info --verify bomb
	is "$stderr" 'tach-info: bomb: the stacks of all threads take more than 512 MiB, which is not read'
}
