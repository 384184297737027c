# SPDX-License-Identifier: ISC
"""arm64.py QEMU PYTHON_ROOT MERGED_ROOT MERGED STOPS: runs mixed.py by a Python of arm64
under QEMU, stops it at random moments, and judges the stacks that the program MERGED,
also of arm64, makes of its registers and its memory.

The roots are what the two programs see in the place of /.  Prints what stops.py prints,
and has its status.
"""
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

import stops

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, '../programs')
# One thread, as qemu stops whichever it likes.
CODE = '''
import sys
sys.path.insert(0, %r)
sys.setrecursionlimit(3000)
import mixed
print(open('/proc/self/maps').read(), end='')
print('ready', flush=True)
mixed.run([mixed.WAYS])
''' % PROGRAMS


class Debugger:
    """A client of qemu's, by gdb's protocol."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.bytes = b''

    def take(self):
        """The next packet."""
        while True:
            begin = self.bytes.find(b'$')
            end = self.bytes.find(b'#', begin)
            if begin >= 0 and 0 <= end <= len(self.bytes) - 3:
                packet = self.bytes[begin + 1:end]
                self.bytes = self.bytes[end + 3:]
                self.socket.sendall(b'+')
                return packet
            more = self.socket.recv(65536)
            if not more:
                sys.exit('qemu has ended')
            self.bytes += more

    def send(self, packet):
        self.socket.sendall(b'$%s#%02x' % (packet, sum(packet) & 255))

    def ask(self, packet):
        self.send(packet)
        return self.take()

    def registers(self):
        """x0 to x30, sp, pc."""
        data = bytes.fromhex(self.ask(b'g').decode())
        return [int.from_bytes(data[8 * i:8 * i + 8], 'little') for i in range(33)]


def merger(qemu, root, program, pid, maps):
    """MERGED, which sees the mappings as the Python sees them: to the kernel, no
    memory of a program that qemu runs is code."""
    prefix = tempfile.mkdtemp(prefix='tach.')
    for name in ('lib', 'usr'):
        os.symlink(os.path.join(root, name), os.path.join(prefix, name))
    os.makedirs('%s/proc/%d' % (prefix, pid))
    with open('%s/proc/%d/maps' % (prefix, pid), 'w') as f:
        f.write(maps)
    return subprocess.Popen([qemu, '-L', prefix, program, str(pid)], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def merged(by, registers):
    """The text of a stack."""
    by.stdin.write(' '.join('%x' % r for r in registers) + '\n')
    by.stdin.flush()
    text = ''
    for line in by.stdout:
        if line == '\n':
            return text
        text += line
    sys.exit('the program that merges has ended')


def until_ready(python):
    maps = ''
    for line in python.stdout:
        if line == 'ready\n':
            return maps
        maps += line
    sys.exit('the Python has ended')


def main(qemu, python_root, merged_root, program, n):
    path = tempfile.mktemp(prefix='tach.')
    command = [qemu, '-L', python_root, '-g', path,
               python_root + '/usr/bin/python3.11', '-B', '-c', CODE]
    python = subprocess.Popen(command, text=True, stdout=subprocess.PIPE)
    try:
        while not os.path.exists(path):
            time.sleep(0.05)
        debugger = Debugger(path)
        debugger.send(b'c')
        by = merger(qemu, merged_root, program, python.pid, until_ready(python))
        edges = edges_of()
        counts = stops.Counts()
        for i in range(int(n)):
            time.sleep(random.random() / 20)
            os.kill(python.pid, signal.SIGUSR1)
            debugger.take()
            counts.judge(edges, merged(by, debugger.registers()), False)
            debugger.send(b'c')
        by.stdin.close()
        by.wait()
    finally:
        python.kill()
        python.wait()
    print(counts)
    return counts.is_bad()


def edges_of():
    with tempfile.NamedTemporaryFile('w+') as f:
        f.write(subprocess.run([sys.executable, '-B', PROGRAMS + '/mixed.py', '--edges'],
                               stdout=subprocess.PIPE, text=True, check=True).stdout)
        f.flush()
        return stops.edges_of(f.name)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
