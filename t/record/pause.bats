# SPDX-License-Identifier: ISC
# pause.bats: SIGUSR1 makes tach-record pause, SIGUSR2 go on.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	host_python 3.12 3.13 3.11
}

teardown() {
	end_started
	drop_shared
}

# For as long as the file `go` is there, and says when it is at it.
spin='
import os, time
open("ready", "w").close()
end = time.time() + 60
while os.path.exists("go") and time.time() < end:
    sum(range(1000))
'

# gap PROFILE: the longest time between two samples, in ms, and the time of the
# last one.
gap() {
	tach-cat "$1" | awk '
		NR > 1 && $1 - last > gap { gap = $1 - last }
		{ last = $1 }
		END { print int(gap / 1000), int(last / 1000) }'
}

# The seconds that a summary tells, in ms.
told() {
	sed -n 's/.* in \([0-9]*\)\.\([0-9][0-9]\) s at .*/\1\20/p' "$1"
}

# recorded ARG...: a recording that has begun, as $pid.
recorded() {
	rm -f ready p.*
	touch go
	start tach-record -o p.bin "$@" -- "$python" -c "$spin" 2>err
	until_ test -e ready
	until_ test -s p.bin.part.journal
}

# goes_on PROFILE: has samples of after the pause.
goes_on() {
	local gap last
	read -r gap last < <(gap "$1" 2>/dev/null) && [ "$gap" -ge 1000 ]
}

a_gap() {
	recorded
	kill -USR1 "$pid"
	sleep 1.5
	kill -USR2 "$pid"
	until_ goes_on p.bin
	rm go
	wait "$pid"
	cat err
	grep -q 'paused for [1-9].*a gap in the profile' err
	[[ "$(<err)" =~ \(([0-9]+)\ missed ]]
	[ "${BASH_REMATCH[1]}" -lt 1000 ]
	read -r gap last < <(gap p.bin)
	[ "$gap" -ge 1000 ]
	[ "$(told err)" -le $((last - 1000)) ]
}

@test "a pause is a gap, and no time of the recording" {
	in_tries 3 a_gap
}

twice() {
	recorded
	kill -USR2 "$pid"
	sleep 0.3
	kill -USR1 "$pid"
	sleep 0.7
	kill -USR1 "$pid"
	sleep 0.7
	kill -USR2 "$pid"
	kill -USR2 "$pid"
	until_ goes_on p.bin
	rm go
	wait "$pid"
	grep -q 'paused for' err
	read -r gap _ < <(gap p.bin)
	[ "$gap" -ge 1000 ]
}

@test "a signal twice, or without a pause, does nothing more" {
	in_tries 3 twice
}

@test "-d counts what is recorded" {
	recorded -d 3
	kill -USR1 "$pid"
	sleep 1.5
	[ ! -e p.bin ]
	kill -USR2 "$pid"
	until_ test -e p.bin
	rm go
	wait "$pid"
	read -r _ last < <(gap p.bin)
	[ "$last" -ge 4000 ]
}

@test "the target ends in a pause; so does the recording" {
	recorded
	kill -USR1 "$pid"
	sleep 0.3
	rm go
	wait "$pid"
	tach-info -c p.bin
}

@test "SIGTERM ends a recording that pauses" {
	recorded
	kill -USR1 "$pid"
	sleep 0.3
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	tach-info -c p.bin
}

@test "a pause from before the beginning: nothing, and why" {
	# shellcheck disable=SC2016
	run -125 --separate-stderr tach-record -o p.bin -- \
	    sh -c 'kill -USR1 $PPID; exec "$0" -c "sum(range(1000))"' "$python"
	[[ "$stderr" == *"nothing was recorded: it was paused all the time"* ]]
	[ ! -e p.bin ]
}

@test "the command does not get these signals, nor lose them" {
	cat >own.py <<-'END'
		import os, signal, time
		for s in signal.SIGUSR1, signal.SIGUSR2:
		    print(signal.getsignal(s) is signal.SIG_DFL)
		print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
		os.kill(os.getppid(), signal.SIGUSR1)
		time.sleep(0.2)
		os.kill(os.getppid(), signal.SIGUSR2)
	END
	run -0 --separate-stderr tach-record -q -o p.bin -- "$python" own.py
	is "$output" "True
True
set()"
}

@test "with --subprocesses all of them pause" {
	printf 'import os\nos.fork()\n%s' "$spin" >two.py
	touch go
	start tach-record --subprocesses -o p.bin -- "$python" two.py 2>err
	until_ test -e ready
	until_ eval '[ "$(ls p.*.journal 2>/dev/null | wc -l)" -eq 2 ]'
	kill -USR1 "$pid"
	sleep 1.5
	kill -USR2 "$pid"
	for p in p.*.bin.part; do
		until_ goes_on "$p"
	done
	rm go
	wait "$pid"
	cat err
	for p in p.*.bin; do
		read -r gap _ < <(gap "$p")
		echo "$p $gap"
		[ "$gap" -ge 1000 ]
	done
}
