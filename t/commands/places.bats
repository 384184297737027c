# SPDX-License-Identifier: ISC
# places.bats: where the outputs of all commands go, by one set of rules: who
# can read them, what they replace, and what they never are.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	cp "$T/data/cpython315-wall.bin" in.bin
}

# outputs COMMAND...: for each command that has an output, with that and its
# arguments behind: what comes before the output's name, and what comes after.
each_output() {
	"$@" tach-merge -o -- in.bin
	"$@" tach-convert --tach -o -- in.bin
	"$@" tach-convert --collapsed -o -- in.bin
	"$@" tach-convert --gperftools --symbols other -o -- in.bin
	"$@" tach-record -q -o -- -- true
}

# to NAME COMMAND... -o -- ARGUMENT...: the command with that output; makes it
# $NAME.
to() {
	local out=$1 before=()
	shift
	while [ "$1" != -- ]; do
		before+=("$1")
		shift
	done
	shift
	COMMAND=${before[0]}
	run --separate-stderr "${before[@]}" "$out" "$@"
}

# ---- modes --------------------------------------------------------------------

new_mode() {
	[ "$1" != tach-record ] || return 0 # it has tests of its own
	rm -rf new other
	umask 0
	to new "$@"
	is "$status $stderr" '0 '
	is "$(stat -c %a new)" 600
	[ ! -e other ] || is "$(stat -c %a other)" 600
	umask 277
	rm new
	to new "$@"
	is "$(stat -c %a new)" 400
	umask 022
}

@test "a new file is for its owner alone, less the umask" {
	each_output new_mode
	umask 0
	tach-convert --heatmap -o folder in.bin
	is "$(stat -c %a folder)" 700
}

same_mode() {
	[ "$1" != tach-record ] || return 0
	echo old >old
	chmod 640 old
	to old "$@"
	is "$status $stderr" '0 '
	is "$(stat -c %a old)" 640
	[ "$(head -c 3 old)" != old ]
	rm -f other
}

@test "an older file leaves its mode" {
	each_output same_mode
	mkdir -m 755 folder
	tach-convert --heatmap -o folder in.bin
	is "$(stat -c %a folder)" 755
	[ -e folder/index.html ]
	host_python
	echo old >p.bin
	chmod 640 p.bin
	tach-record -q -o p.bin -- "$python" -c 'sum(range(10**6))'
	is "$(stat -c %a p.bin)" 640
}

another_mode() {
	echo old >old
	chown nobody old
	chmod 666 old
	to old "$@"
	[ "$COMMAND" = tach-record ] || is "$(stat -c '%a %U' old)" '600 root'
	rm -f other old
}

@test "another's file leaves none" {
	need_root
	each_output another_mode
}

@test "a file that may not be written to is not replaced" {
	[ "$(id -u)" -ne 0 ] || need setpriv util-linux
	as=()
	[ "$(id -u)" -ne 0 ] || {
		as=(setpriv --bounding-set=-dac_override --inh-caps=-dac_override)
	}
	echo old >old
	chmod 400 old
	for args in 'tach-merge -o old in.bin' 'tach-convert --csv -o old in.bin'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "${as[@]}" $args
		is "$stderr" "${args%% *}: old: Permission denied"
	done
	run -125 --separate-stderr "${as[@]}" tach-record -o old -- touch started
	is "$stderr" 'tach-record: old: cannot write: Permission denied'
	is "$(<old) $(ls)" $'old in.bin\nold'
}

# ---- what is there ---------------------------------------------------------------

LINK='it is a symbolic link, which is not followed: name the file itself'

# refused NAME WHY COMMAND...: that output, and there is nothing new.
refused() {
	local name=$1 why=$2 before
	before=$(ls -lR)
	shift 2
	to "$name" "$@"
	[ "$status" -ne 0 ]
	is "${stderr/cannot write: }" "$COMMAND: $name: $why"
	is "$output" ''
	is "$(ls -lR)" "$before"
}

@test "a link is not followed, wherever it leads" {
	echo mine >target
	mkdir empty
	ln -s target link
	ln -s nothing dangling
	ln -s empty folder
	each_output refused link "$LINK"
	each_output refused dangling "$LINK"
	refused folder "$LINK" tach-convert --heatmap -o -- in.bin
	refused dangling "$LINK" tach-convert --heatmap -o -- in.bin
	refused link "$LINK" tach-convert --gperftools -o x --symbols -- in.bin
	is "$(<target)" mine
}

@test "what somebody else has put into a shared folder" {
	need_root
	mkdir -m 1777 shared
	echo theirs >shared/file
	mkdir shared/folder
	chown nobody shared/*
	each_output refused shared/file \
	    "it is somebody else's file in a shared directory: choose another name"
	refused shared/folder \
	    "it is somebody else's directory in a shared directory: choose another name" \
	    tach-convert --heatmap -o -- in.bin
	is "$(<shared/file)" theirs
	mkfifo pipe
	chown nobody pipe
	each_output refused pipe "it is somebody else's pipe: choose another name"
}

@test "a folder in place of a file, a file in place of a folder" {
	mkdir folder
	echo >file
	each_output refused folder 'Is a directory'
	each_output refused folder/ 'Is a directory'
	each_output refused new/ 'Is a directory'
	refused file 'Not a directory' tach-convert --heatmap -o -- in.bin
	each_output refused file/x 'Not a directory'
	each_output refused no/x 'No such file or directory'
	echo >folder/x
	refused folder 'is not empty: name a new directory' \
	    tach-convert --heatmap -o -- in.bin
}

direct() {
	[ "$1" != tach-record ] || return 0
	local plain
	to plain "$@"
	# shellcheck disable=SC2016
	run -0 --separate-stderr bash -c '"$@" /dev/stdout in.bin | cmp - plain' \
	    - "${@:1:$#-2}"
	run -0 --separate-stderr bash -c '"$@" >(cat >got) in.bin; wait $!' \
	    - "${@:1:$#-2}"
	until_ cmp -s got plain
	rm -f other
}

@test "a name for a descriptor that we have is no link" {
	each_output direct
	host_python
	run -0 --separate-stderr bash -c '"$@" | tach-info --verify' - \
	    tach-record -q -o /dev/stdout -- "$python" -c 'sum(range(10**7))'
}

@test "a folder that becomes another one while something is written" {
	mkdir theirs mine
	mkfifo feed
	start tach-convert --collapsed -o theirs/out feed
	exec {to}>feed
	tach-cat -l in.bin >&$to
	until_ compgen -G 'theirs/out.*' >/dev/null
	mv theirs moved
	ln -s mine theirs
	exec {to}>&-
	wait "$pid"
	is "$(ls mine)" ''
	is "$(ls moved)" out
}

@test "a folder that could not be opened is removed again" {
	local said=()
	for files in {3..9}; do
		run --separate-stderr bash -c "ulimit -n $files
		    tach-convert --heatmap --source no -o folder in.bin || exit 1"
		[ "$status" -eq 0 ] || is "$(ls)" in.bin
		said+=("$stderr")
		rm -rf folder
	done
	[[ " ${said[*]} " == *' tach-convert: folder: Too many open files '* ]]
}

# ---- what is one thing -------------------------------------------------------------

INPUT='it is an input, too: choose another name'

onto_input() {
	[ "$1" != tach-record ] || return 0
	refused in.bin "$INPUT" "$@"
	refused hard.bin "$INPUT" "$@"
	refused ./in.bin "$INPUT" "$@"
}

@test "an output is no input, by whatever name" {
	cp in.bin before.bin
	ln in.bin hard.bin
	ln -s in.bin soft.bin
	each_output onto_input
	refused in.bin "$INPUT" tach-merge -o -- soft.bin
	refused in.bin "$INPUT" tach-merge -o -- "$T/data/odd.bin" hard.bin
	cp "$T/data/odd.bin" base.bin
	refused base.bin "$INPUT" tach-convert --flamegraph --diff base.bin -o -- \
	    in.bin
	refused in.bin "$INPUT" tach-convert --gperftools -o new --symbols -- in.bin
	echo in.bin >list
	refused list "$INPUT" tach-merge --files-from list -o --
	# Standard input, and standard output.
	run -1 --separate-stderr bash -c 'tach-merge -o in.bin <hard.bin'
	is "$stderr" "tach-merge: in.bin: $INPUT"
	for command in tach-cat 'tach-convert --collapsed' tach-merge; do
		# shellcheck disable=SC2016
		run -1 --separate-stderr bash -c '$0 hard.bin >>in.bin' "$command"
		is "$stderr" "${command%% *}: standard output: it is an input, too: choose another file"
	done
	cmp in.bin before.bin
	# What is not finished yet may get its own name.
	cp in.bin r.bin.part
	tach-merge -o r.bin r.bin
	"$T/lib/truth.py" sound r.bin
	cp in.bin r.bin.part
	run -1 --separate-stderr tach-merge -o r.bin.part r.bin
	is "${stderr##*$'\n'}" "tach-merge: r.bin.part: $INPUT"
	cmp in.bin r.bin.part
	for journal in r.bin.part.journal r.bin.part.names; do
		echo kept >"$journal"
		run -1 --separate-stderr tach-merge -o "$journal" r.bin
		is "${stderr##*$'\n'}" "tach-merge: $journal: $INPUT"
		is "$(cat "$journal")" kept
	done
}

@test "two outputs are not one file" {
	local why='it is another output, too: choose another name'
	refused_second() {
		run -1 --separate-stderr tach-convert --gperftools -o "$1" \
		    --symbols "$2" in.bin
		is "$stderr" "tach-convert: $2: $why"
	}
	refused_second new new
	refused_second new ./new
	refused_second new "$PWD/new"
	echo old >old
	ln old hard
	refused_second old old
	refused_second old hard
	is "$(cat old) $(ls)" $'old hard\nin.bin\nold'
	tach-convert --gperftools -o one --symbols two in.bin
	tach-convert --gperftools -o /dev/null --symbols /dev/null in.bin
}

# ---- what is left ------------------------------------------------------------------

@test "nothing is left where a signal ends it" {
	mkfifo feed
	for args in '--collapsed' '--heatmap' '--gperftools --symbols s'; do
		# shellcheck disable=SC2086
		start env --default-signal=INT,TERM tach-convert $args -o out feed
		exec {to}>feed
		tach-cat -l in.bin >&$to
		until_ compgen -G 'out.*' >/dev/null
		kill -INT "$pid"
		kill -TERM "$pid" || :
		exec {to}>&-
		status=0
		wait "$pid" || status=$?
		[[ $status = 130 || $status = 143 ]]
		is "$(ls)" $'feed\nin.bin'
	done
}
