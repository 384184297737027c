# SPDX-License-Identifier: ISC
import asyncio, gc, hashlib, json, re, sys, threading, time
def überprüfen(n):
    return sum(i * i for i in range(n))
def 数える(n):
    return [überprüfen(i) for i in range(n)]
class Shop:
    def order(self, n):
        return sorted((self.price(i) for i in range(n)), reverse=True)
    def price(self, i):
        # A line of its own, for RESUME is in the one above.
        return hashlib.sha256(str(i).encode()).hexdigest()
def raises(n):
    try:
        raise ValueError(n)
    except ValueError:
        return 数える(20)

async def agen(n):
    for i in range(n):
        await asyncio.sleep(0); yield i
async def amain(end):
    x = 0
    while time.time() < end:
        async for i in agen(20): x += i
    return x
def deep(n, f):
    return f() if n == 0 else deep(n - 1, f)

def worker(n):
    while time.time() < END:
        Shop().order(200); raises(n); deep(30, lambda: json.dumps(list(range(100)))); re.findall(r'(?:a|b)+cd', 'ab' * 400)
        x = [[] for _ in range(1000)]
        for y in x: y.append(y)
        del y; gc.collect()
END = time.time() + float(sys.argv[1])
if __name__ == '__main__':
    ts = [threading.Thread(target=worker, args=(n,), name='w%d' % n) for n in range(5)]
    for t in ts: t.start()
    asyncio.run(amain(END))
    for t in ts: t.join()
