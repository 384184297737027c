# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# common.bash: what the benchmarks share: the peer, the files that both sides
# read, and the figures.

src=${TACH_SRCDIR:-$PWD} build=${TACH_BUILDDIR:-$PWD}
files=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tach/bench
times=5
samples=5000000
format=$build/t/bench/format

die() {
	echo "$0: $*" >&2
	exit 1
}

# ---- the peer ---------------------------------------------------------------

find_peer() {
	local command
	[ -x "$format" ] || die "needs $format: make bench"
	command=$("$src/t/peers/pythons" 3.15 | head -n 1 | cut -f 2)
	[ -n "$command" ] || die "needs a Python 3.15: see t/peers/forky"
	read -ra python <<<"$command"
	root=
	[ "${python[0]}" != chroot ] || root=${python[1]}
	# One folder, as we and as that Python see it.
	outside=$(mktemp -d "$root/tmp/tach.XXXXXX")
	inside=${outside#"$root"}
	trap 'rm -rf "$outside"' EXIT
	cp "$src"/t/bench/peer.py "$src"/t/programs/*.py "$outside/"
	version=$("${python[@]}" -c \
	    'import platform; print(platform.python_version())')
}

peer() {
	"${python[@]}" "$inside/peer.py" "$@"
}

# The peer's profiler, which needs a /proc: in a folder it gets one for as
# long as it runs.
profiler() {
	if [ -z "$root" ]; then
		"${python[@]}" -m profiling.sampling "$@"
	else
		# shellcheck disable=SC2016
		unshare -m "$SHELL" -c 'mount --bind /proc "$1/proc" &&
		    shift && exec "$@"' - "$root" \
		    "${python[@]}" -m profiling.sampling "$@"
	fi >/dev/null 2>&1
}

# Gives the peer a file to read.
show() {
	ln -f "$1" "$outside/" 2>/dev/null || cp "$1" "$outside/"
}

# ---- figures ----------------------------------------------------------------

# The median of a column of standard input.
median() {
	awk -v k="$1" '{ print $k }' | sort -g |
	    sed -n "$(((times + 1) / 2))p"
}

# verdict FIGURE GOAL UNIT [least]: the figure may be the goal at most, or at
# least.
verdict() {
	awk -v v="$1" -v goal="$2" -v unit="$3" -v least="${4-}" 'BEGIN {
		ok = least != "" ? v >= goal : v <= goal
		printf "goal %s%s: %s", goal, unit, ok ? "ok" : "MISSED"
	}'
}

# Nanoseconds of seconds for so many samples.
ns() {
	awk -v s="$1" -v n="$2" 'BEGIN {
		printf s / n < 1e-7 ? "%.1f" : "%.0f", s / n * 1e9
	}'
}

quotient() {
	awk -v a="$1" -v b="$2" -v digits="$3" 'BEGIN {
		printf "%.*f", digits, a / b
	}'
}

# ---- files ------------------------------------------------------------------

# make NAME COMMAND...: has a command make a file, once.
make() {
	local name=$1
	shift
	[ -f "$files/$name" ] || {
		echo "making $files/$name" >&2
		"$@" "$files/$name.new"
		mv "$files/$name.new" "$files/$name"
	}
}

# A recording of 2 busy and 10 idle threads, as often as is needed.
record_threads() {
	"$build/cmd/tach-record" -q -r 10k -d 20 --layout cpython \
	    -o "$outside/threads.bin" -- "${python[@]}" \
	    "$inside/threads.py" 1000000 2 10 2>/dev/null
	"$format" repeat "$outside/threads.bin" "$1" "$samples"
}

make_synthetic() {
	"$format" make "$1" "$2" "$3" "$4"
}

# What is read: A, B and C.
make_files() {
	mkdir -p "$files"
	make threads.bin record_threads
	make unique.bin make_synthetic unique "$samples" zstd
	make stacks.bin make_synthetic stacks "$samples" zstd
}
