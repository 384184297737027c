# SPDX-License-Identifier: ISC
"""Prints the C functions behind the objects of this Python, and their names:

    FILE ADDR OWNER NAME

ADDR is as in FILE, an ELF file that this process has mapped.  NAME is a method's, an
attribute's or a slot's; OWNER is its type as in tp_name, or - for functions of modules.
They are found in live objects, whose structs are read by ctypes, and not in files.
Descriptor 7 is /proc, which a folder for chroot lacks.  Arguments are the modules that
are imported; else it is most of the standard library.
"""
import ctypes
import importlib
import os
import struct
import sys

HEAD = object.__basicsize__
MODULES = '''_asyncio _bisect _bz2 _codecs _collections _contextvars _csv _ctypes
_datetime _decimal _elementtree _functools _hashlib _heapq _io _json _lzma _operator
_pickle _queue _random _socket _sqlite3 _sre _ssl _struct _thread _tracemalloc _weakref
array binascii cmath errno fcntl itertools marshal math mmap posix pyexpat resource
select signal syslog time unicodedata zlib'''.split()
# What Python has several names for is one function of C.
SAME = {'radd': 'add', 'rsub': 'sub', 'rmul': 'mul', 'rmod': 'mod',
        'rdivmod': 'divmod', 'rpow': 'pow', 'rlshift': 'lshift',
        'rrshift': 'rshift', 'rand': 'and', 'rxor': 'xor', 'ror': 'or',
        'rfloordiv': 'floordiv', 'rtruediv': 'truediv', 'rmatmul': 'matmul',
        'delitem': 'setitem', 'delattr': 'setattr', 'delete': 'set',
        'getattr': 'getattribute'}
COMPARED = ('lt', 'le', 'eq', 'ne', 'gt', 'ge')


def words(addr, count):
    return struct.unpack('<%dQ' % count, ctypes.string_at(addr, 8 * count))


def text(addr):
    return ctypes.string_at(addr).decode('utf-8', 'replace')


def slot_name(name):
    plain = name.strip('_')
    if plain in COMPARED:
        return 'compare'
    return '__%s__' % SAME.get(plain, plain)


def type_name(o):
    """tp_name of a descriptor's type, which stands behind its count of items."""
    return text(words(words(id(o) + HEAD, 1)[0] + HEAD + 8, 1)[0])


def functions(o):
    """The functions of an object: (address, owner, last part of the name)."""
    kind = type(o).__name__
    if kind == 'builtin_function_or_method':
        name, function = words(words(id(o) + HEAD, 1)[0], 2)
        yield function, '-', text(name)
    elif kind in ('method_descriptor', 'classmethod_descriptor'):
        name, function = words(words(id(o) + HEAD + 24, 1)[0], 2)
        yield function, type_name(o), text(name)
    elif kind == 'getset_descriptor':
        name, getter, setter = words(words(id(o) + HEAD + 24, 1)[0], 3)
        yield getter, type_name(o), text(name)
        yield setter, type_name(o), 'set ' + text(name)
    elif kind == 'wrapper_descriptor':
        yield words(id(o) + HEAD + 32, 1)[0], type_name(o), slot_name(o.__name__)


def types(root, seen):
    for t in type.__subclasses__(root):
        if t not in seen:
            seen.add(t)
            types(t, seen)
    return seen


def objects():
    for name in sys.argv[1:] or MODULES + list(sys.builtin_module_names):
        if name[:1] == '_' and 'test' in name:
            continue
        try:
            importlib.import_module(name)
        except Exception:
            pass
    for module in list(sys.modules.values()):
        for o in list(getattr(module, '__dict__', {}).values()):
            yield o
    for t in types(object, {object}):
        for o in list(t.__dict__.values()):
            yield o


def files():
    """(start, end, base, path) of each file that is mapped as code."""
    first, found = {}, []
    with open(os.open('self/maps', os.O_RDONLY, dir_fd=7)) as f:
        for line in f:
            fields = line.split(None, 5)
            path = fields[5].rstrip('\n') if len(fields) > 5 else ''
            if not os.path.isfile(path):
                continue
            start, end = (int(n, 16) for n in fields[0].split('-'))
            base = first.setdefault(path, start - int(fields[2], 16))
            if 'x' in fields[1]:
                with open(path, 'rb') as g:
                    moved = g.read(18)[16] == 3
                found.append((start, end, base if moved else 0, path))
    return found


def main():
    seen = set()
    for o in objects():
        seen.update(functions(o))
    mapped = files()
    for addr, owner, name in sorted(seen):
        for start, end, base, path in mapped:
            if start <= addr < end:
                print(path, '%x' % (addr - base), owner, name)


main()
