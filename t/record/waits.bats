# SPDX-License-Identifier: ISC
# waits.bats: the reasons for which threads are blocked.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	shopt -s extglob
}

teardown() {
	end_started
	drop_shared
}

# reasons: of the stacks on stdin, each thread's name and its reason, or "-".
reasons() {
	awk '
	function end() { if (name != "") print name "\t" reason; name = "" }
	/^thread / {
		end()
		name = $3
		gsub(/[":]/, "", name)
		reason = "-"
		first = 1
		next
	}
	first && / \(<wait>\)$/ { sub(/^ */, ""); sub(/ \(<wait>\)$/, ""); reason = $0 }
	{ first = 0 }
	END { end() }'
}

# same_reasons FILE: has the reasons that the program has told, which are patterns.
same_reasons() {
	local name wanted seen bad=0
	while IFS=$'\t' read -r name wanted; do
		[ "$name" != end ] || continue
		seen=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' "$1")
		# shellcheck disable=SC2053
		[[ $seen == $wanted ]] || {
			echo "$name: $seen, not $wanted"
			bad=1
		}
	done <told
	return "$bad"
}

# begin SCRIPT: starts a program that tells reasons to ./told.
begin() {
	cp "$T/record/$1" "$OUTSIDE"
	start "${PYTHON[@]}" "$INSIDE/$1" >told
	until_ grep -q '^end' told
}

dump_has_reasons() {
	tach-record --dump --waits -p "$pid" | reasons >seen
	same_reasons seen
}

# dumped MINOR: each thread's reason, as the program tells it.
dumped() {
	local tag command
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		begin waits.py
		(($(wc -l <told) >= 40))
		in_tries 3 dump_has_reasons
		end_started || :
	done < <(pythons "$1")
}

@test "--dump --waits tells each reason to be blocked: 3.6" { dumped 3.6; }
@test "--dump --waits tells each reason to be blocked: 3.7" { dumped 3.7; }
@test "--dump --waits tells each reason to be blocked: 3.8" { dumped 3.8; }
@test "--dump --waits tells each reason to be blocked: 3.9" { dumped 3.9; }
@test "--dump --waits tells each reason to be blocked: 3.10" { dumped 3.10; }
@test "--dump --waits tells each reason to be blocked: 3.11" { dumped 3.11; }
@test "--dump --waits tells each reason to be blocked: 3.12" { dumped 3.12; }
@test "--dump --waits tells each reason to be blocked: 3.13" { dumped 3.13; }
@test "--dump --waits tells each reason to be blocked: 3.14" { dumped 3.14; }
@test "--dump --waits tells each reason to be blocked: 3.15" { dumped 3.15; }
@test "--dump --waits tells each reason to be blocked: 3.13t" { dumped 3.13t; }
@test "--dump --waits tells each reason to be blocked: 3.14t" { dumped 3.14t; }
@test "--dump --waits tells each reason to be blocked: 3.15t" { dumped 3.15t; }
