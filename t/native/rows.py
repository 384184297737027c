# SPDX-License-Identifier: ISC
"""rows.py ROWS FILE: compares the table of frames that the program ROWS prints of an ELF
file with what readelf finds, row by row.

Prints how many rows are the same, and how many are rules, whose contents are not
compared.  The status is 1 if one differs, or if there are few.
"""
import bisect
import re
import subprocess
import sys

NONE, SP, FP, RULE, LAST = range(5)
REGISTERS = {'rsp': SP, 'sp': SP, 'rbp': FP, 'x29': FP}
FEW = 1000


def lines_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


def rows_of_readelf(path):
    columns = None
    for line in lines_of('readelf', '-wF', path):
        words = line.split()
        if re.match(r'[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (FDE|CIE)', line):
            columns = None
            function = ' FDE ' in line
        elif words[:2] == ['LOC', 'CFA']:
            columns = words[1:]
        elif columns and function and len(words) == len(columns) + 1:
            yield int(words[0], 16), dict(zip(columns, words[1:]))


def slot(place):
    """The number of words below the frame's end, 0 if it is not there."""
    m = re.match(r'c-(\d+)$', place)
    return int(m[1]) // 8 if m else 0


def expected(row, arm):
    ra = row.get('ra', 'u')
    if not arm and ra == 'u':
        return LAST, 0, 0
    m = re.match(r'(\w+)\+(\d+)$', row['CFA'])
    if not m or m[1] not in REGISTERS:
        return None
    fp = slot(row.get('x29' if arm else 'rbp', 'u'))
    if slot(ra) != (max(fp - 1, 0) if arm else 1):
        return None
    return REGISTERS[m[1]], int(m[2]), fp


def main(program, path):
    arm = any('AArch64' in line for line in lines_of('readelf', '-h', path))
    rows = [line.split() for line in lines_of(program, path)]
    starts = [int(row[0], 16) for row in rows]
    same = rules = wrong = 0
    for address, row in rows_of_readelf(path):
        kind, *rest = map(int, rows[bisect.bisect_right(starts, address) - 1][1:])
        want = expected(row, arm)
        # glibc's longjmp on arm64 has its return address in another register.
        if kind == RULE or (arm and kind == NONE and set(row) == {'CFA'}):
            rules += 1
        elif arm and kind == LAST and 'ra' in row and row['ra'] == 'u' or \
                want == (kind, *rest):
            same += 1
        else:
            wrong += 1
            print('%x: %s, not %s' % (address, (kind, *rest), row), file=sys.stderr)
    print('%s: %d rows alike, %d rules, %d wrong' % (path, same, rules, wrong))
    return wrong > 0 or same < FEW or rules * 20 > same


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
