# SPDX-License-Identifier: ISC
# t/lint finds the lines of tests that cannot fail, and t/arrows the includes that
# the house does not allow, the tags that two places define and the static
# functions that many files have; there are none.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# The files of `odd` and `sound`, looked at together: one call for all.
FILES=()
SAID=

# sound LINE...: a test with these lines, after one that is good and before
# another, has nothing that is found.
sound() {
	local name="${#FILES[@]}.bats"
	{
		printf '@test "of which one may be odd" {\n\tis "$a" a\n'
		printf '\t%s\n' "$@"
		printf '\tis "$b" b\n}\n'
	} >"$name"
	FILES+=("$name")
}

# odd MESSAGE LINE...: of such a test the first line is found.
odd() {
	SAID+="${#FILES[@]}.bats:3: $1"$'\n'
	sound "${@:2}"
}

# whole NAME TEXT: a file that is all of this.
whole() {
	printf '%s\n' "$2" >"$1"
	FILES+=("$1")
}

all_linted() {
	run -1 "$T/lint" "${FILES[@]}"
	is "$output"$'\n' "$SAID"
}

@test "no line of a test is one that cannot fail" {
	cd "$T"
	run -0 ./lint ./*/*.bats ./*/*.bash ./*/*.c ./*/*.h
	is "$output" ""
}

@test "t/README.md names each file of tests, and no other" {
	is "$(awk -F '|' '
	    /^\| folder \| files / { table = 1 }
	    /^$/ { table = 0 }
	    table { n = split($3, name, "`"); split($2, folder, "`")
		for (i = 2; i <= n; i += 2) print folder[2] name[i] ".bats" }' \
	    "$T/README.md" | sort)" \
	    "$(cd "$T" && printf '%s\n' */*.bats | sort)"
}

@test "inverted commands" {
	local what='an inverted command does not fail here: use run ! or run -1'
	odd "$what" '! grep -q a file'
	whole last.bats $'@test "a" {\n\tfor i in 1; do\n\t\t! true\n\tdone\n}'
	SAID+="last.bats:3: $what"$'\n'
	sound 'run -1 grep -q a file'
	sound 'run ! tach-info a'
	sound '! tach-info a || return 1'
	sound 'if ! grep -q a file; then' $'\treturn 1' 'fi'
	sound 'python3 <<-END' '	! no shell' '	END'
	sound "python3 -c '" '! no shell' "'"
	whole fails.bats $'@test "a" {\n\t! tach-info a\n}'
	all_linted
}

@test "grep of a file that may not be there" {
	local what='grep fails as well where there is no file: use run -1 or absent'
	odd "$what" 'run ! grep -q a file'
	odd "$what" '! grep -q a file || return 1'
	whole last.bats $'@test "a" {\n\t! grep a file\n}'
	SAID+="last.bats:2: $what"$'\n'
	what='nobody looks at the status inside of <(): use a pipe and absent'
	odd "$what" 'run -1 grep -q a <(tach-info b)'
	sound 'run -1 grep -q a file'
	sound 'tach-info b | absent -q a'
	sound '! grep -q a file || b=c'
	all_linted
	printf 'a\n' | absent b
	run -1 absent a <<<a
	run -1 absent a </dev/null
	run -1 absent '[' <<<a
	run -1 bash -c '. "$1"; { echo a; false; } | absent b' - "$T/lib/lib.bash"
}

@test "lines that are so whatever the program does" {
	local what='this is so whatever the program does'
	odd "$what" 'is "$a" "$a"'
	odd "$what" '[ status ]'
	odd "$what" '[ -n a ]'
	sound 'is "$a" "$b"'
	sound '[ "$a" ]' '[ -n "$a" ]' '[ -z "$(a)" ]'
	what='nobody looks at the status of what runs in the background'
	odd "$what" 'is "$a" b &'
	sound 'sleep 1 &'
	odd 'a test goes on after nothing that fails: use run' 'set +e'
	all_linted
}

@test "functions of which only the last line can fail where they are called" {
	local call n=0 f=$'f() {\n\t[ -s a ]\n\tis a b\n\tcmp c d\n}\n@test "a" {\n\t'
	for call in 'run -0 f' 'until_ f' 'f || return 1' 'if f; then :; fi' \
	    '! f || return 1' '[ -z "$a" ] || f'; do
		n=$((n + 1))
		whole "calls$n.bats" "$f$call"$'\n\tis a b\n}'
		[[ $call = *'] || f' ]] ||
		    SAID+="calls$n.bats:7: f goes on here after line 2, which may fail"$'\n'
	done
	whole heeds.bats "${f}f"$'\n\tin_tries 3 f\n}'
	whole last.bats $'f() {\n\ttouch a\n\tis a b\n}\n@test "a" {\n\trun -0 f\n}'
	all_linted
}

@test "what is forgiven" {
	local what='what is before || true cannot fail'
	odd "$what" 'grep -q a file || true'
	odd "$what" '[ -s file ] || :'
	odd "$what" 'cmp a b || true # why'
	sound 'grep a file >lines || :'
	sound 'kill "$pid" || :'
	all_linted
}

@test "is with something else" {
	local what='is stands alone: with && or || it does not fail'
	odd "$what" 'is "$a" b || is "$a" c'
	odd "$what" 'is "$a" b && is "$a" c'
	odd "$what" 'is "$a" b ||' '    is "$a" c'
	sound 'is "$a" "b || c"'
	sound 'is "$(a || b)" c'
	sound 'is "$a" b || {' '	return 1' '}'
	all_linted
}

@test "lists of which only the last command fails" {
	local what='of an && list only the last command fails: one a line'
	odd "$what" '[ -s a ] && [ -s b ]'
	odd "$what" '[[ $a = b ]] && grep -q a b'
	odd "$what" '((a > b)) && cmp a b'
	sound '[ "$a" = b ] && c=d'
	sound '[ -s a ] && [ -s b ] || return 1'
	sound '[[ $a = b && $c = d ]]'
	all_linted
}

@test "runs that nobody looks at" {
	local what='nobody looks at the status of this run: use run -N'
	odd "$what" 'run tach-info a'
	odd "$what" 'run --separate-stderr tach-info a' 'is "$stderr" b'
	odd "$what" 'run tach-info a' 'run -0 tach-info b' 'is "$status" 0'
	sound 'run tach-info a' 'is "$status" 1'
	sound 'run -1 --separate-stderr tach-info a'
	sound 'run --separate-stderr -1 tach-info a'
	sound 'run -"$n" tach-info a'
	what='run in a pipeline sets nothing that can be looked at'
	odd "$what" 'run -0 tach-info a | grep b'
	sound 'run -0 tach-info "a | b"'
	# A helper's last one is its caller's to look at.
	whole helper.bats $'a() {\n\tis "$a" a\n\trun tach-info b\n}'
	all_linted
}

@test "pipelines of which the left side fails unseen, or of SIGPIPE" {
	local what='a command that ends early can end the one before it: use found, or sed -n'
	odd "$what" 'tach-cat p.bin | grep -q a'
	odd "$what" 'tach-cat p.bin | grep -v -qx a'
	odd "$what" 'tach-cat p.bin | head -n 1 >a'
	odd "$what" 'if tach-cat p.bin |' '    grep -Fq a; then' '	b' 'fi'
	odd 'a pipeline fails if any part of it does' 'set +o pipefail'
	sound 'tach-cat p.bin | found a'
	sound 'tach-cat p.bin | grep -c a'
	sound 'grep -q a b || grep -q a c'
	sound '{ tach-cat p.bin || :; } | head -n 1 >a'
	sound "tach-cat 'a | head'"
	all_linted
	run -1 bash -c '. "$1"; false | cat' - "$T/lib/lib.bash"
}

@test "commands in declarations, and reasons" {
	odd 'a command inside of local cannot fail: assign it apart' \
	    'local a=$(tach-info b)'
	odd 'a command inside of local cannot fail: assign it apart' \
	    'export a="$(tach-info b)"'
	sound 'local a=$((1 + 2))' 'local b' 'b=$(tach-info b)'
	odd 'skip says no reason' '[ -e a ] || skip'
	sound '[ -e a ] || skip "no a here"'
	all_linted
}

@test "assert(3) without NDEBUG" {
	whole x.c '#include <assert.h>'
	SAID+=$'x.c:1: assert asserts nothing under NDEBUG: #undef that first\n'
	whole y.c $'#undef NDEBUG\n#include <assert.h>'
	all_linted
}

@test "a file that is not understood is no file without faults" {
	printf '@test "a" {\n\tis "a b\n}\n' >x.bats
	run -1 "$T/lint" x.bats
	is "$output" 'lint: no end of: @test "a" {'
}

# ---- includes ---------------------------------------------------------------

@test "no include goes where the house does not allow, and no name is many things" {
	"$T/arrows" "$TACH_SRCDIR"
}

@test "an include that does is told" {
	mkdir -p lib/python lib/out lib/engine/os lib/attic cmd
	touch lib/tach.h lib/array.h lib/hash.h
	printf '#include "python/code.h"\n#include <unistd.h>\n' >lib/python/x.c
	printf '#include <fcntl.h>\n#include "format/head.h"\n' >lib/out/x.c
	printf '#include "array.h"\n#include "tach.h"\n' >lib/engine/os/x.c
	printf '#include "engine/remote/remote.h"\n' >lib/engine/os/x.h
	printf '#include "%s"\n' tach.h hash.h engine/os/x.h >cmd/x.c
	printf '#include <engine/os/x.h>\n' >cmd/y.c
	touch lib/attic/x.c
	run -1 "$T/arrows" .
	is "$output" "cmd/x.c:2: cmd may not include hash.h
cmd/x.c:3: cmd may not include engine/os/x.h
cmd/y.c:1: cmd may not include engine/os/x.h
lib/attic/x.c:1: no such room: lib/attic
lib/engine/os/x.c:2: lib/engine/os may not include tach.h
lib/engine/os/x.h:1: lib/engine/os may not include engine/remote/remote.h
lib/out/x.c:2: lib/out may not include format/head.h
lib/python/x.c:2: lib/python makes no system call: unistd.h"
}

@test "a room that sees the operating system by itself is told" {
	mkdir -p lib/engine/{os,kernel,copy} lib/out cmd
	for room in engine/os engine/kernel engine/copy out; do
		printf '%s\n' '#include <sys/uio.h>' '#include <linux/x.h>' \
		    '#include <poll.h>' 'f = "/proc/x";' >lib/$room/x.c
	done
	run -1 "$T/arrows" .
	is "$output" "lib/engine/copy/x.c:1: lib/engine/copy includes sys/uio.h: engine/os/os.h does
lib/engine/copy/x.c:2: lib/engine/copy includes linux/x.h: engine/os/os.h does
lib/engine/copy/x.c:3: lib/engine/copy includes poll.h: engine/os/os.h does
lib/engine/copy/x.c:4: lib/engine/copy reads /proc: engine/os/os.h does"
}

@test "a header that is a room by itself stands below rooms of its folder" {
	mkdir -p lib/engine/{remote,target,os} cmd
	printf '#include "engine/target/x.h"\n' >lib/engine/engine.h
	printf '#include "engine/engine.h"\n' >lib/engine/remote/x.c
	"$T/arrows" .
	printf '#include "engine/remote/x.h"\n' >lib/engine/engine.h
	printf '#include "engine/engine.h"\n' >lib/engine/target/x.c
	run -1 "$T/arrows" .
	is "$output" "lib/engine/engine.h:1: lib/engine/engine.h may not include engine/remote/x.h
lib/engine/target/x.c:1: lib/engine/target may not include engine/engine.h"
}

@test "a room of the engine that is too full is told" {
	mkdir -p lib/engine/copy cmd
	touch lib/engine/copy/{a..q}.c
	run -1 "$T/arrows" .
	is "$output" "lib/engine/copy: 17 files"
}

@test "a static function whose name is in three files is told" {
	mkdir -p lib/format lib/out lib/python cmd
	printf 'static int\nput(int a)\n{\n\tgrow(a);\n}\n' |
	    tee lib/out/x.c lib/python/x.c >lib/format/x.c
	printf 'static bool\ngrow(void)\n{\n}\n' | tee lib/out/y.c >cmd/y.c
	printf 'int put(int);\nstatic int grow(int);\n\nint\nput(int a)\n{\n}\n' \
	    >lib/x.c
	run -1 "$T/arrows" .
	is "$output" "lib/format/x.c:2: static put is in 3 files
lib/out/x.c:2: static put is in 3 files"
	printf 'static int __attribute__((format(printf, 1, 2)))\ngrow(int a)\n' \
	    >lib/x.c
	run -1 "$T/arrows" .
	is "${lines[0]}" "lib/out/y.c:2: static grow is in 3 files"
	is "${lines[1]}" "lib/x.c:2: static grow is in 3 files"
}

@test "a struct tag that two places define is told" {
	mkdir -p lib/out cmd
	printf 'struct a {\n\tstruct b {\n\t} b;\n};\n' >lib/out/x.h
	printf 'struct c;\nstruct b *b;\n\nstatic struct b {\n} list;\n' >lib/out/y.c
	printf 'struct a\nf(struct c *c)\n{\n\treturn (struct a){0};\n}\n' >cmd/x.c
	printf 'struct c {\n};\n' >cmd/y.c
	printf 'struct c {\n};\n' >cmd/z.h
	run -1 "$T/arrows" .
	is "$output" "cmd/z.h:1: struct c is another one at cmd/y.c:1
lib/out/y.c:4: struct b is another one at lib/out/x.h:2"
}
