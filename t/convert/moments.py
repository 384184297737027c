#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""moments.py: are the outputs that keep the samples' times what they must be?

    moments.py FORMAT PROFILE OUTPUT [idle] [time]
    moments.py random SEED

PROFILE is decoded by decode.py; FORMAT is jsonl, csv, speedscope, chrome,
perfetto or gecko, and OUTPUT what tach-convert made of it: with `idle`, by --idle keep,
with `time`, by --weight time.  Everything that must be in OUTPUT is made up
here once more, and compared.  Prints what there was, or fails.

The second form prints the text of a profile with all that is rare: gaps,
samples that stand for no time, idle threads, stacks without frames, frames of
CPython's launcher, threads in two interpreters, recursion.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
from collections import defaultdict
from random import Random

import perfetto

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib")
WORDS = "gil cpu unknown gil-wanted exception main 0x40 0x80".split()
GIL, CPU, UNKNOWN, WANTED, EXCEPTION, MAIN = (1 << i for i in range(6))
LAUNCHER = "_sync_coordinator.py"
NONE = ("~", "<no frames>", 0)
GAP = None


class Sample:
    def __init__(self, time, interp, thread, status, stack):
        self.time, self.status = time, status
        self.thread = (interp, thread)
        self.stack = [(file, func, 0 if line == -1 else line)
                      for file, func, line, *_ in stack
                      if not file.endswith(LAUNCHER)]
        self.span = None

    @property
    def idle(self):
        return not self.status & (GIL | CPU | UNKNOWN | WANTED)

    @property
    def end(self):
        return self.time + self.span


def load(profile):
    """All samples, in the file's order, and the interval."""
    decode = [sys.executable, os.path.join(LIB, "decode.py")]
    head = json.loads(subprocess.check_output(
        decode + ["--summary", profile]))
    samples = []
    for line in subprocess.check_output(decode + [profile]).splitlines():
        time, *rest = json.loads(line)
        samples.append(Sample(time - head["start_us"], *rest))
    interval = head["interval_us"]
    for lane in lanes(samples).values():
        for s, after in zip(lane, lane[1:]):
            s.span = min(after.time - s.time, 10 * interval)
        lane[-1].span = interval
    return samples, interval


def lanes(samples):
    found = defaultdict(list)
    for s in samples:
        found[s.thread].append(s)
    return found


def name(thread):
    interp, number = thread
    return f"thread {number}" + (f", interpreter {interp}" if interp else "")


def same(got, want, what):
    if got != want:
        sys.exit(f"{what}:\n  got  {got!r:.2000}\n  want {want!r:.2000}")


# ---- records ----------------------------------------------------------------

def text(frame):
    return frame[1] if (frame[0], frame[2]) == ("~", 0) else \
        ":".join(map(str, frame))


def record(s):
    file, func, line = s.stack[-1] if s.stack else NONE
    return {
        "time": s.time, "interp": s.thread[0], "thread": s.thread[1],
        "name": "",
        "status": ",".join(
            w for i, w in enumerate(WORDS) if s.status >> i & 1) or "-",
        "us": s.span, "depth": len(s.stack),
        "function": func, "file": file, "line": line,
        "stack": list(map(text, s.stack)),
        "process": 0, "utc": 0,
    }


def check_records(got, samples):
    want = [record(s) for s in samples]
    same(len(got), len(want), "records")
    # A thread's newest run is held back until its next one: the order of the
    # threads among each other may differ.
    by_thread = defaultdict(list), defaultdict(list)
    for records, by in zip((got, want), by_thread):
        for r in records:
            by[r["interp"], r["thread"]].append(r)
    for thread in by_thread[1]:
        for g, w in zip(by_thread[0][thread], by_thread[1][thread]):
            same(list(g.items()), list(w.items()), f"a record of {thread}")
        same(len(by_thread[0][thread]), len(by_thread[1][thread]), thread)
    print(len(got), "records,", sum(r["us"] for r in got), "us")


def check_jsonl(file, samples, how):
    check_records([json.loads(line) for line in file], samples)


def check_csv(file, samples, how):
    got = list(csv.DictReader(file, strict=True))
    for r in got:
        for column in "time interp thread us depth line process utc".split():
            r[column] = int(r[column])
        # Nothing is empty: many programs would take that for NULL.
        assert all(v != "" for v in r.values()), r
        for column in "name function file".split():
            r[column] = "" if r[column] == "-" else r[column]
        r["stack"] = r["stack"].split(";") if r["depth"] else []
    check_records(got, samples)


# ---- stretches --------------------------------------------------------------

def functions(s):
    return tuple((file, func) for file, func, _ in s.stack) or (NONE[:2],)


def stretches(lane, keep_idle):
    """[begin, end, stack], one after the other, as long as can be."""
    found = []
    for s in lane:
        stack = functions(s) if keep_idle or not s.idle else GAP
        if s.span == 0:
            continue
        if found and found[-1][1] < s.time:
            if found[-1][2] is GAP:
                found[-1][1] = s.time
            else:
                found.append([found[-1][1], s.time, GAP])
        if found and found[-1][2] == stack:
            found[-1][1] = s.end
        else:
            found.append([s.time, s.end, stack])
    return found


def check_speedscope(file, samples, how):
    got = json.load(file)
    same(got["$schema"],
         "https://www.speedscope.app/file-format-schema.json", "schema")
    frames = [(f.get("file", "~"), f["name"]) for f in got["shared"]["frames"]]
    same(len(set(frames)), len(frames), "frames that differ")
    threads = lanes(samples)
    same(sorted(p["name"] for p in got["profiles"]),
         sorted(map(name, threads)), "profiles")
    profiles = {p["name"]: p for p in got["profiles"]}
    busy = {}
    for thread, lane in threads.items():
        p = profiles[name(thread)]
        want = stretches(lane, "idle" in how)
        same([p["type"], p["unit"]], ["sampled", "microseconds"], "kind")
        same([p["startValue"], p["endValue"]],
             [want[0][0], want[-1][1]] if want else [0, 0], "its time")
        same([tuple(frames[i] for i in s) or GAP for s in p["samples"]],
             [stack for _, _, stack in want], f"stacks of {p['name']}")
        same(p["weights"], [end - begin for begin, end, _ in want],
             f"weights of {p['name']}")
        busy[p["name"]] = sum(w for s, w in zip(p["samples"], p["weights"])
                              if s)
    same(sum(busy.values()), sum(
        s.span for s in samples if "idle" in how or not s.idle), "total")
    active = got["profiles"][got["activeProfileIndex"]]["name"]
    same(busy[active], max(busy.values()), "the active profile's time")
    print(sum(len(p["samples"]) for p in got["profiles"]), "samples,",
          sum(busy.values()), "us")


def chrome_tids(threads):
    """Numbers that the format has no room for are others, from 2^31 on."""
    large = [t for t in threads if t[1] >= 2**32]
    return {(t[0], 2**31 + n): t for n, t in enumerate(large)}


def check_chrome(file, samples, how):
    events = json.load(file)["traceEvents"]
    threads = lanes(samples)
    large = chrome_tids(threads)
    for e in events:
        thread = e["pid"] - 1, e.get("tid")
        e["tid"] = large.get(thread, thread)[1]
    names = {(e["pid"] - 1, e["tid"]): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    same(names, {t: name(t) for t in threads}, "threads")
    slices = defaultdict(list)
    for n, e in enumerate(events):
        if e["ph"] != "M":
            same(e["ph"], "X", "phase")
            file = e["args"]["file"] if "args" in e else "~"
            slices[e["pid"] - 1, e["tid"]].append(
                (e["ts"], -e["dur"], n, (file, e["name"])))
    total = 0
    for thread, lane in threads.items():
        want = [s for s in stretches(lane, "idle" in how) if s[2] is not GAP]
        same([(b, d, f) for b, d, _, f in sorted(slices[thread])],
             [(b, d, f) for b, d, f in expected_slices(want)],
             f"slices of {thread}")
        total += sum(end - begin for begin, end, _ in want)
    same(total, sum(s.span for s in samples if "idle" in how or not s.idle),
         "total")
    print(sum(map(len, slices.values())), "slices,", total, "us")


def expected_slices(want):
    """Of stretches without gaps: begin, -duration and function, in the order
    in which viewers nest them."""
    open_, done, last = [], [], None

    def close(depth, end):
        while len(open_) > depth:
            begin, n, function = open_.pop()
            done.append((begin, begin - end, n, function))

    n = 0
    for begin, end, stack in want:
        common = 0
        if last != begin and last is not None:
            close(0, last)
        while common < min(len(stack), len(open_)) and \
                open_[common][2] == stack[common]:
            common += 1
        close(common, begin)
        for depth in range(common, len(stack)):
            open_.append((begin, depth, stack[depth]))
        last = end
    close(0, last)
    return [(b, d, f) for b, d, _, f in sorted(done)]


# ---- Perfetto -----------------------------------------------------------------

def perfetto_frame(frame):
    file, func, line = frame
    if (file, line) != ("~", 0):
        return "py ", func, file, max(line, 0)
    kind = {"<GC>": "gc ", "<native>": "native "}.get(func, "")
    return kind, func, "~", 0


def check_perfetto(file, samples, how):
    trace = perfetto.Trace(file.read())
    threads = lanes(samples)
    large = chrome_tids(threads)
    got = defaultdict(list)
    for time, (pid, tid), weights, stack in trace.samples:
        thread = pid - 1, tid
        got[large.get(thread, thread)].append((time, weights, stack))
    same({large.get((pid - 1, tid), (pid - 1, tid)): said
          for (pid, tid), said in trace.threads.items()},
         {t: name(t) for t in threads}, "threads")
    same(trace.counters, ["wall/nanoseconds", "samples/count"]
         if "time" in how else ["samples/count", "wall/nanoseconds"], "counters")
    for thread, lane in threads.items():
        shown = [s for s in lane if "idle" in how or not s.idle]
        same(got[thread], [
            (1000 * s.time, (1000 * s.span, 1) if "time" in how else
             (1, 1000 * s.span),
             tuple(map(perfetto_frame, s.stack or [NONE])))
            for s in shown], f"samples of {thread}")
    print(len(trace.samples), "samples")


# ---- Firefox Profiler -------------------------------------------------------

STATES = {
    "Has GIL": lambda s, seen: seen & GIL and s.status & GIL,
    "No GIL": lambda s, seen: seen & GIL and not s.status & GIL,
    "On CPU": lambda s, seen: seen & CPU and
        s.status & (CPU | UNKNOWN) == CPU,
    "Off CPU": lambda s, seen: seen & CPU and not s.status & (CPU | UNKNOWN),
    "Waiting for GIL": lambda s, seen: s.status & WANTED,
    "Has Exception": lambda s, seen: s.status & EXCEPTION,
    "GC Collecting": lambda s, seen: ("~", "<GC>", 0) in s.stack,
}


def intervals(lane, seen):
    found = []
    for state, holds in STATES.items():
        begin = end = None
        for s in lane:
            if begin is not None and (s.time > end or not holds(s, seen)):
                found.append((begin, min(s.time, end), state))
                begin = None
            if begin is None and holds(s, seen):
                begin = s.time
            end = s.end
        if begin is not None:
            found.append((begin, end, state))
    return sorted(i for i in found if i[0] < i[1])


def us(ms):
    return round(ms * 1000)


def rows(table):
    """The columns of a table, all of its length."""
    for column, cells in table.items():
        if isinstance(cells, list):
            same(len(cells), table["length"], f"the length of {column}")
    return table


def check_gecko(file, samples, how):
    got = json.load(file)
    strings = got["shared"]["stringArray"]
    categories = [c["name"] for c in got["meta"]["categories"]]
    same(got["meta"]["preprocessedProfileVersion"], 57, "version")
    threads = lanes(samples)
    seen = 0
    for s in samples:
        seen |= s.status
    same(sorted(t["name"] for t in got["threads"]),
         sorted(map(name, threads)), "threads")
    same(sum(t["isMainThread"] for t in got["threads"]), 1, "main threads")
    by_name = {t["name"]: t for t in got["threads"]}
    total = markers = 0
    for thread, lane in threads.items():
        t = by_name[name(thread)]
        for table in ("samples", "stackTable", "frameTable", "funcTable",
                      "resourceTable", "nativeSymbols", "markers"):
            rows(t[table])
        stack, frame = t["stackTable"], t["frameTable"]
        func, resource = t["funcTable"], t["resourceTable"]

        def frame_of(index):
            f = frame["func"][index]
            file = func["fileName"][f]
            if file is not None:
                same(resource["name"][func["resource"][f]], file, "resource")
            return ("~" if file is None else strings[file],
                    strings[func["name"][f]], frame["line"][index] or 0)

        def stack_of(index):
            found = []
            while index is not None:
                prefix = stack["prefix"][index]
                assert prefix is None or prefix < index
                found.append(frame_of(stack["frame"][index]))
                index = prefix
            return found[::-1]

        cache = {i: stack_of(i) for i in set(t["samples"]["stack"])}
        same([cache[i] for i in t["samples"]["stack"]],
             [[f if f[2] > 0 else f[:2] + (0,) for f in s.stack] or [NONE]
              for s in lane], f"stacks of {t['name']}")
        same([us(ms) for ms in t["samples"]["time"]],
             [s.time for s in lane], f"times of {t['name']}")
        same([categories[frame["category"][stack["frame"][i]]]
              for i in t["samples"]["stack"]],
             ["Idle" if s.idle and "idle" not in how else
              "Other" if not s.stack else
              {"<GC>": "GC", "<native>": "Native"}.get(
                  s.stack[-1][1], "Other")
              if (s.stack[-1][0], s.stack[-1][2]) == ("~", 0) else "Python"
              for s in lane], f"categories of {t['name']}")
        if "time" in how:
            same([us(ms) for ms in t["samples"]["weight"]],
                 [s.span for s in lane], "weights")
            same(t["samples"]["weightType"], "tracing-ms", "weights")
        else:
            same([t["samples"]["weight"], t["samples"]["weightType"]],
                 [None, "samples"], "weights")
        if seen & CPU and not seen & UNKNOWN:
            same(t["samples"]["threadCPUDelta"],
                 [0] + [1000 * s.span if s.status & CPU else 0
                        for s in lane[:-1]], "CPU")
        else:
            same("threadCPUDelta" in t["samples"], False, "CPU")
        m = t["markers"]
        found = [(us(b), us(e), strings[n]) for b, e, n in
                 zip(m["startTime"], m["endTime"], m["name"])]
        same([f[0] for f in found], sorted(f[0] for f in found), "order")
        same(sorted(found), intervals(lane, seen), f"markers of {t['name']}")
        total += t["samples"]["length"]
        markers += m["length"]
    same(total, len(samples), "total")
    print(total, "samples,", markers, "markers")


def make_random(seed):
    random = Random(seed)
    frames = ["/a/x.py:f:1", "/a/x.py:f:2", "/a/x.py:f:2", "/a/y.py:g:7",
              "<GC>", "<native>", f"/lib/{LAUNCHER}:run:3", "/b/x.py:f:1",
              "<other>", ":h:",
              "/a/caf\u00e9.py:<lambda>:3"]
    statuses = ["-", "gil", "gil,cpu", "cpu", "gil-wanted", "exception",
                "gil,cpu,exception", "main,gil,cpu"]
    if random.random() < 0.2:
        statuses.append("unknown")
    print("# tach 1\n# python 3.12.1\n# interval 1000")
    threads = [(0, 11), (0, 12), (1, 11), (3, 2 ** 53 + 1)]
    now = {t: random.randrange(5000) for t in threads}
    # decode.py wants a thread to begin with a stack.
    stack = {t: frames[:random.randrange(1, 9)] for t in threads}
    status = {t: "-" for t in threads}
    seen = set()
    for _ in range(random.randrange(1, 3000)):
        t = random.choice(threads)
        if t in seen and random.random() < 0.4:
            depth = random.randrange(len(stack[t]) + 1)
            stack[t] = stack[t][:depth] + random.choices(
                frames, k=random.randrange(4))
        if random.random() < 0.3:
            status[t] = random.choice(statuses)
        seen.add(t)
        print(now[t], *t, status[t], ";".join(stack[t]), sep="\t")
        now[t] += random.choice([0, 1, 999, 1000, 1000, 1000, 9999, 10000,
                                 10001, 123456])


def main():
    if sys.argv[1] == "random":
        make_random(sys.argv[2])
        return
    kind, profile, output, *how = sys.argv[1:]
    samples, _ = load(profile)
    with open(output, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    opener = gzip.open if zipped else open
    if kind == "perfetto":
        with open(output, "rb") as file:
            check_perfetto(file, samples, how)
        return
    with opener(output, "rt", encoding="utf-8", newline="") as file:
        globals()[f"check_{kind}"](file, samples, how)


main()
