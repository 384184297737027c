#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Compares the names of threads in a profile with what the program says.

    names.py PROFILE TRUTH    TRUTH is t/python/named.py's
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'lib'))
from decode import Profile  # noqa: E402


def notes(profile):
    """From (interpreter, thread) to its names, in the order of the notes."""
    names = {}
    for s in profile.strings:
        if s.startswith('\0thread '):
            _, interp, thread, name = s.split(' ', 3)
            names.setdefault((int(interp), int(thread)), []).append(name)
    return names


def main(path, truth):
    profile = Profile(path)
    got = notes(profile)
    with open(truth) as f:
        want = {(0, int(tid)): names for tid, names in json.load(f).items()}
    threads = {(s.interp, s.thread) for s in profile.samples()}
    bad = 0
    for thread in sorted(threads | set(got)):
        if got.get(thread) != want.get(thread):
            print(thread, 'is', got.get(thread), 'not', want.get(thread))
            bad += 1
    print('%d of %d threads, %d not as they should be'
          % (len(threads), len(want), bad))
    return bad != 0 or len(threads) < len(want) / 2


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
