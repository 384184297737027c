# SPDX-License-Identifier: ISC
# Small files that stand for more than memory holds: every format says so, or
# writes what it can without keeping it.

load ../lib/lib.bash

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	command -v zstd >/dev/null || return 0
	# THREADS stacks of DEPTH equal frames, by a name of LENGTH bytes.
	cat >bomb.py <<-'END'
	import struct, subprocess, sys
	threads, depth, length = map(int, sys.argv[1:])
	def varint(n):
	    out = b""
	    while n > 127:
	        out += bytes([n & 127 | 128])
	        n >>= 7
	    return out + bytes([n])
	zstd = subprocess.Popen(["zstd", "-qc"], stdin=subprocess.PIPE,
	                        stdout=open("data", "wb"))
	for thread in range(threads):
	    zstd.stdin.write(struct.pack("<QIB", thread + 1, 0, 1) + b"\1\0" +
	                     varint(depth) + bytes(depth))
	zstd.stdin.close()
	zstd.wait()
	data = open("data", "rb").read()
	strings = b"\4a.py" + varint(length) + b"f" * length
	frames = b"\0\1\2\0\1\0\xff"
	at = 64 + len(data)
	head = struct.pack("<II4BQQIIQQI8x", 0x54414348, 1, 3, 15, 0, 0, 0, 1000,
	                   threads, threads, at, at + len(strings), 1)
	body = head + data + strings + frames
	sys.stdout.buffer.write(body + struct.pack("<IIQ16x", 2, 1,
	                                           len(body) + 32))
	END
	# THREADS threads, each of one REPEAT, which is not in the limit of frames.
	cat >threads.py <<-'END'
	import struct, subprocess, sys
	threads = int(sys.argv[1])
	zstd = subprocess.Popen(["zstd", "-qc"], stdin=subprocess.PIPE,
	                        stdout=open("data", "wb"))
	record = struct.Struct("<QII").pack
	for first in range(0, threads, 65536):
	    zstd.stdin.write(b"".join(
	        record(thread, 0, 256)
	        for thread in range(first, min(first + 65536, threads))))
	zstd.stdin.close()
	zstd.wait()
	data = open("data", "rb").read()
	at = 64 + len(data)
	head = struct.pack("<II4BQQIIQQI8x", 0x54414348, 1, 3, 15, 0, 0, 0, 1000,
	                   threads, threads, at, at, 1)
	body = head + data
	sys.stdout.buffer.write(body + struct.pack("<IIQ16x", 0, 0,
	                                           len(body) + 32))
	END
	python3 threads.py 6000000 >threads.bin
	python3 threads.py 1100000 >half.bin
	python3 bomb.py 1 34000000 1000 >deep.bin
	python3 bomb.py 40 1000000 10 >many.bin
	python3 bomb.py 1 300000 1000 >long.bin
}

setup() {
	need zstd
	cd "$BATS_FILE_TMPDIR"
	[ "$(stat -c %s deep.bin)" -lt 20000 ]
	# shellcheck disable=SC2153
	out=$BATS_TEST_TMPDIR/out
	mkdir "$out"
}

# small KIB COMMAND...: with that much memory.
small() {
	(ulimit -v "$1" && shift && exec "$@")
}

stacks='the profile has too many different stacks, or too deep ones, to add up:'
part='take a part of it, by --since and --until, --thread or --match'

@test "one stack of 34 million frames" {
	local name
	for name in collapsed gecko flamegraph; do
		run -1 --separate-stderr small 1000000 \
		    tach-convert --$name -o "$out/x" deep.bin
		is "$stderr" "tach-convert: $out/x: $stacks $part"
	done
	run -1 --separate-stderr small 1000000 \
	    tach-convert --heatmap -o "$out/h" deep.bin
	is "$stderr" "tach-convert: $out/h: $stacks $part"
	run -1 --separate-stderr small 1000000 \
	    tach-convert --chrome --idle keep -o "$out/x" deep.bin
	is "$stderr" "tach-convert: $out/x: the profile has too many frames at \
once to add up: $part"
	run -1 --separate-stderr small 1000000 \
	    tach-convert --diff deep.bin -o "$out/x" long.bin
	is "$stderr" "tach-convert: deep.bin: $stacks $part"
	is "$(ls "$out")" ''
}

@test "many stacks of a million frames" {
	run -1 --separate-stderr small 1300000 \
	    tach-convert --collapsed -o "$out/x" many.bin
	is "$stderr" "tach-convert: $out/x: $stacks $part"
	small 1300000 tach-convert --collapsed --thread 7 many.bin |
	    tail -c 30 | grep ';a.py:ffffffffff:1 1$'
}

@test "a line is not kept as a whole" {
	is "$(small 200000 tach-convert --collapsed long.bin | wc -c)" \
	    $((300000 * 1008 + 8))
	small 200000 tach-convert --collapsed --frame function long.bin |
	    cmp - <(python3 -c 'print(";".join(["f" * 1000] * 300000), 1)')
	small 200000 tach-convert --csv long.bin | tail -c 13 | grep ':1",0,0$'
}

@test "one long name in a hundred thousand places" {
	python3 - >names.txt <<-'END'
	print("0\t0\t1\t-\t" + ";".join(f"x:f:{i}" for i in range(1, 100001)))
	END
	tach-convert --tach --layout early --compression none -o names.bin names.txt
	python3 - <<-'END'
	import struct
	data = open("names.bin", "rb").read()
	strings, frames = struct.unpack_from("<QQ", data, 36)
	name = b"\x80\x80\x01" + b"x" * 16384
	old = data[strings:frames].replace(b"\1x", name, 1)
	new = bytearray(data[:strings] + old + data[frames:])
	grown = len(new) - len(data)
	struct.pack_into("<Q", new, 44, frames + grown)
	struct.pack_into("<Q16x", new, len(new) - 24, len(new))
	open("names.bin", "wb").write(new)
	END
	run -1 --separate-stderr small 1000000 \
	    tach-convert --collapsed --frame austin -o "$out/x" names.bin
	is "$stderr" "tach-convert: $out/x: the profile has too many or too \
long names to add up: $part"
	small 1000000 tach-convert --flamegraph --source no -o "$out/x" names.bin
}

# What it prints is too much to keep.
silent() {
	small "$@" >/dev/null
}

@test "six million threads" {
	local why='sample data byte 33554445: more than 2097152 threads are not read'
	[ "$(stat -c %s threads.bin)" -lt 7000000 ]
	run -1 --separate-stderr silent 1000000 \
	    tach-info --stats threads.bin
	is "$stderr" "tach-info: threads.bin: $why"
	run -1 --separate-stderr small 1500000 \
	    tach-merge -o "$out/x" threads.bin
	is "$stderr" "tach-merge: threads.bin: $why"
}

@test "many threads, or deep stacks, of several profiles" {
	run -1 --separate-stderr small 1500000 \
	    tach-merge -o "$out/x" half.bin half.bin
	is "$stderr" "tach-merge: $out/x: the profiles have more than 2097152 \
threads together: merge fewer profiles"
	run -1 --separate-stderr small 1500000 \
	    tach-merge -o "$out/x" deep.bin deep.bin deep.bin deep.bin deep.bin
	is "$stderr" "tach-merge: $out/x: the stacks of all threads have more \
than 67108864 frames together: merge fewer profiles"
	is "$(ls "$out")" ''
}
