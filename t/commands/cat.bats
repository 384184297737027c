# SPDX-License-Identifier: ISC
# tach-cat: lines that cut, sort, uniq and awk can trust.

load ../lib/lib.bash

setup() {
	cd "$T/data"
}

@test "every rare thing is a line as expected" {
	run -0 --separate-stderr tach-cat odd.bin
	is "$stderr" ''
	golden cat-odd.txt
}

@test "the locale changes nothing" {
	local want locale
	want=$(tach-cat odd.bin)
	for locale in C C.UTF-8 POSIX nosuch; do
		is "$(LC_ALL=$locale tach-cat odd.bin)" "$want"
	done
}

# Field by field against the decoder of the tests.
@test "each field of what CPython 3.15 recorded is as another decoder reads it" {
	need zstd
	local file
	for file in cpython315-*.bin; do
		diff <(python3 ../lib/decode.py "$file" | python3 -c "$expected" \
		    "$(python3 ../lib/decode.py --summary "$file")") \
		    <(tach-cat "$file")
	done
}

expected='
import json, re, sys
start = json.loads(sys.argv[1])["start_us"]
words = "gil cpu unknown gil-wanted exception main".split()

def vis(name):
    return re.sub(r"[\s\\;:\x00-\x20\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
        r"\u2066-\u2069]", lambda m: "".join(
        "\\%03o" % b for b in m[0].encode()), name)

def frame(f):
    file, func, line = f[:3]
    if file == "~" and line == -1:
        return vis(func)
    return "%s:%s:%s" % (vis(file), vis(func), "" if line == -1 else line)

for line in sys.stdin:
    time, interp, thread, status, stack = json.loads(line)
    names = [w for i, w in enumerate(words) if status >> i & 1]
    print(time - start, interp, thread, ",".join(names) or "-",
          ";".join(map(frame, stack)), sep="\t")
'

@test "unvis(3) gives the names back" {
	python3 - <<-'END' || skip "no libbsd.so.0 for Python here"
	import ctypes
	ctypes.CDLL('libbsd.so.0').strunvis
	END
	python3 - <<-'END'
	import ast, ctypes, subprocess, sys
	strunvis = ctypes.CDLL('libbsd.so.0').strunvis
	def unvis(text):
	    out = ctypes.create_string_buffer(len(text) + 1)
	    n = strunvis(out, text)
	    assert n >= 0, text
	    return out.raw[:n]
	want = {ast.literal_eval(line) for line in subprocess.check_output(
	    [sys.executable, 'odd.py', '--names']).decode().splitlines()}
	got = set()
	for line in subprocess.check_output(['tach-cat', 'odd.bin']).split(b'\n')[:-1]:
	    for frame in line.split(b'\t')[4].split(b';'):
	        parts = frame.split(b':')
	        assert len(parts) in (1, 3), frame
	        got |= set(map(unvis, parts[:2]))
	assert got | {b'~', b''} == want, got ^ want
	END
}

@test "five fields, and no line but a sample's" {
	local file
	for file in cpython315-*.bin odd.bin; do
		run -0 awk -F '\t' 'NF != 5 || /[^\t]\t*[ \r\v\f]/' \
		    <(tach-cat "$file")
		is "$output" ''
		is "$(tach-cat "$file" | wc -l)" \
		    "$(tach-info "$file" | awk '/^samples:/ { print $2 }')"
	done
}

@test "a thread's samples are in order of time" {
	tach-cat cpython315-*.bin | awk -F '\t' '
	    { key = $2 " " $3 }
	    key in last && $1 < last[key] { print; bad = 1 }
	    { last[key] = $1 }
	    END { exit bad }'
}

@test "several files come one after the other" {
	{
		tach-cat odd.bin
		tach-cat cpython315-gil.bin
		tach-cat odd.bin
	} >"$BATS_TEST_TMPDIR/want"
	tach-cat odd.bin cpython315-gil.bin odd.bin |
	    diff -u "$BATS_TEST_TMPDIR/want" -
}

# A frame of 150 kB, called by itself fifty times, in 1,000 samples: more than
# is kept, a frame or a stack.
@test "text too long to be kept" {
	python3 - >"$BATS_TEST_TMPDIR/long.bin" <<-'END'
	import struct, sys
	name = b'x' * 150000
	frame = bytes([0, 0, 2, 0, 1, 0, 255])
	stack = bytes([50]) + bytes(50)
	data = struct.pack('<QIB', 1, 0, 1) + bytes([1, 1]) + stack + \
	    struct.pack('<QIB', 1, 0, 0) + bytes([9]) + bytes([1, 1]) * 9
	strings = b'\xf0\x93\x09' + name
	head = struct.pack('<II4BQQIIQQI8x', 0x54414348, 1, 3, 12, 1, 0, 0, 1,
	                   10, 1, 64 + len(data), 64 + len(data) + len(strings),
	                   0)
	body = head + data + strings + frame
	sys.stdout.buffer.write(
	    body + struct.pack('<IIQ16x', 1, 1, len(body) + 32))
	END
	tach-cat "$BATS_TEST_TMPDIR/long.bin" | python3 -c '
import sys
name = "x" * 150000
stack = ";".join([name + ":" + name + ":1"] * 50)
for time in range(1, 11):
    assert sys.stdin.readline() == "%d\t0\t1\tgil\t%s\n" % (time, stack), time
assert sys.stdin.read() == ""'
}
