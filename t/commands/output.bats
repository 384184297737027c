# SPDX-License-Identifier: ISC
# output.bats: what root records to a directory that somebody else can write to:
# nothing that was planted there is followed, written to or waited for.  Then each
# output of each command by each rule of cmd/place.h and cmd/output.h.

load ../lib/lib.bash

setup() {
	need_root
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	mkdir theirs mine
	chown nobody theirs
	echo secret >mine/file
	host_python
}

teardown() {
	end_started
	! mountpoint -q full || umount full
	drop_shared
}

# refused NAME TEXT: nothing is started, and nothing of ours has changed.
refused() {
	run -125 --separate-stderr timeout 60 tach-record -o "$1" -- \
	    touch started
	# shellcheck disable=SC2154
	[[ "$stderr" == *"$2"* ]]
	[ ! -e started ]
	is "$(cat mine/file) $(ls mine)" 'secret file'
}

@test "links in place of the unfinished profile and its journal" {
	ln -s "$PWD/mine/file" theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
	rm theirs/p.bin.part
	ln -s "$PWD/mine/new" theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
	rm theirs/p.bin.part
	ln -s "$PWD/mine/file" theirs/p.bin.part.journal
	tach-record -q -o theirs/p.bin -- "$python" -c 'sum(range(10**7))'
	is "$(cat mine/file) $(ls mine) $(ls theirs)" 'secret file p.bin'
}

@test "another's files and pipes in place of the unfinished profile" {
	echo theirs >theirs/p.bin.part
	chown nobody theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
	is "$(cat theirs/p.bin.part)" theirs
	rm theirs/p.bin.part
	mkfifo theirs/p.bin.part
	chown nobody theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
}

@test "another's pipe in place of the profile" {
	mkfifo theirs/p.bin
	chown nobody theirs/p.bin
	refused theirs/p.bin "somebody else's pipe"
}

@test "a hard link to a file of ours is replaced, not written to" {
	ln mine/file theirs/p.bin
	tach-record -q -o theirs/p.bin -- "$python" -c 'sum(range(10**7))'
	"$T/lib/truth.py" sound theirs/p.bin || tach-info theirs/p.bin
	is "$(cat mine/file)" secret
}

@test "a folder that becomes a link while it is recorded" {
	mkdir theirs/folder
	start tach-record -q -o theirs/folder/p.bin -- "$python" \
	    "$T/programs/ticks.py" 1.5
	until_ test -e theirs/folder/p.bin.part
	mv theirs/folder theirs/other
	ln -s "$PWD/mine" theirs/folder
	echo ours >mine/p.bin
	echo ours >mine/p.bin.part
	echo ours >mine/p.bin.part.journal
	wait "$pid"
	is "$(cat mine/p.bin mine/p.bin.part mine/p.bin.part.journal)" \
	    $'ours\nours\nours'
	is "$(ls theirs/other)" p.bin
	"$T/lib/truth.py" sound theirs/other/p.bin
}

@test "nobody else can read it, whatever the umask" {
	(umask 0 && tach-record -q -o theirs/p.bin -- "$python" -c 'sum(range(10**7))')
	is "$(stat -c '%a %U' theirs/p.bin)" '600 root'
	(umask 0 && tach-record -q --subprocesses -o theirs/q.bin -- \
	    "$python" -c 'import time; time.sleep(0.1)')
	is "$(stat -c '%a %U' theirs/q.*.bin)" '600 root'
}

# ---- each output, by each rule ----------------------------------------------------

# table: an output a line: its name, its kind, and the command.  OUT is the output,
# IN the input, RUN the program.
table() {
	cat <<-END
	format file tach-convert --collapsed -o OUT IN
	pages directory tach-convert --heatmap --source no -o OUT IN
	copy file tach-convert --tach -o OUT IN
	merge file tach-merge -o OUT IN
	names file tach-convert --gperftools -o /dev/null --symbols OUT IN
	recording file tach-record -q -o OUT -- RUN
	lines file tach-record -q --text -o OUT -- RUN
	family file tach-record -q --merge -o OUT -- RUN
	END
}

# each COMMAND...: does that for each line, as KIND and WORDS, in a directory of its own.
each() {
	local name words rows
	rows=$(table)
	IN=$T/data/cpython315-wall.bin
	RUN=("$python" -c 'sum(range(10**7))')
	while read -r name KIND words; do
		read -ra WORDS <<<"$words"
		mkdir "$name"
		cd "$name" || return
		echo "# $name"
		"$@" </dev/null
		cd ..
	done <<<"$rows"
}

# fill_in OUT: the line's command, with that output, as COMMAND.
fill_in() {
	local word
	COMMAND=()
	for word in "${WORDS[@]}"; do
		case $word in
		OUT) COMMAND+=("$1") ;;
		IN) COMMAND+=("$IN") ;;
		RUN) COMMAND+=("${RUN[@]}") ;;
		*) COMMAND+=("$word") ;;
		esac
	done
}

# refuses OUT WHY: the line's command does, and all is as before.
refuses() {
	local before
	before=$(ls -lR)
	fill_in "$1"
	run --separate-stderr timeout 60 "${COMMAND[@]}"
	[ "$status" -ne 0 ]
	is "${stderr/cannot write: }" "${COMMAND[0]}: $1: $2"
	is "$(ls -lR)" "$before"
}

links_out() {
	local why='it is a symbolic link, which is not followed: name the file itself'
	echo mine >target
	mkdir empty
	ln -s target to-file
	ln -s empty to-directory
	ln -s nothing dangling
	refuses to-file "$why"
	refuses to-directory "$why"
	refuses dangling "$why"
	is "$(cat target)" mine
}

@test "no output follows a link" {
	each links_out
}

anothers_out() {
	mkdir -m 1777 shared
	[ "$KIND" = file ] || mkdir shared/out
	[ "$KIND" = directory ] || echo theirs >shared/out
	chown nobody shared/out
	refuses shared/out \
	    "it is somebody else's $KIND in a shared directory: choose another name"
}

@test "no output replaces what somebody else has put into a shared directory" {
	each anothers_out
}

another_kind() {
	if [ "$KIND" = file ]; then
		mkdir out
		refuses out 'Is a directory'
	else
		echo >out
		refuses out 'Not a directory'
	fi
}

@test "no output replaces another kind of thing" {
	each another_kind
}

private() {
	local mode=600
	[ "$KIND" = file ] || mode=700
	fill_in out
	run -0 --separate-stderr "${COMMAND[@]}"
	is "$stderr" ''
	is "$(stat -c '%a %U' out) $(ls)" "$mode root out"
	rm -r out
}

@test "each output is for its owner alone, whatever the umask" {
	umask 0
	each private
}

# The input never ends, and the program is no Python.
ended_out() {
	local status=0
	IN=feed RUN=(sleep 60)
	mkfifo feed
	fill_in out
	start env --default-signal=TERM "${COMMAND[@]}"
	case ${COMMAND[0]} in
	tach-record) until_ test -e out.part ;;
	*)
		exec {to}>feed
		tach-cat -l "$T/data/cpython315-wall.bin" >&$to
		until_ compgen -G 'out.*' >/dev/null
		;;
	esac
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "${COMMAND[0]}" = tach-record ] || exec {to}>&-
	is "$status $(ls)" '143 feed'
}

@test "no output leaves anything if a signal ends it" {
	each ended_out
}

full_out() {
	fill_in ../full/out
	run --separate-stderr timeout 60 "${COMMAND[@]}"
	[ "$status" -ne 0 ]
	[[ $stderr = *'No space left on device'* ]]
	is "$(ls -A ../full)" fill
}

@test "no output leaves anything on a full disk" {
	mkdir full
	mount -t tmpfs -o size=4k tach full 2>/dev/null ||
	    skip "no tmpfs can be mounted here"
	head -c 4096 /dev/zero >full/fill
	each full_out
	umount full
}
