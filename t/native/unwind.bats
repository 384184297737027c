# SPDX-License-Identifier: ISC
# unwind.bats: tables of frames, judged by readelf, and stacks of C, by elfutils.

load ../lib/lib.bash

UNWOUND=$TACH_BUILDDIR/t/unit/unwound

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

need_elfutils() {
	command -v eu-stack >/dev/null || skip "no eu-stack here (Debian: elfutils)"
}

teardown() {
	end_started
}

# of_elfutils: the addresses of the main thread's frames, innermost first.
of_elfutils() {
	eu-stack -1 -n 0 -p "$pid" 2>said |
	    sed -n 's/^#[0-9]* *0x0*\([0-9a-f]*\).*/\1/p'
}

# same_stacks N: stops the process N times, at random.  A group stop holds it still
# between the two.
same_stacks() {
	local i
	for ((i = 0; i < $1; i++)); do
		sleep 0.0$((RANDOM % 100))
		kill -STOP "$pid"
		until_ found '^State:	T' "/proc/$pid/status"
		of_elfutils >theirs
		"$UNWOUND" "$pid" >ours
		kill -CONT "$pid"
		[ -s theirs ]
		diff -u theirs ours
	done
}

same_rows() {
	python3 "$T/native/rows.py" "$TACH_BUILDDIR/t/unit/rows" "$1"
}

@test "rows of the C library, of a Python and of libcrypto are those of readelf" {
	need readelf
	local file
	for file in libc.so.6 libcrypto.so.3; do
		file=$(ldconfig -p | sed -n "s/.*$file .*x86-64.* => //p" | head -n 1)
		[ -z "$file" ] || same_rows "$file"
	done
	host_python
	# shellcheck disable=SC2154
	file=$(ldd "$python" | sed -n 's/.*libpython.* => \(.*\) (.*/\1/p')
	same_rows "${file:-$(readlink -f "$python")}"
}

@test "rows of arm64's C and C++ libraries are those of readelf" {
	need readelf
	local root=${XDG_CACHE_HOME:-$HOME/.cache}/tach/cross/usr/aarch64-linux-gnu/lib
	[ -e "$root/libc.so.6" ] || skip "no libraries of arm64 here: see t/peers/cross"
	same_rows "$root/libc.so.6"
	[ ! -e "$root/libstdc++.so.6" ] || same_rows "$root/libstdc++.so.6"
}

@test "frames of C are those that eu-stack finds, at 40 random moments of libraries" {
	need_elfutils
	start "$(command -v python3)" "$T/native/libraries.py" >told
	until_ grep -q ready told
	same_stacks 40
}

@test "frames of C are those that eu-stack finds where C calls Python in many ways" {
	need_elfutils
	start "$(command -v python3)" "$T/programs/mixed.py" >told
	until_ grep -q ready told
	same_stacks 20
}

@test "frames of C++ and of a signal handler are those that eu-stack finds" {
	need_elfutils
	command -v g++ >/dev/null || skip "no g++ here"
	g++ -O2 -o thrown "$T/native/thrown.cc"
	start ./thrown >told
	until_ grep -q ready told
	same_stacks 30
}

# by_code PROGRAM: at 40 random moments, the code of most frames leads to the caller that
# their tables tell, and none to another one.
by_code() {
	local i
	start "$(command -v python3)" "$1" >told
	until_ grep -q ready told
	for ((i = 0; i < 40; i++)); do
		sleep 0.0$((RANDOM % 100))
		"$UNWOUND" -c "$pid"
	done >counts
	awk '!/^same/ { print; next } { same += $2; none += $4; wrong += $6 }
	    END { print same, none, wrong; exit !(wrong == 0 && same > none) }' counts
}

@test "the code of a function leads to the caller that its table tells, or to none" {
	[ "$(uname -m)" = x86_64 ] || skip "only code of x86-64 is followed"
	by_code "$T/native/libraries.py"
	end_started || :
	by_code "$T/programs/mixed.py"
}

# The C library and libm have instructions of all extensions.
@test "instructions are as long as objdump has them" {
	[ "$(uname -m)" = x86_64 ] || skip "only instructions of x86-64 are known"
	need objdump
	local folder name
	folder=$(ldd "$TACH_BUILDDIR/t/unit/lengths" | sed -n 's|.*=> \(.*\)/libc\.so\.6.*|\1|p')
	[ -n "$folder" ] || skip "no C library of GNU here"
	for name in libc.so.6 libm.so.6; do
		objdump -d --insn-width=16 "$folder/$name" |
		    awk -F '\t' 'NF > 2 && !/\(bad\)/ {
			gsub(" ", "", $2)
			sub(/^9b/, "", $2) # fwait is one of its own
			if ($2 != "")
				print $2
		    }' >code
		[ "$(wc -l <code)" -gt 100000 ]
		"$TACH_BUILDDIR/t/unit/lengths" <code >counts || {
			head -n 20 counts
			return 1
		}
	done
}

# many_functions: a library with frames for 60,000 functions.  Each has its own rows; some
# are not next to the ones before, and some lie in another section.
many_functions() {
	awk 'BEGIN {
		for (i = 0; i < 60000; i++) {
			print (i % 17 == 3 ? ".section .text.other,\"ax\"" : ".text")
			print (i % 5 ? ".p2align 4" : ".zero 40")
			print "f" i ": .cfi_startproc\n push %rbp"
			print ".cfi_def_cfa_offset 16\n.cfi_offset 6, -16"
			print "mov %rsp, %rbp\n.cfi_def_cfa_register 6"
			print "sub $" 8 * (i % 13) ", %rsp"
			if (i % 7 == 0)
				print ".cfi_def_cfa 10, 0\nnop"
			print "leave\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc"
		}
	}' >many.s
	"$CC" -shared -nostdlib -o many.so many.s
}

@test "parts of a large table are the same rows and functions as the whole table" {
	[ "$(uname -m)" = x86_64 ] || skip "the functions are of x86-64"
	many_functions
	"$TACH_BUILDDIR/t/unit/rows" many.so >whole
	"$TACH_BUILDDIR/t/unit/rows" -p many.so >by_parts
	[ "$(wc -l <whole)" -gt 240000 ]
	cmp whole by_parts
}
