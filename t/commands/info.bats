# SPDX-License-Identifier: ISC
# tach-info: what it says, for people and as JSON.

load ../lib/lib.bash

setup() {
	cd "$T/data"
}

@test "header and tables of both layouts are printed as expected" {
	run -0 --separate-stderr tach-info cpython315-wall.bin \
	    cpython315-none.bin odd.bin
	is "$stderr" ''
	golden info.txt
}

@test "--stats and -s print the figures of each sample, as expected" {
	run -0 --separate-stderr tach-info --stats cpython315-gil.bin odd.bin
	is "$stderr" ''
	golden info-stats.txt
	local long=$output
	run -0 tach-info -s cpython315-gil.bin odd.bin
	is "$output" "$long"
}

@test "--json and -j print all of it, as expected" {
	run -0 --separate-stderr tach-info --json --stats cpython315-gil.bin \
	    odd.bin
	is "$stderr" ''
	golden info.json
	local long=$output
	run -0 tach-info -js cpython315-gil.bin odd.bin
	is "$output" "$long"
}

# make_full FILE: a profile that has everything.
make_full() {
	tach-convert --tach --layout cpython -o "$1" - <<-'END'
		# tach 1
		# python 3.15.1
		# start 18446744073709551615
		# interval 0
		# config 0x1fd
		# quality duration=3.025 rate=999.5 errors=0.125 missed=12.5
		# note input 1 "a.bin"
		1	0	7	gil,main	a.py:f:1
		# note another
	END
}

@test "configuration, statistics, notes and the checksum are printed, where there are any" {
	local file=$BATS_TEST_TMPDIR/full.bin
	make_full "$file"
	run -0 --separate-stderr tach-info "$file"
	is "$stderr" ''
	is "$(sed -n '/^python/,/^samples/p; /^checksum/,$p' <<<"$output")" \
	    "python:            3.15.1
start:             18446744073709551615 us on the recording machine's monotonic clock
interval:          unknown
mode:              exception
features:          all-threads native gc opcodes blocking
recorded:          3.02 s at 999.5 samples a second
errors:            0.12%
missed:            12.50%
samples:           1
checksum:          $(peek "$file" "$FTR_CHECKSUM" 16)
note:              input 1 \"a.bin\"
note:              another"
	run -0 --separate-stderr tach-info --json "$file"
	is "$(jq -c '[.config, .mode, .features, .recorded, .notes, .checksum]' \
	    <<<"$output")" "[509,\"exception\",[\"all-threads\",\"native\",\"gc\",\"opcodes\",\"blocking\"],{\"duration_s\":3.025,\"rate\":999.5,\"errors_percent\":0.125,\"missed_percent\":12.5},[\"input 1 \\\"a.bin\\\"\",\"another\"],\"$(peek "$file" "$FTR_CHECKSUM" 16)\"]"
}

# placed NOTE...: a profile of interpreters 0 to 2 with these notes, as p.txt.
placed() {
	printf '# tach 1\n# python 3.14.0\n# start 70\n'
	printf '# note %s\n' "$@"
	printf '0\t%s\t7\tgil\ta.py:f:1\n' 0 1 2
}

@test "the time of day and the process, of one and of several" {
	cd "$BATS_TEST_TMPDIR"
	local clock="70 us on the recording machine's monotonic clock"
	placed 'process 0 4242' 'time 0 1700000000000042' | tach-convert --tach - >p.bin
	is "$(tach-info p.bin | grep -E '^(start|process|note)')" \
	    "start:             $clock, 2023-11-14 22:13:20.000042 UTC
process:           4242"
	is "$(tach-info -j p.bin | jq -c '[.start_us, .start_time, .processes, .notes]')" \
	    '[70,"2023-11-14T22:13:20.000042Z",[{"interpreter":0,"process":4242,"start_time":"2023-11-14T22:13:20.000042Z"}],null]'
	placed 'process 0 5' 'time 0 1700000000000000' 'process 1 6' \
	    'time 2 1600000000000000' 'process 2 0' >p.txt
	is "$(tach-info p.txt | grep -E '^(start|process|note)')" \
	    "start:             $clock, 2020-09-13 12:26:40.000000 UTC
process:           5, interpreters from 0 on, start 2023-11-14 22:13:20.000000 UTC
process:           6, interpreters from 1 on, start 2023-11-14 22:13:20.000000 UTC
process:           unknown, interpreters from 2 on, start 2020-09-13 12:26:40.000000 UTC"
	is "$(tach-info -j p.txt | jq -c '.processes | map([.interpreter, .process])')" \
	    '[[0,5],[1,6],[2,null]]'
}

@test "notes that look like those of a time and a process, and the latest time" {
	cd "$BATS_TEST_TMPDIR"
	placed 'process 0 2147483648' 'process 0 -1' 'process 0 5 x' 'process 5' \
	    'time 0 9223372036854776' 'time x 5' >p.txt
	tach-info p.txt >got
	is "$(grep -c '^note:' got)" 6
	is "$(grep -E '^(start|process)' got)" \
	    "start:             70 us on the recording machine's monotonic clock"
	placed 'time 0 9223372036854775' 'process 4294967295 1' >p.txt
	is "$(tach-info p.txt | grep -E '^(start|process)')" \
	    "start:             70 us on the recording machine's monotonic clock, 2262-04-11 23:47:16.854775 UTC
process:           unknown, interpreters from 0 on, start 2262-04-11 23:47:16.854775 UTC
process:           1, interpreters from 4294967295 on, start 2262-04-11 23:47:16.854775 UTC"
}

# config HEXBYTES: what is said of a configuration, of which these are the
# bytes in a little-endian file.
config() {
	local bytes=$1
	[ "$(peek "$BATS_TEST_TMPDIR/full.bin" 0 1)" = 48 ] ||
	    bytes=${1:6:2}${1:4:2}${1:2:2}${1:0:2}
	poke "$BATS_TEST_TMPDIR/full.bin" "$CHDR_CONFIG" "$bytes"
	tach-info "$BATS_TEST_TMPDIR/full.bin" |
	    sed -En 's/^(mode|features): *//p' | paste -sd '|'
}

@test "the words of a configuration, and bits that are not known" {
	make_full "$BATS_TEST_TMPDIR/full.bin"
	is "$(config 00000000)" ""
	is "$(config 01000000)" "wall"
	is "$(config 02000000)" "cpu"
	is "$(config 03000000)" "gil"
	is "$(config 04000000)" "all"
	is "$(config 05000000)" "exception"
	is "$(config 06000000)" "unknown"
	is "$(config 09000000)" "wall"
	is "$(config 59000000)" "wall|all-threads gc"
	is "$(config 51000000)" "wall|0x50" # nothing says that they count
	is "$(config 09000080)" "wall|0x80000000"
	is "$(config ffffffff)" "unknown|all-threads native gc opcodes blocking 0xfffffe00"
}

# Damage is in damage.bats.
@test "--verify: with nothing else" {
	for other in --stats --json; do
		run -2 --separate-stderr tach-info --verify $other odd.bin
		is "$output" ''
		is "${stderr_lines[0]}" "tach-info: --verify does not go with --stats and --json"
	done
}

@test "a profile that was not finished" {
	local file=$BATS_TEST_TMPDIR/p.bin
	"$TACH_BUILDDIR/t/unit/recode" odd.bin "$file" early zstd \
	    unfinished
	local says="$file: its recording was cut short: this is what was saved (tach-merge -o NEW makes it whole)"
	run -0 --separate-stderr tach-info "$file"
	is "$stderr" "tach-info: $says"
	grep -q '^state: *unfinished$' <<<"$output"
	grep -q '^samples: *16$' <<<"$output"
	grep -q '^checksum: *none$' <<<"$output"
	run -0 --separate-stderr tach-info --json "$file"
	is "$(jq -c '[.finished, .samples]' <<<"$output")" '[false,16]'
	run -1 --separate-stderr tach-info --verify "$file"
	is "$output" ''
	is "$stderr" "tach-info: $says"
}

# The same fields, whether they are printed for people or as JSON.
@test "both forms say the same" {
	local file
	make_full "$BATS_TEST_TMPDIR/full.bin"
	for file in cpython315-*.bin odd.bin "$BATS_TEST_TMPDIR/full.bin"; do
		diff <(tach-info --json --stats "$file" | as_text) \
		    <(tach-info --stats "$file" | without_units)
	done
}

as_text() {
	python3 -c '
import json, sys

def line(key, *values):
    print(key.replace("_us", "").replace("_", "-"), *values)

def bits(t):
    for word, n in t["status"].items():
        if n or word in "gil cpu unknown gil-wanted exception":
            yield word
            yield "%.1f" % (100 * n / t["samples"])

def lines(d):
    for key, value in d.items():
        if key == "records":
            line(key, *(x for kv in value.items() for x in kv))
        elif key == "finished":
            if not value:
                line("state", "unfinished")
        elif key == "interval_us":
            line(key, value or "unknown")
        elif key in ("config", "checksum"):
            pass
        elif key == "features":
            if value:
                line(key, *value)
        elif key == "recorded":
            line(key, "%.2f s at %.1f samples a second" %
                 (value["duration_s"], value["rate"]))
            for word in "errors", "missed":
                if word + "_percent" in value:
                    line(word, "%.2f" % value[word + "_percent"])
        elif key == "notes":
            for note in value:
                line("note", note)
        elif key == "stats":
            lines(value)
        elif key == "opcodes":
            for o in value[:10]:
                line("opcode", o["opcode"], o["name"], "samples",
                     o["samples"])
        elif isinstance(value, list):
            for t in value:
                line("thread", t["thread"], "interpreter",
                     t["interpreter"], "samples", t["samples"], *bits(t))
        elif key in ("bytes_per_sample", "compression_ratio"):
            line(key, "%.2f" % value)
            if key == "bytes_per_sample":
                line("checksum", d.get("checksum", "none"))
        elif key == "duration_us":
            line(key, "%.6f" % (value / 1e6))
        else:
            line(key, value)

lines(json.load(sys.stdin))'
}

without_units() {
	sed -E 's/^([a-z-]*): */\1 /; s/ us .*//; s/ \(.*//; s/ bytes$//
	    s/ s$//; s/%//g'
}

# Against the decoder of the tests, which shares nothing with libtach.
@test "the figures are those of another decoder" {
	need zstd
	local file
	for file in cpython315-*.bin odd.bin; do
		[ "$file" != odd.bin ] || continue
		python3 - "$file" <<-'END'
		import json, subprocess, sys
		def run(*command):
		    return json.loads(subprocess.check_output(command))
		a = run('tach-info', '--json', '--stats', sys.argv[1])
		b = run(sys.executable, '../lib/decode.py', '--summary', sys.argv[1])
		for key in 'samples', 'threads', 'strings', 'frames', \
		        'interval_us', 'start_us', 'compression':
		    assert a[key] == b[key], (key, a[key], b[key])
		a = a['stats']
		assert a['duration_us'] == b['duration_us']
		assert a['records'] == {k: b['records'].get(k, 0)
		                        for k in a['records']}, b['records']
		assert [[t['interpreter'], t['thread'], t['samples']]
		        for t in a['threads']] == b['samples_by_thread']
		END
	done
}

@test "the samples are not read without --stats" {
	local bad=$BATS_TEST_TMPDIR/bad.bin
	cp cpython315-wall.bin "$bad"
	poke "$bad" 64 0000000000000000
	run -0 --separate-stderr tach-info "$bad"
	is "$output" "$(tach-info cpython315-wall.bin |
	    sed "s,cpython315-wall.bin,$bad,")"
	run -1 --separate-stderr tach-info --stats "$bad"
	grep '^decoded-samples: *0$' <<<"$output"
	is "${stderr_lines[*]%%: *}" tach-info
}

@test "several files: an empty line between, and none for those that fail" {
	run -1 --separate-stderr --keep-empty-lines tach-info nosuch.bin \
	    odd.bin nosuch.bin odd.bin
	local one
	one=$(tach-info odd.bin)
	is "${output%$'\n'}" "$one

$one"
	is "$stderr" "tach-info: nosuch.bin: No such file or directory
tach-info: nosuch.bin: No such file or directory"
}

@test "JSON is valid whatever the file's name" {
	local name
	name=$BATS_TEST_TMPDIR/$(printf 'a"b\\c\n\t\001\177 \303\251 \303\50 \355\240\200 \360\237\230\200 \377')
	cp odd.bin "$name"
	run -0 --separate-stderr tach-info --json "$name"
	is "${#lines[@]}" 1
	python3 - "$output" "$name" <<-'END'
	import json, os, sys
	sent = os.fsencode(sys.argv[1])
	got = json.loads(sent.decode('utf-8', 'strict'))['file']
	want = os.fsencode(sys.argv[2]).decode('utf-8', 'replace')
	assert got == want, (got, want)
	END
}
