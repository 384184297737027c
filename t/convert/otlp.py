#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Prints what a request with OpenTelemetry's profiles says, or why it is none.

    otlp.py [FILE]
    otlp.py --collapsed FILE

The second form prints the stacks and how many samples they have, as tach-convert
--collapsed --frame austin does, but of all threads.  It knows the format by itself, and is strict: a field that is not expected, a
string that is no UTF-8, an index of nothing, an entry that is there twice or that
nothing refers to are errors.  otlp.cjs prints the same by the published format.
Names are in JSON without the quotes.
"""
import json
import sys
from collections import Counter

from wire import decode

# As wire.py has them.
MESSAGES = {
    'Request': {1: ('resources', 'Resources', True),
                2: ('dictionary', 'Dictionary', False)},
    'Resources': {1: ('resource', 'Resource', False),
                  2: ('scopes', 'Scopes', True)},
    'Resource': {1: ('attributes', 'KeyValue', True)},
    'KeyValue': {1: ('key', 'string', False), 2: ('value', 'Value', False)},
    'Value': {1: ('string', 'string', False), 3: ('int', 'int', False)},
    'Scopes': {1: ('scope', 'Scope', False), 2: ('profiles', 'Profile', True)},
    'Scope': {1: ('name', 'string', False), 2: ('version', 'string', False)},
    'Profile': {
        1: ('type', 'ValueType', False), 2: ('samples', 'Sample', True),
        3: ('time', 'fixed', False), 4: ('duration', 'int', False), 5: ('period_type', 'ValueType', False),
        6: ('period', 'int', False)},
    'ValueType': {1: ('type', 'int', False), 2: ('unit', 'int', False)},
    'Sample': {1: ('stack', 'int', False), 2: ('attributes', 'ints', True),
               4: ('values', 'ints', True), 5: ('times', 'fixeds', True)},
    'Dictionary': {
        1: ('mappings', 'Mapping', True), 2: ('locations', 'Location', True),
        3: ('functions', 'Function', True), 4: ('links', 'Link', True),
        5: ('strings', 'string', True), 6: ('attributes', 'Attribute', True),
        7: ('stacks', 'Stack', True)},
    'Mapping': {1: ('start', 'int', False), 2: ('limit', 'int', False),
                3: ('offset', 'int', False), 4: ('file', 'int', False),
                5: ('attributes', 'ints', True)},
    'Location': {1: ('mapping', 'int', False), 2: ('address', 'int', False),
                 3: ('lines', 'Line', True),
                 4: ('attributes', 'ints', True)},
    'Line': {1: ('function', 'int', False), 2: ('line', 'int', False),
             3: ('column', 'int', False)},
    'Function': {1: ('name', 'int', False), 3: ('file', 'int', False)},
    'Link': {1: ('trace', 'bytes', False), 2: ('span', 'bytes', False)},
    'Attribute': {1: ('key', 'int', False), 2: ('value', 'Value', False)},
    'Stack': {1: ('locations', 'ints', True)},
}


def literal(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def value_of(value):
    (kind,) = value['']
    return literal(value['string']) if kind == 'string' else str(value['int'])


class Dictionary:
    def __init__(self, tables):
        self.tables = tables
        self.referred = set()
        assert tables['strings'][0] == ''
        assert tables['links'] == [{'trace': bytes(16), 'span': bytes(8),
                                    '': {'trace', 'span'}}]
        for name in ('mappings', 'locations', 'functions', 'attributes',
                     'stacks'):
            assert not tables[name][0][''], f'{name} have no empty entry'

    def get(self, table, index):
        assert 0 < index < len(self.tables[table]), (table, index)
        self.referred.add((table, index))
        return self.tables[table][index]

    def string(self, index):
        return literal(self.get('strings', index)) if index else ''

    def type(self, value_type):
        return (f"{self.string(value_type['type'])}/"
                f"{self.string(value_type['unit'])}")

    def attributes(self, indices):
        found = [self.get('attributes', i) for i in indices]
        found = [f"{self.string(a['key'])}={value_of(a['value'])}"
                 for a in found]
        assert len({a.split('=')[0] for a in found}) == len(found)
        return found

    def location(self, index):
        location = self.get('locations', index)
        mapping = self.get('mappings', location['mapping'])
        (line,) = location['lines']
        function = self.get('functions', line['function'])
        build = self.attributes(mapping['attributes'])
        assert all(b.startswith('process.executable.build_id.gnu=') for b in build)
        if location['address']:
            assert mapping['start'] <= location['address'] < mapping['limit']
        assert (self.string(mapping['file']).startswith('python') or
                mapping['file'] == function['file'] or
                line['line'] > 0 and location['address'] > 0)
        return (self.string(function['name']), self.string(function['file']),
                line['line'], line['column'],
                self.attributes(location['attributes']))

    def stack(self, index):
        locations = self.get('stacks', index)['locations']
        assert locations, 'a stack has no frames'
        return [self.location(i) for i in reversed(locations)]

    def check(self):
        """Nothing is there twice, or for nothing."""
        for name in ('mappings', 'locations', 'functions', 'strings',
                     'attributes', 'stacks'):
            table = self.tables[name]
            assert len(set(map(repr, map(plain, table)))) == len(table), name
            left = [i for i in range(1, len(table))
                    if (name, i) not in self.referred]
            assert not left, (name, left)


def plain(entry):
    """An entry without the sets, which have no order."""
    if isinstance(entry, dict):
        return {k: plain(v) for k, v in entry.items() if k}
    return [plain(e) for e in entry] if isinstance(entry, list) else entry


def long_text(stack):
    return '; '.join(' '.join([f'{name} {file}:{line}:{column}', *attributes])
                     for name, file, line, column, attributes in stack)


def short_text(stack):
    return ';'.join(f'{file}:{name}:{line}' if file else name
                    for name, file, line, _, _ in stack)


def at_times(times):
    return ['at', *times] if any(times) else []


def print_collapsed(dictionary, profile):
    stacks = Counter()
    for sample in profile['samples']:
        stacks[short_text(dictionary.stack(sample['stack']))] += \
            sum(sample['values'])
    for stack, count in stacks.items():
        print(stack, count)


def main():
    collapsed = sys.argv[1:] and sys.argv[1] == '--collapsed'
    if collapsed:
        del sys.argv[1]
    file = open(sys.argv[1], 'rb') if sys.argv[1:] else sys.stdin.buffer
    request = decode(file.read(), 'Request', MESSAGES)
    (resources,) = request['resources']
    (scopes,) = resources['scopes']
    dictionary = Dictionary(request['dictionary'])
    if collapsed:
        print_collapsed(dictionary, scopes['profiles'][0])
        return
    for fact in resources['resource']['attributes']:
        print(f"{fact['key']}={value_of(fact['value'])}")
    print('scope', scopes['scope']['name'], scopes['scope']['version'])
    for profile in scopes['profiles']:
        kind = dictionary.type(profile['type'])
        print('profile', kind, 'period', profile['period'],
              dictionary.type(profile['period_type']), 'duration',
              profile['duration'], *at_times([profile['time']]))
        lines, total = [], 0
        for sample in profile['samples']:
            values, times = sample['values'], sample['times']
            assert len(values) == (len(times) or 1)
            assert all(profile['time'] <= t <= profile['time'] +
                       profile['duration'] for t in times)
            total += sum(values)
            lines.append('\t'.join(
                [' '.join(map(str, [*values, *at_times(times)])),
                 *dictionary.attributes(sample['attributes']),
                 long_text(dictionary.stack(sample['stack']))]))
        print(*sorted(lines), sep='\n', end='\n' if lines else '')
        print('total', kind.split('/')[0], total)
    dictionary.check()


main()
