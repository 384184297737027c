# SPDX-License-Identifier: ISC
# signals.bats: what comes from outside at an odd moment, or is not as usual:
# signals, limits of a file's size, descriptors that are closed, and numbers out
# of range.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1 W=$T/data/cpython315-wall.bin
	host_python
}

teardown() {
	end_started
	drop_shared
}

# ---- signals ----------------------------------------------------------------

@test "a signal when tach-record has nearly ended is not handled any more" {
	need "${CC:-cc}" gcc
	# shellcheck disable=SC2086
	${CC:-cc} -shared -fPIC -o atexit.so "$T/commands/atexit.c"
	run -0 --separate-stderr env LD_PRELOAD="$PWD/atexit.so" \
	    ASAN_OPTIONS=verify_asan_link_order=0 \
	    tach-record -q -o p.bin -- "$python" -c 'sum(range(10**6))'
	is "$stderr" 'USR1 waits
USR2 waits
INT waits
TERM waits
HUP waits
QUIT waits'
}

@test "a signal before the command is there: it gets it, or is not started" {
	local i status
	for i in {1..20}; do
		start env --default-signal=TERM tach-record -q -o p.bin -- \
		    sh -c 'echo >started; exec sleep 90'
		sleep "0.00$((i * 3 % 10))"
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $status = 143 || $status = 125 ]]
		run -1 pgrep -P "$pid"
		is "$(ls p.bin* 2>/dev/null)" ''
	done
}

# ---- memory that waits for ever -----------------------------------------------

# waits OPTION...: records fault.py, and asks for an end once its memory waits.
# Its number is in $target, what was said in err.
waits() {
	"$python" "$T/commands/fault.py" || skip 'no userfaultfd'
	start "$python" "$T/commands/fault.py" 60 go
	target=$pid
	is_up
	start tach-record "$@" -o p.bin -p "$target" 2>err
	until_ have_ten
	touch go
	sleep 0.5
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	cat err
	is "$status" 125
	pkill -KILL -P "$target"
}

have_ten() {
	local f
	for f in p*.part; do
		[ "$(tach-cat "$f" 2>/dev/null | wc -l)" -ge 10 ] || return
	done
}

@test "a read that does not end ends with us, and the profile stays" {
	waits
	grep -q 'a read of the program.s memory or files does not end' err
	run -0 --separate-stderr tach-merge -o new.bin p.bin.part
	[ "$(tach-cat new.bin | wc -l)" -ge 10 ]
}

@test "one of a family whose memory waits costs no other's profile" {
	waits --subprocesses
	grep -q "process $target: a read of its memory does not end" err
	is "$(ls p.*)" "p.$target.bin.part
p.$target.bin.part.journal
$(ls p.*.bin)"
	tach-info -c p.*.bin
}

# ---- a file's size -----------------------------------------------------------

# limited K COMMAND...: no file may have more than K kilobytes; nor has what
# it says, which therefore goes through a pipe.
limited() {
	# shellcheck disable=SC2016
	run bash -c '(ulimit -f "$0"; exec "$@") 2>&1 >out | cat
		exit "${PIPESTATUS[0]}"' "$@"
	echo "$status: $*" # for who reads of a failure
	rm -f out
}

@test "a file that may not grow: told by each command, and an old one stays" {
	echo old >p
	local args name
	while read -r -a args; do
		limited 1 "${args[@]}" -o p "$W"
		[ "$status" -eq 1 ]
		is "$output" "${args[0]}: p: File too large"
		is "$(<p) $(ls)" 'old p'
	done <<-'END'
		tach-convert --flamegraph
		tach-convert --jsonl
		tach-convert --pprof
	END
	for args in 'tach-merge' 'tach-convert --tach'; do
		# shellcheck disable=SC2086
		limited 1 $args --compression none -o p "$W"
		[ "$status" -eq 1 ]
		is "$output" "${args%% *}: p: cannot write: File too large"
		is "$(<p) $(ls)" 'old p'
	done
	limited 1 tach-convert --heatmap -o folder "$W"
	[ "$status" -eq 1 ]
	[[ $output = 'tach-convert: folder: '*'File too large' ]]
	is "$(ls)" p
	for name in tach-cat 'tach-info --stats'; do
		# shellcheck disable=SC2086
		limited 0 $name "$W"
		is "$status $output" \
		    "1 ${name%% *}: standard output: File too large"
	done
}

@test "tach-record, with no room for a byte" {
	echo old >p.bin
	limited 0 tach-record -q -o p.bin -- "$python" -c 'sum(range(10**7))'
	is "$status $output" \
	    '125 tach-record: p.bin: cannot write: File too large'
	is "$(<p.bin) $(ls)" 'old p.bin'
	limited 0 tach-record -q --merge -o p.bin -- \
	    "$python" -c 'sum(range(10**7))'
	[ "$status" -eq 125 ]
	[[ $output = *'File too large'* ]]
	is "$(<p.bin)" old
}

@test "a command has the signals that it would have without a recorder" {
	local own
	# shellcheck disable=SC2016
	own=$(grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status)
	run ! --separate-stderr tach-record -q -o p.bin -- \
	    grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status
	is "$output" "$own"
}

# ---- descriptors -------------------------------------------------------------

# without COMMAND...: with each set of the standard descriptors closed.
each_closed() {
	local closed
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' \
	    '<&- >&- 2>&-'; do
		echo "# $closed"
		eval '"$@" '"$closed" || [ $? -eq 1 ]
	done
}

recorded() {
	rm -f p.bin
	tach-record -o p.bin -- "$python" -c 'sum(range(3 * 10**6))' || return 1
}

sound_after() {
	local closed
	for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
		echo "# $closed"
		eval "recorded $closed"
		"$T/lib/truth.py" sound p.bin
	done
}

@test "standard descriptors that are closed: tach-record" {
	sound_after
	# The command finds closed what we have.
	# shellcheck disable=SC2016
	run ! --separate-stderr bash -c 'exec "$@" <&-' - tach-record -q -o q.bin -- \
	    sh -c 'ls /proc/$$/fd'
	is "${lines[0]}" 1
}

@test "standard descriptors that are closed: what reads profiles" {
	local want
	want=$(tach-info "$W")
	each_closed tach-merge -o m.bin "$W"
	is "$(tach-info "$W" | grep samples:)" "$(tach-info m.bin | grep samples:)"
	each_closed tach-convert --tach -o c.bin "$W"
	tach-info --verify c.bin
	each_closed tach-convert --heatmap -o "h$RANDOM" "$W"
	each_closed tach-cat nosuch.bin
	each_closed tach-info nosuch.bin
	is "$(tach-info "$W")" "$want"
}

# ---- numbers -----------------------------------------------------------------

@test "rates and durations out of range are refused, and nothing is started" {
	local n
	for n in 0 -0 -1 nan inf -inf 1e300 1e-300 1e-308 1e-12 5e-11 0.0009 \
	    200001 201k 1000k 1e-300k; do
		run -125 --separate-stderr tach-record -r "$n" -- touch started
		is "${stderr%%$'\n'*}" "tach-record: the rate $n is out of range: 0.001 to 200k"
	done
	for n in 0 -0 -1 nan inf 1e300 1e-300 1e-10 0.0009 1.1e9; do
		run -125 --separate-stderr tach-record -d "$n" -- touch started
		is "${stderr%%$'\n'*}" \
		    "tach-record: the duration $n is out of range: 0.001 to 1e9 seconds"
	done
	for n in '' x 1x '1 ' 0x; do
		run -125 tach-record -r "$n" -- touch started
		run -125 tach-record -d "$n" -- touch started
	done
	is "$(ls)" ''
	# The last ones that are in range, of a program that is there for a while: in a
	# thousandth of a second it may have no sample.
	local nap="import time; time.sleep(0.2)"
	for n in 0.001 200k; do
		run --separate-stderr tach-record -q -r $n -d 0.001 -o p.bin -- \
		    "$python" -c "$nap"
		[ "$status" -eq 0 ] || {
			is "$status" 125
			[[ $stderr = *'nothing was recorded: no thread ran'* ]]
		}
	done
}

@test "other numbers out of range are refused by name" {
	local args
	while read -r -a args; do
		run -2 --separate-stderr tach-convert --tach "${args[@]}" "$W"
		[[ ${stderr%%$'\n'*} = "tach-convert: "*"${args[1]}"* ]]
		is "$output" ''
	done <<-'END'
		--level 0
		--level 23
		--level 1e1
		--level 99999999999999999999
		--since 1e-300
		--since 99999999999999999999
		--since inf
		--since 0x1p3
		--until 0
		--until -1
		--until nan
		--interp 4294967296
		--interp -1
		--interp 0x
	END
	run -2 tach-convert --gperftools --word 33 "$W"
	for n in 0 -1 1e3 2147483648 x ''; do
		run -125 --separate-stderr tach-record -p "$n"
		[[ ${stderr%%$'\n'*} = "tach-record: the process id $n is "* ]]
	done
}
