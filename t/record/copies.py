# SPDX-License-Identifier: ISC
"""Copies standard input to standard output, and says so on standard error;
then works for a while, so that there are some samples to judge."""
import sys
import time

data = sys.stdin.buffer.read()
sys.stdout.buffer.write(data)
sys.stderr.write('%d bytes\n' % len(data))
end = time.monotonic() + 0.3
while time.monotonic() < end:
    pass
