# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# truth.bash: what the tests that judge recordings by truth.py share: which
# interpreter, what is recorded, and how it is judged.  Load lib.bash first.

setup() {
	need python3
	need zstd
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
}

# ---- interpreters ----------------------------------------------------------

# one_of TAG...: prints the first of these that is here.
one_of() {
	local tag
	for tag; do
		if pythons "${tag%%-*}" | found "^$tag	"; then
			echo "$tag"
			return
		fi
	done
	return 1
}

# need_one TAG...: the first of these that is here, or the test is skipped.
need_one() {
	local tag
	tag=$(one_of "$@") || skip "no Python $1 here: see t/peers/"
	need_python "$tag"
	programs=$INSIDE/programs
	cp -r "$T/programs" "$OUTSIDE/programs"
}

# As distributions build it: one static executable without symbols.
static_tags() {
	echo "$1-system" "$1-bookworm" "$1-noble" "$1-forky" \
	    "$1-bionic" "$1-focal" "$1-bullseye" "$1-jammy"
}

# As people build it: libpython is a shared library.
dynamic_tags() {
	echo "$1-pyenv" "$1-path" "$1-shared"
}

static() {
	# shellcheck disable=SC2046
	need_one $(static_tags "$1")
}

dynamic() {
	# shellcheck disable=SC2046
	need_one $(dynamic_tags "$1")
}

# builds MINOR COMMAND...: by a static and by a dynamic Python, or by one in turn.
builds() {
	local minor=$1 tag tags
	shift
	# shellcheck disable=SC2046
	tags=$({
		one_of $(static_tags "$minor") || :
		one_of $(dynamic_tags "$minor") || :
	} | in_turn)
	[ -n "$tags" ] || skip "no Python $minor here: see t/peers/"
	for tag in $tags; do
		echo "$tag"
		need_one "$tag"
		"$@"
	done
}

# What tach-record is told in addition.
ENGINE=()

# ---- what is recorded, and how it is judged ------------------------------

# noted CHECK PROGRAM [ARG...]: a program that uses spot.py.
noted() {
	in_tries 3 note "$@"
}

note() {
	local check=$1 program=$2
	shift 2
	rm -f "$OUTSIDE/truth"
	tach-record "${ENGINE[@]}" -q -o p.bin -- \
	    "${PYTHON[@]}" "$programs/$program.py" \
	    "$INSIDE/truth" "$@"
	"$T/lib/truth.py" "$check" p.bin "$OUTSIDE/truth"
}

# crowded: a hundred threads, of which few fail, and only while they begin.
crowded() {
	in_tries 3 crowd
}

crowd() {
	tach-record "${ENGINE[@]}" -r 1k -o p.bin -- "${PYTHON[@]}" \
	    "$programs/work.py" many 3000 2>err
	cat err
	[[ "$(<err)" =~ ([0-9]+)\ failed ]]
	# Some may while they begin.
	[ "${BASH_REMATCH[1]}" -le 20 ]
}

# calls PROGRAM ARG...: stacks that move as fast as they can.
calls() {
	in_tries 3 call "$@"
}

call() {
	local program=$1
	shift
	tach-record "${ENGINE[@]}" -q -r 10k -o p.bin -- "${PYTHON[@]}" \
	    "$programs/$program.py" "$@"
	"$T/lib/truth.py" calls p.bin "$T/programs/$program.py"
}

# Within two percentage points of the program's own clock, which says what it
# made of its plan on a machine that is not its own.
shares() {
	in_tries 3 share
}

share() {
	tach-record "${ENGINE[@]}" -q -o p.bin -- \
	    "${PYTHON[@]}" "$programs/split.py" 2.5 \
	    2>shares
	cat shares
	# shellcheck disable=SC2046
	"$T/lib/truth.py" shares p.bin $(tr ' ' '\n' <shares |
	    awk -F= '{ print $1 "=" 100 * $2 }')
}

# innermost PERCENT: the inner half of the chains has so much of the time, or
# more; truly some 45, and by the in-process engine 40 to 46.  Each of its calls
# ends in less time than a read takes.
innermost() {
	in_tries 3 inner_half "$1"
}

inner_half() {
	tach-record "${ENGINE[@]}" -q -r 2k -o p.bin -- \
	    "${PYTHON[@]}" "$programs/chains.py" 1.5
	"$T/lib/truth.py" innermost p.bin '[fg](1[2-9]|2[0-3])' "$1"
}

# rooted: every stack of gens.py has its root, however often its generators
# are suspended while it is read.
rooted() {
	in_tries 3 roots
}

roots() {
	tach-record "${ENGINE[@]}" -q -r 5k -o p.bin -- \
	    "${PYTHON[@]}" "$programs/gens.py" 1.5
	"$T/lib/truth.py" roots p.bin gens.py
}

# big: a function with more lines than a small table has room for.
big() {
	cp -r "$T/programs" "$OUTSIDE/programs"
	programs=$INSIDE/programs
	noted stacks big
}

# renamed: code objects that lie where others lay, each seen by its own name, by
# a recorder that comes when the program has run for a while.
renamed() {
	in_tries 3 rename
}

rename() {
	local seen
	start "${PYTHON[@]}" "$programs/versions.py" 400 20000 >out
	until_ grep -q begins out
	tach-record -q -d 2 -o p.bin -p "$pid"
	seen=$(tach-cat p.bin | grep -oE ':once_[0-9]+:' | sort -u | wc -l)
	echo "$seen functions seen of a hundred"
	((seen >= 80))
}
