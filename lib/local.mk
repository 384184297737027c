# lib/: libtach, as one library to install, and as a convenience library for
# the commands, which so need no library path, and for the unit tests, which
# so can use what is private.

include_HEADERS += lib/tach.h
lib_LTLIBRARIES += lib/libtach.la
noinst_LTLIBRARIES += lib/libtach-core.la

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = lib/libtach.pc

lib_libtach_la_SOURCES =
lib_libtach_la_LIBADD = lib/libtach-core.la $(LIB_LIBS)
lib_libtach_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^tach_'

lib_libtach_core_la_SOURCES = \
	lib/agent/print.c lib/agent/print.h \
	lib/agent/ring.c lib/agent/ring.h lib/agent/wire.h \
	lib/array.h \
	lib/budget.h \
	lib/buf.h \
	lib/decimal.c lib/decimal.h \
	lib/error.c lib/error.h \
	lib/filter.c \
	lib/hash.c lib/hash.h \
	lib/io.c lib/io.h \
	lib/merge.c \
	lib/set.c lib/set.h \
	lib/spans.c \
	lib/status.c lib/status.h \
	lib/table.c lib/table.h \
	lib/utf8.c lib/utf8.h \
	lib/version.c \
	lib/format/collapsed.h lib/format/collapsedin.c \
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
	lib/format/names.c lib/format/names.h \
	lib/format/number.h \
	lib/format/reader.c \
	lib/format/slotsin.c \
	lib/format/slottext.c lib/format/slottext.h \
	lib/format/sniff.c lib/format/sniff.h \
	lib/format/source.h \
	lib/format/stacktext.c lib/format/stacktext.h \
	lib/format/tables.c lib/format/tables.h \
	lib/format/text.c \
	lib/format/texthead.c lib/format/texthead.h \
	lib/format/textin.c \
	lib/format/unfinished.c \
	lib/format/varint.h \
	lib/format/writer.c \
	lib/format/zio.c lib/format/zio.h \
	lib/opcodes/leaves.c \
	lib/opcodes/names_3_6.c \
	lib/opcodes/names_3_7.c \
	lib/opcodes/names_3_8.c \
	lib/opcodes/names_3_9.c \
	lib/opcodes/names_3_10.c \
	lib/opcodes/names_3_11.c \
	lib/opcodes/names_3_12.c \
	lib/opcodes/names_3_13.c \
	lib/opcodes/names_3_14.c \
	lib/opcodes/names_3_15.c \
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
	lib/out/gzip.c lib/out/gzip.h \
	lib/out/heatmap.c \
	lib/out/json.c lib/out/json.h \
	lib/out/limits.h \
	lib/out/jsonl.c \
	lib/out/name.c \
	lib/out/numbers.h \
	lib/out/out.h \
	lib/out/page.h \
	lib/out/pairs.c lib/out/pairs.h \
	lib/out/places.c lib/out/places.h \
	lib/out/pprof.c \
	lib/out/pstats.c \
	lib/out/records.c lib/out/records.h \
	lib/out/sidecar.c lib/out/sidecar.h \
	lib/out/source.c lib/out/source.h \
	lib/out/speedscope.c \
	lib/out/states.c lib/out/states.h \
	lib/out/strings.c lib/out/strings.h \
	lib/out/symbols.c lib/out/symbols.h \
	lib/out/texts.c lib/out/texts.h \
	lib/out/ticks.c lib/out/ticks.h \
	lib/out/timeline.c lib/out/timeline.h \
	lib/python/code.c lib/python/code.h \
	lib/python/copies.c lib/python/copies.h \
	lib/python/frames.c lib/python/frames.h \
	lib/python/past.c lib/python/past.h \
	lib/python/layout_3_6.c \
	lib/python/layout_3_7.c \
	lib/python/layout_3_8.c \
	lib/python/layout_3_9.c \
	lib/python/layout_3_10.c \
	lib/python/layout_3_11.c \
	lib/python/layout_3_12.c \
	lib/python/layout_3_13.c \
	lib/python/layout_3_14.c \
	lib/python/layout_3_15.c \
	lib/python/lines.c lib/python/lines.h \
	lib/python/locals.c lib/python/locals.h \
	lib/python/memory.h \
	lib/python/objects.c lib/python/objects.h \
	lib/python/offsets.c lib/python/offsets.h \
	lib/python/repr.c \
	lib/python/runtime.c lib/python/runtime.h \
	lib/python/status.c lib/python/status.h \
	lib/python/tasks.c lib/python/tasks.h \
	lib/python/unicode.c lib/python/unicode.h \
	lib/native/elf.c lib/native/elf.h \
	lib/engine/agents.c lib/engine/agents.h \
	lib/engine/area.c lib/engine/area.h \
	lib/engine/attach.c lib/engine/attach.h \
	lib/engine/caller.c lib/engine/caller.h \
	lib/engine/calls.c lib/engine/calls.h \
	lib/engine/chains.c lib/engine/chains.h \
	lib/engine/children.c \
	lib/engine/clock.c lib/engine/clock.h \
	lib/engine/codemap.c lib/engine/codemap.h \
	lib/engine/codes.c lib/engine/codes.h \
	lib/engine/counts.c lib/engine/counts.h \
	lib/engine/emit.c lib/engine/emit.h \
	lib/engine/find.c lib/engine/find.h \
	lib/engine/first.c lib/engine/first.h \
	lib/engine/gap.c lib/engine/gap.h \
	lib/engine/grow.c lib/engine/grow.h \
	lib/engine/helper.c lib/engine/helper.h \
	lib/engine/homes.c lib/engine/homes.h \
	lib/engine/image.c lib/engine/image.h \
	lib/engine/inject.c lib/engine/inject.h \
	lib/engine/inprocess.c lib/engine/inprocess.h \
	lib/engine/interps.c lib/engine/interps.h \
	lib/engine/interrupt.h lib/engine/interruptwire.h lib/engine/ahead.h \
	lib/engine/interrupted.c lib/engine/interrupted.h \
	lib/engine/known.c lib/engine/known.h \
	lib/engine/library.c lib/engine/library.h \
	lib/engine/names.c lib/engine/names.h \
	lib/engine/near.c lib/engine/near.h \
	lib/engine/newest.c lib/engine/newest.h \
	lib/engine/outside.c lib/engine/outside.h \
	lib/engine/owner.c lib/engine/owner.h \
	lib/engine/pages.c lib/engine/pages.h \
	lib/engine/perf.c lib/engine/perf.h \
	lib/engine/process.c lib/engine/process.h \
	lib/engine/recorder.c \
	lib/engine/registry.c lib/engine/registry.h \
	lib/engine/remote.c lib/engine/remote.h \
	lib/engine/runs.c lib/engine/runs.h \
	lib/engine/seek.c lib/engine/seek.h \
	lib/engine/snapshot.c lib/engine/snapshot.h \
	lib/engine/status.c lib/engine/status.h \
	lib/engine/stop.c lib/engine/stop.h \
	lib/engine/survey.c lib/engine/survey.h \
	lib/engine/suspects.c lib/engine/suspects.h \
	lib/engine/tasks.c lib/engine/tasks.h \
	lib/engine/tell.c lib/engine/tell.h \
	lib/engine/threads.c lib/engine/threads.h \
	lib/engine/identity.c lib/engine/identity.h \
	lib/engine/tids.c lib/engine/tids.h \
	lib/engine/timens.c lib/engine/timens.h \
	lib/engine/turns.c lib/engine/turns.h \
	lib/engine/twice.c lib/engine/twice.h \
	lib/engine/pace.c lib/engine/pace.h \
	lib/engine/stock.c lib/engine/stock.h \
	lib/engine/urgent.c lib/engine/urgent.h \
	lib/engine/workset.c lib/engine/workset.h

# The agent of the in-process engine, which recorders put into processes: it
# links nothing but the C library, and has no sanitizers, which a program that
# was built without them could not load.
agentdir = $(libdir)/tach
if HAVE_SHARED
agent_LTLIBRARIES = lib/libtach-agent.la
endif
lib_libtach_agent_la_SOURCES = \
	lib/agent/agent.c lib/agent/agent.h \
	lib/agent/attach.c \
	lib/agent/codes.c lib/agent/codes.h \
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
	lib/agent/waits.c lib/agent/waits.h \
	lib/python/code.h \
	lib/python/copies.c lib/python/copies.h \
	lib/python/frames.c lib/python/frames.h \
	lib/python/past.c lib/python/past.h \
	lib/python/layout_3_6.c \
	lib/python/layout_3_7.c \
	lib/python/layout_3_8.c \
	lib/python/layout_3_9.c \
	lib/python/layout_3_10.c \
	lib/python/layout_3_11.c \
	lib/python/layout_3_12.c \
	lib/python/layout_3_13.c \
	lib/python/layout_3_14.c \
	lib/python/layout_3_15.c \
	lib/python/lines.c lib/python/lines.h \
	lib/python/memory.h \
	lib/python/offsets.c lib/python/offsets.h \
	lib/python/status.c lib/python/status.h \
	lib/python/unicode.c lib/python/unicode.h
lib_libtach_agent_la_CFLAGS = -std=gnu17 $(WARN_CFLAGS) -fvisibility=hidden \
	-ftls-model=initial-exec
lib_libtach_agent_la_LDFLAGS = -module -avoid-version -shared \
	-Wl,-Bsymbolic -Wl,-z,defs -Wl,-z,now
lib_libtach_agent_la_LIBADD =

# The pages that formats write, as one C file: see lib/out/page.h.
out_pages = lib/out/flamegraph.html lib/out/heatmap.html
nodist_lib_libtach_core_la_SOURCES = lib/out/pages.c
lib/out/pages.c: $(out_pages) lib/out/embed
	$(AM_V_GEN)$(MKDIR_P) lib/out && out=$(abs_builddir)/$@ && \
		(cd $(srcdir) && lib/out/embed $(out_pages)) >$$out.tmp && \
		mv $$out.tmp $$out
EXTRA_DIST += $(out_pages) lib/out/embed
CLEANFILES += lib/out/pages.c

# The messages of pprof's format.  The header is made with the source.
nodist_lib_libtach_core_la_SOURCES += lib/out/profile.pb-c.c
lib/out/profile.pb-c.c: lib/out/profile.proto
	$(AM_V_GEN)$(MKDIR_P) lib/out && $(PROTOC_C) -I$(srcdir)/lib/out \
		--c_out=lib/out $(srcdir)/lib/out/profile.proto
lib/out/pprof.lo: lib/out/profile.pb-c.c
EXTRA_DIST += lib/out/profile.proto
CLEANFILES += lib/out/profile.pb-c.c lib/out/profile.pb-c.h

# What runs in the kernel, as bytes: see lib/engine/interrupt.h.
if HAVE_INTERRUPTS
lib_libtach_core_la_SOURCES += lib/engine/interrupt.c lib/engine/ahead.c \
	lib/engine/interruptcost.c \
	lib/engine/interruptload.c lib/engine/interruptload.h
nodist_lib_libtach_core_la_SOURCES += lib/engine/interruptprogram.h
lib/engine/interruptload.lo: lib/engine/interruptprogram.h
lib/engine/interruptprogram.h: lib/engine/interrupt.bpf.c \
		lib/engine/interruptwire.h lib/engine/embed
	$(AM_V_GEN)$(MKDIR_P) lib/engine && \
		$(BPF_COMPILE) -I$(srcdir)/lib $(BPF_CFLAGS) \
		-c $(srcdir)/lib/engine/interrupt.bpf.c -o $@.o && \
		$(srcdir)/lib/engine/embed interrupt_program $@.o >$@.tmp && \
		mv $@.tmp $@
CLEANFILES += lib/engine/interruptprogram.h lib/engine/interruptprogram.h.o
else
lib_libtach_core_la_SOURCES += lib/engine/nointerrupt.c
endif
EXTRA_DIST += lib/engine/interrupt.bpf.c lib/engine/embed

# Makes the layout_*.c from an interpreter's headers.
EXTRA_DIST += lib/python/mkoffsets
# Makes the names_*.c likewise.
EXTRA_DIST += lib/opcodes/mkopcodes
