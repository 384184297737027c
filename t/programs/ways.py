# SPDX-License-Identifier: ISC
"""Every way in which Python code calls Python code, above all those that
CPython specialises from 3.11 on.

    ways.py

runs each way until it is specialised, and prints what of that is not as it is
said here: a specialised instruction that nobody has looked at yet, or that
does not come about.  Exits 1 then.  As a module it has the parts of a load.
Wants Python 3.6 or later."""
import contextlib
import dis
import functools
import sys

PARTS = []
# What each way is specialised to, by version: any of these.
MADE_BY = {}
WARM = 200


def way(*instructions):
    """A part of the load, which has one of these instructions, as far as the
    version has any."""
    def note(function):
        PARTS.append(function)
        MADE_BY[function] = instructions
        return function
    return note


# Those that run no code of Python's: they load, store, test, compare and jump,
# or call what cannot call back.
QUIET = '''
BINARY_OP_ADAPTIVE BINARY_OP_ADD_FLOAT BINARY_OP_ADD_INT BINARY_OP_ADD_UNICODE
BINARY_OP_EXTEND BINARY_OP_INPLACE_ADD_UNICODE BINARY_OP_MULTIPLY_FLOAT
BINARY_OP_MULTIPLY_INT BINARY_OP_SUBSCR_DICT BINARY_OP_SUBSCR_LIST_INT
BINARY_OP_SUBSCR_LIST_SLICE BINARY_OP_SUBSCR_STR_INT BINARY_OP_SUBSCR_TUPLE_INT
BINARY_OP_SUBSCR_USTR_INT BINARY_OP_SUBTRACT_FLOAT BINARY_OP_SUBTRACT_INT
BINARY_SUBSCR_ADAPTIVE BINARY_SUBSCR_DICT BINARY_SUBSCR_LIST_INT
BINARY_SUBSCR_STR_INT BINARY_SUBSCR_TUPLE_INT CALL_ADAPTIVE CALL_LIST_APPEND
CALL_NO_KW_LIST_APPEND CALL_NO_KW_TYPE_1 CALL_TYPE_1 COMPARE_OP_ADAPTIVE
COMPARE_OP_FLOAT COMPARE_OP_FLOAT_JUMP COMPARE_OP_INT COMPARE_OP_INT_JUMP
COMPARE_OP_STR COMPARE_OP_STR_JUMP CONTAINS_OP_DICT CONTAINS_OP_SET
EXTENDED_ARG_QUICK FOR_ITER_LIST FOR_ITER_RANGE FOR_ITER_TUPLE
FOR_ITER_VIRTUAL GET_ITER_SELF GET_ITER_VIRTUAL JUMP_BACKWARD_JIT
JUMP_BACKWARD_NO_JIT JUMP_BACKWARD_QUICK LOAD_ATTR_ADAPTIVE LOAD_ATTR_CLASS
LOAD_ATTR_CLASS_WITH_METACLASS_CHECK LOAD_ATTR_INSTANCE_VALUE
LOAD_ATTR_METHOD_LAZY_DICT LOAD_ATTR_METHOD_NO_DICT
LOAD_ATTR_METHOD_WITH_VALUES LOAD_ATTR_MODULE LOAD_ATTR_NONDESCRIPTOR_NO_DICT
LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES LOAD_ATTR_SLOT LOAD_ATTR_WITH_HINT
LOAD_CONST_IMMORTAL LOAD_CONST_MORTAL LOAD_CONST__LOAD_FAST
LOAD_FAST__LOAD_CONST LOAD_FAST__LOAD_FAST LOAD_GLOBAL_ADAPTIVE
LOAD_GLOBAL_BUILTIN LOAD_GLOBAL_MODULE LOAD_METHOD_ADAPTIVE LOAD_METHOD_CLASS
LOAD_METHOD_MODULE LOAD_METHOD_NO_DICT LOAD_METHOD_WITH_DICT
LOAD_METHOD_WITH_VALUES LOAD_SUPER_ATTR_ATTR LOAD_SUPER_ATTR_METHOD
PRECALL_ADAPTIVE PRECALL_NO_KW_LIST_APPEND PRECALL_NO_KW_TYPE_1
PRECALL_PYFUNC RESUME_CHECK RESUME_CHECK_JIT RESUME_QUICK SEND_VIRTUAL
STORE_ATTR_ADAPTIVE STORE_ATTR_INSTANCE_VALUE STORE_ATTR_SLOT
STORE_ATTR_WITH_HINT STORE_FAST__LOAD_FAST STORE_FAST__STORE_FAST
STORE_SUBSCR_ADAPTIVE STORE_SUBSCR_DICT STORE_SUBSCR_LIST_INT
TO_BOOL_ALWAYS_TRUE TO_BOOL_BOOL TO_BOOL_INT TO_BOOL_LIST TO_BOOL_NONE
TO_BOOL_STR UNPACK_SEQUENCE_ADAPTIVE UNPACK_SEQUENCE_LIST
UNPACK_SEQUENCE_TUPLE UNPACK_SEQUENCE_TWO_TUPLE
'''.split()


def toil():
    """What all ways come to: some microseconds."""
    s = 0
    for i in range(80):
        s += i & 3
    return s


# ---- functions

def plain(x):
    return toil()


def filled(x, y=1, *rest, z=2):
    return toil()


@way('CALL_PY_EXACT_ARGS')
def function(n):
    for i in range(n):
        plain(i)


def usual(x, y=1):
    return toil()


@way('CALL_PY_WITH_DEFAULTS', 'CALL_PY_GENERAL')
def defaults(n):
    for i in range(n):
        usual(i)


@way('CALL_PY_GENERAL')
def general(n):
    for i in range(n):
        filled(i, 2, 3)


@way('CALL_KW_PY')
def keywords(n):
    for i in range(n):
        filled(x=i, z=3)


@way('CALL_EX_PY')
def unpacked(n):
    args, more = (1, 2, 3), {'z': 4}
    for i in range(n):
        filled(*args, **more)


def outer(n):
    def inner():
        return n + toil()
    return inner


@way('CALL_PY_EXACT_ARGS')
def closure(n):
    inner = outer(n)
    for i in range(n):
        inner()


@way('CALL_PY_EXACT_ARGS')
def lambdas(n):
    f = lambda: toil()  # noqa: E731
    for i in range(n):
        f()


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **more):
        return f(*args, **more)
    return wrapper


@doubled
@doubled
def wrapped(x):
    return toil()


@way('CALL_PY_GENERAL')
def decorated(n):
    for i in range(n):
        wrapped(i)


# ---- methods

class Things:
    def method(self, x):
        return toil()

    def loose(self, x, y=1, *rest, z=2):
        return toil()

    @classmethod
    def of_class(cls, x):
        return toil()

    @staticmethod
    def static(x):
        return toil()

    @property
    def prop(self):
        return toil()

    @prop.setter
    def prop(self, value):
        toil()

    def __getitem__(self, i):
        return toil()

    def __setitem__(self, i, value):
        toil()

    def __delitem__(self, i):
        toil()

    def __call__(self, x):
        return toil()

    def __contains__(self, x):
        return toil() > 0

    def __bool__(self):
        return toil() > 0

    def __len__(self):
        return toil()

    def __str__(self):
        return str(toil())

    def __format__(self, how):
        return str(toil())

    def __repr__(self):
        return str(toil())

    def __add__(self, x):
        return toil()

    def __lt__(self, x):
        return toil() > 0

    def __neg__(self):
        return toil()

    def __index__(self):
        return toil() & 7

    def __iter__(self):
        toil()
        return iter((1, 2))

    def __enter__(self):
        return toil()

    def __exit__(self, *args):
        toil()
        return True


@way('CALL_PY_EXACT_ARGS', 'CALL_BOUND_METHOD_EXACT_ARGS')
def methods(n):
    t = Things()
    for i in range(n):
        t.method(i)


@way('CALL_BOUND_METHOD_EXACT_ARGS', 'PRECALL_BOUND_METHOD')
def bound(n):
    method = Things().method
    for i in range(n):
        method(i)


@way('CALL_BOUND_METHOD_GENERAL')
def bound_general(n):
    loose = Things().loose
    for i in range(n):
        loose(i, 2, 3)


@way('CALL_KW_BOUND_METHOD')
def bound_keywords(n):
    loose = Things().loose
    for i in range(n):
        loose(i, z=3)


@way('CALL_PY_EXACT_ARGS', 'CALL_BOUND_METHOD_EXACT_ARGS')
def class_methods(n):
    for i in range(n):
        Things.of_class(i)


@way('CALL_PY_EXACT_ARGS')
def static_methods(n):
    for i in range(n):
        Things.static(i)


class Further(Things):
    def method(self, x):
        return super().method(x)


@way('CALL_PY_EXACT_ARGS', 'CALL_BOUND_METHOD_EXACT_ARGS')
def parents(n):
    f = Further()
    for i in range(n):
        f.method(i)


@way()
def called(n):
    t = Things()
    for i in range(n):
        t(i)


# ---- instances

class One:
    def __init__(self):
        toil()


class Inner:
    def __init__(self, x):
        self.work(x)

    def work(self, x):
        toil()


class Outer:
    def __init__(self, x):
        self.inner = Inner(x)


class Heir(Outer):
    def __init__(self, x):
        super().__init__(x)


class Slotted:
    __slots__ = 'x',

    def __init__(self, x, y=1):
        self.x = toil()


class New:
    def __new__(cls, x):
        toil()
        return object.__new__(cls)


class Meta(type):
    def __call__(cls, *args):
        toil()
        return super().__call__(*args)


class Made(metaclass=Meta):
    pass


@way('CALL_ALLOC_AND_ENTER_INIT')
def instances(n):
    for _ in range(n):
        One()


@way('CALL_ALLOC_AND_ENTER_INIT')
def nested_instances(n):
    for i in range(n):
        Outer(i)


@way('CALL_ALLOC_AND_ENTER_INIT')
def heirs(n):
    for i in range(n):
        Heir(i)


def factory(x):
    return Inner(x)


@way('CALL_PY_EXACT_ARGS')
def factories(n):
    for i in range(n):
        factory(i)


@way('CALL_ALLOC_AND_ENTER_INIT', 'CALL_NON_PY_GENERAL')
def slotted(n):
    for i in range(n):
        Slotted(i)


@way()
def instance_keywords(n):
    for i in range(n):
        Slotted(x=i)


@way('CALL_NON_PY_GENERAL')
def new(n):
    for i in range(n):
        New(i)


@way('CALL_NON_PY_GENERAL')
def by_metaclass(n):
    for _ in range(n):
        Made()


class Doomed:
    def __del__(self):
        toil()


@way()
def finalized(n):
    for _ in range(n):
        Doomed()


# ---- attributes

class Overridden:
    def __getattribute__(self, name):
        return toil()


class Fallback:
    def __getattr__(self, name):
        return toil()

    def __setattr__(self, name, value):
        toil()

    def __delattr__(self, name):
        toil()


class Descriptor:
    def __get__(self, thing, owner):
        return toil()

    def __set__(self, thing, value):
        toil()


class Described:
    described = Descriptor()


@way('LOAD_ATTR_PROPERTY')
def properties(n):
    t = Things()
    for _ in range(n):
        t.prop


@way('LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN')
def overridden(n):
    o = Overridden()
    for _ in range(n):
        o.anything


@way()
def fallbacks(n):
    f = Fallback()
    for i in range(n):
        f.anything
        f.anything = i
        del f.anything


@way()
def descriptors(n):
    d = Described()
    for i in range(n):
        d.described
        d.described = i


@way()
def setters(n):
    t = Things()
    for i in range(n):
        t.prop = i


# ---- operators

@way('BINARY_SUBSCR_GETITEM', 'BINARY_OP_SUBSCR_GETITEM')
def items(n):
    t = Things()
    for i in range(n):
        t[i]


@way()
def operators(n):
    t = Things()
    for i in range(n):
        t + i
        t < i
        -t
        i in t


@way()
def stores(n):
    t = Things()
    for i in range(n):
        t[i] = i
        del t[i]


@way()
def truths(n):
    t = Things()
    for _ in range(n):
        if not t:
            break


@way()
def texts(n):
    t = Things()
    for _ in range(n):
        f'{t}{t!r}'


@way()
def several(n):
    t = Things()
    for _ in range(n):
        a, b = t


@way()
def contexts(n):
    t = Things()
    for _ in range(n):
        with t:
            pass


@way()
def failing_contexts(n):
    t = Things()
    for _ in range(n):
        with t:
            raise ValueError


@contextlib.contextmanager
def manager():
    toil()
    yield
    toil()


@way()
def managed(n):
    for _ in range(n):
        with manager():
            pass


# ---- through C

@way('CALL_LEN', 'CALL_NO_KW_LEN', 'PRECALL_NO_KW_LEN')
def lengths(n):
    t = Things()
    for _ in range(n):
        len(t)


@way('CALL_STR_1', 'CALL_NO_KW_STR_1', 'PRECALL_NO_KW_STR_1')
def strings(n):
    t = Things()
    for _ in range(n):
        str(t)


class Checking(type):
    def __instancecheck__(cls, thing):
        return toil() > 0


class Checked(metaclass=Checking):
    pass


@way('CALL_ISINSTANCE', 'CALL_NO_KW_ISINSTANCE', 'PRECALL_NO_KW_ISINSTANCE')
def checks(n):
    for i in range(n):
        isinstance(i, Checked)


def single(x):
    yield toil()


@way('CALL_TUPLE_1', 'CALL_NO_KW_TUPLE_1', 'PRECALL_NO_KW_TUPLE_1')
def tuples(n):
    for i in range(n):
        tuple(single(i))


@way('CALL_BUILTIN_CLASS', 'PRECALL_BUILTIN_CLASS')
def lists(n):
    for i in range(n):
        list(single(i))


@way('CALL_BUILTIN_O', 'CALL_NO_KW_BUILTIN_O', 'PRECALL_NO_KW_BUILTIN_O')
def any_of(n):
    for i in range(n):
        any(single(i))


@way('CALL_BUILTIN_FAST', 'CALL_NO_KW_BUILTIN_FAST',
     'PRECALL_NO_KW_BUILTIN_FAST')
def by_name(n):
    t = Things()
    for _ in range(n):
        getattr(t, 'prop')


@way('CALL_BUILTIN_FAST_WITH_KEYWORDS', 'PRECALL_BUILTIN_FAST_WITH_KEYWORDS')
def sums(n):
    for i in range(n):
        sum(single(i))


@way('CALL_METHOD_DESCRIPTOR_O', 'CALL_NO_KW_METHOD_DESCRIPTOR_O',
     'PRECALL_NO_KW_METHOD_DESCRIPTOR_O')
def extended(n):
    found = []
    for i in range(n):
        found.extend(single(i))


class Hashed:
    def __hash__(self):
        return toil()


@way('CALL_METHOD_DESCRIPTOR_FAST', 'CALL_NO_KW_METHOD_DESCRIPTOR_FAST',
     'PRECALL_NO_KW_METHOD_DESCRIPTOR_FAST')
def hashes(n):
    known, h = {}, Hashed()
    for _ in range(n):
        known.get(h)


@way('CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS',
     'PRECALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS')
def indices(n):
    t = Things()
    for _ in range(n):
        'a b'.split(' ', t)


def closing():
    try:
        yield
    finally:
        toil()


@way('CALL_METHOD_DESCRIPTOR_NOARGS', 'CALL_NO_KW_METHOD_DESCRIPTOR_NOARGS',
     'PRECALL_NO_KW_METHOD_DESCRIPTOR_NOARGS')
def closed(n):
    for _ in range(n):
        c = closing()
        next(c)
        c.close()


@way('CALL_NON_PY_GENERAL')
def partials(n):
    p = functools.partial(plain, 1)
    for _ in range(n):
        p()


@way('CALL_KW_NON_PY')
def sorting(n):
    for i in range(n):
        sorted((i,), key=plain)


@way('CALL_EX_NON_PY_GENERAL')
def unpacked_partials(n):
    p, args = functools.partial(filled, 1), (2,)
    for _ in range(n):
        p(*args)


# ---- generators, coroutines

def counting(n):
    for i in range(n):
        toil()
        yield i


@way('FOR_ITER_GEN')
def loops(n):
    for _ in counting(n):
        pass


def passing_on(n):
    yield from counting(n)


@way('FOR_ITER_GEN')
def passed_on(n):
    for _ in passing_on(n):
        pass


@way()
def expressions(n):
    for _ in (toil() for _ in range(n)):
        pass


@way()
def listed(n):
    [plain(i) for i in range(n)]


def echoing():
    while True:
        try:
            yield toil()
        except KeyError:
            toil()


@way()
def thrown(n):
    e = echoing()
    next(e)
    for i in range(n):
        e.send(i)
        e.throw(KeyError())


class Pause:
    def __await__(self):
        toil()
        yield


async def waiting():
    toil()
    await Pause()


async def ticking(n):
    for i in range(n):
        toil()
        yield i


class Entered:
    async def __aenter__(self):
        toil()

    async def __aexit__(self, *args):
        toil()


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass


async def all_awaited(n):
    for _ in range(n):
        await waiting()


async def all_ticked(n):
    async for _ in ticking(n):
        pass


async def all_entered(n):
    for _ in range(n):
        async with Entered():
            pass


@way()
def awaited(n):
    drive(all_awaited(n))


@way()
def ticked(n):
    drive(all_ticked(n))


@way()
def entered(n):
    drive(all_entered(n))


# Of functions that others run.
MADE_BY[passing_on] = 'SEND_GEN',
MADE_BY[all_awaited] = 'SEND_GEN',
MADE_BY[all_ticked] = 'SEND_ASYNC_GEN',


# ---- what the interpreter says

def specialised():
    """All specialised instructions that it has."""
    try:
        from _opcode_metadata import _specializations as found
    except ImportError:
        from opcode import _specializations as found
    return {name for family in found.values() for name in family}


def specialises():
    """Whether it does so: 3.13 without a GIL has the instructions, but does
    not."""
    toil()
    for _ in range(WARM):
        toil()
    return any(i.opname not in dis.opmap or i.opname.endswith('_INT')
               for i in dis.get_instructions(toil, adaptive=True))


def instructions(function):
    return {i.opname for i in dis.get_instructions(function, adaptive=True)}


def complaints():
    there = specialised()
    known = {name for names in MADE_BY.values() for name in names}
    for name in sorted(there - known - set(QUIET)):
        yield '%s is not covered' % name
    if not specialises():
        return
    seen = set()
    for part in PARTS:
        part(WARM)
    for function, names in MADE_BY.items():
        names, found = there.intersection(names), instructions(function)
        seen |= found
        if names and not names & found:
            yield '%s has none of %s' % (function.__name__, ' '.join(names))
    for name in sorted(known & there - seen):
        yield '%s is nowhere' % name


if __name__ == '__main__':
    found = list(complaints()) if sys.version_info >= (3, 11) else []
    for line in found:
        print(line)
    sys.exit(bool(found))
