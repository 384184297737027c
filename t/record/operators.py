# SPDX-License-Identifier: ISC
"""operators.py SECONDS: operators on types of C's, and objects that are freed, each in a
function of its own.  Prints the names of that function and of all operations of C in it,
separated by tabs; "-" if none of them can be known.
"""
import sys
import time

MANY = list(range(3000))
OTHERS = list(range(3000))
FIRST = set(MANY)
SECOND = set(range(1500, 4500))
TABLE = dict.fromkeys(MANY)
TEXT = "ab" * 20000
BYTES = b"ab" * 20000
FORMAT = "%s " * 300
WORDS = tuple(range(300))
SCALE = 3 ** 3000
COUNT = 3000
ROWS = [list(range(300, 0, -1)) for i in range(10)]
CASES = []


def case(*names):
    def add(function):
        CASES.append((function, names))
        return function
    return add


class Items(list):
    pass


class Told(list):
    __contains__ = MANY.__contains__


ITEMS = Items(MANY)
TOLD = Told(MANY)


@case("int.__pow__", "dealloc int")
def power(base=SCALE, to=3):
    base ** to


@case("int.__pow__", "dealloc int")
def power_of_small(base=3, to=3000):
    base ** to


@case("int.__mul__", "dealloc int")
def multiplied():
    SCALE * SCALE


@case("int.__floordiv__", "dealloc int")
def divided(by=3 ** 1500):
    SCALE // by


@case("list.__add__", "dealloc list")
def joined():
    MANY + OTHERS


@case("list.__add__", "dealloc list")
def joined_of_class():
    ITEMS + OTHERS


@case("list.__mul__", "dealloc list")
def repeated(one=[None]):
    one * COUNT


@case("list.__mul__", "dealloc list")
def repeated_from_right(one=[None]):
    COUNT * one


@case("list.__iadd__", "dealloc list")
def extended():
    new = []
    new += MANY


@case("set.__or__", "dealloc set")
def united():
    FIRST | SECOND


@case("set.__iand__", "dealloc set", "type set")
def met():
    new = set(FIRST)
    new &= SECOND


@case("set.__le__")
def included(whole=frozenset(range(5000))):
    FIRST <= FIRST


@case("list.__eq__")
def compared():
    MANY == OTHERS


@case("str.__add__", "dealloc str")
def text_joined():
    TEXT + "c"


@case("str.__contains__")
def text_found():
    "abc" in TEXT


@case("bytes.__contains__")
def bytes_not_found():
    b"abc" not in BYTES


@case("list.__contains__")
def found(last=-1):
    last in MANY


@case("list.__contains__")
def found_in_class(last=-1):
    last in ITEMS


@case("-")
def found_as_told(last=-1):
    last in TOLD


@case("list.__getitem__", "dealloc list")
def cut(start=1):
    MANY[start:]


@case("list.__setitem__", "type list")
def replaced():
    new = list(MANY)
    new[:] = OTHERS


@case("list.__delitem__", "type list")
def removed():
    new = list(MANY)
    del new[1:]


@case("str.__mod__", "dealloc str")
def formatted():
    FORMAT % WORDS


@case("int.__neg__", "dealloc int")
def negative(of=3 ** 30000):
    -of


@case("map.__next__", "type map", "dealloc map")
def next_ones():
    for row in map(sorted, ROWS):
        pass


def made():
    return [[] for i in range(500)]


@case("dealloc list")
def dropped():
    made()


try:
    import _decimal
    _decimal.getcontext().prec = 3000
    EXACT = _decimal.Decimal(3) ** 5000

    @case("decimal.Decimal.__mul__", "dealloc decimal.Decimal")
    def exact():
        EXACT * EXACT

    @case("decimal.Decimal.__mul__", "dealloc decimal.Decimal")
    def exact_from_right():
        3 * EXACT
except ImportError:
    pass

try:
    import numpy
    ARRAY = numpy.arange(20000.0)

    @case("numpy.ndarray.__add__", "dealloc numpy.ndarray")
    def arrays():
        ARRAY + ARRAY

    @case("numpy.ndarray.__mul__", "dealloc numpy.ndarray")
    def arrays_from_right():
        2 * ARRAY

    @case("numpy.ndarray.__gt__", "dealloc numpy.ndarray")
    def arrays_compared():
        ARRAY > 5
except ImportError:
    pass

if sys.version_info >= (3, 9):
    @case("dict.__or__", "dealloc dict")
    def tables():
        TABLE | TABLE


def main(seconds):
    for function, names in CASES:
        print(function.__name__, *names, sep="\t")
    sys.stdout.flush()
    end = time.time() + seconds
    while time.time() < end:
        for function, _ in CASES:
            function()


main(float(sys.argv[1]))
