# SPDX-License-Identifier: ISC
# callees.bats: the function of C that the innermost Python frame calls.

load ../lib/lib.bash

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	! interrupted || touch interrupted
}

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

# dumped MINOR: each thread's callee, as the program tells it; of the builds of that
# Python one in turn.
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
	done < <(pythons "$1" | in_turn)
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

# leaves: the samples of collapsed stacks on stdin, as columns: how many, the callee or
# nothing, the innermost frame of Python, and the one that called it.
leaves() {
	awk '{
		samples = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frames, ";")
		name = ""
		if (sub(/^<built-in>:/, "", frames[n])) {
			name = frames[n--]
			sub(/:[0-9]*$/, "", name)
		}
		print samples "\t" name "\t" frames[n] "\t" frames[n - 1]
	}'
}

# judged: the samples on stdin that are in the one call of callables.py, or in operators.py:
# how many; how many of them are named, in percent; and each name that is wrong.
judged() {
	leaves | awk -F '\t' '
	NR == FNR {
		callees[$1] = $2
		for (i = 2; i <= NF; i++)
			right[$1, $i] = 1
		next
	}
	$3 ~ /callables\.py:call:/ { split($4, caller, ":") }
	$3 ~ /operators\.py:/ { split($3, caller, ":") }
	$3 !~ /callables\.py:call:|operators\.py:/ || !(caller[2] in callees) { next }
	callees[caller[2]] != "-" { all += $1 }
	(caller[2], $2) in right {
		named += $1
		next
	}
	$2 != "" { print "in", caller[2] ":", $2 ", not", callees[caller[2]] }
	END { print all + 0, (all ? int(100 * named / all) : 0) }' told -
}

# names_right PROGRAM PERCENT [HOW...]: a recording of it by tach-record, run so, has no
# wrong name, and names that part of the samples.
names_right() {
	local program=$1 percent=$2 samples named
	shift 2
	"$@" tach-record -q -r 10k -o called.bin "${ENGINE[@]}" -- "${PYTHON[@]}" \
	    "$INSIDE/$program" 1 >told
	tach-convert --collapsed called.bin | judged >seen
	read -r samples named <seen
	echo "$*: $(cat seen)"
	[ "$(wc -l <seen)" -eq 1 ]
	((samples > 500 && named >= percent))
}

# How a program is recorded, with the share that is to be named.
ENGINE=()
in_interrupts() {
	names_right "$program" "$interrupted_share"
}

from_outside() {
	names_right "$program" "$outside_share" outside
}

in_process() {
	ENGINE=(--engine=inprocess)
	names_right "$program" "$inprocess_share"
}

# ways: how a Python is recorded here: with interrupts, without, and in-process.
ways() {
	[ ! -e "$BATS_FILE_TMPDIR/interrupted" ] || echo in_interrupts
	echo from_outside
	[ -n "$PYTHON_ROOT" ] || echo in_process
}

# recorded PROGRAM MINOR PERCENT OUTSIDE INPROCESS: with interrupts, where they are to be
# had, without, and in-process, so many percent of the samples are named: each build in all
# ways, or one in one way, in turn.
recorded() {
	local program=$1 interrupted_share=$3 outside_share=$4 inprocess_share=$5
	local tag command all way
	need_python "$2"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/record/$program" "$OUTSIDE"
		all=$(ways | in_turn)
		for way in $all; do
			echo "$tag $way"
			in_tries 3 "$way"
		done
	done < <(pythons "$2" | in_turn)
}

called() {
	recorded callables.py "$1" 80 10 60
}

@test "recordings name the functions of C that one place calls in turn: 3.6" { called 3.6; }
@test "recordings name the functions of C that one place calls in turn: 3.7" { called 3.7; }
@test "recordings name the functions of C that one place calls in turn: 3.8" { called 3.8; }
@test "recordings name the functions of C that one place calls in turn: 3.9" { called 3.9; }
@test "recordings name the functions of C that one place calls in turn: 3.10" { called 3.10; }
@test "recordings name the functions of C that one place calls in turn: 3.11" { called 3.11; }
@test "recordings name the functions of C that one place calls in turn: 3.12" { called 3.12; }
@test "recordings name the functions of C that one place calls in turn: 3.13" { called 3.13; }
@test "recordings name the functions of C that one place calls in turn: 3.14" { called 3.14; }
@test "recordings name the functions of C that one place calls in turn: 3.15" { called 3.15; }
@test "recordings name the functions of C that one place calls in turn: 3.13t" { called 3.13t; }
@test "recordings name the functions of C that one place calls in turn: 3.14t" { called 3.14t; }
@test "recordings name the functions of C that one place calls in turn: 3.15t" { called 3.15t; }

# Long operations are named, and what is freed where it was popped; the rest of the time
# is the interpreter's own.
operated() {
	recorded operators.py "$1" 60 15 50
}

@test "recordings name operators on types of C: 3.6" { operated 3.6; }
@test "recordings name operators on types of C: 3.7" { operated 3.7; }
@test "recordings name operators on types of C: 3.8" { operated 3.8; }
@test "recordings name operators on types of C: 3.9" { operated 3.9; }
@test "recordings name operators on types of C: 3.10" { operated 3.10; }
@test "recordings name operators on types of C: 3.11" { operated 3.11; }
@test "recordings name operators on types of C: 3.12" { operated 3.12; }
@test "recordings name operators on types of C: 3.13" { operated 3.13; }
@test "recordings name operators on types of C: 3.14" { operated 3.14; }
@test "recordings name operators on types of C: 3.15" { operated 3.15; }
@test "recordings name operators on types of C: 3.13t" { operated 3.13t; }
@test "recordings name operators on types of C: 3.14t" { operated 3.14t; }
@test "recordings name operators on types of C: 3.15t" { operated 3.15t; }

# results_right [OPTION...]: of the samples of results.py that wait for the GIL behind a call,
# whose result lies where the callable was, at most one in 50 has the name of that.
results_right() {
	tach-record -q -r 2k -o results.bin "$@" -- "${PYTHON[@]}" "$INSIDE/results.py" 2 >told
	tach-convert --collapsed --not-status gil results.bin >stacks
	leaves <stacks | awk -F '\t' '
	NR == FNR {
		callees[$1] = $2
		next
	}
	!(split($4, caller, ":") && caller[2] in callees) { next }
	{ all += $1 }
	$2 != "" && $2 != callees[caller[2]] {
		wrong += $1
		print "in", caller[2] ":", $2 ",", $1
	}
	END { print all + 0, wrong + 0; exit !(all > 500 && wrong * 50 <= all) }' told -
}

# behind_call MINOR: in all ways, each build; or one build in one way, in turn.
behind_call() {
	local tag command all way
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/record/results.py" "$OUTSIDE"
		all=$({
			echo remote
			[ -n "$PYTHON_ROOT" ] || echo inprocess
		} | in_turn)
		for way in $all; do
			echo "$tag $way"
			in_tries 3 results_right --engine="$way" --mode wall
		done
	done < <(pythons "$1" | in_turn)
}

@test "what a call returns is not taken for its callee while the GIL is waited for: 3.6" { behind_call 3.6; }
@test "what a call returns is not taken for its callee while the GIL is waited for: 3.8" { behind_call 3.8; }
@test "what a call returns is not taken for its callee while the GIL is waited for: 3.11" { behind_call 3.11; }
@test "what a call returns is not taken for its callee while the GIL is waited for: 3.12" { behind_call 3.12; }
@test "what a call returns is not taken for its callee while the GIL is waited for: 3.13" { behind_call 3.13; }
@test "what a call returns is not taken for its callee while the GIL is waited for: 3.14" { behind_call 3.14; }

# traced HOW: of the samples in a function whose lines a tracer is told of, nearly all have
# their callees.
traced() {
	tach-record -q -r 2k -o traced.bin -- "${PYTHON[@]}" "$INSIDE/traced.py" 1 "$1"
	tach-convert --collapsed traced.bin | awk '
	/:work:[0-9]+(;<built-in>:[^;]*)? [0-9]+$/ { all += $NF }
	/:work:[0-9]+;<built-in>:(type list|list.reverse|len):0 [0-9]+$/ { named += $NF }
	END {
		print "named", named + 0, "of", all + 0
		exit !(all > 300 && named * 2 > all)
	}'
}

# Each build, by a tracer and by a monitor; or one in one way, in turn.
traced_by() {
	local tag command how hows=$2
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/record/traced.py" "$OUTSIDE"
		for how in $(tr ' ' '\n' <<<"$hows" | in_turn); do
			echo "$tag $how"
			in_tries 3 traced "$how"
		done
	done < <(pythons "$1" | in_turn)
}

@test "calls of functions whose lines are traced have their callees: 3.11" { traced_by 3.11 trace; }
@test "calls of functions whose lines are traced have their callees: 3.12" { traced_by 3.12 "trace monitor"; }
@test "calls of functions whose lines are traced have their callees: 3.13" { traced_by 3.13 "trace monitor"; }
@test "calls of functions whose lines are traced have their callees: 3.14" { traced_by 3.14 "trace monitor"; }
@test "calls of functions whose lines are traced have their callees: 3.15" { traced_by 3.15 "trace monitor"; }
@test "calls of functions whose lines are traced have their callees: 3.13t" { traced_by 3.13t "trace monitor"; }
