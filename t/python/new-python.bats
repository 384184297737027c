# SPDX-License-Identifier: ISC
# new-python.bats: a Python that is not out yet takes one file: 3.15's headers and
# interpreter, which here say that they are 3.16.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	drop_shared
}

# Makes inc/python3.16, the headers.  Those of the machine lie beside them.
make_headers() {
	local dir
	dir=$(headers 3.15 | sed -n 1p)
	[ -n "$dir" ] || skip "no headers of Python 3.15 here"
	mkdir inc
	cp -rL "$dir" inc/python3.16
	[ ! -d "$dir/../$1" ] || ln -s "$dir/../$1" inc/
	sed -i 's/\(PY_MINOR_VERSION[[:space:]]*\)15/\116/' \
	    inc/python3.16/patchlevel.h
}

# Makes a tree with the layout of these headers, and builds it.
build_tree() {
	unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
	make -s -C "$TACH_BUILDDIR" distdir distdir="$PWD/source"
	chmod -R u+w source
	"$TACH_SRCDIR/lib/python/mkoffsets" inc/python3.16 \
	    >source/lib/python/layout_3_16.c
	mkdir build
	cd build
	../source/configure --quiet CFLAGS=-O0
	make -s -j"$(nproc)" cmd/tach-record cmd/tach-cat cmd/tach-info
	cd ..
}

# interpreter VERSION: makes $OUTSIDE/VERSION, one that tells this version behind its
# cookie, and $command, which runs a program by it.
interpreter() {
	python3 - "$PYTHON_ROOT${PYTHON[-1]}" "$OUTSIDE/$1" "$1" <<-'END'
	import re, struct, sys
	data = bytearray(open(sys.argv[1], 'rb').read())
	# Code has the cookie, too, but no version behind it.
	where, = re.finditer(rb'xdebugpy(?=..\x0f\x03\0{4})', data, re.S)
	struct.pack_into('<Q', data, where.end(), int(sys.argv[3], 16))
	open(sys.argv[2], 'wb').write(data)
	END
	chmod +x "$OUTSIDE/$1"
	cp "$T/programs/fib.py" "$OUTSIDE"
	export PYTHONHOME=${PYTHON[-1]%/bin/*}
	command=("${PYTHON[@]::${#PYTHON[@]}-1}" "$INSIDE/$1" "$INSIDE/fib.py" 0.5)
}

@test "a new Python is one file" {
	need_python 3.15
	need cc gcc
	need python3
	make_headers "$(cc -print-multiarch)"
	build_tree
	interpreter 0x031000f0
	run -125 --separate-stderr tach-record -o p.bin -- "${command[@]}"
	[[ $stderr == *" runs Python 3.16.0: only 3.6 to 3.15 can be recorded"* ]]
	PATH=$PWD/build/cmd:$PATH
	tach-record -q -o p.bin -- "${command[@]}"
	tach-info p.bin | found "^python: *3[.]16[.]0$"
	tach-cat p.bin | found :fib:
}

@test "a value that a walk relies on is not another one, or there is no layout" {
	need_python 3.15
	need cc gcc
	make_headers "$(cc -print-multiarch)"
	sed -i 's/\(define CO_FAST_CELL *\).*/\10x02/' \
	    inc/python3.16/internal/pycore_code.h
	run ! "$TACH_SRCDIR/lib/python/mkoffsets" inc/python3.16
	[[ $output == *CO_FAST_CELL* ]]
}

@test "--pre-release: a Python before its release candidates" {
	need_python 3.15
	need python3
	interpreter 0x030f00b2
	run -125 --separate-stderr tach-record -o p.bin -- "${command[@]}"
	[[ $stderr == *" runs Python 3.15.0b2: only 3.6 to 3.15 can be recorded, \
from their release candidates on: --pre-release tries all the same" ]]
	[ ! -e p.bin ]
	tach-record --pre-release -q -o p.bin -- "${command[@]}"
	tach-cat p.bin | found :fib:
	tach-info p.bin | found 'pre-release Python 3.15.0b2: its layout may'
	tach-record -q -o - -- "${PYTHON[@]}" -c pass | tach-info - |
	    absent pre-release
	tach-record --subprocesses --pre-release -q -o p.bin -- sh -c '"$@"; :' - \
	    "${command[@]}"
	tach-cat p.*.bin | found :fib:
}
