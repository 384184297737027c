"""Writes every code object of the standard library's modules as positions
reads them, and what co_positions() says of each of their instructions.
positions.py TABLES EXPECTED [MODULES]"""
import os
import sys
import sysconfig
import types


def codes(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes(const)


def sources(limit):
    top = sysconfig.get_path('stdlib')
    n = 0
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in ('site-packages', 'dist-packages', 'test', 'idlelib'))
        for name in sorted(names):
            if name.endswith('.py') and n < limit:
                n += 1
                yield os.path.join(folder, name)


def main(tables, expected, limit=10**9):
    with open(tables, 'w') as t, open(expected, 'w') as e:
        for path in sources(int(limit)):
            try:
                with open(path, 'rb') as f:
                    top = compile(f.read(), path, 'exec', dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            for code in codes(top):
                t.write(f'{code.co_firstlineno} {len(code.co_code) // 2} {code.co_linetable.hex()}\n')
                for position in code.co_positions():
                    e.write(' '.join('-1' if x is None else str(x) for x in position) + '\n')


main(*sys.argv[1:])
