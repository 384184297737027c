# SPDX-License-Identifier: ISC
"""Makes the first cases of the fuzzers: small profiles of every kind.

    seeds.py BUILDDIR CORPUS

The names say what they are.  Cases that a fuzzer has found are beside them.
"""

import gzip
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ODD = os.path.join(HERE, '..', 'data', 'odd.bin')


def varint(n):
    out = b''
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def record(order, encoding, rest, thread=7, interp=1):
    return struct.pack(order + 'QIB', thread, interp, encoding) + rest


def records(order):
    """Every encoding, statuses and times of their own in a REPEAT."""
    return (record(order, 1, b'\x01\x03\x02\x01\x00') +
            record(order, 0, b'\x03\x01\x00\x00\xff' + varint(1 << 40) +
                   b'\x21') +
            record(order, 2, b'\x05\x01\x02\x01\x02') +
            record(order, 3, b'\x05\x04\x02\x02\x01\x03') +
            record(order, 0, b'\x01\x09\x00', thread=2**64 - 1, interp=0))


STRINGS = [b'', b'a.py', b'f\0g', b'\xc3\xa9;:', b'\0input 1 "x"']
FRAMES = [b'\x01\x02\x02\x04\x02\x06\xff',
          b'\x00\x03\x01\x00\x01\x00\x00',
          b'\x01\x02' + varint(2**32 - 1) + varint(2**33 - 2) +
          b'\x00\x00\x80',
          b'\x03\x01' + varint(2**32 - 2) + b'\x00\x0e\x07\x01']


def statistics():
    return struct.pack('<dddd', 1.5, 1000.0, 1.5, 0.25) + struct.pack(
        '<II8sII', 3, 0, b'TACHSTAT', 1, 56)


def profile(order='<', wide=False, data=None, zstd=0, samples=7, gap=b'',
            config=0x1d9):
    data = records(order) if data is None else data
    strings = b''.join(varint(len(s)) + s for s in STRINGS)
    frames = b''.join(FRAMES)
    at = 64 + len(data)
    head = struct.pack(order + 'II4BQQ', 0x54414348, 1, 3, 15, 0, 0,
                       5518049545, 1000)
    if wide:
        head += struct.pack(order + 'QIQQII', samples, 2, at,
                            at + len(strings), zstd, config)
    else:
        head += struct.pack(order + 'IIQQI8x', samples, 2, at,
                            at + len(strings), zstd)
    body = head + data + strings + frames + gap
    return body + struct.pack(order + 'IIQ16x', len(STRINGS), len(FRAMES),
                              len(body) + 32)


def zstd(data):
    return subprocess.run(['zstd', '-q', '-c', '--no-check'], input=data,
                          stdout=subprocess.PIPE, check=True).stdout


def reader():
    plain = records('<')
    yield 'early-plain', profile()
    yield 'early-big-endian', profile('>')
    yield 'cpython-plain', profile(wide=True)
    yield 'cpython-big-endian', profile('>', wide=True)
    yield 'cpython-statistics', profile(wide=True, gap=statistics())
    yield 'unknown-block', profile(gap=b'something else')
    yield 'zstd-one-frame', profile(data=zstd(plain), zstd=1)
    yield 'zstd-frames-and-skippable', profile(
        data=zstd(plain[:30]) + zstd(b'') + zstd(plain[30:]) +
        b'\x50\x2a\x4d\x18\x03\0\0\0abc', zstd=1)
    yield 'no-samples', profile(data=b'', samples=0)
    yield 'truncated', profile()[:150]
    yield 'libtach-writer', open(ODD, 'rb').read()


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def text(build):
    cat = os.path.join(build, 'cmd', 'tach-cat')
    yield 'long', run(cat, '-l', ODD)
    yield 'short', run(cat, ODD)
    yield 'no-samples', b'# tach 1\n# python 3.15.0\n'
    yield 'quality', (b'# tach 1\n# config 0x59\n# quality duration=3.02 '
                      b'rate=999.8 errors=0.1 missed=0\n1\t0\t7\tgil\ta\n')
    yield 'names-alone', b'1\t0\t7\t-\tmain;f\n2\t0\t7\tcpu\tmain;f;g\n'
    yield 'no-newline', b'1\t0\t7\tgil,0x80\ta:b:1:2:3:4:5;c:d:'


def collapsed():
    yield 'cpython', (b'tid:7;a.py:<module>:9;a.py:f:3 5\n'
                      b'tid:7;a.py:<module>:9;<GC> 1\ntid:8;b.py:g:0 2\n')
    yield 'py-spy', (b'process 7:"python3 a;b";thread (0X7F12): Main;'
                     b'<module> (a.py:9);f (lib x (1)/a.py:3) 2\n'
                     b'thread (12);g (libc.so.6) 1\nf (a.py:3); 4\n')
    yield 'austin', (b'# austin: 3.7.0\n# interval: 100\n# mode: wall\n\n'
                     b'P7;T0:8;/a.py:f:3 149\nP7;T1:9;:GC: 150\n'
                     b'P7;T8 20\n\n# duration: 319\n')
    yield 'austin-full', (b'# austin: 3.7.0\n# interval: 100\n# mode: full\n'
                          b'# memory: 5\n\nP7;T0:8;/a.py:f:3 149,0,-5\n')
    yield 'austin-memory', (b'# austin: 3.7.0\n# mode: memory\n'
                            b'P7;T0:8;/a.py:f:3 131072\n')
    yield 'names-alone', b'main;f 3\r\n\nmain;std::f:4;;x y 10000\n#1;2\t6'
    yield 'count-out-of-range', b'a 9223372036854775\na 18446744073709551616\n'
    yield 'no-count', b'a;b 1\na;b\n'
    yield 'decimal-count', b'a;b 1.5\n'


def slots(order, word, version=0, records=((2, 5, 6, 7), (0, 9, 6),
                                           (3, 5, 5, 6)), trailer=True):
    numbers = [0, 3, version, 10000, 0]
    for count, *addresses in records:
        numbers += [count, len(addresses)] + addresses
    numbers += [0, 1, 0] if trailer else []
    return struct.pack(f'{order}{len(numbers)}{word}', *numbers)


MAPPINGS = (b'build=/usr/lib\n'
            b'4-6 r-xp 00001000 08:01 42       $build/x.so\n'
            b'6-7 r-xp 00000000 00:00 0 \n7-8: /bin/y\n')


def gperftools():
    for order, end in ('<', 'little'), ('>', 'big'):
        for word, bits in ('I', 32), ('Q', 64):
            yield f'{end}-{bits}', slots(order, word) + MAPPINGS
    yield 'names-behind', slots('<', 'Q', 1) + (
        b'  0x5 fib (/tmp/fib.py:3)\n  0x6 <module> (/tmp/fib.py:9)\n')
    yield 'names-before', (b'--- symbol\nbinary=/bin/x\n'
                           b'0x0000000000000005 fib\n---\n--- profile\n' +
                           slots('<', 'Q') + MAPPINGS)
    yield 'names-in-comments', slots('<', 'Q') + (
        b'# 0x0 fib<0000000000000005> (/tmp/fib.py:3)\n')
    yield 'no-trailer', slots('<', 'Q', trailer=False)
    yield 'truncated', slots('<', 'Q')[:-30]
    yield 'count-out-of-range', slots('<', 'Q', records=((2**64 - 1, 5),))
    yield 'depth-out-of-range', (slots('<', 'I', records=(), trailer=False) +
                                 struct.pack('<III', 1, 2**32 - 1, 5))


def foreign(build):
    """What tach-convert writes of other programs' formats, what these programs
    wrote, and what is compressed."""
    def data(name):
        with open(os.path.join(HERE, '..', 'data', name), 'rb') as f:
            return f.read()

    convert = os.path.join(build, 'cmd', 'tach-convert')
    yield 'pprof', gzip.decompress(run(convert, '--pprof', ODD))
    yield 'pprof-gzip', run(convert, '--pprof', ODD)
    yield 'pprof-go', gzip.decompress(data('go.pb.gz'))
    yield 'speedscope', run(convert, '--speedscope', ODD)
    yield 'speedscope-calls', json.dumps({
        'profiles': [{'type': 'evented', 'name': 'Thread 0x7 "a"',
                      'unit': 'seconds', 'startValue': 1, 'endValue': 3,
                      'events': [{'type': 'O', 'frame': 0, 'at': 1},
                                 {'type': 'O', 'frame': 1, 'at': 1.5},
                                 {'type': 'C', 'frame': 1, 'at': 2},
                                 {'type': 'C', 'frame': 0, 'at': 3}]}],
        'shared': {'frames': [{'name': 'a\u00e9', 'line': 2, 'col': 3},
                              {'name': 'b', 'file': 'x.py'}]}}).encode()
    yield 'mojo', data('austin.mojo')
    yield 'mojo-4', (b'MOJ\4\1interval\00010\0\2\7\0Main\0\x0b\5a.py\0'
                     b'\x0b\6f\0\3\1\5\6\3\3\2\x09\5\1\x09\x18\x08\x0a\5'
                     b'\x0e\x09\0\5\1\x09\x13\x0f\x09\x08\2\7\x001f\0\4\7\x09\1'
                     b'\2\7\0Main\0\x0d\6k\0\x09\1')
    yield 'perf', b'\n\n'.join(data('perf.txt').split(b'\n\n')[-3:])
    yield 'xz', lzma.compress(b'main;f 2\nmain;g 3\n')
    yield 'zstd', zstd(b'main;f 2\nmain;g 3\n')


def part(build, profile, layout, z):
    """What a recorder leaves that is killed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'part')
        run(os.path.join(build, 't', 'unit', 'recode'), profile, path,
            layout, z, 'unfinished')
        with open(path + '.journal', 'rb') as names, open(path, 'rb') as data:
            return names.read(), data.read()[64:]


def growing(names, data, options, *steps):
    """A profile that has more with every step."""
    return struct.pack('<BH', options | len(steps), len(names)) + b''.join(
        struct.pack('<HH', *step) for step in steps) + names + data


def entries(names):
    """Where the entries of a journal end."""
    at = 8
    while at < len(names):
        at += 12 + struct.unpack_from('<I', names, at)[0]
        yield at


def unfinished(build):
    hashes, data_first, complete, recorded = 0x10, 0x20, 0x40, 0x80
    for layout in 'early', 'cpython':
        for z in 'none', 'zstd':
            names, data = part(build, ODD, layout, z)
            for options, word in (0, 'as-it-is'), (hashes, 'hashes-made'):
                yield f'{layout}-{z}-{word}', growing(names, data, options)
    with tempfile.NamedTemporaryFile() as f:
        for i in range(120):
            f.write(b'%d\t0\t%d\tgil\tm:f:1;m:g:%d\n' % (i, i % 3, i // 40))
        f.flush()
        for z in 'none', 'zstd':
            names, data = part(build, f.name, 'early', z)
            yield f'several-entries-{z}', growing(names, data, hashes)
            first = next(entries(names))
            yield f'grows-{z}', growing(
                names, data, hashes | data_first | complete | recorded,
                (first, 0), (first, 0))
            end = struct.unpack_from('<Q', names, 20)[0] - 64
            yield f'grows-with-its-data-{z}', growing(
                names, data, hashes | recorded, (0, 0), (first, end),
                (first + 5, end))
    yield 'no-entry', growing(b'EMAN\1\0\0\0', b'', hashes)


class Elf:
    """A library with all that is looked for in a Python, in 4096 bytes."""

    NAMES = [b'', b'_PyRuntime', b'Py_Version', b'_PyThreadState_Current',
             b'interp_head', b'PyInterpreterState_Head']
    SECTIONS = [b'', b'.text', b'.PyRuntime', b'.AsyncioDebug', b'.symtab',
                b'.strtab', b'.shstrtab']

    def __init__(self, order='<', wide=True):
        self.order, self.wide, self.word = order, wide, 'Q' if wide else 'I'

    def pack(self, layout, *numbers):
        return struct.pack(self.order + layout.replace('P', self.word),
                           *numbers)

    def head(self, phnum, shnum):
        ident = b'\x7fELF' + bytes([2 if self.wide else 1,
                                    1 if self.order == '<' else 2, 1])
        return ident + bytes(9) + self.pack(
            'HHIPPPIHHHHHH', 3, 62 if self.wide else 3, 1, 0x200,
            64 if phnum else 0, 0xc00 if shnum else 0, 0,
            64 if self.wide else 52, 56 if self.wide else 32, phnum,
            64 if self.wide else 40, shnum, shnum - 1 if shnum else 0)

    def segment(self, kind, flags, at, size, memory=None):
        memory = size if memory is None else memory
        if self.wide:
            return self.pack('IIPPPPPP', kind, flags, at, at, at, size,
                             memory, 0x1000)
        return self.pack('IPPPPPIP', kind, at, at, at, size, memory, flags,
                         0x1000)

    def symbol(self, name, value, section):
        if self.wide:
            return self.pack('IBBHQQ', name, 0x11, 0, section, value, 8)
        return self.pack('IIIBBH', name, value, 8, 0x11, 0, section)

    def symbols(self, runtime=True):
        names, out, at = b'', b'', 0
        for i, name in enumerate(self.NAMES):
            if runtime or i != 1:
                out += self.symbol(len(names), 0x200 + 16 * i if i else 0,
                                   1 if i else 0)
            names += name + b'\0'
        return out, names

    def section(self, name, kind, at, size, link=0, entry=0):
        return self.pack('IIPPPPIIPP', name, kind, 2, at, at, size, link, 0,
                         8, entry)

    def build(self, sections=True, dynamic=False, runtime=True, phnum=2,
              getter=True):
        out = bytearray(4096)

        def put(at, bytes_):
            out[at:at + len(bytes_)] = bytes_

        symbols, names = self.symbols(runtime)
        put(0, self.head(phnum + dynamic, 7 if sections else 0))
        put(0x40 if self.wide else 0x34,
            self.segment(1, 5, 0, 0x800) +
            self.segment(1, 6, 0x800, 0x800, 0x2000) +
            (self.segment(2, 6, 0xb00, 0x80) if dynamic else b''))
        if getter:
            put(0x250, b'\xf3\x0f\x1e\xfa\x48\x8b\x05\0\1\0\0\xc3')
        put(0x400, symbols)
        put(0x600, names)
        put(0x700, b'\0'.join(self.SECTIONS) + b'\0')
        put(0x800, b'xdebugpy')
        put(0xb00, self.pack('PPPPPPPP', 6, 0x400, 5, 0x600, 10, len(names),
                             0, 0))
        at = {n: b'\0'.join(self.SECTIONS).index(b'\0' + n) + 1
              for n in self.SECTIONS[1:]}
        size = 24 if self.wide else 16
        put(0xc00, bytes(64 if self.wide else 40) + b''.join((
            self.section(at[b'.text'], 1, 0x200, 0x100),
            self.section(at[b'.PyRuntime'], 1, 0x800, 64),
            self.section(at[b'.AsyncioDebug'], 1, 0x900, 96),
            self.section(at[b'.symtab'], 2, 0x400, len(symbols), 5, size),
            self.section(at[b'.strtab'], 3, 0x600, len(names)),
            self.section(at[b'.shstrtab'], 3, 0x700, 0x60))))
        return bytes(out)


def elf():
    for order, end in ('<', 'little'), ('>', 'big'):
        for wide, bits in (True, 64), (False, 32):
            yield f'{end}-{bits}', Elf(order, wide).build()
    yield 'no-sections', Elf().build(sections=False, dynamic=True)
    yield 'nothing-to-go-by', Elf().build(sections=False)
    yield 'stripped', Elf().build(runtime=False)
    yield 'no-segments', Elf().build(phnum=0)
    yield 'no-getter', Elf().build(getter=False)
    yield 'cut', Elf().build()[:0xd00]
    whole = bytearray(Elf().build())
    whole[0x3c:0x40] = struct.pack('<HH', 0, 0xffff)
    yield 'sections-counted-elsewhere', bytes(whole)
    whole = bytearray(Elf().build())
    whole[0xc00 + 64 * 4 + 32:0xc00 + 64 * 4 + 40] = struct.pack('<Q', 2**62)
    yield 'table-out-of-range', bytes(whole)
    yield 'no-elf', b'#!/usr/bin/python3\n'


class Module:
    """An extension module with all of CPython's tables, in 8 KiB.  Functions are at
    multiples of 16 from 0x400 on, texts from 0x800 on, data from 0x1000 on."""

    DATA = 0x1000
    NAMES = (b'', b'PyModuleDef_Init', b'PyInit_m', b'plain', b'_ZN1a1bIiEEvv',
             b'_RNvC1m4main', b'_ZN1a1b17h0123456789abcdefE', b'f.cold')
    SECTIONS = (b'', b'.symtab', b'.strtab', b'.dynsym', b'.dynstr', b'.shstrtab',
                b'.gnu_debuglink', b'.gnu_debugdata')

    def __init__(self):
        self.out = bytearray(0x2000)
        self.texts, self.at, self.moved = 0x800, self.DATA, []

    def put(self, at, content):
        self.out[at:at + len(content)] = content

    def text(self, content):
        at = self.texts
        self.put(at, content + b'\0')
        self.texts += len(content) + 1
        return at

    def words(self, *words):
        """Adds data; pointers are relocated.  Their address."""
        at = self.at
        for word in words:
            if isinstance(word, bytes):
                word = self.text(word)
            if 0x400 <= word < 0x2000 and len(self.moved) % 2 == 0:
                self.moved.append((self.at, word))
            else:
                self.put(self.at, struct.pack('<q', word))
                if 0x400 <= word < 0x2000:
                    self.moved.append((self.at, word))
            self.at += 8
        return at

    def tables(self):
        methods = self.words(b'append', 0x400, 1, 0, b'pop', 0x410, 0x82, b'doc',
                             0, 0, 0, 0)
        attributes = self.words(b'size', 0x420, 0x430, 0, 0, b'name', 0x440, 0, 0, 7,
                                0, 0, 0, 0, 0)
        number = self.words(*range(0x500, 0x500 + 36 * 16, 16))
        sequence = self.words(0x450, 0, 0, 0x460, 0, 0, 0, 0, 0, 0)
        self.words(b'm.T', 32, 0, 0x470, 0, 0, 0, 0, 0x480, number, sequence, 0, 0,
                   0, 0, 0, 0, 0, 1 << 18, b'text', 0x490, 0, 0, 0, 0, 0, methods, 0,
                   attributes, 0, 0, 0, 0, -8, *[0] * 14)
        slots = self.words(52, 0x4a0, 64, methods, 73, attributes, 88, 0x4b0, 0, 0)
        self.words(b'm.S', 24, 0x500, slots)
        more = self.words(2, 0x4c0, 0, 0)
        self.words(0, 0, 0, b'm', 0, -1, methods, more, 0x4d0, 0, 0)
        self.words(b'__len__', 80, 0x4e0, 0x4f0, 0, 0, 0)

    def symbols(self, at, names):
        self.put(at, bytes(24) + b''.join(
            struct.pack('<IBBHQQ', names + sum(len(n) + 1 for n in self.NAMES[:i]),
                        0x12 if i > 1 else 0x10, 0, i > 1, 0x600 + 16 * i if i > 1 else 0,
                        16 * (i % 3)) for i in range(1, len(self.NAMES))))

    def section(self, name, kind, at, size, link=0, entry=0):
        names = b'\0'.join(self.SECTIONS)
        return struct.pack('<IIQQQQIIQQ', names.index(b'\0' + name) + 1, kind, 0, at,
                           at, size, link, 0, 8, entry)

    def build(self, symtab=True, debug=b'', sections=True):
        names = b'\0'.join(self.NAMES) + b'\0'
        size = 24 * len(self.NAMES)
        self.tables()
        self.put(0, Elf().head(4, 8 if sections else 0))
        self.put(0x28, struct.pack('<Q', 0x1c00 if sections else 0))
        self.put(0x3e, struct.pack('<H', 5 if sections else 0))
        elf = Elf()
        self.put(0x40, elf.segment(1, 5, 0, 0x1000) +
                 elf.segment(1, 6, 0x1000, 0x1000, 0x2000) +
                 elf.segment(2, 6, 0x1a00, 0x80) + elf.segment(4, 4, 0x200, 36))
        self.put(0x200, struct.pack('<III4s', 4, 20, 3, b'GNU') + bytes(range(20)))
        self.put(0xb00, names)
        self.put(0xc00, b'\0'.join(self.SECTIONS) + b'\0')
        self.put(0xc80, b'debug\0\0\0' + struct.pack('<I', 9))
        self.symbols(0xd00, 0)
        self.put(0x1a00, struct.pack('<12Q', 6, 0xd00, 5, 0xdc0, 10, len(names), 7,
                                     0x1600, 8, 24 * len(self.moved), 0, 0))
        self.put(0xdc0, names)
        self.put(0x1600, b''.join(struct.pack('<QQq', at, 8, word)
                                  for at, word in self.moved[:42]))
        self.put(0x1a80, debug[:0x180])
        self.put(0x1c00, bytes(64) + b''.join((
            self.section(b'.symtab', 2 if symtab else 1, 0xd00, size, 2, 24),
            self.section(b'.strtab', 3, 0xdc0, len(names)),
            self.section(b'.dynsym', 11, 0xd00, 48, 2, 24),
            self.section(b'.dynstr', 3, 0xdc0, len(names)),
            self.section(b'.shstrtab', 3, 0xc00, 0x60),
            self.section(b'.gnu_debuglink', 1, 0xc80, 12),
            self.section(b'.gnu_debugdata', 1, 0x1a80, len(debug)))))
        return bytes(self.out)


def lines():
    """A file whose code from 0x400 to 0x500 has lines, by DWARF 4."""
    names = b'\0.debug_abbrev\0.debug_info\0.debug_line\0.shstrtab\0'
    # A unit without children: low_pc, high_pc, stmt_list, name.
    abbrev = bytes([1, 0x11, 0, 0x11, 1, 0x12, 6, 0x10, 0x17, 3, 8, 0, 0, 0])
    info = struct.pack('<HIBBQII4s', 4, 0, 8, 1, 0x400, 0x100, 0, b'a.c')
    head = bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]) + \
        b'a.c\0\0\0\0\0'
    program = b'\0\x09\2' + struct.pack('<Q', 0x400) + \
        b'\3\x09\1\2\x40\x4b\2\x80\1\1\2\x40\0\1\1'
    line = struct.pack('<HI', 4, len(head)) + head + program
    out = bytearray(0x400)
    parts = [(b'.debug_abbrev', 1, abbrev),
             (b'.debug_info', 1, struct.pack('<I', len(info)) + info),
             (b'.debug_line', 1, struct.pack('<I', len(line)) + line),
             (b'.shstrtab', 3, names)]
    headings, at = bytes(64), 0x100
    for name, kind, content in parts:
        out[at:at + len(content)] = content
        headings += struct.pack('<IIQQQQIIQQ', names.index(b'\0' + name) + 1, kind, 0,
                                0, at, len(content), 0, 0, 1, 0)
        at += 0x80
    out[:64] = Elf().head(1, 5)
    out[0x28:0x30] = struct.pack('<Q', 0x400)
    out[64:120] = Elf().segment(1, 5, 0, 0x400, 0x1000)
    return bytes(out) + headings


def symbols():
    yield 'lines', lines()
    yield 'whole', Module().build()
    yield 'stripped', Module().build(symtab=False)
    yield 'no-sections', Module().build(sections=False)
    yield 'debugdata', Module().build(symtab=False, debug=lzma.compress(
        b'\x7fELF' + bytes(300)))
    yield 'cut', Module().build()[:0x1c80]
    for i, case in enumerate(('little-64', 'stripped', 'no-sections')):
        yield 'python-' + case, dict(elf())[case]


def perfmap():
    yield 'cpython', (b'\x801000 10 py::f:a.py\n7ffb6f8c97b1 b py::outer:/tmp/p.py\n'
                      b'1000 10 py::g:a.py\n')
    yield 'odd-lines', (b'\xff0x2000 10 a b\n\nx 1 y\n6000 0 n\n6000 10\n6000 10 \xff\n'
                        b'ffffffffffffffff 10 n\n10000000000000000 1 n\n6000 100 n')
    yield 'nothing-at-first', b'\x001000 10 f'


def frames_of_c():
    """Sections .eh_frame at 0x1000, then registers and a stack."""
    def entry(id, rest):
        return struct.pack('<II', len(rest) + 4, id) + rest

    def section(machine, letters, start, *functions):
        ra, first = ((16, b'\x0c\x07\x08\x90\x01'), (30, b'\x0c\x1f\x00'))[machine]
        cie = entry(0, b'\1' + letters + b'\0' + bytes([(1, 4)[machine], 0x78, ra]) +
                    b'\x01\x1b' + first)
        whole = cie
        for size, code in functions:
            here = len(whole) + 8
            whole += entry(len(whole) + 4, struct.pack(
                '<iIB', start - 0x1000 - here, size, 0) + code)
            start += size
        return whole + bytes(4)

    def case(machine, section, stack=bytes(512)):
        return bytes([machine]) + struct.pack('<H', len(section)) + section + \
            bytes(33 * 8) + stack

    usual = b'\x41\x0e\x10\x86\x02\x43\x0d\x06\x48\x0c\x07\x08'
    yield 'usual', case(0, section(0, b'zR', 0x100, (16, usual), (16, b''),
                                   (16, b'\x44\x07\x10')),
                        struct.pack('<Q', 0x400112) * 64)
    yield 'aligned', case(0, section(0, b'zR', 0x100, (
        16, b'\x0c\x0a\x00\x44\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00')))
    yield 'linker', case(0, section(0, b'zR', 0x100, (
        32, b'\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22')))
    yield 'signal', case(0, section(0, b'zRS', 0x100, (
        16, b'\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x18\x10\x06\x02\x77\x20')))
    yield 'kept', case(0, section(0, b'zR', 0x100, (
        64, b'\x41\x0a\x0e\x40\x41\x0b\x02\x10\x0a' + b'\x0a\x41' * 9),
        (8, b'\x16\x03\x02\x77\x08\x09\x0c\x0d\x14\x0e\x02')))
    yield 'arm64', case(1, section(1, b'zR', 0x100, (16, b''), (
        32, b'\x2d\x41\x0e\x20\x9d\x04\x9e\x03\x44\x0c\x1d\x20')))
    yield 'cut', case(0, section(0, b'zR', 0x100, (16, usual))[:-12])
    yield 'far-apart', case(0, section(0, b'zR', 0x100, (2**31, usual),
                                       (2**31 - 1, usual)))


def bytecode(minor, *pairs, table=b''):
    return bytes([minor - 6, len(table)]) + table + b''.join(map(bytes, pairs))


def depths():
    for minor in range(6, 16):
        yield f'3.{minor}', bytecode(minor, *((op, op % 5) for op in range(256)))
    # SETUP_FINALLY, SETUP_EXCEPT, POP_BLOCK, LOAD_CONST, END_FINALLY
    yield 'finally-in-finally', bytecode(
        6, (122, 12), (122, 4), (1, 0), (87, 0), (100, 0), (121, 4), (87, 0),
        (110, 2), (88, 0), (88, 0), (83, 0))
    # SETUP_WITH, WITH_CLEANUP_START and FINISH, CALL_FINALLY, BEGIN_FINALLY
    yield 'with', bytecode(8, (100, 0), (143, 8), (1, 0), (87, 0), (53, 0),
                           (81, 0), (82, 0), (88, 0), (83, 0))
    yield 'shared', bytecode(8, (122, 8), (162, 6), (83, 0), (87, 0), (53, 0),
                             (163, 1), (88, 0), (83, 0))
    yield 'to-and-fro', bytecode(9, *[(113, 2), (113, 0)] * 20)
    yield 'disputed', bytecode(9, (100, 0), (114, 6), (100, 0), (110, 2),
                               (113, 2), (83, 0))
    yield 'deeper-and-deeper', bytecode(10, (144, 255), (92, 255), (144, 255),
                                        (92, 255), (113, 0))
    yield 'handlers', bytecode(12, *[(9, 0)] * 8 + [(134, 8)], table=bytes(
        [0x80, 4, 4, 3, 0x80 | 2, 4, 6, 0x7f, 0x7f, 0x7f, 63]))
    yield 'cut-table', bytecode(13, (30, 0), table=b'\x80\x7f')
    yield 'cache-like-extended-arg', bytecode(
        12, (171, 1), (144, 144), (144, 144), (144, 144), (171, 2))


def too_many():
    """More than formats hold that are built for a fuzzer: see limits.h."""
    yield 'too-many-threads', b''.join(
        b'%d\t0\t%d\tgil\tm;f\n' % (i, i) for i in range(20))
    yield 'too-deep', b';'.join([b'f'] * 600) + b' 1\n'
    yield 'too-many-calls', b''.join(b'm;%d 1\n' % i for i in range(300))
    yield 'too-long-names', b'm;' + b'n' * 4200 + b' 1\n'
    yield 'too-many-samples', b'm;f 5000\nm;g 5000\nm;f 1\n'
    yield 'too-many-changes', b'm;f 1\nm;g 1\n' * 300
    every = b''.join(bytes([1, status]) for status in range(256))
    yield 'too-many-statuses', profile(zstd=1, samples=3 * 257, data=zstd(
        b''.join(record('<', 1, bytes([1, 0, 1, frame])) +
                 record('<', 0, varint(256) + every) for frame in range(3))))


def kinds():
    """Frames that are not Python's: see kind.h."""
    inner = (b'<built-in>:time.sleep:;<wait>:sleep:', b'<built-in>:list.sort:;a.py:k:9',
             b'/bin/python3.13:sort:;/lib/libc.so.6:memcpy:', b'[kernel]:read:',
             b'<built-in>:type Decimal:', b'<built-in>:len:', b'<wait>:GIL:',
             b'<built-in>:.:', b'<built-in>::', b'<GC>;a.py:__del__:3', b'<native>')
    yield 'mixed-kinds', b'# tach 1\n# interval 1000\n' + b''.join(
        b'%d000\t0\t7\t%s\t%s%s\n' % (i, (b'-', b'gil,cpu')[i % 2],
                                      b'a.py:f:%d::::30;' % (i % 3)
                                      if i % 4 else b'/bin/x:_start:;', stack)
        for i, stack in enumerate(inner * 2))


def modules():
    """Notes of modules and functions, good ones and odd ones."""
    frames = b'/bin/x:main:;/lib/y.so:f:;/lib/y.so:g:;p.py:h:1'
    good = (b'module 400000-402000 0 0 0123456789abcdef /bin/x',
            b'function 0123456789abcdef 400100 main',
            b'module 7f0000001000-7f0000003000 1000 7f0000000000 -0f /lib/y.so',
            b'function -0f 1040 f')
    odd = (b'module 7e0000001000-7e0000003000 0 0 -0f /lib/y.so',
           b'module 401000-ffffffffffffffff 0 ffffffffffffffff ab /lib/y.so',
           b'function ab ffffffffffffffff f', b'function ab 1040 g',
           b'module 10000000-10002000 0 0 cd /bin/x', b'function cd 10000040 main')
    for case, notes in ('modules', good), ('modules-odd', good + odd):
        yield case, b''.join(b'# note %s\n' % n for n in notes) + \
            b'0\t0\t7\tcpu\t%s\n' % frames


def formats(build):
    """Profiles of every kind, each behind a byte that chooses options."""
    small = [(case, content) for case, content in (
        *text(build), *collapsed(), *gperftools()) if len(content) < 4096]
    file = ('tach', profile()), ('tach-zstd', profile(
        data=zstd(records('<')), zstd=1))
    for n, (case, content) in enumerate((*small, *file, *too_many(), *kinds(), *modules())):
        yield case, bytes([n * 37 % 256]) + content


def merges():
    """Profiles with notes whose numbers tell of interpreters."""
    sample = b'0\t%d\t9\tgil,cpu\ta:b:1\n'

    def several(bits, *profiles):
        return bytes([bits]) + b''.join(
            struct.pack('<H', len(p)) + p for p in profiles)

    def noted(*notes, interps=(0,), head=b'# tach 1\n'):
        return head + b''.join(b'# note %s\n' % n for n in notes) + \
            b''.join(sample % i for i in interps)

    ranges = noted(b'input 0-0 x', b'input 1-3 was=0,5,9 y',
                   b'thread 1 9 T', interps=(0, 1, 3, 7))
    yield 'ranges', several(0, ranges, ranges)
    yield 'all-numbers', several(0, noted(b'input 0-4294967295 x'))
    yield 'last-number', several(2, noted(b'thread 4294967295 9 X',
                                          interps=(4294967295,)))
    yield 'intervals', several(0, noted(
        b'interval 0 5', b'interval 3 0', b'interval 4294967295 7',
        interps=(0, 3), head=b'# interval 18446744073709551615\n'))
    yield 'processes', several(1, noted(
        b'process 0 5', b'time 0 9', b'process 3 6', b'time 3 9223372036854775',
        b'process 2 7', interps=(0, 1, 3, 4)), noted(b'process 9 1', b'time 1 9'))
    yield 'as-if-meta', several(1, noted(
        b'config 0x2', b'quality duration=9 rate=9', b'config 0x1',
        head=b'# start 18446744073709551615\n# python 255.255.255\n'))
    yield 'kinds', several(3, next(reader())[1][:4096], b'a;b 5\nodd\n',
                           b'tid:3;a:b:1 7\n')


def shared():
    """Steps of fuzz_shared.c; the structs are those of agent/wire.h."""
    def record(kind, body, area=0):
        body += b'\0' * (-len(body) % 8)
        return bytes([4, area, len(body) // 8, kind - 1]) + body

    def code(number, name=b'f', file=b'a.py', lines=b'\xef\0', addr=64):
        return record(1, struct.pack(
            '<QQIiIBBHIBBHII', addr, 1, number, 9, len(name), 1, 1, 0,
            len(file), 1, 1, 0, len(lines), 16) + name + file + lines)

    def sample(frames, common=0, weight=1, area=0):
        return record(2, struct.pack(
            '<QIIIIII', 2**62, weight, 1, 0, len(frames) + common, common,
            0) + b''.join(struct.pack('<HBBI', c, 255, 0, at)
                          for c, at in frames), area)

    def word(step, which, at, value, wide=False):
        return bytes([step, which]) + struct.pack(
            '<IB', at, wide) + struct.pack('<Q' if wide else '<I', value)

    drain, look, pause, go_on = b'\x08', b'\x07', b'\x06\1', b'\x06\0'
    good = code(0) + code(1, b'g') + sample([(1, 4), (0, 2)])
    yield 'samples', good + drain + sample([(1, 6)], 1, 3) + drain
    yield 'marks', good + sample([(0xfff0, 0), (0xfff1, 0), (0xfff2, 0),
                                  (0, 2)]) + drain
    yield 'a-code-without-lines', code(2, lines=b'') + sample(
        [(2, 4)]) + drain
    yield 'no-such-code', sample([(5, 0)]) + drain + good + drain
    yield 'pauses', good + pause + drain + go_on + drain
    yield 'a-thread-that-ends', good + word(2, 0, 0, 2) + drain + drain
    yield 'another-process', (
        word(1, 1, 0, 3) + word(1, 1, 4, 1) + word(1, 1, 8, 2**31) + drain +
        look + drain)
    yield 'a-second-image', (
        good + drain + word(1, 1, 0, 2) + word(1, 1, 32, 2) + look + drain)
    yield 'no-ring', good + word(2, 0, 704, 2**63, True) + drain + drain
    yield 'a-loop-of-areas', (word(2, 1, 4, 2) + word(2, 0, 4, 2) +
                              word(1, 0, 48, 2) + drain)
    yield 'control', (bytes([0]) + struct.pack('<IBQ', 24, 1, 1) +
                      bytes([0]) + struct.pack('<IBI', 32, 0, 9) +
                      word(2, 0, 24, 2) + drain + pause + go_on)


def blocked(number, arguments=(), facts=0, polled=0, texts=(), callers=()):
    words = [*arguments, *[0] * 6][:6] + [0x7000, 0x4000]
    return (struct.pack('<q', number) + struct.pack('<7Q', *words[:7]) +
            struct.pack('<BxxxI', facts, polled) +
            b''.join(t + b'\0' for t in [*texts, *[b''] * 4][:4] + [*callers]))


def waits():
    for number in -2, -1, 511, 512, 2**63 - 1:
        yield 'call-%d' % number, blocked(number)
    yield 'lock', blocked(202, (0x7100, 0x80), texts=[b'_thread.lock.acquire'])
    yield 'held', blocked(202, (0, 0x80), texts=[b'', b'_thread.RLock', b'a\nb\xff'])
    yield 'queue', blocked(202, (0, 0x80), callers=[
        b'/usr/lib/python3.11/threading.py', b'Condition.wait',
        b'/usr/lib/python3.11/queue.py', b'Queue.get'])
    yield 'socket', blocked(0, texts=[b'', b'', b'', b'socket:[17]'])
    yield 'address', blocked(0, texts=[b'', b'', b'', b'\x01\x01/run/db'])
    yield 'poll', blocked(7, (0, 3), polled=3)
    yield 'poll-one', blocked(7, (0, 1), facts=16, polled=1, texts=[
        b'_socket.socket.recv', b'', b'', b'socket:[17]'])
    yield 'long', blocked(73, texts=[b'', b'', b'', '\u20ac'.encode() * 200])
    yield 'all', b'\xff' * 400


def main():
    build, corpus = sys.argv[1:]
    for name, cases in (('cfi', frames_of_c()), ('collapsed', collapsed()),
                        ('depths', depths()),
                        ('elf', elf()),
                        ('foreign', foreign(build)),
                        ('formats', formats(build)), ('merge', merges()),
                        ('perfmap', perfmap()), ('symbols', symbols()),
                        ('reader', reader()), ('shared', shared()),
                        ('slots', gperftools()), ('text', text(build)),
                        ('unfinished', unfinished(build)), ('waits', waits())):
        os.makedirs(os.path.join(corpus, name), exist_ok=True)
        for case, content in cases:
            with open(os.path.join(corpus, name, case), 'wb') as f:
                f.write(content)


main()
