#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Judges profiles of t/native/shares.c.

    shares.py known READS [THREADS] <collapsed
	its functions have their shares, as far as so many reads can tell; each stack
	begins at the program's or a thread's start, has what calls what, and no frame
	is lost
    shares.py beside READS OURS THEIRS
	two outputs of `google-pprof --text` have the same functions; those that compute
	have the same shares of their time.  How much the clock's system call has depends
	on the machine's load.
"""
import re
import sys

KNOWN = {'sixty': 60, 'thirty': 30, 'ten': 10}
DEPTH = 20


def points_of(reads):
    """Four times the deviation of a share of 60 per cent, and a bit."""
    return 3 + 200 / reads ** .5


def name_of(frame):
    return frame.rsplit(':', 1)[0].rsplit(':', 1)[-1]


def known(reads, threads=1):
    points = points_of(reads)
    own = dict.fromkeys(KNOWN, 0)
    total, seen = 0, set()
    for line in sys.stdin:
        stack, count = line.rsplit(' ', 1)
        thread, *names = stack.split(';')
        names = [name_of(n.replace('::', '.')).rsplit('.', 1)[-1] for n in names]
        assert not any(n.startswith('<native?>') for n in names), stack
        if 'run' not in names:
            continue
        start = '_start' if 'main' in names else 'clone'
        assert names[0].lstrip('_').startswith(start.lstrip('_')), stack
        if names[-1] == 'ten':
            assert names.count('deep') in (0, DEPTH + 1), stack
        seen.add(thread)
        total += int(count)
        if names[-1] in own:
            own[names[-1]] += int(count)
        elif names[-1] == 'spin':
            own[names[-2]] += int(count)
    assert total > 100, f'{total} samples'
    assert len(seen) == threads, seen
    for name, share in KNOWN.items():
        got = 100 * own[name] / total
        assert abs(got - share) <= points, (name, got, total)


def read_text(file):
    shares = {}
    with open(file, encoding='utf-8') as f:
        for line in f:
            m = re.match(r' *\d+ +([\d.]+)% +[\d.]+% +\d+ +([\d.]+)% (.*\S)', line)
            # A function of the vdso has no name for gperftools.
            if m and not m[3].startswith('0x'):
                shares[m[3]] = float(m[1]), float(m[2])
    return shares


def own_shares(text):
    own = {name.rsplit('::', 1)[-1]: share for name, (share, _) in text.items()}
    total = sum(own[name] for name in KNOWN)
    return {name: 100 * own[name] / total for name in KNOWN}


def beside(reads, ours, theirs):
    points = points_of(reads)
    ours, theirs = read_text(ours), read_text(theirs)
    common = {name for name, (_, share) in theirs.items() if share > 5}
    assert common <= ours.keys(), (ours, theirs)
    a, b = own_shares(ours), own_shares(theirs)
    assert all(abs(a[n] - b[n]) <= points for n in KNOWN), (points, a, b)


if sys.argv[1] == 'known':
    known(float(sys.argv[2]), *map(int, sys.argv[3:]))
else:
    beside(float(sys.argv[2]), *sys.argv[3:])
