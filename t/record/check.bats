# SPDX-License-Identifier: ISC
# check.bats: tach-record --check: what it says of rights that are there and of rights
# that are missing, and whether the commands that it prints give them.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	unset KUBERNETES_SERVICE_HOST
	RECORD=$(command -v tach-record)
}

teardown() {
	end_started
	drop_shared
}

NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# says ROW ANSWER REASON: the line of a row in the last output; the reason is a pattern.
says() {
	local line
	line=$(grep -E "^$1  +" <<<"$output") || { echo "no row $1"; return 1; }
	[[ $line =~ ^"$1"\ +"$2"\ +$3$ ]] || {
		echo "$line"
		echo "not: $1: $2: $3"
		return 1
	}
}

# mends ROW: the commands for a row, of the last output.
mends() {
	awk -v row="$1" '/^[^ ].*:$/ { on = index(", " $0, ", " row ":") ||
	    index(", " $0, ", " row ",") } /^    / && on' <<<"$output"
}

# mend ROW SITE: the command for a row at a place.
mend() {
	mends "$1" | sed -n "s/^    $2: *//p"
}

# all_rights: skips the test where this user has not all rights.
all_rights() {
	need_root
	interrupted || skip "root has not all rights here"
}

# idle PYTHON...: a Python that waits, as $pid.
idle() {
	start "$@" -c '
import time
print("ready", flush=True)
time.sleep(90)' >out
	until_ grep -q ready out
}

# sleeper [COMMAND...]: the same of any Python, behind a command.
sleeper() {
	host_python
	idle "$@" "$python"
}

# ---- the machine ------------------------------------------------------------------

@test "root has all rights" {
	all_rights
	sleeper
	run -0 tach-record --check -p "$pid"
	says 'memory of commands' yes 'a child was read'
	says 'memory of processes' yes '.*'
	says capabilities yes 'user 0 has CAP_SYS_PTRACE, CAP_BPF, CAP_PERFMON, CAP_SYS_NICE'
	says BPF yes 'the programs were loaded, by Linux [0-9.]+'
	says 'perf events' yes '.*'
	says 'real-time class' yes '.*'
	says 'in-process library' yes '/.*/libtach-agent.so'
	says process yes 'python.*, of user 0'
	says 'its memory' yes 'it was read'
	says 'its namespaces' yes '.*'
	says 'its Python' yes "$("$python" -V)"
	says 'its tracer' yes '.*'
	[[ $output = *$'\n'"tach-record can record process $pid"* ]]
}

@test "the command and the machine are as they were" {
	need_root
	sleeper
	cat "/proc/$pid/maps" >before
	run -0 tach-record --check -p "$pid"
	is "$(cat "/proc/$pid/maps")" "$(<before)"
	is "$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status")" S
	is "$(ls -A)" $'before\nout'
}

@test "another user: no memory, no interrupts, and the hint of each refusal" {
	all_rights
	sleeper
	run -1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says 'memory of commands' yes '.*'
	says 'memory of processes' partly 'of user 65534 alone: without CAP_SYS_PTRACE'
	says capabilities no 'user 65534 lacks CAP_SYS_PTRACE, .*'
	says BPF no 'bpf: Operation not permitted: without CAP_BPF, CAP_PERFMON.*'
	says 'real-time class' no '.*RLIMIT_RTPRIO is 0, and there is no CAP_SYS_NICE'
	says 'its memory' no '.*; it is of user 0: without CAP_SYS_PTRACE'
	says 'its Python' no '.*'
	[[ $output = *$'\n'"tach-record cannot record process $pid"$'\n'* ]]
	run -125 --separate-stderr "${NOBODY[@]}" "$RECORD" -q -o /dev/null -p "$pid"
	[[ $stderr = "tach-record: not permitted to read process $pid: "*"; \`tach-record --check -p $pid\` says what would help" ]]
	run -125 --separate-stderr "${NOBODY[@]}" "$RECORD" --dump -p "$pid"
	[[ $stderr = *"; \`tach-record --check -p $pid\` says what would help" ]]
	# The same where no status of a child is kept.
	run -0 "${NOBODY[@]}" env --ignore-signal=CHLD "$RECORD" --check
	says 'memory of processes' partly 'of user 65534 alone: without CAP_SYS_PTRACE'
	# It can record a command all the same.
	run -0 "${NOBODY[@]}" "$RECORD" --check
	[[ $output = *$'\n'"tach-record can record commands"$'\n'* ]]
}

@test "its commands are tried: root's, capabilities, real-time" {
	all_rights
	sleeper
	run -1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	is "$(mend 'real-time class' "root's shell")" 'prlimit --pid SHELL --rtprio=1'
	# shellcheck disable=SC2016
	is "$(mend 'real-time class' sudo)" 'sudo prlimit --pid $$ --rtprio=1'
	# That of root's shell.
	command=$(mend 'its memory' "root's shell")
	is "$command" "tach-record -p $pid"
	$command -q -d 0.3 -o p.bin
	has_samples p.bin
	# The capabilities that Docker's, and systemd's, would give.
	caps=$(mend 'its memory' Docker | grep -o 'cap-add [A-Z_]*' |
	    sed 's/cap-add /+/' | tr 'A-Z\n' 'a-z,')
	is "$caps" '+sys_ptrace,+bpf,+perfmon,+sys_nice,'
	ambient=$(mend 'its memory' systemd | sed 's/.*="\(.*\)".*/\1/')
	is "$ambient" 'CAP_SYS_PTRACE CAP_BPF CAP_PERFMON CAP_SYS_NICE'
	run -0 "${NOBODY[@]}" --inh-caps="${caps%,}" --ambient-caps="${caps%,}" \
	    "$RECORD" --check -p "$pid"
	says capabilities yes 'user 65534 has .*'
	says 'memory of processes' yes '.*'
	says BPF yes '.*'
	says 'perf events' yes '.*'
	says 'real-time class' yes '.*'
	says 'its memory' yes '.*'
	# prlimit of the shell that has asked; this takes CAP_SYS_RESOURCE.
	prlimit --pid $$ --rtprio=1 2>/dev/null || return 0
	# shellcheck disable=SC2016
	start "${NOBODY[@]}" sh -c '"$1" --check; echo end
	    while ! [ -e go ]; do sleep 0.05; done; "$1" --check >&2' - "$RECORD" \
	    >first 2>second
	until_ grep -q end first
	output=$(<first)
	says 'real-time class' no '.*'
	command=$(mend 'real-time class' "root's shell")
	${command/SHELL/$pid}
	touch go
	wait "$pid"
	output=$(<second)
	says 'real-time class' yes '.*'
}

@test "one capability less" {
	all_rights
	sleeper "${NOBODY[@]}"
	run -1 setpriv --bounding-set=-sys_ptrace "$RECORD" --check -p "$pid"
	says capabilities partly 'user 0 lacks CAP_SYS_PTRACE'
	says 'its memory' no '.*it is of user 65534: without CAP_SYS_PTRACE'
	is "$(mend 'its memory' Docker)" 'docker run --cap-add SYS_PTRACE IMAGE'
	found 'profile=general' <<<"$(mend 'its memory' Kubernetes)"
	run -0 setpriv --bounding-set=-bpf,-sys_admin "$RECORD" --check -p "$pid"
	says capabilities partly 'user 0 lacks CAP_BPF'
	says BPF no '.*: without CAP_BPF.*'
	says 'its memory' yes '.*'
	run -0 setpriv --bounding-set=-sys_nice "$RECORD" --check
	says 'real-time class' no '.*'
	run -0 chrt -b 0 "$RECORD" --check
	says 'real-time class' partly '.*was chosen, and stays'
}

@test "a limit of files" {
	all_rights
	# shellcheck disable=SC2016
	run -0 sh -c 'ulimit -n 64; "$1" --check' - "$RECORD"
	says BPF no '.*\(ulimit -Hn\) is 64: it takes 128'
	# shellcheck disable=SC2016
	is "$(mend BPF "root's shell")" 'prlimit --pid $$ --nofile=1024'
}

@test "the in-process engine is offered where it can record" {
	all_rights
	need cc gcc
	need_python 3.11
	cc -o deny "$T/record/deny.c"
	local bpf
	bpf=$(number bpf)
	idle "${PYTHON[@]}"
	run -0 setarch --uname-2.6 ./deny "$bpf" "$RECORD" --check
	says BPF no '.*: this is Linux 2.6, and they need 5.17'
	is "$(mends BPF)" '    tach-record --engine=inprocess -p PID'
	run -0 setarch --uname-2.6 ./deny "$bpf" "$RECORD" --check -p "$pid"
	says BPF no '.*: this is Linux 2.6, and they need 5.17'
	says 'the library in it' no '.* can attach to Python 3.14 and later: .*'
	is "$(mends BPF)" ''
	is "$(mends 'the library in it')" \
	    "    tach-record --engine=remote -p $pid"
}

# ---- namespaces -------------------------------------------------------------------

@test "a user namespace of its own" {
	all_rights
	unshare -Ur true 2>/dev/null || skip "no user namespaces here"
	sleeper
	run -1 unshare -Ur "$RECORD" --check -p "$pid"
	says capabilities partly 'they count in this user namespace only'
	says BPF no '.*capabilities of this user namespace do not count.*'
	says namespaces partly 'a user namespace of its own: .*'
	says 'its memory' no '.*capabilities of this user namespace do not count'
	[[ "$(mends 'its memory')" =~ ^\ *outside:\ *sudo\ tach-record\ -p\ (PID|$pid)$ ]]
	is "$(mends BPF)" "$(mends 'its memory')"
	is "$(mends capabilities)" "$(mends 'its memory')"
	is "$(mends 'real-time class')" "$(mends 'its memory')"
	# A process in one is read from outside.
	sleeper unshare -U
	run -0 tach-record --check -p "$pid"
	says 'its namespaces' partly 'some are its own: user'
}

@test "PID and mount namespaces" {
	all_rights
	host_python
	sleeper
	run -1 unshare -p -f --mount-proc "$RECORD" --check -p 4000
	says namespaces partly 'a PID namespace of its own: .*'
	says process no 'No such process in this PID namespace'
	found -- '--pid=host' <<<"$(mend process Docker)"
	start unshare -p -f --mount-proc "$python" -c 'import time; time.sleep(90)'
	until_ pgrep -P "$pid"
	pid=$(pgrep -P "$pid")
	until_ tach-record --check -p "$pid"
	run -0 tach-record --check -p "$pid"
	says 'its namespaces' partly 'some are its own: pid, mnt'
	says 'its Python' yes '.*'
}

@test "a process that /proc hides" {
	all_rights
	sleeper
	# shellcheck disable=SC2016
	run -1 unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc && pid=$1 &&
	    shift && exec "$@" --check -p "$pid"' - "$pid" "${NOBODY[@]}" "$RECORD"
	says process yes '.*'
	says 'its memory' no '.*; /proc hides it: without CAP_SYS_PTRACE'
}

# ---- system calls that are refused, and Yama -------------------------------------

# number CALL: the number of a system call.
number() {
	printf '#include <sys/syscall.h>\nSYS_%s\n' "$1" | cc -E - | tail -n 1
}

@test "a seccomp filter" {
	all_rights
	need cc gcc
	cc -o deny "$T/record/deny.c"
	sleeper
	run -1 ./deny "$(number process_vm_readv)" "$RECORD" --check -p "$pid"
	says 'memory of commands' no 'process_vm_readv: Operation not permitted: a seccomp filter is on'
	says 'its memory' no '.*: a seccomp filter is on'
	is "$(mend 'its memory' Docker)" 'docker run --security-opt seccomp=unconfined IMAGE'
	# A command of this shell has the filter, too.
	mends 'its memory' | absent "root's shell:"
	mends 'its memory' | absent ' sudo:'
	[[ $(mend 'its memory' outside) = 'sudo tach-record -p '* ]]
	run -1 ./deny "$(number process_vm_readv)" "$RECORD" --check
	[[ $output = *"tach-record cannot record commands"* ]]
	run -0 ./deny "$(number bpf),$(number perf_event_open),$(number sched_setattr)" \
	    "$RECORD" --check -p "$pid"
	says BPF no '.*: a seccomp filter is on.*'
	says 'perf events' no '.*: a seccomp filter is on'
	says 'real-time class' no '.*: a seccomp filter is on'
	says 'its memory' yes '.*'
	# The mending command: without the filter.
	run -0 tach-record --check -p "$pid"
	says BPF yes '.*'
}

# with_yama SCOPE COMMAND...: with settings of a kernel that has Yama.  It restricts
# nothing: only the reasons are looked at.
with_yama() {
	mkdir -p kernel/yama
	echo "$1" >kernel/yama/ptrace_scope
	echo 2 | tee kernel/perf_event_paranoid >kernel/unprivileged_bpf_disabled
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind kernel /proc/sys/kernel && exec "$@"' - "${@:2}"
}

@test "Yama" {
	all_rights
	sleeper
	run -1 with_yama 0 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says Yama yes 'ptrace_scope is 0'
	says 'its memory' no '.*: without CAP_SYS_PTRACE'
	run -1 with_yama 2 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says Yama no 'ptrace_scope is 2: only CAP_SYS_PTRACE may read processes'
	is "$(mend Yama sudo)" "sudo tach-record -p $pid"
	run -0 with_yama 2 "$RECORD" --check -p "$pid"
	says Yama yes 'ptrace_scope is 2, and CAP_SYS_PTRACE overrides it'
	run -0 with_yama 3 "$RECORD" --check -p "$pid"
	says Yama no 'ptrace_scope is 3: .*'
}

@test "Yama forbids no read that takes a capability anyway" {
	all_rights
	sleeper
	run -1 with_yama 1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says Yama partly 'ptrace_scope is 1: a process may read its descendants'
	says 'its memory' no '.*; it is of user 0: without CAP_SYS_PTRACE'
	mends 'its memory' | absent sysctl
	sleeper setpriv --reuid=65534 --regid=65533 --clear-groups
	run -1 with_yama 1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says 'its memory' no '.*; it is of another group: without CAP_SYS_PTRACE'
	sleeper "${NOBODY[@]}" --inh-caps=+sys_nice --ambient-caps=+sys_nice
	run -1 with_yama 1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says 'its memory' no '.*; it has other capabilities or .*: without CAP_SYS_PTRACE'
	# Its own process: the filter stands for Yama, which forbids no child's.
	need cc gcc
	cc -o deny "$T/record/deny.c"
	sleeper "${NOBODY[@]}"
	run -1 with_yama 1 "${NOBODY[@]}" ./deny "$(number process_vm_readv)" \
	    "$RECORD" --check -p "$pid"
	says 'memory of commands' no '.*: a seccomp filter is on'
	says 'memory of processes' no ".*: Yama's ptrace_scope is 1"
	says 'its memory' no ".*: Yama's ptrace_scope is 1"
	is "$(mend 'its memory' sudo | sed -n 1p)" "sudo tach-record -p $pid"
}

@test "settings of the machine are the last commands, and none in a container" {
	all_rights
	run -0 with_yama 1 "${NOBODY[@]}" env KUBERNETES_SERVICE_HOST=10.0.0.1 \
	    "$RECORD" --check
	[[ $(mends Yama | sed -n 1p) = '    Kubernetes: '* ]]
	absent sysctl <<<"$output"
	run -0 with_yama 3 env KUBERNETES_SERVICE_HOST=10.0.0.1 "$RECORD" --check
	is "$(mends Yama)" ''
	[ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ] ||
	    skip "it is a container"
	run -0 with_yama 1 "${NOBODY[@]}" "$RECORD" --check
	is "$(mends Yama | tail -n 2 | grep -c 'sysctl -w kernel.yama.ptrace_scope=0  #')" 2
	is "$(mends Yama | grep -c sysctl)" 2
	is "$(mends 'perf events' | tail -n 2 | grep -c perf_event_paranoid=1)" 2
	run -0 with_yama 3 "$RECORD" --check
	found reboot <<<"$(mends Yama)"
}

@test "without Yama, that is said" {
	[ ! -e /proc/sys/kernel/yama ] || skip "Yama is here"
	run -0 tach-record --check
	says Yama yes 'there is no kernel.yama.ptrace_scope'
	is "$(mends Yama)" ''
}

# ---- the process ------------------------------------------------------------------

@test "a process that is not dumpable" {
	all_rights
	host_python
	start "${NOBODY[@]}" "$python" -c '
import ctypes, time
ctypes.CDLL(None).prctl(4, 0)
print("ready", flush=True)
time.sleep(90)' >out
	until_ grep -q ready out
	run -1 "${NOBODY[@]}" "$RECORD" --check -p "$pid"
	says 'its memory' no '.*; it is not dumpable: without CAP_SYS_PTRACE'
	run -0 tach-record --check -p "$pid"
	says 'its memory' yes '.*'
}

@test "a zombie, no process, a thread, no Python" {
	host_python
	start "$python" -c '
import os, time
zombie = os.fork()
if zombie == 0: os._exit(0)
print(zombie, flush=True)
time.sleep(90)' >out
	until_ grep -q . out
	until_ grep -q '^State:.Z' "/proc/$(<out)/status"
	run -1 tach-record --check -p "$(<out)"
	says process no 'it has ended: it is a zombie, .*'
	is "$(mends process)" '    pgrep -a python'
	[[ $output != *'its memory'* ]]
	run -1 tach-record --check -p 4194304
	says process no 'No such process.*'
	start "$python" -c '
import threading, time
threading.Thread(target=time.sleep, args=(90,)).start()
print("ready", flush=True)' >out
	until_ grep -q ready out
	tid=$(ls "/proc/$pid/task" | tail -n 1)
	run -1 tach-record --check -p "$tid"
	says process no "it is a thread of process $pid: give -p $pid"
	start sleep 90
	run -1 tach-record --check -p "$pid"
	says 'its Python' no "process $pid \\(sleep\\) is not a running Python: .*"
	is "$(mends 'its Python')" '    pgrep -a python'
}

@test "a Python that is not known yet, and one before its release candidates" {
	need cc gcc
	cc -rdynamic -DVERSION=0x031000f0 -o new "$T/python/fake.c"
	start ./new
	until_ grep -q new "/proc/$pid/comm"
	run -1 tach-record --check -p "$pid"
	says 'its Python' no '.* runs Python 3.16.0: only 3.6 to 3.15 can be recorded'
	cc -rdynamic -DVERSION=0x030f00b2 -o early "$T/python/fake.c"
	start ./early
	until_ grep -q early "/proc/$pid/comm"
	run -1 tach-record --check -p "$pid"
	says 'its Python' no '.* --pre-release tries all the same'
}

@test "a thread of the kernel" {
	local pid
	pid=$(pgrep -x kthreadd) || skip "no kthreadd is seen here"
	run -1 tach-record --check -p "$pid"
	says process no 'it is a thread of the kernel'
}

@test "a process that another one traces" {
	need_root
	sleeper
	local target=$pid
	start python3 -c '
import ctypes, sys, time
assert ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), None, None) == 0
print("ready", flush=True)
time.sleep(90)' "$target" >traces
	until_ grep -q ready traces
	run -0 tach-record --check -p "$target"
	says 'its tracer' no "process $pid traces it"
}

# ---- the in-process engine ---------------------------------------------------------

@test "in-process: an older Python, one that lets debuggers in, and one that does not" {
	all_rights
	host_python 3.11 3.12 3.13
	idle "$python"
	run -1 tach-record --check --engine inprocess -p "$pid"
	says 'its Python' yes '.*'
	says 'the library in it' no '.* can attach to Python 3.14 and later: .*'
	[[ $output = *"tach-record --engine=inprocess cannot record process $pid"* ]]
	is "$(mends 'the library in it')" "    tach-record --engine=remote -p $pid"
	$(mends 'the library in it') -q -d 0.2 -o p.bin
	has_samples p.bin
	need_python 3.14
	idle "${PYTHON[@]}"
	run -0 tach-record --check --engine inprocess -p "$pid"
	says 'the library in it' yes 'this Python loads it when its main thread runs Python code'
	idle "${PYTHON[@]}" -X disable-remote-debug
	run -1 tach-record --check --engine inprocess -p "$pid"
	says 'the library in it' no '.*does not let debuggers in: .*'
	run -125 --separate-stderr tach-record -q --engine inprocess -p "$pid"
	[[ $stderr = *"; \`tach-record --check -p $pid\` says what would help" ]]
}

@test "in-process: a Python of musl, whose loader has the name libc.so" {
	all_rights
	need_python 3.14-musl
	cp -L /lib/ld-musl-*.so.1 libc.so
	idle ./libc.so "${PYTHON[@]}"
	run -0 tach-record --check --engine inprocess -p "$pid"
	says 'the library in it' yes 'this Python loads it when .*'
}

@test "in-process: a library that is there already" {
	all_rights
	need_python 3.14t
	start "${PYTHON[@]}" -c 'while True: sum(range(1000))'
	is_up
	run -0 tach-record -q --engine inprocess -d 0.2 -o p.bin -p "$pid"
	run -0 tach-record --check --engine inprocess -p "$pid"
	says 'the library in it' yes 'libtach-agent.so is there already'
}

@test "in-process: a library that another user may change" {
	need_root
	mkdir -p bin lib/tach
	cp "$RECORD" bin
	cp "$(realpath "$TACH_BUILDDIR/lib/.libs/libtach-agent.so")" lib/tach
	chmod 777 lib/tach/libtach-agent.so
	[ ! -e /usr/lib/tach ] && [ ! -e /usr/local/lib/tach ] ||
	    skip "tach is installed"
	run -0 bin/tach-record --check
	run -1 bin/tach-record --check --engine inprocess
	says 'in-process library' no '.*another user may change it.*'
	[[ $output = *"tach-record --engine=inprocess cannot record commands"* ]]
	run -125 --separate-stderr bin/tach-record -q --engine inprocess true
	[[ $stderr = *"; \`tach-record --check\` says what would help" ]]
	# A file that may not be run is not such an error.
	run -126 --separate-stderr tach-record -q /
	is "$stderr" 'tach-record: /: Permission denied'
}

# ---- places ----------------------------------------------------------------------

# first: the first command for capabilities.
first() {
	mends capabilities | sed -n 1p
}

# bare CGROUP COMMAND...: runs a command where nothing tells of a container, as another
# user and in that cgroup; the folder disk/ is its root.  A file `sudo` is its sudo.
bare() {
	mkdir -p disk
	echo "0::$1" >cgroup
	# shellcheck disable=SC2016
	unshare -m sh -e -c 'mount -t tmpfs tmpfs disk
	    mkdir disk/upper disk/work disk/root
	    mount -t overlay overlay \
		-o lowerdir=/,upperdir=disk/upper,workdir=disk/work disk/root
	    rm -rf disk/root/.dockerenv disk/root/run/.containerenv \
		disk/root/usr/bin/sudo disk/root/usr/local/bin/sudo
	    [ ! -e sudo ] || cp sudo disk/root/usr/bin/sudo
	    mount --bind cgroup "/proc/$$/cgroup"
	    mount --rbind /proc disk/root/proc
	    shift
	    exec chroot disk/root "$@"' - "$1" "${NOBODY[@]}" "${@:2}"
}

@test "the place comes first: Kubernetes" {
	all_rights
	run -0 "${NOBODY[@]}" env KUBERNETES_SERVICE_HOST=10.0.0.1 "$RECORD" --check
	[[ $(first) = '    Kubernetes:   kubectl debug -it '* ]]
	is "$(mends capabilities | wc -l)" 5
}

@test "the place comes first: a container, a service of systemd, sudo, root's shell" {
	all_rights
	bare / "$RECORD" --version >/dev/null 2>&1 || skip "no overlay of / here"
	run -0 bare /system.slice/web.service "$RECORD" --check
	[[ $(first) = '    systemd:      systemd-run '* ]]
	run -0 bare /user.slice/user-1.slice/session-1.scope "$RECORD" --check
	[[ $(first) = "    root's shell: tach-record -p PID" ]]
	printf '#!/bin/sh\n' >sudo
	chmod 755 sudo
	run -0 bare / "$RECORD" --check
	[[ $(first) = '    sudo:         sudo tach-record -p PID' ]]
	is "$(mends capabilities | wc -l)" 5
	if [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then
		run -0 "${NOBODY[@]}" "$RECORD" --check
		[[ $(first) = '    Docker:       docker run --cap-add '* ]]
	fi
}

@test "names in a command are words of a shell, and an image runs as root" {
	all_rights
	# shellcheck disable=SC2016
	named() {
		run -0 unshare -u sh -c 'printf %s "$1" >/proc/sys/kernel/hostname
		    shift; exec "$@"' - "$1" "${NOBODY[@]}" "$RECORD" --check
		mend capabilities Kubernetes | found "kubectl debug -it $2 --image=IMAGE"
	}
	named web-1.example web-1.example
	named 'a;reboot' NAME
	named $'a\e[2Jb' NAME
	named -v NAME
	mend capabilities Kubernetes | found 'runAsUser":0'
	found -- '--uid=65534 ' <<<"$(mend capabilities systemd)"
	found -- ' --user 0 IMAGE' <<<"$(mend capabilities Docker)"
}

# ---- its command line ----------------------------------------------------------------

@test "its command line, and an output that fails" {
	run -125 tach-record --check true
	[[ $output = *'--check runs no command'* ]]
	for option in '-o x' --dump --text --merge '-d 1'; do
		# shellcheck disable=SC2086
		run -125 tach-record --check $option -p 1
		[[ $output = *'it takes --engine and -p only'* ]]
	done
	# shellcheck disable=SC2016
	run -125 sh -c 'tach-record --check >/dev/full'
	[[ $output = *'No space left on device'* ]]
}
