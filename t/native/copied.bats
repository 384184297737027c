# SPDX-License-Identifier: ISC
# copied.bats: stacks of C that an interrupt has copied, of threads that run.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	[ "$(uname -m)" = x86_64 ] || skip "where registers lie is known of x86-64 alone"
	need_interrupts
	host_python 3.11 3.12 3.13
}

teardown() {
	end_started
	drop_shared
}

# not_exact PROFILE: per cent of its stacks that are not.
not_exact() {
	tach-info "$1" | awk '/ native stacks=/ { gsub(/[a-z]*=/, ""); n = $3; whole = $4 }
		END { print (n > 0 ? 100 - 100 * whole / n : 100) }'
}

# seizes: how often a thread was stopped in the last three seconds that strace saw.  Before
# them the programs may not be loaded yet.
seizes() {
	awk -v now="$(date +%s)" '$2 > now - 3 && /PTRACE_SEIZE/ { n++ }
		END { print n + 0 }' calls
}

few_are_stopped() {
	strace --seccomp-bpf -f -ttt -o calls -e trace=ptrace \
	    tach-record -q --native -r 200 -d 6 -p "$pid" -o p.bin
	seizes >stops
	tach-convert --jsonl p.bin | python3 "$T/native/recorded.py" edges >counts
	echo "$(cat counts); stops: $(cat stops); $(not_exact p.bin) % not exact"
	grep ' 0 wrong,' counts
	awk -v n="$(not_exact p.bin)" 'BEGIN { exit n > 1 }'
	awk -v stops="$(cat stops)" '{ exit stops > $1 / 20 }' counts
}

@test "threads that run, and take turns, are copied with their stacks of C" {
	need strace
	cp "$T/programs/mixed.py" .
	"$python" mixed.py --edges >edges
	start "$python" mixed.py >told
	until_ grep -q ready told
	in_tries 3 few_are_stopped
}

# stacks: a program whose functions of C spin on other stacks, and deep on this one.
stacks() {
	cat >stacks.c <<-'END'
		#include <signal.h>
		#include <stddef.h>
		#include <sys/mman.h>

		#define SIZE 65536
		#define SMALL 8192
		#define SPINS 60000000

		volatile unsigned long spins;

		__attribute__((noinline)) void
		spin(int signal)
		{
			for (unsigned long i = 0; i < SPINS; i++)
				spins += i;
			spins += (unsigned long)signal;
		}

		/* At the end of a mapping of which no other page is there, or at its
		 * beginning. */
		__attribute__((noinline)) void
		spin_elsewhere(int at_end)
		{
			char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			stack_t there = {.ss_sp = at_end ? p + SIZE - SMALL : p,
			    .ss_size = at_end ? SMALL : SIZE};
			struct sigaction act = {.sa_handler = spin, .sa_flags = SA_ONSTACK};

			if (at_end)
				mprotect(p, SIZE - SMALL, PROT_NONE);
			sigaltstack(&there, NULL);
			sigaction(SIGUSR1, &act, NULL);
			raise(SIGUSR1);
			munmap(p, SIZE);
		}

		__attribute__((noinline)) void
		spin_deep(int kib)
		{
			volatile char room[1024];

			room[0] = 1;
			if (kib > 0)
				spin_deep(kib - 1);
			else
				spin(0);
			room[1] = 2;
		}
	END
	$CC -O1 -fno-optimize-sibling-calls -shared -fPIC -o stacks.so stacks.c
	cat >stacks.py <<-'END'
		import ctypes
		c = ctypes.CDLL('./stacks.so')

		def below():
		    c.spin_elsewhere(0)

		def at_the_end():
		    c.spin_elsewhere(1)

		def deep():
		    c.spin_deep(60)

		def shallow():
		    c.spin_deep(10)

		print('ready', flush=True)
		while True:
		    for f in below, at_the_end, deep, shallow:
		        for i in range(3):
		            f()
	END
}

# between: of each function of Python, how many stacks are whole and how many are not.  A
# stack that says that it is whole has all functions of C below `spin`.
between() {
	python3 - "$1" <<-'END'
		import collections, json, sys
		WANTED = {'below': 'spin_elsewhere', 'at_the_end': 'spin_elsewhere',
		          'deep': 'spin_deep', 'shallow': 'spin_deep'}
		DEPTH = {'deep': 61, 'shallow': 11}
		whole, lost = collections.Counter(), collections.Counter()
		with open(sys.argv[1]) as f:
		    stacks = [json.loads(line)['stack'] for line in f]
		for stack in stacks:
		    names = [s.rsplit(':', 2)[1] if ':' in s else s for s in stack]
		    python = next((n for n in names if n in WANTED), None)
		    if python is None or 'spin' not in names:
		        continue
		    if '<native?>' in names:
		        lost[python] += 1
		        continue
		    within = names[names.index(python):names.index('spin')]
		    n = within.count(WANTED[python])
		    assert n == DEPTH.get(python, 1), stack
		    whole[python] += 1
		print(dict(whole), 'lost:', dict(lost))
		for name in WANTED:
		    assert whole[name] > 3 * lost[name], name
	END
}

stacks_are_whole() {
	tach-record -q --native -r 200 -d 5 -p "$pid" -o p.bin
	tach-convert --jsonl p.bin >samples
	between samples
}

@test "a stack for signals, and one that is deeper than a copy, are no guess" {
	stacks
	start "$python" stacks.py >told
	until_ grep -q ready told
	in_tries 3 stacks_are_whole
}
