# SPDX-License-Identifier: ISC
"""Compares what t/unit/symbols prints with the symbols of files, as nm tells them.

    nm.py FILE... <SYMBOLS

FILEs are those whose symbols may have been found.  Prints how many functions have a
right name, a wrong one and none; and the wrong ones.  A function of a stripped Python
that only CPython's tables name counts as one without a name.
"""
import collections
import re
import subprocess
import sys

# Parts and copies of a function have its name; so has it without a version.
MARK = re.compile(r'(?<=.)(\.(cold|part|isra|constprop|lto_priv|localalias)\b|@).*')


def symbols_of(paths):
    names = collections.defaultdict(set)
    for path in paths:
        for option in '--no-sort', '-D':
            out = subprocess.run(['nm', option, path], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL,
                                 universal_newlines=True).stdout
            for line in out.splitlines():
                fields = line.split()
                if len(fields) == 3:
                    names[int(fields[0], 16)].add(MARK.sub('', fields[2]))
    return names


def main(paths):
    names, counts = symbols_of(paths), collections.Counter()
    for line in sys.stdin:
        _, start, source, name = line.rstrip('\n').split(' ', 3)
        if source in ('nameless', '-') or (
                source == 'python' and not names[int(start, 16)]):
            kind = 'none'
        else:
            kind = 'right' if name in names[int(start, 16)] else 'wrong'
        counts[kind] += 1
        if kind == 'wrong':
            print(line, names[int(start, 16)])
    print(*('%s=%d' % (k, counts[k]) for k in ('right', 'wrong', 'none')))


main(sys.argv[1:])
