# SPDX-License-Identifier: ISC
# tach-convert --source: which files' text comes into pages, and in which
# coding.  test_source.c has the files that are refused, one by one.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	umask 022
}

# sample FILE...: a profile with one sample at line 3 of each.
sample() {
	local file i=0
	printf '# tach 1\n# interval 1000\n'
	for file; do
		printf '%d\t0\t7\tgil\t%s:f:3\n' $((i++)) "$file"
	done
}

# texts FOLDER: all lines of source that a heat map's pages have.
texts() {
	sed -n '/^text: \[$/,/\]/p' "$1"/0*.html
}

@test "pages have the text of programs, and one line says of how many" {
	mkdir sub
	printf 'x\ny\nz = 1\n' | tee a.py >sub/b.py
	echo 'not a program' >secret.txt
	ln -s secret.txt link.py
	chmod 640 sub/b.py
	sample "$PWD"/{a.py,sub/b.py,link.py,nosuch.py} '<string>' \
	    '<frozen x>' >p.txt
	run -0 --separate-stderr tach-convert --heatmap --source yes -o h p.txt
	is "$stderr" "tach-convert: source text of 1 file put in, not of 3: \
1 not here, 1 behind a symbolic link, 1 not readable by all"
	run -0 --separate-stderr tach-convert --flamegraph --source yes \
	    -o f.html p.txt
	is "$stderr" "tach-convert: source text of 1 file put in, not of 3: \
1 not here, 1 behind a symbolic link, 1 not readable by all"
	grep -F ':[3,"z = 1"]}' f.html
	run -1 grep -r 'not a program' h f.html
	chmod 644 sub/b.py
	run -0 --separate-stderr tach-convert --heatmap --source yes -o i \
	    <(sample "$PWD"/{a,sub/b}.py)
	is "$stderr" "tach-convert: source text of 2 files put in"
}

@test "--source DIRECTORY, no, and what is none of these" {
	mkdir -p sub/x subs
	printf 'x\ny\nz = 1\n' | tee a.py sub/b.py sub/x/c.py >subs/d.py
	ln -s sub/x alias
	sample "$PWD"/{a,sub/b,sub/x/c,subs/d,sub/../a}.py >p.txt
	run -0 --separate-stderr tach-convert --heatmap --source sub -o h p.txt
	is "$stderr" "tach-convert: source text of 2 files put in, not of 3: \
3 not below the directory"
	run -0 --separate-stderr tach-convert --heatmap --source alias -o i \
	    p.txt
	is "$stderr" "tach-convert: source text of 1 file put in, not of 4: \
4 not below the directory"
	run -0 --separate-stderr tach-convert --flamegraph --source no p.txt
	is "$stderr" ''
	grep -F '"source":{}' <<<"$output"
	run -2 --separate-stderr tach-convert --heatmap --source nosuch -o j \
	    p.txt
	is "${stderr_lines[0]}" "tach-convert: --source nosuch: No such file \
or directory: there are yes, no and directories"
	run -2 --separate-stderr tach-convert --heatmap --source a.py -o j p.txt
	is "${stderr_lines[0]}" "tach-convert: --source a.py: Not a directory: \
there are yes, no and directories"
	run -2 --separate-stderr tach-convert --collapsed --source yes p.txt
	is "${stderr_lines[0]}" \
	    "tach-convert: --source does not go with --collapsed"
}

@test "without --source root puts nothing in, others what they may" {
	printf 'x\ny\nz = 1\n' >a.py
	sample "$PWD/a.py" >p.txt
	if [ "$(id -u)" -ne 0 ]; then
		run -0 --separate-stderr tach-convert --heatmap -o h p.txt
		is "$stderr" "tach-convert: source text of 1 file put in"
		return
	fi
	run -0 --separate-stderr tach-convert --heatmap -o h p.txt
	is "$stderr" "tach-convert: no source text put in, as you are root: \
--source yes or --source DIRECTORY puts it in"
	is "$(texts h)" ''
}

# coded FILE BYTES: what a page has of a file of these bytes.
coded() {
	printf '%b' "$2" >"$1"
	sample "$PWD/$1" >p.txt
	rm -rf h
	tach-convert --heatmap --source yes -o h p.txt 2>/dev/null
	texts h | sed '1d; s/^text: \[//; s/\]};*$//; s/,$//'
}

@test "text is read in its coding" {
	local lines
	lines=$(coded latin.py '# -*- coding: latin-1 -*-\n# caf\0351\nx = 1\n')
	is "$lines" '"# -*- coding: latin-1 -*-"
"# café"
"x = 1"'
	coded unix.py '#!x\n# vim: fileencoding=latin-1-unix\n\0351\n' |
	    grep -x '"é"'
	coded cp.py '\n#coding=cp1252\n# \0200 5\n' | grep -x '"# € 5"'
	coded nine.py '\r\n\t# coding: Latin_9\r\n# \0244\r\n' | grep -x '"# €"'
	coded jp.py '# coding: shift_jis\nx\n\0223\0372\0226\0173\n' |
	    grep -x '"日本"'
	coded jp2.py '# coding: euc_jp\nx\n\0306\0374\0313\0334\n' |
	    grep -x '"日本"'
	lines=$(coded sig.py '\0357\0273\0277x = "\0303\0251"\n')
	is "$lines" '"x = \"é\""'
	coded mac.py '# mac\rx = 1\ry = 2\r' | grep -x '"y = 2"'
}

@test "a coding that is none, or not in a comment above, changes nothing" {
	coded unknown.py '# coding: iso-2022-jp\nx\n# caf\0303\0251\n' |
	    grep -x '"# café"'
	coded bad.py '# coding: no/such,,x\nx\n# caf\0303\0251\n' |
	    grep -x '"# café"'
	coded late.py 'x = 1\n# coding: latin-1\n# caf\0303\0251\n' |
	    grep -x '"# café"'
	coded string.py 's = "# coding: latin-1"\nx\n# caf\0303\0251\n' |
	    grep -x '"# café"'
	coded broken.py '# coding: euc-jp\nx\n# \0377 z\n' | grep -x '"# � z"'
	coded utf8.py 'x\ny\n# caf\0351\n' | grep -F '"# caf\\351"'
}
