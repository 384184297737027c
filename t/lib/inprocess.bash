# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# inprocess.bash: tach-record with the in-process engine.  Load lib.bash and truth.bash
# first.

teardown() {
	end_started
	drop_shared
}

ENGINE=(--engine=inprocess)

# A Python in a folder that is its root is to see /proc and our library there.
tach-record() {
	local lib status=0
	[ -n "${PYTHON_ROOT-}" ] || {
		command tach-record "$@"
		return
	}
	lib=$(dirname "$(realpath "$TACH_BUILDDIR/lib/.libs/libtach-agent.so")")
	mkdir -p "$PYTHON_ROOT$lib"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind /proc "$0/proc" &&
		mount --bind "$1" "$0$1" && shift && exec tach-record "$@"' \
	    "$PYTHON_ROOT" "$lib" "$@" || status=$?
	(cd "$PYTHON_ROOT" && rmdir -p --ignore-fail-on-non-empty ".$lib") || :
	return "$status"
}

# count NAME PROFILE: of the note that tells what the agents counted.
count() {
	tach-info "$2" | sed -n "s/^note: *inprocess .*\<$1=\([0-9]*\).*/\1/p"
}
