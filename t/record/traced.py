# SPDX-License-Identifier: ISC
"""traced.py SECONDS HOW: a function calls one of C, at each line that begins it tells a tracer
(HOW is trace) or, from 3.12 on, a monitor (monitor)."""
import sys
import time

MANY = list(range(3000))


def work():
    many = list(MANY)
    many.reverse()
    return len(
        many)


def main(seconds, how):
    if how == "trace":
        sys.settrace(lambda *_: lambda *_: None)
    else:
        monitoring = sys.monitoring
        monitoring.use_tool_id(1, "traced.py")
        monitoring.set_events(1, monitoring.events.LINE)
        monitoring.register_callback(1, monitoring.events.LINE, lambda *_: None)
    end = time.time() + seconds
    while time.time() < end:
        work()


main(float(sys.argv[1]), sys.argv[2])
