# SPDX-License-Identifier: ISC
# callees.bats: the function of C that the innermost Python frame calls.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# callees: of the stacks on stdin, each thread's name and its callee, or "-".
callees() {
	awk '
	function end() { if (name != "") print name, callee; name = "" }
	/^thread / {
		end()
		name = $3
		gsub(/[":]/, "", name)
		callee = "-"
		first = 1
		next
	}
	first && / \(<built-in>\)$/ { sub(/^ */, ""); sub(/ \(.*/, ""); callee = $0 }
	{ first = 0 }
	END { end() }' | sort
}

same_callees() {
	tach-record --dump --waits=none -p "$pid" | callees >seen
	diff -u <(grep -v '^end ' told | sort) seen
}

# dumped MINOR: each thread's callee, as the program tells it.
dumped() {
	local tag command
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		cp "$T/record/callees.py" "$OUTSIDE"
		start "${PYTHON[@]}" "$INSIDE/callees.py" >told
		until_ grep -q '^end ' told
		in_tries 3 same_callees
		end_started || :
	done < <(pythons "$1")
}

@test "--dump names the C function that a thread is in, however it is called: 3.6" { dumped 3.6; }
@test "--dump names the C function that a thread is in, however it is called: 3.7" { dumped 3.7; }
@test "--dump names the C function that a thread is in, however it is called: 3.8" { dumped 3.8; }
@test "--dump names the C function that a thread is in, however it is called: 3.9" { dumped 3.9; }
@test "--dump names the C function that a thread is in, however it is called: 3.10" { dumped 3.10; }
@test "--dump names the C function that a thread is in, however it is called: 3.11" { dumped 3.11; }
@test "--dump names the C function that a thread is in, however it is called: 3.12" { dumped 3.12; }
@test "--dump names the C function that a thread is in, however it is called: 3.13" { dumped 3.13; }
@test "--dump names the C function that a thread is in, however it is called: 3.14" { dumped 3.14; }
@test "--dump names the C function that a thread is in, however it is called: 3.15" { dumped 3.15; }
@test "--dump names the C function that a thread is in, however it is called: 3.13t" { dumped 3.13t; }
@test "--dump names the C function that a thread is in, however it is called: 3.14t" { dumped 3.14t; }
@test "--dump names the C function that a thread is in, however it is called: 3.15t" { dumped 3.15t; }

# judged: the samples of callables.py on stdin that are in its one call: how many; how
# many of them are named, in percent; and each name that is wrong.
judged() {
	awk '
	NR == FNR { callee[$1] = substr($0, length($1) + 2); next }
	{
		samples = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frames, ";")
		name = ""
		if (sub(/^<built-in>:/, "", frames[n])) {
			name = frames[n--]
			sub(/:[0-9]*$/, "", name)
		}
		if (frames[n] !~ /callables\.py:call:/)
			next
		split(frames[n - 1], caller, ":")
		all += samples
		if (name == callee[caller[2]])
			named += samples
		else if (name != "")
			print "in", caller[2] ":", name ", not", callee[caller[2]]
	}
	END { print all + 0, (all ? int(100 * named / all) : 0) }' told -
}

# names_right PERCENT [HOW...]: a recording by tach-record, run so, has no wrong name, and
# names that part of the samples.
names_right() {
	local percent=$1 samples named
	shift
	"$@" tach-record -q -r 10k -o callables.bin "${ENGINE[@]}" -- "${PYTHON[@]}" \
	    "$INSIDE/callables.py" 1 >told
	tach-convert --collapsed callables.bin | judged >seen
	read -r samples named <seen
	echo "$*: $(cat seen)"
	[ "$(wc -l <seen)" -eq 1 ]
	((samples > 500 && named >= percent))
}

# recorded MINOR: with interrupts, where they are to be had, without, and in-process.
recorded() {
	local tag command
	ENGINE=()
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		cp "$T/record/callables.py" "$OUTSIDE"
		! interrupted || in_tries 3 names_right 80
		in_tries 3 names_right 10 outside
		ENGINE=(--engine=inprocess)
		[ -n "$PYTHON_ROOT" ] || in_tries 3 names_right 60
		ENGINE=()
	done < <(pythons "$1")
}

@test "recordings name the functions of C that one place calls in turn: 3.6" { recorded 3.6; }
@test "recordings name the functions of C that one place calls in turn: 3.7" { recorded 3.7; }
@test "recordings name the functions of C that one place calls in turn: 3.8" { recorded 3.8; }
@test "recordings name the functions of C that one place calls in turn: 3.9" { recorded 3.9; }
@test "recordings name the functions of C that one place calls in turn: 3.10" { recorded 3.10; }
@test "recordings name the functions of C that one place calls in turn: 3.11" { recorded 3.11; }
@test "recordings name the functions of C that one place calls in turn: 3.12" { recorded 3.12; }
@test "recordings name the functions of C that one place calls in turn: 3.13" { recorded 3.13; }
@test "recordings name the functions of C that one place calls in turn: 3.14" { recorded 3.14; }
@test "recordings name the functions of C that one place calls in turn: 3.15" { recorded 3.15; }
@test "recordings name the functions of C that one place calls in turn: 3.13t" { recorded 3.13t; }
@test "recordings name the functions of C that one place calls in turn: 3.14t" { recorded 3.14t; }
@test "recordings name the functions of C that one place calls in turn: 3.15t" { recorded 3.15t; }
