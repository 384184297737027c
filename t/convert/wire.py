# SPDX-License-Identifier: ISC
"""wire.py: decodes messages of protocol buffers, and is strict.

A message is described by {field: (name, kind, repeated)}, in a dictionary by the
names of all messages.  A kind is `int`, `ints` (packed), `fixed` and `fixeds` (of 64
bits), `string`, `bytes` or the name of a message.  A field that is not described, a string that is no UTF-8 and a
single field that is there twice are errors.
"""

import struct

VARINT, FIXED, BYTES = 0, 1, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        shift += 7
        if byte < 128:
            assert value < 1 << 64, 'a varint is too large'
            return value, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def decode(data, kind, messages):
    """A message as a dictionary; what is not in it is [] or 0.  The key '' has the
    names of the fields that are in it."""
    fields = messages[kind]
    message = {name: [] if repeated else 0
               for name, _, repeated in fields.values()}
    message[''] = set()
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind, repeated = fields[tag >> 3]
        assert tag & 7 == {'int': VARINT, 'fixed': FIXED}.get(kind, BYTES), tag
        if kind == 'fixed':
            assert at + 8 <= len(data), f'{name} is cut short'
            (value,) = struct.unpack_from('<Q', data, at)
            at += 8
        else:
            value, at = varint(data, at)
        if kind == 'int':
            value = signed(value)
        elif kind == 'fixed':
            pass
        else:
            assert at + value <= len(data), f'{name} is cut short'
            value, at = data[at:at + value], at + value
        if kind == 'string':
            value = value.decode()
        elif kind == 'ints':
            values, i = [], 0
            while i < len(value):
                one, i = varint(value, i)
                values.append(signed(one))
            value = values
        elif kind == 'fixeds':
            value = [one for (one,) in struct.iter_unpack('<Q', value)]
        elif kind not in ('int', 'fixed', 'bytes'):
            value = decode(value, kind, messages)
        if kind in ('ints', 'fixeds'):
            message[name] += value
        elif repeated:
            message[name].append(value)
        else:
            assert name not in message[''], f'{name} is there twice'
            message[name] = value
        message[''].add(name)
    return message


def literal(text):
    return repr(text)[1:-1]
