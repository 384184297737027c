# SPDX-License-Identifier: ISC
"""Where every instruction of the standard library is, as the interpreter says
it, beside the tables that say so: positions.py OUT [MODULES].

OUT holds one record a code object, of native 32-bit integers: the form of the
table (0 to 3.9, 1 in 3.10, 2 later), the first line, the number of code units,
the size of the table; then the table, padded to four bytes; then for each code
unit line, end line, column and end column, or -1.
"""
import array
import dis
import importlib.util
import marshal
import os
import struct
import sys
import sysconfig
import types
import warnings

FORM = 0 if sys.version_info < (3, 10) else sys.version_info >= (3, 11) and 2 or 1
PYC_HEAD = 12 if sys.version_info < (3, 7) else 16


def codes(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes(const)


def sources():
    for folder, folders, names in os.walk(sysconfig.get_path('stdlib')):
        folders[:] = sorted(f for f in folders if not f.endswith('-packages'))
        for name in sorted(names):
            if name.endswith('.py'):
                yield os.path.join(folder, name)


def load(path):
    """What was compiled when it was installed is not compiled again."""
    try:
        with open(importlib.util.cache_from_source(path), 'rb') as f:
            data = f.read()
        if data.startswith(importlib.util.MAGIC_NUMBER):
            return marshal.loads(data[PYC_HEAD:])
    except OSError:
        pass
    try:
        with open(path, 'rb') as f:
            return compile(f.read(), path, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError):  # some of the tests are that
        return None


def positions(code, units):
    if FORM == 2:
        return [-1 if x is None else x
                for position in code.co_positions() for x in position]
    lines = [-1] * units
    if FORM == 1:
        for start, end, line in code.co_lines():
            if line is not None:
                lines[start // 2:end // 2] = [line] * ((end - start) // 2)
    else:
        starts = list(dis.findlinestarts(code)) + [(2 * units, 0)]
        for (start, line), (end, _) in zip(starts, starts[1:]):
            lines[start // 2:end // 2] = [line] * ((end - start) // 2)
    return [x for line in lines for x in (line, -1, -1, -1)]


def main(out, limit=10**9):
    warnings.simplefilter('ignore')
    with open(out, 'wb') as f:
        for n, path in enumerate(sources()):
            if n == int(limit):
                break
            for code in codes(load(path) or compile('', path, 'exec')):
                table = code.co_linetable if FORM else code.co_lnotab
                units = len(code.co_code) // 2
                f.write(struct.pack('=4i', FORM, code.co_firstlineno, units,
                                    len(table)))
                f.write(table + b'\0' * (-len(table) % 4))
                f.write(array.array('i', positions(code, units)).tobytes())


main(*sys.argv[1:])
