# SPDX-License-Identifier: ISC
"""Runs a load and says what is true of it, for t/bench/oracle:

    loads.py LOAD rounds N SEED     plays N rounds
    loads.py LOAD seconds S SEED    plays for so long
    loads.py LOAD trace N SEED      plays N rounds and notes all calls

It prints "ready", waits for a line of standard input, plays, and prints one
JSON object: its time in each part, or, with a fifth argument "cpu", its CPU
time; with trace, also which functions call which, from which lines, as the
interpreter itself has it, so that it holds for each version's own way to
compile.  Wants Python 3.6 or later."""
import dis
import json
import os
import sys
import threading
import time
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR

clock = time.perf_counter
# A part's time is taken by one clock only.  That of the CPU is a system call,
# which is no part of what most loads are to be; 3.6 has none of a thread.
CLOCKS = dict(wall=clock, cpu=getattr(time, 'thread_time', time.process_time))
SMALLEST = 50           # a part's size is this to four times this
COSTS = 1001            # of the clock that are measured
MADE_BY_ANY = 'managed', 'manager'  # generators that their makers do not name
PATH = 6                # calls in a row that are noted together


class Load:
    """parts are called in turn with a size and share the time.  equals are
    functions whose time is the same because their code is.  Of made code,
    whose names hold a number, all numbers are alike (see made in loads.py).
    threads of them play at once, while idle others sleep."""

    def __init__(self, *parts, **more):
        self.parts = parts
        self.equals = more.get('equals', ())
        self.threads = more.get('threads', 1)
        self.idle = more.get('idle', 0)
        self.times = dict.fromkeys((p.__name__ for p in parts), 0.0)
        self.clock = clock
        self.played = 0.0
        self.rounds = 0
        self.lock = threading.Lock()


def timed(part, n, clock):
    """What a call takes, by a clock whose own cost is not the part's."""
    t = clock()
    part(n)
    return clock() - t


def nothing(n):
    pass


def clock_cost(clock):
    """What timed has of the clock's own time, and of the call's: a median."""
    return sorted(timed(nothing, 0, clock) for _ in range(COSTS))[COSTS // 2]


def play(load, sizes):
    """Each part in turn, so that the shares are those of its own clock."""
    clock, times = load.clock, dict.fromkeys(load.times, 0.0)
    begin, rounds = clock(), 0
    cost = clock_cost(clock)
    for n in sizes:
        for part in load.parts:
            times[part.__name__] += timed(part, n, clock) - cost
        rounds += 1
    with load.lock:
        load.played += clock() - begin
        load.rounds += rounds
        for name in times:
            load.times[name] += times[name]


def sleep(done):
    done.wait()


def play_all(load, sizes):
    done = threading.Event()
    idle = [threading.Thread(target=sleep, args=(done,), daemon=True)
            for _ in range(load.idle)]
    more = [threading.Thread(target=play, args=(load, sizes()), daemon=True)
            for _ in range(load.threads - 1)]
    for t in idle + more:
        t.start()
    play(load, sizes())
    for t in more:
        t.join()
    done.set()
    for t in idle:
        t.join()


# ---- time -------------------------------------------------------------------

def drawn(how, amount, seed):
    """Sizes of rounds: they differ, so that rounds do not fall into step with
    the samples."""
    end, rounds = clock() + amount, 0
    while rounds < amount if how == 'rounds' else clock() < end:
        rounds += 1
        seed = (seed * 1103515245 + 12345) & 0x7fffffff
        yield SMALLEST + (seed >> 16) % (SMALLEST * 3)


# ---- calls ------------------------------------------------------------------

class Trace:
    """Of calls only: to trace lines keeps what a variable had, before 3.13, so
    that it is freed elsewhere."""

    def __init__(self):
        self.calls, self.roots, self.codes = set(), set(), {}
        self.paths = set()

    def __call__(self, frame, event, arg):
        while frame is not None and self.add(frame):
            frame = frame.f_back

    def add(self, frame):
        """The call by which a frame was made, or resumed."""
        code, back = frame.f_code, frame.f_back
        self.codes[code] = None
        self.paths.add(path(frame))
        if back is None:
            self.roots.add(code)
            return True
        call = back.f_code, back.f_lineno or -1, code
        new = call not in self.calls
        self.calls.add(call)
        return new


def path(frame):
    """The last calls that came to a frame, innermost first."""
    found = [frame.f_code]
    while frame.f_back is not None and len(found) <= 2 * PATH:
        frame = frame.f_back
        found += frame.f_lineno or -1, frame.f_code
    return tuple(found)


def makes(code, other):
    """Whether a function can make a generator or coroutine, which for a
    moment looks like a call of it that no tracing shows."""
    if not other.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        return False
    return other in code.co_consts or other.co_name in MADE_BY_ANY or \
        other.co_name in code.co_names + code.co_varnames + code.co_freevars


def lines(code):
    """All lines that an instruction of a code object can have."""
    if hasattr(code, 'co_lines'):
        found = {line or -1 for _, _, line in code.co_lines()}
    else:
        found = {line for _, line in dis.findlinestarts(code)}
    return sorted(found | {code.co_firstlineno})


def names(code):
    file = code.co_filename
    return (file if file.startswith('<') else os.path.basename(file),
            code.co_name, getattr(code, 'co_qualname', code.co_name))


def is_own(code):
    """Whether it is of the load's own files, or made: all calls of it are
    known then."""
    file = code.co_filename
    return not file.startswith(('<', os.path.dirname(os.__file__)))


def run(load, how, amount, seed):
    """What is recorded is what was traced: the same calls, from here on."""
    trace = Trace() if how == 'trace' else None
    print('ready', flush=True)
    sys.stdin.readline()
    wall, cpu = clock(), time.process_time()
    if trace:
        how = 'rounds'
        threading.settrace(trace)
        sys.settrace(trace)
    play_all(load, lambda: drawn(how, amount, seed))
    sys.settrace(None)
    return clock() - wall, time.process_time() - cpu, trace


def show(load, wall, cpu, trace):
    result = dict(wall=wall, cpu=cpu, rounds=load.rounds, played=load.played,
                  parts=load.times, equals=load.equals, threads=load.threads)
    if trace:
        numbers = {code: i for i, code in enumerate(trace.codes)}
        result.update(
            roots=[names(c) for c in trace.roots],
            codes=[(names(c), lines(c)) for c in trace.codes],
            own=sorted({names(c)[0] for c in trace.codes if is_own(c)}),
            calls=[(names(a), line, names(b)) for a, line, b in trace.calls],
            paths=[[numbers[x] if i % 2 == 0 else x for i, x in enumerate(p)]
                   for p in trace.paths],
            makes=[(names(a), names(b)) for a in trace.codes
                   for b in trace.codes if makes(a, b)])
    print(json.dumps(result), flush=True)
    os._exit(0)     # what runs at exit has roots of its own


def main(loads):
    name, how, amount, seed = sys.argv[1:5]
    load = loads[name]()
    load.clock = CLOCKS[(sys.argv[5:] or ['wall'])[0]]
    show(load, *run(load, how, float(amount), int(seed)))
