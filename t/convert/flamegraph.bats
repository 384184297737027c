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

# at NAME: where the page has the middle of the widest frame of that name.
at() {
	browser p.html eval "(() => { const r = tach.rect('$1');
	    return Math.round(r.x + r.width / 2) + ',' +
		Math.round(r.y + r.height / 2) })()"
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
	    eval "($shown)('late')" text click text=Time \
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
	is "${lines[2]}" "matched 100.0 %: 10 samples in 2 functions"
	is "${lines[3]}" 1
	is "${lines[4]}" 0
	[[ ${lines[5]} = *"nvalid regular expression"* ]]
	is "${lines[6]}" 0
	is "${lines[7]}" "nothing matches"
}

@test "threads: one, several, each by itself" {
	need_chromium
	shop | page
	run -0 browser p.html key t click '#choices .row:nth-child(3) input' \
	    eval 'tach.total()' click '#choices .all button' \
	    eval 'tach.total()' click '#choices .row:nth-child(3) .only' \
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
total	100.0 %	8 samples
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

@test "search, then Enter: goes to the widest match" {
	need_chromium
	shop | page
	run -0 browser p.html key / type work key Enter \
	    eval 'tach.focus()' key Enter eval 'tach.shown()' \
	    eval "document.querySelector('#crumbs').innerText"
	is "$output" "work
work
all › main › work 60.0 %"
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
	is "$output" "468
90
true,true"
	is "$(head -c 8 p.png | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
}

@test "the page is one small file that asks for nothing" {
	shop | page
	[ "$(stat -c %s p.html)" -lt 300000 ]
	run -1 grep -nE 'https?:|src=|@import|url\(' p.html
	grep -F "default-src 'none'" p.html
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
	local hue="(name) => tach.colour(name).replace(/hsl\((\d+) (\d+).*/,
	    (_, h, s) => s === '0' ? 'grey' : h === '6' ? 'red' : 'blue')"
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
	grep -F "change	+35.00 points" <<<"$output"
	grep -F "change	+15.00 points	new" <<<"$output"
	is "$(tail -n 3 <<<"$output")" "40
20
nothing"
}
