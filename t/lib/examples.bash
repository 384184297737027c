# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# examples.bash: the commands that pages show, and how they are run as tests.
#
#	load ../lib/lib.bash
#	load ../lib/examples.bash

# ---- the commands ---------------------------------------------------------
# Each command is followed by a \001.

# blocks PAGE: the text of its literal blocks, a form feed before each.
blocks() {
	sed -n '/^\.Bd -literal/,/^\.Ed/{s/^\.Bd.*/\f/;/^\./!p;}' "$1" |
	    sed 's/\\(aq/'"'"'/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\-/-/g
		s/\\e/\\/g'
}

# page_commands PAGE: the commands in its blocks, each from its `$ ` to the next one
# or to the end of its block.
page_commands() {
	blocks "$1" | awk '
	/^\f/  { if (on) printf "\001"; on = 0; next }
	/^\$ / { if (on) printf "\001"; on = 1; sub(/^\$ /, "") }
	on     { print }
	END    { if (on) printf "\001" }'
}

# markdown_commands FILE: the commands in its blocks, which are indented by four
# columns or stand between two lines of ```.  A command that is on several lines has
# the others indented further.  In a paragraph that begins with `$ ` the other lines
# are output.
markdown_commands() {
	sed '/^```/,/^```$/{/^```/!s/^/    /;s/^```.*//;}' "$1" | awk '
	function end() { if (on) printf "\001"; on = 0 }
	!/^    /    { end(); shown = 0; block = /^$/; next }
	!block      { next }
	/^    \$ /  { end(); shown = on = 1; print substr($0, 7); next }
	shown       { next }
	/^    [^ ]/ { end(); on = 1 }
	on          { print substr($0, 5) }
	END         { end() }'
}

# ---- running them ---------------------------------------------------------

# runs_here COMMAND: not if it is for a browser, a viewer that may not be here, a
# server, as in otlp.bats, or the source tree.
runs_here() {
	case $1 in
	'git clone '* | ./bootstrap* | ./configure* | make* | 'sudo '*) return 1 ;;
	*'go tool '* | *google-pprof* | *flamegraph.pl*) return 1 ;;
	*callgrind_annotate* | *'| curl '*) return 1 ;;
	packaging/* | dpkg-buildpackage* | 'tar '* | *' -m venv '*)
		return 1 ;;
	esac
}

# shortened COMMAND: takes half a second where it says more, or two where it records
# until it is interrupted.
shortened() {
	case $1 in
	*' --dump'* | *' -d '*) sed -E 's/ -d [0-9]+/ -d 0.5/g' <<<"$1" ;;
	*' -p '*) sed 's/tach-record/timeout --preserve-status -s INT 2 &/g' <<<"$1" ;;
	*) echo "$1" ;;
	esac
}

# example_runs COMMAND: it succeeds, and prints something or writes a file.
example_runs() {
	touch -h -d yesterday ./*
	touch -d '1 hour ago' before
	# head ends a pipe early: that is no failure.
	bash -c "$(shortened "$1")" >out 2>err || {
		cat err
		return 1
	}
	[ -s out ] ||
	    [ -n "$(find . -type f -name '*.*' -size +0 -newer before)" ]
}
