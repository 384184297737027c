# SPDX-License-Identifier: ISC
"""Time split between four functions, a 10 %, b 20 %, c 30 % and d 40 %:
split.py SECONDS.  The shares by its own clock go to stderr."""
import random
import sys
import time


def spin(n):
    s = 0
    for i in range(n):
        s += i & 3
    return s


def a(n): return spin(1 * n)
def b(n): return spin(2 * n)
def c(n): return spin(3 * n)
def d(n): return spin(4 * n)


if __name__ == '__main__':
    clock = time.perf_counter
    end = clock() + float(sys.argv[1])
    true = dict.fromkeys('abcd', 0.0)
    while clock() < end:
        # Rounds differ in length, so that they do not fall into step with
        # the samples, which would then always meet the same function.
        n = random.randrange(5000, 30000)
        for f in a, b, c, d:
            t = clock()
            f(n)
            true[f.__name__] += clock() - t
    total = sum(true.values())
    sys.stderr.write(
        ' '.join('%s=%.4f' % (k, v / total) for k, v in true.items()) + '\n')
