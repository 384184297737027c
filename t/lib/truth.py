#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Judges a profile by what the recorded program says of itself.

    truth.py stacks PROFILE TRUTH       places of programs that use spot.py
    truth.py threads PROFILE TRUTH      the same, and every thread, all along
    truth.py shares PROFILE a=10 b=20   per cent of the time in functions
    truth.py calls PROFILE PROGRAM.py   no stack that the source rules out
    truth.py roots PROFILE PROGRAM.py   no stack without its root
    truth.py innermost PROFILE REGEX LEAST      per cent of the innermost frames
    truth.py rate PROFILE HZ SECONDS MISSED     every round was done or missed
    truth.py sound PROFILE              decodes, and times and status are sane

Prints plain figures; exits 3 if something is not true, and says what.  What
can come of a machine that is busy with other things, such as places that were
slept through, is 1 if there is too much of it.
Wants Python 3.8 or later.
"""
import ast
import bisect
import collections
import importlib.util
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import decode  # noqa: E402

GIL, CPU, UNKNOWN, WANTED, EXCEPTION, MAIN = (1 << i for i in range(6))
TORN, COLLECTOR = '<torn>', '<GC>'
LEAVES = '<built-in>', '<wait>'     # files of what is no call of Python
EDGE_US = 2000      # a program's own clock and the recorder's: how far apart
LATE = 0.01         # of samples whose stamp is off by more, on a busy machine
TORN_LIMIT = 0.05
SLEPT = 0.1
MISPLACED = 0.0005
SHARE_POINTS = 2.0  # percentage points
RATE_LIMIT = 0.01   # of rounds that are not accounted for
RATE_LEAST = 0.25   # of rounds that were done, on any machine

# What has happened too often, or too seldom.
CHANCES = {'torn', 'elsewhere', 'place not seen', 'places slept through',
           'rounds', 'statuses', 'share', 'program', 'samples'}

faults = collections.Counter()


def fault(kind, what=''):
    """Something is wrong; the first few of a kind are shown."""
    faults[kind] += 1
    if faults[kind] <= 3:
        print('WRONG %s: %s' % (kind, what))


def show(name, value):
    print('%-22s %s' % (name, value))


def shorten(stack):
    frames = ['%s:%s:%s' % (f[1], f[0], ','.join(map(str, f[2:6])))
              for f in stack]
    if len(frames) > 12:
        frames[6:-6] = ['... %d more ...' % (len(frames) - 12)]
    return ' > '.join(frames)


class Samples:
    """All samples of a sound profile; stacks without the torn marker."""

    def __init__(self, path):
        self.profile = decode.decode(path)
        self.header = self.profile.header
        self.frames = self.profile.frames
        self.torn_frames = {i for i, f in enumerate(self.frames)
                            if f.func == TORN}
        for i in self.torn_frames:
            if self.frames[i].line != -1:
                fault('torn frame', 'line %d' % self.frames[i].line)
        self.torn = self.empty = 0
        self.all = list(self.read())
        self.threads = collections.Counter(
            (s.interp, s.thread) for s in self.all)
        show('samples', len(self.all))
        show('threads', len(self.threads))
        show('torn', self.torn)
        # One can be the share of a few milliseconds of starting up.
        if self.torn > max(1, TORN_LIMIT * len(self.all)):
            fault('torn', '%d of %d' % (self.torn, len(self.all)))
        if self.empty:
            show('empty stacks', self.empty)

    def read(self):
        last = {}
        for s in self.profile.samples():
            key = s.interp, s.thread
            # A thread cannot be seen twice in one microsecond.
            if s.time <= last.get(key, -1):
                fault('time', 'thread %d: %d after %d'
                      % (s.thread, s.time, last[key]))
            last[key] = s.time
            self.status(s)
            self.empty += not s.stack
            torn = bool(s.stack) and s.stack[0] in self.torn_frames
            if torn:
                self.torn += 1
                s = s._replace(stack=s.stack[1:])
            s = s._replace(stack=self.python(s.stack))
            if any(i in self.torn_frames for i in s.stack[:3]):
                fault('torn frame', 'it is not the leaf')
            yield s

    def python(self, stack):
        """Without the function of C that it calls, and the reason of a wait."""
        return stack[next((n for n, i in enumerate(stack)
                           if self.frames[i].file not in LEAVES), len(stack)):]

    def status(self, s):
        if s.status >> 6:
            fault('status', 'unknown bits in %#x' % s.status)
        if s.status & WANTED and s.status & GIL:
            fault('status', 'holds the GIL and waits for it: %#x' % s.status)

    def place(self, i):
        """A frame as the programs note it."""
        f = self.frames[i]
        return f.func, f.file, f.line, f.end_line, f.col, f.end_col

    def stack(self, indices):
        """Root first; without the marker of a collection, which is not a
        frame that the program knows of."""
        return tuple(self.place(i) for i in reversed(indices)
                     if self.frames[i].func != COLLECTOR)


# ---- places that a program noted ----------------------------------------

class Truth:
    def __init__(self, path):
        with open(path) as f:
            lines = [json.loads(line) for line in f]
        self.python = lines[0]['python']
        self.pid = lines[0]['pid']
        self.gil = lines[0].get('gil', True)
        self.places = [p for p in lines if 'label' in p]
        self.by_thread = collections.defaultdict(list)
        for p in self.places:
            p['spot'] = tuple(p['spot'])
            p['stack'] = tuple(tuple(f) for f in p['stack'])
            p['seen'] = 0
            self.by_thread[p['interp'], p['tid']].append(p)
        self.since, self.loose = {}, {}
        for key, places in self.by_thread.items():
            places.sort(key=lambda p: p['since'])
            self.since[key] = [p['since'] for p in places]
            self.loose[key] = [p for p in places if odd(p['stack'])]
        self.known = {(key, p['spot'], p['stack'])
                      for key, places in self.by_thread.items()
                      for p in places}
        self.spots = {p['spot'] for p in self.places}

    def at(self, sample):
        """The place where the sample's thread certainly was."""
        key = sample.interp, sample.thread
        i = bisect.bisect(self.since.get(key, ()), sample.time - EDGE_US) - 1
        if i >= 0:
            place = self.by_thread[key][i]
            if sample.time <= place['until'] - EDGE_US:
                return place
        return None

    def has(self, key, spot, stack):
        return (key, spot, stack) in self.known or any(
            p['spot'] == spot and same(p['stack'], stack)
            for p in self.loose.get(key, ()))


def odd(stack):
    return any('\ud800' <= c <= '\udfff'
               for f in stack for name in f[:2] for c in name)


def same(true, seen):
    """Equal; lone surrogates, which UTF-8 cannot carry, may be replaced."""
    if true == seen:
        return True
    if len(true) != len(seen) or not odd(true):
        return False
    for t, s in zip(true, seen):
        for a, b in zip(t[:2], s[:2]):
            pattern = re.sub('[\ud800-\udfff]', '\0', a)
            pattern = re.escape(pattern).replace('\0', '.{1,8}')
            if not re.fullmatch(pattern, b, re.DOTALL):
                return False
        if t[2:] != s[2:]:
            return False
    return True


class Finder:
    """Splits a sampled stack at the frame of spot() or rest()."""

    def __init__(self, samples, truth):
        self.samples = samples
        self.marks = {i: (f.func, f.file)
                      for i, f in enumerate(samples.frames)
                      if (f.func, f.file) in truth.spots}
        self.stacks = {}

    def split(self, stack):
        for n, i in enumerate(stack[:6]):
            if i in self.marks:
                return self.marks[i], self.whole(stack[n + 1:])
        return None, None

    def whole(self, indices):
        if indices not in self.stacks:
            self.stacks[indices] = self.samples.stack(indices)
        return self.stacks[indices]


def check_stacks(profile, truth_path):
    samples, truth = Samples(profile), Truth(truth_path)
    finder = Finder(samples, truth)
    verdicts = {}
    inside = late = 0
    for s in samples.all:
        key, place = (s.interp, s.thread), truth.at(s)
        spot, stack = finder.split(s.stack)
        if spot and (key, spot, id(stack)) not in verdicts:
            true = truth.has(key, spot, stack)
            verdicts[key, spot, id(stack)] = true
            if not true:
                fault('stack', '%s\n   best known: %s' % (
                    shorten(stack), nearest(truth, key, stack)))
        inside += place is not None
        if place is None:
            continue
        if spot == place['spot'] and same(place['stack'], stack):
            place['seen'] += 1
        else:
            late += 1
            if late <= 3:
                print('at %s, but: %s' % (
                    place['label'], shorten(samples.stack(s.stack))))
    show('places', len(truth.places))
    show('samples at a place', inside)
    show('of them elsewhere', late)
    if late > max(1, LATE * inside):
        fault('elsewhere', '%d of %d samples' % (late, inside))
    unseen(truth, {s.time for s in samples.all})
    check_process(samples, truth)
    return samples, truth


def unseen(truth, times):
    """A busy machine may let the recorder sleep through a few places."""
    times, slept = sorted(times), 0
    for p in truth.places:
        if p['seen']:
            continue
        i = bisect.bisect(times, p['since'] + EDGE_US)
        if i < len(times) and times[i] <= p['until'] - EDGE_US:
            fault('place not seen', '%s: %s'
                  % (p['label'], shorten(p['stack'])))
        else:
            slept += 1
    show('places slept through', slept)
    if slept > max(1, SLEPT * len(truth.places)):
        fault('places slept through', slept)


def nearest(truth, key, stack):
    """For a message: the true stack that goes furthest along with this."""
    def alike(true):
        n = 0
        while n < min(len(true), len(stack)) and true[n] == stack[n]:
            n += 1
        return n
    stacks = [p['stack'] for p in truth.by_thread.get(key, ())]
    return shorten(max(stacks, key=alike)) if stacks else 'none'


def check_process(samples, truth):
    if samples.header['python'] != truth.python:
        fault('python', '%s, not %s'
              % (samples.header['python'], truth.python))
    for s in samples.all:
        if s.interp == 0 and bool(s.status & MAIN) != (s.thread == truth.pid):
            fault('main thread', 'status %#x of thread %d of process %d'
                  % (s.status, s.thread, truth.pid))


def check_threads(profile, truth_path):
    samples, truth = check_stacks(profile, truth_path)
    for key in truth.by_thread:
        if key not in samples.threads:
            fault('thread', '%r is not in the profile' % (key,))
    known = {tid for _, tid in truth.by_thread} | {truth.pid}
    for _, tid in samples.threads:
        if tid not in known:
            fault('thread', '%d is not known to the program' % tid)
    all_along(samples, truth)
    states(samples, truth)


def all_along(samples, truth):
    """While all threads are there, each is in every round."""
    since = max(p[0]['since'] for p in truth.by_thread.values()) + EDGE_US
    until = min(p[-1]['until'] for p in truth.by_thread.values()) - EDGE_US
    seen = collections.Counter(
        (s.interp, s.thread) for s in samples.all if since < s.time < until)
    counts = [seen[key] for key in truth.by_thread]
    show('samples a thread', '%d to %d' % (min(counts), max(counts)))
    if min(counts) + 1 < max(counts) * (1 - LATE):
        fault('rounds', 'not all threads are in every one of them')


def states(samples, truth):
    """Who spins wants or has the GIL, and one at a time has it, or where there
    is none, all are as if they had; who sleeps has no GIL and no CPU."""
    bits = {'spot': collections.Counter(), 'rest': collections.Counter()}
    for s in samples.all:
        place = truth.at(s)
        if place:
            count = bits[place['spot'][0]]
            count['all'] += 1
            count['gil'] += bool(s.status & GIL)
            count['cpu'] += bool(s.status & CPU and not s.status & UNKNOWN)
    for name, n in bits.items():
        show(name + ' samples', '%d, GIL %d, CPU %d'
             % (n['all'], n['gil'], n['cpu']))
    idle, busy = bits['rest'], bits['spot']
    if max(idle['gil'], idle['cpu']) > 0.05 * idle['all']:
        fault('statuses', 'sleeping threads with a GIL or a CPU')
    alive = len({p['tid'] for p in truth.places if p['spot'][0] == 'spot'})
    if not truth.gil:
        alive = 1
    if alive and not 0.5 < busy['gil'] * alive / max(1, busy['all']) < 1.1:
        fault('statuses', 'busy threads had the GIL in %d of %d samples'
              % (busy['gil'], busy['all']))


# ---- the rest -------------------------------------------------------------

def check_shares(profile, *wanted):
    samples = Samples(profile)
    wanted = {name: float(share) for name, _, share in
              (w.partition('=') for w in wanted)}
    total = collections.Counter()
    names = {i: f.func for i, f in enumerate(samples.frames)
             if f.func in wanted}
    for s in samples.all:
        for i in reversed(s.stack):
            if i in names:
                total[names[i]] += 1
                break
    for name, share in wanted.items():
        got = 100 * total[name] / max(1, sum(total.values()))
        show('share of ' + name, '%.2f, truly %.2f' % (got, share))
        if abs(got - share) > SHARE_POINTS:
            fault('share', '%s: %.2f, not %.2f' % (name, got, share))


class Calls(ast.NodeVisitor):
    """Where, in which function, a source calls which function by name."""

    def __init__(self, tree):
        self.sites = collections.defaultdict(set)
        self.lines = {}
        self.within = '<module>'
        self.lines[self.within] = 0, sys.maxsize
        self.visit(tree)

    def visit_FunctionDef(self, node):
        outer, self.within = self.within, node.name
        self.lines[node.name] = node.lineno, node.end_lineno
        self.generic_visit(node)
        self.within = outer

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name):
            self.sites[self.within, node.func.id].add(
                (node.lineno, node.end_lineno,
                 node.col_offset, node.end_col_offset))
        self.generic_visit(node)


def sources(program):
    """Calls by file name as a frame has it: the program, and what it makes
    at run time (MADE and source, see chains.py)."""
    with open(program) as f:
        text = f.read()
    found = {os.path.basename(program): Calls(ast.parse(text))}
    if 'MADE' in text:
        spec = importlib.util.spec_from_file_location('program', program)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[module.MADE] = Calls(ast.parse(module.source))
    return found


def judge(stack, files):
    """Why no run of the program can have this stack, as (kind, why).
    impossible: functions that do not call each other; misplaced: they do,
    but not from there.  None: all is well."""
    known = [files.get(os.path.basename(f[1])) for f in stack]
    verdict = None
    for i, (func, file, line, *_) in enumerate(stack):
        if known[i] is None:
            continue
        if func not in known[i].lines:
            return 'impossible', 'no function %s in %s' % (func, file)
        first, last = known[i].lines[func]
        if not first <= line <= last:
            verdict = 'misplaced', '%s has no line %d' % (func, line)
        callee = stack[i + 1][0] if i + 1 < len(stack) else '<module>'
        if callee == '<module>' or known[i + 1] is None:
            continue        # a leaf; exec; or a function of somebody else
        sites = known[i].sites[func, callee]
        if not sites:
            return 'impossible', '%s does not call %s' % (func, callee)
        if stack[i][3] == -1:   # to 3.10 only the line is known
            sites = {(site[0], -1, -1, -1) for site in sites}
        if stack[i][2:6] not in sites:
            verdict = 'misplaced', '%s does not call %s at %s' % (
                func, callee, stack[i][2:])
    return verdict


def rootless(stack, main):
    """A stack of the program's that does not begin with its module."""
    return stack and os.path.basename(stack[0][1]) == main \
        and stack[0][0] != '<module>'


def check_most(samples, files):
    """Most show the program, once it has begun: on a busy machine an
    interpreter can take as long to start."""
    ours = {i for i, f in enumerate(samples.frames)
            if os.path.basename(f.file) in files}
    shown = [s.time for s in samples.all if ours.intersection(s.stack)]
    begun = sum(1 for s in samples.all if s.time >= min(shown, default=0))
    if not shown or len(shown) < 0.8 * begun:
        fault('program', 'most samples do not show it')


def check_roots(profile, program):
    samples, main = Samples(profile), os.path.basename(program)
    bad = collections.Counter()
    for s in samples.all:
        stack = samples.stack(s.stack)
        bad[stack if rootless(stack, main) else None] += 1
    del bad[None]
    for stack, n in bad.most_common(5):
        print('no root, %d times: %s' % (n, shorten(stack)))
    show('without a root', sum(bad.values()))
    if bad:
        fault('root', sum(bad.values()))
    check_most(samples, [main])


def check_calls(profile, program):
    samples, files = Samples(profile), sources(program)
    main = os.path.basename(program)
    counts, kinds = collections.Counter(), collections.Counter()
    verdicts, depths = {}, set()
    for s in samples.all:
        if s.stack not in verdicts:
            stack = samples.stack(s.stack)
            verdict = judge(stack, files)
            if rootless(stack, main):
                verdict = 'impossible', 'the root is missing'
            verdicts[s.stack] = verdict
            kinds[verdict and verdict[0]] += 1
            if verdict and kinds[verdict[0]] <= 5:
                print('%s: %s: %s' % (*verdict, shorten(stack)))
        if verdicts[s.stack]:
            counts[verdicts[s.stack][0]] += 1
        depths.add(len(s.stack))
    show('impossible', counts['impossible'])
    show('misplaced', counts['misplaced'])
    show('kinds of stacks', len(verdicts))
    show('deepest', max(depths, default=0))
    if counts['impossible']:
        fault('impossible', counts['impossible'])
    if counts['misplaced'] > MISPLACED * len(samples.all):
        fault('misplaced', counts['misplaced'])
    check_most(samples, files)


def check_innermost(profile, pattern, least):
    samples = Samples(profile)
    hits = sum(bool(s.stack and re.fullmatch(
        pattern, samples.frames[s.stack[0]].func)) for s in samples.all)
    got = 100 * hits / max(1, len(samples.all))
    show('innermost ' + pattern, '%.2f of %d' % (got, len(samples.all)))
    if got < float(least):
        fault('innermost', '%s: %.2f, at least %s' % (pattern, got, least))


def check_rate(profile, hz, seconds, missed):
    """missed: how many rounds the recorder says it missed."""
    samples = Samples(profile)
    rounds = max(samples.threads.values(), default=0)
    wanted = float(hz) * float(seconds)
    show('rounds', '%d and %s missed, of %.0f' % (rounds, missed, wanted))
    if samples.header['interval_us'] != round(1e6 / float(hz)):
        fault('interval', '%d us' % samples.header['interval_us'])
    if abs(rounds + int(missed) - wanted) > RATE_LIMIT * wanted:
        fault('count', 'rounds and missed ones are not %.0f' % wanted)
    if rounds < RATE_LEAST * wanted:
        fault('rounds', 'only %d of %.0f' % (rounds, wanted))


def check_sound(profile):
    if not Samples(profile).all:
        fault('samples', 'none')


CHECKS = dict(stacks=check_stacks, threads=check_threads, shares=check_shares,
              calls=check_calls, roots=check_roots,
              innermost=check_innermost, rate=check_rate, sound=check_sound)


def main(argv):
    if len(argv) < 2 or argv[0] not in CHECKS:
        sys.stderr.write(__doc__)
        return 2
    try:
        CHECKS[argv[0]](*argv[1:])
    except (decode.Bad, OSError) as e:
        fault('profile', '%s: %s' % (argv[1], e))
    for kind, n in faults.items():
        print('FAILED %s, %d' % (kind, n))
    return 3 if set(faults) - CHANCES else 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
