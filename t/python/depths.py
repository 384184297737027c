# SPDX-License-Identifier: ISC
"""The depths of evaluation stacks, for t/unit/depths: depths.py OUT [MODULES].

Three kinds of truth go into OUT, each as records of native 32-bit integers (struct head
of t/unit/depths.c tells them):

expected  of a hundred modules of the standard library, by dis.stack_effect along all
          paths (3.9 to 3.13; its numbers for 3.6 to 3.8 are bounds); also of bytecode
          that the interpreter has specialised or instrumented meanwhile
depths    seen by a trace function in the memory of the frame that it is called for.  To
          be called at each instruction, the modules get tables of lines in which
          each instruction has a line of its own
calls     seen by a profile function as C is called, or by what C calls: the slots of
          the frame's stack that hold the callable
"""
import ctypes
import dis
import functools
import importlib.machinery
import importlib.util
import os
import struct
import sys
import sysconfig
import types
import warnings

MINOR = sys.version_info[1]
FREE_THREADED = bool(sysconfig.get_config_var('Py_GIL_DISABLED'))
EXPECTED = MINOR >= 9
NOT_COMPARED = -2
EXTENDED_ARG = dis.EXTENDED_ARG


# ---- what is expected ------------------------------------------------------------


def instructions(code):
    """(unit, opcode, operand, units), EXTENDED_ARG included, caches not."""
    raw = code.co_code
    caches = getattr(dis, '_inline_cache_entries', None)
    if hasattr(caches, 'get'):
        named = caches
        caches = [named.get(dis.opname[i], 0) for i in range(256)]
    operand = unit = 0
    while 2 * unit < len(raw):
        opcode = raw[2 * unit]
        operand = operand << 8 | raw[2 * unit + 1]
        size = 1 + (caches[opcode] if caches else 0)
        yield unit, opcode, operand, size
        if opcode != EXTENDED_ARG:
            operand = 0
        unit += size


STOPS = {'RETURN_VALUE', 'RETURN_CONST', 'RAISE_VARARGS', 'RERAISE', 'JUMP_FORWARD',
         'JUMP_ABSOLUTE', 'JUMP_BACKWARD', 'JUMP_BACKWARD_NO_INTERRUPT',
         'INTERPRETER_EXIT'}


def effect(opcode, operand, jump):
    name = dis.opname[opcode]
    if name == 'RETURN_GENERATOR':
        return 1
    if MINOR == 11 and name in ('PRECALL', 'CALL'):
        return 0 if name == 'PRECALL' else -1 - operand
    if opcode < dis.HAVE_ARGUMENT:
        operand = None if MINOR < 13 else 0
    return dis.stack_effect(opcode, operand, jump=jump)


def target(unit, size, opcode, operand):
    scale = 2 if MINOR < 10 else 1
    if opcode in dis.hasjabs:
        return operand // scale
    if 'BACKWARD' in dis.opname[opcode]:
        operand = -operand
    return unit + size + operand // scale


def expected(code):
    found = {u: rest for u, *rest in instructions(code)}
    depths = [-1] * (len(code.co_code) // 2)
    first = dis.opname[code.co_code[0]]
    paths = [(0, 1 if first == 'GEN_START' else 0)]
    if MINOR >= 11:
        for entry in dis._parse_exception_table(code):
            paths.append((entry.target // 2, entry.depth + entry.lasti + 1))
    while paths:
        unit, depth = paths.pop()
        if depths[unit] >= 0:
            assert depths[unit] == depth, (code, unit, depths[unit], depth)
            continue
        depths[unit] = depth
        opcode, operand, size = found[unit]
        if opcode == EXTENDED_ARG:
            paths.append((unit + 1, depth))
            continue
        # END_ASYNC_FOR has the place that it ends, and jumps nowhere.
        if (opcode in dis.hasjrel or opcode in dis.hasjabs) and \
                dis.opname[opcode] != 'END_ASYNC_FOR':
            paths.append((target(unit, size, opcode, operand),
                          depth + effect(opcode, operand, True)))
        if dis.opname[opcode] not in STOPS:
            paths.append((unit + size, depth + effect(opcode, operand, False)))
    return depths


# ---- records ---------------------------------------------------------------------


def padded(data):
    return data + b'\0' * (-len(data) % 4)


def record(out, code, bytecode=None, strict=True, depths=(), calls=()):
    bytecode = bytecode or code.co_code
    table = getattr(code, 'co_exceptiontable', b'')
    numbers = expected(code) if EXPECTED and not depths and not calls else []
    out.write(struct.pack('=8i', MINOR, len(bytecode) // 2, len(table),
                          code.co_stacksize, bool(numbers), strict, len(depths),
                          len(calls)))
    out.write(padded(bytecode) + padded(table))
    for pair in depths:
        numbers += pair
    for unit, depth, slots in calls:
        numbers += [unit, depth, len(slots)] + slots
    out.write(struct.pack('=%di' % len(numbers), *numbers))


def codes(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            for inner in codes(const):
                yield inner


def sources():
    for folder, folders, names in os.walk(sysconfig.get_path('stdlib')):
        folders[:] = sorted(f for f in folders
                            if f not in ('test', 'tests', 'idlelib', 'lib2to3') and
                            not f.endswith('-packages'))
        for name in sorted(names):
            if name.endswith('.py'):
                yield os.path.join(folder, name)


def library(out, limit):
    paths = list(sources())
    for path in paths[::max(1, len(paths) // limit)][:limit]:
        try:
            with open(path, 'rb') as f:
                code = compile(f.read(), path, 'exec', dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        for inner in codes(code):
            record(out, inner)


# ---- memory of frames ------------------------------------------------------------

HEAD = 32 if FREE_THREADED else 16  # of an object
ADDRESS = ctypes.c_uint64


def slots_of(frame):
    """Where the evaluation stack begins."""
    if MINOR < 11:
        return ADDRESS.from_address(id(frame) + 64).value  # f_valuestack
    code = frame.f_code
    named = len(code.co_varnames) + len(code.co_freevars) + sum(
        name not in code.co_varnames for name in code.co_cellvars)
    inner = ADDRESS.from_address(id(frame) + HEAD + 8).value  # f_frame
    return inner + (72 if MINOR < 14 else 80) + 8 * named


def depth_of(frame):
    """None if the interpreter has not saved it."""
    if MINOR < 10:
        top = ADDRESS.from_address(id(frame) + 72).value  # f_stacktop
        return (top - slots_of(frame)) // 8 if top else None
    if MINOR == 10:
        return ctypes.c_int.from_address(id(frame) + 80).value  # f_stackdepth
    inner = ADDRESS.from_address(id(frame) + HEAD + 8).value
    if MINOR < 14:
        top = ctypes.c_int.from_address(inner + 64).value  # stacktop
        return top - (slots_of(frame) - inner - 72) // 8 if top >= 0 else None
    top = ADDRESS.from_address(inner + 64).value  # stackpointer
    return (top - slots_of(frame)) // 8 if top else None


SEEN, CALLED = {}, {}
CODES = {}  # by id: to hash one takes as long as it is


def trace(frame, event, arg):
    code, unit = frame.f_code, frame.f_lasti // 2
    where = id(code), unit
    if event == 'line' and where not in SEEN:
        CODES[id(code)] = code
        SEEN[where] = depth_of(frame)
    return trace


def callables(function):
    """The function and the descriptors that it may have been bound from."""
    yield id(function)
    for kind in type(function.__self__).__mro__:
        yield id(kind.__dict__.get(function.__name__))


def note_call(frame, wanted):
    """The slots that hold one of the addresses."""
    code, where = frame.f_code, (id(frame.f_code), frame.f_lasti // 2)
    area = (ADDRESS * code.co_stacksize).from_address(slots_of(frame))
    slots = [i for i, value in enumerate(area) if value & ~7 in wanted]
    CODES[id(code)] = code
    CALLED[where] = depth_of(frame) if MINOR >= 14 else -1, slots


def profile(frame, event, function):
    if event == 'c_call' and (id(frame.f_code), frame.f_lasti // 2) not in CALLED:
        note_call(frame, set(callables(function)) - {id(None)})


def probe():
    """Called by C, which a frame below it calls: also where no one traces it."""
    found = functools.partial(lambda *a, **k: note_call(sys._getframe(1), {id(found)}))
    return found


# ---- programs --------------------------------------------------------------------


def lines(code):
    """A table in which each instruction has a line of its own."""
    sizes, size = [], 0
    for _, opcode, _, units in instructions(code):
        size += units
        if opcode != EXTENDED_ARG:
            sizes.append(size)
            size = 0
    if MINOR < 10:
        return b''.join(struct.pack('BB', 2 * n, 1) for n in sizes)
    if MINOR == 10:
        return b''.join(struct.pack('BB', 2 * n, 1) for n in sizes)
    out = b''
    for n in sizes:  # a line without columns, one more, or the same
        delta = 2
        while n > 0:
            out += struct.pack('BB', 0x80 | 13 << 3 | min(n, 8) - 1, delta)
            delta, n = 0, n - 8
    return out


def relined(code):
    consts = tuple(relined(c) if isinstance(c, types.CodeType) else c
                   for c in code.co_consts)
    if MINOR < 8:
        return types.CodeType(
            code.co_argcount, code.co_kwonlyargcount, code.co_nlocals,
            code.co_stacksize, code.co_flags, code.co_code, consts, code.co_names,
            code.co_varnames, code.co_filename, code.co_name, code.co_firstlineno,
            lines(code), code.co_freevars, code.co_cellvars)
    name = 'co_lnotab' if MINOR < 10 else 'co_linetable'
    return code.replace(co_consts=consts, **{name: lines(code)})


def run_library():
    import argparse
    import configparser
    import difflib
    import html.parser
    import json
    import pprint
    import shlex
    import string
    import textwrap
    import urllib.parse
    import email
    import _pydecimal
    import calendar
    import statistics
    import fractions
    import csv
    json.loads(json.dumps([{'a': [1, 2.5, None], 'b': 'c\u1234'}] * 3, indent=1))
    json.JSONDecoder(object_hook=dict).decode('{"a": {"b": [1, "x"]}}')
    p = argparse.ArgumentParser()
    p.add_argument('-x', type=int, default=1)
    p.add_argument('y', nargs='*')
    p.parse_args(['-x', '2', 'a', 'b']), p.format_help()
    c = configparser.ConfigParser()
    c.read_string('[a]\nb = 1\nc = %(b)s\n')
    c.getint('a', 'c')
    list(difflib.unified_diff('a b c d'.split(), 'a c d e'.split()))
    html.parser.HTMLParser().feed('<a href="x">y&amp;</a><!-- c -->')
    pprint.pformat({'a': list(range(40)), 'b': {'c': ('d',) * 30}})
    shlex.split('a "b c" d'), string.Template('$a').substitute(a=1)
    textwrap.fill('lorem ipsum dolor ' * 10, 30)
    urllib.parse.urlencode(urllib.parse.parse_qs('a=1&b=2&a=3'), True)
    email.message_from_string('Subject: x\nTo: a@b.c\n\nbody\n').as_string()
    _pydecimal.Decimal('1.5').sqrt() * 3, calendar.month(2024, 2)
    statistics.stdev([1, 2, 3.5]), fractions.Fraction('3/7') + 1
    list(csv.DictReader(['a,b', '1,2']))


def load(path):
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_all(shapes):
    module = load(shapes)
    module.main(relined)
    f, g = (types.FunctionType(relined(f.__code__), f.__globals__)
            for f in module.many_constants())
    f(1), g(*range(300))
    run_library()


def write_seen(out, as_it_is=False):
    found = {}
    for (code, unit), depth in SEEN.items():
        if depth is not None:
            found.setdefault(code, ([], []))[0].append((unit, depth))
    for (code, unit), (depth, slots) in CALLED.items():
        if slots:
            found.setdefault(code, ([], []))[1].append((unit, depth, slots))
    for code, (depths, calls) in found.items():
        code = CODES[code]
        bytecode = getattr(code, '_co_code_adaptive', None) if as_it_is else None
        record(out, code, bytecode, depths=depths, calls=calls)
    SEEN.clear()
    CALLED.clear()


def observe(out, shapes):
    """The same with trace and profile functions, in modules that are loaded anew."""
    old = importlib.machinery.SourceFileLoader.get_code
    importlib.machinery.SourceFileLoader.get_code = \
        lambda self, name: relined(old(self, name))
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        run_all(shapes)
    finally:
        sys.setprofile(None)
        sys.settrace(None)
        importlib.machinery.SourceFileLoader.get_code = old
    write_seen(out)


def untraced(out, shapes):
    """Calls of instructions that were specialised long ago."""
    module, called = load(shapes), probe()
    for _ in range(50):
        module.sites(called)
    write_seen(out, True)


def functions(names):
    for name in names:
        for value in list(vars(sys.modules[name]).values()):
            inner = list(vars(value).values()) if isinstance(value, type) else []
            for f in [value] + inner:
                if isinstance(f, types.FunctionType):
                    yield f.__code__


def changed(out, shapes):
    """What the interpreter makes of bytecode that has run often enough or, from 3.12 on,
    is traced: an opcode that calls for each line hides the one below it."""
    before = set(sys.modules)
    for setter, times, strict in ((None, 10, True), (sys.setprofile, 1, True),
                                  (sys.settrace, 1, False)):
        if setter:
            setter(lambda *args: None if strict else ignore)
        for _ in range(times):
            run_all(shapes)
        for code in set(functions(set(sys.modules) - before)):
            if code._co_code_adaptive != code.co_code:
                record(out, code, code._co_code_adaptive, strict)
        if setter:
            setter(None)
    for name in set(sys.modules) - before:
        del sys.modules[name]


def ignore(*args):
    return ignore


def main(path, shapes, limit=100):
    warnings.simplefilter('ignore')
    with open(path, 'wb') as out:
        library(out, int(limit))
        if MINOR >= 11:
            changed(out, shapes)
        untraced(out, shapes)
        observe(out, shapes)


main(*sys.argv[1:])
