# SPDX-License-Identifier: ISC
"""Compares the names that t/unit/symbols finds with those of live objects.

    judge.py SYMBOLS ROOT FOLDER <OBJECTS

OBJECTS is what objects.py has printed in ROOT, "" for ours.  Each file is stripped to
FOLDER, so that no symbols are left but those of the dynamic linker.  Prints how many
functions are named by CPython's tables, how many of these names are wrong, how many have
a symbol and how many have none; and the wrong ones.
"""
import collections
import os
import subprocess
import sys

# A method can be a slot as well.
SAME = {'__delitem__': '__setitem__', '__delattr__': '__setattr__',
        '__delete__': '__set__'}


def read_objects():
    """{file: {address: {(owner, name)}}}"""
    objects = collections.defaultdict(lambda: collections.defaultdict(set))
    for line in sys.stdin:
        path, addr, owner, name = line.rstrip('\n').split(' ', 3)
        objects[path][int(addr, 16)].add((owner, name))
    return objects


def stripped(path, folder):
    to = os.path.join(folder, os.path.basename(path))
    if subprocess.call(['strip', '-o', to, path],
                       stderr=subprocess.DEVNULL) != 0:
        return path
    return to


def names_of(program, path, addrs):
    out = subprocess.run(
        [program, '-a', path], input='\n'.join('%x' % a for a in addrs),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True,
        check=True).stdout
    for line in out.splitlines():
        addr, _, source, name = line.split(' ', 3)
        yield int(addr, 16), source, name


def parts(name):
    """(owner, name) of a name; owner - if it has none."""
    setter = name.startswith('set ')
    name = name[4:] if setter else name
    if ' ' in name:
        name, owner = name.split(' ', 1)
    else:
        owner, _, name = name.rpartition('.')
    return owner or '-', ('set ' if setter else '') + SAME.get(name, name)


def is_right(name, wanted):
    """A function of a module has the module's name, which objects do not tell; one of
    several types has no type."""
    owner, last = parts(name)
    return any(last == SAME.get(n, n) and (owner in ('-', o) or o == '-')
               for o, n in wanted)


def main(program, root, folder):
    counts = collections.Counter()
    for path, wanted in read_objects().items():
        file = stripped(root + path, folder)
        for addr, source, name in names_of(program, file, wanted):
            kind = source if source != 'python' else \
                'right' if is_right(name, wanted[addr]) else 'wrong'
            counts['unnamed' if kind in ('nameless', '-') else kind] += 1
            if kind == 'wrong':
                print(path, '%x' % addr, name, wanted[addr])
        if file.startswith(folder):
            os.unlink(file)
    print(*('%s=%d' % (k, counts[k])
            for k in ('right', 'wrong', 'dynsym', 'unnamed')))


main(*sys.argv[1:])
