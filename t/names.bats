# SPDX-License-Identifier: ISC
# names.bats: objects as they are read from a Python's memory, and the names
# of threads, which are some of them.

load lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
	programs=$T/programs
}

teardown() {
	end_started
	drop_shared
}

# finals MINOR: what pythons prints, but for pre-releases, which are refused.
finals() {
	local tag command
	pythons "$1" | while IFS=$'\t' read -r tag command; do
		case $($command -V 2>&1) in
		*[0-9][abr]*) ;;
		*) printf '%s\t%s\n' "$tag" "$command" ;;
		esac
	done
}

# ---- objects ------------------------------------------------------------------

printed_all() {
	grep -q '^nothing ' looks
}

# same_objects MINOR: what is read of each object is what its repr() gives.
same_objects() {
	local tag command
	need_python "$1"
	while IFS=$'\t' read -r tag command; do
		echo "$tag"
		use_python "$tag" "$command"
		cp "$programs/objects.py" "$OUTSIDE"
		start "${PYTHON[@]}" "$INSIDE/objects.py" >looks
		until_ printed_all
		# shellcheck disable=SC2046,SC2154
		"$TACH_BUILDDIR/t/unit/objects" "$pid" __main__ \
		    $(cut -d ' ' -f 1 looks) >seen
		diff -u looks seen
		end_started || :
	done < <(finals "$1")
}

@test "objects of 3.6" { same_objects 3.6; }
@test "objects of 3.7" { same_objects 3.7; }
@test "objects of 3.8" { same_objects 3.8; }
@test "objects of 3.9" { same_objects 3.9; }
@test "objects of 3.10" { same_objects 3.10; }
@test "objects of 3.11" { same_objects 3.11; }
@test "objects of 3.12" { same_objects 3.12; }
@test "objects of 3.13" { same_objects 3.13; }
@test "objects of 3.14" { same_objects 3.14; }
@test "objects of 3.15" { same_objects 3.15; }

# ---- names of threads ---------------------------------------------------------

# same_names MINOR: the notes of a recording are what the program says.
same_names() {
	local tag command
	need zstd
	IFS=$'\t' read -r tag command < <(finals "$1") ||
	    skip "no Python $1 here: see t/peers/"
	use_python "$tag" "$command"
	cp "$programs/named.py" "$OUTSIDE"
	tach-record -q -o p.bin -- "${PYTHON[@]}" "$INSIDE/named.py" \
	    "$INSIDE/truth"
	"$T/names.py" p.bin "$OUTSIDE/truth"
}

@test "names of threads of 3.6" { same_names 3.6; }
@test "names of threads of 3.7" { same_names 3.7; }
@test "names of threads of 3.8" { same_names 3.8; }
@test "names of threads of 3.9" { same_names 3.9; }
@test "names of threads of 3.10" { same_names 3.10; }
@test "names of threads of 3.11" { same_names 3.11; }
@test "names of threads of 3.12" { same_names 3.12; }
@test "names of threads of 3.13" { same_names 3.13; }
@test "names of threads of 3.14" { same_names 3.14; }
@test "names of threads of 3.15" { same_names 3.15; }
