# SPDX-License-Identifier: ISC
# limits.bats: names that are no names, stacks that are too deep, descriptors that are
# too few, and kernels that are old.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
}

teardown() {
	end_started
}

# ---- names --------------------------------------------------------------------

# made COMMAND...: what is half made is in no note, and a name that begins with
# NUL is one.
made() {
	"$@" tach-record -q -r 10k -o p.bin -- "$python" \
	    "$T/programs/made.py" 0.7
	"$T/lib/truth.py" sound p.bin
	is "$(tach-info p.bin | grep -a '^note:' |
	    grep -avE '^note: +(config|errors|interrupts|thread) ')" ''
	tach-cat p.bin | found $':\xef\xbf\xbdodd:'
}

@test "nothing half made is in a profile where code objects are made all the time" {
	host_python 3.13 3.11
	in_tries 3 made env
	in_tries 3 made outside
}

# ---- depth --------------------------------------------------------------------

# deep OPTION...: its innermost frames down to a mark, and the other thread.
deep() {
	tach-record -q "$@" -o p.bin -- "$python" "$T/record/depths.py" \
	    40000 0.7
	"$T/lib/truth.py" sound p.bin
	tach-cat p.bin | awk -F '\t' '{ n = split($5, f, ";")
		deep += n > 16000 && n <= 16384 && f[1] ~ /<truncated>/ &&
		    f[n] ~ /:innermost:/
		beside += $5 ~ /:beside:/ }
		END { exit !(deep > 5 && (beside > 5 || inside)) }' \
	    inside="${inside-}"
}

@test "of more frames than a sample can have the innermost are kept, to a mark" {
	need zstd
	host_python 3.13 3.11
	in_tries 3 deep
	inside=1 in_tries 3 deep --engine=inprocess
}

# ---- tasks ----------------------------------------------------------------------

# Of many tasks of one time all but one would weigh nothing.
@test "rounds that are missed for many tasks are told, and each task weighs something" {
	need zstd
	need_python 3.14
	echo 'import asyncio
async def wait():
    await asyncio.sleep(1)
async def main():
    await asyncio.gather(*(wait() for _ in range(2000)))
asyncio.run(main())' >"$OUTSIDE/many.py"
	run -0 --separate-stderr tach-record -r 5k --async all -o p.bin -- \
	    "${PYTHON[@]}" "$INSIDE/many.py"
	grep 'rounds were missed: to read all tasks takes longer' <<<"$stderr"
	is "$(grep -c weight <<<"$stderr")" 0
	tach-convert --collapsed p.bin | grep '<task>.*:wait:.* [1-9]'
}

# ---- descriptors ----------------------------------------------------------------

# few LIMIT THREADS: what they do is known all the same.
few() {
	(ulimit -n "$1" && tach-record -o p.bin -- "$python" -c '
import sys, threading, time
for i in range(int(sys.argv[1])):
    threading.Thread(target=time.sleep, args=(0.7,)).start()
' "$2" 2>stderr)
	grep "too few descriptors for [0-9]* threads.*ulimit -n, it is $1" \
	    stderr
	[ "$(tach-cat p.bin | cut -f 3 | sort -u | wc -l)" -gt "$2" ]
	is "$(tach-cat p.bin | cut -f 4 | grep -c unknown)" 0
}

@test "with too few descriptors for its threads each has its status, and that is told" {
	need zstd
	host_python 3.11
	in_tries 3 few 40 60
}

# ---- kernels ----------------------------------------------------------------------

OLD=$T/lib/old-kernel

need_old() {
	[ "$(uname -m)" = x86_64 ] || skip "the calls are told apart on x86-64"
	host_python 3.11
}

# seconds_of COMMAND...: how long it takes.
seconds_of() {
	local SECONDS=0
	"$@"
	echo $SECONDS
}

@test "with the calls of Linux 3.10 a command is recorded to its end, which is seen" {
	need_old
	run -3 "$OLD" tach-record -q -o p.bin -- "$python" \
	    "$T/record/ends.py" 0.7 exit 3
	tach-info --verify p.bin
	tach-cat p.bin | found ':work:'
	# A round is taken every ten seconds: the end is not waited for so long.
	((2 + $(seconds_of "$OLD" tach-record -q -r 0.1 -o q.bin -- \
	    "$python" -c pass 2>/dev/null) < 8))
	# Another one cannot be recorded, and that is told.
	run -127 "$OLD" tach-record -q -o r.bin -- /nothing/there
}

@test "with the calls of Linux 3.10 a process is recorded, and profiles are read" {
	need_old
	start "$python" "$T/record/ends.py" 60 exit 0
	is_up
	"$OLD" tach-record -q -d 1 -o p.bin -p "$pid"
	"$OLD" tach-cat p.bin | found ':work:'
	"$OLD" tach-convert --flamegraph -o p.html p.bin
	"$OLD" tach-merge -o m.bin p.bin p.bin
	"$OLD" tach-top -1 m.bin | found work
	"$OLD" tach-record -q -d 60 -o q.bin -p "$pid" &
	recorder=$!
	until_ has_samples q.bin.part
	kill -KILL "$pid"
	wait "$recorder"
	tach-cat q.bin | found ':work:'
	# A process that there is not.
	run -125 --separate-stderr "$OLD" tach-record -q -o r.bin -p "$pid"
	# shellcheck disable=SC2154
	echo "$stderr"
	[[ $stderr = *"o such process"* ]]
}

@test "with the calls of Linux 3.10 the in-process engine says what is missing" {
	need_old
	run -125 --separate-stderr "$OLD" tach-record --engine=inprocess -q \
	    -o p.bin -- "$python" -c pass
	[[ $stderr = *"the memory to share with the program: Function not implemented" ]]
}
