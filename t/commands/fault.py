# SPDX-License-Identifier: ISC
# fault.py: a process whose memory waits for ever: once FILE is there, its heap is
# another's to fill, by userfaultfd, and nobody does.  A child of it works on for
# SECONDS.  Without arguments its status says whether there is userfaultfd.
#
#	fault.py [SECONDS FILE]
import ctypes
import fcntl
import os
import platform
import re
import struct
import subprocess
import sys

UFFDIO_API, UFFDIO_REGISTER = 0xC018AA3F, 0xC020AA00
UFFD_API, MISSING = 0xAA, 1
MADV_DONTNEED = 4
NUMBER = {"x86_64": 323, "aarch64": 282}

WORK = """
import sys, time
def work():
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        sum(range(1000))
work()
"""

libc = ctypes.CDLL(None, use_errno=True)
libc.madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
fd = libc.syscall(NUMBER.get(platform.machine(), -1), os.O_CLOEXEC)
if fd < 0 or len(sys.argv) < 3:
    sys.exit(fd < 0)
fcntl.ioctl(fd, UFFDIO_API, struct.pack("QQQ", UFFD_API, 0, 0))
subprocess.Popen([sys.executable, "-c", WORK, sys.argv[1]])
while not os.path.exists(sys.argv[2]):
    sum(range(1000))
with open("/proc/self/maps") as maps:
    first, last = re.search(r"(\w+)-(\w+) .*\[heap\]", maps.read()).groups()
first, last = int(first, 16), int(last, 16)
fcntl.ioctl(fd, UFFDIO_REGISTER,
            struct.pack("QQQQ", first, last - first, MISSING, 0))
libc.madvise(first, last - first, MADV_DONTNEED)
