# SPDX-License-Identifier: ISC
"""Objects of many kinds, for thread-names.bats: prints how each looks, as NAME, a
space and its repr, or what stands for it from outside; then waits."""
import collections
import sys
import threading
import time
import types


class Plain(object):
    def __init__(self):
        self.one = 1
        self.text = 'a "b" \'c\''


class Grown(object):
    pass


class Slots(object):
    __slots__ = ("left", "right", "empty")


class Derived(Slots):
    pass


class Int(int):
    pass


class Str(str):
    pass


Point = collections.namedtuple("Point", "x y")

none, true, false = None, True, False
zero, one, minus = 0, 1, -1
middle, large, least = 1 << 30, (1 << 63) - 1, -(1 << 63) + 1
huge = 1 << 63
half, tiny, whole, inf = 0.5, 1e-300, 3.0, float("inf")
ascii_ = "plain"
latin, wide, far = "na\xefve", "\u65e5\u672c", "\U0001f40d!"
quoted = "it's \\ here"
lines = "a\n\t\r\x00\x7f\x9b"
data = b"\x00ab\xff'"
empty_tuple, single, several = (), (1,), (1, "two", 3.5)
empty_list, items = [], [1, [2, [3]], None]
deep = [[[[1]]]]
few = {7}
frozen = frozenset([9])
no_dict, mapping = {}, {"a": 1, 2: "b", None: [True]}
removed = {"a": 1, "b": 2, "c": 3}
del removed["b"]
sub_int, sub_str, point = Int(5), Str("s"), Point(1, 2)
ordered = collections.OrderedDict([("k", "v")])
plain, grown, slots, derived = Plain(), Grown(), Slots(), Derived()
for i in range(100):
    setattr(grown, "a%d" % i, i)
asked = Plain()
asked.__dict__["more"] = 2
slots.left = "l"
derived.left, derived.other = "d", "o"
namespace = types.SimpleNamespace(inner="i")
cycle = []
cycle.append(cycle)
many = list(range(1000))
long_ = "x" * 1000
table = {str(i): i for i in range(10000)}
lock = threading.Lock()

SAME = """none true false zero one minus middle large least half tiny whole
    inf ascii_ latin wide far quoted lines data empty_tuple single several
    empty_list items few no_dict mapping removed plain.one plain.text grown.a0 grown.a99 asked.one
    asked.more slots.left derived.left derived.other namespace.inner""".split()


def value(path):
    v = sys.modules[__name__]
    for name in path.split("."):
        v = getattr(v, name)
    return v


def odd():
    yield "huge", "<large int>"
    yield "frozen", "frozenset({9})"
    yield "deep", "[[[[...]]]]"
    yield "sub_int", "Int(5)"
    yield "sub_str", "Str('s')"
    yield "point", "Point((1, 2))"
    yield "ordered", "collections.OrderedDict({'k': 'v'})"
    yield "cycle", "[[[[...]]]]"
    yield "many", "[%s, ...]" % ", ".join(map(str, range(16)))
    yield "long_", "'" + "x" * 196 + "..."
    yield "plain", "<__main__.Plain at 0x%x>" % id(plain)
    yield "namespace", "<types.SimpleNamespace at 0x%x>" % id(namespace)
    yield "lock", "<_thread.lock at 0x%x>" % id(lock)
    yield "slots.empty", "none"
    yield "nothing", "none"


for path in SAME:
    print(path, repr(value(path)))
for path, text in odd():
    print(path, text)
sys.stdout.flush()
time.sleep(60)
