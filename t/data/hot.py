# SPDX-License-Identifier: ISC
# hot.py: two functions that take time, for perf.txt.
import sys, time
def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
def middle(n):
    return leaf(n) + leaf(n)
end = time.time() + 0.4
while time.time() < end:
    middle(20000)
