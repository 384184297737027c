# SPDX-License-Identifier: ISC
"""Functions and files with names that are hard to carry: names.py TRUTH."""
import sys

from spot import spot, start

FILES = [
    'weird;na\nme "q" \'s\'.py',
    'tab\tand\\backslash\\n.py',
    ' leading and trailing ',
    'bell\a escape\x1b[31m delete\x7f nl\r\n.py',
    'größe.py',
    '数学/関数.py',
    '𐐀🐍.py',
    'e\u0301 \u202e right to left \u200b.py',
    '(parenthesised):12',
    '-',
    '',
    '/' + 'long/' * 800 + 'name.py',
    'a\udcffb.py',
]

FUNCTIONS = [
    'semi;colon',
    'new\nline',
    'space and "quote"',
    '<angle>',
    'nul\0inside',
    'größe',
    'функция',
    '関数',
    '𐐀𐐁',
    'x' * 5000,
    'é' * 3000,
    '関' * 3000,
    '🐍' * 1500,
    '',
]

SOURCE = 'def f(label):\n    spot(label)\n'


def renamed(code, names):
    if hasattr(code, 'replace'):
        return code.replace(**names)
    return type(code)(  # 3.6 and 3.7
        code.co_argcount, code.co_kwonlyargcount, code.co_nlocals,
        code.co_stacksize, code.co_flags, code.co_code, code.co_consts,
        code.co_names, code.co_varnames, code.co_filename, names['co_name'],
        code.co_firstlineno, code.co_lnotab)


def call(file, name):
    """f, under a file and a name of our choice."""
    scope = {'spot': spot}
    exec(compile(SOURCE, file, 'exec'), scope)
    f = scope['f']
    if name is not None:
        names = {'co_name': name}
        if hasattr(f.__code__, 'co_qualname'):
            names['co_qualname'] = 'odd.' + name
        f.__code__ = renamed(f.__code__, names)
    f(ascii((file, name))[:60])


def main():
    for file in FILES:
        call(file, None)
    for name in FUNCTIONS:
        call('names', name)
    exec('class Größe:\n def 数(self): spot("identifiers")\nGröße().数()\n',
         {'spot': spot})


if __name__ == '__main__':
    start(sys.argv[1])
    main()
