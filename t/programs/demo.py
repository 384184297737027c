# SPDX-License-Identifier: ISC
"""A small real program for a first look at a profile: it writes a log of
orders as JSON, reads it back, checks the addresses in it by a regular
expression, and sorts and sums it, again and again: demo.py [SECONDS]."""
import json
import random
import re
import sys
import time

ADDRESS = re.compile(r'(?P<user>[\w.+-]+)@(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,})')
NAMES = 'ada blaise charles dennis edsger frances grace hedy ivan jean'.split()
HOSTS = 'example.org', 'mail.example.com', 'localhost', 'post.example.net'


def make_orders(count):
    return [{'id': n,
             'mail': random.choice(NAMES) + '@' + random.choice(HOSTS),
             'items': [random.randrange(1, 500) for _ in range(6)]}
            for n in range(count)]


def write_log(orders):
    return '\n'.join(json.dumps(order) for order in orders)


def read_log(log):
    return [json.loads(line) for line in log.splitlines()]


def good_addresses(orders):
    return [order for order in orders if ADDRESS.fullmatch(order['mail'])]


def price(order):
    total = 0
    for item in order['items']:
        total += item * 19 // 16
    return total


def dearest(orders):
    return sorted(orders, key=price, reverse=True)[:3]


def one_day():
    orders = read_log(write_log(make_orders(2000)))
    return dearest(good_addresses(orders))


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    end = time.monotonic() + seconds
    days = 0
    while time.monotonic() < end:
        best = one_day()
        days += 1
    print('%d days of orders; the dearest on the last: %d, %d and %d'
          % (days, *map(price, best)))


if __name__ == '__main__':
    main()
