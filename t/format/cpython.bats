# SPDX-License-Identifier: ISC
# The TACH format against CPython 3.15's own reader and writer, which are the
# other implementation of it that there is.

load ../lib/lib.bash

RECODE=$TACH_BUILDDIR/t/unit/recode
PEER=cpython-format.py

setup() {
	need_python 3.15
	cp "$T/peers/$PEER" "$OUTSIDE/"
	export PYTHONUTF8=1
}

peer() {
	"${PYTHON[@]}" "$INSIDE/$PEER" "$@"
}

# Samples of one thread keep their order; threads may be mixed otherwise.
by_thread() {
	sort -s -t $'\t' -k2,2n -k3,3n "$1"
}

same_samples() {
	[ -s "$1" ]
	by_thread "$1" >"$1.sorted"
	by_thread "$2" | cmp "$1.sorted" - || {
		by_thread "$2" | diff "$1.sorted" - | sed -n 1,5p | cut -c -200
		return 1
	}
}

@test "what CPython's writer writes is read the same" {
	for z in none zstd; do
		peer write "$INSIDE/p.bin" $z >"$OUTSIDE/want"
		"$RECODE" "$OUTSIDE/p.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	done
}

@test "CPython's reader gets the same samples from what is written here" {
	peer write "$INSIDE/p.bin" none >"$OUTSIDE/want"
	for z in none zstd; do
		"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" cpython $z
		peer read "$INSIDE/q.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	done
}

@test "the same by way of the early header" {
	peer write "$INSIDE/p.bin" zstd >"$OUTSIDE/want"
	for z in none zstd; do
		"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" early $z
		"$RECODE" "$OUTSIDE/q.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
		"$RECODE" "$OUTSIDE/q.bin" "$OUTSIDE/r.bin" cpython $z
		peer read "$INSIDE/r.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	done
}

@test "every encoding in every use, made by hand, stacks too deep for CPython" {
	peer make "$INSIDE/p.bin" >"$OUTSIDE/want"
	for layout in cpython early; do
		"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" $layout zstd
		"$RECODE" "$OUTSIDE/q.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	done
	[ "$(awk -F ' < ' 'NF > 1000' "$OUTSIDE/got" | wc -l)" -gt 100 ]
	"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" cpython zstd
	run -1 peer read "$INSIDE/q.bin"
	[[ $output = *"exceeds capacity 256"* ]]
}

@test "the same, cut: CPython's reader gets it" {
	peer make "$INSIDE/p.bin" 256 >"$OUTSIDE/want"
	run -0 --separate-stderr tach-merge --depth 256 -o "$OUTSIDE/q.bin" \
	    "$OUTSIDE/p.bin"
	is "$stderr" ''
	"$RECODE" "$OUTSIDE/q.bin" >"$OUTSIDE/got"
	same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	peer read "$INSIDE/q.bin" >"$OUTSIDE/got"
	same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	found '~:<truncated>::255' <"$OUTSIDE/got"
}

@test "python3.15 -m profiling.sampling replays what is written here" {
	for n in wall gil opcodes none; do
		cp "$T/data/cpython315-$n.bin" "$OUTSIDE/p.bin"
		"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" cpython zstd
		for f in p q; do
			"${PYTHON[@]}" -m profiling.sampling replay \
			    --collapsed -o "$INSIDE/$f.txt" "$INSIDE/$f.bin"
			sort "$OUTSIDE/$f.txt" >"$OUTSIDE/$f.sorted"
		done
		[ -s "$OUTSIDE/p.sorted" ]
		cmp "$OUTSIDE/p.sorted" "$OUTSIDE/q.sorted"
		peer read "$INSIDE/p.bin" >"$OUTSIDE/want"
		"$RECODE" "$OUTSIDE/p.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
		peer read "$INSIDE/q.bin" >"$OUTSIDE/got"
		same_samples "$OUTSIDE/want" "$OUTSIDE/got"
	done
}

@test "shop.py has each place that the profiles of data/ have of it" {
	local n
	for n in wall gil opcodes none; do
		tach-cat -l "$T/data/cpython315-$n.bin"
	done | cut -f 5 | tr ';' '\n' | grep '^/srv/shop/shop.py:' |
	    sort -u >"$OUTSIDE/places"
	[ "$(wc -l <"$OUTSIDE/places")" -gt 50 ]
	cp "$T/data/shop.py" "$OUTSIDE"
	"${PYTHON[@]}" - "$INSIDE/shop.py" "$INSIDE/places" <<-'END'
	import sys, types
	def places(code):
	    for position in code.co_positions():
	        yield code.co_qualname, *position
	    for const in code.co_consts:
	        if isinstance(const, types.CodeType):
	            yield from places(const)
	with open(sys.argv[1], encoding="utf-8") as f:
	    known = set(places(compile(f.read(), "shop.py", "exec")))
	# A generator that has not begun has a line alone.
	known |= {(name, line, line, None, None) for name, line, *_ in known}
	with open(sys.argv[2], encoding="utf-8") as f:
	    for place in f:
	        name, *position = place.split(":")[1:6]
	        numbers = [int(n) if n else None for n in position]
	        numbers[1] = numbers[1] or numbers[0]
	        if (name, *numbers) not in known:
	            sys.exit("not in shop.py: " + place)
	END
}

# info FILE: what CPython's reader says of a profile as a whole: counts, mode,
# features, duration, rates.
info() {
	"${PYTHON[@]}" -c '
import _remote_debugging, sys
info = _remote_debugging.BinaryReader(sys.argv[1]).get_info()
print({k: v for k, v in info.items() if k != "compression_type"})' "$1"
}

@test "configuration and statistics go from CPython's writer to its reader" {
	for n in wall gil opcodes none; do
		cp "$T/data/cpython315-$n.bin" "$OUTSIDE/p.bin"
		"$RECODE" "$OUTSIDE/p.bin" "$OUTSIDE/q.bin" cpython zstd
		run -0 info "$INSIDE/q.bin"
		[[ $output = *"'missed_samples': 0.0"*"'mode': "* ]]
		is "$output" "$(info "$INSIDE/p.bin")"
	done
}

# both FORM: the statistics by CPython, and by tach-info.
both() {
	"${PYTHON[@]}" -c '
import _remote_debugging, sys
info = _remote_debugging.BinaryReader(sys.argv[1]).get_info()
print(*(info[k] if info[k] is None else float(info[k]) for k in (
    "duration_sec", "sample_rate", "error_rate", "missed_samples")))' "$INSIDE/$1.bin"
	tach-info --json "$OUTSIDE/$1.bin" | python3 -c '
import json, sys
said = json.load(sys.stdin).get("recorded", {})
print(*(float(said[k]) if k in said else None for k in (
    "duration_s", "rate", "errors_percent", "missed_percent")))'
}

@test "statistics of every size: the fields that CPython's reader takes" {
	local form
	cp "$T/data/cpython315-none.bin" "$OUTSIDE/p.bin"
	python3 - "$OUTSIDE/" <<-'END'
	import struct, sys
	data = open(sys.argv[1] + 'p.bin', 'rb').read()
	body, fields, foot = data[:-88], data[-88:-48], data[-32:]
	def make(name, fields, size=None, version=1):
	    block = fields + b'TACHSTAT' + struct.pack(
	        '<II', version, len(fields) + 16 if size is None else size)
	    with open(sys.argv[1] + name + '.bin', 'wb') as f:
	        f.write(body + block + foot[:8] + struct.pack(
	            '<Q', len(body + block) + 32) + foot[16:])
	make('first', fields[:16])
	make('between', fields[:32])
	make('today', fields)
	make('later', fields + bytes(range(24)))
	make('long', fields + b'x' * 5000)
	make('version', fields, version=2)
	make('short', fields[:8])
	make('trailer', b'')
	make('zero', fields, 0)
	make('too-long', fields, 1 << 20)
	make('all', fields, 0xffffffff)
	END
	for form in first between today later long; do
		run -0 --separate-stderr both $form
		is "$stderr" ''
		is "${lines[0]}" "${lines[1]}"
		[[ $output = 1.12*\ 1999.9* ]]
	done
	[[ $output != *None* ]]
	run -0 both version
	is "${lines[0]}" 'None None None None'
	is "${lines[2]}" "${lines[0]}"
	tach-cat "$OUTSIDE/p.bin" >"$OUTSIDE/want"
	# CPython refuses these; all samples of theirs are read.
	for form in short trailer zero too-long all; do
		run -1 info "$INSIDE/$form.bin"
		[[ $output = *'Invalid profiling statistics size'* ]]
		tach-cat "$OUTSIDE/$form.bin" | cmp - "$OUTSIDE/want"
	done
}

@test "records are chosen by their size: CPython's become no larger" {
	local p=$T/data/cpython315-none.bin q=$OUTSIDE/q.bin
	"$RECODE" "$p" "$q" cpython none
	# The samples end where the strings begin.
	((16#$(peek "$q" $((CHDR_STRINGS + 1)) 1)$(peek "$q" $CHDR_STRINGS 1) <
	    16#$(peek "$p" $((CHDR_STRINGS + 1)) 1)$(peek "$p" $CHDR_STRINGS 1)))
}
