# SPDX-License-Identifier: ISC
# native.bats: the modules of functions of C and their addresses, by the notes of a
# profile: in pprof, OTLP and gperftools, after merges and selections, where notes are
# odd, and of a real program, whose names the readers find in its file.

load ../lib/lib.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

A=0123456789abcdef0123

# noted [BASE]: a profile of two modules and a Python, on standard output.
noted() {
	local base=${1-7f0000}
	cat <<-END
	# python 3.14.2
	# interval 1000
	# note module ${base}001000-${base}003000 1000 ${base}000000 $A /lib/a b.so
	# note module 400000-402000 0 0 - /bin/other
	# note module 400000-402000 0 0 -00ff /bin/prog
	# note function $A 1040 f(int)
	# note function -00ff 400100 main
	# note function $A 9999 beyond
	0	0	7	cpu	/bin/prog:main:;p.py:run:3;/lib/a b.so:f(int):
	1000	0	7	cpu	/bin/prog:main:;/lib/a b.so:beyond:
	2000	0	7	cpu	/bin/prog:main:;/lib/a b.so:unknown:;/bin/other:main:
	END
}

# raw FILE: the mappings, and the locations with their addresses, of a pprof profile.
raw() {
	"$T/convert/pprof.py" "$1" >/dev/null
	python3 - "$1" "$T/convert" <<-'END'
	import gzip, sys
	sys.path.insert(0, sys.argv[2])
	sys.argv[1:], file = [], sys.argv[1]
	from wire import decode
	M = {'P': {1: ('t', 'V', True), 2: ('s', 'V', True), 3: ('m', 'M', True),
	     4: ('l', 'L', True), 5: ('f', 'F', True), 6: ('x', 'string', True),
	     9: ('a', 'int', False), 10: ('b', 'int', False), 11: ('c', 'V', False),
	     12: ('d', 'int', False), 14: ('e', 'int', False)},
	     'V': {1: ('a', 'bytes', True)},
	     'M': {n: (k, 'int', False) for n, k in enumerate(
	         'id start limit offset file build a b c'.split(), 1)},
	     'L': {1: ('id', 'int', False), 2: ('m', 'int', False),
	           3: ('address', 'int', False), 4: ('lines', 'N', True)},
	     'N': {1: ('f', 'int', False), 2: ('l', 'int', False),
	           3: ('c', 'int', False)},
	     'F': {1: ('id', 'int', False), 2: ('name', 'int', False),
	           4: ('file', 'int', False)}}
	for k in 'V':
	    M[k] = {n: ('x%d' % n, 'int', False) for n in range(1, 9)}
	M['P'][2] = ('s', 'bytes', True)
	p = decode(gzip.open(file).read(), 'P', M)
	names = {f['id']: p['x'][f['name']] for f in p['f']}
	maps = {m['id']: m for m in p['m']}
	for m in p['m']:
	    print('mapping %s %x-%x %x %s' % (p['x'][m['file']], m['start'], m['limit'],
	                                      m['offset'], p['x'][m['build']]))
	for l in p['l']:
	    print('%s %x %s' % (names[l['lines'][0]['f']], l['address'],
	                        p['x'][maps[l['m']]['file']]))
	END
}

@test "pprof has mappings, build ids and addresses; Python has none" {
	noted >p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	raw p.pb.gz | sort >out
	sort >wanted <<-END
	mapping python3.14 0-0 0 
	mapping /bin/prog 400000-402000 0 
	mapping /lib/a b.so 7f0000001000-7f0000003000 1000 $A
	mapping /lib/a b.so 0-0 0 
	mapping /bin/other 0-0 0 
	main 400100 /bin/prog
	main 0 /bin/other
	run 0 python3.14
	f(int) 7f0000001040 /lib/a b.so
	beyond 0 /lib/a b.so
	unknown 0 /lib/a b.so
	END
	diff wanted out
}

@test "OTLP has the same" {
	need_otlp
	noted >p.txt
	tach-convert --otlp -o p.otlp p.txt
	"$T/convert/otlp.py" p.otlp >/dev/null
	otlp p.otlp >/dev/null
	found "process.executable.build_id.gnu" <p.otlp
	found "$A" <p.otlp
}

@test "gperftools has the addresses and the mapped objects" {
	noted | sed 's/a b\.so/ab.so/' >p.txt
	tach-convert --gperftools -o p.prof p.txt
	tail -n 12 p.prof | grep -a 'r-xp' | sed 's/^0*//; s/-0*/-/; s/r-xp 0*/r-xp /' >out
	found -x '7f0000001000-7f0000003000 r-xp 1000 00:00 0  */lib/ab.so' <out
	found -x '400000-402000 r-xp  *00:00 0  */bin/prog' <out
	# Our own reader finds all names, by the comments.
	tach-convert --collapsed --frame function p.txt | sort >wanted
	tach-convert --collapsed --frame function p.prof | sort >out
	diff <(sed 's/^[^;]*;//' wanted) <(sed 's/^[^;]*;//' out)
	grep -a -q '^# 0x00007f0000001040 f{int}\|^# 0x00007f0000001040 f(int)' p.prof
	grep -a -q '^# 0x0000000000400100 main (/bin/prog' p.prof
	# Words of 32 bits have no room for one of them, a path with a space no place.
	tach-convert --gperftools --word 32 -o q.prof p.txt
	grep -a '^# 0x' q.prof | absent 7f0000001040
	grep -a -q '^# 0x00400100 main' q.prof
	noted >p.txt
	tach-convert --gperftools -o r.prof p.txt
	grep -a '^# 0x' r.prof | absent 7f0000001040
}

@test "notes stay in merges, selections and cuts, and the first mapping counts" {
	noted >a.txt
	noted 7e0000 >b.txt
	tach-merge -o m.bin a.txt b.txt
	tach-convert --pprof -o m.pb.gz m.bin
	raw m.pb.gz >out
	[ "$(grep -c "^mapping /lib/a b.so 7f0000001000.*$A" out)" -eq 1 ]
	absent 7e0000 <out
	found -x 'f(int) 7f0000001040 /lib/a b.so' <out
	tach-merge --depth 2 -o d.bin a.txt
	tach-convert --pprof --not-match beyond -o d.pb.gz m.bin
	raw d.pb.gz | found -x 'main 400100 /bin/prog'
	tach-info d.bin | found -x "module:  */lib/a b.so build-id $A"
	[ "$(tach-info m.bin | grep -c "^module: .*$A")" -eq 2 ]
}

# lined: a profile of functions of which some have lines: of one module, of another one with
# a function of that name, of a header that both have, and of none that is known.
lined() {
	cat <<-END
	# python 3.14.2
	# interval 1000
	# note module 1000-3000 0 0 aa /lib/a.so
	# note module 5000-7000 0 4000 bb /lib/b.so
	# note function aa 1040 f
	# note function bb 1080 f
	# note function bb 10c0 g
	# note source aa /src/a.c
	# note source bb /src/b.c
	# note source aa /src/both.h
	# note source bb /src/both.h
	0	0	7	cpu	p.py:run:3;/src/a.c:f:7
	1000	0	7	cpu	p.py:run:3;/src/b.c:f:7
	2000	0	7	cpu	p.py:run:3;/src/both.h:g:8;/src/c.c:h:9
	3000	0	7	cpu	p.py:run:3;/lib/b.so:g:;/src/a.c:g:5
	END
}

@test "lines of C have the module of their source, and the address of their function" {
	lined >p.txt
	tach-convert --pprof -o p.pb.gz p.txt
	raw p.pb.gz | sort >out
	sort >wanted <<-END
	mapping python3.14 0-0 0 
	mapping /lib/a.so 1000-3000 0 aa
	mapping /lib/b.so 5000-7000 0 bb
	run 0 python3.14
	f 1040 /lib/a.so
	f 5080 /lib/b.so
	g 50c0 /lib/b.so
	g 50c0 /lib/b.so
	g 0 python3.14
	h 0 python3.14
	END
	diff wanted out
	tach-convert --callgrind p.txt >out
	tr '=()' '   ' <out | awk '$1 ~ /^c?(ob|fn)$/ {
		kind = $1
		sub(/^c/, "", kind)
		if ($3 != "")
			names[kind, $2] = $3
		if ($1 == "ob")
			object = names["ob", $2]
		if ($1 == "fn")
			print object, names["fn", $2]
	}' >objects
	for place in '/lib/a.so f' '/lib/b.so f' '/lib/b.so g' 'python h'; do
		found -x "$place" <objects
	done
	tach-convert --gperftools -o p.prof p.txt
	grep -a -q '^# 0x0*1040 f (/src/a.c:7' p.prof
	grep -a -q '^# 0x0*5080 f (/src/b.c:7' p.prof
	tach-info p.txt | absent '^note: *source'
	tach-convert --otlp -o p.otlp p.txt
	found bb <p.otlp
}

@test "a profile without notes, or with odd ones, has no addresses" {
	local -a odd=("module 5-5 0 0 $A /x" "module 5-6 0 $A /x" "module 5-6 0 0 xyz /x"
	    "module 5-6 0 0 $A " "module 11111111111111111-6 0 0 $A /x" "module - /x"
	    "source $A" "source $A " "source xyz /x" "function $A" "function $A 5" "function $A 5 " "function  5 f")
	local note
	for note in "${odd[@]}"; do
		printf '# python 3.14.2\n# note %s\n0\t0\t7\tcpu\t/x:f:\n' "$note" >p.txt
		tach-convert --pprof -o p.pb.gz p.txt
		raw p.pb.gz | found -x 'f 0 /x'
		raw p.pb.gz | absent -v '^mapping [^ ]* 0-0 0 $\|^f'
		tach-info p.txt | found '^note:'
	done
	printf '# python 3.14.2\n0\t0\t7\tcpu\t/x:f:\n' >q.txt
	tach-convert --pprof -o q.pb.gz q.txt
	cmp p.pb.gz q.pb.gz
}

# real: p.bin, a recording of the program `shares`.
real() {
	need "${CC%% *}" gcc
	$CC -O2 -g -Wl,--build-id -o shares "$T/native/shares.c" -pthread
	tach-record --native -q -m cpu -r 1000 -o p.bin -- ./shares 1.5
}

@test "go tool pprof names the functions of a real program by its file" {
	local pprof
	need_pprof
	real
	tach-convert --pprof -o p.pb.gz p.bin
	tach-convert --gperftools -o p.prof p.bin
	sed -i '/^# 0x/d' p.prof
	for pprof in "${PPROFS[@]}"; do
		$pprof -symbolize=none -top p.pb.gz >ours 2>/dev/null
		found 'File: shares' <ours
		$pprof -symbolize=force -top p.pb.gz >theirs 2>/dev/null
		$pprof -top ./shares p.prof >slots 2>/dev/null
		for name in sixty thirty ten; do
			for text in ours theirs slots; do
				found " $name$" <"$text"
			done
		done
	done
}

@test "CPython reads a profile with the notes" {
	need_python 3.15
	real
	cp p.bin "$T/programs/replays.py" "$OUTSIDE/"
	"${PYTHON[@]}" "$INSIDE/replays.py" "$INSIDE/p.bin" | found '"sixty"'
}
