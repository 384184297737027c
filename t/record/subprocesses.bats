# SPDX-License-Identifier: ISC
# subprocesses.bats: --subprocesses and --merge: each process that a Python starts
# has its own profile, however it was started, and nothing else has one.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	ulimit -c 0
	family=$T/record/family.py
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# record KIND SECONDS [COUNT]: the program, all of it.
record() {
	need zstd
	rm -f p.*
	run -0 --separate-stderr tach-record -q --subprocesses -o p.bin -- \
	    "$python" "$family" "$@"
	# shellcheck disable=SC2154
	is "$stderr" ''
	is "$(ls ./*.part* 2>/dev/null)" ''
	[ ! -e p.bin ]
}

# with FUNCTION: how many of the profiles show it, by decode.py.
with() {
	local f n=0
	for f in p.*.bin; do
		"$T/lib/truth.py" sound "$f" >/dev/null || return
		! "$T/lib/decode.py" "$f" | grep "\"$1\"" >/dev/null || n=$((n + 1))
	done
	echo "$n"
}

profiles() {
	local list=(p.*.bin)
	echo "${#list[@]}"
}

# kinds: what each child ran is in the profile of a child, and only there.
kinds() {
	in_tries 3 kind 'plain 0.3' child_fork
	is "$(with child_fork) $(with work) $(profiles)" '2 2 3'
	in_tries 3 kind 'fork 0.2' child_pool
	is "$(profiles)" 3
	in_tries 3 kind 'spawn 0.2' child_pool
	in_tries 3 kind 'forkserver 0.2' child_pool
	in_tries 3 kind 'futures 0.2' child_pool
	in_tries 3 kind 'shell 0.3' child_script
	is "$(profiles)" 3
}

kind() {
	# shellcheck disable=SC2086
	record $1
	is "$(with "$2")" 2
}

# ---- kinds of children ---------------------------------------------------------

@test "fork, pools, subprocess of sh of Python: 3.11" {
	host_python 3.11
	kinds
}

@test "fork, pools, subprocess of sh of Python: 3.13" {
	host_python 3.13
	kinds
}

@test "fork, pools, subprocess of sh of Python: 3.15" {
	need zstd
	need_python 3.15
	cp "$family" "$OUTSIDE/family.py"
	for kind in 'plain 0.3' 'fork 0.2' 'spawn 0.2' 'forkserver 0.2' \
	    'shell 0.3'; do
		in_tries 3 one_kind
	done
}

one_kind() {
	rm -f p.*
	# shellcheck disable=SC2086
	tach-record -q --subprocesses -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/family.py" $kind
	is "$kind $(with 'child_[a-z]*')" "$kind 2"
}

@test "another Python than the first one, and one that execs another" {
	need zstd
	local list=()
	while IFS=$'\t' read -r _ command; do
		case $command in
		chroot*) ;;
		*) list+=("$command") ;;
		esac
	done < <(pythons 3.11 3.13)
	[ "${#list[@]}" -ge 2 ] || skip "one Python only"
	in_tries 3 another
}

another() {
	rm -f p.*
	tach-record -q --subprocesses -o p.bin -- "${list[0]}" -c '
import os, subprocess, sys
if os.fork() == 0:
    os.execv(sys.argv[1], [sys.argv[1], *sys.argv[2:]])
os.wait()
subprocess.run(sys.argv[1:])
' "${list[-1]}" "$family" script 0.2
	is "$(with child_script)" 2
}

@test "most children that live for 50 ms are seen, and all of 10 processes at once" {
	host_python
	in_tries 3 brief
	in_tries 3 many
}

# A busy machine may let us sleep through one now and then.
brief() {
	record turns 0.05 10
	[ "$(with child_fork)" -ge 7 ]
}

many() {
	record plain 0.5 10
	is "$(with child_fork)" 10
}

@test "what is no Python leaves no file" {
	host_python
	record tools 0 30
	is "$(profiles)" 1
	rm p.*
	run -125 --separate-stderr tach-record --subprocesses -o p.bin -- \
	    sh -c 'true; true & exec sleep 0.1'
	is "$stderr" 'tach-record: nothing was recorded: no Python was seen in sh before it ended'
	is "$(ls)" ''
}

@test "a daemon that forks twice is recorded to its end" {
	host_python
	record daemon 1
	is "$(with child_daemon)" 1
	[ "$(tach-cat p.*.bin | grep -c child_daemon)" -gt 20 ]
}

@test "a server whose workers are replaced" {
	host_python
	in_tries 3 workers
}

workers() {
	record serve 0.2 6
	is "$(with child_worker) $(profiles)" '6 7'
}

# ---- by -p --------------------------------------------------------------------------

@test "-p: the children that are there, and those that come" {
	need zstd
	host_python
	in_tries 3 follow
}

# Two are there, and two come.
follow() {
	rm -f p.*
	start "$python" "$family" serve 1 4
	until_ has_child "$pid"
	tach-record -q --subprocesses -o p.bin -p "$pid"
	is "$(with child_worker)" 4
	[ -e "p.$pid.bin" ]
}

has_child() {
	[ "$(pgrep -P "$1" | wc -l)" -ge "${2-1}" ]
}

# ---- one file ------------------------------------------------------------------------

@test "--merge: one file, whose interpreters are the processes" {
	need zstd
	host_python
	in_tries 3 merged
}

merged() {
	rm -f p.*
	tach-record -q --merge -o p.bin -- "$python" "$family" plain 0.3 3
	is "$(ls)" p.bin
	"$T/lib/truth.py" sound p.bin
	is "$(tach-info p.bin | grep -c '^note: *input .*p\.[0-9]*\.bin$')" 4
	is "$(tach-cat p.bin | grep child_fork | cut -f 2 | sort -u)" $'1\n2\n3'
	# One clock: the children worked at the same time.
	tach-cat p.bin | grep child_fork | awk -F '\t' '
		!($2 in first) { first[$2] = $1 }
		END { d = first[1] - first[3]; exit !(d < 300000 && d > -300000) }'
}

@test "--merge -o -: by a pipe" {
	host_python
	tach-record -q --merge -o - -- "$python" "$family" plain 0.2 2>err |
	    cat >q.bin
	is "$(cat err)" ''
	is "$(tach-cat q.bin | grep child_fork | cut -f 2 | sort -u)" $'1\n2'
	is "$(ls)" $'err\nq.bin'
}

@test "options that do not go together" {
	for o in '--text' '-o -' '--merge --dump -p 1'; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr tach-record --subprocesses $o true
		[[ "$stderr" == *"--help"* ]]
	done
	run -125 tach-record --subprocesses -o no/p.bin -- touch started
	mkfifo fifo
	run -125 tach-record --subprocesses -o fifo -- touch started
	[ ! -e started ]
}

# ---- the end ----------------------------------------------------------------------------

@test "the status is the command's, and the summary names the profiles" {
	host_python
	run -3 --separate-stderr tach-record --subprocesses -o p.bin -- \
	    "$python" -c 'import os, sys, time
if os.fork() == 0: time.sleep(0.2); os._exit(5)
os.wait(); sys.exit(3)'
	is "$(grep -c 'p\.[0-9]*\.bin: [0-9]* samples of 1 thread' <<<"$stderr")" 2
	grep -Eq '^tach-record: [0-9]+ samples of 2 threads of 2 processes in [0-9.]+ s at [0-9]+ Hz \([0-9]+ missed, [0-9]+ torn, 0 failed\), [0-9]+ bytes$' <<<"$stderr"
}

@test "-d: it ends for all at once, and all profiles are whole" {
	host_python
	start tach-record -q -d 1.5 --subprocesses -o p.bin -- "$python" \
	    "$family" plain 3
	until_ are_done
	is "$(with child_fork) $(profiles)" '2 3'
	wait "$pid"
}

# are_done: all profiles are there, and under their own names.
are_done() {
	[ "$(ls p.*.bin 2>/dev/null | wc -l)" -eq 3 ] && ! ls ./*.part* 2>/dev/null
}

# have_samples: of three processes, while they are recorded.
have_samples() {
	local f n=0
	for f in p.*.bin.part; do
		! has_samples "$f" || n=$((n + 1))
	done
	[ "$n" -eq 3 ]
}

@test "a signal: all profiles are whole, and nothing is left over" {
	host_python
	start tach-record -q --subprocesses -o p.bin -- "$python" "$family" \
	    plain 60
	until_ have_samples
	kill -TERM "$pid"
	wait "$pid" || is "$?" 143
	is "$(with child_fork) $(profiles)" '2 3'
	is "$(ls ./*.part* 2>/dev/null)" ''
}

@test "killed: what each process has done is there, but for a second" {
	host_python
	start tach-record -q --subprocesses -o p.bin -- "$python" "$family" \
	    plain 5
	until_ have_samples
	sleep 1.5
	kill -KILL "$pid"
	wait "$pid" || :
	local f n=0
	for f in p.*.bin.part; do
		tach-merge -o "${f%.part}" "${f%.part}" 2>/dev/null
		n=$((n + ($(tach-cat "${f%.part}" | tail -n 1 | cut -f 1) >= 500000)))
	done
	is "$n $(with child_fork)" '3 2'
}

@test "a child that may not be read: one line, and the others go on" {
	need_root
	need setpriv util-linux
	need su
	host_python 3.11
	local open
	open=$(mktemp -d)
	SHARED+=("$open")
	chown nobody "$open"
	cp "$TACH_BUILDDIR/cmd/tach-record" "$open"
	cd "$open" || return
	run -0 --separate-stderr setpriv --reuid nobody --regid nogroup \
	    --clear-groups ./tach-record --subprocesses -o p.bin -- \
	    "$python" -c '
import subprocess, time
p = subprocess.Popen(["su", "-c", "true"], stdin=subprocess.PIPE)
end = time.monotonic() + 0.5
while time.monotonic() < end: pass
p.stdin.close()'
	[ "$(grep -c 'not permitted to read process' <<<"$stderr")" -eq 1 ]
	is "$(profiles)" 1
}
