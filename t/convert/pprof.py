#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Prints what a profile of pprof's says, or why it is no such profile.

    pprof.py [FILE]

It knows the format by itself, and is strict: a field that is not expected, a
string that is no UTF-8, an index or an id of nothing are errors.  Names are
printed as Python literals without their quotes.
"""

import gzip
import io
import sys

from wire import decode, literal

# As wire.py has them.
MESSAGES = {
    'Profile': {
        1: ('types', 'ValueType', True), 2: ('samples', 'Sample', True),
        3: ('mappings', 'Mapping', True), 4: ('locations', 'Location', True),
        5: ('functions', 'Function', True), 6: ('strings', 'string', True),
        9: ('time', 'int', False), 10: ('duration', 'int', False),
        11: ('period_type', 'ValueType', False),
        12: ('period', 'int', False), 14: ('default', 'int', False)},
    'ValueType': {1: ('type', 'int', False), 2: ('unit', 'int', False)},
    'Sample': {1: ('stack', 'ints', True), 2: ('values', 'ints', True),
               3: ('labels', 'Label', True)},
    'Label': {1: ('key', 'int', False), 2: ('str', 'int', False),
              3: ('num', 'int', False)},
    'Mapping': {1: ('id', 'int', False), 2: ('start', 'int', False),
                3: ('limit', 'int', False), 4: ('offset', 'int', False), 6: ('build', 'int', False),
                5: ('file', 'int', False),
                7: ('has_functions', 'int', False),
                8: ('has_filenames', 'int', False),
                9: ('has_lines', 'int', False)},
    'Location': {1: ('id', 'int', False), 2: ('mapping', 'int', False),
                 3: ('address', 'int', False),
                 4: ('lines', 'Line', True)},
    'Line': {1: ('function', 'int', False), 2: ('line', 'int', False),
             3: ('column', 'int', False)},
    'Function': {1: ('id', 'int', False), 2: ('name', 'int', False),
                 4: ('file', 'int', False)},
}


def by_id(entries):
    known = {entry['id']: entry for entry in entries}
    assert 0 not in known and len(known) == len(entries), 'bad ids'
    return known


def main():
    file = open(sys.argv[1], 'rb') if sys.argv[1:] else sys.stdin.buffer
    raw = file.read()
    data = gzip.decompress(raw)
    # What is left of a pipe for one who opens it again after eight bytes.
    assert gzip.GzipFile(fileobj=io.BytesIO(raw[8:])).read() == data
    p = decode(data, 'Profile', MESSAGES)
    string = [literal(s) for s in p['strings']].__getitem__
    assert p['strings'][0] == '', 'the first string is not empty'

    def named(value_type):
        return f"{string(value_type['type'])}/{string(value_type['unit'])}"

    mappings = by_id(p['mappings'])
    program = p['mappings'][0]['file']
    assert all(m['has_functions'] == m['has_filenames'] == m['has_lines'] == 1
               for m in mappings.values())
    assert len({(m['file'], m['build'])
                for m in mappings.values()}) == len(mappings)
    functions = by_id(p['functions'])
    locations = by_id(p['locations'])
    stacks = {}
    for number, location in locations.items():
        module = mappings[location['mapping']]['file']
        (line,) = location['lines']
        function = functions[line['function']]
        mapping = mappings[location['mapping']]
        if location['address']:
            assert mapping['start'] <= location['address'] < mapping['limit']
        assert module == program or (location['address'] > 0 if line['line'] else
                                     module == function['file'])
        stacks[number] = (f"{string(function['name'])} "
                          f"{string(function['file'])}:{line['line']}"
                          f":{line['column']}")
    print('types', *map(named, p['types']))
    print('default', string(p['default']))
    print('period', p['period'], named(p['period_type']))
    print('duration', p['duration'])
    if p['time']:
        print('time', p['time'])
    print('program', string(program))
    total = [0] * len(p['types'])
    lines = []
    for sample in p['samples']:
        assert sample['stack'], 'a sample has no stack'
        assert len(sample['values']) == len(total)
        total = [a + b for a, b in zip(total, sample['values'])]
        labels = [f"{string(label['key'])}="
                  f"{string(label['str']) or label['num']}"
                  for label in sample['labels']]
        stack = '; '.join(stacks[i] for i in reversed(sample['stack']))
        lines.append('\t'.join([*map(str, sample['values']), *labels, stack]))
    print(*sorted(lines), sep='\n', end='\n' if lines else '')
    print('total', *total)


main()
