# SPDX-License-Identifier: ISC
# kernel.bats: --kernel shows the functions of the kernel that threads are in, the same as
# /proc/PID/task/TID/stack and perf do.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	K=$T/record/kernel.py
	need_root
	grep -q '[1-9a-f].* [tT] vfs_read$' /proc/kallsyms ||
	    skip "no addresses in /proc/kallsyms (sysctl kernel.kptr_restrict)"
}

teardown() {
	end_started
}

# without_bpf COMMAND...: where no BPF program can be loaded.
without_bpf() {
	"$T/lib/old-kernel" "$@"
}

# begin: threads that are blocked in all kinds of calls, a name each in ./told.
begin() {
	cp "$T/record/waits.py" .
	start python3 waits.py >told
	until_ grep -q '^end' told
}

# same [HOW...]: a dump has the functions that the kernel tells of each blocked thread.
same() {
	"$@" tach-record --dump --kernel "${more[@]}" -p "$pid" >dump || return
	"$K" blocked "$pid" told <dump >same
	(($(<same) >= 40))
}

@test "blocked threads have the functions of /proc/PID/task/TID/stack" {
	begin
	more=()
	in_tries 3 same
	in_tries 3 same without_bpf
	more=(--native)
	in_tries 3 same
	more=(--waits=none)
	in_tries 3 same
}

# recorded NAME [OPTION]...: p.bin of a second of it, and the stacks of its threads.
recorded() {
	local name=$1
	shift
	tach-record -q --kernel --waits=kind "$@" -o p.bin -- python3 "$K" run "$name" 1 >tid
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	"$K" shares "$name" <stacks >"$name"
}

# inside NAME PATTERN [OPTION]...: most of its samples are in the kernel, and most of
# these in functions of such names.
inside() {
	local name=$1 pattern=$2
	shift 2
	recorded "$name" "$@"
	grep "^[^;]*;.*:$name:.*\[kernel\]" stacks >in || return
	awk '$1 == "inside" { exit !($2 > 0.5) }' "$name" || return
	awk -v p="$pattern" '{ all += $NF } $0 ~ p { these += $NF }
	    END { exit !(these > 0.6 * all) }' in
}

@test "threads that run or wait in the kernel have its functions, of Python's line" {
	need_interrupts
	in_tries 3 inside getrandom '<built-in>:posix.getrandom:0;.*\[kernel\]:.*getrandom:'
	in_tries 3 inside fsync '<built-in>:posix.fsync:0;.*\[kernel\]:[a-z_]*fsync:'
	in_tries 3 inside faults '\[kernel\]:(asm_exc_page_fault|.*munmap):'
	absent '\[kernel\]:\(asm_sysvec\|asm_common\|__schedule\)' <stacks
	# The other thread waits, all the time.
	found ';\[kernel\]:[a-z_]*pipe_read:0;<wait>:pipe read:0 ' <stacks
}

@test "with --native they stand above the functions of C" {
	need_interrupts
	in_tries 3 inside getrandom \
	    'libc[^;]*:(getrandom|syscall):0;.*\[kernel\]:.*getrandom:' --native
}

# computes [OPTION]...: functions of the kernel have no share to speak of.
computes() {
	recorded compute "$@"
	awk '$1 == "inside" { exit !($2 < 0.05) }' compute
}

@test "a thread that computes is not in the kernel" {
	need_interrupts
	in_tries 3 computes
	in_tries 3 computes --native
	found ':compute:' <stacks
}

# as_perf: the innermost functions have the shares that perf finds.
as_perf() {
	tach-record -q --kernel -m cpu -o p.bin -- \
	    nice -n -10 python3 "$K" run getrandom 1 >tid
	tach-convert --collapsed p.bin 2>/dev/null | "$K" shares getrandom >getrandom
	perf record -q -e task-clock -c 1000000 -g -o perf.data -- \
	    nice -n -10 python3 "$K" run getrandom 1 >/dev/null 2>&1
	perf script -i perf.data 2>/dev/null | "$K" perf __x64_sys_getrandom >theirs
	sed 's/^/ours /' getrandom
	sed 's/^/theirs /' theirs
	awk 'NR == FNR { theirs[$1] = $2; next }
	$1 != "inside" && theirs[$1] > 0.1 {
		seen++
		if ($2 < theirs[$1] - 0.12 || $2 > theirs[$1] + 0.12)
			bad = 1
	}
	END { exit bad || !seen }' theirs getrandom
}

@test "innermost functions have the shares that perf finds" {
	need_interrupts
	need perf linux-perf
	perf record -q -e task-clock -g -o perf.data true 2>/dev/null || skip "no perf here"
	in_tries 4 as_perf
}

@test "programs without Python have them, too" {
	need_interrupts
	need "${CC%% *}" gcc
	cat >reads.c <<'C'
#include <sys/random.h>
#include <time.h>

static char bytes[1 << 16];

int
main(void)
{
	for (time_t end = time(0) + 2; time(0) < end;)
		getrandom(bytes, sizeof(bytes), 0);
	return 0;
}
C
	$CC -O1 -o reads reads.c
	plain() {
		tach-record -q --kernel --native "$@" -o p.bin -- ./reads
		tach-convert --collapsed p.bin 2>/dev/null >stacks
		awk '{ all += $NF } /reads:main:0;.*getrandom:0;.*\[kernel\]:/ { these += $NF }
		    END { exit !(these > 0.8 * all) }' stacks
	}
	in_tries 3 plain
	in_tries 3 plain -m cpu
	tach-info p.bin | found '^note: *kernel stacks=[1-9][0-9]* inside=[1-9]'
}

@test "a note and the summary say of how many stacks it is not known" {
	run -0 --separate-stderr tach-record --kernel -o p.bin -- python3 "$K" run compute 1
	# shellcheck disable=SC2154
	found 'tach-record: kernel: [0-9]* stacks, [0-9.]*% in the kernel' <<<"$stderr"
	tach-info p.bin | found '^note: *kernel stacks=[0-9]* inside=[0-9]* unknown=[0-9]*$'
	run -0 --separate-stderr without_bpf \
	    tach-record --kernel -o p.bin -- python3 "$K" run compute 1
	found 'kernel: of [1-9][0-9]* stacks it is not known whether they were in' <<<"$stderr"
	tach-record -q -o p.bin -- python3 "$K" run compute 1
	tach-info p.bin | absent '^note: *kernel '
}

@test "all processes of --subprocesses have them" {
	need_interrupts
	cat >two.py <<'P'
import os, sys
if os.fork() == 0:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
os.wait()
P
	tach-record -q --kernel --merge -o p.bin -- python3 two.py "$K" run getrandom 1
	tach-convert --collapsed p.bin 2>/dev/null >stacks
	found ':getrandom:.*\[kernel\]:.*getrandom:' <stacks
	found '<built-in>:posix.wait:0;.*\[kernel\]:.*do_wait:0;<wait>:child:0 ' <stacks
}

@test "missing rights are told before the program is started" {
	run -125 --separate-stderr setpriv --bounding-set=-bpf,-sys_admin \
	    tach-record --kernel -o p.bin -- touch begun
	is "${stderr%%;*}" "tach-record: --kernel needs root, or CAP_BPF, CAP_PERFMON and \
CAP_SYSLOG"
	[ ! -e begun ]
	[ "$(</proc/sys/kernel/kptr_restrict)" != 0 ] ||
	    [ "$(</proc/sys/kernel/perf_event_paranoid)" -gt 1 ] ||
	    skip "/proc/kallsyms hides nothing here"
	run -125 --separate-stderr setpriv --bounding-set=-syslog \
	    tach-record --kernel -o p.bin -- touch begun
	is "$stderr" "tach-record: --kernel needs the addresses of the kernel's \
functions, which /proc/kallsyms hides: give CAP_SYSLOG, and sysctl \
kernel.kptr_restrict=1 if that is 2"
	[ ! -e begun ]
	[ ! -e p.bin ]
}

@test "options that --kernel does not go with are told" {
	run -125 --separate-stderr tach-record --kernel --engine=inprocess -- true
	is "${stderr%%$'\n'*}" "tach-record: --kernel needs --engine=remote"
	run -125 --separate-stderr tach-record --kernel --blocking -- true
	is "${stderr%%$'\n'*}" "tach-record: --kernel reads each thread as of one moment: it \
takes no --blocking"
	run -125 --separate-stderr tach-record --kernel --waits=exact -- true
	is "${stderr%%$'\n'*}" "tach-record: --kernel takes no --waits=exact: --waits=kind does"
}
