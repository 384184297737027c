# SPDX-License-Identifier: ISC
# opcodes.bats: the names of opcodes, against the interpreters' own; and where
# they are shown.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	O=$T/data/cpython315-opcodes.bin
}

# ---- the tables ---------------------------------------------------------------

# What the headers say; and the names that `opcode` has in each interpreter.
names() {
	local dir
	headers "3.$1" >dirs
	[ -s dirs ] || skip "no headers of Python 3.$1 here"
	while read -r dir; do
		echo "$dir"
		"$TACH_SRCDIR/lib/opcodes/mkopcodes" "$dir" >made
		diff -u "$TACH_SRCDIR/lib/opcodes/names_3_$1.c" made
	done <dirs
	need_python "3.$1"
	"${PYTHON[@]}" - >there <<-'END'
	import opcode
	names = dict(opcode.opmap)
	names.update(getattr(opcode, "_specialized_opmap", {}))
	for name, number in sorted(names.items(), key=lambda n: n[1]):
	    if number < 255:
	        print(number, name.replace("+", "_"))
	END
	[ "$(wc -l <there)" -gt 100 ]
	sed -nE 's/^\t\t\[([0-9]+)\] = "(.*)",$/\1 \2/p' \
	    "$TACH_SRCDIR/lib/opcodes/names_3_$1.c" | sort >have
	is "$(sort there | comm -13 have -)" ""
}

@test "the names of opcodes are those of 3.6" { names 6; }
@test "the names of opcodes are those of 3.7" { names 7; }
@test "the names of opcodes are those of 3.8" { names 8; }
@test "the names of opcodes are those of 3.9" { names 9; }
@test "the names of opcodes are those of 3.10" { names 10; }
@test "the names of opcodes are those of 3.11" { names 11; }
@test "the names of opcodes are those of 3.12" { names 12; }
@test "the names of opcodes are those of 3.13" { names 13; }
@test "the names of opcodes are those of 3.14" { names 14; }
@test "the names of opcodes are those of 3.15" { names 15; }

# ---- recordings -----------------------------------------------------------------

# The names in a recording are those that `dis` gives for what the interpreter
# has made of the line by then, of which some are specialised.  Before main,
# spin has been called often enough for that.
recorded() {
	need_python "$1"
	cat >"$OUTSIDE/spin.py" <<-'END'
		import dis, sys, time
		class Point:
		    def __init__(self):
		        self.x = 1.0
		def spin(n):
		    p = Point()
		    total = 0.0
		    for i in range(n):
		        total += p.x * 2.0
		    return total
		def main():
		    end = time.monotonic() + 0.7
		    while time.monotonic() < end:
		        spin(20000)
		for _ in range(100):
		    spin(1000)
		main()
		with open(sys.argv[1], "w") as f:
		    line = 0
		    for i in dis.get_instructions(spin, adaptive=True):
		        if not isinstance(i.starts_line, (bool, type(None))):
		            line = i.starts_line
		        print(getattr(i, "line_number", line), i.opname, file=f)
	END
	tach-record -q -o p.bin --opcodes -- "${PYTHON[@]}" "$INSIDE/spin.py" \
	    "$INSIDE/code"
	tach-cat -l p.bin | sed -nE \
	    's/.*:main:.*spin\.py:spin:([0-9]+):[^;]*:[0-9]+\/([A-Z0-9_]+)$/\1 \2/p' |
	    sort | uniq -c | awk '$1 > 9 { print $2, $3 }' | sort >seen
	cat seen
	sort -u "$OUTSIDE/code" >there
	is "$(comm -23 seen there)" ""
	grep -q '^9 BINARY_OP_.*_FLOAT$' seen
	tach-info -s p.bin | grep -E \
	    '^opcode: +[0-9]+ BINARY_OP_.*_FLOAT samples [0-9]+ \([0-9.]+%\)$'
}

@test "a recording has the names of opcodes: 3.11" { recorded 3.11; }
@test "a recording has the names of opcodes: 3.12" { recorded 3.12; }
@test "a recording has the names of opcodes: 3.13" { recorded 3.13; }
@test "a recording has the names of opcodes: 3.14" { recorded 3.14; }
@test "a recording has the names of opcodes: 3.15" { recorded 3.15; }

# ---- text -----------------------------------------------------------------------

# text OPCODE...: the opcodes of a thread's samples, in Python 3.11.
text() {
	local n=0 opcode
	printf '# tach 1\n# python 3.11.2\n'
	for opcode; do
		printf '%d\t0\t1\t-\ta:f:1:1:0:1:%s\n' $((n++)) "$opcode"
	done
}

@test "opcodes in text: numbers, names, both, and neither" {
	text 5 BINARY_OP_ADD_INT 5/BINARY_OP_ADD_INT 5/POP_TOP 244 254 255 '' \
	    0/CACHE >p.txt
	tach-cat -l p.txt | sed '/^#/d; s/.*://' | paste -sd ' ' >got
	is "$(<got)" "5/BINARY_OP_ADD_INT 5/BINARY_OP_ADD_INT 5/BINARY_OP_ADD_INT 5/BINARY_OP_ADD_INT 244 254   0/CACHE"
	tach-cat -l p.txt | tach-cat -l - | cmp - <(tach-cat -l p.txt)
	# Without a version there are no names, and numbers do.
	tach-cat -l p.txt | sed '/^#/d' | tach-cat -l - |
	    sed '/^#/d; s/.*://' | paste -sd ' ' >got
	is "$(<got)" "5 5 5 5 244 254   0"
}

@test "opcodes in text: what is none" {
	local says
	says() {
		run -1 --separate-stderr tach-cat <(text "$1")
		is "${stderr#*: line 3: frame 1: }" "opcode $2"
	}
	says LOAD_FAST_BORROW '"LOAD_FAST_BORROW" is none of Python 3.11'
	says BINARY_OP_ADD_IN '"BINARY_OP_ADD_IN" is none of Python 3.11'
	says 256/CACHE '"256" is out of range'
	says x '"x" is not a number'
	says /CACHE '"" is not a number'
	run -1 --separate-stderr tach-cat <(text POP_TOP | sed 2d)
	is "${stderr#*: line 2: frame 1: }" \
	    'opcode "POP_TOP" is none of Python 0.0'
}

# ---- tach-info --------------------------------------------------------------------

@test "tach-info: opcodes by their samples, the decoder of the tests agrees" {
	need zstd
	tach-info --json --stats "$O" >info
	python3 - "$T/lib" "$O" info <<-'END'
	import collections, json, sys
	sys.path.insert(0, sys.argv[1])
	import decode
	p = decode.decode(sys.argv[2])
	want = collections.Counter()
	for s in p.samples():
	    stack = p.resolve(s.stack)
	    if stack and stack[-1].opcode != 255:
	        want[stack[-1].opcode] += 1
	got = json.load(open(sys.argv[3]))['stats']['opcodes']
	assert {o['opcode']: o['samples'] for o in got} == want, (got, want)
	counts = [o['samples'] for o in got]
	assert counts == sorted(counts, reverse=True)
	assert all('name' in o for o in got)
	END
	is "$(tach-info -s "$O" | grep -c ^opcode:)" 10
	tach-info -s "$T/data/cpython315-wall.bin" | absent -q opcode
	is "$(text 244 | tach-info -s - | grep ^opcode:)" \
	    "opcode:            244 unknown samples 1 (100.0%)"
	is "$(text 244 | tach-info -js - | jq -c .stats.opcodes)" \
	    '[{"opcode":244,"samples":1}]'
}

# ---- tach-convert -------------------------------------------------------------------

@test "tach-convert --opcodes: a frame below each stack that has one" {
	{
		text 5 POP_TOP '' 244
		printf '9\t0\t1\t-\t\n'
		printf '10\t0\t1\t-\t~:<GC>:::::;a:f:1:1:0:1:5\n'
		printf '11\t0\t1\t-\ta:f:1:1:0:1:5;~:<GC>:::::\n'
		printf '# note thread 0 1 worker\n'
	} >p.txt
	run -0 --separate-stderr tach-convert --collapsed --opcodes p.txt
	is "$stderr" 'tach-convert: 100% of the samples are of idle threads: --idle drop leaves them out'
	is "$(sort <<<"$output")" "tid:1;<GC>;a:f:1;BINARY_OP_ADD_INT 1
tid:1;<no frames> 1
tid:1;a:f:1 1
tid:1;a:f:1;<GC> 1
tid:1;a:f:1;BINARY_OP_ADD_INT 1
tid:1;a:f:1;POP_TOP 1
tid:1;a:f:1;opcode 244 1"
	# Whatever else is asked for.
	is "$(tach-convert --collapsed --opcodes --match GC p.txt | wc -l)" 2
	is "$(tach-convert --collapsed --frame function --opcodes p.txt |
	    grep -c '^f;POP_TOP 1$')" 1
	tach-convert --collapsed p.txt | absent -q POP_TOP
}

@test "tach-convert --opcodes: all samples, in every format" {
	local format want
	want=$(tach-convert --jsonl "$O" | wc -l)
	is "$(tach-convert --jsonl --opcodes "$O" | wc -l)" "$want"
	for format in $(tach-convert --list | awk '{ print $1 }'); do
		case $format in
		tach | diff | heatmap) continue ;;
		esac
		tach-convert "--$format" --opcodes -o out "$O"
		case $format in
		pprof) gzip -dc out >plain && mv plain out ;;
		gperftools) continue ;;
		esac
		grep -aq CALL_EX_PY out || { echo "$format"; return 1; }
	done
	tach-convert --heatmap --opcodes -o pages "$O"
	grep -q CALL_EX_PY pages/profile.js
	tach-convert --diff "$O" --opcodes "$O" | found '^ .* CALL_EX_PY '
	run -2 --separate-stderr tach-convert --tach --opcodes -o out "$O"
	is "${stderr_lines[0]}" "tach-convert: --opcodes does not go with --tach, which keeps them as they are"
}

# ---- tach-merge ----------------------------------------------------------------------

@test "tach-merge: opcodes of the version that the result has" {
	text POP_TOP | tach-convert --tach -o old.bin -
	text POP_TOP | sed 's/3.11.2/3.12.0/' | tach-convert --tach -o new.bin -
	text POP_TOP | sed 's/3.11.2/3.11.0/' | tach-convert --tach -o same.bin -
	merged() {
		tach-merge -o m.bin "$@"
		tach-cat -l m.bin | sed '/^#/d; s/.*://' | paste -sd ' '
	}
	is "$(merged old.bin same.bin)" "1/POP_TOP 1/POP_TOP"
	is "$(merged old.bin new.bin)" " 1/POP_TOP"
	is "$(merged new.bin old.bin same.bin)" "1/POP_TOP  "
	is "$(merged old.bin)" "1/POP_TOP"
}

# ---- what the early header has no room for ------------------------------------------

# told FILE: the mode and what follows of it in tach-info.
told() {
	tach-info "$1" | sed -n '/^mode/,/^samples/p; /^note/p'
}

@test "configuration and quality: the same with both headers" {
	local name layout
	for name in wall gil opcodes none; do
		tach-convert --tach --layout early -o d.bin "$T/data/cpython315-$name.bin"
		is "$(told d.bin)" "$(told "$T/data/cpython315-$name.bin")"
		tach-convert --tach -o c.bin d.bin
		tach-convert --tach -o e.bin \
		    "$T/data/cpython315-$name.bin"
		cmp c.bin e.bin
		tach-convert --tach --layout early -o again.bin d.bin
		cmp d.bin again.bin
	done
	host_python
	for layout in early cpython; do
		tach-record -q --layout $layout --mode gil -o $layout.bin -- \
		    "$python" -c 'sum(range(10000000))'
		told $layout.bin | cut -d : -f 1 | grep -v note |
		    paste -sd ' ' >$layout
	done
	cmp early cpython
	is "$(<cpython)" "mode features recorded errors missed samples"
}

@test "configuration and quality: strings that only look like them" {
	local head=$'# tach 1\n# python 3.11.2\n' sample=$'1\t0\t7\t-\t'
	# Not at the end, not as they should be, and names of frames.
	{
		printf '%s' "$head"
		printf '# note config 0x5b\n# note other\n%s\n' "${sample}a:f:1"
	} | tach-convert --tach --layout early -o p.bin -
	is "$(tach-info p.bin | grep -E '^(mode|note)')" \
	    "note:              config 0x5b
note:              other"
	{
		printf '%s' "$head"
		printf '%s\n# note config 5b\n' "${sample}a:f:1"
	} | tach-convert --tach --layout early -o p.bin -
	is "$(tach-info p.bin | grep -E '^(mode|note)')" \
	    "note:              config 5b"
	{
		printf '%s' "$head"
		printf '%s\n# note quality rate=inf\n' "${sample}a:f:1"
	} | tach-convert --tach --layout early -o p.bin -
	is "$(tach-info p.bin | grep -E '^(recorded|note)')" \
	    "note:              quality rate=inf"
	printf '%s%s\n' "$head" "${sample}"'a:\000config\0400x5b:1' |
	    tach-convert --tach --layout early -o p.bin -
	is "$(tach-cat p.bin | cut -f 5)" 'a:\000config\0400x5b:1'
	tach-info p.bin | absent -q ^mode
	# As the last string, it is one.
	{
		printf '%s' "$head"
		printf '%s\n# note config 0x5b\n' "${sample}a:f:1"
	} | tach-convert --tach --layout early -o p.bin -
	is "$(tach-info p.bin | grep -E '^(mode|note)')" \
	    "mode:              gil"
}
