# SPDX-License-Identifier: ISC
# The manual pages: sound, complete, and their examples run.

load ../lib/lib.bash
load ../lib/examples.bash

M=$TACH_SRCDIR/man

setup() {
	cd "$M"
}

@test "mandoc finds no fault" {
	need mandoc
	run -0 mandoc -Tlint -Wwarning ./*.[1-9]
	is "$output" ''
}

# ---- options ------------------------------------------------------------

# rows COMMAND: the rows of its options: name, letter, argument, and more.
rows() {
	"$1" --completion-helper | sed 1d
}

# table COMMAND: its long options.
table() {
	rows "$1" | cut -f 1 | sed 's/^/--/' | sort
}

# letters COMMAND: its short options.
letters() {
	rows "$1" | cut -f 2 | sed -n 's/^[a-zA-Z0-9]$/-&/p' | sort
}

# items PAGE: the names in front of what the page says of each option, all that
# are on one line together.
items() {
	sed -n 's/^\.It Fl /Fl /p' "$1" | sed 's/Ar [^,]*//g' |
	    sed 's/Cm [^,]*//g; s/Ns [^,]*//g; s/ *, */ /g
		s/Fl -\([a-z]\)/--\1/g; s/Fl \([a-zA-Z0-9]\)/-\1/g; s/ *$//'
}

long_names() {
	grep -oE -- '--[a-z][a-z-]*' | sort
}

# What a command's page has of its own, and what tach-select(7) has for it, but for an
# option that has more words in the page itself.
documented() {
	items "$1.1"
	! found '^\.Op Ar selection' "$1.1" ||
	    items tach-select.7 | grep -vxF -e "$(items "$1.1")"
}

@test "each option of a command stands in its page once, and no other" {
	local name
	for name in info cat convert merge record top; do
		table tach-$name | grep -x -- --version
		is "$(documented tach-$name | long_names)" "$(table tach-$name)"
		is "$(documented tach-$name | grep -oE '^-[a-zA-Z0-9]\b' | sort)" \
		    "$(letters tach-$name)"
	done
}

# known COMMAND NAME ARGUMENT: getopt_long knows it, and whether it has one, or may
# have one.
known() {
	case $3 in
	-)
		run ! "$1" "--$2=x"
		is "${lines[0]}" "$1: option '--$2' doesn't allow an argument"
		;;
	'['*)
		run -0 "$1" "--$2" --version
		run ! "$1" "--$2=x"
		[[ ${lines[0]} == "$1: --$2 cannot be x: it is "*" or "* ]]
		;;
	*)
		run ! "$1" "--$2"
		is "${lines[0]}" "$1: option '--$2' requires an argument"
		;;
	esac
}

@test "getopt_long and --help have the options of the tables" {
	local name option argument
	for name in info cat convert merge record top; do
		is "$(tach-$name --help | long_names | uniq)" "$(table tach-$name)"
		is "$(tach-$name --help | grep -oE '^  -[a-zA-Z0-9]' | tr -d ' ' |
		    sort)" "$(letters tach-$name)"
		while IFS=$'\t' read -r option _ argument _; do
			known "tach-$name" "$option" "$argument"
		done < <(rows tach-$name)
	done
}

# synopsis PAGE: the options there, by their long names.
synopsis() {
	local option
	sed -n '/^\.Sh SYNOPSIS$/,/^\.Sh DESCRIPTION$/p' "$1" |
	    sed 's/| Fl/Fl/' | grep -oE '(Fl|\|) -?[a-zA-Z0-9][a-z-]*' |
	    sed 's/^[F|]l* //; s/^-/--/' | while read -r option; do
		if [[ $option = --* ]]; then
			echo "$option"
		else
			fold -w 1 <<<"$option" | sed 's/^/-/'
		fi
	done | while read -r option; do
		items "$1" | sed -n "s/^$option //p"
		[[ $option != --* ]] || echo "$option"
	done
}

formats() {
	tach-convert --list | sed 's/ .*//'
}

# The options that choose among samples, and those that name formats, stand
# there as one word.
@test "each option of a command stands in its SYNOPSIS, and no other" {
	local name
	for name in info cat convert merge record top; do
		is "$({
			synopsis tach-$name.1
			! found '^\.Op Ar selection' tach-$name.1 ||
			    items tach-select.7
			! found '^\.Fl - Ns Ar format' tach-$name.1 ||
			    formats | sed 's/^/--/'
		} | sort -u)" "$(table tach-$name)"
	done
}

@test "each page that selections are for sends its reader to tach-select(7)" {
	local name
	for name in info cat convert merge; do
		table tach-$name | grep -x -- --not-match
		found '^\.Op Ar selection' tach-$name.1
		grep -x '\.Xr tach-select 7 \.' tach-$name.1
	done
}

@test "each format has a section in tach-formats(7), with an example" {
	local name section
	is "$(sed -n '/^\.Sh FORMATS$/,$s/^\.Ss //p' tach-formats.7 | sort)" \
	    "$(formats | sort)"
	for name in $(formats); do
		section=$(sed -n "/^\.Ss $name\$/,/^\.S[sh] [^$name]/p" \
		    tach-formats.7)
		grep -E "^\\$ .*\\\\-\\\\-$name\b" <<<"$section"
	done
}

@test "tach(7) and SEE ALSO have each page" {
	local page name
	for page in ./*.[1-9]; do
		name=${page#./}
		[ "$name" != tach.7 ] || continue
		grep -E "^\.(It )?Xr ${name%.*} ${name##*.}" tach.7
		sed -n '/^\.Sh SEE ALSO$/,$p' "$page" | found 'Xr tach 7'
	done
}

@test "every page names the exit statuses and has examples" {
	local page
	for page in ./*.1; do
		grep -q '^\.Sh EXIT STATUS$' "$page"
		grep -q '^\.Sh EXAMPLES$' "$page"
	done
}

@test "libtach(3) has every call of the headers, and no other" {
	diff <(sed '/^typedef /d' "$TACH_SRCDIR/lib/tach.h" \
	    "$TACH_SRCDIR/lib/tach-record.h" |
	    grep -oE '\btach_[a-z0-9_]+\(' | tr -d '(' | sort -u) \
	    <(sed -n 's/^\.Fn \(tach_[a-z0-9_]*\) .*/\1/p' libtach.3 | sort -u)
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

# ---- examples -----------------------------------------------------------

# What needs only profiles, p.bin and before.bin, and what is installed; what
# viewers make of a format is tested beside that format, and recordings in
# examples.bats.
@test "the examples run, and print or write something" {
	need jq
	local page text ran=0
	cp "$T/data/cpython315-wall.bin" "$BATS_TEST_TMPDIR/p.bin"
	cp "$T/data/cpython315-none.bin" "$BATS_TEST_TMPDIR/before.bin"
	cd "$BATS_TEST_TMPDIR"
	for page in "$M"/*.[157]; do
		while IFS= read -r -d $'\001' text; do
			[[ $text != *tach-record* ]] || continue
			runs_here "$text" || continue
			echo "$text"
			example_runs "$text"
			# How many files of source text there are is told, and
			# that a recording of CPython's does not say who is idle.
			is "$(sed '/ source text /d; / is taken for idle$/d' err)" ''
			ran=$((ran + 1))
		done < <(page_commands "$page")
	done
	[ "$ran" -ge 40 ]
}
