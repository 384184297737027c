# SPDX-License-Identifier: ISC
# shellcheck shell=sh
# folder.sh: makes a system in a folder of its own, by debootstrap.  The
# scripts cross, forky, noble, bookworm and bullseye set
#	suite, base	the system, and the debootstrap script it follows
#	keyring		who signs them, and keyring_needs: what to do if absent
#	packages	what is wanted in it
#	foreign		architectures it takes packages of besides its own
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

if [ -d "$folder" ]; then
	echo "$folder: is there already"
	exit 0
fi
[ "$(id -u)" -eq 0 ] || die "needs root, as debootstrap and chroot do"
PATH=$PATH:/usr/sbin:/sbin
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

# A debootstrap that is older than the suite has no script of that name.
cp -a /usr/share/debootstrap "$work/debootstrap"
[ -e "$work/debootstrap/scripts/$suite" ] ||
    ln -s "$base" "$work/debootstrap/scripts/$suite"
chmod 755 "$work"
export DEBOOTSTRAP_DIR="$work/debootstrap" DEBIAN_FRONTEND=noninteractive
quietly debootstrap --variant=minbase --keyring="$keyring" "$suite" "$root"

# Suites in the making, or seen through a mirror, can be past their date.
echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90tach"
for architecture in ${foreign-}; do
	quietly chroot "$root" dpkg --add-architecture "$architecture"
done
quietly chroot "$root" apt-get update
# shellcheck disable=SC2086
quietly chroot "$root" apt-get install -y --no-install-recommends $packages
chroot "$root" apt-get clean
rm -rf "$root"/var/lib/apt/lists/*

# Whoever came first has made the same thing.
mv -T "$root" "$folder" 2>/dev/null || [ -d "$folder" ] ||
    die "cannot rename $root to $folder"
echo "$folder: done"
