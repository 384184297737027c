# SPDX-License-Identifier: ISC
# tach-info: what it says, for people and as JSON.

load lib.bash

setup() {
	cd "$T/data"
}

@test "header and tables, both layouts" {
	run -0 --separate-stderr tach-info cpython315-wall.bin \
	    cpython315-none.bin odd.bin
	is "$stderr" ''
	golden info.txt
}

@test "--stats" {
	run -0 --separate-stderr tach-info --stats cpython315-gil.bin odd.bin
	is "$stderr" ''
	golden info-stats.txt
	local long=$output
	run -0 tach-info -s cpython315-gil.bin odd.bin
	is "$output" "$long"
}

@test "--json" {
	run -0 --separate-stderr tach-info --json --stats cpython315-gil.bin \
	    odd.bin
	is "$stderr" ''
	golden info.json
	local long=$output
	run -0 tach-info -js cpython315-gil.bin odd.bin
	is "$output" "$long"
}

# The same fields, whether they are printed for people or as JSON.
@test "both forms say the same" {
	local file
	for file in cpython315-*.bin odd.bin; do
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
        elif key == "stats":
            lines(value)
        elif isinstance(value, list):
            for t in value:
                line("thread", t["thread"], "interpreter",
                     t["interpreter"], "samples", t["samples"], *bits(t))
        elif key in ("bytes_per_sample", "compression_ratio"):
            line(key, "%.2f" % value)
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
		b = run(sys.executable, '../decode.py', '--summary', sys.argv[1])
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
