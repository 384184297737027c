# SPDX-License-Identifier: ISC
# targets.bats: Pythons that are not called python, lie elsewhere, were built
# otherwise, or sit in another program, and processes that are none.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
}

teardown() {
	end_started
	drop_shared
}

# ---- helpers -----------------------------------------------------------------

# has_worked: $pid has used some CPU.
has_worked() {
	local stat
	read -r stat <"/proc/$pid/stat"
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	((${12} >= 10)) # utime, in hundredths
}

judge() {
	"$T/lib/truth.py" calls p.bin "$T/programs/waits.py"
}

# launched COMMAND...: it runs waits.py for a second.
launched() {
	in_tries 3 launch "$@"
}

launch() {
	tach-record -q -o p.bin -- "$@" "${seconds-1}"
	judge
}

# attached COMMAND...: it runs waits.py for as long as it likes.
attached() {
	start "$@"
	until_ has_worked
	in_tries 3 attach
}

attach() {
	tach-record -q -d 0.4 -o p.bin -p "$pid"
	judge
}

both() {
	launched "$@"
	attached "$@"
}

# copy_as NAME: a copy of a Python, as ./NAME; ${copy[@]} runs it.
copy_as() {
	local prefix
	host_python
	prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
	mkdir -p "$(dirname "$1")"
	cp "$("$python" -c 'import sys; print(sys.executable)')" "$1"
	ldd "$1" | grep 'libpython.*not found' >lacks && skip "$(cat lacks)"
	copy=(env PYTHONHOME="$prefix" "./$1")
}

# in_forky COMMAND: that it is there.  It can import what takes SECONDS:
# carrier.go(SECONDS).
in_forky() {
	need_root
	need_python 3.15-forky
	chroot "$PYTHON_ROOT" sh -c "command -v $1" ||
	    skip "no $1 in $PYTHON_ROOT: see t/peers/forky"
	cp "$T/programs/waits.py" "$OUTSIDE"
	cat >"$OUTSIDE/carrier.py" <<-EOF
		import runpy, sys
		def go(seconds):
		    sys.argv = ['waits.py', str(seconds)]
		    runpy.run_path('$INSIDE/waits.py')
	EOF
}

# ---- names and places -----------------------------------------------------------

@test "an executable of another name is recorded" {
	copy_as mypy-server
	both "${copy[@]}" "$T/programs/waits.py"
}

@test "a path with spaces, and letters beyond ASCII, is recorded" {
	copy_as $'a folder/pyth\u00f6n 3 (deleted)'
	both "${copy[@]}" "$T/programs/waits.py"
}

@test "an executable that was replaced while it runs is recorded" {
	copy_as snake
	start "${copy[@]}" "$T/programs/waits.py"
	until_ has_worked
	printf '#!/bin/sh\nexit 1\n' >other
	mv other snake
	in_tries 3 attach
}

@test "an executable that is gone with its folder is recorded" {
	copy_as gone/python
	start "${copy[@]}" "$T/programs/waits.py"
	until_ has_worked
	rm -r gone
	in_tries 3 attach
}

@test "an executable without any symbols is recorded" {
	need strip binutils
	copy_as stripped
	strip --strip-all stripped
	both "${copy[@]}" "$T/programs/waits.py"
}

# ---- debug builds ------------------------------------------------------------------

debug() {
	local seconds=3 # they take long to begin
	need_python "$1"
	cp "$T/programs/waits.py" "$OUTSIDE"
	"${PYTHON[@]}" -c 'import sys; sys.gettotalrefcount()'
	both "${PYTHON[@]}" "$INSIDE/waits.py"
}

@test "a debug build: Python 3.11" { debug 3.11d; }
@test "a debug build: Python 3.13" { debug 3.13d; }
@test "a debug build: Python 3.14" { debug 3.14d; }
@test "a debug build: Python 3.15" { debug 3.15d; }

# ---- in other programs -----------------------------------------------------------

# A stack that a program of ours is in.
ours() {
	tach-convert --collapsed p.bin >stacks
	tail -n 3 stacks
	grep -q "waits.py:<module>:[0-9]*;waits.py:busy:[0-9]*[; ]" stacks
}

# carried MAKER: COMMAND, as MAKER SECONDS sets it, by launch and by -p.
carried() {
	in_tries 3 carry "$1"
}

carry() {
	"$1" 0.5
	tach-record -q -o p.bin -- chroot "$PYTHON_ROOT" "${COMMAND[@]}" || :
	ours
	"$1" 60
	start chroot "$PYTHON_ROOT" "${COMMAND[@]}"
	until_ has_worked
	tach-record -q -d 0.4 -o p.bin -p "$pid"
	ours
}

in_vim() {
	COMMAND=(vim.nox -es -u NONE
	    -c "py3 import sys; sys.path.insert(0, '$INSIDE'); import carrier"
	    -c "py3 carrier.go($1)" -c 'qa!')
}

in_gdb() {
	COMMAND=(gdb -nx -batch -ex "python import sys; \
sys.path.insert(0, '$INSIDE'); import carrier; carrier.go($1)")
}

# An application that works while it is loaded, and then is none.
in_uwsgi() {
	printf 'import carrier, os\ncarrier.go(%s)\nos._exit(0)\n' "$1" \
	    >"$OUTSIDE/app.py"
	COMMAND=(uwsgi --plugin python3 --pythonpath "$INSIDE" --module app
	    --need-app --socket "$INSIDE/socket" --logto /dev/null)
}

@test "Python in vim is recorded" {
	in_forky vim.nox
	carried in_vim
}

@test "Python in gdb is recorded" {
	in_forky gdb
	carried in_gdb
}

@test "Python in uWSGI is recorded" {
	in_forky uwsgi
	carried in_uwsgi
}

# ---- containers ------------------------------------------------------------------

@test "namespaces of its own for processes and mounts" {
	local command
	need_root
	host_python
	unshare -pfm --mount-proc true 2>err || skip "no namespaces: $(cat err)"
	start unshare -pfm --mount-proc --kill-child "$python" \
	    "$T/programs/threads.py" truth
	until_ pgrep -P "$pid" >/dev/null
	pid=$(pgrep -P "$pid")
	tach-record -q -o p.bin -p "$pid"
	# The ids are those inside, and one thread is the main one.
	tach-cat p.bin | cut -f 3 | sort -u >seen
	grep -o '"tid": [0-9]*' truth | cut -d ' ' -f 2 | sort -u >told
	wc -l <told
	[ "$(wc -l <told)" -gt 40 ]
	is "$(comm -23 told seen)" ""
	is "$(tach-cat --status main p.bin | cut -f 3 | sort -u)" 1
	tach-cat --status cpu p.bin | found .
}

# ---- interpreters ----------------------------------------------------------------

# A thread that is in two interpreters: one sample a round, which says where
# it is.
nested() {
	need_python "$1"
	cp "$T/python/nested.py" "$OUTSIDE"
	in_tries 3 nest
}

nest() {
	tach-record -q -o p.bin -- "${PYTHON[@]}" "$INSIDE/nested.py" 0.4
	tach-cat p.bin >samples
	cut -f 1,3 samples | sort | uniq -d >twice
	# When it has just entered one, that may not be known yet.
	wc -l <twice
	[ "$(wc -l <twice)" -le 5 ]
	awk -F '\t' '
		$2 > 0 && /:inner:/ { inner++ }
		$2 == 0 && /:own:/ { own++ }
		$2 == 0 && /:outer:/ { outer++ }
		END {
			print inner, own, outer + 0
			exit !(inner > 50 && own > 50 && outer < inner / 4)
		}' samples
}

@test "a thread in two interpreters: Python 3.11" { nested 3.11; }
@test "a thread in two interpreters: Python 3.12" { nested 3.12; }
@test "a thread in two interpreters: Python 3.13" { nested 3.13; }
@test "a thread in two interpreters: Python 3.14" { nested 3.14; }
@test "a thread in two interpreters: Python 3.15" { nested 3.15; }
@test "a thread in two interpreters: Python 3.14t" { nested 3.14t; }

# ---- the JIT -----------------------------------------------------------------------

@test "samples in code that the JIT compiled are told" {
	need_python 3.15
	export PYTHON_JIT=1
	"${PYTHON[@]}" -c 'import sys; sys.exit(not sys._jit.is_enabled())' ||
	    skip "no JIT in $PYTHON_TAG"
	cp "$T/python/jit.py" "$OUTSIDE"
	run -0 --separate-stderr tach-record -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/jit.py" 10000000
	echo "$stderr"
	[[ $stderr =~ (^|$'\n')'tach-record: '[0-9]{2,}' samples in code that '\
"Python's JIT compiled: " ]]
	PYTHON_JIT=0 run -0 --separate-stderr tach-record -o p.bin -- \
	    "${PYTHON[@]}" "$INSIDE/jit.py" 3000000
	[[ $stderr != *JIT* ]]
}

# ---- what is refused -------------------------------------------------------------

# refused MESSAGE: of process $pid.
refused() {
	run -125 --separate-stderr tach-record -o p.bin -p "$pid"
	# shellcheck disable=SC2154
	is "$stderr" "tach-record: process $pid runs $1"
	[ ! -e p.bin ]
}

fake() {
	need cc gcc
	cc -rdynamic -DVERSION="$1" -o fake "$T/python/fake.c"
	start ./fake
	until_ grep -q fake "/proc/$pid/comm"
	refused "$2"
}

@test "Python 3.16 is not guessed at" {
	fake 0x031000f0 "Python 3.16.0: only 3.6 to 3.15 can be recorded"
}

@test "pre-releases are not guessed at" {
	fake 0x031000a4 "Python 3.16.0a4: only 3.6 to 3.15 can be recorded"
	fake 0x030f00b2 "Python 3.15.0b2: only 3.6 to 3.15 can be recorded, \
from their release candidates on: --pre-release tries all the same"
}

@test "offsets that make no sense are not believed" {
	fake 0x030e01f0 "Python 3.14.1, but the offsets that it gives make no \
sense: is it a modified build?"
}

@test "a 32-bit Python is refused" {
	need cc gcc
	cc -m32 -ffreestanding -nostdlib -static -o fake32 \
	    "$T/python/fake32.c" 2>err || skip "no 32-bit code: $(head -n 1 err)"
	run timeout 0.1 ./fake32
	[ "$status" -eq 124 ] || skip "this kernel runs no 32-bit programs"
	start ./fake32
	until_ grep -q fake32 "/proc/$pid/comm"
	refused "a Python for another machine than x86-64, which cannot be \
recorded"
}

# ---- what the kernel allows ------------------------------------------------------

@test "without Yama, nobody is told of it" {
	[ ! -e /proc/sys/kernel/yama ] || skip "Yama is here"
	need_root
	host_python
	start "$python" "$T/programs/waits.py"
	until_ has_worked
	run -125 --separate-stderr setpriv --reuid 65534 --clear-groups \
	    "$(command -v tach-record)" -q -o /dev/null -p "$pid"
	is "$stderr" "tach-record: not permitted to read process $pid: run as \
root, as its own user, or with CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE); \
\`tach-record --check -p $pid\` says what would help"
}
