# SPDX-License-Identifier: ISC
"""What a program says about itself: where it stood, and for how long.

spot() burns a few milliseconds, rest() sleeps them; each notes the frames
below itself as the interpreter sees them.  One JSON line a place: label,
interpreter, thread, since when and until when, and the stack from the root to
the caller, each frame as [function, file, line, end line, column, end column].
Before them comes a line with the interpreter's version, the process id, and
whether there is a GIL.
"""
import json
import os
import sys
import time
# Not from threading: before 3.13 an interpreter that imported that in a thread
# of another never ends.
try:
    from _thread import get_native_id
except ImportError:  # 3.6 and 3.7
    import ctypes

    def get_native_id():
        return ctypes.CDLL(None).syscall(186)

interp = 0
_out = None


def start(path):
    """Truth goes to this file; several interpreters may share it."""
    global _out
    _out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    if not interp:
        say(python='%d.%d.%d' % sys.version_info[:3], pid=os.getpid(),
            gil=getattr(sys, '_is_gil_enabled', lambda: True)())


def say(**line):
    # One call, so that the lines of threads and interpreters do not mix.
    os.write(_out, (json.dumps(line) + '\n').encode())


def now():
    """Microseconds on the clock that profiles use too."""
    return int(time.monotonic() * 1000000)


def positions(frame):
    code = frame.f_code
    if not hasattr(code, 'co_positions'):  # to 3.10
        return [frame.f_lineno, None, None, None]
    for i, p in enumerate(code.co_positions()):
        if i == frame.f_lasti // 2:
            return list(p)


def where(frame):
    code = frame.f_code
    name = getattr(code, 'co_qualname', code.co_name)
    return [name, code.co_filename] + [
        -1 if p is None else p for p in positions(frame)]


def stack(frame):
    frames = []
    while frame is not None:
        frames.append(where(frame))
        frame = frame.f_back
    return frames[::-1]


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def stay(kind, how, label, seconds, frame):
    line = dict(label=label, interp=interp, tid=get_native_id(),
                spot=[kind.__name__, kind.__code__.co_filename],
                stack=stack(frame.f_back), since=now())
    how(seconds)
    line['until'] = now()
    say(**line)
    return label


def spot(label, seconds=0.03):
    if not seconds:
        return label
    return stay(spot, spin, label, seconds, sys._getframe())


def rest(label, seconds=0.03):
    return stay(rest, time.sleep, label, seconds, sys._getframe())
