# SPDX-License-Identifier: ISC
# tasks.bats: tach-record --async: asyncio's tasks in stacks, as asyncio itself
# tells who waits for whom.

load ../lib/lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	end_started
	drop_shared
}

# runs PROGRAM ARG...: as $pid, once FILE is there.
runs() {
	cp "$T/record/$1" "$OUTSIDE/$1"
	start "${PYTHON[@]}" "$INSIDE/$1" "$INSIDE/told" "${@:2}"
	until_ test -e "$OUTSIDE/told"
}

# stacks FILE: the functions of each sample's stack, innermost first.
stacks() {
	python3 - "$T/lib" "$1" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	sys.dont_write_bytecode = True
	import decode
	p = decode.decode(sys.argv[2])
	for s in p.samples():
	    print("\t".join(f.func for f in reversed(p.resolve(s.stack))))
	END
}

waiting() {
	need_python "$1"
	runs tasks.py
	tach-record -q -o p.bin -d 0.5 --async all -p "$pid"
	stacks p.bin | LC_ALL=C sort | uniq -c >seen
	cat seen
	diff <(LC_ALL=C sort "$OUTSIDE/told") <(sed 's/^ *[0-9]* //' seen |
	    grep -v 'Task-1$\|<module>$')
	# As many samples of each.
	is "$(awk '!/<module>$/ { print $1 }' seen | sort -u | wc -l)" 1
}

@test "tasks that wait are there as asyncio tells them: 3.14" {
	waiting 3.14
}

@test "tasks that wait are there as asyncio tells them: 3.15" {
	waiting 3.15
}

@test "tasks that wait are there as asyncio tells them: 3.14t" {
	waiting 3.14t
}

@test "tasks that wait are there as asyncio tells them: 3.15t" {
	waiting 3.15t
}

# Each stack of one that runs must be one of those, from `works` on outwards.
running() {
	need_python "$1"
	runs tasks.py 600 work
	in_tries 3 works
}

works() {
	tach-record -q -o p.bin -r 2k -d 2 --async running -p "$pid"
	stacks p.bin | LC_ALL=C sort | uniq -c >seen
	cat seen
	sed -n 's/.*\(works\t.*\)/\1/p' "$OUTSIDE/told" | sort -u >known
	[ -s known ]
	sed 's/^ *[0-9]* //' seen | grep -v '<module>$' >tasks
	[ -s tasks ]
	absent -v '\bworks\b' <tasks || return 3
	sed 's/.*\(works\t.*\)/\1/' tasks | absent -vxF -f known || return 3
	# All of them were seen.
	is "$(sed 's/.*\(works\t.*\)/\1/' tasks | sort -u)" "$(cat known)"
}

@test "below a task that runs are those that wait for it: 3.14" {
	running 3.14
}

@test "below a task that runs are those that wait for it: 3.15" {
	running 3.15
}

@test "below a task that runs are those that wait for it: 3.14t" {
	running 3.14t
}

@test "below a task that runs are those that wait for it: 3.15t" {
	running 3.15t
}

@test "a thousand tasks, in at most 10 ms a round" {
	need_python 3.15
	cat >"$OUTSIDE/many.py" <<-'END'
	import asyncio, sys
	async def leaf(n):
	    await asyncio.sleep(1000)
	async def main():
	    ts = [asyncio.create_task(leaf(i), name=f"n{i}")
	          for i in range(1000)]
	    await asyncio.sleep(0.1)
	    open(sys.argv[1], "w").close()
	    await asyncio.gather(*ts)
	asyncio.run(main())
	END
	start "${PYTHON[@]}" "$INSIDE/many.py" "$INSIDE/told"
	until_ test -e "$OUTSIDE/told"
	TIMEFORMAT='%U %S'
	{ time tach-record -q -o p.bin -r 100 -d 2 --async all -p "$pid" \
	    2>&3; } 3>&2 2>cost
	stacks p.bin | grep -c '^sleep.leaf.n[0-9]*.main.Task-1$' >count
	stacks p.bin | grep '^sleep.leaf.n' | sort -u | wc -l >kinds
	cat count kinds
	is "$(cat kinds)" 1000
	# They are of whole rounds.
	is $(($(cat count) % 1000)) 0
	# Tasks that only wait cost little: 1 ms of CPU a round, with all else;
	# here it must not be another order.
	awk -v n="$(cat count)" '{ ms = ($1 + $2) * 1000 / (n / 1000)
	    print ms " ms a round"; exit !(ms <= 10) }' cost
}

@test "tasks that come and go are never mixed up" {
	need_python 3.15
	cat >"$OUTSIDE/churn.py" <<-'END'
	import asyncio, sys
	async def odd(n):
	    await asyncio.sleep(n % 7 / 1000)
	async def even(n):
	    await asyncio.sleep(n % 5 / 1000)
	async def group(n):
	    async with asyncio.TaskGroup() as g:
	        for i in range(n, n + 50):
	            f = odd if i % 2 else even
	            g.create_task(f(i), name=f.__name__ + "-" + str(n))
	async def again(n):
	    while True:
	        await asyncio.create_task(group(n), name=f"group-{n}")
	async def main():
	    open(sys.argv[1], "w").close()
	    await asyncio.gather(*[again(n * 100) for n in range(6)])
	asyncio.run(main())
	END
	start "${PYTHON[@]}" "$INSIDE/churn.py" "$INSIDE/told"
	until_ test -e "$OUTSIDE/told"
	tach-record -o p.bin -r 500 -d 3 --async all -p "$pid" 2>summary
	cat summary
	stacks p.bin | grep -E '(odd|even)-[0-9]+' >seen
	[ "$(wc -l <seen)" -gt 1000 ]
	# Its own function, or, while it runs, the name alone; then the group
	# that it is of, once it is of one.
	local own='^((.*\t)?sleep\t)?(odd\t(?=odd)|even\t(?=even))?'
	own+='(odd|even)-(\d+)'
	local group='((TaskGroup\.\w+\t)+group\t)?group-\5\tagain\tTask-\d+'
	grep -vP "$own(\t$group\tmain\tTask-1)?\$" seen >wrong || :
	sort wrong | uniq -c
	[ ! -s wrong ]
	[ "$(grep -cP '^sleep\t(odd|even)\t.*TaskGroup' seen)" -gt 1000 ]
}

@test "tasks made to wait for each other in a circle end a stack" {
	need_python 3.15
	cat >"$OUTSIDE/ring.py" <<-'END'
	import asyncio, sys
	from asyncio.futures import future_add_to_awaited_by as add
	async def leaf():
	    await asyncio.sleep(1000)
	async def main():
	    a, b, c = [asyncio.create_task(leaf(), name=n) for n in "abc"]
	    await asyncio.sleep(0.1)
	    add(a, b)
	    add(b, a)
	    add(c, a)
	    open(sys.argv[1], "w").close()
	    await asyncio.sleep(1000)
	asyncio.run(main())
	END
	start "${PYTHON[@]}" "$INSIDE/ring.py" "$INSIDE/told"
	until_ test -e "$OUTSIDE/told"
	run -0 timeout 60 tach-record --dump --async all -p "$pid"
	echo "$output"
	[[ "$output" == *', task "c": main, idle'* ]]
	is "$(awk '/task "c"/ { on = 1; next } /^thread/ { on = 0 }
	    on { printf "%s ", $1 }' <<<"$output")" \
	    "sleep leaf c sleep leaf a sleep leaf b "
}

@test "before 3.14: refused for a process, told for a command" {
	need_python 3.13
	start "${PYTHON[@]}" -c "import time; open('$INSIDE/up', 'w').close()
time.sleep(600)"
	until_ test -e "$OUTSIDE/up"
	run -125 --separate-stderr tach-record -o p.bin --async all -p "$pid"
	[[ "$stderr" == "tach-record: --async needs Python 3.14 or later"* ]]
	[ ! -e p.bin ]
	run -0 --separate-stderr tach-record -q -o p.bin --async all -- \
	    "${PYTHON[@]}" -c 'sum(range(10000000))'
	echo "$stderr"
	[[ "$stderr" == "tach-record: --async needs Python 3.14 or later"* ]]
	[ -e p.bin ]
}
