# SPDX-License-Identifier: ISC
"""interpreters.py [--edges]: see mixed.py; calls Python in other interpreters, whose
stack of Python begins amid the stack of C."""
import threading

import mixed
from mixed import go

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

own = threading.local()  # a thread's interpreter
EDGES = {
    ('by_interpreter', 'run_key'): 'sort',
    ('by_script', 'script_key'): 'sort',
    ('<module>', 'by_script'): '-',
}

SCRIPT = '''
def spin():
    n = 0
    for i in range(3000):
        n += i * i
    return n

def script_key(x):
    sorted(range(2000), reverse=True)
    return spin()

def by_script():
    sorted([1, 2], key=script_key)

by_script()
'''


def run_script():
    if not hasattr(own, 'interpreter'):
        own.interpreter = interpreters.create()
    interpreters.run_string(own.interpreter, SCRIPT)


def by_interpreter(rest):
    def run_key(x):
        go(rest)
        run_script()
        return x
    sorted([1, 2], key=run_key)


mixed.main(EDGES, [by_interpreter])
