# SPDX-License-Identifier: ISC
# interrupts.bats: a thread that could run but has no CPU is read from outside.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_quota
	drop_shared
}

# seen PROFILE: how many per cent of its samples compute.
seen() {
	tach-cat "$1" | awk -F '\t' '/:compute:/ { n++ } END { print 100 * n / NR }'
}

# The share of what it does is that of the time, though it has no CPU for most of
# it.
as_long_as_true() {
	start "$python" "$T/record/shares.py" 6 >true
	echo "$pid" >"$QUOTA/cgroup.procs"
	sleep 0.5
	tach-record -o p.bin -p "$pid" 2>err
	wait "$pid"
	cat err
	echo "true $(<true), seen $(seen p.bin)"
	awk -v true="$(<true)" -v seen="$(seen p.bin)" \
	    'BEGIN { exit !(true - seen < 8 && seen - true < 8) }'
}

@test "under a quota a function has its share of the time, to 8 points" {
	host_python
	need_interrupts
	quota 10
	in_tries 3 as_long_as_true
}
