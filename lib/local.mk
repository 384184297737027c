# lib/: libtach and libtach-record, which stands on it, as two libraries to install,
# and as convenience libraries for the commands, which so need no library path, and
# for the unit tests, which so can use what is private.

include_HEADERS += lib/tach-record.h lib/tach.h
noinst_LTLIBRARIES += lib/libtach-common.la lib/libtach-core.la \
	lib/libtach-record-core.la

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = lib/libtach.pc lib/libtach-record.pc

EXTRA_DIST += lib/libtach.map lib/libtach-record.map
if HAVE_SHARED
lib_LTLIBRARIES += lib/libtach.la lib/libtach-record.la
endif
lib_libtach_la_SOURCES =
lib_libtach_la_LIBADD = lib/libtach-core.la $(TACH_LIBS)
lib_libtach_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/lib/libtach.map $(NO_UNDEFINED)
EXTRA_lib_libtach_la_DEPENDENCIES = lib/libtach.map

lib_libtach_record_la_SOURCES =
lib_libtach_record_la_LIBADD = lib/libtach-record-core.la \
	lib/libtach-common.la lib/libtach.la $(RECORD_LIBS) $(COMMON_LIBS)
lib_libtach_record_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/lib/libtach-record.map $(NO_UNDEFINED)
EXTRA_lib_libtach_record_la_DEPENDENCIES = lib/libtach-record.map

# An archive keeps what is hidden visible to the linker: `set_add` of ours and of a
# program would be one thing.  So each static library is one object, joined of all,
# in which hidden names are local.
if HAVE_STATIC
lib_LIBRARIES += lib/libtach.a lib/libtach-record.a
endif
lib_libtach_a_SOURCES =
lib_libtach_a_LIBADD = lib/libtach.o
lib_libtach_record_a_SOURCES =
lib_libtach_record_a_LIBADD = lib/libtach-record.o
# With --coverage the compiler would join its own library as well.
JOIN = $(CC) `echo ' $(CFLAGS)' | sed 's/ --coverage//g; s/ -fprofile-[^ ]*//g'` \
	-r -nostdlib $(JOIN_FLAGS)
lib/libtach.o: lib/libtach-core.la
	$(AM_V_CCLD)$(JOIN) -o lib/libtach.all -Wl,--whole-archive \
		lib/.libs/libtach-core.a -Wl,--no-whole-archive && \
		$(OBJCOPY) --localize-hidden lib/libtach.all $@
lib/libtach-record.o: lib/libtach-record-core.la lib/libtach-common.la
	$(AM_V_CCLD)$(JOIN) -o lib/libtach-record.all -Wl,--whole-archive \
		lib/.libs/libtach-record-core.a lib/.libs/libtach-common.a \
		-Wl,--no-whole-archive && \
		$(OBJCOPY) --localize-hidden lib/libtach-record.all $@
CLEANFILES += lib/libtach.all lib/libtach-record.all

# What both have, each its own: no library sees the other's private part.
tach_common = \
	lib/ascii.h \
	lib/array.h \
	lib/below.h \
	lib/buf.h \
	lib/callsite.h \
	lib/decimal.c lib/decimal.h \
	lib/error.c lib/error.h \
	lib/hash.c lib/hash.h \
	lib/helper.c lib/helper.h \
	lib/options.c lib/options.h \
	lib/set.c lib/set.h \
	lib/utf8.c lib/utf8.h

lib_libtach_common_la_SOURCES = $(tach_common)
lib_libtach_core_la_SOURCES = $(tach_common) \
	lib/budget.h \
	lib/date.h \
	lib/depth.c \
	lib/durations.c \
	lib/gilwaits.h \
	lib/io.h \
	lib/kind.h \
	lib/merge.c \
	lib/note.h \
	lib/stream.c lib/stream.h \
	lib/pump.c \
	lib/select.c \
	lib/status.c lib/status.h \
	lib/table.c lib/table.h \
	lib/tablecopy.c lib/tablecopy.h \
	lib/tick.h \
	lib/varint.h \
	lib/version.c \
	lib/format/collapsed.h lib/format/collapsed_read.c \
	lib/format/cursor.h \
	lib/format/decode.c lib/format/decode.h \
	lib/format/delta.c lib/format/delta.h \
	lib/format/escape.c lib/format/escape.h \
	lib/format/file.c \
	lib/format/foreign.c lib/format/foreign.h \
	lib/format/frametext.c lib/format/frametext.h \
	lib/format/head.c lib/format/head.h \
	lib/format/layout.h \
	lib/format/linebuf.c lib/format/linebuf.h \
	lib/format/metanotes.c lib/format/metanotes.h \
	lib/format/journal.c lib/format/journal.h \
	lib/format/jsonpull.c lib/format/jsonpull.h \
	lib/format/mojo_read.c \
	lib/format/number.h \
	lib/format/origin.c lib/format/origin.h \
	lib/format/reader.c \
	lib/format/gperftools_read.c \
	lib/format/gperftools_text.c lib/format/gperftools_text.h \
	lib/format/perf.h lib/format/perf_read.c \
	lib/format/pprof_read.c \
	lib/format/sniff.c lib/format/sniff.h \
	lib/format/source.c lib/format/source.h \
	lib/format/speedscope_read.c \
	lib/format/stacks.c lib/format/stacks.h \
	lib/format/stacktext.c lib/format/stacktext.h \
	lib/format/tables.c lib/format/tables.h \
	lib/format/text.c \
	lib/format/texthead.c lib/format/texthead.h \
	lib/format/text_read.c \
	lib/format/threadname.c lib/format/threadname.h \
	lib/format/recovery.c \
	lib/format/unpack.c lib/format/unpack.h \
	lib/format/writer.c \
	lib/format/zio.c lib/format/zio.h \
	lib/opcodes/leaves.c \
	lib/opcodes/opcodes.c lib/opcodes/opcodes.h \
	lib/out/aggregate.c lib/out/aggregate.h \
	lib/out/base.c \
	lib/out/callgrind.c \
	lib/out/calls.c lib/out/calls.h \
	lib/out/chrome.c \
	lib/out/coding.c lib/out/coding.h \
	lib/out/collapsed.c \
	lib/out/csv.c \
	lib/out/diff.c \
	lib/out/emit.h \
	lib/out/flamegraph.c \
	lib/out/formats.c \
	lib/out/functions.c lib/out/functions.h \
	lib/out/gecko.c \
	lib/out/gperftools.c \
	lib/out/graph.c lib/out/graph.h \
	lib/out/groups.c lib/out/groups.h \
	lib/out/gzip.c lib/out/gzip.h \
	lib/out/heatmap.c \
	lib/out/json.c lib/out/json.h \
	lib/out/limits.h \
	lib/out/jsonl.c \
	lib/out/markdown.c \
	lib/out/message.h \
	lib/out/name.c \
	lib/out/names.h \
	lib/out/numbers.h \
	lib/out/otlp.c \
	lib/out/out.h \
	lib/out/page.c lib/out/page.h \
	lib/out/pairs.c lib/out/pairs.h \
	lib/out/perfetto.c \
	lib/out/locations.c lib/out/locations.h \
	lib/out/pprof.c \
	lib/out/pstats.c \
	lib/out/records.c lib/out/records.h \
	lib/out/sidecar.c lib/out/sidecar.h \
	lib/out/source.c lib/out/source.h \
	lib/out/speedscope.c \
	lib/out/states.c lib/out/states.h \
	lib/out/images.c lib/out/images.h \
	lib/out/strings.c lib/out/strings.h \
	lib/out/symbols.c lib/out/symbols.h \
	lib/out/tasknumbers.c lib/out/tasknumbers.h \
	lib/out/texts.c lib/out/texts.h \
	lib/out/ticks.c lib/out/ticks.h \
	lib/out/timeline.c lib/out/timeline.h

# What is known of interpreters and of programs.
lib_libtach_record_core_la_SOURCES = \
	lib/agent/print.c lib/agent/print.h \
	lib/agent/ring.c lib/agent/ring.h lib/agent/wire.h \
	lib/python/code.c lib/python/code.h \
	lib/python/copies.c lib/python/copies.h \
	lib/python/frames.c lib/python/frames.h \
	lib/python/past.c lib/python/past.h \
	lib/python/held.h \
	lib/python/same.h \
	lib/python/lines.c lib/python/lines.h \
	lib/python/locals.c lib/python/locals.h \
	lib/python/memory.h \
	lib/python/callable.c lib/python/callable.h \
	lib/python/callee.c lib/python/callee.h \
	lib/python/operation.c lib/python/operation.h \
	lib/python/calls.c lib/python/calls.h \
	lib/python/depths.c lib/python/depths.h \
	lib/python/objects.c lib/python/objects.h \
	lib/python/offsets.c lib/python/offsets.h \
	lib/python/repr.c \
	lib/python/runtime.c lib/python/runtime.h \
	lib/python/segments.c lib/python/segments.h \
	lib/python/status.c lib/python/status.h \
	lib/python/tasks.c lib/python/tasks.h \
	lib/python/traits.h \
	lib/python/unicode.c lib/python/unicode.h \
	lib/python/cframes.c lib/python/cframes.h \
	lib/native/cfi.c lib/native/cfi.h \
	lib/native/cfiparts.c lib/native/cfiparts.h \
	lib/native/coderun.c lib/native/coderun.h \
	lib/native/debugfile.c lib/native/debugfile.h \
	lib/native/demangle.c lib/native/demangle.h \
	lib/native/elf.c lib/native/elf.h \
	lib/native/elfmodule.c lib/native/elfmodule.h \
	lib/native/instruction.c lib/native/instruction.h \
	lib/native/lines.c lib/native/lines.h \
	lib/native/lineworker.c lib/native/lineworker.h \
	lib/native/modules.c lib/native/modules.h \
	lib/native/parents.c lib/native/parents.h \
	lib/native/parts.c lib/native/parts.h \
	lib/native/perfmap.c lib/native/perfmap.h \
	lib/native/pytables.c lib/native/pytables.h \
	lib/native/rootfile.c lib/native/rootfile.h \
	lib/native/symbols.c lib/native/symbols.h \
	lib/native/unwind.c lib/native/unwind.h

# The engine, room by room, from the ground up: see t/arrows.
lib_libtach_record_core_la_SOURCES += \
	lib/engine/os/clock.c \
	lib/engine/os/deathwatch.c \
	lib/engine/os/files.c \
	lib/engine/os/image.c \
	lib/engine/os/memory.c \
	lib/engine/os/numbers.c \
	lib/engine/os/os.h \
	lib/engine/os/perf.c \
	lib/engine/os/proc.c lib/engine/os/proc.h \
	lib/engine/os/process.c \
	lib/engine/os/schedule.c \
	lib/engine/os/stop.c \
	lib/engine/os/switches.c \
	lib/engine/os/task.c \
	lib/engine/os/timens.c
lib_libtach_record_core_la_SOURCES += \
	lib/engine/sched/caller.c lib/engine/sched/caller.h \
	lib/engine/sched/colocate.c lib/engine/sched/colocate.h \
	lib/engine/sched/gap.c lib/engine/sched/gap.h \
	lib/engine/sched/pace.c lib/engine/sched/pace.h \
	lib/engine/sched/pacer.c lib/engine/sched/pacer.h \
	lib/engine/sched/realtime.c lib/engine/sched/realtime.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/copy/pages.c lib/engine/copy/pages.h \
	lib/engine/copy/snapshot.c lib/engine/copy/snapshot.h \
	lib/engine/copy/workset.c lib/engine/copy/workset.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/code/codemap.c lib/engine/code/codemap.h \
	lib/engine/code/codes.c lib/engine/code/codes.h \
	lib/engine/code/contexts.c lib/engine/code/contexts.h \
	lib/engine/code/edges.c lib/engine/code/edges.h \
	lib/engine/code/frame_cache.c lib/engine/code/frame_cache.h \
	lib/engine/code/intern.c lib/engine/code/intern.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/threads/homes.c lib/engine/threads/homes.h \
	lib/engine/threads/identity.c lib/engine/threads/identity.h \
	lib/engine/threads/interps.c lib/engine/threads/interps.h \
	lib/engine/threads/status.c lib/engine/threads/status.h \
	lib/engine/threads/threads.c lib/engine/threads/threads.h \
	lib/engine/threads/tids.c lib/engine/threads/tids.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/kernel/batch.c lib/engine/kernel/batch.h \
	lib/engine/kernel/bpf_load.h \
	lib/engine/bpf/bpf_shared.h \
	lib/engine/kernel/interrupt.c lib/engine/kernel/interrupt.h \
	lib/engine/kernel/interruptcost.c \
	lib/engine/kernel/kallsyms.c lib/engine/kernel/kallsyms.h \
	lib/engine/kernel/standing.c lib/engine/kernel/standing.h \
	lib/engine/bpf/standing_shared.h \
	lib/engine/kernel/stock.c lib/engine/kernel/stock.h \
	lib/engine/kernel/switch_feed.h \
	lib/engine/bpf/switch_shared.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/locate/attach.c lib/engine/locate/attach.h \
	lib/engine/locate/children.c \
	lib/engine/locate/find.c lib/engine/locate/find.h \
	lib/engine/locate/inject.c lib/engine/locate/inject.h \
	lib/engine/locate/library.c lib/engine/locate/library.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/target/target.c lib/engine/target/target.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/check/check.c
lib_libtach_record_core_la_SOURCES += \
	lib/engine/stack/call_stack.c lib/engine/stack/call_stack.h \
	lib/engine/stack/candidate.c lib/engine/stack/candidate.h \
	lib/engine/stack/stack_reader.c lib/engine/stack/stack_reader.h \
	lib/engine/stack/fault_in.c lib/engine/stack/fault_in.h \
	lib/engine/stack/interrupted.c lib/engine/stack/interrupted.h \
	lib/engine/stack/read_once.c lib/engine/stack/read_once.h \
	lib/engine/stack/read_twice.c lib/engine/stack/read_twice.h \
	lib/engine/stack/seek.c lib/engine/stack/seek.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/sample/callees.c lib/engine/sample/callees.h \
	lib/engine/sample/emit.c lib/engine/sample/emit.h \
	lib/engine/sample/kernel_frames.c lib/engine/sample/kernel_frames.h \
	lib/engine/sample/native_faults.c lib/engine/sample/native_faults.h \
	lib/engine/sample/names.c lib/engine/sample/names.h \
	lib/engine/sample/runs.c lib/engine/sample/runs.h \
	lib/engine/sample/variables.c lib/engine/sample/variables.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/tasks/tasks.c lib/engine/tasks/tasks.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/waits/exact.c lib/engine/waits/exact.h \
	lib/engine/waits/exact_stacks.c lib/engine/waits/exact_stacks.h \
	lib/engine/waits/wait.c lib/engine/waits/wait.h \
	lib/engine/waits/wait_callers.c \
	lib/engine/waits/wait_calls.c \
	lib/engine/waits/wait_file.c \
	lib/engine/waits/wait_quota.c lib/engine/waits/wait_quota.h \
	lib/engine/waits/wait_socket.c lib/engine/waits/wait_socket.h \
	lib/engine/waits/waits.c lib/engine/waits/waits.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/plain/plain.c lib/engine/plain/plain.h \
	lib/engine/plain/plain_engine.c \
	lib/engine/plain/plain_task.c lib/engine/plain/plain_task.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/lines/late_lines.c lib/engine/lines/late_lines.h \
	lib/engine/native/c_frames.c lib/engine/native/c_frames.h \
	lib/engine/native/kept_stacks.c lib/engine/native/kept_stacks.h \
	lib/engine/native/mixed.c lib/engine/native/mixed.h \
	lib/engine/native/native_capture.c \
	lib/engine/native/native_capture.h \
	lib/engine/native/native_frames.c lib/engine/native/native_frames.h \
	lib/engine/native/process_modules.c \
	lib/engine/native/process_modules.h \
	lib/engine/native/stack_window.c lib/engine/native/stack_window.h \
	lib/engine/native/unwinder.c lib/engine/native/unwinder.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/remote/asks.c lib/engine/remote/asks.h \
	lib/engine/remote/batches.c lib/engine/remote/batches.h \
	lib/engine/remote/bindings.c lib/engine/remote/bindings.h \
	lib/engine/remote/mixed_reading.c \
	lib/engine/remote/plan.c lib/engine/remote/plan.h \
	lib/engine/remote/reading.c lib/engine/remote/reading.h \
	lib/engine/remote/remote.c lib/engine/remote/remote.h \
	lib/engine/remote/remote_engine.c \
	lib/engine/remote/rests.c lib/engine/remote/rests.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/told/registry.c lib/engine/told/registry.h \
	lib/engine/told/told_stack.c lib/engine/told/told_stack.h
lib_libtach_record_core_la_SOURCES += \
	lib/engine/inprocess/agents.c lib/engine/inprocess/agents.h \
	lib/engine/inprocess/counts.c lib/engine/inprocess/counts.h \
	lib/engine/inprocess/handshake.c lib/engine/inprocess/handshake.h \
	lib/engine/inprocess/inprocess.c lib/engine/inprocess/inprocess.h \
	lib/engine/inprocess/inprocess_engine.c \
	lib/engine/inprocess/ring_mixer.c lib/engine/inprocess/ring_mixer.h \
	lib/engine/inprocess/thread_ring.c lib/engine/inprocess/thread_ring.h \
	lib/engine/inprocess/wait_reader.c lib/engine/inprocess/wait_reader.h
lib_libtach_record_core_la_SOURCES += lib/engine/engine.h lib/engine/recorder.c \
	lib/engine/rounds.c

# The agent of the in-process engine, which recorders put into processes: it
# links nothing but the C library, and has no sanitizers, which a program that
# was built without them could not load.
agentdir = $(libdir)/tach
if HAVE_SHARED
agent_LTLIBRARIES = lib/libtach-agent.la
endif
lib_libtach_agent_la_SOURCES = \
	lib/callsite.h \
	lib/agent/agent.c lib/agent/agent.h \
	lib/agent/anylibc.c \
	lib/agent/attach.c \
	lib/agent/codes.c lib/agent/codes.h \
	lib/agent/cstack.c lib/agent/cstack.h \
	lib/agent/execs.c \
	lib/agent/got.c lib/agent/got.h \
	lib/agent/mask.c lib/agent/mask.h \
	lib/agent/print.c lib/agent/print.h \
	lib/agent/real.c lib/agent/real.h \
	lib/agent/ring.c lib/agent/ring.h lib/agent/wire.h \
	lib/agent/sample.c lib/agent/sample.h \
	lib/agent/self.c lib/agent/self.h \
	lib/agent/signals.c lib/agent/signals.h \
	lib/agent/stack.c lib/agent/stack.h \
	lib/agent/starts.c \
	lib/agent/thread.c lib/agent/thread.h \
	lib/agent/ticks.c lib/agent/ticks.h \
	lib/agent/waited.c lib/agent/waited.h \
	lib/agent/waits.c lib/agent/waits.h \
	lib/python/callable.c lib/python/callable.h \
	lib/python/code.h \
	lib/python/depths.h \
	lib/python/copies.c lib/python/copies.h \
	lib/python/frames.c lib/python/frames.h \
	lib/python/past.c lib/python/past.h \
	lib/python/held.h \
	lib/python/same.h \
	lib/python/lines.c lib/python/lines.h \
	lib/python/memory.h \
	lib/python/offsets.c lib/python/offsets.h \
	lib/python/segments.c lib/python/segments.h \
	lib/python/status.c lib/python/status.h \
	lib/python/traits.h \
	lib/python/unicode.c lib/python/unicode.h
lib_libtach_agent_la_CFLAGS = -std=gnu17 $(WARN_CFLAGS) -fvisibility=hidden \
	-ftls-model=initial-exec
lib_libtach_agent_la_LDFLAGS = -module -avoid-version -shared \
	-Wl,-Bsymbolic -Wl,-z,defs -Wl,-z,now
lib_libtach_agent_la_LIBADD =

# The same agent for glibc from 2.17 on, and for musl, for static programs: it is
# linked with empty libraries that have the names of glibc's, which musl takes for its
# own; so its symbols have no versions.  Variables of threads are found by descriptors
# (gnu2, which is arm64's only way): musl loads no library into a process that runs
# which has them otherwise.
agent_any = lib/libtach-agent-any.so
agent_any_FLAGS = -std=gnu17 $(WARN_CFLAGS) $(AGENT_ANY_CFLAGS) -O2 -fPIC \
	-fvisibility=hidden -ftls-model=global-dynamic -U_FORTIFY_SOURCE \
	-fno-stack-protector
$(agent_any): $(lib_libtach_agent_la_SOURCES) lib/python/layouts.c
	$(AM_V_CCLD)rm -rf $@.with && mkdir $@.with && \
		for name in c.so.6 pthread.so.0 dl.so.2; do \
			$(CC) -shared -nostdlib -Wl,-soname,lib$$name -x c \
				-o $@.with/lib$$name /dev/null || exit; \
		done && \
		cd $(srcdir) && $(CC) $(agent_any_FLAGS) \
			-D_GNU_SOURCE -Ilib -shared -nostdlib -o $(abs_builddir)/$@ \
			-Wl,-Bsymbolic,-z,now,-z,relro,--no-as-needed,--build-id=none \
			-Wl,-soname,libtach-agent.so \
			`printf '%s\n' $(lib_libtach_agent_la_SOURCES) | \
			    grep '\.c$$'` $(abs_builddir)/lib/python/layouts.c \
			$(abs_builddir)/$@.with/* -lgcc
CLEANFILES += $(agent_any)

# The layouts, the effects and the opcodes of each Python, as three C files.  Configure
# lists the files that there are, so a new one needs no line here.
nodist_lib_libtach_agent_la_SOURCES = lib/python/layouts.c
nodist_lib_libtach_record_core_la_SOURCES = lib/python/layouts.c \
	lib/python/effects.c
nodist_lib_libtach_core_la_SOURCES = lib/opcodes/names.c
lib/python/layouts.c: lib/mklist $(PY_LAYOUTS)
	$(AM_V_GEN)$(MKDIR_P) lib/python && (cd $(srcdir) && lib/mklist \
		py_layout py_layouts $(PY_LAYOUTS)) >$@.tmp && mv $@.tmp $@
lib/python/effects.c: lib/mklist $(PY_EFFECTS)
	$(AM_V_GEN)$(MKDIR_P) lib/python && (cd $(srcdir) && lib/mklist \
		py_effects py_effects_lists $(PY_EFFECTS)) >$@.tmp && mv $@.tmp $@
lib/opcodes/names.c: lib/mklist $(PY_OPCODES)
	$(AM_V_GEN)$(MKDIR_P) lib/opcodes && (cd $(srcdir) && lib/mklist \
		opcode_names opcodes_lists $(PY_OPCODES)) >$@.tmp && mv $@.tmp $@
CLEANFILES += lib/python/effects.c lib/python/layouts.c lib/opcodes/names.c
EXTRA_DIST += lib/mklist $(PY_LAYOUTS) lib/python/mkoffsets \
	lib/python/offsets.list
EXTRA_DIST += $(PY_EFFECTS) lib/python/mkdepths
EXTRA_DIST += $(PY_OPCODES) lib/opcodes/mkopcodes

# The pages that formats write, as one C file: see lib/out/page.h.
out_pages = lib/out/flamegraph.html lib/out/heatmap.html
nodist_lib_libtach_core_la_SOURCES += lib/out/pages.c
out_parts = lib/out/page.css lib/out/page.js
lib/out/pages.c: $(out_pages) $(out_parts) lib/out/embed
	$(AM_V_GEN)$(MKDIR_P) lib/out && out=$(abs_builddir)/$@ && \
		(cd $(srcdir) && lib/out/embed $(out_pages)) >$$out.tmp && \
		mv $$out.tmp $$out
EXTRA_DIST += $(out_pages) $(out_parts) lib/out/embed
CLEANFILES += lib/out/pages.c

# The messages of formats of protobuf.  A header is made with its source.
nodist_lib_libtach_core_la_SOURCES += lib/out/otlp.pb-c.c \
	lib/out/perfetto.pb-c.c lib/out/profile.pb-c.c
lib/out/otlp.pb-c.c: lib/out/otlp.proto
	$(AM_V_GEN)$(MKDIR_P) lib/out && $(PROTOC_C) -I$(srcdir)/lib/out \
		--c_out=lib/out $(srcdir)/lib/out/otlp.proto
lib/out/perfetto.pb-c.c: lib/out/perfetto.proto
	$(AM_V_GEN)$(MKDIR_P) lib/out && $(PROTOC_C) -I$(srcdir)/lib/out \
		--c_out=lib/out $(srcdir)/lib/out/perfetto.proto
lib/out/profile.pb-c.c: lib/out/profile.proto
	$(AM_V_GEN)$(MKDIR_P) lib/out && $(PROTOC_C) -I$(srcdir)/lib/out \
		--c_out=lib/out $(srcdir)/lib/out/profile.proto
lib/out/otlp.lo: lib/out/otlp.pb-c.c
lib/out/perfetto.lo: lib/out/perfetto.pb-c.c
lib/out/pprof.lo: lib/out/profile.pb-c.c
EXTRA_DIST += lib/out/otlp.proto lib/out/perfetto.proto lib/out/profile.proto
CLEANFILES += lib/out/otlp.pb-c.c lib/out/otlp.pb-c.h lib/out/perfetto.pb-c.c \
	lib/out/perfetto.pb-c.h lib/out/profile.pb-c.c lib/out/profile.pb-c.h

# What runs in the kernel, as bytes: see interrupt.h, standing.h and switch_feed.h of
# lib/engine/kernel.  A distribution has it compiled, for machines of either byte order.
bpf = lib/engine/bpf
bpf_made = $(bpf)/interruptprogram.h $(bpf)/standingprogram.h $(bpf)/switchesprogram.h
if HAVE_INTERRUPTS
lib_libtach_record_core_la_SOURCES += lib/engine/kernel/bpf_load.c \
	lib/engine/kernel/switch_feed.c
nodist_lib_libtach_record_core_la_SOURCES += lib/engine/bpf/interruptprogram.h \
	lib/engine/bpf/standingprogram.h lib/engine/bpf/switchesprogram.h
lib/engine/kernel/bpf_load.lo: lib/engine/bpf/interruptprogram.h
lib/engine/kernel/standing.lo: lib/engine/bpf/standingprogram.h
lib/engine/kernel/switch_feed.lo: lib/engine/bpf/switchesprogram.h
CLEANFILES += $(bpf_made)
endif
if COMPILES_BPF
lib/engine/bpf/interruptprogram.h: $(bpf)/interrupt.bpf.c $(bpf)/bpf_shared.h \
	lib/callsite.h
lib/engine/bpf/standingprogram.h: $(bpf)/standing.bpf.c $(bpf)/standing_shared.h
lib/engine/bpf/switchesprogram.h: $(bpf)/switches.bpf.c $(bpf)/switch_shared.h
$(bpf_made): $(bpf)/embed
	$(AM_V_GEN)$(MKDIR_P) $(bpf) && name=$$(basename $@ program.h) && \
		$(srcdir)/$(bpf)/embed $$name $(BPF_COMPILE) $(BPF_CFLAGS) \
			-target $(BPF_TARGET) >$@.tmp && mv $@.tmp $@
dist-bpf:
	for name in interrupt standing switches; do \
		for target in bpfel bpfeb; do \
			$(srcdir)/$(bpf)/embed $$name $(BPF_COMPILE) \
				$(BPF_CFLAGS) -target $$target \
				>'$(distdir)'/$(bpf)/$$name.$$target.h || \
				exit; \
		done; \
	done
else
$(bpf_made):
	$(AM_V_GEN)$(MKDIR_P) $(bpf) && name=$$(basename $@ program.h) && \
		cp $(srcdir)/$(bpf)/$$name.$(BPF_TARGET).h $@
dist-bpf:
	for name in interrupt standing switches; do \
		cp $(srcdir)/$(bpf)/$$name.bpfel.h $(srcdir)/$(bpf)/$$name.bpfeb.h \
			'$(distdir)'/$(bpf)/ 2>/dev/null || \
			echo 'This distribution has no compiled BPF: clang is missing.' >&2; \
	done
endif
.PHONY: dist-bpf
EXTRA_DIST += lib/engine/bpf/interrupt.bpf.c lib/engine/bpf/standing.bpf.c \
	lib/engine/bpf/switches.bpf.c \
	lib/engine/bpf/embed
