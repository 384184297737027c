# SPDX-License-Identifier: ISC
# inprocess-rights.bats: the in-process engine where a program has other rights, another
# root or other numbers than the recorder, and where others may have put a library
# in its way.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1
	ulimit -c 0
}

teardown() {
	end_started
	drop_shared
}

as_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# any_python: a Python that nobody may run, as $python.
any_python() {
	local command
	as_root
	while IFS=$'\t' read -r _ command; do
		case $command in
		chroot*) ;;
		*)
			python=$command
			! "${NOBODY[@]}" "$python" -c '' 2>/dev/null || return 0
			;;
		esac
	done < <(pythons 3.11 3.12 3.13 3.10 3.9)
	skip "no Python that another user may run"
}

# installed: a recorder and its library in a folder of its own that all may look
# into, as $record; the library is $library.
installed() {
	local root
	root=$(mktemp -d "${TMPDIR-/tmp}/strangers.XXXXXX")
	SHARED+=("$root")
	chmod 755 "$root"
	mkdir -p "$root/bin" "$root/lib/tach"
	cp "$(realpath "$TACH_BUILDDIR/cmd/tach-record")" "$root/bin"
	library=$root/lib/tach/libtach-agent.so
	cp "$(realpath "$TACH_BUILDDIR/lib/.libs/libtach-agent.so")" "$library"
	record=$root/bin/tach-record
}

spin='import time
def spin():
    end = time.thread_time() + 0.4
    while time.thread_time() < end: sum(range(1000))
spin()'

# recorded COMMAND...: spin() has the samples of its CPU time, with --merge and
# without.
recorded() {
	local how n
	for how in -q --merge; do
		rm -f p.bin
		"$record" --engine=inprocess -q "$how" -o p.bin -- "$@"
		n=$(tach-cat p.bin | grep -c ':spin:')
		echo "$how $n"
		[ "$n" -ge 300 ]
	done
}

# refused WHY COMMAND...: it is told why nothing is recorded, and fails.
refused() {
	local how
	for how in -q --merge; do
		rm -f p.bin
		run "$record" --engine=inprocess -q "$how" -o p.bin -- "${@:2}"
		echo "$how: $status $output"
		[ "$status" -eq 125 ]
		[[ "$output" == *"$1"* ]]
		[ ! -e p.bin ]
	done
}

@test "a command of another user is recorded" {
	any_python
	installed
	recorded "${NOBODY[@]}" "$python" -c "$spin"
}

@test "a command of another user that may not read the library: why not" {
	any_python
	installed
	chmod 700 "${library%/*}"
	for t in 0.2 1.5; do
		refused 'runs Python without' "${NOBODY[@]}" "$python" -c \
		    "import time; time.sleep($t)"
	done
}

@test "a command in a user namespace is recorded" {
	any_python
	installed
	unshare -U -r true || skip "no user namespaces here"
	recorded unshare -U -r "$python" -c "$spin"
}

@test "a command in a PID namespace is recorded, and what it starts there" {
	any_python
	installed
	unshare -p -f --mount-proc true || skip "no PID namespaces here"
	cat >family.py <<-END
		import os, subprocess, sys, time
		def inner():
		    end = time.thread_time() + 0.3
		    while time.thread_time() < end: sum(range(1000))
		def outer():
		    end = time.thread_time() + 0.3
		    while time.thread_time() < end: sum(range(1000))
		if sys.argv[1:]:
		    inner()
		    sys.exit()
		assert os.getpid() == 1
		outer()
		subprocess.run([sys.executable, __file__, 'x'])
	END
	"$record" --engine=inprocess -q --merge -o p.bin -- \
	    unshare -p -f --mount-proc "$python" family.py
	for f in inner outer; do
		n=$(tach-cat p.bin | grep -c ":$f:")
		echo "$f $n"
		[ "$n" -ge 200 ]
	done
}

@test "two namespaces with a process of the same number" {
	any_python
	installed
	unshare -p -f true || skip "no PID namespaces here"
	for f in one two; do
		cat >$f.py <<-END
			import os, time
			def $f():
			    end = time.thread_time() + 0.5
			    while time.thread_time() < end: sum(range(1000))
			assert os.getpid() == 1
			$f()
		END
	done
	# shellcheck disable=SC2016
	"$record" --engine=inprocess -q --subprocesses -o p.bin -- sh -c \
	    'unshare -p -f "$0" one.py & unshare -p -f "$0" two.py; wait' \
	    "$python"
	for p in p.*.bin; do
		one=$(tach-cat "$p" | grep -c ':one:') || :
		two=$(tach-cat "$p" | grep -c ':two:') || :
		echo "$p $one $two"
		[ "$one" -ge 350 ] || [ "$two" -ge 350 ]
		[ "$one" -eq 0 ] || [ "$two" -eq 0 ]
	done
	[ "$(find . -name 'p.*.bin' | wc -l)" -eq 2 ]
}

@test "a command without /proc is recorded" {
	any_python
	installed
	unshare -m true || skip "no mount namespaces here"
	# shellcheck disable=SC2016
	recorded unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh \
	    "$python" -c "$spin"
}

@test "a command in a root without the library: why not" {
	any_python
	installed
	unshare -m true || skip "no mount namespaces here"
	# shellcheck disable=SC2016
	refused 'runs Python without' unshare -m sh -c \
	    'mount -t tmpfs none "$0" && exec "$@"' "${library%/*}" \
	    "$python" -c 'import time; time.sleep(0.3)'
}

@test "a Python that becomes one of another user without the library: why no more" {
	any_python
	installed
	chmod 700 "${library%/*}"
	for t in 0.3 1.5; do
		run "$record" --engine=inprocess -q -o p.bin -- "$python" -c \
		    "$spin"'
import os, sys
os.execvp(sys.argv[1], sys.argv[1:])' "${NOBODY[@]}" "$python" -c \
		    "import time; time.sleep($t)"
		echo "$status $output"
		[ "$status" -eq 125 ]
		[[ "$output" == *'runs Python without'* ]]
		grep -q ':spin:' <(tach-cat p.bin.part)
	done
}

# none: no sample hits an exception that is handled while Python begins.
none() {
	run "$record" --engine=inprocess -m exception -r 50 -o p.bin -- \
	    "$python" -c "$spin"
	echo "$status $output"
	[ "$status" -eq 125 ]
	[[ "$output" == *'no sample was of the kind that was asked for'* ]]
}

@test "a Python that has no samples: why" {
	any_python
	installed
	run "$record" --engine=inprocess -r 0.5 -o p.bin -- "$python" -c ''
	[ "$status" -eq 125 ]
	[[ "$output" == *'nothing was recorded: Python ran, but hardly: '* ]]
	in_tries 3 none
}

# ---- the library ---------------------------------------------------------------

# loads: the recorder loads its library.
loads() {
	"$record" --engine=inprocess -q -o p.bin -- "$python" -c \
	    "${spin/0.4/0.2}"
}

# will_not: it does not load what lies there, and says so.
will_not() {
	run -125 "$record" --engine=inprocess -q -o p.bin -- "$python" -c "$spin"
	[[ "$output" == *'is not loaded into programs: another user may'* ]]
}

@test "a library that another user may change is not loaded" {
	any_python
	installed
	loads
	for what in "$library" "${library%/*}" "${library%/*/*}"; do
		chown 65534 "$what"
		will_not
		chown 0 "$what"
		chmod o+w "$what"
		will_not
		chmod o-w "$what"
		chgrp 65534 "$what"
		loads
		chmod g+w "$what"
		will_not
		chmod g-w "$what"
		loads
	done
	# Whoever can change the program is trusted with the library.
	chown 65534 "$library" "$record"
	loads
}

@test "a library where one is built, beside a program that was not built there" {
	any_python
	installed
	local top=${record%/*/*}
	mkdir -p "$top/lib/.libs"
	cp "$library" "$top/lib/.libs"
	rm "$library"
	run -125 "$record" --engine=inprocess -q -o p.bin -- "$python" -c "$spin"
	[[ "$output" == *'is neither in '* ]]
	: >"$top/config.status"
	loads
	chown 65534 "$top/lib/.libs"
	will_not
}

# The shell calls a program of PATH by its name alone.
@test "a library of the working directory's owner is not loaded" {
	any_python
	installed
	local name=${record##*/}
	mkdir -p theirs/a theirs/lib/.libs
	cp "$library" theirs/lib/.libs/
	: >theirs/config.status
	: >"theirs/a/$name"
	chown -R 65534 theirs
	cd theirs/a
	PATH=${record%/*}:$PATH "$name" --engine=inprocess -q -o ../../p.bin -- \
	    "$python" -c "print(open('/proc/self/maps').read())
$spin" >maps
	grep -q "$library" maps
	run -1 grep theirs maps
}
