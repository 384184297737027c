# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# lib.bash: what every *.bats file loads first.
#
#	load ../lib/lib.bash
#
# `make check` sets TACH_SRCDIR and TACH_BUILDDIR; for `bats t/commands/info.bats` by
# hand they are found from here: the source tree, and its build/ if that is
# there.  The built commands are on PATH.

bats_require_minimum_version 1.5.0

: "${TACH_SRCDIR:=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)}"
if [ -z "${TACH_BUILDDIR-}" ]; then
	TACH_BUILDDIR=$TACH_SRCDIR
	[ ! -x "$TACH_SRCDIR/build/cmd/tach-info" ] ||
	    TACH_BUILDDIR=$TACH_SRCDIR/build
fi
export TACH_SRCDIR TACH_BUILDDIR
export PATH="$TACH_BUILDDIR/cmd:$PATH" LC_ALL=C.UTF-8 TZ=UTC0

T=$TACH_SRCDIR/t
# shellcheck disable=SC2034
VERSION=$(sed -n 's/^AC_INIT(\[tach\], \[\([0-9.]*\)\].*/\1/p' \
    "$TACH_SRCDIR/configure.ac")

# ---- bytes of a profile -------------------------------------------------
# Offsets of the header's fields, first of the early one, then, with a C in
# front, as CPython 3.15 writes them; then the footer's, from the file's end.
# shellcheck disable=SC2034
{
	HDR_MAGIC=0 HDR_VERSION=4 HDR_PYTHON=8 HDR_START=12 HDR_INTERVAL=20
	HDR_SAMPLES=28 HDR_THREADS=32 HDR_STRINGS=36 HDR_FRAMES=44
	HDR_COMPRESSION=52 HDR_RESERVED=56 HDR_SIZE=64

	CHDR_SAMPLES=28 CHDR_THREADS=36 CHDR_STRINGS=40 CHDR_FRAMES=48
	CHDR_COMPRESSION=56 CHDR_CONFIG=60

	FTR_STRINGS=-32 FTR_FRAMES=-28 FTR_FILE_SIZE=-24 FTR_CHECKSUM=-16
	FTR_SIZE=32
}

# at FILE OFFSET: the offset itself, or the file's size less -OFFSET.
at() {
	local offset=$2
	((offset >= 0)) || offset=$(($(stat -c %s "$1") + offset))
	echo "$offset"
}

# poke FILE OFFSET HEXBYTES: overwrites bytes; a negative OFFSET counts from
# the end.  `poke p.bin $HDR_VERSION 02000000`
poke() {
	local bytes
	bytes=$(sed 's/../\\x&/g' <<<"${3// /}")
	# shellcheck disable=SC2059
	printf "$bytes" |
	    dd of="$1" bs=1 seek="$(at "$1" "$2")" conv=notrunc status=none
}

# peek FILE OFFSET COUNT: bytes as hex digits.
peek() {
	od -An -v -tx1 -j "$(at "$1" "$2")" -N "$3" "$1" | tr -d ' \n'
}

# truncate_at FILE SIZE: keeps the first SIZE bytes, or all but the last
# -SIZE.
truncate_at() {
	truncate -s "$(at "$1" "$2")" "$1"
}

# ---- pipelines ----------------------------------------------------------

# A pipeline fails if any part of it does.  So none of them may end before the
# one that writes to it: that would be ended by SIGPIPE, sometimes.
set -o pipefail

# found ARG...: grep, silent, which reads all that there is, as grep -q does not.
found() {
	grep "$@" >/dev/null
}

# absent ARG...: grep finds nothing in standard input, which is not empty.  At the
# end of a pipeline it sees, as `run ! grep` of <() does not, that a command in it
# has failed.
absent() {
	local text status=0
	text=$(cat)
	[ -n "$text" ] || {
		echo "absent $*: there was no input"
		return 1
	}
	grep "$@" <<<"$text" || status=$?
	[ "$status" -eq 1 ]
}

# repeat N TEXT: so many lines of it.
repeat() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf '%s\n' "$2"
	done
}

# ---- comparing ----------------------------------------------------------

# is ACTUAL EXPECTED: equal, or a diff and failure.
is() {
	[ "$1" = "$2" ] || {
		diff -u --label expected --label actual \
		    <(printf '%s\n' "$2") <(printf '%s\n' "$1")
		return 1
	}
}

# golden NAME [FILE]: FILE, or else what the last `run` printed, is what
# t/golden/NAME holds.  TACH_GOLDEN=1 rewrites the golden instead: read the
# change before it is committed.
golden() {
	local want=$T/golden/$1
	local got=${2-$BATS_TEST_TMPDIR/golden.$$}
	# shellcheck disable=SC2154
	[ $# -gt 1 ] || printf '%s\n' "$output" >"$got"
	if [ -n "${TACH_GOLDEN-}" ]; then
		mkdir -p "${want%/*}"
		cp "$got" "$want"
	fi
	diff -u --label "t/golden/$1" --label actual "$want" "$got"
}

# ---- interpreters -------------------------------------------------------

# pythons [MINOR...]: the interpreters at hand, of these minors or else of all
# that tach-record knows, one a line: a tag such as 3.11-system or 3.15-forky,
# a tab and the command that starts it.
pythons() {
	"$T/peers/pythons" "$@"
}

# in_turn: of the lines on standard input all; in `make check-most` one, chosen by the
# number of the commit and the title of the test, so that tests choose different ones.
in_turn() {
	awk -v commit="${TACH_COMMIT-}" \
	    -v test="$(cksum <<<"${BATS_TEST_DESCRIPTION-}" | cut -d ' ' -f 1)" '
	{ line[NR - 1] = $0 }
	END {
		for (i = 0; i < NR; i++)
			if (commit == "" || i == (commit + test) % NR)
				print line[i]
	}'
}

# need_python MINOR|TAG: finds an interpreter, or skips the test.  Sets
#	PYTHON		the command, an array: (/path/python3.12) or
#			(chroot DIR /usr/bin/python3.15)
#	PYTHON_TAG	its tag
#	PYTHON_ROOT	DIR, or empty
#	OUTSIDE, INSIDE	one empty folder, as the test and as that Python see it
need_python() {
	local tag command
	while IFS=$'\t' read -r tag command; do
		case $tag in
		"$1" | "$1"-*)
			use_python "$tag" "$command"
			return
			;;
		esac
	done < <(pythons "${1%%-*}")
	skip "no Python $1 here: see t/peers/"
}

# use_python TAG COMMAND: the same for a line of `pythons`.
use_python() {
	PYTHON_TAG=$1
	read -ra PYTHON <<<"$2"
	PYTHON_ROOT=
	[ "${PYTHON[0]}" != chroot ] || PYTHON_ROOT=${PYTHON[1]}
	OUTSIDE=$(mktemp -d "${PYTHON_ROOT:-$BATS_TEST_TMPDIR}${PYTHON_ROOT:+/tmp}/tach.XXXXXX")
	# shellcheck disable=SC2034
	INSIDE=${OUTSIDE#"$PYTHON_ROOT"}
	[ -z "$PYTHON_ROOT" ] || SHARED+=("$OUTSIDE")
}

# host_python [MINOR...]: the first interpreter that needs no chroot, of these
# minors if they are given, as $python, or the test is skipped.
host_python() {
	local command
	while IFS=$'\t' read -r _ command; do
		case $command in
		chroot*) ;;
		*)
			# shellcheck disable=SC2034
			python=$command
			return
			;;
		esac
	done < <(pythons "$@")
	skip "no Python ${*:-from 3.6 to 3.15} here: see t/peers/"
}

# headers MINOR: the include folders of the Pythons at hand that have theirs.
headers() {
	local tag command root dir
	pythons "$1" | while IFS=$'\t' read -r tag command; do
		[[ $tag = "$1"-* ]] || continue
		root=
		[[ $command != chroot* ]] || root=$(cut -d ' ' -f 2 <<<"$command")
		command=${command##* }
		dir=$root${command%/bin/*}/include/python$1
		[ -d "$dir" ] || dir+=m
		# Ubuntu 18.04 ships 3.7 without its internal headers.
		[ ! -d "$dir/internal" ] && [ "$1" != 3.6 ] ||
		    [ ! -f "$dir/Python.h" ] || echo "$dir"
	done
}

# Folders inside a peer's root do not go away with bats' own.  A file with a
# teardown of its own calls drop_shared in it.
SHARED=()
drop_shared() {
	local dir
	for dir in "${SHARED[@]}"; do
		rm -rf "$dir"
	done
	SHARED=()
}

teardown() {
	drop_shared
}

# ---- other needs --------------------------------------------------------

# need COMMAND [PACKAGE]: skips the test where a command is absent.
need() {
	command -v "$1" >/dev/null || skip "no $1 here (Debian: ${2-$1})"
}

# Where tach-record may not have threads interrupted, even as root.
outside() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --bounding-set=-sys_admin,-bpf "$@"
	else
		"$@"
	fi
}

# interrupted [HOW...]: whether a small program's thread is, if it is recorded
# so.
interrupted() {
	"$@" tach-record -q -o interrupts.bin -- python3 -c '
for i in range(3000000): pass'
	tach-info interrupts.bin | found 'interrupts samples='
}

need_interrupts() {
	interrupted ||
	    skip "no interrupts (root, or CAP_BPF and CAP_PERFMON; two CPUs)"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# quota PERCENT: a cgroup whose processes have that much of a CPU, 100 ms at a
# time, as $QUOTA; a process is put into it by its number in $QUOTA/cgroup.procs.
# The test is skipped where there can be none.
QUOTA=
quota() {
	local v1=/sys/fs/cgroup/cpu v2=/sys/fs/cgroup name=tach.$$.$RANDOM
	need_root
	if mkdir "$v1/$name" 2>/dev/null; then
		QUOTA=$v1/$name
		echo $(($1 * 1000)) >"$QUOTA/cpu.cfs_quota_us"
		return
	fi
	grep -qs '\<cpu\>' "$v2/cgroup.subtree_control" &&
	    mkdir "$v2/$name" 2>/dev/null || skip "no cgroup with a CPU quota here"
	QUOTA=$v2/$name
	echo "$(($1 * 1000)) 100000" >"$QUOTA/cpu.max"
}

# drop_quota: for teardown, once its processes have ended.
drop_quota() {
	[ -z "$QUOTA" ] || until_ rmdir "$QUOTA" 2>/dev/null
	QUOTA=
}

# ---- processes ----------------------------------------------------------

# start COMMAND...: in the background, as $pid.
STARTED=()
start() {
	"$@" 3>&- &
	pid=$!
	STARTED+=("$pid")
}

# end_started: for teardown.  All are killed before one is waited for, which
# may have to be let go by another that traces it.
end_started() {
	local pid
	for pid in "${STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null || :
	done
	for pid in "${STARTED[@]}"; do
		wait "$pid" 2>/dev/null || :
	done
}

# until_ COMMAND...: tries for a minute, or longer on a busy machine.
until_() {
	local i
	for ((i = 0; i < 3000; i++)); do
		! "$@" || return 0
		sleep 0.02
	done
	echo "still not: $*"
	return 1
}

# $pid has come to its own code: it has used some CPU.
is_up() {
	until_ has_worked
}

has_worked() {
	local stat
	read -r stat <"/proc/$pid/stat"
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	((${12} >= 10)) # utime, in hundredths
}

# has_samples FILE: of a recording, also of one that goes on.
has_samples() {
	[ "$(tach-cat "$1" 2>/dev/null | wc -l)" -gt 1 ]
}

# in_tries N COMMAND...: that it succeeds, once in N times: for what is a share
# of samples, or a moment, which a machine that is busy with something else can
# spoil.  A bug spoils it each time.  A status of 3 is final, though: that is
# what truth.py says of what no machine is an excuse for.  t/lib/closing finds the
# lines of tries that failed, and the ledger has the tests that needed them.
in_tries() {
	local n=$1 i status
	shift
	for ((i = 1; i <= n; i++)); do
		status=0
		# Not behind ||, where bash would go on after what fails in it.
		(
			set -e
			STARTED=()
			trap 'end_started || :' EXIT
			"$@"
		) &
		wait $! || status=$?
		[ "$status" -ne 0 ] || return 0
		# In the log of a test that passes, too.
		echo "# $* failed, try $i of $n: status $status" >&3
		[ "$status" -ne 3 ] || break
	done
	return 1
}

[ -x "$TACH_BUILDDIR/cmd/tach-info" ] || {
	echo "no commands in $TACH_BUILDDIR/cmd: build first" >&2
	exit 1
}
