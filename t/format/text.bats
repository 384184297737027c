# SPDX-License-Identifier: ISC
# text.bats: the text form, out and in again, and what is no text.

load ../lib/lib.bash

RECODE=$TACH_BUILDDIR/t/unit/recode

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# by_thread FILE: all fields of all samples, each thread's in their order: a
# writer may hold back a thread's samples.
by_thread() {
	"$RECODE" "$1" | sort -s -t $'\t' -k2,2n -k3,3n
}

# by_time FILE: the same in order of time, without regard to other order.
by_time() {
	"$RECODE" "$1" | sort
}

# about FILE: what holds for it as a whole.
about() {
	tach-cat -l "$1" | grep '^#'
}

# rewrite FILE: q.bin, in the layout of FILE, from the text that comes.
rewrite() {
	local layout
	layout=$(tach-info "$1" | sed -n 's/^layout: *//p')
	tach-convert --tach --layout="$layout" -o q.bin
}

# ---- nothing is lost ----------------------------------------------------

@test "the long form has every field of every sample, in order" {
	local file
	for file in "$T"/data/*.bin; do
		tach-cat -l "$file" >p.txt
		tach-cat --long "$file" | cmp p.txt -
		cmp <("$RECODE" "$file") <("$RECODE" p.txt)
		cmp p.txt <(tach-cat -l p.txt)
		cmp <(tach-cat "$file") <(tach-cat p.txt)
		is "$(about p.txt)" "$(about "$file")"
	done
}

@test "the long form becomes a file again" {
	local file
	for file in "$T"/data/*.bin; do
		tach-cat -l "$file" | rewrite "$file"
		cmp <(by_thread "$file") <(by_thread q.bin)
		is "$(about q.bin)" "$(about "$file")"
	done
}

@test "the short form has the rest of them" {
	local file
	for file in "$T"/data/*.bin; do
		tach-cat "$file" >p.txt
		cmp p.txt <(tach-cat p.txt)
		tach-convert --tach -o q.bin p.txt
		cmp <(sort p.txt) <(tach-cat q.bin | sort)
	done
}

@test "the long form of every rare thing is the golden" {
	run -0 --separate-stderr tach-cat -l "$T/data/odd.bin"
	is "$stderr" ''
	golden cat-long-odd.txt
}

@test "what the short form means in the long one" {
	printf '%s\n' $'1\t2\t3\tgil\ta:f:5;<GC>;b:g:' |
	    tach-cat -l >long
	is "$(cat long)" '# tach 1
# python 0.0.0
# start 0
# interval 0
'$'1\t2\t3\tgil\ta:f:5:5:::;~:<GC>:::::;b:g:::::'
}

# ---- other tools between ------------------------------------------------

@test "sort brings the samples into the order of time, and the header first" {
	local file how
	for file in "$T"/data/*.bin; do
		for how in -n -sn; do
			tach-cat -l "$file" | sort $how >p.txt
			is "$(head -n 1 p.txt | cut -c 1-2)" '# '
			sort -c -sn p.txt
			rewrite "$file" <p.txt
			cmp <(by_time "$file") <(by_time q.bin)
			is "$(about q.bin)" "$(about "$file")"
		done
		cmp <(by_thread "$file") <(by_thread q.bin)
	done
}

@test "grep and awk select samples" {
	local file=$T/data/cpython315-wall.bin all
	all=$("$RECODE" "$file" | wc -l)
	"$RECODE" "$file" | grep sleep | sort >want
	[ -s want ]
	[ "$(wc -l <want)" -lt "$all" ]
	tach-cat -l "$file" | grep -e '^#' -e sleep | rewrite "$file"
	cmp want <(by_time q.bin)
	is "$(about q.bin)" "$(about "$file")"

	"$RECODE" "$file" | awk '$1 % 2 == 0' | sort >want
	[ -s want ]
	[ "$(wc -l <want)" -lt "$all" ]
	tach-cat -l "$file" | awk -F '\t' '/^#/ || $1 % 2 == 0' |
	    rewrite "$file"
	cmp want <(by_time q.bin)
}

@test "without header lines nothing is known of the whole" {
	tach-cat -l "$T/data/odd.bin" | grep -v '^#' >p.txt
	cmp <("$RECODE" "$T/data/odd.bin") <("$RECODE" p.txt)
	is "$(tach-cat -l p.txt | grep '^#')" \
	    $'# tach 1\n# python 0.0.0\n# start 0\n# interval 0'
}

@test "the example of the page" {
	is "$(printf '%s\n' $'2000\t0\t7\tgil,cpu\tapp.py:main:12:12:4:11:;app.py:fib:3:3:11:21:' |
	    tach-cat)" $'2000\t0\t7\tgil,cpu\tapp.py:main:12;app.py:fib:3'
}

# ---- the header ---------------------------------------------------------

@test "header lines come back as they were, in any order" {
	local lines='# tach 1
# python 3.14.255
# start 18446744073709551615
# interval 1000
# config 0xffffffff
# quality duration=0.1 rate=1e+300 errors=33.333333333333336 missed=0
# note input 0-1 start=5 python=3.14.0 caf'$'\303\251'' a\134b\011c
# note '
	is "$(tach-cat -l <<<"$lines")" "$lines"
	is "$(sort -r <<<"$lines" | tach-cat -l | sort)" \
	    "$(sort <<<"$lines")"
	tach-convert --tach -o q.bin <<<"$lines"
	is "$(tach-cat -l q.bin | grep note)" "$(grep note <<<"$lines")"
}

@test "quality has only what is known" {
	local line='# quality duration=1 rate=2'
	is "$(tach-cat -l <<<"$line" | tail -n 1)" "$line"
	line+=' missed=5e-324'
	is "$(tach-cat -l <<<"$line" | tail -n 1)" "$line"
}

@test "comments and empty lines are passed over" {
	is "$(printf '%s\n' '# tach 1' '' '#!/bin/sh' '#' '# ' '## start x' \
	    '# startle 5' '#start 4' $'1\t0\t7\t-\t' '' '# end' \
	    $'2\t0\t7\t-\t' '#' | tach-cat)" $'1\t0\t7\t-\t\n2\t0\t7\t-\t'
}

@test "a note may also come late" {
	is "$(printf '%s\n' '# note a' $'1\t0\t7\t-\t' '# note b' |
	    tach-cat -l | tail -n 3)" $'# note a\n1\t0\t7\t-\t\n# note b'
}

# ---- what is no text ----------------------------------------------------

# refused MESSAGE LINE...: of these lines, after one that is good, the last is
# not; the others are printed.
good=$'1000\t0\t7\tgil\ta:f:1'
refused() {
	printf '%s\n' "$good" "${@:2}" >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" "tach-cat: bad.txt: $1"
	is "$output" "$(head -n -1 bad.txt)"
}

@test "wrong numbers of fields are refused" {
	refused 'line 2: 1 of 5 fields' '2000 0 7 gil a:f:1'
	refused 'line 2: 3 of 5 fields' $'2000\t0\t7'
	refused 'line 2: 4 of 5 fields' $'2000\t0\t7\tgil'
	refused 'line 2: 4 of 5 fields' $'2000\t0\t7\tbad'
	refused 'line 2: 6 fields, not 5' $'2000\t0\t7\tgil\ta:f:1\t'
	refused 'line 2: 7 fields, not 5' $'2000\t0\t7\tgil\ta:f:1\tb\t:g:1'
	refused 'line 2: 6 fields, not 5' $'x\t2000\t0\t7\tgil\ta:f:1'
}

@test "wrong fields are refused" {
	refused 'line 2: time "1e+06" is not a number' \
	    $'1e+06\t0\t7\tgil\ta:f:1'
	refused 'line 2: time "" is not a number' $'\t0\t7\tgil\ta:f:1'
	refused 'line 2: time "-5" is out of range' $'-5\t0\t7\tgil\ta:f:1'
	refused 'line 2: time "      3 9" is not a number' \
	    $'      3 9\t0\t7\tgil\ta:f:1'
	refused 'line 2: time "18446744073709551616" is out of range' \
	    $'18446744073709551616\t0\t7\tgil\ta:f:1'
	refused 'line 2: interpreter "4294967296" is out of range' \
	    $'2000\t4294967296\t7\tgil\ta:f:1'
	refused 'line 2: thread "18446744073709551616" is out of range' \
	    $'2000\t0\t18446744073709551616\tgil\ta:f:1'
	refused 'line 2: thread "7\033[1m" is not a number' \
	    $'2000\t0\t7\033[1m\tgil\ta:f:1'
	refused 'line 2: status "gill" is not known' \
	    $'2000\t0\t7\tcpu,gill\ta:f:1'
	printf '%s\n2000\t0\t7\tgil\0\ta:f:1\n' "$good" >bad.txt
	run -1 --separate-stderr tach-cat bad.txt
	is "$stderr" 'tach-cat: bad.txt: line 2: status "gil\000" is not known'
	refused 'line 2: status "" is not known' $'2000\t0\t7\t\ta:f:1'
	refused 'line 2: status "" is not known' $'2000\t0\t7\tgil,\ta:f:1'
	refused 'line 2: status "-" is not known' $'2000\t0\t7\t-,gil\ta:f:1'
	refused 'line 2: status "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd..." is not known' \
	    $'2000\t0\t7\taaaaaaaaaabbbbbbbbbbccccccccccdddddddddde\ta:f:1'
}

@test "wrong frames are refused" {
	local head=$'2000\t0\t7\tgil\t'
	refused 'line 2: frame 2 has 3 colons, not 0, 2 or 6' \
	    "${head}a:f:1;a:f:1:1"
	refused 'line 2: frame 1 has 1 colon, not 0, 2 or 6' "${head}a:f"
	refused 'line 2: frame 1 has 7 colons, not 0, 2 or 6' \
	    "${head}a:f:1:2:3:4:5:6"
	refused 'line 2: frame 1 is empty' "$head;a:f:1"
	refused 'line 2: frame 2 is empty' "${head}a:f:1;"
	refused 'line 2: frame 3 is empty' "${head}a:f:1;b;;c"
	refused 'line 2: frame 1: line "x" is not a number' "${head}a:f:x"
	refused 'line 2: frame 1: line "-" is not a number' "${head}a:f:-"
	refused 'line 2: frame 1: line "1\015" is not a number' \
	    "${head}a:f:1"$'\r;b'
	refused 'line 2: frame 1: line "2147483648" is out of range' \
	    "${head}a:f:2147483648"
	refused 'line 2: frame 1: line "-2147483649" is out of range' \
	    "${head}a:f:-2147483649"
	refused 'line 2: frame 1: end line "9x" is not a number' \
	    "${head}a:f:1:9x:::"
	refused 'line 2: frame 1: column "99999999999" is out of range' \
	    "${head}a:f:1:1:99999999999::"
	refused 'line 2: frame 1: end column "." is not a number' \
	    "${head}a:f:1:1:0:.:"
	refused 'line 2: frame 1: opcode "256" is out of range' \
	    "${head}a:f:1:1:0:1:256"
	refused 'line 2: frame 1: opcode "-1" is out of range' \
	    "${head}a:f:1:1:0:1:-1"
}

@test "wrong names are refused" {
	local head=$'2000\t0\t7\tgil\t' name
	local escape='has a backslash that begins no escape such as \040'
	for name in 'a\' 'a\1' 'a\12' 'a\128' 'a\400' 'a\n' 'a\\134' 'a\8'; do
		refused "line 2: frame 2: \"$name\" $escape" \
		    "${head}a:f:1;a.py:$name:1"
		refused "line 2: frame 2: \"$name\" $escape" \
		    "${head}a:f:1;$name"
	done
	refused 'line 2: frame 1: "a\001b" has a control character' \
	    "${head}a"$'\001'"b:f:1"
	refused 'line 2: frame 1: "\177" has a control character' \
	    "${head}"$'\177'
}

@test "names that need no escape are read without" {
	is "$(printf '%s\n' $'1\t0\t7\t-\tmy app.py:f\342\202\254 \377:1' |
	    tach-cat)" \
	    $'1\t0\t7\t-\tmy\\040app.py:f\342\202\254\\040\\377:1'
}

@test "time that goes back in one thread is refused" {
	refused 'line 3: the time goes back from 2000 to 1000 us in thread 7 (sort -n puts the lines in order)' \
	    $'2000\t0\t7\tgil\ta:f:1' $'1000\t0\t7\tgil\ta:f:1'
	is "$(sort -n bad.txt | tach-cat | wc -l)" 3
	# Other threads, and the same one in another interpreter, have times
	# of their own.
	printf '%s\n' "$good" $'5\t0\t8\tgil\ta:f:1' $'4\t1\t7\tgil\ta:f:1' \
	    $'1000\t0\t7\tgil\t' >p.txt
	cmp p.txt <(tach-cat p.txt)
}

@test "header lines that are wrong are refused" {
	local line message
	while IFS='|' read -r line message; do
		printf '%s\n' "#" "$line" >bad.txt
		run -1 --separate-stderr tach-cat bad.txt
		is "$stderr" "tach-cat: bad.txt: line 2: $message"
		is "$output" ''
	done <<-'END'
	# tach 2|version 2 of the text form is not known
	# tach|tach "" is not a number
	# tach 1.0|tach "1.0" is not a number
	# python 3.15|python "3.15" is not a version such as 3.15.0
	# python 3.15.0rc1|python "3.15.0rc1" is not a version such as 3.15.0
	# python 3.256.0|python "3.256.0" is not a version such as 3.15.0
	# start -1|start "-1" is out of range
	# start 18446744073709551616|start "18446744073709551616" is out of range
	# interval 1 ms|interval "1 ms" is not a number
	# config 89|config "89" is not a number such as 0x59
	# config 0x|config "0x" is not a number such as 0x59
	# config 0x100000000|config "0x100000000" is not a number such as 0x59
	# config 0x5G|config "0x5G" is not a number such as 0x59
	# quality rate|quality "rate" is not as "duration=3.02 rate=999.8 errors=0.1 missed=0"
	# quality rate= 5|quality "rate= 5" is not as "duration=3.02 rate=999.8 errors=0.1 missed=0"
	# quality speed=5|quality "speed=5" is not as "duration=3.02 rate=999.8 errors=0.1 missed=0"
	# note a\8|note "a\8" has a backslash that begins no escape such as \040
	END
}

@test "a second profile in one text is refused" {
	tach-cat -l "$T/data/odd.bin" "$T/data/odd.bin" >p.txt
	run -1 --separate-stderr tach-cat p.txt
	is "$stderr" 'tach-cat: p.txt: line 21: a second "# tach": tach-merge makes one profile of several'
	is "$output" "$(tach-cat "$T/data/odd.bin")"
	sort -n p.txt >q.txt
	run -1 --separate-stderr tach-cat q.txt
	is "$stderr" 'tach-cat: q.txt: line 2: a second "# interval": tach-merge makes one profile of several'
	refused 'line 2: "# python" comes after samples (sort -n puts it first)' \
	    '# python 3.15.0'
}

@test "the last line needs no newline, but five fields" {
	printf '%s\n%s' "$good" $'2000\t0\t7\tgil\ta:f:1' >p.txt
	is "$(tach-cat p.txt | wc -l)" 2
	printf '%s\n%s' "$good" $'2000\t0\t7\tg' >p.txt
	run -1 --separate-stderr tach-cat p.txt
	is "$stderr" 'tach-cat: p.txt: line 2: 4 of 5 fields'
	is "$output" "$good"
}

@test "a file that cannot be read is told" {
	run -1 --separate-stderr tach-cat - <"$BATS_TEST_TMPDIR"
	is "$stderr" 'tach-cat: standard input: cannot read: Is a directory'
}

# ---- live ---------------------------------------------------------------

# Each line is answered before the next one is sent.
@test "a pipe is read line by line" {
	mkfifo in out
	# stdbuf comes before a sanitizer, which else objects.
	ASAN_OPTIONS=verify_asan_link_order=0 \
	    stdbuf -oL tach-cat -l <in >out 3>&- &
	local line i to from
	exec {to}>in {from}<out
	printf '# tach 1\n1\t0\t7\tgil\ta:f:1\n' >&"$to"
	for i in 1 2 3 4 5; do
		read -r -t 10 line <&"$from"
	done
	is "$line" $'1\t0\t7\tgil\ta:f:1:1:::'
	for i in 2 3 4; do
		printf '%s\t0\t7\tgil\ta:f:1\n' "$i" >&"$to"
		read -r -t 10 line <&"$from"
		is "$line" "$i"$'\t0\t7\tgil\ta:f:1:1:::'
	done
	exec {to}>&- {from}<&-
	wait $!
}
