# SPDX-License-Identifier: ISC
# The manual pages: sound, complete, and their examples run.

load lib.bash

M=$TACH_SRCDIR/man

setup() {
	cd "$M"
}

@test "mandoc finds no fault" {
	need mandoc
	run -0 mandoc -Tlint -Wwarning ./*.[1-9]
	is "$output" ''
}

# The options that --help knows, by their long names, and those of the page.
@test "every option has its place in the page" {
	local name options
	for name in info cat convert merge record; do
		options=$(tach-$name --help | grep -oE -- '--[a-z][a-z-]+' |
		    sort -u)
		grep -x -- --version <<<"$options"
		is "$(grep -E '^\.It Fl' tach-$name.1 |
		    grep -oE 'Fl -[a-z][a-z-]+' | sed 's/Fl -/--/' |
		    sort -u)" "$options"
	done
}

# The lines between the first two empty ones of --help.
@test "every format has its place in the page" {
	local name names
	names=$(tach-convert --help | awk '/^$/ { n++ } n == 1' |
	    sed -n 's/^      --\([a-z]*\) .*/\1/p')
	grep -x tach <<<"$names"
	for name in $names; do
		grep -xE "\.It Fl -$name( Ar [A-Z]*)?" tach-convert.1
	done
}

# What a page says of the options that choose among samples, but for the
# paragraph that leads in.
selections() {
	sed -n '/^\.Ss Selections$/,/^\.El$/p' "$1" |
	    sed -n '/^\.Bl /,$p'
}

@test "the selections are the same in every page that has them" {
	local page
	[ -n "$(selections tach-cat.1)" ]
	for page in $(grep -l 'Fl -not-match' ./*.1); do
		is "$(selections "$page")" "$(selections tach-cat.1)"
	done
}

@test "every page names the exit statuses and has examples" {
	local page
	for page in ./*.1; do
		grep -q '^\.Sh EXIT STATUS$' "$page"
		grep -q '^\.Sh EXAMPLES$' "$page"
	done
}

@test "libtach(3) has every call of tach.h, and no other" {
	diff <(grep -oE '\btach_[a-z_]+\(' "$TACH_SRCDIR/lib/tach.h" |
	    tr -d '(' | sort -u) \
	    <(sed -n 's/^\.Fn \(tach_[a-z_]*\) .*/\1/p' libtach.3 | sort -u)
}

@test "tach(5) has every offset of the headers, as the tests know them" {
	local field at
	while read -r field at; do
		grep -E "^\.It [u0-9a-z ]+ Ta $at Ta .*$field" tach.5
	done <<-END
	magic $HDR_MAGIC
	version $HDR_VERSION
	start $HDR_START
	interval $HDR_INTERVAL
	samples $HDR_SAMPLES
	threads $HDR_THREADS
	string.table $HDR_STRINGS
	frame.table $HDR_FRAMES
	compression $HDR_COMPRESSION
	threads $CHDR_THREADS
	string.table $CHDR_STRINGS
	frame.table $CHDR_FRAMES
	compression $CHDR_COMPRESSION
	configuration $CHDR_CONFIG
	END
}

# The text of the literal blocks of a page's EXAMPLES.
blocks() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$1" |
	    sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./!p;}' |
	    sed 's/\\(aq/'"'"'/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\-/-/g
		s/\\e/\\/g'
}

# Those that need only profiles, p.bin and before.bin, and what is installed;
# what viewers make of a format is tested beside that format.
@test "the examples run" {
	need jq
	local page text ran=0
	cp "$T/data/cpython315-wall.bin" "$BATS_TEST_TMPDIR/p.bin"
	cp "$T/data/cpython315-none.bin" "$BATS_TEST_TMPDIR/before.bin"
	cd "$BATS_TEST_TMPDIR"
	for page in "$M"/*.[157]; do
		# From the first `$ ` on: tach-text(5) begins with lines of it.
		blocks "$page" | sed -n '/^\$ /,$p' >examples
		# One a `$ `; lines without belong to the one before.
		while IFS= read -r -d $'\001' text; do
			case $text in
			*tach-record* | *flamegraph.pl* | *pprof\ * | \
			    *callgrind_annotate* | '') continue ;;
			esac
			echo "$text"
			touch -d yesterday ./*
			# head ends a pipe early: that is no failure.
			bash -c "$text" >out 2>err
			[ -s out ] ||
			    [ -n "$(find . -name '*.*' -size +0 -newer before.bin)" ]
			# How many files of source text there are is told.
			is "$(sed '/ source text /d' err)" ''
			ran=$((ran + 1))
		done < <(sed 's/^\$ /\x01/' examples; printf '\001')
	done
	[ "$ran" -ge 30 ]
}

@test "the example of libtach(3) compiles" {
	local cc=${CC:-cc}
	need "${cc%% *}"
	blocks libtach.3 >"$BATS_TEST_TMPDIR/example.c"
	run -0 $cc -Wall -Wextra -Werror -fsyntax-only \
	    -I"$TACH_SRCDIR/lib" "$BATS_TEST_TMPDIR/example.c"
	is "$output" ''
}
