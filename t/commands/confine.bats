# SPDX-License-Identifier: ISC
# confine.bats: a command that reads files can do no more than that while it
# reads them; t/unit/test_confine tries what it cannot.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	W=$T/data/cpython315-wall.bin
	"$TACH_BUILDDIR/t/unit/test_confine" >said || [ $? -ne 77 ] ||
	    skip "$(<said)"
}

teardown() {
	end_started
	drop_shared
}

# reading COMMAND...: /proc/PID/status of that command, which reads a pipe.
reading() {
	mkfifo feed
	start "$@" feed
	exec {to}>feed
	printf '# tach 1\n' >&$to
	until_ grep -q '^Seccomp:.2$' "/proc/$pid/status"
	grep -q '^NoNewPrivs:.1$' "/proc/$pid/status"
	grep -q '^Threads:.1$' "/proc/$pid/status"
	kill -0 "$pid"
	exec {to}>&-
	wait "$pid"
	rm -rf feed out names
}

@test "each of them has given up the rest while it reads" {
	reading tach-info
	reading tach-info --stats
	reading tach-cat
	reading tach-cat -f
	reading tach-convert --collapsed
	reading tach-convert --tach -o out
	reading tach-convert --heatmap -o out
	reading tach-convert --gperftools -o out --symbols names
	reading tach-merge -o out "$W"
}

@test "nobody is asked for what was given up" {
	need strace
	strace -f -o calls -e trace=all tach-merge -o m.bin "$W" "$W" ||
	    skip "nothing can be traced here"
	for args in 'tach-cat -l' 'tach-info --stats' 'tach-convert --flamegraph' \
	    'tach-convert --pprof -o x' 'tach-convert --heatmap -o h' \
	    'tach-convert --gperftools -o g --symbols s'; do
		# shellcheck disable=SC2086
		strace -f -A -o calls $args "$W" >out
	done
	# shellcheck disable=SC2086
	cat "$W" | strace -f -A -o calls tach-cat >out
	run -1 grep ENOSYS calls
}

@test "the profiles that tach-record merges are read by a confined process" {
	need strace
	start python3 -c 'while True: pass'
	strace -ff -o traced -e trace=all \
	    tach-record -q --merge -d 2 -o p.bin -p "$pid" ||
	    skip "nothing can be traced here"
	tach-info p.bin >info
	grep -l '^seccomp(SECCOMP_SET_MODE_FILTER, 0,' traced.* >merging
	is "$(wc -l <merging)" 1
	sed '1,/^seccomp(SECCOMP_SET_MODE_FILTER, 0,/d' "$(<merging)" >calls
	grep 'openat(.*p\.[0-9]*\.bin"' calls
	run -1 grep ENOSYS calls
	# It has the standard streams and the output open, and no target.
	grep '^close_range(.*, 4294967295, 0) *= 0$' "$(<merging)"
}
