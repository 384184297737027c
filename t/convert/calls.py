#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Counts the functions of a profile, as tach-cat prints it, and their calls,
sample by sample: an independent answer to what formats say that add up.

	tach-cat p.bin | calls.py functions
	    self, total, file, function: a line each, sorted
	tach-cat p.bin | calls.py pstats FILE SECONDS
	    compares FILE with what it should hold, if a sample is SECONDS
	tach-cat p.bin | calls.py annotated FILE
	    compares what callgrind_annotate --inclusive=yes printed
"""
import marshal
import re
import sys
from collections import Counter, defaultdict

NO_FRAMES = ('~', '<no frames>', 0)


def name(text):
    octal = re.sub(rb'\\(\d{3})', lambda m: bytes([int(m[1], 8)]),
                   text.encode())
    return octal.decode('utf-8', 'replace')


def frame(text):
    parts = text.split(':')
    if len(parts) == 1:
        return '~', name(text), 0
    return name(parts[0]), name(parts[1]), int(parts[2] or 0)


def stacks():
    """The frames of each sample, outermost first, and its thread."""
    for line in sys.stdin:
        fields = line.rstrip('\n').split('\t')
        frames = [frame(f) for f in fields[4].split(';')] if fields[4] else []
        frames = [f for f in frames
                  if not f[0].endswith('_sync_coordinator.py')]
        yield frames or [NO_FRAMES], fields[2]


class Counts:
    def __init__(self):
        self.self, self.total = Counter(), Counter()
        self.call_self, self.call_total = Counter(), Counter()
        self.line = defaultdict(lambda: 0)
        self.threads = Counter()
        for frames, thread in stacks():
            self.count([f[:2] for f in frames])
            self.threads[thread] += 1
            for file, func, line in frames:
                if line > 0:
                    known = self.line.get((file, func), line)
                    self.line[file, func] = min(known, line)

    def count(self, functions):
        calls = list(zip(functions, functions[1:]))
        self.self[functions[-1]] += 1
        self.total.update(set(functions))
        self.call_self.update(calls[-1:])
        self.call_total.update(set(calls))

    def key(self, function):
        return function[0], self.line[function], function[1]


def functions(counts):
    for f in sorted(counts.total):
        print(counts.self[f], counts.total[f], *f, sep='\t')


def pstats(counts, path, seconds):
    def value(self, total):
        return self * seconds, total * seconds

    want = {}
    for f in counts.total:
        n = counts.self[f], counts.total[f]
        want[counts.key(f)] = *n, *value(*n), {}
    for (caller, callee), total in counts.call_total.items():
        self = counts.call_self[caller, callee]
        want[counts.key(callee)][4][counts.key(caller)] = (
            total, self, *value(self, total))
    with open(path, 'rb') as f:
        got = marshal.load(f)
    return differ(rounded(want), rounded(got))


def rounded(stats):
    """One number may come of 3 * 0.001 and of 3000 / 1e6."""
    def of(values):
        return tuple(round(v, 9) if isinstance(v, float) else v
                     for v in values)
    return {key: (of(v[:4]), {k: of(c) for k, c in v[4].items()})
            for key, v in stats.items()}


def annotated(counts, path):
    want = {f'{file}:{func}': total
            for (file, func), total in counts.total.items()}
    for thread, total in counts.threads.items():
        want[f'~:thread {thread}'] = total
    got = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            m = re.match(r' *([\d,]+) \([ .\d]+%\) .*%\)  (\S.*)', line)
            if m and m[2] != 'PROGRAM TOTALS':
                got[m[2]] = int(m[1].replace(',', ''))
    return differ(want, got)


def differ(want, got):
    for key in sorted(set(want) | set(got), key=str):
        if want.get(key) != got.get(key):
            print(f'{key}: {want.get(key)} expected, {got.get(key)} there')
    return want != got or not want


def main(what, *args):
    counts = Counts()
    if what == 'functions':
        return functions(counts)
    if what == 'pstats':
        return pstats(counts, args[0], float(args[1]))
    return annotated(counts, *args)


sys.exit(main(*sys.argv[1:]))
