#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""totals.py: what all of a format's output weighs, found from it alone.

    totals.py FORMAT OUTPUT
    totals.py spans INTERVAL < what tach-cat prints

Prints the samples and the microseconds, `-` where the output does not say.
The second form prints them for a profile, by what a sample stands for: the
time until its thread's next one, ten intervals at most, one for the last.
"""
import csv
import json
import marshal
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent


def collapsed(path):
    with open(path, 'rb') as f:
        return sum(int(line.split()[-1]) for line in f), None


def jsonl(path):
    records = [json.loads(line) for line in open(path)]
    return len(records), sum(r['us'] for r in records)


def of_csv(path):
    csv.field_size_limit(1 << 30)
    records = list(csv.DictReader(open(path)))
    return len(records), sum(int(r['us']) for r in records)


def speedscope(path):
    profiles = json.load(open(path))['profiles']
    return None, sum(weight for p in profiles
                     for stack, weight in zip(p['samples'], p['weights'])
                     if stack)


def chrome(path):
    """The slices that no other one of their thread has around them."""
    lanes = defaultdict(list)
    for event in json.load(open(path))['traceEvents']:
        if event['ph'] == 'X':
            lanes[event['pid'], event['tid']].append(event)
    total = 0
    for events in lanes.values():
        until = -1
        for event in sorted(events, key=lambda e: (e['ts'], -e['dur'])):
            if event['ts'] >= until:
                total += event['dur']
                until = event['ts'] + event['dur']
    return None, total


def gecko(path):
    return sum(t['samples']['length']
               for t in json.load(open(path))['threads']), None


def pstats(path):
    stats = marshal.load(open(path, 'rb'))
    return (sum(s[0] for s in stats.values()),
            round(sum(s[2] for s in stats.values()) * 1e6))


def callgrind(path):
    """The costs of lines; those behind `calls=` are of what they call."""
    samples = us = 0
    called = False
    for line in open(path):
        if re.match(r'[-+*0-9]', line):
            if not called:
                _, n, time = line.split()
                samples += int(n)
                us += int(time)
            called = False
        called = called or line.startswith('calls=')
    return samples, us


def heatmap(path):
    script = (Path(path) / 'profile.js').read_text()
    script = script[script.index('{'):script.rindex('}') + 1]
    frameless = int(re.search(r'frameless: (\d+)', script)[1])
    files = re.search(r'^files: (\[.*?\]),\nfunctions:', script,
                      re.S | re.M)[1]
    files = json.loads(files)
    return sum(file[2] for file in files) + frameless, None


def pprof(path):
    said = subprocess.run([sys.executable, HERE / 'pprof.py', path],
                          check=True, capture_output=True, text=True).stdout
    totals = [0, 0]
    for line in said.splitlines():
        if found := re.match(r'(\d+)\t(\d+)\t', line):
            totals[0] += int(found[1])
            totals[1] += int(found[2])
    assert totals[1] % 1000 == 0
    return totals[0], totals[1] // 1000


def perfetto(path):
    said = subprocess.run([sys.executable, HERE / 'perfetto.py', path],
                          check=True, capture_output=True, text=True).stdout
    _, n, *weights = said.splitlines()[-1].split()
    samples, ns = map(int, weights or [0, 0])
    assert samples == int(n) and ns % 1000 == 0
    return samples, ns // 1000


def otlp(path):
    said = subprocess.run([sys.executable, HERE / 'otlp.py', path],
                          check=True, capture_output=True, text=True).stdout
    totals = dict(re.findall(r'^total (\w+) (\d+)$', said, re.M))
    return int(totals['samples']), int(totals['wall']) // 1000


def gperftools(path):
    said = subprocess.run([sys.executable, HERE / 'slots.py', path],
                          check=True, capture_output=True, text=True).stdout
    return int(re.search(r'^samples (\d+)', said, re.M)[1]), None


def diff(path):
    last = open(path).read().splitlines()[-1]
    return int(re.search(r'now (\d+) samples', last)[1]), None


def markdown(path):
    with open(path, encoding='utf-8') as f:
        return int(re.search(r'^\| samples \| (\d+) in ', f.read(), re.M)[1]), None


def tach(path):
    said = subprocess.run(['tach-cat', path], check=True, capture_output=True)
    return said.stdout.count(b'\n'), None


def spans(interval):
    times = defaultdict(list)
    for line in sys.stdin.buffer:
        time, interp, thread = line.split(b'\t')[:3]
        times[interp, thread].append(int(time))
    most = 10 * interval or 2**32 - 1
    return (sum(map(len, times.values())),
            sum(min(b - a, most) for t in times.values()
                for a, b in zip(t, t[1:] + [t[-1] + interval])))


FORMATS = {f.__name__: f for f in (
    collapsed, jsonl, speedscope, chrome, gecko, pstats, callgrind, heatmap,
    pprof, perfetto, otlp, gperftools, diff, markdown, tach)} | {'csv': of_csv}

if sys.argv[1] == 'spans':
    got = spans(int(sys.argv[2]))
else:
    got = FORMATS[sys.argv[1]](sys.argv[2])
print(*('-' if n is None else n for n in got))
