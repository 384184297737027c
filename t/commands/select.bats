# SPDX-License-Identifier: ISC
# select.bats: the options that choose among samples, which all commands that
# read profiles have.  What they take is said again here by awk, on the lines
# of a tach-cat without them.
# shellcheck disable=SC2016

load ../lib/lib.bash

setup() {
	cd "$T/data"
	W=cpython315-wall.bin
}

# takes N OPTION... -- AWK: of the profile $P, tach-cat prints the lines for
# which the expression holds, N of them, and no others.
takes() {
	local n=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	tach-cat "${options[@]}" "$P" >"$BATS_TEST_TMPDIR/got"
	tach-cat "$P" | awk -F '\t' "$2" >"$BATS_TEST_TMPDIR/want"
	cmp "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	is "$(wc -l <"$BATS_TEST_TMPDIR/got")" "$n"
}

@test "--thread and --not-thread take what awk takes" {
	P=$W
	takes 2052 --thread 32207 -- '$3 == 32207'
	takes 9655 --not-thread 32207 -- '$3 != 32207'
	takes 3970 --thread 32207,32209 -- '$3 == 32207 || $3 == 32209'
	takes 3970 --thread 32209 --thread 32207 -- '$3 == 32207 || $3 == 32209'
	takes 2052 --thread 0x7dcf -- '$3 == 32207'
	takes 0 --thread 1 -- 0
	takes 1918 --thread 32207,32209 --not-thread 32207 -- '$3 == 32209'
	P=odd.bin
	takes 4 --thread 18446744073709551615 -- '$3 ~ /^18/'
	takes 4 --thread 0XFFFFffffFFFFffff -- '$3 ~ /^18/'
	takes 6 --thread 007 -- '$3 == 7'
}

@test "--thread and --not-thread take threads by name" {
	P=$BATS_TEST_TMPDIR/p.bin
	tach-convert --tach -o "$P" - <<-'END'
	# tach 1
	# start 0
	# interval 1000
	# note thread 0 7 old
	# note thread 0 7 pool 1
	# note thread 1 7 other
	# note thread 0 8 pool 1
	# note thread 0 9 0x7
	# note thread 0 10 a,b
	0	0	7	-	app.py:main:1
	1000	0	7	-	app.py:main:2
	1000	1	7	-	app.py:main:1
	2000	0	8	-	app.py:main:1
	2000	0	9	-	app.py:main:1
	3000	0	10	-	app.py:main:1
	4000	0	11	-	app.py:main:1
	END
	takes 3 --thread 'pool 1' -- '$3 == 8 || $3 == 7 && $2 == 0'
	takes 4 --not-thread 'pool 1' -- '$3 > 8 || $2 == 1'
	takes 2 --thread other,9 -- '$3 == 9 || $2 == 1'
	takes 2 --thread 11 --thread other -- '$3 == 11 || $2 == 1'
	takes 1 --thread other,11 --not-thread other -- '$3 == 11'
	takes 1 --thread 7 --not-thread 'pool 1' -- '$2 == 1'
	# The whole name, the last of several, and what is a number is an id.
	takes 0 --thread old,pool,Other -- 0
	takes 3 --thread 0x7 -- '$3 == 7'
	takes 0 --thread a,b -- 0
	# A merge selects before it numbers interpreters anew.
	tach-merge --thread other -o "$P.two" "$P" "$P"
	is "$(tach-cat "$P.two" | cut -f 3)" $'7\n7'
}

@test "a name that comes while a profile is being recorded" {
	local text=$BATS_TEST_TMPDIR/p.txt
	cat >"$text" <<-'END'
	# tach 1
	0	0	7	-	app.py:main:1
	1000	0	8	-	app.py:main:1
	# note thread 0 7 one
	2000	0	7	-	app.py:main:1
	3000	0	8	-	app.py:main:1
	END
	is "$(tach-cat --thread one "$text" | cut -f 1)" 2000
	is "$(tach-cat --not-thread one "$text" | cut -f 1)" $'0\n1000\n3000'
}

@test "--interp and --not-interp take what awk takes" {
	P=odd.bin
	takes 9 --interp 0 -- '$2 == 0'
	takes 7 --not-interp 0 -- '$2 != 0'
	takes 7 --interp 1,0xffffffff -- '$2 != 0'
	takes 5 --thread 7 --interp 0 -- '$3 == 7 && $2 == 0'
}

@test "--status and --not-status take what awk takes" {
	local word n
	P=$W
	takes 2013 --status gil -- '$4 ~ /(^|,)gil(,|$)/'
	takes 9694 --not-status gil -- '$4 !~ /(^|,)gil(,|$)/'
	P=odd.bin
	# Every word that there is.
	while read -r word n; do
		takes "$n" --status "$word" -- "\$4 ~ /(^|,)$word(,|\$)/"
		takes $((16 - n)) --not-status "$word" -- \
		    "\$4 !~ /(^|,)$word(,|\$)/"
	done <<-END
	gil 5
	cpu 7
	unknown 3
	gil-wanted 3
	exception 3
	main 3
	0x40 2
	0x80 2
	END
	# All of some, none of others.
	takes 3 --status gil,cpu -- '$4 ~ /gil,cpu/'
	takes 2 --status cpu --status main -- '$4 ~ /cpu.*main/'
	takes 1 --not-status gil,cpu,unknown,gil-wanted,exception,main \
	    --not-status 0x40,0x80 -- '$4 == "-"'
	takes 1 --status gil,cpu --not-status main -- '$4 == "gil,cpu"'
}

@test "--since and --until take what awk takes" {
	P=$W
	takes 5384 --since 600ms -- '$1 >= 600000'
	takes 6323 --until 0.6 -- '$1 < 600000'
	takes 2370 --since 200ms --until .4s -- '$1 >= 200000 && $1 < 400000'
	takes 0 --since 2m -- 0
	takes 11707 --until 2m -- 1
	# The first moment is taken, the last is not.
	P=odd.bin
	takes 3 --since 1099511627777us -- '$1 >= 1099511627777'
	takes 13 --until 1099511627777us -- '$1 < 1099511627777'
	takes 2 --since 3ms --until 3001us -- '$1 == 3000'
	takes 2 --since 0.003 --until 1m -- '$1 == 3000'
	takes 16 --since 0 -- 1
}

@test "--match and --not-match take what awk takes" {
	local n
	P=$W
	n=$(tach-cat $W | cut -f 5 | grep -c ':amain:')
	[ "$n" -gt 0 ]
	[ "$n" -lt 11707 ]
	takes "$n" --match ':amain:' -- '$5 ~ /:amain:/'
	takes $((11707 - n)) --not-match ':amain:' -- '$5 !~ /:amain:/'
	P=odd.bin
	# Anchored at a frame, not at a stack.
	takes 5 --match '^/srv/app.py:main:12$' -- \
	    '$5 ~ /(^|;)\/srv\/app.py:main:12(;|$)/'
	# All of several, or none.
	takes 2 --match '^/srv/app' --match 'launch|<GC>:$' -- \
	    '$5 ~ /srv\/app/ && $5 ~ /launch|<GC>$/'
	takes 6 --not-match '^/srv/app' --not-match '^/lib|launch' \
	    --not-match nosuch -- '$5 !~ /srv\/app|\/lib|launch/'
	takes 2 --match '^/srv/app' --not-match 'launch|<GC>|:-7$' \
	    --interp 0 -- '$5 ~ /^\/srv\/app.py:main:12$/ && $2 == 0'
	# Bare bytes, where the lines have escapes: the blank, the newline, the
	# NUL, and what is no UTF-8; a file, a function and a line each.
	takes 1 --match '^/srv/my app/tab	here\.py:semi;colon:and\\slash
:1$' -- '$5 ~ /semi/'
	takes 1 --match '^/srv/bad'$'\xff\xc0\xaf''\.py:nul.del' -- '$5 ~ /nul/'
	takes 1 --match '/日本\.py:😀 <lambda>:' -- '$5 ~ /日本/'
	# Frames without a line or without a place; stacks without a frame.
	takes 1 --match '^~:<GC>:$' -- '$5 ~ /;<GC>$/'
	takes 1 --match '^~:<GC>:0$' -- '$5 ~ /~:<GC>:0$/'
	takes 1 --match '^::$' -- '$5 == "::"'
	takes 15 --match '' -- '$5 != ""'
	takes 1 --not-match '' -- '$5 == ""'
}

@test "a collapsed profile of what is selected" {
	local options
	options=(--thread 32207 --status gil --since 100ms --until 1s)
	run -0 --separate-stderr tach-convert --collapsed "${options[@]}" $W
	is "$stderr" ''
	is "$(awk '{ n += $NF } END { print n }' <<<"$output")" \
	    "$(tach-cat "${options[@]}" $W | wc -l)"
	is "$(cut -d ';' -f 1 <<<"$output" | sort -u)" tid:32207
	# Sharing counts on what was left out before it.
	is "$(sed 's/^[^;]*;//; s/ [0-9]*$//' <<<"$output" | sort)" \
	    "$(tach-cat "${options[@]}" $W | cut -f 5 | sort -u |
	    sed 's,\\040, ,g; s,[^;]*/,,g; s,_sync_coordinator[^;]*;,,g' |
	    sort -u)"
}

@test "tach-info --stats of what is selected" {
	run -0 --separate-stderr tach-info --stats --interp 0 --thread 7 odd.bin
	is "$stderr" ''
	is "$(grep '^thread:' <<<"$output" | awk '{ print $2, $4, $6 }')" \
	    '7 0 5'
}

@test "of several files each counts from its own start" {
	is "$(tach-cat --interp 0 --until 2ms odd.bin $W odd.bin)" \
	    "$(tach-cat --interp 0 --until 2ms odd.bin
	    tach-cat --until 2ms $W; tach-cat --interp 0 --until 2ms odd.bin)"
}

@test "damage is told though nothing is selected" {
	local bad=$BATS_TEST_TMPDIR/bad.bin want
	cp odd.bin "$bad"
	poke "$bad" 76 09
	run -1 --separate-stderr tach-cat "$bad"
	want=$stderr
	run -1 --separate-stderr tach-cat --thread 12345 "$bad"
	is "$output" ''
	is "$stderr" "$want"
}

# refuses MESSAGE OPTION...: a usage error, by each of the commands.
refuses() {
	local want=$1 command
	shift
	for command in tach-cat 'tach-convert --collapsed' 'tach-info --stats'
	do
		# shellcheck disable=SC2086
		run -2 --separate-stderr $command "$@" odd.bin
		is "$output" ''
		is "$stderr" "${command%% *}: $want
Try '${command%% *} --help'."
	done
}

@test "numbers that are none are refused" {
	local like='is no number such as 12699 or 0x319b'
	refuses "--not-thread 1,,2: '' is no thread" --not-thread 1,,2
	refuses "--thread : '' is no thread" --thread ''
	refuses "--interp 1,x: 'x' $like" --interp 1,x
	refuses "--interp : '' $like" --interp ''
	refuses "--interp 0x: '0x' $like" --interp 0x
	refuses "--interp -1: '-1' $like" --interp -1
	refuses "--interp +1: '+1' $like" --interp +1
	refuses "--interp  1: ' 1' $like" --interp ' 1'
	refuses "--interp 1 : '1 ' $like" --interp '1 '
	refuses "--interp 1.5: '1.5' $like" --interp 1.5
	refuses "--interp 0x-1: '0x-1' $like" --interp 0x-1
	refuses "--not-interp main: 'main' $like" --not-interp main
	refuses "--interp 4294967296: '4294967296' is too large (up to 4294967295)" \
	    --interp 4294967296
	refuses "--thread 7,0x10000000000000000: '0x10000000000000000' is too large (up to 18446744073709551615)" \
	    --thread 7,0x10000000000000000
}

@test "words that are none are refused" {
	local words='gil, cpu, unknown, gil-wanted, exception, main, 0x40 and 0x80'
	refuses "--status gil,foo: 'foo' is none of $words" --status gil,foo
	refuses "--not-status GIL: 'GIL' is none of $words" --not-status GIL
	refuses "--status -: '-' is none of $words" --status -
	refuses "--status : '' is none of $words" --status ''
	refuses "--status 0x4: '0x4' is none of $words" --status 0x4
}

@test "times that are none are refused" {
	local text
	for text in '' . 1x '1 s' 1e3 -1 +1 1.2.3 0x10 inf nan s 1sm 1h; do
		refuses "--since $text: not a time such as 1.5s, 200ms, 50us or 2m" \
		    --since "$text"
	done
	refuses "--until 1000000000s: too large" --until 1000000000s
	refuses "--since $(printf '9%.0s' {1..400}): too large" \
	    --since "$(printf '9%.0s' {1..400})"
	refuses '--until 0: that is not after the start' --until 0
	refuses '--until 1s: that is not after --since' --since 1 --until 1s
	refuses '--since 2: that is not before --until' --until 1s --since 2
}

@test "expressions that are none are refused" {
	refuses '--match (: Unmatched ( or \(' --match '('
	refuses '--not-match [a: Unmatched [, [^, [:, [., or [=' \
	    --match b --not-match '[a'
}

@test "an option without its value is refused" {
	local option
	for option in thread not-thread interp not-interp status not-status \
	    since until match not-match; do
		run -2 --separate-stderr tach-cat --$option
		is "$output" ''
		is "$stderr" "tach-cat: option '--$option' requires an argument
Try 'tach-cat --help'."
	done
}
