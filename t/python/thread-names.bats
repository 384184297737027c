# SPDX-License-Identifier: ISC
# thread-names.bats: objects as they are read from a Python's memory, and the names
# of threads, which are some of them.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	programs=$T/programs
}

teardown() {
	end_started
	drop_shared
}

# finals MINOR: what pythons prints, but for pre-releases, which are refused.
finals() {
	local tag command
	pythons "$1" | while IFS=$'\t' read -r tag command; do
		case $($command -V 2>&1) in
		*[0-9][abr]*) ;;
		*) printf '%s\t%s\n' "$tag" "$command" ;;
		esac
	done
}

# ---- objects ------------------------------------------------------------------

printed_all() {
	grep -q '^nothing ' looks
}

# same_objects MINOR [PROGRAM OPTION]: what is read of each object is what its repr()
# gives, or what else that program prints; of the builds of that Python one in turn.
same_objects() {
	local tag command program=${2-objects.py}
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		cp "$T/python/$program" "$OUTSIDE"
		start "${PYTHON[@]}" "$INSIDE/$program" >looks
		until_ printed_all
		# shellcheck disable=SC2046,SC2154
		"$TACH_BUILDDIR/t/unit/objects" ${3+"$3"} "$pid" __main__ \
		    $(cut -d ' ' -f 1 looks) >seen
		diff -u looks seen
		end_started || :
	done < <(finals "$1" | in_turn)
}

@test "each object is read as its repr() prints it: 3.6" { same_objects 3.6; }
@test "each object is read as its repr() prints it: 3.7" { same_objects 3.7; }
@test "each object is read as its repr() prints it: 3.8" { same_objects 3.8; }
@test "each object is read as its repr() prints it: 3.9" { same_objects 3.9; }
@test "each object is read as its repr() prints it: 3.10" { same_objects 3.10; }
@test "each object is read as its repr() prints it: 3.11" { same_objects 3.11; }
@test "each object is read as its repr() prints it: 3.12" { same_objects 3.12; }
@test "each object is read as its repr() prints it: 3.13" { same_objects 3.13; }
@test "each object is read as its repr() prints it: 3.14" { same_objects 3.14; }
@test "each object is read as its repr() prints it: 3.15" { same_objects 3.15; }

# same_callees MINOR: a callable of C is read as the function that its call runs.
same_callees() {
	same_objects "$1" callables.py -c
}

@test "each callable of C has its name: 3.6" { same_callees 3.6; }
@test "each callable of C has its name: 3.7" { same_callees 3.7; }
@test "each callable of C has its name: 3.8" { same_callees 3.8; }
@test "each callable of C has its name: 3.9" { same_callees 3.9; }
@test "each callable of C has its name: 3.10" { same_callees 3.10; }
@test "each callable of C has its name: 3.11" { same_callees 3.11; }
@test "each callable of C has its name: 3.12" { same_callees 3.12; }
@test "each callable of C has its name: 3.13" { same_callees 3.13; }
@test "each callable of C has its name: 3.14" { same_callees 3.14; }
@test "each callable of C has its name: 3.15" { same_callees 3.15; }
@test "each callable of C has its name: 3.13t" { same_callees 3.13t; }
@test "each callable of C has its name: 3.14t" { same_callees 3.14t; }
@test "each callable of C has its name: 3.15t" { same_callees 3.15t; }

# same_operations MINOR: an operator is read as the function of C that does it.
same_operations() {
	same_objects "$1" operations.py -o
}

@test "each operator on types of C has its name: 3.6" { same_operations 3.6; }
@test "each operator on types of C has its name: 3.7" { same_operations 3.7; }
@test "each operator on types of C has its name: 3.8" { same_operations 3.8; }
@test "each operator on types of C has its name: 3.9" { same_operations 3.9; }
@test "each operator on types of C has its name: 3.10" { same_operations 3.10; }
@test "each operator on types of C has its name: 3.11" { same_operations 3.11; }
@test "each operator on types of C has its name: 3.12" { same_operations 3.12; }
@test "each operator on types of C has its name: 3.13" { same_operations 3.13; }
@test "each operator on types of C has its name: 3.14" { same_operations 3.14; }
@test "each operator on types of C has its name: 3.15" { same_operations 3.15; }
@test "each operator on types of C has its name: 3.13t" { same_operations 3.13t; }
@test "each operator on types of C has its name: 3.14t" { same_operations 3.14t; }
@test "each operator on types of C has its name: 3.15t" { same_operations 3.15t; }

# ---- names of threads ---------------------------------------------------------

# same_names MINOR: the notes of a recording are what the program says.
same_names() {
	local tag command
	need zstd
	IFS=$'\t' read -r tag command < <(finals "$1") ||
	    skip "no Python $1 here: see t/peers/"
	use_python "$tag" "$command"
	cp "$T/python/named.py" "$OUTSIDE"
	in_tries 3 names
}

# Some threads live for a moment only.
names() {
	tach-record -q -o p.bin -- "${PYTHON[@]}" "$INSIDE/named.py" \
	    "$INSIDE/truth"
	"$T/python/names.py" p.bin "$OUTSIDE/truth"
}

@test "each thread has the names that its program gave it: 3.6" { same_names 3.6; }
@test "each thread has the names that its program gave it: 3.7" { same_names 3.7; }
@test "each thread has the names that its program gave it: 3.8" { same_names 3.8; }
@test "each thread has the names that its program gave it: 3.9" { same_names 3.9; }
@test "each thread has the names that its program gave it: 3.10" { same_names 3.10; }
@test "each thread has the names that its program gave it: 3.11" { same_names 3.11; }
@test "each thread has the names that its program gave it: 3.12" { same_names 3.12; }
@test "each thread has the names that its program gave it: 3.13" { same_names 3.13; }
@test "each thread has the names that its program gave it: 3.14" { same_names 3.14; }
@test "each thread has the names that its program gave it: 3.15" { same_names 3.15; }

@test "CPython 3.15 replays a profile with names" {
	need_python 3.15-forky
	make_named "$OUTSIDE/p.bin" --layout cpython
	"${PYTHON[@]}" -m profiling.sampling replay --collapsed \
	    -o "$INSIDE/out" "$INSIDE/p.bin"
	is "$(cat "$OUTSIDE/out")" 'tid:7;app.py:main:1 2
tid:8;app.py:main:1 1'
}

# ---- what shows them -------------------------------------------------------------

# make_named FILE [OPTION...]: a profile whose threads 7 and 8 have names.
make_named() {
	local file=$1
	shift
	tach-convert --tach "$@" -o "$file" - <<-'END'
	# tach 1
	# start 0
	# interval 1000
	# note thread 0 7 old
	# note thread 0 7 w(a) S "b" é\012
	# note thread 1 8 other
	# note thread 1 7
	# note thread x 7 no
	# note thread 0 18446744073709551616 no
	0	0	7	main	app.py:main:1
	1000	0	7	main	app.py:main:1
	1000	1	8	-	app.py:main:1
	END
}

threads_of() {
	tach-info -s --json "$1" | jq -c '.stats.threads[] |
	    [.interpreter, .thread, .name]'
}

@test "tach-info: the last name counts, and is made harmless" {
	make_named p.bin
	is "$(tach-info -s p.bin | sed -n 's/^thread: .* name //p')" \
	    'w(a) S "b" é\012
other'
	is "$(threads_of p.bin)" '[0,7,"w(a) S \"b\" é\n"]
[1,8,"other"]'
	is "$(tach-info p.bin | grep -c '^note:.*thread')" 0
}

@test "names stay with their threads in every form, and when merged" {
	make_named p.bin
	tach-cat -l p.bin >p.txt
	tach-convert --tach -o q.bin p.txt
	is "$(threads_of q.bin)" "$(threads_of p.bin)"
	tach-convert --tach --layout cpython -o c.bin p.bin
	is "$(threads_of c.bin)" "$(threads_of p.bin)"
	tach-merge -o copy.bin p.bin
	is "$(threads_of copy.bin)" "$(threads_of p.bin)"
	tach-merge -o twice.bin p.bin q.bin
	is "$(threads_of twice.bin | sort)" '[0,7,"w(a) S \"b\" é\n"]
[1,8,"other"]
[2,7,"w(a) S \"b\" é\n"]
[3,8,"other"]'
	tach-merge -o thrice.bin q.bin twice.bin
	is "$(threads_of thrice.bin | sort | sed -n '5p;6p')" \
	    '[4,7,"w(a) S \"b\" é\n"]
[5,8,"other"]'
}

@test "formats call threads by their names" {
	local one='"w(a) S \"b\" é\u000a (7' two='other (8, interpreter 1' format
	make_named p.bin
	for format in speedscope gecko chrome flamegraph; do
		echo "$format"
		# A page has its controls as text.
		[ $format != flamegraph ] ||
		    one='"w(a) S \"b\" é\\012 (7'
		tach-convert --$format -o out p.bin
		grep -qF "$one" out
		grep -qF "$two" out
	done
	tach-convert --pprof p.bin | gunzip >out
	grep -qaF "$two" out
	tach-convert --callgrind -o out p.bin
	grep -qF 'w(a) S "b" é' out
	is "$(tach-convert --jsonl p.bin | jq -c '[.thread, .name]' | sort -u)" \
	    '[7,"w(a) S \"b\" é\n"]
[8,"other"]'
	is "$(tach-convert --csv p.bin | cut -d , -f 3,4 | sort -u | tail -n 1)" \
	    'thread,name'
}
