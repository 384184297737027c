# SPDX-License-Identifier: ISC
# replay.bats: `python3.15 -m profiling.sampling replay` takes what is recorded, in
# every way that there is, and finds the samples that decode.py finds.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	need_python 3.15
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
	THEIRS=("${PYTHON[@]}") THERE=$OUTSIDE SEEN=$INSIDE
	programs=$T/programs
}

teardown() {
	end_started
	drop_shared
}

# ours FILE...: FILE.ours, collapsed stacks as CPython writes them, by decode.py.
ours() {
	python3 - "$T/lib" "$@" <<-'END'
	import collections, os, sys
	sys.path.insert(0, sys.argv[1])
	import decode
	def part(f):
	    line = max(f.line, 0)
	    return (f.func if (f.file, line) == ('~', 0) else
	            '%s:%s:%d' % (os.path.basename(f.file), f.func, line))
	for path in sys.argv[2:]:
	    p = decode.decode(path)
	    stacks = collections.Counter(
	        (s.thread, s.stack) for s in p.samples() if s.stack)
	    lines = collections.Counter()
	    for (thread, stack), n in stacks.items():
	        # CPython leaves out what it adds itself to a program that it starts.
	        parts = [part(f) for f in p.resolve(stack)
	                 if os.path.basename(f.file) != '_sync_coordinator.py']
	        lines[';'.join(['tid:%d' % thread, *parts])] += n
	    with open(path + '.ours', 'w') as f:
	        f.writelines('%s %d\n' % line for line in sorted(
	            lines.items(), key=lambda line: (-line[1], line[0])))
	END
}

# theirs FILE...: FILE.theirs, the same by CPython: by one process, as it takes long
# to start.
theirs() {
	local file
	rm -rf "$THERE/replay"
	mkdir "$THERE/replay"
	cp "$@" "$THERE/replay"
	"${THEIRS[@]}" -c '
import os, sys
from profiling.sampling import cli
os.chdir(sys.argv[1])
for path in sys.argv[2:]:
    sys.argv = ["replay", "replay", "--collapsed", "-o", path + ".theirs", path]
    cli.main()' "$SEEN/replay" "$@" >said 2>&1 || {
		tr '\r' '\n' <said | tail -n 1
		return 1
	}
	mv "$THERE"/replay/*.theirs .
}

# replayed FILE...: each has samples, and both tools find the same ones.
replayed() {
	local file
	theirs "$@"
	ours "$@"
	for file; do
		[ -s "$file.ours" ]
		diff "$file.ours" "$file.theirs"
	done
}

# recorded NAME OPTION... -- COMMAND...: by the default of all else.
recorded() {
	tach-record -q -o "$1.bin" "${@:2}"
}

@test "python3.15 -m profiling.sampling replay" {
	cp "$programs/fib.py" "$OUTSIDE"
	tach-record -q -o "$OUTSIDE/p.bin" -- "${PYTHON[@]}" "$INSIDE/fib.py" 0.5
	"${PYTHON[@]}" -m profiling.sampling replay --collapsed \
	    -o "$INSIDE/collapsed" "$INSIDE/p.bin"
	grep -E '^tid:[0-9]+;fib.py:<module>:[0-9]+;fib.py:fib:[0-9]+.* [0-9]+$' \
	    "$OUTSIDE/collapsed"
}

@test "each version of Python" {
	local tag command last=
	while IFS=$'\t' read -r tag command; do
		[ "${tag%%-*}" != "$last" ] || continue
		last=${tag%%-*}
		use_python "$tag" "$command"
		cp "$programs/fib.py" "$OUTSIDE"
		recorded "$last" -- "${PYTHON[@]}" "$INSIDE/fib.py" 0.2
	done < <(pythons)
	[ -n "$last" ]
	replayed ./*.bin
}

@test "modes, markers, opcodes, rates and forms" {
	host_python 3.13 3.12 3.11
	for mode in wall cpu gil; do
		recorded $mode -m $mode -- "$python" "$programs/gils.py" 0.2
	done
	recorded exception -m exception -- "$python" "$programs/excepts.py" 0.3
	recorded drop --idle drop --threads main -- "$python" \
	    "$programs/gils.py" 0.2
	recorded opcodes --native-markers --opcodes -r 5k -- "$python" \
	    "$programs/callbacks.py" 0.3
	recorded gc --native-markers -- "$python" "$programs/cycles.py" \
	    truth 0.3
	recorded jitter --no-gc --jitter -- "$python" "$programs/gens.py" 0.2
	recorded blocking --blocking -r 200 -- "$python" "$programs/fib.py" 0.2
	recorded none --compression none -- "$python" "$programs/fib.py" 0.2
	recorded level --level 19 -- "$python" "$programs/fib.py" 0.2
	recorded fast -r 20k -- "$python" "$programs/library.py" 0.3
	replayed ./*.bin
	found '<native>' <opcodes.bin.theirs
	found '<GC>' <gc.bin.theirs
}

@test "threads, interpreters" {
	host_python 3.13 3.12
	recorded threads -- "$python" "$programs/threads.py" truth
	recorded interpreters -- "$python" "$programs/interpreters.py" truth
	replayed ./*.bin
}

@test "threads without a GIL" {
	local tag command
	IFS=$'\t' read -r tag command < <(pythons 3.14t 3.13t 3.15t) ||
	    skip "no free-threaded Python here: see t/peers/nogil"
	use_python "$tag" "$command"
	recorded p -- "${PYTHON[@]}" "$programs/threads.py" truth
	replayed p.bin
}

@test "the in-process engine" {
	host_python 3.13 3.12 3.11
	recorded cpu --engine inprocess -- "$python" "$programs/fib.py" 0.3
	recorded wall --engine inprocess -m wall -- "$python" \
	    "$programs/gils.py" 0.3
	replayed ./*.bin
}

@test "callees, reasons of waits, functions of C, and programs without Python" {
	need "${CC%% *}" gcc
	host_python 3.13 3.12 3.11
	local waits=waits-short.py
	cp "$T/record/$waits" .
	recorded callees -- "$python" "$programs/library.py" 0.3
	recorded bare --no-callees -- "$python" "$programs/library.py" 0.3
	recorded waits --waits -- "$python" "$waits" 0.3 >told
	recorded kind --waits=kind -- "$python" "$waits" 0.3 >told
	recorded inwaits --engine=inprocess -m wall --waits -- "$python" "$waits" 0.3 >told
	recorded native --native -- "$python" "$programs/library.py" 0.3
	recorded all --native=all -- "$python" "$programs/library.py" 0.3
	recorded innative --engine=inprocess -m wall --native --waits \
	    -- "$python" "$waits" 0.3 >told
	$CC -O2 -o shares "$T/native/shares.c" -pthread
	recorded plain --native -- ./shares 0.3
	recorded every --native=all --waits --opcodes --depth 256 \
	    -- "$python" "$waits" 0.3 >told
	replayed ./*.bin
	found '<wait>:socket recv 127.0.0.1' <waits.bin.theirs
	found '<wait>:file lock' <kind.bin.theirs
	found 'sock_recv' <innative.bin.theirs
	absent '\.py:' <plain.bin.theirs
}

@test "waits from their begin to their end" {
	host_python 3.13 3.12 3.11
	cp "$T/record/waits-short.py" .
	recorded p --waits=exact -- "$python" waits-short.py 0.5 >told ||
	    skip "no exact waits (root, or CAP_BPF and CAP_PERFMON; Linux 5.18; x86-64)"
	# CPython knows nothing of the status of a switch, and takes it as it is.
	tach-cat p.bin | awk -F '\t' '$4 ~ /0x40/ { n++ } END { print n + 0 }' >switches
	(($(<switches) > 1000))
	replayed p.bin
	found '<wait>:sleep' <p.bin.theirs
}

@test "tasks" {
	need_python 3.14
	cp "$T/record/tasks.py" "$OUTSIDE"
	start "${PYTHON[@]}" "$INSIDE/tasks.py" "$INSIDE/told"
	until_ test -e "$OUTSIDE/told"
	recorded all --async all -d 0.3 -p "$pid"
	recorded running --async running -d 0.3 -p "$pid"
	replayed ./*.bin
}

@test "processes, each and merged; profiles of several Pythons" {
	host_python 3.13 3.12 3.11
	tach-record -q --subprocesses -o q.bin -- "$python" \
	    "$T/record/family.py" fork 0.3
	recorded p --merge -- "$python" "$T/record/family.py" fork 0.3
	tach-merge -o m.bin ./*.bin "$T/data"/cpython315-*.bin
	tach-merge --not-thread 32221 -o n.bin "$T/data/cpython315-gil.bin"
	replayed ./*.bin
}

@test "what is no TACH file, by tach-convert --tach" {
	host_python
	tach-record --text -q -- "$python" "$programs/fib.py" 0.3 |
	    tach-convert --tach -o text.bin
	tach-convert --tach -o austin.bin "$T/data/austin.txt"
	tach-convert --tach -o slots.bin "$T/fuzz/corpus/slots/little-64"
	replayed ./*.bin
	# Its names are no UTF-8, which decode.py does not read.
	tach-convert --tach -o odd.bin "$T/data/odd.bin"
	theirs odd.bin
	[ -s odd.bin.theirs ]
}

@test "a recording that was cut short" {
	host_python
	start tach-record -q -o p.bin -- "$python" "$programs/fib.py" 60
	until_ has_samples p.bin
	kill -KILL "$pid"
	run -0 tach-merge -o whole.bin p.bin
	replayed whole.bin
}

@test "a profile without samples" {
	tach-merge --match '^nothing$' -o p.bin "$T/data/cpython315-gil.bin"
	theirs p.bin
	is "$(<p.bin.theirs)" ''
	found 'Replayed 0 samples' <said
}

# deep OPTION...: records stacks of 1005 frames, and prints how deep the deepest is
# and its outermost frame, without its place.
deep() {
	tach-record "$@" -o p.bin -- "$python" "$T/record/depths.py" 1000 0.5
	tach-cat p.bin | cut -f 5 | awk -F ';' '
		NF > most { most = NF; outermost = $1 }
		END { sub(/.*\//, "", outermost); print most, outermost }'
}

told_whole() {
	deep 2>err >depth
	found -E '^100[56] threading.py:' <depth
	grep -E '^tach-record: p.bin: [0-9]+ samples have more than 256 frames, and CPython reads no such profile: --depth 256 cuts them$' err
	tach-info -s p.bin |
	    grep -E '^deepest-stack: +100[56] \(.* --depth 256 cuts it\)$'
	run -1 theirs p.bin
	[[ $output = *'exceeds capacity 256'* ]]
	# As it is said there, and as it is recorded at once.
	tach-merge --depth 256 -o cut.bin p.bin
	for engine in remote inprocess; do
		deep --depth 256 --engine $engine 2>err >depth
		is "$(<depth)" '256 <truncated>'
		absent 256 <err
		mv p.bin $engine.bin
	done
	replayed cut.bin remote.bin inprocess.bin
	found 'depths.py:down:.*depths.py:innermost' <cut.bin.ours
}

@test "deep stacks stay whole and are told; --depth cuts them to what is taken" {
	host_python 3.13 3.12 3.11
	in_tries 3 told_whole
}

@test "deep stacks of processes: each is told by its name, or the merged one" {
	host_python 3.13 3.12 3.11
	in_tries 3 told_family
}

told_family() {
	local says='[0-9]+ samples have more than 256 frames, and .* --depth 256'
	rm -f p.*
	deep --subprocesses 2>err || [ ! -e p.bin ]
	grep -E "^tach-record: p\.[0-9]+\.bin: $says" err
	deep --merge 2>err >depth
	is "$(grep -cE "$says" err)" 1
	grep -E "^tach-record: p.bin: $says" err
	deep --merge -q 2>err >depth
	is "$(<err)" ''
	deep --merge --depth 256 2>err >depth
	is "$(<depth)" '256 <truncated>'
	absent ' 256 ' <err
	replayed p.bin
}
