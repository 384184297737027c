# SPDX-License-Identifier: ISC
"""calls.py: lines whose time is in functions of C, for t/data/calls.tach."""
import re
import sqlite3
import threading
import time
import zlib


def sort(numbers):
    numbers.sort(key=lambda n: n % 977)


def query(cursor):
    cursor.execute('select count(*) from t where b like ?', ('%7%',))
    return cursor.fetchall()


def main():
    cursor = sqlite3.connect(':memory:').cursor()
    cursor.execute('create table t(a, b)')
    cursor.executemany('insert into t values (?, ?)',
                       ((i, str(i)) for i in range(20000)))
    done = threading.Event()
    threading.Thread(target=lambda: (time.sleep(0.5), done.set())).start()
    blob = bytes(range(256)) * 500
    while not done.is_set():
        sort(list(range(9000, 0, -1)))
        query(cursor)
        zlib.compress(blob, 9)
        re.findall(rb'[a-z]+', blob)


main()
