# SPDX-License-Identifier: ISC
# plain.bats: programs without Python are recorded with --native: their functions have
# the shares of time that are known of them, and those that gperftools' own profiler
# finds.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need "${CC%% *}" gcc
}

teardown() {
	end_started || :
}

# shares [FLAG]...: the program of that name.
shares() {
	$CC -O2 -o shares "$T/native/shares.c" -pthread "$@"
}

# recorded ARG...: p.bin of that command, by CPU time.
recorded() {
	tach-record --native -m cpu -r 1000 -o p.bin -- "$@" 2>log
}

# reads: how many stacks of p.bin were read.  On a busy machine one can stand for many
# samples.
reads() {
	tach-info p.bin | sed -n 's/^note:  *native stacks=\([0-9]*\) .*/\1/p'
}

@test "functions have their shares, and stacks lead to the start of each thread" {
	shares
	recorded ./shares 1.5 2
	found 'there is no Python in the process, so all frames are of C' <log
	tach-convert --collapsed p.bin 2>/dev/null |
	    "$T/native/shares.py" known "$(reads)" 2
}

@test "a thread that runs is seen where it is, not at its next system call" {
	need_interrupts
	shares -DSTEP=8
	recorded ./shares 1.5
	tach-convert --collapsed p.bin 2>/dev/null | awk '
		{ all += $NF }
		/clock_gettime[^;]* [0-9]+$/ { calls += $NF }
		END { print calls, all; exit !(all > 1000 && calls < all / 5) }'
}

@test "without a frame pointer, stripped, static, or at no fixed address" {
	shares -fomit-frame-pointer -no-pie
	recorded ./shares 1.5
	tach-convert --collapsed p.bin 2>/dev/null | "$T/native/shares.py" known "$(reads)"
	shares -static -O0
	recorded ./shares 1.5
	tach-convert --collapsed p.bin 2>/dev/null | "$T/native/shares.py" known "$(reads)"
	shares -s
	recorded ./shares 0.5
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	found 'shares:shares+0x' <stacks
	absent '<native?>' <stacks
}

@test "no output says that a program without Python is Python" {
	shares
	recorded ./shares 0.3
	tach-record --native --waits=exact -o /dev/null -- sleep 0.2 2>exact
	found 'notes no waits of a process without Python' <exact
	tach-info p.bin >info
	tach-info --json p.bin >>info
	absent -E '^python:|"python"' <info
	for format in callgrind gecko gperftools markdown perfetto pprof otlp; do
		echo "$format"
		tach-convert --$format p.bin 2>/dev/null | zcat -f | strings >said
		# Firefox's profiler has a list of categories.
		sed 's/"name":"Python","color"//' said | absent -i python
	done
	need_python 3.11
	cp "$T/programs/fib.py" "$OUTSIDE"
	tach-record -q -o q.bin -- "${PYTHON[@]}" "$INSIDE/fib.py" 0.2
	tach-info q.bin | found '^python: *3\.11\.'
	tach-convert --otlp q.bin | strings | found '^cpython$'
	tach-convert --gecko q.bin | zcat -f | found '"product":"Python 3\.11\.'
	tach-convert --markdown q.bin | found '^# Python profile'
}

@test "modules are told with their build ids" {
	need readelf binutils
	shares -Wl,--build-id
	recorded ./shares 0.3
	id=$(readelf -n shares | sed -n 's/ *Build ID: //p')
	[ ${#id} -eq 40 ]
	tach-info p.bin | found -x "module:  *$PWD/shares build-id $id"
	tach-info p.bin | absent '^note: *\(module\|function\)'
	tach-info --json p.bin | found "{\"path\":\"$PWD/shares\",\"build_id\":\"$id\","
	shares -Wl,--build-id=none
	recorded ./shares 0.3
	tach-info p.bin | found -x "module:  *$PWD/shares without a build id"
}

# beside [ARG]...: google-pprof says the same of a recording and of gperftools' own
# profile, both without other names than those of the files.
beside() {
	local profiler
	for profiler in /usr/lib/*/libprofiler.so.0; do
		CPUPROFILE=theirs CPUPROFILE_FREQUENCY=250 \
		    LD_PRELOAD=$profiler ./shares "$@" 2>/dev/null
	done
	recorded ./shares "$@"
	tach-convert --gperftools -o ours p.bin
	sed -i '/^# 0x/d' ours
	google-pprof --text ./shares ours >ours.text 2>/dev/null
	google-pprof --text ./shares theirs >theirs.text 2>/dev/null
	"$T/native/shares.py" beside "$(reads)" ours.text theirs.text
}

@test "google-pprof finds the names in the files, and the shares of libprofiler" {
	need_google_pprof
	compgen -G '/usr/lib/*/libprofiler.so.0' >/dev/null ||
	    skip "no libprofiler here (Debian: libgoogle-perftools-dev)"
	shares
	beside 2 2
	shares -no-pie
	beside 2
	$CC -O2 -shared -fPIC -DLIBRARY -o libthirty.so "$T/native/shares.c"
	shares -DNO_THIRTY -L. -lthirty -Wl,-rpath,"$PWD"
	beside 2
	need g++
	g++ -x c++ -O2 -o shares "$T/native/shares.c" -pthread
	beside 2
}

# A function of assembly keeps the end of its frame in a register that calls may change, as
# the ciphers of libcrypto do.
@test "a stack of assembly is whole, though a call may change where its frame ends" {
	[ "$(uname -m)" = x86_64 ] || skip "the functions are of x86-64"
	cat >aligned.c <<-'END'
	#include <stdlib.h>
	#include <time.h>
	void aligned(long);
	__asm__(".text\n"
	    ".type spun, @function\nspun: .cfi_startproc\n"
	    "0: imul %rdi, %rcx\n dec %rdi\n jnz 0b\n ret\n .cfi_endproc\n"
	    ".globl aligned\n.type aligned, @function\n"
	    "aligned: .cfi_startproc\n mov %rsp, %rax\n"
	    ".cfi_def_cfa_register rax\n push %rbx\n .cfi_offset rbx, -16\n"
	    "sub $1024, %rsp\n and $-64, %rsp\n call spun\n"
	    "mov -8(%rax), %rbx\n mov %rax, %rsp\n .cfi_def_cfa_register rsp\n"
	    "ret\n .cfi_endproc\n");
	int main(int argc, char *argv[])
	{
		double seconds = atof(argv[argc - 1]);
		while (clock() < seconds * CLOCKS_PER_SEC)
			aligned(100000);
		return 0;
	}
	END
	$CC -O2 -o aligned aligned.c
	recorded ./aligned 0.5
	found 'stacks, 100.0% whole' <log
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	found ';aligned:main:0;aligned:aligned:0;aligned:spun:0 ' <stacks
}

@test "a blocked thread is recorded, and its call goes on" {
	cat >waits.c <<-'END'
	#include <errno.h>
	#include <stdio.h>
	#include <sys/epoll.h>
	#include <unistd.h>
	int main(void)
	{
		struct epoll_event e;
		int fd = epoll_create1(0);
		int n = epoll_wait(fd, &e, 1, 1500);
		printf("%d\n", n < 0 ? errno : n);
		return 0;
	}
	END
	$CC -O0 -o waits waits.c
	./waits >out 3>&- &
	sleep 0.2
	tach-record --native -d 0.7 -r 100 -o p.bin -p $! 2>log
	wait $!
	[ "$(cat out)" = 0 ]
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	found 'epoll_wait' <stacks
	found ' 100% idle' <log
}

@test "a program that becomes a Python is recorded as both" {
	need python3
	tach-record --native -r 200 -o p.bin -- sh -c '(sleep 0.4); exec python3 -c "
import time
end = time.time() + 0.6
while time.time() < end:
    pass"' 2>log
	found 'of the samples are without Python in the process' <log
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	found '<string>:<module>' <stacks
	found '_start' <stacks
	tach-info p.bin | found '^python: *3\.'
}

@test "without --native, and by the GIL, there is nothing to record" {
	run -125 --separate-stderr tach-record -o p.bin -p $$
	run -125 --separate-stderr tach-record --native -m gil -o p.bin -p $$
	[[ $stderr == *"runs no Python, so it has no GIL"*"--mode=cpu" ]]
	shares
	run -125 --separate-stderr tach-record -o p.bin -- ./shares 0.1
	[[ $stderr == *"no Python was seen in ./shares before it ended"* ]]
}
