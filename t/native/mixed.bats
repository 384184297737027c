# SPDX-License-Identifier: ISC
# mixed.bats: stacks of Python and C (--dump --native), judged by the calls that are
# possible.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# judged MINOR STOPS ARGUMENT...: at random moments, each function of C stands between
# the two of Python that it has to stand between, and no stack is incomplete.
judged() {
	local tag command minor=$1 stops=$2
	shift 2
	need_python "$minor"
	while IFS=$'\t' read -r tag command; do
		use_python "$tag" "$command"
		cp "$T/programs/mixed.py" "$OUTSIDE"
		"${PYTHON[@]}" "$INSIDE/mixed.py" --edges >edges
		start "${PYTHON[@]}" "$@" "$INSIDE/mixed.py" >told
		until_ grep -q ready told
		python3 "$T/native/stops.py" "$pid" "$stops" edges >counts
		echo "$tag: $(cat counts)"
		# musl has no tables.
		[[ $tag == *-musl ]] || grep ' 0 wrong, 0 not exact,' counts
		end_started || :
	done < <(pythons "$minor")
}

@test "functions of C stand where they were called: 3.6" { judged 3.6 20; }
@test "functions of C stand where they were called: 3.7" { judged 3.7 20; }
@test "functions of C stand where they were called: 3.8" { judged 3.8 20; }
@test "functions of C stand where they were called: 3.9" { judged 3.9 20; }
@test "functions of C stand where they were called: 3.10" { judged 3.10 20; }
@test "functions of C stand where they were called: 3.11" { judged 3.11 20; }
@test "functions of C stand where they were called: 3.12" { judged 3.12 20; }
@test "functions of C stand where they were called: 3.13" { judged 3.13 20; }
@test "functions of C stand where they were called: 3.14" { judged 3.14 20; }
@test "functions of C stand where they were called: 3.15" { judged 3.15 20; }
@test "functions of C stand where they were called: 3.13t" { judged 3.13t 20; }
@test "functions of C stand where they were called: 3.14t" { judged 3.14t 20; }
@test "functions of C stand where they were called: 3.15t" { judged 3.15t 20; }
