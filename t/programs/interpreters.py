# SPDX-License-Identifier: ISC
"""Interpreters beside the main one, each at its own place in a thread of its
own: interpreters.py TRUTH [COUNT]."""
import os
import sys
import threading

from spot import spot, start

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

SCRIPT = '''
import sys
sys.path.insert(0, {home!r})
import spot
spot.interp = {id}
spot.start({truth!r})

def inside_{id}():
    spot.spot('interpreter {id}', 0.4)
    spot.rest('interpreter {id}, asleep', 0.2)

inside_{id}()
'''


def run():
    # A thread state before 3.13 holds the thread id of whoever made it, so
    # each thread makes its own.
    interpreter = interpreters.create()
    failed = interpreters.run_string(interpreter, SCRIPT.format(
        home=os.path.dirname(os.path.abspath(__file__)),
        id=int(interpreter), truth=sys.argv[1]))
    if failed:
        sys.stderr.write('%s\n' % (failed,))
        os._exit(1)
    interpreters.destroy(interpreter)


def main():
    threads = [threading.Thread(target=run)
               for _ in range(int((sys.argv + ['3'])[2]))]
    for t in threads:
        t.start()
    spot('main interpreter', 0.3)
    for t in threads:
        t.join()


if __name__ == '__main__':
    start(sys.argv[1])
    main()
