#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""libtach.py LIBRARY FILE: prints the samples of a profile as tach-cat does, for
names of printable characters; FILE may be -.  It reads it by ctypes alone, and so shows what a binding
needs: the structs of tach.h that never change, and calls.
"""
import ctypes
import re
import sys

STATUS_BITS = 8
OK, END = 0, 1
FATAL = -2


class String(ctypes.Structure):
    _fields_ = [('bytes', ctypes.POINTER(ctypes.c_char)),
                ('len', ctypes.c_size_t)]

    def text(self):
        return self.bytes[:self.len].decode()


class Frame(ctypes.Structure):
    _fields_ = [('file', ctypes.c_uint32), ('func', ctypes.c_uint32),
                ('line', ctypes.c_int32), ('end_line', ctypes.c_int32),
                ('column', ctypes.c_int32), ('end_column', ctypes.c_int32),
                ('opcode', ctypes.c_uint8)]


class Tick(ctypes.Structure):
    _fields_ = [('time', ctypes.c_uint64), ('status', ctypes.c_uint8),
                ('duration', ctypes.c_uint32)]


class Run(ctypes.Structure):
    _fields_ = [('thread', ctypes.c_uint64), ('interp', ctypes.c_uint32),
                ('index', ctypes.c_uint32),
                ('frames', ctypes.POINTER(ctypes.c_uint32)),
                ('depth', ctypes.c_uint32), ('shared', ctypes.c_uint32),
                ('ticks', ctypes.POINTER(Tick)), ('count', ctypes.c_size_t)]


def load(path):
    """The library, with the types of what its calls take and return."""
    lib = ctypes.CDLL(path)
    handle, number = ctypes.c_void_p, ctypes.c_uint32
    for name, result, *arguments in (
            ('tach_reader_new', handle),
            ('tach_reader_free', None, handle),
            ('tach_reader_open', ctypes.c_int, handle, ctypes.c_char_p),
            ('tach_reader_open_memory', ctypes.c_int, handle,
             ctypes.c_char_p, ctypes.c_size_t),
            ('tach_reader_next', ctypes.c_int, handle, ctypes.POINTER(Run)),
            ('tach_reader_error', ctypes.c_int, handle,
             ctypes.POINTER(ctypes.c_char_p)),
            ('tach_reader_table', handle, handle),
            ('tach_table_string', String, handle, number),
            ('tach_table_frame', ctypes.POINTER(Frame), handle, number),
            ('tach_status_name', ctypes.c_char_p, ctypes.c_uint)):
        call = getattr(lib, name)
        call.restype, call.argtypes = result, arguments
    return lib


def escaped(name):
    """What tach-text(5) escapes in a name without control characters."""
    return re.sub(r'[ \\;:]', lambda c: f'\\{ord(c[0]):03o}', name)


def frame_text(lib, table, index):
    frame = lib.tach_table_frame(table, index).contents
    file = escaped(lib.tach_table_string(table, frame.file).text())
    func = escaped(lib.tach_table_string(table, frame.func).text())
    if frame.line == -1 and file in ('', '~'):
        return func
    return f'{file}:{func}:{frame.line if frame.line != -1 else ""}'


def status_text(lib, status):
    return ','.join(lib.tach_status_name(bit).decode()
                    for bit in range(STATUS_BITS)
                    if status & 1 << bit) or '-'


def print_run(lib, table, run):
    stack = ';'.join(frame_text(lib, table, run.frames[i])
                     for i in reversed(range(run.depth)))
    for tick in run.ticks[:run.count]:
        print(tick.time, run.interp, run.thread,
              status_text(lib, tick.status), stack, sep='\t')


def print_all(lib, reader):
    run = Run()
    while (result := lib.tach_reader_next(reader, run)) == OK:
        print_run(lib, lib.tach_reader_table(reader), run)
    return result


def main():
    lib, path = load(sys.argv[1]), sys.argv[2]
    reader = lib.tach_reader_new()
    line = ctypes.c_char_p()
    if path == '-':
        data = sys.stdin.buffer.read()
        result = lib.tach_reader_open_memory(reader, data, len(data))
    else:
        result = lib.tach_reader_open(reader, path.encode())
    if result != FATAL:
        result = print_all(lib, reader)
    code = lib.tach_reader_error(reader, line)
    text = line.value.decode()
    lib.tach_reader_free(reader)
    if result != END:
        sys.exit(f'{path}: {text} ({code})')


main()
