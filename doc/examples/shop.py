# SPDX-License-Identifier: ISC
"""A small web shop for gunicorn: a search that is slower than it looks."""
import json
import re

GOODS = ['%s %s %d' % (colour, thing, size)
         for colour in ('red', 'green', 'blue', 'black', 'white')
         for thing in ('shirt', 'skirt', 'scarf', 'sock', 'shoe', 'hat')
         for size in range(30, 130)]


def matches(words, name):
    return all(re.search(r'\b%s\b' % re.escape(word), name, re.I)
               for word in words)


def search(query):
    words = query.split('+')
    return [name for name in GOODS if matches(words, name)]


def app(environ, start_response):
    found = search(environ.get('QUERY_STRING', ''))
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps(found).encode()]
