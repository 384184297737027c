# SPDX-License-Identifier: ISC
# packages.bats: tach as it is installed: the static programs, in systems that have
# little or are old; a wheel of them; the files for others.  Debian's packages are in
# long.bats.

load ../lib/lib.bash

# TACH_PACKAGES names a folder to build in that is kept, with what was built.
setup_file() {
	unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
	[ "$(uname -m)" = x86_64 ] && command -v x86_64-linux-gnu-gcc >/dev/null &&
	    [ -f "$TACH_BUILDDIR/lib/engine/bpf/interruptprogram.h" ] || return 0
	WORK=${TACH_PACKAGES:-$(mktemp -d)}
	export WORK
	[ ! -d "$WORK/static" ] || return 0
	chmod 755 "$WORK"
	make -s -C "$TACH_BUILDDIR" distdir distdir="$WORK/source"
	"$TACH_SRCDIR/packaging/static" "$WORK/source" "$WORK" \
	    >"$WORK/log" 2>&1 || {
		tail -n 20 "$WORK/log"
		return 1
	}
	mkdir "$WORK/static"
	tar -xJf "$WORK"/tach-*.tar.xz -C "$WORK/static" --strip-components 1
}

teardown_file() {
	[ -z "${WORK-}" ] || [ -n "${TACH_PACKAGES-}" ] || rm -rf "$WORK"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_started
	drop_shared
}

need_static() {
	[ -n "${WORK-}" ] ||
	    skip "no static build here: needs x86-64, gcc of Debian and clang"
}

# ---- the static programs ----------------------------------------------------

@test "static programs need no library, and are linked without a warning" {
	need_static
	need readelf binutils
	local program
	for program in "$WORK"/static/bin/*; do
		readelf -lW "$program" | absent INTERP
		readelf -dW "$program" | absent NEEDED
	done
	is "$(grep warning "$WORK/log" || :)" ""
}

@test "static programs read what xz has compressed" {
	need_static
	need xz xz-utils
	echo 'main;work 3' | xz >p.txt.xz
	is "$("$WORK/static/bin/tach-convert" --collapsed p.txt.xz)" 'tid:0;main;work 3'
}

@test "the agent for any C library names no version of a symbol" {
	need_static
	need readelf binutils
	local agent=$WORK/static/lib/tach/libtach-agent.so
	readelf -dW "$agent" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	    sort >needed
	is "$(cat needed)" $'libc.so.6\nlibdl.so.2\nlibpthread.so.0'
	readelf -VW "$agent" | found 'No version information'
	# Nothing that only a newer compiler makes calls of.
	nm -D --undefined-only "$agent" | awk '{ print $2 }' |
	    { grep -E '^__' || :; } | sort >special
	is "$(cat special)" $'__errno_location\n__isoc99_sscanf\n__register_atfork'
}

# bare: in ./root, a system of busybox, the tarball, and a Python on musl.
bare() {
	need_static
	need_root
	need busybox busybox-static
	need_python 3.14-musl
	unshare -mp true 2>/dev/null || skip "no namespaces here"
	local prefix=${PYTHON[0]%/bin/*} name
	mkdir -p root/bin root/proc root/tmp root/lib "root$prefix"
	cp "$(command -v busybox)" root/bin/
	ln -s busybox root/bin/sh
	cp -L /lib/ld-musl-x86_64.so.1 root/lib/
	cp -a "$prefix/." "root$prefix/"
	cp -r "$T/programs" root/programs
	cp "$WORK"/tach-*.tar.xz root/
	name=$(basename root/tach-*.tar.xz .tar.xz)
	inside /bin/busybox tar -xJf "/$name.tar.xz"
	DIR=/$name
}

# inside COMMAND...: in ./root, with processes of its own.
inside() {
	# shellcheck disable=SC2016
	unshare -mpf sh -c 'mount -t proc proc root/proc && exec chroot root "$@"' \
	    sh "$@"
}

# recorded [OPTION...]: demo.py, there; its functions are in ./stacks.
recorded() {
	inside "$DIR/bin/tach-record" -q -o /p.bin "$@" -- \
	    "${PYTHON[@]}" /programs/demo.py 1
	inside "$DIR/bin/tach-info" --verify /p.bin >info
	inside "$DIR/bin/tach-convert" --collapsed /p.bin >stacks
	grep -q 'demo.py:main:.*demo.py:one_day:' stacks
}

@test "in a folder with nothing but busybox they record a Python there" {
	bare
	recorded
	inside "$DIR/bin/tach-top" -1 /p.bin | found one_day
	inside "$DIR/bin/tach-convert" --flamegraph -o /p.html /p.bin
	[ -s root/p.html ]
}

@test "in a folder with nothing but busybox the in-process engine records one" {
	bare
	recorded --engine=inprocess
}

# old NAME MINOR: the in-process engine by the agent for any C library, in a system
# of another glibc.
old() {
	need_static
	need_python "$2-$1"
	cp -r "$WORK/static" "$OUTSIDE/tach"
	cp -r "$T/programs" "$OUTSIDE/programs"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind /proc "$1/proc" && exec chroot "$@"' sh \
	    "$PYTHON_ROOT" "$INSIDE/tach/bin/tach-record" --engine=inprocess -q \
	    -o "$INSIDE/p.bin" -- "${PYTHON[@]:2}" "$INSIDE/programs/demo.py" 1
	tach-convert --collapsed "$OUTSIDE/p.bin" >stacks
	grep -q 'demo.py:main:.*demo.py:one_day:' stacks
}

@test "the agent for any C library, with glibc 2.27" { old bionic 3.6; }
@test "the agent for any C library, with glibc 2.31" { old bullseye 3.9; }
@test "the agent for any C library, with the newest glibc" { old forky 3.14; }

@test "the agent for any C library is brought into a process on musl that runs" {
	need_static
	need_python 3.14-musl
	cat >spin.py <<-'END'
		import threading
		def other():
		    while True:
		        sum(range(1000))
		def spin():
		    while True:
		        sum(range(1000))
		threading.Thread(target=other, daemon=True).start()
		spin()
	END
	start "${PYTHON[@]}" spin.py
	is_up
	"$WORK/static/bin/tach-record" --engine=inprocess -q -d 1 -o p.bin \
	    -p "$pid"
	tach-cat p.bin | grep -oE ':(spin|other):' | sort -u >functions
	is "$(cat functions)" $':other:\n:spin:'
	kill -0 "$pid"
}

# ---- a wheel ----------------------------------------------------------------

@test "a wheel brings the commands into a virtual environment, without network" {
	need_static
	need python3
	"$TACH_SRCDIR/packaging/wheel" "$WORK"/tach-*.tar.xz >first
	"$TACH_SRCDIR/packaging/wheel" "$WORK"/tach-*.tar.xz new/folder >made
	cmp "$(cat first)" "$(cat made)"
	python3 -m venv env || skip "no venv here (Debian: python3-venv)"
	env/bin/pip -q install --no-index --disable-pip-version-check \
	    "$(cat made)"
	env/bin/tach-record -V | found "$VERSION"
	env/bin/tach-record --engine=inprocess -q -o p.bin -- \
	    env/bin/python "$T/programs/demo.py" 1
	env/bin/tach-top -1 p.bin | found one_day
	[ -s env/share/man/man1/tach-record.1 ]
	env/bin/pip -q uninstall -y --disable-pip-version-check tach
	run -2 ls env/bin/tach-record
}

# ---- files for others -------------------------------------------------------

@test "the PKGBUILD and the formula are sound, and of this version" {
	cd "$TACH_SRCDIR/packaging"
	bash -n PKGBUILD
	# shellcheck disable=SC1091
	is "$(. ./PKGBUILD && echo "$pkgver")" "$VERSION"
	grep -qF "tach-$VERSION.tar.xz" tach.rb
	need ruby
	ruby -c tach.rb
}

@test "the manual pages as HTML lead to each other, and to nothing that is not there" {
	need mandoc
	local page
	make -s -C "$TACH_BUILDDIR" html
	cd "$TACH_BUILDDIR/html" || return
	for page in "$TACH_SRCDIR"/man/*.[1-9]; do
		[ -s "${page##*/}.html" ]
	done
	cmp index.html tach.7.html
	grep -ohE 'href="[^":#]+["#]' ./*.html | sed 's,.*=",,; s,.$,,' | sort -u >"$BATS_TEST_TMPDIR/links"
	grep -qx tach-record.1.html "$BATS_TEST_TMPDIR/links"
	while read -r page; do
		[ -s "$page" ]
	done <"$BATS_TEST_TMPDIR/links"
}
