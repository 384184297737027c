# SPDX-License-Identifier: ISC
# flamegraph.bats: the pages of tach-convert --flamegraph, in Chromium.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# samples COUNT START THREAD STATUS STACK: lines of text, a millisecond apart.
samples() {
	local n
	for ((n = 0; n < $1; n++)); do
		printf '%d\t0\t%s\t%s\t%s\n' $(($2 + n * 1000)) "${@:3}"
	done
}

# Two threads: in 7 of 10 samples something is done.
shop() {
	printf '# interval 1000\n'
	samples 5 0 7 gil,cpu,main '/srv/app.py:main:12;/srv/app.py:work:3'
	samples 1 5000 7 gil,cpu,main '/srv/app.py:main:13;/srv/app.py:work:4'
	samples 3 6000 7 main '/srv/app.py:main:14;/srv/lib/q.py:wait:9'
	samples 1 0 8 cpu '/srv/lib/q.py:serve:2;/srv/app.py:work:3'
}

# page [OPTION...]: p.html, of text on standard input.
page() {
	tach-convert --flamegraph --source yes "$@" -o p.html
}

# at NAME: where the page has the middle of the widest frame of that name, for the
# commands of browser.
at() {
	echo "js=(() => { const r = tach.rect('$1');
	    return { x: r.x + r.width / 2, y: r.y + r.height / 2 } })()"
}

# said ID: what an element says, if it is to be seen.
said() {
	echo "(() => { const e = document.querySelector('#$1');
	    return e.checkVisibility() ? e.innerText : '' })()"
}

# shown NAME: the share of the page's width that a frame has, in per cent.
shown="(name) => { const r = tach.rect(name), w = tach.rect('all').width;
    return r ? Math.round(r.width / w * 100) : 'nothing' }"

@test "it opens, and everything that was recorded is in it" {
	need_chromium
	local file
	for file in "$T"/data/*.bin; do
		tach-convert --flamegraph -o p.html "$file"
		run -0 browser p.html eval 'tach.total()' \
		    eval 'document.title' key w eval 'tach.total()'
		is "${lines[0]}" "$(tach-info --json "$file" | jq .samples)"
		is "${lines[1]}" "$file: flame graph"
		[ "${lines[2]}" -gt 0 ]
	done
}

@test "frames are as wide as their shares, by samples or by time" {
	need_chromium
	{
		shop
		samples 1 15000 8 cpu '/srv/app.py:late:1'
	} | page
	run -0 browser p.html eval "($shown)('work')" eval "($shown)('main')" \
	    eval "($shown)('late')" text key w \
	    eval "($shown)('late')" text
	# Thread 8 was not seen for 15 intervals, of which ten count.
	is "$(grep -v '^.*[Tt]hread' <<<"$output" | grep -E '^[0-9]+$')" \
	    "55
82
9
5"
	grep -Fx '11 samples' <<<"$output"
	grep -Fx '20.0 ms' <<<"$output"
	page --weight time < <(shop)
	run -0 browser p.html eval 'tach.total()'
	is "$output" 10000
}

@test "a click zooms in; Escape, a breadcrumb and a frame below zoom out" {
	need_chromium
	shop | page
	run -0 browser p.html click "$(at wait)" eval 'tach.shown()' \
	    eval "($shown)('wait')" eval "tach.names().includes('work')" \
	    key Escape eval 'tach.shown()' click "$(at wait)" \
	    click text=main eval 'tach.shown()' eval "($shown)('wait')" \
	    key Home eval 'tach.shown()'
	is "$output" "wait
100
false
all
main
33
all"
}

@test "search: its share, of text and of regular expressions" {
	need_chromium
	shop | page
	run -0 browser p.html key / type WAIT eval \
	    'document.querySelector("#matched").textContent' \
	    key Escape eval 'document.querySelector("#matched").textContent' \
	    eval 'tach.search("/^(work|main)$/").share' \
	    eval 'document.querySelector("#matched").textContent' \
	    eval 'tach.search("app.py").share' eval 'tach.search("/(/").share' \
	    eval 'document.querySelector("#matched").textContent' \
	    eval 'tach.search("nosuch").share' \
	    eval 'document.querySelector("#matched").textContent'
	is "${lines[0]}" "matched 30.0 %: 3 samples in 1 function"
	is "${lines[1]}" 1
	is "${lines[2]}" "matched 100 %: 10 samples in 2 functions"
	is "${lines[3]}" 1
	is "${lines[4]}" 0
	[[ ${lines[5]} = *"nvalid regular expression"* ]]
	is "${lines[6]}" 0
	is "${lines[7]}" "nothing matches"
}

@test "threads: one, several, each by itself" {
	need_chromium
	shop | page
	run -0 browser p.html key t click '#choices .row:nth-child(2) input' \
	    eval 'tach.total()' click '#choices .all button' \
	    eval 'tach.total()' click '#choices .row:nth-child(2) .only' \
	    eval 'tach.total()' eval 'tach.names().join()' \
	    click '#choices .all button' click '#separate' \
	    eval 'tach.total()' eval "($shown)('thread 7, main')" \
	    eval "($shown)('thread 8')" key Escape text
	is "$(head -n 7 <<<"$output")" "9
10
1
all,serve,work
10
90
10"
	grep -Fx 'All 2 threads' <<<"$output"
}

@test "idle threads are hidden and shown" {
	need_chromium
	shop | page
	run -0 browser p.html key h eval 'tach.total()' \
	    eval "($shown)('wait')" click '#idle' eval 'tach.total()' \
	    eval "($shown)('wait')"
	is "$output" "7
nothing
10
30"
	samples 3 0 7 main 'a.py:f:1' | page
	run -0 browser p.html key h eval \
	    'document.querySelector("#empty").innerText' key h \
	    eval 'tach.total()'
	is "$output" "There is nothing but idle threads in what is chosen.
3"
}

@test "hover: function, file, shares, and the lines with their text" {
	need_chromium
	printf 'def work():\n    x = 1\n\t</script> y\n    z\r\n' >work.py
	{
		samples 3 0 7 cpu "$PWD/work.py:work:3"
		samples 1 9000 7 cpu "$PWD/work.py:work:4"
		samples 4 10000 7 cpu "$PWD/work.py:work:2;$PWD/work.py:f:99"
	} | page
	rm work.py
	run -0 browser p.html move "$(at work)" \
	    eval 'document.querySelector("#tip").innerText'
	is "$(sed '/^$/d' <<<"$output")" "work
$PWD/work.py:2–4 (work)
total	100 %	8 samples
self	50.0 %	4 samples
line 2	50.0 %	x = 1
line 3	37.5 %	</script> y
line 4	12.5 %	z"
}

@test "no other text than that of programs is put into a page" {
	local name
	mkfifo fifo.py
	echo 'secret' | tee secret.txt >.py
	ln -s secret.txt secret
	head -c 2000000 /dev/zero | tr '\0' 's' >secret-large.py
	for name in fifo.py secret.txt secret .py secret-large.py nosuch.py; do
		echo "0	0	7	cpu	$PWD/$name:f:1"
	done >text
	(cd / && echo "0	0	7	cpu	${PWD#/}/.py:f:1") >>text
	page <text
	run -1 grep -F -e '"secret"' -e '"sss' p.html
	grep -F '"source":{}' p.html
}

@test "keys: arrows, Enter, Home, and the others" {
	need_chromium
	shop | page
	run -0 browser p.html key ArrowUp eval 'tach.focus()' \
	    key ArrowUp eval 'tach.focus()' key ArrowRight \
	    eval 'tach.focus()' key ArrowLeft key ArrowUp key ArrowRight \
	    eval 'tach.focus()' eval \
	    'document.querySelector("#tip").innerText.split("\n")[0]' \
	    key Enter eval 'tach.shown()' key ArrowDown \
	    key Enter eval 'tach.shown()' key Home eval 'tach.shown()' \
	    eval 'tach.rect("all").y > tach.rect("main").y' key i \
	    eval 'tach.rect("all").y < tach.rect("main").y' \
	    key o eval 'tach.names().join()' \
	    key '?' eval 'document.querySelector("dialog").open' \
	    key Escape eval 'document.querySelector("dialog").open'
	is "$output" "all
main
serve
wait
wait
wait
main
all
true
true
all,main,serve,wait,work,work
true
false"
}

@test "search, then Enter: goes through the matches, drawn or not" {
	need_chromium
	awk 'BEGIN { for (i = 0; i < 5000; i++)
		printf "%d\t0\t7\tcpu\t/a.py:main:1;/a.py:%s:1\n", i * 1000,
		    i < 3000 ? "f" i : "wide" }' | page
	local place='(() => { const box = tach.rect("f2999");
	    return [tach.focus(), tach.shown(), box !== null && box.width > 1] })()'
	run -0 browser p.html key / type wide key Enter eval 'tach.focus()' \
	    key Enter eval 'document.querySelector("#done").innerText' \
	    key Escape key / type '/^(wide|f2999|f17)$/' key Enter \
	    eval 'tach.focus()' key Enter eval 'tach.focus()' key Enter \
	    eval "$place" key Shift+Enter eval 'tach.focus()' \
	    key Shift+Enter eval 'tach.focus()' key Escape key Escape \
	    key Home key c key / type f2999 key Enter \
	    eval 'tach.focus() + " " + tach.shown()'
	is "$output" 'wide
match 1 of 1
wide
f17
["f2999","f2999",true]
f17
wide
f2999 f2999'
}

@test "narrow frames are opened by a click, by Enter, and by a finger" {
	need_chromium
	awk 'BEGIN { for (i = 0; i < 5000; i++)
		printf "%d\t0\t7\tcpu\t/a.py:main:1;/a.py:f%d:1\n", i * 1000,
		    i }' | page
	run -0 browser p.html eval 'tach.names().join()' \
	    eval 'tach.rect("5,000 narrow frames").width > 1000' \
	    click "$(at '5,000 narrow frames')" \
	    eval 'tach.shown() + " " + tach.names().length' \
	    eval 'tach.rect("f0").width > 5' \
	    click "$(at '4,800 narrow frames')" \
	    eval 'tach.names().includes("f200") + " " + tach.names().length' \
	    key Escape key Escape eval 'tach.shown()' key Home \
	    key ArrowUp key ArrowUp key ArrowUp eval 'tach.focus()' key Enter \
	    eval 'tach.shown()' key Escape eval 'tach.shown()' \
	    tap "$(at '5,000 narrow frames')" eval 'tach.shown()' tap "$(at '5,000 narrow frames')" \
	    eval 'tach.shown()'
	is "$output" 'all,main
true
narrow frames 202
true
true 202
all
5,000 narrow frames
narrow frames
all
all
narrow frames'
}

@test "names that are hostile" {
	need_chromium
	local long
	long=$(head -c 1000000 /dev/zero | tr '\0' 'x')
	{
		samples 1 0 7 cpu \
		    '</script><script>throw\0401</script>:"\134</style>\046lt\073:1;~:<!--<script>:::::'
		samples 1 1000 7 cpu '\377\376.py:\033[2J\012:2'
		samples 1 2000 7 cpu "/a/b.py:$long:3"
		samples 1 3000 7 cpu 'a.py:__proto__:1;constructor:f:1'
		samples 1 4000 7 cpu ''
	} >text
	page <text
	run -0 browser p.html eval 'tach.total()' \
	    eval 'JSON.stringify(tach.names().map((n) => n.slice(0, 20)).sort())' \
	    move 400,700 move 400,720 eval 'tach.search("</script>").share' \
	    eval 'tach.search("__proto__").share'
	is "$output" "5
[\"\\\"\\\\</style>&lt;\",\"<!--<script>\",\"<no frames>\",\"\\\\033[2J\\\\012\",\"__proto__\",\"all\",\"f\",\"xxxxxxxxxxxxxxxxxxxx\"]
0.2
0.2"
}

@test "paths that are hostile: a drive beside a root, names of half a megabyte" {
	need_chromium
	local long
	samples 1 0 7 cpu '/srv/a.py:main:1;C\072/x/b.py:f:1;/c/__init__.py:g:1' |
	    page
	long=$(head -c 500000 /dev/zero | tr '\0' a)
	{
		samples 1 0 7 cpu "/$long/x.py:f:1;/a/$long:g:1"
		samples 1 1000 7 cpu "C\\072/${long//aaaaaa/python}/x.py:h:1"
		samples 1 2000 7 cpu "<frozen $long>:i:1"
	} | tach-convert --flamegraph -o long.html
	run -0 timeout 60 "$T/peers/browser" p.html eval 'tach.total()' \
	    key f eval "$(said functions)" open long.html cpu \
	    eval 'tach.total()' key f click "$(at g)" cpu
	is "$(sed -n '1p;6,8p' <<<"$output")" "1
100 %	100 %	g c/__init__.py
0 %	100 %	main a.py
0 %	100 %	f b.py"
	awk -v open="${lines[8]}" -v drawn="${lines[10]}" \
	    'BEGIN { exit !(open < 2 && drawn < 4) }'
}

@test "nothing is folded that is large; what is keeps its weight" {
	need_chromium
	{
		samples 3 0 7 cpu '/a.py:large:1'
		awk 'BEGIN { for (i = 0; i < 300000; i++)
			printf "%d\t0\t7\tcpu\t/a.py:f%d:1;/a.py:g%d:1\n",
			    9000 + i * 1000, i, i }'
	} | page
	run -0 browser p.html eval 'tach.total()' \
	    eval 'tach.nodes() < 1000000' eval 'tach.search("large").weight' \
	    eval 'tach.names().some((n) => n === "(300,000 small frames)" ||
		n === "(600,000 small frames)")' \
	    eval 'document.querySelector("#note").innerText'
	is "$output" "300003
true
3
true
Frames below 0.00033 % of the profile are folded."
}

@test "deep stacks, and none at all" {
	need_chromium
	awk 'BEGIN { printf "0\t0\t7\tcpu\t"
		for (i = 1; i <= 5000; i++)
			printf "%s/x.py:f%d:%d", (i > 1 ? ";" : ""), i % 3, i
		print "" }' | page
	run -0 browser p.html eval 'tach.names().length' key i key ArrowDown \
	    key ArrowDown key Enter eval 'tach.shown()'
	is "$output" "5001
f1"
	printf '# interval 1000\n' | page
	run -0 browser p.html text
	grep -Fx 'There are no samples.' <<<"$output"
}

@test "frames have the colour of their package, the same in every page" {
	need_chromium
	{
		samples 1 0 7 cpu '/srv/app.py:main:1;/usr/lib/python3.11/json/decoder.py:decode:1'
		samples 1 1 7 cpu '/usr/lib/python3.11/json/encoder.py:decode:1'
		samples 1 2 7 cpu '/v/site-packages/yaml/a.py:load:1;~:<GC>:::::'
	} | page
	run -0 browser p.html eval "tach.colour('decode')" \
	    eval "tach.colour('load')" eval "tach.colour('main')" \
	    eval "tach.colour('<GC>')" text click 'footer button' text
	is "$(head -n 4 <<<"$output" | sort -u | wc -l)" 4
	grep -Ex 'json 66.7 % *' <<<"$output"
	grep -F 'matched 66.7 %: 2 samples in 2 functions' <<<"$output"
	local json=${lines[0]}
	samples 1 0 7 cpu '/x/lib/python3.13/json/decoder.py:decode:1' | page
	is "$(browser p.html eval "tach.colour('decode')")" "$json"
}

@test "it draws what it says, in any size" {
	need_chromium
	shop | page
	run -0 browser p.html screenshot p.png size 500x400 eval \
	    "Math.round(tach.rect('all').width)" eval "($shown)('main')" \
	    size 1280x800 eval '(() => {
		const canvas = document.querySelector("canvas");
		const pen = canvas.getContext("2d"), r = tach.rect("main");
		const at = canvas.getBoundingClientRect();
		const colour = (x, y) => pen.getImageData(x - at.left,
		    y - at.top, 1, 1).data.join();
		return [colour(r.x + r.width - 5, r.y + 3) !==
		    colour(r.x + r.width + 50, r.y - 100),
		    new Set([...pen.getImageData(r.x - at.left, r.y - at.top,
			100, 18).data]).size > 10].join() })()'
	is "$output" "480
90
true,true"
	is "$(head -c 8 p.png | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
}

@test "a table of functions leaves room for the graph, whose root stays in sight" {
	need_chromium
	awk 'BEGIN { printf "0\t0\t7\tcpu\t"
		for (i = 1; i <= 100; i++)
			printf "%s/x.py:f%d:%d", (i > 1 ? ";" : ""), i, i
		print "" }' | page
	local room='(() => { const main = document.querySelector("main")
	    .getBoundingClientRect(), { y } = tach.rect("all");
	    return main.height > 150 && main.width > 400 &&
		y > main.y && y < main.bottom })()'
	run -0 browser p.html size 500x800 eval "$room" key f eval "$room" \
	    size 1400x900 eval "$room" key f eval "$room" size 500x800 \
	    eval "$room"
	is "$output" "true
true
true
true
true"
}

@test "the page is one small file that asks for nothing" {
	shop | page
	[ "$(stat -c %s p.html)" -lt 300000 ]
	run -1 grep -nE 'https?:|src=|@import|url\(' p.html
	grep -F "default-src 'none'" p.html
}

@test "a page of 5 M samples opens in a second, as does each of its views" {
	need_chromium
	awk 'BEGIN { for (i = 0; i < 100000; i++) {
		printf "m%d", i % 4
		for (d = 0; d < 12; d++)
			printf ";pkg%d.f%d", d % 7, d < 6 ? i % (2 + d) : i % (50 + d)
		print ";leaf" i, 50 } }' >p.folded
	tach-convert --flamegraph -o p.html p.folded
	run -0 browser p.html cpu eval 'tach.total()' key c cpu key c key r cpu
	is "${lines[1]}" 5000000
	awk -v open="${lines[0]}" -v callers="${lines[2]}" -v fold="${lines[3]}" \
	    'BEGIN { exit !(open < 1 && callers - open < 1 &&
		fold - callers < 1.5) }'
}

# ---- views --------------------------------------------------------------

@test "callers of what is hot, a table of functions, and focus" {
	need_chromium
	shop | page
	run -0 browser p.html key c eval 'tach.stacks()' eval "($shown)('work')" \
	    click "$(at work)" eval 'tach.shown()' \
	    eval "$(said crumbs)" key c key f \
	    eval "$(said functions)" click '#functions tbody tr:nth-child(1) button' \
	    eval 'document.activeElement.innerText' eval 'tach.stacks()' eval "$(said unfocus)" key c \
	    eval 'tach.stacks()' click '#unfocus' eval 'tach.total()' key c \
	    click "$(at main)" key x eval 'tach.stacks()' key Escape key Escape \
	    eval 'tach.total()' \
	    click 'text=Total' eval "$(said functions)" \
	    click '#search' type q.py eval "$(said functions)"
	is "$output" "all;wait;main 3
all;work;main 6
all;work;serve 1
70
work
all › work 70.0 %
Functions
4
×
Self	Total	Function
70.0 %	70.0 %	work app.py
30.0 %	30.0 %	wait q.py
0 %	90.0 %	main app.py
0 %	10.0 %	serve q.py
work
work 7
Focus: work 70.0 % ×
work;main 6
work;serve 1
10
main;wait 3
main;work 6
10
Functions
4
×
Self	Total	Function
0 %	90.0 %	main app.py
70.0 %	70.0 %	work app.py
30.0 %	30.0 %	wait q.py
0 %	10.0 %	serve q.py
Functions
2
×
Self	Total	Function
30.0 %	30.0 %	wait q.py
0 %	10.0 %	serve q.py"
}

@test "lines of folded recursion count a sample once" {
	need_chromium
	{
		samples 3 0 7 cpu '/a.py:f:1;/a.py:f:2;/a.py:f:2'
		samples 1 3000 7 cpu '/a.py:f:2'
	} | page
	run -0 browser p.html key r move "$(at f)" eval "$(said tip)"
	is "$(grep -a '^line' <<<"$output" | sed 's/[ \t]*$//')" $'line 1\t75.0 %\nline 2\t25.0 %'
}

@test "callers of a difference have the colours of the whole, and no self" {
	need_chromium
	samples 4 0 7 cpu '/a.py:a:1;/a.py:leaf:2' >base
	samples 4 0 7 cpu '/a.py:b:1;/a.py:leaf:2' | page --diff base
	local hue="(name) => tach.colour(name).replace(/oklch\(\S+ (\S+) (\d+).*/,
	    (_, c, h) => c === '0' ? 'grey' : h === '25' ? 'red' : 'blue')"
	local off='document.querySelector("[data-set=bySelf]").disabled'
	run -0 browser p.html eval "$off" key c eval "$off" eval "($hue)('leaf')" \
	    eval "($hue)('b')"
	is "$output" "false
true
grey
red"
}

@test "callers: search finds the heaviest matches, and none of no weight" {
	need_chromium
	{
		awk 'BEGIN { for (i = 0; i < 1500; i++)
			for (n = 0; n < (i < 10 ? 3 : 1); n++)
				printf "%d\t0\t7\tcpu\t/a.py:heavy%d:1;/a.py:leaf%d:1\n",
				    k++ * 1000, i, i }'
	} | page
	samples 3 0 7 cpu '/a.py:main:1;/a.py:gone:1' >base
	samples 3 0 7 cpu '/a.py:main:1;/a.py:new:1' |
	    tach-convert --flamegraph --source no --diff base -o diff.html
	run -0 browser p.html key c key / type heavy key Enter eval 'tach.focus()' \
	    eval "$(said done)" open diff.html key c key / type gone \
	    key Enter eval 'tach.focus()' key Escape key b key / type gone \
	    key Enter eval 'tach.focus()'
	[[ ${lines[0]} = heavy[0-9] ]]
	is "$(tail -n +2 <<<"$output")" 'match 1 of 200
null
gone'
}

@test "recursion is folded, also that of functions that call each other" {
	need_chromium
	{
		awk 'BEGIN { printf "0\t0\t7\tcpu\t/a.py:main:1"
		    for (i = 0; i < 300; i++)
			printf ";/a.py:%s:1", i % 2 ? "odd" : "even"
		    print ";/a.py:leaf:1"
		    print "1\t0\t7\tcpu\t/a.py:main:1;/a.py:f:1;/a.py:f:2;/a.py:g:1"
		    print "2\t0\t7\tcpu\t/a.py:main:1;/a.py:even:1;/a.py:leaf:1"
		    print "3\t0\t7\tcpu\t/a.py:main:1;/a.py:even:1;/a.py:odd:1" }'
	} | page
	run -0 browser p.html eval 'tach.names().length' key r \
	    eval 'tach.stacks()' move "$(at f)" eval "$(said tip)" \
	    key c eval 'tach.stacks()' key r key c eval 'tach.names().length'
	is "$(grep -v '^$' <<<"$output")" "307
all;main;even;leaf 1
all;main;even;odd 1
all;main;even;odd;leaf 1
all;main;f;g 1
f
/a.py:1 (a)
total	25.0 %	1 sample
self	0 %	0 samples
line 1		
all;g;f;main 1
all;leaf;even;main 1
all;leaf;odd;even;main 1
all;odd;even;main 1
307"
}

@test "how it was recorded stands above, with a warning from 5 % missed on" {
	need_chromium
	{
		printf '# python 3.13.2\n# interval 1000\n'
		printf '# quality duration=2.47 rate=340.8 errors=0.4 missed=4.9\n'
		samples 2 0 7 gil,cpu a.py:f:1
	} >p.txt
	sed 's/missed=4.9/missed=65.95/' p.txt >q.txt
	tach-convert --tach --layout cpython -o q.bin q.txt
	page <p.txt
	tach-convert --flamegraph -o q.html q.bin
	run -0 browser p.html eval "$(said facts)" \
	    eval 'document.querySelector(".warning:not([hidden])")' \
	    open q.html eval "$(said facts)" \
	    eval 'document.querySelector(".warning:not([hidden])").innerText'
	is "$output" "2.47 s at 341 of 1,000 Hz · missed 4.9 % of the rounds · errors 0.4 % · Python 3.13.2
null
2.47 s at 341 of 1,000 Hz · errors 0.4 % · Python 3.13.2 · missed 66.0 % of the rounds: short calls may be missing, and shares may be off
missed 66.0 % of the rounds: short calls may be missing, and shares may be off"
}

@test "colours say GIL, CPU, waiting, exceptions and threads" {
	need_chromium
	{
		samples 4 0 7 gil,cpu a.py:f:1
		samples 2 4000 7 cpu a.py:f:1
		samples 1 6000 7 gil-wanted a.py:f:1
		samples 1 7000 8 gil,cpu,exception a.py:g:1
		samples 2 8000 8 - a.py:g:1
	} | page
	local pixel='(name, part) => { const r = tach.rect(name);
	    const canvas = document.querySelector("canvas");
	    const at = canvas.getBoundingClientRect();
	    return canvas.getContext("2d").getImageData(r.x - at.left +
		part * r.width, r.y - at.top + 2, 1, 1).data.join() }'
	run -0 browser p.html eval "[...new Set([0.2, 0.7, 0.95].map((x) =>
	    ($pixel)('f', x)))].length" key k \
	    eval "[...new Set([0.2, 0.7, 0.95].map((x) =>
	    ($pixel)('f', x)))].length" eval "$(said legend)" \
	    move "$(at f)" eval "$(said tip)" key c \
	    eval "($pixel)('f', 0.2) === ($pixel)('all', 0.2)" key c \
	    key k eval "$(said legend)" key k eval "$(said legend)" \
	    key k eval "$(said legend)"
	is "$(grep -v '^$' <<<"$output" | sed 's/[ 	]*$//')" "1
3
holds the GIL on a CPU 50.0 % on a CPU without the GIL 20.0 % waits for the GIL 10.0 % waits 20.0 %
f
a.py:1 (a)
total	70.0 %	7 samples
self	70.0 %	7 samples
holds the GIL on a CPU	57.1 %	4 samples
on a CPU without the GIL	28.6 %	2 samples
waits for the GIL	14.3 %	1 sample
line 1
true
handles an exception 10.0 % no exception 90.0 %
thread 7 70.0 % thread 8 30.0 %
a 100 %"
}

@test "a picture of waiting says so, and shows the busy part by one key" {
	need_chromium
	{
		samples 6 0 7 - a.py:wait:1
		samples 4 6000 7 cpu a.py:work:1
	} | page
	run -0 browser p.html eval "$(said advice)" key h eval "$(said advice)" \
	    eval 'tach.stacks()' eval "$(said summary)" key h \
	    click '#busy' eval 'tach.total()'
	is "$(grep -v '^$' <<<"$output")" "\
In 60.0 % of the samples the thread waited: this is mostly a picture of waiting.
Show the busy part (h)
all;work 4
4 samples, busy
4"
	# Of inputs without states nothing is known.
	printf 'a;b 3\n' >p.folded
	tach-convert --flamegraph -o p.html p.folded
	run -0 browser p.html eval "$(said advice)" key k eval "$(said legend)"
	is "$(grep -v '^$' <<<"$output" | sed 's/ *$//')" "not known 100 %"
}

@test "70,000 threads: a filter by name, and each click in 100 ms" {
	need_chromium
	awk 'BEGIN { for (t = 0; t < 70000; t++) {
		printf "%d\t0\t%d\tgil,cpu\tsrv.py:main:1;srv.py:f%d:2\n",
		    t * 100, 1000 + t, t % 7
		printf "%d\t0\t%d\t-\tsrv.py:main:1;srv.py:g%d:2\n",
		    t * 100, 1000 + t, t % 5 } }' | page
	in_tries 3 many_threads
}

many_threads() {
	local took='const at = performance.now(); e.click();
	    return performance.now() - at < 100'
	run -0 browser p.html key t \
	    eval 'document.querySelectorAll("#choices .row").length < 60' \
	    eval "(() => { const e = document.querySelector('#choices .row input'); $took })()" \
	    eval "(() => { const e = document.querySelector('#choices .only'); $took })()" \
	    eval 'tach.total()' click '#choices input[type=search]' type 'thread 7099' \
	    eval 'document.querySelectorAll("#choices .row").length' \
	    click '#choices .all button' eval 'tach.total()' \
	    eval "(() => { const e = document.querySelector('#choices .row input'); $took })()" \
	    eval 'tach.total()'
	is "$output" "true
true
true
2
11
22
true
20"
}

@test "a link leads to the same view; names and stacks are copied" {
	need_chromium
	shop | page
	run -0 browser p.html click "$(at wait)" key k key i \
	    wait 'location.hash.includes("icicle")' eval 'location.hash'
	[[ $output = "#on=icicle&colour=state&zoom="*"&of="* ]]
	local page=file://$PWD/p.html link=$output
	run -0 browser "$page$link" eval 'tach.shown()' \
	    eval 'tach.rect("all").y < tach.rect("main").y' \
	    open "$page#on=callers&search=work" \
	    eval 'tach.stacks()' eval "$(said matched)" \
	    open "$page${link%of=*}of=another" eval 'tach.shown()' \
	    eval "$(said done)" \
	    eval '(() => { navigator.clipboard.writeText = (text) =>
		{ window.copied = text; return Promise.resolve() };
		return 0 })()' click "$(at wait)" key y eval copied key s \
	    eval copied eval "$(said done)" key l \
	    eval 'copied === location.href && copied.includes("#on=icicle")'
	is "$output" "wait
true
all;wait;main 3
all;work;main 6
all;work;serve 1
matched 70.0 %: 7 samples in 1 function
all
The link is of another profile.
0
/srv/lib/q.py:wait
main (/srv/app.py)
wait (/srv/lib/q.py)
stack copied
true"
}

@test "a link sets nothing that the page has no control of; no thread stays none" {
	need_chromium
	shop | page
	shop >base
	shop | tach-convert --flamegraph --source no --diff base -o diff.html
	local page=file://$PWD/p.html diff=file://$PWD/diff.html link
	run -0 browser "$page" key t click '#choices .all button:nth-child(2)' \
	    wait 'location.hash.includes("threads=")' eval 'location.hash' \
	    eval 'tach.total()'
	link=${lines[0]}
	is "${lines[1]}" 0
	run -0 browser "$page$link" eval 'tach.total()' \
	    open "$page#on=byBase.bySelf" eval 'tach.total()' \
	    open "$page#on=separate" eval 'tach.names().includes("thread 8")' \
	    open "$diff#on=separate" eval 'tach.names().includes("main")' \
	    eval 'tach.names().some((name) => /^thread/.test(name))' \
	    open "$diff#on=byBase" eval 'tach.total()'
	is "$output" "0
10
true
true
false
10"
}

@test "hues of the ten heaviest packages differ; Windows paths; names alone" {
	need_chromium
	local i
	for i in {1..14}; do
		samples $((20 - i)) $((i * 100000)) 7 cpu "/v/site-packages/p$i/a.py:f$i:1"
	done | page
	local hues='new Set(Array.from({ length: 10 }, (_, i) =>
	    / (\S+)\)/.exec(tach.colour("f" + (i + 1)))[1])).size'
	printf '%s\n' 'java;Thread::run;com/acme/Net:.read_[j];sys_read_[k] 30' \
	    'java;Thread::run;com/acme/Db:.query_[j];std::map::find 20' >p.folded
	tach-convert --flamegraph -o n.html p.folded
	{
		samples 3 0 7 cpu 'C\072\134Users\134me\134shop\134main.py:m:1;C\072\134Python315\134Lib\134json\134encoder.py:e:1'
		samples 2 9000 7 cpu 'C\072\134Users\134me\134shop\134orders\134tax.py:t:1;C\072\134Python315\134Lib\134site-packages\134requests\134api.py:g:1'
		samples 1 19000 7 cpu 'C\072\134Users\134me\134shop\134orders\134tax.py:t:1'
	} | tach-convert --flamegraph -o w.html
	run -0 browser p.html eval "$hues" open n.html eval "$(said legend)" \
	    eval 'new Set(["java", "Thread::run", "std::map::find"]
		.map((name) => tach.colour(name))).size' \
	    open w.html eval "$(said legend)"
	is "$(sed 's/ *$//' <<<"$output")" "10
sys_read 60.0 % std 40.0 %
3
json 50.0 % requests 33.3 % orders 16.7 %"
}

@test "contrast is 4.5 to 1 or more; names are cut by their width" {
	need_chromium
	samples 9 0 7 cpu '/a.py:計算する関数の長い名前:1' | page
	local contrast='(() => {
	    const { fills, texts, paper } = tach.palette();
	    const pen = new OffscreenCanvas(1, 1).getContext("2d");
	    const light = (...layers) => {
		for (const [colour, alpha] of layers) {
			pen.globalAlpha = alpha;
			pen.fillStyle = colour;
			pen.fillRect(0, 0, 1, 1);
		}
		return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
		    .map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 :
			((c + 0.055) / 1.055) ** 2.4)
		    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	    };
	    let least = 21;
	    for (const text of texts)
		for (const fill of fills)
			for (const alpha of [1, 0.5, 0.25]) {
				const [a, b] = [light([text, 1]),
				    light([paper, 1], [fill, alpha])]
				    .sort((x, y) => y - x);
				least = Math.min(least, (a + 0.05) / (b + 0.05));
			}
	    return least >= 4.5 ? "enough" : least })()'
	run -0 browser p.html theme light eval "$contrast" theme dark \
	    eval "$contrast" key d eval "$contrast" \
	    eval 'document.documentElement.dataset.theme' \
	    eval '[30, 50, 90].every((room) =>
		["計算する関数の長い名前", "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii",
		    "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"].every((name) => {
			const [text, width] = tach.cut(name, room);
			const kept = text.replace("…", "");
			return width <= room && name.startsWith(kept) &&
			    !/\u200d$/.test(kept);
		}))'
	is "$output" "enough
enough
enough
light
true"
}

@test "touch: the first tap tells, the second zooms" {
	need_chromium
	shop | page
	run -0 browser p.html tap "$(at wait)" eval 'tach.shown()' \
	    eval "$(said tip)" tap "$(at work)" eval 'tach.shown()' \
	    tap "$(at work)" eval 'tach.shown()'
	is "$(grep -v '^$' <<<"$output")" "all
wait
/srv/lib/q.py:9 (lib)
total	30.0 %	3 samples
self	30.0 %	3 samples
line 9		
tap again to zoom
all
work"
}

@test "screen readers hear what the keyboard does, not the mouse; axe finds nothing" {
	need_chromium
	need_npm axe-core
	shop | page --diff <(shop)
	mv p.html d.html
	shop | page
	local axe=$NODE_MODULES/axe-core/axe.min.js
	local look='axe.run().then(({ violations }) => violations.map((v) =>
	    [v.id, ...v.nodes.map((n) => n.html + n.failureSummary)]
		.join(" ")).join("; ") || "nothing")'
	local views=(run "$axe" eval "$look" key f key k eval "$look"
	    click '#view summary' eval "$look")
	run -0 browser p.html move "$(at wait)" eval "$(said say)" \
	    eval 'document.querySelectorAll("[aria-live=polite]").length' \
	    key ArrowUp key ArrowUp eval "$(said say)" \
	    size 1400x900 theme light "${views[@]}" key Escape key t \
	    eval "$look" key Escape key '?' eval "$look" \
	    open d.html size 500x800 theme dark "${views[@]}"
	is "$(grep -v '^$' <<<"$output")" "1
main, 90.0 %, 9 samples, self 0 %
nothing
nothing
nothing
nothing
nothing
nothing
nothing
nothing"
}

@test "print: the whole graph, light, without controls" {
	need_chromium
	awk 'BEGIN { printf "0\t0\t7\tcpu\t"
		for (i = 1; i <= 100; i++)
			printf "%s/x.py:f%d:%d", (i > 1 ? ";" : ""), i, i
		print "" }' | page
	run -0 browser p.html theme dark eval '(() => {
	    dispatchEvent(new Event("beforeprint"));
	    const canvas = document.querySelector("canvas");
	    const sum = [...canvas.getContext("2d").getImageData(5, 5, 1, 1)
		.data].slice(0, 3).reduce((a, b) => a + b);
	    dispatchEvent(new Event("afterprint"));
	    return [canvas.height > 0, sum > 600,
		document.documentElement.dataset.theme ?? "none"].join() })()' \
	    pdf p.pdf eval 'document.querySelector("canvas").height < 1000' \
	    media print text
	is "$(head -n 2 <<<"$output")" "true,true,none
true"
	is "$(head -c 5 p.pdf)" "%PDF-"
	grep -F '1 sample' <<<"$output"
	absent -E 'Callers|Functions|Search' <<<"$output"
}

# ---- differences --------------------------------------------------------

@test "--diff: what grew is red, what shrank blue, what is gone can be seen" {
	need_chromium
	{
		samples 4 0 7 cpu '/a.py:main:1;/a.py:parse:2'
		samples 4 4000 7 cpu '/a.py:main:1;/a.py:check:2'
		samples 2 8000 7 cpu '/a.py:main:1;/a.py:gone:2'
	} >base
	{
		samples 2 0 9 cpu '/a.py:main:1;/a.py:parse:2'
		samples 15 4000 9 cpu '/a.py:main:1;/a.py:check:3'
		samples 3 20000 9 cpu '/a.py:main:1;/a.py:fresh:3'
	} | page --diff base
	local hue="(name) => tach.colour(name).replace(/oklch\(\S+ (\S+) (\d+).*/,
	    (_, c, h) => c === '0' ? 'grey' : h === '25' ? 'red' : 'blue')"
	run -0 browser p.html eval 'document.querySelector("#summary").innerText' \
	    eval "($hue)('main')" eval "($hue)('check')" eval "($hue)('parse')" \
	    eval "($hue)('fresh')" eval "($hue)('gone')" \
	    eval "($shown)('check')" eval "($shown)('gone')" \
	    move "$(at check)" text \
	    move "$(at fresh)" eval 'document.querySelector("#tip").innerText' \
	    key b eval "($shown)('check')" eval "($shown)('gone')" \
	    eval "($shown)('fresh')"
	is "$(head -n 8 <<<"$output")" "20 samples, base 10 samples
grey
red
blue
red
blue
75
nothing"
	grep -Fx "now	75.0 %	15 samples	self 75.0 %" <<<"$output"
	grep -Fx "base	40.0 %	4 samples	self 40.0 %" <<<"$output"
	grep -F "change of total	+35.0 points" <<<"$output"
	grep -F "change of total	+15.0 points	new" <<<"$output"
	is "$(tail -n 3 <<<"$output")" "40
20
nothing"
}

@test "--diff: by self too, with both files and how they were recorded" {
	need_chromium
	{
		printf '# python 3.12.1\n# interval 1000\n'
		samples 8 0 7 cpu '/a.py:main:1;/a.py:parse:2'
		samples 2 8000 7 cpu '/a.py:main:1'
	} >old.txt
	{
		printf '# python 3.13.2\n# interval 500\n'
		samples 5 0 7 cpu '/a.py:main:1;/a.py:parse:2'
		samples 5 8000 7 cpu '/a.py:main:1'
	} >new.txt
	tach-convert --flamegraph --diff old.txt -o p.html new.txt
	local hue="(name) => / (\\d+)\)/.exec(tach.colour(name))[1]"
	run -0 browser p.html eval "$(said facts)" eval "$(said unlike)" \
	    eval "($hue)('main') + ' ' + ($hue)('parse')" key g \
	    eval "($hue)('main') + ' ' + ($hue)('parse')" \
	    move "$(at main)" eval "$(said tip)" key f eval "$(said functions)" \
	    click '#functions th:nth-child(4) button' \
	    eval 'document.querySelector("#functions td button").innerText' \
	    key c eval 'tach.stacks()'
	is "$(grep -v '^$' <<<"$output" | sed 's/[ 	]*$//')" "\
now new.txt: 2,000 Hz · Python 3.13.2
base old.txt: 1,000 Hz · Python 3.12.1
Not recorded alike: the base has an interval of 1000 us, this one of 500 us: compare shares, not samples.
0 250
25 250
main
/a.py:1 (a)
now	100 %	10 samples	self 50.0 %
base	100 %	10 samples	self 20.0 %
change of total	+0 points
change of self	+30.0 points
line 1
Functions
2
×
Self	Change	Total	Change	Function
50.0 %	+30.0 points	100 %	+0 points	main a.py
50.0 %	−30.0 points	50.0 %	−30.0 points	parse a.py
parse
all;main 5
all;parse;main 5"
}
