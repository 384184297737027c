# SPDX-License-Identifier: ISC
"""A function whose table of lines has far more than 65,536 bytes, at its
beginning, its middle and its end: big.py TRUTH."""
import sys

from spot import spot, start

LINES = 50000
PAGE = '    x = 0\n' * LINES
SOURCE = ('def big():\n    spot("first", 0.1)\n%s    spot("middle", 0.1)\n%s'
          '    spot("last", 0.1)\n' % (PAGE, PAGE))

if __name__ == '__main__':
    start(sys.argv[1])
    scope = {'spot': spot}
    exec(compile(SOURCE, 'big-made.py', 'exec'), scope)
    code = scope['big'].__code__
    table = getattr(code, 'co_linetable', None) or code.co_lnotab
    assert len(table) > 131072, len(table)
    scope['big']()
