# SPDX-License-Identifier: ISC
# otlp.bats: what tach-convert --otlp writes, by a decoder of its own (otlp.py), by
# protobufjs and the format's published description (otlp.cjs), and as a server
# gets it from curl.

load ../lib/lib.bash
load ../lib/examples.bash
load ../lib/viewers.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_started || :
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
	tach-convert --otlp "$@" | "$T/convert/otlp.py"
}

few() {
	{
		echo '# note thread 0 7 worker'
		sample 0 gil,cpu 'a.py:main:9' 7
		sample 1000 gil,cpu 'a.py:main:9' 7
		sample 2000 - 'a.py:main:9;a.py:f:3:3:4:9:255' 7
		sample 4000 gil,cpu 'a.py:main:9;<GC>' 7
		sample 0 cpu 'a.py:main:9' 8 1
		sample 1000 cpu '' 8 1
	} | text p.txt
}

# sum TYPE: of what was decoded.
sum() {
	awk -v type="$1" '/^total/ && $2 == type { print $3 }' "${@:2}"
}

@test "a profile of each type, with what stacks weigh and attributes" {
	few
	worker='thread.id=7	thread.name=worker'
	main='main a.py:9:0 profile.frame.type=cpython'
	f='f a.py:3:5 profile.frame.type=cpython'
	other='thread.id=8	tach.interp=1'
	is "$(decoded p.txt)" "\
service.name=p.txt
process.runtime.name=cpython
process.runtime.version=3.14.2
telemetry.sdk.name=tach
telemetry.sdk.language=python
telemetry.sdk.version=0.1.0
scope tach 0.1.0
profile samples/count period 1000000 wall/nanoseconds duration 5000000
1	$worker	tach.status=gil,cpu	$main; <GC> :0:0
1	$worker	tach.status=idle	$main; $f
1	$other	tach.status=cpu	<no frames> :0:0
1	$other	tach.status=cpu	$main
2	$worker	tach.status=gil,cpu	$main
total samples 6
profile wall/nanoseconds period 1000000 wall/nanoseconds duration 5000000
1000000	$worker	tach.status=gil,cpu	$main; <GC> :0:0
1000000	$other	tach.status=cpu	<no frames> :0:0
1000000	$other	tach.status=cpu	$main
2000000	$worker	tach.status=gil,cpu	$main
2000000	$worker	tach.status=idle	$main; $f
total wall 7000000
profile cpu/nanoseconds period 1000000 wall/nanoseconds duration 5000000
1000000	$worker	tach.status=gil,cpu	$main; <GC> :0:0
1000000	$other	tach.status=cpu	<no frames> :0:0
1000000	$other	tach.status=cpu	$main
2000000	$worker	tach.status=gil,cpu	$main
total cpu 5000000"
}

# dated: the notes of a process and its time of day.
dated() {
	printf '# note process 0 %s\n# note time 0 %s\n' "$1" "$2"
}

@test "times of day of the profile and of each sample, and the process" {
	{
		dated 4242 1700000000000000
		sample 1000 gil,cpu 'a.py:main:9' 7
		sample 2000 gil,cpu 'a.py:main:9' 7
		sample 4000 - 'a.py:main:9' 7
		sample 5000 gil,cpu 'a.py:main:9' 7
	} | text p.txt
	decoded p.txt >got
	grep -Fx process.pid=4242 got
	found='thread.id=7	tach.status=gil,cpu	main a.py:9:0 profile.frame.type=cpython'
	s=1700000000
	is "$(grep -A 1 '^profile' got)" "\
profile samples/count period 1000000 wall/nanoseconds duration 5000000 at ${s}001000000
1 1 1 at ${s}001000000 ${s}002000000 ${s}005000000	$found
--
profile wall/nanoseconds period 1000000 wall/nanoseconds duration 5000000 at ${s}001000000
1000000 2000000 1000000 at ${s}001000000 ${s}002000000 ${s}005000000	$found
--
profile cpu/nanoseconds period 1000000 wall/nanoseconds duration 5000000 at ${s}001000000
1000000 2000000 1000000 at ${s}001000000 ${s}002000000 ${s}005000000	$found"
	# No samples.
	dated 4242 1700000000000000 | text q.txt
	decoded q.txt >got
	grep -Fx process.pid=4242 got
	grep -Fx "profile wall/nanoseconds period 1000000 wall/nanoseconds duration 0 at ${s}000000000" got
}

@test "several processes: an attribute of samples, each on its own clock" {
	{ dated 11 1700000000000000; sample 0 cpu a.py:f:1; } | text a.txt
	{ dated 12 1700000001000000; sample 500000 cpu a.py:f:1; } | text b.txt
	sample 0 cpu a.py:f:1 | text none.txt
	tach-merge -o m.bin a.txt b.txt
	decoded m.bin >got
	run -1 grep '^process.pid' got
	is "$(sed -n '/^profile samples/,/^total/p' got | cut -f 1-3)" "\
profile samples/count period 1000000 wall/nanoseconds duration 1501000000 at 1700000000000000000
1 at 1700000000000000000	thread.id=1	process.pid=11
1 at 1700000001500000000	thread.id=1	tach.interp=1
total samples 2"
	is "$(grep -c 'process.pid=12' got)" 3
	# One of them has no time of day: there is none of any.
	tach-merge -o m.bin a.txt none.txt
	decoded m.bin >got
	run -1 grep ' at ' got
	is "$(grep -c 'process.pid=11' got)" 3
}

@test "more than 20 MiB: no times of single samples" {
	local n
	for n in 900000 1100000 1400000; do
		{
			dated 5 1700000000000000
			awk -v n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++)
			    print i * 1000, 0, 1, "gil", "a.py:f:1" }'
		} | text p.txt
		tach-convert --otlp -o p.otlp p.txt
		decoded p.txt >got
		is "$(sum samples got)" $n
		is "$(sum wall got)" ${n}000000
		stat -c %s p.otlp
		awk '/^profile/ { exit 1 - / at 1700000000000000000$/ }' got
		case $n in
		900000) (($(stat -c %s p.otlp) <= 20 << 20))
			awk -F '\t' '/thread.id/ { exit $1 !~ / at / }' got ;;
		*) (($(stat -c %s p.otlp) < 1000))
			run -1 grep -q 'at .*thread.id' got ;;
		esac
	done
}

@test "the first profile follows --weight and the recording's mode" {
	few
	is "$(decoded --weight time p.txt | grep ^total | xargs)" \
	    "total wall 7000000 total samples 6 total cpu 5000000"
	sed '1i# config 0x2' p.txt >cpu.txt
	is "$(decoded --weight time cpu.txt | grep ^total | xargs)" \
	    "total cpu 5000000 total samples 6 total wall 7000000"
	sample 0 cpu,unknown p.py:f:1 | text p.txt
	is "$(decoded p.txt | grep ^total | xargs)" \
	    "total samples 1 total wall 1000000"
}

@test "a selection, an opcode, and no samples" {
	few
	is "$(decoded --thread worker --match 'f:3' p.txt | sum samples)" 1
	sample 0 cpu 'a.py:f:1:1:0:9:100' | text q.txt
	decoded --opcodes q.txt | grep -P 'cpython; [A-Z_]+ :0:0$'
	text q.txt </dev/null
	is "$(decoded q.txt | tail -n +8)" "\
profile samples/count period 1000000 wall/nanoseconds duration 0
total samples 0
profile wall/nanoseconds period 1000000 wall/nanoseconds duration 0
total wall 0"
}

@test "every rare thing" {
	cp "$T/data/odd.bin" .
	decoded odd.bin >got
	golden otlp-odd.txt got
}

# Each stack has as many as --collapsed has of all threads.
@test "every sample counts" {
	local file
	for file in "$T"/data/cpython315-*.bin; do
		tach-convert --otlp -o p.otlp "$file"
		"$T/convert/otlp.py" --collapsed p.otlp | LC_ALL=C sort >got
		tach-convert --collapsed --frame austin "$file" | awk '{
			n = $NF
			sub(/^P0;T[^;]*;/, "")
			sub(/ [0-9]+$/, "")
			sum[$0] += n
		}
		END { for (stack in sum) print stack, sum[stack] }' |
		    LC_ALL=C sort | diff - got
	done
}

@test "the published format: protobufjs finds the same" {
	need_otlp
	local file
	few
	{ dated 77 1700000000000000; cat p.txt; } >dated.txt
	for file in p.txt dated.txt "$T"/data/*.bin; do
		tach-convert --otlp -o p.otlp "$file" 2>/dev/null
		otlp p.otlp | LC_ALL=C sort >got
		"$T/convert/otlp.py" p.otlp | LC_ALL=C sort | diff - got
	done
}

# The command of tach-formats(7), but for its port.
@test "curl posts it to a server, which decodes it" {
	need_otlp
	need curl
	local command
	while read -r -d $'\001' command; do
		[[ $command != *'| curl '* ]] || break
	done < <(page_commands "$TACH_SRCDIR/man/tach-formats.7")
	cp "$T/data/cpython315-gil.bin" p.bin
	start otlp >said
	until_ test -s said
	run -0 bash -o pipefail -c "${command/4318/$(head -n 1 said)}"
	wait "$pid"
	is "$(sum samples said)" "$(tach-convert --collapsed p.bin |
	    awk '{ n += $NF } END { print n }')"
	tail -n +2 said | LC_ALL=C sort >got
	decoded p.bin | LC_ALL=C sort | diff - got
}

@test "deep stacks, of many functions" {
	python3 - <<-'END' >p.txt
	for n in range(20000):
	    print(n, 0, 1, '-', 'p.py:f%d:%d' % (n, n), sep='\t')
	print(20000, 0, 1, '-', ';'.join(f'p.py:g{n}:1' for n in range(10000)),
	      sep='\t')
	END
	decoded p.txt >got
	is "$(sum samples got)" 20001
	is "$(awk -F '; ' '/^1\t/ { print NF }' got | sort -n | tail -n 1)" 10000
}

@test "a disk that is full is told" {
	run -1 --separate-stderr bash -c \
	    'exec tach-convert --otlp "$1" >/dev/full' - \
	    "$T/data/cpython315-wall.bin"
	is "$stderr" "tach-convert: standard output: No space left on device"
}
