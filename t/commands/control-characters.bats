# SPDX-License-Identifier: ISC
# Control characters, those of bidirectional text among them: none comes out
# of a name to where a terminal or a page would obey it.

load ../lib/lib.bash

# All controls there are, one a frame, as a profile's text.
controls() {
	python3 - <<-'END'
	codes = [*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
	         *range(0x2028, 0x202f), *range(0x2066, 0x206a)]
	print("# tach 1\n# interval 1000")
	for i, code in enumerate(codes):
	    name = "".join("\\%03o" % b for b in chr(code).encode())
	    print(i * 1000, 0, 7, "gil",
	          f"d/a{name}.py:f{name}{code:04x}:1", sep="\t")
	print(10 ** 6, 0, 7, "gil", r"b\233.py:g\377:1", sep="\t")
	END
}

# harmless FILE...: no control is in there but the ends of lines and tabs.
harmless() {
	python3 - "$@" <<-'END'
	import re, sys
	for name in sys.argv[1:]:
	    text = open(name, "rb").read().decode()
	    found = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f"
	                      "\u2028-\u202e\u2066-\u2069]", text)
	    if found:
	        sys.exit("%s: U+%04X in %r" % (name, ord(found[0]),
	            text[max(found.start() - 30, 0):found.end() + 30]))
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	controls >p.txt
}

@test "tach-cat escapes all, and is read back" {
	tach-cat p.txt >short
	tach-cat -l p.txt >long
	harmless short long
	grep -qF 'd/a\302\233.py:f\302\2330' short || grep -qF '\302\233' short
	cmp <(tach-cat -l long) long
	tach-convert --tach -o p.bin p.txt
	cmp <(tach-cat -l p.bin | grep -v '^#') <(grep -v '^#' long)
}

@test "no format writes one" {
	local name file
	printf '\302\205x\nx = "\342\200\256\302\233\t"\n' >a.py
	chmod 644 a.py
	printf '2000000\t0\t7\tgil\t%s/a.py:f:2\n' "$PWD" >>p.txt
	printf '# note thread 0 7 w\\302\\233\\342\\200\\256\\377\n' >>p.txt
	tach-convert --tach -o p.bin p.txt
	cp p.bin $'q\302\233\342\200\256.bin'
	for name in collapsed jsonl csv callgrind speedscope chrome gecko \
	    'collapsed --frame py-spy' 'collapsed --frame austin' \
	    'collapsed --frame function' 'diff p.bin' \
	    'flamegraph --source yes'; do
		file=${name//[^a-z]/-}
		# shellcheck disable=SC2086
		tach-convert --$name $'q\302\233\342\200\256.bin' >"$file" \
		    2>"$file.err"
		harmless "$file"
	done
	tach-convert --heatmap --source yes -o h $'q\302\233\342\200\256.bin' \
	    2>err
	harmless h/*
	tach-convert --gperftools --symbolized p.bin | tr -d '\0' |
	    iconv -f latin1 -t utf-8 >slots
	run -1 grep -P '\xc2\x9b.*\(' slots
	tach-convert --gperftools p.bin | grep -a '^# 0x' >comments
	harmless comments
}

@test "names stay apart, and can be read" {
	local stacks
	printf '0\t0\t7\tgil\ta.py:f\\302\\2331m:1\n1\t0\t7\tgil\ta.py:f\\302\\2341m:1
2\t0\t7\tgil\ta.py:\\033[1mg\\377:1;b.py:h\\342\\200\\256:2;b.py:a\\134b:2\n' >q.txt
	stacks='tid:7;a.py:\033[1mg\377:1;b.py:h\342\200\256:2;b.py:a\b:2 1
tid:7;a.py:f\302\2331m:1 1
tid:7;a.py:f\302\2341m:1 1'
	is "$(tach-convert --collapsed q.txt)" "$stacks"
	# What was written is read as it stands, and written so again.
	tach-convert --collapsed q.txt | tach-convert --collapsed >again
	is "$(<again)" "$stacks"
	is "$(tach-convert --diff q.txt q.txt | grep -c 'f\\302\\233')" 1
	is "$(tach-convert --csv q.txt | sed -n 3p | cut -d, -f 8-9)" \
	    '"f\302\2341m",a.py'
}

@test "JSON keeps the characters, by its own escapes" {
	need python3
	tach-convert --jsonl p.txt >p.jsonl
	grep -qF '\u009b' p.jsonl
	grep -qF '\u202e' p.jsonl
	python3 - <<-'END'
	import json
	records = [json.loads(line) for line in open("p.jsonl", newline="\n")]
	for r in records[:-1]:
	    code = int(r["function"][-4:], 16)
	    assert r["function"][1:-4] == chr(code), r
	assert records[-1]["function"] == "g\ufffd", records[-1]
	END
}
