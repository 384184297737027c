# SPDX-License-Identifier: ISC
"""Stays busy until killed, or until SECONDS are over: waits.py [SECONDS]."""
import sys
import time


def busy():
    return sum(range(1000))


end = time.monotonic() + float((sys.argv + ['60'])[1])
while time.monotonic() < end:
    busy()
