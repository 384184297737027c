# SPDX-License-Identifier: ISC
# caller-settings.bats: whoever records has its CPUs, scheduling, timer slack, limits and
# signals back afterwards, and a command begins with those.

load ../lib/lib.bash

setup() {
	need setpriv
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	host_python
}

teardown() {
	end_started
	drop_shared
}

spin='
import time
end = time.time() + 60
while time.time() < end: pass'

# gives_back HOW [COMMAND...]: a caller, begun by the command, has all back.
gives_back() {
	local how=$1
	shift
	start "$@" "$python" -c "$spin"
	is_up
	"$@" prlimit --nofile=256: "$TACH_BUILDDIR/t/unit/lends" "$pid" \
	    "$how" >lent
	sed '1d; /^after$/,$d' lent >before
	sed '1,/^after$/d' lent >after
	cat before
	grep -q '^limit 7: 256 ' before
	diff before after
}

@test "a caller has its settings back: from outside" { gives_back remote; }
@test "a caller has its settings back: by stops" { gives_back blocking; }
@test "a caller has its settings back: by two recorders at once" { gives_back two; }
@test "a caller has its settings back: by three that share, the first of which is freed first" {
	gives_back shared
}
@test "a caller has its settings back: by one after another" { gives_back again; }

@test "a caller without rights has its settings back" {
	if [ "$(id -u)" -eq 0 ]; then
		gives_back remote setpriv --reuid=65534 --clear-groups
	else
		gives_back remote
	fi
}

@test "a caller with a slice of its own, and a class of its own" {
	need_root
	need chrt
	start "$python" -c "$spin"
	is_up
	for class in '-b 0' '-r 1' '-i 0'; do
		# shellcheck disable=SC2086
		chrt $class true || skip "no other class here"
		# shellcheck disable=SC2086
		chrt $class "$TACH_BUILDDIR/t/unit/lends" "$pid" remote >lent
		sed '1d; /^after$/,$d' lent >before
		sed '1,/^after$/d' lent >after
		diff before after
	done
}

# ---- a command -----------------------------------------------------------------------

# view: what a program has, by itself.
view='
import os, resource, signal
print(sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0),
      os.getpriority(os.PRIO_PROCESS, 0), open("/proc/self/timerslack_ns").read().strip())
print([resource.getrlimit(getattr(resource, name))
       for name in sorted(dir(resource)) if name.startswith("RLIMIT")])
print([line for line in open("/proc/self/status")
       if line.startswith(("Sig", "Shd", "NoNewPrivs", "Cap", "Seccomp"))
       and not line.startswith("SigQ")])
print(sorted(os.listdir("/proc/self/fd")), oct(os.umask(0)))'

# as_alone OPTION...: a command, and a program that it becomes, have what they have
# without a recorder.
as_alone() {
	printf '%s' "$view" >view.py
	printf 'import os, sys\n%s\nsys.stdout.flush()\nif "1" in sys.argv: os.execv(sys.executable, [sys.executable, "-S", "view.py"])' \
	    "$view" >twice.py
	"$python" -S twice.py 1 >alone 3>&-
	[ "$(wc -l <alone)" -eq 8 ]
	tach-record -q "$@" -o p.bin -- "$python" -S twice.py 1 >recorded 3>&-
	diff alone recorded
}

@test "a command begins with our settings: from outside" { as_alone; }
@test "a command begins with our settings: by stops" { as_alone --blocking; }
@test "a command begins with our settings: with its processes" { as_alone --subprocesses; }

# ---- between two programs --------------------------------------------------------------

# has_all PID: all its threads may run on all our CPUs.
has_all() {
	local ours
	ours=$(grep '^Cpus_allowed:' /proc/self/status)
	# A thread may have gone by now.
	{ grep -h '^Cpus_allowed:' /proc/"$1"/task/*/status || :; } |
	    absent -v "^$ours$"
}

@test "a recorder that waits for another Python may be on all CPUs" {
	need_root
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	start tach-record -q --blocking -o p.bin -- "$python" -c "
import os, time
end = time.time() + 0.7
while time.time() < end: pass
open('over', 'w').close()
os.execv('/bin/sh', ['sh', '-c', 'sleep 1.5; exec \"\$0\" -c \"sum(range(10**6))\"', '$python'])"
	until_ [ -e over ]
	sleep 0.5
	has_all "$pid"
	is "$(cat /proc/"$pid"/timerslack_ns)" 1
	wait "$pid"
}
