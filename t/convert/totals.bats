# SPDX-License-Identifier: ISC
# totals: whatever the format, its sum is that of the samples selected.  The
# flame graph's own sum is one that its page makes of its nodes.

load ../lib/lib.bash
load ../lib/viewers.bash

# sums FORMAT PROFILE OPTION...: the samples and the microseconds of a format.
sums() {
	local format=$1 profile=$2
	shift 2
	rm -rf out
	case $format in
	speedscope | chrome | perfetto) set -- --idle keep "$@" ;;
	pstats | callgrind) set -- --weight time "$@" ;;
	diff) set -- "$profile" "$@" ;;
	esac
	tach-convert "--$format" "$@" -o out "$profile"
	python3 "$T/convert/totals.py" "$format" out
}

# Every format of a profile and a selection agrees with tach-cat and, where it
# says a time, with the others that do.
agree() {
	local profile=$1 samples us format got interval
	shift
	samples=$(tach-cat "$@" "$profile" | wc -l)
	us=$(sums csv "$profile" "$@")
	us=${us#* }
	for format in $(tach-convert --list | awk '{ print $1 }'); do
		[ "$format" != flamegraph ] || continue
		got=$(sums "$format" "$profile" "$@")
		echo "$format: $got"
		[ "${got% *}" = - ] || is "$format ${got% *}" "$format $samples"
		[ "${got#* }" = - ] || is "$format ${got#* }" "$format $us"
	done
	is "$(sums collapsed "$profile" --weight time "$@")" "$us -"
}

# agree_all PROFILE: of all samples, also with times that are known.
agree_all() {
	agree "$1"
	local interval
	interval=$(tach-info --json "$1" | jq .interval_us)
	is "$(sums csv "$1")" \
	    "$(tach-cat "$1" | python3 "$T/convert/totals.py" spans "$interval")"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "the sums of CPython's recordings" {
	local file
	for file in "$T"/data/cpython315-*.bin; do
		agree_all "$file"
	done
}

@test "the sums of a recording of our own" {
	host_python
	tach-record -q -d 2 -o p.bin -- "$python" "$T/programs/demo.py" 2 \
	    >/dev/null
	agree_all p.bin
}

@test "the sums of profiles with all that is rare" {
	local seed
	for seed in 1 2 3; do
		python3 "$T/convert/moments.py" random $seed >"$seed.txt"
		agree_all "$seed.txt"
	done
}

@test "the sums of what is selected" {
	local file=$T/data/cpython315-wall.bin
	agree "$file" --status gil
	agree "$file" --not-status cpu
	agree "$file" --match 'worker|encode'
	agree "$file" --since 500ms --until 1500ms
	agree "$file" --thread "$(tach-cat "$file" | cut -f 3 | head -n 1)"
	agree "$file" --match 'no such function'
}

@test "the sums of collapsed stacks and of slots" {
	tach-convert --collapsed -o p.txt "$T/data/cpython315-gil.bin"
	agree_all p.txt
	tach-convert --gperftools -o p.prof "$T/data/cpython315-gil.bin"
	agree_all p.prof
}

@test "the sums of flame graphs" {
	need_chromium
	local file
	for file in "$T"/data/cpython315-{wall,gil}.bin; do
		tach-convert --flamegraph -o p.html "$file"
		run -0 browser p.html eval 'tach.total()' key w \
		    eval 'tach.total()'
		is "$output" "$(sums csv "$file" | tr ' ' '\n')"
	done
}
