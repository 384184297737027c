# SPDX-License-Identifier: ISC
"""Operators on objects of many types, for thread-names.bats: prints how each is shown, as
OPERATOR/LEFT/RIGHT, a space and the name or "-", for none; then waits."""
import datetime
import enum
import sys
import time


class Plain(object):
    pass


class Adds(object):
    def __add__(self, other):
        return self

    __radd__ = __add__


class Number(int):
    pass


class List(list):
    pass


class AddingList(list):
    __add__ = Adds.__add__


class Below(AddingList):
    pass


class InList(list):
    __contains__ = [].__contains__


class Enum(enum.IntEnum):
    MANY = 1000


zero, one, small, real = 0, 1, 7, 1.5
big, number = 3 ** 3000, Number(3 ** 3000)
text, word, raw = "ab" * 100, "ab", b"ab" * 100
many, single, pair = list(range(1000)), [1], (1, 2)
items, adding, below, inside = List(many), AddingList(many), Below(many), InList(many)
table, some, frozen = dict.fromkeys(many), set(many), frozenset(many)
keys = table.keys()
plain, adds, thousand = Plain(), Adds(), Enum.MANY
day, delta = datetime.date(2000, 1, 1), datetime.timedelta(1)
cut = slice(1, None)
file = open(__file__)
of_list, of_map = iter(many), map(abs, many)

for operation in """
add/small/one int.__add__ short
add/big/one int.__add__
add/number/one int.__add__
add/big/real -
add/text/word str.__add__
add/word/word str.__add__ short
add/many/many list.__add__
add/items/many list.__add__
add/many/adds -
add/adding/many -
add/below/many -
add/adds/adds -
add/plain/one -
add/day/delta -
add/day/one datetime.date.__add__
add/real/real float.__add__ short
add/pair/pair tuple.__add__ short
iadd/many/many list.__iadd__
iadd/below/many -
iadd/text/text str.__add__
iadd/big/big int.__add__
ior/some/frozen -
ior/some/some set.__ior__
ior/frozen/frozen frozenset.__or__
or/some/frozen set.__or__
or/some/keys -
mul/delta/one datetime.timedelta.__mul__
mul/one/delta datetime.timedelta.__mul__
mul/single/thousand list.__mul__
mul/thousand/single list.__mul__
mul/single/small list.__mul__ short
mul/below/small list.__mul__
mul/many/many list.__mul__ short
mul/big/big int.__mul__
mul/text/real str.__mul__ short
mod/word/pair str.__mod__
mod/one/pair -
pow/small/small int.__pow__ short
pow/small/thousand int.__pow__
pow/big/small int.__pow__
lshift/one/small int.__lshift__ short
lshift/one/thousand int.__lshift__
neg/big int.__neg__
neg/one int.__neg__ short
neg/real float.__neg__ short
neg/plain -
lt/one/real -
eq/many/many list.__eq__
eq/plain/plain -
eq/text/word str.__eq__ short
eq/some/frozen set.__eq__
eq/day/one datetime.date.__eq__
contains/one/many list.__contains__
contains/one/pair tuple.__contains__ short
contains/one/items list.__contains__
contains/one/inside -
contains/word/text str.__contains__
contains/word/raw bytes.__contains__
contains/one/table dict.__contains__
contains/one/adds -
getitem/many/one list.__getitem__ short
getitem/many/cut list.__getitem__
getitem/text/one str.__getitem__ short
getitem/table/one dict.__getitem__
getitem/plain/one -
setitem/table/one dict.__setitem__
delitem/many/one list.__delitem__ short
next/file _io.TextIOWrapper.__next__
next/of_list list_iterator.__next__ short
next/of_map map.__next__
next/plain -
drop/table dealloc dict
drop/plain dealloc Plain
drop/one dealloc int short
drop/word dealloc str short
drop/text dealloc str
""".split("\n")[1:-1]:
    print(operation)
print("nothing none")
sys.stdout.flush()
time.sleep(10 ** 6)
