# SPDX-License-Identifier: ISC
# tach-merge: many profiles as one, and one as another.  What the result
# should hold is worked out by merge.py, which shares nothing with libtach.

load ../lib/lib.bash

setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	D=$T/data
	W=$D/cpython315-wall.bin G=$D/cpython315-gil.bin
	N=$D/cpython315-none.bin O=$D/cpython315-opcodes.bin
}

model() {
	python3 "$T/merge/merge.py" "$@"
}

# samples FILE: sorted by interpreter and thread, each of which keeps its
# order: what must be the same however a profile came about.
samples() {
	tach-cat -l "$1" | grep -v '^#' | sort -s -t $'\t' -k 2,2n -k 3,3n
}

# notes FILE: as the text form has them, whatever the strings are.
notes() {
	tach-cat -l "$1" | sed -n 's/^# note //p' | sed 's/\\040/ /g'
}

# field FILE KEY: what tach-info says.
field() {
	tach-info "$1" | sed -n "s/^$2: *//p"
}

# four: profiles that differ in all that they can.
four() {
	need zstd
	model rewrite "$G" a.bin order=big layout=cpython start=5000000 \
	    interps=7 python=3.11.9
	model rewrite "$N" b.bin order=big start=5400000 'notes=pid 77|a  b'
	tach-cat -l "$W" >c.txt
	cp "$O" d.bin
}

# ---- many ----------------------------------------------------------------

@test "all layouts, byte orders and compressions, text, both alignments" {
	four
	for align in start clock; do
		run -0 --separate-stderr tach-merge --align=$align -o m.bin \
		    a.bin b.bin c.txt d.bin
		is "$output$stderr" ''
		[ $align = clock ] && clock=--clock || clock=
		run -0 model check $clock m.bin a.bin b.bin "$W" d.bin
		is "$output" 37246
		is "$(field m.bin start)" "5000000 us on the recording \
machine's monotonic clock"
		is "$(field m.bin python)" 3.15.0
		is "$(field m.bin threads)" "$(($(field "$G" threads) +
		    $(field "$N" threads) + $(field "$W" threads) +
		    $(field "$O" threads)))"
	done
}

@test "any tree gives the same samples and notes" {
	four
	local align
	for align in start clock; do
		set -- --align=$align
		tach-merge "$@" -o flat.bin a.bin b.bin c.txt d.bin
		tach-merge "$@" -o ab.bin a.bin b.bin
		tach-merge "$@" -o ab_c.bin --layout=cpython ab.bin c.txt
		tach-merge "$@" -o left.bin ab_c.bin d.bin
		tach-merge "$@" -o cd.bin c.txt d.bin
		tach-merge "$@" -o b_cd.bin --compression=none b.bin cd.bin
		tach-merge "$@" -o right.bin a.bin b_cd.bin
		tach-merge "$@" -o pairs.bin ab.bin cd.bin
		samples flat.bin >flat
		[ "$(wc -l <flat)" -eq 37246 ]
		for tree in left right pairs; do
			samples $tree.bin | cmp - flat
			is "$(model notes $tree.bin)" "$(model notes flat.bin)"
			for key in start python interval threads strings; do
				is "$(field $tree.bin $key)" \
				    "$(field flat.bin $key)"
			done
		done
	done
}

# Threads and interpreters of the same numbers, equal times, empty stacks, an
# empty profile: eight of them, put together in random trees.
@test "random profiles in random trees" {
	need zstd
	python3 - "$T/merge" <<-'END'
	import random, subprocess, sys
	sys.path.insert(0, sys.argv[1])
	import merge
	random.seed(7)
	frames = [merge.frame('%d.py' % (i % 3), 'f%d' % i, i)
	          for i in range(9)]

	# In this layout decode.py takes a thread that begins with no frames.
	def run(*args):
	    subprocess.check_call(('tach-merge', '--layout=cpython') + args)

	def profile():
	    interps = random.sample((0, 1, 2, 5, 70000, 2**32 - 1), 3)
	    time, samples, last = 0, [], {}
	    for i in range(random.choice((0, 1, 300, 5000))):
	        time += random.choice((0, 0, 1, 1000))
	        key = random.choice(interps), random.choice((1, 2, 2**64 - 1))
	        stack = tuple(random.choices(frames, k=random.randrange(5)))
	        if random.random() < .7:
	            stack = last.get(key, stack)
	        last[key] = stack
	        samples.append((time,) + key + (random.randrange(256), stack))
	    return merge.encode(samples, start=random.randrange(10**6),
	                        order=random.choice('<>'), notes=('a', 'b'),
	                        layout=random.choice(('early', 'cpython')))

	def tree(names, align):
	    """Merges neighbours until one is left."""
	    names, n = list(names), 0
	    while len(names) > 1:
	        at = random.randrange(len(names) - 1)
	        to = at + random.randrange(2, 5)
	        n += 1
	        run('--align', align, '-o', 'tree%d.bin' % n,
	            '--level', str(random.randrange(1, 9)), *names[at:to])
	        names[at:to] = ['tree%d.bin' % n]
	    return names[0]

	names = ['%d.bin' % i for i in range(8)]
	for i in range(6):
	    for name in names:
	        with open(name, 'wb') as f:
	            f.write(profile())
	    for align in 'start', 'clock':
	        run('--align', align, '-o', 'flat.bin', *names)
	        merge.check('flat.bin', names, align == 'clock')
	        one = tree(names, align)
	        a, b = merge.load('flat.bin'), merge.load(one)
	        assert merge.by_thread(a.samples) == merge.by_thread(b.samples)
	        assert merge.notes_of(a.profile) == merge.notes_of(b.profile)
	        assert a.profile.header['start_us'] == b.profile.header['start_us']
	END
}

@test "notes tell whose interpreters are whose, and others are kept" {
	four
	model rewrite "$G" e.bin interps=4294967295
	tach-merge -o m.bin a.bin b.bin a.bin e.bin
	is "$(model notes m.bin)" 'input 0-0 was=7 start=5000000 python=3.11.9 a.bin
pid 77
a  b
input 1-1 start=5400000 python=3.14.0 b.bin
input 2-2 was=7 start=5000000 python=3.11.9 a.bin
input 3-3 was=4294967295 start=5518049545 python=3.14.0 e.bin'
	# One that only looks like such a note is none.
	model rewrite "$G" f.bin \
	    'notes=input 5-4 x|input -1-2 x|input 0-99999999999 x|input 1|input  0-1 x'
	tach-merge -o m.bin a.bin f.bin
	is "$(model notes m.bin | sed 1d)" 'input 5-4 x
input -1-2 x
input 0-99999999999 x
input 1
input  0-1 x
input 1-1 start=5518049545 python=3.14.0 f.bin'
}

@test "a name that begins as a note does is none" {
	python3 - "$T/merge" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import merge
	stack = merge.frame('\0input 0-7 x', '\0f', 1),
	open('a.bin', 'wb').write(merge.encode([(0, 0, 1, 1, stack)]))
	END
	tach-merge -o m.bin a.bin a.bin
	model check m.bin a.bin a.bin
	is "$(model notes m.bin)" 'input 0-0 start=0 python=3.14.0 a.bin
input 1-1 start=0 python=3.14.0 a.bin'
}

# what FILE: how it was sampled, as the text form has it.
what() {
	tach-cat -l "$1" | grep -E '^# (python|start|interval|config|quality) '
}

@test "what holds for all" {
	model rewrite "$G" a.bin layout=cpython start=30 interval=500 \
	    python=3.11.9 config=89
	model rewrite "$G" b.bin layout=cpython start=20 interval=0 \
	    python=3.13.0 config=89
	model rewrite "$G" c.bin layout=cpython start=40 interval=250 \
	    python=3.13.1 config=90
	set -- --layout=cpython -o
	tach-merge "$@" ab.bin a.bin b.bin
	is "$(what ab.bin)" '# python 3.13.0
# start 20
# interval 500
# config 0x59'
	tach-merge "$@" ba.bin b.bin a.bin
	is "$(what ba.bin)" "$(what ab.bin)"
	tach-merge "$@" abc.bin a.bin b.bin c.bin
	is "$(what abc.bin)" '# python 3.13.1
# start 20
# interval 250'
	tach-merge "$@" ab_c.bin ab.bin c.bin
	is "$(what ab_c.bin)" "$(what abc.bin)"
	# How well it went is known of one alone.
	tach-merge "$@" m.bin "$G"
	is "$(what m.bin | grep -c quality)" 1
	tach-merge "$@" m.bin "$G" "$W"
	is "$(what m.bin | grep -c quality)" 0
}

# every FILE US N STACK: a text profile of N samples of one stack.
every() {
	{
		printf '# tach 1\n# interval %s\n' "$2"
		for ((i = 0; i < $3; i++)); do
			printf '%s\t0\t1\tgil\t%s\n' $((i * $2)) "$4"
		done
	} >"$1"
}

@test "each input keeps its interval" {
	every fast.txt 1000 10 a:fast:1
	every slow.txt 100000 10 a:slow:1
	every slower.txt 4000000 2 a:slower:1
	tach-merge -o m.bin slow.txt fast.txt
	tach-merge -o mm.bin m.bin slower.txt
	tach-merge -o flat.bin slow.txt fast.txt slower.txt
	is "$(notes mm.bin)" "$(notes flat.bin)"
	is "$(notes mm.bin | grep ^interval)" 'interval 0 100000
interval 2 4000000'
	is "$(field mm.bin interval)" '1000 us (1000 samples a second)'
	# Each sample is as long as its thread's interval, and the sum is right.
	is "$(tach-convert --collapsed --frame=function --weight=time mm.bin |
	    cut -d ';' -f 2)" 'slower 8000000
slow 1000000
fast 10000'
	for weight in samples time; do
		is "$(tach-convert --callgrind --weight=$weight mm.bin |
		    grep -e ^summary -e ^totals)" 'summary: 22 9010000
totals: 22 9010000'
		tach-convert --pstats --weight=$weight -o p.pstats mm.bin
		is "$(python3 -c 'import pstats
print("%.6f" % pstats.Stats("p.pstats").total_tt)')" 9.010000
	done
	is "$(tach-convert --jsonl mm.bin | jq -s 'map(.us) | add')" \
	    9010000
	# A number that an input has no other way keeps its own meaning.
	every small.txt 500 1 a:small:1
	tach-merge -o s.bin mm.bin small.txt
	is "$(notes s.bin | grep ^interval)" 'interval 0 100000
interval 1 1000
interval 2 4000000'
	tach-merge -o t.bin s.bin
	is "$(tach-cat -l t.bin)" "$(tach-cat -l s.bin)"
	# Where one period stands for all, that is said.
	run -0 --separate-stderr tach-convert --gperftools -o p.prof mm.bin
	is "$stderr" 'tach-convert: mm.bin: its interpreters have several intervals, and gperftools has room for one: only times of interpreters with 1000 us are right (see --interp)'
	run -0 --separate-stderr tach-convert --gperftools -o p.prof fast.txt
	is "$stderr" ''
	# Notes that are none.
	{
		printf '# note interval %s\n' '0 5x' '0 ' 'x 5' '0 -5' \
		    '4294967296 5' '0 18446744073709551616' 0
		cat fast.txt
	} >odd.txt
	is "$(tach-convert --collapsed --frame=function --weight=time odd.txt)" \
	    'fast 10000'
}

# of_process FILE START NOTE...: a text profile with a sample of each interpreter that
# stands in $interps.
of_process() {
	{
		printf '# tach 1\n# start %s\n' "$2"
		printf '# note %s\n' "${@:3}"
		for i in ${interps-0}; do
			printf '5\t%s\t1\tgil\ta:b:1\n' "$i"
		done
	} >"$1"
}

# facts FILE: the notes of processes and times.
facts() {
	notes "$1" | grep -E '^(process|time) '
}

@test "each input keeps its process and its time of day" {
	interps='0 7' of_process a.txt 100 'process 0 11' 'time 0 1000000'
	of_process b.txt 400 'process 0 12' 'time 0 2000000'
	of_process none.txt 400
	tach-merge -o m.bin a.txt b.txt none.txt
	is "$(facts m.bin)" 'process 0 11
time 0 1000000
process 2 12
time 2 2000000
process 3 0
time 3 0'
	# On one clock, time 0 of all is that of the earliest.
	tach-merge --align clock -o c.bin b.txt a.txt
	is "$(facts c.bin)" 'process 0 12
time 0 1999700
process 1 11
time 1 1000000'
	# A merge of merges has the same.
	tach-merge -o ab.bin a.txt b.txt
	tach-merge -o abn.bin ab.bin none.txt
	is "$(facts abn.bin)" "$(facts m.bin)"
	tach-merge -o na.bin none.txt ab.bin
	is "$(facts na.bin)" 'process 1 11
time 1 1000000
process 3 12
time 3 2000000'
	# A copy, and a part of one.
	tach-merge --interp 2 -o part.bin m.bin
	is "$(facts part.bin)" "$(facts m.bin)"
	# Two processes of one number are two.
	of_process d.txt 0 'process 0 1'
	tach-merge -o dd.bin d.txt d.txt
	is "$(facts dd.bin)" $'process 0 1\nprocess 1 1'
	# Without its first interpreter, too.
	interps='3 5' of_process e.txt 0 'process 0 1' 'process 4 2' 'process 1 9'
	tach-merge -o de.bin d.txt e.txt
	is "$(facts de.bin)" $'process 0 1\nprocess 1 1\nprocess 2 2'
}

@test "a file's name may be anything" {
	local name=$'a\xff \xc3\xa9\n b.bin'
	cp "$G" "$name"
	tach-merge -o m.bin "$name" "$G"
	model notes m.bin >notes
	is "$(head -n 2 notes)" \
	    $'input 0-0 start=5518049545 python=3.15.0 a\xef\xbf\xbd \xc3\xa9\n b.bin'
}

@test "several interpreters, and one thread in two of them" {
	cp "$D/odd.bin" .
	tach-merge -o m.bin odd.bin odd.bin
	local what='start=123456789 python=3.12.1 odd.bin'
	is "$(notes m.bin)" "input 0-2 was=0,1,4294967295 $what
input 3-5 was=0,1,4294967295 $what"
	samples odd.bin | awk -F '\t' -v OFS='\t' '
	    { for (i = 0; i < 2; i++) {
		$2 = ($2 > 2 ? 2 : $2); $2 += 3 * i; print; $2 -= 3 * i } }' |
	    sort -s -t $'\t' -k 2,2n -k 3,3n | cmp - <(samples m.bin)
}

# A note can hold any numbers: no other input is the worse for them.
@test "a note of interpreters that cannot be is left out" {
	local range
	for range in 0-4294967295 0-4294967294 0-99999 1-1 4294967295-4294967295; do
		printf '# tach 1\n# note input %s x\n# note thread 0 1 T\n0\t0\t1\t-\ta:b:1\n' \
		    $range >e.txt
		run -0 --separate-stderr tach-merge -o m.bin e.txt "$W" e.txt
		is "$output" ''
		is "${stderr_lines[0]}" "tach-merge: e.txt: its note \"input \
$range\" has numbers that no merge gives: left out"
		is "${#stderr_lines[@]}" 2
		is "$(field m.bin samples)" "$(($(field "$W" samples) + 2))"
		is "$(model notes m.bin | grep -v ^interval)" \
		    "$(printf '%s\n' 'thread 0 1 T' \
		    'input 0-0 start=0 python=0.0.0 e.txt' \
		    "input 1-1 start=$(field "$W" start | cut -d ' ' -f 1) python=3.15.0 $W" \
		    'thread 2 1 T' 'input 2-2 start=0 python=0.0.0 e.txt')"
	done
	# Where one cannot be, those after it have no numbers either.
	printf '# note input %s x\n' 0-0 2-2 3-3 1-1 9-9 >e.txt
	printf '0\t7\t1\t-\ta:b:1\n' >>e.txt
	run -0 --separate-stderr tach-merge -o m.bin e.txt "$W"
	is "$stderr" 'tach-merge: e.txt: its note "input 9-9" has numbers that no merge gives: left out'
	is "$(model notes m.bin | grep ^input | cut -d ' ' -f 1-3 | head -n 5)" \
	    'input 0-0 x
input 2-2 x
input 3-3 x
input 1-1 x
input 4-4 was=7'
}

@test "interpreters beyond all numbers: the input with the most is skipped" {
	mkdir in
	python3 - <<-'END'
	for n in range(4096):
	    with open('in/%d.txt' % n, 'w') as f:
	        for i in range(16):
	            last = (i + 1) * 65536 - (n < 4095)
	            print('# note input %d-%d x' % (i * 65536, last), file=f)
	        print('0\t0\t1\t-\ta:b:1', file=f)
	END
	printf '%s\n' "$W" in/*.txt "$N" >list
	run -1 --separate-stderr tach-merge -o m.bin --files-from list
	is "$stderr" "tach-merge: in/4095.txt: all files together have more \
interpreters than can be numbered: skipped"
	is "$(field m.bin samples)" \
	    "$(($(field "$W" samples) + $(field "$N" samples) + 4095))"
}

@test "a note in the last place is not how all were sampled" {
	printf '# note %s\n' 'input 0-0 x' 'quality duration=9 rate=9' \
	    'config 0x2' 'config 0x1' >e.txt
	printf '0\t0\t1\t-\ta:b:1\n' >>e.txt
	tach-merge -o m.bin "$W" e.txt
	is "$(what m.bin)" "$(what m.bin | grep -v -e config -e quality)"
	is "$(model notes m.bin | tail -n 2)" $'input 1-1 x\ninterval 1 0'
}

@test "a Python that is not known takes no names away" {
	local version
	for version in 3.99.0 255.0.0 0.0.0; do
		printf '# python %s\n0\t0\t1\t-\ta:b:1\n' $version >e.txt
		tach-merge -o m.bin e.txt "$O"
		is "$(what m.bin | head -n 1)" '# python 3.15.0'
		is "$(tach-info -s m.bin | grep ^opcode)" \
		    "$(tach-info -s "$O" | grep ^opcode)"
	done
	printf '# python 3.99.0\n0\t0\t1\t-\ta:b:1\n' >e.txt
	tach-merge -o m.bin e.txt e.txt
	is "$(what m.bin | head -n 1)" '# python 3.99.0'
}

@test "a thread's name goes with its interpreter, of many" {
	seq 4294967295 -7 4294960000 >interps
	sed 's/.*/# note thread & 1 T&/' interps >e.txt
	sed 's/.*/0\t&\t1\t-\ta:b:1/' interps >>e.txt
	tach-merge -o m.bin "$W" e.txt
	sort -n interps | awk '{ print "thread " NR " 1 T" $1 }' >want
	model notes m.bin | grep ^thread | sort -k 2,2n | cmp - want
}

@test "times beyond the clock: the input is skipped" {
	need zstd
	model rewrite "$G" a.bin start=18446744073709551615
	model rewrite "$W" b.bin start=1
	run -1 --separate-stderr tach-merge --align=clock -o m.bin a.bin \
	    b.bin "$N"
	is "$stderr" "tach-merge: a.bin: its times are out of range on the \
common clock: skipped"
	model check --clock m.bin b.bin "$N"
	model rewrite "$G" a.bin start=0
	run -0 --separate-stderr tach-merge --align=clock -o m.bin "$W" a.bin
	is "$stderr" "tach-merge: a.bin: it has no start time: \
taken as 0 us on the clock"
	model check --clock m.bin "$W" a.bin
}

@test "samples are in order of time" {
	mkdir in
	model many in 200
	tach-merge -o m.bin in/*.bin
	tach-cat m.bin | cut -f 1 | sort -nc
	tach-merge --align=clock -o m.bin in/*.bin
	tach-cat m.bin | cut -f 1 | sort -nc
	is "$(tach-cat m.bin | wc -l)" 800
}

@test "10,000 files with few descriptors" {
	mkdir in
	model many in 10000
	printf 'in/%d.bin\n' {0..9999} >list
	(
		ulimit -n 256
		tach-merge -o m.bin --files-from list
		tach-merge -o n.bin --files-from - <list
	)
	run -0 model check m.bin @list
	is "$output" 40000
	cmp m.bin n.bin
	is "$(model notes m.bin | sed -n '10000p')" \
	    'input 9999-9999 start=1009999 python=3.14.0 in/9999.bin'
	# In order all the way: groups change nothing.
	tach-cat m.bin | cut -f 1 | sort -nc
	# Two trees, of other groups.
	head -n 130 list | xargs tach-merge -o 1.bin
	sed 1,130d list | tach-merge -o 2.bin --files-from -
	tach-merge -o 12.bin 1.bin 2.bin
	samples m.bin | cmp - <(samples 12.bin)
	is "$(model notes 12.bin)" "$(model notes m.bin)"
}

@test "memory does not grow with the samples" {
	! grep -q '^SANITIZE_FLAGS = .' "$TACH_BUILDDIR/Makefile" ||
	    skip "sanitizers take memory of their own"
	local small large
	model long a.bin 20000
	tach-merge -o b.bin a.bin a.bin a.bin a.bin a.bin a.bin a.bin a.bin
	tach-merge -o c.bin b.bin b.bin b.bin b.bin b.bin b.bin b.bin b.bin
	tach-merge -o d.bin c.bin c.bin
	is "$(field d.bin samples)" 2560000
	small=$(peak tach-merge -o m.bin b.bin b.bin)
	large=$(peak tach-merge -o m.bin d.bin d.bin)
	echo "$small kB, then $large kB"
	((large < small + 16384))
}

# peak COMMAND...: the most memory that it had, in kB.
peak() {
	python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# ---- where they come from ------------------------------------------------

@test "standard input, pipes and lists" {
	need zstd
	tach-merge -o want.bin "$W" "$G" "$N"
	samples want.bin >want
	tach-merge -o m.bin "$W" - "$N" <"$G"
	samples m.bin | cmp - want
	cat "$G" | tach-merge -o m.bin "$W" - "$N"
	samples m.bin | cmp - want
	tach-merge -o m.bin "$W" <(cat "$G") <(tach-cat -l "$N")
	samples m.bin | cmp - want
	printf '\n%s\n\n%s' "$G" "$N" >list
	tach-merge -o m.bin --files-from=list "$W"
	samples m.bin | cmp - want
	printf '%s\n' "$W" "$G" "$N" | tach-merge --files-from - >m.bin
	samples m.bin | cmp - want
	tach-cat -l "$G" | tach-merge | cat >m.bin
	samples m.bin | cmp - <(samples "$G")
}

@test "the list is wrong" {
	run -1 --separate-stderr tach-merge -o m.bin --files-from nosuch
	is "$stderr" 'tach-merge: nosuch: No such file or directory'
	run -1 --separate-stderr tach-merge -o m.bin --files-from /dev/null
	is "$stderr" 'tach-merge: /dev/null: it names no file'
	run -1 --separate-stderr tach-merge -o m.bin --files-from - </dev/null
	is "$stderr" 'tach-merge: standard input: it names no file'
	run -1 --separate-stderr tach-merge -o m.bin --files-from .
	is "$stderr" 'tach-merge: .: Is a directory'
	run -2 --separate-stderr tach-merge -o m.bin --files-from - "$W" - <<<"$G"
	is "$stderr" "tach-merge: standard input can be read only once
Try 'tach-merge --help'."
	run -2 --separate-stderr tach-merge -o m.bin - - <"$G"
	[ ! -e m.bin ]
}

@test "an output is no input" {
	cp "$W" a.bin
	cp "$G" b.bin
	run -1 --separate-stderr tach-merge -o a.bin a.bin b.bin
	is "$stderr" "tach-merge: a.bin: it is an input, too: choose another name"
	cmp a.bin "$W"
	tach-merge -o m.bin a.bin b.bin
	model check m.bin "$W" "$G"
}

# ---- damage --------------------------------------------------------------

# damaged WHY FILE: in any place among others it is skipped, for this reason.
damaged() {
	local why=$1 bad=$2
	run -1 --separate-stderr tach-merge -o m.bin "$W" "$bad" "$G"
	is "$output" ''
	is "$stderr" "tach-merge: $bad: $why: skipped"
	model check m.bin "$W" "$G"
	run -1 --separate-stderr tach-merge -o m.bin "$bad" "$W"
	is "$stderr" "tach-merge: $bad: $why: skipped"
	model check m.bin "$W"
}

@test "a damaged input is skipped, wherever the damage is" {
	need zstd
	damaged 'No such file or directory' nosuch.bin
	damaged 'the file is empty' /dev/null
	mkdir folder
	model rewrite "$N" bad.bin
	poke bad.bin $HDR_VERSION 09000000
	run -1 --separate-stderr tach-merge -o m.bin "$W" bad.bin folder "$G"
	is "${#stderr_lines[@]}" 2
	grep '^tach-merge: bad.bin: .*version 9.*: skipped$' <<<"$stderr"
	grep '^tach-merge: folder: .*: skipped$' <<<"$stderr"
	model check m.bin "$W" "$G"
	# A record in the middle of the samples.
	model rewrite "$N" bad.bin
	poke bad.bin $((64 + 12)) 09
	damaged 'byte 76: encoding 9 of a record is not known' bad.bin
}

@test "a changed name, of which only the checksum tells" {
	tach-merge -o a.bin --compression none "$N"
	local at
	at=$(grep -abo '<module>' a.bin | tail -n 1 | cut -d : -f 1)
	poke a.bin $((at + 1)) 4d
	tach-info a.bin
	run -1 --separate-stderr tach-merge -o m.bin "$W" a.bin "$G"
	[[ $stderr = "tach-merge: a.bin: "*checksum*": skipped" ]]
	is "${#stderr_lines[@]}" 1
	model check m.bin "$W" "$G"
	# One alone is copied nevertheless.
	run -1 --separate-stderr tach-merge -o m.bin a.bin
	[[ $stderr = "tach-merge: a.bin: "*checksum* ]]
	is "$(field m.bin samples)" "$(field "$N" samples)"
}

@test "a file that was cut is skipped" {
	local size cut
	tach-merge -o good.bin "$G"
	size=$(stat -c %s good.bin)
	for cut in 1 33 "$((size / 2))" $((size - 1)); do
		cp good.bin bad.bin
		truncate_at bad.bin -"$cut"
		run -1 --separate-stderr tach-merge -o m.bin "$W" bad.bin "$N"
		[[ $stderr = "tach-merge: bad.bin: "*": skipped" ]]
		is "${#stderr_lines[@]}" 1
		model check m.bin "$W" "$N"
	done
}

# Whatever the byte is, the others are kept, and what is made is sound.
@test "every byte poked" {
	python3 - "$T/merge" <<-'END'
	import os, subprocess, sys
	sys.path.insert(0, sys.argv[1])
	import merge, decode
	stack = tuple(merge.frame('a.py', 'f%d' % i, i) for i in range(4))
	samples = [(k * 7, (0, 2, 9)[k % 3], 5 + k % 2, k % 8, stack[:k % 5])
	           for k in range(12)]
	with open('good.bin', 'wb') as f:
	    f.write(merge.encode(samples[:6]))
	data = merge.encode(samples, notes=('input 0-2 start=1 python=3.1.1 x',))
	good = merge.load('good.bin')
	want = merge.by_thread(merge.expected([good], False))
	statuses = {0: 0, 1: 0}
	for at in range(len(data)):
	    with open('bad.bin', 'wb') as f:
	        f.write(data[:at] + bytes([data[at] ^ 0xff]) + data[at + 1:])
	    p = subprocess.run(['tach-merge', '--layout=cpython', '-o', 'm.bin',
	                        'good.bin', 'bad.bin'], stderr=subprocess.PIPE)
	    statuses[p.returncode] += 1
	    lines = p.stderr.decode().splitlines()
	    assert len(lines) == p.returncode, (at, p)
	    for line in lines:
	        assert line.startswith('tach-merge: bad.bin: '), (at, line)
	        assert line.endswith(': skipped'), (at, line)
	    try:
	        got = merge.by_thread(merge.load('m.bin').samples)
	    except decode.Bad as e: # a name in bad.bin that is no UTF-8
	        assert p.returncode == 0 and 'utf-8' in str(e), (at, e)
	        continue
	    for key in want:
	        assert got[key] == want[key], at
	print(statuses)
	assert min(statuses.values()) > 50
	END
}

@test "nothing is left" {
	echo old >m.bin
	run -1 --separate-stderr tach-merge -o m.bin nosuch.bin /dev/null
	is "$output" ''
	is "$stderr" 'tach-merge: nosuch.bin: No such file or directory: skipped
tach-merge: /dev/null: the file is empty: skipped
tach-merge: nothing is left to merge'
	is "$(<m.bin)" old
	is "$(ls)" m.bin
}

@test "only one of several is sound" {
	run -1 --separate-stderr tach-merge -o m.bin nosuch.bin "$G"
	model check m.bin "$G"
	is "$(model notes m.bin)" \
	    "input 0-0 start=5518049545 python=3.15.0 $G"
}

# ---- one -----------------------------------------------------------------

@test "the header is CPython's, whatever the input has, or the early one" {
	local file
	for file in "$W" "$D/odd.bin"; do
		is "$(tach-merge "$file" | tach-info | grep ^layout)" \
		    'layout:            cpython'
		is "$(tach-merge --layout documented "$file" | tach-info |
		    grep ^layout)" 'layout:            early'
	done
}

@test "one input is copied, field by field" {
	local file layout compression
	for file in "$W" "$G" "$N" "$O" "$D/odd.bin"; do
		tach-cat -l "$file" >want
		for layout in early cpython; do
			for compression in zstd none; do
				run -0 --separate-stderr tach-merge -o m.bin \
				    --layout $layout --compression \
				    $compression "$file"
				is "$output$stderr" ''
				samples m.bin | cmp - <(samples "$file")
				is "$(field m.bin layout)" $layout
				is "$(field m.bin compression)" $compression
				tach-cat -l m.bin | grep '^#' |
				    diff - <(grep '^#' want)
			done
		done
	done
}

@test "--level" {
	tach-merge -o 1.bin --level 1 "$N"
	tach-merge -o 19.bin --level 19 "$N"
	samples 1.bin | cmp - <(samples 19.bin)
	(($(stat -c %s 19.bin) < $(stat -c %s 1.bin)))
}

@test "one damaged input: what came before is kept" {
	need zstd
	model rewrite "$G" bad.bin
	local at
	at=$(python3 - bad.bin <<-'END'
	import sys
	data = open(sys.argv[1], 'rb').read()
	at, end = 64, int.from_bytes(data[36:44], 'little')
	for i in range(100): # records of FULL: no number in them is long
	    at += 13
	    while data[at] & 128:
	        at += 1
	    at += 2
	    depth = data[at]
	    at += 1
	    for k in range(depth):
	        while data[at] & 128:
	            at += 1
	        at += 1
	print(at + 12)
	END
	)
	poke bad.bin "$at" 09
	run -1 --separate-stderr tach-merge -o m.bin bad.bin
	is "$output" ''
	is "$stderr" \
	    "tach-merge: bad.bin: byte $at: encoding 9 of a record is not known"
	is "$(field m.bin samples)" 100
	samples m.bin | cmp - <(samples bad.bin 2>/dev/null)
	run -0 tach-merge -o n.bin m.bin
	model check n.bin m.bin
}

@test "one input that cannot be opened: no output" {
	run -1 --separate-stderr tach-merge -o m.bin nosuch.bin
	is "$stderr" 'tach-merge: nosuch.bin: No such file or directory'
	is "$(ls)" ''
	run -1 --separate-stderr tach-merge -o m.bin <<<hello
	is "$stderr" "tach-merge: standard input: not a TACH profile (it begins \
with \"hello\\n\")"
	is "$(ls)" ''
}

@test "names that no sample needs are left out" {
	model rewrite "$G" a.bin "notes=a note"
	tach-merge --match '^nothing at all$' -o m.bin a.bin
	is "$(field m.bin samples)" 0
	is "$(field m.bin frames)" 0
	is "$(field m.bin strings)" 1
	is "$(model notes m.bin)" 'a note'
	tach-merge -o n.bin m.bin m.bin "$G"
	model check n.bin m.bin m.bin "$G"
	is "$(model notes n.bin)" "a note
input 0-0 start=5518049545 python=3.14.0 m.bin
input 1-1 start=5518049545 python=3.14.0 m.bin
input 2-2 start=5518049545 python=3.15.0 $G"
}

# ---- unfinished ones -----------------------------------------------------

# record NAME: starts a recorder that is not going to end by itself, and
# waits until it has saved something.
record() {
	tach-record -q -o "$1" -- python3 "$T/programs/demo.py" >/dev/null 2>&1 3>&- &
	local n
	for ((n = 0; n < 100; n++)); do
		[ "$(tach-cat "$1" 2>/dev/null | wc -l)" -le 100 ] || return 0
		sleep 0.1
	done
	return 1
}

@test "what a killed recorder has left is made whole" {
	record p.bin || skip "nothing can be recorded here"
	local program
	program=$(pgrep -P $! | sed -n 1p)
	# While it is still written to: as far as it was read first.
	run -0 --separate-stderr tach-merge -o live.bin "$W" p.bin "$G"
	is "${#stderr_lines[@]}" 1
	[[ $stderr = "tach-merge: p.bin: "* ]]
	kill -9 $!
	kill -9 "$program" || :
	wait $! || :
	run -0 --separate-stderr tach-merge -o good.bin p.bin
	is "${#stderr_lines[@]}" 1
	[[ $stderr = "tach-merge: p.bin: "* ]]
	(($(field good.bin samples) > 100))
	samples good.bin | cmp - <(samples p.bin 2>/dev/null)
	run -0 --separate-stderr tach-info good.bin
	is "$stderr" ''
	run -0 --separate-stderr tach-merge -o m.bin "$W" p.bin
	is "${#stderr_lines[@]}" 1
	model check m.bin "$W" good.bin
	is "$(field live.bin threads)" "$(($(field "$W" threads) +
	    $(field "$G" threads) + 1))"
}

# ---- selections ----------------------------------------------------------

@test "selections take from each input what it has itself" {
	local thread
	tach-merge -o both.bin "$W" "$G"
	thread=$(tach-cat "$G" | cut -f 3 | sort | uniq -c | sort -n |
	    awk 'END { print $2 }')
	tach-merge -o m.bin --thread "$thread" "$W" "$G"
	samples both.bin | awk -F '\t' -v t="$thread" '$3 == t' |
	    cmp - <(samples m.bin)
	is "$(model notes m.bin)" "$(model notes both.bin)"
	# Interpreter 0 of each, and none has a 1.
	tach-merge -o m.bin --interp 0 "$W" "$G"
	samples both.bin | cmp - <(samples m.bin)
	tach-merge -o m.bin --interp 1 "$W" "$G"
	is "$(field m.bin samples)" 0
	# Times before they are moved.
	tach-merge -o m.bin --align=clock --since 1s --until 1500ms "$W" "$G"
	tach-merge -o w.bin --since 1s --until 1500ms "$W"
	tach-merge -o g.bin --since 1s --until 1500ms "$G"
	tach-merge -o wg.bin --align=clock w.bin g.bin
	samples m.bin | cmp - <(samples wg.bin)
	(($(field m.bin samples) > 0))
	(($(field m.bin samples) < $(field both.bin samples)))
}

@test "selections and groups" {
	mkdir in
	model many in 150
	tach-merge -o all.bin in/*.bin
	tach-merge -o m.bin --match ':work:' in/*.bin
	samples all.bin | grep ':work:' | cmp - <(samples m.bin)
	is "$(field m.bin samples)" 300
}

# ---- CPython --------------------------------------------------------------

@test "CPython 3.15 reads what was merged" {
	need_python 3.15
	cp "$T/peers/cpython-format.py" "$OUTSIDE"
	tach-merge --layout=cpython -o "$OUTSIDE/m.bin" "$W" "$G" "$N"
	run -0 "${PYTHON[@]}" "$INSIDE/cpython-format.py" read "$INSIDE/m.bin"
	is "${#lines[@]}" "$(field "$OUTSIDE/m.bin" samples)"
	printf '%s\n' "${lines[@]}" | cut -f 1-4 |
	    sort -t $'\t' -k 2,2n -k 3,3n -k 1,1n -k 4,4n >theirs
	"$TACH_BUILDDIR/t/unit/recode" "$OUTSIDE/m.bin" | cut -f 1-4 |
	    sort -t $'\t' -k 2,2n -k 3,3n -k 1,1n -k 4,4n | diff - theirs
}

# ---- stacks and counts that do not fit -----------------------------------

# make_deep FILE: 3 samples with 400 frames, and 2 with 2 of these.
make_deep() {
	python3 - "$T/merge" "$1" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import merge
	deep = tuple(merge.frame('a.py', 'f%d' % i, i) for i in range(400))
	samples = [(k, 0, 1, 1, deep if k < 3 else deep[:2]) for k in range(5)]
	open(sys.argv[2], 'wb').write(merge.encode(samples, notes=('other 1',)))
	END
}

@test "stacks stay whole, and those that CPython does not read are told" {
	make_deep deep.bin
	run -0 --separate-stderr tach-merge --layout=early -o m.bin deep.bin
	is "$stderr" ''
	samples m.bin | cmp - <(samples deep.bin)
	run -0 --separate-stderr tach-merge -o m.bin deep.bin
	is "$stderr" "tach-merge: m.bin: 3 samples have more than 256 frames, and \
CPython reads no such profile: --depth 256 cuts them"
	samples m.bin | cmp - <(samples deep.bin)
	run -0 --separate-stderr tach-merge --until 1us -o m.bin deep.bin
	is "$stderr" "tach-merge: m.bin: 1 sample has more than 256 frames, and \
CPython reads no such profile: --depth 256 cuts them"
}

# ends FILE: of each stack how many frames there are, the outermost and the two
# that follow, and the innermost.
ends() {
	tach-cat "$1" | cut -f 5 |
	    awk -F ';' '{ print NF, $1, $2, $3, $NF }'
}

@test "--depth keeps the innermost frames, below a mark" {
	make_deep deep.bin
	run -0 --separate-stderr tach-merge --depth 256 -o m.bin deep.bin
	is "$stderr" ''
	local cut='256 <truncated> a.py:f145:145 a.py:f146:146 a.py:f399:399'
	local whole='2 a.py:f0:0 a.py:f1:1  a.py:f1:1'
	is "$(ends m.bin)" "$cut
$cut
$cut
$whole
$whole"
	is "$(tach-cat -l m.bin | grep '^#')" \
	    "$(tach-cat -l deep.bin | grep '^#')"
	tach-merge --depth 400 -o same.bin deep.bin
	samples same.bin | cmp - <(samples deep.bin)
	# Of several, and of more than are open at once; samples are chosen by
	# whole stacks.
	run -0 --separate-stderr tach-merge --depth 2 --match f10:10 -o m.bin \
	    deep.bin deep.bin
	is "$stderr" ''
	is "$(ends m.bin)" "$(repeat 6 \
	    '2 <truncated> a.py:f399:399  a.py:f399:399')"
	repeat 70 deep.bin | tach-merge --depth 3 --match f10:10 -o m.bin \
	    --files-from -
	is "$(ends m.bin | sort | uniq -c)" "    210 3 <truncated> \
a.py:f398:398 a.py:f399:399 a.py:f399:399"
	is "$(tach-info m.bin | grep -c '^note:  *input ')" 70
}

@test "--depth: stacks that come and go, in one thread and in another" {
	python3 - "$T/merge" <<-'END'
	import random, sys
	sys.path.insert(0, sys.argv[1])
	import merge
	random.seed(5)
	stack, samples = {1: (), 2: ()}, []
	for k in range(4000):
	    thread = random.choice((1, 2))
	    s = stack[thread]
	    s = s[:random.randrange(len(s) + 1)] if random.random() < .3 else s
	    s += tuple(merge.frame('a.py', 'f', random.randrange(9))
	               for _ in range(random.choice((0, 0, 1, 4))))
	    stack[thread] = s
	    samples.append((k, 0, thread, 1, s))
	mark = merge.decode.Frame('~', '<truncated>', -1, -1, -1, -1, 255)
	cut = [(*rest, s if len(s) <= 7 else (mark, *s[-6:]))
	       for *rest, s in samples]
	assert len({len(s[4]) for s in samples}) > 9
	open('p.bin', 'wb').write(merge.encode(samples))
	open('want.bin', 'wb').write(merge.encode(cut))
	END
	tach-merge --depth 7 -o m.bin p.bin
	samples m.bin | cmp - <(samples want.bin)
	tach-convert --tach --depth 7 -o c.bin p.bin
	samples c.bin | cmp - <(samples want.bin)
}

# ---- the command line ----------------------------------------------------

@test "usage" {
	run -0 --separate-stderr tach-merge --help
	is "${lines[0]}" 'Usage: tach-merge [OPTION]... [FILE]...'
	is "$stderr" ''
	[[ ! $output =~ [^$'\n']{80} ]]
	local long=$output
	run -0 tach-merge -h
	is "$output" "$long"
	run -0 tach-merge -V
	is "$output" "tach-merge $VERSION"
	run -2 --separate-stderr tach-merge --nonsense
	is "$stderr" "tach-merge: unrecognized option '--nonsense'
Try 'tach-merge --help'."
	run -2 --separate-stderr tach-merge --align=end "$W"
	is "$stderr" "tach-merge: no such alignment: end (there are start and clock)
Try 'tach-merge --help'."
	run -2 --separate-stderr tach-merge --layout=mine "$W"
	is "$stderr" "tach-merge: no such layout: mine (there are cpython \
and early)
Try 'tach-merge --help'."
	run -2 --separate-stderr tach-merge --level=0 "$W"
	is "$stderr" "tach-merge: the level 0 is too small
Try 'tach-merge --help'."
	run -2 --separate-stderr tach-merge --depth 1 "$W"
	is "$stderr" "tach-merge: the depth 1 is too small
Try 'tach-merge --help'."
}

@test "a terminal is neither input nor output" {
	need script bsdutils
	run -0 script -qec 'tach-merge; echo $?' /dev/null </dev/null
	is "${output//$'\r'/}" \
	    "tach-merge: no FILE, and standard input is a terminal
Try 'tach-merge --help'.
2"
	run -0 script -qec "tach-merge '$W' '$G'; echo \$?" /dev/null </dev/null
	is "${output//$'\r'/}" \
	    "tach-merge: a profile is no text: standard output is a terminal
Try 'tach-merge --help'.
2"
}

@test "an output that cannot be written" {
	run -1 --separate-stderr tach-merge -o no/such.bin "$W" "$G"
	is "$stderr" 'tach-merge: no/such.bin: No such file or directory'
	[ -c /dev/full ] || skip "no /dev/full here"
	run -1 --separate-stderr bash -c 'tach-merge "$@" >/dev/full' - "$W" "$G"
	is "$stderr" 'tach-merge: standard output: No space left on device'
	run -1 --separate-stderr tach-merge -o /dev/full "$W" "$G"
	is "$stderr" 'tach-merge: /dev/full: No space left on device'
	run -1 --separate-stderr env TMPDIR=/no/such tach-merge "$W" "$G"
	is "$output" ''
	[[ $stderr = "tach-merge: no temporary file"*"/no/such"* ]]
}

@test "no room: an older file stays, and nothing else" {
	echo old >m.bin
	run -1 --separate-stderr bash -c \
	    'ulimit -f 4; trap "" XFSZ; tach-merge -o m.bin --compression none "$@"' \
	    - "$W" "$G"
	is "$stderr" 'tach-merge: m.bin: cannot write: File too large'
	is "$(<m.bin)" old
	is "$(ls)" m.bin
}
