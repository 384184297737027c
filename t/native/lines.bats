# SPDX-License-Identifier: ISC
# lines.bats: source lines of functions of C (--native-lines): they are those of
# addr2line, and have their shares of the time; and whatever debug information is,
# nothing but lines is missing.

load ../lib/lib.bash

S=$TACH_BUILDDIR/t/unit/symbols

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	"$S" -f | found -x dw || skip "a build without libdw"
	need "${CC%% *}" gcc
}

teardown() {
	end_started || :
}

# lined [FLAG]...: the program, whose source has a relative path, and the library in a
# folder of its own.
lined() {
	mkdir -p lib
	cp "$T/native/lined.c" .
	$CC -g -O2 -Wl,--build-id -o lined lined.c "$@"
	$CC -g -O2 -Wl,--build-id -fPIC -shared -o lib/liblined.so "$T/native/lined.c"
}

# recorded: p.bin of the program, by CPU time; what was said is in log.
recorded() {
	tach-record --native-lines -m cpu -r 1000 -o p.bin -- ./lined 1 2>log
}

# reads FILE: how many stacks of it were read.
reads() {
	tach-info "$1" | sed -n 's/^note:  *native stacks=\([0-9]*\) .*/\1/p'
}

# judged FILE [WORD]: the lines of a profile have their shares.
judged() {
	tach-convert --collapsed "$1" 2>/dev/null |
	    "$T/native/lined.py" judge "$T/native/lined.c" "$(reads "$1")" ${2+"$2"}
}

# same_lines FILE: all addresses of its functions have the lines of addr2line, which an
# inlined function has where it was called.
same_lines() {
	nm -S "$1" | sed -nE 's/^0*([^ ]+) 0*([^ ]+) [tT] (main|twice_and_once)$/\1 \2/p' |
	while read -r start size; do
		for ((i = 0; i < 0x$size; i++)); do
			printf '%x\n' $((0x$start + i))
		done
	done >addrs
	[ "$(wc -l <addrs)" -gt 60 ]
	addr2line -a -i -e "$1" <addrs | "$T/native/lined.py" outermost >wanted
	"$S" -l "$1" <addrs >ours
	diff wanted ours
}

@test "an address has the line of addr2line in the function that it is in" {
	need addr2line binutils
	local flag
	for flag in -gdwarf-4 -gdwarf-5 -O1 -O3 -gz=zlib; do
		lined "$flag"
		same_lines lined
	done
	found " $PWD/lined.c:[0-9]" <ours
}

# program_judged: a recording of the program has the shares.
program_judged() {
	recorded
	judged p.bin
}

@test "lines of a program have their shares" {
	lined
	in_tries 3 program_judged
	tach-info p.bin | found -x "note: *native-lines addresses=[1-9][0-9]* known=[1-9][0-9]*"
	tach-info p.bin | absent '^note: *source'
	absent missing <log
}

# called ARG...: p.bin of a Python that calls the library, with the shares.
called() {
	tach-record -q --native-lines -m cpu -o p.bin "$@" -- \
	    "$python" "$T/native/lined.py" run "$PWD/lib/liblined.so" 1.5
	judged p.bin PYTHON
}

@test "lines of a library that Python calls have their shares" {
	host_python
	lined
	in_tries 3 called
	in_tries 3 called --engine=inprocess
}

# attached: the same of a process that runs.
attached() {
	tach-record -q --native-lines -m cpu -d 1 -o p.bin -p "$pid"
	judged p.bin PYTHON
}

# dumped: the process is in that function at this moment.
dumped() {
	tach-record --native-lines --dump -p "$pid" >dump
	cat dump
	found '^    twice_and_once (.*/t/native/lined.c:[1-9][0-9]*)$' <dump
	found '^    run (.*/t/native/lined.py:[1-9][0-9]*)$' <dump
}

@test "lines of a process that runs, in a recording and in a dump" {
	host_python
	lined
	start "$python" "$T/native/lined.py" run "$PWD/lib/liblined.so" 60 >told
	until_ grep -q ready told
	in_tries 3 attached
	in_tries 5 dumped
}

@test "what has a line of C is C in all formats, with its module and address" {
	need jq
	host_python
	lined
	tach-record -q --native-lines -m cpu -o p.bin -- \
	    "$python" "$T/native/lined.py" run "$PWD/lib/liblined.so" 0.5
	tach-convert --chrome p.bin | jq -r '.traceEvents[] |
	    select(.name == "twice_and_once") | .cat' | sort -u >kinds
	is "$(cat kinds)" native
	tach-convert --callgrind p.bin >out
	found 'ob=([0-9]*) .*/lib/liblined.so$' <out
	found '^\(fl\|cfi\)=([0-9]*) .*/lined.c$' <out
	tach-convert --gperftools -o p.prof p.bin
	grep -a 'r-xp' p.prof | found -a '/lib/liblined.so$'
	grep -a -q '^# 0x[0-9a-f]* twice_and_once (.*/lined.c:[0-9]*)' p.prof
	tach-convert --jsonl p.bin | found '/lined.c:twice_and_once:[1-9]'
	tach-top --once -g line p.bin | found 'twice_and_once .*/lined.c:[1-9]'
}

@test "the lines of a debug file, by build id and by name" {
	need objcopy binutils
	local id
	lined
	id=$(readelf -n lined | sed -n 's/ *Build ID: //p')
	objcopy --only-keep-debug lined debug
	strip lined
	recorded
	absent missing <log
	tach-convert --collapsed p.bin | absent 'lined\.c'
	tach-convert --collapsed p.bin | found '[;:]lined:'
	mkdir -p "cache/$id"
	cp debug "cache/$id/debuginfo"
	DEBUGINFOD_CACHE_PATH=$PWD/cache recorded
	tach-convert --collapsed p.bin | found 'lined.c:twice_and_once:2[4-6] [1-9]'
	mkdir .debug
	mv debug .debug/lined.debug
	(cd .debug && objcopy --add-gnu-debuglink=lined.debug ../lined)
	recorded
	tach-convert --collapsed p.bin | found 'lined.c:twice_and_once:2[4-6] [1-9]'
}

@test "without debug information nothing has lines, and the summary says so" {
	lined -static -s
	recorded
	found 'no source lines of C: no debug information was found, ' <log
	tach-info p.bin | found -x 'note: *native-lines addresses=0 known=0'
	tach-convert --collapsed p.bin | found 'lined:lined+0x[0-9a-f]*:0 [1-9]'
}

@test "damaged lines are missing, one line says so, and all else is there" {
	need objcopy binutils
	local section
	for section in .debug_line .debug_info .debug_abbrev; do
		lined
		objcopy --dump-section "$section"=bytes lined
		head -c "$(stat -c %s bytes)" /dev/zero | tr '\0' '\377' >ones
		objcopy --update-section "$section"=ones lined
		recorded
		cat log
		[ "$(grep -c missing log)" -le 1 ]
		tach-convert --collapsed p.bin | found ':twice_and_once:0 [1-9]'
		tach-convert --collapsed p.bin | absent 'lined\.c'
	done
	lined
	objcopy --dump-section .debug_line=bytes lined
	head -c "$(stat -c %s bytes)" /dev/zero >zeros
	objcopy --update-section .debug_line=zeros lined
	recorded
	is "$(grep missing log)" "tach-record: p.bin: source lines are missing of $PWD/lined: \
its debug information cannot be read"
}

@test "a debug file that is cut while a program is recorded ends nothing" {
	need objcopy binutils
	local id
	lined
	id=$(readelf -n lined | sed -n 's/ *Build ID: //p')
	mkdir -p "cache/$id"
	objcopy --only-keep-debug lined "cache/$id/debuginfo"
	strip lined
	(sleep 0.5 && truncate -s 1000 "cache/$id/debuginfo") &
	DEBUGINFOD_CACHE_PATH=$PWD/cache recorded
	wait
	is "$(grep missing log)" "tach-record: p.bin: source lines are missing of $PWD/lined: \
its debug information cannot be read"
	tach-convert --collapsed p.bin | found ':twice_and_once:0 [1-9]'
}

@test "options that take frames before their lines are known are refused" {
	run -125 --separate-stderr tach-record --native-lines --text -- true
	found 'it takes no --text and no --depth' <<<"$stderr"
	run -125 --separate-stderr tach-record --native-lines --depth 9 -- true
	found 'it takes no --text and no --depth' <<<"$stderr"
	run -125 --separate-stderr tach-record --native-lines --blocking -- true
	found 'no --blocking' <<<"$stderr"
}
