# SPDX-License-Identifier: ISC
# lost.bats: nothing recorded is lost: kills, faults, full disks, pipes whose
# reader goes away, and reading what is still being written.

load ../lib/lib.bash

setup_file() {
	"${CC:-cc}" -shared -fPIC -o "$BATS_FILE_TMPDIR/fault.so" "$T/record/fault.c"
}

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	ulimit -c 0
	ticks=$T/programs/ticks.py
	FULL=
}

teardown() {
	end_started
	[ -z "$FULL" ] || umount "$FULL"
	drop_shared
}

# ---- helpers ----------------------------------------------------------------

# ended PID STATUS: waits for it.
ended() {
	local status_=0
	wait "$1" || status_=$?
	is "$status_" "$2"
}

# sound FILE: a whole profile.
sound() {
	run -0 --separate-stderr tach-info --verify "$1"
	# shellcheck disable=SC2154
	is "$stderr" ''
}

# lacks TEXT FILE: it is not in it.
lacks() {
	run -1 grep -F "$1" "$2"
}

# samples FILE: how many there are.
samples() {
	tach-cat "$1" 2>/dev/null | wc -l
}

has_lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

CUT='its recording was cut short: this is what was saved (tach-merge -o NEW makes it whole)'

# cut_short: leaves a recording that was killed, with samples, as p.bin.part.
cut_short() {
	start tach-record -q -o p.bin -- "$python" "$ticks" 1.5 >cut.out
	until_ has_samples p.bin
	kill -KILL "$pid"
	wait "$pid" || :
	until_ grep unhurt cut.out
	rm cut.out
}

# ---- ended at any moment ----------------------------------------------------

@test "a recorder killed at 50 random moments loses at most a second" {
	host_python
	# shellcheck disable=SC2086
	"$T/record/lost.py" kills "${TACH_SEED:-$RANDOM}" 50 $python "$ticks"
}

@test "a power cut at any moment loses at most a second" {
	host_python
	mkdir disk
	LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so FAULT_PROGRAM=tach-record \
	    ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-} \
	    FAULT_DISK=$PWD/disk tach-record -q -o p.bin -- "$python" \
	    "$ticks" 2.2
	"$T/record/lost.py" disk disk
}

@test "a signal at any moment: the profile is whole, and nothing is left over" {
	host_python
	local i pids=()
	for i in 1 2 3 4 5 6 7 8 9; do
		start tach-record -q -o "$i.bin" -- "$python" "$ticks" 20 \
		    >"$i.out"
		pids+=("$pid")
		until_ has_lines "$i.out" 1
	done
	# What a recorder saves, and when, differs between them.
	for pid in "${pids[@]}"; do
		kill -TERM "$pid"
		sleep 0.07
	done
	for i in 1 2 3 4 5 6 7 8 9; do
		ended "${pids[i - 1]}" 143
		sound "$i.bin"
	done
	is "$(ls ./*.part* 2>/dev/null)" ''
}

@test "-d: whole while the command still runs" {
	host_python
	start tach-record -q -d 0.2 -o p.bin -- "$python" "$ticks" 4 >out
	until_ test -e p.bin
	lacks unhurt out
	is "$(ls)" $'out\np.bin'
	sound p.bin
	ended "$pid" 0
	grep unhurt out
}

@test "nothing is left over where nothing was recorded" {
	host_python
	cp "$T/data/odd.bin" p.bin
	run -125 tach-record -o p.bin -- sleep 0.2
	run -127 tach-record -o p.bin -- ./nowhere
	run -125 tach-record -o p.bin -p 2147483647
	is "$(ls)" p.bin
	cmp p.bin "$T/data/odd.bin"
}

# ---- writes that fail -------------------------------------------------------

@test "each write, sync and rename fails in turn: no older profile is lost" {
	host_python
	# shellcheck disable=SC2086
	"$T/record/lost.py" faults "$BATS_FILE_TMPDIR/fault.so" "$T/data/odd.bin" \
	    $python "$ticks"
}

# full NAME OPTION...: records to NAME where it finds no more room, and says
# so; what it has got until then can be read, and the old file is there.
full() {
	local name=$1
	shift
	run -125 --separate-stderr "$@" tach-record -q -r 5k "${options[@]}" \
	    -o "$name" -- "$python" \
	    "$ticks" 2.5
	is "$(tail -n 1 <<<"$output")" unhurt
	is "$stderr" "tach-record: $name: cannot write: $why
tach-record: the recording until then is in $name.part"
	cmp "$name" "$T/data/odd.bin"
	rm "$name"
	run -0 --separate-stderr tach-cat "$name"
	[ "${#lines[@]}" -ge 10 ]
	# An instruction without a line, such as a closure's first, ends in `:'.
	run -1 grep -Ev $'^[0-9]+\t0\t[0-9]+\t[a-z,-]+\t.*[0-9>:]$' <<<"$output"
}

@test "a full disk" {
	host_python
	need_root
	mkdir full
	mount -t tmpfs -o size=32k tmpfs full 2>/dev/null ||
	    skip "no tmpfs can be mounted here"
	FULL=$PWD/full
	local why='No space left on device' options=(--compression none)
	cp "$T/data/odd.bin" full/p.bin
	full full/p.bin env
	is "$stderr" "tach-cat: full/p.bin: $CUT"
	tach-merge -o good.bin full/p.bin
	sound good.bin
	is "$(samples good.bin)" "$(samples full/p.bin)"
	rm full/*
	cp "$T/data/odd.bin" full/p.txt
	options=(--text)
	full full/p.txt env
	is "$stderr" ''
}

@test "a file that may not grow" {
	host_python
	local why='File too large' options=(--compression none)
	cp "$T/data/odd.bin" p.bin
	full p.bin bash -c 'ulimit -f 24; exec "$@"' -
	is "$stderr" "tach-cat: p.bin: $CUT"
	cp "$T/data/odd.bin" p.txt
	options=(--text)
	full p.txt bash -c 'ulimit -f 24; exec "$@"' -
	is "$stderr" ''
}

@test "/dev/full" {
	host_python
	run -125 --separate-stderr tach-record -q -o /dev/full -- "$python" \
	    "$ticks" 0.3
	is "${lines[1]}" unhurt
	is "$stderr" 'tach-record: /dev/full: cannot write: No space left on device'
	run -125 --separate-stderr tach-record -q --text -o /dev/full -- \
	    "$python" "$ticks" 0.3
	is "${lines[1]}" unhurt
	is "$stderr" 'tach-record: /dev/full: cannot write: No space left on device'
}

# ---- pipes ------------------------------------------------------------------

@test "a whole profile arrives on a pipe" {
	host_python
	tach-record -q -o - -- "$python" "$ticks" 1 2>err | cat >q.bin
	sound q.bin
	[ "$(samples q.bin)" -gt 10 ]
	grep unhurt err
	mkfifo fifo
	start bash -c 'exec cat fifo >r.bin'
	tach-record -q -o fifo -- "$python" "$ticks" 0.3
	ended "$pid" 0
	sound r.bin
	is "$(ls)" $'err\nfifo\nq.bin\nr.bin'
}

@test "a pipe whose reader went away" {
	host_python
	{
		tach-record -q -o - -- "$python" "$ticks" 0.3 2>err ||
		    echo $? >status
	} | :
	is "$(cat status)" 125
	is "$(sed 1d err)" "unhurt
tach-record: standard output: cannot write: Broken pipe"
}

# ---- text -------------------------------------------------------------------

@test "--text: lines come while the program runs" {
	host_python
	start tach-record -q --text -o p.txt -- "$python" "$ticks" 4 >out
	until_ has_lines p.txt.part 20
	lacks unhurt out
	test ! -e p.txt
	ended "$pid" 0
	is "$(ls)" $'out\np.txt'
	is "$(grep -c '^[0-9]' p.txt)" "$(tach-cat p.txt | wc -l)"

	mkfifo pipe
	start bash -c 'exec "$@" 2>err >pipe' - \
	    tach-record -q --text -- "$python" "$ticks" 4
	{
		while IFS= read -r line; do
			case $line in [0-9]*) break ;; esac
		done
		lacks unhurt err
		cat >/dev/null
	} <pipe
	ended "$pid" 0
	grep unhurt err
}

@test "--text | head: it ends quietly, with the command's status" {
	host_python
	{
		tach-record -q --text -- "$python" "$T/record/ends.py" 0.5 \
		    exit 3 2>err || echo $? >status
	} | head -n 3 >out
	has_lines out 3
	is "$(cat status)" 3
	is "$(cat err)" ''
}

@test "--text | tach-convert --tach" {
	host_python
	tach-record -q --text -- "$python" "$ticks" 1 2>err | tee p.txt |
	    tach-convert --tach -o p.bin -
	sound p.bin
	[ "$(samples p.bin)" -gt 10 ]
	diff <(tach-cat -l p.bin | grep '^[0-9]') <(grep '^[0-9]' p.txt)
}

# ---- names ------------------------------------------------------------------

@test "two recorders to one name: the second is refused" {
	host_python
	start tach-record -q -o p.bin -- "$python" "$ticks" 4 >out
	until_ test -e p.bin.part.journal
	run -125 --separate-stderr tach-record -o p.bin -- "$python" "$ticks" 1
	is "$output" ''
	is "$stderr" 'tach-record: p.bin: cannot write: another tach-record is writing to it'
	ended "$pid" 0
	sound p.bin
	[ "$(samples p.bin)" -gt 100 ]
	is "$(ls)" $'out\np.bin'
}

@test "what was cut short is put aside by the next recording" {
	host_python
	cut_short
	local before
	before=$(samples p.bin)
	run -0 --separate-stderr tach-record -q -o p.bin -- "$python" "$ticks" 0.3
	is "$stderr" 'tach-record: p.bin: a recording was cut short here; it is kept as p.bin.part~'
	is "$(ls)" $'p.bin\np.bin.part~\np.bin.part~.journal'
	sound p.bin
	is "$(samples p.bin.part~)" "$before"
	run -0 --separate-stderr tach-info p.bin.part~
	is "$stderr" "tach-info: p.bin.part~: $CUT"
	[[ $output == *"samples: "*" $before"* ]]
}

@test "what was cut short is put aside with the journal of an older recorder" {
	host_python
	cut_short
	mv p.bin.part.journal p.bin.part.names
	local before
	before=$(samples p.bin)
	[ "$before" -gt 0 ]
	run -0 tach-record -q -o p.bin -- "$python" "$ticks" 0.1
	is "$(ls)" $'p.bin\np.bin.part~\np.bin.part~.names'
	is "$(samples p.bin.part~)" "$before"
}

@test "what was cut short before its first sample is not kept" {
	host_python
	echo kept >p.bin.part~
	head -c 64 /dev/zero >p.bin.part
	: >p.bin.part.journal
	run -0 --separate-stderr tach-record -q -o p.bin -- "$python" "$ticks" 0.1
	is "$stderr" ''
	is "$(ls)" $'p.bin\np.bin.part~'
	is "$(cat p.bin.part~)" kept
}

# A text has no journal, and so must not be given one of another.
@test "what was cut short is put aside, a text too" {
	host_python
	cut_short
	tach-record -q -o p.bin -- "$python" "$ticks" 0.2 2>/dev/null
	printf '0\t0\t1\tgil\ta.py:f:1\n' >p.bin.part
	run -0 tach-record -q -o p.bin -- "$python" "$ticks" 0.2
	is "$(ls)" $'p.bin\np.bin.part~'
	is "$(tach-cat p.bin.part~)" "$(printf '0\t0\t1\tgil\ta.py:f:1')"
}

# ---- tach-cat -f ------------------------------------------------------------

@test "tach-cat -f from before the first checkpoint to the end" {
	host_python
	cp "$T/data/odd.bin" p.bin
	start tach-record -q -o p.bin -- "$python" "$ticks" 4 >out
	local recorder=$pid
	until_ test -e p.bin.part.journal
	start tach-cat -f p.bin >live 2>err
	until_ has_lines live 20
	lacks unhurt out
	ended "$recorder" 0
	ended "$pid" 0
	is "$(cat err)" ''
	cmp live <(tach-cat p.bin)
}

@test "tach-cat -f of a recorder that is killed" {
	host_python
	start tach-record -q -o p.bin -- "$python" "$ticks" 4 >out
	local recorder=$pid
	until_ test -e p.bin.part.journal
	start tach-cat -f p.bin >live 2>err
	until_ has_lines live 20
	kill -KILL "$recorder"
	ended "$pid" 1
	is "$(cat err)" 'tach-cat: p.bin.part: its recording was cut short'
	cmp live <(tach-cat p.bin 2>/dev/null)
	run -1 --separate-stderr tach-cat -f p.bin
	is "$stderr" 'tach-cat: p.bin.part: its recording was cut short'
	is "$output" "$(cat live)"
}

@test "tach-cat -f of a whole profile" {
	run -0 --separate-stderr tach-cat -f "$T/data/odd.bin"
	is "$stderr" ''
	is "$output" "$(tach-cat "$T/data/odd.bin")"
}

@test "what is being recorded can be read, and says so" {
	host_python
	start tach-record -q -o p.bin -- "$python" "$ticks" 4 >out
	until_ has_samples p.bin
	run -0 --separate-stderr tach-info p.bin
	is "$stderr" 'tach-info: p.bin: still being recorded: this is what there is so far'
	cp "$T/data/odd.bin" p.bin
	run -0 --separate-stderr tach-info p.bin
	is "$stderr" 'tach-info: p.bin: there is a newer recording, not finished, in p.bin.part'
	ended "$pid" 0
	sound p.bin
}
