# SPDX-License-Identifier: ISC
"""stops.py PID STOPS EDGES: stops a process that runs mixed.py again and again by
`tach-record --dump --native`, and judges each stack by the calls that are possible.
EDGES: what mixed.py --edges prints.

Prints a line: stacks, how many of them are wrong, how many are not exact, and the causes
of that.  Each wrong stack goes to standard error.  The status is 1 if there is one.

Between two frames of Python that are in the edges, a function of C has to stand whose
name matches; between others there may be none.  A function without a name matches, and
four of them may stand between any two: stripped interpreters have only these.
With --native=all, each frame of C of the interpreter's loop has to run Python's frames,
and they have to be run by one, but for the innermost: this needs the loop's name.
"""
import collections

import re
import subprocess
import sys

PYTHON = re.compile(r'    (.*) \((.*):(\d+)\)$')
OTHER = re.compile(r'    (.*) \(([^()]*|.*)\)$')
NAMELESS = re.compile(r'\+0x[0-9a-f]+$')
LOOP = re.compile(r'_PyEval_EvalFrameDefault')
LOST = '<native?>'
# Called by way of C or not, by version.
FREE = {'__init__', '__exit__', '__enter__', '__format__', '__getattr__'}
# To call one makes a generator, without C; it is the innermost frame then.
GENERATORS = {'summed', 'yielded', 'yielding', 'of_fromiter'}
NAMELESS_MAX = 4

Frame = collections.namedtuple('Frame', 'kind name where')

def frame(line):
    m = PYTHON.match(line)
    if m:
        return Frame('python', m[1].split('.')[-1], m[2])
    m = OTHER.match(line)
    if not m:
        return Frame('mark', line.strip(), '')
    if m[1] == LOST:
        return Frame('lost', m[1], m[2])
    if m[2] == '<built-in>':
        return Frame('callee', m[1], m[2])
    if m[2].endswith('.py'):  # at an instruction that has no line
        return Frame('python', m[1].split('.')[-1], m[2])
    return Frame('c', m[1], m[2])

def stacks(text):
    found = []
    for line in text.splitlines():
        if line.startswith('thread '):
            found.append([])
        elif line.startswith('    ') and found:
            found[-1].append(frame(line))
    return found

def edges_of(path):
    edges = {}
    with open(path) as f:
        for line in f:
            caller, callee, pattern = line.split()
            edges[caller, callee] = pattern
    return edges

def pattern_of(edges, caller, callee):
    """What has to be between two frames of Python: a pattern, or None for nothing.  An
    edge of folders is one of all functions in their files."""
    if (caller.name, callee.name) in edges:
        return edges[caller.name, callee.name]
    for (outer, inner), pattern in edges.items():
        if outer[0] == inner[0] == '/' and outer in caller.where and \
                inner in callee.where:
            return pattern
    return None

def judge_between(edges, caller, callee, between, innermost):
    """What is wrong between two frames of Python; '' if nothing is."""
    if any(f.kind == 'lost' for f in between):
        return ''
    if innermost and not between and callee.name in GENERATORS:
        return ''
    names = [f.name for f in between if f.kind == 'c']
    pattern = pattern_of(edges, caller, callee)
    if pattern == '-' or (pattern is None and callee.name in FREE):
        return ''
    if pattern is not None:
        if any(NAMELESS.search(n) or re.search(pattern, n) for n in names):
            return ''
        return 'no %s in %s between %s and %s' % (pattern, names, caller.name, callee.name)
    named = [n for n in names if not NAMELESS.search(n)]
    if named or len(names) > NAMELESS_MAX:
        return '%s between %s and %s' % (', '.join(names), caller.name, callee.name)
    return ''

def known(stack):
    """The frames outside of the last one that is not known, if there is C in them."""
    n = max((i for i, f in enumerate(stack) if f.kind == 'lost'), default=-1)
    rest = stack[n + 1:]
    if n >= 0 and not any(f.kind == 'c' for f in rest):
        return []
    return rest


def judge_calls(edges, stack):
    between = []
    inner = None
    innermost = False
    for f in known(stack):
        if f.kind != 'python':
            between.append(f)
            continue
        if inner is not None:
            yield judge_between(edges, f, inner, between, innermost)
        between = []
        innermost = inner is None
        inner = f

def judge_loops(stack):
    if not any(LOOP.match(f.name) for f in stack if f.kind == 'c'):
        return
    before = None
    seen = False
    for f in known(stack):
        if f.kind in ('mark', 'callee'):
            continue
        if f.kind == 'python' and (before is None or not (
                before.kind in ('python', 'lost') or LOOP.match(before.name) or
                NAMELESS.search(before.name))):
            yield 'no loop runs %s' % f.name
        if before is not None and before.kind == 'c' and \
                LOOP.match(before.name) and f.kind != 'python' and seen:
            yield 'a loop without Python above %s' % f.name
        seen = seen or f.kind == 'python'
        before = f

def dump(pid, option):
    done = subprocess.run(['tach-record', '--dump', option, '-p', str(pid)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit('%s: %s' % (done.args, done.stderr))
    return done.stdout

class Counts:
    """What was found in stacks; each wrong one goes to standard error."""

    def __init__(self):
        self.wrong = self.lost = self.total = self.c_frames = 0
        self.causes = collections.Counter()

    def judge(self, edges, text, whole):
        for stack in stacks(text):
            faults = [f for f in (judge_loops(stack) if whole else
                                  judge_calls(edges, stack)) if f]
            lost = [f.where for f in stack if f.kind == 'lost']
            self.total += 1
            self.c_frames += sum(f.kind == 'c' for f in stack)
            self.causes.update(lost)
            self.lost += bool(lost)
            self.wrong += bool(faults)
            if faults:
                print(*faults, sep='\n', file=sys.stderr)
                print(*('    %s %s (%s)' % f for f in stack), sep='\n',
                      file=sys.stderr)

    def is_bad(self):
        return self.wrong > 0 or self.c_frames == 0

    def __str__(self):
        return '%d stacks, %d wrong, %d not exact, %d frames of C%s' % (
            self.total, self.wrong, self.lost, self.c_frames,
            ''.join('; %d %s' % cause[::-1] for cause in self.causes.most_common()))

def main(pid, stops, path):
    edges = edges_of(path)
    counts = Counts()
    for i in range(int(stops)):
        whole = i % 3 == 2
        counts.judge(edges, dump(pid, '--native=all' if whole else '--native'), whole)
    print(counts)
    return counts.is_bad()

if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
