# SPDX-License-Identifier: ISC
"""Makes code objects all the time, which are read while they are half made, and
calls some: made.py SECONDS.  The last function has names that begin with NUL."""
import os
import sys
import time

FOLDER = os.path.dirname(os.__file__)
FILES = sorted(f for f in os.listdir(FOLDER) if f.endswith('.py'))


def make(name):
    text = 'def f%d(n):\n    return sum(range(n))\n'
    code = compile(''.join(text % i for i in range(50)), name, 'exec')
    names = {}
    exec(code, names)
    for i in range(50):
        names['f%d' % i](20)


def load(name):
    with open(os.path.join(FOLDER, name), 'rb') as f:
        compile(f.read(), name, 'exec')


def odd(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def main():
    seconds, n = float(sys.argv[1]), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        make('<made %d>' % n)
        load(FILES[n % len(FILES)])
        n += 1
    if hasattr(odd.__code__, 'replace'):
        code = odd.__code__.replace(co_name='\0odd')
        if hasattr(code, 'co_qualname'):
            code = code.replace(co_qualname='\0odd')
        odd.__code__ = code
    odd(0.3)


main()
