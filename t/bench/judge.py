#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Judges a profile of t/programs/loads.py by what the program says of itself:
its calls, from a run that was traced, and its time, from the run that was
recorded.  Wants Python 3.8 or later.

    judge.py PROFILE TRACED PLAYED      what loads.py printed in those runs

prints the counts of samples by verdict; exits 1 if there is a stack that
cannot be."""
import collections
import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'lib'))
import decode  # noqa: E402

MARKERS = '<GC>', '<native>'
TORN = '<torn>'
LEAVES = '<built-in>', '<wait>'     # files of what is no call of Python
BIG = 0.05      # a share of so much is judged by itself
SEEN = 0.01     # a stack with so much in one profile is in others, too, ...
SEEN_LEAST = 0.2    # ... with so much of that, ...
SEEN_SURE = 15      # ... if so many samples of it are to be expected there
GAP = 10        # intervals that a sample can stand for, see tach-convert(1)


def short(file):
    return file if file.startswith('<') else os.path.basename(file)


def alike(file, name):
    """Names of made code without their numbers, which are compared apart."""
    if re.fullmatch(r'made-\d+\.py', file):
        return 'made-N.py', re.sub(r'\d+', 'N', name)
    return file, name


def path_of(noted, keys):
    """A path, innermost first: code, line of its caller, that, and so on."""
    found = list(noted)
    found[::2] = [keys[i] for i in noted[::2]]
    for i in range(1, len(found), 2):
        if found[i + 1][0] == 'made-N.py':
            found[i] = 0    # where it is, its number says
    return tuple(found)


class Calls:
    """What a traced run noted."""

    def __init__(self, noted):
        self.ids = collections.defaultdict(set)
        self.lines = {}
        keys = []
        for (file, name, qualname), lines in noted['codes']:
            key = self.key(file, name, qualname)
            keys.append(key)
            self.lines.setdefault(key, set()).update(lines)
        self.calls = {(self.key(*a), line, self.key(*b))
                      for a, line, b in noted['calls']}
        self.makes = {(self.key(*a), self.key(*b)) for a, b in noted['makes']}
        self.pairs = {(a, b) for a, _, b in self.calls}
        self.paths = {path_of(p, keys) for p in noted['paths']}
        self.most = max(map(len, self.paths)) // 2  # calls in one of them
        self.roots = {self.key(*r) for r in noted['roots']}
        self.own = set(noted['own'])

    def key(self, file, name, qualname):
        """Profilers show the one name or the other."""
        key = alike(file, qualname)
        self.ids[alike(file, name)].add(key)
        self.ids[key].add(key)
        return key

    def first(self, key):
        return min(line for line in self.lines[key] if line > 0)

    def known(self, frame):
        return self.ids.get(alike(short(frame.file), frame.func), ())


def misnamed(stack):
    """Made code says its number thrice: all must be the same."""
    numbers = set()
    for f in stack:
        m = re.fullmatch(r'made-(\d+)\.py', short(f.file))
        if not m:
            continue
        numbers.add(int(m[1]))
        named = re.fullmatch(r'[fg](\d+)|<module>', f.func)
        if not named or named[1] and named[1] != m[1]:
            return 'is not the name of a function in %s' % f.file
        line = f.line - int(m[1]) % 50
        if f.line > 0 and (line > 6 or named[1] and line < 2):
            return 'line %d is not one of %s' % (f.line, f.file)
    return 'code of two makings' if len(numbers) > 1 else None


def verdict(stack, calls):
    """Why no run can have this stack, root first, as (kind, why), or None."""
    why = misnamed(stack)
    if why:
        return 'misnamed', why
    ids = [calls.known(f) for f in stack]
    odd = None
    if not calls.roots.intersection(ids[0]):
        return 'orphan', 'begins with %s' % (stack[0].func,)
    for i, f in enumerate(stack):
        own = is_own(f, calls)
        if not ids[i]:
            if own:
                return 'impossible', '%s never ran' % f.func
            odd = odd or ('odd', '%s is not known' % f.func)
            continue
        after = ids[i + 1] if i + 1 < len(stack) else ()
        if after and not (i + 2 == len(stack) and
                          is_made(ids[i], after, stack[i + 1], calls)):
            found = wrong_call(f, ids[i], after, calls)
            if found:
                callee = short(stack[i + 1].file) in calls.own
                if own or callee:
                    return found[0], '%s %s %s' % (
                        f.func, found[1], stack[i + 1].func)
                odd = odd or ('odd', '%s %s %s' % (
                    f.func, found[1], stack[i + 1].func))
        elif i + 1 == len(stack) and own and wrong_line(f, ids[i], calls):
            return 'line', '%s has no line %d' % (f.func, f.line)
    return odd or wrong_path(stack, ids, calls)


def wrong_path(stack, ids, calls):
    """Of a stack each of whose calls can be: whether they can follow one
    another."""
    for i in range(2, len(stack)):
        first = max(0, i - calls.most)
        if i + 1 == len(stack) and is_made(ids[i - 1], ids[i], stack[i],
                                           calls):
            return None
        if not any(p in calls.paths for p in paths(stack, ids, first, i)):
            own = all(is_own(f, calls) for f in stack[first:i + 1])
            return 'impossible' if own else 'odd', \
                '%s is not called through these' % stack[i].func
    return None


def paths(stack, ids, first, last):
    """From the one frame to the other, innermost first, by all that their
    names may stand for."""
    columns = [ids[last]]
    for i in range(last - 1, first - 1, -1):
        columns += [0 if made(stack[i]) else stack[i].line], ids[i]
    return itertools.product(*columns)


def is_own(f, calls):
    return made(f) or short(f.file) in calls.own


def wrong_call(f, callers, callees, calls):
    pairs = [(a, b) for a in callers for b in callees]
    if not any(p in calls.pairs for p in pairs):
        return 'impossible', 'does not call'
    if not made(f) and not any((a, f.line, b) in calls.calls
                               for a, b in pairs):
        return 'line', 'does not in line %d call' % f.line
    return None


def is_made(callers, callees, callee, calls):
    """A generator that is being made is at its first line."""
    return any((a, b) in calls.makes and callee.line in (-1, calls.first(b))
               for a in callers for b in callees)


def wrong_line(f, ids, calls):
    return not made(f) and not any(f.line in calls.lines[k] for k in ids)


def made(f):
    return short(f.file).startswith('made-')


class Judged:
    """Figures of a profile: counts of samples by verdict, shares of the parts
    and of equals, rounds while it played."""

    def __init__(self, path, calls, truth):
        self.profile = decode.decode(path)
        self.calls, self.truth = calls, truth
        self.counts = collections.Counter()
        self.parts = collections.Counter()
        self.times = collections.Counter()      # of the parts
        self.equal = collections.Counter()
        self.innermost = collections.Counter()  # while it plays
        self.stacks = collections.Counter()     # of the parts: functions
        self.examples = []
        self.threads = collections.Counter()
        samples = self.playing()
        spans = self.spans(samples)
        for (thread, indices), n in collections.Counter(
                (s.thread, s.stack) for s in samples).items():
            self.add(thread, indices, n, spans[thread, indices])

    def playing(self):
        """The samples from the first one that plays to the last."""
        playing = {i for i, f in enumerate(self.profile.frames)
                   if f.func == 'play'}
        samples = list(self.profile.samples())
        times = [s.time for s in samples if playing.intersection(s.stack)]
        first, last = min(times, default=0), max(times, default=-1)
        return [s for s in samples if first <= s.time <= last]

    def spans(self, samples):
        """The time that each thread's stacks stand for: until its next
        sample."""
        most = GAP * self.profile.header['interval_us']
        spans, before = collections.Counter(), {}
        for s in sorted(samples, key=lambda s: s.time):
            b = before.get(s.thread)
            if b:
                spans[b.thread, b.stack] += min(s.time - b.time, most)
            before[s.thread] = s
        return spans

    def add(self, thread, indices, n, span):
        stack = self.profile.resolve(indices)
        torn = any(f.func == TORN for f in stack)
        stack = [f for f in stack if f.func not in MARKERS + (TORN,) and
                 f.file not in LEAVES]
        names = [f.func for f in stack]
        self.counts['samples'] += n
        self.counts['torn'] += n * torn
        found = verdict(stack, self.calls) if stack else None
        if found:
            self.counts[found[0]] += n
            self.examples.append((found, n, stack))
        if 'play' in names:
            self.threads[thread] += n
            self.innermost[stack[-1].file, names[-1]] += n
            if self.share(names, n, span) != 'rest':
                self.stacks[tuple((f.file, f.func) for f in stack)] += n

    def share(self, names, n, span):
        part = names[names.index('timed') + 1:][:1] if 'timed' in names else ()
        part = part[0] if part and part[0] in self.truth['parts'] else 'rest'
        self.parts[part] += n
        self.times[part] += span
        for name in self.truth['equals']:
            self.equal[name] += n * (name in names)
        return part

    def worst(self, most):
        return sorted(self.examples, key=lambda e: -e[1])[:most]

    def impossible(self):
        return sum(self.counts[k]
                   for k in ('impossible', 'line', 'misnamed'))

    def rounds(self):
        return max(self.threads.values(), default=0)

    def true_shares(self):
        parts, played = dict(self.truth['parts']), self.truth['played']
        parts['rest'] = played - sum(parts.values())
        return {k: v / played for k, v in parts.items()}

    def distances(self, parts):
        """Total variation distance of the shares, by samples or by time, and
        the most that one above 5 % is off."""
        total = sum(parts.values()) or 1
        off = {k: parts[k] / total - v
               for k, v in self.true_shares().items()}
        big = [abs(d) for k, d in off.items() if self.true_shares()[k] > BIG]
        return sum(map(abs, off.values())) / 2, max(big, default=0)

    def inner_distance(self, other):
        """Total variation distance of the innermost functions' shares from
        another profile's of the same load."""
        a, b = self.innermost, other.innermost
        m, n = sum(a.values()) or 1, sum(b.values()) or 1
        return sum(abs(a[k] / m - b[k] / n) for k in a.keys() | b.keys()) / 2

    def apart(self, other):
        """Stacks that one of two profiles of the same load has and the other
        has not, or hardly: their shares, the largest first."""
        a, b = self.stacks, other.stacks
        m, n = sum(a.values()) or 1, sum(b.values()) or 1
        shares = ((s, a[s] / m, b[s] / n) for s in a.keys() | b.keys())
        found = [x for x in shares if max(x[1:]) > SEEN and
                 min(x[1:]) < SEEN_LEAST * max(x[1:]) and
                 max(x[1] * n, x[2] * m) >= SEEN_SURE]
        return sorted(found, key=lambda x: -max(x[1:]))

    def bias(self):
        """How far apart equals are, as shares among themselves; and how far
        chance alone would put them, twice its deviation."""
        total = sum(self.equal.values())
        if not total:
            return None
        shares = [n / total for n in self.equal.values()]
        p = 1 / len(shares)
        return max(shares) - min(shares), 4 * (p * (1 - p) / total) ** 0.5


def describe(example):
    (kind, why), n, stack = example
    return '    %d %s: %s\n        %s' % (n, kind, why, ' > '.join(
        '%s:%d' % (f.func, f.line) for f in stack[-14:]))


def describe_apart(found):
    stack, here, there = found
    return '    %.2f %% here, %.2f in the program: %s' % (
        100 * here, 100 * there, ' > '.join(f for _, f in stack[-14:]))


def last(path):
    with open(path) as f:
        return json.loads(f.readlines()[-1])


def main(profile, traced, played):
    judged = Judged(profile, Calls(last(traced)), last(played))
    for kind, n in sorted(judged.counts.items()):
        print(kind, n)
    for example in judged.worst(5):
        print(describe(example))
    return 1 if judged.impossible() or judged.counts['orphan'] else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
