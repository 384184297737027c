# SPDX-License-Identifier: ISC
# oracle.bats: a little of `make oracle`: no stack that the programs cannot
# have, no round without a sample that is not counted, and that the judge knows such
# a stack when it sees it.  failures.bats has how many samples fail.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

# How tach-record reads threads that run, in what follows, and how often:
# in_interrupts COMMAND lets it interrupt them.  At 10 kHz slow interrupts would
# take more of the program than tach-record lets them, and it reads from outside.
HOW=outside RATE=10k
in_interrupts() {
	need_interrupts
	HOW='' RATE=2k
	"$@"
}

@test "CAP_BPF and CAP_PERFMON are enough for interrupts, and needed" {
	need_root
	need_interrupts
	interrupted setpriv --bounding-set=-all,+bpf,+perfmon
	run ! interrupted setpriv --bounding-set=-sys_admin,-perfmon
	run ! interrupted outside
}

# true_of MINOR LOAD...: at 10 kHz, by the first Python of that version, from
# outside and, where that can be, in interrupts.
true_of() {
	local minor=$1
	shift
	need_python "$minor"
	run "$T/bench/oracle" --fail -q -P tach -P tach-out -p "$PYTHON_TAG" \
	    -r 10k -s 0.7 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^tach' <<<"$output")" -eq $((2 * $#)) ]
}

LOADS=(chained chained3 flutter fib comprehensions making)

@test "no stack that cannot be: Python 3.11" { true_of 3.11 "${LOADS[@]}"; }
@test "no stack that cannot be: Python 3.12" {
	true_of 3.12 "${LOADS[@]}" contexts
}
@test "no stack that cannot be: Python 3.13" { true_of 3.13 "${LOADS[@]}"; }
@test "no stack that cannot be: Python 3.14" { true_of 3.14 "${LOADS[@]}"; }
@test "no stack that cannot be: Python 3.15" {
	true_of 3.15 "${LOADS[@]}" classes callbacks
}

# brief_is_seen MINOR PERCENT: brief() has so much of its share, or more, though
# from outside it often is over before its frame can be copied.
brief_is_seen() {
	need_python "$1"
	cp -r "$T/programs" "$OUTSIDE/programs"
	in_tries 3 brief_has "$2"
}

brief_has() {
	local truly seen
	truly=$($HOW tach-record -q -r $RATE -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/programs/brief.py" 3)
	seen=$(tach-convert --collapsed p.bin |
	    awk '/:brief:/ { n += $NF } { all += $NF }
		END { print int(1000 * n / all) }')
	echo "$seen of $truly"
	[ "$truly" -gt 30 ]
	[ $((100 * seen)) -gt $(($1 * truly)) ]
}

@test "60 % of what is over within a microsecond is seen: Python 3.11" {
	brief_is_seen 3.11 60
}
@test "60 % of what is over within a microsecond is seen: Python 3.13" {
	brief_is_seen 3.13 60
}
@test "60 % of what is over within a microsecond is seen: Python 3.15" {
	brief_is_seen 3.15 60
}

@test "in interrupts, 55 % of it: Python 3.8" {
	in_interrupts brief_is_seen 3.8 55
}
@test "in interrupts, 65 % of it: Python 3.13" {
	in_interrupts brief_is_seen 3.13 65
}

# one_moment MINOR THROUGH: no call is seen to come from the line of another,
# though both are made through so many functions.
one_moment() {
	local seen
	need_python "$1"
	cp -r "$T/programs" "$OUTSIDE/programs"
	$HOW tach-record -q -r $RATE -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/programs/turns.py" 2 "$2"
	seen=$(tach-cat p.bin |
	    sed -n 's/.*;turns:turns:\([0-9]*\);.*:call:[0-9]*;/\1 /p' |
	    awk '/:(even|odd):/ {
			n++
			wrong += ($1 % 2 == 0) != ($2 ~ /:even:/)
		}
		END { print n + 0, wrong + 0 }')
	echo "$seen wrong"
	[ "${seen% *}" -gt 200 ]
	[ "${seen#* }" -eq 0 ]
}

each_one_moment() { # MINOR
	one_moment "$1" 1
	one_moment "$1" 3
	one_moment "$1" 10
}

@test "a stack is of one moment: Python 3.11" { each_one_moment 3.11; }
@test "a stack is of one moment: Python 3.12" { each_one_moment 3.12; }
@test "a stack is of one moment: Python 3.13" { each_one_moment 3.13; }
@test "a stack is of one moment: Python 3.14" { each_one_moment 3.14; }
@test "a stack is of one moment: Python 3.15" { each_one_moment 3.15; }

@test "in interrupts, a stack is of one moment: Python 3.9" {
	in_interrupts each_one_moment 3.9
}
@test "in interrupts, a stack is of one moment: Python 3.13" {
	in_interrupts each_one_moment 3.13
}

# from_line N FUNCTION: in how many samples it is called where late.py has `# N`.
from_line() {
	tach-cat --since 2.2s p.bin | grep -c \
	    ":turn:$(sed -n "/# $1\$/=" "$T/programs/late.py");[^;]*:$2:"
}

# late_is_told MINOR: new calls of what is known from other lines are not taken
# for those from there.  Where the machine is busy, interrupts can take too long for a
# while.
late_is_told() {
	need_python "$1"
	cp -r "$T/programs" "$OUTSIDE/programs"
	in_tries 3 late_seen
}

late_seen() {
	local n=()
	$HOW tach-record -q -r $RATE -o p.bin -- "${PYTHON[@]}" \
	    "$INSIDE/programs/late.py" 2
	n=($(from_line 1 give) $(from_line 2 give) $(from_line 3 skip)
	    $(from_line 4 skip))
	echo "${n[@]}"
	[ "${n[0]}" -gt 300 ]
	[ "${n[2]}" -gt 300 ]
	[ $((4 * n[1])) -gt $((3 * n[0])) ]
	[ $((4 * n[0])) -gt $((3 * n[1])) ]
	[ $((4 * n[2])) -gt $((3 * n[3])) ]
	[ $((4 * n[3])) -gt $((3 * n[2])) ]
}

@test "a call that comes late is told from others: Python 3.11" {
	late_is_told 3.11
}
@test "a call that comes late is told from others: Python 3.12" {
	late_is_told 3.12
}
@test "a call that comes late is told from others: Python 3.13" {
	late_is_told 3.13
}
@test "a call that comes late is told from others: Python 3.14" {
	late_is_told 3.14
}
@test "a call that comes late is told from others: Python 3.15" {
	late_is_told 3.15
}

# To 3.10 that is not so from outside.
@test "in interrupts, a call from two lines is told apart: Python 3.6" {
	in_interrupts late_is_told 3.6
}
@test "in interrupts, a call from two lines is told apart: Python 3.9" {
	in_interrupts late_is_told 3.9
}
@test "in interrupts, a call from two lines is told apart: Python 3.13" {
	in_interrupts late_is_told 3.13
}

# ---- the judge ------------------------------------------------------------

# recorded LOAD: p.bin and what the program says of itself.
recorded() {
	local loads
	need_python 3.13 # before that, code that soon goes is seldom seen
	cp -r "$T/programs" "$OUTSIDE/programs"
	loads=("${PYTHON[@]}" "$INSIDE/programs/loads.py")
	"${loads[@]}" "$1" trace 6 1 <<<go >traced
	tach-record -q -r 10k -o p.bin -- "${loads[@]}" "$1" seconds 0.5 1 \
	    <<<go >played
	"$T/bench/judge.py" p.bin traced played
}

# changed SED KIND: with names changed so, some samples are of that kind.
changed() {
	tach-cat -l p.bin | sed "$1" | tach-convert --tach -o q.bin
	run -1 "$T/bench/judge.py" q.bin traced played
	echo "$output"
	grep -q "^$2 [1-9]" <<<"$output"
}

@test "the judge knows a call, a line and a root that cannot be" {
	recorded flutter
	changed 's/leaf_a/leaf_b/' impossible
	changed 's/leaf_b/never/' impossible
	changed 's/hot_a:[0-9]*/hot_a:1/' line
	changed 's/\t[^\t]*:run:[^;]*;/\t/' orphan
}

@test "the judge knows calls that do not follow one another" {
	local line
	recorded turns
	line=$(sed -n '/plead(nudge)/{=;q}' "$T/programs/loads.py")
	changed "s/:alternate:$line:/:alternate:$((line + 1)):/" impossible
}

@test "the judge knows a name that is not that of the code that ran" {
	recorded making
	changed 's/:f\([0-9]\)/:f9\1/' misnamed
	changed 's/;made-\([0-9]*\).py:f[0-9]*/;made-\1.py:g\1/' impossible
}
