# SPDX-License-Identifier: ISC
# build.bats: the library as others see it, configure and bootstrap where
# something is missing, and the closing lines of the tests themselves.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
}

# declared HEADER: the functions and variables that it declares.
declared() {
	sed '/^typedef /d; s,/\*.*,,; s,^ \* .*,,' "$TACH_SRCDIR/lib/$1" |
	    grep -oE '\btach_[a-z0-9_]+(\(|\[\];)' | tr -d '([];' | sort -u
}

# needed FILE: the libraries that it names, a line each.
needed() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p'
}

# mapped NAME: the calls that lib/libNAME.map has a version for, as nm shows them.
mapped() {
	awk '/ \{$/ { node = $1 }
	    /^\ttach_/ { sub(/;/, ""); print $1 "@@" node }' \
	    "$TACH_SRCDIR/lib/lib$1.map" | sort
}

@test "the map of a library has what its header declares, and nothing else" {
	local name
	for name in tach tach-record; do
		is "$(mapped $name | sed 's/@.*//')" "$(declared $name.h)"
	done
}

@test "a library exports what its map has, by version, and nothing else" {
	need nm binutils
	[ -f "$TACH_BUILDDIR/lib/.libs/libtach.so" ] ||
	    skip "built without a shared library"
	local name
	for name in tach tach-record; do
		nm -D --defined-only --with-symbol-versions \
		    "$TACH_BUILDDIR/lib/.libs/lib$name.so" |
		    awk '$2 != "A" { print $3 }' | sort >exported
		is "$(cat exported)" "$(mapped $name)"
	done
}

@test "all global names of a static library begin with tach_" {
	need nm binutils
	[ -f "$TACH_BUILDDIR/lib/libtach.a" ] ||
	    skip "built without a static library"
	local name
	for name in tach tach-record; do
		# ASan adds a name to each variable.
		nm -g --defined-only "$TACH_BUILDDIR/lib/lib$name.a" |
		    awk 'NF == 3 && $3 !~ /^__odr_asan\./ { print $3 }' |
		    sort >global
		is "$(cat global)" "$(declared $name.h)"
	done
}

@test "commands use nothing of the libraries that their headers do not declare" {
	need nm binutils
	nm -g --defined-only "$TACH_BUILDDIR/lib/.libs/libtach-core.a" \
	    "$TACH_BUILDDIR/lib/.libs/libtach-record-core.a" |
	    awk 'NF == 3 { print $3 }' | sort -u >lib
	nm -u "$TACH_BUILDDIR"/cmd/*.o | awk '$1 == "U" { print $2 }' |
	    sort -u >used
	comm -12 lib used >from_lib
	[ -s from_lib ]
	is "$(grep -v '^tach_' from_lib || :)" ""
}

# What the C library does as the locale says, in the names of its objects.
LOCAL='__ctype_.*_loc|setlocale|localeconv|nl_langinfo|strto(d|f|ld)|atof|strftime'
LOCAL+='|str(coll|xfrm|fmon)|isw[a-z]+|tow(lower|upper)|mb[a-z]*towc[a-z]*|wc[a-z]*tomb[a-z]*'
LOCAL+='|strn?(un)?visx?'

@test "no call of the libraries looks at the locale" {
	need nm binutils
	nm -u "$TACH_BUILDDIR/lib/.libs/libtach-core.a" \
	    "$TACH_BUILDDIR/lib/.libs/libtach-record-core.a" |
	    awk '$1 == "U" { print $2 }' | sort -u >used
	grep -q '^strtod_l$' used # of decimal.c
	is "$(grep -xE "$LOCAL" used || :)" ""
	# decimal.c writes numbers with a point.
	is "$(grep -rnE '"[^"]*%[-+ 0#]*[0-9*]*(\.[0-9*]+)?L?[fgeaFGEA]\b' \
	    --include='*.[ch]' "$TACH_SRCDIR/lib" |
	    grep -v '/lib/\(decimal\.c\|agent/\)' || :)" ""
}

# seed is set before main; each thread has its `found`; files, printing, the names of the
# kernel's functions and the programs that it has of us, standing and shared, are locked.
STATE='seed|found|files|printing|standing|shared|kallsyms'

@test "the libraries have no state beside their handles" {
	need objdump binutils
	objdump -t "$TACH_BUILDDIR/lib/.libs/libtach-core.a" \
	    "$TACH_BUILDDIR/lib/.libs/libtach-record-core.a" >symbols
	# Not what the linker makes read-only, sections, and the names that ASan adds.
	awk '/ \.t?(bss|data)(\.[^ ]*)?\t/ && !/ \.data\.rel\.ro/ && !/ d  / {
		print $NF }' symbols | { grep -v '^__odr_asan\.' || :; } >state
	grep -qx seed state
	grep -qx files state
	is "$(grep -vxE "$STATE" state || :)" ""
}

@test "what only reads files needs neither libelf nor libbpf" {
	need readelf binutils
	local name
	for name in cat convert info merge; do
		needed "$TACH_BUILDDIR/cmd/tach-$name" >>libraries
	done
	[ ! -f "$TACH_BUILDDIR/lib/.libs/libtach.so" ] ||
	    needed "$TACH_BUILDDIR/lib/.libs/libtach.so" >>libraries
	grep -q '^libzstd$' libraries
	is "$(grep -E '^lib(elf|bpf)$' libraries || :)" ""
	needed "$TACH_BUILDDIR/cmd/tach-record" | found '^libelf$'
}

# installed: the libraries, in ./to, for pkg-config; $lib is their folder.  To install
# libtool links a library anew in the build tree, where libtach.bats uses it.
installed() {
	local pc
	flock "$TACH_BUILDDIR/lib/libtach.la" \
	    make -s -C "$TACH_BUILDDIR" install DESTDIR="$PWD/to" >/dev/null
	pc=$(find to -name libtach.pc)
	lib=$PWD/${pc%/pkgconfig/*}
	export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/to
}

# compiled OUTPUT ARGUMENT...: a sanitized library wants its runtime in the program
# as well.
compiled() {
	local sanitize
	sanitize=$(sed -n 's/^SANITIZE_FLAGS = //p' "$TACH_BUILDDIR/Makefile")
	# shellcheck disable=SC2086
	${CC:-cc} $sanitize -Wall -Werror -o "$@"
}

# programs: reads.c is of libtach alone, records.c of both.
programs() {
	cat >reads.c <<-'END'
		#include <stdio.h>
		#include <tach.h>
		int
		main(void)
		{
			struct tach_reader *r = tach_reader_new();
			puts(tach_version());
			tach_reader_free(r);
			return r == NULL;
		}
	END
	cat >records.c <<-'END'
		#include <stdio.h>
		#include <tach-record.h>
		int
		main(void)
		{
			struct tach_recorder_options options = {
			    .size = sizeof(options), .interval_ns = 1000000};
			struct tach_recorder *r = tach_recorder_new(&options);
			struct tach_table *t = tach_table_new();
			puts(tach_version());
			tach_table_add_string(t, "a", 1);
			tach_table_free(t);
			tach_recorder_free(r);
			return r == NULL;
		}
	END
}

@test "programs build against the installed libraries, shared" {
	[ -f "$TACH_BUILDDIR/lib/.libs/libtach.so" ] ||
	    skip "built without a shared library"
	need readelf binutils
	installed
	programs
	# shellcheck disable=SC2046
	compiled reads reads.c $(pkg-config --cflags --libs libtach)
	# shellcheck disable=SC2046
	compiled records records.c $(pkg-config --cflags --libs libtach-record)
	local program
	for program in reads records; do
		run -0 env LD_LIBRARY_PATH="$lib" ./$program
		is "$output" "$(pkg-config --modversion libtach)"
	done
	needed reads >libraries
	grep -q '^libtach$' libraries
	is "$(grep -E '^lib(tach-record|elf|bpf)$' libraries || :)" ""
	is "$(pkg-config --libs --static libtach | grep -oE -- '-l(elf|bpf)\b')" ""
}

@test "programs build against the installed libraries, static" {
	installed
	programs
	[ -f "$lib/libtach.a" ] || skip "built without a static library"
	rm -f "$lib"/*.so* "$lib"/*.la
	# The archives and, shared, what they need.
	# shellcheck disable=SC2046
	compiled reads reads.c $(pkg-config --static --cflags --libs libtach)
	# shellcheck disable=SC2046
	compiled records records.c \
	    $(pkg-config --static --cflags --libs libtach-record)
	local program
	for program in reads records; do
		run -0 ./$program
		is "$output" "$(pkg-config --modversion libtach)"
	done
	# All of both archives at once: nothing is defined twice.
	# shellcheck disable=SC2046
	compiled both records.c $(pkg-config --cflags libtach) \
	    -Wl,--whole-archive "$lib/libtach-record.a" "$lib/libtach.a" \
	    -Wl,--no-whole-archive $(pkg-config --static --libs libtach-record)
	run -0 ./both
}

# header_with COMMAND...: a compiler takes each header alone, and warns of nothing.
header_with() {
	local header
	for header in tach tach-record; do
		printf '#include <%s.h>\n%s\n' $header \
		    'const char *(*call)(void) = tach_version;' >alone.c
		"$@" -Wall -Wextra -Werror -I"$TACH_SRCDIR/lib" -c -o alone.o
		# No compiler of C++ has changed its name.
		nm -u alone.o | found -w tach_version
	done
}

@test "a public header compiles alone, as C99 and as C++17" {
	need nm binutils
	need c++ g++
	# shellcheck disable=SC2086
	header_with ${CC:-cc} -std=c99 -pedantic alone.c
	header_with c++ -std=c++17 -pedantic -x c++ alone.c
}

@test "the version of tach.h is that of configure.ac" {
	cat >version.c <<-'END'
		#include <stdio.h>
		#include <tach.h>
		#if TACH_VERSION_NUMBER < TACH_VERSION_OF(0, 1, 0) || \
		    TACH_VERSION_NUMBER >= TACH_VERSION_OF(TACH_VERSION_MAJOR, \
			TACH_VERSION_MINOR, TACH_VERSION_MICRO + 1)
		#error TACH_VERSION_NUMBER
		#endif
		int
		main(void)
		{
			printf("%d.%d.%d\n", TACH_VERSION_MAJOR,
			    TACH_VERSION_MINOR, TACH_VERSION_MICRO);
		}
	END
	# shellcheck disable=SC2086
	${CC:-cc} -I"$TACH_SRCDIR/lib" version.c -o version
	is "$(./version)" "$VERSION"
}

@test "every source, page and test is in the local.mk of its folder" {
	cd "$TACH_SRCDIR"
	for file in cmd/*.[ch] lib/*.[ch] lib/*/*.[ch] lib/*/*/*.[ch] man/*.[1-9] \
	    t/* t/unit/*.[ch] t/commands/* t/convert/* \
	    t/format/* t/house/* t/merge/* t/python/* t/record/*; do
		case $file in
		t/*.log | t/*.trs | t/*.seconds | t/local.mk | */__pycache__) continue ;;
		# Configure lists these.
		lib/python/layout_3_*.c | lib/python/effects_3_*.c) continue ;;
		lib/opcodes/names_3_*.c) continue ;;
		esac
		grep -qwF "$file" "${file%%/*}/local.mk" || echo "$file"
	done >"$BATS_TEST_TMPDIR/unlisted"
	is "$(cat "$BATS_TEST_TMPDIR/unlisted")" ""
}

@test "configure names every library that is missing, and its package" {
	run -1 --separate-stderr env PKG_CONFIG_LIBDIR="$PWD" PKG_CONFIG_PATH= \
	    ac_cv_prog_PROTOC_C= "$TACH_SRCDIR/configure" --quiet
	# shellcheck disable=SC2154
	for line in 'libzstd >= 1.4.0 (Debian: apt install libzstd-dev)' \
	    'libbsd-overlay (Debian: apt install libbsd-dev)' \
	    'libelf (Debian: apt install libelf-dev)' \
	    'libxxhash >= 0.8.0 (Debian: apt install libxxhash-dev)' \
	    'zlib (Debian: apt install zlib1g-dev)' \
	    'libprotobuf-c >= 1.3.0 (Debian: apt install libprotobuf-c-dev)' \
	    'protoc and protoc-gen-c (Debian: apt install protobuf-compiler protobuf-c-compiler)'; do
		[[ $stderr = *"$line"* ]]
	done
}

# chosen VARIABLE...: the compiler of messages that configure takes, by what it would
# find; it ends after that, without a library.
chosen() {
	env PATH="$PWD/tools:$PATH" PKG_CONFIG_LIBDIR="$PWD" PKG_CONFIG_PATH= "$@" \
	    "$TACH_SRCDIR/configure" --quiet 2>said && return 1
	sed -n "s/^PROTOC_C='\(.*\)'$/\1/p" config.log
}

@test "protoc is taken where protobuf-c's plugin is there, and else protoc-c" {
	mkdir tools
	for tool in protoc protoc-gen-c protoc-c; do
		ln -s /bin/true tools/$tool
	done
	is "$(chosen)" protoc
	is "$(chosen ac_cv_prog_protoc_gen_c=)" protoc-c
	is "$(chosen PROTOC_C=mine)" mine
}

@test "without libbpf and a clang nothing but what loads programs is missing" {
	need nm binutils
	for file in "$TACH_SRCDIR"/lib/engine/kernel/*.c; do
		[[ $file != */bpf_load.c && $file != */switch_feed.c ]] || continue
		"${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -UHAVE_BPF \
		    -I"$TACH_SRCDIR/lib" -c "$file" -o one.o
		nm -u one.o >>calls
	done
	grep -q interrupts_measure calls
	run -1 grep bpf calls
	is "$output" ""
}

@test "configure says what the kernel's programs lack, and then ends or goes on" {
	[ ! -f "$TACH_SRCDIR/lib/engine/bpf/interrupt.bpfel.h" ] ||
	    skip "a distribution has them compiled"
	# shellcheck disable=SC2154
	run -1 --separate-stderr "$TACH_SRCDIR/configure" --quiet \
	    --with-interrupts=yes CLANG=none
	is "$stderr" 'configure: error: --with-interrupts: there was no clang that compiles for BPF (Debian: apt install clang)'
}

@test "a distribution has the kernel's programs compiled, and needs no clang" {
	local program=lib/engine/bpf/interruptprogram.h
	[ -f "$TACH_BUILDDIR/$program" ] || skip "built without interrupts"
	make -s -C "$TACH_BUILDDIR" distdir distdir="$PWD/source"
	mkdir without
	cd without
	../source/configure --quiet --disable-shared --with-interrupts=yes \
	    CLANG=none
	make -s $program
	cmp $program "$TACH_BUILDDIR/$program"
	[ -s ../source/lib/engine/bpf/interrupt.bpfeb.h ]
	# A distribution of a distribution has them, too.
	make -s distdir distdir=again
	diff -r ../source/lib/engine again/lib/engine
}

# ---- bootstrap ----------------------------------------------------------

# stub NAME: a command of that name, from standard input, in ./bin.
stub() {
	mkdir -p bin
	{
		echo '#!/bin/sh'
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
}

# only COMMAND...: nothing but these, and the stubs, is on a PATH of ./bin.
only() {
	local name
	mkdir -p bin
	for name; do
		ln -s "$(command -v "$name")" "bin/$name"
	done
}

@test "bootstrap: an unknown word is a usage error" {
	run -2 --separate-stderr "$TACH_SRCDIR/bootstrap" chekc
	is "$output" ""
	is "$stderr" "usage: ./bootstrap [demo | check [--all]]"
}

@test "bootstrap: alone, it names what is missing and installs nothing" {
	only sh dirname
	run -1 --separate-stderr env PATH="$PWD/bin" \
	    "$TACH_SRCDIR/bootstrap"
	is "$output" ""
	[[ $stderr = "bootstrap: autoreconf is missing."*autoconf*libzstd-dev* ]]
}

@test "bootstrap: on a system without apt it names the packages and stops" {
	only sh dirname
	for word in demo check; do
		run -1 --separate-stderr env PATH="$PWD/bin" \
		    "$TACH_SRCDIR/bootstrap" $word
		[[ $stderr = *"not Debian"*gcc*libbsd-dev*python3* ]]
		grep -oE 'clang|bats' <<<"$stderr" >$word || :
	done
	# A demo does without: they are most of what would be downloaded.
	is "$(cat demo)" ""
	is "$(cat check)" $'clang\nbats'
}

@test "bootstrap: installs what is missing alone, and looks for it anew" {
	only sh dirname grep env
	stub dpkg-query <<-'END'
		case $* in
		*libelf-dev) exit 1 ;;
		*libbsd-dev) echo 'deinstall ok config-files' ;;
		*) echo 'install ok installed' ;;
		esac
	END
	stub id <<<'echo 1000'
	stub sudo <<<'echo "sudo $*" >>log; exec "$@"'
	stub apt-get <<<'echo "$*" >>log; case $* in *update) ;; *) exit 100; esac'
	export log=$PWD/log
	sed -i 's/>>log/>>"$log"/' bin/*
	run -100 env PATH="$PWD/bin" "$TACH_SRCDIR/bootstrap" demo
	grep -v '^sudo' log | sed 's/.*--no-install-recommends //' >calls
	grep -v '^update' calls >installs
	is "$(cat installs)" "$(yes 'install libbsd-dev libelf-dev' | head -n 2)"
	is "$(tail -n 2 calls)" "$(printf '%s\n' update \
	    'install libbsd-dev libelf-dev')"
	grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get ' log
}

@test "bootstrap: without root and sudo it says what to install" {
	only sh dirname grep env
	stub dpkg-query <<<'exit 1'
	stub apt-get <<<'exit 1'
	stub id <<<'echo 1000'
	run -1 --separate-stderr env PATH="$PWD/bin" \
	    "$TACH_SRCDIR/bootstrap" demo
	[[ $stderr = *"not root, and there is no sudo"* ]]
}

# ---- the closing lines --------------------------------------------------

# Of the tests of this file, no run is one of the tests of tach.
export TACH_LEDGER=

# result LOG VERDICT...: what automake's drivers leave beside a log.
result() {
	local log=$1 verdict
	shift
	for verdict; do
		echo ":test-result: $verdict"
	done >"${log%.log}.trs"
	cat >"$log"
}

@test "closing: what failed, what was skipped, the totals last" {
	result a.log PASS FAIL SKIP <<-'END'
		1..3
		ok 1 good
		PASS: t/a.bats 1 good
		not ok 2 bad
		FAIL: t/a.bats 2 bad
		# in line 7
		ok 3 none # skip no peer
		SKIP: t/a.bats 3 none # SKIP no peer
	END
	result unit.log FAIL <<-'END'
		unit.c:3: 1 is not 2
		FAIL t/unit (exit status: 1)
	END
	run -0 "$T/lib/closing" a.log unit.log
	is "$output" 'FAILED: t/a.bats 2 bad
    # in line 7
FAILED: unit
    unit.c:3: 1 is not 2
    FAIL t/unit (exit status: 1)
skipped: t/a.bats 3 none: no peer
1 passed, 2 failed, 1 skipped'
}

@test "closing: a file that breaks off is shown whole, and has failed" {
	result b.log PASS ERROR <<-'END'
		Killed
		1..2
		ok 1 good
		PASS: t/b.bats 1 good
		ERROR: t/b.bats - too few tests run (expected 2, got 1)
	END
	run -0 "$T/lib/closing" b.log never.log
	is "$output" 'ERROR: t/b.bats - too few tests run (expected 2, got 1)
    Killed
    1..2
    ok 1 good
FAILED: never was not run
1 passed, 2 failed, 0 skipped'
}

# again LOG: what t/lib/again leaves beside it, from standard input.
again() {
	cat >"${1%.log}.again.log"
}

@test "closing: what passed the second time only is told" {
	result a.log PASS FAIL FAIL FAIL <<-'END'
		1..4
		ok 1 good
		PASS: t/a.bats 1 good
		not ok 2 late (1.5 s)
		FAIL: t/a.bats 2 late (1.5 s)
		# in line 7
		not ok 3 bad
		FAIL: t/a.bats 3 bad
		# in line 8
		not ok 4 gone
		FAIL: t/a.bats 4 gone
	END
	again a.log <<-'END'
		1..3
		ok 1 late (1.5 s)
		not ok 2 bad
		# in line 8
		ok 3 gone # skip no peer
	END
	result unit.log FAIL <<<'FAIL unit (exit status: 1)'
	again unit.log <<<$'1..1\nok 1 unit'
	result b.log PASS ERROR <<-'END'
		1..2
		ok 1 good
		PASS: t/b.bats 1 good
		ERROR: t/b.bats - too few tests run (expected 2, got 1)
	END
	again b.log <<<$'1..2\nok 1 good\nok 2 better # skip no peer'
	# It has broken off again.
	result c.log PASS ERROR < <(sed s/b.bats/c.bats/ b.log)
	again c.log <<<$'1..2\nok 1 good'
	run -0 "$T/lib/closing" a.log unit.log b.log c.log
	is "$(grep -v '^ ' <<<"$output")" 'FAILED ONCE: t/a.bats 2 late (1.5 s)
FAILED: t/a.bats 3 bad
FAILED: t/a.bats 4 gone
FAILED ONCE: unit
ERROR ONCE: t/b.bats - too few tests run (expected 2, got 1)
ERROR: t/c.bats - too few tests run (expected 2, got 1)
again: t/a.bats: late (1.5 s)
again: unit
again: t/b.bats
5 passed, 3 failed, 1 skipped'
}

@test "closing: an older second time counts for nothing" {
	again a.log <<<$'1..1\nok 1 bad'
	touch -d '1 minute ago' a.again.log
	result a.log FAIL <<-'END'
		1..1
		not ok 1 bad
		FAIL: t/a.bats 1 bad
	END
	run -0 "$T/lib/closing" a.log
	is "${lines[-1]}" "0 passed, 1 failed, 0 skipped"
}

# run_of_a VERDICT: one more run of t/a.log, in which `late` had it at first.
run_of_a() {
	mkdir -p t
	rm -f t/a.again.log
	result t/a.log "$1" <<-END
		1..1
		ok 1 late
		$1: t/a.bats 1 late
	END
	[ "$1" != FAIL ] || again t/a.log <<<$'1..1\nok 1 late'
}

@test "closing: a test that passes the second time too often has failed" {
	local i
	export TACH_LEDGER=$PWD/cache/retries
	for i in {1..18}; do
		run_of_a PASS
		run -0 "$T/lib/closing" t/a.log
		is "$output" '1 passed, 0 failed, 0 skipped'
	done
	run_of_a FAIL
	run -0 "$T/lib/closing" t/a.log
	is "${lines[-2]}" 'again: t/a.bats: late (1 of 19 runs)'
	# Told of twice, it is one run.
	run -0 "$T/lib/closing" t/a.log
	is "${lines[-2]}" 'again: t/a.bats: late (1 of 19 runs)'
	# A run of another file is none.
	result b.log PASS <<<$'1..1\nok 1 b'
	run -0 "$T/lib/closing" b.log
	run_of_a FAIL
	run -1 "$T/lib/closing" t/a.log
	is "$(tail -n 3 <<<"$output")" 'again: t/a.bats: late (2 of 20 runs)
FAILED TOO OFTEN: t/a.bats: late (2 of 20 runs)
0 passed, 1 failed, 0 skipped'
	# What was mended is none for long.
	for i in {1..22}; do
		run_of_a PASS
		run -0 "$T/lib/closing" t/a.log
		is "$output" '1 passed, 0 failed, 0 skipped'
	done
	run_of_a FAIL
	run -1 "$T/lib/closing" t/a.log
	is "${lines[-1]}" '0 passed, 1 failed, 0 skipped'
	is "$(grep -c ^run "$TACH_LEDGER")" 44
	for i in {1..60}; do
		run_of_a PASS
		"$T/lib/closing" t/a.log
	done
	is "$(grep -c ^run "$TACH_LEDGER")" 100
	run_of_a FAIL
	run -0 "$T/lib/closing" t/a.log
	is "${lines[-2]}" 'again: t/a.bats: late (4 of 99 runs)'
}

# tried_run_of_a N: one more run of t/a.log, in which `shares` passed after N tries
# that failed.
tried_run_of_a() {
	local i
	mkdir -p t
	rm -f t/a.again.log
	{
		echo 1..2
		for ((i = 1; i <= $1; i++)); do
			echo "# share 12 failed, try $i of 3: status 1"
		done
		echo 'ok 1 shares: 12 %'
		echo 'PASS: t/a.bats 1 shares: 12 %'
		echo 'ok 2 sure'
		echo 'PASS: t/a.bats 2 sure'
	} | result t/a.log PASS PASS
}

@test "closing: a test that passes in a later try too often has failed" {
	local i
	export TACH_LEDGER=$PWD/retries
	for i in {1..18}; do
		tried_run_of_a 0
		run -0 "$T/lib/closing" t/a.log
		is "$output" '2 passed, 0 failed, 0 skipped'
	done
	# Two tries of one run are one run that needed them.
	tried_run_of_a 2
	run -0 "$T/lib/closing" t/a.log
	is "$output" 'tries: t/a.bats: shares: 12 % (1 of 19 runs)
2 passed, 0 failed, 0 skipped'
	tried_run_of_a 1
	run -1 "$T/lib/closing" t/a.log
	is "$output" 'tries: t/a.bats: shares: 12 % (2 of 20 runs)
FAILED TOO OFTEN: t/a.bats: shares: 12 % (2 of 20 runs)
1 passed, 1 failed, 0 skipped'
}

@test "closing: a try of a test that fails is no later try of the next one" {
	export TACH_LEDGER=$PWD/retries
	result a.log FAIL PASS <<-'END'
		1..2
		# share failed, try 1 of 1: status 1
		not ok 1 shares
		FAIL: t/a.bats 1 shares
		ok 2 sure
		PASS: t/a.bats 2 sure
	END
	run -0 "$T/lib/closing" a.log
	is "$output" 'FAILED: t/a.bats 1 shares
1 passed, 1 failed, 0 skipped'
	is "$(grep -c '^tries' retries)" 0
}

@test "closing: without a place for the ledger it tells no rate" {
	run_of_a FAIL
	touch none
	for TACH_LEDGER in '' none/retries; do
		run -0 "$T/lib/closing" t/a.log
		is "${lines[-2]}" 'again: t/a.bats: late'
	done
	unset TACH_LEDGER
	run -0 env -u HOME -u XDG_CACHE_HOME "$T/lib/closing" t/a.log
	is "${lines[-2]}" 'again: t/a.bats: late'
	run -0 env XDG_CACHE_HOME="$PWD/cache" "$T/lib/closing" t/a.log
	is "$(sed 's/^run [^ ]*/run/' cache/tach/retries)" $'run t/a\nagain t/a.bats: late'
}

@test "again: runs what failed, and nothing else" {
	local name='in 1.5 s: a|b (c) [d] {e} ^f + *g ?'
	export TACH_SRCDIR=$PWD BATS=$BATS_ROOT/bin/bats
	mkdir t
	printf '@test "%s" { %s; }\n' good 'touch good' bad false \
	    "$name" 'touch named' "x $name" 'touch x' >t/a.bats
	result t/a.log PASS FAIL FAIL PASS <<-END
		1..4
		ok 1 good
		PASS: t/a.bats 1 good
		not ok 2 bad
		FAIL: t/a.bats 2 bad
		not ok 3 $name
		FAIL: t/a.bats 3 $name
		ok 4 x $name
		PASS: t/a.bats 4 x $name
	END
	printf '#!/bin/sh\necho "no: $0"\n' >t/unit
	chmod +x t/unit
	result t/unit.log FAIL <<<'FAIL t/unit (exit status: 1)'
	result t/well.log PASS <<<'PASS t/well (exit status: 0)'
	again t/well.log <<<'of another time'
	run -1 "$T/lib/again" t/a.log t/unit.log t/well.log
	is "$output" $'once more: t/a\nonce more: t/unit'
	is "$(ls -d good named x 2>/dev/null)" named
	is "$(cat t/unit.again.log)" $'1..1\nno: ./t/unit\nok 1 t/unit'
	[ ! -e t/well.again.log ]
	run -0 "$T/lib/closing" t/a.log t/unit.log t/well.log
	is "$(grep '^again' <<<"$output")" "again: t/a.bats: $name
again: t/unit"
	is "${lines[-1]}" "5 passed, 1 failed, 0 skipped"
	run -0 "$T/lib/again" t/unit.log t/well.log
}

@test "again: not where too much failed, or was never run" {
	export TACH_SRCDIR=$PWD
	result unit.log FAIL <<<'FAIL unit (exit status: 1)'
	printf '#!/bin/sh\n' >unit
	chmod +x unit
	run -1 "$T/lib/again" unit.log never.log
	# shellcheck disable=SC2046
	result many.log $(yes FAIL | head -n 20) <<<'1..20'
	run -1 "$T/lib/again" unit.log many.log
	is "$output" "21 tests failed: too many to be chance, so not once more"
	[ ! -e unit.again.log ]
}

@test "in-turn: what is not named runs when no other does" {
	export TACH_BUILDDIR=$PWD SIDE_BY_SIDE='t/a.bats t/b.bats'
	touch config.status
	cat >log.sh <<-'END'
		echo "begin $1" >>log
		until [ -e "$2" ]; do sleep 0.01; done
		echo "end $1" >>log
	END
	"$T/lib/in-turn" sh log.sh a.bats go ../t/a.bats 3>&- &
	until_ grep -q a.bats log
	"$T/lib/in-turn" sh log.sh b.bats log t/b.bats
	"$T/lib/in-turn" sh log.sh live log t/live.bats 3>&- &
	until_ grep -q -e '-> FLOCK.* WRITE' /proc/locks
	touch go
	wait
	TACH_TEST_TIMEOUT=1 run -124 "$T/lib/in-turn" sleep 100
	is "$(cat log)" 'begin a.bats
begin b.bats
end b.bats
end a.bats
begin live
end live'
}

@test "in-turn: with the number of a commit, the tests that have their turn" {
	local titles
	mkdir t
	printf '@test "a (b): 3.%s" { true; }\n' 6 7 8 9 10 >t/x.bats
	touch config.status
	export TACH_BUILDDIR=$PWD
	is "$(TACH_COMMIT='' "$T/lib/in-turn" echo t/x.bats)" t/x.bats
	titles=$("$T/lib/turn" --pythons 161843136 t/x.bats 2>/dev/null)
	run -0 --separate-stderr env TACH_COMMIT=161843136 \
	    "$T/lib/in-turn" echo t/x.bats
	is "$output" "t/x.bats --filter $(sed 's/[().]/\\&/g; s/.*/^&$/' <<<"$titles" |
	    paste -sd '|')"
	# shellcheck disable=SC2154
	grep -q '^Not run, by make check-all alone: x.bats: a (b): 3' <<<"$stderr"
}
