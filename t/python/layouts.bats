# SPDX-License-Identifier: ISC
# layouts.bats: the tables of CPython's structures, lib/python/layout_3_*.c,
# are what lib/python/mkoffsets makes of the headers of every Python here.

load ../lib/lib.bash

check_layout() {
	local dir
	headers "3.$1" >"$BATS_TEST_TMPDIR/dirs"
	[ -s "$BATS_TEST_TMPDIR/dirs" ] || skip "no headers of Python 3.$1 here"
	while read -r dir; do
		echo "$dir"
		"$TACH_SRCDIR/lib/python/mkoffsets" "$dir" >made
		# It only bounds offsets, and grew at its end from micro
		# version to micro version.
		diff -u -I '[.]interp_size = ' \
		    "$TACH_SRCDIR/lib/python/layout_3_$1.c" made
	done <"$BATS_TEST_TMPDIR/dirs"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "the layout is what the headers give: 3.6" { check_layout 6; }
@test "the layout is what the headers give: 3.7" { check_layout 7; }
@test "the layout is what the headers give: 3.8" { check_layout 8; }
@test "the layout is what the headers give: 3.9" { check_layout 9; }
@test "the layout is what the headers give: 3.10" { check_layout 10; }
@test "the layout is what the headers give: 3.11" { check_layout 11; }
@test "the layout is what the headers give: 3.12" { check_layout 12; }
@test "the layout is what the headers give: 3.13" { check_layout 13; }
@test "the layout is what the headers give: 3.14" { check_layout 14; }
@test "the layout is what the headers give: 3.15" { check_layout 15; }

# That of a free-threaded build is the last in the file of its minor.
check_free_threaded() {
	need_python "3.$1t"
	"$TACH_SRCDIR/lib/python/mkoffsets" \
	    "${PYTHON%/bin/*}/include/python3.$1t" >made
	diff -u <(tail -n "$(wc -l <made)" \
	    "$TACH_SRCDIR/lib/python/layout_3_$1.c") made
}

@test "the layout is what the headers give: 3.13, free-threaded" { check_free_threaded 13; }
@test "the layout is what the headers give: 3.14, free-threaded" { check_free_threaded 14; }
@test "the layout is what the headers give: 3.15, free-threaded" { check_free_threaded 15; }

# refused LINE: with this line more in the list there is no layout.
refused() {
	cp -r "$TACH_SRCDIR/lib" .
	printf '%b\n' "$1" >>lib/python/offsets.list
	run ! lib/python/mkoffsets "$dir"
}

@test "the list has known fields and versions only" {
	local dir
	headers 3.11 >dirs
	read -r dir <dirs || skip "no headers of Python 3.11 here"
	refused 'thread_nothing\t11-\tPyThreadState\tnext'
	[[ $output == *thread_nothing* ]]
	refused 'thread_next\t3.11\tPyThreadState\tnext'
	[[ $output == *"offsets.list:"*": no line of the list: thread_next"* ]]
	refused 'thread_next\t11-\tPyThreadState\tnothing'
	[[ $output == *nothing* ]]
}
