# SPDX-License-Identifier: ISC
# perfetto.bats: what tach-convert --perfetto writes, by a decoder of its own
# (perfetto.py), which keeps to the rules of interned state.  Perfetto's
# trace_processor is not to be had as a package, nor is a description of its
# format that has stack_sample.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# text NAME: a profile of a sample a millisecond, from standard input.
text() {
	{
		printf '# python 3.14.2\n# interval 1000\n'
		cat
	} >"$1"
}

# sample TIME STATUS STACK [THREAD [INTERP]]
sample() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "${5-0}" "${4-1}" "$2" "$3"
}

decoded() {
	tach-convert --perfetto "$@" | "$T/convert/perfetto.py"
}

few() {
	{
		echo '# config 0x1'
		sample 0 gil,cpu 'a.py:main:9' 7
		sample 1000 gil,cpu 'a.py:main:9;a.py:f:3;<GC>' 7
		sample 2000 - 'a.py:main:9;a.py:f:3' 7
		sample 4000 gil,cpu 'a.py:main:9' 7
		sample 500 cpu 'b.py:other:20;<native>' 8 1
		sample 1500 cpu '' 8 1
	} | text p.txt
}

@test "each sample with its thread, its weights and its stack" {
	few
	is "$(decoded p.txt)" "\
source python.wall
counters samples/count wall/nanoseconds
process 1 p.txt
process 2 p.txt
thread 1 7 thread 7
thread 2 8 thread 8, interpreter 1
$(printf '%s\t' 0 1 7 1 1000000)py main a.py:9
$(printf '%s\t' 500000 2 8 1 1000000)py other b.py:20; native <native> ~:0
$(printf '%s\t' 1000000 1 7 1 1000000)py main a.py:9; py f a.py:3; gc <GC> ~:0
$(printf '%s\t' 1500000 2 8 1 1000000)<no frames> ~:0
$(printf '%s\t' 4000000 1 7 1 1000000)py main a.py:9
generations 1
total 5 5 5000000"
}

@test "--idle keep, --weight time, and a selection" {
	few
	decoded --idle keep --weight time p.txt >got
	grep -Fx 'counters wall/nanoseconds samples/count' got
	grep -Fx "$(printf '%s\t' 2000000 1 7 2000000 \
	    1)py main a.py:9; py f a.py:3" got
	grep -Fx 'total 6 7000000 6' got
	decoded --thread 8 p.txt >got
	grep -Fx 'total 2 2 2000000' got
	run -1 grep a.py got
}

@test "no samples" {
	text p.txt </dev/null
	is "$(decoded p.txt)" "source python
counters samples/count wall/nanoseconds
generations 1
total 0"
}

@test "every rare thing" {
	cp "$T/data/odd.bin" .
	decoded --idle keep odd.bin >got
	golden perfetto-odd.txt got
}

@test "the opcode of a sample is a frame" {
	sample 0 cpu 'a.py:f:1:1:0:9:100' | text p.txt
	decoded --opcodes p.txt >got
	grep -P '\tpy f a.py:1; [A-Z_]+ ~:0$' got
}

# Against samples that the test decodes itself.
@test "each sample is where it was" {
	local file seed how
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --perfetto -o out "$file"
		"$T/convert/moments.py" perfetto "$file" out
	done
	for seed in 1 2 3; do
		"$T/convert/moments.py" random $seed | tach-convert --tach -o r.bin -
		tach-convert --perfetto -o out r.bin
		"$T/convert/moments.py" perfetto r.bin out
		tach-convert --perfetto --idle keep --weight time -o out r.bin
		"$T/convert/moments.py" perfetto r.bin out idle time
	done
}

# Each stack has frames that no other one has, a million in all.
@test "what was interned is forgotten, and written anew" {
	python3 - <<-'END' >p.txt
	for n in range(38):
	    print(n, 0, 1 + n % 2, 'cpu',
	          ';'.join([f'p.py:f{n}:{n}'] + ['p.py:g:1'] * 29999), sep='\t')
	END
	decoded p.txt | cut -c 1-30 >got
	grep -Fx 'generations 2' got
	is "$(grep -c 'py f[0-9]* p.py' got)" 38
	is "$(awk '/^total/ { print $2 }' got)" 38
}

@test "numbers of threads that have more than 32 bits" {
	{
		sample 0 cpu a.py:f:1 139716872353600
		sample 0 cpu a.py:f:1 7
		sample 0 cpu a.py:f:1 18446744073709551615 4294967295
	} >p.txt
	is "$(decoded p.txt | grep -E '^(process|thread)')" "\
process 1 p.txt
process 4294967295 p.txt
thread 1 7 thread 7
thread 1 2147483648 thread 139716872353600
thread 4294967295 2147483649 thread 18446744073709551615, interpreter 4294967295"
}

@test "the time of day, and the numbers of processes" {
	{
		echo '# note process 0 4242'
		echo '# note process 2 4242'
		echo '# note process 3 2'
		echo '# note process 4 0'
		echo '# note time 0 1700000000000042'
		for interp in 0 1 2 3 4 5; do
			sample 0 cpu a.py:f:1 7 $interp
		done
	} | text p.txt
	# The third interpreter is of another process of that number.
	is "$(decoded p.txt | grep -E '^(start|process)')" "\
start 1700000000000042000
process 2 p.txt
process 5 p.txt
process 6 p.txt
process 4242 p.txt
process 2147483648 p.txt"
	is "$(decoded p.txt | awk '/^thread/ { print $2, $3 }' |
	    sort -n -k 1,1 -k 2,2)" "\
2 7
5 7
6 7
4242 7
4242 2147483648
2147483648 7"
}

@test "a process is told once, not for each of its threads" {
	{
		sample 0 cpu 'a.py:f:1' 7
		sample 0 cpu 'a.py:f:1' 8
		sample 0 cpu 'a.py:f:1' 9
		sample 0 cpu 'a.py:f:1' 7 1
	} | text once-only.txt
	is "$(tach-convert --perfetto once-only.txt | grep -ao once-only.txt | wc -l)" 2
}

@test "a disk that is full is told" {
	few
	run -1 --separate-stderr tach-convert --perfetto -o /dev/full p.txt
	is "$stderr" "tach-convert: /dev/full: No space left on device"
}
