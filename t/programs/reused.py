# SPDX-License-Identifier: ISC
"""Threads that make functions, run them and drop them, so that code objects
lie where others lay.  Function def_N begins on line N, and calls def_N from
def_N only.  reused.py SECONDS [EXTRA_THREADS]"""
import sys
import threading
import time

SOURCE = '''
def def_{line}(n):
    for _ in range(40):
        n += 1
    return n if n > 400 else def_{line}(n)
'''


def run(seed):
    n = seed
    while time.perf_counter() < end:
        n = n * 5 % 997 + 1
        names = {}
        exec(compile('\n' * n + SOURCE.format(line=n + 2), 'reused-made.py',
                     'exec'), names)
        for _ in range(20):
            names['def_%d' % (n + 2)](0)


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    for i in range(int((sys.argv + ['0'])[2])):
        threading.Thread(target=run, args=(i + 2,), daemon=True).start()
    run(1)
