# SPDX-License-Identifier: ISC
# jitter.bats: rounds do not fall into step with a program.

load ../lib/lib.bash

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	host_python
}

# Rounds of one distance would meet a always or never.  By the program's own
# clock: a busy machine gives it other shares than planned, and those of what we
# miss.
# in_step POINTS OPTION...: how far off a may be.
in_step() {
	local points=$1
	shift
	tach-record -q "$@" -o p.bin -- $python "$T/record/locked.py" 6 \
	    2>shares
	cat shares
	# shellcheck disable=SC2046
	"$T/lib/truth.py" shares p.bin $(tr ' ' '\n' <shares |
	    awk -F= '{ print $1 "=" 100 * $2 }') >said || :
	cat said
	awk -v most="$points" \
	    '/^share of a/ { sub(",", "", $4); d = $4 - $6; n++ }
	    END { exit !(n == 1 && d > -most && d < most) }' said
}

@test "a program in step with the clock has its shares, by and large" {
	in_tries 3 in_step 12
}

@test "--jitter: a program in step with the clock has its shares" {
	in_tries 3 in_step 6 --jitter
}

# Of exponential distances 63 % are shorter than their mean and 5 % longer than
# three times that; of steady ones, half and none.  The mean is longer by what
# was missed.
exponential() {
	tach-record -q --jitter -r 200 -d 8 -o p.bin -- $python \
	    "$T/programs/sleeps.py" 9
	"$T/lib/decode.py" p.bin | python3 -c '
import json, sys
times = [json.loads(line)[0] for line in sys.stdin]
gaps = [b - a for a, b in zip(times, times[1:])]
mean = sum(gaps) / len(gaps)
short = sum(g < mean for g in gaps) / len(gaps)
long = sum(g > 3 * mean for g in gaps) / len(gaps)
print(len(gaps), mean, short, long)
assert 4400 < mean < 10000
assert 0.57 < short < 0.75
assert 0.02 < long < 0.09'
}

@test "--jitter: distances are exponential, and of the wanted mean" {
	in_tries 3 exponential
}
