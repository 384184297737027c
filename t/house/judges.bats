# SPDX-License-Identifier: ISC
# judges.bats: the judges of the other tests: that decode.py reads what CPython
# writes as CPython does, and refuses what is damaged; and that truth.py says
# no to what is not true.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

PROFILES='gil none opcodes wall'

@test "decode.py and CPython 3.15 read the same, sample for sample" {
	need_python 3.15
	cp "$T/programs/replays.py" "$OUTSIDE"
	for name in $PROFILES; do
		cp "$T/data/cpython315-$name.bin" "$OUTSIDE/p.bin"
		"${PYTHON[@]}" "$INSIDE/replays.py" "$INSIDE/p.bin" >theirs
		"$T/lib/decode.py" "$OUTSIDE/p.bin" >ours
		[ -s ours ]
		cmp ours theirs
	done
}

# twin LAYOUT ORDER [ZSTD]: a small profile of two threads, with every kind of
# record, made here by hand.
twin() {
	python3 - "$@" >p.bin <<-'END'
		import struct, subprocess, sys
		layout, order, zstd = (sys.argv[1:] + [''])[:3]
		pack = lambda code, *v: struct.pack(order + code, *v)
		key = lambda thread: pack('QI', thread, 7)
		data = (
		    key(1) + b'\x01\x0a\x25\x02\x00\x01' +      # FULL 0 1
		    key(2) + b'\x01\x14\x04\x00' +              # FULL, empty
		    key(1) + b'\x00\x02\xe8\x07\x01\x01\x02' +  # REPEAT 1000, 1
		    key(1) + b'\x02\x05\x00\x01\x01\x02' +      # SUFFIX: 2 1
		    key(1) + b'\x03\x05\x00\x02\x02\x00\x01')   # POP_PUSH: 0 1
		if zstd:
		    data = subprocess.run(['zstd', '-cq'], input=data,
		        stdout=subprocess.PIPE).stdout
		strings = b'\x04a.py\x01f\x02\xc3\xbc'
		frames = (b'\x00\x01\x14\x02\x08\x03\xff'       # 10-11, 4-2
		    b'\x00\x02\x02\x00\x01\x00\x05'             # 1-1, no column
		    b'\x00\x01\x01\x00\x01\x00\xff')            # no line
		at = 64 + len(data), 64 + len(data) + len(strings)
		size = at[1] + len(frames) + 32
		head = pack('I4BI', 0x54414348, 1, 0, 0, 0, 0)
		head = pack('II', 0x54414348, 1) + bytes([3, 14, 2, 0])
		head += pack('QQ', 5000, 1000)
		if layout == 'early':
		    head += pack('IIQQI', 6, 2, *at, bool(zstd)) + bytes(8)
		else:
		    head += pack('QIQQII', 6, 2, *at, bool(zstd), 0)
		sys.stdout.buffer.write(head + data + strings + frames +
		    pack('IIQ', 3, 3, size) + bytes(16))
	END
}

@test "decode.py: both layouts, both byte orders, all records" {
	cat >expected <<-'END'
		[5010, 7, 1, 37, [["a.py", "\u00fc", 1, 1, -1, -1, 5], ["a.py", "f", 10, 11, 4, 2, 255]]]
		[5020, 7, 2, 4, []]
		[6010, 7, 1, 1, [["a.py", "\u00fc", 1, 1, -1, -1, 5], ["a.py", "f", 10, 11, 4, 2, 255]]]
		[6011, 7, 1, 2, [["a.py", "\u00fc", 1, 1, -1, -1, 5], ["a.py", "f", 10, 11, 4, 2, 255]]]
		[6016, 7, 1, 0, [["a.py", "\u00fc", 1, 1, -1, -1, 5], ["a.py", "f", -1, -1, -1, -1, 255]]]
		[6021, 7, 1, 0, [["a.py", "\u00fc", 1, 1, -1, -1, 5], ["a.py", "f", 10, 11, 4, 2, 255]]]
	END
	for layout in early cpython; do
		for order in '<' '>'; do
			for zstd in '' zstd; do
				twin $layout "$order" $zstd
				"$T/lib/decode.py" p.bin >got
				diff expected got
				"$T/lib/decode.py" --summary p.bin |
				    grep "\"layout\": \"$layout\""
			done
		done
	done
}

@test "CPython 3.15 reads the profile made by hand alike" {
	need_python 3.15
	cp "$T/programs/replays.py" "$OUTSIDE"
	for order in '<' '>'; do
		twin cpython "$order" zstd
		cp p.bin "$OUTSIDE"
		"${PYTHON[@]}" "$INSIDE/replays.py" "$INSIDE/p.bin" >theirs
		"$T/lib/decode.py" p.bin >ours
		cmp ours theirs
	done
}

# refused MESSAGE: p.bin is, by decode.py.
refused() {
	run -1 --separate-stderr "$T/lib/decode.py" p.bin
	echo "$stderr"
	[[ "$stderr" == "decode.py: p.bin: "*"$1"* ]]
}

@test "decode.py refuses a profile that ends early, wherever that is" {
	twin early '<'
	cp p.bin whole
	for ((n = 0; n < $(stat -c %s whole); n += 3)); do
		cp whole p.bin
		truncate_at p.bin "$n"
		refused ''
	done
	cp whole p.bin
	printf x >>p.bin
	refused ''
}

@test "decode.py refuses every damage, and names it" {
	twin early '<'
	cp p.bin whole
	data=$HDR_SIZE
	strings=$((0x$(peek whole $HDR_STRINGS 1)))
	frames=$((0x$(peek whole $HDR_FRAMES 1)))
	while read -r offset bytes message; do
		cp whole p.bin
		poke p.bin $((offset)) "$bytes"
		echo "$offset $bytes"
		refused "$message"
	done <<-END
		$HDR_MAGIC       00  no magic
		$HDR_VERSION     02  format version 2
		$HDR_PYTHON+3    01  reserved byte 11
		$HDR_SAMPLES     05  5 samples, but there are 6
		$HDR_SAMPLES     07  7 samples, but there are 6
		$HDR_THREADS     03  3 threads, but there are 2
		$HDR_STRINGS     3f  fit no layout
		$HDR_FRAMES+3    01  fit no layout
		$HDR_COMPRESSION 02  compression type 2
		$HDR_COMPRESSION 01  sample data
		$HDR_RESERVED+7  01  reserved bytes
		$strings         7f  string 0
		$strings         03  string
		$strings+1       ff  string 0
		$frames          03  string 3 of 3
		$frames+1        80  frame
		$frames+17       03  no line, yet
		$FTR_STRINGS     02  after the last string
		$FTR_STRINGS     04  string 3
		$FTR_FRAMES      02  after the last frame
		$FTR_FRAMES      04  frame 3
		$FTR_FILE_SIZE   00  file size
		$data+12         00  REPEAT of a thread
		$data+12         02  SUFFIX: 2 of a stack
		$data+12         04  encoding 4
		$data+16         03  frame 3 of 3
		$data+15         7f  127 frames
	END
}

@test "truth.py: sound only if times go up and status bits are known" {
	twin early '<'
	run "$T/lib/truth.py" sound p.bin
	echo "$output"
	[ "$status" -eq 0 ]
	cp p.bin whole
	data=$HDR_SIZE
	poke p.bin $((data + 14)) 65
	run -3 "$T/lib/truth.py" sound p.bin
	[[ "$output" == *"WRONG status"* ]]
	cp whole p.bin
	poke p.bin $((data + 51)) 00 # the second delta of REPEAT
	run -3 "$T/lib/truth.py" sound p.bin
	echo "$output"
	[[ "$output" == *"WRONG time"* ]]
}

# made: a profile whose stacks are lines of func:file:line:end:col:end, root
# first, of process 1, a sample a millisecond; its Python is 3.14.2.
made() {
	python3 - >p.bin <<-END
		import struct
		rows = [[f.split(':') for f in line.split()]
		    for line in '''$1'''.strip().splitlines()]
		names, table, data = [], [], b''
		def var(n):
		    out = b''
		    while n > 127:
		        out, n = out + bytes([n & 127 | 128]), n >> 7
		    return out + bytes([n])
		zig = lambda n: var(n * 2 if n >= 0 else -2 * n - 1)
		def index(what, entries):
		    if what not in entries:
		        entries.append(what)
		    return entries.index(what)
		for row in rows:
		    stack = b''
		    for func, file, *p in row[::-1]:
		        a, b, c, d = map(int, p)
		        stack += var(index(
		            var(index(file, names)) + var(index(func, names)) +
		            zig(a) + zig(b - a) + zig(c) + zig(d - c) + b'\xff', table))
		    data += (struct.pack('<QIB', 1, 0, 1) + var(1000) + b'\x21' +
		        var(len(row)) + stack)
		text = b''.join(var(len(n)) + n.encode() for n in names)
		at = 64 + len(data), 64 + len(data) + len(text)
		out = struct.pack('<II4BQQIIQQIQ', 0x54414348, 1, 3, 14, 2, 0, 0,
		    1000, len(rows), 1, *at, 0, 0) + data + text + b''.join(table)
		import sys
		sys.stdout.buffer.write(out + struct.pack('<IIQQQ', len(names),
		    len(table), len(out) + 32, 0, 0))
	END
}

# no CHECK ARG...: it says what is not true; seldom: what can be chance.
no() {
	run -3 "$T/lib/truth.py" "$@"
	echo "$output"
	[[ "$output" == *"FAILED"* ]]
}

seldom() {
	run -1 "$T/lib/truth.py" "$@"
	echo "$output"
	[[ "$output" == *"FAILED"* ]]
}

yes() {
	run -0 "$T/lib/truth.py" "$@"
	echo "$output"
}

@test "truth.py shares: within two points, or not" {
	a='m:x.py:1:1:0:1 a:x.py:2:2:0:1'
	b='m:x.py:1:1:0:1 b:x.py:3:3:0:1'
	made "$a
$b
$b
$b"
	yes shares p.bin a=25 b=75
	yes shares p.bin a=26.9 b=73.1
	seldom shares p.bin a=27.1 b=72.9
	seldom shares p.bin a=75 b=25
}

@test "truth.py calls: impossible stacks, misplaced ones, missing roots" {
	cat >x.py <<-'END'
		def leaf(): return 1
		def mid(): return leaf()
		leaf(); mid()
	END
	root=x.py:3:3:8:13 mid=x.py:2:2:18:24 leaf=x.py:1:1:19:20
	made "<module>:$root mid:$mid leaf:$leaf
<module>:x.py:3:3:0:6 leaf:$leaf"
	yes calls p.bin x.py
	made "<module>:$root mid:$mid leaf:$leaf
<module>:$root leaf:$leaf"
	no calls p.bin x.py
	[[ "$output" == *misplaced* ]]
	made "<module>:$root mid:$mid mid:$mid leaf:$leaf"
	no calls p.bin x.py
	[[ "$output" == *"impossible: mid does not call mid"* ]]
	made "<module>:$root mid:$mid leaf:$mid"
	no calls p.bin x.py
	[[ "$output" == *"leaf has no line 2"* ]]
	made "mid:$mid leaf:$leaf"
	no calls p.bin x.py
	[[ "$output" == *"the root is missing"* ]]
}

@test "truth.py stacks: what was not there, and what is not in it" {
	cat >truth <<-'END'
		{"python": "3.14.2", "pid": 1}
		{"label": "here", "interp": 0, "tid": 1, "spot": ["spot", "s.py"], "since": 0, "until": 9000, "stack": [["f", "x.py", 1, 1, 2, 3]]}
	END
	here='f:x.py:1:1:2:3 spot:s.py:5:5:1:2'
	made "$here
$here
$here
$here"
	yes stacks p.bin truth
	# A column, a name, a frame; each in one sample of four.
	for other in 'f:x.py:1:1:2:4' 'g:x.py:1:1:2:3' \
	    'f:x.py:1:1:2:3 f:x.py:1:1:2:3' 'f:x.py:1:2:2:3'; do
		made "$here
$here
$here
$other spot:s.py:5:5:1:2"
		no stacks p.bin truth
		[[ "$output" == *"WRONG stack"* ]]
	done
	made "$here
f:x.py:1:1:2:3
f:x.py:1:1:2:3
f:x.py:1:1:2:3"
	seldom stacks p.bin truth
	[[ "$output" == *"FAILED elsewhere"* ]]
	made "$here"
	sed -i 's/3.14.2/3.14.3/' truth
	no stacks p.bin truth
	[[ "$output" == *"WRONG python"* ]]
}

# ---- lib.bash -------------------------------------------------------------

@test "in_tries: as often as it must, and no more" {
	sed 's/^test /@test /' >tries.bats <<-'END'
		load "$TACH_SRCDIR/t/lib/lib.bash"
		tried() {
		    echo try >>tried
		    "$@"
		    echo "$1 is well"
		}
		later() { [ "$(wc -l <tried)" -ge 3 ]; }
		final() { exit 3; }
		leaves() {
		    start sleep 1000
		    echo "$pid" >pid
		    false
		}
		setup() { cd "$BATS_TEST_TMPDIR"; }
		teardown() { cat tried; }
		test "well" { in_tries 3 tried true; }
		test "later" { in_tries 4 tried later; }
		test "never" { in_tries 2 tried false; }
		test "final" { in_tries 3 tried final; }
		test "leaves" { in_tries 1 tried leaves; }
		test "left" { ! kill -0 "$(cat ../5/pid)"; touch tried; }
	END
	run -1 "$BATS_ROOT/bin/bats" --tap tries.bats
	echo "$output"
	is "$(grep -E '^(not )?ok|^# (try|tried)' <<<"$output")" "ok 1 well
# tried later failed, try 1 of 4: status 1
# tried later failed, try 2 of 4: status 1
ok 2 later
# tried false failed, try 1 of 2: status 1
# tried false failed, try 2 of 2: status 1
not ok 3 never
# try
# try
# tried final failed, try 1 of 3: status 3
not ok 4 final
# try
# tried leaves failed, try 1 of 1: status 1
not ok 5 leaves
# try
ok 6 left"
	absent -q 'is well' <<<"$output" # of what failed
}

# chosen DESCRIPTION COMMIT: what in_turn takes of five lines.
chosen() {
	printf '%s\n' a b c d e |
	    BATS_TEST_DESCRIPTION=$1 TACH_COMMIT=$2 in_turn
}

@test "in_turn: all lines; or one, each with some commit, and others in other tests" {
	local i
	is "$(chosen a '')" $'a\nb\nc\nd\ne'
	for i in 0 1 2 3 4; do
		chosen a $((161843136 + i))
	done >seen
	is "$(sort seen)" $'a\nb\nc\nd\ne'
	for i in {1..30}; do
		chosen "$i" 161843136
	done >seen
	is "$(sort -u seen)" $'a\nb\nc\nd\ne'
	is "$(printf '' | TACH_COMMIT=1 in_turn)" ''
}

@test "turn: the number of the commit, and one of the tests that have turns" {
	need git
	mkdir -p tree/t/lib
	cp "$T/lib/turn" tree/t/lib/
	printf '@test "%s" {\n' a b >tree/t/x.bats
	printf '# No turn: so\n@test "c" {\n' >>tree/t/x.bats
	export GIT_CEILING_DIRECTORIES=$PWD
	is "$(tree/t/lib/turn --number)" ''
	run -0 --separate-stderr tree/t/lib/turn tree/t/x.bats
	is "$output" ''
	# shellcheck disable=SC2154
	is "$stderr" 'Not run, as there is no git: all of x.bats'
	git -C tree init -q
	git -C tree -c user.name=a -c user.email=a commit -q --allow-empty -m a
	local number=$((0x$(git -C tree rev-parse HEAD | cut -c 1-7)))
	is "$(tree/t/lib/turn --number)" "$number"
	run -0 --separate-stderr tree/t/lib/turn tree/t/x.bats
	local titles=(a b)
	is "$output" "${titles[number % 2]}"
	is "$stderr" "Not run, by make check-all alone: x.bats: ${titles[1 - number % 2]}"
}

@test "turn: of five tests that differ by their Python two at most, and all in three turns" {
	local n
	printf '@test "%s" {\n' one 's390x: a' 'i386: a' 'arm64: a' 'few: 3.6' '3.13t: few' 'many (of x): Python 3.6, static' \
	    'many (of x): Python 3.7-pyenv' 'many (of x): Python 3.10' \
	    'many (of x): Python 3.13t' 'many (of x): Python 3.14' >x.bats
	for n in 161843136 161843137 161843138; do
		"$T/lib/turn" --pythons $n x.bats >titles 2>left
		grep -qx one titles
		is "$(grep a$ titles)" "$("$T/lib/turn" --machine $n): a"
		[ "$(grep -c few titles)" -eq 2 ]
		[ "$(grep -c many titles)" -le 2 ]
		grep -q '^Not run, by make check-all alone: x.bats: many (of x): Py' left
		cat titles >>all
	done
	is "$(sort -u all | wc -l) $(grep -c many all)" '11 5'
}
