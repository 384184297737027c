# SPDX-License-Identifier: ISC
# tach-convert: options, output files, and each format against its peer.

load lib.bash

setup() {
	cd "$T/data"
}

# ---- formats ------------------------------------------------------------

# What `python3.15 -m profiling.sampling replay --collapsed` of CPython 3.15.0
# wrote of these files.
@test "--collapsed equals what CPython 3.15.0 wrote" {
	local sum name
	while read -r sum name; do
		is "$(tach-convert --collapsed "cpython315-$name.bin" |
		    sha256sum)" "$sum  -"
	done <<-END
	86d95dc40191cab285b1cc9a2beb4a4f138a390cfb5349f168bef8d9a9e20dad wall
	539100445ebae47450e9990cb24181accdc1043646ac85ca257af9e9d2612138 gil
	4364f9bf67f95bef4e7af6d18c0200ce2136da56deffd7232b86ada0623a092d opcodes
	0b973d48af90a1f76044666858275115f1f69f285e92fd3460ea46044f894ea8 none
	END
}

# On its own files, and on one of its writer's with what these lack: frames
# without a line, in files of the same name, of its launcher, and none at all;
# one thread in two interpreters.
@test "--collapsed equals what the CPython 3.15 at hand writes" {
	need_python 3.15
	local name
	cp cpython315-*.bin "$OUTSIDE"
	"${PYTHON[@]}" - "$INSIDE/odd.bin" <<-'END'
	import sys
	from _remote_debugging import (BinaryWriter, FrameInfo, InterpreterInfo,
	                               LocationInfo, ThreadInfo)
	def frame(file, func, line):
	    return FrameInfo((file, line and LocationInfo((line, line, -1, -1)),
	                      func, None))
	A = frame('/a/__init__.py', '<module>', 1)
	B = frame('/b/__init__.py', '<module>', 1)
	GC = frame('~', '<GC>', None)
	NONE = frame('/a/none.py', 'none', None)
	DIR = frame('/a/dir/', 'f', 3)
	EMPTY = frame('', 'empty', None)
	SYNC = frame('/x/_sync_coordinator.py', 'main', 9)
	STACKS = [[A], [GC, A], [B], [B, A], [], [A, SYNC], [SYNC], [NONE, DIR],
	          [EMPTY, A], [A, A, A], [frame('/é/ü.py', '日本', 12)],
	          [frame('/a/x.py', 'f', n) for n in range(1, 200)],
	          [frame('/a/x.py', 'f', 1)], [frame('/a/x.py', 'f', 12), A],
	          [frame('/a/x.py', 'f', 1), A], [A, frame('/a/x.py', 'f', 1)]]
	w = BinaryWriter(sys.argv[1], 1000, 0, compression=0)
	for n in range(100):
	    w.write_sample([InterpreterInfo((interp, [
	        ThreadInfo((thread, 0, STACKS[n * thread % len(STACKS)]))
	        for thread in (1, 7, 12)])) for interp in (0, 1)], n * 1000)
	w.finalize()
	END
	cp "$OUTSIDE/odd.bin" "$BATS_TEST_TMPDIR"
	for name in cpython315-{wall,gil,opcodes,none} odd; do
		"${PYTHON[@]}" -m profiling.sampling replay --collapsed \
		    -o "$INSIDE/$name.folded" "$INSIDE/$name.bin"
		diff "$OUTSIDE/$name.folded" \
		    <(tach-convert --collapsed "$OUTSIDE/$name.bin")
	done
	[ "$(wc -l <"$OUTSIDE/odd.folded")" -gt 20 ]
}

@test "--collapsed: every rare thing" {
	run -0 --separate-stderr tach-convert --collapsed odd.bin
	is "$stderr" ''
	golden collapsed-odd.txt
}

@test "--collapsed counts every sample that has frames" {
	local file
	for file in cpython315-*.bin; do
		is "$(tach-convert --collapsed "$file" |
		    awk '{ n += $NF } END { print n }')" \
		    "$(tach-cat "$file" | awk -F '\t' '
			$5 { n = split($5, f, ";")
			     own = 0
			     for (i in f) own += f[i] !~ /_sync_coordinator.py:/
			     total += own > 0 }
			END { print total }')"
	done
}

# ---- the command line ---------------------------------------------------

@test "--help lists the formats" {
	run -0 tach-convert --help
	is "${lines[0]}" "Usage: tach-convert --FORMAT [-o OUT] [FILE]"
	grep -Fx '      --collapsed   one line a distinct stack, with its number of samples' \
	    <<<"$output"
}

@test "no format" {
	run -2 --separate-stderr tach-convert odd.bin
	is "$output" ''
	is "$stderr" "tach-convert: no format: choose one, such as --collapsed
Try 'tach-convert --help'."
}

@test "two files" {
	run -2 --separate-stderr tach-convert --collapsed odd.bin odd.bin
	is "$output" ''
	is "$stderr" "tach-convert: one FILE at a time
Try 'tach-convert --help'."
}

@test "-o without a name" {
	run -2 --separate-stderr tach-convert --collapsed odd.bin -o
	is "$stderr" "tach-convert: option requires an argument -- 'o'
Try 'tach-convert --help'."
}

# ---- -o -----------------------------------------------------------------

@test "-o makes a file, with the mode that a new file gets" {
	local dir=$BATS_TEST_TMPDIR/dir out=$BATS_TEST_TMPDIR/dir/out
	mkdir "$dir"
	umask 027
	run -0 tach-convert --collapsed -o "$out" odd.bin
	is "$output" ''
	is "$(<"$out")" "$(tach-convert --collapsed odd.bin)"
	is "$(stat -c %a "$out")" 640
	is "$(ls -A "$dir")" out
	rm "$out"
	run -0 tach-convert --collapsed --output="$out" <odd.bin
	is "$(<"$out")" "$(tach-convert --collapsed odd.bin)"
}

@test "-o replaces a file and keeps its mode, also behind a symlink" {
	local dir=$BATS_TEST_TMPDIR
	mkdir "$dir/sub"
	echo old >"$dir/sub/out"
	chmod 604 "$dir/sub/out"
	ln -s sub/out "$dir/link"
	run -0 tach-convert --collapsed -o "$dir/link" odd.bin
	is "$output" ''
	[ -L "$dir/link" ]
	is "$(<"$dir/sub/out")" "$(tach-convert --collapsed odd.bin)"
	is "$(stat -c %a "$dir/sub/out")" 604
	is "$(ls -A "$dir/sub")" out
}

@test "-o - is standard output" {
	is "$(tach-convert --collapsed -o - odd.bin)" \
	    "$(tach-convert --collapsed odd.bin)"
}

@test "-o writes to what is no regular file directly" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	cat "$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/got" &
	run -0 tach-convert --collapsed -o "$BATS_TEST_TMPDIR/fifo" odd.bin
	wait $!
	is "$(<"$BATS_TEST_TMPDIR/got")" "$(tach-convert --collapsed odd.bin)"
	[ -p "$BATS_TEST_TMPDIR/fifo" ]
}

@test "-o may name the input" {
	local want
	want=$(tach-convert --collapsed cpython315-wall.bin)
	cp cpython315-wall.bin "$BATS_TEST_TMPDIR/p"
	run -0 tach-convert --collapsed -o "$BATS_TEST_TMPDIR/p" \
	    "$BATS_TEST_TMPDIR/p"
	is "$(<"$BATS_TEST_TMPDIR/p")" "$want"
}

@test "-o leaves an older file alone if the input cannot be read" {
	local dir=$BATS_TEST_TMPDIR/dir
	mkdir "$dir"
	echo old >"$dir/out"
	run -1 --separate-stderr tach-convert --collapsed -o "$dir/out" nosuch.bin
	is "$stderr" "tach-convert: nosuch.bin: No such file or directory"
	is "$(<"$dir/out")" old
	is "$(ls -A "$dir")" out
}

@test "-o leaves an older file alone, and nothing new, if writing fails" {
	local dir=$BATS_TEST_TMPDIR/small
	mkdir "$dir"
	mount -t tmpfs -o size=16k tach-test "$dir" 2>/dev/null ||
	    skip "cannot mount a tmpfs here"
	echo old >"$dir/out"
	run -1 --separate-stderr tach-convert --collapsed -o "$dir/out" \
	    cpython315-wall.bin
	local files old
	files=$(ls "$dir")
	old=$(<"$dir/out")
	umount "$dir"
	is "$stderr" "tach-convert: $dir/out: No space left on device"
	is "$files" out
	is "$old" old
}

@test "-o where nothing can be written" {
	run -1 --separate-stderr tach-convert --collapsed \
	    -o /nonexistent/out odd.bin
	is "$stderr" "tach-convert: /nonexistent/out: No such file or directory"
	run -1 --separate-stderr tach-convert --collapsed \
	    -o "$BATS_TEST_TMPDIR" odd.bin
	is "$stderr" "tach-convert: $BATS_TEST_TMPDIR: Is a directory"
}

@test "a signal at any moment leaves nothing behind" {
	echo old >"$BATS_TEST_TMPDIR/out"
	python3 - "$BATS_TEST_TMPDIR/out" <<-'END'
	import glob, signal, subprocess, sys, time
	out = sys.argv[1]
	for attempt in range(300):
	    p = subprocess.Popen(['tach-convert', '--collapsed', '-o', out,
	                          'cpython315-wall.bin'])
	    time.sleep(attempt * 0.00002)
	    p.send_signal(signal.SIGTERM)
	    p.wait()
	    assert p.returncode in (0, -signal.SIGTERM), p.returncode
	    assert glob.glob(out + '.*') == [], attempt
	    data = open(out, 'rb').read()
	    assert data == b'old\n' or len(data) == 52320, attempt
	END
}
