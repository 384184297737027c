# SPDX-License-Identifier: ISC
# shellcheck shell=sh
# folder.sh: makes a system in a folder of its own, by debootstrap.  The
# scripts of the systems' names set
#	suite, base	the system, and the debootstrap script it follows
#	keyring		who signs them, and keyring_needs: what to do if absent
#	components	of the archive, if more than main
#	updates, newer	a suite of what came after its release, and which
#			packages of it are wanted (with unpacked only)
#	packages	what is wanted in it
#	foreign		architectures it takes packages of besides its own
#	unpacked	if set, packages are unpacked only, not set up: that is
#			five times as fast and does for an old Python
# and then source this file.  The folder is ${XDG_CACHE_HOME:-~/.cache}/tach/
# and the script's name; it is some 300 MB and may be removed at any time.

set -eu
umask 022

peers=${XDG_CACHE_HOME:-$HOME/.cache}/tach
name=${0##*/}
folder=$peers/$name

die() {
	echo "t/peers/$name: $*" >&2
	exit 1
}

# What of the packages a folder lacks: an older one was made for less.
lacking() {
	for package in $packages; do
		chroot "$1" dpkg-query -W -f '${Status}\n' "$package" \
		    2>/dev/null | grep -q ' installed$' ||
		    printf '%s ' "$package"
	done
}

# Gets the lists of packages of a folder.  While a mirror is being renewed, they
# do not fit together.
update() {
	in=$1
	shift
	for pause in 30 60 120; do
		! chroot "$in" apt-get "$@" update >"$work/log" 2>&1 || return 0
		sleep $pause
	done
	quietly chroot "$in" apt-get "$@" update
}

# Downloads packages that take others' places, into /newer.
fetch_newer() {
	for deb in "$root"/var/cache/apt/archives/*.deb; do
		quietly dpkg-deb -x "$deb" "$root"
	done
	sed "s/ $suite / $updates /" "$root/etc/apt/sources.list" \
	    >"$root/etc/apt/sources.list.d/updates.list"
	update "$root" -o APT::Sandbox::User=root
	mkdir "$root/newer"
	# shellcheck disable=SC2086,SC2016
	quietly chroot "$root" sh -c 'cd /newer && apt-get \
	    -o APT::Sandbox::User=root download "$@"' sh $newer
	rm -rf "$root"/var/lib/apt/lists/*
}

# Makes a system of which no package is set up.
unpack() {
	# shellcheck disable=SC2086
	quietly debootstrap --foreign --variant=minbase --keyring="$keyring" \
	    --components="${components:-main}" \
	    --include="$(echo $packages | tr ' ' ,)" "$suite" "$root"
	[ -z "${newer-}" ] || fetch_newer
	for deb in "$root"/var/cache/apt/archives/*.deb "$root"/newer/*.deb; do
		[ ! -e "$deb" ] || quietly dpkg-deb -x "$deb" "$root"
	done
	rm -rf "$root"/var/cache/apt/archives "$root/debootstrap" "$root/newer"
	echo "$packages" >"$root/.unpacked"
}

# Installs packages in a folder.
install_in() {
	in=$1
	shift
	update "$in"
	quietly chroot "$in" apt-get install -y --no-install-recommends "$@"
	chroot "$in" apt-get clean
	rm -rf "$in"/var/lib/apt/lists/*
}

if [ "$(id -u)" -ne 0 ]; then
	[ -d "$folder" ] || die "needs root, as debootstrap and chroot do"
	echo "$folder: is there already"
	exit 0
fi
PATH=$PATH:/usr/sbin:/sbin
export DEBIAN_FRONTEND=noninteractive
command -v debootstrap >/dev/null ||
    die "needs debootstrap (Debian: apt install debootstrap)"
[ -f "$keyring" ] || die "needs the keys of its packages: $keyring_needs"

# The work is done under another name, so that a folder of the right name is
# always complete.
mkdir -p "$peers"
work=$(mktemp -d "$peers/$name.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/root" # made anew: a mktemp folder is closed to apt's own user
root=$work/root

# Their many lines are of interest only where one of them is the last.
quietly() {
	"$@" >"$work/log" 2>&1 || {
		tail -n 20 "$work/log" >&2
		die "failed: $*"
	}
}

if [ -e "$folder/.unpacked" ] &&
    [ "$(cat "$folder/.unpacked")" != "$packages" ]; then
	rm -rf --one-file-system "$folder"
fi
if [ -e "$folder/.unpacked" ]; then
	echo "$folder: is there already"
	exit 0
fi
if [ -d "$folder" ]; then
	packages=$(lacking "$folder")
	# shellcheck disable=SC2086
	[ -z "$packages" ] || install_in "$folder" $packages
	echo "$folder: is there already${packages:+; new: $packages}"
	exit 0
fi

# A debootstrap that is older than the suite has no script of that name.
cp -a /usr/share/debootstrap "$work/debootstrap"
[ -e "$work/debootstrap/scripts/$suite" ] ||
    ln -s "$base" "$work/debootstrap/scripts/$suite"
chmod 755 "$work"
export DEBOOTSTRAP_DIR="$work/debootstrap"
if [ -n "${unpacked-}" ]; then
	unpack
else
	quietly debootstrap --variant=minbase --keyring="$keyring" \
	    --components="${components:-main}" "$suite" "$root"
	# Suites in the making, or seen through a mirror, can be past their
	# date.
	echo 'Acquire::Check-Valid-Until "false";' \
	    >"$root/etc/apt/apt.conf.d/90tach"
	for architecture in ${foreign-}; do
		quietly chroot "$root" dpkg --add-architecture "$architecture"
	done
	# shellcheck disable=SC2086
	install_in "$root" $packages
fi

# Whoever came first has made the same thing.
mv -T "$root" "$folder" 2>/dev/null || [ -d "$folder" ] ||
    die "cannot rename $root to $folder"
echo "$folder: done"
