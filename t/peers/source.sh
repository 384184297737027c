# SPDX-License-Identifier: ISC
# shellcheck shell=sh
# source.sh: gets the sources of Pythons from Debian's source packages.  Scripts that
# build some set
#	suite		the release whose sources they are
# and then source this file.  The script's folder is $peers, and $work a folder in
# it that is removed at the end.

umask 022

mirror=http://deb.debian.org/debian
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
name=${0##*/}
peers=${XDG_CACHE_HOME:-$HOME/.cache}/tach/$name

# Releases that mirrors have long after the index has gone on to newer ones:
# version, and SHA-256 of the source.
older="\
3.13.15 1e66a7945a48390ee4c2a4268a0e4185884059a13c4aab6d148aa208deea4a76
3.14.7 3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
3.15.0~rc2 8d93af5eaaaea5adfd41bd786a7ba3f03f2ad1ab57c6a65e0b963deab91d5ad7"

die() {
	echo "t/peers/$name: $*" >&2
	exit 1
}

# Their many lines are of interest only where one of them is the last.
quietly() {
	"$@" >"$work/log" 2>&1 || {
		tail -n 20 "$work/log" >&2
		return 1
	}
}

# An apt of our own, which knows one source and asks nobody's permission.
apt() {
	apt-get -q -o Dir::Etc::SourceList="$work/apt/sources.list" \
	    -o Dir::Etc::SourceParts=- -o Dir::State="$work/apt" \
	    -o Dir::Cache="$work/apt" -o Acquire::Check-Valid-Until=false \
	    -o APT::Sandbox::User= "$@"
}

prepare_apt() {
	[ ! -d "$work/apt" ] || return 0
	mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
	echo "deb-src [signed-by=$keyring] $mirror $suite main" \
	    >"$work/apt/sources.list"
	apt update
}

by_apt() {
	command -v apt-get >/dev/null && [ -f "$keyring" ] &&
	    quietly prepare_apt &&
	    quietly apt source --download-only --tar-only "python$1"
}

by_name() {
	line=$(echo "$older" | grep "^$1\.") || return
	file=python$1_${line% *}.orig.tar.xz
	quietly wget -T 60 "$mirror/pool/main/p/python$1/$file" &&
	    echo "${line#* }  $file" | sha256sum --quiet -c
}

# The source of a minor, unpacked as $work/source.
get_source() {
	rm -rf "$work/get" "$work/source"
	mkdir "$work/get" "$work/source"
	(cd "$work/get" && { by_apt "$1" 2>/dev/null || by_name "$1"; }) ||
	    die "cannot get the source of python$1 from $mirror"
	tar -xf "$work/get/"*.orig.tar.xz -C "$work/source" \
	    --strip-components=1 --exclude='*/Lib/test' --exclude='*/Doc'
}

# Modules that no test needs.
unneeded="_codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw
    _curses _curses_panel _decimal _elementtree _lzma _bz2 _sqlite3
    _ssl _hashlib _tkinter _zstd _dbm _gdbm nis pyexpat readline"

# make_python VERSION: builds it in $peers/VERSION by the script's function
# `build FOLDER`, and runs $flaw by it.
make_python() {
	version=$1
	folder=$peers/$version
	if [ -d "$folder" ]; then
		echo "$folder: is there already"
		return
	fi
	get_source "${version%t}"
	rm -rf "$work/new"
	(cd "$work/source" && quietly build "$folder") || die "$version: failed"
	rm -rf "$work/source/Lib/idlelib" "$work/source/Lib/tkinter"
	cp -r "$work/source/Lib/." "$work/source/"build/lib.*/_sysconfigdata_* \
	    "$work/new$folder/lib/python$version/"
	"$work/new$folder/bin/python$version" -c "import asyncio, json, random, socket
$flaw" || die "$version: not what was to be built"
	# Whoever came first has made the same thing.
	mv -T "$work/new$folder" "$folder" 2>/dev/null || [ -d "$folder" ] ||
	    die "cannot make $folder"
	echo "$folder: done"
}

mkdir -p "$peers"
# Where the folders are to be, so that one of the right name is complete.
work=$(mktemp -d "$peers/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
