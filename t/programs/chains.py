# SPDX-License-Identifier: ISC
"""Two families of 24-deep call chains in turn, the worst case for whoever
reads the stack while it moves.  Every true stack is <module> > run > f0 > f1
> ... or the same of g.  chains.py SECONDS [EXTRA_THREADS]"""
import sys
import threading
import time

DEPTH = 24
MADE = 'chains-made.py'
source = ''
for family in 'fg':
    for i in range(DEPTH):
        inner = '%s%d(n)' % (family, i + 1) if i < DEPTH - 1 else 'n + 1'
        source += ('def %s%d(n):\n    x = n * 2\n    y = %s\n'
                   '    return y + x\n' % (family, i, inner))
exec(compile(source, MADE, 'exec'))


def run():
    n = 0
    while n & 0xff or time.perf_counter() < end:
        f0(n); g0(n); n = (n + 1) & 0xffff  # noqa: E702, F821


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    for _ in range(int((sys.argv + ['0'])[2])):
        threading.Thread(target=run, daemon=True).start()
    run()
