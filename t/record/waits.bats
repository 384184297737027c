# SPDX-License-Identifier: ISC
# waits.bats: the reasons for which threads are blocked.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	shopt -s extglob
}

teardown() {
	end_started
	drop_quota
	drop_shared
}

# reasons: of the stacks on stdin, each thread's name and its reason, or "-".
reasons() {
	awk '
	function end() { if (name != "") print name "\t" reason; name = "" }
	/^thread / {
		end()
		name = $3
		gsub(/[":]/, "", name)
		reason = "-"
		first = 1
		next
	}
	first && / \(<wait>\)$/ { sub(/^ */, ""); sub(/ \(<wait>\)$/, ""); reason = $0 }
	{ first = 0 }
	END { end() }'
}

# same_reasons FILE: has the reasons that the program has told, which are patterns.
same_reasons() {
	local name wanted seen bad=0
	while IFS=$'\t' read -r name wanted; do
		[ "$name" != end ] || continue
		seen=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' "$1")
		# shellcheck disable=SC2053
		[[ $seen == $wanted ]] || {
			echo "$name: $seen, not $wanted"
			bad=1
		}
	done <told
	return "$bad"
}

# begin SCRIPT: starts a program that tells reasons to ./told.
begin() {
	cp "$T/record/$1" "$OUTSIDE"
	start "${PYTHON[@]}" "$INSIDE/$1" >told
	until_ grep -q '^end' told
}

dump_has_reasons() {
	tach-record --dump -p "$pid" | reasons >seen
	same_reasons seen
}

# dumped MINOR: each thread's reason, as the program tells it; of the builds of that
# Python one in turn.
dumped() {
	local tag command
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		begin waits.py
		(($(wc -l <told) >= 48))
		in_tries 3 dump_has_reasons
		end_started || :
	done < <(pythons "$1" | in_turn)
}

@test "--dump tells each reason to be blocked: 3.6" { dumped 3.6; }
@test "--dump tells each reason to be blocked: 3.7" { dumped 3.7; }
@test "--dump tells each reason to be blocked: 3.8" { dumped 3.8; }
@test "--dump tells each reason to be blocked: 3.9" { dumped 3.9; }
@test "--dump tells each reason to be blocked: 3.10" { dumped 3.10; }
@test "--dump tells each reason to be blocked: 3.11" { dumped 3.11; }
@test "--dump tells each reason to be blocked: 3.12" { dumped 3.12; }
@test "--dump tells each reason to be blocked: 3.13" { dumped 3.13; }
@test "--dump tells each reason to be blocked: 3.14" { dumped 3.14; }
@test "--dump tells each reason to be blocked: 3.15" { dumped 3.15; }
@test "--dump tells each reason to be blocked: 3.13t" { dumped 3.13t; }
@test "--dump tells each reason to be blocked: 3.14t" { dumped 3.14t; }
@test "--dump tells each reason to be blocked: 3.15t" { dumped 3.15t; }

@test "--dump --waits=kind has no paths and peers, and --waits=none no reasons" {
	need_python 3.11
	begin waits.py
	tach-record --dump --waits=kind -p "$pid" | reasons >seen
	is "$(grep -E '^(accept|flock|recv|waitpid)\b' seen | cut -f 2 | sort)" \
	    "child
file lock
socket accept
socket recv"
	tach-record --dump --waits=none -p "$pid" | absent '<wait>'
}

@test "names of files and peers that are no text leave a reason that is" {
	need_python 3.11
	begin waits-strange.py
	in_tries 3 dump_has_reasons
}

@test "a process that changes its descriptors all the time is recorded" {
	need_python 3.11
	begin waits-strange.py
	tach-record -q --waits -r 5k -d 1 -p "$pid"
	run -0 tach-convert --collapsed tach.bin
	found -F '<wait>:signal' <<<"$output"
	absent $'[\001-\011\013-\037]' <<<"$output"
}

# busy.py: two threads take turns at the GIL, one writes to the disk, one receives, and
# the main thread sleeps, for 2 s.
make_busy() {
	cat >busy.py <<-'E'
		import os, socket, sys, tempfile, threading, time
		def burns():
		    while True:
		        sum(range(1000))
		def writes():
		    with tempfile.NamedTemporaryFile(dir=sys.argv[1], prefix='written-') as f:
		        while True:
		            f.write(b'x' * 65536)
		            f.flush()
		            os.fsync(f.fileno())
		def receives():
		    pair[0].recv(1)
		pair = socket.socketpair()
		for f in burns, burns, writes, receives:
		    threading.Thread(target=f, daemon=True).start()
		def rests():
		    time.sleep(2)
		rests()
	E
}

# share FILE FUNCTION REASON: of the samples in the function, how many per cent have a
# reason that begins so.
share() {
	tach-convert --collapsed "$1" | awk -v f="$2" -v wanted="<wait>:$3" '
	{
		n = $NF
		sub(/ [0-9]+$/, "")
		depth = split($0, frames, ";")
		reason = frames[depth] ~ /^<wait>:/ ? frames[depth--] : ""
		if (frames[depth] ~ /^<built-in>:/) depth--
		split(frames[depth], part, ":")
		if (part[2] != f) next
		all += n
		if (index(reason, wanted) == 1) some += n
	}
	END { printf "%d\n", all ? 100 * some / all : -1 }'
}

has_shares() {
	tach-record -q --waits -o full.bin -- "$python" busy.py "$PWD"
	(($(share full.bin rests sleep) >= 80))
	(($(share full.bin receives "socket recv") >= 95))
	(($(share full.bin burns GIL) >= 15))
	(($(share full.bin writes "disk $PWD/written-") >= 1))
}

@test "a recording has the reasons of waits, with their shares" {
	host_python 3.11 3.12 3.13
	make_busy
	in_tries 3 has_shares
}

@test "--waits=kind has no paths and peers, and --waits=none no reasons" {
	host_python 3.11 3.12 3.13
	make_busy
	tach-record -q --waits=kind -o kind.bin -- "$python" busy.py "$PWD"
	tach-convert --collapsed kind.bin | grep -o '<wait>:.*' >reasons
	found '^<wait>:disk:' <reasons
	absent 'written' <reasons
	tach-record -q --waits=none -o none.bin -- "$python" busy.py "$PWD"
	tach-convert --collapsed none.bin | absent '<wait>'
}

# waits_of_calls OPTION...: of a recording without --waits, waits in calls have their kind,
# and threads that wait for the GIL or a CPU are where they are.
waits_of_calls() {
	tach-record -q "$@" -o calls.bin -- "$python" busy.py "$PWD"
	(($(share calls.bin rests sleep:) >= 60))
	(($(share calls.bin receives "socket recv:") >= 90))
	(($(share calls.bin burns "") == 0))
	tach-convert --collapsed calls.bin | absent -E '<wait>:(GIL|no CPU)|written'
	tach-cat --status gil-wanted calls.bin | found -E ':burns:[0-9]+'
}

@test "without --waits, waits in calls have their kind: not the GIL, not a CPU" {
	host_python 3.11 3.12 3.13
	make_busy
	in_tries 3 waits_of_calls
	in_tries 3 waits_of_calls --engine=inprocess -m wall
}

@test "without --waits, a mode that keeps no thread that waits has no reasons" {
	host_python 3.11 3.12 3.13
	make_busy
	for options in '-m cpu' '-m gil' --engine=inprocess; do
		# shellcheck disable=SC2086
		tach-record -q $options -o ran.bin -- "$python" busy.py "$PWD"
		tach-convert --collapsed ran.bin >stacks
		found ':burns:' <stacks
		absent '<wait>' <stacks
	done
}

has_shares_inprocess() {
	tach-record -q --engine=inprocess -m wall --waits -o in.bin -- \
	    "$python" busy.py "$PWD"
	(($(share in.bin rests sleep) >= 60))
	(($(share in.bin receives "socket recv") >= 90))
}

# The program tells for how many ms it had a CPU in spins().
has_cpu_time() {
	local ran cpu taken seen
	tach-record -q --waits -o spins.bin -- bash -c '
		echo $$ >"$1/cgroup.procs"
		exec "$2" spins.py' - "$QUOTA" "$python" >ran
	ran=$(cat ran)
	cpu=$(tach-convert --collapsed spins.bin | awk '
		/:spins:[0-9]*(;<built-in>:[^;]*)? [0-9]+$/ { n += $NF }
		END { print n + 0 }')
	echo "ran for $ran ms, $cpu samples with a CPU"
	((ran * 10 > cpu * 7 && ran * 7 < cpu * 10))
	(($(share spins.bin spins "no CPU") >= 60))
	taken=$(awk '/^throttled_time/ { print int($2 / 1e6) }
	    /^throttled_usec/ { print int($2 / 1e3) }' "$QUOTA/cpu.stat")
	seen=$(tach-convert --collapsed spins.bin | awk '
		/<wait>:no CPU \(throttled\):/ { n += $NF }
		END { print n + 0 }')
	echo "throttled for $taken ms, $seen samples"
	# On a busy machine others have the CPU for longer.
	((seen >= 20 && seen <= taken + 500))
}

@test "the time without a CPU has a reason, while the kernel takes the rounds" {
	need_interrupts
	host_python 3.11 3.12 3.13
	quota 10
	cat >spins.py <<-'E'
		import time
		def spins():
		    begin = time.process_time()
		    while time.monotonic() < end:
		        sum(range(100))
		    return round(1000 * (time.process_time() - begin))
		end = time.monotonic() + 3
		print(spins())
	E
	in_tries 3 has_cpu_time
}

@test "in-process, waits that go on for long have reasons" {
	host_python 3.11 3.12 3.13
	make_busy
	in_tries 3 has_shares_inprocess
}

# reasons_of FILE: of each function that told has, its reasons, "-" for none, and their
# samples.
reasons_of() {
	tach-convert --collapsed "$1" | awk '
	NR == FNR { told[$1] = 1; next }
	{
		n = $NF
		sub(/ [0-9]+$/, "")
		depth = split($0, frames, ";")
		reason = "-"
		if (frames[depth] ~ /^<wait>:/) {
			reason = frames[depth--]
			sub(/^<wait>:/, "", reason)
			sub(/:[0-9]*$/, "", reason)
		}
		for (; depth > 0; depth--) {
			split(frames[depth], part, ":")
			if (part[1] ~ /waits-short.py$/ && part[2] in told) {
				samples[part[2] "\t" reason] += n
				break
			}
		}
	}
	END { for (each in samples) print each "\t" samples[each] }' FS='\t' told FS=' ' -
}

# each_reason FILE: each wait that goes on in a function has the reason that was told, or
# no such detail in a quarter of the samples at most; those of the GIL and of the thread's
# own work do not count.  On a busy machine a thread is asked late what it calls.
each_reason() {
	local name wanted function reason n right other bad=0
	reasons_of "$1" >seen
	while IFS=$'\t' read -r name wanted; do
		right=0 other=0
		while IFS=$'\t' read -r function reason n; do
			[ "$function" = "$name" ] || continue
			# shellcheck disable=SC2053
			if [[ $reason == $wanted ]]; then
				((right += n))
			elif [[ $reason == @(lock|socket recv|socket accept|poll of socket*) ]]; then
				((other += n))
			elif [[ $reason != @(-|GIL|no CPU*|stop of the world|memory|page fault|lock dict) ]]
			then
				echo "$name: $reason, not $wanted: $n"
				bad=1
			fi
		done <seen
		((right >= 10 && right >= 3 * other)) || {
			echo "$name: $right with $wanted, $other with less"
			bad=1
		}
	done <told
	return "$bad"
}

# each_python FUNCTION: it passes by a few Pythons of this system's, or by one in turn.
each_python() {
	local tag command
	host_python 3.8 3.11 3.13 3.14t
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		python=$command
		in_tries 3 "$1"
	done < <(pythons 3.8 3.11 3.13 3.14t | grep -v chroot | in_turn)
}

has_each_reason_inprocess() {
	cp "$T/record/waits-short.py" .
	tach-record -q --engine=inprocess -m wall --waits -o in.bin -- \
	    "$python" waits-short.py >told
	[ "$(wc -l <told)" -ge 23 ]
	each_reason in.bin
}

@test "in-process, waits of 5 ms have their reasons" {
	each_python has_each_reason_inprocess
}

has_each_reason_outside() {
	cp "$T/record/waits-short.py" .
	tach-record -q -r 2k --waits -o out.bin -- "$python" waits-short.py >told
	each_reason out.bin
}

@test "from outside, waits of 5 ms have their reasons, and no other ones" {
	each_python has_each_reason_outside
}

@test "in-process, a wait of a path or a peer has no such thing with --waits=kind" {
	host_python 3.11 3.12 3.13
	cp "$T/record/waits-short.py" .
	tach-record -q --engine=inprocess -m wall --waits=kind -o in.bin -- \
	    "$python" waits-short.py 1 >told
	reasons_of in.bin >seen
	found '^recv	socket recv	' <seen
	found '^flock	file lock	' <seen
	found '^waitpid	child	' <seen
	absent -E '127\.0\.0\.1|/locked|child [0-9]' <seen
}

@test "in-process, --native has the reason of a short wait above the frames of C" {
	host_python 3.11 3.12 3.13
	cp "$T/record/waits-short.py" .
	tach-record -q --engine=inprocess -m wall --waits --native -o in.bin -- \
	    "$python" waits-short.py 1 >told
	tach-convert --collapsed in.bin >stacks
	found ':recv:.*sock_recv.*;<wait>:socket recv 127\.0\.0\.1:[0-9]*:0 [0-9]*$' <stacks
}

@test "another user than root has the reasons of its own command" {
	need_root
	need setpriv util-linux
	host_python 3.11 3.12 3.13
	make_busy
	(
		cd /
		setpriv --reuid=65534 --clear-groups tach-record -q --waits -o - -- \
		    "$python" -c "$(cat "$OLDPWD/busy.py")" /tmp
	) >own.bin
	(($(share own.bin rests sleep) >= 80))
}

# wants_gil [OPTION...]: the threads of gils.py that take turns at the GIL wait for it, and for
# no lock.
wants_gil() {
	local gil lock
	tach-record -q --waits "$@" -o gils.bin -- "${PYTHON[@]}" "$INSIDE/gils.py" 1
	tach-convert --collapsed gils.bin | grep ':hog:' >stacks
	gil=$(awk '/<wait>:GIL:/ { n += $NF } END { print n + 0 }' stacks)
	lock=$(awk '/<wait>:lock/ { n += $NF } END { print n + 0 }' stacks)
	echo "$*: GIL $gil, lock $lock"
	((gil > 100 && lock * 50 <= gil))
}

gil_is_known() {
	cp "$T/programs/gils.py" "$OUTSIDE"
	in_tries 3 wants_gil
	in_tries 3 wants_gil --engine=inprocess --mode=wall
}

# There each thread waits at a word of its own.
@test "a wait for the GIL is known on musl, from outside and in-process" {
	need_python 3.14-musl
	use_python 3.14-musl "$(pythons 3.14 | awk -F '\t' '$1 == "3.14-musl" { print $2 }')"
	gil_is_known
}

# There the GIL is no struct.
@test "a wait for the GIL is known of 3.6, from outside and in-process" {
	local tag command
	host_python 3.6
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		gil_is_known
	done < <(pythons 3.6 | grep -v chroot)
}
