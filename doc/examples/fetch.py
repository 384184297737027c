# SPDX-License-Identifier: ISC
"""Tasks of asyncio that wait for a server, and one call that does not let the
others go on.  fetch.py [SECONDS]"""
import asyncio
import hashlib
import sys
import time


async def fetch(number):
    await asyncio.sleep(0.02)  # the server's answer
    return b'%d' % number * 50_000


def checksum(page):
    return hashlib.pbkdf2_hmac('sha256', page, b'salt', 20_000)


async def worker(number, end):
    while time.monotonic() < end:
        checksum(await fetch(number))


async def main():
    end = time.monotonic() + float((sys.argv + ['3'])[1])
    await asyncio.gather(*(worker(n, end) for n in range(10)))


asyncio.run(main())
