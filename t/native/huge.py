# SPDX-License-Identifier: ISC
"""Makes a program of a gibibyte, nearly all of it a hole, with many functions.

    huge.py FILE COUNT

Function number i is at 0x1000 + 64 * i and is named f_i.  The symbols, their names and
the sections are at the end of the file.
"""
import struct
import sys

SIZE = 1 << 30
NAMES = b'\0.symtab\0.strtab\0.shstrtab\0'


def section(name, kind, at, size, link=0, entry=0):
    return struct.pack('<IIQQQQIIQQ', NAMES.index(b'\0' + name) + 1, kind, 0, 0, at,
                       size, link, 0, 8, entry)


def main(path, count):
    text = bytearray(b'\0')
    symbols = bytearray(24)
    for i in range(count):
        symbols += struct.pack('<IBBHQQ', len(text), 0x12, 0, 1, 0x1000 + 64 * i, 60)
        text += b'f_%d\0' % i
    at = SIZE + len(symbols)
    heads = at + len(text) + len(NAMES)
    with open(path, 'wb') as f:
        f.write(b'\x7fELF\2\1\1' + bytes(9) + struct.pack(
            '<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, heads, 0, 64, 56, 1, 64, 4, 3))
        f.write(struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, SIZE, SIZE, 4096))
        f.seek(SIZE)
        f.write(symbols + text + NAMES + bytes(64))
        f.write(section(b'.symtab', 2, SIZE, len(symbols), 2, 24))
        f.write(section(b'.strtab', 3, at, len(text)))
        f.write(section(b'.shstrtab', 3, at + len(text), len(NAMES)))


main(sys.argv[1], int(sys.argv[2]))
