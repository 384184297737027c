# SPDX-License-Identifier: ISC
"""Counts SIGINT and is not ended by it: interrupts.py SECONDS.  Says `ready`,
and at the end how many there were."""
import signal
import sys
import time

count = 0


def counted(number, frame):
    global count
    count += 1


signal.signal(signal.SIGINT, counted)
print('ready', flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    time.sleep(0.01)
print('interrupts %d' % count, flush=True)
