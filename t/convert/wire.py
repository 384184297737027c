# SPDX-License-Identifier: ISC
"""wire.py: decodes messages of protocol buffers, and is strict.

A message is described by {field: (name, kind, repeated)}, in a dictionary by the
names of all messages.  A kind is `int`, `ints` (packed), `string`, `bytes` or the
name of a message.  A field that is not described, a string that is no UTF-8 and a
single field that is there twice are errors.
"""

VARINT, BYTES = 0, 2


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
        value, at = varint(data, at)
        assert tag & 7 == (VARINT if kind == 'int' else BYTES), tag
        if kind == 'int':
            value = signed(value)
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
        elif kind not in ('int', 'bytes'):
            value = decode(value, kind, messages)
        if kind == 'ints':
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
