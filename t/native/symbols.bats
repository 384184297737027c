# SPDX-License-Identifier: ISC
# symbols.bats: functions of C have the names that nm, c++filt and addr2line tell; names
# of perf maps; files that are far too large.

load ../lib/lib.bash

S=$TACH_BUILDDIR/t/unit/symbols

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset DEBUGINFOD_CACHE_PATH
	XDG_CACHE_HOME=$PWD/cache
	export XDG_CACHE_HOME
}

# has FEATURE PACKAGE: this build has a library, or the test is skipped.
has_library() {
	"$S" -f | found -x "$1" || skip "a build without $2"
}

# compiled: the program `functions`, whose symbols are known.
compiled() {
	need "${CC%% *}" gcc
	need objcopy binutils
	$CC -O2 -g -Wl,--build-id -o functions "$T/native/functions.c"
}

# split: the same, and stripped, with its build id as $id.
split() {
	compiled
	id=$(readelf -n functions | sed -n 's/ *Build ID: //p')
	[ ${#id} -eq 40 ]
	objcopy --only-keep-debug functions debug
	strip -o stripped functions
	"$S" functions | sed 's/ symtab / /' >wanted
	found ' local$' <wanted
}

# named FILE SOURCE [ROOT]: its functions have the names of the program that was not
# stripped, from that source.
named() {
	local root=$3 file=$1
	"$S" "$file" ${root:+"$root"} >named
	found " $2 local\$" <named
	is "$(sed "s/ $2 / /; s/${1##*/}+/functions+/" named)" "$(cat wanted)"
}

# unnamed FILE [ROOT]: a static function has no name.
unnamed() {
	"$S" "$@" >named
	absent -w local <named
	found nameless <named
}

@test "functions of a program have nm's names, aliases their plainest one" {
	compiled
	"$S" functions >named
	run -0 python3 "$T/native/nm.py" functions <named
	[[ $output =~ ^right=[0-9]+\ wrong=0\ none=[0-9]+$ ]]
	found ' symtab global$' <named
	# In the middle of a function, behind its end, and of no known size.
	nm functions | sed -nE 's/^0*([^ ]+) . (local|written_by_hand)$/\2=0x\1/p' >addrs
	# shellcheck disable=SC1091
	. ./addrs
	# shellcheck disable=SC2154
	printf '%x\n' $((local + 2)) $((written_by_hand + 3)) 16 >wanted
	run -0 --separate-stderr "$S" -a functions <wanted
	is "$output" "$(printf '%x %x symtab local\n%x %x symtab written_by_hand\n10 - - -' \
	    $((local + 2)) "$local" $((written_by_hand + 3)) "$written_by_hand")"
}

@test "functions of tach-record, the C library and a Python have nm's names" {
	local python
	host_python
	libc=$(ldd "$TACH_BUILDDIR/t/unit/symbols" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
	for file in "$S" "$libc" "$(readlink -f "$python")"; do
		"$S" "$file" >named
		id=$(readelf -n "$file" | sed -n 's/ *Build ID: //p')
		run -0 python3 "$T/native/nm.py" "$file" \
		    "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" <named
		echo "$file: $output"
		[[ $output =~ right=([0-9]+)\ wrong=0 ]]
		[ "${BASH_REMATCH[1]}" -gt 10 ]
	done
}

@test "CPython's tables are read however their pointers are relocated" {
	need "${CC%% *}" gcc
	need strip binutils
	local how
	for how in -Wl,-z,nopack-relative-relocs -Wl,-z,pack-relative-relocs \
	    -Wl,-Ttext-segment=0x400000 -Wl,-z,noseparate-code; do
		$CC -O2 -fPIC -shared -s "$how" -o m.so "$T/native/module.c"
		"$S" m.so >named
		found ' python m.open$' <named
		found ' python m.close$' <named
	done
	# A file that does not use Python has none, whatever its data look like.
	$CC -O2 -fPIC -shared -s -DPyModuleDef_Init=other -o m.so "$T/native/module.c"
	"$S" m.so >named
	absent ' python ' <named
}

@test "a part of a function that was split off has its name, without a symbol" {
	[ "$(uname -m)" = x86_64 ] || skip "parts are found on x86-64 alone"
	need "${CC%% *}" gcc
	need strip binutils
	$CC -O2 -rdynamic -o functions "$T/native/functions.c"
	nm functions | sed -nE 's/^0*([^ ]+) t global\.cold$/\1/p' >part
	[ -s part ] || skip "this compiler splits no function"
	start=$(nm functions | sed -nE 's/^0*([^ ]+) T global$/\1/p')
	strip functions
	run -0 --separate-stderr "$S" -a functions <part
	is "$output" "$(cat part) $start dynsym global"
}

@test "names come from debug files by build id: of the target's root, debuginfod" {
	split
	unnamed stripped
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}" root/bin
	cp debug "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	cp stripped root/bin
	named /bin/stripped debug root
	# By a link, but not by one that leads out of the root.
	mv "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" root/there
	ln -s /there "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	named /bin/stripped debug root
	ln -sf "$PWD/debug" "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	unnamed /bin/stripped root
	mkdir -p "cache/debuginfod_client/$id"
	cp debug "cache/debuginfod_client/$id/debuginfo"
	named stripped debug
	DEBUGINFOD_CACHE_PATH=$PWD/cache/debuginfod_client named stripped debug
	unset XDG_CACHE_HOME
	mkdir .cache
	mv cache/debuginfod_client .cache
	HOME=$PWD named stripped debug
	# Of another build: each address would be another function's.
	$CC -O1 -g -Wl,--build-id=0x0123456789 -o other "$T/native/functions.c"
	cp other ".cache/debuginfod_client/$id/debuginfo"
	HOME=$PWD unnamed stripped
}

@test "names come from debug files by .gnu_debuglink, if the checksum is right" {
	split
	objcopy --remove-section .note.gnu.build-id stripped anonymous
	objcopy --add-gnu-debuglink=debug anonymous linked
	mkdir -p root/bin/.debug root/usr/lib/debug/bin
	cp linked root/bin
	unnamed /bin/linked root
	for folder in bin bin/.debug usr/lib/debug/bin; do
		cp debug "root/$folder"
		named /bin/linked debug root
		printf x >>"root/$folder/debug"
		unnamed /bin/linked root
		rm "root/$folder/debug"
	done
	mkfifo root/bin/debug
	unnamed /bin/linked root
}

@test "names come from .gnu_debugdata" {
	has_library lzma liblzma
	need xz xz-utils
	split
	strip -g -o mini debug
	xz mini
	objcopy --add-section .gnu_debugdata=mini.xz stripped with
	named with minidebug
	head -c 200 mini.xz >cut.xz
	objcopy --add-section .gnu_debugdata=cut.xz stripped with
	unnamed with
}

@test "names of C++ and Rust are those of c++filt, without parameters and hashes" {
	has_library iberty libiberty
	need c++filt binutils
	c++filt -p <"$T/native/mangled" |
	    sed -E 's/::h[0-9a-f]{16}$//; s/\[[0-9a-f]{12,16}\]//g; s/<([0-9]+): usize>/<\1>/
		s/(std::)basic_(string)<char, std::char_traits<char>, std::allocator<char> >/\1\2/g' \
		>wanted
	"$S" -d <"$T/native/mangled" >names
	diff wanted names
	[ "$(wc -l <names)" -gt 40 ]
	absent -e '^_[RZ]' <names
	printf '%s\n' main _Z _ZN _R _ZN1 _RN '_ZN3foo17h0123456789abcdefE.llvm.5' \
	    Zebra _Zebra _RNvC0m4main "_Z$(printf 'N%.0s' {1..3000})" >odd
	run -0 "$S" -d <odd
	is "${lines[0]} ${lines[6]}" "main foo"
	# pair<a, a>, and then each part is twice the last one.
	cat >pairs.py <<-'EOF'
	import sys
	digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[2:int(sys.argv[1])]
	print('_Z1fI1aSt4pairIS0_S0_E%sEvv' % ''.join(
	    'S1_IS%c_S%c_E' % (d, d) for d in digits))
	EOF
	python3 pairs.py 36 >bomb
	run -0 timeout 5 "$S" -d <bomb
	is "$output" "$(cat bomb)"
	run -0 "$S" -d < <(python3 pairs.py 3)
	is "$output" 'f<a, std::pair<a, a>, std::pair<std::pair<a, a>, std::pair<a, a> > >'
}

@test "a program's functions of C++ have names without parameters" {
	has_library iberty libiberty
	need g++
	cat >classes.cc <<-'EOF'
	#include <string>
	namespace geo {
	template <typename T> struct area {
		__attribute__((noinline)) T of(T a, const std::string &s) const
		{ return a * (T)s.size(); }
	};
	}
	int main(int argc, char **argv)
	{ return (int)geo::area<double>().of(argc, argv[0]) > 9; }
	EOF
	g++ -O2 -o classes classes.cc
	"$S" classes >named
	found ' symtab geo::area<double>::of$' <named
}

@test "the vdso's functions have nm's names" {
	cat >dump.py <<-'EOF'
	with open('/proc/self/maps') as f:
	    line = next((l for l in f if '[vdso]' in l), None)
	if line:
	    start, end = (int(n, 16) for n in line.split()[0].split('-'))
	    with open('/proc/self/mem', 'rb') as f:
	        f.seek(start)
	        open('vdso', 'wb').write(f.read(end - start))
	EOF
	python3 dump.py
	[ -s vdso ] || skip "no vdso here"
	"$S" -v >named
	run -0 python3 "$T/native/nm.py" vdso <named
	[[ $output =~ ^right=[1-9][0-9]*\ wrong=0\ none=[0-9]+$ ]]
	found clock_gettime <named
}

@test "lines are those of addr2line, also of a debug file" {
	has_library dw libdw
	need addr2line binutils
	split
	nm functions | sed -nE 's/^0*([^ ]+) [tT] (local|global|main)$/\1/p' >starts
	while read -r start; do
		printf '%x\n' $((0x$start)) $((0x$start + 3)) $((0x$start + 9))
	done <starts >addrs
	addr2line -e functions <addrs | sed 's/ (.*//' >wanted
	"$S" -l functions <addrs | cut -d ' ' -f 2- >lines
	diff wanted lines
	found 'functions.c:[0-9]' <lines
	mkdir -p "cache/debuginfod_client/$id"
	cp debug "cache/debuginfod_client/$id/debuginfo"
	"$S" -l stripped <addrs | cut -d ' ' -f 2- >lines
	diff wanted lines
	rm "cache/debuginfod_client/$id/debuginfo"
	run -0 "$S" -l stripped <<<10
	is "$output" '10 ??:0'
}

@test "a program of a gibibyte with half a million functions: 8 MiB, 2 s" {
	python3 "$T/native/huge.py" huge 500000
	printf '%x\n' $((0x1000)) $((0x1000 + 64 * 499999 + 7)) $((0x1000 + 64 * 77 + 62)) >addrs
	run -0 --separate-stderr "$S" -a huge <addrs
	is "$output" "$(printf '%s\n' '1000 1000 symtab f_0' \
	    '1e857c7 1e857c0 symtab f_499999' '237e - - -')"
	echo "$stderr"
	[[ $stderr =~ ^([0-9]+)\..*\ ms,\ ([0-9]+)\ KiB,\ peak\ ([0-9]+)\ KiB$ ]]
	[ "${BASH_REMATCH[1]}" -lt 2000 ]
	[ "${BASH_REMATCH[2]}" -lt 8192 ]
	[ "${BASH_REMATCH[3]}" -lt 65536 ]
}

@test "a perf map of a Python names its trampolines, each one marked" {
	local python
	host_python 3.12 3.13 3.14 3.15
	cat >perf.py <<-'EOF'
	import os, time
	def leaf(): return 1
	def middle(): return leaf()
	middle()
	print(os.getpid(), flush=True)
	time.sleep(60)
	EOF
	"$python" -X perf perf.py >pid &
	started=$!
	until_ test -s pid
	pid=$(cat pid)
	cut -d ' ' -f 1 "/tmp/perf-$pid.map" >starts
	"$S" -p "$pid" <starts >names
	kill "$started"
	found ' \* py::leaf:.*perf.py$' <names
	sed -E 's/^([0-9a-f]+) [0-9a-f]+ (.*)/\1 \2/' "/tmp/perf-$pid.map" >wanted
	sed -E 's/^([0-9a-f]+) \1-[0-9a-f]+ \* /\1 /' names | diff wanted -
	rm "/tmp/perf-$pid.map"
}

@test "a perf map is read on while it grows; lines that are none are left out" {
	mkdir -p root/tmp
	printf '%s\n' '1000 10 first' 'x 10 bad' '' '2000 0 empty' '3000' '4000 10' \
	    'ffffffffffffffff 10 beyond' '10000000000000000 1 wide' '0x5000 10 with 0x' \
	    '6000 20 old' '6000 10 new' $'7000 10 odd\xff' >root/tmp/perf-77.map
	printf '8000 10 not whole' >>root/tmp/perf-77.map
	mkfifo ask
	"$S" -p 77 root <ask >names 2>size &
	started=$!
	exec 9>ask
	printf '%s\n' 100f 1010 2000 4000 5000 6008 6018 7000 8000 >&9
	until_ eval '[ "$(wc -l <names)" -eq 9 ]'
	printf ' at first\n9000 10 py::f:g.py\n' >>root/tmp/perf-77.map
	printf '%s\n' 8000 9008 >&9
	exec 9>&-
	wait "$started"
	is "$(cat names)" "$(printf '%s\n' '100f 1000-1010 first' '1010 -' '2000 -' \
	    '4000 -' '5000 5000-5010 with 0x' '6008 6000-6010 new' '6018 6000-6020 old' \
	    $'7000 7000-7010 odd\xef\xbf\xbd' '8000 -' '8000 8000-8010 not whole at first' \
	    '9008 9000-9010 * py::f:g.py')"
}

@test "a perf map of millions of lines takes 40 MiB at most, and no pipe is opened" {
	mkdir -p root/tmp
	seq -f '%.0f000 10 f' 1 1500000 >root/tmp/perf-5.map
	run -0 --separate-stderr "$S" -p 5 root <<<1000
	is "$output" '1000 1000-1010 f'
	[ "${stderr% bytes}" -lt 41943040 ]
	rm root/tmp/perf-5.map
	mkfifo root/tmp/perf-5.map
	run -1 timeout 5 "$S" -p 5 root <<<1000
	is "$output" 'symbols: no perf map of 5'
}
