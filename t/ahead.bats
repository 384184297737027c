# SPDX-License-Identifier: ISC
# ahead.bats: while one thread runs, the kernel takes the rounds, so the recorder
# need not wake for each.

load lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
}

# How often a command and what it starts have slept.
SLEPT='
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = os.wait4(child.pid, 0)[2]
print(usage.ru_nvcsw)'

# wakes_seldom [HOW...]: whether tach-record does, if it is run so.
wakes_seldom() {
	local n
	n=$("$@" python3 -c "$SLEPT" tach-record -q -r 1k -o s.bin -- \
	    "${PYTHON[@]}" -c '
import time
end = time.monotonic() + 3
while time.monotonic() < end: pass')
	echo "slept $n times"
	[ "$(tach-cat s.bin | wc -l)" -gt 2000 ]
	[ "$n" -lt 1500 ]
}

# ahead PYTHON
ahead() {
	need_python "$1"
	need_interrupts
	in_tries 5 wakes_seldom
}

@test "where one thread runs, the kernel takes rounds: Python 3.8" { ahead 3.8; }
@test "where one thread runs, the kernel takes rounds: Python 3.12" { ahead 3.12; }

@test "where one thread runs, the kernel takes rounds: Python 3.13" {
	ahead 3.13
	run ! wakes_seldom outside
	[[ "$output" == "slept "[1-9]*" times" ]]
}
