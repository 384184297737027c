# SPDX-License-Identifier: ISC
# What all commands that read profiles do alike.

load ../lib/lib.bash

setup() {
	cd "$T/data"
	P=cpython315-wall.bin
}

# Each of them, as it is called where it would read a file.
each() {
	local command
	for command in tach-info tach-cat 'tach-convert --collapsed' tach-top; do
		NAME=${command%% *}
		echo "# $command"
		"$@" $command
	done
}

version() {
	run -0 --separate-stderr "$1" --version
	is "$output" "$1 $VERSION"
	is "$stderr" ''
	run -0 --separate-stderr "$1" -V
	is "$output" "$1 $VERSION"
}

@test "--version and -V print the name and the version" {
	each version
}

help() {
	run -0 --separate-stderr "$1" --help
	if [ "$1" = tach-convert ]; then
		[[ ${lines[0]} = 'Usage: tach-convert '* ]]
	else
		is "${lines[0]%% \[*}" "Usage: $*"
	fi
	is "$stderr" ''
	local long=$output
	run -0 "$1" -h
	is "$output" "$long"
	# Nothing is wider than a terminal.
	absent -E '.{80}' <<<"$output"
}

@test "--help and -h print the usage, on lines below 80 columns" {
	each help
}

usage_error() {
	run -2 --separate-stderr "$1" --nonsense
	is "$output" ''
	is "$stderr" "$1: unrecognized option '--nonsense'
Try '$1 --help'."
	run -2 --separate-stderr "$1" -Z
	is "$output" ''
	is "$stderr" "$1: invalid option -- 'Z'
Try '$1 --help'."
}

@test "an option that does not exist is told, with status 2" {
	each usage_error
}

@test "messages bear the command's name, however it was called" {
	ln -s "$(command -v tach-info)" "$BATS_TEST_TMPDIR/other"
	run -2 --separate-stderr "$BATS_TEST_TMPDIR/other" --nonsense
	is "$stderr" "tach-info: unrecognized option '--nonsense'
Try 'tach-info --help'."
}

stdin_terminal() {
	run -0 script -qec "$*; echo \$?" /dev/null </dev/null
	is "${output//$'\r'/}" \
	    "$NAME: no FILE, and standard input is a terminal
Try '$NAME --help'.
2"
}

@test "a terminal is no input" {
	need script bsdutils
	each stdin_terminal
}

stdin_forms() {
	local want
	want=$("$@" $P | sed "s/$P/standard input/")
	[ -n "$want" ]
	is "$("$@" <$P)" "$want"
	is "$("$@" - <$P)" "$want"
	is "$(cat $P | "$@")" "$want"
	is "$(cat $P | "$@" -)" "$want"
}

@test "standard input is read, redirected or from a pipe, by - or by nothing" {
	each stdin_forms
}

no_file() {
	run -1 --separate-stderr "$@" nosuch.bin
	is "$output" ''
	is "$stderr" "$NAME: nosuch.bin: No such file or directory"
}

@test "a file that is not there is told, with status 1" {
	each no_file
}

no_profile() {
	run -1 --separate-stderr "$@" <<<'hello'
	is "$output" ''
	is "$stderr" \
	    "$NAME: standard input: not a TACH profile (it begins with \"hello\\n\")"
	run -1 --separate-stderr "$@" /dev/null
	is "$output" ''
	is "$stderr" "$NAME: /dev/null: the file is empty"
}

@test "an input that is no profile is told by its first bytes" {
	each no_profile
}

disk_full() {
	run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$@" $P
	is "$output" ''
	is "$stderr" "$NAME: standard output: No space left on device"
	run -1 --separate-stderr bash -c '"$@" --help >/dev/full' - "$@"
	is "$stderr" "$NAME: standard output: No space left on device"
}

@test "a full disk is told" {
	[ -c /dev/full ] || skip "no /dev/full here"
	each disk_full
}

closed() {
	run -1 --separate-stderr bash -c '"$@" >&-' - "$@" $P
	is "$stderr" "$NAME: standard output: Bad file descriptor"
}

@test "a standard output that is closed is told" {
	each closed
}

pipe_status() {
	local to=$BATS_TEST_TMPDIR/status
	run -0 --separate-stderr bash -c '
	    { sleep .2; "$@"; echo $? >"$0"; } | true' "$to" "$@" $P
	is "$output" ''
	is "$stderr" ''
	is "$(<"$to")" 141
	# The same where the parent ignores SIGPIPE.
	run -0 --separate-stderr bash -c '
	    trap "" PIPE
	    { sleep .2; "$@"; echo $? >"$0"; } | true' "$to" "$@" $P
	is "$stderr" ''
	is "$(<"$to")" 141
}

@test "a reader that goes away is no error" {
	each pipe_status
}

# A file whose seventh record has an encoding that does not exist: what came
# before is kept, the message comes after it, and the next file is read.
@test "a damaged file is told, and the others are read" {
	local bad=$BATS_TEST_TMPDIR/bad.bin want
	local why="$bad: byte 189: encoding 9 of a record is not known"
	python3 - odd.bin "$bad" <<-'END'
	import sys
	data = bytearray(open(sys.argv[1], 'rb').read())
	seventh = data.index((2**64 - 1).to_bytes(8, 'little') + bytes(4) +
	                   b'\1\1\4')
	data[seventh + 12] = 9 # at byte 189
	open(sys.argv[2], 'wb').write(data)
	END
	want=$(tach-cat odd.bin | sed -n 1,6p; tach-cat odd.bin)
	run -1 --separate-stderr tach-cat "$bad" nosuch.bin odd.bin
	is "$output" "$want"
	is "$stderr" "tach-cat: $why
tach-cat: nosuch.bin: No such file or directory"

	# Order on a terminal, where both are one.
	run -1 bash -c 'tach-cat "$1" 2>&1 | cut -c 1-9; exit ${PIPESTATUS[0]}' \
	    - "$bad"
	is "${lines[6]}" "tach-cat:"

	run -1 --separate-stderr tach-convert --collapsed "$bad"
	is "$output" "$(printf '%s\n' \
	    'tid:7;app.py:main:12 3' \
	    "$(tach-convert --collapsed odd.bin | grep -a surrogate)" \
	    'tid:7;<no frames> 1' 'tid:7;app.py:main:12;<GC> 1')"
	is "$stderr" "tach-convert: $why"

	# The head is sound; only who decodes sees the damage.
	run -0 --separate-stderr tach-info "$bad"
	is "$output" "$(tach-info odd.bin | sed "s,odd.bin,$bad,")"
	run -1 --separate-stderr tach-info --stats "$bad"
	grep '^decoded-samples: *6$' <<<"$output"
	is "$stderr" "tach-info: $why"
	run -1 --separate-stderr tach-info --stats --json "$bad"
	is "${stderr#"tach-info: $bad: "}" \
	    "$(python3 -c 'import json; print(json.loads(input())["error"])' \
		<<<"$output")"
}
