# SPDX-License-Identifier: ISC
# completions.bats: what bash, zsh and fish complete for the commands, asked of the
# shells themselves.

load ../lib/lib.bash

C=$TACH_SRCDIR/cmd/completions
COMMANDS='tach-cat tach-convert tach-info tach-merge tach-record tach-top'

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
	mkdir pages
	touch p.bin
}

@test "the files are those that the commands' tables make" {
	need python3
	"$TACH_SRCDIR/cmd/mkcompletions" made
	diff -r "$C" made
}

@test "they are installed where the shells look for them" {
	local shell
	for shell in bash zsh fish; do
		make -s -C "$TACH_BUILDDIR" DESTDIR="$PWD/to" \
		    "install-dist_${shell}completionDATA" >/dev/null
	done
	data=$(find to -name bash-completion -printf '%h')
	diff -r "$C/bash" "$data/bash-completion/completions"
	diff -r "$C/zsh" "$data/zsh/site-functions"
	diff -r "$C/fish" "$data/fish/vendor_completions.d"
}

# ---- the shells -----------------------------------------------------------------

# in_bash WORD...: what bash has for the last one.
in_bash() {
	# shellcheck disable=SC2016
	bash --norc -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
	    _${1/-/_}; printf "%s\n" "${COMPREPLY[@]}"' - "$C/bash/$1" "$@" | sort -u
}

# in_fish WORD...: what fish has for the last one, without the descriptions.
in_fish() {
	# shellcheck disable=SC2016
	HOME=$BATS_TEST_TMPDIR fish --no-config -c 'set fish_complete_path $argv[1]
	    complete -C "$argv[2]"' "$C/fish" "$*" | cut -f 1 | sort -u
}

# in_zsh WORD...: what zsh has for the last one, typed at a terminal of its own.  All
# that is a match is noted in a file.
in_zsh() {
	rm -f hits end
	cat >zshrc <<-'END'
		autoload -Uz compinit
		compinit -u -D
		compadd() {
			local -a found
			if (( ${@[(I)-[OAD]]} == 0 )); then
				builtin compadd -A found "$@"
				print -rl -- $found >>hits
			fi
			builtin compadd "$@"
		}
		typed() { print >end }
		zle -N typed
		bindkey '^I' complete-word
		bindkey '^T' typed
	END
	zsh -f -c 'zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1= fpath=($1 \$fpath); . ./zshrc"
		zpty -w -n z "$2"$'"'\t\x14'"'
		for i in {1..600}; do
			[[ ! -e end ]] || break
			zpty -r -t z shown || :
			sleep 0.05
		done' - "$C/zsh" "$*"
	sort -u hits 2>/dev/null | sed '/^$/d'
}

# ---- what is completed ----------------------------------------------------------

long_names() {
	"$1" --completion-helper | sed 1d | cut -f 1 | sed 's/^/--/' | sort
}

# completes SHELL: values, files and directories.
completes() {
	is "$("$1" tach-record --mode '')" $'cpu\nexception\ngil\nwall'
	is "$("$1" tach-record -m e)" exception
	is "$("$1" tach-merge --align c)" clock
	is "$("$1" tach-convert --frame '')" $'austin\ncpython\nfunction\npy-spy'
	is "$("$1" tach-convert --symboli)" --symbolized
	is "$("$1" tach-convert --flame)" --flamegraph
	is "$("$1" tach-record --rate '')" ''
	is "$("$1" tach-info p)" "$2"
	is "$("$1" tach-convert -o p)" "$2"
	is "$("$1" tach-convert --build p)" "$3"
	local process
	for process in $("$1" tach-record --pid ''); do
		[[ $process = [1-9]* ]] || return 1
	done
	[ -n "$process" ]
	"$1" tach-record tach-in | grep -x tach-info
}

# The words of a list, which the shells show with and without those before.
@test "bash completes values, files, directories, processes and commands" {
	completes in_bash $'p.bin\npages' pages
	is "$(in_bash tach-record --mode = e)" exception
	is "$(in_bash tach-record --mode =)" $'cpu\nexception\ngil\nwall'
	is "$(in_bash tach-cat --status gil,c)" gil,cpu
	is "$(in_bash tach-convert --source '')" $'no\npages\nyes'
	is "$(in_bash tach-record -m gil ls p)" $'p.bin\npages'
	is "$(in_bash tach-record --mode = gil -- ls p)" $'p.bin\npages'
	is "$(in_bash tach-record -- tach-inf)" tach-info
}

@test "zsh completes values, files, directories, processes and commands" {
	need zsh
	completes in_zsh $'p.bin\npages' pages
	is "$(in_zsh tach-record --mode=e)" exception
	is "$(in_zsh tach-cat --status gil,c)" cpu
	is "$(in_zsh tach-convert --source '')" $'no\npages\nyes'
}

@test "fish completes values, files, directories, processes and commands" {
	need fish
	completes in_fish $'p.bin\npages/' pages/
	is "$(in_fish tach-record --mode=e)" --mode=exception
	is "$(in_fish tach-cat --status gil,c)" gil,cpu
	is "$(in_fish tach-convert --source '')" $'no\npages/\nyes'
}

@test "each shell has all options of each command" {
	need zsh
	need fish
	local command
	for command in $COMMANDS; do
		is "$(in_bash "$command" --)" "$(long_names "$command")"
		is "$(in_zsh "$command" --)" "$(long_names "$command")"
		is "$(in_fish "$command" --)" "$(long_names "$command")"
	done
}
