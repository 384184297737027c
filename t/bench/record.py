#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Attaches a profiler to a load and says what that cost:

    record.py TARGET... -- PROFILER...

starts the target, which says `ready`, then the profiler, with PID in its
arguments replaced, and prints the profiler's CPU seconds and its largest
memory in KiB.
"""
import os
import subprocess
import sys
import threading
import time


def watch(pid):
    """Its largest memory so far, as long as it runs; the one that wait4 tells
    is that of the process which started it."""
    sizes = [0]

    def look():
        try:
            while True:
                with open('/proc/%d/status' % pid) as f:
                    sizes.extend(int(line.split()[1]) for line in f
                                 if line.startswith('VmHWM'))
                time.sleep(0.1)
        except OSError:
            pass

    threading.Thread(target=look, daemon=True).start()
    return sizes


def main(argv):
    cut = argv.index('--')
    target = subprocess.Popen(argv[:cut], stdout=subprocess.PIPE, text=True)
    target.stdout.readline()
    time.sleep(0.2)
    p = subprocess.Popen([str(target.pid) if x == 'PID' else x
                          for x in argv[cut + 1:]],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = watch(p.pid)
    usage = os.wait4(p.pid, 0)[2]
    target.kill()
    target.wait()
    print('%.4f %d' % (usage.ru_utime + usage.ru_stime, max(memory)))


main(sys.argv[1:])
