# SPDX-License-Identifier: ISC
"""Copies standard input to standard output, and says so on standard error."""
import sys

data = sys.stdin.buffer.read()
sys.stdout.buffer.write(data)
sys.stderr.write('%d bytes\n' % len(data))
