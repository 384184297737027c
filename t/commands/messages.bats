# SPDX-License-Identifier: ISC
# messages.bats: what commands say.  A message is one line, of which a terminal
# obeys nothing, wherever it comes from; and it says what to do.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	cp "$T/data/cpython315-wall.bin" in.bin
	# A line break, an escape, a C1 control character, and a byte that is no
	# character.
	ODD=$'a\nb\e[31mc\u009bd\xff'
}

teardown() {
	end_started
	drop_shared
}

# harmless N COMMAND...: what it says are N lines, each from its name on, and
# with the odd name in one of them, escaped.
harmless() {
	local n=$1
	shift
	"$@" >/dev/null 2>said || :
	is "$(wc -l <said)" "$n"
	run -1 env LC_ALL=C grep -a $'[\x01-\x08\x0b-\x1f\x7f]' said
	iconv -f UTF-8 -t UTF-8 said >/dev/null
	grep -qF 'a\012b\033[31mc\302\233d\377' said
	run -1 grep -vE "^($1: |Try '$1 --help'.$)" said
}

@test "names of files are escaped" {
	local command
	for command in tach-info tach-cat 'tach-convert --csv' tach-merge; do
		# shellcheck disable=SC2086
		harmless 1 $command "$ODD"
	done
	echo "$ODD" >list
	harmless 1 tach-merge --files-from "$ODD"
	head -c 3000 in.bin >"$ODD"
	harmless 1 tach-info "$ODD"
	mkdir "x$ODD"
	harmless 1 tach-convert --csv -o "x$ODD" in.bin
	harmless 1 tach-record -o "x$ODD" -- true
	harmless 1 tach-record -- "/no/$ODD"
}

@test "tach-info names the file, harmlessly as well" {
	cp in.bin "$ODD"
	is "$(tach-info "$ODD" | head -n 1)" \
	    'file:              a\012b\033[31mc\302\233d\377'
	is "$(tach-info --stats "$ODD" | wc -l)" "$(tach-info --stats in.bin | wc -l)"
	[[ $(tach-info --verify "$ODD") = 'a\012b\033[31mc\302\233d\377: ok, '* ]]
}

@test "what turns writing around is escaped" {
	tach-info $'a\u202eb\u2066c\u200ed\u2028e' 2>said || :
	is "$(<said)" 'tach-info: a\342\200\256b\342\201\246c\342\200\216d\342\200\250e: No such file or directory'
}

@test "arguments are escaped" {
	local command
	for command in tach-info tach-cat tach-convert tach-merge tach-record; do
		harmless 2 "$command" "--$ODD"
	done
	for command in tach-cat 'tach-convert --csv' tach-merge; do
		for option in --status --since --until --interp --match; do
			# shellcheck disable=SC2086
			harmless 2 $command $option "($ODD" in.bin
		done
	done
	harmless 2 tach-convert --weight "$ODD" in.bin
	harmless 2 tach-convert --tach --layout "$ODD" in.bin
	harmless 2 tach-convert --tach --level "$ODD" in.bin
	harmless 2 tach-merge --align "$ODD" in.bin
	harmless 2 tach-record -r "$ODD" true
	harmless 2 tach-record -d "$ODD" true
	harmless 2 tach-record -p "$ODD"
	harmless 2 tach-record --mode "$ODD" true
}

@test "an option of one letter is escaped" {
	local c
	for c in $'\n' $'\e' $'\x9b'; do
		tach-info "-$c" 2>said || :
		is "$(wc -l <said)" 2
		run -1 env LC_ALL=C grep -a $'[\x01-\x08\x0b-\x1f\x7f-\xff]' said
	done
}

@test "getopt_long's messages are as they are elsewhere" {
	run -2 --separate-stderr tach-info --nonsense
	is "${stderr%%$'\n'*}" "tach-info: unrecognized option '--nonsense'"
	run -2 --separate-stderr tach-cat --not in.bin
	is "${stderr%%$'\n'*}" "tach-cat: option '--not' is ambiguous; possibilities: '--not-thread' '--not-interp' '--not-status' '--not-match'"
	run -2 --separate-stderr tach-cat --match
	is "${stderr%%$'\n'*}" "tach-cat: option '--match' requires an argument"
	run -2 --separate-stderr tach-cat --long=x in.bin
	is "${stderr%%$'\n'*}" "tach-cat: option '--long' doesn't allow an argument"
	run -2 --separate-stderr tach-cat -Z in.bin
	is "${stderr%%$'\n'*}" "tach-cat: invalid option -- 'Z'"
}

@test "a backslash in a message stays one" {
	run -1 --separate-stderr tach-info 'no\such'
	is "$stderr" 'tach-info: no\such: No such file or directory'
	run -1 --separate-stderr tach-info <<<$'\e[31m'
	is "$stderr" 'tach-info: standard input: not a TACH profile (it begins with "\033[31m\n")'
}

@test "the name of a process is escaped" {
	cp "$(command -v sleep)" $'a\nb\e[31mc'
	start ./$'a\nb\e[31mc' 90
	until_ grep -qz 90 "/proc/$pid/cmdline"
	run -125 --separate-stderr tach-record -p "$pid"
	is "$stderr" "tach-record: process $pid (a\\012b\\033[31mc) is not a running Python: give the PID of a Python 3.6 to 3.15"
}

# ---- what to do ---------------------------------------------------------------

# hint COMMAND...: a Python that comes from a command.
hint() {
	run ! --separate-stderr tach-record -q -o p.bin -- "$@"
	[[ $stderr = "tach-record: nothing was recorded: "*--subprocesses* ]]
	is "$(wc -l <<<"$stderr")" 1
	[ ! -e p.bin ]
}

@test "for a command that is no Python, but starts one, --subprocesses is named" {
	host_python
	hint timeout 20 "$python" -c 'import time; time.sleep(0.5)'
	[[ $stderr = *": timeout was no Python, but process "*", which came from it, was one: --subprocesses records such processes, too" ]]
	hint sh -c '"$0" -c "import time; time.sleep(0.5)"; true' "$python"
	hint setsid -f "$python" -c 'pass'
	is "$stderr" 'tach-record: nothing was recorded: no Python was seen in setsid before it ended; --subprocesses records one that it starts, --native a program without Python'
	need_root
	hint unshare -f "$python" -c 'import time; time.sleep(0.5)'
}

@test "-p and the number of a thread" {
	host_python
	start "$python" -c '
import threading, time
threading.Thread(target=time.sleep, args=(90,)).start()
print("ready", flush=True)' >out
	until_ grep -q ready out
	local tid
	tid=$(ls "/proc/$pid/task" | tail -n 1)
	[ "$tid" != "$pid" ]
	for option in -q --dump; do
		run -125 --separate-stderr tach-record "$option" -p "$tid"
		is "$stderr" "tach-record: $tid is a thread of process $pid ($(cat "/proc/$pid/comm")): give the PID $pid"
	done
	run -125 --separate-stderr tach-record -p 4194304
	is "$stderr" 'tach-record: no such process: 4194304'
}

@test "-p and a thread of the kernel" {
	local pid
	pid=$(pgrep -x kthreadd) || skip "no kthreadd is seen here"
	run -125 --separate-stderr tach-record -p "$pid"
	is "$stderr" "tach-record: process $pid (kthreadd) is a thread of the kernel: give the PID of a Python 3.6 to 3.15"
}
