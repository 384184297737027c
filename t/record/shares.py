# SPDX-License-Identifier: ISC
"""In turn computes for some CPU time, which takes longer where there is less of a
CPU, and sleeps; for SECONDS.  Prints how many per cent of the time it computed:
shares.py SECONDS."""
import sys
import time


def compute():
    end = time.process_time() + 0.015
    while time.process_time() < end:
        pass


def rest():
    time.sleep(0.06)


computed = rested = 0.0
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    begun = time.monotonic()
    compute()
    over = time.monotonic()
    rest()
    computed += over - begun
    rested += time.monotonic() - over
print(100 * computed / (computed + rested))
