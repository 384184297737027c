# SPDX-License-Identifier: ISC
# record.bats: tach-record as a launcher: what it does to the command, to the
# terminal, to signals and to files, and what it says when it cannot.

load ../lib/lib.bash

setup() {
	# bats itself writes to its own folder.
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	ulimit -c 0
	programs=$T/programs
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# An interpreter, as $python, and what decode.py needs.
any_python() {
	need zstd
	host_python
}

# busy [SECONDS]: a Python that works, as $pid.
busy() {
	start "$python" "$programs/waits.py" "${1-60}"
	is_up
}

# sound FILE: a whole profile, with samples.
sound() {
	"$T/lib/truth.py" sound "$1"
}

# field FILE NAME: of decode.py's summary.
field() {
	"$T/lib/decode.py" --summary "$1" | python3 -c '
import json, sys
print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}

# fails STATUS MESSAGE COMMAND...: it ends with that status and says one line,
# whose text begins with a match of the extended regular expression.
fails() {
	local status_=$1 message=$2
	shift 2
	run -"$status_" --separate-stderr "$@"
	# shellcheck disable=SC2154
	echo "status $status, stderr: $stderr"
	# shellcheck disable=SC2154
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" =~ ^tach-record:\ $message ]]
}

# usage MESSAGE COMMAND...: the same for a wrong command line.
USAGE=125
usage() {
	local message=$1
	shift
	run --separate-stderr "$@"
	echo "status $status, stderr: $stderr"
	[ "$status" -eq "$USAGE" ]
	[[ "$stderr" =~ $message ]]
	[[ "$stderr" =~ tach-record ]]
	[ -z "$output" ]
	is "$(ls)" ""
}

# ---- the command's own ------------------------------------------------------

@test "the exit status is the command's" {
	any_python
	for n in 0 1 3 255; do
		run -"$n" tach-record -q -o p.bin -- "$python" \
		    "$T/record/ends.py" 0.3 exit "$n"
		sound p.bin
	done
	run -1 tach-record -q -o p.bin -- "$python" "$T/record/ends.py" 0.3 raise
	[[ "$output" == *"RuntimeError: as asked"* ]]
	sound p.bin
}

@test "128 + N when signal N ended the command, and the profile is whole" {
	any_python
	for n in 1 2 9 15; do
		rm -f p.bin
		run -$((128 + n)) tach-record -q -o p.bin -- "$python" \
		    "$T/record/ends.py" 0.3 signal "$n"
		sound p.bin
	done
}

@test "a crash of the command ends the profile, and it is whole" {
	any_python
	run -134 tach-record -q -o p.bin -- "$python" "$T/record/ends.py" \
	    0.3 abort
	sound p.bin
	rm p.bin
	run -139 tach-record -q -o p.bin -- "$python" "$T/record/ends.py" \
	    0.3 segv
	sound p.bin
}

@test "127: no such command; 126: it cannot be run" {
	fails 127 'nowhere: ' tach-record -o p.bin -- nowhere
	fails 127 './nowhere: ' tach-record -o p.bin -- ./nowhere
	mkdir folder
	fails 126 './folder: ' tach-record -o p.bin -- ./folder
	rmdir folder
	echo 'print(1)' >plain.py
	fails 126 './plain.py: ' tach-record -o p.bin -- ./plain.py
	is "$(ls)" plain.py
}

@test "standard input, output and error are the command's" {
	any_python
	head -c 300000 /dev/urandom >data
	run -0 bash -c 'tach-record -q -o p.bin -- "$@" <data >out 2>err' - \
	    "$python" "$T/record/copies.py"
	is "$output" ""
	cmp data out
	is "$(cat err)" "300000 bytes"
	sound p.bin
}

@test "the command gets no descriptor, signal mask or handler from us" {
	any_python
	cat >own.py <<-'END'
		import os, signal
		print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])
		print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
		print([signal.getsignal(s) for s in range(1, 32)])
		print(os.getpgrp() == os.getpgid(os.getppid()))
		print('LD_PRELOAD' in os.environ, os.getcwd())
	END
	# An ended shell and an ended recorder leave the same.
	bash -c '"$@"; :' - "$python" own.py >alone 3>&- 4>&-
	tach-record -q -o p.bin -- "$python" own.py >recorded 3>&- 4>&-
	diff alone recorded
}

@test "a program that is over at once is recorded nevertheless" {
	any_python
	# It lasts some ten milliseconds; a busy machine may let us sleep through
	# it, but the profile is whole even so, or there is none and that is said.
	seen=0 missed=0
	for ((n = 0; seen < 4 && n < 40; n++)); do
		if tach-record -q -r 10k -o p.bin -- "$python" -c pass 2>err; then
			samples=$(field p.bin samples)
			seen=$((seen + (samples > 0)))
		else
			grep -Eq 'no Python was seen in .* before it ended|no thread ran Python code' err
			missed=$((missed + 1))
		fi
	done
	echo "$seen of $n have samples, $missed were not seen"
	((seen == 4))
	((missed < 4))
}

@test "no sample: no profile, which is said" {
	any_python
	local said='tach-record: nothing was recorded: no thread ran Python code when a sample was due; a higher rate (-r) takes more samples'
	local n empty=0
	# The only round is before the first frame in about every second run.
	for ((n = 0; empty < 2 && n < 60; n++)); do
		if tach-record -q -r 1 -o p.bin -- "$python" -c pass 2>err; then
			(($(field p.bin samples) > 0))
			rm p.bin
		elif ! grep -q 'no Python was seen' err; then
			is "$(cat err)" "$said"
			run -2 ls p.*
			empty=$((empty + 1))
		fi
	done
	echo "$empty of $n"
	((empty == 2))
	# A mode chooses samples: then none is an answer, of one process.
	busy
	tach-record -q -m exception -d 0.2 -o p.bin -p "$pid"
	is "$(field p.bin samples)" 0
	run -125 --separate-stderr tach-record -q --subprocesses -m exception \
	    -d 0.2 -o q.bin -p "$pid"
	is "$stderr" 'tach-record: nothing was recorded: Python ran, but no sample was of the kind that was asked for'
	run -2 ls q.*
}

@test "samples begin with the interpreter's first frames" {
	any_python
	in_tries 5 from_the_first
}

from_the_first() {
	tach-record -q -r 10k -o p.bin -- "$python" -c 'import decimal'
	"$T/lib/decode.py" p.bin >samples
	head -n 1 samples
	head -n 1 samples | grep -E '\["<frozen |/encodings/'
	grep -q 'decimal' samples
}

@test "an exec of another Python: whole, and its status" {
	any_python
	run -5 tach-record -q -o p.bin -- "$python" "$T/record/ends.py" 0.3 \
	    exec "$python" "$T/record/ends.py" 0.3 exit 5
	sound p.bin
}

@test "an exec of something else: whole, and its status" {
	any_python
	run -6 tach-record -q -o p.bin -- "$python" "$T/record/ends.py" 0.3 \
	    exec sh -c 'exit 6'
	sound p.bin
}

# ---- ways to start a Python ----------------------------------------------------

# recorded COMMAND...: it runs fib.py, and the profile shows that.
recorded() {
	in_tries 3 record "$@"
}

record() {
	rm -f p.bin
	tach-record -q -o p.bin -- "$@"
	"$T/lib/truth.py" calls p.bin "$programs/fib.py"
}

@test "sh -c 'exec python x.py' is recorded" {
	any_python
	# shellcheck disable=SC2016
	recorded sh -c 'sleep 0.2; exec "$@"' - "$python" "$programs/fib.py" 0.5
}

@test "env, nice and a chain of execs are recorded" {
	any_python
	recorded env A=b nice -n 1 env "$python" "$programs/fib.py" 0.5
}

@test "a script is recorded by its #! line" {
	any_python
	# The script keeps its name, which truth.py goes by.
	{
		echo "#!$python"
		sed 1d "$programs/fib.py"
	} >fib.py
	chmod +x fib.py
	tach-record -q -o p.bin -- ./fib.py 0.5
	"$T/lib/truth.py" calls p.bin fib.py
	sed -i '1s,.*,#!/usr/bin/env -S '"$python -E"',' fib.py
	tach-record -q -o p.bin -- ./fib.py 0.5
	"$T/lib/truth.py" calls p.bin fib.py
}

@test "a virtual environment's launcher is recorded, linked and copied" {
	any_python
	"$python" -m venv --without-pip --symlinks linked ||
	    skip "$python has no venv (Debian: python3-venv)"
	recorded linked/bin/python "$programs/fib.py" 0.5
	"$python" -m venv --without-pip --copies copied
	recorded copied/bin/python "$programs/fib.py" 0.5
}

@test "an executable with another name is recorded" {
	any_python
	prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
	cp "$("$python" -c 'import sys; print(sys.executable)')" snake
	ldd snake | grep 'libpython.*not found' >lacks && skip "$(cat lacks)"
	recorded env PYTHONHOME="$prefix" ./snake "$programs/fib.py" 0.5
}

@test "pyenv, which is a script that execs, is recorded" {
	need zstd
	need pyenv
	[[ "$(pyenv exec python3 -V)" =~ 3\.1[1-5] ]] ||
	    skip "pyenv's python3 is another one"
	recorded pyenv exec python3 "$programs/fib.py" 0.5
}

# ---- signals ------------------------------------------------------------------

@test "Ctrl-C reaches the command once, which may go on" {
	any_python
	run -0 "$T/lib/at-terminal" ready '\x03' -- tach-record -q -o p.bin -- \
	    "$python" "$T/record/interrupts.py" 1
	[[ "$output" == *"interrupts 1"* ]]
	sound p.bin
}

@test "Ctrl-C that ends the command: 130, and the profile is whole" {
	any_python
	run -130 "$T/lib/at-terminal" ready '\x03' -- tach-record -o p.bin -- \
	    "$python" -c '
import time
time.sleep(0.5)
print("ready", flush=True)
time.sleep(90)'
	[[ "$output" == *KeyboardInterrupt* ]]
	sound p.bin
}

@test "SIGINT, sent to us alone, is passed on once" {
	any_python
	# A job in the background of a script ignores SIGINT.
	start env --default-signal=INT tach-record -q -o p.bin -- \
	    "$python" "$T/record/interrupts.py" 4 >out
	until_ grep -q ready out
	until_ has_samples p.bin
	kill -INT "$pid"
	wait "$pid"
	is "$(cat out)" "ready
interrupts 1"
	sound p.bin
}

@test "SIGTERM, sent to us alone, is passed on, and the profile is whole" {
	any_python
	for signal in TERM HUP; do
		rm -f p.bin
		start tach-record -q -o p.bin -- "$python" -u -c '
import time
print("ready")
time.sleep(90)' >out
		until_ grep -q ready out
		until_ has_samples p.bin
		kill -"$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq $((128 + $(kill -l "$signal"))) ]
		sound p.bin
	done
}

@test "SIGTERM before any Python is there: no profile, no command left" {
	start tach-record -q -o p.bin -- sh -c 'echo $$ >pid; exec sleep 90' 2>err
	until_ test -s pid
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "${status-0}" -ne 0 ]
	run ! kill -0 "$(cat pid)"
	[ ! -e p.bin ]
}

@test "a killed recorder leaves nothing under the wanted name" {
	any_python
	busy
	target=$pid
	echo old >p.bin
	start tach-record -q -o p.bin -p "$target"
	until_ has_samples p.bin.part
	kill -KILL "$pid"
	wait "$pid" || :
	is "$(cat p.bin)" old
	kill -0 "$target"
}

# ---- attaching -----------------------------------------------------------------

@test "-p: SIGINT and SIGTERM end the recording and not the target" {
	any_python
	busy
	target=$pid
	for signal in INT TERM HUP; do
		rm -f p.bin
		start env --default-signal=INT tach-record -q -o p.bin -p "$target"
		until_ has_samples p.bin
		kill -"$signal" "$pid"
		wait "$pid"
		sound p.bin
		"$T/lib/truth.py" calls p.bin "$programs/waits.py"
		kill -0 "$target"
	done
}

# ticks_of FILE: for each tenth of a second that has samples, how many, and how
# many of them were on a CPU.
ticks_of() {
	tach-cat "$1" | awk -F '\t' '
		{ t = int($1 / 100000); n[t]++; c[t] += $4 ~ /cpu/ }
		END { for (t in n) print t, n[t], c[t] }' | sort -n
}

@test "-p: a target that is stopped is sampled, and is on no CPU" {
	host_python
	start "$python" -c 'while True: pass'
	is_up
	start tach-record -q -o p.bin -p "$pid"
	recorder=$pid
	until_ has_samples p.bin
	kill -STOP "${STARTED[0]}"
	sleep 1
	kill -CONT "${STARTED[0]}"
	sleep 1
	kill -TERM "$recorder"
	wait "$recorder"
	ticks_of p.bin >ticks
	cat ticks
	# Most tenths are all work or none; 3 of each is far from either.
	[ "$(awk '$2 > 10 && $3 == 0' ticks | wc -l)" -ge 3 ]
	[ "$(awk '$2 > 10 && $3 > $2 * 0.5' ticks | wc -l)" -ge 3 ]
}

@test "Ctrl-Z stops the command and us; both go on" {
	host_python
	# A job, as a shell has them: a group of processes gets the signal.
	set -m
	start tach-record -q -o p.bin -- "$python" -c '
import os, time
while not os.path.exists("on"): pass
end = time.monotonic() + 0.3
while time.monotonic() < end: pass'
	set +m
	until_ has_samples p.bin
	kill -TSTP -- "-$pid"
	until_ are_stopped "$pid"
	sleep 1
	touch on
	kill -CONT -- "-$pid"
	wait "$pid"
	# Nothing was sampled meanwhile, nor made up for, but it is afterwards.
	tach-cat p.bin | awk '
		NR > 1 && $1 - last > gap { gap = $1 - last; after = 0 }
		{ last = $1; after++; n[int($1 / 100000)]++ }
		END {
			for (t in n)
				most = n[t] > most ? n[t] : most
			print gap, after, most
			exit !(gap > 900000 && after > 10 && most < 300)
		}'
}

# are_stopped GROUP: both of its processes.
are_stopped() {
	[ "$(ps -eo pgid,stat | awk -v g="$1" '
		$1 == g { printf "%s", substr($2, 1, 1) }')" = TT ]
}

@test "-p: the target's end is ours, and no failure" {
	any_python
	busy 4
	tach-record -q -o p.bin -p "$pid"
	sound p.bin
	"$T/lib/truth.py" calls p.bin "$programs/waits.py"
}

@test "-p: the target is killed" {
	any_python
	busy
	start tach-record -q -o p.bin -p "$pid"
	until_ has_samples p.bin
	kill -KILL "${STARTED[0]}"
	wait "$pid"
	sound p.bin
}

@test "-p: the target's executable was deleted" {
	any_python
	prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
	cp "$("$python" -c 'import sys; print(sys.executable)')" snake
	ldd snake | grep 'libpython.*not found' >lacks && skip "$(cat lacks)"
	start env PYTHONHOME="$prefix" ./snake "$programs/waits.py"
	is_up
	rm snake
	tach-record -q -d 0.3 -o p.bin -p "$pid"
	"$T/lib/truth.py" calls p.bin "$programs/waits.py"
}

@test "-p and -d: recording ends, the target does not" {
	any_python
	busy
	tach-record -q -d 0.5 -o p.bin -p "$pid"
	kill -0 "$pid"
	(($(field p.bin duration_us) <= 510000))
	(($(field p.bin samples) <= 516))
	sound p.bin
}

@test "-d: recording ends, the command goes on to its own end" {
	any_python
	run -4 tach-record -q -d 0.4 -o p.bin -- "$python" "$T/record/ends.py" \
	    1 exit 4
	(($(field p.bin duration_us) <= 410000))
	sound p.bin
}

@test "-d: the summary comes at once and says that the command goes on" {
	any_python
	start tach-record -d 0.3 -o p.bin -- "$python" -c \
	    'import time; time.sleep(60)' 2>err
	until_ grep -q 'goes on' err
	found 'samples of 1 thread in 0.3' <err
	found '^tach-record: the command goes on (Ctrl-C ends it; --kill would)$' <err
	sound p.bin
	local status=0
	kill "$pid"
	wait "$pid" || status=$?
	is "$status" 143
	run -0 tach-record -o p.bin -d 60 -- "$python" -c 'pass'
	absent 'goes on' <<<"$output"
}

@test "the summary: how the threads were, and threads without Python" {
	any_python
	cat >spin.c <<-'END'
	#define _GNU_SOURCE
	#include <pthread.h>
	static void *
	spin(void *unused)
	{
		for (volatile unsigned i = 0;; i++)
			continue;
		return unused;
	}
	int
	begin(void)
	{
		pthread_t t;
		return pthread_create(&t, NULL, spin, NULL) ||
		    pthread_setname_np(t, "spinner");
	}
	END
	"$CC" -shared -fPIC -o spin.so spin.c -lpthread
	run -0 tach-record -o p.bin -- "$python" -c '
import ctypes, time
ctypes.CDLL("./spin.so").begin()
time.sleep(2.5)'
	found "of the threads' time [0-9]*% was on a CPU, [0-9]*% with the GIL, 0% waiting for the GIL, [0-9]*% idle" <<<"$output"
	found '1 thread without Python used [0-9.]* s of CPU time, which the profile does not show: spinner$' <<<"$output"
	found 'next: .* --idle drop p.bin' <<<"$output"
	run -0 tach-record -m cpu -o p.bin -- "$python" -c 'sum(range(3000000))'
	absent "threads' time\|without Python" <<<"$output"
}

@test "--kill ends the command when the recording is over" {
	any_python
	run -0 tach-record -d 0.3 --kill -o p.bin -- "$python" -c \
	    'import time; time.sleep(60)'
	absent 'goes on' <<<"$output"
	sound p.bin
	run -0 tach-record -d 0.3 --kill --merge -o p.bin -- "$python" -c \
	    'import time; time.sleep(60)'
	absent 'goes on' <<<"$output"
	echo 'import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
time.sleep(60)' >seven.py
	run -7 tach-record -q -d 0.3 --kill -o p.bin -- "$python" seven.py
	run -3 tach-record -q -d 60 --kill -o p.bin -- "$python" -c \
	    'import time; time.sleep(0.2); raise SystemExit(3)'
	run -125 tach-record --kill -o p.bin -p 1
	found 'the process of -p goes on' <<<"$output"
}

@test "--kill where the caller ignores SIGCHLD: the command ends, and ignores it, too" {
	any_python
	echo 'import signal, time
print(signal.getsignal(signal.SIGCHLD).name, flush=True)
time.sleep(60)' >asks.py
	run -0 env --ignore-signal=CHLD tach-record -q -d 0.3 --kill -o p.bin -- "$python" asks.py
	is "$output" SIG_IGN
	sound p.bin
	run -0 env --ignore-signal=CHLD tach-record -q -d 0.3 --kill --merge -o p.bin -- \
	    "$python" asks.py
	is "$output" SIG_IGN
	sound p.bin
	run -3 env --ignore-signal=CHLD tach-record -q --subprocesses -o p.bin -- "$python" -c \
	    'import time; time.sleep(0.3); raise SystemExit(3)'
	run -0 tach-record -q -d 0.3 --kill -o p.bin -- "$python" asks.py
	is "$output" SIG_DFL
}

@test "--kill of a command that may not be sent a signal: the reason" {
	any_python
	need setpriv util-linux
	[ "$(id -u)" -eq 0 ] || skip "needs root, as a change of user does"
	run -0 setpriv --bounding-set=-kill --inh-caps=-kill tach-record -q -d 0.3 --kill -o p.bin -- \
	    setpriv --reuid 65534 --clear-groups "$python" -c 'import time; time.sleep(2)'
	is "$output" 'tach-record: the command goes on: cannot send it SIGTERM: Operation not permitted'
}

@test "a target in a container's PID namespace, seen from outside" {
	need_root
	any_python
	unshare --pid --fork true 2>err || skip "no namespaces: $(cat err)"
	tach-record -q -o p.bin -- unshare --pid --fork --kill-child \
	    "$python" "$programs/fib.py" 0.5 2>err || {
		# It is a child of the command: there is no Python in the command.
		cat err
		start unshare --pid --fork --kill-child "$python" \
		    "$programs/waits.py"
		until_ pgrep -P "$pid"
		pid=$(pgrep -P "$pid")
		is_up
		tach-record -q -d 0.5 -o p.bin -p "$pid"
		"$T/lib/truth.py" calls p.bin "$programs/waits.py"
	}
	sound p.bin
}

# ---- options ------------------------------------------------------------------

@test "-r takes 1000, 10k and 10khz" {
	any_python
	for pair in 1000=1000 500=2000 10k=100 10khz=100 10kHz=100 200Hz=5000; do
		tach-record -q -r "${pair%=*}" -d 0.2 -o p.bin -- "$python" \
		    "$programs/waits.py" 0.3
		is "${pair%=*} $(field p.bin interval_us)" "${pair/=/ }"
	done
	tach-record -q --rate=2k -d 0.2 --output=p.bin -- "$python" \
	    "$programs/waits.py" 0.3
	is "$(field p.bin interval_us)" 500
}

@test "rates that are none are refused" {
	for rate in '' 0 -5 abc 10x 10kk 10khzz 1e12 nan inf 1000000k; do
		usage rate tach-record -r "$rate" -o p.bin -- true
	done
}

@test "--compression and --level are those of the profile" {
	any_python
	for options in --compression=none --compression=zstd --level=1 \
	    --level=19; do
		tach-record -q $options -o p.bin -- "$python" \
		    "$programs/fib.py" 0.5
		case $options in
		*none) is "$(field p.bin compression)" none ;;
		*) is "$(field p.bin compression)" zstd ;;
		esac
		"$T/lib/truth.py" calls p.bin "$programs/fib.py"
	done
}

@test "compressions and levels that are none are refused" {
	usage lz4 tach-record --compression lz4 -o p.bin -- true
	usage level tach-record --level 0 -o p.bin -- true
	usage level tach-record --level 23 -o p.bin -- true
	usage level tach-record --level x -o p.bin -- true
}

@test "the header is CPython's, unless the early one is asked for" {
	any_python
	for layout in cpython early; do
		tach-record -q --layout $layout -o p.bin -- "$python" \
		    "$programs/fib.py" 0.5
		is "$(field p.bin layout)" $layout
		"$T/lib/truth.py" calls p.bin "$programs/fib.py"
	done
	tach-record -q -o p.bin -- "$python" "$programs/fib.py" 0.1
	is "$(field p.bin layout)" cpython
	tach-record -q --layout documented -o p.bin -- "$python" \
	    "$programs/fib.py" 0.1
	is "$(field p.bin layout)" early
}

@test "--layout words that are none are refused" {
	usage layout tach-record --layout other -o p.bin -- true
}

@test "CPython 3.15's own reader sees every sample alike" {
	need zstd
	need_python 3.15
	cp "$T/programs"/{fib,threads,spot,replays}.py "$OUTSIDE"
	for compression in zstd none; do
		tach-record -q --compression $compression \
		    -o "$OUTSIDE/p.bin" -- "${PYTHON[@]}" "$INSIDE/threads.py" \
		    "$INSIDE/truth"
		"${PYTHON[@]}" "$INSIDE/replays.py" "$INSIDE/p.bin" >theirs
		"$T/lib/decode.py" "$OUTSIDE/p.bin" >ours
		[ -s ours ]
		cmp ours theirs
	done
}

@test "what is wrong with the command line is told" {
	usage 'no command' tach-record -o p.bin
	usage '' tach-record -o p.bin -p 1 -- true
	usage '' tach-record -p x
	usage '' tach-record -p -3
	usage '' tach-record -p ''
	usage '' tach-record -d 0 -- true
	usage '' tach-record -d x -- true
	usage '' tach-record --no-such-option -- true
	usage '' tach-record -o
}

@test "-h and -V print the usage, with each option, and the version" {
	run -0 --separate-stderr tach-record -h
	[[ "${lines[0]}" == "Usage: tach-record "* ]]
	is "$stderr" ""
	run -0 --separate-stderr tach-record -V
	[[ "$output" == *tach*[0-9].[0-9]* ]]
	for option in output rate duration pid compression level layout quiet; do
		tach-record --help | found -- "--$option"
	done
}

# ---- what is said ------------------------------------------------------------------

# is_dated FILE: a profile of pids, each with its start after `before` and before the
# time that its process printed, as the lines of `said` have them.
is_dated() {
	tach-info -j "$1" | jq -e --arg before "$before" --rawfile said said '
	    def seconds: (.[:19] + "Z" | fromdate) + (.[19:-1] | tonumber);
	    ($said | split("\n") | map(select(. != "") | split(" ") |
		{(.[0]): (.[1] | tonumber)}) | add) as $times |
	    (.processes | map(.process | tostring) | sort) == ($times | keys) and
	    (.processes | all((.start_time | seconds) as $t |
		$t >= ($before | tonumber) and $t <= $times[.process | tostring]))'
}

@test "the time of day and the process are in the profile, by each engine that is built" {
	any_python
	need jq
	cat >said.py <<-'END'
		import os, sys, time
		if sys.argv[1:]:
		    os.fork()
		end = time.time() + 0.2
		while time.time() < end:
		    sum(range(1000))
		os.write(1, b'%d %.6f\n' % (os.getpid(), time.time()))
		time.sleep(0.3)
	END
	local engine before engines=(remote)
	[ ! -e "$TACH_BUILDDIR/lib/.libs/libtach-agent.so" ] || engines+=(inprocess)
	for engine in "${engines[@]}"; do
		before=$(date +%s.%6N)
		tach-record --engine $engine -q -- "$python" said.py >said
		is_dated tach.bin
		tach-record --engine $engine -q --merge -o m.bin -- \
		    "$python" said.py fork >said
		is_dated m.bin
		is "$(wc -l <said)" 2
	done
	# A text, an unfinished profile and a copy have them, too.
	before=$(date +%s.%6N)
	tach-record -q --text -o p.txt -- "$python" said.py >said
	is_dated p.txt
	tach-merge --layout early -o copy.bin p.txt
	is_dated copy.bin
}

@test "the summary: samples, threads, rate, and what to type next" {
	any_python
	run -0 --separate-stderr tach-record -o p.bin -- "$python" \
	    "$programs/fib.py" 0.5
	echo "$stderr"
	is "$output" ""
	for word in "$(field p.bin samples) samples" '1 thread' Hz missed torn \
	    failed "$(stat -c %s p.bin) bytes" 'tach-info p.bin'; do
		[[ "$stderr" == *"$word"* ]]
	done
	[[ "$stderr" != *$'\r'* ]]
}

@test "the summary: only threads that have samples count" {
	any_python
	run -0 --separate-stderr tach-record --threads main -o p.bin -- \
	    "$python" "$programs/gils.py" 0.5
	echo "$stderr"
	is "$(field p.bin threads)" 1
	[[ "$stderr" == *" samples of 1 thread in "* ]]
}

@test "the summary: by what weight, if many rounds were missed" {
	any_python
	run -0 --separate-stderr tach-record -r 200k -o p.bin -- "$python" \
	    "$programs/fib.py" 0.5
	[[ "$stderr" == *'% of the rounds were missed: '*' by --weight time,'* ]]
	[[ "$stderr" == *'tach-convert --collapsed --weight time p.bin' ]]
	run -0 --separate-stderr tach-record -r 20 -o p.bin -- "$python" \
	    "$programs/fib.py" 0.5
	[[ "$stderr" != *weight* ]]
}

@test "-q says nothing, on a terminal or not" {
	any_python
	run -0 --separate-stderr tach-record -q -o p.bin -- "$python" \
	    "$programs/fib.py" 0.5
	is "$output$stderr" ""
	run -0 "$T/lib/at-terminal" -- tach-record -q -o p.bin -- "$python" \
	    "$programs/fib.py" 0.5
	is "$output" ""
}

@test "progress on a terminal: one line, and it is gone at the end" {
	any_python
	run -0 "$T/lib/at-terminal" -- tach-record -o p.bin -- "$python" \
	    "$programs/fib.py" 1.5
	echo "$output" | cat -v
	[[ "$output" == *$'\r'*samples*$'\r'*samples* ]]
	# What is left once carriage returns have done their work.
	[ "$(tr '\r' '\n' <<<"$output" | grep -c 'next:\|tach-info')" -eq 1 ]
	[[ "$output" == *$'\r\033[K'*$'\n'* ]]
}

# ---- files ---------------------------------------------------------------------

@test "the profile's mode is 0600 less the umask" {
	any_python
	for pair in 000=600 022=600 077=600 277=400; do
		rm -f p.bin
		(umask "${pair%=*}" && tach-record -q -o p.bin -- "$python" -c \
		    'import time; time.sleep(0.1)')
		is "$(stat -c %a p.bin)" "${pair#*=}"
	done
}

@test "an older file is replaced, and leaves its mode alone" {
	any_python
	echo old >p.bin
	chmod 644 p.bin
	ln p.bin other
	tach-record -q -o p.bin -- "$python" "$programs/fib.py" 0.5
	sound p.bin
	is "$(stat -c %a p.bin)" 644
	is "$(cat other)" old
	is "$(ls)" "other
p.bin"
}

@test "an older file survives what fails" {
	echo old >p.bin
	for try in nowhere /dev/null false; do
		run ! tach-record -q -o p.bin -- "$try"
		is "$try $(cat p.bin)" "$try old"
		is "$(ls)" p.bin
	done
	run ! tach-record -q -o p.bin -p 4194304
	is "$(cat p.bin)" old
	is "$(ls)" p.bin
}

@test "a symbolic link is not followed" {
	echo mine >target
	ln -s target p.bin
	fails 125 'p.bin: .*link' tach-record -o p.bin -- touch started
	is "$(cat target)" mine
	[ -L p.bin ]
	ln -sf nothing p.bin
	fails 125 'p.bin: .*link' tach-record -o p.bin -- touch started
	[ ! -e nothing ]
	[ ! -e started ]
}

@test "somebody else's file in a sticky folder is left alone" {
	need_root
	mkdir shared
	chmod 1777 shared
	echo theirs >shared/p.bin
	chown nobody shared/p.bin
	fails 125 'shared/p.bin: ' tach-record -o shared/p.bin -- touch started
	is "$(cat shared/p.bin)" theirs
	[ ! -e started ]
}

@test "a folder that is not there, or is a file, or is the name itself" {
	fails 125 'no/p.bin: .*No such file or directory' \
	    tach-record -o no/p.bin -- touch started
	echo >file
	fails 125 'file/p.bin: .*Not a directory' \
	    tach-record -o file/p.bin -- touch started
	mkdir folder
	fails 125 'folder: .*([Ii]s a directory|folder)' \
	    tach-record -o folder -- touch started
	[ ! -e started ]
}

# as_nobody COMMAND...: tach-record comes first on its PATH.
as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups \
	    env PATH="$open:$PATH" "$@"
}

# A folder that nobody may enter, with a tach-record in it, as $open.
need_nobody() {
	need_root
	need setpriv util-linux
	open=$(mktemp -d)
	SHARED+=("$open")
	chmod 755 "$open"
	cp "$TACH_BUILDDIR/cmd/tach-record" "$open"
	# A program that is measured for coverage tells there that it may not write.
	[ "$(as_nobody tach-record -V 2>&1)" = "$(tach-record -V)" ] ||
	    skip "nobody cannot run it"
}

@test "a folder that may not be written to" {
	need_nobody
	fails 125 ".*/p.bin: .*Permission denied" \
	    as_nobody tach-record -o "$open/p.bin" -- true
}

@test "a full disk: told, and the old profile is there" {
	need_root
	any_python
	mkdir full
	unshare --mount mount -t tmpfs -o size=64k tach full 2>err ||
	    skip "no mount: $(cat err)"
	cat >inside <<-'END'
		mount -t tmpfs -o size=64k tach full &&
		echo old >full/p.bin &&
		{
			tach-record -q -r 10k --compression none -o full/p.bin -- \
			    "$@"
			echo "$?" >status
			ls full >left
			cp full/p.bin kept
		}
	END
	run --separate-stderr unshare --mount sh ./inside "$python" \
	    "$programs/churn.py" /dev/null 1.5
	echo "$stderr"
	is "$(cat status)" 125
	[[ "$stderr" == *"tach-record: full/p.bin: "*"No space left on device"* ]]
	is "$(cat left)" $'p.bin\np.bin.part\np.bin.part.journal'
	is "$(cat kept)" old
}

@test "threads that come and go faster than they are listed lose no process" {
	any_python
	cat >rush.py <<-'END'
		import _thread, os, time
		end = time.perf_counter() + 2
		while time.perf_counter() < end:
		    _thread.start_new_thread(time.perf_counter, ())
		os._exit(0) # Python can crash as it ends before its threads
	END
	tach-record -r 1000 -o p.bin -- "$python" rush.py 2>err
	cat err
	# All rounds were done or missed: none was spent to find it again.
	[[ "$(<err)" =~ in\ ([0-9.]+)\ s\ at\ ([0-9]+)\ Hz\ \(([0-9]+)\ missed ]]
	awk -v s="${BASH_REMATCH[1]}" -v hz="${BASH_REMATCH[2]}" \
	    -v missed="${BASH_REMATCH[3]}" \
	    'BEGIN { exit !(s * hz + missed > s * 1000 * 0.8) }'
}

@test "-o -: a whole profile on standard output, the command's on error" {
	any_python
	tach-record -q -o - -- "$python" "$T/record/copies.py" <<<hello \
	    >p.bin 2>err
	sound p.bin
	is "$(sort err)" "6 bytes
hello"
	tach-record -q -o - -- "$python" "$programs/fib.py" 0.5 | cat >p.bin
	"$T/lib/truth.py" calls p.bin "$programs/fib.py"
}

@test "-o - does not write to a terminal" {
	run "$T/lib/at-terminal" -- tach-record -o - -- touch started
	[ "$status" -eq "$USAGE" ]
	[[ "$output" == *terminal* ]]
	[ ! -e started ]
}

@test "-o to a pipe that nobody reads is said" {
	any_python
	run -0 bash -c 'tach-record -q -o - -- "$@" | :; echo "${PIPESTATUS[0]}"' - \
	    "$python" "$programs/fib.py" 0.5
	[[ "$output" == *"Broken pipe"*125 ]]
}

@test "-o to a named pipe and to a device" {
	any_python
	mkfifo pipe
	cat pipe >p.bin &
	tach-record -q -o pipe -- "$python" "$programs/fib.py" 0.5
	wait $!
	"$T/lib/truth.py" calls p.bin "$programs/fib.py"
	[ -p pipe ]
	tach-record -q -o /dev/null -- "$python" "$programs/fib.py" 0.5
	[ -c /dev/null ]
}

# ---- what cannot be recorded --------------------------------------------------------

@test "a process that there is not is told, and leaves no file" {
	fails 125 '.*(no such process|No such process)' tach-record -o p.bin \
	    -p 4194304
	is "$(ls)" ""
}

@test "a process that is no Python is told, goes on, and leaves no file" {
	start sleep 60
	fails 125 '.*[Pp]ython' tach-record -o p.bin -p "$pid"
	kill -0 "$pid"
	is "$(ls)" ""
}

@test "a command that is no Python: told at its end, and its status kept" {
	fails 125 '.*[Pp]ython' tach-record -o p.bin -- true
	fails 125 '.*[Pp]ython' tach-record -o p.bin -- sleep 0.3
	fails 3 '.*[Pp]ython' tach-record -o p.bin -- sh -c 'exit 3'
	fails 143 '.*[Pp]ython' tach-record -o p.bin -- sh -c 'kill -15 $$'
	is "$(ls)" ""
}

@test "no permission: which capability or sysctl would help" {
	need_nobody
	any_python
	busy
	fails 125 '.*(SYS_PTRACE|ptrace_scope)' as_nobody tach-record \
	    -o /dev/null -p "$pid"
	kill -0 "$pid"
}

@test "a Python that is too old: which ones are not" {
	need_python 3.9
	start "${PYTHON[@]}" -c 'while True: pass'
	is_up
	run --separate-stderr tach-record -d 0.3 -o p.bin -p "$pid"
	echo "$stderr"
	# Once it is supported: a sound profile.
	if [ "$status" -eq 0 ]; then
		sound p.bin
	else
		[ "$status" -eq 125 ]
		[[ "$stderr" =~ Python.*3\.11 ]]
		[ ! -e p.bin ]
	fi
}
