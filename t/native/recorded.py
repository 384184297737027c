# SPDX-License-Identifier: ISC
"""recorded.py EDGES [all] <SAMPLES: judges the stacks of a recording of mixed.py by the
calls that are possible, as stops.py does.

EDGES: what mixed.py --edges prints; SAMPLES: what `tach-convert --jsonl` prints.  With
`all`, the recording was made with --native=all.

Prints a line: samples, how many of them are wrong, how many are not exact, and how many
have a function of C.  Each wrong stack goes to standard error.  The status is 1 if there
is one, or if no stack has a function of C.
"""
import json
import re
import sys

import stops

# Names of C++ have colons, too.
PLACE = re.compile(r'(.*?):(.*):(\d+)$')

def frame(text):
    m = PLACE.match(text)
    if not m:
        return stops.Frame('lost' if text == stops.LOST else 'mark', text, '')
    file, name = m[1], m[2]
    if file.endswith('.py') or name == '<module>':
        return stops.Frame('python', name.split('.')[-1], file)
    if file == '<built-in>':
        return stops.Frame('callee', name, file)
    return stops.Frame('c' if file.startswith('/') else 'mark', name, file)

class Judge:
    """Judges samples; equal stacks once."""

    def __init__(self, edges, whole):
        self.edges, self.whole = edges, whole
        self.stacks = {}

    def of(self, line):
        """A sample's frames, innermost first; the faults in them; whether it is the
        first one of these."""
        stack = tuple(json.loads(line)['stack'])
        if stack in self.stacks:
            return (*self.stacks[stack], False)
        frames = [frame(f) for f in reversed(stack)]
        faults = stops.judge_loops(frames) if self.whole else \
            stops.judge_calls(self.edges, frames)
        self.stacks[stack] = frames, [f for f in faults if f]
        return (*self.stacks[stack], True)

def main(path, whole=None):
    judge = Judge(stops.edges_of(path), whole)
    total = wrong = lost = mixed = 0
    for line in sys.stdin:
        frames, faults, is_first = judge.of(line)
        if faults and is_first:
            print(*faults, sep='\n', file=sys.stderr)
            print(*('    %s %s (%s)' % f for f in frames), sep='\n', file=sys.stderr)
        total += 1
        wrong += bool(faults)
        mixed += any(f.kind == 'c' for f in frames)
        lost += any(f.kind == 'lost' for f in frames)
    print('%d samples, %d wrong, %d not exact, %d with functions of C' % (
        total, wrong, lost, mixed))
    return wrong > 0 or mixed == 0

if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
