# SPDX-License-Identifier: ISC
"""One thread in the main interpreter and, from there, in another, at work and
asleep; with its own GIL, too, where that can be.  nested.py SECONDS"""
import sys
import time

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

seconds = float(sys.argv[1])
SCRIPT = '''
import time

def inner():
    end = time.perf_counter() + {0}
    while time.perf_counter() < end:
        sum(range(100))

inner()
time.sleep({0})
'''.format(seconds)


def outer(*kind):
    interpreter = interpreters.create(*kind)
    interpreters.run_string(interpreter, SCRIPT)
    interpreters.destroy(interpreter)


def own():
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))


own()
if sys.version_info >= (3, 13):
    outer('legacy')
    outer('isolated')
else:
    outer()
