#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Prints what a trace of Perfetto's says, or why it is no such trace.

    perfetto.py [FILE]

It knows the format by itself, and is strict: a field that is not expected, a
packet that refers to what was not interned since the state was cleared, or a
number that is interned twice, are errors.  Names are printed as Python literals
without their quotes, behind a mark of the kind of a frame.
"""
import sys

from wire import decode, literal

# As wire.py has them.
MESSAGES = {
    'Trace': {1: ('packets', 'TracePacket', True)},
    'TracePacket': {
        6: ('clocks', 'Clocks', False), 8: ('timestamp', 'int', False), 10: ('sequence', 'int', False),
        12: ('interned', 'InternedData', False), 13: ('flags', 'int', False),
        59: ('defaults', 'Defaults', False), 60: ('track', 'Track', False),
        87: ('first', 'int', False), 135: ('sample', 'StackSample', False)},
    'Clocks': {1: ('clocks', 'Clock', True), 2: ('primary', 'int', False)},
    'Clock': {1: ('id', 'int', False), 2: ('time', 'int', False)},
    'Defaults': {100: ('samples', 'SampleDefaults', False)},
    'SampleDefaults': {
        1: ('source', 'string', False), 2: ('primary', 'Counter', False),
        3: ('followers', 'Counter', True)},
    'Counter': {2: ('name', 'string', False), 3: ('unit', 'int', False)},
    'StackSample': {
        2: ('task', 'int', False), 6: ('stack', 'int', False),
        11: ('primary', 'int', False), 14: ('followers', 'ints', True)},
    'Track': {1: ('uuid', 'int', False), 3: ('process', 'Process', False),
              4: ('thread', 'Thread', False)},
    'Process': {1: ('pid', 'int', False), 6: ('name', 'string', False)},
    'Thread': {1: ('pid', 'int', False), 2: ('tid', 'int', False),
               5: ('name', 'string', False)},
    'InternedData': {
        5: ('functions', 'String', True), 6: ('frames', 'Frame', True),
        7: ('stacks', 'Callstack', True), 18: ('files', 'String', True),
        48: ('tasks', 'Task', True)},
    'String': {1: ('iid', 'int', False), 2: ('text', 'string', False)},
    'Frame': {
        1: ('iid', 'int', False), 2: ('function', 'int', False),
        5: ('file', 'int', False), 6: ('line', 'int', False),
        7: ('kind', 'int', False)},
    'Callstack': {1: ('iid', 'int', False), 2: ('frames', 'int', True)},
    'Task': {1: ('iid', 'int', False), 2: ('pid', 'int', False),
             3: ('tid', 'int', False)},
}
CLEARED, NEEDED = 1, 2
REALTIME, BOOTTIME = 1, 6
UNITS = {1: 'nanoseconds', 9: 'count'}
KINDS = {0: '', 1: 'native ', 2: 'kernel ', 3: 'py ', 5: 'gc '}


class Trace:
    """What is in a trace.  A sample is (time, (pid, tid), weights, stack), and a
    frame of a stack is (kind, function, file, line)."""

    def __init__(self, data):
        self.source, self.counters = None, []
        self.start = None
        self.processes, self.threads, self.samples = {}, {}, []
        self.generations = 0
        self.tracks = {}
        self.known = None
        packets = decode(data, 'Trace', MESSAGES)['packets']
        for n, packet in enumerate(packets):
            assert packet['sequence'] == 1
            assert packet['first'] == (n == 0)
            self.take(packet)
        # A packet of samples is not the last time that a thread was seen.
        assert all(who in self.threads for _, who, _, _ in self.samples)

    def take(self, packet):
        if packet['flags'] & CLEARED:
            self.clear(packet['defaults']['samples'])
        needy = packet['interned'] or packet['sample']
        assert packet['flags'] == (NEEDED if needy else
                                   CLEARED if packet['defaults'] else 0)
        for kind, entries in (packet['interned'] or {}).items():
            for entry in entries if kind else ():
                assert entry['iid'] > 0 and entry['iid'] not in self.known[kind]
                self.known[kind][entry['iid']] = self.resolve(kind, entry)
        if packet['track']:
            self.name(packet['track'])
        if packet['clocks']:
            self.set_clocks(packet['clocks'])
        if packet['sample']:
            assert 'timestamp' in packet['']
            self.add(packet['timestamp'], packet['sample'])

    def set_clocks(self, snapshot):
        assert self.start is None and snapshot['primary'] == BOOTTIME
        clocks = {clock['id']: clock['time'] for clock in snapshot['clocks']}
        assert set(clocks) == {REALTIME, BOOTTIME} and clocks[BOOTTIME] == 0
        assert all('time' in clock[''] for clock in snapshot['clocks'])
        self.start = clocks[REALTIME]

    def clear(self, defaults):
        self.generations += 1
        self.known = {name: {} for name, _, _ in
                      MESSAGES['InternedData'].values()}
        counters = [defaults['primary'], *defaults['followers']]
        counters = [f"{c['name']}/{UNITS[c['unit']]}" for c in counters]
        assert self.generations == 1 or \
            (self.source, self.counters) == (defaults['source'], counters)
        self.source, self.counters = defaults['source'], counters

    def resolve(self, kind, entry):
        known = self.known
        if kind in ('functions', 'files'):
            return entry['text']
        if kind == 'tasks':
            return entry['pid'], entry['tid']
        if kind == 'stacks':
            assert entry['frames'], 'a stack has no frames'
            return tuple(known['frames'][i] for i in entry['frames'])
        return (KINDS[entry['kind']], known['functions'][entry['function']],
                known['files'][entry['file']] if entry['file'] else '~',
                entry['line'])

    def name(self, track):
        assert track['uuid'] > 0
        process, thread = track['process'], track['thread']
        if process:
            who, names = process['pid'] & 0xffffffff, self.processes
        else:
            who, names = ((thread['pid'] & 0xffffffff, thread['tid']),
                          self.threads)
        assert self.tracks.setdefault(track['uuid'], who) == who
        names[who] = (process or thread)['name']

    def add(self, time, sample):
        weights = [sample['primary'], *sample['followers']]
        assert len(weights) == len(self.counters)
        who = self.known['tasks'][sample['task']]
        assert who[0] in self.processes
        self.samples.append((time, who, tuple(weights),
                             self.known['stacks'][sample['stack']]))


def text(frame):
    kind, function, file, line = frame
    return f'{kind}{literal(function)} {literal(file)}:{line}'


def main():
    file = open(sys.argv[1], 'rb') if sys.argv[1:] else sys.stdin.buffer
    trace = Trace(file.read())
    print('source', trace.source)
    print('counters', *trace.counters)
    if trace.start is not None:
        print('start', trace.start)
    for pid, name in sorted(trace.processes.items()):
        print('process', pid, literal(name))
    for who, name in sorted(trace.threads.items()):
        print('thread', *who, literal(name))
    for time, who, weights, stack in sorted(trace.samples,
                                            key=lambda s: s[:2]):
        print(time, *who, *weights, '; '.join(map(text, stack)), sep='\t')
    print('generations', trace.generations)
    print('total', len(trace.samples),
          *map(sum, zip(*(s[2] for s in trace.samples))))


if __name__ == '__main__':
    main()
