# SPDX-License-Identifier: ISC
"""libraries.py: is in the code of many libraries, in turn."""
import hashlib
import json
import lzma
import re
import sqlite3
import zlib

TEXT = [{'name': 'x' * (i % 40), 'values': list(range(i % 30))} for i in range(200)]
BYTES = bytes(range(256)) * 400


def query():
    base = sqlite3.connect(':memory:')
    base.execute('create table t (a, b)')
    base.executemany('insert into t values (?, ?)',
                     [(i, str(i)) for i in range(300)])
    base.create_function('twice', 1, lambda x: 2 * x)
    base.execute('select sum(twice(a)) from t').fetchall()
    base.close()


print('ready', flush=True)
while True:
    hashlib.sha256(BYTES).digest()
    hashlib.pbkdf2_hmac('sha1', b'key', b'salt', 300)
    json.loads(json.dumps(TEXT))
    zlib.decompress(zlib.compress(BYTES))
    lzma.compress(BYTES[:9999])
    re.findall('(x+)y*', json.dumps(TEXT))
    query()
