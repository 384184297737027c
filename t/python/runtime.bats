# SPDX-License-Identifier: ISC
# runtime.bats: what libtach knows of an interpreter, against that interpreter:
# where its runtime lies, and its version.

load ../lib/lib.bash

# ---- finding the runtime -----------------------------------------------------------

# need_static MINOR: an interpreter that is one executable, which can lose
# names and still run.
need_static() {
	local tag
	for tag in system bookworm forky; do
		if pythons | found "^$1-$tag	"; then
			need_python "$1-$tag"
			EXE=$PYTHON_ROOT$("${PYTHON[@]}" -c \
			    'import sys; print(sys.executable)')
			return
		fi
	done
	skip "no static Python $1 here: see t/peers/"
}

# runs_as_copy: records $OUTSIDE/copy, made of $EXE.  PYTHONHOME tells it where
# its library is.
runs_as_copy() {
	chmod +x "$OUTSIDE/copy"
	cp "$T/programs/fib.py" "$OUTSIDE"
	local run=("$INSIDE/copy" "$INSIDE/fib.py" 0.7)
	[ -z "$PYTHON_ROOT" ] || run=(chroot "$PYTHON_ROOT" "${run[@]}")
	cd "$BATS_TEST_TMPDIR" || return
	PYTHONHOME=/usr tach-record -q -o p.bin -- "${run[@]}"
	"$T/lib/truth.py" calls p.bin "$T/programs/fib.py"
}

# without NAME...: these symbols and sections are called otherwise.
without() {
	python3 - "$EXE" "$OUTSIDE/copy" "$@" <<-'EOF'
		import sys
		source, copy, *names = sys.argv[1:]
		data = open(source, 'rb').read()
		for name in names:
		    old = b'\0' + name.encode() + b'\0'
		    assert old in data, name
		    data = data.replace(old, old[:-2] + b'X\0')
		open(copy, 'wb').write(data)
	EOF
	runs_as_copy
}

# without_sections: as sstrip leaves it; the system needs none.
without_sections() {
	cp "$EXE" "$OUTSIDE/copy"
	poke "$OUTSIDE/copy" 40 "$(printf '%016d' 0)" # e_shoff
	poke "$OUTSIDE/copy" 60 00000000 # e_shnum, e_shstrndx
	runs_as_copy
}

@test "3.11 without the symbol _PyRuntime: found by its section" {
	need_static 3.11
	without _PyRuntime
}

@test "3.11 without the symbols: found by its section, known by its memory" {
	need_static 3.11
	without _PyRuntime Py_Version
}

@test "3.11 without any sections: found by what the dynamic linker needs" {
	need_static 3.11
	without_sections
}

@test "3.13 without symbol and section: found by its cookie" {
	need_static 3.13
	without _PyRuntime .PyRuntime
}

@test "3.15 without symbol and section: found by its cookie" {
	need_static 3.15
	without _PyRuntime .PyRuntime
}

@test "a Python of another version is named as what it is" {
	need_python 2.7
	cd "$BATS_TEST_TMPDIR" || return
	run -125 --separate-stderr tach-record -o p.bin -- "${PYTHON[@]}" -c \
	    'import time; time.sleep(0.3)'
	[[ $stderr =~ ^'tach-record: nothing was recorded: process '[0-9]+' runs Python 2.7.'[0-9]+': only 3.6 to 3.15 can be recorded'$ ]]
	[ ! -e p.bin ]
}
