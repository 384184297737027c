# SPDX-License-Identifier: ISC
# top.bats: tach-top, its tables and its view, which is seen in tmux.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	export TMPDIR=$PWD
	printf '%s\t%s\t%s\t%s\t%s\n' >p.txt \
	    0 0 7 main,gil,cpu 'app.py:main:1' \
	    1000 0 7 main,gil,cpu 'app.py:main:1;/lib/python3.9/json/__init__.py:f:2' \
	    1500 0 8 gil-wanted 'app.py:g:7;app.py:g:9' \
	    2500 0 7 gil,cpu 'app.py:main:1;<GC>' \
	    2500 1 7 - '' \
	    99000 0 8 exception,0x80 'x_sync_coordinator.py:run:3;a.py:f:-1'
	sed -i '1i# interval 1000' p.txt
}

teardown() {
	[ ! -S "$BATS_TEST_TMPDIR/tmux" ] || tm kill-server
	end_started
}

# table ARG...: the table without its first line, with one space for each gap.
table() {
	run -0 --separate-stderr tach-top "$@"
	sed '1d; s/  */ /g; s/^ //' <<<"$output"
}

@test "a table of functions: self, total, states, samples" {
	is "$(table p.txt)" "$(
		cat <<-'END'
		self total self total gil cpu want wait samples function
		64.5% 64.5% 0.010s 0.010s 0% 0% 100% 0% 1 g app.py:7
		9.7% 9.7% 0.002s 0.002s 100% 100% 0% 0% 1 f /lib/python3.9/json/__init__.py:2
		6.5% 22.6% 0.001s 0.004s 100% 100% 0% 0% 1 main app.py:1
		6.5% 6.5% 0.001s 0.001s 100% 100% 0% 0% 1 <GC>
		6.5% 6.5% 0.001s 0.001s 0% 0% 0% 100% 1 f a.py
		6.5% 6.5% 0.001s 0.001s 0% 0% 0% 100% 1 <no frames>
		END
	)"
	is "$(tach-top p.txt | head -n 1)" '6 samples of 3 threads in 0.10 s; threads on average: 0.04 with the GIL, 0.04 on a CPU, 0.10 want the GIL, 0.02 wait'
}

# names GROUP: the rows of a group, without their figures.
names() {
	table -g "$1" p.txt | sed 1d | cut -d ' ' -f 10-
}

@test "rows of lines, files, modules and threads" {
	is "$(names line | head -n 2)" $'g app.py:9\nf /lib/python3.9/json/__init__.py:2'
	is "$(names line | tail -n 1)" 'g app.py:7'
	is "$(names file | head -n 3)" $'app.py\n/lib/python3.9/json/__init__.py\n<GC>'
	is "$(names module | head -n 2)" $'app app.py\njson /lib/python3.9/json/__init__.py'
	is "$(names thread)" $'thread 8\nthread 7\nthread 7 of interpreter 1'
}

@test "--sort and --lines" {
	is "$(table -s total -n 2 p.txt | sed 1d | cut -d ' ' -f 10-)" \
	    $'g app.py:7\nmain app.py:1'
	is "$(table --sort cpu -n 1 p.txt | sed 1d | cut -d ' ' -f 10-)" 'main app.py:1'
}

@test "--gil: a function waits while another one holds the GIL" {
	run -0 --separate-stderr tach-top --gil p.txt
	is "${lines[0]}" 'The GIL was held for 0.00 s of 0.10 s, and threads waited for it for 0.01 s'
	is "$(sed 1,2d <<<"$output" | sed 's/  */ /g')" "$(
		cat <<-'END'
		 80.0% 0.008s g app.py:7 <- (not seen)
		 10.0% 0.001s g app.py:7 <- f /lib/python3.9/json/__init__.py:2
		 10.0% 0.001s g app.py:7 <- <GC> ~
		END
	)"
}

@test "all inputs, and the selections" {
	is "$(tach-top <p.txt)" "$(tach-top p.txt)"
	is "$(tach-convert --tach p.txt | tach-top -)" "$(tach-top p.txt)"
	is "$(table --thread 7 --interp 0 -g thread p.txt | sed 1d | cut -d ' ' -f 10-)" 'thread 7'
	run -1 --separate-stderr tach-top nosuch.bin
	is "$stderr" 'tach-top: nosuch.bin: No such file or directory'
	run -0 --separate-stderr tach-top "$T/data/cpython315-gil.bin"
	[[ ${lines[0]} = *' samples of '* ]]
}

@test "several profiles have their names above their tables" {
	cp p.txt q.txt
	is "$(tach-top -n 1 p.txt q.txt | sed -n '1p;5p')" $'p.txt:\nq.txt:'
}

@test "stacks whose frames are all hidden, and times at the end of all numbers" {
	printf '%s\t%s\t%s\t%s\t%s\n' \
	    0 0 7 gil-wanted 'x_sync_coordinator.py:run:3' \
	    18446744073709551615 0 7 gil 'a.py:f:1' >odd.txt
	for option in '' --gil '-g module' '-g thread'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr tach-top $option odd.txt
	done
	is "$(table -n 1 odd.txt | sed 1d | cut -d ' ' -f 10-)" '<no frames>'
}

# refused MESSAGE ARG...
refused() {
	run -2 --separate-stderr tach-top "${@:2}"
	is "$stderr" "tach-top: $1
Try 'tach-top --help'."
}

@test "command lines that cannot be meant" {
	refused '--group all: there is no such word, see --help' -g all
	refused 'a FILE and a command cannot both be given' p.txt -- true
	refused '-o needs the name of a file' -o - -- true
	refused '--lines 0 is too small' -n 0
	refused '-o, -d and -r are for what is recorded: give -p PID, or -- COMMAND' -d 1 p.txt
	refused '-p and a command or FILE cannot both be given' -p 1 p.txt
	refused 'no command behind --' --
}

@test "a command is recorded, and its table printed" {
	host_python
	run -0 --separate-stderr tach-top -- "$python" -c '
def burn():
    return sum(range(1 << 25))
print("said")
burn()'
	is "$stderr" said
	is "$(sed -n 3p <<<"$output" | awk '{ print $10 }')" burn
	is "$(find . -name 'tach-top.*')" ''
	tach-top -o kept.bin -- "$python" -c 'sum(range(1 << 24))' >table
	is "$(tach-top kept.bin)" "$(cat table)"
	run -3 --separate-stderr tach-top -- "$python" -c 'sum(range(1 << 24)); raise SystemExit(3)'
	run -127 --separate-stderr tach-top -- ./nosuch
	# An older profile of that name is not taken for the new one.
	run -127 --separate-stderr tach-top -o kept.bin -- ./nosuch
	is "$output" ''
}

@test "an interrupt ends the recording, and the table is printed" {
	host_python
	start "$python" -c 'while True: sum(range(1 << 16))'
	run -0 "$T/lib/at-terminal" 'begins' '\x03' -- sh -c \
	    '(sleep 1; echo begins) & exec tach-top -1 -p "$0"' "$pid"
	[[ $output = *' samples of 1 thread in '* ]]
	kill -0 "$pid"
	is "$(find . -name 'tach-top.*')" ''
}

@test "a process is recorded for some time, and goes on" {
	host_python
	start "$python" -c 'while True: sum(range(1 << 16))'
	run -0 --separate-stderr tach-top -p "$pid" -d 0.5
	[[ ${lines[0]} = *' samples of 1 thread in 0.'* ]]
	kill -0 "$pid"
	run -125 --separate-stderr tach-top -p 99999999 -d 0.5
}

# ---- the view ------------------------------------------------------------

tm() {
	tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null "$@"
}

# view ARG...: tach-top in a window of 80 columns and 24 lines.
view() {
	rm -f ended
	need tmux
	tm new-session -d -x "${COLUMNS-80}" -y "${LINES-24}" "tach-top $*; echo ended \$? >ended; sleep 9"
}

# shown REGEX...: within ten seconds a line of the window matches each of them.
shown() {
	local regex
	for regex; do
		until_ has_line "$regex"
	done
}

has_line() {
	tm capture-pane -p | found -e "$1"
}

press() {
	tm send-keys "$@"
}

@test "the view: groups, orders, a filter, help" {
	view p.txt
	shown '^p.txt  complete  0.1 s, 6 samples, 3 threads' 'function by self' \
	    '64.5%  64.5%   0%   0% 100%   0%  g  app.py:7' '^q quit'
	press g
	shown 'line by self' 'g  app.py:9'
	press G s
	shown 'function by total'
	press '/' 'json' Enter
	shown 'complete  .* 1 samples' 'f  /lib/python3.9/json/__init__.py:2'
	press Escape
	shown ' 6 samples'
	press '/' '[' Enter
	shown '^\[: '
	press '?'
	shown 'group by the next'
	press '?' q
	shown
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}

@test "the view of a program: it changes, freezes, goes back in time" {
	host_python
	cat >x.py <<-'END'
	def first(): return sum(range(1 << 14))
	import time
	while True: first()
	END
	COLUMNS=120 view -- "$python" x.py
	shown "^-- $python x.py  recording" 'first  .*x.py:1'
	press ' '
	shown frozen
	press ' '
	shown recording
	press Left
	shown frozen
	press ' '
	shown recording
	press q
	until_ test -e ended
	is "$(find . -name 'tach-top.*')" ''
}

@test "the view of a program that fails: its reason and its status" {
	view -- ./nosuch
	until_ test -e ended
	is "$(cat ended)" 'ended 127'
	shown 'nosuch: No such file or directory'
}

@test "the view: any size and any key, and a signal ends it" {
	local n
	view p.txt
	shown 'function by self'
	for n in $(seq 200); do
		tm resize-window -x $((1 + n * 37 % 200)) -y $((1 + n * 17 % 60))
	done
	tm resize-window -x 80 -y 24
	shown 'function by self'
	for n in $(seq 40); do
		head -c 20 /dev/urandom | tr -d 'q/\000-\037\177' >keys
		tm send-keys -l -- "x$(tr -cd 'a-zA-Z0-9 ?' <keys)"
	done
	kill -TERM "$(pgrep -f 'tach-top p.txt' | tail -n 1)"
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}
