# SPDX-License-Identifier: ISC
# diff.bats: tach-convert --diff BASE.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# lines FIRST LAST STACK: lines of text, a millisecond apart.
lines() {
	local n
	for ((n = $1; n <= $2; n++)); do
		printf '%d\t0\t7\tcpu\t%s\n' $((n * 1000)) "$3"
	done
}

@test "the table has the shares of each function, and their change" {
	{
		lines 1 4 '/a.py:main:1;/a.py:parse:2'
		lines 5 8 '/a.py:main:1;/a.py:check:2;/a.py:check:9'
		lines 9 10 '/a.py:main:1;/a.py:gone:2'
	} >base
	{
		lines 1 2 '/a.py:main:1;/a.py:parse:2'
		lines 3 17 '/a.py:main:1;/a.py:check:3;/a.py:check:8'
		lines 18 20 '/a.py:main:1;~:<GC>:::::'
	} >now
	run -0 --separate-stderr tach-convert --diff base now
	is "$stderr" ""
	is "$output" "\
   self-base%    self-now%  self-change  total-base%   total-now% total-change  function  file
        40.00        75.00       +35.00        40.00        75.00       +35.00  check     /a.py
        40.00        10.00       -30.00        40.00        10.00       -30.00  parse     /a.py
        20.00         0.00       -20.00        20.00         0.00       -20.00  gone      /a.py
         0.00        15.00       +15.00         0.00        15.00       +15.00  <GC>      ~
         0.00         0.00         0.00       100.00       100.00         0.00  main      /a.py
       100.00       100.00         0.00       100.00       100.00         0.00  all: base 10 samples, now 20 samples"
}

@test "a known slowdown is the first line" {
	host_python
	in_tries 3 slower
}

slower() {
	local step
	tach-record -q -o base.bin -- "$python" "$T/convert/slower.py"
	for step in parse check store; do
		tach-record -q -o now.bin -- "$python" "$T/convert/slower.py" \
		    $step 3
		run -0 --separate-stderr tach-convert --diff base.bin now.bin
		is "$stderr" ""
		is "$(awk 'NR == 2 { print $7, $8 }' <<<"$output")" \
		    "$step $T/convert/slower.py"
		awk 'NR == 2 { exit !($3 > 5 && $6 > 5) }' <<<"$output"
	done
}

@test "a profile against itself: nothing changed, and all of it is there" {
	local file
	for file in "$T"/data/*.bin; do
		run -0 --separate-stderr tach-convert --diff "$file" "$file"
		is "$stderr" ""
		awk 'NR > 1 && ($3 != "0.00" || $6 != "0.00") { exit 1 }' \
		    <<<"$output"
		is "${lines[-1]##*all: }" "base $(tach-info --json "$file" |
		    jq .samples) samples, now $(tach-info --json "$file" |
		    jq .samples) samples"
		# All that ends somewhere is the whole; each is rounded.
		awk 'NR > 1 && !/ all: / { sum += $2; n++ }
		    END { exit !(sum > 100 - n * .005 - .01 &&
			sum < 100 + n * .005 + .01) }' <<<"$output"
	done
}

@test "by time" {
	{
		echo '# interval 1000'
		lines 0 1 '/a.py:f:1'
		printf '2000\t0\t7\tcpu\t/a.py:g:1\n7000\t0\t7\tcpu\t/a.py:f:1\n'
	} >base
	run -0 tach-convert --diff base --weight time base
	is "$output" "\
   self-base%    self-now%  self-change  total-base%   total-now% total-change  function  file
        37.50        37.50         0.00        37.50        37.50         0.00  f         /a.py
        62.50        62.50         0.00        62.50        62.50         0.00  g         /a.py
       100.00       100.00         0.00       100.00       100.00         0.00  all: base 8000 us, now 8000 us"
}

@test "nothing against something" {
	printf '# interval 1000\n' >none
	lines 1 2 '/a.py:f:1' >some
	run -0 tach-convert --diff none some
	is "$(tail -n 2 <<<"$output")" "\
         0.00       100.00      +100.00         0.00       100.00      +100.00  f         /a.py
         0.00       100.00      +100.00         0.00       100.00      +100.00  all: base 0 samples, now 2 samples"
	run -0 tach-convert --diff none none
	is "${#lines[@]}" 2
}

@test "names that would break the table" {
	lines 1 1 'a\012b.py:f\033[2J:1' >now
	lines 2 2 ':日本:1' >>now
	run -0 tach-convert --diff now now
	is "$(awk 'NR == 2 || NR == 3 { sub(/^.*0.00  /, ""); print }' \
	    <<<"$output")" "f\\033[2J  a\\012b.py
日本        "
}

@test "where there is nothing to compare with" {
	lines 1 1 'a.py:f:1' >now
	run -1 --separate-stderr tach-convert --diff nosuch now
	is "$output" ""
	is "$stderr" "tach-convert: nosuch: No such file or directory"
	run -1 --separate-stderr tach-convert --diff now nosuch
	is "$stderr" "tach-convert: nosuch: No such file or directory"
	run -1 --separate-stderr tach-convert --diff now -o /dev/full now
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}

@test "profiles that were not recorded alike" {
	local text
	{
		printf '# tach 1\n# interval 1000\n# config 0x39\n'
		lines 1 2 '/a.py:f:1'
	} >base
	{
		printf '# tach 1\n# interval 10000\n# config 0xda\n'
		lines 1 2 '/a.py:f:1'
	} >now
	text="the base is of mode wall, this one is of mode cpu: their shares \
cannot be compared; the base has an interval of 1000 us, this one of \
10000 us: compare shares, not samples; the base has <native> frames, this one \
has none; the base has none, this one has <GC> frames; the base has none, this \
one has opcodes"
	run -0 tach-convert --diff base now
	is "${lines[-1]}" "Not recorded alike: $text"
	tach-convert --flamegraph --source no --diff base now |
	    grep -F "\"unlike\":\"$text\""
	run -0 tach-convert --diff base base
	is "${#lines[@]}" 3
	sed '/config/d' now >unknown
	run -0 tach-convert --diff base unknown
	is "${lines[-1]}" "Not recorded alike: the base has an interval of \
1000 us, this one of 10000 us: compare shares, not samples"
}
