# SPDX-License-Identifier: ISC
# tach-convert --pstats: what Python's pstats module makes of it.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Recursion of one function and of two, one line of two functions, a frame
# without a line, a sample without frames, two threads.
profile() {
	printf '%s\n' '# tach 1' '# interval 2000' \
	    $'0\t0\t7\tgil\t/x/a.py:main:9:;/x/a.py:fib:4;/x/a.py:fib:4;/x/a.py:fib:3' \
	    $'2000\t0\t7\tgil\t/x/a.py:main:8:;/x/a.py:a:12;/x/b.py:b:5;/x/a.py:a:11' \
	    $'4000\t0\t7\tgil\t/x/a.py:main:8:;<GC>' \
	    $'5000\t0\t8\tgil\t/x/a.py:fib:4' \
	    $'12000\t0\t7\tgil\t' | sed 's/:;/;/'
}

# load FILE: prints the dictionary, in the order of the file.
load_pstats() {
	"$python" - "$1" <<-'END'
	import marshal, sys
	for k, v in marshal.load(open(sys.argv[1], 'rb')).items():
	    print(k, v[:4])
	    for c in v[4].items():
	        print('   ', *c)
	END
}

@test "--pstats: self and total samples, once each, and callers" {
	host_python
	profile | tach-convert --pstats -o p.pstats
	is "$(load_pstats p.pstats)" "\
('/x/a.py', 8, 'main') (0, 3, 0.0, 0.006)
('/x/a.py', 3, 'fib') (2, 2, 0.004, 0.004)
    ('/x/a.py', 8, 'main') (1, 0, 0.0, 0.002)
    ('/x/a.py', 3, 'fib') (1, 1, 0.002, 0.002)
('/x/a.py', 11, 'a') (1, 1, 0.002, 0.002)
    ('/x/a.py', 8, 'main') (1, 0, 0.0, 0.002)
    ('/x/b.py', 5, 'b') (1, 1, 0.002, 0.002)
('/x/b.py', 5, 'b') (0, 1, 0.0, 0.002)
    ('/x/a.py', 11, 'a') (1, 0, 0.0, 0.002)
('~', 0, '<GC>') (1, 1, 0.002, 0.002)
    ('/x/a.py', 8, 'main') (1, 1, 0.002, 0.002)
('~', 0, '<no frames>') (1, 1, 0.002, 0.002)"
}

# Of thread 7's samples the third one stands for 8 ms.
@test "--pstats --weight=time: seconds are the time to the next sample" {
	host_python
	profile | tach-convert --pstats --weight=time -o p.pstats
	is "$(load_pstats p.pstats | grep '^(')" "\
('/x/a.py', 8, 'main') (0, 3, 0.0, 0.012)
('/x/a.py', 3, 'fib') (2, 2, 0.004, 0.004)
('/x/a.py', 11, 'a') (1, 1, 0.002, 0.002)
('/x/b.py', 5, 'b') (0, 1, 0.0, 0.002)
('~', 0, '<GC>') (1, 1, 0.008, 0.008)
('~', 0, '<no frames>') (1, 1, 0.002, 0.002)"
}

@test "--pstats: without an interval a sample is a second" {
	host_python
	profile | sed /interval/d | tach-convert --pstats -o p.pstats
	is "$(load_pstats p.pstats | head -n 1)" \
	    "('/x/a.py', 8, 'main') (0, 3, 0.0, 3.0)"
}

@test "--pstats of real recordings is what counting sample by sample gives" {
	host_python
	local name
	for name in wall gil opcodes none; do
		tach-convert --pstats -o p.pstats "$T/data/cpython315-$name.bin"
		tach-cat "$T/data/cpython315-$name.bin" |
		    "$python" "$T/convert/calls.py" pstats p.pstats 0.0005
	done
	tach-convert --pstats -o p.pstats "$T/data/cpython315-wall.bin"
	run -1 "$python" "$T/convert/calls.py" pstats p.pstats 0.0005 < <(
	    tach-cat "$T/data/cpython315-gil.bin")
}

# CPython's keys have the line that runs; a function's are ours.
@test "--pstats has CPython's own samples and seconds" {
	need_python 3.15
	cp "$T/data/cpython315-wall.bin" "$OUTSIDE/w.bin"
	"${PYTHON[@]}" -m profiling.sampling replay --pstats \
	    -o "$INSIDE/c.pstats" "$INSIDE/w.bin" >/dev/null
	tach-convert --pstats -o "$OUTSIDE/t.pstats" "$OUTSIDE/w.bin"
	"${PYTHON[@]}" - "$INSIDE/c.pstats" "$INSIDE/t.pstats" <<-'END'
	import marshal, sys
	from collections import Counter
	def load(path):
	    d = marshal.load(open(path, 'rb'))
	    d.pop(('__sampled__',), None)
	    samples, seconds = Counter(), Counter()
	    for (file, _, func), v in d.items():
	        samples[file, func] += v[0]
	        seconds[file, func] += v[2]
	    return samples, seconds
	(want, want_s), (got, got_s) = load(sys.argv[1]), load(sys.argv[2])
	assert want == got and sum(got.values()) == 11707
	assert all(abs(want_s[k] - got_s[k]) < 1e-9 for k in want_s)
	END
}

@test "every Python at hand reads --pstats" {
	tach-convert --pstats -o p.pstats "$T/data/cpython315-wall.bin"
	tach-convert --pstats -o o.pstats "$T/data/odd.bin"
	local tag command n=0
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp p.pstats o.pstats "$OUTSIDE"
		run -0 "${PYTHON[@]}" - "$INSIDE" <<-'END'
		import pstats, sys
		s = pstats.Stats(sys.argv[1] + '/p.pstats')
		s.sort_stats('cumtime').print_stats(3)
		s.print_callers('Shop.price')
		s.print_callees('genexpr')
		s.strip_dirs().sort_stats('tottime').print_stats()
		s.add(sys.argv[1] + '/p.pstats')
		sys.stdout = open(1, 'w', encoding='utf-8', closefd=False)
		pstats.Stats(sys.argv[1] + '/o.pstats').print_stats()
		END
		[[ $output == *"53762 function calls (11707 primitive calls) in 5.854 seconds"* ]]
		[[ $output == *"9655/5818    2.909    0.000    4.827    0.001 "*"threading.py:1160(Thread.run)"* ]]
		[[ $output == *"shop.py:12(Shop.price)  <-     101    0.051    0.051  /srv/shop/shop.py:9(Shop.order.<locals>.<genexpr>)"* ]]
		[[ $output == *"{no frames}"* ]]
		n=$((n + 1))
	done < <(pythons 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15)
	[ "$n" -gt 0 ] || skip "no Python here: see t/peers/"
}

# They would be one key, of which the last would win.
@test "--pstats: names that are the same once they are UTF-8 are one" {
	host_python
	printf '0\t0\t7\t-\tx\\377:f:%d\n' 3 | sed p | sed '2s/377/376/
	    2s/^0/1/' | tach-convert --pstats -o p.pstats
	is "$(load_pstats p.pstats)" "('x�', 3, 'f') (2, 2, 2.0, 2.0)"
}

@test "--pstats of a name of a megabyte, and of no sample" {
	host_python
	printf '0\t0\t7\t-\t%01000000d:f:3\n' 0 |
	    tach-convert --pstats -o p.pstats
	is "$(load_pstats p.pstats | wc -c)" 1000030
	tach-convert --pstats -o p.pstats --thread 1 "$T/data/odd.bin"
	is "$(load_pstats p.pstats)" ""
}

@test "--pstats says why it cannot be written" {
	run -1 --separate-stderr tach-convert --pstats -o /dev/full \
	    "$T/data/odd.bin"
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}
