# t/: the tests.  Unit tests are C programs that succeed or fail as a whole;
# *.bats files report each of their tests by TAP.

TEST_EXTENSIONS = .bats
LOG_COMPILER = $(srcdir)/t/lib/in-turn
BATS_LOG_COMPILER = $(srcdir)/t/lib/in-turn $(BATS)
AM_BATS_LOG_FLAGS = --tap
BATS_LOG_DRIVER = $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A failed test fails once, not once more as the exit status of its file; a
# file that ends early has run too few tests, which is an error all the same.
AM_BATS_LOG_DRIVER_FLAGS = --ignore-exit

# A python3 that only finds the one to run, as pyenv's does, takes five times as
# long to start, and is started some thousand times.
AM_TESTS_ENVIRONMENT = \
	command -v $(BATS) >/dev/null || { \
		echo "make check needs bats (Debian: apt install bats)" >&2; \
		exit 1; \
	}; \
	TACH_SRCDIR='$(abs_top_srcdir)'; export TACH_SRCDIR; \
	TACH_BUILDDIR='$(abs_top_builddir)'; export TACH_BUILDDIR; \
	python=`python3 -c 'import sys; print(sys.executable)' 2>/dev/null`; \
	[ -z "$$python" ] || [ "$$python" -ef "`command -v python3`" ] || \
		PATH=$${python%/*}:$$PATH; \
	export PATH; \
	SIDE_BY_SIDE='$(UNIT_TESTS) $(FILE_TESTS) $(SAMPLE_TESTS)'; \
	export SIDE_BY_SIDE; \
	CC='$(CC)'; export CC;

# By `make -j2 check` all but the live ones run two at a time: see t/lib/in-turn.
TESTS = $(UNIT_TESTS) $(FILE_TESTS) $(SAMPLE_TESTS) $(LIVE_UNIT_TESTS) \
	$(LIVE_TESTS)

UNIT_TESTS = t/unit/test_cfi t/unit/test_cframes t/unit/test_chosen t/unit/test_codes t/unit/test_confine \
	t/unit/test_damage t/unit/test_deathwatch t/unit/test_depths \
	t/unit/test_edges t/unit/test_errors \
	t/unit/test_elf t/unit/test_select t/unit/test_gap t/unit/test_image \
	t/unit/test_format t/unit/test_kind t/unit/test_python \
	t/unit/test_snapshots \
	t/unit/test_launch t/unit/test_lineworker \
	t/unit/test_pace t/unit/test_pacer t/unit/test_sizes \
	t/unit/test_ring t/unit/test_decimal t/unit/test_source \
	t/unit/test_process \
	t/unit/test_kernel_frames t/unit/test_ring_model t/unit/test_stock \
	t/unit/test_stop \
	t/unit/test_switches \
	t/unit/test_text t/unit/test_interps t/unit/test_threads t/unit/test_tids t/unit/test_told \
	t/unit/test_unfinished t/unit/test_waits
if HAVE_TSAN
UNIT_TESTS += t/unit/test_ring_tsan
endif
if HAVE_SHARED
UNIT_TESTS += t/unit/test_drain
endif
LIVE_UNIT_TESTS = t/unit/test_agent t/unit/test_batch t/unit/test_colocate \
	t/unit/test_hostile t/unit/test_interrupt t/unit/test_stacks
check_PROGRAMS += $(UNIT_TESTS) $(LIVE_UNIT_TESTS) t/unit/attach \
	t/unit/attached t/unit/depths t/unit/inject t/unit/late t/unit/lends t/unit/lengths t/unit/many \
	t/unit/objects \
	t/unit/positions t/unit/recode t/unit/rows t/unit/snap t/unit/subject \
	t/unit/symbols t/unit/unwound

t_unit_profile = t/unit/profile.c t/unit/profile.h
t_unit_attach_SOURCES = t/unit/attach.c
t_unit_attached_SOURCES = t/unit/attached.c t/unit/inside.c t/unit/inside.h
t_unit_depths_SOURCES = t/unit/depths.c
t_unit_inject_SOURCES = t/unit/inject.c
t_unit_late_SOURCES = t/unit/late.c
t_unit_lends_SOURCES = t/unit/lends.c
t_unit_lengths_SOURCES = t/unit/lengths.c
t_unit_many_SOURCES = t/unit/many.c
t_unit_objects_SOURCES = t/unit/objects.c
t_unit_positions_SOURCES = t/unit/positions.c
t_unit_recode_SOURCES = t/unit/recode.c
t_unit_rows_SOURCES = t/unit/rows.c
t_unit_walks = t/unit/walks.c t/unit/walks.h
t_unit_snap_SOURCES = t/unit/snap.c $(t_unit_walks)
t_unit_inside = t/unit/inside.c t/unit/inside.h
t_unit_subject_SOURCES = t/unit/subject.c
t_unit_symbols_SOURCES = t/unit/symbols.c t/unit/fdes.c t/unit/fdes.h
t_unit_subject_LDADD =
t_unit_test_agent_SOURCES = t/unit/test_agent.c $(t_unit_inside)
t_unit_test_cfi_SOURCES = t/unit/test_cfi.c $(t_unit_profile)
t_unit_test_told_SOURCES = t/unit/test_told.c $(t_unit_profile)
t_unit_test_cframes_SOURCES = t/unit/test_cframes.c $(t_unit_profile)
t_unit_test_codes_SOURCES = t/unit/test_codes.c $(t_unit_profile) \
	$(t_unit_walks)
t_unit_test_confine_SOURCES = t/unit/test_confine.c $(t_unit_profile)
t_unit_test_confine_LDADD = cmd/libconfine.la $(LDADD)
t_unit_test_damage_SOURCES = t/unit/test_damage.c $(t_unit_profile)
t_unit_test_elf_SOURCES = t/unit/test_elf.c
t_unit_test_errors_SOURCES = t/unit/test_errors.c $(t_unit_profile)
t_unit_test_sizes_SOURCES = t/unit/test_sizes.c $(t_unit_profile)
t_unit_test_select_SOURCES = t/unit/test_select.c $(t_unit_profile)
t_unit_test_format_SOURCES = t/unit/test_format.c $(t_unit_profile)
t_unit_test_gap_SOURCES = t/unit/test_gap.c
t_unit_test_image_SOURCES = t/unit/test_image.c
t_unit_test_kind_SOURCES = t/unit/test_kind.c
t_unit_test_python_SOURCES = t/unit/test_python.c $(t_unit_profile)
t_unit_test_decimal_SOURCES = t/unit/test_decimal.c
t_unit_test_drain_SOURCES = t/unit/test_drain.c
t_unit_test_chosen_SOURCES = t/unit/test_chosen.c $(t_unit_profile)
t_unit_test_edges_SOURCES = t/unit/test_edges.c $(t_unit_profile)
t_unit_counter = t/unit/counter.c t/unit/counter.h
t_unit_test_batch_SOURCES = t/unit/test_batch.c $(t_unit_counter)
t_unit_test_hostile_SOURCES = t/unit/test_hostile.c t/unit/outsider.c \
	t/unit/outsider.h
t_unit_test_interrupt_SOURCES = t/unit/test_interrupt.c $(t_unit_counter)
t_unit_test_stacks_SOURCES = t/unit/test_stacks.c $(t_unit_counter)
t_unit_test_colocate_SOURCES = t/unit/test_colocate.c
t_unit_test_deathwatch_SOURCES = t/unit/test_deathwatch.c
t_unit_test_depths_SOURCES = t/unit/test_depths.c $(t_unit_profile)
t_unit_test_waits_SOURCES = t/unit/test_waits.c $(t_unit_profile)
t_unit_test_launch_SOURCES = t/unit/test_launch.c
t_unit_test_lineworker_SOURCES = t/unit/test_lineworker.c lib/helper.c \
	lib/native/lineworker.c
t_unit_test_lineworker_CFLAGS = $(AM_CFLAGS)
t_unit_test_lineworker_LDADD =
t_unit_test_pace_SOURCES = t/unit/test_pace.c
t_unit_test_pacer_SOURCES = t/unit/test_pacer.c $(t_unit_profile)
t_unit_test_process_SOURCES = t/unit/test_process.c $(t_unit_profile)
t_unit_test_ring_SOURCES = t/unit/test_ring.c
t_unit_test_ring_model_SOURCES = t/unit/test_ring_model.c
t_unit_test_ring_tsan_SOURCES = t/unit/test_ring.c lib/agent/ring.c
t_unit_test_ring_tsan_CFLAGS = -std=gnu17 $(WARN_CFLAGS) -fsanitize=thread
t_unit_test_ring_tsan_LDFLAGS = -fsanitize=thread
t_unit_test_ring_tsan_LDADD =
t_unit_test_source_SOURCES = t/unit/test_source.c
t_unit_test_snapshots_SOURCES = t/unit/test_snapshots.c $(t_unit_profile) \
	$(t_unit_walks)
t_unit_test_kernel_frames_SOURCES = t/unit/test_kernel_frames.c
t_unit_test_stock_SOURCES = t/unit/test_stock.c
t_unit_test_stop_SOURCES = t/unit/test_stop.c
t_unit_test_text_SOURCES = t/unit/test_text.c $(t_unit_profile)
t_unit_test_interps_SOURCES = t/unit/test_interps.c
t_unit_test_threads_SOURCES = t/unit/test_threads.c
t_unit_test_tids_SOURCES = t/unit/test_tids.c
t_unit_test_switches_SOURCES = t/unit/test_switches.c
# For arm64 alone: see t/house/cross.bats.
EXTRA_PROGRAMS = t/unit/merged
CLEANFILES += t/unit/merged
t_unit_merged_SOURCES = t/unit/merged.c
t_unit_unwound_SOURCES = t/unit/unwound.c
t_unit_test_unfinished_SOURCES = t/unit/test_unfinished.c $(t_unit_profile)

# Those that judge no recordings, but what is made of files; the slowest first.
FILE_TESTS = \
	t/house/cross.bats \
	t/house/packages.bats \
	t/house/build.bats \
	t/python/new-python.bats \
	t/python/positions.bats \
	t/python/depths.bats \
	t/native/tables.bats \
	t/convert/flamegraph.bats \
	t/convert/heatmap.bats \
	t/convert/gperftools.bats \
	t/merge/merge.bats \
	t/convert/pprof.bats \
	t/convert/convert.bats \
	t/format/bombs.bats \
	t/commands/control-characters.bats \
	t/convert/source-text.bats \
	t/house/static.bats \
	t/format/cpython.bats \
	t/convert/gecko.bats \
	t/convert/by.bats \
	t/convert/kinds.bats \
	t/convert/callgrind.bats \
	t/convert/markdown.bats \
	t/commands/cat.bats \
	t/convert/chrome.bats \
	t/convert/otlp.bats \
	t/convert/perfetto.bats \
	t/commands/common.bats \
	t/commands/completions.bats \
	t/format/damage.bats \
	t/format/foreign.bats \
	t/commands/info.bats \
	t/format/inputs.bats \
	t/house/libtach.bats \
	t/house/lint.bats \
	t/house/judges.bats \
	t/commands/confine.bats \
	t/python/layouts.bats \
	t/commands/man.bats \
	t/commands/places.bats \
	t/convert/pstats.bats \
	t/convert/jsonl-csv.bats \
	t/commands/select.bats \
	t/native/symbols.bats t/convert/native.bats \
	t/convert/speedscope.bats \
	t/format/text.bats \
	t/convert/totals.bats \
	t/convert/viewers.bats

# Those that judge recordings by samples alone, and have tries for it (see
# in_tries in lib.bash): they need not have the machine for themselves.  The slowest
# first: at their end one CPU waits for the last of them.
SAMPLE_TESTS = \
	t/record/truth.bats \
	t/record/oracle.bats \
	t/record/old-pythons.bats \
	t/record/nogil.bats \
	t/record/status.bats \
	t/record/inprocess-truth.bats \
	t/record/inject.bats \
	t/record/record.bats \
	t/record/subprocesses.bats \
	t/python/targets.bats \
	t/commands/examples.bats \
	t/record/callees.bats \
	t/python/musl.bats \
	t/python/thread-names.bats \
	t/commands/top.bats \
	t/record/replay.bats \
	t/record/limits.bats \
	t/commands/signals.bats \
	t/record/strays.bats \
	t/record/check.bats \
	t/python/runtime.bats \
	t/convert/opcodes.bats \
	t/native/copied.bats t/native/mixed.bats t/native/recorded.bats t/native/unwind.bats \
	t/native/inprocess.bats t/native/lines.bats t/native/plain.bats \
	t/native/extensions.bats \
	t/record/waits-exact.bats \
	t/record/waits.bats \
	t/record/kernel.bats \
	t/record/dump.bats \
	t/convert/diff.bats \
	t/commands/output.bats \
	t/commands/messages.bats

# All the others: for them when something happens is part of what is judged.
LIVE_TESTS = \
	t/record/rounds-ahead.bats \
	t/record/inprocess-attach.bats \
	t/record/inprocess-rights.bats \
	t/record/blocking.bats \
	t/record/inprocess.bats \
	t/record/interrupts.bats \
	t/record/jitter.bats \
	t/record/caller-settings.bats \
	t/record/lost.bats \
	t/record/failures.bats \
	t/record/pause.bats \
	t/record/tasks.bats \
	t/record/scheduling.bats \
	t/record/ways-to-call.bats

# Each builds the tree anew: other compilers and choices; sanitizers, fuzzers,
# coverage, the distribution.  One of the long ones has its turn in check-most.
MATRIX_TESTS = t/house/matrix.bats
LONG_TESTS = t/house/long.bats

# Some minutes' worth, which need no other Python than the one at hand.
QUICK_TESTS = $(UNIT_TESTS) \
	t/commands/cat.bats t/commands/common.bats t/commands/completions.bats \
	t/commands/control-characters.bats t/commands/info.bats \
	t/commands/man.bats t/commands/messages.bats t/commands/places.bats \
	t/commands/select.bats \
	t/convert/by.bats t/convert/callgrind.bats t/convert/chrome.bats \
	t/convert/convert.bats t/convert/markdown.bats \
	t/convert/flamegraph.bats t/convert/gecko.bats \
	t/convert/gperftools.bats t/convert/heatmap.bats \
	t/convert/jsonl-csv.bats t/convert/kinds.bats t/convert/otlp.bats \
	t/convert/perfetto.bats t/convert/pprof.bats t/convert/pstats.bats \
	t/convert/speedscope.bats t/convert/totals.bats \
	t/format/cpython.bats t/format/damage.bats t/format/foreign.bats \
	t/format/inputs.bats \
	t/format/text.bats \
	t/house/libtach.bats t/house/lint.bats \
	t/native/symbols.bats t/convert/native.bats \
	t/python/layouts.bats \
	t/record/dump.bats t/record/record.bats

# What `make quick` leaves out it says, before it begins.
quick: all
	@echo 'Not run, by make check alone:' \
	    $(filter-out $(QUICK_TESTS),$(FILE_TESTS) $(SAMPLE_TESTS) \
		$(LIVE_UNIT_TESTS) $(LIVE_TESTS))
	@$(MAKE) $(AM_MAKEFLAGS) check-twice TESTS='$(QUICK_TESTS)'
check-most: all
	@TACH_TURN=`$(srcdir)/t/lib/turn $(srcdir)/$(LONG_TESTS)`; \
	TACH_COMMIT=`$(srcdir)/t/lib/turn --number`; \
	TACH_TEST_TIMEOUT=1800; \
	export TACH_TURN TACH_COMMIT TACH_TEST_TIMEOUT; \
	echo "The turn of $(LONG_TESTS): $${TACH_TURN:-none}"; \
	echo "The turn of Pythons and ways: $${TACH_COMMIT:-all}"; \
	$(MAKE) $(AM_MAKEFLAGS) check-twice \
	    TESTS='$(TESTS) $(MATRIX_TESTS) $(LONG_TESTS)'
check-all: all
	@TACH_TEST_TIMEOUT=5400; export TACH_TEST_TIMEOUT; \
	$(MAKE) $(AM_MAKEFLAGS) check-twice \
	    TESTS='$(TESTS) $(MATRIX_TESTS) $(LONG_TESTS)'
# One chance more, alone, for a test that may only have been too slow.
check-twice: $(check_PROGRAMS)
	@$(MAKE) $(AM_MAKEFLAGS) check || { \
		status=0; \
		$(MAKE) $(AM_MAKEFLAGS) -j1 again || status=$$?; \
		$(MAKE) $(AM_MAKEFLAGS) closing || status=$$?; \
		exit $$status; \
	}
.PHONY: check-all check-most check-twice quick

EXTRA_DIST += $(FILE_TESTS) $(SAMPLE_TESTS) $(LIVE_TESTS) $(MATRIX_TESTS) \
	$(LONG_TESTS) t/README.md t/arrows t/data t/golden t/lib t/lint t/peers \
	t/programs t/static
# Judges and programs that serve one folder.
EXTRA_DIST += t/commands/atexit.c t/commands/fault.py \
	t/convert/calls.py t/convert/chrome.schema.json t/convert/moments.py \
	t/convert/otlp.cjs t/convert/otlp.py t/convert/perfetto.py \
	t/convert/pprof.py t/convert/slots.py t/convert/slower.py \
	t/convert/totals.py t/convert/wire.py \
	t/house/libtach.py \
	t/merge/merge.py \
	t/native/arm64.py t/native/extensions \
	t/native/functions.c t/native/huge.py t/native/judge.py \
	t/native/shares.c t/native/shares.py \
	t/native/libraries.py t/native/lined.c t/native/lined.py t/native/mangled t/native/module.c t/native/nm.py \
	t/native/objects.py t/native/recorded.py t/native/rows.py t/native/stops.py t/native/thrown.cc \
	t/python/callables.py t/python/depths.py t/python/fake.c \
	t/python/fake32.c t/python/jit.py t/python/named.py \
	t/python/names.py t/python/nested.py t/python/objects.py \
	t/python/operations.py \
	t/python/positions.py t/python/shapes.py \
	t/record/agent.c t/record/attached.py t/record/callables.py \
	t/record/callees.py t/record/copies.py t/record/deny.c \
	t/record/depths.py t/record/ends.py t/record/family.py \
	t/record/fault.c t/record/interrupts.py t/record/kernel.py t/record/locked.py \
	t/record/lost.py t/record/natives.c t/record/operators.py \
	t/record/results.py t/record/shares.py \
	t/record/strays.c t/record/strays.py t/record/stuck.py \
	t/record/tasks.py t/record/traced.py t/record/variables.py t/record/waits.py t/record/waits-short.py \
	t/record/waits-strange.py \
	t/record/exact.py t/record/waits-exact.py

# The fuzzers.  `make check` gives them their cases; `make fuzz` builds them
# with clang's libFuzzer and lets each run for ten minutes, or FUZZ_SECONDS.
FUZZERS = t/fuzz/fuzz_cfi t/fuzz/fuzz_collapsed t/fuzz/fuzz_depths t/fuzz/fuzz_elf t/fuzz/fuzz_foreign \
	t/fuzz/fuzz_formats \
	t/fuzz/fuzz_python t/fuzz/fuzz_merge t/fuzz/fuzz_perfmap t/fuzz/fuzz_reader \
	t/fuzz/fuzz_shared \
	t/fuzz/fuzz_slots t/fuzz/fuzz_symbols t/fuzz/fuzz_text t/fuzz/fuzz_unfinished \
	t/fuzz/fuzz_waits
check_PROGRAMS += $(FUZZERS)
t_fuzz = t/fuzz/fuzz.c t/fuzz/fuzz.h
t_fuzz_fuzz_cfi_SOURCES = t/fuzz/fuzz_cfi.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_collapsed_SOURCES = t/fuzz/fuzz_collapsed.c t/fuzz/replay.c \
	$(t_fuzz)
t_fuzz_fuzz_depths_SOURCES = t/fuzz/fuzz_depths.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_elf_SOURCES = t/fuzz/fuzz_elf.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_foreign_SOURCES = t/fuzz/fuzz_foreign.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_formats_SOURCES = t/fuzz/fuzz_formats.c t/fuzz/judge.c \
	t/fuzz/judge.h t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_python_SOURCES = t/fuzz/fuzz_python.c t/fuzz/replay.c $(t_fuzz) \
	$(t_unit_walks)
t_fuzz_fuzz_merge_SOURCES = t/fuzz/fuzz_merge.c t/fuzz/replay.c $(t_fuzz) \
	cmd/cmd.c cmd/cmd.h cmd/survey.c cmd/survey.h \
	cmd/output.c cmd/output.h cmd/place.c cmd/place.h
t_fuzz_fuzz_merge_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/cmd
t_fuzz_fuzz_perfmap_SOURCES = t/fuzz/fuzz_perfmap.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_reader_SOURCES = t/fuzz/fuzz_reader.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_shared_SOURCES = t/fuzz/fuzz_shared.c t/fuzz/replay.c \
	t/unit/outsider.c t/unit/outsider.h $(t_fuzz)
t_fuzz_fuzz_slots_SOURCES = t/fuzz/fuzz_slots.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_symbols_SOURCES = t/fuzz/fuzz_symbols.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_text_SOURCES = t/fuzz/fuzz_text.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_waits_SOURCES = t/fuzz/fuzz_waits.c t/fuzz/replay.c $(t_fuzz)
t_fuzz_fuzz_unfinished_SOURCES = t/fuzz/fuzz_unfinished.c t/fuzz/replay.c \
	$(t_fuzz)
EXTRA_DIST += t/fuzz/corpus t/fuzz/run t/fuzz/seeds.py t/fuzz/tach.dict
FUZZ_SECONDS = 600
fuzz_made = $(nodist_lib_libtach_core_la_SOURCES) \
	$(nodist_lib_libtach_record_core_la_SOURCES)
fuzz: $(fuzz_made) lib/libtach-agent.la
	@CPPFLAGS='-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(LIB_CFLAGS)' \
	    LIBS='$(RECORD_LIBS) $(TACH_LIBS) $(BSD_LIBS)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	    TACH_SRCDIR='$(abs_top_srcdir)' \
	    $(SHELL) $(srcdir)/t/fuzz/run $(srcdir) \
	    $(lib_libtach_core_la_SOURCES) \
	    $(lib_libtach_record_core_la_SOURCES) $(fuzz_made)
.PHONY: fuzz
distclean-local:
	rm -rf fuzz

# The file format's speed and size beside CPython's: not a test.
EXTRA_PROGRAMS += t/bench/floor t/bench/format t/bench/interrupt t/bench/ticks
CLEANFILES += t/bench/floor t/bench/format t/bench/interrupt t/bench/ticks
EXTRA_DIST += t/bench/common.bash t/bench/convert t/bench/extensions t/bench/family \
	t/bench/inside t/bench/judge.py \
	t/bench/native t/bench/oracle t/bench/peer.py \
	t/bench/record t/bench/record.py t/bench/run t/bench/slowdown.py \
	t/bench/stacks.py t/bench/view
t_bench_floor_SOURCES = t/bench/floor.c
t_bench_format_SOURCES = t/bench/format.c
t_bench_ticks_SOURCES = t/bench/ticks.c
bench: all t/bench/floor t/bench/format t/bench/interrupt t/bench/ticks
	@TACH_SRCDIR='$(abs_top_srcdir)'; TACH_BUILDDIR='$(abs_top_builddir)'; \
	    export TACH_SRCDIR TACH_BUILDDIR; \
	    $(srcdir)/t/bench/run && $(srcdir)/t/bench/convert && \
	    $(srcdir)/t/bench/record && $(srcdir)/t/bench/inside && \
	    $(srcdir)/t/bench/native && \
	    $(srcdir)/t/bench/family && $(srcdir)/t/bench/view
# How true profiles are: ORACLE='-p 3.13-pyenv -r 10k chained' chooses.
oracle: all
	@TACH_SRCDIR='$(abs_top_srcdir)'; TACH_BUILDDIR='$(abs_top_builddir)'; \
	    export TACH_SRCDIR TACH_BUILDDIR; $(srcdir)/t/bench/oracle $(ORACLE)
# The same of stacks with functions of C: ORACLE='-p 3.13 -e remote rust'.
oracle-native: all
	@TACH_SRCDIR='$(abs_top_srcdir)'; TACH_BUILDDIR='$(abs_top_builddir)'; \
	    export TACH_SRCDIR TACH_BUILDDIR; $(srcdir)/t/bench/extensions $(ORACLE)
.PHONY: bench oracle oracle-native

# The closing lines: what was skipped, and how many passed.  Where a test
# failed, make has stopped before them; `make closing` prints them then, also
# of what `make again` runs once more.
check-local: check-TESTS
	@$(MAKE) $(AM_MAKEFLAGS) closing
closing:
	@$(SHELL) $(srcdir)/t/lib/closing $(TEST_LOGS)
again:
	@$(AM_TESTS_ENVIRONMENT) BATS='$(BATS)' $(SHELL) $(srcdir)/t/lib/again \
	    $(TEST_LOGS)
.PHONY: again closing
MOSTLYCLEANFILES = t/*/*.again.log t/*/*.seconds
