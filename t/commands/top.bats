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
	drop_shared
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
	refused '-o, -d, -r and --subprocesses are for what is recorded: give -p PID, or -- COMMAND' -d 1 p.txt
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
	is "$(sed -n 3p <<<"$output" | awk '{ print $10 }')" sum
	is "$(find . -name 'tach-top.*')" ''
	tach-top -o kept.bin -- "$python" -c 'sum(range(1 << 24))' >table
	is "$(tach-top kept.bin)" "$(cat table)"
	run -3 --separate-stderr tach-top -- "$python" -c 'sum(range(1 << 24)); raise SystemExit(3)'
	run -127 --separate-stderr tach-top -- ./nosuch
	# An older profile of that name is not taken for the new one.
	run -127 --separate-stderr tach-top -o kept.bin -- ./nosuch
	is "$output" ''
}

# waiting: a Python that waits for a file `go`; it is recorded, by tach-top, into a temporary
# directory.
waiting() {
	host_python
	start tach-top -1 -- "$python" -c '
import os
while not os.path.exists("go"): sum(range(1 << 12))'
}

@test "a temporary directory that is swapped: no file of another one is removed" {
	waiting
	until_ has_part
	mkdir victim
	touch victim/passwd victim/profile
	for directory in tach-top.*; do
		mv "$directory" moved
		ln -s victim "$directory"
	done
	touch go
	wait "$pid" || [ $? -eq 1 ]
	is "$(echo victim/*)" 'victim/passwd victim/profile'
	is "$(echo moved/*)" 'moved/*'
}

has_part() {
	compgen -G 'tach-top.*/profile.bin.part' >parts
}

@test "a temporary directory that others can rename is not made in another user's" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, as another user's directory does"
	mkdir theirs
	chown nobody theirs
	TMPDIR=$PWD/theirs waiting
	until_ pgrep -P "$pid" -f 'tach-record -q -o /tmp/tach-top[.][^ ]*/profile[.]bin '
	touch go
	wait "$pid"
}

@test "a caller that ignores SIGCHLD: the command ignores it, too, and is waited for" {
	host_python
	run -3 --separate-stderr env --ignore-signal=CHLD tach-top -- "$python" -c '
import signal, sys
print(signal.getsignal(signal.SIGCHLD).name, file=sys.stderr)
sum(range(1 << 24)); raise SystemExit(3)'
	is "$stderr" SIG_IGN
}

@test "an interrupt ends the recording, and the table is printed" {
	host_python
	start "$python" -c 'while True: sum(range(1 << 16))'
	run -0 "$T/lib/at-terminal" 'begins' '\x03' -- sh -c \
	    '(sleep 1; echo begins) & exec tach-top -1 -p "$0"' "$pid"
	[[ $output = *' samples of 1 thread in '* ]]
	kill -0 "$pid"
	# shellcheck disable=SC2016
	until_ eval '[ -z "$(find . -name "tach-top.*")" ]'
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
	# shellcheck disable=SC2016
	until_ eval '[ -z "$(find . -name "tach-top.*")" ]'
}

@test "the view of a profile that another program records, until it is complete" {
	host_python
	start "$python" -c 'while True: sum(range(1 << 14))'
	start tach-record -q -o other.bin -p "$pid"
	until_ has_samples other.bin
	view other.bin
	shown '^other.bin  recording .*[^0]... samples' '<module>  <string>:1'
	kill -TERM "$pid"
	shown '^other.bin  complete '
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
	tach-top -s samples -n 1 other.bin | found ' sum  <built-in>$'
}

@test "the view of a program that fails: its reason and its status" {
	view -- ./nosuch
	until_ test -e ended
	is "$(cat ended)" 'ended 127'
	shown 'nosuch: No such file or directory'
}

# screen NAME: the window is what t/golden/top/NAME.txt holds.
screen() {
	tm capture-pane -p >screen
	golden "top/$1.txt" screen
}

# tour SIZE: each kind of screen of a profile that CPython wrote, in a window of a size.
tour() {
	cp "$T/data/cpython315-wall.bin" wall.bin
	COLUMNS=${1%x*} LINES=${1#*x} view wall.bin
	shown 'function by self' '^q quit'
	screen "functions-$1"
	press t
	shown 'function tree by total'
	screen "tree-$1"
	press Down Down Enter
	shown '[+] Thread.run '
	screen "folded-$1"
	press -
	shown '[+] Thread._bootstrap '
	screen "all-folded-$1"
	press t g g g g g
	shown 'thread by self'
	screen "threads-$1"
	press a w
	shown 'start  total' '(one process)'
	screen "recent-$1"
	press '?'
	shown 'this help, and back'
	screen "help-$1"
	press '?' a w t
	shown 'thread tree by total'
	screen "thread-tree-$1"
	press q
	until_ test -e ended
}

@test "the view at 80x24: its screens" {
	tour 80x24
}

@test "the view at 200x60: its screens" {
	tour 200x60
}

@test "the view of standard input: its keys are the terminal's" {
	need tmux
	tm new-session -d -x 80 -y 24 'tach-convert --tach p.txt | tach-top -; echo ended $? >ended'
	shown '^standard input  complete  0.1 s, 6 samples' 'function by self'
	press g
	shown 'line by self'
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}

@test "--gil: the time of the GIL is not above that of a profile of CPython" {
	run -0 --separate-stderr tach-top --gil "$T/data/cpython315-gil.bin"
	is "${lines[0]}" 'The GIL was held for 1.10 s of 1.11 s, and threads waited for it for 0.00 s'
	run -0 --separate-stderr tach-top --gil -n 1 "$T/data/cpython315-wall.bin"
	[[ ${lines[2]} = *'%'*' <-  '* ]]
}

@test "the tree: a cursor, folds that stay as time goes back, threads as roots" {
	view p.txt
	shown 'function by self'
	press t
	shown 'function tree by total' '- main  app.py:1' '   f  .*json/__init__.py:2'
	press Down Down Enter
	shown '[+] main  app.py:1'
	press Left
	shown frozen '[+] main  app.py:1'
	press Right
	shown complete '[+] main  app.py:1'
	press Enter
	shown '- main  app.py:1'
	press -
	shown '[+] main'
	press +
	shown '   f  .*json/__init__.py:2'
	press g
	shown 'line tree by total'
	press g g g g
	shown 'thread tree by total' '- thread 7$' ' - main  app.py:1'
	press t
	shown 'thread by self'
}

@test "the view: sorted by each column, and back" {
	local column
	view p.txt
	for column in self total gil cpu wanted waiting samples name file self; do
		shown "function by $column\$"
		press s
	done
	press S S
	shown 'function by file$'
	is "$(tm capture-pane -p | sed -n '7,$p' | grep -c app.py)" 2
}

@test "threads above have their state and their shares of the GIL and of CPUs" {
	view p.txt
	shown '^  running    gil   4%  cpu   4%  want   0%  wait   0%  thread 7$' \
	    '^  waiting    gil   0%  cpu   0%  want  10%  wait   1%  thread 8$'
}

# Two tasks that compute, one of them three times as long, and one that waits for both.
tasks() {
	cat >"$OUTSIDE/tasks.py" <<-'END'
	import asyncio, sys, time
	async def spin(ms):
	    while True:
	        end = time.perf_counter() + ms / 1000
	        while time.perf_counter() < end: pass
	        await asyncio.sleep(0)
	async def both():
	    heavy = asyncio.create_task(spin(3), name='heavy')
	    light = asyncio.create_task(spin(1), name='light')
	    open(sys.argv[1], 'w').close()
	    await asyncio.gather(heavy, light)
	async def main():
	    await asyncio.create_task(both(), name='both')
	asyncio.run(main())
	END
	start "${PYTHON[@]}" "$INSIDE/tasks.py" "$INSIDE/told"
	until_ test -e "$OUTSIDE/told"
	tach-record -q -o tasks.bin -d 1 --async running -p "$pid"
}

# task_rows: records, and judges the shares.
task_rows() {
	tasks
	end_started || :
	rm "$OUTSIDE/told"
	tach-top -g task tasks.bin | sed 1,2d | awk '{ print $NF, $1 + 0, $2 + 0 }' >rows
	is "$(head -n 2 rows | cut -d ' ' -f 1)" $'heavy\nlight'
	awk '$1 == "heavy" { h = $2 } $1 == "light" { l = $2 } $1 == "both" { s = $2; t = $3 }
	    END { exit !(h > 60 && h < 85 && l > 12 && l < 35 && s < 3 && t > 95) }' rows
}

@test "rows of tasks: self of the one that runs, total of all that wait for it" {
	need_python 3.14
	in_tries 3 task_rows
	view tasks.bin
	press g g g g t
	shown 'task tree by total'
	press +
	shown ' - Task-1$' ' - both$' ' heavy$' ' light$'
}

@test "a merged profile has processes, by name" {
	cp p.txt q.txt
	tach-merge -o m.bin p.txt q.txt
	is "$(table -g process m.bin | sed 1d | cut -d ' ' -f 9-)" $'6 p.txt\n6 q.txt'
	# Merged once more, each keeps its name.
	tach-merge -o again.bin m.bin q.txt
	is "$(tach-top -g process again.bin | sed 1,2d | awk '{ print $NF }' | sort | uniq -c)" \
	    $'      1 p.txt\n      2 q.txt'
	view m.bin
	shown 'function by self'
	press a
	shown '^  .* p.txt$' '^  .* q.txt$'
	press a
	until_ gone ' p.txt$'
}

gone() {
	! has_line "$1"
}

# Two processes, each in a function of its own, until a file is there.
family() {
	host_python
	cat >family.py <<-'END'
	import os
	def parent():
	    while not os.path.exists('end'): sum(range(1 << 12))
	def child():
	    while not os.path.exists('end'): sum(range(1 << 12))
	if os.fork():
	    parent()
	    os.wait()
	else:
	    child()
	END
}

@test "subprocesses are recorded, and are rows" {
	family
	(sleep 2; touch end) &
	run -0 --separate-stderr tach-top --subprocesses -g process -- "$python" family.py
	is "$(sed 1,2d <<<"$output" | grep -c '%.*profile.*[.]bin$\|%.*tach.*[.]bin$')" 2
	# shellcheck disable=SC2016
	until_ eval '[ -z "$(find . -name "tach-top.*")" ]'
}

@test "the view of subprocesses: all of them while they are recorded, and then as one" {
	family
	COLUMNS=120 view --subprocesses -o kept.bin -- "$python" family.py
	shown "^-- $python family.py  recording " '^  .* kept[.][0-9]*.bin$' ' parent  .*family.py:3' \
	    ' child  .*family.py:5'
	is "$(tm capture-pane -p | grep -c ' kept[.][0-9]*.bin$')" 2
	press t
	shown 'tree by total' ' recording '
	touch end
	shown ' complete ' ' parent  .*family.py:3' ' child  .*family.py:5'
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
	is "$(echo kept*)" kept.bin
}

@test "the view of subprocesses: a FIFO, a link and files of others beside them are no processes" {
	family
	mkfifo kept.1.bin kept.4.bin.part kept.5.bin.part.journal
	cp "$T/data/odd.bin" kept.2.bin
	ln -s "$T/data/odd.bin" kept.3.bin
	touch -h kept.3.bin
	[ "$(id -u)" -ne 0 ] || chown nobody kept.2.bin
	[ "$(id -u)" -eq 0 ] || rm kept.2.bin
	COLUMNS=120 view --subprocesses -o kept.bin -- "$python" family.py
	shown ' recording ' ' parent  .*family.py:3' ' child  .*family.py:5'
	is "$(tm capture-pane -p | grep -c ' kept[.][0-9]*.bin$')" 2
	touch end
	shown ' complete '
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}

# stop_recorder SIGNAL: sends it to the view's tach-record.
stop_recorder() {
	pkill -"$1" -P "$(pgrep -f "^tach-top --subprocesses -o kept.bin")" -x tach-record
}

@test "the view of subprocesses: the profile is completed after q, however long that takes" {
	family
	view --subprocesses -o kept.bin -- "$python" family.py
	shown ' recording ' ' parent  .*family.py:3'
	stop_recorder STOP
	press q
	until_ gone ' parent  .*family.py:3'
	sleep 5.5
	stop_recorder CONT
	until_ test -e ended
	shown '^tach-top: kept.bin is not complete yet: Ctrl-C does not wait for it$'
	is "$(cat ended)" 'ended 0'
	is "$(echo kept*)" kept.bin
	tach-top kept.bin | found ' parent  '
}

@test "the view of a recording that cannot be completed: its reason and its status after q" {
	family
	view --subprocesses -o kept.bin -- "$python" family.py
	shown ' recording ' ' parent  .*family.py:3'
	mkdir -p kept.bin/full
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 125'
	shown 'kept.bin: cannot write'
}

@test "the view: 8 and 256 colours, none, and terminals without UTF-8" {
	printf '# interval 1000\n0\t0\t7\tcpu\tapp.py:überprüfen数:1\n' >name.txt
	local term
	for term in screen screen-256color ansi; do
		tm_colors "TERM=$term"
		tm capture-pane -pe | found $'\e\\[.*31m'
		# The background is the terminal's own, dark or light.
		tm capture-pane -pe | absent $'\e\\[[0-9;]*4[0-7]m'
		shown '  überprüfen数  app.py:1$'
		end_view
	done
	for term in NO_COLOR=1 TERM=vt100; do
		tm_colors "$term"
		tm capture-pane -pe | absent $'\e\\[[0-9;]*[34][0-7]m'
		end_view
	done
	tm_colors NO_COLOR=
	tm capture-pane -pe | found $'\e\\[.*31m'
	end_view
	tm_colors LC_ALL=C
	shown '  [?]berpr[?]fen[?]  app.py:1$'
	end_view
}

# tm_colors SETTING: a view with a variable set.
tm_colors() {
	rm -f ended
	need tmux
	tm new-session -d -x 80 -y 24 "env $1 tach-top name.txt; echo ended \$? >ended"
	shown 'function by self'
}

end_view() {
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
	until_ closed
}

# The server is gone with its last window.
closed() {
	! tm has-session 2>closed
}

@test "the mouse's wheel moves the rows" {
	for i in $(seq 60); do
		printf '%s000\t0\t7\tcpu\tapp.py:f%s:1\n' "$i" "$i"
	done >many.txt
	view many.txt
	shown ' f1  app.py'
	press -l $'\e[Ma!!'
	until_ gone ' f1  app.py'
	press -l $'\e[M`!!'
	shown ' f1  app.py'
	press End
	shown ' f60  app.py'
	press Home
	shown ' f1  app.py'
}

# at_shell: a window with a shell, whose settings of the terminal are in `before`.
at_shell() {
	need tmux
	tm new-session -d -x 80 -y 24 "PS1='at\$ ' sh -i"
	shown '^at\$'
	press 'stty -g >before' Enter
	until_ test -s before
}

# as_found: the terminal is as it was: its settings, its screen, its cursor, its mouse.
as_found() {
	rm -f after
	press 'stty -g >after' Enter
	until_ test -s after
	is "$(cat after)" "$(cat before)"
	is "$(tm display-message -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" '0 1 0'
}

@test "the terminal is as it was found after quit, each signal, and a crash of the target" {
	local how
	at_shell
	for how in q C-c TERM HUP QUIT; do
		press 'tach-top p.txt' Enter
		shown 'function by self'
		case $how in
		q | C-c) press "$how" ;;
		*) kill "-$how" "$(view_of_shell)" ;;
		esac
		until_ gone 'function by self'
		as_found
	done
	host_python
	press "tach-top -- $python -c 'import os, time; time.sleep(2); os.abort()'" Enter
	shown 'recording'
	shown 'complete'
	press q
	until_ gone 'by self'
	as_found
}

view_of_shell() {
	pgrep -P "$(tm display-message -p '#{pane_pid}')" -x tach-top
}

@test "the view is suspended and continued" {
	at_shell
	press 'tach-top p.txt' Enter
	shown 'function by self'
	press C-z
	shown 'Stopped\|Suspended'
	as_found
	press fg Enter
	shown 'function by self'
	press g
	shown 'line by self'
	kill -TSTP "$(view_of_shell)"
	until_ gone 'line by self'
	as_found
	press fg Enter
	shown 'line by self'
	press q
	until_ gone 'line by self'
	as_found
}

@test "the view is confined, of a file and of a recording" {
	"$TACH_BUILDDIR/t/unit/test_confine" >said || [ $? -ne 77 ] ||
	    skip "$(<said)"
	host_python
	at_shell
	press 'tach-top p.txt' Enter
	shown 'function by self'
	grep '^Seccomp:.2$' "/proc/$(view_of_shell)/status"
	grep '^NoNewPrivs:.1$' "/proc/$(view_of_shell)/status"
	press q
	until_ gone 'by self'
	press "tach-top -- $python -c 'while True: pass'" Enter
	shown 'recording'
	grep '^Seccomp:.2$' "/proc/$(view_of_shell)/status"
	press q
	until_ gone 'by self'
	# shellcheck disable=SC2016
	until_ eval '[ -z "$(find . -name "tach-top.*")" ]'
}

@test "the view of a file and of a recording asks for nothing that was given up" {
	need strace
	host_python
	at_shell
	press 'strace -A -o calls tach-top p.txt' Enter
	shown 'function by self'
	press t g Down Enter
	shown 'line tree by total$'
	tm resize-window -x 100 -y 30
	press w a
	shown 'start  total'
	press q
	until_ gone 'line tree'
	press "strace -A -o calls tach-top -o kept.bin -- $python -c 'while True: pass'" Enter
	shown recording
	sleep 1.5
	press q
	until_ test -e kept.bin
	until_ gone recording
	found seccomp <calls
	absent ENOSYS <calls
}

@test "the view: ten thousand sizes" {
	view p.txt
	shown 'function by self'
	press t
	seq 10000 | awk '{ printf "resize-window -x %d -y %d\n", 1 + $1 * 37 % 200, 1 + $1 * 17 % 60 }' >sizes
	tm source-file "$PWD/sizes"
	tm resize-window -x 80 -y 24
	shown 'function tree by total' '^q quit'
	press q
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}

@test "the view: any key, and a signal ends it" {
	cp "$T/data/cpython315-wall.bin" wall.bin
	view wall.bin
	shown 'function by self'
	"$T/lib/fuzzed-keys" 3000 >keys
	tm source-file "$PWD/keys"
	press Escape Escape
	shown '^wall.bin  '
	kill -TERM "$(pgrep -f '^tach-top wall.bin')"
	until_ test -e ended
	is "$(cat ended)" 'ended 0'
}
