# SPDX-License-Identifier: ISC
"""Works for a moment and then ends in some way: ends.py SECONDS HOW [ARGS]
	exit N		abort		segv		raise
	signal N	exec COMMAND [ARGS]
"""
import ctypes
import os
import signal
import sys
import time


def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def finish(how, args):
    if how == 'exit':
        sys.exit(int(args[0]))
    if how == 'abort':
        os.abort()
    if how == 'segv':
        ctypes.string_at(8)
    if how == 'raise':
        raise RuntimeError('as asked')
    if how == 'signal':
        number = int(args[0])
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)  # it may be ignored
        os.kill(os.getpid(), number)
        signal.pause()
    if how == 'exec':
        os.execvp(args[0], args)


work(float(sys.argv[1]))
finish(sys.argv[2], sys.argv[3:])
