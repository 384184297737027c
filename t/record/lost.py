#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What a recorder leaves behind when it is ended at any moment.

    lost.py kills SEED COUNT COMMAND...
            kills so many recorders of the command at moments that the seed
            gives, and looks at what is left of each
    lost.py faults LIBRARY OLD COMMAND...
            lets each write of a recorder fail in turn, and what else can,
            beside an old profile; LIBRARY is made of fault.c
    lost.py disk FOLDER
            what was on the disk whenever it was synced can be read, and is
            new enough; FOLDER is fault.c's FAULT_DISK
"""
import errno
import os
import re
import shutil
import random
import subprocess
import sys
import tempfile
import threading
import time

AT_ONCE = 10
LIFE = 2.6  # s, of a target
LOST = 1.0  # s, at most ...
LATE = 0.5  # ... and how much longer a busy machine may let a recorder sleep
WARNING = ('tach-cat: p.bin: its recording was cut short: this is what was '
           'saved (tach-merge -o NEW makes it whole)\n')


class Wrong(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Wrong(' '.join(map(str, what)))


def run(folder, *command):
    return subprocess.run(command, cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def samples_of(text):
    return [line.split('\t') for line in text.splitlines()
            if line[:1].isdigit()]


def check_order(samples):
    last = {}
    for time_, interp, thread, *_ in samples:
        expect(int(time_) >= last.get((interp, thread), 0), 'order', time_)
        last[interp, thread] = int(time_)


# ---- kills ------------------------------------------------------------------

# Times in seconds on the monotonic clock: it was killed after the one, and before
# the other.
def check_lost(samples, start, begin, killed, gone):
    last = start + int(samples[-1][0]) / 1e6 if samples else begin
    expect(last <= gone, 'a sample from the future, by %.6f s' % (last - gone))
    expect(last >= killed - LOST - LATE, 'lost %.2f s' % (killed - last))


def start_of(folder):
    info = run(folder, 'tach-info', 'p.bin')
    expect(info.returncode == 0, info.stderr)
    return int(info.stdout.split('\nstart:')[1].split()[0]) / 1e6


def check_repair(folder, samples):
    merge = run(folder, 'tach-merge', '-o', 'good.bin', 'p.bin')
    expect(merge.returncode == 0, 'tach-merge:', merge.stderr)
    verify = run(folder, 'tach-info', '--verify', 'good.bin')
    expect((verify.returncode, verify.stderr) == (0, ''), verify.stderr)
    good = run(folder, 'tach-cat', '-l', 'good.bin')
    expect((good.returncode, good.stderr) == (0, ''), good.stderr)
    expect(samples_of(good.stdout) == samples, 'made whole, it is another')


def check_left(folder, killed, gone, target):
    cat = run(folder, 'tach-cat', '-l', 'p.bin')
    expect((cat.returncode, cat.stderr) == (0, WARNING), cat.stderr)
    samples = samples_of(cat.stdout)
    check_order(samples)
    begin = float((target.splitlines() or [killed])[0])
    check_lost(samples, start_of(folder), begin, killed, gone)
    check_repair(folder, samples)
    return len(samples)


def unhurt(path):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(path) as f:
            if f.read().endswith('unhurt\n'):
                return
        time.sleep(0.05)
    raise Wrong('the target did not come to its end')


def kill_one(folder, options, age, command):
    with open(folder + '/out', 'w') as out:
        recorder = subprocess.Popen(
            ['tach-record', '-q', '-o', 'p.bin', *options, '--', *command,
             str(LIFE)], cwd=folder, stdout=out)
    time.sleep(age)
    killed = time.monotonic()
    recorder.kill()
    recorder.wait()
    gone = time.monotonic()
    with open(folder + '/out') as out:
        target = out.read()
    # It may be killed before it has made a file, or started anything.
    n = check_left(folder, killed, gone, target) \
        if os.path.exists(folder + '/p.bin.part.journal') else 0
    if target:
        unhurt(folder + '/out')
    return n


# ---- many of them at once --------------------------------------------------

class Jobs:
    """Does (name, function, arguments) for each in a folder of its own."""

    def __init__(self, jobs):
        self.jobs = jobs[::-1]
        self.wrong = 0
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            return self.jobs.pop() if self.jobs else None

    def do(self, folder, name, function, args):
        os.mkdir(folder)
        try:
            said = function(folder, *args)
        except Wrong as e:
            said = 'WRONG: %s' % e
            self.wrong += 1
        print('%s: %s' % (name, said), flush=True)

    def work(self, base):
        while (job := self.take()) is not None:
            self.do(tempfile.mkdtemp(dir=base) + '/here', *job)

    def run(self):
        with tempfile.TemporaryDirectory() as base:
            workers = [threading.Thread(target=self.work, args=(base,))
                       for _ in range(AT_ONCE)]
            for w in workers:
                w.start()
            for w in workers:
                w.join()
        return self.wrong


def kills(seed, count, *command):
    print('seed', seed)
    rng = random.Random(int(seed))
    ways = [['--compression', c, '--layout', layout]
            for c in ('zstd', 'none') for layout in ('early', 'cpython')]
    jobs = []
    for i in range(int(count)):
        age, way = rng.uniform(0, LIFE - 0.3), ways[i % len(ways)]
        jobs.append(('%2d killed after %.3f s, %s' %
                     (i, age, ' '.join(way[1::2])), kill_one,
                     (way, age, command)))
    return Jobs(jobs).run()


# ---- faults -----------------------------------------------------------------

PART = 'p.bin.part'
NAMES = PART + '.journal'
FAULT_LIFE = 1.2  # s, of a target
KEPT = 'tach-record: the recording until then is in p.bin.part\n'
NEWER = ('tach-info: p.bin: there is a newer recording, not finished, in '
         'p.bin.part\n')


class Fault:
    def __init__(self, library, old, command):
        self.library, self.old, self.command = library, old, command

    def record(self, folder, settings):
        """Status, messages, and how often the call was made."""
        with open(self.old, 'rb') as old, open(folder + '/p.bin', 'wb') as new:
            new.write(old.read())
        count = folder + '/../count'
        open(count, 'w').close()
        env = dict(os.environ, LD_PRELOAD=self.library, FAULT_COUNT=count,
                   FAULT_PROGRAM='tach-record', **settings)
        env['ASAN_OPTIONS'] = 'verify_asan_link_order=0:' + \
            env.get('ASAN_OPTIONS', '')
        done = subprocess.run(
            ['tach-record', '-q', '-o', 'p.bin', '--', *self.command,
             str(FAULT_LIFE)], cwd=folder, env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(done.stdout.endswith('unhurt\n'), 'the target was hurt')
        with open(count) as f:
            return done.returncode, done.stderr, len(f.readlines())

    def count(self, call, file):
        with tempfile.TemporaryDirectory() as base:
            os.mkdir(base + '/here')
            return self.record(base + '/here', {
                'FAULT_CALL': call, 'FAULT_FILE': file, 'FAULT_AT': '0'})[2]

    def check_old(self, folder, newer):
        with open(self.old, 'rb') as a, open(folder + '/p.bin', 'rb') as b:
            expect(a.read() == b.read(), 'the old profile is gone')
        info = run(folder, 'tach-info', 'p.bin')
        expect((info.returncode, info.stderr) == (0, NEWER if newer else ''),
               'of the old one:', info.stderr)

    def check_failed(self, folder, status, stderr, why):
        said, kept = stderr.removesuffix(KEPT), stderr.endswith(KEPT)
        expect(status == 125, 'status', status)
        expect(re.fullmatch('tach-record: p.bin: cannot write( the journal)?: '
                            '%s\n' % re.escape(why), said), 'it says', stderr)
        left = sorted(os.listdir(folder))
        expect(left == ['p.bin'] + [PART, NAMES] * kept, left)
        self.check_old(folder, kept)
        return self.check_kept(folder) if kept else 'nothing saved'

    def check_kept(self, folder):
        os.unlink(folder + '/p.bin')
        cat = run(folder, 'tach-cat', '-l', 'p.bin')
        expect(cat.returncode == 0 and cat.stderr in ('', WARNING), cat.stderr)
        samples = samples_of(cat.stdout)
        expect(samples, 'there is nothing in what was kept')
        check_order(samples)
        check_repair(folder, samples)
        return '%d samples kept' % len(samples)

    @staticmethod
    def check_whole(folder, status, stderr):
        expect((status, stderr) == (0, ''), 'status', status, stderr)
        expect(os.listdir(folder) == ['p.bin'], os.listdir(folder))
        verify = run(folder, 'tach-info', '--verify', 'p.bin')
        expect((verify.returncode, verify.stderr) == (0, ''), verify.stderr)
        return 'whole'

    def one(self, folder, call, file, at, how, why):
        status, stderr, count = self.record(folder, {
            'FAULT_CALL': call, 'FAULT_FILE': file, 'FAULT_AT': str(at),
            'FAULT_HOW': how, 'FAULT_ERRNO': str(why)})
        if how == 'short' or count < at:
            return self.check_whole(folder, status, stderr)
        return self.check_failed(folder, status, stderr, os.strerror(why))

    def jobs(self):
        for file in PART, NAMES:
            for at in range(1, self.count('pwrite', file) + 1):
                yield 'pwrite', file, at, 'once', errno.EIO
                yield 'pwrite', file, at, 'on', errno.ENOSPC
            yield 'pwrite', file, 1, 'short', 0
            yield 'pwrite', file, 3, 'short', 0
            for at in range(1, self.count('fdatasync', file) + 1):
                yield 'fdatasync', file, at, 'once', errno.EIO
        yield 'rename', PART, 1, 'once', errno.EACCES


def faults(library, old, *command):
    fault = Fault(library, old, command)
    return Jobs([('%s %s %d %s' % job[:4], fault.one, job)
                 for job in fault.jobs()]).run()


# ---- the disk ---------------------------------------------------------------

def synced(folder):
    """(number, seconds, name, file) of each time that a file was synced."""
    for file in os.listdir(folder):
        name, number, at = file.rsplit('.', 2)
        yield int(number), int(at) / 1e3, name, folder + '/' + file


def disk(folder):
    moments, last = sorted(synced(folder)), None
    with tempfile.TemporaryDirectory() as base:
        for number, at, name, file in moments:
            expect(last is None or at - last <= LOST + LATE, 'at %.3f' % at,
                   'what is on the disk ends at %.3f' % (last or 0))
            shutil.copy(file, base + '/' + name)
            if not os.path.exists(base + '/' + NAMES):
                continue
            cat = run(base, 'tach-cat', 'p.bin')
            expect((cat.returncode, cat.stderr) in ((0, WARNING), (0, '')),
                   cat.stderr)
            samples = samples_of(cat.stdout)
            expect(samples, 'nothing on the disk')
            last = start_of(base) + int(samples[-1][0]) / 1e6
            print('%d. %s: %d samples, the last %.3f s old' %
                  (number, name, len(samples), at - last))
    expect(number >= 6, 'synced only', number, 'times')
    return 0


if __name__ == '__main__':
    try:
        sys.exit({'kills': kills, 'faults': faults, 'disk': disk}[sys.argv[1]](
            *sys.argv[2:]) != 0)
    except Wrong as wrong:
        sys.exit('lost.py: %s' % wrong)
