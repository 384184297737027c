# SPDX-License-Identifier: ISC
"""Reads profiles with the reader of CPython 3.15, and prints them as decode.py
does: a JSON line a sample.  replays.py PROFILE..."""
import json
import sys

from _remote_debugging import BinaryReader


def known(value, unknown):
    return unknown if value is None else value


def frame(f):
    location = f.location or (None,) * 4
    return [f.filename, f.funcname, *(known(n, -1) for n in location),
            known(f.opcode, 255)]


class Collector:
    def collect(self, interpreters, times):
        for interpreter in interpreters:
            for thread in interpreter.threads:
                stack = [frame(f) for f in reversed(thread.frame_info)]
                for time in times:
                    print(json.dumps([time, interpreter.interpreter_id,
                                      thread.thread_id, thread.status, stack]))


for path in sys.argv[1:]:
    with BinaryReader(path) as reader:
        reader.replay(Collector())
