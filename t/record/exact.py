# SPDX-License-Identifier: ISC
"""Compares the waits of a profile with those that its program has told.

    exact.py START TOLD <TRACE

START is the profile's, in microseconds of the monotonic clock; TOLD is the output of
waits-exact.py; TRACE is of tach-convert --chrome --idle keep.  Prints for each thread
the number of its waits and their time, in per cent of the number and the time that were
told, the part of the time that has a stack, and how many slices of waits overlap.
"""
import json
import sys
from bisect import bisect
from collections import defaultdict

ROOTS = 'Thread._bootstrap', '_bootstrap', 'Thread.run', 'run'


def is_below(e, spans):
    i = bisect(spans, (e['ts'], float('inf'))) - 1
    return i >= 0 and spans[i][1] >= e['ts'] + e['dur']


def inside(e, begin, end):
    return max(0, min(e['ts'] + e['dur'], end) - max(e['ts'], begin))


def main(start, told):
    events = json.load(sys.stdin)['traceEvents']
    names = {e['tid']: e['args']['name'].split(' (')[0]
             for e in events if e['name'] == 'thread_name'}
    waits, roots = defaultdict(list), defaultdict(list)
    for e in events:
        if e['ph'] == 'X' and e['cat'] == 'wait':
            waits[names[e['tid']]].append(e)
        elif e['ph'] == 'X' and e['name'] in ROOTS:
            roots[names[e['tid']]].append((e['ts'], e['ts'] + e['dur']))
    for spans in roots.values():
        spans.sort()
    with open(told) as f:
        lines = [line.split() for line in f if len(line.split()) == 5]
    for name, *numbers in lines:
        number, total, begin, end = map(int, numbers)
        begin, end = begin - start, end - start
        slices = sorted((e for e in waits[name] if inside(e, begin, end) > 0),
                        key=lambda e: e['ts'])
        time = sum(inside(e, begin, end) for e in slices)
        rooted = sum(e['dur'] for e in slices if is_below(e, roots[name]))
        overlaps = sum(a['ts'] + a['dur'] > b['ts'] for a, b in zip(slices, slices[1:]))
        print('%s %.2f %.2f %.1f %d' % (
            name, 100 * len(slices) / number, 100 * time / total,
            100 * rooted / max(sum(e['dur'] for e in slices), 1), overlaps))


main(int(sys.argv[1]), sys.argv[2])
