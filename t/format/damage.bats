# SPDX-License-Identifier: ISC
# Profiles that are cut or damaged: what tach-info --verify says of them, and
# that the tools keep what came before.

load ../lib/lib.bash

# Where things are in the profiles of setup when they are plain: their first
# records, and those records' fields; then the tables, and the end.
# shellcheck disable=SC2034
{
	FULL=64 FULL_ENCODING=76 FULL_TIME=77 FULL_DEPTH=79 FULL_FRAMES=80
	REPEAT=82 REPEAT_COUNT=95 REPEAT_TIME=96
	SUFFIX=99 SUFFIX_SHARED=115 SUFFIX_FRESH=116 SUFFIX_FRAMES=117
	STRINGS=135 STRING_1=140 FRAMES=149 FRAME_1=156 FOOTER=170 SIZE=202
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >small.txt <<-'END'
		# tach 1
		# python 3.15.0
		# start 5000000
		# interval 1000
		0	0	7	gil	a.py:main:1;a.py:f:2
		1000	0	7	gil,cpu	a.py:main:1;a.py:f:2
		2000	0	7	cpu	a.py:main:1;a.py:g:3
		2500	1	9	-	
	END
	tach-convert --tach --compression none --layout early -o early.bin \
	    small.txt
	tach-convert --tach --compression none -o cpython.bin small.txt
	is "$(stat -c %s early.bin cpython.bin)" "$SIZE
$SIZE"
}

# The lines of `poked`, run together: one call for all of them.
NAMES=()
SAID=

# poked [c] OFFSET HEXBYTES MESSAGE: a profile, CPython's with a c, whose
# bytes at OFFSET are others.  Its checksum is taken out, so that only what
# the file says itself can tell.
poked() {
	local from=early.bin
	[ "$1" != c ] || {
		from=cpython.bin
		shift
	}
	local name="${#NAMES[@]}: byte $1 is $2"
	cp "$from" "$name"
	poke "$name" "$FTR_CHECKSUM" 00000000000000000000000000000000
	poke "$name" "$1" "$2"
	NAMES+=("$name")
	SAID+="tach-info: $name: $3"$'\n'
}

all_poked() {
	run -1 --separate-stderr tach-info --verify "${NAMES[@]}"
	is "$output" ""
	is "$stderr"$'\n' "$SAID"
}

@test "--verify: what is sound is ok" {
	cd "$T/data"
	run -0 --separate-stderr tach-info --verify cpython315-*.bin odd.bin
	is "$stderr" ""
	is "$output" "cpython315-gil.bin: ok, 2109 samples, no checksum
cpython315-none.bin: ok, 11748 samples, no checksum
cpython315-opcodes.bin: ok, 11682 samples, no checksum
cpython315-wall.bin: ok, 11707 samples, no checksum
odd.bin: ok, 16 samples, no checksum"
	cd "$BATS_TEST_TMPDIR"
	sum=$(peek early.bin "$FTR_CHECKSUM" 16)
	run -0 --separate-stderr tach-info -c early.bin
	is "$output" "early.bin: ok, 4 samples, checksum $sum"
	run -0 --separate-stderr tach-info -c <early.bin
	is "$output" "standard input: ok, 4 samples, checksum $sum"
	run -0 --separate-stderr tach-info -c small.txt
	is "$output" "small.txt: ok, 4 samples, no checksum"
}

@test "--verify: one that is damaged, and the others all the same" {
	cp early.bin bad.bin
	poke bad.bin $FULL_ENCODING 04
	run -1 --separate-stderr tach-info --verify early.bin bad.bin \
	    nosuch.bin cpython.bin
	is "${lines[0]%%,*}" "early.bin: ok"
	is "${lines[1]%%,*}" "cpython.bin: ok"
	is "$stderr" "tach-info: bad.bin: byte 76: encoding 4 of a record is not known
tach-info: nosuch.bin: No such file or directory"
}

# says_of N: what of the small profile is told when it has N bytes.
says_of() {
	if (($1 == 0)); then
		echo "the file is empty"
	elif (($1 < HDR_SIZE + FTR_SIZE)); then
		echo "truncated: $1 bytes, and header and footer alone take 96"
	elif ((STRINGS > $1 - FTR_SIZE)); then
		echo "truncated or damaged: string table offset $STRINGS at byte $HDR_STRINGS lies outside the file ($1 bytes)"
	elif ((FRAMES > $1 - FTR_SIZE)); then
		echo "truncated or damaged: frame table offset $FRAMES at byte $HDR_FRAMES lies outside the file ($1 bytes)"
	else
		echo "truncated or damaged: the footer at byte $(($1 - FTR_SIZE)) gives a file size of $2, but there are $1 bytes"
	fi
}

@test "--verify: cut at every byte" {
	local n said='' names=()
	for ((n = 0; n < SIZE; n++)); do
		head -c "$n" early.bin >"$n.bin"
		names+=("$n.bin")
		local size=0
		((n < HDR_SIZE + FTR_SIZE)) ||
		    size=$(od -An -t u8 -j $((n - 24)) -N 8 "$n.bin" | tr -d ' ')
		said+="tach-info: $n.bin: $(says_of "$n" "$size")"$'\n'
	done
	run -1 --separate-stderr tach-info --verify "${names[@]}"
	is "$output" ""
	is "$stderr"$'\n' "$said"
	# From a pipe it is the same.
	run -1 --separate-stderr tach-info --verify <150.bin
	is "$stderr" "tach-info: standard input: $(says_of 150)"
}

@test "--verify: every field of the header" {
	poked $HDR_MAGIC 68 'not a TACH profile (it begins with "hCAT\001\0\0\0")'
	poked $HDR_MAGIC 54414348 "format version 16777216 at byte 4 is not known (1 is)"
	poked $HDR_VERSION 02000000 "format version 2 at byte 4 is not known (1 is)"
	poked $HDR_VERSION 00000000 "format version 0 at byte 4 is not known (1 is)"
	poked $HDR_SAMPLES 05000000 "byte 135: the sample data ends after 4 samples, but the header's sample count at byte 28 is 5"
	poked $HDR_SAMPLES ffffffff "byte 135: the sample data ends after 4 samples, but the header's sample count at byte 28 is 4294967295"
	poked $HDR_SAMPLES 03000000 "byte 131: a REPEAT record of 1 samples, but the header's sample count (3 at byte 28) leaves 0"
	poked $HDR_SAMPLES 00000000 "byte 77: one sample more than the header counts (0 at byte 28)"
	poked $HDR_PYTHON 030f0001 "byte 11 is reserved, and not 0"
	poked $HDR_RESERVED 01 "byte 56 is reserved, and not 0"
	poked $((HDR_SIZE - 1)) ff "byte 63 is reserved, and not 0"
	poked $HDR_THREADS 03000000 "the header's thread count at byte 32 is 3, but 2 have samples"
	poked $HDR_THREADS ffffffff "the header's thread count at byte 32 is 4294967295, but 2 have samples"
	poked $HDR_THREADS 01000000 "byte 131: one thread more than the header counts (1 at byte 32)"
	poked $HDR_STRINGS 3f00000000000000 "truncated or damaged: string table offset 63 at byte 36 lies outside the file (202 bytes)"
	poked $HDR_STRINGS ffffffffffffffff "truncated or damaged: string table offset 18446744073709551615 at byte 36 lies outside the file (202 bytes)"
	poked $HDR_STRINGS 96000000 "string table offset 150 at byte 36 lies after the frame table's (149 at byte 44)"
	poked $HDR_STRINGS 88000000 "byte 136: string 0 of 4 has 97 bytes, but its table ends at byte 149"
	poked $HDR_FRAMES 3f00000000000000 "truncated or damaged: frame table offset 63 at byte 44 lies outside the file (202 bytes)"
	poked $HDR_FRAMES ab000000 "truncated or damaged: frame table offset 171 at byte 44 lies outside the file (202 bytes)"
	poked $HDR_FRAMES 94000000 "byte 147: string 3 of 4 has 1 bytes, but its table ends at byte 148"
	poked $HDR_COMPRESSION 01000000 "byte 64: zstd data: Unknown frame descriptor"
	poked $HDR_COMPRESSION 02000000 "compression type 2 at byte 52 is not known (0 is none, 1 is zstd)"
	poked $HDR_COMPRESSION 00000001 "compression type 16777216 at byte 52 is not known (0 is none, 1 is zstd)"
	poked c $CHDR_SAMPLES 0500000000000000 "byte 135: the sample data ends after 4 samples, but the header's sample count at byte 28 is 5"
	poked c $CHDR_SAMPLES 0400000001000000 "byte 135: the sample data ends after 4 samples, but the header's sample count at byte 28 is 4294967300"
	poked c 11 01 "byte 11 is reserved, and not 0"
	poked c $CHDR_THREADS 03000000 "the header's thread count at byte 36 is 3, but 2 have samples"
	poked c $CHDR_THREADS 01000000 "byte 131: one thread more than the header counts (1 at byte 36)"
	poked c $CHDR_STRINGS ff00000000000000 "truncated or damaged: string table offset 255 at byte 40 lies outside the file (202 bytes)"
	poked c $CHDR_FRAMES ff00000000000000 "truncated or damaged: frame table offset 255 at byte 48 lies outside the file (202 bytes)"
	poked c $CHDR_COMPRESSION 07000000 "compression type 7 at byte 56 is not known (0 is none, 1 is zstd)"
	all_poked
}

@test "--verify: every field of the footer and the tables" {
	poked $FTR_STRINGS 03000000 "byte 164: function name of frame 2 is string 3, but there are 3 strings"
	poked $FTR_FRAMES 02000000 "byte 163: 7 unknown bytes after the frame table are passed over
tach-info: 1: byte $FTR_FRAMES is 02000000: byte 117: frame index 2 of a SUFFIX record, but there are 2 frames"
	poked $FTR_STRINGS 05000000 "byte 149: length of string 4 of 5 does not end before the table does"
	poked $FTR_STRINGS ffffffff "the footer counts 4294967295 strings, more than the 14 bytes of their table can hold"
	poked $FTR_FRAMES 04000000 "the footer counts 4 frames, more than the 21 bytes of their table can hold"
	poked $FTR_FILE_SIZE c900000000000000 "truncated or damaged: the footer at byte 170 gives a file size of 201, but there are 202 bytes"
	poked $FTR_FILE_SIZE ca00000000000001 "truncated or damaged: the footer at byte 170 gives a file size of 72057594037928138, but there are 202 bytes"
	poked $FTR_CHECKSUM 01 "damaged: its bytes do not have the checksum at byte 186"
	poked $((SIZE - 1)) 01 "damaged: its bytes do not have the checksum at byte 186"
	poked $STRINGS 7f "byte 135: string 0 of 4 has 127 bytes, but its table ends at byte 149"
	poked $STRINGS ffffffffffffffffffff "byte 135: length of string 0 of 4 is out of range"
	poked $STRING_1 ffffffffffffffffff "byte 140: length of string 1 of 4 does not end before the table does"
	poked $FRAMES 04 "byte 149: file name of frame 0 is string 4, but there are 4 strings"
	poked $((FRAMES + 1)) 7f "byte 150: function name of frame 0 is string 127, but there are 4 strings"
	poked $FRAMES ffffffffff "byte 149: file name of frame 0 of 3 is out of range"
	poked $((FRAMES + 2)) ffffffff7f "byte 151: line of frame 0 of 3 is out of range"
	poked $((FRAME_1 + 3)) ffffffffffff "byte 159: end line of frame 1 of 3 is out of range"
	all_poked
}

@test "--verify: every field of a record" {
	poked $FULL_ENCODING 04 "byte 76: encoding 4 of a record is not known"
	poked $FULL_TIME ffffffffffffffffffff "byte 77: the time and status of a FULL record is out of range"
	poked $FULL_DEPTH 7f "byte 80: the sample data ends inside the frames of a FULL record"
	poked $FULL_FRAMES 03 "byte 80: frame index 3 of a FULL record, but there are 3 frames"
	poked $REPEAT_COUNT 05 "byte 95: a REPEAT record of 5 samples, but the header's sample count (4 at byte 28) leaves 3"
	poked $REPEAT_TIME 80808080808080808080 "byte 96: the time and status of a REPEAT record is out of range"
	poked $SUFFIX_SHARED 03 "byte 115: a SUFFIX record keeps 3 frames of a stack of 2"
	poked $SUFFIX_FRESH 7f "byte 117: the sample data ends inside the frames of a SUFFIX record"
	poked $SUFFIX_FRAMES 09 "byte 117: frame index 9 of a SUFFIX record, but there are 3 frames"
	all_poked
}

# Not everything shows when samples are read: the checksum tells.
@test "plain samples that are others: only --verify knows" {
	poke early.bin $((REPEAT_TIME + 2)) 04
	run -0 --separate-stderr tach-cat early.bin
	is "$stderr" ""
	is "${lines[1]}" $'1000\t0\t7\tunknown\ta.py:main:1;a.py:f:2'
	run -1 --separate-stderr tach-info --verify early.bin
	is "$output" ""
	is "$stderr" "tach-info: early.bin: damaged: its bytes do not have the checksum at byte 186"
	# As with any byte of it; zstd has a checksum of its own.
	tach-convert --tach -o zstd.bin small.txt
	poke zstd.bin $((FULL + 9)) ffff
	run -1 --separate-stderr tach-cat zstd.bin
	[[ $stderr = "tach-cat: zstd.bin: byte "*": zstd data: "* ]]
}

@test "what came before the damage is kept" {
	local whole
	whole=$(tach-cat early.bin)
	poke early.bin $SUFFIX_FRAMES 09
	local says="early.bin: byte 117: frame index 9 of a SUFFIX record, but there are 3 frames"
	run -1 --separate-stderr tach-cat early.bin
	is "$stderr" "tach-cat: $says"
	is "$output" "$(head -n 2 <<<"$whole")"
	run -1 --separate-stderr tach-convert --collapsed early.bin
	is "$stderr" "tach-convert: $says"
	is "$output" "$(head -n 2 <<<"$whole" | tach-convert --collapsed -)"
	run -1 --separate-stderr tach-info --stats early.bin
	is "$stderr" "tach-info: $says"
	grep -q '^decoded-samples: *2$' <<<"$output"
	run -1 --separate-stderr tach-convert --tach -o kept.bin early.bin
	is "$stderr" "tach-convert: $says"
	is "$(tach-cat kept.bin)" "$(head -n 2 <<<"$whole")"
	run -0 --separate-stderr tach-info --verify kept.bin
}

@test "an unknown block before the footer is passed over" {
	local whole
	whole=$(tach-cat early.bin)
	{
		head -c $FOOTER early.bin
		echo something new
		tail -c $FTR_SIZE early.bin
	} >more.bin
	poke more.bin "$FTR_FILE_SIZE" d8
	poke more.bin "$FTR_CHECKSUM" 00000000000000000000000000000000
	run -0 --separate-stderr tach-cat more.bin
	is "$output" "$whole"
	is "$stderr" "tach-cat: more.bin: byte $FOOTER: 14 unknown bytes after the frame table are passed over"
	# It may as well be frames that the footer does not count.
	run -1 --separate-stderr tach-info --verify more.bin
	is "$output" ""
	is "$stderr" "tach-info: more.bin: byte $FOOTER: 14 unknown bytes after the frame table are passed over"
}

@test "an unknown block between strings and frames is passed over, too" {
	local whole
	whole=$(tach-cat early.bin)
	{
		head -c $FRAMES early.bin
		echo something new
		tail -c +$((FRAMES + 1)) early.bin
	} >more.bin
	poke more.bin $HDR_FRAMES a3
	poke more.bin "$FTR_FILE_SIZE" d8
	poke more.bin "$FTR_CHECKSUM" 00000000000000000000000000000000
	run -0 --separate-stderr tach-cat more.bin
	is "$output" "$whole"
	is "$stderr" "tach-cat: more.bin: byte $FRAMES: 14 unknown bytes after the string table are passed over"
	run -1 --separate-stderr tach-info --verify more.bin
	is "$output" ""
	is "$stderr" "tach-info: more.bin: byte $FRAMES: 14 unknown bytes after the string table are passed over"
	# Both, and a newer recording.
	cp more.bin p.bin
	echo >p.bin.part
	run -0 --separate-stderr tach-cat p.bin
	is "$stderr" "tach-cat: p.bin: there is a newer recording, not finished, in p.bin.part; byte $FRAMES: 14 unknown bytes after the string table are passed over"
}

@test "what --verify finds odd is no damage" {
	local whole
	whole=$(tach-cat early.bin)
	poke early.bin $HDR_THREADS 09000000
	poke early.bin "$FTR_CHECKSUM" 00000000000000000000000000000000
	run -0 --separate-stderr tach-cat early.bin
	is "$output$stderr" "$whole"
	run -0 --separate-stderr tach-merge -o m.bin early.bin early.bin
	is "$stderr" ""
}

@test "no profile at all" {
	mkdir folder
	printf '\177ELF\2\1\1\0more' >elf
	truncate -s 5000 zeros
	run -1 --separate-stderr tach-info --verify folder elf zeros /dev/null
	is "$output" ""
	is "$stderr" 'tach-info: folder: cannot read: Is a directory
tach-info: elf: not a TACH profile (it begins with "\177ELF\002\001\001\0")
tach-info: zeros: the profile is unfinished, and its journal, with .journal after its name, is not here
tach-info: /dev/null: the file is empty'
}

# What the fuzzers began with, and what they have found; see t/fuzz/.
replay() {
	local cases=("$T/fuzz/corpus/$1"/*)
	run -0 --separate-stderr "$TACH_BUILDDIR/t/fuzz/fuzz_$1" \
	    "$T/fuzz/corpus/$1"
	is "$stderr" ""
	is "${lines[-1]}" "${#cases[@]} cases"
}

@test "the fuzzers' cases: TACH files" {
	replay reader
}

@test "the fuzzers' cases: collapsed stacks" {
	replay collapsed
}

@test "the fuzzers' cases: bytecode" {
	replay depths
}

@test "the fuzzers' cases: waits" {
	replay waits
}

@test "the fuzzers' cases: a program's file" {
	replay elf
}

@test "the fuzzers' cases: a module's functions" {
	replay symbols
}

@test "the fuzzers' cases: a perf map" {
	replay perfmap
}

@test "the fuzzers' cases: profiles for every format" {
	replay formats
}

@test "the fuzzers' cases: profiles to merge" {
	replay merge
}

@test "the fuzzers' cases: profiles of gperftools" {
	replay slots
}

@test "the fuzzers' cases: memory that is shared with a target" {
	[ -e "$TACH_BUILDDIR/lib/.libs/libtach-agent.so" ] ||
	    skip "built without shared libraries: there is no agent"
	replay shared
}

@test "the fuzzers' cases: an interpreter's memory" {
	replay python
}

@test "the fuzzers' cases: texts" {
	replay text
}

@test "the fuzzers' cases: unfinished profiles" {
	replay unfinished
}
