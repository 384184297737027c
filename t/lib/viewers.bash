# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# viewers.bash: the programs that people look at profiles with, for tests of
# what tach-convert writes.  t/peers/viewers gets them.
#
#	load ../lib/lib.bash
#	load ../lib/viewers.bash
#
# Each test first names what it needs, or is skipped:
#
#	need_chromium		for  browser PAGE [COMMAND [ARGUMENT]]...
#	    t/peers/browser: opens a page and clicks, types, waits, prints
#	need_speedscope		for  speedscope_text FILE [PNG]
#	    what speedscope shows of a file of any format that it reads, as
#	    lines of fields separated by tabs, for each of its profiles:
#		profile  NUMBER  NAME
#		time     NUMBER  DEPTH  START%  LABEL	a box in Time Order
#		left     NUMBER  DEPTH  START%  LABEL	a box in Left Heavy
#		table    NUMBER  TOTAL  SELF  NAME  FILE    a row of Sandwich
#	    DEPTH is 0 for the outermost frame, START% where in the whole width
#	    the box begins.  A box too narrow for its name has a shorter label,
#	    or none; a table shows its first 50 rows at least.  PNG is a
#	    picture of the first profile, Left Heavy.
#	need_json_schema	for  json_schema SCHEMA FILE
#	    fails, and says why, where FILE is not what the schema says
#	need_speedscope_schema	for  speedscope_schema FILE
#	    fails, and says why, where FILE is not what the JSON schema says
#	    that comes with speedscope
#	need_pprof		for  $PPROFS and each_pprof
#	    for pprof in "${PPROFS[@]}"; do run -0 $pprof -top p.pb.gz; done
#	    "GO tool pprof" of every Go at hand; each_pprof prints the same,
#	    one a line
#	need_google_pprof	for  google-pprof
#	need_profiler_cli	for  profiler_cli FILE ARG... [-- ARG...]...
#	    what Firefox Profiler's own reader says of a file:
#	    profiler_cli p.json thread list -- thread functions --limit 0
#	need_duckdb		for  duck SQL
#	    prints the rows, fields separated by tabs, of the last statement:
#	    NULL is empty, and lists and the like are JSON.
#	    duck "SELECT count(*) FROM 'p.parquet'"
#	need_otlp		for  otlp [FILE]
#	    what a request with OpenTelemetry's profiles says, by protobufjs and
#	    the published description; of a file, or of what is posted to a
#	    server: see t/convert/otlp.cjs
#	need_callgrind_annotate	for  callgrind_annotate
#	need_kcachegrind	for  kcachegrind_title FILE
#	    what KCachegrind's window is called when it has loaded a file
#	need_flamegraph		for  flamegraph FILE > SVG
#
# They run without network, with a HOME of the test's own where they write
# something there, and leave no process.

VIEWERS=${XDG_CACHE_HOME:-$HOME/.cache}/tach/viewers
NODE_MODULES=$VIEWERS/npm/node_modules

# need_npm PACKAGE: which t/peers/viewers installs.
need_npm() {
	need node nodejs
	[ -d "$NODE_MODULES/$1" ] || skip "no $1 here: see t/peers/viewers"
}

# ---- pages --------------------------------------------------------------

need_chromium() {
	need node nodejs
	need chromium
}

browser() {
	"$T/peers/browser" "$@"
}

need_speedscope() {
	need_chromium
	need_npm speedscope
}

# It draws on a canvas, so its labels are written down as they are drawn; a
# row of boxes is 20 pixels high, and the first label is at 35.
# shellcheck disable=SC2016
speedscope_script='(async () => {
	const width = innerWidth, lines = [];
	const draw = CanvasRenderingContext2D.prototype.fillText;
	let labels = new Map();
	CanvasRenderingContext2D.prototype.fillText = function (t, x, y) {
		if (y >= 35)
			labels.set(`${y} ${x}`, [y, x, t]);
		return draw.apply(this, arguments);
	};
	const press = async (key) => {
		labels = new Map();
		for (const type of ["keydown", "keypress"])
			dispatchEvent(new KeyboardEvent(type, { key }));
		await frame();
	};
	const frame = () => new Promise((done) =>
		requestAnimationFrame(() => setTimeout(done, 50)));
	const boxes = async (view, key, number) => {
		await press(key);
		for (let tries = 0; labels.size === 0 && tries < 100; tries++)
			await frame();
		for (const [y, x, t] of [...labels.values()].sort(
		    (a, b) => a[0] - b[0] || a[1] - b[1]))
			lines.push([view, number, Math.round((y - 35) / 20),
			    Math.round((x - 5) / width * 100), t]);
	};
	const table = async (number) => {
		await press("3");
		for (const row of document.querySelectorAll("tr")) {
			const [total, self, name] = row.cells;
			if (name?.tagName === "TD" && /%/.test(total.innerText))
				lines.push(["table", number, total.innerText,
				    self.innerText, name.innerText, name.title]
				    .map((s) => `${s}`.trim()));
		}
	};
	const shown = () => document.body.innerText.split("\n")[1];
	const count = / \(\d+\/(\d+)\)$/.exec(shown())?.[1] ?? 1;
	for (let number = 1; number <= count; number++) {
		if (number > 1)
			await press("n");
		lines.push(["profile", number,
		    shown().replace(/ \(\d+\/\d+\)$/, "")]);
		await boxes("left", "2", number);
		await boxes("time", "1", number);
		await table(number);
		await press("1");
	}
	return lines.map((line) => line.join("\t")).join("\n");
})()'

speedscope_text() {
	local file=${1##*/} dir picture=()
	dir=$(cd "$(dirname "$1")" && pwd)
	[ $# -lt 2 ] || picture=(key 2 screenshot "$2" key 1)
	file=$(jq -rn --arg file "$file" \
	    '"http://localhost/profile/\($file | @uri)" | @uri')
	browser --serve "$NODE_MODULES/speedscope/dist/release" \
	    --serve "profile=$dir" about:blank size 1600x1200 \
	    open "http://localhost/index.html#profileURL=$file" \
	    wait 'document.body.innerText.includes("Time Order")' \
	    "${picture[@]}" eval "$speedscope_script"
}

need_json_schema() {
	need_npm ajv
}

json_schema() {
	# shellcheck disable=SC2016
	NODE_PATH=$NODE_MODULES node -e '
		const fs = require("fs");
		const json = (file) => JSON.parse(fs.readFileSync(file));
		const Ajv = require("ajv");
		const check = new Ajv({ strict: false, allErrors: true })
		    .compile(json(process.argv[1]));
		if (!check(json(process.argv[2]))) {
			console.error(check.errors);
			process.exit(1);
		}' "$1" "$2"
}

need_speedscope_schema() {
	need_npm speedscope
	need_json_schema
}

speedscope_schema() {
	json_schema \
	    "$NODE_MODULES/speedscope/dist/release/file-format-schema.json" "$1"
}

# ---- pprof --------------------------------------------------------------

# The Gos of t/peers/viewers, or the machine's own.
need_pprof() {
	local go
	PPROFS=()
	for go in "$VIEWERS"/go-*/bin/go; do
		[ ! -x "$go" ] || PPROFS+=("$go tool pprof")
	done
	if [ ${#PPROFS[@]} -eq 0 ]; then
		need go golang-go
		PPROFS=("go tool pprof")
	fi
	export GOTOOLCHAIN=local GOFLAGS='' GOENV=off GOPROXY=off \
	    GOTELEMETRY=off GOCACHE=$BATS_FILE_TMPDIR/gocache \
	    PPROF_TMPDIR=$BATS_TEST_TMPDIR
}

each_pprof() {
	printf '%s\n' "${PPROFS[@]}"
}

need_google_pprof() {
	need google-pprof google-perftools
}

# ---- the others ---------------------------------------------------------

need_profiler_cli() {
	need_npm @firefox-devtools/profiler-cli
}

# Its commands speak with a process that has loaded the file, by a socket,
# whose name must be short.
profiler_cli() {
	local file=$1
	shift
	(
		PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/profiler.XXXXXX)
		export PROFILER_CLI_SESSION_DIR
		trap 'firefox stop --all >/dev/null 2>&1
		    rm -rf "$PROFILER_CLI_SESSION_DIR"' EXIT
		load_profile "$file" && ask_profile "$@"
	)
}

firefox() {
	node "$NODE_MODULES/@firefox-devtools/profiler-cli/dist/profiler-cli.js" \
	    "$@" 3>&-
}

# On a busy machine it gives up waiting after half a second, for a process that
# comes up all the same.
load_profile() {
	local said pid i
	said=$(firefox load "$1" 2>&1) && return
	pid=$(sed -n 's/.*still be running as pid \([0-9]*\).*/\1/p' <<<"$said")
	for ((i = 0; i < 300; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		said=$(firefox status 2>&1) && return
		[[ $said != *"load failed"* ]] || break
		sleep 0.2
	done
	kill "$pid" 2>/dev/null
	echo "$said" >&2
	return 1
}

ask_profile() {
	local status=0 command
	while [ $# -gt 0 ]; do
		command=()
		while [ $# -gt 0 ] && [ "$1" != -- ]; do
			command+=("$1")
			shift
		done
		[ $# -eq 0 ] || shift
		firefox "${command[@]}" || status=1
	done
	return $status
}

need_duckdb() {
	need_npm @duckdb/node-api
}

duck() {
	# shellcheck disable=SC2016
	NODE_PATH=$NODE_MODULES node -e '
		const { DuckDBInstance } = require("@duckdb/node-api");
		const text = (v) => v === null ? "" :
		    typeof v === "object" ? JSON.stringify(v) : `${v}`;
		(async () => {
			const db = await DuckDBInstance.create(":memory:",
			    { autoinstall_known_extensions: "false" });
			const connection = await db.connect();
			const rows = (await connection.runAndReadAll(
			    process.argv[1])).getRowsJson();
			for (const row of rows)
				console.log(row.map(text).join("\t"));
		})().catch((error) => {
			console.error(error.message);
			process.exit(1);
		})' "$1"
}

need_otlp() {
	need_npm protobufjs
	[ -d "$VIEWERS/opentelemetry-proto" ] ||
	    skip "no opentelemetry-proto here: see t/peers/viewers"
}

otlp() {
	NODE_PATH=$NODE_MODULES node "$T/convert/otlp.cjs" \
	    "$VIEWERS/opentelemetry-proto" "$@"
}

need_callgrind_annotate() {
	need callgrind_annotate valgrind
}

need_kcachegrind() {
	need kcachegrind
	need Xvfb xvfb
	need xwininfo x11-utils
	need dbus-run-session dbus-daemon
}

kcachegrind_title() {
	"$T/peers/kcachegrind" "$@"
}

need_flamegraph() {
	need perl
	[ -f "$VIEWERS/flamegraph/flamegraph.pl" ] ||
	    skip "no flamegraph.pl here: see t/peers/viewers"
}

flamegraph() {
	perl "$VIEWERS/flamegraph/flamegraph.pl" "$@"
}
