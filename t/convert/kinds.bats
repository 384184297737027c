# SPDX-License-Identifier: ISC
# kinds.bats: frames that are no Python, in all outputs: functions of C that Python
# calls, code of modules and of the kernel, reasons of waits.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mixed >p.txt
	tach-convert --tach -o p.bin p.txt
}

# samples COUNT STATUS STACK: lines of text, a millisecond apart.
samples() {
	local n
	for ((n = 0; n < $1; n++)); do
		printf '%d\t0\t7\t%s\t%s\n' "$at" "$2" "$3"
		at=$((at + 1000))
	done
}

# 16 samples: line 3 sleeps, line 4 sorts, line 5 calls modules, line 6 is Python alone.
mixed() {
	local at=0 f='/srv/app.py:main:9;/srv/app.py:f'
	printf '# tach 1\n# python 3.13.1\n# interval 1000\n'
	samples 5 main "$f:3;<built-in>:time.sleep:;<wait>:sleep:"
	samples 3 gil,cpu,main "$f:4;<built-in>:list.sort:;/srv/app.py:key:20"
	samples 2 gil,cpu,main "$f:4;<built-in>:list.sort:"
	samples 2 gil,cpu,main \
	    "$f:5;/usr/bin/python3.13:list_sort:;/lib/libc.so.6:memcpy:"
	samples 1 cpu,main "$f:5;/lib/libc.so.6:read:;[kernel]:vfs_read:"
	samples 1 gil,cpu,main "$f:6"
	samples 1 gil,cpu,main '/srv/app.py:main:9;<GC>'
	samples 1 cpu,main '/usr/bin/python3.13:_start:;/usr/bin/python3.13:main:'
}

# rows GROUP: samples and name of each row of tach-top.
rows() {
	tach-top --once -g "$1" p.bin | sed 1,2d |
	    awk '{ n = $9; $1 = $2 = $3 = $4 = $5 = $6 = $7 = $8 = $9 = ""
	        sub(/^ +/, ""); print n, $0 }'
}

# ---- lines ----------------------------------------------------------------------

@test "tach-top: a line has the time of the C code that it called" {
	is "$(rows line)" "\
5 f /srv/app.py:3
3 key /srv/app.py:20
3 f /srv/app.py:5
2 f /srv/app.py:4
1 f /srv/app.py:6
1 <GC>
1 main /usr/bin/python3.13
0 main /srv/app.py:9
0 _start /usr/bin/python3.13"
}

# bare FILE: the same without frames of C code, which count with the Python around them.
bare() {
	tach-cat -l "$1" | sed -E 's/;<(built-in|wait)>:[^;]*//g' |
	    tach-convert --tach -o bare.bin -
}

# as_before FILE: lines, files and pages are as they are without C code.
as_before() {
	local group
	bare "$1"
	for group in line file module; do
		is "$(tach-top --once -g $group "$1" | sed 1d)" \
		    "$(tach-top --once -g $group bare.bin | sed 1d)"
	done
	is "$(tach-convert --markdown "$1" | sed -n '/^## Lines/,/^##/p' |
	    sed 's/ → .*`/ |/' | grep '%' | cut -d '|' -f 2,3)" \
	    "$(tach-convert --markdown bare.bin | sed -n '/^## Lines/,/^##/p' |
	    grep '%' | cut -d '|' -f 2,3)"
	rm -rf with without
	tach-convert --heatmap --source no -o with "$1"
	tach-convert --heatmap --source no -o without bare.bin
	is "$(cd with && lines_of *.html)" "$(cd without && lines_of *.html)"
}

@test "lines are as they were before there was C code in stacks" {
	tach-cat -l p.bin | grep -vE '_start|libc' >q.txt
	as_before q.txt
	is "$(tach-cat bare.bin | cut -f 5 | tr ';' '\n' | grep -v ':[0-9]*$')" '<GC>'
}

@test "so are those of a recording" {
	[ "$(tach-cat "$T/data/calls.tach" | grep -c '<built-in>')" -gt 1000 ]
	as_before "$T/data/calls.tach"
	is "$(tach-cat bare.bin | grep -c '<built-in>' || :)" 0
}

# Line, self, total of each line of a page.
lines_of() {
	sed -nE 's/^\[(-?[0-9]+,[0-9]+,[0-9]+),\[.*/\1/p' "$@"
}

@test "tach-top: modules are files, functions of C and waits are none" {
	is "$(rows file)" "\
11 /srv/app.py
2 /lib/libc.so.6
1 /usr/bin/python3.13
1 [kernel]
1 <GC>"
	is "$(rows module)" "\
11 app /srv/app.py
2 libc.so.6 /lib/libc.so.6
1 python3.13 /usr/bin/python3.13
1 [kernel] [kernel]
1 <GC>"
}

@test "tach-top: by function, they are functions" {
	is "$(rows function)" "\
5 sleep <wait>
3 key /srv/app.py:20
2 list.sort <built-in>
2 memcpy /lib/libc.so.6
1 f /srv/app.py:3
1 vfs_read [kernel]
1 <GC>
1 main /usr/bin/python3.13
0 main /srv/app.py:9
0 time.sleep <built-in>
0 list_sort /usr/bin/python3.13
0 read /lib/libc.so.6
0 _start /usr/bin/python3.13"
}

# What the view has of a node: self of all, and name.
@test "tach-top: in a tree of lines C code is part of its line" {
	need tmux
	tmux -L kinds -f /dev/null new-session -d -x 100 -y 24 \
	    "tach-top -g line p.bin"
	until_ screen_has 'line by self'
	tmux -L kinds send-keys t +
	until_ screen_has 'line tree by total'
	until_ screen_has 'key  .*app.py:20'
	tmux -L kinds capture-pane -p >screen
	tmux -L kinds send-keys q
	sed -nE 's/^ *([0-9.]+)% .*%  ([ +-]*)([a-z_<>GC]+)( .*)?$/\1 \2\3\4/p' \
	    screen | sed 's/  *$//' >tree
	is "$(cat tree)" "\
0.0 - main  /srv/app.py:9
31.2    f  /srv/app.py:3
12.5  - f  /srv/app.py:4
18.8     key  /srv/app.py:20
18.8    f  /srv/app.py:5
6.2    f  /srv/app.py:6
6.2    <GC>
0.0 - _start  /usr/bin/python3.13
6.2    main  /usr/bin/python3.13"
}

screen_has() {
	tmux -L kinds capture-pane -p | found "$1"
}

@test "tach-top --gil: the reason of a wait is no function that waits" {
	{
		printf '# interval 1000\n'
		printf '%d\t0\t1\tgil,cpu\ta.py:f:1;<built-in>:zlib.compress:\n' 0 1000
		printf '%d\t0\t2\tgil-wanted\ta.py:g:2;<wait>:GIL:\n' 0 1000
	} >w.txt
	is "$(tach-top --gil w.txt | tail -n 1)" \
	    ' 100.0%   0.002s  g a.py:2  <-  zlib.compress <built-in>'
	tach-convert --markdown w.txt | found -F "| 100.0% | \`g\` | \`zlib.compress\` |"
}

@test "--heatmap: lines have it, no page has functions of C, and a line names them" {
	need_chromium
	tach-convert --heatmap --source no -o hm p.bin
	is "$(ls hm)" "0001-app.py.html
0002-_.html
index.html
profile.js"
	run -0 browser hm/index.html eval "['files', 'functions'].map((id) =>
	    [...document.querySelectorAll('#' + id + ' tbody tr')].map((tr) =>
		[...tr.cells].map((c) => c.innerText.replace(/\n/g, '')).join(' '))
	    .join('\n')).join('\n')" eval 'document.querySelector("#summary").innerText'
	is "$output" "\
87.5 % 93.8 % /srv/app.py
6.3 % 6.3 % ~
68.8 % 87.5 % f app.py:3
18.8 % 18.8 % key app.py:20
6.3 % 6.3 % <GC> ~
 93.8 % main app.py:9
16 samples of 1 thread; 6.3 % of it in C code that no line called"
	run -0 browser hm/0001-app.py.html \
	    eval 'page.lines.map((r) => r.slice(0, 3).join(" ")).join("\n")' \
	    eval 'document.querySelector("#L5 .weight").title' \
	    click '#L4 .number' \
	    eval "[...document.querySelectorAll('.panel .entry')].map((e) =>
		e.innerText.replace(/\s+/g, ' ') + (e.querySelector('a') ?
		' linked' : '')).join('\n')"
	is "$output" "\
3 5 5
4 2 5
5 3 3
6 1 1
9 0 15
20 3 3
3 samples
2 samples in list_sort
1 sample in read
100 % 5 main app.py:9 linked
60.0 % 3 key app.py:20 linked
40.0 % 2 list.sort <built-in>"
}

@test "--heatmap: what perf recorded of a Python is in the lines of Python" {
	tach-convert --heatmap --source no -o hm "$T/data/perf.txt"
	is "$(find hm -name '*.html' | grep -cE 'libc|kernel|python3\.15\.html')" 0
	grep -qxF '["/tmp/hot.py","0001-hot.py.html",7,7,1],' hm/profile.js
}

@test "--markdown: lines have it, with the function of C beside them" {
	tach-convert --markdown p.bin >p.md
	is "$(sed -n '/^## Lines/,/^## Paths/p' p.md | grep '%')" "\
| 27.3% | \`/srv/app.py:20\` | \`key\` |
| 27.3% | \`/srv/app.py:5\` | \`f\` → \`list_sort\` |
| 18.2% | \`/srv/app.py:4\` | \`f\` → \`list.sort\` |
| 9.1% | \`/srv/app.py:6\` | \`f\` |"
	grep -qxF "| 18.2% | 45.5% | \`list.sort\` | \`<built-in>\` |" p.md
}

# ---- formats ----------------------------------------------------------------------

@test "--pstats: functions of C as cProfile names them" {
	{
		printf '# interval 1000\n'
		for name in time.sleep list.sort _thread.lock.acquire len \
		    zlib.crc32 sqlite3.Cursor.execute unknown 'type Decimal' \
		    'numpy.ufunc add'; do
			printf "0\t0\t7\t-\ta.py:f:1;<built-in>:%s:\n" "$name"
		done
	} >n.txt
	tach-convert --pstats -o n.prof n.txt
	python3 -c 'import pstats
for key in sorted(pstats.Stats("n.prof").stats):
	print(*key)' >got
	# Names that cProfile has for the same calls.
	python3 -c '
import _thread, cProfile, pstats, sqlite3, time, zlib
lock, cursor = _thread.allocate_lock(), sqlite3.connect(":memory:").cursor()
p = cProfile.Profile()
p.runcall(lambda: (time.sleep(0), [].sort(), lock.acquire(), len([]),
                   zlib.crc32(b""), cursor.execute("select 1")))
for key in sorted(pstats.Stats(p).stats):
	if key[0] == "~" and "lsprof" not in key[2]:
		print(*key)' >cprofile
	is "$(sort got)" "$(sort - cprofile <<-'END'
	a.py 1 f
	~ 0 <built-in method unknown>
	~ 0 <built-in numpy.ufunc add>
	~ 0 <built-in type Decimal>
	END
	)"
	tach-convert --pstats -o p.prof p.bin
	python3 -m pstats p.prof <<<'sort tottime
stats' >text
	cat text
	grep -q ' {wait sleep}$' text
	grep -q " {method 'sort' of 'list' objects}\$" text
	grep -q ' /lib/libc.so.6:0(memcpy)$' text
}

@test "--callgrind: modules are objects" {
	need_callgrind_annotate
	tach-convert --callgrind -o p.cg p.bin
	callgrind_annotate --inclusive=yes --auto=no --show=samples p.cg |
	    sed -nE 's/^ *([0-9]+) \([ 0-9.]+%\)  (.*:.*)$/\1 \2/p' | LC_ALL=C sort -k 2 >got
	is "$(cat got)" "\
14 /srv/app.py:f [python]
3 /srv/app.py:key [python]
15 /srv/app.py:main [python]
5 <built-in>:list.sort [python]
5 <built-in>:time.sleep [python]
5 <wait>:sleep [python]
1 ???:_start [/usr/bin/python3.13]
2 ???:list_sort [/usr/bin/python3.13]
1 ???:main [/usr/bin/python3.13]
2 ???:memcpy [/lib/libc.so.6]
1 ???:read [/lib/libc.so.6]
1 ???:vfs_read [[kernel]]
1 ~:<GC> [python]
16 ~:thread 7 [python]"
	# Without modules there are no objects.
	tach-convert --callgrind --not-match 'list_sort|read|_start' p.bin >python.cg
	is "$(grep -c 'ob=' python.cg)" 0
}

@test "--callgrind: KCachegrind opens it" {
	need_kcachegrind
	tach-convert --callgrind -o p.cg p.bin
	kcachegrind_title "$PWD/p.cg" >title
	grep -q 'p\.cg' title
}

@test "--pprof: a module is a mapping, and lines have what they called" {
	need_pprof
	mkdir -p src
	printf 'line %d\n' {1..20} >src/app.py
	sed "s|/srv|$PWD/src|g" p.txt >q.txt
	tach-convert --pprof -o p.pb.gz q.txt
	for pprof in "${PPROFS[@]}"; do
		$pprof -raw p.pb.gz >raw
		# MAPPING of each function, by the name of its file.
		awk '/^Mappings/ { on = 1 }
		    on && /FN/ { sub(":", "", $1); name["M=" $1] = $3 }
		    / M=/ { of[$4] = $3 }
		    END { for (f in of) print f, name[of[f]] }' raw | sort >got
		is "$(cat got)" "\
<GC> python3.13
_start /usr/bin/python3.13
f python3.13
key python3.13
list.sort python3.13
list_sort /usr/bin/python3.13
main /usr/bin/python3.13
memcpy /lib/libc.so.6
read /lib/libc.so.6
sleep python3.13
time.sleep python3.13
vfs_read [kernel]"
		is "$($pprof -list '^f$' p.pb.gz | awk '/:line [3-6]$/ {
		    print $1, $2, $NF }')" ". 5 3
. 5 4
. 3 5
1 1 6"
	done
}

@test "--gperftools: names of C code, by google-pprof and go tool pprof" {
	need_google_pprof
	need_pprof
	tach-convert --gperftools --symbols "$PWD/x.so" -o p.prof p.bin
	google-pprof --text x.so p.prof 2>log | awk 'NR > 1 { print $NF }' | sort >got
	is "$(sed 's/@.*//' got | uniq | paste -sd ' ')" \
	    '[GC] _start f key list.sort list_sort main memcpy read sleep time.sleep vfs_read'
	for pprof in "${PPROFS[@]}"; do
		$pprof -top p.prof | awk 'NR > 4 { print $6 }' | sort >got
		is "$(paste -sd ' ' got)" '[GC] _start f key list.sort list_sort '`
		    `'main memcpy read sleep time.sleep vfs_read'
	done
}

@test "--gecko: categories, and a view of Python alone" {
	need_profiler_cli
	need jq
	tach-convert --gecko -o p.json p.bin
	profiler_cli "$PWD/p.json" thread samples --include-idle \
	    -- thread functions --include-idle --limit 0 >text
	is "$(sed -n 's/^  \([A-Z][A-Za-z ]*[a-zC]\)  *█* *\([0-9]*\)   *[0-9.]*%$/\1 \2/p' \
	    text)" "\
Idle 5
Python 4
Native 3
C function 2
GC 1
Kernel 1"
	grep -qF '<built-in>!list.sort - self: 2' text
	grep -qF '/lib/libc.so.6!memcpy - self: 2' text
	grep -qF '[kernel]!vfs_read - self: 1' text
	is "$(jq -c '.meta.usesOnlyOneStackType, (.shared.stringArray as $s |
	    .threads[0].funcTable | [range(.length) as $i |
	    select(.relevantForJS[$i]) | $s[.name[$i]]])' p.json)" \
	    'false
["main","f","key","<GC>"]'
	tach-convert --gecko --match ':f:6' p.bin | jq .meta.usesOnlyOneStackType |
	    found -x true
	printf '# interval 1000\n0\t0\t7\tgil-wanted\ta.py:f:1;<wait>:GIL:\n' >w.txt
	is "$(tach-convert --gecko w.txt | jq -r '.meta.categories[
	    .threads[0].frameTable.category[1]].name')" GIL
}

@test "--speedscope: files without lines" {
	need_speedscope_schema
	need jq
	tach-convert --speedscope -o p.json p.bin
	speedscope_schema p.json
	is "$(jq -c '.shared.frames[] | select(.line == null)' p.json)" '{"name":"time.sleep","file":"<built-in>"}
{"name":"sleep","file":"<wait>"}
{"name":"list.sort","file":"<built-in>"}
{"name":"list_sort","file":"/usr/bin/python3.13"}
{"name":"memcpy","file":"/lib/libc.so.6"}
{"name":"read","file":"/lib/libc.so.6"}
{"name":"vfs_read","file":"[kernel]"}
{"name":"<GC>","file":"~"}
{"name":"_start","file":"/usr/bin/python3.13"}
{"name":"main","file":"/usr/bin/python3.13"}
{"name":"<no frames>"}'
}

@test "--flamegraph: a key folds C code, and hues tell it" {
	need_chromium
	tach-convert --flamegraph --source no -o p.html p.bin
	run -0 browser p.html eval 'tach.stacks()' key a eval 'tach.stacks()' \
	    eval location.hash key a eval 'tach.stacks().split("\n").length'
	is "$output" "\
all;_start;main 1
all;main;<GC> 1
all;main;f 1
all;main;f;list.sort 2
all;main;f;list.sort;key 3
all;main;f;list_sort;memcpy 2
all;main;f;read;vfs_read 1
all;main;f;time.sleep;sleep 5
all;_start;main 1
all;main;<GC> 1
all;main;f 11
all;main;f;key 3
$(printf '\n8')"
	run -0 browser p.html eval "['time.sleep', 'list.sort', 'memcpy', 'read',
	    'vfs_read'].map((name) => tach.colour(name).match(/(\d+)\)/)[1]).join()" \
	    eval "Number(tach.colour('f').match(/(\d+)\)/)[1]) % 290 < 190" \
	    click '#help' wait 'document.querySelector("dialog").open' \
	    eval 'document.querySelector("dialog").innerText'
	is "${lines[0]}" 255,255,225,225,285
	is "${lines[1]}" true
	grep -q $'^a\tC code folded' <<<"$output"
	# Where there is none, there is no such key.
	tach-convert --flamegraph --source no --match ':f:6' -o q.html p.bin
	run -0 browser q.html key a eval 'tach.stacks()' click '#help' \
	    wait 'document.querySelector("dialog").open' \
	    eval 'document.querySelector("dialog").innerText.includes("C code")'
	is "$output" 'all;main;f 1
false'
}

@test "--flamegraph: where C code of a recording is folded, it is as without it" {
	need_chromium
	bare "$T/data/calls.tach"
	tach-convert --flamegraph --source no -o with.html "$T/data/calls.tach"
	tach-convert --flamegraph --source no -o without.html bare.bin
	browser with.html key a eval 'tach.stacks()' >with
	browser without.html eval 'tach.stacks()' >without
	[ "$(wc -l <with)" -gt 20 ]
	cmp with without
}

@test "--flamegraph: where C code is folded, threads, recursion and callers are right" {
	need_chromium
	{
		printf '# interval 1000\n'
		printf '%s\t0\t%s\tgil,cpu\t%s\n' \
		    0 1 'a.py:f:1;<built-in>:map:;a.py:f:1;<built-in>:len:' \
		    1000 1 'a.py:f:1' \
		    0 2 '/lib/x.so:start:;a.py:g:2;/lib/x.so:h:'
	} >r.txt
	tach-convert --flamegraph --source no -o r.html r.txt
	run -0 browser r.html key a eval 'tach.stacks()' key r eval 'tach.stacks()' \
	    key c eval 'tach.names().sort().join()'
	is "$output" 'all;f 1
all;f;f 1
all;g 1
all;f 2
all;g 1
all,f,g'
}

@test "--diff: a function of C is a function, and pages of it fold, too" {
	need_chromium
	tach-convert --diff p.bin p.bin >table
	grep -q 'time.sleep *<built-in>' table
	tach-convert --flamegraph --diff p.bin --source no -o d.html p.bin
	run -0 browser d.html key a eval 'tach.stacks().split("\n").length'
	is "$output" 4
}

@test "--otlp, --perfetto and --chrome: types of frames" {
	tach-convert --perfetto p.bin | "$T/convert/perfetto.py" >perfetto
	cat perfetto
	grep -q 'vfs_read.*kernel' perfetto
	need jq
	is "$(tach-convert --chrome --idle keep p.bin | jq -rc '[.traceEvents[] |
	    select(.ph == "X") | .name + " " + .cat] | unique[]')" "\
<GC> python
_start native
f python
key python
list.sort c
list_sort native
main native
main python
memcpy native
read native
sleep wait
time.sleep c
vfs_read kernel"
}

# ---- texts and selections ---------------------------------------------------------

@test "texts have the file, by which they can be told" {
	is "$(tach-convert --collapsed p.bin | head -n 1)" \
	    'tid:7;app.py:main:9;app.py:f:3;<built-in>:time.sleep:0;<wait>:sleep:0 5'
	is "$(tach-convert --collapsed --frame py-spy p.bin | head -n 1)" \
	    'main (/srv/app.py:9);f (/srv/app.py:3);time.sleep (<built-in>);sleep (<wait>) 5'
	need jq
	is "$(tach-convert --jsonl p.bin | jq -r '.file' | sort | uniq -c |
	    sed 's/^ *//')" "\
2 /lib/libc.so.6
4 /srv/app.py
1 /usr/bin/python3.13
2 <built-in>
5 <wait>
1 [kernel]
1 ~"
}

@test "collapsed stacks give them back" {
	local style
	for style in py-spy austin; do
		tach-convert --collapsed --frame $style -o c.txt p.bin
		tach-top --once -g function c.txt | awk 'NR > 2 { print $9, $10, $11 }' |
		    sort >got
		tach-top --once -g function p.bin | awk 'NR > 2 { print $9, $10, $11 }' |
		    sort >want
		is "$(cat got)" "$(cat want)"
	done
}

@test "selections leave their samples out, and sed leaves the frames out" {
	is "$(tach-convert --collapsed --by none --not-match '^<wait>:' p.bin |
	    grep -c wait)" 0
	is "$(tach-cat --match '^<built-in>:time[.]sleep:' p.bin | wc -l)" 5
	is "$(tach-cat -l p.bin | sed -E 's/;<(built-in|wait)>:[^;]*//g' |
	    tach-convert --collapsed --by none - | sed 's/^tid:[0-9]*;//')" "\
app.py:main:9;app.py:f:3 5
app.py:main:9;app.py:f:4;app.py:key:20 3
app.py:main:9;app.py:f:4 2
app.py:main:9;app.py:f:5;python3.13:list_sort:0;libc.so.6:memcpy:0 2
app.py:main:9;<GC> 1
app.py:main:9;app.py:f:5;libc.so.6:read:0;[kernel]:vfs_read:0 1
app.py:main:9;app.py:f:6 1
python3.13:_start:0;python3.13:main:0 1"
}

@test "--opcodes: an opcode has led to the C code" {
	local f='a.py:f:1::::31'
	{
		printf '# python 3.13.1\n# interval 1000\n'
		printf '%d000\t0\t7\t-\t%s\n' 0 "$f" 1 "$f;<built-in>:len:" \
		    2 "$f;<built-in>:time.sleep:;<wait>:sleep:" 3 '/lib/x.so:f:'
	} >o.txt
	is "$(tach-convert --collapsed --frame function --opcodes o.txt)" "\
f 1
f;POP_EXCEPT 1
f;POP_EXCEPT;len 1
f;POP_EXCEPT;time.sleep;sleep 1"
	is "$(tach-top --once -g line o.txt | awk 'NR > 2 { print $9, $10, $11 }')" "\
3 f a.py:1
1 f /lib/x.so"
}

@test "the sums of all formats are those of the samples" {
	local format want=16
	for format in $(tach-convert --list | awk '{ print $1 }'); do
		rm -rf out
		case $format in
		flamegraph | diff) continue ;;
		speedscope | chrome | perfetto) set -- --idle keep ;;
		pstats | callgrind) set -- --weight time ;;
		*) set -- ;;
		esac
		tach-convert "--$format" "$@" -o out p.bin
		got=$(python3 "$T/convert/totals.py" "$format" out)
		echo "$format $got"
		[ "${got% *}" = - ] || is "${got% *}" $want
		[ "${got#* }" = - ] || is "${got#* }" ${want}000
	done
}
