#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Attaches a profiler to a load and says what that cost:

    record.py SECONDS TARGET... -- PROFILER...

starts the target, which says `ready`, then the profiler, with PID in its
arguments replaced, and prints the profiler's CPU seconds and its largest
memory in KiB.  With SECONDS 0 the target does a fixed amount of work, whose
wall and CPU seconds are printed too; no profiler is none.
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
    seconds, argv = float(argv[0]), argv[1:]
    cut = argv.index('--')
    target = subprocess.Popen(argv[:cut], stdout=subprocess.PIPE, text=True)
    target.stdout.readline()
    time.sleep(0.2 if seconds else 0)
    profiler = [str(target.pid) if x == 'PID' else x for x in argv[cut + 1:]]
    cpu, memory, work = 0, [0], ''
    if profiler:
        p = subprocess.Popen(profiler, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        memory = watch(p.pid)
    if not seconds:
        work = target.stdout.readline().strip()
        target.wait()
    if profiler:
        usage = os.wait4(p.pid, 0)[2]
        cpu = usage.ru_utime + usage.ru_stime
    target.kill()
    target.wait()
    print('%.4f %d %s' % (cpu, max(memory), work))


main(sys.argv[1:])
