# SPDX-License-Identifier: ISC
"""Parts of a load that runs as many functions as a real program: parsers and
printers of the standard library.  Wants Python 3.6 or later."""
import argparse
import ast
import collections
import configparser
import difflib
import email.parser
import enum
import fractions
import html.parser
import inspect
import io
import json
import pprint
import re
import statistics
import textwrap
import tokenize

SOURCE = textwrap.dedent(inspect.getsource(textwrap.TextWrapper._split))
WORDS = inspect.getdoc(argparse)
TREE = ast.parse(SOURCE)
RECORDS = [{'number': i, 'text': str(i), 'parts': [i] * 4} for i in range(8)]
DRAFT, FINAL = WORDS[:600].split('\n'), WORDS[100:700].split('\n')
LETTER = 'From: a\nTo: b\nSubject: c\n\nbody\n'
SETTINGS = '\n'.join('[part%d]\nkey = %d' % (i, i) for i in range(6))
PAGE = '<p><a href="x">y</a></p>' * 8
PATTERN = r'(a|b)*c(?P<x>d+)[e-z]{3,5}|foo(?=bar)'


def times(n, cost):
    """How often a part does what costs so many microseconds."""
    return range(1 + n * 10 // cost)


def dump(n):
    for _ in times(n, 200):
        ast.dump(TREE)


def visit(n):
    for _ in times(n, 200):
        ast.NodeTransformer().visit(TREE)


def tokens(n):
    for _ in times(n, 1000):
        collections.deque(
            tokenize.generate_tokens(io.StringIO(SOURCE).readline), 0)


def wrap(n):
    for _ in times(n, 250):
        textwrap.wrap(WORDS[:400], 60)


def compare(n):
    for _ in times(n, 80):
        list(difflib.unified_diff(DRAFT, FINAL))


def show(n):
    for _ in times(n, 800):
        pprint.pformat(RECORDS)


def arguments(n):
    for _ in times(n, 1000):
        parser = argparse.ArgumentParser(prog='x')
        for name in '--one', '--two', '--three':
            parser.add_argument(name)
        parser.parse_args(['--one', '1', '--two=2'])


def means(n):
    for _ in times(n, 90):
        statistics.mean([fractions.Fraction(i, 7) for i in range(20)])


def encode(n):
    for _ in times(n, 200):
        json.dumps(RECORDS, indent=1)


def patterns(n):
    for _ in times(n, 500):
        re.purge()
        re.compile(PATTERN)


def classes(n):
    for _ in times(n, 500):
        enum.Enum('Color', 'red green blue')
        collections.namedtuple('Point', 'x y')


def page(n):
    for _ in times(n, 300):
        html.parser.HTMLParser().feed(PAGE)


def letter(n):
    for _ in times(n, 70):
        email.parser.Parser().parsestr(LETTER)


def settings(n):
    for _ in times(n, 300):
        configparser.ConfigParser().read_string(SETTINGS)


PARTS = (dump, visit, tokens, wrap, compare, show, arguments, means, encode,
         patterns, classes, page, letter, settings)
