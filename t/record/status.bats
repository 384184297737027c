# SPDX-License-Identifier: ISC
# status.bats: what tach-record says of a thread besides its stack, on programs
# whose threads do what is known: statuses, modes, and the frames <GC> and
# <native>.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
}

# use TAG: that Python, with the programs where it sees them.
use() {
	need_python "$1"
	cp -r "$T/programs" "$OUTSIDE/programs"
	programs=$INSIDE/programs
}

# record PROGRAM ARG... [-- OPTION...]: as p.bin.
record() {
	local program=$1 args=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift || :
	tach-record -q -o p.bin "$@" -- "${PYTHON[@]}" "$programs/$program.py" \
	    "${args[@]}"
}

# status FUNCTION WORD: of the samples with that function in the stack, how
# many per cent have that status, or that they are too few; "-" for none at
# all.
status() {
	tach-cat p.bin | awk -F '\t' -v f=":$1:" -v w="$2" '
		index($5, f) { n++; if (index("," $4 ",", "," w ",")) k++ }
		END { if (n < 20) { print "of " n " samples only"; exit }
		      printf "%.1f\n", 100 * k / n }'
}

# share LOW HIGH FUNCTION WORD: that it is between.
share() {
	local got
	got=$(status "$3" "$4")
	echo "$3 $4: $got, should be $1 to $2"
	awk -v n="$got" -v low="$1" -v high="$2" \
	    'BEGIN { exit !(n ~ /^[0-9.]*$/ && n >= low && n <= high) }'
}

# ---- exceptions -----------------------------------------------------------------

exceptions() {
	use "$1"
	in_tries 3 handled
}

handled() {
	record excepts 1.5
	for f in handled handled_above handled_again; do
		share 96 100 "$f" exception
	done
	for f in calm calm_between calm_after; do
		share 0 4 "$f" exception
	done
}

@test "who handles an exception has its status, in 96 % or more: Python 3.6" { exceptions 3.6; }
@test "who handles an exception has its status, in 96 % or more: Python 3.7" { exceptions 3.7; }
@test "who handles an exception has its status, in 96 % or more: Python 3.8" { exceptions 3.8; }
@test "who handles an exception has its status, in 96 % or more: Python 3.9" { exceptions 3.9; }
@test "who handles an exception has its status, in 96 % or more: Python 3.10" { exceptions 3.10; }
@test "who handles an exception has its status, in 96 % or more: Python 3.11" { exceptions 3.11; }
@test "who handles an exception has its status, in 96 % or more: Python 3.12" { exceptions 3.12; }
@test "who handles an exception has its status, in 96 % or more: Python 3.13" { exceptions 3.13; }
@test "who handles an exception has its status, in 96 % or more: Python 3.14" { exceptions 3.14; }
@test "who handles an exception has its status, in 96 % or more: Python 3.15" { exceptions 3.15; }

# ---- the GIL ----------------------------------------------------------------------

# Of three threads that want it, one has it; where CPUs are scarce, one that
# has just given it back may wait for a CPU first.
gil() {
	use "$1"
	in_tries 3 wanted
}

wanted() {
	record gils 2
	share 25 40 hog gil
	share 45 75 hog gil-wanted
	share 0 4 hog -
	share 0 5 crunch gil
	share 0 25 crunch gil-wanted
	share 70 100 crunch cpu
	share 90 100 rest -
}

@test "who has the GIL, who wants it and who rests: Python 3.7" { gil 3.7; }
@test "who has the GIL, who wants it and who rests: Python 3.8" { gil 3.8; }
@test "who has the GIL, who wants it and who rests: Python 3.9" { gil 3.9; }
@test "who has the GIL, who wants it and who rests: Python 3.10" { gil 3.10; }
@test "who has the GIL, who wants it and who rests: Python 3.11" { gil 3.11; }
@test "who has the GIL, who wants it and who rests: Python 3.12" { gil 3.12; }
@test "who has the GIL, who wants it and who rests: Python 3.13" { gil 3.13; }
@test "who has the GIL, who wants it and who rests: Python 3.14" { gil 3.14; }
@test "who has the GIL, who wants it and who rests: Python 3.15" { gil 3.15; }

# ---- garbage collection --------------------------------------------------------------

collections() {
	use "$1"
	in_tries 3 collected "$1"
}

collected() {
	local true got
	record cycles "$INSIDE/share" 2
	true=$(cat "$OUTSIDE/share")
	got=$(tach-cat p.bin | awk -F '\t' '/:main:/ { n++; k += /<GC>/ }
	    END { print 100 * k / n }')
	echo "$got % collecting, should be $true"
	awk -v a="$got" -v b="$true" \
	    'BEGIN { d = a - b; exit !(d < 6 && d > -6) }'
	# It is called from where it is called from.
	[ "$1" != 3.15 ] || 
	    tach-cat p.bin | absent -E ':collect:[0-9]+;[^<]'
	tach-cat -l p.bin | found ':collect:[0-9:]*;~:<GC>:::::$'
	record cycles "$INSIDE/share" 0.5 -- --no-gc
	tach-cat p.bin | absent '<GC>'
}

@test "a garbage collection has its share, to 6 points: Python 3.7" { collections 3.7; }
@test "a garbage collection has its share, to 6 points: Python 3.8" { collections 3.8; }
@test "a garbage collection has its share, to 6 points: Python 3.9" { collections 3.9; }
@test "a garbage collection has its share, to 6 points: Python 3.10" { collections 3.10; }
@test "a garbage collection has its share, to 6 points: Python 3.11" { collections 3.11; }
@test "a garbage collection has its share, to 6 points: Python 3.12" { collections 3.12; }
@test "a garbage collection has its share, to 6 points: Python 3.13" { collections 3.13; }
@test "a garbage collection has its share, to 6 points: Python 3.14" { collections 3.14; }
@test "a garbage collection has its share, to 6 points: Python 3.15" { collections 3.15; }

# ---- C code that calls back -----------------------------------------------------------

# callees: who is called how by main and by re.sub, of what was seen 50 times:
# a generator is made, once for 100 calls, without C.
callees() {
	tach-cat p.bin | cut -f 5 | sed -nE 's/:[0-9]+//g
	    s/.*(callbacks.py:main|:sub)((;<native>)?;[^;]*)$/\1\2/p' |
	    sed -E 's/[^;<]*:([a-z_])/\1/g' | sort | uniq -c |
	    awk '$1 >= 50 { print $2 }' | grep -vE '^(main;sub|sub;_compile)$'
}

natives() {
	use "$1"
	in_tries 3 marked
}

marked() {
	record callbacks 1.5 -- -r 2k --native-markers --no-callees
	is "$(callees)" "main;<native>;key
main;<native>;reduced
main;<native>;yielded
main;called
sub;<native>;replaced"
	# Every root is called from C, no leaf is C, and C is C only once.
	tach-cat p.bin | cut -f 5 | absent -v '^<native>;'
	tach-cat p.bin | absent '<native>$'
	tach-cat p.bin | absent '<native>;<native>'
	record callbacks 0.3
	tach-cat p.bin | absent '<native>'
}

@test "what C calls has <native> above it, and nothing else: Python 3.11" { natives 3.11; }
@test "what C calls has <native> above it, and nothing else: Python 3.12" { natives 3.12; }
@test "what C calls has <native> above it, and nothing else: Python 3.13" { natives 3.13; }
@test "what C calls has <native> above it, and nothing else: Python 3.14" { natives 3.14; }
@test "what C calls has <native> above it, and nothing else: Python 3.15" { natives 3.15; }

# ---- opcodes ----------------------------------------------------------------------------

# What spin is at must be what the interpreter itself says that it has made of
# spin's code by then, line by line; and some of it is specialised.  Before
# main, it has been called often enough for that: however long a busy machine
# lets it stand where it is, main sees it as it is at the end.
opcodes() {
	use "$1"
	cat >"$OUTSIDE/spin.py" <<-'END'
		import dis, sys, time
		def spin(end):
		    x = 0
		    while x < end:
		        x += 1
		    return x
		def main():
		    end = time.monotonic() + 1
		    while time.monotonic() < end:
		        spin(20000)
		for _ in range(100):
		    spin(1000)
		main()
		code = spin.__code__
		now = getattr(code, "_co_code_adaptive", code.co_code)
		with open(sys.argv[1], "w") as f:
		    for start, end, line in code.co_lines():
		        for i in range(start, end, 2):
		            print(line, now[i], now[i] != code.co_code[i], file=f)
	END
	tach-record -q -o p.bin --opcodes -- "${PYTHON[@]}" "$INSIDE/spin.py" \
	    "$INSIDE/code"
	tach-cat -l p.bin | sed -nE \
	    's/.*:main:.*spin\.py:spin:([0-9]+):[^;]*:([0-9]+)(\/[A-Z0-9_]+)?$/\1 \2/p' |
	    sort | uniq -c | awk '$1 > 9 { print $2, $3 }' | sort >seen
	cat seen
	[ -s seen ]
	cut -d ' ' -f 1,2 "$OUTSIDE/code" | sort -u >there
	is "$(comm -23 seen there)" ""
	[ "$1" = 3.10 ] || grep True "$OUTSIDE/code" | cut -d ' ' -f 1,2 |
	    found -xF -f - seen
	tach-cat -l p.bin | found ':main:[^;]*:[0-9][0-9]*/[A-Z_][A-Z0-9_]*;'
}

@test "an opcode seen is one that its line has: Python 3.10" { opcodes 3.10; }
@test "an opcode seen is one that its line has: Python 3.11" { opcodes 3.11; }
@test "an opcode seen is one that its line has: Python 3.12" { opcodes 3.12; }
@test "an opcode seen is one that its line has: Python 3.13" { opcodes 3.13; }
@test "an opcode seen is one that its line has: Python 3.14" { opcodes 3.14; }
@test "an opcode seen is one that its line has: Python 3.15" { opcodes 3.15; }

# ---- what is kept ---------------------------------------------------------------------

# statuses: which statuses there are, but for the main thread's bit.
statuses() {
	tach-cat p.bin | cut -f 4 | sed 's/,\?main//; s/^$/-/' | sort -u
}

@test "modes: only samples of that status" {
	host_python
	PYTHON=("$python")
	programs=$T/programs
	in_tries 3 modes
}

modes() {
	record gils 0.7 -- --mode gil
	statuses | absent -v '^gil'
	record gils 0.7 -- --mode cpu
	statuses | absent -v cpu
	tach-cat p.bin | found :crunch:
	# It begins and ends, and waits for a CPU then.
	[ "$(grep -c :rest: <(tach-cat p.bin))" -lt 50 ]
	record excepts 0.7 -- --mode exception
	statuses | absent -v exception
	tach-cat p.bin | found :handled:
	tach-cat p.bin | absent -q :calm:
}

@test "tach-info says which mode and features were asked for" {
	host_python
	PYTHON=("$python")
	programs=$T/programs
	# as OPTION...: what the profile says then.
	as() {
		record fib 0.1 -- --layout cpython "$@"
		tach-info p.bin | grep -E '^(mode|features):' |
		    awk '{ $1 = ""; printf "%s", $0 }'
	}
	is "$(as)" " wall all-threads gc"
	is "$(as --mode gil --no-gc)" " gil all-threads"
	is "$(as --mode cpu --threads main)" " cpu gc"
	is "$(as --mode wall --native-markers --opcodes)" \
	    " wall all-threads native gc opcodes"
}

@test "--threads main has one thread, --idle drop no sample without a status" {
	host_python
	PYTHON=("$python")
	programs=$T/programs
	record gils 0.5 -- --threads main
	is "$(tach-cat p.bin | cut -f 3 | sort -u | wc -l)" 1
	tach-cat p.bin | cut -f 4 | absent -v main
	record gils 0.5 -- --idle drop
	tach-cat p.bin | found :hog:
	tach-cat p.bin | cut -f 4 | absent -q '^-$'
	record gils 0.5
	tach-cat p.bin | cut -f 4 | found '^-$'
}

@test "a thread is read each time if its state cannot be seen" {
	need_root
	host_python
	cat >turns.py <<-'END'
		import time
		def spin():
		    end = time.perf_counter() + 0.05
		    while time.perf_counter() < end:
		        pass
		def a(): spin()
		def b(): spin()
		time.sleep(1)
		for _ in range(20):
		    a()
		    b()
	END
	touch nothing
	unshare --mount mount --bind nothing /proc/self/syscall 2>err ||
		skip "nothing can be mounted in /proc: $(cat err)"
	start "$python" turns.py
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount --bind nothing "/proc/$1/task/$1/syscall" &&
		exec tach-record -q -o p.bin -p "$1"' - "$pid"
	tach-cat p.bin | cut -f 4 | found unknown
	is "$(tach-cat p.bin | grep -o ':[ab]:' | uniq | wc -l)" 40
}
