# SPDX-License-Identifier: ISC
# tach-convert --heatmap: its folder, and what Chromium shows of it.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Two files of which one is here; a line of two functions; recursion; a sample
# without frames; two threads.
profile() {
	local x=$PWD/x.py
	printf '%s\n' 'def fib(n):' '    if n < 2:' '        return n' \
	    '    return fib(n - 1) + fib(n - 2)' '' \
	    '# </script><script>alert(1)</script>' "print('''" "''', fib(9))" \
	    >x.py
	printf '%s\n' '# tach 1' '# interval 2000' \
	    "0	0	7	gil	$x:<module>:8;$x:fib:4;$x:fib:4;$x:fib:3" \
	    "2000	0	7	gil	$x:<module>:8;$x:fib:2" \
	    "4000	0	7	gil	$x:<module>:8;!gone.py:g:12;<GC>" \
	    "5000	0	8	gil	$x:<module>:8;$x:<module>.<genexpr>:8" \
	    $'12000\t0\t7\tgil\t'
}

heatmap() {
	profile | tach-convert --heatmap --source yes -o out "$@"
}

# js FOLDER EXPRESSION: with profile and, of each page, page in pages.
js() {
	node - "$@" <<-'END'
	const fs = require('fs'), vm = require('vm');
	const [dir, code] = process.argv.slice(2);
	const read = (name) => fs.readFileSync(dir + '/' + name, 'utf8');
	let all = read('profile.js') + 'const pages = [];';
	const names = vm.runInNewContext(read('profile.js') +
	    'profile.files.map((f) => f[1])');
	for (const name of names)
		all += `pages.push((() => {${/<script>\n(const page = [^]*?\});\n<\/script>/
			.exec(read(name))[1]}; return page; })());`;
	const value = vm.runInNewContext(all + code);
	console.log(typeof value === 'string' ? value : JSON.stringify(value));
	END
}

@test "--heatmap: a page for each file, an index, and what they share" {
	need node nodejs
	heatmap
	is "$(cd out && printf '%s\n' *)" "\
0001-x.py.html
0002-_.html
0003-_gone.py.html
index.html
profile.js"
	is "$(js out '[profile.all, profile.frameless, profile.time,
	    profile.threads]')" '[5,1,false,["thread 7","thread 8"]]'
	is "$(js out 'profile.files.map((f) => f.slice(1).join(" ")).join("\n")')" "\
0001-x.py.html 3 4 4
0002-_.html 1 1 1
0003-_gone.py.html 0 1 1"
	is "$(js out 'profile.functions.map((f) => f.join(" ")).join("\n")')" "\
g 2 12 0 1
<module> 0 8 0 4
<module>.<genexpr> 0 8 1 1
fib 0 2 2 2
<GC> 1 0 1 1"
}

# Functions: 0 g, 1 <module>, 2 <genexpr>, 3 fib, 4 <GC>; -1 is thread 7.
@test "--heatmap: lines, what called them, and what they called" {
	need node nodejs
	heatmap
	is "$(js out 'pages[0].lines.map((l) => JSON.stringify(l)).join("\n")')" "\
[2,1,1,[3],[1,8,1],0,[],0]
[3,1,1,[3],[3,4,1],0,[],0]
[4,0,1,[3],[1,8,1,3,4,1],0,[3,1],0]
[8,1,4,[1,2],[-1,0,3,1,8,1,-2,0,1],0,[3,2,0,1,2,1],0]"
	is "$(js out 'pages[2].lines')" '[[12,0,1,[0],[1,8,1],0,[4,1],0]]'
	is "$(js out 'pages.map((p) => p.text ? p.text.length : null)')" \
	    '[8,null,null]'
}

@test "--heatmap --weight=time" {
	need node nodejs
	heatmap --weight=time
	is "$(js out '[profile.all, profile.samples, profile.frameless,
	    profile.time]')" '[16000,5,2000,true]'
	is "$(js out 'profile.files.map((f) => [f[2], f[3]])')" \
	    '[[8000,8000],[6000,14000],[0,8000]]'
}

@test "--heatmap has every sample, once, of real recordings" {
	need node nodejs
	host_python
	local name
	for name in wall gil opcodes none; do
		tach-convert --heatmap -o "$name" "$T/data/cpython315-$name.bin"
		# The self weight of all files, all functions and all lines.
		local all
		all=$(tach-cat "$T/data/cpython315-$name.bin" | wc -l)
		is "$(js "$name" '
		    const sum = (list) => list.reduce((a, b) => a + b, 0);
		    [profile.all, ...[sum(profile.files.map((f) => f[2])),
		    sum(profile.functions.map((f) => f[3])),
		    sum(pages.map((p) => sum(p.lines.map((l) => l[1]))))]
			.map((n) => n + profile.frameless)]')" \
		    "[$all,$all,$all,$all]"
		# Each function's self and total.
		is "$(js "$name" 'profile.functions.map((f) => [f[3], f[4],
		    profile.files[f[1]][0], f[0]].join("\t")).join("\n")' |
		    sort)" \
		    "$(tach-cat "$T/data/cpython315-$name.bin" |
			"$python" "$T/convert/calls.py" functions |
			grep -v '<no frames>' | sort)"
	done
}

@test "the index leads to a file, a line and its callers" {
	need_chromium
	heatmap
	run -0 browser "$PWD/out/index.html" \
	    wait 'document.querySelector("#files a")' \
	    eval 'document.title' \
	    eval 'document.querySelector("#summary").innerText' \
	    eval 'document.querySelector("#facts").innerText' \
	    eval '[...document.querySelectorAll("#files tbody tr")].map((tr) =>
		[...tr.cells].map((td) => td.textContent).join("\t")).join("\n")' \
	    click '#files tbody tr:nth-child(1) a' \
	    wait 'document.querySelector(".row.hit")' \
	    eval 'document.title' \
	    eval 'document.querySelectorAll(".row").length' \
	    click '#L4 code' \
	    wait 'document.querySelector(".panel")' \
	    eval 'document.querySelector(".panel").innerText.replace(/\s+/g, " ")' \
	    click '.panel a' \
	    wait 'location.hash === "#L8" && document.querySelector("#L8 + .panel")' \
	    eval 'document.querySelector(".panel .about").innerText' \
	    click 'text=g' \
	    wait 'location.href.endsWith("/0003-_gone.py.html#L12")' \
	    wait 'document.querySelector("#L12 + .panel")' \
	    eval 'document.querySelector("#lines").innerText.replace(/\s+/g, " ")' \
	    screenshot page.png
	is "$output" "\
standard input - heat map
5 samples of 2 threads; 20.0 % of it without frames
500 Hz
60.0 %	80.0 %	$PWD/x.py
20.0 %	20.0 %	~
	20.0 %	!gone.py
x.py - standard input
9
Line 4 of fib: 1 sample, of these none in itself Called from 100 % 1 <module> x.py:8 100 % 1 fib x.py:4 Calls 100 % 1 fib x.py:2
Line 8 of <module>, <module>.<genexpr>: 4 samples, of these 1 sample in itself
12 20.0 % g Line 12 of g: 1 sample, of these none in itself Called from 100 % 1 <module> x.py:8 Calls 100 % 1 <GC> ~"
	[ "$(od -An -tx1 -N4 page.png)" = " 89 50 4e 47" ]
}

@test "keys: hot lines, self and total, all lines, the index, the filter" {
	need_chromium
	heatmap
	{ seq -f 'x%g = 1' 100; echo 'import time'; seq -f 'y%g = 2' 100; } \
	    >long.py
	printf '%s\n' "0	0	1	-	$PWD/long.py:f:50" \
	    "1	0	1	-	$PWD/long.py:f:101;$PWD/long.py:g:150" \
	    "2	0	1	-	$PWD/long.py:f:101;$PWD/long.py:g:150" |
	    tach-convert --heatmap --source yes -o long
	local here='document.querySelector(".here").id'
	run -0 browser "$PWD/long/index.html" \
	    wait 'document.querySelector("#files a")' \
	    click '#files a' wait 'document.querySelector(".here")' \
	    eval "$here" key p eval "$here" key h eval "$here" \
	    key t eval "[mode, document.querySelector('#L101 \\
		.weight:not(.other)').style.background !== '']" \
	    key p eval "$here" \
	    key Enter eval 'document.querySelector(".panel .about").innerText' \
	    key Enter eval 'document.querySelector(".panel")' \
	    eval 'document.querySelectorAll(".row:not(.heads)").length' \
	    eval 'document.querySelector(".gap").innerText' \
	    click '.gap button' \
	    eval 'document.querySelectorAll(".row:not(.heads)").length' \
	    key a eval 'document.querySelectorAll(".row:not(.heads)").length' \
	    key u wait 'location.pathname.endsWith("/index.html")' \
	    eval 'mode' \
	    key / type nothing \
	    eval 'document.querySelectorAll("#files td, #functions td").length' \
	    key Escape key ? eval 'document.querySelector("#keys").open'
	is "$output" "\
L150
L50
L150
[\"total\",true]
L101
Line 101 of f: 2 samples, of these none in itself
null
27
⋯ 45 lines
72
201
total
0
true"
}

# Nothing of it is a path, a tag or a script.
@test "--heatmap of odd names" {
	need_chromium
	tach-convert --heatmap -o odd "$T/data/odd.bin"
	[ -z "$(cd odd && find . -type f | grep -v '^\./[0-9A-Za-z._-]*$')" ]
	printf "%d\t0\t7\t-\t%s:f:1\n" \
	    0 '../../../../tmp/x' 1 '/' 2 '' 3 '</script><!--' 4 '..' \
	    5 "/a/b\\040c\\073<img\\040src=x\\040onerror=alert(1)>" \
	    6 '__proto__' 7 "$(printf '%0300000d' 0)" >p.txt
	tach-convert --heatmap -o more p.txt
	is "$(cd more && printf '%s\n' *)" "\
0001-.html
0002-...html
0003-x.html
0004-.html
0005-b_c__img_src_x_onerror_alert_1__.html
0006-$(printf %040d 0).html
0007-script_____.html
0008-__proto__.html
index.html
profile.js"
	local dir
	for dir in odd more; do
		run -0 browser "$PWD/$dir/index.html" \
		    wait 'document.querySelector("#files a")' \
		    eval 'document.querySelectorAll("#files tbody tr").length'
		is "$output" "$(js "$dir" profile.files.length)"
	done
}

@test "--heatmap of 5,000 files" {
	need_chromium
	seq 5000 | awk '{ printf "%d\t0\t7\t-\t/x/f%d.py:f%d:%d\n", $1, $1,
	    $1, $1 % 7 + 1 }' | tach-convert --heatmap -o out
	is "$(find out -type f | wc -l)" 5002
	run -0 browser "$PWD/out/index.html" \
	    wait 'document.querySelector("#files a")' \
	    eval 'document.querySelectorAll("#files tbody tr").length' \
	    click '#files + button' \
	    eval 'document.querySelectorAll("#files tbody tr").length'
	is "$output" "200
5000"
}

@test "--heatmap of no sample has an index" {
	need_chromium
	tach-convert --heatmap -o out --thread 1 "$T/data/odd.bin"
	is "$(cd out && printf '%s\n' *)" "index.html
profile.js"
	run -0 browser "$PWD/out/index.html" \
	    wait 'document.querySelector("#files thead")' \
	    eval 'document.querySelector("#summary").innerText'
	is "$output" "0 samples of 0 threads"
}

@test "axe finds nothing in any page, and lines open by the keyboard and a finger" {
	need_chromium
	need_npm axe-core
	{
		printf '# python 3.13.2\n# interval 1000\n'
		printf '# quality duration=2.47 rate=340.8 errors=0.4 missed=9\n'
		profile | grep -v '^#'
	} >p.txt
	seq -f 'import x%g as y; z = "text" # remark' 60 >long.py
	seq 60 | awk -v file="$PWD/long.py" '{ for (k = 0; k < $1; k++)
		printf "%d\t0\t9\tcpu\t%s:f:%d\n", $1 * 100 + k, file, $1 }' \
	    >>p.txt
	tach-convert --heatmap --source yes -o out p.txt
	local axe=$NODE_MODULES/axe-core/axe.min.js
	local look='axe.run().then(({ violations }) => violations.map((v) =>
	    [v.id, ...v.nodes.slice(0, 3).map((n) => n.html + n.failureSummary)]
		.join(" ")).join("; ") || "nothing")'
	local views=(size 1400x900 theme light run "$axe" eval "$look"
	    size 500x800 theme dark eval "$look" key d eval "$look" key d)
	run -0 browser "$PWD/out/index.html" \
	    wait 'document.querySelector("#files a")' "${views[@]}" \
	    eval 'document.querySelector(".warning").innerText' \
	    click '#files a' wait 'document.querySelector(".here")' \
	    "${views[@]}" key t eval "$look" size 1280x800 \
	    eval '(document.querySelector("#L60 .number").focus(), 0)' key Enter \
	    eval 'document.querySelector("#L60 + .panel .about").innerText' \
	    eval 'document.activeElement.getAttribute("aria-expanded")' \
	    eval "$look" key Enter \
	    eval 'document.querySelector(".panel")' tap '#L60 code' \
	    eval 'document.querySelector(".panel") !== null'
	is "$output" "nothing
nothing
nothing
missed 9.0 % of the rounds: short calls may be missing, and shares may be off
nothing
nothing
nothing
nothing
0
Line 60 of f: 60 samples, of these 60 samples in itself
true
nothing
null
true"
}

@test "text on each heat has a contrast of 4.5 to 1 or more" {
	need_chromium
	heatmap
	cat >contrast.js <<-'END'
	window.leastContrast = () => {
		const pen = new OffscreenCanvas(1, 1).getContext('2d');
		const light = (...layers) => {
			for (const colour of layers) {
				pen.fillStyle = colour;
				pen.fillRect(0, 0, 1, 1);
			}
			return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
			    .map((c) => c / 255).map((c) => c <= 0.04045 ?
				c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
			    .reduce((sum, c, i) =>
				sum + c * [0.2126, 0.7152, 0.0722][i], 0);
		};
		const e = document.body.appendChild(document.createElement('i'));
		const named = (name) => {
			e.style.color = `var(--${name})`;
			return getComputedStyle(e).color;
		};
		let least = 21;
		for (const [text, strength] of [['ink', 0.8], ['ink', 0.25],
			['word', 0.25], ['text', 0.25], ['remark', 0.25]])
			for (let n = 0; n <= 100; n++) {
				const heated = heat(n, 100, strength);
				const [a, b] = [light(named(text)),
				    light(named('page'), heated || named('page'))]
				    .sort((x, y) => y - x);
				least = Math.min(least, (a + 0.05) / (b + 0.05));
			}
		return least;
	};
	END
	run -0 browser "$PWD/out/0001-x.py.html" \
	    wait 'document.querySelector(".row.hit")' run contrast.js \
	    theme light eval 'leastContrast() >= 4.5' \
	    theme dark eval 'leastContrast() >= 4.5'
	is "$output" "true
true"
}

@test "on paper a page has its lines, and no controls" {
	need_chromium
	heatmap
	run -0 browser "$PWD/out/0001-x.py.html" \
	    wait 'document.querySelector(".row.hit")' media print text
	found -F 'return fib(n - 1) + fib(n - 2)' <<<"$output"
	absent -E 'All files|All lines|Self|Total' <<<"$output"
}

@test "the index says threads or groups of threads, or nothing of them" {
	need_chromium
	local by
	printf '# interval 1000\n# note thread 0 1 w-1\n# note thread 0 2 w-2\n' >p.txt
	printf '%s\n' '0	0	1	cpu	a.py:f:1' '0	0	2	cpu	a.py:f:1' >>p.txt
	for by in thread name none; do
		tach-convert --heatmap --source no --by $by -o $by p.txt
		browser $by/index.html eval 'document.querySelector("#summary").innerText'
	done >said
	is "$(cat said)" "2 samples of 2 threads
2 samples of 1 group of threads
2 samples"
}
