# SPDX-License-Identifier: ISC
# callees.bats: the function of C that the innermost Python frame calls.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# callees: of the stacks on stdin, each thread's name and its callee, or "-".
callees() {
	awk '
	function end() { if (name != "") print name, callee; name = "" }
	/^thread / {
		end()
		name = $3
		gsub(/[":]/, "", name)
		callee = "-"
		first = 1
		next
	}
	first && / \(<built-in>\)$/ { sub(/^ */, ""); sub(/ \(.*/, ""); callee = $0 }
	{ first = 0 }
	END { end() }' | sort
}

same_callees() {
	tach-record --dump -p "$pid" | callees >seen
	diff -u <(grep -v '^end ' told | sort) seen
}

# dumped MINOR: each thread's callee, as the program tells it.
dumped() {
	local tag command
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		cp "$T/record/callees.py" "$OUTSIDE"
		start "${PYTHON[@]}" "$INSIDE/callees.py" >told
		until_ grep -q '^end ' told
		in_tries 3 same_callees
		end_started || :
	done < <(pythons "$1")
}

@test "--dump names the C function that a thread is in, however it is called: 3.6" { dumped 3.6; }
@test "--dump names the C function that a thread is in, however it is called: 3.7" { dumped 3.7; }
@test "--dump names the C function that a thread is in, however it is called: 3.8" { dumped 3.8; }
@test "--dump names the C function that a thread is in, however it is called: 3.9" { dumped 3.9; }
@test "--dump names the C function that a thread is in, however it is called: 3.10" { dumped 3.10; }
@test "--dump names the C function that a thread is in, however it is called: 3.11" { dumped 3.11; }
@test "--dump names the C function that a thread is in, however it is called: 3.12" { dumped 3.12; }
@test "--dump names the C function that a thread is in, however it is called: 3.13" { dumped 3.13; }
@test "--dump names the C function that a thread is in, however it is called: 3.14" { dumped 3.14; }
@test "--dump names the C function that a thread is in, however it is called: 3.15" { dumped 3.15; }
@test "--dump names the C function that a thread is in, however it is called: 3.13t" { dumped 3.13t; }
@test "--dump names the C function that a thread is in, however it is called: 3.14t" { dumped 3.14t; }
@test "--dump names the C function that a thread is in, however it is called: 3.15t" { dumped 3.15t; }
