# SPDX-License-Identifier: ISC
# shared-folder.bats: what root records to a folder that somebody else can write to:
# nothing that was planted there is followed, written to or waited for.

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

@test "links in place of the unfinished profile and its names" {
	ln -s "$PWD/mine/file" theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
	rm theirs/p.bin.part
	ln -s "$PWD/mine/new" theirs/p.bin.part
	refused theirs/p.bin 'choose another name'
	rm theirs/p.bin.part
	ln -s "$PWD/mine/file" theirs/p.bin.part.names
	tach-record -q -o theirs/p.bin -- "$python" -c pass
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
	tach-record -q -o theirs/p.bin -- "$python" -c pass
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
	echo ours >mine/p.bin.part.names
	wait "$pid"
	is "$(cat mine/p.bin mine/p.bin.part mine/p.bin.part.names)" \
	    $'ours\nours\nours'
	is "$(ls theirs/other)" p.bin
	"$T/lib/truth.py" sound theirs/other/p.bin
}

@test "nobody else can read it, whatever the umask" {
	(umask 0 && tach-record -q -o theirs/p.bin -- "$python" -c pass)
	is "$(stat -c '%a %U' theirs/p.bin)" '600 root'
	(umask 0 && tach-record -q --subprocesses -o theirs/q.bin -- \
	    "$python" -c 'import time; time.sleep(0.1)')
	is "$(stat -c '%a %U' theirs/q.*.bin)" '600 root'
}
