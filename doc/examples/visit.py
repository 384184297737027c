# SPDX-License-Identifier: ISC
"""Visitors of the shop: visit.py PORT SECONDS."""
import http.client
import sys
import threading
import time

QUERIES = 'red+shirt', 'blue+shoe+42', 'scarf', 'white+hat+31'


def visitor(port, end):
    while time.monotonic() < end:
        for query in QUERIES:
            shop = http.client.HTTPConnection('127.0.0.1', port)
            shop.request('GET', '/?' + query)
            shop.getresponse().read()
            shop.close()


def main():
    end = time.monotonic() + float(sys.argv[2])
    for _ in range(4):
        threading.Thread(target=visitor, args=(int(sys.argv[1]), end)).start()


main()
