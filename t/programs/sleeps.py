# SPDX-License-Identifier: ISC
"""Sleeps: sleeps.py SECONDS."""
import sys
import time

time.sleep(float(sys.argv[1]))
